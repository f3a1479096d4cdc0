/* SPDX-License-Identifier: Apache-2.0 */
/* exact_variation.c -- derivatives by one parameter from those of the recursions.

   y1 = (q1, u1); q1 is along speeds xi, q1 = N(q) xi, and of quaternions of length n in y

     e' = 1/2 e o w + |w| (1 - n^2) e    gives    e1' = 1/2 (e1 o w + e o w1) + |w| ((1 - n^2) e1 - 2 (e.e1) e)

   With closed loops y1 is pulled to G xi + phi_p = 0 and to the derivative of G u = nu as y is to phi = 0
   and G u = nu (joint_system.c).

   Events, energies and accelerations of cut joints are differentiated by neighbours. */
#include "sim/exact_variation.h"
#include "base/fail.h"
#include "model/model_change.h"
#include "sim/columns.h"
#include "sim/neighbours.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_variation base;
  const lw_model *m; /* that slope belongs to */
  const lw_model *first;
  lw_simulation_options options;
  lwi_linear *linear;
  lw_slope *slope;     /* scaled */
  lwi_variation *near; /* NULL: not needed */
  double *parameters;  /* [nparameter] */
  char *patterns[LWI_VARIATION_SETS];
  double *room; /* holds all of the following */
  double *y;    /* [nq + nu] with unit quaternions */
  lwi_along along;
  double *dudot; /* [nu] */
  lw_derivative_callback callback;
  void *context;
  int number;
  double *slide, *speed; /* [nu] */
  double *all;           /* [nq_all + nu_all] */
  double *gear1, *gap;   /* [equations] */
  double *near_row;      /* [columns] */
} exact;

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

static lw_status no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory for sensitivities");
}

static bool take_room(exact *v, const lw_model *m)
{
  const size_t nq = (size_t)lw_nq(m), nu = (size_t)lw_nu(m), nrow = (size_t)m->ties.nrow;
  const size_t all = (size_t)(lw_nq_all(m) + lw_nu_all(m));
  free(v->room);
  double *at = v->room = calloc(nq + nu + 7 * nu + all + 2 * nrow + 1, sizeof *at);
  if (!at) return false;
  v->y = at;
  at += nq + nu;
  v->along = (lwi_along){at, at + nu, v->callback ? at + 2 * nu : NULL, at + 3 * nu};
  v->dudot = at + 4 * nu;
  v->slide = at + 5 * nu;
  v->speed = at + 6 * nu;
  v->all = at + 7 * nu;
  v->gear1 = v->all + all;
  v->gap = v->gear1 + nrow;
  v->m = m;
  return true;
}

/* ---- where y1 leads ---- */

/* v->y from y, and the direction from y1 */
static bool turn(exact *v, const double y[], const double y1[])
{
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  memcpy(v->y, y, bytes(nq + nu));
  if (lw_normalize(v->m, v->y) != LW_OK) return false;
  lw_motion_of(v->m, y, y1, v->along.motion);
  memcpy(v->along.u, y1 + nq, bytes(nu));
  return true;
}

static lw_status go_to(exact *v, double t, const double y[], const double y1[])
{
  if (!turn(v, y, y1)) return LW_E_NUMBER;
  return lwi_linear_at(v->linear, t, v->y);
}

/* udot along the direction, with the caller's part; after go_to */
static lw_status vary(exact *v, double t)
{
  const int nu = lw_nu(v->m);
  if (!v->callback) return lwi_linear_vary(v->linear, v->slope, &v->along);
  memset(v->along.tau, 0, bytes(nu));
  memset(v->dudot, 0, bytes(nu));
  const int answer =
      v->callback(v->context, v->number, t, v->y, v->y + lw_nq(v->m), v->along.tau, v->dudot);
  if (answer != 0) return answer > 0 ? LW_E_NUMBER : LW_E_STOPPED;
  for (int i = 0; i < nu; i++)
    v->along.tau[i] *= v->base.scale;
  const lw_status status = lwi_linear_vary(v->linear, v->slope, &v->along);
  for (int i = 0; i < nu && status == LW_OK; i++)
    v->along.udot[i] += v->base.scale * v->dudot[i];
  return status;
}

static bool is_tied(const exact *v)
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
static void turn_speeds(const exact *v, const double u[], const double u1[], double out[])
{
  memcpy(out, u1, bytes(lw_nu(v->m)));
  for (int j = 1; j <= lw_njoint(v->m); j++) {
    const lw_joint_info i = lw_get_joint(v->m, (lw_joint){j});
    if (i.cut || i.type != LW_FREE) continue;
    const double *xi = v->along.motion + i.u, *w = u + i.u;
    double *o = out + i.u;
    if (lw_model_is_planar(v->m)) {
      o[1] -= xi[0] * w[2];
      o[2] += xi[0] * w[1];
    } else {
      double c[3];
      cross3(xi, w + 3, c);
      for (int k = 0; k < 3; k++)
        o[3 + k] += c[k];
    }
  }
}

static lw_status rate(lwi_variation *base, double t, const double y[], const double f[],
                      const double y1[], double f1[])
{
  exact *v = (exact *)base;
  const int nq = lw_nq(v->m), nu = lw_nu(v->m);
  const double *u = y + nq, pull = base->system->pull;
  (void)f;
  lw_status status = go_to(v, t, y, y1);
  if (status == LW_OK) status = vary(v, t);
  if (status != LW_OK) return status;
  memcpy(f1 + nq, v->along.udot, bytes(nu));
  memset(v->slide, 0, bytes(nu));
  if (is_tied(v) && pull > 0) {
    lwi_linear_gap_rate(v->linear, v->gap);
    lwi_linear_close_gap(v->linear, v->gap, -pull, f1 + nq);
    lwi_linear_gap(v->linear, v->gear1, v->gap);
    lwi_linear_close_gap(v->linear, v->gap, -pull, v->slide);
  }
  for (int i = 0; i < nu; i++)
    v->slide[i] += v->along.u[i];
  turn_speeds(v, u, v->slide, v->speed);
  lw_coordinate_rates(v->m, v->y, v->speed, f1);
  for (int j = 1; j <= lw_njoint(v->m); j++) {
    const lw_joint_info i = lw_get_joint(v->m, (lw_joint){j});
    const int e = quaternion_at(&i);
    if (e >= 0) quaternion_rate(y + e, y1 + e, u + i.u, v->slide + i.u, f1 + e);
  }
  return LW_OK;
}

/* ---- constraints ---- */

static void put_motion(const exact *v, double y1[])
{
  const int nq = lw_nq(v->m);
  lw_coordinate_rates(v->m, v->y, v->along.motion, y1);
  memcpy(y1 + nq, v->along.u, bytes(lw_nu(v->m)));
}

static lw_status show(lwi_variation *base, double t, const double y[], double y1[])
{
  exact *v = (exact *)base;
  if (!is_tied(v)) {
    if (!turn(v, y, y1)) return LW_E_NUMBER;
    put_motion(v, y1);
    return LW_OK;
  }
  const lw_status status = go_to(v, t, y, y1);
  if (status != LW_OK) return status;
  lwi_linear_move(v->linear, v->slope, &v->along);
  lwi_linear_gap(v->linear, v->gear1, v->gap);
  lwi_linear_close_gap(v->linear, v->gap, -1, v->along.motion);
  lwi_linear_move(v->linear, v->slope, &v->along);
  lwi_linear_gap_rate(v->linear, v->gap);
  lwi_linear_close_gap(v->linear, v->gap, -1, v->along.u);
  put_motion(v, y1);
  return LW_OK;
}

/* Where gears began follows the state at the beginning: their equations hold there. */
static lw_status begin_gears(exact *v, double t, const double y[], const double y1[])
{
  if (!is_tied(v)) return LW_OK;
  const lw_status status = go_to(v, t, y, y1);
  if (status != LW_OK) return status;
  lwi_linear_move(v->linear, v->slope, &v->along);
  for (int i = 0; i < v->m->ties.ntie; i++) {
    const lwi_tie *x = &v->m->ties.tie[i];
    const bool gear = x->kind == LWI_TIE_RELATION && v->m->constraint[x->id].info.type == LW_GEAR;
    if (gear) v->gear1[x->row] = v->linear->d->closure.phi1[x->row];
  }
  return LW_OK;
}

static lw_status start(lwi_variation *base, double t, const double y[], double y1[])
{
  exact *v = (exact *)base;
  memcpy(v->y, y, bytes(lw_nq(v->m) + lw_nu(v->m)));
  v->linear->known = false;
  const lw_status status = lw_vary_assembled(v->m, v->linear->d, t, v->y, v->y + lw_nq(v->m),
                                             v->slope, v->along.motion, v->along.u);
  if (status != LW_OK) return status;
  put_motion(v, y1);
  return begin_gears(v, t, y, y1);
}

static lw_status settle(lwi_variation *base, double t, const double y[], const double y1[],
                        double h)
{
  exact *v = (exact *)base;
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

static lw_status need_near(exact *v, lw_error *err)
{
  if (v->near) return LW_OK;
  v->near = lwi_neighbours_new(v->first, &v->options, v->base.parameter, err);
  if (!v->near) return err ? err->status : LW_E_MEMORY;
  lw_status status = LW_OK;
  for (int set = 0; set < LWI_VARIATION_SETS && status == LW_OK; set++)
    if (v->patterns[set]) status = v->near->watch(v->near, set, v->patterns[set], err);
  return status;
}

/* Is its derivative among those of the recursions? */
static bool is_exact(const exact *v, lwi_column c)
{
  switch (c.kind) {
  case LWI_COLUMN_UDOT: return c.component < lw_nu(v->m);
  case LWI_COLUMN_ENERGY:
  case LWI_COLUMN_DRIFT: return false;
  case LWI_COLUMN_LOAD:
  case LWI_COLUMN_CONSTRAINT_LOAD:
  case LWI_COLUMN_RELATION_LOAD: return v->m == v->first; /* locks carry loads of their own */
  default: return true;
  }
}

static lw_status watch(lwi_variation *base, int set, const char *patterns, lw_error *err)
{
  exact *v = (exact *)base;
  v->patterns[set] = malloc(strlen(patterns) + 1);
  if (!v->patterns[set]) return no_memory(err);
  memcpy(v->patterns[set], patterns, strlen(patterns) + 1);
  if (v->near) return v->near->watch(v->near, set, patterns, err);
  lw_columns *c = lw_columns_new(v->first, patterns, err);
  if (!c) return err ? err->status : LW_E_MEMORY;
  bool near = false;
  const int n = lw_columns_count(c);
  for (int i = 0; i < n; i++)
    near = near || !is_exact(v, lwi_columns_get(c, i));
  lw_columns_free(c);
  return near ? need_near(v, err) : LW_OK;
}

/* pose, orientation and velocity of a body */
typedef struct {
  double pose[7], velocity[6];
} body_change;

/* the rotation vector of R' R^T */
static void turn_of(const rot3 *R, const rot3 *R1, double out[3])
{
  double M[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < 3; c++)
        M[i][k] += R1->c[c][i] * R->c[c][k];
  out[0] = 0.5 * (M[2][1] - M[1][2]);
  out[1] = 0.5 * (M[0][2] - M[2][0]);
  out[2] = 0.5 * (M[1][0] - M[0][1]);
}

static void change_body(const exact *v, int body, body_change *out)
{
  const lw_derivatives *d = v->linear->d;
  const lwi_body *b = &v->m->body[body], *db = &v->slope->change->body[body];
  double C[9], at[3], pose[6], V[6], V1[6], A[6], o[3], o1[3], own[3], t[3], e[4], x[3];
  d->work->kernels->get_frame(v->m, d->work->tree, b->link, C, at);
  d->work->kernels->get_motion(v->m, d->work->tree, b->link, V, A);
  d->work->kernels->get_change(v->m, v->slope->change, d->tree, b->link, pose, V1, A);
  const rot3 R = rot_columns(C);
  rot_mulv(R, b->p, o);
  rot_mulv(R, db->p, own);
  cross3(pose, o, o1);
  for (int i = 0; i < 3; i++)
    o1[i] += own[i];
  turn_of(&b->R, &db->R, t);
  rot_mulv(R, t, own);
  for (int i = 0; i < 3; i++) {
    t[i] = pose[i] + own[i];
    out->pose[i] = pose[3 + i] + o1[i];
    out->velocity[i] = V1[i];
  }
  cross3(V1, o, own);
  cross3(V, o1, x);
  for (int i = 0; i < 3; i++)
    out->velocity[3 + i] = V1[3 + i] + own[i] + x[i];
  /* e' = 1/2 t o e, t in ground axes */
  quat_from_rot(rot_mul(R, b->R), e);
  out->pose[3] = 0.5 * (-t[0] * e[1] - t[1] * e[2] - t[2] * e[3]);
  out->pose[4] = 0.5 * (t[0] * e[0] + t[1] * e[3] - t[2] * e[2]);
  out->pose[5] = 0.5 * (t[1] * e[0] + t[2] * e[1] - t[0] * e[3]);
  out->pose[6] = 0.5 * (t[2] * e[0] + t[0] * e[2] - t[1] * e[1]);
}

/* The sign that results show a body's quaternion with. */
static double shown_sign(const exact *v, const lw_columns *columns, int body)
{
  const lw_derivatives *d = v->linear->d;
  const lwi_body *b = &v->m->body[body];
  const double *shown = lwi_columns_orientation(columns, body);
  double C[9], at[3], e[4], dot = 0;
  d->work->kernels->get_frame(v->m, d->work->tree, b->link, C, at);
  quat_from_rot(rot_mul(rot_columns(C), b->R), e);
  for (int i = 0; i < 4 && shown; i++)
    dot += e[i] * shown[i];
  return dot < 0 ? -1 : 1;
}

static lw_status exact_value(exact *v, const lw_columns *columns, lwi_column c, const double y[],
                             const double y1[], double *out)
{
  const lw_model *m = v->m;
  const lw_derivatives *d = v->linear->d;
  double load[6];
  body_change body;
  lw_status status = LW_OK;
  switch (c.kind) {
  case LWI_COLUMN_NOTHING: *out = (double)NAN; return LW_OK;
  case LWI_COLUMN_TIME: *out = 0; return LW_OK;
  case LWI_COLUMN_Q:
    *out = c.component < lw_nq(m) ? y1[c.component] : v->all[c.component];
    if (c.component < lw_nq(m) && lwi_columns_q(columns)[c.component] * y[c.component] < 0 &&
        lw_get_joint(m, (lw_joint){c.id}).nq > lw_get_joint(m, (lw_joint){c.id}).nu)
      *out = -*out;
    return LW_OK;
  case LWI_COLUMN_U:
    *out = c.component < lw_nu(m) ? v->along.u[c.component] : v->all[lw_nq_all(m) + c.component];
    return LW_OK;
  case LWI_COLUMN_UDOT: *out = v->along.udot[c.component]; return LW_OK;
  case LWI_COLUMN_POSE:
    change_body(v, c.id, &body);
    *out = body.pose[c.component] * (c.component >= 3 ? shown_sign(v, columns, c.id) : 1);
    return LW_OK;
  case LWI_COLUMN_VELOCITY:
    change_body(v, c.id, &body);
    *out = body.velocity[c.component];
    return LW_OK;
  case LWI_COLUMN_LOAD:
    status = lw_get_load_rate(m, d, (lw_joint){c.id}, load);
    *out = load[c.component];
    return status;
  case LWI_COLUMN_CONSTRAINT_LOAD:
    status = lw_get_constraint_load_rate(m, d, (lw_constraint){c.id}, load);
    *out = load[c.component];
    return status;
  default: return lw_get_relation_load_rate(m, d, (lw_constraint){c.id}, out);
  }
}

static bool is_load(lwi_column c)
{
  return c.kind == LWI_COLUMN_LOAD || c.kind == LWI_COLUMN_CONSTRAINT_LOAD ||
         c.kind == LWI_COLUMN_RELATION_LOAD;
}

static lw_status near_row(exact *v, int set, lw_columns *columns, double t, const double y[],
                          const double y1[], double row1[])
{
  lw_error err = {0};
  lw_status status = need_near(v, &err);
  if (status == LW_OK) v->near->system = v->base.system;
  if (status == LW_OK) status = v->near->settle(v->near, t, y, y1, 0);
  return status == LW_OK ? v->near->row(v->near, set, columns, t, y, y1, row1) : status;
}

static lw_status row(lwi_variation *base, int set, lw_columns *columns, double t, const double y[],
                     const double y1[], double row1[])
{
  exact *v = (exact *)base;
  const int n = lw_columns_count(columns);
  bool near = false, loads = false;
  for (int i = 0; i < n; i++) {
    near = near || !is_exact(v, lwi_columns_get(columns, i));
    loads = loads || (is_load(lwi_columns_get(columns, i)) && v->m == v->first);
  }
  lw_status status = near ? near_row(v, set, columns, t, y, y1, row1) : LW_OK;
  if (status == LW_OK) status = go_to(v, t, y, y1);
  if (status == LW_OK) status = vary(v, t);
  if (status == LW_OK)
    status = lw_get_cut_joint_rates(v->m, v->linear->d, v->all, v->all + lw_nq_all(v->m));
  if (status == LW_OK && loads) status = lw_vary_loads(v->m, v->linear->d);
  for (int i = 0; i < n && status == LW_OK; i++) {
    const lwi_column c = lwi_columns_get(columns, i);
    if (is_exact(v, c)) status = exact_value(v, columns, c, y, y1, &row1[i]);
  }
  return status;
}

/* ---- events ---- */

static lw_status when(lwi_variation *base, const lwi_crossing *x, const double y1[], double *when1,
                      lw_error *err)
{
  exact *v = (exact *)base;
  lw_status status = need_near(v, err);
  if (status != LW_OK) return status;
  v->near->system = base->system;
  status = v->near->settle(v->near, x->t, x->y, y1, 0);
  if (status != LW_OK)
    return lwi_fail(err, status, "no neighbours at t = %.10g: %s", x->t, lw_status_text(status));
  return v->near->when(v->near, x, y1, when1, err);
}

static lw_status jump(lwi_variation *base, const lwi_crossing *x, const double y1[], double when1,
                      lw_error *err)
{
  exact *v = (exact *)base;
  return v->near->jump(v->near, x, y1, when1, err);
}

static lw_status land(lwi_variation *base, const double y[], double y1[])
{
  exact *v = (exact *)base;
  v->near->system = base->system;
  const lw_status status = v->near->land(v->near, y, y1);
  if (status != LW_OK || v->linear->m == v->m) return status;
  lw_error err = {0};
  lw_model *change = lwi_neighbours_change(v->near, &err);
  if (!change) return err.status;
  lw_model_free(v->slope->change);
  v->slope->change = change;
  return take_room(v, v->linear->m) ? LW_OK : LW_E_MEMORY;
}

static lw_status landed(lwi_variation *base, double t, const double y[], const double y1[])
{
  return begin_gears((exact *)base, t, y, y1);
}

/* ---- one of them ---- */

void lwi_exact_variation_ask(lwi_variation *base, lw_derivative_callback callback, void *context,
                             int k)
{
  exact *v = (exact *)base;
  v->callback = callback;
  v->context = context;
  v->number = k;
  if (callback) v->along.tau = v->along.u + lw_nu(v->m);
}

static void exact_free(lwi_variation *base)
{
  exact *v = (exact *)base;
  if (!v) return;
  if (v->near) v->near->free(v->near);
  lw_slope_free(v->slope);
  for (int set = 0; set < LWI_VARIATION_SETS; set++)
    free(v->patterns[set]);
  free(v->parameters);
  free(v->room);
  free(v);
}

static lw_status open_slope(exact *v, lw_error *err)
{
  const lw_model *m = v->first;
  v->slope = lw_slope_new(m->spec, m, m->parameter_name[v->base.parameter], err);
  if (!v->slope) return err ? err->status : LW_E_MEMORY;
  lwi_model_change_scale(v->slope->change, v->base.scale);
  v->parameters = malloc(bytes(m->nparameter) + 1);
  if (!v->parameters || !take_room(v, m)) return no_memory(err);
  memcpy(v->parameters, v->slope->change->parameter, bytes(m->nparameter));
  v->base.parameters = v->parameters;
  return m->nevent > 0 ? need_near(v, err) : LW_OK;
}

lwi_variation *lwi_exact_variation_new(const lw_model *m, const lw_simulation_options *options,
                                       int parameter, lwi_linear *linear, lw_error *err)
{
  exact *v = calloc(1, sizeof *v);
  if (!v) return no_memory(err), NULL;
  const double p = m->parameter[parameter];
  v->first = m;
  v->options = *options;
  v->linear = linear;
  v->base = (lwi_variation){.parameter = parameter,
                            .scale = p != 0 ? fabs(p) : 1,
                            .start = start,
                            .rate = rate,
                            .show = show,
                            .settle = settle,
                            .be_careful = be_careful,
                            .watch = watch,
                            .row = row,
                            .when = when,
                            .jump = jump,
                            .land = land,
                            .landed = landed,
                            .free = exact_free};
  if (open_slope(v, err) == LW_OK) return &v->base;
  exact_free(&v->base);
  return NULL;
}
