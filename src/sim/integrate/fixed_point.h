/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_point.h -- the corrector of Adams methods, fixed-point iteration of y = g(y), as a
   nonlinear solver of SUNDIALS.

   It does the same as SUNNonlinSol_FixedPoint and SUNNonlinSol_FixedPointSens without acceleration.
   These clone their vectors with N_VClone, which does not check for a failed allocation
   (sundials_vector.h). */
#ifndef LWI_SIM_INTEGRATE_FIXED_POINT_H
#define LWI_SIM_INTEGRATE_FIXED_POINT_H
#include <stdbool.h>
#include <sundials/sundials_nonlinearsolver.h>

/* Works for vectors of any kind: scratch is allocated in the first solve.  If that fails,
   *no_memory is set, since CVODE would not report it.  Returns NULL if out of memory. */
SUNNonlinearSolver lwi_fixed_point_new(bool *no_memory, SUNContext context);

#endif
