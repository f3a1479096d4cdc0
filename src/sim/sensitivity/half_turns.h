/* SPDX-License-Identifier: Apache-2.0 */
/* half_turns.h -- bushings whose bodies turn by half a turn relative to each other: the rotation
   vector, and with it the torque, changes its sign there.  Derivatives would have to jump; the run
   of derivatives ends. */
#ifndef LWI_SIM_SENSITIVITY_HALF_TURNS_H
#define LWI_SIM_SENSITIVITY_HALF_TURNS_H
#include "sim/run/simulation_data.h"

typedef struct {
  const lw_model *m; /* whose rotation vectors these are */
  lw_work *w;
  bool *matters; /* [nbushing] does anything depend on its rotation vector? */
  double *phi;   /* [nbushing][3] at the last step */
} lwi_half_turns;

/* After a step to t.  *bushing: the one that has turned so far, from 0; -1: none. */
lw_status lwi_half_turns_look(lwi_half_turns *x, lw_simulation *sim, double t, int *bushing);
void lwi_half_turns_close(lwi_half_turns *x);

#endif
