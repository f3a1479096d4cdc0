/* SPDX-License-Identifier: Apache-2.0 */
/* The rank-revealing solve inside an envelope, on random semidefinite matrices A = B B' of blocks. */
#include "lwt.h"
#include "linalg/envelope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 80 };

typedef struct {
  lwi_envelope e;
  lwi_rank r;
  int block[MOST + 1], first[MOST], order[MOST];
  size_t row[MOST];
  bool kept[MOST];
  double pivot[MOST], scratch[MOST];
  double A[MOST][MOST], *value;
  int rank; /* as made */
} problem;

/* a chain of blocks, each coupled to up to `reach` before it; every third block repeats rows */
static void make(problem *p, unsigned seed, int nblock, int reach)
{
  lwt_random rnd = lwt_seed(seed);
  static double B[MOST][2 * MOST];
  memset(p, 0, sizeof *p);
  memset(B, 0, sizeof B);
  p->e = (lwi_envelope){.nblock = nblock, .block = p->block, .first = p->first, .row = p->row};
  p->r = (lwi_rank){.order = p->order, .kept = p->kept, .pivot = p->pivot, .rhs = p->scratch};
  for (int b = 0; b < nblock; b++) {
    const int n = 1 + lwt_pick(&rnd, 5);
    p->block[b + 1] = p->block[b] + n;
    p->first[b] = p->block[b > reach ? b - reach : 0];
    for (int i = p->block[b]; i < p->block[b + 1]; i++) {
      const bool copy = b % 3 == 2 && i > p->block[b];
      p->rank += !copy;
      for (int j = p->first[b]; j <= 2 * i; j++)
        B[i][j] = copy ? 2 * B[i - 1][j] : lwt_uniform(&rnd, -1, 1);
    }
  }
  lwi_envelope_layout(&p->e);
  p->value = calloc(p->e.nvalue + 1, sizeof *p->value);
  for (int b = 0; b < nblock; b++)
    for (int i = p->block[b]; i < p->block[b + 1]; i++)
      for (int c = 0; c <= b; c++)
        for (int j = p->block[c]; j < p->block[c + 1] && j <= i; j++) {
          if (p->block[c] < p->first[b]) continue;
          for (int k = 0; k < 2 * MOST; k++)
            p->A[i][j] += B[i][k] * B[j][k];
          p->A[j][i] = p->A[i][j];
        }
}

static void fill(problem *p)
{
  for (int b = 0; b < p->e.nblock; b++)
    for (int i = p->block[b]; i < p->block[b + 1]; i++)
      for (int j = p->first[b]; j < p->block[b + 1]; j++)
        *lwi_envelope_at(&p->e, p->value, b, i, j) = p->A[i][j];
}

static void multiply(const problem *p, const double *x, double *out)
{
  for (int i = 0; i < p->e.n; i++) {
    out[i] = 0;
    for (int j = 0; j < p->e.n; j++)
      out[i] += p->A[i][j] * x[j];
  }
}

static const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14};

static void right_sides_in_the_range_are_met_whatever_the_rank(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 60; seed++) {
    problem p;
    double x[MOST], b[MOST], y[MOST];
    lwt_random rnd = lwt_seed(seed + 500);
    make(&p, seed, 2 + (int)(seed % 12), MOST); /* full: A is exactly B B' */
    for (int i = 0; i < p.e.n; i++)
      x[i] = lwt_uniform(&rnd, -1, 1);
    multiply(&p, x, b);
    for (int pass = 0; pass < 2; pass++) { /* deciding, then as decided */
      fill(&p);
      lwi_envelope_factor(&p.e, p.value, &p.r, pass ? NULL : &rule);
      assert_int_equal(p.r.rank, p.rank);
      memcpy(x, b, sizeof x);
      lwi_envelope_solve(&p.e, p.value, &p.r, x);
      multiply(&p, x, y);
      lwt_close(y, b, p.e.n, 1e-9, lwt_scale(b, p.e.n), "seed %u, pass %d", seed, pass);
    }
    free(p.value);
  }
}

static void a_band_is_solved_inside_the_band(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 30; seed++) {
    problem p;
    double x[MOST], b[MOST], y[MOST];
    lwt_random rnd = lwt_seed(seed + 900);
    make(&p, seed, 16, 1);
    for (int i = 0; i < p.e.n; i++) { /* what was cut off may make it indefinite */
      for (int j = 0; j < p.e.n; j++)
        p.A[i][i] += fabs(p.A[i][j]);
      b[i] = lwt_uniform(&rnd, -1, 1);
    }
    fill(&p);
    lwi_envelope_factor(&p.e, p.value, &p.r, &rule);
    assert_int_equal(p.r.rank, p.e.n);
    memcpy(x, b, sizeof x);
    lwi_envelope_solve(&p.e, p.value, &p.r, x);
    multiply(&p, x, y);
    lwt_close(y, b, p.e.n, 1e-12, 1, "seed %u", seed);
    free(p.value);
  }
}

static void a_rank_that_is_there_is_not_given_up_easily(void **state)
{
  (void)state;
  problem p;
  make(&p, 1, 1, 0);
  p.block[1] = 2;
  lwi_envelope_layout(&p.e);
  free(p.value);
  p.value = calloc(p.e.nvalue, sizeof *p.value);
  const double eps = 1e-12; /* dependent by the rule, but only just */
  p.A[0][0] = p.A[1][1] = 1;
  p.A[0][1] = p.A[1][0] = 1 - eps / 2;
  const lwi_rank_rule loyal = {.dependent = 1e-10, .zero = 1e-14, .lost = 1e-14};
  p.kept[0] = p.kept[1] = true;
  fill(&p);
  lwi_envelope_factor(&p.e, p.value, &p.r, &loyal);
  assert_int_equal(p.r.rank, 2);
  fill(&p);
  lwi_envelope_factor(&p.e, p.value, &p.r, &rule);
  assert_int_equal(p.r.rank, 1);
  fill(&p);
  lwi_envelope_factor(&p.e, p.value, &p.r, &loyal);
  assert_int_equal(p.r.rank, 1);
  free(p.value);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_sides_in_the_range_are_met_whatever_the_rank),
      cmocka_unit_test(a_band_is_solved_inside_the_band),
      cmocka_unit_test(a_rank_that_is_there_is_not_given_up_easily),
  };
  return cmocka_run_group_tests_name("unit/envelope", tests, NULL, NULL);
}
