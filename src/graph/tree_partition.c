/* SPDX-License-Identifier: Apache-2.0 */
/* tree_partition.c -- path-induced sets of a tree and the parts they make.  [Jain2012] section 3.

   All of it is a walk in preorder with one number in hand: `covered`, the place where the
   subtree of the last topmost node of the set ends.  Places before it have an ancestor in the
   set. */
#include "linkwork/graph.h"

/* Where the nodes below the set end, once the walk has come to a place; see above. */
static int cover(const lw_tree *t, const unsigned char set[], int place, int covered)
{
  const int v = t->order[place];
  return set[v] && place >= covered ? place + t->size[v] : covered;
}

bool lw_tree_is_path_induced(const lw_tree *t, const unsigned char set[])
{
  if (!t || !set) return false;
  int covered = 0;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place], p = t->parent[v];
    /* a path that comes back into the set had left it */
    if (set[v] && place < covered && !set[p]) return false;
    covered = cover(t, set, place, covered);
  }
  return true;
}

int lw_tree_path_closure(const lw_tree *t, const unsigned char set[], unsigned char closure[])
{
  if (!t || !set || !closure) return 0;
  /* leaves first: who is in the set or has a descendant in it */
  for (int v = 0; v < t->nnode; v++)
    closure[v] = set[v] != 0;
  for (int place = t->nnode - 1; place >= 0; place--) {
    const int v = t->order[place], p = t->parent[v];
    if (p >= 0 && closure[v]) closure[p] = 1;
  }

  /* of these, who is in the set or has an ancestor in it */
  int covered = 0, count = 0;
  for (int place = 0; place < t->nnode; place++) {
    covered = cover(t, set, place, covered);
    const int v = t->order[place];
    closure[v] = closure[v] && place < covered;
    count += closure[v];
  }
  return count;
}

lw_status lw_tree_partition(const lw_tree *t, const unsigned char set[], unsigned char part[])
{
  if (!t || !set || !part) return LW_E_ARG;
  if (!lw_tree_is_path_induced(t, set)) return LW_E_ARG;
  int covered = 0;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place];
    covered = cover(t, set, place, covered);
    const lw_part outside = place < covered ? LW_PART_CHILD : LW_PART_PARENT;
    part[v] = (unsigned char)(set[v] ? LW_PART_SET : outside);
  }
  return LW_OK;
}

void lw_tree_partition_order(const lw_tree *t, const unsigned char part[], int order[],
                             int start[4])
{
  if (!t || !part || !order || !start) return;
  int count = 0;
  for (int p = LW_PART_CHILD; p <= LW_PART_PARENT; p++) {
    start[p] = count;
    for (int place = t->nnode - 1; place >= 0; place--)
      if (part[t->order[place]] == p) order[count++] = t->order[place];
  }
  start[3] = count;
}
