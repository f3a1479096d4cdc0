/* SPDX-License-Identifier: Apache-2.0 */
/* finite_difference.h -- models with nearby values of a parameter. */
#ifndef LWI_SIM_SENSITIVITY_FINITE_DIFFERENCE_H
#define LWI_SIM_SENSITIVITY_FINITE_DIFFERENCE_H
#include "math/differences.h"
#include "sim/sensitivity/parameter_derivative.h"

enum { LWI_NEARBY_MODELS = LWI_DIFFERENCE_POINTS };
/* Error of differences for rates of order 1, with a margin: no step can be more accurate. */
#define LWI_FINITE_DIFFERENCE_NOISE 1e-10

/* The model must keep its spec.  Returns NULL on failure; see err. */
lwi_parameter_derivative *lwi_finite_difference_new(const lw_model *m,
                                                    const lw_simulation_options *options,
                                                    int parameter, lw_error *err);

/* The model with another value of a parameter, which may be outside its limits. */
lw_model *lwi_compile_nearby(const lw_model *m, int parameter, double value, lw_error *err);

/* Derivatives of the numbers of the present model, scaled, as a model; free it as one.  Returns
   NULL on failure; see err. */
lw_model *lwi_finite_difference_derivative(lwi_parameter_derivative *v, lw_error *err);

#endif
