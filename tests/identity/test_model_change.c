/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of the numbers of compiled models by a parameter: against differences of compilations, against
   the powers of a length and a mass by which numbers grow, against each other, and by hand. */
#include "lwt.h"

#include "linkwork/derivatives.h"
#include "linkwork/reader.h"
#include "model/compile/compile.h"
#include "model/compile/model_derivative.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a spec in which every number is an expression ---- */

static const double p0 = 0.7, r0 = 1.3;

typedef struct {
  lw_spec *s;
  lwt_random r;
  bool
      sized; /* lengths grow with L and masses with M; else numbers depend on p, r and w = w(p, r) */
  int nbody, njoint;
} writer;

static double write_text(const writer *w, const char *format, double a, double b)
{
  char text[160];
  snprintf(text, sizeof text, format, a, b);
  return lw_expr(w->s, text);
}

/* v, whose unit has these powers of length and mass; 0 stays 0 */
static double put(writer *w, double v, int length, int mass)
{
  const double a = lwt_uniform(&w->r, -0.08, 0.08);
  if (v == 0) return 0;
  if (w->sized) {
    char text[160];
    snprintf(text, sizeof text, "%.17g*L^%d*M^%d", v, length, mass);
    return lw_expr(w->s, text);
  }
  switch (lwt_pick(&w->r, 4)) {
  case 0: return write_text(w, "%.17g*(1 + %.17g*(p - 0.7))", v, a);
  case 1: return write_text(w, "%.17g*exp(%.17g*(w - 0.8)*r)", v, a);
  case 2: return write_text(w, "%.17g + %.17g*sin(3*p)*sqrt(r)", v, a * v);
  default: return v;
  }
}

static void put_all(writer *w, double *x, int n, int length, int mass)
{
  for (int i = 0; i < n; i++)
    x[i] = put(w, x[i], length, mass);
}

/* any way to write an orientation; in planar models a turn about z */
static void put_orient(writer *w, lw_orient *o, bool planar)
{
  const lw_orient_type types[] = {LW_ORIENT_QUAT, LW_ORIENT_RPY, LW_ORIENT_AXIS_ANGLE};
  double x[4];
  for (int i = 0; i < 4; i++)
    x[i] = lwt_uniform(&w->r, 0.2, 1);
  o->type = types[lwt_pick(&w->r, 3)];
  memset(o->value, 0, sizeof o->value);
  for (int i = 0; i < 4; i++) {
    const bool about_z = o->type == LW_ORIENT_QUAT         ? i == 0 || i == 3
                         : o->type == LW_ORIENT_AXIS_ANGLE ? i >= 2
                                                           : i == 2;
    if (!planar || about_z) o->value[i] = put(w, x[i], 0, 0);
  }
}

static void put_place(writer *w, lw_place *place, bool planar)
{
  put_all(w, place->at, 3, 1, 0);
  if (lwt_pick(&w->r, 4)) put_orient(w, &place->orient, planar);
}

static void random_point(writer *w, double x[3], bool planar)
{
  for (int i = 0; i < (planar ? 2 : 3); i++)
    x[i] = put(w, lwt_uniform(&w->r, 0.1, 0.6), 1, 0);
}

static void put_axis(writer *w, double axis[3])
{
  put_all(w, axis, 3, 0, 0);
}

/* ---- parts ---- */

static lw_solid random_solid(writer *w, int type, bool planar)
{
  lw_solid d = {.type = (lw_solid_type)(LW_SOLID_ROD + type % 5)};
  const bool rod = d.type == LW_SOLID_ROD, box = d.type == LW_SOLID_BOX,
             point = d.type == LW_SOLID_POINT, dense = !rod && !point && lwt_pick(&w->r, 2);
  d.mass = dense ? 0 : put(w, lwt_uniform(&w->r, 1, 2), 0, 1);
  d.density = dense ? put(w, lwt_uniform(&w->r, 1, 2), -3, 1) : 0;
  random_point(w, d.at, planar);
  for (int i = 0; i < 3 && box; i++)
    d.size[i] = put(w, lwt_uniform(&w->r, 0.5, 0.8), 1, 0);
  if (!rod && !box && !point) d.radius = put(w, lwt_uniform(&w->r, 0.2, 0.4), 1, 0);
  if (rod || d.type == LW_SOLID_CYLINDER) d.length = put(w, lwt_uniform(&w->r, 0.6, 1), 1, 0);
  for (int i = 0; i < 3; i++)
    d.axis[i] = planar && i == 2 ? 0 : put(w, lwt_uniform(&w->r, 0.2, 1), 0, 0);
  return d;
}

static void add_bodies(writer *w, const lwt_parts *p)
{
  char name[16];
  lw_start start = {0};
  for (int i = 0; i < p->nbody; i++) {
    lw_body_desc d = p->body[i];
    snprintf(name, sizeof name, "b%d", i + 1);
    d.name = name;
    d.mass = put(w, d.mass, 0, 1);
    put_all(w, d.com, 3, 1, 0);
    put_all(w, d.inertia, 6, 2, 1);
    if (lwt_pick(&w->r, 2)) {
      const lw_solid solid = random_solid(w, lwt_pick(&w->r, 4), p->planar);
      d = (lw_body_desc){.name = name, .solid = solid, .start = d.start};
    }
    lw_add_body(w->s, &d);
  }
  w->nbody = p->nbody + 1; /* one that floats, unless a joint takes it */
  random_point(w, start.pose.at, p->planar);
  put_orient(w, &start.pose.orient, p->planar);
  random_point(w, start.linear, p->planar);
  start.angular[2] = put(w, 0.4, 0, 0);
  lw_add_body(
      w->s,
      &(lw_body_desc){.name = "floating", .solid = random_solid(w, 1, p->planar), .start = &start});
}

/* powers of length of coordinate i and of speed i */
static int length_of_q(lw_joint_type type, bool planar, int i)
{
  switch (type) {
  case LW_PRISMATIC: return 1;
  case LW_CYLINDRICAL: return i == 1;
  case LW_PLANAR: return i < 2;
  case LW_FREE: return planar ? i < 2 : i < 3;
  default: return 0;
  }
}

static int length_of_u(lw_joint_type type, bool planar, int i)
{
  if (type == LW_FREE) return planar ? i > 0 : i >= 3;
  return length_of_q(type, planar, i);
}

static void add_joint(writer *w, lw_joint_desc d, bool planar)
{
  char name[16];
  const bool turns = !planar && (d.type == LW_SPHERICAL || d.type == LW_FREE);
  snprintf(name, sizeof name, "j%d", ++w->njoint);
  d.name = name;
  put_place(w, &d.place, planar);
  put_place(w, &d.child_place, planar);
  if (!planar || d.type != LW_REVOLUTE) put_axis(w, d.axis);
  put_axis(w, d.axis2);
  put_axis(w, d.axis3);
  d.pitch = put(w, d.pitch, 1, 0);
  for (int i = 0; i < lw_joint_type_nq(d.type, planar); i++)
    d.q[i] = put(w, lwt_uniform(&w->r, 0.2, 0.9), length_of_q(d.type, planar, i), 0);
  for (int i = 0; i < lw_joint_type_nu(d.type, planar); i++)
    d.u[i] = put(w, lwt_uniform(&w->r, -1, 1), length_of_u(d.type, planar, i), 0);
  if (turns && lwt_pick(&w->r, 2)) {
    memset(d.q + (d.type == LW_FREE ? 3 : 0), 0, 4 * sizeof(double));
    put_orient(w, &d.q_orient, false);
  }
  d.has_q = d.has_u = lwt_pick(&w->r, 2);
  d.hold = lwt_pick(&w->r, 4) == 0;
  lw_add_joint(w->s, &d);
}

static lw_body other_body(writer *w, lw_body than, int nbody)
{
  return (lw_body){(than.id + 1 + lwt_pick(&w->r, nbody)) % (nbody + 1)};
}

static void add_joints(writer *w, const lwt_parts *p, int nloop)
{
  for (int i = 0; i < p->njoint; i++)
    add_joint(w, p->joint[i], p->planar);
  for (int i = 0; i < nloop && p->njoint > 0; i++) {
    lw_joint_desc d = p->joint[lwt_pick(&w->r, p->njoint)];
    d.child = (lw_body){1 + lwt_pick(&w->r, p->nbody)};
    d.parent = other_body(w, d.child, p->nbody);
    d.cut = lwt_pick(&w->r, 2);
    for (int k = 0; k < (p->planar ? 2 : 3);
         k++) { /* no distance is close to 0, where it has a kink */
      d.place.at[k] = lwt_uniform(&w->r, 0.2, 0.8);
      d.child_place.at[k] = lwt_uniform(&w->r, -0.8, -0.2);
    }
    add_joint(w, d, p->planar);
  }
}

static void add_geometric(writer *w, lw_constraint_type type, const char *name, bool planar)
{
  lw_constraint_desc d = {.name = name, .type = type, .child = {1}};
  d.parent = other_body(w, d.child, w->nbody);
  random_point(w, d.place.at, planar);
  random_point(w, d.child_place.at, planar);
  put_orient(w, &d.place.orient, planar);
  put_orient(w, &d.child_place.orient, planar);
  for (int i = 0; i < (planar ? 2 : 3); i++) {
    d.axis[i] = put(w, lwt_uniform(&w->r, -1, 1), 0, 0);
    d.axis2[i] = put(w, lwt_uniform(&w->r, -1, 1), 0, 0);
  }
  d.length = put(w, 0.8, 1, 0);
  lw_add_constraint(w->s, &d);
}

static int find_revolute(const lwt_parts *p, int from)
{
  for (int i = from; i < p->njoint; i++)
    if (p->joint[i].type == LW_REVOLUTE) return i + 1;
  return 0;
}

static void add_relations(writer *w, const lwt_parts *p)
{
  const int a = find_revolute(p, 0), b = a ? find_revolute(p, a) : 0;
  if (!b) return;
  const lw_term both[2] = {{.joint = {a}, .coefficient = put(w, 0.7, 0, 0)},
                           {.joint = {b}, .coefficient = put(w, -1.4, 0, 0)}};
  lw_add_constraint(
      w->s,
      &(lw_constraint_desc){
          .name = "gear", .type = LW_GEAR, .terms = both, .nterm = 2, .ratio = put(w, 1.7, 0, 0)});
  lw_add_constraint(w->s, &(lw_constraint_desc){.name = "coupler",
                                                .type = LW_COUPLER,
                                                .terms = both,
                                                .nterm = 2,
                                                .offset = put(w, 0.3, 0, 0)});
  const double value = lw_expr(w->s, w->sized ? "0.4 + 0.3*t" : "0.4*p + r*sin(w*t + p)");
  lw_add_constraint(
      w->s, &(lw_constraint_desc){
                .name = "driver", .type = LW_DRIVER, .terms = both, .nterm = 1, .value = value});
}

static void add_constraints(writer *w, const lwt_parts *p)
{
  add_geometric(w, LW_DISTANCE, "distance", p->planar);
  add_geometric(w, LW_POINT_ON_LINE, "line", p->planar);
  add_geometric(w, LW_POINT_ON_PLANE, "plane", p->planar);
  add_geometric(w, LW_PARALLEL, "parallel", p->planar);
  add_geometric(w, LW_PERPENDICULAR, "perpendicular", p->planar);
  add_relations(w, p);
}

static const char *name_of(char room[16], char kind, int i)
{
  snprintf(room, 16, "%c%d", kind, i);
  return room;
}

static void add_forces(writer *w, const lwt_parts *p)
{
  char name[16];
  for (int i = 0; i < p->nspring; i++) {
    lw_spring_desc d = p->spring[i];
    d.name = name_of(name, 's', i);
    put_all(w, d.from_at, 3, 1, 0);
    put_all(w, d.to_at, 3, 1, 0);
    d.stiffness = put(w, d.stiffness, 0, 1);
    d.damping = put(w, d.damping, 0, 1);
    d.length = put(w, d.length, 1, 0);
    lw_add_spring(w->s, &d);
  }
  for (int i = 0; i < p->njoint_spring; i++) {
    lw_joint_spring_desc d = p->joint_spring[i];
    d.name = name_of(name, 'k', i);
    d.stiffness = put(w, d.stiffness, 2, 1);
    d.damping = put(w, d.damping, 2, 1);
    d.rest = put(w, d.rest, 1, 0);
    lw_add_joint_spring(w->s, &d);
  }
  for (int i = 0; i < p->nload; i++) {
    lw_load_desc d = p->load[i].d;
    d.name = name_of(name, 'l', i);
    put_all(w, d.at, 3, 1, 0);
    lw_add_load(w->s, &d);
  }
  for (int i = 0; i < p->nbushing; i++) {
    lw_bushing_desc d = p->bushing[i];
    d.name = name_of(name, 'u', i);
    put_place(w, &d.place, p->planar);
    put_place(w, &d.child_place, p->planar);
    put_all(w, d.stiffness, 3, 0, 1);
    put_all(w, d.damping, 3, 0, 1);
    put_all(w, d.angular_stiffness, 3, 2, 1);
    put_all(w, d.angular_damping, 3, 2, 1);
    lw_add_bushing(w->s, &d);
  }
}

static void add_events(writer *w, bool planar)
{
  lw_event_desc hit = {.action = LW_ACTION_IMPULSE, .at = put(w, 0.4, 0, 0), .body = {1}};
  random_point(w, hit.point, planar);
  random_point(w, hit.linear, planar);
  hit.angular[2] = put(w, 0.6, 2, 1);
  lw_add_event(w->s, &hit);
  hit.action = LW_ACTION_IMPACT;
  random_point(w, hit.normal, planar);
  memset(hit.linear, 0, sizeof hit.linear);
  hit.angular[2] = 0;
  hit.restitution = put(w, 0.3, 0, 0);
  lw_add_event(w->s, &hit);
  lw_joint_desc joint = {.name = "new", .type = LW_FIXED, .child = {1}};
  random_point(w, joint.place.at, planar);
  put_orient(w, &joint.place.orient, planar);
  lw_add_event(w->s, &(lw_event_desc){.action = LW_ACTION_CONNECT,
                                      .at = put(w, 0.9, 0, 0),
                                      .new_joint = &joint,
                                      .placed = true});
}

static lw_spec *random_spec(const lwt_recipe *recipe, int nloop, bool sized)
{
  lwt_parts *p = lwt_random_parts(recipe);
  writer w = {.s = lw_spec_new(), .r = lwt_seed(recipe->seed + 77), .sized = sized};
  if (recipe->planar) lw_set_planar(w.s);
  if (sized) {
    lw_add_parameter(w.s, &(lw_parameter_desc){.name = "L", .value = 1});
    lw_add_parameter(w.s, &(lw_parameter_desc){.name = "M", .value = 1});
  } else {
    lw_add_parameter(w.s,
                     &(lw_parameter_desc){.name = "w", .value = lw_expr(w.s, "p^2 + 0.3*r*p")});
    lw_add_parameter(w.s, &(lw_parameter_desc){.name = "p", .value = p0});
    lw_add_parameter(w.s, &(lw_parameter_desc){.name = "r", .value = r0});
  }
  put_all(&w, p->gravity, 3, 1, 0);
  lw_set_gravity(w.s, p->gravity[0], p->gravity[1], p->gravity[2]);
  add_bodies(&w, p);
  add_joints(&w, p, nloop);
  if (nloop) add_constraints(&w, p);
  add_forces(&w, p);
  add_events(&w, recipe->planar);
  lwt_parts_free(p);
  return w.s;
}

static lw_model *compile(const lw_spec *s, unsigned seed)
{
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("seed %u: %s", seed, err.text);
  return m;
}

static int index_of(const lw_model *m, const char *parameter)
{
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], parameter) == 0) return i;
  return -1;
}

/* ---- numbers ---- */

static double *numbers_of(lw_model *m, size_t n)
{
  double *x = malloc((n + 1) * sizeof *x);
  assert_non_null(x);
  assert_true(lwi_model_numbers(m, NULL) == n);
  lwi_model_numbers(m, x);
  return x;
}

static double *change_in_phase(const lwi_phase *p, const lw_model *m, const char *parameter,
                               size_t n)
{
  lw_error err = {0};
  lw_model *change = lwi_phase_model_derivative(p, m, index_of(m, parameter), &err);
  if (!change) fail_msg("%s: %s", parameter, err.text);
  double *x = numbers_of(change, n);
  lw_model_free(change);
  return x;
}

static double *change_of_numbers(const lw_spec *s, const lw_model *m, const char *parameter,
                                 size_t n)
{
  lwi_phase first;
  assert_true(lwi_phase_init(&first, s));
  double *x = change_in_phase(&first, m, parameter, n);
  lwi_phase_close(&first);
  return x;
}

static lw_model *compile_moment(const lwi_phase *p, unsigned seed)
{
  lw_error err;
  lw_model *m = lwi_compile_phase(p, NULL, &err);
  if (!m) fail_msg("seed %u: %s", seed, err.text);
  return m;
}

/* phase: of s, or NULL for s as it is written; the eighth-order central difference; angles that are read off bodies may be a turn off */
static double *difference(lw_spec *s, const lwi_phase *phase, const char *parameter, double value,
                          const double *base, size_t n, double h)
{
  const double weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double *sum = calloc(n + 1, sizeof *sum);
  assert_non_null(sum);
  for (int k = -4; k <= 4; k++) {
    if (k == 0) continue;
    lwt_ok(lw_set_parameter(s, parameter, value + k * h));
    lw_model *m = phase ? compile_moment(phase, 0) : compile(s, 0);
    double *x = numbers_of(m, n);
    for (size_t i = 0; i < n; i++) {
      const double turn = 2 * acos(-1), more = x[i] - base[i];
      sum[i] += (k > 0 ? weight[k - 1] : -weight[-k - 1]) / h * (more - turn * round(more / turn));
    }
    free(x);
    lw_model_free(m);
  }
  lwt_ok(lw_set_parameter(s, parameter, value));
  return sum;
}

static void agree(const double *x, const double *a, const double *b, size_t n, double rtol,
                  const char *what, unsigned seed)
{
  for (size_t i = 0; i < n; i++) {
    const double scale = fmax(1, fmax(fabs(x[i]), fabs(b[i])));
    if (!(fabs(a[i] - b[i]) <= rtol * scale))
      fail_msg("%s, seed %u: number %zu of %zu, %.17g: %.17g, not %.17g", what, seed, i, n, x[i],
               a[i], b[i]);
  }
}

/* Numbers whose differences of two steps disagree by more than is asked for are ill-conditioned, and say nothing:
   they are taken as exact, and counted. */
static int leave_out_unsure(const double *x, const double *exact, double *near, const double *half,
                            size_t n, double rtol)
{
  int unsure = 0;
  for (size_t i = 0; i < n; i++) {
    const double scale = fmax(1, fmax(fabs(x[i]), fabs(near[i]))), by = fabs(near[i] - half[i]);
    if (by <= rtol * scale || fabs(exact[i] - near[i]) > 10 * by) continue;
    unsure += fabs(exact[i] - near[i]) > rtol * scale;
    near[i] = exact[i];
  }
  return unsure;
}

static int count_moving(const double *d, size_t n)
{
  int moving = 0;
  for (size_t i = 0; i < n; i++)
    moving += d[i] != 0;
  return moving;
}

/* ---- kinds of models ---- */

enum { KINDS = 6 };
static lwt_recipe recipe_of(int kind, unsigned seed)
{
  return (lwt_recipe){.seed = seed,
                      .nbody = kind == 0 ? 1 : 9,
                      .branching = kind % 2 ? 0.6 : 0,
                      .planar = kind == 2 || kind == 5,
                      .floating = kind == 3,
                      .loose = kind == 4,
                      .forces = true};
}
static int loops_of(int kind)
{
  return kind == 1 || kind >= 4 ? 3 : 0;
}

/* ---- tests ---- */

static void compiled_numbers_against_differences(void **state)
{
  (void)state;
  int unsure = 0;
  for (unsigned seed = 0; seed < 72; seed++) {
    const int kind = (int)(seed % KINDS);
    const lwt_recipe recipe = recipe_of(kind, seed);
    lw_spec *s = random_spec(&recipe, loops_of(kind), false);
    lw_model *m = compile(s, seed);
    const size_t n = lwi_model_numbers(m, NULL);
    double *x = numbers_of(m, n);
    const char *const names[] = {"p", "r"};
    for (int i = 0; i < 2; i++) {
      double *exact = change_of_numbers(s, m, names[i], n);
      double *near = difference(s, NULL, names[i], i ? r0 : p0, x, n, 0.005);
      double *half = difference(s, NULL, names[i], i ? r0 : p0, x, n, 0.0025);
      unsure += leave_out_unsure(x, exact, near, half, n, 4e-12);
      assert_true(count_moving(exact, n) > (int)n / 8);
      agree(x, exact, near, n, 4e-12, names[i], seed);
      free(half);
      free(near);
      free(exact);
    }
    free(x);
    lw_model_free(m);
    lw_spec_free(s);
  }
  assert_true(unsure < 100); /* of some 200,000 */
}

/* With lengths and masses twice as large every number is exactly 2^k times as large, and its derivative at 1 is k
   times itself. */
static void numbers_grow_by_powers_of_length_and_mass(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 72; seed++) {
    const int kind = (int)(seed % KINDS);
    const lwt_recipe recipe = recipe_of(kind, seed);
    lw_spec *s = random_spec(&recipe, loops_of(kind), true);
    lw_model *m = compile(s, seed);
    const size_t n = lwi_model_numbers(m, NULL);
    double *x = numbers_of(m, n);
    const char *const names[] = {"L", "M"};
    for (int i = 0; i < 2; i++) {
      double *exact = change_of_numbers(s, m, names[i], n);
      lwt_ok(lw_set_parameter(s, names[i], 2));
      lw_model *twice = compile(s, seed);
      double *y = numbers_of(twice, n);
      for (size_t k = 0; k < n; k++) {
        const double power = x[k] != 0 ? log2(y[k] / x[k]) : 0;
        if (power != round(power))
          fail_msg("seed %u: number %zu of %zu is %.17g times as large: %.17g", seed, k, n,
                   y[k] / x[k], x[k]);
        y[k] = power * x[k];
      }
      y[index_of(m, names[i]) + 5] =
          1; /* after gravity and the typical length: the parameter itself */
      agree(x, exact, y, n, 2e-14, names[i], seed);
      free(y);
      free(exact);
      lw_model_free(twice);
      lwt_ok(lw_set_parameter(s, names[i], 1));
    }
    free(x);
    lw_model_free(m);
    lw_spec_free(s);
  }
}

/* d/dp with w following is d/dp with w held, and w'(p) d/dw */
static void parameters_follow_each_other(void **state)
{
  (void)state;
  for (unsigned seed = 100; seed < 130; seed++) {
    const int kind = (int)(seed % KINDS);
    const lwt_recipe recipe = recipe_of(kind, seed);
    lw_spec *s = random_spec(&recipe, loops_of(kind), false);
    lw_model *m = compile(s, seed);
    const size_t n = lwi_model_numbers(m, NULL);
    double *x = numbers_of(m, n), *total = change_of_numbers(s, m, "p", n);
    lwt_ok(lw_set_parameter(s, "w", p0 * p0 + 0.3 * r0 * p0));
    double *held = change_of_numbers(s, m, "p", n), *by_w = change_of_numbers(s, m, "w", n);
    for (size_t i = 0; i < n; i++)
      held[i] += (2 * p0 + 0.3 * r0) * by_w[i];
    agree(x, total, held, n, 2e-15, "chain rule", seed);
    free(x);
    free(total);
    free(held);
    free(by_w);
    lw_model_free(m);
    lw_spec_free(s);
  }
}

/* absent and locked joints, merged bodies, bodies that stay where they are */
static void models_of_later_moments(void **state)
{
  (void)state;
  for (unsigned seed = 200; seed < 224; seed++) {
    const int kind = (int)(seed % KINDS);
    const lwt_recipe recipe = recipe_of(kind, seed);
    lwt_random r = lwt_seed(seed);
    lw_spec *s = random_spec(&recipe, loops_of(kind), false);
    const int nbody = s->bodies.n;
    lwi_frame *pose = calloc((size_t)nbody + 1, sizeof *pose);
    lwi_frame place[2] = {lwi_frame_identity(), lwi_frame_identity()};
    const lw_body merged[2] = {{1}, {nbody}};
    place[1].p[0] = 0.4;
    for (int b = 0; b <= nbody; b++) {
      const double e[4] = {0.6, 0, 0, 0.8};
      pose[b].R = rot_from_quat(e);
      for (int i = 0; i < 2 && b > 0; i++)
        pose[b].p[i] = lwt_uniform(&r, -1, 1);
    }
    lwi_phase phase;
    assert_true(lwi_phase_init(&phase, s));
    phase.pose = pose;
    phase.time = 0.5;
    for (int i = 0; i < phase.njoint; i++)
      if (i % 3 == 2)
        phase.joint[i] = (lwi_part_state){.absent = true};
      else
        phase.joint[i] = (lwi_part_state){.kept = i % 2 == 0, .locked = i % 4 == 1};
    lwi_merge merge = {.name = "merged", .nbody = 2, .bodies = merged, .place = place};
    phase.merge = nbody > 1 ? &merge : NULL;
    phase.nmerge = nbody > 1;
    lw_model *m = compile_moment(&phase, seed);
    const size_t n = lwi_model_numbers(m, NULL);
    double *x = numbers_of(m, n), *exact = change_in_phase(&phase, m, "p", n);
    double *near = difference(s, &phase, "p", p0, x, n, 0.005);
    agree(x, exact, near, n, 4e-12, "moment", seed);
    phase.merge = NULL;
    lwi_phase_close(&phase);
    free(pose);
    free(x);
    free(exact);
    free(near);
    lw_model_free(m);
    lw_spec_free(s);
  }
}

/* ---- by hand ---- */

/* R1 = rate n x R */
static void turns_about(const lwi_frame *X, const lwi_frame *X1, const double n[3], double rate,
                        const char *what)
{
  double turn[3], expected[3];
  for (int i = 0; i < 3; i++)
    turn[i] = rate * n[i];
  for (int i = 0; i < 3; i++) {
    cross3(turn, X->R.c[i], expected);
    lwt_close(X1->R.c[i], expected, 3, 4e-16, fmax(1, fabs(rate)), "%s, column %d", what, i);
  }
}

static void orientations_by_hand(void **state)
{
  (void)state;
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = p0});
  const double p = lw_expr(s, "p");
  const lw_orient way[4] = {{LW_ORIENT_AXIS_ANGLE, {1, 2, 2, p}},
                            {LW_ORIENT_RPY, {0.3, 0.4, p}},
                            {LW_ORIENT_QUAT, {p, 1, 0, 0}},
                            {LW_ORIENT_AXIS_ANGLE, {1, p, 0, lw_expr(s, "pi")}}};
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    const lw_body b =
        lw_add_body(s, &(lw_body_desc){.name = name, .mass = 1, .inertia = {1, 1, 1}});
    snprintf(name, sizeof name, "j%d", i);
    lw_add_joint(s, &(lw_joint_desc){.name = name,
                                     .type = LW_REVOLUTE,
                                     .child = b,
                                     .place.orient = way[i],
                                     .axis = {p, 0, 2}});
  }
  lw_model *m = compile(s, 0), *change = lwi_model_derivative(s, m, 0, &err);
  assert_non_null(change);
  const double n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  turns_about(&m->joint[1].place, &change->joint[1].place, n, 1, "angle");
  turns_about(&m->joint[2].place, &change->joint[2].place, z, 1, "yaw");
  turns_about(&m->joint[3].place, &change->joint[3].place, x, -2 / (1 + p0 * p0), "quaternion");
  /* half a turn about (1, p, 0) is a reflection whose axis turns in the plane: twice its rate about z */
  turns_about(&m->joint[4].place, &change->joint[4].place, z, 2 / (1 + p0 * p0), "axis");
  const double r = sqrt(4 + p0 * p0), axis[3] = {4 / (r * r * r), 0, -2 * p0 / (r * r * r)};
  lwt_close(change->joint[1].shape.axis[0], axis, 3, 3e-16, 1, "a unit vector");
  lw_model_free(change);
  lw_model_free(m);
  lw_spec_free(s);
}

/* where models beside could not be compiled, or parameters would leave their limits */
static void limits_do_not_matter(void **state)
{
  (void)state;
  lw_error err;
  const double tiny = 0x1p-80;
  lw_spec *s = lw_spec_new();
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = tiny, .min = &tiny, .max = &tiny});
  const double mass = lw_expr(s, "sqrt(p)"), length = lw_expr(s, "p"), e = lw_expr(s, "p^2");
  const lw_body b = lw_add_body(
      s, &(lw_body_desc){.name = "b", .mass = mass, .com = {0, 0, 1}, .inertia = {e, e, e}});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_REVOLUTE, .child = b, .q = {length}});
  lw_add_constraint(
      s, &(lw_constraint_desc){.name = "d", .type = LW_DISTANCE, .child = b, .length = length});
  lw_model *m = compile(s, 0), *change = lwi_model_derivative(s, m, 0, &err);
  assert_non_null(change);
  assert_true(change->body[1].mass == 0.5 * 0x1p40);
  assert_true(change->link[1].h[2] == 0.5 * 0x1p40);
  assert_true(change->constraint[1].equations.number == 1);
  assert_true(change->q0[0] == 1);
  lw_model_free(change);
  lw_model_free(m);
  lw_spec_free(s);
}

static void what_has_no_derivative_is_said(void **state)
{
  (void)state;
  const struct {
    const char *parameter, *number, *says;
  } cases[] = {{"1", "sqrt(p - 1)", "a square root has no derivative at 0 in \"sqrt(p - 1)\""},
               {"1", "1 + asin(p)", "asin has no derivative at -1 and 1"},
               {"1", "(p - 1)^0.5", "this power has no derivative at 0"},
               {"1", "2 + w", "parameter \"w\": a square root has no derivative at 0"}};
  for (int i = 0; i < 4; i++) {
    lw_error err = {0};
    lw_spec *s = lw_spec_new();
    lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = lw_expr(s, cases[i].parameter)});
    lw_add_parameter(
        s, &(lw_parameter_desc){.name = "w", .value = lw_expr(s, i == 3 ? "sqrt(p - 1)" : "2")});
    const lw_body b = lw_add_body(s, &(lw_body_desc){.name = "b", .mass = 1, .inertia = {1, 1, 1}});
    lw_add_joint(
        s, &(lw_joint_desc){
               .name = "j", .type = LW_REVOLUTE, .child = b, .q = {lw_expr(s, cases[i].number)}});
    lw_model *m = compile(s, 0);
    assert_null(lwi_model_derivative(s, m, 0, &err));
    assert_int_equal(err.status, LW_E_NUMBER);
    if (!strstr(err.text, cases[i].says))
      fail_msg("\"%s\" does not say %s", err.text, cases[i].says);
    assert_null(lw_model_derivative_new(m, "p", NULL));
    lw_model_free(m);
    lw_spec_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compiled_numbers_against_differences),
      cmocka_unit_test(numbers_grow_by_powers_of_length_and_mass),
      cmocka_unit_test(parameters_follow_each_other),
      cmocka_unit_test(models_of_later_moments),
      cmocka_unit_test(orientations_by_hand),
      cmocka_unit_test(limits_do_not_matter),
      cmocka_unit_test(what_has_no_derivative_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
