/* SPDX-License-Identifier: Apache-2.0 */
/* study_data.h -- the data of a study: made in study.c, one case in study_case.c, all of them in study_run.c. */
#ifndef LWI_STUDY_STUDY_DATA_H
#define LWI_STUDY_STUDY_DATA_H
#include "base/team.h"
#include "linkwork/study.h"
#include "study/case_results.h"

#include <stdatomic.h>

struct lw_study {
  lw_spec *spec; /* with objectives for extremes */
  lw_study_options o;
  lw_factor *factor;        /* [nfactor] */
  double *numbers;          /* values of factors, list of cases */
  char **name;              /* [nfactor] */
  char *columns, *runs;     /* what each run has, and where it is kept */
  lwi_case_results results; /* what is kept of each case */
  long cases;
};

/* ---- the cases that are still to be computed: study_run.c ---- */

typedef struct {
  const lw_study *y;
  const lw_study_run_options *o;
  lwi_team *team;
  atomic_long next;
  atomic_bool ended, no_memory, lost; /* lost: a case, for lack of memory */
} lwi_queue;

bool lwi_queue_is_stopped(lwi_queue *k);
/* The next case that is wanted; -1: there is none. */
long lwi_queue_take(lwi_queue *k);
/* Tells the caller, one thread at a time. */
void lwi_queue_report(lwi_queue *k, const lw_case *done);
/* What a thread does until there are no more. */
void lwi_queue_compute(lwi_queue *k);
lw_status lwi_queue_status(lwi_queue *k);

#endif
