/* SPDX-License-Identifier: Apache-2.0 */
/* table_format.h -- what a format of results files must do.  CSV is one; another one is a table of these functions,
   and a line in table.c. */
#ifndef LWI_IO_TABLE_TABLE_FORMAT_H
#define LWI_IO_TABLE_TABLE_FORMAT_H
#include "linkwork/file.h"

typedef struct {
  /* A file with these columns; NULL: err says why. */
  lw_table *(*create)(const char *path, const char *const names[], int n, lw_error *err);
  /* Only whole rows reach the file; the first failure stays. */
  lw_status (*write)(lw_table *table, const double row[]);
  /* The file is complete, or err says what is missing; frees the table. */
  lw_status (*close)(lw_table *table, lw_error *err);
} lwi_table_format;

struct lw_table {
  const lwi_table_format *format;
};

extern const lwi_table_format lwi_csv_format;

#endif
