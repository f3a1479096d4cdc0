/* SPDX-License-Identifier: Apache-2.0 */
/* sundials.h -- what the integrators on CVODE and ARKODE have in common: the vector, the right-hand
   side, and errors as sentences instead of text on stderr. */
#ifndef LWI_SIM_INTEGRATE_SUNDIALS_H
#define LWI_SIM_INTEGRATE_SUNDIALS_H
#include "sim/integrate/integrators.h"
#include "sim/integrate/sundials_vector.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

typedef struct {
  lwi_integrator base;
  SUNContext context;
  N_Vector y;     /* (q, u) at the present time; one dummy number if there are none */
  void *memory;   /* memory block of CVODE or ARKODE */
  bool no_memory; /* an allocation in one of our own solvers failed */
} lwi_sundials;

bool lwi_sundials_open(lwi_sundials *s, lwi_system *system, int n); /* n: numbers in s->y */
void lwi_sundials_close(lwi_sundials *s); /* frees everything except s->memory */

/* For CVodeInit, ERKStepCreate and the error handlers; the user data is the lwi_sundials.  Messages
   of SUNDIALS are dropped: lwi_sundials_check explains the failure in terms of mechanics. */
int lwi_sundials_rate(double t, N_Vector y, N_Vector f, void *user);
int lwi_sundials_return(lw_status status); /* return value of a right-hand side */
void lwi_sundials_message(int code, const char *module, const char *function, char *message,
                          void *user);

/* The tolerances per step: a small fraction of the user's, since errors add up, but at least a few
   units in the last place.  Errors at the end of a run are then about 1 to 30 times rtol. */
double lwi_step_rtol(const lw_simulation_options *o, bool coarse);
double lwi_step_atol(const lw_simulation_options *o, bool coarse);
/* The same for all blocks but the first: not below the noise of their rates. */
double lwi_step_atol_others(const lwi_system *s, const lw_simulation_options *o);

/* Converts the return value of a step to a status; a failure sets the reason. */
lw_status lwi_sundials_check(lwi_sundials *s, int flag);

void lwi_sundials_set(lwi_sundials *s, const double y[]);                 /* copies y into s->y */
void lwi_sundials_copy(const lwi_sundials *s, N_Vector from, double y[]); /* copies a vector to y */

#endif
