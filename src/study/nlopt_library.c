/* SPDX-License-Identifier: Apache-2.0 */
/* nlopt_library.c -- loads NLopt at its first use (nlopt_library.h). */
#include "study/nlopt_library.h"

#include "linalg/shared_library.h"

#include <threads.h>

static lwi_nlopt_functions functions;
static bool loaded;
static char problem[200];
static once_flag once = ONCE_FLAG_INIT;

static void load(void)
{
#define FUNCTION(name) {"nlopt_" #name, &functions.name},
  static const lwi_library_function list[] = {LWI_NLOPT_LIST(FUNCTION)};
#undef FUNCTION
  loaded =
      lwi_library_load(LWI_SONAME_nlopt, list, sizeof list / sizeof *list, problem, sizeof problem);
}

const lwi_nlopt_functions *lwi_nlopt(void)
{
  call_once(&once, load);
  return loaded ? &functions : NULL;
}

const char *lwi_nlopt_problem(void)
{
  return lwi_nlopt() ? "" : problem;
}
