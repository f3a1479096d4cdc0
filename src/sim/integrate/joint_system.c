/* SPDX-License-Identifier: Apache-2.0 */
/* joint_system.c -- coordinates and speeds of the spanning tree as a system of first order: y = (q,
   u).  A dot is the derivative by time.

   Quaternions.  y holds each one as four free numbers; its length n = |e| has no meaning.  The
   right-hand side uses e/n, and its rate is

       edot = 1/2 e o w + |w| (1 - n^2) e

   The first term rotates e and leaves n unchanged.  The second is along e and returns n to 1.  The
   rate of the direction, d(e/n)/dt = 1/2 (e/n) o w, contains neither n nor this term, so that it
   cannot influence the motion: the order of a method and its error per step are those of the
   motion.  The correction has the time scale of the rotation itself, so that it never limits the
   step; a constant rate would make slow rotations stiff.

   Closed loops.  y holds all coordinates of the spanning tree; integration errors take it off the
   constraints phi(q) = 0, G u = nu.  The right-hand side corrects it along the shortest direction
   in the metric of the mass matrix,

       qdot = u - k M^-1 G^T W^-1 phi,   udot = f(q, u) - k M^-1 G^T W^-1 (G u - nu),
       W = G M^-1 G^T

   These are directions in which the motion has no freedom, so that its order and error are again
   those of the motion.  The stabilization rate k is a small part of the inverse step, which the
   formulation chooses (a hundredth, say: then the constraint residual stays at a hundred times the
   error of one step).
   Results are projected: docs/decisions/009-drift.md.

   Near configurations where constraints become dependent, W^-1 amplifies the residual; there the
   right-hand side is that of the projected state. */
#include "base/fail.h"
#include "model/model.h"
#include "sim/formulation/state.h"
#include "sim/integrate/step.h"
#include "sim/integrate/system.h"
#include "tree/loops/work.h"

#include <stdlib.h>
#include <string.h>

static const double WEAK = 0.1; /* pivots of constraints below this are nearly dependent */

typedef struct {
  int e, w; /* index in q of a quaternion, index in u of its angular velocity */
} rotation;

typedef struct {
  lwi_system base;
  int nq, nu, nrotation;
  rotation *rotation; /* [nrotation] */
  double *q;          /* [nq] with unit quaternions */
  double *norm;       /* [nrotation] lengths of the quaternions in y */
  double step_size;   /* step size that the stabilization rate is derived from; 0 at the start */
  double *position_correction; /* [nu] added to the speeds that move q */
  double *projected;           /* [nq + nu] a projected state */
  double *seen; /* [n + nu] y of the last evaluation, whose coordinates are in q, and its udot */
  lwi_evaluation last;
  bool begun;               /* a fixed step that begins where that was */
  bool was_near_singular;   /* near_singular and ... */
  double was_stabilization; /* ... stabilization before the present crossing */
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

/* Copies q with unit quaternions to s->q and their lengths to s->norm. */
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

/* Converts rates of unit quaternions to those of the quaternions in y, see above. */
static void correct_lengths(const joint_system *s, const double u[], double f[])
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

/* Rates of states, where the dynamics have just been evaluated. */
static void state_rates(const joint_system *s, double f[])
{
  const lw_model *m = s->base.m;
  const lw_work *w = s->base.dynamics->work;
  if (m->nstate) w->kernels->state_rates(m, w->tree, f + lwi_first_state(m));
}

/* At the state y itself, with the correction to the constraints. */
static lw_status stabilized_rates(joint_system *s, double t, const double u[], double f[])
{
  lw_dynamics *d = s->base.dynamics;
  const bool constrained = s->base.updates_rank;
  const lw_status status = constrained
                               ? lwi_dynamics_stabilized(d, t, s->q, u, s->base.stabilization,
                                                         f + s->nq, s->position_correction)
                               : lw_dynamics_accelerate(d, t, s->q, u, NULL, f + s->nq);
  if (status != LW_OK) return status;
  for (int i = 0; i < s->nu && constrained; i++)
    s->position_correction[i] += u[i];
  lw_coordinate_rates(s->base.m, s->q, constrained ? s->position_correction : u, f);
  state_rates(s, f);
  return LW_OK;
}

/* f = f(projected y) + k (projected y - y) */
static lw_status projected_rates(joint_system *s, double t, const double u[], double f[])
{
  lw_dynamics *d = s->base.dynamics;
  double *q = s->projected, *v = s->projected + s->nq, *udot = f + s->nq;
  memcpy(q, s->q, (size_t)s->nq * sizeof(double));
  memcpy(v, u, (size_t)s->nu * sizeof(double));
  lw_status status = d->method->project(d, t, q, v);
  if (status == LW_OK)
    status = lwi_dynamics_stabilized(d, t, q, v, 0, udot, s->position_correction);
  if (status != LW_OK) return status;
  lw_coordinate_rates(s->base.m, q, v, f);
  state_rates(s, f);
  for (int i = 0; i < s->nq; i++)
    f[i] += s->base.stabilization * (q[i] - s->q[i]);
  for (int i = 0; i < s->nu; i++)
    udot[i] += s->base.stabilization * (v[i] - u[i]);
  return LW_OK;
}

/* Keeps the evaluation.  Near singular configurations the work holds the projected state. */
static void note_evaluation(joint_system *s, double t, const double y[], const double udot[],
                            bool stabilized)
{
  double *u = s->seen + s->nq, *rates = u + s->nu;
  if (s->base.n > 0) memcpy(s->seen, y, (size_t)s->base.n * sizeof(double));
  if (s->nu > 0) memcpy(rates, udot, (size_t)s->nu * sizeof(double));
  s->last = (lwi_evaluation){t, s->seen, s->q, u, rates, stabilized};
  s->base.last = &s->last;
}

static lw_status rate(lwi_system *base, double t, const double y[], double f[])
{
  joint_system *s = (joint_system *)base;
  const double *u = y + s->nq;
  base->last = NULL;
  if (!split_lengths(s, y)) return LW_E_NUMBER;
  const lw_status status =
      s->base.near_singular ? projected_rates(s, t, u, f) : stabilized_rates(s, t, u, f);
  if (status == LW_OK) note_evaluation(s, t, y, f + s->nq, base->updates_rank);
  if (status == LW_OK) correct_lengths(s, u, f);
  return status;
}

/* ---- fixed steps ---- */

/* The first stage may have been evaluated at the end of the previous step. */
static lw_status accelerate(void *context, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  joint_system *s = context;
  if (lwi_system_stops(&s->base, t)) return LW_E_STOPPED;
  const bool known = s->begun;
  s->begun = false;
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

/* y stays where it is until the step: fixed.c. */
static lw_status evaluate(lwi_system *base, double t, const double y[])
{
  joint_system *s = (joint_system *)base;
  double *udot = s->seen + base->n;
  const double *q = y, *u = y + s->nq;
  lw_status status = LW_OK;
  base->last = NULL;
  if (s->nrotation > 0) {
    memcpy(s->q, y, (size_t)s->nq * sizeof(double));
    status = lw_normalize(base->m, s->q);
    q = s->q;
  }
  if (status == LW_OK) status = lw_dynamics_accelerate(base->dynamics, t, q, u, NULL, udot);
  if (status != LW_OK) return status;
  s->last = (lwi_evaluation){t, y, q, u, udot, false};
  base->last = &s->last;
  return LW_OK;
}

static lw_status step(lwi_system *base, lw_integrator method, double t, double y[], double dt)
{
  joint_system *s = (joint_system *)base;
  s->begun = base->last && base->last->y == y && base->last->t == t;
  const lwi_stepper p = {base->m,
                         s,
                         accelerate,
                         project,
                         base->dynamics->work,
                         lwi_work_step_scratch(base->m, base->dynamics->work)};
  return lwi_step(&p, method, t, y, y + s->nq, NULL, dt);
}

/* ---- between steps ---- */

/* Normalises quaternions and chooses the sign with w >= 0 as the first one; the integration is
   continuous from there. */
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
  return s->nrotation > 0 ? lw_normalize(base->m, q) : LW_OK;
}

static lw_status update_rank(lwi_system *base, double t, double y[], double h)
{
  joint_system *s = (joint_system *)base;
  lw_dynamics *d = base->dynamics;
  if (!base->updates_rank) return LW_OK;
  memcpy(s->projected, y, (size_t)base->n * sizeof(double));
  lw_status status = lw_normalize(base->m, s->projected);
  if (status == LW_OK)
    status = d->method->update_rank(d, t, s->projected, s->projected + s->nq, &base->weakest);
  base->rank_state = s->projected;
  s->base.near_singular = base->weakest < WEAK;
  /* decreases slowly, since a stabilization that jumps up would shorten the step; h = 0: restart */
  s->step_size = h > 0 ? fmax(h, 0.95 * s->step_size) : 0;
  s->base.stabilization = s->step_size > 0 ? d->method->decay / s->step_size : 0;
  return status;
}

static void set_near_singular(lwi_system *base, bool near_singular)
{
  joint_system *s = (joint_system *)base;
  if (near_singular) {
    s->was_near_singular = s->base.near_singular;
    s->was_stabilization = s->base.stabilization;
  }
  s->base.near_singular = near_singular || s->was_near_singular;
  s->base.stabilization = near_singular ? 0 : s->was_stabilization;
}

/* ---- make ---- */

static void joint_system_free(lwi_system *base)
{
  joint_system *s = (joint_system *)base;
  if (!s) return;
  lw_dynamics_free(base->dynamics);
  free(s->projected);
  free(s->seen);
  free(s->position_correction);
  free(s->q);
  free(s->norm);
  free(s->rotation);
  free(s);
}

static bool allocate(joint_system *s)
{
  find_rotations(s); /* only counts */
  const size_t nrotation = (size_t)s->nrotation + 1;
  s->rotation = malloc(nrotation * sizeof *s->rotation);
  s->norm = malloc(nrotation * sizeof *s->norm);
  s->q = malloc(((size_t)s->nq + 1) * sizeof *s->q);
  s->position_correction = calloc((size_t)s->nu + 1, sizeof *s->position_correction);
  s->projected = calloc((size_t)s->base.n + 1, sizeof *s->projected);
  s->seen = calloc((size_t)(s->base.n + s->nu) + 1, sizeof *s->seen);
  if (!s->rotation || !s->norm || !s->q || !s->position_correction || !s->projected || !s->seen)
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
    lwi_out_of_memory(err, NULL);
    return NULL;
  }
  s->nq = lw_nq(m);
  s->nu = lw_nu(m);
  s->base = (lwi_system){.m = m,
                         .n = s->nq + s->nu,
                         .nposition = s->nq,
                         .weakest = 1,
                         .updates_rank = lwi_is_constrained(m),
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
