/* SPDX-License-Identifier: Apache-2.0 */
/* nearest_position.c -- the closed position that moves the mass of all bodies least.

   With c, R the centre of mass and axes of a body, c0, R0 the given ones, and E its second moments
   about the centre (E = 1/2 tr(I) 1 - I),

     f = sum 1/2 m |c - c0|^2 + 1/2 tr((R - R0) E (R - R0)^T)

   Its gradient by the motion of a body has the form of a momentum: m (c - c0), and about the centre
   the vector of -K, K = R E R0^T, by its cross product.  Its second derivative is the mass matrix
   plus terms that vanish with the displacement, so that each step is the response to an impulse,

     M delta = -J^T grad f + G^T lambda,   G delta = 0

   shortened until f decreases after the loops are closed again; near the minimum until delta
   decreases.  It ends where delta is zero: the condition of the nearest point (Karush, Kuhn and
   Tucker). */
#include "math/finite.h"
#include "base/fail.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/tree_impulse.h"
#include "tree/loops/work.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 500, MOST_HALVINGS = 40 };
/* converged: step relative to the displacement, in the metric of mass */
static const double enough = 1e-12;
static const double flat = 1e-5; /* below it differences of f are rounding errors */
static const double fair = 1e-6; /* accepted if no step improves the position any further */

typedef struct {
  const lw_model *m;
  lw_work *w;
  const lwi_frame *pose;
  lwi_search s;               /* if there are loops */
  double *q, *best;           /* [nq] */
  double *rate, *scratch;     /* [nq], [nrow] */
  double *delta, *zero_speed; /* [nu] */
  double (*p)[6];             /* [nlink] minus the gradient, about the links' origins */
} mover;

/* ---- f ---- */

/* second moments about the centre of mass */
static rot3 second_moments(const lwi_solid *s)
{
  const double *I = s->inertia, half = 0.5 * (I[0] + I[1] + I[2]);
  return (rot3){
      {{half - I[0], -I[3], -I[4]}, {-I[3], half - I[1], -I[5]}, {-I[4], -I[5], half - I[2]}}};
}

/* f of one body with pose X, and minus its gradient [about the centre; linear] */
static double displace(const lwi_solid *s, const lwi_frame *X, const lwi_frame *X0, double push[6])
{
  const rot3 E = second_moments(s);
  double c[3], c0[3], f = 0;
  lwi_frame_point(*X, s->com, c);
  lwi_frame_point(*X0, s->com, c0);
  const rot3 K = rot_mul(rot_mul(X->R, E), rot_transpose(X0->R)); /* K_ij = K.c[j][i] */
  rot3 D;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      D.c[j][i] = X->R.c[j][i] - X0->R.c[j][i];
  const rot3 DE = rot_mul(D, E);
  for (int i = 0; i < 3; i++) {
    push[3 + i] = -s->mass * (c[i] - c0[i]);
    f += 0.5 * s->mass * (c[i] - c0[i]) * (c[i] - c0[i]);
    f += 0.5 * dot3(D.c[i], DE.c[i]);
  }
  push[0] = K.c[2][1] - K.c[1][2];
  push[1] = K.c[0][2] - K.c[2][0];
  push[2] = K.c[1][0] - K.c[0][1];
  return f;
}

/* f at q, and minus its gradient in x->p */
static double find_gradient(const mover *x, const double q[])
{
  const lw_model *m = x->m;
  double f = 0;
  x->w->kernels->kinematics(m, x->w->tree, q, x->zero_speed);
  memset(x->p[0], 0, sizeof x->p[0]);
  for (int b = 1; b <= m->nbody; b++) {
    const lwi_body *body = &m->body[b];
    double C[9], push[6], at[3];
    lwi_frame X = {.R = body->R}, L = {0};
    memcpy(X.p, body->p, 3 * sizeof(double));
    x->w->kernels->get_frame(m, x->w->tree, body->link, C, at);
    L.R = rot_columns(C);
    memcpy(L.p, at, sizeof at);
    X = lwi_frame_mul(L, X);
    f += displace(&m->solid[b], &X, &x->pose[b], push);
    lwi_frame_point(X, m->solid[b].com, at);
    lwi_link_load_at(m, x->w, body->link, at, push, x->p[body->link]);
  }
  return f;
}

/* ---- a step ---- */

/* rate of f along delta, which is -delta^T M delta: not from the gradient, of which the loads of
   the constraints would have to cancel */
static double slope_along(const mover *x)
{
  double kinetic = 0, potential;
  x->w->kernels->kinematics(x->m, x->w->tree, x->q, x->delta);
  x->w->kernels->energy(x->m, x->w->tree, x->q, &kinetic, &potential);
  return -2 * kinetic;
}

/* rhs = -G delta; prescribed rates do not count */
static void rows_along(const mover *x)
{
  lwi_closure *c = x->w->closure;
  const lwi_tree_constraints *tree_constraints = x->s.x;
  lwi_closure_rate(x->m, x->w, tree_constraints, x->zero_speed, c->rhs);
  memcpy(x->scratch, c->rhs, (size_t)tree_constraints->nrow * sizeof(double));
  x->w->kernels->kinematics(x->m, x->w->tree, x->q, x->delta);
  lwi_closure_place(x->m, x->w, x->s.t);
  lwi_closure_rate(x->m, x->w, tree_constraints, x->delta, c->rhs);
  for (int i = 0; i < tree_constraints->nrow; i++)
    c->rhs[i] = x->scratch[i] - c->rhs[i];
  for (int i = 0; i < tree_constraints->nconstraint; i++)
    if (lwi_search_is_gear(&x->s, &tree_constraints->constraint[i]))
      c->rhs[tree_constraints->constraint[i].row] = 0;
}

/* delta at q from p; false: the mass matrix is singular */
static bool find_step(const mover *x)
{
  const lw_model *m = x->m;
  lw_work *w = x->w;
  if (w->closure) {
    const lwi_rank_rule rule = lwi_closed_rule(m);
    lwi_search_find_violation(&x->s, x->q);
    lwi_closure_metric(m, w, x->s.x, m->held);
    if (w->closure->plain) return false;
    lwi_closure_compliance(m, w, x->s.x, 0, &rule);
  } else if (!w->kernels->factor(m, w->tree, m->held)) {
    return false;
  }
  memset(w->in, 0, (size_t)m->nu * sizeof(double));
  memset(x->delta, 0, (size_t)m->nu * sizeof(double));
  w->kernels->innovate(m, w->tree, x->p, w->in);
  w->kernels->solve_response(m, w->tree, w->in, x->delta);
  for (int pass = 0; pass < 2 && w->closure; pass++) { /* the second removes rounding errors */
    w->kernels->kinematics(m, w->tree, x->q, x->zero_speed);
    lwi_closure_place(m, w, x->s.t);
    rows_along(x);
    lwi_closure_solve(m, w, x->s.x);
    lwi_closure_move(m, w, x->delta);
  }
  return true;
}

/* q = best moved along delta and closed again; false: not possible */
static bool go(const mover *x, double part)
{
  const lw_model *m = x->m;
  lw_coordinate_rates(m, x->best, x->delta, x->rate);
  for (int i = 0; i < m->nq; i++)
    x->q[i] = x->best[i] + part * x->rate[i];
  if (!lwi_all_finite(x->q, m->nq)) return false;
  if (lw_normalize(m, x->q) != LW_OK) return false;
  return !x->w->closure || lwi_search_is_closed(&x->s, lwi_search_close(&x->s));
}

/* ---- all ---- */

/* At q: f and the step; returns the step relative to the displacement.  HUGE_VAL: there is none. */
static double measure(const mover *x, double *f, double *slope)
{
  *f = find_gradient(x, x->q);
  if (!(*f > 0) || !find_step(x)) return *f > 0 ? HUGE_VAL : 0;
  *slope = slope_along(x);
  return sqrt(fmax(0, -*slope) / (2 * *f));
}

static void accept(const mover *x)
{
  memcpy(x->best, x->q, (size_t)x->m->nq * sizeof(double));
}

static void go_back(const mover *x)
{
  memcpy(x->q, x->best, (size_t)x->m->nq * sizeof(double));
}

/* Descends from a closed q while differences of f are significant; returns the last step. */
static double descend(const mover *x)
{
  double f, slope = 0, part = 1, left = measure(x, &f, &slope);
  accept(x);
  for (int i = 0; i < MOST_STEPS && left > flat && left < HUGE_VAL; i++) {
    double next = HUGE_VAL;
    part = fmin(1, 2 * part);
    for (int k = 0; k < MOST_HALVINGS; k++, part /= 2) {
      next = go(x, part) ? find_gradient(x, x->q) : HUGE_VAL;
      if (next <= f + 1e-4 * part * slope) break;
    }
    if (!(next <= f)) break;
    accept(x);
    left = measure(x, &f, &slope);
  }
  go_back(x);
  return measure(x, &f, &slope);
}

/* Near the minimum differences of f are rounding errors but its gradient is accurate: a step is
   accepted if the next one is smaller. */
static double polish(const mover *x, double left)
{
  double f, slope, part = 1;
  for (int i = 0; i < MOST_STEPS && left > enough && left <= flat && part > 1e-3; i++) {
    const double next = go(x, part) ? measure(x, &f, &slope) : HUGE_VAL;
    if (next < left) {
      accept(x);
      left = next;
      continue;
    }
    part /= 2;
    go_back(x);
    left = measure(x, &f, &slope);
  }
  go_back(x);
  return left;
}

static lw_status move(mover *x, double t, double q[], lw_error *err)
{
  const lw_model *m = x->m;
  memcpy(x->q, q, (size_t)m->nq * sizeof(double));
  if (x->w->closure) x->s = lwi_search_begin(m, x->w, t, x->q), x->s.by_mass = true;
  x->w->stage = LWI_STAGE_NOTHING;
  const double left = polish(x, descend(x));
  if (!(left <= fair) && !(x->w->closure && x->w->closure->plain))
    return lwi_fail(err, LW_E_NOT_CONVERGED, "the nearest closed position cannot be found");
  if (x->w->closure) {
    lwi_search_find_violation(&x->s, x->q);
    lwi_search_remember_gears(&x->s);
  }
  memcpy(q, x->q, (size_t)m->nq * sizeof(double));
  return LW_OK;
}

lw_status lwi_move_nearest(const lw_model *m, lw_work *w, double t, const lwi_frame pose[],
                           double q[], lw_error *err)
{
  lwi_arena a = {0};
  mover x = {.m = m,
             .w = w,
             .pose = pose,
             .q = LWI_TAKE(&a, m->nq + 1, double),
             .best = LWI_TAKE(&a, m->nq + 1, double),
             .rate = LWI_TAKE(&a, m->nq + 1, double),
             .scratch = LWI_TAKE(&a, m->assembly.nrow + 1, double),
             .delta = LWI_TAKE(&a, m->nu + 1, double),
             .zero_speed = LWI_TAKE(&a, m->nu + 1, double),
             .p = lwi_arena_take(&a, (size_t)m->nlink, sizeof *x.p)};
  const bool allocated = x.q && x.best && x.rate && x.scratch && x.delta && x.zero_speed && x.p;
  const lw_status status = allocated ? move(&x, t, q, err) : lwi_out_of_memory(err, NULL);
  lwi_arena_free(&a);
  return status;
}
