/* SPDX-License-Identifier: Apache-2.0 */
/* truth.c -- see truth.h.  [RBDA] tables 5.1, 6.2 and 7.1 in body axes with dense 6x6 matrices.

   X  6x6: motion of the parent's frame into the body's; its transpose takes forces back
   S  6xn: what the joint allows (n = 1, or 6 for a free one), angular above linear
   I  6x6 inertia; IA, pA: articulated inertia and bias force; IC: of the composite body
   U, D, u: IA S, S' IA S, tau - S' pA

   Sines are long double: good to 19 digits, three more than any engine under test. */
#include "truth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SIZEOF_FLOAT128__)
typedef __float128 wide;
#else
typedef long double wide;
#endif

typedef struct {
  wide x[6];
} vec6;
typedef struct {
  wide x[6][6];
} mat6;

typedef struct {
  int parent, n, first; /* n freedoms, from speed number `first` */
  mat6 X, I, IA, U;     /* column j of U belongs to freedom j */
  vec6 S[6], v, c, a, f;
  wide D[6][6], u[6];
} link;

/* ---- small algebra ---- */

static wide dot(vec6 a, vec6 b)
{
  wide sum = 0;
  for (int i = 0; i < 6; i++)
    sum += a.x[i] * b.x[i];
  return sum;
}

static vec6 axpy(wide s, vec6 a, vec6 b) /* s a + b */
{
  for (int i = 0; i < 6; i++)
    b.x[i] += s * a.x[i];
  return b;
}

static vec6 mul(const mat6 *A, vec6 b)
{
  vec6 c = {{0}};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      c.x[i] += A->x[i][j] * b.x[j];
  return c;
}

static vec6 tmul(const mat6 *A, vec6 b) /* A' b */
{
  vec6 c = {{0}};
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      c.x[i] += A->x[j][i] * b.x[j];
  return c;
}

/* B += X' A X */
static void add_congruent(mat6 *B, const mat6 *A, const mat6 *X)
{
  for (int j = 0; j < 6; j++) {
    vec6 column;
    for (int i = 0; i < 6; i++)
      column.x[i] = X->x[i][j];
    column = tmul(X, mul(A, column));
    for (int i = 0; i < 6; i++)
      B->x[i][j] += column.x[i];
  }
}

static void cross3(const wide a[3], const wide b[3], wide c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static vec6 cross_motion(vec6 v, vec6 m)
{
  vec6 c;
  wide t[3];
  cross3(v.x, m.x, c.x);
  cross3(v.x, m.x + 3, c.x + 3);
  cross3(v.x + 3, m.x, t);
  for (int i = 0; i < 3; i++)
    c.x[3 + i] += t[i];
  return c;
}

static vec6 cross_force(vec6 v, vec6 f)
{
  vec6 c;
  wide t[3];
  cross3(v.x, f.x, c.x);
  cross3(v.x + 3, f.x + 3, t);
  for (int i = 0; i < 3; i++)
    c.x[i] += t[i];
  cross3(v.x, f.x + 3, c.x + 3);
  return c;
}

/* ---- placing ---- */

/* unit quaternion up to rounding: divide by its square, so that R is orthogonal to full
   precision */
static void rotation(const wide e[4], wide R[3][3])
{
  const wide s = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][i] = 1 - s * (e[1 + j] * e[1 + j] + e[1 + k] * e[1 + k]);
    R[i][j] = s * (e[1 + i] * e[1 + j] - e[0] * e[1 + k]);
    R[j][i] = s * (e[1 + i] * e[1 + j] + e[0] * e[1 + k]);
  }
}

/* X of a frame at r, turned by R, in its parent: [R' 0; -R' rx, R'] */
static void set_motion_transform(mat6 *X, wide R[3][3], const wide r[3])
{
  memset(X, 0, sizeof *X);
  for (int i = 0; i < 3; i++) {
    const wide e[3] = {R[0][i], R[1][i], R[2][i]};
    wide t[3];
    cross3(e, r, t);
    for (int j = 0; j < 3; j++) {
      X->x[i][j] = X->x[3 + i][3 + j] = e[j];
      X->x[3 + i][j] = -t[j];
    }
  }
}

static void place_revolute(link *l, const mechanism_body *b, double q)
{
  const wide fixed[4] = {b->quat[0], b->quat[1], b->quat[2], b->quat[3]};
  const wide s = sinl(q / 2.0L), c = cosl(q / 2.0L);
  const wide length =
      sqrtl((long double)b->axis[0] * b->axis[0] + (long double)b->axis[1] * b->axis[1] +
            (long double)b->axis[2] * b->axis[2]);
  const wide turn[4] = {c, s * b->axis[0] / length, s * b->axis[1] / length,
                        s * b->axis[2] / length};
  const wide r[3] = {b->at[0], b->at[1], b->at[2]};
  wide A[3][3], B[3][3], R[3][3] = {{0}};
  rotation(fixed, A);
  rotation(turn, B);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        R[i][j] += A[i][k] * B[k][j];
  set_motion_transform(&l->X, R, r);
  l->n = 1;
  for (int i = 0; i < 3; i++)
    l->S[0].x[i] = b->axis[i] / length;
}

static void place_free(link *l, const double q[7])
{
  const wide r[3] = {q[0], q[1], q[2]}, e[4] = {q[3], q[4], q[5], q[6]};
  wide R[3][3];
  rotation(e, R);
  set_motion_transform(&l->X, R, r);
  l->n = 6;
  for (int j = 0; j < 6; j++)
    l->S[j].x[j] = 1;
}

/* about the body's origin: [Ic - m cx cx, m cx; -m cx, m] */
static void set_inertia(mat6 *I, const mechanism_body *b)
{
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  const wide m = b->mass, c[3] = {b->com[0], b->com[1], b->com[2]};
  const wide cx[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      I->x[i][j] = b->inertia[at[i][j]];
      for (int k = 0; k < 3; k++)
        I->x[i][j] -= m * cx[i][k] * cx[k][j];
      I->x[i][3 + j] = m * cx[i][j];
      I->x[3 + i][j] = -m * cx[i][j];
    }
  for (int i = 3; i < 6; i++)
    I->x[i][i] = m;
}

/* links with X, S, I, velocities v and velocity products c */
static link *links_new(const mechanism *m, const mechanism_state *s)
{
  link *links = calloc((size_t)m->nbody, sizeof *links);
  for (int i = 0, first = 0; links && i < m->nbody; i++) {
    link *l = &links[i];
    const bool is_free = m->floating && i == 0;
    l->parent = m->body[i].parent;
    l->first = first;
    if (is_free)
      place_free(l, s->q);
    else
      place_revolute(l, &m->body[i], s->q[m->floating ? i + 6 : i]);
    first += l->n;
    set_inertia(&l->I, &m->body[i]);

    vec6 vJ = {{0}};
    for (int j = 0; j < l->n; j++)
      vJ = axpy(s->u[l->first + j], l->S[j], vJ);
    l->v = l->parent < 0 ? vJ : axpy(1, vJ, mul(&l->X, links[l->parent].v));
    l->c = cross_motion(l->v, vJ);
  }
  return links;
}

/* acceleration that a link gets through its joint if the joint itself does not accelerate */
static vec6 carried(const mechanism *m, const link *links, const link *l)
{
  const vec6 base = {{0, 0, 0, -m->gravity[0], -m->gravity[1], -m->gravity[2]}};
  return axpy(1, l->c, mul(&l->X, l->parent < 0 ? base : links[l->parent].a));
}

/* I a + v x* I v */
static vec6 inertial_force(const link *l, vec6 a)
{
  return axpy(1, mul(&l->I, a), cross_force(l->v, mul(&l->I, l->v)));
}

/* ---- the three quantities ---- */

/* [RBDA] table 5.1 */
bool truth_inverse_dynamics(const mechanism *m, const mechanism_state *s, double tau[])
{
  link *links = links_new(m, s);
  if (!links) return false;
  for (int i = 0; i < m->nbody; i++) {
    link *l = &links[i];
    l->a = carried(m, links, l);
    for (int j = 0; j < l->n; j++)
      l->a = axpy(s->udot[l->first + j], l->S[j], l->a);
    l->f = inertial_force(l, l->a);
  }
  for (int i = m->nbody - 1; i >= 0; i--) {
    link *l = &links[i];
    for (int j = 0; j < l->n; j++)
      tau[l->first + j] = (double)dot(l->S[j], l->f);
    if (l->parent >= 0) links[l->parent].f = axpy(1, tmul(&l->X, l->f), links[l->parent].f);
  }
  free(links);
  return true;
}

/* the row of freedom j of link i: the composite body's momentum, carried down to the ground */
static void mass_matrix_row(const mechanism *m, const link *links, int i, int j, double M[])
{
  const int row = links[i].first + j;
  vec6 f = mul(&links[i].IA, links[i].S[j]);
  for (const link *l = &links[i];; l = &links[l->parent]) {
    for (int k = 0; k < l->n; k++) {
      const int column = l->first + k;
      M[row * m->nu + column] = M[column * m->nu + row] = (double)dot(l->S[k], f);
    }
    if (l->parent < 0) return;
    f = tmul(&l->X, f);
  }
}

/* [RBDA] table 6.2; IA holds the composite inertia */
bool truth_mass_matrix(const mechanism *m, const mechanism_state *s, double M[])
{
  link *links = links_new(m, s);
  if (!links) return false;
  memset(M, 0, sizeof *M * (size_t)m->nu * (size_t)m->nu);
  for (int i = 0; i < m->nbody; i++)
    links[i].IA = links[i].I;
  for (int i = m->nbody - 1; i >= 0; i--) {
    if (links[i].parent >= 0) add_congruent(&links[links[i].parent].IA, &links[i].IA, &links[i].X);
    for (int j = 0; j < links[i].n; j++)
      mass_matrix_row(m, links, i, j, M);
  }
  free(links);
  return true;
}

/* D x = b for the first n rows; D is symmetric and positive definite, and is spoiled */
static void solve(int n, wide D[6][6], wide x[6])
{
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const wide factor = D[i][k] / D[k][k];
      for (int j = k; j < n; j++)
        D[i][j] -= factor * D[k][j];
      x[i] -= factor * x[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      x[i] -= D[i][j] * x[j];
    x[i] /= D[i][i];
  }
}

/* [RBDA] table 7.1, second loop, of one link: U, D, u, and its share of the parent's IA and pA */
static void reduce(link *l, link *parent, const double tau[])
{
  for (int j = 0; j < l->n; j++) {
    const vec6 U = mul(&l->IA, l->S[j]);
    for (int i = 0; i < 6; i++)
      l->U.x[i][j] = U.x[i];
    l->u[j] = tau[l->first + j] - dot(l->S[j], l->f);
  }
  for (int i = 0; i < l->n; i++)
    for (int j = 0; j < l->n; j++)
      for (int k = 0; k < 6; k++)
        l->D[i][j] += l->S[i].x[k] * l->U.x[k][j];
  if (!parent) return;
  /* a link with a parent has one freedom */
  mat6 Ia = l->IA;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      Ia.x[i][j] -= l->U.x[i][0] * l->U.x[j][0] / l->D[0][0];
  vec6 pa = axpy(1, l->f, mul(&Ia, l->c));
  for (int i = 0; i < 6; i++)
    pa.x[i] += l->U.x[i][0] * l->u[0] / l->D[0][0];
  add_congruent(&parent->IA, &Ia, &l->X);
  parent->f = axpy(1, tmul(&l->X, pa), parent->f);
}

/* [RBDA] table 7.1; f holds pA */
bool truth_forward_dynamics(const mechanism *m, const mechanism_state *s, double udot[])
{
  link *links = links_new(m, s);
  if (!links) return false;
  for (int i = 0; i < m->nbody; i++) {
    links[i].IA = links[i].I;
    links[i].f = inertial_force(&links[i], (vec6){{0}});
  }
  for (int i = m->nbody - 1; i >= 0; i--)
    reduce(&links[i], links[i].parent < 0 ? NULL : &links[links[i].parent], s->tau);
  for (int i = 0; i < m->nbody; i++) {
    link *l = &links[i];
    l->a = carried(m, links, l);
    wide x[6];
    for (int j = 0; j < l->n; j++) {
      x[j] = l->u[j];
      for (int k = 0; k < 6; k++)
        x[j] -= l->U.x[k][j] * l->a.x[k];
    }
    solve(l->n, l->D, x);
    for (int j = 0; j < l->n; j++) {
      l->a = axpy(x[j], l->S[j], l->a);
      udot[l->first + j] = (double)x[j];
    }
  }
  free(links);
  return true;
}
