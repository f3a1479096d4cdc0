/* SPDX-License-Identifier: Apache-2.0 */
/* dca.c -- creates and frees lw_dca; queries of its plan. */
#include "dca/dca.h"

#include "base/fail.h"

#include <stdlib.h>

/* ---- make and free ---- */

lw_dca *lw_dca_new(const lw_model *m, const lw_dca_options *options, lw_error *err)
{
  const int threads = options ? options->threads : 1;
  const double grain = options ? options->grain : 0;
  if (!m || threads < 0 || threads > 1024 || !(grain >= 0)) {
    lwi_fail(err, LW_E_ARG,
             "divide and conquer: no model, threads not in 0 ... 1024, or grain < 0");
    return NULL;
  }
  lw_dca *d = calloc(1, sizeof *d);
  if (!d) {
    lwi_fail(err, LW_E_MEMORY, "divide and conquer: out of memory");
    return NULL;
  }
  d->m = m;
  d->grain = grain > 0 ? grain : 250000;
  d->code = lwi_dca_kernels_best();
#ifdef LWI_OPENMP
  d->nthread = threads > 1 ? threads : 1;
#else
  d->nthread = 1;
#endif
  if (lwi_dca_plan(d, err) == LW_OK) return d;
  lw_dca_free(d);
  return NULL;
}

void lw_dca_free(lw_dca *d)
{
  if (!d) return;
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
