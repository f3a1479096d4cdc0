/* SPDX-License-Identifier: Apache-2.0 */
/* multistep.c -- Adams (order 1-12, corrector by iteration) and BDF (order 1-5, corrector by Newton's
   method with a dense difference Jacobian), on CVODE.  Their dense output has the order of the
   method.

   `auto` starts with Adams and goes over to BDF once the system proves stiff: then, and in all
   measurements only then, the iteration of the corrector fails to converge.  Measured in
   docs/decisions/010-default-integrator.md, as are the numbers below. */
#include "sim/sundials.h"

#include <cvode/cvode.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum {
  STIFF_AFTER = 3,  /* failures of the iteration */
  STIFF_UP_TO = 400 /* numbers in y: beyond that a dense Jacobian costs more than short steps */
};

typedef struct {
  lwi_sundials base;
  lw_simulation_options options;
  N_Vector dense_y;
  SUNNonlinearSolver iteration; /* Adams */
  SUNMatrix jacobian;           /* BDF */
  SUNLinearSolver solver;       /* BDF */
  double q_scale, u_scale;      /* BDF: see part_scale */
  bool may_switch;
  long rejected; /* before the switch */
  char method[64];
} multistep;

/* ---- make ---- */

static bool use_iteration(multistep *a)
{
  a->iteration = SUNNonlinSol_FixedPoint(a->base.y, 0, a->base.context);
  return a->iteration && CVodeSetNonlinearSolver(a->base.memory, a->iteration) >= 0;
}

/* The largest magnitude among all q, or all u, that has been seen; as long as all are zero, how far
   they move in a step h. */
static double part_scale(double seen, const double y[], const double f[], int n, double h)
{
  double motion = 0;
  for (int i = 0; i < n; i++) {
    seen = fmax(seen, fabs(y[i]));
    motion = fmax(motion, fabs(h * f[i]));
  }
  return seen > 0 ? seen : motion;
}

/* A number is shifted relative to itself, but not by much less than the largest of its kind would be.
   CVODE's own shifts follow the tolerance, and drown in rounding errors where that is tight. */
static double find_shift(double y, double scale)
{
  const double largest = fmax(fabs(y), 0.01 * scale);
  return 3e-6 * (largest > 0 ? largest : 1);
}

static int fill_jacobian(double t, N_Vector y_, N_Vector f_, SUNMatrix J, void *user,
                         N_Vector shifted_, N_Vector unused2, N_Vector unused3)
{
  multistep *a = user;
  lwi_system *s = a->base.base.system;
  double *y = N_VGetArrayPointer(y_), *f = N_VGetArrayPointer(f_), h = 0;
  double *shifted = N_VGetArrayPointer(shifted_);
  (void)unused2, (void)unused3;
  CVodeGetCurrentStep(a->base.memory, &h);
  a->q_scale = part_scale(a->q_scale, y, f, s->nposition, h);
  a->u_scale = part_scale(a->u_scale, y + s->nposition, f + s->nposition, s->n - s->nposition, h);

  for (int j = 0; j < s->n; j++) {
    const double kept = y[j];
    y[j] = kept + find_shift(kept, j < s->nposition ? a->q_scale : a->u_scale);
    const double shift = y[j] - kept;
    const lw_status status = lwi_system_rate(s, t, y, shifted);
    y[j] = kept;
    if (status != LW_OK) return 1;
    double *column = SUNDenseMatrix_Column(J, j);
    for (int i = 0; i < s->n; i++)
      column[i] = (shifted[i] - f[i]) / shift;
  }
  return 0;
}

static bool use_newton(multistep *a)
{
  const sunindextype n = N_VGetLength(a->base.y);
  a->jacobian = SUNDenseMatrix(n, n, a->base.context);
  if (!a->jacobian) return false;
  a->solver = SUNLinSol_Dense(a->base.y, a->jacobian, a->base.context);
  return a->solver && CVodeSetLinearSolver(a->base.memory, a->solver, a->jacobian) >= 0 &&
         CVodeSetJacFn(a->base.memory, fill_jacobian) >= 0;
}

/* Begins at t and the y in a->base.y. */
static bool create(multistep *a, int method, double t)
{
  lwi_sundials *s = &a->base;
  s->memory = CVodeCreate(method, s->context);
  return s->memory && CVodeSetErrHandlerFn(s->memory, lwi_sundials_message, s) >= 0 &&
         CVodeSetUserData(s->memory, s) >= 0 &&
         CVodeInit(s->memory, lwi_sundials_rate, t, s->y) >= 0 &&
         CVodeSStolerances(s->memory, lwi_step_rtol(&a->options), lwi_step_atol(&a->options)) >=
             0 &&
         (method == CV_BDF ? use_newton(a) : use_iteration(a)) &&
         (a->options.step == 0 || CVodeSetMaxStep(s->memory, a->options.step) >= 0);
}

static void destroy(multistep *a)
{
  CVodeFree(&a->base.memory);
  if (a->iteration) SUNNonlinSolFree(a->iteration);
  if (a->solver) SUNLinSolFree(a->solver);
  if (a->jacobian) SUNMatDestroy(a->jacobian);
  a->iteration = NULL;
  a->solver = NULL;
  a->jacobian = NULL;
}

static void multistep_free(lwi_integrator *it)
{
  multistep *a = (multistep *)it;
  if (!a) return;
  destroy(a);
  if (a->dense_y) N_VDestroy(a->dense_y);
  lwi_sundials_close(&a->base);
  free(a);
}

/* ---- go ---- */

static long count_rejected(const multistep *a)
{
  long rejected = 0;
  CVodeGetNumErrTestFails(a->base.memory, &rejected);
  return rejected;
}

/* Did the iteration fail, other than where the right side could not be computed? */
static bool is_stiff(const multistep *a)
{
  long failures = 0;
  CVodeGetNumNonlinSolvConvFails(a->base.memory, &failures);
  return failures - a->base.base.system->failures >= STIFF_AFTER;
}

static lw_status switch_to_bdf(multistep *a)
{
  const double t = a->base.base.t;
  a->may_switch = false;
  a->rejected = count_rejected(a);
  destroy(a);
  snprintf(a->method, sizeof a->method, "Adams, order 1-12; stiff: BDF from t = %.3g", t);
  if (create(a, CV_BDF, t)) return LW_OK;
  return lwi_integrator_fail(&a->base.base, LW_E_MEMORY, "out of memory for BDF");
}

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  multistep *a = (multistep *)it;
  const int n = it->system->n;
  const bool stiff = a->options.integrator == LW_INTEGRATOR_BDF;
  a->may_switch = a->options.integrator == LW_INTEGRATOR_AUTO && n <= STIFF_UP_TO;
  a->rejected = 0;
  a->q_scale = a->u_scale = 0;
  snprintf(a->method, sizeof a->method, stiff ? "BDF, order 1-5" : "Adams, order 1-12");

  it->t = t;
  it->next = 0;
  it->system->failures = 0;
  lwi_sundials_set(&a->base, y);
  destroy(a);
  if (create(a, stiff ? CV_BDF : CV_ADAMS, t)) return LW_OK;
  return lwi_integrator_fail(it, LW_E_MEMORY, "out of memory for %d numbers", n);
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  multistep *a = (multistep *)it;
  (void)target;
  if (a->may_switch && is_stiff(a)) {
    const lw_status switched = switch_to_bdf(a);
    if (switched != LW_OK) return switched;
  }
  int flag = CVodeSetStopTime(a->base.memory, end);
  if (flag >= 0) flag = CVode(a->base.memory, end, a->base.y, &it->t, CV_ONE_STEP);
  if (flag >= 0) CVodeGetCurrentStep(a->base.memory, &it->next);
  return lwi_sundials_check(&a->base, flag);
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  multistep *a = (multistep *)it;
  if (t == it->t) {
    lwi_sundials_copy(&a->base, a->base.y, y);
    return LW_OK;
  }
  const int flag = CVodeGetDky(a->base.memory, t, 0, a->dense_y);
  const lw_status status = lwi_sundials_check(&a->base, flag);
  if (status == LW_OK) lwi_sundials_copy(&a->base, a->dense_y, y);
  return status;
}

static void count(const lwi_integrator *it, lw_simulation_statistics *s)
{
  const multistep *a = (const multistep *)it;
  s->rejected += a->rejected + count_rejected(a);
}

lwi_integrator *lwi_multistep_new(lwi_system *system, const lw_simulation_options *options)
{
  multistep *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->options = *options;
  a->base.base = (lwi_integrator){.method = a->method,
                                  .dense = true,
                                  .start = start,
                                  .step = step,
                                  .get = get,
                                  .count = count,
                                  .free = multistep_free};
  if (lwi_sundials_open(&a->base, system) && (a->dense_y = N_VClone(a->base.y)))
    return &a->base.base;
  multistep_free(&a->base.base);
  return NULL;
}
