/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h -- why a state cannot be evaluated: which joint, body, force or driver it is, with its
   place in the file.  Looked for after the failure, by evaluating the parts one by one: nothing is
   kept for it in between. */
#ifndef LWI_TREE_LOOPS_EXPLAIN_H
#define LWI_TREE_LOOPS_EXPLAIN_H
#include "linkwork/dynamics.h"
#include "model/model.h"

/* What was found, as a sentence without a full stop, and where it is written (0: not known). */
typedef struct {
  char text[300];
  lwi_mark mark;
} lwi_failing_part;

/* Of LW_E_NUMBER: what is not finite; of LW_E_SINGULAR: what moves no inertia.  False: nothing was
   found. */
bool lwi_explain(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                 lw_status status, lwi_failing_part *out);

/* Of LW_E_NUMBER where nothing was found: what is largest. */
bool lwi_explain_size(const lw_model *m, double t, const double q[], const double u[],
                      lwi_failing_part *out);

/* The motor or applied load whose value changes most when the state changes by next to nothing. */
bool lwi_explain_jump(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                      lwi_failing_part *out);

/* Speeds that are held or driven contradict the loops: names the joints and drivers. */
lw_status lwi_contradictory_speeds(const lw_model *m, double left, lw_error *err);

/* Where a joint, constraint or relation of this name is written. */
lwi_mark lwi_mark_of(const lw_model *m, const char *name);

#endif
