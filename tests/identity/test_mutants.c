/* SPDX-License-Identifier: Apache-2.0 */
/* Formulations against each other on mutated models: masses over twelve decades, lengths, joints, loops, forces.  At
   one state all of them give the same accelerations, or refuse with a reason.
     LINKWORK_MUTANTS=2000: so many of them (make check-all); LINKWORK_MUTANTS_FROM: which is the first;
     LINKWORK_MUTANT_FILE: where the last one that is a file goes */
#include "lwt_loops.h"

#include "linkwork/file.h"
#include "linkwork/formulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 14, MOST = 256 };
static const double AGREE = 1e-6; /* of the largest acceleration */

/* ---- mutants ---- */

static double decades(lwt_random *r)
{
  return pow(10, lwt_uniform(r, -6, 6));
}

/* a tree with forces, some bodies much lighter or heavier, some places far or near */
static lw_spec *mutate_tree(unsigned k)
{
  lwt_random r = lwt_seed(k);
  const lwt_recipe recipe = {.seed = k,
                             .nbody = 1 + lwt_pick(&r, 9),
                             .branching = lwt_uniform(&r, 0, 1),
                             .forces = lwt_pick(&r, 2),
                             .planar = lwt_pick(&r, 4) == 0};
  lwt_parts *p = lwt_random_parts(&recipe);
  for (int i = 0; i < p->nbody; i++) {
    if (lwt_pick(&r, 3)) continue;
    const double by = decades(&r);
    p->body[i].mass *= by;
    for (int j = 0; j < 6; j++)
      p->body[i].inertia[j] *= by;
  }
  for (int i = 0; i < p->njoint; i++)
    for (int j = 0; j < 3 && lwt_pick(&r, 3) == 0; j++)
      p->joint[i].place.at[j] *= pow(10, lwt_uniform(&r, -2, 2));
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  return s;
}

static void keep(const char *text, size_t n)
{
  const char *path = getenv("LINKWORK_MUTANT_FILE");
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) fwrite(text, 1, n, f);
  if (f) fclose(f);
}

/* every number after `mass:` of a model file, each by its own factor */
static lw_spec *mutate_file(const char *name, unsigned k)
{
  char path[500], in[ROOM], out[2 * ROOM];
  lwt_random r = lwt_seed(k);
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  const size_t n = fread(in, 1, sizeof in - 1, f);
  fclose(f);
  in[n] = '\0';
  size_t m = 0;
  for (char *at = in; *at;) {
    out[m++] = *at++;
    if (m < 6 || memcmp(out + m - 6, "mass: ", 6) != 0 || lwt_pick(&r, 2)) continue;
    m += (size_t)snprintf(out + m, 40, "%.17g*", decades(&r));
  }
  keep(out, m);
  lw_error err;
  lw_spec *s = lw_spec_parse(out, m, path, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

static lw_spec *mutant(unsigned k)
{
  static const char *const files[] = {"four-bar",     "slider-crank",    "bricard",  "gripper",
                                      "two-four-bar", "driven-four-bar", "governor", "arm"};
  if (k % 3 == 0) return mutate_tree(k);
  if (k % 3 == 1) return mutate_file(files[k / 3 % 8], k);
  const lwt_loops loops = lwt_loops_recipe(k);
  return lwt_loops_spec(&loops);
}

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
  lw_spec *s = mutant(k);
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  if (!m) return err.text[0] != '\0';
  lw_work *w = lw_work_new(m);
  double q[MOST], u[MOST];
  lw_initial_state(m, q, u);
  bool good = true;
  const int n = lw_nu(m);
  if (lw_assemble(w, 0, q, u, &err) == LW_OK) {
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
  lw_work_free(w);
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
