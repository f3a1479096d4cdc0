/* SPDX-License-Identifier: Apache-2.0 */
/* contact_friction.c -- the friction of a contact: forces while it slides, a constraint while it
   sticks, and the event between them.  The normal load is a number of the state that
   sim/formulation/own_loads.c finds. */
#include "model/spec/contact_text.h"
#include "linkwork/reader.h"

#include <string.h>

/* A number that is held: the normal load, a component of the direction of sliding at the last
   instant, or the speed up to which it counts. */
static bool add_held(lwi_contact_parts *k, const char *component, double start)
{
  char name[LWI_CONTACT_WORD];
  lwi_contact_put(name, LWI_CONTACT_WORD, "touch.%.200s%s", k->d->name, component);
  lw_add_state(k->s, &(lw_state_desc){.name = name, .start = start, .input = true});
  if (!lwi_spec_good(k->s)) return false;
  k->s->states.item[k->s->states.n - 1].role =
      (lwi_role){.friction = k->s->constraints.n, .hidden = true};
  return true;
}

static bool add_part(lwi_contact_parts *k, const char *part, int i, const lwi_contact_text *t)
{
  char component[8];
  lwi_contact_put(component, sizeof component, ".%s%s", part, lwi_axis_name[i]);
  return lwi_contact_output(k, "touch", component, t, true);
}

static bool is_circle(const lwi_contact_parts *k)
{
  return k->d->on == LW_ON_SPHERE && k->s->planar;
}

/* On a circle d.x is the sense, along the tangent (n.y, -n.x). */
static bool add_tangent(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  lwi_contact_text t = {.length = 0};
  lwi_contact_add(&t, "touch.%s.dx*touch.%s.ny", C, C);
  if (!add_part(k, "e", 0, &t)) return false;
  t.length = 0;
  lwi_contact_add(&t, "-touch.%s.dx*touch.%s.nx", C, C);
  return add_part(k, "e", 1, &t);
}

/* Zero where the slip ends or has turned by 60 degrees: a - s/2 with a = p . d and s the size of the slip, but a alone
   where that is below `slow`, without a kink where sliding begins.  On a sphere d is not taken along.  Squares have
   bounds of their own, which p . p - pn^2 has not where bodies fly past each other. */
static bool add_turn(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  lwi_contact_text t = {.length = 0};
  lwi_contact_add(&t, "touch.%s.pd - 0.5*(sqrt(touch.%s.slow^2", C, C);
  for (int i = 0; i < 3; i++)
    lwi_contact_add(&t, " + (touch.%s.p%s - (%s)*touch.%s.pn)^2", C, lwi_axis_name[i], k->n[i], C);
  lwi_contact_add(&t, ") - touch.%s.slow)", C);
  return lwi_contact_output(k, "touch", ".turn", &t, true);
}

static const char *coefficient_of(const lwi_contact_parts *k, char number[40])
{
  return lwi_text_of_number(k->s, k->d->friction, number, 40);
}

/* On a sphere: the part across n of g = p + w d, w = sqrt(a^2 + slow^2) - a, which is that of
   add_direction; drag is what it is multiplied with.  Expressions of outputs contain those of others,
   so that each appears as seldom as possible. */
static bool add_direction_on_sphere(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  char number[40];
  lwi_contact_text t = {.length = 0};
  lwi_contact_add(&t, "sqrt(touch.%s.pd^2 + touch.%s.slow^2) - touch.%s.pd", C, C, C);
  if (!lwi_contact_output(k, "touch", ".w", &t, true)) return false;
  t.length = 0;
  lwi_contact_add(&t,
                  "touch.%s.pn + touch.%s.w*(touch.%s.nx*touch.%s.dx + touch.%s.ny*touch.%s.dy"
                  " + touch.%s.nz*touch.%s.dz)",
                  C, C, C, C, C, C, C, C);
  if (!lwi_contact_output(k, "touch", ".gn", &t, true)) return false;
  for (int i = 0; i < 3; i++) {
    t.length = 0;
    lwi_contact_add(&t, "touch.%s.p%s + touch.%s.w*touch.%s.d%s", C, lwi_axis_name[i], C, C,
                    lwi_axis_name[i]);
    if (!add_part(k, "g", i, &t)) return false;
  }
  t.length = 0;
  lwi_contact_add(&t,
                  "(%s)*touch.%s.load/sqrt(touch.%s.gx^2 + touch.%s.gy^2 + touch.%s.gz^2 - "
                  "touch.%s.gn^2)",
                  coefficient_of(k, number), C, C, C, C, C);
  return lwi_contact_output(k, "touch", ".drag", &t, true);
}

/* Against p, the direction of sliding; near p = 0, and beyond it, that at the last instant, d: with
   a = p . d the direction is (d sqrt(a^2 + slow^2) + p - d a), normalised: where sliding begins
   slower than that, the direction of slips that are errors of the integration would change at
   random. */
static bool add_direction(lwi_contact_parts *k)
{
  const char *C = k->d->name;
  const char d = is_circle(k) ? 'e' : 'd';
  lwi_contact_text t = {.length = 0};
  if (is_circle(k) && !add_tangent(k)) return false;
  lwi_contact_add(&t, "touch.%s.px*touch.%s.%cx + touch.%s.py*touch.%s.%cy", C, C, d, C, C, d);
  if (!k->s->planar) lwi_contact_add(&t, " + touch.%s.pz*touch.%s.dz", C, C);
  if (!lwi_contact_output(k, "touch", ".pd", &t, true)) return false;
  if (k->s->planar) return true;
  if (!add_turn(k)) return false;
  if (k->d->on == LW_ON_SPHERE) return add_direction_on_sphere(k);
  t.length = 0;
  lwi_contact_add(&t, "sqrt(touch.%s.pd^2 + touch.%s.slow^2)", C, C);
  if (!lwi_contact_output(k, "touch", ".along", &t, true)) return false;
  for (int i = 0; i < 3; i++) {
    t.length = 0;
    lwi_contact_add(&t, "touch.%s.p%s - (%s)*touch.%s.pn - touch.%s.d%s*touch.%s.pd", C,
                    lwi_axis_name[i], k->n[i], C, C, lwi_axis_name[i], C);
    if (!add_part(k, "q", i, &t)) return false;
  }
  t.length = 0;
  lwi_contact_add(&t, "sqrt(touch.%s.along^2 + touch.%s.qx^2 + touch.%s.qy^2 + touch.%s.qz^2)", C,
                  C, C, C);
  return lwi_contact_output(k, "touch", ".size", &t, true);
}

/* Component i of the force on the body, in the axes of the other one. */
static void add_component(const lwi_contact_parts *k, lwi_contact_text *t, int i)
{
  const char *C = k->d->name, *x = lwi_axis_name[i];
  char number[40];
  const char *mu = coefficient_of(k, number);
  if (k->s->planar && i == 2)
    lwi_contact_add(t, "0*t");
  else if (k->s->planar)
    lwi_contact_add(t, "-(%s)*touch.%s.load*touch.%s.%c%s", mu, C, C, is_circle(k) ? 'e' : 'd', x);
  else if (k->d->on == LW_ON_SPHERE)
    lwi_contact_add(t, "(touch.%s.n%s*touch.%s.gn - touch.%s.g%s)*touch.%s.drag", C, x, C, C, x, C);
  else
    lwi_contact_add(
        t, "-(%s)*touch.%s.load*(touch.%s.d%s*touch.%s.along + touch.%s.q%s)/touch.%s.size", mu, C,
        C, x, C, C, x, C);
}

static bool add_force(lwi_contact_parts *k)
{
  for (int i = 0; i < 3; i++) {
    lwi_contact_text t = {.length = 0};
    add_component(k, &t, i);
    if (!add_part(k, "f", i, &t)) return false;
  }
  return true;
}

/* Between spheres c x f = r m and the moment on the other body is (|d| - r) m, with m = f x n. */
static bool add_moments(lwi_contact_parts *k)
{
  const char *C = k->d->name, f = is_circle(k) ? 'f' : 'g';
  char number[40];
  lwi_contact_text t = {.length = 0};
  lwi_contact_add(&t, "gap.%s + (%s)", C,
                  lwi_text_of_number(k->s, k->d->other_radius, number, sizeof number));
  if (!lwi_contact_output(k, "touch", ".arm", &t, true)) return false;
  for (int i = 0; i < 3; i++) {
    const char *y = lwi_axis_name[(i + 1) % 3], *z = lwi_axis_name[(i + 2) % 3];
    t.length = 0;
    lwi_contact_add(&t, "(touch.%s.%c%s*touch.%s.n%s - touch.%s.%c%s*touch.%s.n%s)", C, f, y, C, z,
                    C, f, z, C, y);
    if (f == 'g') lwi_contact_add(&t, "*-touch.%s.drag", C);
    if (!add_part(k, "m", i, &t)) return false;
  }
  return true;
}

/* component i of arm x f; between spheres, where n causes none, that of touch.C.mx ... */
static void add_moment(const lwi_contact_parts *k, lwi_contact_text *t,
                       char arm[3][LWI_CONTACT_WORD * 3], int i, const char *sign)
{
  const int j = (i + 1) % 3, l = (i + 2) % 3;
  if (k->d->on == LW_ON_SPHERE) {
    const char *C = k->d->name, *x = lwi_axis_name[i];
    if (k->d->friction == 0)
      lwi_contact_add(t, "0*t");
    else if (*sign)
      lwi_contact_add(t, "touch.%s.arm*touch.%s.m%s", C, C, x);
    else
      lwi_contact_add(t, "(%s)*touch.%s.m%s", k->radius, C, x);
    return;
  }
  lwi_contact_add(t, "%s((%s)*touch.%s.f%s - (%s)*touch.%s.f%s)", sign, arm[j], k->d->name,
                  lwi_axis_name[l], arm[l], k->d->name, lwi_axis_name[j]);
}

/* friction: the constraint that exists instead while the bodies stick; 0: there is none */
static bool append_load(lwi_contact_parts *k, lw_load_desc *d, const char *name, int friction)
{
  char whole[LWI_CONTACT_WORD];
  lwi_contact_put(whole, LWI_CONTACT_WORD, "%s%.200s", name, k->d->name);
  d->name = lwi_spec_text(k->s, whole);
  if (!lwi_spec_good(k->s) || !LWI_SPEC_APPEND(k->s, loads, *d)) return false;
  k->s->loads.item[k->s->loads.n - 1].role = (lwi_role){.friction = friction, .contact = true};
  return true;
}

bool lwi_contact_loads(lwi_contact_parts *k, const char *name, const char *reaction, int friction)
{
  lw_load_desc on = {.body = k->d->body}, back = {.body = k->d->other, .body_axes = true};
  char arm[3][LWI_CONTACT_WORD * 3], m[3 * LWI_CONTACT_WORD];
  const int first = k->s->planar ? 2 : 0;
  for (int i = 0; i < 3; i++)
    lwi_contact_put(arm[i], sizeof arm[i], "%s + (%s)", lwi_contact_measure(k, lwi_axis_name[i], m),
                    k->c[i]);
  for (int j = 0; j < 3; j++) {
    lwi_contact_text force = {.length = 0}, torque = {.length = 0}, minus = {.length = 0},
                     moment = {.length = 0};
    if (k->d->other.id == 0) { /* its axes are those of the ground */
      lwi_contact_add(&force, "touch.%s.f%s", k->d->name, lwi_axis_name[j]);
      add_moment(k, &torque, k->c, j, "");
    }
    for (int i = 0; i < 3 && k->d->other.id != 0; i++) {
      lwi_contact_add(&force, "%stouch.%s.f%s*%s%s.%s", i ? " + " : "", k->d->name,
                      lwi_axis_name[i], lwi_axis_name[i], lwi_axis_name[j], k->point[1]);
      lwi_contact_add(&torque, "%s", i ? " + " : "");
      add_moment(k, &torque, k->c, i, "");
      lwi_contact_add(&torque, "*%s%s.%s", lwi_axis_name[i], lwi_axis_name[j], k->point[1]);
    }
    lwi_contact_add(&minus, "-touch.%s.f%s", k->d->name, lwi_axis_name[j]);
    add_moment(k, &moment, arm, j, "-");
    if (!k->s->planar || j < 2)
      on.force[j] = lwi_contact_expression(k, &force),
      back.force[j] = lwi_contact_expression(k, &minus);
    if (j >= first)
      on.torque[j] = lwi_contact_expression(k, &torque),
      back.torque[j] = lwi_contact_expression(k, &moment);
  }
  memcpy(on.at, k->d->at, sizeof on.at);
  memcpy(back.at, k->d->other_at, sizeof back.at);
  return append_load(k, &on, name, friction) &&
         (k->d->other.id == 0 || append_load(k, &back, reaction, friction));
}

/* The constraint `friction.C` that exists while the bodies stick: a point stays where it is, round
   bodies roll; and the event where sliding ends or its direction has turned far. */
bool lwi_contact_friction(lwi_contact_parts *k)
{
  lw_spec *s = k->s;
  const lw_contact_desc *d = k->d;
  char name[LWI_CONTACT_WORD], when[2 * LWI_CONTACT_WORD];
  lwi_contact_put(name, LWI_CONTACT_WORD, "friction.%.200s", d->name);
  const bool round = d->on == LW_ON_SPHERE, point = d->radius == 0 && !round;
  lw_constraint_desc c = s->constraints.item[s->constraints.n - 1].d;
  c.name = lwi_spec_text(s, name);
  c.type = point ? LW_POINT_ON_LINE : round ? LW_ROLL_ON_SPHERE : LW_ROLL;
  c.length = d->radius;
  if (point) memset(c.axis2, 0, sizeof c.axis2);
  if (!LWI_SPEC_APPEND(s, constraints, c)) return false;
  s->constraints.item[s->constraints.n - 1].announced = true;
  if (!add_held(k, ".load", 0) || !add_held(k, ".dx", 1) || !add_held(k, ".dy", 0) ||
      !add_held(k, ".dz", 0) || !add_held(k, ".slow", 1e-6) || !add_direction(k) || !add_force(k) ||
      (round && !add_moments(k)) ||
      !lwi_contact_loads(k, "friction of ", "friction of ", s->constraints.n))
    return false;
  lwi_contact_put(when, sizeof when, "touch.%.200s.%s", d->name, s->planar ? "pd" : "turn");
  lw_event_desc e = {.name = name,
                     .has_when = true,
                     .when = lw_expr(s, when),
                     .direction = LW_FALLING,
                     .action = LW_ACTION_SLIP,
                     .body = d->body,
                     .other = d->other,
                     .contact = *d};
  e.contact.name = NULL;
  return lwi_spec_good(s) && lwi_append_event(s, &e);
}
