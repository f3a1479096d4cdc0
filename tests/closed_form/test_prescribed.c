/* SPDX-License-Identifier: Apache-2.0 */
/* Prescribed motion: mechanisms without freedoms, loads of drivers and actuators. */
#include "lwt.h"

#include "linkwork/analysis.h"
#include "linkwork/linkwork.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_model *m;
  lw_work *w;
  double *q, *u, *udot;
} bench;

static bench bench_of(lw_spec *s, lw_error *err)
{
  assert_string_equal(err->text, "");
  bench b = {.m = lw_compile(s, err)};
  assert_string_equal(err->text, "");
  lw_spec_free(s);
  b.w = lw_work_new(b.m);
  b.q = calloc((size_t)lw_nq_all(b.m) + 1, sizeof *b.q);
  b.u = calloc((size_t)lw_nu_all(b.m) + 1, sizeof *b.u);
  b.udot = calloc((size_t)lw_nu_all(b.m) + 1, sizeof *b.udot);
  lw_initial_state(b.m, b.q, b.u);
  lw_close_loops(b.w, 0, b.q, b.u, err);
  assert_string_equal(err->text, "");
  return b;
}

static bench bench_file(const char *name)
{
  char path[500];
  lw_error err = {0};
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  return bench_of(lw_spec_load(path, &err), &err);
}

static bench bench_text(const char *text)
{
  lw_error err = {0};
  return bench_of(lw_spec_parse(text, strlen(text), "text", &err), &err);
}

static void bench_free(bench *b)
{
  lw_work_free(b->w);
  lw_model_free(b->m);
  free(b->q);
  free(b->u);
  free(b->udot);
}

/* The four-bar of driven-four-bar.yaml closed by hand: the angle of its third bar, in 80 bits. */
static long double third_angle(long double a)
{
  const long double bx = 0.5L * cosl(a), by = 0.5L * sinl(a), dx = bx - 1.1L, dy = by;
  const long double d2 = dx * dx + dy * dy, d = sqrtl(d2);
  const long double along = (1.0L + d2 - 1.44L) / (2 * d), h = sqrtl(1 - along * along);
  return atan2l(along * dy / d - h * dx / d, along * dx / d + h * dy / d);
}

static long double crank(long double t)
{
  const long double s = fminl(t, 1);
  return 0.5L + 6 * (fmaxl(0, t - 1) + s * s * s - s * s * s * s / 2);
}

static long double driven(long double t)
{
  return third_angle(crank(t));
}

/* positions, speeds and accelerations of a mechanism that has no freedom follow from time alone */
static void a_driven_four_bar_moves_as_its_geometry_says(void **state)
{
  (void)state;
  bench b = bench_file("driven-four-bar");
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(b.m, NULL, &err);
  assert_string_equal(err.text, "");
  int dof, redundant;
  lwt_ok(lw_dof(b.w, b.q, &dof, &redundant));
  assert_int_equal(dof, 0);
  const lw_joint_info third = lw_get_joint(b.m, lw_find_joint(b.m, "C"));
  const lw_joint_info first = lw_get_joint(b.m, lw_find_joint(b.m, "A"));
  for (double t = 0.25; t < 5; t += 0.5) {
    lwt_ok(lw_simulation_advance(sim, t, b.q, b.u, &err));
    lwt_ok(lw_forward_dynamics(b.w, t, b.q, b.u, NULL, b.udot));
    const long double h = 1e-4L, at = (long double)t;
    const double speed = (double)((driven(at + h) - driven(at - h)) / (2 * h));
    const double rate = (double)((driven(at + h) - 2 * driven(at) + driven(at - h)) / (h * h));
    lwt_near(b.q[first.q], (double)crank(at), 1e-12, "crank at %g", t);
    lwt_near(b.q[third.q], (double)driven(at), 1e-11, "angle at %g", t);
    lwt_near(b.u[third.u], speed, 1e-5, "speed at %g", t);
    lwt_near(b.udot[third.u], rate, 1e-3, "acceleration at %g", t);
  }
  lw_simulation_free(sim);
  bench_free(&b);
}

/* the power of the driver is the rate of the energy */
static void the_driver_does_the_work(void **state)
{
  (void)state;
  bench b = bench_file("driven-four-bar");
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(b.m, NULL, &err);
  const int first = lw_get_joint(b.m, lw_find_joint(b.m, "A")).u;
  double work = 0, start = 0, now = 0;
  const double h = 1. / 256;
  for (int k = 0; k <= 1024; k++) { /* Simpson's rule from 0 to 4 s */
    double kinetic, potential, load;
    lwt_ok(lw_simulation_advance(sim, k * h, b.q, b.u, &err));
    lwt_ok(lw_energy(b.w, b.q, b.u, &kinetic, &potential));
    lwt_ok(lw_forward_dynamics(b.w, k * h, b.q, b.u, NULL, b.udot));
    lwt_ok(lw_joint_loads(b.w));
    lwt_ok(lw_get_relation_load(b.w, (lw_constraint){1}, &load));
    now = kinetic + potential;
    if (k == 0) start = now;
    work += h / 3 * load * b.u[first] * (k == 0 || k == 1024 ? 1 : k % 2 ? 4 : 2);
  }
  lwt_near(now - start, work, 1e-4, "work");
  lw_simulation_free(sim);
  bench_free(&b);
}

/* one actuator gives what forward dynamics needs to move so */
static void actuators_move_the_mechanism_as_prescribed(void **state)
{
  (void)state;
  bench b = bench_file("four-bar");
  lw_error err = {0};
  bool given[4] = {true};
  b.udot[0] = 2;
  lwt_ok(lw_complete_accelerations(b.w, 0, b.q, b.u, given, b.udot, &err));
  lwt_near(b.udot[0], 2, 1e-14, "kept");
  double tau[4] = {0}, moved[4];
  const int one[] = {0};
  lwt_ok(lw_actuator_loads(b.w, 0, b.q, b.u, b.udot, &(lw_actuators){1, one, tau}, &err));
  double all[4] = {tau[0]};
  lwt_ok(lw_forward_dynamics(b.w, 0, b.q, b.u, all, moved));
  lwt_close(moved, b.udot, lw_nu(b.m), 1e-10, 1, "forward dynamics");
  /* every joint, the cut one too: less effort, the same motion */
  const int every[] = {0, 1, 2, 3};
  double less[4];
  lwt_ok(lw_actuator_loads(b.w, 0, b.q, b.u, b.udot, &(lw_actuators){4, every, less}, &err));
  double sum = 0, power = 0;
  for (int i = 0; i < 4; i++) {
    sum += less[i] * less[i];
    power += less[i] * b.udot[i] / b.udot[0]; /* speeds are in the ratio of these, from rest */
  }
  assert_true(sum < tau[0] * tau[0]);
  lwt_near(power, tau[0], 1e-9 * fabs(tau[0]), "the same generalized load");
  for (int i = 0; i < 4; i++) /* the smallest loads are proportional to the speeds they act on */
    lwt_near(less[i] * b.udot[0], less[0] * b.udot[i], 1e-9 * fabs(tau[0]), "joint %d", i);
  bench_free(&b);
}

static void impossible_motions_are_refused(void **state)
{
  (void)state;
  bench b = bench_file("four-bar");
  lw_error err = {0};
  bool given[4] = {true, true};
  b.udot[0] = 2;
  b.udot[1] = 1;
  assert_int_equal(lw_complete_accelerations(b.w, 0, b.q, b.u, given, b.udot, &err), LW_E_ARG);
  assert_non_null(strstr(err.text, "contradict"));
  bench_free(&b);
  bench c = bench_file("cart-pole");
  const int rail[] = {0}, none[] = {7};
  double tau[1];
  c.udot[0] = 1;
  assert_int_equal(lw_actuator_loads(c.w, 0, c.q, c.u, c.udot, &(lw_actuators){1, rail, tau}, &err),
                   LW_E_ARG);
  assert_non_null(strstr(err.text, "cannot drive"));
  assert_int_equal(lw_actuator_loads(c.w, 0, c.q, c.u, c.udot, &(lw_actuators){1, none, tau}, &err),
                   LW_E_ARG);
  assert_int_equal(
      lw_actuator_loads(NULL, 0, c.q, c.u, c.udot, &(lw_actuators){1, rail, tau}, &err), LW_E_ARG);
  bench_free(&c);
}

/* drivers of both cranks of a parallelogram share the load: the smallest multipliers */
static void redundant_drivers_share(void **state)
{
  (void)state;
  bench b = bench_text(
      "{linkwork: 1, planar: true, bodies: {a: {solid: {rod: {length: 1, mass: 1, axis: y}}}, c: "
      "{solid: {rod: {length: 1, mass: 1, axis: y}}}, b: {solid: {rod: {length: 2, mass: 2, axis: "
      "x}}}}, "
      "joints: {A: {type: revolute, parent: ground, child: a}, C: {type: revolute, parent: ground, "
      "child: c, at: [2, 0]}, B: {type: revolute, parent: a, child: b, at: [0, 1]}, D: {type: "
      "revolute, "
      "parent: b, child: c, at: [2, 0], child_at: [0, 1]}, left: {type: driver, joint: A, value: "
      "\"0.4 + t^2\"}, right: {type: driver, joint: C, value: \"0.4 + t^2\"}}}");
  double left, right;
  lwt_ok(lw_forward_dynamics(b.w, 0, b.q, b.u, NULL, b.udot));
  lwt_ok(lw_joint_loads(b.w));
  lwt_ok(lw_get_relation_load(b.w, (lw_constraint){1}, &left));
  lwt_ok(lw_get_relation_load(b.w, (lw_constraint){2}, &right));
  /* both together: inertia (2/3 + 2) 2 rad/s^2, weight (1/2 + 1/2 + 2) g sin 0.4 */
  lwt_near(left + right, 2 * (2. / 3 + 2) - 3 * 9.81 * sin(0.4), 1e-9, "together");
  bench_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_driven_four_bar_moves_as_its_geometry_says),
      cmocka_unit_test(the_driver_does_the_work),
      cmocka_unit_test(actuators_move_the_mechanism_as_prescribed),
      cmocka_unit_test(impossible_motions_are_refused),
      cmocka_unit_test(redundant_drivers_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
