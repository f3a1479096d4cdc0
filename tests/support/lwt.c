/* SPDX-License-Identifier: Apache-2.0 */
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: splitmix64 ---- */

lwt_random lwt_seed(unsigned seed)
{
  return (lwt_random){0x9e3779b97f4a7c15u * (seed + 1)};
}

static uint64_t next(lwt_random *r)
{
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double lwt_uniform(lwt_random *r, double low, double high)
{
  return low + (high - low) * ((double)(next(r) >> 11) * 0x1p-53);
}

int lwt_pick(lwt_random *r, int n)
{
  return (int)(next(r) % (uint64_t)n);
}

void lwt_unit_vector(lwt_random *r, double v[3])
{
  double n2;
  do {
    n2 = 0;
    for (int i = 0; i < 3; i++) v[i] = lwt_uniform(r, -1, 1), n2 += v[i] * v[i];
  } while (n2 < 0.01 || n2 > 1);
  for (int i = 0; i < 3; i++) v[i] /= sqrt(n2);
}

static void vector(lwt_random *r, double size, double v[3])
{
  for (int i = 0; i < 3; i++) v[i] = lwt_uniform(r, -size, size);
}

/* ---- random models ---- */

/* inertia of four random points about their centre: always physical */
static void random_inertia(lwt_random *r, double mass, double I[6])
{
  double p[4][3], c[3] = {0};
  for (int k = 0; k < 4; k++) {
    vector(r, 0.5, p[k]);
    for (int i = 0; i < 3; i++) c[i] += p[k][i] / 4;
  }
  memset(I, 0, 6 * sizeof(double));
  for (int k = 0; k < 4; k++) {
    const double x = p[k][0] - c[0], y = p[k][1] - c[1], z = p[k][2] - c[2], m = mass / 4;
    I[0] += m * (y * y + z * z), I[1] += m * (x * x + z * z), I[2] += m * (x * x + y * y);
    I[3] -= m * x * y, I[4] -= m * x * z, I[5] -= m * y * z;
  }
}

static lw_place random_place(lwt_random *r, bool planar)
{
  lw_place p = {.orient = {.type = LW_ORIENT_AXIS_ANGLE}};
  vector(r, 0.6, p.at);
  lwt_unit_vector(r, p.orient.value);
  p.orient.value[3] = lwt_uniform(r, -3, 3);
  if (planar) {
    p.at[2] = 0;
    p.orient.value[0] = p.orient.value[1] = 0;
    p.orient.value[2] = 1;
  }
  return p;
}

static lw_joint_type random_type(lwt_random *r, const lwt_recipe *d)
{
  static const unsigned in_plane = 1u << LW_FIXED | 1u << LW_REVOLUTE | 1u << LW_PRISMATIC |
                                   1u << LW_PLANAR | 1u << LW_FREE;
  const unsigned all = d->joints ? d->joints : (1u << LW_JOINT_TYPES) - 1;
  const unsigned mask = d->planar ? all & in_plane : all;
  for (;;) {
    const int type = lwt_pick(r, LW_JOINT_TYPES);
    if (mask >> type & 1) return (lw_joint_type)type;
  }
}

static void add_body(lwt_random *r, const lwt_recipe *d, lw_spec *s, int i)
{
  char name[16];
  snprintf(name, sizeof name, "b%d", i);
  lw_body_desc b = {.name = name, .mass = lwt_uniform(r, 0.5, 3)};
  vector(r, 0.4, b.com);
  random_inertia(r, b.mass, b.inertia);
  if (d->planar) {
    b.com[2] = 0;
    memset(b.inertia, 0, sizeof b.inertia);
    b.inertia[2] = lwt_uniform(r, 0.05, 0.5);
  }
  lw_add_body(s, &b);
}

static void add_joint(lwt_random *r, const lwt_recipe *d, lw_spec *s, int i)
{
  char name[16];
  snprintf(name, sizeof name, "j%d", i);
  const int parent = lwt_uniform(r, 0, 1) < d->branching ? lwt_pick(r, i) : i - 1;
  const bool reversed = !d->keep_direction && lwt_pick(r, 3) == 0;
  lw_joint_desc j = {.name = name,
                     .type = random_type(r, d),
                     .parent = {reversed ? i : parent},
                     .child = {reversed ? parent : i},
                     .place = random_place(r, d->planar),
                     .child_place = random_place(r, d->planar),
                     .pitch = lwt_uniform(r, -0.3, 0.3)};
  if (d->floating && i == 1) j.type = LW_FREE;
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  if (d->planar) {
    const double turn = lwt_uniform(r, -3, 3);
    memset(j.axis, 0, sizeof j.axis);
    if (j.type == LW_PRISMATIC)
      j.axis[0] = cos(turn), j.axis[1] = sin(turn);
    else
      j.axis[2] = 1;
  }
  lw_add_joint(s, &j);
}

static void add_forces(lwt_random *r, const lwt_recipe *d, lw_spec *s, int k)
{
  char name[5][16];
  for (int i = 0; i < 5; i++) snprintf(name[i], sizeof name[i], "f%d_%d", k, i);
  const int a = lwt_pick(r, d->nbody + 1), b = (a + 1 + lwt_pick(r, d->nbody)) % (d->nbody + 1);
  lw_spring_desc spring = {.name = name[0], .from = {a}, .to = {b}, .stiffness = 20, .damping = 2,
                           .length = 0.7};
  vector(r, 0.5, spring.from_at);
  vector(r, 0.5, spring.to_at);
  lw_bushing_desc bushing = {.name = name[1], .parent = {a}, .child = {b},
                             .place = random_place(r, d->planar),
                             .child_place = random_place(r, d->planar)};
  for (int i = 0; i < 3; i++) {
    bushing.stiffness[i] = lwt_uniform(r, 1, 9), bushing.damping[i] = lwt_uniform(r, 0, 1);
    bushing.angular_stiffness[i] = lwt_uniform(r, 1, 3);
    bushing.angular_damping[i] = lwt_uniform(r, 0, 1);
  }
  lw_load_desc load = {.name = name[2], .body = {1 + lwt_pick(r, d->nbody)},
                       .force = {lw_expr(s, "3*sin(t)"), 1, d->planar ? 0 : -2},
                       .torque = {0, 0, lw_expr(s, "cos(2*t)")}, .body_axes = lwt_pick(r, 2)};
  vector(r, 0.5, load.at);
  if (d->planar) spring.from_at[2] = spring.to_at[2] = load.at[2] = 0;
  lw_add_spring(s, &spring);
  lw_add_bushing(s, &bushing);
  lw_add_load(s, &load);
}

static void add_joint_forces(lwt_random *r, const lwt_recipe *d, lw_spec *s,
                             const lw_joint_type types[], int i)
{
  char name[2][16], value[64];
  const int nu = lw_joint_type_nu(types[i], d->planar);
  if (nu == 0) return;
  for (int k = 0; k < 2; k++) snprintf(name[k], sizeof name[k], "g%d_%d", i, k);
  const int dof = 1 + lwt_pick(r, nu);
  snprintf(value, sizeof value, nu == 1 ? "2*sin(t) - 0.3*u.j%d" : "2*sin(t) - 0.3*u.j%d.1", i);
  lw_add_motor(s, &(lw_motor_desc){.name = name[0], .joint = {i}, .dof = dof,
                                   .value = lw_expr(s, value)});
  if (types[i] != LW_SPHERICAL && types[i] != LW_FREE)
    lw_add_joint_spring(s, &(lw_joint_spring_desc){.name = name[1], .joint = {i}, .dof = dof,
                                                   .stiffness = 3, .damping = 0.2, .rest = 0.4});
}

lw_spec *lwt_random_spec(const lwt_recipe *d)
{
  lwt_random r = lwt_seed(d->seed);
  lw_spec *s = lw_spec_new();
  assert_non_null(s);
  if (d->planar) lw_set_planar(s);
  if (d->no_gravity) lw_set_gravity(s, 0, 0, 0);
  else if (d->planar) lw_set_gravity(s, 1, -9, 0);
  else lw_set_gravity(s, 1, -2, -9);
  for (int i = 1; i <= d->nbody; i++) add_body(&r, d, s, i);
  for (int i = 1; i <= d->nbody; i++) add_joint(&r, d, s, i);
  return s;
}

static void add_all_forces(const lwt_recipe *d, lw_spec *s)
{
  lwt_random r = lwt_seed(d->seed + 7777);
  lw_error err;
  lw_model *m = lw_compile(s, &err); /* tells the joint types */
  if (!m) fail_msg("seed %u: %s", d->seed, err.text);
  lw_joint_type *types = calloc((size_t)d->nbody + 1, sizeof *types);
  for (int i = 1; i <= d->nbody; i++) types[i] = lw_get_joint(m, (lw_joint){i}).type;
  for (int k = 0; k < 1 + d->nbody / 4; k++) add_forces(&r, d, s, k);
  for (int i = 1; i <= d->nbody; i += 2) add_joint_forces(&r, d, s, types, i);
  free(types);
  lw_model_free(m);
}

lw_model *lwt_random_model(const lwt_recipe *d)
{
  lw_error err;
  lw_spec *s = lwt_random_spec(d);
  if (d->forces) add_all_forces(d, s);
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("seed %u: %s", d->seed, err.text);
  return m;
}

void lwt_random_state(const lw_model *m, unsigned seed, double q[], double u[])
{
  lwt_random r = lwt_seed(seed + 1000);
  for (int i = 0; i < lw_nq(m); i++) q[i] = lwt_uniform(&r, -1, 1);
  for (int i = 0; i < lw_nu(m); i++) u[i] = lwt_uniform(&r, -1, 1);
  assert_int_equal(lw_normalize(m, q), LW_OK);
}

lwt_case lwt_case_of(lw_model *m, unsigned seed)
{
  lwt_case c = {.m = m, .w = lw_work_new(m), .nq = lw_nq(m), .nu = lw_nu(m), .t = 0.3};
  lwt_random r = lwt_seed(seed + 2000);
  double *block = calloc((size_t)(c.nq + 5 * c.nu) + 1, sizeof *block);
  assert_non_null(c.w);
  assert_non_null(block);
  c.q = block;
  c.u = c.q + c.nq;
  c.tau = c.u + c.nu;
  c.udot = c.tau + c.nu;
  c.x = c.udot + c.nu;
  c.y = c.x + c.nu;
  lwt_random_state(m, seed, c.q, c.u);
  for (int i = 0; i < c.nu; i++) c.tau[i] = lwt_uniform(&r, -5, 5);
  return c;
}

lwt_case lwt_case_new(const lwt_recipe *d)
{
  return lwt_case_of(lwt_random_model(d), d->seed);
}

void lwt_case_free(lwt_case *c)
{
  free(c->q);
  lw_work_free(c->w);
  lw_model_free(c->m);
}

/* ---- comparison ---- */

double lwt_scale(const double *a, int n)
{
  double s = 1e-300;
  for (int i = 0; i < n; i++) s = fmax(s, fabs(a[i]));
  return s;
}

void lwt_close(const double *a, const double *b, int n, double rtol, double scale,
               const char *message, ...)
{
  int worst = -1;
  double gap = rtol * scale;
  for (int i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]);
    if (!(d <= gap)) gap = d, worst = i;
  }
  if (worst < 0) return;
  char text[300];
  va_list args;
  va_start(args, message);
  vsnprintf(text, sizeof text, message, args);
  va_end(args);
  fail_msg("%s: [%d] %.17g and %.17g differ by %.3g of scale %.3g, allowed %.3g", text, worst,
           a[worst], b[worst], fabs(a[worst] - b[worst]) / scale, scale, rtol);
}

void lwt_near(double a, double b, double tolerance, const char *message, ...)
{
  if (fabs(a - b) <= tolerance) return;
  char text[300];
  va_list args;
  va_start(args, message);
  vsnprintf(text, sizeof text, message, args);
  va_end(args);
  fail_msg("%s: %.17g and %.17g differ by %.3g, allowed %.3g", text, a, b, fabs(a - b), tolerance);
}
