/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_dense_long.c -- the same in 80 bits, by Householder reflections: A P = Q R, columns taken in the order
   of what is left of them, so that the rank shows. */
#include "oracle_dense.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

typedef oracle_real real;

typedef struct {
  int rows, columns, rank;
  real *
      a; /* [rows * columns] R above and on the diagonal of the first rank columns, reflections below */
  real *head; /* [columns] their first elements */
  int *order; /* [columns] of the columns of A */
} factors;

static real *column(const factors *f, int k)
{
  return f->a + (size_t)k * (size_t)f->rows;
}

static real length2(const real *x, int from, int to)
{
  real sum = 0;
  for (int i = from; i < to; i++)
    sum += x[i] * x[i];
  return sum;
}

/* x - 2 v v'x / v'v for the reflection k */
static void reflect(const factors *f, int k, real *x)
{
  const real *v = column(f, k), first = f->head[k];
  const real norm = first * first + length2(v, k + 1, f->rows);
  real s = first * x[k];
  if (norm == 0) return;
  for (int i = k + 1; i < f->rows; i++)
    s += v[i] * x[i];
  s *= 2 / norm;
  x[k] -= s * first;
  for (int i = k + 1; i < f->rows; i++)
    x[i] -= s * v[i];
}

static void exchange(factors *f, int k, int with)
{
  const int other = f->order[k];
  if (k == with) return;
  f->order[k] = f->order[with], f->order[with] = other;
  for (int i = 0; i < f->rows; i++) {
    const real x = column(f, k)[i];
    column(f, k)[i] = column(f, with)[i];
    column(f, with)[i] = x;
  }
}

static int longest_column(const factors *f, int from, real *length)
{
  int best = from;
  *length = -1;
  for (int k = from; k < f->columns; k++) {
    const real size = length2(column(f, k), from, f->rows);
    if (size > *length) *length = size, best = k;
  }
  return best;
}

/* takes a */
static factors factor(int rows, int columns, real *a, bool pivot)
{
  factors f = {.rows = rows, .columns = columns, .a = a};
  f.head = calloc((size_t)columns + 1, sizeof *f.head);
  f.order = calloc((size_t)columns + 1, sizeof *f.order);
  real first = 0, size;
  for (int k = 0; k < columns; k++)
    f.order[k] = k;
  for (int k = 0; k < columns && k < rows; k++) {
    const int best = pivot ? longest_column(&f, k, &size) : k;
    if (!pivot) size = length2(column(&f, k), k, rows);
    if (k == 0) first = size;
    if (pivot && size <= 1e-24L * first) break; /* lengths squared */
    exchange(&f, k, best);
    real *x = column(&f, k);
    const real beta = x[k] > 0 ? -sqrt(size) : sqrt(size);
    f.head[k] = x[k] - beta;
    f.rank = k + 1;
    for (int j = k + 1; j < columns; j++)
      reflect(&f, k, column(&f, j));
    x[k] = beta;
  }
  return f;
}

static void factors_free(factors *f)
{
  free(f->a);
  free(f->head);
  free(f->order);
}

static real *copy_of(const real *x, size_t n)
{
  real *y = calloc(n + 1, sizeof *y);
  if (n) memcpy(y, x, n * sizeof *y);
  return y;
}

/* the first rank rows of R, transposed: columns x rank */
static factors factor_rows(const factors *f)
{
  real *t = calloc((size_t)f->columns * (size_t)f->rank + 1, sizeof *t);
  for (int i = 0; i < f->rank; i++)
    for (int k = i; k < f->columns; k++)
      t[(size_t)k + (size_t)i * (size_t)f->columns] = column(f, k)[i];
  return factor(f->columns, f->rank, t, false);
}

/* A P = Q R, R' = Z S: x = P Z S'^-1 Q'b */
int oraclei_solve_min_norm(int rows, int columns, const real *a, const real *b, real *x)
{
  factors f = factor(rows, columns, copy_of(a, (size_t)rows * (size_t)columns), true);
  factors t = factor_rows(&f);
  real *c = copy_of(b, (size_t)rows), *y = calloc((size_t)columns + 1, sizeof *y);
  for (int k = 0; k < f.rank; k++)
    reflect(&f, k, c);
  for (int i = 0; i < f.rank; i++) {
    real sum = c[i];
    for (int k = 0; k < i; k++)
      sum -= column(&t, i)[k] * y[k];
    y[i] = sum / column(&t, i)[i];
  }
  for (int k = f.rank - 1; k >= 0; k--)
    reflect(&t, k, y);
  for (int k = 0; k < columns; k++)
    x[f.order[k]] = y[k];
  const int rank = f.rank;
  free(c);
  free(y);
  factors_free(&f);
  factors_free(&t);
  return rank;
}

/* the largest element of what is left of column k comes to the diagonal */
static void bring_pivot(int n, real *lu, real *x, int k)
{
  int best = k;
  for (int i = k; i < n; i++)
    if (fabs(lu[i + k * n]) > fabs(lu[best + k * n])) best = i;
  for (int j = 0; j < n && best != k; j++) {
    const real other = lu[k + j * n];
    lu[k + j * n] = lu[best + j * n], lu[best + j * n] = other;
  }
  const real other = x[k];
  x[k] = x[best], x[best] = other;
}

bool oraclei_solve_regular(int n, const real *a, const real *b, real *x)
{
  real *lu = copy_of(a, (size_t)n * (size_t)n);
  bool ok = true;
  memcpy(x, b, (size_t)n * sizeof *x);
  for (int k = 0; k < n && ok; k++) {
    bring_pivot(n, lu, x, k);
    ok = lu[k + k * n] != 0;
    for (int i = k + 1; i < n && ok; i++)
      x[i] -= (lu[i + k * n] /= lu[k + k * n]) * x[k];
    for (int j = k + 1; j < n && ok; j++)
      for (int i = k + 1; i < n; i++)
        lu[i + j * n] -= lu[i + k * n] * lu[k + j * n];
  }
  for (int k = n - 1; k >= 0 && ok; k--) {
    x[k] /= lu[k + k * n];
    for (int i = 0; i < k; i++)
      x[i] -= lu[i + k * n] * x[k];
  }
  free(lu);
  return ok;
}

/* A'P = Q R: what is orthogonal to the first rank columns of Q */
int oraclei_null_space(int rows, int columns, const real *a, real *vt)
{
  real *t = calloc((size_t)rows * (size_t)columns + 1, sizeof *t),
       *unit = calloc((size_t)columns + 1, sizeof *unit);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++)
      t[(size_t)k + (size_t)i * (size_t)columns] = a[(size_t)i + (size_t)k * (size_t)rows];
  factors f = factor(columns, rows, t, true);
  for (int i = 0; i < columns; i++) {
    memset(unit, 0, (size_t)columns * sizeof *unit);
    unit[i] = 1;
    for (int k = f.rank - 1; k >= 0; k--)
      reflect(&f, k, unit);
    for (int k = 0; k < columns; k++)
      vt[(size_t)i + (size_t)k * (size_t)columns] = unit[k];
  }
  const int rank = f.rank;
  free(unit);
  factors_free(&f);
  return rank;
}
