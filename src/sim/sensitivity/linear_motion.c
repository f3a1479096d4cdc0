/* SPDX-License-Identifier: Apache-2.0 */
/* linear_motion.c -- f_y and f_p at any time of a recorded motion, from derivatives along
   directions: f_y along each number of y by no parameter, f_p by each parameter at y_p = 0.  Of trees without states
   f_y comes from the matrices of forward dynamics, at the cost of a few directions. */
#include "sim/formulation/state.h"
#include "sim/sensitivity/adjoint_sweep.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lwi_linear_motion_close(lwi_linear_motion *x)
{
  lw_derivatives_free(x->matrices);
  free(x->q);
  free(x->memory);
  free(x->from);
  free(x->to);
  *x = (lwi_linear_motion){0};
}

/* Cut joints count turns from where they were in the same step. */
static void follow_turns(const lwi_linear_motion *x, int piece)
{
  const lwi_trajectory *m = x->motion;
  lw_work *w = x->system->base.dynamics->work;
  if (m->more)
    memcpy(w->kernels->part(w->tree, LWI_CUT_Q), m->constant + (size_t)piece * m->more,
           m->more * sizeof(double));
}

lw_status lwi_linear_motion_go_to(lwi_linear_motion *x, double t)
{
  const int piece = lwi_trajectory_piece(x->motion, t);
  lwi_trajectory_get(x->motion, t, x->y);
  follow_turns(x, piece);
  if (piece == x->piece) return LW_OK;
  x->piece = piece;
  return x->none->update_rank(x->none, t, x->y, x->zero, 0);
}

lw_status lwi_linear_motion_integrands(lwi_linear_motion *x, lwi_parameter_derivative *v, double t,
                                       const double y_p[], double out[])
{
  lwi_sensitivity_system *s = x->system;
  lwi_objectives *o = s->objectives;
  if (s->nintegral == 0) return LW_OK;
  const lw_status status = v->row(v, LWI_OBJECTIVE_COLUMNS, o->columns, t, x->y, y_p, s->row_p);
  lwi_objectives_derive(o, v->parameters, s->row_p);
  for (int i = 0; i < o->n; i++)
    if (o->item[i].kind == LW_OBJECTIVE_INTEGRAL) *out++ = lwi_objectives_slope(o, i);
  return status;
}

/* The columns that integrands read, at y. */
static lw_status look(lwi_linear_motion *x, double t)
{
  lwi_sensitivity_system *s = x->system;
  memcpy(s->q, x->y, (size_t)s->nmotion * sizeof *s->q);
  const lw_status status = lw_normalize(s->base.m, s->q);
  if (status != LW_OK) return status;
  return lwi_objectives_look(s->objectives, t, s->q, s->q + lw_nq(s->base.m));
}

static lw_status find_integrands_y(lwi_linear_motion *x, double t)
{
  const lwi_sensitivity_system *s = x->system;
  lw_status status = s->nintegral > 0 ? look(x, t) : LW_OK;
  for (int i = 0; i < s->nmotion && s->nintegral > 0 && status == LW_OK; i++) {
    x->y_p[i] = 1;
    status = lwi_linear_motion_integrands(x, x->none, t, x->y_p,
                                          x->f_y + (size_t)i * (size_t)s->block + s->nmotion);
    x->y_p[i] = 0;
  }
  return status;
}

/* ---- f_y of trees, from the matrices of forward dynamics (derivatives.h) ---- */

static bool is_plain_tree(const lw_model *m)
{
  return m->tree_constraints.nrow == 0 && m->nstate == 0 && m->nu > 0;
}

static bool open_matrices(lwi_linear_motion *x)
{
  const lw_model *m = x->system->base.m;
  const size_t n = (size_t)x->system->block, nu = (size_t)lw_nu(m);
  if (!is_plain_tree(m)) return true;
  x->q = calloc(4 * n + 2 * nu * nu + 1, sizeof *x->q);
  x->matrices = lw_derivatives_new(m);
  if (!x->q || !x->matrices) return false;
  x->dq = x->q + n;
  x->qdot = x->dq + n;
  x->v = x->qdot + n;
  x->udot_q = x->v + n;
  x->udot_u = x->udot_q + nu * nu;
  return true;
}

/* Rates of coordinate number k of every joint, or of its speed number k: those of one joint depend on
   that joint alone. */
static void put_joint_rates(lwi_linear_motion *x, int k, bool speed)
{
  const lw_model *m = x->system->base.m;
  const int nq = lw_nq(m), nu = lw_nu(m), block = x->system->block;
  const double *u = x->q + nq;
  memset(x->dq, 0, (size_t)block * sizeof *x->dq);
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info i = lw_get_joint(m, (lw_joint){j});
    if (!i.cut && k < (speed ? i.nu : i.nq)) x->dq[speed ? nq + i.u + k : i.q + k] = 1;
  }
  lw_coordinate_rate_derivatives(m, x->q, u, x->dq, x->dq + nq, x->qdot);
  lw_motion_of(m, x->q, x->dq, x->v);
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info i = lw_get_joint(m, (lw_joint){j});
    if (i.cut || k >= (speed ? i.nu : i.nq)) continue;
    double *column = x->f_y + (size_t)(speed ? nq + i.u + k : i.q + k) * (size_t)block;
    for (int a = i.q; a < i.q + i.nq; a++)
      column[a] = x->qdot[a];
    for (int r = 0; r < nu; r++)
      column[nq + r] = speed ? x->udot_u[r * nu + i.u + k] : 0;
    for (int b = i.u; b < i.u + i.nu && !speed; b++)
      for (int r = 0; r < nu; r++)
        column[nq + r] += x->udot_q[r * nu + b] * x->v[b];
  }
}

static lw_status find_by_matrices(lwi_linear_motion *x, double t)
{
  enum { MOST_Q = 7, MOST_U = 6 };
  const lw_model *m = x->system->base.m;
  const lw_work *own = x->system->base.dynamics->work;
  lw_work *work = lw_derivatives_work(x->matrices);
  const int nq = lw_nq(m);
  memcpy(x->q, x->y, (size_t)x->system->nmotion * sizeof *x->q);
  lw_status status = lw_normalize(m, x->q);
  own->kernels->follow_holds(own->tree, work->tree);
  lwi_work_follow(m, own, work);
  const lw_forward_matrices by = {.q = x->udot_q, .u = x->udot_u};
  if (status == LW_OK)
    status = lw_forward_dynamics_derivatives(x->matrices, t, x->q, x->q + nq, NULL, NULL, &by);
  for (int k = 0; k < MOST_Q && status == LW_OK; k++)
    put_joint_rates(x, k, false);
  for (int k = 0; k < MOST_U && status == LW_OK; k++)
    put_joint_rates(x, k, true);
  x->system->cost->matrices++;
  return status;
}

static lw_status find_by_columns(lwi_linear_motion *x, double t)
{
  const lwi_sensitivity_system *s = x->system;
  lw_status status = LW_OK;
  for (int i = 0; i < s->nmotion && status == LW_OK; i++) {
    const double *from[1] = {x->y_p};
    double *to[1] = {x->f_y + (size_t)i * (size_t)s->block};
    x->y_p[i] = 1;
    status = x->none->rates(&x->none, 1, t, x->y, NULL, from, to);
    x->y_p[i] = 0;
    s->cost->directions++;
  }
  return status;
}

lw_status lwi_linear_motion_f_y(lwi_linear_motion *x, double t)
{
  if (t == x->t) return LW_OK;
  x->t = (double)NAN;
  lw_status status = lwi_linear_motion_go_to(x, t);
  if (status == LW_OK) status = x->matrices ? find_by_matrices(x, t) : find_by_columns(x, t);
  if (status == LW_OK) status = find_integrands_y(x, t);
  if (status == LW_OK) x->t = t;
  return status;
}

lw_status lwi_linear_motion_f_p(lwi_linear_motion *x, double t)
{
  lwi_sensitivity_system *s = x->system;
  if (x->np == 0) return LW_OK;
  lw_status status = lwi_linear_motion_go_to(x, t);
  if (status == LW_OK)
    status = s->derivative[0]->rates(s->derivative, x->np, t, x->y, NULL, x->from, x->to);
  if (status == LW_OK && s->nintegral > 0) status = look(x, t);
  for (int k = 0; k < x->np && status == LW_OK; k++)
    status = lwi_linear_motion_integrands(x, s->derivative[k], t, x->zero, x->to[k] + s->nmotion);
  s->cost->directions += x->np;
  return status;
}

/* ---- make ---- */

bool lwi_linear_motion_open(lwi_linear_motion *x, lwi_sensitivity_system *system,
                            const lwi_trajectory *motion, lwi_parameter_derivative *none, int np)
{
  const size_t n = (size_t)system->block, p = (size_t)np;
  *x = (lwi_linear_motion){
      .system = system, .motion = motion, .none = none, .np = np, .t = (double)NAN, .piece = -1};
  double *at = x->memory = calloc(n * (3 + n + p) + 1, sizeof *at);
  x->from = calloc(p + 1, sizeof *x->from);
  x->to = calloc(p + 1, sizeof *x->to);
  if (!at || !x->from || !x->to || !open_matrices(x)) return lwi_linear_motion_close(x), false;
  x->y = at;
  x->y_p = at + n;
  x->zero = at + 2 * n;
  x->f_y = at + 3 * n;
  x->f_p = x->f_y + n * n;
  for (size_t k = 0; k < p; k++) {
    x->from[k] = x->zero;
    x->to[k] = x->f_p + k * n;
  }
  return true;
}
