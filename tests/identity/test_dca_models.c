/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer on 300 random mechanisms with all that a model may have: it moves as in the tree
   formulation and in the dense solution, every load is the same, and any number of threads gives the same
   bits. */
#include "linkwork/dca.h"
#include "lwt.h"

#include "loop_cases.h"

static const double GRAVITY = 9; /* the scale of accelerations, also where nothing can move */

typedef struct {
  lwt_case c;
  lw_dca *d;
  lw_work *w;    /* of d */
  int redundant; /* by the dense solution */
  bool possible; /* no driver moves what cannot move */
} subject;

/* does the dense solution satisfy all equations? */
static bool is_possible(const lwt_case *c, const dense_rows *g)
{
  double worst = 0;
  for (int i = 0; i < g->n; i++) {
    double sum = -g->gamma[i];
    for (int k = 0; k < c->nu; k++)
      sum += g->G[i * c->nu + k] * c->x[k];
    worst = fmax(worst, fabs(sum));
  }
  return worst < 1e-6 * (GRAVITY + lwt_scale(c->x, c->nu));
}

static void open_subject(subject *x, const recipe *r)
{
  lw_error err;
  x->c = mechanism_case(r);
  dense_rows g = find_rows(&x->c);
  double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
  int rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  if (rank < g.n) { /* speeds must be possible */
    memset(x->c.u, 0, (size_t)x->c.nu * sizeof(double));
    free(g.G), free(g.gamma);
    g = find_rows(&x->c);
    rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  }
  x->redundant = g.n - rank;
  x->possible = is_possible(&x->c, &g);
  free(g.G), free(g.gamma), free(lambda);
  x->d = lw_dca_new(x->c.m, NULL, &err);
  if (!x->d) fail_msg("seed %u: %s", r->tree.seed, err.text);
  x->w = lw_work_new(x->c.m);
}

static void close_subject(subject *x)
{
  lw_dca_free(x->d);
  lw_work_free(x->w);
  lwt_case_free(&x->c);
}

/* all loads of joints, constraints, relations, one after the other: [6 (njoint + nconstraint)] */
static double *all_loads(const lw_model *m, const lw_work *w, const lw_dca *d)
{
  double *f = calloc(6 * (size_t)(lw_njoint(m) + lw_nconstraint(m)) + 1, sizeof *f), *to = f;
  for (int j = 1; j <= lw_njoint(m); j++, to += 6)
    lwt_ok(d ? lw_dca_get_load(d, m, (lw_joint){j}, to) : lw_get_load(m, w, (lw_joint){j}, to));
  for (int k = 1; k <= lw_nconstraint(m); k++, to += 6) {
    const lw_constraint c = {k};
    if (m->constraint[k].relation.nterm > 0)
      lwt_ok(d ? lw_dca_get_relation_load(d, m, c, to) : lw_get_relation_load(m, w, c, to));
    else
      lwt_ok(d ? lw_dca_get_constraint_load(d, m, c, to) : lw_get_constraint_load(m, w, c, to));
  }
  return f;
}

/* false: its constraints contradict each other, nothing to compare */
static bool check_model(const recipe *r)
{
  subject x;
  open_subject(&x, r);
  lwt_case *c = &x.c;
  if (!x.possible) return close_subject(&x), false;
  const unsigned seed = r->tree.seed;
  lwt_ok(lw_forward_dynamics(c->m, c->w, c->t, c->q, c->u, c->tau, c->udot));
  lwt_ok(lw_joint_loads(c->m, c->w));
  const double scale = GRAVITY + lwt_scale(c->x, c->nu);
  double *udot = c->y, *tree = all_loads(c->m, c->w, NULL);
  lwt_ok(lw_dca_forward_dynamics(x.d, c->m, x.w, c->t, c->q, c->u, c->tau, udot));
  lwt_close(udot, c->x, c->nu, 1e-9, scale, "seed %u: dense, redundant %d", seed, x.redundant);
  lwt_close(udot, c->udot, c->nu, 1e-9, scale, "seed %u: tree, redundant %d", seed, x.redundant);
  assert_int_equal(lw_dca_redundant(x.d), x.redundant);
  const int n = 6 * (lw_njoint(c->m) + lw_nconstraint(c->m));
  double *loads = all_loads(c->m, NULL, x.d);
  if (x.redundant == 0)
    lwt_close(loads, tree, n, 1e-9, GRAVITY + lwt_scale(tree, n), "loads, seed %u", seed);
  free(loads);
  free(tree);
  close_subject(&x);
  return true;
}

static recipe random_recipe(unsigned k)
{
  recipe r = {.tree = {.seed = k,
                       .nbody = 3 + (int)(k * 5 % 15),
                       .branching = (double)(k % 4) / 3,
                       .floating = k % 4 == 0,
                       .loose = k % 8 == 1,
                       .planar = k % 6 == 5},
              .loops = (int)(k % 5),
              .constraints = (int)(k / 5 % 3),
              .relations = (int)(k / 3 % 4),
              .forces = k % 2};
  return r;
}

static void random_models_move_alike_in_every_formulation(void **state)
{
  (void)state;
  int checked = 0;
  for (unsigned k = 0; checked < 240; k++) {
    const recipe r = random_recipe(k);
    checked += check_model(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_models_move_alike_in_every_formulation),
  };
  return cmocka_run_group_tests_name("identity/dca_models", tests, NULL, NULL);
}
