/* SPDX-License-Identifier: Apache-2.0 */
/* lwt_loops.h -- random mechanisms with closed loops, geometric constraints and relations, closed where they
   are written. */
#ifndef LWT_LOOPS_H
#define LWT_LOOPS_H
#include "lwt.h"

typedef struct {
  lwt_recipe tree;
  int loops, constraints, relations;
  bool twice;  /* every loop is closed by two equal joints: redundant */
  bool prefer; /* the tree may run through the joints that close loops */
  bool forces; /* motors and springs on them */
  int light;   /* every so many bodies are rods or particles; 0: none */
} lwt_loops;

lw_spec *lwt_loops_spec(const lwt_loops *d);
lw_model *lwt_loops_model(const lwt_loops *d); /* fails the test if it cannot be compiled */

#endif
