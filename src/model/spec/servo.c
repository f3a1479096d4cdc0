/* SPDX-License-Identifier: Apache-2.0 */
/* servo.c -- laws that motors give rise to: a servo, whose value is a law of position control with
   a limited load, and the work of a motor, a state whose rate is its power. */
#include "base/quoted_name.h"
#include "model/expression/expr_lex.h"
#include "model/joint/joint.h"
#include "model/spec/joint_elements.h"
#include "model/spec/laws.h"

#include "linkwork/reader.h"

#include <stdio.h>

void lwi_coordinate_text(const lw_spec *s, lw_joint joint, int dof, char prefix, char *out,
                         size_t size)
{
  const lw_joint_desc *j = &s->joints.item[joint.id - 1].d;
  char quoted[LWI_QUOTED_SIZE];
  const char *name = lwi_expr_write_name(j->name, quoted);
  if (lw_joint_type_nu(j->type, s->planar) == 1)
    snprintf(out, size, "%c.%s", prefix, name);
  else
    snprintf(out, size, "%c.%s.%d", prefix, name, dof ? dof : 1);
}

static double law(lw_spec *s, const lw_servo_desc *d)
{
  char text[4000], q[LWI_QUOTED_SIZE + 16], u[LWI_QUOTED_SIZE + 16], digits[4][40];
  const double number[4] = {d->target, d->stiffness, d->damping, d->limit};
  const char *word[4];
  for (int i = 0; i < 4; i++)
    word[i] = lwi_text_of_number(s, number[i], digits[i], sizeof digits[i]);
  lwi_coordinate_text(s, d->joint, d->dof, 'q', q, sizeof q);
  lwi_coordinate_text(s, d->joint, d->dof, 'u', u, sizeof u);
  const bool limited = !(d->limit == 0);
  const int n = limited
                    ? snprintf(text, sizeof text, "min(max((%s)*((%s) - %s) - (%s)*%s, -(%s)), %s)",
                               word[1], word[0], q, word[2], u, word[3], word[3])
                    : snprintf(text, sizeof text, "(%s)*((%s) - %s) - (%s)*%s", word[1], word[0], q,
                               word[2], u);
  if (n >= (int)sizeof text)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "force \"%s\": its expressions are too long",
                         d->name),
           0;
  return lw_expr(s, text);
}

lw_force lw_add_servo(lw_spec *s, const lw_servo_desc *d)
{
  const lw_force none = {-1};
  if (!lwi_spec_good(s)) return none;
  if (!d || d->joint.id < 1 || d->joint.id > s->joints.n)
    return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_servo: no such joint"), none;
  const lw_joint_type type = s->joints.item[d->joint.id - 1].d.type;
  if (!lwi_joint_has_rate_pair(type))
    return lwi_spec_fail(s, LW_E_MODEL, s->mark,
                         "force \"%s\": the coordinates of a %s joint take no servo",
                         d->name ? d->name : "", lw_joint_type_name(type)),
           none;
  if (d->limit < 0)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "force \"%s\": its limit must not be negative",
                         d->name ? d->name : ""),
           none;
  const double value = law(s, d);
  return lw_add_motor(
      s, &(lw_motor_desc){.name = d->name, .joint = d->joint, .dof = d->dof, .value = value});
}

double lwi_motor_power(lw_spec *s, int motor)
{
  const lw_motor_desc *d = &s->motors.item[motor].d;
  const int law = s->motors.item[motor].role.along;
  char text[5000], u[LWI_QUOTED_SIZE + 16], digits[40];
  lwi_coordinate_text(s, d->joint, d->dof, 'u', u, sizeof u);
  const int n = snprintf(text, sizeof text, "(%s)*%s",
                         lwi_text_of_number(s, d->value, digits, sizeof digits), u);
  if (n < (int)sizeof text) {
    const double power = lw_expr(s, text);
    return law && !lwi_joint_law_names(s, d, law, power) ? 0 : power;
  }
  lwi_spec_fail(s, LW_E_MODEL, s->mark, "work.%s: the value of the motor is too long", d->name);
  return 0;
}
