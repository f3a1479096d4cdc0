/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c -- files of a model that are kept as texts (sources.h). */
#include "io/file/sources.h"
#include "base/arena.h"
#include "io/file/file_text.h"

#include <stdlib.h>
#include <string.h>

struct lw_sources {
  int n, capacity;
  lw_source *item; /* [n] path and text are malloc'ed */
};

lw_sources *lw_sources_new(void)
{
  return calloc(1, sizeof(lw_sources));
}

void lw_sources_free(lw_sources *s)
{
  if (!s) return;
  for (int i = 0; i < s->n; i++) {
    free((char *)s->item[i].path);
    free((char *)s->item[i].text);
  }
  free(s->item);
  free(s);
}

int lw_sources_count(const lw_sources *s)
{
  return s ? s->n : 0;
}

lw_source lw_sources_get(const lw_sources *s, int i)
{
  return s && i >= 0 && i < s->n ? s->item[i] : (lw_source){0};
}

int lwi_sources_find(const lw_sources *s, const char *path)
{
  for (int i = 0; s && i < s->n; i++)
    if (strcmp(s->item[i].path, path) == 0) return i;
  return -1;
}

/* A copy that ends with a NUL, which does not count. */
static char *copy_text(const char *text, size_t length)
{
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

bool lwi_sources_add(lw_sources *s, const char *path, const char *text, size_t length)
{
  if (!lwi_grow(&s->item, s->n, &s->capacity, sizeof *s->item)) return false;
  char *name = copy_text(path, strlen(path)), *copy = copy_text(text, length);
  if (!name || !copy) return free(name), free(copy), false;
  s->item[s->n++] = (lw_source){.path = name, .text = copy, .length = length};
  return true;
}

lw_status lw_sources_add(lw_sources *s, const char *path, const char *text, size_t length)
{
  if (!s || !path || !text || lwi_sources_find(s, path) >= 0) return LW_E_ARG;
  return lwi_sources_add(s, path, text, length) ? LW_OK : LW_E_MEMORY;
}

static lw_status no_memory(const char *path, lw_error *err)
{
  return lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = path}, "out of memory");
}

lw_status lwi_sources_read(lw_sources *s, const char *path, char **text, size_t *length,
                           lw_error *err)
{
  const int known = lwi_sources_find(s, path);
  if (known >= 0) {
    *length = s->item[known].length;
    *text = copy_text(s->item[known].text, *length);
    return *text ? LW_OK : no_memory(path, err);
  }
  const bool standard =
      strcmp(path, "-") == 0; /* names in it are as seen from the current folder */
  const lw_status status = lwi_file_read(standard ? "/dev/stdin" : path, text, length, err);
  if (status != LW_OK || !s || lwi_sources_add(s, path, *text, *length)) return status;
  free(*text);
  return no_memory(path, err);
}
