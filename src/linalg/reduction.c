/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.c -- solves rows G u = x for dependent unknowns in terms of the independent ones, strip
   by strip with complete pivoting [Golub2013] (reduction.h). */
#include "linalg/reduction.h"

#include <math.h>
#include <string.h>

enum { ROWS = LWI_STRIP_ROWS };

/* a strip while it is worked on: columns as listed, n entries each */
typedef struct {
  lwi_reduction *f;
  const lwi_strip *s;
  lwi_strip_factor *to;
  int n, count;  /* rows; columns so far */
  double *entry; /* of all columns listed */
  double *left;  /* of the free ones, while they are being eliminated */
  double K[ROWS][ROWS];
  double size[ROWS];           /* largest entry of each row as given */
  int row[ROWS], column[ROWS]; /* of the pivots: row, place among the free columns */
} reducer;

void lwi_strip_scratch(const lwi_strip *s, int most, size_t *nindex, size_t *nvalue)
{
  const size_t n = (size_t)s->n, columns = (size_t)most;
  *nindex += columns;
  *nvalue += n * columns + 2 * n * n;
}

static double unit_of(const lwi_reduction *f, int column)
{
  return f->unit ? f->unit[column] : 1;
}

/* ---- in terms of free columns ---- */

static int place_of(reducer *k, int column)
{
  lwi_reduction *f = k->f;
  const int at = f->at[column];
  if (at < k->count && f->list[at] == column) return at;
  f->at[column] = k->count;
  f->list[k->count] = column;
  memset(k->entry + (size_t)(k->n * k->count), 0, (size_t)k->n * sizeof(double));
  return k->count++;
}

static void take_rows(reducer *k, const double *G)
{
  lwi_reduction *f = k->f;
  const int n = k->n, *column = f->column + k->s->column;
  const double *own = G + k->s->G;
  memset(k->size, 0, sizeof k->size);
  for (int i = 0; i < k->s->ncolumn; i++) {
    f->at[column[i]] = i;
    f->list[i] = column[i];
    const double unit = unit_of(f, column[i]);
    for (int r = 0; r < n; r++) {
      const double x = own[i * n + r], a = fabs(x) * unit;
      k->entry[i * n + r] = x;
      k->size[r] = a > k->size[r] ? a : k->size[r];
    }
  }
  k->count = k->s->ncolumn;
}

/* the first pivot after `last` among the columns; -1: none */
static int next_pivot(const reducer *k, int last)
{
  int best = -1;
  for (int i = 0; i < k->count; i++) {
    const int p = k->f->pivot[k->f->list[i]];
    if (p > last && (best < 0 || p < best)) best = p;
  }
  return best;
}

/* entries of a pivot column move to the columns that the pivot depends on */
static void replace(reducer *k, int p)
{
  const lwi_reduction *f = k->f;
  const lwi_strip_factor *from = &f->factor[f->pivot_strip[p]];
  const int at = place_of(k, f->pivot_column[p]), n = k->n;
  double *ell = f->value + k->to->ell + (size_t)(n * k->to->nback);
  memcpy(ell, k->entry + at * n, (size_t)n * sizeof(double));
  f->index[k->to->back + (size_t)k->to->nback++] = p;
  for (int j = 0; j < from->nrest; j++) {
    const double c = f->value[from->C + (size_t)(j * from->m + p - from->first)];
    double *e = k->entry + place_of(k, f->index[from->rest + (size_t)j]) * n;
    for (int r = 0; r < n; r++)
      e[r] -= c * ell[r];
  }
}

/* ---- pivots ---- */

/* the largest entry in a row that is not yet used and still counts; false: none */
static bool find_pivot(const reducer *k, int nfree, unsigned used, double ratio, double least,
                       int m, int row[], int column[])
{
  double best = 0;
  for (int r = 0; r < k->n; r++) {
    if (used >> r & 1 || !(k->size[r] > least)) continue;
    if (k->f->allowed && !k->f->allowed[k->s->row + r]) continue;
    const double enough = ratio * k->size[r];
    for (int c = 0; c < nfree; c++) {
      const double a = fabs(k->left[c * k->n + r]) * unit_of(k->f, k->f->list[c]);
      const double worth = k->f->weight ? a * k->f->weight[k->f->list[c]] : a;
      if (a > enough && worth > best) best = worth, row[m] = r, column[m] = c;
    }
  }
  return best > 0;
}

/* Pivot m: its row becomes 1 in its column, all other rows 0.  Only rows that are pivots have been
   added to others so far: the rest of K is still that of the unit matrix. */
static void eliminate(reducer *k, int nfree, int m)
{
  const int r = k->row[m], c = k->column[m];
  const int n = k->n;
  double factor[ROWS];
  const double inverse = 1 / k->left[c * n + r];
  for (int i = 0; i < n; i++)
    factor[i] = i == r ? 0 : k->left[c * n + i];
  for (int j = 0; j < nfree; j++) {
    double *e = k->left + j * n;
    const double x = e[r] * inverse;
    for (int i = 0; i < n; i++)
      e[i] -= factor[i] * x;
    e[r] = x;
  }
  for (int p = 0; p <= m; p++) {
    const int j = k->row[p];
    const double x = k->K[r][j] * inverse;
    for (int i = 0; i < n; i++)
      k->K[i][j] -= factor[i] * x;
    k->K[r][j] = x;
  }
}

/* free columns to the front of list and entry, a copy of their entries into left */
static int gather_free(reducer *k)
{
  lwi_reduction *f = k->f;
  const int n = k->n;
  int nfree = 0;
  for (int i = 0; i < k->count; i++) {
    const int column = f->list[i];
    if (f->pivot[column] >= 0) continue;
    f->list[nfree] = column;
    for (int r = 0; r < n; r++)
      k->left[nfree * n + r] = k->entry[nfree * n + r] = k->entry[i * n + r];
    nfree++;
  }
  return nfree;
}

static bool choose(reducer *k, int nfree, const lwi_rank_rule *rule, double least, int had)
{
  lwi_reduction *f = k->f;
  int *held = f->chosen + k->s->row, m = 0;
  unsigned used = 0;
  for (int r = 0; r < k->n; r++)
    for (int c = 0; c < k->n; c++)
      k->K[r][c] = r == c;
  for (;; m++) {
    if (rule) {
      const double ratio = sqrt(m < had ? rule->lost : rule->dependent);
      if (m == k->n || m == nfree ||
          !find_pivot(k, nfree, used, ratio, least, m, k->row, k->column))
        break;
      held[m] = 8 * f->list[k->column[m]] + k->row[m];
    } else {
      if (m == had) break;
      k->row[m] = held[m] % 8;
      k->column[m] = f->at[held[m] / 8];
      if (k->column[m] >= nfree || f->list[k->column[m]] != held[m] / 8) return false;
    }
    const double pivot =
        fabs(k->left[k->column[m] * k->n + k->row[m]]) * unit_of(f, f->list[k->column[m]]);
    if (!(pivot > 1e-12 * k->size[k->row[m]])) return false;
    used |= 1u << k->row[m];
    eliminate(k, nfree, m);
  }
  k->to->m = m;
  return true;
}

/* what was found becomes the strip's factor */
static void keep(reducer *k, int nfree)
{
  lwi_reduction *f = k->f;
  lwi_strip_factor *to = k->to;
  const int n = k->n, m = to->m;
  double *A = f->value + to->A, *K = f->value + to->K, *C = f->value + to->C;
  for (int r = 0; r < n; r++)
    f->kept[k->s->row + r] = false;
  for (int i = 0; i < m; i++) {
    const int column = f->list[k->column[i]];
    f->kept[k->s->row + k->row[i]] = true;
    for (int r = 0; r < n; r++) {
      A[i * n + r] = k->entry[k->column[i] * n + r];
      K[i * n + r] = k->K[k->row[i]][r];
    }
    f->pivot[column] = to->first + i;
    f->pivot_column[to->first + i] = column;
    f->pivot_strip[to->first + i] = (int)(to - f->factor);
  }
  to->nrest = 0;
  for (int c = 0; c < nfree; c++) {
    if (f->pivot[f->list[c]] >= 0) continue;
    for (int i = 0; i < m; i++)
      C[to->nrest * m + i] = k->left[c * n + k->row[i]];
    f->index[to->rest + (size_t)to->nrest++] = f->list[c];
  }
}

typedef struct {
  size_t index, value;
} scratch;

static bool reduce_strip(lwi_reduction *f, int i, const double *G, const lwi_rank_rule *rule,
                         double least, scratch *used)
{
  reducer k; /* too much to be cleared each time */
  k.f = f, k.s = &f->strip[i], k.to = &f->factor[i], k.n = f->strip[i].n;
  k.entry = f->entry;
  k.left = f->entry + ROWS * (size_t)f->ncolumn;
  const int had = !rule || rule->lost > 0 ? k.to->m : 0;
  *k.to = (lwi_strip_factor){.first = f->rank, .back = used->index, .ell = used->value};
  take_rows(&k, G);
  for (int p = next_pivot(&k, -1); p >= 0; p = next_pivot(&k, p)) {
    if (used->index + (size_t)k.to->nback >= f->nindex ||
        used->value + (size_t)(k.n * (k.to->nback + 1)) > f->nvalue)
      return false;
    replace(&k, p);
  }
  const int nfree = gather_free(&k);
  if (!rule)
    for (int c = 0; c < nfree; c++)
      f->at[f->list[c]] = c;
  k.to->rest = used->index + (size_t)k.to->nback;
  k.to->A = used->value + (size_t)(k.n * k.to->nback);
  k.to->K = k.to->A + (size_t)(k.n * k.n);
  k.to->C = k.to->K + (size_t)(k.n * k.n);
  used->index = k.to->rest + (size_t)nfree;
  used->value = k.to->C + (size_t)(k.n * nfree);
  if (used->index > f->nindex || used->value > f->nvalue) return false;
  if (!choose(&k, nfree, rule, least, had)) return false;
  keep(&k, nfree);
  f->rank += k.to->m;
  return true;
}

/* below this a row is all rounding errors */
static double least_row(const lwi_reduction *f, const double *G, const lwi_rank_rule *rule)
{
  double largest = sqrt(rule->unit);
  for (int i = 0; i < f->nstrip; i++)
    for (int e = 0; e < f->strip[i].n * f->strip[i].ncolumn; e++) {
      const int column = f->column[f->strip[i].column + e / f->strip[i].n];
      const double a = fabs(G[f->strip[i].G + (size_t)e]) * unit_of(f, column);
      largest = a > largest ? a : largest;
    }
  return sqrt(rule->zero) * largest;
}

bool lwi_reduce(lwi_reduction *f, const double *G, const lwi_rank_rule *rule)
{
  const double least = rule ? least_row(f, G, rule) : 0;
  scratch used = {0, 0};
  f->rank = 0;
  for (int c = 0; c < f->ncolumn; c++)
    f->pivot[c] = -1;
  for (int i = 0; i < f->nstrip; i++)
    if (!reduce_strip(f, i, G, rule, least, &used)) return false;
  f->nfree = 0;
  for (int c = 0; c < f->ncolumn; c++)
    if (f->pivot[c] < 0) f->pivot[c] = -1 - f->nfree++;
  return true;
}

/* ---- what follows from it ---- */

void lwi_reduction_map(const lwi_reduction *f, double *X)
{
  const int nv = f->nfree;
  for (int c = 0; c < f->ncolumn && nv > 0; c++) {
    memset(X + (size_t)c * (size_t)nv, 0, (size_t)nv * sizeof(double));
    if (f->pivot[c] < 0) X[(size_t)c * (size_t)nv + (size_t)(-1 - f->pivot[c])] = 1;
  }
  for (int s = f->nstrip - 1; s >= 0; s--) {
    const lwi_strip_factor *k = &f->factor[s];
    for (int i = 0; i < k->m; i++) {
      double *x = X + (size_t)f->pivot_column[k->first + i] * (size_t)nv;
      for (int j = 0; j < k->nrest; j++) {
        const double c = f->value[k->C + (size_t)(j * k->m + i)];
        const double *z = X + (size_t)f->index[k->rest + (size_t)j] * (size_t)nv;
        for (int v = 0; v < nv; v++)
          x[v] -= c * z[v];
      }
    }
  }
}

/* L y = x in the rows kept; with `left` also what the other rows have over */
static void forward(const lwi_reduction *f, const double *x, double *y, double *left)
{
  for (int s = 0; s < f->nstrip; s++) {
    const lwi_strip_factor *k = &f->factor[s];
    const int n = f->strip[s].n, row = f->strip[s].row;
    double rest[ROWS];
    for (int r = 0; r < n; r++)
      rest[r] = x[row + r];
    for (int b = 0; b < k->nback; b++) {
      const double yb = y[f->index[k->back + (size_t)b]];
      for (int r = 0; r < n; r++)
        rest[r] -= f->value[k->ell + (size_t)(b * n + r)] * yb;
    }
    for (int i = 0; i < k->m; i++) {
      double sum = 0;
      for (int r = 0; r < n; r++)
        sum += f->value[k->K + (size_t)(i * n + r)] * rest[r];
      y[k->first + i] = sum;
    }
    if (!left) continue;
    for (int r = 0; r < n; r++) {
      for (int i = 0; i < k->m; i++)
        rest[r] -= f->value[k->A + (size_t)(i * n + r)] * y[k->first + i];
      left[row + r] = f->kept[row + r] ? 0 : rest[r];
    }
  }
}

void lwi_reduction_solve(const lwi_reduction *f, const double *x, double *g)
{
  forward(f, x, f->y, NULL);
  for (int c = 0; c < f->ncolumn; c++)
    g[c] = 0;
  for (int s = f->nstrip - 1; s >= 0; s--) {
    const lwi_strip_factor *k = &f->factor[s];
    for (int i = 0; i < k->m; i++) {
      double sum = f->y[k->first + i];
      for (int j = 0; j < k->nrest; j++)
        sum -= f->value[k->C + (size_t)(j * k->m + i)] * g[f->index[k->rest + (size_t)j]];
      g[f->pivot_column[k->first + i]] = sum;
    }
  }
}

/* L^T lambda = mu with loads in the rows kept alone; mu is used up */
static void backward(const lwi_reduction *f, double *mu, double *lambda)
{
  for (int s = f->nstrip - 1; s >= 0; s--) {
    const lwi_strip_factor *k = &f->factor[s];
    const int n = f->strip[s].n;
    double *own = lambda + f->strip[s].row;
    for (int r = 0; r < n; r++) {
      own[r] = 0;
      for (int i = 0; i < k->m; i++)
        own[r] += f->value[k->K + (size_t)(i * n + r)] * mu[k->first + i];
    }
    for (int b = 0; b < k->nback; b++)
      for (int r = 0; r < n; r++)
        mu[f->index[k->back + (size_t)b]] -= f->value[k->ell + (size_t)(b * n + r)] * own[r];
  }
}

/* R^T mu = r, then L^T lambda = mu */
void lwi_reduction_loads(const lwi_reduction *f, const double *r, double *lambda)
{
  double *left = f->entry;
  memcpy(left, r, (size_t)f->ncolumn * sizeof(double));
  for (int s = 0; s < f->nstrip; s++) {
    const lwi_strip_factor *k = &f->factor[s];
    for (int i = 0; i < k->m; i++) {
      const double mu = f->y[k->first + i] = left[f->pivot_column[k->first + i]];
      for (int j = 0; j < k->nrest; j++)
        left[f->index[k->rest + (size_t)j]] -= f->value[k->C + (size_t)(j * k->m + i)] * mu;
    }
  }
  backward(f, f->y, lambda);
}

void lwi_reduction_stress_transposed(const lwi_reduction *f, const double *x, double *out)
{
  forward(f, x, f->y, out);
}

void lwi_reduction_stress(const lwi_reduction *f, const double *y, double *out)
{
  double *mu = f->y;
  for (int p = 0; p < f->rank; p++)
    mu[p] = 0;
  for (int s = 0; s < f->nstrip; s++) {
    const lwi_strip_factor *k = &f->factor[s];
    const int n = f->strip[s].n;
    const double *own = y + f->strip[s].row;
    for (int r = 0; r < n; r++) {
      for (int b = 0; b < k->nback; b++)
        mu[f->index[k->back + (size_t)b]] -= f->value[k->ell + (size_t)(b * n + r)] * own[r];
      for (int i = 0; i < k->m; i++)
        mu[k->first + i] -= f->value[k->A + (size_t)(i * n + r)] * own[r];
    }
  }
  backward(f, mu, out);
  for (int s = 0; s < f->nstrip; s++)
    for (int r = f->strip[s].row; r < f->strip[s].row + f->strip[s].n; r++)
      out[r] += y[r];
}
