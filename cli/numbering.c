/* SPDX-License-Identifier: Apache-2.0 */
/* numbering.c -- inspect --numbering: the joints in the order of a numbering, and what it costs. */
#include "inspect.h"
#include "linkwork/order.h"
#include "linkwork/query.h"

#include <stdlib.h>
#include <string.h>

int read_numbering(inspection *s)
{
  const char *name = args_text(s->a, "numbering");
  s->numbering = LW_ORDER_METHODS;
  if (!name || strcmp(name, "all") == 0) return CLI_DONE;
  s->numbering = lw_find_order_method(name);
  if (s->numbering != LW_ORDER_METHODS) return CLI_DONE;
  return usage_error(s->a->verb,
                     "there is no numbering \"%s\": all, natural, rcm, gps, gibbs-king, sloan, "
                     "search, amd, nd or perfect",
                     name);
}

static const char *part_name(const lw_model *m, const lw_numbered *x)
{
  if (x->joint.id) return lw_get_joint(m, x->joint).name;
  return x->constraint.id ? lw_get_constraint(m, x->constraint).name : "lock";
}

static void print_one(const inspection *s, lw_order_method method, const lw_numbered list[], int n,
                      const lw_order_cost *c, int row_bandwidth)
{
  printf("%s: %s\n ", lw_order_method_name(method), lw_order_method_text(method));
  for (int i = 0; i < n; i++)
    printf(" %s", show(part_name(s->m, &list[i])).text);
  printf("\n  bandwidth %d blocks, %d equations; envelope %lld; work %.6g; fill %.6g; "
         "%.6g multiplications in an envelope, %.6g sparse\n",
         c->bandwidth, row_bandwidth, (long long)c->envelope, c->work, c->fill,
         c->envelope_multiplications, c->factor_multiplications);
}

static void json_one(json *j, const inspection *s, lw_order_method method, const lw_numbered list[],
                     int n, const lw_order_cost *c, int row_bandwidth)
{
  json_object(j, lw_order_method_name(method));
  json_list(j, "order");
  for (int i = 0; i < n; i++)
    json_name(j, part_name(s->m, &list[i]), 0);
  json_list_end(j);
  json_integer(j, "bandwidth", c->bandwidth);
  json_integer(j, "row_bandwidth", row_bandwidth);
  json_integer(j, "envelope", (long)c->envelope);
  json_number(j, "work", c->work);
  json_number(j, "fill", c->fill);
  json_number(j, "multiplications", c->factor_multiplications);
  json_number(j, "envelope_multiplications", c->envelope_multiplications);
  json_object_end(j);
}

lw_status show_numbering(const inspection *s, json *j)
{
  const size_t most = (size_t)lw_njoint(s->m) + (size_t)lw_nconstraint(s->m) + 1;
  lw_numbered *list = calloc(most, sizeof *list);
  lw_status status = list ? LW_OK : LW_E_MEMORY;
  if (j) json_object(j, "numberings");
  for (int i = 0; i < LW_ORDER_METHODS && status == LW_OK; i++) {
    lw_order_cost cost;
    int n = 0, rows = 0;
    if (s->numbering != LW_ORDER_METHODS && i != (int)s->numbering) continue;
    status = lw_joint_numbering(s->m, (lw_order_method)i, list, &n, &cost, &rows);
    if (status != LW_OK) break;
    if (j)
      json_one(j, s, (lw_order_method)i, list, n, &cost, rows);
    else
      print_one(s, (lw_order_method)i, list, n, &cost, rows);
  }
  if (!j && s->ordered && status == LW_OK) print_chosen_order(&s->orders);
  if (j) json_object_end(j);
  free(list);
  return status;
}
