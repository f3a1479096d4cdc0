/* SPDX-License-Identifier: Apache-2.0 */
/* spec_contacts.c -- adds contacts and ropes to a spec. */
#include "model/spec/joint_elements.h"
#include "linkwork/contacts.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_body(const lw_spec *s, lw_body b)
{
  return b.id >= 0 && b.id <= s->bodies.n;
}

/* A rope is a contact whose gap is the length that it is slack by. */
bool lwi_add_rope(lw_spec *s, const lw_constraint_desc *d)
{
  lw_contact_desc rope = {.name = d->name,
                          .body = d->child,
                          .on = LW_ON_ROPE,
                          .other = d->parent,
                          .other_radius = d->length,
                          .restitution = d->restitution};
  memcpy(rope.at, d->child_place.at, sizeof rope.at);
  memcpy(rope.other_at, d->place.at, sizeof rope.other_at);
  if (d->length <= 0) { /* of a number: the others are checked by lw_compile */
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "constraint \"%s\": length must be positive, not %g",
                  d->name, d->length);
    return false;
  }
  if (d->restitution < 0 || d->restitution > 1) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark,
                  "constraint \"%s\": its restitution must be between 0 and 1", d->name);
    return false;
  }
  return lwi_add_contact_elements(s, &rope);
}

/* The radii of two spheres, as a number that may be an expression. */
static double add_numbers(lw_spec *s, double a, double b)
{
  char text[1000], first[40], second[40];
  if (!isnan(a) && !isnan(b)) return a + b;
  snprintf(text, sizeof text, "(%s) + (%s)", lwi_text_of_number(s, a, first, sizeof first),
           lwi_text_of_number(s, b, second, sizeof second));
  return lw_expr(s, text);
}

/* What is wrong with the law of a compliant contact, or that there is one; NULL: nothing. */
static const char *find_wrong_law(const lw_contact_desc *d)
{
  const bool law = !(d->damping == 0 && d->exponent == 0 && d->slip_speed == 0);
  if (d->stiffness == 0)
    return law ? "damping, exponent and slip_speed are those of compliant contacts: it needs a "
                 "stiffness"
               : NULL;
  if (d->stiffness < 0 || d->damping < 0) return "stiffness and damping must not be negative";
  if (d->exponent != 0 && d->exponent < 1) return "its exponent must be 1 or more";
  if (d->restitution != 0) return "contacts have a restitution, if they are rigid, or a stiffness";
  if (d->friction != 0 && !(d->slip_speed > 0 || isnan(d->slip_speed)))
    return "the friction of a compliant contact needs a slip_speed > 0";
  return NULL;
}

static bool check_contact(lw_spec *s, const lw_contact_desc *d, const char *name)
{
  const char *wrong = NULL;
  if (!is_body(s, d->body) || !is_body(s, d->other)) wrong = "no such body";
  if (d->body.id == d->other.id) wrong = "a body cannot touch itself";
  if (d->radius < 0 || d->other_radius < 0) wrong = "a radius must not be negative";
  if (d->on == LW_ON_SPHERE && d->radius == 0 && d->other_radius == 0)
    wrong = "two points do not touch: one of them needs a radius";
  if (d->restitution < 0 || d->restitution > 1) wrong = "its restitution must be between 0 and 1";
  if (d->friction < 0) wrong = "its friction must not be negative";
  if (!wrong) wrong = find_wrong_law(d);
  if ((unsigned)d->on > LW_ON_SPHERE) wrong = "it is neither on a plane nor on a sphere";
  if (wrong) lwi_spec_fail(s, LW_E_MODEL, s->mark, "contact \"%s\": %s", name, wrong);
  return !wrong;
}

void lw_add_contact(lw_spec *s, const lw_contact_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_contact: no descriptor");
    return;
  }
  lw_contact_desc own = *d;
  if (!lwi_spec_enter_name(s, "contact", &s->joint_names, d->name, &own.name) ||
      !lwi_spec_enter_joint_id(s, 0) || !check_contact(s, &own, own.name))
    return;
  const bool plane = d->on == LW_ON_PLANE, compliant = !(d->stiffness == 0);
  if (d->normal[0] == 0 && d->normal[1] == 0 && d->normal[2] == 0)
    own.normal[s->planar ? 1 : 2] = 1;
  if (s->planar) memset(own.axis, 0, sizeof own.axis); /* a disc is a sphere there */
  if (compliant) {
    lwi_add_contact_elements(s, &own);
    return;
  }
  lw_constraint_desc c = {.name = own.name,
                          .type = plane ? LW_TOUCH : LW_DISTANCE,
                          .parent = d->other,
                          .child = d->body};
  c.length = plane ? d->radius : add_numbers(s, d->radius, d->other_radius);
  memcpy(c.place.at, d->other_at, sizeof d->other_at);
  memcpy(c.child_place.at, d->at, sizeof d->at);
  memcpy(c.axis, own.normal, sizeof c.axis);
  memcpy(c.axis2, own.axis, sizeof c.axis2);
  if (LWI_SPEC_APPEND(s, constraints, c)) lwi_add_contact_elements(s, &own);
}
