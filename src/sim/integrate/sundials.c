/* SPDX-License-Identifier: Apache-2.0 */
/* sundials.c -- what the CVODE and ARKODE integrators share: vectors, the right-hand side, step
   tolerances, and error texts. */
#include "sim/integrate/sundials.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <string.h>

static size_t size(const lwi_sundials *s)
{
  return (size_t)s->base.system->n;
}

bool lwi_sundials_open(lwi_sundials *s, lwi_system *system, int n)
{
  s->base.system = system;
  if (!lwi_sundials_reserve() || SUNContext_Create(NULL, &s->context) != 0) return false;
  s->y = lwi_vector_new(n > 0 ? n : 1, s->context);
  return s->y;
}

void lwi_sundials_close(lwi_sundials *s)
{
  if (s->y) N_VDestroy(s->y);
  if (s->context) SUNContext_Free(&s->context);
}

/* SUNDIALS shortens the step after a positive return value and gives up after a negative one. After
   a numerical failure a shorter step may succeed. */
int lwi_sundials_return(lw_status status)
{
  if (status == LW_OK) return 0;
  return status == LW_E_NUMBER || status == LW_E_SINGULAR || status == LW_E_NOT_CONVERGED ? 1 : -1;
}

int lwi_sundials_rate(double t, N_Vector y, N_Vector f, void *user)
{
  lwi_sundials *s = user;
  if (size(s) == 0) N_VConst(0, f);
  const lw_status status =
      lwi_system_rate(s->base.system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f));
  return lwi_sundials_return(status);
}

void lwi_sundials_message(int code, const char *module, const char *function, char *message,
                          void *user)
{
  (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* The tolerance per step as a fraction of the user's.  Errors of steps add up, the more so the more
   steps a tolerance needs: a tenth at 1e-8, a fiftieth at 1e-10.  The fraction does not lead below
   1e-12, and is 1 near singular configurations (coarse), where rounding errors dominate.
   docs/decisions/008-default-integrator.md */
static double share(const lw_simulation_options *o, bool coarse)
{
  if (coarse) return 0.1;
  const double wanted = fmin(0.1, fmax(0.02, 0.1 * pow(o->rtol / 1e-8, 0.35)));
  return fmin(0.1, fmax(wanted, 1e-12 / o->rtol));
}

double lwi_step_rtol(const lw_simulation_options *o, bool coarse)
{
  return fmax(share(o, coarse) * o->rtol, 1e-15);
}

double lwi_step_atol(const lw_simulation_options *o, bool coarse)
{
  return share(o, coarse) * o->atol;
}

double lwi_step_atol_others(const lwi_system *s, const lw_simulation_options *o)
{
  return fmax(lwi_step_atol(o, false), s->noise);
}

/* CVODE and ARKODE use the same values for these flags. */
lw_status lwi_sundials_check(lwi_sundials *s, int flag)
{
  const lw_status failure = s->base.system->failure;
  if (lwi_vectors_failed(s->y) || s->no_memory) flag = CV_MEM_FAIL; /* in the first step */
  if (flag >= 0) return LW_OK;
  switch (flag) {
  case CV_TOO_MUCH_ACC:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "the tolerances require more digits than double precision has");
  case CV_ERR_FAILURE:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "the error stays above the tolerance however short the step");
  case CV_CONV_FAILURE:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "the corrector does not converge however short the step");
  case CV_RHSFUNC_FAIL:
  case CV_SRHSFUNC_FAIL:
  case CV_FIRST_SRHSFUNC_ERR:
  case CV_REPTD_SRHSFUNC_ERR:
  case CV_UNREC_SRHSFUNC_ERR:
  case CV_FIRST_RHSFUNC_ERR:
  case CV_REPTD_RHSFUNC_ERR:
  case CV_UNREC_RHSFUNC_ERR:
    return lwi_integrator_fail(&s->base, failure, "%s", lwi_failure_text(failure));
  case CV_MEM_FAIL: return lwi_integrator_fail(&s->base, LW_E_MEMORY, "out of memory");
  case CV_LSETUP_FAIL:
  case CV_LSOLVE_FAIL:
  case CV_NLS_SETUP_FAIL:
  case CV_NLS_FAIL:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "the equations of a step cannot be solved");
  case CV_TOO_CLOSE:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "the next time is too close to the present one");
  case CV_BAD_T:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED,
                               "a time outside the last step was requested");
  case CV_ILL_INPUT: /* of our settings only the tolerances can be illegal, and only at this
                        state */
    return lwi_integrator_fail(
        &s->base, LW_E_NOT_CONVERGED,
        "atol is too small: a component of the state that is zero has no tolerance");
  default:
    return lwi_integrator_fail(&s->base, LW_E_NOT_CONVERGED, "the integrator failed (code %d)",
                               flag);
  }
}

void lwi_sundials_set(lwi_sundials *s, const double y[])
{
  if (size(s) > 0) memcpy(N_VGetArrayPointer(s->y), y, size(s) * sizeof(double));
}

void lwi_sundials_copy(const lwi_sundials *s, N_Vector from, double y[])
{
  if (size(s) > 0) memcpy(y, N_VGetArrayPointer(from), size(s) * sizeof(double));
}
