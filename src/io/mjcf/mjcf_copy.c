/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_copy.c -- copies of elements, in which names, and references to what is copied, get a prefix
   and a suffix. */
#include "io/mjcf/mjcf_files.h"

#include <stdio.h>
#include <string.h>

/* attributes that name bodies, joints and what acts on them */
static const char *const parts[] = {
    "body",       "body1",   "body2",    "joint",      "joint1", "joint2", "jointinparent",
    "tendon",     "tendon1", "tendon2",  "site",       "site1",  "site2",  "cranksite",
    "slidersite", "refsite", "sidesite", "geom",       "geom1",  "geom2",  "target",
    "actuator",   "objname", "refname",  "slidersite", NULL};
/* attributes that name what every model has of its own */
static const char *const assets[] = {"material", "mesh",       "hfield",   "texture",
                                     "class",    "childclass", "instance", NULL};

static bool is_one_of(const char *const list[], const char *name)
{
  for (; *list; list++)
    if (strcmp(*list, name) == 0) return true;
  return false;
}

static bool is_copied(const lwi_mjcf_copier *c, const char *name)
{
  return lwi_name_find(&c->names, name, strlen(name)) >= 0;
}

bool lwi_mjcf_note_names(lwi_mjcf_copier *c, const lwi_xml_element *e)
{
  const char *name = lwi_xml_get(e, "name");
  if (name && lwi_name_add(&c->names, name, strlen(name)) < 0)
    return lwi_xml_no_memory(e, c->files->err);
  for (const lwi_xml_element *inner = e->first; inner; inner = inner->next)
    if (!lwi_mjcf_note_names(c, inner)) return false;
  return true;
}

void lwi_mjcf_count_references(const lwi_mjcf_copier *c, const lwi_xml_element *e, int *copied,
                               int *other)
{
  for (const lwi_xml_attribute *a = e->attribute; a; a = a->next)
    if (is_one_of(parts, a->name)) ++*(is_copied(c, a->value) ? copied : other);
  for (const lwi_xml_element *inner = e->first; inner; inner = inner->next)
    lwi_mjcf_count_references(c, inner, copied, other);
}

const char *lwi_mjcf_rename(lwi_mjcf_copier *c, const char *name)
{
  const size_t size = strlen(c->prefix) + strlen(name) + strlen(c->suffix) + 1;
  char *text = LWI_TAKE(c->files->arena, size, char);
  if (text) snprintf(text, size, "%s%s%s", c->prefix, name, c->suffix);
  return text;
}

static const char *copy_value(lwi_mjcf_copier *c, const lwi_xml_attribute *a)
{
  const bool renamed = strcmp(a->name, "name") == 0 ||
                       (is_one_of(parts, a->name) && is_copied(c, a->value)) ||
                       (c->other_model && is_one_of(assets, a->name));
  return renamed ? lwi_mjcf_rename(c, a->value) : a->value;
}

bool lwi_mjcf_add_attribute(lwi_mjcf_copier *c, lwi_xml_element *e, const char *name,
                            const char *value)
{
  lwi_xml_attribute *a = LWI_TAKE(c->files->arena, 1, lwi_xml_attribute);
  if (!a) return lwi_xml_no_memory(e, c->files->err);
  *a = (lwi_xml_attribute){.name = name, .value = value, .next = e->attribute};
  e->attribute = a;
  return true;
}

static bool copy_attributes(lwi_mjcf_copier *c, const lwi_xml_element *from, lwi_xml_element *to)
{
  const lwi_xml_attribute **last = &to->attribute;
  for (const lwi_xml_attribute *a = from->attribute; a; a = a->next) {
    lwi_xml_attribute *copy = LWI_TAKE(c->files->arena, 1, lwi_xml_attribute);
    if (!copy || !(copy->value = copy_value(c, a))) return lwi_xml_no_memory(from, c->files->err);
    copy->name = a->name;
    *last = copy;
    last = &copy->next;
  }
  return true;
}

lwi_xml_element *lwi_mjcf_add_element(lwi_mjcf_copier *c, const char *name, lwi_xml_element *like,
                                      lwi_xml_element *parent)
{
  lwi_xml_element *e = LWI_TAKE(c->files->arena, 1, lwi_xml_element);
  if (!e) return lwi_xml_no_memory(like, c->files->err), NULL;
  *e = (lwi_xml_element){.name = name,
                         .file = like->file,
                         .line = like->line,
                         .column = like->column,
                         .text = "",
                         .parent = parent};
  if (parent->last)
    parent->last->next = e;
  else
    parent->first = e;
  return parent->last = e;
}

static bool is_too_deep(const lwi_xml_element *e)
{
  int depth = 0;
  for (; e; e = e->parent)
    depth++;
  return depth > LWI_XML_MAX_DEPTH;
}

lwi_xml_element *lwi_mjcf_copy(lwi_mjcf_copier *c, const lwi_xml_element *e,
                               lwi_xml_element *parent)
{
  lwi_mjcf_files *f = c->files;
  if (++f->ncopy > LWI_XML_MAX_PARTS)
    return lwi_xml_fail(e, f->err, "attach and replicate make more than 2,000,000 elements"), NULL;
  if (is_too_deep(parent))
    return lwi_xml_fail(e, f->err, "elements are nested more than 200 deep"), NULL;
  lwi_xml_element *copy = LWI_TAKE(f->arena, 1, lwi_xml_element);
  if (!copy) return lwi_xml_no_memory(e, f->err), NULL;
  *copy = *e;
  copy->parent = parent;
  copy->first = copy->last = copy->next = NULL;
  copy->attribute = NULL;
  if (!copy_attributes(c, e, copy)) return NULL;
  const bool other_model = c->other_model;
  c->other_model = other_model || strcmp(e->name, "mujoco") == 0; /* one that is attached in e */
  for (const lwi_xml_element *inner = e->first; inner; inner = inner->next)
    if (!lwi_mjcf_copy(c, inner, copy)) return NULL;
  c->other_model = other_model;
  if (parent->last)
    parent->last->next = copy;
  else
    parent->first = copy;
  return parent->last = copy;
}
