/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c -- gathers the sections of a model file and of all that it includes, repeats and mirrors
   into one mapping. */
#include "io/read/expand_data.h"

#include "base/arena.h"
#include "base/nearest_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *key, const char *const *words, int n)
{
  for (int i = 0; i < n; i++)
    if (strcmp(key, words[i]) == 0) return true;
  return false;
}

bool lwi_is_structure(const char *key)
{
  static const char *const words[] = {"include", "repeat", "mirror"};
  return is_one_of(key, words, LWI_COUNT(words));
}

/* a setting of a file as a whole: that of the model file counts */
static bool is_setting(const char *key)
{
  static const char *const words[] = {"linkwork",   "planar",      "name", "gravity",
                                      "simulation", "sensitivity", "study"};
  return is_one_of(key, words, LWI_COUNT(words));
}

bool lwi_is_section(const char *key)
{
  return !lwi_is_structure(key) && !is_setting(key);
}

/* ---- sections ---- */

static lwi_section *find_section(lwi_expansion *e, const lwi_yaml_node *key, lwi_yaml_kind kind)
{
  for (int i = 0; i < e->nsection; i++)
    if (strcmp(e->section[i].key->text, key->text) == 0) return &e->section[i];
  if (!lwi_grow(&e->section, e->nsection, &e->section_capacity, sizeof *e->section))
    return lwi_read_no_memory(e->r), NULL;
  e->section[e->nsection] = (lwi_section){.key = key, .kind = kind};
  return &e->section[e->nsection++];
}

const lwi_yaml_node *lwi_expand_find(const lwi_expansion *e, const char *section, const char *name)
{
  for (int i = 0; i < e->nsection; i++) {
    const lwi_section *s = &e->section[i];
    if (strcmp(s->key->text, section) != 0 || s->kind != LWI_YAML_MAP) continue;
    const int at = lwi_name_find(&s->names, name, strlen(name));
    return at < 0 ? NULL : s->entry[at].value;
  }
  return NULL;
}

/* Both places of a part that is there already, and how the first one came to be included. */
static bool fail_clash(lwi_expansion *e, const lwi_section *s, const lwi_yaml_node *key, int before)
{
  const lwi_yaml_node *first = s->entry[before].key;
  const lwi_position other = lwi_read_position(e->r, first),
                     from = e->r->scopes->item[first->scope].from;
  char included[140] = "";
  if (from.line > 0)
    snprintf(included, sizeof included, ", which is included from %.80s:%d:%d", from.file,
             from.line, from.column);
  return lwi_read_fail(e->r, key, "`%.60s` of `%s` is already defined at %.80s:%d:%d%s", key->text,
                       s->key->text, other.file, other.line, other.column, included);
}

/* The key with the name of the whole model. */
static const lwi_yaml_node *absolute_key(lwi_expansion *e, const lwi_yaml_node *key)
{
  const char *name = lwi_scope_name(e->r->scopes, key->scope, key->text);
  lwi_yaml_node *made = lwi_yaml_take(e->doc, sizeof *made);
  if (!name || !made) return lwi_read_no_memory(e->r), NULL;
  *made = *key;
  made->text = name;
  made->count = (int)strlen(name);
  if (key->scope > 0) made->scope++; /* the one beside it, of absolute names */
  return made;
}

static bool add_entry(lwi_expansion *e, lwi_section *s, lwi_yaml_entry entry)
{
  if (!lwi_grow(&s->entry, s->n, &s->capacity, sizeof *s->entry)) return lwi_read_no_memory(e->r);
  if (entry.key) {
    const int at = lwi_name_add(&s->names, entry.key->text, (size_t)entry.key->count);
    if (at < 0) return lwi_read_no_memory(e->r);
    if (at != s->n) return fail_clash(e, s, entry.key, at);
  }
  s->entry[s->n++] = entry;
  return true;
}

/* Keeps the value that an includer replaces. */
static bool note_replaced(lwi_expansion *e, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lwi_replaced *x = lwi_yaml_take(e->doc, sizeof *x);
  if (!x) return lwi_read_no_memory(e->r);
  *x = (lwi_replaced){.name = name, .value = value};
  *(e->r->last_replaced ? &e->r->last_replaced->next : &e->r->replaced) = x;
  e->r->last_replaced = x;
  return true;
}

/* Parameters that an includer sets: the number alone, or in {value: ...}. */
static const lwi_yaml_node *overridden(lwi_expansion *e, const lwi_yaml_node *name,
                                       const lwi_yaml_node *value)
{
  const lwi_yaml_node *other = lwi_expand_override(e, name->text);
  const lwi_yaml_node *own = value->kind == LWI_YAML_MAP ? lwi_yaml_find(value, "value") : value;
  if (!other) return value;
  if (own && own->kind == LWI_YAML_SCALAR && !note_replaced(e, name, own)) return NULL;
  if (value->kind != LWI_YAML_MAP) return other;
  lwi_yaml_node *made = lwi_yaml_take(e->doc, sizeof *made);
  lwi_yaml_entry *entry = lwi_yaml_take(e->doc, (size_t)value->count * sizeof *entry);
  if (!made || !entry) return lwi_read_no_memory(e->r), NULL;
  *made = *value;
  for (int i = 0; i < value->count; i++) {
    entry[i] = value->entry[i];
    if (strcmp(entry[i].key->text, "value") == 0) entry[i].value = other;
  }
  made->entry = entry;
  return made;
}

static bool add_part(lwi_expansion *e, lwi_section *s, const lwi_yaml_entry *entry,
                     lwi_place_of_block at)
{
  const lwi_yaml_node *other = e->r->scopes->item[at.scope].bodies;
  if (other && strcmp(s->key->text, "bodies") == 0 && lwi_yaml_find(other, entry->key->text))
    return true; /* a body of the file around */
  const lwi_yaml_node *key = lwi_expand_copy(e, entry->key, at);
  const lwi_yaml_node *value = key ? lwi_expand_copy(e, entry->value, at) : NULL;
  if (!value || !(key = absolute_key(e, key))) return false;
  if (strcmp(s->key->text, "parameters") == 0 && !(value = overridden(e, key, value))) return false;
  return add_entry(e, s, (lwi_yaml_entry){key, value});
}

static bool add_section(lwi_expansion *e, const lwi_yaml_entry *entry, lwi_place_of_block at)
{
  const lwi_yaml_node *key = lwi_expand_copy(e, entry->key, at), *value = entry->value;
  if (!key) return false;
  if (lwi_read_is_empty(value)) return true;
  const lwi_yaml_node place = lwi_expand_at(value, at.scope);
  e->r->key = key->text;
  if (value->kind == LWI_YAML_SCALAR) return lwi_read_expected(e->r, &place, "a mapping or a list");
  lwi_section *s = find_section(e, key, value->kind);
  if (!s) return false;
  if (s->kind != value->kind)
    return lwi_read_expected(e->r, &place, s->kind == LWI_YAML_MAP ? "a mapping" : "a list");
  for (int i = 0; i < value->count; i++) {
    if (value->kind == LWI_YAML_MAP) {
      if (!add_part(e, s, &value->entry[i], at)) return false;
      continue;
    }
    const lwi_yaml_node *item = lwi_expand_copy(e, value->item[i], at);
    if (!item || !add_entry(e, s, (lwi_yaml_entry){NULL, item})) return false;
  }
  return true;
}

static bool add_structure(lwi_expansion *e, const lwi_yaml_entry *entry, lwi_place_of_block at)
{
  const char *key = entry->key->text;
  if (lwi_read_is_empty(entry->value)) return true;
  if (strcmp(key, "include") == 0) return lwi_expand_include(e, entry->value, at);
  return strcmp(key, "repeat") == 0 ? lwi_expand_repeat(e, entry->value, at)
                                    : lwi_expand_mirror(e, entry->value, at);
}

bool lwi_expand_map(lwi_expansion *e, const lwi_yaml_node *map, lwi_place_of_block at, bool whole)
{
  for (int i = 0; i < map->count; i++) {
    const char *key = map->entry[i].key->text;
    if (lwi_is_structure(key) || (whole && is_setting(key))) continue;
    if (!add_section(e, &map->entry[i], at)) return false;
  }
  for (int i = 0; i < map->count; i++)
    if (lwi_is_structure(map->entry[i].key->text) && !add_structure(e, &map->entry[i], at))
      return false;
  return true;
}

/* ---- parameters that includers set ---- */

const lwi_yaml_node *lwi_expand_override(lwi_expansion *e, const char *name)
{
  const int i = lwi_name_find(&e->override_names, name, strlen(name));
  if (i < 0) return NULL;
  e->override[i].used = true;
  return e->override[i].value;
}

static bool check_overrides(lwi_expansion *e)
{
  for (int i = 0; i < e->noverride; i++) {
    const lwi_override *o = &e->override[i];
    if (!o->used)
      return lwi_read_fail(e->r, o->key, "%.100s has no parameter \"%.60s\"", o->file,
                           o->key->text);
  }
  return true;
}

/* ---- the whole ---- */

static const lwi_yaml_node *section_value(lwi_expansion *e, const lwi_section *s)
{
  lwi_yaml_node *value = lwi_yaml_take(e->doc, sizeof *value);
  const size_t size = s->kind == LWI_YAML_MAP ? sizeof *s->entry : sizeof(lwi_yaml_node *);
  void *children = lwi_yaml_take(e->doc, (size_t)s->n * size);
  if (!value || !children) return NULL;
  const lwi_yaml_node **item = children;
  if (s->kind == LWI_YAML_MAP && s->n)
    memcpy(children, s->entry, (size_t)s->n * size);
  else
    for (int i = 0; i < s->n; i++)
      item[i] = s->entry[i].value;
  *value = *s->key;
  value->kind = s->kind;
  value->style = LWI_YAML_BLOCK;
  value->count = s->n;
  if (s->kind == LWI_YAML_MAP)
    value->entry = children;
  else
    value->item = children;
  return value;
}

static const lwi_yaml_node *build_root(lwi_expansion *e, const lwi_yaml_node *root)
{
  lwi_yaml_node *made = lwi_yaml_take(e->doc, sizeof *made);
  lwi_yaml_entry *entry =
      lwi_yaml_take(e->doc, (size_t)(root->count + e->nsection) * sizeof *entry);
  if (!made || !entry) return lwi_read_no_memory(e->r), NULL;
  *made = *root;
  made->count = 0;
  made->entry = entry;
  for (int i = 0; i < root->count; i++)
    if (is_setting(root->entry[i].key->text)) entry[made->count++] = root->entry[i];
  for (int i = 0; i < e->nsection; i++) {
    const lwi_yaml_node *value = section_value(e, &e->section[i]);
    if (!value) return lwi_read_no_memory(e->r), NULL;
    entry[made->count++] = (lwi_yaml_entry){e->section[i].key, value};
  }
  return made;
}

static void expansion_free(lwi_expansion *e)
{
  for (int i = 0; i < e->nsection; i++) {
    free(e->section[i].entry);
    lwi_name_index_free(&e->section[i].names);
  }
  free(e->section);
  free(e->override);
  lwi_name_index_free(&e->override_names);
}

const lwi_yaml_node *lwi_expand(lwi_reader *r, lwi_yaml_document *doc, lwi_included_files *files)
{
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  bool structure = false;
  for (int i = 0; root->kind == LWI_YAML_MAP && i < root->count; i++)
    structure = structure || lwi_is_structure(root->entry[i].key->text);
  if (!structure) return root;
  lwi_expansion e = {.r = r, .doc = doc, .files = files};
  const bool ok =
      lwi_expand_map(&e, root, (lwi_place_of_block){.scope = 0}, true) && check_overrides(&e);
  const lwi_yaml_node *made = ok ? build_root(&e, root) : NULL;
  expansion_free(&e);
  return made;
}

void lwi_included_files_free(lwi_included_files *files)
{
  for (int i = 0; i < files->n; i++)
    lwi_yaml_free(files->item[i].doc);
  free(files->item);
  *files = (lwi_included_files){0};
}
