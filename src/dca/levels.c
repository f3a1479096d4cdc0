/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c -- the assembly tree level by level: assemblies whose insides are ready can be computed
   at the same time.  What each level costs by count, and how long it takes. */
#include "dca/dca.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

lw_status lwi_dca_count_levels(lw_dca *d, const int rows[])
{
  const lwi_assembly_tree *t = d->tree;
  d->level = LWI_TAKE(&d->arena, d->cost.depth + 1, lw_dca_level);
  if (!d->level) return LW_E_MEMORY;
  for (int i = 0; i < t->nassembly; i++) {
    const lwi_assembly *a = &t->assembly[i];
    lw_dca_level *level = &d->level[a->level];
    const double work = lwi_assembly_work(t, i, a->edge < 0 ? 0 : rows[a->edge]);
    level->assemblies++;
    level->operations += work;
    if (work > level->longest) level->longest = work;
    if (a->nhandle > level->widest) level->widest = a->nhandle;
  }
  return LW_OK;
}

int lw_dca_nlevel(const lw_dca *d)
{
  return d && d->nbody + d->tree->nassembly > 0 ? d->cost.depth + 1 : 0;
}

lw_dca_level lw_dca_get_level(const lw_dca *d, int level)
{
  return level >= 0 && level < lw_dca_nlevel(d) ? d->level[level] : (lw_dca_level){0};
}

/* ---- time ---- */

/* seconds of this hour, so that nanoseconds are not rounded away */
static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)(t.tv_sec % 3600) + 1e-9 * (double)t.tv_nsec;
}

/* Seconds between two looks at the clock. */
static double clock_cost(void)
{
  double least = 1;
  for (int k = 0; k < 100; k++) {
    const double start = now(), passed = now() - start;
    if (passed >= 0 && passed < least) least = passed;
  }
  return least;
}

/* Adds the time since *last to the level of a step. */
static void stamp(const lw_dca *d, int step, double clock, double *last, double seconds[])
{
  const double t = now(), passed = t - *last - clock;
  if (passed > 0) seconds[d->tree->assembly[step].level] += passed;
  *last = now();
}

/* One pass inward and outward at the state that is placed, step by step in the order of solve.c. */
static lw_status time_steps(lw_dca *d, double clock, double seconds[])
{
  lw_status worst = LW_OK;
  double last = now();
  d->pass = LWI_DCA_FORWARD;
  for (int b = 0; b < d->nblock; b++)
    for (int i = d->block[b].first; i <= d->block[b].last; i++) {
      const lw_status status = d->code->assemble(d, i, i, d->scratch[0]);
      worst = status > worst ? status : worst;
      stamp(d, i, clock, &last, seconds);
    }
  for (int k = 0; k < d->nouter; k++) {
    const lw_status status = d->code->assemble(d, d->outer[k], d->outer[k], d->scratch[0]);
    worst = status > worst ? status : worst;
    stamp(d, d->outer[k], clock, &last, seconds);
  }
  for (int k = d->nouter - 1; k >= 0; k--) {
    d->code->disassemble(d, d->outer[k], d->outer[k]);
    stamp(d, d->outer[k], clock, &last, seconds);
  }
  for (int b = d->nblock - 1; b >= 0; b--)
    for (int i = d->block[b].last; i >= d->block[b].first; i--) {
      d->code->disassemble(d, i, i);
      stamp(d, i, clock, &last, seconds);
    }
  return worst;
}

lw_status lw_dca_measure(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                         int times, double seconds[])
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || !lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !u) || times < 1 || !seconds)
    return LW_E_ARG;
  if (d->requested.plan_only) return LW_E_STAGE;
  const int n = lw_dca_nlevel(d);
  double *one = malloc(((size_t)n + 1) * sizeof *one);
  if (!one) return LW_E_MEMORY;
  lw_status status = lwi_dca_forward(d, w, t, q, u, NULL, 0);
  const double clock = clock_cost();
  double least = HUGE_VAL;
  for (int k = 0; k < times && status == LW_OK; k++) {
    double sum = 0;
    memset(one, 0, (size_t)n * sizeof *one);
    status = time_steps(d, clock, one);
    for (int i = 0; i < n; i++)
      sum += one[i];
    if (!(sum < least)) continue;
    least = sum;
    memcpy(seconds, one, (size_t)n * sizeof *seconds);
  }
  if (status == LW_OK) status = lwi_dca_forward(d, w, t, q, u, NULL, 0); /* results as they were */
  free(one);
  return status;
}
