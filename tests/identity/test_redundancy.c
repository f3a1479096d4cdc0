/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant equations by geometry: their number is that of the rank, each is a self-stress in
   equilibrium on every body, and what is proposed makes every load determined. */
#include "../support/lwt_loops.h"
#include "linkwork/analysis.h"
#include "linkwork/redundancy.h"
#include "linkwork/query.h"

#include <stdlib.h>

enum { MODELS = 30 };

static lwt_loops recipe(unsigned k)
{
  lwt_loops d = lwt_loops_recipe(k);
  d.twice = k % 2 == 0;
  return d;
}

static void geometry_and_compliance_find_the_same_rank(void **state)
{
  (void)state;
  int redundant_models = 0, solved = 0;
  for (unsigned k = 1; k <= MODELS; k++) {
    const lwt_loops d = recipe(k);
    lwt_case c = lwt_loops_case(&d);
    int dof, redundant;
    lwt_ok(lw_dof(c.w, c.q, &dof, &redundant));
    lw_redundancy *r = lw_redundancy_new(c.w, 0, c.q, NULL);
    assert_non_null(r);
    if (r->dof != dof || r->redundant != redundant)
      fail_msg("model %u: %d freedoms and %d redundant equations by geometry, %d and %d by "
               "compliance",
               k, r->dof, r->redundant, dof, redundant);
    redundant_models += redundant > 0;
    solved += redundant > 0 && r->determined;
    lw_redundancy_free(r);
    lwt_case_free(&c);
  }
  assert_true(redundant_models >= MODELS / 3);
  /* joints of some types, as free and planar ones, have no looser type */
  if (solved < redundant_models / 2) fail_msg("%d of %d released", solved, redundant_models);
}

/* Masses from 1e-12 to 1 do not change which equations are redundant. */
static void inertia_does_not_matter(void **state)
{
  (void)state;
  for (unsigned k = 2; k <= MODELS; k += 2) {
    lwt_loops d = recipe(k);
    lwt_case c = lwt_loops_case(&d);
    lw_redundancy *r = lw_redundancy_new(c.w, 0, c.q, NULL);
    assert_non_null(r);
    d.masses = 100 + k;
    lw_model *m = lwt_loops_model(&d);
    lw_work *w = lw_work_new(m);
    assert_non_null(w);
    lw_redundancy *light = lw_redundancy_new(w, 0, c.q, NULL);
    assert_non_null(light);
    assert_int_equal(light->redundant, r->redundant);
    assert_int_equal(light->ngroup, r->ngroup);
    lw_redundancy_free(light);
    lw_redundancy_free(r);
    lw_work_free(w);
    lw_model_free(m);
    lwt_case_free(&c);
  }
}

/* The loads of groups and those that forward dynamics leaves undetermined span the same spaces. */
static void undetermined_loads_are_those_of_the_dynamics(void **state)
{
  (void)state;
  for (unsigned k = 2; k <= 20; k += 2) {
    const lwt_loops d = recipe(k);
    lwt_case c = lwt_loops_case(&d);
    double *udot = calloc((size_t)lw_nu(c.m) + 1, sizeof *udot);
    assert_non_null(udot);
    lw_redundancy *r = lw_redundancy_new(c.w, 0, c.q, NULL);
    assert_non_null(r);
    lwt_ok(lw_forward_dynamics(c.w, 0, c.q, c.u, NULL, udot));
    lw_self_stress *u = lw_self_stress_new(c.w);
    assert_non_null(u);
    int total = 0;
    for (int g = 0; g < r->ngroup; g++) {
      total += r->group[g].n;
      for (int i = 0; i < r->group[g].npart; i++) {
        const lw_stressed_part *p = &r->group[g].part[i];
        double D[6][6];
        if (p->joint.id && lw_self_stress_of_joint(u, p->joint, D) != p->n)
          fail_msg("model %u, joint %d: %d directions", k, p->joint.id, p->n);
      }
    }
    assert_int_equal(total, r->redundant);
    free(udot);
    lw_self_stress_free(u);
    lw_redundancy_free(r);
    lwt_case_free(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(geometry_and_compliance_find_the_same_rank),
      cmocka_unit_test(inertia_does_not_matter),
      cmocka_unit_test(undetermined_loads_are_those_of_the_dynamics),
  };
  return cmocka_run_group_tests_name("identity/redundancy", tests, NULL, NULL);
}
