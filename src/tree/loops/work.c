/* SPDX-License-Identifier: Apache-2.0 */
/* work.c -- creates and frees works.  Each is one zeroed block, measured and divided by the same
   function. */
#include "tree/loops/work.h"
#include "model/model.h"
#include "tree/loops/closure.h"
#include "linkwork/batch.h"
#include "linkwork/realtime.h"

#include <stdlib.h>
#include <string.h>

static lw_work *work_carve(const lw_model *m, const lwi_kernels *k, lwi_carver *c)
{
  lw_work *at = LWI_CARVE(c, 1, lw_work);
  const int lanes = k->lanes;
  const lw_work w = {
      .kernels = k,
      .tree = k->carve(m, c),
      .q = LWI_CARVE(c, m->nq * lanes, double),
      .u = LWI_CARVE(c, m->nu * lanes, double),
      .in = LWI_CARVE(c, m->nu * lanes, double),
      .out = LWI_CARVE(c, m->nu * lanes, double),
      .step = LWI_CARVE(c, 5 * (m->nq + m->nu), double),
      .closure = lwi_closure_carve(m, c),
      .residual = LWI_CARVE(c, 2 * m->nu * lanes + m->nu + 2 * m->nlink, double),
  };
  if (at) *at = w;
  return at;
}

static size_t measure(const lw_model *m, const lwi_kernels *k)
{
  lwi_carver c = {0};
  work_carve(m, k, &c);
  return (c.used + 63) & ~(size_t)63;
}

static lw_work *place(const lw_model *m, const lwi_kernels *k, void *mem, size_t size)
{
  lwi_carver c = {.base = mem};
  memset(mem, 0, size);
  lw_work *w = work_carve(m, k, &c);
  w->m = m;
  w->model = m->id;
  k->prepare(m, w->tree);
  lwi_closure_start(m, w);
  return w;
}

size_t lw_work_size(const lw_model *m)
{
  return m ? measure(m, lwi_kernels_single()) : 0;
}

lw_work *lw_work_init(const lw_model *m, void *mem, size_t size)
{
  if (!m || !mem || (uintptr_t)mem % 64 != 0) return NULL;
  const size_t need = lw_work_size(m);
  return size < need ? NULL : place(m, lwi_kernels_single(), mem, need);
}

lw_work *lwi_work_new_with(const lw_model *m, const lwi_kernels *k)
{
  if (!m) return NULL;
  const size_t size = measure(m, k);
  void *mem = aligned_alloc(64, size);
  if (!mem) return NULL;
  lw_work *w = place(m, k, mem, size);
  w->block = mem;
  return w;
}

lw_work *lw_work_new(const lw_model *m)
{
  return lwi_work_new_with(m, lwi_kernels_single());
}

lw_work *lw_work_new_batch(const lw_model *m)
{
  /* closed loops use the recursion with one state at a time */
  return lwi_work_new_with(m,
                           m && lwi_is_constrained(m) ? lwi_kernels_single() : lwi_kernels_batch());
}

int lw_work_lanes(const lw_work *w)
{
  return w ? w->kernels->lanes : 0;
}

void lw_work_free(lw_work *w)
{
  if (w) free(w->block);
}

static void copy_part(const lw_work *from, lw_work *w, lwi_tree_part part, int n)
{
  if (n > 0)
    memcpy(w->kernels->part(w->tree, part), from->kernels->part(from->tree, part),
           (size_t)n * sizeof(double));
}

void lwi_work_follow_turns(const lw_model *m, const lw_work *from, lw_work *w)
{
  copy_part(from, w, LWI_CUT_Q, m->ncut_q);
  copy_part(from, w, LWI_WOUND, m->ntorsion);
}

void lwi_work_follow(const lw_model *m, const lw_work *from, lw_work *w)
{
  lwi_work_follow_turns(m, from, w);
  if (w->closure)
    memcpy(w->closure->start, from->closure->start, (size_t)(m->nconstraint + 1) * sizeof(double));
}

void lwi_work_unwind(const lw_model *m, lw_work *w)
{
  double *wound = w->kernels->part(w->tree, LWI_WOUND);
  for (int i = 0; i < m->ntorsion; i++)
    wound[i] = m->torsion[i].wound;
}

double *lwi_work_step_scratch(const lw_model *m, lw_work *w)
{
  (void)m;
  return w->step;
}
