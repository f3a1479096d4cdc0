/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity.h -- derivatives of whole runs by parameters of the model: of the state at every
   time, of result columns, and of objectives, through closed loops and events.

     lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, NULL, &err);
     lw_sensitivity_advance(s, 5.0, q, u, dq, du, &err);
     dq[k*nq + i]          d(coordinate i)/d(parameter k) at t = 5
     lw_sensitivity_objectives(s, value, gradient);

   Derivatives of states and columns are at fixed time; those of objectives include the motion of
   the end of the run (lw_sensitivity_end_time).  The derivative by a parameter that other
   parameters use is the total one.  The initial state depends on the parameter through its
   expressions and loop closure.  docs/theory/ sensitivities.md. */
#ifndef LINKWORK_SENSITIVITY_H
#define LINKWORK_SENSITIVITY_H
#include "linkwork/columns.h"
#include "linkwork/derivatives.h"
#include "linkwork/events.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a model specifies, for lw_sensitivity_new and `linkwork sens` ---- */

typedef enum { /* over a whole run */
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
/* Requests derivatives by this parameter; if none is requested, derivatives are by all
   parameters. */
LW_API void lw_add_sensitivity(lw_spec *s, const char *name);

/* Indices of the parameters by which derivatives are requested; all if the spec names none. */
LW_API int lw_nsensitivity(const lw_model *m);
LW_API int lw_get_sensitivity(const lw_model *m, int index);
LW_API int lw_nobjective(const lw_model *m);
typedef struct {
  const char *name, *text; /* text: the expression as given */
  lw_objective_kind kind;
} lw_objective_info;
LW_API lw_objective_info lw_get_objective(const lw_model *m, int index); /* from 0 */

/* ---- a run with derivatives ---- */

typedef struct lw_sensitivity lw_sensitivity;

/* Derivatives that the model file does not contain: adds to dtau[nu] and dudot[nu], which are zero
   at first, the derivatives by parameter k of generalized loads and of accelerations.  Returns 0;
   positive: cannot be computed here; negative: stop. */
typedef int (*lw_derivative_callback)(void *context, int k, double t, const double q[],
                                      const double u[], double dtau[], double dudot[]);

/* Where runs start, if not as written.  With by NULL it finds q and u of model m at time t, from
   the initial state, which is passed.  Otherwise q and u are what it has found, and motion_p[nu]
   and states_p[nstate] receive the derivatives of q: along speeds, and of states.  u is that of
   rest. */
typedef lw_status (*lw_start_callback)(const lw_model *m, double t, double q[], double u[],
                                       const lw_model_derivative *by, double motion_p[],
                                       double states_p[], lw_error *err);

/* How derivatives are found. */
typedef enum {
  /* they are integrated with the motion: the cost of a step is in proportion to their number */
  LW_GRADIENT_FORWARD,
  /* the motion is recorded, and swept back in time from the end for each objective, and from each
     event for all numbers of the state: for many parameters and few objectives.  LW_E_UNSUPPORTED:
     not for this model or run, err says why not; so does advancing. */
  LW_GRADIENT_ADJOINT,
  /* the adjoint if there are more than twice as many parameters as numbers of the state, and it
     exists for the model; a run that it cannot pass is an error all the same */
  LW_GRADIENT_AUTO
} lw_gradient;

typedef struct {
  lw_simulation_options simulation; /* as for lw_simulation_new; not LW_INTEGRATOR_EULER */
  /* Differentiate rates by differences of sixth order between models with nearby parameters,
     instead of exactly: works with every formulation, and checks the exact derivatives. */
  bool differences;
  /* Result columns whose derivatives are requested, as for lw_columns_new; NULL: q, u and udot of
     every joint. */
  const char *columns;
  lw_derivative_callback derivative; /* not with differences; NULL: none */
  void *context;
  /* NULL: as written.  A model with `start: equilibrium` needs lw_equilibrium_start of
     analysis.h. */
  lw_start_callback start;
  lw_gradient gradient;
} lw_sensitivity_options;

/* Starts at t = 0.  parameters[n] are names; n = 0: those that the model requests.  The model must
   outlive it.  Returns NULL on failure; err names a parameter that does not exist. */
LW_API lw_sensitivity *lw_sensitivity_new(const lw_model *m, const char *const parameters[], int n,
                                          const lw_sensitivity_options *options, lw_error *err);
LW_API void lw_sensitivity_free(lw_sensitivity *s);

LW_API int lw_sensitivity_nparameter(const lw_sensitivity *s);
/* Index in the model of parameter k, k = 0 ... */
LW_API int lw_sensitivity_parameter(const lw_sensitivity *s, int k);
/* How derivatives are found, FORWARD or ADJOINT; *why, which may be NULL: the reason of AUTO, valid
   as long as s is, or NULL. */
LW_API lw_gradient lw_sensitivity_gradient(const lw_sensitivity *s, const char **why);
/* What derivatives have cost so far: of rates along directions, and of all rates by the state at once
   (the adjoint of trees). */
typedef struct {
  long directions, matrices;
} lw_sensitivity_cost;
LW_API lw_sensitivity_cost lw_sensitivity_costs(const lw_sensitivity *s);
/* The run itself: its options, rows, statistics, events, and present model.  Do not advance it or
   watch its steps. */
LW_API lw_simulation *lw_sensitivity_simulation(lw_sensitivity *s);

/* The time up to which derivatives by parameter k exist; later ones are NaN.  They end at a
   singular configuration that nearby values of the parameter do not have: there branches of the
   motion meet, of which nearby models take one or the other.  Infinity: they exist so far. */
LW_API double lw_sensitivity_exists_until(const lw_sensitivity *s, int k);

/* Advances to time t.  q, u as lw_simulation_advance; dq and du hold their derivatives by each
   parameter: dq[k*nq + i], with nq and nu of lw_simulation_model.  Any may be NULL. */
LW_API lw_status lw_sensitivity_advance(lw_sensitivity *s, double t, double q[], double u[],
                                        double dq[], double du[], lw_error *err);

/* Result columns at the last output state, and their derivatives: drow[k*count + i].  Columns that
   do not exist at present are NaN. */
LW_API const lw_columns *lw_sensitivity_columns(const lw_sensitivity *s);
LW_API lw_status lw_sensitivity_row(lw_sensitivity *s, double row[], double drow[]);

/* Objectives of the model over the run so far: value[lw_nobjective], gradient[k*lw_nobjective + i].
   Gradients are those of a run whose end moves by lw_sensitivity_end_time.  Maxima and minima are
   those of the whole motion, not of the output times; if an extremum is at an event or at an end of
   the run, its gradient includes the motion of that time. */
LW_API lw_status lw_sensitivity_objectives(lw_sensitivity *s, double value[], double gradient[]);
/* When each maximum or minimum of the run so far was attained; of other objectives the present time. */
LW_API lw_status lw_sensitivity_objective_times(lw_sensitivity *s, double t[]);

/* A whole run, as lw_simulation_run: the table has, after its columns, the derivatives of those of
   lw_sensitivity_columns, named "d(q.A)/d(La)", parameter by parameter. */
LW_API lw_status lw_sensitivity_run(lw_sensitivity *s, const lw_run_options *options,
                                    lw_run_report *report, lw_error *err);

/* An independent check: derivatives by one parameter (its index in the model) of columns and
   objectives at the end of runs to time t, by extrapolated differences of whole runs, with error
   estimates.  They are comparable with lw_sensitivity_row and _objectives: if t is the end given in
   the model, or if an event stops the runs before it, each run goes to its own end.  An error of
   DBL_MAX: nearby runs diverge, however close the parameters are, and differences prove nothing;
   LW_E_NOT_CONVERGED: nearby runs have other events. */
typedef struct {
  double *drow, *gradient; /* [columns], [objectives]; any may be NULL */
  double *drow_error, *gradient_error;
} lw_differences;
LW_API lw_status lw_sensitivity_by_runs(const lw_model *m, int parameter,
                                        const lw_sensitivity_options *options, double t,
                                        const lw_differences *out, lw_error *err);
/* The same for parameter k of a run, at the time it has reached; quaternions have the signs of its
   last row. */
LW_API lw_status lw_sensitivity_check(const lw_sensitivity *s, int k, const lw_differences *out,
                                      lw_error *err);

/* Called after each integration step; a nonzero return stops with LW_E_STOPPED. */
LW_API void lw_sensitivity_watch(lw_sensitivity *s, lw_step_callback callback, void *context);
/* Called twice per instant, with the derivatives of the state just before and just after, while
   lw_sensitivity_row returns those of the columns.  A nonzero return value stops the run. */
LW_API void lw_sensitivity_on_event(lw_sensitivity *s, lw_event_callback callback, void *context);
/* The derivative of the time of the last event by parameter k. */
LW_API double lw_sensitivity_event_time(const lw_sensitivity *s, int k);
/* The derivative by parameter k of the time at which the run ends: of the event that has stopped
   it; or, if the run has reached the end given in the model, of that end; else, at a time chosen by
   the caller, 0. */
LW_API double lw_sensitivity_end_time(const lw_sensitivity *s, int k);

#ifdef __cplusplus
}
#endif
#endif
