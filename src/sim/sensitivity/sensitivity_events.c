/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_events.c -- derivatives of a run at an event: the derivative of its time, the state
   just before it, and all parameters through it. */
#include "base/fail.h"
#include "sim/formulation/shared_loads.h"
#include "sim/output/column_rates.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/load_crossing.h"
#include "sim/sensitivity/sensitivity_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same for a load that switches. */
static lw_status switch_fail(const lwi_crossing *x, lw_status status, lw_error *err)
{
  const char *why =
      status == LW_E_SINGULAR
          ? "it only touches the state at which it switches, or crosses it without speed"
          : lw_status_text(status);
  return lwi_fail(err, status, "%s has no derivative where it switches, at t = %.10g: %s",
                  x->sim->triggers.when[x->trigger].load->name, x->t, why);
}

lw_status lwi_crossing_fail(const lwi_crossing *x, lw_status status, lw_error *err)
{
  if (!x->number) return switch_fail(x, status, err);
  const lwi_event *e = &x->sim->first->event[x->number[0] - 1];
  if (status != LW_E_SINGULAR)
    return lwi_event_fail(e, x->t, err, status, "it has no derivative: %s", lw_status_text(status));
  return lwi_event_fail(
      e, x->t, err, status,
      "it has no derivative: its expression only touches zero or crosses it without "
      "speed, and its time changes without bound with the parameter");
}

/* ---- what gives way because of its load ---- */

/* dg/dt of the load with which something gives way, at y with rate f; scratch: [nmotion]. */
static lw_status find_load_rate(lw_sensitivity *s, lwi_crossing *x, double scratch[], lw_error *err)
{
  const lwi_event *e = s->sim->contacts.item[x->load].e;
  double g[2];
  if (s->differences)
    return lwi_event_fail(e, x->t, err, LW_E_UNSUPPORTED,
                          "differences of nearby models do not find when its load breaks it loose: "
                          "use exact derivatives");
  lw_status status = lwi_load_crossing_rate(s->sim, x->load, x->t, x->y, x->f, s->system->nmotion,
                                            scratch, &x->g_rate);
  if (status == LW_OK && e->d.action != LW_ACTION_SLIP &&
      lwi_shared_loads_are_open_of(s->sim->contacts.dynamics, e))
    return lwi_event_fail(e, x->t, err, LW_E_UNSUPPORTED,
                          "its load is not unique: there are no derivatives of when it gives way");
  /* last the state itself, whose loads the derivatives are of */
  if (status == LW_OK) status = lwi_load_crossing_value(s->sim, x->load, x->t, x->y, g);
  if (status == LW_OK && !(fabs(g[0]) <= 1e-6 * fabs(g[1])))
    return lwi_event_fail(e, x->t, err, LW_E_UNSUPPORTED,
                          "a load that jumps breaks it loose: there are no derivatives across it");
  return status;
}

/* The index of the expression that fires an event; -1: none. */
static int trigger_of(const lw_sensitivity *s, const lwi_event *e)
{
  const lwi_triggers *x = &s->sim->triggers;
  if (lwi_contact_leaving(&s->sim->contacts, e->number)) return -1;
  for (int k = 0; k < x->nwhen; k++)
    if (e->number > 0 && x->when[k].e == e) return k;
  return -1;
}

/* The same for the first of the events that has one. */
static int find_trigger(const lw_sensitivity *s, const lwi_event *const event[], int n, int *first)
{
  for (*first = 0; *first < n; ++*first) {
    const int trigger = trigger_of(s, event[*first]);
    if (trigger >= 0) return trigger;
  }
  *first = 0;
  return -1;
}

lw_status lwi_sensitivity_trigger_rate(lw_sensitivity *s, int trigger, double t, const double y[],
                                       const double f[], double scratch[], double *rate)
{
  const lwi_trigger *w = &s->sim->triggers.when[trigger];
  const lw_model *m = s->sim->m;
  const int nparameter = s->m->nparameter;
  double *slot_p = scratch, *row_p = slot_p + nparameter,
         *more = row_p + lw_columns_count(w->columns);
  double fastest = 0, value;
  memset(slot_p, 0, (size_t)nparameter * sizeof *slot_p);
  lw_status status = lw_columns_row(w->columns, t, y, y + lw_nq(m), w->row);
  if (status == LW_OK)
    status = lwi_column_time_rates(s->differences ? NULL : &s->linear, m, w->columns, t, y, f, more,
                                   row_p);
  if (status == LW_OK) status = lw_columns_row(w->columns, t, y, y + lw_nq(m), w->row);
  if (status != LW_OK) return status;
  lwi_expr_dual(&w->expr, w->slot, 1, slot_p, &value, rate);
  for (int i = 0; i < s->system->nmotion; i++)
    fastest = fmax(fastest, fabs(f[i]));
  if (fabs(*rate) <= 1e-11 * fastest) *rate = 0; /* it only touches zero */
  return LW_OK;
}

/* Integrals just before the event. */
static lw_status leave_event(lw_sensitivity *s, double t)
{
  lwi_event_restart *l = &s->event_restart;
  const lwi_sensitivity_system *v = s->system;
  const double *y = s->sim->y;
  for (int w = 0; w < v->nintegral; w++) {
    l->integral[w] = y[v->nmotion + w];
    for (int k = 0; k < s->n; k++)
      l->integral_p[k * v->nintegral + w] = lwi_sensitivity_block(v, s->sim->y, k)[v->nmotion + w];
  }
  l->when_p = s->when_p;
  return lwi_sensitivity_integrands(s->system, t, y, l->integrand);
}

static lw_status list_numbers(lw_sensitivity *s, const lwi_event *const event[], int n, int first,
                              lw_error *err)
{
  if (n > s->number_capacity) {
    int *number = realloc(s->number, (size_t)n * sizeof *number);
    if (!number) return lwi_out_of_memory(err, "sensitivities");
    s->number = number;
    s->number_capacity = n;
  }
  for (int i = 0; i < n; i++) {
    if (event[i]->number <= 0)
      return lwi_fail(err, LW_E_UNSUPPORTED, "events that the caller raises have no derivatives");
    s->number[i] = event[i]->number;
  }
  /* The event that determines the time comes first; the effect does not depend on the order. */
  const int kept = s->number[0];
  s->number[0] = s->number[first];
  s->number[first] = kept;
  return LW_OK;
}

/* Describes the event at the state just before it; scratch: [2 nmotion] and that of
   lwi_sensitivity_trigger_rate. */
static lw_status describe(lw_sensitivity *s, double t, lwi_crossing *x, double scratch[],
                          lw_error *err)
{
  lwi_sensitivity_system *v = s->system;
  double *y = scratch, *f = scratch + v->nmotion;
  x->y = y;
  x->f = f;
  if (v->nmotion) memcpy(y, s->sim->y, (size_t)v->nmotion * sizeof *y);
  lw_status status = v->motion->rate(v->motion, t, y, f);
  if (status == LW_OK && x->trigger >= 0)
    status =
        lwi_sensitivity_trigger_rate(s, x->trigger, t, y, f, scratch + 2 * v->nmotion, &x->g_rate);
  if (status == LW_OK && x->load >= 0) status = find_load_rate(s, x, scratch + 2 * v->nmotion, err);
  if (status == LW_OK) status = leave_event(s, t);
  if (status == LW_OK || (err && err->status != LW_OK)) return status;
  return lwi_simulation_fail(s->sim, t, status, "no derivatives across the event", err);
}

/* ---- several at one time ---- */

/* Events of one instant that the parameters separate: their order determines the result. */
static lw_status refuse_order(const lw_sensitivity *s, const lwi_crossing *x, int number, int k,
                              lw_error *err)
{
  const lwi_event *event = s->sim->first->event;
  char other[80];
  lwi_event_name(&event[number - 1], other, sizeof other);
  return lwi_event_fail(&event[x->number[0] - 1], x->t, err, LW_E_UNSUPPORTED,
                        "event \"%s\" comes at the same time, and with another value of \"%s\" "
                        "before or after it: there "
                        "are no derivatives across both",
                        other, s->m->parameter_name[s->derivative[k]->parameter]);
}

bool lwi_sensitivity_moves_apart(const lw_sensitivity *s, double a, double b)
{
  return !(fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)) + 1e-9 * s->sim->options.end);
}

/* Does another event of the instant remain simultaneous with the first, whose time has the
   derivatives when_p?  scratch: that of lwi_sensitivity_trigger_rate. */
static lw_status stay_together(lw_sensitivity *s, const lwi_crossing *x, const int *number,
                               double scratch[], lw_error *err)
{
  const lwi_event *e = &s->sim->first->event[*number - 1];
  lwi_crossing other = *x;
  other.number = number;
  other.n = 1;
  other.trigger = trigger_of(s, e);
  other.load = other.trigger < 0 ? lwi_load_crossing_find(s->sim, *number) : -1;
  lw_status status = other.load >= 0 ? find_load_rate(s, &other, scratch, err) : LW_OK;
  if (status == LW_E_UNSUPPORTED) return status;
  if (other.trigger >= 0)
    status =
        lwi_sensitivity_trigger_rate(s, other.trigger, x->t, x->y, x->f, scratch, &other.g_rate);
  if (status != LW_OK) return lwi_crossing_fail(&other, status, err);
  for (int k = 0; k < s->n && status == LW_OK; k++) {
    double when_p;
    lwi_parameter_derivative *v = s->derivative[k];
    status = v->when(v, &other, lwi_sensitivity_block(s->system, s->sim->y, k), &when_p, err);
    if (status == LW_OK && lwi_sensitivity_moves_apart(s, when_p, s->when_p[k]))
      return refuse_order(s, x, *number, k, err);
  }
  return status;
}

/* First all times, since objectives are evaluated before the event happens. */
static lw_status pass_event(lw_sensitivity *s, const lwi_crossing *x, bool fixed, double scratch[],
                            lw_error *err)
{
  lwi_sensitivity_system *v = s->system;
  double *y = s->sim->y;
  lw_status status = LW_OK;
  for (int k = 0; k < s->n && status == LW_OK; k++)
    status = s->derivative[k]->when(s->derivative[k], x, lwi_sensitivity_block(v, y, k),
                                    &s->when_p[k], err);
  for (int i = 1; i < x->n && status == LW_OK && !fixed; i++)
    status = stay_together(s, x, &x->number[i], scratch, err);
  if (status != LW_OK) return status;
  status = lwi_peaks_note(&s->peaks, x->t, s->when_p);
  if (status != LW_OK)
    return lwi_simulation_fail(s->sim, x->t, status, "the objectives cannot be evaluated", err);
  for (int k = 0; k < s->n && status == LW_OK; k++)
    status = s->derivative[k]->jump(s->derivative[k], x, lwi_sensitivity_block(v, y, k),
                                    s->when_p[k], err);
  return status;
}

/* Size of the scratch of an event. */
static size_t scratch_size(const lw_sensitivity *s, const lwi_event *const event[], int nevent)
{
  const size_t n = (size_t)s->system->nmotion;
  int columns = 2;
  for (int i = 0; i < nevent; i++) {
    const int trigger = trigger_of(s, event[i]);
    const int own = trigger >= 0 ? lw_columns_count(s->sim->triggers.when[trigger].columns) : 0;
    columns = own > columns ? own : columns;
  }
  return 4 * n + (size_t)s->m->nparameter + 2 * (size_t)columns + 1;
}

static bool open_triggers(lw_sensitivity *s, const lwi_event *const event[], int nevent)
{
  for (int i = 0; i < nevent; i++) {
    const int trigger = trigger_of(s, event[i]);
    if (trigger >= 0 && lwi_trigger_open(&s->sim->triggers, trigger, s->sim) != LW_OK) return false;
  }
  return true;
}

lw_status lwi_sensitivity_jump(lwi_simulation_hooks *c, double t, const lwi_event *const event[],
                               int nevent, bool fixed, lw_error *err)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  lwi_sensitivity_system *v = s->system;
  int first = 0;
  const lw_status caught = lwi_adjoint_catch_up(s, t, err);
  if (caught != LW_OK) return caught;
  fixed = fixed || s->n == 0; /* how its time moves is of no interest */
  const int trigger = fixed ? -1 : find_trigger(s, event, nevent, &first);
  if (!open_triggers(s, event, nevent)) return lwi_out_of_memory(err, "sensitivities");
  double *scratch = malloc(scratch_size(s, event, nevent) * sizeof *scratch);
  lw_status status = scratch ? list_numbers(s, event, nevent, first, err)
                             : lwi_out_of_memory(err, "sensitivities");
  lwi_crossing x = {
      .sim = s->sim, .t = t, .number = s->number, .n = nevent, .trigger = trigger, .load = -1};
  for (int i = 0; i < nevent && trigger < 0 && !fixed && x.load < 0; i++)
    x.load = lwi_load_crossing_find(s->sim, event[i]->number);
  if (status == LW_OK) status = describe(s, t, &x, scratch, err);
  if (status == LW_OK) status = pass_event(s, &x, fixed, scratch + 2 * v->nmotion, err);
  free(scratch);
  if (status != LW_OK) return status;
  s->t = t;
  v->event_restart = &s->event_restart;
  status = v->motion->project_output(v->motion, t, s->sim->y, s->sim->q, s->sim->u);
  if (status == LW_OK) return LW_OK;
  return lwi_simulation_fail(s->sim, t, status, "the state cannot be computed", err);
}
