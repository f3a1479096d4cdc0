/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails in turn, once or for good, in everything that allocates: building a spec of
   every part, compiling, making works, graphs.  What must come of it: a status that says so, nothing
   leaked, nothing broken.  Run it under the address sanitizer. */
#include "lwt.h"

#include "linkwork/derivatives.h"
#include "linkwork/graph.h"
#include "linkwork/batch.h"
#include "linkwork/reader.h"
#include "linkwork/realtime.h"
#include "wrapped_memory.h"

#include <stdlib.h>
#include <string.h>

/* Runs `attempt` with allocation 1, 2, 3, ... failing until one run needs fewer.  The attempt returns
   the status of what it did and frees all it got. */
static void fail_each(lw_status (*attempt)(void *), void *context, const char *what)
{
  for (int forever = 0; forever < 2; forever++) {
    long n = 1;
    for (;; n++) {
      const long before = live;
      allocations = 0;
      fail_at = n;
      fail_after = forever;
      const lw_status status = attempt(context);
      const bool fired = allocations >= n;
      fail_at = 0;
      if (live != before)
        fail_msg("%s, allocation %ld fails: %ld blocks leak", what, n, live - before);
      if (!fired) {
        assert_string_equal(lw_status_text(status), lw_status_text(LW_OK));
        break;
      }
      if (status != LW_E_MEMORY)
        fail_msg("%s, allocation %ld fails: \"%s\"", what, n, lw_status_text(status));
      assert_true(n < 100000);
    }
    assert_true(n > 1); /* something was allocated */
  }
}

/* ---- specs ---- */

/* enough of everything that lists must grow several times */
enum { MANY = 40 };

static void name_part(char name[16], char kind, int i)
{
  name[0] = kind, name[1] = (char)('0' + i / 10), name[2] = (char)('0' + i % 10), name[3] = 0;
}

static void add_parameters(lw_spec *s)
{
  const double low = 0, high = lw_expr(s, "2*L");
  lw_add_parameter(s, &(lw_parameter_desc){.name = "L", .value = 1});
  lw_add_parameter(s, &(lw_parameter_desc){.name = "k",
                                           .value = lw_expr(s, "L + 0.5"),
                                           .min = &low,
                                           .max = &high,
                                           .unit = "m",
                                           .doc = "a length"});
  for (int i = 0; i < MANY; i++) {
    char name[16];
    name_part(name, 'p', i);
    lw_add_parameter(s, &(lw_parameter_desc){.name = name, .value = lw_expr(s, "k*L + sin(L)")});
  }
}

static void add_bodies(lw_spec *s)
{
  const lw_start start = {.pose.at = {1, 2, 3}, .linear = {1, 0, 0}};
  for (int i = 1; i <= MANY; i++) {
    char name[16];
    name_part(name, 'b', i);
    lw_body_desc d = {.name = name,
                      .mass = lw_expr(s, "k"),
                      .com = {lw_expr(s, "L/2")},
                      .inertia = {0.1, 0.1, 0.1}};
    if (i == 2)
      d = (lw_body_desc){
          .name = name,
          .solid = {.type = LW_SOLID_BOX, .density = 100, .size = {0.1, lw_expr(s, "L"), 0.2}}};
    if (i == MANY) d.start = &start;
    lw_add_body(s, &d);
  }
}

/* bodies 1 ... MANY-2 on a chain of all types; the last two float */
static void add_joints(lw_spec *s)
{
  for (int i = 1; i <= MANY - 2; i++) {
    char name[16];
    name_part(name, 'j', i);
    lw_add_joint(s, &(lw_joint_desc){.name = name,
                                     .type = (lw_joint_type)(i % LW_JOINT_TYPES),
                                     .parent = {i - 1},
                                     .child = {i},
                                     .pitch = 0.1,
                                     .place.at = {lw_expr(s, "L"), 0, 0.1},
                                     .q = {0.1},
                                     .axis = {0, lw_expr(s, "1"), 1}});
  }
}

static void add_constraints(lw_spec *s)
{
  const lw_term one[] = {{.joint = {1}}},
                two[] = {{.joint = {1}}, {.joint = {2}, .coefficient = 3}};
  lw_add_constraint(
      s, &(lw_constraint_desc){
             .name = "rope", .type = LW_DISTANCE, .child = {3}, .length = lw_expr(s, "L")});
  lw_add_constraint(s, &(lw_constraint_desc){
                           .name = "gear", .type = LW_GEAR, .terms = two, .nterm = 2, .ratio = 2});
  lw_add_constraint(s, &(lw_constraint_desc){.name = "couple",
                                             .type = LW_COUPLER,
                                             .terms = two,
                                             .nterm = 2,
                                             .offset = lw_expr(s, "k")});
  lw_add_constraint(s, &(lw_constraint_desc){.name = "drive",
                                             .type = LW_DRIVER,
                                             .terms = one,
                                             .nterm = 1,
                                             .value = lw_expr(s, "0.3*sin(2*t)")});
}

static void add_forces(lw_spec *s)
{
  for (int i = 0; i < MANY; i += 10) {
    char n[6][16];
    for (int k = 0; k < 6; k++)
      name_part(n[k], (char)('u' + k), i);
    lw_add_spring(
        s, &(lw_spring_desc){.name = n[0], .from = {1}, .to = {2}, .stiffness = lw_expr(s, "k")});
    lw_add_joint_spring(s, &(lw_joint_spring_desc){.name = n[1], .joint = {1}, .stiffness = 2});
    lw_add_motor(s, &(lw_motor_desc){.name = n[2],
                                     .joint = {2},
                                     .value = lw_expr(s, "L*sin(t) - 2*u.j01 + q.j02 + p01")});
    lw_add_load(
        s, &(lw_load_desc){.name = n[3], .body = {3}, .force = {lw_expr(s, "t + q.j04.2"), 1, 2}});
    lw_add_bushing(
        s, &(lw_bushing_desc){
               .name = n[4], .parent = {1}, .child = {2}, .stiffness = {1, 2, lw_expr(s, "k")}});
    lw_add_torsion(s, &(lw_torsion_desc){
                          .name = n[5], .parent = {0}, .child = {2}, .stiffness = lw_expr(s, "k")});
  }
}

static void add_rest(lw_spec *s)
{
  lw_set_name(s, "everything");
  lw_set_gravity(s, 0, 0, lw_expr(s, "-9.81*L"));
  lw_set_simulation(s, &(lw_simulation_options){.end = lw_expr(s, "2*L")});
  lw_set_parameter(s, "L", 1.5);
}

static void add_all(lw_spec *s, bool constrained)
{
  add_parameters(s);
  add_bodies(s);
  add_joints(s);
  if (constrained) add_constraints(s);
  add_forces(s);
  add_rest(s);
}

static lw_status build(void *constrained)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  if (!s) return LW_E_MEMORY;
  add_all(s, *(bool *)constrained);
  const lw_status status = lw_spec_error(s, &err);
  if (status != LW_OK) { /* what failed stays failed, and compiling says the same */
    lw_error again = {0};
    assert_null(lw_compile(s, &again));
    assert_int_equal(again.status, status);
    assert_string_equal(again.text, err.text);
    assert_int_equal(lw_add_body(s, &(lw_body_desc){.name = "late", .mass = 1}).id, -1);
  }
  lw_spec_free(s);
  return status;
}

static void building_a_spec_survives_each_failed_allocation(void **state)
{
  (void)state;
  bool constrained = false;
  fail_each(build, &constrained, "building");
  constrained = true;
  fail_each(build, &constrained, "building with constraints");
}

static lw_status compile(void *context)
{
  lw_error err = {.status = LW_E_FILE};
  lw_model *m = lw_compile(context, &err);
  assert_true((m != NULL) == (err.status == LW_OK));
  if (!m) assert_string_not_equal(err.text, "");
  lw_model_free(m);
  return err.status;
}

static lw_status compile_without_error(void *context)
{
  lw_model *m = lw_compile(context, NULL);
  lw_model_free(m);
  return m ? LW_OK : LW_E_MEMORY;
}

static void compiling_survives_each_failed_allocation(void **state)
{
  (void)state;
  for (int constrained = 0; constrained < 2; constrained++) {
    lw_spec *s = lw_spec_new();
    add_all(s, constrained);
    lwt_ok(lw_spec_error(s, NULL));
    fail_each(compile, s, constrained ? "compiling with constraints" : "compiling");
    fail_each(compile_without_error, s, "compiling, no place for the error");
    lw_spec_free(s);
  }
}

static void compiling_a_planar_model_survives_each_failed_allocation(void **state)
{
  (void)state;
  const lwt_recipe r = {.seed = 3, .nbody = 9, .branching = 0.5, .planar = true, .loose = true};
  lw_spec *s = lwt_random_spec(&r);
  fail_each(compile, s, "compiling a planar model");
  lw_spec_free(s);
}

/* ---- works ---- */

static lw_status make_work(void *context)
{
  lw_work *w = lw_work_new(context);
  lw_work_free(w);
  return w ? LW_OK : LW_E_MEMORY;
}
static lw_status make_batch_work(void *context)
{
  lw_work *w = lw_work_new_batch(context);
  lw_work_free(w);
  return w ? LW_OK : LW_E_MEMORY;
}

static void works_survive_a_failed_allocation(void **state)
{
  (void)state;
  const lwt_recipe r = {.seed = 3, .nbody = 9, .forces = true};
  lw_model *m = lwt_random_model(&r);
  fail_each(make_work, m, "lw_work_new");
  fail_each(make_batch_work, m, "lw_work_new_batch");
  lw_model_free(m);
}

/* ---- derivatives ---- */

static lw_status make_derivatives(void *context)
{
  lw_derivatives *d = lw_derivatives_new(context);
  lw_derivatives_free(d);
  return d ? LW_OK : LW_E_MEMORY;
}

typedef struct {
  lw_spec *s;
  lw_model *m;
} spec_and_model;

static lw_status make_slope(void *context)
{
  const spec_and_model *x = context;
  lw_error err = {.status = LW_OK};
  lw_model_derivative_free(lw_model_derivative_new(x->m, "L", &err));
  return err.status;
}

static void derivatives_survive_each_failed_allocation(void **state)
{
  (void)state;
  spec_and_model x = {.s = lw_spec_new()};
  lw_error err;
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "L", .value = 1});
  const lw_body rod = lw_add_body(
      x.s, &(lw_body_desc){
               .name = "rod", .mass = 1, .com = {lw_expr(x.s, "L/2")}, .inertia = {1, 1, 1}});
  lw_add_joint(x.s, &(lw_joint_desc){.name = "hinge", .type = LW_REVOLUTE, .child = rod});
  x.m = lw_compile(x.s, &err);
  assert_non_null(x.m);
  fail_each(make_derivatives, x.m, "lw_derivatives_new");
  fail_each(make_slope, &x, "lw_model_derivative_new");
  lw_model_free(x.m);
  lw_spec_free(x.s);
}

/* the caller's memory: nothing is allocated at all, so nothing can fail */
static void a_work_in_the_callers_memory_allocates_nothing(void **state)
{
  (void)state;
  const lwt_recipe r = {.seed = 3, .nbody = 9, .forces = true};
  lw_model *m = lwt_random_model(&r);
  const size_t size = (lw_work_size(m) + 63) / 64 * 64;
  char *memory = aligned_alloc(64, size + 64);
  const long before = allocations;
  assert_null(lw_work_init(m, memory, lw_work_size(m) - 1));
  assert_null(lw_work_init(m, memory + 8, size));
  assert_null(lw_work_init(m, NULL, size));
  lw_work *w = lw_work_init(m, memory, lw_work_size(m));
  assert_non_null(w);
  lw_work_free(w);
  assert_int_equal(allocations, before);
  free(memory);
  lw_model_free(m);
}

/* ---- graphs: two loops and a branch, a self-loop and a double edge ---- */

enum { NODES = 9, EDGES = 13 };
static const int from[EDGES] = {0, 1, 2, 0, 4, 4, 6, 7, 3, 8, 8, 0, 1},
                 to[EDGES] = {1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 8, 1, 2};

static lw_status make_graph(void *context)
{
  (void)context;
  lw_error err = {.status = LW_OK};
  lw_graph *g = lw_graph_new(NODES, EDGES, from, to, &err);
  lw_graph_free(g);
  return err.status;
}

static lw_status make_subgraph(void *context)
{
  const unsigned char keep[NODES] = {1, 1, 0, 1, 1, 1, 0, 1, 1};
  int nodes[NODES], edges[EDGES];
  lw_error err = {.status = LW_OK};
  lw_graph_free(lw_graph_subgraph(context, keep, NULL, nodes, edges, &err));
  return err.status;
}

static lw_status make_quotient(void *context)
{
  const int class_of[NODES] = {0, 0, 1, 1, 2, 2, 3, 3, 3};
  int edges[EDGES];
  lw_error err = {.status = LW_OK};
  lw_graph_free(lw_graph_contract(context, 4, class_of, edges, &err));
  return err.status;
}

static lw_status make_simple(void *context)
{
  int edges[EDGES];
  lw_error err = {.status = LW_OK};
  lw_graph_free(lw_graph_simplify(context, edges, &err));
  return err.status;
}

static lw_status make_spanning_tree(void *context)
{
  const int rank[EDGES] = {3, 1, 2};
  lw_error err = {.status = LW_OK};
  lw_spanning_tree_free(lw_spanning_tree_new(context, NULL, &err));
  if (err.status != LW_OK) return err.status;
  const lw_span_options by_rank = {.mode = LW_SPAN_BY_RANK, .rank = rank};
  lw_spanning_tree_free(lw_spanning_tree_new(context, &by_rank, &err));
  return err.status;
}

static void graphs_survive_each_failed_allocation(void **state)
{
  (void)state;
  lw_graph *g = lw_graph_new(NODES, EDGES, from, to, NULL);
  fail_each(make_graph, NULL, "lw_graph_new");
  fail_each(make_subgraph, g, "lw_graph_subgraph");
  fail_each(make_quotient, g, "lw_graph_contract");
  fail_each(make_simple, g, "lw_graph_simplify");
  fail_each(make_spanning_tree, g, "lw_spanning_tree_new");
  lw_graph_free(g);
}

static const int parent[NODES] = {-1, 0, 1, 1, 0, 4, 4, 6, 6};

static lw_status make_tree(void *context)
{
  (void)context;
  const int listing[NODES] = {8, 7, 6, 5, 4, 3, 2, 1, 0};
  lw_error err = {.status = LW_OK};
  lw_tree_free(lw_tree_new(NODES, parent, listing, &err));
  return err.status;
}

static lw_status contract_tree(void *context)
{
  const int class_of[NODES] = {0, 1, 1, 1, 2, 3, 4, 4, 4};
  lw_error err = {.status = LW_OK};
  lw_tree_free(lw_tree_contract(context, 5, class_of, &err));
  return err.status;
}

static lw_status make_segments(void *context)
{
  lw_error err = {.status = LW_OK};
  lw_segments_free(lw_segments_new(context, &err));
  return err.status;
}

static void trees_survive_each_failed_allocation(void **state)
{
  (void)state;
  lw_tree *t = lw_tree_new(NODES, parent, NULL, NULL);
  fail_each(make_tree, NULL, "lw_tree_new");
  fail_each(contract_tree, t, "lw_tree_contract");
  fail_each(make_segments, t, "lw_segments_new");
  lw_tree_free(t);
}

static void free_functions_accept_null(void **state)
{
  (void)state;
  lw_spec_free(NULL);
  lw_model_free(NULL);
  lw_work_free(NULL);
  lw_graph_free(NULL);
  lw_spanning_tree_free(NULL);
  lw_tree_free(NULL);
  lw_segments_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(building_a_spec_survives_each_failed_allocation),
      cmocka_unit_test(compiling_survives_each_failed_allocation),
      cmocka_unit_test(compiling_a_planar_model_survives_each_failed_allocation),
      cmocka_unit_test(works_survive_a_failed_allocation),
      cmocka_unit_test(derivatives_survive_each_failed_allocation),
      cmocka_unit_test(a_work_in_the_callers_memory_allocates_nothing),
      cmocka_unit_test(graphs_survive_each_failed_allocation),
      cmocka_unit_test(trees_survive_each_failed_allocation),
      cmocka_unit_test(free_functions_accept_null),
  };
  return cmocka_run_group_tests_name("failure/allocation", tests, NULL, NULL);
}
