/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- tables: making them, values and derivatives.  Each piece is a tensor product of
   polynomials of one variable, given by values f and slopes d at both ends of the piece (cubic
   Hermite); linear and hold use the values alone.  For each variable the weights of (f0, d0, f1,
   d1) are computed, for a derivative of any order. */
#include "model/expression/table_pieces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- slopes at the points ---- */

static double akima_slope(const double m[4])
{
  const double a = fabs(m[3] - m[2]), b = fabs(m[1] - m[0]);
  return a + b > 0 ? (a * m[1] + b * m[2]) / (a + b) : 0.5 * (m[1] + m[2]);
}

/* The slope of the line after point i; beyond the ends slopes go on as two before them. */
static double chord(const double *x, const double *y, int stride, int n, int i)
{
  if (n == 2) i = 0;
  if (i < 0) return (1 - i) * chord(x, y, stride, n, 0) + i * chord(x, y, stride, n, 1);
  if (i > n - 2)
    return (i - n + 3) * chord(x, y, stride, n, n - 2) -
           (i - n + 2) * chord(x, y, stride, n, n - 3);
  return (y[(i + 1) * stride] - y[i * stride]) / (x[i + 1] - x[i]);
}

/* the end of pchip: three points, with the sign of the first line and at most three times as steep
   where the next one turns */
static double pchip_end(double h0, double h1, double m0, double m1)
{
  const double d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
  if (d * m0 <= 0) return 0;
  return m0 * m1 <= 0 && fabs(d) > 3 * fabs(m0) ? 3 * m0 : d;
}

static double pchip_slope(const double *x, const double *y, int stride, int n, int i)
{
  if (n == 2) return chord(x, y, stride, n, 0);
  if (i == 0)
    return pchip_end(x[1] - x[0], x[2] - x[1], chord(x, y, stride, n, 0),
                     chord(x, y, stride, n, 1));
  if (i == n - 1)
    return pchip_end(x[n - 1] - x[n - 2], x[n - 2] - x[n - 3], chord(x, y, stride, n, n - 2),
                     chord(x, y, stride, n, n - 3));
  const double a = chord(x, y, stride, n, i - 1), b = chord(x, y, stride, n, i);
  if (a * b <= 0) return 0;
  const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
  return (3 * h0 + 3 * h1) / ((2 * h1 + h0) / a + (h1 + 2 * h0) / b);
}

/* d: slopes of the values y along one variable */
static void find_slopes(const lwi_table *t, int axis, const double *y, int stride, double *d)
{
  const int n = t->n[axis];
  const double *x = t->x[axis];
  for (int i = 0; i < n; i++) {
    double m[4];
    for (int k = 0; k < 4; k++)
      m[k] = chord(x, y, stride, n, i - 2 + k);
    if (t->kind == LWI_TABLE_AKIMA) d[i * stride] = akima_slope(m);
    if (t->kind == LWI_TABLE_PCHIP) d[i * stride] = pchip_slope(x, y, stride, n, i);
  }
}

/* ---- making ---- */

static void copy_points(lwi_table *t, const lwi_table_desc *d)
{
  const int nx = d->n[0], ny = d->n[1] > 0 ? d->n[1] : 1;
  double *at = t->number;
  for (int k = 0; k < 2; k++) {
    t->x[k] = at;
    if (d->n[k] > 0) memcpy(at, d->x[k], (size_t)d->n[k] * sizeof *at);
    at += d->n[k];
  }
  for (int k = 0; k < 4; k++)
    t->f[k] = at + (size_t)k * (size_t)nx * (size_t)ny;
  memcpy(t->f[0], d->value, (size_t)nx * (size_t)ny * sizeof *at);
  if (d->kind == LWI_TABLE_LINEAR || d->kind == LWI_TABLE_HOLD) return;
  for (int j = 0; j < ny; j++)
    find_slopes(t, 0, t->f[0] + j, ny, t->f[1] + j);
  for (int i = 0; i < nx && d->n[1] > 0; i++) {
    find_slopes(t, 1, t->f[0] + i * ny, 1, t->f[2] + i * ny);
    find_slopes(t, 1, t->f[1] + i * ny, 1, t->f[3] + i * ny);
  }
}

static void describe_range(lwi_table *t, const char *name)
{
  if (t->n[1] == 0)
    snprintf(t->fault, sizeof t->fault, "table \"%.60s\" ends here: it goes from %.9g to %.9g",
             name, t->x[0][0], t->x[0][t->n[0] - 1]);
  else
    snprintf(t->fault, sizeof t->fault,
             "table \"%.60s\" ends here: it goes from %.9g to %.9g and from %.9g to %.9g", name,
             t->x[0][0], t->x[0][t->n[0] - 1], t->x[1][0], t->x[1][t->n[1] - 1]);
}

static lwi_table *make(const lwi_table_desc *d)
{
  const size_t nodes = (size_t)d->n[0] * (size_t)(d->n[1] > 0 ? d->n[1] : 1);
  const size_t numbers = (size_t)d->n[0] + (size_t)d->n[1] + 4 * nodes;
  lwi_table *t = malloc(sizeof *t + numbers * sizeof(double));
  if (!t) return NULL;
  *t = (lwi_table){.n = {d->n[0], d->n[1]}, .kind = d->kind, .outside = d->outside};
  memcpy(t->dimension, d->dimension, sizeof t->dimension);
  memset(t->number, 0, numbers * sizeof(double));
  copy_points(t, d);
  describe_range(t, d->name);
  lwi_table_find_extremes(t);
  return t;
}

/* Along one variable: zero at its points, +-1 halfway between them and beyond; out: [2 n + 1]
   places and values.  Only the first and the last point of a cubic table count. */
static int put_between(const lwi_table_desc *d, int axis, double x[], double value[])
{
  const double *at = d->x[axis];
  const bool ends = d->kind == LWI_TABLE_AKIMA || d->kind == LWI_TABLE_PCHIP;
  const int n = ends ? 2 : d->n[axis];
  int k = 0;
  for (int i = 0; i <= n; i++) {
    const double before = at[ends && i > 1 ? d->n[axis] - 1 : i > 0 ? i - 1 : 0];
    const double after = at[ends && i > 0 ? d->n[axis] - 1 : i < n ? i : n - 1];
    const double half = i == 0 || i == n ? at[d->n[axis] - 1] - at[0] : 0.5 * (after - before);
    x[k] = i == 0 ? after - half : before + half;
    value[k++] = i % 2 ? 1 : -1;
    if (i == n) break;
    x[k] = after;
    value[k++] = 0;
  }
  return k;
}

/* The table of lwi_table_between along one variable; false: no memory. */
static bool add_between(lwi_table *t, const lwi_table_desc *d, int axis)
{
  const bool two = d->n[1] > 0;
  const int other = 1 - axis, most = 2 * d->n[axis] + 1;
  double *x = malloc((size_t)most * 4 * sizeof *x), *value = x ? x + most : NULL;
  if (!x) return false;
  const int n = put_between(d, axis, x, value);
  double *all = value + most; /* [n][2] or [2][n] */
  const double edge[2] = {two ? d->x[other][0] : 0, two ? d->x[other][d->n[other] - 1] : 1};
  for (int i = 0; i < n && two; i++)
    for (int k = 0; k < 2; k++)
      all[axis == 0 ? 2 * i + k : k * n + i] = value[i];
  lwi_table_desc b = {.name = d->name, .kind = LWI_TABLE_LINEAR, .outside = LWI_OUTSIDE_HOLD};
  b.n[axis] = n, b.x[axis] = x, b.value = two ? all : value;
  if (two) b.n[other] = 2, b.x[other] = edge;
  t->between[axis] = make(&b);
  free(x);
  return t->between[axis];
}

lwi_table *lwi_table_new(const lwi_table_desc *d)
{
  lwi_table *t = make(d);
  const bool cubic = d->kind == LWI_TABLE_AKIMA || d->kind == LWI_TABLE_PCHIP;
  if (!t || (cubic && d->outside != LWI_OUTSIDE_HOLD)) return t;
  if (add_between(t, d, 0) && (d->n[1] == 0 || add_between(t, d, 1))) return t;
  lwi_table_free(t);
  return NULL;
}

void lwi_table_free(lwi_table *t)
{
  if (!t) return;
  for (int i = 0; i < 2; i++)
    lwi_table_free(t->between[i]);
  free(t);
}

const lwi_table *lwi_table_between(const lwi_table *t, int axis, bool *jumps)
{
  *jumps = t->kind == LWI_TABLE_HOLD;
  return t->between[axis];
}

lwi_dimension lwi_table_dimension(const lwi_table *t, int which)
{
  return t->dimension[which];
}

const char *lwi_table_fault(const lwi_table *t)
{
  return t->fault;
}

/* ---- places ---- */

/* How many points are at or before a; points at equal distances are found at once. */
static int count_before(const double *x, int n, double a)
{
  if (!(a >= x[0])) return 0;
  if (a >= x[n - 1]) return n;
  int low = 0, high = n - 1; /* x[low] <= a < x[high] */
  const int guess = (int)((a - x[0]) / (x[n - 1] - x[0]) * (n - 1));
  if (guess < n - 1 && x[guess] <= a && a < x[guess + 1]) return guess + 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x[middle] <= a)
      low = middle;
    else
      high = middle;
  }
  return low + 1;
}

double lwi_table_piece(const lwi_table *t, int axis, double a)
{
  return count_before(t->x[axis], t->n[axis], a);
}

bool lwi_table_line(const lwi_table *t, double a, int side, double line[2])
{
  const bool cubic = t->kind == LWI_TABLE_AKIMA || t->kind == LWI_TABLE_PCHIP;
  const double *x = t->x[0];
  const int n = t->n[0];
  if (t->n[1] > 0 || (cubic && side > 0) || !t->between[0]) return false;
  int piece = count_before(x, n, a);
  if (cubic && piece > 0 && piece < n) piece = a - x[0] < x[n - 1] - a ? 0 : n;
  if (!cubic && (piece % 2 == 1) != (side > 0)) /* the one on the other side of the nearest point */
    piece += piece == n || (piece > 0 && a - x[piece - 1] < x[piece] - a) ? -1 : 1;
  const double at = piece == 0   ? x[0] - (x[1] - x[0])
                    : piece == n ? x[n - 1] + (x[n - 1] - x[n - 2])
                                 : 0.5 * (x[piece - 1] + x[piece]);
  line[1] = lwi_table_slope(t, 1, at);
  line[0] = lwi_table_value(t, at) - line[1] * at;
  return isfinite(line[0]) && isfinite(line[1]);
}

double lwi_table_nearest(const lwi_table *t, int axis, double a)
{
  if (t->outside != LWI_OUTSIDE_ERROR || (axis == 1 && t->n[1] == 0)) return a;
  const double *x = t->x[axis];
  return fmin(fmax(a, x[0]), x[t->n[axis] - 1]);
}

/* ---- weights of the values and slopes at both ends of a piece ---- */

typedef struct {
  int i; /* the point before */
  double w[4];
} weights;

/* k-th derivative of the cubic Hermite polynomials of u = (x - x0)/h by x */
static void cubic(double u, double h, int order, double w[4])
{
  switch (order) {
  case 0:
    w[0] = (1 + 2 * u) * (1 - u) * (1 - u), w[1] = h * u * (1 - u) * (1 - u);
    w[2] = u * u * (3 - 2 * u), w[3] = h * u * u * (u - 1);
    return;
  case 1:
    w[0] = 6 * u * (u - 1) / h, w[1] = (1 - u) * (1 - 3 * u);
    w[2] = -w[0], w[3] = u * (3 * u - 2);
    return;
  case 2:
    w[0] = (12 * u - 6) / h / h, w[1] = (6 * u - 4) / h;
    w[2] = -w[0], w[3] = (6 * u - 2) / h;
    return;
  case 3:
    w[0] = 12 / h / h / h, w[1] = 6 / h / h;
    w[2] = -w[0], w[3] = w[1];
    return;
  default: w[0] = w[1] = w[2] = w[3] = 0;
  }
}

static void within(const lwi_table *t, double u, double h, int order, double w[4])
{
  w[0] = w[1] = w[2] = w[3] = 0;
  if (t->kind == LWI_TABLE_HOLD)
    w[u < 1 ? 0 : 2] = order == 0;
  else if (t->kind != LWI_TABLE_LINEAR)
    cubic(u, h, order, w);
  else if (order == 0)
    w[0] = 1 - u, w[2] = u;
  else if (order == 1)
    w[0] = -1 / h, w[2] = 1 / h;
}

static weights find_weights(const lwi_table *t, int axis, double a, int order)
{
  const int n = t->n[axis], count = count_before(t->x[axis], n, a);
  const double *x = t->x[axis];
  weights r = {.i = count == 0 ? 0 : count >= n ? n - 2 : count - 1};
  const double h = x[r.i + 1] - x[r.i], end = count == 0 ? x[0] : x[n - 1];
  /* the last point belongs to what follows, as in lwi_table_piece, unless there is nothing */
  const bool inside = (count > 0 && count < n) || (a == end && t->outside == LWI_OUTSIDE_ERROR);
  if (inside && count < n) {
    within(t, (a - x[r.i]) / h, h, order, r.w);
    return r;
  }
  const double u = count == 0 ? 0 : 1;
  within(t, u, h, order, r.w);
  if (inside) return r;
  for (int k = 0; k < 4; k++) {
    if (t->outside == LWI_OUTSIDE_ERROR || isnan(a)) r.w[k] = (double)NAN;
    if (t->outside == LWI_OUTSIDE_HOLD && order > 0) r.w[k] = 0;
  }
  if (t->outside != LWI_OUTSIDE_EXTEND) return r;
  double slope[4];
  within(t, u, h, 1, slope);
  for (int k = 0; k < 4; k++)
    r.w[k] = order == 0 ? r.w[k] + slope[k] * (a - end) : order == 1 ? slope[k] : 0;
  return r;
}

double lwi_table_slope(const lwi_table *t, int order, double x)
{
  const weights a = find_weights(t, 0, x, order);
  const double *f = t->f[0] + a.i, *d = t->f[1] + a.i;
  return (a.w[0] * f[0] + a.w[2] * f[1]) + (a.w[1] * d[0] + a.w[3] * d[1]);
}

double lwi_table_value(const lwi_table *t, double x)
{
  return lwi_table_slope(t, 0, x);
}

double lwi_table_slope2(const lwi_table *t, int i, int j, double x, double y)
{
  const weights a = find_weights(t, 0, x, i), b = find_weights(t, 1, y, j);
  double sum = 0;
  for (int k = 0; k < 4; k++)
    for (int l = 0; l < 4; l++) {
      const double *f = t->f[(k & 1) + 2 * (l & 1)];
      sum += a.w[k] * b.w[l] * f[(a.i + k / 2) * t->n[1] + b.i + l / 2];
    }
  return sum;
}

double lwi_table_value2(const lwi_table *t, double x, double y)
{
  return lwi_table_slope2(t, 0, 0, x, y);
}
