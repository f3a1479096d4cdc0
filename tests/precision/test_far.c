/* SPDX-License-Identifier: Apache-2.0 */
/* How many digits the kernels keep: against the same source compiled for quadruple precision, on random
   trees, on a chain of a thousand links, far from the ground's origin, and with masses of very
   different size.  Errors are printed, and bounded by about ten times what was measured. */
#include "lwt.h"

#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __float128 quad;
extern const lwi_kernels lwi_kernels_quad; /* kernels.c with LW_QUAD */

/* ---- the quadruple kernels, fed with doubles ---- */

typedef struct {
  const lw_model *m;
  lwi_tree_work *tree;
  void *memory;
  quad *q, *u, *in, *out;
} quad_work;

static quad *quads(int n)
{
  quad *x = aligned_alloc(64, ((size_t)n * sizeof *x + 64) / 64 * 64);
  assert_non_null(x);
  return x;
}

static quad_work quad_new(const lw_model *m)
{
  lwi_carver measure = {0};
  lwi_kernels_quad.carve(m, &measure);
  const size_t size = (measure.used + 63) / 64 * 64;
  quad_work w = {.m = m, .memory = aligned_alloc(64, size)};
  assert_non_null(w.memory);
  memset(w.memory, 0, size);
  lwi_carver place = {.base = w.memory};
  w.tree = lwi_kernels_quad.carve(m, &place);
  lwi_kernels_quad.prepare(m, w.tree);
  w.q = quads(lw_nq(m));
  w.u = quads(lw_nu(m));
  w.in = quads(lw_nu(m));
  w.out = quads(lw_nu(m));
  return w;
}

static void quad_free(quad_work *w)
{
  free(w->memory);
  free(w->q);
  free(w->u);
  free(w->in);
  free(w->out);
}

/* Unit quaternions of doubles have a length that is wrong by one rounding; in both precisions the
   kernels take them as they are. */
static void widen(const double *x, int n, quad *out)
{
  for (int i = 0; i < n; i++)
    out[i] = (quad)x[i];
}

/* tables take arrays of their own numbers, whatever the type says */
static const double *as_input(const quad *x)
{
  return (const double *)(const void *)x;
}
static double *as_output(quad *x)
{
  return (double *)(void *)x;
}

static const quad *quad_forward(quad_work *w, const lwt_case *c)
{
  widen(c->q, c->nq, w->q);
  widen(c->u, c->nu, w->u);
  widen(c->tau, c->nu, w->in);
  assert_true(lwi_kernels_quad.forward(w->m, w->tree, c->t, as_input(w->q), as_input(w->u),
                                       as_input(w->in), as_output(w->out)));
  return w->out;
}

static const quad *quad_inverse(quad_work *w, const lwt_case *c, const double *udot)
{
  widen(c->q, c->nq, w->q);
  widen(c->u, c->nu, w->u);
  widen(udot, c->nu, w->in);
  lwi_kernels_quad.inverse(w->m, w->tree, c->t, as_input(w->q), as_input(w->u), as_input(w->in),
                           as_output(w->out));
  return w->out;
}

static double size_of(quad x)
{
  return (double)(x < 0 ? -x : x);
}

static double largest(const quad *x, int n)
{
  double s = 1e-300;
  for (int i = 0; i < n; i++)
    s = fmax(s, size_of(x[i]));
  return s;
}

/* largest difference over a scale */
static double error_of(const double *x, const quad *exact, int n, double scale)
{
  double e = 0;
  for (int i = 0; i < n; i++)
    e = fmax(e, size_of((quad)x[i] - exact[i]));
  return e / scale;
}

/* ---- what one state shows ---- */

typedef struct {
  double inverse;  /* of inverse dynamics, relative to the largest of tau and bias */
  double forward;  /* of forward dynamics, relative to the largest udot */
  double residual; /* what tau must be for the udot found, against the tau given: no matter how ill
                      conditioned, a backward stable solver leaves little of it */
} errors;

static errors errors_larger(errors a, errors b)
{
  return (errors){fmax(a.inverse, b.inverse), fmax(a.forward, b.forward),
                  fmax(a.residual, b.residual)};
}

static errors measure(const lwt_case *c)
{
  errors e;
  quad_work w = quad_new(c->m);
  /* bias: the size of what cancels */
  memset(c->x, 0, (size_t)c->nu * sizeof(double));
  const double scale = largest(quad_inverse(&w, c, c->x), c->nu) + lwt_scale(c->tau, c->nu);

  const quad *udot = quad_forward(&w, c);
  lwt_ok(lw_forward_dynamics(c->w, c->t, c->q, c->u, c->tau, c->udot));
  e.forward = error_of(c->udot, udot, c->nu, largest(udot, c->nu));

  const quad *tau = quad_inverse(&w, c, c->udot);
  lwt_ok(lw_inverse_dynamics(c->w, c->t, c->q, c->u, c->udot, c->y));
  e.inverse = error_of(c->y, tau, c->nu, scale);
  e.residual = error_of(c->tau, tau, c->nu, scale);
  quad_free(&w);
  return e;
}

static void report(const char *what, errors e, errors bound)
{
  print_message("%-44s inverse %.1e  forward %.1e  residual %.1e\n", what, e.inverse, e.forward,
                e.residual);
  assert_true(e.inverse <= bound.inverse);
  assert_true(e.forward <= bound.forward);
  assert_true(e.residual <= bound.residual);
}

/* ---- where digits could be lost ---- */

static void random_trees_keep_their_digits(void **state)
{
  (void)state;
  errors worst = {0};
  for (unsigned k = 0; k < 40; k++) {
    const lwt_recipe r = {.seed = k,
                          .nbody = 1 + (int)(k * 7 % 40),
                          .branching = (double)(k % 5) / 4,
                          .floating = k % 3 == 0,
                          .planar = k % 8 == 7};
    lwt_case c = lwt_case_new(&r);
    worst = errors_larger(worst, measure(&c));
    lwt_case_free(&c);
  }
  report("random trees, all joints, up to 40 bodies", worst, (errors){8e-14, 6e-13, 3e-13});
}

static lwt_case chain(int n, unsigned joints, double speed)
{
  const lwt_recipe r = {.seed = 4, .nbody = n, .joints = joints, .keep_direction = true};
  lwt_case c = lwt_case_new(&r);
  for (int i = 0; i < c.nu; i++)
    c.u[i] *= speed;
  return c;
}

/* speeds add up along a chain, so they are small here; random turns make it a random walk */
static void a_chain_of_a_thousand_links_keeps_its_digits(void **state)
{
  (void)state;
  lwt_case c = chain(1000, 1u << LW_REVOLUTE, 0.1);
  report("chain of 1000 revolute links", measure(&c), (errors){4e-14, 2e-12, 4e-14});
  lwt_case_free(&c);
  const unsigned mixed =
      1u << LW_REVOLUTE | 1u << LW_SPHERICAL | 1u << LW_UNIVERSAL | 1u << LW_PRISMATIC;
  c = chain(1000, mixed, 0.1);
  report("chain of 1000 mixed links", measure(&c), (errors){4e-13, 2e-11, 5e-13});
  lwt_case_free(&c);
}

/* a straight chain reaches 1000 m: what the first joint feels of the last link is a million times
   what the last joint feels */
static void a_straight_chain_of_a_thousand_links_keeps_its_digits(void **state)
{
  (void)state;
  lwt_parts *p = lwt_parts_new(1000, 1000);
  p->gravity[1] = -9.81;
  for (int i = 0; i < 1000; i++) {
    p->body[i] = (lw_body_desc){.mass = 1, .com = {0.5}, .inertia = {0.001, 0.09, 0.09}};
    p->joint[i] = (lw_joint_desc){
        .type = LW_REVOLUTE, .parent = {i}, .child = {i + 1}, .place.at = {i ? 1.0 : 0.0}};
  }
  lwt_case c = lwt_case_of(lwt_parts_compile(p), 6);
  for (int i = 0; i < c.nu; i++)
    c.q[i] = 0.001, c.u[i] *= 0.01;
  report("straight chain of 1000 links", measure(&c), (errors){1e-11, 5e-10, 1e-11});
  lwt_case_free(&c);
  lwt_parts_free(p);
}

static lwt_case far_tree(double distance)
{
  const lwt_recipe r = {.seed = 12,
                        .nbody = 12,
                        .branching = 0.4,
                        .floating = true,
                        .keep_direction = true,
                        .joints = 1u << LW_REVOLUTE | 1u << LW_SPHERICAL | 1u << LW_PRISMATIC |
                                  1u << LW_UNIVERSAL | 1u << LW_CYLINDRICAL};
  lwt_case c = lwt_case_new(&r);
  for (int i = 0; i < 3; i++)
    c.q[i] += distance;
  return c;
}

/* Everything is expressed about near points, so that nothing grows with the distance. */
static void a_floating_tree_far_from_the_origin_keeps_its_digits(void **state)
{
  (void)state;
  lwt_case at_home = far_tree(0);
  const errors home = measure(&at_home);
  lwt_case_free(&at_home);
  const double distances[] = {1e3, 1e6, 1e9};
  const char *names[] = {"floating tree 1e3 m away", "floating tree 1e6 m away",
                         "floating tree 1e9 m away"};
  report("floating tree at the origin", home, (errors){3e-15, 1e-14, 3e-15});
  for (int i = 0; i < 3; i++) {
    lwt_case c = far_tree(distances[i]);
    report(names[i], measure(&c), (errors){3e-15, 1e-14, 3e-15});
    lwt_case_free(&c);
  }
}

/* Springs see positions, which are rounded to eps times the distance: that much and no more. */
static void springs_far_from_the_origin_lose_what_positions_lose(void **state)
{
  (void)state;
  const double distances[] = {0, 1e3, 1e6};
  for (int i = 0; i < 3; i++) {
    const lwt_recipe r = {.seed = 12,
                          .nbody = 8,
                          .branching = 0.3,
                          .floating = true,
                          .keep_direction = true,
                          .joints = 1u << LW_REVOLUTE};
    lwt_parts *p = lwt_random_parts(&r);
    for (int k = 0; k < 3; k++)
      p->spring[p->nspring++] = (lw_spring_desc){.from = {1 + k},
                                                 .to = {5 + k},
                                                 .stiffness = 20,
                                                 .from_at = {0.1, 0.2, 0.3},
                                                 .length = 0.2};
    lwt_case c = lwt_case_of(lwt_parts_compile(p), 12);
    for (int k = 0; k < 3; k++)
      c.q[k] += distances[i];
    const double lost = 4e-16 * distances[i];
    report(i == 0   ? "with springs, at the origin"
           : i == 1 ? "with springs, 1e3 m away"
                    : "with springs, 1e6 m away",
           measure(&c), (errors){4e-15 + lost, 4e-15 + 2 * lost, 4e-15 + lost});
    lwt_case_free(&c);
    lwt_parts_free(p);
  }
}

/* a chain whose masses fall by 10^-8 from root to tip, or rise: accelerations keep their digits where
   the mass matrix has a condition number of 10^8 and more */
static void masses_of_very_different_size_keep_their_digits(void **state)
{
  (void)state;
  for (int up = 0; up < 2; up++) {
    const lwt_recipe r = {.seed = 21, .nbody = 9, .joints = 1u << LW_REVOLUTE | 1u << LW_SPHERICAL};
    lwt_parts *p = lwt_random_parts(&r);
    for (int i = 0; i < p->nbody; i++) {
      const double s = pow(10, up ? i : -i);
      p->body[i].mass *= s;
      for (int k = 0; k < 6; k++)
        p->body[i].inertia[k] *= s;
    }
    lwt_case c = lwt_case_of(lwt_parts_compile(p), 21);
    for (int i = 0; i < c.nu; i++)
      c.tau[i] = 0;
    report(up ? "masses rise by 1e8 to the tip" : "masses fall by 1e8 to the tip", measure(&c),
           up ? (errors){2e-14, 2e-8, 2e-14} : (errors){1e-15, 2e-14, 6e-15});
    lwt_case_free(&c);
    lwt_parts_free(p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_trees_keep_their_digits),
      cmocka_unit_test(a_chain_of_a_thousand_links_keeps_its_digits),
      cmocka_unit_test(a_straight_chain_of_a_thousand_links_keeps_its_digits),
      cmocka_unit_test(a_floating_tree_far_from_the_origin_keeps_its_digits),
      cmocka_unit_test(springs_far_from_the_origin_lose_what_positions_lose),
      cmocka_unit_test(masses_of_very_different_size_keep_their_digits),
  };
  return cmocka_run_group_tests_name("precision/far", tests, NULL, NULL);
}
