/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_formulation.c -- the Cartesian descriptor form as a formulation.  States are given in the
   coordinates of the tree, which also projects them; motion and loads come from the equations of all
   bodies. */
#include "base/fail.h"
#include "cartesian/solver.h"
#include "linkwork/cartesian.h"
#include "sim/formulation.h"
#include "sim/state.h"

/* which solver and numbering the options name */
static lw_status find_names(const lw_simulation_options *o, int *solver, int *ordering,
                            lw_error *err)
{
  *solver = 0;
  *ordering = o->ordering ? 0 : LW_ORDER_METHODS;
  while (o->solver && *solver < LW_SOLVER_METHODS &&
         strcmp(o->solver, lw_solver_method_name((lw_solver_method)*solver)) != 0)
    ++*solver;
  while (o->ordering && *ordering < LW_ORDER_METHODS &&
         strcmp(o->ordering, lw_order_method_name((lw_order_method)*ordering)) != 0)
    ++*ordering;
  if (*solver == LW_SOLVER_METHODS)
    return lwi_fail(err, LW_E_ARG, "there is no solver \"%s\"", o->solver);
  if (o->ordering && *ordering == LW_ORDER_METHODS)
    return lwi_fail(err, LW_E_ARG, "there is no ordering \"%s\"", o->ordering);
  return LW_OK;
}

static lw_status open_cartesian(lw_dynamics *d, const lw_simulation_options *options, lw_error *err)
{
  int solver, ordering;
  lw_error own = {0};
  if (!err) err = &own;
  const lw_status status = find_names(options, &solver, &ordering, err);
  if (status != LW_OK) return status;
  d->own = lw_cartesian_new(d->m, NULL, err);
  if (!d->own) return err->status;
  if (!options->solver && !options->ordering) return LW_OK;
  return lwi_cartesian_use(d->own, d->work, (lw_solver_method)solver, (lw_order_method)ordering,
                           err);
}

static void close_cartesian(lw_dynamics *d)
{
  lw_cartesian_free(d->own);
}

static lw_status accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  const lw_status status = lw_cartesian_forward_dynamics(d->own, d->m, d->work, t, q, u, tau, udot);
  return status == LW_OK ? lw_accelerations(d->m, d->work, udot) : status;
}

/* momenta on links as forces on bodies, in the equations of all bodies */
static lw_status impulse(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                         lwi_impulses *out)
{
  lw_cartesian *c = d->own;
  const lw_model *m = d->m;
  double *still = d->work->in, *momenta = c->room[4], own[6];
  for (int i = 0; i < m->nu; i++)
    still[i] = 0;
  lw_status status = lw_kinematics(m, d->work, q, still);
  if (status != LW_OK) return status;
  lwi_cartesian_from_tree(c, d->work, q, still);
  lwi_cartesian_place(c);
  lwi_cartesian_targets(c, t);
  lwi_cartesian_rows(c);
  lwi_cartesian_rates(c);
  lwi_cartesian_masses(c);
  for (int b = 1; b <= c->nbody; b++) {
    const int link = c->body[b].link;
    lwi_load_from_link(m, d->work, link, c->state[b].X.p, p[link], own);
    lwi_pick(c, own, momenta + (size_t)((b - 1) * c->width));
  }
  status = lwi_cartesian_respond(c, momenta);
  if (status != LW_OK) return status;
  for (int b = 1; b <= c->nbody; b++)
    lwi_spread(c, c->a + (size_t)((b - 1) * c->width), c->state[b].V);
  lwi_cartesian_place(c);
  lwi_cartesian_joint_states(c);
  for (int i = 1; i < m->nlink; i++)
    for (int k = 0; k < m->link[i].nu; k++)
      u[m->link[i].u + k] =
          k < m->link[i].frozen || lwi_is_still(&m->link[i], k) ? 0 : c->u[m->link[i].u + k];
  c->solved = true;
  if (status == LW_OK && out) status = lwi_dynamics_gather(d, out);
  c->solved = false;
  return status == LW_OK ? lw_kinematics(m, d->work, q, u) : status;
}

static lw_status find_loads(lw_dynamics *d)
{
  double load[6]; /* the first one asked for makes all of them */
  return lw_njoint(d->m) > 0 ? lw_cartesian_get_load(d->own, d->m, (lw_joint){1}, load) : LW_OK;
}

static lw_status load(const lw_dynamics *d, lw_joint j, double load[6])
{
  return lw_cartesian_get_load(d->own, d->m, j, load);
}

static lw_status constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  return lw_cartesian_get_constraint_load(d->own, d->m, c, load);
}

static lw_status relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  return lw_cartesian_get_relation_load(d->own, d->m, c, load);
}

/* What moves states of the tree to where constraints hold is the tree's; lwi_cartesian_system needs none
   of it. */
static lw_status pulled(lw_dynamics *d, double t, const double q[], const double u[], double pull,
                        double udot[], double slide[])
{
  return lwi_tree_formulation.pulled(d, t, q, u, pull, udot, slide);
}

static lw_status project(lw_dynamics *d, double t, double q[], double u[])
{
  return lwi_tree_formulation.project(d, t, q, u);
}

static lw_status settle(lw_dynamics *d, double t, double q[], double u[], double *weakest)
{
  return lwi_tree_formulation.settle(d, t, q, u, weakest);
}

const lwi_formulation lwi_cartesian_formulation = {.open = open_cartesian,
                                                   .close = close_cartesian,
                                                   .accelerate = accelerate,
                                                   .pulled = pulled,
                                                   .project = project,
                                                   .settle = settle,
                                                   .impulse = impulse,
                                                   .find_loads = find_loads,
                                                   .load = load,
                                                   .constraint_load = constraint_load,
                                                   .relation_load = relation_load};
