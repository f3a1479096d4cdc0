/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/system.h"
#include "sim/state.h"

lwi_system *lwi_system_new(const lw_model *m, const lw_simulation_options *options, lw_error *err)
{
  const lw_formulation f = lwi_formulation_wanted(m, options);
  return f == LW_FORMULATION_CARTESIAN ? lwi_cartesian_system_new(m, options, err)
                                       : lwi_joint_system_new(m, options, err);
}

lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[])
{
  lw_status status = s->rate(s, t, y, f);
  if (status == LW_OK && !all_finite(f, s->n)) status = LW_E_NUMBER;
  s->evaluations++;
  if (status == LW_OK) return LW_OK;
  s->failure = status;
  s->failures++;
  return status;
}
