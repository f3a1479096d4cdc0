/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c -- once per model: subtrees of the assembly tree that one thread computes together,
   their order, and where mobilities are stored. */
#include "dca/dca.h"

#include <stdlib.h>

#define TAKE(d, n, type) LWI_TAKE(&(d)->arena, n, type)

/* most multiplications of a block: its data, about 0.4 bytes for each, stays in the cache of a
   core */
static const double CACHED = 500000;

/* ---- subtrees that one thread computes ---- */

/* operations of each assembly including all inside it */
static void sum_work(const lw_dca *d, double *work)
{
  for (int i = 0; i < d->nstep; i++) {
    const lwi_dca_step *s = &d->step[i];
    work[i] = lwi_assembly_work(d->tree, i, s->edge < 0 ? 0 : d->edge[s->edge].m);
    if (s->left >= 0) work[i] += work[s->left];
    if (s->right >= 0) work[i] += work[s->right];
  }
}

/* Whole subtrees of at most `grain` operations, neighbours together, become blocks; the rest is
   outside. */
static void cut_blocks(lw_dca *d, const double *work, double grain)
{
  double filled = 0;
  bool open = false;
  for (int i = 0; i < d->nstep; i++) {
    const lwi_assembly *a = &d->tree->assembly[i];
    if (work[i] > grain && a->kind != LWI_ASSEMBLY_LEAF) {
      d->outer[d->nouter++] = i;
      d->step[i].shared = true;
      open = false;
      continue;
    }
    if (a->parent >= 0 && work[a->parent] <= grain) continue; /* inside a subtree */
    d->step[i].shared = a->parent >= 0;
    if (!open || filled + work[i] > grain) {
      d->block[d->nblock++].first = a->first;
      filled = 0;
    }
    open = true;
    filled += work[i];
    d->block[d->nblock - 1].last = i;
  }
}

/* the last link that a block needs: its links and, because of the loads of their joints, their
   children */
static int find_reach(const lw_dca *d, const lwi_dca_block *b)
{
  int reach = 0;
  for (int i = b->first; i <= b->last; i++) {
    const int link = d->step[i].link;
    if (d->step[i].kind != LWI_ASSEMBLY_LEAF) continue;
    const int end = d->child_start[link + 1];
    const int last = end > d->child_start[link] ? d->child[end - 1] : link;
    if (last > reach) reach = last;
  }
  return reach;
}

static int compare_reach(const void *a, const void *b)
{
  const lwi_dca_block *x = a, *y = b;
  return x->reach != y->reach ? (x->reach > y->reach) - (x->reach < y->reach)
                              : (x->first > y->first) - (x->first < y->first);
}

static int compare_pairs(const void *a, const void *b)
{
  const lwi_dca_pair *x = a, *y = b;
  return x->reach != y->reach ? (x->reach > y->reach) - (x->reach < y->reach)
                              : (x->pair > y->pair) - (x->pair < y->pair);
}

static void sort_pairs(lw_dca *d)
{
  const lw_model *m = d->m;
  for (int k = 0; k < m->npair; k++) {
    const int *link = m->pair[k].link;
    d->pair[k] = (lwi_dca_pair){.reach = link[0] > link[1] ? link[0] : link[1], .pair = k};
  }
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut) d->pair[m->joint[i].pair].joint = i;
  qsort(d->pair, (size_t)m->npair, sizeof *d->pair, compare_pairs);
}

lw_status lwi_dca_make_blocks(lw_dca *d, lw_error *err)
{
  lwi_arena scratch = {0};
  double *work = LWI_TAKE(&scratch, d->nstep, double), all = 0;
  d->block = TAKE(d, d->nstep, lwi_dca_block);
  d->outer = TAKE(d, d->nstep, int);
  d->waiting = TAKE(d, d->nstep, atomic_int);
  d->taken = TAKE(d, d->nstep, atomic_int);
  d->owner = TAKE(d, d->nstep, int);
  d->free_link = TAKE(d, d->m->nlink, int);
  d->pair = TAKE(d, d->m->npair, lwi_dca_pair);
  const bool allocated =
      work && d->block && d->outer && d->waiting && d->taken && d->owner && d->free_link && d->pair;
  if (allocated) {
    sum_work(d, work);
    for (int k = 0; k < d->tree->nroot; k++)
      all += work[d->tree->root[k]];
    const double worth = all / d->grain; /* threads that are worth starting */
    if (worth < d->nthread) d->nthread = worth < 1 ? 1 : (int)worth;
    /* several blocks per thread, so that no thread waits long for the last block */
    cut_blocks(d, work, d->nthread == 1 ? CACHED : fmin(CACHED, all / (16.0 * d->nthread)));
    for (int b = 0; b < d->nblock; b++)
      d->block[b].reach = find_reach(d, &d->block[b]);
    qsort(d->block, (size_t)d->nblock, sizeof *d->block, compare_reach);
    for (int i = 1; i < d->m->nlink; i++) /* links whose joints are not edges */
      if (d->m->link[i].nu > 0 && d->joint_edge[d->m->link[i].joint] < 0)
        d->free_link[d->nfree++] = i;
    sort_pairs(d);
  }
  lwi_arena_free(&scratch);
  return allocated ? LW_OK : lwi_dca_no_memory(err);
}

/* ---- storage of mobilities ---- */

static size_t mobility_size(int n)
{
  return (size_t)n * (size_t)n * LWI_BLOCK + (size_t)n * LWI_ROW;
}

/* places in use, lowest first */
typedef struct {
  struct {
    size_t at, size;
    int step;
  } * item;
  int n;
  size_t most;
} gap_list;

/* the lowest gap that is large enough */
static size_t take_gap(gap_list *r, size_t size, int step)
{
  size_t at = 0;
  int k = 0;
  for (; k < r->n && r->item[k].at < at + size; k++)
    at = r->item[k].at + r->item[k].size;
  for (int i = r->n++; i > k; i--)
    r->item[i] = r->item[i - 1];
  r->item[k].at = at;
  r->item[k].size = size;
  r->item[k].step = step;
  if (at + size > r->most) r->most = at + size;
  return at;
}

static void free_gap(gap_list *r, int step)
{
  int n = 0;
  for (int k = 0; k < r->n; k++)
    if (r->item[k].step != step) r->item[n++] = r->item[k];
  r->n = n;
}

/* Inside a block a mobility is kept until the next assembly has used it; shared ones are kept for
   good. */
static void place_mobilities(lw_dca *d, gap_list *storage, size_t *shared)
{
  *shared = 0;
  for (int i = 0; i < d->nstep; i++)
    if (d->step[i].shared) {
      d->step[i].at = *shared;
      *shared += mobility_size(d->step[i].nout);
    }
  for (int b = 0; b < d->nblock; b++) {
    storage->n = 0;
    for (int i = d->block[b].first; i <= d->block[b].last; i++) {
      lwi_dca_step *s = &d->step[i];
      if (!s->shared && s->nout > 0) s->at = take_gap(storage, mobility_size(s->nout), i);
      if (s->left >= 0) free_gap(storage, s->left);
      if (s->right >= 0) free_gap(storage, s->right);
    }
  }
}

lw_status lwi_dca_make_scratch(lw_dca *d, lw_error *err)
{
  lwi_arena scratch = {0};
  gap_list storage = {
      .item = lwi_arena_take(&scratch, (size_t)d->cost.depth + 4, sizeof *storage.item)};
  size_t shared;
  int most = 0; /* inner handles */
  if (!storage.item) return lwi_dca_no_memory(err);
  place_mobilities(d, &storage, &shared);
  lwi_arena_free(&scratch);
  for (int i = 0; i < d->nstep; i++)
    if (d->step[i].nleft + d->step[i].nright > most) most = d->step[i].nleft + d->step[i].nright;
  d->rows_at = storage.most;
  d->scratch_size = storage.most + (size_t)most * LWI_BLOCK;
  d->shared = TAKE(d, shared, double);
  d->scratch = TAKE(d, d->nthread, double *);
  if (!d->shared || !d->scratch) return lwi_dca_no_memory(err);
  for (int k = 0; k < d->nthread; k++)
    if (!(d->scratch[k] = TAKE(d, d->scratch_size + 64, double))) return lwi_dca_no_memory(err);
  return LW_OK;
}
