/* SPDX-License-Identifier: Apache-2.0 */
/* joint_load.c -- which part of the load in a joint its constraint carries; see
   joint_relative.h. */
#include "model/joint/joint.h"
#include "model/joint/joint_relative.h"

static void remove_along(num x[3], const num axis[3])
{
  const num s = dot3(x, axis) / dot3(axis, axis);
  for (int i = 0; i < 3; i++)
    x[i] -= s * axis[i];
}

void lwi_joint_carries(lw_joint_type type, num pitch, const num z1[3], const num z2[3], num t[3],
                       num f[3])
{
  num n[3], along;
  switch (type) {
  case LW_FIXED: return;
  case LW_REVOLUTE: remove_along(t, z1); return;
  case LW_PRISMATIC: remove_along(f, z1); return;
  case LW_HELICAL:
    along = dot3(t, z1) + pitch * dot3(f, z1);
    for (int i = 0; i < 3; i++)
      t[i] -= along * z1[i];
    return;
  case LW_CYLINDRICAL:
    remove_along(t, z1);
    remove_along(f, z1);
    return;
  case LW_UNIVERSAL:
    cross3(z1, z2, n);
    along = dot3(t, n) / dot3(n, n);
    for (int i = 0; i < 3; i++)
      t[i] = along * n[i];
    return;
  case LW_GIMBAL:
  case LW_SPHERICAL: memset(t, 0, 3 * sizeof(num)); return;
  case LW_PLANAR:
    remove_along(t, z1);
    along = dot3(f, z1);
    for (int i = 0; i < 3; i++)
      f[i] = along * z1[i];
    return;
  default: /* free: carries nothing */ memset(t, 0, 3 * sizeof(num)); memset(f, 0, 3 * sizeof(num));
  }
}
