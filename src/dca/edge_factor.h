/* SPDX-License-Identifier: Apache-2.0 */
/* edge_factor.h -- the factor of T, the mobility of the two sides of an edge relative to each other
   in the directions that the edge does not allow, and its rank.  Part of the elimination rule
   (eliminate.h); symbols and equations: dca.h.

   Between independent assemblies T is regular: T = L L^T.  Where a loop closes, rows may depend on
   others, and L^-1 is that of a pseudo-inverse. */
#ifndef LWI_DCA_EDGE_FACTOR_H
#define LWI_DCA_EDGE_FACTOR_H
#include "dca/edge_rows.h"
#include "dca/leaf.h"
#include "linalg/eigen.h"

/* redundant: an eigenvalue of T below RELATIVE times the largest, or below ABSOLUTE times the
   mobility that the two bodies had alone; both times stiffness_of large assemblies and lwi_dca_finer, and
   never below NOISE, or a tenth of it where decisions are finer */
#define RELATIVE 1e-10
#define ABSOLUTE 1e-10
#define NOISE 1e-14
#define KEPT 1e-3  /* factor of all but NOISE where the previous rank is preferred */
#define TINY 1e-16 /* least eigenvalue, a rounding error, where the rank is held */

/* Unrolls loops over the few rows of an edge, whose branches would be mispredicted.  clang unrolls
   them without a pragma where it can, and warns about the pragma where it cannot. */
#ifdef __clang__
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 6")
#endif
#define AT_MOST_SIX(m) ((m) < 6 ? (m) : 6) /* a bound for the compiler */

typedef lwi_mobility mobility;
#define block_of lwi_mobility_block
#define mobility_of lwi_mobility_of

/* data of one elimination */
typedef struct {
  const lwi_dca_step *s;
  lwi_dca_edge *e;
  mobility left, right, out;
  double D[36];      /* rows of D^T; of a revolute joint only the angular parts of the first two */
  row columns[6];    /* D, one row per component: [6][m] */
  double r[4], c[6]; /* c: of a tree joint */
  double g[6];       /* D^T c of a closing edge */
  double L[6][6];    /* L^-1 B = scale (B - L ...): unit lower triangle and scales; or a matrix */
  double scale[6];
  bool pseudo; /* L^-1 is a matrix, of a pseudo-inverse */
  double *G;   /* [inner handles][6][LWI_ROW] first D^T Delta_j, then G_j */
} elimination;

/* Unit L and 1/sqrt of the pivots.  False: not positive definite.  Without a closed loop that is
   due to rounding: in a row of very many bodies the mobility of the assemblies relative to each
   other is only 1e-15 of that of their bodies. */
static inline bool factor_regular(const int m, double T[][LWI_ROW], double L[6][6], double scale[6])
{
  bool regular = true;
  UNROLLED
  for (int j = 0; j < AT_MOST_SIX(m); j++) {
    const double own = T[j][j];
    double pivot = own;
    UNROLLED
    for (int k = 0; k < j; k++)
      pivot -= L[j][k] * T[j][k];
    regular &= pivot > 1e-15 * own;
    const double inverse = 1 / pivot;
    scale[j] = sqrt(inverse);
    UNROLLED
    for (int i = j + 1; i < AT_MOST_SIX(m); i++) { /* T keeps L times pivots */
      UNROLLED
      for (int k = 0; k < j; k++)
        T[i][j] -= L[j][k] * T[i][k];
      L[i][j] = T[i][j] * inverse;
    }
  }
  return regular;
}

/* The same for 1 - T, where loads B B^T A correct for added mass: light.c. */
static inline bool factor_light(const int m, double T[][LWI_ROW], double L[6][6], double scale[6])
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      T[i][j] = (i == j) - T[i][j];
  bool regular = factor_regular(m, T, L, scale);
  for (int i = 0; i < m; i++)
    regular = regular && scale[i] < 1e6; /* pivots of an unsupported body: rounding errors */
  return regular;
}

/* the mobility along a row if the two bodies were free */
static double bare_mobility(const lw_dca *d, const elimination *x, const double *f)
{
  double A[6], on_a[6], arm[3], sum = 0;
  if (x->e->b > 0) {
    push_body(&d->state[x->e->b], f, A);
    sum += row_dot6(f, A);
  }
  if (x->e->a > 0) {
    cross3(x->r, f + 3, arm);
    for (int i = 0; i < 3; i++)
      on_a[i] = f[i] + arm[i], on_a[3 + i] = f[3 + i];
    push_body(&d->state[x->e->a], on_a, A);
    sum += row_dot6(on_a, A);
  }
  return sum;
}

/* A row of n bodies that keep their distances has n times the mass and n^3 times the inertia of
   one.  Up to a thousand of them are far above the limits for redundant rows; beyond, the limits
   are reduced accordingly, but not below 5e-14 of the mobility of a body, which are rounding
   errors. */
static double stiffness_of(int nbody)
{
  const double ratio = nbody > 1000 ? 1000. / nbody : 1;
  return fmax(5e-4, ratio * ratio * ratio);
}

/* The number of eigenvalues, largest first, that count; before: the previous number. */
static int find_rank(const lw_dca *d, const lwi_dca_step *s, int m, const double value[],
                     const int order[], int before)
{
  const double largest = value[order[0]];
  int rank = 0;
  if (!s->loop) return m; /* between independent assemblies no row is redundant */
  if (d->hold_rank) return before;
  const double finer = lwi_dca_finer(d);
  while (rank < m) {
    const double x = value[order[rank]];
    const double part = stiffness_of(s->nbody) * finer * (d->keep_rank && rank < before ? KEPT : 1);
    if (!(x > part * RELATIVE * largest && x > part * ABSOLUTE &&
          x > (d->fineness ? 0.1 : 1) * NOISE))
      break;
    rank++;
  }
  return rank;
}

/* L^-1 with L^-T L^-1 the pseudo-inverse of the scaled T, as a matrix in place of L; returns the
   rank, -1: not finite */
static int factor_loop(const lw_dca *d, const bool revolute, elimination *x, double T[][LWI_ROW],
                       int before)
{
  const int m = x->e->m;
  double A[36], V[36], value[6], size[6];
  int order[6];
  for (int k = 0; k < m; k++) {
    double f[6] = {0};
    if (revolute && k >= 2)
      f[1 + k] = 1;
    else
      memcpy(f, x->D + 6 * k, (revolute ? 3 : 6) * sizeof *f);
    const bool rotor = !revolute && k >= m - x->e->rotors; /* its T is at least 1 / armature */
    const double bare = rotor ? T[k][k] : bare_mobility(d, x, f);
    size[k] = bare > 0 ? 1 / sqrt(bare) : 0;
  }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      A[i * m + j] = size[i] * size[j] * 0.5 * (T[i][j] + T[j][i]);
      if (!isfinite(A[i * m + j])) return -1;
    }
  lwi_symmetric_eigen(m, A, V, value);
  for (int i = 0; i < m; i++) {
    int k = i;
    for (; k > 0 && value[order[k - 1]] < value[i]; k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
  const int rank = find_rank(d, x->s, m, value, order, before);
  const double least = x->s->loop ? TINY : fmax(NOISE, -2 * value[order[m - 1]]);
  memset(x->L, 0, sizeof x->L);
  for (int i = 0; i < rank; i++) {
    const double root = sqrt(fmax(value[order[i]], least));
    for (int j = 0; j < m; j++)
      x->L[i][j] = V[order[i] * m + j] * size[j] / root;
  }
  return rank;
}

/* G = L^-1 B in place, m rows of vectors */
static inline void divide(const int m, const elimination *x, row G[6])
{
  if (!x->pseudo) {
    UNROLLED
    for (int i = 1; i < AT_MOST_SIX(m); i++) {
      UNROLLED
      for (int k = 0; k < i; k++)
        G[i] = row_fms(G[i], x->L[i][k], G[k]);
    }
    UNROLLED
    for (int i = 0; i < AT_MOST_SIX(m); i++)
      G[i] = row_scale(x->scale[i], G[i]);
    return;
  }
  row B[6];
  for (int i = 0; i < m; i++)
    B[i] = G[i];
  for (int i = 0; i < m; i++) {
    G[i] = row_zero();
    for (int k = 0; k < m; k++)
      G[i] = row_fma(G[i], x->L[i][k], B[k]);
  }
}

static inline void divide_vector(const int m, const elimination *x, const double *e, double y[6])
{
  if (x->pseudo) {
    for (int i = 0; i < m; i++) {
      y[i] = 0;
      for (int k = 0; k < m; k++)
        y[i] += x->L[i][k] * e[k];
    }
    return;
  }
  UNROLLED
  for (int i = 0; i < AT_MOST_SIX(m); i++) {
    y[i] = e[i];
    UNROLLED
    for (int k = 0; k < i; k++)
      y[i] -= x->L[i][k] * y[k];
  }
  UNROLLED
  for (int i = 0; i < AT_MOST_SIX(m); i++)
    y[i] *= x->scale[i];
}

#endif
