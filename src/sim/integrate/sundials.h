/* SPDX-License-Identifier: Apache-2.0 */
/* sundials.h -- what our use of CVODE and of ARKODE has in common: the vector, the right side, and
   errors that become sentences instead of text on stderr. */
#ifndef LWI_SIM_INTEGRATE_SUNDIALS_H
#define LWI_SIM_INTEGRATE_SUNDIALS_H
#include "sim/integrate/integrators.h"
#include "sim/integrate/sundials_vector.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_nvector.h>

typedef struct {
  lwi_integrator base;
  SUNContext context;
  N_Vector y;     /* (q, u) where the integrator stands; one dummy number if there are none */
  void *memory;   /* CVODE's or ARKODE's */
  bool no_memory; /* found by one of our own solvers */
} lwi_sundials;

bool lwi_sundials_open(lwi_sundials *s, lwi_system *system, int n); /* n: numbers in s->y */
void lwi_sundials_close(lwi_sundials *s);                           /* all but memory */

/* For CVodeInit, ERKStepCreate and the error handlers; the user data are the lwi_sundials.  What SUNDIALS has to say is
   dropped: lwi_sundials_check says it in the words of mechanics. */
int lwi_sundials_rate(double t, N_Vector y, N_Vector f, void *user);
int lwi_sundials_return(lw_status status); /* what a right side returns */
void lwi_sundials_message(int code, const char *module, const char *function, char *message,
                          void *user);

/* The tolerances for one step: a small part of the user's, since errors add up on the way, and no less than
   a few units of the last place.  With it the errors at the end are about 1 to 30 times rtol. */
double lwi_step_rtol(const lw_simulation_options *o, bool coarse);
double lwi_step_atol(const lw_simulation_options *o, bool coarse);
/* Of blocks but the first: not below the noise of their rates. */
double lwi_step_atol_others(const lwi_system *s, const lw_simulation_options *o);

/* What a step returned, as a status; failures set the reason. */
lw_status lwi_sundials_check(lwi_sundials *s, int flag);

void lwi_sundials_set(lwi_sundials *s, const double y[]);                 /* copies into s->y ... */
void lwi_sundials_copy(const lwi_sundials *s, N_Vector from, double y[]); /* ... and out of one */

#endif
