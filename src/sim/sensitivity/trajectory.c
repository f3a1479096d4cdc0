/* SPDX-License-Identifier: Apache-2.0 */
/* trajectory.c -- see trajectory.h.  Values between the points by the barycentric formula, which for
   Chebyshev points of the second kind has the weights 1/2, -1, 1, ..., +-1/2. */
#include "sim/sensitivity/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = LWI_TRAJECTORY_POINTS };

void lwi_trajectory_free(lwi_trajectory *x)
{
  free(x->ends);
  free(x->value);
  free(x->constant);
  *x = (lwi_trajectory){0};
}

void lwi_trajectory_begin(lwi_trajectory *x, size_t n, size_t more)
{
  if (n != x->n || more != x->more) {
    lwi_trajectory_free(x);
    x->n = n;
    x->more = more;
  }
  x->npiece = 0;
}

static bool resize(double **array, size_t n)
{
  double *larger = realloc(*array, (n + 1) * sizeof *larger);
  if (larger) *array = larger;
  return larger;
}

bool lwi_trajectory_add(lwi_trajectory *x, double a, double b)
{
  if (x->npiece == x->capacity) {
    const size_t n = 2 * (size_t)x->capacity + 8;
    if (!resize(&x->ends, 2 * n) || !resize(&x->value, n * POINTS * x->n) ||
        !resize(&x->constant, n * x->more))
      return false;
    x->capacity = (int)n;
  }
  x->ends[2 * (size_t)x->npiece] = a;
  x->ends[2 * (size_t)x->npiece + 1] = b;
  x->npiece++;
  return true;
}

static double place(int point) /* from 0 to 1 */
{
  const double s = sin(0.5 * 3.14159265358979323846 * point / (POINTS - 1));
  return s * s;
}

double lwi_trajectory_time(const lwi_trajectory *x, int point)
{
  const double *ends = x->ends + 2 * ((size_t)x->npiece - 1);
  return point == POINTS - 1 ? ends[1] : ends[0] + (ends[1] - ends[0]) * place(point);
}

double *lwi_trajectory_point(lwi_trajectory *x, int point)
{
  return x->value + (((size_t)x->npiece - 1) * POINTS + (size_t)point) * x->n;
}

void lwi_trajectory_forget(lwi_trajectory *x, double t)
{
  int first = 0;
  while (first < x->npiece && x->ends[2 * (size_t)first + 1] <= t)
    first++;
  const size_t from = (size_t)first, left = (size_t)(x->npiece - first), size = POINTS * x->n;
  if (first == 0 || left == 0) {
    x->npiece = (int)left;
    return;
  }
  memmove(x->ends, x->ends + 2 * from, 2 * left * sizeof(double));
  memmove(x->value, x->value + from * size, left * size * sizeof(double));
  if (x->more) memmove(x->constant, x->constant + from * x->more, left * x->more * sizeof(double));
  x->npiece = (int)left;
}

int lwi_trajectory_piece(const lwi_trajectory *x, double t)
{
  int low = 0, high = x->npiece - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (t <= x->ends[2 * (size_t)middle + 1])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void lwi_trajectory_get(const lwi_trajectory *x, double t, double y[])
{
  const size_t piece = (size_t)lwi_trajectory_piece(x, t);
  const double a = x->ends[2 * piece], b = x->ends[2 * piece + 1];
  const double *value = x->value + piece * POINTS * x->n;
  double weight[POINTS], sum = 0;
  const double at = b > a ? (t - a) / (b - a) : 0;
  for (int i = 0; i < POINTS; i++) {
    const double distance = at - place(i);
    if (distance == 0) {
      if (x->n) memcpy(y, value + (size_t)i * x->n, x->n * sizeof *y);
      return;
    }
    weight[i] = (i % 2 ? -1 : 1) * (i % (POINTS - 1) ? 1 : 0.5) / distance;
    sum += weight[i];
  }
  for (size_t k = 0; k < x->n; k++)
    y[k] = 0;
  for (int i = 0; i < POINTS; i++)
    for (size_t k = 0; k < x->n; k++)
      y[k] += weight[i] / sum * value[(size_t)i * x->n + k];
}
