/* SPDX-License-Identifier: Apache-2.0 */
/* run_options.c -- simulation options from the command line. */
#include "files.h"
#include "run_summary.h"

#include <math.h>

static const char *const integrators[] = {"auto", "rk", "adams", "bdf", "rk4", "euler"};

static int read_number_option(const cli_args *a, const char *name, double *x)
{
  *x = 1;
  const int status = args_number(a, name, x);
  if (status == CLI_DONE && !(isfinite(*x) && *x > 0))
    return usage_error(a->verb, "--%s must be a positive number", name);
  if (!args_has(a, name)) *x = 0;
  return status;
}

int run_options(const cli_args *a, lw_simulation_options *o)
{
  const struct {
    const char *name;
    double *value;
  } numbers[] = {{"end", &o->end},
                 {"output-step", &o->output_step},
                 {"rtol", &o->rtol},
                 {"atol", &o->atol},
                 {"step", &o->step}};
  int status = CLI_DONE, integrator = 0;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == CLI_DONE; i++)
    status = read_number_option(a, numbers[i].name, numbers[i].value);
  if (status == CLI_DONE) status = read_formulation(a, o);
  if (status == CLI_DONE) status = args_choice(a, "integrator", integrators, 6, &integrator);
  o->integrator = (lw_integrator)integrator;
  if (args_has(a, "integrator")) o->choose |= LW_CHOOSE_INTEGRATOR;
  return status;
}
