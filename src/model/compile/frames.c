/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c -- reads numbers, orientations, positions and axes of a spec as values and frames. */
#include "model/compile/constants.h"

/* ---- numbers ---- */

bool lwi_read(lwi_compiler *c, const double written[], int n, const char *field, num out[])
{
#if LW_DERIVATIVE
  for (int i = 0; i < n; i++) {
    double x, derivative;
    if (!lwi_number_derivative(c, written[i], field, &x, &derivative)) return false;
    out[i] = num_of(x, derivative);
  }
  return true;
#else
  memmove(out, written, (size_t)n * sizeof *out);
  return lwi_numbers(c, out, n, field);
#endif
}

bool lwi_gravity_numbers(lwi_compiler *c)
{
  const double space[3] = {0, 0, -9.81}, plane[3] = {0, -9.81, 0};
  const lw_spec *s = c->s;
  num g[3];
  if (!lwi_read(c, s->has_gravity ? s->gravity : s->planar ? plane : space, 3, "gravity", g))
    return false;
  if (s->planar && value_of(g[2]) != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "gravity: z must be 0 in a planar model");
  lwi_keep(g, 3, c->out->gravity);
  return true;
}

/* ---- orientations ---- */

/* quaternion product a b */
static void quat_mul(const num a[4], const num b[4], num out[4])
{
  const num r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  memcpy(out, r, sizeof r);
}

static void quat_rpy(const num v[3], num out[4])
{
  const num x[4] = {num_cos(v[0] / 2), num_sin(v[0] / 2), 0, 0};
  const num y[4] = {num_cos(v[1] / 2), 0, num_sin(v[1] / 2), 0};
  const num z[4] = {num_cos(v[2] / 2), 0, 0, num_sin(v[2] / 2)};
  quat_mul(z, y, out);
  quat_mul(out, x, out);
}

static bool find_quaternion(lwi_compiler *c, lw_orient_type type, const double value[4],
                            const char *field, num quat[4])
{
  num v[4];
  const num identity[4] = {1, 0, 0, 0};
  if (type == LW_ORIENT_NONE) return memcpy(quat, identity, sizeof identity), true;
  if (!lwi_read(c, value, type == LW_ORIENT_RPY ? 3 : 4, field, v)) return false;
  if (type == LW_ORIENT_RPY) return quat_rpy(v, quat), true;
  if (type == LW_ORIENT_AXIS_ANGLE) {
    const num n = norm3(v);
    if (!(value_of(n) > 0))
      return lwi_compile_fail(c, LW_E_MODEL, "%s: the axis has length 0", field);
    const num s = num_sin(v[3] / 2) / n;
    quat[0] = num_cos(v[3] / 2);
    for (int i = 0; i < 3; i++)
      quat[1 + i] = s * v[i];
    return true;
  }
  const num n = num_sqrt(v[0] * v[0] + dot3(v + 1, v + 1));
  if (!(value_of(n) > 0))
    return lwi_compile_fail(c, LW_E_MODEL, "%s: the quaternion is zero", field);
  for (int i = 0; i < 4; i++)
    quat[i] = v[i] / n;
  return true;
}

bool lwi_orientation(lwi_compiler *c, lw_orient_type type, const double value[4], const char *field,
                     num quat[4])
{
  if (!find_quaternion(c, type, value, field, quat)) return false;
  if (!c->s->planar || (value_of(quat[1]) == 0 && value_of(quat[2]) == 0)) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s: a planar model turns about z only", field);
}

/* ---- positions and axes ---- */

bool lwi_place(lwi_compiler *c, const lw_place *place, const char *field, num_frame *out)
{
  num quat[4];
  *out = lwi_frame_identity();
  if (!lwi_read(c, place->at, 3, field, out->p)) return false;
  if (!lwi_orientation(c, place->orient.type, place->orient.value, field, quat)) return false;
  out->R = rot_from_quat(quat);
  /* entries of the size of rounding errors are removed: quarter turns written as angles give exact
     zeros */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      if (fabs(value_of(out->R.c[i][j])) < 4e-16) out->R.c[i][j] -= value_of(out->R.c[i][j]);
  if (c->s->planar && value_of(out->p[2]) != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "%s: z must be 0 in a planar model", field);
  return true;
}

bool lwi_axis(lwi_compiler *c, const double written[3], const num fallback[3], const char *field,
              num out[3])
{
  const bool given = written[0] != 0 || written[1] != 0 || written[2] != 0; /* NaN: an expression */
  if (!given) return memcpy(out, fallback, 3 * sizeof(num)), true;
  if (!lwi_read(c, written, 3, field, out)) return false;
  const num n = norm3(out);
  if (!(value_of(n) > 0) || !isfinite(value_of(n)))
    return lwi_compile_fail(c, LW_E_MODEL, "%s has length %g", field, value_of(n));
  for (int i = 0; i < 3; i++)
    out[i] /= n;
  return true;
}

num_frame lwi_body_in_link(const lwi_compiler *c, int body)
{
  const lwi_body *b = &c->m->body[body], *derivative = &c->out->body[body];
  num_frame X = {0};
  lwi_get(&b->R.c[0][0], &derivative->R.c[0][0], 12, &X.R.c[0][0]);
  lwi_get(b->p, derivative->p, 3, X.p);
  return X;
}
