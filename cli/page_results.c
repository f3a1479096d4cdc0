/* SPDX-License-Identifier: Apache-2.0 */
/* page_results.c -- what a file of results says of its run, as `run --json` would. */
#include "page_report.h"

#include <stdlib.h>
#include <string.h>

/* The hits of an instant; the same name adds up. */
static void put_hits(json *j, lw_results *r, long instant)
{
  json_object(j, "hits");
  for (int i = 0; i < lw_results_nhit(r); i++) {
    const lw_result_hit hit = lw_results_hit(r, i);
    if (hit.instant == instant) json_number(j, hit.name, hit.impulse);
  }
  json_object_end(j);
}

/* Impulses of joints, constraints and relations at an instant, [force; torque]; they are in the order of instants, and `next` is the first
   of this one. */
static void put_impulses(json *j, const lw_results *r, long instant, int *next)
{
  const int n = lw_results_nimpulse(r), first = *next;
  for (; *next < n && lw_results_impulse(r, *next).instant <= instant; (*next)++)
    ;
  for (int relations = 0; relations < 2; relations++) {
    json_object(j, relations ? "relation_impulses" : "impulses");
    for (int i = first; i < *next; i++) {
      const lw_result_impulse x = lw_results_impulse(r, i);
      const double load[] = {x.impulse[3], x.impulse[4], x.impulse[5],
                             x.impulse[0], x.impulse[1], x.impulse[2]};
      if ((x.kind == LW_IMPULSE_RELATION) != (relations == 1)) continue;
      if (relations)
        json_number(j, x.name, x.impulse[0]);
      else
        json_numbers(j, x.name, load, 6);
    }
    json_object_end(j);
  }
}

/* Simultaneous events are one instant, as in reports of runs. */
static void put_events(json *j, lw_results *r)
{
  json_list(j, "events");
  const int n = lw_results_nevent(r);
  int impulse = 0;
  for (int i = 0, next; i < n; i = next) {
    const lw_result_event e = lw_results_event(r, i);
    json_object(j, NULL);
    json_number(j, "time", e.time);
    json_list(j, "names");
    for (next = i; next < n && lw_results_event(r, next).instant == e.instant; next++)
      json_text(j, NULL, lw_results_event(r, next).name);
    json_list_end(j);
    json_number(j, "kinetic_before", e.kinetic_before);
    json_number(j, "kinetic_after", e.kinetic_after);
    json_number(j, "kinetic_lost", e.kinetic_before - e.kinetic_after);
    put_impulses(j, r, e.instant, &impulse);
    put_hits(j, r, e.instant);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_statistics(json *j, const lw_results *r, const lw_run_status *s)
{
  const char *rtol = lw_results_fact(r, "rtol"), *atol = lw_results_fact(r, "atol");
  json_object(j, "statistics");
  json_text(j, "method", s->statistics.method);
  if (rtol) json_number(j, "rtol", strtod(rtol, NULL));
  if (atol) json_number(j, "atol", strtod(atol, NULL));
  json_integer(j, "steps", s->statistics.steps);
  json_integer(j, "rejected", s->statistics.rejected);
  json_integer(j, "evaluations", s->statistics.evaluations);
  json_number(j, "smallest_step", s->statistics.smallest_step);
  json_number(j, "largest_step", s->statistics.largest_step);
  json_object_end(j);
}

char *page_results_facts(lw_results *r)
{
  json j;
  const lw_run_status s = lw_results_status(r);
  if (!json_start(&j)) return NULL;
  json_object(&j, NULL);
  json_text(&j, "name", lw_results_fact(r, "name"));
  json_number(&j, "time", s.time);
  json_text(&j, "formulation", lw_results_fact(r, "formulation"));
  if (s.message && *s.message) {
    json_object(&j, "error");
    json_text(&j, "text", s.message);
    json_object_end(&j);
  }
  put_events(&j, r);
  put_statistics(&j, r, &s);
  json_number(&j, "wall_time", s.wall_time);
  json_object_end(&j);
  return json_take(&j);
}

/* ---- rows ---- */

static lw_status read_row(void *context, long row, double to[], lw_error *err)
{
  return lw_results_read_rows(context, row, 1, to, err);
}

static void mark_events(lw_results *r, bool must[], long rows)
{
  for (int i = 0; i < lw_results_nevent(r); i++) {
    const long row = lw_results_event(r, i).row;
    if (row >= 0 && row < rows) must[row] = must[row + 1] = true;
  }
}

static lw_status note_phase(void *context, double t, const lw_model *m)
{
  page *p = context;
  return page_parts_note(&p->parts, m, t) ? LW_OK : LW_E_MEMORY;
}

lw_status page_read_results(page *p, const lw_model *m, lw_results *r, lw_error *err)
{
  const long rows = lw_results_rows(r);
  const int n = lw_results_columns(r);
  bool *must = calloc((size_t)rows + 2, sizeof *must);
  const char **name = calloc(2 * (size_t)n + 1, sizeof *name), **unit = name ? name + n : NULL;
  lw_status status = must && name ? LW_OK : LW_E_MEMORY;
  *p = (page){.m = m};
  if (status == LW_OK) {
    for (int i = 0; i < n; i++) {
      name[i] = lw_results_name(r, i);
      unit[i] = lw_results_unit(r, i);
    }
    mark_events(r, must, rows);
    const page_table t = {n, name, unit, rows, read_row, r, must};
    status = page_read(p, m, &t, err);
  }
  /* joints that events made and removed; what a file has lost of them is not shown */
  lw_error lost;
  if (status == LW_OK && lw_results_phases(r, m, note_phase, p, &lost) == LW_E_MEMORY)
    status = LW_E_MEMORY;
  free(must);
  free(name);
  return status;
}
