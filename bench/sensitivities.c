/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivities.c -- what the derivative of forward dynamics by one parameter costs beside forward
   dynamics, by divide and conquer and by the recursion, and beside one-sided differences.

     sensitivities [--quick] [--json FILE] [--commit ID]

   Masses, centres of mass and places of all joints depend on the parameter, and the direction moves
   q, u and tau too: nothing is spared.  One-sided differences evaluate the moved model at the moved
   state; that model is either kept from before (`kept`) or made for the occasion (`compiled`):
   parameter set, compiled, room made, evaluated.  `opened` is what the derivative of the model
   itself costs before all that, once per parameter, relative to a compilation.  Two threads share
   eight parameters, or the assembly tree of one.

   Times are processor times of the thread, the least of several rounds that take turns; where two
   threads are compared with one, wall clock, which says little with other programs on the
   machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linkwork/dca_derivatives.h"
#include "linkwork/query.h"
#include "linkwork_model.h"
#include "measure.h"
#include "model/spec/spec_data.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- mechanisms ---- */

enum { MANY = 8 };
static const double STEP = 1e-7; /* of one-sided differences */

typedef struct {
  mechanism *mech;
  mechanism_state *state;
  lw_spec *spec;
  lw_model *m;
  lw_model_derivative *model_p;
  lw_work *w, *w_dca;
  lw_derivatives *tree, *other; /* one per thread */
  lw_dca *dca, *wide;           /* plans of one thread and of two */
  lw_dca_derivatives *one, *two, *shared;
  /* moved by one step, for differences */
  lw_model *moved;
  lw_work *w_moved;
  lw_dca *dca_moved;
  double *q, *u, *tau;
  double *udot, *rate, *many;
  lw_direction x[MANY];
} subject;

static double scaled(lw_spec *s, double x, double k)
{
  char text[96];
  if (x == 0) return 0;
  snprintf(text, sizeof text, "%.17g*(1 + %.3g*p)", x, k);
  return lw_expr(s, text);
}

static lw_spec *spec_of(const mechanism *mech)
{
  lw_spec *s = linkwork_spec(mech);
  if (!s) return NULL;
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = 0});
  for (int i = 0; i < s->bodies.n; i++) {
    lw_body_desc *b = &s->bodies.item[i].d;
    b->mass = scaled(s, b->mass, 0.3);
    for (int k = 0; k < 3; k++)
      b->com[k] = scaled(s, b->com[k], 0.2);
  }
  for (int i = 0; i < s->joints.n; i++)
    for (int k = 0; k < 3; k++)
      s->joints.item[i].d.place.at[k] = scaled(s, s->joints.item[i].d.place.at[k], 0.1);
  return s;
}

static void close_subject(subject *s)
{
  free(s->udot);
  lw_dca_derivatives_free(s->one);
  lw_dca_derivatives_free(s->two);
  lw_dca_derivatives_free(s->shared);
  lw_dca_free(s->dca);
  lw_dca_free(s->wide);
  lw_dca_free(s->dca_moved);
  lw_derivatives_free(s->tree);
  lw_derivatives_free(s->other);
  lw_work_free(s->w);
  lw_work_free(s->w_dca);
  lw_work_free(s->w_moved);
  lw_model_derivative_free(s->model_p);
  lw_model_free(s->m);
  lw_model_free(s->moved);
  lw_spec_free(s->spec);
  free(s->state);
  mechanism_free(s->mech);
}

static bool make_room(subject *s, lw_error *err)
{
  const size_t nu = (size_t)s->mech->nu, nq = (size_t)s->mech->nq;
  s->w = lw_work_new(s->m);
  s->w_dca = lw_work_new(s->m);
  s->tree = lw_derivatives_new_along(s->m);
  s->other = lw_derivatives_new_along(s->m);
  s->dca = lw_dca_new(s->m, NULL, err);
  s->wide = lw_dca_new(s->m, &(lw_dca_options){.threads = 2}, err);
  s->one = lw_dca_derivatives_new(s->dca, 1, err);
  s->two = lw_dca_derivatives_new(s->dca, 2, err);
  s->shared = lw_dca_derivatives_new(s->wide, 1, err);
  s->udot = calloc((2 + MANY + 2) * nu + nq, sizeof *s->udot);
  return s->w && s->w_dca && s->tree && s->other && s->dca && s->wide && s->one && s->two &&
         s->shared && s->udot;
}

/* parameter, compiled model and room for it */
static bool make_moved(subject *s, bool plan, lw_error *err)
{
  lw_set_parameter(s->spec, "p", STEP);
  s->moved = lw_compile(s->spec, err);
  lw_set_parameter(s->spec, "p", 0);
  s->w_moved = s->moved ? lw_work_new(s->moved) : NULL;
  if (plan && s->moved) s->dca_moved = lw_dca_new(s->moved, NULL, err);
  return s->w_moved && (s->dca_moved || !plan);
}

static void free_moved(subject *s)
{
  lw_dca_free(s->dca_moved);
  lw_work_free(s->w_moved);
  lw_model_free(s->moved);
  s->dca_moved = NULL;
  s->w_moved = NULL;
  s->moved = NULL;
}

/* where the direction leads in one step */
static void move_state(subject *s)
{
  const mechanism_state *from = &s->state[0], *along = &s->state[1];
  lw_coordinate_rates(s->m, from->q, along->u, s->q);
  for (int i = 0; i < s->mech->nq; i++)
    s->q[i] = from->q[i] + STEP * s->q[i];
  for (int i = 0; i < s->mech->nu; i++) {
    s->u[i] = from->u[i] + STEP * along->udot[i];
    s->tau[i] = from->tau[i] + STEP * along->tau[i];
  }
}

/* takes the mechanism */
static bool open_subject(subject *s, mechanism *mech)
{
  lw_error err = {.text = "out of memory"};
  *s = (subject){.mech = mech};
  if (!mech) return false;
  s->state = mechanism_states(mech, 2, 1);
  s->spec = spec_of(mech);
  s->m = s->spec ? lw_compile(s->spec, &err) : NULL;
  s->model_p = s->m ? lw_model_derivative_new(s->m, "p", &err) : NULL;
  if (!s->state || !s->model_p || !make_room(s, &err) || !make_moved(s, true, &err)) {
    fprintf(stderr, "sensitivities: %s: %s\n", mech->name, err.text);
    return false;
  }
  s->rate = s->udot + mech->nu;
  s->many = s->rate + mech->nu;
  s->u = s->many + MANY * mech->nu;
  s->tau = s->u + mech->nu;
  s->q = s->tau + mech->nu;
  move_state(s);
  for (int i = 0; i < MANY; i++)
    s->x[i] = (lw_direction){.motion = s->state[1].u,
                             .u = s->state[1].udot,
                             .tau = s->state[1].tau,
                             .model = s->model_p};
  return true;
}

/* ---- what is timed ---- */

typedef lw_status (*quantity)(subject *s);

static lw_status dca_forward(subject *s)
{
  const mechanism_state *x = &s->state[0];
  return lw_dca_forward_dynamics(s->dca, s->w_dca, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status dca_linearize(subject *s, lw_dca_derivatives *d)
{
  const mechanism_state *x = &s->state[0];
  return lw_dca_linearize(d, s->w_dca, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status dca_parameter(subject *s)
{
  return lw_dca_derivative_many(s->one, 1, s->x, s->rate);
}
static lw_status dca_with_loads(subject *s)
{
  return lw_dca_derivative(s->one, &s->x[0], s->rate);
}
static lw_status dca_with_loads_2(subject *s)
{
  return lw_dca_derivative(s->shared, &s->x[0], s->rate);
}
static lw_status dca_many(subject *s)
{
  return lw_dca_derivative_many(s->one, MANY, s->x, s->many);
}
static lw_status dca_many_2(subject *s)
{
  return lw_dca_derivative_many(s->two, MANY, s->x, s->many);
}
static lw_status dca_kept(subject *s)
{
  return lw_dca_forward_dynamics(s->dca_moved, s->w_moved, 0, s->q, s->u, s->tau, s->rate);
}

static lw_status tree_forward(subject *s)
{
  const mechanism_state *x = &s->state[0];
  return lw_forward_dynamics(s->w, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status tree_linearize(subject *s, lw_derivatives *d)
{
  const mechanism_state *x = &s->state[0];
  return lw_linearize_forward(d, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status tree_parameter(subject *s)
{
  return lw_forward_derivative(s->tree, &s->x[0], s->rate);
}
static lw_status tree_kept(subject *s)
{
  return lw_forward_dynamics(s->w_moved, 0, s->q, s->u, s->tau, s->rate);
}
static lw_status tree_many(subject *s)
{
  for (int i = 0; i < MANY; i++)
    if (lw_forward_derivative(s->tree, &s->x[i], s->many + i * s->mech->nu) != LW_OK)
      return LW_E_NUMBER;
  return LW_OK;
}
static lw_status tree_many_2(subject *s)
{
  int failed = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(2) schedule(static, MANY / 2) reduction(+ : failed)
#endif
  for (int i = 0; i < MANY; i++) {
    lw_derivatives *d = i < MANY / 2 ? s->tree : s->other;
    failed += lw_forward_derivative(d, &s->x[i], s->many + i * s->mech->nu) != LW_OK;
  }
  return failed ? LW_E_NUMBER : LW_OK;
}

enum {
  FORWARD,
  PARAMETER,
  LOADS,
  LOADS_2,
  SERIAL,
  PARALLEL,
  KEPT,
  TREE_FORWARD,
  TREE_PARAMETER,
  TREE_SERIAL,
  TREE_PARALLEL,
  TREE_KEPT,
  KINDS,
  COMPILED = KINDS,
  TREE_COMPILED,
  ONLY_COMPILED,
  OPENED,
  ALL
};
static const quantity kind[KINDS] = {
    dca_forward, dca_parameter, dca_with_loads, dca_with_loads_2, dca_many,    dca_many_2,
    dca_kept,    tree_forward,  tree_parameter, tree_many,        tree_many_2, tree_kept};

/* directions need the factors of the state in their own room */
static bool prepare(subject *s, int i)
{
  if (i == PARAMETER) return dca_linearize(s, s->one) == LW_OK;
  if (i == LOADS_2) return dca_linearize(s, s->shared) == LW_OK;
  if (i == SERIAL) return dca_linearize(s, s->one) == LW_OK;
  if (i == PARALLEL) return dca_linearize(s, s->two) == LW_OK;
  return true;
}

/* the least time of each */
static bool time_all(subject *s, double seconds, double least[ALL], double wall[KINDS])
{
  double total = 0;
  for (int i = 0; i < ALL; i++)
    least[i] = INFINITY;
  for (int i = 0; i < KINDS; i++)
    wall[i] = INFINITY;
  do {
    for (int i = 0; i < KINDS; i++) {
      const int calls = seconds > 0 ? 1 + 500 / s->mech->nbody : 1;
      if (!prepare(s, i)) return false;
      const double start = measure_wall(), thread = measure_thread_now();
      for (int c = 0; c < calls; c++)
        if (kind[i](s) != LW_OK) return false;
      const double elapsed = measure_wall() - start;
      least[i] = fmin(least[i], (measure_thread_now() - thread) / calls);
      wall[i] = fmin(wall[i], elapsed / calls);
      total += elapsed;
    }
  } while (total < KINDS * seconds);
  return true;
}

/* how the model's numbers follow the parameter, and the model alone */
static bool time_opened(subject *s, double seconds, double least[ALL])
{
  lw_error err;
  double total = 0;
  do {
    const double start = measure_thread_now();
    lw_model *m = lw_compile(s->spec, &err);
    const double middle = measure_thread_now();
    lw_model_derivative *model_p = m ? lw_model_derivative_new(m, "p", &err) : NULL;
    const double end = measure_thread_now();
    const bool ok = model_p;
    lw_model_derivative_free(model_p);
    lw_model_free(m);
    if (!ok) return false;
    least[ONLY_COMPILED] = fmin(least[ONLY_COMPILED], middle - start);
    least[OPENED] = fmin(least[OPENED], end - middle);
    total += end - start;
  } while (total < seconds);
  return true;
}

/* everything that a changed parameter needs anew */
static bool time_compiled(subject *s, double seconds, double least[ALL])
{
  lw_error err;
  double total = 0;
  do {
    for (int plan = 0; plan < 2; plan++) {
      free_moved(s);
      const double start = measure_thread_now();
      if (!make_moved(s, plan, &err) || (plan ? dca_kept(s) : tree_kept(s)) != LW_OK) return false;
      const double elapsed = measure_thread_now() - start;
      const int i = plan ? COMPILED : TREE_COMPILED;
      least[i] = fmin(least[i], elapsed);
      total += elapsed;
    }
  } while (total < 2 * seconds);
  return true;
}

static double difference(const double *a, const double *b, int n)
{
  double most = 0, scale = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    scale = fmax(scale, fabs(b[i]));
  }
  return most / scale;
}

/* how far divide and conquer, and one-sided differences, are from the recursion */
static bool find_errors(subject *s, double *dca, double *differences)
{
  const int nu = s->mech->nu;
  double *wanted = s->many, *base = s->many + nu;
  if (tree_parameter(s) != LW_OK) return false;
  memcpy(wanted, s->rate, (size_t)nu * sizeof *wanted);
  if (dca_linearize(s, s->one) != LW_OK || dca_parameter(s) != LW_OK) return false;
  *dca = difference(s->rate, wanted, nu);
  if (tree_forward(s) != LW_OK) return false;
  memcpy(base, s->udot, (size_t)nu * sizeof *base);
  if (tree_kept(s) != LW_OK) return false;
  for (int i = 0; i < nu; i++)
    s->rate[i] = (s->rate[i] - base[i]) / STEP;
  *differences = difference(s->rate, wanted, nu);
  return true;
}

static void print_row(const subject *s, const double t[ALL], const double wall[KINDS], double dca,
                      double differences)
{
  const double n = s->mech->nbody, *f = &t[FORWARD], *g = &t[TREE_FORWARD];
  printf("%-12s %6.0f %6.2f %6.2f %6.2f %8.0f %6.2f %6.2f  %6.0f %6.2f %6.2f %8.0f %6.2f %6.2f  "
         "%8.1e %8.1e\n",
         s->mech->name, 1e9 * *f / n, t[PARAMETER] / *f, t[LOADS] / *f, t[KEPT] / *f,
         t[COMPILED] / *f, wall[SERIAL] / wall[PARALLEL], wall[LOADS] / wall[LOADS_2], 1e9 * *g / n,
         t[TREE_PARAMETER] / *g, t[TREE_KEPT] / *g, t[TREE_COMPILED] / *g,
         wall[TREE_SERIAL] / wall[TREE_PARALLEL], t[OPENED] / t[ONLY_COMPILED], dca, differences);
  fflush(stdout);
}

static void write_row(FILE *json, const subject *s, const double t[ALL], const double wall[KINDS],
                      double dca, double differences)
{
  static const char *const name[ALL] = {"dca_forward",
                                        "dca_parameter",
                                        "dca_parameter_with_loads",
                                        "dca_parameter_with_loads_2_threads",
                                        "dca_8_parameters",
                                        "dca_8_parameters_2_threads",
                                        "dca_difference_kept",
                                        "tree_forward",
                                        "tree_parameter",
                                        "tree_8_parameters",
                                        "tree_8_parameters_2_threads",
                                        "tree_difference_kept",
                                        "dca_difference_compiled",
                                        "tree_difference_compiled",
                                        "compile",
                                        "open"};
  fprintf(json, "{\"mechanism\":\"%s\",\"bodies\":%d", s->mech->name, s->mech->nbody);
  for (int i = 0; i < ALL; i++)
    fprintf(json, ",\"%s_ns\":%.5g", name[i], 1e9 * t[i]);
  for (int i = 0; i < KINDS; i++)
    fprintf(json, ",\"%s_wall_ns\":%.5g", name[i], 1e9 * wall[i]);
  fprintf(json, ",\"error\":%.3g,\"difference_error\":%.3g}\n", dca, differences);
}

static bool measure(mechanism *mech, const measure_run *r)
{
  subject s;
  double t[ALL], wall[KINDS], dca = 0, differences = 0;
  const double seconds = r->quick ? 0 : 0.3;
  const bool open = open_subject(&s, mech);
  const bool ok = open && tree_linearize(&s, s.tree) == LW_OK &&
                  tree_linearize(&s, s.other) == LW_OK && time_all(&s, seconds, t, wall) &&
                  find_errors(&s, &dca, &differences) && time_compiled(&s, seconds, t) &&
                  time_opened(&s, seconds, t);
  if (ok) print_row(&s, t, wall, dca, differences);
  if (ok && r->json) write_row(r->json, &s, t, wall, dca, differences);
  if (open && !ok) fprintf(stderr, "sensitivities: %s failed\n", s.mech->name);
  close_subject(&s);
  return ok;
}

int main(int argc, char **argv)
{
  measure_run r;
  if (!measure_start(&r, "sensitivities", argc, argv)) return 2;
  printf("one parameter, in multiples of one forward dynamics (dca, tree: ns per body); /2: "
         "speed-up by "
         "two threads, over parameters (p) or the assembly tree (t)\n"
         "%-12s %6s %6s %6s %6s %8s %6s %6s  %6s %6s %6s %8s %6s %6s  %8s %8s\n",
         "", "dca", "exact", "loads", "kept", "compiled", "p/2", "t/2", "tree", "exact", "kept",
         "compiled", "p/2", "opened", "error", "differ.");
  bool ok = true;
  for (int n = 10; ok && n <= (r.quick ? 100 : 10000); n *= 10)
    ok = measure(mechanism_chain(n), &r);
  for (int n = 10; ok && n <= (r.quick ? 100 : 10000); n *= 10)
    ok = measure(mechanism_binary_tree(n), &r);
  if (r.json) fclose(r.json);
  return ok ? 0 : 1;
}
