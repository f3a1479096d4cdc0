/* SPDX-License-Identifier: Apache-2.0 */
/* lwt_loops.h -- random mechanisms with closed loops, geometric constraints and relations, closed where they
   are written. */
#ifndef LWT_LOOPS_H
#define LWT_LOOPS_H
#include "lwt.h"

typedef struct {
  lwt_recipe tree;
  int loops, constraints, relations;
  bool twice;      /* every loop is closed by two equal joints: redundant */
  bool prefer;     /* the tree may run through the joints that close loops */
  bool forces;     /* motors and springs on them */
  int light;       /* every so many bodies are rods or particles; 0: none */
  unsigned masses; /* the seed of lwt_change_masses; 0: they stay as they are */
} lwt_loops;

/* Multiplies masses and inertias of each body by a random power of ten, 1e-12 to 1. */
void lwt_change_masses(lwt_parts *p, unsigned seed);
lw_spec *lwt_loops_spec(const lwt_loops *d);
lw_model *lwt_loops_model(const lwt_loops *d); /* fails the test if it cannot be compiled */
/* A little of everything, another for each k. */
lwt_loops lwt_loops_recipe(unsigned k);
/* The state in which loops are closed; speeds are random, and not possible if the ties are redundant. */
lwt_case lwt_loops_case(const lwt_loops *d);

#endif
