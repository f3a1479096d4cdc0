/* SPDX-License-Identifier: Apache-2.0 */
/* equilibrium.c -- static equilibrium.

   Downhill: implicit steps of the overdamped motion M xdot = -load,

     (K + mu M) z = -load,    q <- q moved by N z, then back onto the constraints

   mu = 0 is Newton's method; a large mu follows the motion that a very viscous fluid would allow.
   mu is raised until K + mu M is positive definite, so that loads do work along z, and adapted to
   how well that work is predicted: a trust region.  The work comes from the loads at both ends of
   the step, so that forces without a potential are no exception.

   Nearest: Newton's method, steps shortened until the remaining load falls; it ends at
   equilibria of any kind.  Where downhill leads nowhere, because forces without a potential go
   round in circles, this is tried as well. */
#include "math/finite.h"
#include "math/arrays.h"
#include "analysis/lapack.h"
#include "analysis/barrier.h"
#include "analysis/reduced_equations.h"
#include "analysis/state_equations.h"
#include "base/fail.h"
#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

static const double longest_step = 0.5; /* rad, or typical lengths */
static const double too_far = 20;       /* the same, from the start: the mechanism is not held */

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t;
  lw_equilibrium_options o;
  lwi_linearized l, trial; /* at q; of the trial only the loads are used */
  double *q, *next;        /* [nq] */
  const double *start;     /* [nq] */
  double *z, *x;           /* [n], [nu] the step */
  double *A;               /* [nu][nu] */
  int *pivot;              /* [nu] */
  double *scratch;         /* [2 nq + nu] */
  double mu, scale;
  int steps;
  const lwi_barrier *barrier; /* NULL: none */
  double part;                /* of the step in `next` */
  bool blocked;               /* the last step has reached the barrier ... */
  bool nears;                 /* ... has come nearer to it */
} search;

/* ---- one step ---- */

static double diagonal_ratio(const search *s)
{
  const int n = s->l.r.n;
  double most = 0;
  for (int i = 0; i < n; i++)
    if (s->l.M[i * n + i] > 0) most = fmax(most, fabs(s->l.K[i * n + i]) / s->l.M[i * n + i]);
  return most > 0 ? most : 1;
}

/* z = -(K + mu M)^-1 load.  Returns false if the matrix is not definite, or singular. */
static bool solve(search *s, double mu, bool definite)
{
  const int n = s->l.r.n;
  const double *K = s->l.K, *M = s->l.M;
  if (definite) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s->A[i * n + j] = 0.5 * (K[i * n + j] + K[j * n + i]) + mu * M[i * n + j];
    if (!lwi_lapack_is_definite(n, s->A)) return false;
  }
  for (int i = 0; i < n * n; i++)
    s->A[i] = K[i] + mu * M[i];
  for (int i = 0; i < n; i++)
    s->z[i] = -s->l.load[i];
  if (lwi_lapack_solve(n, s->A, s->pivot, s->z) != LW_OK) return false;
  return isfinite(lwi_largest_or_nan(s->z, n));
}

/* x = N z, shortened */
static void expand(search *s)
{
  const lwi_reduced *r = &s->l.r;
  const double limit = longest_step * fmax(1, s->m->length);
  memset(s->x, 0, (size_t)r->nu * sizeof(double));
  for (int i = 0; i < r->nu; i++)
    s->x[i] = lwi_dot(r->N + i * r->n, s->z, r->n);
  const double most = lwi_largest_or_nan(s->x, r->nu), part = most > limit ? limit / most : 1;
  for (int i = 0; i < r->nu; i++)
    s->x[i] *= part;
  for (int i = 0; i < r->n; i++)
    s->z[i] *= part;
}

/* next = q moved by part of x, with loops closed; then the loads there. */
static bool try_step(search *s, double part)
{
  const lw_model *m = s->m;
  s->part = part;
  double *rate = s->scratch, *u = rate + m->nq;
  for (int i = 0; i < m->nu; i++)
    u[i] = part * s->x[i];
  lw_coordinate_rates(m, s->q, u, rate);
  for (int i = 0; i < m->nq; i++)
    s->next[i] = s->q[i] + rate[i];
  memset(u, 0, (size_t)m->nu * sizeof(double));
  if (lw_normalize(m, s->next) != LW_OK) return false;
  if (lw_project(s->w, s->t, s->next, u) != LW_OK) return false;
  return lwi_reduced_balance(&s->trial.r, s->w, s->t, s->next, s->trial.u, s->trial.udot) == LW_OK;
}

/* A step that would pass the barrier ends there. */
static void stop_at_barrier(search *s)
{
  double inside = 0, outside = s->part;
  for (int i = 0; i < 60; i++) {
    const double part = 0.5 * (inside + outside);
    if (try_step(s, part) && s->barrier->distance(s->barrier->context, s->next) >= 0)
      inside = part;
    else
      outside = part;
  }
  s->blocked = try_step(s, inside);
}

static void accept(search *s)
{
  if (s->barrier) {
    const double after = s->barrier->distance(s->barrier->context, s->next);
    s->nears = after < s->barrier->distance(s->barrier->context, s->q);
    if (after < 0) stop_at_barrier(s);
  }
  if (s->m->nq) memcpy(s->q, s->next, (size_t)s->m->nq * sizeof(double));
}

static double size_of(const lwi_reduced *r)
{
  return sqrt(lwi_dot(r->remains, r->remains, r->nu));
}

/* Ratio of actual to predicted work: 1 for a quadratic potential. */
static double work_ratio(const search *s)
{
  const lwi_reduced *r = &s->l.r;
  const int n = r->n;
  double curve = 0;
  for (int i = 0; i < n; i++)
    curve += s->z[i] * lwi_dot(s->l.K + i * n, s->z, n);
  const double before = lwi_dot(s->l.load, s->z, n);
  const double after = lwi_dot(s->trial.r.remains, s->x, r->nu);
  return 0.5 * (before + after) / (before + 0.5 * curve);
}

/* Returns false if no step reduces the loads. */
static bool step_downhill(search *s)
{
  const double unit = diagonal_ratio(s), before = size_of(&s->l.r);
  for (int tries = 0; tries < 60; tries++) {
    const bool definite = solve(s, s->mu, true);
    if (definite) {
      expand(s);
      if (try_step(s, 1)) {
        const double ratio = work_ratio(s), after = size_of(&s->trial.r);
        if (ratio > 1e-3 || after <= 0.5 * before) {
          s->mu = ratio > 0.75 && ratio < 1.5 ? 0.1 * s->mu : ratio < 0.25 ? 4 * s->mu : s->mu;
          if (s->mu < 1e-11 * unit) s->mu = 1e-11 * unit;
          accept(s);
          return true;
        }
      }
    }
    s->mu = fmax(4 * s->mu, 1e-6 * unit);
  }
  return false;
}

static bool step_nearest(search *s)
{
  const double before = size_of(&s->l.r), unit = diagonal_ratio(s);
  if (!solve(s, 0, false) && !solve(s, 1e-10 * unit, false)) return false;
  expand(s);
  for (double part = 1; part > 1e-6; part *= 0.5) {
    if (!try_step(s, part) || !(size_of(&s->trial.r) < (1 - 1e-4 * part) * before)) continue;
    accept(s);
    return true;
  }
  return false;
}

/* ---- the search ---- */

/* What moves away may still be stopped by something that is about to close. */
static bool is_lost(const search *s)
{
  if (s->nears) return false;
  for (int i = 0; i < s->m->nq; i++)
    if (fabs(s->q[i] - s->start[i]) > too_far * fmax(1, s->m->length)) return true;
  return false;
}

static lw_status evaluate_loads(search *s)
{
  const lw_status status = lwi_linearized_rest(&s->l, s->w, s->t, s->q);
  s->scale = fmax(fmax(s->l.stiffness, lwi_largest_or_nan(s->l.r.required_tau, s->l.r.nu)), 1e-300);
  return status;
}

static const char *speed_joint(const lw_model *m, int u)
{
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    if (!j->cut && u >= j->u && u < j->u + j->nu) return j->name;
  }
  return "";
}

/* If no inertia resists some motion, neither the steps nor their metric exist. */
static bool has_inertia(search *s)
{
  const int n = s->l.r.n;
  memcpy(s->A, s->l.M, (size_t)n * (size_t)n * sizeof(double));
  return lwi_lapack_is_definite(n, s->A);
}

/* Which joint has moved furthest from the start; load: on those of its speeds that are
   independent. */
static const char *lost_joint(const search *s, double *load)
{
  const lwi_reduced *r = &s->l.r;
  const lw_joint_info *lost = NULL;
  double most = 0;
  for (int i = 1; i <= s->m->njoint; i++) {
    const lw_joint_info *j = &s->m->joint[i].info;
    for (int k = j->q; k < j->q + j->nq && !j->cut; k++)
      if (fabs(s->q[k] - s->start[k]) > most) most = fabs(s->q[k] - s->start[k]), lost = j;
  }
  *load = 0;
  for (int i = 0; i < r->n && lost; i++)
    if (r->independent[i] >= lost->u && r->independent[i] < lost->u + lost->nu)
      *load = fmax(*load, fabs(s->l.load[i]));
  return lost ? lost->name : "";
}

/* The independent speed that would have to go furthest against its own stiffness. */
static int least_held(const search *s)
{
  const int n = s->l.r.n;
  double most = -1;
  int worst = 0;
  for (int i = 0; i < n; i++) {
    const double way =
        fabs(s->l.load[i]) / (fabs(s->l.K[i * n + i]) + 1e-12 * s->l.stiffness + 1e-300);
    if (way > most) most = way, worst = i;
  }
  return worst;
}

static lw_status fail_unbalanced(search *s, lw_error *err)
{
  const lwi_reduced *r = &s->l.r;
  const int worst = least_held(s);
  const char *name = r->n ? speed_joint(s->m, r->independent[worst]) : "";
  double load;
  if (!has_inertia(s))
    return lw_explain(s->w, s->t, s->q, NULL, LW_E_SINGULAR, "the equilibrium cannot be found",
                      err);
  if (is_lost(s)) {
    const char *lost = lost_joint(s, &load);
    return lwi_fail(err, LW_E_NOT_CONVERGED,
                    "there is no equilibrium: nothing holds joint \"%s\" against a load of %.3g, "
                    "it moves away without end",
                    lost, load);
  }
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "no equilibrium was found in %d steps: joint \"%s\" is still driven by a load of "
                  "%.3g (scale %.3g); another start may lead to one",
                  s->steps, name, fabs(s->l.load[worst]), s->scale);
}

typedef bool one_step(search *s);

/* Tells how far the search is: by powers of ten of the remaining loads, since they fall by factors. */
static bool is_stopped(const search *s, double first, double best)
{
  const double target = s->o.tolerance * s->scale, way = log(first / target);
  double done = way > 0 ? log(first / best) / way : 1;
  done = isfinite(done) ? fmax(0, fmin(done, 1)) : 0;
  return s->o.on_step && s->o.on_step(s->o.context, done) != 0;
}

/* Takes steps until the loads are rounding errors, or cannot be reduced. */
static lw_status walk(search *s, one_step *step, lw_error *err)
{
  double best = HUGE_VAL, first = 0;
  for (int idle = 0, steps = 0;; s->steps++, steps++) {
    const lw_status status = evaluate_loads(s);
    if (status != LW_OK)
      return lw_explain(s->w, s->t, s->q, NULL, status, "the loads at rest cannot be computed",
                        err);
    const double left = lwi_largest_or_nan(s->l.load, s->l.r.n);
    const bool good = left <= s->o.tolerance * s->scale;
    idle = left < 0.5 * best ? 0 : idle + 1;
    best = fmin(best, left);
    first = fmax(first, left);
    if (is_stopped(s, first, best)) return lwi_fail(err, LW_E_STOPPED, "interrupted");
    if (left == 0 || (good && (idle > 0 || left <= 1e-15 * s->scale))) return LW_OK;
    const bool over = is_lost(s) || steps >= s->o.most_steps;
    if (s->blocked) return LW_OK;
    if (over || !step(s)) return good ? LW_OK : fail_unbalanced(s, err);
  }
}

static void go_back(search *s)
{
  if (s->m->nq) memcpy(s->q, s->start, (size_t)s->m->nq * sizeof(double));
}

/* Forces without a potential: the descent may not converge. */
static bool is_circulatory(const search *s)
{
  const int n = s->l.r.n;
  double off = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      off = fmax(off, fabs(s->l.K[i * n + j] - s->l.K[j * n + i]));
  return off > 1e-6 * s->l.stiffness;
}

static lw_status find(search *s, lw_error *err)
{
  go_back(s);
  if (s->o.nearest) return walk(s, step_nearest, err);
  const lw_status status = walk(s, step_downhill, err);
  if (status != LW_E_NOT_CONVERGED || is_lost(s) || !is_circulatory(s)) return status;
  go_back(s);
  return walk(s, step_nearest, NULL) == LW_OK ? LW_OK : status;
}

/* ---- what was found ---- */

/* Classifies directions by the eigenvalues of the reduced stiffness, in the metric of M. */
static lw_status judge_stiffness(search *s, lw_equilibrium_report *out)
{
  const lwi_reduced *r = &s->l.r;
  double *square = s->z;
  const lw_status status = lwi_linearized_stiffness(&s->l, square, s->A);
  const double most = lwi_largest_or_nan(square, r->n);
  for (int k = 0; k < r->n && status == LW_OK; k++) {
    const double noise = lwi_linearized_noise(r->N, s->A, r->nu, r->n, k, s->l.stiffness, most);
    out->unstable += square[k] < -noise;
    out->neutral += fabs(square[k]) <= noise;
  }
  return status;
}

/* Without a potential stability follows from the modes: do any grow? */
static lw_status judge_motion(const lw_linearization *l, lw_equilibrium_report *out)
{
  lw_error err = {0};
  lw_modes *modes = lw_modes_new(l, &err);
  if (!modes) return err.status;
  const double most = modes->n ? modes->mode[modes->n - 1].frequency : 0;
  for (int k = 0; k < modes->n; k++) {
    const lw_mode *mode = &modes->mode[k];
    out->unstable += mode->kind != LW_MODE_RIGID && mode->real > 1e-9 * most;
    out->neutral += mode->kind == LW_MODE_RIGID;
  }
  lw_modes_free(modes);
  return LW_OK;
}

static lw_status judge(search *s, lw_equilibrium_report *out)
{
  lw_error err = {0};
  lw_linearization *l = lw_linearize(s->w, s->t, s->q, NULL, &err);
  if (!l) return err.status;
  const lw_status status = l->symmetric ? judge_stiffness(s, out) : judge_motion(l, out);
  lw_linearization_free(l);
  out->stability = out->unstable ? LW_UNSTABLE : out->neutral ? LW_NEUTRAL : LW_STABLE;
  return status;
}

static lw_status report(search *s, lw_equilibrium_report *out, lw_error *err)
{
  lw_equilibrium_report found = {.steps = s->steps,
                                 .dof = s->l.r.n,
                                 .residual = lwi_largest_or_nan(s->l.load, s->l.r.n),
                                 .scale = s->scale};
  const lw_status status = judge(s, &found);
  if (status != LW_OK)
    return lw_explain(s->w, s->t, s->q, NULL, status, "the stability cannot be judged", err);
  if (out) *out = found;
  return LW_OK;
}

static bool begin(search *s)
{
  const size_t nq = (size_t)s->m->nq, nu = (size_t)s->m->nu;
  s->q = calloc(4 * nq + 4 * nu + nu * nu + 1, sizeof(double));
  s->pivot = calloc(nu + 1, sizeof(int));
  if (!s->q || !s->pivot) return false;
  s->next = s->q + nq;
  s->scratch = s->next + nq;
  s->z = s->scratch + 2 * nq + nu;
  s->x = s->z + nu;
  s->A = s->x + nu;
  return lwi_linearized_init(&s->l, s->m) && lwi_linearized_init(&s->trial, s->m);
}

lw_status lwi_equilibrium_within(lw_work *w, double t, double q[], const lwi_barrier *barrier,
                                 const lw_equilibrium_options *options, lw_equilibrium_report *out,
                                 bool *blocked, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q))
    return lwi_fail(err, LW_E_ARG, "lw_equilibrium: an argument is missing");
  int ns;
  lw_status status = lwi_state_count(m, "its equilibrium is not computed", &ns, err);
  if (status == LW_OK) status = lwi_lapack_ready(err);
  if (status != LW_OK) return status;
  double drift;
  *blocked = false;
  status = lw_drift(w, t, q, &drift);
  if (status != LW_OK || drift > 1e-6 * fmax(1, m->length))
    return lwi_fail(err, status != LW_OK ? status : LW_E_ARG,
                    "lw_equilibrium: q does not satisfy the constraints (lw_close_loops)");
  if (ns > 0) return lwi_state_equilibrium(w, t, q, ns, options, out, err);
  search s = {.m = m,
              .w = w,
              .t = t,
              .start = q,
              .barrier = barrier,
              .o = options ? *options : (lw_equilibrium_options){0}};
  if (s.o.most_steps <= 0) s.o.most_steps = 1000;
  if (!(s.o.tolerance > 0)) s.o.tolerance = 1e-9;
  status = begin(&s) ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) status = find(&s, err);
  *blocked = s.blocked;
  if (status == LW_OK && !s.blocked) status = report(&s, out, err);
  if (status == LW_OK) {
    if (m->nq) memcpy(q, s.q, (size_t)m->nq * sizeof(double));
    status = lw_static_loads(w, t, q, NULL);
  }
  lwi_linearized_free(&s.l);
  lwi_linearized_free(&s.trial);
  free(s.q);
  free(s.pivot);
  return status;
}
