/* SPDX-License-Identifier: Apache-2.0 */
/* joint_elements.c -- what the descriptor of a joint asks for besides the joint.  Dampers and
   compliant stops are joint springs.  A rigid stop is an event, whose gap is the distance from the
   limit, and a coupler that keeps the freedom there while it rests on the stop.  Dry friction is an
   event where the speed passes zero, a coupler while it sticks, and two motors, one for each
   direction of sliding, which may depend on the load of the joint itself (docs/theory/contact.md).
   None of these has a name that a file can have; messages name the joint. */
#include "model/spec/joint_elements.h"
#include "base/quoted_name.h"
#include "model/expression/expr_lex.h"
#include "model/joint/joint.h"

#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* the part of the range over which a compliant stop becomes linear, if none is given; of a stop
   without an opposite one it is a length or an angle */
#define LWI_ONSET "0.001"

static bool is_written(double number)
{
  return !(number == 0); /* also if it is an expression */
}

const char *lwi_text_of_number(const lw_spec *s, double number, char *buffer, size_t size)
{
  const int e = lwi_expr_index(number);
  if (e >= 0 && e < s->nexpr) return s->expr[e].text;
  snprintf(buffer, size, "%.17g", number);
  return buffer;
}

static bool fail(lw_spec *s, const lw_joint_desc *d, const char *what)
{
  lwi_spec_fail(s, LW_E_MODEL, s->mark, "joint \"%s\": %s", d->name, what);
  return false;
}

/* `what` of a joint, for messages. */
static bool add_spring(lw_spec *s, const lw_joint_desc *d, const char *what,
                       lw_joint_spring_desc spring)
{
  char name[300];
  snprintf(name, sizeof name, "%s of %s", what, d->name);
  spring.name = lwi_spec_text(s, name);
  spring.joint = (lw_joint){s->joints.n};
  return lwi_spec_good(s) && LWI_SPEC_APPEND(s, joint_springs, spring);
}

/* The onset of a stop: as given, or a share of the range. */
static double onset_of(lw_spec *s, const lw_limits *l)
{
  char text[1000], lower[40], upper[40];
  if (is_written(l->onset)) return l->onset;
  if (!l->has_lower || !l->has_upper) return atof(LWI_ONSET);
  const char *a = lwi_text_of_number(s, l->lower, lower, sizeof lower),
             *b = lwi_text_of_number(s, l->upper, upper, sizeof upper);
  if (snprintf(text, sizeof text, LWI_ONSET "*((%s) - (%s))", b, a) >= (int)sizeof text)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "the expressions of limits are too long"), 0;
  return lw_expr(s, text);
}

static bool add_compliant(lw_spec *s, const lw_joint_desc *d, int i)
{
  const lw_limits *l = &d->limits[i];
  lw_joint_spring_desc k = {
      .dof = i + 1, .stiffness = l->stiffness, .damping = l->damping, .onset = onset_of(s, l)};
  k.rest = l->lower, k.side = -1;
  if (l->has_lower && !add_spring(s, d, "lower limit", k)) return false;
  k.rest = l->upper, k.side = 1;
  return !l->has_upper || add_spring(s, d, "upper limit", k);
}

/* ---- events that the mechanics raises ---- */

/* "J", or "J.2" of a joint with several freedoms. */
static const char *coordinate_name(const lw_spec *s, const lw_joint_desc *d, int i, char *out,
                                   size_t size)
{
  if (lw_joint_type_nu(d->type, s->planar) == 1)
    snprintf(out, size, "%s", d->name);
  else
    snprintf(out, size, "%s.%d", d->name, i + 1);
  return out;
}

/* An event `what.J` of a freedom, and the coupler of the same name that holds the freedom. */
static bool add_event(lw_spec *s, const lw_joint_desc *d, int i, const char *what, double when,
                      double offset, lw_event_desc e)
{
  char coordinate[220], name[LWI_CONTACT_NAME];
  const int dof = i + 1;
  snprintf(name, sizeof name, "%s.%.200s", what,
           coordinate_name(s, d, i, coordinate, sizeof coordinate));
  e.name = name;
  e.joint = d->name;
  e.dofs = &dof;
  e.ndof = 1;
  e.has_when = true;
  e.when = when;
  lw_term *term = LWI_TAKE(&s->arena, 1, lw_term);
  if (!term) return lwi_spec_no_memory(s), false;
  *term = (lw_term){.joint = {s->joints.n}, .dof = dof, .coefficient = 1};
  const lw_constraint_desc held = {.name = lwi_spec_text(s, name),
                                   .type = LW_COUPLER,
                                   .terms = term,
                                   .nterm = 1,
                                   .offset = offset};
  if (!LWI_SPEC_APPEND(s, constraints, held)) return false;
  s->constraints.item[s->constraints.n - 1].announced = true;
  return lwi_append_event(s, &e);
}

/* An expression of a coordinate or speed and a number. */
static double gap(lw_spec *s, const char *format, const char *coordinate, double number)
{
  char text[1000], buffer[40], quoted[LWI_QUOTED_SIZE];
  const char *by = lwi_text_of_number(s, number, buffer, sizeof buffer);
  const bool first = format[0] == '(';
  coordinate = lwi_expr_write_name(coordinate, quoted);
  const int n =
      snprintf(text, sizeof text, format, first ? by : coordinate, first ? coordinate : by);
  if (n >= (int)sizeof text)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "the expressions of limits are too long"), 0;
  return lw_expr(s, text);
}

/* The gap is positive within the range; the normal's sign turns a speed into that of the gap. */
static bool add_rigid(lw_spec *s, const lw_joint_desc *d, int i)
{
  const lw_limits *l = &d->limits[i];
  char q[220];
  lw_event_desc e = {.action = LW_ACTION_LIMIT,
                     .direction = LW_FALLING,
                     .restitution = l->restitution,
                     .late = l->late};
  coordinate_name(s, d, i, q, sizeof q);
  e.normal[0] = 1;
  if (l->has_lower && !add_event(s, d, i, "lower", gap(s, "q.%s - (%s)", q, l->lower), l->lower, e))
    return false;
  e.normal[0] = -1;
  return !l->has_upper ||
         add_event(s, d, i, "upper", gap(s, "(%s) - q.%s", q, l->upper), l->upper, e);
}

/* A motor against sliding in one direction; it acts while that is the direction. */
static bool add_sliding(lw_spec *s, const lw_joint_desc *d, int i, int sense)
{
  char name[300], buffer[40], text[1000];
  const lw_friction *f = &d->friction[i];
  const bool own = is_written(f->coefficient);
  char factor[LWI_QUOTED_SIZE + 16] = "", quoted[LWI_QUOTED_SIZE];
  const char *load = lwi_text_of_number(s, own ? f->coefficient : f->load, buffer, sizeof buffer);
  snprintf(name, sizeof name, "friction of %s", d->name);
  if (own) snprintf(factor, sizeof factor, "*bearing.%s", lwi_expr_write_name(d->name, quoted));
  if (snprintf(text, sizeof text, sense > 0 ? "-(%s)%s" : "(%s)%s", load, factor) >=
      (int)sizeof text)
    return fail(s, d, "the expression of its friction is too long");
  const lw_motor_desc motor = {.name = lwi_spec_text(s, name),
                               .joint = {s->joints.n},
                               .dof = i + 1,
                               .value = lw_expr(s, text)};
  if (!LWI_SPEC_APPEND(s, motors, motor)) return false;
  s->motors.item[s->motors.n - 1].announced = true;
  s->motors.item[s->motors.n - 1].role.friction = sense * s->constraints.n;
  return lwi_spec_good(s);
}

/* The joint's own load, a number of the state that sim/formulation/own_loads.c finds. */
static bool add_bearing(lw_spec *s, const lw_joint_desc *d)
{
  char name[300];
  snprintf(name, sizeof name, "bearing.%.200s", d->name);
  lw_add_state(s, &(lw_state_desc){.name = name, .input = true});
  if (!lwi_spec_good(s)) return false;
  s->states.item[s->states.n - 1].role = (lwi_role){.friction = s->constraints.n, .hidden = true};
  return true;
}

static bool add_own_friction(lw_spec *s, const lw_joint_desc *d, double speed)
{
  const lw_friction *f = &d->friction[0];
  const double moving = f->coefficient,
               sticking = is_written(f->static_coefficient) ? f->static_coefficient : moving;
  const lw_event_desc e = {
      .action = LW_ACTION_FRICTION,
      .bound = {moving, sticking},
      .own_load = true,
      .bearing = {d->type == LW_PRISMATIC ? 1 : f->radius, f->length, f->thrust_radius},
      .normal = {1}};
  return add_event(s, d, 0, "friction", speed, 0, e) && add_bearing(s, d) &&
         add_sliding(s, d, 0, 1) && add_sliding(s, d, 0, -1);
}

static bool add_friction(lw_spec *s, const lw_joint_desc *d, int i)
{
  const lw_friction *f = &d->friction[i];
  char u[220], quoted[LWI_QUOTED_SIZE], text[LWI_QUOTED_SIZE + 2];
  snprintf(text, sizeof text, "u.%s",
           lwi_expr_write_name(coordinate_name(s, d, i, u, sizeof u), quoted));
  if (is_written(f->coefficient)) return add_own_friction(s, d, lw_expr(s, text));
  const lw_event_desc e = {
      .action = LW_ACTION_FRICTION,
      .bound = {f->load, is_written(f->static_load) ? f->static_load : f->load},
      .normal = {1}};
  return add_event(s, d, i, "friction", lw_expr(s, text), 0, e) && add_sliding(s, d, i, 1) &&
         add_sliding(s, d, i, -1);
}

/* ---- all of them ---- */

/* Numbers that are written already can be checked here; model/compile checks the others. */
static bool check_limits(lw_spec *s, const lw_joint_desc *d, const lw_limits *l)
{
  if (l->has_lower && l->has_upper && l->lower >= l->upper)
    return fail(s, d, "the lower limit must be below the upper one");
  if (l->stiffness < 0 || l->damping < 0 || l->onset < 0)
    return fail(s, d, "stiffness, damping and onset of limits must not be negative");
  if (l->restitution < 0 || l->restitution > 1)
    return fail(s, d, "the restitution of its limits must be between 0 and 1");
  return !is_written(l->stiffness) || !is_written(l->restitution) ||
         fail(s, d, "limits have a restitution, if they are rigid, or a stiffness");
}

/* of friction by the joint's own load */
static bool check_bearing(lw_spec *s, const lw_joint_desc *d, const lw_friction *f)
{
  const bool pin = d->type == LW_REVOLUTE;
  if (!pin && d->type != LW_PRISMATIC)
    return fail(s, d, "only revolute and prismatic joints have friction of their own load");
  if (is_written(f->load) || is_written(f->static_load))
    return fail(s, d, "its friction has a load, or a coefficient");
  if (pin && !is_written(f->radius) && !is_written(f->thrust_radius))
    return fail(s, d, "the friction of a pin needs its radius");
  if (!pin && (is_written(f->radius) || is_written(f->thrust_radius)))
    return fail(s, d, "the friction of a prismatic joint has no radius");
  if (f->radius < 0 || f->length < 0 || f->thrust_radius < 0)
    return fail(s, d, "radius, length and thrust_radius of friction must not be negative");
  return !(is_written(f->static_coefficient) && f->static_coefficient < f->coefficient) ||
         fail(s, d, "its static friction must not be below the kinetic one");
}

static bool check_friction(lw_spec *s, const lw_joint_desc *d, const lw_friction *f)
{
  if (f->coefficient < 0) return fail(s, d, "its friction must not be negative");
  if (is_written(f->coefficient)) return check_bearing(s, d, f);
  if (f->load < 0) return fail(s, d, "its friction must not be negative");
  return !(is_written(f->static_load) && f->static_load < f->load) ||
         fail(s, d, "its static friction must not be below the kinetic one");
}

static bool has_friction(const lw_friction *f)
{
  return is_written(f->load) || is_written(f->static_load) || is_written(f->coefficient);
}

static bool add_to_freedom(lw_spec *s, const lw_joint_desc *d, int i)
{
  const lw_limits *l = &d->limits[i];
  const lw_friction *f = &d->friction[i];
  if (d->damping[i] < 0) return fail(s, d, "its damping must not be negative");
  if (d->armature[i] < 0) return fail(s, d, "its armature must not be negative");
  if (is_written(d->damping[i]) &&
      !add_spring(s, d, "damping", (lw_joint_spring_desc){.dof = i + 1, .damping = d->damping[i]}))
    return false;
  if ((l->has_lower || l->has_upper) &&
      (!check_limits(s, d, l) ||
       !(is_written(l->stiffness) ? add_compliant(s, d, i) : add_rigid(s, d, i))))
    return false;
  return !has_friction(f) || (check_friction(s, d, f) && add_friction(s, d, i));
}

static bool has_elements(const lw_joint_desc *d, int i)
{
  return is_written(d->damping[i]) || is_written(d->armature[i]) || d->limits[i].has_lower ||
         d->limits[i].has_upper || has_friction(&d->friction[i]);
}

bool lwi_add_joint_elements(lw_spec *s, const lw_joint_desc *d)
{
  const bool pairs = lwi_joint_has_rate_pair(d->type);
  const int nu = pairs ? lw_joint_type_nu(d->type, s->planar) : 0;
  for (int i = 0; i < LW_RATE_PAIRS && lwi_spec_good(s); i++) {
    if (!has_elements(d, i)) continue;
    if (i >= nu)
      return fail(s, d,
                  pairs ? "it has fewer freedoms than limits, dampings, armatures or frictions"
                        : "its speeds are not rates of coordinates, which could have limits, "
                          "damping, armature or friction");
    if (!add_to_freedom(s, d, i)) return false;
  }
  return lwi_spec_good(s);
}
