/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations against each other on mutated models: masses over twelve decades, lengths, joints, loops, forces.  At
   one state all of them give the same accelerations, of trees also those of an independent solution, or refuse with
   a reason.
     LINKWORK_MUTANTS=2000: so many of them (make check-all); LINKWORK_MUTANTS_FROM: which is the first;
     LINKWORK_MUTANT_FILE: where the last one that is a file goes */
#include "mutants.h"
#include "oracle.h"

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

/* What an independent solution says of a tree; false: it is none. */
static bool ask_oracle(const lw_model *m, unsigned k, const double *q, const double *u, answer *a)
{
  lwt_parts *parts = mutant_parts(k);
  if (!parts) return false;
  oracle *o = oracle_new(parts);
  oracle_real oq[MOST] = {0}, ou[MOST] = {0};
  for (int j = 0; j < o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j + 1});
    for (int i = 0; i < info.nq; i++)
      oq[o->q[j] + i] = q[info.q + i];
    for (int i = 0; i < info.nu; i++)
      ou[o->u[j] + i] = u[info.u + i];
  }
  o->length = 1;
  oracle_kinematics(o, oq, ou);
  oracle_dynamics(o, 0, NULL);
  for (int j = 0; j < o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j + 1});
    for (int i = 0; i < info.nu; i++)
      a->udot[info.u + i] = (double)o->udot[o->u[j] + i];
  }
  oracle_free(o);
  lwt_parts_free(parts);
  return true;
}

/* false: two of them answer, and not the same; the last of them is the oracle, if it can */
static bool same(unsigned k, const answer a[4], int nanswer, const double *u, int n)
{
  static const char *const name[] = {"tree", "dca", "cartesian", "the oracle"};
  bool good = true;
  for (int i = 0; i < nanswer; i++)
    for (int j = 0; j < i; j++) {
      if (a[i].status != LW_OK || a[j].status != LW_OK || difference(&a[i], &a[j], u, n) <= AGREE)
        continue;
      fprintf(stderr, "mutant %u: %s and %s differ by %.3g\n", k, name[i], name[j],
              difference(&a[i], &a[j], u, n));
      good = false;
    }
  return good;
}

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
  if (mutant_state(m, k, q, u, &err) == LW_OK) {
    answer a[4] = {{.status = LW_OK}};
    for (int i = 0; i < 3; i++) {
      a[i] = ask(m, form[i], q, u);
      *refused += a[i].status != LW_OK;
    }
    good = same(k, a, ask_oracle(m, k, q, u, &a[3]) ? 4 : 3, u, lw_nu(m));
  } else {
    *refused += 3;
    good = err.text[0] != '\0';
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

/* trees whose light links carry heavy ones along the same freedoms, one or all of a plane: rounding errors of the
   heavy ones must not count as inertia of the light ones */
static void light_links_inside_heavy_ones_keep_their_digits(void **state)
{
  (void)state;
  int refused = 0;
  assert_true(agrees(1164, &refused));
  assert_true(agrees(1176, &refused));
  assert_true(agrees(1914, &refused));
  assert_int_equal(refused, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formulations_agree_or_refuse),
      cmocka_unit_test(light_links_inside_heavy_ones_keep_their_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
