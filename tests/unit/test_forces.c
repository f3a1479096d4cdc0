/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of force against its definition (docs/format.md section 6): signs, axes, points, and the
   places where a formula has no direction. */
#include "lwt.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* one body of mass 2 and inertia 1, 2, 2.5 that floats at the origin, without gravity */
typedef struct {
  lw_spec *s;
  lw_body b;
} start;

static start start_new(const lw_start *at)
{
  start x = {.s = lw_spec_new()};
  lw_set_gravity(x.s, 0, 0, 0);
  x.b = lw_add_body(x.s,
                    &(lw_body_desc){.name = "b", .mass = 2, .inertia = {1, 2, 2.5}, .start = at});
  return x;
}

/* the load on the body about its centre, ground axes [torque; force], from its acceleration; and the
   potential energy.  The body must not turn. */
static double load_on_body(lw_spec *s, double t, double load[6])
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  lw_work *w = lw_work_new(m);
  double q[20], u[20], bias[20], T, U;
  lw_initial_state(m, q, u);
  lwt_ok(lw_bias(w, t, q, u, bias)); /* body axes: [torque; force] with the sign turned */
  lw_pose X;
  lwt_ok(lw_get_pose(w, (lw_body){1}, &X));
  const double c = X.quat[0], *e = X.quat + 1;
  for (int k = 0; k < 6; k += 3) { /* v + 2 e x (e x v + c v) */
    const double *v = bias + k;
    const double a[3] = {e[1] * v[2] - e[2] * v[1] + c * v[0], e[2] * v[0] - e[0] * v[2] + c * v[1],
                         e[0] * v[1] - e[1] * v[0] + c * v[2]};
    load[k] = -(v[0] + 2 * (e[1] * a[2] - e[2] * a[1]));
    load[k + 1] = -(v[1] + 2 * (e[2] * a[0] - e[0] * a[2]));
    load[k + 2] = -(v[2] + 2 * (e[0] * a[1] - e[1] * a[0]));
  }
  lwt_ok(lw_energy(w, q, u, &T, &U));
  lw_work_free(w);
  lw_model_free(m);
  return U;
}

static void expect(lw_spec *s, double tx, double ty, double tz, double fx, double fy, double fz,
                   const char *what)
{
  double load[6];
  load_on_body(s, 0.5, load);
  lwt_close(load, (double[]){tx, ty, tz, fx, fy, fz}, 6, 1e-14, 10, "%s", what);
}

static void a_spring_pulls_its_ends_together_when_it_is_long(void **state)
{
  (void)state;
  start x = start_new(NULL);
  lw_add_spring(x.s, &(lw_spring_desc){.name = "s",
                                       .from_at = {3, 0, 0},
                                       .to = x.b,
                                       .to_at = {0, 1, 0},
                                       .stiffness = 10,
                                       .length = 2});
  const double l = sqrt(10), f = 10 * (l - 2);
  expect(x.s, 0, 0, -3 * f / l, 3 * f / l, -f / l, 0, "tension");
  x = start_new(NULL);
  lw_add_spring(x.s,
                &(lw_spring_desc){
                    .name = "s", .from = x.b, .to_at = {1, 0, 0}, .stiffness = 10, .length = 2});
  expect(x.s, 0, 0, 0, -10, 0, 0, "pressure");
}

static void a_damper_resists_the_rate_of_its_length(void **state)
{
  (void)state;
  const lw_start moving = {.linear = {0.5, 7, 0}};
  start x = start_new(&moving);
  lw_add_spring(x.s, &(lw_spring_desc){.name = "s", .to = x.b, .from_at = {3, 0, 0}, .damping = 4});
  expect(x.s, 0, 0, 0, -2, 0, 0, "approaching: pushed back"); /* no turning, so no other terms */
}

static void a_spring_of_length_zero_has_no_force(void **state)
{
  (void)state;
  const lw_start moving = {.linear = {0.5, 7, 0}};
  start x = start_new(&moving);
  lw_add_spring(
      x.s, &(lw_spring_desc){.name = "s", .to = x.b, .stiffness = 10, .damping = 3, .length = 2});
  expect(x.s, 0, 0, 0, 0, 0, 0, "ends coincide");
}

static void a_load_acts_at_its_point_in_its_axes(void **state)
{
  (void)state;
  const lw_start turned = {.pose.orient = {LW_ORIENT_AXIS_ANGLE, {0, 0, 1, pi / 2}}};
  start x = start_new(&turned);
  lw_add_load(
      x.s, &(lw_load_desc){
               .name = "s", .body = x.b, .at = {1, 0, 0}, .force = {2, 0, 0}, .torque = {0, 0, 5}});
  expect(x.s, 0, 0, 5 - 2, 2, 0, 0, "ground axes: the point is at y = 1");
  x = start_new(&turned);
  lw_add_load(x.s, &(lw_load_desc){.name = "s",
                                   .body = x.b,
                                   .at = {0, 1, 0},
                                   .force = {2, 0, 0},
                                   .torque = {3, 0, 0},
                                   .body_axes = true});
  expect(x.s, 0, 3, -2, 0, 2, 0, "body axes");
}

static void loads_follow_time_state_and_parameters(void **state)
{
  (void)state;
  const lw_start moving = {.pose.at = {3, 0, 0}, .linear = {0.25, 0, 0}};
  start x = start_new(&moving);
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "k", .value = 4});
  lw_add_load(x.s, &(lw_load_desc){.name = "s",
                                   .body = x.b,
                                   .force = {lw_expr(x.s, "k*t"), lw_expr(x.s, "k*q.b.1"),
                                             lw_expr(x.s, "k*u.b.4")}});
  expect(x.s, 0, 0, 0, 2, 12, 1, "t = 0.5, x = 3, u = 0.25");
}

/* the potential of a bushing and minus its gradient; the load acts at the child's joint origin */
static void a_bushing_pulls_back_to_where_the_frames_meet(void **state)
{
  (void)state;
  const lw_start away = {.pose = {{0.1, 0.2, 0.3}, {LW_ORIENT_AXIS_ANGLE, {1, 0, 0, 0.4}}}};
  start x = start_new(&away);
  double load[6];
  lw_add_bushing(x.s, &(lw_bushing_desc){.name = "s",
                                         .child = x.b,
                                         .stiffness = {10, 20, 30},
                                         .angular_stiffness = {5, 6, 7}});
  const double U = load_on_body(x.s, 0, load);
  lwt_close(load, (double[]){-2, 0, 0, -1, -4, -9}, 6, 1e-14, 10, "load");
  lwt_near(U, 0.5 * (10 * 0.01 + 20 * 0.04 + 30 * 0.09) + 0.5 * 5 * 0.16, 1e-14, "potential");
}

/* up to half a turn the rotation vector has the length of the turn, at half a turn its sign is open */
static void a_bushing_turned_by_half_a_turn_is_wound_up_the_most(void **state)
{
  (void)state;
  const double gap[] = {1e-3, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12, 0};
  const double axes[][3] = {
      {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, -0.8}, {-2. / 3, 1. / 3, 2. / 3}};
  for (int a = 0; a < 5; a++)
    for (int g = 0; g < 7; g++) {
      const double angle = pi - gap[g], *v = axes[a];
      const lw_start turned = {.pose.orient = {LW_ORIENT_AXIS_ANGLE, {v[0], v[1], v[2], angle}}};
      start x = start_new(&turned);
      double load[6], along = 0;
      lw_add_bushing(x.s,
                     &(lw_bushing_desc){.name = "s", .child = x.b, .angular_stiffness = {3, 3, 3}});
      const double U = load_on_body(x.s, 0, load);
      lwt_near(U, 1.5 * angle * angle, 1e-6, "axis %d, gap %g: potential", a, gap[g]);
      for (int i = 0; i < 3; i++)
        along -= load[i] * v[i];
      if (gap[g] < 1e-9) along = fabs(along);
      lwt_near(along, 3 * angle, 1e-6, "axis %d, gap %g: torque", a, gap[g]);
    }
}

/* ---- forces of joints ---- */

/* udot of a body with unit inertia about the joint's axis */
static double joint_load(lw_motor_desc motor, lw_joint_spring_desc spring, double q, double u,
                         double *potential)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  const lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
  const lw_joint j =
      lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = b});
  motor.name = "m", motor.joint = j, spring.name = "k", spring.joint = j;
  lw_add_motor(s, &motor);
  lw_add_joint_spring(s, &spring);
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  lw_work *w = lw_work_new(m);
  double udot, T;
  lwt_ok(lw_forward_dynamics(w, 0, &q, &u, NULL, &udot));
  lwt_ok(lw_energy(w, &q, &u, &T, potential));
  lw_work_free(w);
  lw_model_free(m);
  return udot;
}

static void a_motor_drives_its_coordinate_up(void **state)
{
  (void)state;
  double U;
  lwt_near(joint_load((lw_motor_desc){.value = 3}, (lw_joint_spring_desc){0}, 0, 0, &U), 3, 1e-15,
           "motor");
  lwt_near(U, 0, 0, "a motor has no potential");
}

static void a_joint_spring_pulls_back_to_its_rest(void **state)
{
  (void)state;
  double U;
  const lw_joint_spring_desc d = {.dof = 1, .stiffness = 4, .damping = 0.5, .rest = 0.25};
  lwt_near(joint_load((lw_motor_desc){0}, d, 1, 2, &U), -4 * 0.75 - 0.5 * 2, 1e-15, "load");
  lwt_near(U, 0.5 * 4 * 0.75 * 0.75, 1e-15, "potential");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_pulls_its_ends_together_when_it_is_long),
      cmocka_unit_test(a_damper_resists_the_rate_of_its_length),
      cmocka_unit_test(a_spring_of_length_zero_has_no_force),
      cmocka_unit_test(a_load_acts_at_its_point_in_its_axes),
      cmocka_unit_test(loads_follow_time_state_and_parameters),
      cmocka_unit_test(a_bushing_pulls_back_to_where_the_frames_meet),
      cmocka_unit_test(a_bushing_turned_by_half_a_turn_is_wound_up_the_most),
      cmocka_unit_test(a_motor_drives_its_coordinate_up),
      cmocka_unit_test(a_joint_spring_pulls_back_to_its_rest),
  };
  return cmocka_run_group_tests_name("unit/forces", tests, NULL, NULL);
}
