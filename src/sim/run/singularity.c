/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.c -- finds the singular configurations that a run passes, by bisection and parabolas
   on the distance r of tree/loops/regularity.h.  See singularity.h. */
#include "sim/run/singularity.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/regularity.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, DEEPEST = 50, NARROWINGS = 40, MOST_LOOKS = 100000, FEW_LOOKS = 5000 };
static const double STEEP = 3;       /* bound of the change of r per rotation of the joints */
static const double NARROW = 0.3;    /* change of r within which there is one minimum */
static const double SINGULAR = 1e-5; /* r of configurations that count as singular */
/* relative to the accelerations that the speeds require: more cannot belong to a motion */
static const double IMPOSSIBLE = 1e-4;
static const double THERE = 1e-7; /* r of a state that is singular up to rounding errors */
static const double CLOSE = 1e-3; /* small r that is still large compared with rounding errors */

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s)
{
  if (!lwi_is_constrained(s->m) || s->m->tree_constraints.link_system) return true;
  x->probe = lw_work_new(s->m);
  x->q = calloc(2 * (size_t)lw_nq(s->m) + 1, sizeof *x->q);
  x->rank = 0;
  return x->probe && x->q;
}

void lwi_singularities_free(lwi_singularities *x)
{
  lw_work_free(x->probe);
  free(x->q);
  free(x->found);
}

/* ---- distances ---- */

void lwi_singularities_measure(lwi_singularities *x, const lw_model *m, double t, const double q[],
                               const double u[])
{
  x->now = (lwi_distance){.t = t, .r = 1};
  if (!x->probe) return;
  if (m->nq) memcpy(x->q + m->nq, q, (size_t)m->nq * sizeof(double));
  x->now.r = lwi_regularity(m, x->probe, q, &x->rank);
  x->now.speed = lwi_regularity_speed(m, x->probe, u);
}

/* The same for y without projection, with the rank decided at the last state measured. */
static bool measure_y(lwi_singularities *x, const lw_model *m, double t, const double y[])
{
  if (m->nq) memcpy(x->q, y, (size_t)m->nq * sizeof(double));
  if (lw_normalize(m, x->q) != LW_OK) return false;
  x->now = (lwi_distance){.t = t, .r = lwi_regularity_near(m, x->probe, x->q, x->rank)};
  x->now.speed = lwi_regularity_speed(m, x->probe, y + m->nq);
  if (x->now.r == 0) lwi_regularity(m, x->probe, x->q + m->nq, &x->rank);
  return true;
}

/* y within the last step, without projection, which is not defined at a singular configuration. */
static bool find_y(lw_simulation *sim, double t)
{
  return lwi_simulation_find_y(sim, t) == LW_OK;
}

/* Returns false if the state is not available. */
static bool measure_at(lw_simulation *sim, double t, lwi_distance *out)
{
  lwi_singularities *x = &sim->singularities;
  const lw_model *m = sim->system->m;
  x->looked++;
  if (!find_y(sim, t) || !measure_y(x, m, t, sim->y)) return false;
  *out = x->now;
  return true;
}

/* Degrees of freedom of y and of the nearest state: off the constraints, redundant rows seem
   independent.  there: r that counts as zero. */
static int freedoms_at(lw_simulation *sim, double t, double there)
{
  lwi_singularities *x = &sim->singularities;
  const lw_model *m = sim->system->m;
  int most = -1;
  if (find_y(sim, t)) {
    memcpy(x->q, sim->y, (size_t)m->nq * sizeof(double));
    if (lw_normalize(m, x->q) == LW_OK) most = lwi_regularity_freedoms(m, x->probe, x->q, there);
  }
  if (lwi_simulation_find_state(sim, t) == LW_OK) {
    const int there_too = lwi_regularity_freedoms(m, x->probe, sim->q, there);
    most = there_too > most ? there_too : most;
  }
  lwi_regularity(m, x->probe, x->q + m->nq, &x->rank); /* with the rank as before */
  return most;
}

static int usual_freedoms(const lw_simulation *sim)
{
  return sim->system->m->ndof - sim->singularities.rank;
}

/* r that counts as zero: the constraints hold up to integration errors. */
static double singular(const lw_simulation *sim)
{
  return SINGULAR + 30 * sim->options.rtol;
}

/* Upper bound of the change of r between two states. */
static double reach(const lwi_distance *a, const lwi_distance *b)
{
  return STEEP * fmax(a->speed, b->speed) * (b->t - a->t);
}

/* ---- one of them ---- */

static lw_status add(lwi_singularities *x, lw_singularity one)
{
  if (x->n >= MOST) return LW_OK;
  if (x->n == x->capacity) {
    const int more = 2 * x->capacity + 8;
    lw_singularity *found = realloc(x->found, (size_t)more * sizeof *found);
    if (!found) return LW_E_MEMORY;
    x->found = found;
    x->capacity = more;
  }
  x->found[x->n++] = one;
  return LW_OK;
}

/* The next time to try: the minimum of the parabola through r^2 at three times, r_m < r_a, r_b, or
   occasionally the middle of the wider side. */
static double next_time(const lwi_distance *a, const lwi_distance *m, const lwi_distance *b, int k)
{
  const double left = m->t - a->t, right = b->t - m->t, f = m->r * m->r;
  const double rise_a = (a->r * a->r - f) / left, rise_b = (b->r * b->r - f) / right;
  const double t = m->t + 0.5 * (rise_a * right - rise_b * left) / (rise_a + rise_b);
  const double halves = left > right ? m->t - 0.5 * left : m->t + 0.5 * right;
  return k % 5 < 4 && t > a->t && t < b->t && t != m->t ? t : halves;
}

/* The zero of r from states at t - d and t + d: there r is the absolute value of a smooth function,
   and states can be projected. */
static bool find_zero(lw_simulation *sim, double t, double d, double *out)
{
  lwi_singularities *x = &sim->singularities;
  double r[2];
  for (int i = 0; i < 2; i++) {
    const double at = i ? t + d : t - d;
    if (lwi_simulation_find_state(sim, at) != LW_OK) return false;
    lwi_singularities_measure(x, sim->system->m, at, sim->q, sim->u);
    r[i] = x->now.r;
  }
  *out = t + d * (r[0] - r[1]) / (r[0] + r[1]);
  return r[0] + r[1] > 0;
}

/* Extrapolated from two distances d; the error is of fourth order. */
static double polish(lw_simulation *sim, const lwi_distance *a, double t, const lwi_distance *b)
{
  const lwi_singularities *x = &sim->singularities;
  const double slope = fmax(a->r / (t - a->t), b->r / (b->t - t));
  const double scratch = 0.49 * fmin(t - x->last.t, x->to - t), d = fmin(CLOSE / slope, scratch);
  double one, two;
  if (!find_zero(sim, t, d, &one) || !find_zero(sim, t, 2 * d, &two)) return t;
  return (4 * one - two) / 3;
}

/* r_m < r_a, r_b: finds the singular configuration in between, if r vanishes there. */
static lw_status locate(lw_simulation *sim, lwi_distance a, lwi_distance m, lwi_distance b)
{
  const lwi_distance before = a, behind = b;
  const double zero = singular(sim);
  for (int k = 0; k < NARROWINGS && m.r > zero; k++) {
    lwi_distance c;
    if (!measure_at(sim, next_time(&a, &m, &b, k), &c) || !(c.t > a.t && c.t < b.t) || c.t == m.t)
      break;
    const bool lower = c.r < m.r;
    lwi_distance *side = (c.t < m.t) == lower ? &b : &a;
    *side = lower ? m : c;
    if (lower) m = c;
  }
  if (!(m.r <= zero)) return LW_OK;
  const double t = polish(sim, &before, m.t, &behind);
  const int there = freedoms_at(sim, t, 3 * zero);
  const int usual = usual_freedoms(sim);
  if (there <= usual) return LW_OK;
  return add(&sim->singularities, (lw_singularity){t, usual, there});
}

/* ---- all of them ---- */

/* A state between the two that is not exactly singular.  Returns false if there is none: the
   mechanism rests at a singular configuration. */
static bool split(lw_simulation *sim, const lwi_distance *a, const lwi_distance *b,
                  lwi_distance *out)
{
  static const double parts[] = {0.5, 0.437, 0.571, 0.281};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (measure_at(sim, a->t + parts[i] * (b->t - a->t), out) && out->r > THERE && out->t > a->t &&
        out->t < b->t)
      return true;
  return false;
}

/* Reports too many revolutions: each of them must be examined. */
static lw_status fail_too_many_turns(lw_simulation *sim)
{
  const lwi_singularities *x = &sim->singularities;
  return lwi_integrator_fail(
      sim->integrator, LW_E_NOT_CONVERGED,
      "joints of closed loops turn too far in the step from t = %.9g to search for singular "
      "configurations, at %.3g rad/s for %.3g s; shorter steps help (--step)",
      x->last.t, x->now.speed, x->to - x->last.t);
}

static lw_status scan(lw_simulation *sim, lwi_distance a, lwi_distance b, int depth)
{
  lwi_distance m;
  if (sim->singularities.looked > sim->singularities.most) return fail_too_many_turns(sim);
  const bool narrow = reach(&a, &b) < NARROW;
  if (a.r + b.r > reach(&a, &b) || depth == 0) return LW_OK;
  if (narrow && fmin(a.r, b.r) < THERE) return LW_OK; /* that end is examined by watch_ends */
  if (!split(sim, &a, &b, &m)) return LW_OK;
  if (narrow && m.r < a.r && m.r < b.r) return locate(sim, a, m, b);
  const lw_status status = scan(sim, a, m, depth - 1);
  return status == LW_OK ? scan(sim, m, b, depth - 1) : status;
}

/* A step may end at a singular configuration.  It was passed if the next step leaves it; a
   mechanism that slows down towards it stays. */
static lw_status watch_ends(lw_simulation *sim, const lwi_distance *a, const lwi_distance *b)
{
  lwi_singularities *x = &sim->singularities;
  lw_status status = LW_OK;
  if (a->r < THERE && b->r >= THERE && !isnan(x->arrived.time)) status = add(x, x->arrived);
  x->arrived.time = (double)NAN;
  if (a->r < THERE || b->r >= THERE) return status;
  const int usual = usual_freedoms(sim), there = freedoms_at(sim, b->t, 3 * singular(sim));
  if (there > usual) x->arrived = (lw_singularity){b->t, usual, there};
  return status;
}

void lwi_singularities_begin(lwi_singularities *x)
{
  x->last = x->now;
  x->arrived.time = (double)NAN; /* an initial state at one is not passed */
}

bool lwi_singularities_forbid(const lw_model *m, lw_work *w, double t, const double q[],
                              const double u[])
{
  int i = 0;
  return lwi_regularity_contradiction(m, w, t, q, u, 3 * SINGULAR, &i) > IMPOSSIBLE;
}

lw_status lwi_singularities_begin_anew(lwi_singularities *x, const lw_model *m, double t,
                                       const double q[], const double u[], lw_error *err)
{
  int i = 0;
  lwi_singularities_begin(x);
  if (!x->probe ||
      !(lwi_regularity_contradiction(m, x->probe, t, q, u, 3 * SINGULAR, &i) > IMPOSSIBLE))
    return LW_OK;
  const lwi_tree_constraint *constraint = &m->tree_constraints.constraint[i];
  const bool joint =
      constraint->kind == LWI_TREE_CONSTRAINT_JOINT || constraint->kind == LWI_TREE_CONSTRAINT_LOCK;
  const char *name =
      joint ? m->joint[constraint->id].info.name : m->constraint[constraint->id].info.name;
  const lwi_mark mark = lwi_mark_of(m, name);
  lwi_fail(err, LW_E_SINGULAR,
           "the event at t = %.10g leaves a singular configuration, in which the speeds belong to "
           "no motion that %s \"%s\" allows: kinetic energy would vanish; let it happen in "
           "another configuration, or end the run there (stop: true)",
           t, joint ? "joint" : "constraint", name);
  lwi_locate_error(m->files, mark, err);
  return LW_E_SINGULAR;
}

lw_status lwi_singularities_look(lw_simulation *sim, double t)
{
  lwi_singularities *x = &sim->singularities;
  lwi_integrator *it = sim->integrator;
  const lwi_distance now = x->now, a = x->last;
  lwi_distance b = now;
  if (!x->probe || !(t > a.t)) return LW_OK;
  if (b.t != t && !measure_at(sim, t, &b)) b = now;
  x->to = t;
  x->looked = 0;
  lwi_failing_part unused; /* a driver that grows without bound: not all revolutions are examined */
  const bool pole = sim->approaching > 0 && lwi_switches_find_pole(&sim->switches, sim->m, &unused);
  x->most = pole ? FEW_LOOKS : MOST_LOOKS;
  /* speeds without bound: the motion ends, and the next step reports why */
  const bool moves = isfinite(a.speed) && isfinite(b.speed);
  lw_status status = moves ? scan(sim, a, b, DEEPEST) : LW_OK;
  if (sim->approaching > 0) sim->approaching += (int)fmin((double)x->looked, FEW_LOOKS);
  if (status == LW_OK) status = watch_ends(sim, &a, &b);
  x->now = now;
  x->last = b;
  if (status == LW_OK || status == LW_E_NOT_CONVERGED) return status;
  return lwi_integrator_fail(it, status, "singular configurations cannot be searched for: %s",
                             lw_status_text(status));
}
