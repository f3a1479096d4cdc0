/* SPDX-License-Identifier: Apache-2.0 */
/* release_search.c -- which changes release all self-stresses of a group and nothing else.

   Each equation that is given up must release one self-stress: the rank of the released loads is
   the number of equations given up, for every part of the set too.  Sets are extended by one
   candidate at a time while this holds; the work matrix is kept in echelon form on the way. */
#include "analysis/redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 5000, MOST_PARTS = 4, PER_PART = 20, UNUSUAL = 100 };
static const double independent = 1e-6, rounding = 1e-13;

/* A released combination of self-stresses, reduced by those before it: zero at their pivots. */
typedef struct {
  int pivot; /* its largest entry */
  size_t at; /* where its entries begin, which end where those of the next one begin */
} echelon_row;
typedef struct {
  int stress;
  double value;
} row_entry;

typedef struct {
  const lwi_group_entries *g;
  int *part; /* [npart + 1] where the entries of g of each part begin */
  const lwi_candidate *candidate;
  int n;
  int *order;       /* [n] by preference */
  echelon_row *row; /* [g->n + 1] */
  row_entry *entry;
  size_t capacity;
  double *x; /* [g->n] the one at hand, else zero */
  int rank, nodes;
  bool *used;  /* [npart] */
  bool failed; /* out of memory */
  lwi_choice now, *best;
  int nbest;
} search;

/* What a motion of a part releases of each self-stress, into x; returns the largest. */
static double release(search *s, int part, const double twist[6])
{
  double most = 0;
  for (int e = s->part[part]; e < s->part[part + 1]; e++) {
    const lwi_stress_entry *entry = &s->g->entry[e];
    double sum = 0;
    for (int d = 0; d < 6; d++)
      sum += entry->load[d] * twist[d];
    s->x[entry->stress] = sum;
    most = fmax(most, fabs(sum));
  }
  return most;
}

/* x without what the rows release.  Row after row: later ones are zero at the pivots of those before. */
static void reduce(search *s)
{
  for (int r = 0; r < s->rank; r++) {
    const echelon_row *row = &s->row[r];
    const double factor = s->x[row->pivot];
    if (factor == 0) continue;
    for (size_t e = row->at; e < row[1].at; e++)
      s->x[s->entry[e].stress] -= factor * s->entry[e].value;
    s->x[row->pivot] = 0;
  }
}

/* x becomes a row, divided by its largest entry; zero again.  Less than `least` is nothing. */
static void add_row(search *s, double least)
{
  const int n = s->g->n;
  echelon_row *row = &s->row[s->rank];
  int pivot = 0;
  size_t at = row->at;
  for (int i = 1; i < n; i++)
    if (fabs(s->x[i]) > fabs(s->x[pivot])) pivot = i;
  const double largest = s->x[pivot];
  const bool counts = fabs(largest) > least;
  if (counts && at + (size_t)n > s->capacity) {
    const size_t more = 2 * s->capacity + (size_t)n;
    row_entry *entry = realloc(s->entry, more * sizeof *entry);
    s->failed = s->failed || !entry;
    if (entry) {
      s->entry = entry;
      s->capacity = more;
    }
  }
  for (int i = 0; i < n; i++) {
    if (counts && !s->failed && fabs(s->x[i]) > rounding * fabs(largest))
      s->entry[at++] = (row_entry){i, s->x[i] / largest};
    s->x[i] = 0;
  }
  if (!counts || s->failed) return;
  row->pivot = pivot;
  row[1].at = at;
  s->rank++;
}

/* Adds what a candidate releases; returns false, and leaves the search as it was, unless each
   equation releases one self-stress. */
static bool extend(search *s, int k)
{
  const lwi_candidate *c = &s->candidate[k];
  const int before = s->rank;
  if (s->used[c->part] || before + c->release.equations > s->g->n) return false;
  for (int t = 0; t < c->ntwist && s->rank < s->g->n; t++) {
    const double size = release(s, c->part, c->twist[t]);
    reduce(s);
    add_row(s, fmax(independent * size, independent));
  }
  if (s->rank - before == c->release.equations) {
    s->used[c->part] = true;
    s->now.candidate[s->now.n++] = k;
    s->now.score += PER_PART + c->penalty;
    return true;
  }
  s->rank = before;
  return false;
}

static void retract(search *s, int rank)
{
  const lwi_candidate *c = &s->candidate[s->now.candidate[--s->now.n]];
  s->used[c->part] = false;
  s->now.score -= PER_PART + c->penalty;
  s->rank = rank;
}

static void keep(search *s)
{
  int at = s->nbest;
  while (at > 0 && s->best[at - 1].score > s->now.score)
    at--;
  if (at == LWI_MOST_CHOICES) return;
  const int last = s->nbest < LWI_MOST_CHOICES ? s->nbest++ : LWI_MOST_CHOICES - 1;
  int *const list = s->best[last].candidate; /* of the one that is given up */
  for (int i = last; i > at; i--)
    s->best[i] = s->best[i - 1];
  memcpy(list, s->now.candidate, (size_t)s->now.n * sizeof *list);
  s->best[at] = (lwi_choice){s->now.n, s->now.score, list};
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as a set has members */
static void explore(search *s, int from)
{
  if (s->rank == s->g->n) {
    keep(s);
    return;
  }
  if (s->now.n >= MOST_PARTS) return;
  if (s->nbest == LWI_MOST_CHOICES && s->now.score + PER_PART >= s->best[s->nbest - 1].score)
    return;
  for (int i = from; i < s->n && s->nodes < MOST_NODES; i++) {
    const int rank = s->rank;
    s->nodes++;
    if (!extend(s, s->order[i])) continue;
    explore(s, i + 1);
    retract(s, rank);
  }
}

/* Takes what comes first and fits, joint types before constraints and removals: a set of single
   releases exists whenever one of any kind does. */
static void take_first(search *s)
{
  for (int unusual = 0; unusual < 2; unusual++)
    for (int equations = 6; equations > 0; equations--)
      for (int i = 0; i < s->n && s->rank < s->g->n && !s->failed; i++) {
        const lwi_candidate *c = &s->candidate[s->order[i]];
        if (c->release.equations == equations && (c->penalty >= UNUSUAL) == (bool)unusual)
          extend(s, s->order[i]);
      }
  if (s->rank == s->g->n) keep(s);
  while (s->now.n > 0)
    retract(s, 0);
}

typedef struct {
  int penalty, index;
} preference;

/* Of equal ones those of later parts come first: rather the end of a loop than its driven begin. */
static int compare(const void *x, const void *y)
{
  const preference *a = x, *b = y;
  return a->penalty != b->penalty ? (a->penalty > b->penalty) - (a->penalty < b->penalty)
                                  : b->index - a->index;
}

static bool sort_by_penalty(const lwi_candidate candidate[], int n, int order[])
{
  preference *list = calloc((size_t)n + 1, sizeof *list);
  if (!list) return false;
  for (int i = 0; i < n; i++)
    list[i] = (preference){candidate[i].penalty, i};
  qsort(list, (size_t)n, sizeof *list, compare);
  for (int i = 0; i < n; i++)
    order[i] = list[i].index;
  free(list);
  return true;
}

static bool prepare(search *s, int **memory)
{
  const size_t loads = (size_t)s->g->n, parts = (size_t)s->g->npart;
  s->order = calloc((size_t)s->n + 1, sizeof *s->order);
  s->part = calloc(parts + 1, sizeof *s->part);
  s->row = calloc(loads + 1, sizeof *s->row);
  s->x = calloc(loads + 1, sizeof *s->x);
  s->used = calloc(parts + 1, sizeof *s->used);
  *memory = calloc((LWI_MOST_CHOICES + 1) * loads + 1, sizeof **memory);
  if (!s->order || !s->part || !s->row || !s->x || !s->used || !*memory) return false;
  for (int e = 0, k = 0; e < s->g->nentry; e++) {
    k += e > 0 && s->g->entry[e].part != s->g->entry[e - 1].part;
    s->part[k + 1] = e + 1;
  }
  s->now.candidate = *memory;
  for (int i = 0; i < LWI_MOST_CHOICES; i++)
    s->best[i].candidate = *memory + (size_t)(i + 1) * loads;
  return sort_by_penalty(s->candidate, s->n, s->order);
}

int lwi_search_releases(const lwi_group_entries *g, const lwi_candidate candidate[], int n,
                        lwi_choice best[LWI_MOST_CHOICES], int **memory)
{
  search s = {.g = g, .candidate = candidate, .n = n, .best = best};
  const bool ok = prepare(&s, memory);
  if (ok) {
    take_first(&s);
    explore(&s, 0);
  }
  free(s.order);
  free(s.part);
  free(s.row);
  free(s.entry);
  free(s.x);
  free(s.used);
  return ok && !s.failed ? s.nbest : -1;
}
