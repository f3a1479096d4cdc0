/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate.c -- sets of nodes that become one node of a coarser tree.  [Jain2012] section 5.

   The paper asks for exactly one parent node outside the set, and calls that necessary and
   sufficient for the result to be a tree (lemma 5).  That is so only if the set does not hold
   the tree's root: {root} has no parent and yet gives a tree, and {root, grandchild} has one and
   gives a cycle.  Here the ground is the parent of every root and is never in a set, which makes
   the lemma true. */
#include <stdlib.h>

#include "graph/block.h"
#include "linkwork/graph.h"

bool lw_tree_can_aggregate(const lw_tree *t, const unsigned char set[], int *parent)
{
  if (!t || !set) return false;
  bool found = false;
  int outside = LW_NO_NODE;
  for (int v = 0; v < t->nnode; v++) {
    const int p = t->parent[v];
    if (!set[v] || (p >= 0 && set[p])) continue;
    if (found && p != outside) return false;
    found = true;
    outside = p;
  }
  if (found && parent) *parent = outside;
  return found;
}

/* The deepest node that is a proper ancestor of the whole set: of all its nodes the first and the
   last in preorder suffice. */
static int ancestor_of_set(const lw_tree *t, const unsigned char set[])
{
  int first = 0, last = t->nnode - 1;
  while (first <= last && !set[t->order[first]])
    first++;
  while (last > first && !set[t->order[last]])
    last--;
  if (first > last) return LW_NO_NODE;
  const int top = lw_tree_common_ancestor(t, t->order[first], t->order[last]);
  return top >= 0 && set[top] ? t->parent[top] : top;
}

int lw_tree_aggregation_set(const lw_tree *t, const unsigned char set[], unsigned char aggregated[],
                            int *parent)
{
  if (!t || !set || !aggregated) return 0;
  const int j = ancestor_of_set(t, set);
  for (int v = 0; v < t->nnode; v++)
    aggregated[v] = set[v] != 0;

  /* leaves first: mark the paths up to just below j */
  int count = 0;
  for (int place = t->nnode - 1; place >= 0; place--) {
    const int v = t->order[place], p = t->parent[v];
    if (aggregated[v] && p != j) aggregated[p] = 1;
    count += aggregated[v];
  }
  if (parent) *parent = j;
  return count;
}

int lw_tree_set_classes(const lw_tree *t, const unsigned char set[], int class_of[])
{
  if (!t || !set || !class_of) return 0;
  int nclass = 0, set_class = -1;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place];
    if (set[v] && set_class < 0) set_class = nclass++;
    class_of[v] = set[v] ? set_class : nclass++;
  }
  return nclass;
}

enum { UNKNOWN = -2 };

/* The class that carries each class. */
static lw_status find_class_parents(const lw_tree *t, int nclass, const int class_of[],
                                    int parent[])
{
  for (int c = 0; c < nclass; c++)
    parent[c] = UNKNOWN;
  for (int v = 0; v < t->nnode; v++) {
    const int c = class_of[v];
    if (c < 0 || c >= nclass) return LW_E_ARG;
    const int p = t->parent[v] < 0 ? LW_NO_NODE : class_of[t->parent[v]];
    if (p == c) continue;
    if (parent[c] != UNKNOWN && parent[c] != p) return LW_E_MODEL;
    parent[c] = p;
  }
  for (int c = 0; c < nclass; c++)
    if (parent[c] == UNKNOWN) return LW_E_ARG;
  return LW_OK;
}

lw_tree *lw_tree_contract(const lw_tree *t, int nclass, const int class_of[], lw_error *err)
{
  lw_tree *result = NULL;
  int *parent = NULL;
  lw_status done = LW_E_ARG;
  if (!t || nclass < 0 || nclass > t->nnode || (t->nnode > 0 && !class_of)) goto done;
  done = LW_E_MEMORY;
  parent = (int *)lwi_graph_alloc(((size_t)nclass + 1) * sizeof *parent);
  if (!parent) goto done;
  done = find_class_parents(t, nclass, class_of, parent);
  lw_error why = {.status = done};
  if (done == LW_OK) result = lw_tree_new(nclass, parent, NULL, &why);
  done = why.status;
done:
  free(parent);
  lwi_set_status(err, done);
  return result;
}
