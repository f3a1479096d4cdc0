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
  bool articulated; /* a forest in which every body that carries others is a hub */
  int *order;
  double forming;       /* multiplications before the factorisation ... */
  double work, entries; /* ... and of it; entries of the factor */
  lw_order_method method;
  lwi_arena arena;
} lwi_choice;

typedef enum {
  LWI_HUBS_NONE,
  LWI_HUBS_IF_LESS, /* where they make factoring less work, or possible at all */
  LWI_HUBS_IN_TREES /* every body that carries others, of a forest */
} lwi_hub_rule;

/* The order given, or that of least counted work.  The caller frees the arena, on failure too. */
lw_status lwi_choose(lwi_choice *best, const lwi_descriptor_shape *s, const int given[],
                     lwi_hub_rule hubs);
/* Neither order nor hubs nor edges of the graph: for those who factor otherwise. */
lw_status lwi_choose_nothing(lwi_choice *c, const lwi_descriptor_shape *s);

#endif
