/* SPDX-License-Identifier: Apache-2.0 */
/* xml_tolerance.c -- what the parsers of simulators accept although XML does not, as XML: comments with -- or <!-- in them, an
   <?xml ...?> that is not at the start, blank lines before it, and encodings that are UTF-8 by another name.  Blanks take the
   place of what is removed, so that lines and columns stay. */
#include "io/xml/xml_tolerance.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *find(const char *at, const char *end, const char *what)
{
  const size_t n = strlen(what);
  for (; (size_t)(end - at) >= n; at++)
    if (memcmp(at, what, n) == 0) return at;
  return NULL;
}

static bool starts(const char *at, const char *end, const char *what)
{
  const size_t n = strlen(what);
  return (size_t)(end - at) >= n && memcmp(at, what, n) == 0;
}

static void blank(char *from, const char *to)
{
  for (; from < to; from++)
    if (*from != '\n' && *from != '\r') *from = ' ';
}

/* No two of them follow each other within a comment. */
static void part_dashes(char *from, const char *to)
{
  for (; from < to; from++)
    if (*from == '-') *from = ' ';
}

/* The letters are ASCII, which is UTF-8 as it stands: expat knows it by other names.  at: an <?xml ...?> */
static bool is_ascii(const char *at, const char *end)
{
  const char *name = find(at, end, "encoding");
  char word[8] = {0};
  while (name && name < end && *name != '"' && *name != '\'')
    name++;
  for (size_t n = 0; name && ++name < end && n < 7 && isalnum((unsigned char)*name); n++)
    word[n] = (char)tolower((unsigned char)*name);
  return strcmp(word, "ascii") == 0 || strcmp(word, "utf8") == 0;
}

/* What ends what begins at `at`; NULL: it is an element. */
static const char *ending_of(const char *at, const char *end)
{
  if (starts(at, end, "<!--")) return "-->";
  if (starts(at, end, "<![CDATA[")) return "]]>";
  return starts(at, end, "<?") ? "?>" : NULL;
}

char *lwi_xml_tolerate(const char *text, size_t length)
{
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  const char *end = copy + length;
  for (char *at = copy; (at = memchr(at, '<', (size_t)(end - at))); at++) {
    const char *ending = ending_of(at, end);
    const char *close = ending ? find(at + (*ending == '-' ? 4 : 2), end, ending) : NULL;
    if (!ending) continue;
    if (!close) break; /* the parser says so */
    close += strlen(ending);
    const bool declares = starts(at, end, "<?xml") && isspace((unsigned char)at[5]);
    if (at[1] == '!' && at[2] == '-') part_dashes(at + 4, close - 3);
    if (declares && (at != copy || is_ascii(at, close))) blank(at, close);
    at += close - at - 1;
  }
  return copy;
}
