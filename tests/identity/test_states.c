/* SPDX-License-Identifier: Apache-2.0 */
/* States, inputs and sampled values: shipped models against the bare mechanism with the same laws written out here and
   integrated by a Runge-Kutta method of this file, in every formulation and by every integrator. */
#include "lwt.h"

#include "linkwork/all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

/* ---- the bare mechanism: the file up to a line ---- */

static char *read_model(const char *name)
{
  char path[500];
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *text = calloc(1, 20000);
  const size_t n = fread(text, 1, 19999, file);
  assert_true(n > 0 && n < 19999);
  fclose(file);
  return text;
}

static lw_model *compile_text(const char *text)
{
  lw_error err;
  lw_spec *s = lw_spec_parse(text, strlen(text), "model", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

typedef struct {
  lw_model *whole, *bare;
  lw_work *w; /* of the bare one */
  int nz;     /* states written out here */
} pair;

static pair open_pair(const char *name, const char *from, int nz)
{
  char *text = read_model(name);
  pair p = {.whole = compile_text(text), .nz = nz};
  char *cut = strstr(text, from);
  assert_non_null(cut);
  *cut = 0;
  p.bare = compile_text(text);
  p.w = lw_work_new(p.bare);
  free(text);
  return p;
}

static void close_pair(pair *p)
{
  lw_work_free(p->w);
  lw_model_free(p->bare);
  lw_model_free(p->whole);
}

/* ---- y = (q, u, z) with q = 2, u = 2, by classical Runge-Kutta with many steps and extrapolation ---- */

typedef void law(const pair *p, double t, const double y[], double tau[2], double zdot[]);

static void rate(const pair *p, law *f, double t, const double y[], double out[])
{
  double tau[2] = {0};
  f(p, t, y, tau, out + 4);
  memcpy(out, y + 2, 2 * sizeof(double));
  lwt_ok(lw_forward_dynamics(p->w, t, y, y + 2, tau, out + 2));
}

static void classical(const pair *p, law *f, double t, double h, int steps, double y[])
{
  const int n = 4 + p->nz;
  double k[4][MOST], x[MOST];
  for (int s = 0; s < steps; s++) {
    for (int stage = 0; stage < 4; stage++) {
      static const double node[4] = {0, 0.5, 0.5, 1};
      for (int i = 0; i < n; i++)
        x[i] = y[i] + (stage ? node[stage] * h * k[stage - 1][i] : 0);
      rate(p, f, t + (s + node[stage]) * h, x, k[stage]);
    }
    for (int i = 0; i < n; i++)
      y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* from t over a time, with two step sizes */
static void integrate(const pair *p, law *f, double t, double time, int steps, double y[])
{
  double fine[MOST];
  memcpy(fine, y, sizeof fine);
  classical(p, f, t, time / steps, steps, y);
  classical(p, f, t, time / (2 * steps), 2 * steps, fine);
  for (int i = 0; i < 4 + p->nz; i++)
    y[i] = fine[i] + (fine[i] - y[i]) / 15;
}

/* ---- the model, by a formulation and an integrator ---- */

static void simulate(const lw_model *m, lw_formulation f, lw_integrator i, double end, double step,
                     double q[], double u[])
{
  const lw_simulation_options o = {.formulation = f,
                                   .integrator = i,
                                   .end = end,
                                   .output_step = end,
                                   .rtol = 1e-12,
                                   .atol = 1e-14,
                                   .step = i == LW_INTEGRATOR_RK4 ? step : 0};
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  if (!sim || lw_simulation_advance(sim, end, q, u, &err) != LW_OK) fail_msg("%s", err.text);
  lw_simulation_free(sim);
}

static const lw_integrator integrators[] = {LW_INTEGRATOR_ADAMS, LW_INTEGRATOR_BDF,
                                            LW_INTEGRATOR_RK, LW_INTEGRATOR_RK4};

/* ---- an excavator's cylinder ---- */

static void hydraulics(const pair *p, double t, const double y[], double tau[2], double zdot[])
{
  (void)t;
  const double area = 0.008, bulk = 1.2e9, dead = 0.002, supply = 2.5e7, gain = 8e-7, leak = 2e-12;
  const double at[3] = {1.4, 0.3, 0};
  double J[12], x[2], v[2] = {0}, c = cos(y[0]), s = sin(y[0]);
  lwt_ok(lw_kinematics(p->w, y, y + 2));
  lwt_ok(lw_jacobian(p->w, lw_find_body(p->bare, "boom"), at, J)); /* [angular; linear] x nu */
  x[0] = c * at[0] - s * at[1] - 0.4;
  x[1] = s * at[0] + c * at[1] + 0.3;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      v[i] += J[2 * (3 + i) + k] * y[2 + k];
  const double l = hypot(x[0], x[1]), lrate = (x[0] * v[0] + x[1] * v[1]) / l;
  const double valve = y[4], pressure = y[5], flow = gain * valve * sqrt(supply - pressure);
  for (int k = 0; k < 2; k++)
    tau[k] = area * pressure / l * (x[0] * J[2 * 3 + k] + x[1] * J[2 * 4 + k]);
  tau[1] -= 4000 * (y[1] + 1.2) + 2500 * y[3];
  zdot[0] = (0.6 - valve) / 0.05;
  zdot[1] = bulk / (dead + area * (l - 0.8)) * (flow - area * lrate - leak * pressure);
}

static void an_excavator_is_the_system_written_out(void **state)
{
  (void)state;
  pair p = open_pair("excavator", "# ---- hydraulics", 2);
  const double end = 0.4;
  double y[MOST] = {0.4, -1.2, 0, 0, 0, 3.0e6}, q[MOST], u[MOST];
  integrate(&p, hydraulics, 0, end, 4000, y);
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    for (int i = 0; i < 4; i++) {
      simulate(p.whole, (lw_formulation)f, integrators[i], end, end / 8000, q, u);
      const double found[6] = {q[0], q[1], u[0], u[1], q[3] * 1, q[4] / 1e7};
      const double want[6] = {y[0], y[1], y[2], y[3], y[4], y[5] / 1e7};
      assert_int_equal(lw_nstate(p.whole), 3);
      lwt_near(q[2], 0.6, 0, "the lever is held");
      lwt_close(found, want, 6, 1e-10, 1, "formulation %d, integrator %d", f, (int)integrators[i]);
    }
  close_pair(&p);
}

/* ---- a PID-controlled arm, sampled ---- */

static void held(const pair *p, double t, const double y[], double tau[2], double zdot[])
{
  (void)t;
  const double at[3] = {0.4, 0, 0};
  double J[12];
  lwt_ok(lw_kinematics(p->w, y, y + 2));
  lwt_ok(lw_jacobian(p->w, lw_find_body(p->bare, "lower"), at, J));
  for (int k = 0; k < 2; k++)
    tau[k] = y[4 + k] - 9.81 * 1.5 * J[2 * 4 + k];
  zdot[0] = zdot[1] = 0; /* torques are held */
}

static void a_sampled_controller_is_the_one_written_out(void **state)
{
  (void)state;
  const double dt = 0.001, kp = 300, ki = 200, kd = 30;
  const int samples = 250;
  pair p = open_pair("pid-arm", "# ---- control", 2);
  double y[MOST] = {-1, 0.5}, sum[2] = {0}, q[MOST], u[MOST];
  for (int k = 0; k < samples; k++) {
    const double e[2] = {0.3 - y[0], 1.2 - y[1]};
    for (int i = 0; i < 2; i++)
      y[4 + i] = (i ? 0.3 : 1) * (kp * e[i] + ki * (sum[i] + dt * e[i]) - kd * y[2 + i]);
    for (int i = 0; i < 2; i++)
      sum[i] += dt * e[i];
    integrate(&p, held, k * dt, k < samples - 1 ? dt : dt / 2, 4, y);
  }
  for (int f = LW_FORMULATION_TREE; f <= LW_FORMULATION_CARTESIAN; f++)
    for (int i = 0; i < 4; i++) {
      simulate(p.whole, (lw_formulation)f, integrators[i], (samples - 0.5) * dt, dt / 20, q, u);
      /* torques as the errors of position that they are made of */
      const double found[8] = {q[0], q[1], u[0], u[1], q[4], q[5], q[6] / kp, q[7] / kp};
      const double want[8] = {y[0], y[1], y[2], y[3], sum[0], sum[1], y[4] / kp, y[5] / kp};
      lwt_close(found, want, 8, 1e-10, lwt_scale(want, 8), "formulation %d, integrator %d", f,
                (int)integrators[i]);
    }
  close_pair(&p);
}

/* ---- inputs ---- */

static void inputs_are_held_until_they_are_changed(void **state)
{
  (void)state;
  static const char text[] = "linkwork: 1\ngravity: [0, 0, 0]\n"
                             "bodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
                             "joints: {J: {type: prismatic, parent: ground, child: a}}\n"
                             "inputs: {f: 3}\n"
                             "forces: {M: {type: motor, joint: J, value: f}}\n";
  lw_model *m = compile_text(text);
  lw_error err = {0};
  assert_true(lw_state_is_input(m, 0));
  for (int i = 0; i < 4; i++) {
    const lw_simulation_options o = {.integrator = integrators[i], .end = 3, .step = 0.1};
    lw_simulation *sim = lw_simulation_new(m, &o, &err);
    double q[2], u[1];
    assert_non_null(sim);
    lwt_ok(lw_simulation_advance(sim, 1.25, q, u, &err));
    lwt_near(u[0], 3 * 1.25 / 2, 1e-12, "speed before");
    lwt_ok(lw_simulation_set_input(sim, "f", -8, &err));
    lwt_ok(lw_simulation_advance(sim, 2, q, u, &err));
    lwt_near(u[0], 3 * 1.25 / 2 - 8 * 0.75 / 2, 1e-11, "speed after");
    lwt_near(q[1], -8, 0, "the input");
    assert_int_equal(lw_simulation_set_input(sim, "g", 1, &err), LW_E_ARG);
    assert_int_equal(lw_simulation_set_input(sim, "f", (double)NAN, &err), LW_E_NUMBER);
    lw_energy_balance b;
    lwt_ok(lw_simulation_energy(sim, &b));
    lwt_near(b.error, 0, 1e-9, "energy against work");
    lw_simulation_free(sim);
  }
  lw_model_free(m);
}

static int pull(void *context, double t, const double q[], const double u[], double inputs[])
{
  int *calls = context;
  (void)t, (void)u;
  inputs[0] = 4 - q[0];
  return ++*calls > 1000;
}

/* a controller in the program is the same one in the model */
static void a_controller_of_the_caller_is_a_sampled_value(void **state)
{
  (void)state;
  static const char text[] = "linkwork: 1\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
                             "joints: {J: {type: prismatic, parent: ground, child: a}}\n"
                             "inputs: {f: 0}\nstates: {h: {every: 0.05, value: \"4 - q.J\"}}\n"
                             "forces: {M: {type: motor, joint: J, value: \"30*%s\"}}\n";
  for (int i = 0; i < 4; i++) {
    double q[2][3], u[2][1];
    for (int k = 0; k < 2; k++) {
      char own[400];
      lw_error err = {0};
      int calls = 0;
      snprintf(own, sizeof own, text, k ? "f" : "h");
      lw_model *m = compile_text(own);
      const lw_simulation_options o = {.integrator = integrators[i], .end = 1, .step = 0.01};
      lw_simulation *sim = lw_simulation_new(m, &o, &err);
      if (k) lwt_ok(lw_simulation_control(sim, 0.05, pull, &calls, &err));
      lwt_ok(lw_simulation_advance(sim, 0.97, q[k], u[k], &err));
      assert_int_equal(calls, k ? 20 : 0);
      assert_int_equal(lw_simulation_control(sim, 0, pull, NULL, &err), LW_E_ARG);
      lw_simulation_free(sim);
      lw_model_free(m);
    }
    lwt_near(q[0][0], q[1][0], 1e-12, "positions");
    lwt_near(q[1][1], q[0][2], 1e-12, "the input is what the model samples");
  }
}

/* ---- laws of the program ---- */

typedef struct {
  double k, c;
  int values, slopes;
} program_law;

static int law_value(void *context, double t, const double q[], const double u[], double inputs[])
{
  program_law *l = context;
  l->values++;
  inputs[0] = -l->k * sin(q[0]) - l->c * u[0] * u[0] * u[0] + 0.3 * t;
  inputs[1] = l->k * u[1] * q[0];
  return 0;
}

static int law_derivative(void *context, double t, const double q[], const double u[],
                          const lw_input_direction *x, double inputs_p[])
{
  program_law *l = context;
  (void)t;
  l->slopes++;
  const double k_p = x->k == 0 ? x->p_p : 0, c_p = x->k == 1 ? x->p_p : 0;
  inputs_p[0] = -k_p * sin(q[0]) - l->k * cos(q[0]) * x->q_p[0] - c_p * u[0] * u[0] * u[0] -
                3 * l->c * u[0] * u[0] * x->u_p[0];
  inputs_p[1] = k_p * u[1] * q[0] + l->k * (x->u_p[1] * q[0] + u[1] * x->q_p[0]);
  return 0;
}

static const char law_text[] =
    "linkwork: 1\nparameters: {k: 3, c: 0.4}\n%s\nbodies:\n"
    "  a: {mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.12, 0.02]}\n"
    "  b: {mass: 1, com: [0, 0.1, -0.5], inertia: [0.1, 0.12, 0.02]}\n"
    "joints:\n  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.4}\n"
    "  B: {type: revolute, parent: a, child: b, axis: [0, 1, 0.2], at: [0, 0, -1], u: 2}\n"
    "forces:\n  M: {type: motor, joint: A, value: \"%s\"}\n"
    "  F: {type: force, body: b, axes: body, force: [\"%s\", 0, 0]}\n"
    "events:\n  - {when: q.A - 0.1, impulse: {body: b, linear: [0.3, 0, 0]}}\n"
    "outputs: {power: load.M*u.A}\n"
    "simulation: {end: 1, rtol: 1e-10, atol: 1e-12}\n"
    "sensitivity: {objectives: {work: {integral: power}}}\n";

static const lw_formulation every_formulation[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                                   LW_FORMULATION_CARTESIAN};

typedef struct {
  double q[4], u[2], dq[8], du[4], row[6], drow[12], objective, gradient[2], energy;
} law_run;

static law_run run_law(lw_model *m, lw_sensitivity_options o)
{
  lw_error err = {0};
  law_run r = {0};
  double q[4], u[2], row[2];
  o.columns = "energy.total,load.M,fx.F,power,udot.A,tx.B";
  lw_sensitivity *s = lw_sensitivity_new(m, (const char *const[]){"k", "c"}, 2, &o, &err);
  if (!s) fail_msg("%s", err.text);
  const int nq = lw_nq(m);
  double dq[8];
  lwt_ok(lw_sensitivity_advance(s, 1, r.q, r.u, dq, r.du, &err));
  for (int k = 0; k < 2; k++)
    memcpy(r.dq + 2 * k, dq + (size_t)k * (size_t)nq, 2 * sizeof(double));
  lwt_ok(lw_sensitivity_row(s, r.row, r.drow));
  lwt_ok(lw_sensitivity_objectives(s, &r.objective, r.gradient));
  lw_sensitivity_free(s);
  lw_simulation *sim = lw_simulation_new(m, &o.simulation, &err);
  lw_columns *c = lw_columns_new(m, "energy.error", &err);
  lwt_ok(lw_columns_follow(c, sim, &err));
  lwt_ok(lw_simulation_advance(sim, 1, q, u, &err));
  lwt_ok(lw_columns_row(c, 1, q, u, row));
  r.energy = row[1]; /* after t */
  lwt_near(q[0], r.q[0], 1e-8, "with and without derivatives");
  lw_columns_free(c);
  lw_simulation_free(sim);
  return r;
}

/* inputs that the program computes are the expressions of the model, with their derivatives */
static void a_law_of_the_program_is_one_of_the_model(void **state)
{
  (void)state;
  char text[2][2000];
  snprintf(text[0], sizeof text[0], law_text, "", "-k*sin(q.A) - c*u.A^3 + 0.3*t", "k*u.B*q.A");
  snprintf(text[1], sizeof text[1], law_text, "inputs: {torque: 0, push: 0}", "torque", "push");
  lw_model *m[2] = {compile_text(text[0]), compile_text(text[1])};
  const law_run expected =
      run_law(m[0], (lw_sensitivity_options){.simulation = lw_simulation_defaults(m[0])});
  for (int f = 0; f < 3; f++) {
    program_law l = {3, 0.4, 0, 0};
    lw_sensitivity_options o = {.simulation = lw_simulation_defaults(m[1])};
    o.simulation.formulation = every_formulation[f];
    o.simulation.inputs = (lw_input_law){law_value, law_derivative, &l};
    const law_run r = run_law(m[1], o);
    assert_true(l.values > 100 && l.slopes > 100);
    for (int i = 0; i < 2; i++)
      lwt_near(r.q[i], expected.q[i], 1e-8, "q");
    for (int i = 0; i < 4; i++) {
      lwt_near(r.dq[i], expected.dq[i], 1e-7, "dq");
      lwt_near(r.du[i], expected.du[i], 1e-6, "du");
    }
    for (int i = 0; i < 6; i++)
      lwt_near(r.row[i], expected.row[i], 1e-6, "row");
    for (int i = 0; i < 12; i++)
      lwt_near(r.drow[i], expected.drow[i], 1e-5, "drow");
    lwt_near(r.gradient[0], expected.gradient[0], 1e-6, "gradient");
    lwt_near(r.gradient[1], expected.gradient[1], 1e-6, "gradient");
    lwt_near(r.energy, expected.energy, 1e-6, "the balance of energy");
  }
  lw_model_free(m[0]);
  lw_model_free(m[1]);
}

static int give_up(void *context, double t, const double q[], const double u[], double inputs[])
{
  (void)q, (void)u, (void)inputs;
  return t > 0.5 ? *(int *)context : 0;
}

static void a_law_without_derivatives_is_refused_and_one_that_stops_ends_the_run(void **state)
{
  (void)state;
  char text[2000];
  lw_error err = {0};
  double q[4], u[2];
  int answer = -1;
  snprintf(text, sizeof text, law_text, "inputs: {torque: 0, push: 0}", "torque", "push");
  lw_model *m = compile_text(text);
  lw_sensitivity_options o = {.simulation = {.inputs = {give_up, NULL, &answer}}};
  assert_null(lw_sensitivity_new(m, NULL, 0, &o, &err));
  assert_non_null(strstr(err.text, "need their derivatives"));
  lw_simulation *sim = lw_simulation_new(m, &o.simulation, &err);
  assert_int_equal(lw_simulation_advance(sim, 1, q, u, &err), LW_E_STOPPED);
  lw_simulation_free(sim);
  answer = 1;
  sim = lw_simulation_new(m, &o.simulation, &err);
  assert_int_not_equal(lw_simulation_advance(sim, 1, q, u, &err), LW_OK);
  assert_true(lw_simulation_time(sim) <= 0.5 + 1e-6);
  lw_simulation_free(sim);
  lw_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_excavator_is_the_system_written_out),
      cmocka_unit_test(a_sampled_controller_is_the_one_written_out),
      cmocka_unit_test(inputs_are_held_until_they_are_changed),
      cmocka_unit_test(a_controller_of_the_caller_is_a_sampled_value),
      cmocka_unit_test(a_law_of_the_program_is_one_of_the_model),
      cmocka_unit_test(a_law_without_derivatives_is_refused_and_one_that_stops_ends_the_run),
  };
  return cmocka_run_group_tests_name("identity/states", tests, NULL, NULL);
}
