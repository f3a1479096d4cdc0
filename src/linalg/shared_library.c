/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "linalg/shared_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes of addresses that OpenBLAS and the runtime of Fortran take.  OpenBLAS without them does not fail, but
   asks again and again. */
static const size_t ROOM = (size_t)160 << 20;

static bool is_room(void)
{
  void *room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && munmap(room, ROOM) == 0;
}

bool lwi_library_load(const char *name, const lwi_library_function functions[], int n,
                      char *problem, size_t size)
{
  if (!is_room()) return snprintf(problem, size, "%s: no memory for it", name), false;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  bool ok = library != NULL;
  for (int i = 0; i < n && ok; i++) {
    void *found = dlsym(library, functions[i].name);
    memcpy(functions[i].to, &found, sizeof found); /* ISO C has no cast from object to function */
    ok = found != NULL;
  }
  const char *why = ok ? NULL : dlerror();
  if (!ok) snprintf(problem, size, "%s", why ? why : name);
  return ok;
}
