/* SPDX-License-Identifier: Apache-2.0 */
/* page_rows.c -- rows of numbers in single precision, and which of them to keep. */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool grow(page_rows *r, int ncell)
{
  const long capacity = r->capacity ? 2 * r->capacity : 64;
  float *cell = realloc(r->cell, (size_t)capacity * (size_t)(ncell + 1) * sizeof *cell);
  if (cell) r->cell = cell;
  double *time = realloc(r->time, (size_t)capacity * sizeof *time);
  if (time) r->time = time;
  bool *must = realloc(r->must, (size_t)capacity * sizeof *must);
  if (must) r->must = must;
  if (!cell || !time || !must) return false;
  r->capacity = capacity;
  return true;
}

bool page_rows_add(page_rows *r, double t, const double row[], const int column[], int n, bool must)
{
  r->ncell = n;
  if (r->n == r->capacity && !grow(r, n)) return false;
  float *to = r->cell + (size_t)r->n * (size_t)n;
  for (int i = 0; i < n; i++)
    to[i] = (float)row[column[i]];
  r->time[r->n] = t;
  r->must[r->n++] = must;
  return true;
}

void page_rows_free(page_rows *r)
{
  free(r->cell);
  free(r->time);
  free(r->must);
}

/* The largest change of slope at row i, of all columns, in units of their range. */
static double bend(const page_rows *r, const float range[], long i)
{
  const float *a = r->cell + (size_t)(i - 1) * (size_t)r->ncell, *b = a + r->ncell,
              *c = b + r->ncell;
  float most = 0;
  for (int k = 0; k < r->ncell; k++) {
    const float d = fabsf(a[k] - 2 * b[k] + c[k]) * range[k];
    if (d > most) most = d; /* NaN: not */
  }
  return (double)most;
}

static void find_ranges(const page_rows *r, float range[])
{
  for (int k = 0; k < r->ncell; k++) {
    float low = INFINITY, high = -INFINITY;
    for (long i = 0; i < r->n; i++) {
      const float x = r->cell[(size_t)i * (size_t)r->ncell + (size_t)k];
      if (x < low) low = x;
      if (x > high) high = x;
    }
    range[k] = high > low ? 1 / (high - low) : 0;
  }
}

/* The error of straight lines between rows h apart is h^2 |x''| / 8: it is the same everywhere if
   rows are as dense as the root of |x''|.  A fifth of the rows is spread evenly. */
long page_rows_thin(const page_rows *r, long most, bool keep[])
{
  float *range = malloc(((size_t)r->ncell + 1) * sizeof *range);
  double *sum = malloc(((size_t)r->n + 1) * sizeof *sum);
  const bool all = r->n <= most || r->n < 3;
  long kept = range && sum ? 0 : -1;
  if (!all && kept == 0) {
    find_ranges(r, range);
    sum[0] = 0;
    for (long i = 1; i < r->n; i++)
      sum[i] = sum[i - 1] + (i + 1 < r->n ? sqrt(bend(r, range, i)) : 0);
    const double total = sum[r->n - 1];
    for (long i = 0; i < r->n; i++)
      sum[i] = (total > 0 ? 0.8 * sum[i] / total : 0) +
               (total > 0 ? 0.2 : 1) * (double)i / (double)(r->n - 1);
  }
  for (long i = 0, last = -1; i < r->n && kept >= 0; i++) {
    const long bin = all ? i : (long)(sum[i] * (double)(most - 1));
    keep[i] = all || r->must[i] || i + 1 == r->n || bin != last;
    last = bin;
    kept += keep[i];
  }
  free(range);
  free(sum);
  return kept;
}
