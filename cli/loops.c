/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c -- what is outside the spanning tree: the loops that it closes, and which bodies would
   become one node if every loop were inside a node.  [Jain2012] section 5.2. */
#include "inspect.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <stdlib.h>

enum { LISTED = 20, LONG = 16 }; /* loops; bodies of one */

edge_info get_edge(const inspection *s, int edge)
{
  const int njoint = s->t->njoint;
  if (edge < njoint) {
    const lw_joint_info j = lw_get_joint(s->m, (lw_joint){edge + 1});
    return (edge_info){j.name, lw_joint_type_name(j.type), true, j.implicit};
  }
  const lw_constraint_info c =
      lw_get_constraint(s->m, (lw_constraint){s->t->constraint[edge - njoint]});
  return (edge_info){c.name, lw_constraint_type_name(c.type), false, false};
}

/* a -B- b -D- c ... back to the first one */
static void print_round(const inspection *s, const int node[], const int edge[], int length)
{
  printf("     %s", lw_body_name(s->m, (lw_body){node[0]}));
  for (int i = 0; i < length; i++) {
    if (!s->all && length > LONG && i == LONG / 2) {
      printf(" ... ");
      i = length - LONG / 2;
    }
    const edge_info e = get_edge(s, edge[i]);
    printf(" -%s- %s", e.implicit ? e.type : e.name,
           lw_body_name(s->m, (lw_body){node[(i + 1) % length]}));
  }
  printf("\n");
}

static void print_loop(const inspection *s, int k)
{
  const lw_topology *t = s->t;
  int *node = s->scratch, *edge = s->scratch + t->nbody + 1;
  const int length = lw_topology_loop(t, k, node, edge);
  const edge_info closing = get_edge(s, t->loop_edge[k]);
  printf("  %d. closed by the %s %s (%s), between %s and %s: length %d%s\n", k + 1,
         closing.joint ? "cut joint" : "constraint", closing.name, closing.type,
         node_name(s->m, t->loop_from[k]), node_name(s->m, t->loop_to[k]), length,
         lw_tree_common_ancestor(t->tree, t->loop_from[k], t->loop_to[k]) < 0
             ? ", through the ground"
             : "");
  print_round(s, node, edge, length);
}

void print_loops(const inspection *s)
{
  const int n = s->t->nloop, shown = s->all || n <= LISTED ? n : LISTED;
  if (n == 0) return;
  printf("\nloops: each joint or constraint outside the spanning tree closes one\n");
  for (int k = 0; k < shown; k++)
    print_loop(s, k);
  if (shown < n) printf("  ... and %d more (--all)\n", n - shown);
}

/* ---- aggregation of loops ---- */

/* The bodies of each class as linked lists: head[class], next[node]; -1 ends. */
static void link_classes(const lw_topology *t, int head[], int next[])
{
  for (int c = 0; c < t->nclass; c++)
    head[c] = -1;
  for (int v = t->nbody - 1; v >= 0; v--) {
    next[v] = head[t->class_of[v]];
    head[t->class_of[v]] = v;
  }
}

void print_loop_classes(const inspection *s)
{
  const lw_topology *t = s->t;
  int *head = s->scratch, *next = s->scratch + t->nbody + 1;
  if (t->nloop == 0) return;
  printf("\naggregation: with these bodies as one node the system is a tree of %d node%s\n",
         t->nclass, t->nclass == 1 ? "" : "s");
  link_classes(t, head, next);
  for (int c = 0; c < t->nclass; c++) {
    if (head[c] < 0 || next[head[c]] < 0) continue;
    printf("  {");
    int count = 0;
    for (int v = head[c]; v >= 0; v = next[v], count++)
      if (s->all || count < LISTED) printf("%s%s", count ? ", " : "", node_name(s->m, v));
    if (!s->all && count > LISTED) printf(", ... %d in all", count);
    printf("}\n");
  }
}

/* ---- how they are closed ---- */

/* how the tree formulation closes the loops, and why */
void print_closing(const inspection *s)
{
  const lw_loops_info x = s->closing;
  const bool embedded = x.method == LW_LOOPS_EMBEDDED;
  if (x.method == LW_LOOPS_AUTO) return; /* nothing to close */
  if (x.cut_cost == 0 && x.embedded_cost == 0) {
    printf(
        "\nclosing: too many loops in series for the tree formulation; divide and conquer closes "
        "them\n");
    return;
  }
  printf("\nclosing: %s (--loops %s)\n",
         embedded ? "each cluster of coupled loops is embedded as one node of a coarser tree"
                  : "loads of the cut joints make their ends stay together",
         embedded ? "embedded" : "cut");
  printf("  %d cluster%s, the largest of %d bod%s; %d independent speed%s\n", x.nnode,
         x.nnode == 1 ? "" : "s", x.largest, x.largest == 1 ? "y" : "ies", x.nindependent,
         x.nindependent == 1 ? "" : "s");
  if (x.cut_cost > 0 && x.embedded_cost > 0)
    printf("  chosen by operations per evaluation: %.3g embedded, %.3g by cut joints\n",
           x.embedded_cost, x.cut_cost);
  else
    printf("  the only method: %s\n",
           embedded ? "without the loops the mass matrix is singular, or the loops are too many in "
                      "series to be cut"
                    : "a cluster has too many independent speeds for embedding");
}
