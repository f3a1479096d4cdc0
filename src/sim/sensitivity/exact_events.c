/* SPDX-License-Identifier: Apache-2.0 */
/* exact_events.c -- exact derivatives through events: the time te of an event, and the state after
   it.  With x- and x+ just before and after it, x+ = J(x-, p), trigger g, and subscripts for
   derivatives at fixed time,

       te_p = -(g_p + g_x x-_p) / (dg/dt),   x+_p = J_x (x-_p + xdot- te_p) + J_p - xdot+ te_p */
#include "base/fail.h"
#include "sim/sensitivity/exact.h"
#include "sim/sensitivity/finite_difference.h"
#include "sim/sensitivity/load_crossing.h"
#include "sim/run/simulation_data.h"

#include <stdlib.h>
#include <string.h>

/* ---- when ---- */

/* g_p at fixed time of the expression that fires, whose columns are those of this state. */
static lw_status trigger_slope(lwi_exact *v, const lwi_crossing *x, const double y_p[],
                               double *slope)
{
  const lwi_trigger *w = &x->sim->triggers.when[x->trigger];
  const int n = v->first->nparameter;
  double *slot_p = malloc((size_t)(n + lw_columns_count(w->columns)) * sizeof *slot_p + 1), value;
  if (!slot_p) return LW_E_MEMORY;
  if (n) memcpy(slot_p, v->parameters, (size_t)n * sizeof *slot_p);
  const lw_status status = lwi_exact_row(v, w->columns, x->t, x->y, y_p, slot_p + n);
  if (status == LW_OK) lwi_expr_dual(&w->expr, w->slot, 1, slot_p, &value, slope);
  free(slot_p);
  return status;
}

/* The same of the load with which something gives way. */
static lw_status load_slope(lwi_exact *v, const lwi_crossing *x, const double y_p[], double *slope)
{
  lw_status status = lwi_exact_go_to(v, x->t, x->y, y_p);
  if (status == LW_OK)
    status = lwi_linearized_dynamics_derive(v->linear, v->model_p, &v->along, false);
  if (status == LW_OK) status = lw_load_derivatives(v->linear->d);
  if (status != LW_OK) return status;
  return lwi_load_crossing_slope(x->sim, x->load, v->linear, v->model_p->derivative, v->event.slope,
                                 slope);
}

static lw_status find_when(lwi_exact *v, const lwi_crossing *x, const double y_p[], double *when_p)
{
  double slope;
  if (x->trigger < 0 && x->load < 0) {
    *when_p = v->event.slope[x->number[0] - 1].at;
    return LW_OK;
  }
  const lw_status status =
      x->load >= 0 ? load_slope(v, x, y_p, &slope) : trigger_slope(v, x, y_p, &slope);
  if (status == LW_OK) *when_p = -slope / x->g_rate;
  return status == LW_OK && (!isfinite(*when_p) || x->g_rate == 0) ? LW_E_SINGULAR : status;
}

static lw_status find_near(lwi_exact *v, const lwi_crossing *x, const double y_p[], double *when_p,
                           lw_error *err)
{
  v->near->system = v->base.system;
  const lw_status status = v->near->update_rank(v->near, x->t, x->y, y_p, 0);
  if (status != LW_OK)
    return lwi_simulation_fail(x->sim, x->t, status, "no derivatives across the event", err);
  return v->near->when(v->near, x, y_p, when_p, err);
}

lw_status lwi_exact_when(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double *when_p, lw_error *err)
{
  lwi_exact *v = (lwi_exact *)base;
  if (v->near && x->number) return find_near(v, x, y_p, when_p, err);
  const lw_status status = find_when(v, x, y_p, when_p);
  if (status == LW_OK) return LW_OK;
  return lwi_crossing_fail(x, status, err);
}

/* ---- what ---- */

lw_status lwi_exact_jump(lwi_parameter_derivative *base, const lwi_crossing *x, const double y_p[],
                         double when_p, lw_error *err)
{
  lwi_exact *v = (lwi_exact *)base;
  if (v->near) return v->near->jump(v->near, x, y_p, when_p, err);
  const int n = lw_nq(v->m) + lw_nu(v->m);
  double *along = malloc((size_t)n * sizeof *along + 1);
  lw_status status = along ? LW_OK : LW_E_MEMORY;
  for (int i = 0; i < n && along; i++)
    along[i] = y_p[i] + when_p * x->f[i];
  if (along && v->m->nstate)
    memcpy(v->states_p, along + lwi_first_state(v->m), (size_t)v->m->nstate * sizeof *along);
  if (status == LW_OK) status = lwi_exact_go_to(v, x->t, x->y, along);
  if (status == LW_OK) {
    lwi_linearized_dynamics_move(v->linear, v->model_p, &v->along);
    status = lwi_event_derivative_leave(&v->event, v->linear, x->sim, x->number, x->n, when_p);
  }
  free(along);
  if (status == LW_OK) return LW_OK;
  return lwi_simulation_fail(x->sim, x->t, status, "no derivatives across the event", err);
}

/* Takes the derivative of the model after the event. */
static lw_status use_derivative(lwi_exact *v, lw_model *derivative, lw_error *err)
{
  if (!derivative) return err->status;
  lw_model_free(v->model_p->derivative);
  v->model_p->derivative = derivative;
  return lwi_exact_take_scratch(v, v->linear->m) ? LW_OK : LW_E_MEMORY;
}

static lw_status restart_by_differences(lwi_exact *v, double t, const double y[], double y_p[])
{
  lw_error err = {.status = LW_OK};
  v->near->system = v->base.system;
  const lw_status status = v->near->restart(v->near, t, y, y_p);
  if (status != LW_OK || v->linear->m == v->m) return status;
  return use_derivative(v, lwi_finite_difference_derivative(v->near, &err), &err);
}

/* The directions d in which contacts slide, numbers of the state, stay in planes whose normals n depend on the
   parameter: d_p = -(n_p . d) n. */
static void lean_directions(const lwi_exact *v, const double y[], double y_p[])
{
  const lwi_contacts *c = &v->event.sim->contacts;
  for (int i = 0; i < c->n; i++) {
    const lwi_contact *k = &c->item[i];
    if (!lwi_is_slip(k)) continue;
    const int at = lwi_first_state(v->linear->m) + k->state + 1;
    const double *n = k->e->d.contact.normal,
                 *n_p = v->event.slope[k->e->number - 1].contact.normal;
    const double lean = dot3(n_p, y + at);
    for (int j = 0; j < 3; j++)
      y_p[at + j] = -lean * n[j];
  }
}

lw_status lwi_exact_restart(lwi_parameter_derivative *base, double t, const double y[],
                            double y_p[])
{
  lwi_exact *v = (lwi_exact *)base;
  lw_error err = {.status = LW_OK};
  lw_status status = LW_OK;
  if (v->near) return restart_by_differences(v, t, y, y_p);
  const lw_model *m = v->linear->m;
  const bool fresh = m != v->m;
  status = lwi_event_derivative_hit(&v->event, v->m, v->model_p->derivative, base->parameter,
                                    base->scale, t, &err);
  if (status == LW_OK && fresh)
    status = use_derivative(v,
                            lwi_phase_derivative(&v->event, lwi_events_phase(v->event.sim), v->m, m,
                                                 base->parameter, base->scale, &err),
                            &err);
  if (status != LW_OK) return status;
  memcpy(v->y, y, (size_t)(lw_nq(m) + lw_nu(m)) * sizeof(double));
  status = lwi_event_derivative_restart(&v->event, v->linear, v->model_p, fresh, t, v->y,
                                        v->along.motion, v->along.u);
  if (status == LW_OK) lwi_exact_put_motion(v, y_p);
  for (int i = 0; i < m->nstate && status == LW_OK; i++)
    y_p[lwi_first_state(m) + i] = v->states_p[i];
  if (status == LW_OK) lean_directions(v, y, y_p);
  return status;
}

lw_status lwi_exact_restarted(lwi_parameter_derivative *base, double t, const double y[],
                              const double y_p[])
{
  return lwi_exact_begin_gears((lwi_exact *)base, t, y, y_p);
}
