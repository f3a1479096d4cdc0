/* SPDX-License-Identifier: Apache-2.0 */
/* table.c -- tables of numbers in files: which format writes one. */
#include "io/file/file_text.h"
#include "io/table/table_format.h"

/* By the path, once there are several. */
static const lwi_table_format *find_format(const char *path)
{
  (void)path;
  return &lwi_csv_format;
}

lw_table *lw_table_create(const char *path, const char *const names[], int n, lw_error *err)
{
  const lwi_position file = {.file = path ? path : "lw_table_create"};
  if (!path || !names || n < 0)
    return lwi_file_fail(err, LW_E_ARG, file, "an argument is missing"), NULL;
  if (err) *err = (lw_error){.status = LW_OK};
  const lwi_table_format *format = find_format(path);
  lw_table *table = format->create(path, names, n, err);
  if (table) table->format = format;
  return table;
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
