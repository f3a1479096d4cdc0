/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_tendon.c -- tendons.  A fixed one is a sum of coordinates, for actuators, and with stiffness or
   damping a load on each of its joints.  A spatial one between two sites is a spring. */
#include "io/mjcf/mjcf.h"

#include "base/quoted_name.h"
#include "io/mjcf/mjcf_load.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count(const lwi_xml_element *e)
{
  int n = 0;
  for (const lwi_xml_element *c = e->first; c; c = c->next)
    n++;
  return n;
}

/* springlength: one length, or a range in which there is no force, of which the middle is taken only if
   both are the same */
static bool read_spring(lwi_mjcf *x, const lwi_mjcf_item *item, double *stiffness, double *damping,
                        double *length, bool *known)
{
  double range[2] = {0};
  *stiffness = *damping = 0;
  if (!lwi_mjcf_read(x, item, "stiffness", 1, stiffness) ||
      !lwi_mjcf_read(x, item, "damping", 1, damping))
    return false;
  const int n = lwi_mjcf_numbers(x, item, "springlength", 2, range);
  if (n < 0) return false;
  *length = range[0];
  *known = n == 1 || (n == 2 && range[0] == range[1]);
  if (n > 0 && range[0] < 0) *known = false;
  if (*stiffness != 0 && n == 2 && !*known) x->nskipped++;
  return true;
}

/* ---- fixed ---- */

static bool read_terms(lwi_mjcf *x, const lwi_xml_element *e, lwi_mjcf_tendon *t)
{
  lwi_robot *r = &x->robot;
  const int n = count(e);
  t->joint = LWI_TAKE(&r->arena, n + 1, int);
  t->coefficient = LWI_TAKE(&r->arena, n + 1, double);
  if (!t->joint || !t->coefficient) return lwi_xml_no_memory(e, r->err);
  for (const lwi_xml_element *c = e->first; c; c = c->next) {
    const int joint = lwi_mjcf_find(&x->joint_names, x->joint_of_name, lwi_xml_get(c, "joint"));
    if (joint < 0) return lwi_xml_fail(c, r->err, "there is no such joint");
    t->joint[t->nterm] = joint;
    t->coefficient[t->nterm] = 1;
    if (!lwi_xml_number(c, "coef", &t->coefficient[t->nterm++], r->err)) return false;
  }
  return true;
}

/* stiffness (length - rest) + damping rate, against the coordinates */
static bool add_loads(lwi_mjcf *x, const lwi_mjcf_item *item, const lwi_mjcf_tendon *t)
{
  double stiffness, damping, length;
  bool known;
  lwi_text force = {0};
  if (!read_spring(x, item, &stiffness, &damping, &length, &known)) return false;
  if (!known) {
    length = 0;
    for (int i = 0; i < t->nterm; i++)
      length += t->coefficient[i] * x->robot.joint[t->joint[i]].reference;
  }
  if (stiffness == 0 && damping == 0) return true;
  lwi_text_add(&force, "-%.17g*(", stiffness);
  lwi_mjcf_write_sum(x, &force, "q", t);
  lwi_text_add(&force, " - (%.17g)) - %.17g*(", length, damping);
  lwi_mjcf_write_sum(x, &force, "u", t);
  lwi_text_add(&force, ")");
  return lwi_mjcf_add_load(x, t->element, t->name, &force, t, 1);
}

/* What linkwork does not have for tendons is said. */
static void note_limits(lwi_mjcf *x, const lwi_mjcf_item *item)
{
  const char *name = lwi_xml_get(item->element, "name");
  const bool range = lwi_mjcf_get(x, item, "range");
  const bool limited = lwi_mjcf_flag(x, item, "limited", range && x->compiler.autolimits);
  if (limited || lwi_mjcf_get(x, item, "frictionloss"))
    lwi_listing_add(&x->tendon_limits, name ? name : "tendon");
}

static bool read_fixed(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  lwi_mjcf_item item;
  const char *name = lwi_xml_get(e, "name");
  const int n = x->tendon_names.n;
  lwi_mjcf_tendon t = {.name = name ? name : "tendon", .element = e};
  if (!lwi_mjcf_item_of(x, e, "tendon", 0, &item) || !read_terms(x, e, &t)) return false;
  note_limits(x, &item);
  if (!lwi_grow(&x->tendon, n, &x->tendon_capacity, sizeof *x->tendon))
    return lwi_xml_no_memory(e, r->err);
  if (name) {
    const int at = lwi_name_add(&x->tendon_names, name, strlen(name));
    if (at < 0) return lwi_xml_no_memory(e, r->err);
    x->tendon[at] = t;
  }
  return add_loads(x, &item, &t);
}

/* ---- spatial ---- */

static bool read_spatial(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  lwi_mjcf_item item;
  double stiffness, damping, length;
  bool known;
  if (!lwi_mjcf_item_of(x, e, "tendon", 0, &item)) return false;
  note_limits(x, &item);
  if (!read_spring(x, &item, &stiffness, &damping, &length, &known)) return false;
  if (stiffness == 0 && damping == 0) return true;
  const lwi_xml_element *first = e->first, *second = first ? first->next : NULL;
  const int a = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(first, "site"));
  const int b = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(second, "site"));
  if (count(e) != 2 || a < 0 || b < 0) return x->nskipped++, true;
  const lwi_robot_point *p = &r->point[a], *q = &r->point[b];
  double from[3], to[3], world[2][3];
  lwi_frame_point(lwi_robot_frame(r, p->link), p->place.p, from);
  lwi_frame_point(lwi_robot_frame(r, q->link), q->place.p, to);
  lwi_frame_point(p->link < 0 ? lwi_frame_identity() : x->world[p->link], p->place.p, world[0]);
  lwi_frame_point(q->link < 0 ? lwi_frame_identity() : x->world[q->link], q->place.p, world[1]);
  for (int i = 0; i < 3; i++)
    world[0][i] -= world[1][i];
  const char *name = lwi_xml_get(e, "name");
  lw_spring_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FORCES, name ? name : "tendon"),
                      .from = lwi_robot_body(r, p->link),
                      .to = lwi_robot_body(r, q->link),
                      .stiffness = stiffness,
                      .damping = damping,
                      .length = known ? length : norm3(world[0])};
  if (!d.name) return lwi_xml_no_memory(e, r->err);
  memcpy(d.from_at, from, sizeof from);
  memcpy(d.to_at, to, sizeof to);
  lwi_robot_locate(r, e);
  lw_add_spring(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

bool lwi_mjcf_read_tendons(lwi_mjcf *x)
{
  const lwi_xml_element *list = lwi_xml_child(x->robot.root, "tendon");
  for (; list; list = lwi_xml_find(list->next, "tendon"))
    for (const lwi_xml_element *e = list->first; e; e = e->next) {
      const bool fixed = strcmp(e->name, "fixed") == 0;
      if (!(fixed ? read_fixed(x, e) : read_spatial(x, e))) return false;
    }
  return true;
}
