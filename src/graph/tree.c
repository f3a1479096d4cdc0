/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c -- a tree or forest from its parents: levels, subtree sizes, preorder, heavy paths.

   Everything follows from one breadth-first list of the nodes: backward it adds up subtree
   sizes, forward it hands out places in preorder, so that no stack is needed.  A heavy path goes
   from a node to its largest subtree; a path to the ground changes heavy paths at most
   log2(nnode) times. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "graph/block.h"
#include "graph/csr.h"
#include "linkwork/graph.h"

/* The arrays of a tree while they are written. */
typedef struct {
  int *parent, *depth, *size, *order, *place, *by_level, *level_start, *path_top;
  lwi_csr children; /* key v + 1, so that the roots are the children of LW_NO_NODE */
} builder;

static void tree_carve(lw_tree *t, builder *w, lwi_carver *c)
{
  const int n = t->nnode;
  (void)LWI_CARVE(c, 1, lw_tree); /* the object itself comes first */
  t->parent = w->parent = LWI_CARVE(c, n, int);
  t->depth = w->depth = LWI_CARVE(c, n, int);
  t->size = w->size = LWI_CARVE(c, n, int);
  t->order = w->order = LWI_CARVE(c, n, int);
  t->place = w->place = LWI_CARVE(c, n, int);
  t->by_level = w->by_level = LWI_CARVE(c, n, int);
  t->level_start = w->level_start = LWI_CARVE(c, (size_t)n + 1, int);
  t->path_top = w->path_top = LWI_CARVE(c, n, int);
  t->child_start = w->children.start = LWI_CARVE(c, (size_t)n + 2, int);
  t->child = w->children.item = LWI_CARVE(c, n, int);
}

static bool parents_are_valid(int nnode, const int parent[])
{
  if (nnode < 0 || nnode == INT_MAX || (nnode > 0 && !parent)) return false;
  for (int v = 0; v < nnode; v++)
    if (parent[v] < LW_NO_NODE || parent[v] >= nnode) return false;
  return true;
}

/* True if every node is listed once; seen must be zero and is so again afterwards. */
static bool is_permutation(int nnode, const int listing[], int seen[])
{
  bool valid = true;
  for (int i = 0; i < nnode && valid; i++)
    valid = listing[i] >= 0 && listing[i] < nnode && seen[listing[i]]++ == 0;
  for (int i = 0; i < nnode; i++)
    seen[i] = 0;
  return valid;
}

/* Lists the nodes breadth first; false if some are never reached because they hang on a cycle. */
static bool fill_levels(lw_tree *t, builder *w)
{
  int last = 0;
  for (int i = 0; i < t->nroot; i++)
    w->by_level[last++] = w->children.item[i];
  for (int first = 0; first < last; first++) {
    const int v = w->by_level[first], p = w->parent[v];
    w->depth[v] = p < 0 ? 0 : w->depth[p] + 1;
    if (w->depth[v] == t->nlevel) w->level_start[t->nlevel++] = first;
    for (int i = w->children.start[v + 1]; i < w->children.start[v + 2]; i++)
      w->by_level[last++] = w->children.item[i];
  }
  w->level_start[t->nlevel] = last;
  return last == t->nnode;
}

static void fill_sizes(const lw_tree *t, builder *w)
{
  for (int v = 0; v < t->nnode; v++)
    w->size[v] = 1;
  for (int i = t->nnode - 1; i >= 0; i--) {
    const int v = w->by_level[i];
    if (w->parent[v] >= 0) w->size[w->parent[v]] += w->size[v];
  }
}

/* Gives the children of a node, or the roots, the places that follow. */
static void place_children(builder *w, int v, int place)
{
  for (int i = w->children.start[v + 1]; i < w->children.start[v + 2]; i++) {
    const int c = w->children.item[i];
    w->place[c] = place;
    w->order[place] = c;
    place += w->size[c];
  }
}

/* Continues the heavy path of a node in its largest child and starts new ones in the others. */
static void extend_paths(builder *w, int v)
{
  int heavy = LW_NO_NODE;
  for (int i = w->children.start[v + 1]; i < w->children.start[v + 2]; i++) {
    const int c = w->children.item[i];
    w->path_top[c] = c;
    if (heavy < 0 || w->size[c] > w->size[heavy]) heavy = c;
  }
  if (v >= 0 && heavy >= 0) w->path_top[heavy] = w->path_top[v];
}

static lw_status build(lw_tree *t, builder *w, const int parent[], const int listing[])
{
  if (listing && !is_permutation(t->nnode, listing, w->place)) return LW_E_ARG;
  for (int v = 0; v < t->nnode; v++)
    w->parent[v] = parent[v];
  lwi_csr_fill(&w->children, t->nnode, w->parent, 1, listing);
  t->nroot = w->children.start[1];
  if (!fill_levels(t, w)) return LW_E_MODEL;
  fill_sizes(t, w);

  place_children(w, LW_NO_NODE, 0);
  extend_paths(w, LW_NO_NODE);
  for (int i = 0; i < t->nnode; i++) {
    const int v = w->by_level[i];
    place_children(w, v, w->place[v] + 1);
    extend_paths(w, v);
  }
  return LW_OK;
}

lw_tree *lw_tree_new(int nnode, const int parent[], const int listing[], lw_error *err)
{
  if (!parents_are_valid(nnode, parent)) return lwi_refuse(err, LW_E_ARG);
  if (!lwi_size_is_possible(nnode, 0)) return lwi_refuse(err, LW_E_MEMORY);
  lw_tree t = {.nnode = nnode};
  builder w = {.children.nkey = nnode + 1};
  lwi_carver c = {0};
  tree_carve(&t, &w, &c);
  lw_status done = LW_E_MEMORY;
  if (lwi_carver_alloc(&c)) {
    tree_carve(&t, &w, &c);
    done = build(&t, &w, parent, listing);
  }
  lwi_set_status(err, done);
  if (done != LW_OK) {
    free(c.base);
    return NULL;
  }
  return memcpy(c.base, &t, sizeof t);
}

void lw_tree_free(lw_tree *t)
{
  free(t);
}
