/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.c -- which way to compute, for every verb that does: FORMULATION_OPTIONS in verbs.h. */
#include "verbs.h"

static int read_threads(const cli_args *a, int *threads)
{
  double x = 1;
  const int status = args_number(a, "threads", &x);
  if (status == CLI_DONE && !(x >= 1 && x <= 1024 && x == (int)x))
    return usage_error(a->verb, "--threads must be a whole number from 1 to 1024");
  *threads = args_has(a, "threads") ? (int)x : 0;
  return status;
}

int read_formulation(const cli_args *a, lw_simulation_options *o)
{
  static const char *const formulations[] = {"auto", "tree", "dca", "cartesian"};
  static const char *const ways[] = {"auto", "cut", "embedded"};
  int formulation = 0, loops = 0;
  int status = args_choice(a, "formulation", formulations, 4, &formulation);
  if (status == CLI_DONE) status = args_choice(a, "loops", ways, 3, &loops);
  o->formulation = (lw_formulation)formulation;
  o->loops = (lw_loops)loops;
  return status == CLI_DONE ? read_threads(a, &o->threads) : status;
}
