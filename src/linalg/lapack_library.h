/* SPDX-License-Identifier: Apache-2.0 */
/* lapack_library.h -- LAPACK, loaded when it is first needed.

   An optimised BLAS makes threads and takes memory as soon as it is loaded, for programs that never
   solve a dense system too; where memory is short some wait for their threads forever.  So the
   library is opened at the first call, and whoever wants one thread can say so before
   (OPENBLAS_NUM_THREADS). Names are those of LAPACKE without its prefix and without _work:

     if (!lwi_lapack()) return LW_E_MEMORY;
     lwi_lapack()->dpotrf(LAPACK_COL_MAJOR, 'U', n, A, n); */
#ifndef LWI_LINALG_LAPACK_LIBRARY_H
#define LWI_LINALG_LAPACK_LIBRARY_H
#include <lapacke.h>

/* clang-format off */
#define LWI_LAPACK_LIST(X) \
  X(dgeev) X(dgelsd) X(dgeqp3) X(dgesvd) X(dgetrf) X(dgetrs) X(dggev) X(dormqr) \
  X(dpbtrf) X(dpbtrs) X(dpotrf) X(dpotrs) X(dsygv) X(dsytrf) X(dsytrs) X(dtrtrs)
/* clang-format on */

#define LWI_LAPACK_MEMBER(name) __typeof__(LAPACKE_##name##_work) *name;
typedef struct {
  LWI_LAPACK_LIST(LWI_LAPACK_MEMBER)
} lwi_lapack_functions;
#undef LWI_LAPACK_MEMBER

/* NULL: it cannot be loaded.  Any number of threads may ask. */
const lwi_lapack_functions *lwi_lapack(void);
/* Why: a sentence. */
const char *lwi_lapack_problem(void);

#endif
