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

/* ---- loads ---- */

/* b[n] loses what the friction of the prescribed motion does on the independent speeds. */
static lw_status subtract_friction(scratch *x, lw_work *w, const double q[], const double u[],
                                   const double udot[], double b[])
{
  const lw_model *m = x->r.m;
  const int n = x->r.n;
  if (lw_nfriction(m) == 0) return LW_OK;
  memcpy(x->one, u, (size_t)m->nu * sizeof(double));
  memcpy(x->udot, udot, (size_t)m->nu * sizeof(double));
  lw_status status = lw_kinematics(w, q, u);
  if (status == LW_OK) status = lw_accelerations(w, x->udot);
  if (status == LW_OK) status = lw_get_cut_joints(w, NULL, x->one, x->udot);
  for (int i = 0; i < lw_nfriction(m) && status == LW_OK; i++) {
    const lw_friction_info f = lw_get_friction(m, i);
    const int j = lw_get_joint(m, f.joint).u_all + f.dof - 1;
    const double s = x->one[j] != 0 ? x->one[j] : x->udot[j];
    const double load = s > 0 ? -f.load : s < 0 ? f.load : 0;
    for (int k = 0; k < n; k++)
      b[k] -= load * x->joints[j * n + k];
  }
  return status;
}

static lw_status find_loads(scratch *x, const double friction[], const lw_actuators *actuators,
                            lw_error *err)
{
  const lwi_reduced *r = &x->r;
  const int n = actuators->n;
  double *A = calloc((size_t)(r->n + 1) * (size_t)(n + 2), sizeof *A), *b = A ? A + r->n * n : NULL;
  double *found = calloc((size_t)n + 1, sizeof *found);
  double left = 0, scale = 1;
  lw_status status = A && found ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    for (int k = 0; k < r->n; k++) {
      b[k] = friction[k];
      for (int i = 0; i < r->nu; i++)
        b[k] += r->N[i * r->n + k] * r->required_tau[i];
      for (int i = 0; i < n; i++)
        A[k * n + i] = x->joints[actuators->speed[i] * r->n + k];
    }
    scale = lwi_largest(b, r->n) + lwi_largest(r->required_tau, r->nu);
    status = solve_smallest(r->n, n, A, b, found, &left);
  }
  const bool good = status == LW_OK && left <= 1e-9 * scale;
  if (good) memcpy(actuators->load, found, (size_t)n * sizeof(double));
  free(A);
  free(found);
  if (status != LW_OK) return lwi_fail(err, status, "%s", lw_status_text(status));
  if (good) return LW_OK;
  return lwi_fail(err, LW_E_ARG,
                  "these actuators cannot drive this motion: a load of %.3g is missing", left);
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
  for (int i = 0; i < lw_nfriction(m); i++)
    if (lw_get_friction(m, i).own_load)
      return lwi_fail(
          err, LW_E_UNSUPPORTED,
          "joint \"%s\": loads of actuators are not found with friction of a joint's own "
          "load: give it a constant `load`",
          lw_get_joint(m, lw_get_friction(m, i).joint).name);
  if (!allocate(&x, m)) return lwi_out_of_memory(err, NULL);
  lw_status status = spread(&x, w, t, q, u, udot);
  if (status != LW_OK)
    lw_explain(w, t, q, u, status, "the loads cannot be computed", err);
  else {
    double *friction = calloc((size_t)x.r.n + 1, sizeof *friction);
    status = friction ? subtract_friction(&x, w, q, u, udot, friction) : LW_E_MEMORY;
    if (status == LW_OK)
      status = find_loads(&x, friction, actuators, err);
    else
      lwi_fail(err, status, "%s", lw_status_text(status));
    free(friction);
  }
  free(x.block);
  return status;
}
