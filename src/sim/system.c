/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/system.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

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
  s->work = lw_work_new(m);
  if (!s->rotation || !s->norm || !s->q || !s->work) return LW_E_MEMORY;

  s->nrotation = 0;
  find_rotations(s);
  return LW_OK;
}

void lwi_system_free(lwi_system *s)
{
  lw_work_free(s->work);
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

lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[])
{
  const double *u = y + s->nq;
  lw_status status = split_lengths(s, y) ? LW_OK : LW_E_NUMBER;
  if (status == LW_OK) status = lw_forward_dynamics(s->m, s->work, t, s->q, u, NULL, f + s->nq);
  s->evaluations++;

  if (status == LW_OK) {
    lw_coordinate_rates(s->m, s->q, u, f);
    pull_lengths(s, u, f);
    if (!all_finite(f, s->nq + s->nu)) status = LW_E_NUMBER;
  }
  if (status != LW_OK) {
    s->failure = status;
    s->failures++;
  }
  return status;
}
