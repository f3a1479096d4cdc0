/* SPDX-License-Identifier: Apache-2.0 */
/* jump_friction.c -- impacts of contacts with friction. */
#include "sim/events/jump_parts.h"
#include "linalg/cones.h"

#include <math.h>
#include <stdlib.h>

double lwi_impact_friction(const lwi_impact *k)
{
  return k->e->action == LW_ACTION_CONTACT ? k->e->contact.friction : 0;
}

static void note_drag(lwi_jump *j, const lw_event_desc *e, const double x[], int n)
{
  for (int l = 0; l < j->ntouch; l++)
    for (int i = 0; i < n && j->touch[l].e == e; i++)
      j->touch[l].drag[i] += x[i];
}

/* Notes the impulses x of all pushes with their speeds w afterwards: whose friction is at the edge of its cone? */
static lw_status keep_pushes(lwi_jump *j, const lwi_impact all[], int n, const lwi_cone cone[],
                             int ncone, const double x[], const double w[])
{
  int *at = calloc((size_t)n + 1, sizeof *at); /* of normals among those that are kept */
  lw_status status = at ? LW_OK : LW_E_MEMORY;
  for (int i = 0; i < ncone && status == LW_OK; i++) {
    const lwi_cone *k = &cone[i];
    const int normal = k->normal >= 0 ? k->normal : k->first;
    const double s = k->n > 1 ? hypot(w[k->first], w[k->first + 1]) : fabs(w[k->first]);
    at[normal] = k->normal < 0 ? j->ndone : at[normal];
    for (int l = 0; l < k->n && x[normal] > 0 && status == LW_OK; l++) {
      lwi_done_push one = {.hit = all[k->first + l], .normal = at[normal]};
      one.hit.push = x[k->first + l];
      one.hit.active = true;
      one.across = k->normal < 0 ? 0 : l + 1;
      one.slides = k->normal >= 0 && s > 1e-9 * j->speed;
      status = lwi_jump_keep(j, &one);
    }
  }
  free(at);
  return status;
}

/* Rounding errors of speeds along the pushes: of those of bodies, some of rotations. */
static double speed_noise(const lwi_jump *j, const lwi_impact k[], int n)
{
  double arm = 1;
  for (int i = 0; i < n; i++)
    arm = fmin(arm, lwi_unit_push_arm(j->m, &k[i].unit));
  return 1e-13 * j->speed / arm;
}

/* Impulses along the normals k[n] and across those that have friction, as one problem: normal speeds are not below
   their aims, friction is within the cone of the normal impulse, and at its edge against the speed afterwards. */
static lw_status solve_rough(lwi_jump *j, lw_dynamics *d, double t, lwi_impact k[], int n,
                             lwi_impact all[], lwi_cone cone[], double *scratch)
{
  int ncone = n, most = n;
  for (int i = 0; i < n; i++) {
    all[i] = k[i];
    cone[i] = (lwi_cone){.first = i, .n = 1, .normal = -1, .upper = HUGE_VAL};
  }
  for (int i = 0; i < n; i++) {
    lwi_unit_push across[2];
    if (!(lwi_impact_friction(&k[i]) > 0)) continue;
    const int m = lwi_unit_pushes_across(j->m, d->work, k[i].e, across);
    cone[ncone++] =
        (lwi_cone){.first = most, .n = m, .normal = i, .coefficient = lwi_impact_friction(&k[i])};
    for (int l = 0; l < m; l++)
      all[most++] = (lwi_impact){.e = k[i].e, .unit = across[l]};
  }
  const double noise = speed_noise(j, k, n);
  double *A = scratch, *b = A + most * most, *x = b + most, *aim = x + most;
  lw_status status = lwi_jump_momenta(j, d, t, j->p, j->u, NULL);
  if (status == LW_OK) status = lwi_jump_velocities(j, d->work, j->after);
  for (int i = 0; i < most && status == LW_OK; i++)
    b[i] = lwi_jump_normal_speed(d->work, &all[i], j->after) - (aim[i] = all[i].aim);
  if (status == LW_OK) status = lwi_jump_compliance(j, d, t, all, most, A);
  const bool jams = status == LW_OK && !lwi_solve_cones(most, A, b, noise, ncone, cone, x);
  if (jams) {
    /* friction against the slip that would remain is larger than what separates the bodies: they jam */
    for (int i = 0; i < most; i++)
      b[i] += aim[i], aim[i] = all[i].aim = x[i] = 0;
    j->jammed = true;
    if (!lwi_solve_cones(most, A, b, noise, ncone, cone, x)) status = LW_E_NOT_CONVERGED;
  }
  for (int i = 0; i < most && status == LW_OK; i++)
    lwi_jump_push(j, d->work, &all[i], x[i], j->p);
  if (status == LW_OK && j->keeps) {
    for (int i = 0; i < most; i++) { /* the speed afterwards, in the place of the aim */
      aim[i] += b[i];
      for (int l = 0; l < most; l++)
        aim[i] += A[i * most + l] * x[l];
    }
    status = keep_pushes(j, all, most, cone, ncone, x, aim);
  }
  for (int i = 0; i < n && status == LW_OK; i++)
    k[i].push = x[i];
  for (int i = n; i < ncone && status == LW_OK; i++)
    note_drag(j, k[cone[i].normal].e, x + cone[i].first, cone[i].n);
  return status;
}

lw_status lwi_jump_apply_rough(lwi_jump *j, lw_dynamics *d, double t, lwi_impact k[], int n)
{
  const size_t most = 3 * (size_t)n;
  lwi_impact *all = calloc(most, sizeof *all);
  lwi_cone *cone = calloc(most, sizeof *cone);
  double *scratch = calloc(most * most + 3 * most, sizeof *scratch);
  const lw_status status =
      all && cone && scratch ? solve_rough(j, d, t, k, n, all, cone, scratch) : LW_E_MEMORY;
  free(all);
  free(cone);
  free(scratch);
  return status;
}
