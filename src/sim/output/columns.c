/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c -- computes rows of result columns; only what the selected ones need is computed. */
#include "linkwork/simulate.h"
#include "linkwork/loops.h"
#include "sim/output/column_measures.h"
#include "sim/output/column_outputs.h"
#include "sim/output/columns_data.h"
#include "sim/formulation/formulation.h"
#include "sim/output/simulation.h"
#include "sim/formulation/state.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <string.h>

/* A quaternion and its negative are the same rotation: results begin with w >= 0 and continue
   without jumps.  `shown` is the last one output, zeros before the first. */
static void choose_sign(double e[4], const double shown[4])
{
  const double dot = e[0] * shown[0] + e[1] * shown[1] + e[2] * shown[2] + e[3] * shown[3];
  if (dot < 0 || (dot == 0 && e[0] < 0)) quaternion_scale(e, -1);
}

static void output_coordinates(lw_columns *c, const double q[])
{
  for (int j = 1; j <= c->m->njoint; j++) {
    const lw_joint_info *joint = &c->m->joint[j].info;
    const int at = quaternion_at(joint);
    double e[4];
    if (joint->cut) continue;
    if (at >= 0) {
      memcpy(e, q + at, sizeof e);
      choose_sign(e, c->q + at);
    }
    memcpy(c->q + joint->q, q + joint->q, (size_t)joint->nq * sizeof(double));
    if (at >= 0) memcpy(c->q + at, e, sizeof e);
  }
}

static lw_status get_pose(lw_columns *c, int body)
{
  lw_pose X;
  if (!c->orientation) return lwi_get_position(c->work, (lw_body){body}, c->pose);
  const lw_status status = lw_get_pose(c->work, (lw_body){body}, &X);
  if (status != LW_OK) return status;
  choose_sign(X.quat, c->orientation[body]);
  memcpy(c->orientation[body], X.quat, sizeof X.quat);
  memcpy(c->pose, X.p, sizeof X.p);
  memcpy(c->pose + 3, X.quat, sizeof X.quat);
  return LW_OK;
}

/* Gets what belongs to one body or joint at its first column: they are adjacent. */
static lw_status fetch(lw_columns *c, const lwi_column *k)
{
  switch (k->kind) {
  case LWI_COLUMN_POSE: return get_pose(c, k->id);
  case LWI_COLUMN_VELOCITY: return lw_get_velocity(c->work, (lw_body){k->id}, c->velocity);
  case LWI_COLUMN_MEASURE: return c->measure = lwi_measure_value(c->m, c->work, &k->measure), LW_OK;
  case LWI_COLUMN_ACCELERATION:
    return lwi_get_frame_acceleration(c->work, k->id - 1, c->acceleration);
  case LWI_COLUMN_MOTOR:
    return c->work->kernels->get_motor(c->m, c->work->tree, k->id - 1, c->u, c->motor), LW_OK;
  case LWI_COLUMN_APPLIED:
    return c->work->kernels->get_applied(c->m, c->work->tree, k->id - 1, c->applied), LW_OK;
  case LWI_COLUMN_ELEMENT:
    c->work->kernels->get_element(c->m, c->work->tree, k->id - 1, c->q, c->u, c->applied);
    return LW_OK;
  case LWI_COLUMN_LOAD:
    if (c->dynamics->shared) return lw_dynamics_get_load(c->dynamics, (lw_joint){k->id}, c->load);
    return c->dynamics->method->load(c->dynamics, (lw_joint){k->id}, c->load);
  case LWI_COLUMN_CONSTRAINT_LOAD:
    return lw_dynamics_get_constraint_load(c->dynamics, (lw_constraint){k->id}, c->constraint_load);
  case LWI_COLUMN_RELATION_LOAD:
    return lw_dynamics_get_relation_load(c->dynamics, (lw_constraint){k->id}, &c->relation_load);
  default: return LW_OK;
  }
}

/* The same for a state at which the dynamics have been evaluated. */
static lw_status compute_from_evaluation(lw_columns *c, const double q[], const lwi_evaluation *e)
{
  const bool *needs = c->needs;
  lw_status status = LW_OK;
  if (needs[LWI_COLUMN_ENERGY]) {
    status = lwi_energy_there(c->m, c->work, q, &c->energy[0], &c->energy[1]);
    c->energy[2] = c->energy[0] + c->energy[1];
  }
  if (needs[LWI_COLUMN_UDOT]) memcpy(c->udot, e->udot, (size_t)lw_nu(c->m) * sizeof(double));
  if (status != LW_OK || !c->uses.loads) return status;
  if (c->dynamics->shared) return lwi_dynamics_find_loads(c->dynamics, c->first_link);
  return c->dynamics->method->find_loads(c->dynamics, c->first_link);
}

/* All of these except drift leave kinematics in the work. */
static lw_status compute(lw_columns *c, double t, const double q[], const double u[])
{
  const bool *needs = c->needs, loads = c->uses.loads;
  lw_status status = LW_OK;
  if (needs[LWI_COLUMN_DRIFT])
    status = lw_drift(c->work, lwi_simulation_time(c->followed, t), q, &c->drift);
  if (status == LW_OK && (needs[LWI_COLUMN_ENERGY] || needs[LWI_COLUMN_ENERGY_ERROR])) {
    status = lw_energy(c->work, q, u, &c->energy[0], &c->energy[1]);
    c->energy[2] = c->energy[0] + c->energy[1];
  }
  /* Only if requested: it evaluates the state within the step, and must not be used for the rate of
     the state. */
  if (status == LW_OK && needs[LWI_COLUMN_ENERGY_ERROR])
    c->energy_error =
        c->followed ? c->energy[2] - lwi_simulation_expected_energy(c->followed, t) : (double)NAN;
  if (status != LW_OK) return status;
  if (needs[LWI_COLUMN_UDOT] || needs[LWI_COLUMN_ACCELERATION] || c->uses.forces || loads) {
    status = lw_dynamics_accelerate(c->dynamics, lwi_simulation_time(c->followed, t), q, u, NULL,
                                    c->udot);
    return status == LW_OK && loads ? lw_dynamics_find_loads(c->dynamics) : status;
  }
  const bool cut = lw_ncut(c->m) > 0 && (needs[LWI_COLUMN_Q] || needs[LWI_COLUMN_U]);
  const bool bodies =
      needs[LWI_COLUMN_POSE] || needs[LWI_COLUMN_VELOCITY] || needs[LWI_COLUMN_MEASURE];
  return bodies || cut ? lw_kinematics(c->work, q, u) : LW_OK;
}

/* q, u and udot of all joints. */
static lw_status output_joints(lw_columns *c, const double q[], const double u[])
{
  if (c->needs[LWI_COLUMN_Q]) output_coordinates(c, q);
  if (lw_nu(c->m) > 0) memcpy(c->u, u, (size_t)lw_nu(c->m) * sizeof(double));
  if (lw_ncut(c->m) == 0) return LW_OK;
  return lw_get_cut_joints(c->work, c->needs[LWI_COLUMN_Q] ? c->q : NULL,
                           c->needs[LWI_COLUMN_U] ? c->u : NULL,
                           c->needs[LWI_COLUMN_UDOT] ? c->udot : NULL);
}

/* After fetch. */
static double number_of(const lw_columns *c, const lwi_column *k, const double q[])
{
  switch (k->kind) {
  case LWI_COLUMN_Q: return c->q[k->component];
  case LWI_COLUMN_U: return c->u[k->component];
  case LWI_COLUMN_UDOT: return c->udot[k->component];
  case LWI_COLUMN_POSE: return c->pose[k->component];
  case LWI_COLUMN_VELOCITY: return c->velocity[k->component];
  case LWI_COLUMN_MEASURE: return c->measure;
  case LWI_COLUMN_ACCELERATION: return c->acceleration[k->component];
  case LWI_COLUMN_MOTOR: return c->motor[k->component];
  case LWI_COLUMN_ELEMENT:
  case LWI_COLUMN_APPLIED: return c->applied[k->component];
  case LWI_COLUMN_STATE: return q[k->component];
  case LWI_COLUMN_LOAD: return c->load[k->component];
  case LWI_COLUMN_ENERGY: return c->energy[k->component];
  case LWI_COLUMN_ENERGY_ERROR: return c->energy_error;
  case LWI_COLUMN_DRIFT: return c->drift;
  case LWI_COLUMN_FREEDOM:
    return c->followed ? lwi_simulation_freedom_state(c->followed, k->id - 1) : (double)NAN;
  case LWI_COLUMN_CONSTRAINT_LOAD: return c->constraint_load[k->component];
  case LWI_COLUMN_RELATION_LOAD: return c->relation_load;
  default: return (double)NAN;
  }
}

/* Copies what was computed to the row, column by column; the first one is the time. */
static lw_status fill_row(lw_columns *c, double t, const double q[], const double u[], double row[])
{
  lw_status status = c->uses.joints ? output_joints(c, q, u) : LW_OK;
  if (status != LW_OK) return status;

  const lwi_column *last = NULL;
  row[0] = t;
  for (int i = 1; i < c->n; i++) {
    const lwi_column *k = &c->column[i];
    if (!last || k->kind != last->kind || k->id != last->id || k->kind == LWI_COLUMN_MEASURE)
      status = fetch(c, k);
    if (status != LW_OK) return status;
    if (k->kind == LWI_COLUMN_OUTPUT) continue;
    row[i] = number_of(c, k, q);
    last = k;
  }
  return LW_OK;
}

lw_status lw_columns_row(lw_columns *c, double t, const double q[], const double u[], double row[])
{
  if (!c || !row) return LW_E_ARG;
  lw_status status = lwi_columns_follow_phase(c);
  if (status != LW_OK) return status;
  if (c->followed) lwi_work_follow(c->m, lwi_simulation_work(c->followed), c->work);
  status = compute(c, t, q, u);
  if (status == LW_OK) status = lwi_dynamics_inputs(c->dynamics, t, q, u, &q);
  if (status == LW_OK) status = fill_row(c, t, q, u, lwi_outputs_row(c, row));
  if (status == LW_OK) lwi_outputs_evaluate(c, row);
  return status;
}

lw_status lwi_columns_row_of(lw_columns *c, lw_dynamics *d, const lwi_evaluation *e, double t,
                             const double q[], const double u[], double row[], double *turning)
{
  lw_status status = LW_OK;
  if (c->followed && c->phase != lwi_simulation_phase(c->followed))
    status = lwi_columns_follow_phase(c);
  if (status == LW_OK && c->uses.more) status = LW_E_UNSUPPORTED;
  if (status != LW_OK) return status;
  if (e && e->stabilized) d->method->recall(d);
  lw_dynamics *own = c->dynamics;
  c->dynamics = d;
  c->work = d->work;
  status = compute_from_evaluation(c, q, e);
  if (status == LW_OK && d->own_loads) status = lwi_dynamics_inputs(d, t, q, u, &q);
  if (status == LW_OK) status = fill_row(c, t, q, u, lwi_outputs_row(c, row));
  if (status == LW_OK && c->noutput > 0) lwi_outputs_evaluate(c, row);
  *turning = status == LW_OK ? lwi_columns_turning(c) : 0;
  if (c->work->stage == LWI_STAGE_LOADS)
    c->work->stage = LWI_STAGE_DYNAMICS; /* not of all joints */
  c->dynamics = own;
  c->work = own->work;
  return status;
}

lw_status lwi_columns_join(lw_columns *c, const lw_columns *from)
{
  const lw_status bound = lwi_columns_follow_phase(c);
  if (bound != LW_OK) return bound;
  if (lw_nq_all(c->m) != lw_nq_all(from->m)) return LW_OK; /* not the same phase */
  memcpy(c->q, from->q, (size_t)lw_nq_all(c->m) * sizeof(double));
  if (c->orientation)
    memcpy(c->orientation, from->orientation,
           ((size_t)lw_nbody(c->m) + 1) * sizeof *c->orientation);
  return LW_OK;
}

bool lwi_columns_need_joints(const lw_columns *c)
{
  return c->uses.joints;
}

bool lwi_columns_need_bodies(const lw_columns *c)
{
  return c->uses.bodies;
}

bool lwi_columns_have(const lw_columns *c, lwi_column_kind kind)
{
  return c->needs[kind];
}

lwi_column lwi_columns_get(const lw_columns *c, int index)
{
  return c->column[index];
}

const double *lwi_columns_q(const lw_columns *c)
{
  return c->q;
}

const double *lwi_columns_orientation(const lw_columns *c, int body)
{
  return c->orientation ? c->orientation[body] : NULL;
}
