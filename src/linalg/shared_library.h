/* SPDX-License-Identifier: Apache-2.0 */
/* shared_library.h -- libraries that are loaded when they are first needed. */
#ifndef LWI_LINALG_SHARED_LIBRARY_H
#define LWI_LINALG_SHARED_LIBRARY_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *name; /* of the function */
  void *to;         /* where its address goes */
} lwi_library_function;

/* Loads the library for the rest of the process, and finds all n functions; false: problem says
   why. */
bool lwi_library_load(const char *name, const lwi_library_function functions[], int n,
                      char *problem, size_t size);

#endif
