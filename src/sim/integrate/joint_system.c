/* SPDX-License-Identifier: Apache-2.0 */
/* joint_system.c -- coordinates and speeds of the spanning tree as a system: y = (q, u).

   Quaternions.  y holds each one as four free numbers; its length n = |e| means nothing.  The right
   side sees e/n, and its rate is

     e' = 1/2 e o w + |w| (1 - n^2) e

   The first term turns e and leaves n alone.  The second is along e: it pulls n back to 1, and
   since the direction's rate, (e/n)' = 1/2 (e/n) o w, contains neither n nor this term, it cannot
   influence the motion: the order of a method and its error per step are those of the motion.  The
   pull has the time scale of the rotation itself, so that it never limits the step: a constant rate
   would make slow rotations stiff.

   Closed loops.  y holds all coordinates of the spanning tree; integration errors take it off the
   constraints phi(q) = 0, G u = nu.  The right side pulls it back the shortest way in the metric of
   the mass matrix,

     q' = u - k M^-1 G' W^-1 phi,   u' = f(q, u) - k M^-1 G' W^-1 (G u - nu),   W = G M^-1 G'

   along directions in which the motion has no freedom, so that again its order and error are those of
   the motion.  The pull k is a hundredth of the inverse step: it never limits the step, and what is off
   stays at a hundred times the error of one step.  Results are projected: docs/decisions/009-drift.md.

   Near configurations where constraints become dependent, W^-1 makes much of what is off; there the
   right side is that of the projected state. */
#include "base/fail.h"
#include "model/model.h"
#include "sim/formulation/state.h"
#include "sim/integrate/step.h"
#include "sim/integrate/system.h"
#include "tree/loops/work.h"

#include <stdlib.h>
#include <string.h>

static const double WEAK = 0.1; /* pivots of constraints, below which they are nearly dependent */

typedef struct {
  int e, w; /* index in q of a quaternion, index in u of its angular velocity */
} rotation;

typedef struct {
  lwi_system base;
  int nq, nu, nrotation;
  rotation *rotation;          /* [nrotation] */
  double *q;                   /* [nq] with unit quaternions */
  double *norm;                /* [nrotation] lengths of the quaternions in y */
  double reach;                /* the step that it goes by: 0 at the start */
  double *position_correction; /* [nu] what the pull adds to the speeds that move q */
  double *shown;               /* [nq + nu] a projected state */
  double *speeds; /* [2 nu] u and udot of the last evaluation, whose coordinates are in q */
  lwi_evaluation last;
  bool was_careful; /* before the one that is passed now, ... */
  double was_pull;  /* ... and its pull */
} joint_system;

/* ---- quaternions ---- */

static void find_rotations(joint_system *s)
{
  for (int j = 1; j <= lw_njoint(s->base.m); j++) {
    const lw_joint_info joint = lw_get_joint(s->base.m, (lw_joint){j});
    const int e = quaternion_at(&joint);
    if (e < 0) continue;
    if (s->rotation) s->rotation[s->nrotation] = (rotation){e, joint.u};
    s->nrotation++;
  }
}

/* q with unit quaternions into s->q, their lengths into s->norm. */
static bool split_lengths(joint_system *s, const double q[])
{
  memcpy(s->q, q, (size_t)s->nq * sizeof(double));
  for (int i = 0; i < s->nrotation; i++) {
    double *e = s->q + s->rotation[i].e;
    s->norm[i] = quaternion_norm(e);
    if (!isnormal(s->norm[i])) return false;
    quaternion_scale(e, 1 / s->norm[i]);
  }
  return true;
}

/* Rates of unit quaternions into those of the quaternions in y: see above. */
static void pull_lengths(const joint_system *s, const double u[], double f[])
{
  for (int i = 0; i < s->nrotation; i++) {
    const double *w = u + s->rotation[i].w, *unit = s->q + s->rotation[i].e;
    const double n = s->norm[i];
    const double stabilization = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (1 - n * n);
    double *rate = f + s->rotation[i].e;
    for (int k = 0; k < 4; k++)
      rate[k] = n * (rate[k] + stabilization * unit[k]);
  }
}

/* ---- rates, for unit quaternions ---- */

/* y is the state; loops that are not quite closed are pulled to be */
static lw_status plain_rates(joint_system *s, double t, const double u[], double f[])
{
  lw_dynamics *d = s->base.dynamics;
  const bool tied = s->base.tied;
  const lw_status status = tied ? d->method->stabilized(d, t, s->q, u, s->base.stabilization,
                                                        f + s->nq, s->position_correction)
                                : d->method->accelerate(d, t, s->q, u, NULL, f + s->nq);
  if (status != LW_OK) return status;
  for (int i = 0; i < s->nu && tied; i++)
    s->position_correction[i] += u[i];
  lw_coordinate_rates(s->base.m, s->q, tied ? s->position_correction : u, f);
  return LW_OK;
}

/* f = f(projected y) + k (projected y - y) */
static lw_status careful_rates(joint_system *s, double t, const double u[], double f[])
{
  lw_dynamics *d = s->base.dynamics;
  double *q = s->shown, *v = s->shown + s->nq, *udot = f + s->nq;
  memcpy(q, s->q, (size_t)s->nq * sizeof(double));
  memcpy(v, u, (size_t)s->nu * sizeof(double));
  lw_status status = d->method->project(d, t, q, v);
  if (status == LW_OK) status = d->method->stabilized(d, t, q, v, 0, udot, s->position_correction);
  if (status != LW_OK) return status;
  lw_coordinate_rates(s->base.m, q, v, f);
  for (int i = 0; i < s->nq; i++)
    f[i] += s->base.stabilization * (q[i] - s->q[i]);
  for (int i = 0; i < s->nu; i++)
    udot[i] += s->base.stabilization * (v[i] - u[i]);
  return LW_OK;
}

/* Unless its loads are gone.  Near singular configurations the work holds the projected state. */
static void note_evaluation(joint_system *s, double t, const double u[], const double udot[])
{
  const size_t size = (size_t)s->nu * sizeof(double);
  if (s->base.tied && !s->base.dynamics->method->recall) return;
  if (s->nu > 0) memcpy(s->speeds, u, size);
  if (s->nu > 0) memcpy(s->speeds + s->nu, udot, size);
  s->last = (lwi_evaluation){t, s->q, s->speeds, s->speeds + s->nu, s->base.tied};
  s->base.last = &s->last;
}

static lw_status rate(lwi_system *base, double t, const double y[], double f[])
{
  joint_system *s = (joint_system *)base;
  const double *u = y + s->nq;
  base->last = NULL;
  if (!split_lengths(s, y)) return LW_E_NUMBER;
  const lw_status status =
      s->base.near_singular ? careful_rates(s, t, u, f) : plain_rates(s, t, u, f);
  if (status == LW_OK) note_evaluation(s, t, u, f + s->nq);
  if (status == LW_OK) pull_lengths(s, u, f);
  return status;
}

/* ---- fixed steps ---- */

static bool is_known(const joint_system *s, double t, const double q[], const double u[])
{
  const lwi_evaluation *e = s->base.last;
  if (!e || e->stabilized || e->t != t) return false;
  return (s->nq == 0 || memcmp(e->q, q, (size_t)s->nq * sizeof(double)) == 0) &&
         (s->nu == 0 || memcmp(e->u, u, (size_t)s->nu * sizeof(double)) == 0);
}

/* the first stage may have been evaluated at the end of the step before */
static lw_status accelerate(void *context, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  joint_system *s = context;
  if (lwi_system_stops(&s->base, t)) return LW_E_STOPPED;
  const bool known = !tau && is_known(s, t, q, u);
  s->base.last = NULL;
  if (!known) return lw_dynamics_accelerate(s->base.dynamics, t, q, u, tau, udot);
  if (s->nu > 0) memcpy(udot, s->last.udot, (size_t)s->nu * sizeof(double));
  return LW_OK;
}

static lw_status project(void *context, double t, double q[], double u[])
{
  lw_dynamics *d = ((joint_system *)context)->base.dynamics;
  return d->method->project(d, t, q, u);
}

static lw_status evaluate(lwi_system *base, double t, const double y[])
{
  joint_system *s = (joint_system *)base;
  double *udot = s->speeds + s->nu;
  base->last = NULL;
  if (s->nq > 0) memcpy(s->q, y, (size_t)s->nq * sizeof(double));
  if (s->nu > 0) memcpy(s->speeds, y + s->nq, (size_t)s->nu * sizeof(double));
  lw_status status = lw_normalize(base->m, s->q);
  if (status == LW_OK)
    status = lw_dynamics_accelerate(base->dynamics, t, s->q, s->speeds, NULL, udot);
  if (status != LW_OK) return status;
  s->last = (lwi_evaluation){t, s->q, s->speeds, udot, false};
  base->last = &s->last;
  return LW_OK;
}

static lw_status step(lwi_system *base, lw_integrator method, double t, double y[], double dt)
{
  joint_system *s = (joint_system *)base;
  const lwi_stepper p = {base->m, s, accelerate, project,
                         lwi_work_step_scratch(base->m, base->dynamics->work)};
  return lwi_step(&p, method, t, y, y + s->nq, NULL, dt);
}

/* ---- between steps ---- */

/* Unit quaternions with w >= 0: results begin with them, and the integration is continuous. */
static lw_status begin(lwi_system *base, double t, const double q[], const double u[], double y[])
{
  joint_system *s = (joint_system *)base;
  (void)t;
  if (s->nq > 0) memmove(y, q, (size_t)s->nq * sizeof(double));
  if (s->nu > 0) memmove(y + s->nq, u, (size_t)s->nu * sizeof(double));
  for (int i = 0; i < s->nrotation; i++)
    if (y[s->rotation[i].e] < 0) quaternion_scale(y + s->rotation[i].e, -1);
  return lw_normalize(base->m, y);
}

static lw_status estimate_output(lwi_system *base, double t, double y[], double q[], double u[])
{
  const joint_system *s = (const joint_system *)base;
  (void)t;
  const lw_status status = lw_normalize(base->m, y);
  if (status == LW_OK && q && s->nq > 0) memcpy(q, y, (size_t)s->nq * sizeof(double));
  if (status == LW_OK && u && s->nu > 0) memcpy(u, y + s->nq, (size_t)s->nu * sizeof(double));
  return status;
}

static lw_status project_output(lwi_system *base, double t, double y[], double q[], double u[])
{
  const joint_system *s = (const joint_system *)base;
  lw_status status = lw_normalize(base->m, y);
  if (status == LW_OK) status = base->dynamics->method->project(base->dynamics, t, y, y + s->nq);
  return status == LW_OK ? estimate_output(base, t, y, q, u) : status;
}

static lw_status copy_output(lwi_system *base, const double y[], double q[], double u[])
{
  const joint_system *s = (const joint_system *)base;
  if (s->nq > 0) memcpy(q, y, (size_t)s->nq * sizeof(double));
  if (s->nu > 0) memcpy(u, y + s->nq, (size_t)s->nu * sizeof(double));
  return lw_normalize(base->m, q);
}

static lw_status update_rank(lwi_system *base, double t, double y[], double h)
{
  joint_system *s = (joint_system *)base;
  lw_dynamics *d = base->dynamics;
  if (!base->tied) return LW_OK;
  memcpy(s->shown, y, (size_t)base->n * sizeof(double));
  lw_status status = lw_normalize(base->m, s->shown);
  if (status == LW_OK)
    status = d->method->update_rank(d, t, s->shown, s->shown + s->nq, &base->weakest);
  base->rank_state = s->shown;
  s->base.near_singular = base->weakest < WEAK;
  /* falls slowly: a pull that jumps up would shorten the step; h = 0: integration begins anew */
  s->reach = h > 0 ? fmax(h, 0.95 * s->reach) : 0;
  s->base.stabilization = s->reach > 0 ? 0.01 / s->reach : 0;
  return status;
}

static void set_near_singular(lwi_system *base, bool near_singular)
{
  joint_system *s = (joint_system *)base;
  if (near_singular) {
    s->was_careful = s->base.near_singular;
    s->was_pull = s->base.stabilization;
  }
  s->base.near_singular = near_singular || s->was_careful;
  s->base.stabilization = near_singular ? 0 : s->was_pull;
}

/* ---- make ---- */

static void joint_system_free(lwi_system *base)
{
  joint_system *s = (joint_system *)base;
  if (!s) return;
  lw_dynamics_free(base->dynamics);
  free(s->shown);
  free(s->speeds);
  free(s->position_correction);
  free(s->q);
  free(s->norm);
  free(s->rotation);
  free(s);
}

static bool allocate(joint_system *s)
{
  find_rotations(s); /* counts */
  const size_t nrotation = (size_t)s->nrotation + 1;
  s->rotation = malloc(nrotation * sizeof *s->rotation);
  s->norm = malloc(nrotation * sizeof *s->norm);
  s->q = malloc(((size_t)s->nq + 1) * sizeof *s->q);
  s->position_correction = calloc((size_t)s->nu + 1, sizeof *s->position_correction);
  s->shown = calloc((size_t)s->base.n + 1, sizeof *s->shown);
  s->speeds = calloc(2 * (size_t)s->nu + 1, sizeof *s->speeds);
  if (!s->rotation || !s->norm || !s->q || !s->position_correction || !s->shown || !s->speeds)
    return false;
  s->nrotation = 0;
  find_rotations(s);
  return true;
}

lwi_system *lwi_joint_system_new(const lw_model *m, const lw_simulation_options *options,
                                 lw_error *err)
{
  joint_system *s = calloc(1, sizeof *s);
  if (!s) {
    lwi_fail(err, LW_E_MEMORY, "out of memory");
    return NULL;
  }
  s->nq = lw_nq(m);
  s->nu = lw_nu(m);
  s->base = (lwi_system){.m = m,
                         .n = s->nq + s->nu,
                         .nposition = s->nq,
                         .weakest = 1,
                         .tied = lwi_is_constrained(m),
                         .begin = begin,
                         .project_output = project_output,
                         .estimate_output = estimate_output,
                         .copy_output = copy_output,
                         .rate = rate,
                         .evaluate = evaluate,
                         .step = step,
                         .update_rank = update_rank,
                         .set_near_singular = set_near_singular,
                         .free = joint_system_free};
  s->base.dynamics = lw_dynamics_new(m, options, err);
  if (s->base.dynamics && allocate(s)) return &s->base;
  if (s->base.dynamics) lwi_fail(err, LW_E_MEMORY, "out of memory for %d numbers", s->base.n);
  joint_system_free(&s->base);
  return NULL;
}
