/* SPDX-License-Identifier: Apache-2.0 */
/* robot_effective.c -- the inertia that one coordinate of a robot moves: the diagonal of its mass matrix. */
#include "io/robot/robot.h"

#include "io/robot/robot_frames.h"

static bool is_outward(const lwi_robot *r, int link, int of)
{
  while (link > of)
    link = r->link[link].parent;
  return link == of;
}

double lwi_robot_inertia_of(const lwi_robot *r, const lwi_frame world[], int joint)
{
  const lwi_robot_joint *j = &r->joint[joint];
  lwi_mass all = {0};
  double axis[3], at[3], d[3], turned[3], arm[3];
  for (int i = j->link; i < r->nlink; i++)
    if (is_outward(r, i, j->link)) lwi_mass_add(&all, &r->link[i].own, world[i]);
  if (j->type == LW_PRISMATIC) return all.mass + j->armature;
  rot_mulv(world[j->link].R, j->axis, axis);
  lwi_frame_point(world[j->link], j->at, at);
  for (int i = 0; i < 3; i++)
    d[i] = all.com[i] - at[i];
  const double *I = all.inertia;
  turned[0] = I[0] * axis[0] + I[3] * axis[1] + I[4] * axis[2];
  turned[1] = I[3] * axis[0] + I[1] * axis[1] + I[5] * axis[2];
  turned[2] = I[4] * axis[0] + I[5] * axis[1] + I[2] * axis[2];
  cross3(axis, d, arm);
  return dot3(axis, turned) + all.mass * dot3(arm, arm) + j->armature;
}
