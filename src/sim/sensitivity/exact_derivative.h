/* SPDX-License-Identifier: Apache-2.0 */
/* exact_derivative.h -- derivatives by one parameter from those of the recursions. */
#ifndef LWI_SIM_SENSITIVITY_EXACT_DERIVATIVE_H
#define LWI_SIM_SENSITIVITY_EXACT_DERIVATIVE_H
#include "linkwork/sensitivity.h"
#include "sim/formulation/linearized_dynamics.h"
#include "sim/sensitivity/parameter_derivative.h"

/* `linear` is shared by all parameters of a run; it must be open for the present model whenever a
   function of the derivative is called.  Returns NULL on failure; see err. */
lwi_parameter_derivative *lwi_exact_derivative_new(const lw_model *m,
                                                   const lw_simulation_options *options,
                                                   int parameter, lwi_linearized_dynamics *linear,
                                                   lw_error *err);
/* The derivative by nothing: along y_p alone, through events too.  parameter: any that the model has. */
lwi_parameter_derivative *
lwi_exact_derivative_of_none(const lw_model *m, const lw_simulation_options *options, int parameter,
                             lwi_linearized_dynamics *linear, lw_error *err);
/* Of the numbers of the model, scaled as y_p. */
const lw_model_derivative *lwi_exact_model_derivative(const lwi_parameter_derivative *v);
/* Sets the user's callback for derivatives by parameter number k of the run. */
void lwi_exact_derivative_ask(lwi_parameter_derivative *v, lw_derivative_callback callback,
                              void *context, int k);

#endif
