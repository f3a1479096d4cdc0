/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly trees against their definition, and how deep and wide they get. */
#include "graph/assembly_tree.h"
#include "linkwork/graph.h"
#include "lwt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lwi_assembly_tree *grow(int n, int nedge, const int from[], const int to[])
{
  lw_status st;
  lwi_assembly_tree *t = lwi_assembly_tree_new(n, nedge, from, to, &st);
  lwt_ok(st);
  assert_non_null(t);
  return t;
}

/* ---- the definition ---- */

/* which nodes are in an assembly */
static void mark_nodes(const lwi_assembly_tree *t, int assembly, unsigned char *in)
{
  memset(in, 0, (size_t)t->nnode + 1);
  for (int i = t->assembly[assembly].first; i <= assembly; i++)
    if (t->assembly[i].kind == LWI_ASSEMBLY_LEAF) in[t->assembly[i].node] = 1;
}

static bool holds(const lwi_assembly_tree *t, int assembly, int node, unsigned char *in)
{
  mark_nodes(t, assembly, in);
  return node >= 0 && in[node];
}

/* handles: nodes inside with an edge that was not eliminated inside */
static void check_handles(const lwi_assembly_tree *t, int assembly, unsigned char *in)
{
  const lwi_assembly *a = &t->assembly[assembly];
  unsigned char *open = calloc((size_t)t->nnode + 1, 1), *gone = calloc((size_t)t->nedge + 1, 1);
  int count = 0;
  mark_nodes(t, assembly, in);
  for (int i = a->first; i <= assembly; i++)
    if (t->assembly[i].edge >= 0) gone[t->assembly[i].edge] = 1;
  for (int e = 0; e < t->nedge; e++) {
    if (gone[e]) continue;
    if (t->from[e] >= 0 && in[t->from[e]]) open[t->from[e]] = 1;
    if (t->to[e] >= 0 && in[t->to[e]]) open[t->to[e]] = 1;
  }
  for (int x = 0; x < t->nnode; x++)
    count += open[x];
  assert_int_equal(count, a->nhandle);
  for (int k = 0; k < a->nhandle; k++) {
    assert_true(open[t->handle[a->handle + k]]);
    open[t->handle[a->handle + k]] = 0;
  }
  free(open);
  free(gone);
}

static void check_edge(const lwi_assembly_tree *t, int assembly, unsigned char *in)
{
  const lwi_assembly *a = &t->assembly[assembly];
  const int x = t->from[a->edge], y = t->to[a->edge];
  if (a->kind == LWI_ASSEMBLY_CLOSE) {
    assert_true(x < 0 || holds(t, a->left, x, in));
    assert_true(y < 0 || holds(t, a->left, y, in));
    assert_int_equal(a->right, -1);
    return;
  }
  const bool along = holds(t, a->left, x, in) && holds(t, a->right, y, in);
  const bool against = holds(t, a->left, y, in) && holds(t, a->right, x, in);
  assert_true(along || against);
  assert_int_equal(t->assembly[a->right].first, a->left + 1);
}

static void check(const lwi_assembly_tree *t)
{
  unsigned char *in = calloc((size_t)t->nnode + 1, 1);
  int *used = calloc((size_t)t->nedge + 1, sizeof *used), leaves = 0;
  for (int i = 0; i < t->nassembly; i++) {
    const lwi_assembly *a = &t->assembly[i];
    if (a->kind == LWI_ASSEMBLY_LEAF)
      leaves++;
    else {
      used[a->edge]++;
      assert_true(a->left < i && a->right < i);
      assert_int_equal(t->assembly[a->left].parent, i);
      check_edge(t, i, in);
    }
    check_handles(t, i, in);
  }
  assert_int_equal(leaves, t->nnode);
  for (int e = 0; e < t->nedge; e++)
    assert_int_equal(used[e], 1);
  for (int k = 0; k < t->nroot; k++)
    assert_int_equal(t->assembly[t->root[k]].nhandle, 0);
  free(in);
  free(used);
}

/* edges with loop: each has a way around it, by other edges or the ground, that was eliminated before */
static int count_loops(const lwi_assembly_tree *t)
{
  int n = 0;
  for (int i = 0; i < t->nassembly; i++)
    n += t->assembly[i].loop;
  return n;
}

static void random_graphs_are_eliminated_edge_by_edge(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++) {
    lwt_random r = lwt_seed(seed);
    const int n = 1 + lwt_pick(&r, 30), nedge = lwt_pick(&r, 2 * n + 1);
    int from[100], to[100];
    for (int e = 0; e < nedge; e++) {
      from[e] = lwt_pick(&r, n + 1) - 1;
      do
        to[e] = lwt_pick(&r, n + 1) - 1;
      while (from[e] < 0 && to[e] < 0);
    }
    lwi_assembly_tree *t = grow(n, nedge, from, to);
    check(t);
    /* independent loops of the graph with the ground as a node */
    for (int e = 0; e < nedge; e++)
      from[e]++, to[e]++;
    lw_graph *g = lw_graph_new(n + 1, nedge, from, to, NULL);
    assert_int_equal(count_loops(t), lw_graph_classify(g).nloop);
    lw_graph_free(g);
    lwi_assembly_tree_free(t);
  }
}

/* ---- shapes ---- */

static lwi_assembly_tree *chain(int n)
{
  int *from = calloc((size_t)n, sizeof *from), *to = calloc((size_t)n, sizeof *to);
  for (int i = 0; i < n; i++)
    from[i] = i - 1, to[i] = i;
  lwi_assembly_tree *t = grow(n, n, from, to);
  free(from);
  free(to);
  return t;
}

static void chains_are_balanced_and_have_two_handles(void **state)
{
  (void)state;
  for (int k = 1; k <= 12; k++) {
    lwi_assembly_tree *t = chain(1 << k);
    const lwi_assembly_cost c = lwi_assembly_tree_cost(t, NULL);
    assert_int_equal(c.widest, k <= 2 ? 1 : 2);
    assert_in_range(c.depth, k, k + 1); /* one more where the ground is */
    lwi_assembly_tree_free(t);
  }
}

static void work_grows_with_n_and_its_critical_part_with_log_n(void **state)
{
  (void)state;
  lwi_assembly_cost before = {0};
  double step = 0;
  for (int n = 1 << 8; n <= 1 << 13; n *= 2) {
    lwi_assembly_tree *t = chain(n);
    const lwi_assembly_cost c = lwi_assembly_tree_cost(t, NULL);
    if (before.operations > 0) {
      lwt_near(c.operations / before.operations, 2, 0.05, "n %d", n);
      if (step > 0) lwt_near(c.critical - before.critical, step, 1e-9 * c.critical, "n %d", n);
      step = c.critical - before.critical;
    }
    assert_true(lwi_assembly_speed_up(&c, 2) > 1.9 && lwi_assembly_speed_up(&c, 2) <= 2);
    lwt_near(lwi_assembly_speed_up(&c, 1), 1, 1e-12, "one processor");
    before = c;
    lwi_assembly_tree_free(t);
  }
}

static void trees_stay_narrow(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lwt_random r = lwt_seed(seed);
    const int n = 2000;
    int *from = calloc((size_t)n, sizeof *from), *to = calloc((size_t)n, sizeof *to);
    for (int i = 0; i < n; i++) {
      to[i] = i;
      from[i] = i == 0 ? -1 : seed % 2 ? (i - 1) / 2 : lwt_pick(&r, i);
    }
    lwi_assembly_tree *t = grow(n, n, from, to);
    const lwi_assembly_cost c = lwi_assembly_tree_cost(t, NULL);
    assert_true(c.widest <= 5);
    assert_true(c.depth <= 50);
    lwi_assembly_tree_free(t);
    free(from);
    free(to);
  }
}

static void a_hub_with_many_branches_has_one_handle(void **state)
{
  (void)state;
  const int n = 20001;
  int *from = calloc((size_t)n, sizeof *from), *to = calloc((size_t)n, sizeof *to);
  for (int i = 1; i < n; i++)
    from[i - 1] = 0, to[i - 1] = i;
  lwi_assembly_tree *t = grow(n, n - 1, from, to);
  assert_int_equal(lwi_assembly_tree_cost(t, NULL).widest, 1);
  lwi_assembly_tree_free(t);
  free(from);
  free(to);
}

static void ladders_stay_narrow(void **state)
{
  (void)state;
  const int cells = 500;
  int from[2000], to[2000], e = 0;
  for (int c = 0; c < cells; c++) {
    const int left = 3 * c, right = left + 1, rung = left + 2;
    from[e] = c ? left - 3 : -1, to[e++] = left;
    from[e] = c ? right - 3 : -1, to[e++] = right;
    from[e] = left, to[e++] = rung;
    from[e] = right, to[e++] = rung;
  }
  lwi_assembly_tree *t = grow(3 * cells, e, from, to);
  const lwi_assembly_cost c = lwi_assembly_tree_cost(t, NULL);
  assert_true(c.widest <= 8);
  assert_true(c.depth <= 40);
  lwi_assembly_tree_free(t);
}

/* ---- the rest ---- */

static void the_same_graph_gives_the_same_tree(void **state)
{
  (void)state;
  lwi_assembly_tree *a = chain(777), *b = chain(777);
  assert_int_equal(a->nassembly, b->nassembly);
  for (int i = 0; i < a->nassembly; i++) {
    assert_int_equal(a->assembly[i].edge, b->assembly[i].edge);
    assert_int_equal(a->assembly[i].left, b->assembly[i].left);
  }
  lwi_assembly_tree_free(a);
  lwi_assembly_tree_free(b);
}

static void ends_out_of_range_are_refused(void **state)
{
  (void)state;
  lw_status st;
  const int from[] = {0, -1}, far[] = {1, 2}, ground[] = {1, -1};
  assert_null(lwi_assembly_tree_new(2, 2, from, far, &st));
  assert_int_equal(st, LW_E_ARG);
  assert_null(lwi_assembly_tree_new(2, 2, from, ground, &st));
  assert_int_equal(st, LW_E_ARG);
  assert_null(lwi_assembly_tree_new(-1, 0, NULL, NULL, NULL));
  lwi_assembly_tree *t = lwi_assembly_tree_new(0, 0, NULL, NULL, &st);
  lwt_ok(st);
  assert_int_equal(t->nassembly, 0);
  lwi_assembly_tree_free(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_are_eliminated_edge_by_edge),
      cmocka_unit_test(chains_are_balanced_and_have_two_handles),
      cmocka_unit_test(work_grows_with_n_and_its_critical_part_with_log_n),
      cmocka_unit_test(trees_stay_narrow),
      cmocka_unit_test(a_hub_with_many_branches_has_one_handle),
      cmocka_unit_test(ladders_stay_narrow),
      cmocka_unit_test(the_same_graph_gives_the_same_tree),
      cmocka_unit_test(ends_out_of_range_are_refused),
  };
  return cmocka_run_group_tests_name("unit/assembly_tree", tests, NULL, NULL);
}
