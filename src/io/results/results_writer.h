/* SPDX-License-Identifier: Apache-2.0 */
/* results_writer.h -- a file of results in HDF5, which can be read while it is written
   (docs/results.md).

   Rows are gathered in blocks as long as a chunk of the file.  A full block is written compressed.
   Once a second the rows of a block that is not full are written too, as they are and in place: a
   compressed chunk that grows would leave its old place unused each time.  So a file is never
   larger than its numbers. */
#ifndef LWI_IO_RESULTS_RESULTS_WRITER_H
#define LWI_IO_RESULTS_RESULTS_WRITER_H
#include "io/results/records.h"
#include "linkwork/results.h"

typedef struct lwi_results_writer lwi_results_writer;

typedef struct {
  const char *path;
  const char *const *names, *const *units; /* [n]; units NULL: not known */
  int n;
  const lw_model *model; /* NULL: the numbers are of no model */
  lw_simulation_options used;
  const lw_run_record *record; /* NULL: nothing more is known */
  size_t checkpoint;           /* numbers of a checkpoint; 0: the run cannot be resumed */
  const lw_fact *fact;         /* [nfact] further facts: name, text */
  int nfact;
  bool cases;               /* rows are cases, with a record each */
  const lw_results *copied; /* results of which these are a part, with their facts; or NULL */
} lwi_results_head;

/* Returns NULL on failure; err says why. */
lwi_results_writer *lwi_results_create(const lwi_results_head *head, lw_error *err);
/* The first failure is kept, and returned from then on. */
lw_status lwi_results_row(lwi_results_writer *w, const double row[]);
/* The last row, from 0, and the number of the next instant of events. */
int64_t lwi_results_here(const lwi_results_writer *w, int64_t *instant);
/* A record, as it is. */
lw_status lwi_results_add(lwi_results_writer *w, lwi_record_kind kind, const void *record);
/* Keeps the numbers from which the run can go on after the rows and records so far. */
lw_status lwi_results_checkpoint(lwi_results_writer *w, const double x[]);
/* Writes what is gathered if the last time was a second ago. */
lw_status lwi_results_tick(lwi_results_writer *w);
/* How far the run is, and its state; message: why it ended early, or NULL. */
void lwi_results_progress(lwi_results_writer *w, double t, const lw_simulation_statistics *s,
                          lw_run_state state, const char *message);
/* Frees the writer. */
lw_status lwi_results_close(lwi_results_writer *w, lw_error *err);

/* Marks a file whose writer was killed, or failed, as closed, so that every program opens it;
   false: it cannot. */
bool lwi_results_clear(const lwi_hdf5 *h, const char *path);

/* ---- results_events.c ---- */

/* Just after the row before the events, when all about them is known. */
lw_status lwi_results_event(lwi_results_writer *w, const lw_event_report *e);

/* ---- results_head.c ---- */

/* A new file, in the newest format, which has what readers during the run need; < 0: failed. */
hid_t lwi_results_new_file(const lwi_hdf5 *h, const char *path);
/* An upper bound of its size before the first row. */
size_t lwi_results_head_bytes(const lwi_results_head *head);
/* Writes all that is known before the first row: names of columns, texts of the model, parameters,
   options.  LW_E_FILE: the library has failed. */
lw_status lwi_results_write_head(const lwi_hdf5 *h, hid_t file, const lwi_results_head *head);

#endif
