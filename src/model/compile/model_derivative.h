/* SPDX-License-Identifier: Apache-2.0 */
/* model_derivative.h -- derivatives of the numbers of a compiled model by a parameter.

   They are stored as a model whose numbers are derivatives.  It has only as much structure as its
   numbers need, and cannot be used otherwise.  Free it as a model. */
#ifndef LWI_MODEL_COMPILE_MODEL_DERIVATIVE_H
#define LWI_MODEL_COMPILE_MODEL_DERIVATIVE_H
#include "model/model.h"
#include "model/spec/spec_phase.h"

/* The derivatives of m, compiled from s, by the parameter `index`, exact up to rounding errors.
   The derivative is by an offset added to the parameter's value, also if that is an expression, and
   includes everything that depends on it.  NULL: see err. */
lw_model *lwi_model_derivative(const lw_spec *s, const lw_model *m, int index, lw_error *err);
/* The same of a model compiled from any phase: plain numbers and poses are constant.  Events are
   those of m. */
lw_model *lwi_phase_model_derivative(const lwi_phase *p, const lw_model *m, int index,
                                     lw_error *err);

/* ---- model_sum.c ---- */

/* Sets the numbers of `derivative`, a model of the same structure, to the weighted sums of those of
   n models; LW_E_MODEL: the structures differ. */
lw_status lwi_model_derivative_from(lw_model *derivative, lw_model *const beside[],
                                    const double weight[], int n, lw_error *err);
void lwi_model_derivative_scale(lw_model *derivative, double by);
/* All numbers of a model, one after the other; returns how many.  out may be NULL. */
size_t lwi_model_numbers(lw_model *m, double out[]);

#endif
