/* SPDX-License-Identifier: Apache-2.0 */
/* mutants.h -- models of every kind with masses over twelve decades, other lengths, and events: trees with forces, model
   files, random loops. */
#ifndef MUTANTS_H
#define MUTANTS_H
#include "lwt_loops.h"

enum { MUTANT_ROOM = 256 }; /* coordinates and speeds */

/* Mutant number k; LINKWORK_MUTANT_FILE: where the last one that comes from a file is written. */
lw_spec *mutant_spec(unsigned k);
/* The same as plain data; NULL: it is not a tree. */
lwt_parts *mutant_parts(unsigned k);

/* A state of mutant k: the one it is written in if k is even, else with random speeds.  Loops are closed. */
lw_status mutant_state(const lw_model *m, unsigned k, double q[], double u[], lw_error *err);

/* What events need to know of a mutant at its start. */
typedef struct {
  const lw_model *m;
  double end; /* s: nothing moves by much more than one radian or metre before */
  double q[MUTANT_ROOM], u[MUTANT_ROOM], udot[MUTANT_ROOM];
} mutant_start;

/* One to three events of random kinds before start->end: at times, or when something is reached. */
void mutant_add_events(lw_spec *s, const mutant_start *start, unsigned k);

#endif
