/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h -- what `linkwork inspect` says, one file each part. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H
#include "linkwork/inspect.h"
#include "verbs.h"

typedef struct {
  const cli_args *a;
  const lw_model *m;
  const lw_topology *t;
  unsigned char *set; /* [nbody] what --aggregate names, by node of the tree; NULL: not given;
                         3 nbody + 1 more for answers */
  int *scratch;       /* [2 nbody + 2] */
  bool all;           /* however large */
} inspection;

/* "ground" for a node of the tree that is LW_NO_NODE. */
const char *node_name(const lw_model *m, int node);
/* Of an edge of the digraph. */
typedef struct {
  const char *name, *type;
  bool joint, implicit; /* not a constraint; given to a floating group, and named like its body */
} edge_info;
edge_info get_edge(const inspection *s, int edge);

/* Of the tree; body with the most children. */
typedef struct {
  int leaves, branching,
      widest; /* bodies that carry none, several; how many the widest one carries */
} tree_shape;
tree_shape find_shape(const lw_tree *t);

void print_tree(const inspection *s);     /* tree.c */
void print_segments(const inspection *s); /* tree.c */
/* Degrees of freedom and redundant equations by rank, where the loops are closed; false: they cannot
   be, and dof is that of the spanning tree. */
bool count_closed(const lw_model *m, lw_mobility *f); /* loops.c */
void print_loops(const inspection *s);                /* loops.c */
void print_joint_orders(const lw_model *m);           /* joint_orders.c */
void json_joint_orders(json *j, const lw_model *m);   /* joint_orders.c */
void print_loop_classes(const inspection *s);
void print_assembly(const inspection *s);         /* assembly.c */
bool json_assembly(json *j, const inspection *s); /* assembly.c; false: no memory */
lw_loops_info find_closing(const lw_model *m); /* loops.c: how the tree formulation closes loops */
void print_closing(const lw_model *m);
bool explain_json(const inspection *s); /* inspect_json.c; false: no memory */

/* aggregate.c: --aggregate b1,b2,...; CLI_DONE, or what to exit with after a message. */
int read_set(const cli_args *a, const lw_model *m, unsigned char set[]);
void print_aggregate(const inspection *s);
void json_aggregate(json *j, const inspection *s);

#endif
