/* SPDX-License-Identifier: Apache-2.0 */
/* reduced.c -- descriptor_system.h by the reduced system: quick factors, and ranked ones where a
   pivot is weak. */
#include "cartesian/reduced/reduced.h"
#include "math/finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-11; /* pivots of dependent rows, relative to their diagonals */

typedef struct {
  lwi_reduced_plan plan;
  lwi_reduced_work work;
} half;

/* The rows that are left where others, which depended on them at one state, are left out. */
typedef struct {
  half half;
  int *set_row;                    /* [nset + 1] rows of the sets */
  int *row;                        /* [rows] which row of all it is; rising */
  bool *counts;                    /* [all rows] */
  double *jacobian, *gamma, *give; /* numbers of these rows */
} independent_rows;

struct lwi_descriptor_system {
  const lwi_reduced_kernels *kernels;
  half quick;  /* of least work, maybe with hubs */
  half ranked; /* for dependent rows; of forests: with the hubs that keep all digits */
  independent_rows independent; /* instead of quick, if there are any */
  bool leaves_out;
  half *last; /* the one that solved last; NULL: none yet */
  bool has_ranked;
  bool ordered;          /* by the caller */
  bool strong;           /* the factors are good to almost all digits */
  double weakest, least; /* lwi_descriptor_report */
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
  w->turns = LWI_TAKE(arena, p->nrow, bool);
  if (!w->first || !w->a || !w->panel || !w->rest || !w->y || !w->x || !w->inverse || !w->own ||
      !w->column || !w->local || !w->swapped || !w->kept || !w->turns)
    return false;
  if (p->nindex) memcpy(w->swapped, p->rows, (size_t)p->nindex * sizeof *w->swapped);
  memset(w->kept, 1, (size_t)p->nrow * sizeof *w->kept);
  w->rank = p->nrow;
  return true;
}

static lw_status plan_halves(lwi_descriptor_system *l, const lwi_descriptor_shape *s,
                             const int order[], lwi_plan_purpose purpose)
{
  lw_status status = lwi_reduced_plan_new(s, order, purpose, 1e9, &l->arena, &l->quick.plan);
  if (status == LW_OK && !lwi_reduced_work_take(&l->quick.plan, &l->arena, &l->quick.work))
    status = LW_E_MEMORY;
  if (status != LW_OK) return status;
  /* where that is too large there is no alternative */
  const double most = 1e5 + 20 * (double)l->quick.plan.npanel;
  const bool leaves = l->quick.plan.forest && !l->quick.plan.independent && !order;
  status = lwi_reduced_plan_new(s, order, leaves ? LWI_PLAN_LEAVES : LWI_PLAN_RANK, most, &l->arena,
                                &l->ranked.plan);
  if (status == LW_OK && !lwi_reduced_work_take(&l->ranked.plan, &l->arena, &l->ranked.work))
    status = LW_E_MEMORY;
  l->has_ranked = status == LW_OK;
  return status == LW_E_MEMORY ? status : LW_OK;
}

lwi_descriptor_system *lwi_descriptor_new(const lwi_descriptor_shape *s, const int order[],
                                          lw_status *status)
{
  lwi_descriptor_system *l = calloc(1, sizeof *l);
  lw_status result = LW_E_MEMORY;
  if (l) {
    l->kernels = lwi_reduced_kernels_best();
    result = plan_halves(l, s, order, LWI_PLAN_QUICK);
    l->ordered = order;
  }
  if (status) *status = result;
  if (result == LW_OK) return l;
  lwi_descriptor_free(l);
  return NULL;
}

void lwi_descriptor_free(lwi_descriptor_system *l)
{
  if (!l) return;
  lwi_arena_free(&l->arena);
  free(l);
}

static bool may_lose_digits(const lwi_descriptor_system *l)
{
  return l->quick.plan.forest && !l->quick.plan.independent && !l->ordered;
}

static bool may_leave_out(const lwi_descriptor_system *l)
{
  return l->has_ranked && !l->quick.plan.forest;
}

bool lwi_descriptor_wants_look(const lwi_descriptor_system *l)
{
  return may_lose_digits(l) || may_leave_out(l);
}

/* The smallest pivot of the factors, relative to the diagonal of its row. */
static double weakest_pivot(const half *h)
{
  double least = 1;
  for (int i = 0; i < h->plan.npivot; i++)
    if (h->work.own[i] > 0) least = fmin(least, 1 / (h->work.inverse[i] * h->work.own[i]));
  return least;
}

static lw_status keep_digits(lwi_descriptor_system *l, const lwi_descriptor_shape *s,
                             const lwi_descriptor_values *v)
{
  static const double ENOUGH = 10 * LWI_MODEST_PIVOT; /* other states have smaller ones */
  const lwi_pivots pivots = l->kernels->factor(&l->quick.plan, &l->quick.work, v);
  l->weakest = pivots == LWI_PIVOTS_WEAK ? LWI_WEAK_PIVOT : weakest_pivot(&l->quick);
  if (l->weakest > ENOUGH) return LW_OK;
  l->least = l->quick.plan.multiplications;
  lwi_arena_free(&l->arena);
  l->quick = l->ranked = (half){0};
  return plan_halves(l, s, NULL, LWI_PLAN_LEAVES);
}

void lwi_descriptor_use_kernels(lwi_descriptor_system *l, const lwi_reduced_kernels *kernels)
{
  l->kernels = kernels;
}

static void finish(lwi_descriptor_system *l, const lwi_descriptor_values *v, double a[],
                   double lambda[])
{
  const lwi_reduced_plan *p = &l->last->plan;
  lwi_reduced_work *w = &l->last->work;
  l->kernels->back(p, w);
  if (!l->strong) lwi_reduced_refine(l->kernels, p, w, v);
  if (a) l->kernels->recover(p, w, v, a);
  if (!lambda) return;
  if (l->last != &l->independent.half) {
    memcpy(lambda, w->x, (size_t)p->nrow * sizeof *lambda);
    return;
  }
  memset(lambda, 0, (size_t)l->quick.plan.nrow * sizeof *lambda);
  for (int i = 0; i < p->nrow; i++)
    lambda[l->independent.row[i]] = w->x[i];
}

/* ---- rows that are left out from the beginning ---- */

static bool take_independent(lwi_descriptor_system *l, const lwi_descriptor_shape *s, int n)
{
  independent_rows *x = &l->independent;
  const int rows = lwi_descriptor_rows(s), blocks = s->touch[s->nset];
  x->set_row = LWI_TAKE(&l->arena, s->nset + 1, int);
  x->row = LWI_TAKE(&l->arena, n, int);
  x->counts = LWI_TAKE(&l->arena, rows, bool);
  x->jacobian = LWI_TAKE(&l->arena, 6 * s->width * blocks, double);
  x->gamma = LWI_TAKE(&l->arena, n, double);
  x->give = LWI_TAKE(&l->arena, n, double);
  return x->set_row && x->row && x->counts && x->jacobian && x->gamma && x->give;
}

static lw_status leave_out(lwi_descriptor_system *l, const lwi_descriptor_shape *s,
                           const int order[], const lwi_descriptor_values *v)
{
  const lwi_reduced_work *w = &l->ranked.work;
  independent_rows *x = &l->independent;
  if (!lwi_reduced_factor_rank(l->kernels, &l->ranked.plan, &l->ranked.work, v, dependent))
    return LW_OK;
  if (w->rank == lwi_descriptor_rows(s)) return LW_OK;
  if (!take_independent(l, s, w->rank)) return LW_E_MEMORY;
  int n = 0;
  for (int k = 0; k < s->nset; k++) {
    x->set_row[k] = n;
    for (int r = s->row[k]; r < s->row[k + 1]; r++)
      if ((x->counts[r] = w->kept[r])) x->row[n++] = r;
  }
  x->set_row[s->nset] = n;
  lwi_descriptor_shape part = *s;
  part.row = x->set_row;
  const lw_status status =
      lwi_reduced_plan_new(&part, order, LWI_PLAN_QUICK, 1e9, &l->arena, &x->half.plan);
  if (status == LW_OK && !lwi_reduced_work_take(&x->half.plan, &l->arena, &x->half.work))
    return LW_E_MEMORY;
  l->leaves_out = status == LW_OK;
  return status == LW_E_MEMORY ? status : LW_OK;
}

lw_status lwi_descriptor_look_at(lwi_descriptor_system *l, const lwi_descriptor_shape *s,
                                 const int order[], const lwi_descriptor_values *v)
{
  if (may_lose_digits(l)) return keep_digits(l, s, v);
  return may_leave_out(l) ? leave_out(l, s, order, v) : LW_OK;
}

/* The numbers of the rows that are left. */
static lwi_descriptor_values pick_rows(const lwi_descriptor_system *l,
                                       const lwi_descriptor_values *v)
{
  const independent_rows *x = &l->independent;
  const lwi_reduced_plan *all = &l->quick.plan, *p = &x->half.plan;
  const size_t width = (size_t)p->width;
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *from = &all->block[i], *to = &p->block[i];
    double *J = x->jacobian + to->phi;
    for (int r = 0; r < to->rows; r++, J += width)
      memcpy(J, v->jacobian + from->phi + width * (size_t)(x->row[to->row + r] - from->row),
             width * sizeof *J);
  }
  for (int i = 0; i < p->nrow; i++) {
    x->gamma[i] = v->gamma[x->row[i]];
    if (v->give) x->give[i] = v->give[x->row[i]];
  }
  return (lwi_descriptor_values){v->mass, x->jacobian, v->force, x->gamma,
                                 v->give ? x->give : NULL};
}

/* Do the accelerations satisfy the rows that were left out, too, relative to what their terms can be?  One at the distance
   delta from the others is off by delta, and its pivot would be delta^2: this says no more than that factor_rank would
   drop it here, too.  Whether rows that are dropped count after all is asked of all of them, much closer to rounding
   errors, by form/dropped_rows.c, which knows what the state violates the constraints by. */
static bool satisfies_others(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                             const double a[])
{
  const lwi_reduced_plan *p = &l->quick.plan;
  const double consistent = sqrt(dependent);
  const int turning = p->width == 6 ? 3 : 1;
  double most[2] = {0, 0};
  for (int b = 0; b < p->nbody; b++)
    for (int k = 0; k < p->width; k++)
      most[k >= turning] = fmax(most[k >= turning], fabs(a[b * p->width + k]));
  for (int k = 0; k < p->nset; k++)
    for (int r = p->set_row[k]; r < p->set_row[k + 1]; r++) {
      if (l->independent.counts[r]) continue;
      double left = v->gamma[r], size = fabs(left);
      for (int i = p->set_block[k]; i < p->set_block[k + 1]; i++) {
        const lwi_block *b = &p->block[i];
        const double *J = v->jacobian + b->phi + (r - b->row) * p->width;
        for (int j = 0; j < p->width; j++) {
          left -= J[j] * a[b->body * p->width + j];
          size += fabs(J[j]) * most[j >= turning];
        }
      }
      if (!(fabs(left) <= consistent * size)) return false;
    }
  return true;
}

/* False: other rows have to count, or these depend on each other. */
static bool solve_independent(lwi_descriptor_system *l, const lwi_descriptor_values *v, double a[],
                              double lambda[])
{
  half *h = &l->independent.half;
  const lwi_descriptor_values part = pick_rows(l, v);
  const lwi_pivots pivots = l->kernels->factor(&h->plan, &h->work, &part);
  l->last = h;
  l->strong = pivots == LWI_PIVOTS_STRONG;
  if (pivots == LWI_PIVOTS_WEAK) return false;
  finish(l, &part, a, lambda);
  return satisfies_others(l, v, a);
}

/* Factors again where pivots were weak: a forest from its leaves inward, anything else by rank. */
static lw_status factor_carefully(lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                  double least)
{
  half *h = &l->ranked;
  if (!l->has_ranked) return LW_E_SINGULAR;
  l->last = h;
  if (!h->plan.independent)
    return lwi_reduced_factor_rank(l->kernels, &h->plan, &h->work, v, least) ? LW_OK : LW_E_NUMBER;
  const lwi_pivots pivots = l->kernels->factor(&h->plan, &h->work, v);
  l->strong = pivots == LWI_PIVOTS_STRONG;
  return pivots == LWI_PIVOTS_WEAK ? LW_E_SINGULAR : LW_OK;
}

/* solves with the factors, if they could be made */
static lw_status conclude(lwi_descriptor_system *l, lw_status status,
                          const lwi_descriptor_values *v, double a[], double lambda[])
{
  if (status != LW_OK) {
    l->last = NULL;
    return status;
  }
  finish(l, v, a, lambda);
  return lwi_all_finite(l->last->work.x, l->last->plan.nunknown) ? LW_OK : LW_E_NUMBER;
}

lw_status lwi_descriptor_solve(lwi_descriptor_system *l, const lwi_descriptor_values *v, double a[],
                               double lambda[])
{
  if (l->leaves_out && a && solve_independent(l, v, a, lambda)) return LW_OK;
  const lwi_pivots pivots = l->kernels->factor(&l->quick.plan, &l->quick.work, v);
  lw_status status = LW_OK;
  l->last = &l->quick;
  l->strong = pivots == LWI_PIVOTS_STRONG;
  if (pivots == LWI_PIVOTS_WEAK || (!l->strong && l->has_ranked && l->ranked.plan.independent))
    status = factor_carefully(l, v, dependent);
  return conclude(l, status, v, a, lambda);
}

lw_status lwi_descriptor_solve_finer(lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                     double least, double a[], double lambda[])
{
  l->strong = false;
  return conclude(l, factor_carefully(l, v, least), v, a, lambda);
}

lw_status lwi_descriptor_solve_again(lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                     double a[], double lambda[])
{
  if (!l->last) return LW_E_STAGE;
  const lwi_descriptor_values numbers = l->last == &l->independent.half ? pick_rows(l, v) : *v;
  l->kernels->prepare(&l->last->plan, &l->last->work, &numbers);
  l->kernels->forward(&l->last->plan, &l->last->work);
  finish(l, &numbers, a, lambda);
  return lwi_all_finite(l->last->work.x, l->last->plan.nunknown) ? LW_OK : LW_E_NUMBER;
}

void lwi_descriptor_row_residual(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                 const double a[], const double lambda[], double turn, double shift,
                                 double row[], double size[])
{
  const int n = l->quick.plan.nrow;
  l->kernels->row_residual(&l->quick.plan, v, a, lambda, turn, shift, row, size);
  if (!l->last || l->last->work.rank == n || (size && l->quick.plan.forest)) return;
  for (int i = 0; i < n; i++)
    if (!lwi_descriptor_row_kept(l, i)) row[i] = 0;
}

void lwi_descriptor_all_residuals(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                  const double a[], const double lambda[], double turn,
                                  double shift, double row[], double size[])
{
  l->kernels->row_residual(&l->quick.plan, v, a, lambda, turn, shift, row, size);
}

void lwi_descriptor_force_residual(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                   const double a[], const double lambda[], double force[],
                                   double size[])
{
  l->kernels->force_residual(&l->quick.plan, v, a, lambda, force, size);
}

int lwi_descriptor_rank(const lwi_descriptor_system *l)
{
  return l->last ? l->last->work.rank : 0;
}

bool lwi_descriptor_row_kept(const lwi_descriptor_system *l, int row)
{
  if (l->last == &l->independent.half) return l->independent.counts[row];
  return l->last && l->last->work.kept[row];
}

bool lwi_descriptor_is_forest(const lwi_descriptor_system *l)
{
  return l->quick.plan.forest;
}

lwi_descriptor_report lwi_descriptor_describe(const lwi_descriptor_system *l)
{
  const lwi_reduced_plan *p = &l->quick.plan;
  const lwi_reduced_plan *q = &l->ranked.plan;
  size_t numbers = p->npanel + p->nrest + p->ny;
  if (l->has_ranked) numbers += q->npanel + q->nrest + q->ny;
  return (lwi_descriptor_report){.method = p->method,
                                 .hubs = p->nhub,
                                 .forest = p->independent,
                                 .fronts = p->nfront,
                                 .numbers = numbers,
                                 .multiplications = p->multiplications,
                                 .forming = p->forming,
                                 .weakest = l->weakest,
                                 .least = l->least};
}
