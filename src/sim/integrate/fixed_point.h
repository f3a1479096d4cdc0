/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_point.h -- the corrector of Adams methods, y = g(y) by iteration, as a nonlinear solver of SUNDIALS.

   What SUNNonlinSol_FixedPoint and SUNNonlinSol_FixedPointSens do without acceleration; but these clone vectors
   that wrap derivatives by N_VClone, which does not survive a failed allocation (sundials_vector.h). */
#ifndef LWI_SIM_INTEGRATE_FIXED_POINT_H
#define LWI_SIM_INTEGRATE_FIXED_POINT_H
#include <stdbool.h>
#include <sundials/sundials_nonlinearsolver.h>

/* For vectors of any kind: room is taken at the first solution; if there is none, *no_memory is set, which CVODE
   would not tell.  NULL: no memory. */
SUNNonlinearSolver lwi_fixed_point_new(bool *no_memory, SUNContext context);

#endif
