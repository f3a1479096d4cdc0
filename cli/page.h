/* SPDX-License-Identifier: Apache-2.0 */
/* page.h -- a run as one HTML file that needs nothing else: a scene (linkwork/scene.h), the poses of bodies and the
   columns of results over time, facts, and the program of report/ that shows them. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H
#include "linkwork/columns.h"
#include "linkwork/scene.h"
#include "verbs.h"

/* rows of numbers: row by row */
typedef struct {
  long n, capacity;
  int ncell;
  float *cell;
  double *time;
  bool *must; /* rows at events, which thinning keeps */
} page_rows;

/* parts of models that events make and remove: as JSON, with the times between which they are there */
typedef struct {
  char *text;
  double since, until;
} page_part;
typedef struct {
  page_part *item;
  int n, capacity;
} page_parts;

typedef struct page {
  const lw_model *m;
  lw_columns *columns;
  double *row; /* [lw_columns_count] */
  int *pose;   /* [7 nbody] which column each number of the poses of bodies is */
  int npose;
  int *shown;        /* [nshown] columns that plots can show */
  int nshown, nleft; /* left: how many are not kept, since there are too many */
  page_rows motion, table;
  const lw_model *phase; /* of the last row */
  page_parts parts;
} page;

/* columns: as for --columns; NULL: all. */
lw_status page_start(page *p, const lw_model *m, const lw_simulation *sim, const char *columns,
                     lw_error *err);
lw_status page_add(page *p, const lw_row *row);
void page_free(page *p);

/* Writes the file.  facts: JSON of the run, or NULL. */
int page_write(const cli_args *a, const page *p, const char *facts, const char *path);
/* CLI_DONE, or a message if the program of report/ is not a part of this one. */
int page_check(const cli_args *a);

/* ---- parts of it ---- */

bool page_rows_add(page_rows *r, double t, const double row[], const int column[], int n,
                   bool must);
void page_rows_free(page_rows *r);
/* Which rows to keep so that there are at most `most`, besides those that must be: more where the numbers bend more.
   keep[n]; returns how many, -1: no memory. */
long page_rows_thin(const page_rows *r, long most, bool keep[]);

/* {"rows": n, "columns": ncell, "of": rows before thinning, "time": ..., "data": ...} with numbers as multiples of a
   step; NaN where there is none.  step[ncell] > 0.  False: no memory. */
bool page_stream(json *j, const char *key, const page_rows *r, const double step[], long most);

bool page_scene_json(json *j, const lw_scene *s); /* false: no memory */
/* Records joints and constraints of the model from t on.  False: no memory. */
bool page_parts_note(page_parts *p, const lw_model *m, double t);
void page_parts_json(json *j, const page_parts *p);
void page_parts_free(page_parts *p);

/* The program of report/ up to where the data goes, and the rest; empty: it was not built, because ... */
typedef struct {
  const char *head, *tail, *missing;
} page_program;
extern const page_program page_text;

#endif
