/* SPDX-License-Identifier: Apache-2.0 */
/* file.h -- read models, write results. */
#ifndef LINKWORK_FILE_H
#define LINKWORK_FILE_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Reads a model file: YAML or JSON, or a robot file (docs/robot-files.md), by its contents.
   Returns NULL on failure; err gives file, line and column, and what is wrong.  What was repaired
   or left out is in the notes of the spec (reader.h). */
LW_API lw_spec *lw_spec_load(const char *path, lw_error *err);
/* The same from memory; `name` is used as the file name in messages, and files that the text
   includes are looked for beside it.  NULL: the text has no name, and must not include files. */
LW_API lw_spec *lw_spec_parse(const char *text, size_t length, const char *name, lw_error *err);

/* A table of numbers in a growing file.  If there is no file yet, or an empty one, rows are written
   to it from the start and can be read during the run; otherwise it is replaced as lw_write_file of
   output.h does.  A full disk leaves whole rows only.  If the process is killed (SIGKILL), an
   earlier file is kept and the rows so far are in PATH.part-PID; the system may cut the last one.
   The format is CSV; names of columns are quoted where necessary (RFC 4180).  lw_simulation_run of
   simulate.h writes whole runs. */
typedef struct lw_table lw_table;
LW_API lw_table *lw_table_create(const char *path, const char *const names[], int n, lw_error *err);
LW_API lw_status lw_table_write(lw_table *table, const double row[]); /* [n] */
/* Replaces the target by the rows written, and frees the table; err says why some rows are
   missing. */
LW_API lw_status lw_table_close(lw_table *table, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
