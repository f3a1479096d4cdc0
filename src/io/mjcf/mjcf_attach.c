/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_attach.c -- attached models and replicas, written out.  What refers to copied parts in other
   sections, such as actuators, is copied with them. */
#include "io/mjcf/mjcf_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPLICAS = 10000 };

/* sections whose elements refer to parts of bodies, or to elements of those before */
static const char *const referring[] = {"tendon", "actuator", "equality", "contact", "sensor"};
enum { NREFERRING = sizeof referring / sizeof *referring };

static bool is(const lwi_xml_element *e, const char *name)
{
  return strcmp(e->name, name) == 0;
}

/* The first element of one of both kinds and this name in e, or NULL. */
static lwi_xml_element *find_in(lwi_xml_element *e, const char *kind, const char *name)
{
  const char *given = lwi_xml_get(e, "name");
  if (is(e, kind) && given && strcmp(given, name) == 0) return e;
  for (lwi_xml_element *inner = e->first; inner; inner = inner->next) {
    lwi_xml_element *found = find_in(inner, kind, name);
    if (found) return found;
  }
  return NULL;
}

static lwi_xml_element *find_in_world(lwi_xml_element *root, const char *kind, const char *name)
{
  for (lwi_xml_element *e = root->first; e; e = e->next) {
    lwi_xml_element *found = is(e, "worldbody") ? find_in(e, kind, name) : NULL;
    if (found) return found;
  }
  return NULL;
}

static bool is_within(const lwi_xml_element *e, const lwi_xml_element *outer)
{
  while (e && e != outer)
    e = e->parent;
  return e != NULL;
}

/* ---- what refers to copied parts ---- */

/* Elements of `from` that refer to copied parts only become elements of a new section of `to`. */
static bool copy_section(lwi_mjcf_copier *c, lwi_xml_element *from, lwi_xml_element *to)
{
  lwi_xml_element *section = NULL, *end = from->last;
  for (lwi_xml_element *e = from->first; e; e = e == end ? NULL : e->next) {
    int copied = 0, other = 0;
    lwi_mjcf_count_references(c, e, &copied, &other);
    if (copied == 0 || other > 0) continue;
    if (!section && !(section = lwi_mjcf_add_element(c, from->name, from, to))) return false;
    if (!lwi_mjcf_note_names(c, e) || !lwi_mjcf_copy(c, e, section)) return false;
  }
  return true;
}

static bool copy_referring(lwi_mjcf_copier *c, lwi_xml_element *from, lwi_xml_element *to)
{
  lwi_xml_element *end = from->last; /* `to` may be the same root */
  for (int i = 0; i < NREFERRING; i++)
    for (lwi_xml_element *e = from->first; e; e = e == end ? NULL : e->next)
      if (is(e, referring[i]) && !copy_section(c, e, to)) return false;
  return true;
}

/* ---- attach ---- */

/* A copy outside of what it was in has the class that it had there. */
static bool copy_selected(lwi_mjcf_copier *c, lwi_xml_element *selected, lwi_xml_element *to)
{
  const char *class = NULL;
  if (!lwi_mjcf_note_names(c, selected)) return false;
  lwi_xml_element *copy = lwi_mjcf_copy(c, selected, to);
  if (!copy) return false;
  for (lwi_xml_element *e = selected; e && !class; e = e->parent)
    class = lwi_xml_get(e, "childclass");
  if (!class || lwi_xml_get(copy, "childclass")) return true;
  if (c->other_model) class = lwi_mjcf_rename(c, class);
  return class ? lwi_mjcf_add_attribute(c, copy, "childclass", class)
               : lwi_xml_no_memory(selected, c->files->err);
}

/* What has no name in the file gets one that differs from those of other models: a mesh that of its
   file, the outermost class that of MuJoCo. */
static bool name_copy(lwi_mjcf_copier *c, lwi_xml_element *e, const char *key, const char *name)
{
  const char *text = name ? lwi_mjcf_rename(c, name) : NULL;
  return text ? lwi_mjcf_add_attribute(c, e, key, text) : lwi_xml_no_memory(e, c->files->err);
}

static bool copy_assets(lwi_mjcf_copier *c, lwi_xml_element *from, lwi_xml_element *to)
{
  for (const lwi_xml_element *e = from->first; e; e = e->next) {
    const char *file = lwi_xml_get(e, "file");
    if (is(e, "model")) continue;
    if (!lwi_mjcf_copy(c, e, to)) return false;
    if (file && !lwi_xml_get(e, "name") &&
        !name_copy(c, to->last, "name", lwi_mjcf_stem(c->files->arena, file)))
      return false;
  }
  return true;
}

/* Compiler settings, classes, assets and keyframes of the model. */
static bool copy_settings(lwi_mjcf_copier *c, lwi_xml_element *from, lwi_xml_element *to)
{
  for (lwi_xml_element *e = from->first; e; e = e->next) {
    const bool defaults = is(e, "default"), as_it_is = is(e, "compiler") || is(e, "keyframe");
    if (is(e, "asset")) {
      lwi_xml_element *section = lwi_mjcf_add_element(c, e->name, e, to);
      if (!section || !copy_assets(c, e, section)) return false;
    }
    if ((defaults || as_it_is) && !lwi_mjcf_copy(c, e, to)) return false;
    if (defaults && !lwi_xml_get(e, "class") && !name_copy(c, to->last, "class", "main"))
      return false;
  }
  return true;
}

/* The copy of a model, with one body or frame of it or with all of its world, in e. */
static bool attach_model(lwi_mjcf_copier *c, lwi_xml_element *e, lwi_xml_element *model,
                         lwi_xml_element *selected)
{
  lwi_xml_element *root = lwi_mjcf_add_element(c, "mujoco", model, e);
  if (!root || !copy_settings(c, model, root)) return false;
  lwi_xml_element *world = lwi_mjcf_add_element(c, "worldbody", model, root);
  if (!world) return false;
  if (selected && !copy_selected(c, selected, world)) return false;
  for (lwi_xml_element *w = selected ? NULL : model->first; w; w = w->next)
    for (lwi_xml_element *part = is(w, "worldbody") ? w->first : NULL; part; part = part->next)
      if (!lwi_mjcf_note_names(c, part) || !lwi_mjcf_copy(c, part, world)) return false;
  return copy_referring(c, model, root);
}

/* The root of the model asset of this name; NULL: there is none. */
static lwi_xml_element *find_model(lwi_xml_element *root, const char *name)
{
  for (lwi_xml_element *asset = root->first; asset; asset = asset->next)
    for (lwi_xml_element *e = is(asset, "asset") ? asset->first : NULL; e; e = e->next) {
      if (!is(e, "model") || !e->first) continue;
      const char *given = lwi_xml_get(e, "name");
      if (!given) given = lwi_xml_get(e->first, "model");
      if (given && strcmp(given, name) == 0) return e->first;
    }
  return NULL;
}

static bool expand(lwi_mjcf_files *f, lwi_xml_element *root, lwi_xml_element *parent);

/* An element that stays <attach> names what is not there, and will be listed. */
static bool attach(lwi_mjcf_files *f, lwi_xml_element *root, lwi_xml_element *e)
{
  const char *name = lwi_xml_get(e, "model"), *prefix = lwi_xml_get(e, "prefix");
  const char *body = lwi_xml_get(e, "body"), *part = body ? body : lwi_xml_get(e, "frame");
  lwi_mjcf_copier c = {
      .files = f, .prefix = prefix ? prefix : "", .suffix = "", .other_model = name};
  lwi_xml_element *model = name ? find_model(root, name) : root;
  lwi_xml_element *selected =
      model && part ? find_in_world(model, body ? "body" : "frame", part) : NULL;
  if (!model || (part ? !selected : !name) || is_within(e, selected)) return true;
  e->name = "attached";
  bool ok = name || expand(f, root, selected->parent);
  if (ok)
    ok = name ? attach_model(&c, e, model, selected)
              : copy_selected(&c, selected, e) && copy_referring(&c, root, root);
  lwi_name_index_free(&c.names);
  return ok;
}

/* ---- replicate ---- */

/* The suffix of replica i of n: a number of as many digits as the last one has. */
static const char *suffix_of(lwi_mjcf_files *f, const lwi_xml_element *e, int i, int n)
{
  char text[80];
  const char *separator = lwi_xml_get(e, "sep");
  const int digits = snprintf(NULL, 0, "%d", n - 1);
  snprintf(text, sizeof text, "%.20s%0*d", separator ? separator : "", digits, i);
  const char *suffix = lwi_arena_text(f->arena, text);
  if (!suffix) lwi_xml_no_memory(e, f->err);
  return suffix;
}

/* Each element that refers to a copied part becomes n elements in its place. */
static bool replicate_referring(lwi_mjcf_copier *c, lwi_xml_element *section,
                                const lwi_xml_element *e, int n)
{
  lwi_xml_element *old = section->first;
  section->first = section->last = NULL;
  for (lwi_xml_element *next; old; old = next) {
    int copied = 0, other = 0;
    next = old->next;
    lwi_mjcf_count_references(c, old, &copied, &other);
    if (copied && !lwi_mjcf_note_names(c, old)) return false;
    for (int i = 0; copied && i < n; i++)
      if (!(c->suffix = suffix_of(c->files, e, i, n)) || !lwi_mjcf_copy(c, old, section))
        return false;
    if (copied) continue;
    old->next = NULL;
    if (section->last)
      section->last->next = old;
    else
      section->first = old;
    section->last = old;
  }
  return true;
}

static bool copy_replicas(lwi_mjcf_copier *c, lwi_xml_element *root, lwi_xml_element *e, int n)
{
  lwi_xml_element *original = e->first;
  e->first = e->last = NULL;
  for (const lwi_xml_element *part = original; part; part = part->next)
    if (!lwi_mjcf_note_names(c, part)) return false;
  for (int i = 0; i < n; i++) {
    lwi_xml_element *replica = lwi_mjcf_add_element(c, "replica", e, e);
    if (!replica || !(c->suffix = suffix_of(c->files, e, i, n))) return false;
    for (const lwi_xml_element *part = original; part; part = part->next)
      if (!lwi_mjcf_copy(c, part, replica)) return false;
  }
  for (int i = 0; i < NREFERRING; i++)
    for (lwi_xml_element *s = root->first; s; s = s->next)
      if (is(s, referring[i]) && !replicate_referring(c, s, e, n)) return false;
  return true;
}

static bool replicate(lwi_mjcf_files *f, lwi_xml_element *root, lwi_xml_element *e)
{
  double count = 0;
  lwi_mjcf_copier c = {.files = f, .prefix = "", .suffix = ""};
  if (!lwi_xml_number(e, "count", &count, f->err)) return false;
  if (!(count >= 1 && count <= MOST_REPLICAS))
    return lwi_xml_fail(e, f->err, "count must be 1 to %d", MOST_REPLICAS);
  e->name = "replicas";
  const bool ok = copy_replicas(&c, root, e, (int)count);
  lwi_name_index_free(&c.names);
  return ok;
}

/* ---- the whole ---- */

/* Inner ones first, so that what they made is copied too. */
static bool expand(lwi_mjcf_files *f, lwi_xml_element *root, lwi_xml_element *parent)
{
  for (lwi_xml_element *e = parent->first; e; e = e->next) {
    if (!is(e, "mujoco") && !expand(f, root, e)) return false;
    if (is(e, "attach") && !attach(f, root, e)) return false;
    if (is(e, "replicate") && !replicate(f, root, e)) return false;
  }
  return true;
}

/* The files of <model>, with what is attached in them, as their elements. */
static bool open_models(lwi_mjcf_files *f, lwi_xml_element *asset)
{
  for (lwi_xml_element *e = asset->first; e; e = e->next) {
    if (!is(e, "model") || e->first) continue;
    lwi_xml_element *root = lwi_mjcf_open(f, e);
    if (!root) return false;
    if (!is(root, "mujoco"))
      return lwi_xml_fail(e, f->err, "\"%.100s\" is not MJCF, and cannot be attached",
                          lwi_xml_get(e, "file"));
    if (!lwi_mjcf_attach(f, root)) return false;
    e->first = e->last = root;
  }
  return true;
}

bool lwi_mjcf_attach(lwi_mjcf_files *f, lwi_xml_element *root)
{
  for (lwi_xml_element *e = root->first; e; e = e->next)
    if (is(e, "asset") && !open_models(f, e)) return false;
  for (lwi_xml_element *e = root->first; e; e = e->next)
    if (is(e, "worldbody") && !expand(f, root, e)) return false;
  return true;
}
