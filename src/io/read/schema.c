/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c -- the JSON schema of the model file (draft 7), from the tables by which the file is
   read.

   What a row says about a value is a sentence of few words: "body or point", "list of 3 numbers",
   "mapping of joints", "rising | falling".  Each noun is a definition of the schema: a part of
   key_tables.h, or a value of the list below.  Units, defaults and the sentence itself are kept as
   x-unit, x-default and x-is, of which tools/format-tables.py makes the tables of
   docs/format.md. */
#include "io/read/expand_data.h"
#include "io/read/key_tables.h"
#include "linkwork/reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const lwi_part_keys *const parts[] = {
    &lwi_include_keys,   &lwi_table_keys,      &lwi_function_keys,    &lwi_parameter_keys,
    &lwi_body_keys,      &lwi_solid_keys,      &lwi_pose_keys,        &lwi_velocity_keys,
    &lwi_point_keys,     &lwi_joint_keys,      &lwi_limits_keys,      &lwi_friction_keys,
    &lwi_force_keys,     &lwi_end_keys,        &lwi_state_keys,       &lwi_event_keys,
    &lwi_lock_keys,      &lwi_connection_keys, &lwi_replacement_keys, &lwi_impulse_keys,
    &lwi_impact_keys,    &lwi_merge_keys,      &lwi_simulation_keys,  &lwi_sensitivity_keys,
    &lwi_objective_keys, &lwi_contact_keys,    &lwi_on_keys,          &lwi_plane_keys,
    &lwi_sphere_keys,    &lwi_disc_keys,       &lwi_shape_keys,       &lwi_study_keys,
    &lwi_factor_keys,
};

/* ---- text: ' stands for ", which C would have to escape ---- */

typedef struct {
  char *text;
  size_t size, length;
} sink;

static void put_character(sink *s, char c)
{
  if (s->length + 1 < s->size) s->text[s->length] = c;
  s->length++;
}

__attribute__((format(printf, 2, 3))) static void put(sink *s, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (const char *c = text; *c; c++)
    put_character(s, *c == '\'' ? '"' : *c);
}

/* , "key": "text" */
static void put_note(sink *s, const char *key, const char *text)
{
  if (!text) return;
  put(s, ", '%s': '", key);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') put_character(s, '\\');
    put_character(s, *text);
  }
  put(s, "'");
}

/* ---- values that are no parts: every number may be an expression, every text have ${i} in it
   ---- */

#define REF(name) "{'$ref': '#/definitions/" name "'}"
#define WORD "'type': ['string', 'number']"
#define LIST(least, most)                                                                          \
  "'type': 'array', 'items': " REF("number") ", 'minItems': " #least ", 'maxItems': " #most
#define TURNS "'rpy': {" LIST(3, 3) "}, 'quat': {" LIST(4, 4) "}, 'axis_angle': {" LIST(4, 4) "}"
static const struct {
  const char *name, *plural, *schema;
} values[] = {
    {"template", "templates", "'type': 'string', 'pattern': '[$][{]'"},
    {"number", "numbers", WORD},
    {"expression", "expressions", WORD},
    {"text", "texts", "'type': ['string', 'number', 'boolean']"},
    {"name", "names", WORD},
    {"body_name", "", WORD},
    {"point_name", "", WORD},
    {"joint_name", "", WORD},
    {"type", "types", WORD},
    {"index", "indices", "'type': ['integer', 'string']"},
    {"1", "", "'enum': [1, '1']"},
    {"boolean", "booleans", "'anyOf': [{'type': 'boolean'}, " REF("template") "]"},
    {"vector", "vectors", LIST(2, 3)},
    {"three_numbers", "3 numbers", LIST(3, 3)},
    {"none", "", "'enum': ['none']"},
    {"range", "ranges", "'anyOf': [{" LIST(2, 2) "}, " REF("none") "]"},
    {"variation", "variations", "'anyOf': [{" LIST(2, 2) "}, {'type': 'null'}]"},
    {"case", "cases", "'type': 'object', 'additionalProperties': " REF("number")},
    {"triple", "triples", "'anyOf': [" REF("number") ", " REF("vector") "]"},
    {"axis", "axes",
     "'anyOf': [{'enum': ['x', 'y', 'z', '-x', '-y', '-z']}, " REF("template") ", " REF(
         "vector") "]"},
    {"orientation", "orientations", "'anyOf': [" REF("number") ", " REF("turn") "]"},
    {"turn", "turns",
     "'type': 'object', 'additionalProperties': false, 'minProperties': 1, 'maxProperties': 1, "
     "'properties': {" TURNS "}"},
    {"coordinates", "", "'anyOf': [" REF("number") ", " REF("number_list") ", " REF("place") "]"},
    {"place", "places",
     "'type': 'object', 'additionalProperties': false, "
     "'properties': {'at': " REF("vector") ", " TURNS "}"},
    {"coefficients", "",
     "'type': 'object', 'additionalProperties': {'anyOf': [" REF(
         "number") ", {'type': 'array', "
                   "'minItems': 1, 'maxItems': 4, 'items': " REF("number") "}]}"},
    {"number_list", "lists of numbers", "'type': 'array', 'items': " REF("number")},
};

/* ---- sentences ---- */

/* The definition of a noun.  Where parts are named they are names. */
static const char *definition(const char *noun, size_t length, bool names)
{
  static const char *const named[][3] = {{"body", "bodies", "body_name"},
                                         {"point", "points", "point_name"},
                                         {"joint", "joints", "joint_name"}};
#define IS(text) (strlen(text) == length && strncmp(text, noun, length) == 0)
  for (int i = 0; i < LWI_COUNT(named); i++)
    if (names && (IS(named[i][0]) || IS(named[i][1]))) return named[i][2];
  for (int i = 0; i < LWI_COUNT(values); i++)
    if (IS(values[i].name) || IS(values[i].plural)) return values[i].name;
  for (int i = 0; i < LWI_COUNT(parts); i++) {
    const char *name = parts[i]->name;
    const size_t n = strlen(name);
    if (IS(name) || (n + 1 == length && noun[n] == 's' && strncmp(name, noun, n) == 0)) return name;
  }
  if (IS("bodies")) return "body";
  if (IS("repeat") || IS("repeats")) return "repeat"; /* put_blocks */
  if (IS("mirror") || IS("mirrors")) return "mirror";
#undef IS
  assert(!"a row has a noun that schema.c does not know");
  return "text";
}

/* "body", "list of joints", "mapping of joints" */
static void put_alternative(sink *s, const char *text, size_t length, bool names)
{
  static const char list[] = "list of ", mapping[] = "mapping of ";
  const size_t nlist = sizeof list - 1, nmapping = sizeof mapping - 1;
  const bool is_list = strncmp(text, list, nlist) == 0;
  const bool is_mapping = strncmp(text, mapping, nmapping) == 0;
  const size_t skip = is_list ? nlist : is_mapping ? nmapping : 0;
  const char *name = definition(text + skip, length - skip, names);
  if (is_list && strcmp(name, "three_numbers") != 0)
    put(s, "'type': ['array', 'null'], 'items': {'$ref': '#/definitions/%s'}", name);
  else if (is_mapping)
    put(s, "'type': ['object', 'null'], 'additionalProperties': {'$ref': '#/definitions/%s'}",
        name);
  else
    put(s, "'$ref': '#/definitions/%s'", name);
}

/* "rising | falling" */
static void put_words(sink *s, const char *is)
{
  put(s, "'anyOf': [{'enum': [");
  for (const char *at = is; at;) {
    const char *end = strstr(at, " | ");
    put(s, "%s'%.*s'", at == is ? "" : ", ", end ? (int)(end - at) : (int)strlen(at), at);
    at = end ? end + 3 : NULL;
  }
  put(s, "]}, " REF("template") "]");
}

/* The members of the schema of a value. */
static void put_value(sink *s, const char *is, bool names)
{
  if (strstr(is, " | ")) {
    put_words(s, is);
    return;
  }
  if (!strstr(is, " or ")) {
    put(s, "'allOf': [{"); /* beside $ref draft 7 would ignore descriptions */
    put_alternative(s, is, strlen(is), names);
    put(s, "}]");
    return;
  }
  put(s, "'anyOf': [");
  for (const char *at = is; at;) {
    const char *end = strstr(at, " or ");
    put(s, "%s{", at == is ? "" : ", ");
    put_alternative(s, at, end ? (size_t)(end - at) : strlen(at), names);
    put(s, "}");
    at = end ? end + 4 : NULL;
  }
  put(s, "]");
}

/* ---- parts ---- */

static void put_key(sink *s, const lwi_field *f, const char *unit, bool first)
{
  put(s, "%s\n        '%s': {", first ? "" : ",", f->key);
  put_value(s, f->is, true);
  put_note(s, "description", f->doc);
  put_note(s, "x-is", f->is);
  put_note(s, "x-unit", unit);
  put_note(s, "x-default", f->usual);
  put(s, "}");
}

static void put_required(sink *s, const lwi_field_table *t)
{
  bool first = true;
  for (int i = 0; i < t->nfield; i++)
    if (t->field[i].required >> t->type & 1u) {
      put(s, "%s'%s'", first ? ", 'required': [" : ", ", t->field[i].key);
      first = false;
    }
  if (!first) put(s, "]");
}

/* The rows of one table. */
static void put_rows(sink *s, const lwi_part_keys *part, int k)
{
  const lwi_field_table *t = &part->table[k];
  const char *type = part->types ? part->types[k] : part->name;
  bool first = true;
  for (int i = 0; i < t->nfield; i++)
    if (t->field[i].types >> t->type & 1u) {
      put_key(s, &t->field[i], lwi_unit_of(part->kind, type, t->field[i].key), first);
      first = false;
    }
}

/* The keys of one table, as a definition. */
static void put_table(sink *s, const lwi_part_keys *part, int k, const char *name)
{
  put(s, ",\n    '%s': {'type': 'object', 'additionalProperties': false", name);
  put_required(s, &part->table[k]);
  put(s, ", 'properties': {");
  put_rows(s, part, k);
  put(s, "}}");
}

/* {type: rod, ...}: the rest of the keys as the type says */
static void put_types(sink *s, const lwi_part_keys *p)
{
  put(s, ",\n    '%s': {'type': 'object', 'required': ['type'], 'properties': {'type': {'anyOf': [",
      p->name);
  put(s, "{'enum': [");
  for (int k = 0; k < p->n; k++)
    put(s, "%s'%s'", k ? ", " : "", p->types[k]);
  put(s, "]}, " REF("template") "]}}, 'allOf': [");
  for (int k = 0; k < p->n; k++)
    put(s,
        "%s\n        {'if': {'properties': {'type': {'const': '%s'}}}, 'then': "
        "{'$ref': '#/definitions/%s_%s'}}",
        k ? "," : "", p->types[k], p->types[k], p->name);
  put(s, "]}");
}

/* {rod: {...}} */
static void put_shapes(sink *s, const lwi_part_keys *p)
{
  put(s,
      ",\n    '%s': {'type': 'object', 'additionalProperties': false, 'minProperties': 1, "
      "'maxProperties': 1, 'properties': {",
      p->name);
  for (int k = 0; k < p->n; k++)
    put(s, "%s\n        '%s': {'$ref': '#/definitions/%s_%s'}", k ? "," : "", p->types[k],
        p->types[k], p->name);
  put(s, "}}");
}

static void put_part(sink *s, const lwi_part_keys *p)
{
  char name[80];
  if (p->also) {
    put(s, ",\n    '%s': {'anyOf': [{'$ref': '#/definitions/%s'}, ", p->name, p->also);
    put(s, "{'$ref': '#/definitions/%s_keys'}]}", p->name);
  }
  if (!p->types) {
    snprintf(name, sizeof name, "%s%s", p->name, p->also ? "_keys" : "");
    put_table(s, p, 0, name);
    return;
  }
  if (p->by_key)
    put_shapes(s, p);
  else
    put_types(s, p);
  for (int k = 0; k < p->n; k++) {
    snprintf(name, sizeof name, "%s_%s", p->types[k], p->name);
    put_table(s, p, k, name);
  }
}

/* ---- the file ---- */

/* Those of a file, or those that blocks may have. */
static void put_sections(sink *s, bool blocks)
{
  bool first = !blocks;
  for (const lwi_section_key *k = lwi_section_keys; k->key; k++) {
    if (blocks && !lwi_is_section(k->key) && !lwi_is_structure(k->key)) continue;
    put(s, "%s\n    '%s': {", first ? "" : ",", k->key);
    first = false;
    put_value(s, k->is, false);
    put_note(s, "description", k->doc);
    put_note(s, "x-is", k->is);
    put_note(s, "x-unit", lwi_unit_of(NULL, NULL, k->key));
    put_note(s, "x-default", k->usual);
    put(s, "}");
  }
}

/* Sections, and variables with their values; sections, and what to mirror. */
static void put_blocks(sink *s)
{
  put(s, ",\n    'repeat': {'type': 'object', 'additionalProperties': {'anyOf': [" REF(
             "text") ", "
                     "{'type': 'array', 'items': " REF("text") "}]}, 'properties': {");
  put(s, "\n        'i': {'description': 'a variable: a range 1..50, 0..10 by 2, or a list'}");
  put_sections(s, true);
  put(s, "}},\n    'mirror': {'type': 'object', 'additionalProperties': false");
  put_required(s, lwi_mirror_keys.table);
  put(s, ", 'properties': {");
  put_rows(s, &lwi_mirror_keys, 0);
  put_sections(s, true);
  put(s, "}}");
}

static void put_schema(sink *s)
{
  put(s, "{\n  '$schema': 'http://json-schema.org/draft-07/schema#',\n"
         "  'title': 'linkwork model file',\n  'type': 'object',\n  'required': ['linkwork'],\n"
         "  'additionalProperties': false,\n  'properties': {");
  put_sections(s, false);
  put(s, "\n  },\n  'definitions': {");
  for (int i = 0; i < LWI_COUNT(values); i++)
    put(s, "%s\n    '%s': {%s}", i ? "," : "", values[i].name, values[i].schema);
  for (int i = 0; i < LWI_COUNT(parts); i++)
    put_part(s, parts[i]);
  put_blocks(s);
  put(s, "\n  }\n}\n");
}

size_t lw_schema(char text[], size_t size)
{
  sink s = {text, text ? size : 0, 0};
  put_schema(&s);
  if (s.size > 0) s.text[s.length < s.size ? s.length : s.size - 1] = '\0';
  return s.length;
}
