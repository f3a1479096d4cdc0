/* SPDX-License-Identifier: Apache-2.0 */
/* Equilibria, stability and modes that are known: chains, a four-bar reduced by hand, tops, dampers,
   floating and inverted bodies. */
#include "lwt.h"

#include "linkwork/analysis.h"
#include "linkwork/linkwork.h"
#include "linkwork/query.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

/* ---- a model at its equilibrium, or where it starts ---- */

typedef struct {
  lw_model *m;
  lw_work *w;
  double *q, *u;
  lw_equilibrium_report report;
  lw_linearization *l;
  lw_modes *modes;
} study;

static study study_of(lw_spec *s)
{
  lw_error err = {0};
  study x = {.m = lw_compile(s, &err)};
  assert_string_equal(err.text, "");
  lw_spec_free(s);
  x.w = lw_work_new(x.m);
  x.q = calloc((size_t)lw_nq_all(x.m) + 1, sizeof *x.q);
  x.u = calloc((size_t)lw_nu_all(x.m) + 1, sizeof *x.u);
  lw_initial_state(x.m, x.q, x.u);
  lw_close_loops(x.w, 0, x.q, x.u, &err);
  assert_string_equal(err.text, "");
  return x;
}

static study study_text(const char *text)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(text, strlen(text), "text", &err);
  assert_string_equal(err.text, "");
  return study_of(s);
}

static study study_file(const char *name)
{
  char path[500];
  lw_error err = {0};
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  lw_spec *s = lw_spec_load(path, &err);
  assert_string_equal(err.text, "");
  return study_of(s);
}

static void linearize(study *x, bool moving)
{
  lw_error err = {0};
  x->l = lw_linearize(x->w, 0, x->q, moving ? x->u : NULL, &err);
  assert_string_equal(err.text, "");
  x->modes = lw_modes_new(x->l, &err);
  assert_string_equal(err.text, "");
}

static void rest(study *x, bool nearest)
{
  lw_error err = {0};
  const lw_equilibrium_options o = {.nearest = nearest};
  lw_equilibrium(x->w, 0, x->q, &o, &x->report, &err);
  assert_string_equal(err.text, "");
  assert_true(x->report.residual <= 1e-9 * x->report.scale);
  linearize(x, false);
}

static void study_free(study *x)
{
  lw_modes_free(x->modes);
  lw_linearization_free(x->l);
  lw_work_free(x->w);
  lw_model_free(x->m);
  free(x->q);
  free(x->u);
}

static int count(const study *x, lw_mode_kind kind)
{
  int n = 0;
  for (int i = 0; i < x->modes->n; i++)
    n += x->modes->mode[i].kind == kind;
  return n;
}

/* ---- a hanging chain ---- */

static lw_spec *chain(int n, double length, double mass, double start)
{
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -g, 0);
  lw_body last = {0};
  for (int i = 0; i < n; i++) {
    char body[16], joint[16];
    snprintf(body, sizeof body, "b%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    const double J = mass * length * length / 12;
    const lw_body b = lw_add_body(
        s, &(lw_body_desc){
               .name = body, .mass = mass, .com = {0, -length / 2, 0}, .inertia = {J, J / 1e3, J}});
    lw_add_joint(s, &(lw_joint_desc){.name = joint,
                                     .type = LW_REVOLUTE,
                                     .parent = last,
                                     .child = b,
                                     .place = {.at = {0, i ? -length : 0, 0}},
                                     .axis = {0, 0, 1},
                                     .has_q = true,
                                     .q = {start}});
    last = b;
  }
  return s;
}

/* In absolute angles: M_ij = m L^2 (n - j + 1/2), i < j from 1; M_ii = m L^2 (n - i + 1/3); K_ii = m g L (n - i + 1/2). */
static void chain_frequencies(int n, double length, double mass, double square[])
{
  double *M = calloc((size_t)(2 * n * n), sizeof *M), *K = M + n * n;
  for (int i = 1; i <= n; i++) {
    K[(i - 1) * n + i - 1] = mass * g * length * (n - i + 0.5);
    for (int j = 1; j <= n; j++) {
      const int outer = i > j ? i : j;
      M[(i - 1) * n + j - 1] = mass * length * length * (n - outer + (i == j ? 1. / 3 : 0.5));
    }
  }
  assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, K, n, M, n, square), 0);
  free(M);
}

static void a_chain_hangs_and_swings_as_the_textbook_says(void **state)
{
  (void)state;
  for (int n = 1; n <= 12; n += 1 + n / 3) {
    double square[16];
    study x = study_of(chain(n, 0.7, 1.3, 0.4));
    rest(&x, false);
    for (int i = 0; i < n; i++)
      lwt_near(x.q[i], 0, 1e-12, "link %d of %d hangs", i, n);
    assert_int_equal(x.report.stability, LW_STABLE);
    assert_int_equal(x.modes->n, n);
    chain_frequencies(n, 0.7, 1.3, square);
    for (int i = 0; i < n; i++) {
      const double omega = sqrt(square[i]);
      lwt_near(x.modes->mode[i].imaginary, omega, 1e-11 * sqrt(square[n - 1]), "n %d mode %d", n,
               i);
      assert_true(x.modes->mode[i].real == 0 && x.modes->mode[i].damping == 0);
    }
    double load[6];
    lwt_ok(lw_static_loads(x.w, 0, x.q, NULL));
    lwt_ok(lw_joint_loads(x.w));
    lwt_ok(lw_get_load(x.w, (lw_joint){1}, load));
    lwt_near(load[4], n * 1.3 * g, 1e-9, "the first hinge carries all");
    study_free(&x);
  }
}

/* from any start downhill; upside down, every link is a direction in which it falls */
static void an_inverted_chain_is_unstable_in_every_direction(void **state)
{
  (void)state;
  const int n = 4;
  double square[16];
  study x = study_of(chain(n, 1, 1, 0));
  x.q[0] = 3.14159265358979 + 0.02;
  x.q[2] = 0.01;
  double far[4];
  memcpy(far, x.q, sizeof far);
  rest(&x, true);
  assert_int_equal(x.report.stability, LW_UNSTABLE);
  assert_int_equal(x.report.unstable, n);
  assert_int_equal(count(&x, LW_MODE_REAL), 2 * n);
  chain_frequencies(n, 1, 1, square);
  for (int i = 0; i < n; i++) /* falls apart and comes together at the rates of the hanging chain */
    lwt_near(fabs(x.modes->mode[2 * i].real), sqrt(square[i]), 1e-10, "mode %d", i);
  lwt_near(fabs(x.q[0]), 3.14159265358979324, 1e-10, "upright");
  study_free(&x);
  study y = study_of(chain(n, 1, 1, 0));
  memcpy(y.q, far, sizeof far);
  rest(&y, false);
  assert_int_equal(y.report.stability, LW_STABLE);
  study_free(&y);
}

/* ---- the four-bar, by hand and in 80 bits ---- */

typedef long double wide;
typedef struct {
  wide x[3][3]; /* of each bar: centre x, y, angle */
} bars;

/* a from (0, 0), 1 m; b and c 2 m each meet, c from (1, 0) */
static bars close_four_bar(wide angle)
{
  const wide bx = sinl(angle), by = -cosl(angle), dx = 1 - bx, dy = -by;
  const wide d = sqrtl(dx * dx + dy * dy), h = sqrtl(4 - d * d / 4);
  const wide px = bx + dx / 2 + h * dy / d, py = by + dy / 2 - h * dx / d;
  const bars s = {{{bx / 2, by / 2, angle},
                   {(bx + px) / 2, (by + py) / 2, atan2l(px - bx, by - py)},
                   {(1 + px) / 2, py / 2, atan2l(px - 1, -py)}}};
  return s;
}

static const wide mass[3] = {10, 20, 20}, size[3] = {1, 2, 2};

static wide potential(wide angle)
{
  const bars s = close_four_bar(angle);
  wide v = 0;
  for (int i = 0; i < 3; i++)
    v += mass[i] * (wide)9.81L * s.x[i][1];
  return v;
}

static wide slope(wide (*f)(wide), wide x)
{
  const wide h = 1e-3L;
  return (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) + f(x + 3 * h) -
          f(x - 3 * h)) /
         (60 * h);
}
static wide load(wide x)
{
  return slope(potential, x);
}

static wide inertia(wide angle)
{
  const wide h = 1e-3L;
  const bars a = close_four_bar(angle + h), b = close_four_bar(angle - h),
             c = close_four_bar(angle + 2 * h), d = close_four_bar(angle - 2 * h),
             e = close_four_bar(angle + 3 * h), f = close_four_bar(angle - 3 * h);
  wide m = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const wide v =
          (45 * (a.x[i][k] - b.x[i][k]) - 9 * (c.x[i][k] - d.x[i][k]) + e.x[i][k] - f.x[i][k]) /
          (60 * h);
      m += mass[i] * v * v * (k == 2 ? size[i] * size[i] / 12 : 1);
    }
  return m;
}

static void the_four_bar_rests_and_swings_as_its_reduction_by_hand(void **state)
{
  (void)state;
  wide low = -1, high = 0.5L;
  for (int i = 0; i < 70; i++) {
    const wide middle = (low + high) / 2;
    if (load(middle) > 0)
      high = middle;
    else
      low = middle;
  }
  study x = study_file("four-bar");
  rest(&x, false);
  lwt_near(x.q[0], (double)low, 1e-11, "crank angle");
  assert_int_equal(x.modes->n, 1);
  lwt_near(x.modes->mode[0].imaginary, (double)sqrtl(slope(load, low) / inertia(low)), 1e-9,
           "frequency");
  study_free(&x);
}

/* ---- gyroscopic ---- */

/* Roots s of A s^2 - i H s - mgl = 0 with H the spin momentum: i (H +- sqrt(H^2 - 4 A mgl)) / 2A. */
static void the_sleeping_top_precesses_and_nutates(void **state)
{
  (void)state;
  const double A = 0.02, spin = 60, momentum = 0.01 * spin, moment = 1.5 * g * 0.1;
  const double root = sqrt(momentum * momentum - 4 * A * moment);
  const double slow = (momentum - root) / (2 * A), fast = (momentum + root) / (2 * A);
  /* the inertia about the pivot is A: about the centre A - m l^2 */
  study x =
      study_text("{linkwork: 1, bodies: {fork: {mass: 1e-9, inertia: [1e-12, 1e-12, 1e-12]}, "
                 "top: {mass: 1.5, com: [0, 0, 0.1], inertia: [0.005, 0.005, 0.01]}}, joints: {"
                 "gimbal: {type: universal, parent: ground, child: fork, axis: x, axis2: y}, "
                 "spin: {type: revolute, parent: fork, child: top, u: 60}}}");
  linearize(&x, true);
  assert_int_equal(count(&x, LW_MODE_RIGID), 1);
  assert_int_equal(count(&x, LW_MODE_OSCILLATION), 2);
  lwt_near(x.modes->mode[1].imaginary, slow, 1e-6 * slow, "precession");
  lwt_near(x.modes->mode[2].imaginary, fast, 1e-6 * fast, "nutation");
  study_free(&x);
  /* displacements of a ball joint turn with the top: frequencies are seen from there */
  study y =
      study_text("{linkwork: 1, bodies: {top: {mass: 1.5, com: [0, 0, 0.1], inertia: [0.005, "
                 "0.005, 0.01]}}, joints: {ball: {type: spherical, parent: ground, child: top, "
                 "u: [0, 0, 60]}}}");
  linearize(&y, true);
  lwt_near(y.modes->mode[1].imaginary, spin - fast, 1e-9 * spin, "nutation seen from the top");
  lwt_near(y.modes->mode[2].imaginary, spin - slow, 1e-9 * spin, "precession seen from the top");
  study_free(&y);
}

static void a_slow_top_falls(void **state)
{
  (void)state;
  study y =
      study_text("{linkwork: 1, bodies: {top: {mass: 1.5, com: [0, 0, 0.1], inertia: [0.005, "
                 "0.005, 0.01]}}, joints: {ball: {type: spherical, parent: ground, child: top, "
                 "u: [0, 0, 20]}}}");
  linearize(&y, true);
  double most = -1;
  for (int i = 0; i < y.modes->n; i++)
    most = fmax(most, y.modes->mode[i].real);
  lwt_near(most, sqrt(4 * 0.02 * 1.5 * g * 0.1 - 0.04) / 0.04, 1e-9, "growth");
  study_free(&y);
}

/* ---- dampers, floating bodies, turning freely ---- */

static void a_damped_hinge_decays_as_it_should(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[500];
    const double c = k ? 5 : 0.3, K = 7, J = 0.4;
    snprintf(text, sizeof text,
             "{linkwork: 1, gravity: [0, 0, 0], bodies: {wheel: {mass: 1, inertia: [0.4, 0.4, "
             "0.4]}}, joints: {A: {type: revolute, parent: ground, child: wheel, q: 0.3}}, forces: "
             "{s: {type: joint_spring, joint: A, stiffness: 7, damping: %g, rest: 0.1}}}",
             c);
    study x = study_text(text);
    rest(&x, false);
    lwt_near(x.q[0], 0.1, 1e-14, "at rest where the spring is");
    const double inner = c * c - 4 * K * J;
    if (inner < 0) {
      assert_int_equal(x.modes->n, 1);
      lwt_near(x.modes->mode[0].real, -c / (2 * J), 1e-12, "decay");
      lwt_near(x.modes->mode[0].imaginary, sqrt(-inner) / (2 * J), 1e-12, "frequency");
      lwt_near(x.modes->mode[0].frequency, sqrt(K / J) / 6.283185307179586, 1e-12, "undamped");
      lwt_near(x.modes->mode[0].damping, c / (2 * sqrt(K * J)), 1e-12, "ratio");
    } else {
      assert_int_equal(count(&x, LW_MODE_REAL), 2);
      lwt_near(x.modes->mode[0].real, (-c + sqrt(inner)) / (2 * J), 1e-12, "slow");
      lwt_near(x.modes->mode[1].real, (-c - sqrt(inner)) / (2 * J), 1e-12, "fast");
    }
    study_free(&x);
  }
}

static void floating_bodies_have_six_rigid_modes(void **state)
{
  (void)state;
  study x = study_text(
      "{linkwork: 1, gravity: [0, 0, 0], bodies: {a: {mass: 2, inertia: [1, 2, 1.5]}, b: {mass: 3, "
      "inertia: [1, 1, 1.2], com: [0, 0.1, 0]}}, joints: {slide: {type: prismatic, parent: a, "
      "child: "
      "b, at: [0.3, 0, 0], axis: x, q: 0.2}}, forces: {s: {type: joint_spring, joint: slide, "
      "stiffness: 50}}}");
  rest(&x, false);
  assert_int_equal(x.report.stability, LW_NEUTRAL);
  assert_int_equal(x.report.neutral, 6);
  assert_int_equal(x.report.unstable, 0);
  assert_int_equal(count(&x, LW_MODE_RIGID), 6);
  assert_int_equal(x.modes->n, 7);
  study_free(&x);
}

static void a_free_hinge_with_a_damper_is_one_rigid_and_one_decaying_mode(void **state)
{
  (void)state;
  study x = study_text("{linkwork: 1, gravity: [0, 0, 0], bodies: {wheel: {mass: 1, inertia: [0.4, "
                       "0.4, 0.4]}}, joints: {A: {type: revolute, parent: ground, child: wheel}}, "
                       "forces: {s: {type: joint_spring, joint: A, stiffness: 0, damping: 2}}}");
  rest(&x, false);
  assert_int_equal(x.modes->n, 2);
  assert_int_equal(x.modes->mode[0].kind, LW_MODE_RIGID);
  lwt_near(x.modes->mode[1].real, -5, 1e-12, "decay");
  study_free(&x);
}

/* ---- closed loops with loads in them: the geometric stiffness is all there is ---- */

/* A mass hung from two crossed or parallel strings (distances) swings like a pendulum of their length. */
static void a_swing_on_two_rods_is_a_pendulum(void **state)
{
  (void)state;
  study x = study_text(
      "{linkwork: 1, planar: true, bodies: {seat: {mass: 4, inertia: 0.3}}, joints: {left: {type: "
      "distance, parent: ground, child: seat, at: [-0.5, 0], child_at: [-0.5, 0], length: 1.6}, "
      "right: "
      "{type: distance, parent: ground, child: seat, at: [0.5, 0], child_at: [0.5, 0], length: "
      "1.6}, "
      "base: {type: planar, parent: ground, child: seat, q: [0.3, -1.55, 0]}}}");
  rest(&x, false);
  assert_int_equal(x.l->n, 1);
  lwt_near(x.modes->mode[0].imaginary, sqrt(g / 1.6), 1e-10, "the seat does not turn");
  double load[6];
  lwt_ok(lw_static_loads(x.w, 0, x.q, NULL));
  lwt_ok(lw_joint_loads(x.w));
  lwt_ok(lw_get_constraint_load(x.w, (lw_constraint){1}, load));
  lwt_near(load[4], 2 * g, 1e-9, "half the weight");
  study_free(&x);
}

static void the_vehicle_settles_where_it_is_in_equilibrium(void **state)
{
  (void)state;
  lw_error err = {0};
  study x = study_file("hmmwv");
  double *q = calloc((size_t)lw_nq(x.m), sizeof *q), *u = calloc((size_t)lw_nu(x.m), sizeof *u);
  lw_simulation *sim = lw_simulation_new(x.m, NULL, &err);
  assert_string_equal(err.text, "");
  lwt_ok(lw_simulation_advance(sim, 10, q, u, &err));
  lw_simulation_free(sim);
  rest(&x, false);
  assert_int_equal(x.report.dof, 11);
  assert_int_equal(x.report.stability, LW_STABLE);
  lwt_close(q, x.q, lw_nq(x.m), 1e-7, 1, "after 10 s");
  for (int i = 0; i < x.modes->n; i++)
    assert_true(x.modes->mode[i].real < 0);
  double sum = 0, tau[64];
  lwt_ok(lw_static_loads(x.w, 0, x.q, tau));
  for (int i = 0; i < lw_nspring(x.m); i++) {
    lw_spring_state s;
    lwt_ok(lw_get_spring(x.w, i, &s));
    sum += s.tension < -1000;
  }
  assert_true(sum == 4); /* four springs carry it, four shock absorbers do nothing */
  free(q);
  free(u);
  study_free(&x);
}

/* ---- errors ---- */

static void what_cannot_rest_says_why(void **state)
{
  (void)state;
  lw_error err = {0};
  study x =
      study_text("{linkwork: 1, bodies: {stone: {mass: 1, inertia: [1, 1, 1]}}, joints: {drop: "
                 "{type: prismatic, parent: ground, child: stone}}}");
  x.q[0] = 0.25;
  assert_int_equal(lw_equilibrium(x.w, 0, x.q, NULL, NULL, &err), LW_E_NOT_CONVERGED);
  assert_non_null(strstr(err.text, "nothing holds joint \"drop\""));
  assert_true(x.q[0] == 0.25);
  assert_int_equal(lw_equilibrium(NULL, 0, x.q, NULL, NULL, &err), LW_E_ARG);
  assert_null(lw_linearize(NULL, 0, x.q, NULL, &err));
  assert_null(lw_modes_new(NULL, &err));
  lw_spring_state s;
  assert_int_equal(lw_get_spring(x.w, 0, &s), LW_E_ARG);
  study_free(&x);
  study y = study_file("four-bar");
  y.q[0] += 0.1;
  assert_int_equal(lw_equilibrium(y.w, 0, y.q, NULL, NULL, &err), LW_E_ARG);
  assert_non_null(strstr(err.text, "lw_close_loops"));
  assert_null(lw_linearize(y.w, 0, y.q, NULL, &err));
  study_free(&y);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_hangs_and_swings_as_the_textbook_says),
      cmocka_unit_test(an_inverted_chain_is_unstable_in_every_direction),
      cmocka_unit_test(the_four_bar_rests_and_swings_as_its_reduction_by_hand),
      cmocka_unit_test(the_sleeping_top_precesses_and_nutates),
      cmocka_unit_test(a_slow_top_falls),
      cmocka_unit_test(a_damped_hinge_decays_as_it_should),
      cmocka_unit_test(floating_bodies_have_six_rigid_modes),
      cmocka_unit_test(a_free_hinge_with_a_damper_is_one_rigid_and_one_decaying_mode),
      cmocka_unit_test(a_swing_on_two_rods_is_a_pendulum),
      cmocka_unit_test(the_vehicle_settles_where_it_is_in_equilibrium),
      cmocka_unit_test(what_cannot_rest_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
