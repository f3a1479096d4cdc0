/* SPDX-License-Identifier: Apache-2.0 */
/* study_run.c -- all cases of a study, several at a time. */
#include "study/study_data.h"

#include <stdlib.h>

bool lwi_queue_is_stopped(lwi_queue *k)
{
  return atomic_load(&k->ended) || (k->o->stop && *k->o->stop);
}

long lwi_queue_take(lwi_queue *k)
{
  while (!lwi_queue_is_stopped(k)) {
    const long i = atomic_fetch_add(&k->next, 1);
    if (i >= k->y->cases) return -1;
    if (!k->o->wanted || k->o->wanted(k->o->context, i)) return i;
  }
  return -1;
}

void lwi_queue_report(lwi_queue *k, const lw_case *done)
{
  lwi_team_lock(k->team);
  if (k->o->on_case && k->o->on_case(k->o->context, done)) atomic_store(&k->ended, true);
  lwi_team_unlock(k->team);
}

void lwi_queue_compute(lwi_queue *k)
{
  const lw_study *y = k->y;
  const int nfactor = y->o.design.nfactor;
  double *value = malloc((size_t)(nfactor + y->results.n) * sizeof *value);
  lw_computed_case c = {.value = value, .result = value + nfactor, .stop = k->o->stop};
  if (!value) atomic_store(&k->no_memory, true);
  for (long i; value && (i = lwi_queue_take(k)) >= 0;) {
    const lw_status status = lw_study_compute(y, i, &c);
    if (status == LW_E_STOPPED) break; /* it is not known how it would have ended */
    if (status == LW_E_MEMORY) {       /* nor is it here: the machine failed */
      atomic_store(&k->lost, true);
      atomic_store(&k->ended, true);
      break;
    }
    lwi_queue_report(k, &(lw_case){i, c.value, c.result, c.t, &c.err});
  }
  free(value);
}

lw_status lwi_queue_status(lwi_queue *k)
{
  if (atomic_load(&k->lost)) return LW_E_MEMORY;
  if (atomic_load(&k->no_memory) && atomic_load(&k->next) < k->y->cases) return LW_E_MEMORY;
  return lwi_queue_is_stopped(k) ? LW_E_STOPPED : LW_OK;
}

static void work(void *context, int thread)
{
  (void)thread;
  lwi_queue_compute(context);
}

lw_status lw_study_run(const lw_study *y, const lw_study_run_options *options)
{
  if (!y || !options || options->threads < 0 || options->threads > 1024) return LW_E_ARG;
  lwi_queue k = {.y = y, .o = options};
  k.team = lwi_team_new(options->threads);
  lwi_team_run(k.team, work, &k);
  lwi_team_free(k.team);
  return lwi_queue_status(&k);
}
