/* SPDX-License-Identifier: Apache-2.0 */
/* What SKO models cost: multiplications in proportion to the nodes, and no memory after
   construction. */
#include "../identity/sko_cases.h"

/* ---- the allocators: the library's and the C library's, which count ---- */

#include "graph/block.h"

static int alloc_count;
void *lwi_graph_alloc(size_t size)
{
  alloc_count++;
  return calloc(1, size);
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#ifndef COUNTS_MALLOC
#define COUNTS_MALLOC 1
#endif

static long malloc_count;
#if COUNTS_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *malloc(size_t size)
{
  malloc_count++;
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size)
{
  malloc_count++;
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t size)
{
  malloc_count++;
  return __libc_realloc(p, size);
}
#endif

/* ---- the multiplications: this program's own copy of the dense products counts them ---- */

static long multiplications;
#define LWI_DENSE_COUNT(n) (multiplications += (n))
#include "linalg/dense.c"

/* ---- cost ---- */

/* every call that computes; returns the multiplications of all of them but the mass matrix */
static long evaluate(lw_sko *k, lw_work *w, const lwt_case *c, double *x, double *y, double *z)
{
  multiplications = 0;
  lwt_ok(lw_kinematics(w, c->q, c->u));
  lwt_ok(lw_sko_update(k, w));
  lwt_ok(lw_sko_update_with_forces(k, w, c->t, c->q, c->u));
  lwt_ok(lw_sko_factor(k));
  lwt_ok(lw_sko_forward_dynamics(k, x, y, z));
  lwt_ok(lw_sko_inverse_dynamics(k, x, y, z, NULL));
  lwt_ok(lw_sko_bias(k, y));
  lwt_ok(lw_sko_velocities(k, x, z));
  for (int op = LW_SKO_E; op <= LW_SKO_MASS_INVERSE; op++) {
    lwt_ok(lw_sko_apply(k, (lw_sko_operator)op, x, y));
    lwt_ok(lw_sko_apply_transposed(k, (lw_sko_operator)op, x, y));
  }
  lwt_ok(lw_sko_gather(k, LW_SKO_A, NULL, z));
  lwt_ok(lw_sko_scatter(k, LW_SKO_PSI, z, y));
  lwt_ok(lw_sko_compliance(k));
  lwt_ok(lw_sko_log_determinant(k, x));
  return multiplications;
}

/* chains of 4 bodies on a backbone: as many nodes of the same sizes for each further one */
static lw_model *comb(int nteeth)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_body back = {0};
  for (int i = 0; i < nteeth; i++) {
    lw_body on = back;
    for (int j = 0; j < 5; j++) {
      char name[32];
      snprintf(name, sizeof name, "b%d_%d", i, j);
      const lw_body b = lw_add_body(
          s, &(lw_body_desc){.name = name, .mass = 1, .com = {0.2, 0, 0}, .inertia = {1, 1, 1}});
      snprintf(name, sizeof name, "j%d_%d", i, j);
      lw_add_joint(s, &(lw_joint_desc){.name = name,
                                       .type = LW_REVOLUTE,
                                       .parent = on,
                                       .child = b,
                                       .place = {.at = {0.5, 0, 0}},
                                       .axis = {0, 1, j % 2}});
      on = b;
      if (j == 0) back = b;
    }
  }
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  assert_non_null(m);
  return m;
}

static long cost_of(int nteeth, bool segments)
{
  lwt_case c = lwt_case_of(comb(nteeth), 1);
  lw_sko *k = lw_sko_from_model(c.m, NULL), *g = lw_sko_aggregate_segments(k, NULL);
  const int room = (int)lw_sko_nsquare(g) + lw_sko_nrow(g);
  const long cost =
      evaluate(segments ? g : k, c.w, &c, vec_new(room), vec_new(room), vec_new(room));
  lw_sko_free(g);
  lw_sko_free(k);
  lwt_case_free(&c);
  pool_empty();
  return cost;
}
static void multiplications_grow_in_proportion_to_the_nodes(void **state)
{
  (void)state;
  for (int segments = 0; segments < 2; segments++) {
    const long a = cost_of(20, segments), b = cost_of(40, segments), c = cost_of(80, segments);
    assert_true(a > 0);
    assert_int_equal(c - b, 2 * (b - a)); /* to the last multiplication */
  }
}

static void evaluation_allocates_nothing(void **state)
{
  (void)state;
  for (int how = 0; how < KINDS; how++) {
    sko_case s = sko_case_new(4, (kind)how);
    const int nf = lw_sko_nfreedom(s.k), room = (int)lw_sko_nsquare(s.k) + nf * nf + 100;
    double *x = vec_new(room), *y = vec_new(room), *z = vec_new(room);
    int *parent = (int *)pool_take((size_t)nf, sizeof *parent);
    lw_sko_freedom_parents(s.k, parent);
    lw_mass_factor *f = lw_mass_factor_new(nf, parent, NULL);
    lw_sko_partition *p = lw_sko_partition_new(
        s.k, (unsigned char *)memset(pool_take((size_t)nf, 1), 1, (size_t)lw_sko_nnode(s.k)), NULL);
    const long library = alloc_count, all = malloc_count;
    evaluate(s.k, s.c.w, &s.c, x, y, z);
    lwt_ok(lw_sko_get_compliance(s.k, 0, lw_sko_nnode(s.k) - 1, x));
    lwt_ok(lw_sko_mass_matrix(s.k, x));
    lwt_ok(lw_mass_factor_compute(f, x));
    lwt_ok(lw_mass_factor_compute_sko(f, s.k));
    lwt_ok(lw_mass_factor_solve(f, y, z));
    lwt_ok(lw_sko_partition_refresh(p));
    lwt_ok(lw_sko_partition_coupling(p, x, y));
    assert_int_equal(alloc_count, library);
    assert_int_equal(malloc_count, all);
    lw_sko_partition_free(p);
    lw_mass_factor_free(f);
    sko_case_free(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multiplications_grow_in_proportion_to_the_nodes),
      cmocka_unit_test(evaluation_allocates_nothing),
  };
  return cmocka_run_group_tests_name("unit/sko_cost", tests, NULL, NULL);
}
