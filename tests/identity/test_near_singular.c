/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms of two freedoms that pass a singular configuration at a distance, where the motion turns sharply: energy
   is conserved as the tolerances say whatever the masses are, and accelerations there are right, or refused where rounding
   errors decide, in every formulation. */
#include "linkwork/file.h"
#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One in so many runs; with the argument "all" all of them, half a minute or so. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static int every = 101;
#else
static int every = 11;
#endif

static const lw_formulation formulation[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                             LW_FORMULATION_CARTESIAN};
static const char *const formulation_name[] = {"tree", "dca", "cartesian"};
enum { FORMULATIONS = 3, SEEDS = 12 };

/* a planar five-bar near the configuration in which all its bars are in line */
typedef struct {
  double length[4], mass[4], ground;
  double q[4]; /* angles of its bars at the distance delta, to the x axis */
  char text[2048];
} five_bar;

/* The point at the distances r from p and s from q. */
static bool intersect(const double p[2], double r, const double q[2], double s, double side,
                      double out[2])
{
  const double d[2] = {q[0] - p[0], q[1] - p[1]}, D = hypot(d[0], d[1]);
  const double along = (D * D + r * r - s * s) / (2 * D), square = r * r - along * along;
  if (!(square >= 0)) return false;
  const double across = side * sqrt(square);
  out[0] = p[0] + (along * d[0] - across * d[1]) / D;
  out[1] = p[1] + (along * d[1] + across * d[0]) / D;
  return true;
}

static bool place(five_bar *b, lwt_random *r, const double sign[4], double delta)
{
  double knee[2] = {0}, top[2];
  const double far[2] = {b->ground, 0};
  for (int i = 0; i < 2; i++) {
    b->q[i] = (sign[i] > 0 ? 0 : 3.14159265358979323846) + delta * lwt_uniform(r, -1, 1);
    knee[0] += b->length[i] * cos(b->q[i]), knee[1] += b->length[i] * sin(b->q[i]);
  }
  if (!intersect(knee, b->length[2], far, b->length[3], lwt_pick(r, 2) ? 1 : -1, top)) return false;
  b->q[2] = atan2(top[1] - knee[1], top[0] - knee[0]);
  b->q[3] = atan2(top[1], top[0] - b->ground);
  return true;
}

static void write(five_bar *b, lwt_random *r)
{
  static const char *const pattern =
      "linkwork: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
      "  a: {solid: {rod: {length: %.17g, mass: %.17g, axis: x}}}\n"
      "  b: {solid: {rod: {length: %.17g, mass: %.17g, axis: x}}}\n"
      "  c: {solid: {rod: {length: %.17g, mass: %.17g, axis: x}}}\n"
      "  d: {solid: {rod: {length: %.17g, mass: %.17g, axis: x}}}\n"
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: a, q: %.17g, u: %.17g}\n"
      "  B: {type: revolute, parent: a, child: b, at: [%.17g, 0], q: %.17g, u: %.17g}\n"
      "  C: {type: revolute, parent: b, child: c, at: [%.17g, 0], q: %.17g}\n"
      "  E: {type: revolute, parent: ground, child: d, at: [%.17g, 0], q: %.17g}\n"
      "  D: {type: revolute, parent: c, child: d, at: [%.17g, 0], child_at: [%.17g, 0]}\n";
  const double *L = b->length, *m = b->mass, *q = b->q;
  const double u = lwt_uniform(r, -1, 1), v = lwt_uniform(r, -1, 1);
  snprintf(b->text, sizeof b->text, pattern, L[0], m[0], L[1], m[1], L[2], m[2], L[3], m[3], q[0],
           u, L[0], q[1] - q[0], v, L[1], q[2] - q[1], b->ground, q[3], L[2], L[3]);
}

/* False: no such mechanism. */
static bool make(five_bar *b, unsigned seed, double delta, double ratio)
{
  lwt_random r = lwt_seed(seed);
  double sign[4];
  b->ground = 0;
  for (int i = 0; i < 4; i++) {
    b->length[i] = lwt_uniform(&r, 0.5, 1.5);
    b->mass[i] = lwt_uniform(&r, 0.5, 2) * (i == (int)(seed % 4) ? ratio : 1);
    sign[i] = i == 0 ? 1 : i == 1 ? -1 : lwt_pick(&r, 2) ? 1 : -1;
    b->ground += sign[i] * b->length[i];
  }
  bool placed = fabs(b->ground) > 0.2;
  for (int k = 0; placed && k < 100; k++)
    if (place(b, &r, sign, delta)) {
      write(b, &r);
      return true;
    }
  return false;
}

static lw_model *compile(const five_bar *b)
{
  lw_error err = {0};
  lw_spec *s = lw_spec_parse(b->text, strlen(b->text), "five-bar", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m) fail_msg("%s: %s", err.text, b->text);
  lw_spec_free(s);
  return m;
}

/* ---- runs ---- */

/* runs, and those that were refused because the mechanism comes too close */
static int runs, refused;

/* From the state (q, u), if `from`, or that of the model, to the end; the state there replaces it.
   False: refused. */
static bool run(const lw_model *m, const lw_simulation_options *o, bool from, double q[],
                double u[], lw_energy_balance *balance, const char *what)
{
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, o, &err);
  if (!sim) fail_msg("%s: %s", what, err.text);
  const bool done = (!from || lw_simulation_start(sim, 0, q, u, &err) == LW_OK) &&
                    lw_simulation_advance(sim, o->end, q, u, &err) == LW_OK;
  runs++;
  refused += !done;
  if (!done && !strstr(err.text, "passes closely by a singular configuration"))
    fail_msg("%s: %s", what, err.text);
  if (done) lwt_ok(lw_simulation_energy(sim, balance));
  lw_simulation_free(sim);
  return done;
}

/* Leaves the neighbourhood of the singular configuration and comes back with opposite speeds. */
static void there_and_back(unsigned seed, double delta, double ratio, int k,
                           lw_integrator integrator)
{
  five_bar b;
  char what[200];
  double q[8], u[8];
  lw_energy_balance e;
  if (!make(&b, seed, delta, ratio)) return;
  snprintf(what, sizeof what, "seed %u, distance %g, mass ratio %g, %s", seed, delta, ratio,
           formulation_name[k]);
  lw_model *m = compile(&b);
  lw_simulation_options o = {.end = 0.5, .output_step = 0.5, .rtol = 1e-9};
  bool done = run(m, &o, false, q, u, &e, what);
  for (int i = 0; i < lw_nu(m) && done; i++)
    u[i] = -u[i];
  o = (lw_simulation_options){.formulation = formulation[k],
                              .integrator = integrator,
                              .end = 1,
                              .output_step = 1,
                              .rtol = 1e-8};
  done = done && run(m, &o, true, q, u, &e, what);
  const double moved = done ? fmax(1, fmax(e.kinetic, fabs(e.potential))) : 1;
  if (done && !(fabs(e.error) <= fmin(e.explained, 2e-6 * moved) && e.explained <= 0.01 * moved))
    fail_msg("%s: energy is off by %g, tolerances explain %g", what, e.error, e.explained);
  lw_model_free(m);
}

static void energy_is_conserved_past_singular_configurations(void **state)
{
  static const double delta[] = {1e-2, 1e-3, 1e-4}, ratio[] = {1, 1e-3, 1e-6, 1e-9};
  int count = 0;
  (void)state;
  for (unsigned seed = 1; seed <= SEEDS; seed++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < FORMULATIONS; k++)
          if (count++ % every == 0)
            there_and_back(seed, delta[i], ratio[j], k,
                           seed % 4 == 3 ? LW_INTEGRATOR_RK : LW_INTEGRATOR_AUTO);
  if (refused > (runs < 40 ? 1 : runs / 20)) fail_msg("%d of %d runs were refused", refused, runs);
}

/* ---- accelerations ---- */

/* Of all bodies together, in extended precision: M a + G^T lambda = f, G a = gamma for the angles of the bars, their
   centres, and the loads of the five joints. */
enum { BARS = 4, JOINTS = 5, UNKNOWNS = 3 * BARS + 2 * JOINTS };
typedef struct {
  long double A[UNKNOWNS][UNKNOWNS], x[UNKNOWNS];
} dense;

static void eliminate(dense *s, int k)
{
  int best = k;
  for (int i = k; i < UNKNOWNS; i++)
    if (fabsl(s->A[i][k]) > fabsl(s->A[best][k])) best = i;
  for (int j = 0; j < UNKNOWNS; j++) {
    const long double t = s->A[k][j];
    s->A[k][j] = s->A[best][j], s->A[best][j] = t;
  }
  const long double t = s->x[k];
  s->x[k] = s->x[best], s->x[best] = t;
  for (int i = k + 1; i < UNKNOWNS; i++) {
    const long double f = s->A[i][k] / s->A[k][k];
    for (int j = k; j < UNKNOWNS; j++)
      s->A[i][j] -= f * s->A[k][j];
    s->x[i] -= f * s->x[k];
  }
}

static void solve(dense *s)
{
  for (int k = 0; k < UNKNOWNS; k++)
    eliminate(s, k);
  for (int k = UNKNOWNS - 1; k >= 0; k--) {
    for (int j = k + 1; j < UNKNOWNS; j++)
      s->x[k] -= s->A[k][j] * s->x[j];
    s->x[k] /= s->A[k][k];
  }
}

/* the end of a bar at a joint, `arm` from its centre: its acceleration, times sign, in two rows */
static void add_end(dense *s, int row, int bar, long double arm, int sign, long double angle,
                    long double speed)
{
  const long double x = arm * cosl(angle), y = arm * sinl(angle);
  const long double J[2][3] = {{-y, 1, 0}, {x, 0, 1}}, swing[2] = {x, y};
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < 3; i++)
      s->A[row + r][3 * bar + i] = s->A[3 * bar + i][row + r] = (long double)sign * J[r][i];
    s->x[row + r] += (long double)sign * swing[r] * speed * speed;
  }
}

/* angles, speeds and then accelerations of the bars */
static void find_reference(const five_bar *b, const long double angle[], const long double speed[],
                           long double acceleration[])
{
  static const int from[JOINTS] = {-1, 0, 1, -1, 2}, to[JOINTS] = {0, 1, 2, 3, 3};
  dense s = {0};
  for (int i = 0; i < BARS; i++) {
    const long double mass = (long double)b->mass[i], length = (long double)b->length[i];
    s.A[3 * i][3 * i] = mass * length * length / 12;
    s.A[3 * i + 1][3 * i + 1] = s.A[3 * i + 2][3 * i + 2] = mass;
    s.x[3 * i + 2] = -9.81L * mass;
  }
  for (int j = 0; j < JOINTS; j++)
    for (int side = 0; side < 2; side++) {
      const int bar = side ? to[j] : from[j];
      if (bar < 0) continue;
      const bool far = !side || j == JOINTS - 1; /* the last one joins two ends */
      const long double half = (long double)b->length[bar] / 2;
      add_end(&s, 3 * BARS + 2 * j, bar, far ? half : -half, side ? 1 : -1, angle[bar], speed[bar]);
    }
  solve(&s);
  for (int i = 0; i < BARS; i++)
    acceleration[i] = s.x[3 * i];
}

/* Sums of coordinates of the joints A, B and then either C or E and D, whichever the tree has. */
static void sum_up(const lw_model *m, const double x[], long double bar[BARS])
{
  const lw_joint_info C = lw_get_joint(m, lw_find_joint(m, "C")),
                      E = lw_get_joint(m, lw_find_joint(m, "E"));
  const lw_joint_info D = lw_get_joint(m, lw_find_joint(m, "D"));
  bar[0] = (long double)x[lw_get_joint(m, lw_find_joint(m, "A")).u];
  bar[1] = bar[0] + (long double)x[lw_get_joint(m, lw_find_joint(m, "B")).u];
  bar[2] = C.cut ? 0 : bar[1] + (long double)x[C.u];
  bar[3] = E.cut ? bar[2] + (long double)x[D.u] : (long double)x[E.u];
  if (C.cut) bar[2] = bar[3] - (long double)x[D.u];
}

/* accelerations that were compared and refused, at distances at which none has to be */
static int compared, refused_far;

static void compare_motion(const lw_model *m, int k, double delta, const double q[],
                           const double u[], const long double right[], const char *what)
{
  double udot[8];
  lw_error err = {0};
  const lw_simulation_options o = {.formulation = formulation[k]};
  long double mine[BARS], most = 0;
  lw_dynamics *d = lw_dynamics_new(m, &o, &err);
  if (!d) fail_msg("%s: %s", what, err.text);
  const lw_status status = lw_dynamics_accelerate(d, 0, q, u, NULL, udot);
  lw_dynamics_free(d);
  if (status != LW_OK && status != LW_E_SINGULAR) fail_msg("%s: status %d", what, status);
  compared++;
  refused_far += status != LW_OK && delta > 5e-6;
  if (status != LW_OK) return;
  sum_up(m, udot, mine);
  for (int i = 0; i < BARS; i++)
    most = fmaxl(most, fabsl(right[i]));
  /* rounding errors of positions turn constraint loads, which are 1/delta of the motion, by eps/delta */
  const long double rounding = 1e-9L + 1e-13L / (long double)(delta * delta);
  for (int i = 0; i < BARS; i++)
    if (!(fabsl(mine[i] - right[i]) <= most * fminl(rounding, 0.1L)))
      fail_msg("%s: bar %d %.9Lg instead of %.9Lg", what, i, mine[i], right[i]);
}

static void check_accelerations(unsigned seed, double delta, double ratio)
{
  five_bar b;
  char what[200];
  double q[8], u[8];
  long double angle[BARS], speed[BARS], right[BARS];
  lw_error err = {0};
  if (!make(&b, seed, delta, ratio)) return;
  lw_model *m = compile(&b);
  lw_work *w = lw_work_new(m);
  lw_initial_state(m, q, u);
  /* closer to it rounding errors may decide which speeds there are */
  const bool assembled = lw_close_loops(w, 0, q, u, &err) == LW_OK;
  if (!assembled && (delta > 5e-5 || !strstr(err.text, "so close to a singular configuration")))
    fail_msg("%s", err.text);
  sum_up(m, q, angle);
  sum_up(m, u, speed);
  find_reference(&b, angle, speed, right);
  for (int k = 0; k < FORMULATIONS && assembled; k++) {
    snprintf(what, sizeof what, "seed %u, distance %g, mass ratio %g, %s", seed, delta, ratio,
             formulation_name[k]);
    compare_motion(m, k, delta, q, u, right, what);
  }
  lw_work_free(w);
  lw_model_free(m);
}

static void accelerations_near_singular_configurations_are_right_or_refused(void **state)
{
  static const double delta[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9},
                      ratio[] = {1, 1e-3, 1e-6, 1e-9, 1e-12};
  (void)state;
  for (unsigned seed = 1; seed <= 5 * SEEDS; seed++)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 5; j++)
        check_accelerations(seed, delta[i], ratio[j]);
  assert_true(compared > 3000);
  assert_int_equal(refused_far, 0);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "all") == 0) every = 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_conserved_past_singular_configurations),
      cmocka_unit_test(accelerations_near_singular_configurations_are_right_or_refused),
  };
  return cmocka_run_group_tests_name("identity/near_singular", tests, NULL, NULL);
}
