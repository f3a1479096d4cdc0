/* SPDX-License-Identifier: Apache-2.0 */
/* linearized_dynamics.c -- the dynamics linearised at a state, by the tree recursion or by the
   formulation in use.

   With constraints the derivatives of the rates include those of the correction (joint_system.c):

       udot_p - k M^-1 G^T W^-1 (G u - nu)_p,   position correction  -k M^-1 G^T W^-1 phi_p */
#include "sim/formulation/linearized_dynamics.h"
#include "base/fail.h"
#include "sim/formulation/own_load_derivatives.h"
#include "linkwork/loops.h"

#include <stdlib.h>
#include <string.h>

static size_t size(const lwi_linearized_dynamics *l)
{
  return (size_t)(lw_nq(l->m) + lw_nu(l->m));
}

/* There are at most as many own loads as states. */
static bool open_own(lwi_linearized_dynamics *l)
{
  const size_t n = (size_t)l->m->nstate;
  if (!lwi_own_loads_act(l->dynamics)) return true;
  l->own.states = calloc(2 * n + (size_t)lw_nu(l->m) + 2 * n * n + 1, sizeof *l->own.states);
  if (!l->own.states) return false;
  l->own.x = l->own.states + n;
  l->own.udot = l->own.x + n;
  l->own.D = l->own.udot + lw_nu(l->m);
  return true;
}

lw_status lwi_linearized_dynamics_open(lwi_linearized_dynamics *l, const lw_model *m,
                                       lw_dynamics *dynamics)
{
  lwi_linearized_dynamics_close(l);
  *l = (lwi_linearized_dynamics){.m = m, .dynamics = dynamics};
  l->d = lw_derivatives_new(m);
  l->y = calloc(2 * size(l) + 1, sizeof *l->y);
  l->row = calloc(2 * ((size_t)m->tree_constraints.nrow + 1), sizeof *l->row);
  l->all = calloc((size_t)(lw_nq_all(m) + 2 * lw_nu_all(m)) + 1, sizeof *l->all);
  l->gap = l->row ? l->row + m->tree_constraints.nrow + 1 : NULL;
  return l->d && l->y && l->row && l->all && open_own(l) ? LW_OK : LW_E_MEMORY;
}

void lwi_linearized_dynamics_close(lwi_linearized_dynamics *l)
{
  lw_derivatives_free(l->d);
  free(l->y);
  free(l->row);
  free(l->all);
  free(l->direction);
  free(l->own.states);
  *l = (lwi_linearized_dynamics){0};
}

lw_status lwi_linearized_dynamics_at(lwi_linearized_dynamics *l, double t, const double y[])
{
  const size_t bytes = size(l) * sizeof(double);
  const lw_work *own = l->dynamics->work;
  if (own->kernels->follow_holds(own->tree, l->d->work->tree)) l->known = false;
  if (l->known && l->t == t && (bytes == 0 || memcmp(l->y, y, bytes) == 0)) return LW_OK;
  l->known = l->own.known = false;
  lwi_work_follow(l->m, l->dynamics->work, l->d->work);
  const lw_status status = lw_linearize_forward(l->d, t, y, y + lw_nq(l->m), NULL, NULL);
  if (status != LW_OK) return status;
  l->known = true;
  l->t = t;
  if (bytes) memcpy(l->y, y, bytes);
  return LW_OK;
}

lw_status lwi_linearized_dynamics_update_rank(lwi_linearized_dynamics *l, double t,
                                              const double y[])
{
  lwi_closure *c = l->d->work->closure;
  if (!c) return LW_OK;
  l->known = false;
  memcpy(l->y + size(l), y, size(l) * sizeof(double));
  lwi_work_follow(l->m, l->dynamics->work, l->d->work);
  c->hold_rank = false;
  const lw_status status = lw_project(l->d->work, t, l->y + size(l), l->y + size(l) + lw_nq(l->m));
  c->hold_rank = c->keep_rank = true;
  return status;
}

static lwi_direction direction(const lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                               const lwi_state_direction *x)
{
  const lw_direction method = {
      .motion = x->motion, .u = x->u, .states = x->states, .model = model_p};
  lwi_direction full = lwi_direction_of(l->d, &method);
  full.udot = NULL;
  return full;
}

/* ---- rates ---- */

bool lwi_linearized_dynamics_reserve(lwi_linearized_dynamics *l, int n)
{
  if (n <= l->ndirection) return true;
  lwi_stabilized_direction *x = realloc(l->direction, (size_t)n * sizeof *x);
  if (!x) return false;
  l->direction = x;
  l->ndirection = n;
  return true;
}

/* Along one direction, by the tree recursion. */
static lw_status stabilized_derivative(lwi_linearized_dynamics *l,
                                       const lwi_stabilized_direction *x, double stabilization)
{
  const double *states;
  const lw_status status = lwi_own_loads_derive(l, &x->along, x->udot, &states);
  if (status != LW_OK) return status;
  if (l->m->nstate && x->state_rates)
    l->d->work->kernels->derivative_state_rates(l->m, l->d->work->tree, l->d->tree, x->state_rates);
  if (lw_nu(l->m)) memset(x->position_correction, 0, (size_t)lw_nu(l->m) * sizeof(double));
  if (lwi_linearized_dynamics_nrow(l) == 0 || !(stabilization > 0)) return LW_OK;
  lwi_linearized_dynamics_gap_rate(l, l->gap);
  lwi_linearized_dynamics_close_gap(l, l->gap, -stabilization, x->udot);
  lwi_linearized_dynamics_gap(l, x->gear_p, l->gap);
  lwi_linearized_dynamics_close_gap(l, l->gap, -stabilization, x->position_correction);
  return LW_OK;
}

lw_status lwi_linearized_dynamics_rates(lwi_linearized_dynamics *l, double t, const double y[],
                                        int n, double stabilization)
{
  lw_dynamics *own = l->dynamics;
  if (own->method->derive && l->m->nstate == 0) {
    const lw_status status = own->method->linearize(own, t, y, y + lw_nq(l->m));
    return status == LW_OK ? own->method->derive(own, n, l->direction, stabilization) : status;
  }
  lw_status status = lwi_linearized_dynamics_at(l, t, y);
  for (int i = 0; i < n && status == LW_OK; i++)
    status = stabilized_derivative(l, &l->direction[i], stabilization);
  return status;
}

lw_status lwi_linearized_dynamics_derive(lwi_linearized_dynamics *l,
                                         const lw_model_derivative *model_p, lwi_state_direction *x,
                                         bool udot)
{
  lw_direction along = {
      .motion = x->motion, .u = x->u, .tau = x->tau, .states = x->states, .model = model_p};
  lw_dynamics *own = l->dynamics;
  lw_status status = lwi_own_loads_derive(l, &along, x->udot, &x->states);
  along.states = x->states;
  if (status != LW_OK || !udot || !own->method->derive) return status;
  const lwi_stabilized_direction one = {.along = along, .udot = x->udot};
  status = own->method->linearize(own, l->t, l->y, l->y + lw_nq(l->m));
  return status == LW_OK ? own->method->derive(own, 1, &one, 0) : status;
}

/* ---- constraints ---- */

void lwi_linearized_dynamics_move(lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                                  const lwi_state_direction *x)
{
  const lwi_direction full = direction(l, model_p, x);
  lwi_derivative_state(l->m, l->d, &full);
  if (l->d->work->closure) lwi_derivative_rows(l->m, l->d, &l->m->tree_constraints);
}

void lwi_linearized_dynamics_gap(lwi_linearized_dynamics *l, const double gear_p[], double row[])
{
  const double *scale = l->d->work->closure->scale;
  for (int i = 0; i < l->m->tree_constraints.nrow; i++)
    row[i] = scale[i] * (l->d->closure.phi_p[i] - (gear_p ? gear_p[i] : 0));
}

void lwi_linearized_dynamics_gap_rate(lwi_linearized_dynamics *l, double row[])
{
  lwi_derivative_rate(l->m, l->d, &l->m->tree_constraints, row);
}

void lwi_linearized_dynamics_close_gap(lwi_linearized_dynamics *l, const double row[], double by,
                                       double x[])
{
  lw_work *w = l->d->work;
  const lwi_tree_constraints *tree_constraints = &l->m->tree_constraints;
  for (int i = 0; i < tree_constraints->nrow; i++)
    l->row[i] = by * row[i];
  lwi_envelope_solve(&tree_constraints->envelope, w->closure->value, &w->closure->rank, l->row);
  lwi_closure_gather(l->m, w, tree_constraints, l->row);
  w->kernels->derivative_solve_response(l->m, w->tree, l->d->tree, w->closure->sum, x);
}
