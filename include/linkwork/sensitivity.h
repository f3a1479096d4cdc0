/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity.h -- derivatives of whole runs by parameters of the model: of the state at every time, of
   result columns, and of objectives, through closed loops and events.

     lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, NULL, &err);
     lw_sensitivity_advance(s, 5.0, q, u, dq, du, &err);
     dq[k*nq + i]          d(coordinate i)/d(parameter k) at t = 5
     lw_sensitivity_objectives(s, value, gradient);

   Derivatives of states and columns are at fixed time; those of objectives go along with the end of the run
   (lw_sensitivity_end_time).  By a parameter that other parameters use a derivative is the total one.  The
   initial state moves with the parameter as its expressions and the closure of loops say.  docs/theory/
   sensitivities.md. */
#ifndef LINKWORK_SENSITIVITY_H
#define LINKWORK_SENSITIVITY_H
#include "linkwork/columns.h"
#include "linkwork/events.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a model says of it: for lw_sensitivity_new and `linkwork sens` ---- */

typedef enum { /* of a whole run */
               LW_OBJECTIVE_FINAL,
               LW_OBJECTIVE_INTEGRAL,
               LW_OBJECTIVE_MAX,
               LW_OBJECTIVE_MIN
} lw_objective_kind;
typedef struct {
  const char *name;
  lw_objective_kind kind;
  double value; /* an expression of result columns, t and the parameters */
} lw_objective_desc;
LW_API void lw_add_objective(lw_spec *s, const lw_objective_desc *d);
/* Derivatives are wanted by this parameter, and by those named before and after; if none is named, by
   all. */
LW_API void lw_vary_parameter(lw_spec *s, const char *name);

/* Parameters by which derivatives are wanted: their indices; those of all if the spec names none. */
LW_API int lw_nvaried(const lw_model *m);
LW_API int lw_varied_parameter(const lw_model *m, int index);
LW_API int lw_nobjective(const lw_model *m);
typedef struct {
  const char *name, *text; /* text: the expression as written */
  lw_objective_kind kind;
} lw_objective_info;
LW_API lw_objective_info lw_get_objective(const lw_model *m, int index); /* from 0 */

/* ---- a run with derivatives ---- */

typedef struct lw_sensitivity lw_sensitivity;

/* What the caller knows of a derivative: adds to dtau[nu] and dudot[nu], zero at first, the derivatives by
   parameter k of generalized loads and of accelerations that the model file does not say.  Returns 0; positive:
   cannot be computed here, negative: stop. */
typedef int (*lw_derivative_callback)(void *context, int k, double t, const double q[],
                                      const double u[], double dtau[], double dudot[]);

typedef struct {
  lw_simulation_options simulation; /* as for lw_simulation_new; not LW_INTEGRATOR_EULER */
  /* Rates are differentiated by differences of sixth order between models with nearby parameters,
     instead of exactly: works with every formulation, and checks the exact ones. */
  bool differences;
  /* Result columns whose derivatives are wanted, as lw_columns_new takes them; NULL: q, u and udot of
     every joint. */
  const char *columns;
  lw_derivative_callback derivative; /* not with differences; NULL: the model says all */
  void *context;
} lw_sensitivity_options;

/* Starts at t = 0.  parameters[n] are names; n = 0: those that the model wants varied.  The model must
   outlive it.  NULL: see err, which names a parameter that is not there. */
LW_API lw_sensitivity *lw_sensitivity_new(const lw_model *m, const char *const parameters[], int n,
                                          const lw_sensitivity_options *options, lw_error *err);
LW_API void lw_sensitivity_free(lw_sensitivity *s);

LW_API int lw_sensitivity_nparameter(const lw_sensitivity *s);
/* Index in the model of parameter k, k = 0 ... */
LW_API int lw_sensitivity_parameter(const lw_sensitivity *s, int k);
/* The run itself: its options, rows, statistics, events, and the model of the moment.  Do not advance it
   or watch its steps. */
LW_API lw_simulation *lw_sensitivity_simulation(lw_sensitivity *s);

/* Goes on to time t.  q, u as lw_simulation_advance; dq and du hold for each parameter what q and u hold:
   dq[k*nq + i], with nq and nu of lw_simulation_model.  Any may be NULL. */
LW_API lw_status lw_sensitivity_advance(lw_sensitivity *s, double t, double q[], double u[],
                                        double dq[], double du[], lw_error *err);

/* Result columns at the state last given, and their derivatives: drow[k*count + i].  Cells of what does
   not exist at the moment are NaN. */
LW_API const lw_columns *lw_sensitivity_columns(const lw_sensitivity *s);
LW_API lw_status lw_sensitivity_row(lw_sensitivity *s, double row[], double drow[]);

/* Objectives of the model over the run so far: value[lw_nobjective], gradient[k*lw_nobjective + i].
   Gradients are those of a run whose end moves by lw_sensitivity_end_time.  Largest and smallest values are
   those of the whole motion, not of the times asked for; where the largest value is at an event or an end of
   the run, its gradient goes along with that. */
LW_API lw_status lw_sensitivity_objectives(lw_sensitivity *s, double value[], double gradient[]);

/* A whole run, as lw_simulation_run: the table has behind its columns the derivatives of those of
   lw_sensitivity_columns, named "d(q.A)/d(La)", parameter by parameter. */
LW_API lw_status lw_sensitivity_run(lw_sensitivity *s, const lw_run_options *options,
                                    lw_run_report *report, lw_error *err);

/* An independent check: derivatives by one parameter (its index in the model) of columns and objectives at the
   end of runs to time t, from differences of whole runs, extrapolated, with estimates of their errors: drow and
   drow_error [columns], gradient and gradient_error [objectives].  Any may be NULL.  They mean what
   lw_sensitivity_row and _objectives give: if t is the end that the model says, or if an event stops the runs
   before it, each run goes to its own end.  An error of DBL_MAX: runs beside go elsewhere, however near they
   are, and differences say nothing; LW_E_NOT_CONVERGED: they meet other events. */
LW_API lw_status lw_sensitivity_by_runs(const lw_model *m, int parameter,
                                        const lw_sensitivity_options *options, double t,
                                        double drow[], double gradient[], double drow_error[],
                                        double gradient_error[], lw_error *err);
/* The same for parameter k of a run, where it has come to; quaternions have the signs of its last row. */
LW_API lw_status lw_sensitivity_check(const lw_sensitivity *s, int k, double drow[],
                                      double gradient[], double drow_error[],
                                      double gradient_error[], lw_error *err);

/* Called after each integration step; a nonzero return stops with LW_E_STOPPED. */
LW_API void lw_sensitivity_watch(lw_sensitivity *s, lw_step_callback callback, void *context);
/* Called twice an instant, with the derivatives of the state just before and just after, while
   lw_sensitivity_row gives those of the columns.  A nonzero return stops. */
LW_API void lw_sensitivity_on_event(lw_sensitivity *s, lw_event_callback callback, void *context);
/* The derivative of the time of the last event by parameter k. */
LW_API double lw_sensitivity_event_time(const lw_sensitivity *s, int k);
/* The derivative by parameter k of the time at which the run ends: of the event that has stopped it; or, where
   the run has come to the end that the model says, of that; else, at a time that the caller has chosen, 0. */
LW_API double lw_sensitivity_end_time(const lw_sensitivity *s, int k);

#ifdef __cplusplus
}
#endif
#endif
