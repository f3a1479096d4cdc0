/* SPDX-License-Identifier: Apache-2.0 */
/* joint_graph.c -- builds the graph of the reduced matrix B = Phi M^-1 Phi^T: sets of rows, their
   neighbours, and hubs [Serban1997], section 4 (joint_graph.h). */
#include "cartesian/reduced/joint_graph.h"

#include <stdlib.h>

static int rows_of(const lwi_descriptor_shape *s, int k)
{
  return s->row[k + 1] - s->row[k];
}

bool lwi_body_sets_new(const lwi_descriptor_shape *s, lwi_arena *arena, lwi_body_sets *b)
{
  const int n = s->nset ? s->touch[s->nset] : 0;
  b->start = LWI_TAKE(arena, s->nbody + 1, int);
  b->touched = LWI_TAKE(arena, n, int);
  b->set = LWI_TAKE(arena, n, int);
  if (!b->start || !b->touched || !b->set) return false;
  for (int k = 0; k < s->nset; k++)
    for (int i = s->touch[k]; i < s->touch[k + 1]; i++) {
      b->set[i] = k;
      if (rows_of(s, k) > 0) b->start[s->body[i] + 1]++;
    }
  for (int i = 0; i < s->nbody; i++)
    b->start[i + 1] += b->start[i];
  for (int i = 0; i < n; i++)
    if (rows_of(s, b->set[i]) > 0) b->touched[b->start[s->body[i]]++] = i;
  for (int i = s->nbody; i > 0; i--)
    b->start[i] = b->start[i - 1];
  b->start[0] = 0;
  return true;
}

double lwi_joint_graph_forming(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                               const bool hub[])
{
  double sum = 0;
  for (int i = 0; i < s->nbody; i++) {
    double rows = 0;
    for (int e = b->start[i]; e < b->start[i + 1]; e++)
      rows += rows_of(s, b->set[b->touched[e]]);
    /* Phi M^-1 of each row, and one triangle of the products */
    if (!hub || !hub[i]) sum += rows * (s->width == 6 ? 12 : 3) + s->width * rows * (rows + 1) / 2;
  }
  return sum;
}

/* ---- the graph ---- */

static lw_status number_nodes(const lwi_descriptor_shape *s, const bool hub[], lwi_arena *arena,
                              lwi_joint_graph *g)
{
  int n = 0, *weight = LWI_TAKE(arena, s->nset + s->nbody, int);
  g->set_node = LWI_TAKE(arena, s->nset, int);
  g->hub_node = LWI_TAKE(arena, s->nbody, int);
  g->node = LWI_TAKE(arena, s->nset + s->nbody, int);
  if (!weight || !g->set_node || !g->hub_node || !g->node) return LW_E_MEMORY;
  for (int k = 0; k < s->nset; k++) {
    g->set_node[k] = rows_of(s, k) > 0 ? n : -1;
    if (rows_of(s, k) == 0) continue;
    weight[n] = rows_of(s, k);
    g->node[n++] = k;
  }
  g->nset_node = n;
  for (int i = 0; i < s->nbody; i++) {
    g->hub_node[i] = hub && hub[i] ? n : -1;
    if (g->hub_node[i] < 0) continue;
    weight[n] = s->width;
    g->node[n++] = i;
  }
  g->graph = (lw_undirected){.nnode = n, .weight = weight};
  return LW_OK;
}

/* every edge from one end: of two sets the one that comes later in the list of a body; hubs */
static void list_neighbours(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                            lwi_joint_graph *g, int *start, int *neighbour)
{
  for (int i = 0; i < s->nbody; i++)
    for (int e = b->start[i]; e < b->start[i + 1]; e++) {
      const int v = g->set_node[b->set[b->touched[e]]];
      if (g->hub_node[i] >= 0) {
        if (neighbour) neighbour[start[v]] = g->hub_node[i];
        start[v]++;
        continue;
      }
      for (int d = b->start[i]; d < e; d++) {
        if (neighbour) neighbour[start[v]] = g->set_node[b->set[b->touched[d]]];
        start[v]++;
      }
    }
}

static double count_pairs(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                          const lwi_joint_graph *g)
{
  double n = 0;
  for (int i = 0; i < s->nbody; i++) {
    const double k = b->start[i + 1] - b->start[i];
    n += g->hub_node[i] >= 0 ? k : k * (k - 1) / 2;
  }
  return n;
}

lw_status lwi_joint_graph_nodes(const lwi_descriptor_shape *s, lwi_arena *arena, lwi_joint_graph *g)
{
  return number_nodes(s, NULL, arena, g);
}

lw_status lwi_joint_graph_new(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                              const bool hub[], double most, lwi_arena *arena, lwi_joint_graph *g)
{
  lw_status status = number_nodes(s, hub, arena, g);
  if (status != LW_OK) return status;
  const double pairs = count_pairs(s, b, g);
  if (pairs > most) return LW_E_UNSUPPORTED; /* too large to be tried */
  int *start = LWI_TAKE(arena, g->graph.nnode + 1, int), *neighbour = LWI_TAKE(arena, pairs, int);
  if (!start || !neighbour) return LW_E_MEMORY;
  list_neighbours(s, b, g, start, NULL);
  int at = 0;
  for (int v = 0; v <= g->graph.nnode; v++) {
    const int n = start[v];
    start[v] = at;
    at += n;
  }
  list_neighbours(s, b, g, start, neighbour);
  for (int v = g->graph.nnode; v > 0; v--)
    start[v] = start[v - 1];
  start[0] = 0;
  g->graph.start = start;
  g->graph.neighbour = neighbour;
  return LW_OK;
}

/* ---- forests ---- */

typedef struct {
  const lwi_descriptor_shape *s;
  const lwi_body_sets *b;
  int *queue, *carrier; /* [nbody] bodies outward; the set that carries each, -1: none */
  bool *met;            /* [nbody] */
  int n;
} walker;

static bool touches_ground(const walker *w, int k)
{
  return w->s->touch[k + 1] - w->s->touch[k] == 1;
}

static void enter(walker *w, int body, int by)
{
  w->met[body] = true;
  w->carrier[body] = by;
  w->queue[w->n++] = body;
}

/* Bodies from `at` in the queue outward; false: a ring. */
static bool walk(walker *w, int at)
{
  const lwi_descriptor_shape *s = w->s;
  for (; at < w->n; at++) {
    const int i = w->queue[at];
    for (int e = w->b->start[i]; e < w->b->start[i + 1]; e++) {
      const int k = w->b->set[w->b->touched[e]];
      if (k == w->carrier[i]) continue;
      if (touches_ground(w, k)) return false;
      const int first = s->touch[k],
                other = s->body[first] == i ? s->body[first + 1] : s->body[first];
      if (w->met[other]) return false;
      enter(w, other, k);
    }
  }
  return true;
}

/* from the ground, then what floats */
static bool walk_all(walker *w)
{
  const lwi_descriptor_shape *s = w->s;
  for (int k = 0; k < s->nset; k++)
    if (rows_of(s, k) > 0 && (s->touch[k + 1] - s->touch[k] > 2 || s->touch[k + 1] == s->touch[k]))
      return false;
  for (int k = 0; k < s->nset; k++) {
    if (rows_of(s, k) == 0 || !touches_ground(w, k)) continue;
    if (w->met[s->body[s->touch[k]]]) return false;
    enter(w, s->body[s->touch[k]], k);
    if (!walk(w, w->n - 1)) return false;
  }
  for (int i = 0; i < s->nbody; i++) {
    if (w->met[i]) continue;
    enter(w, i, -1);
    if (!walk(w, w->n - 1)) return false;
  }
  return true;
}

bool lwi_joint_graph_leaf_order(const lwi_descriptor_shape *s, const lwi_body_sets *b,
                                const lwi_joint_graph *g, lwi_arena *arena, int order[],
                                lw_status *status)
{
  walker w = {.s = s, .b = b, .queue = LWI_TAKE(arena, s->nbody, int)};
  w.carrier = LWI_TAKE(arena, s->nbody, int);
  w.met = LWI_TAKE(arena, s->nbody, bool);
  *status = w.queue && w.carrier && w.met ? LW_OK : LW_E_MEMORY;
  if (*status != LW_OK || !walk_all(&w)) return false;
  int n = 0;
  for (int k = w.n - 1; k >= 0; k--) {
    const int i = w.queue[k];
    if (g->hub_node[i] >= 0) order[n++] = g->hub_node[i];
    if (w.carrier[i] >= 0) order[n++] = g->set_node[w.carrier[i]];
  }
  return true;
}
