/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h -- the spanning tree in drawing order, for `linkwork inspect`. */
#ifndef CLI_TREE_H
#define CLI_TREE_H
#include "verbs.h"

typedef struct {
  int *order;    /* [nbody] bodies, each after its parent, subtrees together */
  int *depth;    /* [nbody + 1] joints to the ground, by body */
  int height;    /* largest depth */
  int leaves;    /* bodies that carry none */
  int groups;    /* bodies carried by the ground */
  int floating;  /* ... by a free joint */
  bool branches; /* some body carries several */
} body_tree;

bool body_tree_make(body_tree *t, const lw_model *m); /* false: no memory */
void body_tree_free(body_tree *t);
const char *body_tree_class(const body_tree *t);

void count_types(const lw_model *m, int count[LW_JOINT_TYPES], int *implicit);

bool explain_json(const lw_model *m, const body_tree *t); /* in inspect_json.c; false: no memory */

/* Degrees of freedom and redundant equations where the loops are closed; false: they cannot be, and dof
   is that of the spanning tree. */
bool count_closed(const lw_model *m, int *dof, int *redundant);

#endif
