/* SPDX-License-Identifier: Apache-2.0 */
/* singularity.h -- what was passed: the moment within a step across (passage.h) at which constraints
   depend on each other, and how many degrees of freedom there are then.

   The weakest pivot falls with the square of the distance in time, so that the vertex of a parabola
   through three times finds it; the parabola is narrowed until it does not move. */
#ifndef LWI_SIM_SINGULARITY_H
#define LWI_SIM_SINGULARITY_H
#include "linkwork/simulate.h"
#include "sim/passage.h"

typedef struct {
  lw_work *probe;
  double *y, *q, *u;
  int n, capacity;
  lw_singularity *found; /* [n] in the order of time */
} lwi_singularities;

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s);
void lwi_singularities_free(lwi_singularities *x);

/* After lwi_passage_cross: adds what was passed, if freedoms rise there. */
lw_status lwi_singularities_note(lwi_singularities *x, const lwi_passage *p, lwi_system *s);

#endif
