/* SPDX-License-Identifier: Apache-2.0 */
/* dca_formulation.c -- divide and conquer as a formulation: accelerations, loads and the pull back to the
   constraints are its own; states that have drifted are projected in the coordinates of the tree, as
   in the tree formulation, and which equations count is decided there, too. */
#include "dca/dca.h"
#include "sim/formulation.h"
#include "sim/state.h"

static lw_dca *dca_of(const lw_dynamics *d)
{
  return d->own;
}

static lw_status open_dca(lw_dynamics *d, const lw_simulation_options *options, lw_error *err)
{
  const lw_dca_options o = {.threads = options->threads};
  d->own = lw_dca_new(d->m, &o, err);
  return d->own ? LW_OK : err ? err->status : LW_E_MEMORY;
}

static void close_dca(lw_dynamics *d)
{
  lw_dca_free(d->own);
}

static lw_status accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  const lw_status status = lw_dca_forward_dynamics(d->own, d->m, d->work, t, q, u, tau, udot);
  return status == LW_OK ? lw_accelerations(d->m, d->work, udot) : status;
}

static lw_status pulled(lw_dynamics *d, double t, const double q[], const double u[], double pull,
                        double udot[], double slide[])
{
  return lwi_dca_pulled(d->own, d->work, t, q, u, pull, udot, slide);
}

static lw_status project(lw_dynamics *d, double t, double q[], double u[])
{
  return lw_project(d->m, d->work, t, q, u);
}

static lw_status settle(lw_dynamics *d, double t, double q[], double u[], double *weakest)
{
  lwi_closure *c = d->work->closure;
  lw_dca *own = dca_of(d);
  if (!c) return LW_OK;
  c->hold_rank = own->hold_rank = false;
  lw_status status = lw_project(d->m, d->work, t, q, u);
  *weakest = c->rank.weakest;
  if (status == LW_OK) status = lwi_dca_factor(own, d->work, t, q, u);
  c->hold_rank = c->keep_rank = true;
  own->hold_rank = own->keep_rank = status == LW_OK;
  return status;
}

static lw_status find_loads(lw_dynamics *d)
{
  return dca_of(d)->stage == LWI_DCA_MOTION ? LW_OK : LW_E_STAGE;
}

static lw_status load(const lw_dynamics *d, lw_joint j, double load[6])
{
  return lw_dca_get_load(d->own, d->m, j, load);
}

static lw_status constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  return lw_dca_get_constraint_load(d->own, d->m, c, load);
}

static lw_status relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  return lw_dca_get_relation_load(d->own, d->m, c, load);
}

const lwi_formulation lwi_dca_formulation = {.open = open_dca,
                                             .close = close_dca,
                                             .accelerate = accelerate,
                                             .pulled = pulled,
                                             .project = project,
                                             .settle = settle,
                                             .find_loads = find_loads,
                                             .load = load,
                                             .constraint_load = constraint_load,
                                             .relation_load = relation_load};
