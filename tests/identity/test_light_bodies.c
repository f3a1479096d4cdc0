/* SPDX-License-Identifier: Apache-2.0 */
/* Light bodies in loops: mechanisms of many topologies and sizes, with bodies up to 1e12 times lighter than
   others, move alike in all formulations and as a null-space solution in 113 bits says that shares no code
   with them (oracle.h); and their freedoms are those of their geometry. */
#include "oracle.h"

#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/simulate.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 16, MOST_JOINTS = 24, SEEDS = 3 };

/* ---- mechanisms, drawn where all coordinates are zero ---- */

typedef enum {
  FOUR_BAR,
  RING,         /* five to seven bars: several freedoms */
  SIDE_BY_SIDE, /* four-bars that share bars */
  SERIES,       /* a four-bar on the coupler of another */
  BRICARD,
  SLIDER_CRANK,
  SHAFTS,  /* a spatial loop of revolute, spherical and prismatic joints */
  GRIPPER, /* four-bars on a floating hand, with tiny links between several joints of one body */
  FOOT, /* a rod between two spherical joints, each made of three hinges with tiny links between */
  TOPOLOGIES
} topology;
static const char *const topology_name[TOPOLOGIES] = {"four-bar", "ring",    "side by side",
                                                      "series",   "Bricard", "slider-crank",
                                                      "shafts",   "gripper", "foot"};

typedef struct {
  lwt_random random;
  double ratio, length; /* mass of light bodies; size of the mechanism */
  int nbody, njoint;
  lw_body_desc body[MOST_BODIES];
  double at[MOST_BODIES + 1][3]; /* origins of bodies; those of the ground first */
  lw_joint_desc joint[MOST_JOINTS];
} drawing;

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};

/* a body with its origin at p, of this size; returns its number */
static int add_body(drawing *d, const double p[3], double size, bool light)
{
  lw_body_desc *b = &d->body[d->nbody++];
  *b = (lw_body_desc){.mass = lwt_uniform(&d->random, 0.5, 2) * (light ? d->ratio : 1)};
  size *= d->length;
  for (int i = 0; i < 3; i++) {
    b->com[i] = size * lwt_uniform(&d->random, -0.3, 0.6);
    b->inertia[i] = b->mass * size * size * lwt_uniform(&d->random, 0.08, 0.11);
    d->at[d->nbody][i] = d->length * p[i];
  }
  return d->nbody;
}

static void join(drawing *d, lw_joint_type type, int parent, int child, const double p[3],
                 const double axis[3])
{
  lw_joint_desc *j = &d->joint[d->njoint++];
  *j = (lw_joint_desc){.type = type, .parent = {parent}, .child = {child}};
  for (int i = 0; i < 3; i++) {
    j->place.at[i] = d->length * p[i] - d->at[parent][i];
    j->child_place.at[i] = d->length * p[i] - d->at[child][i];
    j->axis[i] = axis[i];
  }
}

static bool toss(drawing *d)
{
  return lwt_uniform(&d->random, 0, 1) < 0.5;
}

/* a corner of a polygon about (0.5, 0), k of n */
static void corner(drawing *d, int k, int n, double p[3])
{
  const double angle = 6.283185307179586 * (k + lwt_uniform(&d->random, -0.2, 0.2)) / n;
  p[0] = 0.5 + lwt_uniform(&d->random, 0.7, 1.3) * cos(angle);
  p[1] = lwt_uniform(&d->random, 0.7, 1.3) * sin(angle);
  p[2] = 0;
}

/* n bars in a polygon from body a to body b, hinges about z; at least one is light and one is not */
static void add_ring(drawing *d, int a, int b, int n, double shift)
{
  double p[8][3];
  const int light = 1 + lwt_pick(&d->random, n - 1), heavy = light % (n - 1) + 1;
  int before = a;
  for (int k = 0; k < n; k++) {
    corner(d, k, n, p[k]);
    p[k][0] += shift;
  }
  for (int k = 1; k < n; k++) {
    const int bar = add_body(d, p[k - 1], 1, k == light || (k != heavy && toss(d)));
    join(d, LW_REVOLUTE, before, bar, p[k - 1], z_axis);
    before = bar;
  }
  join(d, LW_REVOLUTE, before, b, p[n - 1], z_axis);
}

static void add_side_by_side(drawing *d)
{
  int left = 0;
  double foot[3] = {0}, top[3] = {0, 1, 0};
  for (int k = 0; k < 4; k++) {
    const double next[3] = {k + lwt_uniform(&d->random, -0.1, 0.1), 0, 0};
    const double above[3] = {next[0] + lwt_uniform(&d->random, -0.3, 0.3), 1, 0};
    const int bar = add_body(d, next, 1, k % 2 == 1);
    join(d, LW_REVOLUTE, 0, bar, next, z_axis);
    if (k > 0) {
      const int rung = add_body(d, top, 1, toss(d));
      join(d, LW_REVOLUTE, left, rung, top, z_axis);
      join(d, LW_REVOLUTE, rung, bar, above, z_axis);
    }
    left = bar;
    memcpy(foot, next, sizeof foot);
    memcpy(top, above, sizeof top);
  }
}

static void add_bricard(drawing *d)
{
  static const double p[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const double *const axis[6] = {y_axis, z_axis, x_axis, y_axis, z_axis, x_axis};
  const int heavy = lwt_pick(&d->random, 5);
  int before = 0;
  for (int k = 0; k < 5; k++) {
    const int rod = add_body(d, p[k], 1, k != heavy && toss(d));
    join(d, LW_REVOLUTE, before, rod, p[k], axis[k]);
    before = rod;
  }
  join(d, LW_REVOLUTE, before, 0, p[5], axis[5]);
}

static void add_slider_crank(drawing *d)
{
  const double o[3] = {0}, b[3] = {0.4, 0.9, 0}, c[3] = {1.7, 0.1, 0};
  const int crank = add_body(d, o, 1, false), rod = add_body(d, b, 1, true),
            slider = add_body(d, c, 0.3, toss(d));
  join(d, LW_REVOLUTE, 0, crank, o, z_axis);
  join(d, LW_REVOLUTE, crank, rod, b, z_axis);
  join(d, LW_REVOLUTE, rod, slider, c, z_axis);
  join(d, LW_PRISMATIC, 0, slider, c, x_axis);
}

static void add_shafts(drawing *d)
{
  const double o[3] = {0}, b[3] = {0.5, 0.8, 0.2}, c[3] = {1.4, 0.3, 0.9}, e[3] = {1.9, 0.2, 0.1};
  double axis[3];
  lwt_unit_vector(&d->random, axis);
  const int crank = add_body(d, o, 1, false), rod = add_body(d, b, 1, true),
            rocker = add_body(d, c, 1, toss(d)), slide = add_body(d, e, 1, toss(d));
  join(d, LW_REVOLUTE, 0, crank, o, axis);
  join(d, LW_SPHERICAL, crank, rod, b, z_axis);
  join(d, LW_UNIVERSAL, rod, rocker, c, y_axis);
  join(d, LW_REVOLUTE, rocker, slide, e, z_axis);
  join(d, LW_PRISMATIC, slide, 0, e, x_axis);
}

/* a hand that floats, with two fingers: driver, coupler, follower, spring link; the coupler is on the follower
   by two hinges with a tiny link between them */
static void add_gripper(drawing *d)
{
  const double o[3] = {0}, size = 1e-3;
  const int hand = add_body(d, o, 1, false);
  join(d, LW_FREE, 0, hand, o, z_axis);
  for (int side = 0; side < 2; side++) {
    double p[4][3];
    for (int k = 0; k < 4; k++) {
      corner(d, k, 4, p[k]);
      p[k][0] += side ? 1.5 : -2.5;
    }
    const int driver = add_body(d, p[0], 1, toss(d)), coupler = add_body(d, p[1], 1, toss(d));
    const int tiny = add_body(d, p[2], size, true), follower = add_body(d, p[2], 1, false);
    join(d, LW_REVOLUTE, hand, driver, p[0], z_axis);
    join(d, LW_REVOLUTE, driver, coupler, p[1], z_axis);
    join(d, LW_REVOLUTE, coupler, tiny, p[2], z_axis);
    join(d, LW_REVOLUTE, tiny, follower, p[2], x_axis);
    join(d, LW_REVOLUTE, follower, hand, p[3], z_axis);
  }
}

/* three hinges in one point with two tiny links between them */
static void join_by_hinges(drawing *d, int parent, int child, const double p[3])
{
  const int one = add_body(d, p, 1e-3, true), two = add_body(d, p, 1e-3, true);
  join(d, LW_REVOLUTE, parent, one, p, x_axis);
  join(d, LW_REVOLUTE, one, two, p, y_axis);
  join(d, LW_REVOLUTE, two, child, p, z_axis);
}

static void add_foot(drawing *d)
{
  const double o[3] = {0}, knee[3] = {0.2, -1, 0.1}, heel[3] = {0.9, -1.1, -0.2},
               ankle[3] = {0.8, -0.1, 0.3};
  const int shin = add_body(d, o, 1, false), foot = add_body(d, ankle, 0.5, false);
  const int rod = add_body(d, knee, 1, toss(d));
  join(d, LW_REVOLUTE, 0, shin, o, z_axis);
  join(d, LW_UNIVERSAL, 0, foot, ankle, z_axis);
  join_by_hinges(d, shin, rod, knee);
  join_by_hinges(d, rod, foot, heel);
}

static void draw(drawing *d, topology kind, unsigned seed, double ratio, double length)
{
  *d = (drawing){.random = lwt_seed(seed), .ratio = ratio, .length = length};
  switch (kind) {
  case FOUR_BAR: add_ring(d, 0, 0, 4, 0); break;
  case RING: add_ring(d, 0, 0, 5 + lwt_pick(&d->random, 3), 0); break;
  case SIDE_BY_SIDE: add_side_by_side(d); break;
  case SERIES:
    add_ring(d, 0, 0, 4, 0);
    add_ring(d, 2, 2, 4, 3);
    break;
  case BRICARD: add_bricard(d); break;
  case SLIDER_CRANK: add_slider_crank(d); break;
  case SHAFTS: add_shafts(d); break;
  case GRIPPER: add_gripper(d); break;
  default: add_foot(d); break;
  }
}

static lwt_parts *parts_of(const drawing *d)
{
  lwt_parts *p = lwt_parts_new(d->nbody, d->njoint);
  p->gravity[0] = 1.3, p->gravity[1] = -9.2, p->gravity[2] = 2.1;
  memcpy(p->body, d->body, (size_t)d->nbody * sizeof *p->body);
  memcpy(p->joint, d->joint, (size_t)d->njoint * sizeof *p->joint);
  return p;
}

/* ---- the same state everywhere ---- */

typedef struct {
  lwt_parts *parts;
  oracle *o;
  lwt_case c;
  double *right; /* [nu] what the oracle says of the tree's speeds */
  int dof;
  char name[100];
} trial;

static bool slides(lw_joint_type type, int u)
{
  return type == LW_PRISMATIC || (type == LW_FREE && u > 2);
}

/* q = 0 and random speeds, moved to where the loops of the mechanism hold, at a size of one */
static void find_speeds(topology kind, unsigned seed, oracle_real *q, oracle_real *u)
{
  drawing d;
  lwt_random random = lwt_seed(seed);
  draw(&d, kind, seed, 1, 1);
  lwt_parts *parts = parts_of(&d);
  oracle *o = oracle_new(parts);
  for (int j = 0; j < o->njoint; j++) {
    if (o->joint[j].type == LW_SPHERICAL) q[o->q[j]] = 1;
    if (o->joint[j].type == LW_FREE) q[o->q[j] + 3] = 1;
  }
  for (int i = 0; i < o->nu && seed % 2 == 1; i++)
    u[i] = lwt_uniform(&random, -1, 1);
  if (seed % 2 == 1) assert_true(oracle_close(o, 0, q, u));
  oracle_free(o);
  lwt_parts_free(parts);
}

static void find_state(trial *x, topology kind, unsigned seed, double length)
{
  oracle *o = x->o;
  oracle_real *q = calloc((size_t)o->nq + 1, sizeof *q), *u = calloc((size_t)o->nu + 1, sizeof *u);
  find_speeds(kind, seed, q, u);
  for (int j = 0; j < o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x->c.m, (lw_joint){j + 1});
    if (info.type == LW_PRISMATIC) q[o->q[j]] *= length;
    for (int i = 0; i < 3 && info.type == LW_FREE; i++)
      q[o->q[j] + i] *= length;
    for (int i = 0; i < info.nu; i++)
      u[o->u[j] + i] *= slides(info.type, i) ? length : 1;
    for (int i = 0; i < info.nq && !info.cut; i++)
      x->c.q[info.q + i] = (double)q[o->q[j] + i];
    for (int i = 0; i < info.nu && !info.cut; i++)
      x->c.u[info.u + i] = (double)u[o->u[j] + i];
  }
  oracle_kinematics(o, q, u);
  free(q);
  free(u);
}

static trial trial_of(topology kind, unsigned seed, double ratio, double length)
{
  drawing d;
  draw(&d, kind, seed, ratio, length);
  trial x = {.parts = parts_of(&d)};
  snprintf(x.name, sizeof x.name, "%s, seed %u, ratio %g, length %g", topology_name[kind], seed,
           ratio, length);
  x.o = oracle_new(x.parts);
  x.c = lwt_case_of(lwt_parts_compile(x.parts), seed);
  x.c.t = 0;
  find_state(&x, kind, seed, length);
  x.o->length = length;
  oracle_dynamics(x.o, 0, NULL);
  x.dof = 6 * x.parts->nbody - x.o->rank;
  x.right = calloc((size_t)x.c.nu + 1, sizeof *x.right);
  for (int j = 0; j < x.o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x.c.m, (lw_joint){j + 1});
    for (int i = 0; i < info.nu && !info.cut; i++)
      x.right[info.u + i] = (double)x.o->udot[x.o->u[j] + i];
  }
  return x;
}

static void trial_free(trial *x)
{
  oracle_free(x->o);
  lwt_case_free(&x->c);
  lwt_parts_free(x->parts);
  free(x->right);
}

/* ---- all formulations ---- */

static const char *const formulation_name[] = {"cut", "embedded", "dca", "cartesian"};

static void accelerate(trial *x, int formulation, double *udot)
{
  lwt_case *c = &x->c;
  lw_error err = {0};
  lw_status status = LW_OK;
  if (formulation < 2) {
    status = lw_set_loops(c->w, formulation ? LW_LOOPS_EMBEDDED : LW_LOOPS_CUT);
    if (status == LW_OK) status = lw_forward_dynamics(c->w, 0, c->q, c->u, NULL, udot);
  } else if (formulation == 2) {
    lw_dca *d = lw_dca_new(c->m, NULL, &err);
    assert_non_null(d);
    status = lw_dca_forward_dynamics(d, c->w, 0, c->q, c->u, NULL, udot);
    lw_dca_free(d);
  } else {
    lw_cartesian *d = lw_cartesian_new(c->m, NULL, &err);
    assert_non_null(d);
    status = lw_cartesian_forward_dynamics(d, c->w, 0, c->q, c->u, NULL, udot);
    lw_cartesian_free(d);
  }
  if (status != LW_OK) print_error("%s, %s:\n", x->name, formulation_name[formulation]);
  lwt_ok(status);
}

/* accelerations of all joints as rad/s^2, so that lengths count as turns */
static double error_of(const trial *x, const double *udot)
{
  double worst = 0, most = 9.5 / (double)x->o->length;
  for (int pass = 0; pass < 2; pass++)
    for (int j = 1; j <= lw_njoint(x->c.m); j++) {
      const lw_joint_info info = lw_get_joint(x->c.m, (lw_joint){j});
      for (int i = 0; i < info.nu && !info.cut; i++) {
        const double unit = slides(info.type, i) ? 1 / (double)x->o->length : 1;
        if (pass == 0)
          most = fmax(most, unit * fabs(x->right[info.u + i]));
        else
          worst = fmax(worst, unit * fabs(udot[info.u + i] - x->right[info.u + i]));
      }
    }
  return worst / most;
}

/* Where light bodies have a freedom of their own, as in a ring of five bars, their share of the loads is that
   much smaller than rounding errors of the others'. */
static double tolerance_of(double ratio)
{
  return 1e-8 + 1e-17 / ratio;
}

static void check_accelerations(topology kind, double ratio, double length)
{
  for (unsigned seed = 1; seed <= SEEDS; seed++) {
    trial x = trial_of(kind, seed, ratio, length);
    for (int f = 0; f < 4; f++) {
      accelerate(&x, f, x.c.udot);
      const double error = error_of(&x, x.c.udot);
      if (!(error <= tolerance_of(ratio)))
        fail_msg("%s, %s: accelerations are off by %g", x.name, formulation_name[f], error);
    }
    trial_free(&x);
  }
}

static void accelerations_do_not_depend_on_the_formulation(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-3, 1e-6, 1e-9, 1e-10, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < (int)(sizeof ratios / sizeof *ratios); i++)
      check_accelerations((topology)kind, ratios[i], 1);
}

static void accelerations_do_not_depend_on_the_size(void **state)
{
  (void)state;
  static const double lengths[] = {1e-6, 1e-3, 1e3, 1e6};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 4; i++) {
      check_accelerations((topology)kind, 1, lengths[i]);
      check_accelerations((topology)kind, 1e-9, lengths[i]);
    }
}

static void freedoms_are_those_of_geometry(void **state)
{
  (void)state;
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (double ratio = 1; ratio > 1e-16; ratio *= 1e-5)
      for (unsigned seed = 1; seed <= SEEDS; seed++) {
        trial x = trial_of((topology)kind, seed, ratio, seed == 2 ? 1e-3 : 1);
        int dof, redundant;
        lwt_ok(lw_dof(x.c.w, x.c.q, &dof, &redundant));
        if (dof != x.dof) fail_msg("%s: %d freedoms, %d are right", x.name, dof, x.dof);
        trial_free(&x);
      }
}

/* ---- assembly and runs ---- */

/* a four-bar whose coupler has mass m and length 2, written not quite where it closes */
static lw_model *four_bar(double mass)
{
  lwt_parts *p = lwt_parts_new(3, 4);
  static const double length[3] = {1, 2, 2}, q[3] = {0.5, 0.8, 0.8};
  p->gravity[1] = -9.81;
  for (int i = 0; i < 3; i++) {
    const double own = i == 1 ? mass : 1, J = own * length[i] * length[i] / 12;
    p->body[i] =
        (lw_body_desc){.mass = own, .com = {0, -length[i] / 2}, .inertia = {J, J / 100, J}};
    p->joint[i] = (lw_joint_desc){.type = LW_REVOLUTE,
                                  .parent = {i == 1 ? 1 : 0},
                                  .child = {i + 1},
                                  .q = {q[i]},
                                  .has_q = true,
                                  .hold = i == 0};
  }
  p->joint[1].place.at[1] = -1;
  p->joint[2].place.at[0] = 1;
  p->joint[3] = (lw_joint_desc){.type = LW_REVOLUTE, .parent = {2}, .child = {3}};
  p->joint[3].place.at[1] = p->joint[3].child_place.at[1] = -2;
  lw_model *m = lwt_parts_compile(p);
  lwt_parts_free(p);
  return m;
}

typedef struct {
  double q, change; /* of the first joint, at the end; of energy */
} outcome;

static outcome run(const lw_model *m, lw_formulation f, lw_loops loops)
{
  const lw_simulation_options options = {
      .end = 3, .output_step = 3, .rtol = 1e-10, .atol = 1e-12, .formulation = f, .loops = loops};
  lw_error err = {0};
  lw_simulation *s = lw_simulation_new(m, &options, &err);
  if (!s) fail_msg("%s", err.text);
  lw_work *w = lw_work_new(m);
  double q[3], u[3], kinetic[2], potential[2];
  for (int i = 0; i < 2; i++) {
    if (lw_simulation_advance(s, 3. * i, q, u, &err) != LW_OK) fail_msg("%s", err.text);
    lwt_ok(lw_energy(w, q, u, &kinetic[i], &potential[i]));
  }
  lw_work_free(w);
  lw_simulation_free(s);
  return (outcome){q[0], kinetic[1] + potential[1] - kinetic[0] - potential[0]};
}

static void runs_end_alike_and_keep_their_energy(void **state)
{
  (void)state;
  static const double masses[] = {1e-3, 1e-6, 1e-9, 1e-10, 1e-12};
  for (int i = 0; i < 5; i++) {
    lw_model *m = four_bar(masses[i]);
    const outcome right = run(m, LW_FORMULATION_TREE, LW_LOOPS_EMBEDDED);
    const outcome others[] = {run(m, LW_FORMULATION_TREE, LW_LOOPS_CUT),
                              run(m, LW_FORMULATION_DCA, LW_LOOPS_AUTO),
                              run(m, LW_FORMULATION_CARTESIAN, LW_LOOPS_AUTO)};
    lwt_near(right.change, 0, 1e-7, "energy, coupler of %g kg", masses[i]);
    for (int k = 0; k < 3; k++) {
      lwt_near(others[k].q, right.q, 1e-6, "formulation %d, coupler of %g kg", k, masses[i]);
      lwt_near(others[k].change, 0, 1e-7, "energy, formulation %d, %g kg", k, masses[i]);
    }
    lw_model_free(m);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_do_not_depend_on_the_formulation),
      cmocka_unit_test(accelerations_do_not_depend_on_the_size),
      cmocka_unit_test(freedoms_are_those_of_geometry),
      cmocka_unit_test(runs_end_alike_and_keep_their_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
