/* SPDX-License-Identifier: Apache-2.0 */
/* results_data.h -- what lw_results holds: all but the rows, which stay in an HDF5 file until they
   are asked for; those of CSV are in memory. */
#ifndef LWI_IO_RESULTS_RESULTS_DATA_H
#define LWI_IO_RESULTS_RESULTS_DATA_H
#include "base/name_index.h"
#include "io/results/records.h"
#include "linkwork/results.h"

typedef struct {
  int n;
  char *text;  /* the memory of all of them */
  char **item; /* [n] */
} lwi_text_list;

typedef struct {
  int n;
  void *item; /* records of records.h */
} lwi_record_list;

struct lw_results {
  char *path;
  long rows;
  lwi_text_list names, units, arguments, parameters, fact_names, facts;
  lwi_name_index index; /* of the names */
  double *values;       /* [parameters] */
  lwi_record_list record[LWI_RECORD_KINDS];
  lw_sources *sources;

  const lwi_hdf5 *h; /* NULL: a table in memory */
  hid_t file, data;
  double *number; /* [rows][names.n] of such a table */
  bool cut;       /* its last line has no end, and was left out */
};

/* n texts of `size` bytes each, which end at a zero or after `size` bytes.  false: no memory. */
bool lwi_text_list_cut(lwi_text_list *l, const char *bytes, int n, size_t size);
void lwi_text_list_free(lwi_text_list *l);

/* results_csv.c, results_reader.c: fill r.  r->path is set. */
lw_status lwi_results_read_csv(lw_results *r, lw_error *err);
lw_status lwi_results_read_hdf5(lw_results *r, lw_error *err);
/* The last whole checkpoint, with its head, to be freed; NULL: there is none, or no memory. */
double *lwi_results_last_checkpoint(lw_results *r, size_t *n);
/* What changes during a run: rows and records. */
lw_status lwi_results_look(lw_results *r, bool fresh, lw_error *err);

#endif
