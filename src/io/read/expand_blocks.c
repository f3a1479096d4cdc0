/* SPDX-License-Identifier: Apache-2.0 */
/* expand_blocks.c -- `repeat` and `mirror`: blocks of sections that are there several times.

     repeat:
       - i: 1..3                        # or [a, b, c]; several variables run together
         bodies: {"link${i}": ...}
     mirror:
       - across: y
         rename: {left: right}
         bodies: {left_arm: ...}        # and right_arm, mirrored */
#include "io/read/expand_data.h"
#include "io/read/key_tables.h"

#include "model/expression/expr_lex.h"

#include <stdlib.h>
#include <string.h>

/* Calls expand for a block, or for each of a list of them. */
typedef bool expand_block(lwi_expansion *e, const lwi_yaml_node *block, lwi_place_of_block at);

static bool for_each_block(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at,
                           expand_block *expand)
{
  const bool list = value->kind == LWI_YAML_LIST;
  if (at.depth == LWI_MAX_BLOCKS) {
    const lwi_yaml_node place = lwi_expand_at(value, at.scope);
    return lwi_read_fail(e->r, &place, "more than %d blocks in one another", LWI_MAX_BLOCKS);
  }
  at.depth++;
  for (int i = 0; i < (list ? value->count : 1); i++) {
    const lwi_yaml_node *block = list ? value->item[i] : value;
    const lwi_yaml_node place = lwi_expand_at(block, at.scope);
    if (!lwi_read_is_map(e->r, &place) || !expand(e, block, at)) return false;
  }
  return true;
}

/* ---- repeat ---- */

/* A range or a list of words: the values of a variable. */
static bool is_range(const lwi_yaml_node *value)
{
  if (value->kind == LWI_YAML_SCALAR) return !lwi_read_is_empty(value);
  if (value->kind != LWI_YAML_LIST || value->count == 0) return false;
  for (int i = 0; i < value->count; i++)
    if (value->item[i]->kind != LWI_YAML_SCALAR) return false;
  return true;
}

/* "1..50", "0..10 by 2", "n..1 by -1", or a list */
typedef struct {
  const lwi_yaml_entry *entry;
  const lwi_yaml_node *list; /* NULL: a range */
  long long first, step, count;
} range;

/* a block without its variables, which take their values together */
enum { MAX_VARIABLES = 8 };
typedef struct {
  const lwi_yaml_node *block; /* sections only */
  range range[MAX_VARIABLES];
  int nrange;
} repeated;

static bool parse_range(lwi_expansion *e, const lwi_yaml_node *value, const lwi_variable *variables,
                        range *to)
{
  const char *text = value->text, *dots = strstr(text, ".."), *by = strstr(text, " by ");
  const char *end = by ? by : text + value->count;
  const long long most = 1LL << 40;
  lwi_repeat_error why = {""};
  long long last;
  to->step = 1;
  if (!dots || dots > end) return lwi_read_expected(e->r, value, "a range like 1..50, or a list,");
  const bool ok = lwi_repeat_integer(variables, text, (size_t)(dots - text), &to->first, &why) &&
                  lwi_repeat_integer(variables, dots + 2, (size_t)(end - dots - 2), &last, &why) &&
                  (!by || lwi_repeat_integer(variables, by + 4, strlen(by + 4), &to->step, &why));
  if (!ok) return lwi_read_fail(e->r, value, "range \"%.60s\": %s", text, why.text);
  if (llabs(to->first) > most || llabs(last) > most || llabs(to->step) > most)
    return lwi_read_fail(e->r, value, "range \"%.60s\": a number is too large", text);
  if (to->step == 0) return lwi_read_fail(e->r, value, "range \"%.60s\": a step of 0", text);
  to->count = (last - to->first) / to->step + 1;
  return (to->step > 0 ? to->first <= last : to->first >= last) ||
         lwi_read_fail(e->r, value, "range \"%.60s\" is empty", text);
}

static bool read_range(lwi_expansion *e, range *to, lwi_place_of_block at)
{
  const lwi_yaml_node *value = lwi_expand_copy(e, to->entry->value, at);
  e->r->key = to->entry->key->text;
  if (!value) return false;
  if (value->kind == LWI_YAML_SCALAR) return parse_range(e, value, at.variables, to);
  to->list = value;
  to->count = value->count;
  return true;
}

static lwi_variable value_of(const range *x, long long k)
{
  lwi_variable v = {.name = x->entry->key->text, .number = x->first + k * x->step};
  const char *text = x->list ? x->list->item[k]->text : NULL;
  if (text && !lwi_repeat_is_integer(text, &v.number)) v.word = text;
  return v;
}

static bool repeat_all(lwi_expansion *e, repeated *x, lwi_place_of_block at)
{
  const lwi_yaml_node place = lwi_expand_at(x->block, at.scope);
  lwi_variable v[MAX_VARIABLES];
  for (int i = 0; i < x->nrange; i++) {
    const lwi_yaml_node key = lwi_expand_at(x->range[i].entry->key, at.scope);
    if (!read_range(e, &x->range[i], at)) return false;
    if (x->range[i].count != x->range[0].count)
      return lwi_read_fail(e->r, &key, "`%.60s` has %lld values, and `%.60s` has %lld", key.text,
                           x->range[i].count, x->range[0].entry->key->text, x->range[0].count);
  }
  for (long long k = 0; k < x->range[0].count; k++) {
    lwi_place_of_block inner = at;
    for (int i = 0; i < x->nrange; i++) {
      v[i] = value_of(&x->range[i], k);
      v[i].outer = inner.variables;
      inner.variables = &v[i];
    }
    if (!lwi_expand_count(e, &place, 1) || !lwi_expand_map(e, x->block, inner, false)) return false;
  }
  return true;
}

/* The sections of a block and its variables, apart. */
static bool split_block(lwi_expansion *e, const lwi_yaml_node *block, int scope, repeated *x,
                        lwi_yaml_node *sections)
{
  lwi_yaml_entry *entry = lwi_yaml_take(e->doc, (size_t)block->count * sizeof *entry);
  if (!entry) return lwi_read_no_memory(e->r);
  *sections = *block;
  sections->count = 0;
  sections->entry = entry;
  for (int i = 0; i < block->count; i++) {
    const lwi_yaml_entry *from = &block->entry[i];
    const lwi_yaml_node key = lwi_expand_at(from->key, scope);
    const bool structure = lwi_is_structure(key.text);
    if (!structure && !lwi_is_section(key.text))
      return lwi_read_fail(e->r, &key, "`%.60s` cannot be repeated", key.text);
    if (structure || !is_range(from->value)) {
      entry[sections->count++] = *from;
      continue;
    }
    if (!lwi_expr_is_identifier(key.text, (size_t)key.count))
      return lwi_read_fail(e->r, &key, "`%.60s` is no name for a variable", key.text);
    if (x->nrange == MAX_VARIABLES)
      return lwi_read_fail(e->r, &key, "a block has at most %d variables", MAX_VARIABLES);
    x->range[x->nrange++] = (range){.entry = from};
  }
  return true;
}

static bool expand_repeat(lwi_expansion *e, const lwi_yaml_node *block, lwi_place_of_block at)
{
  lwi_yaml_node sections;
  repeated x = {.block = &sections};
  if (!split_block(e, block, at.scope, &x, &sections)) return false;
  if (x.nrange > 0) return repeat_all(e, &x, at);
  const lwi_yaml_node place = lwi_expand_at(block, at.scope);
  return lwi_read_fail(e->r, &place, "`repeat` needs a variable and its range, like `i: 1..50`");
}

bool lwi_expand_repeat(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at)
{
  e->r->key = "repeat";
  return for_each_block(e, value, at, expand_repeat);
}

/* ---- mirror ---- */

/* beside sections */
static const lwi_field mirror_fields[] = {
    {"across", lwi_read_nothing, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "x | y | z", NULL,
     "the axis that changes its sign, in the frames of the bodies"},
    {"rename", lwi_read_nothing, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "mapping of texts", NULL,
     "texts in names, and by what they are replaced"},
};
const lwi_part_keys lwi_mirror_keys = LWI_PART("mirror", NULL, "a mirrored block", mirror_fields);

static bool check_rename(lwi_expansion *e, const lwi_yaml_node *rename)
{
  e->r->key = "rename";
  if (!lwi_read_is_map(e->r, rename)) return false;
  for (int i = 0; i < rename->count; i++) {
    const lwi_yaml_node *word = rename->entry[i].value;
    if (word->kind != LWI_YAML_SCALAR || word->count == 0 || rename->entry[i].key->count == 0)
      return lwi_read_expected(e->r, word, "a word");
  }
  return rename->count > 0 || lwi_read_expected(e->r, rename, "words, like {left: right},");
}

/* Names of parts must change, or they would be there twice. */
static bool check_changes(lwi_expansion *e, const lwi_yaml_node *section, lwi_place_of_block at,
                          int mirrored)
{
  for (int i = 0; section->kind == LWI_YAML_MAP && i < section->count; i++) {
    const lwi_yaml_node *key = lwi_expand_copy(e, section->entry[i].key, at);
    if (!key) return false;
    const char *here = lwi_scope_name(e->r->scopes, at.scope, key->text);
    const char *there = lwi_scope_name(e->r->scopes, mirrored, key->text);
    if (!here || !there) return lwi_read_no_memory(e->r);
    if (strcmp(here, there) == 0)
      return lwi_read_fail(e->r, key,
                           "`%.60s` has none of the words that `rename` replaces: its mirror image "
                           "would have the same name",
                           key->text);
  }
  return true;
}

bool lwi_expand_across(lwi_expansion *e, const lwi_yaml_node *value, int sign[3])
{
  static const char *const axes[] = {"x", "y", "z"};
  int axis;
  if (!lwi_read_choice(e->r, value, axes, LWI_COUNT(axes), &axis)) return false;
  if (e->r->planar && axis == 2)
    return lwi_read_fail(e->r, value, "a planar model is mirrored across x or y");
  sign[axis] = -sign[axis];
  return true;
}

static bool expand_mirror(lwi_expansion *e, const lwi_yaml_node *block, lwi_place_of_block at)
{
  const lwi_yaml_node place = lwi_expand_at(block, at.scope);
  lwi_yaml_node sections = *block;
  lwi_yaml_entry *entry = lwi_yaml_take(e->doc, (size_t)block->count * sizeof *entry);
  lwi_scope scope = e->r->scopes->item[at.scope];
  const lwi_yaml_node *across = lwi_yaml_find(block, mirror_fields[0].key);
  const lwi_yaml_node *rename = lwi_yaml_find(block, mirror_fields[1].key);
  if (!entry) return lwi_read_no_memory(e->r);
  if (!across || !rename)
    return lwi_read_fail(e->r, &place, "a mirrored block needs `%s`", across ? "rename" : "across");
  if (!(across = lwi_expand_copy(e, across, at)) || !(rename = lwi_expand_copy(e, rename, at)))
    return false;
  e->r->key = "across";
  if (!lwi_expand_across(e, across, scope.sign) || !check_rename(e, rename)) return false;
  sections.count = 0;
  sections.entry = entry;
  for (int i = 0; i < block->count; i++)
    if (block->entry[i].value != lwi_yaml_find(block, "across") &&
        block->entry[i].value != lwi_yaml_find(block, "rename"))
      entry[sections.count++] = block->entry[i];
  scope = (lwi_scope){.file = scope.file,
                      .parent = at.scope,
                      .rename = rename,
                      .sign = {scope.sign[0], scope.sign[1], scope.sign[2]},
                      .device = scope.device,
                      .inode = scope.inode};
  lwi_place_of_block image = at;
  if ((image.scope = lwi_expand_scope(e, scope)) < 0) return false;
  for (int i = 0; i < sections.count; i++) {
    const lwi_yaml_node key = lwi_expand_at(entry[i].key, at.scope);
    if (!lwi_is_structure(key.text) && !lwi_is_section(key.text))
      return lwi_read_fail(e->r, &key, "`%.60s` cannot be mirrored", key.text);
    if (!check_changes(e, entry[i].value, at, image.scope)) return false;
  }
  return lwi_expand_map(e, &sections, at, false) && lwi_expand_map(e, &sections, image, false);
}

bool lwi_expand_mirror(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at)
{
  e->r->key = "mirror";
  return for_each_block(e, value, at, expand_mirror);
}
