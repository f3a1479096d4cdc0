/* SPDX-License-Identifier: Apache-2.0 */
/* test_segments.c -- serial segments and predicted sparsity, against the relations between all
   pairs of nodes. */
#include "graph_cases.h"

enum { NSEED = 3000 };

static int child_count(const parent_list *x, int v)
{
  int count = 0;
  for (int c = 0; c < x->n; c++)
    count += x->parent[c] == v;
  return count;
}

static void segments_are_the_maximal_serial_chains(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    for (int v = 0; v < x.n; v++) {
      const int p = x.parent[v];
      const bool continues = p >= 0 && child_count(&x, p) == 1;
      if (p >= 0) CHECK(seed, (s->segment_of[v] == s->segment_of[p]) == continues);
    }
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

static void segments_list_every_node_once_from_base_to_tip(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    CHECK(seed, s->start[0] == 0 && s->start[s->nsegment] == x.n);
    for (int k = 0; k < s->nsegment; k++) {
      CHECK(seed, s->start[k] < s->start[k + 1]);
      for (int i = s->start[k]; i < s->start[k + 1]; i++) {
        CHECK(seed, s->segment_of[s->node[i]] == k);
        if (i > s->start[k]) CHECK(seed, x.parent[s->node[i]] == s->node[i - 1]);
      }
    }
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

static void segments_hang_on_the_tips_of_their_parents(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    for (int k = 0; k < s->nsegment; k++) {
      const int base = s->node[s->start[k]], j = s->parent[k];
      CHECK(seed, j < k && s->depth[k] == (j < 0 ? 0 : s->depth[j] + 1));
      CHECK(seed, x.parent[base] == (j < 0 ? LW_NO_NODE : s->node[s->start[j + 1] - 1]));
    }
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

static void the_segment_tree_is_the_contracted_tree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    lw_tree *q = lw_tree_contract(t, s->nsegment, s->segment_of, NULL);
    CHECK(seed, q != NULL);
    for (int k = 0; k < s->nsegment; k++) {
      int nchild;
      lw_tree_children(q, k, &nchild);
      CHECK(seed, q->parent[k] == s->parent[k] && q->place[k] == k && nchild != 1);
      CHECK(seed, s->end[k] == k + q->size[k]);
    }
    lw_tree_free(q);
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

/* ---- sparsity ---- */

/* True if the entry of two nodes is not zero. */
static bool node_entry(const parent_list *x, lw_pattern pattern, int j, int k)
{
  if (pattern == LW_PATTERN_E) return x->parent[k] == j;
  if (pattern == LW_PATTERN_A) return j == k || x->below[j][k];
  return j == k || x->below[j][k] || x->below[k][j];
}

/* True if any entry of the block is not zero; *full if all are. */
static bool block_of_nodes(const parent_list *x, const lw_segments *s, lw_pattern pattern, int j,
                           int k, bool *full)
{
  bool any = false;
  *full = true;
  for (int a = s->start[j]; a < s->start[j + 1]; a++)
    for (int b = s->start[k]; b < s->start[k + 1]; b++) {
      const bool entry = node_entry(x, pattern, s->node[a], s->node[b]);
      any = any || entry;
      *full = *full && entry;
    }
  return any;
}

static void check_blocks(unsigned seed, const parent_list *x, const lw_segments *s,
                         lw_pattern pattern)
{
  int64_t count = 0;
  for (int j = 0; j < s->nsegment; j++)
    for (int k = 0; k < s->nsegment; k++) {
      bool full;
      const bool block = block_of_nodes(x, s, pattern, j, k, &full);
      CHECK(seed, lw_segments_block(s, pattern, j, k) == block);
      /* a mass matrix is full within its blocks, and so is A off the diagonal */
      const bool dense = pattern == LW_PATTERN_MASS || (pattern == LW_PATTERN_A && j != k);
      if (block && dense) CHECK(seed, full);
      count += block;
    }
  CHECK(seed, lw_segments_nblock(s, pattern) == count);
}

static void a_block_is_zero_exactly_if_all_its_entries_are(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    for (lw_pattern p = LW_PATTERN_E; p <= LW_PATTERN_MASS; p++)
      check_blocks(seed, &x, s, p);
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

static void rows_list_the_blocks_in_order(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    lw_segments *s = lw_segments_new(t, NULL);
    for (lw_pattern p = LW_PATTERN_E; p <= LW_PATTERN_MASS; p++) {
      int64_t row_start[MAX_NODE + 1], at = 0;
      int column[MAX_NODE * MAX_NODE];
      lw_segments_rows(s, p, row_start, column);
      for (int j = 0; j < s->nsegment; j++) {
        CHECK(seed, row_start[j] == at);
        for (int k = 0; k < s->nsegment; k++)
          if (lw_segments_block(s, p, j, k)) CHECK(seed, column[at++] == k);
      }
      CHECK(seed, row_start[s->nsegment] == at && lw_segments_nblock(s, p) == at);
    }
    lw_segments_free(s);
    lw_tree_free(t);
  }
}

static void entries_are_counted_with_the_weights_of_both_nodes(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= NSEED; seed++) {
    const parent_list x = random_forest(seed, MAX_NODE);
    lw_tree *t = tree_of(&x);
    uint64_t r = seed;
    int weight[MAX_NODE];
    for (int v = 0; v < x.n; v++)
      weight[v] = seed % 4 ? random_int(&r, 0, 6) : 1;
    for (lw_pattern p = LW_PATTERN_E; p <= LW_PATTERN_MASS; p++) {
      int64_t count = -1, expected = 0;
      for (int j = 0; j < x.n; j++)
        for (int k = 0; k < x.n; k++)
          if (node_entry(&x, p, j, k)) expected += weight[j] * weight[k];
      CHECK(seed, lw_tree_count_entries(t, p, seed % 4 ? weight : NULL, &count) == LW_OK);
      CHECK(seed, count == expected);
    }
    lw_tree_free(t);
  }
}

/* [Jain2012] figure 6: segment 5 carries 3 and 4, segment 4 carries 1 and 2; here two nodes
   each. */
static void the_tree_of_figure_6_has_the_pattern_of_equations_43_and_45(void **state)
{
  (void)state;
  const int parent[] = {-1, 0, 1, 2, 3, 4, 3, 6, 1, 8};
  const int paper[] = {5, 4, 2, 1, 3}; /* our segment, parent first, is the paper's */
  const char *const E[] = {"10000", "01000", "00100", "11010", "00111"};
  const char *const A[] = {"10000", "01000", "00100", "11010", "11111"};
  lw_tree *t = lw_tree_new(10, parent, NULL, NULL);
  lw_segments *s = lw_segments_new(t, NULL);
  assert_int_equal(s->nsegment, 5);
  for (int j = 0; j < 5; j++)
    for (int k = 0; k < 5; k++) {
      const int row = paper[j] - 1, column = paper[k] - 1;
      assert_int_equal(lw_segments_block(s, LW_PATTERN_E, j, k), E[row][column] == '1');
      assert_int_equal(lw_segments_block(s, LW_PATTERN_A, j, k), A[row][column] == '1');
      assert_int_equal(lw_segments_block(s, LW_PATTERN_MASS, j, k),
                       A[row][column] == '1' || A[column][row] == '1');
    }
  lw_segments_free(s);
  lw_tree_free(t);
}

/* ---- errors, memory, size ---- */

static void weights_that_cannot_be_counted_are_refused(void **state)
{
  (void)state;
  const int parent[] = {-1, 0}, negative[] = {1, -1}, huge[] = {INT32_MAX, INT32_MAX};
  const int large[] = {INT32_MAX, 0};
  int64_t count = 5;
  lw_tree *t = lw_tree_new(2, parent, NULL, NULL);
  assert_int_equal(lw_tree_count_entries(t, LW_PATTERN_A, negative, &count), LW_E_ARG);
  assert_int_equal(lw_tree_count_entries(t, LW_PATTERN_A, huge, &count), LW_E_ARG);
  assert_int_equal(lw_tree_count_entries(t, (lw_pattern)9, NULL, &count), LW_E_ARG);
  assert_true(count == 5);
  assert_int_equal(lw_tree_count_entries(t, LW_PATTERN_MASS, large, &count), LW_OK);
  assert_true(count == (int64_t)INT32_MAX * INT32_MAX);
  lw_tree_free(t);
}

static void blocks_of_segments_that_do_not_exist_are_zero(void **state)
{
  (void)state;
  const int parent[] = {-1};
  lw_tree *t = lw_tree_new(1, parent, NULL, NULL);
  lw_segments *s = lw_segments_new(t, NULL);
  assert_true(lw_segments_block(s, LW_PATTERN_A, 0, 0));
  assert_false(lw_segments_block(s, LW_PATTERN_E, 0, 0));
  assert_false(lw_segments_block(s, LW_PATTERN_A, 0, 1));
  assert_false(lw_segments_block(s, LW_PATTERN_MASS, 1, 1));
  assert_false(lw_segments_block(s, LW_PATTERN_E, -1, 0));
  lw_segments_free(s);
  lw_tree_free(t);
  assert_null(lw_segments_new(NULL, NULL));
}

static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  const int parent[] = {-1, 0, 0};
  lw_tree *t = lw_tree_new(3, parent, NULL, NULL);
  CHECK_FAILED_ALLOCATIONS(lw_segments, lw_segments_new(t, &err), lw_segments_free);
  lw_tree_free(t);
}

/* A chain's mass matrix is full, a star's has a border; neither may be formed to be counted. */
static void a_million_nodes_are_counted(void **state)
{
  (void)state;
  const int64_t n = MILLION;
  const int64_t mass[NSHAPE] = {n * n, n + 2 * (n - 1), 0, 0};
  for (shape k = CHAIN; k < NSHAPE; k++) {
    int *parent = new_shape(k, MILLION);
    lw_tree *t = lw_tree_new(MILLION, parent, NULL, NULL);
    lw_segments *s = lw_segments_new(t, NULL);
    int64_t count = 0;
    assert_int_equal(lw_tree_count_entries(t, LW_PATTERN_MASS, NULL, &count), LW_OK);
    if (mass[k]) assert_true(count == mass[k]);
    if (k == CHAIN || k == STAR) assert_int_equal(s->nsegment, k == CHAIN ? 1 : MILLION);
    assert_true(lw_segments_nblock(s, LW_PATTERN_MASS) <= count);
    lw_segments_free(s);
    lw_tree_free(t);
    free(parent);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_are_the_maximal_serial_chains),
      cmocka_unit_test(segments_list_every_node_once_from_base_to_tip),
      cmocka_unit_test(segments_hang_on_the_tips_of_their_parents),
      cmocka_unit_test(the_segment_tree_is_the_contracted_tree),
      cmocka_unit_test(a_block_is_zero_exactly_if_all_its_entries_are),
      cmocka_unit_test(rows_list_the_blocks_in_order),
      cmocka_unit_test(entries_are_counted_with_the_weights_of_both_nodes),
      cmocka_unit_test(the_tree_of_figure_6_has_the_pattern_of_equations_43_and_45),
      cmocka_unit_test(weights_that_cannot_be_counted_are_refused),
      cmocka_unit_test(blocks_of_segments_that_do_not_exist_are_zero),
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(a_million_nodes_are_counted),
  };
  return cmocka_run_group_tests_name("unit/segments", tests, NULL, NULL);
}
