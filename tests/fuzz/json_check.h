/* SPDX-License-Identifier: Apache-2.0 */
/* json_check.h -- is a text one JSON value (RFC 8259)?  A recursive descent that stops at the first byte that is not,
   with strings in valid UTF-8. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H
#include "linkwork/output.h"

#include <stdbool.h>
#include <string.h>

static const char *json_skip(const char *p)
{
  return p ? p + strspn(p, " \t\r\n") : NULL;
}

static const char *json_string_end(const char *p)
{
  if (*p++ != '"') return NULL;
  while (*p != '"') {
    unsigned code;
    const int n = lw_get_character(p, &code);
    if (n == 0 || code == LW_NO_CHARACTER || code < 0x20) return NULL;
    if (*p == '\\' && p[1] == 'u' && strspn(p + 2, "0123456789abcdefABCDEF") < 4) return NULL;
    if (*p == '\\' && (!p[1] || !strchr("\"\\/bfnrtu", p[1]))) return NULL;
    p += *p == '\\' ? 2 : n;
  }
  return p + 1;
}

static const char *json_number_end(const char *p)
{
  p += *p == '-';
  const size_t digits = strspn(p, "0123456789");
  if (digits == 0 || (digits > 1 && *p == '0')) return NULL;
  p += digits;
  if (*p == '.') {
    if (strspn(++p, "0123456789") == 0) return NULL;
    p += strspn(p, "0123456789");
  }
  if (*p == 'e' || *p == 'E') {
    p += 1 + (p[1] == '-' || p[1] == '+');
    if (strspn(p, "0123456789") == 0) return NULL;
    p += strspn(p, "0123456789");
  }
  return p;
}

/* behind the value with which p begins; NULL: there is none */
static const char *json_end(const char *p)
{
  static const char *const words[] = {"true", "false", "null"};
  for (int i = 0; i < 3; i++)
    if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
  if (*p == '"') return json_string_end(p);
  if (*p != '{' && *p != '[') return json_number_end(p);
  const char close = *p == '{' ? '}' : ']';
  p = json_skip(p + 1);
  if (*p == close) return p + 1;
  for (;;) {
    if (close == '}') {
      p = json_skip(json_string_end(p));
      if (!p || *p != ':') return NULL;
      p = json_skip(p + 1);
    }
    p = json_skip(json_end(p));
    if (!p || (*p != ',' && *p != close)) return NULL;
    if (*p == close) return p + 1;
    p = json_skip(p + 1);
  }
}

static bool is_json(const char *text)
{
  const char *p = json_skip(json_end(json_skip(text)));
  return p && !*p;
}

#endif
