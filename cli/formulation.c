/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.c -- the formulation that the options request, for every verb that computes motion:
   FORMULATION_OPTIONS in verbs.h. */
#include "linkwork/solvers.h"
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

/* Solver and ordering by name, of those that linkwork/solvers.h and linkwork/order.h list. */
static int read_solver(const cli_args *a, lw_simulation_options *o)
{
  enum { SHORT = 4 }; /* usual short names */
  const char *solvers[LW_SOLVER_METHODS],
      *orders[LW_ORDER_METHODS + SHORT] = {[LW_ORDER_METHODS] = "rcm", "gps", "amd", "nd"};
  for (int i = 0; i < LW_SOLVER_METHODS; i++)
    solvers[i] = lw_solver_method_name((lw_solver_method)i);
  for (int i = 0; i < LW_ORDER_METHODS; i++)
    orders[i] = lw_order_method_name((lw_order_method)i);
  int solver = 0, order = 0;
  int status = args_choice(a, "solver", solvers, LW_SOLVER_METHODS, &solver);
  if (status == CLI_DONE)
    status = args_choice(a, "ordering", orders, LW_ORDER_METHODS + SHORT, &order);
  if (status != CLI_DONE) return status;
  o->solver = args_has(a, "solver") ? solvers[solver] : NULL;
  o->ordering = args_has(a, "ordering") ? orders[order] : NULL;
  if ((o->solver || o->ordering) && o->formulation != LW_FORMULATION_CARTESIAN &&
      o->formulation != LW_FORMULATION_AUTO) /* the model file may say cartesian */
    return usage_error(a->verb, "--solver and --ordering belong to --formulation cartesian");
  if (o->ordering && !lw_get_solver_method((lw_solver_method)solver).numbered)
    return usage_error(a->verb, "the solver %s has no ordering to choose", solvers[solver]);
  return CLI_DONE;
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
  if (args_has(a, "formulation")) o->choose |= LW_CHOOSE_FORMULATION;
  if (args_has(a, "loops")) o->choose |= LW_CHOOSE_LOOPS;
  if (status == CLI_DONE) status = read_solver(a, o);
  return status == CLI_DONE ? read_threads(a, &o->threads) : status;
}
