/* SPDX-License-Identifier: Apache-2.0 */
/* dca.c -- creates and frees lw_dca; queries of its plan. */
#include "dca/dca.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- strategies ---- */

static const struct {
  const char *name, *text;
} strategies[] = {
#define LW_ASSEMBLY_ROW(value, name, what) [value] = {name, what},
    LW_ASSEMBLY_LIST(LW_ASSEMBLY_ROW)};

static bool is_strategy(lw_assembly_strategy s)
{
  return (int)s >= 0 && s < LW_ASSEMBLY_STRATEGIES;
}

const char *lw_assembly_strategy_name(lw_assembly_strategy s)
{
  return is_strategy(s) ? strategies[s].name : NULL;
}

const char *lw_assembly_strategy_text(lw_assembly_strategy s)
{
  return is_strategy(s) ? strategies[s].text : NULL;
}

lw_assembly_strategy lw_find_assembly_strategy(const char *name)
{
  int i = 0;
  while (i < LW_ASSEMBLY_STRATEGIES && !(name && strcmp(name, strategies[i].name) == 0))
    i++;
  return (lw_assembly_strategy)i;
}

static bool is_wish(const lw_dca_options *o)
{
  return is_strategy(o->strategy) && o->norder >= 0 && (o->norder == 0 || o->order);
}

/* ---- make and free ---- */

lw_dca *lw_dca_new(const lw_model *m, const lw_dca_options *options, lw_error *err)
{
  const int threads = options ? options->threads : 1;
  const double grain = options ? options->grain : 0;
  if (!m || threads < 0 || threads > 1024 || !(grain >= 0) || (options && !is_wish(options))) {
    lwi_fail(err, LW_E_ARG,
             "divide and conquer: no model, threads not in 0 ... 1024, grain < 0, or no such order "
             "of assembly");
    return NULL;
  }
  lw_dca *d = calloc(1, sizeof *d);
  if (!d) {
    lwi_fail(err, LW_E_MEMORY, "divide and conquer: out of memory");
    return NULL;
  }
  d->m = m;
  if (options) d->requested = *options;
  d->grain = grain > 0 ? grain : 250000;
  d->code = lwi_dca_kernels_best();
  d->nthread = threads > 1 && !d->requested.plan_only && lwi_team_exists() ? threads : 1;
  const lw_status status = lwi_dca_plan(d, err);
  d->requested.order = NULL; /* the caller's */
  if (status == LW_OK) {
    d->team = lwi_team_new(d->nthread); /* as many as the plan has found to be worth it */
    return d;
  }
  lw_dca_free(d);
  return NULL;
}

void lw_dca_free(lw_dca *d)
{
  if (!d) return;
  lwi_team_free(d->team);
  lwi_assembly_tree_free(d->tree);
  lwi_arena_free(&d->arena);
  free(d);
}

lw_dca_info lw_dca_get_info(const lw_dca *d)
{
  if (!d) return (lw_dca_info){0};
  return (lw_dca_info){d->cost.depth, d->cost.widest, d->cost.operations, d->cost.critical};
}

double lw_dca_speed_up(const lw_dca *d, int p)
{
  return d ? lwi_assembly_speed_up(&d->cost, p) : 0;
}
