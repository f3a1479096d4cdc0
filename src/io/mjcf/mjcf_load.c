/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_load.c -- loads on joints by expressions. */
#include "io/mjcf/mjcf_load.h"

#include "base/quoted_name.h"
#include "linkwork/reader.h"
#include "model/expression/expr_lex.h"
#include "model/spec/spec_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lwi_text_add(lwi_text *t, const char *format, ...)
{
  const size_t used = strlen(t->text);
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(t->text + used, sizeof t->text - used, format, arguments);
  va_end(arguments);
  t->full = t->full || n >= (int)(sizeof t->text - used);
}

/* The name of a joint in the spec, as expressions write it. */
static const char *written(const lwi_mjcf *x, int joint, char out[LWI_QUOTED_SIZE])
{
  const lw_joint id = x->robot.joint[joint].id;
  return lwi_expr_write_name(x->robot.spec->joints.item[id.id - 1].d.name, out);
}

void lwi_mjcf_write_sum(const lwi_mjcf *x, lwi_text *t, const char *what, const lwi_mjcf_tendon *of)
{
  char name[LWI_QUOTED_SIZE];
  const bool length = what[0] == 'q';
  lwi_text_add(t, "%.17g", length ? of->constant : 0);
  for (int i = 0; of->segment && i < of->nterm; i++)
    lwi_text_add(t, " + (%.17g)*%s.%s", of->coefficient[i], length ? "length" : "rate",
                 lwi_expr_write_name(of->segment[i].name, name));
  for (int i = 0; !of->segment && i < of->nterm; i++) {
    const lwi_robot_joint *j = &x->robot.joint[of->joint[i]];
    if (j->held)
      lwi_text_add(t, " + (%.17g)", what[0] == 'q' ? of->coefficient[i] * j->q[0] : 0.0);
    else
      lwi_text_add(t, " + (%.17g)*%s.%s", of->coefficient[i], what, written(x, of->joint[i], name));
  }
}

/* A constant force at the centre of mass carries a part of the weight. */
bool lwi_mjcf_balance_weights(lwi_mjcf *x)
{
  lwi_robot *r = &x->robot;
  for (int i = 0; i < r->nlink; i++) {
    const lwi_robot_link *l = &r->link[i];
    char name[220];
    if (l->balanced == 0 || l->base < 0 || !(l->own.mass > 0)) continue;
    snprintf(name, sizeof name, "gravcomp.%.180s", l->name);
    lw_load_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FORCES, name),
                      .body = lwi_robot_body(r, i)};
    if (!d.name) return lwi_xml_no_memory(l->element, r->err);
    lwi_frame_point(l->in_base, l->own.com, d.at);
    for (int k = 0; k < 3; k++)
      d.force[k] = -l->balanced * l->own.mass * x->gravity[k];
    lwi_robot_locate(r, l->element);
    lw_add_load(r->spec, &d);
  }
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

/* A force that would lengthen the tendon pushes the ends of its segments apart. */
static bool add_tensions(lwi_mjcf *x, const lwi_xml_element *e, const char *name,
                         const lwi_text *force, const lwi_mjcf_tendon *on, double gear)
{
  lwi_robot *r = &x->robot;
  for (int i = 0; i < on->nterm; i++) {
    lw_spring_desc d = on->segment[i];
    char full[200];
    lwi_text text = {0};
    lwi_text_add(&text, "(%.17g)*(%s)", -gear * on->coefficient[i], force->text);
    if (force->full || text.full)
      return lwi_xml_fail(e, r->err, "its expression is too long for linkwork");
    snprintf(full, sizeof full, on->nterm > 1 ? "%.180s.load%d" : "%.180s", name, i + 1);
    lwi_robot_locate(r, e);
    d.name = lwi_robot_name(r, LWI_ROBOT_FORCES, full);
    if (!d.name) return lwi_xml_no_memory(e, r->err);
    d.tension = lw_expr(r->spec, text.text);
    lw_add_spring(r->spec, &d);
  }
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

bool lwi_mjcf_add_load(lwi_mjcf *x, const lwi_xml_element *e, const char *name,
                       const lwi_text *force, const lwi_mjcf_tendon *on, double gear, bool actuator)
{
  lwi_robot *r = &x->robot;
  if (on->segment) return add_tensions(x, e, name, force, on, gear);
  for (int i = 0; i < on->nterm; i++) {
    const lwi_robot_joint *j = &r->joint[on->joint[i]];
    if (j->held) continue;
    lwi_text text = {0};
    const bool clamped = actuator && j->has_strength;
    if (clamped) lwi_text_add(&text, "clamp(");
    lwi_text_add(&text, "(%.17g)*(%s)", gear * on->coefficient[i], force->text);
    if (clamped) lwi_text_add(&text, ", %.17g, %.17g)", j->strength[0], j->strength[1]);
    if (force->full || text.full)
      return lwi_xml_fail(e, r->err, "its expression is too long for linkwork");
    char full[200];
    snprintf(full, sizeof full, "%.90s.%.90s", name, j->name);
    lwi_robot_locate(r, e);
    const lw_motor_desc d = {.name =
                                 lwi_robot_name(r, LWI_ROBOT_FORCES, on->nterm > 1 ? full : name),
                             .joint = j->id,
                             .value = lw_expr(r->spec, text.text)};
    if (!d.name) return lwi_xml_no_memory(e, r->err);
    lw_add_motor(r->spec, &d);
    if (lw_spec_error(r->spec, r->err) != LW_OK) return false;
  }
  return true;
}

/* With x from where the spring rests: -(b x^2 + c x^3) - (e u |u| + f u^3); the first degree is the
   joint's own. */
bool lwi_mjcf_add_higher_loads(lwi_mjcf *x)
{
  lwi_robot *r = &x->robot;
  double one = 1;
  for (int i = 0; i < r->njoint; i++) {
    const lwi_robot_joint *j = &r->joint[i];
    const double *h = j->higher;
    char name[220], quoted[LWI_QUOTED_SIZE];
    if (j->held || (h[0] == 0 && h[1] == 0 && h[2] == 0 && h[3] == 0)) continue;
    const lwi_mjcf_tendon on = {.nterm = 1, .joint = &i, .coefficient = &one};
    lwi_text force = {0};
    const char *as = written(x, i, quoted);
    lwi_text_add(&force, "-(%.17g)*(q.%s - (%.17g))^2", h[0], as, j->rest);
    lwi_text_add(&force, " - (%.17g)*(q.%s - (%.17g))^3", h[1], as, j->rest);
    lwi_text_add(&force, " - (%.17g)*u.%s*abs(u.%s) - (%.17g)*u.%s^3", h[2], as, as, h[3], as);
    snprintf(name, sizeof name, "higher.%.180s", j->name);
    if (!lwi_mjcf_add_load(x, j->element, name, &force, &on, 1, false)) return false;
  }
  return true;
}
