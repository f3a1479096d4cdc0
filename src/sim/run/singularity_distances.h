/* SPDX-License-Identifier: Apache-2.0 */
/* singularity_distances.h -- inside of singularity.h: distances of the parts of a mechanism from
   singular configurations at states of the last step. */
#ifndef LWI_SIM_RUN_SINGULARITY_DISTANCES_H
#define LWI_SIM_RUN_SINGULARITY_DISTANCES_H
#include "sim/run/singularity.h"

void lwi_distances_copy(const lwi_singularities *x, const lwi_distances *from, lwi_distances *to);
lwi_distance lwi_distance_of(const lwi_distances *x, int part);

/* A state at which the constraints hold; later ranks are decided as there. */
void lwi_singularities_measure_state(lwi_singularities *x, const lw_model *m, const double q[],
                                     const double u[], lwi_distances *out);
/* The state at t as it was integrated: projection is not defined at singular configurations.  False: it is not
   available. */
bool lwi_singularities_measure_at(struct lw_simulation *sim, double t, lwi_distances *out);
/* x->there: ranks of the parts at y or at the nearest state, whichever is less: off the constraints,
   redundant rows seem independent.  there: r that counts as zero. */
void lwi_singularities_find_ranks(struct lw_simulation *sim, double t, double there);
/* More degrees of freedom than usual, after that. */
int lwi_singularities_more_freedoms(const lwi_singularities *x, int part);

#endif
