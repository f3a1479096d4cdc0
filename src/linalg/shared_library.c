/* SPDX-License-Identifier: Apache-2.0 */
/* shared_library.c -- loads a library when it is first needed, only if there is memory for it
   (shared_library.h). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "linalg/shared_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

/* Bytes of addresses that OpenBLAS and the runtime of Fortran take.  OpenBLAS without them does not
   fail, but asks again and again. */
static const size_t ADDRESSES = (size_t)200 << 20;

static bool is_enough_memory(void)
{
  void *block = mmap(NULL, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block != MAP_FAILED && munmap(block, ADDRESSES) == 0;
}

/* The runtime of Fortran calls exit() when its constructor gets no memory, and its destructor then
   frees what was never allocated.  Handlers of exit() come before destructors: this one ends the
   process with a message instead. */
static thread_local const char *being_loaded;
static once_flag once = ONCE_FLAG_INIT;
static bool watched;

static void end_when_loading(void)
{
  if (!being_loaded) return;
  fprintf(stderr, "linkwork: %s: out of memory while it was loaded\n", being_loaded);
  _exit(EXIT_FAILURE);
}

static void watch_exit(void)
{
  watched = atexit(end_when_loading) == 0;
}

static void *load(const char *name)
{
  call_once(&once, watch_exit);
  errno = watched ? 0 : ENOMEM;
  if (!watched) return NULL;
  being_loaded = name;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  being_loaded = NULL;
  return library;
}

bool lwi_library_load(const char *name, const lwi_library_function functions[], int n,
                      char *problem, size_t size)
{
  if (!is_enough_memory()) return snprintf(problem, size, "%s: out of memory", name), false;
  void *library = load(name);
  bool ok = library != NULL;
  for (int i = 0; i < n && ok; i++) {
    void *found = dlsym(library, functions[i].name);
    memcpy(functions[i].to, &found, sizeof found); /* ISO C has no cast from object to function */
    ok = found != NULL;
  }
  /* dlerror() says which step of it failed, which does not look like a shortage of memory */
  const bool out_of_memory = !ok && errno == ENOMEM;
  const char *why = ok ? NULL : dlerror();
  if (!ok)
    snprintf(problem, size, "%s%s", out_of_memory ? "out of memory: " : "", why ? why : name);
  return ok;
}
