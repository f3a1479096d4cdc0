/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations against each other on mutated models: masses over twelve decades, lengths, joints, loops, forces.  At
   one state all of them give the same accelerations, or refuse with a reason.
     LINKWORK_MUTANTS=2000: so many of them (make check-all); LINKWORK_MUTANTS_FROM: which is the first;
     LINKWORK_MUTANT_FILE: where the last one that is a file goes */
#include "mutants.h"

#include "linkwork/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = MUTANT_ROOM };
static const double AGREE = 1e-6; /* of the largest acceleration */

/* ---- the property ---- */

typedef struct {
  lw_status status;
  const char *reason;
  double udot[MOST];
} answer;

static answer ask(const lw_model *m, lw_formulation f, const double *q, const double *u)
{
  static char text[500];
  lw_error err = {0};
  answer a = {.status = LW_OK, .reason = ""};
  const lw_simulation_options options = {.formulation = f};
  lw_dynamics *d = lw_dynamics_new(m, &options, &err);
  a.status = d ? lw_dynamics_accelerate(d, 0, q, u, NULL, a.udot) : err.status;
  snprintf(text, sizeof text, "%s", d ? lw_status_text(a.status) : err.text);
  a.reason = text;
  lw_dynamics_free(d);
  return a;
}

/* u: accelerations of a size that the speeds explain are not small */
static double difference(const answer *a, const answer *b, const double *u, int n)
{
  const double speed = lwt_scale(u, n);
  double most = 0,
         scale = fmax(1 + speed * speed, fmax(lwt_scale(a->udot, n), lwt_scale(b->udot, n)));
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(a->udot[i] - b->udot[i]));
  return n > 0 ? most / scale : 0;
}

/* false: two of them answer, and not the same */
static bool agrees(unsigned k, int *refused)
{
  static const lw_formulation form[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                        LW_FORMULATION_CARTESIAN};
  lw_error err = {0};
  lw_spec *s = mutant_spec(k);
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) return err.text[0] != '\0';
  double q[MOST], u[MOST];
  bool good = true;
  const int n = lw_nu(m);
  if (mutant_state(m, k, q, u, &err) == LW_OK) {
    answer a[3];
    for (int i = 0; i < 3; i++) {
      a[i] = ask(m, form[i], q, u);
      *refused += a[i].status != LW_OK;
      for (int j = 0; j < i; j++) {
        if (a[i].status != LW_OK || a[j].status != LW_OK || difference(&a[i], &a[j], u, n) <= AGREE)
          continue;
        fprintf(stderr, "mutant %u: %s and %s differ by %.3g\n", k, lw_formulation_name(form[i]),
                lw_formulation_name(form[j]), difference(&a[i], &a[j], u, n));
        good = false;
      }
    }
  }
  lw_model_free(m);
  return good;
}

static void formulations_agree_or_refuse(void **state)
{
  (void)state;
  const char *many = getenv("LINKWORK_MUTANTS"), *from = getenv("LINKWORK_MUTANTS_FROM");
  const unsigned first = from ? (unsigned)atol(from) : 1, n = many ? (unsigned)atol(many) : 200;
  int bad = 0, refused = 0;
  for (unsigned k = first; k < first + n; k++)
    bad += !agrees(k, &refused);
  fprintf(stderr, "%u mutants: %d refusals, %d disagreements\n", n, refused, bad);
  assert_int_equal(bad, 0);
}

/* trees whose light links carry heavy ones along the same freedom: rounding errors of the heavy ones must not
   count as inertia of the light ones */
static void light_links_inside_heavy_ones_keep_their_digits(void **state)
{
  (void)state;
  int refused = 0;
  assert_true(agrees(1164, &refused));
  assert_int_equal(refused, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulations_agree_or_refuse),
      cmocka_unit_test(light_links_inside_heavy_ones_keep_their_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
