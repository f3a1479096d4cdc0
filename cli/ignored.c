/* SPDX-License-Identifier: Apache-2.0 */
/* ignored.c -- options that have no effect in combination with others: warnings, or wrong usage. */
#include "verbs.h"

#include <math.h>
#include <string.h>

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
  const double requested = fmin(used->step, used->end);
  if (fixed && s->steps > 0 && s->largest_step < requested * (1 - 1e-6))
    print_message(
        "%s: warning: steps are at most %.9g s, not %.9g s: equal ones lead from row to row of the "
        "table, every %.9g s (--output-step)",
        a->model, s->largest_step, used->step, used->output_step);
}

/* The next name of "a|b|c"; false: there is none. */
static bool next_name(const char **group, char name[32])
{
  const size_t n = strcspn(*group, "|");
  if (n == 0) return false;
  snprintf(name, 32, "%.*s", (int)n, *group);
  *group += n + ((*group)[n] == '|');
  return true;
}

static int count_given(const cli_args *a, const char *group)
{
  char name[32];
  int n = 0;
  while (next_name(&group, name))
    n += args_given(a, name);
  return n;
}

void warn_of_no_table(const cli_args *a, const char *option)
{
  if (count_given(a, "output|report|plot|quiet") == 0) warn(a, option, "no table is written (-o)");
}

void warn_of_unread(const cli_args *a)
{
  if (args_has(a, "quiet")) return;
  for (int i = 0; i < a->ngiven; i++) {
    const char *name = a->given[i].option->name;
    if (a->given[i].read || strcmp(name, "quiet") == 0) continue;
    print_message("linkwork %s: warning: --%s has no effect here", a->verb->name, name);
    args_has(a, name); /* one warning of each */
  }
}

/* ---- wrong usage ---- */

/* "--at or --instants" */
static void list_names(const char *group, char *text, size_t size)
{
  char name[32];
  size_t used = 0;
  text[0] = '\0';
  while (used < size && next_name(&group, name))
    used += (size_t)snprintf(text + used, size - used, "%s--%s", used ? " or " : "", name);
}

int check_needs(const cli_args *a, const option_need need[], int n)
{
  char names[160];
  for (int i = 0; i < n; i++) {
    if (!args_given(a, need[i].option) || count_given(a, need[i].needs) > 0) continue;
    list_names(need[i].needs, names, sizeof names);
    return usage_error(a->verb, "--%s has no effect without %s", need[i].option, names);
  }
  return CLI_DONE;
}

int check_exclusive(const cli_args *a, const char *group)
{
  char names[160];
  if (count_given(a, group) < 2) return CLI_DONE;
  list_names(group, names, sizeof names);
  return usage_error(a->verb, "only one of %s can be given", names);
}
