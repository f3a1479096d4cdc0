/* SPDX-License-Identifier: Apache-2.0 */
/* sundials_vector.h -- vectors for SUNDIALS that make it robust against failed allocations.

   N_VClone of SUNDIALS 6 dereferences the result of a vector's clone function even if it is NULL,
   and CVodeInit, SUNNonlinSol_Newton and ERKStepCreate call it.  Therefore the clone function below
   never returns NULL: if out of memory, it returns one spare vector, as often as needed, and
   records the failure.  After SUNDIALS has created something, the caller must check
   lwi_vectors_failed() and must not use the result if it returns true.

   Destroyed clones are kept for reuse until the first vector is destroyed: CVodeFree after a failed
   CVodeInit destroys vectors a second time, which is harmless then.  SUNMatClone has the same
   problem as N_VClone.  Therefore a matrix is created together with its only clone, which the
   linear solver interface of CVODE requests in the first step.

   What remains: SUNContext_Create (SUNHashMap_New), CVodeSensInit (SUNNonlinSol_NewtonSens; what it
   frees on failure is freed again by CVodeFree), CVodeSensSStolerances and the first step of
   ERKStep (erkStep_Init) do not check their allocations.  lwi_sundials_reserve() before them makes
   sure that there is enough memory. */
#ifndef LWI_SIM_INTEGRATE_SUNDIALS_VECTOR_H
#define LWI_SIM_INTEGRATE_SUNDIALS_VECTOR_H
#include <stdbool.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

/* A vector of n zeros from which others are cloned; clones are freed with it.  Returns NULL if out
   of memory. */
N_Vector lwi_vector_new(sunindextype n, SUNContext context);

/* Returns true if a clone of this vector, or of one of its clones, could not be allocated, and
   resets the flag. */
bool lwi_vectors_failed(N_Vector of);

/* A dense n x n matrix that can be cloned once; the clone is freed with it.  Returns NULL if out of
   memory. */
SUNMatrix lwi_matrix_new(sunindextype n, SUNContext context);

/* Checks that there is enough memory for an object of SUNDIALS whose constructor does not:
   allocates a block and frees it again. */
bool lwi_sundials_reserve(void);

#endif
