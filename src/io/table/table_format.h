/* SPDX-License-Identifier: Apache-2.0 */
/* table_format.h -- the interface of a format of result files.  CSV is one; to add another, fill a
   table of these functions and add a line to table.c. */
#ifndef LWI_IO_TABLE_TABLE_FORMAT_H
#define LWI_IO_TABLE_TABLE_FORMAT_H
#include "linkwork/file.h"

typedef struct {
  /* Creates a file with these columns.  Returns NULL on failure; err says why. */
  lw_table *(*create)(const char *path, const char *const names[], int n, lw_error *err);
  /* Only whole rows reach the file; the first failure is kept. */
  lw_status (*write)(lw_table *table, const double row[]);
  /* The file is complete, or err says what is missing; frees the table. */
  lw_status (*close)(lw_table *table, lw_error *err);
} lwi_table_format;

struct lw_table {
  const lwi_table_format *format;
};

extern const lwi_table_format lwi_csv_format;

#endif
