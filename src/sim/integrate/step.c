/* SPDX-License-Identifier: Apache-2.0 */
/* step.c -- fixed steps: classical Runge-Kutta and semi-implicit Euler.  Part of linkwork-core:
   nothing here allocates; stages are in the scratch that lw_work keeps for steps.

   A quaternion is integrated as four free numbers.  Its length has no meaning: forces use the
   normalised one, and its rate 1/2 q o w is linear in q, so that an error of the length neither
   grows nor changes the direction.  It is normalised at the end of the step. */
#include "sim/integrate/step.h"
#include "sim/formulation/state.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"

#include <string.h>

/* (q, u) and its rate, each one array [nq + nu] */
typedef struct {
  int nq, nu;
  double *unit; /* q with unit quaternions, for the dynamics */
  double *y, *rate, *sum, *start;
} stages;

static stages split_scratch(const lwi_stepper *p)
{
  const int nq = lw_nq(p->m), nu = lw_nu(p->m), n = nq + nu;
  return (stages){nq,
                  nu,
                  p->scratch,
                  p->scratch + n,
                  p->scratch + 2 * n,
                  p->scratch + 3 * n,
                  p->scratch + 4 * n};
}

/* Rates of states, at the state of the last acceleration. */
static void state_rates(const lwi_stepper *p, const stages *s)
{
  if (p->m->nstate)
    p->work->kernels->state_rates(p->m, p->work->tree, s->rate + lwi_first_state(p->m));
}

/* The rate of s->y.  Quaternion rates are scaled to the length of the quaternion in y. */
static lw_status compute_rate(const lwi_stepper *p, const stages *s, double t, const double tau[])
{
  const double *u = s->y + s->nq;
  memcpy(s->unit, s->y, (size_t)s->nq * sizeof(double));
  const lw_status unit = lw_normalize(p->m, s->unit);
  if (unit != LW_OK) return unit;

  const lw_status solved = p->accelerate(p->context, t, s->unit, u, tau, s->rate + s->nq);
  if (solved != LW_OK) return solved;
  lw_coordinate_rates(p->m, s->unit, u, s->rate);
  state_rates(p, s);
  for (int j = 1; j <= lw_njoint(p->m); j++) {
    const lw_joint_info joint = lw_get_joint(p->m, (lw_joint){j});
    const int at = quaternion_at(&joint);
    if (at >= 0) quaternion_scale(s->rate + at, quaternion_norm(s->y + at));
  }
  return LW_OK;
}

/* arguments of stage_rate */
typedef struct {
  const lwi_stepper *p;
  const stages *s;
  const double *tau;
} stepping;

static lw_status stage_rate(void *context, double t)
{
  const stepping *x = context;
  return compute_rate(x->p, x->s, t, x->tau);
}

lw_status lwi_rk4(const lwi_rk4_scratch *r, double t, const double y[], double dt)
{
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int i = 0; i < r->n; i++)
    r->sum[i] = r->rate[i] = 0;
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < r->n; i++)
      r->y[i] = y[i] + node[k] * dt * r->rate[i];
    const lw_status status = r->find_rate(r->context, t + node[k] * dt);
    if (status != LW_OK) return status;
    for (int i = 0; i < r->n; i++)
      r->sum[i] += weight[k] * r->rate[i];
  }
  for (int i = 0; i < r->n; i++)
    r->y[i] = y[i] + dt / 6 * r->sum[i];
  return LW_OK;
}

/* Leaves the result in s->y. */
static lw_status runge_kutta(const lwi_stepper *p, const stages *s, double t, const double q[],
                             const double u[], const double tau[], double dt)
{
  stepping x = {p, s, tau};
  const lwi_rk4_scratch r = {s->nq + s->nu, s->y, s->rate, s->sum, stage_rate, &x};
  if (s->nq) memcpy(s->start, q, (size_t)s->nq * sizeof(double));
  if (s->nu) memcpy(s->start + s->nq, u, (size_t)s->nu * sizeof(double));
  return lwi_rk4(&r, t, s->start, dt);
}

/* Semi-implicit Euler: u += dt udot, then q moves with the new u, rotations by the exact
   exponential.  Leaves the result in s->y. */
static lw_status euler(const lwi_stepper *p, const stages *s, double t, const double q[],
                       const double u[], const double tau[], double dt)
{
  double *q_new = s->y, *u_new = s->y + s->nq;
  if (s->nq) memcpy(s->unit, q, (size_t)s->nq * sizeof(double));
  lw_status status = lw_normalize(p->m, s->unit);
  if (status == LW_OK) status = p->accelerate(p->context, t, s->unit, u, tau, s->rate + s->nq);
  if (status != LW_OK) return status;

  for (int i = 0; i < s->nu; i++)
    u_new[i] = u[i] + dt * s->rate[s->nq + i];
  lw_coordinate_rates(p->m, s->unit, u_new, s->rate);
  state_rates(p, s);
  for (int i = 0; i < s->nq; i++)
    q_new[i] = q[i] + dt * s->rate[i];
  for (int j = 1; j <= lw_njoint(p->m); j++) {
    const lw_joint_info joint = lw_get_joint(p->m, (lw_joint){j});
    const int at = quaternion_at(&joint);
    if (at >= 0) quaternion_turn(s->unit + at, u_new + joint.u, dt, q_new + at);
  }
  return LW_OK;
}

lw_status lwi_step(const lwi_stepper *p, lw_integrator method, double t, double q[], double u[],
                   const double tau[], double dt)
{
  const stages s = split_scratch(p);
  lw_status status = method == LW_INTEGRATOR_RK4 ? runge_kutta(p, &s, t, q, u, tau, dt)
                                                 : euler(p, &s, t, q, u, tau, dt);
  if (status == LW_OK) status = lw_normalize(p->m, s.y);
  if (status == LW_OK) status = p->project(p->context, t + dt, s.y, s.y + s.nq);
  if (status == LW_OK && !lwi_all_finite(s.y, s.nq + s.nu)) status = LW_E_NUMBER;
  if (status != LW_OK) return status;

  if (s.nq) memcpy(q, s.y, (size_t)s.nq * sizeof(double));
  if (s.nu) memcpy(u, s.y + s.nq, (size_t)s.nu * sizeof(double));
  return LW_OK;
}

/* ---- with the tree's own ---- */

typedef struct {
  const lw_model *m;
  lw_work *w;
} tree;

static lw_status accelerate(void *context, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  const tree *c = context;
  return lw_forward_dynamics(c->w, t, q, u, tau, udot);
}

static lw_status project(void *context, double t, double q[], double u[])
{
  const tree *c = context;
  return lw_project(c->w, t, q, u);
}

lw_status lw_step(lw_work *w, lw_integrator method, double dt, const double tau[], double *t,
                  double q[], double u[])
{
  const lw_model *m = lwi_work_model(w);
  if (!m || !w || !t || (lw_nq(m) && !q) || (lw_nu(m) && !u)) return LW_E_ARG;
  if (method != LW_INTEGRATOR_RK4 && method != LW_INTEGRATOR_EULER) return LW_E_ARG;
  if (!isfinite(dt) || !isfinite(*t)) return LW_E_NUMBER;

  tree c = {m, w};
  const lwi_stepper p = {m, &c, accelerate, project, w, lwi_work_step_scratch(m, w)};
  const lw_status status = lwi_step(&p, method, *t, q, u, tau, dt);
  if (status == LW_OK) *t += dt;
  return status;
}
