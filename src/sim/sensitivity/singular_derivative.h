/* SPDX-License-Identifier: Apache-2.0 */
/* singular_derivative.h -- whether derivatives by a parameter exist beyond a singular
   configuration. */
#ifndef LWI_SIM_SENSITIVITY_SINGULAR_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_SINGULAR_DERIVATIVE_H
#include "linkwork/model.h"

/* q is singular.  Are models with nearby values of the parameter singular nearby, so that the
   motion beyond depends on it smoothly?  If that cannot be determined: no.  LW_E_MEMORY: out of
   memory. */
lw_status lwi_keeps_singular(const lw_model *m, const char *parameter, double t, const double q[],
                             bool *keeps);

#endif
