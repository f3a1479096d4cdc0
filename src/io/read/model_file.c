/* SPDX-License-Identifier: Apache-2.0 */
/* model_file.c -- lw_spec_load and lw_spec_parse: choose the reader of a model file by its
   contents. */
#include "io/file/file_kind.h"
#include "io/file/file_text.h"
#include "io/file/sources.h"
#include "io/read/model_format.h"
#include "linkwork/file.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* The first that recognises the text reads it; YAML comes last, as nearly any text is YAML. */
static const lwi_model_format *const formats[] = {
    &lwi_urdf_format, &lwi_mjcf_format, &lwi_sdf_format, &lwi_asmt_format, &lwi_yaml_format};

static const lwi_model_format *find_format(const char *text, size_t length)
{
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i]->recognises(text, length)) return formats[i];
  return NULL;
}

/* What the reader makes no use of. */
static void note_ignored(const lwi_model_format *f, const lw_load_options *o, lw_spec *s)
{
  char text[240];
  static const char *const floating = "floating-base has no effect: this is no robot file",
                           *const inertia = "inertia has no effect: this is no robot file";
  if (!f->robot && o->floating_base) lw_spec_add_note(s, floating);
  if (!f->robot && o->inertia != LW_INERTIA_AUTO) lw_spec_add_note(s, inertia);
  if (!f->keys && o->root) lw_spec_add_note(s, "root has no effect: this is no MJCF file");
  if (f->keys || !o->key) return;
  snprintf(text, sizeof text, "key \"%.100s\" has no effect: only MJCF files have keyframes",
           o->key);
  lw_spec_add_note(s, text);
}

lw_spec *lw_spec_parse_with(const char *text, size_t length, const char *name,
                            const lw_load_options *options, lw_error *err)
{
  lw_error unused;
  const char *file = name ? name : "model";
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!text)
    return lwi_file_fail(err, LW_E_ARG, (lwi_position){.file = file}, "lw_spec_parse: no text"),
           NULL;
  const lwi_model_format *format = find_format(text, length);
  const lw_load_options defaults = {0};
  if (!format) {
    lwi_file_kind_fail(err, LW_E_MODEL, (lwi_position){file, 1, 1}, text, length, "a model");
    return NULL;
  }
  if (!options) options = &defaults;
  lw_spec *spec = format->read(text, length, name, options, err);
  if (spec) note_ignored(format, options, spec);
  return spec;
}

lw_spec *lw_spec_parse(const char *text, size_t length, const char *name, lw_error *err)
{
  return lw_spec_parse_with(text, length, name, NULL, err);
}

lw_spec *lw_spec_load_with(const char *path, const lw_load_options *options, lw_error *err)
{
  char *text;
  size_t length;
  const lwi_position nowhere = {.file = "lw_spec_load"};
  if (!path) return lwi_file_fail(err, LW_E_ARG, nowhere, "no path"), NULL;
  lw_sources *sources = options ? options->sources : NULL;
  if (lwi_sources_read(sources, path, &text, &length, err) != LW_OK) return NULL;
  lw_spec *spec = lw_spec_parse_with(text, length, path, options, err);
  free(text);
  return spec;
}

lw_spec *lw_spec_load(const char *path, lw_error *err)
{
  return lw_spec_load_with(path, NULL, err);
}
