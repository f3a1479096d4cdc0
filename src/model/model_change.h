/* SPDX-License-Identifier: Apache-2.0 */
/* model_change.h -- how the numbers of a compiled model change with a parameter. */
#ifndef LWI_MODEL_MODEL_CHANGE_H
#define LWI_MODEL_MODEL_CHANGE_H
#include "model/model.h"

/* A model whose numbers are the derivatives of those of m, compiled from s, by the parameter `index`.
   It shifts its own value only, also if it is an expression; what uses it follows.  Derivatives of
   compiled numbers come from compilations beside (eighth-order central differences, whose steps are
   shortened until two agree: about 12 digits); those of parameters themselves are exact.  NULL: see err.  Free it as a model. */
lw_model *lwi_model_change(const lw_spec *s, const lw_model *m, int index, lw_error *err);

/* The numbers of `change`, a model of the same structure, become sums of those of n models, each times its
   weight; LW_E_MODEL: the structures differ. */
lw_status lwi_model_change_from(lw_model *change, lw_model *const beside[], const double weight[],
                                int n, lw_error *err);
void lwi_model_change_scale(lw_model *change, double by);

#endif
