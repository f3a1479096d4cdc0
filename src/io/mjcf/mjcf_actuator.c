/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_actuator.c -- actuators of joints, tendons and sites; the control is an input of the
   model. */
#include "io/mjcf/mjcf.h"

#include "base/quoted_name.h"
#include "io/mjcf/mjcf_gain.h"
#include "io/mjcf/mjcf_load.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"
#include "model/expression/expr_lex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NO_DYNAMICS, INTEGRATOR, FILTER } dynamics;

typedef struct {
  const char *name;
  lwi_mjcf_item item;
  lwi_mjcf_tendon on; /* what it acts on, as a sum of coordinates */
  int joint;          /* if it is one; -1: a tendon, or ... */
  int site;           /* ... a site, on which the force acts along wrench: [force; torque]; -1 */
  double wrench[6];
  double gear, gain[3], bias[3], time, dampratio;
  dynamics dynamics;
  bool has_state; /* has dynamics, of whatever kind */
  bool has_control, has_force, has_activation;
  double control[2], force[2], activation[2];
  double start;        /* of the control */
  const double *state; /* of the activation, or NULL */
} actuator;

static int read_numbers(lwi_mjcf *x, const actuator *a, const char *name, int most, double out[])
{
  const char *text = lwi_mjcf_actuator_get(x, &a->item, name);
  return text ? lwi_xml_numbers(a->item.element, name, text, most, out, x->robot.err) : 0;
}

static bool read_range(lwi_mjcf *x, actuator *a, const char *range, const char *limited,
                       double out[2], bool *has)
{
  const int n = read_numbers(x, a, range, 2, out);
  const char *flag = lwi_mjcf_actuator_get(x, &a->item, limited);
  if (n < 0) return false;
  *has = !flag || strcmp(flag, "auto") == 0 ? n == 2 && x->compiler.autolimits
                                            : strcmp(flag, "true") == 0 || strcmp(flag, "1") == 0;
  if (*has && (n != 2 || out[0] > out[1]))
    return lwi_xml_fail(a->item.element, x->robot.err, "%s is not a range", range);
  return true;
}

/* known: linkwork has its kind */
static bool read_gain(lwi_mjcf *x, actuator *a, bool *known)
{
  lwi_mjcf_gain g;
  if (!lwi_mjcf_read_gain(x, &a->item, &g)) return false;
  const bool integrates = strcmp(g.dyntype, "integrator") == 0;
  const bool filters = strcmp(g.dyntype, "filter") == 0 || strcmp(g.dyntype, "filterexact") == 0;
  memcpy(a->gain, g.gain, sizeof a->gain);
  memcpy(a->bias, g.bias, sizeof a->bias);
  a->time = g.time;
  a->dampratio = g.dampratio;
  a->dynamics = integrates ? INTEGRATOR : filters ? FILTER : NO_DYNAMICS;
  a->has_state = strcmp(g.dyntype, "none") != 0;
  *known = (strcmp(g.gaintype, "fixed") == 0 || strcmp(g.gaintype, "affine") == 0) &&
           (strcmp(g.biastype, "none") == 0 || strcmp(g.biastype, "affine") == 0) &&
           (!a->has_state || integrates || filters);
  return true;
}

/* The target of a position actuator may have the range of what it acts on. */
static bool inherit_range(lwi_mjcf *x, actuator *a)
{
  double part = 0;
  if (read_numbers(x, a, "inheritrange", 1, &part) < 0) return false;
  if (part <= 0 || a->joint < 0 || a->has_control) return true;
  const lwi_robot_joint *j = &x->robot.joint[a->joint];
  if (!j->has_lower || !j->has_upper) return true;
  const double middle = (j->lower + j->upper) / 2, half = part * (j->upper - j->lower) / 2;
  a->has_control = true;
  a->control[0] = middle - half;
  a->control[1] = middle + half;
  return true;
}

/* ---- what it acts on ---- */

static bool find_target(lwi_mjcf *x, actuator *a, bool *known)
{
  lwi_robot *r = &x->robot;
  const lwi_xml_element *e = a->item.element;
  const char *joint = lwi_xml_get(e, "joint"), *tendon = lwi_xml_get(e, "tendon");
  const char *site = lwi_xml_get(e, "site");
  double gear[6] = {1};
  if (read_numbers(x, a, "gear", 6, gear) < 0) return false;
  a->gear = gear[0];
  a->joint = a->site = -1;
  memcpy(a->wrench, gear, sizeof gear);
  if (site && !lwi_xml_get(e, "refsite")) {
    a->site = lwi_mjcf_find(&x->site_names, x->site_of_name, site);
    if (a->site < 0) lwi_mjcf_leave_out(x, e, site);
    *known = a->site >= 0;
    return true;
  }
  if (!joint) joint = lwi_xml_get(e, "jointinparent");
  if (joint) {
    a->joint = lwi_mjcf_find(&x->joint_names, x->joint_of_name, joint);
    if (a->joint < 0) return *known = false, lwi_mjcf_leave_out(x, e, joint);
    const lw_joint_type type = r->joint[a->joint].type;
    *known = type == LW_REVOLUTE || type == LW_PRISMATIC;
    a->on = (lwi_mjcf_tendon){.name = a->name, .element = e, .nterm = 1};
    a->on.joint = LWI_TAKE(&r->arena, 1, int);
    a->on.coefficient = LWI_TAKE(&r->arena, 1, double);
    if (!a->on.joint || !a->on.coefficient) return lwi_xml_no_memory(e, r->err);
    a->on.joint[0] = a->joint;
    a->on.coefficient[0] = 1;
    return true;
  }
  const int at = tendon ? lwi_name_find(&x->tendon_names, tendon, strlen(tendon)) : -1;
  *known = at >= 0;
  if (at >= 0) a->on = x->tendon[at];
  return true;
}

/* ---- as parts of the spec ---- */

/* How the length changes with a freedom of a joint: its coefficients, or moment arms of a path. */
static double arm_of(const lwi_mjcf *x, const lwi_mjcf_tendon *t, int joint,
                     const lwi_robot_freedom *f)
{
  double arm = 0;
  if (t->segment) return lwi_mjcf_spatial_arm(x, t, f);
  for (int i = 0; i < t->nterm; i++)
    if (t->joint[i] == joint) arm += t->coefficient[i];
  return arm;
}

/* 2 dampratio sqrt(kp m) with the inertia m = sum M_ii / arm_i^2 of the freedoms that move the length
   in the reference configuration */
static void damp(lwi_mjcf *x, actuator *a)
{
  const lwi_robot *r = &x->robot;
  double mass = 0;
  if (a->dampratio <= 0) return;
  for (int i = 0; i < r->njoint; i++)
    for (int k = 0; k < lw_joint_type_nu(r->joint[i].type, false); k++) {
      const lwi_robot_freedom f = lwi_robot_freedom_of(r, x->world, i, k);
      const double by = a->gear * arm_of(x, &a->on, i, &f);
      if (by * by > 1e-15) mass += lwi_robot_inertia_of(r, x->world, &f) / (by * by);
    }
  a->bias[2] = -2 * a->dampratio * sqrt(a->gain[0] * mass);
}

/* The control: an input; with dynamics a state that follows it. */
static bool add_control(lwi_mjcf *x, actuator *a, lwi_text *out)
{
  lwi_robot *r = &x->robot;
  char name[300], buffer[LWI_QUOTED_SIZE];
  lwi_text control = {0};
  snprintf(name, sizeof name, "ctrl.%.180s", a->name);
  const char *input = lwi_robot_name(r, LWI_ROBOT_STATES, name);
  if (!input) return lwi_xml_no_memory(a->item.element, r->err);
  lw_add_state(r->spec, &(lw_state_desc){.name = input, .start = a->start, .input = true});
  const char *quoted = lwi_expr_write_name(input, buffer);
  if (a->has_control)
    lwi_text_add(&control, "clamp(%s, %.17g, %.17g)", quoted, a->control[0], a->control[1]);
  else
    lwi_text_add(&control, "%s", quoted);
  if (a->dynamics == NO_DYNAMICS) return lwi_text_add(out, "%s", control.text), true;

  lwi_text rate = {0};
  snprintf(name, sizeof name, "act.%.180s", a->name);
  const char *state = lwi_robot_name(r, LWI_ROBOT_STATES, name);
  if (!state) return lwi_xml_no_memory(a->item.element, r->err);
  quoted = lwi_expr_write_name(state, buffer);
  if (a->dynamics == INTEGRATOR)
    lwi_text_add(&rate, "%s", control.text);
  else
    lwi_text_add(&rate, "(%s - %s)/%.17g", control.text, quoted, fmax(a->time, 1e-15));
  lw_add_state(r->spec, &(lw_state_desc){.name = state,
                                         .start = a->state ? *a->state : 0,
                                         .rate = lw_expr(r->spec, rate.text)});
  if (a->has_activation)
    lwi_text_add(out, "clamp(%s, %.17g, %.17g)", quoted, a->activation[0], a->activation[1]);
  else
    lwi_text_add(out, "%s", quoted);
  return true;
}

static void write_affine(lwi_mjcf *x, lwi_text *t, const actuator *a, const double c[3])
{
  lwi_text_add(t, "(%.17g", c[0]);
  if (c[1] != 0) {
    lwi_text_add(t, " + (%.17g)*(", c[1] * a->gear);
    lwi_mjcf_write_sum(x, t, "q", &a->on);
    lwi_text_add(t, ")");
  }
  if (c[2] != 0) {
    lwi_text_add(t, " + (%.17g)*(", c[2] * a->gear);
    lwi_mjcf_write_sum(x, t, "u", &a->on);
    lwi_text_add(t, ")");
  }
  lwi_text_add(t, ")");
}

/* A force on a site, in its axes. */
static bool push_site(lwi_mjcf *x, const actuator *a, const lwi_text *force)
{
  lwi_robot *r = &x->robot;
  const lwi_robot_point *p = &r->point[a->site];
  const lwi_frame place = lwi_frame_mul(lwi_robot_frame(r, p->link), p->place);
  double push[3], turn[3];
  rot_mulv(place.R, a->wrench, push);
  rot_mulv(place.R, a->wrench + 3, turn);
  lw_load_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_FORCES, a->name),
                    .body = lwi_robot_body(r, p->link),
                    .at = {place.p[0], place.p[1], place.p[2]},
                    .body_axes = true};
  if (!d.name) return lwi_xml_no_memory(a->item.element, r->err);
  for (int i = 0; i < 6; i++) {
    const double part = i < 3 ? push[i] : turn[i - 3];
    lwi_text text = {0};
    lwi_text_add(&text, "(%.17g)*(%s)", part, force->text);
    if (part != 0) *(i < 3 ? &d.force[i] : &d.torque[i - 3]) = lw_expr(r->spec, text.text);
  }
  lw_add_load(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

static bool build(lwi_mjcf *x, actuator *a)
{
  lwi_text force = {0};
  damp(x, a);
  lwi_robot_locate(&x->robot, a->item.element);
  if (a->has_force) lwi_text_add(&force, "clamp(");
  write_affine(x, &force, a, a->gain);
  lwi_text_add(&force, "*");
  if (!add_control(x, a, &force)) return false;
  lwi_text_add(&force, " + ");
  write_affine(x, &force, a, a->bias);
  if (a->has_force) lwi_text_add(&force, ", %.17g, %.17g)", a->force[0], a->force[1]);
  if (a->site >= 0) return push_site(x, a, &force);
  return lwi_mjcf_add_load(x, a->item.element, a->name, &force, &a->on, a->gear, true);
}

/* The next state of the keyframe, if the actuator has one. */
static void take_state(lwi_mjcf *x, actuator *a)
{
  if (!a->has_state) return;
  if (x->next_act < x->nact) a->state = &x->act[x->next_act];
  x->next_act++;
}

static bool read_actuator(lwi_mjcf *x, const lwi_xml_element *e, int number, double start)
{
  actuator a = {.name = lwi_xml_get(e, "name"), .start = start};
  char unnamed[40];
  bool known = true, acts = true;
  const int kind = lwi_mjcf_actuator_kind(e->name);
  if (kind < 0) {
    x->next_act += strcmp(e->name, "muscle") == 0;
    return lwi_listing_add(&x->actuators, a.name ? a.name : e->name), true;
  }
  snprintf(unnamed, sizeof unnamed, "actuator%d", number);
  if (!a.name && !(a.name = lwi_arena_text(&x->robot.arena, unnamed)))
    return lwi_xml_no_memory(e, x->robot.err);
  if (!lwi_mjcf_item_of(x, e, e->name, x->main_class, &a.item) || !find_target(x, &a, &acts))
    return false;
  if (!read_gain(x, &a, &known) ||
      !read_range(x, &a, "ctrlrange", "ctrllimited", a.control, &a.has_control) ||
      !read_range(x, &a, "forcerange", "forcelimited", a.force, &a.has_force) ||
      !read_range(x, &a, "actrange", "actlimited", a.activation, &a.has_activation) ||
      !inherit_range(x, &a))
    return false;
  take_state(x, &a);
  if (!known || !acts) return lwi_listing_add(&x->actuators, a.name), true;
  return build(x, &a);
}

/* A list of numbers of the keyframe. */
static bool read_key_list(lwi_mjcf *x, const char *name, double **out, int *n)
{
  enum { MOST = 10000 };
  const char *text = x->key ? lwi_xml_get(x->key, name) : NULL;
  *n = 0;
  if (!text) return true;
  if (!(*out = LWI_TAKE(&x->robot.arena, MOST, double)))
    return lwi_xml_no_memory(x->robot.root, x->robot.err);
  *n = lwi_xml_numbers(x->key, name, text, MOST, *out, x->robot.err);
  return *n >= 0;
}

bool lwi_mjcf_read_actuators(lwi_mjcf *x)
{
  int n = 0, given;
  double *ctrl = NULL;
  if (!read_key_list(x, "ctrl", &ctrl, &given) || !read_key_list(x, "act", &x->act, &x->nact))
    return false;
  for (const lwi_xml_element *list = NULL; (list = lwi_mjcf_next_section(x, list, "actuator"));)
    for (const lwi_xml_element *e = list->first; e; e = e->next, n++)
      if (!read_actuator(x, e, n + 1, n < given ? ctrl[n] : 0)) return false;
  return lw_spec_error(x->robot.spec, x->robot.err) == LW_OK;
}
