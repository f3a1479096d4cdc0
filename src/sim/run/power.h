/* SPDX-License-Identifier: Apache-2.0 */
/* power.h -- energy of a state, and the power of all that is not in it: motors, applied loads, dampers
   (lw_power) and drivers, each the multiplier of its equation times the rate that it prescribes.  Computed
   apart from the integration, which it must not disturb. */
#ifndef LWI_SIM_RUN_POWER_H
#define LWI_SIM_RUN_POWER_H
#include "sim/formulation/formulation.h"

typedef struct {
  const lw_model *m;
  bool applied, driven;  /* what there is; neither: energy is conserved between events */
  lw_work *work;         /* its own, or that of dynamics */
  lw_dynamics *dynamics; /* of drivers; NULL: there are none */
  double *udot;          /* [nu] */
  double *y;             /* [n] scratch: numbers of a system, ... */
  double *q, *u;         /* [nq + nu] ... a state, ... */
  double *shifted;       /* [nq + nu] ... and one near it */
} lwi_power;

/* n: numbers in y of the system that is integrated. */
lw_status lwi_power_init(lwi_power *p, const lw_model *m, int n,
                         const lw_simulation_options *options, lw_error *err);
void lwi_power_free(lwi_power *p);

static inline bool lwi_power_is_conservative(const lwi_power *p)
{
  return !p->applied && !p->driven;
}
lw_status lwi_power_at(const lwi_power *p, double t, const double q[], const double u[],
                       double *power);
/* Kinetic and potential. */
lw_status lwi_power_energy(const lwi_power *p, const double q[], const double u[],
                           double energy[2]);

#endif
