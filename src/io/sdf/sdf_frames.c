/* SPDX-License-Identifier: Apache-2.0 */
/* sdf_frames.c -- names and poses of frames. */
#include "io/sdf/sdf.h"

#include "io/robot/robot_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEEPEST = 500,         /* frames that are placed relative to one another in a row */
  MOST_PLACEMENTS = 1000 /* each looks at the frames of its model once more */
};

/* ---- numbers and words in children ---- */

const char *lwi_sdf_text(lwi_sdf *x, const lwi_xml_element *e, const char *child)
{
  const lwi_xml_element *c = lwi_xml_child(e, child);
  if (!c) return NULL;
  const char *start = c->text + strspn(c->text, " \t\r\n");
  size_t n = strlen(start);
  while (n > 0 && strchr(" \t\r\n", start[n - 1]))
    n--;
  char *text = LWI_TAKE(&x->robot.arena, n + 1, char);
  if (text) memcpy(text, start, n);
  return text;
}

bool lwi_sdf_read(lwi_sdf *x, const lwi_xml_element *e, const char *child, int n, double out[])
{
  double found[16];
  const lwi_xml_element *c = lwi_xml_child(e, child);
  if (!c) return true;
  const int count = lwi_xml_numbers(c, "its text", c->text, n, found, x->robot.err);
  if (count < 0) return false;
  if (count == 0) return true;
  if (count != n) return lwi_xml_fail(c, x->robot.err, "%d numbers are needed, found %d", n, count);
  memcpy(out, found, (size_t)n * sizeof *out);
  return true;
}

bool lwi_sdf_flag(const lwi_xml_element *e, const char *child)
{
  const lwi_xml_element *c = lwi_xml_child(e, child);
  const char *text = c ? c->text + strspn(c->text, " \t\r\n") : "";
  return strncmp(text, "true", 4) == 0 || text[0] == '1';
}

bool lwi_sdf_pose(lwi_sdf *x, const lwi_xml_element *e, lwi_frame *out, const char **relative)
{
  const lwi_xml_element *pose = lwi_xml_child(e, "pose");
  const char *format = lwi_xml_get(pose, "rotation_format"),
             *degrees = lwi_xml_get(pose, "degrees");
  const bool quat = format && strcmp(format, "quat_xyzw") == 0;
  const bool in_degrees = degrees && (degrees[0] == 't' || degrees[0] == '1');
  double v[7] = {0};
  *out = lwi_frame_identity();
  *relative = lwi_xml_get(pose, "relative_to");
  if (!*relative) *relative = lwi_xml_get(pose, "frame"); /* up to 1.6 */
  if (*relative && !**relative) *relative = NULL;
  if (quat) v[6] = 1;
  if (!lwi_sdf_read(x, e, "pose", quat ? 7 : 6, v)) return false;
  memcpy(out->p, v, 3 * sizeof *v);
  for (int i = 3; i < 6 && in_degrees && !quat; i++)
    v[i] *= 3.14159265358979323846 / 180;
  if (!quat) out->R = lwi_rot_rpy(v + 3);
  return !quat || lwi_rot_quat((double[4]){v[6], v[3], v[4], v[5]}, &out->R) ||
         lwi_xml_fail(pose, x->robot.err, "the quaternion has no direction");
}

/* ---- names ---- */

static void write_key(char *out, size_t size, int model, const char *name, size_t length)
{
  snprintf(out, size, "%d %.*s", model, (int)(length < 400 ? length : 400), name);
}

bool lwi_sdf_add_frame(lwi_sdf *x, const lwi_sdf_frame *f, int *number)
{
  char key[430];
  const int n = x->names.n;
  write_key(key, sizeof key, f->model, f->name, strlen(f->name));
  if (!lwi_grow(&x->frame, x->nframe, &x->frame_capacity, sizeof *x->frame) ||
      !lwi_grow(&x->frame_of_name, n, &x->name_capacity, sizeof *x->frame_of_name))
    return lwi_xml_no_memory(f->element, x->robot.err);
  const char *kept = lwi_arena_text(&x->robot.arena, key);
  if (!kept || lwi_name_add(&x->names, kept, strlen(kept)) < 0)
    return lwi_xml_no_memory(f->element, x->robot.err);
  if (x->names.n > n) x->frame_of_name[n] = x->nframe;
  x->frame[ *number = x->nframe++] = *f;
  return true;
}

bool lwi_sdf_find(const lwi_sdf *x, int model, const char *name, int *frame)
{
  char key[430];
  *frame = -1;
  if (strcmp(name, "world") == 0 || strcmp(name, "__root__") == 0) return true;
  for (;;) {
    const char *inner = strstr(name, "::");
    const size_t length = inner ? (size_t)(inner - name) : strlen(name);
    if (strncmp(name, "__model__", length) == 0 && length == 9) {
      *frame = model;
    } else {
      write_key(key, sizeof key, model, name, length);
      const int at = lwi_name_find(&x->names, key, strlen(key));
      if (at < 0) return false;
      *frame = x->frame_of_name[at];
    }
    if (!inner) return true;
    if (*frame < 0 || x->frame[*frame].kind != LWI_SDF_MODEL) return false;
    model = *frame;
    name = inner + 2;
  }
}

static bool find_or_fail(lwi_sdf *x, const lwi_xml_element *e, int model, const char *name,
                         int *frame)
{
  return lwi_sdf_find(x, model, name, frame) ||
         lwi_xml_fail(e, x->robot.err, "there is no frame \"%.80s\"", name);
}

/* A link itself, the first link of a model, the child of a joint, what a frame is attached to. */
bool lwi_sdf_link_of(lwi_sdf *x, const lwi_xml_element *e, int frame, int *link)
{
  *link = -1;
  for (int steps = 0; frame >= 0 && steps < DEEPEST; steps++) {
    const lwi_sdf_frame *f = &x->frame[frame];
    const char *name = f->kind == LWI_SDF_JOINT ? lwi_sdf_text(x, f->element, "child")
                                                : lwi_xml_get(f->element, "attached_to");
    if (f->kind == LWI_SDF_LINK) return *link = f->link, true;
    if (f->kind == LWI_SDF_MODEL) return *link = f->first_link, true;
    if (f->kind == LWI_SDF_JOINT && !name) return lwi_xml_fail(e, x->robot.err, "no child");
    const int model = f->model;
    frame = model;
    if (name && *name && !find_or_fail(x, e, model, name, &frame)) return false;
  }
  return frame < 0 ||
         lwi_xml_fail(e, x->robot.err, "frames are attached to one another in a circle");
}

/* ---- poses ---- */

/* The frame that a pose is relative to if it does not say: of a joint its child, of a frame what it
   is attached to, else the model. */
static bool default_base(lwi_sdf *x, const lwi_sdf_frame *f, int *base)
{
  const char *name = NULL;
  *base = f->model;
  if (f->kind == LWI_SDF_JOINT) name = lwi_sdf_text(x, f->element, "child");
  if (f->kind == LWI_SDF_FRAME) name = lwi_xml_get(f->element, "attached_to");
  return !name || !*name || find_or_fail(x, f->element, f->model, name, base);
}

static bool resolve(lwi_sdf *x, int frame, int depth);

/* A model is placed by another frame of its own: where that is in the model, with the model at the
   origin. */
static bool shift_by_placement(lwi_sdf *x, int frame, int depth, lwi_frame *world)
{
  const char *name = lwi_xml_get(x->frame[frame].placed, "placement_frame");
  int inner;
  if (!name) name = lwi_xml_get(x->frame[frame].element, "placement_frame");
  if (!name || !*name) return true;
  if (!find_or_fail(x, x->frame[frame].element, frame, name, &inner)) return false;
  if (inner < 0) return true;
  if (++x->nplacement > MOST_PLACEMENTS)
    return lwi_xml_fail(x->frame[frame].element, x->robot.err, "more than %d placement_frames",
                        MOST_PLACEMENTS);
  /* everything in the model comes after it: it is resolved on its own, and then forgotten */
  const int n = x->nframe - frame;
  int *before = malloc((size_t)n * sizeof *before);
  if (!before) return lwi_xml_no_memory(x->frame[frame].element, x->robot.err);
  for (int i = 0; i < n; i++) {
    before[i] = x->frame[frame + i].state;
    x->frame[frame + i].state = 0;
  }
  x->frame[frame].state = 2;
  x->frame[frame].world = lwi_frame_identity();
  const bool ok = resolve(x, inner, depth + 1);
  if (ok) *world = lwi_frame_mul(*world, lwi_frame_inverse(x->frame[inner].world));
  for (int i = 0; i < n; i++)
    x->frame[frame + i].state = before[i] == 2 ? 0 : before[i];
  free(before);
  return ok;
}

static bool resolve(lwi_sdf *x, int frame, int depth)
{
  lwi_sdf_frame *f = &x->frame[frame];
  lwi_frame pose, base_world = lwi_frame_identity();
  const char *relative;
  int base;
  if (f->state == 2) return true;
  if (f->state == 1 || depth > DEEPEST)
    return lwi_xml_fail(f->element, x->robot.err,
                        "frames are relative to one another in a circle, or more than %d deep",
                        DEEPEST);
  f->state = 1;
  const int scope = f->model;
  if (!lwi_sdf_pose(x, f->placed, &pose, &relative) || !default_base(x, f, &base)) return false;
  if (relative && !find_or_fail(x, f->element, scope, relative, &base)) return false;
  if (base >= 0) {
    if (!resolve(x, base, depth + 1)) return false;
    base_world = x->frame[base].world;
  }
  lwi_frame world = lwi_frame_mul(base_world, pose);
  if (f->kind == LWI_SDF_MODEL && !shift_by_placement(x, frame, depth, &world)) return false;
  x->frame[frame].world = world;
  x->frame[frame].state = 2;
  return true;
}

bool lwi_sdf_resolve(lwi_sdf *x, int frame, lwi_frame *world)
{
  *world = lwi_frame_identity();
  if (frame < 0) return true;
  if (!resolve(x, frame, 0)) return false;
  *world = x->frame[frame].world;
  return true;
}

bool lwi_sdf_place(lwi_sdf *x, const lwi_xml_element *e, int within, lwi_frame *out)
{
  lwi_frame pose, from, to;
  const char *relative;
  int base = within;
  if (!lwi_sdf_pose(x, e, &pose, &relative)) return false;
  if (relative && !find_or_fail(x, e, x->frame[within].model, relative, &base)) return false;
  if (!lwi_sdf_resolve(x, within, &to) || !lwi_sdf_resolve(x, base, &from)) return false;
  *out = base == within ? pose : lwi_frame_mul(lwi_frame_mul(lwi_frame_inverse(to), from), pose);
  return true;
}
