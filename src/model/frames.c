/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c -- orientations, places and axes of the spec become frames. */
#include "math/rotation.h"
#include "model/compile.h"

lwi_frame lwi_frame_identity(void)
{
  return (lwi_frame){.R = rot_identity()};
}

void lwi_frame_point(lwi_frame a, const double x[3], double out[3])
{
  double r[3];
  rot_mulv(a.R, x, r);
  for (int i = 0; i < 3; i++)
    out[i] = r[i] + a.p[i];
}

lwi_frame lwi_frame_mul(lwi_frame a, lwi_frame b)
{
  lwi_frame c = {.R = rot_mul(a.R, b.R)};
  lwi_frame_point(a, b.p, c.p);
  return c;
}

lwi_frame lwi_frame_inverse(lwi_frame a)
{
  lwi_frame c = {.R = rot_transpose(a.R)};
  rot_mulv(c.R, a.p, c.p);
  for (int i = 0; i < 3; i++)
    c.p[i] = -c.p[i];
  return c;
}

/* quaternion product a b */
static void quat_mul(const double a[4], const double b[4], double out[4])
{
  const double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                       a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                       a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                       a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, r, sizeof r);
}

static void quat_rpy(const double v[3], double out[4])
{
  const double x[4] = {cos(v[0] / 2), sin(v[0] / 2), 0, 0};
  const double y[4] = {cos(v[1] / 2), 0, sin(v[1] / 2), 0};
  const double z[4] = {cos(v[2] / 2), 0, 0, sin(v[2] / 2)};
  quat_mul(z, y, out);
  quat_mul(out, x, out);
}

static bool find_quaternion(lwi_compiler *c, const lw_orient *o, const char *field, double quat[4])
{
  double v[4];
  memcpy(v, o->value, sizeof v);
  const double identity[4] = {1, 0, 0, 0};
  if (o->type == LW_ORIENT_NONE) return memcpy(quat, identity, sizeof identity), true;
  if (!lwi_numbers(c, v, o->type == LW_ORIENT_RPY ? 3 : 4, field)) return false;
  if (o->type == LW_ORIENT_RPY) return quat_rpy(v, quat), true;
  if (o->type == LW_ORIENT_AXIS_ANGLE) {
    const double n = norm3(v), s = n > 0 ? sin(v[3] / 2) / n : 0;
    if (!(n > 0)) return lwi_compile_fail(c, LW_E_MODEL, "%s: the axis has length 0", field);
    quat[0] = cos(v[3] / 2);
    for (int i = 0; i < 3; i++)
      quat[1 + i] = s * v[i];
    return true;
  }
  const double n = sqrt(v[0] * v[0] + dot3(v + 1, v + 1));
  if (!(n > 0)) return lwi_compile_fail(c, LW_E_MODEL, "%s: the quaternion is zero", field);
  for (int i = 0; i < 4; i++)
    quat[i] = v[i] / n;
  return true;
}

bool lwi_orientation(lwi_compiler *c, const lw_orient *o, const char *field, double quat[4])
{
  if (!find_quaternion(c, o, field, quat)) return false;
  if (!c->s->planar || (quat[1] == 0 && quat[2] == 0)) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s: a planar model turns about z only", field);
}

/* columns of exactly unit length and right angles matter little here, but quarter turns written as
   angles should give exact zeros: entries of rounding size go */
static void tidy(rot3 *R)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (fabs(R->c[i][j]) < 4e-16) R->c[i][j] = 0;
}

bool lwi_place(lwi_compiler *c, const lw_place *place, const char *field, lwi_frame *out)
{
  double quat[4];
  *out = lwi_frame_identity();
  memcpy(out->p, place->at, sizeof place->at);
  if (!lwi_numbers(c, out->p, 3, field)) return false;
  if (!lwi_orientation(c, &place->orient, field, quat)) return false;
  out->R = rot_from_quat(quat);
  tidy(&out->R);
  if (c->s->planar && out->p[2] != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "%s: z must be 0 in a planar model", field);
  return true;
}

bool lwi_axis(lwi_compiler *c, double axis[3], const double fallback[3], const char *field)
{
  const bool given = axis[0] != 0 || axis[1] != 0 || axis[2] != 0; /* a NaN is an expression */
  if (!given) return memcpy(axis, fallback, 3 * sizeof(double)), true;
  if (!lwi_numbers(c, axis, 3, field)) return false;
  const double n = norm3(axis);
  if (!(n > 0) || !isfinite(n))
    return lwi_compile_fail(c, LW_E_MODEL, "%s has length %g", field, n);
  for (int i = 0; i < 3; i++)
    axis[i] /= n;
  return true;
}
