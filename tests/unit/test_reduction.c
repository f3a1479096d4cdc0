/* SPDX-License-Identifier: Apache-2.0 */
/* Rows solved for dependent unknowns, against the definitions: random strips, overlapping, with rows that
   repeat combinations of earlier ones. */
#include "lwt.h"

#include "linalg/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIPS = 12, ROWS = 6 * STRIPS, COLUMNS = 40, VALUES = 20000 };

typedef struct {
  lwi_reduction f;
  lwi_strip strip[STRIPS];
  lwi_strip_factor factor[STRIPS];
  int column[STRIPS * COLUMNS], pivot[COLUMNS], pivot_column[COLUMNS], pivot_strip[COLUMNS];
  int chosen[ROWS], index[VALUES], at[COLUMNS], list[COLUMNS];
  bool kept[ROWS];
  double value[VALUES], entry[2 * LWI_STRIP_ROWS * COLUMNS], y[COLUMNS];
  double G[ROWS * COLUMNS], dense[ROWS][COLUMNS];
  int nrow;
} system_of_rows;

static const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14, .unit = 1e-6};

/* a row of the strip: random, or twice a row of the strip before on the columns of both */
static void fill_row(lwt_random *r, system_of_rows *s, const lwi_strip *k, int row, bool copy)
{
  for (int c = 0; c < k->ncolumn; c++)
    s->dense[row][s->column[k->column + c]] = lwt_uniform(r, -1, 1);
  if (copy)
    for (int c = 0; c < COLUMNS; c++)
      s->dense[row][c] = 2 * s->dense[row - 1][c];
}

/* strip i has the columns from 3 i on: neighbours overlap; wide: anywhere */
static system_of_rows *random_system(unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  system_of_rows *s = calloc(1, sizeof *s);
  int ncolumn = 0, nlist = 0, nG = 0;
  const int nstrip = 1 + lwt_pick(&r, STRIPS);
  for (int i = 0; i < nstrip; i++) {
    lwi_strip *k = &s->strip[i];
    *k = (lwi_strip){.row = s->nrow, .n = 1 + lwt_pick(&r, 6), .column = nlist, .G = (size_t)nG};
    k->ncolumn = 1 + lwt_pick(&r, 6);
    for (int c = 0; c < k->ncolumn; c++) {
      s->column[nlist++] = 3 * i + c;
      if (3 * i + c + 1 > ncolumn) ncolumn = 3 * i + c + 1;
    }
    for (int row = 0; row < k->n; row++)
      fill_row(&r, s, k, k->row + row, row > 0 && lwt_pick(&r, 4) == 0);
    for (int c = 0; c < k->ncolumn; c++)
      for (int row = 0; row < k->n; row++)
        s->G[nG++] = s->dense[k->row + row][s->column[k->column + c]];
    s->nrow += k->n;
  }
  s->f = (lwi_reduction){.ncolumn = ncolumn,
                         .nstrip = nstrip,
                         .strip = s->strip,
                         .column = s->column,
                         .factor = s->factor,
                         .pivot = s->pivot,
                         .pivot_column = s->pivot_column,
                         .pivot_strip = s->pivot_strip,
                         .chosen = s->chosen,
                         .kept = s->kept,
                         .index = s->index,
                         .value = s->value,
                         .nindex = VALUES,
                         .nvalue = VALUES,
                         .at = s->at,
                         .list = s->list,
                         .entry = s->entry,
                         .y = s->y};
  return s;
}

/* G u */
static void multiply(const system_of_rows *s, const double *u, int stride, double *out)
{
  for (int r = 0; r < s->nrow; r++) {
    out[r] = 0;
    for (int c = 0; c < s->f.ncolumn; c++)
      out[r] += s->dense[r][c] * u[c * stride];
  }
}

/* G' lambda */
static void multiply_transposed(const system_of_rows *s, const double *lambda, double *out)
{
  for (int c = 0; c < s->f.ncolumn; c++) {
    out[c] = 0;
    for (int r = 0; r < s->nrow; r++)
      out[c] += s->dense[r][c] * lambda[r];
  }
}

static void check_solutions(const system_of_rows *s, unsigned seed)
{
  lwt_random r = lwt_seed(seed + 5);
  const int n = s->f.ncolumn, nv = s->f.nfree;
  double X[COLUMNS * COLUMNS], x[ROWS], Gx[ROWS], zero[ROWS] = {0}, u[COLUMNS], g[COLUMNS];
  assert_int_equal(s->f.rank + nv, n);
  lwi_reduction_map(&s->f, X);
  for (int j = 0; j < nv; j++) {
    double size = 0;
    for (int c = 0; c < n; c++)
      size = fmax(size, fabs(X[c * nv + j]));
    multiply(s, X + j, nv, Gx);
    lwt_close(Gx, zero, s->nrow, 1e-9, size, "seed %u, mode %d", seed, j);
  }
  for (int c = 0; c < n; c++)
    u[c] = lwt_uniform(&r, -1, 1);
  multiply(s, u, 1, x); /* in the range */
  lwi_reduction_solve(&s->f, x, g);
  multiply(s, g, 1, Gx);
  lwt_close(Gx, x, s->nrow, 1e-9, 1 + lwt_scale(g, n), "seed %u, particular solution", seed);
  lwi_reduction_stress_transposed(&s->f, x, Gx);
  lwt_close(Gx, zero, s->nrow, 1e-9, 1 + lwt_scale(g, n), "seed %u, nothing contradicts", seed);
}

static void check_loads(const system_of_rows *s, unsigned seed)
{
  lwt_random r = lwt_seed(seed + 9);
  const int n = s->f.ncolumn;
  double lambda[ROWS], y[ROWS], z[ROWS], t[COLUMNS], back[COLUMNS], zero[COLUMNS] = {0};
  for (int i = 0; i < s->nrow; i++) {
    lambda[i] = lwt_uniform(&r, -1, 1);
    y[i] = s->kept[i] ? 0 : lwt_uniform(&r, -1, 1);
  }
  multiply_transposed(s, lambda, t);
  lwi_reduction_loads(&s->f, t, z);
  multiply_transposed(s, z, back);
  lwt_close(back, t, n, 1e-9, 1 + lwt_scale(z, s->nrow), "seed %u, loads", seed);
  for (int i = 0; i < s->nrow; i++)
    if (!s->kept[i]) assert_true(z[i] == 0);
  lwi_reduction_stress(&s->f, y, z);
  multiply_transposed(s, z, back);
  lwt_close(back, zero, n, 1e-9, 1 + lwt_scale(z, s->nrow), "seed %u, self-stress", seed);
  /* N' lambda . y = lambda . N y */
  double left = 0, right = 0, w[ROWS];
  lwi_reduction_stress_transposed(&s->f, lambda, w);
  for (int i = 0; i < s->nrow; i++)
    left += w[i] * y[i], right += lambda[i] * z[i];
  lwt_near(left, right, 1e-9 * (1 + lwt_scale(z, s->nrow)), "seed %u, transposes", seed);
}

static void rows_are_solved_for_as_many_unknowns_as_their_rank(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 300; k++) {
    system_of_rows *s = random_system(k);
    assert_true(lwi_reduce(&s->f, s->G, &rule));
    check_solutions(s, k);
    check_loads(s, k);
    free(s);
  }
}

static void pivots_can_be_held(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    system_of_rows *s = random_system(k);
    double x[ROWS], g[2][COLUMNS];
    assert_true(lwi_reduce(&s->f, s->G, &rule));
    for (int i = 0; i < s->nrow; i++)
      x[i] = i % 5 - 2;
    lwi_reduction_solve(&s->f, x, g[0]);
    const int rank = s->f.rank;
    assert_true(lwi_reduce(&s->f, s->G, NULL));
    assert_int_equal(s->f.rank, rank);
    lwi_reduction_solve(&s->f, x, g[1]);
    assert_memory_equal(g[0], g[1], (size_t)s->f.ncolumn * sizeof(double));
    free(s);
  }
}

static void missing_room_is_noticed(void **state)
{
  (void)state;
  system_of_rows *s = random_system(3);
  s->f.nvalue = 10;
  assert_false(lwi_reduce(&s->f, s->G, &rule));
  s->f.nvalue = VALUES;
  s->f.nindex = 1;
  assert_false(lwi_reduce(&s->f, s->G, &rule));
  free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_solved_for_as_many_unknowns_as_their_rank),
      cmocka_unit_test(pivots_can_be_held),
      cmocka_unit_test(missing_room_is_noticed),
  };
  return cmocka_run_group_tests_name("unit/reduction", tests, NULL, NULL);
}
