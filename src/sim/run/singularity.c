/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.c -- finds the singular configurations that a run passes, by bisection and parabolas
   on the distance r of tree/loops/regularity.h.  See singularity.h. */
#include "sim/run/singularity.h"
#include "base/arena.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "sim/run/singularity_distances.h"
#include "tree/loops/regularity.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, NARROWINGS = 40, MOST_LOOKS = 100000, FEW_LOOKS = 5000 };
static const double STEEP = 3;       /* bound of the change of r per rotation of the joints */
static const double NARROW = 0.3;    /* change of r within which there is one minimum */
static const double SINGULAR = 1e-5; /* r of configurations that count as singular */
/* relative to the accelerations that the speeds require: more cannot belong to a motion */
static const double IMPOSSIBLE = 1e-4;
static const double THERE = 1e-7; /* r of a state that is singular up to rounding errors */
static const double CLOSE = 1e-3; /* small r that is still large compared with rounding errors */

static int usual_freedoms(const lw_simulation *sim)
{
  const lwi_singularities *x = &sim->singularities;
  int rank = 0;
  for (int i = 0; i < x->npart; i++)
    rank += x->rank[i];
  return sim->system->m->ndof - rank;
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

/* Time in which a part moves less than what counts as singular: parts that are singular within it are so together. */
static double together(const lw_simulation *sim, double speed)
{
  const lwi_singularities *x = &sim->singularities;
  return fmin(singular(sim) / (STEEP * speed), 1e-3 * (x->to - x->last.t));
}

/* In order of time, with another part that is singular then. */
static lw_status add(lw_simulation *sim, double t, int freedoms, double same)
{
  lwi_singularities *x = &sim->singularities;
  int at = x->n;
  while (at > 0 && x->found[at - 1].time > t)
    at--;
  for (int i = at > 0 ? at - 1 : 0; i <= at && i < x->n; i++)
    if (fabs(x->found[i].time - t) <= same && x->found[i].time >= x->last.t) {
      x->found[i].dof_there += freedoms;
      return LW_OK;
    }
  if (x->n >= MOST) return LW_OK;
  if (!lwi_grow(&x->found, x->n, &x->capacity, sizeof *x->found)) return LW_E_MEMORY;
  memmove(x->found + at + 1, x->found + at, (size_t)(x->n - at) * sizeof *x->found);
  const int usual = usual_freedoms(sim);
  x->found[at] = (lw_singularity){t, usual, usual + freedoms};
  x->n++;
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
static bool find_zero(lw_simulation *sim, int part, double t, double d, double *out)
{
  lwi_singularities *x = &sim->singularities;
  double r[2];
  for (int i = 0; i < 2; i++) {
    if (lwi_simulation_find_state(sim, i ? t + d : t - d) != LW_OK) return false;
    lwi_singularities_measure_state(x, sim->system->m, sim->q, sim->u, &x->scratch);
    r[i] = x->scratch.r[part];
  }
  *out = t + d * (r[0] - r[1]) / (r[0] + r[1]);
  return r[0] + r[1] > 0;
}

/* Extrapolated from two distances d; the error is of fourth order. */
static double polish(lw_simulation *sim, const lwi_bracket *k)
{
  const lwi_singularities *x = &sim->singularities;
  const double t = k->m.t;
  const double slope = fmax(k->ends[0].r / (t - k->ends[0].t), k->ends[1].r / (k->ends[1].t - t));
  const double scratch = 0.49 * fmin(t - x->last.t, x->to - t), d = fmin(CLOSE / slope, scratch);
  double one, two;
  if (!find_zero(sim, k->part, t, d, &one) || !find_zero(sim, k->part, t, 2 * d, &two)) return t;
  return (4 * one - two) / 3;
}

/* c: another state.  False: it is not within. */
static bool narrow(lwi_bracket *k, lwi_distance c)
{
  if (!(c.t > k->a.t && c.t < k->b.t) || c.t == k->m.t) return false;
  const bool lower = c.r < k->m.r;
  lwi_distance *side = (c.t < k->m.t) == lower ? &k->b : &k->a;
  *side = lower ? k->m : c;
  if (lower) k->m = c;
  return true;
}

/* Reports the singular configuration of bracket[i], with all that are singular then. */
static lw_status report(lw_simulation *sim, int i, int n)
{
  lwi_singularities *x = &sim->singularities;
  lwi_bracket *const k = x->bracket;
  const double zero = singular(sim), same = together(sim, k[i].m.speed);
  const double t = polish(sim, &k[i]);
  int more = 0;
  lwi_singularities_find_ranks(sim, t, 3 * zero);
  for (int j = i; j < n; j++) {
    if (k[j].m.r > zero || fabs(k[j].m.t - k[i].m.t) > same) continue;
    more += lwi_singularities_more_freedoms(x, k[j].part);
    k[j].known = true;
  }
  return more > 0 ? add(sim, t, more, same) : LW_OK;
}

/* Finds the singular configurations within bracket[0 .. n - 1], where r vanishes there.  A state
   that is measured for one of them narrows all. */
static lw_status locate(lw_simulation *sim, int n)
{
  lwi_singularities *x = &sim->singularities;
  const double zero = singular(sim);
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    lwi_bracket *const k = &x->bracket[i];
    for (int count = 0; count < NARROWINGS && k->m.r > zero; count++) {
      if (!lwi_singularities_measure_at(sim, next_time(&k->a, &k->m, &k->b, count), &x->scratch))
        break;
      for (int j = i + 1; j < n; j++)
        narrow(&x->bracket[j], lwi_distance_of(&x->scratch, x->bracket[j].part));
      if (!narrow(k, lwi_distance_of(&x->scratch, k->part))) break;
    }
    if (k->m.r <= zero && !k->known) status = report(sim, i, n);
  }
  return status;
}

/* ---- all of them ---- */

/* A state between the two at which no part of the list is exactly singular.  Returns false if there
   is none: the mechanism rests at a singular configuration. */
static bool split(lw_simulation *sim, double a, double b, const int part[], int n,
                  lwi_distances *out)
{
  static const double fraction[] = {0.5, 0.437, 0.571, 0.281};
  for (size_t i = 0; i < sizeof fraction / sizeof *fraction; i++) {
    bool regular = lwi_singularities_measure_at(sim, a + fraction[i] * (b - a), out) &&
                   out->t > a && out->t < b;
    for (int k = 0; k < n && regular; k++)
      regular = out->r[part[k]] > THERE;
    if (regular) return true;
  }
  return false;
}

/* Reports too many revolutions: each of them must be examined. */
static lw_status fail_too_many_turns(lw_simulation *sim)
{
  const lwi_singularities *x = &sim->singularities;
  double fastest = 0;
  for (int i = 0; i < x->npart; i++)
    fastest = fmax(fastest, x->end.speed[i]);
  return lwi_integrator_fail(
      sim->integrator, LW_E_NOT_CONVERGED,
      "joints of closed loops turn too far in the step from t = %.9g to search for singular "
      "configurations, at %.3g rad/s for %.3g s; shorter steps help (--step)",
      x->last.t, fastest, x->to - x->last.t);
}

/* Can a part be singular between the two, as far as their distances tell? */
static bool is_open(const lwi_distance *a, const lwi_distance *b)
{
  if (a->r + b->r > reach(a, b)) return false;
  /* an end that is singular is examined by watch_ends */
  return !(reach(a, b) < NARROW && fmin(a->r, b->r) < THERE);
}

/* The parts of open[depth][0 .. n - 1] that are not excluded between a and b, in open[depth + 1]. */
static int find_open(lwi_singularities *x, const lwi_distances *a, const lwi_distances *b,
                     int depth, int n)
{
  int rest = 0;
  for (int k = 0; k < n; k++) {
    const int part = x->open[depth][k];
    const lwi_distance from = lwi_distance_of(a, part), to = lwi_distance_of(b, part);
    if (is_open(&from, &to)) x->open[depth + 1][rest++] = part;
  }
  return rest;
}

/* Those of the *n parts whose r is least at m become brackets, which are returned. */
static int find_brackets(lwi_singularities *x, const lwi_distances *a, const lwi_distances *m,
                         const lwi_distances *b, int part[], int *n)
{
  int rest = 0, found = 0;
  for (int k = 0; k < *n; k++) {
    const lwi_distance d[3] = {lwi_distance_of(a, part[k]), lwi_distance_of(m, part[k]),
                               lwi_distance_of(b, part[k])};
    if (reach(&d[0], &d[2]) < NARROW && d[1].r < d[0].r && d[1].r < d[2].r)
      x->bracket[found++] = (lwi_bracket){part[k], d[0], d[1], d[2], {d[0], d[2]}, false};
    else
      part[rest++] = part[k];
  }
  *n = rest;
  return found;
}

/* Between a and b; of the parts open[depth][0 .. n - 1]. */
static lw_status scan(lw_simulation *sim, const lwi_distances *a, const lwi_distances *b, int depth,
                      int n)
{
  lwi_singularities *x = &sim->singularities;
  if (x->looked > x->most) return fail_too_many_turns(sim);
  if (depth == LWI_SINGULAR_DEPTH) return LW_OK;
  int *const part = x->open[depth + 1], rest = find_open(x, a, b, depth, n);
  lwi_distances *const m = &x->middle[depth];
  if (rest == 0 || !split(sim, a->t, b->t, part, rest, m)) return LW_OK;
  const int brackets = find_brackets(x, a, m, b, part, &rest);
  lw_status status = brackets > 0 ? locate(sim, brackets) : LW_OK;
  if (status == LW_OK) status = scan(sim, a, m, depth + 1, rest);
  return status == LW_OK ? scan(sim, m, b, depth + 1, rest) : status;
}

/* A step may end at a singular configuration.  It was passed if the next step leaves it; a
   mechanism that slows down towards it stays. */
static lw_status watch_ends(lw_simulation *sim)
{
  lwi_singularities *x = &sim->singularities;
  lw_status status = LW_OK;
  bool arrives = false;
  for (int i = 0; i < x->npart && status == LW_OK; i++) {
    lwi_arrival *const a = &x->arrival[i];
    if (x->last.r[i] < THERE && x->end.r[i] >= THERE && a->freedoms > 0)
      status = add(sim, a->time, a->freedoms, together(sim, x->last.speed[i]));
    a->freedoms = 0;
    arrives = arrives || (x->last.r[i] >= THERE && x->end.r[i] < THERE);
  }
  if (!arrives) return status;
  lwi_singularities_find_ranks(sim, x->end.t, 3 * singular(sim));
  for (int i = 0; i < x->npart; i++)
    if (x->last.r[i] >= THERE && x->end.r[i] < THERE)
      x->arrival[i] = (lwi_arrival){x->end.t, lwi_singularities_more_freedoms(x, i)};
  return status;
}

void lwi_singularities_begin(lwi_singularities *x)
{
  lwi_distances_copy(x, &x->now, &x->last);
  for (int i = 0; i < x->npart; i++)
    x->arrival[i].freedoms = 0; /* an initial state at one is not passed */
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

/* All parts between the last time and x->end. */
static lw_status look(lw_simulation *sim)
{
  lwi_singularities *x = &sim->singularities;
  bool moves = true; /* speeds without bound: the motion ends, and the next step reports why */
  for (int i = 0; i < x->npart; i++) {
    x->open[0][i] = i;
    moves = moves && isfinite(x->last.speed[i]) && isfinite(x->end.speed[i]);
  }
  const lw_status status = moves ? scan(sim, &x->last, &x->end, 0, x->npart) : LW_OK;
  return status == LW_OK ? watch_ends(sim) : status;
}

lw_status lwi_singularities_look(lw_simulation *sim, double t)
{
  lwi_singularities *x = &sim->singularities;
  lwi_integrator *it = sim->integrator;
  if (!x->probe || !(t > x->last.t)) return LW_OK;
  if (x->now.t == t || !lwi_singularities_measure_at(sim, t, &x->end))
    lwi_distances_copy(x, &x->now, &x->end);
  x->to = t;
  x->looked = 0;
  lwi_failing_part unused; /* a driver that grows without bound: not all revolutions are examined */
  const bool pole = sim->approaching > 0 && lwi_switches_find_pole(&sim->switches, sim->m, &unused);
  x->most = pole ? FEW_LOOKS : MOST_LOOKS;
  const lw_status status = look(sim);
  if (sim->approaching > 0) sim->approaching += (int)fmin((double)x->looked, FEW_LOOKS);
  lwi_distances_copy(x, &x->end, &x->last);
  if (status == LW_OK || status == LW_E_NOT_CONVERGED) return status;
  return lwi_integrator_fail(it, status, "singular configurations cannot be searched for: %s",
                             lw_status_text(status));
}
