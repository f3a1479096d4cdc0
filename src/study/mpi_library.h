/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_library.h -- Open MPI, loaded when it is first needed, as LAPACK is (linalg/lapack_library.h).  Names are those of MPI without
   MPI_. */
#ifndef LWI_STUDY_MPI_LIBRARY_H
#define LWI_STUDY_MPI_LIBRARY_H
#include <mpi.h>

#define LWI_MPI_LIST(X)                                                                            \
  X(Init_thread)                                                                                   \
  X(Finalize)                                                                                      \
  X(Abort)                                                                                         \
  X(Comm_rank)                                                                                     \
  X(Comm_size)                                                                                     \
  X(Send) X(Recv) X(Iprobe)

#define LWI_MPI_MEMBER(name) __typeof__(MPI_##name) *name;
typedef struct {
  LWI_MPI_LIST(LWI_MPI_MEMBER)
  MPI_Comm world; /* what the macros of mpi.h would link to */
  MPI_Datatype byte;
} lwi_mpi_functions;
#undef LWI_MPI_MEMBER

/* NULL: it cannot be loaded.  Any number of threads may ask. */
const lwi_mpi_functions *lwi_mpi(void);
/* Why: a sentence. */
const char *lwi_mpi_problem(void);

#endif
