/* SPDX-License-Identifier: Apache-2.0 */
/* state_equilibrium.c -- the equilibrium of a mechanism with states: loads and rates are zero.

   Relaxation: implicit steps of the motion with states, each from rest, of length h,

     [M/h^2 + C/h + K, L; Z, S - 1/h] (z, s) = -(load, rate)

   A short step lets the mechanism fall and the states change as they do by themselves; h without
   end is Newton's method (pseudo-transient continuation, [Deuflhard2004] section 6.4).  h follows
   how well the equations are linear along the step: the correction by the same matrix at its end is
   at most half of it.  The determinant has the sign that it has for short steps: with a longer h
   the step would pass a motion that grows by itself, and lead to an equilibrium that is unstable.
   Limited loads and rates (`clamp`), on which nothing depends to first order, are no obstacle to
   this.

   Nearest, and the end of each relaxation: Newton's method, with steps shortened until the next
   correction by the same matrix is smaller (the natural monotonicity test, section 3.3 there),
   which does not depend on units.  A state whose rate is zero and depends on nothing at rest, such
   as the work of a motor, keeps its value. */
#include "analysis/lapack.h"
#include "analysis/state_search.h"
#include "base/fail.h"
#include "linkwork/query.h"
#include "math/finite.h"

#include <string.h>

typedef lwi_state_search search;

static const double longest_step = 0.5; /* rad, or typical lengths */
static const double too_far = 20;       /* the same, from the start: the mechanism is not held */

static void accept(search *s)
{
  memcpy(s->q, s->next, (size_t)s->m->nq * sizeof(double));
}

/* ---- failures ---- */

static lw_status fail_driven(const search *s, int driven, lw_error *err)
{
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "there is no equilibrium: the rate of state \"%.64s\" is %.3g at rest, whatever "
                  "the position and the other states",
                  s->m->state[s->e.index[driven]].name, s->e.rate[driven]);
}

static lw_status fail_far(const search *s, lw_error *err)
{
  int worst = -1;
  for (int i = 0; i < s->e.ns; i++)
    if (worst < 0 || fabs(s->step[s->l.r.n + i]) / s->weight[i] >
                         fabs(s->step[s->l.r.n + worst]) / s->weight[worst])
      worst = i;
  return lwi_fail(
      err, LW_E_NOT_CONVERGED,
      "no equilibrium was found in %d steps: the rate of state \"%.64s\" is still %.3g, "
      "the largest load %.3g; another start may lead to one",
      s->steps, worst < 0 ? "" : s->m->state[s->e.index[worst]].name,
      worst < 0 ? 0 : s->e.rate[worst], lwi_largest_or_nan(s->l.load, s->l.r.n));
}

static lw_status fail_loads(const search *s, lw_status status, lw_error *err)
{
  return lw_explain(s->w, s->t, s->q, NULL, status, "the loads at rest cannot be computed", err);
}

/* ---- Newton's method ---- */

/* Returns false if no part of the step leads closer. */
static bool take_newton_step(search *s)
{
  const double before = lwi_state_search_measure(s, s->step);
  const double limit = longest_step * fmax(1, s->m->length);
  const double most = lwi_largest_or_nan(s->step, s->l.r.n);
  for (double part = most > limit ? limit / most : 1; part > 1e-8; part *= 0.5) {
    if (!lwi_state_search_move(s, part) || !lwi_state_search_remains(s)) continue;
    if (lwi_state_search_solve(s, s->b, s->trial) != LW_OK) continue;
    if (!(lwi_state_search_measure(s, s->trial) <= (1 - 0.25 * part) * before)) continue;
    accept(s);
    return true;
  }
  return false;
}

/* As in equilibrium.c; nothing is known of the way while it relaxes: 0. */
static bool is_stopped(const search *s, double first, double size)
{
  const double way = first > 0 ? log(first / s->tolerance) : 0;
  double done = way > 0 ? log(first / size) / way : 0;
  done = isfinite(done) ? fmax(0, fmin(done, 1)) : 0;
  return s->on_step && s->on_step(s->context, done) != 0;
}

static lw_status find_nearest(search *s, lw_error *err)
{
  double best = HUGE_VAL, first = 0;
  for (int steps = 0;; s->steps++, steps++) {
    const lw_status status = lwi_state_search_equations(s, s->q);
    if (status != LW_OK) return fail_loads(s, status, err);
    const int driven = lwi_state_search_hold(s);
    if (driven >= 0) return fail_driven(s, driven, err);
    if (lwi_state_search_solve(s, s->b, s->step) != LW_OK) return fail_far(s, err);
    lwi_state_search_weigh(s);
    const double size = lwi_state_search_measure(s, s->step);
    const bool good = size <= s->tolerance;
    first = fmax(first, size);
    if (is_stopped(s, first, size)) return lwi_fail(err, LW_E_STOPPED, "interrupted");
    if (size <= 1e-15 || (good && size > 0.5 * best)) return LW_OK;
    best = fmin(best, size);
    if (steps >= s->most_steps || !take_newton_step(s)) return good ? LW_OK : fail_far(s, err);
  }
}

/* ---- relaxation ---- */

/* out = [M/h^2 + C/h, 0; 0, -1/h] x, what a step of length h adds to J x */
static void add_inertia(const search *s, double h, const double x[], double sign, double out[])
{
  const int n = s->l.r.n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      out[i] += sign * (s->l.M[i * n + j] / h + s->l.C[i * n + j]) / h * x[j];
  for (int i = n; i < n + s->e.ns; i++)
    out[i] -= sign * x[i] / h;
}

/* x = (J + inertia of h)^-1 x.  Returns the sign of the determinant, 0 without a solution. */
static int solve_inertia(search *s, double h, double x[])
{
  const int n = s->l.r.n, k = lwi_state_search_size(s);
  memcpy(s->A, s->J, (size_t)k * (size_t)k * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s->A[i * k + j] += (s->l.M[i * n + j] / h + s->l.C[i * n + j]) / h;
  for (int i = n; i < k; i++)
    s->A[i * k + i] -= 1 / h;
  if (lwi_lapack_solve(k, s->A, s->pivot, x) != LW_OK) return 0;
  if (!isfinite(lwi_largest_or_nan(x, k))) return 0;
  int sign = 1;
  for (int i = 0; i < k; i++) {
    if (s->A[i * k + i] < 0) sign = -sign;
    if (s->pivot[i] != i + 1) sign = -sign;
  }
  return sign;
}

/* next = q after a step of length h.  Returns how far the equations are from linear along it,
   relative to it; infinite for a step that must not be taken. */
static double try_relaxed_step(search *s, double h)
{
  const int k = lwi_state_search_size(s), short_sign = s->e.ns % 2 ? -1 : 1;
  memcpy(s->step, s->trial, (size_t)k * sizeof(double)); /* -F at q */
  if (solve_inertia(s, h, s->step) != short_sign) return HUGE_VAL;
  if (lwi_largest_or_nan(s->step, s->l.r.n) > longest_step * fmax(1, s->m->length)) return HUGE_VAL;
  if (!lwi_state_search_move(s, 1) || !lwi_state_search_remains(s)) return HUGE_VAL;
  lwi_state_search_weigh(s);
  const double size = lwi_state_search_measure(s, s->step);
  add_inertia(s, h, s->step, -1, s->b);
  if (size == 0) return 0;
  if (solve_inertia(s, h, s->b) == 0) return HUGE_VAL;
  return lwi_state_search_measure(s, s->b) / size;
}

/* Returns false if no step is possible.  *h: the length taken in, that of the next step out. */
static bool take_relaxed_step(search *s, double *h)
{
  const int k = lwi_state_search_size(s);
  memcpy(s->trial, s->b, (size_t)k * sizeof(double));
  for (int tries = 0; tries < 100; tries++, *h *= 0.25) {
    const double bend = try_relaxed_step(s, *h);
    if (!(bend <= 0.5)) continue;
    accept(s);
    *h *= bend < 0.1 ? 4 : bend < 0.25 ? 2 : 1;
    return true;
  }
  return false;
}

/* A step that moves joints by about 0.01: the time in which they fall so far. */
static double first_length(search *s)
{
  const int n = s->l.r.n;
  memcpy(s->A, s->l.M, (size_t)n * (size_t)n * sizeof(double));
  memcpy(s->step, s->l.load, (size_t)n * sizeof(double));
  if (n == 0 || lwi_lapack_solve(n, s->A, s->pivot, s->step) != LW_OK) return 1;
  const double a = lwi_largest_or_nan(s->step, n);
  return a > 0 && isfinite(a) ? fmin(1, sqrt(0.01 / a)) : 1;
}

static bool is_lost(const search *s, const double start[])
{
  for (int i = 0; i < lwi_first_state(s->m); i++)
    if (fabs(s->q[i] - start[i]) > too_far * fmax(1, s->m->length)) return true;
  return false;
}

/* Is a step of length h, after which little is left, as long as one of Newton's method? */
static bool is_newton(search *s, double h)
{
  const int k = lwi_state_search_size(s);
  memcpy(s->step, s->b, (size_t)k * sizeof(double));
  if (solve_inertia(s, h, s->step) == 0) return false;
  lwi_state_search_weigh(s);
  const double size = lwi_state_search_measure(s, s->step);
  if (size > 0.01 || lwi_state_search_hold(s) >= 0) return false;
  if (lwi_state_search_solve(s, s->b, s->step) != LW_OK) return false;
  return lwi_state_search_measure(s, s->step) <= 2 * size + s->tolerance;
}

/* Relaxes until Newton's method takes over.  Returns false if that does not come. */
static bool relax(search *s, const double start[])
{
  if (lwi_state_search_equations(s, s->q) != LW_OK) return false;
  for (double h = first_length(s); s->steps < s->most_steps && !is_lost(s, start); s->steps++) {
    if (is_stopped(s, 0, 0) || h > 1e15 || !take_relaxed_step(s, &h)) return false;
    if (lwi_state_search_equations(s, s->q) != LW_OK) return false;
    if (is_newton(s, h)) return true;
    if (lwi_state_search_equations(s, s->q) != LW_OK) return false;
  }
  return false;
}

/* Downhill first; what that does not find may be near the start. */
static lw_status find(search *s, const double start[], bool nearest, lw_error *err)
{
  const size_t size = (size_t)s->m->nq * sizeof(double);
  memcpy(s->q, start, size);
  if (nearest) return find_nearest(s, err);
  if (relax(s, start) && find_nearest(s, NULL) == LW_OK) return LW_OK;
  memcpy(s->q, start, size);
  return find_nearest(s, err);
}

/* ---- the result ---- */

static lw_status judge(search *s, lw_equilibrium_report *out, lw_error *err)
{
  lw_linearization *l = lw_linearize(s->w, s->t, s->q, NULL, err);
  lw_modes *modes = l ? lw_modes_new(l, err) : NULL;
  lw_linearization_free(l);
  if (!modes) return err ? err->status : LW_E_MEMORY;
  const double most = modes->n ? modes->mode[modes->n - 1].frequency : 0;
  for (int k = 0; k < modes->n; k++) {
    const lw_mode *mode = &modes->mode[k];
    out->unstable += mode->kind != LW_MODE_RIGID && mode->real > 1e-9 * most;
    out->neutral += mode->kind == LW_MODE_RIGID;
  }
  out->stability = out->unstable ? LW_UNSTABLE : out->neutral ? LW_NEUTRAL : LW_STABLE;
  lw_modes_free(modes);
  return LW_OK;
}

static lw_status report(search *s, lw_equilibrium_report *out, lw_error *err)
{
  const int n = s->l.r.n;
  lw_equilibrium_report found = {
      .steps = s->steps,
      .dof = n,
      .residual = lwi_largest_or_nan(s->l.load, n),
      .scale = fmax(s->l.stiffness, lwi_largest_or_nan(s->l.r.required_tau, s->m->nu))};
  const lw_status status = judge(s, &found, err);
  if (status == LW_OK && out) *out = found;
  return status;
}

lw_status lwi_state_equilibrium(lw_work *w, double t, double q[], int ns,
                                const lw_equilibrium_options *options, lw_equilibrium_report *out,
                                lw_error *err)
{
  search s = {.m = lwi_work_model(w), .w = w, .t = t, .tolerance = 1e-9, .most_steps = 1000};
  lw_error unused;
  if (!err) err = &unused;
  if (options && options->tolerance > 0) s.tolerance = options->tolerance;
  if (options && options->most_steps > 0) s.most_steps = options->most_steps;
  if (options) s.on_step = options->on_step, s.context = options->context;
  lw_status status = lwi_state_search_open(&s, ns) ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) status = find(&s, q, options && options->nearest, err);
  if (status == LW_OK) status = report(&s, out, err);
  if (status == LW_OK) {
    memcpy(q, s.q, (size_t)s.m->nq * sizeof(double));
    status = lw_static_loads(w, t, q, NULL);
  }
  lwi_state_search_close(&s);
  return status;
}
