/* SPDX-License-Identifier: Apache-2.0 */
/* order_gibbs.c -- [Gibbs1976] and its variant with King's numbering, as in [Lewis1982]: levels
   that are narrow seen from both ends of a pseudo-diameter, then the nodes level by level. */
#include "graph/order.h"

#include <stdlib.h>

typedef struct {
  const lwi_adjacency *g;
  lwi_levels a, b;
  int *level;        /* [n] the levels in the end, those of one component after those of another */
  int nlevel;        /* of the components so far */
  int *count;        /* [n + 1] nodes per level */
  int *more;         /* [n + 1] nodes per level that a part would add */
  int *part, *queue; /* [n] nodes by part; scratch */
  int *part_start;   /* [n + 1] */
} finder;

/* ---- levels ---- */

static int level_from_far_end(const finder *f, int v)
{
  return f->a.nlevel - 1 - f->b.level[v];
}

/* Connected parts of the nodes whose level is undecided (level -1); part p is
   part[part_start[p] .. part_start[p+1]-1].  Returns how many. */
static int find_parts(finder *f)
{
  int npart = 0, n = 0;
  for (int k = 0; k < f->a.nnode; k++) {
    const int v = f->a.node[k];
    if (f->level[v] != -1) continue;
    f->part_start[npart++] = n;
    f->part[n++] = v;
    f->level[v] = -2;
    for (int j = n - 1; j < n; j++)
      for (int i = f->g->start[f->part[j]]; i < f->g->start[f->part[j] + 1]; i++)
        if (f->level[f->g->neighbour[i]] == -1) {
          f->level[f->g->neighbour[i]] = -2;
          f->part[n++] = f->g->neighbour[i];
        }
  }
  f->part_start[npart] = n;
  return npart;
}

/* the widest level that a part touches, if its nodes get these levels */
static int width_with(finder *f, int p, bool far)
{
  int width = 0;
  for (int k = f->part_start[p]; k < f->part_start[p + 1]; k++) {
    const int v = f->part[k], l = far ? level_from_far_end(f, v) : f->a.level[v];
    const int w = f->count[l] + ++f->more[l];
    if (w > width) width = w;
  }
  for (int k = f->part_start[p]; k < f->part_start[p + 1]; k++) {
    const int v = f->part[k];
    f->more[far ? level_from_far_end(f, v) : f->a.level[v]] = 0;
  }
  return width;
}

static void place_part(finder *f, int p)
{
  const int near = width_with(f, p, false), far = width_with(f, p, true);
  const bool use_far = far < near || (far == near && f->b.width < f->a.width);
  for (int k = f->part_start[p]; k < f->part_start[p + 1]; k++) {
    const int v = f->part[k];
    f->level[v] = use_far ? level_from_far_end(f, v) : f->a.level[v];
    f->count[f->level[v]]++;
  }
}

/* large parts first: sorted by size, with one list per size */
static void place_parts(finder *f, int npart)
{
  int *head = f->queue, *next = f->count + f->g->n + 1; /* next: [n] after count */
  int largest = 0;
  for (int p = 0; p < npart; p++) {
    const int size = f->part_start[p + 1] - f->part_start[p];
    for (; largest < size; largest++)
      head[largest] = -1;
    next[p] = head[size - 1];
    head[size - 1] = p;
  }
  for (int size = largest; size > 0; size--)
    for (int p = head[size - 1]; p >= 0; p = next[p])
      place_part(f, p);
}

static void find_levels(finder *f, int from)
{
  const int root = lwi_levels_ends(f->g, from, &f->a, &f->b);
  const int end = f->b.node[0];
  for (int l = 0; l < f->a.nlevel; l++)
    f->count[l] = 0;
  for (int k = 0; k < f->a.nnode; k++) {
    const int v = f->a.node[k];
    /* a search that stopped early may have left ends of different depth: then one side decides */
    const bool agreed = f->a.nlevel != f->b.nlevel || f->a.level[v] == level_from_far_end(f, v);
    f->level[v] = agreed ? f->a.level[v] : -1;
    if (agreed) f->count[f->a.level[v]]++;
  }
  place_parts(f, find_parts(f));
  /* from the end of lower degree */
  const bool turn = lwi_degree(f->g, end) < lwi_degree(f->g, root);
  for (int k = 0; k < f->a.nnode; k++) {
    const int v = f->a.node[k], l = f->level[v];
    f->level[v] = f->nlevel + (turn ? f->a.nlevel - 1 - l : l);
  }
  f->nlevel += f->a.nlevel;
}

/* ---- numbering ---- */

/* nodes by level, in each by rising degree: two counting sorts */
static void sort_by_level(const finder *f, int *start, int *sorted, int *scratch)
{
  const lwi_adjacency *g = f->g;
  int *by_degree = scratch, *first = scratch + g->n;
  for (int i = 0; i <= g->n; i++)
    first[i] = start[i] = 0;
  for (int v = 0; v < g->n; v++)
    first[lwi_degree(g, v) + 1]++;
  for (int d = 0; d < g->n; d++)
    first[d + 1] += first[d];
  for (int v = 0; v < g->n; v++)
    by_degree[first[lwi_degree(g, v)]++] = v;

  for (int v = 0; v < g->n; v++)
    start[f->level[v] + 1]++;
  for (int l = 0; l < g->n; l++) {
    start[l + 1] += start[l];
    first[l] = start[l];
  }
  for (int k = 0; k < g->n; k++)
    sorted[first[f->level[by_degree[k]]]++] = by_degree[k];
}

typedef struct {
  const finder *f;
  int *order, n;
  bool *done; /* [n] */
} numbering;

static void take_neighbours(numbering *m, int v, int level)
{
  const lwi_adjacency *g = m->f->g;
  for (int i = g->start[v]; i < g->start[v + 1]; i++) {
    const int w = g->neighbour[i];
    if (m->done[w] || m->f->level[w] != level) continue;
    m->done[w] = true;
    m->order[m->n++] = w;
  }
}

/* [Gibbs1976] algorithm III: what hangs on the level before in its order, what hangs on that, the
   rest */
static void number_level(numbering *m, int level, int before, const int *node, int n)
{
  const int begin = m->n;
  for (int k = before; k < begin; k++)
    take_neighbours(m, m->order[k], level);
  for (int k = begin, i = 0; m->n - begin < n;) {
    for (; k < m->n; k++)
      take_neighbours(m, m->order[k], level);
    while (i < n && m->done[node[i]])
      i++;
    if (i == n) break;
    m->done[node[i]] = true;
    m->order[m->n++] = node[i];
  }
}

/* ---- King's numbering: next comes who brings the fewest new nodes into the front ---- */

typedef struct {
  const finder *f;
  int *head, *tail, *next, *prev; /* [n + 2], [n + 2], [n], [n]: lists by key */
  int *key;                       /* [n] new nodes that it would bring, itself included */
  bool *front, *listed;           /* [n] */
  int lowest;
} king;

static void unlist(king *x, int v)
{
  const int k = x->key[v], p = x->prev[v], s = x->next[v];
  if (p >= 0)
    x->next[p] = s;
  else
    x->head[k] = s;
  if (s >= 0)
    x->prev[s] = p;
  else
    x->tail[k] = p;
}

static void list(king *x, int v)
{
  const int k = x->key[v];
  x->next[v] = -1;
  x->prev[v] = x->tail[k];
  if (x->tail[k] >= 0)
    x->next[x->tail[k]] = v;
  else
    x->head[k] = v;
  x->tail[k] = v;
  if (k < x->lowest) x->lowest = k;
}

static void lower_key(king *x, int v)
{
  if (x->listed[v]) unlist(x, v);
  x->key[v]--;
  if (x->listed[v]) list(x, v);
}

static void enter_front(king *x, int v)
{
  const lwi_adjacency *g = x->f->g;
  if (x->front[v]) return;
  x->front[v] = true;
  lower_key(x, v);
  for (int i = g->start[v]; i < g->start[v + 1]; i++)
    lower_key(x, g->neighbour[i]);
}

static int take_lowest(king *x)
{
  while (x->head[x->lowest] < 0)
    x->lowest++;
  const int v = x->head[x->lowest];
  unlist(x, v);
  x->listed[v] = false;
  return v;
}

static void king_level(king *x, const int *node, int n, int *order)
{
  const lwi_adjacency *g = x->f->g;
  x->lowest = g->n + 1;
  for (int i = 0; i < n; i++) {
    x->listed[node[i]] = true;
    list(x, node[i]);
  }
  for (int k = 0; k < n; k++) {
    const int v = take_lowest(x);
    order[k] = v;
    enter_front(x, v);
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      enter_front(x, g->neighbour[i]);
  }
}

/* ---- both ---- */

static void turn_if_better(const lwi_adjacency *g, int order[], int *reversed, int *place)
{
  for (int k = 0; k < g->n; k++)
    reversed[k] = order[g->n - 1 - k];
  if (lwi_order_work(g, reversed, place) >= lwi_order_work(g, order, place)) return;
  for (int k = 0; k < g->n; k++)
    order[k] = reversed[k];
}

static void number(const finder *f, bool by_king, int order[], int *scratch, bool *flags)
{
  const size_t n = (size_t)f->g->n;
  int *start = scratch, *sorted = start + n + 1, *head = sorted + n, *tail = head + n + 2;
  int *next = tail + n + 2, *prev = next + n, *key = prev + n;
  sort_by_level(f, start, sorted, head);
  numbering m = {.f = f, .order = order, .done = flags};
  king x = {.f = f, .head = head, .tail = tail, .next = next, .prev = prev, .key = key};
  x.front = flags;
  x.listed = flags + n;
  for (int k = 0; k < f->g->n + 2; k++)
    head[k] = tail[k] = -1;
  for (int v = 0; v < f->g->n; v++)
    key[v] = lwi_degree(f->g, v) + 1;
  for (int l = 0, before = 0; l < f->nlevel; l++) {
    const int *node = sorted + start[l], count = start[l + 1] - start[l];
    if (by_king)
      king_level(&x, node, count, order + start[l]);
    else
      number_level(&m, l, before, node, count);
    before = start[l];
  }
  turn_if_better(f->g, order, sorted, head);
}

static finder new_finder(const lwi_adjacency *g, int *at)
{
  const size_t n = (size_t)g->n;
  finder f = {.g = g};
  f.a = (lwi_levels){.node = at, .start = at + n, .level = at + 2 * n + 1};
  at += 3 * n + 1;
  f.b = (lwi_levels){.node = at, .start = at + n, .level = at + 2 * n + 1};
  f.level = at + 3 * n + 1;
  f.count = f.level + n; /* place_parts uses n more after these n + 1 */
  f.more = f.count + 2 * n + 1;
  f.part = f.more + n + 1;
  f.queue = f.part + n;
  f.part_start = f.queue + n;
  for (int v = 0; v < g->n; v++) {
    f.a.level[v] = f.b.level[v] = -1;
    f.more[v] = 0;
  }
  return f;
}

bool lwi_order_gibbs(const lwi_adjacency *g, bool by_king, int order[])
{
  const size_t n = (size_t)g->n;
  int *scratch = malloc((20 * n + 20) * sizeof *scratch); /* 13 n + 5 to find, 7 n + 5 to number */
  bool *flags = calloc(2 * n + 1, sizeof *flags);
  if (scratch && flags) {
    finder f = new_finder(g, scratch);
    for (int v = 0; v < g->n; v++)
      if (f.a.level[v] == -1) find_levels(&f, v);
    number(&f, by_king, order, scratch + 13 * n + 5, flags);
  }
  const bool done = scratch && flags;
  free(scratch);
  free(flags);
  return done;
}
