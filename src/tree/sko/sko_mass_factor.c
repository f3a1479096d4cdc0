/* SPDX-License-Identifier: Apache-2.0 */
/* sko_mass_factor.c -- Mass = L* D L of a mass matrix whose zeros follow from a tree of freedoms.
   [RBDA] chapter 6; the pattern is that of [Jain2012] figure 7.

   Row i holds the entries with i itself and the freedoms that carry it, inward: entry 0 with i,
   entry 1 with parent[i], and so on.  The ancestors of an ancestor are the end of the same list,
   so that the elimination of freedom i from row j subtracts one contiguous piece of row i from row
   j, and no entry appears that was not there. */
#include "tree/sko/sko.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct lw_mass_factor {
  lw_tree *tree;
  int n;
  bool has_factor;
  int64_t nentry;
  int64_t *start;  /* [n] first entry of each row */
  double *entry;   /* [nentry] */
  double *inverse; /* [n] 1 / D, zero where no mass moves */
};

static int length(const lw_mass_factor *f, int i)
{
  return f->tree->depth[i] + 1;
}

/* ---- make ---- */

static void factor_carve(lw_mass_factor *f, lwi_carver *c)
{
  (void)LWI_CARVE(c, 1, lw_mass_factor); /* the object itself comes first */
  f->start = LWI_CARVE(c, f->n, int64_t);
  f->inverse = LWI_CARVE(c, f->n, double);
  f->entry = LWI_CARVE(c, f->nentry, double);
}

static lw_mass_factor *build(lw_tree *tree)
{
  lw_mass_factor f = {.tree = tree, .n = tree->nnode};
  lwi_carver c = {0};
  for (int i = 0; i < f.n; i++)
    f.nentry += length(&f, i);
  if ((uint64_t)f.nentry > SIZE_MAX / 64) return NULL;
  factor_carve(&f, &c);
  if (!lwi_carver_alloc(&c)) return NULL;
  factor_carve(&f, &c);
  for (int i = 1; i < f.n; i++)
    f.start[i] = f.start[i - 1] + length(&f, i - 1);
  return memcpy(c.base, &f, sizeof f);
}

lw_mass_factor *lw_mass_factor_new(int n, const int parent[], lw_error *err)
{
  lw_tree *tree = lw_tree_new(n, parent, NULL, err);
  if (!tree) return NULL;
  lw_mass_factor *f = build(tree);
  if (!f) {
    lw_tree_free(tree);
    return lwi_refuse(err, LW_E_MEMORY);
  }
  return f;
}

void lw_mass_factor_free(lw_mass_factor *f)
{
  if (!f) return;
  lw_tree_free(f->tree);
  free(f);
}

int64_t lw_mass_factor_nentry(const lw_mass_factor *f)
{
  if (!f) return 0;
  return f->nentry;
}

/* ---- factor ---- */

/* True if a freedom moves no mass: nothing in its row, and then nothing in its column either. */
static bool is_empty(const double *row, int count)
{
  for (int i = 0; i < count; i++)
    if (row[i] != 0) return false;
  return true;
}

/* Takes freedom i out of the rows of all that carry it; its row becomes that of L. */
static void eliminate(lw_mass_factor *f, int i)
{
  double *row = f->entry + f->start[i];
  const int count = length(f, i);
  int j = f->tree->parent[i];
  for (int a = 1; a < count; a++, j = f->tree->parent[j]) {
    const double factor = row[a] * f->inverse[i];
    double *inner = f->entry + f->start[j];
    for (int b = a; b < count; b++)
      inner[b - a] -= factor * row[b];
  }
  for (int a = 1; a < count; a++)
    row[a] *= f->inverse[i];
}

/* Inverse of D holds the diagonal of the matrix until its turn comes: a pivot that has lost all its
   digits is zero. */
static lw_status factor(lw_mass_factor *f)
{
  for (int i = 0; i < f->n; i++)
    f->inverse[i] = f->entry[f->start[i]];
  for (int place = f->n - 1; place >= 0; place--) {
    const int i = f->tree->order[place];
    double *row = f->entry + f->start[i];
    if (!isfinite(row[0])) return LW_E_NUMBER;
    const bool empty = f->inverse[i] == 0 && is_empty(row, length(f, i));
    if (!empty && !(row[0] > f->n * DBL_EPSILON * f->inverse[i])) return LW_E_SINGULAR;
    f->inverse[i] = empty ? 0 : 1 / row[0];
    eliminate(f, i);
  }
  f->has_factor = true;
  return LW_OK;
}

lw_status lw_mass_factor_compute(lw_mass_factor *f, const double mass[])
{
  if (!f || (f->n && !mass)) return LW_E_ARG;
  f->has_factor = false;
  for (int i = 0; i < f->n; i++) {
    double *row = f->entry + f->start[i];
    for (int j = i; j >= 0; j = f->tree->parent[j])
      *row++ = mass[(size_t)i * (size_t)f->n + (size_t)j];
  }
  return factor(f);
}

static void put_entries(void *to, int i, int j, int count, const double *x)
{
  lw_mass_factor *f = (lw_mass_factor *)to;
  double *row = f->entry + f->start[i];
  for (int c = 0; c < count; c++)
    row[f->tree->depth[i] - f->tree->depth[j + c]] = x[c];
}

/* The freedoms of the model and those of the factor must form the same tree. */
static bool fits(const lw_mass_factor *f, const lw_sko *k)
{
  bool same = f->n == k->nfreedom;
  for (int v = 0; v < k->nnode && same; v++)
    for (int j = 0; j < k->node[v].r && same; j++)
      same = f->tree->parent[k->node[v].freedom + j] == lwi_sko_inner_freedom(k, v, j);
  return same;
}

lw_status lw_mass_factor_compute_sko(lw_mass_factor *f, lw_sko *k)
{
  if (!f || !k || !fits(f, k)) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  f->has_factor = false;
  lwi_sko_composite(k, &(lwi_sko_sink){f, put_entries});
  return factor(f);
}

/* ---- use ---- */

/* x = L^-* x, and x = L^-1 x */
static void solve_inward(const lw_mass_factor *f, double *x)
{
  for (int place = f->n - 1; place >= 0; place--) {
    const int i = f->tree->order[place];
    const double *row = f->entry + f->start[i];
    for (int j = f->tree->parent[i], a = 1; j >= 0; j = f->tree->parent[j], a++)
      x[j] -= row[a] * x[i];
  }
}

static void solve_outward(const lw_mass_factor *f, double *x)
{
  for (int place = 0; place < f->n; place++) {
    const int i = f->tree->order[place];
    const double *row = f->entry + f->start[i];
    for (int j = f->tree->parent[i], a = 1; j >= 0; j = f->tree->parent[j], a++)
      x[i] -= row[a] * x[j];
  }
}

lw_status lw_mass_factor_solve(const lw_mass_factor *f, const double y[], double x[])
{
  if (!f || (f->n && (!x || !y))) return LW_E_ARG;
  if (!f->has_factor) return LW_E_STAGE;
  if (x != y) lwi_sko_copy(x, y, (size_t)f->n);
  solve_inward(f, x);
  for (int i = 0; i < f->n; i++)
    x[i] *= f->inverse[i];
  solve_outward(f, x);
  return LW_OK;
}

lw_status lw_mass_factor_multiply(const lw_mass_factor *f, const double x[], double y[])
{
  if (!f || (f->n && (!x || !y))) return LW_E_ARG;
  if (!f->has_factor) return LW_E_STAGE;
  if (x != y) lwi_sko_copy(y, x, (size_t)f->n);
  for (int place = f->n - 1; place >= 0; place--) { /* L */
    const int i = f->tree->order[place];
    const double *row = f->entry + f->start[i];
    for (int j = f->tree->parent[i], a = 1; j >= 0; j = f->tree->parent[j], a++)
      y[i] += row[a] * y[j];
  }
  for (int i = 0; i < f->n; i++)
    y[i] *= f->entry[f->start[i]];             /* D */
  for (int place = 0; place < f->n; place++) { /* L* */
    const int i = f->tree->order[place];
    const double *row = f->entry + f->start[i];
    for (int j = f->tree->parent[i], a = 1; j >= 0; j = f->tree->parent[j], a++)
      y[j] += row[a] * y[i];
  }
  return LW_OK;
}

lw_status lw_mass_factor_log_determinant(const lw_mass_factor *f, double *logdet)
{
  if (!f || !logdet) return LW_E_ARG;
  if (!f->has_factor) return LW_E_STAGE;
  *logdet = 0;
  for (int i = 0; i < f->n; i++)
    if (f->inverse[i] != 0) *logdet += log(f->entry[f->start[i]]);
  return LW_OK;
}
