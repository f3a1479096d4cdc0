/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives inside divide and conquer: they are those of the tree's recursions and of differences, for random
   mechanisms of every topology, along states, speeds, loads and parameters; loads too; the same bits for
   any number of threads. */
#include "curves.h"

#include "linalg/eigen.h"
#include "linkwork/dca_derivatives.h"
#include "model/model.h"
#include "tree/closure.h"
#include "tree/work.h"

static const double GRAVITY = 9;

static lwt_loops random_recipe(unsigned k)
{
  return (lwt_loops){.tree = {.seed = 3000 + k,
                              .nbody = 2 + (int)(k * 5 % 14),
                              .branching = (double)(k % 4) / 3,
                              .floating = k % 4 == 0,
                              .loose = k % 8 == 1,
                              .planar = k % 6 == 5,
                              .forces = k % 2 == 1},
                     .loops = (int)(k % 5),
                     .constraints = (int)(k / 5 % 3),
                     .relations = (int)(k / 3 % 4),
                     .twice = k % 7 == 3,
                     .forces = k % 2};
}

/* ---- a mechanism at a state, and a direction ---- */

typedef struct {
  lw_spec *s;
  lwt_case c;
  lw_dca *d;
  lw_work *w;
  lw_dca_derivatives *x;
  lw_derivatives *tree;
  lw_slope *slope;
  double *motion, *u, *tau;
  lw_direction along;
} subject;

static void close_subject(subject *x)
{
  lw_dca_derivatives_free(x->x);
  lw_dca_free(x->d);
  lw_work_free(x->w);
  lw_derivatives_free(x->tree);
  lw_slope_free(x->slope);
  lw_spec_free(x->s);
  free(x->motion);
  lwt_case_free(&x->c);
}

/* x -= G^+ y for equations y whose derivatives by x are G */
static void take_out(int n, int nu, const double *G, const double *y, double *x)
{
  double *S = room(n * n), *V = room(n * n), *value = room(n), largest = 0;
  for (int i = 0; i < n * n; i++)
    for (int k = 0; k < nu; k++)
      S[i] += G[i / n * nu + k] * G[i % n * nu + k];
  if (n) lwi_symmetric_eigen(n, S, V, value);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, value[i]);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    if (value[i] < 1e-11 * largest) continue;
    for (int k = 0; k < n; k++)
      sum += V[n * i + k] * y[k] / value[i];
    for (int k = 0; k < n; k++)
      for (int j = 0; j < nu; j++)
        x[j] -= G[k * nu + j] * V[n * i + k] * sum;
  }
  free(S), free(V), free(value);
}

/* a direction along which the equations keep holding; false: there is none, they contradict each other */
static bool admit(subject *x)
{
  const lw_model *m = x->c.m;
  const int n = lw_nequation(m), nu = x->c.nu;
  double *G = room(n * nu), *phi = room(n), *rate = room(n);
  lwt_ok(lw_constraint_equations(m, x->tree, x->c.t, x->c.q, NULL, G));
  for (int pass = 0; pass < 2; pass++) {
    lwt_ok(lw_vary_constraints(m, x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
    take_out(n, nu, G, phi, x->motion);
  }
  for (int pass = 0; pass < 2; pass++) {
    lwt_ok(lw_vary_constraints(m, x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
    take_out(n, nu, G, rate, x->u);
  }
  lwt_ok(lw_vary_constraints(m, x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
  for (int i = 1; i <= m->nconstraint;
       i++) /* a gear holds its sum at the start, whatever that is */
    if (m->constraint[i].info.type == LW_GEAR) phi[m->ties.tie[m->constraint[i].tie].row] = 0;
  const double off = lwt_scale(phi, n) + lwt_scale(rate, n);
  const double scale = 1 + lwt_scale(x->motion, nu) + lwt_scale(x->u, nu);
  free(G), free(phi), free(rate);
  return off < 1e-11 * scale;
}

static void choose_direction(subject *x, unsigned seed)
{
  const int nu = x->c.nu;
  lwt_random r = lwt_seed(seed + 99);
  for (int i = 0; i < 3 * nu; i++)
    x->motion[i] = lwt_uniform(&r, -1, 1);
}

/* false: it cannot be put together, or nothing determines how it moves */
static bool open_subject(subject *x, const lwt_loops *r, int threads)
{
  lw_error err;
  const unsigned seed = r->tree.seed;
  *x = (subject){.s = lwt_loops_spec(r)};
  depend_on_p(x->s);
  lw_model *m = compile_at(x->s, 0);
  x->c = lwt_case_of(m, seed);
  x->d = lw_dca_new(m, &(lw_dca_options){.threads = threads, .grain = threads > 1 ? 1 : 0}, &err);
  x->w = lw_work_new(m);
  x->tree = lw_derivatives_new_along(m);
  x->slope = lw_slope_new(x->s, m, "p", &err);
  x->x = lw_dca_derivatives_new(x->d, m, threads, &err);
  x->motion = room(3 * x->c.nu);
  x->u = x->motion + x->c.nu;
  x->tau = x->u + x->c.nu;
  x->along = (lw_direction){.motion = x->motion, .u = x->u, .tau = x->tau, .slope = x->slope};
  assert_true(x->d && x->w && x->tree && x->slope && x->x);
  choose_direction(x, seed);
  if (lw_nequation(m) > 0) {
    lw_initial_state(m, x->c.q, NULL);
    if (lw_project(m, x->w, x->c.t, x->c.q, x->c.u) != LW_OK) return close_subject(x), false;
    lwi_closure_follow(m, x->w, lw_derivatives_work(x->tree));
  }
  return true;
}

/* ---- beside the tree ---- */

/* derivatives of all loads: [6 (njoint + nconstraint)] */
static double *all_rates(const lw_model *m, const lw_dca_derivatives *x, const lw_derivatives *d)
{
  double *f = room(6 * (lw_njoint(m) + lw_nconstraint(m))), *to = f;
  for (int j = 1; j <= lw_njoint(m); j++, to += 6)
    lwt_ok(x ? lw_dca_get_load_rate(x, m, (lw_joint){j}, to)
             : lw_get_load_rate(m, d, (lw_joint){j}, to));
  for (int k = 1; k <= lw_nconstraint(m); k++, to += 6) {
    const lw_constraint c = {k};
    if (m->constraint[k].relation.nterm > 0)
      lwt_ok(x ? lw_dca_get_relation_load_rate(x, m, c, to)
               : lw_get_relation_load_rate(m, d, c, to));
    else
      lwt_ok(x ? lw_dca_get_constraint_load_rate(x, m, c, to)
               : lw_get_constraint_load_rate(m, d, c, to));
  }
  return f;
}

static void compare_loads(const subject *x, unsigned seed)
{
  const lw_model *m = x->c.m;
  const int n = 6 * (lw_njoint(m) + lw_nconstraint(m));
  lwt_ok(lw_vary_loads(m, x->tree));
  double *found = all_rates(m, x->x, NULL), *wanted = all_rates(m, NULL, x->tree);
  lwt_close(found, wanted, n, 1e-9, GRAVITY + lwt_scale(wanted, n), "loads, seed %u", seed);
  free(found), free(wanted);
}

static bool compare_with_tree(const lwt_loops *r, int *redundant)
{
  subject x;
  if (!open_subject(&x, r, 1)) return false;
  lwt_case *c = &x.c;
  const unsigned seed = r->tree.seed;
  const lw_status status = lw_linearize_forward(c->m, x.tree, c->t, c->q, c->u, c->tau, c->udot);
  bool ok = status == LW_OK;
  if (ok) {
    lwt_ok(lw_dca_linearize(x.d, c->m, x.x, x.w, c->t, c->q, c->u, c->tau, c->x));
    const int dependent = lw_dca_redundant(x.d);
    if (dependent > 0) ok = admit(&x);
    *redundant += ok && dependent > 0;
    if (ok) {
      lwt_ok(lw_linearize_forward(c->m, x.tree, c->t, c->q, c->u, c->tau, c->udot));
      lwt_ok(lw_vary_forward(c->m, x.tree, &x.along, c->udot));
      lwt_ok(lw_dca_vary(x.d, c->m, x.x, &x.along, c->y));
      lwt_close(c->y, c->udot, c->nu, 1e-9, GRAVITY + lwt_scale(c->udot, c->nu),
                "udot, seed %u, redundant %d", seed, dependent);
      if (dependent == 0) compare_loads(&x, seed);
    }
  }
  close_subject(&x);
  return ok;
}

static void derivatives_are_those_of_the_tree(void **state)
{
  (void)state;
  int done = 0, redundant = 0;
  for (unsigned k = 0; k < 400 && done < 240; k++) {
    const lwt_loops r = random_recipe(k);
    done += compare_with_tree(&r, &redundant);
  }
  assert_true(done >= 200 && redundant >= 15);
}

static void bodies_may_lack_inertia(void **state)
{
  (void)state;
  int done = 0, redundant = 0;
  for (unsigned k = 0; k < 200 && done < 40; k++) {
    lwt_loops r = random_recipe(k);
    r.light = 1 + (int)(k % 3);
    r.forces = r.tree.forces = false; /* no loads beside a particle's centre */
    done += compare_with_tree(&r, &redundant);
  }
  assert_true(done >= 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_tree),
      cmocka_unit_test(bodies_may_lack_inertia),
  };
  return cmocka_run_group_tests_name("identity/dca_vary", tests, NULL, NULL);
}
