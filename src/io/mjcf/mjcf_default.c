/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_default.c -- default classes: attributes that an element does not have are those of its
   class, or of the classes around that. */
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

static bool add_class(lwi_mjcf *x, const lwi_xml_element *e, const char *name, int parent)
{
  lwi_robot *r = &x->robot;
  if (!lwi_grow(&x->classes, x->nclass, &x->class_capacity, sizeof *x->classes))
    return lwi_xml_no_memory(e, r->err);
  const int at = lwi_name_add(&x->class_names, name, strlen(name));
  if (at < 0) return lwi_xml_no_memory(e, r->err);
  if (at < x->nclass)
    return lwi_xml_fail(e, r->err, "there is a default class \"%.80s\" already", name);
  x->classes[x->nclass++] = (lwi_mjcf_class){name, e, parent};
  return true;
}

static bool read_class(lwi_mjcf *x, const lwi_xml_element *e, int parent)
{
  const char *name = lwi_xml_get(e, "class");
  if (!name) return lwi_xml_fail(e, x->robot.err, "a default class needs a name: class=\"...\"");
  const int at = x->nclass;
  if (!add_class(x, e, name, parent)) return false;
  const lwi_xml_element *inner = lwi_xml_child(e, "default");
  for (; inner; inner = lwi_xml_find(inner->next, "default"))
    if (!read_class(x, inner, at)) return false;
  return true;
}

/* The outermost <default> may be there several times: all of them are one class, main. */
static bool read_classes_of(lwi_mjcf *x, lwi_mjcf_model *m)
{
  const lwi_xml_element *first = lwi_xml_child(m->root, "default"), *e = first;
  const char *name = lwi_xml_get(e, "class");
  m->main_class = -1;
  if (!first && x->nclass > 0) return true; /* an attached model without any */
  m->main_class = x->nclass;
  if (!add_class(x, e ? e : m->root, name ? name : "main", -1)) return false;
  x->classes[m->main_class].element = first;
  for (; e; e = lwi_xml_find(e->next, "default")) {
    const lwi_xml_element *inner = lwi_xml_child(e, "default");
    for (; inner; inner = lwi_xml_find(inner->next, "default"))
      if (!read_class(x, inner, m->main_class)) return false;
  }
  return true;
}

bool lwi_mjcf_read_classes(lwi_mjcf *x)
{
  for (int i = 0; i < x->nmodel; i++)
    if (!read_classes_of(x, &x->model[i])) return false;
  lwi_mjcf_use_model(x, 0);
  return true;
}

bool lwi_mjcf_find_class(lwi_mjcf *x, const lwi_xml_element *e, const char *key, int within,
                         int *class)
{
  const char *name = lwi_xml_get(e, key);
  *class = within;
  if (!name) return true;
  const int found = lwi_name_find(&x->class_names, name, strlen(name));
  if (found < 0) return lwi_mjcf_leave_out(x, e, name);
  *class = found;
  return true;
}

bool lwi_mjcf_item_of(lwi_mjcf *x, const lwi_xml_element *e, const char *kind, int within,
                      lwi_mjcf_item *out)
{
  *out = (lwi_mjcf_item){e, kind, -1};
  return lwi_mjcf_find_class(x, e, "class", within, &out->class);
}

/* Of the elements of a class the last one that has the attribute counts. */
static const char *get_of_class(const lwi_xml_element *e, const char *kind, const char *name)
{
  const char *value = NULL;
  const lwi_xml_element *found = lwi_xml_child(e, kind);
  for (; found; found = lwi_xml_find(found->next, kind)) {
    const char *here = lwi_xml_get(found, name);
    if (here) value = here;
  }
  return value;
}

const char *lwi_mjcf_get(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name)
{
  const char *value = lwi_xml_get(item->element, name);
  for (int c = item->class; !value && c >= 0; c = x->classes[c].parent) {
    const lwi_xml_element *e = x->classes[c].element;
    if (x->classes[c].parent >= 0)
      value = get_of_class(e, item->kind, name);
    else
      for (; e && !value; e = lwi_xml_find(e->next, "default"))
        value = get_of_class(e, item->kind, name);
  }
  return value;
}

int lwi_mjcf_numbers(lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, int most,
                     double out[])
{
  const char *text = lwi_mjcf_get(x, item, name);
  return text ? lwi_xml_numbers(item->element, name, text, most, out, x->robot.err) : 0;
}

bool lwi_mjcf_read(lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, int n, double out[])
{
  double found[16];
  const int count = lwi_mjcf_numbers(x, item, name, n, found);
  if (count < 0) return false;
  if (count == 0) return true;
  if (count != n)
    return lwi_xml_fail(item->element, x->robot.err, "%s needs %d number%s, found %d", name, n,
                        n == 1 ? "" : "s", count);
  memcpy(out, found, (size_t)n * sizeof *out);
  return true;
}

bool lwi_mjcf_flag(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name, bool automatic)
{
  const char *value = lwi_mjcf_get(x, item, name);
  if (!value || strcmp(value, "auto") == 0) return automatic;
  return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
}
