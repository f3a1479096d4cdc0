/* SPDX-License-Identifier: Apache-2.0 */
/* solver_reduced.c -- the reduced system by LAPACK, KLU, CHOLMOD and inside an envelope.  All of them form B as
   one front of reduced.h, and take from it what they need. */
#include "cartesian/reduced.h"
#include "cartesian/solver.h"
#include "linalg/envelope.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lwi_reduced_way {
  lw_solver_method method;
  const lwi_reduced_kernels *kernels;
  lwi_reduced_plan plan;
  lwi_reduced_work work;
  int n, band;
  int *perm; /* [n] the row that is numbered k-th */
  int nvalue;
  size_t *source; /* [nvalue] where a value of the matrix is in the front; -1: zero */
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

/* rows in the order of their sets; position[row] in the front */
static bool number_rows(lwi_reduced_way *y, const lwi_linear_shape *s, const int order[],
                        int *position)
{
  const lwi_front *f = &y->plan.front[0];
  int n = 0;
  y->perm = LWI_TAKE(&y->arena, y->n, int);
  if (!y->perm) return false;
  for (int k = 0; k < s->nset; k++) {
    const int set = order ? order[k] : k;
    for (int r = s->row[set]; r < s->row[set + 1]; r++)
      y->perm[n++] = r;
  }
  for (int i = 0; i < y->n; i++)
    position[y->plan.rows[f->row + i]] = i;
  return true;
}

static size_t source_of(const lwi_reduced_way *y, const int *position, int i, int j)
{
  const size_t a = (size_t)position[y->perm[i]], b = (size_t)position[y->perm[j]];
  const size_t ld = (size_t)y->plan.front[0].ld;
  return a > b ? a + b * ld : b + a * ld;
}

/* joined[i * n + j]: rows i and j, as numbered, are of sets on one body */
static void find_pattern(const lwi_reduced_way *y, const lwi_linear_shape *s, bool *joined)
{
  int *place = y->rank.order; /* scratch */
  for (int k = 0; k < y->n; k++)
    place[y->perm[k]] = k;
  for (int a = 0; a < s->nset; a++)
    for (int b = 0; b < s->nset; b++) {
      bool meet = a == b;
      for (int i = s->touch[a]; i < s->touch[a + 1]; i++)
        for (int j = s->touch[b]; j < s->touch[b + 1]; j++)
          meet = meet || s->body[i] == s->body[j];
      for (int i = s->row[a]; meet && i < s->row[a + 1]; i++)
        for (int j = s->row[b]; j < s->row[b + 1]; j++)
          joined[place[i] * y->n + place[j]] = true;
    }
}

static bool take_values(lwi_reduced_way *y, int n)
{
  y->nvalue = n;
  y->source = LWI_TAKE(&y->arena, n, size_t);
  y->value = LWI_TAKE(&y->arena, n, double);
  return y->source && y->value;
}

/* the whole matrix, column by column */
static bool plan_full(lwi_reduced_way *y, const int *position)
{
  if (!take_values(y, y->n * y->n)) return false;
  for (int j = 0; j < y->n; j++)
    for (int i = 0; i < y->n; i++)
      y->source[i + j * y->n] = source_of(y, position, i, j);
  return true;
}

/* lower band, column by column */
static bool plan_band(lwi_reduced_way *y, const int *position, const bool *joined)
{
  for (int i = 0; i < y->n; i++)
    for (int j = 0; j < i; j++)
      if (joined[i * y->n + j] && i - j > y->band) y->band = i - j;
  if (!take_values(y, y->n * (y->band + 1))) return false;
  for (int j = 0; j < y->n; j++)
    for (int i = j; i <= j + y->band; i++)
      y->source[i - j + j * (y->band + 1)] =
          i < y->n && joined[i * y->n + j] ? source_of(y, position, i, j) : SIZE_MAX;
  return true;
}

static bool plan_envelope(lwi_reduced_way *y, const lwi_linear_shape *s, const int order[],
                          const int *position, const bool *joined)
{
  lwi_envelope *e = &y->envelope;
  e->nblock = 0;
  e->block = LWI_TAKE(&y->arena, s->nset + 1, int);
  e->first = LWI_TAKE(&y->arena, s->nset + 1, int);
  e->row = LWI_TAKE(&y->arena, y->n, size_t);
  if (!e->block || !e->first || !e->row) return false;
  for (int k = 0; k < s->nset; k++) {
    const int set = order ? order[k] : k, n = s->row[set + 1] - s->row[set];
    if (n == 0) continue;
    e->block[e->nblock + 1] = e->block[e->nblock] + n;
    e->nblock++;
  }
  for (int b = 0, first = 0; b < e->nblock; b++) {
    for (first = 0; first < e->block[b] && !joined[e->block[b] * y->n + first];)
      first++;
    e->first[b] = first;
  }
  lwi_envelope_layout(e);
  if (!take_values(y, (int)e->nvalue)) return false;
  for (int b = 0; b < e->nblock; b++)
    for (int i = e->block[b]; i < e->block[b + 1]; i++)
      for (int j = e->first[b]; j < e->block[b + 1]; j++)
        y->source[e->row[i] + (size_t)(j - e->first[b])] =
            joined[i * y->n + j] ? source_of(y, position, i, j) : SIZE_MAX;
  return true;
}

/* by columns: all, or the lower triangle */
static bool plan_columns(lwi_reduced_way *y, const int *position, const bool *joined, bool lower)
{
  int n = 0;
  for (int j = 0; j < y->n; j++)
    for (int i = lower ? j : 0; i < y->n; i++)
      n += joined[i * y->n + j];
  y->column_start = LWI_TAKE(&y->arena, y->n + 1, int);
  y->row = LWI_TAKE(&y->arena, n, int);
  if (!y->column_start || !y->row || !take_values(y, n)) return false;
  n = 0;
  for (int j = 0; j < y->n; j++) {
    for (int i = lower ? j : 0; i < y->n; i++)
      if (joined[i * y->n + j]) {
        y->row[n] = i;
        y->source[n++] = source_of(y, position, i, j);
      }
    y->column_start[j + 1] = n;
  }
  return true;
}

static bool plan_klu(lwi_reduced_way *y, const int *position, const bool *joined)
{
  if (!plan_columns(y, position, joined, false)) return false;
  y->klu = lwi_klu_new(y->n, y->column_start, y->row, y->value);
  return y->klu != NULL;
}

static bool plan_cholmod(lwi_reduced_way *y, const int *position, const bool *joined)
{
  if (!plan_columns(y, position, joined, true)) return false;
  y->cholmod = lwi_cholmod_new(y->n, y->column_start, y->row, y->value, y->b);
  return y->cholmod != NULL;
}

static bool plan_values(lwi_reduced_way *y, const lwi_linear_shape *s, const int order[])
{
  const size_t n = (size_t)y->n;
  int *position = LWI_TAKE(&y->arena, n, int);
  bool *joined = LWI_TAKE(&y->arena, n * n, bool);
  y->b = LWI_TAKE(&y->arena, n, double);
  y->pivot = LWI_TAKE(&y->arena, n, lapack_int);
  y->rank.order = LWI_TAKE(&y->arena, n, int);
  y->rank.kept = LWI_TAKE(&y->arena, n, bool);
  y->rank.pivot = LWI_TAKE(&y->arena, n, double);
  y->rank.rhs = LWI_TAKE(&y->arena, n, double);
  if (!position || !joined || !y->b || !y->pivot || !y->rank.order || !y->rank.kept ||
      !y->rank.pivot || !y->rank.rhs || !number_rows(y, s, order, position))
    return false;
  find_pattern(y, s, joined);
  switch (y->method) {
  case LW_SOLVER_BAND: return plan_band(y, position, joined);
  case LW_SOLVER_ENVELOPE: return plan_envelope(y, s, order, position, joined);
  case LW_SOLVER_KLU: return plan_klu(y, position, joined);
  case LW_SOLVER_CHOLMOD: return plan_cholmod(y, position, joined);
  default: return plan_full(y, position);
  }
}

lwi_reduced_way *lwi_reduced_way_new(const lwi_linear_shape *s, lw_solver_method method,
                                     const int order[], lw_status *status)
{
  lwi_reduced_way *y = calloc(1, sizeof *y);
  *status = LW_E_MEMORY;
  if (!y) return NULL;
  y->method = method;
  y->n = lwi_linear_rows(s);
  y->kernels = lwi_reduced_kernels_best();
  *status = lwi_reduced_plan_new(s, NULL, true, 1e6, &y->arena, &y->plan);
  if (*status == LW_OK && y->plan.nfront != 1) *status = LW_E_UNSUPPORTED;
  if (*status == LW_OK &&
      (!lwi_reduced_work_take(&y->plan, &y->arena, &y->work) || !plan_values(y, s, order)))
    *status = LW_E_MEMORY;
  if (*status == LW_OK) return y;
  lwi_reduced_way_free(y);
  return NULL;
}

void lwi_reduced_way_free(lwi_reduced_way *y)
{
  if (!y) return;
  lwi_klu_free(y->klu);
  lwi_cholmod_free(y->cholmod);
  lwi_arena_free(&y->arena);
  free(y);
}

/* ---- solve ---- */

static void gather(lwi_reduced_way *y)
{
  const double *B = y->work.panel + y->plan.front[0].panel;
  for (int i = 0; i < y->nvalue; i++)
    y->value[i] = y->source[i] == SIZE_MAX ? 0 : B[y->source[i]];
  for (int k = 0; k < y->n; k++)
    y->b[k] = y->work.x[y->perm[k]];
}

static bool solve_cholmod(lwi_reduced_way *y)
{
  const double *x = lwi_cholmod_solve(y->cholmod);
  if (x) memcpy(y->b, x, (size_t)y->n * sizeof *x);
  return x != NULL;
}

static bool solve_values(lwi_reduced_way *y)
{
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14};
  const lapack_int n = y->n, kd = y->band;
  double *A = y->value, *b = y->b;
  switch (y->method) {
  case LW_SOLVER_BAND:
    return LAPACKE_dpbtrf_work(LAPACK_COL_MAJOR, 'L', n, kd, A, kd + 1) == 0 &&
           LAPACKE_dpbtrs_work(LAPACK_COL_MAJOR, 'L', n, kd, 1, A, kd + 1, b, n) == 0;
  case LW_SOLVER_CHOLESKY:
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) == 0 &&
           LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, A, n, b, n) == 0;
  case LW_SOLVER_LU:
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, y->pivot) == 0 &&
           LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, A, n, y->pivot, b, n) == 0;
  case LW_SOLVER_KLU: return lwi_klu_solve(y->klu, b, false);
  case LW_SOLVER_CHOLMOD: return solve_cholmod(y);
  default:
    lwi_envelope_factor(&y->envelope, A, &y->rank, &rule);
    lwi_envelope_solve(&y->envelope, A, &y->rank, b);
    return true;
  }
}

lw_status lwi_reduced_way_solve(lwi_reduced_way *y, const lwi_linear_values *v, double a[],
                                double lambda[])
{
  y->kernels->prepare(&y->plan, &y->work, v);
  y->kernels->assemble(&y->plan, &y->plan.front[0], &y->work, v);
  gather(y);
  if (!solve_values(y)) return LW_E_SINGULAR;
  for (int k = 0; k < y->n; k++)
    y->work.x[y->perm[k]] = y->b[k];
  y->kernels->recover(&y->plan, &y->work, v, a);
  memcpy(lambda, y->work.x, (size_t)y->n * sizeof *lambda);
  return LW_OK;
}
