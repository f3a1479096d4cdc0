/* SPDX-License-Identifier: Apache-2.0 */
/* light.c -- bodies without inertia about some axis, rods and particles, whose mobility alone would
   be infinite, and those that are much lighter than what moves through them
   (model/compile/added_mass.c), in whose mobility that of the others would drown.

   Such a body is given what it lacks, P = B B^T, and at the same time a load P A that moves it, so
   that nothing has changed:

     (M + P) A = F + B y,   y = B^T A

   y is eliminated like a joint (an edge of the body alone):  A = Z F + z  of an assembly that holds
   the body gives

     (1 - B^T Z_bb B) y = B^T (z_b + sum_j Z_bj F_j)

   that is the rule of dca.h with D = B, and X = -B (1 - B^T Z_bb B)^-1 B^T.  This is done when the
   body has no other edges left.  Then 1 - B^T Z_bb B is positive definite if the mechanism's own
   mass matrix is: a motion of the assembly without energy would leave at rest all its other
   handles, which have inertia, so all that is outside could rest, too, and the whole mechanism
   would have a motion without energy. */
#include "dca/dca.h"
#include "dca/edge_rows.h"
#include "linalg/eigen.h"

static const double NOISE = 1e-9; /* of the largest moment of inertia: none */

/* About how large the inertia of a body is: its own, or that of its mass on the lever arm of its
   joint. Its own is a difference of inertias about the joint and may be noise. */
static double typical_inertia(const lw_model *m, const lwi_link *L, const lwi_dca_body *b)
{
  const double trace = b->inertia[0] + b->inertia[1] + b->inertia[2], arm = norm3(b->com);
  const double carried = L->mass * (arm > 0 ? arm * arm : m->length * m->length);
  return trace > NOISE * carried ? 0.5 * trace : carried;
}

/* least: below it a moment of inertia is too small, and lent is added */
typedef struct {
  double least, lent;
} wanted;

/* A torque about the axis v that stands for the inertia `lent`. */
static void lend_inertia(double lent, const double v[3], double B[6])
{
  for (int i = 0; i < 3; i++)
    B[i] = sqrt(lent) * v[i], B[3 + i] = 0;
}

/* in the plane: only the turn about the normal n counts */
static int lighten_planar(const double n[3], wanted x, lwi_dca_body *b, double (*B)[6])
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double about = 0;
  for (int i = 0; i < 6; i++)
    about += (i < 3 ? 1 : 2) * b->inertia[i] * n[row[i]] * n[column[i]];
  const bool light = !(about > x.least);
  if (light) {
    about = fmax(about, 0) + x.lent;
    lend_inertia(x.lent, n, B[0]);
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
      lend_inertia(x.lent, v, B[n++]);
      own = fmax(own, 0) + x.lent;
    }
    const double product[6] = {v[0] * v[0], v[1] * v[1], v[2] * v[2],
                               v[0] * v[1], v[0] * v[2], v[1] * v[2]};
    for (int i = 0; i < 6; i++)
      b->inverse[i] += product[i] / own;
  }
  return n;
}

/* Forces at the centre of mass, about the link's origin, that stand for the mass `lent`. */
static int lend_mass(const lw_model *m, const lwi_body *body, double lent, const double com[3],
                     double (*B)[6])
{
  const int n = m->planar ? 2 : 3;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++)
      B[k][3 + i] = sqrt(lent) * body->R.c[k][i];
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
  if (!m->link[link].inertialess) { /* a free particle does not turn: no mobility */
    const double typical = typical_inertia(m, &m->link[link], b);
    const wanted x = {fmax(0.1 * added_mass->inertia, NOISE * typical),
                      fmax(added_mass->inertia, typical)};
    n = m->planar ? lighten_planar(m->body[body].R.c[2], x, b, B) : lighten_spatial(x, b, B);
  }
  if (added_mass->mass > 0) n += lend_mass(m, &m->body[body], added_mass->mass, b->com, B + n);
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
