/* SPDX-License-Identifier: Apache-2.0 */
/* solvers.c -- lw_solver: the linear system at one state, solved by one of several solvers. */
#include "cartesian/solvers/solver.h"

#include "base/fail.h"
#include "cartesian/reduced/joint_graph.h"

#include <stdlib.h>

#define SOLVER_ROW(value, name, augmented, numbered, what) {name, {what, augmented, numbered}},
static const struct {
  const char *name;
  lw_solver_method_info info;
} methods[] = {LW_SOLVER_LIST(SOLVER_ROW)};

static bool is_method(lw_solver_method method)
{
  return (int)method >= 0 && method < LW_SOLVER_METHODS;
}
const char *lw_solver_method_name(lw_solver_method method)
{
  return is_method(method) ? methods[method].name : NULL;
}
lw_solver_method_info lw_get_solver_method(lw_solver_method method)
{
  return is_method(method) ? methods[method].info : (lw_solver_method_info){.text = NULL};
}

/* ---- make ---- */

/* The sets in the order of a method. */
static lw_status number_sets(lw_solver *s, lw_order_method method, int order[])
{
  const lwi_descriptor_shape *shape = &s->c->shape;
  lwi_body_sets sets;
  lwi_joint_graph g;
  lwi_arena arena = {0};
  lw_status status = LW_E_MEMORY;
  int *node = LWI_TAKE(&arena, shape->nset, int), n = 0;
  if (node && lwi_body_sets_new(shape, &arena, &sets))
    status = lwi_joint_graph_new(shape, &sets, NULL, 1e7, &arena, &g);
  if (status == LW_OK) status = lw_order_nodes(&g.graph, method, node);
  for (int k = 0; status == LW_OK && k < g.graph.nnode; k++)
    order[n++] = g.node[node[k]];
  for (int k = 0; status == LW_OK && k < shape->nset; k++)
    if (g.set_node[k] < 0) order[n++] = k; /* without rows */
  lwi_arena_free(&arena);
  return status;
}

static bool allocate(lw_solver *s)
{
  const size_t n = (size_t)s->c->nbody;
  s->a = LWI_TAKE(&s->arena, n * (size_t)s->c->width, double);
  s->lambda = LWI_TAKE(&s->arena, s->c->nrow, double);
  s->euler.p = lwi_arena_take(&s->arena, n, sizeof *s->euler.p);
  s->euler.pdd = lwi_arena_take(&s->arena, n, sizeof *s->euler.pdd);
  s->euler.gamma = LWI_TAKE(&s->arena, n, double);
  return s->a && s->lambda && s->euler.p && s->euler.pdd && s->euler.gamma;
}

static lw_status take_state(lw_solver *s, lw_work *w, double t, const double q[], const double u[])
{
  const lw_model *m = s->c->m;
  double *udot = LWI_TAKE(&s->arena, m->nu, double);
  if (!udot) return LW_E_MEMORY;
  const lw_status status = lw_cartesian_forward_dynamics(s->c, w, t, q, u, NULL, udot);
  if (status != LW_OK) return status;
  s->v = (lwi_descriptor_values){s->c->mass, s->c->jacobian, s->c->force, s->c->gamma, s->c->give};
  for (int b = 0; b < s->c->nbody && s->c->width == 6; b++) {
    const lwi_body_state *x = &s->c->state[b + 1];
    quat_from_rot(x->X.R, s->euler.p[b]);
    s->euler.gamma[b] = -0.5 * dot3(x->V, x->V); /* -2 pd^T pd */
  }
  return LW_OK;
}

/* Rows of angles alone.  Relations may have both parts. */
static void find_turns(const lw_cartesian *c, bool turns[])
{
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    if (s->constraint && c->m->constraint[s->constraint].pair < 0) continue;
    const lwi_equations *e =
        s->joint ? &c->m->joint[s->joint].equations : &c->m->constraint[s->constraint].equations;
    for (int r = 0; r < s->n; r++)
      turns[s->row + r] = e->row[r] >= LWI_TURN_0 && e->row[r] <= LWI_DOT;
  }
}

static lw_status plan_augmented(lw_solver *s)
{
  lw_status status = LW_E_MEMORY;
  bool *turns = LWI_TAKE(&s->arena, s->c->nrow + 1, bool);
  if (!turns) return status;
  find_turns(s->c, turns);
  s->own = lwi_augmented_solver_new(&s->c->shape, turns, s->method, &s->v, &s->euler, &status);
  if (s->own) s->size = lwi_augmented_solver_size(s->own);
  return status;
}

static lw_status plan_method(lw_solver *s, lw_order_method order_method)
{
  lw_status status = LW_OK;
  const lwi_descriptor_shape *shape = &s->c->shape;
  int *order = NULL;
  if (methods[s->method].info.augmented) return plan_augmented(s);
  if (order_method < LW_ORDER_METHODS) {
    order = LWI_TAKE(&s->arena, shape->nset, int);
    status = order ? number_sets(s, order_method, order) : LW_E_MEMORY;
  } else if (s->method != LW_SOLVER_SPARSE) { /* least work inside the envelope */
    order = LWI_TAKE(&s->arena, shape->nset, int);
    status = order ? number_sets(s, LW_ORDER_SEARCH, order) : LW_E_MEMORY;
  }
  if (status != LW_OK) return status;
  s->size = s->c->nrow;
  s->own = s->method == LW_SOLVER_SPARSE
               ? (void *)lwi_descriptor_new(shape, order, &status)
               : (void *)lwi_reduced_solver_new(shape, s->method, order, &status);
  if (s->method == LW_SOLVER_SPARSE && s->own)
    status = lwi_descriptor_look_at(s->own, shape, order, &s->v);
  return status;
}

lw_solver *lw_solver_new(lw_work *w, double t, const double q[], const double u[],
                         lw_solver_method method, lw_order_method order, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  lw_solver *s = calloc(1, sizeof *s);
  if (!s || !m || !w || !is_method(method) || (int)order < 0 || order > LW_ORDER_METHODS) {
    lwi_fail(err, s ? LW_E_ARG : LW_E_MEMORY, "solver: %s",
             s ? "no model, or no such method" : "no memory");
    free(s);
    return NULL;
  }
  s->method = method;
  s->c = lw_cartesian_new(m, NULL, err);
  lw_status status = s->c ? LW_OK : LW_E_MODEL;
  if (s->c) {
    status = allocate(s) ? take_state(s, w, t, q, u) : LW_E_MEMORY;
    if (status == LW_OK && s->c->give && method != LW_SOLVER_SPARSE) status = LW_E_UNSUPPORTED;
    if (status == LW_OK) status = plan_method(s, order);
    if (status != LW_OK)
      lwi_fail(err, status, "solver %s: %s", methods[method].name, lw_status_text(status));
  }
  if (status == LW_OK) return s;
  lw_solver_free(s);
  return NULL;
}

void lw_solver_free(lw_solver *s)
{
  if (!s) return;
  if (methods[s->method].info.augmented)
    lwi_augmented_solver_free(s->own);
  else if (s->method == LW_SOLVER_SPARSE)
    lwi_descriptor_free(s->own);
  else
    lwi_reduced_solver_free(s->own);
  lw_cartesian_free(s->c);
  lwi_arena_free(&s->arena);
  free(s);
}

/* ---- run ---- */

/* pdd = E^T wdot / 2 - (w . w) p / 4: what [Serban1997] eq. 16 comes to.  The multipliers of the
   normalisation vanish with rows Phi_p = 2 Phi_w E. */
static void find_euler_accelerations(lw_solver *s)
{
  for (int b = 0; b < s->c->nbody; b++) {
    const double *p = s->euler.p[b], *w = s->a + 6 * b, g = 0.5 * s->euler.gamma[b];
    double *x = s->euler.pdd[b];
    x[0] = 0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]) + g * p[0];
    x[1] = 0.5 * (p[0] * w[0] + p[3] * w[1] - p[2] * w[2]) + g * p[1];
    x[2] = 0.5 * (-p[3] * w[0] + p[0] * w[1] + p[1] * w[2]) + g * p[2];
    x[3] = 0.5 * (p[2] * w[0] - p[1] * w[1] + p[0] * w[2]) + g * p[3];
  }
}

static lw_status solve_once(lw_solver *s)
{
  if (methods[s->method].info.augmented)
    return lwi_augmented_solver_solve(s->own, &s->v, &s->euler, s->a, s->lambda);
  const lw_status status = s->method == LW_SOLVER_SPARSE
                               ? lwi_descriptor_solve(s->own, &s->v, s->a, s->lambda)
                               : lwi_reduced_solver_solve(s->own, &s->v, s->a, s->lambda);
  if (s->c->width == 6) find_euler_accelerations(s);
  return status;
}

lw_status lw_solver_run(lw_solver *s, int times)
{
  lw_status status = s && times >= 0 ? LW_OK : LW_E_ARG;
  for (int i = 0; i < times && status == LW_OK; i++)
    status = solve_once(s);
  return status;
}

lw_solver_solution lw_solver_get_solution(const lw_solver *s)
{
  if (!s) return (lw_solver_solution){0};
  return (lw_solver_solution){.size = s->size,
                              .naccelerations = s->c->nbody * s->c->width,
                              .nmultipliers = s->c->nrow,
                              .accelerations = s->a,
                              .multipliers = s->lambda};
}

lw_status lw_solver_get_system(lw_solver *s, lw_sparse_system *out)
{
  if (!s || !out) return LW_E_ARG;
  if (s->method != LW_SOLVER_AUGMENTED_KLU) return LW_E_UNSUPPORTED;
  lwi_augmented_solver_system(s->own, &s->v, &s->euler, out);
  return LW_OK;
}
