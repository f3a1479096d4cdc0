/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_split.c -- small separators; see assembly_tree.h for the rules. */
#include "graph/assembly_split.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int other_end(const lwi_splitter *s, int edge, int node)
{
  return s->from[edge] == node ? s->to[edge] : s->from[edge];
}

/* ---- walks inside a region: nodes with place == r ---- */

/* Lists the region from a node on, nearest first; returns how many were reached.  With side != NULL
   only nodes of the same side. */
static int walk_breadth(lwi_splitter *s, int r, int from, const int *side, int *list)
{
  int n = 0;
  list[n++] = from;
  s->seen[from] = ++s->stamp;
  for (int k = 0; k < n; k++)
    for (int i = s->start[list[k]]; i < s->start[list[k] + 1]; i++) {
      const int x = other_end(s, s->adjacent[i], list[k]);
      if (s->place[x] != r || s->seen[x] == s->stamp || (side && side[x] != side[from])) continue;
      s->seen[x] = s->stamp;
      list[n++] = x;
    }
  return n;
}

/* Depth first from list[0]: list in order of discovery, parent edges, and in out[] the number of
   edges that leave the subtree of each node other than the one to its parent. */
static void walk_depth(lwi_splitter *s, int r, int root)
{
  int n = 0, x = root;
  const int stamp = ++s->stamp;
  s->list[n++] = root;
  s->seen[root] = stamp;
  s->parent[root] = -1;
  s->next[root] = s->start[root];
  s->size[root] = 1;
  s->out[root] = 0;
  while (x >= 0) {
    if (s->next[x] == s->start[x + 1]) { /* done with x: hand its counts to its parent */
      const int edge = s->parent[x];
      if (edge < 0) return;
      const int p = other_end(s, edge, x);
      s->size[p] += s->size[x];
      s->out[p] += s->out[x];
      x = p;
      continue;
    }
    const int edge = s->adjacent[s->next[x]++], y = other_end(s, edge, x);
    if (s->place[y] != r || edge == s->parent[x]) continue;
    if (s->seen[y] ==
        stamp) { /* to a node inward, or outward from there: count it once up, once down */
      if (s->side[y] < s->side[x]) s->out[x]++, s->out[y]--;
      continue;
    }
    s->seen[y] = stamp;
    s->side[y] = n; /* discovery number: inward nodes have lower ones */
    s->list[n++] = y;
    s->parent[y] = edge;
    s->next[y] = s->start[y];
    s->size[y] = 1;
    s->out[y] = 0;
    x = y;
  }
}

/* ---- candidates ---- */

typedef struct {
  double score; /* edges cut / weight of the smaller side */
  int small;    /* nodes on the smaller side */
  int prefix;   /* the first nodes of the breadth-first order, or 0 and ... */
  int subtree;  /* ... a node whose depth-first subtree is split off */
} cut;

/* A region that is seen through many nodes already is split so that its parts share them; nodes
   only break constraints then. */
enum { MANY_HANDLES = 4 };
typedef struct {
  int nodes, handles;
} weight;

static void consider(cut *best, int edges, weight part, weight all, int prefix, int subtree)
{
  const int small = part.nodes < all.nodes - part.nodes ? part.nodes : all.nodes - part.nodes;
  const int few =
      part.handles < all.handles - part.handles ? part.handles : all.handles - part.handles;
  const double least = all.handles < MANY_HANDLES ? small : few + (double)small / all.nodes;
  const double score = edges / least;
  if (score < best->score) *best = (cut){score, small, prefix, subtree};
}

/* does the node have edges that leave the region? */
static int is_handle(const lwi_splitter *s, int r, int x)
{
  for (int i = s->start[x]; i < s->start[x + 1]; i++)
    if (s->place[other_end(s, s->adjacent[i], x)] != r) return 1;
  return 0;
}

/* prefixes of the breadth-first order in list */
static void try_prefixes(lwi_splitter *s, int r, weight all, cut *best)
{
  const int inside = ++s->stamp;
  int edges = 0;
  weight part = {0, 0};
  for (int k = 0; k + 1 < all.nodes; k++) {
    const int x = s->list[k];
    part.nodes++;
    part.handles += is_handle(s, r, x);
    for (int i = s->start[x]; i < s->start[x + 1]; i++) {
      const int y = other_end(s, s->adjacent[i], x);
      if (s->place[y] == r) edges += s->seen[y] == inside ? -1 : 1;
    }
    s->seen[x] = inside;
    consider(best, edges, part, all, k + 1, -1);
  }
}

/* subtrees of the depth-first tree in list; next[] receives their handles */
static void try_subtrees(lwi_splitter *s, int r, weight all, cut *best)
{
  for (int k = 0; k < all.nodes; k++)
    s->next[s->list[k]] = is_handle(s, r, s->list[k]);
  for (int k = all.nodes - 1; k > 0; k--) {
    const int x = s->list[k];
    s->next[other_end(s, s->parent[x], x)] += s->next[x];
    consider(best, 1 + s->out[x], (weight){s->size[x], s->next[x]}, all, 0, x);
  }
}

/* The node of the depth-first tree whose largest branch is smallest. */
static int middle_node(const lwi_splitter *s, int n)
{
  int best = s->list[0], least = n;
  for (int k = 0; k < n; k++)
    s->next[s->list[k]] = n - s->size[s->list[k]]; /* what lies inward */
  for (int k = 1; k < n; k++) {
    const int x = s->list[k], p = other_end(s, s->parent[x], x);
    if (s->size[x] > s->next[p]) s->next[p] = s->size[x];
  }
  for (int k = 0; k < n; k++)
    if (s->next[s->list[k]] < least) least = s->next[s->list[k]], best = s->list[k];
  return best;
}

/* ---- better cuts by moving nodes across ---- */

/* edges to the other side less edges to its own */
static int gain_of(const lwi_splitter *s, int r, int x)
{
  int gain = 0;
  for (int i = s->start[x]; i < s->start[x + 1]; i++) {
    const int y = other_end(s, s->adjacent[i], x);
    if (s->place[y] == r) gain += s->side[y] == s->side[x] ? -1 : 1;
  }
  return gain;
}

/* Moves one node after the other across the cut, always the one that gains most, also if it loses;
   then takes back what came after the best moment (the pass of Fiduccia and Mattheyses).  Only
   nodes beside the cut, a few moves, so that it costs less than finding the cut. */
static void refine(lwi_splitter *s, int r, int n)
{
  enum { MOVES = 24, MOST = 256 };
  int near[MOST], moved[MOVES] = {-1}, nnear = 0, total = 0, best = 0, length = 0, ones = 0;
  const int low = s->region[r].low, stamp = ++s->stamp;
  for (int k = 0; k < n; k++)
    ones += s->side[s->order[low + k]];
  for (int k = 0; k < n && nnear < MOST; k++) {
    const int x = s->order[low + k];
    for (int i = s->start[x]; i < s->start[x + 1]; i++) {
      const int y = other_end(s, s->adjacent[i], x);
      if (s->place[y] != r || s->side[y] == s->side[x]) continue;
      s->seen[x] = stamp;
      near[nnear++] = x;
      break;
    }
  }
  for (int k = 0; k < MOVES; k++) {
    int pick = -1, gain = 0;
    for (int i = 0; i < nnear; i++) { /* no side may lose more than a quarter of the nodes */
      const int x = near[i];
      if (x < 0) continue;
      const int after = ones + (s->side[x] ? -1 : 1);
      if (4 * after < n || 4 * (n - after) < n) continue;
      const int g = gain_of(s, r, x);
      if (pick < 0 || g > gain) pick = i, gain = g;
    }
    if (pick < 0) break;
    const int x = near[pick];
    near[pick] = -1 - x; /* once is enough */
    ones += s->side[x] ? -1 : 1;
    s->side[x] = !s->side[x];
    moved[k] = x;
    total += gain;
    if (total > best) best = total, length = k + 1;
    for (int i = s->start[x]; i < s->start[x + 1] && nnear < MOST; i++) {
      const int y = other_end(s, s->adjacent[i], x);
      if (s->place[y] != r || s->seen[y] == stamp) continue;
      s->seen[y] = stamp;
      near[nnear++] = y;
    }
    if (k + 1 < MOVES) moved[k + 1] = -1;
  }
  for (int k = length; k < MOVES && moved[k] >= 0; k++)
    s->side[moved[k]] = !s->side[moved[k]];
}

/* ---- making the parts ---- */

static int by_first_then_second(const void *a, const void *b)
{
  const int *x = a, *y = b;
  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

static int new_region(lwi_splitter *s, int low, int high, int path)
{
  s->region[s->nregion] = (lwi_region){.low = low, .high = high, .path = path};
  return s->nregion++;
}

/* Parts: connected sets of nodes with the same side, hub first if there is one, then by size. */
static void make_parts(lwi_splitter *s, int r, int hub)
{
  const int low = s->region[r].low, high = s->region[r].high, n = high - low;
  int *list = s->list, count = 0;
  /* components one after the other into list, their starts into size and next */
  int filled = 0, *first = s->size, *length = s->next;
  for (int k = 0; k < n; k++)
    s->parent[s->order[low + k]] = -1; /* not in a component yet */
  for (int k = -1; k < n; k++) {
    const int x = k < 0 ? hub : s->order[low + k];
    if (x < 0 || s->parent[x] >= 0) continue;
    first[count] = filled;
    length[count] = walk_breadth(s, r, x, s->side, list + filled);
    for (int i = 0; i < length[count]; i++)
      s->parent[list[filled + i]] = count;
    filled += length[count++];
  }
  /* in the order of joining: size, component */
  for (int k = 0; k < count; k++)
    s->pair[k][0] = k == 0 && hub >= 0 ? 0 : length[k], s->pair[k][1] = k;
  qsort(s->pair, (size_t)count, sizeof *s->pair, by_first_then_second);
  s->region[r].part = s->nregion;
  s->region[r].npart = count;
  int at = low;
  for (int k = 0; k < count; k++) {
    const int c = s->pair[k][1];
    for (int i = 0; i < length[c]; i++)
      s->order[at + i] = list[first[c] + i];
    new_region(s, at, at + length[c], 0);
    at += length[c];
  }
}

/* the edges between the parts, those among the first parts first */
static void list_crossings(lwi_splitter *s, int r)
{
  lwi_region *region = &s->region[r];
  for (int k = region->part; k < region->part + region->npart; k++)
    for (int i = s->region[k].low; i < s->region[k].high; i++)
      s->place[s->order[i]] = k;
  region->edge = s->ncrossing;
  int n = 0;
  for (int i = region->low; i < region->high; i++) {
    const int x = s->order[i];
    for (int k = s->start[x]; k < s->start[x + 1]; k++) {
      const int e = s->adjacent[k], y = other_end(s, e, x);
      const int a = s->place[x], b = s->place[y];
      if (s->from[e] != x || a == b || b < region->part || b >= region->part + region->npart)
        continue;
      s->pair[n][0] = a > b ? a : b;
      s->pair[n++][1] = e;
    }
  }
  qsort(s->pair, (size_t)n, sizeof *s->pair, by_first_then_second);
  for (int k = 0; k < n; k++)
    s->crossing[s->ncrossing++] = s->pair[k][1];
  region->nedge = n;
}

/* ---- one split ---- */

static void split_path(lwi_splitter *s, int r)
{
  const lwi_region whole = s->region[r];
  const int middle = whole.low + (whole.high - whole.low) / 2;
  s->region[r].part = s->nregion;
  s->region[r].npart = 2;
  new_region(s, whole.low, middle, 1);
  new_region(s, middle, whole.high, 1);
}

/* Is the breadth-first order in list, which starts at the rim, a path? */
static bool is_path(const lwi_splitter *s, int r, int n)
{
  for (int k = 0; k < n; k++) {
    int degree = 0;
    for (int i = s->start[s->list[k]]; i < s->start[s->list[k] + 1]; i++)
      degree += s->place[other_end(s, s->adjacent[i], s->list[k])] == r;
    if (degree != (k == 0 || k + 1 == n ? (n > 1) : 2)) return false;
  }
  return true;
}

static int edges_inside(const lwi_splitter *s, int r, int n)
{
  int ends = 0;
  for (int k = 0; k < n; k++) {
    const int x = s->order[s->region[r].low + k];
    for (int i = s->start[x]; i < s->start[x + 1]; i++)
      ends += s->place[other_end(s, s->adjacent[i], x)] == r;
  }
  return ends / 2;
}

static void split_graph(lwi_splitter *s, int r)
{
  const lwi_region whole = s->region[r];
  const int n = whole.high - whole.low;
  cut best = {.score = HUGE_VAL};
  /* from the rim: the last node of a walk from anywhere */
  walk_breadth(s, r, s->order[whole.low], NULL, s->list);
  walk_breadth(s, r, s->list[n - 1], NULL, s->list);
  if (is_path(s, r, n)) {
    for (int k = 0; k < n; k++)
      s->order[whole.low + k] = s->list[k];
    split_path(s, r);
    return;
  }
  weight all = {n, 0};
  for (int k = 0; k < n; k++)
    all.handles += is_handle(s, r, s->list[k]);
  try_prefixes(s, r, all, &best);
  for (int k = 0; k < n; k++)
    s->order[whole.low + k] = s->list[k]; /* keep the order: prefix counts refer to it */
  s->side[s->order[whole.low]] = 0;
  walk_depth(s, r, s->order[whole.low]);
  try_subtrees(s, r, all, &best);

  const bool unequal = all.handles < MANY_HANDLES && 8 * best.small < n;
  const int hub = unequal ? middle_node(s, n) : -1;
  if (hub < 0 && best.prefix == 0) { /* the subtree is contiguous in the depth-first list */
    const int low = s->side[best.subtree], high = low + s->size[best.subtree];
    for (int k = 0; k < n; k++)
      s->side[s->list[k]] = k >= low && k < high;
  } else {
    for (int k = 0; k < n; k++)
      s->side[s->order[whole.low + k]] = hub < 0 ? k < best.prefix : 1;
    if (hub >= 0) s->side[hub] = 0;
  }
  if (hub < 0 && edges_inside(s, r, n) >= n)
    refine(s, r, n); /* in a tree there is nothing to gain */
  make_parts(s, r, hub);
}

void lwi_split_region(lwi_splitter *s, int r)
{
  if (s->region[r].path)
    split_path(s, r);
  else
    split_graph(s, r);
  list_crossings(s, r);
}
