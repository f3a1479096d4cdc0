/* SPDX-License-Identifier: Apache-2.0 */
/* partition_joints.c -- displacements of bodies read as those of the joints of the spanning tree. */
#include "cartesian/form/coordinate_partition.h"

/* displacement of the origin of a joint's frame by displacements x of the bodies */
static void move_frame(const lw_cartesian *c, int joint, int side, const double x[], double V[6])
{
  const int body = c->pair[joint].body[side];
  double turn[3];
  memset(V, 0, 6 * sizeof(double));
  if (body == 0) return;
  lwi_spread(c, x + (size_t)((body - 1) * c->width), V);
  cross3(V, c->at[joint].arm[side], turn);
  for (int k = 0; k < 3; k++)
    V[3 + k] += turn[k];
}

/* the displacement of a revolute joint of the tree, whose axis is the same in both frames */
static double turn_of(const lw_cartesian *c, int joint, const double x[])
{
  const int *body = c->pair[joint].body, turns = c->width == 6 ? 3 : 1;
  double axis[3], sum = 0;
  rot_mulv(c->at[joint].frame[0].R, c->m->joint[joint].shape.axis[0], axis);
  for (int k = 0; k < turns; k++) {
    const double A = body[0] > 0 ? x[(body[0] - 1) * c->width + k] : 0;
    const double B = body[1] > 0 ? x[(body[1] - 1) * c->width + k] : 0;
    sum += axis[3 - turns + k] * (B - A);
  }
  return sum;
}

/* displacements of bodies, which keep the joints of the tree, as those of the joints */
void lwi_partition_read_joints(const lwi_partition *p, const double x[], double du[])
{
  const lw_cartesian *c = p->c;
  for (int i = 1; i <= c->m->njoint; i++) {
    const lwi_joint *j = &c->m->joint[i];
    double V[2][6];
    if (j->info.cut) continue;
    if (j->info.type == LW_REVOLUTE) {
      du[j->info.u] = j->locked ? 0 : turn_of(c, i, x);
      continue;
    }
    for (int side = 0; side < 2; side++)
      move_frame(c, i, side, x, V[side]);
    const lwi_joint_at at = lwi_cartesian_joint_at(c, i);
    lwi_joint_u(&at, V[0], V[1], du + j->info.u);
    for (int k = 0; k < j->info.nu; k++)
      if (k < c->m->link[j->link].inertialess || (j->locked >> k & 1)) du[j->info.u + k] = 0;
  }
}
