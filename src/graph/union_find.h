/* SPDX-License-Identifier: Apache-2.0 */
/* union_find.h -- disjoint sets: up[x] leads toward the representative, which is its own up. */
#ifndef LWI_GRAPH_UNION_FIND_H
#define LWI_GRAPH_UNION_FIND_H

#include <stdbool.h>

static inline void lwi_sets_init(int n, int up[])
{
  for (int x = 0; x < n; x++)
    up[x] = x;
}

/* The representative of x; halves the path on its way. */
static inline int lwi_sets_find(int up[], int x)
{
  while (up[x] != x)
    x = up[x] = up[up[x]];
  return x;
}

/* Unites two sets; the lower representative stays. */
static inline void lwi_sets_join(int up[], int a, int b)
{
  a = lwi_sets_find(up, a);
  b = lwi_sets_find(up, b);
  if (a < b)
    up[b] = a;
  else
    up[a] = b;
}

/* The same by size (ones at first), which keeps n joins within n alpha(n) steps; false if they were
   one set already. */
static inline bool lwi_sets_join_by_size(int up[], int size[], int a, int b)
{
  a = lwi_sets_find(up, a);
  b = lwi_sets_find(up, b);
  if (a == b) return false;
  const int big = size[a] < size[b] ? b : a;
  const int small = big == a ? b : a;
  up[small] = big;
  size[big] += size[small];
  return true;
}

/* Replaces representatives by class numbers 0, 1, .. in the order of the lowest members, and
   returns how many there are; only after lwi_sets_join, whose representatives are the lowest
   members. */
static inline int lwi_sets_number(int n, int up[])
{
  int count = 0;
  for (int x = 0; x < n; x++)
    up[x] = up[x] == x ? count++ : up[up[x]];
  return count;
}

#endif
