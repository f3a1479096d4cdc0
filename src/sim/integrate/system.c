/* SPDX-License-Identifier: Apache-2.0 */
/* system.c -- evaluation of a system: counts, checks that rates are finite, and records
   failures. */
#include "sim/integrate/system.h"
#include "sim/formulation/state.h"

#include <string.h>

static lw_status note(lwi_system *s, lw_status status, double t, const double y[])
{
  if (status == LW_OK) return LW_OK;
  s->failure = status;
  s->failures++;
  s->failed_at = t;
  if (s->failed_y && lwi_system_block(s) > 0)
    memcpy(s->failed_y, y, (size_t)lwi_system_block(s) * sizeof(double));
  return status;
}

lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[])
{
  if (lwi_system_stops(s, t)) return note(s, LW_E_STOPPED, t, y);
  lw_status status = s->rate(s, lwi_system_time(s, t), y, f);
  if (status == LW_OK && !lwi_all_finite(f, s->n)) status = LW_E_NUMBER;
  s->evaluations++;
  return note(s, status, t, y);
}

lw_status lwi_system_rate_first(lwi_system *s, double t, const double y[], double f[])
{
  if (s->nblock == 0) return lwi_system_rate(s, t, y, f);
  if (lwi_system_stops(s, t)) return note(s, LW_E_STOPPED, t, y);
  lw_status status = s->rate_first(s, lwi_system_time(s, t), y, f);
  if (status == LW_OK && !lwi_all_finite(f, lwi_system_block(s))) status = LW_E_NUMBER;
  s->evaluations++;
  return note(s, status, t, y);
}

lw_status lwi_system_rate_others(lwi_system *s, double t, const double y[], const double f[],
                                 const double *const y_p[], double *const f_p[])
{
  if (lwi_system_stops(s, t)) return note(s, LW_E_STOPPED, t, y);
  lw_status status = s->rate_others(s, lwi_system_time(s, t), y, f, y_p, f_p);
  for (int k = 0; k < s->nblock && status == LW_OK; k++)
    if (!lwi_all_finite(f_p[k], lwi_system_block(s))) status = LW_E_NUMBER;
  return note(s, status, t, y);
}
