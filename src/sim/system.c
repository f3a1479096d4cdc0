/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/system.h"
#include "sim/state.h"
#include "tree/closure.h"
#include "tree/work.h"

#include <stdlib.h>
#include <string.h>

static const double WEAK = 0.1; /* pivots of constraints, below which they are nearly dependent */

static void find_rotations(lwi_system *s)
{
  for (int j = 1; j <= lw_njoint(s->m); j++) {
    const lw_joint_info joint = lw_get_joint(s->m, (lw_joint){j});
    const int e = quaternion_at(&joint);
    if (e < 0) continue;
    if (s->rotation) s->rotation[s->nrotation] = (lwi_rotation){e, joint.u};
    s->nrotation++;
  }
}

lw_status lwi_system_init(lwi_system *s, const lw_model *m)
{
  *s = (lwi_system){.m = m, .nq = lw_nq(m), .nu = lw_nu(m)};

  find_rotations(s); /* counts */
  const size_t nrotation = (size_t)s->nrotation + 1;
  s->rotation = malloc(nrotation * sizeof *s->rotation);
  s->norm = malloc(nrotation * sizeof *s->norm);
  s->q = malloc(((size_t)s->nq + 1) * sizeof *s->q);
  s->slide = calloc((size_t)s->nu + 1, sizeof *s->slide);
  s->shown = calloc((size_t)(s->nq + s->nu) + 1, sizeof *s->shown);
  s->work = lw_work_new(m);
  if (!s->rotation || !s->norm || !s->q || !s->slide || !s->shown || !s->work) return LW_E_MEMORY;

  s->nrotation = 0;
  find_rotations(s);
  return LW_OK;
}

void lwi_system_free(lwi_system *s)
{
  lw_work_free(s->work);
  free(s->shown);
  free(s->slide);
  free(s->q);
  free(s->norm);
  free(s->rotation);
  *s = (lwi_system){0};
}

/* q with unit quaternions into s->q, their lengths into s->norm. */
static bool split_lengths(lwi_system *s, const double q[])
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

/* Rates of unit quaternions into those of the quaternions in y: see system.h. */
static void pull_lengths(const lwi_system *s, const double u[], double f[])
{
  for (int i = 0; i < s->nrotation; i++) {
    const double *w = u + s->rotation[i].w, *unit = s->q + s->rotation[i].e;
    const double n = s->norm[i];
    const double pull = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) * (1 - n * n);
    double *rate = f + s->rotation[i].e;
    for (int k = 0; k < 4; k++)
      rate[k] = n * (rate[k] + pull * unit[k]);
  }
}

/* u' into f + nq and the speeds that move q into s->slide, for loops that are not quite closed */
static lw_status tied_rates(lwi_system *s, double t, const double u[], double udot[])
{
  if (!all_finite(s->q, s->nq) || !all_finite(u, s->nu)) return LW_E_NUMBER;
  if (!lwi_closure_pulled(s->m, s->work, t, s->q, u, s->pull, udot, s->slide)) return LW_E_SINGULAR;
  for (int i = 0; i < s->nu; i++)
    s->slide[i] += u[i];
  return LW_OK;
}

/* f = f(projected y) + k (projected y - y) */
static lw_status careful_rates(lwi_system *s, double t, const double u[], double f[])
{
  double *q = s->shown, *v = s->shown + s->nq, *udot = f + s->nq;
  memcpy(q, s->q, (size_t)s->nq * sizeof(double));
  memcpy(v, u, (size_t)s->nu * sizeof(double));
  const lw_status status = lw_project(s->m, s->work, t, q, v);
  if (status != LW_OK) return status;
  if (!lwi_closure_pulled(s->m, s->work, t, q, v, 0, udot, s->slide)) return LW_E_SINGULAR;
  lw_coordinate_rates(s->m, q, v, f);
  for (int i = 0; i < s->nq; i++)
    f[i] += s->pull * (q[i] - s->q[i]);
  for (int i = 0; i < s->nu; i++)
    udot[i] += s->pull * (v[i] - u[i]);
  return LW_OK;
}

/* f for unit quaternions */
static lw_status find_rates(lwi_system *s, double t, const double u[], double f[])
{
  if (s->careful) return careful_rates(s, t, u, f);
  const bool tied = s->work->closure;
  const lw_status status = tied ? tied_rates(s, t, u, f + s->nq)
                                : lw_forward_dynamics(s->m, s->work, t, s->q, u, NULL, f + s->nq);
  if (status == LW_OK) lw_coordinate_rates(s->m, s->q, tied ? s->slide : u, f);
  return status;
}

lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[])
{
  const double *u = y + s->nq;
  lw_status status = split_lengths(s, y) ? LW_OK : LW_E_NUMBER;
  if (status == LW_OK) status = find_rates(s, t, u, f);
  s->evaluations++;

  if (status == LW_OK) {
    pull_lengths(s, u, f);
    if (!all_finite(f, s->nq + s->nu)) status = LW_E_NUMBER;
  }
  if (status != LW_OK) {
    s->failure = status;
    s->failures++;
  }
  return status;
}

lw_status lwi_system_show(lwi_system *s, double t, double y[])
{
  const lw_status status = lw_normalize(s->m, y);
  return status == LW_OK ? lw_project(s->m, s->work, t, y, y + s->nq) : status;
}

lw_status lwi_system_settle(lwi_system *s, double t, const double y[], double h)
{
  lwi_closure *c = s->work->closure;
  if (!c) return LW_OK;
  memcpy(s->shown, y, (size_t)(s->nq + s->nu) * sizeof(double));
  c->hold_rank = false;
  const lw_status status = lwi_system_show(s, t, s->shown);
  c->hold_rank = c->keep_rank = true;
  s->weakest = c->rank.weakest;
  s->careful = s->weakest < WEAK;
  s->reach =
      fmax(h, 0.95 * s->reach); /* falls slowly: a pull that jumps up would shorten the step */
  s->pull = s->reach > 0 ? 0.01 / s->reach : 0;
  return status;
}
