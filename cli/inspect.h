/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h -- the parts of the output of `linkwork inspect`, one file each. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H
#include "linkwork/dca.h"
#include "linkwork/inspect.h"
#include "linkwork/solvers.h"
#include "linkwork/analysis.h"
#include "linkwork/loops.h"
#include "redundancy.h"
#include "verbs.h"

typedef struct {
  const cli_args *a;
  const lw_model *m;
  const lw_topology *t;
  unsigned char *set;       /* [nbody] what --aggregate names, by node of the tree; NULL: not given;
                         3 nbody + 1 more for results */
  unsigned char *partition; /* [nbody] what --partition names, by body - 1; NULL: not given */
  lw_order_method numbering; /* of --numbering; LW_ORDER_METHODS: all */
  lw_dca_options plan;       /* of --assembly */
  lw_assembled *order;       /* what plan.order points to */
  int *scratch;              /* [2 nbody + 2] */
  bool all;                  /* however large */

  /* computed before anything is printed: inspect_facts.c */
  bool closed;           /* its loops can be closed */
  lw_mobility mobility;  /* if they are; else that of the spanning tree */
  redundancy redundancy; /* if they are */
  lw_loops_info closing; /* how the tree formulation closes them */
  lw_dca *assembly;      /* the plan of divide and conquer; NULL: there are no bodies */
  double serial;         /* multiplications of the recursion, in the same units */
  double *level_seconds; /* [levels], if --levels asks for them; else NULL */
  bool ordered;          /* not too many joints on one body */
  lw_joint_orders orders;
} inspection;

bool inspection_find(inspection *s); /* returns false if out of memory */
void inspection_free(inspection *s); /* what was found */

/* "ground" for a node of the tree that is LW_NO_NODE. */
const char *node_name(const lw_model *m, int node);
/* Of an edge of the digraph. */
typedef struct {
  const char *name, *type;
  bool joint, implicit; /* not a constraint; given to a floating group, and named like its body */
} edge_info;
edge_info get_edge(const inspection *s, int edge);

/* The first edge that leads to a body written before the one that it comes from; -1: none, bodies
   are numbered outward (canonically, in reverse order). */
int find_not_canonical(const inspection *s);

/* Of the tree; body with the most children. */
typedef struct {
  int leaves, branching,
      widest; /* bodies that carry none, several; how many the widest one carries */
} tree_shape;
tree_shape find_shape(const lw_tree *t);

/* directed_tree.c: as JSON, or of models with loops as text (NULL); false: no memory */
bool show_directed_tree(const inspection *s, json *j);
void print_tree(const inspection *s);     /* tree.c */
void print_segments(const inspection *s); /* tree.c */
void print_loops(const inspection *s);    /* loops.c */
void print_joint_orders(const inspection *s);
void print_chosen_order(const lw_joint_orders *o);    /* joint_orders.c */
void json_joint_orders(json *j, const inspection *s); /* joint_orders.c */
void print_loop_classes(const inspection *s);
void print_assembly(const inspection *s);         /* assembly.c */
void json_assembly(json *j, const inspection *s); /* assembly.c */
/* assembly_order.c: --assembly NAME|FILE|J1,J2,...; the exit status after a message, or CLI_DONE */
int read_assembly(inspection *s);
void print_closing(const inspection *s); /* loops.c */
bool explain_json(const inspection *s);  /* inspect_json.c; false: no memory */

/* numbering.c: --numbering; partition.c: --partition.  As JSON (j), or as text (NULL). */
int read_numbering(inspection *s);
lw_status show_numbering(const inspection *s, json *j);
lw_status show_partition(const inspection *s, json *j);

/* aggregate.c: --aggregate b1,b2,...  Returns CLI_DONE, or the exit status after a message. */
int read_set(const cli_args *a, const lw_model *m, unsigned char set[]);
bool print_aggregate(const inspection *s); /* false: no memory */
bool json_aggregate(json *j, const inspection *s);
bool show_contraction(const inspection *s, json *j); /* contraction.c: as JSON, or as text (NULL) */

#endif
