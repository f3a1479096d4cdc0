/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_spatial.c -- tendons through sites: straight segments, each a spring of the spec whose
   length and rate expressions use.  Behind a pulley lengths count, and tensions are, divided by its
   divisor:

     L = sum l_k / divisor_k;   a tension T along the tendon pulls with T / divisor_k in segment k.

   Tendons that wrap around geoms are not read. */
#include "io/mjcf/mjcf.h"

#include "io/mjcf/mjcf_load.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* the path while it is followed */
typedef struct {
  double divisor;
  int last; /* the site before, or -1 */
} path;

/* A segment between two sites; of one body its length does not change. */
static void add_segment(const lwi_mjcf *x, int a, int b, double divisor, lwi_mjcf_tendon *t)
{
  const lwi_robot *r = &x->robot;
  const lwi_robot_point *p = &r->point[a], *q = &r->point[b];
  lw_spring_desc d = {.from = lwi_robot_body(r, p->link), .to = lwi_robot_body(r, q->link)};
  lwi_frame_point(lwi_robot_frame(r, p->link), p->place.p, d.from_at);
  lwi_frame_point(lwi_robot_frame(r, q->link), q->place.p, d.to_at);
  if (d.from.id == d.to.id) {
    double along[3];
    for (int i = 0; i < 3; i++)
      along[i] = d.from_at[i] - d.to_at[i];
    t->constant += norm3(along) / divisor;
    return;
  }
  t->segment[t->nterm] = d;
  t->coefficient[t->nterm++] = 1 / divisor;
}

static bool follow(lwi_mjcf *x, const lwi_xml_element *c, path *at, lwi_mjcf_tendon *t)
{
  lw_error *err = x->robot.err;
  if (strcmp(c->name, "pulley") == 0) {
    at->last = -1;
    return lwi_xml_number(c, "divisor", &at->divisor, err) &&
           (at->divisor > 0 || lwi_xml_fail(c, err, "divisor must be positive"));
  }
  const int site = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(c, "site"));
  if (at->last >= 0) add_segment(x, at->last, site, at->divisor, t);
  at->last = site;
  return true;
}

/* Only sites that exist, and pulleys? */
static bool is_straight(const lwi_mjcf *x, const lwi_xml_element *e, int *n)
{
  for (const lwi_xml_element *c = e->first; c; c = c->next, ++*n) {
    const bool site = strcmp(c->name, "site") == 0;
    if (!site && strcmp(c->name, "pulley") != 0) return false;
    if (site && lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(c, "site")) < 0)
      return false;
  }
  return true;
}

bool lwi_mjcf_read_spatial(lwi_mjcf *x, const lwi_xml_element *e, lwi_mjcf_tendon *t, bool *known)
{
  lwi_robot *r = &x->robot;
  path at = {1, -1};
  int n = 0;
  *known = is_straight(x, e, &n);
  if (!*known) return true;
  t->segment = LWI_TAKE(&r->arena, n + 1, lw_spring_desc);
  t->coefficient = LWI_TAKE(&r->arena, n + 1, double);
  if (!t->segment || !t->coefficient) return lwi_xml_no_memory(e, r->err);
  for (const lwi_xml_element *c = e->first; c; c = c->next)
    if (!follow(x, c, &at, t)) return false;
  return true;
}

bool lwi_mjcf_add_segments(lwi_mjcf *x, lwi_mjcf_tendon *t, const lw_spring_desc *whole)
{
  lwi_robot *r = &x->robot;
  char name[220];
  for (int i = 0; i < t->nterm; i++) {
    lw_spring_desc *d = &t->segment[i];
    snprintf(name, sizeof name, whole ? "%.180s" : "%.180s.%d", t->name, i + 1);
    if (!(d->name = lwi_robot_name(r, LWI_ROBOT_FORCES, name)))
      return lwi_xml_no_memory(t->element, r->err);
    lw_spring_desc with = *d;
    if (whole)
      with.stiffness = whole->stiffness, with.damping = whole->damping, with.length = whole->length;
    lwi_robot_locate(r, t->element);
    lw_add_spring(r->spec, &with);
  }
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

/* ---- where springs rest ---- */

/* The frame of a link where all joints are where their springs rest. */
static lwi_frame resting_frame(const lwi_robot *r, int link)
{
  lwi_frame all = lwi_frame_identity();
  for (int i = link; i >= 0; i = r->link[i].parent) {
    lwi_frame own = r->link[i].place;
    for (int k = 0; k < r->link[i].njoint; k++) {
      lwi_robot_joint j = r->joint[r->link[i].joint[k]];
      if (!j.held && (j.type == LW_REVOLUTE || j.type == LW_PRISMATIC)) {
        j.q[0] = j.rest;
        own = lwi_frame_mul(own, lwi_robot_displacement(&j));
      }
    }
    all = lwi_frame_mul(own, all);
  }
  return all;
}

static void resting_point(const lwi_mjcf *x, const lwi_xml_element *e, double out[3])
{
  const lwi_robot *r = &x->robot;
  const int site = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(e, "site"));
  const int link = r->point[site].link;
  int base = link; /* a body with a free joint is where it is in the reference configuration */
  while (base >= 0 && r->link[base].parent >= 0)
    base = r->link[base].parent;
  lwi_frame at = resting_frame(r, link);
  if (base >= 0 && r->link[base].njoint && r->joint[r->link[base].joint[0]].type == LW_FREE)
    at = lwi_frame_mul(x->world[base], at);
  lwi_frame_point(at, r->point[site].place.p, out);
}

double lwi_mjcf_spatial_rest(const lwi_mjcf *x, const lwi_mjcf_tendon *t)
{
  double length = 0, divisor = 1, last[3], here[3];
  bool open = false;
  lw_error ignored;
  for (const lwi_xml_element *c = t->element->first; c; c = c->next) {
    const bool pulley = strcmp(c->name, "pulley") == 0;
    if (pulley) lwi_xml_number(c, "divisor", &divisor, &ignored);
    if (!pulley) resting_point(x, c, here);
    for (int i = 0; i < 3 && open && !pulley; i++)
      last[i] -= here[i];
    if (open && !pulley) length += norm3(last) / divisor;
    open = !pulley;
    memcpy(last, here, sizeof last);
  }
  return length;
}

/* ---- how freedoms change its length ---- */

double lwi_mjcf_spatial_arm(const lwi_mjcf *x, const lwi_mjcf_tendon *t, const lwi_robot_freedom *f)
{
  const lwi_robot *r = &x->robot;
  double arm = 0, divisor = 1, last[3] = {0}, here[3], last_v[3] = {0}, v[3] = {0}, along[3];
  bool open = false;
  lw_error ignored;
  for (const lwi_xml_element *c = t->element->first; c; c = c->next) {
    const bool pulley = strcmp(c->name, "pulley") == 0;
    if (pulley) lwi_xml_number(c, "divisor", &divisor, &ignored);
    if (!pulley) {
      const lwi_robot_point *p =
          &r->point[lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(c, "site"))];
      lwi_frame_point(p->link < 0 ? lwi_frame_identity() : x->world[p->link], p->place.p, here);
      lwi_robot_velocity(r, f, p->link, here, v);
      for (int i = 0; i < 3; i++)
        along[i] = here[i] - last[i];
      if (open && lwi_normalise(along))
        for (int i = 0; i < 3; i++)
          arm += along[i] * (v[i] - last_v[i]) / divisor;
    }
    open = !pulley;
    memcpy(last, here, sizeof last);
    memcpy(last_v, v, sizeof last_v);
  }
  return arm;
}
