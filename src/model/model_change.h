/* SPDX-License-Identifier: Apache-2.0 */
/* model_change.h -- how the numbers of a compiled model change with a parameter.

   A change is a model whose numbers are derivatives; what a model is made of it has only where numbers
   need it, and it is good for nothing else.  Free it as a model. */
#ifndef LWI_MODEL_MODEL_CHANGE_H
#define LWI_MODEL_MODEL_CHANGE_H
#include "model/model.h"

/* The derivatives of m, compiled from s, by the parameter `index`, exact but for rounding errors.  The
   parameter shifts its own value only, also if it is an expression; what uses it follows.  Numbers that an
   event has written into s follow as s says: phase.change of joints and constraints, pose_change,
   place_change of merged bodies (spec_data.h).  Events are those of m.  NULL: see err. */
lw_model *lwi_model_change(const lw_spec *s, const lw_model *m, int index, lw_error *err);

/* Derivatives of the numbers of a place that was written from a frame (lwi_place_in_numbers). */
lw_place lwi_place_change(const lwi_frame *X, const lwi_frame *change, bool planar);

/* ---- model_sum.c ---- */

/* The numbers of `change`, a model of the same structure, become sums of those of n models, each times its
   weight; LW_E_MODEL: the structures differ. */
lw_status lwi_model_change_from(lw_model *change, lw_model *const beside[], const double weight[],
                                int n, lw_error *err);
void lwi_model_change_scale(lw_model *change, double by);
/* All numbers of a model, one after the other; returns how many.  out may be NULL. */
size_t lwi_model_numbers(lw_model *m, double out[]);

#endif
