/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of udot and of every load by random parameters, q, u and tau, on 200 random mechanisms of every
   topology, against differences in 80 bits of the dense solution in maximal coordinates that shares no code with
   linkwork (oracle.h).

   A curve: numbers of the description, coordinates, speeds and loads move with p; the oracle closes loops and
   constraints again at each point, to 1e-16 or better.  Differences are of eighth order with steps of 2^-10, or
   shorter where those of sixth order do not agree with them.  Where these never do, the curve does not count:
   among the first of them, a bushing passes half a turn. */
#include "varied_parts.h"

#include "linkwork/dca_derivatives.h"
#include "linkwork/loops.h"
#include "tree/loops/closure.h"

enum { SIDE = 4, POINTS = 2 * SIDE + 1, MODELS = 200 };
static const double tolerance = 1e-9;
static const double time_of_all = 0.3;

typedef enum { CHAIN, TREE, FLOATING, LOOP, COUPLED, REDUNDANT, CONSTRAINED, RELATED, KINDS } kind;
static const char *const kind_name[KINDS] = {
    "chains",        "trees",           "floating",       "loops",
    "coupled loops", "redundant loops", "geometric ties", "gears and drivers"};

static varied_recipe recipe(kind k, unsigned number)
{
  const bool closed = k >= LOOP;
  varied_recipe r = {
      .tree = {.seed = 5000 + 100 * (unsigned)k + number,
               .nbody = (closed ? 5 : 1) + (int)(number * 5 % (closed ? 3 : 7)),
               .branching = k == CHAIN ? 0 : (double)(number % 4) / 3,
               .floating = k == FLOATING ? number % 2 == 0 : closed && number % 3 == 0,
               .loose = k == FLOATING && number % 2 == 1,
               .planar = number % 5 == 4 && k != CONSTRAINED,
               .forces = number % 2 == 0}};
  r.loops = k == COUPLED ? 2 : k == CONSTRAINED ? (int)(number % 2) : closed;
  r.twice = k == REDUNDANT;
  r.constraints = k == CONSTRAINED ? 1 + (int)(number % 2) : 0;
  r.relations = k == RELATED ? 1 + (int)(number % 2) : 0;
  return r;
}

/* ---- curves ---- */

typedef struct {
  lwt_parts *parts;
  oracle *o;
  oracle_real *q, *u, *tau;
} point;

typedef struct {
  oracle_real h;
  int only;  /* the number that moves; -1: all */
  int order; /* of differences */
  point at[POINTS];
} curve;

static oracle_real *room(int n)
{
  return calloc((size_t)n + 1, sizeof(oracle_real));
}

static oracle_real derive(const curve *c, const oracle_real value[POINTS])
{
  static const oracle_real of_eight[SIDE] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280},
                           of_six[SIDE] = {3.0L / 4, -3.0L / 20, 1.0L / 60};
  const oracle_real *weight = c->order == 6 ? of_six : of_eight;
  oracle_real sum = 0;
  for (int s = 1; s <= SIDE; s++)
    sum += weight[s - 1] * (value[SIDE + s] - value[SIDE - s]);
  return sum / c->h;
}
#define DERIVE(c, out, number)                                                                     \
  do {                                                                                             \
    oracle_real value_[POINTS];                                                                    \
    for (int s_ = 0; s_ < POINTS; s_++)                                                            \
      value_[s_] = (c)->at[s_].number;                                                             \
    (out) = (double)derive((c), value_);                                                           \
  } while (0)

static void point_free(point *p)
{
  oracle_free(p->o);
  lwt_parts_free(p->parts);
  free(p->q);
  free(p->u);
  free(p->tau);
}

static void curve_free(curve *c)
{
  for (int i = 0; i < POINTS; i++)
    point_free(&c->at[i]);
}

/* direction: [3 nu] of motion, u, tau.  False: the mechanism cannot follow. */
static bool make_point(point *p, const lwt_parts *parts, const point *start,
                       const oracle_real *direction, oracle_real x, int only, bool independent)
{
  *p = (point){.parts = copy_parts(parts)};
  derivative_parts((varying){.p = (double)x, .only = only}, p->parts);
  p->o = oracle_new(p->parts);
  p->o->independent = independent;
  const int nu = p->o->nu;
  p->q = room(p->o->nq), p->u = room(nu), p->tau = room(nu);
  oracle_real *motion = room(nu);
  memcpy(p->q, start->q, (size_t)p->o->nq * sizeof *p->q);
  for (int i = 0; i < nu; i++) {
    motion[i] = x * direction[i];
    p->u[i] = start->u[i] + x * direction[nu + i];
    p->tau[i] = start->tau[i] + x * direction[2 * nu + i];
  }
  oracle_move(p->o, p->q, motion);
  free(motion);
  if (!oracle_close(p->o, time_of_all, p->q, p->u)) return false;
  oracle_dynamics(p->o, time_of_all, p->tau);
  return true;
}

/* false: the mechanism cannot follow, or which equations depend on each other changes */
static bool curve_make(curve *c, const lwt_parts *parts, const point *start,
                       const oracle_real *direction)
{
  bool ok = true;
  memset(c->at, 0, sizeof c->at);
  for (int i = 0; i < POINTS && ok; i++) {
    const oracle *first = c->at[0].o;
    ok = make_point(&c->at[i], parts, start, direction, (i - SIDE) * c->h, c->only,
                    i > 0 && first->rank == first->nequation);
    ok = ok && c->at[i].o->rank == c->at[0].o->rank;
  }
  return ok;
}

/* ---- linkwork beside it ---- */

typedef struct {
  lw_spec *s;
  lw_model *m;
  lw_work *w;
  lw_model_derivative *model_p;
  lw_derivatives *tree;
  lw_dca *dca;
  lw_dca_derivatives *rates;
  int nq, nu, nload;
  double *q, *u, *tau, *motion, *du, *dtau;
} subject;

static void subject_free(subject *x)
{
  lw_dca_derivatives_free(x->rates);
  lw_dca_free(x->dca);
  lw_derivatives_free(x->tree);
  lw_model_derivative_free(x->model_p);
  lw_work_free(x->w);
  lw_model_free(x->m);
  lw_spec_free(x->s);
  free(x->q);
}

/* the same mechanism with the same numbers as expressions of p */
static subject subject_new(lwt_parts *parts, int only)
{
  lw_error err = {.text = ""};
  subject x = {.s = lwt_parts_spec(parts)};
  lw_add_parameter(x.s, &(lw_parameter_desc){.name = "p", .value = 0});
  derivative_parts((varying){.only = only, .s = x.s}, parts);
  x.m = lw_compile(x.s, &err);
  x.model_p = x.m ? lw_model_derivative_new(x.m, "p", &err) : NULL;
  if (!x.model_p) fail_msg("%s", err.text);
  x.w = lw_work_new(x.m);
  x.tree = lw_derivatives_new_along(x.m);
  x.dca = lw_dca_new(x.m, NULL, &err);
  x.rates = lw_dca_derivatives_new(x.dca, 1, &err);
  x.nq = lw_nq_all(x.m), x.nu = lw_nu_all(x.m);
  x.nload = lw_njoint(x.m) + lw_nconstraint(x.m);
  x.q = calloc((size_t)(2 * x.nq + 5 * x.nu) + 1, sizeof *x.q);
  x.u = x.q + 2 * x.nq, x.tau = x.u + x.nu;
  x.motion = x.tau + x.nu, x.du = x.motion + x.nu, x.dtau = x.du + x.nu;
  return x;
}

/* the state in the order of linkwork's coordinates, and how it moves along the curve */
static void subject_place(subject *x, const curve *c)
{
  const point *p = &c->at[SIDE];
  double *dq = x->q + x->nq;
  for (int j = 0; j < p->o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x->m, (lw_joint){j + 1});
    for (int i = 0; i < info.nq; i++) {
      x->q[info.q_all + i] = (double)p->q[p->o->q[j] + i];
      DERIVE(c, dq[info.q_all + i], q[p->o->q[j] + i]);
    }
    for (int i = 0; i < info.nu; i++) {
      const int k = p->o->u[j] + i;
      x->u[info.u_all + i] = (double)p->u[k];
      x->tau[info.u_all + i] = (double)p->tau[k];
      DERIVE(c, x->du[info.u_all + i], u[k]);
      DERIVE(c, x->dtau[info.u_all + i], tau[k]);
    }
  }
  lw_motion_of(x->m, x->q, dq, x->motion);
}

/* ---- what the oracle says ---- */

/* udot of the joints that are not cut in linkwork, and all loads; and their derivatives */
typedef struct {
  int nu, nload;
  double *udot, *load; /* [nu], [6 nload] derivatives */
  double udot_scale, load_scale;
} answer;

static answer answer_of(const subject *x, const curve *c)
{
  const oracle *at = c->at[SIDE].o;
  answer a = {.nu = lw_nu(x->m), .nload = x->nload, .udot_scale = 1, .load_scale = 1};
  a.udot = calloc((size_t)(a.nu + 6 * a.nload) + 1, sizeof *a.udot);
  a.load = a.udot + a.nu;
  for (int j = 0; j < at->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x->m, (lw_joint){j + 1});
    for (int i = 0; i < info.nu && !info.cut; i++) {
      const int k = at->u[j] + i;
      DERIVE(c, a.udot[info.u + i], o->udot[k]);
      a.udot_scale = fmax(a.udot_scale, (double)fabs(at->udot[k]) + fabs(a.udot[info.u + i]));
    }
  }
  for (int i = 0; i < 6 * a.nload; i++) {
    DERIVE(c, a.load[i], o->load[i / 6][i % 6]);
    a.load_scale = fmax(a.load_scale, (double)fabs(at->load[i / 6][i % 6]) + fabs(a.load[i]));
  }
  return a;
}

static double largest_difference(const double *a, const double *b, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]);
    most = d <= most ? most : d;
  }
  return most;
}

typedef struct {
  double udot, load; /* relative to the largest derivative plus the largest value, at least 1 */
} errors;

static errors compare(const answer *wanted, const double *udot, const double *load)
{
  return (errors){largest_difference(udot, wanted->udot, wanted->nu) / wanted->udot_scale,
                  largest_difference(load, wanted->load, 6 * wanted->nload) / wanted->load_scale};
}

/* What of linkwork's loads is determined, along the curve: load + s h rate at point s. */
static void determined(const curve *c, double (*load)[6], double (*rate)[6], int n)
{
  oracle_real(*at)[6] = calloc((size_t)(n * POINTS) + 1, sizeof *at);
  for (int s = 0; s < POINTS; s++) {
    for (int i = 0; i < 6 * n; i++)
      at[n * s + i / 6][i % 6] = load[i / 6][i % 6] + (s - SIDE) * c->h * rate[i / 6][i % 6];
    oracle_keep_determined(c->at[s].o, at + n * s);
  }
  for (int i = 0; i < 6 * n; i++) {
    oracle_real value[POINTS];
    for (int s = 0; s < POINTS; s++)
      value[s] = at[n * s + i / 6][i % 6];
    rate[i / 6][i % 6] = (double)derive(c, value);
  }
  free(at);
}

/* ---- both ways to differentiate ---- */

static void tree_loads(const subject *x, bool rates, double (*out)[6])
{
  const lw_work *w = lw_derivatives_work(x->tree);
  for (int j = 1; j <= lw_njoint(x->m); j++)
    lwt_ok(rates ? lw_get_load_derivative(x->tree, (lw_joint){j}, out[j - 1])
                 : lw_get_load(w, (lw_joint){j}, out[j - 1]));
  for (int k = 1; k <= lw_nconstraint(x->m); k++) {
    double *to = out[lw_njoint(x->m) + k - 1];
    const lw_constraint c = {k};
    if ((rates ? lw_get_constraint_load_derivative(x->tree, c, to)
               : lw_get_constraint_load(w, c, to)) != LW_OK)
      lwt_ok(rates ? lw_get_relation_load_derivative(x->tree, c, to)
                   : lw_get_relation_load(w, c, to));
  }
}

static void dca_loads(const subject *x, bool rates, double (*out)[6])
{
  for (int j = 1; j <= lw_njoint(x->m); j++)
    lwt_ok(rates ? lw_dca_get_load_derivative(x->rates, (lw_joint){j}, out[j - 1])
                 : lw_dca_get_load(x->dca, (lw_joint){j}, out[j - 1]));
  for (int k = 1; k <= lw_nconstraint(x->m); k++) {
    double *to = out[lw_njoint(x->m) + k - 1];
    const lw_constraint c = {k};
    if ((rates ? lw_dca_get_constraint_load_derivative(x->rates, c, to)
               : lw_dca_get_constraint_load(x->dca, c, to)) != LW_OK)
      lwt_ok(rates ? lw_dca_get_relation_load_derivative(x->rates, c, to)
                   : lw_dca_get_relation_load(x->dca, c, to));
  }
}

static errors check(subject *x, const curve *c, const answer *wanted, bool dca)
{
  double(*load)[6] = calloc(2 * (size_t)x->nload + 1, sizeof *load), (*rate)[6] = load + x->nload;
  double *udot = calloc((size_t)x->nu + 1, sizeof *udot);
  const lw_direction along = {.motion = x->motion, .u = x->du, .tau = x->dtau, .model = x->model_p};
  if (dca) {
    lwt_ok(lw_dca_linearize(x->rates, x->w, time_of_all, x->q, x->u, x->tau, NULL));
    lwt_ok(lw_dca_derivative(x->rates, &along, udot));
    dca_loads(x, false, load);
    dca_loads(x, true, rate);
  } else {
    lwt_ok(lw_linearize_forward(x->tree, time_of_all, x->q, x->u, x->tau, NULL));
    lwt_ok(lw_forward_derivative(x->tree, &along, udot));
    lwt_ok(lw_load_derivatives(x->tree));
    lwt_ok(lw_joint_loads(lw_derivatives_work(x->tree)));
    tree_loads(x, false, load);
    tree_loads(x, true, rate);
  }
  if (c->at[SIDE].o->rank < c->at[SIDE].o->nequation) determined(c, load, rate, x->nload);
  const errors e = compare(wanted, udot, rate[0]);
  free(load);
  free(udot);
  return e;
}

typedef struct {
  int models, tried, curves, redundant, rough;
  errors worst[2]; /* of the tree's recursion, of divide and conquer */
} tally;

static void judge(subject *x, const curve *c, const answer *wanted, unsigned seed, tally *t)
{
  subject_place(x, c);
  for (int dca = 0; dca < 2; dca++) {
    const errors e = check(x, c, wanted, dca);
    t->worst[dca].udot = fmax(t->worst[dca].udot, e.udot);
    t->worst[dca].load = fmax(t->worst[dca].load, e.load);
    if (!(e.udot <= tolerance && e.load <= tolerance))
      fail_msg("seed %u, number %d, %s: udot is off by %.3g, loads by %.3g", seed, c->only,
               dca ? "divide and conquer" : "tree", e.udot, e.load);
  }
}

/* What differences say, if those of two orders agree; else false. */
static bool find_answer(const subject *x, curve *c, answer *out)
{
  c->order = 6;
  answer rough = answer_of(x, c);
  c->order = 8;
  *out = answer_of(x, c);
  const errors e = compare(out, rough.udot, rough.load);
  free(rough.udot);
  return e.udot <= tolerance / 10 && e.load <= tolerance / 10;
}

/* False: the mechanism cannot follow, or not smoothly. */
static bool check_curve(lwt_parts *parts, const point *start, const oracle_real *direction,
                        int only, unsigned seed, tally *t)
{
  bool done = false, follows = true;
  subject x = subject_new(parts, only);
  for (int bits = 10; bits <= 14 && !done && follows; bits += 2) {
    curve c = {.h = ldexp(1.0L, -bits), .only = only};
    answer wanted = {0};
    follows = curve_make(&c, parts, start, direction);
    done = follows && find_answer(&x, &c, &wanted);
    if (done) judge(&x, &c, &wanted, seed, t);
    if (done && only < 0) t->redundant += c.at[SIDE].o->rank < c.at[SIDE].o->nequation;
    free(wanted.udot);
    curve_free(&c);
  }
  t->rough += follows && !done;
  t->curves += done;
  subject_free(&x);
  return done;
}

/* as the state that the description gives: joints that close loops count their turns from there */
static void write_state(const oracle *o, const point *p, lwt_parts *parts)
{
  for (int j = 0; j < parts->njoint; j++) {
    parts->joint[j].has_q = true;
    for (int i = 0; i < lw_joint_type_nq(o->joint[j].type, parts->planar); i++)
      parts->joint[j].q[i] = (double)p->q[o->q[j] + i];
  }
}

/* all numbers, q, u and tau together; then one number alone, with what the closure makes of it */
static void check_model(const varied_recipe *r, tally *t)
{
  oracle_real(*q)[7] = calloc(64, sizeof *q);
  lwt_parts *parts = varied_parts(r, q);
  oracle *o = oracle_new(parts);
  const int nu = o->nu, n = derivative_parts((varying){.rounded = true}, parts);
  point start = {.q = coordinates_of(o, q), .u = room(nu), .tau = room(nu)};
  oracle_real *direction = room(3 * nu);
  lwt_random random = lwt_seed(r->tree.seed + 99);
  for (int i = 0; i < nu; i++)
    start.u[i] = lwt_uniform(&random, -1, 1);
  for (int i = 0; i < 3 * nu; i++)
    direction[i] = lwt_uniform(&random, -1, 1);
  lw_model *m = lwt_parts_compile(parts);
  for (int j = 0; j < o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j + 1});
    for (int i = 0; i < info.nu; i++)
      if (info.cut) /* loads on joints that close loops are motors */
        direction[2 * nu + o->u[j] + i] = 0;
      else
        start.tau[o->u[j] + i] = lwt_uniform(&random, -5, 5);
  }
  lw_model_free(m);
  t->tried++;
  if (oracle_close(o, time_of_all, start.q, start.u)) {
    write_state(o, &start, parts);
    const bool done = check_curve(parts, &start, direction, -1, r->tree.seed, t);
    memset(direction, 0, (size_t)(3 * nu) * sizeof *direction);
    if (done) check_curve(parts, &start, direction, lwt_pick(&random, n), r->tree.seed, t);
    t->models += done;
  }
  oracle_free(o);
  point_free(&start);
  lwt_parts_free(parts);
  free(direction);
  free(q);
}

static void derivatives_are_those_of_differences_in_80_bits(void **state)
{
  (void)state;
  int models = 0, rough = 0;
  for (kind k = 0; k < KINDS; k++) {
    tally t = {0};
    for (unsigned number = 0; t.models < MODELS / KINDS && number < 100; number++) {
      const varied_recipe r = recipe(k, number);
      check_model(&r, &t);
    }
    print_message(
        "%-18s %3d of %3d models (%3d with dependent equations), %4d derivatives (%2d rough); "
        "tree: %.1e, loads %.1e; dca: %.1e, loads %.1e\n",
        kind_name[k], t.models, t.tried, t.redundant, t.curves, t.rough, t.worst[0].udot,
        t.worst[0].load, t.worst[1].udot, t.worst[1].load);
    models += t.models, rough += t.rough;
  }
  assert_true(models >= MODELS && rough <= 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_differences_in_80_bits),
  };
  return cmocka_run_group_tests_name("identity/derivatives_long", tests, NULL, NULL);
}
