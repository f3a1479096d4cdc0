/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_point.c -- fixed-point iteration y <- g(y) as a SUNNonlinearSolver, for Adams methods. */
#include "sim/integrate/fixed_point.h"

#include <stdlib.h>

typedef struct {
  struct _generic_SUNNonlinearSolver face;
  struct _generic_SUNNonlinearSolver_Ops functions;
  SUNNonlinSolSysFn g;
  SUNNonlinSolConvTestFn test;
  void *test_data;
  N_Vector before, after, derivative; /* cloned from y in the first solve */
  bool *no_memory;
  int limit, iteration;
  long iterations, failures; /* of the last solve */
} fixed_point;

static SUNNonlinearSolver_Type get_type(SUNNonlinearSolver s)
{
  (void)s;
  return SUNNONLINEARSOLVER_FIXEDPOINT;
}

static int initialize(SUNNonlinearSolver s)
{
  const fixed_point *f = (fixed_point *)s;
  return f->g && f->test ? SUN_NLS_SUCCESS : SUN_NLS_MEM_NULL;
}

/* Calls the clone function of the vector itself, since N_VClone does not check for NULL. */
static bool allocate_vectors(fixed_point *f, N_Vector y)
{
  if (f->derivative) return true;
  N_Vector *to[] = {&f->before, &f->after, &f->derivative};
  for (int i = 0; i < 3; i++) {
    if (!*to[i]) *to[i] = y->ops->nvclone(y);
    if (!*to[i]) return false;
    (*to[i])->sunctx = y->sunctx;
  }
  return true;
}

static int solve(SUNNonlinearSolver s, N_Vector predicted, N_Vector y, N_Vector weight,
                 double tolerance, booleantype unused, void *memory)
{
  fixed_point *f = (fixed_point *)s;
  (void)predicted, (void)unused;
  if (!allocate_vectors(f, y)) {
    *f->no_memory = true;
    return SUN_NLS_MEM_FAIL;
  }
  f->iterations = f->failures = 0; /* SUNDIALS sums them up */
  for (f->iteration = 0; f->iteration < f->limit; f->iteration++) {
    N_VScale(1, y, f->before);
    int flag = f->g(y, f->after, memory);
    if (flag != SUN_NLS_SUCCESS) return flag;
    N_VScale(1, f->after, y);
    f->iterations++;
    N_VLinearSum(1, y, -1, f->before, f->derivative);
    flag = f->test(s, y, f->derivative, tolerance, weight, f->test_data);
    if (flag == SUN_NLS_SUCCESS) return flag;
    if (flag != SUN_NLS_CONTINUE) {
      f->failures++;
      return flag;
    }
  }
  f->failures++;
  return SUN_NLS_CONV_RECVR;
}

static int solver_free(SUNNonlinearSolver s)
{
  fixed_point *f = (fixed_point *)s;
  if (!f) return SUN_NLS_SUCCESS;
  if (f->before) N_VDestroy(f->before);
  if (f->after) N_VDestroy(f->after);
  if (f->derivative) N_VDestroy(f->derivative);
  free(f);
  return SUN_NLS_SUCCESS;
}

static int set_function(SUNNonlinearSolver s, SUNNonlinSolSysFn g)
{
  ((fixed_point *)s)->g = g;
  return SUN_NLS_SUCCESS;
}

static int set_test(SUNNonlinearSolver s, SUNNonlinSolConvTestFn test, void *data)
{
  fixed_point *f = (fixed_point *)s;
  f->test = test;
  f->test_data = data;
  return SUN_NLS_SUCCESS;
}

static int set_limit(SUNNonlinearSolver s, int limit)
{
  ((fixed_point *)s)->limit = limit;
  return SUN_NLS_SUCCESS;
}

static int get_iterations(SUNNonlinearSolver s, long *n)
{
  *n = ((fixed_point *)s)->iterations;
  return SUN_NLS_SUCCESS;
}

static int get_iteration(SUNNonlinearSolver s, int *n)
{
  *n = ((fixed_point *)s)->iteration;
  return SUN_NLS_SUCCESS;
}

static int get_failures(SUNNonlinearSolver s, long *n)
{
  *n = ((fixed_point *)s)->failures;
  return SUN_NLS_SUCCESS;
}

SUNNonlinearSolver lwi_fixed_point_new(bool *no_memory, SUNContext context)
{
  fixed_point *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->functions = (struct _generic_SUNNonlinearSolver_Ops){.gettype = get_type,
                                                          .initialize = initialize,
                                                          .solve = solve,
                                                          .free = solver_free,
                                                          .setsysfn = set_function,
                                                          .setctestfn = set_test,
                                                          .setmaxiters = set_limit,
                                                          .getnumiters = get_iterations,
                                                          .getcuriter = get_iteration,
                                                          .getnumconvfails = get_failures};
  f->face = (struct _generic_SUNNonlinearSolver){.ops = &f->functions, .sunctx = context};
  f->face.content = f;
  f->no_memory = no_memory;
  f->limit = 3;
  return &f->face;
}
