/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- tables of numbers in files: which format writes one. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/file_text.h"
#include "io/table/table_format.h"

#include <string.h>
#include <strings.h>

/* By the end of the path; CSV unless it says something else. */
static const lwi_table_format *find_format(const char *path)
{
  static const struct {
    const char *ending;
    const lwi_table_format *format;
  } formats[] = {{".h5", &lwi_results_format},
                 {".hdf5", &lwi_results_format},
                 {".jsonl", &lwi_lines_format},
                 {".ndjson", &lwi_lines_format}};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (strcasecmp(dot, formats[i].ending) == 0) return formats[i].format;
  return &lwi_csv_format;
}

lw_status lwi_table_no_memory(const char *path, lw_error *err)
{
  return lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = path},
                       "out of memory for the results");
}

lw_table *lwi_table_create(const lwi_results_head *head, lw_error *err)
{
  const lwi_table_format *format = find_format(head->path);
  lw_table *table = format->create(head, err);
  if (table) table->format = format;
  return table;
}

lw_table *lw_table_create(const char *path, const char *const names[], int n, lw_error *err)
{
  const lwi_position file = {.file = path ? path : "lw_table_create"};
  if (!path || !names || n < 0)
    return lwi_file_fail(err, LW_E_ARG, file, "an argument is missing"), NULL;
  if (err) *err = (lw_error){.status = LW_OK};
  return lwi_table_create(&(lwi_results_head){.path = path, .names = names, .n = n}, err);
}

lw_status lw_table_write(lw_table *table, const double row[])
{
  if (!table || !row) return LW_E_ARG;
  return table->format->write(table, row);
}

lw_status lw_table_close(lw_table *table, lw_error *err)
{
  if (err) *err = (lw_error){.status = LW_OK};
  return table ? table->format->close(table, err) : LW_OK;
}
