/* SPDX-License-Identifier: Apache-2.0 */
/* envelope.c -- Cholesky factor A = L L^T of a semidefinite matrix inside its envelope, with
   pivoting in diagonal blocks and the rank [Golub2013] (envelope.h). */
#include "linalg/envelope.h"
#include "math/arrays.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LARGEST_BLOCK = 6 };

void lwi_envelope_layout(lwi_envelope *e)
{
  e->n = e->nblock ? e->block[e->nblock] : 0;
  e->nvalue = 0;
  for (int b = 0; b < e->nblock; b++)
    for (int i = e->block[b]; i < e->block[b + 1]; i++) {
      e->row[i] = e->nvalue;
      e->nvalue += (size_t)(e->block[b + 1] - e->first[b]);
    }
}

/* The columns of a row that belong to block c, in the order in which c was eliminated. */
static void reorder(const lwi_rank *r, int begin, int end, double *x)
{
  double y[LARGEST_BLOCK];
  for (int k = begin; k < end; k++)
    y[k - begin] = x[r->order[k] - begin];
  memcpy(x, y, (size_t)(end - begin) * sizeof(double));
}

/* L_i,c for all rows i of block b: L_ij = (A_ij - sum_k<j L_ik L_jk) / L_jj */
static void eliminate(const lwi_envelope *e, double *value, const lwi_rank *r, int b, int c)
{
  const int first = e->first[b], start = first > e->first[c] ? first : e->first[c];
  for (int i = e->block[b]; i < e->block[b + 1]; i++) {
    double *Li = value + e->row[i] - first;
    reorder(r, e->block[c], e->block[c + 1], Li + e->block[c]);
    for (int j = e->block[c]; j < e->block[c + 1]; j++) {
      const double *Lj = value + e->row[j] - e->first[c];
      Li[j] = r->kept[j] ? (Li[j] - lwi_dot(Li + start, Lj + start, j - start)) / Lj[j] : 0;
    }
  }
}

static void swap_rows(const lwi_envelope *e, double *value, lwi_rank *r, int b, int i, int j)
{
  const int first = e->first[b], end = e->block[b + 1];
  if (i == j) return;
  double *x = value + e->row[i] - first, *y = value + e->row[j] - first;
  for (int k = first; k < end; k++) {
    const double t = x[k];
    x[k] = y[k];
    y[k] = t;
  }
  for (int k = e->block[b]; k < end; k++) {
    double *z = value + e->row[k] - first;
    const double t = z[i];
    z[i] = z[j];
    z[j] = t;
  }
  const int o = r->order[i];
  r->order[i] = r->order[j];
  r->order[j] = o;
  const double p = r->pivot[i];
  r->pivot[i] = r->pivot[j];
  r->pivot[j] = p;
}

/* The largest pivot relative to its original diagonal, which pivot[] holds, among those above
   `ratio` of diagonals above `zero`; -1: there is none. */
static int find_pivot(const lwi_envelope *e, const double *value, const lwi_rank *r, int b, int k,
                      double zero, double ratio)
{
  int best = -1;
  for (int i = k; i < e->block[b + 1]; i++) {
    const double d = value[e->row[i] + (size_t)(i - e->first[b])], own = r->pivot[i];
    if (own > zero && d > ratio * own) {
      best = i;
      ratio = d / own;
    }
  }
  return best;
}

/* the rows below row k of a diagonal block, once its pivot is known */
static void eliminate_row(const lwi_envelope *e, double *value, int b, int k)
{
  const int first = e->first[b], end = e->block[b + 1];
  double *Lk = value + e->row[k] - first;
  Lk[k] = sqrt(Lk[k]);
  for (int i = k + 1; i < end; i++) {
    double *Li = value + e->row[i] - first;
    Li[k] /= Lk[k];
  }
  for (int i = k + 1; i < end; i++) {
    double *Li = value + e->row[i] - first;
    for (int j = k + 1; j < end; j++)
      Li[j] -= Li[k] * value[e->row[j] + (size_t)(k - first)];
  }
}

static void clear_column(const lwi_envelope *e, double *value, int b, int k)
{
  for (int i = k; i < e->block[b + 1]; i++)
    value[e->row[i] + (size_t)(k - e->first[b])] = i == k ? 1 : 0;
}

/* With a rule: chooses; without: takes the rows as before, in the same order. */
static void factor_diagonal(const lwi_envelope *e, double *value, lwi_rank *r, int b,
                            const lwi_rank_rule *rule, double largest, double *weakest)
{
  int had = 0; /* rows kept the last time */
  double strongest = 0;
  for (int k = e->block[b]; k < e->block[b + 1]; k++) {
    had += rule && rule->lost > 0 && r->kept[k];
    strongest = r->pivot[k] > strongest ? r->pivot[k] : strongest;
  }
  for (int k = e->block[b]; k < e->block[b + 1]; k++) {
    const bool again = k - e->block[b] < had;
    if (rule) {
      /* A = L L^T up to rounding errors of the diagonal, eps A_ii; in what remains of a row that
         depends on others they appear divided by the weakest pivot of these, relative to its
         diagonal ([Higham2002], semidefinite matrices) */
      const double noise = DBL_EPSILON / *weakest;
      const int chosen = find_pivot(e, value, r, b, k, rule->zero * largest,
                                    again ? rule->lost : fmax(rule->dependent, noise));
      r->kept[k] = chosen >= 0;
      if (chosen >= 0) swap_rows(e, value, r, b, k, chosen);
    }
    const double d = value[e->row[k] + (size_t)(k - e->first[b])];
    if (r->kept[k] && d > 1e-15 * fabs(r->pivot[k])) {
      r->weakest = d / strongest < r->weakest ? d / strongest : r->weakest;
      *weakest = fmin(*weakest, d / r->pivot[k]);
      eliminate_row(e, value, b, k);
      r->rank++;
    } else {
      r->kept[k] = false;
      clear_column(e, value, b, k);
    }
  }
}

/* S = A_bb - L_b L_b^T */
static void reduce_diagonal(const lwi_envelope *e, double *value, int b)
{
  const int first = e->first[b], begin = e->block[b];
  for (int i = begin; i < e->block[b + 1]; i++)
    for (int j = begin; j <= i; j++) {
      double *a = value + e->row[i] - first, *c = value + e->row[j] - first;
      a[j] -= lwi_dot(a + first, c + first, begin - first);
      c[i] = a[j];
    }
}

/* The rows of a diagonal block are in file order: put them into the order that is held fixed. */
static void restore_order(const lwi_envelope *e, double *value, lwi_rank *r, int b)
{
  const int begin = e->block[b], end = e->block[b + 1];
  int wanted[LARGEST_BLOCK];
  for (int k = begin; k < end; k++) {
    wanted[k - begin] = r->order[k];
    r->order[k] = k;
  }
  for (int k = begin; k < end; k++)
    for (int i = k; i < end; i++)
      if (r->order[i] == wanted[k - begin]) {
        swap_rows(e, value, r, b, k, i);
        break;
      }
}

void lwi_envelope_factor(const lwi_envelope *e, double *value, lwi_rank *r,
                         const lwi_rank_rule *rule)
{
  double largest = rule ? rule->unit : 0, weakest = 1;
  r->rank = 0;
  r->weakest = 1;
  for (int b = 0; b < e->nblock; b++)
    for (int i = e->block[b]; i < e->block[b + 1]; i++) {
      r->pivot[i] = value[e->row[i] + (size_t)(i - e->first[b])];
      if (rule) r->order[i] = i;
      if (r->pivot[i] > largest) largest = r->pivot[i];
    }
  for (int b = 0; b < e->nblock; b++) {
    int c = b;
    while (c > 0 && e->block[c] > e->first[b])
      c--;
    if (!rule) restore_order(e, value, r, b);
    for (; c < b; c++)
      eliminate(e, value, r, b, c);
    reduce_diagonal(e, value, b);
    factor_diagonal(e, value, r, b, rule, largest, &weakest);
  }
}

void lwi_envelope_solve(const lwi_envelope *e, const double *value, const lwi_rank *r, double *x)
{
  double *y = r->rhs;
  for (int b = 0; b < e->nblock; b++)
    for (int i = e->block[b]; i < e->block[b + 1]; i++) {
      const int first = e->first[b];
      const double *L = value + e->row[i] - first;
      y[i] = r->kept[i] ? (x[r->order[i]] - lwi_dot(L + first, y + first, i - first)) / L[i] : 0;
    }
  for (int b = e->nblock - 1; b >= 0; b--)
    for (int i = e->block[b + 1] - 1; i >= e->block[b]; i--) {
      const double *L = value + e->row[i] - e->first[b];
      y[i] = r->kept[i] ? y[i] / L[i] : 0;
      for (int k = e->first[b]; k < i; k++)
        y[k] -= L[k] * y[i];
    }
  for (int i = 0; i < e->n; i++)
    x[r->order[i]] = y[i];
}
