/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_formulation.c -- the Cartesian descriptor form as a formulation.  States are given in
   the coordinates of the tree; accelerations and loads follow from the equations of motion of all
   bodies with their constraints (M a + G^T lambda = f, G a = gamma), and coordinate partitioning
   satisfies the constraints along a run. */
#include "base/fail.h"
#include "cartesian/form/coordinate_partition.h"
#include "cartesian/solvers/solver.h"
#include "linkwork/cartesian.h"
#include "linkwork/loops.h"
#include "sim/formulation/cartesian_partition.h"
#include "sim/formulation/formulation.h"
#include "sim/formulation/state.h"

#include <stdlib.h>

typedef struct {
  lw_cartesian *c;
  lwi_partition *partition; /* NULL if there are no constraints */
  double *state;            /* [nq + 2 nu] scratch: the state recovered last, its accelerations */
} descriptor;

static lw_cartesian *cartesian_of(const lw_dynamics *d)
{
  return ((const descriptor *)d->own)->c;
}

/* Looks up the solver and the ordering that the options name. */
static lw_status find_names(const lw_simulation_options *o, int *solver, int *ordering,
                            lw_error *err)
{
  *solver = 0;
  *ordering = (int)lw_find_order_method(o->ordering);
  while (o->solver && *solver < LW_SOLVER_METHODS &&
         strcmp(o->solver, lw_solver_method_name((lw_solver_method)*solver)) != 0)
    ++*solver;
  if (*solver == LW_SOLVER_METHODS)
    return lwi_fail(err, LW_E_ARG, "there is no solver \"%s\"", o->solver);
  if (o->ordering && *ordering == LW_ORDER_METHODS)
    return lwi_fail(err, LW_E_ARG, "there is no ordering \"%s\"", o->ordering);
  return LW_OK;
}

static lw_status open_partition(const lw_dynamics *d, lw_error *err)
{
  descriptor *own = d->own;
  if (!lwi_is_constrained(d->m)) return LW_OK;
  own->partition = lwi_partition_new(own->c, false);
  own->state = calloc((size_t)(d->m->nq + 2 * d->m->nu) + 1, sizeof(double));
  return own->partition && own->state ? LW_OK : lwi_out_of_memory(err, NULL);
}

static lw_status open_cartesian(lw_dynamics *d, const lw_simulation_options *options, lw_error *err)
{
  int solver, ordering;
  lw_error mine = {0};
  if (!err) err = &mine;
  lw_status status = find_names(options, &solver, &ordering, err);
  if (status != LW_OK) return status;
  descriptor *own = d->own = calloc(1, sizeof *own);
  if (!own) return lwi_out_of_memory(err, NULL);
  own->c = lw_cartesian_new(d->m, NULL, err);
  if (!own->c) return err->status;
  status = open_partition(d, err);
  if (status != LW_OK || (!options->solver && !options->ordering)) return status;
  return lwi_cartesian_use(own->c, d->work, (lw_solver_method)solver, (lw_order_method)ordering,
                           err);
}

static void close_cartesian(lw_dynamics *d)
{
  descriptor *own = d->own;
  if (!own) return;
  lwi_partition_free(own->partition);
  lw_cartesian_free(own->c);
  free(own->state);
  free(own);
}

static lw_status accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                            const double tau[], double udot[])
{
  const lw_status status =
      lw_cartesian_forward_dynamics(cartesian_of(d), d->work, t, q, u, tau, udot);
  return status == LW_OK ? lw_accelerations(d->work, udot) : status;
}

static lw_status impulse(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                         lwi_impulses *out)
{
  lw_cartesian *c = cartesian_of(d);
  lw_status status = lwi_cartesian_jump(c, d->work, t, q, p, u);
  if (status == LW_OK && out) status = lw_cartesian_find_loads(c);
  if (status == LW_OK && out) status = lwi_dynamics_gather(d, out);
  c->solved = false; /* the solution is an impulse, not an acceleration */
  return status == LW_OK ? lw_kinematics(d->work, q, u) : status;
}

static lw_status find_loads(lw_dynamics *d, int first)
{
  (void)first;
  return lw_cartesian_find_loads(cartesian_of(d));
}

static lw_status load(const lw_dynamics *d, lw_joint j, double load[6])
{
  return lw_cartesian_get_load(cartesian_of(d), j, load);
}

static lw_status constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  return lw_cartesian_get_constraint_load(cartesian_of(d), c, load);
}

static lw_status relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  return lw_cartesian_get_relation_load(cartesian_of(d), c, load);
}

/* ---- constraints ---- */

/* Projection onto the nearest state, as in all formulations.  Near singular configurations, where
   fixed independent coordinates would move the dependent ones far, the states that are evaluated
   are projected in the same way (joint_system.c). */
static lw_status project(lw_dynamics *d, double t, double q[], double u[])
{
  return lw_project(d->work, t, q, u);
}

/* Accelerations at the state that the independent coordinates and speeds determine.  The dependent
   ones are corrected towards it at the stabilization rate. */
static lw_status stabilized(lw_dynamics *d, double t, const double q[], const double u[],
                            double stabilization, double udot[], double position_correction[])
{
  const descriptor *own = d->own;
  const lw_model *m = d->m;
  if (!lwi_all_finite(q, m->nq) || !lwi_all_finite(u, m->nu)) return LW_E_NUMBER;
  double *own_q = own->state, *own_u = own_q + m->nq;
  memcpy(own_q, q, (size_t)m->nq * sizeof(double));
  memcpy(own_u, u, (size_t)m->nu * sizeof(double));
  lw_status status =
      lwi_partition_correct(own->partition, d->work, t, own_q, own_u, position_correction);
  if (status == LW_OK) status = lwi_cartesian_accelerate_placed(own->c, d->work, t, own_u, udot);
  if (status == LW_OK && m->nu) memcpy(own_u + m->nu, udot, (size_t)m->nu * sizeof(double));
  for (int i = 0; i < m->nu && status == LW_OK; i++) {
    udot[i] += stabilization * (own_u[i] - u[i]);
    position_correction[i] = stabilization * position_correction[i] + own_u[i] - u[i];
  }
  return status;
}

/* The accelerations are computed last, so that the loads are theirs; those of the links follow on
   demand. */
static void recall(lw_dynamics *d)
{
  const descriptor *own = d->own;
  if (own->state) lw_accelerations(d->work, own->state + d->m->nq + d->m->nu);
}

/* The tree decides which equations are independent, as for the other formulations; the partition
   follows. */
static lw_status update_rank(lw_dynamics *d, double t, double q[], double u[], double *weakest)
{
  const descriptor *own = d->own;
  const lw_status status = lwi_tree_formulation.update_rank(d, t, q, u, weakest);
  return status == LW_OK && own->partition
             ? lwi_partition_update_rank(own->partition, d->work, t, q, u)
             : status;
}

static lw_status follow_choice(lw_dynamics *d, const lw_dynamics *from)
{
  const descriptor *own = d->own, *other = from->own;
  if (!own->partition || !other->partition) return LW_OK;
  return lwi_partition_follow(own->partition, other->partition) ? LW_OK : LW_E_MEMORY;
}

const lwi_partition *lwi_cartesian_partition(const lw_dynamics *d)
{
  if (d->method != &lwi_cartesian_formulation) return NULL;
  return ((const descriptor *)d->own)->partition;
}

/* decay: stable for Adams methods of all orders with one iteration of the corrector.  Less than in
   other formulations does no harm, since accelerations do not depend on what the dependent
   coordinates are off by. */
const lwi_formulation lwi_cartesian_formulation = {.open = open_cartesian,
                                                   .close = close_cartesian,
                                                   .accelerate = accelerate,
                                                   .stabilized = stabilized,
                                                   .decay = 5e-4,
                                                   .project = project,
                                                   .update_rank = update_rank,
                                                   .follow_choice = follow_choice,
                                                   .impulse = impulse,
                                                   .recall = recall,
                                                   .find_loads = find_loads,
                                                   .load = load,
                                                   .constraint_load = constraint_load,
                                                   .relation_load = relation_load};
