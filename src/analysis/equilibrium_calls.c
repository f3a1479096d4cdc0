/* SPDX-License-Identifier: Apache-2.0 */
/* equilibrium_calls.c -- static equilibrium without limits and contacts, and the loads at rest anywhere. */
#include "analysis/barrier.h"
#include "math/finite.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <string.h>

const char *lw_stability_name(lw_stability s)
{
  static const char *const names[] = {"stable", "neutral", "unstable"};
  return s <= LW_UNSTABLE ? names[s] : "";
}

lw_status lw_static_loads(lw_work *w, double t, const double q[], double tau[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q)) return LW_E_ARG;
  if (m->tree_constraints.link_system) return LW_E_UNSUPPORTED;
  if (m->nu) memset(w->in, 0, (size_t)m->nu * sizeof(double));
  w->stage = LWI_STAGE_NOTHING;
  if (w->closure)
    lwi_closure_balance(m, w, t, q, w->in, w->in, w->out);
  else
    w->kernels->inverse(m, w->tree, t, q, w->in, w->in, w->out);
  if (!lwi_all_finite(w->out, m->nu)) return LW_E_NUMBER;
  if (tau && m->nu) memcpy(tau, w->out, (size_t)m->nu * sizeof(double));
  w->stage = w->closure ? LWI_STAGE_DYNAMICS : LWI_STAGE_LOADS;
  return LW_OK;
}

lw_status lw_equilibrium(lw_work *w, double t, double q[], const lw_equilibrium_options *options,
                         lw_equilibrium_report *out, lw_error *err)
{
  bool blocked;
  return lwi_equilibrium_within(w, t, q, NULL, options, out, &blocked, err);
}
