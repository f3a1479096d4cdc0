/* SPDX-License-Identifier: Apache-2.0 */
/* ignored.c -- warnings about options that have no effect in combination with others. */
#include "verbs.h"

#include <math.h>

static void warn(const cli_args *a, const char *option, const char *why)
{
  if (args_has(a, option))
    print_message("%s: warning: --%s has no effect: %s", a->model, option, why);
}

void warn_of_formulation(const cli_args *a, lw_formulation used)
{
  if (args_has(a, "quiet")) return;
  if (used != LW_FORMULATION_DCA)
    warn(a, "threads", "only divide and conquer (--formulation dca) uses several processors");
  if (used != LW_FORMULATION_TREE) warn(a, "loops", "it applies to --formulation tree only");
}

void warn_of_run(const cli_args *a, const lw_simulation_options *used,
                 const lw_simulation_statistics *s)
{
  const bool fixed =
      used->integrator == LW_INTEGRATOR_RK4 || used->integrator == LW_INTEGRATOR_EULER;
  if (args_has(a, "quiet")) return;
  warn_of_formulation(a, used->formulation);
  if (fixed) warn(a, "rtol", "rk4 and euler take fixed steps (--step)");
  if (fixed) warn(a, "atol", "rk4 and euler take fixed steps (--step)");
  /* equal steps between two rows are never longer than requested, but may all be shorter */
  const double wish = fmin(used->step, used->end);
  if (fixed && s->steps > 0 && s->largest_step < wish * (1 - 1e-6))
    print_message(
        "%s: warning: steps are at most %.9g s, not %.9g s: equal ones lead from row to row of the "
        "table, every %.9g s (--output-step)",
        a->model, s->largest_step, used->step, used->output_step);
}

void warn_of_no_table(const cli_args *a, const char *option)
{
  if (!args_has(a, "output") && !args_has(a, "quiet")) warn(a, option, "no table is written (-o)");
}
