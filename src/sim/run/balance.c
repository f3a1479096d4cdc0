/* SPDX-License-Identifier: Apache-2.0 */
/* balance.c -- the energy balance of a run: power at the ends of steps and inside them, its
   integral, and how large an error the tolerances explain. */
#include "sim/run/balance.h"
#include "model/model.h"
#include "sim/run/simulation_data.h"
#include "sim/formulation/state.h"
#include "tree/loops/closure.h"
#include "linkwork/loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Safety factor: error estimates of quadratures may be too small, above all at kinks. */
static const double SAFETY = 10;
/* Accumulation of the errors of steps: balance.h. */
static const double RANDOM = 5, BIASED = 0.2;
/* Ratio of the error of a step to its estimate: multistep methods near a change of order. */
static const double ESTIMATE = 4;
/* Constraint residual of y in errors of one step: joint_system.c. */
static const double DRIFT = 100;
/* Fixed steps have no tolerance: fraction of the energy exchanged. */
static const double PART_RK4 = 0.01, PART_EULER = 0.2;
static const double NEAR_SINGULAR = 0.02; /* distance as in singular_crossing.c */
enum { STEPS_UNSEEN = 24 };               /* at most; fewer at the beginning */

static bool has_fixed_steps(const lw_simulation *sim)
{
  return sim->options.integrator == LW_INTEGRATOR_RK4 ||
         sim->options.integrator == LW_INTEGRATOR_EULER;
}

static bool is_known(const lwi_balance *b)
{
  return b->unknown == HUGE_VAL;
}

static void set_unknown(lwi_balance *b, double t, lw_status why)
{
  if (!is_known(b)) return;
  b->unknown = t;
  b->why = why;
}

/* ---- power along the motion ---- */

/* Converts y at t to a state in the scratch of the power. */
static lw_status find_state(const lw_simulation *sim, double t, const double y[])
{
  const lwi_power *p = &sim->power;
  lwi_system *s = sim->system;
  const lw_status status = s->copy_output(s, y, p->q, p->u);
  if (status != LW_OK || !p->driven) return status;
  return p->dynamics->method->project(p->dynamics, lwi_system_time(s, t), p->q, p->u);
}

/* The same at the end of the last step, where the run has projected it. */
static lw_status find_end(const lw_simulation *sim)
{
  const lwi_power *p = &sim->power;
  const lwi_system *s = sim->system;
  lwi_integrator *it = sim->integrator;
  if (s->rank_state && p->driven) {
    memcpy(p->q, s->rank_state, (size_t)(sim->m->nq + sim->m->nu) * sizeof(double));
    return LW_OK;
  }
  const lw_status status = it->get(it, it->t, p->y);
  return status == LW_OK ? find_state(sim, it->t, p->y) : status;
}

static lw_status power_at(const void *context, double t, double *power)
{
  const lw_simulation *sim = context;
  const lwi_power *p = &sim->power;
  lwi_integrator *it = sim->integrator;
  lw_status status = it->get(it, t, p->y);
  if (status == LW_OK) status = find_state(sim, t, p->y);
  return status == LW_OK ? lwi_power_at(p, lwi_system_time(sim->system, t), p->q, p->u, power)
                         : status;
}

/* Are states inside the last step available without evaluations? */
static bool has_dense_output(const lw_simulation *sim)
{
  const lwi_balance *b = &sim->balance;
  return !has_fixed_steps(sim) && sim->integrator->t == b->to &&
         !lwi_singular_crossing_covers(&sim->singular_crossing, 0.5 * (b->from + b->to));
}

/* Integrates the power from the beginning of the last step to t. */
static lw_status integrate(const lw_simulation *sim, double t, lwi_integral *out)
{
  const lwi_balance *b = &sim->balance;
  const lwi_samples *s = &b->power;
  const double rounding = DBL_EPSILON * b->magnitude;
  const double enough =
      fmax(0.1 * b->each, fmax(0.01 * sim->options.rtol * b->most, 0.1 * rounding));
  *out = lwi_samples_integrate(s, b->from, t);
  if (out->error <= enough || s->n < 2 || !has_dense_output(sim)) return LW_OK;
  double f = s->f[0];
  const lw_status status = t == b->to ? LW_OK : power_at(sim, t, &f);
  return status == LW_OK ? lwi_integrate(power_at, sim, b->from, t, s->f[1], f, enough, out)
                         : status;
}

/* ---- what a tolerance explains ---- */

static double sign(unsigned *random)
{
  *random = *random * 1664525u + 1013904223u;
  return *random >> 31 ? 1 : -1;
}

/* Shifts y by `parts` tolerances. */
static void shift_state(lw_simulation *sim, double parts, bool mirrored)
{
  const lwi_power *p = &sim->power;
  lwi_balance *b = &sim->balance;
  const lw_simulation_options *o = &sim->options;
  const int nq = sim->m->nq, n = nq + sim->m->nu;
  unsigned random = b->random;
  for (int i = 0; i < n; i++) {
    const double x = p->q[i], flip = mirrored && i >= nq ? -1 : 1;
    const double size = 0.1 * (o->rtol * fabs(x) + o->atol);
    p->shifted[i] = x + flip * sign(&random) * parts * size;
  }
  if (mirrored) b->random = random;
}

/* Energy, and power if there is any, at the shifted state. */
static lw_status evaluate_shifted(const lw_simulation *sim, double at, double energy[2],
                                  double *power)
{
  const lwi_power *p = &sim->power;
  double *q = p->shifted, *u = q + sim->m->nq;
  const double t = lwi_system_time(sim->system, at);
  lw_status status = lw_normalize(sim->m, q);
  if (status == LW_OK && lwi_is_constrained(sim->m)) status = lw_project(p->work, t, q, u);
  if (status == LW_OK) status = lwi_power_energy(p, q, u, energy);
  *power = 0;
  return status == LW_OK && !lwi_power_is_conservative(p) ? lwi_power_at(p, t, q, u, power)
                                                          : status;
}

static void note_energy(lwi_balance *b, const double energy[2])
{
  b->most = fmax(b->most, fmax(energy[0], fabs(energy[1] - b->potential)));
  b->magnitude = fmax(b->magnitude, fmax(energy[0], fabs(energy[1])));
}

/* Next to a singular configuration a state off the constraints by a tolerance is projected far away:
   what that changes in E is not what steps do. */
static bool is_near_singular(const lw_simulation *sim)
{
  return sim->system->updates_rank && sim->singularities.r < NEAR_SINGULAR;
}

/* At the state in the scratch of the power, after a step h. */
static void measure(lw_simulation *sim, double t, double power, double h)
{
  const lwi_power *p = &sim->power;
  lwi_balance *b = &sim->balance;
  double energy[2], shifted[2], other;
  if (lwi_power_energy(p, p->q, p->u, energy) != LW_OK) return;
  note_energy(b, energy);
  const int unseen = b->unseen;
  const bool mirrored = b->measured % 2 == 1;
  b->unseen = 0;
  b->measured++;
  if (has_fixed_steps(sim) || (b->each > 0 && is_near_singular(sim))) return;
  const double parts =
      fmax(1, 1e-6 / sim->options.rtol); /* differences must exceed rounding errors */
  shift_state(sim, parts, mirrored);
  if (evaluate_shifted(sim, t, shifted, &other) != LW_OK) return;
  b->change[mirrored] = fabs(shifted[0] - energy[0] + (shifted[1] - energy[1])) +
                        h * (lwi_power_is_conservative(p) ? 0 : fabs(other - power));
  if (b->measured == 1) b->change[1] = b->change[0];
  const double change = hypot(b->change[0], b->change[1]) * sqrt(0.5);
  const double each = change / parts * sqrt(sim->m->nq + sim->m->nu);
  if (each > b->each) {
    b->now.sum += unseen * (each - b->each);
    b->now.squares += unseen * (each * each - b->each * b->each);
  }
  b->each = each;
}

/* ---- along the run ---- */

/* At the first state of a phase. */
static void begin_phase(lw_simulation *sim, double t)
{
  const lwi_power *p = &sim->power;
  lwi_balance *b = &sim->balance;
  double power = 0;
  b->from = b->to = t;
  b->then = b->now;
  b->power.n = 0;
  lwi_work_follow(sim->m, sim->system->dynamics->work, p->work);
  lw_status status = find_state(sim, t, sim->y);
  if (status == LW_OK && !lwi_power_is_conservative(p))
    status = lwi_power_at(p, lwi_system_time(sim->system, t), p->q, p->u, &power);
  if (status != LW_OK) {
    set_unknown(b, t, status);
    return;
  }
  lwi_samples_add(&b->power, t, power);
  measure(sim, t, power, 0);
}

void lwi_balance_start(lw_simulation *sim, double t)
{
  lwi_balance *b = &sim->balance;
  double energy[2] = {0, 0};
  *b = (lwi_balance){.unknown = HUGE_VAL, .random = 1, .closest = HUGE_VAL};
  lwi_work_follow(sim->m, sim->system->dynamics->work, sim->power.work);
  lw_status status = find_state(sim, t, sim->y);
  if (status == LW_OK) status = lwi_power_energy(&sim->power, sim->power.q, sim->power.u, energy);
  b->start = energy[0] + energy[1];
  b->potential = energy[1];
  if (status != LW_OK) set_unknown(b, t, status);
  begin_phase(sim, t);
}

void lwi_balance_go_on(lw_simulation *sim, double t)
{
  begin_phase(sim, t);
}

static void note_passing(lw_simulation *sim)
{
  const lwi_singular_crossing *x = &sim->singular_crossing;
  lwi_balance *b = &sim->balance;
  if (!lwi_singular_crossing_is_passing(x) || !(x->r < b->closest)) return;
  b->closest = x->r;
  b->closest_at = x->t;
}

void lwi_balance_step(lw_simulation *sim, double before)
{
  lwi_balance *b = &sim->balance;
  const lwi_power *p = &sim->power;
  lwi_integrator *it = sim->integrator;
  const int most = b->measured < STEPS_UNSEEN / 2 ? 2 * b->measured : STEPS_UNSEEN;
  const bool works = !lwi_power_is_conservative(p), sees = b->unseen >= most;
  double power = 0;
  note_passing(sim);
  if (!is_known(b)) return;
  b->from = before;
  b->to = it->t;
  b->then = b->now;
  b->now.sum += b->each;
  b->now.squares += b->each * b->each;
  b->unseen++;
  if (!works && !sees) return;
  lwi_work_follow(sim->m, sim->system->dynamics->work, p->work);
  lw_status status = find_end(sim);
  if (status == LW_OK && works)
    status = lwi_power_at(p, lwi_system_time(sim->system, it->t), p->q, p->u, &power);
  if (status == LW_OK && sees) measure(sim, it->t, power, b->to - b->from);
  if (status == LW_OK && works) {
    lwi_integral done;
    lwi_samples_add(&b->power, it->t, power);
    status = integrate(sim, b->to, &done);
    b->now.work += done.value;
    b->now.quadrature += done.error;
  }
  if (status != LW_OK) set_unknown(b, it->t, status);
}

/* The sums at time t. */
static lw_status sum_at(const lw_simulation *sim, double t, lwi_balance_sum *out)
{
  const lwi_balance *b = &sim->balance;
  *out = t >= b->to ? b->now : b->then;
  if (t >= b->to || t <= b->from || lwi_power_is_conservative(&sim->power)) return LW_OK;
  lwi_integral part;
  const lw_status status = integrate(sim, t, &part);
  /* dense output may have evaluated the system: restore the kinematics of the last output state */
  lw_kinematics(sim->system->dynamics->work, sim->q, sim->u);
  if (status != LW_OK) return status;
  out->work += part.value;
  out->quadrature += part.error;
  return LW_OK;
}

void lwi_balance_cut(lw_simulation *sim, double t)
{
  lwi_balance *b = &sim->balance;
  lwi_balance_sum here;
  const lw_status status = is_known(b) ? sum_at(sim, t, &here) : LW_OK;
  if (status != LW_OK) set_unknown(b, t, status);
  if (!is_known(b)) return;
  here.sum = b->now.sum;
  here.squares = b->now.squares;
  b->now = b->then = here;
  b->from = b->to = t;
}

double lwi_balance_expect(const lw_simulation *sim, double t)
{
  const lwi_balance *b = &sim->balance;
  lwi_balance_sum here;
  if (t >= b->unknown || sum_at(sim, t, &here) != LW_OK) return (double)NAN;
  return b->start + b->events + here.work;
}

/* Tolerance of the energy balance at t, where the energies are these two. */
static double explain(const lw_simulation *sim, double t, const double energy[2])
{
  lwi_balance seen = sim->balance;
  const lwi_balance *b = &seen;
  note_energy(&seen, energy);
  const lwi_balance_sum *s = t >= b->to ? &b->now : &b->then;
  const double relative = fmax(sim->options.rtol, 1e-12) * b->most,
               sums = 64 * DBL_EPSILON * (fabs(b->start) + fabs(b->events) + fabs(s->work)),
               rounding = 1e-12 * b->magnitude + relative + sums,
               drift = lwi_is_constrained(sim->m) ? DRIFT : 1;
  if (has_fixed_steps(sim)) {
    const bool rk4 = sim->options.integrator == LW_INTEGRATOR_RK4;
    return (rk4 ? PART_RK4 : PART_EULER) * fmax(b->most, fabs(s->work)) + rounding;
  }
  const double steps = ESTIMATE * fmin(s->sum, RANDOM * sqrt(s->squares) + BIASED * s->sum);
  return steps + drift * b->each + SAFETY * s->quadrature + rounding;
}

lw_status lw_simulation_energy(const lw_simulation *sim, lw_energy_balance *out)
{
  if (!sim || !out) return LW_E_ARG;
  const lwi_balance *b = &sim->balance;
  const double t = sim->wanted, expected = lwi_balance_expect(sim, t);
  double energy[2];
  const lw_status status = lwi_power_energy(&sim->power, sim->q, sim->u, energy);
  if (status != LW_OK) return status;
  *out = (lw_energy_balance){.kinetic = energy[0],
                             .potential = energy[1],
                             .work = expected - b->start - b->events,
                             .events = b->events,
                             .error = energy[0] + energy[1] - expected,
                             .explained = explain(sim, t, energy),
                             .unknown_since = b->unknown,
                             .closest = b->closest,
                             .closest_at = b->closest_at};
  return LW_OK;
}

double lwi_simulation_expected_energy(const lw_simulation *sim, double t)
{
  return lwi_balance_expect(sim, t);
}
