/* SPDX-License-Identifier: Apache-2.0 */
/* solver_reduced.c -- the reduced system by LAPACK, KLU, CHOLMOD and inside an envelope.  Each of
   them has B, in the rows as they are numbered, where it wants it: as a sum of products Phi^j_i
   M_i^-1 (Phi^k_i)^T of two sets j, k that touch a body i ([Serban1997] eq. 7, 8).  Sets may be
   numbered in any way and need not hang together. */
#include "cartesian/reduced/reduced.h"
#include "cartesian/solvers/solver.h"
#include "linalg/envelope.h"
#include "linalg/lapack_library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a block of B, or a part of one: where its values go, a column after the other */
typedef struct {
  int row, column; /* blocks of the Jacobian, those of the plan */
  size_t to;       /* in target[] */
} product;

struct lwi_reduced_solver {
  lw_solver_method method;
  const lwi_reduced_kernels *kernels;
  lwi_reduced_plan plan;
  lwi_reduced_work work;
  int n, band;
  int *perm; /* [n] the row that is numbered k-th */
  size_t nvalue, nproduct;
  product *product; /* [nproduct] */
  size_t *target;   /* places in value[]; SIZE_MAX: in the triangle that is not kept */
  double *value, *b;
  lapack_int *pivot;
  /* envelope */
  lwi_envelope envelope;
  lwi_rank rank;
  /* KLU; CHOLMOD, lower triangle */
  int *column_start, *row;
  lwi_klu *klu;
  lwi_cholmod *cholmod;
  lwi_arena arena;
};

/* ---- what is where ---- */

/* Sets in the order in which they are numbered: their first rows, and which of them touch a body
   together. */
typedef struct {
  lwi_reduced_solver *y;
  int nset;
  int *set, *first;   /* [nset], [nset + 1] */
  int *place;         /* [nset] of a set, as in set[] */
  int *start, *near;  /* near[start[k]] ...: in ascending order, k among them */
  int *on_start, *on; /* of a body: its blocks */
  int *of;            /* [nblock] the set of a block */
  int *last;          /* [nset] scratch */
} numbering;

static bool number_rows(numbering *x, const lwi_descriptor_shape *s, const int order[])
{
  lwi_reduced_solver *y = x->y;
  int n = 0;
  for (int k = 0; k < s->nset; k++) {
    const int set = order ? order[k] : k;
    x->set[k] = set;
    x->place[set] = k;
    x->first[k] = n;
    for (int r = s->row[set]; r < s->row[set + 1]; r++)
      y->perm[n++] = r;
  }
  x->first[s->nset] = n;
  return true;
}

/* blocks by body, and the set of each */
static void list_blocks(numbering *x, const lwi_descriptor_shape *s)
{
  for (int k = 0; k < s->nset; k++)
    for (int e = s->touch[k]; e < s->touch[k + 1]; e++) {
      x->of[e] = k;
      x->on_start[s->body[e] + 1]++;
    }
  for (int b = 0; b < s->nbody; b++)
    x->on_start[b + 1] += x->on_start[b];
  for (int e = x->y->plan.nblock - 1; e >= 0; e--)
    x->on[--x->on_start[s->body[e] + 1]] = e;
  for (int b = 0; b < s->nbody; b++) /* each was moved to its own beginning */
    x->on_start[b] = x->on_start[b + 1];
  x->on_start[s->nbody] = x->y->plan.nblock;
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* counts, and with near given lists */
static void list_near(numbering *x, const lwi_descriptor_shape *s)
{
  int n = 0;
  for (int k = 0; k < x->nset; k++)
    x->last[k] = -1;
  for (int k = 0; k < x->nset; k++) {
    x->start[k] = n;
    for (int e = s->touch[x->set[k]]; e < s->touch[x->set[k] + 1]; e++)
      for (int i = x->on_start[s->body[e]]; i < x->on_start[s->body[e] + 1]; i++) {
        const int other = x->place[x->of[x->on[i]]];
        if (x->last[other] == k) continue;
        x->last[other] = k;
        if (x->near) x->near[n] = other;
        n++;
      }
    if (x->near) qsort(x->near + x->start[k], (size_t)(n - x->start[k]), sizeof(int), ascending);
  }
  x->start[x->nset] = n;
}

static bool number_all(numbering *x, const lwi_descriptor_shape *s, const int order[],
                       lwi_arena *scratch)
{
  const int n = s->nset + 1;
  x->nset = s->nset;
  x->set = LWI_TAKE(scratch, n, int);
  x->first = LWI_TAKE(scratch, n, int);
  x->place = LWI_TAKE(scratch, n, int);
  x->start = LWI_TAKE(scratch, n, int);
  x->last = LWI_TAKE(scratch, n, int);
  x->on_start = LWI_TAKE(scratch, s->nbody + 2, int);
  x->on = LWI_TAKE(scratch, x->y->plan.nblock + 1, int);
  x->of = LWI_TAKE(scratch, x->y->plan.nblock + 1, int);
  if (!x->set || !x->first || !x->place || !x->start || !x->last || !x->on_start || !x->on ||
      !x->of)
    return false;
  number_rows(x, s, order);
  list_blocks(x, s);
  list_near(x, s);
  x->near = LWI_TAKE(scratch, x->start[x->nset] + 1, int);
  if (!x->near) return false;
  list_near(x, s);
  return true;
}

/* ---- where each solver wants the matrix ---- */

static bool take_values(lwi_reduced_solver *y, size_t n)
{
  y->nvalue = n;
  y->value = lwi_arena_take(&y->arena, n + 1, sizeof *y->value);
  return y->value != NULL;
}

static bool plan_band(lwi_reduced_solver *y, const numbering *x)
{
  for (int k = 0; k < x->nset; k++)
    for (int i = x->start[k]; i < x->start[k + 1]; i++) {
      const int width = x->first[k + 1] - 1 - x->first[x->near[i]];
      y->band = width > y->band ? width : y->band;
    }
  return take_values(y, (size_t)y->n * (size_t)(y->band + 1));
}

static bool plan_envelope(lwi_reduced_solver *y, const numbering *x)
{
  lwi_envelope *e = &y->envelope;
  e->block = LWI_TAKE(&y->arena, x->nset + 1, int);
  e->first = LWI_TAKE(&y->arena, x->nset + 1, int);
  e->row = LWI_TAKE(&y->arena, y->n, size_t);
  if (!e->block || !e->first || !e->row) return false;
  e->nblock = 0;
  for (int k = 0; k < x->nset; k++) {
    if (x->first[k + 1] == x->first[k]) continue;
    e->first[e->nblock] = x->first[x->start[k] < x->start[k + 1] ? x->near[x->start[k]] : k];
    e->block[++e->nblock] = x->first[k + 1];
  }
  lwi_envelope_layout(e);
  return take_values(y, e->nvalue);
}

/* columns of sparse matrices, all of them or the lower triangle; counts, and with y->row given
   lists */
static int list_columns(lwi_reduced_solver *y, const numbering *x, bool lower)
{
  int n = 0;
  for (int k = 0; k < x->nset; k++)
    for (int j = x->first[k]; j < x->first[k + 1]; j++) {
      y->column_start[j] = n;
      for (int i = x->start[k]; i < x->start[k + 1]; i++)
        for (int r = x->first[x->near[i]]; r < x->first[x->near[i] + 1]; r++) {
          if (lower && r < j) continue;
          if (y->row) y->row[n] = r;
          n++;
        }
    }
  y->column_start[y->n] = n;
  return n;
}

static bool plan_columns(lwi_reduced_solver *y, const numbering *x, bool lower)
{
  y->column_start = LWI_TAKE(&y->arena, y->n + 1, int);
  if (!y->column_start) return false;
  const int n = list_columns(y, x, lower);
  y->row = LWI_TAKE(&y->arena, n + 1, int);
  if (!y->row || !take_values(y, (size_t)n)) return false;
  list_columns(y, x, lower);
  if (lower)
    y->cholmod = lwi_cholmod_new(y->n, y->column_start, y->row, y->value, y->b);
  else
    y->klu = lwi_klu_new(y->n, y->column_start, y->row, y->value);
  return lower ? y->cholmod != NULL : y->klu != NULL;
}

static bool plan_values(lwi_reduced_solver *y, const numbering *x)
{
  switch (y->method) {
  case LW_SOLVER_BAND: return lwi_lapack() && plan_band(y, x);
  case LW_SOLVER_ENVELOPE: return plan_envelope(y, x);
  case LW_SOLVER_KLU: return plan_columns(y, x, false);
  case LW_SOLVER_CHOLMOD: return plan_columns(y, x, true);
  default: return lwi_lapack() && take_values(y, (size_t)y->n * (size_t)y->n);
  }
}

/* the block of the envelope that a row belongs to */
static int block_of(const lwi_envelope *e, int row)
{
  int low = 0, high = e->nblock - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (e->block[middle] <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static size_t place_in_column(const lwi_reduced_solver *y, int i, int j)
{
  const int *begin = y->row + y->column_start[j];
  const int *at = bsearch(&i, begin, (size_t)(y->column_start[j + 1] - y->column_start[j]),
                          sizeof(int), ascending);
  return at ? (size_t)(at - y->row) : SIZE_MAX;
}

/* place of row i, column j, as numbered */
static size_t place_of(const lwi_reduced_solver *y, int i, int j)
{
  switch (y->method) {
  case LW_SOLVER_BAND:
    return i < j ? SIZE_MAX : (size_t)(i - j) + (size_t)j * (size_t)(y->band + 1);
  case LW_SOLVER_ENVELOPE: {
    const lwi_envelope *e = &y->envelope;
    const int b = block_of(e, i);
    return j >= e->block[b + 1] ? SIZE_MAX : e->row[i] + (size_t)(j - e->first[b]);
  }
  case LW_SOLVER_KLU:
  case LW_SOLVER_CHOLMOD: return place_in_column(y, i, j);
  default: return (size_t)i + (size_t)j * (size_t)y->n;
  }
}

/* products of all pairs of blocks on a body; counts, and with product and target given lists */
static size_t list_products(lwi_reduced_solver *y, const numbering *x, int nbody)
{
  size_t to = 0;
  y->nproduct = 0;
  for (int b = 0; b < nbody; b++)
    for (int i = x->on_start[b]; i < x->on_start[b + 1]; i++)
      for (int j = x->on_start[b]; j < x->on_start[b + 1]; j++) {
        const int row = x->on[i], column = x->on[j];
        const int r0 = x->first[x->place[x->of[row]]], c0 = x->first[x->place[x->of[column]]];
        const int nr = y->plan.block[row].rows, nc = y->plan.block[column].rows;
        if (y->product) {
          y->product[y->nproduct] = (product){row, column, to};
          for (int k = 0; k < nr * nc; k++)
            y->target[to + (size_t)k] = place_of(y, r0 + k % nr, c0 + k / nr);
        }
        y->nproduct++;
        to += (size_t)(nr * nc);
      }
  return to;
}

static bool plan_products(lwi_reduced_solver *y, const numbering *x, int nbody)
{
  const size_t n = list_products(y, x, nbody);
  y->product = lwi_arena_take(&y->arena, y->nproduct + 1, sizeof *y->product);
  y->target = lwi_arena_take(&y->arena, n + 1, sizeof *y->target);
  if (!y->product || !y->target) return false;
  list_products(y, x, nbody);
  return true;
}

static bool take_vectors(lwi_reduced_solver *y)
{
  const size_t n = (size_t)y->n + 1;
  y->perm = LWI_TAKE(&y->arena, n, int);
  y->b = LWI_TAKE(&y->arena, n, double);
  y->pivot = LWI_TAKE(&y->arena, n, lapack_int);
  y->rank.order = LWI_TAKE(&y->arena, n, int);
  y->rank.kept = LWI_TAKE(&y->arena, n, bool);
  y->rank.pivot = LWI_TAKE(&y->arena, n, double);
  y->rank.rhs = LWI_TAKE(&y->arena, n, double);
  return y->perm && y->b && y->pivot && y->rank.order && y->rank.kept && y->rank.pivot &&
         y->rank.rhs;
}

static bool plan_all(lwi_reduced_solver *y, const lwi_descriptor_shape *s, const int order[])
{
  lwi_arena scratch = {0};
  numbering x = {.y = y};
  const bool fine = lwi_reduced_work_take(&y->plan, &y->arena, &y->work) && take_vectors(y) &&
                    number_all(&x, s, order, &scratch) && plan_values(y, &x) &&
                    plan_products(y, &x, s->nbody);
  lwi_arena_free(&scratch);
  return fine;
}

lwi_reduced_solver *lwi_reduced_solver_new(const lwi_descriptor_shape *s, lw_solver_method method,
                                           const int order[], lw_status *status)
{
  lwi_reduced_solver *y = calloc(1, sizeof *y);
  *status = LW_E_MEMORY;
  if (!y) return NULL;
  y->method = method;
  y->n = lwi_descriptor_rows(s);
  y->kernels = lwi_reduced_kernels_best();
  *status = lwi_reduced_plan_new(s, NULL, LWI_PLAN_BLOCKS, 1e9, &y->arena, &y->plan);
  if (*status == LW_OK && !plan_all(y, s, order)) *status = LW_E_MEMORY;
  if (*status == LW_OK) return y;
  lwi_reduced_solver_free(y);
  return NULL;
}

void lwi_reduced_solver_free(lwi_reduced_solver *y)
{
  if (!y) return;
  lwi_klu_free(y->klu);
  lwi_cholmod_free(y->cholmod);
  lwi_arena_free(&y->arena);
  free(y);
}

/* ---- solve ---- */

/* B[rows][columns] += Y (Phi of the column)^T */
static void add_product(lwi_reduced_solver *y, const product *p, const double *jacobian)
{
  const lwi_block *row = &y->plan.block[p->row], *column = &y->plan.block[p->column];
  const double *Y = y->work.y + row->y, *phi = jacobian + column->phi;
  const size_t *to = y->target + p->to;
  const int width = y->plan.width;
  for (int c = 0; c < column->rows; c++, phi += width)
    for (int r = 0; r < row->rows; r++, to++) {
      double sum = 0;
      for (int i = 0; i < width; i++)
        sum += Y[i * row->rows + r] * phi[i];
      if (*to != SIZE_MAX) y->value[*to] += sum;
    }
}

static bool solve_cholmod(lwi_reduced_solver *y)
{
  const double *x = lwi_cholmod_solve(y->cholmod);
  if (x) memcpy(y->b, x, (size_t)y->n * sizeof *x);
  return x != NULL;
}

static bool solve_values(lwi_reduced_solver *y)
{
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14};
  const lapack_int n = y->n, kd = y->band;
  double *A = y->value, *b = y->b;
  switch (y->method) {
  case LW_SOLVER_BAND:
    return lwi_lapack()->dpbtrf(LAPACK_COL_MAJOR, 'L', n, kd, A, kd + 1) == 0 &&
           lwi_lapack()->dpbtrs(LAPACK_COL_MAJOR, 'L', n, kd, 1, A, kd + 1, b, n) == 0;
  case LW_SOLVER_CHOLESKY:
    return lwi_lapack()->dpotrf(LAPACK_COL_MAJOR, 'L', n, A, n) == 0 &&
           lwi_lapack()->dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, A, n, b, n) == 0;
  case LW_SOLVER_LU:
    return lwi_lapack()->dgetrf(LAPACK_COL_MAJOR, n, n, A, n, y->pivot) == 0 &&
           lwi_lapack()->dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, A, n, y->pivot, b, n) == 0;
  case LW_SOLVER_KLU: return lwi_klu_solve(y->klu, b, false);
  case LW_SOLVER_CHOLMOD: return solve_cholmod(y);
  default:
    lwi_envelope_factor(&y->envelope, A, &y->rank, &rule);
    lwi_envelope_solve(&y->envelope, A, &y->rank, b);
    return true;
  }
}

static bool is_out_of_memory(const lwi_reduced_solver *y)
{
  return (y->klu && lwi_klu_is_out_of_memory(y->klu)) ||
         (y->cholmod && lwi_cholmod_is_out_of_memory(y->cholmod));
}

lw_status lwi_reduced_solver_solve(lwi_reduced_solver *y, const lwi_descriptor_values *v,
                                   double a[], double lambda[])
{
  y->kernels->prepare(&y->plan, &y->work, v);
  memset(y->value, 0, y->nvalue * sizeof *y->value);
  for (size_t i = 0; i < y->nproduct; i++)
    add_product(y, &y->product[i], v->jacobian);
  for (int k = 0; k < y->n; k++)
    y->b[k] = y->work.x[y->perm[k]];
  if (!solve_values(y)) return is_out_of_memory(y) ? LW_E_MEMORY : LW_E_SINGULAR;
  for (int k = 0; k < y->n; k++)
    y->work.x[y->perm[k]] = y->b[k];
  y->kernels->recover(&y->plan, &y->work, v, a);
  memcpy(lambda, y->work.x, (size_t)y->n * sizeof *lambda);
  return LW_OK;
}
