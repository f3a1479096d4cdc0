/* SPDX-License-Identifier: Apache-2.0 */
/* pattern.c -- which blocks and how many entries of E, A = (I-E)^-1 and the mass matrix are not
   zero.  [Jain2012] eq. 43 and 45, figure 7.  Segments are numbered parent first here, so that E
   and A are upper triangular; in the paper's numbering, the reverse, they are lower triangular. */
#include "linkwork/graph.h"

static int segment_length(const lw_segments *s, int j)
{
  return s->start[j + 1] - s->start[j];
}

static bool is_segment(const lw_segments *s, int j)
{
  return j >= 0 && j < s->nsegment;
}

/* True if j is k or an ancestor of it. */
static bool carries(const lw_segments *s, int j, int k)
{
  return j <= k && k < s->end[j];
}

bool lw_segments_block(const lw_segments *s, lw_pattern pattern, int j, int k)
{
  if (!s) return false;
  if (!is_segment(s, j) || !is_segment(s, k)) return false;
  switch (pattern) {
  case LW_PATTERN_E: return j == k ? segment_length(s, j) > 1 : s->parent[k] == j;
  case LW_PATTERN_A: return carries(s, j, k);
  case LW_PATTERN_MASS: return carries(s, j, k) || carries(s, k, j);
  }
  return false;
}

/* Writes row j at column[at ..] unless column is NULL; returns where the next row begins. */
static int64_t row(const lw_segments *s, lw_pattern pattern, int j, int column[], int64_t at)
{
  if ((int)pattern < LW_PATTERN_E || pattern > LW_PATTERN_MASS) return at;
  if (pattern == LW_PATTERN_E) { /* the segment if it has inner edges, then those on its tip */
    if (segment_length(s, j) > 1) {
      if (column) column[at] = j;
      at++;
    }
    for (int k = j + 1; k < s->end[j]; k = s->end[k], at++)
      if (column) column[at] = k;
    return at;
  }
  if (pattern == LW_PATTERN_MASS) { /* the segments that carry it, from the ground outward, ... */
    int64_t from_back = at += s->depth[j];
    for (int k = s->parent[j]; column && k >= 0; k = s->parent[k])
      column[--from_back] = k;
  }
  for (int k = j; column && k < s->end[j]; k++) /* ... and, as for A, all that it carries */
    column[at + (k - j)] = k;
  return at + (s->end[j] - j);
}

int64_t lw_segments_nblock(const lw_segments *s, lw_pattern pattern)
{
  if (!s) return 0;
  int64_t count = 0;
  for (int j = 0; j < s->nsegment; j++)
    count = row(s, pattern, j, NULL, count);
  return count;
}

void lw_segments_rows(const lw_segments *s, lw_pattern pattern, int64_t row_start[], int column[])
{
  if (!s || !row_start) return;
  row_start[0] = 0;
  for (int j = 0; j < s->nsegment; j++)
    row_start[j + 1] = row(s, pattern, j, column, row_start[j]);
}

static int weight_of(const int weight[], int v)
{
  return weight ? weight[v] : 1;
}

/* The sum of all weights; -1 if one is negative or if its square is not below 2^63. */
static int64_t total_weight(const lw_tree *t, const int weight[])
{
  const int64_t limit = 3037000499;
  int64_t total = 0;
  for (int v = 0; v < t->nnode; v++) {
    if (weight_of(weight, v) < 0) return -1;
    total += weight_of(weight, v);
  }
  return total <= limit ? total : -1;
}

/* Entries of E: one block for every node whose parent is a node. */
static int64_t count_E(const lw_tree *t, const int weight[])
{
  int64_t count = 0;
  for (int v = 0; v < t->nnode; v++)
    if (t->parent[v] >= 0) count += (int64_t)weight_of(weight, t->parent[v]) * weight_of(weight, v);
  return count;
}

/* Entries of A: every node with itself and its ancestors, whose weights are kept up to date while
   the walk in preorder climbs out of one subtree and into the next. */
static int64_t count_A(const lw_tree *t, const int weight[])
{
  int64_t count = 0, path = 0;
  for (int place = 0, here = LW_NO_NODE; place < t->nnode; place++) {
    const int v = t->order[place];
    for (; here != t->parent[v]; here = t->parent[here])
      path -= weight_of(weight, here);
    path += weight_of(weight, v);
    count += path * weight_of(weight, v);
    here = v;
  }
  return count;
}

/* Entries of the mass matrix: A and its transpose, which share the diagonal. */
static int64_t count_mass(const lw_tree *t, const int weight[])
{
  int64_t diagonal = 0;
  for (int v = 0; v < t->nnode; v++)
    diagonal += (int64_t)weight_of(weight, v) * weight_of(weight, v);
  const int64_t upper = count_A(t, weight);
  return upper + (upper - diagonal);
}

lw_status lw_tree_count_entries(const lw_tree *t, lw_pattern pattern, const int weight[],
                                int64_t *count)
{
  if (!t || !count) return LW_E_ARG;
  if (total_weight(t, weight) < 0) return LW_E_ARG;
  switch (pattern) {
  case LW_PATTERN_E: *count = count_E(t, weight); return LW_OK;
  case LW_PATTERN_A: *count = count_A(t, weight); return LW_OK;
  case LW_PATTERN_MASS: *count = count_mass(t, weight); return LW_OK;
  }
  return LW_E_ARG;
}
