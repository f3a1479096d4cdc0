/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives inside divide and conquer: they are those of the tree's recursions and of differences, for random
   mechanisms of every topology, along states, speeds, loads and parameters; loads too; the same bits for
   any number of threads. */
#include "curves.h"

#include "linalg/eigen.h"
#include "linkwork/dca_derivatives.h"
#include "model/model.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

static const double GRAVITY = 9;

static lwt_loops random_recipe(unsigned k)
{
  const bool closed = k % 3 > 0; /* many loops need many bodies, or nothing moves */
  return (lwt_loops){.tree = {.seed = 3000 + k,
                              .nbody = (closed ? 8 : 1) + (int)(k * 5 % 12),
                              .branching = (double)(k % 4) / 3,
                              .floating = k % 4 == 0,
                              .loose = k % 8 == 1,
                              .planar = k % 6 == 5,
                              .forces = k % 2 == 1,
                              .measured = k % 3 == 1},
                     .loops = closed ? 1 + (int)(k % 4 / 2) + 2 * (k % 11 == 0) : 0,
                     .constraints = closed && k % 5 < 2,
                     .relations = closed ? (int)(k / 3 % 4) : 0,
                     .twice = k % 5 == 3,
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
  lw_model_derivative *model_p;
  double *motion, *u, *tau;
  lw_direction along;
} subject;

static void close_subject(subject *x)
{
  lw_dca_derivatives_free(x->x);
  lw_dca_free(x->d);
  lw_work_free(x->w);
  lw_derivatives_free(x->tree);
  lw_model_derivative_free(x->model_p);
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
  lwt_ok(lw_constraint_equations(x->tree, x->c.t, x->c.q, NULL, G));
  for (int pass = 0; pass < 2; pass++) {
    lwt_ok(lw_constraint_derivatives(x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
    take_out(n, nu, G, phi, x->motion);
  }
  for (int pass = 0; pass < 2; pass++) {
    lwt_ok(lw_constraint_derivatives(x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
    take_out(n, nu, G, rate, x->u);
  }
  lwt_ok(lw_constraint_derivatives(x->tree, x->c.t, x->c.q, x->c.u, &x->along, phi, rate));
  for (int i = 1; i <= m->nconstraint;
       i++) /* a gear holds its sum at the start, whatever that is */
    if (m->constraint[i].info.type == LW_GEAR)
      phi[m->tree_constraints.constraint[m->constraint[i].constraint].row] = 0;
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
  /* a rod whose moments change each by itself would be no body */
  if (!r->light) x->model_p = lw_model_derivative_new(m, "p", &err);
  x->x = lw_dca_derivatives_new(x->d, threads, &err);
  x->motion = room(3 * x->c.nu);
  x->u = x->motion + x->c.nu;
  x->tau = x->u + x->c.nu;
  x->along = (lw_direction){.motion = x->motion, .u = x->u, .tau = x->tau, .model = x->model_p};
  assert_true(x->d && x->w && x->tree && x->x && (x->model_p || r->light));
  choose_direction(x, seed);
  if (lw_nequation(m) > 0) {
    lw_initial_state(m, x->c.q, NULL);
    if (lw_project(x->w, x->c.t, x->c.q, x->c.u) != LW_OK) return close_subject(x), false;
    lwi_work_follow(m, x->w, lw_derivatives_work(x->tree));
  }
  return true;
}

/* ---- beside the tree ---- */

/* derivatives of all loads: [6 (njoint + nconstraint)] */
static double *all_rates(const lw_model *m, const lw_dca_derivatives *x, const lw_derivatives *d)
{
  double *f = room(6 * (lw_njoint(m) + lw_nconstraint(m))), *to = f;
  for (int j = 1; j <= lw_njoint(m); j++, to += 6)
    lwt_ok(x ? lw_dca_get_load_derivative(x, (lw_joint){j}, to)
             : lw_get_load_derivative(d, (lw_joint){j}, to));
  for (int k = 1; k <= lw_nconstraint(m); k++, to += 6) {
    const lw_constraint c = {k};
    if (m->constraint[k].relation.nterm > 0)
      lwt_ok(x ? lw_dca_get_relation_load_derivative(x, c, to)
               : lw_get_relation_load_derivative(d, c, to));
    else
      lwt_ok(x ? lw_dca_get_constraint_load_derivative(x, c, to)
               : lw_get_constraint_load_derivative(d, c, to));
  }
  return f;
}

static void compare_loads(const subject *x, unsigned seed)
{
  const lw_model *m = x->c.m;
  const int n = 6 * (lw_njoint(m) + lw_nconstraint(m));
  lwt_ok(lw_load_derivatives(x->tree));
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
  const lw_status status = lw_linearize_forward(x.tree, c->t, c->q, c->u, c->tau, c->udot);
  bool ok = status == LW_OK;
  if (ok) {
    lwt_ok(lw_dca_linearize(x.x, x.w, c->t, c->q, c->u, c->tau, c->x));
    const int dependent = lw_dca_redundant(x.d);
    if (dependent > 0) ok = admit(&x);
    *redundant += ok && dependent > 0;
    if (ok) {
      lwt_ok(lw_linearize_forward(x.tree, c->t, c->q, c->u, c->tau, c->udot));
      lwt_ok(lw_forward_derivative(x.tree, &x.along, c->udot));
      lwt_ok(lw_dca_derivative(x.x, &x.along, c->y));
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
    r.forces = r.tree.forces = r.tree.measured = false; /* no loads beside a particle's centre */
    done += compare_with_tree(&r, &redundant);
  }
  assert_true(done >= 40);
}

/* ---- beside differences ---- */

/* forward dynamics and all loads by divide and conquer */
static bool evaluate(const curve *c, point *p)
{
  lw_dca *d = lw_dca_new(p->m, NULL, NULL);
  const lw_status status = lw_dca_forward_dynamics(d, p->w, c->t, p->q, p->u, p->tau, p->udot);
  for (int j = 1; j <= lw_njoint(p->m) && status == LW_OK; j++)
    lwt_ok(lw_dca_get_load(d, (lw_joint){j}, p->load[j]));
  for (int k = 1; k <= lw_nconstraint(p->m) && status == LW_OK; k++) {
    double *load = p->load[lw_njoint(p->m) + k];
    if (lw_dca_get_constraint_load(d, (lw_constraint){k}, load) != LW_OK)
      lwt_ok(lw_dca_get_relation_load(d, (lw_constraint){k}, load));
  }
  lw_dca_free(d);
  return status == LW_OK;
}

static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

/* what loads of joints and constraints [1 ... njoint + nconstraint] do to the bodies: the largest number */
static double net_effect(const lw_model *m, const lw_work *w, double (*load)[6])
{
  double *sum = room(6 * (m->nbody + 1)), most = 0;
  for (int i = 1; i <= m->njoint + m->nconstraint; i++) {
    const bool joint = i <= m->njoint;
    const lwi_joint *j = &m->joint[joint ? i : 0];
    const lwi_constraint *k = &m->constraint[joint ? 0 : i - m->njoint];
    const lw_body on[2] = {joint ? j->info.parent : k->info.parent,
                           joint ? j->info.child : k->info.child};
    lw_pose X;
    double p[3], arm[3];
    lwt_ok(lw_get_pose(w, on[1], &X));
    rot_mulv(rot_from_quat(X.quat), joint ? j->child_place.p : k->child_place.p, p);
    for (int n = 0; n < 3; n++)
      p[n] += X.p[n];
    cross3(p, load[i] + 3, arm);
    for (int side = 0; side < 2; side++)
      for (int n = 0; n < 6 && on[side].id > 0; n++)
        sum[6 * on[side].id + n] += (side ? 1 : -1) * (load[i][n] + (n < 3 ? arm[n] : 0));
  }
  most = largest(sum, 6 * (m->nbody + 1));
  free(sum);
  return most;
}

/* Of redundant constraints only what loads do to bodies is determined: their difference does nothing. */
static double load_error(const curve *c, const lw_dca_derivatives *x, const lw_derivatives *tree,
                         int redundant)
{
  const point *p = &c->at[SIDE];
  double(*wanted)[6] = calloc((size_t)c->nload, sizeof *wanted);
  double *found = all_rates(p->m, x, tree);
  const int n = 6 * c->nload;
  for (int j = 1; j < c->nload; j++)
    for (int k = 0; k < 6; k++)
      DERIVE(c, wanted[j][k], load[j][k]);
  const double scale = lwt_scale(wanted[0], n) + lwt_scale(p->load[0], n);
  for (int i = 0; i < n - 6; i++)
    wanted[1 + i / 6][i % 6] -= found[i];
  const double error = redundant ? net_effect(p->m, p->w, wanted) : largest(wanted[0], n);
  free(wanted), free(found);
  return error / scale;
}

/* the same by the recursions of the tree, where loads are determined */
static double tree_error(const curve *c, const lw_direction *x, const double *wanted, double scale)
{
  const point *p = &c->at[SIDE];
  lw_derivatives *tree = lw_derivatives_new_along(p->m);
  double *found = room(c->nu);
  lwi_work_follow(p->m, p->w, lw_derivatives_work(tree));
  lwt_ok(lw_linearize_forward(tree, c->t, p->q, p->u, p->tau, NULL));
  lwt_ok(lw_forward_derivative(tree, x, found));
  lwt_ok(lw_load_derivatives(tree));
  for (int i = 0; i < c->nu; i++)
    found[i] -= wanted[i];
  const double error = fmax(largest(found, c->nu) / scale, load_error(c, NULL, tree, 0));
  free(found);
  lw_derivatives_free(tree);
  return error;
}

static double curve_error(const curve *c, bool locked, int *redundant)
{
  const point *p = &c->at[SIDE];
  lw_error err;
  lw_dca *d = lw_dca_new(p->m, NULL, &err);
  lw_dca_derivatives *s = lw_dca_derivatives_new(d, 1, &err);
  lw_model_derivative *model_p = c->moves_model ? lw_model_derivative_new(p->m, "p", &err) : NULL;
  double *dq = room(c->nq), *motion = room(c->nu), *du = room(c->nu), *dtau = room(c->nu);
  double *wanted = room(c->nu), *found = room(c->nu);
  for (int i = 0; i < c->nq; i++)
    DERIVE(c, dq[i], q[i]);
  for (int i = 0; i < c->nu; i++) {
    DERIVE(c, du[i], u[i]);
    DERIVE(c, dtau[i], tau[i]);
    DERIVE(c, wanted[i], udot[i]);
  }
  lw_motion_of(p->m, p->q, dq, motion);
  const lw_direction x = {.motion = motion, .u = du, .tau = dtau, .model = model_p};
  lwt_ok(lw_dca_linearize(s, p->w, c->t, p->q, p->u, p->tau, NULL));
  lwt_ok(lw_dca_derivative(s, &x, found));
  *redundant = lw_dca_redundant(d);
  const double scale = lwt_scale(wanted, c->nu) + lwt_scale(p->udot, c->nu);
  for (int i = 0; i < c->nu; i++)
    found[i] -= wanted[i];
  double error = largest(found, c->nu) / scale;
  error = fmax(error, load_error(c, s, NULL, *redundant));
  if (locked && *redundant == 0) error = fmax(error, tree_error(c, &x, wanted, scale));
  free(dq), free(motion), free(du), free(dtau), free(wanted), free(found);
  lw_model_derivative_free(model_p);
  lw_dca_derivatives_free(s);
  lw_dca_free(d);
  return error;
}

/* the best of a few steps counts; false: the mechanism cannot follow */
static bool follow(const lwt_loops *r, bool moves_model, bool locked, int *nredundant)
{
  static const double step[] = {2e-3, 5e-4, 6e-3, 1.5e-4};
  double best = HUGE_VAL;
  int redundant = 0;
  for (int i = 0; i < 4 && !(best <= 1e-7); i++) {
    curve c;
    const curve_recipe recipe = {r->tree.seed, step[i], moves_model, false, locked};
    if (curve_make(&c, lwt_loops_spec(r), &recipe, evaluate))
      best = fmin(best, curve_error(&c, locked, &redundant));
    curve_free(&c);
  }
  if (best == HUGE_VAL) return false;
  if (!(best <= 1e-7)) fail_msg("seed %u: derivatives are off by %.3g", r->tree.seed, best);
  *nredundant += redundant > 0;
  return true;
}

static void derivatives_are_those_of_differences(void **state)
{
  (void)state;
  int done = 0, redundant = 0;
  for (unsigned k = 0; k < 150; k++) {
    lwt_loops r = random_recipe(k);
    if (r.twice) r.relations = 0; /* these act on speeds, not on bodies */
    done += follow(&r, k % 4 > 0, false, &redundant);
  }
  assert_true(done >= 80 && redundant >= 8);
}

static void freedoms_may_be_locked(void **state)
{
  (void)state;
  int done = 0, redundant = 0;
  for (unsigned k = 0; k < 48; k++) {
    lwt_loops r = random_recipe(k);
    r.twice = false;
    done += follow(&r, k % 4 > 0, true, &redundant);
  }
  assert_true(done >= 20);
}

/* ---- many directions, many threads ---- */

/* open ones with so many bodies that threads share the links, too */
static lwt_loops large_recipe(unsigned k)
{
  return (lwt_loops){.tree = {.seed = 4000 + k,
                              .nbody = 100 + 60 * (int)k,
                              .branching = (double)k / 3,
                              .floating = k % 2,
                              .forces = k == 3}};
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  enum { N = 5 };
  for (unsigned k = 0; k < 19; k++) {
    const lwt_loops r = k < 15 ? random_recipe(13 * k + 1) : large_recipe(k - 15);
    double *first = NULL, *loads = NULL;
    for (int threads = 1; threads <= 4; threads++) {
      subject x;
      if (!open_subject(&x, &r, threads)) {
        assert_true(k < 15);
        break;
      }
      lwt_case *c = &x.c;
      const size_t nu = (size_t)c->nu, nload = 6 * (size_t)(lw_njoint(c->m) + lw_nconstraint(c->m));
      double *out = room(N * c->nu), *one = room(c->nu);
      lw_direction along[N];
      for (int i = 0; i < N; i++) {
        along[i] = x.along;
        if (i % 2) along[i].model = NULL;
        if (i % 3) along[i].motion = NULL;
        if (i > 3) along[i].tau = NULL;
      }
      lwt_ok(lw_dca_linearize(x.x, x.w, c->t, c->q, c->u, c->tau, NULL));
      lwt_ok(lw_dca_derivative_many(x.x, N, along, out));
      for (int i = 0; i < N; i++) {
        lwt_ok(lw_dca_derivative(x.x, &along[i], one));
        assert_memory_equal(one, out + (size_t)i * nu, nu * sizeof *one);
      }
      double *rates = all_rates(c->m, x.x, NULL);
      if (first) assert_memory_equal(out, first, N * nu * sizeof *out);
      if (loads) assert_memory_equal(rates, loads, nload * sizeof *rates);
      free(first), free(loads), free(one);
      first = out, loads = rates;
      close_subject(&x);
    }
    free(first), free(loads);
  }
}

/* a long chain: the recursion of the tree and divide and conquer add up in different order */
static void long_chains_agree(void **state)
{
  (void)state;
  const lwt_loops r = {.tree = {.seed = 8, .nbody = 1000, .joints = 1u << LW_REVOLUTE}};
  int redundant = 0;
  assert_true(compare_with_tree(&r, &redundant));
}

/* ---- the order of calls ---- */

static void calls_come_in_order(void **state)
{
  (void)state;
  const lwt_loops r = random_recipe(4);
  subject x;
  assert_true(open_subject(&x, &r, 1));
  lwt_case *c = &x.c;
  double load[6];
  const lw_joint j = {1};
  assert_int_equal(lw_dca_derivative(x.x, &x.along, c->x), LW_E_STAGE);
  assert_int_equal(lw_dca_get_load_derivative(x.x, j, load), LW_E_STAGE);
  lwt_ok(lw_dca_linearize(x.x, x.w, c->t, c->q, c->u, c->tau, NULL));
  assert_int_equal(lw_dca_get_load_derivative(x.x, j, load), LW_E_STAGE);
  lwt_ok(lw_dca_derivative(x.x, &x.along, c->x));
  lwt_ok(lw_dca_get_load_derivative(x.x, j, load));
  assert_int_equal(lw_dca_get_load_derivative(x.x, (lw_joint){0}, load), LW_E_ARG);
  assert_int_equal(lw_dca_derivative(x.x, NULL, c->x), LW_E_ARG);
  assert_int_equal(lw_dca_derivative_many(x.x, -1, NULL, NULL), LW_E_ARG);
  assert_int_equal(lw_dca_derivative(NULL, &x.along, c->x), LW_E_ARG);
  lwt_ok(lw_dca_derivative_many(x.x, 0, NULL, NULL));
  /* jumps with the same factors change nothing */
  lwt_ok(lw_dca_impulse(x.d, x.w, c->t, NULL, &(lw_dca_before){.u = c->u}, NULL));
  lwt_ok(lw_dca_derivative(x.x, &x.along, c->y));
  assert_memory_equal(c->x, c->y, (size_t)c->nu * sizeof(double));
  /* another state does */
  lwt_ok(lw_dca_forward_dynamics(x.d, x.w, c->t, c->q, c->u, NULL, c->y));
  assert_int_equal(lw_dca_derivative(x.x, &x.along, c->x), LW_E_STAGE);
  assert_null(lw_dca_derivatives_new(NULL, 1, NULL));
  assert_null(lw_dca_derivatives_new(x.d, -1, NULL));
  /* room for directions alone has none for matrices */
  double *M = room(c->nu * c->nu);
  assert_int_equal(lw_inverse_dynamics_derivatives(x.tree, c->t, c->q, c->u, NULL,
                                                   &(lw_inverse_matrices){M, M, M}),
                   LW_E_UNSUPPORTED);
  assert_int_equal(lw_forward_dynamics_derivatives(x.tree, c->t, c->q, c->u, NULL, NULL,
                                                   &(lw_forward_matrices){M, M, M}),
                   LW_E_UNSUPPORTED);
  free(M);
  close_subject(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_the_tree),
      cmocka_unit_test(bodies_may_lack_inertia),
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(freedoms_may_be_locked),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(long_chains_agree),
      cmocka_unit_test(calls_come_in_order),
  };
  return cmocka_run_group_tests_name("identity/dca_derivatives", tests, NULL, NULL);
}
