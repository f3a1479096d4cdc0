/* SPDX-License-Identifier: Apache-2.0 */
/* crossings.c -- watches the expressions of events while the integration goes on, and locates where they cross
   zero within its last step. */
#include "base/fail.h"
#include "sim/simulation_data.h"

#include <math.h>
#include <stdlib.h>

double lwi_events_next(const lw_simulation *sim)
{
  return fmin(fmin(lwi_triggers_next_time(&sim->triggers), sim->found), sim->switches.next);
}

double lw_simulation_next_event(const lw_simulation *sim)
{
  return lwi_events_next(sim);
}

double lwi_events_limit(const lw_simulation *sim)
{
  return lwi_triggers_limit(&sim->triggers, sim->integrator->t);
}

static lw_status look_at(lw_simulation *sim, double t)
{
  const lw_status status = lwi_simulation_find_state(sim, t);
  return status == LW_OK ? lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u) : status;
}

lw_status lwi_events_restart(lw_simulation *sim, double t, lw_error *err)
{
  sim->over = false;
  sim->found = HUGE_VAL;
  lwi_triggers_reset(&sim->triggers, t);
  if (sim->triggers.nwhen == 0) return LW_OK;
  const lw_status status = look_at(sim, t);
  if (status != LW_OK)
    return lwi_fail(err, status, "the events cannot be evaluated at the start: %s",
                    lw_status_text(status));
  lwi_triggers_note(&sim->triggers);
  return LW_OK;
}

lw_status lwi_events_before_step(lw_simulation *sim)
{
  lwi_integrator *it = sim->integrator;
  if (sim->triggers.nwhen == 0 && !sim->companion) return LW_OK;
  sim->from = it->t;
  if (it->dense) return LW_OK;
  if (sim->system->n > sim->y_capacity) {
    double *y = realloc(sim->y_from, (size_t)sim->system->n * sizeof *y);
    if (!y) return lwi_integrator_fail(it, LW_E_MEMORY, "out of memory");
    sim->y_from = y;
    sim->y_capacity = sim->system->n;
  }
  return it->get(it, it->t, sim->y_from);
}

lw_status lwi_simulation_look_back(lw_simulation *sim, double t)
{
  lwi_integrator *it = sim->integrator;
  lw_status status = LW_OK;
  if (!it->dense && t != it->t && !lwi_passage_covers(&sim->passage, t)) {
    status = it->start(it, sim->from, sim->y_from);
    while (status == LW_OK && it->t < t)
      status = it->step(it, t, t);
  }
  return status == LW_OK ? lwi_simulation_find_state(sim, t) : status;
}

/* The state at t within the last step, and the expressions there. */
static lw_status look_back(lw_simulation *sim, double t)
{
  const lw_status status = lwi_simulation_look_back(sim, t);
  return status == LW_OK ? lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u) : status;
}

/* The value whose sign tells on which side of the crossing a state is. */
static const lwi_trigger *first_crossed(const lwi_triggers *x)
{
  for (int i = 0; i < x->nwhen; i++)
    if (x->when[i].crossed) return &x->when[i];
  return NULL;
}

/* Between a, where nothing has crossed, and b, where something has: the earliest crossing, from just
   behind it, by the Illinois variant of regula falsi, with halving where that is slow. */
static lw_status locate(lw_simulation *sim, double a, double b)
{
  lwi_triggers *x = &sim->triggers;
  const lwi_trigger *w = first_crossed(x);
  double g_a = (double)NAN, g_b = w->g;
  int side = 0;
  for (int i = 0; i < 100 && b - a > 4e-15 * fmax(fabs(b), 1e-6); i++) {
    const double part = g_b / (g_b - g_a);
    double c = b - part * (b - a);
    if (!(part > 0 && part < 1) || i % 8 == 7 || !(c > a && c < b)) c = a + 0.5 * (b - a);
    if (!(c > a && c < b)) break;
    const lw_status status = look_back(sim, c);
    if (status != LW_OK) return status;
    if (lwi_triggers_crossed(x) > 0) {
      w = first_crossed(x);
      b = c;
      g_b = w->g;
      if (side == 1) g_a *= 0.5;
      side = 1;
    } else {
      a = c;
      g_a = w->g;
      if (side == -1) g_b *= 0.5;
      side = -1;
    }
  }
  const lw_status status = look_back(sim, b);
  if (status != LW_OK) return status;
  lwi_triggers_crossed(x);
  sim->found = b;
  return LW_OK;
}

static lw_status look_through(lw_simulation *sim)
{
  static const double parts[] = {1e-3, 1.0 / 3, 2.0 / 3, 1};
  lwi_triggers *x = &sim->triggers;
  const double to = sim->integrator->t, h = to - sim->from;
  double before = sim->from;
  for (int i = sim->integrator->dense ? 0 : 3; i < 4; i++) {
    const double t = i == 3 ? to : sim->from + parts[i] * h;
    if (!(t > before)) continue;
    if (i == 0 && !lwi_triggers_are_fresh(x)) continue;
    const lw_status status = look_back(sim, t);
    if (status != LW_OK) return status;
    if (lwi_triggers_crossed(x) > 0) return locate(sim, before, t);
    lwi_triggers_note(x);
    before = t;
  }
  return LW_OK;
}

lw_status lwi_events_look(lw_simulation *sim)
{
  if (sim->triggers.nwhen == 0) return LW_OK;
  const lw_status status = look_through(sim);
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "the events cannot be evaluated: %s",
                             lw_status_text(status));
}
