/* SPDX-License-Identifier: Apache-2.0 */
/* joint_orders.c -- what the numberings of the joints of a model cost. */
#include "cartesian/form/cartesian.h"
#include "cartesian/reduced/joint_graph.h"
#include "graph/order.h"
#include "linkwork/solvers.h"

#include <stdlib.h>

static const double most_pairs = 2e7;

static lw_status count_edges(const lw_undirected *g, lw_joint_orders *o)
{
  lwi_adjacency clean;
  const lw_status status = lwi_adjacency_new(g, &clean);
  if (status != LW_OK) return status;
  o->nodes = clean.n;
  o->edges = clean.n ? clean.start[clean.n] / 2 : 0;
  lwi_adjacency_free(&clean);
  return LW_OK;
}

static lw_status measure_orders(const lwi_descriptor_shape *s, lwi_arena *arena, lw_joint_orders *o)
{
  lwi_body_sets sets;
  lwi_joint_graph g;
  if (!lwi_body_sets_new(s, arena, &sets)) return LW_E_MEMORY;
  lw_status status = lwi_joint_graph_new(s, &sets, NULL, most_pairs, arena, &g);
  if (status == LW_OK) status = count_edges(&g.graph, o);
  o->forming = lwi_joint_graph_forming(s, &sets, NULL);
  int *order = status == LW_OK ? LWI_TAKE(arena, g.graph.nnode, int) : NULL;
  if (status == LW_OK && !order) status = LW_E_MEMORY;
  for (int m = 0; m < LW_ORDER_METHODS && status == LW_OK; m++) {
    status = lw_order_nodes(&g.graph, (lw_order_method)m, order);
    if (status == LW_OK) status = lw_order_cost_of(&g.graph, order, &o->cost[m]);
  }
  return status;
}

lw_status lw_joint_orders_of(const lw_model *m, lw_joint_orders *orders)
{
  if (!m || !orders) return LW_E_ARG;
  *orders = (lw_joint_orders){0};
  lw_error err = {0};
  lwi_arena arena = {0};
  lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
  if (!c) return err.status;
  const lwi_descriptor_report chosen = lwi_descriptor_describe(c->linear);
  orders->rows = lwi_descriptor_rows(&c->shape);
  orders->chosen = chosen.method;
  orders->hubs = chosen.hubs;
  orders->leaves_inward = chosen.forest;
  orders->multiplications = chosen.multiplications;
  orders->chosen_forming = chosen.forming;
  orders->weakest = chosen.weakest;
  orders->least = chosen.least;
  const lw_status status = measure_orders(&c->shape, &arena, orders);
  lwi_arena_free(&arena);
  lw_cartesian_free(c);
  return status;
}

/* ---- one numbering ---- */

static void fill_list(const lw_cartesian *c, const lwi_joint_graph *g, const int order[],
                      lw_numbered list[])
{
  for (int k = 0; k < g->graph.nnode; k++) {
    const int set = g->node[order[k]];
    list[k] = (lw_numbered){.rows = c->shape.row[set + 1] - c->shape.row[set]};
    for (int i = 1; i <= c->m->njoint && !list[k].joint.id; i++)
      if (c->joint_set[i] == set) list[k].joint.id = i;
    for (int i = 1; i <= c->m->nconstraint && !list[k].joint.id && !list[k].constraint.id; i++)
      if (c->constraint_set[i] == set) list[k].constraint.id = i;
  }
}

/* The largest distance of an entry of the matrix from its diagonal. */
static int find_row_bandwidth(const lwi_joint_graph *g, const int order[], const lw_numbered list[],
                              int place[], int first[])
{
  int row = 0, widest = 0;
  for (int k = 0; k < g->graph.nnode; k++) {
    place[order[k]] = k;
    first[k] = row;
    row += list[k].rows;
    if (list[k].rows - 1 > widest) widest = list[k].rows - 1;
  }
  for (int v = 0; v < g->graph.nnode; v++)
    for (int e = g->graph.start[v]; e < g->graph.start[v + 1]; e++) {
      const int a = place[v], b = place[g->graph.neighbour[e]]; /* each pair is listed once */
      const int low = a < b ? a : b, high = a < b ? b : a;
      const int distance = first[high] + list[high].rows - 1 - first[low];
      if (distance > widest) widest = distance;
    }
  return widest;
}

static lw_status number_joints(const lw_cartesian *c, lw_order_method method, lwi_arena *arena,
                               lw_numbered list[], int *n, lw_order_cost *cost, int *row_bandwidth)
{
  lwi_body_sets sets;
  lwi_joint_graph g;
  if (!lwi_body_sets_new(&c->shape, arena, &sets)) return LW_E_MEMORY;
  lw_status status = lwi_joint_graph_new(&c->shape, &sets, NULL, most_pairs, arena, &g);
  int *order = status == LW_OK ? LWI_TAKE(arena, 3 * g.graph.nnode, int) : NULL;
  if (status == LW_OK && !order) status = LW_E_MEMORY;
  if (status == LW_OK) status = lw_order_nodes(&g.graph, method, order);
  if (status == LW_OK && cost) status = lw_order_cost_of(&g.graph, order, cost);
  if (status != LW_OK) return status;
  *n = g.graph.nnode;
  fill_list(c, &g, order, list);
  if (row_bandwidth)
    *row_bandwidth = find_row_bandwidth(&g, order, list, order + *n, order + 2 * *n);
  return LW_OK;
}

lw_status lw_joint_numbering(const lw_model *m, lw_order_method method, lw_numbered list[], int *n,
                             lw_order_cost *cost, int *row_bandwidth)
{
  if (!m || !list || !n || (int)method < 0 || method >= LW_ORDER_METHODS) return LW_E_ARG;
  lw_error err = {0};
  lwi_arena arena = {0};
  lw_cartesian *c = lw_cartesian_new(m, NULL, &err);
  if (!c) return err.status;
  const lw_status status = number_joints(c, method, &arena, list, n, cost, row_bandwidth);
  lwi_arena_free(&arena);
  lw_cartesian_free(c);
  return status;
}
