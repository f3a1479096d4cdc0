/* SPDX-License-Identifier: Apache-2.0 */
/* dca_formulation.c -- divide and conquer as a formulation.  It computes accelerations, loads and
   the stabilized rates itself; states that have drifted are projected in the coordinates of the
   tree, as in the tree formulation, which also decides the rank. */
#include "dca/dca.h"
#include "tree/loops/tree_impulse.h"
#include "dca/dca_derivatives.h"
#include "base/fail.h"
#include "sim/formulation/formulation.h"
#include "sim/formulation/state.h"
#include "linkwork/loops.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_dca *plan;
  lw_dca_derivatives *rates; /* NULL until derivatives are first needed */
  int threads;
} divided;

static lw_dca *dca_of(const lw_dynamics *d)
{
  return ((const divided *)d->own)->plan;
}

static lw_status open_dca(lw_dynamics *d, const lw_simulation_options *options, lw_error *err)
{
  const lw_dca_options o = {.threads = options->threads};
  divided *own = d->own = calloc(1, sizeof *own);
  if (!own) return lwi_out_of_memory(err, NULL);
  own->threads = options->threads;
  own->plan = lw_dca_new(d->m, &o, err);
  return own->plan ? LW_OK : err ? err->status : LW_E_MEMORY;
}

static void close_dca(lw_dynamics *d)
{
  divided *own = d->own;
  if (!own) return;
  lw_dca_derivatives_free(own->rates);
  lw_dca_free(own->plan);
  free(own);
}

static lw_status accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  const lw_status status = lw_dca_forward_dynamics(dca_of(d), d->work, t, q, u, tau, udot);
  return status == LW_OK ? lw_accelerations(d->work, udot) : status;
}

static lw_status stabilized(lw_dynamics *d, double t, const double q[], const double u[],
                            double stabilization, double udot[], double position_correction[])
{
  return lwi_dca_stabilized(dca_of(d), d->work, t, q, u, stabilization, udot, position_correction);
}

static lw_status project(lw_dynamics *d, double t, double q[], double u[])
{
  return lw_project(d->work, t, q, u);
}

static lw_status update_rank(lw_dynamics *d, double t, double q[], double u[], double *weakest)
{
  lwi_closure *c = d->work->closure;
  lw_dca *own = dca_of(d);
  if (!c) return LW_OK;
  c->hold_rank = own->hold_rank = false;
  lw_status status = lw_project(d->work, t, q, u);
  *weakest = c->rank.weakest;
  if (status == LW_OK) status = lwi_dca_factor(own, d->work, t, q, u);
  c->hold_rank = c->keep_rank = true;
  own->hold_rank = own->keep_rank = status == LW_OK;
  return status;
}

/* Momenta on links act as impulses on bodies that were at rest. */
static lw_status impulse(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                         lwi_impulses *out)
{
  const lw_model *m = d->m;
  double(*on_body)[6] = calloc((size_t)m->nbody + 1, sizeof *on_body);
  if (!on_body) return LW_E_MEMORY;
  for (int b = 1; b <= m->nbody; b++) {
    lw_pose X;
    lw_get_pose(d->work, (lw_body){b}, &X);
    lwi_load_from_link(m, d->work, m->body[b].link, X.p, p[m->body[b].link], on_body[b]);
  }
  const lw_dca_before before = {.impulse = (const double(*)[6])on_body};
  lw_status status = lw_dca_impulse(dca_of(d), d->work, t, q, &before, u);
  free(on_body);
  if (status == LW_OK && out) status = lwi_dynamics_gather(d, out);
  return status == LW_OK ? lw_kinematics(d->work, q, u) : status;
}

lw_status lwi_dca_impulse_once(const lw_dynamics *d, double t, const double q[], double (*p)[6],
                               double u[], lwi_impulses *out)
{
  lw_dynamics once = {.method = &lwi_dca_formulation, .m = d->m, .work = d->work};
  lw_status status = open_dca(&once, &(lw_simulation_options){0}, NULL);
  memset(u, 0, (size_t)d->m->nu * sizeof *u);
  if (status == LW_OK) status = lw_kinematics(d->work, q, u);
  if (status == LW_OK) status = impulse(&once, t, q, p, u, out);
  close_dca(&once);
  return status;
}

/* ---- derivatives ---- */

static lw_status linearize(lw_dynamics *d, double t, const double q[], const double u[])
{
  divided *own = d->own;
  lw_error err = {.status = LW_OK};
  if (!own->rates) own->rates = lw_dca_derivatives_new(own->plan, own->threads, &err);
  if (!own->rates) return err.status;
  return lw_dca_linearize(own->rates, d->work, t, q, u, NULL, NULL);
}

static lw_status derive(lw_dynamics *d, int n, const lwi_stabilized_direction x[],
                        double stabilization)
{
  const divided *own = d->own;
  return lwi_dca_derivative_stabilized(own->plan, own->rates, n, x, stabilization);
}

/* ---- loads ---- */

static void recall(lw_dynamics *d)
{
  lwi_dca_recall(dca_of(d), d->work);
}

static lw_status find_loads(lw_dynamics *d, int first)
{
  (void)first;
  return dca_of(d)->stage == LWI_DCA_MOTION ? LW_OK : LW_E_STAGE;
}

static lw_status load(const lw_dynamics *d, lw_joint j, double load[6])
{
  return lw_dca_get_load(dca_of(d), j, load);
}

static lw_status constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  return lw_dca_get_constraint_load(dca_of(d), c, load);
}

static lw_status relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  return lw_dca_get_relation_load(dca_of(d), c, load);
}

const lwi_formulation lwi_dca_formulation = {.open = open_dca,
                                             .close = close_dca,
                                             .accelerate = accelerate,
                                             .stabilized = stabilized,
                                             .decay = 0.01,
                                             .project = project,
                                             .update_rank = update_rank,
                                             .impulse = impulse,
                                             .linearize = linearize,
                                             .derive = derive,
                                             .recall = recall,
                                             .find_loads = find_loads,
                                             .load = load,
                                             .constraint_load = constraint_load,
                                             .relation_load = relation_load};
