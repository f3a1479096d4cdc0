/* SPDX-License-Identifier: Apache-2.0 */
/* graph_cases.h -- what the tests of the graph layer share: random graphs and trees with fixed
   seeds, relations by brute force, large shapes, and an allocator that counts and can fail.
   Include it in one file of a program only, because it defines lwi_graph_alloc. */
#ifndef GRAPH_CASES_H
#define GRAPH_CASES_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "graph/block.h"
#include "linkwork/graph.h"

enum { MAX_NODE = 12, MAX_EDGE = 24, MILLION = 1000000 };

#define CHECK(seed, condition)                                                                     \
  do {                                                                                             \
    if (!(condition)) fail_msg("seed %u: false: %s", (unsigned)(seed), #condition);                \
  } while (0)

/* ---- the allocator of the graph layer, in front of the library's ---- */

static int alloc_count = 0;    /* calls so far                        */
static int alloc_fail_at = -1; /* this call, counted from 0, gets NULL */

void *lwi_graph_alloc(size_t size)
{
  return alloc_count++ == alloc_fail_at ? NULL : calloc(1, size);
}

/* Fails call 0, 1, 2, .. of a constructor until it succeeds; every failure must be a clean
   LW_E_MEMORY (the address sanitizer and valgrind see leaks). */
#define CHECK_FAILED_ALLOCATIONS(type, construct, destroy)                                         \
  do {                                                                                             \
    type *made = NULL;                                                                             \
    for (int fail_at = 0; !made; fail_at++) {                                                      \
      lw_error err = {.status = LW_OK};                                                            \
      assert_true(fail_at < 100);                                                                  \
      alloc_count = 0;                                                                             \
      alloc_fail_at = fail_at;                                                                     \
      made = construct;                                                                            \
      assert_int_equal(err.status, made ? LW_OK : LW_E_MEMORY);                                    \
      assert_true(made ? fail_at > 0 : alloc_count > fail_at);                                     \
    }                                                                                              \
    alloc_fail_at = -1;                                                                            \
    destroy(made);                                                                                 \
  } while (0)

/* ---- random numbers (splitmix64) ---- */

static inline unsigned next_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (unsigned)((z ^ (z >> 31)) >> 33);
}

/* A number in low .. high. */
static inline int random_int(uint64_t *state, int low, int high)
{
  return low + (int)(next_random(state) % (unsigned)(high - low + 1));
}

static inline void random_permutation(uint64_t *state, int n, int p[])
{
  for (int i = 0; i < n; i++) {
    const int j = random_int(state, 0, i);
    p[i] = p[j];
    p[j] = i;
  }
}

static inline void random_set(uint64_t *state, int n, unsigned char set[])
{
  const int one_in = random_int(state, 1, 4);
  for (int i = 0; i < n; i++)
    set[i] = random_int(state, 1, one_in) == 1;
}

/* ---- random graphs ---- */

typedef struct {
  int n, m, from[MAX_EDGE], to[MAX_EDGE];
  bool below[MAX_NODE][MAX_NODE]; /* [a][b]: a directed path of one edge or more from a to b */
} edge_list;

static inline void find_paths(edge_list *x)
{
  memset(x->below, 0, sizeof x->below);
  for (int e = 0; e < x->m; e++)
    x->below[x->from[e]][x->to[e]] = true;
  for (int k = 0; k < x->n; k++)
    for (int i = 0; i < x->n; i++)
      for (int j = 0; j < x->n; j++)
        x->below[i][j] = x->below[i][j] || (x->below[i][k] && x->below[k][j]);
}

/* Any digraph at one time, and at others a forest in which some edges may be turned or added, so
   that every class of graph occurs. */
static inline edge_list random_graph(unsigned seed)
{
  edge_list x = {0};
  uint64_t r = seed;
  int label[MAX_NODE];
  const int kind = random_int(&r, 0, 5);
  x.n = random_int(&r, kind > 0, 1 + (int)(seed % 7));
  random_permutation(&r, x.n, label);
  if (kind == 0) {
    x.m = x.n ? random_int(&r, 0, 2 * x.n) : 0;
    for (int e = 0; e < x.m; e++) {
      x.from[e] = random_int(&r, 0, x.n - 1);
      x.to[e] = random_int(&r, 0, x.n - 1);
    }
  } else {
    for (int v = 1; v < x.n; v++) {
      const int parent = kind == 1 ? v - 1 : random_int(&r, 0, v - 1);
      const bool turned = kind == 3 && random_int(&r, 0, 3) == 0;
      if (kind == 4 && random_int(&r, 0, 3) == 0) continue;
      x.from[x.m] = label[turned ? v : parent];
      x.to[x.m++] = label[turned ? parent : v];
    }
    for (int extra = kind == 5 ? random_int(&r, 1, 3) : 0; extra > 0; extra--) {
      x.from[x.m] = random_int(&r, 0, x.n - 1);
      x.to[x.m++] = random_int(&r, 0, x.n - 1);
    }
  }
  find_paths(&x);
  return x;
}

static inline lw_graph *graph_of(const edge_list *x)
{
  lw_graph *g = lw_graph_new(x->n, x->m, x->from, x->to, NULL);
  assert_non_null(g);
  return g;
}

/* ---- random trees ---- */

typedef struct {
  int n, parent[MAX_NODE];
  bool below[MAX_NODE][MAX_NODE]; /* [a][b]: a is a proper ancestor of b */
} parent_list;

/* A forest with any numbering: chains, stars and all between. */
static inline parent_list random_forest(unsigned seed, int max_node)
{
  parent_list x = {0};
  uint64_t r = seed;
  int label[MAX_NODE];
  const int kind = random_int(&r, 0, 3), one_root = random_int(&r, 0, 1);
  x.n = random_int(&r, 0, max_node);
  random_permutation(&r, x.n, label);
  for (int v = 0; v < x.n; v++) {
    const int low = kind == 0 ? v - 1 : kind == 1 && v > 2 ? v - 3 : 0;
    const bool root = v == 0 || (!one_root && random_int(&r, 0, 3) == 0);
    x.parent[label[v]] = root ? LW_NO_NODE : label[random_int(&r, low, v - 1)];
  }
  for (int v = 0; v < x.n; v++)
    for (int a = x.parent[v]; a >= 0; a = x.parent[a])
      x.below[a][v] = true;
  return x;
}

static inline lw_tree *tree_of(const parent_list *x)
{
  lw_tree *t = lw_tree_new(x->n, x->parent, NULL, NULL);
  assert_non_null(t);
  return t;
}

/* ---- large shapes: node 0 is the root, node i > 0 has this parent ---- */

typedef enum { CHAIN, STAR, BINARY, CATERPILLAR, NSHAPE } shape;

static inline int shape_parent(shape s, int i)
{
  switch (s) {
  case CHAIN: return i - 1;
  case STAR: return i ? 0 : -1;
  case BINARY: return i ? (i - 1) / 2 : -1;
  case CATERPILLAR: return i ? (i % 2 ? i - 1 : i - 2) : -1;
  case NSHAPE: break;
  }
  return -1;
}

static inline int *new_ints(int n)
{
  int *p = calloc((size_t)n + 1, sizeof *p);
  assert_non_null(p);
  return p;
}

static inline int *new_shape(shape s, int n)
{
  int *parent = new_ints(n);
  for (int i = 0; i < n; i++)
    parent[i] = shape_parent(s, i);
  return parent;
}

#endif
