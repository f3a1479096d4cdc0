/* SPDX-License-Identifier: Apache-2.0 */
/* scope.c -- names and expressions of included files and mirrored blocks, in terms of the whole
   model. */
#include "io/read/scope.h"

#include "base/quoted_name.h"
#include "model/expression/column_words.h"
#include "model/expression/expr.h"
#include "model/expression/expr_lex.h"
#include "model/expression/units.h"

#include <stdlib.h>
#include <string.h>

/* ---- text that grows ---- */

typedef struct {
  char *text;
  uint16_t *origin; /* NULL: not wanted */
  size_t length, capacity;
  bool failed, too_long;
} writing;

static bool reserve(writing *w, size_t more)
{
  if (w->length + more >= LWI_EXPR_MAX_LENGTH) w->failed = w->too_long = true;
  if (w->failed) return false;
  if (w->length + more + 1 <= w->capacity) return true;
  const size_t capacity = 2 * (w->length + more) + 64;
  char *text = realloc(w->text, capacity);
  if (text) w->text = text;
  uint16_t *origin = realloc(w->origin, capacity * sizeof *origin);
  if (origin) w->origin = origin;
  if (!text || !origin) return w->failed = true, false;
  w->capacity = capacity;
  return true;
}

/* Appends text that stands for what was written at `origin`; `moves`: byte for byte. */
static void put(writing *w, const char *text, size_t length, size_t origin, bool moves)
{
  if (!reserve(w, length)) return;
  memcpy(w->text + w->length, text, length);
  for (size_t i = 0; i < length; i++)
    w->origin[w->length + i] = (uint16_t)(moves ? origin + i : origin);
  w->length += length;
  w->text[w->length] = '\0';
}

static void put_word(writing *w, const char *text, size_t origin)
{
  put(w, text, strlen(text), origin, false);
}

static void discard(writing *w)
{
  free(w->text);
  free(w->origin);
}

/* ---- names ---- */

/* Replaces words of the mapping, at each place the first that fits. */
static void rename_words(writing *w, const char *name, const lwi_yaml_node *rename)
{
  while (*name) {
    const lwi_yaml_entry *found = NULL;
    for (int i = 0; i < rename->count && !found; i++) {
      const lwi_yaml_node *word = rename->entry[i].key;
      if (word->count > 0 && strncmp(name, word->text, (size_t)word->count) == 0)
        found = &rename->entry[i];
    }
    if (found)
      put_word(w, found->value->text, 0);
    else
      put(w, name, 1, 0, false);
    name += found ? found->key->count : 1;
  }
}

static const char *keep(const lwi_scopes *s, writing *w)
{
  const char *kept = w->failed ? NULL : lwi_yaml_take_text(s->doc, w->text, w->length);
  discard(w);
  return kept;
}

/* a name on its way outwards, in two buffers by turns */
typedef struct {
  const char *text;
  writing w[2];
  int last;
} passing;

/* One scope outwards. */
static void pass(passing *p, const lwi_scope *at)
{
  if (!at->as && !at->rename) return;
  writing *w = &p->w[1 - p->last];
  w->length = 0;
  put_word(w, at->as ? at->as : "", 0);
  if (at->as) put_word(w, ".", 0);
  if (at->rename)
    rename_words(w, p->text, at->rename);
  else
    put_word(w, p->text, 0);
  if (w->failed) return;
  p->text = w->text;
  p->last = 1 - p->last;
}

static const char *end_pass(const lwi_scopes *s, passing *p, const char *name)
{
  const bool failed = p->w[0].failed || p->w[1].failed;
  const char *made = failed            ? NULL
                     : p->text == name ? name
                                       : lwi_yaml_take_text(s->doc, p->text, strlen(p->text));
  discard(&p->w[0]);
  discard(&p->w[1]);
  return made;
}

const char *lwi_scope_name(const lwi_scopes *s, int scope, const char *name)
{
  passing p = {.text = name};
  for (; scope >= 0 && !s->item[scope].absolute; scope = s->item[scope].parent)
    pass(&p, &s->item[scope]);
  return end_pass(s, &p, name);
}

const char *lwi_scope_body(const lwi_scopes *s, int scope, const char *name)
{
  passing p = {.text = name};
  while (scope >= 0 && !s->item[scope].absolute) {
    const lwi_scope *at = &s->item[scope];
    const bool ground = strcmp(p.text, "ground") == 0;
    const lwi_yaml_node *other = ground       ? at->ground
                                 : at->bodies ? lwi_yaml_find(at->bodies, p.text)
                                              : NULL;
    if (other)
      p.text = other->text;
    else if (!ground)
      pass(&p, at);
    scope = other ? other->scope : at->parent; /* the body of a point may be one of another part */
  }
  return end_pass(s, &p, name);
}

/* ---- expressions ---- */

static bool is_plain(const lwi_scopes *s, int scope)
{
  for (; scope >= 0 && !s->item[scope].absolute; scope = s->item[scope].parent)
    if (s->item[scope].as || s->item[scope].rename || lwi_scope_is_mirrored(&s->item[scope]))
      return false;
  return true;
}

/* Columns of joints, constraints, contacts and force elements; all others are those of bodies. */
static bool is_of_joint(const char *column)
{
  static const char *const heads[] = {
      "q.",    "u.",   "udot.", "fx.",     "fy.",        "fz.",          "tx.",
      "ty.",   "tz.",  "load.", "length.", "rate.",      "tension.",     "power.",
      "work.", "gap.", "slip.", "state.",  "potential.", "dissipation.", "angle.",
      "dx.",   "dy.",  "dz.",   "dvx.",    "dvy.",       "dvz.",         "rx.",
      "ry.",   "rz.",  "dwx.",  "dwy.",    "dwz."};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (strncmp(column, heads[i], strlen(heads[i])) == 0) return true;
  return false;
}

/* The joint or frame of a column, or the two of hub.in.chassis. */
static void put_owners(writing *w, const lwi_scopes *s, int scope, const char *text, bool joint)
{
  const char *in = joint ? NULL : strstr(text, ".in.");
  const char *first = in ? lwi_yaml_take_text(s->doc, text, (size_t)(in - text)) : text;
  const char *owner = !first  ? NULL
                      : joint ? lwi_scope_name(s, scope, first)
                              : lwi_scope_body(s, scope, first);
  put_word(w, owner ? owner : "", 0);
  if (!owner) w->failed = true;
  if (!in || w->failed) return;
  put_word(w, ".in.", 0);
  put_owners(w, s, scope, in + 4, false);
}

/* A name with dots: of a parameter or output, or a result column, whose first word stays. */
static const char *dotted_name(const lwi_scopes *s, int scope, const char *name,
                               const lwi_scope_lookup *lookup, bool *flips)
{
  const char *whole = lwi_scope_name(s, scope, name), *dot = strchr(name, '.');
  if (!whole || !lwi_is_column(name) || lookup->is_parameter(lookup->context, whole)) return whole;
  if (strncmp(name, "energy.", 7) == 0) return name;
  writing w = {0};
  put(&w, name, (size_t)(dot + 1 - name), 0, false);
  put_owners(&w, s, scope, dot + 1, is_of_joint(name));
  const char *column = keep(s, &w);
  *flips = column && lwi_scope_is_mirrored(&s->item[scope]) &&
           lookup->flips(lookup->context, column, name);
  return column;
}

static void put_quoted(writing *w, const char *name, size_t origin)
{
  put_word(w, "\"", origin);
  for (; *name; name++)
    put(w, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1, origin, false);
  put_word(w, "\"", origin);
}

/* name: without its quotes */
static void put_name(writing *w, const lwi_scopes *s, int scope, const char *name, size_t origin,
                     const lwi_scope_lookup *lookup)
{
  bool own = false;
  for (int i = 0; lookup->own && lookup->own[i]; i++)
    own = own || strcmp(name, lookup->own[i]) == 0;
  bool flips =
      own && lwi_scope_is_mirrored(&s->item[scope]) && lookup->flips(lookup->context, name, name);
  const char *full = own ? name
                     : !strchr(name, '.')
                         ? (lwi_expr_is_reserved(name) ? name : lwi_scope_name(s, scope, name))
                         : dotted_name(s, scope, name, lookup, &flips);
  if (!full) w->failed = true;
  if (w->failed) return;
  if (flips) put_word(w, "(-", origin);
  if (lwi_expr_is_plain(full))
    put_word(w, full, origin);
  else
    put_quoted(w, full, origin);
  if (flips) put_word(w, ")", origin);
}

static bool is_word(const char *text, lwi_token token, const char *word)
{
  return token.kind == LWI_TOKEN_NAME && token.length == strlen(word) &&
         memcmp(text + token.column, word, token.length) == 0;
}

static bool is_operator(const char *text, lwi_token token)
{
  return is_word(text, token, "and") || is_word(text, token, "or") || is_word(text, token, "not");
}

/* Is it a function that every model knows, with its parenthesis? */
static bool is_known_call(const char *text, size_t length, lwi_token token)
{
  const lwi_token after = lwi_expr_token(text, length, token.column + token.length);
  char name[16];
  if (after.kind != LWI_TOKEN_SYMBOL || text[after.column] != '(') return false;
  if (token.length >= sizeof name) return false;
  memcpy(name, text + token.column, token.length);
  name[token.length] = '\0';
  return lwi_expr_is_function(name);
}

/* A name is where a value is expected; what follows a value is a unit or an operator. */
static void rewrite(writing *w, const lwi_scopes *s, int scope, const char *text,
                    const lwi_scope_lookup *lookup)
{
  const size_t length = strlen(text);
  size_t done = 0;
  bool after_value = false;
  for (;;) {
    lwi_token token = lwi_expr_token(text, length, done);
    put(w, text + done, token.column - done, done, true);
    if (token.kind == LWI_TOKEN_END || w->failed) return;
    lwi_unit unused;
    const bool is_word_operator = is_operator(text, token);
    if (token.kind == LWI_TOKEN_NAME && after_value && !is_word_operator) {
      const size_t unit = lwi_unit_read(text + token.column, length - token.column, &unused);
      if (unit > token.length) token.length = unit; /* kN/mm */
    }
    done = token.column + token.length;
    const bool named = token.kind == LWI_TOKEN_NAME && !after_value && !is_word_operator;
    if (named && !is_known_call(text, length, token)) {
      char *name = lwi_yaml_take(s->doc, token.length + 1);
      if (name) lwi_unquote(text + token.column, token.length, name);
      if (!name) w->failed = true;
      if (name) put_name(w, s, scope, name, token.column, lookup);
    } else {
      put(w, text + token.column, token.length, token.column, true);
    }
    after_value =
        (token.kind != LWI_TOKEN_SYMBOL && !is_word_operator) || text[token.column] == ')';
  }
}

const char *lwi_scope_expression(const lwi_scopes *s, int scope, const char *text,
                                 const lwi_scope_lookup *lookup, const uint16_t **origin,
                                 bool *too_long)
{
  *origin = NULL;
  *too_long = false;
  if (is_plain(s, scope)) return text;
  writing w = {0};
  put_word(&w, "", 0);
  rewrite(&w, s, scope, text, lookup);
  *too_long = w.too_long;
  if (!w.failed) w.origin[w.length] = (uint16_t)strlen(text);
  uint16_t *kept = w.failed ? NULL : lwi_yaml_take(s->doc, (w.length + 1) * sizeof *kept);
  if (kept) memcpy(kept, w.origin, (w.length + 1) * sizeof *kept);
  const char *full = kept ? keep(s, &w) : (discard(&w), NULL);
  *origin = full ? kept : NULL;
  return full;
}
