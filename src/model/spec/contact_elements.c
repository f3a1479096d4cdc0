/* SPDX-License-Identifier: Apache-2.0 */
/* contact_elements.c -- what a contact is made of: two points that expressions can name, the outputs
   `gap.C`, `load.C` and `slip.C` of their measures, and the event that its gap raises.  The constraint C
   exists while the bodies touch (docs/theory/contact.md).

   Geometry, in the axes of the other body, with d from its point to that of the body:
     plane   n the normal,  gap = n . d - r s,  s = 1, of a disc about b: s^2 = 1 - (n . b)^2
     sphere  n = d / |d|,   gap = |d| - r - R
     rope                   gap = length - |d|
   The body touches at c = -r n from its point (a disc: r (b (n . b) - n) / s), where it moves with
   p = v + w x c seen from the other body; slip is the part of p across n. */
#include "model/spec/joint_elements.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 4000, NAME = 280 };

typedef struct {
  lw_spec *s;
  const lw_contact_desc *d;
  bool good;
  char point[2][NAME];                 /* names of the points: of the body, of the other one */
  char n[3][NAME * 3], c[3][NAME * 3]; /* components as texts; "0": none */
  char radius[NAME * 3];
} contact;

typedef struct {
  char text[TEXT];
  size_t length;
} text;

/* Appends to a text; what is too long is an error when it is used. */
static void add(text *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const size_t room = sizeof t->text - t->length;
  const int n = vsnprintf(t->text + t->length, room, format, args);
  va_end(args);
  t->length = n < 0 || (size_t)n >= room ? sizeof t->text - 1 : t->length + (size_t)n;
}

/* Writes a text of limited length; expressions that are cut off do not parse. */
static void put(char *out, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(out, size, format, args);
  va_end(args);
}

static double expression(contact *k, const text *t)
{
  if (t->length + 1 < sizeof t->text) return lw_expr(k->s, t->length ? t->text : "0");
  lwi_spec_fail(k->s, LW_E_MODEL, k->s->mark, "the expressions of contact \"%s\" are too long",
                k->d->name);
  return 0;
}

static bool is_zero(const char *factor)
{
  return strcmp(factor, "0") == 0;
}

/* the sum of a[i] b[i], without zeros */
static void add_dot(text *t, const char a[][NAME * 3], const char *const b[3])
{
  const size_t before = t->length;
  for (int i = 0; i < 3; i++)
    if (!is_zero(a[i])) add(t, "%s(%s)*%s", t->length > before ? " + " : "", a[i], b[i]);
  if (t->length == before) add(t, "0");
}

/* ---- names ---- */

static bool add_points(contact *k)
{
  lw_spec *s = k->s;
  const lw_contact_desc *d = k->d;
  static const char *const side[2] = {"body", "other"};
  for (int i = 0; i < 2; i++) {
    put(k->point[i], NAME, "touch.%.200s.%s", d->name, side[i]);
    lw_point_desc p = {.name = k->point[i], .body = i ? d->other : d->body};
    memcpy(p.place.at, i ? d->other_at : d->at, sizeof p.place.at);
    if (lw_add_point(s, &p).id < 1) return false;
    s->points.item[s->points.n - 1].hidden = true;
  }
  return true;
}

static bool add_output(contact *k, const char *what, const char *component, const text *t,
                       bool hidden)
{
  char name[NAME];
  put(name, sizeof name, "%s.%.200s%s", what, k->d->name, component);
  const lw_output_desc d = {.name = name, .value = expression(k, t)};
  lw_add_output(k->s, &d);
  if (lwi_spec_good(k->s)) k->s->outputs.item[k->s->outputs.n - 1].hidden = hidden;
  return lwi_spec_good(k->s);
}

/* "vx.touch.C.body.in.touch.C.other" */
static const char *measure(const contact *k, const char *what, char out[3 * NAME])
{
  put(out, 3 * NAME, "%s.%s.in.%s", what, k->point[0], k->point[1]);
  return out;
}

static const char *const axis_name[3] = {"x", "y", "z"};

/* the square of the distance of the points */
static void add_distance(const contact *k, text *t)
{
  char m[3 * NAME];
  add(t, "sqrt(");
  for (int i = 0; i < (k->s->planar ? 2 : 3); i++)
    add(t, "%s%s^2", i ? " + " : "", measure(k, axis_name[i], m));
  add(t, ")");
}

/* ---- the normal ---- */

/* Unit vectors as texts: numbers where they are, else expressions of their parameters. */
static void find_direction(const contact *k, const double from[3], char out[3][NAME * 3])
{
  char text_of[3][NAME], number[40];
  const double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
  for (int i = 0; i < 3; i++) {
    put(text_of[i], NAME, "%.270s", lwi_text_of_number(k->s, from[i], number, sizeof number));
    if (from[i] == 0)
      put(out[i], NAME, "0");
    else if (isfinite(length))
      put(out[i], NAME, "%.17g", from[i] / length);
  }
  for (int i = 0; i < 3 && !isfinite(length); i++)
    if (from[i] != 0)
      put(out[i], 3 * NAME, "(%s)/sqrt((%.180s)^2 + (%.180s)^2 + (%.180s)^2)", text_of[i],
          text_of[0], text_of[1], text_of[2]);
}

static bool find_normal(contact *k)
{
  text t;
  char m[3 * NAME], number[40];
  put(k->radius, NAME, "%.270s", lwi_text_of_number(k->s, k->d->radius, number, sizeof number));
  if (k->d->on == LW_ON_PLANE) return find_direction(k, k->d->normal, k->n), true;
  for (int i = 0; i < 3; i++) {
    char component[8];
    t.length = 0;
    add(&t, "%s/", measure(k, axis_name[i], m));
    add_distance(k, &t);
    put(component, sizeof component, ".n%s", axis_name[i]);
    if (k->s->planar && i == 2) t.length = 0, add(&t, "0*t");
    if (!add_output(k, "touch", component, &t, true)) return false;
    put(k->n[i], NAME, "touch.%.200s%s", k->d->name, component);
  }
  return true;
}

/* ---- where they touch ---- */

/* Of a disc: tilt = n . b as an output, with the axes of its point seen from the other body. */
static bool add_tilt(contact *k, char tilt[NAME], char axis[3][NAME * 3])
{
  text t = {.length = 0};
  char b[3][NAME * 3], m[3][3 * NAME];
  find_direction(k, k->d->axis, b);
  for (int i = 0; i < 3; i++) { /* component i of the axis */
    char component[8];
    const char *part[3];
    for (int j = 0; j < 3; j++) {
      const char what[3] = {axis_name[j][0], axis_name[i][0], 0};
      part[j] = measure(k, what, m[j]);
    }
    t.length = 0;
    add_dot(&t, (const char(*)[NAME * 3]) b, part);
    put(component, sizeof component, ".b%s", axis_name[i]);
    if (!add_output(k, "touch", component, &t, true)) return false;
    put(axis[i], NAME, "touch.%.200s%s", k->d->name, component);
  }
  const char *const parts[3] = {axis[0], axis[1], axis[2]};
  t.length = 0;
  add_dot(&t, (const char(*)[NAME * 3]) k->n, parts);
  put(tilt, NAME, "touch.%.200s.tilt", k->d->name);
  return add_output(k, "touch", ".tilt", &t, true);
}

static bool is_disc(const contact *k)
{
  return !(k->d->axis[0] == 0 && k->d->axis[1] == 0 && k->d->axis[2] == 0);
}

static bool find_touching(contact *k, char tilt[NAME])
{
  char axis[3][NAME * 3];
  for (int i = 0; i < 3; i++)
    if (is_zero(k->n[i]) || k->d->radius == 0)
      put(k->c[i], NAME, "0");
    else
      put(k->c[i], 3 * NAME, "-(%.280s)*(%.540s)", k->radius, k->n[i]);
  if (!is_disc(k)) return true;
  if (!add_tilt(k, tilt, axis)) return false;
  for (int i = 0; i < 3; i++) {
    text t = {.length = 0};
    char component[8];
    add(&t, "(%s)*(%s*%s - (%s))/sqrt(1 - %s^2)", k->radius, axis[i], tilt, k->n[i], tilt);
    put(component, sizeof component, ".c%s", axis_name[i]);
    if (!add_output(k, "touch", component, &t, true)) return false;
    put(k->c[i], NAME, "touch.%.200s%s", k->d->name, component);
  }
  return true;
}

/* ---- the columns ---- */

static bool add_gap(contact *k, const char *tilt)
{
  text t = {.length = 0};
  char m[3][3 * NAME], length[40];
  const char *d[3];
  for (int i = 0; i < 3; i++)
    d[i] = measure(k, axis_name[i], m[i]);
  const char *other = lwi_text_of_number(k->s, k->d->other_radius, length, sizeof length);
  if (k->d->on == LW_ON_ROPE) {
    add(&t, "(%s) - ", other);
    add_distance(k, &t);
  } else if (k->d->on == LW_ON_SPHERE) {
    add_distance(k, &t);
    add(&t, " - (%s) - (%s)", k->radius, other);
  } else {
    add_dot(&t, (const char(*)[NAME * 3]) k->n, d);
    if (is_disc(k))
      add(&t, " - (%s)*sqrt(1 - %s^2)", k->radius, tilt);
    else if (k->d->radius != 0)
      add(&t, " - (%s)", k->radius);
  }
  return add_output(k, "gap", "", &t, false);
}

/* The force that pushes the bodies apart; of a rope, its tension. */
static bool add_load(contact *k)
{
  text t = {.length = 0};
  if (k->d->on != LW_ON_PLANE) {
    add(&t, "%s(", k->d->on == LW_ON_ROPE ? "-" : "");
    for (int i = 0; i < 3; i++)
      add(&t, "%sf%s.%s*(%s.%s - %s.%s)", i ? " + " : "", axis_name[i], k->d->name, axis_name[i],
          k->point[0], axis_name[i], k->point[1]);
    add(&t, ")/");
    add_distance(k, &t);
  }
  for (int i = 0; i < 3 && k->d->on == LW_ON_PLANE; i++) { /* along axis i of the other body */
    if (is_zero(k->n[i])) continue;
    add(&t, "%s(%s)*(", t.length ? " + " : "", k->n[i]);
    for (int j = 0; j < 3; j++)
      add(&t, "%sf%s.%s*%s%s.%s", j ? " + " : "", axis_name[j], k->d->name, axis_name[i],
          axis_name[j], k->point[1]);
    add(&t, ")");
  }
  return add_output(k, "load", "", &t, false);
}

/* p = v + w x c, and its part across n */
static bool add_slip(contact *k)
{
  char m[4][3 * NAME], p[3][NAME * 3];
  for (int i = 0; i < 3; i++) {
    static const char *const speed[3] = {"vx", "vy", "vz"}, *const turn[3] = {"wx", "wy", "wz"};
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    char component[8];
    text t = {.length = 0};
    add(&t, "%s", measure(k, speed[i], m[0]));
    if (!is_zero(k->c[l])) add(&t, " + %s*(%s)", measure(k, turn[j], m[0]), k->c[l]);
    if (!is_zero(k->c[j])) add(&t, " - %s*(%s)", measure(k, turn[l], m[0]), k->c[j]);
    put(component, sizeof component, ".p%s", axis_name[i]);
    if (!add_output(k, "touch", component, &t, true)) return false;
    put(p[i], NAME, "touch.%.200s%s", k->d->name, component);
  }
  text t = {.length = 0};
  const char *const parts[3] = {p[0], p[1], p[2]};
  add_dot(&t, (const char(*)[NAME * 3]) k->n, parts);
  if (!add_output(k, "touch", ".pn", &t, true)) return false;
  t.length = 0;
  add(&t, "sqrt(");
  for (int i = 0; i < 3; i++)
    add(&t, "%s(%s - (%s)*touch.%s.pn)^2", i ? " + " : "", p[i], k->n[i], k->d->name);
  add(&t, ")");
  return add_output(k, "slip", "", &t, false);
}

/* ---- all together ---- */

bool lwi_add_contact_elements(lw_spec *s, const lw_contact_desc *d)
{
  contact k = {.s = s, .d = d};
  char tilt[NAME] = "", name[NAME];
  s->constraints.item[s->constraints.n - 1].announced = true;
  const bool rope = d->on == LW_ON_ROPE;
  if (!add_points(&k) || (!rope && (!find_normal(&k) || !find_touching(&k, tilt))) ||
      !add_gap(&k, tilt) || !add_load(&k) || (!rope && !add_slip(&k)))
    return false;
  put(name, sizeof name, "gap.%.200s", d->name);
  lw_event_desc e = {.name = d->name,
                     .has_when = true,
                     .when = lw_expr(s, name),
                     .direction = LW_FALLING,
                     .action = LW_ACTION_CONTACT,
                     .body = d->body,
                     .other = d->other,
                     .restitution = d->restitution,
                     .contact = *d};
  e.contact.name = NULL;
  return lwi_spec_good(s) && lwi_append_event(s, &e);
}
