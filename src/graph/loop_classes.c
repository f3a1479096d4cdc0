/* SPDX-License-Identifier: Apache-2.0 */
/* loop_classes.c -- which nodes must be aggregated together so that no loop leaves its node.

   A loop is the tree path between two nodes without its topmost node, that is, those nodes whose
   coordinates the closure involves.  Such a set has one parent, its topmost node.  If two such sets
   share a node their union has one parent too: the higher of the two parents has the lower one, if
   they differ, on its way to the shared node and hence in its set.  So it is enough to unite what
   overlaps.

   Classes are disjoint sets whose representative is the member first in preorder.  Its parent is
   the parent of the whole class, which lets a climb pass a class in one step. */
#include "graph/union_find.h"
#include "linkwork/graph.h"

static void unite(const lw_tree *t, int up[], int a, int b)
{
  a = lwi_sets_find(up, a);
  b = lwi_sets_find(up, b);
  if (t->place[a] < t->place[b])
    up[b] = a;
  else
    up[a] = b;
}

/* Unites all from a node up to below `top` with one another and with *member, if that is a node. */
static void unite_upward(const lw_tree *t, int up[], int node, int top, int *member)
{
  const int top_depth = top < 0 ? -1 : t->depth[top];
  while (node >= 0 && t->depth[node] > top_depth) {
    const int first = lwi_sets_find(up, node);
    const int parent = t->parent[first];
    if (*member >= 0) unite(t, up, *member, first);
    *member = first;
    node = parent;
  }
}

/* Replaces the sets by class numbers, parent before child: up leads to earlier places only. */
static int number_classes(const lw_tree *t, int up[])
{
  int nclass = 0;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place];
    up[v] = up[v] == v ? nclass++ : up[up[v]];
  }
  return nclass;
}

int lw_tree_loop_classes(const lw_tree *t, int nloop, const int a[], const int b[], int class_of[])
{
  if (!t || (nloop > 0 && (!a || !b)) || !class_of) return 0;
  for (int k = 0; k < nloop; k++)
    if (a[k] < LW_NO_NODE || a[k] >= t->nnode || b[k] < LW_NO_NODE || b[k] >= t->nnode) return -1;

  lwi_sets_init(t->nnode, class_of);
  for (int k = 0; k < nloop; k++) {
    const int top = lw_tree_common_ancestor(t, a[k], b[k]);
    int member = LW_NO_NODE;
    unite_upward(t, class_of, a[k], top, &member);
    unite_upward(t, class_of, b[k], top, &member);
  }
  return number_classes(t, class_of);
}
