/* SPDX-License-Identifier: Apache-2.0 */
/* design -- a four-bar that does as it is told: lengths and a spring are chosen so that the follower comes to
   rest where it should, by NLopt's SLSQP with gradients from sensitivities of the whole run; then again with
   gradients from differences, to count the runs that each takes.

     design [tolerance] */
#include "linkwork/linkwork.h"

#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char text[] =
    "linkwork: 1\n"
    "name: four-bar to be designed\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {La: 0.3, Lb: 0.85, Lc: 0.7, ground: 0.8, k: 4}\n"
    "bodies:\n"
    "  a: {solid: {rod: {length: La, mass: 2*La, axis: [0, -1, 0]}}}\n"
    "  b: {solid: {rod: {length: Lb, mass: 2*Lb, axis: [0, -1, 0]}}}\n"
    "  c: {solid: {rod: {length: Lc, mass: 2*Lc, axis: [0, -1, 0]}}}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: a, q: 100 deg, hold: true}\n"
    "  B: {type: revolute, parent: a, child: b, at: [0, -La, 0], q: -30 deg}\n"
    "  C: {type: revolute, parent: ground, child: c, at: [ground, 0, 0], q: 20 deg}\n"
    "  D: {type: revolute, parent: b, child: c, at: [0, -Lb, 0], child_at: [0, -Lc, 0]}\n"
    "forces:\n"
    "  spring: {type: joint_spring, joint: A, stiffness: k, damping: 0.05}\n"
    "simulation: {end: 0.5, rtol: 1e-8, atol: 1e-10}\n"
    "sensitivity:\n"
    "  parameters: [La, Lb, Lc, k]\n"
    "  objectives:\n"
    /* after half a second the follower is to stand at 0.6, at rest; light links are preferred */
    "    miss: {final: \"(q.C - 0.6)^2 + 0.1*u.C^2 + 0.01*(La^2 + Lb^2 + Lc^2)\"}\n";

enum { N = 4 };
static const char *const names[N] = {"La", "Lb", "Lc", "k"};

typedef struct {
  lw_spec *spec;
  bool differences; /* gradients by differences of runs */
  int runs, calls;
} design;

/* the objective at x, and its gradient unless NULL; not finite where the mechanism cannot be built */
static double run(design *d, const double x[], double gradient[])
{
  lw_error err;
  double value = HUGE_VAL;
  for (int i = 0; i < N; i++)
    lw_set_parameter(d->spec, names[i], x[i]);
  d->runs++;
  lw_model *m = lw_compile(d->spec, &err);
  lw_sensitivity *s = m ? lw_sensitivity_new(m, names, gradient ? N : 1, NULL, &err) : NULL;
  if (s && lw_sensitivity_advance(s, lw_simulation_used(lw_sensitivity_simulation(s)).end, NULL,
                                  NULL, NULL, NULL, &err) == LW_OK)
    lw_sensitivity_objectives(s, &value, gradient);
  lw_sensitivity_free(s);
  lw_model_free(m);
  return value;
}

static double objective(unsigned n, const double *x, double *gradient, void *context)
{
  design *d = context;
  d->calls++;
  if (!d->differences || !gradient) return run(d, x, gradient);
  double shifted[N];
  const double value = run(d, x, NULL);
  for (unsigned i = 0; i < n;
       i++) { /* central: one-sided ones are too coarse for the last digits */
    const double h = 1e-5 * x[i];
    for (unsigned k = 0; k < n; k++)
      shifted[k] = x[k];
    shifted[i] = x[i] + h;
    const double up = run(d, shifted, NULL);
    shifted[i] = x[i] - h;
    gradient[i] = (up - run(d, shifted, NULL)) / (2 * h);
  }
  return value;
}

static double optimise(design *d, double tolerance, double x[N])
{
  static const double start[N] = {0.3, 0.85, 0.7, 4}, low[N] = {0.15, 0.6, 0.5, 0.1},
                      high[N] = {0.6, 1.1, 1.0, 20};
  double value = HUGE_VAL;
  nlopt_opt o = nlopt_create(NLOPT_LD_SLSQP, N);
  for (int i = 0; i < N; i++)
    x[i] = start[i];
  nlopt_set_min_objective(o, objective, d);
  nlopt_set_lower_bounds(o, low);
  nlopt_set_upper_bounds(o, high);
  nlopt_set_ftol_rel(o, tolerance);
  nlopt_set_maxeval(o, 200);
  nlopt_optimize(o, x, &value);
  nlopt_destroy(o);
  return value;
}

int main(int argc, char **argv)
{
  lw_error err;
  const double tolerance = argc > 1 ? atof(argv[1]) : 1e-3;
  design d = {.spec = lw_spec_parse(text, sizeof text - 1, "design", &err)};
  if (!d.spec) return fprintf(stderr, "%s\n", err.text), 1;
  const double start[N] = {0.3, 0.85, 0.7, 4}, first = run(&d, start, NULL);
  double value[2], x[2][N];
  printf("%-34s %12s %6s %6s   La, Lb, Lc, k\n", "gradients from", "objective", "calls", "runs");
  printf("%-34s %12.6g\n", "(start)", first);
  for (int way = 0; way < 2; way++) {
    d.differences = way == 1;
    d.runs = d.calls = 0;
    value[way] = optimise(&d, tolerance, x[way]);
    printf("%-34s %12.6g %6d %6d   %.4f, %.4f, %.4f, %.4f\n",
           way ? "differences of runs" : "sensitivities", value[way], d.calls, d.runs, x[way][0],
           x[way][1], x[way][2], x[way][3]);
  }
  lw_spec_free(d.spec);
  return value[0] < 0.5 * first ? 0 : 1;
}
