/* SPDX-License-Identifier: Apache-2.0 */
/* no_ranks.c -- ranks.h in a build without MPI. */
#include "base/fail.h"
#include "linkwork/ranks.h"
#include "study/started_by_mpi.h"

lw_status lw_ranks_start(int *rank, int *count, lw_error *err)
{
  if (!rank || !count) return lwi_fail(err, LW_E_ARG, "lw_ranks_start: an argument is missing");
  *rank = 0;
  *count = 1;
  if (!lwi_started_by_mpi()) return LW_OK;
  return lwi_fail(err, LW_E_UNSUPPORTED,
                  "this program was started by mpirun, but linkwork was built without Open MPI "
                  "(libopenmpi-dev)");
}

void lw_ranks_end(void)
{
}

void lw_ranks_leave(int exit_status)
{
  (void)exit_status;
}

lw_status lw_study_run_ranks(const lw_study *y, const lw_study_run_options *options, lw_error *err)
{
  (void)err;
  return lw_study_run(y, options);
}
