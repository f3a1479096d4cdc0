/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivities.c -- what the derivative of forward dynamics by one parameter costs beside forward dynamics,
   by divide and conquer and by the recursion, and beside one-sided differences.

     sensitivities [--quick] [--json FILE] [--commit ID]

   Masses, centres of mass and places of all joints depend on the parameter, and the direction moves q, u
   and tau too: nothing is spared.  One-sided differences need one more forward dynamics a parameter, and a
   model compiled for the moved parameter; "opened" is what the derivative of a model by a parameter costs
   before all that, relative to the compilation of the model.  Times are wall clock, the least of several rounds that take turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "linkwork/dca_derivatives.h"
#include "linkwork_model.h"
#include "measure.h"
#include "model/spec_data.h"

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- mechanisms ---- */

enum { MANY = 8 };

typedef struct {
  mechanism *mech;
  mechanism_state *state;
  lw_spec *spec;
  lw_model *m;
  lw_slope *slope;
  lw_work *w, *w_dca;
  lw_derivatives *tree;
  lw_dca *dca;
  lw_dca_derivatives *one, *two; /* with one thread and with two */
  double compile, open;          /* seconds: the model, and how it follows a parameter */
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
  lw_dca_free(s->dca);
  lw_derivatives_free(s->tree);
  lw_work_free(s->w);
  lw_work_free(s->w_dca);
  lw_slope_free(s->slope);
  lw_model_free(s->m);
  lw_spec_free(s->spec);
  free(s->state);
  mechanism_free(s->mech);
}

/* the model and its derivative by a parameter, and what they cost: the least of some */
static bool compile_subject(subject *s, bool quick, lw_error *err)
{
  double total = 0;
  s->compile = s->open = INFINITY;
  do {
    lw_slope_free(s->slope);
    lw_model_free(s->m);
    s->slope = NULL;
    const double start = now();
    s->m = lw_compile(s->spec, err);
    const double middle = now();
    if (s->m) s->slope = lw_slope_new(s->spec, s->m, "p", err);
    if (!s->slope) return false;
    const double end = now();
    s->compile = fmin(s->compile, middle - start);
    s->open = fmin(s->open, end - middle);
    total += end - start;
  } while (!quick && total < 0.3);
  return true;
}

/* takes the mechanism */
static bool open_subject(subject *s, mechanism *mech, bool quick)
{
  lw_error err = {.text = "out of memory"};
  *s = (subject){.mech = mech};
  if (!mech) return false;
  s->state = mechanism_states(mech, 2, 1);
  s->spec = spec_of(mech);
  if (s->spec && compile_subject(s, quick, &err)) {
    s->w = lw_work_new(s->m);
    s->w_dca = lw_work_new(s->m);
    s->tree = lw_derivatives_new_along(s->m);
    s->dca = lw_dca_new(s->m, NULL, &err);
    s->one = lw_dca_derivatives_new(s->dca, s->m, 1, &err);
    s->two = lw_dca_derivatives_new(s->dca, s->m, 2, &err);
    s->udot = calloc((2 + MANY) * (size_t)mech->nu, sizeof *s->udot);
  }
  if (!s->state || !s->w || !s->w_dca || !s->tree || !s->one || !s->two || !s->udot) {
    fprintf(stderr, "sensitivities: %s: %s\n", mech->name, err.text);
    return false;
  }
  s->rate = s->udot + mech->nu;
  s->many = s->rate + mech->nu;
  for (int i = 0; i < MANY; i++)
    s->x[i] = (lw_direction){
        .motion = s->state[1].u, .u = s->state[1].udot, .tau = s->state[1].tau, .slope = s->slope};
  return true;
}

/* ---- what is timed ---- */

typedef lw_status (*quantity)(subject *s);

static lw_status dca_forward(subject *s)
{
  const mechanism_state *x = &s->state[0];
  return lw_dca_forward_dynamics(s->dca, s->m, s->w_dca, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status dca_linearize(subject *s, lw_dca_derivatives *d)
{
  const mechanism_state *x = &s->state[0];
  return lw_dca_linearize(s->dca, s->m, d, s->w_dca, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status dca_direction(subject *s)
{
  return lw_dca_vary_many(s->dca, s->m, s->one, 1, s->x, s->rate);
}
static lw_status dca_with_loads(subject *s)
{
  return lw_dca_vary(s->dca, s->m, s->one, &s->x[0], s->rate);
}
static lw_status dca_many(subject *s)
{
  return lw_dca_vary_many(s->dca, s->m, s->one, MANY, s->x, s->many);
}
static lw_status dca_many_2(subject *s)
{
  return lw_dca_vary_many(s->dca, s->m, s->two, MANY, s->x, s->many);
}
static lw_status tree_linearize(subject *s)
{
  const mechanism_state *x = &s->state[0];
  return lw_linearize_forward(s->m, s->tree, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status tree_forward(subject *s)
{
  const mechanism_state *x = &s->state[0];
  return lw_forward_dynamics(s->m, s->w, 0, x->q, x->u, x->tau, s->udot);
}
static lw_status tree_direction(subject *s)
{
  return lw_vary_forward(s->m, s->tree, &s->x[0], s->rate);
}

enum { FORWARD, DIRECTION, LOADS, SERIAL, PARALLEL, TREE_FORWARD, TREE_DIRECTION, KINDS };
static const quantity kind[KINDS] = {dca_forward, dca_direction, dca_with_loads, dca_many,
                                     dca_many_2,  tree_forward,  tree_direction};

/* the least time of each */
static bool time_all(subject *s, double seconds, double least[KINDS])
{
  double total = 0;
  for (int i = 0; i < KINDS; i++)
    least[i] = INFINITY;
  do {
    for (int i = 0; i < KINDS; i++) {
      const int calls = seconds > 0 ? 1 + 500 / s->mech->nbody : 1;
      /* directions need the factors of the state in their own room */
      if (i == DIRECTION && dca_linearize(s, s->one) != LW_OK) return false;
      if (i == PARALLEL && dca_linearize(s, s->two) != LW_OK) return false;
      const double start = now();
      for (int c = 0; c < calls; c++)
        if (kind[i](s) != LW_OK) return false;
      const double elapsed = now() - start;
      least[i] = fmin(least[i], elapsed / calls);
      total += elapsed;
    }
  } while (total < KINDS * seconds);
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

static bool measure(mechanism *mech, const measure_run *r)
{
  subject s;
  double t[KINDS];
  const bool open = open_subject(&s, mech, r->quick);
  bool ok = open && tree_linearize(&s) == LW_OK && time_all(&s, r->quick ? 0 : 0.3, t);
  if (ok) {
    const int nu = s.mech->nu;
    tree_direction(&s);
    memcpy(s.many, s.rate, (size_t)nu * sizeof *s.many);
    ok = dca_linearize(&s, s.one) == LW_OK && dca_direction(&s) == LW_OK;
    const double error = difference(s.rate, s.many, nu), n = s.mech->nbody;
    const double one = t[DIRECTION], two = t[PARALLEL] / MANY;
    printf("%-18s %8.0f %9.0f %6.2f %8.2f %8.0f %9.0f %6.2f %10.2f %9.2f %9.1e\n", s.mech->name,
           1e9 * t[FORWARD] / n, 1e9 * one / n, one / t[FORWARD], t[SERIAL] / t[PARALLEL],
           1e9 * t[TREE_FORWARD] / n, 1e9 * t[TREE_DIRECTION] / n,
           t[TREE_DIRECTION] / t[TREE_FORWARD], 1 + s.compile / t[FORWARD], s.open / s.compile,
           error);
    fflush(stdout);
    if (r->json)
      fprintf(r->json,
              "{\"mechanism\":\"%s\",\"bodies\":%.0f,\"dca_forward_ns\":%.5g,"
              "\"dca_direction_ns\":%.5g,\"dca_direction_with_loads_ns\":%.5g,"
              "\"dca_direction_2_threads_ns\":%.5g,\"tree_forward_ns\":%.5g,"
              "\"tree_direction_ns\":%.5g,\"compile_ns\":%.5g,\"open_ns\":%.5g,\"error\":%.3g}\n",
              s.mech->name, n, 1e9 * t[FORWARD], 1e9 * one, 1e9 * t[LOADS], 1e9 * two,
              1e9 * t[TREE_FORWARD], 1e9 * t[TREE_DIRECTION], 1e9 * s.compile, 1e9 * s.open, error);
  }
  if (open && !ok) fprintf(stderr, "sensitivities: %s failed\n", s.mech->name);
  close_subject(&s);
  return ok;
}

int main(int argc, char **argv)
{
  measure_run r;
  if (!measure_start(&r, "sensitivities", argc, argv)) return 2;
  printf("a parameter: ns a body, and relative to forward dynamics; one-sided differences: 1, with "
         "the "
         "model compiled for each\n%-18s %8s %9s %6s %8s %8s %9s %6s %10s %9s %9s\n",
         "", "dca", "parameter", "ratio", "2 thr.", "tree", "parameter", "ratio", "compiled",
         "opened", "error");
  bool ok = true;
  for (int n = 10; ok && n <= (r.quick ? 100 : 10000); n *= 10)
    ok = measure(mechanism_chain(n), &r);
  for (int n = 10; ok && n <= (r.quick ? 100 : 10000); n *= 10)
    ok = measure(mechanism_binary_tree(n), &r);
  if (r.json) fclose(r.json);
  return ok ? 0 : 1;
}
