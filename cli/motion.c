/* SPDX-License-Identifier: Apache-2.0 */
/* motion.c -- a prescribed motion from a table of time.

   Rates that the table does not have are those of the cubic spline through the values, not-a-knot at its ends [deBoor]:

     h1 m0 + 2 (h0 + h1) m1 + h0 m2 = 3 (h1 d0 + h0 d1)      h, d: lengths and slopes of the two intervals

   second rates are slopes of the spline through the rates that the table has, or those of the spline of the values.
   Between rows a polynomial of fifth order has all three at both ends. */
#include "motion.h"
#include "linkwork/query.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- splines ---- */

/* The first and last of the equations: the third derivative is continuous at the second point. */
static void not_a_knot(double h0, double h1, double d0, double d1, double row[2], double *b)
{
  row[0] = h1;
  row[1] = h0 + h1;
  *b = ((h0 + 2 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
}

/* Slopes m[n] of the spline through x[n] at t[n]; scratch: [2 n]. */
static void find_slopes(int n, const double t[], const double x[], double m[], double scratch[])
{
  double *upper = scratch, row[2];
#define H(i) (t[(i) + 1] - t[i])
#define D(i) ((x[(i) + 1] - x[i]) / H(i))
  if (n < 4) { /* the polynomial through all points */
    const double d0 = n > 1 ? D(0) : 0, c = n > 2 ? (D(1) - d0) / (t[2] - t[0]) : 0;
    for (int i = 0; i < n; i++)
      m[i] = d0 + (n > 2 ? c * (2 * t[i] - t[0] - t[1]) : 0);
    return;
  }
  not_a_knot(H(0), H(1), D(0), D(1), row, &m[0]);
  upper[0] = row[1] / row[0];
  m[0] /= row[0];
  for (int i = 1; i < n - 1; i++) {
    const double pivot = 2 * (H(i - 1) + H(i)) - H(i) * upper[i - 1];
    upper[i] = H(i - 1) / pivot;
    m[i] = (3 * (H(i) * D(i - 1) + H(i - 1) * D(i)) - H(i) * m[i - 1]) / pivot;
  }
  not_a_knot(H(n - 2), H(n - 3), D(n - 2), D(n - 3), row, &m[n - 1]);
  m[n - 1] = (m[n - 1] - row[1] * m[n - 2]) / (row[0] - row[1] * upper[n - 2]);
  for (int i = n - 2; i >= 0; i--)
    m[i] -= upper[i] * m[i + 1];
#undef D
#undef H
}

/* Second derivatives of the cubic pieces with slopes m. */
static void find_curvatures(int n, const double t[], const double x[], const double m[], double a[])
{
  for (int i = 0; i < n; i++) {
    const int k = i < n - 1 ? i : i - 1; /* the piece */
    const double h = n > 1 ? t[k + 1] - t[k] : 1, d = n > 1 ? (x[k + 1] - x[k]) / h : 0;
    a[i] = n < 2    ? 0
           : k == i ? (6 * d - 4 * m[k] - 2 * m[k + 1]) / h
                    : (2 * m[k] + 4 * m[k + 1] - 6 * d) / h;
  }
}

void motion_at(const motion_table *t, const motion_curve *c, double time, double out[3])
{
  int i = 0, end = t->n - 1;
  while (end - i > 1) {
    const int middle = (i + end) / 2;
    *(t->t[middle] <= time ? &i : &end) = middle;
  }
  if (time >= t->t[end]) i = end;
  out[0] = c->x[i], out[1] = c->v[i], out[2] = c->a[i];
  if (time == t->t[i] || i == end) return;
  const double h = t->t[i + 1] - t->t[i], s = (time - t->t[i]) / h;
  const double x0 = c->x[i], v0 = h * c->v[i], a0 = 0.5 * h * h * c->a[i];
  const double X = c->x[i + 1] - x0 - v0 - a0, V = h * c->v[i + 1] - v0 - 2 * a0,
               A = 0.5 * h * h * c->a[i + 1] - a0;
  const double c3 = 10 * X - 4 * V + A, c4 = -15 * X + 7 * V - 2 * A, c5 = 6 * X - 3 * V + A;
  out[0] = x0 + s * (v0 + s * (a0 + s * (c3 + s * (c4 + s * c5))));
  out[1] = (v0 + s * (2 * a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h;
  out[2] = (2 * a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h);
}

/* ---- the file ---- */

typedef struct {
  lw_results *r;
  int n, rows;
  double *x; /* [rows][n] */
} sheet;

static void sheet_free(sheet *s)
{
  lw_results_free(s->r);
  free(s->x);
}

/* Every cell has a number. */
static int read_sheet(const cli_args *a, const char *path, sheet *s)
{
  lw_error err = {0};
  s->r = open_table(a, "motion", path);
  if (!s->r) return CLI_USAGE;
  s->n = lw_results_columns(s->r);
  s->rows = (int)lw_results_rows(s->r);
  const size_t all = (size_t)s->n * (size_t)s->rows;
  if (s->rows == 0) return usage_error(a->verb, "--motion %s: there are no rows", path);
  if (!(s->x = malloc((all + 1) * sizeof *s->x))) return out_of_memory(a);
  if (lw_results_read_rows(s->r, 0, s->rows, s->x, &err) != LW_OK)
    return usage_error(a->verb, "--motion: %s", err.text);
  for (size_t i = 0; i < all; i++)
    if (!isfinite(s->x[i]))
      return usage_error(a->verb, "--motion: row %zu has no number of column %s",
                         i / (size_t)s->n + 1, lw_results_name(s->r, (int)(i % (size_t)s->n)));
  return CLI_DONE;
}

static int find_column(const sheet *s, const char *kind, const lw_joint_info *j, int n, int i)
{
  char name[300];
  if (n == 1)
    snprintf(name, sizeof name, "%s.%s", kind, j->name);
  else
    snprintf(name, sizeof name, "%s.%s.%d", kind, j->name, i + 1);
  return lw_results_find(s->r, name);
}

/* ---- curves ---- */

static void take_column(const sheet *s, int column, double to[])
{
  for (int i = 0; i < s->rows; i++)
    to[i] = s->x[(size_t)i * (size_t)s->n + (size_t)column];
}

/* A quaternion and its negative are one orientation: signs follow from row to row. */
static void align_quaternion(motion_curve e[4], int n)
{
  for (int i = 1; i < n; i++) {
    double dot = 0;
    for (int k = 0; k < 4; k++)
      dot += e[k].x[i] * e[k].x[i - 1];
    for (int k = 0; k < 4 && dot < 0; k++)
      e[k].x[i] = -e[k].x[i];
  }
}

static void complete_curve(const motion_table *t, const sheet *s, motion_curve *c, int rate,
                           int second, double scratch[])
{
  find_slopes(t->n, t->t, c->x, c->v, scratch);
  find_curvatures(t->n, t->t, c->x, c->v, c->a);
  if (rate >= 0) {
    take_column(s, rate, c->v);
    find_slopes(t->n, t->t, c->v, c->a, scratch);
  }
  if (second >= 0) take_column(s, second, c->a);
}

/* All coordinates of a joint, or none. */
static int take_joint(const cli_args *a, const sheet *s, const lw_joint_info *j, int number,
                      motion_table *t, double **block)
{
  const bool pairs = j->nq == j->nu;
  motion_curve *first = t->curve + t->ncurve;
  int there = 0;
  for (int i = 0; i < j->nq; i++)
    there += find_column(s, "q", j, j->nq, i) >= 0;
  if (there == 0) return CLI_DONE;
  if (there < j->nq)
    return usage_error(a->verb, "--motion: joint \"%s\" has %d coordinates, the table %d of them",
                       j->name, j->nq, there);
  for (int i = 0; i < j->nq; i++) {
    motion_curve *c = &t->curve[t->ncurve++];
    *c = (motion_curve){number, j->q_all + i, *block, *block + t->n, *block + 2 * t->n};
    *block += 3 * t->n;
    take_column(s, find_column(s, "q", j, j->nq, i), c->x);
  }
  if (j->nq >= 4 && !pairs && j->nq - j->nu == 1) align_quaternion(first + j->nq - 4, t->n);
  for (int i = 0; i < j->nq; i++)
    complete_curve(t, s, first + i, pairs ? find_column(s, "u", j, j->nu, i) : -1,
                   pairs ? find_column(s, "udot", j, j->nu, i) : -1, *block);
  return CLI_DONE;
}

static bool is_column_of(const lw_model *m, const char *column)
{
  const char *dot = strchr(column, '.');
  const size_t n = dot ? (size_t)(dot - column) : 0;
  const bool kind = (n == 1 && strchr("qu", column[0])) || (n == 4 && !memcmp(column, "udot", 4));
  char name[300];
  if (!kind) return true;
  snprintf(name, sizeof name, "%s", dot + 1);
  if (lw_find_joint(m, name).id > 0) return true;
  char *last = strrchr(name, '.');
  if (last) *last = '\0';
  return last && lw_find_joint(m, name).id > 0;
}

static int take_curves(const cli_args *a, const lw_model *m, const sheet *s, motion_table *t)
{
  const size_t nq = (size_t)lw_nq_all(m), n = (size_t)s->rows;
  int status = CLI_DONE;
  for (int i = 0; i < s->n; i++)
    if (!is_column_of(m, lw_results_name(s->r, i)))
      return usage_error(a->verb, "--motion: column %s belongs to no joint of the model",
                         lw_results_name(s->r, i));
  t->n = s->rows;
  t->block = calloc(n * (3 * nq + 3) + 1, sizeof *t->block);
  t->curve = calloc(nq + 1, sizeof *t->curve);
  if (!t->block || !t->curve) return out_of_memory(a);
  double *block = t->block + n;
  t->t = t->block;
  take_column(s, lw_results_find(s->r, "t"), t->t);
  for (int i = 1; i < t->n; i++)
    if (!(t->t[i] > t->t[i - 1]))
      return usage_error(a->verb, "--motion: times must rise: %.10g comes after %.10g", t->t[i],
                         t->t[i - 1]);
  for (int i = 1; i <= lw_njoint(m) && status == CLI_DONE; i++) {
    const lw_joint_info j = lw_get_joint(m, (lw_joint){i});
    status = take_joint(a, s, &j, i, t, &block);
  }
  if (status == CLI_DONE && t->ncurve == 0)
    status = usage_error(a->verb, "--motion: the table has no coordinate q.J of a joint");
  return status;
}

int motion_read(const cli_args *a, const lw_model *m, motion_table *out)
{
  sheet s = {0};
  *out = (motion_table){0};
  int status = read_sheet(a, args_text(a, "motion"), &s);
  if (status == CLI_DONE) status = take_curves(a, m, &s, out);
  sheet_free(&s);
  return status;
}

void motion_free(motion_table *t)
{
  free(t->block);
  free(t->curve);
}
