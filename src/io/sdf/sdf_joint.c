/* SPDX-License-Identifier: Apache-2.0 */
/* sdf_joint.c -- a joint: type, axes, limits, damping and friction. */
#include "io/sdf/sdf.h"

#include "io/robot/robot_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const struct {
  const char *name;
  lw_joint_type type;
  int naxis;
} types[] = {
    {"fixed", LW_FIXED, 0},         {"revolute", LW_REVOLUTE, 1},  {"continuous", LW_REVOLUTE, 1},
    {"prismatic", LW_PRISMATIC, 1}, {"screw", LW_HELICAL, 1},      {"ball", LW_SPHERICAL, 0},
    {"universal", LW_REVOLUTE, 2},  {"revolute2", LW_REVOLUTE, 2},
};

/* Metres per radian.  thread_pitch is in radians per metre, and turns the other way. */
static bool read_pitch(lwi_sdf *x, const lwi_xml_element *e, double *pitch)
{
  double per_turn = 0, old = 1;
  if (!lwi_sdf_read(x, e, "screw_thread_pitch", 1, &per_turn) ||
      !lwi_sdf_read(x, e, "thread_pitch", 1, &old))
    return false;
  *pitch = lwi_xml_child(e, "screw_thread_pitch") || old == 0 ? per_turn / (2 * pi) : -1 / old;
  return true;
}

/* Limits beyond 1e15 are none. */
static bool read_axis(lwi_sdf *x, const lwi_xml_element *e, const char *key, bool ranged,
                      lwi_robot_joint *d)
{
  const lwi_xml_element *axis = lwi_xml_child(e, key), *limit = lwi_xml_child(axis, "limit");
  const lwi_xml_element *dynamics = lwi_xml_child(axis, "dynamics");
  double range[2] = {-1e16, 1e16};
  d->axis[strcmp(key, "axis") == 0 ? 2 : 0] = 1; /* two parallel ones would be none */
  if (!lwi_sdf_read(x, axis, "xyz", 3, d->axis) ||
      !lwi_sdf_read(x, dynamics, "damping", 1, &d->damping) ||
      !lwi_sdf_read(x, dynamics, "friction", 1, &d->friction) ||
      !lwi_sdf_read(x, dynamics, "spring_stiffness", 1, &d->stiffness) ||
      !lwi_sdf_read(x, dynamics, "spring_reference", 1, &d->rest))
    return false;
  for (int i = 0; i < 2 && ranged; i++) {
    const char *text = lwi_sdf_text(x, limit, i ? "upper" : "lower");
    const bool infinite = text && strstr(text, "inf");
    if (!infinite && !lwi_sdf_read(x, limit, i ? "upper" : "lower", 1, &range[i])) return false;
  }
  d->has_lower = ranged && range[0] > -1e15 && range[0] < range[1];
  d->has_upper = ranged && range[1] < 1e15 && range[0] < range[1];
  d->lower = range[0];
  d->upper = range[1];
  return lwi_normalise(d->axis) || lwi_xml_fail(axis, x->robot.err, "the axis is zero");
}

static bool find_end(lwi_sdf *x, const lwi_sdf_frame *f, const char *side, int *link, bool *missing)
{
  int frame;
  const char *name = lwi_sdf_text(x, f->element, side);
  *missing = !name || !lwi_sdf_find(x, f->model, name, &frame);
  if (*missing) return true;
  return lwi_sdf_link_of(x, f->element, frame, link);
}

bool lwi_sdf_read_joint(lwi_sdf *x, int frame, lwi_sdf_joint *out)
{
  const lwi_sdf_frame *f = &x->frame[frame];
  const lwi_xml_element *e = f->element;
  const char *type = lwi_xml_get(e, "type");
  bool lost[2];
  int t = 0;
  const int known = (int)(sizeof types / sizeof *types);
  *out = (lwi_sdf_joint){.frame = frame, .link = {-1, -1}, .number = {-1, -1}};
  while (t < known && type && strcmp(types[t].name, type) != 0)
    t++;
  if (!type || t == known) return lwi_listing_add(&x->dropped, f->full), out->njoint = -1, true;
  if (!find_end(x, f, "parent", &out->link[0], &lost[0]) ||
      !find_end(x, f, "child", &out->link[1], &lost[1]))
    return false;
  if (lost[0] || lost[1] || out->link[0] == out->link[1])
    return lwi_listing_add(&x->missing, f->full), out->njoint = -1, true;
  out->njoint = types[t].type == LW_FIXED ? 0 : types[t].naxis == 2 ? 2 : 1;
  for (int i = 0; i < out->njoint; i++) {
    lwi_robot_joint *d = &out->d[i];
    char name[300];
    snprintf(name, sizeof name, "%.250s%s", f->full, i ? ".2" : "");
    *d = (lwi_robot_joint){.element = e, .type = types[t].type, .mimic = -1, .multiplier = 1};
    if (!(d->name = lwi_arena_text(&x->robot.arena, name)))
      return lwi_xml_no_memory(e, x->robot.err);
    const bool ranged = strcmp(type, "continuous") != 0 && types[t].naxis > 0;
    if (!read_axis(x, e, i ? "axis2" : "axis", ranged, d) ||
        (types[t].type == LW_HELICAL && !read_pitch(x, e, &d->pitch)))
      return false;
  }
  return true;
}

/* The axes in which xyz is written: of the joint, of the frame that it names, or, up to 1.4 or
   where it says so, of the model. */
static bool find_axes(lwi_sdf *x, const lwi_sdf_frame *f, const char *key, int frame,
                      lwi_frame *out)
{
  const lwi_xml_element *axis = lwi_xml_child(f->element, key);
  const char *in = lwi_xml_get(lwi_xml_child(axis, "xyz"), "expressed_in");
  const bool old = f->version < 5 || lwi_sdf_flag(axis, "use_parent_model_frame");
  int from = old ? f->model : frame;
  if (in && *in && !lwi_sdf_find(x, f->model, in, &from))
    return lwi_xml_fail(axis, x->robot.err, "there is no frame \"%.80s\"", in);
  return lwi_sdf_resolve(x, from, out);
}

bool lwi_sdf_orient_joint(lwi_sdf *x, lwi_sdf_joint *j, lwi_frame link)
{
  lwi_frame joint, axes;
  if (!lwi_sdf_resolve(x, j->frame, &joint)) return false;
  const lwi_frame back = lwi_frame_inverse(link);
  const lwi_frame at = lwi_frame_mul(back, joint);
  for (int i = 0; i < j->njoint; i++) {
    lwi_robot_joint *d = &j->d[i];
    if (!find_axes(x, &x->frame[j->frame], i ? "axis2" : "axis", j->frame, &axes)) return false;
    const rot3 R = rot_mul(back.R, axes.R);
    double v[3];
    rot_mulv(R, d->axis, v);
    for (int k = 0; k < 3; k++)
      d->axis[k] = j->backward ? -v[k] : v[k];
    memcpy(d->at, at.p, sizeof d->at);
  }
  return true;
}
