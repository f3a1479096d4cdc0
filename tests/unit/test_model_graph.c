/* SPDX-License-Identifier: Apache-2.0 */
/* The standard digraph of a model, its class, loops, groups and counts, against small mechanisms whose
   answers are known. */
#include "lwt.h"

#include "linkwork/inspect.h"
#include "linkwork/query.h"

#include "graph/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of the one of the library: counts down, and fails at 0. */
static int allocations_left = -1;
void *lwi_graph_alloc(size_t size)
{
  if (allocations_left == 0) return NULL;
  if (allocations_left > 0) allocations_left--;
  return calloc(1, size);
}

/* ---- mechanisms ---- */

static lw_spec *bodies(int n)
{
  lw_spec *s = lw_spec_new();
  for (int i = 1; i <= n; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    lw_add_body(s, &(lw_body_desc){.name = name, .mass = 1, .inertia = {1, 1, 1}});
  }
  return s;
}

static void join(lw_spec *s, lw_joint_type type, int parent, int child)
{
  static int count;
  char name[16];
  snprintf(name, sizeof name, "j%d", ++count);
  lw_add_joint(s,
               &(lw_joint_desc){.name = name, .type = type, .parent = {parent}, .child = {child}});
}

static void tie(lw_spec *s, int parent, int child)
{
  static int count;
  char name[16];
  snprintf(name, sizeof name, "c%d", ++count);
  lw_add_constraint(s, &(lw_constraint_desc){.name = name,
                                             .type = LW_DISTANCE,
                                             .parent = {parent},
                                             .child = {child},
                                             .place = {.at = {2, 0, 0}},
                                             .length = 1});
}

typedef struct {
  lw_model *m;
  lw_topology *t;
} subject;

static subject look(lw_spec *s)
{
  lw_error err = {0};
  subject x = {.m = lw_compile(s, &err)};
  lw_spec_free(s);
  if (!x.m) fail_msg("%s", err.text);
  x.t = lw_topology_new(x.m, &err);
  assert_int_equal(err.status, LW_OK);
  assert_non_null(x.t);
  return x;
}

static void forget(subject *x)
{
  lw_topology_free(x->t);
  lw_model_free(x->m);
}

static lw_spec *four_bar(void)
{
  lw_spec *s = bodies(3);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 1, 2);
  join(s, LW_REVOLUTE, 0, 3);
  join(s, LW_REVOLUTE, 2, 3);
  return s;
}

/* ---- classes ---- */

static void a_chain_is_a_serial_chain_system(void **state)
{
  (void)state;
  lw_spec *s = bodies(3);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 1, 2);
  join(s, LW_REVOLUTE, 2, 3);
  subject x = look(s);
  assert_int_equal(x.t->kind, LW_SYSTEM_SERIAL_CHAIN);
  assert_string_equal(lw_system_class_name(x.t->kind), "serial-chain system");
  assert_int_equal(x.t->segments->nsegment, 1);
  assert_int_equal(x.t->nloop, 0);
  assert_int_equal(x.t->nfloating, 0);
  assert_int_equal(x.t->freedoms, 3);
  assert_int_equal(x.t->mass_entries, 9);
  forget(&x);
}

static void a_chain_written_backward_is_the_same_system(void **state)
{
  (void)state;
  lw_spec *s = bodies(3);
  join(s, LW_REVOLUTE, 1, 0);
  join(s, LW_REVOLUTE, 2, 1);
  join(s, LW_REVOLUTE, 3, 2);
  subject x = look(s);
  assert_int_equal(x.t->kind, LW_SYSTEM_SERIAL_CHAIN);
  for (int e = 0; e < 3; e++) {
    assert_int_equal(lw_graph_from(x.t->graph, e), e);
    assert_int_equal(lw_graph_to(x.t->graph, e), e + 1);
  }
  forget(&x);
}

static void branches_make_a_tree_topology_system(void **state)
{
  (void)state;
  lw_spec *s = bodies(4);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_SPHERICAL, 1, 2);
  join(s, LW_PRISMATIC, 1, 3);
  join(s, LW_FIXED, 3, 4);
  subject x = look(s);
  assert_int_equal(x.t->kind, LW_SYSTEM_TREE);
  assert_int_equal(x.t->segments->nsegment, 3);
  assert_int_equal(x.t->nclass, 4);
  assert_int_equal(x.t->freedoms, lw_dof_of_tree(x.m));
  /* 5 x 5 without the block between the children 2 and 3: 3 x 1, twice */
  assert_int_equal(x.t->mass_entries, 25 - 6);
  forget(&x);
}

static void two_pendulums_on_the_ground_are_a_tree_not_a_chain(void **state)
{
  (void)state;
  lw_spec *s = bodies(2);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 0, 2);
  subject x = look(s);
  assert_int_equal(x.t->kind, LW_SYSTEM_TREE);
  assert_int_equal(x.t->ngroup, 2);
  assert_int_equal(x.t->nfloating, 0);
  forget(&x);
}

static void a_model_without_bodies_is_empty(void **state)
{
  (void)state;
  subject x = look(bodies(0));
  assert_int_equal(x.t->kind, LW_SYSTEM_EMPTY);
  assert_int_equal(x.t->freedoms, 0);
  assert_int_equal(x.t->ngroup, 0);
  assert_int_equal(lw_graph_nnode(x.t->graph), 1);
  forget(&x);
}

/* ---- loops ---- */

static void a_four_bar_closes_one_loop_through_the_ground(void **state)
{
  (void)state;
  subject x = look(four_bar());
  int node[8], edge[8];
  assert_int_equal(x.t->kind, LW_SYSTEM_CLOSED_CHAIN);
  assert_int_equal(x.t->nloop, 1);
  assert_int_equal(x.t->loop_edge[0], 3);
  assert_int_equal(lw_topology_loop(x.t, 0, node, edge), 4);
  const int nodes[] = {3, 0, 1, 2}, edges[] = {2, 0, 1, 3};
  assert_memory_equal(node, nodes, sizeof nodes);
  assert_memory_equal(edge, edges, sizeof edges);
  assert_int_equal(lw_topology_loop(x.t, 1, node, edge), 0);
  assert_int_equal(x.t->nclass, 1);    /* all three bodies in one node */
  assert_int_equal(x.t->freedoms, -2); /* 18 - 20: three equations are redundant */
  assert_int_equal(x.t->ngroup, 1);
  forget(&x);
}

static void a_loop_does_not_take_in_the_body_it_hangs_on(void **state)
{
  (void)state;
  lw_spec *s = bodies(5);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 1, 2);
  join(s, LW_REVOLUTE, 1, 3);
  join(s, LW_REVOLUTE, 2, 4);
  join(s, LW_REVOLUTE, 3, 4);
  join(s, LW_REVOLUTE, 4, 5);
  subject x = look(s);
  const int *c = x.t->class_of;
  assert_int_equal(x.t->nclass, 3); /* 1, {2, 3, 4}, 5 */
  assert_true(c[1] == c[2] && c[2] == c[3]);
  assert_true(c[0] != c[1] && c[4] != c[1] && c[0] != c[4]);
  assert_int_equal(lw_topology_loop(x.t, 0, NULL, NULL), 4);
  forget(&x);
}

static void parallel_joints_are_two_edges_and_a_loop_of_two(void **state)
{
  (void)state;
  lw_spec *s = bodies(2);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 1, 2);
  join(s, LW_REVOLUTE, 2, 1);
  subject x = look(s);
  const lw_graph_class c = lw_graph_classify(x.t->graph);
  assert_int_equal(x.t->kind, LW_SYSTEM_CLOSED_CHAIN);
  assert_int_equal(c.nedge, 3);
  assert_int_equal(c.nloop, 1);
  assert_false(c.acyclic); /* as written: 1 to 2, and 2 to 1 */
  assert_int_equal(lw_topology_loop(x.t, 0, NULL, NULL), 2);
  forget(&x);
}

static void geometric_constraints_are_edges_behind_the_joints(void **state)
{
  (void)state;
  lw_spec *s = bodies(2);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 1, 2);
  tie(s, 0, 2);
  subject x = look(s);
  assert_int_equal(x.t->nedge, 3);
  assert_int_equal(x.t->constraint[0], 1);
  assert_int_equal(x.t->loop_edge[0], 2);
  assert_int_equal(x.t->constraint_equations, 1);
  assert_int_equal(x.t->freedoms, 1);
  assert_int_equal(x.t->kind, LW_SYSTEM_CLOSED_CHAIN);
  forget(&x);
}

static void relations_of_coordinates_are_no_edges(void **state)
{
  (void)state;
  lw_spec *s = bodies(2);
  const lw_joint a =
      lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = {1}});
  const lw_joint b = lw_add_joint(
      s, &(lw_joint_desc){.name = "B", .type = LW_REVOLUTE, .parent = {1}, .child = {2}});
  const lw_term terms[] = {{.joint = a}, {.joint = b}};
  lw_add_constraint(s, &(lw_constraint_desc){
                           .name = "g", .type = LW_GEAR, .terms = terms, .nterm = 2, .ratio = 2});
  subject x = look(s);
  assert_int_equal(x.t->nedge, 2);
  assert_int_equal(x.t->kind, LW_SYSTEM_SERIAL_CHAIN);
  assert_int_equal(x.t->freedoms, 1);
  forget(&x);
}

/* ---- floating groups ---- */

static void groups_without_a_joint_to_the_ground_float(void **state)
{
  (void)state;
  lw_spec *s = bodies(4);
  join(s, LW_REVOLUTE, 0, 1);
  join(s, LW_REVOLUTE, 2, 3); /* floats: 2 gets a free joint */
  subject x = look(s);        /* 4 floats alone */
  assert_int_equal(x.t->ngroup, 3);
  assert_int_equal(x.t->nfloating, 2);
  assert_false(x.t->floating[x.t->group[0]]);
  assert_true(x.t->floating[x.t->group[1]]);
  assert_int_equal(x.t->group[1], x.t->group[2]);
  assert_true(x.t->floating[x.t->group[3]]);
  assert_int_equal(x.t->njoint, 4);
  assert_int_equal(x.t->freedoms, 1 + 7 + 6);
  forget(&x);
}

static void a_group_tied_to_the_ground_by_a_constraint_does_not_float(void **state)
{
  (void)state;
  lw_spec *s = bodies(1);
  tie(s, 0, 1);
  subject x = look(s);
  assert_int_equal(x.t->nfloating, 0);
  assert_int_equal(x.t->nloop, 1);
  assert_int_equal(x.t->freedoms, 5);
  forget(&x);
}

/* ---- any model ---- */

static void random_trees_have_the_tree_of_the_model(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lw_model *m = lwt_random_model(&(lwt_recipe){.seed = seed, .nbody = 15, .branching = 0.6});
    lw_topology *t = lw_topology_new(m, NULL);
    const lw_graph_class c = lw_graph_classify(t->graph);
    assert_true(c.tree && c.rooted);
    assert_int_equal(t->freedoms, lw_dof_of_tree(m));
    assert_int_equal(t->nclass, 15);
    for (int b = 1; b <= 15; b++) {
      int count;
      const int *parent = lw_graph_neighbours(t->graph, LW_TO_PARENTS, b, &count);
      assert_int_equal(count, 1);
      assert_int_equal(parent[0], lw_body_parent(m, (lw_body){b}).id);
      assert_int_equal(t->tree->parent[b - 1], parent[0] - 1);
      assert_int_equal(lw_graph_edges(t->graph, LW_TO_PARENTS, b, &count)[0],
                       lw_body_joint(m, (lw_body){b}).id - 1);
    }
    lw_topology_free(t);
    lw_model_free(m);
  }
}

static void every_failed_allocation_is_told_and_leaves_nothing(void **state)
{
  (void)state;
  subject x = look(four_bar());
  int failures = 0;
  for (bool done = false; !done; failures++) {
    lw_error err = {.status = LW_OK};
    allocations_left = failures;
    lw_topology *t = lw_topology_new(x.m, &err);
    allocations_left = -1;
    done = t != NULL;
    assert_int_equal(err.status, done ? LW_OK : LW_E_MEMORY);
    lw_topology_free(t);
  }
  assert_true(failures > 5);
  forget(&x);
}

static void without_a_model_there_is_no_topology(void **state)
{
  (void)state;
  lw_error err = {.status = LW_OK};
  assert_null(lw_topology_new(NULL, &err));
  assert_int_equal(err.status, LW_E_ARG);
  assert_null(lw_model_graph(NULL, NULL));
  assert_null(lw_model_tree(NULL, NULL));
  lw_topology_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_is_a_serial_chain_system),
      cmocka_unit_test(a_chain_written_backward_is_the_same_system),
      cmocka_unit_test(branches_make_a_tree_topology_system),
      cmocka_unit_test(two_pendulums_on_the_ground_are_a_tree_not_a_chain),
      cmocka_unit_test(a_model_without_bodies_is_empty),
      cmocka_unit_test(a_four_bar_closes_one_loop_through_the_ground),
      cmocka_unit_test(a_loop_does_not_take_in_the_body_it_hangs_on),
      cmocka_unit_test(parallel_joints_are_two_edges_and_a_loop_of_two),
      cmocka_unit_test(geometric_constraints_are_edges_behind_the_joints),
      cmocka_unit_test(relations_of_coordinates_are_no_edges),
      cmocka_unit_test(groups_without_a_joint_to_the_ground_float),
      cmocka_unit_test(a_group_tied_to_the_ground_by_a_constraint_does_not_float),
      cmocka_unit_test(random_trees_have_the_tree_of_the_model),
      cmocka_unit_test(every_failed_allocation_is_told_and_leaves_nothing),
      cmocka_unit_test(without_a_model_there_is_no_topology),
  };
  return cmocka_run_group_tests_name("unit/model_graph", tests, NULL, NULL);
}
