/* SPDX-License-Identifier: Apache-2.0 */
/* design -- the leg of a walking machine: a crank turns evenly, and for half a turn the foot on the
   coupler is to go straight and evenly too.  Six lengths of the four-bar are chosen by least
   squares (Gauss and Newton), with derivatives of the foot's path from sensitivities of the run;
   then again with derivatives from differences of runs, to count the runs that each takes. */
#include "linkwork/linkwork.h"
#include "linkwork/sensitivity.h"

#include <math.h>
#include <stdio.h>

static const char text[] =
    "linkwork: 1\n"
    "name: leg of a walking machine\n"
    "planar: true\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {a: 0.1, b: 0.25, c: 0.25, ground: 0.2, x: 0.5, y: 0}\n"
    "bodies:\n"
    "  crank: {solid: {rod: {length: a, mass: a, axis: x}}}\n"
    "  coupler: {solid: {rod: {length: x, mass: x, axis: x}}}\n"
    "  rocker: {solid: {rod: {length: c, mass: c, axis: x}}}\n"
    "  foot: {mass: 0.1, inertia: 1e-4}\n"
    "joints:\n"
    "  A: {type: revolute, parent: ground, child: crank}\n"
    "  B: {type: revolute, parent: crank, child: coupler, at: [a, 0, 0], q: -20 deg}\n"
    "  C: {type: revolute, parent: ground, child: rocker, at: [ground, 0, 0], q: 100 deg}\n"
    "  D: {type: revolute, parent: coupler, child: rocker, at: [b, 0, 0], child_at: [c, 0, 0]}\n"
    "  E: {type: fixed, parent: coupler, child: foot, at: [x, y, 0]}\n"
    "  motor: {type: driver, joint: A, value: \"pi/2 + 2*pi*t\"}\n"
    "simulation: {rtol: 1e-8, atol: 1e-10}\n";

enum { N = 6, TIMES = 11, R = 2 * TIMES }; /* parameters, and residuals: two per time */
static const char *const names[N] = {"a", "b", "c", "ground", "x", "y"};
static const double start[N] = {0.1, 0.25, 0.25, 0.2, 0.5, 0};

typedef struct {
  lw_spec *spec;
  int runs;
} design;

/* How far the foot is from where it should be, and unless NULL the derivatives of that.  The root
   of the mean square; not finite where the mechanism cannot be built. */
static double run(design *d, const double p[N], double r[R], double J[R][N])
{
  lw_error err;
  const lw_sensitivity_options columns = {.columns = "x.foot,y.foot"};
  double row[3], drow[3 * N], sum = 0; /* t comes first */
  for (int k = 0; k < N; k++)
    lw_set_parameter(d->spec, names[k], p[k]);
  d->runs++;
  lw_model *m = lw_compile(d->spec, &err);
  lw_sensitivity *s = m ? lw_sensitivity_new(m, names, J ? N : 1, &columns, &err) : NULL;
  int i = 0;
  for (; i < TIMES && s; i++) {
    const double t = 0.5 * i / (TIMES - 1), wanted[2] = {0.5 - t, 0.4};
    if (lw_sensitivity_advance(s, t, NULL, NULL, NULL, NULL, &err) != LW_OK) break;
    lw_sensitivity_row(s, row, drow);
    for (int j = 0; j < 2; j++) {
      r[2 * i + j] = row[1 + j] - wanted[j];
      sum += r[2 * i + j] * r[2 * i + j];
      for (int k = 0; k < N && J; k++)
        J[2 * i + j][k] = drow[3 * k + 1 + j];
    }
  }
  if (i < TIMES) sum = HUGE_VAL;
  lw_sensitivity_free(s);
  lw_model_free(m);
  return sqrt(sum / TIMES);
}

/* The same with derivatives by one-sided differences: a run more a parameter. */
static double run_differences(design *d, const double p[N], double r[R], double J[R][N])
{
  double moved[N], beside[R];
  const double h = 1e-6, value = run(d, p, r, NULL);
  for (int k = 0; k < N; k++) {
    for (int i = 0; i < N; i++)
      moved[i] = p[i] + (i == k ? h : 0);
    run(d, moved, beside, NULL);
    for (int i = 0; i < R; i++)
      J[i][k] = (beside[i] - r[i]) / h;
  }
  return value;
}

/* the step s for which |r + J s| is least: J'J s = -J'r, by elimination */
static void find_step(const double r[R], double J[R][N], double s[N])
{
  double A[N][N] = {{0}};
  for (int k = 0; k < N; k++) {
    s[k] = 0;
    for (int i = 0; i < R; i++) {
      s[k] -= J[i][k] * r[i];
      for (int l = 0; l < N; l++)
        A[k][l] += J[i][k] * J[i][l];
    }
  }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++) {
      const double f = A[i][k] / A[k][k];
      if (i == k) continue;
      for (int l = k; l < N; l++)
        A[i][l] -= f * A[k][l];
      s[i] -= f * s[k];
    }
  for (int k = 0; k < N; k++)
    s[k] /= A[k][k];
}

/* until a step gains less than a ten-thousandth; returns the distance that is left */
static double optimise(design *d, bool differences, double p[N])
{
  double r[R], J[R][N], s[N], last = HUGE_VAL, now;
  for (int k = 0; k < N; k++)
    p[k] = start[k];
  for (d->runs = 0;; last = now) {
    now = differences ? run_differences(d, p, r, J) : run(d, p, r, J);
    printf("  %2d runs: the foot is off by %9.6f mm\n", d->runs, 1e3 * now);
    if (!(now < (1 - 1e-4) * last)) return now;
    find_step(r, J, s);
    for (int k = 0; k < N; k++)
      p[k] += s[k];
  }
}

int main(void)
{
  lw_error err;
  design d = {.spec = lw_spec_parse(text, sizeof text - 1, "design", &err)};
  if (!d.spec) return fprintf(stderr, "%s\n", err.text), 1;
  double p[2][N], off[2];
  int runs[2];
  for (int way = 0; way < 2; way++) {
    printf("derivatives from %s\n", way == 0 ? "sensitivities" : "differences of runs");
    off[way] = optimise(&d, way == 1, p[way]);
    runs[way] = d.runs;
    for (int k = 0; k < N; k++)
      printf("%s %s = %.5f", k ? "," : "  ", names[k], p[way][k]);
    printf("\n");
  }
  lw_spec_free(d.spec);
  return off[0] < 6e-3 && runs[0] <= 6 && fabs(off[1] - off[0]) < 1e-6 ? 0 : 1;
}
