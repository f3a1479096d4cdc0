/* SPDX-License-Identifier: Apache-2.0 */
/* model_derivative.h -- how the numbers of a compiled model change with a parameter.

   A change is a model whose numbers are derivatives; what a model is made of it has only where
   numbers need it, and it is good for nothing else.  Free it as a model. */
#ifndef LWI_MODEL_COMPILE_MODEL_DERIVATIVE_H
#define LWI_MODEL_COMPILE_MODEL_DERIVATIVE_H
#include "model/model.h"

/* The derivatives of m, compiled from s, by the parameter `index`, exact but for rounding errors.
   The parameter shifts its own value only, also if it is an expression; what uses it follows.  s
   may be that of a later moment, and m what was compiled from it: plain numbers and poses stay as
   they are.  Events are those of m.  NULL: see err. */
lw_model *lwi_model_derivative(const lw_spec *s, const lw_model *m, int index, lw_error *err);

/* ---- model_sum.c ---- */

/* The numbers of `change`, a model of the same structure, become sums of those of n models, each
   times its weight; LW_E_MODEL: the structures differ. */
lw_status lwi_model_derivative_from(lw_model *derivative, lw_model *const beside[],
                                    const double weight[], int n, lw_error *err);
void lwi_model_derivative_scale(lw_model *derivative, double by);
/* All numbers of a model, one after the other; returns how many.  out may be NULL. */
size_t lwi_model_numbers(lw_model *m, double out[]);

#endif
