/* SPDX-License-Identifier: Apache-2.0 */
/* sundials_vector.h -- vectors for SUNDIALS, with which it survives failed allocations.

   N_VClone of SUNDIALS 6 writes through what a vector's own clone function returns, even if that is NULL, and
   CVodeInit, SUNNonlinSol_Newton and ERKStepCreate call it.  So the clone function below never returns NULL: when
   there is no memory it returns one spare vector, as often as needed, and notes the failure.  Whoever has SUNDIALS
   create something asks lwi_vectors_failed() afterwards, and uses nothing of it if there was a failure.

   Destroyed clones are kept for the next ones, until the first vector goes: CVodeFree after a CVodeInit that failed
   destroys vectors a second time, which then does no harm.  SUNMatClone is as N_VClone, so that a matrix has its one
   clone, which the linear solver interface of CVODE asks for in the first step, from the start.

   What remains: SUNContext_Create (SUNHashMap_New), CVodeSensInit (SUNNonlinSol_NewtonSens, and what it frees on
   failure CVodeFree frees again), CVodeSensSStolerances and the first step of ERKStep (erkStep_Init) use memory that they did not get.
   lwi_sundials_reserve() before them makes sure that there is enough. */
#ifndef LWI_SIM_INTEGRATE_SUNDIALS_VECTOR_H
#define LWI_SIM_INTEGRATE_SUNDIALS_VECTOR_H
#include <stdbool.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

/* A vector of n zeros that others are cloned from; NULL: no memory.  Clones end with it. */
N_Vector lwi_vector_new(sunindextype n, SUNContext context);

/* Was there no memory for a clone of this vector, or for a clone of such a clone?  Forgets it. */
bool lwi_vectors_failed(N_Vector of);

/* A dense matrix, n x n, that can be cloned once; the clone ends with it.  NULL: no memory. */
SUNMatrix lwi_matrix_new(sunindextype n, SUNContext context);

/* Is there memory for an object of SUNDIALS that does not check?  It is found, and given back for that object to
   take. */
bool lwi_sundials_reserve(void);

#endif
