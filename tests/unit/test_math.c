/* SPDX-License-Identifier: Apache-2.0 */
/* The small algebra of src/math against plain doubles, lane by lane.  The build compiles this file
   once for each way of src/math/real.h: plain, packed, 4 and 8 lanes. */
#include "lwt.h"

#include "math/rotation.h"
#include "math/sincos.h"
#include "math/spatial.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = LW_LANES, ROUNDS = 200 };

static const double tol = 32 * DBL_EPSILON;

/* ---- random values and what a lane of a value is ---- */

static real random_real(lwt_random *r, double low, double high)
{
#if LW_LANES == 1
  return lwt_uniform(r, low, high);
#else
  real x = real_set(0);
  for (int k = 0; k < LANES; k++)
    x[k] = lwt_uniform(r, low, high);
  return x;
#endif
}

/* the lane that packed vectors have to spare holds no number: nobody may read it */
static vec3 random_vec(lwt_random *r)
{
  const real x = random_real(r, -1, 1), y = random_real(r, -1, 1), z = random_real(r, -1, 1);
  vec3 v = v3(x, y, z);
#if LW_PACKED
  v[3] = (double)NAN;
#endif
  return v;
}

static motion random_motion(lwt_random *r)
{
  const vec3 w = random_vec(r);
  return (motion){w, random_vec(r)};
}
static force random_force(lwt_random *r)
{
  const vec3 t = random_vec(r);
  return (force){t, random_vec(r)};
}
static mat3 random_mat(lwt_random *r)
{
  const vec3 x = random_vec(r), y = random_vec(r);
  return (mat3){x, y, random_vec(r)};
}

typedef struct {
  double v[3];
} d3;
typedef struct {
  double m[3][3]; /* row, column */
} d33;
typedef struct {
  double v[6];
} d6;
typedef struct {
  double m[6][6];
} d66;

static d3 lane3(vec3 v, int k)
{
  return (d3){{real_lane(v3_x(v), k), real_lane(v3_y(v), k), real_lane(v3_z(v), k)}};
}
static d33 lane33(mat3 a, int k)
{
  const d3 x = lane3(a.x, k), y = lane3(a.y, k), z = lane3(a.z, k);
  d33 m;
  for (int i = 0; i < 3; i++)
    m.m[i][0] = x.v[i], m.m[i][1] = y.v[i], m.m[i][2] = z.v[i];
  return m;
}
static d6 lane_motion(motion a, int k)
{
  const d3 w = lane3(a.w, k), v = lane3(a.v, k);
  return (d6){{w.v[0], w.v[1], w.v[2], v.v[0], v.v[1], v.v[2]}};
}
static d6 lane_force(force a, int k)
{
  const d3 t = lane3(a.t, k), f = lane3(a.f, k);
  return (d6){{t.v[0], t.v[1], t.v[2], f.v[0], f.v[1], f.v[2]}};
}

/* ---- the same in plain doubles ---- */

static d3 cross_of(d3 a, d3 b)
{
  return (d3){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
               a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}
static double dot_of(const double *a, const double *b, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * b[i];
  return s;
}
static d33 product(d33 a, d33 b)
{
  d33 c = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        c.m[i][j] += a.m[i][k] * b.m[k][j];
  return c;
}
static d33 transposed(d33 a)
{
  d33 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a.m[j][i];
  return c;
}
static d33 tilde(d3 r)
{
  return (d33){{{0, -r.v[2], r.v[1]}, {r.v[2], 0, -r.v[0]}, {-r.v[1], r.v[0], 0}}};
}
static d6 times6(d66 a, d6 x)
{
  d6 y;
  for (int i = 0; i < 6; i++)
    y.v[i] = dot_of(a.m[i], x.v, 6);
  return y;
}
static d66 product6(d66 a, d66 b)
{
  d66 c = {{{0}}};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++)
        c.m[i][j] += a.m[i][k] * b.m[k][j];
  return c;
}
static d66 transposed6(d66 a)
{
  d66 c;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      c.m[i][j] = a.m[j][i];
  return c;
}
/* [ 1 r~ ; 0 1 ] */
static d66 phi(d3 r)
{
  const d33 t = tilde(r);
  d66 a = {{{0}}};
  for (int i = 0; i < 6; i++)
    a.m[i][i] = 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a.m[i][3 + j] = t.m[i][j];
  return a;
}

static void same(const double *a, const double *b, int n, double scale, const char *what)
{
  lwt_close(a, b, n, tol, scale, "%s", what);
}
#define SAME3(a, b, what) same((a).v, (b).v, 3, 1, what)
#define SAME6(a, b, what) same((a).v, (b).v, 6, 4, what)
#define SAME33(a, b, what) same(&(a).m[0][0], &(b).m[0][0], 9, 4, what)
#define SAME66(a, b, what) same(&(a).m[0][0], &(b).m[0][0], 36, 16, what)

/* ---- numbers ---- */

static void reals_behave_like_doubles_in_every_lane(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(1);
  const real a = random_real(&r, -1, 1), b = random_real(&r, -1, 1);
  const real larger = real_select(a > b, a, b), size = real_abs(a), root = real_sqrt(size);
  const real e = real_map1(a, exp), h = real_map2(a, b, hypot), seven = real_set(7);
  for (int k = 0; k < LANES; k++) {
    const double x = real_lane(a, k), y = real_lane(b, k);
    assert_true(real_lane(larger, k) == (x > y ? x : y));
    assert_true(real_lane(size, k) == fabs(x));
    assert_true(real_lane(root, k) == sqrt(fabs(x)));
    assert_true(real_lane(e, k) == exp(x));
    assert_true(real_lane(h, k) == hypot(x, y));
    assert_true(real_lane(seven, k) == 7);
  }
  assert_true(real_any(a == a));
  assert_false(real_any(a != a));
  assert_true(!signbit(real_lane(real_set(0.0), 0)));
}

static void a_mask_is_true_if_any_lane_is(void **state)
{
  (void)state;
  for (int k = 0; k < LANES; k++) {
    real a = real_set(1);
#if LW_LANES == 1
    a = -1;
#else
    a[k] = -1;
#endif
    assert_true(real_any(a < real_set(0)));
  }
}

/* ---- vectors and matrices ---- */

static void vectors_follow_their_definitions(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(2);
  for (int n = 0; n < ROUNDS; n++) {
    const vec3 a = random_vec(&r), b = random_vec(&r), c = random_vec(&r);
    const real s = random_real(&r, -1, 1);
    for (int k = 0; k < LANES; k++) {
      const d3 x = lane3(a, k), y = lane3(b, k), z = lane3(c, k), xy = cross_of(x, y);
      d3 want;
      for (int i = 0; i < 3; i++)
        want.v[i] = x.v[i] + y.v[i];
      SAME3(lane3(v3_add(a, b), k), want, "sum");
      for (int i = 0; i < 3; i++)
        want.v[i] = x.v[i] - y.v[i];
      SAME3(lane3(v3_sub(a, b), k), want, "difference");
      for (int i = 0; i < 3; i++)
        want.v[i] = -x.v[i];
      SAME3(lane3(v3_neg(a), k), want, "negative");
      for (int i = 0; i < 3; i++)
        want.v[i] = x.v[i] * real_lane(s, k);
      SAME3(lane3(v3_scale(a, s), k), want, "multiple");
      for (int i = 0; i < 3; i++)
        want.v[i] = x.v[i] + y.v[i] * real_lane(s, k);
      SAME3(lane3(v3_fma(a, b, s), k), want, "a + b s");
      SAME3(lane3(v3_cross(a, b), k), xy, "cross product");
      for (int i = 0; i < 3; i++)
        want.v[i] = z.v[i] + xy.v[i];
      SAME3(lane3(v3_add_cross(c, a, b), k), want, "c + a x b");
      lwt_near(real_lane(v3_dot(a, b), k), dot_of(x.v, y.v, 3), tol, "dot product");
    }
  }
}

static void model_vectors_are_the_same_in_all_lanes(void **state)
{
  (void)state;
  const param p[4] = {1, 2, 3, 0};
  const vec3 v = v3_param(p), o = v3_zero();
  for (int k = 0; k < LANES; k++) {
    SAME3(lane3(v, k), ((d3){{1, 2, 3}}), "vector of the model");
    SAME3(lane3(o, k), ((d3){{0, 0, 0}}), "zero");
  }
}

static rot3 random_rot3(lwt_random *r)
{
  rot3 a = {{{0}}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a.c[i][j] = lwt_uniform(r, -1, 1);
  return a;
}
static d33 of_rot3(const rot3 *a)
{
  d33 m;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      m.m[i][j] = a->c[j][i];
  return m;
}

static void matrices_follow_their_definitions(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(3);
  for (int n = 0; n < ROUNDS; n++) {
    const mat3 a = random_mat(&r), b = random_mat(&r);
    const vec3 v = random_vec(&r);
    const rot3 P = random_rot3(&r);
    const param p[4] = {P.c[0][0], P.c[0][1], P.c[0][2], 0};
    const real angle = random_real(&r, -3, 3), c = real_map1(angle, cos), s = real_map1(angle, sin);
    for (int k = 0; k < LANES; k++) {
      const d33 A = lane33(a, k), B = lane33(b, k);
      const d3 x = lane3(v, k);
      d3 y = {{0}}, t = {{0}}, f = {{0}};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          y.v[i] += A.m[i][j] * x.v[j];
          t.v[i] += A.m[j][i] * x.v[j];
          f.v[i] += A.m[i][j] * p[j];
        }
      SAME3(lane3(m3_mulv(a, v), k), y, "A v");
      SAME3(lane3(m3_tmulv(a, v), k), t, "A' v");
      SAME3(lane3(m3_mulp(a, p), k), f, "A p");
      SAME33(lane33(m3_mul(a, b), k), product(A, B), "A B");
      SAME33(lane33(m3_mulparam(a, &P), k), product(A, of_rot3(&P)), "A P");
      SAME33(lane33(m3_transpose(a), k), transposed(A), "A'");
      const double cc = real_lane(c, k), ss = real_lane(s, k);
      const d33 Z = {{{cc, -ss, 0}, {ss, cc, 0}, {0, 0, 1}}};
      SAME33(lane33(m3_turn_z(a, c, s), k), product(A, Z), "A Rz");
    }
  }
  for (int k = 0; k < LANES; k++)
    SAME33(lane33(m3_identity(), k), ((d33){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), "1");
}

/* a symmetric matrix as what it does to unit vectors */
static d33 lane_sym(sym3 a, int k)
{
  const real o = real_set(0), i = real_set(1);
  return lane33((mat3){s3_mulv(a, v3(i, o, o)), s3_mulv(a, v3(o, i, o)), s3_mulv(a, v3(o, o, i))},
                k);
}

static rot3 random_symmetric(lwt_random *r)
{
  rot3 J = random_rot3(r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      J.c[i][j] = J.c[j][i];
  return J;
}

static void symmetric_matrices_follow_their_definitions(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(4);
  for (int n = 0; n < ROUNDS; n++) {
    const mat3 R = random_mat(&r), S = random_mat(&r);
    const rot3 J = random_symmetric(&r), K = random_symmetric(&r);
    const sym3 A = s3_rotate(R, &J), B = s3_rotate(S, &K);
    const vec3 a = random_vec(&r), g = random_vec(&r), v = random_vec(&r);
    const sym3 C = s3_add(A, B), D = s3_add_parallel(A, a, g);
    const vec3 Av = s3_mulv(A, v);
    for (int k = 0; k < LANES; k++) {
      const d33 X = product(product(lane33(R, k), of_rot3(&J)), transposed(lane33(R, k)));
      const d33 Y = product(product(lane33(S, k), of_rot3(&K)), transposed(lane33(S, k)));
      const d3 x = lane3(a, k), y = lane3(g, k), z = lane3(v, k);
      d33 sum, moved;
      d3 Xz;
      for (int i = 0; i < 3; i++) {
        Xz.v[i] = dot_of(X.m[i], z.v, 3);
        for (int j = 0; j < 3; j++) {
          sum.m[i][j] = X.m[i][j] + Y.m[i][j];
          moved.m[i][j] = X.m[i][j] + (i == j ? 2 * dot_of(x.v, y.v, 3) : 0) - x.v[i] * y.v[j] -
                          y.v[i] * x.v[j];
        }
      }
      SAME33(lane_sym(A, k), X, "R J R'");
      SAME33(lane_sym(C, k), sum, "sum");
      SAME33(lane_sym(D, k), moved, "parallel axes");
      same(lane3(Av, k).v, Xz.v, 3, 4, "product");
    }
  }
}

/* ---- spatial algebra ---- */

static void shifts_are_the_matrix_phi_and_its_transpose(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(5);
  for (int n = 0; n < ROUNDS; n++) {
    const motion V = random_motion(&r), W = random_motion(&r);
    const force f = random_force(&r), g = random_force(&r);
    const vec3 a = random_vec(&r);
    const real s = random_real(&r, -1, 1);
    for (int k = 0; k < LANES; k++) {
      const d66 P = phi(lane3(a, k));
      const d6 v = lane_motion(V, k), w = lane_motion(W, k), x = lane_force(f, k),
               y = lane_force(g, k);
      const double c = real_lane(s, k);
      SAME6(lane_motion(motion_at(V, a), k), times6(transposed6(P), v), "phi* V");
      SAME6(lane_force(force_from(f, a), k), times6(P, x), "phi f");
      lwt_near(real_lane(power(V, f), k), dot_of(v.v, x.v, 6), tol, "power");
      d6 want;
      for (int i = 0; i < 6; i++)
        want.v[i] = v.v[i] + w.v[i];
      SAME6(lane_motion(motion_add(V, W), k), want, "V + W");
      for (int i = 0; i < 6; i++)
        want.v[i] = v.v[i] + w.v[i] * c;
      SAME6(lane_motion(motion_fma(V, W, s), k), want, "V + W s");
      for (int i = 0; i < 6; i++)
        want.v[i] = x.v[i] + y.v[i];
      SAME6(lane_force(force_add(f, g), k), want, "f + g");
      for (int i = 0; i < 6; i++)
        want.v[i] = x.v[i] - y.v[i];
      SAME6(lane_force(force_sub(f, g), k), want, "f - g");
      for (int i = 0; i < 6; i++)
        want.v[i] = x.v[i] + y.v[i] * c;
      SAME6(lane_force(force_fma(f, g, s), k), want, "f + g s");
      for (int i = 0; i < 6; i++)
        want.v[i] = x.v[i] * c;
      SAME6(lane_force(force_scale(f, s), k), want, "f s");
    }
  }
}

static rigid random_rigid(lwt_random *r)
{
  const mat3 R = random_mat(r);
  const rot3 J = random_symmetric(r);
  const vec3 h = random_vec(r);
  return (rigid){s3_rotate(R, &J), h, random_real(r, 0.5, 1)};
}

/* [ J h~ ; -h~ m ] */
static d66 dense_rigid(rigid I, int k)
{
  const d33 J = lane_sym(I.J, k), h = tilde(lane3(I.h, k));
  d66 a = {{{0}}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      a.m[i][j] = J.m[i][j];
      a.m[i][3 + j] = h.m[i][j];
      a.m[3 + i][j] = -h.m[i][j];
    }
    a.m[3 + i][3 + i] = real_lane(I.m, k);
  }
  return a;
}

static void rigid_inertias_are_dense_matrices(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(6);
  for (int n = 0; n < ROUNDS; n++) {
    const rigid I = random_rigid(&r), K = random_rigid(&r);
    const motion V = random_motion(&r);
    const vec3 a = random_vec(&r);
    for (int k = 0; k < LANES; k++) {
      const d66 A = dense_rigid(I, k), B = dense_rigid(K, k), P = phi(lane3(a, k));
      const d6 v = lane_motion(V, k);
      SAME6(lane_force(rigid_mul(I, V), k), times6(A, v), "I V");
      d66 sum;
      for (int i = 0; i < 36; i++)
        (&sum.m[0][0])[i] = (&A.m[0][0])[i] + (&B.m[0][0])[i];
      SAME66(dense_rigid(rigid_add(I, K), k), sum, "sum");
      SAME66(dense_rigid(rigid_from(I, a), k), product6(product6(P, A), transposed6(P)),
             "phi I phi*");
      /* [ w x J w ; w x (w x h) ] */
      const d3 w = lane3(V.w, k), h = lane3(I.h, k);
      const d33 J = lane_sym(I.J, k);
      const d3 Jw = {{dot_of(J.m[0], w.v, 3), dot_of(J.m[1], w.v, 3), dot_of(J.m[2], w.v, 3)}};
      const d3 t = cross_of(w, Jw), f = cross_of(w, cross_of(w, h));
      const d6 bias = {{t.v[0], t.v[1], t.v[2], f.v[0], f.v[1], f.v[2]}};
      SAME6(lane_force(rigid_bias(I, V.w), k), bias, "gyroscopic load");
    }
  }
}

static d66 dense_abi(abi I, int k)
{
  d66 a;
  for (int j = 0; j < 6; j++) {
    real e[6];
    for (int i = 0; i < 6; i++)
      e[i] = real_set(i == j ? 1 : 0);
    const d6 column =
        lane_force(abi_mul(I, (motion){v3(e[0], e[1], e[2]), v3(e[3], e[4], e[5])}), k);
    for (int i = 0; i < 6; i++)
      a.m[i][j] = column.v[i];
  }
  return a;
}

/* a general symmetric matrix: a rigid inertia less some outer products, with its dense form */
static abi random_abi(lwt_random *r, d66 dense[LANES])
{
  const rigid I = random_rigid(r);
  abi A = abi_rigid(I);
  for (int k = 0; k < LANES; k++)
    dense[k] = dense_rigid(I, k);
  for (int n = 0; n < 3; n++) {
    const force U = random_force(r);
    const real s = random_real(r, -1, 1);
    A = abi_sub_outer(A, U, s);
    for (int k = 0; k < LANES; k++) {
      const d6 u = lane_force(U, k);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
          dense[k].m[i][j] -= real_lane(s, k) * u.v[i] * u.v[j];
    }
  }
  return A;
}

static void articulated_inertias_are_dense_symmetric_matrices(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(7);
  for (int n = 0; n < ROUNDS; n++) {
    d66 A[LANES], B[LANES];
    const abi I = random_abi(&r, A), K = random_abi(&r, B);
    const motion V = random_motion(&r);
    const vec3 a = random_vec(&r);
    for (int k = 0; k < LANES; k++) {
      const d66 P = phi(lane3(a, k));
      d66 sum;
      for (int i = 0; i < 36; i++)
        (&sum.m[0][0])[i] = (&A[k].m[0][0])[i] + (&B[k].m[0][0])[i];
      SAME66(dense_abi(I, k), A[k], "I - U U' s");
      SAME6(lane_force(abi_mul(I, V), k), times6(A[k], lane_motion(V, k)), "I V");
      SAME66(dense_abi(abi_add(I, K), k), sum, "sum");
      SAME66(dense_abi(abi_from(I, a), k), product6(product6(P, A[k]), transposed6(P)),
             "phi I phi*");
    }
  }
}

/* ---- rotations in plain doubles ---- */

static void random_quaternion(lwt_random *r, double e[4])
{
  double n = 0;
  for (int i = 0; i < 4; i++)
    e[i] = lwt_uniform(r, -1, 1), n += e[i] * e[i];
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(n);
}

static void assert_is_rotation(rot3 R, const char *what)
{
  const d33 m = of_rot3(&R);
  double n[3];
  SAME33(product(m, transposed(m)), ((d33){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), what);
  cross3(R.c[0], R.c[1], n);
  lwt_close(n, R.c[2], 3, tol, 1, "%s is right-handed", what);
}

/* all four branches: w, x, y, z largest; half turns have w = 0 */
static void quaternions_and_matrices_convert_into_each_other(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(8);
  for (int n = 0; n < 1000; n++) {
    double e[4], f[4];
    random_quaternion(&r, e);
    if (n % 5 == 0) e[0] *= 1e-9 * (n % 10 ? 1 : -1);
    if (n < 4) e[0] = n == 0, e[1] = n == 1, e[2] = n == 2, e[3] = n == 3;
    const double size = sqrt(e[0] * e[0] + dot3(e + 1, e + 1)), sign = e[0] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
      e[i] /= sign * size;
    const rot3 R = rot_from_quat(e);
    assert_is_rotation(R, "matrix of a quaternion");
    quat_from_rot(R, f);
    const double same_side = e[0] * f[0] + dot3(e + 1, f + 1) < 0 && e[0] < 1e-8 ? -1 : 1;
    for (int i = 0; i < 4; i++)
      f[i] *= same_side;
    lwt_close(f, e, 4, tol, 1, "quaternion %d", n);
    assert_true(f[0] * same_side >= 0);
  }
}

static void a_frame_can_be_turned_so_that_z_is_any_direction(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(9);
  for (int n = 0; n < 1000; n++) {
    double z[3];
    lwt_unit_vector(&r, z);
    if (n < 6) z[0] = z[1] = z[2] = 0, z[n % 3] = n < 3 ? 1 : -1;
    if (n >= 6 && n < 20) { /* close to the two poles */
      const double small = pow(10, -n), c = sqrt(1 - small * small);
      z[0] = small, z[1] = 0, z[2] = n % 2 ? c : -c;
    }
    const rot3 R = rot_aligning_z(z);
    assert_is_rotation(R, "turned frame");
    lwt_close(R.c[2], z, 3, tol, 1, "direction %d", n);
  }
  const rot3 up = rot_aligning_z((double[]){0, 0, 1}), one = rot_identity();
  for (int i = 0; i < 12; i++) /* exactly: axes along z leave the frame as it is */
    assert_true(up.c[i / 4][i % 4] == one.c[i / 4][i % 4]);
}

static void rotations_compose_and_invert(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(10);
  for (int n = 0; n < ROUNDS; n++) {
    double e[4], f[4], v[3], out[3], back[3];
    random_quaternion(&r, e);
    random_quaternion(&r, f);
    lwt_unit_vector(&r, v);
    const rot3 A = rot_from_quat(e), B = rot_from_quat(f), C = rot_mul(A, B);
    const d33 a = of_rot3(&A), b = of_rot3(&B);
    SAME33(of_rot3(&C), product(a, b), "product");
    rot_mulv(A, v, out);
    for (int i = 0; i < 3; i++)
      back[i] = dot_of(a.m[i], v, 3);
    lwt_close(out, back, 3, tol, 1, "A v");
    rot_tmulv(A, out, back);
    lwt_close(back, v, 3, tol, 1, "A' A v");
    rot_mulv(rot_transpose(A), out, out);
    lwt_close(out, v, 3, tol, 1, "in place");
    assert_true(C.c[0][3] == 0 && C.c[1][3] == 0 && C.c[2][3] == 0);
    double nine[9];
    for (int i = 0; i < 9; i++)
      nine[i] = A.c[i / 3][i % 3];
    const rot3 D = rot_columns(nine);
    assert_memory_equal(&D, &A, sizeof A);
  }
}

/* ---- sines and cosines ---- */

enum { BATCH = 64 };

static double ulp(double x)
{
  return nextafter(fabs(x), (double)INFINITY) - fabs(x);
}

/* s and c of x[BATCH] lie within one ulp of the long double values */
static void check_sincos(const double x[BATCH], const char *what)
{
  double s[BATCH], c[BATCH];
  sincos_array(BATCH, x, s, c);
  for (int i = 0; i < BATCH; i++) {
    const long double S = sinl((long double)x[i]), C = cosl((long double)x[i]);
    const double es = (double)fabsl((long double)s[i] - S),
                 ec = (double)fabsl((long double)c[i] - C);
    if (!(es <= ulp((double)S)))
      fail_msg("%s: sin(%.17g) is off by %g ulp", what, x[i], es / ulp((double)S));
    if (!(ec <= ulp((double)C)))
      fail_msg("%s: cos(%.17g) is off by %g ulp", what, x[i], ec / ulp((double)C));
  }
}

static void sines_of_random_angles_are_right_to_one_ulp(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(11);
  for (int n = 0; n < 4000; n++) {
    const double size = ldexp(1, n % 21);
    double x[BATCH];
    for (int i = 0; i < BATCH; i++)
      x[i] = lwt_uniform(&r, -size, size);
    check_sincos(x, "random");
  }
}

/* the doubles next to k pi/2, where reduction loses most: all k up to 2^12, every 17th up to 2^20 */
static void sines_near_multiples_of_a_quarter_turn_are_right_to_one_ulp(void **state)
{
  (void)state;
  const long double quarter = 1.57079632679489661923132169163975144L;
  const int last = 667543;
  int fill = 0;
  double x[BATCH];
  for (int k = 1; k <= last; k += k < 4096 ? 1 : 17) {
    const double m = (double)((long double)k * quarter);
    const double near[4] = {m, nextafter(m, 0), -nextafter(m, (double)INFINITY), m + 1e-9};
    for (int i = 0; i < 4; i++)
      x[fill++] = near[i];
    if (fill < BATCH) continue;
    check_sincos(x, "near a multiple");
    fill = 0;
  }
  for (int i = 0; i < BATCH; i++)
    x[i] = 413441.44719405076; /* the worst of all 667543 */
  check_sincos(x, "nearest");
}

static void sines_of_tiny_and_huge_angles_are_right_to_one_ulp(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(12);
  for (int n = 0; n < 200; n++) {
    double x[BATCH];
    for (int i = 0; i < BATCH; i++)
      x[i] = lwt_uniform(&r, -1, 1) *
             pow(10, n % 2 ? lwt_uniform(&r, -320, 0) : lwt_uniform(&r, 5, 308));
    check_sincos(x, n % 2 ? "tiny" : "huge");
  }
}

static void sines_at_the_ends_of_the_number_range(void **state)
{
  (void)state;
  const double given[] = {0.0,         -0.0,   (double)INFINITY, -(double)INFINITY,
                          (double)NAN, 262144, -262144,          262144.5};
  double x[BATCH], s[BATCH], c[BATCH];
  for (int i = 0; i < BATCH; i++)
    x[i] = given[i % 8];
  sincos_array(BATCH, x, s, c);
  assert_true(s[0] == 0 && !signbit(s[0]) && c[0] == 1);
  assert_true(s[1] == 0 && c[1] == 1);
  for (int i = 2; i < 5; i++)
    assert_true(isnan(s[i]) && isnan(c[i]));
  assert_true(isfinite(s[5]) && isfinite(s[6]) && isfinite(s[7]));
  for (int i = 0; i < BATCH; i++) /* bad angles do not spoil their neighbours */
    assert_true(isnan(s[i]) == (i % 8 >= 2 && i % 8 <= 4));
}

static void an_angle_has_the_same_sine_in_every_lane(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(13);
  for (int n = 0; n < 500; n++) {
    double x[BATCH], s[BATCH], c[BATCH], y[BATCH], sy[BATCH], cy[BATCH];
    for (int i = 0; i < BATCH; i++)
      x[i] = lwt_uniform(&r, -100, 100);
    sincos_array(BATCH, x, s, c);
    for (int i = 0; i < BATCH; i++)
      y[i] = x[(i + 1) % BATCH];
    sincos_array(BATCH, y, sy, cy);
    for (int i = 0; i < BATCH; i++)
      assert_true(sy[i] == s[(i + 1) % BATCH] && cy[i] == c[(i + 1) % BATCH]);
  }
}

/* does this processor have what this file was compiled for? */
static bool can_run(void)
{
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

int main(void)
{
  if (!can_run()) return 77; /* ctest: skipped */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reals_behave_like_doubles_in_every_lane),
      cmocka_unit_test(a_mask_is_true_if_any_lane_is),
      cmocka_unit_test(vectors_follow_their_definitions),
      cmocka_unit_test(model_vectors_are_the_same_in_all_lanes),
      cmocka_unit_test(matrices_follow_their_definitions),
      cmocka_unit_test(symmetric_matrices_follow_their_definitions),
      cmocka_unit_test(shifts_are_the_matrix_phi_and_its_transpose),
      cmocka_unit_test(rigid_inertias_are_dense_matrices),
      cmocka_unit_test(articulated_inertias_are_dense_symmetric_matrices),
      cmocka_unit_test(quaternions_and_matrices_convert_into_each_other),
      cmocka_unit_test(a_frame_can_be_turned_so_that_z_is_any_direction),
      cmocka_unit_test(rotations_compose_and_invert),
      cmocka_unit_test(sines_of_random_angles_are_right_to_one_ulp),
      cmocka_unit_test(sines_near_multiples_of_a_quarter_turn_are_right_to_one_ulp),
      cmocka_unit_test(sines_of_tiny_and_huge_angles_are_right_to_one_ulp),
      cmocka_unit_test(sines_at_the_ends_of_the_number_range),
      cmocka_unit_test(an_angle_has_the_same_sine_in_every_lane),
  };
  return cmocka_run_group_tests_name("unit/math", tests, NULL, NULL);
}
