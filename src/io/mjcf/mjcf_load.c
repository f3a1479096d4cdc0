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
  lwi_text_add(t, "0");
  for (int i = 0; i < of->nterm; i++) {
    const lwi_robot_joint *j = &x->robot.joint[of->joint[i]];
    if (j->held)
      lwi_text_add(t, " + (%.17g)", what[0] == 'q' ? of->coefficient[i] * j->q[0] : 0.0);
    else
      lwi_text_add(t, " + (%.17g)*%s.%s", of->coefficient[i], what, written(x, of->joint[i], name));
  }
}

bool lwi_mjcf_add_load(lwi_mjcf *x, const lwi_xml_element *e, const char *name,
                       const lwi_text *force, const lwi_mjcf_tendon *on, double gear)
{
  lwi_robot *r = &x->robot;
  for (int i = 0; i < on->nterm; i++) {
    const lwi_robot_joint *j = &r->joint[on->joint[i]];
    if (j->held) continue;
    lwi_text text = {0};
    if (j->has_strength) lwi_text_add(&text, "clamp(");
    lwi_text_add(&text, "(%.17g)*(%s)", gear * on->coefficient[i], force->text);
    if (j->has_strength) lwi_text_add(&text, ", %.17g, %.17g)", j->strength[0], j->strength[1]);
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
