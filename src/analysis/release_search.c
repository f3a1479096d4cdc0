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
static const double independent = 1e-6;

typedef struct {
  const lwi_group_loads *g;
  const lwi_candidate *candidate;
  int n;
  const int *order; /* [n] by preference */
  double *rows;     /* [g->n][g->n] orthonormal: released combinations of self-stresses */
  int rank, nodes;
  bool *used; /* [npart] */
  lwi_choice now, *best;
  int nbest;
} search;

/* Adds what a candidate releases; returns false, and leaves the search as it was, unless each
   equation releases one self-stress. */
static bool extend(search *s, int k)
{
  const lwi_candidate *c = &s->candidate[k];
  const int n = s->g->n, before = s->rank;
  if (s->used[c->part] || before + c->release.equations > n) return false;
  for (int t = 0; t < c->ntwist; t++) {
    double *x = s->rows + (size_t)s->rank * (size_t)n, size = 0, left = 0;
    if (s->rank == n) break;
    for (int i = 0; i < n; i++) {
      const double *load = s->g->load[(size_t)c->part * (size_t)n + (size_t)i];
      x[i] = 0;
      for (int d = 0; d < 6; d++)
        x[i] += load[d] * c->twist[t][d];
      size += x[i] * x[i];
    }
    for (int pass = 0; pass < 2; pass++)
      for (int r = 0; r < s->rank; r++) {
        const double *y = s->rows + (size_t)r * (size_t)n;
        double along = 0;
        for (int i = 0; i < n; i++)
          along += x[i] * y[i];
        for (int i = 0; i < n; i++)
          x[i] -= along * y[i];
      }
    for (int i = 0; i < n; i++)
      left += x[i] * x[i];
    if (!(sqrt(size) > independent) || !(sqrt(left) > independent * sqrt(size))) continue;
    for (int i = 0; i < n; i++)
      x[i] /= sqrt(left);
    s->rank++;
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
  for (int i = last; i > at; i--)
    s->best[i] = s->best[i - 1];
  s->best[at] = s->now;
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
      for (int i = 0; i < s->n && s->now.n < LWI_MOST_RELEASES; i++) {
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

int lwi_search_releases(const lwi_group_loads *g, const lwi_candidate candidate[], int n,
                        lwi_choice best[LWI_MOST_CHOICES])
{
  int *order = calloc((size_t)n + 1, sizeof *order);
  search s = {.g = g,
              .candidate = candidate,
              .n = n,
              .order = order,
              .rows = calloc((size_t)(g->n + 1) * (size_t)g->n, sizeof(double)),
              .used = calloc((size_t)g->npart + 1, sizeof(bool)),
              .best = best};
  const bool ok = order && s.rows && s.used && sort_by_penalty(candidate, n, order);
  if (ok) {
    take_first(&s);
    explore(&s, 0);
  }
  free(order);
  free(s.rows);
  free(s.used);
  return ok ? s.nbest : -1;
}
