/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h -- explains why a state cannot be evaluated: names the joint, body, force or driver,
   and its line in the file.  Searches after the failure, by evaluating the parts one by one, and
   stores nothing in advance. */
#ifndef LWI_TREE_LOOPS_EXPLAIN_H
#define LWI_TREE_LOOPS_EXPLAIN_H
#include "linkwork/dynamics.h"
#include "model/model.h"

/* The explanation, a sentence without a full stop, and its line in the file (0: unknown). */
typedef struct {
  char text[400];
  lwi_mark mark;
} lwi_failing_part;

/* For LW_E_NUMBER: what is not finite; for LW_E_SINGULAR: what moves no inertia.  false: nothing
   was found. */
bool lwi_explain(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                 lw_status status, lwi_failing_part *out);

/* The joint and the bodies of a motion that no inertia resists.  false: there is none.
   explain_massless.c */
bool lwi_explain_massless(const lw_model *m, lw_work *w, double t, const double q[],
                          lwi_failing_part *out);

/* For LW_E_NUMBER where lwi_explain found nothing: the largest coordinate or speed. */
bool lwi_explain_size(const lw_model *m, double t, const double q[], const double u[],
                      lwi_failing_part *out);

/* The motor or applied load whose value changes most under a tiny change of the state. */
bool lwi_explain_jump(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                      lwi_failing_part *out);

/* The motor, load or rate of a state whose value is not finite, and why; slot: values of the names.  explain_expressions.c */
bool lwi_explain_expressions(const lw_model *m, double t, const double *slot,
                             lwi_failing_part *out);
/* The one whose derivative by the state is not finite: sqrt at zero, atan2 at (0, 0). */
bool lwi_explain_slopes(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                        lwi_failing_part *out);

/* Values of the names in expressions of loads and rates at a state; malloc'ed.  NULL: no memory. */
double *lwi_expression_slots(const lw_model *m, lw_work *w, double t, const double q[],
                             const double u[]);

/* The joint nearest to gimbal lock, if it is closer than `near` (lwi_joint_lock). */
bool lwi_explain_lock(const lw_model *m, lw_work *w, const double q[], const double u[],
                      double near, lwi_failing_part *out);

/* Speeds that are held or driven contradict the loops: names the joints and drivers. */
lw_status lwi_contradictory_speeds(const lw_model *m, double left, lw_error *err);

/* Position in the file of the joint, constraint or relation of this name. */
lwi_mark lwi_mark_of(const lw_model *m, const char *name);
lwi_mark lwi_mark_of_body(const lw_spec *spec, const char *name);

#endif
