/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c -- blocks of at least 64 KiB, each holding many small items or one large one. */
#include "base/arena.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, BLOCK = 65536 };

struct lwi_arena_block {
  lwi_arena_block *before;
  size_t size, used; /* bytes, the header included */
};

static size_t align_up(size_t n)
{
  return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* clean: how many bytes of what is asked for must be zero */
static lwi_arena_block *add_block(lwi_arena *a, size_t need, size_t clean)
{
  const bool large = need > BLOCK - ALIGN;
  const size_t size = large ? align_up(need) + ALIGN : BLOCK;
  lwi_arena_block *b = aligned_alloc(ALIGN, size);
  if (!b) return NULL;
  memset(b, 0, large ? ALIGN + clean : size);
  *b = (lwi_arena_block){.before = a->last, .size = size, .used = ALIGN};
  a->last = b;
  return b;
}

static void *take(lwi_arena *a, size_t need, size_t clean)
{
  lwi_arena_block *b = a->last;
  if (!b || b->size - b->used < need) b = add_block(a, need, clean);
  if (!b) return NULL;
  void *at = (char *)b + b->used;
  b->used += need;
  return at;
}

static bool too_many(size_t n, size_t size)
{
  return size && n > (SIZE_MAX / 4) / size;
}

void *lwi_arena_take(lwi_arena *a, size_t n, size_t size)
{
  const size_t need = too_many(n, size) ? 0 : align_up(n * size);
  return too_many(n, size) ? NULL : take(a, need, need);
}

void *lwi_arena_scratch(lwi_arena *a, size_t n, size_t size)
{
  return too_many(n, size) ? NULL : take(a, align_up(n * size), 0);
}

void *lwi_arena_copy(lwi_arena *a, const void *from, size_t n, size_t size)
{
  void *to = lwi_arena_scratch(a, n, size);
  if (to && n * size > 0) memcpy(to, from, n * size);
  return to;
}

char *lwi_arena_text(lwi_arena *a, const char *text)
{
  if (!text) return NULL;
  const size_t n = strlen(text) + 1;
  char *copy = lwi_arena_take(a, n, 1);
  return copy ? memcpy(copy, text, n) : NULL;
}

void lwi_arena_free(lwi_arena *a)
{
  for (lwi_arena_block *b = a->last, *before; b; b = before) {
    before = b->before;
    free(b);
  }
  a->last = NULL;
}

int lwi_grow(void *array_pointer, int n, int *capacity, size_t size)
{
  if (n < *capacity) return 1;
  if (*capacity > INT_MAX / 2) return 0;
  const int more = *capacity ? 2 * *capacity : 16;
  void *old;
  memcpy(&old, array_pointer, sizeof old);
  void *grown = realloc(old, (size_t)more * size);
  if (!grown) return 0;
  memcpy(array_pointer, &grown, sizeof grown);
  *capacity = more;
  return 1;
}
