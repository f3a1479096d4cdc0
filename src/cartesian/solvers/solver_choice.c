/* SPDX-License-Identifier: Apache-2.0 */
/* solver_choice.c -- forward dynamics by one of the solvers of linkwork/solvers.h instead of the
   default. They factor what they are given: equations must be independent and masses regular. */
#include "base/fail.h"
#include "cartesian/solvers/solver.h"

#include <stdlib.h>

/* a and lambda of c, plus the solution for these right sides */
static lw_status add_solution(lw_cartesian *c, const double *force, const double *gamma)
{
  lw_solver *s = c->other;
  s->v = (lwi_descriptor_values){c->mass, c->jacobian, force, gamma, c->give};
  const lw_status status = lw_solver_run(s, 1);
  if (status != LW_OK) return status;
  for (size_t i = 0; i < lwi_cartesian_speeds(c); i++)
    c->a[i] += s->a[i];
  for (int i = 0; i < c->nrow; i++)
    c->lambda[i] += s->lambda[i];
  return LW_OK;
}

/* Steps of refinement as long as they help, one at least: with pivots in an order that suits
   sparsity, digits are lost that integrators would see. */
static lw_status refine(lw_cartesian *c)
{
  enum { MOST_REFINEMENTS = 20 }; /* the worst conditions give back one digit per step */
  double before = HUGE_VAL, worst = lwi_cartesian_find_imbalance(c);
  for (int k = 0; k < MOST_REFINEMENTS && (k == 0 || worst > 1e-14) && worst < 0.5 * before; k++) {
    const lw_status status = add_solution(c, c->scratch[0], c->scratch_rows[1]);
    if (status != LW_OK) return status;
    before = worst;
    worst = lwi_cartesian_find_imbalance(c);
  }
  return lwi_cartesian_is_solved(worst) ? LW_OK : LW_E_SINGULAR;
}

/* The numbers of c at its present state, solved by the chosen solver, refined and
   checked. */
static lw_status solve_otherwise(lw_cartesian *c)
{
  lw_solver *s = c->other;
  const bool turns = c->width == 6;
  for (int b = 0; b < c->nbody && turns; b++) {
    const lwi_body_state *x = &c->state[b + 1];
    quat_from_rot(x->X.R, s->euler.p[b]);
    s->euler.gamma[b] = -0.5 * dot3(x->V, x->V); /* -2 pd^T pd */
  }
  memset(c->a, 0, lwi_cartesian_speeds(c) * sizeof(double));
  memset(c->lambda, 0, (size_t)c->nrow * sizeof(double));
  lw_status status = add_solution(c, c->force, c->gamma);
  for (int b = 0; b < c->nbody && turns; b++)
    s->euler.gamma[b] = 0;
  if (status == LW_OK) status = refine(c);
  c->redundant = 0;
  return status;
}

static void free_other(lw_cartesian *c)
{
  lw_solver_free(c->other);
}

/* the state at which loops are closed, and the solution of the default solver there */
static lw_solver *try_at_start(lw_cartesian *c, lw_work *w, lw_solver_method method,
                               lw_order_method order, lw_error *err)
{
  const lw_model *m = c->m;
  double *q = calloc((size_t)(m->nq + 2 * m->nu) + 1, sizeof *q), *u = q + m->nq;
  lw_solver *s = NULL;
  lw_status status = LW_E_MEMORY;
  if (!q) {
    lwi_fail(err, status, "out of memory");
    return NULL;
  }
  lw_initial_state(m, q, u);
  status = lw_close_loops(w, 0, q, u, err);
  if (status == LW_OK) {
    status = lw_cartesian_forward_dynamics(c, w, 0, q, u, NULL, u + m->nu);
    if (status != LW_OK)
      lwi_fail(err, status, "solver %s: %s", lw_solver_method_name(method), lw_status_text(status));
  }
  if (status == LW_OK && method != LW_SOLVER_SPARSE && (c->light || c->redundant || c->give))
    status = lwi_fail(
        err, LW_E_UNSUPPORTED, "the solver \"%s\" cannot be used: %s; \"%s\" can",
        lw_solver_method_name(method),
        c->light
            ? "a body has no inertia about some axis, or is much lighter than others in its loop"
        : c->redundant ? "some constraint equations are redundant"
                       : "some joints have armature",
        lw_solver_method_name(LW_SOLVER_SPARSE));
  if (status == LW_OK) s = lw_solver_new(w, 0, q, u, method, order, err);
  free(q);
  return s;
}

lw_status lwi_cartesian_use(lw_cartesian *c, lw_work *w, lw_solver_method method,
                            lw_order_method order, lw_error *err)
{
  lw_error own = {0};
  if (method == LW_SOLVER_AUGMENTED_KLU_AGAIN)
    return lwi_fail(
        err, LW_E_UNSUPPORTED,
        "the solver \"%s\" keeps the pivots of one state, and is there to be compared at it; "
        "\"%s\" can be used",
        lw_solver_method_name(method), lw_solver_method_name(LW_SOLVER_AUGMENTED_KLU));
  lw_solver *s = try_at_start(c, w, method, order, err ? err : &own);
  if (!s) return err ? err->status : own.status;
  if (method == LW_SOLVER_SPARSE) { /* the default with another numbering */
    lwi_descriptor_system *chosen = s->own;
    s->own = c->linear;
    c->linear = chosen;
    lw_solver_free(s);
    return LW_OK;
  }
  c->other = s;
  c->free_other = free_other;
  c->solve = solve_otherwise;
  return LW_OK;
}
