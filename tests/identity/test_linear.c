/* SPDX-License-Identifier: Apache-2.0 */
/* test_linear.c -- the linear system of the Cartesian form against a dense solution of all its equations at
   once, on random structures: trees, stars, loops, relations, redundant rows. */
#include "cartesian/reduced/reduced.h"
#include "lwt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODY = 14, MOST_SET = 32, MOST_ROW = 5 * MOST_SET, MOST = 6 * MOST_BODY + MOST_ROW };

typedef struct {
  lwi_descriptor_shape s;
  lwi_descriptor_values v;
  int row[MOST_SET + 1], touch[MOST_SET + 1], body[4 * MOST_SET];
  lwi_descriptor_mass mass[MOST_BODY];
  double jacobian[4 * 36 * MOST_SET], force[6 * MOST_BODY], gamma[MOST_ROW];
  size_t njacobian;
  unsigned r;
} system_case;

static unsigned draw(system_case *c, int n)
{
  c->r = c->r * 1664525u + 1013904223u;
  return (c->r >> 8) % (unsigned)n;
}
static double uniform(system_case *c)
{
  return (double)draw(c, 1 << 20) / (1 << 19) - 1;
}

/* ---- making systems ---- */

static void invert3(const double A[6], double B[6])
{
  const double a = A[0], b = A[1], c = A[2], d = A[3], e = A[4], f = A[5];
  const double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
  const double cofactor[6] = {b * c - f * f, a * c - e * e, a * b - d * d,
                              e * f - d * c, d * f - e * b, d * e - a * f};
  for (int i = 0; i < 6; i++)
    B[i] = cofactor[i] / det;
}

static void add_bodies(system_case *c, int n, int width)
{
  c->s = (lwi_descriptor_shape){
      .nbody = n, .width = width, .row = c->row, .touch = c->touch, .body = c->body};
  c->v = (lwi_descriptor_values){c->mass, c->jacobian, c->force, c->gamma, NULL};
  c->njacobian = 0;
  c->row[0] = c->touch[0] = 0;
  for (int i = 0; i < n; i++) {
    lwi_descriptor_mass *m = &c->mass[i];
    m->mass = 1.5 + uniform(c);
    m->inverse_mass = 1 / m->mass;
    for (int k = 0; k < 6; k++)
      m->inertia[k] = k < 3 ? 2 + uniform(c) : 0.4 * uniform(c);
    invert3(m->inertia, m->inverse_inertia);
    if (width == 3) m->inverse_inertia[2] = 1 / m->inertia[2];
  }
  for (int i = 0; i < n * width; i++)
    c->force[i] = uniform(c);
}

/* A set of rows on some bodies. */
static void add_set(system_case *c, int rows, int nbody, const int body[])
{
  const int k = c->s.nset++;
  c->row[k + 1] = c->row[k] + rows;
  c->touch[k + 1] = c->touch[k];
  for (int i = 0; i < nbody; i++)
    if (body[i] >= 0) c->body[c->touch[k + 1]++] = body[i];
  const size_t n = (size_t)((c->touch[k + 1] - c->touch[k]) * rows * c->s.width);
  for (size_t i = 0; i < n; i++)
    c->jacobian[c->njacobian++] = uniform(c);
  for (int i = 0; i < rows; i++)
    c->gamma[c->row[k] + i] = uniform(c);
}

/* A copy of the last set, or its rows turned: they say nothing new. */
static void repeat_last_set(system_case *c)
{
  const int k = c->s.nset - 1, rows = c->row[k + 1] - c->row[k], n = c->touch[k + 1] - c->touch[k];
  const size_t from = c->njacobian - (size_t)(n * rows * c->s.width);
  const int body[4] = {n > 0 ? c->body[c->touch[k]] : -1, n > 1 ? c->body[c->touch[k] + 1] : -1, -1,
                       -1};
  double mix[6][6];
  add_set(c, rows, n, body);
  double *to = c->jacobian + from + (size_t)(n * rows * c->s.width);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      mix[i][j] = uniform(c) + 2 * (i == j);
  for (int b = 0; b < n; b++)
    for (int i = 0; i < rows; i++)
      for (int x = 0; x < c->s.width; x++) {
        double s = 0;
        for (int j = 0; j < rows; j++)
          s += mix[i][j] * c->jacobian[from + (size_t)((b * rows + j) * c->s.width + x)];
        to[(b * rows + i) * c->s.width + x] = s;
      }
  for (int i = 0; i < rows; i++) {
    c->gamma[c->row[k + 1] + i] = 0;
    for (int j = 0; j < rows; j++)
      c->gamma[c->row[k + 1] + i] += mix[i][j] * c->gamma[c->row[k] + j];
  }
}

typedef enum { TREE, STAR, FLOATING_STAR, LOOPS, REDUNDANT, NSHAPE } topology;

static void make_system(system_case *c, unsigned seed, topology shape)
{
  c->r = seed * 2654435761u + (unsigned)shape;
  const int width = draw(c, 2) ? 3 : 6, n = 1 + (int)draw(c, MOST_BODY - 1);
  add_bodies(c, n, width);
  const bool floating = shape == FLOATING_STAR || draw(c, 3) == 0;
  for (int i = 0; i < n; i++) {
    const bool star = shape == STAR || shape == FLOATING_STAR;
    const int on = i == 0 ? -1 : star ? 0 : (int)draw(c, i + 1) - 1;
    const int rows = (int)draw(c, width), body[2] = {i, on};
    if (on < 0 && (floating || i > 0)) continue;
    add_set(c, rows, 2, body);
  }
  if (n < 2 || (shape != LOOPS && shape != REDUNDANT)) return;
  /* few enough rows to stay independent */
  int spare = n * width - c->row[c->s.nset];
  for (int k = 0; k < 4 && spare > 3; k++) {
    int body[3] = {(int)draw(c, n), (int)draw(c, n), (int)draw(c, n)};
    if (body[1] == body[0]) body[1] = -1;
    if (body[2] == body[0] || body[2] == body[1] || draw(c, 2)) body[2] = -1;
    add_set(c, 1 + (int)draw(c, 2), 3, body);
    spare -= 2;
  }
  if (shape == REDUNDANT && c->touch[c->s.nset] - c->touch[c->s.nset - 1] <= 2) repeat_last_set(c);
}

/* ---- the dense solution ---- */

static void mass_block(const system_case *c, int i, double M[6][6])
{
  const lwi_descriptor_mass *m = &c->mass[i];
  const int w = c->s.width;
  memset(M, 0, 36 * sizeof(double));
  if (w == 3) {
    M[0][0] = m->inertia[2];
  } else {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++)
      M[row[k]][column[k]] = M[column[k]][row[k]] = m->inertia[k];
  }
  for (int k = w == 3 ? 1 : 3; k < w; k++)
    M[k][k] = m->mass;
}

/* [M Phi'; Phi 0] and the right side in the last column; returns the size */
static int form_all(const system_case *c, double (*A)[MOST + 1])
{
  const int w = c->s.width, n = c->s.nbody * w, m = lwi_descriptor_rows(&c->s);
  memset(A, 0, sizeof(double[MOST][MOST + 1]));
  for (int i = 0; i < c->s.nbody; i++) {
    double M[6][6];
    mass_block(c, i, M);
    for (int j = 0; j < w; j++) {
      memcpy(&A[i * w + j][i * w], M[j], (size_t)w * sizeof(double));
      A[i * w + j][n + m] = c->force[i * w + j];
    }
  }
  const double *phi = c->jacobian;
  for (int k = 0; k < c->s.nset; k++)
    for (int e = c->touch[k]; e < c->touch[k + 1]; e++)
      for (int r = c->row[k]; r < c->row[k + 1]; r++)
        for (int x = 0; x < w; x++, phi++)
          A[n + r][c->body[e] * w + x] = A[c->body[e] * w + x][n + r] = *phi;
  for (int r = 0; r < m; r++)
    A[n + r][n + m] = c->gamma[r];
  return n + m;
}

/* Gauss with complete pivoting; unknowns that nothing determines are zero.  Returns the rank. */
static int solve_all(double (*A)[MOST + 1], int n, double x[])
{
  int column[MOST], rank = 0;
  for (int i = 0; i < n; i++)
    column[i] = i;
  for (; rank < n; rank++) {
    int p = rank, q = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(A[i][j]) > fabs(A[p][q])) {
          p = i;
          q = j;
        }
    if (fabs(A[p][q]) < 1e-11) break;
    for (int j = 0; j <= n; j++) {
      const double t = A[p][j];
      A[p][j] = A[rank][j];
      A[rank][j] = t;
    }
    for (int i = 0; i < n; i++) {
      const double t = A[i][q];
      A[i][q] = A[i][rank];
      A[i][rank] = t;
    }
    const int t = column[q];
    column[q] = column[rank];
    column[rank] = t;
    for (int i = rank + 1; i < n; i++) {
      const double f = A[i][rank] / A[rank][rank];
      for (int j = rank; f != 0 && j <= n; j++)
        A[i][j] -= f * A[rank][j];
    }
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = rank - 1; i >= 0; i--) {
    double s = A[i][n];
    for (int j = i + 1; j < rank; j++)
      s -= A[i][j] * x[column[j]];
    x[column[i]] = s / A[i][i];
  }
  return rank;
}

/* largest violation of M a + Phi' lambda = Q, Phi a = gamma, relative to the largest number */
static double violation(const system_case *c, const double a[], const double lambda[])
{
  static double A[MOST][MOST + 1];
  const int size = form_all(c, A), n = c->s.nbody * c->s.width;
  double worst = 0, scale = 1;
  for (int i = 0; i < size; i++)
    scale = fmax(scale, fabs(i < n ? a[i] : lambda[i - n]));
  for (int i = 0; i < size; i++) {
    double s = -A[i][size];
    for (int j = 0; j < size; j++)
      s += A[i][j] * (j < n ? a[j] : lambda[j - n]);
    worst = fmax(worst, fabs(s));
  }
  return worst / scale;
}

static void check(const system_case *c, const char *what, unsigned seed, const double a[],
                  const double lambda[], int rank)
{
  static double A[MOST][MOST + 1], x[MOST];
  const int size = form_all(c, A), n = c->s.nbody * c->s.width;
  const int found = solve_all(A, size, x);
  double scale = 1, worst = 0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(x[i]));
    worst = fmax(worst, fabs(x[i] - a[i]));
  }
  if (!(worst < 1e-10 * scale))
    fail_msg("%s, seed %u: accelerations differ by %g", what, seed, worst / scale);
  const double v = violation(c, a, lambda);
  if (!(v < 1e-10)) fail_msg("%s, seed %u: equations violated by %g", what, seed, v);
  if (rank != found - n)
    fail_msg("%s, seed %u: rank %d, should be %d", what, seed, rank, found - n);
}

static void solutions_are_those_of_all_equations_at_once(void **state)
{
  (void)state;
  static const char *const names[] = {"tree", "star", "floating star", "loops", "redundant"};
  static system_case c;
  int with_hubs = 0, deficient = 0;
  for (int s = 0; s < NSHAPE; s++)
    for (unsigned seed = 1; seed <= 100; seed++) {
      double a[6 * MOST_BODY], lambda[MOST_ROW], other[6 * MOST_BODY];
      lw_status status;
      memset(&c, 0, sizeof c);
      make_system(&c, seed, (topology)s);
      lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
      assert_int_equal(status, LW_OK);
      assert_int_equal(lwi_descriptor_solve(l, &c.v, a, lambda), LW_OK);
      check(&c, names[s], seed, a, lambda, lwi_descriptor_rank(l));
      with_hubs += lwi_descriptor_describe(l).hubs > 0;
      int kept = 0;
      for (int r = 0; r < lwi_descriptor_rows(&c.s); r++)
        kept += lwi_descriptor_row_kept(l, r);
      assert_int_equal(kept, lwi_descriptor_rank(l));
      deficient += kept < lwi_descriptor_rows(&c.s);

      /* the same factors for another force, which the rows do not mind */
      for (int i = 0; i < c.s.nbody * c.s.width; i++)
        c.force[i] = uniform(&c);
      assert_int_equal(lwi_descriptor_solve_again(l, &c.v, a, lambda), LW_OK);
      check(&c, names[s], seed, a, lambda, lwi_descriptor_rank(l));

      /* and from the start again, bit for bit */
      assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_OK);
      assert_int_equal(lwi_descriptor_solve(l, &c.v, other, NULL), LW_OK);
      assert_memory_equal(a, other, (size_t)(c.s.nbody * c.s.width) * sizeof *a);
      /* with the rows left out that depended on others at this state, there and with other numbers */
      assert_int_equal(lwi_descriptor_look_at(l, &c.s, NULL, &c.v), LW_OK);
      for (int again = 0; again < 2; again++) {
        for (int i = 0; again && i < c.s.nbody * c.s.width; i++)
          c.force[i] = uniform(&c);
        assert_int_equal(again ? lwi_descriptor_solve_again(l, &c.v, a, lambda)
                               : lwi_descriptor_solve(l, &c.v, a, lambda),
                         LW_OK);
        check(&c, names[s], seed, a, lambda, lwi_descriptor_rank(l));
        for (int r = 0; r < lwi_descriptor_rows(&c.s); r++)
          assert_true(lwi_descriptor_row_kept(l, r) || lambda[r] == 0);
      }
      lwi_descriptor_free(l);
    }
  assert_true(with_hubs > 30); /* or the test would not test them */
  assert_true(deficient > 50);
}

/* A row that depends on others where the system looks, but not where it solves. */
static void rows_that_were_left_out_count_where_they_are_needed(void **state)
{
  (void)state;
  static system_case c;
  int changed = 0;
  for (unsigned seed = 1; seed <= 100; seed++) {
    double a[6 * MOST_BODY], lambda[MOST_ROW], kept[36];
    lw_status status;
    memset(&c, 0, sizeof c);
    make_system(&c, seed, LOOPS);
    lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
    assert_int_equal(status, LW_OK);
    const size_t first =
        (size_t)c.s.width; /* the first row of the first block, whose set has others or none */
    memcpy(kept, c.jacobian, first * sizeof *kept);
    memset(c.jacobian, 0, first * sizeof *kept);
    assert_int_equal(lwi_descriptor_look_at(l, &c.s, NULL, &c.v), LW_OK);
    memcpy(c.jacobian, kept, first * sizeof *kept);
    assert_int_equal(lwi_descriptor_solve(l, &c.v, a, lambda), LW_OK);
    check(&c, "left out", seed, a, lambda, lwi_descriptor_rank(l));
    changed += lwi_descriptor_row_kept(l, 0);
    lwi_descriptor_free(l);
  }
  assert_true(changed > 50);
}

static void any_order_gives_the_same(void **state)
{
  (void)state;
  static system_case c;
  for (unsigned seed = 1; seed <= 100; seed++) {
    double a[6 * MOST_BODY], lambda[MOST_ROW];
    int order[MOST_SET];
    lw_status status;
    memset(&c, 0, sizeof c);
    make_system(&c, seed, (topology)(seed % NSHAPE));
    for (int k = 0; k < c.s.nset; k++)
      order[k] = k;
    for (int k = c.s.nset - 1; k > 0; k--) {
      const int i = (int)draw(&c, k + 1), t = order[k];
      order[k] = order[i];
      order[i] = t;
    }
    lwi_descriptor_system *l = lwi_descriptor_new(&c.s, order, &status);
    assert_int_equal(status, LW_OK);
    assert_int_equal(lwi_descriptor_solve(l, &c.v, a, lambda), LW_OK);
    check(&c, "any order", seed, a, lambda, lwi_descriptor_rank(l));
    lwi_descriptor_free(l);
    if (c.s.nset < 2) continue;
    order[0] = order[1]; /* not an order */
    if (c.row[order[1] + 1] > c.row[order[1]])
      assert_null(lwi_descriptor_new(&c.s, order, &status));
  }
}

/* in the plan that is chosen and in orders of the caller's */
static void no_order_has_less_work_than_the_one_chosen(void **state)
{
  (void)state;
  static system_case c;
  int forests_by_B = 0;
  for (unsigned seed = 1; seed <= 300; seed++) {
    int order[MOST_SET];
    lw_status status;
    memset(&c, 0, sizeof c);
    make_system(&c, seed, (topology)(seed % NSHAPE));
    lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
    assert_int_equal(status, LW_OK);
    const lwi_descriptor_report chosen = lwi_descriptor_describe(l);
    forests_by_B += seed % NSHAPE == TREE && chosen.hubs == 0 && chosen.multiplications > 10;
    lwi_descriptor_free(l);
    for (int way = 0; way < 3; way++) { /* as given, reversed, shuffled */
      for (int k = 0; k < c.s.nset; k++)
        order[k] = way == 1 ? c.s.nset - 1 - k : k;
      for (int k = c.s.nset - 1; way == 2 && k > 0; k--) {
        const int i = (int)draw(&c, k + 1), t = order[k];
        order[k] = order[i];
        order[i] = t;
      }
      l = lwi_descriptor_new(&c.s, order, &status);
      assert_int_equal(status, LW_OK);
      const lwi_descriptor_report other = lwi_descriptor_describe(l);
      assert_true(chosen.multiplications <= other.multiplications);
      lwi_descriptor_free(l);
    }
  }
  assert_true(forests_by_B > 3); /* not all of them from the leaves inward */
}

/* ---- why long chains are eliminated from the leaves inward ---- */

/* n planar links of length one, each welded to the one before */
typedef struct {
  lwi_descriptor_shape s;
  lwi_descriptor_values v;
  int *whole;
  double *numbers;
  lwi_descriptor_mass *mass;
} weld_chain;

static weld_chain weld(int n)
{
  weld_chain c = {.whole = calloc(4 * (size_t)n + 2, sizeof(int)),
                  .numbers = calloc((size_t)n * 21, sizeof(double)),
                  .mass = calloc((size_t)n, sizeof(lwi_descriptor_mass))};
  int *row = c.whole, *touch = row + n + 1, *body = touch + n + 1, blocks = 0;
  double *zero = c.numbers, *phi = zero + 3 * (size_t)n;
  assert_true(c.whole && c.numbers && c.mass);
  for (int i = 0; i < n; i++) {
    c.mass[i] = (lwi_descriptor_mass){1, 1, {0, 0, 0.1}, {0, 0, 10}};
    row[i] = 3 * i;
    touch[i] = blocks;
    for (int side = 0; side < (i ? 2 : 1);
         side++) { /* this link's near end, the far end of the last one */
      double *J = phi + 9 * (size_t)blocks, sign = side ? -1 : 1;
      body[blocks++] = i - side;
      J[0] = J[4] = J[8] = sign;
      J[6] = -0.5 * sign * sign;
    }
  }
  row[n] = 3 * n;
  touch[n] = blocks;
  c.s = (lwi_descriptor_shape){n, 3, n, row, touch, body};
  c.v = (lwi_descriptor_values){c.mass, phi, zero, zero, NULL};
  return c;
}

static void weld_free(weld_chain *c)
{
  free(c->whole);
  free(c->numbers);
  free(c->mass);
}

/* what the pivots of a plan are */
static lwi_pivots weld_pivots(int n, lwi_plan_purpose purpose)
{
  weld_chain c = weld(n);
  lwi_arena arena = {0};
  lwi_reduced_plan plan;
  lwi_reduced_work work;
  assert_int_equal(lwi_reduced_plan_new(&c.s, NULL, purpose, 1e9, &arena, &plan), LW_OK);
  assert_true(lwi_reduced_work_take(&plan, &arena, &work));
  const lwi_pivots pivots = lwi_reduced_kernels_best()->factor(&plan, &work, &c.v);
  lwi_arena_free(&arena);
  weld_free(&c);
  return pivots;
}

/* the plan chosen at a state */
static lwi_descriptor_report weld_report(int n)
{
  weld_chain c = weld(n);
  lw_status status;
  lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
  assert_int_equal(status, LW_OK);
  assert_true(lwi_descriptor_wants_look(l));
  assert_int_equal(lwi_descriptor_look_at(l, &c.s, NULL, &c.v), LW_OK);
  const lwi_descriptor_report report = lwi_descriptor_describe(l);
  lwi_descriptor_free(l);
  weld_free(&c);
  return report;
}

static void long_chains_lose_digits_in_B_and_none_from_the_leaves_inward(void **state)
{
  (void)state;
  assert_int_equal(weld_pivots(1000, LWI_PLAN_QUICK), LWI_PIVOTS_WEAK);
  assert_int_equal(weld_pivots(1000, LWI_PLAN_LEAVES), LWI_PIVOTS_STRONG);
  assert_int_equal(weld_pivots(3, LWI_PLAN_QUICK), LWI_PIVOTS_STRONG);
  const lwi_descriptor_report shortest = weld_report(3), longest = weld_report(1000);
  assert_false(shortest.forest);
  assert_true(shortest.weakest > 0.01 && shortest.least == 0);
  assert_true(longest.forest);
  assert_true(longest.weakest < 1e-4 && longest.least < longest.multiplications);
}

/* every table of kernels that this processor runs */
static void kernels_agree(void **state)
{
  (void)state;
  static system_case c;
  for (unsigned seed = 1; seed <= 60; seed++) {
    memset(&c, 0, sizeof c);
    make_system(&c, seed, (topology)(seed % REDUNDANT));
    for (int i = 0; lwi_reduced_kernels_at(i); i++) {
      double a[6 * MOST_BODY], lambda[MOST_ROW];
      lw_status status;
      lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
      assert_int_equal(status, LW_OK);
      lwi_descriptor_use_kernels(l, lwi_reduced_kernels_at(i));
      assert_int_equal(lwi_descriptor_solve(l, &c.v, a, lambda), LW_OK);
      check(&c, "kernels", seed, a, lambda, lwi_descriptor_rank(l));
      lwi_descriptor_free(l);
    }
  }
}

/* ---- long and wide ---- */

typedef enum { CHAIN, BINARY, WIDE, LADDER } large_shape;

/* memory and counted work of one solution for n bodies */
static lwi_descriptor_report solve_large(large_shape shape, int n)
{
  const int nset = shape == LADDER ? 2 * n : n;
  int *row = malloc(((size_t)nset + 1) * sizeof *row),
      *touch = malloc(((size_t)nset + 1) * sizeof *touch);
  int *body = malloc(2 * (size_t)nset * sizeof *body);
  lwi_descriptor_shape s = {.nbody = n, .width = 6, .row = row, .touch = touch, .body = body};
  lwi_descriptor_mass *mass = calloc((size_t)n, sizeof *mass);
  double *phi = calloc((size_t)nset * 60, sizeof *phi),
         *force = calloc((size_t)n * 6, sizeof *force);
  double *gamma = calloc((size_t)nset * 5, sizeof *gamma), *a = malloc((size_t)n * 6 * sizeof *a);
  assert_true(row && touch && body && mass && phi && force && gamma && a);
  unsigned r = 3;
  row[0] = touch[0] = 0;
  for (int i = 0; i < n; i++) {
    const int on = shape == CHAIN || shape == LADDER ? i - 1 : shape == BINARY ? (i - 1) / 2 : 0;
    row[i + 1] = row[i] + (shape == LADDER ? 3 : 5);
    touch[i + 1] = touch[i];
    body[touch[i + 1]++] = i;
    if (i > 0) body[touch[i + 1]++] = on;
    mass[i] = (lwi_descriptor_mass){1, 1, {1, 1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 0}};
    force[6 * i + 4] = 1;
  }
  s.nset = n;
  for (int i = 2; shape == LADDER && i < n;
       i++, s.nset++) { /* each body also with the second next */
    row[s.nset + 1] = row[s.nset] + 1;
    touch[s.nset + 1] = touch[s.nset] + 2;
    body[touch[s.nset]] = i;
    body[touch[s.nset] + 1] = i - 2;
  }
  for (size_t i = 0; i < (size_t)nset * 60; i++) {
    r = r * 1664525u + 1013904223u;
    phi[i] = (double)(r >> 8) / (1 << 23) - 1;
  }
  lw_status status;
  lwi_descriptor_system *l = lwi_descriptor_new(&s, NULL, &status);
  assert_int_equal(status, LW_OK);
  const lwi_descriptor_values v = {mass, phi, force, gamma, NULL};
  double *lambda = malloc((size_t)nset * 5 * sizeof *lambda), size = 1;
  assert_non_null(lambda);
  assert_int_equal(lwi_descriptor_solve(l, &v, a, lambda), LW_OK);
  for (int k = 0; k < row[s.nset]; k++)
    size = fmax(size, fabs(lambda[k]));
  const double *p = phi; /* Phi a = gamma = 0 */
  for (int k = 0; k < s.nset; k++) {
    double sum[5] = {0};
    for (int e = touch[k]; e < touch[k + 1]; e++)
      for (int i = 0; i < row[k + 1] - row[k]; i++)
        for (int x = 0; x < 6; x++)
          sum[i] += *p++ * a[6 * body[e] + x];
    for (int i = 0; i < 5; i++)
      if (!(fabs(sum[i]) < 1e-10 * size)) fail_msg("shape %d, set %d: %g", (int)shape, k, sum[i]);
  }
  const lwi_descriptor_report report = lwi_descriptor_describe(l);
  lwi_descriptor_free(l);
  free(row);
  free(touch);
  free(body);
  free(mass);
  free(phi);
  free(force);
  free(gamma);
  free(a);
  free(lambda);
  return report;
}

static void work_and_memory_grow_with_the_number_of_bodies(void **state)
{
  (void)state;
  for (int s = CHAIN; s <= LADDER; s++) {
    const int n = s == LADDER ? 20000 : 100000;
    const lwi_descriptor_report small = solve_large((large_shape)s, n / 20);
    const lwi_descriptor_report large = solve_large((large_shape)s, n);
    assert_true(large.multiplications < 20.2 * small.multiplications);
    assert_true((double)large.numbers < 20.2 * (double)small.numbers + 2e5);
    assert_true((double)large.numbers < 600.0 * n);
    assert_true(large.multiplications < 6000.0 * n);
  }
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
  (void)state;
  static system_case c;
  double a[6 * MOST_BODY];
  lw_status status;
  make_system(&c, 7, LOOPS);
  lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
  assert_int_equal(lwi_descriptor_solve_again(l, &c.v, a, NULL), LW_E_STAGE);
  assert_true(c.njacobian > 0);
  c.jacobian[0] = (double)NAN;
  assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_E_NUMBER);
  c.jacobian[0] = HUGE_VAL;
  assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_E_NUMBER);
  c.jacobian[0] = 1;
  assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_OK);
  c.force[0] = (double)NAN;
  assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_E_NUMBER);
  lwi_descriptor_free(l);
}

static void systems_of_nothing_are_solved(void **state)
{
  (void)state;
  static system_case c;
  double a[6] = {0};
  lw_status status;
  for (int n = 0; n <= 1; n++) {
    memset(&c, 0, sizeof c);
    add_bodies(&c, n, 6);
    lwi_descriptor_system *l = lwi_descriptor_new(&c.s, NULL, &status);
    assert_int_equal(status, LW_OK);
    assert_int_equal(lwi_descriptor_solve(l, &c.v, a, NULL), LW_OK);
    lwi_descriptor_free(l);
  }
  assert_true(fabs(a[3] * c.mass[0].mass - c.force[3]) < 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_are_those_of_all_equations_at_once),
      cmocka_unit_test(rows_that_were_left_out_count_where_they_are_needed),
      cmocka_unit_test(any_order_gives_the_same),
      cmocka_unit_test(no_order_has_less_work_than_the_one_chosen),
      cmocka_unit_test(long_chains_lose_digits_in_B_and_none_from_the_leaves_inward),
      cmocka_unit_test(kernels_agree),
      cmocka_unit_test(work_and_memory_grow_with_the_number_of_bodies),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(systems_of_nothing_are_solved),
  };
  return cmocka_run_group_tests_name("identity/linear", tests, NULL, NULL);
}
