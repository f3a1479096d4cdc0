/* SPDX-License-Identifier: Apache-2.0 */
/* results_table.c -- HDF5 as a format of tables: io/results writes it. */
#include "io/results/results_writer.h"
#include "io/table/table_format.h"

#include <stdlib.h>

typedef struct {
  lw_table table; /* first: the table is known by this */
  lwi_results_writer *writer;
} results_table;

static lw_table *create(const lwi_results_head *head, lw_error *err)
{
  results_table *t = calloc(1, sizeof *t);
  if (!t) return lwi_table_no_memory(head->path, err), NULL;
  t->writer = lwi_results_create(head, err);
  if (t->writer) return &t->table;
  free(t);
  return NULL;
}

static lw_status write_row(lw_table *table, const double row[])
{
  return lwi_results_row(((results_table *)table)->writer, row);
}

static lw_status write_event(lw_table *table, const lw_event_report *e)
{
  return lwi_results_event(((results_table *)table)->writer, e);
}

static lw_status look_at_clock(lw_table *table)
{
  return lwi_results_tick(((results_table *)table)->writer);
}

static lw_status add(lw_table *table, lwi_record_kind kind, const void *record)
{
  return lwi_results_add(((results_table *)table)->writer, kind, record);
}

static void note_progress(lw_table *table, double t, const lw_simulation_statistics *s,
                          lw_run_state state, const char *message)
{
  lwi_results_progress(((results_table *)table)->writer, t, s, state, message);
}

static lw_status close(lw_table *table, lw_error *err)
{
  results_table *t = (results_table *)table;
  const lw_status status = lwi_results_close(t->writer, err);
  free(t);
  return status;
}

const lwi_table_format lwi_results_format = {create,        write_row, close,        write_event,
                                             look_at_clock, add,       note_progress};
