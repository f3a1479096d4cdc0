/* SPDX-License-Identifier: Apache-2.0 */
/* program_laws.c -- a pendulum on a motor, with loads and a controller that this program computes.

   The model has three inputs: the drag of the bob, which follows from the state at every evaluation
   (lw_input_law), the torque of a controller, which is computed every 10 ms and held
   (lw_simulation_control), and a disturbance, which the program changes while the simulation runs
   (lw_simulation_set_input). */
#include <linkwork/all.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "linkwork: 1\n"
    "parameters: {L: 0.8}\n"
    "inputs: {drag: 0, torque: 0, gust: 0}\n"
    "bodies: {bob: {mass: 2, com: [0, 0, -L], inertia: [0.1, 0.1, 0.01]}}\n"
    "joints: {A: {type: revolute, parent: ground, child: bob, axis: y, q: 60 deg}}\n"
    "forces:\n"
    "  D: {type: force, body: bob, at: [0, 0, -L], axes: body, force: [drag + gust, 0, 0]}\n"
    "  M: {type: motor, joint: A, value: torque}\n"
    "simulation: {end: 2}\n";

enum { DRAG, TORQUE, GUST }; /* inputs, in the order of the model */

typedef struct {
  double c, L;     /* of the drag */
  double integral; /* of the controller */
} laws;

/* -c v^2 against the motion; the speed of the bob along its x axis is -L u */
static int drag(void *context, double t, const double q[], const double u[], double inputs[])
{
  const laws *l = context;
  const double v = -l->L * u[0];
  (void)t, (void)q;
  inputs[DRAG] = -l->c * v * fabs(v);
  return 0;
}

/* ... and how it changes with the speed, and with L, the only parameter */
static int drag_derivative(void *context, double t, const double q[], const double u[],
                           const lw_input_direction *along, double inputs_p[])
{
  const laws *l = context;
  const double v = -l->L * u[0], v_p = -l->L * along->u_p[0] - along->p_p * u[0];
  (void)t, (void)q;
  inputs_p[DRAG] = -2 * l->c * fabs(v) * v_p;
  return 0;
}

static int control(void *context, double t, const double q[], const double u[], double inputs[])
{
  laws *l = context;
  const double error = 0.5 - q[0];
  (void)t;
  l->integral += 0.01 * error;
  inputs[TORQUE] = 40 * error + 30 * l->integral - 8 * u[0];
  return 0;
}

static int run(const lw_model *m, const lw_simulation_options *options, laws *l, lw_error *err)
{
  double q[4], u[1];
  lw_simulation *sim = lw_simulation_new(m, options, err);
  if (!sim) return 1;
  lw_status status = lw_simulation_control(sim, 0.01, control, l, err);
  for (double t = 0.5; t < 2.1 && status == LW_OK; t += 0.5) {
    status = lw_simulation_advance(sim, t, q, u, err);
    if (status == LW_OK) printf("t = %.1f s: angle %9.6f rad, speed %9.6f rad/s\n", t, q[0], u[0]);
    if (status == LW_OK) status = lw_simulation_set_input(sim, "gust", t < 1.2 ? 5 : 0, err);
  }
  lw_simulation_free(sim);
  return status != LW_OK;
}

/* d(angle)/dL after a second without the controller */
static int differentiate(const lw_model *m, const lw_simulation_options *options, lw_error *err)
{
  double q[4], u[1], dq[4], du[1];
  const lw_sensitivity_options o = {.simulation = *options};
  lw_sensitivity *s = lw_sensitivity_new(m, (const char *const[]){"L"}, 1, &o, err);
  if (!s) return 1;
  const lw_status status = lw_sensitivity_advance(s, 1, q, u, dq, du, err);
  if (status == LW_OK)
    printf("without the controller: angle %.6f rad, by L %.6f rad/m\n", q[0], dq[0]);
  lw_sensitivity_free(s);
  return status != LW_OK;
}

int main(void)
{
  lw_error err = {.status = LW_OK};
  laws l = {.c = 0.7, .L = 0.8};
  lw_spec *spec = lw_spec_parse(text, strlen(text), NULL, &err);
  lw_model *m = spec ? lw_compile(spec, &err) : NULL;
  lw_spec_free(spec);
  int failed = !m;
  if (m) {
    lw_simulation_options options = lw_simulation_defaults(m);
    options.inputs = (lw_input_law){drag, drag_derivative, &l};
    failed = run(m, &options, &l, &err) || differentiate(m, &options, &err);
  }
  if (failed) fprintf(stderr, "%s\n", err.text);
  lw_model_free(m);
  return failed;
}
