/* SPDX-License-Identifier: Apache-2.0 */
/* The check of forward dynamics by inverse dynamics: nothing is lacking after a solve, in trees and loops, by cut joints
   and embedded, however uneven masses are; and a force that is missing is seen. */
#include "light_mechanisms.h"
#include "tree/loops/force_balance.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdlib.h>

/* the lack with the right forces, and with one of them left out */
static void check(lw_model *m, lw_work *w, const double *q, const double *u, const char *name)
{
  const int n = lw_nu(m);
  double *tau = calloc((size_t)n + 1, sizeof *tau), *udot = calloc((size_t)n + 1, sizeof *udot);
  lwt_random random = lwt_seed(7);
  for (int i = 0; i < n; i++)
    tau[i] = lwt_uniform(&random, -1, 1);
  lwt_ok(lw_forward_dynamics(w, 0, q, u, tau, udot));
  const double right = lwi_find_imbalance(m, w, tau);
  if (!(right <= 1e-9)) fail_msg("%s: %g of the forces is lacking", name, right);
  const double wrong = lwi_find_imbalance(m, w, NULL);
  if (!(wrong > 1e-6)) fail_msg("%s: missing forces are not seen: %g", name, wrong);
  free(tau);
  free(udot);
}

static void forces_of_trees_balance(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) {
    lwt_case c = lwt_case_new(&(lwt_recipe){.seed = seed, .nbody = 12, .branching = 0.5});
    check(c.m, c.w, c.q, c.u, "tree");
    lwt_case_free(&c);
  }
}

static void forces_of_loops_balance(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-6, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 3; i++)
      for (int way = 0; way < 2; way++) {
        trial x = trial_of((topology)kind, 1, ratios[i], 1);
        lwt_ok(lw_set_loops(x.c.w, way ? LW_LOOPS_EMBEDDED : LW_LOOPS_CUT));
        check(x.c.m, x.c.w, x.c.q, x.c.u, x.name);
        trial_free(&x);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_trees_balance),
      cmocka_unit_test(forces_of_loops_balance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
