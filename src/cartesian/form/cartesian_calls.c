/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_calls.c -- the public functions: make a plan, run it, read its results. */
#include "base/fail.h"
#include "cartesian/form/cartesian.h"
#include "math/finite.h"
#include "tree/loops/closure.h"

#include <stdlib.h>

/* ---- make and free ---- */

/* what the tree knows of a state: links, and loops for the forces of their joints */
static void find_kinematics(lw_cartesian *c, lw_work *w, double t, const double q[],
                            const double u[])
{
  w->stage = LWI_STAGE_NOTHING;
  w->kernels->kinematics(c->m, w->tree, q, u);
  if (w->closure) lwi_closure_place(c->m, w, t);
}

/* ... and the rows there */
static void find_equations(lw_cartesian *c, lw_work *w, double t, const double q[],
                           const double u[])
{
  find_kinematics(c, w, t, q, u);
  lwi_cartesian_from_tree(c, w, q, u);
  lwi_cartesian_place(c);
  lwi_cartesian_join_origins(c);
  lwi_cartesian_targets(c, t);
  lwi_cartesian_rows(c);
}

/* At the initial state: what B would lose in trees, and which rows of loops depend on others. */
static lw_status look_at_start(lw_cartesian *c, const int order[])
{
  const lw_model *m = c->m;
  const bool forest = lwi_descriptor_is_forest(c->linear);
  if (!lwi_descriptor_wants_look(c->linear)) return LW_OK;
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)(m->nq + m->nu) + 1, sizeof *q), *u = q + m->nq;
  lw_status status = w && q ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) lw_initial_state(m, q, u);
  const lw_status closed = status != LW_OK || forest ? status : lw_close_loops(w, 0, q, u, NULL);
  if (closed == LW_E_MEMORY) status = closed;
  if (closed == LW_OK) { /* what cannot be assembled is reported by those who do it */
    find_equations(c, w, 0, q, u);
    lwi_cartesian_masses(c);
    const lwi_descriptor_values v = {c->mass, c->jacobian, c->force, c->gamma, c->give};
    status = lwi_descriptor_look_at(c->linear, &c->shape, order, &v);
  }
  free(q);
  lw_work_free(w);
  return status;
}

lw_cartesian *lw_cartesian_new(const lw_model *m, const lw_cartesian_options *options,
                               lw_error *err)
{
  lw_cartesian *c = m ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    lwi_fail(err, m ? LW_E_MEMORY : LW_E_ARG, "Cartesian form: no %s", m ? "memory" : "model");
    return NULL;
  }
  c->m = m;
  lw_status status = lwi_cartesian_plan(c, err);
  if (status == LW_OK) {
    c->linear = lwi_descriptor_new(&c->shape, options ? options->order : NULL, &status);
    if (c->linear) status = look_at_start(c, options ? options->order : NULL);
    if (status == LW_OK) return c;
    lwi_fail(err, status, "Cartesian form: %s", lw_status_text(status));
  }
  lw_cartesian_free(c);
  return NULL;
}

void lw_cartesian_free(lw_cartesian *c)
{
  if (!c) return;
  if (c->free_other) c->free_other(c);
  lwi_descriptor_free(c->linear);
  lwi_arena_free(&c->arena);
  free(c);
}

/* ---- compute ---- */

/* accelerations of both frames' origins */
static void frame_accelerations(const lw_cartesian *c, int pair, double A[2][6])
{
  const lwi_body_pair_state *p = &c->at[pair];
  for (int side = 0; side < 2; side++) {
    const double *body = c->state[c->pair[pair].body[side]].A;
    double turn[3], swing[3];
    cross3(body, p->arm[side], turn);
    cross3(p->V[side], p->arm[side], swing);
    cross3(p->V[side], swing, swing);
    for (int k = 0; k < 3; k++) {
      A[side][k] = body[k];
      A[side][3 + k] = body[3 + k] + turn[k] + swing[k];
    }
  }
}

/* a . (alpha_B - alpha_A - w_A x w_B) of a revolute joint of the tree, whose axis is the same in both frames */
static double turning_acceleration(const lw_cartesian *c, int joint)
{
  const int *body = c->pair[joint].body;
  const double *A = c->state[body[0]].A, *B = c->state[body[1]].A;
  const double *V = c->state[body[0]].V, *W = c->state[body[1]].V;
  double axis[3], turn[3];
  rot_mulv(c->at[joint].frame[0].R, c->m->joint[joint].shape.axis[0], axis);
  cross3(V, W, turn);
  return axis[0] * (B[0] - A[0] - turn[0]) + axis[1] * (B[1] - A[1] - turn[1]) +
         axis[2] * (B[2] - A[2] - turn[2]);
}

static void joint_accelerations(lw_cartesian *c, double udot[])
{
  for (int i = 1; i <= c->nbody; i++)
    lwi_spread(c, c->a + (size_t)((i - 1) * c->width), c->state[i].A);
  for (int i = 1; i <= c->m->njoint; i++) {
    const lwi_joint *j = &c->m->joint[i];
    const lwi_body_pair_state *p = &c->at[i];
    double A[2][6];
    if (j->info.cut) continue;
    if (j->info.type == LW_REVOLUTE) {
      udot[j->info.u] = j->locked ? 0 : turning_acceleration(c, i);
      continue;
    }
    frame_accelerations(c, i, A);
    const lwi_joint_at at = lwi_cartesian_joint_at(c, i);
    lwi_joint_udot(&at, p->V[0], p->V[1], A[0], A[1], udot + j->info.u);
    for (int k = 0; k < j->info.nu; k++)
      if (k < c->m->link[j->link].inertialess || (j->locked >> k & 1)) udot[j->info.u + k] = 0;
  }
}

/* Is a joint of the tree at gimbal lock?  Bodies move on, but its speeds are not determined. */
static bool is_at_lock(const lw_cartesian *c)
{
  for (int i = 1; c->m->light && i <= c->m->njoint; i++) {
    const lwi_joint *j = &c->m->joint[i];
    if (!j->info.cut && fabs(lwi_joint_lock(&j->shape, c->q + j->info.q)) < LWI_AT_LOCK)
      return true;
  }
  return false;
}

static lw_status solve(lw_cartesian *c, lw_work *w, double t, const double tau[])
{
  c->solved = c->loaded = false;
  c->unsolved = (lwi_unsolved){0};
  if (is_at_lock(c)) return LW_E_SINGULAR;
  lwi_cartesian_gamma(c);
  lwi_cartesian_masses(c);
  lwi_cartesian_forces(c, w, t, tau);
  const lw_status status = lwi_cartesian_solve(c);
  w->unsolved = c->unsolved;
  if (status != LW_OK) return status;
  if (!lwi_all_finite(c->a, c->nbody * c->width)) return LW_E_NUMBER;
  c->solved = true;
  return LW_OK;
}

lw_status lwi_cartesian_accelerate_placed(lw_cartesian *c, lw_work *w, double t, const double u[],
                                          double udot[])
{
  w->stage = LWI_STAGE_NOTHING;
  w->kernels->velocities(c->m, w->tree, u);
  if (w->closure) lwi_closure_place(c->m, w, t);
  lwi_cartesian_speeds_from_tree(c, w, u);
  lwi_cartesian_place_speeds(c);
  const lw_status status = solve(c, w, t, NULL);
  if (status != LW_OK) return status;
  joint_accelerations(c, udot);
  w->stage = LWI_STAGE_KINEMATICS;
  return LW_OK;
}

lw_status lwi_cartesian_accelerate(lw_cartesian *c, lw_work *w, double t)
{
  find_kinematics(c, w, t, c->q, c->u);
  return solve(c, w, t, NULL);
}

lw_status lw_cartesian_forward_dynamics(lw_cartesian *c, lw_work *w, double t, const double q[],
                                        const double u[], const double tau[], double udot[])
{
  const lw_model *m = lwi_cartesian_model(c);
  if (!m || !lwi_is_single(m, w) || (m->nq && !q) || (m->nu && (!u || !udot))) return LW_E_ARG;
  c->solved = false;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq) || !lwi_all_finite(u, m->nu) || !isfinite(t) ||
      (tau && !lwi_all_finite(tau, m->nu)))
    return LW_E_NUMBER;
  find_equations(c, w, t, q, u);
  const lw_status status = solve(c, w, t, tau);
  if (status != LW_OK) return status;
  joint_accelerations(c, udot);
  w->stage = LWI_STAGE_KINEMATICS;
  return LW_OK;
}

/* ---- results ---- */

int lw_cartesian_redundant(const lw_cartesian *c)
{
  return c && c->solved ? c->redundant : 0;
}

lw_status lw_cartesian_find_loads(lw_cartesian *c)
{
  if (!c) return LW_E_ARG;
  if (!c->solved) return LW_E_STAGE;
  if (!c->loaded) lwi_cartesian_least_loads(c);
  c->loaded = true;
  return LW_OK;
}

static lw_status ready(const lw_cartesian *c, const lw_model *m, const void *out, int id, int n)
{
  if (!m || !out || id < 1 || id > n) return LW_E_ARG;
  return c->solved && c->loaded ? LW_OK : LW_E_STAGE;
}

/* set -1: it has no rows */
static void get_load(const lw_cartesian *c, int set, double load[6])
{
  memset(load, 0, 6 * sizeof(double));
  if (set >= 0) lwi_cartesian_load_on_child(c, &c->set[set], load);
}

lw_status lw_cartesian_get_load(const lw_cartesian *c, lw_joint j, double load[6])
{
  const lw_model *m = lwi_cartesian_model(c);
  const lw_status status = ready(c, m, load, j.id, m ? m->njoint : 0);
  if (status == LW_OK) get_load(c, c->joint_set[j.id], load);
  return status;
}

lw_status lw_cartesian_get_constraint_load(const lw_cartesian *c, lw_constraint k, double load[6])
{
  const lw_model *m = lwi_cartesian_model(c);
  const lw_status status = ready(c, m, load, k.id, m ? m->nconstraint : 0);
  if (status != LW_OK) return status;
  if (m->constraint[k.id].pair < 0) return LW_E_ARG;
  get_load(c, c->constraint_set[k.id], load);
  return LW_OK;
}

lw_status lw_cartesian_get_relation_load(const lw_cartesian *c, lw_constraint k, double *load)
{
  const lw_model *m = lwi_cartesian_model(c);
  const lw_status status = ready(c, m, load, k.id, m ? m->nconstraint : 0);
  if (status != LW_OK) return status;
  if (m->constraint[k.id].pair >= 0) return LW_E_ARG;
  *load = -c->lambda[c->set[c->constraint_set[k.id]].row];
  return LW_OK;
}
