/* SPDX-License-Identifier: Apache-2.0 */
/* started_by_mpi.h -- is this process one of several that mpirun (or srun, by PMIx) has started? */
#ifndef LWI_STUDY_STARTED_BY_MPI_H
#define LWI_STUDY_STARTED_BY_MPI_H
#include <stdbool.h>
#include <stdlib.h>

static inline bool lwi_started_by_mpi(void)
{
  return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK");
}

#endif
