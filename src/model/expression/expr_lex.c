/* SPDX-License-Identifier: Apache-2.0 */
/* expr_lex.c -- tokens and numbers of expressions.

   <ctype.h> and the decimal point of strtod follow the locale of the process, a model file does
   not.  Characters are therefore classified here, and numbers reach strtod as digits and an
   exponent without any point: "12.5e3" as "125e2", which means the same in every locale. */
#include "model/expression/expr_lex.h"
#include "base/quoted_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* A double that lies half way between two others has at most 767 significant digits; beyond them
     it only matters whether anything follows at all. */
  MAX_DIGITS = 780,
  /* Beyond this an exponent means 0 or infinity, however many digits fit in a text. */
  MAX_EXPONENT = 1000000
};

typedef struct {
  const char *text;
  size_t length;
} slice;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool digit_at(slice s, size_t i)
{
  return i < s.length && is_digit(s.text[i]);
}

static size_t skip_digits(slice s, size_t i)
{
  while (digit_at(s, i))
    i++;
  return i;
}

static size_t skip_word(slice s, size_t i)
{
  while (i < s.length && (is_digit(s.text[i]) || is_letter(s.text[i])))
    i++;
  return i;
}

/* ---- numbers ---- */

/* A decimal number as digits[ndigit] * 10^exponent, without leading zeros. */
typedef struct {
  char digits[MAX_DIGITS + 1 + 24]; /* with space for a last digit and for the exponent */
  int ndigit;
  long exponent;
} decimal;

/* Reads digits with at most one point; returns where they end. */
static size_t read_mantissa(slice s, decimal *d)
{
  bool after_point = false, more = false;
  size_t i = 0;
  for (; digit_at(s, i) || (i < s.length && s.text[i] == '.'); i++) {
    const char c = s.text[i];
    if (c == '.') {
      after_point = true;
      continue;
    }
    const bool keep = d->ndigit < MAX_DIGITS && (d->ndigit > 0 || c != '0');
    if (keep) d->digits[d->ndigit++] = c;
    if (!keep && c != '0') more = true;
    /* a digit left out on the right raises the exponent, one after the point lowers it */
    d->exponent += (d->ndigit == MAX_DIGITS && !keep) - after_point;
  }
  if (more) { /* no longer a constraint */
    d->digits[d->ndigit++] = '1';
    d->exponent--;
  }
  return i;
}

static long read_exponent(slice s, size_t at)
{
  const bool negative = at < s.length && s.text[at] == '-';
  if (negative || (at < s.length && s.text[at] == '+')) at++;
  long exponent = 0;
  for (; digit_at(s, at) && exponent < MAX_EXPONENT; at++)
    exponent = 10 * exponent + (s.text[at] - '0');
  return negative ? -exponent : exponent;
}

/* Correctly rounded, as far as strtod is. */
static double read_number(slice s)
{
  decimal d = {.ndigit = 0};
  const size_t end = read_mantissa(s, &d);
  if (d.ndigit == 0) return 0.0;
  if (end < s.length) d.exponent += read_exponent(s, end + 1);
  snprintf(d.digits + d.ndigit, sizeof d.digits - (size_t)d.ndigit, "e%ld", d.exponent);
  return strtod(d.digits, NULL);
}

/* Where the number that starts at i ends: 12  .5  5.  1e-11 */
static size_t number_end(slice s, size_t i)
{
  i = skip_digits(s, i);
  if (i < s.length && s.text[i] == '.') i = skip_digits(s, i + 1);
  if (i < s.length && (s.text[i] == 'e' || s.text[i] == 'E')) {
    size_t k = i + 1;
    if (k < s.length && (s.text[k] == '+' || s.text[k] == '-')) k++;
    if (digit_at(s, k)) i = skip_digits(s, k);
  }
  return i;
}

/* ---- tokens ---- */

/* Where the part of a name that starts at i ends: a word, or text in quotes; i: there is none. */
static size_t part_end(slice s, size_t i, bool *quoted)
{
  const size_t n = i < s.length ? lwi_quoted_length(s.text + i, s.length - i) : 0;
  *quoted |= n > 0;
  return n > 0 ? i + n : skip_word(s, i);
}

/* Where the name that starts at i ends: t  q.J.2  q."left knee" */
static size_t name_end(slice s, size_t i, bool *quoted)
{
  i = part_end(s, i, quoted);
  while (i < s.length && s.text[i] == '.') {
    const size_t end = part_end(s, i + 1, quoted);
    if (end == i + 1) break;
    i = end;
  }
  return i;
}

/* One character, of several bytes if it is UTF-8, so that an error can quote it whole. */
static size_t character_end(slice s, size_t i)
{
  const unsigned char lead = (unsigned char)s.text[i];
  const size_t n = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (size_t k = 1; k < n; k++)
    if (i + k >= s.length || ((unsigned char)s.text[i + k] & 0xc0) != 0x80) return i + 1;
  return i + n;
}

/* <= >= == != are one symbol */
static size_t symbol_end(slice s, size_t i)
{
  const char c = s.text[i];
  const bool compares = c == '<' || c == '>' || c == '=' || c == '!';
  return compares && i + 1 < s.length && s.text[i + 1] == '=' ? i + 2 : character_end(s, i);
}

lwi_token lwi_expr_token(const char *text, size_t length, size_t column)
{
  const slice s = {text, length};
  while (column < length && is_space(text[column]))
    column++;
  lwi_token token = {.kind = LWI_TOKEN_END, .column = column};
  if (column == length) return token;

  size_t end;
  if (digit_at(s, column) || (text[column] == '.' && digit_at(s, column + 1))) {
    token.kind = LWI_TOKEN_NUMBER;
    end = number_end(s, column);
    token.number = read_number((slice){text + column, end - column});
  } else if (is_letter(text[column]) || lwi_quoted_length(text + column, length - column) > 0) {
    token.kind = LWI_TOKEN_NAME;
    end = name_end(s, column, &token.quoted);
  } else {
    token.kind = LWI_TOKEN_SYMBOL;
    end = symbol_end(s, column);
  }
  token.length = end - column;
  return token;
}

bool lwi_expr_is_identifier(const char *text, size_t length)
{
  const slice s = {text, length};
  return length > 0 && is_letter(text[0]) && skip_word(s, 0) == length;
}

bool lwi_expr_is_plain(const char *name)
{
  const size_t length = strlen(name);
  bool quoted = false;
  return is_letter(name[0]) && name_end((slice){name, length}, 0, &quoted) == length && !quoted;
}

const char *lwi_expr_write_name(const char *name, char *out)
{
  return lwi_expr_is_plain(name) ? name : lwi_put_in_quotes(name, out, LWI_QUOTED_SIZE);
}
