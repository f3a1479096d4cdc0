/* SPDX-License-Identifier: Apache-2.0 */
/* robot_frames.c -- frames from the numbers of robot files. */
#include "io/robot/robot_frames.h"

rot3 lwi_rot_about(const double axis[3], double angle)
{
  const double s = sin(angle / 2);
  return rot_from_quat((double[4]){cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]});
}

rot3 lwi_rot_rpy(const double rpy[3])
{
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  return rot_mul(lwi_rot_about(z, rpy[2]),
                 rot_mul(lwi_rot_about(y, rpy[1]), lwi_rot_about(x, rpy[0])));
}

bool lwi_rot_quat(const double quat[4], rot3 *out)
{
  double largest = 0, e[4], n = 0;
  for (int i = 0; i < 4; i++)
    largest = fmax(largest, fabs(quat[i]));
  if (!(largest > 0)) return false;
  for (int i = 0; i < 4; i++) {
    e[i] = quat[i] / largest;
    n += e[i] * e[i];
  }
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(n);
  *out = rot_from_quat(e);
  return true;
}

bool lwi_normalise(double v[3])
{
  const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(largest > 0)) return false;
  for (int i = 0; i < 3; i++)
    v[i] /= largest;
  const double n = norm3(v);
  for (int i = 0; i < 3; i++)
    v[i] /= n;
  return true;
}
