/* SPDX-License-Identifier: Apache-2.0 */
/* lapack_library.c -- loads LAPACK at its first use (lapack_library.h). */
#include "linalg/lapack_library.h"

#include "linalg/shared_library.h"

#include <threads.h>

static lwi_lapack_functions functions;
static bool loaded;
static char problem[200];
static once_flag once = ONCE_FLAG_INIT;

static void load(void)
{
#define FUNCTION(name) {"LAPACKE_" #name "_work", &functions.name},
  static const lwi_library_function list[] = {LWI_LAPACK_LIST(FUNCTION)};
#undef FUNCTION
  loaded = lwi_library_load(LWI_SONAME_lapacke, list, sizeof list / sizeof *list, problem,
                            sizeof problem);
}

const lwi_lapack_functions *lwi_lapack(void)
{
  call_once(&once, load);
  return loaded ? &functions : NULL;
}

const char *lwi_lapack_problem(void)
{
  return lwi_lapack() ? "" : problem;
}
