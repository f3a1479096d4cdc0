/* SPDX-License-Identifier: Apache-2.0 */
/* The linearised mechanism against differences of the right side of its motion, on random trees and
   closed loops of every kind, at rest and in motion. */
#include "linkwork/analysis.h"
#include "linkwork/file.h"
#include "linkwork/query.h"
#include "lwt_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- states near a state, on the constraints ---- */

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t;
  int nq, nu, n;
  double *q, *u; /* about these */
  const lw_linearization *l;
} place;

/* q moved along N z and u with the independent speeds changed by dw, both consistent */
static void move(const place *p, const double z[], const double dw[], double q[], double u[])
{
  double *step = calloc((size_t)(p->nu + p->nq) + 1, sizeof *step), *rate = step + p->nu;
  for (int i = 0; i < p->nu; i++)
    for (int k = 0; k < p->n; k++)
      step[i] += p->l->joints[i * p->n + k] * z[k];
  lw_coordinate_rates(p->m, p->q, step, rate);
  for (int i = 0; i < p->nq; i++)
    q[i] = p->q[i] + rate[i];
  memcpy(u, p->u, (size_t)p->nu * sizeof(double));
  lwt_ok(lw_normalize(p->m, q));
  for (int pass = 0; pass < 8; pass++) {
    lwt_ok(lw_project(p->w, p->t, q, u));
    for (int k = 0; k < p->n && pass < 7; k++) {
      const int at = p->l->independent[k];
      const double lack = p->u[at] + dw[k] - u[at];
      for (int i = 0; i < p->nu; i++)
        step[i] = (k ? step[i] : 0) + p->l->joints[i * p->n + k] * lack;
    }
    for (int i = 0; i < p->nu && pass < 7 && p->n; i++)
      u[i] += step[i];
  }
  free(step);
}

/* accelerations of the independent speeds there */
static void accelerate(const place *p, const double z[], const double dw[], double out[])
{
  double *q = calloc((size_t)(p->nq + 2 * p->nu) + 1, sizeof *q), *u = q + p->nq, *udot = u + p->nu;
  move(p, z, dw, q, u);
  lwt_ok(lw_forward_dynamics(p->w, p->t, q, u, NULL, udot));
  for (int k = 0; k < p->n; k++)
    out[k] = udot[p->l->independent[k]];
  free(q);
}

/* column k of A, lower half, by a difference of fourth order */
static void difference(const place *p, int k, double out[])
{
  static const double part[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
  const double h = 1e-3;
  double *x = calloc((size_t)(3 * p->n) + 1, sizeof *x), *f = x + 2 * p->n;
  memset(out, 0, (size_t)p->n * sizeof(double));
  for (int s = 0; s < 4; s++) {
    x[k] = part[s] * h;
    accelerate(p, x, x + p->n, f);
    for (int i = 0; i < p->n; i++)
      out[i] += weight[s] / h * f[i];
  }
  free(x);
}

static void compare_with_differences(const place *p, double tolerance, const char *what)
{
  const int n = p->n;
  double *column = calloc((size_t)(2 * n) + 1, sizeof *column), *mine = column + n;
  const double scale = fmax(1, lwt_scale(p->l->A + 2 * n * n, 2 * n * n));
  for (int k = 0; k < 2 * n; k++) {
    difference(p, k, column);
    for (int i = 0; i < n; i++)
      mine[i] = p->l->A[(n + i) * 2 * n + k];
    lwt_close(mine, column, n, tolerance, scale, "%s: column %d of A, n %d", what, k, n);
  }
  free(column);
}

/* The power of a load on a joint, by any independent speed, goes into the inertia: M w' = joints' tau. */
static void check_inputs(const place *p, const char *what)
{
  const lw_linearization *l = p->l;
  const int n = p->n, ninput = l->ninput;
  const double scale = 1 + lwt_scale(l->joints, ninput * n);
  for (int j = 0; j < ninput; j++)
    for (int i = 0; i < n; i++) {
      double inertia = 0;
      for (int k = 0; k < n; k++)
        inertia += l->M[i * n + k] * l->B[(n + k) * ninput + j];
      lwt_near(inertia, l->joints[j * n + i], 1e-9 * scale, "%s: load %d, speed %d", what, j, i);
      lwt_near(l->B[i * ninput + j], 0, 0, "%s: a load moves nothing at once", what);
    }
}

/* Is the mechanism well away from singular configurations, where differences say nothing? */
static bool is_tame(const place *p)
{
  return lwt_scale(p->l->joints, p->l->nu * p->n) < 20 && lwt_scale(p->l->A, 4 * p->n * p->n) < 1e4;
}

static int check(lw_model *m, unsigned seed, double speed, bool always, const char *what)
{
  place p = {.m = m, .w = lw_work_new(m), .t = 0.3, .nq = lw_nq(m), .nu = lw_nu(m)};
  lw_error err = {0};
  int done = 0;
  p.q = calloc((size_t)(p.nq + p.nu) + 1, sizeof *p.q);
  p.u = p.q + p.nq;
  lw_initial_state(m, p.q, p.u);
  if (lw_close_loops(p.w, p.t, p.q, p.u, &err) == LW_OK) {
    lwt_random r = lwt_seed(seed);
    for (int i = 0; i < p.nu; i++)
      p.u[i] = lwt_uniform(&r, -speed, speed);
    lwt_ok(lw_project(p.w, p.t, p.q, p.u));
    lw_linearization *l = lw_linearize(p.w, p.t, p.q, p.u, &err);
    if (!l) fail_msg("%s, seed %u: %s", what, seed, err.text);
    p.l = l;
    p.n = l->n;
    int dof, redundant;
    lwt_ok(lw_dof(p.w, p.q, &dof, &redundant));
    assert_int_equal(l->n, dof);
    if (always || is_tame(&p)) {
      compare_with_differences(&p, 2e-7, what);
      check_inputs(&p, what);
      done = 1;
    }
    lw_linearization_free(l);
  }
  free(p.q);
  lw_work_free(p.w);
  lw_model_free(m);
  return done;
}

/* ---- tests ---- */

static void trees(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 1; seed <= 24; seed++) {
    const lwt_recipe r = {.seed = seed,
                          .nbody = 1 + (int)(seed % 5),
                          .branching = 0.5,
                          .forces = seed % 2,
                          .measured = seed % 3 == 1,
                          .planar = seed % 7 == 0,
                          .floating = seed % 3 == 0};
    done += check(lwt_random_model(&r), seed, 1, false, "tree");
  }
  assert_true(done > 12);
}

static lwt_loops closed_recipe(unsigned seed, bool measured)
{
  return (lwt_loops){.tree = {.seed = seed,
                              .nbody = 4 + (int)(seed % 5),
                              .branching = 0.5,
                              .floating = seed % 4 == 0,
                              .planar = seed % 6 == 0,
                              .measured = measured},
                     .loops = 1 + (int)(seed % 2),
                     .constraints = (int)(seed % 3),
                     .relations = (int)(seed % 2),
                     .twice = seed % 5 == 0,
                     .forces = seed % 2};
}

static void closed_loops(void **state)
{
  (void)state;
  int done = 0;
  for (unsigned seed = 1; seed <= 60; seed++) {
    const lwt_loops r = closed_recipe(seed, seed % 3 == 1);
    done += check(lwt_loops_model(&r), seed, seed % 3 ? 0.7 : 0, false, "loops");
  }
  assert_true(done > 20);
}

/* Two ways to one matrix: loads, their derivatives and the geometric stiffness of the constraints on the one
   hand, derivatives of forward dynamics on the other. */
static void rest_is_motion_without_speed(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 60; seed++) {
    const lwt_loops r = closed_recipe(seed, seed % 3 == 2);
    lw_model *m = lwt_loops_model(&r);
    lw_work *w = lw_work_new(m);
    lw_error err = {0};
    double *q = calloc((size_t)(lw_nq(m) + lw_nu(m)) + 1, sizeof *q), *u = q + lw_nq(m);
    lw_initial_state(m, q, u);
    if (lw_close_loops(w, 0, q, u, &err) == LW_OK) {
      memset(u, 0, (size_t)lw_nu(m) * sizeof *u);
      lw_linearization *a = lw_linearize(w, 0, q, NULL, &err);
      lw_linearization *b = lw_linearize(w, 0, q, u, &err);
      if (!a || !b) fail_msg("seed %u: %s", seed, err.text);
      assert_int_equal(a->n, b->n);
      const int n = a->n;
      const double much = lwt_scale(a->joints, a->nu * n);
      lwt_close(a->M, b->M, n * n, 1e-12, lwt_scale(b->M, n * n), "M, seed %u", seed);
      lwt_close(a->C, b->C, n * n, 1e-11 * much * much, fmax(1, lwt_scale(b->C, n * n)),
                "C, seed %u", seed);
      lwt_close(a->K, b->K, n * n, 1e-11 * much * much, fmax(1, b->stiffness), "K, seed %u", seed);
      lw_linearization_free(a);
      lw_linearization_free(b);
    }
    free(q);
    lw_work_free(w);
    lw_model_free(m);
  }
}

static void shipped_models(void **state)
{
  (void)state;
  static const char *const names[] = {"arm",   "bricard",  "cart-pole",    "four-bar", "governor",
                                      "hmmwv", "humanoid", "slider-crank", "satellite"};
  int done = 0;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    char path[500];
    lw_error err = {0};
    snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), names[i]);
    lw_spec *s = lw_spec_load(path, &err);
    if (!s) fail_msg("%s", err.text);
    done += check(lw_compile(s, &err), i, 0.5, true, names[i]);
    lw_spec_free(s);
  }
  assert_int_equal(done, 9);
}

/* ---- displacements that are no differences of coordinates ---- */

static void quaternion_product(const double a[4], const double b[4], bool conjugate, double out[4])
{
  const double s = conjugate ? -1 : 1, x = s * a[1], y = s * a[2], z = s * a[3];
  out[0] = a[0] * b[0] - x * b[1] - y * b[2] - z * b[3];
  out[1] = a[0] * b[1] + x * b[0] + y * b[3] - z * b[2];
  out[2] = a[0] * b[2] - x * b[3] + y * b[0] + z * b[1];
  out[3] = a[0] * b[3] + x * b[2] - y * b[1] + z * b[0];
}

/* a small displacement from q to p, measured like speeds: by dq = E(q) x solved coordinate by coordinate */
static void displacement(const lw_model *m, const double q[], const double p[], double x[])
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info i = lw_get_joint(m, (lw_joint){j});
    const double *a = q + i.q, *b = p + i.q;
    double *out = x + i.u, e[4];
    if (i.type == LW_SPHERICAL || (i.type == LW_FREE && i.nu == 6)) {
      const int at = i.nq - 4;
      quaternion_product(a + at, b + at, true, e);
      for (int k = 0; k < 3; k++)
        out[k] = 2 * e[1 + k];
    }
    if (i.type == LW_FREE && i.nu == 6) { /* R^T (p - q) by e* d e */
      const double d[4] = {0, b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      double f[4], g[4];
      quaternion_product(a + 3, d, true, f);
      quaternion_product(f, a + 3, false, g);
      memcpy(out + 3, g + 1, 3 * sizeof(double));
    } else if (i.type == LW_FREE) {
      const double c = cos(a[2]), s = sin(a[2]), dx = b[0] - a[0], dy = b[1] - a[1];
      out[0] = b[2] - a[2], out[1] = c * dx + s * dy, out[2] = c * dy - s * dx;
    } else if (i.type != LW_SPHERICAL)
      for (int k = 0; k < i.nu; k++)
        out[k] = b[k] - a[k];
  }
}

/* after a while d, with speeds u */
static void drift_on(const lw_model *m, const double q[], const double u[], double d, double out[])
{
  double *rate = calloc((size_t)lw_nq(m) + 1, sizeof *rate);
  lw_coordinate_rates(m, q, u, rate);
  for (int i = 0; i < lw_nq(m); i++)
    out[i] = q[i] + d * rate[i];
  lwt_ok(lw_normalize(m, out));
  free(rate);
}

/* z' = w + kin z, by the distance of two motions with the same speeds, a moment before and after */
static void displacements_of_turning_joints(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 8; seed++) {
    const lwt_recipe r = {.seed = seed,
                          .nbody = 3,
                          .joints = 1u << LW_SPHERICAL | 1u << LW_FREE | 1u << LW_REVOLUTE,
                          .floating = seed % 2,
                          .planar = seed > 6};
    lwt_recipe used = r;
    if (r.planar) used.joints = 1u << LW_FREE | 1u << LW_REVOLUTE;
    lwt_case c = lwt_case_new(&used);
    lw_error err = {0};
    lw_linearization *l = lw_linearize(c.w, 0, c.q, c.u, &err);
    assert_non_null(l);
    assert_int_equal(l->n, c.nu);
    const double h = 1e-4;
    double *q = calloc((size_t)(3 * c.nq + 3 * c.nu) + 1, sizeof *q), *a = q + c.nq, *b = a + c.nq;
    double *x = b + c.nq, *y = x + c.nu, *e = y + c.nu;
    for (int k = 0; k < c.nu; k++) {
      for (int i = 0; i < c.nu; i++)
        y[i] = 0;
      for (int side = 0; side < 4; side++) { /* of displacements +-h e_k, at times +-h */
        const double s = side % 2 ? -h : h, d = side / 2 ? -h : h;
        for (int i = 0; i < c.nu; i++)
          e[i] = i == k;
        drift_on(c.m, c.q, e, s, q);
        drift_on(c.m, q, c.u, d, b);
        drift_on(c.m, c.q, c.u, d, a);
        displacement(c.m, a, b, x);
        for (int i = 0; i < c.nu; i++)
          y[i] += x[i] * (s > 0 ? 1 : -1) * (d > 0 ? 1 : -1) / (4 * h * h);
      }
      for (int i = 0; i < c.nu; i++)
        lwt_near(l->kin[i * c.nu + k], y[i], 1e-5, "seed %u: kin[%d][%d]", seed, i, k);
    }
    free(q);
    lw_linearization_free(l);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees),
      cmocka_unit_test(closed_loops),
      cmocka_unit_test(rest_is_motion_without_speed),
      cmocka_unit_test(shipped_models),
      cmocka_unit_test(displacements_of_turning_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
