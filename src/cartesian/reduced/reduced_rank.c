/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_rank.c -- factors of a reduced matrix that is only semidefinite: rows that depend on
   others are found and left out, as src/linalg/envelope.h does it.  Among the rows of a front the
   one with the largest remaining pivot, relative to its own diagonal, comes first; rows whose
   remaining pivots are all but zero are dropped: their multipliers are zero.  Slower than
   reduced_kernels.c, and on larger fronts, so that there is a choice; small systems are one
   front. */
#include "cartesian/reduced/reduced.h"

#include <math.h>
#include <string.h>

static const double all_but_zero = 1e-14;

typedef struct {
  lwi_reduced_work *w;
  const lwi_front *f;
  double *panel, *own;
  int *rows;
  const bool *turns; /* [nrow] the row is between angles alone */
  double dependent;  /* rows whose remaining pivots are below this part of their diagonals */
  double largest[2]; /* diagonal of B, of rows with lengths and of those without: units differ */
} front_work;

/* entry (r, c) of the front, r >= c; row h is the right side */
static double *at(const front_work *x, int r, int c)
{
  const lwi_front *f = x->f;
  return c < f->w ? x->panel + (size_t)c * (size_t)f->ld + r
                  : x->w->rest + f->rest + (size_t)(c - f->w) * (size_t)f->ldr + (r - f->base);
}

static void swap(double *a, double *b)
{
  const double t = *a;
  *a = *b;
  *b = t;
}

/* rows and columns k < i of the front */
static void exchange(front_work *x, int k, int i)
{
  if (i == k) return;
  for (int c = 0; c < k; c++)
    swap(at(x, k, c), at(x, i, c));
  for (int m = k + 1; m < i; m++)
    swap(at(x, m, k), at(x, i, m));
  swap(at(x, k, k), at(x, i, i));
  for (int r = i + 1; r <= x->f->h; r++)
    swap(at(x, r, k), at(x, r, i));
  swap(&x->own[k], &x->own[i]);
  const int t = x->rows[k];
  x->rows[k] = x->rows[i];
  x->rows[i] = t;
}

/* -1: none is large enough */
static int find_pivot(const front_work *x, int k)
{
  int best = -1;
  double ratio = x->dependent;
  for (int i = k; i < x->f->w; i++) {
    const double d = *at(x, i, i);
    const double largest = x->largest[x->turns[x->rows[i]]];
    if (x->own[i] > all_but_zero * largest && d > ratio * x->own[i]) {
      best = i;
      ratio = d / x->own[i];
    }
  }
  return best;
}

static void eliminate(front_work *x, int k)
{
  const int h = x->f->h;
  double *const S = x->panel + (size_t)k * (size_t)x->f->ld, *const V = x->w->column;
  const double minus = -1 / S[k];
  memcpy(V, S, ((size_t)h + 1) * sizeof *V);
  for (int r = k; r <= h; r++)
    S[r] = V[r] * minus;
  for (int c = k + 1; c < h; c++)
    for (int r = c; r <= h; r++)
      *at(x, r, c) += V[r] * S[c];
  x->w->inverse[x->f->pivot + k] = -minus;
  x->w->kept[x->rows[k]] = true;
  x->w->rank++;
}

static void factor_front(front_work *x)
{
  const lwi_front *f = x->f;
  for (int k = 0; k < f->w; k++) {
    const int best = find_pivot(x, k);
    if (best < 0) { /* the rows that are left depend on others */
      for (int r = k; r <= f->h; r++)
        *at(x, r, k) = 0;
      x->w->inverse[f->pivot + k] = 0;
      x->w->kept[x->rows[k]] = false;
      continue;
    }
    exchange(x, k, best);
    eliminate(x, k);
  }
}

/* Rows without lengths, and the diagonal of B. */
static void examine_rows(const lwi_reduced_plan *p, const lwi_reduced_work *w,
                         const lwi_descriptor_values *v, double *diagonal, bool *turns)
{
  const int turning = p->width == 6 ? 3 : 1;
  memset(diagonal, 0, (size_t)p->nrow * sizeof *diagonal);
  memset(turns, 1, (size_t)p->nrow * sizeof *turns);
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    for (int r = 0; r < b->rows && b->y != ~0u; r++)
      for (int k = 0; k < p->width; k++) {
        const double phi = v->jacobian[b->phi + (unsigned)(r * p->width + k)];
        diagonal[b->row + r] += w->y[b->y + (unsigned)(k * b->rows + r)] * phi;
        if (k >= turning && phi != 0) turns[b->row + r] = false;
      }
  }
}

bool lwi_reduced_factor_rank(const lwi_reduced_kernels *kernels, const lwi_reduced_plan *p,
                             lwi_reduced_work *w, const lwi_descriptor_values *v, double dependent)
{
  kernels->prepare(p, w, v);
  front_work x = {.w = w, .turns = w->turns, .dependent = dependent};
  examine_rows(p, w, v, w->own, w->turns);
  for (int r = 0; r < p->nrow; r++)
    x.largest[w->turns[r]] = fmax(x.largest[w->turns[r]], w->own[r]);
  w->rank = 0;
  memcpy(w->swapped, p->rows, (size_t)p->nindex * sizeof *w->swapped);
  for (int i = 0; i < p->nfront; i++) {
    x.f = &p->front[i];
    x.panel = w->panel + x.f->panel;
    x.own = w->own + x.f->pivot;
    x.rows = w->swapped + x.f->row;
    if (x.f->nchild == 0)
      memset(w->rest + x.f->rest, 0, (size_t)(x.f->h - x.f->w) * (size_t)x.f->ldr * sizeof(double));
    kernels->assemble(p, x.f, w, v);
    factor_front(&x);
  }
  return isfinite(x.largest[0] + x.largest[1]);
}
