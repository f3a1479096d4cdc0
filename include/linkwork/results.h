/* SPDX-License-Identifier: Apache-2.0 */
/* results.h -- files of results: columns, events, and the model and options that they are of.
   docs/results.md describes the file, which is HDF5; tables in CSV are read as well. */
#ifndef LINKWORK_RESULTS_H
#define LINKWORK_RESULTS_H
#include "linkwork/file.h"
#include "linkwork/reader.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_results lw_results;

/* Opens a file of results, also one that is still being written or whose writer was killed;
   lw_results_refresh looks for further rows, of a file that is open once in the process.  Texts and
   lists belong to it and are valid until it is refreshed or freed.  One thread at a time uses HDF5.
   Returns NULL on failure; err says why. */
LW_API lw_results *lw_results_open(const char *path, lw_error *err);
LW_API void lw_results_free(lw_results *r);
LW_API lw_status lw_results_refresh(lw_results *r, lw_error *err);

/* ---- columns ---- */

LW_API long lw_results_rows(const lw_results *r);
LW_API int lw_results_columns(const lw_results *r);
LW_API const char *lw_results_name(const lw_results *r, int column); /* from 0 */
LW_API const char *lw_results_unit(const lw_results *r, int column); /* as lw_columns_unit */
LW_API int lw_results_find(const lw_results *r, const char *name);   /* -1: there is none */
/* Reads n rows of one column, or of all: rows[n][columns].  NaN: the column does not exist at that
   time. */
LW_API lw_status lw_results_read(lw_results *r, int column, long first, long n, double x[],
                                 lw_error *err);
LW_API lw_status lw_results_read_rows(lw_results *r, long first, long n, double rows[],
                                      lw_error *err);

/* Which columns, by names and patterns as for lw_columns_new (NULL: all), in the order of the file:
   chosen[columns] is true.  A pattern that matches nothing is an error; err names the nearest
   column. */
LW_API lw_status lw_results_select(const lw_results *r, const char *patterns, bool chosen[],
                                   lw_error *err);
/* Writes a part of the results to another file, in the format of its name: HDF5 with all facts and
   the events in that time, CSV or JSON lines.  Of the rows from `from` to `to` every n-th, those at
   events, and the last. */
typedef struct {
  const bool *columns; /* [columns] as chosen above; NULL: all */
  double from, to;     /* both 0: all times */
  long every;          /* 0: 1 */
} lw_results_part;
LW_API lw_status lw_results_save(lw_results *r, const char *path, const lw_results_part *part,
                                 long *rows, lw_error *err);

/* Draws columns over time, one panel for each unit, with the events: FILE.pdf, or SVG. */
LW_API lw_status lw_results_plot(lw_results *r, const int columns[], int n, const char *path,
                                 lw_error *err);

/* ---- the run ---- */

typedef enum {
  LW_RUN_UNFINISHED, /* it goes on, or was killed */
  LW_RUN_COMPLETE,
  LW_RUN_STOPPED /* interrupted, or failed: the message says why */
} lw_run_state;
typedef struct {
  lw_run_state state;
  const char *message;
  double time; /* reached */
  double wall_time;
  lw_simulation_statistics statistics;
} lw_run_status;
LW_API lw_run_status lw_results_status(const lw_results *r);

/* Options and other facts by name: "name", "created", "program", "end", "rtol", "formulation", ...;
   NULL: there is none. */
LW_API const char *lw_results_fact(const lw_results *r, const char *name);
LW_API int lw_results_nfact(const lw_results *r);
LW_API const char *lw_results_fact_name(const lw_results *r, int i); /* from 0 */

LW_API int lw_results_nparameter(const lw_results *r);
LW_API const char *lw_results_parameter(const lw_results *r, int i, double *value); /* from 0 */
LW_API int lw_results_nargument(const lw_results *r);
LW_API const char *lw_results_argument(const lw_results *r, int i); /* from 0 */
/* The files of the model as they were: for lw_load_options.sources, which then reads them instead
   of those on the disk.  Empty: not known. */
LW_API lw_sources *lw_results_sources(lw_results *r);

/* ---- events ---- */

/* Simultaneous ones have the same instant, from 0. */
typedef struct {
  long instant, row; /* the row just before it; the next one is just after it */
  double time;
  const char *name;
  bool stops;      /* the run ends there */
  bool transition; /* the model changes: joints, locks, resting contacts */
  double kinetic_before, kinetic_after, jump_energy; /* as lw_event_report */
} lw_result_event;
typedef struct {
  long instant;
  const char *name; /* of the event, contact, rope or limit */
  double impulse;   /* N s, or along the freedom of a limit */
} lw_result_hit;
typedef enum { LW_IMPULSE_JOINT, LW_IMPULSE_CONSTRAINT, LW_IMPULSE_RELATION } lw_impulse_kind;
typedef struct {
  long instant;
  lw_impulse_kind kind;
  const char *name;
  double
      impulse[6]; /* [torque; force] as lw_event_report; of a relation its multiplier comes first */
} lw_result_impulse;
LW_API int lw_results_nevent(const lw_results *r);
LW_API lw_result_event lw_results_event(const lw_results *r,
                                        int i); /* from 0, in the order of time */
LW_API int lw_results_nhit(const lw_results *r);
LW_API lw_result_hit lw_results_hit(const lw_results *r, int i);
/* The models that events made during the run, in the order of time, from m, the model of its start: each(context, time, model), where
   the model lives until each returns; a status other than LW_OK ends the search with it.  Runs with events that a program raised, and
   very long ones, hold the first ones only. */
typedef lw_status (*lw_phase_callback)(void *context, double t, const lw_model *model);
LW_API lw_status lw_results_phases(const lw_results *r, const lw_model *m, lw_phase_callback each,
                                   void *context, lw_error *err);
LW_API int lw_results_nimpulse(const lw_results *r); /* those that are not zero */
LW_API lw_result_impulse lw_results_impulse(const lw_results *r, int i);

/* ---- tables of cases, of a sweep ---- */

typedef struct {
  const char *name, *text;
} lw_fact;

typedef struct {
  const char *const *names; /* [n] of columns */
  int n;
  long rows;
  const double *number;                       /* [rows][n] */
  const char *const *status, *const *message; /* [rows] "ok" or the name of an lw_status; and why */
  const lw_model *model;
  const lw_run_record *record; /* NULL: not known */
  const lw_fact *fact;         /* [nfact] the design, ... */
  int nfact;
} lw_case_table;
/* Writes it to FILE.h5. */
LW_API lw_status lw_results_save_cases(const lw_case_table *t, const char *path, lw_error *err);

/* Of such a table: how the case of a row ended; NULL: the rows are no cases. */
LW_API const char *lw_results_case_status(const lw_results *r, long row); /* from 0 */
LW_API const char *lw_results_case_message(const lw_results *r, long row);
LW_API bool lw_results_has_cases(const lw_results *r);

#ifdef __cplusplus
}
#endif
#endif
