/* SPDX-License-Identifier: Apache-2.0 */
/* power.h -- the energy of a state, and the power of everything that is not part of it: motors,
   applied loads, dampers (lw_power), and drivers, whose power is the multiplier times the
   prescribed rate. Computed separately from the integration, which must not be disturbed. */
#ifndef LWI_SIM_RUN_POWER_H
#define LWI_SIM_RUN_POWER_H
#include "sim/formulation/formulation.h"

typedef struct {
  const lw_model *m;
  bool applied,
      driven;    /* present in the model; if neither is, energy is conserved between events */
  lw_work *work; /* its own, or that of dynamics */
  lw_dynamics *dynamics; /* for drivers; NULL: none */
  double *udot;          /* [nu] */
  double *y;             /* [n] scratch: y of a system */
  double *q, *u;         /* [nq + nu] a state */
  double *shifted;       /* [nq + nu] a shifted state */
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
/* Kinetic and potential energy. */
lw_status lwi_power_energy(const lwi_power *p, const double q[], const double u[],
                           double energy[2]);

#endif
