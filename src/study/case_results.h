/* SPDX-License-Identifier: Apache-2.0 */
/* case_results.h -- the results of a case, in this order:

     columns at the end of the run
     objectives of the model
     of each extreme E    max.E  max.E.t  min.E  min.E.t    value and time; by objectives that are added to the spec
     of each event V      count.V  first.V  last.V          how often, and when; NaN: it did not happen */
#ifndef LWI_STUDY_CASE_RESULTS_H
#define LWI_STUDY_CASE_RESULTS_H
#include "linkwork/sensitivity.h"

typedef struct {
  char **name; /* [n] of results */
  int n, capacity;
  int ncolumn, nobjective, nextreme, nevent; /* of each kind */
  char **event;                              /* [nevent] their names */
} lwi_case_results;

typedef struct {
  const char *columns, *extremes, *events; /* as in lw_study_options */
} lwi_wanted_results;

/* Names the results, and adds objectives for extremes to the spec. */
lw_status lwi_case_results_init(lwi_case_results *r, lw_spec *s, const lwi_wanted_results *wanted,
                                lw_error *err);
void lwi_case_results_free(lwi_case_results *r);

/* What is gathered during one run. */
typedef struct {
  const lwi_case_results *of;
  double *event; /* [nevent][3] */
} lwi_case_events;
/* None yet; event[3 nevent] will be filled. */
void lwi_case_events_start(lwi_case_events *e, const lwi_case_results *r, double event[]);
/* lw_event_callback, with lwi_case_events as context. */
int lwi_case_events_note(void *context, const lw_event_report *report, bool after);

/* All results at the end of a run, which has the wanted columns. */
lw_status lwi_case_results_collect(const lwi_case_results *r, lw_sensitivity *s,
                                   const double event[], double result[], lw_error *err);

#endif
