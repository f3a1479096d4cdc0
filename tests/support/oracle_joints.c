/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_joints.c -- the joint table of docs/format.md section 3: poses X(q), and the motion map P with its
   rate and its complement D, in ground axes at the origin of the child's joint frame. */
#include "oracle_internal.h"

/* ---- the joint table of docs/format.md section 3 ---- */

void oraclei_unit_axis(const double axis[3], const oracle_real fallback[3], oracle_real out[3])
{
  oracle_real a[3];
  given(axis, a);
  const oracle_real n = sqrt(dot(a, a));
  for (int i = 0; i < 3; i++)
    out[i] = n > 0 ? a[i] / n : fallback[i];
}

/* axis, axis2 and axis3 in their own joint frames */
static void joint_axes(const lw_joint_desc *j, bool planar, oracle_real axis[3],
                       oracle_real axis2[3], oracle_real axis3[3])
{
  const oracle_real x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const bool slides = planar && j->type == LW_PRISMATIC, gimbal = j->type == LW_GIMBAL;
  oraclei_unit_axis(j->axis, slides || gimbal ? x : z, axis);
  oraclei_unit_axis(j->axis2, gimbal ? y : x, axis2);
  oraclei_unit_axis(j->axis3, z, axis3);
}

/* X(q): the child's joint frame in the parent's */
oracle_frame oraclei_joint_pose(const lw_joint_desc *j, bool planar, const oracle_real q[])
{
  const oracle_real z[3] = {0, 0, 1};
  oracle_real a[3], a2[3], a3[3], second[3][3];
  oracle_frame X = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  joint_axes(j, planar, a, a2, a3);
  switch (j->type) {
  case LW_REVOLUTE: rotation_about(a, q[0], X.R); break;
  case LW_PRISMATIC: add(X.p, q[0], a); break;
  case LW_HELICAL:
    rotation_about(a, q[0], X.R);
    add(X.p, j->pitch * q[0], a);
    break;
  case LW_CYLINDRICAL:
    rotation_about(a, q[0], X.R);
    add(X.p, q[1], a);
    break;
  case LW_UNIVERSAL:
    rotation_about(a, q[0], X.R);
    rotation_about(a2, q[1], second);
    multiply(X.R, second, X.R);
    break;
  case LW_GIMBAL:
    rotation_about(a, q[0], X.R);
    rotation_about(a2, q[1], second);
    multiply(X.R, second, X.R);
    rotation_about(a3, q[2], second);
    multiply(X.R, second, X.R);
    break;
  case LW_SPHERICAL: rotation_of_quaternion(q, X.R); break;
  case LW_FREE:
    if (!planar) {
      memcpy(X.p, q, sizeof X.p);
      rotation_of_quaternion(q + 3, X.R);
      break;
    } /* fall through */
  case LW_PLANAR:
    X.p[0] = q[0], X.p[1] = q[1];
    rotation_about(z, q[2], X.R);
    break;
  default: break; /* fixed */
  }
  return X;
}

static void set_column(oracle_handle *h, bool angular, oracle_real s, const oracle_real a[3],
                       const oracle_real w[3])
{
  oracle_real *p = h->P[h->nu] + (angular ? 0 : 3), *d = h->rate[h->nu] + (angular ? 0 : 3);
  add(p, s, a);
  add_cross(d, s, w, a);
}

/* columns of P: unit vectors fixed in the frame that turns with w */
static void turning(oracle_handle *h, const oracle_real a[3], const oracle_real w[3])
{
  set_column(h, true, 1, a, w);
  h->nu++;
}
static void sliding(oracle_handle *h, const oracle_real a[3], const oracle_real w[3])
{
  set_column(h, false, 1, a, w);
  h->nu++;
}

/* The middle axis is carried by the first angle; perpendicular to both others it is also known, up to
   its sense, where bodies alone are given (oracle_jump.h). */
static void gimbal_columns(const oracle *o, int joint, oracle_real Rp[3][3], oracle_real Rc[3][3],
                           oracle_handle *h)
{
  oracle_real a[3], n[3], c[3], first[3][3], w[3];
  joint_axes(&o->joint[joint], false, a, n, c);
  rotation_about(a, o->coordinate[o->q[joint]], first);
  turn(first, n, n);
  turn(Rp, a, a);
  turn(Rp, n, n);
  turn(Rc, c, c);
  if (fabs(dot(a, n)) < 1e-12 && fabs(dot(c, n)) > 1e-9) {
    memset(n, 0, sizeof n);
    add_cross(n, 1, c, a);
    const oracle_real size = sqrt(dot(n, n));
    for (int i = 0; i < 3; i++)
      n[i] /= size;
  }
  memcpy(w, o->body[h->parent].V, sizeof w);
  turning(h, a, w);
  add(w, o->speed[o->u[joint]], a);
  turning(h, n, w);
  turning(h, c, o->body[h->child].V);
}

static void find_motion_map(const oracle *o, int joint, oracle_real Rp[3][3], oracle_real Rc[3][3],
                            oracle_handle *h)
{
  const lw_joint_desc *j = &o->joint[joint];
  const oracle_real *wp = o->body[h->parent].V, *wc = o->body[h->child].V;
  const bool planar = o->parts->planar;
  oracle_real a[3], a2[3], a3[3], p[3][3], c[3][3];
  joint_axes(j, planar, a, a2, a3);
  turn(Rp, a, a);
  turn(Rc, a2, a2);
  for (int k = 0; k < 3; k++)
    axis_of(Rp, k, p[k]), axis_of(Rc, k, c[k]);
  switch (j->type) {
  case LW_REVOLUTE: turning(h, a, wp); break;
  case LW_PRISMATIC: sliding(h, a, wp); break;
  case LW_HELICAL:
    set_column(h, false, j->pitch, a, wp);
    turning(h, a, wp);
    break;
  case LW_CYLINDRICAL: turning(h, a, wp), sliding(h, a, wp); break;
  case LW_UNIVERSAL: turning(h, a, wp), turning(h, a2, wc); break;
  case LW_GIMBAL: gimbal_columns(o, joint, Rp, Rc, h); break;
  case LW_SPHERICAL:
    for (int k = 0; k < 3; k++)
      turning(h, c[k], wc);
    break;
  case LW_PLANAR: sliding(h, p[0], wp), sliding(h, p[1], wp), turning(h, p[2], wp); break;
  case LW_FREE:
    if (planar) {
      turning(h, c[2], wc), sliding(h, c[0], wc), sliding(h, c[1], wc);
      break;
    }
    for (int k = 0; k < 3; k++)
      turning(h, c[k], wc);
    for (int k = 0; k < 3; k++)
      sliding(h, c[k], wc);
    break;
  default: break; /* fixed */
  }
}

static void remove_component(oracle_real v[6], const oracle_real unit[6])
{
  const oracle_real s = dot6(v, unit);
  for (int i = 0; i < 6; i++)
    v[i] -= s * unit[i];
}

static void normalize6(oracle_real v[6])
{
  const oracle_real n = sqrt(dot6(v, v));
  for (int i = 0; i < 6; i++)
    v[i] /= n;
}

/* Gram and Schmidt, twice over; the unit vector that sticks out most is the next direction */
void oraclei_find_complement(oracle_handle *h)
{
  oracle_real basis[6][6];
  for (int k = 0; k < 6; k++) {
    oracle_real best[6] = {0}, size = -1;
    for (int e = 0; e < 6; e++) {
      oracle_real v[6] = {0};
      v[e] = 1;
      if (k < h->nu) memcpy(v, h->P[k], sizeof v);
      for (int again = 0; again < 2; again++)
        for (int i = 0; i < k; i++)
          remove_component(v, basis[i]);
      if (dot6(v, v) > size) size = dot6(v, v), memcpy(best, v, sizeof v);
    }
    normalize6(best);
    memcpy(basis[k], best, sizeof best);
    if (k >= h->nu) memcpy(h->D[k - h->nu], best, sizeof best);
  }
}

oracle_frame oraclei_joint_frame(const oracle *o, int joint, bool child)
{
  const lw_joint_desc *j = &o->joint[joint];
  return compose(o->body[child ? j->child.id : j->parent.id].X,
                 frame_of_place(child ? &j->child_place : &j->place));
}

oracle_handle oraclei_handle(const oracle *o, int joint)
{
  oracle_handle h = {.parent = o->joint[joint].parent.id, .child = o->joint[joint].child.id};
  oracle_frame p = oraclei_joint_frame(o, joint, false), c = oraclei_joint_frame(o, joint, true);
  memcpy(h.x, c.p, sizeof h.x);
  find_motion_map(o, joint, p.R, c.R, &h);
  return h;
}

void oraclei_times(oracle_real columns[6][6], int n, const oracle_real u[], oracle_real out[6])
{
  memset(out, 0, 6 * sizeof(oracle_real));
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 6; i++)
      out[i] += u[k] * columns[k][i];
}

/* (P'P) x = rhs by elimination */
void oraclei_solve_gram(oracle_real P[6][6], int n, const oracle_real rhs[], oracle_real x[])
{
  oracle_real a[6][7];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      a[i][j] = dot6(P[i], P[j]);
    a[i][n] = rhs[i];
  }
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      const oracle_real s = a[i][k] / a[k][k];
      for (int j = k; j <= n && i != k; j++)
        a[i][j] -= s * a[k][j];
    }
  for (int i = 0; i < n; i++)
    x[i] = a[i][n] / a[i][i];
}

/* the x for which P x comes nearest to v */
void oraclei_least_squares(oracle_real P[6][6], int n, const oracle_real v[6], oracle_real x[])
{
  oracle_real rhs[6];
  for (int i = 0; i < n; i++)
    rhs[i] = dot6(P[i], v);
  oraclei_solve_gram(P, n, rhs, x);
}
