/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_system.c -- coordinate partitioning as a system: y holds the independent coordinates of
   bodies, then independent speeds; see cartesian/partition.h.  All constraints hold in every evaluation,
   so that nothing drifts.  When the choice of coordinates has worn out, another one is made between
   steps, and integration begins anew.

   y has room for as many coordinates as were independent at the first choice; there may be fewer later,
   when constraints that depended on others at that place no longer do: the rest of y stays zero. */
#include "base/fail.h"
#include "cartesian/partition.h"
#include "sim/state.h"
#include "sim/system.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_system base;
  lw_cartesian *c; /* of the formulation */
  lwi_partition *partition;
  double *room; /* [3 n] scratch of fixed steps, and a state: [nq + nu] */
  int most;     /* coordinates; the rest of y are speeds */
} cartesian_system;

/* ---- y ---- */

static void write_y(const cartesian_system *s, double y[])
{
  memset(y, 0, (size_t)s->base.n * sizeof(double));
  lwi_partition_read(s->partition, y, y + s->most);
}

static lw_status recover(cartesian_system *s, double t, const double y[])
{
  if (!all_finite(y, s->base.n)) return LW_E_NUMBER;
  return lwi_partition_recover(s->partition, t, y, y + s->most);
}

/* quaternions of q begin with w >= 0, as results do */
static void begin_quaternions(const lw_model *m, double q[])
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info joint = lw_get_joint(m, (lw_joint){j});
    const int e = quaternion_at(&joint);
    if (e >= 0 && q[e] < 0) quaternion_scale(q + e, -1);
  }
}

/* bodies from a state of the tree in which the loops are closed */
static lw_status place_bodies(cartesian_system *s, double t, const double q[], const double u[])
{
  const lw_model *m = s->base.m;
  lw_work *w = s->base.dynamics->work;
  double *own = s->room;
  if (m->nq) memcpy(own, q, (size_t)m->nq * sizeof(double));
  if (m->nu) memcpy(own + m->nq, u, (size_t)m->nu * sizeof(double));
  begin_quaternions(m, own);
  lw_status status = lw_normalize(m, own);
  if (status == LW_OK) status = lw_project(m, w, t, own, own + m->nq);
  if (status == LW_OK) status = lw_kinematics(m, w, own, own + m->nq);
  if (status != LW_OK) return status;
  lwi_cartesian_from_tree(s->c, w, own, own + m->nq);
  lwi_cartesian_targets(s->c, t);
  return lwi_partition_choose(s->partition, t);
}

static lw_status begin(lwi_system *base, double t, const double q[], const double u[], double y[])
{
  cartesian_system *s = (cartesian_system *)base;
  const lw_status status = place_bodies(s, t, q, u);
  if (status == LW_OK) write_y(s, y);
  return status;
}

static lw_status show(lwi_system *base, double t, double y[], double q[], double u[])
{
  cartesian_system *s = (cartesian_system *)base;
  const lw_model *m = base->m;
  const lw_status status = recover(s, t, y);
  if (status != LW_OK) return status;
  if (q && m->nq > 0) memcpy(q, s->c->q, (size_t)m->nq * sizeof(double));
  if (u && m->nu > 0) memcpy(u, s->c->u, (size_t)m->nu * sizeof(double));
  return lw_kinematics(m, base->dynamics->work, s->c->q, s->c->u);
}

static lw_status rate(lwi_system *base, double t, const double y[], double f[])
{
  cartesian_system *s = (cartesian_system *)base;
  lw_status status = recover(s, t, y);
  if (status == LW_OK) status = lwi_cartesian_accelerate(s->c, base->dynamics->work, t);
  if (status != LW_OK) return status;
  memset(f, 0, (size_t)base->n * sizeof(double));
  lwi_partition_rates(s->partition, f);
  lwi_partition_accelerations(s->partition, f + s->most);
  return LW_OK;
}

/* ---- fixed steps ---- */

static lw_status step_euler(cartesian_system *s, double t, double y[], double dt)
{
  double *f = s->room;
  lw_status status = rate(&s->base, t, y, f);
  for (int i = s->most; i < s->base.n && status == LW_OK; i++)
    y[i] += dt * f[i];
  if (status == LW_OK) status = recover(s, t, y); /* all speeds from the new ones */
  if (status == LW_OK) lwi_partition_rates(s->partition, f);
  for (int i = 0; i < s->most && status == LW_OK; i++)
    y[i] += dt * f[i];
  return status;
}

static lw_status step_rk4(cartesian_system *s, double t, double y[], double dt)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const int n = s->base.n;
  double *f = s->room, *stage = f + n, *sum = stage + n;
  memset(sum, 0, (size_t)n * sizeof(double));
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < n; i++)
      stage[i] = y[i] + (k > 0 ? at[k] * dt * f[i] : 0);
    const lw_status status = rate(&s->base, t + at[k] * dt, stage, f);
    if (status != LW_OK) return status;
    for (int i = 0; i < n; i++)
      sum[i] += share[k] * dt * f[i];
  }
  for (int i = 0; i < n; i++)
    y[i] += sum[i];
  return LW_OK;
}

static lw_status step(lwi_system *base, lw_integrator method, double t, double y[], double dt)
{
  cartesian_system *s = (cartesian_system *)base;
  return method == LW_INTEGRATOR_EULER ? step_euler(s, t, y, dt) : step_rk4(s, t, y, dt);
}

/* ---- between steps ---- */

/* Do equations that depended on the others at the last choice contradict them here? */
static bool has_missing_rows(const cartesian_system *s)
{
  const lwi_partition *p = s->partition;
  for (int i = 0; i < s->c->nrow; i++)
    if (!lwi_pivoted_is_kept(p->position.lu, i) &&
        !(fabs(s->c->phi[i]) * p->position.row_weight[i] < 1e-9 * p->arm))
      return true;
  return false;
}

static lw_status settle(lwi_system *base, double t, double y[], double h)
{
  cartesian_system *s = (cartesian_system *)base;
  (void)h;
  const lw_status status = recover(s, t, y);
  if (status != LW_OK) return status;
  lwi_partition_follow(s->partition);
  lwi_cartesian_rows(s->c);
  lwi_partition_inspect(s->partition);
  base->worn = lwi_partition_is_worn(s->partition) || has_missing_rows(s);
  return LW_OK;
}

static lw_status renew(lwi_system *base, double t, double y[])
{
  cartesian_system *s = (cartesian_system *)base;
  lw_status status = recover(s, t, y);
  if (status == LW_OK) status = lwi_partition_choose(s->partition, t);
  if (status == LW_OK) write_y(s, y);
  return status;
}

static void be_careful(lwi_system *base, bool careful)
{
  (void)base, (void)careful;
}

/* ---- make ---- */

static void system_free(lwi_system *base)
{
  cartesian_system *s = (cartesian_system *)base;
  if (!s) return;
  lwi_partition_free(s->partition);
  lw_dynamics_free(base->dynamics);
  free(s->room);
  free(s);
}

/* How many coordinates are independent is seen where the loops are closed. */
static lw_status count_freedoms(cartesian_system *s, lw_error *err)
{
  const lw_model *m = s->base.m;
  double *q = s->room + m->nq + m->nu, *u = q + m->nq;
  lw_initial_state(m, q, u);
  lw_status status = lw_assemble(m, s->base.dynamics->work, m->start, q, u, err);
  if (status != LW_OK) return status;
  status = place_bodies(s, m->start, q, u);
  if (status != LW_OK)
    return lwi_fail(err, status, "coordinate partitioning: %s", lw_status_text(status));
  s->most = s->partition->position.most;
  s->base.n = s->most + s->partition->speed->most;
  s->base.nposition = s->most;
  return LW_OK;
}

lwi_system *lwi_cartesian_system_new(const lw_model *m, const lw_simulation_options *options,
                                     lw_error *err)
{
  cartesian_system *s = calloc(1, sizeof *s);
  if (!s) {
    lwi_fail(err, LW_E_MEMORY, "out of memory");
    return NULL;
  }
  s->base = (lwi_system){.m = m,
                         .weakest = 1,
                         .tied = true,
                         .begin = begin,
                         .show = show,
                         .rate = rate,
                         .step = step,
                         .settle = settle,
                         .renew = renew,
                         .be_careful = be_careful,
                         .free = system_free};
  s->base.dynamics = lw_dynamics_new(m, options, err);
  if (s->base.dynamics) {
    s->c = s->base.dynamics->own;
    s->partition = lwi_partition_new(s->c, false);
    s->room = calloc((size_t)(6 * (m->nq + m->nu)) + 1, sizeof *s->room);
    if (!s->partition || !s->room)
      lwi_fail(err, LW_E_MEMORY, "out of memory");
    else if (count_freedoms(s, err) == LW_OK)
      return &s->base;
  }
  system_free(&s->base);
  return NULL;
}
