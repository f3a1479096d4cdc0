/* SPDX-License-Identifier: Apache-2.0 */
/* joint_relative.c -- one switch per question; see joint_relative.h.

   Legend: a  the axis on A, b  the axis (universal: axis2) on B, w, v  the motion of B seen from
   A. */
#include "model/joint/joint_relative.h"
#include "linkwork/reader.h"

num_joint_shape lwi_joint_shape_of(lw_joint_type type, bool planar)
{
  return (num_joint_shape){.type = type,
                           .planar = planar,
                           .nq = lw_joint_type_nq(type, planar),
                           .nu = lw_joint_type_nu(type, planar)};
}

static const num z_axis[3] = {0, 0, 1};

static bool is_free_planar(const num_joint_shape *j)
{
  return j->type == LW_FREE && j->planar;
}

/* ---- positions ---- */

static num_rot rotation_about(const num axis[3], num angle)
{
  const num s = num_sin(angle / 2);
  const num e[4] = {num_cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
  return rot_from_quat(e);
}

static num_rot rotation_of_quat(const num q[4])
{
  const num n = num_sqrt(q[0] * q[0] + dot3(q + 1, q + 1));
  const num e[4] = {q[0] / n, q[1] / n, q[2] / n, q[3] / n};
  return rot_from_quat(e);
}

static void shift_along(const num axis[3], num by, num p[3])
{
  for (int i = 0; i < 3; i++)
    p[i] = by * axis[i];
}

num_frame lwi_joint_pose(const num_joint_shape *j, const num q[])
{
  const num *axis = j->axis[0];
  num_frame X = lwi_frame_identity();
  switch (j->type) {
  case LW_REVOLUTE: X.R = rotation_about(axis, q[0]); break;
  case LW_PRISMATIC: shift_along(axis, q[0], X.p); break;
  case LW_HELICAL:
    X.R = rotation_about(axis, q[0]);
    shift_along(axis, j->pitch * q[0], X.p);
    break;
  case LW_CYLINDRICAL:
    X.R = rotation_about(axis, q[0]);
    shift_along(axis, q[1], X.p);
    break;
  case LW_UNIVERSAL:
  case LW_GIMBAL:
    X.R = rotation_about(axis, q[0]);
    for (int k = 1; k < j->nq; k++)
      X.R = rot_mul(X.R, rotation_about(j->axis[k], q[k]));
    break;
  case LW_SPHERICAL: X.R = rotation_of_quat(q); break;
  case LW_PLANAR:
    X.R = rotation_about(z_axis, q[2]);
    memcpy(X.p, q, 2 * sizeof(num));
    break;
  case LW_FREE:
    X.R = j->planar ? rotation_about(z_axis, q[2]) : rotation_of_quat(q + 3);
    memcpy(X.p, q, (j->planar ? 2 : 3) * sizeof(num));
    break;
  default: break;
  }
  return X;
}

/* the turn about axis that takes x to y (all in one frame), modulo 2 pi */
static num turn_between(const num axis[3], const num x[3], const num y[3])
{
  num n[3];
  cross3(x, y, n);
  return num_atan2(dot3(axis, n), dot3(x, y) - dot3(axis, x) * dot3(axis, y));
}

/* Q = Rot(a, q1) Rot(b, q2) in A's axes: Q b = Rot(a, q1) b gives q1, Q^T a = Rot(b, -q2) a gives
   q2 */
static void universal_angles(const num_joint_shape *j, const num_rot *Q, const double near[2],
                             num q[2])
{
  const num *axis = j->axis[0], *axis2 = j->axis[1];
  num b[3], a[3];
  rot_mulv(*Q, axis2, b);
  rot_tmulv(*Q, axis, a);
  q[0] = lwi_nearest_angle(turn_between(axis, axis2, b), near[0]);
  q[1] = lwi_nearest_angle(-turn_between(axis2, axis, a), near[1]);
}

/* a . Rot(b, q2) c = C + R cos(q2 - at): of a gimbal with the axes a, b, c.  In gimbal lock
   sin(q2 - at) = 0 and the three axes, where they are, lie in one plane. */
typedef struct {
  num C, R, at;
} middle_angle;

static middle_angle middle_of(const num_joint_shape *j)
{
  const num *a = j->axis[0], *b = j->axis[1], *c = j->axis[2];
  num bc[3];
  cross3(b, c, bc);
  const num C = dot3(a, b) * dot3(b, c), x = dot3(a, c) - C, y = dot3(a, bc);
  return (middle_angle){C, num_hypot(x, y), num_atan2(y, x)};
}

/* The other two angles of a rotation Q = Rot(a, q1) Rot(b, q2) Rot(c, q3) whose q2 is known.  d = Q
   c is Rot(a, q1) Rot(b, q2) c; what is left of Q then turns about c, so that near gimbal lock,
   where q1 loses digits, q3 makes up for them.  Where d is parallel to a only the sum or difference
   of q1 and q3 is determined: both move equally far from near. */
static void outer_angles(const num_joint_shape *j, const num_rot *Q, const num d[3],
                         const double near[3], num q[3])
{
  const num *a = j->axis[0], *c = j->axis[2];
  const num_rot same = rot_identity();
  num v[3], n[3];
  rot_mulv(rotation_about(j->axis[1], q[1]), c, v);
  cross3(a, d, n);
  const bool parallel = value_of(dot3(n, n)) < 1e-28;
  q[0] = parallel ? near[0] : lwi_nearest_angle(turn_between(a, v, d), near[0]);
  const num_rot first = rot_mul(rotation_about(a, q[0]), rotation_about(j->axis[1], q[1]));
  const num_rot rest = rot_mul(rot_transpose(first), *Q);
  q[2] = lwi_relative_angle(&same, &rest, c, near[2]);
  if (!parallel) return;
  const num half = (q[2] - near[2]) / 2;
  q[0] += value_of(dot3(a, d)) > 0 ? half : -half;
  q[2] -= half;
}

/* Two sets of angles have the same rotation, with q2 on either side of gimbal lock: the one nearer
   to near is taken.  With skew axes some rotations have none; then q2 is in gimbal lock. */
static void gimbal_angles(const num_joint_shape *j, const num_rot *Q, const double near[3],
                          num q[3])
{
  const num *a = j->axis[0], *b = j->axis[1], *c = j->axis[2];
  const num ab = dot3(a, b), bc = dot3(b, c);
  const middle_angle m = middle_of(j);
  num d[3], n[3], both[2][3];
  double far[2] = {0};
  rot_mulv(*Q, c, d);
  cross3(a, d, n);
  const num s = dot3(a, d);
  const num sine2 = dot3(n, n) - (ab * ab + bc * bc - 2 * ab * bc * s); /* of R sin(q2 - at) */
  const num sine = value_of(sine2) > 0 ? num_sqrt(sine2) : 0;
  const num angle = num_atan2(sine, s - m.C);
  for (int k = 0; k < 2; k++) {
    both[k][1] = lwi_nearest_angle(k ? m.at - angle : m.at + angle, near[1]);
    outer_angles(j, Q, d, near, both[k]);
    for (int i = 0; i < 3; i++)
      far[k] += (value_of(both[k][i]) - near[i]) * (value_of(both[k][i]) - near[i]);
  }
  memcpy(q, both[far[1] < far[0]], sizeof both[0]);
}

#if !LW_DERIVATIVE
double lwi_joint_lock(const lwi_joint_shape *j, const double q[])
{
  return lwi_joint_locks(j->type) ? sin(q[1] - middle_of(j).at) : 1;
}
#endif

static void quat_near(const num_rot *Q, const double near[4], num q[4])
{
  num e[4];
  double dot = 0;
  quat_from_rot(*Q, e);
  for (int i = 0; i < 4; i++)
    dot += value_of(e[i]) * near[i];
  for (int i = 0; i < 4; i++)
    q[i] = dot < 0 ? -e[i] : e[i];
}

void lwi_joint_q(const num_joint_at *at, num q[])
{
  const num_joint_shape *j = at->shape;
  const num_frame *A = at->A, *B = at->B;
  const num *axis = j->axis[0];
  const double *near = at->near;
  if (j->type == LW_REVOLUTE || j->type == LW_HELICAL) { /* the most frequent by far */
    q[0] = lwi_relative_angle(&A->R, &B->R, axis, near[0]);
    return;
  }
  const num_rot Q = rot_mul(rot_transpose(A->R), B->R);
  num d[3]; /* in A's axes */
  for (int i = 0; i < 3; i++)
    d[i] = B->p[i] - A->p[i];
  rot_tmulv(A->R, d, d);
  switch (j->type) {
  case LW_PRISMATIC: q[0] = dot3(axis, d); return;
  case LW_CYLINDRICAL:
    q[0] = lwi_relative_angle(&A->R, &B->R, axis, near[0]);
    q[1] = dot3(axis, d);
    return;
  case LW_UNIVERSAL: universal_angles(j, &Q, near, q); return;
  case LW_GIMBAL: gimbal_angles(j, &Q, near, q); return;
  case LW_SPHERICAL: quat_near(&Q, near, q); return;
  case LW_FREE:
    if (!j->planar) {
      quat_near(&Q, near + 3, q + 3);
      memcpy(q, d, sizeof d);
      return;
    } /* fall through */
  case LW_PLANAR:
    q[2] = lwi_relative_angle(&A->R, &B->R, z_axis, near[2]);
    memcpy(q, d, 2 * sizeof(num));
    return;
  default: return;
  }
}

/* ---- velocities ---- */

static void angular(num column[6], const num axis[3])
{
  memcpy(column, axis, 3 * sizeof(num));
}
static void linear(num column[6], const num axis[3])
{
  memcpy(column + 3, axis, 3 * sizeof(num));
}

/* columns (rows of G) that are unit vectors of one frame: the same in P and G */
static void unit_columns(const num_joint_at *at, num M[][6])
{
  const num_joint_shape *j = at->shape;
  const num_rot *a = &at->A->R, *b = &at->B->R;
  if (is_free_planar(j)) {
    angular(M[0], b->c[2]);
    linear(M[1], b->c[0]);
    linear(M[2], b->c[1]);
  } else if (j->type == LW_PLANAR) {
    linear(M[0], a->c[0]);
    linear(M[1], a->c[1]);
    angular(M[2], a->c[2]);
  } else {
    for (int i = 0; i < 3; i++)
      angular(M[i], b->c[i]);
    for (int i = 0; i < 3 && j->type == LW_FREE; i++)
      linear(M[3 + i], b->c[i]);
  }
}

/* the axes of a joint where they are: the first in A, the last one in B, that of a gimbal in
   between turned by its first angle */
static void find_axes(const num_joint_at *at, num a[LWI_MOST_AXES][3])
{
  const num_joint_shape *j = at->shape;
  rot_mulv(at->A->R, j->axis[0], a[0]);
  if (j->type != LW_GIMBAL) {
    rot_mulv(at->B->R, j->axis[1], a[1]);
    return;
  }
  num q[3];
  lwi_joint_q(at, q);
  rot_mulv(rotation_about(j->axis[0], q[0]), j->axis[1], a[1]);
  rot_mulv(at->A->R, a[1], a[1]);
  rot_mulv(at->B->R, j->axis[2], a[2]);
}

void lwi_joint_motion_map(const num_joint_at *at, num P[][6])
{
  const num_joint_shape *j = at->shape;
  num axis[LWI_MOST_AXES][3];
  const num *a = axis[0];
  find_axes(at, axis);
  for (int i = 0; i < j->nu; i++)
    memset(P[i], 0, sizeof P[i]);
  switch (j->type) {
  case LW_FIXED: return;
  case LW_REVOLUTE: angular(P[0], a); return;
  case LW_PRISMATIC: linear(P[0], a); return;
  case LW_HELICAL:
    angular(P[0], a);
    for (int i = 0; i < 3; i++)
      P[0][3 + i] = j->pitch * a[i];
    return;
  case LW_CYLINDRICAL:
    angular(P[0], a);
    linear(P[1], a);
    return;
  case LW_UNIVERSAL:
  case LW_GIMBAL:
    for (int i = 0; i < j->nu; i++)
      angular(P[i], axis[i]);
    return;
  default: unit_columns(at, P);
  }
}

/* rate of the angle of lwi_relative_angle: w . (a + b) / (1 + a . b) */
static void angle_rate_row(const num_joint_at *at, const num axis[3], num G[3])
{
  num a[3], b[3];
  rot_mulv(at->A->R, axis, a);
  rot_mulv(at->B->R, axis, b);
  const num along = 1 + dot3(a, b), D = value_of(along) > 1e-6 ? along : 1e-6;
  for (int i = 0; i < 3; i++)
    G[i] = (a[i] + b[i]) / D;
}

void lwi_joint_angle_row(const num_joint_at *at, num G[3])
{
  angle_rate_row(at, at->shape->axis[0], G);
}

/* the basis dual to the two axes, in their plane; these are the gradients of universal_angles */
static void dual_rows(const num a[3], const num b[3], num G[2][6])
{
  const num c = dot3(a, b);
  num n[3];
  cross3(a, b, n);
  const num s2 = dot3(n, n);
  for (int i = 0; i < 3; i++) {
    G[0][i] = (a[i] - c * b[i]) / s2;
    G[1][i] = (b[i] - c * a[i]) / s2;
  }
}

/* the basis dual to three axes; it has a pole in gimbal lock */
static void dual_basis(num axis[3][3], num G[3][6])
{
  for (int k = 0; k < 3; k++)
    cross3(axis[(k + 1) % 3], axis[(k + 2) % 3], G[k]);
  const num volume = dot3(axis[0], G[0]);
  for (int k = 0; k < 9; k++)
    G[k / 3][k % 3] /= volume;
}

void lwi_joint_speed_map(const num_joint_at *at, num G[][6])
{
  const num_joint_shape *j = at->shape;
  num axis[LWI_MOST_AXES][3];
  for (int i = 0; i < j->nu; i++)
    memset(G[i], 0, sizeof G[i]);
  if (j->type == LW_REVOLUTE || j->type == LW_HELICAL) { /* the most frequent by far */
    angle_rate_row(at, j->axis[0], G[0]);
    return;
  }
  find_axes(at, axis);
  switch (j->type) {
  case LW_FIXED: return;
  case LW_PRISMATIC: linear(G[0], axis[0]); return;
  case LW_CYLINDRICAL:
    angle_rate_row(at, j->axis[0], G[0]);
    linear(G[1], axis[0]);
    return;
  case LW_UNIVERSAL: dual_rows(axis[0], axis[1], G); return;
  case LW_GIMBAL: dual_basis(axis, G); return;
  case LW_PLANAR:
    unit_columns(at, G);
    angle_rate_row(at, z_axis, G[2]);
    return;
  default: unit_columns(at, G);
  }
}

void lwi_joint_multiply(num G[][6], int n, const num x[6], num out[])
{
  for (int i = 0; i < n; i++)
    out[i] = dot3(G[i], x) + dot3(G[i] + 3, x + 3);
}

void lwi_joint_u(const num_joint_at *at, const num VA[6], const num VB[6], num u[])
{
  num G[6][6], rel[6];
  if (at->shape->type == LW_REVOLUTE) {
    for (int i = 0; i < 3; i++)
      rel[i] = VB[i] - VA[i];
    lwi_joint_angle_row(at, G[0]);
    u[0] = dot3(G[0], rel);
    return;
  }
  lwi_relative_motion(at->A, at->B, VA, VB, rel);
  lwi_joint_speed_map(at, G);
  lwi_joint_multiply(G, at->shape->nu, rel, u);
}
