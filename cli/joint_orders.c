/* SPDX-License-Identifier: Apache-2.0 */
/* joint_orders.c -- inspect: the joint graph, and what its numberings cost. */
#include "inspect.h"

static const char *const too_large = "too many joints on one body to list the pairs";

void print_chosen_order(const lw_joint_orders *o)
{
  printf("  chosen: %s",
         o->leaves_inward ? "from the leaves inward" : lw_order_method_name(o->chosen));
  if (o->hubs)
    printf(", with the accelerations of %d bod%s as unknowns", o->hubs, o->hubs == 1 ? "y" : "ies");
  printf(", %.6g multiplications; forming the matrix takes %.6g, that of all joints %.6g\n",
         o->multiplications, o->chosen_forming, o->forming);
  if (o->least > 0)
    printf(
        "  not %.6g multiplications by the reduced matrix alone: at the start its pivots fall to "
        "%.2g of their rows, and digits would be lost\n",
        o->least, o->weakest);
}

void print_joint_orders(const inspection *s)
{
  const lw_joint_orders o = s->orders;
  if (!s->ordered) {
    printf("\njoint graph: %s\n", too_large);
    return;
  }
  if (o.nodes < 2) return;
  printf("\njoint graph: %d nodes (joints and constraints), %d edges (pairs on one body), %d "
         "equations\n"
         "  %-24s %9s %9s %10s %10s %15s\n",
         o.nodes, o.edges, o.rows, "numbering", "bandwidth", "envelope", "work", "fill",
         "multiplications");
  for (int i = 0; i < LW_ORDER_METHODS; i++)
    printf("  %-24s %9d %9.0f %10.6g %10.6g %15.6g\n", lw_order_method_name((lw_order_method)i),
           o.cost[i].bandwidth, (double)o.cost[i].envelope, o.cost[i].work, o.cost[i].fill,
           o.cost[i].factor_multiplications);
  print_chosen_order(&o);
}

static void json_cost(json *j, const char *name, const lw_order_cost *c)
{
  json_object(j, name);
  json_integer(j, "bandwidth", c->bandwidth);
  json_integer(j, "envelope", (long)c->envelope);
  json_number(j, "work", c->work);
  json_number(j, "fill", c->fill);
  json_number(j, "factor_entries", c->factor_entries);
  json_number(j, "multiplications", c->factor_multiplications);
  json_number(j, "envelope_multiplications", c->envelope_multiplications);
  json_object_end(j);
}

void json_joint_orders(json *j, const inspection *s)
{
  const lw_joint_orders o = s->orders;
  if (!s->ordered) return;
  json_object(j, "joint_graph");
  json_integer(j, "nodes", o.nodes);
  json_integer(j, "edges", o.edges);
  json_integer(j, "equations", o.rows);
  json_object(j, "numberings");
  for (int i = 0; i < LW_ORDER_METHODS; i++)
    json_cost(j, lw_order_method_name((lw_order_method)i), &o.cost[i]);
  json_object_end(j);
  json_object(j, "chosen");
  json_text(j, "numbering", o.leaves_inward ? "leaves-inward" : lw_order_method_name(o.chosen));
  json_integer(j, "hubs", o.hubs);
  json_number(j, "multiplications", o.multiplications);
  json_number(j, "forming", o.chosen_forming);
  json_number(j, "weakest_pivot", o.weakest);
  json_number(j, "given_up", o.least);
  json_object_end(j);
  json_number(j, "forming", o.forming);
  json_object_end(j);
}
