/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h -- linkwork sweep: many cases of one model, and their table. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H
#include "linkwork/study.h"
#include "verbs.h"

#include <stdint.h>

/* ---- which cases: sweep_design.c ---- */

typedef struct {
  lw_factor *factor;
  int n;
  double *numbers;      /* values of the factors; the list of cases */
  lw_study_desc *study; /* of the model; NULL: it has none */
  lw_design design;
} sweep_design;

/* From --vary, --design, --cases, --points, --seed and --list, and what is not given from the section `study`; m: the
   model as written. */
int read_design(const cli_args *a, const lw_model *m, sweep_design *x);
void sweep_design_free(sweep_design *x);
const char *design_words(const lw_design *d); /* "a Latin hypercube" */

/* ---- their table: sweep_table.c ---- */

/* case, parameters, seed, results, t, status, message; lines of text as they are in the file */
typedef struct {
  const lw_study *y;
  uint64_t study; /* which study it belongs to: of model, design, results and options */
  long n, done, failed, reused;
  char **line;    /* [n] NULL: not computed yet */
  double *result; /* [n][nresult] */
  FILE *journal;  /* rows as they come; NULL: none */
  char *rows;     /* its name, of a table in HDF5 */
  lw_status written;
} sweep_table;

bool sweep_table_start(sweep_table *t, const lw_study *y, uint64_t study);
void sweep_table_free(sweep_table *t);
/* The file that rows are appended to while the sweep runs: of FILE.h5 FILE.h5.csv; NULL: no memory. */
const char *sweep_table_rows(sweep_table *t, const char *path);
/* Adds the rows of a file; what a killed sweep has left of its last row is ignored. */
int sweep_table_read(const cli_args *a, sweep_table *t, const char *path);
/* From here on each case is written to the file when it is finished. */
int sweep_table_open(const cli_args *a, sweep_table *t, const char *path);
bool sweep_table_add(sweep_table *t,
                     const lw_case *c); /* false: no memory, or it cannot be written */
/* The whole table by the numbers of the cases, in place of the rows as they came. */
int sweep_table_write(const cli_args *a, sweep_table *t, const char *path);

typedef struct {
  long index;
  const double *value, *result;
  double t;
  const char *status, *message; /* "ok", or the name of an lw_status and why */
} sweep_row;
/* To be freed; NULL: no memory. */
char *sweep_table_line(const sweep_table *t, const sweep_row *r);
/* The line becomes that of case i; its results are read from it. */
bool sweep_table_keep(sweep_table *t, char *line, long i);

/* sweep_hdf5.c */
int sweep_hdf5_write(const cli_args *a, const sweep_table *t, const char *path);
int sweep_hdf5_read(const cli_args *a, sweep_table *t, const char *path);

/* ---- what it says: sweep_summary.c ---- */

/* numbers of all cases: results, then parameters */
typedef struct {
  const sweep_table *t;
  const lw_design *d;
  int nresult;
  double *result, *value;    /* [nresult][n], [nfactor][n]; NaN: not there */
  lw_statistics *statistics; /* [nresult] */
  lw_sobol_index *index;     /* [nresult][nfactor], of LW_DESIGN_INDICES */
  bool
      *has_index; /* [nresult]; not: a case has failed or is missing, or the result does not vary */
} sweep_sample;
bool sweep_sample_start(sweep_sample *s,
                        const sweep_table *t); /* false: no memory; it must be freed */
void sweep_sample_free(sweep_sample *s);

bool print_summary(const cli_args *a, const sweep_table *t);
bool json_summary(const cli_args *a, const sweep_table *t);

/* sweep_page.c: --report, as a page with plots. */
int sweep_page(const cli_args *a, const sweep_table *t, const char *path);

#endif
