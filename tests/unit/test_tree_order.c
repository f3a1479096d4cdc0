/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree_order.c -- trees: numbering, levels, ancestors, paths, against parents followed by
   hand. */
#include "graph_cases.h"

enum { NSEED = 4000 };

static int depth_by_hand(const parent_list *x, int v)
{
  int depth = 0;
  for (int a = x->parent[v]; a >= 0; a = x->parent[a])
    depth++;
  return depth;
}

/* The ground is above every node, and in no subtree. */
static bool above(const parent_list *x, int a, int b)
{
  return b >= 0 && (a < 0 || x->below[a][b]);
}

static void preorder_puts_parents_first_and_keeps_subtrees_together(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 10);
    lw_tree *t = tree_of(&x);
    for (int i = 0; i < x.n; i++)
      CHECK(seed, t->order[i] >= 0 && t->order[i] < x.n && t->place[t->order[i]] == i);
    for (int a = 0; a < x.n; a++)
      for (int b = 0; b < x.n; b++) {
        const int offset = t->place[b] - t->place[a];
        CHECK(seed, (a == b || x.below[a][b]) == (offset >= 0 && offset < t->size[a]));
      }
    lw_tree_free(t);
  }
}

static void siblings_keep_the_order_of_the_listing(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 10);
    uint64_t r = seed;
    int listing[MAX_NODE], where[MAX_NODE];
    random_permutation(&r, x.n, listing);
    for (int i = 0; i < x.n; i++)
      where[listing[i]] = i;
    lw_tree *t = lw_tree_new(x.n, x.parent, listing, NULL);
    for (int a = 0; a < x.n; a++)
      for (int b = 0; b < x.n; b++)
        if (x.parent[a] == x.parent[b] && where[a] < where[b])
          CHECK(seed, t->place[a] < t->place[b]);
    lw_tree_free(t);
  }
}

static void children_roots_and_parents_agree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 10);
    lw_tree *t = tree_of(&x);
    int total = 0;
    for (int v = LW_NO_NODE; v < x.n; v++) {
      int count;
      const int *child = lw_tree_children(t, v, &count);
      for (int i = 0; i < count; i++)
        CHECK(seed, x.parent[child[i]] == v && t->parent[child[i]] == v);
      for (int i = 1; i < count; i++)
        CHECK(seed, child[i - 1] < child[i] && t->place[child[i - 1]] < t->place[child[i]]);
      if (v < 0) CHECK(seed, count == t->nroot);
      total += count;
    }
    CHECK(seed, total == x.n);
    lw_tree_free(t);
  }
}

static void levels_hold_the_nodes_of_a_depth_by_place(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 10);
    lw_tree *t = tree_of(&x);
    int deepest = -1;
    for (int v = 0; v < x.n; v++) {
      CHECK(seed, t->depth[v] == depth_by_hand(&x, v));
      if (t->depth[v] > deepest) deepest = t->depth[v];
    }
    CHECK(seed, t->nlevel == deepest + 1);
    CHECK(seed, t->level_start[0] == 0 && t->level_start[t->nlevel] == x.n);
    for (int d = 0; d < t->nlevel; d++)
      for (int i = t->level_start[d]; i < t->level_start[d + 1]; i++) {
        CHECK(seed, t->depth[t->by_level[i]] == d);
        if (i > t->level_start[d])
          CHECK(seed, t->place[t->by_level[i - 1]] < t->place[t->by_level[i]]);
      }
    lw_tree_free(t);
  }
}

static void ancestors_are_those_of_the_parents(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 10);
    lw_tree *t = tree_of(&x);
    for (int a = -1; a < x.n; a++)
      for (int b = -1; b < x.n; b++) {
        const bool same = a == b && a >= 0;
        CHECK(seed, lw_tree_is_ancestor(t, a, b) == above(&x, a, b));
        CHECK(seed, !same || !lw_tree_is_ancestor(t, a, b));
      }
    lw_tree_free(t);
  }
}

static void the_common_ancestor_is_the_deepest_one(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 12);
    lw_tree *t = tree_of(&x);
    for (int a = -1; a < x.n; a++)
      for (int b = -1; b < x.n; b++) {
        int expected = a;
        while (expected >= 0 && expected != b && !above(&x, expected, b))
          expected = x.parent[expected];
        CHECK(seed, lw_tree_common_ancestor(t, a, b) == expected);
      }
    lw_tree_free(t);
  }
}

static void the_child_toward_a_node_is_on_the_way_to_it(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 12);
    lw_tree *t = tree_of(&x);
    for (int a = -1; a < x.n; a++)
      for (int b = -1; b < x.n; b++) {
        int expected = above(&x, a, b) ? b : LW_NO_NODE;
        while (expected >= 0 && x.parent[expected] != a)
          expected = x.parent[expected];
        CHECK(seed, lw_tree_child_toward(t, a, b) == expected);
      }
    lw_tree_free(t);
  }
}

static void a_path_climbs_to_the_common_ancestor_and_descends(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, 8);
    lw_tree *t = tree_of(&x);
    for (int a = -1; a < x.n; a++)
      for (int b = -1; b < x.n; b++) {
        int path[2 * MAX_NODE + 1], top = 0;
        const int n = lw_tree_path(t, a, b, path);
        CHECK(seed, n == lw_tree_path(t, a, b, NULL) && n <= 2 * t->nlevel + 1);
        CHECK(seed, path[0] == a && path[n - 1] == b);
        while (path[top] != lw_tree_common_ancestor(t, a, b))
          CHECK(seed, ++top < n);
        for (int i = 0; i < n - 1; i++)
          CHECK(seed,
                i < top ? x.parent[path[i]] == path[i + 1] : x.parent[path[i + 1]] == path[i]);
      }
    lw_tree_free(t);
  }
}

static void renumbered_trees_are_the_same_tree_in_canonical_order(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++)
    for (int last = 0; last < 2; last++) {
      const parent_list x = random_forest(seed, 10);
      lw_tree *t = tree_of(&x);
      int number[MAX_NODE], parent[MAX_NODE];
      bool used[MAX_NODE] = {false};
      lw_tree_renumber(t, last ? LW_PARENT_LAST : LW_PARENT_FIRST, number, parent);
      for (int v = 0; v < x.n; v++) {
        const int p = x.parent[v];
        CHECK(seed, number[v] >= 0 && number[v] < x.n && !used[number[v]]);
        used[number[v]] = true;
        CHECK(seed, parent[number[v]] == (p < 0 ? LW_NO_NODE : number[p]));
        if (p >= 0) CHECK(seed, last ? number[p] > number[v] : number[p] < number[v]);
        /* the subtree is the range next to its top */
        for (int d = 0; d < x.n; d++) {
          const int offset = last ? number[v] - number[d] : number[d] - number[v];
          CHECK(seed, (d == v || x.below[v][d]) == (offset >= 0 && offset < t->size[v]));
        }
      }
      lw_tree_free(t);
    }
}

static lw_status status_of(int n, const int parent[], const int listing[])
{
  lw_error err = {.status = LW_OK};
  lw_tree *t = lw_tree_new(n, parent, listing, &err);
  assert_int_equal(err.status == LW_OK, t != NULL);
  lw_tree_free(t);
  return err.status;
}

static void parents_that_form_a_cycle_are_refused(void **state)
{
  (void)state;
  const int self[] = {0}, two[] = {1, 0}, below_a_cycle[] = {-1, 2, 3, 1, 1};
  assert_int_equal(status_of(1, self, NULL), LW_E_MODEL);
  assert_int_equal(status_of(2, two, NULL), LW_E_MODEL);
  assert_int_equal(status_of(5, below_a_cycle, NULL), LW_E_MODEL);
}

static void wrong_arguments_are_refused(void **state)
{
  (void)state;
  const int good[] = {-1, 0}, low[] = {-2, 0}, high[] = {-1, 2};
  const int twice[] = {1, 1}, outside[] = {0, 2}, swapped[] = {1, 0};
  assert_int_equal(status_of(2, good, NULL), LW_OK);
  assert_int_equal(status_of(2, good, swapped), LW_OK);
  assert_int_equal(status_of(0, NULL, NULL), LW_OK);
  assert_int_equal(status_of(2, low, NULL), LW_E_ARG);
  assert_int_equal(status_of(2, high, NULL), LW_E_ARG);
  assert_int_equal(status_of(2, NULL, NULL), LW_E_ARG);
  assert_int_equal(status_of(-1, good, NULL), LW_E_ARG);
  assert_int_equal(status_of(2, good, twice), LW_E_ARG);
  assert_int_equal(status_of(2, good, outside), LW_E_ARG);
}

static void questions_about_nodes_that_do_not_exist_get_nothing(void **state)
{
  (void)state;
  const int parent[] = {-1, 0};
  lw_tree *t = lw_tree_new(2, parent, NULL, NULL);
  int count = 9;
  assert_null(lw_tree_children(t, 2, &count));
  assert_int_equal(count, 0);
  assert_null(lw_tree_children(t, -2, &count));
  assert_false(lw_tree_is_ancestor(t, 0, 2) || lw_tree_is_ancestor(t, 2, 0));
  assert_false(lw_tree_is_ancestor(t, -2, 0) || lw_tree_is_ancestor(t, 2, 2));
  assert_int_equal(lw_tree_common_ancestor(t, 0, 2), LW_NO_NODE);
  assert_int_equal(lw_tree_child_toward(t, 0, 5), LW_NO_NODE);
  assert_int_equal(lw_tree_path(t, 0, 2, NULL), 0);
  assert_int_equal(lw_tree_path(t, 2, 0, NULL), 0);
  assert_int_equal(lw_tree_path(t, -2, 0, NULL), 0);
  assert_int_equal(lw_tree_path(t, 0, -2, NULL), 0);
  lw_tree_free(t);
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  const int parent[] = {-1, 0, 0};
  CHECK_FAILED_ALLOCATIONS(lw_tree, lw_tree_new(3, parent, NULL, &err), lw_tree_free);
}

static void questions_do_not_allocate(void **state)
{
  (void)state;
  const parent_list x = random_forest(5, 10);
  lw_tree *t = tree_of(&x);
  int number[MAX_NODE], parent[2 * MAX_NODE + 1];
  alloc_count = 0;
  lw_tree_renumber(t, LW_PARENT_LAST, number, parent);
  for (int v = 0; v < x.n; v++) {
    lw_tree_common_ancestor(t, 0, v);
    lw_tree_child_toward(t, LW_NO_NODE, v);
    lw_tree_path(t, 0, v, parent);
  }
  assert_int_equal(alloc_count, 0);
  lw_tree_free(t);
}

/* No path to the ground may change heavy paths more often than log2 of the nodes. */
static int most_path_changes(const lw_tree *t)
{
  int most = 0;
  for (int i = 0; i < 1000; i++) {
    int changes = 0;
    for (int v = t->nnode - 1 - i; v >= 0; v = t->parent[t->path_top[v]])
      changes++;
    if (changes > most) most = changes;
  }
  return most;
}

static void a_million_nodes_are_ordered(void **state)
{
  (void)state;
  for (shape s = CHAIN; s < NSHAPE; s++) {
    int *parent = new_shape(s, MILLION), *path = new_ints(MILLION + 1);
    lw_tree *t = lw_tree_new(MILLION, parent, NULL, NULL);
    assert_int_equal(t->size[0], MILLION);
    assert_true(most_path_changes(t) <= 20);
    uint64_t r = 3;
    for (int i = 0; i < 1000; i++) {
      const int a = random_int(&r, 0, MILLION - 1), b = random_int(&r, 0, MILLION - 1);
      const int top = lw_tree_common_ancestor(t, a, b);
      assert_true(top >= 0 && (top == a || lw_tree_is_ancestor(t, top, a)));
      assert_true(top == b || lw_tree_is_ancestor(t, top, b));
      if (top != a && top != b)
        assert_int_not_equal(lw_tree_child_toward(t, top, a), lw_tree_child_toward(t, top, b));
    }
    assert_true(lw_tree_path(t, 0, MILLION - 1, path) == t->depth[MILLION - 1] + 1);
    lw_tree_free(t);
    free(path);
    free(parent);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preorder_puts_parents_first_and_keeps_subtrees_together),
      cmocka_unit_test(siblings_keep_the_order_of_the_listing),
      cmocka_unit_test(children_roots_and_parents_agree),
      cmocka_unit_test(levels_hold_the_nodes_of_a_depth_by_place),
      cmocka_unit_test(ancestors_are_those_of_the_parents),
      cmocka_unit_test(the_common_ancestor_is_the_deepest_one),
      cmocka_unit_test(the_child_toward_a_node_is_on_the_way_to_it),
      cmocka_unit_test(a_path_climbs_to_the_common_ancestor_and_descends),
      cmocka_unit_test(renumbered_trees_are_the_same_tree_in_canonical_order),
      cmocka_unit_test(parents_that_form_a_cycle_are_refused),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(questions_about_nodes_that_do_not_exist_get_nothing),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(questions_do_not_allocate),
      cmocka_unit_test(a_million_nodes_are_ordered),
  };
  return cmocka_run_group_tests_name("unit/tree_order", tests, NULL, NULL);
}
