/* SPDX-License-Identifier: Apache-2.0 */
/* Redundant equations by geometry: their number is that of the rank, each is a self-stress in
   equilibrium on every body, and what is proposed makes every load determined. */
#include "../support/lwt_loops.h"
#include "analysis/redundancy.h"
#include "linkwork/analysis.h"
#include "linkwork/redundancy.h"
#include "linkwork/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Directions of both together span no more than those of each. */
static void same_directions(const lw_stressed_part *a, const lw_stressed_part *b, double length,
                            unsigned k)
{
  double both[12][6];
  assert_int_equal(a->joint.id, b->joint.id);
  assert_int_equal(a->constraint.id, b->constraint.id);
  if (a->n != b->n)
    fail_msg("model %u, joint %d, constraint %d: %d and %d directions", k, a->joint.id,
             a->constraint.id, a->n, b->n);
  memcpy(both, a->direction, (size_t)a->n * sizeof both[0]);
  int n = a->n;
  for (int i = 0; i < b->n && n < 7; i++) {
    memcpy(both[n], b->direction[i], sizeof both[0]);
    n = lw_simplify_loads(n + 1, both, length);
  }
  assert_int_equal(n, a->n);
}

/* Sparse elimination of the rows of all bodies finds what dense elimination of the tree's rows does. */
static void large_mechanisms_are_analysed_like_small_ones(void **state)
{
  (void)state;
  int groups = 0;
  for (unsigned k = 1; k <= MODELS; k++) {
    const lwt_loops d = recipe(k);
    lwt_case c = lwt_loops_case(&d);
    lw_redundancy *dense = lw_redundancy_new(c.w, 0, c.q, NULL);
    lw_redundancy *sparse = lwi_redundancy_find(c.w, 0, c.q, 0, NULL);
    assert_true(dense && sparse);
    if (sparse->dof != dense->dof || sparse->redundant != dense->redundant ||
        sparse->ngroup != dense->ngroup || sparse->determined != dense->determined)
      fail_msg("model %u: %d and %d freedoms, %d and %d redundant equations, %d and %d groups", k,
               dense->dof, sparse->dof, dense->redundant, sparse->redundant, dense->ngroup,
               sparse->ngroup);
    for (int g = 0; g < dense->ngroup; g++) {
      /* groups are in the order of their first self-stress, which differs: found by their first part */
      const lw_stress_group *a = &dense->group[g], *b = sparse->group;
      while (b->part[0].joint.id != a->part[0].joint.id ||
             b->part[0].constraint.id != a->part[0].constraint.id)
        assert_true(++b < sparse->group + sparse->ngroup);
      assert_int_equal(b->n, a->n);
      assert_int_equal(b->npart, a->npart);
      assert_int_equal(b->loop, a->loop);
      for (int i = 0; i < a->npart; i++)
        same_directions(&a->part[i], &b->part[i], c.m->length, k);
      groups++;
    }
    lw_redundancy_free(sparse);
    lw_redundancy_free(dense);
    lwt_case_free(&c);
  }
  assert_true(groups >= MODELS / 3);
}

/* ---- a chain in space, with a second hinge beside every hundredth one ---- */

enum { LINKS = 1200, EVERY_LINK = 100 };

static lw_model *doubled_chain(void)
{
  static char name[2 * LINKS][16];
  lw_error err = {0};
  lw_spec *s = lw_spec_new();
  for (int i = 1; i <= LINKS; i++) {
    snprintf(name[2 * i - 2], sizeof name[0], "b%d", i);
    snprintf(name[2 * i - 1], sizeof name[0], "j%d", i);
    const lw_body b = lw_add_body(
        s, &(lw_body_desc){
               .name = name[2 * i - 2], .mass = 1, .com = {0.5}, .inertia = {0.1, 0.1, 0.1}});
    lw_joint_desc j = {.name = name[2 * i - 1],
                       .type = LW_REVOLUTE,
                       .axis = {i % 3, 1, i % 2},
                       .parent = {b.id - 1},
                       .child = b,
                       .place = {.at = {i > 1}}};
    lw_add_joint(s, &j);
    if (i % EVERY_LINK) continue;
    j.name = name[2 * i - 2];
    for (int k = 0; k < 3; k++)
      j.place.at[k] += 0.3 * j.axis[k], j.child_place.at[k] += 0.3 * j.axis[k];
    lw_add_joint(s, &j);
  }
  const lw_term driven = {.joint = {1}};
  lw_add_constraint(s, &(lw_constraint_desc){.name = "motor",
                                             .type = LW_DRIVER,
                                             .terms = &driven,
                                             .nterm = 1,
                                             .value = lw_expr(s, "0.1*t")});
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  lw_spec_free(s);
  return m;
}

static void long_chains_have_groups_of_their_own(void **state)
{
  (void)state;
  lwt_case c = lwt_case_of(doubled_chain(), 1);
  lw_error err = {0};
  lw_initial_state(c.m, c.q, c.u);
  lwt_ok(lw_close_loops(c.w, 0, c.q, c.u, &err));
  lw_redundancy *r = lw_redundancy_new(c.w, 0, c.q, &err);
  if (!r) fail_msg("%s", err.text);
  assert_int_equal(r->redundant, 5 * LINKS / EVERY_LINK);
  assert_int_equal(r->dof, LINKS - 1);
  assert_int_equal(r->nleft, LINKS - 1);
  assert_int_equal(r->ngroup, LINKS / EVERY_LINK);
  assert_true(r->determined);
  for (int g = 0; g < r->ngroup; g++) {
    assert_int_equal(r->group[g].n, 5);
    assert_int_equal(r->group[g].npart, 2);
    assert_true(r->group[g].loop && r->group[g].nrelease > 0);
  }
  assert_in_range(r->nfree, 1, LINKS - 1);
  for (int k = 0; k < r->nfree; k++)
    lwt_near(r->free[k].u[0], 0, 1e-9, "what is driven, of motion %d", k);
  lw_redundancy_free(r);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(geometry_and_compliance_find_the_same_rank),
      cmocka_unit_test(inertia_does_not_matter),
      cmocka_unit_test(undetermined_loads_are_those_of_the_dynamics),
      cmocka_unit_test(large_mechanisms_are_analysed_like_small_ones),
      cmocka_unit_test(long_chains_have_groups_of_their_own),
  };
  return cmocka_run_group_tests_name("identity/redundancy", tests, NULL, NULL);
}
