/* SPDX-License-Identifier: Apache-2.0 */
/* wrapped_memory.h -- count the allocations of the program under test, and let one of them fail.
   For one source of a program that is linked with --wrap for each of the functions below: calls from
   the objects of the program go here, those inside shared libraries (cmocka, libc) do not.  Works
   under the sanitizers. */
#ifndef WRAPPED_MEMORY_H
#define WRAPPED_MEMORY_H
#include <stdbool.h>
#include <stddef.h>

/* NOLINTBEGIN: the linker gives these names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);
/* NOLINTEND */

/* volatile: a compiler knows malloc, and that it changes no variable of ours */
static volatile long allocations; /* since the start, successful or not */
static volatile long live;        /* blocks not freed */
static volatile long fail_at;     /* the allocation, counted from 1, that fails; 0: none */
static volatile bool fail_after;  /* ... and all after it */

static bool refuse(void)
{
  allocations++;
  return fail_at && (allocations == fail_at || (fail_after && allocations > fail_at));
}

static void *note(void *block)
{
  live += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size)
{
  return refuse() ? NULL : note(__real_malloc(size));
}
void *__wrap_calloc(size_t n, size_t size)
{
  return refuse() ? NULL : note(__real_calloc(n, size));
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return refuse() ? NULL : note(__real_aligned_alloc(alignment, size));
}
void *__wrap_realloc(void *old, size_t size)
{
  if (refuse()) return NULL;
  void *block = __real_realloc(old, size);
  live += block && !old;
  return block;
}
void __wrap_free(void *block)
{
  live -= block != NULL;
  __real_free(block);
}

#endif
