/* SPDX-License-Identifier: Apache-2.0 */
/* case_results.c -- names and values of the results of a case (case_results.h). */
#include "study/case_results.h"

#include "base/arena.h"
#include "base/fail.h"
#include "base/nearest_name.h"
#include "base/quoted_name.h"
#include "linkwork/columns.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "model/compiled_events.h"
#include "model/model.h"
#include "sim/output/column_patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_EXTREME = 4, OF_EVENT = 3, EVENT_NAME = 100 };

/* ---- names ---- */

static bool add_name(lwi_case_results *r, const char *before, const char *name, const char *behind)
{
  const size_t size = strlen(before) + strlen(name) + strlen(behind) + 1;
  char *text = malloc(size);
  if (!text || !lwi_grow(&r->name, r->n, &r->capacity, sizeof *r->name)) return free(text), false;
  snprintf(text, size, "%s%s%s", before, name, behind);
  r->name[r->n++] = text;
  return true;
}

/* The time is no result, but how far the run has come. */
static bool is_result(const lw_columns *c, int i)
{
  return strcmp(lw_columns_name(c, i), "t") != 0;
}

static lw_status name_columns(lwi_case_results *r, const lw_model *m, const char *wanted,
                              lw_error *err)
{
  lw_columns *c = lw_columns_new(m, wanted, err);
  if (!c) return err->status;
  bool named = true;
  for (int i = 0; i < lw_columns_count(c) && named; i++)
    if (is_result(c, i)) {
      named = add_name(r, "", lw_columns_name(c, i), "");
      r->ncolumn++;
    }
  lw_columns_free(c);
  return named ? LW_OK : lwi_out_of_memory(err, "a study");
}

/* An objective of a column, named as its result. */
static void add_objective(lw_spec *s, lw_objective_kind kind, const char *name, const char *column)
{
  char text[LWI_QUOTED_SIZE];
  lw_add_objective(
      s, &(lw_objective_desc){.name = name,
                              .kind = kind,
                              .value = lw_expr(s, lwi_put_in_quotes(column, text, sizeof text))});
}

static bool add_extreme(lwi_case_results *r, lw_spec *s, const char *column)
{
  const int first = r->n;
  if (!add_name(r, "max.", column, "") || !add_name(r, "max.", column, ".t") ||
      !add_name(r, "min.", column, "") || !add_name(r, "min.", column, ".t"))
    return false;
  add_objective(s, LW_OBJECTIVE_MAX, r->name[first], column);
  add_objective(s, LW_OBJECTIVE_MIN, r->name[first + 2], column);
  r->nextreme++;
  return true;
}

static lw_status name_extremes(lwi_case_results *r, const lw_model *m, lw_spec *s,
                               const char *wanted, lw_error *err)
{
  lw_columns *c = lw_columns_new(m, wanted, err);
  if (!c) return err->status;
  bool named = true;
  for (int i = 0; i < lw_columns_count(c) && named; i++)
    if (is_result(c, i)) named = add_extreme(r, s, lw_columns_name(c, i));
  lw_columns_free(c);
  if (!named) return lwi_out_of_memory(err, "a study");
  return lw_spec_error(s, err);
}

static bool add_event(lwi_case_results *r, const char *name)
{
  for (int i = 0; i < r->nevent; i++)
    if (strcmp(r->event[i], name) == 0) return true;
  char **event = realloc(r->event, (size_t)(r->nevent + 1) * sizeof *event);
  if (!event) return false;
  r->event = event;
  if (!(event[r->nevent] = malloc(strlen(name) + 1))) return false;
  strcpy(event[r->nevent++], name);
  return add_name(r, "count.", name, "") && add_name(r, "first.", name, "") &&
         add_name(r, "last.", name, "");
}

/* "release E" and "driver D" are raised by the mechanics. */
static bool is_raised(const char *name)
{
  return strncmp(name, "release ", 8) == 0 || strncmp(name, "driver ", 7) == 0;
}

static lw_status fail_event(const lw_model *m, const char *name, lw_error *err)
{
  char(*text)[EVENT_NAME] = calloc((size_t)m->nevent + 1, sizeof *text);
  const char **names = calloc((size_t)m->nevent + 1, sizeof *names);
  for (int i = 0; i < m->nevent && text && names; i++) {
    lwi_event_name(&m->event[i], text[i], sizeof text[i]);
    names[i] = text[i];
  }
  const char *near = text && names ? lwi_nearest(name, names, m->nevent) : NULL;
  lwi_fail(err, LW_E_ARG, "the model has no event \"%.60s\"%s%.60s%s", name,
           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  free(text);
  free(names);
  return LW_E_ARG;
}

static lw_status name_events(lwi_case_results *r, const lw_model *m, const char *wanted,
                             lw_error *err)
{
  lwi_patterns p;
  lw_status status = lwi_patterns_parse(&p, wanted);
  if (status == LW_E_ARG) return lwi_fail(err, status, "\"%.60s\": an event has no name", wanted);
  char name[EVENT_NAME];
  bool named = status == LW_OK;
  for (int i = 0; i < m->nevent && named; i++) {
    lwi_event_name(&m->event[i], name, sizeof name);
    if (lwi_patterns_match(&p, name)) named = add_event(r, name);
  }
  for (int k = 0; k < p.index.n && named && status == LW_OK; k++) {
    if (p.used[k]) continue;
    snprintf(name, sizeof name, "%.*s", (int)p.index.name[k].length, p.index.name[k].text);
    if (is_raised(name))
      named = add_event(r, name);
    else
      status = fail_event(m, name, err);
  }
  lwi_patterns_free(&p);
  return named ? status : lwi_out_of_memory(err, "a study");
}

lw_status lwi_case_results_init(lwi_case_results *r, lw_spec *s, const lwi_wanted_results *wanted,
                                lw_error *err)
{
  *r = (lwi_case_results){0};
  lw_model *m = lw_compile(s, err);
  if (!m) return err->status;
  lw_status status = wanted->columns ? name_columns(r, m, wanted->columns, err) : LW_OK;
  r->nobjective = lw_nobjective(m);
  for (int i = 0; i < r->nobjective && status == LW_OK; i++)
    if (!add_name(r, "", lw_get_objective(m, i).name, ""))
      status = lwi_out_of_memory(err, "a study");
  if (status == LW_OK && wanted->extremes) status = name_extremes(r, m, s, wanted->extremes, err);
  if (status == LW_OK && wanted->events) status = name_events(r, m, wanted->events, err);
  if (status == LW_OK && r->n == 0)
    status = lwi_fail(err, LW_E_ARG,
                      "a study needs results: columns, extremes, events, or objectives of the "
                      "model (`sensitivity`)");
  lw_model_free(m);
  return status;
}

void lwi_case_results_free(lwi_case_results *r)
{
  for (int i = 0; i < r->n; i++)
    free(r->name[i]);
  for (int i = 0; i < r->nevent; i++)
    free(r->event[i]);
  free(r->name);
  free(r->event);
  *r = (lwi_case_results){0};
}

/* ---- events ---- */

int lwi_case_events_note(void *context, const lw_event_report *report, bool after)
{
  lwi_case_events *e = context;
  for (int i = 0; i < report->nevent && after; i++)
    for (int k = 0; k < e->of->nevent; k++) {
      double *at = e->event + OF_EVENT * k;
      if (strcmp(report->names[i], e->of->event[k]) != 0) continue;
      if (at[0] <= 0) at[1] = report->time;
      at[2] = report->time;
      at[0]++;
    }
  return 0;
}

void lwi_case_events_start(lwi_case_events *e, const lwi_case_results *r, double event[])
{
  *e = (lwi_case_events){.of = r, .event = event};
  for (int k = 0; k < r->nevent; k++) {
    event[OF_EVENT * k] = 0;
    event[OF_EVENT * k + 1] = event[OF_EVENT * k + 2] = (double)NAN;
  }
}

/* ---- values ---- */

static lw_status put_columns(const lwi_case_results *r, lw_sensitivity *s, double row[],
                             double result[], lw_error *err)
{
  const lw_columns *c = lw_sensitivity_columns(s);
  const lw_status status = r->ncolumn ? lw_sensitivity_row(s, row, NULL) : LW_OK;
  if (status != LW_OK)
    return lwi_fail(err, status, "the results cannot be computed: %s", lw_status_text(status));
  int n = 0;
  for (int i = 0; i < lw_columns_count(c) && r->ncolumn; i++)
    if (is_result(c, i) && n++ < r->ncolumn) result[n - 1] = row[i];
  if (n == r->ncolumn) return LW_OK;
  return lwi_fail(err, LW_E_ARG, "this case has other columns than the model as written");
}

static lw_status put_objectives(const lwi_case_results *r, lw_sensitivity *s, double scratch[],
                                double result[], lw_error *err)
{
  const int n = r->nobjective + 2 * r->nextreme;
  double *value = scratch, *time = scratch + n;
  lw_status status = n ? lw_sensitivity_objectives(s, value, NULL) : LW_OK;
  if (status == LW_OK && r->nextreme) status = lw_sensitivity_objective_times(s, time);
  if (status != LW_OK)
    return lwi_fail(err, status, "the results cannot be computed: %s", lw_status_text(status));
  for (int i = 0; i < r->nobjective; i++)
    result[i] = value[i];
  for (int i = r->nobjective, k = i; i < n; i++) {
    result[k++] = value[i];
    result[k++] = time[i];
  }
  return LW_OK;
}

lw_status lwi_case_results_collect(const lwi_case_results *r, lw_sensitivity *s,
                                   const double event[], double result[], lw_error *err)
{
  const int columns = lw_columns_count(lw_sensitivity_columns(s));
  const int objectives = 2 * (r->nobjective + 2 * r->nextreme);
  double *scratch = malloc(((size_t)columns + (size_t)objectives + 1) * sizeof *scratch);
  if (!scratch) return lwi_out_of_memory(err, "a study");
  lw_status status = put_columns(r, s, scratch, result, err);
  double *at = result + r->ncolumn;
  if (status == LW_OK) status = put_objectives(r, s, scratch + columns, at, err);
  at += r->nobjective + OF_EXTREME * r->nextreme;
  if (r->nevent) memcpy(at, event, (size_t)(OF_EVENT * r->nevent) * sizeof *at);
  free(scratch);
  return status;
}
