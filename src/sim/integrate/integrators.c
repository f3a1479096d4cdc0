/* SPDX-License-Identifier: Apache-2.0 */
/* integrators.c -- the choice of an integrator, and the texts of its failures. */
#include "sim/integrate/integrators.h"

#include <stdarg.h>
#include <stdio.h>

/* The default is Adams: docs/decisions/008-default-integrator.md. */
lwi_integrator *lwi_integrator_new(lwi_system *s, const lw_simulation_options *options)
{
  switch (options->integrator) {
  case LW_INTEGRATOR_RK: return lwi_runge_kutta_new(s, options);
  case LW_INTEGRATOR_RK4:
  case LW_INTEGRATOR_EULER: return lwi_fixed_new(s, options);
  case LW_INTEGRATOR_AUTO:
  case LW_INTEGRATOR_ADAMS:
  case LW_INTEGRATOR_BDF: break;
  }
  return lwi_multistep_new(s, options);
}

lw_status lwi_integrator_fail(lwi_integrator *it, lw_status status, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(it->reason, sizeof it->reason, format, list);
  va_end(list);
  return status;
}

const char *lwi_failure_text(lw_status failure)
{
  return failure == LW_E_NUMBER ? "the accelerations are not finite" : lw_status_text(failure);
}
