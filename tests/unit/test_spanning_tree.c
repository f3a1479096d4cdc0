/* SPDX-License-Identifier: Apache-2.0 */
/* test_spanning_tree.c -- spanning trees, cut edges and the loops they close, against distances and
   the cycle property by brute force. */
#include "graph_cases.h"

enum { NSEED = 2500, FAR = 1000 };

/* Distances with directions ignored. */
static void find_distances(const edge_list *x, int d[MAX_NODE][MAX_NODE])
{
  for (int i = 0; i < x->n; i++)
    for (int j = 0; j < x->n; j++)
      d[i][j] = i == j ? 0 : FAR;
  for (int e = 0; e < x->m; e++)
    if (x->from[e] != x->to[e]) d[x->from[e]][x->to[e]] = d[x->to[e]][x->from[e]] = 1;
  for (int k = 0; k < x->n; k++)
    for (int i = 0; i < x->n; i++)
      for (int j = 0; j < x->n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}

/* A random graph with ranks, its distances, and roots in some of its components. */
typedef struct {
  edge_list x;
  int d[MAX_NODE][MAX_NODE], rank[MAX_EDGE], root[MAX_NODE];
  lw_span_options options;
} span_case;

static void make_case(span_case *c, unsigned seed, lw_span_mode mode)
{
  uint64_t r = seed + 17;
  c->x = random_graph(seed);
  c->options = (lw_span_options){.mode = mode, .rank = seed % 5 ? c->rank : NULL, .root = c->root};
  find_distances(&c->x, c->d);
  for (int e = 0; e < c->x.m; e++)
    c->rank[e] = seed % 7 ? random_int(&r, -2, 2) : (int)(next_random(&r) * 2u);
  for (int tries = random_int(&r, 0, 4); tries > 0 && c->x.n > 0; tries--) {
    const int v = random_int(&r, 0, c->x.n - 1);
    bool fresh = true;
    for (int i = 0; i < c->options.nroot; i++)
      fresh = fresh && c->d[v][c->root[i]] >= FAR;
    if (fresh) c->root[c->options.nroot++] = v;
  }
}

static int rank_of(const span_case *c, int e)
{
  return c->options.rank ? c->options.rank[e] : 0;
}

/* True if edge a is preferred to edge b. */
static bool better(const span_case *c, int a, int b)
{
  return rank_of(c, a) != rank_of(c, b) ? rank_of(c, a) < rank_of(c, b) : a < b;
}

static lw_spanning_tree *span(const span_case *c)
{
  lw_graph *g = graph_of(&c->x);
  lw_spanning_tree *s = lw_spanning_tree_new(g, &c->options, NULL);
  assert_non_null(s);
  lw_graph_free(g);
  return s;
}

static void check_tree_edges(unsigned seed, const span_case *c, const lw_spanning_tree *s)
{
  for (int v = 0; v < s->nnode; v++) {
    const int p = s->parent[v], e = s->edge[v];
    CHECK(seed, (p < 0) == (e < 0) && (p < 0) == (s->depth[v] == 0));
    CHECK(seed, (p < 0) == (v == s->component_root[s->component[v]]));
    if (p < 0) continue;
    CHECK(seed, s->depth[v] == s->depth[p] + 1 && s->component[v] == s->component[p]);
    CHECK(seed, c->x.from[e] == (s->reversed[v] ? v : p));
    CHECK(seed, c->x.to[e] == (s->reversed[v] ? p : v));
  }
}

static void every_node_hangs_on_its_parent_by_its_edge(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int mode = 0; mode < 2; mode++) {
      span_case c = {0};
      make_case(&c, seed, (lw_span_mode)mode);
      lw_spanning_tree *s = span(&c);
      check_tree_edges(seed, &c, s);
      lw_spanning_tree_free(s);
    }
}

static void the_order_has_every_node_once_and_after_its_parent(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int mode = 0; mode < 2; mode++) {
      span_case c = {0};
      make_case(&c, seed, (lw_span_mode)mode);
      lw_spanning_tree *s = span(&c);
      bool seen[MAX_NODE] = {false};
      for (int i = 0; i < s->nnode; i++) {
        const int v = s->order[i];
        CHECK(seed, !seen[v] && (s->parent[v] < 0 || seen[s->parent[v]]));
        seen[v] = true;
      }
      lw_spanning_tree_free(s);
    }
}

static void components_are_rooted_as_asked_and_else_at_their_lowest_nodes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int mode = 0; mode < 2; mode++) {
      span_case c = {0};
      make_case(&c, seed, (lw_span_mode)mode);
      lw_spanning_tree *s = span(&c);
      for (int u = 0; u < c.x.n; u++)
        for (int v = 0; v < c.x.n; v++)
          CHECK(seed, (s->component[u] == s->component[v]) == (c.d[u][v] < FAR));
      for (int k = 0; k < s->ncomponent; k++) {
        const int root = s->component_root[k];
        if (k < c.options.nroot) CHECK(seed, root == c.root[k]);
        for (int v = 0; v < root && k >= c.options.nroot; v++)
          CHECK(seed, s->component[v] < k);
      }
      lw_spanning_tree_free(s);
    }
}

static void cut_edges_are_the_edges_outside_the_tree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int mode = 0; mode < 2; mode++) {
      span_case c = {0};
      make_case(&c, seed, (lw_span_mode)mode);
      lw_spanning_tree *s = span(&c);
      int k = 0;
      for (int e = 0; e < c.x.m; e++) {
        bool in_tree = false;
        for (int v = 0; v < s->nnode; v++)
          in_tree = in_tree || s->edge[v] == e;
        if (in_tree) continue;
        CHECK(seed, k < s->ncut && s->cut[k] == e);
        CHECK(seed, s->cut_from[k] == c.x.from[e] && s->cut_to[k] == c.x.to[e]);
        k++;
      }
      CHECK(seed, k == s->ncut && s->ncut == s->nedge - s->nnode + s->ncomponent);
      lw_spanning_tree_free(s);
    }
}

static void breadth_first_depth_is_the_distance_from_the_root(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    span_case c = {0};
    make_case(&c, seed, LW_SPAN_BREADTH_FIRST);
    lw_spanning_tree *s = span(&c);
    for (int v = 0; v < s->nnode; v++)
      CHECK(seed, s->depth[v] == c.d[v][s->component_root[s->component[v]]]);
    lw_spanning_tree_free(s);
  }
}

static void breadth_first_takes_the_best_edge_from_one_level_up(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    span_case c = {0};
    make_case(&c, seed, LW_SPAN_BREADTH_FIRST);
    lw_spanning_tree *s = span(&c);
    for (int e = 0; e < c.x.m; e++)
      for (int end = 0; end < 2; end++) {
        const int v = end ? c.x.from[e] : c.x.to[e], p = end ? c.x.to[e] : c.x.from[e];
        if (s->depth[v] == s->depth[p] + 1) CHECK(seed, !better(&c, e, s->edge[v]));
      }
    lw_spanning_tree_free(s);
  }
}

static void by_rank_a_cut_edge_is_the_worst_of_its_loop(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    span_case c = {0};
    make_case(&c, seed, LW_SPAN_BY_RANK);
    lw_spanning_tree *s = span(&c);
    for (int k = 0; k < s->ncut; k++) {
      int edge[MAX_NODE + 1];
      const int n = lw_spanning_tree_loop(s, k, NULL, edge, NULL);
      for (int i = 0; i < n - 1; i++)
        CHECK(seed, better(&c, edge[i], s->cut[k]));
    }
    lw_spanning_tree_free(s);
  }
}

static void check_loop(unsigned seed, const span_case *c, const lw_spanning_tree *s, int k)
{
  int node[MAX_NODE + 1], edge[MAX_NODE + 1], sign[MAX_NODE + 1];
  const int n = lw_spanning_tree_loop(s, k, node, edge, sign);
  CHECK(seed, n == lw_spanning_tree_loop(s, k, NULL, NULL, NULL));
  CHECK(seed, edge[n - 1] == s->cut[k] && sign[n - 1] == 1);
  for (int i = 0; i < n; i++) {
    const int here = node[i], next = node[(i + 1) % n];
    CHECK(seed, c->x.from[edge[i]] == (sign[i] > 0 ? here : next));
    CHECK(seed, c->x.to[edge[i]] == (sign[i] > 0 ? next : here));
    for (int j = 0; j < i; j++)
      CHECK(seed, node[j] != here && edge[j] != edge[i]);
    if (i < n - 1) CHECK(seed, s->edge[here] == edge[i] || s->edge[next] == edge[i]);
  }
}

static void a_loop_is_a_closed_walk_through_the_tree_and_one_cut_edge(void **state)
{
  (void)state;
  int nloop = 0;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int mode = 0; mode < 2; mode++) {
      span_case c = {0};
      make_case(&c, seed, (lw_span_mode)mode);
      lw_spanning_tree *s = span(&c);
      int64_t total = 0;
      for (int k = 0; k < s->ncut; k++, nloop++) {
        check_loop(seed, &c, s, k);
        total += lw_spanning_tree_loop(s, k, NULL, NULL, NULL);
      }
      CHECK(seed, lw_spanning_tree_loop_total(s) == total);
      CHECK(seed, lw_spanning_tree_loop(s, s->ncut, NULL, NULL, NULL) == 0);
      CHECK(seed, lw_spanning_tree_loop(s, -1, NULL, NULL, NULL) == 0);
      lw_spanning_tree_free(s);
    }
  assert_true(nloop > 1000);
}

static void a_held_joint_stays_in_the_tree_though_the_way_is_longer(void **state)
{
  (void)state;
  /* a ring of five from node 0; rank 0 is held, 3 is a wish to be cut */
  const int from[] = {0, 1, 2, 3, 4}, to[] = {1, 2, 3, 4, 0}, rank[] = {3, 2, 0, 0, 2};
  lw_graph *g = lw_graph_new(5, 5, from, to, NULL);
  lw_span_options o = {.mode = LW_SPAN_BY_RANK, .rank = rank};
  lw_spanning_tree *s = lw_spanning_tree_new(g, &o, NULL);
  assert_int_equal(s->cut[0], 0);
  assert_int_equal(s->depth[1], 4);
  lw_spanning_tree_free(s);

  o.mode = LW_SPAN_BREADTH_FIRST;
  s = lw_spanning_tree_new(g, &o, NULL);
  assert_int_equal(s->cut[0], 2);
  lw_spanning_tree_free(s);
  lw_graph_free(g);
}

static lw_status status_of(const lw_graph *g, const lw_span_options *o)
{
  lw_error err = {.status = LW_OK};
  lw_spanning_tree *s = lw_spanning_tree_new(g, o, &err);
  assert_int_equal(err.status == LW_OK, s != NULL);
  lw_spanning_tree_free(s);
  return err.status;
}

static void wrong_options_are_refused(void **state)
{
  (void)state;
  const int from[] = {0}, to[] = {1}, together[] = {0, 1}, apart[] = {2, 1}, high[] = {3};
  const int low[] = {-1}, twice[] = {1, 1};
  lw_graph *g = lw_graph_new(3, 1, from, to, NULL);
  assert_int_equal(status_of(g, NULL), LW_OK);
  assert_int_equal(status_of(g, &(lw_span_options){.root = apart, .nroot = 2}), LW_OK);
  assert_int_equal(status_of(g, &(lw_span_options){.root = together, .nroot = 2}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.root = twice, .nroot = 2}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.root = high, .nroot = 1}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.root = low, .nroot = 1}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.root = NULL, .nroot = 1}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.nroot = -1}), LW_E_ARG);
  assert_int_equal(status_of(g, &(lw_span_options){.mode = (lw_span_mode)7}), LW_E_ARG);
  assert_int_equal(status_of(NULL, NULL), LW_E_ARG);
  lw_graph_free(g);
}

static void an_empty_graph_has_an_empty_spanning_tree(void **state)
{
  (void)state;
  lw_graph *g = lw_graph_new(0, 0, NULL, NULL, NULL);
  const lw_span_options o = {.mode = LW_SPAN_BY_RANK};
  lw_spanning_tree *s = lw_spanning_tree_new(g, &o, NULL);
  assert_true(s && s->nnode == 0 && s->ncut == 0 && s->ncomponent == 0);
  lw_spanning_tree_free(s);
  lw_graph_free(g);
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  const edge_list x = random_graph(101);
  lw_graph *g = graph_of(&x);
  for (int mode = 0; mode < 2; mode++) {
    const lw_span_options o = {.mode = (lw_span_mode)mode};
    CHECK_FAILED_ALLOCATIONS(lw_spanning_tree, lw_spanning_tree_new(g, &o, &err),
                             lw_spanning_tree_free);
  }
  lw_graph_free(g);
}

/* A shape of n nodes with extra edges up to nedge, every second edge turned around. */
static lw_graph *large_graph(shape s, int n, int nedge)
{
  int *from = new_ints(nedge), *to = new_ints(nedge);
  uint64_t r = 1;
  for (int e = 0; e < nedge; e++) {
    const int child = e < n - 1 ? e + 1 : random_int(&r, 0, n - 1);
    const int parent = e < n - 1 ? shape_parent(s, child) : (child + 3) % n;
    from[e] = e % 2 ? child : parent;
    to[e] = e % 2 ? parent : child;
  }
  lw_graph *g = lw_graph_new(n, nedge, from, to, NULL);
  free(from);
  free(to);
  return g;
}

static void a_million_nodes_are_spanned(void **state)
{
  (void)state;
  const int nedge = MILLION + MILLION / 10;
  int *rank = new_ints(nedge);
  for (int e = 0; e < nedge; e++)
    rank[e] = e < MILLION - 1 ? e % 1000 : 5000 - e;
  for (shape k = CHAIN; k <= BINARY; k++) {
    lw_graph *g = large_graph(k, MILLION, nedge);
    for (int mode = 0; mode < 2; mode++) {
      const lw_span_options o = {.mode = (lw_span_mode)mode, .rank = rank};
      lw_spanning_tree *s = lw_spanning_tree_new(g, &o, NULL);
      assert_int_equal(s->ncomponent, 1);
      assert_int_equal(s->ncut, nedge - MILLION + 1);
      lw_spanning_tree_free(s);
    }
    lw_graph_free(g);
  }
  free(rank);
}

static void the_loop_of_a_ring_of_a_million_nodes_is_the_ring(void **state)
{
  (void)state;
  int *from = new_ints(MILLION), *to = new_ints(MILLION);
  for (int e = 0; e < MILLION; e++) {
    from[e] = e;
    to[e] = (e + 1) % MILLION;
  }
  lw_graph *g = lw_graph_new(MILLION, MILLION, from, to, NULL);
  lw_spanning_tree *s = lw_spanning_tree_new(g, NULL, NULL);
  assert_int_equal(s->ncut, 1);
  assert_int_equal(lw_spanning_tree_loop(s, 0, from, to, NULL), MILLION);
  assert_int_equal(s->depth[MILLION / 2], MILLION / 2);
  lw_spanning_tree_free(s);
  lw_graph_free(g);
  free(from);
  free(to);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_node_hangs_on_its_parent_by_its_edge),
      cmocka_unit_test(the_order_has_every_node_once_and_after_its_parent),
      cmocka_unit_test(components_are_rooted_as_asked_and_else_at_their_lowest_nodes),
      cmocka_unit_test(cut_edges_are_the_edges_outside_the_tree),
      cmocka_unit_test(breadth_first_depth_is_the_distance_from_the_root),
      cmocka_unit_test(breadth_first_takes_the_best_edge_from_one_level_up),
      cmocka_unit_test(by_rank_a_cut_edge_is_the_worst_of_its_loop),
      cmocka_unit_test(a_loop_is_a_closed_walk_through_the_tree_and_one_cut_edge),
      cmocka_unit_test(a_held_joint_stays_in_the_tree_though_the_way_is_longer),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(an_empty_graph_has_an_empty_spanning_tree),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(a_million_nodes_are_spanned),
      cmocka_unit_test(the_loop_of_a_ring_of_a_million_nodes_is_the_ring),
  };
  return cmocka_run_group_tests_name("unit/spanning_tree", tests, NULL, NULL);
}
