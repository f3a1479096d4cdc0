/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h -- one study by several processes, on one machine or many, which mpirun has started (Open MPI, where linkwork was
   built with it):

     lw_ranks_start(&rank, &count, &err);
     lw_study_run_ranks(y, &options);      by all of them; on_case is called in rank 0 only
     lw_ranks_end();

   MPI is loaded by the first call, in processes that mpirun has started.  Rank 0 hands out cases one by one, gathers their results and
   computes cases itself beside that.  If a rank is lost, MPI ends the others: what on_case has written is there, and the rest can be
   computed by another run. */
#ifndef LINKWORK_RANKS_H
#define LINKWORK_RANKS_H
#include "linkwork/study.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Which one this is, of how many; 0 of 1: mpirun has not started it.  LW_E_UNSUPPORTED: it has, but MPI is not there. */
LW_API lw_status lw_ranks_start(int *rank, int *count, lw_error *err);
/* After it the process cannot start again. */
LW_API void lw_ranks_end(void);
/* Where this rank cannot take part: of rank 0 it ends all others at once, with this exit status; another one tells rank 0, whose
   lw_study_run_ranks then ends with an error. */
LW_API void lw_ranks_leave(int exit_status);

/* As lw_study_run; `threads` are ignored: each rank computes one case at a time.  In ranks other than 0 it returns when there are
   no more cases.  All ranks need the same study.  err (may be NULL) says which one did not take part. */
LW_API lw_status lw_study_run_ranks(const lw_study *y, const lw_study_run_options *options,
                                    lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
