/* SPDX-License-Identifier: Apache-2.0 */
/* carve.h -- one block of memory measured and cut up by the same function run twice: the first walk
   (no base) measures, the second places, so that size and layout cannot disagree. */
#ifndef LWI_BASE_CARVE_H
#define LWI_BASE_CARVE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *base; /* NULL: only measuring; else aligned to 64 bytes */
  size_t used;
} lwi_carver;

static inline void *lwi_carve_bytes(lwi_carver *c, size_t n, size_t size)
{
  const size_t at = (c->used + 63) & ~(size_t)63;
  c->used = at + n * size;
  return c->base ? (void *)(c->base + at) : NULL;
}
#define LWI_CARVE(carver, n, type) ((type *)lwi_carve_bytes((carver), (size_t)(n), sizeof(type)))

#endif
