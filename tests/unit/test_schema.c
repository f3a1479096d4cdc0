/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON schema of the model file accepts what the reader accepts: all shipped models, and the examples of
   docs/format.md.  It refuses misspelled keys, as the reader does.  A schema is JSON, which is YAML:
   both are read by linkwork's own reader, and checked by the few rules that the schema uses. */
#include "lwt.h"

#include "io/file/file_text.h"
#include "io/read/key_tables.h"
#include "io/read/yaml_document.h"
#include "linkwork/file.h"
#include "linkwork/reader.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a validator of what schema.c writes ---- */

typedef struct {
  const lwi_yaml_node *definitions;
  char why[400];
} validator;

static bool refuse(validator *v, const lwi_yaml_node *at, const char *what, const char *name)
{
  snprintf(v->why, sizeof v->why, "%d:%d: %s %.80s", at->line, at->column, what, name);
  return false;
}

static bool is_plain(const lwi_yaml_node *x, const char *text)
{
  return x->kind == LWI_YAML_SCALAR && x->style == LWI_YAML_PLAIN && strcmp(x->text, text) == 0;
}

/* as YAML understands scalars without quotes */
static bool has_type(const lwi_yaml_node *x, const char *type)
{
  if (x->kind != LWI_YAML_SCALAR)
    return strcmp(type, x->kind == LWI_YAML_LIST ? "array" : "object") == 0;
  const bool plain = x->style == LWI_YAML_PLAIN,
             boolean = is_plain(x, "true") || is_plain(x, "false");
  char *end;
  const double number = strtod(x->text, &end);
  const bool numeric = plain && x->count > 0 && !*end;
  if (strcmp(type, "null") == 0) return plain && x->count == 0;
  if (strcmp(type, "boolean") == 0) return boolean;
  if (strcmp(type, "number") == 0) return numeric;
  if (strcmp(type, "integer") == 0) return numeric && number == (double)(long)number;
  return strcmp(type, "string") == 0 && !numeric && !boolean && !(plain && x->count == 0);
}

static bool same(const lwi_yaml_node *a, const lwi_yaml_node *b)
{
  return a->kind == LWI_YAML_SCALAR && b->kind == LWI_YAML_SCALAR && strcmp(a->text, b->text) == 0;
}

static bool valid(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema);

static bool valid_properties(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema)
{
  const lwi_yaml_node *properties = lwi_yaml_find(schema, "properties");
  const lwi_yaml_node *others = lwi_yaml_find(schema, "additionalProperties");
  const lwi_yaml_node *required = lwi_yaml_find(schema, "required");
  if (x->kind != LWI_YAML_MAP) return true;
  for (int i = 0; required && i < required->count; i++)
    if (!lwi_yaml_find(x, required->item[i]->text))
      return refuse(v, x, "required:", required->item[i]->text);
  for (int i = 0; i < x->count; i++) {
    const lwi_yaml_node *key = x->entry[i].key, *value = x->entry[i].value;
    const lwi_yaml_node *of = properties ? lwi_yaml_find(properties, key->text) : NULL;
    if (!of && others && is_plain(others, "false")) return refuse(v, key, "not a key:", key->text);
    if (!of) of = others;
    if (of && of->kind == LWI_YAML_MAP && !valid(v, value, of)) return false;
  }
  const lwi_yaml_node *most = lwi_yaml_find(schema, "maxProperties");
  return !most || x->count <= atoi(most->text) || refuse(v, x, "too many", "keys");
}

static bool valid_items(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema)
{
  const lwi_yaml_node *items = lwi_yaml_find(schema, "items");
  const lwi_yaml_node *least = lwi_yaml_find(schema, "minItems");
  const lwi_yaml_node *most = lwi_yaml_find(schema, "maxItems");
  if (x->kind != LWI_YAML_LIST) return true;
  for (int i = 0; items && i < x->count; i++)
    if (!valid(v, x->item[i], items)) return false;
  if (least && x->count < atoi(least->text)) return refuse(v, x, "too few", "items");
  return !most || x->count <= atoi(most->text) || refuse(v, x, "too many", "items");
}

static bool valid_type(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *type)
{
  if (type->kind == LWI_YAML_SCALAR)
    return has_type(x, type->text) || refuse(v, x, "not of type", type->text);
  for (int i = 0; i < type->count; i++)
    if (has_type(x, type->item[i]->text)) return true;
  return refuse(v, x, "of none of the types", type->item[0]->text);
}

static bool valid_choice(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema)
{
  const lwi_yaml_node *words = lwi_yaml_find(schema, "enum"),
                      *constant = lwi_yaml_find(schema, "const");
  const lwi_yaml_node *pattern = lwi_yaml_find(schema, "pattern");
  bool found = !words;
  for (int i = 0; !found && i < words->count; i++)
    found = same(x, words->item[i]);
  if (!found) return refuse(v, x, "not one of", words->item[0]->text);
  if (constant && !same(x, constant)) return refuse(v, x, "not", constant->text);
  if (!pattern) return true;
  assert_string_equal(pattern->text, "[$][{]"); /* the only one: it holds ${ */
  return x->kind != LWI_YAML_SCALAR || strstr(x->text, "${") || refuse(v, x, "no", "${}");
}

static bool valid_combination(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema)
{
  const lwi_yaml_node *any = lwi_yaml_find(schema, "anyOf"), *all = lwi_yaml_find(schema, "allOf");
  const lwi_yaml_node *condition = lwi_yaml_find(schema, "if"),
                      *then = lwi_yaml_find(schema, "then");
  for (int i = 0; all && i < all->count; i++)
    if (!valid(v, x, all->item[i])) return false;
  if (condition && valid(v, x, condition) && !valid(v, x, then)) return false;
  for (int i = 0; any && i < any->count; i++)
    if (valid(v, x, any->item[i])) return true;
  return !any;
}

static bool valid(validator *v, const lwi_yaml_node *x, const lwi_yaml_node *schema)
{
  static const char *const known[] = {"type",     "properties",    "additionalProperties",
                                      "required", "items",         "minItems",
                                      "maxItems", "minProperties", "maxProperties",
                                      "enum",     "const",         "pattern",
                                      "anyOf",    "allOf",         "if",
                                      "then",     "$ref",          "description",
                                      "$schema",  "title",         "definitions"};
  for (int i = 0; i < schema->count; i++) { /* nothing is passed over */
    bool is_known = strncmp(schema->entry[i].key->text, "x-", 2) == 0;
    for (int k = 0; k < LWI_COUNT(known); k++)
      is_known = is_known || strcmp(known[k], schema->entry[i].key->text) == 0;
    if (!is_known) fail_msg("the test does not know the keyword %s", schema->entry[i].key->text);
  }
  const lwi_yaml_node *ref = lwi_yaml_find(schema, "$ref"), *type = lwi_yaml_find(schema, "type");
  if (ref) {
    const lwi_yaml_node *to = lwi_yaml_find(v->definitions, ref->text + strlen("#/definitions/"));
    if (!to) fail_msg("%s is not defined", ref->text);
    return valid(v, x, to);
  }
  return (!type || valid_type(v, x, type)) && valid_choice(v, x, schema) &&
         valid_properties(v, x, schema) && valid_items(v, x, schema) &&
         valid_combination(v, x, schema);
}

/* ---- support ---- */

static lwi_yaml_document *parse(const char *text, const char *name)
{
  lw_error err = {.status = LW_OK};
  lwi_yaml_document *doc = lwi_yaml_parse(text, strlen(text), name, &err);
  if (!doc) fail_msg("%s: %s\n%s", name, err.text, text);
  return doc;
}

static char *schema_text(void)
{
  const size_t size = lw_schema(NULL, 0) + 1;
  char *text = malloc(size);
  assert_non_null(text);
  assert_int_equal(lw_schema(text, size), size - 1);
  assert_int_equal(strlen(text), size - 1);
  return text;
}

static char *read_source(const char *path)
{
  char whole[500], *text;
  size_t length;
  lw_error err = {.status = LW_OK};
  const char *source = getenv("LINKWORK_SOURCE");
  snprintf(whole, sizeof whole, "%s/%s", source ? source : ".", path);
  if (lwi_file_read(whole, &text, &length, &err) != LW_OK) fail_msg("%s", err.text);
  char *end = realloc(text, length + 1);
  assert_non_null(end);
  end[length] = '\0';
  return end;
}

typedef struct {
  lwi_yaml_document *doc;
  validator v;
} schema;

static schema new_schema(void)
{
  char *text = schema_text();
  schema s = {.doc = parse(text, "schema")};
  s.v.definitions = lwi_yaml_find(lwi_yaml_root(s.doc), "definitions");
  free(text);
  return s;
}

static bool accepts(schema *s, const char *text, const char *name)
{
  lwi_yaml_document *doc = parse(text, name);
  const bool ok = valid(&s->v, lwi_yaml_root(doc), lwi_yaml_root(s->doc));
  lwi_yaml_free(doc);
  return ok;
}

/* ---- tests ---- */

static void stored_schema_is_current(void **state)
{
  (void)state;
  char *now = schema_text(), *stored = read_source("docs/model.schema.json");
  if (strcmp(now, stored) != 0)
    fail_msg("docs/model.schema.json is out of date: linkwork schema > docs/model.schema.json");
  free(now);
  free(stored);
}

static void short_buffers_get_the_beginning(void **state)
{
  (void)state;
  char *whole = schema_text(), part[20];
  assert_int_equal(lw_schema(part, sizeof part), strlen(whole));
  assert_int_equal(strlen(part), sizeof part - 1);
  assert_memory_equal(part, whole, sizeof part - 1);
  assert_int_equal(lw_schema(part, 0), strlen(whole));
  free(whole);
}

static void every_key_is_described(void **state)
{
  (void)state;
  schema s = new_schema();
  for (int i = 0; i < s.v.definitions->count; i++) {
    const lwi_yaml_entry *e = &s.v.definitions->entry[i];
    const lwi_yaml_node *keys = lwi_yaml_find(e->value, "properties");
    for (int k = 0; keys && k < keys->count; k++) {
      const lwi_yaml_node *of = keys->entry[k].value;
      if (lwi_yaml_find(of, "x-is") && !lwi_yaml_find(of, "description"))
        fail_msg("`%s` of %s has no description in its row", keys->entry[k].key->text,
                 e->key->text);
    }
  }
  lwi_yaml_free(s.doc);
}

/* Is it of numbers, whose unit readers need? */
static bool is_number(const char *is)
{
  return strstr(is, "number") || strstr(is, "vector") || strstr(is, "triple") ||
         strcmp(is, "expression") == 0 || strcmp(is, "coordinates") == 0;
}

static void every_number_has_a_unit(void **state)
{
  (void)state;
  schema s = new_schema();
  int n = 0;
  for (int i = 0; i < s.v.definitions->count; i++) {
    const lwi_yaml_entry *e = &s.v.definitions->entry[i];
    const lwi_yaml_node *keys = lwi_yaml_find(e->value, "properties");
    for (int k = 0; keys && k < keys->count; k++) {
      const lwi_yaml_node *is = lwi_yaml_find(keys->entry[k].value, "x-is");
      if (!is || !is_number(is->text)) continue;
      n++;
      if (!lwi_yaml_find(keys->entry[k].value, "x-unit"))
        fail_msg("`%s` of %s has no unit: read_units.c", keys->entry[k].key->text, e->key->text);
    }
  }
  assert_true(n > 100);
  lwi_yaml_free(s.doc);
}

static void shipped_models_are_valid(void **state)
{
  (void)state;
  schema s = new_schema();
  char folder[500], path[800];
  const char *source = getenv("LINKWORK_SOURCE");
  snprintf(folder, sizeof folder, "%s/models", source ? source : ".");
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  int n = 0;
  for (struct dirent *d; (d = readdir(dir));) {
    const size_t length = strlen(d->d_name);
    if (length < 5 || strcmp(d->d_name + length - 5, ".yaml") != 0) continue;
    snprintf(path, sizeof path, "models/%s", d->d_name);
    char *text = read_source(path);
    if (!accepts(&s, text, path)) fail_msg("%s:%s", path, s.v.why);
    free(text);
    n++;
  }
  closedir(dir);
  assert_true(n >= 25);
  lwi_yaml_free(s.doc);
}

/* ```yaml ... ```: parts of files, most without the first line */
static void examples_of_the_reference_are_valid(void **state)
{
  (void)state;
  schema s = new_schema();
  char *text = read_source("docs/format.md");
  int n = 0;
  for (char *at = text; (at = strstr(at, "```yaml\n"));) {
    char *start = strchr(at, '\n') + 1, *end = strstr(start, "\n```");
    assert_non_null(end);
    *end = '\0';
    char *whole = malloc(strlen(start) + 20);
    assert_non_null(whole);
    sprintf(whole, "%s%s\n", strncmp(start, "linkwork:", 9) == 0 ? "" : "linkwork: 1\n", start);
    if (!accepts(&s, whole, "format.md")) fail_msg("docs/format.md: %s in\n%s", s.v.why, whole);
    free(whole);
    at = end + 1;
    n++;
  }
  assert_true(n >= 14);
  free(text);
  lwi_yaml_free(s.doc);
}

#define HEAD "linkwork: 1\nbodies: {a: {mass: 1}}\n"
#define JOINT HEAD "joints:\n  A: "

static void misspelled_files_are_refused_as_by_the_reader(void **state)
{
  (void)state;
  static const struct {
    const char *good, *bad;
  } cases[] = {
      {HEAD, "linkwork: 1\nbody: {a: {mass: 1}}\n"},
      {HEAD, "bodies: {a: {mass: 1}}\n"},
      {HEAD, "linkwork: 1\nbodies: {a: {mas: 1}}\n"},
      {HEAD "gravity: [0, 0, -1]\n", HEAD "gravity: down\n"},
      {HEAD "planar: false\n", HEAD "planar: no\n"},
      {JOINT "{type: revolute, parent: ground, child: a}\n",
       JOINT "{type: revolve, parent: ground, child: a}\n"},
      {JOINT "{type: revolute, parent: ground, child: a}\n", JOINT "{type: revolute, child: a}\n"},
      {JOINT "{type: helical, parent: ground, child: a, pitch: 1}\n",
       JOINT "{type: revolute, parent: ground, child: a, pitch: 1}\n"},
      {JOINT "{type: revolute, parent: ground, child: a, limits: {lower: 0}}\n",
       JOINT "{type: revolute, parent: ground, child: a, limits: {low: 0}}\n"},
      {JOINT "{type: cylindrical, parent: ground, child: a, limits: [none, [0, 1]]}\n",
       JOINT "{type: cylindrical, parent: ground, child: a, limits: [nothing, [0, 1]]}\n"},
      {JOINT "{type: revolute, parent: ground, child: a, axis: -y, q: 3 deg}\n",
       JOINT "{type: revolute, parent: ground, child: a, axis: w, q: 3 deg}\n"},
      {JOINT "{type: spherical, parent: ground, child: a, q: {rpy: [0, 0, 1]}}\n",
       JOINT "{type: spherical, parent: ground, child: a, q: {rpm: [0, 0, 1]}}\n"},
      {HEAD "simulation: {end: 1, integrator: rk}\n",
       HEAD "simulation: {end: 1, integrator: rkf}\n"},
      {HEAD "events: [{at: 1, stop: true}]\n", HEAD "events: [{at: 1, stop: maybe}]\n"},
      {HEAD "events: [{at: 1, impulse: {body: a, linear: [1, 0, 0]}}]\n",
       HEAD "events: [{at: 1, impulse: {body: a, lineal: [1, 0, 0]}}]\n"},
      {HEAD "forces: {f: {type: force, body: a, force: [0, 0, t]}}\n",
       HEAD "forces: {f: {type: force, body: a, force: t}}\n"},
      {HEAD "parameters: {p: {value: 1, unit: m}}\n",
       HEAD "parameters: {p: {value: 1, units: m}}\n"},
      {"linkwork: 1\nbodies: {a: {solid: {sphere: {radius: 1, mass: 1}}}}\n",
       "linkwork: 1\nbodies: {a: {solid: {ball: {radius: 1, mass: 1}}}}\n"},
      {"linkwork: 1\nrepeat: {i: 1..3, bodies: {'b${i}': {mass: 1}}}\n",
       "linkwork: 1\nrepeat: {i: 1..3, bodies: {'b${i}': {mas: 1}}}\n"},
      {HEAD "sensitivity: {objectives: {o: {final: x.a}}}\n",
       HEAD "sensitivity: {objectives: {o: {last: x.a}}}\n"},
  };
  schema s = new_schema();
  for (int i = 0; i < LWI_COUNT(cases); i++) {
    for (int bad = 0; bad < 2; bad++) {
      const char *text = bad ? cases[i].bad : cases[i].good;
      lw_error err = {.status = LW_OK};
      lw_spec *spec = lw_spec_parse(text, strlen(text), NULL, &err);
      if ((spec == NULL) != bad) fail_msg("the reader: %s\n%s", err.text, text);
      if (accepts(&s, text, "case") == bad) fail_msg("the schema: %s\n%s", s.v.why, text);
      lw_spec_free(spec);
    }
  }
  lwi_yaml_free(s.doc);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stored_schema_is_current),
      cmocka_unit_test(short_buffers_get_the_beginning),
      cmocka_unit_test(every_key_is_described),
      cmocka_unit_test(every_number_has_a_unit),
      cmocka_unit_test(shipped_models_are_valid),
      cmocka_unit_test(examples_of_the_reference_are_valid),
      cmocka_unit_test(misspelled_files_are_refused_as_by_the_reader),
  };
  return cmocka_run_group_tests_name("unit/schema", tests, NULL, NULL);
}
