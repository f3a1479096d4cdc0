/* SPDX-License-Identifier: Apache-2.0 */
/* Pendulums over time, against numbers from independent extended-precision programs
   (minimal coordinates, 80-bit: A01, the double pendulum, the light cart-pole). */
#include "model_texts.h"

#include "linkwork/simulate.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Coordinates and speeds at the times wanted, one row of nq + nu numbers each. */
static void states_at(const lw_model *m, const lw_simulation_options *o, const double times[],
                      int n, double *rows)
{
  lw_error err = {0};
  const int nq = lw_nq(m), width = nq + lw_nu(m);
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  assert_string_equal(err.text, "");
  for (int i = 0; i < n; i++) {
    lw_simulation_advance(sim, times[i], rows + i * width, rows + i * width + nq, &err);
    assert_string_equal(err.text, "");
  }
  lw_simulation_free(sim);
}

/* A point mass 1 m from the pivot, released at (-1, 0). */
static lw_model *simple_pendulum(void)
{
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  lw_body bob = lw_add_body(s, &(lw_body_desc){.name = "bob", .mass = 1, .com = {1}});
  lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = bob, .q = {pi}});
  return compile_model(s);
}

static void check_simple_pendulum(lw_integrator integrator, double rtol)
{
  static const double times[] = {1, 5, 10};
  static const double expected[][2] = {{0.986291751131875, -0.165010853125541},
                                       {-0.942305435043757, -0.334754338414001},
                                       {-0.275087462576115, -0.961419205099126}};
  lw_model *m = simple_pendulum();
  const lw_simulation_options o = {.end = 10, .rtol = rtol, .integrator = integrator};
  double rows[3][2];
  states_at(m, &o, times, 3, &rows[0][0]);
  for (int i = 0; i < 3; i++) {
    lwt_near(cos(rows[i][0]), expected[i][0], 1e-9, "x at t = %g", times[i]);
    lwt_near(sin(rows[i][0]), expected[i][1], 1e-9, "y at t = %g", times[i]);
  }
  lw_model_free(m);
}

static void the_simple_pendulum_is_where_it_should_be_by_default(void **state)
{
  (void)state;
  check_simple_pendulum(LW_INTEGRATOR_AUTO, 1e-12);
}

static void the_simple_pendulum_is_where_it_should_be_with_runge_kutta(void **state)
{
  (void)state;
  check_simple_pendulum(LW_INTEGRATOR_RK, 1e-12);
}

static void the_simple_pendulum_is_where_it_should_be_with_bdf(void **state)
{
  (void)state;
  check_simple_pendulum(LW_INTEGRATOR_BDF, 1e-13);
}

static void the_simple_pendulum_returns_after_its_period(void **state)
{
  (void)state;
  const double period = 2.3678419475762374;
  lw_model *m = simple_pendulum();
  double row[2];
  states_at(m, &(lw_simulation_options){.end = period, .rtol = 1e-12}, &period, 1, row);
  lwt_near(row[0], pi, 1e-9, "angle");
  lwt_near(row[1], 0, 1e-8, "rate");
  lw_model_free(m);
}

/* Uniform rods of 1 m and 1 kg, both angles pi/30 at rest, tolerances as in double-pendulum.yaml. */
static void the_double_pendulum_is_where_it_should_be(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  const lw_solid rod = {.type = LW_SOLID_ROD, .mass = 1, .length = 1, .axis = {0, -1, 0}};
  lw_set_gravity(s, 0, -9.81, 0);
  lw_body upper = lw_add_body(s, &(lw_body_desc){.name = "upper", .solid = rod});
  lw_body lower = lw_add_body(s, &(lw_body_desc){.name = "lower", .solid = rod});
  lw_add_joint(s,
               &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = upper, .q = {pi / 30}});
  lw_add_joint(s, &(lw_joint_desc){.name = "B",
                                   .type = LW_REVOLUTE,
                                   .parent = upper,
                                   .child = lower,
                                   .place = {.at = {0, -1}},
                                   .q = {pi / 30}});
  lw_model *m = compile_model(s);
  const double end = 5;
  double row[4];
  states_at(m, &(lw_simulation_options){.end = 5, .rtol = 1e-11, .atol = 1e-12}, &end, 1, row);
  lwt_near(row[0], 0.0859911692363, 1e-9, "q1 at t = 5");
  lw_model_free(m);
}

/* det M falls by 1e6 at each vertical crossing: the step must shrink there. */
static void the_light_cart_pole_passes_its_near_singular_points(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_set_planar(s);
  lw_body cart = lw_add_body(s, &(lw_body_desc){.name = "cart", .mass = 1e-6});
  lw_body bob = lw_add_body(s, &(lw_body_desc){.name = "bob", .mass = 1, .com = {0, -1}});
  lw_add_joint(s, &(lw_joint_desc){.name = "rail", .type = LW_PRISMATIC, .child = cart});
  lw_add_joint(
      s, &(lw_joint_desc){
             .name = "pin", .type = LW_REVOLUTE, .parent = cart, .child = bob, .q = {pi / 2}});
  lw_model *m = compile_model(s);
  const double end = 1;
  double row[4];
  states_at(m, &(lw_simulation_options){.end = 1, .rtol = 1e-12}, &end, 1, row);
  lwt_near(row[0], 1.998934624975155, 1e-7, "x at t = 1");
  lwt_near(row[1], -1.524675515758723, 1e-7, "theta at t = 1");
  lw_model_free(m);
}

/* An overdamped mass: m x'' + c x' + k x = 0 from rest at 1 is a sum of two exponentials. */
static void a_stiff_spring_settles_as_its_exponentials_say(void **state)
{
  (void)state;
  const double m_ = 2, c = 4e4, k = 8e5; /* rates -20 and -2e4, about */
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  lw_body mass = lw_add_body(s, &(lw_body_desc){.name = "mass", .mass = m_});
  lw_joint slide =
      lw_add_joint(s, &(lw_joint_desc){.name = "P", .type = LW_PRISMATIC, .child = mass, .q = {1}});
  lw_add_joint_spring(
      s, &(lw_joint_spring_desc){.name = "S", .joint = slide, .stiffness = k, .damping = c});
  lw_model *m = compile_model(s);

  const double root = sqrt(c * c / 4 - m_ * k), r1 = (-c / 2 + root) / m_,
               r2 = (-c / 2 - root) / m_;
  const double end = 0.1;
  const double expected = (r2 * exp(r1 * end) - r1 * exp(r2 * end)) / (r2 - r1);
  lw_error err;
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.end = end}, &err);
  double q, u;
  lwt_ok(lw_simulation_advance(sim, end, &q, &u, &err));
  lwt_near(q, expected, 1e-7, "position");
  const lw_simulation_statistics r = lw_simulation_report(sim);
  assert_non_null(strstr(r.method, "BDF")); /* the default noticed ... */
  assert_true(r.steps < 1000);              /* ... and explicit steps would be 2000 at least */
  lw_simulation_free(sim);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_simple_pendulum_is_where_it_should_be_by_default),
      cmocka_unit_test(the_simple_pendulum_is_where_it_should_be_with_runge_kutta),
      cmocka_unit_test(the_simple_pendulum_is_where_it_should_be_with_bdf),
      cmocka_unit_test(the_simple_pendulum_returns_after_its_period),
      cmocka_unit_test(the_double_pendulum_is_where_it_should_be),
      cmocka_unit_test(the_light_cart_pole_passes_its_near_singular_points),
      cmocka_unit_test(a_stiff_spring_settles_as_its_exponentials_say),
  };
  return cmocka_run_group_tests_name("closed_form/pendulum", tests, NULL, NULL);
}
