/* SPDX-License-Identifier: Apache-2.0 */
/* table_range.c -- bounds of tables over intervals.  On each piece a table is a polynomial, so its
   Taylor series at the middle of an interval ends and gives bounds:

     |f(x) - f(m)| <= sum over i + j > 0 of |f_ij(m)| r^i s^j / (i! j!),  |x - m| <= r, |y - n| <= s

   and likewise for the slopes.  Over many pieces the bounds of the whole table are used. */
#include "model/expression/table_pieces.h"

#include <math.h>

enum { MOST_PIECES = 64 };

typedef struct {
  double low, high;
} span;

/* Piece k of a variable, cut to the interval x; the pieces at both ends have no end of their
   own. */
static span piece(const lwi_table *t, int axis, int k, span x)
{
  const double *point = t->x[axis];
  const int n = t->n[axis];
  if (n == 0) return (span){0, 0};
  span s = {k == 0 ? x.low : fmax(x.low, point[k - 1]), k == n ? x.high : fmin(x.high, point[k])};
  /* constant out there: how far does not matter */
  if (t->outside == LWI_OUTSIDE_HOLD && k == 0) s.low = fmax(s.low, point[0] - 1);
  if (t->outside == LWI_OUTSIDE_HOLD && k == n) s.high = fmin(s.high, point[n - 1] + 1);
  return s;
}

static double derivative(const lwi_table *t, int i, int j, const double m[2])
{
  return t->n[1] ? lwi_table_slope2(t, i, j, m[0], m[1]) : j ? 0 : lwi_table_slope(t, i, m[0]);
}

static void widen(double out[2], double low, double high)
{
  out[0] = fmin(out[0], low);
  out[1] = fmax(out[1], high);
}

/* Widens the bounds of the derivative (di, dj) by those over one piece. */
static void add_piece(const lwi_table *t, int di, int dj, const span s[2], double out[2])
{
  static const double factorial[] = {1, 1, 2, 6};
  const double m[2] = {0.5 * (s[0].low + s[0].high), 0.5 * (s[1].low + s[1].high)};
  const double r[2] = {0.5 * (s[0].high - s[0].low), 0.5 * (s[1].high - s[1].low)};
  double reach = 0;
  for (int i = 0; i + di <= 3; i++)
    for (int j = 0; j + dj <= (t->n[1] ? 3 : 0); j++)
      if (i + j > 0)
        reach += fabs(derivative(t, i + di, j + dj, m)) * pow(r[0], i) * pow(r[1], j) /
                 (factorial[i] * factorial[j]);
  const double middle = derivative(t, di, dj, m);
  if (isnan(middle) || isnan(reach))
    widen(out, -HUGE_VAL, HUGE_VAL);
  else
    widen(out, middle - reach, middle + reach);
}

/* Pieces first ... last of each variable. */
static void add_pieces(const lwi_table *t, const int first[2], const int last[2], const span x[2],
                       double out[3][2])
{
  for (int i = first[0]; i <= last[0]; i++)
    for (int j = first[1]; j <= last[1]; j++) {
      const span s[2] = {piece(t, 0, i, x[0]), piece(t, 1, j, x[1])};
      add_piece(t, 0, 0, s, out[0]);
      add_piece(t, 1, 0, s, out[1]);
      if (t->n[1]) add_piece(t, 0, 1, s, out[2]);
    }
}

static void clear(double out[3][2])
{
  for (int k = 0; k < 3; k++)
    out[k][0] = HUGE_VAL, out[k][1] = -HUGE_VAL;
}

void lwi_table_find_extremes(lwi_table *t)
{
  const int first[2] = {1, t->n[1] ? 1 : 0}, last[2] = {t->n[0] - 1, t->n[1] ? t->n[1] - 1 : 0};
  const span all = {-HUGE_VAL, HUGE_VAL}, both[2] = {all, all};
  clear(t->extreme);
  add_pieces(t, first, last, both, t->extreme);
  const int nodes = t->n[0] * (t->n[1] ? t->n[1] : 1);
  for (int i = 0; i < nodes; i++) /* of `hold` no piece has the value of the last point */
    widen(t->extreme[0], t->f[0][i], t->f[0][i]);
}

/* Which pieces an interval meets; true: it lies within the points. */
static bool find_pieces(const lwi_table *t, int axis, span x, int *first, int *last)
{
  const int n = t->n[axis];
  *first = *last = 0;
  if (n == 0) return true;
  *first = (int)lwi_table_piece(t, axis, x.low);
  *last = (int)lwi_table_piece(t, axis, x.high);
  const bool begins = x.low >= t->x[axis][0], ends = x.high <= t->x[axis][n - 1];
  if (ends && *last == n) *last = n - 1; /* the last point itself */
  if (begins && *first == n && ends) *first = n - 1;
  return begins && ends;
}

/* the bounds of everything within, and of what lies outside by pieces at its ends */
static void take_extremes(const lwi_table *t, double out[3][2])
{
  for (int k = 0; k < 3; k++)
    widen(out[k], t->extreme[k][0], t->extreme[k][1]);
}

static bool find_range(const lwi_table *t, const span x[2], double out[3][2])
{
  int first[2], last[2];
  const bool in_x = find_pieces(t, 0, x[0], &first[0], &last[0]);
  const bool in_y = find_pieces(t, 1, x[1], &first[1], &last[1]), inside = in_x && in_y;
  const bool error = t->outside == LWI_OUTSIDE_ERROR && !inside;
  clear(out);
  if (error) {
    for (int k = 0; k < 3; k++)
      widen(out[k], -HUGE_VAL, HUGE_VAL);
    return false;
  }
  const long pieces = (long)(last[0] - first[0] + 1) * (last[1] - first[1] + 1);
  if (pieces > MOST_PIECES && inside)
    take_extremes(t, out);
  else if (pieces > MOST_PIECES && t->outside == LWI_OUTSIDE_HOLD) {
    take_extremes(t, out);
    for (int k = 1; k < 3; k++)
      widen(out[k], 0, 0);
  } else if (pieces > MOST_PIECES)
    for (int k = 0; k < 3; k++)
      widen(out[k], -HUGE_VAL, HUGE_VAL);
  else
    add_pieces(t, first, last, x, out);
  for (int k = 0; k < 2 && t->kind == LWI_TABLE_HOLD; k++)
    if (first[k] != last[k]) widen(out[1 + k], -HUGE_VAL, HUGE_VAL);
  /* the last point itself belongs to the next piece, where it has jumped */
  for (int k = 0; k < 2 && t->kind == LWI_TABLE_HOLD; k++)
    if (t->n[k] && x[k].high == t->x[k][t->n[k] - 1] && x[k].low < x[k].high)
      widen(out[1 + k], -HUGE_VAL, HUGE_VAL), widen(out[0], t->extreme[0][0], t->extreme[0][1]);
  return true;
}

bool lwi_table_range(const lwi_table *t, const double x[2], double value[2], double slope[2])
{
  double out[3][2];
  const span s[2] = {{x[0], x[1]}, {0, 0}};
  const bool complete = find_range(t, s, out);
  for (int k = 0; k < 2; k++)
    value[k] = out[0][k], slope[k] = out[1][k];
  return complete;
}

bool lwi_table_range2(const lwi_table *t, const double x[2], const double y[2], double out[3][2])
{
  const span s[2] = {{x[0], x[1]}, {y[0], y[1]}};
  return find_range(t, s, out);
}
