/* SPDX-License-Identifier: Apache-2.0 */
/* column_rates.c -- derivatives of result columns along a direction of the state and model, and by
   time. */
#include "math/differences.h"
#include "sim/output/column_rates.h"
#include "sim/output/column_outputs.h"
#include "sim/output/columns_data.h"
#include "sim/formulation/state.h"

#include <string.h>

/* ---- what a direction does to the parts ---- */

static bool has_loads(const lw_columns *c)
{
  return lwi_columns_have(c, LWI_COLUMN_LOAD) || lwi_columns_have(c, LWI_COLUMN_CONSTRAINT_LOAD) ||
         lwi_columns_have(c, LWI_COLUMN_RELATION_LOAD);
}

/* Results may contain the negative of a quaternion. */
static double coordinate(const lwi_linearized_dynamics *l, const lw_columns *columns, lwi_column c,
                         const double y[], const double y_p[])
{
  const lw_joint_info j = lw_get_joint(l->m, (lw_joint){c.id});
  if (c.component >= lw_nq(l->m)) return l->all[c.component];
  const bool turned =
      j.nq > j.nu && c.component >= j.q + j.nq - 4 && /* the quaternion as a whole */
      lwi_quaternion_is_turned(y + j.q + j.nq - 4, lwi_columns_q(columns) + j.q + j.nq - 4);
  return turned ? -y_p[c.component] : y_p[c.component];
}

static lw_status load_rate(const lwi_linearized_dynamics *l, lwi_column c, double *out)
{
  double load[6];
  lw_status status;
  if (c.kind == LWI_COLUMN_RELATION_LOAD)
    return lw_get_relation_load_derivative(l->d, (lw_constraint){c.id}, out);
  if (c.kind == LWI_COLUMN_LOAD)
    status = lw_get_load_derivative(l->d, (lw_joint){c.id}, load);
  else
    status = lw_get_constraint_load_derivative(l->d, (lw_constraint){c.id}, load);
  if (status == LW_OK) *out = load[c.component];
  return status;
}

/* Derivatives of energies and of cut joints. */
static lw_status find_parts(lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                            const lw_columns *columns, double energy_p[3])
{
  const lw_model *m = l->m;
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  lw_status status = lw_get_cut_joint_derivatives(l->d, l->all, l->all + nq);
  if (lw_ncut(m) > 0) lwi_derivative_cut_accelerations(m, l->d, l->all + nq + nu);
  if (status == LW_OK && lwi_columns_have(columns, LWI_COLUMN_ENERGY)) {
    l->d->work->kernels->derivative_energy(m, model_p ? model_p->derivative : NULL,
                                           l->d->work->tree, l->d->tree, l->d->q, l->d->q_p,
                                           &energy_p[0], &energy_p[1]);
    energy_p[2] = energy_p[0] + energy_p[1];
  }
  if (status == LW_OK && has_loads(columns)) status = lw_load_derivatives(l->d);
  return status;
}

lw_status lwi_column_rates(lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                           const lw_columns *columns, const double y[], const double y_p[],
                           const lwi_state_direction *x, double shown_p[])
{
  const lw_model *m = l->m;
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  double energy_p[3] = {0}, pose_p[7], acceleration_p[6], applied_p[6];
  double *row_p = lwi_outputs_row_rates(columns, shown_p);
  lw_status status = find_parts(l, model_p, columns, energy_p);
  for (int i = 0; i < columns->n && status == LW_OK; i++) {
    const lwi_column c = lwi_columns_get(columns, i);
    const int k = c.component;
    switch (c.kind) {
    case LWI_COLUMN_NOTHING: row_p[i] = (double)NAN; break;
    case LWI_COLUMN_OUTPUT: break; /* below */
    case LWI_COLUMN_STATE: row_p[i] = x->states ? x->states[k - lwi_first_state(m)] : y_p[k]; break;
    case LWI_COLUMN_TIME:
    case LWI_COLUMN_ENERGY_ERROR: /* it is zero for exact motions */
    case LWI_COLUMN_FREEDOM:      /* constant between events */
    case LWI_COLUMN_DRIFT: row_p[i] = 0; break;
    case LWI_COLUMN_Q: row_p[i] = coordinate(l, columns, c, y, y_p); break;
    case LWI_COLUMN_U: row_p[i] = k < lw_nu(m) ? x->u[k] : l->all[nq + k]; break;
    case LWI_COLUMN_UDOT: row_p[i] = k < lw_nu(m) ? x->udot[k] : l->all[nq + nu + k]; break;
    case LWI_COLUMN_POSE:
      lwi_derivative_pose(m, l->d, c.id, lwi_columns_orientation(columns, c.id), pose_p);
      row_p[i] = pose_p[k];
      break;
    case LWI_COLUMN_MEASURE:
      row_p[i] = l->d->work->kernels->get_measure_change(m, model_p ? model_p->derivative : NULL,
                                                         l->d->work->tree, l->d->tree, &c.measure);
      break;
    case LWI_COLUMN_MOTOR:
      l->d->work->kernels->get_motor_change(m, l->d->work->tree, l->d->tree, c.id - 1, l->d->u,
                                            l->d->u_p, applied_p);
      row_p[i] = applied_p[k];
      break;
    case LWI_COLUMN_APPLIED:
      l->d->work->kernels->get_applied_change(m, model_p ? model_p->derivative : NULL,
                                              l->d->work->tree, l->d->tree, c.id - 1, applied_p);
      row_p[i] = applied_p[k];
      break;
    case LWI_COLUMN_ELEMENT:
      l->d->work->kernels->get_element_change(
          m, &(lwi_sweep){model_p ? model_p->derivative : NULL, l->d->q, l->d->u, NULL, NULL},
          l->d->work->tree, l->d->tree, c.id - 1, l->d->q_p, l->d->u_p, applied_p);
      row_p[i] = applied_p[k];
      break;
    case LWI_COLUMN_ACCELERATION:
      lwi_derivative_acceleration(m, l->d, c.id - 1, acceleration_p);
      row_p[i] = acceleration_p[k];
      break;
    case LWI_COLUMN_VELOCITY: row_p[i] = lwi_derivative_body(m, l->d, c.id).V_p[k]; break;
    case LWI_COLUMN_ENERGY: row_p[i] = energy_p[k]; break;
    default: status = load_rate(l, c, &row_p[i]);
    }
  }
  if (status == LW_OK)
    lwi_outputs_derive(columns, model_p ? model_p->derivative->parameter : NULL, shown_p);
  return status;
}

/* ---- by time ---- */

/* The difference formula of sixth order along the motion; shifted: [nmotion], row:
   [columns]. */
static lw_status difference(const lw_model *m, lw_columns *columns, double t, const double y[],
                            const double f[], double shifted[], double row[], double row_p[])
{
  const int n = lw_nq(m) + lw_nu(m), ncolumn = lw_columns_count(columns);
  const lwi_difference_sizes size = lwi_sizes_along(y, f, n);
  const double h = 1e-3 * size.y / fmax(1, size.y_p);
  lw_status status = LW_OK;
  memset(row_p, 0, (size_t)ncolumn * sizeof(double));
  for (int c = 0; c < LWI_DIFFERENCE_POINTS && status == LW_OK; c++) {
    const double dt = lwi_difference_place[c] * h;
    for (int i = 0; i < n; i++)
      shifted[i] = y[i] + dt * f[i];
    status = lw_normalize(m, shifted);
    if (status == LW_OK) status = lw_columns_row(columns, t + dt, shifted, shifted + lw_nq(m), row);
    for (int i = 0; i < ncolumn && status == LW_OK; i++)
      row_p[i] += lwi_difference_weight[c] / (LWI_DIFFERENCE_DIVISOR * h) * row[i];
  }
  return status;
}

/* By the recursions along the motion; scratch: [2 (nq + nu)]. */
static lw_status along_motion(lwi_linearized_dynamics *l, const lw_model *m,
                              const lw_columns *columns, double t, const double y[],
                              const double f[], double scratch[], double row_p[])
{
  const int nq = lw_nq(m), nu = lw_nu(m);
  double *unit = scratch;
  lwi_state_direction x = {.motion = unit + nq + nu, .u = scratch + 2 * nq + nu, .udot = NULL};
  memcpy(unit, y, (size_t)(nq + nu) * sizeof(double));
  lw_status status = lw_normalize(m, unit);
  if (status == LW_OK) status = lwi_linearized_dynamics_at(l, t, unit);
  if (status != LW_OK) return status;
  lw_motion_of(m, y, f, x.motion);
  x.states = f + lwi_first_state(m);
  memcpy(x.u, f + nq, (size_t)nu * sizeof(double));
  lwi_linearized_dynamics_move(l, NULL, &x);
  l->d->stage = LWI_DERIVE_ALONG;
  return lwi_column_rates(l, NULL, columns, y, f, &x, row_p);
}

lw_status lwi_column_time_rates(lwi_linearized_dynamics *l, const lw_model *m, lw_columns *columns,
                                double t, const double y[], const double f[], double scratch[],
                                double row_p[])
{
  const bool far = !l || lwi_dynamics_has_law(columns->dynamics) ||
                   lwi_columns_have(columns, LWI_COLUMN_UDOT) ||
                   lwi_columns_have(columns, LWI_COLUMN_ACCELERATION) || has_loads(columns);
  const lw_status status =
      far ? difference(m, columns, t, y, f, scratch, scratch + 2 * (lw_nq(m) + lw_nu(m)), row_p)
          : along_motion(l, m, columns, t, y, f, scratch, row_p);
  for (int i = 0; i < lw_columns_count(columns); i++)
    if (lwi_columns_get(columns, i).kind == LWI_COLUMN_TIME) row_p[i] = 1;
  return status;
}
