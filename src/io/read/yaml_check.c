/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_check.c -- checks of a file before it is parsed: its bytes and its syntax.

   libyaml gives neither line nor column of a byte that is not text; therefore all bytes are checked
   here first.  It also compares each %TAG directive with all others, in quadratic time: they are
   rejected here, since tags have no use in a model file. */
#include "io/read/yaml_check.h"

#include "io/file/file_text.h"
#include "io/file/utf8.h"

#include <stdio.h>
#include <string.h>

/* ---- bytes ---- */

static bool fail(lw_error *err, lwi_position at, const char *text)
{
  lwi_file_fail(err, LW_E_MODEL, at, "%s", text);
  return false;
}

static bool is_text(uint32_t code)
{
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  if (code >= 0x7f && code < 0xa0) return code == 0x85; /* next line */
  return code != 0xfeff && code != 0xfffe && code != 0xffff;
}

static bool fail_byte(lw_error *err, lwi_position at, unsigned char byte)
{
  char text[80];
  if (byte == 0) return fail(err, at, "a NUL byte: this is not a text file");
  snprintf(text, sizeof text, "byte 0x%02x is not UTF-8 text", byte);
  return fail(err, at, text);
}

static bool fail_code(lw_error *err, lwi_position at, uint32_t code)
{
  char text[80];
  if (code == 0) return fail_byte(err, at, 0);
  snprintf(text, sizeof text, "character U+%04X is not allowed", (unsigned)code);
  return fail(err, at, text);
}

/* Counts lines and columns as libyaml does, but for the rare line breaks beyond ASCII. */
static bool check_bytes(const unsigned char *s, size_t n, const char *file, lw_error *err)
{
  lwi_position at = {file, 1, 1};
  for (size_t i = 0, length; i < n; i += length) {
    uint32_t code;
    if (!(length = lwi_utf8_decode(s + i, n - i, &code))) return fail_byte(err, at, s[i]);
    if (!is_text(code)) return fail_code(err, at, code);
    if (at.column == 1 && code == '%' && n - i >= 4 && memcmp(s + i, "%TAG", 4) == 0)
      return fail(err, at, "tags are not supported: remove this line");
    at.column++;
    if (code == '\n' || (code == '\r' && (i + 1 == n || s[i + 1] != '\n'))) {
      at.line++;
      at.column = 1;
    }
  }
  return true;
}

bool lwi_yaml_check_text(const char **text, size_t *length, const char *file, lw_error *err)
{
  if (*length > LWI_FILE_MAX) {
    lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = file},
                  "larger than %d MiB: this is not a model file", LWI_FILE_MAX >> 20);
    return false;
  }
  if (*length >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
    *text += 3;
    *length -= 3;
  }
  return check_bytes((const unsigned char *)*text, *length, file, err);
}

/* ---- syntax ---- */

/* Messages of libyaml, and what they mean in a model file; others are unchanged. */
static const struct {
  const char *problem, *ours;
} phrases[] = {
    {"found character that cannot start any token",
     "a value cannot start like this: put it in quotes"},
    {"found a tab character that violates indentation", "a tab: indent with spaces"},
    {"found a tab character where an indentation space is expected", "a tab: indent with spaces"},
    {"mapping values are not allowed in this context",
     "a `:` where no key can be: is the line indented too far, or a text in need of quotes?"},
    {"block sequence entries are not allowed in this context",
     "a `-` where no list can be: is the line indented wrongly?"},
    {"did not find expected key",
     "expected a key: is the line indented wrongly, or a bracket or quote not closed?"},
    {"did not find expected node content", "expected a value"},
    {"did not find expected '-' indicator", "expected `- ` as in the list above"},
    {"did not find expected ',' or ']'", "expected `,` or `]`"},
    {"did not find expected ',' or '}'", "expected `,` or `}`"},
    {"could not find expected ':'", "expected `:` after the key"},
    {"found unexpected end of stream", "the file ends inside a quoted text"},
    {"found unexpected document indicator", "the document ends inside a quoted text"},
    {"did not find expected <document start>", "something follows the end of the document"},
};

static const char *our_phrase(const char *problem)
{
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (strcmp(phrases[i].problem, problem) == 0) return phrases[i].ours;
  return problem;
}

/* The byte at a place; columns count characters. */
static char byte_at(const char *text, size_t length, yaml_mark_t mark)
{
  const char *end = text + length;
  for (size_t line = 0; line < mark.line; line++) {
    const char *next = memchr(text, '\n', (size_t)(end - text));
    if (!next) return '\0';
    text = next + 1;
  }
  for (size_t column = 0; text < end; text++) {
    const bool starts = ((unsigned char)*text & 0xc0) != 0x80;
    if (starts && column++ == mark.column) return *text;
  }
  return '\0';
}

bool lwi_yaml_syntax_error(const yaml_parser_t *parser, const char *text, size_t length,
                           const char *file, lw_error *err)
{
  const yaml_mark_t mark = parser->problem_mark, start = parser->context_mark;
  const lwi_position at = {file, (int)mark.line + 1, (int)mark.column + 1};
  const char *problem = parser->problem ? parser->problem : "not YAML";
  const bool tab = byte_at(text, length, mark) == '\t';
  const char *ours = tab ? "a tab: indent with spaces" : our_phrase(problem);
  /* where the list, mapping or quoted text began that could not be read to its end */
  if (parser->context && start.line < mark.line)
    lwi_file_fail(err, LW_E_MODEL, at, "%s (in what starts at %zu:%zu)", ours, start.line + 1,
                  start.column + 1);
  else
    lwi_file_fail(err, LW_E_MODEL, at, "%s", ours);
  return false;
}
