/* SPDX-License-Identifier: Apache-2.0 */
/* exact_variation.h -- derivatives by one parameter from those of the recursions. */
#ifndef LWI_SIM_EXACT_VARIATION_H
#define LWI_SIM_EXACT_VARIATION_H
#include "linkwork/sensitivity.h"
#include "sim/linear.h"
#include "sim/variation.h"

/* linear is shared by all parameters of a run; it must be open for the present model whenever a function
   of the variation is called.  NULL: see err. */
lwi_variation *lwi_exact_variation_new(const lw_model *m, const lw_simulation_options *options,
                                       int parameter, lwi_linear *linear, lw_error *err);
/* The caller's part of the derivatives by parameter number k of the run. */
void lwi_exact_variation_ask(lwi_variation *v, lw_derivative_callback callback, void *context,
                             int k);

#endif
