/* SPDX-License-Identifier: Apache-2.0 */
/* team.h -- threads that help with one computation, on a machine that may be busy.

   The caller starts to work at once; helpers join in as they wake up and are not waited for if they
   come when all is done.  So a thread that the system does not run holds nobody up, unless it is
   in the middle of its part.  Helpers that find nothing to do sleep after some microseconds; nobody
   waits by spinning for longer than that.

   Work must be written so that any number of the team's threads can do it: threads take parts from
   a common counter, or the like.  Results must not depend on who takes which. */
#ifndef LWI_BASE_TEAM_H
#define LWI_BASE_TEAM_H
#include <stdbool.h>

typedef struct lwi_team lwi_team; /* NULL: the caller alone */

/* thread: 0 is the caller, helpers are 1 ... nthread - 1 */
typedef void lwi_team_work(void *context, int thread);

/* Are there threads in this build? */
bool lwi_team_exists(void);
/* NULL: nthread < 2, or the system gives neither memory nor threads. */
lwi_team *lwi_team_new(int nthread);
void lwi_team_free(lwi_team *t);
int lwi_team_size(const lwi_team *t); /* threads, the caller included */

/* Returns when the caller's work has returned and no helper is at work any more; what they have
   written can then be read.  One caller at a time. */
void lwi_team_run(lwi_team *t, lwi_team_work *work, void *context);

/* What only one of them may do at a time. */
void lwi_team_lock(lwi_team *t);
void lwi_team_unlock(lwi_team *t);

/* Does the team pay?  Measures the same computation with the team and by the caller alone, every
   now and then, and uses what was faster: where other programs keep the processors busy, that is
   the caller alone. */
typedef struct {
  bool alone, trial;            /* what was faster; the other is tried now */
  int calls;                    /* of this window */
  int windows, stay;            /* until the next trial; how many there are between trials */
  double began, spent, time[2]; /* s; of the present window, of the last ones: team, alone */
} lwi_pace;

lwi_team *lwi_pace_begin(lwi_pace *p, lwi_team *t); /* t, or NULL: alone */
void lwi_pace_end(lwi_pace *p, const lwi_team *t);  /* t as given to begin */

#endif
