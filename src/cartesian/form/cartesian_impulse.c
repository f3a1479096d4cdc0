/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_impulse.c -- the jump of speeds at an event, in Cartesian form: the projection of the
   speeds onto those that the constraints allow, in the metric of the masses.  The same linear
   system as for accelerations, with M V- as force and nu as right side:  M V+ + Phi^T p = M V-,
   Phi V+ = nu. */
#include "cartesian/form/cartesian.h"
#include "tree/loops/tree_impulse.h"
#include "tree/loops/work.h"

lw_status lwi_cartesian_solve_response(lw_cartesian *c, double momenta[])
{
  const size_t n = lwi_cartesian_speeds(c);
  double *force = c->force, *gamma = c->gamma;
  c->solved = c->loaded = false;
  c->force = momenta;
  c->gamma = c->nu;
  const lw_status status = lwi_cartesian_solve(c);
  c->force = force;
  c->gamma = gamma;
  for (size_t i = 0; i < n && status == LW_OK; i++)
    if (!isfinite(c->a[i])) return LW_E_NUMBER;
  return status;
}

lw_status lwi_cartesian_impulse(lw_cartesian *c, const double before[], double after[],
                                double impulse[])
{
  const size_t n = lwi_cartesian_speeds(c);
  lwi_cartesian_mass_multiply(c, before, c->scratch[4]);
  const lw_status status = lwi_cartesian_solve_response(c, c->scratch[4]);
  if (status != LW_OK) return status;
  if (n) memmove(after, c->a, n * sizeof(double));
  for (int i = 0; i < c->nrow && impulse; i++)
    impulse[i] = -c->lambda[i];
  return LW_OK;
}

/* the state at rest, with rows, rates that drivers impose, and masses */
static lw_status place_at_rest(lw_cartesian *c, lw_work *w, double t, const double q[])
{
  double *zero_speed = w->in;
  for (int i = 0; i < c->m->nu; i++)
    zero_speed[i] = 0;
  const lw_status status = lw_kinematics(w, q, zero_speed);
  if (status != LW_OK) return status;
  lwi_cartesian_from_tree(c, w, q, zero_speed);
  lwi_cartesian_place(c);
  lwi_cartesian_join_origins(c);
  lwi_cartesian_targets(c, t);
  lwi_cartesian_rows(c);
  lwi_cartesian_rates(c);
  lwi_cartesian_masses(c);
  return LW_OK;
}

lw_status lwi_cartesian_jump(lw_cartesian *c, lw_work *w, double t, const double q[],
                             double (*p)[6], double u[])
{
  const lw_model *m = c->m;
  double *momenta = c->scratch[4], own[6];
  lw_status status = place_at_rest(c, w, t, q);
  if (status != LW_OK) return status;
  for (int b = 1; b <= c->nbody; b++) {
    const int link = c->body[b].link;
    lwi_load_from_link(m, w, link, c->state[b].X.p, p[link], own);
    lwi_pick(c, own, momenta + (size_t)((b - 1) * c->width));
  }
  status = lwi_cartesian_solve_response(c, momenta);
  if (status != LW_OK) return status;
  for (int b = 1; b <= c->nbody; b++)
    lwi_spread(c, c->a + (size_t)((b - 1) * c->width), c->state[b].V);
  lwi_cartesian_place(c);
  lwi_cartesian_join_origins(c);
  lwi_cartesian_joint_states(c);
  for (int i = 1; i < m->nlink; i++)
    for (int k = 0; k < m->link[i].nu; k++)
      u[m->link[i].u + k] =
          k < m->link[i].inertialess || lwi_is_locked(&m->link[i], k) ? 0 : c->u[m->link[i].u + k];
  c->solved = true;
  return LW_OK;
}
