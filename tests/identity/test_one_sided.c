/* SPDX-License-Identifier: Apache-2.0 */
/* Random mechanisms with limits, friction and loops: at every output time limits hold, loads are within their bounds,
   and energy is never created; formulations agree on every instant. */
#include "linkwork/all.h"
#include "model_texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6, ROWS = 40 };

typedef struct {
  int n;
  bool slides[MOST];                                          /* prismatic */
  double lower[MOST], upper[MOST], kinetic[MOST], most[MOST]; /* NaN: none */
  char text[6000];
} mechanism;

static void add_joint(mechanism *x, lwt_random *r, int i, int parent, char **to)
{
  double axis[3];
  char name[20] = "ground";
  lwt_unit_vector(r, axis);
  if (parent > 0) sprintf(name, "b%d", parent);
  x->slides[i] = lwt_pick(r, 4) == 0;
  x->lower[i] = x->upper[i] = x->kinetic[i] = x->most[i] = (double)NAN;
  *to += sprintf(
      *to, "  j%d: {type: %s, parent: %s, child: b%d, at: [%g, %g, %g], axis: [%g, %g, %g], u: %g",
      i + 1, x->slides[i] ? "prismatic" : "revolute", name, i + 1, lwt_uniform(r, -0.3, 0.3),
      lwt_uniform(r, -0.3, 0.3), lwt_uniform(r, -0.3, 0.3), axis[0], axis[1], axis[2],
      lwt_uniform(r, -1, 1));
  const double range = x->slides[i] ? 0.2 : 1;
  if (lwt_pick(r, 3)) {
    x->lower[i] = -range * lwt_uniform(r, 0.2, 1);
    x->upper[i] = range * lwt_uniform(r, 0.2, 1);
    *to += sprintf(*to, ", limits: {lower: %.17g, upper: %.17g, restitution: %g}", x->lower[i],
                   x->upper[i], lwt_pick(r, 2) ? lwt_uniform(r, 0, 0.9) : 0);
  } else if (x->slides[i]) {
    *to += sprintf(*to, ", limits: {lower: -0.3, upper: 0.3, stiffness: 2000, damping: 5}");
  }
  if (lwt_pick(r, 3)) {
    x->kinetic[i] = lwt_uniform(r, 0.05, x->slides[i] ? 6 : 1.2);
    x->most[i] = x->kinetic[i] * lwt_uniform(r, 1, 1.5);
    *to += sprintf(*to, ", friction: {load: %.17g, static: %.17g}", x->kinetic[i], x->most[i]);
  }
  *to += sprintf(*to, "}\n");
}

static void make(mechanism *x, unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  char *to = x->text;
  x->n = 2 + lwt_pick(&r, MOST - 1);
  to += sprintf(to, "linkwork: 1\nbodies:\n");
  for (int i = 1; i <= x->n; i++)
    to += sprintf(to, "  b%d: {mass: %g, com: [%g, %g, %g], inertia: [%g, %g, %g]}\n", i,
                  lwt_uniform(&r, 0.5, 2), lwt_uniform(&r, -0.2, 0.2), lwt_uniform(&r, -0.2, 0.2),
                  lwt_uniform(&r, -0.2, 0.2), lwt_uniform(&r, 0.02, 0.03),
                  lwt_uniform(&r, 0.02, 0.03), lwt_uniform(&r, 0.02, 0.03));
  to += sprintf(to, "joints:\n");
  for (int i = 0; i < x->n; i++)
    add_joint(x, &r, i, lwt_pick(&r, i + 1), &to);
  sprintf(to, "simulation: {end: 1, rtol: 1e-10, atol: 1e-12}\n");
}

typedef struct {
  int n;
  double t[400];
} instants;

static int note(void *context, const lw_event_report *r, bool after)
{
  instants *l = context;
  if (after && l->n < 400) l->t[l->n++] = r->time;
  return 0;
}

static double value(const lw_columns *c, const double row[], const char *format, int joint)
{
  char name[40];
  sprintf(name, format, joint);
  for (int i = 0; i < lw_columns_count(c); i++)
    if (strcmp(lw_columns_name(c, i), name) == 0) return row[i];
  return (double)NAN;
}

/* complementarity of joint i: within its limits; loads push, or are within the friction; no load without contact */
static void check_joint(const mechanism *x, const lw_columns *c, const double row[], int i,
                        unsigned seed)
{
  const double q = value(c, row, "q.j%d", i + 1), u = value(c, row, "u.j%d", i + 1);
  const double low = value(c, row, "load.lower.j%d", i + 1),
               high = value(c, row, "load.upper.j%d", i + 1);
  const double state = value(c, row, "state.j%d", i + 1),
               load = value(c, row, "load.friction.j%d", i + 1),
               held = state == 3 ? load : (double)NAN, most = isnan(x->most[i]) ? 0 : x->most[i];
  if (!(q >= x->lower[i] - 1e-9) && !isnan(x->lower[i]))
    fail_msg("seed %u: j%d below its limit by %g", seed, i + 1, x->lower[i] - q);
  if (!(q <= x->upper[i] + 1e-9) && !isnan(x->upper[i]))
    fail_msg("seed %u: j%d above its limit by %g", seed, i + 1, q - x->upper[i]);
  if (!isnan(low) && (low < -most - 1e-9 || fabs(q - x->lower[i]) > 1e-9 || fabs(u) > 1e-9))
    fail_msg("seed %u: j%d rests on its lower limit with load %g, at %g, u %g", seed, i + 1, low,
             q - x->lower[i], u);
  if (!isnan(high) && (high > most + 1e-9 || fabs(q - x->upper[i]) > 1e-9 || fabs(u) > 1e-9))
    fail_msg("seed %u: j%d rests on its upper limit with load %g, at %g, u %g", seed, i + 1, high,
             q - x->upper[i], u);
  if (!isnan(held) && (fabs(held) > most * (1 + 1e-9) || fabs(u) > 1e-9))
    fail_msg("seed %u: j%d sticks with load %g of %g, u %g", seed, i + 1, held, most, u);
}

static void run(const mechanism *x, unsigned seed, lw_formulation f, instants *l, double q[],
                double u[])
{
  lw_error err = {0};
  lw_model *m = try_model(x->text, &err);
  if (!m) fail_msg("seed %u: %s", seed, err.text);
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = f}, &err);
  lw_columns *c = lw_columns_new(m, "t,q.*,u.*,load.*,state.*,energy.total,energy.error", &err);
  if (!sim || !c) fail_msg("seed %u: %s", seed, err.text);
  double *row = calloc((size_t)lw_columns_count(c) + 1, sizeof *row), energy = HUGE_VAL;
  *l = (instants){0};
  lw_simulation_on_event(sim, note, l);
  lwt_ok(lw_columns_follow(c, sim, &err));
  for (int k = 1; k <= ROWS; k++) {
    const double t = 1.0 * k / ROWS;
    if (lw_simulation_advance(sim, t, q, u, &err) != LW_OK) fail_msg("seed %u: %s", seed, err.text);
    lwt_ok(lw_columns_row(c, t, q, u, row));
    for (int i = 0; i < x->n; i++)
      check_joint(x, c, row, i, seed);
    const double now = value(c, row, "energy.total", 0), error = value(c, row, "energy.error", 0);
    if (!(now <= energy + 1e-7))
      fail_msg("seed %u: %g J are created before t = %g", seed, now - energy, t);
    if (!(fabs(error) <= 1e-6))
      fail_msg("seed %u: the balance of energy is off by %g at t = %g", seed, error, t);
    energy = now;
  }
  free(row);
  lw_columns_free(c);
  lw_simulation_free(sim);
  lw_model_free(m);
}

static unsigned first_seed = 1, last_seed = 50;

static void random_mechanisms_stick_slip_and_bounce_as_they_may(void **state)
{
  (void)state;
  int events = 0, compared = 0;
  const int seeds = (int)(last_seed - first_seed) + 1;
  for (unsigned seed = first_seed; seed <= last_seed; seed++) {
    mechanism x;
    instants l[3];
    double q[3][MOST], u[3][MOST];
    make(&x, seed);
    for (int f = 0; f < 3; f++)
      run(&x, seed, (lw_formulation)(LW_FORMULATION_TREE + f), &l[f], q[f], u[f]);
    events += l[0].n;
    for (int f = 1; f < 3; f++) {
      if (l[f].n != l[0].n) print_message("seed %u: %d and %d events\n", seed, l[0].n, l[f].n);
      if (l[f].n != l[0].n) continue;
      compared++;
      lwt_close(l[f].t, l[0].t, l[0].n, 1e-6, 1, "seed %u: times of formulation %d", seed, f);
      lwt_close(q[f], q[0], x.n, 1e-5, 1, "seed %u: positions of formulation %d", seed, f);
    }
  }
  assert_true(events > 5 * seeds / 2);
  assert_int_equal(compared, 2 * seeds);
}

/* [first last]: these seeds only */
int main(int argc, char *argv[])
{
  if (argc > 2) {
    first_seed = (unsigned)atoi(argv[1]);
    last_seed = (unsigned)atoi(argv[2]);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_mechanisms_stick_slip_and_bounce_as_they_may),
  };
  return cmocka_run_group_tests_name("identity/one_sided", tests, NULL, NULL);
}
