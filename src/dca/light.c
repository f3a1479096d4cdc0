/* SPDX-License-Identifier: Apache-2.0 */
/* light.c -- bodies without inertia about some axis, rods and particles: their mobility alone would be
   infinite.

   Such a body is given what it lacks, P = B B', and at the same time a load P A that moves it, so that
   nothing has changed:

     (M + P) A = F + B y,   y = B' A

   y is eliminated like a joint (an edge of the body alone):  A = Z F + z  of an assembly that holds the body
   gives

     (1 - B' Z_bb B) y = B' (z_b + sum_j Z_bj F_j)

   that is the rule of dca.h with D = B, and X = -B (1 - B' Z_bb B)^-1 B'.  This is done when the body has no
   other edges left.  Then 1 - B' Z_bb B is positive definite if the mechanism's own mass matrix is: a motion
   of the assembly without energy would leave at rest all its other handles, which have inertia, so all that is
   outside could rest, too, and the whole mechanism would have a motion without energy. */
#include "dca/dca.h"
#include "linalg/eigen.h"

static const double NOISE = 1e-9; /* of the largest moment of inertia: none */

/* About how large the inertia of a body is: its own, or that of its mass on the lever arm of its joint.
   Its own is a difference of inertias about the joint and may be noise. */
static double typical_inertia(const lw_model *m, const lwi_link *L, const lwi_dca_body *b)
{
  const double trace = b->inertia[0] + b->inertia[1] + b->inertia[2], arm = norm3(b->com);
  const double carried = L->mass * (arm > 0 ? arm * arm : m->length * m->length);
  return trace > NOISE * carried ? 0.5 * trace : carried;
}

/* in the plane: only the turn about the normal n counts */
static int lighten_planar(const double n[3], double typical, lwi_dca_body *b, double (*B)[3])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double about = 0;
  for (int i = 0; i < 6; i++)
    about += (i < 3 ? 1 : 2) * b->inertia[i] * n[row[i]] * n[column[i]];
  const bool light = !(about > NOISE * typical);
  if (light) {
    about = fmax(about, 0) + typical;
    for (int i = 0; i < 3; i++)
      B[0][i] = sqrt(typical) * n[i];
  }
  for (int i = 0; i < 6; i++)
    b->inverse[i] = n[row[i]] * n[column[i]] / about;
  return light;
}

static int lighten_spatial(double typical, lwi_dca_body *b, double (*B)[3])
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
    if (!(own > NOISE * fmax(largest, typical))) {
      for (int i = 0; i < 3; i++)
        B[n][i] = sqrt(typical) * v[i];
      own = fmax(own, 0) + typical;
      n++;
    }
    const double product[6] = {v[0] * v[0], v[1] * v[1], v[2] * v[2],
                               v[0] * v[1], v[0] * v[2], v[1] * v[2]};
    for (int i = 0; i < 6; i++)
      b->inverse[i] += product[i] / own;
  }
  return n;
}

bool lwi_dca_lighten(const lw_model *m, int body, lwi_dca_body *b, double (*B)[3], lwi_dca_edge *e)
{
  const int link = m->body[body].link;
  if (m->link[link].frozen) return false; /* a free particle does not turn: no mobility */
  const double typical = typical_inertia(m, &m->link[link], b);
  const int n = m->planar ? lighten_planar(m->body[body].R.c[2], typical, b, B)
                          : lighten_spatial(typical, b, B);
  *e = (lwi_dca_edge){.kind = LWI_DCA_LIGHT, .b = link, .m = n, .B = (const double(*)[3])B};
  return n > 0;
}
