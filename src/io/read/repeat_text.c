/* SPDX-License-Identifier: Apache-2.0 */
/* repeat_text.c -- ${i} in the texts of a repeated block: integer arithmetic on its variables. */
#include "io/read/repeat_text.h"

#include "io/read/yaml_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arithmetic: sums of products of signed factors, by recursive descent ---- */

enum { MAX_DEPTH = 50 };

typedef struct {
  const lwi_variable *v;
  const char *at, *end;
  int depth;
  lwi_repeat_error *why;
} parser;

static bool fail(parser *p, const char *format, const char *text)
{
  if (!p->why->text[0]) snprintf(p->why->text, sizeof p->why->text, format, text);
  return false;
}

static char next(parser *p)
{
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
    p->at++;
  return p->at < p->end ? *p->at : '\0';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool read_sum(parser *p, long long *to);

static bool read_digits(parser *p, long long *to)
{
  *to = 0;
  for (; p->at < p->end && is_digit(*p->at); p->at++)
    if (__builtin_mul_overflow(*to, 10, to) || __builtin_add_overflow(*to, *p->at - '0', to))
      return fail(p, "a number is too large%s", "");
  return true;
}

static bool read_variable(parser *p, long long *to)
{
  const char *start = p->at;
  while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
    p->at++;
  const size_t length = (size_t)(p->at - start);
  char name[64];
  snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 63, start);
  for (const lwi_variable *v = p->v; v; v = v->outer) {
    if (strlen(v->name) != length || memcmp(v->name, start, length) != 0) continue;
    if (v->word) return fail(p, "the value of \"%s\" is no whole number", name);
    return *to = v->number, true;
  }
  return fail(p, "\"%s\" is no variable of a `repeat` around it", name);
}

static bool read_factor(parser *p, long long *to)
{
  const char c = next(p);
  if (p->depth == MAX_DEPTH) return fail(p, "nested too deeply%s", "");
  if (is_digit(c)) return read_digits(p, to);
  if (is_letter(c)) return read_variable(p, to);
  if (c != '-' && c != '+' && c != '(')
    return fail(p, c ? "a number or a variable must come before \"%s\"" : "a number is missing%s",
                c ? (char[2]){c, '\0'} : "");
  p->at++;
  p->depth++;
  bool ok = c == '(' ? read_sum(p, to) : read_factor(p, to);
  p->depth--;
  if (ok && c == '-' && __builtin_sub_overflow(0LL, *to, to)) ok = fail(p, "too large%s", "");
  if (ok && c == '(' && next(p) != ')') ok = fail(p, "a parenthesis is not closed%s", "");
  if (ok && c == '(') p->at++;
  return ok;
}

static bool apply(parser *p, char operation, long long b, long long *a)
{
  bool over = false;
  if ((operation == '/' || operation == '%') && b == 0) return fail(p, "division by 0%s", "");
  switch (operation) {
  case '+': over = __builtin_add_overflow(*a, b, a); break;
  case '-': over = __builtin_sub_overflow(*a, b, a); break;
  case '*': over = __builtin_mul_overflow(*a, b, a); break;
  default:
    if (b == -1) { /* -2^63 / -1 has no value */
      over = operation == '/' ? __builtin_sub_overflow(0LL, *a, a) : (*a = 0, false);
    } else if (operation == '%') {
      *a %= b;
      if (*a != 0 && (*a < 0) != (b < 0)) *a += b;
    } else {
      if (*a % b != 0) return fail(p, "a division leaves a remainder%s", "");
      *a /= b;
    }
  }
  return !over || fail(p, "a number is too large%s", "");
}

static bool read_product(parser *p, long long *to)
{
  long long b;
  if (!read_factor(p, to)) return false;
  for (char c = next(p); c == '*' || c == '/' || c == '%'; c = next(p)) {
    p->at++;
    if (!read_factor(p, &b) || !apply(p, c, b, to)) return false;
  }
  return true;
}

static bool read_sum(parser *p, long long *to)
{
  long long b;
  if (!read_product(p, to)) return false;
  for (char c = next(p); c == '+' || c == '-'; c = next(p)) {
    p->at++;
    if (!read_product(p, &b) || !apply(p, c, b, to)) return false;
  }
  return true;
}

bool lwi_repeat_integer(const lwi_variable *v, const char *text, size_t length, long long *to,
                        lwi_repeat_error *why)
{
  parser p = {.v = v, .at = text, .end = text + length, .why = why};
  why->text[0] = '\0';
  if (!read_sum(&p, to)) return false;
  return next(&p) == '\0' || fail(&p, "unexpected \"%s\"", (char[2]){*p.at, '\0'});
}

bool lwi_repeat_is_integer(const char *text, long long *to)
{
  lwi_repeat_error why;
  const char *digits = text + (*text == '-');
  return *digits && strspn(digits, "0123456789") == strlen(digits) &&
         lwi_repeat_integer(NULL, text, strlen(text), to, &why);
}

/* ---- texts ---- */

typedef struct {
  char *text;
  size_t length, capacity;
} writing;

static bool put(writing *w, const char *text, size_t length)
{
  if (w->length + length + 1 > w->capacity) {
    const size_t capacity = 2 * (w->length + length) + 64;
    char *bigger = realloc(w->text, capacity);
    if (!bigger) return false;
    w->text = bigger;
    w->capacity = capacity;
  }
  memcpy(w->text + w->length, text, length);
  w->length += length;
  w->text[w->length] = '\0';
  return true;
}

/* the word of a variable that stands alone */
static const char *find_word(const lwi_variable *v, const char *text, size_t length)
{
  while (length > 0 && *text == ' ')
    text++, length--;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  for (; v; v = v->outer)
    if (strlen(v->name) == length && memcmp(v->name, text, length) == 0) return v->word;
  return NULL;
}

/* The value of one ${...}; after: what follows it.  A negative base of a power needs
   parentheses. */
static bool put_value(writing *w, const lwi_variable *v, const char *text, size_t length,
                      const char *after, lwi_repeat_error *why)
{
  const char *word = find_word(v, text, length);
  if (word) return put(w, word, strlen(word));
  long long number;
  char digits[40];
  if (!lwi_repeat_integer(v, text, length, &number, why)) return false;
  const bool power = number < 0 && after[strspn(after, " ")] == '^';
  snprintf(digits, sizeof digits, power ? "(%lld)" : "%lld", number);
  return put(w, digits, strlen(digits));
}

static bool replace_all(writing *w, const lwi_variable *v, const char *text, lwi_repeat_error *why)
{
  for (const char *start; (start = strstr(text, "${"));) {
    const char *end = strchr(start, '}');
    if (!end) {
      snprintf(why->text, sizeof why->text, "`${` is not closed by `}`");
      return false;
    }
    if (!put(w, text, (size_t)(start - text))) return false;
    if (!put_value(w, v, start + 2, (size_t)(end - start) - 2, end + 1, why)) return false;
    if (w->length > LWI_YAML_MAX_SCALAR) {
      snprintf(why->text, sizeof why->text, "a text of more than %d bytes", LWI_YAML_MAX_SCALAR);
      return false;
    }
    text = end + 1;
  }
  return put(w, text, strlen(text));
}

bool lwi_repeat_text(const lwi_variable *v, const char *text, char **out, lwi_repeat_error *why)
{
  *out = NULL;
  why->text[0] = '\0';
  if (!strstr(text, "${")) return true;
  writing w = {0};
  if (replace_all(&w, v, text, why)) return *out = w.text, true;
  free(w.text);
  return false;
}
