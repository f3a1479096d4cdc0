/* SPDX-License-Identifier: Apache-2.0 */
/* complementarity.c -- Lemke's method with lexicographic ratio tests, [Cottle2009] section 4.4.

   With z = x - lower and a multiplier s for every finite upper bound the problem is the standard
   one, w = M z + q >= 0, z >= 0, w^T z = 0:

     [ w1 ]   [  A  I ] [ z ]   [ b + A lower   ]
     [ w2 ] = [ -I  0 ] [ s ] + [ upper - lower ]

   M is positive semidefinite if A is.  An artificial z0 with a column of ones makes it feasible; it
   is driven out by complementary pivots.  The lexicographic order of the rows of the inverse basis
   decides ties, so that the method ends; problems of equivalent contacts are full of ties.  The set
   of basic variables that it ends with is solved once more from the original numbers. */
#include "linalg/complementarity.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* below this, relative to the largest number of its column, an entry is a rounding error */
static const double no_pivot = 1e-11;

/* A row of the tableau is basic = q + (coefficients) of w[0 ... N-1], z[0 ... N-1], z0.  Columns of
   w are the inverse of the basis up to signs, by which ties are decided. */
typedef struct {
  int N, width; /* width: 2 N + 2, the right side last */
  double *row;  /* [N][width] */
  int *basic;   /* [N] variable of a row: w_i = i, z_i = N + i, z0 = 2 N */
} tableau;

/* of x[0], x[step], ... x[(n-1) step] */
static double largest(int n, const double *x, int step)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[(size_t)i * (size_t)step]));
  return most;
}

static double *entry(const tableau *t, int i, int j)
{
  return t->row + (size_t)i * (size_t)t->width + j;
}

static void pivot(tableau *t, int r, int column)
{
  const double by = 1 / *entry(t, r, column);
  for (int j = 0; j < t->width; j++)
    *entry(t, r, j) *= by;
  *entry(t, r, column) = 1;
  for (int i = 0; i < t->N; i++) {
    const double f = *entry(t, i, column);
    if (i == r || f == 0) continue;
    for (int j = 0; j < t->width; j++)
      *entry(t, i, j) -= f * *entry(t, r, j);
    *entry(t, i, column) = 0;
  }
  t->basic[r] = column;
}

/* Is row a, divided by its entry in the column, lexicographically below row b?  Right side
   first. */
static bool is_below(const tableau *t, int a, int b, int column, double noise)
{
  const double fa = 1 / *entry(t, a, column), fb = 1 / *entry(t, b, column);
  const double qa = *entry(t, a, t->width - 1) * fa, qb = *entry(t, b, t->width - 1) * fb;
  if (fabs(qa - qb) > noise) return qa < qb;
  /* z0 leaves as soon as it can */
  if (t->basic[a] == 2 * t->N || t->basic[b] == 2 * t->N) return t->basic[a] == 2 * t->N;
  for (int j = 0; j < t->N; j++) {
    const double x = *entry(t, a, j) * fa, y = *entry(t, b, j) * fb;
    if (fabs(x - y) > 1e-12 * (fabs(x) + fabs(y))) return x < y;
  }
  return false;
}

/* The row whose variable becomes zero first as that of the column grows; -1: none does. */
static int leaving_row(const tableau *t, int column)
{
  double most = 0, scale = 0;
  int best = -1;
  for (int i = 0; i < t->N; i++) {
    most = fmax(most, fabs(*entry(t, i, column)));
    scale = fmax(scale, fabs(*entry(t, i, t->width - 1)));
  }
  for (int i = 0; i < t->N; i++) {
    if (!(*entry(t, i, column) > no_pivot * most)) continue;
    if (best < 0 || is_below(t, i, best, column, 1e-13 * scale / most)) best = i;
  }
  return best;
}

static lwi_complementarity iterate(tableau *t)
{
  const int N = t->N, z0 = 2 * N;
  int r = 0;
  for (int i = 1; i < N; i++)
    if (*entry(t, i, t->width - 1) < *entry(t, r, t->width - 1)) r = i;
  if (*entry(t, r, t->width - 1) >= 0) return LWI_COMPLEMENTARITY_SOLVED;
  int left = t->basic[r];
  pivot(t, r, z0);
  for (int n = 0; n < 50 * (N + 10); n++) {
    const int enters = left < N ? left + N : left - N; /* the complement of what has left */
    r = leaving_row(t, enters);
    if (r < 0) return LWI_COMPLEMENTARITY_RAY;
    left = t->basic[r];
    pivot(t, r, enters);
    if (left == z0) return LWI_COMPLEMENTARITY_SOLVED;
  }
  return LWI_COMPLEMENTARITY_CYCLES;
}

/* ---- bounds ---- */

/* variables that may move, and which of them have an upper bound */
typedef struct {
  int n, bounded;
  int *free, *upper; /* [n] index of a variable; [bounded] index among the free ones */
} choice;

/* w - M z - z0 = q */
static void fill(tableau *t, const choice *c, int n, const double *A, const double b[],
                 const double lower[], const double upper[])
{
  const int N = t->N;
  for (int i = 0; i < N; i++) {
    t->basic[i] = i;
    *entry(t, i, i) = 1;
    *entry(t, i, 2 * N) = -1;
  }
  for (int i = 0; i < c->n; i++) {
    const int k = c->free[i];
    double q = b[k];
    for (int j = 0; j < n; j++)
      q += A[k * n + j] * lower[j];
    *entry(t, i, t->width - 1) = q;
    for (int j = 0; j < c->n; j++)
      *entry(t, i, N + j) = -A[k * n + c->free[j]];
  }
  for (int i = 0; i < c->bounded; i++) {
    const int k = c->upper[i], r = c->n + i;
    *entry(t, k, N + r) = -1;
    *entry(t, r, N + k) = 1;
    *entry(t, r, t->width - 1) = upper[c->free[k]] - lower[c->free[k]];
  }
}

/* The variables between their bounds from the original equations, A_ff x_f = -b_f - A_fb x_b, by
   corrections with A_ff + more: also where A_ff is singular they converge, to the solution next to
   x.  scratch: [n][n] + [n]. */
static void refine(int n, const double *A, const double b[], double more, const bool inside[],
                   double *scratch, double x[])
{
  double *M = scratch, *r = scratch + (size_t)n * (size_t)n;
  int m = 0;
  for (int i = 0; i < n; i++)
    m += inside[i];
  for (int pass = 0; pass < 4; pass++) {
    int k = 0;
    for (int i = 0; i < n; i++) {
      if (!inside[i]) continue;
      r[k] = -b[i];
      for (int j = 0, l = 0; j < n; j++) {
        r[k] -= A[i * n + j] * x[j];
        if (inside[j]) M[k * m + l++] = A[i * n + j] + (i == j ? more : 0);
      }
      k++;
    }
    if (!lwi_solve_square(m, M, r, 0)) return;
    for (int i = 0, l = 0; i < n; i++)
      if (inside[i]) x[i] += r[l++];
  }
}

/* Where z0 and a bound are reached at once, but for rounding errors, a variable may be beyond its
   bound: it is there, and the others are found again. */
static bool clamp(int n, const double lower[], const double upper[], bool inside[], double x[])
{
  bool any = false;
  for (int i = 0; i < n; i++) {
    if (!inside[i] || (x[i] >= lower[i] && x[i] <= upper[i])) continue;
    x[i] = x[i] < lower[i] ? lower[i] : upper[i];
    inside[i] = false;
    any = true;
  }
  return any;
}

static void read_solution(const tableau *t, const choice *c, const double lower[],
                          const double upper[], bool inside[], double x[])
{
  const int N = t->N;
  for (int i = 0; i < N; i++) {
    const int z = t->basic[i] - N;
    if (z < 0 || z >= c->n) continue; /* of w, or the multiplier of an upper bound */
    const int k = c->free[z];
    x[k] = lower[k] + fmax(0, *entry(t, i, t->width - 1));
    inside[k] = true;
  }
  /* at an upper bound z and the bound's multiplier are basic */
  for (int i = 0; i < N; i++) {
    const int s = t->basic[i] - N - c->n;
    if (s < 0 || s >= c->bounded) continue;
    const int k = c->free[c->upper[s]];
    x[k] = upper[k];
    inside[k] = false;
  }
}

/* Once, with `more` added to the diagonal in the search for the set between the bounds. */
static lwi_complementarity solve_once(int n, const double *A, const double b[],
                                      const double lower[], const double upper[], double more,
                                      double x[])
{
  const size_t size = (size_t)n;
  choice c = {0};
  lwi_complementarity result = LWI_COMPLEMENTARITY_MEMORY;
  tableau t = {0};
  int *index = malloc((4 * size + 1) * sizeof *index);
  bool *inside = calloc(size + 1, sizeof *inside);
  double *scratch = malloc((size * size + size + 1) * sizeof *scratch);
  if (index && inside && scratch) {
    c.free = index, c.upper = index + n, t.basic = index + 2 * n;
    for (int i = 0; i < n; i++) {
      x[i] = lower[i];
      if (!(upper[i] > lower[i])) continue;
      if (isfinite(upper[i])) c.upper[c.bounded++] = c.n;
      c.free[c.n++] = i;
    }
    t.N = c.n + c.bounded;
    t.width = 2 * t.N + 2;
    t.row = calloc((size_t)t.N * (size_t)t.width + 1, sizeof *t.row);
  }
  if (t.row) {
    fill(&t, &c, n, A, b, lower, upper);
    for (int i = 0; i < c.n; i++)
      *entry(&t, i, t.N + i) -= more;
    result = t.N > 0 ? iterate(&t) : LWI_COMPLEMENTARITY_SOLVED;
    if (result == LWI_COMPLEMENTARITY_SOLVED) {
      read_solution(&t, &c, lower, upper, inside, x);
      do
        refine(n, A, b, fmax(more, 1e-11 * largest(n, A, n + 1)), inside, scratch, x);
      while (clamp(n, lower, upper, inside, x));
    }
  }
  free(t.row);
  free(scratch);
  free(inside);
  free(index);
  return result;
}

/* Where rounding errors of a singular A mislead the search, a little more on the diagonal makes it
   definite; what is found must satisfy the original problem. */
lwi_complementarity lwi_solve_complementarity(int n, const double *A, const double b[],
                                              const double lower[], const double upper[],
                                              double x[])
{
  static const double share[] = {0, 1e-10, 1e-9, 1e-8, 1e-7};
  const double scale = largest(n, A, n + 1), size = largest(n, b, 1);
  lwi_complementarity result = LWI_COMPLEMENTARITY_SOLVED;
  for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
    result = solve_once(n, A, b, lower, upper, share[i] * scale, x);
    if (result == LWI_COMPLEMENTARITY_MEMORY) return result;
    if (result != LWI_COMPLEMENTARITY_SOLVED) continue;
    const double tolerance = 1e-11 * (size + scale * largest(n, x, 1));
    if (lwi_complementarity_residual(n, A, b, lower, upper, x) <= tolerance) return result;
    result = LWI_COMPLEMENTARITY_RAY;
  }
  return result;
}

double lwi_complementarity_residual(int n, const double *A, const double b[], const double lower[],
                                    const double upper[], const double x[])
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double w = b[i];
    for (int j = 0; j < n; j++)
      w += A[i * n + j] * x[j];
    const double outside = fmax(lower[i] - x[i], x[i] - upper[i]) * A[i * n + i];
    const double from_lower = (x[i] - lower[i]) * A[i * n + i],
                 from_upper = (upper[i] - x[i]) * A[i * n + i];
    /* w > 0 is allowed at the lower bound only, w < 0 at the upper one */
    const double loose = w > 0 ? fmin(w, from_lower) : fmin(-w, from_upper);
    worst = fmax(worst, fmax(outside, loose));
  }
  return worst;
}
