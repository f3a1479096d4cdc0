/* SPDX-License-Identifier: Apache-2.0 */
/* column_patterns.c -- matches column names with a list of names and patterns. */
#include "sim/output/column_patterns.h"
#include "base/quoted_name.h"

#include <stdlib.h>
#include <string.h>

/* * and ? that stand for themselves: no name has these characters */
enum { LITERAL_STAR = 1, LITERAL_MARK = 2 };

static char literal(char c)
{
  return c == LITERAL_STAR ? '*' : c == LITERAL_MARK ? '?' : c;
}

/* Not recursive: at a mismatch the last * takes one more character. */
static bool glob(const char *pattern, size_t length, const char *name)
{
  const char *const end = pattern + length, *star = NULL, *retry = NULL;
  while (*name) {
    if (pattern < end && *pattern == '*') {
      star = ++pattern;
      retry = name;
    } else if (pattern < end && (*pattern == '?' || literal(*pattern) == *name)) {
      pattern++, name++;
    } else if (star) {
      pattern = star;
      name = ++retry;
    } else {
      return false;
    }
  }
  while (pattern < end && *pattern == '*')
    pattern++;
  return pattern == end;
}

/* A pattern without its quotes: * and ? in quotes become LITERAL ones if there are others outside.
   Returns its length. */
static size_t read_pattern(const char *text, size_t length, char *to, bool *wild)
{
  size_t n = 0;
  *wild = false;
  for (size_t i = 0; i < length;) {
    const size_t quoted = lwi_quoted_part(text, length, i);
    const size_t start = n, step = quoted ? quoted : 1;
    n += lwi_unquote(text + i, step, to + n);
    for (size_t k = start; k < n; k++) {
      const bool special = to[k] == '*' || to[k] == '?';
      if (special && quoted) to[k] = to[k] == '*' ? LITERAL_STAR : LITERAL_MARK;
      *wild |= special && !quoted;
    }
    i += step;
  }
  for (size_t k = 0; k < n && !*wild; k++)
    to[k] = literal(to[k]);
  return n;
}

static lw_status split(lwi_patterns *p, const char *text)
{
  for (char *to = p->text;;) {
    text += strspn(text, " \t");
    size_t length = lwi_name_length(text, ",");
    const char *next = text + length;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
      length--;
    if (length == 0) return LW_E_ARG;
    bool wild;
    const size_t n = read_pattern(text, length, to, &wild);
    const int before = p->index.n, at = lwi_name_add(&p->index, to, n);
    if (at < 0) return LW_E_MEMORY;
    if (wild && at == before) p->wild[p->nwild++] = at;
    to += n;
    if (*next == '\0') return LW_OK;
    text = next + 1;
  }
}

lw_status lwi_patterns_parse(lwi_patterns *p, const char *text)
{
  size_t most = 1;
  for (const char *c = text; *c; c++)
    most += *c == ',';
  *p = (lwi_patterns){.text = malloc(strlen(text) + 1)};
  p->used = calloc(most, sizeof *p->used);
  p->wild = calloc(most, sizeof *p->wild);
  if (!p->text || !p->used || !p->wild) return LW_E_MEMORY;
  return split(p, text);
}

void lwi_patterns_free(lwi_patterns *p)
{
  lwi_name_index_free(&p->index);
  free(p->text);
  free(p->used);
  free(p->wild);
  *p = (lwi_patterns){0};
}

bool lwi_patterns_match(lwi_patterns *p, const char *name)
{
  const int exact = lwi_name_find(&p->index, name, strlen(name));
  bool matched = exact >= 0;
  if (matched) p->used[exact] = true;
  for (int i = 0; i < p->nwild; i++) {
    const lwi_name *pattern = &p->index.name[p->wild[i]];
    if (!glob(pattern->text, pattern->length, name)) continue;
    matched = p->used[p->wild[i]] = true;
  }
  return matched;
}

bool lwi_patterns_begin(const lwi_patterns *p, const char *word)
{
  const size_t length = strlen(word);
  for (int i = 0; i < p->nwild; i++) {
    const lwi_name *pattern = &p->index.name[p->wild[i]];
    if (pattern->length > length && memcmp(pattern->text, word, length) == 0 &&
        pattern->text[length] == '.')
      return true;
  }
  return false;
}

int lwi_patterns_find_unused(const lwi_patterns *p)
{
  for (int i = 0; i < p->index.n; i++)
    if (!p->used[i]) return i;
  return -1;
}

bool lwi_name_list_add(lwi_name_list *l, const char *name)
{
  const size_t size = 2 * strlen(name) + 4; /* a comma, quotes, and each quote in it twice */
  if (l->capacity - l->length < size) {
    const size_t capacity = 2 * l->capacity + size + 64;
    char *text = realloc(l->text, capacity);
    if (!text) return false;
    l->text = text;
    l->capacity = capacity;
  }
  if (l->length > 0) l->text[l->length++] = ',';
  lwi_put_in_quotes(name, l->text + l->length, size);
  l->length += strlen(l->text + l->length);
  return true;
}
