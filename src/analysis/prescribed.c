/* SPDX-License-Identifier: Apache-2.0 */
/* prescribed.c -- inverse dynamics of mechanisms with chosen actuators.

   Accelerations: udot = p + N a, where p satisfies the rows without independent accelerations; the
   given ones are linear equations for a.  Loads: actuators on the speeds P u have the loads P^T tau
   on the tree, and N^T P^T tau = N^T required_tau.  Both are solved in the least-squares sense with
   the smallest norm. */
#include "math/finite.h"
#include "analysis/lapack.h"
#include "analysis/independent_speeds.h"
#include "base/fail.h"
#include "linkwork/analysis.h"
#include "linkwork/query.h"
#include "sim/formulation/bearing.h"
#include "sim/run/own_bounds.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_reduced r;
  int all;
  double *joints;     /* [all][n] speeds of all joints from the independent ones */
  double *udot;       /* [all] */
  double *zero, *one; /* [nu], [all] */
  void *block;
} scratch;

static bool allocate(scratch *x, const lw_model *m)
{
  const size_t nu = (size_t)m->nu, all = (size_t)lw_nu_all(m);
  lwi_carver c = {0};
  *x = (scratch){.all = lw_nu_all(m)};
  for (int pass = 0; pass < 2; pass++) {
    x->r = lwi_reduced_carve(m, &c);
    x->joints = LWI_CARVE(&c, all * nu, double);
    x->udot = LWI_CARVE(&c, all, double);
    x->zero = LWI_CARVE(&c, nu, double);
    x->one = LWI_CARVE(&c, all, double);
    if (pass == 1) break;
    x->block = calloc(1, c.used + 64);
    if (!x->block) return false;
    c = (lwi_carver){.base = x->block};
  }
  return true;
}

/* N, and the speeds of all joints from the independent ones. */
static lw_status spread(scratch *x, lw_work *w, double t, const double q[], const double u[],
                        const double udot[])
{
  lwi_reduced *r = &x->r;
  lw_status status = lwi_reduced_balance(r, w, t, q, u, udot);
  if (status == LW_OK) status = lwi_reduced_split(r);
  for (int k = 0; k < r->n && status == LW_OK; k++) {
    for (int i = 0; i < r->nu; i++)
      x->one[i] = r->N[i * r->n + k];
    status = lw_kinematics(w, q, x->one);
    if (status == LW_OK) status = lw_get_cut_joints(w, NULL, x->one, NULL);
    for (int i = 0; i < x->all; i++)
      x->joints[i * r->n + k] = x->one[i];
  }
  return status;
}

/* The smallest a[columns] with A[rows][columns] a = b[rows], and the residual. */
static lw_status solve_smallest(int rows, int columns, const double *A, const double *b, double *a,
                                double *left)
{
  double *x = calloc((size_t)(rows > columns ? rows : columns) + 1, sizeof *x);
  if (!x) return LW_E_MEMORY;
  memcpy(x, b, (size_t)rows * sizeof(double));
  const lw_status status = lwi_lapack_solve_smallest(rows, columns, A, x, 1e-10);
  for (int i = 0; i < columns; i++)
    a[i] = rows > 0 && status == LW_OK ? x[i] : 0;
  *left = 0;
  for (int i = 0; i < rows; i++) {
    double s = -b[i];
    for (int j = 0; j < columns; j++)
      s += A[i * columns + j] * a[j];
    *left = fmax(*left, fabs(s));
  }
  free(x);
  return status;
}

/* ---- accelerations ---- */

/* Accelerations of all joints for udot of the tree, in x->udot. */
static lw_status accelerate(scratch *x, lw_work *w, const double q[], const double u[])
{
  lw_status status = lw_kinematics(w, q, u);
  if (status == LW_OK) status = lw_accelerations(w, x->udot);
  return status == LW_OK ? lw_get_cut_joints(w, NULL, NULL, x->udot) : status;
}

/* p: dependent accelerations from the residual of the rows, by T. */
static void find_particular(scratch *x, lw_work *w, double t, const double q[], const double u[])
{
  const lwi_reduced *r = &x->r;
  double *rows = r->scratch + 6 * r->nu;
  memset(x->udot, 0, (size_t)x->all * sizeof(double));
  if (r->nrow == 0) return;
  w->kernels->kinematics(r->m, w->tree, q, u);
  lwi_closure_place(r->m, w, t);
  lwi_closure_rows(r->m, w, &r->m->tree_constraints);
  w->kernels->accelerations(r->m, w->tree, x->zero);
  lwi_closure_deficit(r->m, w, &r->m->tree_constraints, x->zero, rows);
  for (int i = 0; i < r->rank; i++)
    for (int k = 0; k < r->nrow; k++)
      x->udot[r->dependent[i]] += r->T[i * r->nrow + k] * rows[k];
}

static lw_status complete(scratch *x, lw_work *w, double t, const double q[], const double u[],
                          const bool given[], double udot[], lw_error *err)
{
  const lwi_reduced *r = &x->r;
  find_particular(x, w, t, q, u);
  const lw_status status = accelerate(x, w, q, u);
  if (status != LW_OK) return lw_explain(w, t, q, u, status, "the motion cannot be completed", err);
  double *A = calloc((size_t)(x->all + 1) * (size_t)(r->n + 2), sizeof *A);
  if (!A) return lwi_out_of_memory(err, NULL);
  double *b = A + x->all * r->n, *a = b + x->all;
  int rows = 0;
  for (int i = 0; i < x->all; i++) {
    if (!given[i]) continue;
    memcpy(A + rows * r->n, x->joints + i * r->n, (size_t)r->n * sizeof(double));
    b[rows++] = udot[i] - x->udot[i];
  }
  double left = 0;
  const lw_status solved = solve_smallest(rows, r->n, A, b, a, &left);
  for (int i = 0; i < r->nu; i++)
    for (int k = 0; k < r->n; k++)
      x->udot[i] += r->N[i * r->n + k] * a[k];
  const double scale = 1 + lwi_largest(x->udot, x->all) + lwi_largest(b, rows);
  free(A);
  if (solved != LW_OK) return lwi_fail(err, solved, "%s", lw_status_text(solved));
  if (left > 1e-8 * scale)
    return lwi_fail(err, LW_E_ARG, "the accelerations contradict the constraints, by %.3g", left);
  const lw_status done = accelerate(x, w, q, u);
  if (done == LW_OK) memcpy(udot, x->udot, (size_t)x->all * sizeof(double));
  return done;
}

lw_status lw_complete_accelerations(lw_work *w, double t, const double q[], const double u[],
                                    const bool given[], double udot[], lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  scratch x;
  if (!lwi_is_single(m, w) || (m->nu && (!q || !u || !given || !udot)))
    return lwi_fail(err, LW_E_ARG, "lw_complete_accelerations: an argument is missing");
  if (!allocate(&x, m)) return lwi_out_of_memory(err, NULL);
  lw_status status = spread(&x, w, t, q, u, x.zero);
  if (status != LW_OK)
    lw_explain(w, t, q, u, status, "the motion cannot be completed", err);
  else
    status = complete(&x, w, t, q, u, given, udot, err);
  free(x.block);
  return status;
}

/* ---- friction of the prescribed motion ---- */

/* friction of the freedoms of the model; of their own loads x: they follow from all loads */
typedef struct {
  int n;
  bool own;             /* some of it depends on own loads */
  lw_friction_info *of; /* [n] */
  double *load;         /* [n] on the freedom */
  double *sense;        /* [n] of the motion, or of one that begins: -1, 0, 1 */
  double *speeds;       /* [all][nu] speeds of all joints from those of the tree */
} frictions;

static bool open_frictions(frictions *f, const scratch *x)
{
  const lw_model *m = x->r.m;
  *f = (frictions){.n = lw_nfriction(m)};
  const size_t n = (size_t)f->n;
  f->of = calloc(n + 1, sizeof *f->of);
  f->load = calloc(2 * n + 1, sizeof *f->load);
  f->sense = f->load ? f->load + n : NULL;
  for (int i = 0; i < f->n && f->of; i++) {
    f->of[i] = lw_get_friction(m, i);
    f->own = f->own || f->of[i].own_load;
  }
  if (f->own) f->speeds = calloc((size_t)x->all * (size_t)m->nu + 1, sizeof *f->speeds);
  return f->of && f->load && (f->speeds || !f->own);
}

static void close_frictions(frictions *f)
{
  free(f->of);
  free(f->load);
  free(f->speeds);
}

static int freedom_of(const lw_model *m, const lw_friction_info *f)
{
  return lw_get_joint(m, f->joint).u_all + f->dof - 1;
}

/* Which way each freedom moves, or begins to; constant loads. */
static lw_status find_senses(frictions *f, scratch *x, lw_work *w, const double q[],
                             const double u[], const double udot[])
{
  const lw_model *m = x->r.m;
  if (f->n == 0) return LW_OK;
  memcpy(x->one, u, (size_t)m->nu * sizeof(double));
  memcpy(x->udot, udot, (size_t)m->nu * sizeof(double));
  lw_status status = lw_kinematics(w, q, u);
  if (status == LW_OK) status = lw_accelerations(w, x->udot);
  if (status == LW_OK) status = lw_get_cut_joints(w, NULL, x->one, x->udot);
  for (int i = 0; i < f->n && status == LW_OK; i++) {
    const int j = freedom_of(m, &f->of[i]);
    const double s = x->one[j] != 0 ? x->one[j] : x->udot[j];
    f->sense[i] = (s > 0) - (s < 0);
    f->load[i] = f->of[i].own_load ? 0 : -f->sense[i] * f->of[i].load;
  }
  return status;
}

/* Speeds of all joints by units of those of the tree: loads on any freedom as loads on the tree. */
static lw_status find_speeds(const frictions *f, scratch *x, lw_work *w, const double q[])
{
  const int nu = x->r.nu;
  lw_status status = LW_OK;
  for (int k = 0; k < nu && status == LW_OK; k++) {
    memset(x->one, 0, (size_t)x->all * sizeof(double));
    x->one[k] = 1;
    status = lw_kinematics(w, q, x->one);
    if (status == LW_OK) status = lw_get_cut_joints(w, NULL, x->one, NULL);
    for (int i = 0; i < x->all; i++)
      f->speeds[i * nu + k] = x->one[i];
  }
  return status;
}

/* Bearings of joints under the loads of actuators and friction: new friction, whose largest change
   goes to *change, relative to the largest one. */
static lw_status update_own(frictions *f, scratch *x, const double u[],
                            const lw_actuators *actuators, const double found[], double *change)
{
  lw_work *w = x->r.w;
  const lw_model *m = x->r.m;
  double *tau = x->udot, size = 0;
  memset(tau, 0, (size_t)x->all * sizeof(double));
  for (int k = 0; k < x->r.nu; k++) {
    for (int i = 0; i < actuators->n; i++)
      tau[k] += f->speeds[actuators->speed[i] * x->r.nu + k] * found[i];
    for (int i = 0; i < f->n; i++)
      tau[k] += f->speeds[freedom_of(m, &f->of[i]) * x->r.nu + k] * f->load[i];
  }
  lw_status status = lw_forward_dynamics(w, x->r.t, x->r.q, u, tau, x->one);
  if (status == LW_OK) status = lw_joint_loads(w);
  *change = 0;
  for (int i = 0, e = 0; i < f->n && status == LW_OK; e++) {
    const lw_event_desc *d = &m->event[e].d;
    lwi_bearing bearing;
    double load[6];
    if (d->action != LW_ACTION_FRICTION) continue;
    if (d->own_load && lwi_bearing_init(&bearing, m, d->joint, d->bearing)) {
      lwi_bearing_place(&bearing, m, w);
      status = lw_get_load(w, f->of[i].joint, load);
      const double now = -f->sense[i] * f->of[i].load * lwi_bearing_load(&bearing, load, NULL);
      *change = fmax(*change, fabs(now - f->load[i]));
      size = fmax(size, fabs(now));
      f->load[i] = now;
    }
    i++;
  }
  *change = size > 0 ? *change / size : 0;
  return status;
}

/* ---- loads ---- */

/* The loads of the actuators with this friction, the smallest ones that there are. */
static lw_status find_loads(const scratch *x, const frictions *f, const lw_actuators *actuators,
                            double found[], lw_error *err)
{
  const lwi_reduced *r = &x->r;
  const int n = actuators->n;
  double *A = calloc((size_t)(r->n + 1) * (size_t)(n + 2), sizeof *A), *b = A ? A + r->n * n : NULL;
  double left = 0, scale = 1;
  if (!A) return lwi_out_of_memory(err, NULL);
  for (int k = 0; k < r->n; k++) {
    for (int i = 0; i < r->nu; i++)
      b[k] += r->N[i * r->n + k] * r->required_tau[i];
    for (int i = 0; i < f->n; i++)
      b[k] -= f->load[i] * x->joints[freedom_of(r->m, &f->of[i]) * r->n + k];
    for (int i = 0; i < n; i++)
      A[k * n + i] = x->joints[actuators->speed[i] * r->n + k];
  }
  scale = lwi_largest(b, r->n) + lwi_largest(r->required_tau, r->nu);
  const lw_status status = solve_smallest(r->n, n, A, b, found, &left);
  free(A);
  if (status != LW_OK) return lwi_fail(err, status, "%s", lw_status_text(status));
  if (left <= 1e-9 * scale) return LW_OK;
  return lwi_fail(err, LW_E_ARG,
                  "these actuators cannot drive this motion: a load of %.3g is missing", left);
}

/* Friction changes what the bearings carry, and they change it: until both agree. */
static lw_status find_with_friction(frictions *f, scratch *x, const double u[],
                                    const lw_actuators *actuators, double found[], lw_error *err)
{
  lw_work *w = x->r.w;
  const double t = x->r.t, *q = x->r.q;
  enum { MOST = 200 };
  double change = 0, before = HUGE_VAL;
  lw_status status = find_loads(x, f, actuators, found, err);
  if (status != LW_OK || !f->own) return status;
  status = find_speeds(f, x, w, q);
  for (int round = 0; round < MOST && status == LW_OK; round++) {
    status = update_own(f, x, u, actuators, found, &change);
    if (status != LW_OK) break;
    status = find_loads(x, f, actuators, found, err);
    if (status != LW_OK) return status;
    if (change <= 1e-15 || (change <= 1e-12 && change >= before)) return LW_OK;
    before = change;
  }
  if (status != LW_OK)
    return lw_explain(w, t, q, u, status, "the loads of the joints cannot be computed", err);
  return lwi_fail(err, LW_E_NOT_CONVERGED,
                  "friction of joints by their own loads: no loads are consistent with this "
                  "motion, or the friction grows with what drives against it (Painleve's paradox)");
}

static lw_status actuate(scratch *x, const double u[], const double udot[],
                         const lw_actuators *actuators, lw_error *err)
{
  frictions f;
  double *found = calloc((size_t)actuators->n + 1, sizeof *found);
  lw_status status = open_frictions(&f, x) && found ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) {
    status = find_senses(&f, x, x->r.w, x->r.q, u, udot);
    if (status != LW_OK) lwi_fail(err, status, "%s", lw_status_text(status));
  }
  if (status == LW_OK) status = find_with_friction(&f, x, u, actuators, found, err);
  if (status == LW_OK) memcpy(actuators->load, found, (size_t)actuators->n * sizeof(double));
  close_frictions(&f);
  free(found);
  return status;
}

lw_status lw_actuator_loads(lw_work *w, double t, const double q[], const double u[],
                            const double udot[], const lw_actuators *actuators, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  scratch x;
  if (!lwi_is_single(m, w) || (m->nu && (!q || !u || !udot)) || !actuators || actuators->n < 0 ||
      (actuators->n > 0 && (!actuators->speed || !actuators->load)))
    return lwi_fail(err, LW_E_ARG, "lw_actuator_loads: an argument is missing");
  for (int i = 0; i < actuators->n; i++)
    if (actuators->speed[i] < 0 || actuators->speed[i] >= lw_nu_all(m))
      return lwi_fail(err, LW_E_ARG, "lw_actuator_loads: there is no speed %d",
                      actuators->speed[i]);
  lw_status status = lwi_bearings_check(m, err);
  if (status != LW_OK) return status;
  if (!allocate(&x, m)) return lwi_out_of_memory(err, NULL);
  status = spread(&x, w, t, q, u, udot);
  if (status != LW_OK)
    lw_explain(w, t, q, u, status, "the loads cannot be computed", err);
  else
    status = actuate(&x, u, udot, actuators, err);
  free(x.block);
  return status;
}
