/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_failure.c -- explains why an integration stopped, in terms of the model: the force or
   driver that is not finite, the joint that moves no inertia, the loop that a driver opens, the
   force that jumps, or the fastest joint. */
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "sim/formulation/own_loads.h"
#include "sim/formulation/state.h"
#include "sim/integrate/stiffness.h"
#include "tree/loops/explain.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double NEARLY_SINGULAR = 1e-3;

/* At y and t. */
static bool explain_at(lw_simulation *sim, double t, const double y[], lw_status status,
                       lwi_failing_part *why)
{
  const lwi_power *p = &sim->power;
  if (sim->system->copy_output(sim->system, y, p->q, p->u) != LW_OK) return false;
  p->work->unsolved = sim->system->dynamics->work->unsolved;
  return lwi_explain(sim->m, p->work, t, p->q, p->u, status, why);
}

/* Where the last evaluation failed; integrators with fixed steps do not record it: then within the
   next step. */
static bool explain_evaluation(lw_simulation *sim, lw_status status, lwi_failing_part *why)
{
  const lwi_integrator *it = sim->integrator;
  const lwi_system *s = sim->system;
  if (s->failures > 0 && explain_at(sim, s->failed_at, s->failed_y, status, why)) return true;
  const double h = fmax(sim->report.last_step, sim->options.step);
  for (int k = 0; k <= 2; k++)
    if (explain_at(sim, it->t + 0.5 * k * h, sim->y, status, why)) return true;
  return false;
}

/* The same of derivatives, which only sensitivities need. */
static bool explain_slopes(lw_simulation *sim, lwi_failing_part *why)
{
  const lwi_power *p = &sim->power;
  const lwi_system *s = sim->system;
  if (!sim->hooks || s->failures == 0) return false;
  return s->copy_output(sim->system, s->failed_y, p->q, p->u) == LW_OK &&
         lwi_explain_slopes(sim->m, p->work, s->failed_at, p->q, p->u, why);
}

/* Shortly before a driver or force grows without bound. */
static bool explain_pole(const lw_simulation *sim, lwi_failing_part *why)
{
  const double next = sim->switches.next, t = sim->integrator->t;
  bool mixed;
  if (t > next - 0.1 * fabs(next) && lwi_switches_find_pole(&sim->switches, sim->m, why))
    return true;
  return t > next - 1e-6 * fabs(next) &&
         lwi_switches_find_unbounded(&sim->switches, sim->m, &mixed, why);
}

static const char *find_driver(const lw_model *m)
{
  for (int c = 1; c <= m->nconstraint; c++)
    if (m->constraint[c].pair < 0 && m->constraint[c].relation.type == LW_DRIVER)
      return m->constraint[c].info.name;
  return NULL;
}

/* Drivers that lead to states where loops cannot be closed, soon after the last state that
   could. */
static bool explain_drivers(lw_simulation *sim, lwi_failing_part *why)
{
  static const double ahead[] = {1e-4, 1e-3, 1e-2};
  const char *driver = find_driver(sim->m);
  const lwi_power *p = &sim->power;
  for (int k = 0; k < 3 && driver; k++) {
    const double t = sim->integrator->t + ahead[k] * sim->options.end;
    lw_error err = {0};
    if (sim->system->copy_output(sim->system, sim->y, p->q, p->u) != LW_OK) return false;
    if (lwi_explain(sim->m, NULL, t, p->q, p->u, LW_E_NUMBER, why)) return true;
    if (lw_close_loops(p->work, t, p->q, p->u, &err) == LW_OK) continue;
    snprintf(why->text, sizeof why->text,
             "driver \"%s\" leads to positions that cannot be reached: at t = %.6g %.180s", driver,
             t, err.text);
    why->mark = lwi_mark_of(sim->m, driver);
    return true;
  }
  return false;
}

/* The joint with the largest acceleration relative to its speed. */
static bool explain_motion(lw_simulation *sim, lwi_failing_part *why)
{
  const lw_model *m = sim->m;
  const lwi_power *p = &sim->power;
  const lw_joint_info *worst = NULL;
  double most = 0;
  lw_dynamics *d = sim->system->dynamics;
  if (lw_dynamics_accelerate(d, sim->integrator->t, p->q, p->u, NULL, p->udot) != LW_OK)
    return false;
  for (int j = 1; j <= m->njoint; j++) {
    const lw_joint_info *i = &m->joint[j].info;
    for (int k = 0; k < i->nu && !i->cut; k++) {
      const double pace = fabs(p->udot[i->u + k]) / (1e-3 + fabs(p->u[i->u + k]));
      if (pace > most) most = pace, worst = i;
    }
  }
  if (!worst) return false;
  snprintf(why->text, sizeof why->text,
           "joint \"%s\" changes its speed fastest, by a factor of %.3g per second", worst->name,
           most);
  why->mark = lwi_mark_of(sim->m, worst->name);
  return true;
}

/* Constraints that are nearly dependent: rounding errors grow like the inverse of the distance. */
static bool explain_singular(const lw_simulation *sim, lwi_failing_part *why)
{
  const double r = sim->singularities.r;
  if (!sim->system->updates_rank || !sim->singularities.probe || !(r < NEARLY_SINGULAR))
    return false;
  snprintf(why->text, sizeof why->text,
           "the mechanism passes closely by a singular configuration (distance %.1g of 1), where "
           "rounding errors grow to %.1g of the motion; a larger rtol may lead past it; or let it "
           "pass farther away, or exactly through it",
           r, DBL_EPSILON / fmax(r, DBL_EPSILON));
  return true;
}

/* Fixed steps that are too long to be stable: Runge-Kutta 4 up to |lambda| h = 2.78, semi-implicit Euler up to 2. */
static bool explain_fixed_steps(lw_simulation *sim, lwi_failing_part *why)
{
  const double most = sim->options.integrator == LW_INTEGRATOR_RK4 ? 2.78 : 2,
               h = sim->options.step;
  const int n = sim->system->n;
  double rate = 0, *y = sim->integrator->fixed ? calloc(5 * (size_t)n + 1, sizeof *y) : NULL;
  const bool known = y && sim->integrator->get(sim->integrator, sim->from, y) == LW_OK &&
                     lwi_stiffness_find_rate(sim->system, sim->from, y, n, y + n, &rate);
  free(y);
  if (!known || !(rate * h > most)) return false;
  snprintf(
      why->text, sizeof why->text,
      "fixed steps of %.3g s are too long to be stable: parts of the motion change at a rate of "
      "%.3g per second, which needs steps below %.2g s; give a smaller --step, or an "
      "integrator that chooses its steps",
      h, rate, most / rate);
  return true;
}

/* *all: nothing needs to be added to the explanation. */
static bool explain_pace(lw_simulation *sim, lwi_failing_part *why, bool *all)
{
  const lwi_power *p = &sim->power;
  if (sim->integrator->get(sim->integrator, sim->integrator->t, sim->y) != LW_OK ||
      sim->system->copy_output(sim->system, sim->y, p->q, p->u) != LW_OK)
    return false;
  *all = lwi_explain_lock(sim->m, p->work, p->q, p->u, 1e-2, why) || explain_drivers(sim, why) ||
         explain_fixed_steps(sim, why);
  return *all || explain_singular(sim, why) ||
         lwi_explain_jump(sim->m, p->work, sim->integrator->t, p->q, p->u, why) ||
         (sim->system->copy_output(sim->system, sim->y, p->q, p->u) == LW_OK &&
          explain_motion(sim, why));
}

/* Friction without a consistent load. */
static bool explain_paradox(const lw_simulation *sim, lwi_failing_part *why)
{
  const char *name = lwi_own_loads_paradox(sim->system->dynamics);
  if (!name) return false;
  snprintf(why->text, sizeof why->text,
           "friction of \"%.100s\": no load, or more than one, is consistent with its sliding "
           "(Painleve's paradox)",
           name);
  why->mark = lwi_mark_of(sim->m, name);
  return true;
}

lw_status lwi_simulation_explain(lw_simulation *sim, lw_status status, lw_error *err)
{
  const lwi_integrator *it = sim->integrator;
  lwi_failing_part why = {0};
  bool known = false;
  bool all = true; /* the explanation is complete */
  if (status != LW_E_STOPPED && status != LW_E_MEMORY)
    known = explain_paradox(sim, &why) || explain_pole(sim, &why);
  if (!known && (status == LW_E_NUMBER || status == LW_E_SINGULAR))
    known = explain_evaluation(sim, status, &why) || explain_slopes(sim, &why) ||
            explain_fixed_steps(sim, &why);
  else if (!known && status == LW_E_NOT_CONVERGED)
    known = /* will a driver or force be too large for a number before the run ends? */
        lwi_switches_overflow(sim->m, it->t, sim->options.end, &why) < HUGE_VAL ||
        explain_pace(sim, &why, &all);
  lwi_fail(err, status, "the integration stopped at t = %.10g: %s%s%s", it->t,
           known && all ? "" : it->reason, known && !all ? "; " : "", why.text);
  if (known) lwi_locate_error(sim->m->files, why.mark, err);
  return status;
}

lw_status lwi_simulation_fail(const lw_simulation *sim, double t, lw_status status,
                              const char *what, lw_error *err)
{
  lwi_failing_part why = {0};
  const bool known = lwi_explain(sim->m, sim->power.work, t, sim->q, sim->u, status, &why) ||
                     (status == LW_E_NUMBER && lwi_explain_size(sim->m, t, sim->q, sim->u, &why));
  lwi_fail(err, status, "%s at t = %.10g: %s", what, t, known ? why.text : lw_status_text(status));
  lwi_locate_error(sim->m->files, why.mark, err);
  return status;
}
