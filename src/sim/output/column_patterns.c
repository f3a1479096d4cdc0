/* SPDX-License-Identifier: Apache-2.0 */
/* column_patterns.c -- matches column names with a list of names and patterns. */
#include "sim/output/column_patterns.h"

#include <stdlib.h>
#include <string.h>

/* Not recursive: at a mismatch the last * takes one more character. */
static bool glob(const char *pattern, size_t length, const char *name)
{
  const char *const end = pattern + length, *star = NULL, *retry = NULL;
  while (*name) {
    if (pattern < end && *pattern == '*') {
      star = ++pattern;
      retry = name;
    } else if (pattern < end && (*pattern == '?' || *pattern == *name)) {
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

static bool is_wild(const lwi_name *pattern)
{
  return memchr(pattern->text, '*', pattern->length) || memchr(pattern->text, '?', pattern->length);
}

static lw_status split(lwi_name_index *index, const char *text)
{
  for (;;) {
    text += strspn(text, " \t");
    size_t length = strcspn(text, ",");
    const char *next = text + length;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
      length--;
    if (length == 0) return LW_E_ARG;
    if (lwi_name_add(index, text, length) < 0) return LW_E_MEMORY;
    if (*next == '\0') return LW_OK;
    text = next + 1;
  }
}

lw_status lwi_patterns_parse(lwi_patterns *p, const char *text)
{
  *p = (lwi_patterns){0};
  const lw_status status = split(&p->index, text);
  if (status != LW_OK) return status;

  const size_t n = (size_t)p->index.n;
  p->used = calloc(n, sizeof *p->used);
  p->wild = calloc(n, sizeof *p->wild);
  if (!p->used || !p->wild) return LW_E_MEMORY;
  for (int i = 0; i < p->index.n; i++)
    if (is_wild(&p->index.name[i])) p->wild[p->nwild++] = i;
  return LW_OK;
}

void lwi_patterns_free(lwi_patterns *p)
{
  lwi_name_index_free(&p->index);
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

int lwi_patterns_find_unused(const lwi_patterns *p)
{
  for (int i = 0; i < p->index.n; i++)
    if (!p->used[i]) return i;
  return -1;
}
