/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_choice.c -- chooses the numbering of the reduced system and its hubs by the cost of the
   factorisation [Serban1997] (reduced_choice.h). */
#include "cartesian/reduced/reduced_choice.h"
#include "graph/union_find.h"

#include <math.h>
#include <string.h>

/* Rows at one body from which it pays to look at it as a hub, and from which it has to be one: B
   then would be too large. */
enum { HUB_WORTH = 4, HUB_MUST = 600 };
static const double most_pairs = 1e8;

/* ---- which bodies become hubs ---- */

static int rows_at(const lwi_choice *c, int body)
{
  int n = 0;
  for (int e = c->sets.start[body]; e < c->sets.start[body + 1]; e++) {
    const int k = c->sets.set[c->sets.touched[e]];
    n += c->s->row[k + 1] - c->s->row[k];
  }
  return n;
}

/* group[i]: the lowest body of the part of the system that body i belongs to */
static void find_groups(const lwi_descriptor_shape *s, int *group, bool *grounded)
{
  for (int i = 0; i < s->nbody; i++)
    group[i] = i;
  for (int k = 0; k < s->nset; k++)
    for (int e = s->touch[k] + 1; s->row[k + 1] > s->row[k] && e < s->touch[k + 1]; e++) {
      const int a = lwi_sets_find(group, s->body[e - 1]), b = lwi_sets_find(group, s->body[e]);
      group[a > b ? a : b] = a > b ? b : a;
    }
  for (int k = 0; k < s->nset; k++)
    if (s->row[k + 1] > s->row[k] && s->touch[k + 1] - s->touch[k] == 1)
      grounded[lwi_sets_find(group, s->body[s->touch[k]])] = true;
}

/* Without hubs the factors exist wherever rows are independent; with hubs where they are with the
   hubs held still.  That is so with one hub in each part that floats, since holding one body of it
   only takes away its motion as a whole, which no row sees.  Elsewhere only where there is no other
   way. In a forest from the leaves inward every body that carries others may be one: this is the
   articulated-body recursion, and loses no digits however long the chain. */
static bool choose_hubs(lwi_choice *c)
{
  const lwi_descriptor_shape *s = c->s;
  c->hub = LWI_TAKE(&c->arena, s->nbody, bool);
  int *group = LWI_TAKE(&c->arena, s->nbody, int), *best = LWI_TAKE(&c->arena, s->nbody, int);
  bool *grounded = LWI_TAKE(&c->arena, s->nbody, bool);
  if (!c->hub || !group || !best || !grounded) return false;
  find_groups(s, group, grounded);
  for (int i = 0; i < s->nbody; i++) {
    const int n = rows_at(c, i), part = lwi_sets_find(group, i);
    const int touching = c->sets.start[i + 1] - c->sets.start[i];
    c->hub[i] = c->forest ? touching > 1 : n > HUB_MUST;
    if (!c->forest && !grounded[part] && n >= HUB_WORTH * s->width &&
        (!best[part] || n > rows_at(c, best[part] - 1)))
      best[part] = i + 1;
  }
  for (int i = 0; i < s->nbody; i++)
    if (best[i]) c->hub[best[i] - 1] = true;
  return true;
}

static bool is_articulated(const lwi_choice *c)
{
  for (int i = 0; i < c->s->nbody; i++)
    if (c->sets.start[i + 1] - c->sets.start[i] > 1 && !(c->hub && c->hub[i])) return false;
  return c->forest;
}

static bool has_hubs(const lwi_choice *c)
{
  for (int i = 0; c->hub && i < c->s->nbody; i++)
    if (c->hub[i]) return true;
  return false;
}

/* ---- numbering ---- */

/* Sets that touch hubs alone have nothing on the diagonal until a hub is gone: they come after. */
static bool put_hubs_first(lwi_choice *c)
{
  const lwi_descriptor_shape *s = c->s;
  const int n = c->graph.graph.nnode;
  int *late = LWI_TAKE(&c->arena, n, int), *order = LWI_TAKE(&c->arena, n, int), m = 0;
  if (!late || !order) return false;
  for (int v = 0; v < c->graph.nset_node; v++) {
    const int k = c->graph.node[v];
    late[v] = s->touch[k + 1] > s->touch[k];
    for (int e = s->touch[k]; e < s->touch[k + 1]; e++)
      late[v] = late[v] && c->hub && c->hub[s->body[e]];
  }
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++)
      if (late[c->order[i]] == pass) order[m++] = c->order[i];
  memcpy(c->order, order, (size_t)n * sizeof *order);
  return true;
}

/* The order of least counted work; all that are narrow only in small systems. */
static lw_status choose_order(lwi_choice *c)
{
  const lw_undirected *g = &c->graph.graph;
  const bool small = g->nnode <= 20000;
  int *trial = LWI_TAKE(&c->arena, g->nnode, int);
  lw_status status = trial ? LW_OK : LW_E_MEMORY;
  c->work = HUGE_VAL;
  for (int m = 0; m < LW_ORDER_METHODS && status == LW_OK; m++) {
    if (!small && m != LW_ORDER_MINIMUM_DEGREE && m != LW_ORDER_PERFECT) continue;
    lw_order_cost cost;
    status = lw_order_nodes(g, (lw_order_method)m, trial);
    if (status == LW_OK) status = lw_order_cost_of(g, trial, &cost);
    if (status != LW_OK || cost.factor_multiplications >= c->work) continue;
    c->work = cost.factor_multiplications;
    c->entries = cost.factor_entries;
    c->method = (lw_order_method)m;
    memcpy(c->order, trial, (size_t)g->nnode * sizeof *trial);
  }
  if (status == LW_OK && has_hubs(c) && !put_hubs_first(c)) status = LW_E_MEMORY;
  return status;
}

static lw_status take_order(lwi_choice *c, const int given[])
{
  const lw_undirected *g = &c->graph.graph;
  lw_order_cost cost = {0};
  int n = 0;
  for (int k = 0; k < c->s->nset; k++) {
    if (given[k] < 0 || given[k] >= c->s->nset) return LW_E_ARG;
    if (c->graph.set_node[given[k]] < 0) continue;
    if (n == g->nnode) return LW_E_ARG;
    c->order[n++] = c->graph.set_node[given[k]];
  }
  c->method = LW_ORDER_METHODS;
  const lw_status status = n == g->nnode ? lw_order_cost_of(g, c->order, &cost) : LW_E_ARG;
  c->work = cost.factor_multiplications;
  c->entries = cost.factor_entries;
  return status;
}

static lw_status make_choice(lwi_choice *c, const lwi_descriptor_shape *s, const int given[],
                             bool hubs)
{
  lw_status status;
  c->s = s;
  if (!lwi_body_sets_new(s, &c->arena, &c->sets)) return LW_E_MEMORY;
  /* a forest is found without hubs, which costs too much only where there are large ones */
  lwi_joint_graph bare = {0};
  int *leaves = LWI_TAKE(&c->arena, s->nset + s->nbody, int);
  bare.set_node = LWI_TAKE(&c->arena, s->nset, int);
  bare.hub_node = LWI_TAKE(&c->arena, s->nbody, int);
  if (!leaves || !bare.set_node || !bare.hub_node) return LW_E_MEMORY;
  c->forest = lwi_joint_graph_leaf_order(s, &c->sets, &bare, &c->arena, leaves, &status);
  if (status == LW_OK && hubs && !choose_hubs(c)) status = LW_E_MEMORY;
  if (status == LW_OK)
    status = lwi_joint_graph_new(s, &c->sets, c->hub, most_pairs, &c->arena, &c->graph);
  if (status != LW_OK) return status;
  c->order = LWI_TAKE(&c->arena, c->graph.graph.nnode, int);
  if (!c->order) return LW_E_MEMORY;
  c->forming = lwi_joint_graph_forming(s, &c->sets, c->hub);
  c->articulated = is_articulated(c);
  if (given) return take_order(c, given);
  if (!c->forest) return choose_order(c);
  c->method = LW_ORDER_PERFECT;
  lwi_joint_graph_leaf_order(s, &c->sets, &c->graph, &c->arena, c->order, &status);
  lw_order_cost cost = {0};
  if (status == LW_OK) status = lw_order_cost_of(&c->graph.graph, c->order, &cost);
  c->work = cost.factor_multiplications;
  c->entries = cost.factor_entries;
  return status;
}

/* Multiplications of the factorisation; of as many, those that take less to form. */
static bool is_less(const lwi_choice *a, const lwi_choice *b)
{
  return a->work < b->work || (a->work == b->work && a->forming < b->forming);
}

lw_status lwi_choose(lwi_choice *best, const lwi_descriptor_shape *s, const int given[],
                     lwi_hub_rule hubs)
{
  lwi_choice with = {0};
  if (hubs == LWI_HUBS_IN_TREES) return make_choice(best, s, given, true);
  lw_status status = make_choice(best, s, given, false);
  if (hubs == LWI_HUBS_NONE || given) return status;
  const lw_status other = make_choice(&with, s, NULL, true);
  if (other == LW_OK && has_hubs(&with) && (status != LW_OK || is_less(&with, best))) {
    const lwi_choice t = *best;
    *best = with;
    with = t;
    status = LW_OK;
  }
  lwi_arena_free(&with.arena);
  return other == LW_E_MEMORY ? other : status;
}

lw_status lwi_choose_nothing(lwi_choice *c, const lwi_descriptor_shape *s)
{
  c->s = s;
  c->method = LW_ORDER_METHODS;
  if (!lwi_body_sets_new(s, &c->arena, &c->sets)) return LW_E_MEMORY;
  return lwi_joint_graph_nodes(s, &c->arena, &c->graph);
}
