/* SPDX-License-Identifier: Apache-2.0 */
/* page.h -- a run as one HTML file that needs nothing else: a scene (linkwork/scene.h), the poses
   of bodies and the columns of results over time, facts, and the program of report/ that shows
   them.  These files are a library of their own (linkwork-page), which the Python package has, too;
   page_report.c is the command line's. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H
#include "linkwork/columns.h"
#include "linkwork/results.h"
#include "linkwork/linkwork.h"
#include "linkwork/scene.h"
#include "json.h"

/* rows of numbers: row by row */
typedef struct {
  long n, capacity;
  int ncell;
  float *cell;
  double *time;
  bool *must; /* rows at events, which thinning keeps */
} page_rows;

/* parts of models that events make and remove: as JSON, with the times between which they are
   there */
typedef struct {
  char *text;
  double since, until;
} page_part;
typedef struct page_parts {
  page_part *item;
  int n, capacity;
} page_parts;

typedef struct page {
  const lw_model *m;
  lw_columns *columns; /* of a simulation; NULL: the rows come from a file */
  int ncolumn;
  const char **name, **unit; /* [ncolumn] */
  double *row;               /* [lw_columns_count] */
  int *pose;                 /* [7 nbody] which column each number of the poses of bodies is */
  int npose;
  int *shown;        /* [nshown] columns that plots can show */
  int nshown, nleft; /* left: how many are not kept, since there are too many */
  page_rows motion, table;
  const lw_model *phase; /* of the last row */
  page_parts parts;
  const char *parts_text; /* instead of them: as lw_page_parts_text gives it; NULL: none */
  char title[80];         /* of models without a name; empty: "model" */
  const char *facts_are;  /* what the facts say: "equilibrium", "modes", "sens"; NULL: a run */
  double *ghost;          /* [7 nbody] poses to be shown besides; NULL: those of the start */
  page_rows shapes;       /* of modes: cells are [body][re, im][rotation, displacement] */
  int nextra;             /* columns that the caller computes */
  int nmissing;           /* meshes that page_write could not read ... */
  char missing[200];      /* ... and the first of them */
} page;

/* columns: as for --columns; NULL: all. */
lw_status page_start(page *p, const lw_model *m, const lw_simulation *sim, const char *columns,
                     lw_error *err);
lw_status page_add(page *p, const lw_row *row);
/* The same with further columns, before rows are added; their names must last as long as the
   page. */
lw_status page_start_with(page *p, const lw_model *m, const lw_simulation *sim, const char *columns,
                          const char *const name[], int n, lw_error *err);
lw_status page_add_with(page *p, const lw_row *row, const double extra[]);
/* A mechanism that stands still: at q of all joints. */
lw_status page_still(page *p, const lw_model *m, lw_work *w, double t, const double q[]);
/* Poses of all bodies there, [7 nbody]. */
lw_status page_poses(const lw_model *m, lw_work *w, const double q[], double pose[]);
/* The same from a table of results of this model, all at once. */
typedef struct {
  int ncolumn;
  const char *const *name, *const *unit; /* [ncolumn], which last as long as the page; t is first */
  long rows;
  lw_status (*read)(void *context, long row, double to[], lw_error *err);
  void *context;
  const bool *must; /* [rows] those at events */
} page_table;
lw_status page_read(page *p, const lw_model *m, const page_table *t, lw_error *err);
void page_free(page *p);

/* Writes the file.  facts: JSON of the run, or NULL. */
lw_status page_write(page *p, const char *facts, const char *path, lw_error *err);

/* ---- for the Python package: python/collect.h declares these, too ---- */

/* A table of numbers, data[rows][ncolumn], as a file; text: names and then units of the columns.
   The two rows of an event have the same time.  facts: JSON, or NULL; parts: of lw_page_parts_text, or NULL: those of the
   model. */
typedef struct {
  const char *const *text;
  int ncolumn;
  const double *data;
  long rows;
  const char *facts, *parts;
} lw_page_table;
lw_status lw_page_of_table(const lw_model *m, const lw_page_table *x, const char *path,
                           lw_error *err);
/* Joints and constraints of the models that events make during a run.  NULL, false: no memory. */
page_parts *lw_page_parts_new(void);
bool lw_page_parts_note(page_parts *p, const lw_model *m, double t);
char *lw_page_parts_text(const page_parts *p); /* to be freed */
void lw_page_parts_free(page_parts *p);

/* ---- parts of it ---- */

bool page_rows_add(page_rows *r, double t, const double row[], const int column[], int n,
                   bool must);
void page_rows_free(page_rows *r);
/* Which rows to keep so that there are at most `most`, besides those that must be: more where the
   numbers bend more.  keep[n]; returns how many, -1: no memory. */
long page_rows_thin(const page_rows *r, long most, bool keep[]);

/* {"rows": n, "columns": ncell, "of": rows before thinning, "time": ..., "data": ...} with numbers
   as multiples of a step; NaN where there is none.  step[ncell] > 0.  False: no memory. */
bool page_stream(json *j, const char *key, const page_rows *r, const double step[], long most);

bool page_scene_json(json *j, const lw_scene *s); /* false: no memory */
/* Records joints and constraints of the model from t on.  False: no memory. */
bool page_parts_note(page_parts *p, const lw_model *m, double t);
void page_parts_json(json *j, const char *key, const page_parts *p);
void page_parts_free(page_parts *p);

/* The program of report/ up to where the data goes, and the rest; empty: it was not built, because
   ... */
typedef struct {
  const char *head, *tail, *missing;
} page_program;
extern const page_program page_text;

#endif
