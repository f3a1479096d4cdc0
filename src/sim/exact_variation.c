/* SPDX-License-Identifier: Apache-2.0 */
/* exact_variation.c -- derivatives by one parameter from those of the recursions.

   y1 = (q1, u1); q1 is along speeds xi, q1 = N(q) xi, and of quaternions of length n in y

     e' = 1/2 e o w + |w| (1 - n^2) e    gives    e1' = 1/2 (e1 o w + e o w1) + |w| ((1 - n^2) e1 - 2 (e.e1) e)

   With closed loops y1 is pulled to G xi + phi_p = 0 and to the derivative of G u = nu as y is to phi = 0
   and G u = nu (joint_system.c). */
#include "sim/exact.h"
#include "base/fail.h"
#include "model/model_change.h"
#include "sim/column_rates.h"
#include "sim/columns.h"
#include "sim/neighbours.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

static lw_status no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory for sensitivities");
}

bool lwi_exact_take_room(lwi_exact *v, const lw_model *m)
{
  const size_t nq = (size_t)lw_nq(m), nu = (size_t)lw_nu(m), nrow = (size_t)m->ties.nrow;
  free(v->room);
  double *at = v->room = calloc(nq + nu + 7 * nu + 2 * nrow + 1, sizeof *at);
  if (!at) return false;
  v->y = at;
  at += nq + nu;
  v->along = (lwi_along){at, at + nu, v->callback ? at + 2 * nu : NULL, at + 3 * nu};
  v->dudot = at + 4 * nu;
  v->slide = at + 5 * nu;
  v->speed = at + 6 * nu;
  v->gear1 = at + 7 * nu;
  v->gap = v->gear1 + nrow;
  v->m = m;
  return true;
}

/* ---- where y1 leads ---- */

/* v->y from y, and the direction from y1 */
static bool turn(lwi_exact *v, const double y[], const double y1[])
{
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  memcpy(v->y, y, bytes(nq + nu));
  if (lw_normalize(v->m, v->y) != LW_OK) return false;
  lw_motion_of(v->m, y, y1, v->along.motion);
  memcpy(v->along.u, y1 + nq, bytes(nu));
  return true;
}

lw_status lwi_exact_go_to(lwi_exact *v, double t, const double y[], const double y1[])
{
  if (!turn(v, y, y1)) return LW_E_NUMBER;
  return lwi_linear_at(v->linear, t, v->y);
}

/* What the caller knows of the direction: loads, and accelerations that are to be added. */
static lw_status ask(lwi_exact *v, double t)
{
  const int nu = lw_nu(v->m);
  if (!v->callback) return LW_OK;
  memset(v->along.tau, 0, bytes(nu));
  memset(v->dudot, 0, bytes(nu));
  const int answer =
      v->callback(v->context, v->number, t, v->y, v->y + lw_nq(v->m), v->along.tau, v->dudot);
  if (answer != 0) return answer > 0 ? LW_E_NUMBER : LW_E_STOPPED;
  for (int i = 0; i < nu; i++) {
    v->along.tau[i] *= v->base.scale;
    v->dudot[i] *= v->base.scale;
  }
  return LW_OK;
}

static void add_answer(const lwi_exact *v)
{
  for (int i = 0; i < lw_nu(v->m) && v->callback; i++)
    v->along.udot[i] += v->dudot[i];
}

static bool is_tied(const lwi_exact *v)
{
  return lwi_linear_nrow(v->linear) > 0;
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
  const double pull = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int i = 0; i < 4; i++)
    out[i] = a[i] + b[i] + pull * ((1 - n2) * e1[i] - 2 * along * e[i]);
}

/* speeds that move q1: u1, and of free joints the velocity v turns with the child's axes */
static void turn_speeds(const lwi_exact *v, const double u[], const double u1[], double out[])
{
  memcpy(out, u1, bytes(lw_nu(v->m)));
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

/* f1 of y1 = (q1, u1) from what was found of the direction */
static void put_rates(const lwi_exact *v, const double y[], const double y1[], double f1[])
{
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  const double *u = y + nq;
  memcpy(f1 + nq, v->along.udot, bytes(nu));
  for (int i = 0; i < nu; i++)
    v->slide[i] += v->along.u[i];
  turn_speeds(v, u, v->slide, v->speed);
  lw_coordinate_rates(v->m, v->y, v->speed, f1);
  for (int j = 1; j <= lw_njoint(v->m); j++) {
    const lw_joint_info i = lw_get_joint(v->m, (lw_joint){j});
    const int e = quaternion_at(&i);
    if (e >= 0) quaternion_rate(y + e, y1 + e, u + i.u, v->slide + i.u, f1 + e);
  }
}

static lw_status rates(lwi_variation *const all[], int n, double t, const double y[],
                       const double f[], const double *const y1[], double *const f1[])
{
  const lwi_exact *first = (const lwi_exact *)all[0];
  lwi_linear *l = first->linear;
  lw_status status = lwi_linear_room(l, n) ? LW_OK : LW_E_MEMORY;
  (void)f;
  for (int k = 0; k < n && status == LW_OK; k++) {
    lwi_exact *v = (lwi_exact *)all[k];
    const lwi_along *x = &v->along;
    status = turn(v, y, y1[k]) ? ask(v, t) : LW_E_NUMBER;
    l->direction[k] = (lwi_pulled_direction){
        .along = {.motion = x->motion, .u = x->u, .tau = x->tau, .slope = v->slope},
        .gear1 = v->gear1,
        .udot = x->udot,
        .slide = v->slide};
  }
  if (status == LW_OK) status = lwi_linear_rates(l, t, first->y, n, first->base.system->pull);
  for (int k = 0; k < n && status == LW_OK; k++) {
    const lwi_exact *v = (const lwi_exact *)all[k];
    add_answer(v);
    put_rates(v, y, y1[k], f1[k]);
  }
  return status;
}

/* ---- constraints ---- */

void lwi_exact_put_motion(const lwi_exact *v, double y1[])
{
  const int nq = lw_nq(v->m);
  lw_coordinate_rates(v->m, v->y, v->along.motion, y1);
  memcpy(y1 + nq, v->along.u, bytes(lw_nu(v->m)));
}

static lw_status show(lwi_variation *base, double t, const double y[], double y1[])
{
  lwi_exact *v = (lwi_exact *)base;
  if (!is_tied(v)) {
    if (!turn(v, y, y1)) return LW_E_NUMBER;
    lwi_exact_put_motion(v, y1);
    return LW_OK;
  }
  const lw_status status = lwi_exact_go_to(v, t, y, y1);
  if (status != LW_OK) return status;
  lwi_linear_move(v->linear, v->slope, &v->along);
  lwi_linear_gap(v->linear, v->gear1, v->gap);
  lwi_linear_close_gap(v->linear, v->gap, -1, v->along.motion);
  lwi_linear_move(v->linear, v->slope, &v->along);
  lwi_linear_gap_rate(v->linear, v->gap);
  lwi_linear_close_gap(v->linear, v->gap, -1, v->along.u);
  lwi_exact_put_motion(v, y1);
  return LW_OK;
}

lw_status lwi_exact_begin_gears(lwi_exact *v, double t, const double y[], const double y1[])
{
  if (!is_tied(v)) return LW_OK;
  const lw_status status = lwi_exact_go_to(v, t, y, y1);
  if (status != LW_OK) return status;
  lwi_linear_move(v->linear, v->slope, &v->along);
  for (int i = 0; i < v->m->ties.ntie; i++) {
    const lwi_tie *x = &v->m->ties.tie[i];
    const bool gear = x->kind == LWI_TIE_RELATION && v->m->constraint[x->id].info.type == LW_GEAR;
    if (gear) v->gear1[x->row] = v->linear->d->closure.phi1[x->row];
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

static lw_status start(lwi_variation *base, double t, const double y[], double y1[])
{
  lwi_exact *v = (lwi_exact *)base;
  memcpy(v->y, y, bytes(lw_nq(v->m) + lw_nu(v->m)));
  v->linear->known = false;
  const lw_status status = lw_vary_assembled(v->linear->d, t, v->y, v->y + lw_nq(v->m), v->slope,
                                             v->along.motion, v->along.u);
  base->reason = status == LW_E_SINGULAR        ? no_minimum
                 : status == LW_E_NOT_CONVERGED ? not_nearest
                                                : NULL;
  if (status != LW_OK) return status;
  lwi_exact_put_motion(v, y1);
  return lwi_exact_begin_gears(v, t, y, y1);
}

static lw_status settle(lwi_variation *base, double t, const double y[], const double y1[],
                        double h)
{
  lwi_exact *v = (lwi_exact *)base;
  (void)y1, (void)h;
  memcpy(v->y, y, bytes(lw_nq(v->m) + lw_nu(v->m)));
  const lw_status status = lw_normalize(v->m, v->y);
  return status == LW_OK ? lwi_linear_settle(v->linear, t, v->y) : status;
}

static void be_careful(lwi_variation *base, bool careful)
{
  (void)base, (void)careful; /* y1 is computed where y is */
}

/* ---- columns ---- */

lw_status lwi_exact_row(lwi_exact *v, const lw_columns *columns, double t, const double y[],
                        const double y1[], double row1[])
{
  lw_status status = lwi_exact_go_to(v, t, y, y1);
  if (status == LW_OK) status = ask(v, t);
  if (status == LW_OK)
    status =
        lwi_linear_vary(v->linear, v->slope, &v->along, lwi_columns_have(columns, LWI_COLUMN_UDOT));
  if (status != LW_OK) return status;
  add_answer(v);
  return lwi_column_rates(v->linear, v->slope, columns, y, y1, &v->along, row1);
}

static lw_status row(lwi_variation *base, int set, lw_columns *columns, double t, const double y[],
                     const double y1[], double row1[])
{
  (void)set;
  return lwi_exact_row((lwi_exact *)base, columns, t, y, y1, row1);
}

static lw_status watch(lwi_variation *base, int set, const char *patterns, lw_error *err)
{
  (void)base, (void)set, (void)patterns, (void)err; /* any columns will do */
  return LW_OK;
}

/* ---- one of them ---- */

void lwi_exact_variation_ask(lwi_variation *base, lw_derivative_callback callback, void *context,
                             int k)
{
  lwi_exact *v = (lwi_exact *)base;
  v->callback = callback;
  v->context = context;
  v->number = k;
  if (callback) v->along.tau = v->along.u + lw_nu(v->m);
}

static void exact_free(lwi_variation *base)
{
  lwi_exact *v = (lwi_exact *)base;
  if (!v) return;
  if (v->near) v->near->free(v->near);
  lwi_event_change_free(&v->event);
  lw_slope_free(v->slope);
  free(v->parameters);
  free(v->room);
  free(v);
}

/* Where bodies are moved to by assembly, that is not differentiated as it is done. */
static bool moves_bodies(const lw_model *m)
{
  for (int i = 0; i < m->nevent; i++)
    if (m->event[i].d.move) return true;
  return false;
}

static lw_status open_slope(lwi_exact *v, lw_error *err)
{
  const lw_model *m = v->first;
  v->slope = lw_slope_new(m, m->parameter_name[v->base.parameter], err);
  if (!v->slope) return err ? err->status : LW_E_MEMORY;
  lwi_model_change_scale(v->slope->change, v->base.scale);
  v->parameters = malloc(bytes(m->nparameter) + 1);
  if (!v->parameters || !lwi_exact_take_room(v, m) ||
      !lwi_event_change_open(&v->event, v->slope->change))
    return no_memory(err);
  memcpy(v->parameters, v->slope->change->parameter, bytes(m->nparameter));
  v->base.parameters = v->parameters;
  v->base.end1 = v->slope->change->simulation.end;
  if (!moves_bodies(m)) return LW_OK;
  v->near = lwi_neighbours_new(m, &v->options, v->base.parameter, err);
  return v->near ? LW_OK : err ? err->status : LW_E_MEMORY;
}

lwi_variation *lwi_exact_variation_new(const lw_model *m, const lw_simulation_options *options,
                                       int parameter, lwi_linear *linear, lw_error *err)
{
  lwi_exact *v = calloc(1, sizeof *v);
  if (!v) return no_memory(err), NULL;
  const double p = m->parameter[parameter];
  v->first = m;
  v->options = *options;
  v->linear = linear;
  v->base = (lwi_variation){.parameter = parameter,
                            .scale = p != 0 ? fabs(p) : 1,
                            .start = start,
                            .rates = rates,
                            .show = show,
                            .settle = settle,
                            .be_careful = be_careful,
                            .watch = watch,
                            .row = row,
                            .when = lwi_exact_when,
                            .jump = lwi_exact_jump,
                            .land = lwi_exact_land,
                            .landed = lwi_exact_landed,
                            .free = exact_free};
  if (open_slope(v, err) == LW_OK) return &v->base;
  exact_free(&v->base);
  return NULL;
}
