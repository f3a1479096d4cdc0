/* SPDX-License-Identifier: Apache-2.0 */
/* test_aggregate.c -- path-induced sets, partition and aggregation of trees, against their
   definitions on all subsets of small random forests. */
#include "graph_cases.h"

enum { NSEED = 2000, SMALL = 7 };

static void set_from_bits(unsigned bits, int n, unsigned char set[])
{
  for (int v = 0; v < n; v++)
    set[v] = (bits >> v) & 1;
}

/* Calls a check for every subset of the nodes of many small forests. */
typedef void subset_check(unsigned seed, const parent_list *x, const lw_tree *t,
                          const unsigned char set[]);

static void for_all_subsets(subset_check *check)
{
  for (unsigned seed = 1; seed <= NSEED / 8; seed++) {
    const parent_list x = random_forest(seed, SMALL);
    lw_tree *t = tree_of(&x);
    for (unsigned bits = 0; bits < 1u << x.n; bits++) {
      unsigned char set[MAX_NODE] = {0};
      set_from_bits(bits, x.n, set);
      check(seed, &x, t, set);
    }
    lw_tree_free(t);
  }
}

/* ---- definitions ---- */

static bool is_path_induced(const parent_list *x, const unsigned char set[])
{
  for (int a = 0; a < x->n; a++)
    for (int v = 0; v < x->n; v++)
      for (int b = 0; b < x->n; b++)
        if (set[a] && !set[v] && set[b] && x->below[a][v] && x->below[v][b]) return false;
  return true;
}

/* The number of different parents outside the set, the ground counted as one; *parent is the
   last. */
static int count_outer_parents(const parent_list *x, const unsigned char set[], int *parent)
{
  int count = 0;
  for (int p = LW_NO_NODE; p < x->n; p++) {
    bool is_parent = false;
    for (int v = 0; v < x->n; v++)
      is_parent = is_parent || (set[v] && x->parent[v] == p);
    if (!is_parent || (p >= 0 && set[p])) continue;
    *parent = p;
    count++;
  }
  return count;
}

static bool can_aggregate(const parent_list *x, const unsigned char set[])
{
  int parent;
  return is_path_induced(x, set) && count_outer_parents(x, set, &parent) == 1;
}

static bool contains(int n, const unsigned char big[], const unsigned char small[])
{
  for (int v = 0; v < n; v++)
    if (small[v] && !big[v]) return false;
  return true;
}

static int set_size(int n, const unsigned char set[])
{
  int count = 0;
  for (int v = 0; v < n; v++)
    count += set[v];
  return count;
}

/* The smallest set that contains `set` and has the property, found among all sets; fails if there
   are two. */
static int smallest(unsigned seed, const parent_list *x, const unsigned char set[],
                    bool (*property)(const parent_list *, const unsigned char[]),
                    unsigned char best[])
{
  int size = x->n + 1, ties = 0;
  for (unsigned bits = 0; bits < 1u << x->n; bits++) {
    unsigned char other[MAX_NODE] = {0};
    set_from_bits(bits, x->n, other);
    const int n = set_size(x->n, other);
    if (n > size || !contains(x->n, other, set) || !property(x, other)) continue;
    ties = n == size ? ties + 1 : 0;
    size = n;
    memcpy(best, other, MAX_NODE);
  }
  CHECK(seed, ties == 0);
  return size;
}

/* ---- path-induced sets and partition ---- */

static void check_path_induced(unsigned seed, const parent_list *x, const lw_tree *t,
                               const unsigned char set[])
{
  CHECK(seed, lw_tree_is_path_induced(t, set) == is_path_induced(x, set));
}

static void path_induced_sets_hold_all_paths_between_their_nodes(void **state)
{
  (void)state;
  for_all_subsets(check_path_induced);
}

static void the_path_closure_is_the_smallest_path_induced_set(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, SMALL);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    unsigned char set[MAX_NODE] = {0}, closure[MAX_NODE], best[MAX_NODE];
    random_set(&r, x.n, set);
    const int size = smallest(seed, &x, set, is_path_induced, best);
    CHECK(seed, lw_tree_path_closure(t, set, closure) == size);
    CHECK(seed, memcmp(closure, best, (size_t)x.n) == 0);
    lw_tree_free(t);
  }
}

static void path_closures_in_trees_and_in_digraphs_agree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    edge_list y = {.n = x.n};
    uint64_t r = seed;
    unsigned char set[MAX_NODE] = {0}, in_tree[MAX_NODE], in_graph[MAX_NODE];
    int work[MAX_NODE];
    random_set(&r, x.n, set);
    for (int v = 0; v < x.n; v++)
      if (x.parent[v] >= 0) {
        y.from[y.m] = x.parent[v];
        y.to[y.m++] = v;
      }
    lw_graph *g = graph_of(&y);
    CHECK(seed,
          lw_tree_path_closure(t, set, in_tree) == lw_graph_path_closure(g, set, in_graph, work));
    CHECK(seed, memcmp(in_tree, in_graph, (size_t)x.n) == 0);
    lw_graph_free(g);
    lw_tree_free(t);
  }
}

static bool part_is_path_induced(const parent_list *x, const unsigned char part[], lw_part which)
{
  unsigned char set[MAX_NODE] = {0};
  for (int v = 0; v < x->n; v++)
    set[v] = part[v] == which;
  return is_path_induced(x, set);
}

static void check_partition(unsigned seed, const parent_list *x, const lw_tree *t,
                            const unsigned char set[])
{
  unsigned char part[MAX_NODE];
  memset(part, 99, sizeof part);
  const bool valid = is_path_induced(x, set);
  CHECK(seed, lw_tree_partition(t, set, part) == (valid ? LW_OK : LW_E_ARG));
  for (int v = 0; v < x->n; v++) {
    bool below = false;
    for (int s = 0; s < x->n; s++)
      below = below || (set[s] && x->below[s][v]);
    const lw_part outside = below ? LW_PART_CHILD : LW_PART_PARENT;
    CHECK(seed, part[v] == (valid ? set[v] ? LW_PART_SET : outside : 99));
  }
  if (valid) CHECK(seed, part_is_path_induced(x, part, LW_PART_CHILD));
  if (valid) CHECK(seed, part_is_path_induced(x, part, LW_PART_PARENT));
}

static void a_partition_has_the_set_its_descendants_and_the_rest(void **state)
{
  (void)state;
  for_all_subsets(check_partition);
}

/* Where E is not zero: the row of a parent and the column of its child. */
static void check_partition_order(unsigned seed, const parent_list *x, const lw_tree *t,
                                  const unsigned char set[])
{
  unsigned char part[MAX_NODE];
  int order[MAX_NODE], start[4], where[MAX_NODE];
  if (lw_tree_partition(t, set, part) != LW_OK) return;
  memset(where, -1, sizeof where);
  lw_tree_partition_order(t, part, order, start);
  CHECK(seed, start[0] == 0 && start[3] == x->n);
  for (int p = 0; p < 3; p++)
    for (int i = start[p]; i < start[p + 1]; i++) {
      CHECK(seed, part[order[i]] == p && where[order[i]] < 0);
      where[order[i]] = i;
    }
  for (int v = 0; v < x->n; v++)
    if (x->parent[v] >= 0) {
      CHECK(seed, where[x->parent[v]] > where[v]);
      /* the lower left block is zero: no child of a parent part is in the child part */
      CHECK(seed, part[v] != LW_PART_CHILD || part[x->parent[v]] != LW_PART_PARENT);
    }
}

static void partitioned_operators_are_block_lower_triangular(void **state)
{
  (void)state;
  for_all_subsets(check_partition_order);
}

/* ---- aggregation ---- */

static void check_condition(unsigned seed, const parent_list *x, const lw_tree *t,
                            const unsigned char set[])
{
  int expected = -7, parent = -7;
  const bool one_parent = count_outer_parents(x, set, &expected) == 1;
  CHECK(seed, lw_tree_can_aggregate(t, set, &parent) == can_aggregate(x, set));
  /* with the ground outside every set, one parent implies path-induced */
  CHECK(seed, one_parent == can_aggregate(x, set));
  CHECK(seed, parent == (one_parent ? expected : -7));
}

static void a_set_with_one_parent_outside_can_be_aggregated(void **state)
{
  (void)state;
  for_all_subsets(check_condition);
}

/* The digraph of the tree with the ground as node n, the set contracted to one node. */
static lw_graph_class contracted_class(const parent_list *x, const unsigned char set[])
{
  edge_list y = {.n = x->n + 1, .m = x->n};
  int class_of[MAX_NODE + 1], edge_map[MAX_EDGE], nclass = 1;
  for (int v = 0; v < x->n; v++) {
    y.from[v] = x->parent[v] < 0 ? x->n : x->parent[v];
    y.to[v] = v;
    class_of[v] = set[v] ? 0 : nclass++;
  }
  class_of[x->n] = nclass++;
  lw_graph *g = lw_graph_new(y.n, y.m, y.from, y.to, NULL);
  lw_graph *q = lw_graph_contract(g, nclass, class_of, edge_map, NULL);
  lw_graph *s = lw_graph_simplify(q, edge_map, NULL);
  const lw_graph_class c = lw_graph_classify(s);
  lw_graph_free(s);
  lw_graph_free(q);
  lw_graph_free(g);
  return c;
}

/* [Jain2012] lemma 5 */
static void check_lemma_5(unsigned seed, const parent_list *x, const lw_tree *t,
                          const unsigned char set[])
{
  if (set_size(x->n, set) == 0) return;
  CHECK(seed, contracted_class(x, set).tree == lw_tree_can_aggregate(t, set, NULL));
}

static void contraction_gives_a_tree_exactly_if_the_set_can_be_aggregated(void **state)
{
  (void)state;
  for_all_subsets(check_lemma_5);
}

/* Why the ground must not be in the set: as a node it has no parent itself. */
static void a_set_with_the_root_breaks_lemma_5_as_printed(void **state)
{
  (void)state;
  const int from[] = {0, 1}, to[] = {1, 2}, root_alone[] = {0, 1, 2},
            root_and_grandchild[] = {0, 1, 0};
  int edge_map[2];
  lw_graph *chain = lw_graph_new(3, 2, from, to, NULL);
  lw_graph *a = lw_graph_contract(chain, 3, root_alone, edge_map, NULL);
  lw_graph *b = lw_graph_contract(chain, 2, root_and_grandchild, edge_map, NULL);
  assert_true(lw_graph_classify(a).tree);     /* no parent outside, and yet a tree */
  assert_false(lw_graph_classify(b).acyclic); /* one parent outside, and yet a cycle */
  lw_graph_free(b);
  lw_graph_free(a);
  lw_graph_free(chain);
}

static void the_aggregation_set_is_the_smallest_that_can_be_aggregated(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, SMALL);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    unsigned char set[MAX_NODE] = {0}, found[MAX_NODE] = {0}, best[MAX_NODE];
    random_set(&r, x.n, set);
    int parent = -7, expected = -7;
    const int size = lw_tree_aggregation_set(t, set, found, &parent);
    if (set_size(x.n, set) == 0) {
      CHECK(seed, size == 0 && set_size(x.n, found) == 0 && parent == LW_NO_NODE);
    } else {
      CHECK(seed, size == smallest(seed, &x, set, can_aggregate, best));
      CHECK(seed, memcmp(found, best, (size_t)x.n) == 0);
      CHECK(seed, count_outer_parents(&x, found, &expected) == 1 && parent == expected);
    }
    lw_tree_free(t);
  }
}

static void a_single_node_is_its_own_aggregation_set(void **state)
{
  (void)state;
  const int parent[] = {-1, 0, 1};
  const unsigned char set[] = {0, 1, 0};
  unsigned char found[3];
  int above;
  lw_tree *t = lw_tree_new(3, parent, NULL, NULL);
  assert_int_equal(lw_tree_aggregation_set(t, set, found, &above), 1);
  assert_true(found[1] && above == 0);
  lw_tree_free(t);
}

/* ---- the aggregated tree ---- */

/* Says what contraction must give: LW_OK and the parents of the classes, or why not. */
static lw_status define_contraction(const parent_list *x, int nclass, const int class_of[],
                                    int parent[])
{
  bool tree = true;
  for (int c = 0; c < nclass; c++) {
    unsigned char from[MAX_NODE + 1] = {0}; /* classes with a parent of c, ground last */
    int members = 0, parents = 0;
    for (int v = 0; v < x->n; v++)
      if (class_of[v] == c) {
        from[x->parent[v] < 0 ? nclass : class_of[x->parent[v]]] = 1;
        members++;
      }
    from[c] = 0;
    if (members == 0) return LW_E_ARG;
    for (int p = 0; p <= nclass; p++)
      if (from[p]) {
        parent[c] = p == nclass ? LW_NO_NODE : p;
        parents++;
      }
    tree = tree && parents == 1;
  }
  for (int c = 0; c < nclass && tree; c++) {
    int steps = 0, above = c;
    while (above >= 0 && steps++ <= nclass)
      above = parent[above];
    tree = above < 0;
  }
  return tree ? LW_OK : LW_E_MODEL;
}

static void classes_contract_to_a_tree_exactly_if_their_parents_form_one(void **state)
{
  (void)state;
  int ntree = 0, nother = 0;
  for (unsigned seed = 1; seed <= 5 * NSEED; seed++) {
    const parent_list x = random_forest(seed, SMALL);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    int class_of[MAX_NODE], parent[MAX_NODE];
    const int nclass = x.n ? random_int(&r, 1, x.n) : 0;
    for (int v = 0; v < x.n; v++)
      class_of[v] = random_int(&r, 0, nclass - 1);
    lw_error err;
    lw_tree *q = lw_tree_contract(t, nclass, class_of, &err);
    const lw_status expected = define_contraction(&x, nclass, class_of, parent);
    /* of two reasons either may be told */
    CHECK(seed,
          (err.status == LW_OK) == (expected == LW_OK) && (q != NULL) == (err.status == LW_OK));
    for (int c = 0; q && c < nclass; c++)
      CHECK(seed, q->parent[c] == parent[c]);
    *(q ? &ntree : &nother) += 1;
    lw_tree_free(q);
    lw_tree_free(t);
  }
  assert_true(ntree > 500 && nother > 500);
}

static void check_aggregated_tree(unsigned seed, const parent_list *x, const lw_tree *t,
                                  const unsigned char set[])
{
  int class_of[MAX_NODE];
  const int nclass = lw_tree_set_classes(t, set, class_of), nset = set_size(x->n, set);
  CHECK(seed, nclass == x->n - nset + (nset > 0));
  for (int u = 0; u < x->n; u++)
    for (int v = 0; v < x->n; v++)
      CHECK(seed, (class_of[u] == class_of[v]) == (u == v || (set[u] && set[v])));

  lw_error err;
  lw_tree *q = lw_tree_contract(t, nclass, class_of, &err);
  const bool valid = nset == 0 || can_aggregate(x, set);
  CHECK(seed, err.status == (valid ? LW_OK : LW_E_MODEL) && (q != NULL) == valid);
  for (int v = 0; q && v < x->n; v++) {
    const int c = class_of[v], p = x->parent[v] < 0 ? LW_NO_NODE : class_of[x->parent[v]];
    CHECK(seed, p == c || q->parent[c] == p);
    CHECK(seed, q->parent[c] < c);
  }
  lw_tree_free(q);
}

static void the_aggregated_tree_has_the_set_as_one_node(void **state)
{
  (void)state;
  for_all_subsets(check_aggregated_tree);
}

/* ---- loops ---- */

/* Unites path sets that overlap until none do; label[v] is the lowest node of the class of v. */
static void define_loop_classes(const parent_list *x, const lw_tree *t, int nloop, const int a[],
                                const int b[], int label[])
{
  for (int v = 0; v < x->n; v++)
    label[v] = v;
  for (int k = 0; k < nloop; k++) {
    int path[2 * MAX_NODE + 1], first = LW_NO_NODE;
    const int n = lw_tree_path(t, a[k], b[k], path), top = lw_tree_common_ancestor(t, a[k], b[k]);
    for (int i = 0; i < n; i++) {
      if (path[i] == top) continue;
      if (first < 0) first = path[i];
      const int from = label[path[i]], to = label[first];
      for (int v = 0; v < x->n; v++)
        if (label[v] == from) label[v] = to;
    }
  }
}

static void loops_that_share_nodes_share_a_class(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    int a[4], b[4], class_of[MAX_NODE], label[MAX_NODE];
    const int nloop = random_int(&r, 0, 4);
    for (int k = 0; k < nloop; k++) {
      a[k] = random_int(&r, -1, x.n - 1);
      b[k] = random_int(&r, -1, x.n - 1);
    }
    const int nclass = lw_tree_loop_classes(t, nloop, a, b, class_of);
    define_loop_classes(&x, t, nloop, a, b, label);
    for (int u = 0; u < x.n; u++)
      for (int v = 0; v < x.n; v++)
        CHECK(seed, (class_of[u] == class_of[v]) == (label[u] == label[v]));
    for (int v = 0; v < x.n; v++)
      CHECK(seed, class_of[v] >= 0 && class_of[v] < nclass);
    lw_tree_free(t);
  }
}

static void every_class_of_loops_can_be_aggregated(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    int a[5], b[5], class_of[MAX_NODE];
    for (int k = 0; k < 5; k++) {
      a[k] = random_int(&r, -1, x.n - 1);
      b[k] = random_int(&r, -1, x.n - 1);
    }
    const int nclass = lw_tree_loop_classes(t, 5, a, b, class_of);
    for (int c = 0; c < nclass; c++) {
      unsigned char set[MAX_NODE] = {0};
      for (int v = 0; v < x.n; v++)
        set[v] = class_of[v] == c;
      CHECK(seed, can_aggregate(&x, set));
    }
    lw_tree *q = lw_tree_contract(t, nclass, class_of, NULL);
    CHECK(seed, q != NULL);
    for (int c = 0; c < nclass; c++)
      CHECK(seed, q->parent[c] < c);
    lw_tree_free(q);
    lw_tree_free(t);
  }
}

/* ---- errors, memory, size ---- */

static void wrong_arguments_are_refused(void **state)
{
  (void)state;
  const int parent[] = {-1, 0}, high[] = {0, 2}, low[] = {0, -1}, gap[] = {1, 1};
  const int one_too_many[] = {0, 1};
  const int end[] = {2}, good[] = {1};
  int class_of[2];
  lw_error err = {.status = LW_OK};
  lw_tree *t = lw_tree_new(2, parent, NULL, NULL);
  assert_null(lw_tree_contract(t, 2, high, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_tree_contract(t, 1, one_too_many, NULL));
  assert_null(lw_tree_contract(t, 2, low, NULL));
  assert_null(lw_tree_contract(t, 2, gap, NULL));
  assert_null(lw_tree_contract(t, 3, high, NULL));
  assert_null(lw_tree_contract(t, -1, high, NULL));
  assert_null(lw_tree_contract(NULL, 1, high, NULL));
  assert_int_equal(lw_tree_loop_classes(t, 1, end, good, class_of), -1);
  assert_int_equal(lw_tree_loop_classes(t, 1, good, end, class_of), -1);
  lw_tree_free(t);
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  const int parent[] = {-1, 0, 1}, class_of[] = {0, 1, 1};
  lw_tree *t = lw_tree_new(3, parent, NULL, NULL);
  CHECK_FAILED_ALLOCATIONS(lw_tree, lw_tree_contract(t, 2, class_of, &err), lw_tree_free);
  lw_tree_free(t);
}

static void questions_do_not_allocate(void **state)
{
  (void)state;
  const parent_list x = random_forest(12, 10);
  lw_tree *t = tree_of(&x);
  const int a[] = {0}, b[] = {LW_NO_NODE};
  unsigned char set[MAX_NODE] = {1}, out[MAX_NODE];
  int class_of[MAX_NODE], start[4];
  alloc_count = 0;
  lw_tree_path_closure(t, set, out);
  lw_tree_aggregation_set(t, set, out, NULL);
  lw_tree_can_aggregate(t, set, NULL);
  lw_tree_partition(t, set, out);
  lw_tree_partition_order(t, out, class_of, start);
  lw_tree_set_classes(t, set, class_of);
  lw_tree_loop_classes(t, 1, a, b, class_of);
  assert_int_equal(alloc_count, 0);
  lw_tree_free(t);
}

static void a_million_nodes_are_aggregated(void **state)
{
  (void)state;
  unsigned char *set = calloc(MILLION, 1), *out = calloc(MILLION, 1);
  unsigned char *part = calloc(MILLION, 1);
  int *a = new_ints(MILLION), *b = new_ints(MILLION), *class_of = new_ints(MILLION);
  uint64_t r = 9;
  for (int k = 0; k < MILLION; k++) {
    a[k] = random_int(&r, 0, MILLION - 1);
    b[k] = random_int(&r, 0, MILLION - 1);
    set[k] = k > 0 && k % 3 == 0;
  }
  for (shape s = CHAIN; s < NSHAPE; s++) {
    int *parent = new_shape(s, MILLION);
    lw_tree *t = lw_tree_new(MILLION, parent, NULL, NULL);
    const int naggregated = lw_tree_aggregation_set(t, set, out, NULL);
    assert_true(lw_tree_can_aggregate(t, out, NULL));
    assert_true(lw_tree_path_closure(t, set, out) <= naggregated);
    assert_int_equal(lw_tree_partition(t, out, part), LW_OK);
    const int nclass = lw_tree_loop_classes(t, MILLION / 10, a, b, class_of);
    lw_tree *q = lw_tree_contract(t, nclass, class_of, NULL);
    assert_non_null(q);
    lw_tree_free(q);
    lw_tree_free(t);
    free(parent);
  }
  free(set);
  free(out);
  free(part);
  free(a);
  free(b);
  free(class_of);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(path_induced_sets_hold_all_paths_between_their_nodes),
      cmocka_unit_test(the_path_closure_is_the_smallest_path_induced_set),
      cmocka_unit_test(path_closures_in_trees_and_in_digraphs_agree),
      cmocka_unit_test(a_partition_has_the_set_its_descendants_and_the_rest),
      cmocka_unit_test(partitioned_operators_are_block_lower_triangular),
      cmocka_unit_test(a_set_with_one_parent_outside_can_be_aggregated),
      cmocka_unit_test(contraction_gives_a_tree_exactly_if_the_set_can_be_aggregated),
      cmocka_unit_test(a_set_with_the_root_breaks_lemma_5_as_printed),
      cmocka_unit_test(the_aggregation_set_is_the_smallest_that_can_be_aggregated),
      cmocka_unit_test(a_single_node_is_its_own_aggregation_set),
      cmocka_unit_test(classes_contract_to_a_tree_exactly_if_their_parents_form_one),
      cmocka_unit_test(the_aggregated_tree_has_the_set_as_one_node),
      cmocka_unit_test(loops_that_share_nodes_share_a_class),
      cmocka_unit_test(every_class_of_loops_can_be_aggregated),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(questions_do_not_allocate),
      cmocka_unit_test(a_million_nodes_are_aggregated),
  };
  return cmocka_run_group_tests_name("unit/aggregate", tests, NULL, NULL);
}
