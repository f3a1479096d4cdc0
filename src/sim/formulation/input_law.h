/* SPDX-License-Identifier: Apache-2.0 */
/* input_law.h -- inputs whose values the program computes from time and state. */
#ifndef LWI_SIM_FORMULATION_INPUT_LAW_H
#define LWI_SIM_FORMULATION_INPUT_LAW_H
#include "model/model.h"

/* Are there inputs, and a law for them? */
bool lwi_input_law_acts(const lw_input_law *law, const lw_model *m);
/* Puts their values into q, which has those that are held; scratch: [nstate]. */
lw_status lwi_input_law_value(const lw_input_law *law, const lw_model *m, double t,
                              const double u[], double q[], double scratch[]);
/* The same for derivatives: states_p[nstate] has those of all states, q the values of inputs. */
lw_status lwi_input_law_derivative(const lw_input_law *law, const lw_model *m, double t,
                                   const double q[], const double u[],
                                   const lw_input_direction *along, double states_p[],
                                   double scratch[]);

#endif
