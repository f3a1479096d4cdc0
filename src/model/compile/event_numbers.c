/* SPDX-License-Identifier: Apache-2.0 */
/* event_numbers.c -- the numbers of events: times, impulses, normals, places. */
#include "model/compile/constants.h"

static bool is_flat(const num v[3])
{
  return value_of(v[2]) == 0;
}

static bool read_hit(lwi_compiler *c, const lw_event_desc *d, lw_event_desc *out)
{
  const bool impact = d->action == LW_ACTION_IMPACT;
  const num none[3] = {0};
  num point[3], linear[3], angular[3], normal[3] = {0}, restitution;
  if (!lwi_read(c, d->point, 3, "at", point) || !lwi_read(c, d->linear, 3, "linear", linear) ||
      !lwi_read(c, d->angular, 3, "angular", angular) ||
      !lwi_read(c, &d->restitution, 1, "restitution", &restitution))
    return false;
  if (impact && !lwi_axis(c, d->normal, none, "normal", normal)) return false;
  if (!(value_of(restitution) >= 0 && value_of(restitution) <= 1))
    return lwi_compile_fail(c, LW_E_MODEL, "the restitution must be between 0 and 1, and is %g",
                            value_of(restitution));
  lwi_keep(point, 3, out->point);
  lwi_keep(linear, 3, out->linear);
  lwi_keep(angular, 3, out->angular);
  lwi_keep(normal, 3, out->normal);
  out->restitution = kept_of(restitution);
  const bool flat = is_flat(linear) && value_of(angular[0]) == 0 && value_of(angular[1]) == 0 &&
                    is_flat(normal) && is_flat(point);
  return !c->s->planar || flat ||
         lwi_compile_fail(c, LW_E_MODEL, "it must lie in the plane of a planar model");
}

/* the restitution of a limit */
static bool read_limit(lwi_compiler *c, const lw_event_desc *d, lw_event_desc *out)
{
  num restitution;
  if (!lwi_read(c, &d->restitution, 1, "restitution", &restitution)) return false;
  if (!(value_of(restitution) >= 0 && value_of(restitution) <= 1))
    return lwi_compile_fail(c, LW_E_MODEL, "the restitution must be between 0 and 1, and is %g",
                            value_of(restitution));
  out->restitution = kept_of(restitution);
  return true;
}

/* a radius or length, which must not be negative */
static bool read_size(lwi_compiler *c, double from, const char *what, num *out)
{
  if (!lwi_read(c, &from, 1, what, out)) return false;
  return value_of(*out) >= 0 ||
         lwi_compile_fail(c, LW_E_MODEL, "%s must not be negative, and is %g", what,
                          value_of(*out));
}

static bool read_contact(lwi_compiler *c, const lw_event_desc *d, lw_event_desc *out)
{
  const lw_contact_desc *from = &d->contact;
  const num none[3] = {0}, z[3] = {0, 0, 1};
  const bool disc = !(from->axis[0] == 0 && from->axis[1] == 0 && from->axis[2] == 0);
  num at[3], other[3], normal[3], axis[3] = {0}, radius, far, friction;
  if (!read_limit(c, d, out) || !lwi_read(c, from->at, 3, "at", at) ||
      !lwi_read(c, from->other_at, 3, "at", other) ||
      !read_size(c, from->radius, "radius", &radius) ||
      !read_size(c, from->other_radius, from->on == LW_ON_ROPE ? "length" : "radius", &far) ||
      !read_size(c, from->friction, "friction", &friction) ||
      !lwi_axis(c, from->normal, z, "normal", normal) ||
      (disc && !lwi_axis(c, from->axis, none, "axis", axis)))
    return false;
  lwi_keep(at, 3, out->contact.at);
  lwi_keep(other, 3, out->contact.other_at);
  lwi_keep(normal, 3, out->contact.normal);
  lwi_keep(axis, 3, out->contact.axis);
  out->contact.radius = kept_of(radius);
  out->contact.other_radius = kept_of(far);
  out->contact.friction = kept_of(friction);
  const bool flat = is_flat(at) && is_flat(other) && (from->on != LW_ON_PLANE || is_flat(normal));
  return !c->s->planar || flat ||
         lwi_compile_fail(c, LW_E_MODEL, "it must lie in the plane of a planar model");
}

static bool read_friction(lwi_compiler *c, const lw_event_desc *d, lw_event_desc *out)
{
  num bound[2], bearing[3];
  if (!lwi_read(c, d->bound, 2, "friction", bound) ||
      !lwi_read(c, d->bearing, 3, "bearing", bearing))
    return false;
  if (!(value_of(bound[0]) >= 0 && value_of(bound[1]) >= value_of(bound[0])))
    return lwi_compile_fail(c, LW_E_MODEL,
                            "the friction must not be negative, and the static one not below the "
                            "kinetic one; they are %g and %g",
                            value_of(bound[1]), value_of(bound[0]));
  for (int i = 0; i < 3; i++)
    if (!(value_of(bearing[i]) >= 0))
      return lwi_compile_fail(c, LW_E_MODEL,
                              "radius, length and thrust_radius of friction must not be negative");
  lwi_keep(bound, 2, out->bound);
  lwi_keep(bearing, 3, out->bearing);
  return true;
}

static bool read_connection(lwi_compiler *c, const lw_event_desc *d, lwi_event *out)
{
  const lw_joint_desc *j = d->new_joint;
  const lw_constraint_desc *k = d->new_constraint;
  num_frame place, child_place;
  if (!lwi_place(c, j ? &j->place : &k->place, "place in the parent", &place) ||
      !lwi_place(c, j ? &j->child_place : &k->child_place, "place in the child", &child_place))
    return false;
  lwi_keep_frame(&place, &out->place);
  lwi_keep_frame(&child_place, &out->child_place);
  return true;
}

bool lwi_event_numbers(lwi_compiler *c, const lw_event_desc *d, lwi_event *out)
{
  if (!d->has_when) {
    num at;
    if (!lwi_read(c, &d->at, 1, "at", &at)) return false;
    if (value_of(at) < 0)
      return lwi_compile_fail(c, LW_E_MODEL, "its time must not be negative, and is %g",
                              value_of(at));
    out->d.at = kept_of(at);
  }
  switch (d->action) {
  case LW_ACTION_CONNECT: return read_connection(c, d, out);
  case LW_ACTION_IMPULSE:
  case LW_ACTION_IMPACT: return read_hit(c, d, &out->d);
  case LW_ACTION_LIMIT: return read_limit(c, d, &out->d);
  case LW_ACTION_SLIP:
  case LW_ACTION_CONTACT: return read_contact(c, d, &out->d);
  case LW_ACTION_FRICTION: return read_friction(c, d, &out->d);
  default: return true;
  }
}
