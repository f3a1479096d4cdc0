/* SPDX-License-Identifier: Apache-2.0 */
/* state_equilibrium.c -- the equilibrium of a mechanism with states, and the derivative of an equilibrium by a
   parameter.

   Loads and rates are zero: Newton's method on both,

     [K L; Z S] (z, s) = -(load, rate)

   with steps shortened until the next correction by the same matrix is smaller (the natural
   monotonicity test [Deuflhard2004] section 3.3), which does not depend on units.  A state whose rate
   depends on nothing at rest, such as the work of a motor, keeps its value.

   The equilibrium follows a parameter so that accelerations and rates stay zero:

     [K L; Z S] (z_p, s_p) = (M a_p, -rate_p),   x_p = N z_p + Y_p

   with a_p and rate_p the derivatives by the parameter along Y_p, which keeps the constraints. */
#include "analysis/lapack.h"
#include "analysis/state_equations.h"
#include "base/fail.h"
#include "linkwork/query.h"
#include "math/finite.h"
#include "tree/loops/derivative_data.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t, tolerance;
  lwi_linearized l;
  lwi_state_equations e;
  double *q, *next;         /* [nq] */
  double *J, *A;            /* [size][size] */
  double *step, *trial, *b; /* [size] */
  double *weight;           /* [ns] magnitudes of states */
  double *x;                /* [nq + 2 nu] scratch */
  int *pivot;               /* [size] */
  int steps;
} search;

static int size_of(const search *s)
{
  return s->l.r.n + s->e.ns;
}

static bool open(search *s, int ns)
{
  const size_t nq = (size_t)s->m->nq, nu = (size_t)s->m->nu, k = nu + (size_t)ns;
  s->q = calloc(3 * nq + 2 * k * k + 4 * k + 2 * nu + 1, sizeof *s->q);
  s->pivot = calloc(k + 1, sizeof *s->pivot);
  if (!s->q || !s->pivot) return false;
  s->next = s->q + nq;
  s->J = s->next + nq;
  s->A = s->J + k * k;
  s->step = s->A + k * k;
  s->trial = s->step + k;
  s->b = s->trial + k;
  s->weight = s->b + k;
  s->x = s->weight + k;
  return lwi_linearized_init(&s->l, s->m) && lwi_state_equations_init(&s->e, s->m, ns);
}

static void done(search *s)
{
  lwi_linearized_free(&s->l);
  lwi_state_equations_free(&s->e);
  free(s->q);
  free(s->pivot);
}

/* ---- the equations ---- */

/* A state whose rate nothing changes at rest: -1 none, else the first of them with a rate. */
static int find_held(search *s)
{
  int driven = -1;
  const int n = s->l.r.n, k = size_of(s);
  for (int i = 0; i < s->e.ns; i++) {
    double *row = s->J + (size_t)(n + i) * (size_t)k;
    if (lwi_largest(row, k) > 0) continue;
    if (s->e.rate[i] != 0 && driven < 0) driven = i;
    row[n + i] = 1;
    for (int j = 0; j < n; j++) /* and what it does to loads is that of its value */
      s->J[(size_t)j * (size_t)k + (size_t)(n + i)] = 0;
  }
  return driven;
}

/* J and -F at q; *driven: a state that no position holds. */
static lw_status find_equations(search *s, const double q[], int *driven)
{
  const lwi_linearized *l = &s->l;
  lw_status status = lwi_linearized_rest(&s->l, s->w, s->t, q);
  if (status == LW_OK) status = lwi_state_equations_find(&s->e, &s->l);
  if (status != LW_OK) return status;
  const int n = l->r.n, ns = s->e.ns, k = size_of(s);
  for (int i = 0; i < n; i++) {
    memcpy(s->J + i * k, l->K + i * n, (size_t)n * sizeof(double));
    memcpy(s->J + i * k + n, s->e.L + i * ns, (size_t)ns * sizeof(double));
    s->b[i] = -l->load[i];
  }
  for (int i = 0; i < ns; i++) {
    memcpy(s->J + (n + i) * k, s->e.Z + i * n, (size_t)n * sizeof(double));
    memcpy(s->J + (n + i) * k + n, s->e.S + i * ns, (size_t)ns * sizeof(double));
    s->b[n + i] = -s->e.rate[i];
  }
  *driven = find_held(s);
  return LW_OK;
}

/* x = J^-1 b; neutral directions, in which nothing changes, do not move */
static lw_status solve(search *s, const double b[], double x[])
{
  const int k = size_of(s);
  if (k == 0) return LW_OK;
  memcpy(s->A, s->J, (size_t)k * (size_t)k * sizeof(double));
  memcpy(x, b, (size_t)k * sizeof(double));
  const lw_status status = lwi_lapack_solve(k, s->A, s->pivot, x);
  if (status == LW_OK && isfinite(lwi_largest_or_nan(x, k))) return LW_OK;
  memcpy(x, b, (size_t)k * sizeof(double));
  return lwi_lapack_solve_smallest(k, k, s->J, x, 1e-12);
}

/* Largest entry, in rad, typical lengths and magnitudes of states. */
static double measure(const search *s, const double x[])
{
  const int n = s->l.r.n;
  double most = lwi_largest_or_nan(x, n);
  for (int i = 0; i < s->e.ns; i++)
    most = fmax(most, fabs(x[n + i]) / s->weight[i]);
  return most;
}

static void weigh(search *s)
{
  const int n = s->l.r.n, first = lwi_first_state(s->m);
  for (int i = 0; i < s->e.ns; i++)
    s->weight[i] = fmax(fmax(fabs(s->q[first + s->e.index[i]]), fabs(s->step[n + i])),
                        fmax(s->weight[i], 1e-300));
}

/* ---- steps ---- */

/* next = q moved by part of the step, with loops closed */
static bool move(search *s, double part)
{
  const lw_model *m = s->m;
  const lwi_reduced *r = &s->l.r;
  double *rate = s->x, *u = rate + m->nq;
  for (int i = 0; i < m->nu; i++) {
    u[i] = 0;
    for (int k = 0; k < r->n; k++)
      u[i] += part * r->N[i * r->n + k] * s->step[k];
  }
  lw_coordinate_rates(m, s->q, u, rate);
  for (int i = 0; i < m->nq; i++)
    s->next[i] = s->q[i] + (i < lwi_first_state(m) ? rate[i] : 0);
  for (int i = 0; i < s->e.ns; i++)
    s->next[lwi_first_state(m) + s->e.index[i]] += part * s->step[r->n + i];
  memset(u, 0, (size_t)m->nu * sizeof(double));
  return lw_normalize(m, s->next) == LW_OK && lw_project(s->w, s->t, s->next, u) == LW_OK;
}

/* The correction at next by the matrix at q: -J^-1 F(next), in the independent speeds of q. */
static bool find_trial(search *s)
{
  const lw_model *m = s->m;
  const lwi_reduced *r = &s->l.r;
  double *u = s->x + m->nq, *tau = u + m->nu, *rates = s->e.scratch + 4 * m->nu;
  memset(u, 0, (size_t)m->nu * sizeof(double));
  lw_derivatives *d = s->l.derivatives;
  lwi_work_follow(m, s->w, lw_derivatives_work(d));
  if (lw_inverse_derivative(d, s->t, s->next, u, u, &(lw_direction){0}, tau) != LW_OK ||
      lw_static_loads(s->w, s->t, s->next, tau) != LW_OK)
    return false;
  d->work->kernels->state_rates(m, d->work->tree, rates);
  for (int i = 0; i < r->n; i++) {
    s->b[i] = 0;
    for (int j = 0; j < m->nu; j++)
      s->b[i] -= r->N[j * r->n + i] * tau[j];
  }
  for (int i = 0; i < s->e.ns; i++)
    s->b[r->n + i] = -rates[s->e.index[i]];
  return solve(s, s->b, s->trial) == LW_OK;
}

/* Returns false if no part of the step leads closer. */
static bool take_step(search *s)
{
  const double before = measure(s, s->step), limit = 0.5 * fmax(1, s->m->length);
  const double most = lwi_largest_or_nan(s->step, s->l.r.n);
  for (double part = most > limit ? limit / most : 1; part > 1e-8; part *= 0.5) {
    if (!move(s, part) || !find_trial(s)) continue;
    if (!(measure(s, s->trial) <= (1 - 0.25 * part) * before)) continue;
    memcpy(s->q, s->next, (size_t)s->m->nq * sizeof(double));
    return true;
  }
  return false;
}

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

static lw_status walk(search *s, int most_steps, lw_error *err)
{
  double best = HUGE_VAL;
  for (;; s->steps++) {
    int driven;
    const lw_status status = find_equations(s, s->q, &driven);
    if (status != LW_OK)
      return lw_explain(s->w, s->t, s->q, NULL, status, "the loads at rest cannot be computed",
                        err);
    if (driven >= 0) return fail_driven(s, driven, err);
    if (solve(s, s->b, s->step) != LW_OK) return fail_far(s, err);
    weigh(s);
    const double size = measure(s, s->step);
    const bool good = size <= s->tolerance;
    if (size <= 1e-15 || (good && size > 0.5 * best)) return LW_OK;
    best = fmin(best, size);
    if (s->steps >= most_steps || !take_step(s)) return good ? LW_OK : fail_far(s, err);
  }
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

lw_status lwi_state_equilibrium(lw_work *w, double t, double q[], int ns,
                                const lw_equilibrium_options *options, lw_equilibrium_report *out,
                                lw_error *err)
{
  search s = {.m = lwi_work_model(w), .w = w, .t = t};
  lw_error unused;
  if (!err) err = &unused;
  s.tolerance = options && options->tolerance > 0 ? options->tolerance : 1e-9;
  lw_status status = open(&s, ns) ? LW_OK : lwi_fail(err, LW_E_MEMORY, "out of memory");
  if (status == LW_OK) {
    memcpy(s.q, q, (size_t)s.m->nq * sizeof(double));
    status = walk(&s, options && options->most_steps > 0 ? options->most_steps : 1000, err);
  }
  if (status == LW_OK) {
    const int n = s.l.r.n;
    lw_equilibrium_report found = {
        .steps = s.steps,
        .dof = n,
        .residual = lwi_largest_or_nan(s.l.load, n),
        .scale = fmax(s.l.stiffness, lwi_largest_or_nan(s.l.r.required_tau, s.m->nu))};
    status = judge(&s, &found, err);
    if (status == LW_OK && out) *out = found;
  }
  if (status == LW_OK) {
    memcpy(q, s.q, (size_t)s.m->nq * sizeof(double));
    status = lw_static_loads(w, t, q, NULL);
  }
  done(&s);
  return status;
}

/* ---- its derivative ---- */

/* x = Y_p: the dependent speeds that keep the constraints. */
static lw_status keep_constraints(search *s, const double q[], const lw_model_derivative *by,
                                  double x[])
{
  const lwi_reduced *r = &s->l.r;
  memset(x, 0, (size_t)s->m->nu * sizeof(double));
  if (r->nrow == 0) return LW_OK;
  double *phi_p = calloc(2 * (size_t)r->nrow + (size_t)s->m->nu, sizeof *phi_p);
  if (!phi_p) return LW_E_MEMORY;
  const lw_status status =
      lw_constraint_derivatives(s->l.derivatives, s->t, q, phi_p + 2 * r->nrow,
                                &(lw_direction){.model = by}, phi_p, phi_p + r->nrow);
  const double *scale = s->w->closure->scale; /* of the rows of G */
  for (int i = 0; i < r->rank; i++)
    for (int k = 0; k < r->nrow; k++)
      x[r->dependent[i]] -= r->T[i * r->nrow + k] * scale[k] * phi_p[k];
  free(phi_p);
  return status;
}

static lw_status derive(search *s, const double q[], const lw_model_derivative *by, double motion[],
                        double states[])
{
  const lwi_reduced *r = &s->l.r;
  double *u = s->x, *a = u + s->m->nu; /* zero speeds; accelerations along the parameter */
  int driven;
  lw_status status = find_equations(s, q, &driven);
  const int n = r->n, ns = s->e.ns;
  if (status == LW_OK) status = keep_constraints(s, q, by, motion);
  memset(u, 0, (size_t)s->m->nu * sizeof(double));
  lw_derivatives *d = s->l.derivatives;
  if (status == LW_OK) status = lw_linearize_forward(d, s->t, q, u, NULL, NULL);
  if (status == LW_OK)
    status = lw_forward_derivative(d, &(lw_direction){.motion = motion, .model = by}, a);
  if (status != LW_OK) return status;
  lwi_state_rates_along(&s->e, &s->l, s->b + n);
  for (int i = 0; i < ns; i++)
    s->b[n + i] = -s->b[n + i];
  for (int i = 0; i < n; i++) {
    s->b[i] = 0;
    for (int j = 0; j < n; j++)
      s->b[i] += s->l.M[i * n + j] * a[r->independent[j]];
  }
  memcpy(s->A, s->J, (size_t)(n + ns) * (size_t)(n + ns) * sizeof(double));
  memcpy(s->step, s->b, (size_t)(n + ns) * sizeof(double));
  status = n + ns > 0 ? lwi_lapack_solve(n + ns, s->A, s->pivot, s->step) : LW_OK;
  if (status != LW_OK) return status;
  for (int i = 0; i < s->m->nu; i++)
    for (int k = 0; k < n; k++)
      motion[i] += r->N[i * n + k] * s->step[k];
  for (int i = 0; i < ns; i++)
    states[s->e.index[i]] = s->step[n + i];
  return LW_OK;
}

lw_status lwi_equilibrium_derivative(lw_work *w, double t, const double q[],
                                     const lw_model_derivative *by, double motion[],
                                     double states[], lw_error *err)
{
  search s = {.m = lwi_work_model(w), .w = w, .t = t};
  int ns;
  lw_status status = lwi_lapack_ready(err);
  if (status == LW_OK) status = lwi_state_count(s.m, "its equilibrium has no derivative", &ns, err);
  if (status != LW_OK) return status;
  for (int i = 0; i < s.m->nstate; i++) /* held ones, as written */
    states[i] = by->derivative->q0[lwi_first_state(s.m) + i];
  status = open(&s, ns) ? derive(&s, q, by, motion, states) : LW_E_MEMORY;
  done(&s);
  if (status == LW_OK) return LW_OK;
  return lwi_fail(
      err, status,
      status == LW_E_SINGULAR
          ? "the equilibrium has no derivative: in some direction it is neutral, and the "
            "position is not determined"
          : "the equilibrium has no derivative: %s",
      lw_status_text(status));
}
