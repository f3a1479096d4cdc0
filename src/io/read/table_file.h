/* SPDX-License-Identifier: Apache-2.0 */
/* table_file.h -- numbers in columns of a text file: a line of column names, then numbers, between
   commas, semicolons, tabs or spaces.  Lines that begin with # and empty lines do not count.  A
   name may have a unit behind it, in brackets: `s [mm]`; the numbers are converted. */
#ifndef LWI_IO_READ_TABLE_FILE_H
#define LWI_IO_READ_TABLE_FILE_H
#include "linkwork/reader.h"
#include "model/expression/units.h"

#include <stdbool.h>

typedef struct {
  char *text; /* of the whole file; cell texts point into it */
  const char *path;
  int ncolumn, nrow;
  struct lwi_table_cell {
    char *text;
    int line, column;
  } * head;       /* [ncolumn] names without units */
  lwi_unit *unit; /* [ncolumn] in which its numbers are written */
  double *number; /* [nrow][ncolumn] */
  int *line;      /* [nrow] of the file */
} lwi_table_file;

/* Returns false on failure; err gives file, line and column.  The path must outlive it. */
bool lwi_table_file_read(lw_sources *sources, const char *path, lwi_table_file *out, lw_error *err);
void lwi_table_file_free(lwi_table_file *f);

/* The column of a name, or -1. */
int lwi_table_file_find(const lwi_table_file *f, const char *name);

#endif
