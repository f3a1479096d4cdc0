/* SPDX-License-Identifier: Apache-2.0 */
/* sdf_model.c -- lists models, nested and included ones too, with their links, joints and
   frames. */
#include "io/sdf/sdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 200, DEEPEST = 50 };

typedef struct {
  int model;          /* frame; -1: the world */
  const char *prefix; /* of names in the whole */
  int version;
  bool fixed;
  int depth;
} scope;

static bool list_in(lwi_sdf *x, const lwi_xml_element *parent, const scope *s);

static const char *joined(lwi_sdf *x, const char *a, const char *b)
{
  const size_t size = strlen(a) + strlen(b) + 3;
  char *text = LWI_TAKE(&x->robot.arena, size, char);
  if (text) snprintf(text, size, "%s%s%s", a, *a ? "::" : "", b);
  return text;
}

static bool add(lwi_sdf *x, lwi_sdf_frame f, const scope *s, int *number)
{
  if (!f.name || !*f.name) return lwi_xml_fail(f.element, x->robot.err, "it has no name");
  f.model = s->model;
  f.version = s->version;
  if (!f.placed) f.placed = f.element;
  if (!(f.full = joined(x, s->prefix, f.name))) return lwi_xml_no_memory(f.element, x->robot.err);
  f.first_link = f.link = -1;
  return lwi_sdf_add_frame(x, &f, number);
}

/* The first link of a model is that of all models around it that have none so far. */
static bool add_link(lwi_sdf *x, const lwi_xml_element *e, const scope *s)
{
  int frame;
  if (!add(x, (lwi_sdf_frame){LWI_SDF_LINK, .element = e, .name = lwi_xml_get(e, "name")}, s,
           &frame))
    return false;
  if (!lwi_grow(&x->link, x->nlink, &x->link_capacity, sizeof *x->link))
    return lwi_xml_no_memory(e, x->robot.err);
  x->frame[frame].link = x->nlink;
  x->frame[frame].fixed = s->fixed;
  for (int m = s->model; m >= 0; m = x->frame[m].model)
    if (x->frame[m].first_link < 0) x->frame[m].first_link = x->nlink;
  x->link[x->nlink++] = frame;
  return true;
}

static bool add_joint(lwi_sdf *x, const lwi_xml_element *e, const scope *s)
{
  int frame;
  if (!add(x, (lwi_sdf_frame){LWI_SDF_JOINT, .element = e, .name = lwi_xml_get(e, "name")}, s,
           &frame))
    return false;
  if (!lwi_grow(&x->joint, x->njoint, &x->joint_capacity, sizeof *x->joint))
    return lwi_xml_no_memory(e, x->robot.err);
  x->joint[x->njoint++] = (lwi_sdf_joint){.frame = frame};
  return true;
}

static bool add_model(lwi_sdf *x, const lwi_xml_element *e, const lwi_xml_element *include,
                      const scope *s)
{
  int frame;
  const char *name = include ? lwi_sdf_text(x, include, "name") : NULL;
  const lwi_xml_element *placed = include && lwi_xml_child(include, "pose") ? include : e;
  if (!name) name = lwi_xml_get(e, "name");
  if (s->depth > DEEPEST) return lwi_xml_fail(e, x->robot.err, "models are nested too deep");
  if (!add(x, (lwi_sdf_frame){LWI_SDF_MODEL, .element = e, .placed = placed, .name = name}, s,
           &frame))
    return false;
  const scope inner = {.model = frame,
                       .prefix = x->frame[frame].full,
                       .version = s->version,
                       .fixed = s->fixed || lwi_sdf_flag(e, "static") ||
                                (include && lwi_sdf_flag(include, "static")),
                       .depth = s->depth + 1};
  return list_in(x, e, &inner);
}

/* ---- included files ---- */

int lwi_sdf_version(const lwi_xml_element *root)
{
  const char *text = root ? lwi_xml_get(root, "version") : NULL;
  int minor = 0;
  if (!text || strncmp(text, "1.", 2) != 0) return 7;
  for (text += 2; *text >= '0' && *text <= '9' && minor < 100; text++)
    minor = 10 * minor + *text - '0';
  return minor;
}

/* The model of a file, or of the folder that holds it. */
static const lwi_xml_element *read_included(lwi_sdf *x, const lwi_xml_element *e, const char *uri,
                                            int *version, bool *ok)
{
  static const char *const names[] = {"", "/model.sdf"};
  char *text;
  size_t length;
  bool found = false;
  const char *path = NULL;
  char written[1000];
  *ok = true;
  for (int i = 0; i < 2 && !found; i++) {
    snprintf(written, sizeof written, "%.900s%s", uri, names[i]);
    if (!(path = lwi_robot_find_file(&x->robot, x->robot.root->file, written, &found)))
      return *ok = lwi_xml_no_memory(e, x->robot.err), NULL;
  }
  if (!found || ++x->nincluded > MOST_FILES) return NULL;
  if (lwi_file_read(path, &text, &length, NULL) != LW_OK) return NULL;
  const lwi_xml_element *root = lwi_xml_parse(&x->robot.arena, text, length, path, x->robot.err);
  free(text);
  *ok = root != NULL;
  *version = lwi_sdf_version(root);
  return lwi_xml_child(root, "model");
}

static bool add_included(lwi_sdf *x, const lwi_xml_element *e, const scope *s)
{
  scope inner = *s;
  bool ok;
  const char *uri = lwi_sdf_text(x, e, "uri");
  const lwi_xml_element *model =
      uri ? read_included(x, e, uri, &inner.version, &ok) : (ok = true, NULL);
  if (!ok) return false;
  if (!model) return lwi_listing_add(&x->not_found, uri ? uri : "(no uri)"), true;
  return add_model(x, model, e, &inner);
}

static bool list_in(lwi_sdf *x, const lwi_xml_element *parent, const scope *s)
{
  for (const lwi_xml_element *e = parent->first; e; e = e->next) {
    int unused;
    bool ok = true;
    if (strcmp(e->name, "model") == 0) ok = add_model(x, e, NULL, s);
    if (strcmp(e->name, "include") == 0) ok = add_included(x, e, s);
    if (strcmp(e->name, "link") == 0 && s->model >= 0) ok = add_link(x, e, s);
    if (strcmp(e->name, "joint") == 0) ok = add_joint(x, e, s);
    if (strcmp(e->name, "frame") == 0)
      ok = add(x, (lwi_sdf_frame){LWI_SDF_FRAME, .element = e, .name = lwi_xml_get(e, "name")}, s,
               &unused);
    if (!ok) return false;
  }
  return true;
}

static int count_models(const lwi_xml_element *e)
{
  int n = 0;
  for (e = e ? e->first : NULL; e; e = e->next)
    n += strcmp(e->name, "model") == 0 || strcmp(e->name, "include") == 0;
  return n;
}

/* A single model needs no name before those of its parts. */
static void shorten_names(lwi_sdf *x)
{
  for (int i = 0; i < x->nframe; i++) {
    const char *behind = strstr(x->frame[i].full, "::");
    if (behind) x->frame[i].full = behind + 2;
  }
}

bool lwi_sdf_list(lwi_sdf *x)
{
  lwi_robot *r = &x->robot;
  const lwi_xml_element *world = lwi_xml_child(r->root, "world"), *outer = world ? world : r->root;
  double gravity[3] = {0, 0, world ? -9.8 : -9.81};
  const scope s = {.model = -1, .prefix = "", .version = lwi_sdf_version(r->root)};
  /* up to 1.4 it is a part of <physics> */
  if (!lwi_sdf_read(x, lwi_xml_child(world, "physics"), "gravity", 3, gravity) ||
      !lwi_sdf_read(x, world, "gravity", 3, gravity) || !list_in(x, outer, &s))
    return false;
  lw_set_gravity(r->spec, gravity[0], gravity[1], gravity[2]);
  const lwi_xml_element *named = world ? world : lwi_xml_child(r->root, "model");
  lw_set_name(r->spec, lwi_xml_get(named, "name"));
  if (count_models(outer) == 1) shorten_names(x);
  if (x->nlink == 0 && x->not_found.n)
    return lwi_xml_fail(r->root, r->err,
                        "it has no links: the models that it includes are not there: %s",
                        lwi_listing_text(&x->not_found));
  return x->nlink > 0 || lwi_xml_fail(r->root, r->err, "it has no links");
}
