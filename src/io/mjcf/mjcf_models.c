/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_models.c -- the models that an MJCF file consists of: its own and those that are attached,
   each with its own compiler settings and default classes. */
#include "io/mjcf/mjcf.h"

#include <string.h>

static bool add_model(lwi_mjcf *x, const lwi_xml_element *root)
{
  if (!lwi_grow(&x->model, x->nmodel, &x->model_capacity, sizeof *x->model))
    return lwi_xml_no_memory(root, x->robot.err);
  x->model[x->nmodel++] = (lwi_mjcf_model){.root = root};
  return true;
}

static bool find_models(lwi_mjcf *x, const lwi_xml_element *parent)
{
  for (const lwi_xml_element *e = parent->first; e; e = e->next) {
    if (strcmp(e->name, "asset") == 0) continue; /* models as they were before they were attached */
    if (strcmp(e->name, "mujoco") == 0 && !add_model(x, e)) return false;
    if (!find_models(x, e)) return false;
  }
  return true;
}

bool lwi_mjcf_prepare(lwi_mjcf *x, lwi_xml_element *root, bool named)
{
  lwi_robot *r = &x->robot;
  lwi_mjcf_files files = {.arena = &r->arena,
                          .sources = r->options->sources,
                          .folder_of = named ? root->file : NULL,
                          .root = r->options->root,
                          .err = r->err};
  return lwi_mjcf_include(&files, root) && lwi_mjcf_attach(&files, root) && add_model(x, root) &&
         find_models(x, root);
}

void lwi_mjcf_use_model(lwi_mjcf *x, int model)
{
  x->current = model;
  x->compiler = x->model[model].compiler;
  x->main_class = x->model[model].main_class;
}

int lwi_mjcf_model_of(const lwi_mjcf *x, const lwi_xml_element *root)
{
  int i = 0;
  while (x->model[i].root != root)
    i++;
  return i;
}

const lwi_xml_element *lwi_mjcf_next_section(lwi_mjcf *x, const lwi_xml_element *at,
                                             const char *name)
{
  int i = at ? x->current : 0;
  const lwi_xml_element *e =
      at ? lwi_xml_find(at->next, name) : lwi_xml_child(x->model[0].root, name);
  while (!e && ++i < x->nmodel)
    e = lwi_xml_child(x->model[i].root, name);
  lwi_mjcf_use_model(x, e ? i : 0);
  return e;
}
