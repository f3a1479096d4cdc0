/* SPDX-License-Identifier: Apache-2.0 */
/* own_bounds.h -- bounds of friction that follow from the load of its own joint, while it is
   decided who gives way. */
#ifndef LWI_SIM_RUN_OWN_BOUNDS_H
#define LWI_SIM_RUN_OWN_BOUNDS_H
#include "sim/events/contacts.h"

typedef struct {
  int n, nown;    /* loads x of the problem, bearings */
  int *item;      /* [nown] the frictions among the contacts */
  double (*R)[6]; /* [nown][n] loads of their joints by unit loads x */
} lwi_own_bounds;

/* Are the loads of all joints with such friction unique at the start?  Redundant constraints leave
   them open. */
lw_status lwi_bearings_check(const lw_model *m, lw_error *err);
/* What the bearings carry, after the loads of d were found. */
void lwi_contacts_find_bearings(lwi_contacts *c, const lw_dynamics *d);

/* The response of the bearings to the pushes k[n] of the problem, in the model of the jump, which
   is that of d. */
lw_status lwi_own_bounds_open(lwi_own_bounds *b, const lwi_contacts *c, const lwi_jump *free,
                              lw_dynamics *d, double t, const lwi_impact k[], int n);
void lwi_own_bounds_close(lwi_own_bounds *b);
/* What they carry if the loads L with all held are x instead.  Returns the largest change of a
   bound, relative to the bound. */
double lwi_own_bounds_update(const lwi_own_bounds *b, lwi_contacts *c, const double L[],
                             const double x[]);

#endif
