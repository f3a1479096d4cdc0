/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity.c -- a simulation with derivatives: creates the parts, advances, and collects
   results. */
#include "sim/formulation/input_law.h"
#include "sim/sensitivity/sensitivity_data.h"
#include "base/fail.h"
#include "base/nearest_name.h"
#include "sim/output/column_rates.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/exact_derivative.h"
#include "sim/sensitivity/finite_difference.h"
#include "sim/sensitivity/resting_switches.h"
#include "sim/sensitivity/singular_derivative.h"
#include "linkwork/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- along with the simulation ---- */

static lwi_system *open_system(lwi_simulation_hooks *c, const lw_model *m,
                               const lw_simulation_options *options, lw_error *err)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  s->system = lwi_sensitivity_system_new(m, options, &s->objectives, s->derivative, s->n,
                                         s->adjoint.on, err);
  if (!s->system) return NULL;
  s->system->cost = &s->cost;
  s->system->base.noise = s->differences ? LWI_FINITE_DIFFERENCE_NOISE : 0;
  s->system->event_restart = s->event_restart.when_p ? &s->event_restart : NULL;
  s->system->given = s->start ? &s->given : NULL;
  s->peaks.system = s->system;
  s->peaks.linear = s->differences ? NULL : &s->linear;
  if (!s->differences &&
      lwi_linearized_dynamics_open(&s->linear, m, s->system->base.dynamics) != LW_OK) {
    lwi_out_of_memory(err, "sensitivities");
    s->system->base.free(&s->system->base);
    s->system = NULL;
    return NULL;
  }
  return &s->system->base;
}

static lw_status refuse_half_turns(lw_sensitivity *s, double t)
{
  int bushing;
  const lw_status status = lwi_half_turns_look(&s->half_turns, s->sim, t, &bushing);
  if (status != LW_OK || bushing < 0) return status;
  const lw_spec *spec = s->m->spec;
  const bool known = spec && bushing < spec->bushings.n && spec->bushings.item[bushing].d.name;
  return lwi_integrator_fail(
      s->sim->integrator, LW_E_UNSUPPORTED,
      "the bodies of bushing \"%.64s\" have turned by half a turn, where its torque changes its "
      "sign: there are no derivatives beyond; a torsion takes larger turns",
      known ? spec->bushings.item[bushing].d.name : "");
}

static lw_status refuse_resting(lw_sensitivity *s, double t)
{
  const lwi_state_switch *load;
  const lw_status status = lwi_resting_switches_look(s, t, &load);
  if (status != LW_OK || !load) return status;
  return lwi_integrator_fail(
      s->sim->integrator, LW_E_UNSUPPORTED,
      "%s rests where the state switches it: to each side it has another derivative, or none; a "
      "law that is smooth there has one",
      load->name);
}

/* After each step. */
static lw_status look(lwi_simulation_hooks *c, double t)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  lw_status status = s->n > 0 ? refuse_half_turns(s, t) : LW_OK;
  if (status == LW_OK && s->n > 0) status = refuse_resting(s, t);
  if (status != LW_OK) return status;
  status = lwi_peaks_look(&s->peaks, t);
  if (status == LW_OK && s->adjoint.on) {
    status = lwi_adjoint_record(s, t);
    if (status != LW_OK)
      return lwi_integrator_fail(s->sim->integrator, status,
                                 "out of memory for the motion that the adjoint needs");
  }
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(s->sim->integrator, status, "objectives cannot be evaluated: %s",
                             lw_status_text(status));
}

static bool hold_integrand(lwi_simulation_hooks *c, int objective, double t, const lwi_held_op op[],
                           int n)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  if (n > 0 && lwi_objectives_look(&s->objectives, t, s->sim->q, s->sim->u) != LW_OK) return false;
  return lwi_objectives_hold(&s->objectives, objective, op, n);
}

/* Before the motion goes on under other conditions. */
static lw_status catch_up(lwi_simulation_hooks *c, double t, lw_error *err)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  const lw_status status = lwi_adjoint_catch_up(s, t, err);
  s->system->begun = true;
  return status;
}

/* Derivatives of sampled values: those of the expressions at the same time. */
static lw_status derive_samples(lwi_simulation_hooks *c, double t, lw_error *err)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  lw_simulation *sim = s->sim;
  lwi_sampling *x = &sim->sampling;
  const int nparameter = sim->m->nparameter;
  const lw_status caught = lwi_adjoint_catch_up(s, t, err);
  if (caught != LW_OK) return caught;
  if (s->differences)
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "sampled values have no derivatives by differences of nearby models");
  for (int k = 0; k < s->n; k++) {
    lwi_parameter_derivative *v = s->derivative[k];
    double *y_p = lwi_sensitivity_block(s->system, sim->y, k), value;
    const lw_status status =
        v->row(v, LWI_RESULT_COLUMNS, x->columns, t, sim->y, y_p, x->slot_p + nparameter);
    if (status != LW_OK)
      return lwi_simulation_fail(sim, t, status, "sampled values have no derivative", err);
    for (int i = 0; i < nparameter; i++)
      x->slot_p[i] = v->parameters[i];
    for (int i = 0; i < x->nstate; i++)
      if (x->due[i])
        lwi_expr_dual(&x->expr[i], x->slot, 1, x->slot_p, &value,
                      &y_p[lwi_first_state(sim->m) + i]);
  }
  return LW_OK;
}

/* Derivatives by parameters that change whether the configuration is singular end here. */
static lw_status pass_singular(lwi_simulation_hooks *c, double t)
{
  lw_sensitivity *s = (lw_sensitivity *)c;
  lw_simulation *sim = s->sim;
  lwi_system *motion = s->system->motion;
  if (s->adjoint.on)
    return lwi_integrator_fail(sim->integrator, LW_E_UNSUPPORTED,
                               "the adjoint does not pass the singular configuration at t = %.10g: "
                               "forward derivatives do",
                               t);
  double *q = malloc((size_t)(lw_nq(sim->m) + lw_nu(sim->m) + 1) * sizeof *q);
  lw_status status = q ? lwi_simulation_find_y(sim, t) : LW_E_MEMORY;
  if (status == LW_OK) status = motion->copy_output(motion, sim->y, q, q + lw_nq(sim->m));
  for (int k = 0; k < s->n && status == LW_OK; k++) {
    bool keeps = true;
    if (t < s->until[k])
      status = lwi_keeps_singular(sim->m, lw_parameter_name(s->m, s->derivative[k]->parameter),
                                  lwi_system_time(motion, t), q, &keeps);
    if (!keeps) s->until[k] = t;
  }
  free(q);
  if (status == LW_OK) return LW_OK;
  return lwi_integrator_fail(sim->integrator, status, "a singular configuration: %s",
                             lw_status_text(status));
}

bool lwi_sensitivity_exists(const lw_sensitivity *s, int k)
{
  return s->t <= s->until[k];
}

static int on_event(void *context, const lw_event_report *report, bool after)
{
  lw_sensitivity *s = context;
  s->t = report->time;
  if (after) {
    s->event_restart.when_p = NULL;
    if (lwi_peaks_note(&s->peaks, report->time, s->when_p) != LW_OK) return 1;
  }
  return s->on_event ? s->on_event(s->event_context, report, after) : 0;
}

static int on_step(void *context, double t)
{
  lw_sensitivity *s = context;
  return s->on_step ? s->on_step(s->step_context, t) : 0;
}

/* ---- make ---- */

void lw_sensitivity_free(lw_sensitivity *s)
{
  if (!s) return;
  lw_simulation_free(s->sim); /* before what its hooks need */
  lw_columns_free(s->columns);
  lwi_objectives_free(&s->objectives);
  lwi_trajectory_free(&s->adjoint.recorded);
  for (int k = 0; k < s->n && s->derivative; k++)
    if (s->derivative[k]) s->derivative[k]->free(s->derivative[k]);
  free(s->derivative);
  lwi_linearized_dynamics_close(&s->linear);
  lwi_peaks_free(&s->peaks);
  lwi_half_turns_close(&s->half_turns);
  free(s->objective_values);
  free(s->patterns);
  free(s->when_p);
  free(s->until);
  free(s->event_restart.integral);
  free(s->number);
  free(s->given.motion);
  free(s);
}

static lw_status find_parameter(const lw_model *m, const char *name, int *index, lw_error *err)
{
  *index = lwi_find_parameter(m, name);
  if (*index >= 0) return LW_OK;
  const char *near = lwi_nearest(name, m->parameter_name, m->nparameter);
  return lwi_fail(err, LW_E_ARG, "the model has no parameter \"%.64s\"%s%s%s", name,
                  near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static lw_status add_parameter(lw_sensitivity *s, int k, int parameter,
                               const lw_sensitivity_options *options, lw_error *err)
{
  s->derivative[k] =
      s->differences
          ? lwi_finite_difference_new(s->m, &options->simulation, parameter, err)
          : lwi_exact_derivative_new(s->m, &options->simulation, parameter, &s->linear, err);
  lwi_parameter_derivative *v = s->derivative[k];
  if (!v) return err ? err->status : LW_E_MEMORY;
  if (!s->differences) lwi_exact_derivative_ask(v, options->derivative, options->context, k);
  lw_status status = v->watch(v, LWI_OBJECTIVE_COLUMNS, s->objectives.patterns, err);
  if (status == LW_OK) status = v->watch(v, LWI_RESULT_COLUMNS, s->patterns, err);
  return status;
}

/* The derivative by no parameter, after all others. */
static lw_status add_none(lw_sensitivity *s, const lw_sensitivity_options *options, lw_error *err)
{
  lwi_parameter_derivative **v = &s->derivative[s->np];
  const int like = s->derivative[0]->parameter;
  *v = lwi_exact_derivative_of_none(s->m, &options->simulation, like, &s->linear, err);
  return *v ? LW_OK : err ? err->status : LW_E_MEMORY;
}

/* "q.*" matches nothing in models without coordinates: then t is the only column. */
static lw_status choose_columns(lw_sensitivity *s, const char *requested, lw_error *err)
{
  const lw_model *m = s->m;
  const bool moves = lw_nq_all(m) > 0 || m->nevent > 0;
  const char *text = requested ? requested : moves ? "q.*,u.*,udot.*" : "t";
  s->patterns = malloc(strlen(text) + 1);
  if (!s->patterns) return lwi_out_of_memory(err, "sensitivities");
  memcpy(s->patterns, text, strlen(text) + 1);
  s->columns = lw_columns_new(m, s->patterns, err);
  return s->columns ? LW_OK : err ? err->status : LW_E_MEMORY;
}

static bool allocate(lw_sensitivity *s)
{
  const size_t n = (size_t)s->n + 1, no = (size_t)s->objectives.n + 1;
  s->derivative = calloc(n, sizeof *s->derivative);
  s->when_p = calloc(n, sizeof *s->when_p);
  s->until = malloc(n * sizeof *s->until);
  for (size_t k = 0; k < n && s->until; k++)
    s->until[k] = HUGE_VAL;
  s->objective_values = calloc(no, sizeof *s->objective_values);
  double *scratch = calloc((2 + n) * no, sizeof *scratch);
  s->event_restart = (lwi_event_restart){NULL, scratch, scratch ? scratch + no : NULL,
                                         scratch ? scratch + 2 * no : NULL};
  return s->derivative && s->when_p && s->until && s->objective_values && scratch &&
         lwi_peaks_init(&s->peaks, &s->objectives, s->n);
}

/* What the adjoint does not do. */
static lw_status refuse_adjoint(const lw_sensitivity *s, const lw_sensitivity_options *o,
                                lw_error *err)
{
  const lw_model *m = s->m;
  const char *what = NULL, *name = "";
  if (o->differences) what = "with differences of nearby models";
  if (o->simulation.integrator == LW_INTEGRATOR_RK4) what = "with fixed steps (rk4)";
  if (m->ntorsion > 0) what = "of models with torsions, whose turns are counted along the run";
  for (int i = 0; i < m->nevent && !what; i++)
    if (m->event[i].d.move) what = "across events with `move: true`: ", name = m->event[i].d.name;
  if (!what) return LW_OK;
  return lwi_fail(err, LW_E_UNSUPPORTED,
                  "there are no adjoint gradients %s%.64s; forward ones exist", what,
                  name ? name : "");
}

/* A direction of the state costs as much as one of a parameter, and sweeps need about as many
   evaluations as the motion; what parameters add is found at fewer times. */
static lw_status choose_gradient(lw_sensitivity *s, const lw_sensitivity_options *o, lw_error *err)
{
  const int nstate = lw_nq(s->m) + lw_nu(s->m);
  lwi_adjoint *a = &s->adjoint;
  lw_error refused = {.status = LW_OK};
  a->on = o->gradient != LW_GRADIENT_FORWARD && s->np > 0;
  if (o->gradient == LW_GRADIENT_AUTO) {
    a->on = s->np > 2 * nstate && s->objectives.n > 0;
    snprintf(a->why, sizeof a->why, "%d parameters, %d objectives, %d numbers of the state", s->np,
             s->objectives.n, nstate);
    if (a->on && refuse_adjoint(s, o, &refused) != LW_OK) {
      a->on = false;
      snprintf(a->why, sizeof a->why, "%.250s", refused.text);
    }
  }
  s->n = s->np + a->on;
  return a->on ? refuse_adjoint(s, o, err) : LW_OK;
}

/* n: number of names; 0: those of the model; -1: none. */
static lw_status create(lw_sensitivity *s, const char *const parameters[], int n,
                        const lw_sensitivity_options *requested, lw_error *err)
{
  lw_sensitivity_options o = requested ? *requested : (lw_sensitivity_options){0};
  if (!s->m->spec) return lwi_fail(err, LW_E_ARG, "the model has no spec");
  s->np = n > 0 ? n : n < 0 ? 0 : lw_nsensitivity(s->m);
  s->hooks.values_only = s->np == 0;
  s->differences = s->hooks.differences = o.differences;
  s->start = o.start;
  s->end_as_written = !(o.simulation.end > 0);
  lw_status status = lwi_objectives_init(&s->objectives, s->m, err);
  if (status == LW_OK) status = lwi_options_complete(s->m, &o.simulation, err);
  if (status == LW_OK) status = choose_columns(s, o.columns, err);
  if (status == LW_OK) status = choose_gradient(s, &o, err);
  if (status == LW_OK && !allocate(s)) status = lwi_out_of_memory(err, "sensitivities");
  if (status == LW_OK && !o.differences && !o.simulation.inputs.derivative &&
      lwi_input_law_acts(&o.simulation.inputs, s->m))
    status = lwi_fail(err, LW_E_ARG,
                      "inputs that the program computes need their derivatives: "
                      "lw_input_law.derivative, or `differences` of lw_sensitivity_options");
  if (status == LW_OK && o.differences && o.derivative)
    status =
        lwi_fail(err, LW_E_UNSUPPORTED,
                 "differences of nearby models cannot use derivatives that the caller supplies");
  if (status == LW_OK && o.simulation.integrator == LW_INTEGRATOR_EULER)
    status =
        lwi_fail(err, LW_E_UNSUPPORTED,
                 "sensitivities are not available with euler: use auto, adams, bdf, rk or rk4");
  for (int k = 0; k < s->np && status == LW_OK; k++) {
    int p = lw_get_sensitivity(s->m, k);
    if (n > 0) status = find_parameter(s->m, parameters[k] ? parameters[k] : "", &p, err);
    if (status == LW_OK) status = add_parameter(s, k, p, &o, err);
  }
  if (status == LW_OK && s->adjoint.on) status = add_none(s, &o, err);
  if (status == LW_OK)
    status = lwi_simulation_new_with(s->m, &o.simulation, &s->hooks, &s->sim, err);
  s->peaks.sim = s->sim;
  if (status == LW_OK && s->start) status = lwi_sensitivity_start(s, err);
  if (status == LW_OK) status = lw_columns_follow(s->columns, s->sim, err);
  if (status == LW_OK) status = lw_columns_follow(s->objectives.columns, s->sim, err);
  if (status != LW_OK) return status;
  lw_simulation_watch(s->sim, on_step, s);
  lw_simulation_on_event(s->sim, on_event, s);
  status = lwi_simulation_find_state(s->sim, 0);
  if (status == LW_OK) status = lwi_peaks_note(&s->peaks, 0, NULL);
  if (status == LW_OK) return LW_OK;
  return lwi_simulation_fail(s->sim, 0, status, "the objectives cannot be evaluated", err);
}

static lw_sensitivity *sensitivity_new(const lw_model *m, const char *const parameters[], int n,
                                       const lw_sensitivity_options *options, lw_error *err)
{
  lw_sensitivity *s = calloc(1, sizeof *s);
  if (!s) return lwi_out_of_memory(err, "sensitivities"), NULL;
  s->m = m;
  s->hooks = (lwi_simulation_hooks){.open = open_system,
                                    .look = look,
                                    .pass_singular = pass_singular,
                                    .jump = lwi_sensitivity_jump,
                                    .pass_switch = lwi_sensitivity_pass_switch,
                                    .pass_time = lwi_sensitivity_pass_time,
                                    .hold = hold_integrand,
                                    .sample = derive_samples,
                                    .restart = catch_up};
  if (create(s, parameters, n, options, err) == LW_OK) return s;
  lw_sensitivity_free(s);
  return NULL;
}

lw_sensitivity *lw_sensitivity_new(const lw_model *m, const char *const parameters[], int n,
                                   const lw_sensitivity_options *options, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m || n < 0 || (n > 0 && !parameters))
    return lwi_fail(err, LW_E_ARG, "lw_sensitivity_new: no model, or no parameters"), NULL;
  if (m->simulation.start_in_equilibrium && !(options && options->start))
    return lwi_fail(err, LW_E_ARG,
                    "lw_sensitivity_new: the model has `start: equilibrium`; options.start must be "
                    "lw_equilibrium_start"),
           NULL;
  return sensitivity_new(m, parameters, n, options, err);
}

lw_sensitivity *lwi_sensitivity_new_plain(const lw_model *m, const lw_sensitivity_options *options,
                                          lw_error *err)
{
  return sensitivity_new(m, NULL, -1, options, err);
}

/* ---- go ---- */

lw_status lw_sensitivity_advance(lw_sensitivity *s, double t, double q[], double u[], double dq[],
                                 double du[], lw_error *err)
{
  if (!s) return lwi_fail(err, LW_E_ARG, "lw_sensitivity_advance: an argument is missing");
  const lw_status status = lw_simulation_advance(s->sim, t, q, u, err);
  if (status == LW_E_NUMBER)
    lwi_objectives_explain(&s->objectives, s->sim->integrator->t, s->sim->q, s->sim->u, err);
  if (status != LW_OK) return status;
  const size_t nq = (size_t)lw_nq(s->sim->m), nu = (size_t)lw_nu(s->sim->m);
  s->t = t;
  if (dq || du) {
    const lw_status caught = lwi_adjoint_catch_up(s, t, err);
    if (caught != LW_OK) return caught;
  }
  for (int k = 0; k < s->np; k++) {
    const double *y_p = lwi_sensitivity_block(s->system, s->sim->y, k);
    const double unit = t <= s->until[k] ? 1 / s->derivative[k]->scale : (double)NAN;
    for (size_t i = 0; i < nq && dq; i++)
      dq[(size_t)k * nq + i] = unit * y_p[i];
    for (size_t i = 0; i < nu && du; i++)
      du[(size_t)k * nu + i] = unit * y_p[nq + i];
  }
  return LW_OK;
}

lw_status lwi_sensitivity_time_rates(lw_sensitivity *s, double rate[])
{
  lwi_sensitivity_system *v = s->system;
  const size_t n = (size_t)v->nmotion, ncolumn = (size_t)lw_columns_count(s->columns);
  double *f = malloc((3 * n + ncolumn + 1) * sizeof *f);
  if (!f) return LW_E_MEMORY;
  lw_status status = v->motion->rate(v->motion, s->t, s->sim->y, f);
  if (status == LW_OK)
    status = lwi_column_time_rates(NULL, s->sim->m, s->columns, s->t, s->sim->y, f, f + n, rate);
  free(f);
  return status;
}
