/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.h -- redundant equations in words: who presses against whom, and what to do. */
#ifndef CLI_REDUNDANCY_H
#define CLI_REDUNDANCY_H
#include "linkwork/redundancy.h"
#include "verbs.h"

/* What is known of the redundancy of a model at a configuration. */
typedef struct {
  const lw_model *m;
  lw_redundancy *r; /* NULL: it could not be found, ... */
  lw_error why;     /* ... for this reason */
  bool singular;    /* the configuration is singular: nothing is proposed */
  char **text;      /* sentences: one per group, the proposal, one per free motion */
  char *lines;      /* all of them, and loads of parts, a line each */
} redundancy;

/* At q, or at the assembled start (q NULL).  LW_E_MEMORY: out of memory. */
lw_status redundancy_find(redundancy *x, const lw_model *m, double t, const double q[],
                          bool singular);
void redundancy_free(redundancy *x);
/* Anything to say? */
bool redundancy_matters(const redundancy *x);
/* Lines on stdout: the first begins with `first`, the others with `next`. */
void redundancy_print(const redundancy *x, const char *first, const char *next);
void redundancy_json(json *j, const redundancy *x);

#endif
