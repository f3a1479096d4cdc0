/* SPDX-License-Identifier: Apache-2.0 */
/* joint_elements.c -- what the descriptor of a joint asks for besides the joint: dampers and
   compliant stops on its freedoms, which are joint springs.  They have no names among the forces;
   messages name the joint. */
#include "model/spec/joint_elements.h"
#include "model/joint/joint.h"

#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* the part of the range over which a compliant stop becomes linear, if none is given; of a stop
   without an opposite one it is a length or an angle */
#define LWI_ONSET "0.001"

static bool is_written(double number)
{
  return !(number == 0); /* also if it is an expression */
}

/* The text of a number, as it can stand in an expression. */
static const char *text_of(const lw_spec *s, double number, char *buffer, size_t size)
{
  const int e = lwi_expr_index(number);
  if (e >= 0 && e < s->nexpr) return s->expr[e].text;
  snprintf(buffer, size, "%.17g", number);
  return buffer;
}

static bool fail(lw_spec *s, const lw_joint_desc *d, const char *what)
{
  lwi_spec_fail(s, LW_E_MODEL, s->mark, "joint \"%s\": %s", d->name, what);
  return false;
}

/* `what` of a joint, for messages. */
static bool add_spring(lw_spec *s, const lw_joint_desc *d, const char *what,
                       lw_joint_spring_desc spring)
{
  char name[300];
  if (!lwi_grow(&s->joint_springs.item, s->joint_springs.n, &s->joint_springs.capacity,
                sizeof *s->joint_springs.item))
    return lwi_spec_no_memory(s), false;
  snprintf(name, sizeof name, "%s of %s", what, d->name);
  spring.name = lwi_spec_text(s, name);
  spring.joint = (lw_joint){s->joints.n};
  const int at = s->joint_springs.n;
  s->joint_springs.item[at].d = spring;
  s->joint_springs.item[at].mark = s->mark;
  s->joint_springs.item[at].announced = false;
  s->joint_springs.n += lwi_spec_good(s);
  return lwi_spec_good(s);
}

/* The onset of a stop: as given, or a share of the range. */
static double onset_of(lw_spec *s, const lw_limits *l)
{
  char text[1000], lower[40], upper[40];
  if (is_written(l->onset)) return l->onset;
  if (!l->has_lower || !l->has_upper) return atof(LWI_ONSET);
  const char *a = text_of(s, l->lower, lower, sizeof lower),
             *b = text_of(s, l->upper, upper, sizeof upper);
  if (snprintf(text, sizeof text, LWI_ONSET "*((%s) - (%s))", b, a) >= (int)sizeof text)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "the expressions of limits are too long"), 0;
  return lw_expr(s, text);
}

static bool add_stops(lw_spec *s, const lw_joint_desc *d, int i)
{
  const lw_limits *l = &d->limits[i];
  if (!is_written(l->stiffness))
    return fail(s, d, "rigid limits are not available yet; a `stiffness` makes them compliant");
  lw_joint_spring_desc k = {
      .dof = i + 1, .stiffness = l->stiffness, .damping = l->damping, .onset = onset_of(s, l)};
  k.rest = l->lower, k.side = -1;
  if (l->has_lower && !add_spring(s, d, "lower limit", k)) return false;
  k.rest = l->upper, k.side = 1;
  return !l->has_upper || add_spring(s, d, "upper limit", k);
}

/* Numbers that are written already can be checked here; model/compile checks the others. */
static bool check_limits(lw_spec *s, const lw_joint_desc *d, const lw_limits *l)
{
  if (l->has_lower && l->has_upper && l->lower >= l->upper)
    return fail(s, d, "the lower limit must be below the upper one");
  if (l->stiffness < 0 || l->damping < 0 || l->onset < 0)
    return fail(s, d, "stiffness, damping and onset of limits must not be negative");
  return true;
}

bool lwi_add_joint_elements(lw_spec *s, const lw_joint_desc *d)
{
  const bool pairs = lwi_joint_has_rate_pair(d->type);
  const int nu = pairs ? lw_joint_type_nu(d->type, s->planar) : 0;
  for (int i = 0; i < LW_RATE_PAIRS && lwi_spec_good(s); i++) {
    const lw_limits *l = &d->limits[i];
    const bool limited = l->has_lower || l->has_upper, damped = is_written(d->damping[i]);
    if (!limited && !damped) continue;
    if (i >= nu)
      return fail(s, d,
                  pairs ? "it has fewer freedoms than limits or dampings"
                        : "its speeds are not rates of coordinates, on which limits or damping "
                          "could act");
    if (d->damping[i] < 0) return fail(s, d, "its damping must not be negative");
    if (damped && !add_spring(s, d, "damping",
                              (lw_joint_spring_desc){.dof = i + 1, .damping = d->damping[i]}))
      return false;
    if (limited && (!check_limits(s, d, l) || !add_stops(s, d, i))) return false;
  }
  return lwi_spec_good(s);
}
