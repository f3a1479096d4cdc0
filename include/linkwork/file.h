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

/* A results file.  Rows are flushed so that an interrupted run leaves a readable file. */
typedef struct lw_csv lw_csv;
LW_API lw_csv *lw_csv_create(const char *path, const lw_columns *columns, lw_error *err);
/* The same with columns of any names. */
LW_API lw_csv *lw_csv_create_names(const char *path, const char *const names[], int n,
                                   lw_error *err);
LW_API lw_status lw_csv_write(lw_csv *f, const double row[]);
LW_API lw_status lw_csv_close(lw_csv *f); /* reports a full disk too; frees f */

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
