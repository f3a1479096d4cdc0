/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_tendon.c -- tendons.  Their length L is a sum of coordinates (fixed) or of distances between sites (spatial,
   mjcf_spatial.c).  As springs and dampers they pull with

     a x + b x^2 + c x^3 + d v + e v |v| + f v^3,   x = L - rest, beyond the ends of a range of rest lengths; v = dL/dt. */
#include "io/mjcf/mjcf.h"

#include "io/mjcf/mjcf_load.h"
#include "linkwork/reader.h"

#include <string.h>

typedef struct {
  double stiffness[3], damping[3];
  double rest[2]; /* where there is no force */
  bool known;     /* they are written */
} spring;

static bool is_zero(const double c[3])
{
  return c[0] == 0 && c[1] == 0 && c[2] == 0;
}

/* springlength: one length, or a range in which there is no force; -1: that of the configuration in
   which springs rest. */
static bool read_spring(lwi_mjcf *x, const lwi_mjcf_item *item, spring *s)
{
  *s = (spring){0};
  if (lwi_mjcf_numbers(x, item, "stiffness", 3, s->stiffness) < 0 ||
      lwi_mjcf_numbers(x, item, "damping", 3, s->damping) < 0)
    return false;
  const int n = lwi_mjcf_numbers(x, item, "springlength", 2, s->rest);
  if (n == 1) s->rest[1] = s->rest[0];
  s->known = n > 0 && s->rest[0] != -1;
  return n >= 0;
}

/* a x + b x^2 + c x^3; odd: b x |x| */
static void write_polynomial(lwi_text *t, const double c[3], const char *x, bool odd)
{
  lwi_text_add(t, "(%.17g*(%s)", c[0], x);
  if (c[1] != 0)
    lwi_text_add(t, odd ? " + (%.17g)*(%s)*abs(%s)" : " + (%.17g)*(%s)*(%s)", c[1], x, x);
  if (c[2] != 0) lwi_text_add(t, " + (%.17g)*(%s)*(%s)*(%s)", c[2], x, x, x);
  lwi_text_add(t, ")");
}

/* How far the length is from where it rests. */
static void write_extension(const lwi_mjcf *x, lwi_text *t, const lwi_mjcf_tendon *of,
                            const double rest[2])
{
  lwi_text length = {0};
  lwi_mjcf_write_sum(x, &length, "q", of);
  if (rest[0] == rest[1])
    lwi_text_add(t, "%s - (%.17g)", length.text, rest[0]);
  else
    lwi_text_add(t, "max(%s - (%.17g), 0) + min(%s - (%.17g), 0)", length.text, rest[1],
                 length.text, rest[0]);
  t->full = t->full || length.full;
}

/* The length where all joints are where their springs rest. */
static double rest_length(const lwi_mjcf *x, const lwi_mjcf_tendon *t)
{
  double length = t->constant;
  if (t->segment) return lwi_mjcf_spatial_rest(x, t);
  for (int i = 0; i < t->nterm; i++)
    length += t->coefficient[i] * x->robot.joint[t->joint[i]].rest;
  return length;
}

/* One straight segment with a linear law is a spring of the spec. */
static bool is_plain(const lwi_mjcf_tendon *t, const spring *s)
{
  return t->segment && t->nterm == 1 && t->coefficient[0] == 1 && t->constant == 0 &&
         s->rest[0] == s->rest[1] && s->stiffness[1] == 0 && s->stiffness[2] == 0 &&
         s->damping[1] == 0 && s->damping[2] == 0;
}

static bool add_loads(lwi_mjcf *x, const lwi_mjcf_item *item, lwi_mjcf_tendon *t)
{
  spring s;
  lwi_text force = {0}, extension = {0}, rate = {0};
  if (!read_spring(x, item, &s)) return false;
  if (!s.known) s.rest[0] = s.rest[1] = rest_length(x, t);
  if (is_plain(t, &s))
    return lwi_mjcf_add_segments(x, t,
                                 &(lw_spring_desc){.stiffness = s.stiffness[0],
                                                   .damping = s.damping[0],
                                                   .length = s.rest[0]});
  if (t->segment && !lwi_mjcf_add_segments(x, t, NULL)) return false;
  if (is_zero(s.stiffness) && is_zero(s.damping)) return true;
  write_extension(x, &extension, t, s.rest);
  lwi_mjcf_write_sum(x, &rate, "u", t);
  lwi_text_add(&force, "0");
  if (!is_zero(s.stiffness)) {
    lwi_text_add(&force, " - ");
    write_polynomial(&force, s.stiffness, extension.text, false);
  }
  if (!is_zero(s.damping)) {
    lwi_text_add(&force, " - ");
    write_polynomial(&force, s.damping, rate.text, true);
  }
  force.full = force.full || extension.full || rate.full;
  return lwi_mjcf_add_load(x, t->element, t->name, &force, t, 1, false);
}

/* What linkwork does not have for tendons is said. */
static void note_limits(lwi_mjcf *x, const lwi_mjcf_item *item)
{
  const char *name = lwi_xml_get(item->element, "name");
  const bool range = lwi_mjcf_get(x, item, "range");
  const bool limited = lwi_mjcf_flag(x, item, "limited", range && x->compiler.autolimits);
  if (limited || lwi_mjcf_get(x, item, "frictionloss") || lwi_mjcf_get(x, item, "armature"))
    lwi_listing_add(&x->tendon_limits, name ? name : "tendon");
}

/* ---- fixed ---- */

static int count(const lwi_xml_element *e)
{
  int n = 0;
  for (const lwi_xml_element *c = e->first; c; c = c->next)
    n++;
  return n;
}

static bool read_terms(lwi_mjcf *x, const lwi_xml_element *e, lwi_mjcf_tendon *t)
{
  lwi_robot *r = &x->robot;
  const int n = count(e);
  t->joint = LWI_TAKE(&r->arena, n + 1, int);
  t->coefficient = LWI_TAKE(&r->arena, n + 1, double);
  if (!t->joint || !t->coefficient) return lwi_xml_no_memory(e, r->err);
  for (const lwi_xml_element *c = e->first; c; c = c->next) {
    const char *name = lwi_xml_get(c, "joint");
    const int joint = lwi_mjcf_find(&x->joint_names, x->joint_of_name, name);
    const lw_joint_type type = joint < 0 ? LW_FREE : r->joint[joint].type;
    if (type != LW_REVOLUTE && type != LW_PRISMATIC) {
      lwi_mjcf_leave_out(x, e, name);
      continue;
    }
    t->joint[t->nterm] = joint;
    t->coefficient[t->nterm] = 1;
    if (!lwi_xml_number(c, "coef", &t->coefficient[t->nterm++], r->err)) return false;
  }
  return true;
}

/* ---- both ---- */

static bool enter(lwi_mjcf *x, const lwi_mjcf_tendon *t)
{
  const int n = x->tendon_names.n;
  const char *name = lwi_xml_get(t->element, "name");
  if (!name) return true;
  if (!lwi_grow(&x->tendon, n, &x->tendon_capacity, sizeof *x->tendon))
    return lwi_xml_no_memory(t->element, x->robot.err);
  const int at = lwi_name_add(&x->tendon_names, name, strlen(name));
  if (at < 0) return lwi_xml_no_memory(t->element, x->robot.err);
  x->tendon[at] = *t;
  return true;
}

static bool read_tendon(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_mjcf_item item;
  const bool fixed = strcmp(e->name, "fixed") == 0;
  const char *name = lwi_xml_get(e, "name");
  bool known = true;
  lwi_mjcf_tendon t = {.name = name ? name : "tendon", .element = e};
  if (!lwi_mjcf_item_of(x, e, "tendon", x->main_class, &item)) return false;
  if (!(fixed ? read_terms(x, e, &t) : lwi_mjcf_read_spatial(x, e, &t, &known))) return false;
  if (!known) return lwi_listing_add(&x->tendons, t.name), true;
  note_limits(x, &item);
  return add_loads(x, &item, &t) && enter(x, &t);
}

bool lwi_mjcf_read_tendons(lwi_mjcf *x)
{
  for (const lwi_xml_element *list = NULL; (list = lwi_mjcf_next_section(x, list, "tendon"));)
    for (const lwi_xml_element *e = list->first; e; e = e->next)
      if (!read_tendon(x, e)) return false;
  return true;
}
