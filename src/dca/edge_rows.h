/* SPDX-License-Identifier: Apache-2.0 */
/* edge_rows.h -- D, r and c of one joint or constraint, about the origins of its links.

   A tree joint is described as in the tree (docs/theory/tree.md), whatever its type and direction:
   A_b = phi* A_a + S udot + c, and D is orthonormal and orthogonal to S.  c holds the Coriolis
   terms of sliding joints.  A joint that closes a loop, and a geometric constraint, has the rows of
   model/joint/equations.h, which give D^T c at once. */
#ifndef LWI_DCA_EDGE_ROWS_H
#define LWI_DCA_EDGE_ROWS_H
#include "dca/dca.h"
#include "tree/recursion/joint_space.h"

/* r: from the parent's origin; S: columns; c */
typedef struct {
  double r[3], c[6], S[6][6];
} tree_edge;

static inline void find_tree_edge(const lw_dca *d, int link, tree_edge *e)
{
  const lwi_link *L = &d->m->link[link];
  double applied[6];
  d->kernels->get_edge(d->m, d->work, link, e->r, e->c, applied);
  for (int j = 0; j < L->nu; j++)
    d->kernels->get_column(d->m, d->work, L->column + j, e->S[j]);
}

/* The load S (S^T S)^-1 tau of motors, joint springs and the caller on a link, at its origin; r as
   in tree_edge, or zero where it has no effect: the axis of a revolute joint passes through the
   link's origin. */
static inline void joint_push(const lw_dca *d, int link, const double *tau, double f[6],
                              double r[3])
{
  const lwi_link *L = &d->m->link[link];
  tree_edge e;
  double x[6];
  if (L->kind == LWI_KIND_REVOLUTE) {
    d->kernels->get_column(d->m, d->work, L->column, f);
    for (int i = 0; i < 3; i++)
      f[i] *= tau[L->u], f[3 + i] = r[i] = 0;
    return;
  }
  find_tree_edge(d, link, &e);
  memcpy(r, e.r, sizeof e.r);
  for (int j = 0; j < L->nu; j++)
    x[j] = tau[L->u + j];
  solve_normal(L->nu, L->inertialess, e.S, x);
  for (int i = 0; i < 6; i++)
    f[i] = 0;
  for (int j = 0; j < L->nu; j++)
    for (int i = 0; i < 6; i++)
      f[i] += e.S[j][i] * x[j];
}

/* two unit vectors orthogonal to the unit vector z and to each other; continuous in z except at the
   lower pole */
static inline void normals(const double z[3], double x[3], double y[3])
{
  const double sign = z[2] < 0 ? -1 : 1, a = -1 / (sign + z[2]), b = z[0] * z[1] * a;
  x[0] = 1 + sign * z[0] * z[0] * a;
  x[1] = sign * b;
  x[2] = -sign * z[0];
  y[0] = b;
  y[1] = sign + z[1] * z[1] * a;
  y[2] = -z[1];
}

/* rows of D^T of a tree joint other than a spatial revolute joint (see eliminate.h) */
static inline void tree_rows(const lw_model *m, const lwi_link *L, tree_edge *e, double *D)
{
  static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[3] = {2, 3, 4};
  double S[6][6]; /* of freedoms that are not locked: D+ of docs/theory/events.md */
  int n = 0;
  for (int j = 0; j < L->nu; j++)
    if (!lwi_is_locked(L, j)) memcpy(S[n++], e->S[j], sizeof S[0]);
  complement(m->planar ? 3 : 6, m->planar ? plane : space, n, S, D);
}

/* s of each freedom with a rotor: rows after the others */
static inline void rotor_rows(const lw_dca *d, const lwi_dca_edge *e, tree_edge *t, double *D)
{
  const lwi_link *L = &d->m->link[e->link];
  int n = e->m - e->rotors;
  for (int j = 0; j < L->nu && n < e->m; j++) {
    double x[6] = {0};
    if (lwi_is_locked(L, j) || !(lwi_armature(L, j) > 0)) continue;
    x[j] = 1;
    solve_normal(L->nu, L->inertialess, t->S, x);
    for (int k = 0; k < L->nu; k++)
      for (int i = 0; i < 6; i++)
        D[6 * n + i] += t->S[k][i] * x[k];
    n++;
  }
}

/* The equation of an edge with rotors is that of A_b - phi* A_a - c - S udot of these freedoms:
   adds S udot = -S (S^T f) / a for the load f of the edge. */
static inline void add_rotor_motion(const lw_dca *d, const lwi_dca_edge *e, const double f[6],
                                    double c[6])
{
  const lwi_link *L = &d->m->link[e->link];
  for (int j = 0; j < L->nu && e->rotors > 0; j++) {
    double S[6], load = 0;
    if (lwi_is_locked(L, j) || !(lwi_armature(L, j) > 0)) continue;
    d->kernels->get_column(d->m, d->work, L->column + j, S);
    for (int i = 0; i < 6; i++)
      load += S[i] * f[i];
    for (int i = 0; i < 6; i++)
      c[i] -= S[i] * load / lwi_armature(L, j);
  }
}

/* ---- closing edges ---- */

/* The shortest c with D^T c = g, a radian counting as `length`: with lever arms of that length D is
   as well conditioned as at its joint, whatever the unit of length is. */
static inline void from_rows(double length, int m, const double *D, const double *g, double c[6])
{
  double rows[6][6], x[6];
  for (int i = 0; i < 6 * m; i++)
    rows[i / 6][i % 6] = i % 6 < 3 ? D[i] / length : D[i];
  memcpy(x, g, (size_t)m * sizeof *x);
  solve_normal(m, 0, rows, x);
  memset(c, 0, 6 * sizeof *c);
  for (int k = 0; k < m; k++)
    for (int i = 0; i < 6; i++)
      c[i] += (i < 3 ? rows[k][i] / length : rows[k][i]) * x[k];
}

/* the row of a load at o, as a load at the link's origin */
static inline void shift_row(const double J[6], const double o[3], double *out)
{
  double arm[3];
  cross3(o, J + 3, arm);
  for (int i = 0; i < 3; i++)
    out[i] = J[i] + arm[i], out[3 + i] = J[3 + i];
}

/* contribution of w x (w x o) to J (acceleration at o) */
static inline double row_swing(const double J[6], const lwi_dca_place *p)
{
  double x[3];
  cross3(p->V, p->o, x);
  cross3(p->V, x, x);
  return dot3(J + 3, x);
}

/* frames and motions of a pair, in the form of lwi_dca_place */
static inline lwi_dca_place pair_place(const lw_dca *d, int pair, int side)
{
  const lwi_pair_state *s = &d->closure->pair[pair];
  lwi_dca_place x = {.X = s->frame[side]};
  memcpy(x.o, s->arm[side], sizeof x.o);
  memcpy(x.V, s->V[side], sizeof x.V);
  return x;
}

/* locked freedoms of a cut joint: rows of their speeds after those of its equations */
static inline void add_locked_rows(const lw_dca *d, int joint, const lwi_dca_place *A,
                                   const lwi_dca_place *B, double JA[6][6], double JB[6][6],
                                   double g[])
{
  const lwi_joint *j = &d->m->joint[joint];
  const double *near = lwi_cut_near(d->m, d->kernels, d->work, joint);
  const lwi_joint_at at = {&j->shape, &A->X, &B->X, near};
  double GA[6][6], GB[6][6], gamma[6];
  int n = j->equations.n;
  lwi_joint_speed_rows(&at, GA, GB);
  lwi_joint_speed_gamma(&at, A->V, B->V, gamma);
  for (int k = 0; k < j->info.nu; k++)
    if (j->locked >> k & 1) {
      memcpy(JA[n], GA[k], sizeof JA[n]);
      memcpy(JB[n], GB[k], sizeof JB[n]);
      g[n++] = gamma[k];
    }
}

/* D^T, r and g = D^T c, with the stabilization of its rate */
static inline void closing_rows(const lw_dca *d, const lwi_dca_edge *e, double *D, double r[3],
                                double g[])
{
  const lwi_joint *j = &d->m->joint[e->joint];
  const lwi_constraint *k = e->constraint ? &d->m->constraint[e->constraint] : NULL;
  const lwi_equations *equations = k ? &k->equations : &j->equations;
  const int pair = k ? k->pair : j->pair;
  const lwi_dca_place A = pair_place(d, pair, 0), B = pair_place(d, pair, 1);
  double JA[6][6], JB[6][6];
  lwi_equations_jacobian(equations, &A.X, &B.X, JA, JB);
  lwi_equations_gamma(equations, &A.X, &B.X, A.V, B.V, g);
  if (!k && j->locked) add_locked_rows(d, e->joint, &A, &B, JA, JB, g);
  for (int i = 0; i < 3; i++)
    r[i] = A.o[i] + (B.X.p[i] - A.X.p[i]) - B.o[i];
  for (int i = 0; i < e->m; i++) {
    shift_row(JB[i], B.o, D + 6 * i);
    g[i] -= row_swing(JB[i], &B) + row_swing(JA[i], &A);
    if (d->stabilization > 0)
      for (int l = 0; l < 6; l++)
        g[i] -= d->stabilization * (JA[i][l] * A.V[l] + JB[i][l] * B.V[l]);
  }
}

/* ---- light bodies ---- */

/* B of light.c as rows, in ground axes */
static inline void light_rows(const lw_dca *d, const lwi_dca_edge *e, double *D)
{
  double R[9], p[3];
  d->kernels->get_frame(d->m, d->work, e->b, R, p);
  for (int k = 0; k < 2 * e->m; k++) {
    const double *B = e->B[k / 2] + 3 * (k % 2);
    for (int i = 0; i < 3; i++)
      D[3 * k + i] = R[i] * B[0] + R[3 + i] * B[1] + R[6 + i] * B[2];
  }
}

#endif
