/* SPDX-License-Identifier: Apache-2.0 */
/* model_reader.c -- the reader of YAML (and JSON): a model file becomes a spec.

   Text to tree (yaml_document), tree to builder calls (read_*.c), section by section in the
   order in which parts name one another, whatever their order in the file. */
#define _POSIX_C_SOURCE 200809L
#include "io/read/expand.h"
#include "io/file/file_kind.h"
#include "io/file/file_text.h"
#include "io/read/model_format.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "base/arena.h"
#include "linkwork/file.h"
#include "linkwork/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the first lines ---- */

static bool read_version(lwi_reader *r, const lwi_yaml_node *value)
{
  if (value->kind == LWI_YAML_SCALAR && strcmp(value->text, "1") == 0) return true;
  return lwi_read_expected(r, value, "the format version 1");
}

static bool read_planar(lwi_reader *r, const lwi_yaml_node *value)
{
  if (!lwi_read_bool(r, value, &r->planar)) return false;
  if (r->planar) lw_set_planar(r->spec);
  return lwi_read_check(r);
}

static bool read_model_name(lwi_reader *r, const lwi_yaml_node *value)
{
  const char *name;
  if (!lwi_read_text(r, value, &name)) return false;
  lw_set_name(r->spec, name);
  return lwi_read_check(r);
}

static bool read_gravity(lwi_reader *r, const lwi_yaml_node *value)
{
  double g[3];
  if (!lwi_read_vector(r, value, g)) return false;
  lw_set_gravity(r->spec, g[0], g[1], g[2]);
  return lwi_read_check(r);
}

/* ---- sections, in the order in which they are read ---- */

const lwi_section_key lwi_section_keys[] = {
    {"linkwork", read_version, false, "1", NULL, "version of the format"},
    {"planar", read_planar, false, "boolean", "false", "a model in the x-y plane (7.1)"},
    {"name", read_model_name, false, "text", "none", "of the model, for titles"},
    /* these before the expressions that call them */
    {"tables", lwi_read_tables, true, "mapping of tables", "none", "functions by points (1.10)"},
    {"functions", lwi_read_functions, true, "mapping of functions", "none",
     "functions of the model (1.9)"},
    {"gravity", read_gravity, false, "vector", "[0, 0, -9.81]", "acceleration of free fall"},
    {"parameters", lwi_read_parameters, true, "mapping of parameters", "none",
     "numbers with names (1.4)"},
    {"bodies", lwi_read_bodies, true, "mapping of bodies", "none", "rigid bodies"},
    {"points", lwi_read_points, true, "mapping of points", "none", "named frames of bodies"},
    {"shapes", lwi_read_shapes, true, "list of shapes", "none", "what bodies look like (15.1)"},
    {"joints", lwi_read_joints, true, "mapping of joints", "none", "joints and constraints"},
    {"contacts", lwi_read_contacts, true, "mapping of contacts", "none",
     "bodies that may touch (14.1)"},
    /* before forces, which may act on what events connect */
    {"events", lwi_read_events, true, "list of events", "none", "changes at an instant"},
    {"forces", lwi_read_forces, true, "mapping of forces", "none", "springs, motors and loads"},
    {"inputs", lwi_read_inputs, true, "mapping of expressions", "none",
     "values that the caller sets"},
    {"states", lwi_read_states, true, "mapping of states", "none",
     "of controllers and actuators: integrated or sampled"},
    {"outputs", lwi_read_outputs, true, "mapping of expressions", "none", "result columns"},
    {"simulation", lwi_read_simulation, true, "simulation", "none", "settings of runs"},
    {"sensitivity", lwi_read_sensitivity, true, "sensitivity", "none", "what `sens` computes"},
    {"study", lwi_read_study, true, "study", "none", "which cases `sweep` computes (16)"},
    {"include", NULL, true, "include or list of includes or mapping of includes", "none",
     "parts from other files (10.1)"},
    {"repeat", NULL, true, "repeat or list of repeats", "none", "parts by counting (10.6)"},
    {"mirror", NULL, true, "mirror or list of mirrors", "none", "a left and a right side (10.9)"},
    {NULL, NULL, false, NULL, NULL, NULL},
};
enum { SECTIONS = LWI_COUNT(lwi_section_keys) - 1 };

static bool check_keys(lwi_reader *r, const lwi_yaml_node *root)
{
  const char *names[SECTIONS];
  for (int k = 0; k < SECTIONS; k++)
    names[k] = lwi_section_keys[k].key;
  for (int i = 0; i < root->count; i++) {
    const lwi_yaml_node *key = root->entry[i].key;
    int k = 0;
    while (k < SECTIONS && strcmp(names[k], key->text) != 0)
      k++;
    if (k == SECTIONS) return lwi_read_unknown(r, key, "key", names, k);
  }
  return true;
}

static const lwi_yaml_node *find_map(const lwi_yaml_node *root, const char *key)
{
  const lwi_yaml_node *section = lwi_yaml_find(root, key);
  return section && section->kind == LWI_YAML_MAP ? section : NULL;
}

static bool read_model(lwi_reader *r, const lwi_yaml_node *root, const char *other_kind,
                       lwi_included_files *files)
{
  const bool map = root->kind == LWI_YAML_MAP;
  if (other_kind && (!map || !lwi_yaml_find(root, "linkwork")))
    return lwi_read_fail(r, root, "%s", other_kind);
  if (!map)
    return lwi_read_fail(r, root, "a model file is a mapping that has `linkwork: 1`, not a %s",
                         root->kind == LWI_YAML_LIST ? "list" : "text");
  if (!lwi_yaml_find(root, "linkwork"))
    return lwi_read_fail(r, root, "`linkwork: 1` is missing: this is not a model file");
  const lwi_yaml_node *planar = lwi_yaml_find(root, "planar");
  r->planar = planar && planar->kind == LWI_YAML_SCALAR && strcmp(planar->text, "true") == 0;
  if (!(root = lwi_expand(r, r->scopes->doc, files))) return false;
  if (!check_keys(r, root)) return false;
  r->parameters = find_map(root, "parameters");
  r->bodies = find_map(root, "bodies");
  r->points = find_map(root, "points");
  r->joints = find_map(root, "joints");
  r->forces = find_map(root, "forces");
  for (int k = 0; k < SECTIONS; k++) {
    const lwi_yaml_node *value = lwi_yaml_find(root, lwi_section_keys[k].key);
    const lwi_section_key *section = &lwi_section_keys[k];
    if (!value || (section->may_be_empty && lwi_read_is_empty(value))) continue;
    r->key = lwi_section_keys[k].key;
    if (section->read && !section->read(r, value)) return false;
  }
  return true;
}

/* ---- the format ---- */

/* the scope of the model file itself */
static lwi_scope model_scope(const lw_sources *sources, const char *file)
{
  struct stat found;
  lwi_scope scope = {.file = file, .parent = -1, .sign = {1, 1, 1}};
  if (lwi_expand_stat(sources, file, &found))
    scope.device = found.st_dev, scope.inode = found.st_ino;
  return scope;
}

static lw_spec *read_document(lwi_yaml_document *doc, const char *name, const char *other_kind,
                              lw_sources *sources, lw_error *err)
{
  const char *file = name ? name : "model";
  lwi_scopes scopes = {.doc = doc};
  lwi_included_files files = {0};
  lwi_reader r = {.spec = lw_spec_new(),
                  .file = file,
                  .err = err,
                  .no_files = !name,
                  .sources = sources,
                  .scopes = &scopes};
  bool ok = r.spec && lwi_grow(&scopes.item, 0, &scopes.capacity, sizeof *scopes.item);
  if (ok) {
    scopes.item[scopes.n++] = model_scope(sources, file);
    ok = read_model(&r, lwi_yaml_root(doc), other_kind, &files) && err->status == LW_OK;
    lw_spec_locate_file(r.spec, NULL);
  } else {
    lwi_read_no_memory(&r);
  }
  free(scopes.item);
  lwi_included_files_free(&files);
  if (ok) return r.spec;
  lw_spec_free(r.spec);
  return NULL;
}

static lw_spec *read_text(const char *text, size_t length, const char *name,
                          const lw_load_options *options, lw_error *err)
{
  lwi_yaml_document *doc = lwi_yaml_parse(text, length, name ? name : "model", err);
  lw_spec *spec =
      doc ? read_document(doc, name, lwi_file_kind_of_text(text, length), options->sources, err)
          : NULL;
  lwi_yaml_free(doc);
  return spec;
}

/* all that is not known to be something else */
static bool may_be_yaml(const char *text, size_t length)
{
  return !lwi_file_is_foreign(text, length);
}

const lwi_model_format lwi_yaml_format = {"YAML", may_be_yaml, read_text, false, false};
