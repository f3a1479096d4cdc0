/* SPDX-License-Identifier: Apache-2.0 */
/* reduced.c -- linear.h by the reduced system: quick factors, and careful ones where a pivot is weak. */
#include "cartesian/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_reduced_plan plan;
  lwi_reduced_work work;
} half;

struct lwi_linear {
  const lwi_reduced_kernels *kernels;
  half quick;   /* maybe with hubs */
  half careful; /* for dependent rows */
  half *last;   /* the one that solved last; NULL: none yet */
  bool has_careful;
  bool strong; /* the factors are good to almost all digits */
  lwi_arena arena;
};

bool lwi_reduced_work_take(const lwi_reduced_plan *p, lwi_arena *arena, lwi_reduced_work *w)
{
  w->panel = LWI_TAKE(arena, p->npanel + 8, double);
  w->rest = LWI_TAKE(arena, p->nrest + 8, double);
  w->y = LWI_TAKE(arena, p->ny + 8, double);
  w->x = LWI_TAKE(arena, p->nunknown + 8, double);
  w->first = LWI_TAKE(arena, p->nunknown, double);
  w->a = LWI_TAKE(arena, p->nbody * p->width, long double);
  w->inverse = LWI_TAKE(arena, p->npivot, double);
  w->own = LWI_TAKE(arena, p->npivot, double);
  w->column = LWI_TAKE(arena, p->largest + p->tallest, double);
  w->local = LWI_TAKE(arena, p->tallest + 8, double);
  w->swapped = LWI_TAKE(arena, p->nindex, int);
  w->kept = LWI_TAKE(arena, p->nunknown, bool);
  if (!w->first || !w->a || !w->panel || !w->rest || !w->y || !w->x || !w->inverse || !w->own ||
      !w->column || !w->local || !w->swapped || !w->kept)
    return false;
  memcpy(w->swapped, p->rows, (size_t)p->nindex * sizeof *w->swapped);
  memset(w->kept, 1, (size_t)p->nrow * sizeof *w->kept);
  w->rank = p->nrow;
  return true;
}

static lw_status plan_halves(lwi_linear *l, const lwi_linear_shape *s, const int order[])
{
  lw_status status = lwi_reduced_plan_new(s, order, false, 1e9, &l->arena, &l->quick.plan);
  if (status == LW_OK && !lwi_reduced_work_take(&l->quick.plan, &l->arena, &l->quick.work))
    status = LW_E_MEMORY;
  if (status != LW_OK) return status;
  /* where that is too large there is no second way */
  const double most = 1e5 + 20 * (double)l->quick.plan.npanel;
  l->has_careful =
      lwi_reduced_plan_new(s, order, true, most, &l->arena, &l->careful.plan) == LW_OK &&
      lwi_reduced_work_take(&l->careful.plan, &l->arena, &l->careful.work);
  return LW_OK;
}

lwi_linear *lwi_linear_new(const lwi_linear_shape *s, const int order[], lw_status *status)
{
  lwi_linear *l = calloc(1, sizeof *l);
  lw_status result = LW_E_MEMORY;
  if (l) {
    l->kernels = lwi_reduced_kernels_best();
    result = plan_halves(l, s, order);
  }
  if (status) *status = result;
  if (result == LW_OK) return l;
  lwi_linear_free(l);
  return NULL;
}

void lwi_linear_free(lwi_linear *l)
{
  if (!l) return;
  lwi_arena_free(&l->arena);
  free(l);
}

void lwi_linear_use_kernels(lwi_linear *l, const lwi_reduced_kernels *kernels)
{
  l->kernels = kernels;
}

/* ---- refinement: what weak pivots have cost is brought back.  Residuals in extended precision, so that
   loads come out to almost all digits whatever the condition of B; [Higham2002] chapter 12. ---- */

enum { REFINEMENTS = 2 };

/* Q - Phi' lambda of all bodies */
static void find_loads(const lwi_reduced_plan *p, const lwi_linear_values *v, const double lambda[],
                       long double f[])
{
  const int n = p->width;
  for (int i = 0; i < p->nbody * n; i++)
    f[i] = v->force[i];
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *phi = v->jacobian + b->phi;
    for (int r = 0; r < b->rows; r++)
      for (int k = 0; k < n; k++)
        f[b->body * n + k] -= (long double)*phi++ * lambda[b->row + r];
  }
}

/* f = [inertia; mass] f, in place: M or M^-1 */
static void multiply(const double J[6], double m, int width, long double f[])
{
  const long double t[3] = {f[0], f[1], f[2]};
  if (width == 3) {
    f[0] *= J[2];
    f[1] *= m;
    f[2] *= m;
    return;
  }
  f[0] = J[0] * t[0] + J[3] * t[1] + J[4] * t[2];
  f[1] = J[3] * t[0] + J[1] * t[1] + J[5] * t[2];
  f[2] = J[4] * t[0] + J[5] * t[1] + J[2] * t[2];
  for (int k = 3; k < 6; k++)
    f[k] *= m;
}

/* What is left of the right side: Phi a - gamma, and M a + Phi' lambda - Q of the hubs. */
static void find_residual(const lwi_reduced_plan *p, const lwi_linear_values *v, const double x[],
                          long double a[], double residual[])
{
  const int n = p->width;
  find_loads(p, v, x, a);
  for (int i = 0; i < p->nhub; i++) { /* before their loads give way to their accelerations */
    const lwi_linear_mass *m = &v->mass[p->hub[i]];
    long double f[6];
    for (int k = 0; k < n; k++)
      f[k] = x[p->nrow + i * n + k];
    multiply(m->inertia, m->mass, n, f);
    for (int k = 0; k < n; k++)
      residual[p->nrow + i * n + k] = (double)(f[k] - a[p->hub[i] * n + k]);
  }
  for (int i = 0; i < p->nbody; i++)
    multiply(v->mass[i].inverse_inertia, v->mass[i].inverse_mass, n, a + i * n);
  for (int i = 0; i < p->nhub; i++)
    for (int k = 0; k < n; k++)
      a[p->hub[i] * n + k] = x[p->nrow + i * n + k];
  for (int e = 0; e < p->nset; e++)
    for (int r = p->set_row[e]; r < p->set_row[e + 1]; r++) {
      long double s = -v->gamma[r];
      for (int i = p->set_block[e]; i < p->set_block[e + 1]; i++) {
        const lwi_block *b = &p->block[i];
        const double *phi = v->jacobian + b->phi + (r - b->row) * n;
        for (int k = 0; k < n; k++)
          s += phi[k] * a[b->body * n + k];
      }
      residual[r] = (double)s;
    }
}

static void refine(lwi_linear *l, const lwi_linear_values *v)
{
  const lwi_reduced_plan *p = &l->last->plan;
  lwi_reduced_work *w = &l->last->work;
  for (int step = 0; step < REFINEMENTS; step++) {
    memcpy(w->first, w->x, (size_t)p->nunknown * sizeof *w->first);
    find_residual(p, v, w->first, w->a, w->x);
    lwi_reduced_forward(p, w);
    l->kernels->back(p, w);
    for (int i = 0; i < p->nunknown; i++)
      w->x[i] += w->first[i];
  }
}

static void finish(lwi_linear *l, const lwi_linear_values *v, double a[], double lambda[])
{
  const lwi_reduced_plan *p = &l->last->plan;
  lwi_reduced_work *w = &l->last->work;
  l->kernels->back(p, w);
  if (!l->strong) refine(l, v);
  if (a) l->kernels->recover(p, w, v, a);
  if (lambda) memcpy(lambda, w->x, (size_t)p->nrow * sizeof *lambda);
}

static bool is_finite(const lwi_reduced_work *w, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += w->x[i] * 0;
  return sum == 0;
}

lw_status lwi_linear_solve(lwi_linear *l, const lwi_linear_values *v, double a[], double lambda[])
{
  half *h = &l->quick;
  l->last = NULL;
  const lwi_pivots pivots = l->kernels->factor(&h->plan, &h->work, v);
  l->strong = pivots == LWI_PIVOTS_STRONG;
  if (pivots == LWI_PIVOTS_WEAK) {
    h = &l->careful;
    if (!l->has_careful) return LW_E_SINGULAR;
    if (!lwi_reduced_factor_rank(l->kernels, &h->plan, &h->work, v)) return LW_E_NUMBER;
  }
  l->last = h;
  finish(l, v, a, lambda);
  return is_finite(&h->work, h->plan.nunknown) ? LW_OK : LW_E_NUMBER;
}

lw_status lwi_linear_solve_again(lwi_linear *l, const lwi_linear_values *v, double a[],
                                 double lambda[])
{
  if (!l->last) return LW_E_STAGE;
  l->kernels->prepare(&l->last->plan, &l->last->work, v);
  lwi_reduced_forward(&l->last->plan, &l->last->work);
  finish(l, v, a, lambda);
  return is_finite(&l->last->work, l->last->plan.nunknown) ? LW_OK : LW_E_NUMBER;
}

int lwi_linear_rank(const lwi_linear *l)
{
  return l->last ? l->last->work.rank : 0;
}

bool lwi_linear_row_kept(const lwi_linear *l, int row)
{
  return l->last && l->last->work.kept[row];
}

lwi_linear_report lwi_linear_describe(const lwi_linear *l)
{
  const lwi_reduced_plan *p = &l->quick.plan;
  const lwi_reduced_plan *q = &l->careful.plan;
  size_t numbers = p->npanel + p->nrest + p->ny;
  if (l->has_careful) numbers += q->npanel + q->nrest + q->ny;
  return (lwi_linear_report){.method = p->method,
                             .hubs = p->nhub,
                             .forest = p->independent,
                             .fronts = p->nfront,
                             .numbers = numbers,
                             .multiplications = p->multiplications};
}
