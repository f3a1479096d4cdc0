/* SPDX-License-Identifier: Apache-2.0 */
/* barrier.h -- static equilibrium within a region: what limits and contacts leave free. */
#ifndef LWI_ANALYSIS_BARRIER_H
#define LWI_ANALYSIS_BARRIER_H
#include "linkwork/analysis.h"

/* distance: how far the coordinates are from the border of the region, negative outside. */
typedef struct {
  double (*distance)(void *context, const double q[]);
  void *context;
} lwi_barrier;

/* As lw_equilibrium; *blocked: the search has ended at the border, where it does not balance.  barrier NULL: none. */
lw_status lwi_equilibrium_within(lw_work *w, double t, double q[], const lwi_barrier *barrier,
                                 const lw_equilibrium_options *options, lw_equilibrium_report *out,
                                 bool *blocked, lw_error *err);

#endif
