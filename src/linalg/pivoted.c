/* SPDX-License-Identifier: Apache-2.0 */
/* pivoted.c -- factors of a matrix with the pivots there are, and solutions: by rows, inside the
   pattern that choosing them left (pivoted_choose.c). */
#include "linalg/pivoted_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- make ---- */

void lwi_pivoted_free(lwi_pivoted *p)
{
  if (!p) return;
  void *const all[] = {p->start,        p->column,          p->group,     p->order,
                       p->row_weight,   p->column_weight,   p->pivot_row, p->pivot_column,
                       p->place_of_row, p->place_of_column, p->l_start,   p->u_start,
                       p->l_place,      p->u_column,        p->l_value,   p->u_value,
                       p->pivot,        p->inverse,         p->dense,     p->y,
                       p->queue,        p->queued};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(p);
}

static bool take(lwi_pivoted *p)
{
  const size_t n = (size_t)p->nrow + 1, m = (size_t)p->ncol + 1;
  p->start = calloc(n, sizeof(size_t));
  p->group = calloc((size_t)p->ngroup + 1, sizeof(int));
  p->order = calloc(n, sizeof(int));
  p->row_weight = calloc(n, sizeof(double));
  p->column_weight = calloc(m, sizeof(double));
  p->pivot_row = calloc(n, sizeof(int));
  p->pivot_column = calloc(n, sizeof(int));
  p->place_of_row = calloc(n, sizeof(int));
  p->place_of_column = calloc(m, sizeof(int));
  p->l_start = calloc(n, sizeof(size_t));
  p->u_start = calloc(n, sizeof(size_t));
  p->pivot = calloc(n, sizeof(double));
  p->inverse = calloc(n, sizeof(double));
  p->dense = calloc(m, sizeof(double));
  p->y = calloc(n, sizeof(double));
  p->queue = calloc(n, sizeof *p->queue);
  p->queued = calloc(n, sizeof *p->queued);
  return p->start && p->group && p->order && p->row_weight && p->column_weight && p->pivot_row &&
         p->pivot_column && p->place_of_row && p->place_of_column && p->l_start && p->u_start &&
         p->pivot && p->inverse && p->dense && p->y && p->queue && p->queued;
}

lwi_pivoted *lwi_pivoted_new(int nrow, int ncol, const size_t start[], const int column[],
                             int ngroup, const int group[], const int order[])
{
  lwi_pivoted *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->nrow = nrow;
  p->ncol = ncol;
  p->ngroup = group ? ngroup : 1;
  p->zero = 1e-10;
  const size_t entries = nrow > 0 ? start[nrow] : 0;
  p->column = malloc((entries + 1) * sizeof(int));
  if (!take(p) || !p->column) {
    lwi_pivoted_free(p);
    return NULL;
  }
  for (int i = 0; i <= nrow; i++)
    p->start[i] = nrow > 0 ? start[i] : 0;
  if (entries) memcpy(p->column, column, entries * sizeof(int));
  for (int i = 0; i < nrow; i++)
    p->order[i] = group ? order[i] : i;
  for (int g = 0; g <= p->ngroup; g++)
    p->group[g] = group ? group[g] : g * nrow;
  return p;
}

void lwi_pivoted_set_zero(lwi_pivoted *p, double zero)
{
  p->zero = zero;
}

bool lwi_pivoted_take_factors(lwi_pivoted *p, size_t nl, size_t nu)
{
  int *l_place = malloc((nl + 1) * sizeof(int)), *u_column = malloc((nu + 1) * sizeof(int));
  double *l_value = malloc((nl + 1) * sizeof(double)), *u_value = malloc((nu + 1) * sizeof(double));
  const bool fine = l_place && l_value && u_column && u_value;
  free(fine ? p->l_place : l_place), free(fine ? p->l_value : l_value);
  free(fine ? p->u_column : u_column), free(fine ? p->u_value : u_value);
  if (!fine) return false;
  p->l_place = l_place, p->l_value = l_value;
  p->u_column = u_column, p->u_value = u_value;
  return true;
}

bool lwi_pivoted_is_alike(const lwi_pivoted *a, const lwi_pivoted *b)
{
  if (a->nrow != b->nrow || a->ncol != b->ncol) return false;
  const size_t rows = (size_t)a->nrow + 1, entries = a->start[a->nrow];
  return memcmp(a->start, b->start, rows * sizeof(size_t)) == 0 &&
         (entries == 0 || memcmp(a->column, b->column, entries * sizeof(int)) == 0);
}

bool lwi_pivoted_follow(lwi_pivoted *p, const lwi_pivoted *from)
{
  const size_t rows = (size_t)p->nrow, columns = (size_t)p->ncol, places = (size_t)from->rank + 1;
  const size_t nl = from->l_start[from->rank], nu = from->u_start[from->rank];
  if (!lwi_pivoted_take_factors(p, nl, nu)) return false;
  p->rank = from->rank;
  memcpy(p->row_weight, from->row_weight, rows * sizeof(double));
  memcpy(p->column_weight, from->column_weight, columns * sizeof(double));
  memcpy(p->pivot_row, from->pivot_row, rows * sizeof(int));
  memcpy(p->pivot_column, from->pivot_column, rows * sizeof(int));
  memcpy(p->place_of_row, from->place_of_row, rows * sizeof(int));
  memcpy(p->place_of_column, from->place_of_column, columns * sizeof(int));
  memcpy(p->l_start, from->l_start, places * sizeof(size_t));
  memcpy(p->u_start, from->u_start, places * sizeof(size_t));
  if (nl) memcpy(p->l_place, from->l_place, nl * sizeof(int));
  if (nu) memcpy(p->u_column, from->u_column, nu * sizeof(int));
  return true;
}

/* ---- factor and solve ---- */

void lwi_pivoted_factor(lwi_pivoted *p, const double value[])
{
  double *x = p->dense;
  for (int k = 0; k < p->rank; k++) {
    const int i = p->pivot_row[k], column = p->pivot_column[k];
    for (size_t s = p->start[i]; s < p->start[i + 1]; s++)
      x[p->column[s]] = value[s];
    for (size_t s = p->l_start[k]; s < p->l_start[k + 1]; s++) {
      const int j = p->l_place[s];
      const double factor = x[p->pivot_column[j]] * p->inverse[j];
      p->l_value[s] = factor;
      x[p->pivot_column[j]] = 0;
      for (size_t r = p->u_start[j]; r < p->u_start[j + 1]; r++)
        x[p->u_column[r]] -= factor * p->u_value[r];
    }
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++) {
      p->u_value[r] = x[p->u_column[r]];
      x[p->u_column[r]] = 0;
    }
    p->pivot[k] = x[column];
    p->inverse[k] = 1 / x[column];
    x[column] = 0;
  }
}

double lwi_pivoted_weakest(const lwi_pivoted *p)
{
  double weakest = 1;
  for (int k = 0; k < p->rank; k++) {
    double most = 0;
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++)
      most = fmax(most, fabs(p->u_value[r]) * p->column_weight[p->u_column[r]]);
    const double own = fabs(p->pivot[k]) * p->column_weight[p->pivot_column[k]];
    if (!(own >= weakest * most)) weakest = own / most;
  }
  return weakest;
}

void lwi_pivoted_solve(const lwi_pivoted *p, const double b[], double x[])
{
  for (int k = 0; k < p->rank; k++) {
    double sum = b[p->pivot_row[k]];
    for (size_t s = p->l_start[k]; s < p->l_start[k + 1]; s++)
      sum -= p->l_value[s] * p->y[p->l_place[s]];
    p->y[k] = sum;
  }
  for (int k = p->rank - 1; k >= 0; k--) {
    double sum = p->y[k];
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++)
      sum -= p->u_value[r] * x[p->u_column[r]];
    x[p->pivot_column[k]] = sum * p->inverse[k];
  }
}

/* ---- rows that depend on others ---- */

/* The queue of places to look at, smallest key first: a heap. */
static void enqueue(const lwi_pivoted *p, int *n, int place, int key)
{
  int k = (*n)++;
  if (p->queued[place]) {
    --*n;
    return;
  }
  p->queued[place] = true;
  for (; k > 0 && p->queue[(k - 1) / 2] > key; k = (k - 1) / 2)
    p->queue[k] = p->queue[(k - 1) / 2];
  p->queue[k] = key;
}

static int dequeue(const lwi_pivoted *p, int *n)
{
  const int first = p->queue[0], last = p->queue[--*n];
  int k = 0;
  for (int child = 1; child < *n; child = 2 * k + 1) {
    if (child + 1 < *n && p->queue[child + 1] < p->queue[child]) child++;
    if (p->queue[child] >= last) break;
    p->queue[k] = p->queue[child];
    k = child;
  }
  p->queue[k] = last;
  p->queued[first < 0 ? -first - 1 : first] = false;
  return first;
}

/* z of a_row = z U into p->y; returns how many there are, and their places in at. */
static int divide_by_upper(const lwi_pivoted *p, const double value[], int row, int at[])
{
  double *x = p->dense;
  int n = 0, found = 0;
  for (size_t s = p->start[row]; s < p->start[row + 1]; s++) {
    const int place = p->place_of_column[p->column[s]];
    if (place < 0 || value[s] == 0) continue;
    x[p->column[s]] = value[s];
    enqueue(p, &n, place, place);
  }
  while (n > 0) {
    const int k = dequeue(p, &n);
    const double z = x[p->pivot_column[k]] * p->inverse[k];
    x[p->pivot_column[k]] = 0;
    p->y[k] = z;
    at[found++] = k;
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++) {
      const int column = p->u_column[r], place = p->place_of_column[column];
      if (place < 0 || p->u_value[r] == 0) continue; /* what is left of the row is nothing */
      x[column] -= z * p->u_value[r];
      enqueue(p, &n, place, place);
    }
  }
  return found;
}

/* With A = L U for rows with pivots, a_row = z U, z = y L. */
int lwi_pivoted_combine(const lwi_pivoted *p, const double value[], int row, int at[], double y[])
{
  int n = 0, found = divide_by_upper(p, value, row, at);
  for (int i = 0; i < found; i++)
    enqueue(p, &n, at[i], -1 - at[i]);
  for (found = 0; n > 0; found++) {
    const int k = -1 - dequeue(p, &n);
    at[found] = p->pivot_row[k];
    y[found] = -p->y[k];
    for (size_t s = p->l_start[k]; s < p->l_start[k + 1]; s++) {
      const int j = p->l_place[s];
      if (p->l_value[s] == 0) continue;
      if (!p->queued[j]) p->y[j] = 0;
      p->y[j] -= p->y[k] * p->l_value[s];
      enqueue(p, &n, j, -1 - j);
    }
  }
  at[found] = row;
  y[found] = 1;
  return found + 1;
}

int lwi_pivoted_rank(const lwi_pivoted *p)
{
  return p->rank;
}

bool lwi_pivoted_is_dependent(const lwi_pivoted *p, int column)
{
  return p->place_of_column[column] >= 0;
}

bool lwi_pivoted_is_kept(const lwi_pivoted *p, int row)
{
  return p->place_of_row[row] >= 0;
}

size_t lwi_pivoted_entries(const lwi_pivoted *p)
{
  return p->l_start[p->rank] + p->u_start[p->rank] + (size_t)p->rank;
}
