/* SPDX-License-Identifier: Apache-2.0 */
/* coordinate_motions.c -- conversions between derivatives of coordinates and motions along speeds,
   qdot = N(q) u and its derivative.  docs/theory/tree.md */
#include "tree/loops/derivative_data.h"

/* 2 vec(e* de) of a quaternion of any length */
static void quat_speeds(const double e[4], const double de[4], double w[3])
{
  const double s = 2 / (e[0] * e[0] + dot3(e + 1, e + 1));
  double c[3];
  cross3(e + 1, de + 1, c);
  for (int i = 0; i < 3; i++)
    w[i] = s * (e[0] * de[1 + i] - de[0] * e[1 + i] - c[i]);
}

void lwi_joint_speeds_of(lw_joint_type type, bool planar, int nu, const double q[],
                         const double dq[], double xi[])
{
  switch (lwi_joint_speeds(type, planar)) {
  case LWI_SPEEDS_ARE_RATES:
    for (int i = 0; i < nu; i++)
      xi[i] = dq[i];
    return;
  case LWI_SPEEDS_TURN: quat_speeds(q, dq, xi); return;
  case LWI_SPEEDS_MOVE: {
    const double n = sqrt(q[3] * q[3] + dot3(q + 4, q + 4));
    const double e[4] = {q[3] / n, q[4] / n, q[5] / n, q[6] / n};
    quat_speeds(q + 3, dq + 3, xi);
    rot_tmulv(rot_from_quat(e), dq, xi + 3);
    return;
  }
  case LWI_SPEEDS_MOVE_PLANAR: {
    const double c = cos(q[2]), s = sin(q[2]);
    xi[0] = dq[2];
    xi[1] = c * dq[0] + s * dq[1];
    xi[2] = c * dq[1] - s * dq[0];
  }
  }
}

void lw_motion_of(const lw_model *m, const double q[], const double dq[], double motion[])
{
  if (!m || !dq || !motion) return;
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    if (!j->cut) lwi_joint_speeds_of(j->type, m->planar, j->nu, q + j->q, dq + j->q, motion + j->u);
  }
}

/* ---- qdot = N(q) u, differentiated ---- */

/* half the product of a quaternion with an angular velocity in the turned axes, added to out */
static void add_quat_rate(const double e[4], const double w[3], double out[4])
{
  out[0] -= 0.5 * (e[1] * w[0] + e[2] * w[1] + e[3] * w[2]);
  out[1] += 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]);
  out[2] += 0.5 * (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]);
  out[3] += 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]);
}

static void quat_rates(const double e[4], const double w[3], const double de[4], const double dw[3],
                       double out[4])
{
  memset(out, 0, 4 * sizeof(double));
  add_quat_rate(de, w, out);
  add_quat_rate(e, dw, out);
}

/* (R v)_p = R (turn x v + v_p), turn in the turned axes */
static void place_rates(const double e[4], const double v[3], const double de[4],
                        const double dv[3], double out[3])
{
  const double n = sqrt(e[0] * e[0] + dot3(e + 1, e + 1));
  const double unit[4] = {e[0] / n, e[1] / n, e[2] / n, e[3] / n};
  double turn[3], x[3];
  quat_speeds(e, de, turn);
  cross3(turn, v, x);
  for (int i = 0; i < 3; i++)
    x[i] += dv[i];
  rot_mulv(rot_from_quat(unit), x, out);
}

static void planar_rates(const double q[3], const double u[3], const double dq[3],
                         const double du[3], double out[3])
{
  const double c = cos(q[2]), s = sin(q[2]);
  out[0] = c * (du[1] - dq[2] * u[2]) - s * (du[2] + dq[2] * u[1]);
  out[1] = s * (du[1] - dq[2] * u[2]) + c * (du[2] + dq[2] * u[1]);
  out[2] = du[0];
}

void lw_coordinate_rate_derivatives(const lw_model *m, const double q[], const double u[],
                                    const double dq[], const double du[], double qdot_rate[])
{
  if (!m || !du || !qdot_rate) return;
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    if (j->cut) continue;
    const double *x = q + j->q, *v = u + j->u, *dx = dq + j->q, *dv = du + j->u;
    double *out = qdot_rate + j->q;
    switch (lwi_joint_speeds(j->type, m->planar)) {
    case LWI_SPEEDS_ARE_RATES: memcpy(out, dv, (size_t)j->nq * sizeof(double)); break;
    case LWI_SPEEDS_TURN: quat_rates(x, v, dx, dv, out); break;
    case LWI_SPEEDS_MOVE:
      place_rates(x + 3, v + 3, dx + 3, dv + 3, out);
      quat_rates(x + 3, v, dx + 3, dv, out + 3);
      break;
    case LWI_SPEEDS_MOVE_PLANAR: planar_rates(x, v, dx, dv, out);
    }
  }
}
