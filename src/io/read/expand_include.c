/* SPDX-License-Identifier: Apache-2.0 */
/* expand_include.c -- `include`: the parts of another model file, under a name of their own.

     include:
       fl: {file: corner.yaml, parameters: {track: w}, ground: chassis, at: [1, 0.7, 0], mirror: y}
     include: {file: corner.yaml, as: fl}            # the same, also as a list
     include: {file: steel.yaml}                     # without a name: names stay as they are

   Each file is parsed once, whatever the number of its includes. */
#define _XOPEN_SOURCE 700 /* S_IFREG */
#include "io/read/expand_data.h"
#include "io/read/key_tables.h"

#include "base/arena.h"
#include "io/file/file_text.h"
#include "io/file/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

/* How the file is included by itself, if it is. */
static bool check_cycle(lwi_expansion *e, const lwi_yaml_node *file, const struct stat *found)
{
  const lwi_scopes *s = e->r->scopes;
  if (e->depth == LWI_MAX_INCLUDES)
    return lwi_read_fail(e->r, file, "more than %d files that include one another",
                         LWI_MAX_INCLUDES);
  for (int i = file->scope; i >= 0; i = s->item[i].parent)
    if (s->item[i].inode == found->st_ino && s->item[i].device == found->st_dev)
      return lwi_read_fail(e->r, file, "\"%.100s\" includes itself", file->text);
  return true;
}

static lwi_yaml_document *parse_file(lwi_expansion *e, const lwi_yaml_node *file, const char *path)
{
  char *text;
  size_t length;
  lw_error err = {.status = LW_OK};
  lwi_yaml_document *doc = NULL;
  if (lwi_sources_read(e->r->sources, path, &text, &length, &err) == LW_OK) {
    doc = lwi_yaml_parse(text, length, path, &err);
    free(text);
  }
  if (!doc) lwi_read_fail_in(e->r, file, path, &err);
  return doc;
}

bool lwi_expand_stat(const lw_sources *sources, const char *path, struct stat *found)
{
  const bool there = stat(path, found) == 0;
  if (there && S_ISREG(found->st_mode)) return true;
  const int known = lwi_sources_find(sources, path);
  if (known < 0) return there;
  *found = (struct stat){.st_mode = S_IFREG, .st_dev = (dev_t)-1, .st_ino = (ino_t)known};
  return true;
}

/* The document of a file, parsed now or before. */
static const lwi_yaml_document *find_file(lwi_expansion *e, const lwi_yaml_node *file,
                                          const char *path, struct stat *found)
{
  if (e->r->no_files)
    return lwi_read_fail(e->r, file, "\"%.100s\": text without a file name cannot include files",
                         file->text),
           NULL;
  if (!lwi_expand_stat(e->r->sources, path, found))
    return lwi_read_fail(e->r, file, "%.150s cannot be opened: %s", path, strerror(errno)), NULL;
  if (!S_ISREG(found->st_mode))
    return lwi_read_fail(e->r, file, "%.150s is not a file", path), NULL;
  if (!check_cycle(e, file, found)) return NULL;
  lwi_included_files *files = e->files;
  for (int i = 0; i < files->n; i++)
    if (files->item[i].inode == found->st_ino && files->item[i].device == found->st_dev)
      return files->item[i].doc;
  if (!lwi_grow(&files->item, files->n, &files->capacity, sizeof *files->item))
    return lwi_read_no_memory(e->r), NULL;
  lwi_yaml_document *doc = parse_file(e, file, path);
  if (doc) files->item[files->n++] = (struct lwi_included_file){found->st_dev, found->st_ino, doc};
  return doc;
}

/* ---- one include ---- */

typedef struct {
  const lwi_yaml_node *file, *as, *parameters, *bodies, *ground, *at, *orient, *mirror;
} include;

static bool keep_node(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)r;
  *(const lwi_yaml_node **)to = value;
  return true;
}

static bool keep_word(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const char *text;
  return lwi_read_text(r, value, &text) && keep_node(r, value, to);
}

static bool keep_map(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return lwi_read_is_map(r, value) && keep_node(r, value, to);
}

#define AT(field) offsetof(include, field)
static const lwi_field include_fields[] = {
    {"file", keep_word, AT(file), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "text", NULL,
     "the file, as seen from the file that includes it"},
    {"as", keep_word, AT(as), LWI_ONLY_TYPE, 0, "name", "none",
     "what names of its parts begin with: `fl.`"},
    {"parameters", keep_map, AT(parameters), LWI_ONLY_TYPE, 0, "mapping of expressions",
     "as in the file", "values of parameters of the file"},
    {"bodies", keep_map, AT(bodies), LWI_ONLY_TYPE, 0, "mapping of bodies", "none",
     "bodies of the file that are bodies of this one"},
    {"ground", keep_word, AT(ground), LWI_ONLY_TYPE, 0, "body or point", "ground",
     "what stands for the ground of the file (10.4)"},
    {"at", keep_node, AT(at), LWI_ONLY_TYPE, 0, "vector", "origin",
     "where the origin of the file is on it"},
    {"orient", keep_node, AT(orient), LWI_ONLY_TYPE, 0, "orientation", "aligned",
     "the axes of the file there"},
    {"mirror", keep_word, AT(mirror), LWI_ONLY_TYPE, 0, "x | y | z", "none",
     "mirrored across this axis (10.8)"},
};
#undef AT
const lwi_part_keys lwi_include_keys = LWI_PART("include", NULL, "an include", include_fields);

static bool read_include(lwi_expansion *e, const lwi_yaml_node *map, include *to)
{
  e->r->key = "include";
  return lwi_read_fields(e->r, map, map, lwi_include_keys.table, to);
}

/* The file that is included is a model of its own; both are planar, or none. */
static bool check_root(lwi_expansion *e, const lwi_yaml_node *root, int scope)
{
  const lwi_yaml_node place = lwi_expand_at(root, scope);
  const lwi_yaml_node *version =
      root->kind == LWI_YAML_MAP ? lwi_yaml_find(root, "linkwork") : NULL;
  const lwi_yaml_node *planar = version ? lwi_yaml_find(root, "planar") : NULL;
  if (!version || version->kind != LWI_YAML_SCALAR || strcmp(version->text, "1") != 0)
    return lwi_read_fail(e->r, &place, "an included file is a model file: it has `linkwork: 1`");
  bool plane = false;
  const lwi_yaml_node at = planar ? lwi_expand_at(planar, scope) : place;
  e->r->key = "planar";
  if (planar && !lwi_read_bool(e->r, &at, &plane)) return false;
  return plane == e->r->planar ||
         lwi_read_fail(e->r, &at,
                       plane ? "a planar file cannot be included in a model in space"
                             : "a planar model includes planar files only");
}

/* Bodies of the file that are bodies of the one that includes it. */
static bool check_bodies(lwi_expansion *e, const lwi_yaml_node *map, const lwi_yaml_node *root,
                         const char *file)
{
  const lwi_yaml_node *bodies = lwi_yaml_find(root, "bodies");
  for (int i = 0; map && i < map->count; i++) {
    const char *name;
    const lwi_yaml_node *key = map->entry[i].key;
    e->r->key = key->text;
    if (!bodies || bodies->kind != LWI_YAML_MAP || !lwi_yaml_find(bodies, key->text))
      return lwi_read_fail(e->r, key, "%.100s has no body \"%.60s\"", file, key->text);
    if (!lwi_read_text(e->r, map->entry[i].value, &name)) return false;
  }
  return true;
}

/* Values of parameters; those of an outer file count first. */
static bool note_parameters(lwi_expansion *e, const lwi_yaml_node *map, int scope, const char *file)
{
  for (int i = 0; map && i < map->count; i++) {
    const lwi_yaml_entry *from = &map->entry[i];
    const char *name = lwi_scope_name(e->r->scopes, scope, from->key->text);
    if (!name || !lwi_grow(&e->override, e->noverride, &e->override_capacity, sizeof *e->override))
      return lwi_read_no_memory(e->r);
    e->r->key = from->key->text;
    if (from->value->kind != LWI_YAML_SCALAR)
      return lwi_read_expected(e->r, from->value, "a number or an expression");
    const int at = lwi_name_add(&e->override_names, name, strlen(name));
    if (at < 0) return lwi_read_no_memory(e->r);
    if (at == e->noverride)
      e->override[e->noverride++] =
          (lwi_override){.key = from->key, .value = from->value, .file = file};
  }
  return true;
}

static bool check_as(lwi_expansion *e, const lwi_yaml_node *as)
{
  const char *name;
  lwi_yaml_node word;
  if (!as) return true;
  word = lwi_expand_at(as, 0); /* as it is written, without the names around it */
  if (lwi_read_name(e->r, &word, &name)) return true;
  return false;
}

/* `ground` may name a point that is known by now: it stands for its body, place and axes. */
static bool resolve_ground(lwi_expansion *e, include *x)
{
  const char *name =
      x->ground ? lwi_scope_name(e->r->scopes, x->ground->scope, x->ground->text) : NULL;
  if (!name) return !x->ground || lwi_read_no_memory(e->r);
  const lwi_yaml_node *point = lwi_expand_find(e, "points", name);
  if (!point || point->kind != LWI_YAML_MAP) return true;
  const lwi_yaml_node *orient = lwi_yaml_find(point, "orient"), *again = x->at    ? x->at
                                                                         : orient ? x->orient
                                                                                  : NULL;
  e->r->key = again == x->at ? "at" : "orient";
  if (again)
    return lwi_read_fail(e->r, again,
                         "`ground: %.60s` is a point, which says where: leave out `%s`",
                         x->ground->text, e->r->key);
  x->ground = lwi_yaml_find(point, "body");
  x->at = lwi_yaml_find(point, "at");
  if (orient) x->orient = orient;
  e->r->key = "body";
  return !x->ground || keep_word(e->r, x->ground, &x->ground);
}

static bool expand_one(lwi_expansion *e, const lwi_yaml_node *map, const lwi_yaml_node *name,
                       lwi_place_of_block at)
{
  include x = {0};
  struct stat found;
  if (!read_include(e, map, &x) || !resolve_ground(e, &x)) return false;
  if (name && x.as) return lwi_read_fail(e->r, x.as, "`as`: the include has a name already");
  if (name) x.as = name;
  e->r->key = "as";
  if (!check_as(e, x.as)) return false;
  const lwi_scope *outer = &e->r->scopes->item[at.scope];
  const char *path = lwi_read_path(e->r, x.file, x.file->text);
  const lwi_yaml_document *doc = path ? find_file(e, x.file, path, &found) : NULL;
  if (!doc) return false;
  lwi_scope scope = {.file = path,
                     .parent = at.scope,
                     .as = x.as ? x.as->text : NULL,
                     .bodies = x.bodies,
                     .ground = x.ground,
                     .at = x.at,
                     .orient = x.orient,
                     .from = lwi_read_position(e->r, x.file),
                     .sign = {outer->sign[0], outer->sign[1], outer->sign[2]},
                     .device = found.st_dev,
                     .inode = found.st_ino};
  e->r->key = "mirror";
  if (x.mirror && !lwi_expand_across(e, x.mirror, scope.sign)) return false;
  const int id = lwi_expand_scope(e, scope);
  if (id < 0 || !lwi_expand_count(e, x.file, 1)) return false;
  if (!note_parameters(e, x.parameters, id, path)) return false;
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  e->depth++;
  const bool ok = check_root(e, root, id) && check_bodies(e, x.bodies, root, path) &&
                  lwi_expand_map(e, root, (lwi_place_of_block){.scope = id}, true);
  e->depth--;
  return ok;
}

static bool expand_list(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at)
{
  for (int i = 0; i < value->count; i++)
    if (!expand_one(e, value->item[i], NULL, at)) return false;
  return true;
}

bool lwi_expand_include(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at)
{
  const lwi_yaml_node *made = lwi_expand_copy(e, value, at);
  e->r->key = "include";
  if (!made) return false;
  if (made->kind == LWI_YAML_LIST) return expand_list(e, made, at);
  if (!lwi_read_is_map(e->r, made)) return false;
  const lwi_yaml_node *file = lwi_yaml_find(made, "file");
  if (file && file->kind == LWI_YAML_SCALAR) return expand_one(e, made, NULL, at);
  for (int i = 0; i < made->count; i++)
    if (!expand_one(e, made->entry[i].value, made->entry[i].key, at)) return false;
  return true;
}
