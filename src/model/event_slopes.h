/* SPDX-License-Identifier: Apache-2.0 */
/* event_slopes.h -- how the numbers of an event follow parameters. */
#ifndef LWI_MODEL_EVENT_SLOPES_H
#define LWI_MODEL_EVENT_SLOPES_H
#include "model/model.h"

/* derivatives of what lw_event_desc calls so; zero: it is not given */
typedef struct {
  double at, restitution;
  double point[3], linear[3], angular[3], normal[3];
} lwi_event_slopes;

/* Of event `number` of a model that knows its spec, when its parameters change by parameter1.  false: out of
   memory. */
bool lwi_event_slopes_of(const lw_model *m, int number, const double parameter1[],
                         lwi_event_slopes *out);

#endif
