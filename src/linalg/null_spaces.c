/* SPDX-License-Identifier: Apache-2.0 */
/* null_spaces.c -- both null spaces of a matrix by Gauss-Jordan elimination of [A 1]. */
#include "linalg/null_spaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int nrow, ncol, width; /* width = ncol + nrow */
  int npivot;            /* columns that may be pivots */
  double *B;             /* [nrow][width] */
  int *row, *column;     /* [nrow], [ncol] pivots first */
} elimination;

static void find_pivot(const elimination *e, int k, int *row, int *column)
{
  double most = -1;
  for (int i = k; i < e->nrow; i++)
    for (int j = k; j < e->npivot; j++) {
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

static int reduce(const elimination *e, lwi_null_rule rule)
{
  const int most = e->nrow < e->npivot ? e->nrow : e->npivot;
  double scale = rule.scale;
  for (int k = 0; k < most; k++) {
    int i = k, j = k;
    find_pivot(e, k, &i, &j);
    const double x = fabs(e->B[(size_t)e->row[i] * (size_t)e->width + (size_t)e->column[j]]);
    if (k == 0) scale = fmax(scale, x);
    if (!(x > rule.tolerance * scale)) return k;
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

size_t lwi_null_spaces_size(int nrow, int ncol)
{
  const size_t r = (size_t)nrow, c = (size_t)ncol;
  return r * r + c * c + r * (r + c) + r + 2 * c + 1; /* T, N, [A 1], places of rows and columns */
}

lwi_null_spaces lwi_null_spaces_at(double memory[], int nrow, int ncol, const double A[],
                                   lwi_null_rule rule)
{
  const size_t r = (size_t)nrow, c = (size_t)ncol;
  lwi_null_spaces s = {.nrow = nrow, .ncol = ncol, .T = memory, .N = memory + r * r};
  double *B = s.N + c * c, *places = B + r * (r + c);
  s.free_column = (int *)places;
  const elimination e = {.nrow = nrow,
                         .ncol = ncol,
                         .width = nrow + ncol,
                         .npivot = ncol - rule.kept,
                         .B = B,
                         .row = (int *)(places + c),
                         .column = (int *)(places + c + r)};
  memset(memory, 0, lwi_null_spaces_size(nrow, ncol) * sizeof(double));
  for (int i = 0; i < nrow; i++) {
    memcpy(B + (size_t)i * (r + c), A + (size_t)i * c, c * sizeof(double));
    B[(size_t)i * (r + c) + c + (size_t)i] = 1;
    e.row[i] = i;
  }
  for (int j = 0; j < ncol; j++)
    e.column[j] = j;
  s.rank = reduce(&e, rule);
  memcpy(s.free_column, e.column + s.rank, (c - (size_t)s.rank) * sizeof(int));
  read_bases(&e, &s);
  return s;
}

bool lwi_null_spaces_new(lwi_null_spaces *s, int nrow, int ncol, const double A[],
                         lwi_null_rule rule)
{
  double *memory = calloc(lwi_null_spaces_size(nrow, ncol), sizeof *memory);
  *s = (lwi_null_spaces){0};
  if (memory) *s = lwi_null_spaces_at(memory, nrow, ncol, A, rule);
  s->memory = memory;
  return memory != NULL;
}

void lwi_null_spaces_free(lwi_null_spaces *s)
{
  free(s->memory);
  s->memory = NULL;
}
