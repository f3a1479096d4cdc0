/* SPDX-License-Identifier: Apache-2.0 */
/* Solids against integrals over their volume, and bodies without inertia: docs/format.md section 2. */
#include "lwt.h"
#include "linkwork/query.h"
#include "linkwork/realtime.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static lw_model *compile(lw_spec *s)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("%s", err.text);
  return m;
}

/* ---- mass, first and second moments about the body origin, body axes ---- */

typedef struct {
  double mass, h[3], S[3][3]; /* int 1, int r, int r r' dm */
} moments;

/* from the mass matrix [ J m c~ ; -m c~ m 1 ] of the body alone, floating at the identity */
static moments moments_of(lw_body_desc d)
{
  lw_spec *s = lw_spec_new();
  d.name = "b";
  lw_add_body(s, &d);
  lw_model *m = compile(s);
  lw_work *w = lw_work_new(m);
  double M[36], q[7], u[6];
  lw_initial_state(m, q, u);
  lwt_ok(lw_mass_matrix(w, q, M));
  moments a = {.mass = M[3 * 6 + 3], .h = {M[2 * 6 + 4], M[0 * 6 + 5], M[1 * 6 + 3]}};
  lwt_near(M[4 * 6 + 4], a.mass, 0, "mass in y");
  lwt_near(M[1 * 6 + 5], -a.h[0], 1e-15 * a.mass, "skew part");
  /* J = tr(S) 1 - S */
  const double trace = (M[0] + M[7] + M[14]) / 2;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a.S[i][j] = (i == j ? trace : 0) - M[i * 6 + j];
  lwt_near(lw_body_mass(m, (lw_body){1}), a.mass, 0, "lw_body_mass");
  lw_work_free(w);
  lw_model_free(m);
  return a;
}

static void add_point(moments *a, double dm, const double r[3])
{
  a->mass += dm;
  for (int i = 0; i < 3; i++) {
    a->h[i] += dm * r[i];
    for (int j = 0; j < 3; j++)
      a->S[i][j] += dm * r[i] * r[j];
  }
}

static void expect(const lw_solid *solid, moments want, const char *what)
{
  const moments a = moments_of((lw_body_desc){.solid = *solid});
  const double size = want.S[0][0] + want.S[1][1] + want.S[2][2];
  lwt_near(a.mass, want.mass, 1e-13 * want.mass, "%s: mass", what);
  lwt_close(a.h, want.h, 3, 1e-13, sqrt(want.mass * size), "%s: centre", what);
  lwt_close(&a.S[0][0], &want.S[0][0], 9, 1e-13, size, "%s: inertia", what);
}

/* Gauss's rule with four points: exact for polynomials up to degree 7 */
static const double node[4] = {-0.86113631159405258, -0.33998104358485626, 0.33998104358485626,
                               0.86113631159405258};
static const double weight[4] = {0.34785484513745386, 0.65214515486254614, 0.65214515486254614,
                                 0.34785484513745386};

/* two unit vectors across a, and a */
static void frame_along(const double axis[3], double F[3][3])
{
  const double n = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double a[3], b[3] = {0}, s = 0;
  int least = 0;
  for (int i = 0; i < 3; i++)
    a[i] = axis[i] / n;
  for (int i = 1; i < 3; i++)
    if (fabs(a[i]) < fabs(a[least])) least = i;
  b[least] = 1;
  for (int i = 0; i < 3; i++)
    b[i] -= a[least] * a[i];
  for (int i = 0; i < 3; i++)
    s += b[i] * b[i];
  for (int i = 0; i < 3; i++)
    F[0][i] = b[i] / sqrt(s), F[2][i] = a[i];
  for (int i = 0; i < 3; i++)
    F[1][i] = a[(i + 1) % 3] * F[0][(i + 2) % 3] - a[(i + 2) % 3] * F[0][(i + 1) % 3];
}

static void add_at(moments *a, double dm, const double at[3], double F[3][3], double x, double y,
                   double z)
{
  double r[3];
  for (int i = 0; i < 3; i++)
    r[i] = at[i] + x * F[0][i] + y * F[1][i] + z * F[2][i];
  add_point(a, dm, r);
}

/* int over r, angle, z; sums over the angle are exact for the harmonics that occur */
static moments integrate_cylinder(const lw_solid *d, double density, const double axis[3])
{
  moments a = {0};
  double F[3][3];
  frame_along(axis, F);
  const double R = d->radius, L = d->length;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 4; k++) {
        const double r = R * (1 + node[i]) / 2, angle = j * pi / 4, z = L * node[k] / 2;
        const double dV = weight[i] * R / 2 * r * (2 * pi / 8) * weight[k] * L / 2;
        add_at(&a, density * dV, d->at, F, r * cos(angle), r * sin(angle), z);
      }
  return a;
}

static moments integrate_sphere(const lw_solid *d, double density)
{
  moments a = {0};
  const double z_axis[3] = {0, 0, 1}, R = d->radius;
  double F[3][3];
  frame_along(z_axis, F);
  for (int i = 0; i < 4; i++) /* r^4: within degree 7 */
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 4; k++) {
        const double r = R * (1 + node[i]) / 2, angle = j * pi / 4, c = node[k],
                     s = sqrt(1 - c * c);
        const double dV = weight[i] * R / 2 * r * r * (2 * pi / 8) * weight[k];
        add_at(&a, density * dV, d->at, F, r * s * cos(angle), r * s * sin(angle), r * c);
      }
  return a;
}

static moments integrate_box(const lw_solid *d, double density)
{
  moments a = {0};
  const double *s = d->size;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) {
        const double r[3] = {d->at[0] + s[0] * node[i] / 2, d->at[1] + s[1] * node[j] / 2,
                             d->at[2] + s[2] * node[k] / 2};
        add_point(&a, density * weight[i] * weight[j] * weight[k] * s[0] * s[1] * s[2] / 8, r);
      }
  return a;
}

/* ---- solids ---- */

static void a_box_is_its_integral(void **state)
{
  (void)state;
  lw_solid d = {
      .type = LW_SOLID_BOX, .size = {0.3, 0.5, 0.7}, .at = {0.1, -0.2, 0.4}, .density = 800};
  expect(&d, integrate_box(&d, 800), "density");
  d.density = 0, d.mass = 3;
  expect(&d, integrate_box(&d, 3 / (0.3 * 0.5 * 0.7)), "mass");
}

static void a_sphere_is_its_integral(void **state)
{
  (void)state;
  lw_solid d = {.type = LW_SOLID_SPHERE, .radius = 0.4, .at = {0.1, -0.2, 0.4}, .density = 800};
  expect(&d, integrate_sphere(&d, 800), "density");
  d.density = 0, d.mass = 3;
  expect(&d, integrate_sphere(&d, 3 / (4 * pi / 3 * 0.4 * 0.4 * 0.4)), "mass");
}

static void a_cylinder_is_its_integral(void **state)
{
  (void)state;
  const double z[3] = {0, 0, 1}, skew[3] = {1, -2, 3};
  lw_solid d = {.type = LW_SOLID_CYLINDER,
                .radius = 0.2,
                .length = 0.9,
                .at = {0.1, -0.2, 0.4},
                .density = 800};
  expect(&d, integrate_cylinder(&d, 800, z), "along z by default");
  memcpy(d.axis, skew, sizeof skew); /* a vector of any length */
  expect(&d, integrate_cylinder(&d, 800, skew), "along any direction");
  d.density = 0, d.mass = 3;
  expect(&d, integrate_cylinder(&d, 3 / (pi * 0.2 * 0.2 * 0.9), skew), "mass");
}

/* moments about the centre, from those about the origin */
static void central_inertia(const moments *a, double J[3][3])
{
  double C[3][3], trace = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[i][j] = a->S[i][j] - a->h[i] * a->h[j] / a->mass;
  for (int i = 0; i < 3; i++)
    trace += C[i][i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      J[i][j] = (i == j ? trace : 0) - C[i][j];
}

/* docs/format.md 2.2: not the cylinder's m (3 r^2 + L^2)/12 */
static void a_rod_has_exactly_a_twelfth_of_mass_times_length_squared(void **state)
{
  (void)state;
  const double L = 0.9, m = 3;
  double J[3][3];
  moments a = moments_of(
      (lw_body_desc){.solid = {.type = LW_SOLID_ROD, .length = L, .mass = m, .axis = {1, 0, 0}}});
  lwt_close(a.h, (double[]){m * L / 2, 0, 0}, 3, 1e-15, m * L, "starts at the origin");
  central_inertia(&a, J);
  const double r = L / 200, tol = 4 * DBL_EPSILON * m * L * L;
  lwt_near(J[1][1], m * L * L / 12, tol, "transverse");
  lwt_near(J[2][2], m * L * L / 12, tol, "transverse");
  lwt_near(J[0][0], m * r * r / 2, tol, "axial, radius L/200 by default");

  a = moments_of((lw_body_desc){
      .solid = {.type = LW_SOLID_ROD, .length = L, .mass = m, .radius = 0.1, .at = {1, 2, 3}}});
  lwt_close(a.h, (double[]){m, 2 * m, m * (3 + L / 2)}, 3, 1e-15, 4 * m, "along z by default");
  central_inertia(&a, J);
  lwt_near(J[0][0], m * L * L / 12, 1e-13, "transverse, far away");
  lwt_near(J[2][2], m * 0.1 * 0.1 / 2, 1e-13, "axial, radius given");
}

static void a_rod_may_lie_along_any_direction(void **state)
{
  (void)state;
  const double L = 0.9, m = 3, axis[3] = {2, -1, 2}, u[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
  double J[3][3];
  const moments a = moments_of((lw_body_desc){.solid = {.type = LW_SOLID_ROD,
                                                        .length = L,
                                                        .mass = m,
                                                        .axis = {axis[0], axis[1], axis[2]},
                                                        .at = {0.1, 0.2, 0.3}}});
  const double r = L / 200, across = m * L * L / 12, along = m * r * r / 2;
  central_inertia(&a, J);
  for (int i = 0; i < 3; i++) {
    lwt_near(a.h[i], m * (0.1 * (i + 1) + u[i] * L / 2), 1e-15 * m, "centre");
    for (int j = 0; j < 3; j++)
      lwt_near(J[i][j], (i == j ? across : 0) + (along - across) * u[i] * u[j], 1e-15, "%d %d", i,
               j);
  }
}

/* on a spherical joint: a floating one has no rotations to weigh */
static void a_point_has_mass_and_nothing_else(void **state)
{
  (void)state;
  const double m = 3, c[3] = {0.1, -0.2, 0.4};
  lw_spec *s = lw_spec_new();
  const lw_body b = lw_add_body(
      s, &(lw_body_desc){.name = "b",
                         .solid = {.type = LW_SOLID_POINT, .mass = m, .at = {0.1, -0.2, 0.4}}});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_SPHERICAL, .child = b});
  lw_model *model = compile(s);
  lw_work *w = lw_work_new(model);
  double M[9], q[4], u[3], mass, p[3];
  lw_initial_state(model, q, u);
  lwt_ok(lw_mass_matrix(w, q, M));
  for (int i = 0; i < 9; i++)
    lwt_near(M[i], m * ((i % 4 == 0 ? 0.21 : 0) - c[i / 3] * c[i % 3]), 1e-15, "entry %d", i);
  lwt_ok(lw_kinematics(w, q, u));
  lwt_ok(lw_mass_center(w, &mass, p));
  lwt_near(mass, m, 0, "mass");
  lwt_close(p, c, 3, 1e-15, 1, "centre");
  lw_work_free(w);
  lw_model_free(model);
}

/* six numbers are the entries of the matrix itself, as in URDF */
static void products_of_inertia_are_entries_of_the_matrix(void **state)
{
  (void)state;
  moments cloud = {0};
  const double points[3][3] = {{0.3, 0.4, -0.1}, {-0.2, 0.1, 0.5}, {0.1, -0.3, -0.2}};
  for (int i = 0; i < 3; i++)
    add_point(&cloud, 2, points[i]);
  double J[3][3];
  central_inertia(&cloud, J);
  lw_body_desc d = {.mass = cloud.mass,
                    .inertia = {J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]}};
  for (int i = 0; i < 3; i++)
    d.com[i] = cloud.h[i] / cloud.mass;
  const moments a = moments_of(d);
  lwt_close(&a.S[0][0], &cloud.S[0][0], 9, 1e-15, 1, "second moments");
}

/* ---- particles ---- */

typedef struct {
  lw_model *m;
  lw_work *w;
  double q[20], u[20], udot[20];
} rig;

static rig rig_of(lw_spec *s)
{
  rig r = {.m = compile(s)};
  r.w = lw_work_new(r.m);
  assert_true(lw_nq(r.m) <= 20);
  lw_initial_state(r.m, r.q, r.u);
  return r;
}

static void rig_free(rig *r)
{
  lw_work_free(r->w);
  lw_model_free(r->m);
}

static void a_floating_particle_falls_without_turning(void **state)
{
  (void)state;
  const double h = sqrt(0.5);
  const lw_start start = {.pose = {{1, 2, 3}, {LW_ORIENT_QUAT, {h, h, 0, 0}}}, .linear = {1, 0, 0}};
  lw_spec *s = lw_spec_new();
  lw_add_body(s, &(lw_body_desc){.name = "p", .mass = 2, .com = {0.5, 0, 0}, .start = &start});
  rig r = rig_of(s);
  assert_int_equal(lw_nu(r.m), 6);
  assert_int_equal(lw_dof_of_tree(r.m), 3); /* its rotations are none of its freedoms */
  double A[6], t = 0;
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  lwt_close(r.udot, (double[]){0, 0, 0}, 3, 0, 1, "udot of the rotations");
  lwt_ok(lw_get_acceleration(r.w, (lw_body){1}, A));
  lwt_close(A, (double[]){0, 0, 0, 0, 0, -9.81}, 6, 1e-14, 10, "acceleration");
  for (int i = 0; i < 100; i++)
    lwt_ok(lw_step(r.w, LW_INTEGRATOR_RK4, 0.01, NULL, &t, r.q, r.u));
  lwt_close(r.q, (double[]){2, 2, 3 - 9.81 / 2, h, h, 0, 0}, 7, 1e-12, 1, "after a second");
  rig_free(&r);
}

static void a_planar_particle_has_two_freedoms(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_set_planar(s);
  lw_add_body(s, &(lw_body_desc){.name = "p", .mass = 2, .com = {0.5, 0, 0}});
  rig r = rig_of(s);
  assert_int_equal(lw_nu(r.m), 3);
  assert_int_equal(lw_dof_of_tree(r.m), 2);
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  lwt_close(r.udot, (double[]){0, 0, -9.81}, 3, 1e-14, 10, "udot");
  rig_free(&r);
}

static void a_written_free_joint_floats_a_particle_in_the_same_way(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  const lw_body p = lw_add_body(s, &(lw_body_desc){.name = "p", .mass = 2});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_FREE, .child = p});
  rig r = rig_of(s);
  assert_int_equal(lw_dof_of_tree(r.m), 3);
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  lwt_close(r.udot, (double[]){0, 0, 0, 0, 0, -9.81}, 6, 1e-14, 10, "udot");
  rig_free(&r);
}

/* only particles lose their rotations */
static void freedoms_are_counted_without_the_rotations_of_particles(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_add_body(s, &(lw_body_desc){.name = "p", .mass = 2});
  lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 2, .inertia = {1, 1, 1}});
  const lw_body c = lw_add_body(s, &(lw_body_desc){.name = "c", .mass = 2, .com = {1, 0, 0}});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = c});
  rig r = rig_of(s);
  assert_int_equal(lw_nu(r.m), 13);
  assert_int_equal(lw_dof_of_tree(r.m), 10);
  rig_free(&r);
}

/* springs at their centres act on particles as on anything else */
static void two_particles_on_a_spring_pull_each_other(void **state)
{
  (void)state;
  const lw_start at = {.pose.at = {2, 0, 0}};
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, 0, 0);
  const lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 2});
  const lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 4, .start = &at});
  lw_add_spring(s,
                &(lw_spring_desc){.name = "s", .from = a, .to = b, .stiffness = 10, .length = 0.5});
  rig r = rig_of(s);
  assert_int_equal(lw_dof_of_tree(r.m), 6);
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  lwt_close(r.udot, (double[]){0, 0, 0, 7.5, 0, 0, 0, 0, 0, -3.75, 0, 0}, 12, 1e-15, 10, "udot");
  rig_free(&r);
}

/* mass 2 at distance 1.5 below the pivot, turning about y: theta'' = -g/L sin(theta) */
static void a_point_mass_pendulum_swings_as_it_must(void **state)
{
  (void)state;
  const double L = 1.5, g = 9.81, m = 2;
  lw_spec *s = lw_spec_new();
  const lw_body p = lw_add_body(s, &(lw_body_desc){.name = "p", .mass = m, .com = {0, 0, -L}});
  lw_add_joint(
      s,
      &(lw_joint_desc){
          .name = "j", .type = LW_REVOLUTE, .child = p, .axis = {0, 1, 0}, .q = {0.4}, .u = {0.7}});
  rig r = rig_of(s);
  double load[6], T, U;
  assert_int_equal(lw_dof_of_tree(r.m), 1);
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  lwt_near(r.udot[0], -g / L * sin(0.4), 1e-14, "udot");
  lwt_ok(lw_joint_loads(r.w));
  lwt_ok(lw_get_load(r.w, (lw_joint){1}, load));
  /* along the rod: m g cos + m L u^2, across nothing, no couple: a string would do */
  const double tension = m * g * cos(0.4) + m * L * 0.7 * 0.7;
  lwt_close(load, (double[]){0, 0, 0, tension * sin(0.4), 0, tension * cos(0.4)}, 6, 1e-14, tension,
            "load");
  lwt_ok(lw_energy(r.w, r.q, r.u, &T, &U));
  lwt_near(T, 0.5 * m * L * L * 0.49, 1e-14, "kinetic energy");
  lwt_near(U, -m * g * L * cos(0.4), 1e-13, "potential energy");
  rig_free(&r);
}

/* two point masses on massless rods, the textbook's double pendulum */
static void a_double_pendulum_of_particles_follows_the_textbook(void **state)
{
  (void)state;
  const double m1 = 2, m2 = 3, l1 = 1.2, l2 = 0.7, g = 9.81, a = 0.5, b = -0.9, wa = 1.1, wb = -0.6;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -g, 0);
  const lw_body p1 = lw_add_body(s, &(lw_body_desc){.name = "p1", .mass = m1, .com = {0, -l1, 0}});
  const lw_body p2 = lw_add_body(s, &(lw_body_desc){.name = "p2", .mass = m2, .com = {0, -l2, 0}});
  lw_add_joint(
      s, &(lw_joint_desc){.name = "j1", .type = LW_REVOLUTE, .child = p1, .q = {a}, .u = {wa}});
  lw_add_joint(s, &(lw_joint_desc){.name = "j2",
                                   .type = LW_REVOLUTE,
                                   .parent = p1,
                                   .child = p2,
                                   .place.at = {0, -l1, 0},
                                   .q = {b - a},
                                   .u = {wb - wa}});
  rig r = rig_of(s);
  lwt_ok(lw_forward_dynamics(r.w, 0, r.q, r.u, NULL, r.udot));
  /* absolute angles: M [a'' b''] = f */
  const double c = cos(a - b), sn = sin(a - b);
  const double M[3] = {(m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l2 * l2};
  const double f[2] = {-m2 * l1 * l2 * wb * wb * sn - (m1 + m2) * g * l1 * sin(a),
                       m2 * l1 * l2 * wa * wa * sn - m2 * g * l2 * sin(b)};
  const double det = M[0] * M[2] - M[1] * M[1];
  const double aa = (M[2] * f[0] - M[1] * f[1]) / det, bb = (M[0] * f[1] - M[1] * f[0]) / det;
  lwt_near(r.udot[0], aa, 1e-12, "first angle");
  lwt_near(r.udot[1], bb - aa, 1e-12, "second angle");
  rig_free(&r);
}

/* A particle that can spin about the line to its joint has a singular mass matrix in every pose, and
   rounding must not hide it: a pivot of 1e-17 is no pivot. */
static void a_particle_that_can_spin_is_always_found_singular(void **state)
{
  (void)state;
  lwt_random r = lwt_seed(1);
  for (unsigned n = 0; n < 1000; n++) {
    double c[3];
    lwt_unit_vector(&r, c);
    lw_spec *s = lw_spec_new();
    const lw_body p =
        lw_add_body(s, &(lw_body_desc){.name = "p", .mass = 1, .com = {c[0], c[1], c[2]}});
    lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_SPHERICAL, .child = p});
    rig g = rig_of(s);
    lwt_random_state(g.m, n, g.q, g.u);
    const lw_status status = lw_forward_dynamics(g.w, 0, g.q, g.u, NULL, g.udot);
    if (status != LW_E_SINGULAR)
      fail_msg("state %u: %s, udot %g %g %g", n, lw_status_text(status), g.udot[0], g.udot[1],
               g.udot[2]);
    rig_free(&g);
  }
}

/* thin rods, light tips, heavy tips: nothing that has inertia is called singular */
static void bodies_with_little_inertia_are_not_singular(void **state)
{
  (void)state;
  const double small[] = {1e-3, 1e-6, 1e-8, 1e-10};
  for (int i = 0; i < 4; i++) {
    lw_spec *s = lw_spec_new();
    const lw_body p = lw_add_body(s, &(lw_body_desc){.name = "p",
                                                     .mass = 1,
                                                     .com = {0.6, 0, 0.8},
                                                     .inertia = {small[i], small[i], small[i]}});
    lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_SPHERICAL, .child = p});
    rig g = rig_of(s);
    for (unsigned n = 0; n < 20; n++) {
      lwt_random_state(g.m, n, g.q, g.u);
      lwt_ok(lw_forward_dynamics(g.w, 0, g.q, g.u, NULL, g.udot));
    }
    rig_free(&g);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_is_its_integral),
      cmocka_unit_test(a_sphere_is_its_integral),
      cmocka_unit_test(a_cylinder_is_its_integral),
      cmocka_unit_test(a_rod_has_exactly_a_twelfth_of_mass_times_length_squared),
      cmocka_unit_test(a_rod_may_lie_along_any_direction),
      cmocka_unit_test(a_point_has_mass_and_nothing_else),
      cmocka_unit_test(products_of_inertia_are_entries_of_the_matrix),
      cmocka_unit_test(a_floating_particle_falls_without_turning),
      cmocka_unit_test(a_planar_particle_has_two_freedoms),
      cmocka_unit_test(a_written_free_joint_floats_a_particle_in_the_same_way),
      cmocka_unit_test(freedoms_are_counted_without_the_rotations_of_particles),
      cmocka_unit_test(two_particles_on_a_spring_pull_each_other),
      cmocka_unit_test(a_point_mass_pendulum_swings_as_it_must),
      cmocka_unit_test(a_double_pendulum_of_particles_follows_the_textbook),
      cmocka_unit_test(a_particle_that_can_spin_is_always_found_singular),
      cmocka_unit_test(bodies_with_little_inertia_are_not_singular),
  };
  return cmocka_run_group_tests_name("unit/solids", tests, NULL, NULL);
}
