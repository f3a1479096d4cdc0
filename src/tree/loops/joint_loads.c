/* SPDX-License-Identifier: Apache-2.0 */
/* joint_loads.c -- loads of joints, constraints and relations: the public functions. */
#include "tree/loops/closure.h"
#include "tree/loops/constraint_loads.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"

lw_status lwi_joint_loads_from(lw_work *w, int first)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w)) return LW_E_ARG;
  if (w->stage < LWI_STAGE_DYNAMICS) return LW_E_STAGE;
  if (w->stage == LWI_STAGE_DYNAMICS) {
    if (w->closure) lwi_closure_least_loads(m, w);
    w->kernels->loads(m, w->tree, w->closure ? 1 : first);
  }
  w->stage = LWI_STAGE_LOADS;
  return LW_OK;
}

lw_status lw_joint_loads(lw_work *w)
{
  return lwi_joint_loads_from(w, 1);
}

lw_status lw_get_load(const lw_work *w, lw_joint j, double load[6])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || !load || j.id < 1 || j.id > m->njoint) return LW_E_ARG;
  if (w->stage < LWI_STAGE_LOADS) return LW_E_STAGE;
  lwi_joint_load(m, w, j.id, load);
  return LW_OK;
}

static lw_status find_constraint(const lw_model *m, const lw_work *w, lw_constraint c,
                                 bool geometric)
{
  if (!lwi_is_single(m, w) || c.id < 1 || c.id > m->nconstraint) return LW_E_ARG;
  if ((m->constraint[c.id].pair >= 0) != geometric) return LW_E_ARG;
  return w->stage < LWI_STAGE_LOADS ? LW_E_STAGE : LW_OK;
}

lw_status lw_get_constraint_load(const lw_work *w, lw_constraint c, double load[6])
{
  const lw_model *m = lwi_work_model(w);
  const lw_status status = load ? find_constraint(m, w, c, true) : LW_E_ARG;
  if (status == LW_OK) lwi_closure_load(m, w, m->constraint[c.id].constraint, load);
  return status;
}

lw_status lw_get_relation_load(const lw_work *w, lw_constraint c, double *load)
{
  const lw_model *m = lwi_work_model(w);
  const lw_status status = load ? find_constraint(m, w, c, false) : LW_E_ARG;
  if (status == LW_OK) *load = lwi_closure_multiplier(m, w, m->constraint[c.id].constraint);
  return status;
}
