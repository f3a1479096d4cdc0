/* SPDX-License-Identifier: Apache-2.0 */
/* Short runs of mutated models with mutated events: all formulations go through the same events at the same times and
   come to the same states, or stop with a reason.
     LINKWORK_MUTANTS=2000: so many of them (make check-all); LINKWORK_MUTANTS_FROM: which is the first;
     LINKWORK_MUTANTS_TELL: also their events, and why runs stop */
#include "mutants.h"

#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/events.h"
#include "linkwork/columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, EVENTS = 40, STEPS = 1000, NAMES = 200 };
static const double RTOL = 1e-9, AGREE = 1e-6; /* of the largest number of a kind */

static const lw_formulation form[] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                      LW_FORMULATION_CARTESIAN};

/* ---- one run ---- */

typedef struct {
  double time;
  char names[NAMES];
} instant;

typedef struct {
  lw_status status;
  bool over; /* by a `stop` */
  char reason[500];
  int steps, ninstant, ncolumn, nrow;
  instant happened[EVENTS];
  double *row[ROWS];
} story;

static int count_step(void *context, double t)
{
  (void)t;
  return ++((story *)context)->steps > STEPS;
}

static int note_event(void *context, const lw_event_report *report, bool after)
{
  story *x = context;
  if (!after) return 0;
  if (x->ninstant == EVENTS) return 1;
  instant *now = &x->happened[x->ninstant++];
  now->time = report->time;
  for (int i = 0; i < report->nevent; i++) {
    const size_t n = strlen(now->names);
    snprintf(now->names + n, NAMES - n, "%s; ", report->names[i]);
  }
  return 0;
}

/* at ends of thirds; a `stop` ends it with the state there */
static void follow(story *x, lw_simulation *sim, lw_columns *c, double end, lw_error *err)
{
  double q[2 * MUTANT_ROOM], u[2 * MUTANT_ROOM];
  x->ncolumn = lw_columns_count(c);
  for (int k = 0; k < ROWS && x->status == LW_OK; k++) {
    const double t = end * (k + 1) / ROWS;
    x->status = lw_simulation_advance(sim, t, q, u, err);
    if (x->status != LW_OK) break;
    x->row[x->nrow] = calloc((size_t)x->ncolumn + 1, sizeof(double));
    x->status = lw_columns_row(c, t, q, u, x->row[x->nrow++]);
  }
  x->over = lw_simulation_is_over(sim);
}

static story tell(const lw_model *m, lw_formulation f, const mutant_start *start)
{
  story x = {.status = LW_OK};
  lw_error err = {0};
  int nq = 0, nu = 0;
  const lw_simulation_options o = {
      .formulation = f, .rtol = RTOL, .end = start->end, .output_step = start->end / ROWS};
  lw_simulation *sim = lw_simulation_new(m, &o, &err);
  lw_columns *c = sim ? lw_columns_new(m, "u.*,x.*,y.*,z.*,energy.total", &err) : NULL;
  if (sim) lw_simulation_capacity(sim, &nq, &nu);
  assert_true(nq <= 2 * MUTANT_ROOM && nu <= 2 * MUTANT_ROOM);
  x.status = c ? lw_columns_follow(c, sim, &err) : err.status;
  if (sim) lw_simulation_watch(sim, count_step, &x);
  if (sim) lw_simulation_on_event(sim, note_event, &x);
  if (x.status == LW_OK) x.status = lw_simulation_start(sim, 0, start->q, start->u, &err);
  if (x.status == LW_OK) follow(&x, sim, c, start->end, &err);
  snprintf(x.reason, sizeof x.reason, "%s", x.status == LW_OK ? "" : err.text);
  lw_columns_free(c);
  lw_simulation_free(sim);
  return x;
}

static void forget(story *x)
{
  for (int k = 0; k < x->nrow; k++)
    free(x->row[k]);
}

static bool answers(const story *x)
{
  return x->status == LW_OK || (x->status == LW_E_STOPPED && x->over);
}

/* ---- two runs ---- */

static bool is_one(const instant *a, const instant *b, double end)
{
  return strcmp(a->names, b->names) == 0 && fabs(a->time - b->time) <= AGREE * end;
}

static bool same_instants(unsigned k, const story *a, const story *b, double end)
{
  bool same = a->ninstant == b->ninstant;
  for (int i = 0; same && i < a->ninstant; i++)
    same = is_one(&a->happened[i], &b->happened[i], end);
  if (same) return true;
  fprintf(stderr, "mutant %u: %d and %d events, end %.6g\n", k, a->ninstant, b->ninstant, end);
  for (int i = 0; i < a->ninstant; i++)
    fprintf(stderr, "  %.9g %s\n", a->happened[i].time, a->happened[i].names);
  fprintf(stderr, "  --\n");
  for (int i = 0; i < b->ninstant; i++)
    fprintf(stderr, "  %.9g %s\n", b->happened[i].time, b->happened[i].names);
  return false;
}

/* columns of a kind have one scale: u. of speeds, x. y. z. of places, energies */
static int kind_of(const char *name)
{
  return name[0] == 'u' ? 0 : name[0] == 'e' ? 1 : name[0] == 't' ? 2 : 3;
}

static double worst_column(const lw_columns *c, const double *a, const double *b, int n,
                           const mutant_start *start, const char **which)
{
  double scale[4] = {1 / start->end, 1, start->end, 1}, worst = 0;
  for (int i = 0; i < n; i++) {
    double *s = &scale[kind_of(lw_columns_name(c, i))];
    if (isfinite(a[i])) *s = fmax(*s, fabs(a[i]));
  }
  for (int i = 0; i < n; i++) {
    const double d = isnan(a[i]) && isnan(b[i]) ? 0 : fabs(a[i] - b[i]);
    const double part = d / scale[kind_of(lw_columns_name(c, i))];
    if (part <= worst) continue;
    worst = part;
    *which = lw_columns_name(c, i);
  }
  return worst;
}

static bool same_rows(unsigned k, const lw_model *m, const story *a, const story *b,
                      const mutant_start *start, const char *pair)
{
  const char *which = "";
  bool same = a->nrow == b->nrow;
  lw_columns *c = lw_columns_new(m, "u.*,x.*,y.*,z.*,energy.total", NULL);
  for (int i = 0; same && i < a->nrow; i++) {
    const double d = worst_column(c, a->row[i], b->row[i], a->ncolumn, start, &which);
    same = d <= AGREE;
    if (!same)
      fprintf(stderr, "mutant %u: %s differ by %.3g in %s, row %d\n", k, pair, d, which, i + 1);
  }
  lw_columns_free(c);
  return same;
}

/* ---- the property ---- */

typedef struct {
  int runs, refused, unfinished, bad, instants;
} tally;

/* false: nothing comes of it, with a reason */
static bool find_start(const lw_model *m, unsigned k, mutant_start *start)
{
  lw_error err = {0};
  const lw_simulation_options o = {.formulation = LW_FORMULATION_TREE};
  *start = (mutant_start){.m = m};
  if (mutant_state(m, k, start->q, start->u, &err) != LW_OK) return false;
  lw_dynamics *d = lw_dynamics_new(m, &o, &err);
  const bool moves =
      d && lw_dynamics_accelerate(d, 0, start->q, start->u, NULL, start->udot) == LW_OK;
  lw_dynamics_free(d);
  const int n = lw_nu(m);
  start->end = 0.7 / fmax(1, fmax(lwt_scale(start->u, n), sqrt(lwt_scale(start->udot, n))));
  return moves;
}

static void compare(unsigned k, const lw_model *m, const mutant_start *start, tally *all)
{
  story x[3];
  bool bad = false;
  for (int i = 0; i < 3; i++) {
    x[i] = tell(m, form[i], start);
    all->runs++;
    all->unfinished += x[i].steps > STEPS;
    all->refused += !answers(&x[i]) && x[i].steps <= STEPS;
    all->instants += i == 0 ? x[i].ninstant : 0;
    if (!answers(&x[i]) && !x[i].reason[0]) bad = true;
    if (getenv("LINKWORK_MUTANTS_TELL") && x[i].reason[0])
      fprintf(stderr, "mutant %u: %s: %s\n", k, lw_formulation_name(form[i]), x[i].reason);
    for (int j = 0; j < i; j++) {
      char pair[60];
      if (!answers(&x[i]) || !answers(&x[j])) continue;
      snprintf(pair, sizeof pair, "%s and %s", lw_formulation_name(form[i]),
               lw_formulation_name(form[j]));
      if (!same_instants(k, &x[i], &x[j], start->end) ||
          !same_rows(k, m, &x[i], &x[j], start, pair))
        bad = true;
    }
  }
  all->bad += bad;
  for (int i = 0; i < 3; i++)
    forget(&x[i]);
}

static void run_mutant(unsigned k, tally *all)
{
  lw_error err = {0};
  mutant_start start;
  lw_spec *s = mutant_spec(k);
  lw_model *quiet = lw_compile(s, &err);
  if (quiet && find_start(quiet, k, &start)) {
    mutant_add_events(s, &start, k);
    lw_model *m = lw_compile(s, &err);
    if (m) compare(k, m, &start, all);
    all->refused += !m;
    if (!m && !err.text[0]) all->bad++;
    if (!m && getenv("LINKWORK_MUTANTS_TELL")) fprintf(stderr, "mutant %u: %s\n", k, err.text);
    lw_model_free(m);
  }
  lw_model_free(quiet);
  lw_spec_free(s);
}

static void runs_agree_or_stop_with_a_reason(void **state)
{
  (void)state;
  const char *many = getenv("LINKWORK_MUTANTS"), *from = getenv("LINKWORK_MUTANTS_FROM");
  const unsigned first = from ? (unsigned)atol(from) : 1,
                 n = many ? (unsigned)atol(many) : USUAL_RUNS;
  tally all = {0};
  for (unsigned k = first; k < first + n; k++)
    run_mutant(k, &all);
  fprintf(stderr, "%u mutants: %d runs, %d instants, %d refused, %d unfinished, %d disagree\n", n,
          all.runs, all.instants, all.refused, all.unfinished, all.bad);
  assert_int_equal(all.bad, 0);
  if (n >= USUAL_RUNS)
    assert_true(5 * (all.refused + all.unfinished) < all.runs && all.instants > 0);
}

/* Expressions of coordinates and speeds that loops keep at zero: rounding errors over the short steps after an event
   are no rates. */
static void expressions_that_loops_keep_at_zero_do_not_fire(void **state)
{
  (void)state;
  static const unsigned chosen[] = {212, 239, 281, 332, 440, 509, 596, 620, 692, 704, 737};
  tally all = {0};
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
    run_mutant(chosen[i], &all);
  assert_int_equal(all.bad, 0);
}

/* A free joint hands no impulse on: the trigger that watches a light link behind it fires once. */
static void jumps_of_heavy_links_leave_light_ones_alone(void **state)
{
  (void)state;
  tally all = {0};
  run_mutant(381, &all);
  assert_int_equal(all.bad, 0);
  assert_int_equal(all.instants, 3); /* of the tree formulation */
  assert_int_equal(all.refused, 0);
}

/* Where loops are redundant, rows are left out; not those of light links that carry heavy ones elsewhere. */
static void light_links_beside_redundant_loops_hold(void **state)
{
  (void)state;
  tally all = {0};
  run_mutant(1764, &all);
  assert_int_equal(all.bad, 0);
  assert_int_equal(all.refused, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_agree_or_stop_with_a_reason),
      cmocka_unit_test(expressions_that_loops_keep_at_zero_do_not_fire),
      cmocka_unit_test(jumps_of_heavy_links_leave_light_ones_alone),
      cmocka_unit_test(light_links_beside_redundant_loops_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
