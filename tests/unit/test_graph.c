/* SPDX-License-Identifier: Apache-2.0 */
/* test_graph.c -- digraphs: adjacency, classes, reach, subgraphs and contraction, against their
   definitions on all kinds of small random graphs. */
#include "graph_cases.h"

enum { NSEED = 6000 };

static void the_example_of_the_header_holds(void **state)
{
  (void)state;
  const int from[] = {0, 1, 0, 3}, to[] = {1, 2, 3, 2};
  lw_graph *g = lw_graph_new(4, 4, from, to, NULL);
  lw_graph_class c = lw_graph_classify(g);
  assert_true(c.rooted && !c.tree && c.nloop == 1);
  lw_spanning_tree *s = lw_spanning_tree_new(g, NULL, NULL);
  assert_int_equal(s->ncut, 1);
  assert_int_equal(s->cut[0], 3);

  int body_parent[3];
  for (int i = 0; i < 3; i++)
    body_parent[i] = s->parent[i + 1] - 1;
  lw_tree *t = lw_tree_new(3, body_parent, NULL, NULL);
  assert_true(t->order[0] == 0 && t->order[1] == 1 && t->order[2] == 2);
  assert_int_equal(lw_tree_common_ancestor(t, 1, 2), LW_NO_NODE);
  lw_tree_free(t);
  lw_spanning_tree_free(s);
  lw_graph_free(g);
}

static int count_edges(const edge_list *x, int from, int to)
{
  int count = 0;
  for (int e = 0; e < x->m; e++)
    count += (from < 0 || x->from[e] == from) && (to < 0 || x->to[e] == to);
  return count;
}

static void adjacency_lists_have_exactly_the_edges_of_a_node(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    CHECK(seed, lw_graph_nnode(g) == x.n && lw_graph_nedge(g) == x.m);
    for (int e = 0; e < x.m; e++)
      CHECK(seed, lw_graph_from(g, e) == x.from[e] && lw_graph_to(g, e) == x.to[e]);
    for (int v = 0; v < x.n; v++) {
      int nout, nin, nchild, nparent;
      const int *out = lw_graph_edges(g, LW_TO_CHILDREN, v, &nout),
                *in = lw_graph_edges(g, LW_TO_PARENTS, v, &nin);
      const int *child = lw_graph_neighbours(g, LW_TO_CHILDREN, v, &nchild);
      const int *parent = lw_graph_neighbours(g, LW_TO_PARENTS, v, &nparent);
      CHECK(seed, nout == count_edges(&x, v, -1) && nin == count_edges(&x, -1, v));
      CHECK(seed, nchild == nout && nparent == nin);
      for (int i = 0; i < nout; i++)
        CHECK(seed, x.from[out[i]] == v && x.to[out[i]] == child[i] && (!i || out[i - 1] < out[i]));
      for (int i = 0; i < nin; i++)
        CHECK(seed, x.to[in[i]] == v && x.from[in[i]] == parent[i] && (!i || in[i - 1] < in[i]));
    }
    lw_graph_free(g);
  }
}

static void the_first_edge_between_two_nodes_is_found(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    for (int a = -1; a <= x.n; a++)
      for (int b = -1; b <= x.n; b++) {
        int first = LW_NO_EDGE;
        for (int e = x.m - 1; e >= 0; e--)
          if (x.from[e] == a && x.to[e] == b) first = e;
        CHECK(seed, lw_graph_find_edge(g, a, b) == first);
      }
    lw_graph_free(g);
  }
}

static void roots_have_no_parents_and_leaves_no_children(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    int nroot, nleaf, r = 0, l = 0;
    const int *root = lw_graph_ends(g, LW_TO_PARENTS, &nroot),
              *leaf = lw_graph_ends(g, LW_TO_CHILDREN, &nleaf);
    for (int v = 0; v < x.n; v++) {
      if (count_edges(&x, -1, v) == 0) CHECK(seed, r < nroot && root[r++] == v);
      if (count_edges(&x, v, -1) == 0) CHECK(seed, l < nleaf && leaf[l++] == v);
    }
    CHECK(seed, r == nroot && l == nleaf);
    lw_graph_free(g);
  }
}

/* ---- classes ---- */

static edge_list both_ways(const edge_list *x)
{
  edge_list y = {.n = x->n, .m = 2 * x->m};
  for (int e = 0; e < x->m; e++) {
    y.from[2 * e] = y.to[2 * e + 1] = x->from[e];
    y.to[2 * e] = y.from[2 * e + 1] = x->to[e];
  }
  find_paths(&y);
  return y;
}

/* Independent loops: edges that join nodes which earlier edges have joined already. */
static int count_loops(const edge_list *x)
{
  int nloop = 0;
  for (int e = 0; e < x->m; e++) {
    edge_list earlier = *x;
    earlier.m = e;
    const edge_list y = both_ways(&earlier);
    nloop += x->from[e] == x->to[e] || y.below[x->from[e]][x->to[e]];
  }
  return nloop;
}

/* The definitions of the paper, word by word, from paths. */
static lw_graph_class define_class(const edge_list *x)
{
  const edge_list any = both_ways(x);
  lw_graph_class c = {.nnode = x->n, .nedge = x->m, .acyclic = true};
  bool one_parent = true, one_child = true;
  for (int v = 0; v < x->n; v++) {
    bool lowest = true;
    for (int u = 0; u < v; u++)
      lowest = lowest && !any.below[u][v];
    c.ncomponent += lowest;
    c.nroot += count_edges(x, -1, v) == 0;
    c.nleaf += count_edges(x, v, -1) == 0;
    c.nself += count_edges(x, v, v);
    for (int u = 0; u < x->n; u++)
      if (u != v && count_edges(x, u, v) > 1) c.nparallel += count_edges(x, u, v) - 1;
    c.acyclic = c.acyclic && !x->below[v][v];
    one_parent = one_parent && count_edges(x, -1, v) <= 1;
    one_child = one_child && count_edges(x, v, -1) <= 1;
  }
  c.nloop = count_loops(x);
  c.connected = c.ncomponent == 1;
  for (int r = 0; r < x->n; r++) {
    bool root = c.connected && c.nroot == 1 && count_edges(x, -1, r) == 0;
    for (int v = 0; v < x->n; v++)
      root = root && (v == r || x->below[r][v]);
    c.rooted = c.rooted || root;
  }
  c.dag = c.connected && c.acyclic;
  c.polytree = c.dag && c.nloop == 0;
  c.tree = c.polytree && one_parent;
  c.serial_chain = c.tree && one_child;
  c.forest = c.acyclic && one_parent;
  return c;
}

static void check_class(unsigned seed, lw_graph_class a, lw_graph_class b)
{
  CHECK(seed, a.nnode == b.nnode && a.nedge == b.nedge);
  CHECK(seed, a.ncomponent == b.ncomponent);
  CHECK(seed, a.nloop == b.nloop);
  CHECK(seed, a.nroot == b.nroot && a.nleaf == b.nleaf);
  CHECK(seed, a.nself == b.nself);
  CHECK(seed, a.nparallel == b.nparallel);
  CHECK(seed, a.connected == b.connected);
  CHECK(seed, a.rooted == b.rooted);
  CHECK(seed, a.acyclic == b.acyclic);
  CHECK(seed, a.dag == b.dag);
  CHECK(seed, a.polytree == b.polytree);
  CHECK(seed, a.tree == b.tree);
  CHECK(seed, a.serial_chain == b.serial_chain);
  CHECK(seed, a.forest == b.forest);
}

static void classes_follow_the_definitions(void **state)
{
  (void)state;
  int seen[8][2] = {{0}};
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    const lw_graph_class c = lw_graph_classify(g);
    check_class(seed, c, define_class(&x));
    const bool flag[8] = {c.connected, c.rooted, c.acyclic,      c.dag,
                          c.polytree,  c.tree,   c.serial_chain, c.forest};
    for (int i = 0; i < 8; i++)
      seen[i][flag[i]]++;
    lw_graph_free(g);
  }
  /* every class occurred, and occurred not, often */
  for (int i = 0; i < 8; i++)
    assert_true(seen[i][0] > 100 && seen[i][1] > 100);
}

static void a_loop_without_two_paths_from_a_node_is_no_polytree(void **state)
{
  (void)state;
  const int from[] = {0, 0, 1, 1}, to[] = {2, 3, 2, 3};
  lw_graph *g = lw_graph_new(4, 4, from, to, NULL);
  const lw_graph_class c = lw_graph_classify(g);
  assert_true(c.dag && !c.polytree && c.nloop == 1);
  lw_graph_free(g);
}

static void an_empty_graph_is_a_forest_and_not_connected(void **state)
{
  (void)state;
  lw_graph *g = lw_graph_new(0, 0, NULL, NULL, NULL);
  const lw_graph_class c = lw_graph_classify(g);
  assert_true(c.forest && c.acyclic && !c.connected && !c.tree && c.nloop == 0);
  lw_graph *q = lw_graph_contract(g, 0, NULL, NULL, NULL);
  assert_true(q && lw_graph_nnode(q) == 0);
  lw_graph_free(q);
  lw_graph_free(g);
}

static void components_are_numbered_by_their_lowest_nodes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed), any = both_ways(&x);
    lw_graph *g = graph_of(&x);
    const int *component = lw_graph_components(g);
    int next = 0;
    for (int v = 0; v < x.n; v++) {
      int expected = -1;
      for (int u = 0; u < v && expected < 0; u++)
        if (any.below[u][v]) expected = component[u];
      CHECK(seed, component[v] == (expected < 0 ? next++ : expected));
    }
    lw_graph_free(g);
  }
}

/* ---- reach ---- */

static void reached_nodes_are_those_with_a_path_from_the_set(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    uint64_t r = seed;
    unsigned char set[MAX_NODE], reached[MAX_NODE];
    int list[MAX_NODE];
    random_set(&r, x.n, set);
    for (int up = 0; up < 2; up++) {
      const int n = lw_graph_reach(g, up ? LW_TO_PARENTS : LW_TO_CHILDREN, set, reached, list);
      int count = 0;
      for (int v = 0; v < x.n; v++) {
        bool expected = set[v];
        for (int s = 0; s < x.n; s++)
          expected = expected || (set[s] && (up ? x.below[v][s] : x.below[s][v]));
        CHECK(seed, reached[v] == expected);
        count += expected;
      }
      CHECK(seed, n == count);
      for (int i = 0; i < n; i++)
        CHECK(seed, reached[list[i]]);
    }
    lw_graph_free(g);
  }
}

/* Adds nodes between two of the set until there are none. */
static int define_path_closure(const edge_list *x, const unsigned char set[], unsigned char out[])
{
  int count = 0;
  memcpy(out, set, MAX_NODE);
  for (bool more = true; more;) {
    more = false;
    for (int v = 0; v < x->n; v++)
      for (int a = 0; a < x->n; a++)
        for (int b = 0; b < x->n; b++)
          if (!out[v] && out[a] && out[b] && x->below[a][v] && x->below[v][b]) out[v] = more = true;
  }
  for (int v = 0; v < x->n; v++)
    count += out[v];
  return count;
}

static void the_path_closure_is_the_smallest_path_induced_set(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    uint64_t r = seed;
    unsigned char set[MAX_NODE] = {0}, closure[MAX_NODE], expected[MAX_NODE];
    int work[MAX_NODE];
    random_set(&r, x.n, set);
    const int count = define_path_closure(&x, set, expected);
    CHECK(seed, lw_graph_path_closure(g, set, closure, work) == count);
    CHECK(seed, memcmp(closure, expected, (size_t)x.n) == 0);
    lw_graph_free(g);
  }
}

/* ---- subgraphs and contraction ---- */

static void an_induced_subgraph_has_every_edge_between_its_nodes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    uint64_t r = seed;
    unsigned char keep[MAX_NODE];
    int node_map[MAX_NODE], edge_map[MAX_EDGE], nnode = 0, nedge = 0;
    random_set(&r, x.n, keep);
    lw_graph *s = lw_graph_subgraph(g, keep, NULL, node_map, edge_map, NULL);
    for (int v = 0; v < x.n; v++)
      CHECK(seed, node_map[v] == (keep[v] ? nnode++ : LW_NO_NODE));
    for (int e = 0; e < x.m; e++) {
      const bool kept = keep[x.from[e]] && keep[x.to[e]];
      CHECK(seed, edge_map[e] == (kept ? nedge++ : LW_NO_EDGE));
      if (!kept) continue;
      CHECK(seed, lw_graph_from(s, edge_map[e]) == node_map[x.from[e]]);
      CHECK(seed, lw_graph_to(s, edge_map[e]) == node_map[x.to[e]]);
    }
    CHECK(seed, lw_graph_nnode(s) == nnode && lw_graph_nedge(s) == nedge);
    lw_graph_free(s);
    lw_graph_free(g);
  }
}

static void a_subgraph_has_only_the_flagged_edges(void **state)
{
  (void)state;
  const int from[] = {0, 1, 2, 0}, to[] = {1, 2, 0, 1};
  const unsigned char nodes[] = {1, 1, 1}, edges[] = {0, 1, 0, 1};
  int node_map[3], edge_map[4];
  lw_graph *g = lw_graph_new(3, 4, from, to, NULL);
  lw_graph *s = lw_graph_subgraph(g, nodes, edges, node_map, edge_map, NULL);
  assert_int_equal(lw_graph_nedge(s), 2);
  assert_true(edge_map[0] == -1 && edge_map[1] == 0 && edge_map[2] == -1 && edge_map[3] == 1);
  assert_true(lw_graph_from(s, 1) == 0 && lw_graph_to(s, 1) == 1);
  lw_graph_free(s);
  lw_graph_free(g);
}

static void a_flagged_edge_without_its_node_is_refused(void **state)
{
  (void)state;
  const int from[] = {0}, to[] = {1};
  const unsigned char nodes[] = {1, 0}, edges[] = {1};
  int node_map[2], edge_map[1];
  lw_error err = {.status = LW_OK};
  lw_graph *g = lw_graph_new(2, 1, from, to, NULL);
  assert_null(lw_graph_subgraph(g, nodes, edges, node_map, edge_map, &err));
  assert_int_equal(err.status, LW_E_ARG);
  lw_graph_free(g);
}

static void contraction_keeps_exactly_the_edges_between_classes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    uint64_t r = seed;
    int class_of[MAX_NODE], edge_map[MAX_EDGE], nedge = 0;
    const int nclass = random_int(&r, 1, MAX_NODE);
    for (int v = 0; v < x.n; v++)
      class_of[v] = random_int(&r, 0, nclass - 1);
    lw_graph *q = lw_graph_contract(g, nclass, class_of, edge_map, NULL);
    CHECK(seed, lw_graph_nnode(q) == nclass);
    for (int e = 0; e < x.m; e++) {
      const int a = class_of[x.from[e]], b = class_of[x.to[e]];
      CHECK(seed, edge_map[e] == (a == b ? LW_NO_EDGE : nedge++));
      if (a == b) continue;
      CHECK(seed, lw_graph_from(q, edge_map[e]) == a && lw_graph_to(q, edge_map[e]) == b);
    }
    CHECK(seed, lw_graph_nedge(q) == nedge);
    lw_graph_free(q);
    lw_graph_free(g);
  }
}

static void contracting_edges_joins_what_they_connect(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    uint64_t r = seed;
    unsigned char chosen[MAX_EDGE];
    int class_of[MAX_NODE], next = 0;
    edge_list y = {.n = x.n};
    random_set(&r, x.m, chosen);
    for (int e = 0; e < x.m; e++)
      if (chosen[e]) {
        y.from[y.m] = x.from[e];
        y.to[y.m++] = x.to[e];
      }
    y = both_ways(&y);
    const int nclass = lw_graph_edge_classes(g, chosen, class_of);
    for (int v = 0; v < x.n; v++) {
      int expected = -1;
      for (int u = 0; u < v && expected < 0; u++)
        if (y.below[u][v]) expected = class_of[u];
      CHECK(seed, class_of[v] == (expected < 0 ? next++ : expected));
    }
    CHECK(seed, nclass == next);
    lw_graph_free(g);
  }
}

static void a_simplified_graph_has_one_edge_where_there_was_any(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const edge_list x = random_graph(seed);
    lw_graph *g = graph_of(&x);
    int edge_map[MAX_EDGE], nedge = 0;
    lw_graph *s = lw_graph_simplify(g, edge_map, NULL);
    for (int e = 0; e < x.m; e++) {
      const bool kept = x.from[e] != x.to[e] && lw_graph_find_edge(g, x.from[e], x.to[e]) == e;
      CHECK(seed, edge_map[e] == (kept ? nedge++ : LW_NO_EDGE));
      if (kept) CHECK(seed, lw_graph_from(s, edge_map[e]) == x.from[e]);
      if (kept) CHECK(seed, lw_graph_to(s, edge_map[e]) == x.to[e]);
    }
    CHECK(seed, lw_graph_nedge(s) == nedge && lw_graph_nnode(s) == x.n);
    lw_graph_free(s);
    lw_graph_free(g);
  }
}

/* ---- errors, memory, size ---- */

static lw_status status_of(int nnode, int nedge, const int from[], const int to[])
{
  lw_error err = {.status = LW_OK};
  lw_graph *g = lw_graph_new(nnode, nedge, from, to, &err);
  assert_int_equal(err.status == LW_OK, g != NULL);
  lw_graph_free(g);
  return err.status;
}

static void wrong_arguments_are_refused(void **state)
{
  (void)state;
  const int good[] = {0, 1}, low[] = {0, -1}, high[] = {2, 0};
  assert_int_equal(status_of(2, 2, good, good), LW_OK);
  assert_int_equal(status_of(2, 2, good, low), LW_E_ARG);
  assert_int_equal(status_of(2, 2, low, good), LW_E_ARG);
  assert_int_equal(status_of(2, 2, high, good), LW_E_ARG);
  assert_int_equal(status_of(2, 2, good, high), LW_E_ARG);
  assert_int_equal(status_of(-1, 0, NULL, NULL), LW_E_ARG);
  assert_int_equal(status_of(1, -1, good, good), LW_E_ARG);
  assert_int_equal(status_of(2, 2, NULL, good), LW_E_ARG);
  assert_int_equal(status_of(0, 1, good, good), LW_E_ARG);

  int edge_map[2], class_of[] = {0, 2};
  lw_error err = {.status = LW_OK};
  lw_graph *g = lw_graph_new(2, 2, good, good, NULL);
  assert_null(lw_graph_contract(g, 2, class_of, edge_map, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_graph_contract(NULL, 2, class_of, edge_map, NULL));
  assert_null(lw_graph_simplify(NULL, edge_map, NULL));
  lw_graph_free(g);
  lw_graph_free(NULL);
}

static void questions_about_nodes_that_do_not_exist_get_nothing(void **state)
{
  (void)state;
  const int from[] = {0}, to[] = {1};
  lw_graph *g = lw_graph_new(2, 1, from, to, NULL);
  int count = 9;
  assert_null(lw_graph_neighbours(g, LW_TO_CHILDREN, 2, &count));
  assert_int_equal(count, 0);
  assert_null(lw_graph_neighbours(g, LW_TO_PARENTS, -1, &count));
  assert_int_equal(lw_graph_from(g, 1), LW_NO_NODE);
  assert_int_equal(lw_graph_from(g, -1), LW_NO_NODE);
  assert_int_equal(lw_graph_to(g, 1), LW_NO_NODE);
  assert_int_equal(lw_graph_to(g, -1), LW_NO_NODE);
  assert_null(lw_graph_edges(g, LW_TO_PARENTS, 7, &count));
  assert_int_equal(count, 0);
  lw_graph_free(g);
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  const int from[] = {0, 1, 0, 0}, to[] = {1, 2, 2, 2}, class_of[] = {0, 0, 1};
  const unsigned char keep[] = {1, 0, 1};
  int node_map[3], edge_map[4];
  lw_graph *g = lw_graph_new(3, 4, from, to, NULL);
  CHECK_FAILED_ALLOCATIONS(lw_graph, lw_graph_new(3, 4, from, to, &err), lw_graph_free);
  CHECK_FAILED_ALLOCATIONS(lw_graph, lw_graph_contract(g, 2, class_of, edge_map, &err),
                           lw_graph_free);
  CHECK_FAILED_ALLOCATIONS(lw_graph, lw_graph_simplify(g, edge_map, &err), lw_graph_free);
  CHECK_FAILED_ALLOCATIONS(lw_graph, lw_graph_subgraph(g, keep, NULL, node_map, edge_map, &err),
                           lw_graph_free);
  lw_graph_free(g);
}

static void questions_do_not_allocate(void **state)
{
  (void)state;
  const edge_list x = random_graph(77);
  lw_graph *g = graph_of(&x);
  unsigned char set[MAX_NODE] = {1}, out[MAX_NODE], chosen[MAX_EDGE] = {1};
  int list[MAX_NODE], count;
  alloc_count = 0;
  lw_graph_classify(g);
  lw_graph_ends(g, LW_TO_PARENTS, &count);
  lw_graph_reach(g, LW_TO_CHILDREN, set, out, list);
  lw_graph_path_closure(g, set, out, list);
  lw_graph_edge_classes(g, chosen, list);
  lw_graph_find_edge(g, 0, 0);
  assert_int_equal(alloc_count, 0);
  lw_graph_free(g);
}

static void a_million_nodes_are_classified(void **state)
{
  (void)state;
  int *from = new_ints(MILLION), *to = new_ints(MILLION), *list = new_ints(MILLION);
  unsigned char *set = calloc(MILLION, 1), *reached = calloc(MILLION, 1);
  set[0] = 1;
  for (shape s = CHAIN; s < NSHAPE; s++) {
    for (int i = 1; i < MILLION; i++) {
      from[i - 1] = shape_parent(s, i);
      to[i - 1] = i;
    }
    lw_graph *g = lw_graph_new(MILLION, MILLION - 1, from, to, NULL);
    const lw_graph_class c = lw_graph_classify(g);
    assert_true(c.tree && c.rooted && c.forest && c.nloop == 0 && c.serial_chain == (s == CHAIN));
    assert_int_equal(lw_graph_reach(g, LW_TO_CHILDREN, set, reached, list), MILLION);
    assert_int_equal(lw_graph_path_closure(g, set, reached, list), 1);
    lw_graph_free(g);
  }
  free(from);
  free(to);
  free(list);
  free(set);
  free(reached);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_of_the_header_holds),
      cmocka_unit_test(adjacency_lists_have_exactly_the_edges_of_a_node),
      cmocka_unit_test(the_first_edge_between_two_nodes_is_found),
      cmocka_unit_test(roots_have_no_parents_and_leaves_no_children),
      cmocka_unit_test(classes_follow_the_definitions),
      cmocka_unit_test(a_loop_without_two_paths_from_a_node_is_no_polytree),
      cmocka_unit_test(an_empty_graph_is_a_forest_and_not_connected),
      cmocka_unit_test(components_are_numbered_by_their_lowest_nodes),
      cmocka_unit_test(reached_nodes_are_those_with_a_path_from_the_set),
      cmocka_unit_test(the_path_closure_is_the_smallest_path_induced_set),
      cmocka_unit_test(an_induced_subgraph_has_every_edge_between_its_nodes),
      cmocka_unit_test(a_subgraph_has_only_the_flagged_edges),
      cmocka_unit_test(a_flagged_edge_without_its_node_is_refused),
      cmocka_unit_test(contraction_keeps_exactly_the_edges_between_classes),
      cmocka_unit_test(contracting_edges_joins_what_they_connect),
      cmocka_unit_test(a_simplified_graph_has_one_edge_where_there_was_any),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(questions_about_nodes_that_do_not_exist_get_nothing),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(questions_do_not_allocate),
      cmocka_unit_test(a_million_nodes_are_classified),
  };
  return cmocka_run_group_tests_name("unit/graph", tests, NULL, NULL);
}
