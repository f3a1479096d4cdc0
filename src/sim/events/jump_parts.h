/* SPDX-License-Identifier: Apache-2.0 */
/* jump_parts.h -- what jump.c and jump_friction.c share. */
#ifndef LWI_SIM_EVENTS_JUMP_PARTS_H
#define LWI_SIM_EVENTS_JUMP_PARTS_H
#include "sim/events/jump.h"

/* Speeds from momenta on the links; leaves kinematics in d's work. */
lw_status lwi_jump_momenta(lwi_jump *j, lw_dynamics *d, double t, double (*p)[6], double u[],
                           lwi_impulses *out);
/* Velocities of all bodies, from the work; the speed of an impact with them. */
lw_status lwi_jump_velocities(const lwi_jump *j, const lw_work *w, double (*V)[6]);
double lwi_jump_normal_speed(const lw_work *w, const lwi_impact *k, double (*V)[6]);
/* Adds an impulse of this size to momenta p, with its drag. */
void lwi_jump_push(const lwi_jump *j, const lw_work *w, const lwi_impact *k, double size,
                   double (*p)[6]);

/* Notes an impulse of the present round, if they are wanted. */
lw_status lwi_jump_keep(lwi_jump *j, const lwi_done_push *one);

/* jump_friction.c: Coulomb's coefficient of an impact; adds the impulses of impacts k[n], some of which
   have friction, to the momenta. */
double lwi_impact_friction(const lwi_impact *k);
lw_status lwi_jump_apply_rough(lwi_jump *j, lw_dynamics *d, double t, lwi_impact k[], int n);

#endif
