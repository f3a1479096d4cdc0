/* SPDX-License-Identifier: Apache-2.0 */
/* table_run.h -- a run as a table: its loop (table_run.c), and how it is kept and resumed
   (table_resume.c). */
#ifndef LWI_IO_TABLE_TABLE_RUN_H
#define LWI_IO_TABLE_TABLE_RUN_H
#include "io/results/results_data.h"
#include "io/table/table_format.h"
#include "linkwork/sensitivity.h"

typedef struct {
  lw_simulation *sim;
  lw_sensitivity *s; /* NULL: without derivatives */
  lw_run_options o;
  lw_columns *columns; /* NULL: not requested */
  lw_table *table;     /* NULL: no file */
  int ncolumn;         /* of columns, ... */
  int nderived, np;    /* ... of lw_sensitivity_columns, and parameters */
  double *q, *u;       /* the state last reached, of all joints */
  double *cells, *row, *drow;
  double *own;      /* the memory of these */
  double event;     /* time of the last one: its rows stand for one at that time */
  lw_status status; /* of a row */
  lw_run_report report;
  long next;          /* the next output time */
  double *checkpoint; /* [ncheckpoint] the last one; NULL: none are kept */
  size_t ncheckpoint;
  long kept;             /* steps until then */
  size_t noted;          /* numbers of transitions that the file has */
  const lw_model *first; /* of which the columns are */
  lw_results *from;      /* that are resumed; NULL: none */
} lwi_run;

/* Columns of a row: results, then derivatives. */
static inline int lwi_run_cells(const lwi_run *r)
{
  return r->columns ? r->ncolumn + r->np * (r->s ? r->nderived - 1 : 0) : 0;
}

/* The columns of the results, which follow the simulation. */
lw_status lwi_run_open_columns(lwi_run *r, lw_error *err);
/* Makes room for checkpoints, from the start of a run on.  False: no memory. */
bool lwi_run_prepare_checkpoints(lwi_run *r);
/* Models that events made since are appended to the file. */
lw_status lwi_run_note_transitions(lwi_run *r);
/* After a row at an output time: keeps the state if it is time to, and begins anew from it.  Runs without a file that can be
   resumed do so, too: their numbers are the same. */
lw_status lwi_run_keep_checkpoint(lwi_run *r, lw_error *err);
/* Goes on where the results r->from end.  Without a checkpoint the run begins at its start. */
lw_status lwi_run_resume(lwi_run *r, lw_error *err);

#endif
