/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_choice.h -- how the reduced system is numbered, and which bodies are hubs (reduced.h). */
#ifndef LWI_CARTESIAN_REDUCED_REDUCED_CHOICE_H
#define LWI_CARTESIAN_REDUCED_REDUCED_CHOICE_H
#include "cartesian/reduced/joint_graph.h"

typedef struct {
  const lwi_descriptor_shape *s;
  lwi_body_sets sets;
  lwi_joint_graph graph;
  bool *hub; /* [nbody] or NULL */
  bool forest;
  int *order;
  double work, entries; /* of the factor */
  lw_order_method method;
  lwi_arena arena;
} lwi_choice;

/* The order given, or that of least counted work; hubs: bodies may become some.  The caller frees
   the arena, on failure too. */
lw_status lwi_choose(lwi_choice *best, const lwi_descriptor_shape *s, const int given[], bool hubs);

#endif
