/* SPDX-License-Identifier: Apache-2.0 */
/* multistep.c -- Adams (order 1-12, corrector by fixed-point iteration) and BDF (order 1-5,
   corrector by Newton's method with a dense difference-quotient Jacobian), on CVODES.  Their dense
   output has the order of the method.

   Systems with derivatives: CVODES takes the first block as y and the others as its sensitivities.
   They are corrected after y (staggered) with the same matrix, and take part in the error test.

   `auto` starts with Adams and changes to BDF once the system proves stiff (stiffness.c).  See
   docs/decisions/008-default-integrator.md, also for the constants below. */
#include "sim/integrate/fixed_point.h"
#include "sim/integrate/stiffness.h"
#include "sim/integrate/sundials.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum {
  SUSPECT_AFTER = 3, /* convergence failures of the corrector */
  STIFF_UP_TO = 400  /* numbers in y: beyond this a dense Jacobian costs more than short steps */
};
/* With derivatives: convergence coefficient of the corrector, relative to the tolerated error of a
   step.  With the default of CVODE, 0.1, the remaining error of the iteration keeps steps from
   growing: docs/decisions/014-sensitivities.md. */
static const double CONVERGED = 0.01;
static const double NEARLY_SINGULAR = 1e-6; /* bound of lwi_system.weakest */

typedef struct {
  lwi_sundials base;
  lw_simulation_options options;
  N_Vector dense_y;
  int nblock;                      /* number of derivatives of y */
  N_Vector *others, *dense_others; /* [nblock] */
  const double **from;             /* [nblock] arguments for the system */
  double **to;
  double *atol;                                   /* [nblock] */
  SUNNonlinearSolver iteration, others_iteration; /* Adams */
  SUNMatrix jacobian;                             /* BDF */
  SUNLinearSolver solver;                         /* BDF */
  double q_scale, u_scale;                        /* BDF: see part_scale */
  bool may_switch, suspicious; /* suspicious: the motion would permit much longer steps */
  lwi_stiffness stiffness;     /* while it may switch */
  bool coarse;                 /* coarse tolerances, see sundials.c */
  long rejected;               /* steps rejected before the change to BDF */
  char method[64];
} multistep;

/* ---- make ---- */

static int rate_first(double t, N_Vector y, N_Vector f, void *user)
{
  multistep *a = user;
  lwi_system *s = a->base.base.system;
  if (a->nblock == 0) return lwi_sundials_rate(t, y, f, user);
  const lw_status status =
      lwi_system_rate_first(s, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
  return lwi_sundials_return(status);
}

static int rate_others(int n, double t, N_Vector y, N_Vector f, N_Vector *y_p, N_Vector *f_p,
                       void *user, N_Vector unused1, N_Vector unused2)
{
  multistep *a = user;
  (void)unused1, (void)unused2;
  for (int k = 0; k < n; k++) {
    a->from[k] = N_VGetArrayPointer(y_p[k]);
    a->to[k] = N_VGetArrayPointer(f_p[k]);
  }
  const lw_status status = lwi_system_rate_others(a->base.base.system, t, N_VGetArrayPointer(y),
                                                  N_VGetArrayPointer(f), a->from, a->to);
  return lwi_sundials_return(status);
}

static bool use_iteration(multistep *a)
{
  a->iteration = lwi_fixed_point_new(&a->base.no_memory, a->base.context);
  if (!a->iteration || CVodeSetNonlinearSolver(a->base.memory, a->iteration) < 0) return false;
  if (a->nblock == 0) return true;
  a->others_iteration = lwi_fixed_point_new(&a->base.no_memory, a->base.context);
  return a->others_iteration &&
         CVodeSetNonlinearSolverSensStg(a->base.memory, a->others_iteration) >= 0;
}

/* Derivatives have units like those of y: sensitivity_system.c. */
static bool add_others(multistep *a)
{
  if (a->nblock == 0) return true;
  void *memory = a->base.memory;
  if (!lwi_sundials_reserve()) return false;
  if (CVodeSensInit(memory, a->nblock, CV_STAGGERED, rate_others, a->others) < 0) {
    a->base.memory = NULL; /* lost: CVodeFree would free again what CVodeSensInit has freed */
    return false;
  }
  return lwi_sundials_reserve() &&
         CVodeSensSStolerances(memory, lwi_step_rtol(&a->options, false), a->atol) >= 0 &&
         CVodeSetSensErrCon(memory, SUNTRUE) >= 0 && CVodeSetNonlinConvCoef(memory, CONVERGED) >= 0;
}

/* The largest magnitude of all q, or of all u, so far; as long as all are zero, how far they move
   in a step h. */
static double part_scale(double seen, const double y[], const double f[], int n, double h)
{
  double motion = 0;
  for (int i = 0; i < n; i++) {
    seen = fmax(seen, fabs(y[i]));
    motion = fmax(motion, fabs(h * f[i]));
  }
  return seen > 0 ? seen : motion;
}

/* The increment is relative to the number itself, but not much smaller than for the largest of its
   kind.  CVODE's own increments follow the tolerance and drown in rounding errors if that is
   tight. */
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
  const int n = lwi_system_block(s);
  a->u_scale = part_scale(a->u_scale, y + s->nposition, f + s->nposition, n - s->nposition, h);

  for (int j = 0; j < n; j++) {
    const double kept = y[j];
    y[j] = kept + find_shift(kept, j < s->nposition ? a->q_scale : a->u_scale);
    const double shift = y[j] - kept;
    const lw_status status = lwi_system_rate_first(s, t, y, shifted);
    y[j] = kept;
    if (status != LW_OK) return 1;
    double *column = SUNDenseMatrix_Column(J, j);
    for (int i = 0; i < n; i++)
      column[i] = (shifted[i] - f[i]) / shift;
  }
  return 0;
}

static bool use_newton(multistep *a)
{
  const sunindextype n = N_VGetLength(a->base.y);
  a->jacobian = lwi_matrix_new(n, a->base.context);
  if (!a->jacobian) return false;
  a->solver = SUNLinSol_Dense(a->base.y, a->jacobian, a->base.context);
  return a->solver && CVodeSetLinearSolver(a->base.memory, a->solver, a->jacobian) >= 0 &&
         CVodeSetJacFn(a->base.memory, fill_jacobian) >= 0;
}

/* Error weights: the inverse of the tolerance of each number. */
static int error_weights(N_Vector y, N_Vector weight, void *user)
{
  const multistep *a = user;
  const bool coarse = a->base.base.system->weakest < NEARLY_SINGULAR;
  const double rtol = lwi_step_rtol(&a->options, coarse), atol = lwi_step_atol(&a->options, coarse);
  const double *from = N_VGetArrayPointer(y);
  double *to = N_VGetArrayPointer(weight);
  for (sunindextype i = 0; i < N_VGetLength(y); i++) {
    const double error = rtol * fabs(from[i]) + atol;
    if (!(error > 0)) return -1;
    to[i] = 1 / error;
  }
  return 0;
}

static bool create_parts(multistep *a, int method, double t)
{
  lwi_sundials *s = &a->base;
  s->memory = CVodeCreate(method, s->context);
  return s->memory && CVodeSetErrHandlerFn(s->memory, lwi_sundials_message, s) >= 0 &&
         CVodeSetUserData(s->memory, s) >= 0 && CVodeInit(s->memory, rate_first, t, s->y) >= 0 &&
         CVodeWFtolerances(s->memory, error_weights) >= 0 && add_others(a) &&
         (method == CV_BDF ? use_newton(a) : use_iteration(a)) &&
         (a->options.step == 0 || CVodeSetMaxStep(s->memory, a->options.step) >= 0);
}

/* Starts at t with the y in a->base.y. */
static bool create(multistep *a, int method, double t)
{
  const bool created = create_parts(a, method, t);
  return !lwi_vectors_failed(a->base.y) && created;
}

static void destroy(multistep *a)
{
  CVodeFree(&a->base.memory);
  if (a->iteration) SUNNonlinSolFree(a->iteration);
  if (a->others_iteration) SUNNonlinSolFree(a->others_iteration);
  if (a->solver) SUNLinSolFree(a->solver);
  if (a->jacobian) SUNMatDestroy(a->jacobian);
  a->iteration = a->others_iteration = NULL;
  a->solver = NULL;
  a->jacobian = NULL;
}

static void multistep_free(lwi_integrator *it)
{
  multistep *a = (multistep *)it;
  if (!a) return;
  destroy(a);
  if (a->dense_y) N_VDestroy(a->dense_y);
  if (a->others) N_VDestroyVectorArray(a->others, a->nblock);
  if (a->dense_others) N_VDestroyVectorArray(a->dense_others, a->nblock);
  free(a->from);
  free(a->to);
  free(a->atol);
  lwi_stiffness_close(&a->stiffness);
  lwi_sundials_close(&a->base);
  free(a);
}

/* ---- go ---- */

/* Copy y in and out, block by block. */
static void set(multistep *a, const double y[])
{
  const size_t n = (size_t)lwi_system_block(a->base.base.system);
  if (n == 0) return;
  memcpy(N_VGetArrayPointer(a->base.y), y, n * sizeof(double));
  for (int k = 0; k < a->nblock; k++)
    memcpy(N_VGetArrayPointer(a->others[k]), y + ((size_t)k + 1) * n, n * sizeof(double));
}

static void copy(const multistep *a, N_Vector first, const N_Vector *others, double y[])
{
  const size_t n = (size_t)lwi_system_block(a->base.base.system);
  if (n == 0) return;
  memcpy(y, N_VGetArrayPointer(first), n * sizeof(double));
  for (int k = 0; k < a->nblock; k++)
    memcpy(y + ((size_t)k + 1) * n, N_VGetArrayPointer(others[k]), n * sizeof(double));
}

static long count_rejected(const multistep *a)
{
  long rejected = 0;
  CVodeGetNumErrTestFails(a->base.memory, &rejected);
  return rejected;
}

/* Did the iteration for y or its derivatives fail, other than because the right-hand side could not
   be computed? */
static bool fails_to_converge(const multistep *a)
{
  long failures = 0, others = 0;
  CVodeGetNumNonlinSolvConvFails(a->base.memory, &failures);
  if (a->nblock > 0) CVodeGetSensNumNonlinSolvConvFails(a->base.memory, &others);
  failures += others;
  return failures - a->base.base.system->failures >= SUSPECT_AFTER;
}

/* After a step from `from`: what ends at `end`, or at the largest step, is not as long as it could
   be. */
static void look_for_stiffness(multistep *a, double from, double end)
{
  const double t = a->base.base.t, largest = a->options.step;
  if (t >= end || (largest > 0 && t - from > 0.9 * largest)) {
    lwi_stiffness_reset(&a->stiffness);
    return;
  }
  if (fails_to_converge(a)) lwi_stiffness_suspect(&a->stiffness);
  if (CVodeGetErrWeights(a->base.memory, a->dense_y) < 0) return;
  a->suspicious = lwi_stiffness_notice(&a->stiffness, t, N_VGetArrayPointer(a->base.y),
                                       N_VGetArrayPointer(a->dense_y));
}

/* Before the next step: evaluations between a step and what follows it would be taken for its
   own. */
static bool is_stiff(multistep *a)
{
  double h = 0;
  if (!a->may_switch || !a->suspicious) return false;
  a->suspicious = false;
  CVodeGetLastStep(a->base.memory, &h);
  return lwi_stiffness_confirm(&a->stiffness, a->base.base.system, a->base.base.t,
                               N_VGetArrayPointer(a->base.y), h);
}

static void name_method(multistep *a)
{
  const bool bdf = a->options.integrator == LW_INTEGRATOR_BDF;
  snprintf(a->method, sizeof a->method, bdf ? "BDF, order 1-5" : "Adams, order 1-12");
  if (!bdf && isfinite(a->base.base.stiff))
    snprintf(a->method, sizeof a->method, "Adams, order 1-12; stiff: BDF from t = %.3g",
             a->base.base.stiff);
}

static lw_status switch_to_bdf(multistep *a)
{
  const double t = a->base.base.t;
  a->may_switch = false;
  a->rejected = count_rejected(a);
  destroy(a);
  a->base.base.stiff = t;
  name_method(a);
  if (create(a, CV_BDF, t)) return LW_OK;
  return lwi_integrator_fail(&a->base.base, LW_E_MEMORY, "out of memory for BDF");
}

static lw_status start(lwi_integrator *it, double t, const double y[])
{
  multistep *a = (multistep *)it;
  const int n = it->system->n;
  const bool chooses =
      a->options.integrator == LW_INTEGRATOR_AUTO &&
      lwi_system_block(it->system) <= STIFF_UP_TO; /* the derivatives have the same Jacobian */
  if (!chooses) it->stiff = HUGE_VAL;
  const bool stiff = a->options.integrator == LW_INTEGRATOR_BDF || isfinite(it->stiff);
  a->may_switch = chooses && !stiff;
  a->suspicious = false;
  lwi_stiffness_begin(&a->stiffness);
  a->rejected = 0;
  a->q_scale = a->u_scale = 0;
  name_method(a);

  it->t = t;
  it->next = 0;
  it->system->failures = 0;
  set(a, y);
  destroy(a);
  if (create(a, stiff ? CV_BDF : CV_ADAMS, t)) return LW_OK;
  return lwi_integrator_fail(it, LW_E_MEMORY, "out of memory for %d numbers", n);
}

/* One step.  Where a speed is zero the first one moves it by its absolute tolerance at most, which
   may be too short to change the time; those that follow are up to 10^4 times as long. */
static int advance(multistep *a, double end)
{
  enum { FIRST = 4 };
  const double from = a->base.base.t;
  long steps = 0;
  int flag;
  do {
    flag = CVode(a->base.memory, end, a->base.y, &a->base.base.t, CV_ONE_STEP);
    if (flag >= 0) CVodeGetNumSteps(a->base.memory, &steps);
  } while (flag >= 0 && a->base.base.t == from && from < end && steps < FIRST);
  return flag;
}

static lw_status step(lwi_integrator *it, double target, double end)
{
  multistep *a = (multistep *)it;
  (void)target;
  if (is_stiff(a)) {
    const lw_status switched = switch_to_bdf(a);
    if (switched != LW_OK) return switched;
  }
  const double from = it->t;
  int flag = CVodeSetStopTime(a->base.memory, end);
  if (flag >= 0) flag = advance(a, end);
  double t;
  if (flag >= 0 && a->nblock > 0) flag = CVodeGetSens(a->base.memory, &t, a->others);
  if (flag >= 0) CVodeGetCurrentStep(a->base.memory, &it->next);
  if (flag >= 0 && a->may_switch) look_for_stiffness(a, from, end);
  return lwi_sundials_check(&a->base, flag);
}

static lw_status get(lwi_integrator *it, double t, double y[])
{
  multistep *a = (multistep *)it;
  if (t == it->t) {
    copy(a, a->base.y, a->others, y);
    return LW_OK;
  }
  int flag = CVodeGetDky(a->base.memory, t, 0, a->dense_y);
  if (flag >= 0 && a->nblock > 0) flag = CVodeGetSensDky(a->base.memory, t, 0, a->dense_others);
  const lw_status status = lwi_sundials_check(&a->base, flag);
  if (status == LW_OK) copy(a, a->dense_y, a->dense_others, y);
  return status;
}

static void count(const lwi_integrator *it, lw_simulation_statistics *s)
{
  const multistep *a = (const multistep *)it;
  s->rejected += a->rejected + count_rejected(a);
}

static bool allocate_parts(multistep *a)
{
  const int n = a->nblock = a->base.base.system->nblock;
  a->dense_y = N_VClone(a->base.y);
  if (!lwi_stiffness_open(&a->stiffness, lwi_system_block(a->base.base.system))) return false;
  if (!a->dense_y || n == 0) return a->dense_y;
  a->others = N_VCloneVectorArray(n, a->base.y);
  a->dense_others = N_VCloneVectorArray(n, a->base.y);
  a->from = calloc((size_t)n, sizeof *a->from);
  a->to = calloc((size_t)n, sizeof *a->to);
  a->atol = calloc((size_t)n, sizeof *a->atol);
  if (!a->others || !a->dense_others || !a->from || !a->to || !a->atol) return false;
  for (int k = 0; k < n; k++) {
    a->atol[k] = lwi_step_atol_others(a->base.base.system, &a->options);
    N_VConst(0, a->others[k]);
  }
  return true;
}

static bool allocate(multistep *a)
{
  const bool allocated = allocate_parts(a);
  return !lwi_vectors_failed(a->base.y) && allocated;
}

lwi_integrator *lwi_multistep_new(lwi_system *system, const lw_simulation_options *options)
{
  multistep *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->options = *options;
  a->base.base = (lwi_integrator){.method = a->method,
                                  .stiff = HUGE_VAL,
                                  .start = start,
                                  .step = step,
                                  .get = get,
                                  .estimate = get,
                                  .count = count,
                                  .free = multistep_free};
  if (lwi_sundials_open(&a->base, system, lwi_system_block(system)) && allocate(a))
    return &a->base.base;
  multistep_free(&a->base.base);
  return NULL;
}
