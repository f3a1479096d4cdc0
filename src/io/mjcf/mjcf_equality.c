/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_equality.c -- <equality>: connect is a spherical joint that closes a loop, weld a fixed one,
   joint and tendon (of fixed tendons) a coupler.  What they hold together is what meets in the
   reference configuration. */
#include "io/mjcf/mjcf.h"

#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* the two bodies of an equality */
typedef struct {
  int link[2];
  const char *name;
} pair;

static lwi_frame world_of(const lwi_mjcf *x, int link)
{
  return link < 0 ? lwi_frame_identity() : x->world[link];
}

static bool find_body(lwi_mjcf *x, const lwi_xml_element *e, const char *key, int *link)
{
  const char *name = lwi_xml_get(e, key);
  *link = lwi_mjcf_find(&x->body_names, x->link_of_name, name);
  if (*link >= 0 || !name || strcmp(name, "world") == 0) return true;
  lwi_mjcf_leave_out(x, e, name);
  return false;
}

/* The name of an equality, or one made of what it connects. */
static const char *name_of(lwi_mjcf *x, const lwi_xml_element *e, const char *a, const char *b)
{
  char text[200];
  const char *name = lwi_xml_get(e, "name");
  snprintf(text, sizeof text, "%.20s.%.80s.%.80s", e->name, a ? a : "world", b ? b : "world");
  return lwi_robot_name(&x->robot, LWI_ROBOT_JOINTS, name ? name : text);
}

/* A joint between frames of two links. */
static bool close_loop(lwi_mjcf *x, const lwi_xml_element *e, lw_joint_type type, const int link[2],
                       lwi_frame at, lwi_frame at2)
{
  lwi_robot *r = &x->robot;
  bool closed;
  const lwi_frame place[2] = {at, at2};
  const lwi_robot_joint j = {.name = name_of(x, e, link[0] < 0 ? NULL : r->link[link[0]].name,
                                             link[1] < 0 ? NULL : r->link[link[1]].name),
                             .element = e,
                             .type = type};
  if (!j.name) return lwi_xml_no_memory(e, r->err);
  if (!lwi_robot_close_loop(r, &j, link, place, &closed)) return false;
  if (!closed) lwi_listing_add(&x->dropped, j.name);
  return true;
}

/* By sites, or by bodies and a point of the first one. */
static bool add_connection(lwi_mjcf *x, const lwi_xml_element *e, bool weld)
{
  lwi_robot *r = &x->robot;
  lwi_frame at = lwi_frame_identity(), at2;
  double anchor[3] = {0}, relative[7] = {0};
  int link[2];
  if (lwi_xml_get(e, "site1")) {
    const int s1 = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(e, "site1"));
    const int s2 = lwi_mjcf_find(&x->site_names, x->site_of_name, lwi_xml_get(e, "site2"));
    if (s1 < 0 || s2 < 0)
      return lwi_mjcf_leave_out(x, e, lwi_xml_get(e, s1 < 0 ? "site1" : "site2"));
    const int both[2] = {r->point[s1].link, r->point[s2].link};
    return close_loop(x, e, weld ? LW_FIXED : LW_SPHERICAL, both, r->point[s1].place,
                      r->point[s2].place);
  }
  if (!find_body(x, e, "body1", &link[0]) || !find_body(x, e, "body2", &link[1])) return true;
  if (!lwi_xml_read(e, "anchor", 3, anchor, r->err) ||
      !lwi_xml_read(e, "relpose", 7, relative, r->err))
    return false;
  if (!weld) memcpy(at.p, anchor, sizeof anchor);
  const bool posed = relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0;
  if (weld && posed) { /* the second body in the first one */
    memcpy(at.p, relative, 3 * sizeof *relative);
    lwi_rot_quat(relative + 3, &at.R);
    return close_loop(x, e, LW_FIXED, link, at, lwi_frame_identity());
  }
  at2 = lwi_frame_mul(lwi_frame_inverse(world_of(x, link[1])),
                      lwi_frame_mul(world_of(x, link[0]), at));
  return close_loop(x, e, weld ? LW_FIXED : LW_SPHERICAL, link, at, at2);
}

/* The polynomial of q - r as one of q: repeated synthetic division. */
static void shift_polynomial(double c[5], double r)
{
  for (int i = 0; i < 4; i++)
    for (int k = 3; k >= i; k--)
      c[k] -= r * c[k + 1];
}

/* q1 - r1 = c0 + c1 (q2 - r2) + c2 (q2 - r2)^2 + ... */
static bool add_joint_equality(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  double c[5] = {0, 1, 0, 0, 0};
  const char *name2 = lwi_xml_get(e, "joint2"), *text = lwi_xml_get(e, "polycoef");
  const int a = lwi_mjcf_find(&x->joint_names, x->joint_of_name, lwi_xml_get(e, "joint1"));
  const int b = lwi_mjcf_find(&x->joint_names, x->joint_of_name, name2);
  if (a < 0 || (name2 && b < 0))
    return lwi_mjcf_leave_out(x, e, a < 0 ? lwi_xml_get(e, "joint1") : name2);
  if (text && lwi_xml_numbers(e, "polycoef", text, 5, c, r->err) < 0) return false;
  const lwi_robot_joint *j = &r->joint[a], *k = b < 0 ? NULL : &r->joint[b];
  const char *name = name_of(x, e, j->name, k ? k->name : NULL);
  if (!name) return lwi_xml_no_memory(e, r->err);
  if (j->held || (k && k->held)) return lwi_listing_add(&x->dropped, name), true;
  if (k) shift_polynomial(c, k->reference);
  const bool constant = !k || (c[1] == 0 && c[2] == 0 && c[3] == 0 && c[4] == 0);
  const lw_term terms[2] = {
      {.joint = j->id, .coefficient = 1},
      {.joint = k ? k->id : (lw_joint){0}, .coefficient = -c[1], .higher = {-c[2], -c[3], -c[4]}}};
  const lw_constraint_desc d = {.name = name,
                                .type = LW_COUPLER,
                                .terms = terms,
                                .nterm = constant ? 1 : 2,
                                .offset = j->reference + c[0]};
  lwi_robot_locate(r, e);
  lw_add_constraint(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

/* ---- tendons ---- */

/* Adds factor times a fixed tendon to the terms of a coupler; returns its length in the reference
   configuration, of joints that are held where they are. */
static double add_terms(const lwi_mjcf *x, const lwi_mjcf_tendon *t, double factor, lw_term *terms,
                        int *n, double *held)
{
  double length = t->constant;
  for (int i = 0; i < t->nterm; i++) {
    const lwi_robot_joint *j = &x->robot.joint[t->joint[i]];
    int k = 0;
    length += t->coefficient[i] * j->reference;
    if (j->held) {
      *held += factor * t->coefficient[i] * j->q[0];
      continue;
    }
    while (k < *n && terms[k].joint.id != j->id.id)
      k++;
    if (k == *n) terms[(*n)++] = (lw_term){.joint = j->id};
    terms[k].coefficient += factor * t->coefficient[i];
  }
  return length;
}

static const lwi_mjcf_tendon *find_tendon(const lwi_mjcf *x, const char *name)
{
  const int at = name ? lwi_name_find(&x->tendon_names, name, strlen(name)) : -1;
  return at < 0 ? NULL : &x->tendon[at];
}

/* L1 - its length in the reference configuration = c0 + c1 (L2 - the same of it) */
static bool add_tendon_equality(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  double c[5] = {0, 1, 0, 0, 0}, held = 0;
  const char *name1 = lwi_xml_get(e, "tendon1"), *name2 = lwi_xml_get(e, "tendon2");
  const char *text = lwi_xml_get(e, "polycoef");
  const lwi_mjcf_tendon *a = find_tendon(x, name1), *b = find_tendon(x, name2);
  if (!a || (name2 && !b)) return lwi_mjcf_leave_out(x, e, a ? name2 : name1);
  if (text && lwi_xml_numbers(e, "polycoef", text, 5, c, r->err) < 0) return false;
  lw_constraint_desc d = {.name = name_of(x, e, name1, name2), .type = LW_COUPLER};
  lw_term *terms = LWI_TAKE(&r->arena, a->nterm + (b ? b->nterm : 0) + 1, lw_term);
  if (!d.name || !terms) return lwi_xml_no_memory(e, r->err);
  if (a->segment || (b && (b->segment || c[2] != 0 || c[3] != 0 || c[4] != 0)))
    return lwi_listing_add(&x->dropped, d.name), true;
  d.offset = c[0] + add_terms(x, a, 1, terms, &d.nterm, &held) - a->constant;
  if (b) d.offset -= c[1] * add_terms(x, b, -c[1], terms, &d.nterm, &held);
  d.offset -= held;
  d.terms = terms;
  if (d.nterm == 0) return lwi_listing_add(&x->dropped, d.name), true;
  lwi_robot_locate(r, e);
  lw_add_constraint(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

static bool add_equality(lwi_mjcf *x, const lwi_xml_element *e)
{
  const char *active = lwi_xml_get(e, "active");
  const bool connect = strcmp(e->name, "connect") == 0, weld = strcmp(e->name, "weld") == 0;
  if (active && strcmp(active, "false") == 0) return true;
  if (connect || weld) return add_connection(x, e, weld);
  if (strcmp(e->name, "joint") == 0) return add_joint_equality(x, e);
  if (strcmp(e->name, "tendon") == 0) return add_tendon_equality(x, e);
  const char *name = lwi_xml_get(e, "name");
  lwi_listing_add(&x->dropped, name ? name : e->name);
  return true;
}

bool lwi_mjcf_read_equality(lwi_mjcf *x)
{
  for (const lwi_xml_element *list = NULL; (list = lwi_mjcf_next_section(x, list, "equality"));)
    for (const lwi_xml_element *e = list->first; e; e = e->next)
      if (!add_equality(x, e)) return false;
  if (x->dropped.n)
    lwi_robot_note(
        &x->robot,
        "equality constraints that are not used (of joints that move no mass, within one "
        "body, polynomials of tendons above the first degree, or of other kinds): %s; "
        "these motions are free",
        lwi_listing_text(&x->dropped));
  return true;
}
