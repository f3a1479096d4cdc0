/* SPDX-License-Identifier: Apache-2.0 */
/* target.h -- what fuzz targets share: an assertion, and the choice that an input makes itself. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds, const char *what)
{
  if (holds) return;
  fprintf(stderr, "fuzz: %s\n", what);
  abort();
}

static inline uint32_t hash(const uint8_t *data, size_t size)
{
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < size; i++)
    h = (h ^ data[i]) * 16777619u;
  return h;
}

#endif
