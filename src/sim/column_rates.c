/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/column_rates.h"
#include "sim/columns.h"
#include "sim/state.h"

#include <string.h>

/* ---- what a direction does to the parts ---- */

static bool has_loads(const lw_columns *c)
{
  return lwi_columns_have(c, LWI_COLUMN_LOAD) || lwi_columns_have(c, LWI_COLUMN_CONSTRAINT_LOAD) ||
         lwi_columns_have(c, LWI_COLUMN_RELATION_LOAD);
}

/* Results may show the negative of a quaternion. */
static double coordinate(const lwi_linear *l, const lw_columns *columns, lwi_column c,
                         const double y[], const double y1[])
{
  const lw_joint_info j = lw_get_joint(l->m, (lw_joint){c.id});
  if (c.component >= lw_nq(l->m)) return l->all[c.component];
  const bool turned =
      j.nq > j.nu && c.component >= j.q + j.nq - 4 && /* the quaternion as a whole */
      lwi_quaternion_is_turned(y + j.q + j.nq - 4, lwi_columns_q(columns) + j.q + j.nq - 4);
  return turned ? -y1[c.component] : y1[c.component];
}

static lw_status load_rate(const lwi_linear *l, lwi_column c, double *out)
{
  double load[6];
  lw_status status;
  if (c.kind == LWI_COLUMN_RELATION_LOAD)
    return lw_get_relation_load_rate(l->d, (lw_constraint){c.id}, out);
  if (c.kind == LWI_COLUMN_LOAD)
    status = lw_get_load_rate(l->d, (lw_joint){c.id}, load);
  else
    status = lw_get_constraint_load_rate(l->d, (lw_constraint){c.id}, load);
  if (status == LW_OK) *out = load[c.component];
  return status;
}

/* energies and what cut joints do */
static lw_status find_parts(lwi_linear *l, const lw_slope *slope, const lw_columns *columns,
                            double energy1[3])
{
  const lw_model *m = l->m;
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  lw_status status = lw_get_cut_joint_rates(l->d, l->all, l->all + nq);
  if (lw_ncut(m) > 0) lwi_vary_cut_accelerations(m, l->d, l->all + nq + nu);
  if (status == LW_OK && lwi_columns_have(columns, LWI_COLUMN_ENERGY)) {
    l->d->work->kernels->vary_energy(m, slope ? slope->change : NULL, l->d->work->tree, l->d->tree,
                                     l->d->q, l->d->q1, &energy1[0], &energy1[1]);
    energy1[2] = energy1[0] + energy1[1];
  }
  if (status == LW_OK && has_loads(columns)) status = lw_vary_loads(l->d);
  return status;
}

lw_status lwi_column_rates(lwi_linear *l, const lw_slope *slope, const lw_columns *columns,
                           const double y[], const double y1[], const lwi_along *x, double row1[])
{
  const lw_model *m = l->m;
  const int nq = lw_nq_all(m), nu = lw_nu_all(m);
  double energy1[3] = {0}, pose1[7];
  lw_status status = find_parts(l, slope, columns, energy1);
  for (int i = 0; i < lw_columns_count(columns) && status == LW_OK; i++) {
    const lwi_column c = lwi_columns_get(columns, i);
    const int k = c.component;
    switch (c.kind) {
    case LWI_COLUMN_NOTHING: row1[i] = (double)NAN; break;
    case LWI_COLUMN_TIME:
    case LWI_COLUMN_ENERGY_ERROR: /* of exact motions it is zero */
    case LWI_COLUMN_DRIFT: row1[i] = 0; break;
    case LWI_COLUMN_Q: row1[i] = coordinate(l, columns, c, y, y1); break;
    case LWI_COLUMN_U: row1[i] = k < lw_nu(m) ? x->u[k] : l->all[nq + k]; break;
    case LWI_COLUMN_UDOT: row1[i] = k < lw_nu(m) ? x->udot[k] : l->all[nq + nu + k]; break;
    case LWI_COLUMN_POSE:
      lwi_vary_pose(m, l->d, c.id, lwi_columns_orientation(columns, c.id), pose1);
      row1[i] = pose1[k];
      break;
    case LWI_COLUMN_VELOCITY: row1[i] = lwi_vary_body(m, l->d, c.id).V_p[k]; break;
    case LWI_COLUMN_ENERGY: row1[i] = energy1[k]; break;
    default: status = load_rate(l, c, &row1[i]);
    }
  }
  return status;
}

/* ---- by time ---- */

/* the difference formula of neighbours.c, along the motion; shifted: [nmotion], row: [columns] */
static lw_status difference(const lw_model *m, lw_columns *columns, double t, const double y[],
                            const double f[], double shifted[], double row[], double row1[])
{
  static const double place[6] = {-3, -2, -1, 1, 2, 3}, weight[6] = {-1, 9, -45, 45, -9, 1};
  const int n = lw_nq(m) + lw_nu(m), ncolumn = lw_columns_count(columns);
  double scale = 1, fastest = 1;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(y[i]));
    fastest = fmax(fastest, fabs(f[i]));
  }
  const double h = 1e-3 * scale / fastest;
  lw_status status = LW_OK;
  memset(row1, 0, (size_t)ncolumn * sizeof(double));
  for (int c = 0; c < 6 && status == LW_OK; c++) {
    for (int i = 0; i < n; i++)
      shifted[i] = y[i] + place[c] * h * f[i];
    status = lw_normalize(m, shifted);
    if (status == LW_OK)
      status = lw_columns_row(columns, t + place[c] * h, shifted, shifted + lw_nq(m), row);
    for (int i = 0; i < ncolumn && status == LW_OK; i++)
      row1[i] += weight[c] / (60 * h) * row[i];
  }
  return status;
}

/* the recursions along the motion; room: [2 (nq + nu)] */
static lw_status along_motion(lwi_linear *l, const lw_model *m, const lw_columns *columns, double t,
                              const double y[], const double f[], double room[], double row1[])
{
  const int nq = lw_nq(m), nu = lw_nu(m);
  double *unit = room;
  lwi_along x = {.motion = unit + nq + nu, .u = room + 2 * nq + nu, .udot = NULL};
  memcpy(unit, y, (size_t)(nq + nu) * sizeof(double));
  lw_status status = lw_normalize(m, unit);
  if (status == LW_OK) status = lwi_linear_at(l, t, unit);
  if (status != LW_OK) return status;
  lw_motion_of(m, y, f, x.motion);
  memcpy(x.u, f + nq, (size_t)nu * sizeof(double));
  lwi_linear_move(l, NULL, &x);
  l->d->stage = LWI_DERIVE_ALONG;
  return lwi_column_rates(l, NULL, columns, y, f, &x, row1);
}

lw_status lwi_column_time_rates(lwi_linear *l, const lw_model *m, lw_columns *columns, double t,
                                const double y[], const double f[], double room[], double row1[])
{
  const bool far = !l || lwi_columns_have(columns, LWI_COLUMN_UDOT) || has_loads(columns);
  const lw_status status =
      far ? difference(m, columns, t, y, f, room, room + 2 * (lw_nq(m) + lw_nu(m)), row1)
          : along_motion(l, m, columns, t, y, f, room, row1);
  for (int i = 0; i < lw_columns_count(columns); i++)
    if (lwi_columns_get(columns, i).kind == LWI_COLUMN_TIME) row1[i] = 1;
  return status;
}
