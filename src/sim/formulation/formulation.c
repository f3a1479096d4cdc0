/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.c -- the list of formulations, the choice of one for a model, and the public calls of
   lw_dynamics, which go to the chosen one. */
#include "sim/formulation/formulation.h"
#include "sim/formulation/own_loads.h"
#include "sim/formulation/shared_loads.h"
#include "base/fail.h"
#include "model/model.h"
#include "tree/loops/closure.h"

#include <stdlib.h>

static const lwi_formulation *find(lw_formulation f)
{
  switch (f) {
  case LW_FORMULATION_TREE: return &lwi_tree_formulation;
  case LW_FORMULATION_DCA: return &lwi_dca_formulation;
  case LW_FORMULATION_CARTESIAN: return &lwi_cartesian_formulation;
  default: return NULL;
  }
}

const char *lw_formulation_name(lw_formulation f)
{
  static const char *const names[] = {"auto", "tree", "dca", "cartesian"};
  return (unsigned)f <= LW_FORMULATION_CARTESIAN ? names[f] : NULL;
}

lw_status lwi_formulation_check(lw_formulation requested, lw_error *err)
{
  if ((unsigned)requested <= LW_FORMULATION_CARTESIAN) return LW_OK;
  return lwi_fail(err, LW_E_ARG, "there is no formulation %d", (int)requested);
}

lw_formulation lwi_formulation_choose(const lw_model *m, const lw_work *w, lw_formulation requested,
                                      const char **reason)
{
  const bool tree = !w || lwi_closure_is_available(m, w);
  *reason = requested != LW_FORMULATION_AUTO ? "as requested"
            : tree                           ? "the tree recursion is the fastest on one processor"
                   : "there are too many loops in series for the tree recursion";
  if (requested != LW_FORMULATION_AUTO) return requested;
  return tree ? LW_FORMULATION_TREE : LW_FORMULATION_DCA;
}

lw_formulation lwi_formulation_wanted(const lw_model *m, const lw_simulation_options *options)
{
  const bool open = !options || (options->formulation == LW_FORMULATION_AUTO &&
                                 !(options->choose & LW_CHOOSE_FORMULATION));
  return open ? lw_simulation_defaults(m).formulation : options->formulation;
}

void lwi_formulation_fill_solver(const lw_model *m, lw_simulation_options *o)
{
  const lw_simulation_options written = lw_simulation_defaults(m);
  if (o->formulation != LW_FORMULATION_CARTESIAN) return;
  if (!o->solver && !o->ordering) o->ordering = written.ordering;
  if (!o->solver) o->solver = written.solver;
}

lw_status lwi_formulation_check_solver(const lw_simulation_options *o, lw_error *err)
{
  if (o->formulation == LW_FORMULATION_CARTESIAN || (!o->solver && !o->ordering)) return LW_OK;
  return lwi_fail(err, LW_E_ARG, "solver and ordering belong to the formulation cartesian");
}

lw_dynamics *lw_dynamics_new(const lw_model *m, const lw_simulation_options *options, lw_error *err)
{
  if (!m) {
    lwi_fail(err, LW_E_ARG, "no model");
    return NULL;
  }
  lw_simulation_options o = options ? *options : (lw_simulation_options){0};
  o.formulation = lwi_formulation_wanted(m, options);
  lw_status status = lwi_formulation_check(o.formulation, err);
  lwi_formulation_fill_solver(m, &o);
  if (status == LW_OK) status = lwi_formulation_check_solver(&o, err);
  if (status != LW_OK) return NULL;

  lw_dynamics *d = calloc(1, sizeof *d);
  if (d) {
    d->m = m;
    d->work = lw_work_new(m);
    d->chosen = lwi_formulation_choose(m, d->work, o.formulation, &d->reason);
    d->method = find(d->chosen);
  }
  if (!d || !d->work)
    status = lwi_out_of_memory(err, NULL);
  else
    status = d->method->open(d, &o, err);
  if (status == LW_OK && !lwi_own_loads_new(m, &o.inputs, &d->own_loads))
    status = lwi_out_of_memory(err, NULL);
  if (status == LW_OK && !lwi_shared_loads_new(m, &d->shared))
    status = lwi_out_of_memory(err, NULL);
  if (status == LW_OK) return d;
  lw_dynamics_free(d);
  return NULL;
}

void lw_dynamics_free(lw_dynamics *d)
{
  if (!d) return;
  if (d->method) d->method->close(d);
  lwi_own_loads_free(d->own_loads);
  lwi_shared_loads_free(d->shared);
  lw_work_free(d->work);
  free(d);
}

lw_formulation lw_dynamics_formulation(const lw_dynamics *d)
{
  if (!d) return (lw_formulation){0};
  return d->chosen;
}

const char *lw_dynamics_reason(const lw_dynamics *d)
{
  if (!d) return NULL;
  return d->reason;
}

lw_work *lw_dynamics_work(lw_dynamics *d)
{
  return d ? d->work : NULL;
}

lw_status lw_dynamics_accelerate(lw_dynamics *d, double t, const double q[], const double u[],
                                 const double tau[], double udot[])
{
  if (!d) return LW_E_ARG;
  if (d->shared) lwi_shared_loads_note(d->shared, d->m, t, q, u);
  if (!d->own_loads) return d->method->accelerate(d, t, q, u, tau, udot);
  return lwi_own_loads_solve(
      d, &(lwi_own_evaluation){.t = t, .q = q, .u = u, .tau = tau, .udot = udot});
}

lw_status lwi_dynamics_stabilized(lw_dynamics *d, double t, const double q[], const double u[],
                                  double stabilization, double udot[], double position_correction[])
{
  if (d->shared) lwi_shared_loads_note(d->shared, d->m, t, q, u);
  if (!d->own_loads)
    return d->method->stabilized(d, t, q, u, stabilization, udot, position_correction);
  return lwi_own_loads_solve(d, &(lwi_own_evaluation){.t = t,
                                                      .q = q,
                                                      .u = u,
                                                      .udot = udot,
                                                      .stabilized = true,
                                                      .stabilization = stabilization,
                                                      .position_correction = position_correction});
}

const double *lwi_dynamics_q(const lw_dynamics *d, const double q[])
{
  return d->own_loads ? lwi_own_loads_q(d->own_loads) : q;
}

bool lwi_dynamics_has_law(const lw_dynamics *d)
{
  return lwi_own_loads_have_law(d->own_loads);
}

lw_status lwi_dynamics_inputs(lw_dynamics *d, double t, const double q[], const double u[],
                              const double **with)
{
  *with = q;
  if (!lwi_dynamics_has_law(d)) return LW_OK;
  const lw_status status = lwi_own_loads_inputs(d->own_loads, d->m, t, q, u);
  *with = lwi_own_loads_q(d->own_loads);
  return status;
}

lw_status lwi_dynamics_find_loads(lw_dynamics *d, int first)
{
  const lw_status status = d->method->find_loads(d, first);
  return status == LW_OK && d->shared ? lwi_shared_loads_find(d) : status;
}

lw_status lw_dynamics_find_loads(lw_dynamics *d)
{
  return d ? lwi_dynamics_find_loads(d, 1) : LW_E_ARG;
}

lw_status lw_dynamics_get_load(const lw_dynamics *d, lw_joint j, double load[6])
{
  const lw_status status = d ? d->method->load(d, j, load) : LW_E_ARG;
  if (status == LW_OK) lwi_shared_loads_of_joint(d->shared, j.id, load);
  return status;
}

lw_status lw_dynamics_get_constraint_load(const lw_dynamics *d, lw_constraint c, double load[6])
{
  const lw_status status = d ? d->method->constraint_load(d, c, load) : LW_E_ARG;
  if (status == LW_OK) lwi_shared_loads_of_constraint(d->shared, c.id, load);
  return status;
}

lw_status lw_dynamics_get_relation_load(const lw_dynamics *d, lw_constraint c, double *load)
{
  const lw_status status = d ? d->method->relation_load(d, c, load) : LW_E_ARG;
  if (status == LW_OK) *load += lwi_shared_loads_of_relation(d->shared, c.id);
  return status;
}

lw_status lwi_dynamics_gather(const lw_dynamics *d, lwi_impulses *out)
{
  const lw_model *m = d->m;
  lw_status status = LW_OK;
  for (int i = 1; i <= m->njoint && status == LW_OK; i++)
    status = d->method->load(d, (lw_joint){i}, out->joint[i]);
  for (int i = 1; i <= m->nconstraint && status == LW_OK; i++)
    status = m->constraint[i].pair >= 0
                 ? d->method->constraint_load(d, (lw_constraint){i}, out->constraint[i])
                 : d->method->relation_load(d, (lw_constraint){i}, &out->relation[i]);
  return status;
}
