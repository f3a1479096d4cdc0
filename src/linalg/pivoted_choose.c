/* SPDX-License-Identifier: Apache-2.0 */
/* pivoted_choose.c -- chooses pivots by right-looking elimination on rows that grow.  What it
   leaves is the pattern of the factors. */
#include "base/arena.h"
#include "linalg/pivoted_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LARGE = 0.01;    /* part of its row above which an entry may be a pivot */
static const double SMALL = 1e-3;    /* part of a row's first size below which it waits, ... */
static const double NOTHING = 1e-14; /* ... and below which nothing is left of it */

typedef struct {
  int *column;
  double *value;
  int n, capacity, value_capacity;
  int *before; /* pivots that were subtracted from it */
  int nbefore, before_capacity;
  double first; /* its size by weight, at the beginning */
  bool active;
} active_row;

typedef struct {
  int *row; /* also those that have retired */
  int n, capacity;
  int active; /* rows that have not */
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
  if (!lwi_grow(&r->column, r->n, &r->capacity, sizeof(int)) ||
      !lwi_grow(&r->value, r->n, &r->value_capacity, sizeof(double)))
    return false;
  r->column[r->n] = column;
  r->value[r->n++] = value;
  return true;
}

static bool list(active_column *c, int row)
{
  if (!lwi_grow(&c->row, c->n, &c->capacity, sizeof(int))) return false;
  c->row[c->n++] = row;
  c->active++;
  return true;
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

/* takes a row out of its columns */
static void retire(elimination *e, int i)
{
  active_row *r = &e->row[i];
  r->active = false;
  for (int k = 0; k < r->n; k++)
    e->column[r->column[k]].active--;
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
    if (e->row[c->row[s]].active) subtract(e, c->row[s], i, column, value);
  c->n = c->active = 0;
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
    const int count = few ? e->column[r->column[k]].active : 0;
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
      const double least = !last ? SMALL : e->p->rank < rank ? NOTHING : e->p->zero;
      if (c.k < 0 || c.share < least) continue;
      if (best.row < 0 || is_better(&c, &best)) best = c;
    }
    if (best.row < 0) break;
    take_pivot(e, best.row, best.k);
  }
  for (int s = 0; s < n && !last; s++) {
    const active_row *r = &e->row[rows[s]];
    if (!r->active) continue;
    if (row_size(e, rows[s]) > 0.1 * e->p->zero * r->first)
      e->late[e->nlate++] = rows[s];
    else
      retire(e, rows[s]);
  }
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
  if (!lwi_pivoted_take_factors(p, nl, nu)) return false;
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
