/* SPDX-License-Identifier: Apache-2.0 */
/* Light bodies in loops: mechanisms of many topologies and sizes, with bodies up to 1e12 times lighter than
   others, move alike in all formulations and as a null-space solution in 113 bits says that shares no code
   with them (oracle.h); and their freedoms are those of their geometry. */
#include "light_mechanisms.h"

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
