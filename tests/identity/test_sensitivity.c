/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of whole runs: exact ones, by the tree and by divide and conquer, those from neighbouring models,
   and differences of whole runs agree on random models of every topology whose numbers all depend on a
   parameter. */
#include "linkwork/linkwork.h"
#include "linkwork/sensitivity.h"
#include "lwt_loops.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- models that depend on a parameter p, which is 0.5 ---- */

typedef struct {
  lw_spec *s;
  lwt_random random;
} maker;

/* x becomes x (1 + c (p - 0.5)) for each, with some c; zeros stay */
static void depend(maker *k, double x[], int n)
{
  for (int i = 0; i < n; i++) {
    char text[120];
    const double c = lwt_uniform(&k->random, -0.3, 0.3);
    if (!(x[i] != 0 && isfinite(x[i]))) continue;
    snprintf(text, sizeof text, "%.17g*(1 + %.6g*(p - 0.5))", x[i], c);
    x[i] = lw_expr(k->s, text);
  }
}

static void depend_joint(maker *k, int i)
{
  lw_joint_desc *j = &k->s->joints.item[i].d;
  if (strncmp(j->name, "again", 5) == 0) { /* stays redundant: equal to the one before it */
    const char *name = j->name;
    *j = k->s->joints.item[i - 1].d;
    j->name = name;
    return;
  }
  depend(k, j->place.at, 3);
  depend(k, j->child_place.at, 3);
  depend(k, j->axis, 3);
  depend(k, &j->pitch, 1);
  depend(k, j->q, 7);
  depend(k, j->u, 6);
}

static void depend_on_p(lw_spec *s, unsigned seed)
{
  maker k = {s, lwt_seed(seed)};
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = 0.5});
  depend(&k, s->gravity, 3);
  for (int i = 0; i < s->bodies.n; i++) {
    depend(&k, &s->bodies.item[i].d.mass, 1);
    depend(&k, s->bodies.item[i].d.com, 3);
  }
  for (int i = 0; i < s->joints.n; i++)
    depend_joint(&k, i);
  for (int i = 0; i < s->constraints.n; i++) {
    lw_constraint_desc *c = &s->constraints.item[i].d;
    depend(&k, c->place.at, 3);
    depend(&k, &c->length, 1);
    depend(&k, &c->ratio, 1);
    depend(&k, &c->offset, 1);
  }
  for (int i = 0; i < s->springs.n; i++) {
    depend(&k, &s->springs.item[i].d.stiffness, 1);
    depend(&k, &s->springs.item[i].d.length, 1);
    depend(&k, s->springs.item[i].d.to_at, 3);
  }
  for (int i = 0; i < s->joint_springs.n; i++)
    depend(&k, &s->joint_springs.item[i].d.stiffness, 1);
}

/* ---- three ways ---- */

static double *room(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

/* a way to derivatives */
typedef struct {
  bool differences;
  lw_formulation formulation;
  int threads;
} way;

/* all columns at the end, and their derivatives; false: the run is not possible */
static bool sensitivities(const lw_model *m, way by, const char *columns, double end, double **row,
                          double **drow, int *n)
{
  lw_error err = {0};
  const lw_sensitivity_options o = {.differences = by.differences,
                                    .columns = columns,
                                    .simulation = {.end = end,
                                                   .rtol = 1e-11,
                                                   .atol = 1e-12,
                                                   .formulation = by.formulation,
                                                   .threads = by.threads}};
  lw_sensitivity *s = lw_sensitivity_new(m, NULL, 0, &o, &err);
  if (!s) return fprintf(stderr, "%s\n", err.text), false;
  lw_status status = lw_sensitivity_advance(s, end, NULL, NULL, NULL, NULL, &err);
  *n = lw_columns_count(lw_sensitivity_columns(s));
  *row = room(*n);
  *drow = room(*n);
  if (status == LW_OK) status = lw_sensitivity_row(s, *row, *drow);
  if (status != LW_OK) fprintf(stderr, "%s: %s\n", lw_status_text(status), err.text);
  lw_sensitivity_free(s);
  return status == LW_OK;
}

/* takes the model; rtol of the scale of each kind of column together */
static bool compare(lw_model *m, unsigned seed, const char *columns, double end, const char *what)
{
  lw_error err = {0};
  double *row, *exact, *near_row, *near, *runs, *error;
  int n, n_near;
  const lw_sensitivity_options o = {.columns = columns, .simulation = {.end = end}};
  if (!sensitivities(m, (way){0}, columns, end, &row, &exact, &n))
    fail_msg("%s, seed %u", what, seed);
  if (!sensitivities(m, (way){.differences = true}, columns, end, &near_row, &near, &n_near))
    fail_msg("%s, seed %u", what, seed);
  runs = room(n);
  error = room(n);
  lwt_ok(lw_sensitivity_by_runs(m, 0, &o, end, &(lw_differences){runs, NULL, error, NULL}, &err));
  const double scale = lwt_scale(exact, n) + lwt_scale(row, n);
  lwt_close(exact, near, n, 1e-8, scale, "%s, exact and neighbours, seed %u", what, seed);
  lwt_close(exact, runs, n, 1e-6, scale, "%s, exact and runs, seed %u", what, seed);
  free(row), free(exact), free(near_row), free(near), free(runs), free(error);
  lw_model_free(m);
  return true;
}

static lw_model *compile(lw_spec *s)
{
  lw_error err = {0};
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

/* ---- tests ---- */

static void trees_of_every_joint_agree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 8; seed++) {
    const lwt_recipe recipe = {.seed = seed,
                               .nbody = 3 + (int)(seed % 3),
                               .branching = 0.4,
                               .floating = seed % 3 == 0,
                               .planar = seed % 4 == 3};
    lwt_recipe with = recipe;
    with.forces = seed % 2 == 0;
    lwt_parts *parts = lwt_random_parts(&with);
    lw_spec *s = lwt_parts_spec(parts);
    depend_on_p(s, seed);
    compare(compile(s), seed, "*", 0.2, "tree");
    lwt_parts_free(parts);
  }
}

/* Loops without freedoms cannot follow every change of their numbers. */
static bool can_follow(const lw_model *m)
{
  lw_error err = {0};
  double d[2];
  const lw_sensitivity_options o = {.columns = "energy.total"};
  return lw_sensitivity_by_runs(m, 0, &o, 0, &(lw_differences){d, NULL, NULL, NULL}, &err) == LW_OK;
}

static void closed_loops_agree(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 1; seed <= 12; seed++) {
    const lwt_loops recipe = {
        .tree = {.seed = seed, .nbody = 7, .branching = 0.3}, .loops = 1, .forces = seed % 2 == 0};
    lw_spec *s = lwt_loops_spec(&recipe);
    depend_on_p(s, seed);
    lw_model *m = compile(s);
    if (!can_follow(m)) {
      lw_model_free(m);
      continue;
    }
    compare(m, seed, "q.*,u.*,udot.*,x.*,v?.*,energy.*", 0.1, "loop");
    done++;
  }
  assert_true(done >= 5);
}

/* Loops that share bodies, and loops that are closed twice. */
static void coupled_and_redundant_loops_agree(void **state)
{
  (void)state;
  int done[2] = {0};
  for (unsigned seed = 21; seed <= 36; seed++) {
    const bool twice = seed % 2;
    const lwt_loops recipe = {.tree = {.seed = seed,
                                       .nbody = 9 + (int)(seed % 4),
                                       .branching = (double)(seed % 3) / 3,
                                       .floating = seed % 5 == 0},
                              .loops = 2 + (seed % 4 == 0),
                              .twice = twice,
                              .forces = seed % 3 == 0};
    lw_spec *s = lwt_loops_spec(&recipe);
    depend_on_p(s, seed);
    lw_model *m = compile(s);
    if (!can_follow(m)) {
      lw_model_free(m);
      continue;
    }
    compare(m, seed, "q.*,u.*,udot.*,x.*,v?.*,energy.*", 0.05, twice ? "twice" : "coupled");
    done[twice]++;
  }
  assert_true(done[0] >= 3 && done[1] >= 3);
}

static lwt_loops every_topology(unsigned k)
{
  const bool closed = k % 4 > 0;
  return (lwt_loops){.tree = {.seed = 500 + k,
                              .nbody = (closed ? 7 : 3) + (int)(k % 5),
                              .branching = (double)(k % 4) / 3,
                              .floating = k % 3 == 0,
                              .planar = k % 7 == 6},
                     .loops = closed ? 1 + (int)(k % 3) : 0,
                     .constraints = k % 8 == 1,
                     .relations = k % 5 == 1 ? 2 : 0,
                     .twice = k % 8 == 3,
                     .forces = k % 2};
}

/* Divide and conquer, on one thread and on three, which leaves the bits as they are, and the tree. */
static void formulations_agree(void **state)
{
  (void)state;
  static const way ways[] = {{.formulation = LW_FORMULATION_TREE},
                             {.formulation = LW_FORMULATION_DCA, .threads = 1},
                             {.formulation = LW_FORMULATION_DCA, .threads = 3}};
  int trees = 0, loops = 0, coupled = 0, redundant = 0;
  for (unsigned k = 0; k < 48; k++) {
    const lwt_loops recipe = every_topology(k);
    lw_spec *s = lwt_loops_spec(&recipe);
    depend_on_p(s, k);
    lw_model *m = compile(s);
    double *row[3], *drow[3];
    int n;
    if (!can_follow(m)) {
      lw_model_free(m);
      continue;
    }
    for (int i = 0; i < 3; i++)
      if (!sensitivities(m, ways[i], "q.*,u.*,udot.*,energy.*", 0.05, &row[i], &drow[i], &n))
        fail_msg("topology %u", k);
    const double scale = lwt_scale(drow[0], n) + lwt_scale(row[0], n);
    lwt_close(drow[0], drow[1], n, 1e-8, scale, "tree and dca, %u", k);
    assert_memory_equal(drow[1], drow[2], (size_t)n * sizeof(double));
    for (int i = 0; i < 3; i++)
      free(row[i]), free(drow[i]);
    lw_model_free(m);
    trees += recipe.loops == 0;
    loops += recipe.loops > 0;
    coupled += recipe.loops > 1;
    redundant += recipe.twice;
  }
  assert_true(trees >= 10 && loops >= 10 && coupled >= 5 && redundant >= 3);
}

static void relations_agree(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 6; seed++) {
    const lwt_loops recipe = {.tree = {.seed = seed, .nbody = 4, .branching = 0.3},
                              .constraints = (int)(seed % 2),
                              .relations = 1};
    lw_spec *s = lwt_loops_spec(&recipe);
    depend_on_p(s, seed);
    compare(compile(s), seed, "q.*,u.*,udot.*,x.*,v?.*", 0.1, "relation");
  }
}

/* At its start two coordinates of the driven four-bar are equally good as independent ones, and which is better
   depends on L: nearby models would choose different ones. */
static const char undecided[] =
    "{linkwork: 1, planar: true, gravity: [0, -9.81], parameters: {L: 0.9}, bodies: {"
    "a: {solid: {rod: {length: 0.4*L, mass: 1, axis: [1, 0]}}}, "
    "b: {solid: {rod: {length: 1.1, mass: 2, axis: [1, 0]}}}, "
    "c: {solid: {rod: {length: L, mass: 1.5, axis: [1, 0]}}}, "
    "d: {solid: {rod: {length: 0.3, mass: 0.7, axis: [0, -1]}}}, "
    "e: {solid: {rod: {length: 0.3, mass: 0.4, axis: [0, -1]}}}}, joints: {"
    "A: {type: revolute, parent: ground, child: a, q: 1.2, u: 1.1}, "
    "B: {type: revolute, parent: a, child: b, at: [0.4*L, 0], q: -0.8}, "
    "C: {type: revolute, parent: ground, child: c, at: [1.2, 0], q: 1.5}, "
    "D: {type: revolute, parent: b, child: c, at: [1.1, 0], child_at: [L, 0]}, "
    "F: {type: revolute, parent: b, child: d, at: [0.5, 0], q: 0.12}, "
    "G: {type: revolute, parent: d, child: e, at: [0, -0.3], q: 0.1}, "
    "cpl: {type: coupler, joints: {F: 1, G: 0.5}, offset: 0.1*L}, "
    "drive: {type: driver, joint: A, value: '1 + 1.1*t + 0.18*sin(3*t)'}}, "
    "forces: {s: {type: joint_spring, joint: F, stiffness: 1.8, damping: 0.1}}}";

static void nearby_models_have_the_same_independent_coordinates(void **state)
{
  (void)state;
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(undecided, sizeof undecided - 1, "undecided", &err);
  if (!s) fail_msg("%s", err.text);
  lw_model *m = compile(s);
  double *row[2], *drow[2];
  int n[2];
  const way exactly = {0};
  const way nearby = {.differences = true, .formulation = LW_FORMULATION_CARTESIAN};
  assert_true(sensitivities(m, exactly, "q.*,u.*", 0.3, &row[0], &drow[0], &n[0]));
  assert_true(sensitivities(m, nearby, "q.*,u.*", 0.3, &row[1], &drow[1], &n[1]));
  assert_int_equal(n[0], n[1]);
  lwt_close(drow[1], drow[0], n[0], 1e-8, lwt_scale(drow[0], n[0]) + lwt_scale(row[0], n[0]),
            "neighbours and exact");
  for (int k = 0; k < 2; k++)
    free(row[k]), free(drow[k]);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_of_every_joint_agree),
      cmocka_unit_test(closed_loops_agree),
      cmocka_unit_test(relations_agree),
      cmocka_unit_test(coupled_and_redundant_loops_agree),
      cmocka_unit_test(formulations_agree),
      cmocka_unit_test(nearby_models_have_the_same_independent_coordinates),
  };
  return cmocka_run_group_tests_name("identity/sensitivity", tests, NULL, NULL);
}
