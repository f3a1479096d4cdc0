/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_sensor.c -- sensors become outputs: NAME, or NAME.x, NAME.y, ... of those with several
   numbers.  Of a frame with the axes e_k (columns of the rotation matrix), the velocity v, the
   acceleration a and the angular velocity w

     velocimeter e_k . v,  gyro e_k . w,  accelerometer e_k . (a - g),  magnetometer e_k . m

   are what it measures along its own axes. */
#include "io/mjcf/mjcf.h"

#include "base/quoted_name.h"
#include "io/mjcf/mjcf_load.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"
#include "model/expression/expr_lex.h"
#include "model/spec/spec_data.h"

#include <stdio.h>
#include <string.h>

static const char axes[] = "xyz";

typedef struct {
  lwi_mjcf *x;
  const lwi_xml_element *element;
  char name[160];
  char frame[LWI_QUOTED_SIZE];      /* of what it measures, as expressions write it */
  char within[LWI_QUOTED_SIZE + 8]; /* ".in.FRAME", or nothing */
} sensor;

static bool add_output(const sensor *s, const char *part, const lwi_text *value)
{
  lwi_robot *r = &s->x->robot;
  char name[200];
  if (value->full)
    return lwi_xml_fail(s->element, r->err, "its expression is too long for linkwork");
  snprintf(name, sizeof name, "%s%s", s->name, part);
  const char *given = lwi_robot_name(r, LWI_ROBOT_STATES, name);
  if (!given) return lwi_xml_no_memory(s->element, r->err);
  lwi_robot_locate(r, s->element);
  lw_add_output(r->spec, &(lw_output_desc){.name = given, .value = lw_expr(r->spec, value->text)});
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

/* ---- what it belongs to ---- */

/* The name that a body, or the point of its frame, or a site has in the spec. */
static const char *frame_name(lwi_mjcf *x, const char *type, const char *name)
{
  const lwi_robot *r = &x->robot;
  const bool site = strcmp(type, "site") == 0;
  if (!name || (!site && strcmp(type, "xbody") != 0)) return NULL;
  const int at = site ? lwi_mjcf_find(&x->site_names, x->site_of_name, name)
                      : lwi_mjcf_find(&x->body_names, x->link_of_name, name);
  if (at < 0) return NULL;
  if (!site && r->link[at].base == at) return r->spec->bodies.item[r->link[at].body.id - 1].d.name;
  return lw_spec_find_point(r->spec, name).id > 0 ? name : NULL; /* unless it was renamed */
}

static bool find_frame(sensor *s, const char *type, const char *name)
{
  const char *found = frame_name(s->x, type, name);
  if (!found) return false;
  snprintf(s->frame, sizeof s->frame, "%s", lwi_expr_write_name(found, (char[LWI_QUOTED_SIZE]){0}));
  const char *reference = lwi_xml_get(s->element, "refname");
  const char *kind = lwi_xml_get(s->element, "reftype");
  if (!reference) return true;
  found = kind ? frame_name(s->x, kind, reference) : NULL;
  if (!found) return false;
  snprintf(s->within, sizeof s->within, ".in.%s",
           lwi_expr_write_name(found, (char[LWI_QUOTED_SIZE]){0}));
  return true;
}

/* ---- sensors of frames ---- */

/* three measures KIND + axis, such as vx.F */
static bool add_measures(const sensor *s, const char *before, const char *after)
{
  for (int i = 0; i < 3; i++) {
    lwi_text t = {0};
    lwi_text_add(&t, "%s%c%s.%s%s", before, axes[i], after, s->frame, s->within);
    if (!add_output(s, (char[]){'.', axes[i], 0}, &t)) return false;
  }
  return true;
}

static bool add_quaternion(const sensor *s)
{
  static const char *const parts[] = {".w", ".x", ".y", ".z"};
  for (int i = 0; i < 4; i++) {
    lwi_text t = {0};
    lwi_text_add(&t, "e%d.%s", i, s->frame);
    if (!add_output(s, parts[i], &t)) return false;
  }
  return true;
}

/* Components along the axes of the frame: of KIND x, y, z minus a constant. */
static bool add_components(const sensor *s, const char *kind, const double minus[3])
{
  for (int k = 0; k < 3; k++) {
    lwi_text t = {0};
    for (int i = 0; i < 3; i++) {
      lwi_text_add(&t, "%s%c%c.%s*(", i ? " + " : "", axes[k], axes[i], s->frame);
      if (*kind) lwi_text_add(&t, "%s%c.%s", kind, axes[i], s->frame);
      lwi_text_add(&t, " - (%.17g))", minus[i]);
    }
    if (!add_output(s, (char[]){'.', axes[k], 0}, &t)) return false;
  }
  return true;
}

static bool read_frame(sensor *s, bool *known)
{
  static const struct {
    const char *type, *before, *after;
  } plain[] = {{"framepos", "", ""},       {"framelinvel", "v", ""}, {"frameangvel", "w", ""},
               {"framexaxis", "x", ""},    {"frameyaxis", "y", ""},  {"framezaxis", "z", ""},
               {"frameangacc", "wdot", ""}};
  const char *type = s->element->name;
  if (!find_frame(s, lwi_xml_get(s->element, "objtype") ? lwi_xml_get(s->element, "objtype") : "",
                  lwi_xml_get(s->element, "objname")))
    return *known = false, true;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(type, plain[i].type) == 0) return add_measures(s, plain[i].before, plain[i].after);
  *known = strcmp(type, "framequat") == 0 && !*s->within &&
           strcmp(lwi_xml_get(s->element, "objtype"), "xbody") == 0;
  return !*known || add_quaternion(s);
}

static bool read_site(sensor *s, bool *known)
{
  const char *type = s->element->name;
  const double none[3] = {0};
  double field[3];
  if (!find_frame(s, "site", lwi_xml_get(s->element, "site"))) return *known = false, true;
  for (int i = 0; i < 3; i++)
    field[i] = -s->x->magnetic[i];
  if (strcmp(type, "velocimeter") == 0) return add_components(s, "v", none);
  if (strcmp(type, "gyro") == 0) return add_components(s, "w", none);
  if (strcmp(type, "accelerometer") == 0) return add_components(s, "a", s->x->gravity);
  if (strcmp(type, "magnetometer") == 0) return add_components(s, "", field);
  return *known = false, true;
}

/* ---- sensors of joints and tendons ---- */

static bool read_joint(const sensor *s, const char *what, int n, bool *known)
{
  const lwi_robot *r = &s->x->robot;
  const int at =
      lwi_mjcf_find(&s->x->joint_names, s->x->joint_of_name, lwi_xml_get(s->element, "joint"));
  static const char *const parts[] = {".w", ".x", ".y", ".z"};
  char buffer[LWI_QUOTED_SIZE];
  if (at < 0 || r->joint[at].held) return *known = false, true;
  const char *name =
      lwi_expr_write_name(r->spec->joints.item[r->joint[at].id.id - 1].d.name, buffer);
  for (int i = 0; i < n; i++) {
    lwi_text t = {0};
    lwi_text_add(&t, n == 1 ? "%s.%s" : "%s.%s.%d", what, name, i + 1);
    if (!add_output(s, n == 1 ? "" : parts[i + 4 - n], &t)) return false;
  }
  return true;
}

static bool read_tendon(const sensor *s, const char *what, bool *known)
{
  const char *name = lwi_xml_get(s->element, "tendon");
  const int at = name ? lwi_name_find(&s->x->tendon_names, name, strlen(name)) : -1;
  lwi_text t = {0};
  if (at < 0) return *known = false, true;
  lwi_mjcf_write_sum(s->x, &t, what, &s->x->tendon[at]);
  return add_output(s, "", &t);
}

/* ---- all ---- */

static bool read_sensor(lwi_mjcf *x, const lwi_xml_element *e, int number)
{
  sensor s = {.x = x, .element = e};
  const char *name = lwi_xml_get(e, "name"), *type = e->name;
  bool known = true, ok = true;
  if (name)
    snprintf(s.name, sizeof s.name, "%.150s", name);
  else
    snprintf(s.name, sizeof s.name, "sensor%d", number);
  const lwi_text time = {.text = "t"};
  if (strncmp(type, "frame", 5) == 0)
    ok = read_frame(&s, &known);
  else if (strcmp(type, "jointpos") == 0)
    ok = read_joint(&s, "q", 1, &known);
  else if (strcmp(type, "jointvel") == 0)
    ok = read_joint(&s, "u", 1, &known);
  else if (strcmp(type, "ballquat") == 0)
    ok = read_joint(&s, "q", 4, &known);
  else if (strcmp(type, "ballangvel") == 0)
    ok = read_joint(&s, "u", 3, &known);
  else if (strcmp(type, "tendonpos") == 0)
    ok = read_tendon(&s, "q", &known);
  else if (strcmp(type, "tendonvel") == 0)
    ok = read_tendon(&s, "u", &known);
  else if (strcmp(type, "clock") == 0)
    ok = add_output(&s, "", &time);
  else
    ok = read_site(&s, &known);
  if (!known) {
    char text[200];
    snprintf(text, sizeof text, "%s (%.30s)", s.name, type);
    lwi_listing_add(&x->sensors, text);
  }
  return ok;
}

bool lwi_mjcf_read_sensors(lwi_mjcf *x)
{
  int n = 0;
  for (const lwi_xml_element *list = NULL; (list = lwi_mjcf_next_section(x, list, "sensor"));)
    for (const lwi_xml_element *e = list->first; e; e = e->next)
      if (!read_sensor(x, e, ++n)) return false;
  return true;
}
