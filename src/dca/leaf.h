/* SPDX-License-Identifier: Apache-2.0 */
/* leaf.h -- one body: its mobility about the link's origin.  docs/theory/dca.md, with one handle at
   the link's origin, from which the centre of mass is at c:

     alpha = K (t - c x f),  a = f/m + c x alpha      K: inverse inertia about the centre
     z: t, f being the applied load and the gyroscopic torque, plus gravity and -w x (w x c) */
#ifndef LWI_DCA_LEAF_H
#define LWI_DCA_LEAF_H
#include "dca/edge_rows.h"
#include "dca/row.h"

/* out = S v for a symmetric matrix xx yy zz xy xz yz */
static inline void sym_mulv(const double S[6], const double v[3], double out[3])
{
  const double x = v[0], y = v[1], z = v[2];
  out[0] = S[0] * x + S[3] * y + S[4] * z;
  out[1] = S[3] * x + S[1] * y + S[5] * z;
  out[2] = S[4] * x + S[5] * y + S[2] * z;
}

/* R S R' */
static inline void sym_rotate(const double R[9], const double S[6], double out[6])
{
  double c[3][3]; /* columns of R S: S is symmetric, so column j is R times column j of S */
  const double s[3][3] = {{S[0], S[3], S[4]}, {S[3], S[1], S[5]}, {S[4], S[5], S[2]}};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      c[j][i] = R[i] * s[j][0] + R[3 + i] * s[j][1] + R[6 + i] * s[j][2];
#define ENTRY(i, j) c[0][i] * R[j] + c[1][i] * R[3 + j] + c[2][i] * R[6 + j]
  out[0] = ENTRY(0, 0);
  out[1] = ENTRY(1, 1);
  out[2] = ENTRY(2, 2);
  out[3] = ENTRY(0, 1);
  out[4] = ENTRY(0, 2);
  out[5] = ENTRY(1, 2);
#undef ENTRY
}

static inline void rotate_by(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}
static inline void rotate_back(const double R[9], const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = dot3(R + 3 * i, v);
}

/* acceleration of the link's origin that a load there causes; -w x (w x c) and gravity aside */
static inline void push_body(const lwi_dca_body *b, const lwi_dca_state *s, const double F[6],
                             double A[6])
{
  double arm[3], t[3], turn[3];
  cross3(s->c, F + 3, arm);
  for (int i = 0; i < 3; i++)
    t[i] = F[i] - arm[i];
  sym_mulv(s->K, t, A);
  cross3(s->c, A, turn);
  for (int i = 0; i < 3; i++)
    A[3 + i] = b->inverse_mass[i] * F[3 + i] + turn[i];
}

/* Adds what its own joint's tau does to a link and, opposite, that of the joints that it carries. */
static inline void add_pushes(const lw_dca *d, int link, double F[6])
{
  double r[3], f[6], arm[3];
  if (!d->driven) return;
  joint_push(d, link, d->tau, f, r);
  for (int i = 0; i < 6; i++)
    F[i] += f[i];
  for (int k = d->child_start[link]; k < d->child_start[link + 1]; k++) {
    joint_push(d, d->child[k], d->tau, f, r);
    cross3(r, f + 3, arm);
    for (int i = 0; i < 3; i++)
      F[i] -= f[i] + arm[i], F[3 + i] -= f[3 + i];
  }
}

/* What acts on a link besides constraint loads. */
static inline void find_applied(const lw_dca *d, int link, double F[6])
{
  double r[3], c[6];
  memset(F, 0, 6 * sizeof(double));
  if (d->pushed) d->kernels->get_edge(d->m, d->work, link, r, c, F);
  add_pushes(d, link, F);
}

/* K, c of the present state; F = 0 */
static inline void place_body(lw_dca *d, int link, const double R[9])
{
  const lwi_dca_body *b = &d->body[link];
  lwi_dca_state *s = &d->state[link];
  sym_rotate(R, b->inverse, s->K);
  rotate_by(R, b->com, s->c);
  memset(s->F, 0, sizeof s->F);
}

/* ... and z */
static inline void find_body(lw_dca *d, int link)
{
  const lwi_dca_body *b = &d->body[link];
  lwi_dca_state *s = &d->state[link];
  double R[9], p[3], V[6], A[6], w[3], Iw[3], turn[3], gyro[3], F[6], swing[3];
  d->kernels->get_frame(d->m, d->work, link, R, p);
  place_body(d, link, R);
  memset(s->z, 0, sizeof s->z);
  if (d->pass == LWI_DCA_FACTOR) return;
  d->kernels->get_motion(d->m, d->work, link, V, A);
  rotate_back(R, V, w);
  sym_mulv(b->inertia, w, Iw);
  cross3(w, Iw, turn);
  rotate_by(R, turn, gyro);
  find_applied(d, link, F);
  for (int i = 0; i < 3; i++)
    F[i] -= gyro[i];
  push_body(b, s, F, s->z);
  cross3(V, s->c, swing);
  cross3(V, swing, swing);
  for (int i = 0; i < 3; i++)
    s->z[3 + i] += (b->inverse_mass[i] > 0 ? d->m->gravity[i] : 0) - swing[i];
}

/* Z = [K, -K c~; c~ K, 1/m - c~ K c~], one handle */
static inline void leaf_mobility(const lwi_dca_body *b, const lwi_dca_state *s, double *Z,
                                 double *z)
{
  const double K[3][3] = {
      {s->K[0], s->K[3], s->K[4]}, {s->K[3], s->K[1], s->K[5]}, {s->K[4], s->K[5], s->K[2]}};
  double N[3][3]; /* columns of c~ K; row j of -K c~ is the same, since K is symmetric */
  for (int j = 0; j < 3; j++)
    cross3(s->c, K[j], N[j]);
  const double *c = s->c;
  for (int i = 0; i < 3; i++) {
    double *up = Z + LWI_ROW * i, *down = Z + LWI_ROW * (3 + i);
    for (int j = 0; j < 3; j++) {
      up[j] = K[i][j];
      up[3 + j] = N[i][j];
      down[j] = N[j][i];
    }
    /* row i of N c~', whose columns are c x (column of N') */
    const double n[3] = {N[0][i], N[1][i], N[2][i]};
    down[3] = c[1] * n[2] - c[2] * n[1];
    down[4] = c[2] * n[0] - c[0] * n[2];
    down[5] = c[0] * n[1] - c[1] * n[0];
    down[3 + i] += b->inverse_mass[i];
    up[6] = up[7] = down[6] = down[7] = 0;
  }
  memcpy(z, s->z, sizeof s->z);
  z[6] = z[7] = 0;
}

#endif
