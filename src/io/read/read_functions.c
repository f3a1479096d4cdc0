/* SPDX-License-Identifier: Apache-2.0 */
/* read_functions.c -- the section `functions`: each has the names of its arguments and the
   expression that it is.  They may call one another in any order; the builder wants those first
   that are called, so calls are followed depth first, with a stack of its own. */
#include "base/name_index.h"
#include "base/quoted_name.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "model/expression/expr_lex.h"
#include "model/spec/spec_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 16 };

typedef struct {
  const char *arguments[MAX_ARGUMENTS];
  int nargument;
  const lwi_yaml_node *value;
} function;

static bool read_arguments(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  function *f = to;
  if (value->kind != LWI_YAML_LIST) return lwi_read_expected(r, value, "a list of names");
  if (value->count < 1 || value->count > MAX_ARGUMENTS)
    return lwi_read_fail(r, value, "a function has 1 to %d arguments, not %d", MAX_ARGUMENTS,
                         value->count);
  /* they are renamed with all other names of the expression */
  for (int i = 0; i < value->count; i++)
    if (!lwi_read_name(r, value->item[i], &f->arguments[f->nargument++])) return false;
  return true;
}

static bool read_value(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const char *text;
  ((function *)to)->value = value;
  return lwi_read_text(r, value, &text);
}

static const lwi_field function_fields[] = {
    {"of", read_arguments, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "list of names", NULL,
     "its arguments, 1 to 16"},
    {"is", read_value, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "expression", NULL,
     "its value, of the arguments and of all names that are allowed where it is called"},
};
const lwi_part_keys lwi_function_keys =
    LWI_PART("function", "function", "a function", function_fields);

static bool read_shape(lwi_reader *r, const lwi_yaml_entry *e, function *f)
{
  *f = (function){0};
  r->name = e->key;
  r->key = e->key->text;
  return lwi_read_fields(r, e->key, e->value, lwi_function_keys.table, f);
}

static bool add_function(lwi_reader *r, const lwi_yaml_entry *e)
{
  function f;
  const uint16_t *origin;
  if (!read_shape(r, e, &f)) return false;
  const char *text = lwi_read_in_scope(r, f.value, &origin);
  if (!text) return false;
  const bool quoted = f.value->style == LWI_YAML_QUOTED;
  lwi_read_locate(r, f.value);
  lw_spec_locate(r->spec, f.value->line, f.value->column + quoted);
  r->spec->origin = origin;
  lw_add_function(r->spec, &(lw_function_desc){.name = e->key->text,
                                               .nargument = f.nargument,
                                               .arguments = f.arguments,
                                               .value = text});
  return lwi_read_check(r);
}

/* ---- order ---- */

typedef struct {
  const lwi_yaml_node *section;
  lwi_name_index names;
  size_t *cursor; /* [n] how far the text of a function has been looked at; NEW, DONE */
  int *path;      /* [n] each calls the next */
  int npath;
} search;

#define NEW ((size_t)-1)
#define DONE ((size_t)-2)

static const lwi_yaml_node *text_of(const search *s, int i)
{
  const lwi_yaml_node *f = s->section->entry[i].value;
  const lwi_yaml_node *is = f->kind == LWI_YAML_MAP ? lwi_yaml_find(f, "is") : NULL;
  return is && is->kind == LWI_YAML_SCALAR ? is : NULL;
}

/* The next function of the section that function i calls; -1: no more, -2: reported. */
static int next_call(lwi_reader *r, search *s, int i)
{
  const lwi_yaml_node *value = text_of(s, i);
  const uint16_t *unused;
  if (!value) return -1;
  const char *text = lwi_read_in_scope(r, value, &unused);
  if (!text) return -2;
  const size_t length = strlen(text);
  for (;;) {
    const lwi_token name = lwi_expr_token(text, length, s->cursor[i]);
    if (name.kind == LWI_TOKEN_END) return -1;
    s->cursor[i] = name.column + name.length;
    const lwi_token after = lwi_expr_token(text, length, s->cursor[i]);
    if (name.kind != LWI_TOKEN_NAME || after.kind != LWI_TOKEN_SYMBOL || text[after.column] != '(')
      continue;
    char *word = lwi_yaml_take(r->scopes->doc, name.length + 1);
    if (!word) return lwi_read_no_memory(r), -2;
    const int called =
        lwi_name_find(&s->names, word, lwi_unquote(text + name.column, name.length, word));
    if (called >= 0) return called;
  }
}

/* The path ends in a function that calls `again`, which is on it. */
static bool fail_cycle(lwi_reader *r, const search *s, int again)
{
  enum { MAX_SHOWN = 8 };
  char text[(MAX_SHOWN + 2) * 48] = "";
  int start = s->npath - 1;
  while (s->path[start] != again)
    start--;
  for (int k = start; k < s->npath && k < start + MAX_SHOWN; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%.32s -> ", s->section->entry[s->path[k]].key->text);
  }
  r->name = s->section->entry[again].key;
  return lwi_read_fail(r, text_of(s, again), "a function must not call itself: %s%s%.32s", text,
                       s->npath - start > MAX_SHOWN ? "... -> " : "", r->name->text);
}

static void enter(search *s, int i)
{
  s->path[s->npath++] = i;
  s->cursor[i] = 0;
}

/* Adds function `root` and before it all that it calls. */
static bool visit(lwi_reader *r, search *s, int root)
{
  enter(s, root);
  while (s->npath > 0) {
    const int i = s->path[s->npath - 1], called = next_call(r, s, i);
    if (called == -2) return false;
    if (called >= 0 && s->cursor[called] == NEW) {
      enter(s, called);
    } else if (called >= 0 && s->cursor[called] != DONE) {
      return fail_cycle(r, s, called);
    } else if (called < 0) {
      if (!add_function(r, &s->section->entry[i])) return false;
      s->cursor[i] = DONE;
      s->npath--;
    }
  }
  return true;
}

static bool read_all(lwi_reader *r, search *s)
{
  const int n = s->section->count;
  for (int i = 0; i < n; i++) {
    const lwi_yaml_node *key = s->section->entry[i].key;
    s->cursor[i] = NEW;
    if (lwi_name_add(&s->names, key->text, (size_t)key->count) < 0) return lwi_read_no_memory(r);
  }
  for (int i = 0; i < n; i++)
    if (s->cursor[i] == NEW && !visit(r, s, i)) return false;
  return true;
}

bool lwi_read_functions(lwi_reader *r, const lwi_yaml_node *section)
{
  if (!lwi_read_is_map(r, section)) return false;
  const size_t n = (size_t)section->count + 1;
  search s = {.section = section,
              .cursor = malloc(n * sizeof *s.cursor),
              .path = malloc(n * sizeof *s.path)};
  r->kind = "function";
  const bool ok = s.cursor && s.path ? read_all(r, &s) : lwi_read_no_memory(r);
  free(s.cursor);
  free(s.path);
  lwi_name_index_free(&s.names);
  if (ok) r->kind = NULL;
  return ok;
}
