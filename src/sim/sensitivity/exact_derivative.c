/* SPDX-License-Identifier: Apache-2.0 */
/* exact_derivative.c -- derivatives by one parameter from those of the recursions.

   y_p = (q_p, u_p), where q_p = N(q) xi with speeds xi.  A quaternion e of length n in y has the
   rate

       edot   = 1/2 e o w + |w| (1 - n^2) e
       edot_p = 1/2 (e_p o w + e o w_p) + |w| ((1 - n^2) e_p - 2 (e . e_p) e)

   With closed loops y_p is corrected towards G xi + phi_p = 0 and the derivative of G u = nu in the
   same way as y is towards phi = 0 and G u = nu (joint_system.c). */
#include "sim/formulation/input_law.h"
#include "math/differences.h"
#include "sim/sensitivity/exact.h"
#include "base/fail.h"
#include "model/compile/model_derivative.h"
#include "sim/output/column_rates.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/finite_difference.h"
#include "sim/formulation/own_load_derivatives.h"
#include "sim/formulation/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

bool lwi_exact_take_scratch(lwi_exact *v, const lw_model *m)
{
  const size_t nq = (size_t)lw_nq(m), nu = (size_t)lw_nu(m),
               nrow = (size_t)m->tree_constraints.nrow;
  free(v->scratch);
  double *at = v->scratch =
      calloc(nq + nu + 7 * nu + 2 * nrow + 2 * (size_t)m->nstate + 1, sizeof *at);
  if (!at) return false;
  v->y = at;
  at += nq + nu;
  v->along = (lwi_state_direction){
      .motion = at, .u = at + nu, .tau = v->callback ? at + 2 * nu : NULL, .udot = at + 3 * nu};
  v->dudot = at + 4 * nu;
  v->position_correction = at + 5 * nu;
  v->speed = at + 6 * nu;
  v->gear_p = at + 7 * nu;
  v->gap = v->gear_p + nrow;
  v->states = v->gap + nrow;
  v->m = m;
  return true;
}

/* ---- where y_p leads ---- */

/* Inputs that the program computes, and how they change. */
static lw_status follow_law(lwi_exact *v, double t, const double y_p[])
{
  const lw_model *m = v->m;
  const lw_input_law *law = &v->options.inputs;
  const double *u = v->y + lw_nq(m);
  double *scratch = v->states + m->nstate;
  const lw_input_direction along = {y_p, y_p + lw_nq(m), v->base.parameter, v->base.scale};
  memcpy(v->states, y_p + lwi_first_state(m), bytes(m->nstate));
  v->along.states = v->states;
  const lw_status status = lwi_input_law_value(law, m, t, u, v->y, scratch);
  if (status != LW_OK) return status;
  return lwi_input_law_derivative(law, m, t, v->y, u, &along, v->states, scratch);
}

/* v->y from y, and the direction from y_p. */
static lw_status set_direction(lwi_exact *v, double t, const double y[], const double y_p[])
{
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  memcpy(v->y, y, bytes(nq + nu));
  if (lw_normalize(v->m, v->y) != LW_OK) return LW_E_NUMBER;
  lw_motion_of(v->m, y, y_p, v->along.motion);
  v->along.states = y_p + lwi_first_state(v->m);
  memcpy(v->along.u, y_p + nq, bytes(nu));
  const lw_status status =
      lwi_input_law_acts(&v->options.inputs, v->m) ? follow_law(v, t, y_p) : LW_OK;
  return status == LW_OK ? lwi_own_loads_complete(v->linear, t, v->y) : status;
}

lw_status lwi_exact_go_to(lwi_exact *v, double t, const double y[], const double y_p[])
{
  const lw_status status = set_direction(v, t, y, y_p);
  return status == LW_OK ? lwi_linearized_dynamics_at(v->linear, t, v->y) : status;
}

/* Calls the user's derivative callback: derivatives of loads, and of accelerations to be added. */
static lw_status call_user(lwi_exact *v, double t)
{
  const int nu = lw_nu(v->m);
  if (!v->callback) return LW_OK;
  memset(v->along.tau, 0, bytes(nu));
  memset(v->dudot, 0, bytes(nu));
  const int load_response =
      v->callback(v->context, v->number, t, v->y, v->y + lw_nq(v->m), v->along.tau, v->dudot);
  if (load_response != 0) return load_response > 0 ? LW_E_NUMBER : LW_E_STOPPED;
  for (int i = 0; i < nu; i++) {
    v->along.tau[i] *= v->base.scale;
    v->dudot[i] *= v->base.scale;
  }
  return LW_OK;
}

static void add_user_part(const lwi_exact *v)
{
  for (int i = 0; i < lw_nu(v->m) && v->callback; i++)
    v->along.udot[i] += v->dudot[i];
}

static bool is_constrained(const lwi_exact *v)
{
  return lwi_linearized_dynamics_nrow(v->linear) > 0;
}

/* ---- rates ---- */

/* e o (0, w) / 2 */
static void turn_rate(const double e[4], const double w[3], double out[4])
{
  out[0] = 0.5 * (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]);
  out[1] = 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
  out[2] = 0.5 * (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]);
  out[3] = 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

static void quaternion_rate(const double e[4], const double e1[4], const double w[3],
                            const double w1[3], double out[4])
{
  double a[4], b[4], n2 = 0, along = 0;
  turn_rate(e1, w, a);
  turn_rate(e, w1, b);
  for (int i = 0; i < 4; i++) {
    n2 += e[i] * e[i];
    along += e[i] * e1[i];
  }
  const double stabilization = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 4; i++)
    out[i] = a[i] + b[i] + stabilization * ((1 - n2) * e1[i] - 2 * along * e[i]);
}

/* Speeds that move q_p: u_p, where the velocity v of free joints rotates with the child's axes. */
static void turn_speeds(const lwi_exact *v, const double u[], const double u_p[], double out[])
{
  memcpy(out, u_p, bytes(lw_nu(v->m)));
  for (int j = 1; j <= lw_njoint(v->m); j++) {
    const lw_joint_info i = lw_get_joint(v->m, (lw_joint){j});
    const lwi_speeds speeds = lwi_joint_speeds(i.type, lw_model_is_planar(v->m));
    if (i.cut) continue;
    const double *xi = v->along.motion + i.u, *w = u + i.u;
    double *o = out + i.u;
    if (speeds == LWI_SPEEDS_MOVE_PLANAR) {
      o[1] -= xi[0] * w[2];
      o[2] += xi[0] * w[1];
    } else if (speeds == LWI_SPEEDS_MOVE) {
      double c[3];
      cross3(xi, w + 3, c);
      for (int k = 0; k < 3; k++)
        o[3 + k] += c[k];
    }
  }
}

/* f_p of y_p = (q_p, u_p) from the derivatives along the direction. */
static void put_rates(const lwi_exact *v, const double y[], const double y_p[], double f_p[])
{
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  const double *u = y + nq;
  memcpy(f_p + nq, v->along.udot, bytes(nu));
  for (int i = 0; i < nu; i++)
    v->position_correction[i] += v->along.u[i];
  turn_speeds(v, u, v->position_correction, v->speed);
  lwi_tree_coordinate_rates(v->m, v->y, v->speed, f_p);
  for (int j = 1; j <= lw_njoint(v->m); j++) {
    const lw_joint_info i = lw_get_joint(v->m, (lw_joint){j});
    const int e = quaternion_at(&i);
    if (e >= 0) quaternion_rate(y + e, y_p + e, u + i.u, v->position_correction + i.u, f_p + e);
  }
}

static lw_status rates(lwi_parameter_derivative *const all[], int n, double t, const double y[],
                       const double f[], const double *const y_p[], double *const f_p[])
{
  const lwi_exact *first = (const lwi_exact *)all[0];
  lwi_linearized_dynamics *l = first->linear;
  lw_status status = lwi_linearized_dynamics_reserve(l, n) ? LW_OK : LW_E_MEMORY;
  (void)f;
  for (int k = 0; k < n && status == LW_OK; k++) {
    lwi_exact *v = (lwi_exact *)all[k];
    const lwi_state_direction *x = &v->along;
    status = set_direction(v, t, y, y_p[k]);
    if (status == LW_OK) status = call_user(v, t);
    l->direction[k] = (lwi_stabilized_direction){.along = {.motion = x->motion,
                                                           .u = x->u,
                                                           .tau = x->tau,
                                                           .states = x->states,
                                                           .model = v->model_p},
                                                 .gear_p = v->gear_p,
                                                 .udot = x->udot,
                                                 .position_correction = v->position_correction,
                                                 .state_rates = f_p[k] + lwi_first_state(v->m)};
  }
  if (status == LW_OK)
    status = lwi_linearized_dynamics_rates(l, t, first->y, n, first->base.system->stabilization);
  for (int k = 0; k < n && status == LW_OK; k++) {
    const lwi_exact *v = (const lwi_exact *)all[k];
    add_user_part(v);
    put_rates(v, y, y_p[k], f_p[k]);
  }
  return status;
}

/* ---- constraints ---- */

void lwi_exact_put_motion(const lwi_exact *v, double y_p[])
{
  const int nq = lw_nq(v->m);
  lwi_tree_coordinate_rates(v->m, v->y, v->along.motion, y_p);
  memcpy(y_p + nq, v->along.u, bytes(lw_nu(v->m)));
}

static lw_status project_output(lwi_parameter_derivative *base, double t, const double y[],
                                double y_p[])
{
  lwi_exact *v = (lwi_exact *)base;
  if (!is_constrained(v)) {
    const lw_status status = set_direction(v, t, y, y_p);
    if (status == LW_OK) lwi_exact_put_motion(v, y_p);
    return status;
  }
  const lw_status status = lwi_exact_go_to(v, t, y, y_p);
  if (status != LW_OK) return status;
  lwi_linearized_dynamics_move(v->linear, v->model_p, &v->along);
  lwi_linearized_dynamics_gap(v->linear, v->gear_p, v->gap);
  lwi_linearized_dynamics_close_gap(v->linear, v->gap, -1, v->along.motion);
  lwi_linearized_dynamics_move(v->linear, v->model_p, &v->along);
  lwi_linearized_dynamics_gap_rate(v->linear, v->gap);
  lwi_linearized_dynamics_close_gap(v->linear, v->gap, -1, v->along.u);
  lwi_exact_put_motion(v, y_p);
  return LW_OK;
}

lw_status lwi_exact_begin_gears(lwi_exact *v, double t, const double y[], const double y_p[])
{
  if (!is_constrained(v)) return LW_OK;
  const lw_status status = lwi_exact_go_to(v, t, y, y_p);
  if (status != LW_OK) return status;
  lwi_linearized_dynamics_move(v->linear, v->model_p, &v->along);
  for (int i = 0; i < v->m->tree_constraints.nconstraint; i++) {
    const lwi_tree_constraint *x = &v->m->tree_constraints.constraint[i];
    const bool gear =
        x->kind == LWI_TREE_CONSTRAINT_RELATION && v->m->constraint[x->id].info.type == LW_GEAR;
    if (gear) v->gear_p[x->row] = v->linear->d->closure.phi_p[x->row];
  }
  return LW_OK;
}

static const char
    no_minimum[] = "the assembled start has no derivative: small changes of the model lead to a "
                   "closed position far from it; give "
                   "`hold` to joints until they determine where the mechanism starts",
    not_nearest[] =
        "the start is not the closed position nearest to the written one, and how it follows the "
        "parameters is not known; give `hold` to joints until they determine where the mechanism "
        "starts";

static lw_status start(lwi_parameter_derivative *base, double t, const double y[], double y_p[])
{
  lwi_exact *v = (lwi_exact *)base;
  memcpy(v->y, y, bytes(lw_nq(v->m) + lw_nu(v->m)));
  v->linear->known = false;
  const lw_status status = lw_close_loops_derivative(v->linear->d, t, v->y, v->y + lw_nq(v->m),
                                                     v->model_p, v->along.motion, v->along.u);
  base->reason = status == LW_E_SINGULAR        ? no_minimum
                 : status == LW_E_NOT_CONVERGED ? not_nearest
                                                : NULL;
  if (status != LW_OK) return status;
  lwi_exact_put_motion(v, y_p);
  for (int i = lwi_first_state(v->m); i < v->m->nq; i++)
    y_p[i] = v->model_p->derivative->q0[i];
  return lwi_exact_begin_gears(v, t, y, y_p);
}

static lw_status start_at(lwi_parameter_derivative *base, double t, const double y[],
                          const double motion[], const double states[], double y_p[])
{
  lwi_exact *v = (lwi_exact *)base;
  const int nu = lw_nu(v->m);
  memcpy(v->y, y, bytes(lw_nq(v->m) + nu));
  v->linear->known = false;
  if (nu > 0) memcpy(v->along.motion, motion, bytes(nu));
  memset(v->along.u, 0, bytes(nu));
  lwi_exact_put_motion(v, y_p);
  for (int i = 0; i < v->m->nstate; i++)
    y_p[lwi_first_state(v->m) + i] = states[i];
  return lwi_exact_begin_gears(v, t, y, y_p);
}

const lw_model_derivative *lwi_exact_model_derivative(const lwi_parameter_derivative *base)
{
  return ((const lwi_exact *)base)->model_p;
}

static lw_status update_rank(lwi_parameter_derivative *base, double t, const double y[],
                             const double y_p[], double h)
{
  lwi_exact *v = (lwi_exact *)base;
  (void)y_p, (void)h;
  memcpy(v->y, y, bytes(lw_nq(v->m) + lw_nu(v->m)));
  const lw_status status = lw_normalize(v->m, v->y);
  return status == LW_OK ? lwi_linearized_dynamics_update_rank(v->linear, t, v->y) : status;
}

static void set_near_singular(lwi_parameter_derivative *base, bool near_singular)
{
  (void)base, (void)near_singular; /* y_p is evaluated at y */
}

/* ---- columns ---- */

lw_status lwi_exact_row(lwi_exact *v, const lw_columns *columns, double t, const double y[],
                        const double y_p[], double row_p[])
{
  lw_status status = lwi_exact_go_to(v, t, y, y_p);
  if (status == LW_OK) status = call_user(v, t);
  if (status == LW_OK)
    status = lwi_linearized_dynamics_derive(v->linear, v->model_p, &v->along,
                                            lwi_columns_have(columns, LWI_COLUMN_UDOT) ||
                                                lwi_columns_have(columns, LWI_COLUMN_ACCELERATION));
  if (status != LW_OK) return status;
  add_user_part(v);
  return lwi_column_rates(v->linear, v->model_p, columns, y, y_p, &v->along, row_p);
}

static lw_status row(lwi_parameter_derivative *base, int set, lw_columns *columns, double t,
                     const double y[], const double y_p[], double row_p[])
{
  (void)set;
  return lwi_exact_row((lwi_exact *)base, columns, t, y, y_p, row_p);
}

static lw_status watch(lwi_parameter_derivative *base, int set, const char *patterns, lw_error *err)
{
  (void)base, (void)set, (void)patterns, (void)err; /* works for any columns */
  return LW_OK;
}

/* ---- one of them ---- */

void lwi_exact_derivative_ask(lwi_parameter_derivative *base, lw_derivative_callback callback,
                              void *context, int k)
{
  lwi_exact *v = (lwi_exact *)base;
  v->callback = callback;
  v->context = context;
  v->number = k;
  if (callback) v->along.tau = v->along.u + lw_nu(v->m);
}

static void exact_free(lwi_parameter_derivative *base)
{
  lwi_exact *v = (lwi_exact *)base;
  if (!v) return;
  if (v->near) v->near->free(v->near);
  lwi_event_derivative_free(&v->event);
  lw_model_derivative_free(v->model_p);
  free(v->parameters);
  free(v->scratch);
  free(v);
}

/* Bodies that assembly moves: that is not differentiated exactly. */
static bool moves_bodies(const lw_model *m)
{
  for (int i = 0; i < m->nevent; i++)
    if (m->event[i].d.move) return true;
  return false;
}

static lw_status open_slope(lwi_exact *v, lw_error *err)
{
  const lw_model *m = v->first;
  v->model_p = lw_model_derivative_new(m, m->parameter_name[v->base.parameter], err);
  if (!v->model_p) return err ? err->status : LW_E_MEMORY;
  lwi_model_derivative_scale(v->model_p->derivative, v->base.scale);
  v->parameters = malloc(bytes(m->nparameter + m->nstate) + 1);
  if (!v->parameters || !lwi_exact_take_scratch(v, m) ||
      !lwi_event_derivative_open(&v->event, v->model_p->derivative))
    return lwi_out_of_memory(err, "sensitivities");
  v->states_p = v->parameters + m->nparameter;
  memcpy(v->parameters, v->model_p->derivative->parameter, bytes(m->nparameter));
  v->base.parameters = v->parameters;
  v->base.end_p = v->model_p->derivative->simulation.end;
  if (!moves_bodies(m)) return LW_OK;
  v->near = lwi_finite_difference_new(m, &v->options, v->base.parameter, err);
  return v->near ? LW_OK : err ? err->status : LW_E_MEMORY;
}

static lwi_parameter_derivative *new_scaled(const lw_model *m, const lw_simulation_options *options,
                                            int parameter, double scale,
                                            lwi_linearized_dynamics *linear, lw_error *err)
{
  lwi_exact *v = calloc(1, sizeof *v);
  if (!v) return lwi_out_of_memory(err, "sensitivities"), NULL;
  v->first = m;
  v->options = *options;
  v->linear = linear;
  v->base = (lwi_parameter_derivative){.parameter = parameter,
                                       .scale = scale,
                                       .start = start,
                                       .start_at = start_at,
                                       .rates = rates,
                                       .project_output = project_output,
                                       .update_rank = update_rank,
                                       .set_near_singular = set_near_singular,
                                       .watch = watch,
                                       .row = row,
                                       .when = lwi_exact_when,
                                       .jump = lwi_exact_jump,
                                       .restart = lwi_exact_restart,
                                       .restarted = lwi_exact_restarted,
                                       .free = exact_free};
  if (open_slope(v, err) == LW_OK) return &v->base;
  exact_free(&v->base);
  return NULL;
}

lwi_parameter_derivative *lwi_exact_derivative_new(const lw_model *m,
                                                   const lw_simulation_options *options,
                                                   int parameter, lwi_linearized_dynamics *linear,
                                                   lw_error *err)
{
  const double scale = lwi_parameter_scale(m->parameter[parameter]);
  return new_scaled(m, options, parameter, scale, linear, err);
}

lwi_parameter_derivative *
lwi_exact_derivative_of_none(const lw_model *m, const lw_simulation_options *options, int parameter,
                             lwi_linearized_dynamics *linear, lw_error *err)
{
  return new_scaled(m, options, parameter, 0, linear, err);
}
