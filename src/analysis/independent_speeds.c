/* SPDX-License-Identifier: Apache-2.0 */
/* independent_speeds.c -- independent speeds of a closed mechanism by QR factorisation with column
   pivoting: G P = Q [R11 R12], N = [-R11^-1 R12; 1], T = R11^-1 Q1^T. */
#include "analysis/independent_speeds.h"
#include "math/finite.h"
#include "linalg/lapack_library.h"

#include <stdlib.h>
#include <string.h>

lwi_reduced lwi_reduced_carve(const lw_model *m, lwi_carver *c)
{
  const size_t nu = (size_t)m->nu, nrow = (size_t)m->tree_constraints.nrow;
  return (lwi_reduced){
      .m = m,
      .nu = m->nu,
      .nrow = m->tree_constraints.nrow,
      .G = LWI_CARVE(c, nrow * nu, double),
      .N = LWI_CARVE(c, nu * nu, double),
      .T = LWI_CARVE(c, nrow * nu, double),
      .independent = LWI_CARVE(c, nu, int),
      .dependent = LWI_CARVE(c, nu, int),
      .lambda = LWI_CARVE(c, nrow, double),
      .required_tau = LWI_CARVE(c, nu, double),
      .remains = LWI_CARVE(c, nu, double),
      .locked = LWI_CARVE(c, nrow, double),
      .scratch = LWI_CARVE(c, 6 * nu + 3 * nrow, double),
  };
}

/* ---- loads ---- */

/* G from the columns that the sweep of each row left: E is G^T with all freedoms locked. */
static void read_rows(lwi_reduced *r)
{
  const lw_model *m = r->m;
  const lwi_tree_constraints *x = &m->tree_constraints;
  const double *eps = r->w->closure->eps;
  memset(r->G, 0, (size_t)r->nrow * (size_t)r->nu * sizeof(double));
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *constraint = &x->constraint[x->touch[a].constraint];
      for (int i = 0; i < constraint->n; i++)
        r->G[(size_t)(constraint->row + i) * (size_t)r->nu + (size_t)m->column_u[k]] =
            eps[x->touch[a].eps + (size_t)i];
    }
}

lw_status lwi_reduced_balance(lwi_reduced *r, lw_work *w, double t, const double q[],
                              const double u[], const double udot[])
{
  const lw_model *m = r->m;
  r->w = w;
  r->t = t;
  r->q = q;
  w->stage = LWI_STAGE_NOTHING;
  if (m->tree_constraints.link_system) return LW_E_UNSUPPORTED;
  if (w->closure) {
    lwi_closure_balance(m, w, t, q, u, udot, r->remains);
    memcpy(r->lambda, w->closure->lambda, (size_t)r->nrow * sizeof(double));
    read_rows(r);
    w->stage = LWI_STAGE_DYNAMICS;
  } else {
    w->kernels->inverse(m, w->tree, t, q, u, udot, r->remains);
    w->stage = LWI_STAGE_LOADS;
  }
  if (!lwi_all_finite(r->remains, r->nu)) return LW_E_NUMBER;
  memcpy(r->required_tau, r->remains, (size_t)r->nu * sizeof(double));
  for (int i = 0; i < r->nrow; i++)
    for (int j = 0; j < r->nu; j++)
      r->required_tau[j] += r->G[(size_t)i * (size_t)r->nu + (size_t)j] * r->lambda[i];
  return LW_OK;
}

/* ---- which speeds are independent ---- */

void lwi_reduced_weigh(const lwi_reduced *r, double weight[])
{
  const lw_model *m = r->m;
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++) {
      const int column = m->link[i].column + j;
      double S[6];
      r->w->kernels->get_column(m, r->w->tree, column, S);
      weight[m->link[i].u + j] = dot3(S, S) > 0 ? 1 : m->length;
      if (m->held && m->held[column]) weight[m->link[i].u + j] *= 1e-3;
      if (j < m->link[i].inertialess) weight[m->link[i].u + j] = 0;
    }
}

/* N = [-R11^-1 R12; 1] */
static bool solve_independent(lwi_reduced *r, const double *A, double *X, const int *pivot,
                              const double *weight)
{
  const int n = r->n, rank = r->rank, nrow = r->nrow;
  for (int k = 0; k < n; k++)
    memcpy(X + k * rank, A + (size_t)(rank + k) * (size_t)nrow, (size_t)rank * sizeof(double));
  if (n > 0 &&
      lwi_lapack()->dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', rank, n, A, nrow, X, rank) != 0)
    return false;
  for (int i = 0; i < rank; i++)
    for (int k = 0; k < n; k++)
      r->N[(pivot[i] - 1) * n + k] =
          -X[k * rank + i] * weight[pivot[i] - 1] / weight[r->independent[k]];
  return true;
}

/* T = R11^-1 Q1^T: first the reflectors of Q1^T, then R11. */
static bool solve_rows(lwi_reduced *r, const double *A, double *X, const double *tau,
                       const int *pivot, const double *weight, double *scratch)
{
  const int rank = r->rank, nrow = r->nrow;
  memset(X, 0, (size_t)rank * (size_t)nrow * sizeof(double));
  for (int i = 0; i < rank; i++)
    X[i * rank + i] = 1;
  if (lwi_lapack()->dormqr(LAPACK_COL_MAJOR, 'R', 'T', rank, nrow, rank, A, nrow, tau, X, rank,
                           scratch, rank) != 0 ||
      lwi_lapack()->dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', rank, nrow, A, nrow, X, rank) != 0)
    return false;
  for (int i = 0; i < rank; i++)
    for (int k = 0; k < nrow; k++)
      r->T[i * nrow + k] = X[k * rank + i] * weight[pivot[i] - 1];
  return true;
}

/* Both, from A = Q R of the weighted columns, by columns. */
static lw_status solve_dependent(lwi_reduced *r, const double *A, const double *tau,
                                 const int *pivot, const double *weight)
{
  const int rank = r->rank, most = r->n > r->nrow ? r->n : r->nrow;
  double *X = calloc((size_t)rank * (size_t)(most + 1), sizeof *X);
  if (!X) return LW_E_MEMORY;
  const bool good = solve_independent(r, A, X, pivot, weight) &&
                    solve_rows(r, A, X, tau, pivot, weight, X + (size_t)rank * (size_t)most);
  free(X);
  return good ? LW_OK : LW_E_SINGULAR;
}

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* Independent speeds are those not among the first `rank` pivots, without those that particles do
   not have. */
static void choose(lwi_reduced *r, int *pivot, const double *weight)
{
  int n = 0;
  for (int k = r->rank; k < r->nu; k++)
    if (weight[pivot[k] - 1] > 0) r->independent[n++] = pivot[k] - 1;
  r->n = n;
  for (int k = 0; k < r->rank; k++)
    r->dependent[k] = pivot[k] - 1;
}

/* Columns of R12 in the order of the independent speeds, without those that particles do not
   have. */
static void gather_columns(const lwi_reduced *r, double *A, const int *pivot, double *row)
{
  for (int i = 0; i < r->rank; i++) {
    for (int c = r->rank; c < r->nu; c++)
      row[pivot[c] - 1] = A[(size_t)c * (size_t)r->nrow + (size_t)i];
    for (int k = 0; k < r->n; k++)
      A[(size_t)(r->rank + k) * (size_t)r->nrow + (size_t)i] = row[r->independent[k]];
  }
}

/* A = Q R with column pivoting, by columns. */
static lw_status factor(const lwi_reduced *r, double *A, double *tau, int *pivot)
{
  const int nu = r->nu, nrow = r->nrow;
  double size = 0;
  if (!lwi_all_finite(A, nrow * nu)) return LW_E_NUMBER;
  if (!lwi_lapack()) return LW_E_MEMORY;
  lwi_lapack()->dgeqp3(LAPACK_COL_MAJOR, nrow, nu, A, nrow, pivot, tau, &size, -1);
  double *scratch = calloc((size_t)size + 1, sizeof *scratch);
  if (!scratch) return LW_E_MEMORY;
  lwi_lapack()->dgeqp3(LAPACK_COL_MAJOR, nrow, nu, A, nrow, pivot, tau, scratch, (int)size);
  free(scratch);
  return LW_OK;
}

static lw_status split_rows(lwi_reduced *r, double *A, double *tau, int *pivot, double *weight)
{
  const int nu = r->nu, nrow = r->nrow;
  for (int i = 0; i < nrow; i++)
    for (int j = 0; j < nu; j++)
      A[(size_t)j * (size_t)nrow + (size_t)i] =
          r->G[(size_t)i * (size_t)nu + (size_t)j] * weight[j];
  const lw_status status = factor(r, A, tau, pivot);
  if (status != LW_OK) return status;
  const int most = nrow < nu ? nrow : nu;
  for (int k = 0; k < most && r->tolerance > 0; k++)
    if (fabs(A[(size_t)k * (size_t)nrow + (size_t)k]) <= r->tolerance * fabs(A[0]) && k < r->rank)
      r->rank = k;
  choose(r, pivot, weight);
  qsort(r->independent, (size_t)r->n, sizeof(int), compare);
  gather_columns(r, A, pivot, weight + nu);
  memset(r->N, 0, (size_t)nu * (size_t)r->n * sizeof(double));
  for (int k = 0; k < r->n; k++)
    r->N[r->independent[k] * r->n + k] = 1;
  return r->rank == 0 ? LW_OK : solve_dependent(r, A, tau, pivot, weight);
}

/* For a tree: all speeds but those that particles do not have. */
static void keep_all(lwi_reduced *r, const double *weight)
{
  r->n = 0;
  for (int j = 0; j < r->nu; j++)
    if (weight[j] > 0) r->independent[r->n++] = j;
  memset(r->N, 0, (size_t)r->nu * (size_t)r->n * sizeof(double));
  for (int k = 0; k < r->n; k++)
    r->N[r->independent[k] * r->n + k] = 1;
}

/* The rank by the rule of the closure, which drops dependent rows by the pivots of W. */
static lw_status find_rank(lwi_reduced *r)
{
  int dof, redundant;
  const lw_status status = lw_dof(r->w, r->q, &dof, &redundant);
  r->rank = r->nrow - redundant;
  return status;
}

lw_status lwi_reduced_split(lwi_reduced *r)
{
  const size_t nu = (size_t)r->nu, nrow = (size_t)r->nrow;
  double *block = calloc(nrow * nu + 4 * nu + nrow + 1, sizeof *block);
  int *pivot = calloc(nu + 1, sizeof *pivot);
  lw_status status = block && pivot ? LW_OK : LW_E_MEMORY;
  double *weight = block;
  r->rank = 0;
  if (status == LW_OK) lwi_reduced_weigh(r, weight);
  if (status == LW_OK && r->nrow == 0) keep_all(r, weight);
  if (status == LW_OK && r->nrow > 0 && r->nu > 0) {
    status = find_rank(r);
    if (status == LW_OK) status = split_rows(r, block + 4 * nu, block + 2 * nu, pivot, weight);
  } else if (r->nu == 0)
    r->n = 0;
  free(block);
  free(pivot);
  return status;
}
