/* SPDX-License-Identifier: Apache-2.0 */
/* Armature of joints against rotors that are bodies of their own, geared to the joints: accelerations, loads,
   energies, runs through events and their derivatives, in all formulations; and M + diag(armature). */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, ROTORS = 60 };

/* ---- random mechanisms ---- */

typedef struct {
  int n, joint[ROTORS], dof[ROTORS];
  double inertia[ROTORS];
} rotors;

static bool has_rates(lw_joint_type type)
{
  return type != LW_FIXED && type != LW_SPHERICAL && type != LW_FREE;
}

/* the last body's distance from a point of the ground: a loop that is closed at the random state */
static void close_loop(lwt_parts *p, unsigned seed)
{
  const double at[3] = {0.3, -2, p->planar ? 0 : 0.4};
  lwt_case c = lwt_case_of(lwt_parts_compile(p), seed);
  lw_pose pose;
  const double *x = pose.p;
  lwt_ok(lw_kinematics(c.w, c.q, c.u));
  lwt_ok(lw_get_pose(c.w, (lw_body){p->nbody}, &pose));
  lwt_case_free(&c);
  p->nconstraint = 1;
  p->constraint[0].d =
      (lw_constraint_desc){.name = "loop",
                           .type = LW_DISTANCE,
                           .child = {p->nbody},
                           .place = {.at = {at[0], at[1], at[2]}},
                           .length = hypot(hypot(x[0] - at[0], x[1] - at[1]), x[2] - at[2])};
}

static lwt_parts *random_mechanism(unsigned seed, bool loop, rotors *x)
{
  const lwt_recipe d = {.seed = seed,
                        .nbody = 3 + (int)seed % 5,
                        .branching = seed % 3 == 0,
                        .floating = seed % 7 == 3,
                        .planar = seed % 5 == 4,
                        .forces = seed % 2 == 0};
  lwt_parts *p = lwt_random_parts(&d);
  lwt_random r = lwt_seed(900 + seed);
  x->n = 0;
  for (int i = 0; i < p->njoint; i++)
    for (int k = 0;
         has_rates(p->joint[i].type) && k < lw_joint_type_nu(p->joint[i].type, p->planar); k++) {
      if (lwt_pick(&r, 3) == 0) continue;
      const double a = exp(lwt_uniform(&r, -7, 3)); /* 0.001 to 20 */
      x->joint[x->n] = i + 1, x->dof[x->n] = k + 1, x->inertia[x->n++] = a;
      p->joint[i].armature[k] = a;
    }
  if (loop) close_loop(p, seed);
  return p;
}

/* the same with a body for each rotor, on the ground and geared to its freedom */
static lwt_parts *with_bodies(const lwt_parts *p, const rotors *x, char (*name)[2][16])
{
  lwt_parts *b = malloc(sizeof *b);
  assert_non_null(b);
  *b = *p;
  b->nbody += x->n, b->njoint += x->n, b->nconstraint += x->n;
  b->body = calloc((size_t)b->nbody + 1, sizeof *b->body);
  b->joint = calloc((size_t)b->njoint + 1, sizeof *b->joint);
  b->constraint = calloc((size_t)b->nconstraint + 1, sizeof *b->constraint);
  assert_true(b->body && b->joint && b->constraint);
  memcpy(b->body, p->body, (size_t)p->nbody * sizeof *p->body);
  memcpy(b->joint, p->joint, (size_t)p->njoint * sizeof *p->joint);
  if (p->nconstraint)
    memcpy(b->constraint, p->constraint, (size_t)p->nconstraint * sizeof *p->constraint);
  for (int i = 0; i < p->njoint; i++)
    memset(b->joint[i].armature, 0, sizeof b->joint[i].armature);
  for (int i = 0; i < x->n; i++) {
    const double a = x->inertia[i];
    snprintf(name[i][0], sizeof name[i][0], "rotor%d", i % 1000);
    snprintf(name[i][1], sizeof name[i][1], "gear%d", i % 1000);
    b->body[p->nbody + i] = (lw_body_desc){.name = name[i][0], .mass = 1 + a, .inertia = {a, a, a}};
    b->joint[p->njoint + i] =
        (lw_joint_desc){.name = name[i][0], .type = LW_REVOLUTE, .child = {p->nbody + i + 1}};
    lwt_constraint *c = &b->constraint[p->nconstraint + i];
    c->d = (lw_constraint_desc){.name = name[i][1], .type = LW_COUPLER, .nterm = 2};
    c->term[0] = (lw_term){.joint = {x->joint[i]}, .dof = x->dof[i], .coefficient = 1};
    c->term[1] = (lw_term){.joint = {p->njoint + i + 1}, .dof = 1, .coefficient = -1};
  }
  return b;
}

static void free_bodies(lwt_parts *b)
{
  free(b->body);
  free(b->joint);
  free(b->constraint);
  free(b);
}

/* a state that satisfies the constraints of both, and where each joint's coordinates are */
static void take_state(lwt_case *a, lwt_case *b, const rotors *x)
{
  lw_error err = {0};
  if (lw_close_loops(a->w, a->t, a->q, a->u, &err) != LW_OK) fail_msg("%s", err.text);
  for (int i = 0; i < lw_njoint(b->m); i++) {
    const lw_joint_info of = lw_get_joint(b->m, (lw_joint){i + 1});
    lw_joint_info in;
    if (i >= lw_njoint(a->m)) {
      const int k = i - lw_njoint(a->m);
      in = lw_get_joint(a->m, (lw_joint){x->joint[k]});
      b->q[of.q] = a->q[in.q + x->dof[k] - 1];
      b->u[of.u] = a->u[in.u + x->dof[k] - 1];
      b->tau[of.u] = 0;
      continue;
    }
    in = lw_get_joint(a->m, (lw_joint){i + 1});
    for (int k = 0; k < of.nq; k++)
      b->q[of.q + k] = a->q[in.q + k];
    for (int k = 0; k < of.nu; k++)
      b->u[of.u + k] = a->u[in.u + k], b->tau[of.u + k] = a->tau[in.u + k];
  }
  b->t = a->t;
}

static void compare_udot(const lwt_case *a, const lwt_case *b, const double *udot, const char *what,
                         unsigned seed)
{
  const double scale = 1 + lwt_scale(b->udot, b->nu);
  for (int i = 1; i <= lw_njoint(a->m); i++) {
    const lw_joint_info of = lw_get_joint(b->m, (lw_joint){i}),
                        in = lw_get_joint(a->m, (lw_joint){i});
    lwt_close(udot + in.u, b->udot + of.u, in.nu, 1e-10, scale, "%s, seed %u, joint %d", what, seed,
              i);
  }
}

static void compare_loads(const lwt_case *a, const lwt_case *b, lw_dca *d, lw_cartesian *c,
                          unsigned seed)
{
  lwt_ok(lw_joint_loads(b->w));
  for (int i = 1; i <= lw_njoint(a->m); i++) {
    double want[6], got[3][6];
    lwt_ok(lw_get_load(b->w, (lw_joint){i}, want));
    lwt_ok(lw_get_load(a->w, (lw_joint){i}, got[0]));
    lwt_ok(lw_dca_get_load(d, (lw_joint){i}, got[1]));
    lwt_ok(lw_cartesian_get_load(c, (lw_joint){i}, got[2]));
    for (int k = 0; k < 3; k++)
      lwt_close(got[k], want, 6, 1e-9, 100 + lwt_scale(want, 6), "load %d, seed %u, joint %d", k,
                seed, i);
  }
}

static void check_dynamics(unsigned seed, bool loop)
{
  rotors x;
  char name[ROTORS][2][16];
  lwt_parts *p = random_mechanism(seed, loop, &x), *bodies = with_bodies(p, &x, name);
  lwt_case a = lwt_case_of(lwt_parts_compile(p), seed),
           b = lwt_case_of(lwt_parts_compile(bodies), seed);
  lw_dca *d = lw_dca_new(a.m, NULL, NULL);
  lw_cartesian *c = lw_cartesian_new(a.m, NULL, NULL);
  double other[MOST], T[2], U[2];
  assert_true(d && c && a.nu <= MOST);
  take_state(&a, &b, &x);
  lwt_ok(lw_forward_dynamics(b.w, b.t, b.q, b.u, b.tau, b.udot));
  lwt_ok(lw_dca_forward_dynamics(d, a.w, a.t, a.q, a.u, a.tau, other));
  compare_udot(&a, &b, other, "dca", seed);
  lwt_ok(lw_cartesian_forward_dynamics(c, a.w, a.t, a.q, a.u, a.tau, other));
  compare_udot(&a, &b, other, "cartesian", seed);
  lwt_ok(lw_cartesian_find_loads(c));
  for (int loops = LW_LOOPS_CUT; loops <= LW_LOOPS_EMBEDDED && (loop || loops == LW_LOOPS_CUT);
       loops++) {
    if (loop) lwt_ok(lw_set_loops(a.w, (lw_loops)loops));
    lwt_ok(lw_forward_dynamics(a.w, a.t, a.q, a.u, a.tau, a.udot));
    compare_udot(&a, &b, a.udot, "tree", seed);
    lwt_ok(lw_joint_loads(a.w));
    compare_loads(&a, &b, d, c, seed);
  }
  lwt_ok(lw_energy(a.w, a.q, a.u, &T[0], &U[0]));
  lwt_ok(lw_energy(b.w, b.q, b.u, &T[1], &U[1]));
  lwt_near(T[0], T[1], 1e-12 * (1 + T[1]), "kinetic energy, seed %u", seed);
  if (!loop) { /* with loops inverse dynamics chooses the least of many loads */
    lwt_ok(lw_inverse_dynamics(a.w, a.t, a.q, a.u, a.udot, a.x));
    lwt_close(a.x, a.tau, a.nu, 1e-10, 100 + lwt_scale(a.tau, a.nu), "inverse dynamics, seed %u",
              seed);
  }
  lw_cartesian_free(c);
  lw_dca_free(d);
  lwt_case_free(&a);
  lwt_case_free(&b);
  free_bodies(bodies);
  lwt_parts_free(p);
}

static void accelerations_loads_and_energies_are_those_with_geared_rotors(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++)
    check_dynamics(seed, false);
}

static void the_same_with_loops(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++)
    if (seed % 5 != 4) check_dynamics(seed, true);
}

/* ---- M + diag(armature), also of operators, and derivatives of the dynamics ---- */

static void check_mass(unsigned seed)
{
  rotors x;
  lwt_parts *p = random_mechanism(seed, false, &x);
  lwt_case a = lwt_case_of(lwt_parts_compile(p), seed);
  for (int i = 0; i < p->njoint; i++)
    memset(p->joint[i].armature, 0, sizeof p->joint[i].armature);
  lwt_case b = lwt_case_of(lwt_parts_compile(p), seed);
  const int n = a.nu;
  double *M = calloc((size_t)(3 * n * n) + 1, sizeof *M), *want = M + n * n, *by = want + n * n;
  assert_non_null(M);
  lwt_ok(lw_mass_matrix(a.w, a.q, M));
  lwt_ok(lw_mass_matrix(b.w, a.q, want));
  for (int k = 0; k < x.n; k++) {
    const int u = lw_get_joint(a.m, (lw_joint){x.joint[k]}).u + x.dof[k] - 1;
    want[u * n + u] += x.inertia[k];
  }
  lwt_close(M, want, n * n, 1e-13, lwt_scale(want, n * n), "M, seed %u", seed);
  lw_derivatives *d = lw_derivatives_new(a.m);
  lw_sko *k = lw_sko_from_model(a.m, NULL);
  assert_true(d && k);
  lwt_ok(lw_inverse_dynamics_derivatives(d, a.t, a.q, a.u, a.udot,
                                         &(lw_inverse_matrices){.udot = by}));
  lwt_close(by, want, n * n, 1e-12, lwt_scale(want, n * n), "d tau / d udot, seed %u", seed);
  lwt_ok(lw_forward_dynamics(a.w, a.t, a.q, a.u, a.tau, a.udot));
  lwt_ok(lw_sko_update_with_forces(k, a.w, a.t, a.q, a.u));
  lwt_ok(lw_sko_factor(k));
  lw_sko_from_speeds(k, a.tau, a.x);
  lwt_ok(lw_sko_forward_dynamics(k, a.x, a.y, NULL));
  lw_sko_to_speeds(k, a.y, a.x);
  lwt_close(a.x, a.udot, n, 1e-10, 1 + lwt_scale(a.udot, n), "operators, seed %u", seed);
  lw_sko_free(k);
  lw_derivatives_free(d);
  free(M);
  lwt_case_free(&a);
  lwt_case_free(&b);
  lwt_parts_free(p);
}

static void it_is_added_to_the_diagonal_of_the_mass_matrix(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 40; seed++)
    check_mass(seed);
}

/* ---- runs ---- */

#define ARM                                                                                        \
  "linkwork: 1\ngravity: [0.4, -9.81, 0.3]\nparameters: {a: 0.2, b: 0.05, w: %s}\nbodies:\n"       \
  "  p: {mass: 2, com: [0.3, 0.1, 0], inertia: [0.1, 0.2, 0.3]}\n"                                 \
  "  r: {mass: 1, com: [0.1, 0.2, 0.1], inertia: [0.05, 0.02, 0.03]}\n"                            \
  "  s: {mass: w, com: [0, 0.2, 0.1], inertia: [0.05*w, 0.02*w, 0.03*w]}\n%s"                      \
  "joints:\n  A: {type: revolute, parent: ground, child: p, q: 0.4, u: 1%s}\n"                     \
  "  B: {type: universal, parent: p, child: r, at: [0.5, 0, 0], u: [1, -2]%s}\n"                   \
  "  C: {type: cylindrical, parent: r, child: s, at: [0, 0.4, 0], u: [1, 0]%s}\n%s"                \
  "events:\n  - {at: 0.2, impulse: {body: s, at: [0.1, 0, 0], linear: [w, 2*w, -w]}}\n"            \
  "  - {at: 0.35, lock: {joint: B, dofs: [1]}}\n  - {at: 0.5, unlock: {joint: B}}\n"               \
  "  - {at: 0.6, lock: {joint: A}}\n  - {at: 0.7, unlock: {joint: A}}\n"                           \
  "simulation: {end: 0.9, rtol: 1e-11, atol: 1e-13}\n"                                             \
  "sensitivity: {parameters: [a, b], objectives: {x: {final: q.A}, e: {final: energy.kinetic}}}\n"

#define ROTOR(name, by, u)                                                                         \
  "  " name ": {type: revolute, parent: ground, child: " name ", u: " u "}\n"                      \
  "  g" name ": {type: gear, joints: [" by ", " name "], ratio: 1}\n"

/* the first joints' q and u at the end */
static void run(const lw_model *m, lw_formulation f, double out[10], double *error)
{
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = f}, &err);
  if (!sim) fail_msg("%s", err.text);
  double q[20], u[20];
  lwt_ok(lw_simulation_advance(sim, 0.9, q, u, NULL));
  memcpy(out, q, 5 * sizeof *q);
  memcpy(out + 5, u, 5 * sizeof *u);
  lw_energy_balance balance;
  lwt_ok(lw_simulation_energy(sim, &balance));
  *error = balance.error;
  lw_simulation_free(sim);
}

static void compare_runs(const char *mass)
{
  char text[4000];
  snprintf(text, sizeof text, ARM, mass,
           "  x: {mass: 1, inertia: [a, a, a]}\n  y: {mass: 1, inertia: [b, b, b]}\n"
           "  z: {mass: 1, inertia: [3*a, 3*a, 3*a]}\n",
           "", "", "", ROTOR("x", "A", "1") ROTOR("y", "B.2", "-2") ROTOR("z", "C.2", "0"));
  lw_model *bodies = read_model(text);
  snprintf(text, sizeof text, ARM, mass, "", ", armature: a", ", armature: [none, b]",
           ", armature: [0, 3*a]", "");
  lw_model *m = read_model(text);
  double want[10], got[10], error;
  run(bodies, LW_FORMULATION_TREE, want, &error);
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    run(m, (lw_formulation)f, got, &error);
    lwt_close(got, want, 10, 1e-8, 1 + lwt_scale(want, 10), "formulation %d, %s kg", f, mass);
    lwt_near(error, 0, 1e-8, "energy, formulation %d, %s kg", f, mass);
  }
  lw_model_free(bodies);
  lw_model_free(m);
}

static void jumps_at_events_are_those_with_geared_rotors(void **state)
{
  (void)state;
  compare_runs("1");
  compare_runs("1e-6"); /* the rotor of C is 1e5 times as heavy as the body that it turns */
}

/* a pendulum in a wheel: (I + a) udot = m g l sin, and e u at the stop */
static void a_stop_and_a_motor_feel_it(void **state)
{
  (void)state;
  lw_model *m =
      read_model("linkwork: 1\ngravity: [0, 0, 0]\nbodies: {w: {mass: 1, inertia: [1, 1, 0.3]}}\n"
                 "joints: {A: {type: revolute, parent: ground, child: w, armature: 0.7,\n"
                 "  limits: {upper: 0.5, restitution: 0.4}}}\n"
                 "forces: {f: {type: motor, joint: A, value: 2}}\n");
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
    lw_error err = {0};
    lw_simulation *sim = lw_simulation_new(
        m, &(lw_simulation_options){.formulation = (lw_formulation)f, .rtol = 1e-11}, &err);
    if (!sim) fail_msg("%s", err.text);
    double q, u;
    const double hit = sqrt(0.5), back = -0.4 * 2 * hit, dt = 0.3;
    lwt_ok(lw_simulation_advance(sim, hit + dt, &q, &u, NULL));
    lwt_near(u, back + 2 * dt, 1e-9, "speed, formulation %d", f);
    lwt_near(q, 0.5 + back * dt + dt * dt, 1e-9, "angle, formulation %d", f);
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

static void refuse(const char *joint, const char *why)
{
  char text[600];
  lw_error err = {0};
  snprintf(text, sizeof text,
           "linkwork: 1\nparameters: {p: -1}\nbodies: {w: {mass: 1, inertia: [1, 1, 1]}}\njoints: "
           "{A: {type: %s}}\n",
           joint);
  assert_null(try_model(text, &err));
  if (!strstr(err.text, why)) fail_msg("%s", err.text);
  assert_true(err.line > 0);
}

static void what_cannot_be_an_armature_is_refused(void **state)
{
  (void)state;
  refuse("revolute, parent: ground, child: w, armature: -0.1", "negative");
  refuse("revolute, parent: ground, child: w, armature: p", "negative");
  refuse("spherical, parent: ground, child: w, armature: 1", "armature");
  refuse("universal, parent: ground, child: w, armature: 1", "2 entries");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_loads_and_energies_are_those_with_geared_rotors),
      cmocka_unit_test(the_same_with_loops),
      cmocka_unit_test(it_is_added_to_the_diagonal_of_the_mass_matrix),
      cmocka_unit_test(jumps_at_events_are_those_with_geared_rotors),
      cmocka_unit_test(a_stop_and_a_motor_feel_it),
      cmocka_unit_test(what_cannot_be_an_armature_is_refused),
  };
  return cmocka_run_group_tests_name("identity/armature", tests, NULL, NULL);
}
