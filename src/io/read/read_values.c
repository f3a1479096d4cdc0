/* SPDX-License-Identifier: Apache-2.0 */
/* read_values.c -- the values of keys: numbers, vectors, orientations, names of other parts.

   Every scalar is text first (docs/format.md 1.3): what is not a decimal number is an
   expression. */
#include "base/quoted_name.h"
#include "io/read/read_common.h"
#include "model/expression/expr_lex.h"
#include "linkwork/reader.h"
#include "model/spec/spec_data.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- words ---- */

bool lwi_read_nothing(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)r, (void)value, (void)to;
  return true;
}

/* Is it text at all? */
static bool is_word(lwi_reader *r, const lwi_yaml_node *value, const char *what)
{
  if (value->kind == LWI_YAML_SCALAR && !lwi_read_is_empty(value)) return true;
  return lwi_read_expected(r, value, what);
}

bool lwi_read_text(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!is_word(r, value, "a text")) return false;
  *(const char **)to = value->text;
  return true;
}

bool lwi_read_name(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!is_word(r, value, "a name")) return false;
  if (!lwi_is_name(value->text)) return lwi_read_fail(r, value, "`%s`: " LWI_NOT_A_NAME, r->key);
  return (*(const char **)to = lwi_read_whole_name(r, value));
}

bool lwi_read_bool(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const bool scalar = value->kind == LWI_YAML_SCALAR;
  const bool yes = scalar && strcmp(value->text, "true") == 0;
  if (!yes && !(scalar && strcmp(value->text, "false") == 0))
    return lwi_read_expected(r, value, "true or false");
  *(bool *)to = yes;
  return true;
}

bool lwi_read_choice(lwi_reader *r, const lwi_yaml_node *value, const char *const *names, int n,
                     int *to)
{
  if (!is_word(r, value, "a name")) return false;
  for (int i = 0; i < n; i++)
    if (strcmp(names[i], value->text) == 0) return *to = i, true;
  return lwi_read_unknown(r, value, r->key, names, n);
}

bool lwi_read_word(lwi_reader *r, const lwi_yaml_node *value, int *to)
{
  enum { MAX_WORDS = 16, LENGTH = 24 };
  char text[MAX_WORDS][LENGTH];
  const char *names[MAX_WORDS], *at = r->is;
  int n = 0;
  for (; at && n < MAX_WORDS; n++) {
    const char *end = strstr(at, " | ");
    const size_t length = end ? (size_t)(end - at) : strlen(at);
    assert(length < LENGTH);
    memcpy(text[n], at, length);
    text[n][length] = '\0';
    names[n] = text[n];
    at = end ? end + 3 : NULL;
  }
  return lwi_read_choice(r, value, names, n, to);
}

/* Counts from 1 and have few digits. */
static bool parse_index(const char *text, int *to)
{
  int n = 0;
  const size_t length = strlen(text);
  if (length == 0 || length > 6) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    n = 10 * n + (*text - '0');
  }
  *to = n;
  return n > 0;
}

bool lwi_read_index(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (value->kind == LWI_YAML_SCALAR && parse_index(value->text, to)) return true;
  return lwi_read_expected(r, value, "a number that counts from 1");
}

/* ---- numbers ---- */

/* "-12.5e3": a sign and one decimal number, nothing else */
static bool parse_number(const lwi_yaml_node *value, double *to)
{
  const size_t length = (size_t)value->count;
  const bool sign = value->text[0] == '-' || value->text[0] == '+';
  const lwi_token token = lwi_expr_token(value->text, length, sign);
  if (token.kind != LWI_TOKEN_NUMBER || token.column != sign ||
      token.column + token.length != length)
    return false;
  *to = value->text[0] == '-' ? -token.number : token.number;
  return true;
}

/* as YAML writes what is no finite number */
static bool is_infinite(const char *text)
{
  static const char *const words[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
  text += *text == '-' || *text == '+';
  for (int i = 0; i < LWI_COUNT(words); i++)
    if (strcmp(text, words[i]) == 0) return true;
  return false;
}

bool lwi_read_number(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  if (!is_word(r, value, "a number")) return false;
  if (is_infinite(value->text))
    return lwi_read_fail(r, value, "expression \"%s\": not a finite number", value->text);
  if (parse_number(value, x))
    return isfinite(*x) || lwi_read_fail(r, value, "`%s` is too large for a number", value->text);
  return lwi_read_expression(r, value, x);
}

bool lwi_read_positive(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!lwi_read_number(r, value, to)) return false;
  if (!(*(double *)to <= 0)) return true; /* an expression is not a number yet */
  return lwi_read_fail(r, value, "`%s` must be positive, not %.40s", r->key, value->text);
}

bool lwi_read_mass(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!lwi_read_number(r, value, to)) return false;
  if (!(*(double *)to < 0)) return true;
  return lwi_read_fail(r, value, "`%s` must not be negative, and is %.40s", r->key, value->text);
}

bool lwi_read_numbers(lwi_reader *r, const lwi_yaml_node *value, double *to, int n)
{
  char what[32];
  snprintf(what, sizeof what, "a list of %d number%s", n, n == 1 ? "" : "s");
  if (value->kind != LWI_YAML_LIST) return lwi_read_expected(r, value, what);
  if (value->count != n)
    return lwi_read_fail(r, value, "expected %s for `%s`, found %d", what, r->key, value->count);
  for (int i = 0; i < n; i++)
    if (!lwi_read_number(r, value->item[i], &to[i])) return false;
  return true;
}

/* ---- vectors ---- */

static bool is_list(const lwi_yaml_node *value, int n)
{
  return value->kind == LWI_YAML_LIST && value->count == n;
}

/* Is the number written as 0?  Planar models allow no other value. */
static bool is_zero(lwi_reader *r, const lwi_yaml_node *value, double x, char name)
{
  return x == 0 || lwi_read_fail(r, value, "%c of `%s` must be 0 in a planar model", name, r->key);
}

bool lwi_read_vector(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  x[2] = 0;
  if (!lwi_read_numbers(r, value, x, r->planar && !is_list(value, 3) ? 2 : 3)) return false;
  if (r->planar && is_list(value, 3) && !is_zero(r, value->item[2], x[2], 'z')) return false;
  return lwi_read_polar(r, value, x);
}

bool lwi_read_size(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  if (!lwi_read_numbers(r, value, x, 3)) return false;
  for (int i = 0; i < 3; i++)
    if (x[i] <= 0) return lwi_read_fail(r, value->item[i], "`%s` must be positive", r->key);
  return true;
}

bool lwi_read_triple(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  if (value->kind == LWI_YAML_LIST)
    return lwi_read_numbers(r, value, x, r->planar && value->count == 2 ? 2 : 3);
  if (!lwi_read_number(r, value, &x[0])) return false;
  x[1] = x[2] = x[0];
  return true;
}

bool lwi_read_angular(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  if (r->planar && !is_list(value, 3)) {
    if (!lwi_read_number(r, value, &x[2])) return false;
  } else if (!lwi_read_numbers(r, value, x, 3) ||
             (r->planar &&
              !(is_zero(r, value->item[0], x[0], 'x') && is_zero(r, value->item[1], x[1], 'y')))) {
    return false;
  }
  return lwi_read_axial(r, value, x);
}

/* x, y, z, -x, -y, -z */
static bool parse_axis(const char *text, double to[3])
{
  const bool minus = text[0] == '-';
  const char *letter = text + minus;
  if (letter[0] < 'x' || letter[0] > 'z' || letter[1]) return false;
  to[0] = to[1] = to[2] = 0;
  to[letter[0] - 'x'] = minus ? -1 : 1;
  return true;
}

static bool read_axis(lwi_reader *r, const lwi_yaml_node *value, double *x)
{
  if (value->kind == LWI_YAML_SCALAR)
    return parse_axis(value->text, x) ||
           lwi_read_expected(r, value, "a vector or one of x, y, z, -x, -y, -z");
  x[2] = 0;
  if (!lwi_read_numbers(r, value, x, r->planar && is_list(value, 2) ? 2 : 3)) return false;
  lwi_spec_alike(r->spec, x, 3); /* a difference of two places is a direction */
  if (x[0] != 0 || x[1] != 0 || x[2] != 0) return true;
  return lwi_read_fail(r, value, "`%s` has length 0", r->key);
}

bool lwi_read_axis(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_axis(r, value, to) && lwi_read_polar(r, value, to);
}

bool lwi_read_turn(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_axis(r, value, to) && lwi_read_axial(r, value, to);
}

/* ---- orientations ---- */

lw_orient_type lwi_read_orient_type(const char *key)
{
  if (strcmp(key, "rpy") == 0) return LW_ORIENT_RPY;
  if (strcmp(key, "quat") == 0) return LW_ORIENT_QUAT;
  return strcmp(key, "axis_angle") == 0 ? LW_ORIENT_AXIS_ANGLE : LW_ORIENT_NONE;
}

bool lwi_read_orient_value(lwi_reader *r, const lwi_yaml_node *value, lw_orient_type type,
                           lw_orient *to)
{
  double *x = to->value;
  to->type = type;
  if (!lwi_read_numbers(r, value, x, type == LW_ORIENT_RPY ? 3 : 4)) return false;
  if (type == LW_ORIENT_AXIS_ANGLE) {
    lwi_spec_alike(r->spec, x, 3);
    lwi_spec_expect(r->spec, x[3], "rad");
  }
  const bool zero = x[0] == 0 && x[1] == 0 && x[2] == 0;
  if (zero && type != LW_ORIENT_RPY && (type == LW_ORIENT_AXIS_ANGLE || x[3] == 0))
    return lwi_read_fail(r, value, "`%s` has length 0", r->key);
  /* mirrored, each turn about an axis is one about the axial image of it */
  return lwi_read_axial(r, value, type == LW_ORIENT_QUAT ? x + 1 : x);
}

bool lwi_read_orient(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const keys[] = {"rpy", "quat", "axis_angle"};
  static const char what[] = "one of {rpy: ...}, {quat: ...}, {axis_angle: ...}";
  lw_orient *o = to;
  if (r->planar) {
    o->type = LW_ORIENT_RPY;
    return lwi_read_number(r, value, &o->value[2]) && lwi_read_axial(r, value, o->value);
  }
  if (value->kind != LWI_YAML_MAP) return lwi_read_expected(r, value, what);
  if (value->count != 1)
    return lwi_read_fail(r, value, "expected %s for `%s`, found %d keys", what, r->key,
                         value->count);
  const lwi_yaml_entry *e = value->entry;
  const lw_orient_type type = lwi_read_orient_type(e->key->text);
  if (type == LW_ORIENT_NONE)
    return lwi_read_unknown(r, e->key, "orientation", keys, LWI_COUNT(keys));
  r->key = e->key->text;
  return lwi_read_orient_value(r, e->value, type, o);
}

/* ---- other parts ---- */

bool lwi_read_body(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_body *body = to;
  if (!is_word(r, value, "the name of a body")) return false;
  const char *name = lwi_scope_body(r->scopes, value->scope, value->text);
  if (!name) return lwi_read_no_memory(r);
  *body = lw_spec_find_body(r->spec, name);
  if (body->id < 0 && lwi_read_find_point(r, value).id > 0)
    return lwi_read_fail(r, value, "\"%.60s\" is a point; a body is expected here", value->text);
  lwi_yaml_node whole = *value; /* the name in the whole model, for the message */
  whole.text = name;
  value = &whole;
  return body->id >= 0 || lwi_read_unknown_name(r, value, "body", r->bodies, "ground");
}

bool lwi_read_joint(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_joint *joint = to;
  if (!is_word(r, value, "the name of a joint")) return false;
  const char *name = lwi_read_whole_name(r, value);
  if (!name) return false;
  *joint = lw_spec_find_joint(r->spec, name);
  return joint->id > 0 || lwi_read_unknown_name(r, value, "joint", r->joints, NULL);
}

bool lwi_read_coordinate(lwi_reader *r, const lwi_yaml_node *value, lw_term *to)
{
  if (!is_word(r, value, "the name of a joint")) return false;
  const char *dot = strrchr(value->text, '.'), *whole = lwi_read_whole_name(r, value);
  char joint[256];
  if (!whole) return false;
  to->dof = 1;
  to->joint = lw_spec_find_joint(r->spec, whole);
  if (to->joint.id > 0) return true;
  if (!dot) return lwi_read_joint(r, value, &to->joint);
  snprintf(joint, sizeof joint, "%.*s", (int)(dot - value->text < 255 ? dot - value->text : 255),
           value->text);
  lwi_yaml_node word = *value; /* the joint alone, for the message */
  word.text = joint;
  if (!lwi_read_joint(r, &word, &to->joint)) return false;
  return parse_index(dot + 1, &to->dof) ||
         lwi_read_expected(r, value, "a joint or one of its coordinates, like A or A.2,");
}
