/* SPDX-License-Identifier: Apache-2.0 */
/* results_diff.c -- linkwork results --diff: do two runs have the same results?  Rows are compared
   at times that both have, the two rows of an event in their order.  The tolerance of a column is
   atol + rtol times its magnitude (results_scales.c). */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; /* columns */

typedef struct {
  lw_results *r[2];
  double rtol, atol;
  long n, *row[2];  /* [n] rows that are compared */
  long alone[2];    /* rows without a counterpart */
  double *t, *x[2]; /* [rows] of the first, and columns of both */
  double *scale;    /* [columns of the first] magnitudes */
  int differing, compared, missing;
  json *j; /* NULL: text */
} diff;

/* ---- rows ---- */

/* Times of events have the tolerance of the numbers. */
static bool is_same_time(const diff *d, double a, double b)
{
  return fabs(a - b) <= fmax(d->atol, fmax(1e-9, d->rtol) * fmax(1, fmax(fabs(a), fabs(b))));
}

static void match_rows(diff *d, const double *a, const double *b)
{
  const long na = lw_results_rows(d->r[0]), nb = lw_results_rows(d->r[1]);
  long i = 0, k = 0;
  while (i < na && k < nb) {
    if (is_same_time(d, a[i], b[k])) {
      d->row[0][d->n] = i++;
      d->row[1][d->n++] = k++;
    } else if (a[i] < b[k]) {
      i++, d->alone[0]++;
    } else {
      k++, d->alone[1]++;
    }
  }
  d->alone[0] += na - i;
  d->alone[1] += nb - k;
}

/* ---- columns ---- */

typedef struct {
  double largest, at, allowed; /* difference, its time, the tolerance */
} difference;

static double largest(const diff *d)
{
  double most = 0;
  for (long i = 0; i < d->n; i++)
    for (int k = 0; k < 2; k++)
      if (isfinite(d->x[k][d->row[k][i]])) most = fmax(most, fabs(d->x[k][d->row[k][i]]));
  return most;
}

static difference compare(const diff *d, double scale)
{
  difference most = {.allowed = d->atol + d->rtol * scale};
  for (long i = 0; i < d->n; i++) {
    const double a = d->x[0][d->row[0][i]], b = d->x[1][d->row[1][i]];
    const bool same = a == b || (isnan(a) && isnan(b));
    const double e = same ? 0 : isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY;
    if (e > most.largest) most = (difference){e, d->t[d->row[0][i]], most.allowed};
  }
  return most;
}

static void report_column(diff *d, const char *name, const difference *e)
{
  if (d->j) {
    json_object(d->j, NULL);
    json_text(d->j, "column", name);
    if (isfinite(e->largest)) json_number(d->j, "difference", e->largest);
    json_number(d->j, "at", e->at);
    json_number(d->j, "tolerance", e->allowed);
    json_object_end(d->j);
  } else if (d->differing <= SHOWN) {
    printf("%-24s differs by %.6g at t = %.10g, tolerance %.3g\n", show(name).text, e->largest,
           e->at, e->allowed);
  }
}

/* Reads column i of the first and the same of the second, which is column `other` there. */
static lw_status read_both(diff *d, int i, int other, lw_error *err)
{
  lw_status status = lw_results_read(d->r[0], i, 0, lw_results_rows(d->r[0]), d->x[0], err);
  if (status == LW_OK)
    status = lw_results_read(d->r[1], other, 0, lw_results_rows(d->r[1]), d->x[1], err);
  return status;
}

/* Of all columns, chosen or not: they have magnitudes in common. */
static lw_status find_scales(diff *d, lw_error *err)
{
  const int n = lw_results_columns(d->r[0]);
  const char **name = calloc((size_t)n + 1, sizeof *name);
  d->scale = calloc((size_t)n + 1, sizeof *d->scale);
  lw_status status = name && d->scale ? LW_OK : LW_E_MEMORY;
  for (int i = 0; i < n && status == LW_OK; i++) {
    name[i] = lw_results_name(d->r[0], i);
    const int other = lw_results_find(d->r[1], name[i]);
    if (other < 0) continue;
    status = read_both(d, i, other, err);
    if (status == LW_OK) d->scale[i] = largest(d);
  }
  if (status == LW_OK && !share_scales(name, d->scale, n)) status = LW_E_MEMORY;
  free(name);
  return status;
}

static lw_status compare_columns(diff *d, const bool chosen[], lw_error *err)
{
  lw_status status = find_scales(d, err);
  for (int i = 0; i < lw_results_columns(d->r[0]) && status == LW_OK; i++) {
    const char *name = lw_results_name(d->r[0], i);
    const int other = lw_results_find(d->r[1], name);
    if (!chosen[i]) continue;
    if (other < 0) {
      d->missing++;
      if (!d->j) printf("%-24s is in the first only\n", show(name).text);
      continue;
    }
    status = read_both(d, i, other, err);
    if (status != LW_OK) break;
    const difference e = compare(d, d->scale[i]);
    d->compared++;
    if (e.largest <= e.allowed) continue;
    d->differing++;
    report_column(d, name, &e);
  }
  return status;
}

static void find_missing(diff *d, const cli_args *a)
{
  if (args_has(a, "columns")) return;
  for (int i = 0; i < lw_results_columns(d->r[1]); i++) {
    const char *name = lw_results_name(d->r[1], i);
    if (lw_results_find(d->r[0], name) >= 0) continue;
    d->missing++;
    if (!d->j) printf("%-24s is in the second only\n", show(name).text);
  }
}

/* The same events in the same order? */
static bool same_events(const diff *d)
{
  const int n = lw_results_nevent(d->r[0]);
  if (n != lw_results_nevent(d->r[1])) return false;
  for (int i = 0; i < n; i++) {
    const lw_result_event x = lw_results_event(d->r[0], i), y = lw_results_event(d->r[1], i);
    const double allowed = d->atol + d->rtol * fmax(fabs(x.time), fabs(y.time));
    if (strcmp(x.name, y.name) != 0 || !(fabs(x.time - y.time) <= allowed)) return false;
  }
  return true;
}

/* Tables of CSV have no events. */
static bool have_events(const diff *d)
{
  return lw_results_fact(d->r[0], "format") && lw_results_fact(d->r[1], "format");
}

static int report(const cli_args *a, diff *d, bool events)
{
  const bool same =
      d->differing == 0 && d->missing == 0 && d->alone[0] + d->alone[1] == 0 && events;
  if (d->j) {
    json_list_end(d->j);
    json_bool(d->j, "same", same);
    json_integer(d->j, "compared", d->compared);
    json_integer(d->j, "differing", d->differing);
    json_integer(d->j, "missing", d->missing);
    json_integer(d->j, "rows_alone", d->alone[0] + d->alone[1]);
    json_bool(d->j, "same_events", events);
    json_object_end(d->j);
    if (!json_finish(d->j)) return CLI_FAILED;
  } else {
    if (d->differing > SHOWN) printf("... and %d more columns\n", d->differing - SHOWN);
    for (int k = 0; k < 2; k++)
      if (d->alone[k])
        printf("%ld row%s of the %s at times that the other does not have\n", d->alone[k],
               plural(d->alone[k]), k ? "second" : "first");
    if (!events) printf("the events differ\n");
    if (!args_has(a, "quiet"))
      printf("%s: %d columns, %ld rows compared, %d differ\n", same ? "same" : "different",
             d->compared, d->n, d->differing);
  }
  return same ? CLI_DONE : CLI_FAILED;
}

static int compare_all(const cli_args *a, diff *d, const bool chosen[])
{
  lw_error err = {0};
  const int time[2] = {lw_results_find(d->r[0], "t"), lw_results_find(d->r[1], "t")};
  lw_status status = lw_results_read(d->r[0], time[0], 0, lw_results_rows(d->r[0]), d->t, &err);
  if (status == LW_OK)
    status = lw_results_read(d->r[1], time[1], 0, lw_results_rows(d->r[1]), d->x[1], &err);
  if (status != LW_OK) return report_results_error(&err);
  match_rows(d, d->t, d->x[1]);
  if (d->j) {
    json_object(d->j, NULL);
    json_list(d->j, "columns");
  }
  status = compare_columns(d, chosen, &err);
  if (status != LW_OK) return report_results_error(&err);
  find_missing(d, a);
  return report(a, d, !have_events(d) || same_events(d));
}

int diff_results(const cli_args *a, lw_results *r)
{
  diff d = {.r = {r, open_results(a, args_text(a, "diff"))}, .rtol = 1e-6, .atol = 1e-12};
  json j;
  if (!d.r[1]) return CLI_FAILED;
  int status = args_number(a, "rtol", &d.rtol);
  if (status == CLI_DONE) status = args_number(a, "atol", &d.atol);
  if (status == CLI_DONE && !(d.rtol >= 0 && d.atol >= 0))
    status = usage_error(a->verb, "tolerances are not negative");
  bool *chosen = status == CLI_DONE ? choose_columns(a, r, &status) : NULL;
  const size_t n[2] = {(size_t)lw_results_rows(r) + 1, (size_t)lw_results_rows(d.r[1]) + 1};
  for (int k = 0; k < 2; k++) {
    d.row[k] = malloc((n[0] < n[1] ? n[0] : n[1]) * sizeof *d.row[k]);
    d.x[k] = malloc(n[k] * sizeof *d.x[k]);
  }
  d.t = malloc(n[0] * sizeof *d.t);
  const bool allocated = d.row[0] && d.row[1] && d.x[0] && d.x[1] && d.t;
  if (status == CLI_DONE && !allocated) status = out_of_memory(a);
  if (status == CLI_DONE && args_has(a, "json")) {
    if (json_start(&j))
      d.j = &j;
    else
      status = out_of_memory(a);
  }
  if (status == CLI_DONE) status = compare_all(a, &d, chosen);
  for (int k = 0; k < 2; k++) {
    free(d.row[k]);
    free(d.x[k]);
  }
  free(d.t);
  free(d.scale);
  free(chosen);
  lw_results_free(d.r[1]);
  return status;
}
