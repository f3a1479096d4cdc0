/* SPDX-License-Identifier: Apache-2.0 */
/* spans.h -- a spanning tree of bodies while it is chosen. */
#ifndef LWI_MODEL_COMPILE_SPANS_H
#define LWI_MODEL_COMPILE_SPANS_H
#include "model/compile/compile.h"

/* parent and joint of each body in the tree, and the order of bodies */
typedef struct {
  int *parent, *joint; /* [nbody + 1] */
  bool *reversed;      /* [nbody + 1] the joint's child is the parent */
  int *order;          /* [nbody] bodies, parents first, subtrees contiguous */
} lwi_spans;

/* Lets bodies without mass at the tips of the tree carry others: massless_tips.c.  body[nbody]:
   those that are in question; edge[nedge]: their joints. */
bool lwi_load_massless_tips(lwi_compiler *c, int nbody, const int body[], int nedge,
                            const int edge[], lwi_spans *s);

#endif
