/* SPDX-License-Identifier: Apache-2.0 */
/* file.h -- read models, write results. */
#ifndef LINKWORK_FILE_H
#define LINKWORK_FILE_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model file (YAML or JSON).  NULL: err says file, line and column, and what is wrong. */
LW_API lw_spec *lw_spec_load(const char *path, lw_error *err);
/* The same from memory; `name` stands for the file in messages. */
LW_API lw_spec *lw_spec_parse(const char *text, size_t length, const char *name, lw_error *err);

/* A table of numbers in a file, which grows: where there is no file yet, or an empty one, rows are in it
   from the start and can be read meanwhile; else it is replaced as lw_write_file of output.h does.  A full disk leaves whole rows only.  Of a process that is
   killed (SIGKILL) an earlier file stays, and the rows so far are in PATH.part-PID; the system may cut the
   last one.  The format is CSV; names of columns are quoted where they must be (RFC 4180).
   lw_simulation_run of simulate.h writes whole runs. */
typedef struct lw_table lw_table;
LW_API lw_table *lw_table_create(const char *path, const char *const names[], int n, lw_error *err);
LW_API lw_status lw_table_write(lw_table *table, const double row[]); /* [n] */
/* The rows so far take the place of the target; err says why some are missing; frees the table. */
LW_API lw_status lw_table_close(lw_table *table, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
