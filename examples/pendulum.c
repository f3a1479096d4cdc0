/* SPDX-License-Identifier: Apache-2.0 */
/* pendulum.c -- the whole way in one program: describe, compile, compute, simulate. */
#include <linkwork/linkwork.h>

#include <stdio.h>

static lw_model *build(lw_error *err)
{
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 0, -9.81, 0);
  lw_add_parameter(s, &(lw_parameter_desc){.name = "L", .value = 1.0});

  const lw_solid rod = {
      .type = LW_SOLID_ROD, .mass = 2, .length = lw_expr(s, "L"), .axis = {0, -1, 0}};
  const lw_body upper = lw_add_body(s, &(lw_body_desc){.name = "upper", .solid = rod});
  const lw_body lower = lw_add_body(s, &(lw_body_desc){.name = "lower", .solid = rod});
  lw_add_joint(s, &(lw_joint_desc){.name = "A", .type = LW_REVOLUTE, .child = upper, .q = {1.0}});
  lw_add_joint(s, &(lw_joint_desc){.name = "B",
                                   .type = LW_REVOLUTE,
                                   .parent = upper,
                                   .child = lower,
                                   .place = {.at = {0, lw_expr(s, "-L"), 0}}});

  lw_model *m = lw_compile(s, err); /* reports the first mistake of all the calls above */
  lw_spec_free(s);
  return m;
}

/* accelerations and the load of the upper joint in the initial state */
static lw_status evaluate(const lw_model *m)
{
  double q[2], u[2], udot[2], load[6];
  lw_work *w = lw_work_new(m);
  if (!w) return LW_E_MEMORY;
  lw_initial_state(m, q, u);
  lw_status st = lw_forward_dynamics(w, 0, q, u, NULL, udot);
  if (st == LW_OK) st = lw_joint_loads(w);
  if (st == LW_OK) st = lw_get_load(w, lw_find_joint(m, "A"), load);
  if (st == LW_OK)
    printf("udot = %.6f, %.6f rad/s^2; joint A carries (%.4f, %.4f, %.4f) N\n", udot[0], udot[1],
           load[3], load[4], load[5]);
  lw_work_free(w);
  return st;
}

static lw_status simulate(const lw_model *m, lw_error *err)
{
  const lw_simulation_options options = {.rtol = 1e-10};
  lw_simulation *sim = lw_simulation_new(m, &options, err);
  if (!sim) return err->status;
  double q[2], u[2];
  lw_status st = LW_OK;
  for (int k = 0; k <= 5 && st == LW_OK; k++) {
    st = lw_simulation_advance(sim, 0.5 * k, q, u, err);
    if (st == LW_OK) printf("t = %.1f s   q = %9.6f, %9.6f rad\n", 0.5 * k, q[0], q[1]);
  }
  lw_simulation_free(sim);
  return st;
}

int main(void)
{
  lw_error err;
  lw_model *m = build(&err);
  if (!m) return fprintf(stderr, "%s\n", err.text), 1;
  lw_status st = evaluate(m);
  if (st != LW_OK) fprintf(stderr, "%s\n", lw_status_text(st));
  if (st == LW_OK && (st = simulate(m, &err)) != LW_OK) fprintf(stderr, "%s\n", err.text);
  lw_model_free(m);
  return st != LW_OK;
}
