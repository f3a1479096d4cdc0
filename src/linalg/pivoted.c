/* SPDX-License-Identifier: Apache-2.0 */
/* pivoted.c -- choosing is right-looking elimination on rows that grow; factoring and solving are
   by rows inside the pattern found. */
#include "linalg/pivoted.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.01;    /* part of its row above which an entry may be a pivot */
static const double SMALL = 1e-3;    /* part of a row's first size below which it waits, ... */
static const double ZERO = 1e-10;    /* ... below which it depends on the others, ... */
static const double NOTHING = 1e-14; /* ... and below which nothing is left of it */

struct lwi_pivoted {
  int nrow, ncol, ngroup, rank;
  size_t *start;
  int *column;
  int *group, *order;
  double *row_weight, *column_weight;
  int *pivot_row, *pivot_column;       /* [rank] */
  int *place_of_row, *place_of_column; /* -1: none */
  size_t *l_start, *u_start;           /* [rank + 1] */
  int *l_place, *u_column;             /* pivots before; columns, without the pivot's */
  double *l_value, *u_value, *pivot;
  double *dense, *y; /* [ncol], [nrow] scratch; dense stays zero in between */
};

/* ---- make ---- */

void lwi_pivoted_free(lwi_pivoted *p)
{
  if (!p) return;
  void *const all[] = {p->start,        p->column,          p->group,     p->order,
                       p->row_weight,   p->column_weight,   p->pivot_row, p->pivot_column,
                       p->place_of_row, p->place_of_column, p->l_start,   p->u_start,
                       p->l_place,      p->u_column,        p->l_value,   p->u_value,
                       p->pivot,        p->dense,           p->y};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(p);
}

static bool take(lwi_pivoted *p)
{
  const size_t n = (size_t)p->nrow + 1, m = (size_t)p->ncol + 1;
  p->start = calloc(n, sizeof(size_t));
  p->group = calloc((size_t)p->ngroup + 1, sizeof(int));
  p->order = calloc(n, sizeof(int));
  p->row_weight = calloc(n, sizeof(double));
  p->column_weight = calloc(m, sizeof(double));
  p->pivot_row = calloc(n, sizeof(int));
  p->pivot_column = calloc(n, sizeof(int));
  p->place_of_row = calloc(n, sizeof(int));
  p->place_of_column = calloc(m, sizeof(int));
  p->l_start = calloc(n, sizeof(size_t));
  p->u_start = calloc(n, sizeof(size_t));
  p->pivot = calloc(n, sizeof(double));
  p->dense = calloc(m, sizeof(double));
  p->y = calloc(n, sizeof(double));
  return p->start && p->group && p->order && p->row_weight && p->column_weight && p->pivot_row &&
         p->pivot_column && p->place_of_row && p->place_of_column && p->l_start && p->u_start &&
         p->pivot && p->dense && p->y;
}

lwi_pivoted *lwi_pivoted_new(int nrow, int ncol, const size_t start[], const int column[],
                             int ngroup, const int group[], const int order[])
{
  lwi_pivoted *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->nrow = nrow;
  p->ncol = ncol;
  p->ngroup = group ? ngroup : 1;
  const size_t entries = nrow > 0 ? start[nrow] : 0;
  p->column = malloc((entries + 1) * sizeof(int));
  if (!take(p) || !p->column) {
    lwi_pivoted_free(p);
    return NULL;
  }
  for (int i = 0; i <= nrow; i++)
    p->start[i] = nrow > 0 ? start[i] : 0;
  if (entries) memcpy(p->column, column, entries * sizeof(int));
  for (int i = 0; i < nrow; i++)
    p->order[i] = group ? order[i] : i;
  for (int g = 0; g <= p->ngroup; g++)
    p->group[g] = group ? group[g] : g * nrow;
  return p;
}

/* ---- choose ---- */

typedef struct {
  int *column;
  double *value;
  int n, scratch, value_capacity;
  int *before; /* pivots that were subtracted from it */
  int nbefore, before_capacity;
  double first; /* its size by weight, at the beginning */
  bool active;
} active_row;

typedef struct {
  int *row;
  int n, scratch;
} active_column;

typedef struct {
  lwi_pivoted *p;
  active_row *row;
  active_column *column;
  int *at; /* [ncol] place of a column in the row at hand, plus one */
  int *late;
  int nlate;
  bool failed; /* no memory */
} elimination;

static double weight(const elimination *e, int i, int k)
{
  const active_row *r = &e->row[i];
  return fabs(r->value[k]) * e->p->row_weight[i] * e->p->column_weight[r->column[k]];
}

static double row_size(const elimination *e, int i)
{
  double most = 0;
  for (int k = 0; k < e->row[i].n; k++)
    most = fmax(most, weight(e, i, k));
  return most;
}

static bool append(active_row *r, int column, double value)
{
  if (!lwi_grow(&r->column, r->n, &r->scratch, sizeof(int)) ||
      !lwi_grow(&r->value, r->n, &r->value_capacity, sizeof(double)))
    return false;
  r->column[r->n] = column;
  r->value[r->n++] = value;
  return true;
}

static bool list(active_column *c, int row)
{
  if (!lwi_grow(&c->row, c->n, &c->scratch, sizeof(int))) return false;
  c->row[c->n++] = row;
  return true;
}

static void unlist(active_column *c, int row)
{
  for (int k = 0; k < c->n; k++)
    if (c->row[k] == row) {
      c->row[k] = c->row[--c->n];
      return;
    }
}

static bool begin(elimination *e, lwi_pivoted *p, const double value[])
{
  *e = (elimination){.p = p};
  e->row = calloc((size_t)p->nrow + 1, sizeof *e->row);
  e->column = calloc((size_t)p->ncol + 1, sizeof *e->column);
  e->at = calloc((size_t)p->ncol + 1, sizeof *e->at);
  e->late = calloc((size_t)p->nrow + 1, sizeof *e->late);
  if (!e->row || !e->column || !e->at || !e->late) return false;
  for (int i = 0; i < p->nrow; i++) {
    for (size_t k = p->start[i]; k < p->start[i + 1]; k++)
      if (!append(&e->row[i], p->column[k], value[k]) || !list(&e->column[p->column[k]], i))
        return false;
    e->row[i].active = true;
    e->row[i].first = row_size(e, i);
  }
  return true;
}

static void end(elimination *e)
{
  for (int i = 0; i < e->p->nrow && e->row; i++) {
    free(e->row[i].column);
    free(e->row[i].value);
    free(e->row[i].before);
  }
  for (int j = 0; j < e->p->ncol && e->column; j++)
    free(e->column[j].row);
  free(e->row);
  free(e->column);
  free(e->at);
  free(e->late);
}

/* takes a row out of the lists of its columns */
static void retire(elimination *e, int i)
{
  active_row *r = &e->row[i];
  r->active = false;
  for (int k = 0; k < r->n; k++)
    unlist(&e->column[r->column[k]], i);
}

/* row i minus a multiple of the pivot row, so that its entry in the pivot's column vanishes */
static void subtract(elimination *e, int i, int pivot, int column, double pivot_value)
{
  active_row *r = &e->row[i];
  const active_row *from = &e->row[pivot];
  for (int k = 0; k < r->n; k++)
    e->at[r->column[k]] = k + 1;
  const double factor = r->value[e->at[column] - 1] / pivot_value;
  const int old = r->n;
  for (int k = 0; k < from->n && !e->failed; k++) {
    const int j = from->column[k], place = e->at[j];
    if (j == column) continue;
    if (place)
      r->value[place - 1] -= factor * from->value[k];
    else
      e->failed = !append(r, j, -factor * from->value[k]) || !list(&e->column[j], i);
  }
  const int gone = e->at[column] - 1;
  for (int k = 0; k < old; k++)
    e->at[r->column[k]] = 0;
  r->column[gone] = r->column[r->n - 1];
  r->value[gone] = r->value[--r->n];
  e->failed = e->failed || !lwi_grow(&r->before, r->nbefore, &r->before_capacity, sizeof(int));
  if (!e->failed) r->before[r->nbefore++] = e->p->rank;
}

static void take_pivot(elimination *e, int i, int k)
{
  lwi_pivoted *p = e->p;
  active_row *r = &e->row[i];
  const int column = r->column[k];
  const double value = r->value[k];
  retire(e, i);
  active_column *c = &e->column[column];
  for (int s = 0; s < c->n && !e->failed; s++)
    subtract(e, c->row[s], i, column, value);
  c->n = 0;
  /* the pivot's own entry goes: what is left are the columns of its row of U */
  r->column[k] = r->column[r->n - 1];
  r->value[k] = r->value[--r->n];
  p->pivot_row[p->rank] = i;
  p->pivot_column[p->rank] = column;
  p->place_of_row[i] = p->place_of_column[column] = p->rank;
  p->rank++;
}

typedef struct {
  int row, k, count;
  double weight, share; /* by weight, and that as a part of the row's size or first size */
} candidate;

/* the best entry of a row: few: of the large ones that with the fewest other rows in its column */
static candidate best_of_row(const elimination *e, int i, bool few)
{
  const active_row *r = &e->row[i];
  const double size = row_size(e, i);
  candidate best = {.row = i, .k = -1};
  for (int k = 0; k < r->n; k++) {
    const double w = weight(e, i, k);
    const int count = few ? e->column[r->column[k]].n : 0;
    if (!(w > 0) || (few && w < LARGE * size)) continue;
    if (best.k >= 0 && (count > best.count || (count == best.count && w <= best.weight))) continue;
    best = (candidate){i, k, count, w, 0};
  }
  best.share = e->row[i].first > 0 ? size / e->row[i].first : 0;
  return best;
}

static bool is_better(const candidate *a, const candidate *b)
{
  if (a->count != b->count) return a->count < b->count;
  return a->weight > b->weight;
}

/* Rows rows[0 .. n-1], the largest first; rows that have become small go to the late ones, or if
   these are they, are dropped. */
static void eliminate(elimination *e, const int *rows, int n, bool few, bool last, int rank)
{
  while (!e->failed) {
    candidate best = {.row = -1};
    for (int s = 0; s < n; s++) {
      const int i = rows[s];
      if (!e->row[i].active) continue;
      const candidate c = best_of_row(e, i, few);
      const double least = !last ? SMALL : e->p->rank < rank ? NOTHING : ZERO;
      if (c.k < 0 || c.share < least) continue;
      if (best.row < 0 || is_better(&c, &best)) best = c;
    }
    if (best.row < 0) break;
    take_pivot(e, best.row, best.k);
  }
  for (int s = 0; s < n && !last; s++) {
    const active_row *r = &e->row[rows[s]];
    if (!r->active) continue;
    if (row_size(e, rows[s]) > 0.1 * ZERO * r->first)
      e->late[e->nlate++] = rows[s];
    else
      retire(e, rows[s]);
  }
}

/* space for factors with so many entries; false: no memory, and that of before stays */
static bool take_factors(lwi_pivoted *p, size_t nl, size_t nu)
{
  int *l_place = malloc((nl + 1) * sizeof(int)), *u_column = malloc((nu + 1) * sizeof(int));
  double *l_value = malloc((nl + 1) * sizeof(double)), *u_value = malloc((nu + 1) * sizeof(double));
  const bool fine = l_place && l_value && u_column && u_value;
  free(fine ? p->l_place : l_place), free(fine ? p->l_value : l_value);
  free(fine ? p->u_column : u_column), free(fine ? p->u_value : u_value);
  if (!fine) return false;
  p->l_place = l_place, p->l_value = l_value;
  p->u_column = u_column, p->u_value = u_value;
  return true;
}

/* Factors' patterns out of what elimination left. */
static bool keep_patterns(elimination *e)
{
  lwi_pivoted *p = e->p;
  size_t nl = 0, nu = 0;
  for (int k = 0; k < p->rank; k++) {
    const active_row *r = &e->row[p->pivot_row[k]];
    p->l_start[k] = nl;
    p->u_start[k] = nu;
    nl += (size_t)r->nbefore;
    nu += (size_t)r->n;
  }
  p->l_start[p->rank] = nl;
  p->u_start[p->rank] = nu;
  if (!take_factors(p, nl, nu)) return false;
  for (int k = 0; k < p->rank; k++) {
    const active_row *r = &e->row[p->pivot_row[k]];
    if (r->nbefore) memcpy(p->l_place + p->l_start[k], r->before, (size_t)r->nbefore * sizeof(int));
    if (r->n) memcpy(p->u_column + p->u_start[k], r->column, (size_t)r->n * sizeof(int));
  }
  return true;
}

bool lwi_pivoted_choose(lwi_pivoted *p, const double value[], const double row_weight[],
                        const double column_weight[], int rank)
{
  elimination e;
  if (p->nrow) memcpy(p->row_weight, row_weight, (size_t)p->nrow * sizeof(double));
  if (p->ncol) memcpy(p->column_weight, column_weight, (size_t)p->ncol * sizeof(double));
  for (int i = 0; i < p->nrow; i++)
    p->place_of_row[i] = -1;
  for (int j = 0; j < p->ncol; j++)
    p->place_of_column[j] = -1;
  p->rank = 0;
  bool fine = begin(&e, p, value);
  for (int g = 0; g < p->ngroup && fine; g++)
    eliminate(&e, p->order + p->group[g], p->group[g + 1] - p->group[g], p->ngroup > 1, false, 0);
  if (fine) eliminate(&e, e.late, e.nlate, false, true, rank);
  fine = fine && !e.failed && keep_patterns(&e);
  end(&e);
  if (fine) lwi_pivoted_factor(p, value);
  return fine;
}

bool lwi_pivoted_is_alike(const lwi_pivoted *a, const lwi_pivoted *b)
{
  if (a->nrow != b->nrow || a->ncol != b->ncol) return false;
  const size_t rows = (size_t)a->nrow + 1, entries = a->start[a->nrow];
  return memcmp(a->start, b->start, rows * sizeof(size_t)) == 0 &&
         (entries == 0 || memcmp(a->column, b->column, entries * sizeof(int)) == 0);
}

bool lwi_pivoted_follow(lwi_pivoted *p, const lwi_pivoted *from)
{
  const size_t rows = (size_t)p->nrow, columns = (size_t)p->ncol, places = (size_t)from->rank + 1;
  const size_t nl = from->l_start[from->rank], nu = from->u_start[from->rank];
  if (!take_factors(p, nl, nu)) return false;
  p->rank = from->rank;
  memcpy(p->row_weight, from->row_weight, rows * sizeof(double));
  memcpy(p->column_weight, from->column_weight, columns * sizeof(double));
  memcpy(p->pivot_row, from->pivot_row, rows * sizeof(int));
  memcpy(p->pivot_column, from->pivot_column, rows * sizeof(int));
  memcpy(p->place_of_row, from->place_of_row, rows * sizeof(int));
  memcpy(p->place_of_column, from->place_of_column, columns * sizeof(int));
  memcpy(p->l_start, from->l_start, places * sizeof(size_t));
  memcpy(p->u_start, from->u_start, places * sizeof(size_t));
  if (nl) memcpy(p->l_place, from->l_place, nl * sizeof(int));
  if (nu) memcpy(p->u_column, from->u_column, nu * sizeof(int));
  return true;
}

/* ---- factor and solve ---- */

double lwi_pivoted_factor(lwi_pivoted *p, const double value[])
{
  double *x = p->dense, weakest = 1;
  for (int k = 0; k < p->rank; k++) {
    const int i = p->pivot_row[k], column = p->pivot_column[k];
    for (size_t s = p->start[i]; s < p->start[i + 1]; s++)
      x[p->column[s]] = value[s];
    for (size_t s = p->l_start[k]; s < p->l_start[k + 1]; s++) {
      const int j = p->l_place[s];
      const double factor = x[p->pivot_column[j]] / p->pivot[j];
      p->l_value[s] = factor;
      x[p->pivot_column[j]] = 0;
      for (size_t r = p->u_start[j]; r < p->u_start[j + 1]; r++)
        x[p->u_column[r]] -= factor * p->u_value[r];
    }
    double most = 0;
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++) {
      const int j = p->u_column[r];
      p->u_value[r] = x[j];
      most = fmax(most, fabs(x[j]) * p->column_weight[j]);
      x[j] = 0;
    }
    p->pivot[k] = x[column];
    x[column] = 0;
    const double own = fabs(p->pivot[k]) * p->column_weight[column];
    if (!(own >= weakest * most)) weakest = own / most;
  }
  return weakest;
}

void lwi_pivoted_solve(const lwi_pivoted *p, const double b[], double x[])
{
  for (int k = 0; k < p->rank; k++) {
    double sum = b[p->pivot_row[k]];
    for (size_t s = p->l_start[k]; s < p->l_start[k + 1]; s++)
      sum -= p->l_value[s] * p->y[p->l_place[s]];
    p->y[k] = sum;
  }
  for (int k = p->rank - 1; k >= 0; k--) {
    double sum = p->y[k];
    for (size_t r = p->u_start[k]; r < p->u_start[k + 1]; r++)
      sum -= p->u_value[r] * x[p->u_column[r]];
    x[p->pivot_column[k]] = sum / p->pivot[k];
  }
}

int lwi_pivoted_rank(const lwi_pivoted *p)
{
  return p->rank;
}

bool lwi_pivoted_is_dependent(const lwi_pivoted *p, int column)
{
  return p->place_of_column[column] >= 0;
}

bool lwi_pivoted_is_kept(const lwi_pivoted *p, int row)
{
  return p->place_of_row[row] >= 0;
}

size_t lwi_pivoted_entries(const lwi_pivoted *p)
{
  return p->l_start[p->rank] + p->u_start[p->rank] + (size_t)p->rank;
}
