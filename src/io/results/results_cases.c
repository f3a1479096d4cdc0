/* SPDX-License-Identifier: Apache-2.0 */
/* results_cases.c -- tables of cases: rows of a sweep, each with its status and message. */
#include "base/fail.h"
#include "io/results/results_data.h"
#include "io/results/results_writer.h"

#include <stdio.h>

static lw_status add_case(lwi_results_writer *w, const lw_case_table *t, long i)
{
  lwi_case_record c = {.status = ""};
  snprintf(c.status, sizeof c.status, "%s", t->status[i]);
  snprintf(c.message, sizeof c.message, "%s", t->message[i]);
  const lw_status status = lwi_results_row(w, t->number + i * t->n);
  return status == LW_OK ? lwi_results_add(w, LWI_RECORD_CASE, &c) : status;
}

lw_status lw_results_save_cases(const lw_case_table *t, const char *path, lw_error *err)
{
  if (!t || !path || !t->names || t->n < 1 || t->rows < 0 ||
      (t->rows && (!t->number || !t->status || !t->message)))
    return lwi_fail(err, LW_E_ARG, "lw_results_save_cases: an argument is missing");
  const lwi_results_head head = {.path = path,
                                 .names = t->names,
                                 .n = t->n,
                                 .model = t->model,
                                 .record = t->record,
                                 .fact = t->fact,
                                 .nfact = t->nfact,
                                 .cases = true};
  lwi_results_writer *w = lwi_results_create(&head, err);
  if (!w) return err ? err->status : LW_E_FILE;
  lw_status status = LW_OK;
  for (long i = 0; i < t->rows && status == LW_OK; i++)
    status = add_case(w, t, i);
  lwi_results_progress(w, 0, &(lw_simulation_statistics){.method = ""}, LW_RUN_COMPLETE, NULL);
  return lwi_results_close(w, err);
}

static const lwi_case_record *case_at(const lw_results *r, long row)
{
  if (!r || row < 0 || row >= r->record[LWI_RECORD_CASE].n) return NULL;
  return (const lwi_case_record *)r->record[LWI_RECORD_CASE].item + row;
}

const char *lw_results_case_status(const lw_results *r, long row)
{
  const lwi_case_record *c = case_at(r, row);
  return c ? c->status : NULL;
}

const char *lw_results_case_message(const lw_results *r, long row)
{
  const lwi_case_record *c = case_at(r, row);
  return c ? c->message : NULL;
}

bool lw_results_has_cases(const lw_results *r)
{
  return r && r->record[LWI_RECORD_CASE].n > 0;
}
