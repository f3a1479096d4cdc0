/* SPDX-License-Identifier: Apache-2.0 */
/* test_order.c -- numberings of undirected graphs: permutations, costs against elimination by hand, known
   optima, large and degenerate graphs. */
#include "linkwork/order.h"
#include "lwt.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40, NSEED = 400 };

/* ---- graphs by their edges ---- */

typedef struct {
  int n, nedge, capacity;
  int *a, *b;
  int *start, *neighbour, *weight;
} net;

static void add_edge(net *x, int a, int b)
{
  if (x->nedge == x->capacity) {
    x->capacity = 2 * x->capacity + 16;
    x->a = realloc(x->a, (size_t)x->capacity * sizeof *x->a);
    x->b = realloc(x->b, (size_t)x->capacity * sizeof *x->b);
    assert_true(x->a && x->b);
  }
  x->a[x->nedge] = a;
  x->b[x->nedge++] = b;
}

/* every edge from one end only */
static lw_undirected graph_of(net *x)
{
  x->start = calloc((size_t)x->n + 1, sizeof *x->start);
  x->neighbour = malloc(((size_t)x->nedge + 1) * sizeof *x->neighbour);
  int *fill = malloc(((size_t)x->n + 1) * sizeof *fill);
  assert_true(x->start && x->neighbour && fill);
  for (int e = 0; e < x->nedge; e++)
    x->start[x->a[e] + 1]++;
  for (int v = 0; v < x->n; v++)
    x->start[v + 1] += x->start[v];
  memcpy(fill, x->start, ((size_t)x->n + 1) * sizeof *fill);
  for (int e = 0; e < x->nedge; e++)
    x->neighbour[fill[x->a[e]]++] = x->b[e];
  free(fill);
  return (lw_undirected){x->n, x->start, x->neighbour, x->weight};
}

static void free_net(net *x)
{
  free(x->a);
  free(x->b);
  free(x->start);
  free(x->neighbour);
  free(x->weight);
}

static unsigned next(unsigned *r)
{
  *r = *r * 1664525u + 1013904223u;
  return *r >> 8;
}

static net random_net(unsigned seed)
{
  unsigned r = seed * 2654435761u + 1;
  net x = {.n = (int)(next(&r) % MOST)};
  const int nedge = x.n < 2 ? 0 : (int)(next(&r) % (unsigned)(3 * x.n));
  for (int e = 0; e < nedge; e++) /* also repeated edges and loops */
    add_edge(&x, (int)(next(&r) % (unsigned)x.n), (int)(next(&r) % (unsigned)x.n));
  x.weight = malloc(((size_t)x.n + 1) * sizeof *x.weight);
  for (int v = 0; v < x.n; v++)
    x.weight[v] = 1 + (int)(next(&r) % 6);
  return x;
}

static void assert_permutation(int n, const int *order, const char *what)
{
  char *seen = calloc((size_t)n + 1, 1);
  for (int k = 0; k < n; k++) {
    if (order[k] < 0 || order[k] >= n || seen[order[k]]) fail_msg("%s: not a permutation", what);
    seen[order[k]] = 1;
  }
  free(seen);
}

/* ---- by definition ---- */

static lw_order_cost cost_by_elimination(const net *x, const int *order)
{
  static bool full[MOST][MOST];
  lw_order_cost c = {0};
  int place[MOST];
  memset(full, 0, sizeof full);
  for (int k = 0; k < x->n; k++)
    place[order[k]] = k;
  for (int e = 0; e < x->nedge; e++)
    full[place[x->a[e]]][place[x->b[e]]] = full[place[x->b[e]]][place[x->a[e]]] = true;
  for (int i = 0; i < x->n; i++) {
    int first = i, rows = 0;
    for (int j = i - 1; j >= 0; j--)
      if (full[i][j]) first = j;
    for (int j = first; j < i; j++)
      rows += x->weight[order[j]];
    if (i - first > c.bandwidth) c.bandwidth = i - first;
    c.envelope += i - first;
    c.work += 0.5 * (i - first) * (i - first + 3);
    for (int s = 0; s < x->weight[order[i]]; s++)
      c.envelope_multiplications += 0.5 * (rows + s) * (rows + s + 3);
  }
  for (int k = 0; k < x->n; k++) {
    int below = 0;
    for (int i = k + 1; i < x->n; i++) {
      if (!full[i][k]) continue;
      below += x->weight[order[i]];
      for (int j = k + 1; j < i; j++)
        if (full[j][k] && !full[i][j]) {
          full[i][j] = full[j][i] = true;
          c.fill++;
        }
    }
    for (int s = 0; s < x->weight[order[k]]; s++) {
      const int entries = below + x->weight[order[k]] - s - 1;
      c.factor_entries += entries + 1;
      c.factor_multiplications += 0.5 * entries * (entries + 3);
    }
  }
  return c;
}

static void costs_are_those_of_an_elimination(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    net x = random_net(seed);
    const lw_undirected g = graph_of(&x);
    for (int m = 0; m < LW_ORDER_METHODS; m++) {
      int order[MOST];
      lw_order_cost cost;
      assert_int_equal(lw_order_nodes(&g, (lw_order_method)m, order), LW_OK);
      assert_permutation(x.n, order, lw_order_method_name((lw_order_method)m));
      assert_int_equal(lw_order_cost_of(&g, order, &cost), LW_OK);
      const lw_order_cost c = cost_by_elimination(&x, order);
      if (c.bandwidth != cost.bandwidth || c.envelope != cost.envelope || c.work != cost.work ||
          c.fill != cost.fill || c.factor_entries != cost.factor_entries ||
          c.factor_multiplications != cost.factor_multiplications ||
          c.envelope_multiplications != cost.envelope_multiplications)
        fail_msg("seed %u, %s: work %g %g, fill %g %g, entries %g %g, multiplications %g %g", seed,
                 lw_order_method_name((lw_order_method)m), cost.work, c.work, cost.fill, c.fill,
                 cost.factor_entries, c.factor_entries, cost.factor_multiplications,
                 c.factor_multiplications);
    }
    free_net(&x);
  }
}

/* ---- the squeezing mechanism, with the four ways to pair the bodies that meet in one point.  The least
   work over all numberings, counted by trying all 10! of them. ---- */

typedef struct {
  const char *name;
  int body[3][2];
  double work;
  int bandwidth, envelope;
} pairing;
static const pairing pairings[] = {{"all with K2", {{2, 3}, {2, 4}, {2, 6}}, 37, 3, 14},
                                   {"all with K3", {{3, 2}, {3, 4}, {3, 6}}, 36, 3, 14},
                                   {"2-3-4-6", {{2, 3}, {3, 4}, {4, 6}}, 28, 2, 12},
                                   {"3-2-4-6", {{3, 2}, {2, 4}, {4, 6}}, 32, 2, 13}};

static net squeezer(const pairing *p)
{
  const int fixed[7][2] = {{1, 0}, {1, 2}, {3, 0}, {4, 5}, {5, 0}, {6, 7}, {7, 0}};
  int body[10][2];
  net x = {.n = 10};
  memcpy(body, fixed, sizeof fixed);
  memcpy(body + 7, p->body, sizeof p->body);
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < i; j++)
      for (int k = 0; k < 4; k++)
        if (body[i][k / 2] != 0 && body[i][k / 2] == body[j][k % 2]) add_edge(&x, i, j);
  x.weight = malloc(10 * sizeof *x.weight);
  for (int i = 0; i < 10; i++)
    x.weight[i] = 2;
  return x;
}

static void the_squeezer_gets_its_least_work(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pairings / sizeof *pairings; i++) {
    const pairing *p = &pairings[i];
    net x = squeezer(p);
    const lw_undirected g = graph_of(&x);
    int order[10], narrowest = 10;
    int64_t smallest = 100;
    lw_order_cost cost;
    for (int m = 0; m < LW_ORDER_METHODS; m++) {
      assert_int_equal(lw_order_nodes(&g, (lw_order_method)m, order), LW_OK);
      assert_int_equal(lw_order_cost_of(&g, order, &cost), LW_OK);
      if (cost.bandwidth < narrowest) narrowest = cost.bandwidth;
      if (cost.envelope < smallest) smallest = cost.envelope;
      if (cost.work < p->work) fail_msg("%s: less work than possible", p->name);
      if (m == LW_ORDER_SEARCH && cost.work != p->work)
        fail_msg("%s: work %g, least %g", p->name, cost.work, p->work);
    }
    assert_int_equal(narrowest, p->bandwidth);
    assert_int_equal(smallest, p->envelope);
    free_net(&x);
  }
}

/* ---- fill-free ---- */

/* Joint b carries body b on body on[b], 0 being the ground. */
static net random_tree_joints(unsigned seed, int nbody)
{
  unsigned r = seed * 2654435761u + 7;
  net x = {.n = nbody};
  int on[MOST];
  for (int b = 0; b < nbody; b++) {
    on[b] = (int)(next(&r) % (unsigned)(b + 1));
    for (int c = 0; c < b; c++)
      if (on[b] == c + 1 || (on[b] == on[c] && on[b] > 0)) add_edge(&x, b, c);
  }
  return x;
}

static void joints_of_trees_have_numberings_without_fill(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 50; seed++) {
    net x = random_tree_joints(seed, 30);
    const lw_undirected g = graph_of(&x);
    int order[30];
    lw_order_cost cost;
    assert_int_equal(lw_order_nodes(&g, LW_ORDER_PERFECT, order), LW_OK);
    assert_int_equal(lw_order_cost_of(&g, order, &cost), LW_OK);
    if (cost.fill != 0) fail_msg("seed %u: fill %g", seed, cost.fill);
    free_net(&x);
  }
}

/* ---- large ---- */

typedef enum { PATH, STAR, GRID, TREE, NOTHING, RANDOM, COMBS, NSHAPE } shape;

static net large_net(shape s, int n)
{
  net x = {.n = n};
  unsigned r = 5;
  int side = 1;
  while ((side + 1) * (side + 1) <= n)
    side++;
  for (int v = 1; v < n; v++)
    switch (s) {
    case PATH: add_edge(&x, v, v - 1); break;
    case STAR: add_edge(&x, v, 0); break;
    case GRID:
      if (v % side) add_edge(&x, v, v - 1);
      if (v >= side) add_edge(&x, v, v - side);
      break;
    case TREE: add_edge(&x, v, (v - 1) / 2); break;
    case RANDOM: add_edge(&x, v, (int)(next(&r) % (unsigned)v)); break;
    case COMBS: /* many small parts */
      if (v % 7) add_edge(&x, v, v - 1);
      break;
    case NOTHING:
    case NSHAPE: break;
    }
  return x;
}

/* quadratic methods would take hours */
static void large_graphs_are_numbered(void **state)
{
  (void)state;
  const int n = 100000;
  int *order = malloc((size_t)n * sizeof *order);
  for (int s = 0; s < NSHAPE; s++) {
    net x = large_net((shape)s, n);
    const lw_undirected g = graph_of(&x);
    for (int m = 0; m < LW_ORDER_METHODS; m++) {
      lw_order_cost cost;
      assert_int_equal(lw_order_nodes(&g, (lw_order_method)m, order), LW_OK);
      assert_permutation(n, order, lw_order_method_name((lw_order_method)m));
      assert_int_equal(lw_order_cost_of(&g, order, &cost), LW_OK);
      if (s != GRID && (m == LW_ORDER_PERFECT || m == LW_ORDER_MINIMUM_DEGREE) && cost.fill != 0)
        fail_msg("shape %d: fill %g by %s", s, cost.fill, lw_order_method_name((lw_order_method)m));
      if (s == PATH && m != LW_ORDER_NATURAL && m < LW_ORDER_MINIMUM_DEGREE)
        assert_int_equal(cost.bandwidth, 1);
      /* n log n of the grid: far below the n^1.5 of a band */
      if (s == GRID && (m == LW_ORDER_MINIMUM_DEGREE || m == LW_ORDER_NESTED_DISSECTION))
        assert_true(cost.factor_entries < 45.0 * n);
    }
    free_net(&x);
  }
  free(order);
}

/* ---- nothing and nonsense ---- */

static void empty_graphs_and_bad_numbers(void **state)
{
  (void)state;
  const int start[] = {0, 1, 1}, back[] = {0, 1, 0}, neighbour[] = {1}, far[] = {2};
  const int light[] = {1, 0};
  int order[2] = {0, 0};
  lw_order_cost cost;
  const lw_undirected empty = {0}, one = {.nnode = 2, .start = start, .neighbour = neighbour};
  for (int m = 0; m < LW_ORDER_METHODS; m++)
    assert_int_equal(lw_order_nodes(&empty, (lw_order_method)m, NULL), LW_OK);
  assert_int_equal(lw_order_cost_of(&empty, NULL, &cost), LW_OK);
  assert_int_equal(lw_order_cost_of(&one, order, &cost), LW_E_ARG); /* node 0 twice */
  assert_int_equal(lw_order_nodes(&one, LW_ORDER_METHODS, order), LW_E_ARG);
  assert_int_equal(lw_order_nodes(NULL, LW_ORDER_SLOAN, order), LW_E_ARG);
  const lw_undirected bad[] = {
      {.nnode = -1},
      {.nnode = 2},
      {.nnode = 2, .start = start},
      {.nnode = 2, .start = back, .neighbour = neighbour},
      {.nnode = 2, .start = start, .neighbour = far},
      {.nnode = 2, .start = start, .neighbour = neighbour, .weight = light}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(lw_order_nodes(&bad[i], LW_ORDER_SLOAN, order), LW_E_ARG);
  assert_null(lw_order_method_name(LW_ORDER_METHODS));
  assert_string_equal(lw_order_method_name(LW_ORDER_SLOAN), "sloan");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_those_of_an_elimination),
      cmocka_unit_test(the_squeezer_gets_its_least_work),
      cmocka_unit_test(joints_of_trees_have_numberings_without_fill),
      cmocka_unit_test(large_graphs_are_numbered),
      cmocka_unit_test(empty_graphs_and_bad_numbers),
  };
  return cmocka_run_group_tests_name("unit/order", tests, NULL, NULL);
}
