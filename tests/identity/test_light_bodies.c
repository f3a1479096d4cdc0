/* SPDX-License-Identifier: Apache-2.0 */
/* Light bodies in loops: mechanisms of many topologies and sizes, with bodies up to 1e12 times lighter than
   others, move alike in all formulations and as a null-space solution in 113 bits says that shares no code
   with them (oracle.h); their freedoms are those of their geometry, and where their loops close does not
   depend on masses at all. */
#include "light_mechanisms.h"
#include "lwt_loops.h"
#include "model/spec/spec_data.h"

#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/simulate.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3 };

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
        const double unit = trial_slides(info.type, i) ? 1 / (double)x->o->length : 1;
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

/* ---- from where nothing closes ---- */

enum { MOST_BODIES = 32 };
typedef struct {
  lw_status status;
  int nbody;
  double p[3 * MOST_BODIES];
} start;

static void find_places(const lw_model *m, const double *q, const double *u, start *out)
{
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_kinematics(w, q, u));
  for (int b = 1; b <= out->nbody; b++) {
    lw_pose X;
    lwt_ok(lw_get_pose(w, (lw_body){b}, &X));
    memcpy(out->p + 3 * (b - 1), X.p, sizeof X.p);
  }
  lw_work_free(w);
}

/* formulation -1: only assembled */
static start start_of(const lw_model *m, double *q, int formulation)
{
  start out = {.nbody = lw_nbody(m)};
  assert_true(out.nbody <= MOST_BODIES);
  double *u = calloc((size_t)lw_nu(m) + 1, sizeof *u);
  if (formulation < 0) {
    lw_work *w = lw_work_new(m);
    out.status = lw_close_loops(w, 0, q, u, NULL);
    lw_work_free(w);
  } else {
    const lw_simulation_options options = {.formulation = (lw_formulation)formulation};
    lw_error err = {0};
    lw_simulation *s = lw_simulation_new(m, &options, &err);
    out.status = s ? lw_simulation_advance(s, 0, q, u, &err) : err.status;
    lw_simulation_free(s);
  }
  if (out.status == LW_OK) find_places(m, q, u, &out);
  free(u);
  return out;
}

static void compare_starts(const start *a, const start *b, double length, const char *name)
{
  if (a->status != b->status)
    fail_msg("%s: %s or %s", name, lw_status_text(a->status), lw_status_text(b->status));
  if (a->status != LW_OK) return;
  lwt_close(a->p, b->p, 3 * a->nbody, 1e-9, length + lwt_scale(a->p, 3 * a->nbody), "%s", name);
}

static void write_guess(lwt_parts *p, unsigned seed, double length)
{
  lwt_random r = lwt_seed(seed);
  for (int j = 0; j < p->njoint; j++) {
    lw_joint_desc *d = &p->joint[j];
    d->has_q = d->type == LW_REVOLUTE || d->type == LW_PRISMATIC;
    if (d->has_q) d->q[0] = lwt_uniform(&r, -1, 1) * (d->type == LW_PRISMATIC ? length : 1);
  }
}

static start mechanism_start(topology kind, unsigned seed, unsigned masses, int formulation)
{
  trial x = trial_of(kind, seed, 1, 1);
  write_guess(x.parts, seed, 1);
  if (masses) lwt_change_masses(x.parts, masses);
  lw_model *m = lwt_parts_compile(x.parts);
  double *q = calloc((size_t)lw_nq(m) + 1, sizeof *q);
  const start out = start_of(m, q, formulation);
  free(q);
  lw_model_free(m);
  trial_free(&x);
  return out;
}

static void where_mechanisms_start_does_not_depend_on_masses(void **state)
{
  (void)state;
  int closed = 0;
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
      const start first = mechanism_start((topology)kind, seed, 0, LW_FORMULATION_TREE);
      closed += first.status == LW_OK;
      for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++) {
        char name[100];
        const start other = mechanism_start((topology)kind, seed, 10 * seed + (unsigned)f, f);
        snprintf(name, sizeof name, "topology %d, seed %u, formulation %d", kind, seed, f);
        compare_starts(&first, &other, 1, name);
      }
    }
  assert_true(closed >= TOPOLOGIES * (int)SEEDS / 2);
}

/* a random mechanism of random joints, from coordinates far off those that close */
static start random_start(unsigned k, unsigned masses, bool net)
{
  lwt_loops d = lwt_loops_recipe(k);
  d.masses = masses;
  lw_error err;
  lw_spec *s = lwt_loops_spec(&d);
  s->far = net; /* loops are closed on the link system */
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("seed %u: %s", k, err.text);
  lw_spec_free(s);
  double *q = calloc((size_t)(lw_nq(m) + lw_nu(m)) + 1, sizeof *q);
  lwt_random r = lwt_seed(k);
  lw_initial_state(m, q, q + lw_nq(m));
  for (int i = 0; i < lw_nq(m); i++)
    q[i] += lwt_uniform(&r, -0.6, 0.6);
  const start out = start_of(m, q, -1);
  free(q);
  lw_model_free(m);
  return out;
}

static void where_random_loops_close_does_not_depend_on_masses(void **state)
{
  (void)state;
  int closed = 0;
  for (unsigned k = 1; k <= 120; k++) {
    char name[40];
    const start first = random_start(k, 0, k % 2), other = random_start(k, 100 + k, k % 2);
    closed += first.status == LW_OK;
    snprintf(name, sizeof name, "seed %u", k);
    compare_starts(&first, &other, 1, name);
  }
  assert_true(closed >= 80);
}

/* ---- starting speeds ---- */

/* x^T M y */
static double product(const double *M, const double *x, const double *y, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += x[i] * M[i * n + j] * y[j];
  return sum;
}

/* The speeds of loops at the start are those nearest to the written ones in kinetic energy (docs/format.md 3.13): the
   momentum of the difference is orthogonal to all motions, however light bodies are. */
static void check_start(topology kind, unsigned seed, double ratio)
{
  trial x = trial_of(kind, seed, ratio, 1);
  const int n = lw_nu(x.c.m), nq = lw_nq(x.c.m);
  lw_error err = {0};
  lwt_random r = lwt_seed(seed + 77);
  lw_work *w = lw_work_new(x.c.m);
  double *M = calloc((size_t)(n * n + 5 * n + nq) + 1, sizeof *M), *written = M + n * n,
         *u = written + n, *d = u + n, *v = d + n, *zero = v + n, *q = zero + n;
  memcpy(q, x.c.q, (size_t)nq * sizeof *q);
  if (lw_close_loops(w, 0, q, zero, &err) != LW_OK) fail_msg("%s: %s", x.name, err.text);
  for (int i = 0; i < n; i++)
    written[i] = u[i] = lwt_uniform(&r, -1, 1);
  if (lw_close_loops(w, 0, q, u, &err) != LW_OK) fail_msg("%s: %s", x.name, err.text);
  lwt_ok(lw_mass_matrix(w, q, M));
  for (int i = 0; i < n; i++)
    d[i] = u[i] - written[i];
  const double moved = sqrt(product(M, d, d, n)), whole = sqrt(product(M, written, written, n));
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < n; i++)
      v[i] = lwt_uniform(&r, -1, 1);
    lwt_ok(lw_project(w, 0, q, v));
    lwt_near(product(M, v, d, n), 0, 1e-8 * sqrt(product(M, v, v, n)) * fmax(moved, 1e-3 * whole),
             "%s", x.name);
  }
  free(M);
  lw_work_free(w);
  trial_free(&x);
}

static void speeds_start_nearest_in_kinetic_energy(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-3, 1e-6, 1e-9, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 5; i++)
      for (unsigned seed = 1; seed <= 3; seed++)
        check_start((topology)kind, seed, ratios[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(speeds_start_nearest_in_kinetic_energy),
      cmocka_unit_test(accelerations_do_not_depend_on_the_formulation),
      cmocka_unit_test(accelerations_do_not_depend_on_the_size),
      cmocka_unit_test(freedoms_are_those_of_geometry),
      cmocka_unit_test(runs_end_alike_and_keep_their_energy),
      cmocka_unit_test(where_mechanisms_start_does_not_depend_on_masses),
      cmocka_unit_test(where_random_loops_close_does_not_depend_on_masses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
