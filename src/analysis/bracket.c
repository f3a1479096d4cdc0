/* SPDX-License-Identifier: Apache-2.0 */
/* bracket.c -- the bracket [x, y] of two displacements, joint by joint. */
#include "analysis/bracket.h"

#include <string.h>

bool lwi_has_bracket(const lw_model *m)
{
  for (int i = 1; i <= m->njoint; i++)
    if (!m->joint[i].info.cut &&
        lwi_joint_speeds(m->joint[i].info.type, m->planar) != LWI_SPEEDS_ARE_RATES)
      return true;
  return false;
}

/* [w; v]: [x, y] = [wx x wy; wx x vy - wy x vx] */
static void in_space(const double x[6], const double y[6], double out[6])
{
  double a[3], b[3];
  cross3(x, y, out);
  cross3(x, y + 3, a);
  cross3(y, x + 3, b);
  for (int i = 0; i < 3; i++)
    out[3 + i] = a[i] - b[i];
}

/* [w, vx, vy] */
static void in_plane(const double x[3], const double y[3], double out[3])
{
  out[0] = 0;
  out[1] = -x[0] * y[2] + y[0] * x[2];
  out[2] = x[0] * y[1] - y[0] * x[1];
}

void lwi_bracket(const lw_model *m, const double x[], const double y[], double out[])
{
  memset(out, 0, (size_t)m->nu * sizeof(double));
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    const double *xj = x + j->u, *yj = y + j->u;
    if (j->cut) continue;
    switch (lwi_joint_speeds(j->type, m->planar)) {
    case LWI_SPEEDS_ARE_RATES: break;
    case LWI_SPEEDS_TURN: cross3(xj, yj, out + j->u); break;
    case LWI_SPEEDS_MOVE: in_space(xj, yj, out + j->u); break;
    case LWI_SPEEDS_MOVE_PLANAR: in_plane(xj, yj, out + j->u);
    }
  }
}
