/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_frame.c -- pos and orientation of bodies, geoms, sites, inertias and frames. */
#include "io/mjcf/mjcf.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

static double angle(const lwi_mjcf *x, double written)
{
  return x->compiler.degrees ? written * (pi / 180) : written;
}

/* lower case: about axes that turn; upper case: about fixed ones */
static rot3 turn_by_euler(const lwi_mjcf *x, const double euler[3])
{
  rot3 R = rot_identity();
  for (int i = 0; i < 3; i++) {
    const char c = x->compiler.eulerseq[i];
    double axis[3] = {0};
    axis[(c | 32) - 'x'] = 1;
    const rot3 turn = lwi_rot_about(axis, angle(x, euler[i]));
    R = c >= 'x' ? rot_mul(R, turn) : rot_mul(turn, R);
  }
  return R;
}

static bool from_axes(const double given[6], rot3 *R)
{
  double a[3] = {given[0], given[1], given[2]}, b[3] = {given[3], given[4], given[5]}, c[3];
  if (!lwi_normalise(a)) return false;
  const double along = dot3(a, b);
  for (int i = 0; i < 3; i++)
    b[i] -= along * a[i];
  if (!lwi_normalise(b)) return false;
  cross3(a, b, c);
  *R = rot_columns((double[9]){a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]});
  return true;
}

/* the shortest turn from z to the direction; of the opposite direction half a turn about x */
static bool from_z(const double given[3], rot3 *R)
{
  double z[3] = {given[0], given[1], given[2]};
  if (!lwi_normalise(z)) return false;
  double quat[4] = {1 + z[2], -z[1], z[0], 0};
  if (1 + z[2] < 1e-14) quat[0] = 0, quat[1] = 1, quat[2] = 0;
  return lwi_rot_quat(quat, R);
}

bool lwi_mjcf_frame(lwi_mjcf *x, const lwi_mjcf_item *item, lwi_frame *out)
{
  static const struct {
    const char *name;
    int n;
  } ways[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
  double v[6], pos[3] = {0};
  bool good = true;
  *out = lwi_frame_identity();
  if (!lwi_mjcf_read(x, item, "pos", 3, pos)) return false;
  memcpy(out->p, pos, sizeof pos);
  for (int i = 0; i < 5; i++) {
    if (!lwi_mjcf_get(x, item, ways[i].name)) continue;
    if (!lwi_mjcf_read(x, item, ways[i].name, ways[i].n, v)) return false;
    if (i == 0) good = lwi_rot_quat(v, &out->R);
    if (i == 1 && (good = lwi_normalise(v))) out->R = lwi_rot_about(v, angle(x, v[3]));
    if (i == 2) out->R = turn_by_euler(x, v);
    if (i == 3) good = from_axes(v, &out->R);
    if (i == 4) good = from_z(v, &out->R);
    return good || lwi_xml_fail(item->element, x->robot.err, "%s gives no direction", ways[i].name);
  }
  return true;
}
