/* SPDX-License-Identifier: Apache-2.0 */
/* Result columns: their names and order, choosing among them, and what they hold. */
#include "model_texts.h"

#include "linkwork/simulate.h"
#include "linkwork/columns.h"
#include "sim/output/column_patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A revolute, a ball joint, a fixed one, and a body that floats. */
static lw_model *mixed(void)
{
  lw_spec *s = lw_spec_new();
  const lw_solid box = {.type = LW_SOLID_BOX, .mass = 1, .size = {1, 1, 1}};
  lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .solid = box});
  lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .solid = box});
  lw_body c = lw_add_body(s, &(lw_body_desc){.name = "c", .solid = box});
  lw_add_body(s, &(lw_body_desc){.name = "d", .solid = box});
  lw_add_joint(s, &(lw_joint_desc){.name = "R", .type = LW_REVOLUTE, .child = a, .axis = {1}});
  lw_add_joint(
      s,
      &(lw_joint_desc){
          .name = "S", .type = LW_SPHERICAL, .parent = a, .child = b, .place = {.at = {1, 2, 3}}});
  lw_add_joint(s, &(lw_joint_desc){.name = "F", .type = LW_FIXED, .parent = b, .child = c});
  return compile_model(s);
}

static lw_columns *choose(const lw_model *m, const char *patterns)
{
  lw_error err = {0};
  lw_columns *c = lw_columns_new(m, patterns, &err);
  assert_string_equal(err.text, "");
  return c;
}

/* The names, separated by spaces. */
static const char *names(const lw_columns *c)
{
  static char text[4000];
  text[0] = '\0';
  for (int i = 0; i < lw_columns_count(c); i++) {
    if (i > 0) strcat(text, " ");
    strcat(text, lw_columns_name(c, i));
  }
  return text;
}

/* ---- names ---- */

static void all_columns_come_in_the_documented_order(void **state)
{
  (void)state;
  lw_model *m = mixed();
  lw_columns *c = choose(m, NULL);
  assert_string_equal(
      names(c),
      "t "
      "q.R q.S.1 q.S.2 q.S.3 q.S.4 q.d.1 q.d.2 q.d.3 q.d.4 q.d.5 q.d.6 q.d.7 "
      "u.R u.S.1 u.S.2 u.S.3 u.d.1 u.d.2 u.d.3 u.d.4 u.d.5 u.d.6 "
      "udot.R udot.S.1 udot.S.2 udot.S.3 udot.d.1 udot.d.2 udot.d.3 udot.d.4 udot.d.5 udot.d.6 "
      "x.a y.a z.a e0.a e1.a e2.a e3.a wx.a wy.a wz.a vx.a vy.a vz.a "
      "x.b y.b z.b e0.b e1.b e2.b e3.b wx.b wy.b wz.b vx.b vy.b vz.b "
      "x.c y.c z.c e0.c e1.c e2.c e3.c wx.c wy.c wz.c vx.c vy.c vz.c "
      "x.d y.d z.d e0.d e1.d e2.d e3.d wx.d wy.d wz.d vx.d vy.d vz.d "
      "fx.R fy.R fz.R tx.R ty.R tz.R fx.S fy.S fz.S tx.S ty.S tz.S fx.F fy.F fz.F tx.F ty.F tz.F "
      "energy.kinetic energy.potential energy.total energy.error drift");
  assert_null(lw_columns_name(c, -1));
  assert_null(lw_columns_name(c, lw_columns_count(c)));
  lw_columns_free(c);
  lw_model_free(m);
}

static void names_and_patterns_select(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"t", "t"},
      {"q.R", "t q.R"},
      {"energy.total, u.R ,q.R", "t q.R u.R energy.total"},
      {"q.R,q.R,q.?", "t q.R"},
      {"?.a", "t x.a y.a z.a"},
      {"u*.R", "t u.R udot.R"},
      {"*.S.3", "t q.S.3 u.S.3 udot.S.3"},
      {"e?.b", "t e0.b e1.b e2.b e3.b"},
      {"*.total,drift", "t energy.total drift"},
      {"*t*al", "t energy.potential energy.total"},
  };
  lw_model *m = mixed();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lw_columns *c = choose(m, cases[i][0]);
    assert_string_equal(names(c), cases[i][1]);
    lw_columns_free(c);
  }
  lw_model_free(m);
}

static void what_matches_nothing_is_an_error_with_the_nearest_name(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"q.R,u.Q", "did you mean \"u.R\""},
                                         {"energy.totl", "did you mean \"energy.total\""},
                                         {"nothing*at*all", "no result column matches"},
                                         {"", "empty"},
                                         {"q.R,", "empty"},
                                         {"q.F", "no result column"},
                                         {"fx.d", "no result column"}};
  lw_model *m = mixed();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    lw_error err = {0};
    assert_null(lw_columns_new(m, cases[i][0], &err));
    assert_int_equal(err.status, LW_E_ARG);
    if (!strstr(err.text, cases[i][1])) fail_msg("\"%s\": %s", cases[i][0], err.text);
    assert_null(lw_columns_new(m, cases[i][0], NULL));
  }
  lw_model_free(m);
}

static void patterns_with_many_stars_are_matched_without_backtracking_forever(void **state)
{
  (void)state;
  lwi_patterns p;
  lwt_ok(lwi_patterns_parse(&p, "*a*a*a*a*a*a*a*a*a*a*a*b"));
  char name[2001];
  memset(name, 'a', 2000);
  name[2000] = '\0';
  assert_false(lwi_patterns_match(&p, name));
  name[1999] = 'b';
  assert_true(lwi_patterns_match(&p, name));
  lwi_patterns_free(&p);
}

static void what_is_in_quotes_is_no_pattern(void **state)
{
  (void)state;
  static const struct {
    const char *list, *name;
    bool matches;
  } table[] = {
      {"q.\"a,b\"", "q.a,b", true},      {"\"q.a,b\",t", "t", true},
      {"q.'a*b'", "q.a*b", true},        {"q.'a*b'", "q.aab", false},
      {"q.a*b", "q.aab", true},          {"*.'a*b'", "u.a*b", true},
      {"*.'a*b'", "u.aab", false},       {"?.\"a?\"\"\"", "q.a?\"", true},
      {"?.\"a?\"\"\"", "q.ab\"", false}, {" 'a ' , b", "a ", true},
      {" 'a ' , b", "a", false},         {"q.5\" x, t", "q.5\" x", true},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    lwi_patterns p;
    lwt_ok(lwi_patterns_parse(&p, table[i].list));
    if (lwi_patterns_match(&p, table[i].name) != table[i].matches)
      fail_msg("%s and %s", table[i].list, table[i].name);
    lwi_patterns_free(&p);
  }
}

static void a_list_of_names_matches_these_names_only(void **state)
{
  (void)state;
  static const char *const name[] = {"a,b", "\"", "'", "x*", "a\",\"b", "plain", " "};
  lwi_name_list l = {0};
  lwi_patterns p;
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    assert_true(lwi_name_list_add(&l, name[i]));
  lwt_ok(lwi_patterns_parse(&p, l.text));
  assert_int_equal(p.index.n, sizeof name / sizeof *name);
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    assert_true(lwi_patterns_match(&p, name[i]));
  assert_false(lwi_patterns_match(&p, "xy"));
  lwi_patterns_free(&p);
  free(l.text);
}

/* ---- values ---- */

static double value(const lw_model *m, const char *name, const double q[], const double u[])
{
  lw_columns *c = choose(m, name);
  double row[2];
  assert_int_equal(lw_columns_count(c), 2);
  lwt_ok(lw_columns_row(c, 0.7, q, u, row));
  lwt_near(row[0], 0.7, 0, "t");
  lw_columns_free(c);
  return row[1];
}

/* Each column alone equals the same column among all: nothing is left out of what it needs. */
static void a_column_alone_is_the_same_as_among_all(void **state)
{
  (void)state;
  lwt_case k = lwt_case_new(
      &(lwt_recipe){.seed = 8, .nbody = 5, .branching = 0.5, .floating = true, .forces = true});
  lw_columns *all = choose(k.m, NULL);
  double *row = calloc((size_t)lw_columns_count(all), sizeof *row);
  lwt_ok(lw_columns_row(all, 0.7, k.q, k.u, row));
  for (int i = 1; i < lw_columns_count(all); i++) {
    const char *name = lw_columns_name(all, i);
    const double alone = value(k.m, name, k.q, k.u);
    if (strcmp(name, "energy.error") == 0) /* only a run has it */
      assert_true(isnan(alone) && isnan(row[i]));
    else
      lwt_near(alone, row[i], 0, "%s", name);
  }
  free(row);
  lw_columns_free(all);
  lwt_case_free(&k);
}

static void columns_hold_what_the_engine_computes(void **state)
{
  (void)state;
  lwt_case k = lwt_case_of(mixed(), 4);
  const lw_body b = lw_find_body(k.m, "b");
  lw_pose X;
  double V[6], load[6], kinetic, potential;
  lwt_ok(lw_energy(k.w, k.q, k.u, &kinetic, &potential));
  lwt_ok(lw_forward_dynamics(k.w, 0.7, k.q, k.u, NULL, k.udot));
  lwt_ok(lw_joint_loads(k.w));
  lwt_ok(lw_get_pose(k.w, b, &X));
  lwt_ok(lw_get_velocity(k.w, b, V));
  lwt_ok(lw_get_load(k.w, lw_find_joint(k.m, "S"), load));

  lwt_near(value(k.m, "q.R", k.q, k.u), k.q[0], 0, "q");
  lwt_near(value(k.m, "u.S.2", k.q, k.u), k.u[2], 0, "u");
  lwt_near(value(k.m, "udot.d.6", k.q, k.u), k.udot[9], 0, "udot");
  lwt_near(value(k.m, "y.b", k.q, k.u), X.p[1], 0, "y");
  lwt_near(fabs(value(k.m, "e2.b", k.q, k.u)), fabs(X.quat[2]), 0, "e2");
  lwt_near(value(k.m, "wz.b", k.q, k.u), V[2], 0, "wz");
  lwt_near(value(k.m, "vx.b", k.q, k.u), V[3], 0, "vx");
  lwt_near(value(k.m, "fy.S", k.q, k.u), load[4], 0, "fy");
  lwt_near(value(k.m, "tz.S", k.q, k.u), load[2], 0, "tz");
  lwt_near(value(k.m, "energy.kinetic", k.q, k.u), kinetic, 0, "kinetic");
  lwt_near(value(k.m, "energy.total", k.q, k.u), kinetic + potential, 0, "total");
  lwt_near(value(k.m, "drift", k.q, k.u), 0, 0, "drift");
  lwt_case_free(&k);
}

static void a_state_that_is_not_finite_leaves_the_row_alone(void **state)
{
  (void)state;
  lwt_case k = lwt_case_of(mixed(), 4);
  lw_columns *c = choose(k.m, "q.R,x.a");
  double row[3] = {7, 7, 7};
  k.q[0] = strtod("nan", NULL);
  assert_int_equal(lw_columns_row(c, 0, k.q, k.u, row), LW_E_NUMBER);
  lwt_near(row[1], 7, 0, "untouched");
  lw_columns_free(c);
  lwt_case_free(&k);
}

/* ---- quaternions ---- */

/* A body that turns about x, seen through its ball joint and its orientation, for three turns. */
static void quaternions_begin_with_w_positive_and_do_not_jump(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  const lw_solid box = {.type = LW_SOLID_BOX, .mass = 1, .size = {1, 1, 1}};
  lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .solid = box});
  lw_add_joint(s, &(lw_joint_desc){.name = "S", .type = LW_SPHERICAL, .child = a});
  lw_model *m = compile_model(s);
  lw_columns *c = choose(m, "q.S.*,e?.a");
  const double u[3] = {0};
  double row[9], before[9];
  for (int k = 0; k < 100; k++) {
    const double angle = 2.5 + 0.2 * k, sign = k % 3 ? 1 : -1; /* whatever sign we are given */
    const double q[4] = {sign * cos(angle / 2), sign * sin(angle / 2), 0, 0};
    lwt_ok(lw_columns_row(c, k, q, u, row));
    assert_true(k > 0 || (row[1] >= 0 && row[5] >= 0));
    for (int i = 1; i < 9 && k > 0; i++)
      if (fabs(row[i] - before[i]) > 0.11) fail_msg("column %d jumps in row %d", i, k);
    memcpy(before, row, sizeof row);
  }
  lw_columns_free(c);
  lw_model_free(m);
}

/* ---- size ---- */

/* A search through all columns for each name would take 10^11 comparisons. */
static void many_names_among_many_bodies_are_found_quickly(void **state)
{
  (void)state;
  enum { N = 20000 };
  lw_spec *s = lw_spec_new();
  char name[32];
  lw_body parent = {0};
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "n%d", i);
    lw_body b = lw_add_body(
        s, &(lw_body_desc){.name = name, .mass = 1, .com = {0.1}, .inertia = {1, 1, 1}});
    lw_add_joint(s,
                 &(lw_joint_desc){.name = name, .type = LW_REVOLUTE, .parent = parent, .child = b});
    parent = i % 100 ? b : (lw_body){0};
  }
  lw_model *m = compile_model(s);
  char *list = malloc(N * 10u), *end = list;
  for (int i = 0; i < N; i++)
    end += sprintf(end, "%sx.n%d", i ? "," : "", i);
  lw_columns *c = choose(m, list);
  assert_int_equal(lw_columns_count(c), N + 1);
  assert_string_equal(lw_columns_name(c, N), "x.n19999");
  lw_columns_free(c);
  c = choose(m, NULL);
  assert_int_equal(lw_columns_count(c), 1 + 3 * N + 13 * N + 6 * N + 5);
  lw_columns_free(c);
  free(list);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_columns_come_in_the_documented_order),
      cmocka_unit_test(names_and_patterns_select),
      cmocka_unit_test(what_matches_nothing_is_an_error_with_the_nearest_name),
      cmocka_unit_test(patterns_with_many_stars_are_matched_without_backtracking_forever),
      cmocka_unit_test(what_is_in_quotes_is_no_pattern),
      cmocka_unit_test(a_list_of_names_matches_these_names_only),
      cmocka_unit_test(a_column_alone_is_the_same_as_among_all),
      cmocka_unit_test(columns_hold_what_the_engine_computes),
      cmocka_unit_test(a_state_that_is_not_finite_leaves_the_row_alone),
      cmocka_unit_test(quaternions_begin_with_w_positive_and_do_not_jump),
      cmocka_unit_test(many_names_among_many_bodies_are_found_quickly),
  };
  return cmocka_run_group_tests_name("unit/columns", tests, NULL, NULL);
}
