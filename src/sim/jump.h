/* SPDX-License-Identifier: Apache-2.0 */
/* jump.h -- velocities across an event: the M-orthogonal projection of those before it, and of applied
   impulses, on the velocities that the mechanism allows afterwards; impacts are one-sided conditions on
   it.  docs/theory/events.md. */
#ifndef LWI_SIM_JUMP_H
#define LWI_SIM_JUMP_H
#include "sim/formulation.h"

/* Room and results of one event; arrays are one block. */
typedef struct {
  const lw_model *m; /* afterwards */
  double *q, *u;     /* [nq], [nu] the state afterwards */
  double (*V)[6];    /* [nbody + 1] before, of the bodies' origins */
  double (*after)[6];
  double (*p)[6]; /* [nlink] momenta and applied impulses about the links' origins */
  double (*room)[6];
  double *other; /* [nu] */
  lwi_impulses impulses;
  void *block;

  double kinetic_before, kinetic_after;
  double jump_energy;                           /* 1/2 dV' M dV */
  double momentum_before[6], momentum_after[6]; /* [angular about the ground origin; linear] */
} lwi_jump;

bool lwi_jump_init(lwi_jump *j, const lw_model *m);
void lwi_jump_free(lwi_jump *j);

/* In: q, V.  Of the events impulses and impacts count.  Leaves kinematics of the state in d's work. */
lw_status lwi_jump_solve(lwi_jump *j, lw_dynamics *d, double t, const lwi_event *const event[],
                         int nevent);

#endif
