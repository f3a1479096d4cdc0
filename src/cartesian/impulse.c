/* SPDX-License-Identifier: Apache-2.0 */
/* impulse.c -- the jump of speeds at an event, in Cartesian form: the projection of the speeds onto those
   that the constraints allow, in the metric of the masses.  The same linear system as for accelerations,
   with M V- as force and nu as right side:  M V+ + Phi' p = M V-,  Phi V+ = nu. */
#include "cartesian/cartesian.h"

lw_status lwi_cartesian_respond(lw_cartesian *c, double momenta[])
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
  lwi_cartesian_mass_multiply(c, before, c->room[4]);
  const lw_status status = lwi_cartesian_respond(c, c->room[4]);
  if (status != LW_OK) return status;
  if (n) memmove(after, c->a, n * sizeof(double));
  for (int i = 0; i < c->nrow && impulse; i++)
    impulse[i] = -c->lambda[i];
  return LW_OK;
}
