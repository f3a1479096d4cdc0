/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h -- memory that is freed all at once.  Zeroed, aligned to 64 bytes.  {0} is an empty
   one. */
#ifndef LWI_BASE_ARENA_H
#define LWI_BASE_ARENA_H
#include <stddef.h>

typedef struct lwi_arena_block lwi_arena_block;
typedef struct {
  lwi_arena_block *last;
} lwi_arena;

/* n items of size bytes; NULL: no memory.  n = 0 gives a pointer that must not be read. */
void *lwi_arena_take(lwi_arena *a, size_t n, size_t size);
#define LWI_TAKE(arena, n, type) ((type *)lwi_arena_take((arena), (size_t)(n), sizeof(type)))
/* The same, but the items may hold anything: all of them will be written. */
void *lwi_arena_scratch(lwi_arena *a, size_t n, size_t size);
#define LWI_SCRATCH(arena, n, type) ((type *)lwi_arena_scratch((arena), (size_t)(n), sizeof(type)))
/* A copy of n items. */
void *lwi_arena_copy(lwi_arena *a, const void *from, size_t n, size_t size);
/* A copy of a text; of NULL, NULL. */
char *lwi_arena_text(lwi_arena *a, const char *text);
void lwi_arena_free(lwi_arena *a); /* leaves {0} */

/* Makes space for one more item in a growing malloc'ed array: doubles *capacity.  0: no memory. */
int lwi_grow(void *array_pointer, int n, int *capacity, size_t size);

#endif
