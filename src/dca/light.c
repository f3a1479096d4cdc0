/* SPDX-License-Identifier: Apache-2.0 */
/* light.c -- added mass for bodies without inertia about some axis (rods and particles), whose
   mobility would be infinite, and for those much lighter than the bodies that move through them
   (model/compile/added_mass.c), beside whose mobility that of the others would lose its digits.

   Such a body has the added inertia P = B B^T and at the same time a load P A, so that its motion
   is unchanged:

     (M + P) A = F + B y,   y = B^T A

   y is eliminated like a joint (an edge of the body alone):  A = Z F + z  of an assembly that holds
   the body gives

     (1 - B^T Z_bb B) y = B^T (z_b + sum_j Z_bj F_j)

   that is the rule of dca.h with D = B, and X = -B (1 - B^T Z_bb B)^-1 B^T.  This edge is
   eliminated when the body has no other edges left.  Then 1 - B^T Z_bb B is positive definite if
   the mechanism's own mass matrix is: a motion of the assembly without kinetic energy would leave
   its other handles, which have inertia, at rest, so that everything outside could be at rest, too,
   and the whole mechanism would have a motion without kinetic energy. */
#include "dca/dca.h"
#include "dca/edge_rows.h"
#include "linalg/eigen.h"

static const double NOISE = 1e-9; /* of the largest moment of inertia: counts as zero */

/* Typical inertia of a body: its own, or that of its mass on the lever arm of its joint.  Its own
   is a difference of inertias about the joint and may be a rounding error. */
static double typical_inertia(const lw_model *m, const lwi_link *L, const lwi_dca_body *b)
{
  const double trace = b->inertia[0] + b->inertia[1] + b->inertia[2], arm = norm3(b->com);
  const double carried = L->mass * (arm > 0 ? arm * arm : m->length * m->length);
  return trace > NOISE * carried ? 0.5 * trace : carried;
}

/* a moment of inertia below `least` is too small, and `added` is added */
typedef struct {
  double least, added;
} wanted;

/* A column of B for the inertia `added` about the axis v. */
static void add_inertia(double added, const double v[3], double B[6])
{
  for (int i = 0; i < 3; i++)
    B[i] = sqrt(added) * v[i], B[3 + i] = 0;
}

/* in the plane: only the rotation about the normal n */
static int lighten_planar(const double n[3], wanted x, lwi_dca_body *b, double (*B)[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double about = 0;
  for (int i = 0; i < 6; i++)
    about += (i < 3 ? 1 : 2) * b->inertia[i] * n[row[i]] * n[column[i]];
  const bool light = !(about > x.least);
  if (light) {
    about = fmax(about, 0) + x.added;
    add_inertia(x.added, n, B[0]);
  }
  for (int i = 0; i < 6; i++)
    b->inverse[i] = n[row[i]] * n[column[i]] / about;
  return light;
}

static int lighten_spatial(wanted x, lwi_dca_body *b, double (*B)[6])
{
  const double *a = b->inertia;
  double A[9] = {a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]}, V[9], value[3];
  int n = 0;
  lwi_symmetric_eigen(3, A, V, value);
  const double largest = fmax(value[0], fmax(value[1], value[2]));
  memset(b->inverse, 0, sizeof b->inverse);
  for (int k = 0; k < 3; k++) {
    const double *v = V + 3 * k;
    double own = value[k];
    if (!(own > fmax(NOISE * largest, x.least))) {
      add_inertia(x.added, v, B[n++]);
      own = fmax(own, 0) + x.added;
    }
    const double product[6] = {v[0] * v[0], v[1] * v[1], v[2] * v[2],
                               v[0] * v[1], v[0] * v[2], v[1] * v[2]};
    for (int i = 0; i < 6; i++)
      b->inverse[i] += product[i] / own;
  }
  return n;
}

/* Columns of B for the mass `added`: forces at the centre of mass, about the link's origin. */
static int add_mass(const lw_model *m, const lwi_body *body, double added, const double com[3],
                    double (*B)[6])
{
  const int n = m->planar ? 2 : 3;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++)
      B[k][3 + i] = sqrt(added) * body->R.c[k][i];
    cross3(com, B[k] + 3, B[k]);
  }
  return n;
}

bool lwi_dca_lighten(const lw_model *m, int body, lwi_dca_body *b, double (*B)[6], lwi_dca_edge *e)
{
  const int link = m->body[body].link;
  const lwi_added_mass *added_mass = &m->added_mass[link];
  int n = 0;
  b->own_mass = m->link[link].mass / (m->link[link].mass + added_mass->mass);
  if (!m->link[link].inertialess) { /* a free particle does not rotate */
    const double typical = typical_inertia(m, &m->link[link], b);
    const wanted x = {fmax(0.1 * added_mass->inertia, NOISE * typical),
                      fmax(added_mass->inertia, typical)};
    n = m->planar ? lighten_planar(m->body[body].R.c[2], x, b, B) : lighten_spatial(x, b, B);
  }
  if (added_mass->mass > 0) n += add_mass(m, &m->body[body], added_mass->mass, b->com, B + n);
  *e = (lwi_dca_edge){.kind = LWI_DCA_LIGHT, .b = link, .m = n, .B = (const double(*)[6])B};
  return n > 0;
}

/* About the centre of mass the columns of B are orthogonal: y_k = B_k^T f / |B_k|^2. */
void lwi_dca_light_residual(const lw_dca *d, const lwi_dca_edge *e, const double A[6],
                            const double f[6], double c[6])
{
  const double *com = d->state[e->b].c;
  double D[36], arm[3], turn[3], at[6], load[6], sum[6] = {0};
  light_rows(d, e, D);
  cross3(com, f + 3, arm);
  cross3(A, com, turn);
  for (int i = 0; i < 3; i++) {
    load[i] = f[i] - arm[i], load[3 + i] = f[3 + i];
    at[i] = A[i], at[3 + i] = A[3 + i] + turn[i];
  }
  for (int k = 0; k < e->m; k++) {
    double *B = D + 6 * k, size = 0, carried = 0, moved = 0;
    if (dot3(B + 3, B + 3) > 0) B[0] = B[1] = B[2] = 0; /* a force at the centre of mass */
    for (int i = 0; i < 6; i++)
      size += B[i] * B[i], carried += B[i] * load[i], moved += B[i] * at[i];
    for (int i = 0; i < 6; i++)
      sum[i] += B[i] / size * (carried / size - moved);
  }
  cross3(com, sum, turn);
  for (int i = 0; i < 3; i++)
    c[i] += sum[i], c[3 + i] += sum[3 + i] + turn[i];
}
