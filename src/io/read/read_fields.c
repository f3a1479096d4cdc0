/* SPDX-License-Identifier: Apache-2.0 */
/* read_fields.c -- reads mappings by tables of keys, and reports what is wrong. */
#include "base/nearest_name.h"
#include "io/file/file_text.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_LISTED = 30, /* names that are listed when none is near */
  MAX_FILES = 3    /* that are named where one includes the other */
};

/* ---- mistakes ---- */

/* " (included from FILE:LINE:COLUMN)" */
static void add_place(lw_error *err, const char *words, lwi_position at)
{
  const size_t used = strlen(err->text);
  snprintf(err->text + used, sizeof err->text - used, "%s%.120s:%d:%d)", words, at.file, at.line,
           at.column);
}

/* In which file it is, and how that came to be included. */
static void add_origin(const lwi_reader *r, int scope)
{
  const lwi_scopes *s = r->scopes;
  const char *file = s->item[scope].file;
  if (!r->err->file[0] && strcmp(file, r->file) != 0)
    snprintf(r->err->file, sizeof r->err->file, "%s", file);
  for (int n = 0; scope >= 0 && n < MAX_FILES; scope = s->item[scope].parent)
    if (s->item[scope].from.line > 0) {
      add_place(r->err, " (included from ", s->item[scope].from);
      n++;
    }
}

bool lwi_read_fail(lwi_reader *r, const lwi_yaml_node *at, const char *format, ...)
{
  char text[sizeof r->err->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const lwi_position place = lwi_read_position(r, at);
  if (!r->kind)
    lwi_file_fail(r->err, LW_E_MODEL, place, "%s", text);
  else if (r->number > 0)
    lwi_file_fail(r->err, LW_E_MODEL, place, "%s %d: %s", r->kind, r->number, text);
  else
    lwi_file_fail(r->err, LW_E_MODEL, place, "%s \"%.60s\": %s", r->kind, r->name->text, text);
  add_origin(r, at->scope);
  return false;
}

bool lwi_read_fail_in(lwi_reader *r, const lwi_yaml_node *at, const char *file, const lw_error *err)
{
  const lwi_position from = lwi_read_position(r, at);
  *r->err = *err;
  snprintf(r->err->file, sizeof r->err->file, "%s", file);
  add_place(r->err, " (included from ", from);
  add_origin(r, at->scope);
  return false;
}

bool lwi_read_no_memory(lwi_reader *r)
{
  lwi_file_fail(r->err, LW_E_MEMORY, (lwi_position){.file = r->file},
                "out of memory for the model");
  return false;
}

bool lwi_read_check(lwi_reader *r)
{
  lw_error e;
  if (lw_spec_error(r->spec, NULL) == LW_OK) return true;
  lw_spec_error(r->spec, &e);
  const lwi_position at = {e.file[0] ? e.file : r->file, e.line, e.column};
  lwi_file_fail(r->err, e.status, at, "%s", e.text);
  if (e.file[0]) snprintf(r->err->file, sizeof r->err->file, "%s", e.file);
  if (r->kind && e.status == LW_E_MODEL) add_origin(r, r->name->scope);
  return false;
}

bool lwi_read_expected(lwi_reader *r, const lwi_yaml_node *found, const char *what)
{
  const char *key = r->key ? r->key : "";
  if (found->kind != LWI_YAML_SCALAR)
    return lwi_read_fail(r, found, "expected %s for `%s`, found a %s", what, key,
                         found->kind == LWI_YAML_LIST ? "list" : "mapping");
  if (lwi_read_is_empty(found))
    return lwi_read_fail(r, found, "expected %s for `%s`, found nothing", what, key);
  return lwi_read_fail(r, found, "expected %s for `%s`, found \"%.60s\"", what, key, found->text);
}

/* ", did you mean X?" or "; there are X, Y", or nothing if there is nothing to suggest */
static void suggest(char *text, size_t size, const char *word, const char *const *names, int n,
                    const char *quote)
{
  const char *near = lwi_nearest(word, names, n);
  text[0] = '\0';
  if (near) {
    snprintf(text, size, ", did you mean %s%.60s%s?", quote, near, quote);
    return;
  }
  if (n > MAX_LISTED) return;
  for (int i = 0; i < n; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%.40s",
             i       ? ", "
             : n > 1 ? "; there are "
                     : "; there is ",
             names[i]);
  }
}

bool lwi_read_unknown(lwi_reader *r, const lwi_yaml_node *found, const char *kind,
                      const char *const *names, int n)
{
  char more[500];
  suggest(more, sizeof more, found->text, names, n, "\"");
  return lwi_read_fail(r, found, "unknown %s \"%.60s\"%s", kind, found->text, more);
}

bool lwi_read_unknown_name(lwi_reader *r, const lwi_yaml_node *found, const char *kind,
                           const lwi_yaml_node *map, const char *more)
{
  const int nmap = map ? map->count : 0;
  const char **names = malloc(((size_t)nmap + 1) * sizeof *names);
  int n = 0;
  for (int i = 0; names && i < nmap; i++)
    names[n++] = map->entry[i].key->text;
  if (names && more) names[n++] = more;
  lwi_read_unknown(r, found, kind, names, n);
  free(names);
  return false;
}

/* ---- kinds of values ---- */

bool lwi_read_is_empty(const lwi_yaml_node *value)
{
  return value->kind == LWI_YAML_SCALAR && value->style == LWI_YAML_PLAIN && value->count == 0;
}

bool lwi_read_is_map(lwi_reader *r, const lwi_yaml_node *value)
{
  return value->kind == LWI_YAML_MAP || lwi_read_expected(r, value, "a mapping");
}

/* ---- tables ---- */

static bool has_key(const lwi_field_table *shape, const lwi_field *f)
{
  return f->types >> shape->type & 1u;
}

static const lwi_field *find_field(const lwi_field_table *shape, const char *key)
{
  for (int i = 0; i < shape->nfield; i++)
    if (strcmp(shape->field[i].key, key) == 0) return &shape->field[i];
  return NULL;
}

static bool unknown_key(lwi_reader *r, const lwi_yaml_node *key, const lwi_field_table *shape)
{
  const char *names[32];
  char more[500];
  int n = 0;
  for (int i = 0; i < shape->nfield; i++)
    if (has_key(shape, &shape->field[i])) names[n++] = shape->field[i].key;
  if (find_field(shape, key->text)) { /* of another type: not a misspelling */
    suggest(more, sizeof more, "", names, n, "`");
    return lwi_read_fail(r, key, "`%.60s` is not a key of %s%s", key->text, shape->what, more);
  }
  suggest(more, sizeof more, key->text, names, n, "`");
  return lwi_read_fail(r, key, "unknown key `%.60s` of %s%s", key->text, shape->what, more);
}

/* Reads the value of one key, and notes in *seen that it was there. */
static bool read_entry(lwi_reader *r, const lwi_yaml_entry *e, const lwi_field_table *shape,
                       void *to, unsigned *seen)
{
  const lwi_field *f = find_field(shape, e->key->text);
  if (!f || !has_key(shape, f)) return unknown_key(r, e->key, shape);
  *seen |= 1u << (f - shape->field);
  r->key = f->key;
  r->is = f->is;
  return f->read(r, e->value, to ? (char *)to + f->offset : NULL);
}

bool lwi_read_fields(lwi_reader *r, const lwi_yaml_node *at, const lwi_yaml_node *map,
                     const lwi_field_table *shape, void *to)
{
  assert(shape->nfield <= 32);
  const char *outer = r->key;
  unsigned seen = 0;
  if (!lwi_read_is_map(r, map)) return false;
  for (int i = 0; i < map->count; i++)
    if (!read_entry(r, &map->entry[i], shape, to, &seen)) return false;
  r->key = outer;
  for (int i = 0; i < shape->nfield; i++)
    if ((shape->field[i].required >> shape->type & 1u) && !(seen >> i & 1u))
      return lwi_read_fail(r, at, "%s needs `%s`", shape->what, shape->field[i].key);
  return true;
}

bool lwi_read_parts(lwi_reader *r, const lwi_yaml_node *section, const char *kind,
                    lwi_read_part *read)
{
  if (!lwi_read_is_map(r, section)) return false;
  for (int i = 0; i < section->count; i++) {
    const lwi_yaml_entry *e = &section->entry[i];
    r->kind = kind;
    r->name = e->key;
    r->key = e->key->text;
    r->type = NULL;
    if (!read(r, e->key, e->value)) return false;
  }
  r->kind = NULL;
  return true;
}

bool lwi_read_type(lwi_reader *r, const lwi_yaml_node *map, const char *const *names, int n,
                   int *type)
{
  if (!lwi_read_is_map(r, map)) return false;
  const lwi_yaml_node *value = lwi_yaml_find(map, "type");
  if (!value) return lwi_read_fail(r, r->name, "`type` is missing");
  r->key = "type";
  if (!lwi_read_choice(r, value, names, n, type)) return false;
  r->type = names[*type];
  return true;
}
