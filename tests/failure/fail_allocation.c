/* SPDX-License-Identifier: Apache-2.0 */
/* fail_allocation.c -- a library for LD_PRELOAD that lets one allocation of a program fail, wherever in its
   libraries that is: LINKWORK_FAIL_AT=n is the n-th (from 1) after the start of main; LINKWORK_FAIL_ON=1
   lets all after it fail too.  LINKWORK_COUNT=FILE has the number of allocations written there at the end.

   Calls of these functions of SUNDIALS 6 do not count, since they use memory that they did not get, and nothing
   can be done about it from outside: src/sim/integrate/sundials_vector.h says what is done instead.

   Under the address sanitizer it stands before the sanitizer (verify_asan_link_order=0) and hands on to it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the sanitizer's, where there is one, and those of libc: both can be had without a dlsym that allocates */
/* NOLINTBEGIN: names given by others */
__attribute__((weak)) void *__interceptor_malloc(size_t size);
__attribute__((weak)) void *__interceptor_calloc(size_t n, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *old, size_t size);
__attribute__((weak)) void *__interceptor_aligned_alloc(size_t alignment, size_t size);
__attribute__((weak)) int __interceptor_posix_memalign(void **to, size_t alignment, size_t size);
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
/* NOLINTEND */

static bool counting, fail_on;
static long count, fail_at;

static bool refuse(void)
{
  if (!counting) return false;
  const long n = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (fail_at == 0 || (fail_on ? n < fail_at : n != fail_at)) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size)
{
  if (refuse()) return NULL;
  return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
  if (refuse()) return NULL;
  return __interceptor_calloc ? __interceptor_calloc(n, size) : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
  if (refuse()) return NULL;
  return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  if (refuse()) return NULL;
  return __interceptor_aligned_alloc ? __interceptor_aligned_alloc(alignment, size)
                                     : __libc_memalign(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
  if (refuse()) return ENOMEM;
  if (__interceptor_posix_memalign) return __interceptor_posix_memalign(to, alignment, size);
  *to = __libc_memalign(alignment, size);
  return *to ? 0 : ENOMEM;
}

/* ---- what cannot survive ---- */

static void *next_function(const char *name)
{
  const bool counted = counting;
  counting = false;
  void *found = dlsym(RTLD_NEXT, name);
  counting = counted;
  return found;
}

/* NOLINTBEGIN: SUNDIALS's names */
int SUNContext_Create(void *communicator, void *context)
{
  int (*create)(void *, void *);
  *(void **)&create = next_function("SUNContext_Create");
  const bool counted = counting;
  counting = false;
  const int flag = create(communicator, context);
  counting = counted;
  return flag;
}

int CVodeSensInit(void *memory, int n, int method, void *rate, void *y)
{
  int (*init)(void *, int, int, void *, void *);
  *(void **)&init = next_function("CVodeSensInit");
  const bool counted = counting;
  counting = false;
  const int flag = init(memory, n, method, rate, y);
  counting = counted;
  return flag;
}

int CVodeSensSStolerances(void *memory, double rtol, double *atol)
{
  int (*set)(void *, double, double *);
  *(void **)&set = next_function("CVodeSensSStolerances");
  const bool counted = counting;
  counting = false;
  const int flag = set(memory, rtol, atol);
  counting = counted;
  return flag;
}

int ERKStepEvolve(void *memory, double end, void *y, double *t, int task)
{
  int (*evolve)(void *, double, void *, double *, int);
  *(void **)&evolve = next_function("ERKStepEvolve");
  const bool counted = counting;
  counting = false;
  const int flag = evolve(memory, end, y, t, task);
  counting = counted;
  return flag;
}
/* NOLINTEND */

/* ---- main ---- */

static void stop_counting(void)
{
  counting = false;
  const char *file = getenv("LINKWORK_COUNT");
  const int to = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
  if (to < 0) return;
  char text[32];
  const int n = snprintf(text, sizeof text, "%ld\n", count);
  if (write(to, text, (size_t)n) != n) _exit(99);
  close(to);
}

/* only from here on, so that what libraries do before and after it is left alone: they are not ours */
static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment)
{
  const char *at = getenv("LINKWORK_FAIL_AT"), *on = getenv("LINKWORK_FAIL_ON");
  fail_at = at ? atol(at) : 0;
  fail_on = on && atol(on);
  counting = true;
  const int status = real_main(argc, argv, environment);
  stop_counting();
  return status;
}

/* NOLINTNEXTLINE: libc's name */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader)(void), void *stack)
{
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
               void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(counted_main, argc, argv, init, fini, loader, stack);
}
