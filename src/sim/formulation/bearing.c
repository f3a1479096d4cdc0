/* SPDX-License-Identifier: Apache-2.0 */
/* bearing.c -- what the bearings of a joint carry.  docs/theory/contact.md. */
#include "sim/formulation/bearing.h"

#include <math.h>
#include <string.h>

bool lwi_bearing_init(lwi_bearing *b, const lw_model *m, const char *joint, const double size[3])
{
  *b = (lwi_bearing){.joint = lw_find_joint(m, joint).id, .size = size};
  if (b->joint < 1) return false;
  const lw_joint_type type = m->joint[b->joint].info.type;
  return type == LW_REVOLUTE || type == LW_PRISMATIC;
}

void lwi_bearing_place(lwi_bearing *b, const lw_model *m, const lw_work *w)
{
  const lwi_joint *j = &m->joint[b->joint];
  lw_pose X = {.quat = {1, 0, 0, 0}};
  if (j->info.child.id > 0) lw_get_pose(w, j->info.child, &X);
  rot_mulv(j->child_place.R, j->shape.axis[0], b->axis);
  rot_mulv(rot_from_quat(X.quat), b->axis, b->axis);
}

/* |N|, its derivative added to that of the force, times by, and to that of N's moment part, times
   arm */
static double add_norm(const double N[3], const double axis[3], double by, double arm,
                       double slope[6])
{
  const double size = norm3(N);
  double turn[3];
  if (!slope || size == 0) return by * size;
  cross3(axis, N, turn); /* N . (M x a) = M . (a x N) */
  const double along = dot3(N, axis);
  for (int i = 0; i < 3; i++) {
    slope[3 + i] += by * (arm == 0 ? 1 : 0.5) * (N[i] - along * axis[i]) / size;
    slope[i] += by * arm * turn[i] / size;
  }
  return by * size;
}

double lwi_bearing_load(const lwi_bearing *b, const double load[6], double slope[6])
{
  const double radius = b->size[0], length = b->size[1], thrust = b->size[2];
  const double along = dot3(load + 3, b->axis);
  double across[3], turn[3], N[3], sum = 0;
  if (slope) memset(slope, 0, 6 * sizeof *slope);
  for (int i = 0; i < 3; i++)
    across[i] = load[3 + i] - along * b->axis[i];
  cross3(load, b->axis, turn);
  for (int side = -1; side <= 1; side += 2) {
    if (length == 0 && side > 0) break;
    for (int i = 0; i < 3; i++)
      N[i] = length == 0 ? across[i] : 0.5 * across[i] + side * turn[i] / length;
    sum += add_norm(N, b->axis, radius, length == 0 ? 0 : side / length, slope);
  }
  for (int i = 0; i < 3 && slope; i++)
    slope[3 + i] += thrust * (along > 0 ? 1 : -1) * b->axis[i];
  return sum + thrust * fabs(along);
}
