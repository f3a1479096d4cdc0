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

/* All functions below that write a file do it like this: the bytes go to PATH.part-PID, which takes the
   name PATH when it is complete, so that an earlier file stays as it was if anything fails.  It keeps
   its permissions and, where allowed, its owner; a symbolic link stays, and what it points at is
   replaced.  Devices, pipes and what this process has open ("-" and /dev/stdout, /proc/self/fd/N) are
   written through.  Nothing that was there before is ever removed. */
LW_API lw_status lw_write_file(const char *path, const char *text, size_t length, lw_error *err);

/* A table of numbers in a file, which grows: where there is no file yet, or an empty one, rows are in it
   from the start and can be read meanwhile.  A full disk leaves whole rows only.  Of a process that is
   killed (SIGKILL) an earlier file stays, and the rows so far are in PATH.part-PID; the system may cut the
   last one.  The format is CSV; names of columns are quoted where they must be (RFC 4180).
   lw_simulation_run of simulate.h writes whole runs. */
typedef struct lw_table lw_table;
LW_API lw_table *lw_table_create(const char *path, const char *const names[], int n, lw_error *err);
LW_API lw_status lw_table_write(lw_table *table, const double row[]); /* [n] */
/* The rows so far take the place of the target; err says why some are missing; frees the table. */
LW_API lw_status lw_table_close(lw_table *table, lw_error *err);

/* Texts of model files, among them names of files and of models, may hold anything that is UTF-8.  The
   character that a text starts with: how many bytes it has, and its code; a byte that is no UTF-8 gives
   1 and LW_NO_CHARACTER, no text (empty or NULL) 0.  code may be NULL. */
enum { LW_NO_CHARACTER = 0x110000 };
LW_API int lw_get_character(const char *text, unsigned *code);
/* May it go to a terminal?  Not control characters, line breaks and changes of writing direction. */
LW_API bool lw_is_printable(unsigned code);

/* A picture of the topology (linkwork/inspect.h): the standard digraph with its loops, the tree of
   serial segments, and where the mass matrix is not zero.  Large models get less of it. */
LW_API lw_status lw_write_graph_svg(const lw_model *m, const char *path, lw_error *err);
/* A picture of the assembly tree of divide and conquer (linkwork/dca.h): what is eliminated where, and which
   bodies each assembly shows.  Of large models its outer levels. */
LW_API lw_status lw_write_assembly_svg(const lw_model *m, const char *path, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
