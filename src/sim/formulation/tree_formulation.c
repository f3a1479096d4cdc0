/* SPDX-License-Identifier: Apache-2.0 */
/* tree_formulation.c -- the recursions of the spanning tree as a formulation.  It has no data of
   its own: all scratch is in the work. */
#include "sim/formulation/formulation.h"
#include "base/fail.h"
#include "sim/formulation/state.h"
#include "tree/loops/closure.h"
#include "tree/loops/constraint_loads.h"
#include "tree/loops/tree_impulse.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"

static lw_status open_tree(lw_dynamics *d, const lw_simulation_options *options, lw_error *err)
{
  if (lw_set_loops(d->work, options->loops) == LW_OK) return LW_OK;
  if (!lwi_closure_is_available(d->m, d->work))
    return lwi_fail(err, LW_E_UNSUPPORTED,
                    "there are too many loops in series for the tree formulation; use \"dca\" "
                    "or \"auto\"");
  return lwi_fail(
      err, LW_E_UNSUPPORTED,
      options->loops == LW_LOOPS_CUT
          ? "the loops cannot be cut: without them the mass matrix is singular, or they "
            "are too many in series; use \"embedded\" or \"auto\""
          : "the loops cannot be embedded: a cluster has too many "
            "independent speeds; use \"cut\" or \"auto\"");
}

static void close_tree(lw_dynamics *d)
{
  (void)d;
}

static lw_status accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  return lw_forward_dynamics(d->work, t, q, u, tau, udot);
}

static lw_status stabilized(lw_dynamics *d, double t, const double q[], const double u[],
                            double stabilization, double udot[], double position_correction[])
{
  if (!lwi_all_finite(q, lw_nq(d->m)) || !lwi_all_finite(u, lw_nu(d->m))) return LW_E_NUMBER;
  return lwi_closure_stabilized(d->m, d->work, t, q, u, stabilization, udot, position_correction)
             ? LW_OK
             : LW_E_SINGULAR;
}

static lw_status project(lw_dynamics *d, double t, double q[], double u[])
{
  return lw_project(d->work, t, q, u);
}

static lw_status update_rank(lw_dynamics *d, double t, double q[], double u[], double *weakest)
{
  lwi_closure *c = d->work->closure;
  if (!c) return LW_OK;
  c->hold_rank = false;
  const lw_status status = lw_project(d->work, t, q, u);
  if (status == LW_OK) lwi_closure_update_rank(d->m, d->work);
  c->hold_rank = c->keep_rank = true;
  *weakest = c->rank.weakest;
  return status;
}

/* A body without mass, or with very little, that only loops or relations hold moves (almost) no
   mass in the tree: mobilities of the tree are infinite, or hide all others, those of divide and
   conquer are not (dca/light.c). */
static lw_status impulse(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                         lwi_impulses *out)
{
  const lw_status status = lwi_tree_impulse(d->m, d->work, t, q, p, u, out);
  return status == LW_E_SINGULAR ? lwi_dca_impulse_once(d, t, q, p, u, out) : status;
}

static void recall(lw_dynamics *d)
{
  lwi_closure_recall(d->m, d->work);
}

static lw_status find_loads(lw_dynamics *d, int first)
{
  lw_work *w = d->work;
  if (w->closure || w->stage != LWI_STAGE_DYNAMICS) return lwi_joint_loads_from(w, first);
  w->kernels->loads(d->m, w->tree, first);
  w->stage = LWI_STAGE_LOADS;
  return LW_OK;
}

static lw_status load(const lw_dynamics *d, lw_joint j, double load[6])
{
  if (!load || j.id < 1 || j.id > d->m->njoint) return LW_E_ARG;
  if (d->work->stage < LWI_STAGE_LOADS) return LW_E_STAGE;
  lwi_joint_load(d->m, d->work, j.id, load);
  return LW_OK;
}

static lw_status constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  return lw_get_constraint_load(d->work, c, load);
}

static lw_status relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  return lw_get_relation_load(d->work, c, load);
}

const lwi_formulation lwi_tree_formulation = {.open = open_tree,
                                              .close = close_tree,
                                              .accelerate = accelerate,
                                              .stabilized = stabilized,
                                              .decay = 0.01,
                                              .project = project,
                                              .update_rank = update_rank,
                                              .impulse = impulse,
                                              .recall = recall,
                                              .find_loads = find_loads,
                                              .load = load,
                                              .constraint_load = constraint_load,
                                              .relation_load = relation_load};
