/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.c -- which way to compute, for every verb that does: FORMULATION_OPTIONS in verbs.h. */
#include "verbs.h"

int read_formulation(const cli_args *a, lw_simulation_options *o)
{
  static const char *const formulations[] = {"auto", "tree", "dca", "cartesian"};
  int formulation = 0;
  const int status = args_choice(a, "formulation", formulations, 4, &formulation);
  o->formulation = (lw_formulation)formulation;
  return status;
}
