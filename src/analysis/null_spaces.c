/* SPDX-License-Identifier: Apache-2.0 */
/* null_spaces.c -- both null spaces of a matrix, with sparse bases: each vector belongs to one
   dependent row or free column.  Gauss-Jordan elimination of [A 1] with complete pivoting. */
#include "analysis/redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int nrow, ncol, width; /* width = ncol + nrow */
  double *B;             /* [nrow][width] */
  int *row, *column;     /* [nrow], [ncol] pivots first */
} elimination;

static void find_pivot(const elimination *e, int k, int *row, int *column)
{
  double most = -1;
  for (int i = k; i < e->nrow; i++)
    for (int j = k; j < e->ncol; j++) {
      const double x = fabs(e->B[(size_t)e->row[i] * (size_t)e->width + (size_t)e->column[j]]);
      if (x > most) most = x, *row = i, *column = j;
    }
}

static void swap(int *a, int *b)
{
  const int x = *a;
  *a = *b;
  *b = x;
}

/* Column `column` becomes a unit vector with 1 in row `row`. */
static void eliminate(const elimination *e, int row, int column)
{
  double *p = e->B + (size_t)row * (size_t)e->width;
  const double pivot = p[column];
  for (int j = 0; j < e->width; j++)
    p[j] /= pivot;
  for (int i = 0; i < e->nrow; i++) {
    double *x = e->B + (size_t)i * (size_t)e->width;
    const double factor = x[column];
    if (i == row || factor == 0) continue;
    for (int j = 0; j < e->width; j++)
      x[j] -= factor * p[j];
    x[column] = 0;
  }
}

static int reduce(const elimination *e, double tolerance, double scale)
{
  const int most = e->nrow < e->ncol ? e->nrow : e->ncol;
  for (int k = 0; k < most; k++) {
    int i = k, j = k;
    find_pivot(e, k, &i, &j);
    const double x = fabs(e->B[(size_t)e->row[i] * (size_t)e->width + (size_t)e->column[j]]);
    if (k == 0) scale = fmax(scale, x);
    if (!(x > tolerance * scale)) return k;
    swap(&e->row[k], &e->row[i]);
    swap(&e->column[k], &e->column[j]);
    eliminate(e, e->row[k], e->column[k]);
  }
  return most;
}

static void read_bases(const elimination *e, lwi_null_spaces *s)
{
  const size_t width = (size_t)e->width, ncol = (size_t)e->ncol, nrow = (size_t)e->nrow;
  for (int i = s->rank; i < e->nrow; i++)
    memcpy(s->T + (size_t)(i - s->rank) * nrow, e->B + (size_t)e->row[i] * width + ncol,
           nrow * sizeof(double));
  for (int j = s->rank; j < e->ncol; j++) {
    double *x = s->N + (size_t)(j - s->rank) * ncol;
    for (int k = 0; k < s->rank; k++)
      x[e->column[k]] = -e->B[(size_t)e->row[k] * width + (size_t)e->column[j]];
    x[e->column[j]] = 1;
  }
}

bool lwi_null_spaces_new(lwi_null_spaces *s, int nrow, int ncol, const double A[], double tolerance,
                         double scale)
{
  const size_t r = (size_t)nrow, c = (size_t)ncol;
  elimination e = {nrow,
                   ncol,
                   nrow + ncol,
                   calloc(r * (r + c) + 1, sizeof(double)),
                   calloc(r + 1, sizeof(int)),
                   calloc(c + 1, sizeof(int))};
  *s = (lwi_null_spaces){.nrow = nrow, .ncol = ncol, .scratch = calloc(r * r + c * c + 1, 8)};
  const bool ok = e.B && e.row && e.column && s->scratch;
  if (ok) {
    s->T = s->scratch;
    s->N = s->T + r * r;
    for (int i = 0; i < nrow; i++) {
      memcpy(e.B + (size_t)i * (r + c), A + (size_t)i * c, c * sizeof(double));
      e.B[(size_t)i * (r + c) + c + (size_t)i] = 1;
      e.row[i] = i;
    }
    for (int j = 0; j < ncol; j++)
      e.column[j] = j;
    s->rank = reduce(&e, tolerance, scale);
    read_bases(&e, s);
  }
  free(e.B);
  free(e.row);
  free(e.column);
  return ok;
}

void lwi_null_spaces_free(lwi_null_spaces *s)
{
  free(s->scratch);
  s->scratch = NULL;
}
