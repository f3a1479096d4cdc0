/* SPDX-License-Identifier: Apache-2.0 */
/* contact_elements.c -- what a contact is made of: two points that expressions can name, the
   outputs `gap.C`, `load.C` and `slip.C` of their measures, and the event that its gap raises, or
   the law of its load.  The constraint C exists while the bodies touch (docs/theory/contact.md).

   Geometry, in the axes of the other body, with d from its point to that of the body:
     plane   n the normal,  gap = n . d - r s,  s = 1, of a disc about b: s^2 = 1 - (n . b)^2
     sphere  n = d / |d|,   gap = |d| - r - R
     rope                   gap = length - |d|
   The body touches at c = -r n from its point (a disc: r (b (n . b) - n) / s), where it moves with
   p = v + w x c seen from the other body; slip is the part of p across n. */
#include "model/spec/contact_text.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends to a text; what is too long is an error when it is used. */
void lwi_contact_add(lwi_contact_text *t, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const size_t left = sizeof t->text - t->length;
  const int n = vsnprintf(t->text + t->length, left, format, args);
  va_end(args);
  t->length = n < 0 || (size_t)n >= left ? sizeof t->text - 1 : t->length + (size_t)n;
}

/* Writes a text of limited length; expressions that are cut off do not parse. */
void lwi_contact_put(char *out, size_t size, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(out, size, format, args);
  va_end(args);
}

double lwi_contact_expression(lwi_contact_parts *k, const lwi_contact_text *t)
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
static void add_dot(lwi_contact_text *t, const char a[][LWI_CONTACT_WORD * 3],
                    const char *const b[3])
{
  const size_t before = t->length;
  for (int i = 0; i < 3; i++)
    if (!is_zero(a[i]))
      lwi_contact_add(t, "%s(%s)*%s", t->length > before ? " + " : "", a[i], b[i]);
  if (t->length == before) lwi_contact_add(t, "0");
}

/* ---- names ---- */

static bool add_points(lwi_contact_parts *k)
{
  lw_spec *s = k->s;
  const lw_contact_desc *d = k->d;
  static const char *const side[2] = {"body", "other"};
  for (int i = 0; i < 2; i++) {
    lwi_contact_put(k->point[i], LWI_CONTACT_WORD, "touch.%.200s.%s", d->name, side[i]);
    lw_point_desc p = {.name = k->point[i], .body = i ? d->other : d->body};
    memcpy(p.place.at, i ? d->other_at : d->at, sizeof p.place.at);
    if (lw_add_point(s, &p).id < 1) return false;
    s->points.item[s->points.n - 1].role.hidden = true;
  }
  return true;
}

bool lwi_contact_output(lwi_contact_parts *k, const char *what, const char *component,
                        const lwi_contact_text *t, bool hidden)
{
  char name[LWI_CONTACT_WORD];
  lwi_contact_put(name, sizeof name, "%s.%.200s%s", what, k->d->name, component);
  const lw_output_desc d = {.name = name, .value = lwi_contact_expression(k, t)};
  lw_add_output(k->s, &d);
  if (lwi_spec_good(k->s)) k->s->outputs.item[k->s->outputs.n - 1].role.hidden = hidden;
  return lwi_spec_good(k->s);
}

/* "vx.touch.C.body.in.touch.C.other" */
const char *lwi_contact_measure(const lwi_contact_parts *k, const char *what,
                                char out[3 * LWI_CONTACT_WORD])
{
  lwi_contact_put(out, 3 * LWI_CONTACT_WORD, "%s.%s.in.%s", what, k->point[0], k->point[1]);
  return out;
}

const char *const lwi_axis_name[3] = {"x", "y", "z"};

/* the square of the distance of the points */
static void add_distance(const lwi_contact_parts *k, lwi_contact_text *t)
{
  char m[3 * LWI_CONTACT_WORD];
  lwi_contact_add(t, "sqrt(");
  for (int i = 0; i < (k->s->planar ? 2 : 3); i++)
    lwi_contact_add(t, "%s%s^2", i ? " + " : "", lwi_contact_measure(k, lwi_axis_name[i], m));
  lwi_contact_add(t, ")");
}

/* ---- the normal ---- */

/* Unit vectors as texts: numbers where they are, else expressions of their parameters. */
static void find_direction(const lwi_contact_parts *k, const double from[3],
                           char out[3][LWI_CONTACT_WORD * 3])
{
  char text_of[3][LWI_CONTACT_WORD], number[40];
  const double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
  for (int i = 0; i < 3; i++) {
    lwi_contact_put(text_of[i], LWI_CONTACT_WORD, "%.270s",
                    lwi_text_of_number(k->s, from[i], number, sizeof number));
    if (from[i] == 0)
      lwi_contact_put(out[i], LWI_CONTACT_WORD, "0");
    else if (isfinite(length))
      lwi_contact_put(out[i], LWI_CONTACT_WORD, "%.17g", from[i] / length);
  }
  for (int i = 0; i < 3 && !isfinite(length); i++)
    if (from[i] != 0)
      lwi_contact_put(out[i], 3 * LWI_CONTACT_WORD,
                      "(%s)/sqrt((%.180s)^2 + (%.180s)^2 + (%.180s)^2)", text_of[i], text_of[0],
                      text_of[1], text_of[2]);
}

static bool find_normal(lwi_contact_parts *k)
{
  lwi_contact_text t;
  char m[3 * LWI_CONTACT_WORD], number[40];
  lwi_contact_put(k->radius, LWI_CONTACT_WORD, "%.270s",
                  lwi_text_of_number(k->s, k->d->radius, number, sizeof number));
  if (k->d->on == LW_ON_PLANE) return find_direction(k, k->d->normal, k->n), true;
  for (int i = 0; i < 3; i++) {
    char component[8];
    t.length = 0;
    lwi_contact_add(&t, "%s/", lwi_contact_measure(k, lwi_axis_name[i], m));
    add_distance(k, &t);
    lwi_contact_put(component, sizeof component, ".n%s", lwi_axis_name[i]);
    if (k->s->planar && i == 2) t.length = 0, lwi_contact_add(&t, "0*t");
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
    lwi_contact_put(k->n[i], LWI_CONTACT_WORD, "touch.%.200s%s", k->d->name, component);
  }
  return true;
}

/* ---- where they touch ---- */

/* Of a disc: tilt = n . b as an output, with the axes of its point seen from the other body. */
static bool add_tilt(lwi_contact_parts *k, char tilt[LWI_CONTACT_WORD],
                     char axis[3][LWI_CONTACT_WORD * 3])
{
  lwi_contact_text t = {.length = 0};
  char b[3][LWI_CONTACT_WORD * 3], m[3][3 * LWI_CONTACT_WORD];
  find_direction(k, k->d->axis, b);
  for (int i = 0; i < 3; i++) { /* component i of the axis */
    char component[8];
    const char *part[3];
    for (int j = 0; j < 3; j++) {
      const char what[3] = {lwi_axis_name[j][0], lwi_axis_name[i][0], 0};
      part[j] = lwi_contact_measure(k, what, m[j]);
    }
    t.length = 0;
    add_dot(&t, (const char(*)[LWI_CONTACT_WORD * 3]) b, part);
    lwi_contact_put(component, sizeof component, ".b%s", lwi_axis_name[i]);
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
    lwi_contact_put(axis[i], LWI_CONTACT_WORD, "touch.%.200s%s", k->d->name, component);
  }
  const char *const parts[3] = {axis[0], axis[1], axis[2]};
  t.length = 0;
  add_dot(&t, (const char(*)[LWI_CONTACT_WORD * 3]) k->n, parts);
  lwi_contact_put(tilt, LWI_CONTACT_WORD, "touch.%.200s.tilt", k->d->name);
  return lwi_contact_output(k, "touch", ".tilt", &t, true);
}

static bool is_disc(const lwi_contact_parts *k)
{
  return !(k->d->axis[0] == 0 && k->d->axis[1] == 0 && k->d->axis[2] == 0);
}

static bool find_touching(lwi_contact_parts *k, char tilt[LWI_CONTACT_WORD])
{
  char axis[3][LWI_CONTACT_WORD * 3];
  for (int i = 0; i < 3; i++)
    if (is_zero(k->n[i]) || k->d->radius == 0)
      lwi_contact_put(k->c[i], LWI_CONTACT_WORD, "0");
    else
      lwi_contact_put(k->c[i], 3 * LWI_CONTACT_WORD, "-(%.280s)*(%.540s)", k->radius, k->n[i]);
  if (!is_disc(k)) return true;
  if (!add_tilt(k, tilt, axis)) return false;
  for (int i = 0; i < 3; i++) {
    lwi_contact_text t = {.length = 0};
    char component[8];
    lwi_contact_add(&t, "(%s)*(%s*%s - (%s))/sqrt(1 - %s^2)", k->radius, axis[i], tilt, k->n[i],
                    tilt);
    lwi_contact_put(component, sizeof component, ".c%s", lwi_axis_name[i]);
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
    lwi_contact_put(k->c[i], LWI_CONTACT_WORD, "touch.%.200s%s", k->d->name, component);
  }
  return true;
}

/* ---- the columns ---- */

static bool add_gap(lwi_contact_parts *k, const char *tilt)
{
  lwi_contact_text t = {.length = 0};
  char m[3][3 * LWI_CONTACT_WORD], length[40];
  const char *d[3];
  for (int i = 0; i < 3; i++)
    d[i] = lwi_contact_measure(k, lwi_axis_name[i], m[i]);
  const char *other = lwi_text_of_number(k->s, k->d->other_radius, length, sizeof length);
  if (k->d->on == LW_ON_ROPE) {
    lwi_contact_add(&t, "(%s) - ", other);
    add_distance(k, &t);
  } else if (k->d->on == LW_ON_SPHERE) {
    add_distance(k, &t);
    lwi_contact_add(&t, " - (%s) - (%s)", k->radius, other);
  } else {
    add_dot(&t, (const char(*)[LWI_CONTACT_WORD * 3]) k->n, d);
    if (is_disc(k))
      lwi_contact_add(&t, " - (%s)*sqrt(1 - %s^2)", k->radius, tilt);
    else if (k->d->radius != 0)
      lwi_contact_add(&t, " - (%s)", k->radius);
  }
  return lwi_contact_output(k, "gap", "", &t, false);
}

/* The force that pushes the bodies apart; of a rope, its tension. */
static bool add_load(lwi_contact_parts *k)
{
  lwi_contact_text t = {.length = 0};
  if (k->d->on != LW_ON_PLANE) {
    lwi_contact_add(&t, "%s(", k->d->on == LW_ON_ROPE ? "-" : "");
    for (int i = 0; i < 3; i++)
      lwi_contact_add(&t, "%sf%s.%s*(%s.%s - %s.%s)", i ? " + " : "", lwi_axis_name[i], k->d->name,
                      lwi_axis_name[i], k->point[0], lwi_axis_name[i], k->point[1]);
    lwi_contact_add(&t, ")/");
    add_distance(k, &t);
  }
  for (int i = 0; i < 3 && k->d->on == LW_ON_PLANE; i++) { /* along axis i of the other body */
    if (is_zero(k->n[i])) continue;
    lwi_contact_add(&t, "%s(%s)*(", t.length ? " + " : "", k->n[i]);
    for (int j = 0; j < 3; j++)
      lwi_contact_add(&t, "%sf%s.%s*%s%s.%s", j ? " + " : "", lwi_axis_name[j], k->d->name,
                      lwi_axis_name[i], lwi_axis_name[j], k->point[1]);
    lwi_contact_add(&t, ")");
  }
  return lwi_contact_output(k, "load", "", &t, false);
}

/* component i of w x c on a sphere, c = -r d/|d|: with one root */
static void add_turn(const lwi_contact_parts *k, lwi_contact_text *t, const char *const turn[3],
                     int i)
{
  const int j = (i + 1) % 3, l = (i + 2) % 3;
  char m[4][3 * LWI_CONTACT_WORD];
  if (k->d->radius == 0) return;
  lwi_contact_add(t, " - (%s)*(%s*%s - %s*%s)/", k->radius, lwi_contact_measure(k, turn[j], m[0]),
                  lwi_contact_measure(k, lwi_axis_name[l], m[1]),
                  lwi_contact_measure(k, turn[l], m[2]),
                  lwi_contact_measure(k, lwi_axis_name[j], m[3]));
  add_distance(k, t);
}

/* p = v + w x c, and its part across n */
static bool add_slip(lwi_contact_parts *k)
{
  static const char *const speed[3] = {"vx", "vy", "vz"}, *const turn[3] = {"wx", "wy", "wz"};
  char m[4][3 * LWI_CONTACT_WORD], p[3][LWI_CONTACT_WORD * 3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    char component[8];
    lwi_contact_text t = {.length = 0};
    lwi_contact_add(&t, "%s", lwi_contact_measure(k, speed[i], m[0]));
    if (k->d->on == LW_ON_SPHERE) {
      add_turn(k, &t, turn, i);
    } else if (!is_zero(k->c[l]))
      lwi_contact_add(&t, " + %s*(%s)", lwi_contact_measure(k, turn[j], m[0]), k->c[l]);
    if (k->d->on != LW_ON_SPHERE && !is_zero(k->c[j]))
      lwi_contact_add(&t, " - %s*(%s)", lwi_contact_measure(k, turn[l], m[0]), k->c[j]);
    lwi_contact_put(component, sizeof component, ".p%s", lwi_axis_name[i]);
    if (!lwi_contact_output(k, "touch", component, &t, true)) return false;
    lwi_contact_put(p[i], LWI_CONTACT_WORD, "touch.%.200s%s", k->d->name, component);
  }
  lwi_contact_text t = {.length = 0};
  char v[3][3 * LWI_CONTACT_WORD];
  const char *parts[3]; /* the turning about c adds to the speed along n if c is not along n */
  for (int i = 0; i < 3; i++)
    parts[i] = is_disc(k) ? p[i] : lwi_contact_measure(k, speed[i], v[i]);
  if (k->d->on == LW_ON_SPHERE) { /* d . v / |d|, with one root */
    lwi_contact_add(&t, "(");
    for (int i = 0; i < (k->s->planar ? 2 : 3); i++)
      lwi_contact_add(&t, "%s%s*%s", i ? " + " : "", lwi_contact_measure(k, lwi_axis_name[i], m[0]),
                      parts[i]);
    lwi_contact_add(&t, ")/");
    add_distance(k, &t);
  } else
    add_dot(&t, (const char(*)[LWI_CONTACT_WORD * 3]) k->n, parts);
  if (!lwi_contact_output(k, "touch", ".pn", &t, true)) return false;
  t.length = 0;
  lwi_contact_add(&t, "sqrt(");
  for (int i = 0; i < 3; i++)
    lwi_contact_add(&t, "%s(%s - (%s)*touch.%s.pn)^2", i ? " + " : "", p[i], k->n[i], k->d->name);
  lwi_contact_add(&t, ")");
  return lwi_contact_output(k, "slip", "", &t, false);
}

/* ---- all together ---- */

bool lwi_add_contact_elements(lw_spec *s, const lw_contact_desc *d)
{
  lwi_contact_parts k = {.s = s, .d = d};
  char tilt[LWI_CONTACT_WORD] = "", name[LWI_CONTACT_WORD];
  const bool rope = d->on == LW_ON_ROPE, compliant = !(d->stiffness == 0);
  if (!compliant) s->constraints.item[s->constraints.n - 1].announced = true;
  if (!add_points(&k) || (!rope && (!find_normal(&k) || !find_touching(&k, tilt))) ||
      !add_gap(&k, tilt) || (!compliant && !add_load(&k)) || (!rope && !add_slip(&k)))
    return false;
  if (compliant) return lwi_contact_law(&k);
  lwi_contact_put(name, sizeof name, "gap.%.200s", d->name);
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
  if (!lwi_spec_good(s) || !lwi_append_event(s, &e)) return false;
  return rope || d->friction == 0 || lwi_contact_friction(&k);
}
