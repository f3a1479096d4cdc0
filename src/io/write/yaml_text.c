/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_text.c -- a growing text of YAML. */
#include "io/write/yaml_text.h"
#include "base/number_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lwi_yaml_add(lwi_yaml_text *y, const char *format, ...)
{
  if (y->full) return;
  for (;;) {
    const size_t left = y->capacity - y->length;
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(y->text ? y->text + y->length : NULL, left, format, arguments);
    va_end(arguments);
    if (n >= 0 && (size_t)n < left) {
      y->length += (size_t)n;
      return;
    }
    const size_t capacity = 2 * y->capacity + (size_t)(n > 0 ? n : 0) + 4096;
    char *text = realloc(y->text, capacity);
    if (!text) {
      y->full = true;
      return;
    }
    y->text = text;
    y->capacity = capacity;
  }
}

void lwi_yaml_text_free(lwi_yaml_text *y)
{
  free(y->text);
  *y = (lwi_yaml_text){0};
}

/* Letters, digits, _ - . / and no word that means something else. */
static bool is_plain(const char *name)
{
  static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  if (!*name || !strchr(letters, name[0])) return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], name) == 0) return false;
  for (const char *c = name; *c; c++)
    if (!strchr(letters, *c) && !strchr("0123456789-./", *c)) return false;
  return true;
}

void lwi_yaml_name(lwi_yaml_text *y, const char *name)
{
  if (is_plain(name)) {
    lwi_yaml_add(y, "%s", name);
    return;
  }
  lwi_yaml_add(y, "\"");
  for (const char *c = name; *c; c++)
    lwi_yaml_add(y, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  lwi_yaml_add(y, "\"");
}

void lwi_yaml_value(lwi_yaml_text *y, double number)
{
  char text[LWI_NUMBER_TEXT + 1];
  const int e = lwi_expr_index(number);
  if (e >= 0) {
    lwi_yaml_name(y, y->spec->expr[e].text);
    return;
  }
  *lwi_put_number(text, number) = '\0';
  lwi_yaml_add(y, "%s", text);
}

/* ---- mappings ---- */

void lwi_yaml_open(lwi_yaml_text *y, const char *name)
{
  lwi_yaml_add(y, "  ");
  lwi_yaml_name(y, name);
  lwi_yaml_add(y, ": {");
  y->first = true;
}

void lwi_yaml_close(lwi_yaml_text *y)
{
  lwi_yaml_add(y, "}\n");
}

void lwi_yaml_key(lwi_yaml_text *y, const char *key)
{
  lwi_yaml_add(y, "%s%s: ", y->first ? "" : ", ", key);
  y->first = false;
}

void lwi_yaml_word(lwi_yaml_text *y, const char *key, const char *word)
{
  lwi_yaml_key(y, key);
  lwi_yaml_name(y, word);
}

void lwi_yaml_number(lwi_yaml_text *y, const char *key, double number)
{
  if (number == 0) return;
  lwi_yaml_key(y, key);
  lwi_yaml_value(y, number);
}

void lwi_yaml_list(lwi_yaml_text *y, const char *key, const double x[], int n)
{
  bool zero = true;
  for (int i = 0; i < n; i++)
    zero = zero && x[i] == 0;
  if (zero) return;
  lwi_yaml_key(y, key);
  for (int i = 0; i < n; i++) {
    lwi_yaml_add(y, i ? ", " : "[");
    lwi_yaml_value(y, x[i]);
  }
  lwi_yaml_add(y, "]");
}

void lwi_yaml_place(lwi_yaml_text *y, const char *at, const char *orient, const lw_place *place)
{
  static const char *const forms[] = {"", "quat", "rpy", "axis_angle"};
  const lw_orient *o = &place->orient;
  lwi_yaml_list(y, at, place->at, 3);
  if (o->type == LW_ORIENT_NONE) return;
  lwi_yaml_key(y, orient);
  if (y->spec->planar) { /* the angle about z */
    lwi_yaml_value(y, o->value[2]);
    return;
  }
  lwi_yaml_add(y, "{");
  y->first = true;
  lwi_yaml_list(y, forms[o->type], o->value, o->type == LW_ORIENT_RPY ? 3 : 4);
  if (y->first) lwi_yaml_add(y, "rpy: [0, 0, 0]");
  lwi_yaml_add(y, "}");
  y->first = false;
}
