/* SPDX-License-Identifier: Apache-2.0 */
/* adjoint.h -- derivatives of a run that are not integrated along with it: the motion is recorded,
   and swept back from where derivatives are needed (adjoint_sweep.h). */
#ifndef LWI_SIM_SENSITIVITY_ADJOINT_H
#define LWI_SIM_SENSITIVITY_ADJOINT_H
#include "sim/sensitivity/adjoint_sweep.h"
#include "sim/sensitivity/peaks.h"
#include "sim/sensitivity/sensitivity.h"

typedef struct {
  bool on;
  char why[256];           /* it is chosen or not; empty: the caller has chosen */
  lwi_trajectory recorded; /* the motion since derivatives of y hold */
} lwi_adjoint;

/* After a step: records it up to t. */
lw_status lwi_adjoint_record(lw_sensitivity *s, double t);
/* Brings the derivatives of y, and gradients of maxima and minima, from where they hold to t, the
   time of the present output state. */
lw_status lwi_adjoint_catch_up(lw_sensitivity *s, double t, lw_error *err);
/* Gradients of objectives at the present output state, where they have these values as if all but
   integrals were final ones, [np][objectives]; and those of the peaks. */
lw_status lwi_adjoint_gradients(lw_sensitivity *s, lwi_peak peak[], const double value[],
                                double gradient[]);

#endif
