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
  const lw_status status = measure_orders(&c->shape, &arena, orders);
  lwi_arena_free(&arena);
  lw_cartesian_free(c);
  return status;
}
