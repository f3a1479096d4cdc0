/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_facts.c -- what inspect computes before it prints anything. */
#include "inspect.h"
#include "linkwork/query.h"

#include <stdlib.h>

/* Freedoms by rank where the loops are closed.  Loops that cannot be closed are a result, not an
   error. */
static lw_status find_mobility(inspection *s, lw_work *w, double q[], double u[])
{
  lw_initial_state(s->m, q, u);
  lw_status status = lw_close_loops(w, 0, q, u, NULL);
  if (status == LW_OK) status = lw_find_mobility(w, 0, q, &s->mobility);
  s->closed = status == LW_OK;
  if (status == LW_OK) status = redundancy_find(&s->redundancy, s->m, 0, q, s->mobility.singular);
  return status;
}

/* How long each level of the assembly tree takes at the start. */
static bool find_times(inspection *s, lw_work *w, const double q[], const double u[])
{
  lw_dca_options o = s->plan;
  lw_dca *d = lw_dca_new(s->m, &o, NULL);
  s->level_seconds = d ? calloc((size_t)lw_dca_nlevel(d) + 1, sizeof(double)) : NULL;
  if (s->level_seconds && lw_dca_measure(d, w, 0, q, u, 50, s->level_seconds) != LW_OK) {
    free(s->level_seconds); /* singular, say */
    s->level_seconds = NULL;
  }
  lw_dca_free(d);
  return d != NULL;
}

static bool find_closed(inspection *s)
{
  lw_work *w = lw_work_new(s->m);
  double *q = malloc(((size_t)lw_nq(s->m) + 1) * sizeof *q);
  double *u = malloc(((size_t)lw_nu(s->m) + 1) * sizeof *u);
  s->mobility = (lw_mobility){.dof = lw_dof_of_tree(s->m), .dof_near = lw_dof_of_tree(s->m)};
  bool memory = w && q && u;
  if (memory) s->closing = lw_get_loops(w); /* before a state is known */
  if (memory) s->serial = lw_recursion_cost(w);
  if (memory) memory = find_mobility(s, w, q, u) != LW_E_MEMORY;
  if (memory && s->closed && args_has(s->a, "levels")) memory = find_times(s, w, q, u);
  lw_work_free(w);
  free(q);
  free(u);
  return memory;
}

bool inspection_find(inspection *s)
{
  if (!find_closed(s)) return false;
  if (lw_nbody(s->m) > 0) {
    lw_dca_options o = s->plan;
    o.plan_only = true;
    s->assembly = lw_dca_new(s->m, &o, NULL);
    if (!s->assembly) return false;
  }
  const lw_status status = lw_joint_orders_of(s->m, &s->orders);
  s->ordered = status == LW_OK;
  return status != LW_E_MEMORY;
}

void inspection_free(inspection *s)
{
  redundancy_free(&s->redundancy);
  lw_dca_free(s->assembly);
  free(s->level_seconds);
  free(s->order);
  s->assembly = NULL;
}
