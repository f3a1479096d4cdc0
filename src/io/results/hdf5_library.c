/* SPDX-License-Identifier: Apache-2.0 */
/* hdf5_library.c -- loads HDF5 at its first use (hdf5_library.h). */
#include "io/results/hdf5_library.h"

#include "linalg/shared_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static lwi_hdf5 library;
static bool loaded;
static char problem[200];
static once_flag once = ONCE_FLAG_INIT;

/* The library prints the errors that it returns, unless told not to. */
static void load(void)
{
#define NAME(name) {#name, &library.name},
  static const lwi_library_function list[] = {LWI_HDF5_FUNCTIONS(NAME) LWI_HDF5_VARIABLES(NAME)};
#undef NAME
  loaded =
      lwi_library_load(LWI_SONAME_hdf5, list, sizeof list / sizeof *list, problem, sizeof problem);
  if (loaded && (!lwi_hdf5_reserve() || library.H5open() < 0)) {
    loaded = false;
    snprintf(problem, sizeof problem, "HDF5: out of memory");
  }
  if (loaded) library.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

const lwi_hdf5 *lwi_hdf5_load(void)
{
  call_once(&once, load);
  return loaded ? &library : NULL;
}

bool lwi_hdf5_reserve(void)
{
  enum { ENOUGH = 1 << 23 }; /* caches of a file and of its sets, and chunks: 3 MB by measurement */
  void *block = malloc(ENOUGH);
  free(block);
  return block;
}

const char *lwi_hdf5_problem(void)
{
  return lwi_hdf5_load() ? "" : problem;
}

/* "file write failed: time = ..., errno = 28, error message = ..." */
static herr_t find_reason(unsigned n, const H5E_error2_t *e, void *context)
{
  (void)n;
  const char *at = e->desc ? strstr(e->desc, "errno = ") : NULL;
  int *reason = context;
  if (at && *reason == 0) sscanf(at, "errno = %d", reason);
  return 0;
}

int lwi_hdf5_reason(const lwi_hdf5 *h)
{
  int reason = 0;
  h->H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
  return reason;
}
