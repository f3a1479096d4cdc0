/* SPDX-License-Identifier: Apache-2.0 */
/* results_events.c -- the events of one instant as records: names, hits, impulses. */
#include "io/results/results_writer.h"
#include "linkwork/query.h"

#include <stdio.h>
#include <string.h>

static void put_name(char to[LWI_RECORD_NAME], const char *name)
{
  snprintf(to, LWI_RECORD_NAME, "%s", name ? name : "");
}

/* Those that are zero are left out. */
static lw_status add_impulse(lwi_results_writer *w, lwi_impulse_record *to, const char *name,
                             const double x[], int n)
{
  bool any = false;
  for (int i = 0; i < n; i++)
    any |= x[i] != 0;
  if (!any) return LW_OK;
  put_name(to->name, name);
  memcpy(to->impulse, x, (size_t)n * sizeof *x);
  return lwi_results_add(w, LWI_RECORD_IMPULSE, to);
}

static lw_status add_impulses(lwi_results_writer *w, int64_t instant, const lw_event_report *e)
{
  const lw_model *m = e->after;
  lw_status status = LW_OK;
  for (int j = 1; j <= lw_njoint(m) && e->impulses && status == LW_OK; j++) {
    lwi_impulse_record to = {.instant = instant, .kind = LW_IMPULSE_JOINT};
    status = add_impulse(w, &to, lw_get_joint(m, (lw_joint){j}).name, e->impulses + 6 * j, 6);
  }
  for (int c = 1; c <= lw_nconstraint(m) && status == LW_OK; c++) {
    const char *name = lw_get_constraint(m, (lw_constraint){c}).name;
    lwi_impulse_record to = {.instant = instant, .kind = LW_IMPULSE_CONSTRAINT},
                       relation = {.instant = instant, .kind = LW_IMPULSE_RELATION};
    if (e->constraint_impulses)
      status = add_impulse(w, &to, name, e->constraint_impulses + 6 * c, 6);
    if (e->relation_impulses && status == LW_OK)
      status = add_impulse(w, &relation, name, e->relation_impulses + c, 1);
  }
  return status;
}

lw_status lwi_results_event(lwi_results_writer *w, const lw_event_report *e)
{
  int64_t instant;
  const int64_t row = lwi_results_here(w, &instant);
  lw_status status = LW_OK;
  for (int i = 0; i < e->nevent && status == LW_OK; i++) {
    lwi_event_record to = {.instant = instant,
                           .row = row,
                           .time = e->time,
                           .stops = e->stops,
                           .transition = e->before != e->after,
                           .kinetic_before = e->kinetic_before,
                           .kinetic_after = e->kinetic_after,
                           .jump_energy = e->jump_energy};
    put_name(to.name, e->names[i]);
    status = lwi_results_add(w, LWI_RECORD_EVENT, &to);
  }
  for (int i = 0; i < e->nhit && status == LW_OK; i++) {
    lwi_hit_record to = {.instant = instant, .impulse = e->hits[i].impulse};
    put_name(to.name, e->hits[i].name);
    status = lwi_results_add(w, LWI_RECORD_HIT, &to);
  }
  return status == LW_OK ? add_impulses(w, instant, e) : status;
}
