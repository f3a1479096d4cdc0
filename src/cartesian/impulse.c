/* SPDX-License-Identifier: Apache-2.0 */
/* impulse.c -- the jump of speeds at an event, in Cartesian form: the projection of the speeds onto those
   that the constraints allow, in the metric of the masses.  The same linear system as for accelerations,
   with M V- as force and nu as right side:  M V+ + Phi' p = M V-,  Phi V+ = nu. */
#include "cartesian/cartesian.h"

lw_status lwi_cartesian_impulse(lw_cartesian *c, const double before[], double after[],
                                double impulse[])
{
  const size_t n = lwi_cartesian_speeds(c);
  double *force = c->room[4], *a = c->a, *lambda = c->lambda, *gamma = c->gamma;
  double *own = c->force;
  c->solved = false;
  lwi_cartesian_mass_multiply(c, before, force);
  c->force = force;
  c->gamma = c->nu;
  lw_status status = lwi_cartesian_solve(c);
  c->force = own;
  c->gamma = gamma;
  if (status != LW_OK) return status;
  for (size_t i = 0; i < n; i++)
    if (!isfinite(a[i])) return LW_E_NUMBER;
  if (n) memmove(after, a, n * sizeof(double));
  for (int i = 0; i < c->nrow && impulse; i++)
    impulse[i] = -lambda[i];
  return LW_OK;
}
