/* SPDX-License-Identifier: Apache-2.0 */
#include "lwt.h"
#include "lwt_measures.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

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
    for (int i = 0; i < 3; i++)
      v[i] = lwt_uniform(r, -1, 1), n2 += v[i] * v[i];
  } while (n2 < 0.01 || n2 > 1);
  for (int i = 0; i < 3; i++)
    v[i] /= sqrt(n2);
}

static void vector(lwt_random *r, double size, double v[3])
{
  for (int i = 0; i < 3; i++)
    v[i] = lwt_uniform(r, -size, size);
}

/* ---- random models ---- */

/* inertia of four random points about their centre: always physical */
static void random_inertia(lwt_random *r, double mass, double I[6])
{
  double p[4][3], c[3] = {0};
  for (int k = 0; k < 4; k++) {
    vector(r, 0.5, p[k]);
    for (int i = 0; i < 3; i++)
      c[i] += p[k][i] / 4;
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
  static const unsigned in_plane =
      1u << LW_FIXED | 1u << LW_REVOLUTE | 1u << LW_PRISMATIC | 1u << LW_PLANAR | 1u << LW_FREE;
  const unsigned all = d->joints ? d->joints : (1u << LW_JOINT_TYPES) - 1;
  const unsigned mask = d->planar ? all & in_plane : all;
  for (;;) {
    lw_joint_type type = lwt_joint_type(r, 0, 8);
    if (type == LW_GIMBAL && !(mask >> type & 1)) type = LW_UNIVERSAL;
    if (type == LW_UNIVERSAL && !(mask >> type & 1)) type = LW_GIMBAL;
    if (mask >> type & 1) return type;
  }
}

static lw_body_desc random_body(lwt_random *r, bool planar)
{
  lw_body_desc b = {.mass = lwt_uniform(r, 0.5, 3)};
  vector(r, 0.4, b.com);
  random_inertia(r, b.mass, b.inertia);
  if (planar) {
    b.com[2] = 0;
    memset(b.inertia, 0, sizeof b.inertia);
    b.inertia[2] = lwt_uniform(r, 0.05, 0.5);
  }
  return b;
}

/* the joint that carries body i.  Draws are made one after the other: in an initializer their order
   would be the compiler's */
static lw_joint_desc random_joint(lwt_random *r, const lwt_recipe *d, int i)
{
  const int parent = lwt_uniform(r, 0, 1) < d->branching ? lwt_pick(r, i) : i - 1;
  const bool reversed = !d->keep_direction && lwt_pick(r, 3) == 0;
  lw_joint_desc j = {.parent = {reversed ? i : parent}, .child = {reversed ? parent : i}};
  j.type = random_type(r, d);
  j.place = random_place(r, d->planar);
  j.child_place = random_place(r, d->planar);
  j.pitch = lwt_uniform(r, -0.3, 0.3);
  if (d->floating && i == 1) j.type = LW_FREE;
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  lwt_gimbal_axes(j.type, j.axis, j.axis2, j.axis3);
  if (d->planar) {
    const double turn = lwt_uniform(r, -3, 3);
    memset(j.axis, 0, sizeof j.axis);
    if (j.type == LW_PRISMATIC)
      j.axis[0] = cos(turn), j.axis[1] = sin(turn);
    else
      j.axis[2] = 1;
  }
  return j;
}

/* a spring, a bushing and a load on any two bodies */
static void random_forces(lwt_random *r, lwt_parts *p)
{
  const int a = lwt_pick(r, p->nbody + 1), b = (a + 1 + lwt_pick(r, p->nbody)) % (p->nbody + 1);
  lw_spring_desc *spring = &p->spring[p->nspring++];
  *spring = (lw_spring_desc){.from = {a}, .to = {b}, .stiffness = 20, .damping = 2, .length = 0.7};
  vector(r, 0.5, spring->from_at);
  vector(r, 0.5, spring->to_at);
  lw_bushing_desc *bushing = &p->bushing[p->nbushing++];
  *bushing = (lw_bushing_desc){.parent = {a}, .child = {b}};
  bushing->place = random_place(r, p->planar);
  bushing->child_place = random_place(r, p->planar);
  for (int i = 0; i < 3; i++) {
    bushing->stiffness[i] = lwt_uniform(r, 1, 9), bushing->damping[i] = lwt_uniform(r, 0, 1);
    bushing->angular_stiffness[i] = lwt_uniform(r, 1, 3);
    bushing->angular_damping[i] = lwt_uniform(r, 0, 1);
  }
  lwt_load *load = &p->load[p->nload++];
  *load = (lwt_load){.d.body = {1 + lwt_pick(r, p->nbody)}};
  load->d.body_axes = lwt_pick(r, 2);
  vector(r, 0.5, load->d.at);
  load->force[0] = (lwt_signal){.amplitude = 3, .rate = 1};
  load->force[1] = (lwt_signal){.constant = 1};
  load->force[2] = (lwt_signal){.constant = p->planar ? 0 : -2};
  load->torque[2] = (lwt_signal){.amplitude = 1, .rate = 2, .phase = 1.5};
  for (int j = 0; j < p->njoint && load->force[1].joint == 0; j++) /* the first that moves */
    if (p->joint[j].type != LW_FIXED)
      load->force[1].joint = j + 1, load->force[1].gain_q = 0.7, load->force[1].gain_u = -0.2;
  if (p->planar) spring->from_at[2] = spring->to_at[2] = load->d.at[2] = 0;
}

/* a motor and, where there can be one, a spring on joint i */
static void random_joint_forces(lwt_random *r, lwt_parts *p, int i)
{
  const lw_joint_type type = p->joint[i - 1].type;
  const int nu = lw_joint_type_nu(type, p->planar);
  if (nu == 0) return;
  const int dof = 1 + lwt_pick(r, nu);
  p->motor[p->nmotor++] =
      (lwt_motor){.d = {.joint = {i}, .dof = dof},
                  .value = {.amplitude = 2, .rate = 1, .joint = i, .gain_u = -0.3}};
  if (type != LW_SPHERICAL && type != LW_FREE)
    p->joint_spring[p->njoint_spring++] = (lw_joint_spring_desc){
        .joint = {i}, .dof = dof, .stiffness = 3, .damping = 0.2, .rest = 0.4};
}

lwt_parts *lwt_parts_new(int nbody, int njoint)
{
  lwt_parts *p = calloc(1, sizeof *p);
  const size_t most = (size_t)(nbody + njoint) + 1;
  assert_non_null(p);
  *p = (lwt_parts){.nbody = nbody,
                   .njoint = njoint,
                   .body = calloc(most, sizeof *p->body),
                   .joint = calloc(most, sizeof *p->joint),
                   .spring = calloc(most, sizeof *p->spring),
                   .joint_spring = calloc(most, sizeof *p->joint_spring),
                   .motor = calloc(most, sizeof *p->motor),
                   .load = calloc(most, sizeof *p->load),
                   .bushing = calloc(most, sizeof *p->bushing),
                   .constraint = calloc(most, sizeof *p->constraint)};
  return p;
}

void lwt_parts_free(lwt_parts *p)
{
  if (!p) return;
  free(p->body);
  free(p->joint);
  free(p->spring);
  free(p->joint_spring);
  free(p->motor);
  free(p->load);
  free(p->bushing);
  free(p->constraint);
  free(p);
}

lwt_parts *lwt_random_parts(const lwt_recipe *d)
{
  static const double none[3] = {0, 0, 0}, plane[3] = {1, -9, 0}, space[3] = {1, -2, -9};
  lwt_random r = lwt_seed(d->seed);
  const int first = d->loose ? 2 : 1;
  lwt_parts *p = lwt_parts_new(d->nbody, d->nbody + 1 - first);
  p->planar = d->planar;
  memcpy(p->gravity, d->no_gravity ? none : d->planar ? plane : space, sizeof none);
  for (int i = 0; i < d->nbody; i++)
    p->body[i] = random_body(&r, d->planar);
  for (int i = first; i <= d->nbody; i++)
    p->joint[i - first] = random_joint(&r, d, i);
  if (!d->forces) return p;
  r = lwt_seed(d->seed + 7777);
  for (int k = 0; k < 1 + d->nbody / 4; k++)
    random_forces(&r, p);
  for (int i = 1; i <= p->njoint; i += 2)
    random_joint_forces(&r, p, i);
  return p;
}

/* ---- plain data becomes a spec ---- */

static double signal_expr(lw_spec *s, const lwt_parts *p, const lwt_signal *x)
{
  char text[400];
  if (x->amplitude == 0 && x->joint == 0) return x->constant;
  int n = snprintf(text, sizeof text, "%.17g + %.17g*sin(%.17g*t + %.17g)", x->constant,
                   x->amplitude, x->rate, x->phase);
  if (x->joint) {
    const lw_joint_desc *j = &p->joint[x->joint - 1];
    const char *q = lw_joint_type_nq(j->type, p->planar) > 1 ? ".1" : "";
    const char *u = lw_joint_type_nu(j->type, p->planar) > 1 ? ".1" : "";
    char name[16];
    snprintf(name, sizeof name, "j%d", x->joint);
    snprintf(text + n, sizeof text - (size_t)n, " + (%.17g)*q.%s%s + (%.17g)*u.%s%s", x->gain_q,
             j->name ? j->name : name, q, x->gain_u, j->name ? j->name : name, u);
  }
  return lw_expr(s, text);
}

/* fills in a missing name; the text lives in `room` */
static void fill_name(const char **name, char kind, int number, char room[16])
{
  if (*name) return;
  snprintf(room, 16, "%c%d", kind, number);
  *name = room;
}

static void add_forces(lw_spec *s, const lwt_parts *p)
{
  char room[16];
  int n = 0;
  for (int i = 0; i < p->nspring; i++) {
    lw_spring_desc d = p->spring[i];
    fill_name(&d.name, 'f', ++n, room);
    lw_add_spring(s, &d);
  }
  for (int i = 0; i < p->nbushing; i++) {
    lw_bushing_desc d = p->bushing[i];
    fill_name(&d.name, 'f', ++n, room);
    lw_add_bushing(s, &d);
  }
  for (int i = 0; i < p->nload; i++) {
    lw_load_desc d = p->load[i].d;
    fill_name(&d.name, 'f', ++n, room);
    for (int k = 0; k < 3; k++) {
      d.force[k] = signal_expr(s, p, &p->load[i].force[k]);
      d.torque[k] = signal_expr(s, p, &p->load[i].torque[k]);
    }
    lw_add_load(s, &d);
  }
  for (int i = 0; i < p->nmotor; i++) {
    lw_motor_desc d = p->motor[i].d;
    fill_name(&d.name, 'f', ++n, room);
    d.value = signal_expr(s, p, &p->motor[i].value);
    lw_add_motor(s, &d);
  }
  for (int i = 0; i < p->njoint_spring; i++) {
    lw_joint_spring_desc d = p->joint_spring[i];
    fill_name(&d.name, 'f', ++n, room);
    lw_add_joint_spring(s, &d);
  }
}

lw_spec *lwt_parts_spec(const lwt_parts *p)
{
  char room[16];
  lw_spec *s = lw_spec_new();
  assert_non_null(s);
  if (p->planar) lw_set_planar(s);
  lw_set_gravity(s, p->gravity[0], p->gravity[1], p->gravity[2]);
  for (int i = 0; i < p->nbody; i++) {
    lw_body_desc d = p->body[i];
    fill_name(&d.name, 'b', i + 1, room);
    lw_add_body(s, &d);
  }
  for (int i = 0; i < p->njoint; i++) {
    lw_joint_desc d = p->joint[i];
    fill_name(&d.name, 'j', i + 1, room);
    lw_add_joint(s, &d);
  }
  add_forces(s, p);
  for (int i = 0; i < p->nconstraint; i++) {
    lw_constraint_desc d = p->constraint[i].d;
    fill_name(&d.name, 'k', i + 1, room);
    d.terms = p->constraint[i].term;
    d.value = signal_expr(s, p, &p->constraint[i].value);
    lw_add_constraint(s, &d);
  }
  return s;
}

static lw_model *compile(lw_spec *s, unsigned seed)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) fail_msg("seed %u: %s", seed, err.text);
  return m;
}

lw_model *lwt_parts_compile(const lwt_parts *p)
{
  return compile(lwt_parts_spec(p), 0);
}

lw_spec *lwt_random_spec(const lwt_recipe *d)
{
  lwt_recipe bare = *d;
  bare.forces = false;
  lwt_parts *p = lwt_random_parts(&bare);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  return s;
}

lw_model *lwt_random_model(const lwt_recipe *d)
{
  lwt_parts *p = lwt_random_parts(d);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  if (d->measured) lwt_add_measured_forces(s, d->seed);
  return compile(s, d->seed);
}

static void normalise(double v[3])
{
  const double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++)
    v[i] /= n;
}

void lwt_gimbal_axes(lw_joint_type type, const double a[3], double b[3], double c[3])
{
  const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  if (type == LW_GIMBAL) {
    for (int i = 0; i < 3; i++)
      b[i] -= along * a[i];
    normalise(b);
  }
  normalise(n);
  for (int i = 0; i < 3; i++)
    c[i] = n[i] + 0.3 * a[i];
  normalise(c);
}

static bool gimbals_swapped;

void lwt_swap_gimbals(bool swap)
{
  gimbals_swapped = swap;
}

lw_joint_type lwt_joint_type(lwt_random *r, int first, int last)
{
  static const lw_joint_type type[] = {LW_FIXED,     LW_REVOLUTE,    LW_PRISMATIC,
                                       LW_HELICAL,   LW_CYLINDRICAL, LW_UNIVERSAL,
                                       LW_SPHERICAL, LW_PLANAR,      LW_FREE};
  const lw_joint_type picked = type[first + lwt_pick(r, last - first + 1)];
  lwt_random coin = *r; /* a draw that leaves the sequence as it is */
  const bool gimbal = (lwt_pick(&coin, 2) == 1) != gimbals_swapped;
  return picked == LW_UNIVERSAL && gimbal ? LW_GIMBAL : picked;
}

void lwt_random_state(const lw_model *m, unsigned seed, double q[], double u[])
{
  lwt_random r = lwt_seed(seed + 1000);
  for (int i = 0; i < lw_nq(m); i++)
    q[i] = lwt_uniform(&r, -1, 1);
  for (int i = 0; i < lw_nu(m); i++)
    u[i] = lwt_uniform(&r, -1, 1);
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
  for (int i = 0; i < c.nu; i++)
    c.tau[i] = lwt_uniform(&r, -5, 5);
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
  for (int i = 0; i < n; i++)
    s = fmax(s, fabs(a[i]));
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
