/* SPDX-License-Identifier: Apache-2.0 */
/* tree_queries.c -- who is whose ancestor, paths, and the two canonical numberings.

   In preorder a subtree is a range of places, so that an ancestor test is two comparisons.  The
   ground, LW_NO_NODE, is the ancestor of every node and has depth -1. */
#include "linkwork/graph.h"

static bool is_node(const lw_tree *t, int v)
{
  return v >= 0 && v < t->nnode;
}

static int depth_of(const lw_tree *t, int v)
{
  return v < 0 ? -1 : t->depth[v];
}

const int *lw_tree_children(const lw_tree *t, int node, int *count)
{
  if (!t || !count) return NULL;
  const bool valid = node >= LW_NO_NODE && node < t->nnode;
  *count = valid ? t->child_start[node + 2] - t->child_start[node + 1] : 0;
  return valid ? t->child + t->child_start[node + 1] : NULL;
}

bool lw_tree_is_ancestor(const lw_tree *t, int a, int b)
{
  if (!t || !is_node(t, b)) return false;
  if (a == LW_NO_NODE) return true;
  if (!is_node(t, a) || a == b) return false;
  /* the places of the subtree of a node begin with its own */
  return t->place[b] >= t->place[a] && t->place[b] - t->place[a] < t->size[a];
}

int lw_tree_common_ancestor(const lw_tree *t, int a, int b)
{
  if (!t) return 0;
  if (!is_node(t, a) || !is_node(t, b)) return LW_NO_NODE;

  /* leave the heavy path with the deeper top until both are on the same one, or on the ground */
  while (t->path_top[a] != t->path_top[b]) {
    int *deeper = t->depth[t->path_top[a]] > t->depth[t->path_top[b]] ? &a : &b;
    *deeper = t->parent[t->path_top[*deeper]];
    if (*deeper < 0) return LW_NO_NODE;
  }
  return t->depth[a] < t->depth[b] ? a : b;
}

int lw_tree_child_toward(const lw_tree *t, int ancestor, int node)
{
  if (!t) return 0;
  if (!lw_tree_is_ancestor(t, ancestor, node)) return LW_NO_NODE;
  int low, high;
  const int *child = lw_tree_children(t, ancestor, &high);

  /* children come by place: the last one that is not behind the node */
  for (low = 0; high - low > 1;) {
    const int middle = low + (high - low) / 2;
    if (t->place[child[middle]] <= t->place[node])
      low = middle;
    else
      high = middle;
  }
  return child[low];
}

int lw_tree_path(const lw_tree *t, int a, int b, int path[])
{
  if (!t) return 0;
  if (a < LW_NO_NODE || a >= t->nnode || b < LW_NO_NODE || b >= t->nnode) return 0;
  const int top = lw_tree_common_ancestor(t, a, b);
  const int up = depth_of(t, a) - depth_of(t, top), down = depth_of(t, b) - depth_of(t, top);
  if (!path) return up + down + 1;

  for (int i = 0; i < up; i++, a = t->parent[a])
    path[i] = a;
  path[up] = top;
  for (int i = up + down; i > up; i--, b = t->parent[b])
    path[i] = b;
  return up + down + 1;
}

void lw_tree_renumber(const lw_tree *t, lw_tree_numbering numbering, int number[], int parent[])
{
  if (!t || !number || !parent) return;
  const int last = t->nnode - 1;
  for (int v = 0; v < t->nnode; v++)
    number[v] = numbering == LW_PARENT_FIRST ? t->place[v] : last - t->place[v];
  for (int v = 0; v < t->nnode; v++)
    parent[number[v]] = t->parent[v] < 0 ? LW_NO_NODE : number[t->parent[v]];
}
