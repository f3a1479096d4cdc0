/* SPDX-License-Identifier: Apache-2.0 */
/* Divide and conquer on 300 random mechanisms with all that a model may have: it moves as in the tree
   formulation and in the dense solution, every load is the same, and any number of threads gives the same
   bits. */
#include "linkwork/dca.h"
#include "linkwork/analysis.h"
#include "linkwork/reader.h"
#include "lwt.h"

#include "dca/dca.h"
#include "loop_cases.h"
#include "tree/loops/closure.h"

static const double GRAVITY = 9; /* the scale of accelerations, also where nothing can move */

typedef struct {
  lwt_case c;
  lw_dca *d;
  lw_work *w;    /* of d */
  int redundant; /* by the dense solution */
  bool possible; /* no driver moves what cannot move */
  double
      *lambda; /* multipliers of the dense solution: cut joints in file order, then constraints */
} subject;

/* what was compared */
typedef struct {
  int models, chains, trees, loops, coupled, wide, floating, anchored, redundant, light, planar;
  int loads, determined; /* numbers; of redundant models, without what nobody can know */
  int joints[LW_FREE + 1], cut[LW_FREE + 1], constraints, relations;
} census;

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

static void open_subject(subject *x, const lwt_loops *r)
{
  lw_error err;
  x->c = mechanism_case(r);
  dense_rows g = find_rows(&x->c);
  double *lambda = calloc((size_t)g.n + 1, sizeof *lambda);
  int rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  if (rank < g.n) { /* speeds must be possible */
    memset(x->c.u, 0, (size_t)x->c.nu * sizeof(double));
    dense_rows_free(&g);
    g = find_rows(&x->c);
    rank = solve_kkt(&x->c, &g, x->c.x, lambda);
  }
  x->redundant = g.n - rank;
  x->possible = is_possible(&x->c, &g);
  x->lambda = lambda;
  dense_rows_free(&g);
  x->d = lw_dca_new(x->c.m, NULL, &err);
  if (!x->d) fail_msg("seed %u: %s", r->tree.seed, err.text);
  x->w = lw_work_new(x->c.m);
}

static void close_subject(subject *x)
{
  lw_dca_free(x->d);
  lw_work_free(x->w);
  free(x->lambda);
  lwt_case_free(&x->c);
}

/* all loads of joints, constraints, relations, one after the other: [6 (njoint + nconstraint)] */
static double *all_loads(const lw_model *m, const lw_work *w, const lw_dca *d)
{
  double *f = calloc(6 * (size_t)(lw_njoint(m) + lw_nconstraint(m)) + 1, sizeof *f), *to = f;
  for (int j = 1; j <= lw_njoint(m); j++, to += 6)
    lwt_ok(d ? lw_dca_get_load(d, (lw_joint){j}, to) : lw_get_load(w, (lw_joint){j}, to));
  for (int k = 1; k <= lw_nconstraint(m); k++, to += 6) {
    const lw_constraint c = {k};
    if (m->constraint[k].relation.nterm > 0)
      lwt_ok(d ? lw_dca_get_relation_load(d, c, to) : lw_get_relation_load(w, c, to));
    else
      lwt_ok(d ? lw_dca_get_constraint_load(d, c, to) : lw_get_constraint_load(w, c, to));
  }
  return f;
}

/* multipliers of the dense solution, as the rows of the ties are scaled and numbered */
static void scale_multipliers(const lw_model *m, const double *dense, lwi_closure *c)
{
  int row = 0;
  for (int j = 1; j <= m->njoint + m->nconstraint; j++) {
    const bool joint = j <= m->njoint;
    if (joint && !m->joint[j].info.cut) continue;
    const int tie = joint ? m->joint[j].constraint : m->constraint[j - m->njoint].constraint;
    for (int i = 0; tie >= 0 && i < m->tree_constraints.constraint[tie].n; i++, row++) {
      const int to = m->tree_constraints.constraint[tie].row + i;
      c->lambda[to] = dense[row] / c->scale[to];
    }
  }
}

/* Loads of all joints by the dense solution: its multipliers act on the links, which move with its
   accelerations; what the joints of the tree then carry follows by balance, link by link. */
static double *dense_loads(const subject *x)
{
  const lwt_case *c = &x->c;
  lw_work *w = lw_work_new(c->m);
  lwt_ok(lw_kinematics(w, c->q, c->u));
  if (w->closure) {
    lwi_closure_place(c->m, w, c->t);
    lwi_closure_rows(c->m, w, &c->m->tree_constraints);
    scale_multipliers(c->m, x->lambda, w->closure);
  }
  w->kernels->accelerations(c->m, w->tree, c->x);
  w->kernels->forces(c->m, w->tree, c->t, c->q, c->u, NULL);
  if (w->closure) {
    lwi_closure_apply_motors(c->m, w);
    lwi_closure_apply_loads(c->m, w, w->closure->lambda);
  }
  w->kernels->loads(c->m, w->tree, 1);
  w->stage = LWI_STAGE_LOADS;
  double *loads = all_loads(c->m, w, NULL);
  lw_work_free(w);
  return loads;
}

/* Is the load of a relation known?  Not if it takes part in a state of self-stress. */
static bool is_known(const lw_model *m, lw_work *w, int constraint)
{
  bool known = true;
  double *stress = calloc((size_t)m->tree_constraints.nrow + 1, sizeof *stress);
  for (int i = 0; (i = lwi_closure_next_dependent(m, w, i)) >= 0; i++) {
    lwi_closure_self_stress(m, w, i, stress);
    const double own =
        stress[m->tree_constraints.constraint[m->constraint[constraint].constraint].row];
    known = known && !(fabs(own) > 1e-7 * lwt_scale(stress, m->tree_constraints.nrow));
  }
  free(stress);
  return known;
}

static void remove_direction(const double D[6], double load[6])
{
  double along = 0;
  for (int i = 0; i < 6; i++)
    along += D[i] * load[i];
  for (int i = 0; i < 6; i++)
    load[i] -= along * D[i];
}

/* Takes what redundancy leaves undetermined out of n sets of loads, after forward dynamics in w; returns how
   many numbers remain. */
static int keep_determined(const lw_model *m, lw_work *w, double *loads[], int n)
{
  const int nj = lw_njoint(m);
  int left = 0;
  lw_self_stress *x = lw_self_stress_new(w);
  assert_non_null(x);
  for (int j = 0; j < nj + m->nconstraint; j++) {
    double D[6][6];
    if (j >= nj && m->constraint[j - nj + 1].pair < 0) {
      const bool known = is_known(m, w, j - nj + 1);
      for (int s = 0; s < n && !known; s++)
        loads[s][6 * j] = 0;
      left += known;
      continue;
    }
    const int k = j < nj ? lw_self_stress_of_joint(x, (lw_joint){j + 1}, D)
                         : lw_self_stress_of_constraint(x, (lw_constraint){j - nj + 1}, D);
    for (int i = 0; i < k * n; i++)
      remove_direction(D[i / n], loads[i % n] + 6 * j);
    left += 6 - k;
  }
  lw_self_stress_free(x);
  return left;
}

static bool branches(const lw_model *m)
{
  for (int i = 2; i < m->nlink; i++)
    if (m->link[i].parent != i - 1) return true;
  return false;
}

static void count(const subject *x, const lwt_loops *r, census *n)
{
  const lw_model *m = x->c.m;
  const lw_dca_info info = lw_dca_get_info(x->d);
  bool coupled = false, floating = false;
  for (int k = 0; k < m->clusters.ncluster; k++)
    coupled = coupled || m->clusters.cluster[k].nconstraint > 1;
  for (int i = 1; i <= m->njoint; i++) {
    const lw_joint_info *j = &m->joint[i].info;
    floating = floating || (j->type == LW_FREE && j->parent.id == 0);
    n->joints[j->type]++;
    n->cut[j->type] += j->cut;
  }
  n->models++;
  n->chains += m->tree_constraints.nconstraint == 0 && !branches(m);
  n->trees += m->tree_constraints.nconstraint == 0 && branches(m);
  n->loops += m->tree_constraints.nconstraint > 0 && !coupled;
  n->coupled += coupled;
  n->wide += info.widest > 2;
  n->floating += floating;
  n->anchored += !floating;
  n->redundant += lw_dca_redundant(x->d) > 0;
  n->light += r->light > 0;
  n->planar += m->planar;
  for (int i = 1; i <= m->nconstraint; i++)
    *(m->constraint[i].pair < 0 ? &n->relations : &n->constraints) += 1;
}

static void say(const char *what, const census *n)
{
  print_message("%s: %d models: %d chains, %d trees, %d with loops side by side, %d with coupled "
                "loops;\n  %d floating, %d anchored, %d with assemblies of more than two handles, "
                "%d redundant, %d light, %d planar;\n  joints (closing loops) by type:",
                what, n->models, n->chains, n->trees, n->loops, n->coupled, n->floating,
                n->anchored, n->wide, n->redundant, n->light, n->planar);
  for (int t = 0; t <= LW_FREE; t++)
    print_message(" %s %d (%d)", lw_joint_type_name((lw_joint_type)t), n->joints[t], n->cut[t]);
  print_message(", constraints %d, relations %d;\n  %d numbers of loads compared, %d of them of "
                "redundant models\n",
                n->constraints, n->relations, n->loads, n->determined);
}

/* Refinement would hide an elimination that is wrong: what is solved without it has some digits less, no more. */
static void check_unrefined(subject *x, unsigned seed, double scale)
{
  lwt_case *c = &x->c;
  const bool checked = x->d->checked;
  x->d->checked = false;
  lwt_ok(lw_dca_forward_dynamics(x->d, x->w, c->t, c->q, c->u, c->tau, c->y));
  lwt_close(c->y, c->x, c->nu, 1e-6, scale, "seed %u: not refined", seed);
  x->d->checked = checked;
}

/* false: nothing to compare, its constraints contradict each other or a rod may spin as it likes */
static bool check_model(const lwt_loops *r, census *sum)
{
  subject x;
  open_subject(&x, r);
  lwt_case *c = &x.c;
  const unsigned seed = r->tree.seed;
  const lw_status status = lw_forward_dynamics(c->w, c->t, c->q, c->u, c->tau, c->udot);
  if (!x.possible || (r->light && status == LW_E_SINGULAR)) return close_subject(&x), false;
  lwt_ok(status);
  lwt_ok(lw_joint_loads(c->w));
  const double scale = GRAVITY + lwt_scale(c->x, c->nu);
  double *udot = c->y, *tree = all_loads(c->m, c->w, NULL), *dense = dense_loads(&x);
  lwt_ok(lw_dca_forward_dynamics(x.d, x.w, c->t, c->q, c->u, c->tau, udot));
  lwt_close(udot, c->x, c->nu, 1e-9, scale, "seed %u: dense, redundant %d", seed, x.redundant);
  lwt_close(udot, c->udot, c->nu, 1e-9, scale, "seed %u: tree, redundant %d", seed, x.redundant);
  /* where the mass matrix is singular the dense solution counts that, too */
  if (!r->light) assert_int_equal(lw_dca_redundant(x.d), x.redundant);
  const int n = 6 * (lw_njoint(c->m) + lw_nconstraint(c->m)), redundant = lw_dca_redundant(x.d);
  double *loads = all_loads(c->m, NULL, x.d), *all[] = {loads, tree, dense};
  const double force = GRAVITY + lwt_scale(tree, n);
  const int left = redundant ? keep_determined(c->m, c->w, all, 3) : n;
  lwt_close(loads, tree, n, 1e-9, force, "loads, seed %u: tree, redundant %d", seed, redundant);
  lwt_close(loads, dense, n, 1e-9, force, "loads, seed %u: dense, redundant %d", seed, redundant);
  count(&x, r, sum);
  if (!r->light) check_unrefined(&x, seed, scale);
  sum->loads += left, sum->determined += redundant ? left : 0;
  free(loads);
  free(dense);
  free(tree);
  close_subject(&x);
  return true;
}

static lwt_loops random_recipe(unsigned k)
{
  lwt_loops r = {.tree = {.seed = k,
                          .nbody = 3 + (int)(k * 5 % 15),
                          .branching = (double)(k % 4) / 3,
                          .floating = k % 4 == 0,
                          .loose = k % 8 == 1,
                          .planar = k % 6 == 5},
                 .loops = (int)(k % 5),
                 .constraints = (int)(k / 5 % 3),
                 .relations = (int)(k / 3 % 4),
                 .forces = k % 2};
  if (k % 5 == 0 && k % 3 != 2) r.constraints = r.relations = 0; /* chains and trees */
  if (k % 10 == 1) r.constraints = r.relations = 0;              /* one loop */
  return r;
}

static void random_models_move_alike_in_every_formulation(void **state)
{
  (void)state;
  census n = {0};
  for (unsigned k = 0; n.models < 300; k++) {
    const lwt_loops r = random_recipe(k);
    check_model(&r, &n);
  }
  say("random models", &n);
  assert_true(n.chains > 10 && n.trees > 10 && n.loops > 30 && n.coupled > 100 && n.wide > 100);
  assert_true(n.floating > 50 && n.anchored > 50 && n.redundant > 50 && n.planar > 30);
  for (int t = 0; t <= LW_FREE; t++)
    if (n.joints[t] == 0) fail_msg("no %s joint", lw_joint_type_name((lw_joint_type)t));
}

static int tried, refused;

/* An inverse inertia that is wrong, as if by rounding errors: joints' equations hold, those of the body do not. */
static void check_wrong_inertia(unsigned k)
{
  subject x;
  const lwt_loops r = random_recipe(k);
  open_subject(&x, &r);
  lwt_case *c = &x.c;
  const int body = 1 + (int)(k % (unsigned)lw_nbody(c->m)), link = c->m->body[body].link;
  double *inverse = x.d->body[link].inverse, right[6];
  const bool turns = !c->m->link[link].inertialess && x.d->looped;
  memcpy(right, inverse, sizeof right);
  const double scale = GRAVITY + lwt_scale(c->x, c->nu);
  if (x.possible && turns) {
    for (int i = 0; i < 6; i++)
      inverse[i] *= 1 + 1e-4;
    const lw_status slightly = lw_dca_forward_dynamics(x.d, x.w, c->t, c->q, c->u, c->tau, c->y);
    if (slightly != LW_OK)
      fail_msg("seed %u: slightly wrong, %s, body %d, residual %g", k, lw_status_text(slightly),
               x.w->unsolved.body, x.w->unsolved.residual);
    lwt_close(c->y, c->x, c->nu, 1e-8, scale, "seed %u: slightly wrong", k);
    for (int i = 0; i < 6; i++)
      inverse[i] = 4 * right[i];
    x.w->calls = 0;
    const lw_status status = lw_dca_forward_dynamics(x.d, x.w, c->t, c->q, c->u, c->tau, c->y);
    if (status == LW_OK) /* it does not turn */
      lwt_close(c->y, c->x, c->nu, 1e-5, scale, "seed %u: wrong", k);
    else if (status != LW_E_SINGULAR || x.w->unsolved.body != body)
      fail_msg("seed %u: %s, body %d, not %d", k, lw_status_text(status), x.w->unsolved.body, body);
    tried++, refused += status != LW_OK;
  }
  close_subject(&x);
}

static void accelerations_that_forces_do_not_explain_are_corrected_or_refused(void **state)
{
  (void)state;
  for (unsigned k = 1; k <= 60; k++)
    check_wrong_inertia(k);
  assert_true(tried > 40 && refused > 10); /* others do not turn */
}

static void bodies_may_lack_inertia(void **state)
{
  (void)state;
  census n = {0};
  for (unsigned k = 0; n.models < 60; k++) {
    lwt_loops r = random_recipe(k);
    r.light = 1 + (int)(k % 3);
    r.forces = false; /* no loads beside a particle's centre */
    check_model(&r, &n);
  }
  say("with rods and particles", &n);
}

/* [ M -G'; G 0 ] [ du; lambda ] = [ tau; -G u ] */
static void solve_jump(const lwt_case *c, const dense_rows *d, double *du)
{
  const int nu = c->nu, n = nu + d->n;
  double *K = calloc((size_t)(n * n) + 1, sizeof *K), *b = calloc((size_t)n + 1, sizeof *b);
  double *M = calloc((size_t)(nu * nu) + 1, sizeof *M), *x = calloc((size_t)n + 1, sizeof *x);
  lwt_ok(lw_mass_matrix(c->w, c->q, M));
  for (int i = 0; i < nu; i++) {
    b[i] = c->tau[i];
    memcpy(K + i * n, M + i * nu, (size_t)nu * sizeof *K);
    for (int r = 0; r < d->n; r++) {
      K[(nu + r) * n + i] = d->G[r * nu + i];
      K[i * n + nu + r] = -d->G[r * nu + i];
      b[nu + r] -= d->G[r * nu + i] * c->u[i];
    }
  }
  solve_dense(K, b, n, x);
  memcpy(du, x, (size_t)nu * sizeof *du);
  free(K), free(b), free(M), free(x);
}

static void jumps_solve_the_dense_system(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    lwt_loops r = random_recipe(k);
    if (r.relations > 2) r.relations = 2; /* no driver: all rates are to be zero */
    lwt_case c = mechanism_case(&r);
    dense_rows g = find_rows(&c);
    lw_dca *d = lw_dca_new(c.m, NULL, NULL);
    solve_jump(&c, &g, c.x);
    for (int i = 0; i < c.nu; i++)
      c.x[i] += c.u[i];
    lwt_ok(lw_dca_impulse(d, c.w, 0, c.q, &(lw_dca_before){.u = c.u, .tau = c.tau}, c.y));
    lwt_close(c.y, c.x, c.nu, 1e-8, 1 + lwt_scale(c.x, c.nu), "seed %u", k);
    dense_rows_free(&g);
    lw_dca_free(d);
    lwt_case_free(&c);
  }
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 40; k++) {
    lwt_loops r = random_recipe(7 * k);
    r.light = k % 2 ? 3 : 0;
    r.forces = r.forces && !r.light;
    subject x;
    open_subject(&x, &r);
    lwt_case *c = &x.c;
    const size_t bytes = (size_t)c->nu * sizeof(double),
                 nload = 6 * (size_t)(lw_njoint(c->m) + lw_nconstraint(c->m));
    const lw_status status = lw_dca_forward_dynamics(x.d, x.w, c->t, c->q, c->u, c->tau, c->udot);
    double *first = status == LW_OK ? all_loads(c->m, NULL, x.d) : NULL;
    for (int threads = 2; threads <= 4; threads++) {
      lw_dca *d = lw_dca_new(c->m, &(lw_dca_options){.threads = threads, .grain = 1}, NULL);
      lw_work *w = lw_work_new(c->m); /* angles of closing joints begin anew */
      assert_int_equal(lw_dca_forward_dynamics(d, w, c->t, c->q, c->u, c->tau, c->x), status);
      if (status == LW_OK) {
        double *loads = all_loads(c->m, NULL, d);
        assert_memory_equal(c->x, c->udot, bytes);
        assert_memory_equal(loads, first, nload * sizeof *loads);
        free(loads);
      }
      lw_work_free(w);
      lw_dca_free(d);
    }
    free(first);
    close_subject(&x);
  }
}

/* joints and constraints in any order, some of them left out */
static int shuffle_parts(const lw_model *m, unsigned seed, lw_assembled order[])
{
  int n = 0;
  unsigned r = seed;
  for (int i = 1; i <= lw_njoint(m); i++)
    order[n++] = (lw_assembled){.joint = {i}};
  for (int i = 1; i <= lw_nconstraint(m); i++)
    order[n++] = (lw_assembled){.constraint = {i}};
  for (int k = n - 1; k > 0; k--) {
    r = r * 1664525u + 1013904223u;
    const int i = (int)((r >> 8) % (unsigned)(k + 1));
    const lw_assembled t = order[k];
    order[k] = order[i];
    order[i] = t;
  }
  return seed % 3 ? n : n / 2;
}

static double sum_levels(const lw_dca *d)
{
  double sum = 0;
  for (int i = 0; i < lw_dca_nlevel(d); i++)
    sum += lw_dca_get_level(d, i).operations;
  return sum;
}

static void any_assembly_tree_gives_the_same_motion(void **state)
{
  (void)state;
  for (unsigned k = 0; k < 60; k++) {
    const lwt_loops r = random_recipe(k);
    subject x;
    open_subject(&x, &r);
    lwt_case *c = &x.c;
    const double scale = GRAVITY + lwt_scale(c->x, c->nu);
    const int most = lw_njoint(c->m) + lw_nconstraint(c->m);
    lw_assembled *order = calloc((size_t)most + 1, sizeof *order);
    double *seconds;
    for (int way = 0; way < LW_ASSEMBLY_STRATEGIES + 2 && x.possible; way++) {
      lw_error err = {0};
      const bool own = way >= LW_ASSEMBLY_STRATEGIES;
      lw_dca_options o = {.strategy = own ? LW_ASSEMBLY_PAIRS : (lw_assembly_strategy)way};
      if (own) o.norder = shuffle_parts(c->m, 3 * k + (unsigned)way, order);
      o.order = order;
      lw_dca *d = lw_dca_new(c->m, &o, &err);
      if (!d) fail_msg("seed %u: %s", k, err.text);
      lwt_ok(lw_dca_forward_dynamics(d, x.w, c->t, c->q, c->u, c->tau, c->udot));
      lwt_close(c->udot, c->x, c->nu, 1e-9, scale, "seed %u, way %d", k, way);
      assert_true(fabs(sum_levels(d) - lw_dca_get_info(d).operations) <=
                  1e-12 * lw_dca_get_info(d).operations);
      seconds = calloc((size_t)lw_dca_nlevel(d) + 1, sizeof *seconds);
      lwt_ok(lw_dca_measure(d, x.w, c->t, c->q, c->u, 2, seconds));
      free(seconds);
      lw_dca_free(d);
    }
    order[1] = order[0];
    assert_null(lw_dca_new(c->m, &(lw_dca_options){.order = order, .norder = 2}, NULL));
    lw_dca *plan = lw_dca_new(c->m, &(lw_dca_options){.plan_only = true}, NULL);
    assert_int_equal(lw_dca_forward_dynamics(plan, x.w, 0, c->q, c->u, NULL, c->udot), LW_E_STAGE);
    lw_dca_free(plan);
    free(order);
    close_subject(&x);
  }
}

/* a particle on a ball joint may turn as it likes: nobody can tell how */
static void what_nothing_determines_is_singular(void **state)
{
  (void)state;
  lw_spec *s = lw_spec_new();
  lw_body a = lw_add_body(s, &(lw_body_desc){.name = "a", .mass = 1});
  lw_add_joint(s, &(lw_joint_desc){.name = "j", .type = LW_SPHERICAL, .child = a});
  lw_model *m = lw_compile(s, NULL);
  lw_spec_free(s);
  assert_non_null(m);
  lwt_case c = lwt_case_of(m, 5);
  lw_dca *d = lw_dca_new(c.m, NULL, NULL);
  assert_int_equal(lw_forward_dynamics(c.w, 0, c.q, c.u, c.tau, c.udot), LW_E_SINGULAR);
  assert_int_equal(lw_dca_forward_dynamics(d, c.w, 0, c.q, c.u, c.tau, c.x), LW_E_SINGULAR);
  lw_dca_free(d);
  lwt_case_free(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_models_move_alike_in_every_formulation),
      cmocka_unit_test(accelerations_that_forces_do_not_explain_are_corrected_or_refused),
      cmocka_unit_test(bodies_may_lack_inertia),
      cmocka_unit_test(what_nothing_determines_is_singular),
      cmocka_unit_test(jumps_solve_the_dense_system),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(any_assembly_tree_gives_the_same_motion),
  };
  return cmocka_run_group_tests_name("identity/dca_models", tests, NULL, NULL);
}
