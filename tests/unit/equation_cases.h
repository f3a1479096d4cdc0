/* SPDX-License-Identifier: Apache-2.0 */
/* equation_cases.h -- random frames, motions and joints for the tests of equations.

   Rotations are made by Rodrigues' formula and motions are differentiated by differences, so that
   nothing here knows the formulas under test. */
#ifndef EQUATION_CASES_H
#define EQUATION_CASES_H
#include "lwt.h"
#include "model/joint/joint_relative.h"

#include <math.h>

/* ---- rotations and frames ---- */

/* exp(x~) = 1 + sin(n)/n x~ + (1 - cos(n))/n^2 x~ x~ */
static inline rot3 exponential(const double x[3])
{
  const double n = norm3(x), s = n > 0 ? sin(n) / n : 1,
               c = n > 0 ? 2 * pow(sin(n / 2) / n, 2) : 0.5;
  rot3 R = rot_identity();
  for (int j = 0; j < 3; j++) {
    double y[3], z[3];
    cross3(x, R.c[j], y);
    cross3(x, y, z);
    for (int i = 0; i < 3; i++)
      R.c[j][i] += s * y[i] + c * z[i];
  }
  return R;
}

static inline rot3 about(const double axis[3], double angle)
{
  return exponential((double[]){axis[0] * angle, axis[1] * angle, axis[2] * angle});
}

static inline void random_vector(lwt_random *r, bool planar, double size, double v[3])
{
  for (int i = 0; i < 3; i++)
    v[i] = lwt_uniform(r, -size, size);
  if (planar) v[2] = 0;
}

/* a rotation by less than `angle` */
static inline rot3 random_rotation(lwt_random *r, bool planar, double angle)
{
  double n[3] = {0, 0, 1};
  if (!planar) lwt_unit_vector(r, n);
  return about(n, lwt_uniform(r, -angle, angle));
}

static inline lwi_frame random_frame(lwt_random *r, bool planar, double angle)
{
  lwi_frame X = {.R = random_rotation(r, planar, angle)};
  random_vector(r, planar, 2, X.p);
  return X;
}

/* ---- smooth motions: R(t) = exp(t w + t^2/2 alpha) R, p(t) = p + t v + t^2/2 a ---- */

typedef struct {
  lwi_frame X;
  double V[6], A[6]; /* at t = 0 */
} moving;

static inline void random_motion(lwt_random *r, bool planar, double V[6])
{
  random_vector(r, false, 1.5, V);
  random_vector(r, planar, 1.5, V + 3);
  if (planar) V[0] = V[1] = 0;
}

static inline moving random_moving(lwt_random *r, bool planar, double angle)
{
  moving m = {.X = random_frame(r, planar, angle)};
  random_motion(r, planar, m.V);
  random_motion(r, planar, m.A);
  return m;
}

static inline lwi_frame at_time(const moving *m, double t)
{
  lwi_frame X = {.p = {0}};
  double x[3];
  for (int i = 0; i < 3; i++) {
    x[i] = t * m->V[i] + t * t / 2 * m->A[i];
    X.p[i] = m->X.p[i] + t * m->V[3 + i] + t * t / 2 * m->A[3 + i];
  }
  X.R = rot_mul(exponential(x), m->X.R);
  return X;
}

/* ---- differences of order h^8 ---- */

enum { STEPS = 9 }; /* samples at -4h ... 4h */
static inline void differentiate(const double f[STEPS], double h, double *d, double *dd)
{
  const double first[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double second[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  *d = 0;
  *dd = second[0] * f[4];
  for (int k = 1; k < 5; k++) {
    *d += first[k] * (f[4 + k] - f[4 - k]) / h;
    *dd += second[k] * (f[4 + k] + f[4 - k]);
  }
  *dd /= h * h;
}

/* ---- joints ---- */

static inline double random_angle(lwt_random *r)
{
  return lwt_uniform(r, -25, 25); /* several turns */
}

static inline lwi_joint_shape random_shape(lwt_random *r, lw_joint_type type, bool planar)
{
  lwi_joint_shape j = lwi_joint_shape_of(type, planar);
  double n[3], *axis = j.axis[0], *axis2 = j.axis[1];
  axis[2] = 1;
  if (!planar || type == LW_PRISMATIC) lwt_unit_vector(r, axis);
  if (planar && type == LW_PRISMATIC) {
    const double angle = lwt_uniform(r, -3, 3);
    axis[0] = cos(angle), axis[1] = sin(angle), axis[2] = 0;
  }
  do {
    lwt_unit_vector(r, axis2);
    cross3(axis, axis2, n);
  } while (norm3(n) < 0.2);
  lwt_gimbal_axes(LW_UNIVERSAL, axis, axis2, j.axis[2]); /* skew */
  j.pitch = lwt_uniform(r, -0.5, 0.5);
  return j;
}

static inline bool exists(lw_joint_type type, bool planar)
{
  return !planar || type == LW_FIXED || type == LW_REVOLUTE || type == LW_PRISMATIC ||
         type == LW_PLANAR || type == LW_FREE;
}

/* where a joint is at time t, when its coordinates start as q and its speeds are u + t udot; the
   rotation of spherical and free joints is R exp(t w + t^2/2 w') in child axes */
typedef struct {
  lwi_joint_shape shape;
  double q[7], u[6], udot[6];
} joint_case;

static inline rot3 of_quat(const double e[4])
{
  const double n = norm3(e + 1), angle = 2 * atan2(n, e[0]);
  return about((double[]){e[1] / n, e[2] / n, e[3] / n}, angle);
}

static inline rot3 turned(const joint_case *c, rot3 R, double t)
{
  double x[3];
  for (int i = 0; i < 3; i++)
    x[i] = t * c->u[i] + t * t / 2 * c->udot[i];
  return rot_mul(R, exponential(x));
}

/* x' = R v,  x'' = R (w x v + v') */
static inline void moved(const double x[3], rot3 R, const double w[3], const double v[3],
                         const double vdot[3], double t, double out[3])
{
  double a[3], b[3], c[3];
  cross3(w, v, a);
  for (int i = 0; i < 3; i++)
    a[i] += vdot[i];
  rot_mulv(R, v, b);
  rot_mulv(R, a, c);
  for (int i = 0; i < 3; i++)
    out[i] = x[i] + t * b[i] + t * t / 2 * c[i];
}

static inline lwi_frame free_at(const joint_case *c, double t)
{
  lwi_frame X = {.p = {0}};
  const rot3 R = c->shape.planar ? about((double[]){0, 0, 1}, c->q[2]) : of_quat(c->q + 3);
  if (!c->shape.planar) {
    moved(c->q, R, c->u, c->u + 3, c->udot + 3, t, X.p);
    X.R = turned(c, R, t);
    return X;
  }
  const double x[3] = {c->q[0], c->q[1], 0}, w[3] = {0, 0, c->u[0]};
  const double v[3] = {c->u[1], c->u[2], 0}, vdot[3] = {c->udot[1], c->udot[2], 0};
  moved(x, R, w, v, vdot, t, X.p);
  X.R = rot_mul(R, about((double[]){0, 0, 1}, t * c->u[0] + t * t / 2 * c->udot[0]));
  return X;
}

static inline lwi_frame joint_at(const joint_case *c, double t)
{
  const lwi_joint_shape *j = &c->shape;
  const double *axis = j->axis[0];
  lwi_frame X = {.R = rot_identity(), .p = {0}};
  double q[6] = {0}, shift = 0;
  if (j->type == LW_FREE) return free_at(c, t);
  for (int i = 0; i < j->nu; i++)
    q[i] = c->q[i] + t * c->u[i] + t * t / 2 * c->udot[i];
  switch (j->type) {
  case LW_REVOLUTE: X.R = about(axis, q[0]); break;
  case LW_PRISMATIC: shift = q[0]; break;
  case LW_HELICAL: X.R = about(axis, q[0]), shift = j->pitch * q[0]; break;
  case LW_CYLINDRICAL: X.R = about(axis, q[0]), shift = q[1]; break;
  case LW_UNIVERSAL: X.R = rot_mul(about(axis, q[0]), about(j->axis[1], q[1])); break;
  case LW_GIMBAL:
    X.R = rot_mul(about(axis, q[0]), rot_mul(about(j->axis[1], q[1]), about(j->axis[2], q[2])));
    break;
  case LW_SPHERICAL: X.R = turned(c, of_quat(c->q), t); break;
  case LW_PLANAR:
    X.R = about((double[]){0, 0, 1}, q[2]);
    X.p[0] = q[0], X.p[1] = q[1];
    break;
  default: break;
  }
  for (int i = 0; i < 3; i++)
    X.p[i] += shift * axis[i];
  return X;
}

static inline joint_case random_joint(lwt_random *r, lw_joint_type type, bool planar)
{
  joint_case c = {.shape = random_shape(r, type, planar)};
  for (int i = 0; i < c.shape.nq; i++)
    c.q[i] = random_angle(r);
  if (type == LW_GIMBAL) /* on either side of gimbal lock, away from it */
    c.q[1] = lwt_pick(r, 9) * 3.14159265358979323846 + lwt_uniform(r, -1, 1);
  const int quat = type == LW_SPHERICAL ? 0 : type == LW_FREE && !planar ? 3 : -1;
  if (quat >= 0) {
    double n = 0;
    for (int i = 0; i < 4; i++)
      n += c.q[quat + i] * c.q[quat + i];
    for (int i = 0; i < 4; i++)
      c.q[quat + i] /= sqrt(n);
  }
  for (int i = 0; i < c.shape.nu; i++) {
    c.u[i] = lwt_uniform(r, -1.5, 1.5);
    c.udot[i] = lwt_uniform(r, -1.5, 1.5);
  }
  return c;
}

/* a joint between two moving frames: B(t) = A(t) X(t); B's motion by differences */
typedef struct {
  joint_case joint;
  moving A, B;
  lwi_equations e;
} pair;

static inline lwi_frame pair_at(const pair *p, double t)
{
  return lwi_frame_mul(at_time(&p->A, t), joint_at(&p->joint, t));
}

/* R' = w~ R, R'' = (alpha~ + w~ w~) R: the antisymmetric parts of R' R^T and R'' R^T */
static inline void motion_by_differences(const pair *p, double h, double V[6], double A[6])
{
  double f[12][STEPS], d[12], dd[12];
  for (int s = 0; s < STEPS; s++) {
    const lwi_frame X = pair_at(p, (s - 4) * h);
    for (int i = 0; i < 12; i++)
      f[i][s] = i < 9 ? X.R.c[i / 3][i % 3] : X.p[i - 9];
  }
  for (int i = 0; i < 12; i++)
    differentiate(f[i], h, &d[i], &dd[i]);
  const rot3 T = rot_transpose(p->B.X.R);
  const rot3 W = rot_mul(rot_columns(d), T), N = rot_mul(rot_columns(dd), T);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    V[i] = (W.c[j][k] - W.c[k][j]) / 2;
    A[i] = (N.c[j][k] - N.c[k][j]) / 2;
    V[3 + i] = d[9 + i];
    A[3 + i] = dd[9 + i];
  }
}

static inline pair random_pair(unsigned seed, lw_joint_type type, bool planar)
{
  lwt_random r = lwt_seed(seed * 31 + (unsigned)type * 2 + planar);
  pair p = {.joint = random_joint(&r, type, planar), .A = random_moving(&r, planar, 3)};
  p.B.X = pair_at(&p, 0);
  motion_by_differences(&p, 0.01, p.B.V, p.B.A);
  p.e = lwi_joint_equations(&p.joint.shape);
  return p;
}

/* runs the body for every joint type of space and plane and 12 seeds */
#define FOR_EVERY_PAIR(p, what)                                                                    \
  for (int flat_ = 0; flat_ < 2; flat_++)                                                          \
    for (int type_ = 0; type_ < LW_JOINT_TYPES; type_++)                                           \
      for (unsigned seed_ = 1; seed_ <= 12 && exists((lw_joint_type)type_, flat_ != 0); seed_++)   \
  what(random_pair(seed_, (lw_joint_type)type_, flat_ != 0), seed_)

static inline double product6(const double a[6], const double b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}

#endif
