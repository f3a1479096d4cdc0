/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_partition.h -- the coordinate partition of the Cartesian formulation. */
#ifndef LWI_SIM_FORMULATION_CARTESIAN_PARTITION_H
#define LWI_SIM_FORMULATION_CARTESIAN_PARTITION_H
#include "cartesian/form/coordinate_partition.h"
#include "sim/formulation/formulation.h"

/* NULL: another formulation, or no constraints. */
const lwi_partition *lwi_cartesian_partition(const lw_dynamics *d);

#endif
