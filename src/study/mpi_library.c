/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_library.c -- loads Open MPI at its first use (mpi_library.h). */
#include "study/mpi_library.h"

#include "linalg/shared_library.h"

#include <threads.h>

static lwi_mpi_functions functions;
static bool loaded;
static char problem[200];
static once_flag once = ONCE_FLAG_INIT;

static void load(void)
{
#define FUNCTION(name) {"MPI_" #name, &functions.name},
  static const lwi_library_function list[] = {
      LWI_MPI_LIST(FUNCTION){"ompi_mpi_comm_world", &functions.world},
      {"ompi_mpi_byte", &functions.byte}};
#undef FUNCTION
  loaded =
      lwi_library_load(LWI_SONAME_mpi, list, sizeof list / sizeof *list, problem, sizeof problem);
}

const lwi_mpi_functions *lwi_mpi(void)
{
  call_once(&once, load);
  return loaded ? &functions : NULL;
}

const char *lwi_mpi_problem(void)
{
  return lwi_mpi() ? "" : problem;
}
