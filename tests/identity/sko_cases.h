/* SPDX-License-Identifier: Apache-2.0 */
/* sko_cases.h -- what the tests of SKO models share: random trees of bodies and their aggregations,
   full matrices made of blocks or of products, and the algebra to compare them by.  Matrices come
   from a pool that is emptied after each case. */
#ifndef SKO_CASES_H
#define SKO_CASES_H
#include "lwt.h"

#include "linkwork/sko.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- full matrices ---- */

typedef struct {
  int m, n;
  double *x;
} mat;

static struct {
  void *item[4000];
  int count;
} pool;

static inline void *pool_take(size_t n, size_t size)
{
  void *p = calloc(n + 1, size);
  assert_non_null(p);
  assert_true(pool.count < 4000);
  pool.item[pool.count++] = p;
  return p;
}
static inline void pool_empty(void)
{
  while (pool.count > 0)
    free(pool.item[--pool.count]);
}
static inline double *vec_new(int n)
{
  return (double *)pool_take((size_t)n, sizeof(double));
}
static inline mat mat_new(int m, int n)
{
  return (mat){m, n, (double *)pool_take((size_t)m * (size_t)n, sizeof(double))};
}
static inline double *at(mat a, int i, int j)
{
  return &a.x[(size_t)i * (size_t)a.n + (size_t)j];
}
static inline mat identity(int n)
{
  mat a = mat_new(n, n);
  for (int i = 0; i < n; i++)
    *at(a, i, i) = 1;
  return a;
}
static inline mat turn(mat a) /* the transpose */
{
  mat t = mat_new(a.n, a.m);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      *at(t, j, i) = *at(a, i, j);
  return t;
}
static inline mat mul(mat a, mat b)
{
  mat c = mat_new(a.m, b.n);
  assert_int_equal(a.n, b.m);
  for (int i = 0; i < a.m; i++)
    for (int l = 0; l < a.n; l++) {
      const double s = *at(a, i, l), *from = at(b, l, 0);
      double *to = at(c, i, 0);
      if (s == 0) continue;
      for (int j = 0; j < b.n; j++)
        to[j] += s * from[j];
    }
  return c;
}
static inline mat mul3(mat a, mat b, mat c)
{
  return mul(mul(a, b), c);
}
/* a b a* */
static inline mat around(mat a, mat b)
{
  return mul3(a, b, turn(a));
}
/* a + s b */
static inline mat add(mat a, double s, mat b)
{
  mat c = mat_new(a.m, a.n);
  assert_true(a.m == b.m && a.n == b.n);
  for (int i = 0; i < a.m * a.n; i++)
    c.x[i] = a.x[i] + s * b.x[i];
  return c;
}
static inline mat minus(mat a, mat b)
{
  return add(a, -1, b);
}
static inline mat column(int n, const double *x)
{
  mat c = mat_new(n, 1);
  memcpy(c.x, x, (size_t)n * sizeof *x);
  return c;
}

static inline void exchange_rows(mat a, int i, int j)
{
  for (int c = 0; c < a.n && i != j; c++) {
    const double t = *at(a, i, c);
    *at(a, i, c) = *at(a, j, c);
    *at(a, j, c) = t;
  }
}
static inline void subtract_row(mat a, int from, double s, int to)
{
  for (int c = 0; c < a.n && s != 0; c++)
    *at(a, to, c) -= s * *at(a, from, c);
}
/* by elimination with the largest pivot of each column; *logdet (may be NULL) of |det| */
static inline mat invert(mat a, double *logdet)
{
  const int n = a.m;
  mat u = add(a, 0, a), x = identity(n);
  if (logdet) *logdet = 0;
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int r = i; r < n; r++)
      if (fabs(*at(u, r, i)) > fabs(*at(u, best, i))) best = r;
    exchange_rows(u, i, best);
    exchange_rows(x, i, best);
    const double pivot = *at(u, i, i);
    if (logdet) *logdet += log(fabs(pivot));
    for (int r = 0; r < n; r++) {
      const double s = *at(u, r, i) / pivot;
      if (r == i || s == 0) continue;
      subtract_row(u, i, s, r);
      subtract_row(x, i, s, r);
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      *at(x, i, j) /= *at(u, i, i);
  return x;
}

/* how the bodies of a tree become nodes */
typedef enum {
  BODIES,     /* one node each                                     */
  ONE_CHAIN,  /* a piece of a path is one node                     */
  ONE_FOREST, /* the smallest set that can be aggregated and holds some random nodes */
  SEGMENTS,   /* every serial segment is a node                    */
  TWICE,      /* a random set of segments is one node once more    */
  LEVELS,     /* two levels at a time: nodes hang on several bodies of one node */
  ALL_IN_ONE, /* a single node                                     */
  KINDS
} kind;

/* the largest difference that any comparison of this program has seen, relative to its scale: the
   largest entry, but no less than 0.01, because blocks of order 1 may cancel */
static double worst_seen;
static inline int tell_worst(void **state)
{
  (void)state;
  print_message("largest relative difference seen: %.2g\n", worst_seen);
  return 0;
}

#define SAME(a, b, ...) same((a), (b), 1e-10, __VA_ARGS__)
static inline void same(mat a, mat b, double rtol, const char *what, unsigned seed, kind how)
{
  assert_true(a.m == b.m && a.n == b.n);
  const double scale = fmax(0.01, fmax(lwt_scale(a.x, a.m * a.n), lwt_scale(b.x, a.m * a.n)));
  for (int i = 0; i < a.m * a.n; i++)
    worst_seen = fmax(worst_seen, fabs(a.x[i] - b.x[i]) / scale);
  lwt_close(a.x, b.x, a.m * a.n, rtol, scale, "%s, seed %u, kind %d", what, seed, (int)how);
}

/* ---- models ---- */

typedef struct {
  lwt_case c;
  lw_sko *chain[3]; /* from the bodies on; the last is the one to test */
  int count;
  lw_sko *k;
} sko_case;

enum { LARGE = 8, TREES = 112 };

/* 7 trees of 10 to 24 bodies, one of 60, then 104 of 3 to 9; joints of 0, 1, 2, 3 and 6 freedoms */
static inline lwt_recipe sko_recipe(unsigned seed)
{
  const int large = seed == 7 ? 60 : 10 + (int)(seed * 7 % 15), small = 3 + (int)(seed % 7);
  return (lwt_recipe){.seed = seed,
                      .nbody = seed < LARGE ? large : small,
                      .branching = seed == 7 ? 0.5 : (double)(seed % 4) / 4,
                      .floating = seed % 3 == 0,
                      .forces = seed % 2 == 0};
}

static inline void random_chain(lwt_random *r, const lw_tree *t, unsigned char *set)
{
  const int length = 2 + lwt_pick(r, 4);
  int v = lwt_pick(r, t->nnode);
  for (int i = 0; i < length && v >= 0; i++, v = t->parent[v])
    set[v] = 1;
}

static inline void random_forest_set(lwt_random *r, const lw_tree *t, unsigned char *set)
{
  unsigned char *some = (unsigned char *)pool_take((size_t)t->nnode, 1);
  for (int i = 0; i < 3; i++)
    some[lwt_pick(r, t->nnode)] = 1;
  lw_tree_aggregation_set(t, some, set, NULL);
}

static inline lw_sko *aggregate(lwt_random *r, lw_sko *source, kind how)
{
  const lw_tree *t = lw_sko_tree(source);
  unsigned char *set = (unsigned char *)pool_take((size_t)t->nnode, 1);
  int *class_of = (int *)pool_take((size_t)t->nnode, sizeof *class_of);
  switch (how) {
  case ONE_CHAIN: random_chain(r, t, set); return lw_sko_aggregate_set(source, set, NULL);
  case SEGMENTS: return lw_sko_aggregate_segments(source, NULL);
  case ALL_IN_ONE: return lw_sko_aggregate(source, 1, class_of, NULL);
  case LEVELS:
    for (int v = 0; v < t->nnode; v++)
      class_of[v] = t->depth[v] / 2;
    return lw_sko_aggregate(source, (t->nlevel + 1) / 2, class_of, NULL);
  default: random_forest_set(r, t, set); return lw_sko_aggregate_set(source, set, NULL);
  }
}

static inline void push(sko_case *s, lw_sko *k)
{
  assert_non_null(k);
  s->chain[s->count++] = s->k = k;
}

/* the model with its numbers at a random state, all forces included */
static inline sko_case sko_case_new(unsigned seed, kind how)
{
  const lwt_recipe d = sko_recipe(seed);
  lwt_random r = lwt_seed(100 * seed + (unsigned)how);
  sko_case s = {.c = lwt_case_new(&d)};
  push(&s, lw_sko_from_model(s.c.m, NULL));
  if (how == TWICE) push(&s, aggregate(&r, s.k, SEGMENTS));
  if (how != BODIES) push(&s, aggregate(&r, s.k, how));
  lwt_ok(lw_sko_update_with_forces(s.k, s.c.w, s.c.t, s.c.q, s.c.u));
  return s;
}

static inline void sko_case_free(sko_case *s)
{
  while (s->count > 0)
    lw_sko_free(s->chain[--s->count]);
  lwt_case_free(&s->c);
  pool_empty();
}

/* runs a check on every large tree in every way, the one of 60 bodies only as segments, and on every
   small tree in one way */
typedef void check(sko_case *s, unsigned seed, kind how);
static inline void for_every_case(check *f)
{
  for (unsigned seed = 0; seed < TREES; seed++)
    for (int how = 0; how < KINDS; how++) {
      if (seed == 7 && how != SEGMENTS) continue;
      if (seed >= LARGE && how != (int)(seed % KINDS)) continue;
      sko_case s = sko_case_new(seed, (kind)how);
      f(&s, seed, (kind)how);
      sko_case_free(&s);
    }
}

/* ---- matrices of a model ---- */

static inline bool to_freedoms(lw_sko_operator op)
{
  return op == LW_SKO_H || op == LW_SKO_MASS || op == LW_SKO_D || op >= LW_SKO_FACTOR;
}
static inline bool from_freedoms(lw_sko_operator op)
{
  return op == LW_SKO_MASS || op == LW_SKO_D || op == LW_SKO_G || op == LW_SKO_K ||
         op >= LW_SKO_FACTOR;
}

/* column after column, by products with unit vectors */
static inline mat matrix_of(lw_sko *k, lw_sko_operator op)
{
  const int m = to_freedoms(op) ? lw_sko_nfreedom(k) : lw_sko_nrow(k);
  const int n = from_freedoms(op) ? lw_sko_nfreedom(k) : lw_sko_nrow(k);
  mat t = mat_new(n, m);
  double *x = vec_new(n);
  for (int j = 0; j < n; j++) {
    x[j] = 1;
    lwt_ok(lw_sko_apply(k, op, x, at(t, j, 0)));
    x[j] = 0;
  }
  return turn(t);
}
/* row after row, by products of the transpose with unit vectors */
static inline mat matrix_by_rows(lw_sko *k, lw_sko_operator op)
{
  const int m = to_freedoms(op) ? lw_sko_nfreedom(k) : lw_sko_nrow(k);
  const int n = from_freedoms(op) ? lw_sko_nfreedom(k) : lw_sko_nrow(k);
  mat a = mat_new(m, n);
  double *x = vec_new(m);
  for (int i = 0; i < m; i++) {
    x[i] = 1;
    lwt_ok(lw_sko_apply_transposed(k, op, x, at(a, i, 0)));
    x[i] = 0;
  }
  return a;
}

static inline void put_block(mat a, int row, int col, int m, int n, const double *x)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      *at(a, row + i, col + j) = x[i * n + j];
}

/* a block of every node on the diagonal; A: at its parent's rows */
static inline mat matrix_of_blocks(const lw_sko *k, lw_sko_block block)
{
  const int nr = lw_sko_nrow(k), nf = lw_sko_nfreedom(k);
  const bool H = block == LW_SKO_BLOCK_H, D = block == LW_SKO_BLOCK_D, G = block == LW_SKO_BLOCK_G;
  mat a = mat_new(H || D ? nf : nr, G || D ? nf : nr);
  double *x = vec_new(nr * nr + nf * nf);
  for (int v = 0; v < lw_sko_nnode(k); v++) {
    const lw_sko_node b = lw_sko_get_node(k, v);
    if (block == LW_SKO_BLOCK_A && b.parent < 0) continue;
    lwt_ok(lw_sko_get_block(k, block, v, x));
    const lw_sko_node up = block == LW_SKO_BLOCK_A ? lw_sko_get_node(k, b.parent) : b;
    put_block(a, H || D ? b.freedom : up.row, G || D ? b.freedom : b.row,
              H || D ? b.nfreedom : up.nrow, G || D ? b.nfreedom : b.nrow, x);
  }
  return a;
}

/* a block-diagonal matrix as lw_sko_gather takes it */
static inline mat matrix_of_squares(const lw_sko *k, const double *x)
{
  mat a = mat_new(lw_sko_nrow(k), lw_sko_nrow(k));
  for (int v = 0; v < lw_sko_nnode(k); v++) {
    const lw_sko_node b = lw_sko_get_node(k, v);
    put_block(a, b.row, b.row, b.nrow, b.nrow, x + b.square);
  }
  return a;
}

/* entry (i, j) of the model's matrix in the order of the mechanism's speeds */
static inline mat in_speeds(const lw_sko *k, const double *x, int nu)
{
  const int nf = lw_sko_nfreedom(k), *speed = lw_sko_speeds(k);
  mat a = mat_new(nu, nu);
  for (int i = 0; i < nf; i++)
    for (int j = 0; j < nf; j++)
      *at(a, speed[i], speed[j]) = x[i * nf + j];
  return a;
}

/* E, H, M from their blocks, and the rest by full matrices only */
typedef struct {
  int nr, nf;
  mat I, E, A, H, M, HA, mass;
} full;
static inline full full_of(const lw_sko *k)
{
  full f = {.nr = lw_sko_nrow(k), .nf = lw_sko_nfreedom(k)};
  f.I = identity(f.nr);
  f.E = matrix_of_blocks(k, LW_SKO_BLOCK_A);
  f.A = invert(minus(f.I, f.E), NULL);
  f.H = matrix_of_blocks(k, LW_SKO_BLOCK_H);
  f.M = matrix_of_blocks(k, LW_SKO_BLOCK_M);
  f.HA = mul(f.H, f.A);
  f.mass = around(f.HA, f.M);
  return f;
}

/* the articulated-body quantities: blocks as the library finds them, operators from them */
typedef struct {
  mat P, P_plus, D, G, tau_bar, E_psi, psi, K, factor, inverse_factor;
} riccati;
static inline riccati riccati_of(lw_sko *k, const full *f)
{
  riccati r;
  lwt_ok(lw_sko_factor(k));
  r.P = matrix_of_blocks(k, LW_SKO_BLOCK_P);
  r.P_plus = matrix_of_blocks(k, LW_SKO_BLOCK_P_PLUS);
  r.D = matrix_of_blocks(k, LW_SKO_BLOCK_D);
  r.G = matrix_of_blocks(k, LW_SKO_BLOCK_G);
  r.tau_bar = matrix_of_blocks(k, LW_SKO_BLOCK_TAU_BAR);
  r.E_psi = mul(f->E, r.tau_bar);
  r.psi = invert(minus(f->I, r.E_psi), NULL);
  r.K = mul(f->E, r.G);
  r.factor = add(identity(f->nf), 1, mul(f->HA, r.K));
  r.inverse_factor = minus(identity(f->nf), mul3(f->H, r.psi, r.K));
  return r;
}

#endif
