/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination with pivoting on sparse matrices: what is kept holds, what is dropped depends on it,
   complete pivoting takes the largest, and factors of chains grow with their length alone. */
#include "linalg/pivoted.h"
#include "lwt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int nrow, ncol;
  size_t *start;
  int *column, *group, *order;
  double *value, *ones;
} matrix;

static matrix matrix_new(int nrow, int ncol, int entries)
{
  const size_t n = (size_t)nrow + 1, m = (size_t)(nrow > ncol ? nrow : ncol) + 1;
  matrix a = {nrow, ncol, calloc(n, sizeof(size_t)), NULL, NULL, NULL, NULL, NULL};
  a.column = calloc((size_t)entries + 1, sizeof(int));
  a.value = calloc((size_t)entries + 1, sizeof(double));
  a.group = calloc(n, sizeof(int));
  a.order = calloc(n, sizeof(int));
  a.ones = calloc(m, sizeof(double));
  for (size_t i = 0; i < m; i++)
    a.ones[i] = 1;
  for (int i = 0; i <= nrow; i++)
    a.group[i] = i;
  for (int i = 0; i < nrow; i++)
    a.order[i] = i;
  return a;
}

static void matrix_free(matrix *a)
{
  free(a->start), free(a->column), free(a->group), free(a->order), free(a->value), free(a->ones);
}

/* a few random entries per row; the last `twice` rows are sums of two rows before */
static matrix random_matrix(lwt_random *r, int nrow, int ncol, int twice)
{
  double *dense = calloc((size_t)(nrow * ncol), sizeof *dense);
  for (int i = 0; i < nrow - twice; i++)
    for (int k = 0; k < 5; k++)
      dense[i * ncol + lwt_pick(r, ncol)] = lwt_uniform(r, -1, 1);
  for (int i = nrow - twice; i < nrow; i++) {
    const int a = lwt_pick(r, nrow - twice), b = lwt_pick(r, nrow - twice);
    for (int j = 0; j < ncol; j++)
      dense[i * ncol + j] = dense[a * ncol + j] - 2 * dense[b * ncol + j];
  }
  matrix m = matrix_new(nrow, ncol, nrow * ncol);
  size_t at = 0;
  for (int i = 0; i < nrow; i++) {
    for (int j = 0; j < ncol; j++)
      if (dense[i * ncol + j] != 0) {
        m.column[at] = j;
        m.value[at++] = dense[i * ncol + j];
      }
    m.start[i + 1] = at;
  }
  free(dense);
  return m;
}

static double row_times(const matrix *a, int i, const double *x)
{
  double sum = 0;
  for (size_t s = a->start[i]; s < a->start[i + 1]; s++)
    sum += a->value[s] * x[a->column[s]];
  return sum;
}

/* b = A z for some z: all rows must hold, also the dependent ones */
static void check_solution(const matrix *a, lwi_pivoted *p, lwt_random *r, unsigned seed)
{
  double *z = calloc((size_t)a->ncol, sizeof *z), *x = calloc((size_t)a->ncol, sizeof *x);
  double *b = calloc((size_t)a->nrow, sizeof *b), *c = calloc((size_t)a->nrow, sizeof *c);
  for (int j = 0; j < a->ncol; j++) {
    z[j] = lwt_uniform(r, -1, 1);
    x[j] = lwi_pivoted_is_dependent(p, j) ? 1e9 : z[j];
  }
  for (int i = 0; i < a->nrow; i++)
    b[i] = row_times(a, i, z);
  lwi_pivoted_solve(p, b, x);
  for (int i = 0; i < a->nrow; i++)
    c[i] = row_times(a, i, x);
  lwt_close(c, b, a->nrow, 1e-9, lwt_scale(x, a->ncol), "seed %u", seed);
  lwt_close(x, z, a->ncol, 1e-7, 1, "seed %u: the solution is unique", seed);
  free(z), free(x), free(b), free(c);
}

static void all_rows_hold_whatever_the_groups(void **state)
{
  (void)state;
  for (unsigned seed = 0; seed < 60; seed++) {
    lwt_random r = lwt_seed(seed);
    const int nrow = 3 + (int)(seed % 30), twice = (int)(seed % 3);
    matrix a = random_matrix(&r, nrow + twice, nrow + 4 + (int)(seed % 7), twice);
    lwi_pivoted *p = lwi_pivoted_new(a.nrow, a.ncol, a.start, a.column, a.nrow,
                                     seed % 2 ? a.group : NULL, a.order);
    assert_non_null(p);
    assert_true(lwi_pivoted_choose(p, a.value, a.ones, a.ones, 0));
    if (lwi_pivoted_rank(p) != nrow) fail_msg("seed %u: rank %d", seed, lwi_pivoted_rank(p));
    check_solution(&a, p, &r, seed);
    /* other numbers, the same pivots */
    for (size_t s = 0; s < a.start[a.nrow]; s++)
      a.value[s] *= 1.5;
    lwi_pivoted_factor(p, a.value);
    assert_true(lwi_pivoted_weakest(p) > 1e-3);
    check_solution(&a, p, &r, seed);
    lwi_pivoted_free(p);
    matrix_free(&a);
  }
}

static void complete_pivoting_leaves_the_smallest_column_independent(void **state)
{
  (void)state;
  const double value[6] = {0.5, 4, 1, 0.3, 1, 3};
  const int column[6] = {0, 1, 2, 0, 1, 2};
  const size_t start[3] = {0, 3, 6};
  const double ones[3] = {1, 1, 1};
  lwi_pivoted *p = lwi_pivoted_new(2, 3, start, column, 1, NULL, NULL);
  assert_true(lwi_pivoted_choose(p, value, ones, ones, 0));
  assert_false(lwi_pivoted_is_dependent(p, 0));
  assert_true(lwi_pivoted_is_dependent(p, 1) && lwi_pivoted_is_dependent(p, 2));
  /* weights count */
  const double heavy[3] = {100, 1, 1}, none[3] = {0, 1, 1};
  assert_true(lwi_pivoted_choose(p, value, ones, heavy, 0));
  assert_true(lwi_pivoted_is_dependent(p, 0));
  assert_true(lwi_pivoted_choose(p, value, ones, none, 0));
  assert_false(lwi_pivoted_is_dependent(p, 0));
  /* a choice wears out when its pivot becomes small beside the rest of its row */
  const double turned[6] = {40, 0.004, 1, 0.3, 1, 3};
  assert_true(lwi_pivoted_choose(p, value, ones, ones, 0));
  lwi_pivoted_factor(p, value);
  assert_true(lwi_pivoted_weakest(p) == 1);
  lwi_pivoted_factor(p, turned);
  assert_true(lwi_pivoted_weakest(p) < 0.01);
  lwi_pivoted_free(p);
}

static void empty_matrices_are_fine(void **state)
{
  (void)state;
  const size_t start[1] = {0};
  const double ones[2] = {1, 1};
  double x[2] = {3, 4};
  lwi_pivoted *p = lwi_pivoted_new(0, 2, start, NULL, 0, NULL, NULL);
  assert_true(lwi_pivoted_choose(p, NULL, NULL, ones, 0));
  assert_int_equal(lwi_pivoted_rank(p), 0);
  lwi_pivoted_solve(p, NULL, x);
  assert_true(x[0] == 3 && x[1] == 4);
  lwi_pivoted_free(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_rows_hold_whatever_the_groups),
      cmocka_unit_test(complete_pivoting_leaves_the_smallest_column_independent),
      cmocka_unit_test(empty_matrices_are_fine),
  };
  return cmocka_run_group_tests_name("unit/pivoted", tests, NULL, NULL);
}
