/* SPDX-License-Identifier: Apache-2.0 */
/* table_format.h -- the interface of a format of result files.  CSV is one; to add another, fill a
   table of these functions and add a line to table.c. */
#ifndef LWI_IO_TABLE_TABLE_FORMAT_H
#define LWI_IO_TABLE_TABLE_FORMAT_H
#include "io/results/results_writer.h"

typedef struct {
  /* Creates a file with these columns.  Returns NULL on failure; err says why. */
  lw_table *(*create)(const lwi_results_head *head, lw_error *err);
  /* Only whole rows reach the file; the first failure is kept. */
  lw_status (*write)(lw_table *table, const double row[]);
  /* The file is complete, or err says what is missing; frees the table. */
  lw_status (*close)(lw_table *table, lw_error *err);

  /* Of formats that hold more than rows; NULL: it does not. */
  lw_status (*event)(lw_table *table, const lw_event_report *e); /* just after it */
  lw_status (*look)(lw_table *table); /* called often: writes what has waited too long */
  lw_status (*add)(lw_table *table, lwi_record_kind kind,
                   const void *record); /* of other results */
  /* How far the run is, and its state; message: why it ended early, or NULL. */
  void (*progress)(lw_table *table, double t, const lw_simulation_statistics *s, lw_run_state state,
                   const char *message);
} lwi_table_format;

struct lw_table {
  const lwi_table_format *format;
};

extern const lwi_table_format lwi_csv_format, lwi_lines_format, lwi_results_format;

/* As lw_table_create, with all that is known about the results. */
lw_table *lwi_table_create(const lwi_results_head *head, lw_error *err);
lw_status lwi_table_no_memory(const char *path, lw_error *err);

#endif
