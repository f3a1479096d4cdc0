/* SPDX-License-Identifier: Apache-2.0 */
/* scaling.c -- how the time per body grows with the number of bodies.

     scaling [--quick] [--json FILE] [--commit ID]

   Chains and binary trees of 10 to 100,000 bodies: lw_compile, inverse and forward dynamics.
   `bytes` is what belongs to a body: its constants, its share of the work, its numbers in the
   caller's arrays.  If each of the two sweeps of inverse dynamics and the three of forward dynamics
   touched all of it, the traffic would be the GB/s shown: at most that, since no sweep needs
   everything.  Beside it the bandwidth of a triad loop over as many bytes; near it, memory is the
   limit. */
#include "linkwork_model.h"
#include "linkwork/dynamics.h"
#include "linkwork/realtime.h"
#include "measure.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NSTATE = 2, MAX_ROUNDS = 50 };

typedef struct {
  double seconds; /* for each size and quantity; 0: one call */
  int max_bodies;
  FILE *json; /* NULL: none */
} options;

typedef struct {
  mechanism *mech;
  mechanism_state *states;
  lw_spec *spec;
  lw_model *m;
  lw_work *w;
  double *result, *tau; /* [nu] */
} bench_case;

typedef struct {
  double min, median; /* seconds a call */
} timing;

typedef lw_status (*quantity)(const bench_case *c, int k);

static lw_status compile(const bench_case *c, int k)
{
  lw_error err;
  lw_model *m = lw_compile(c->spec, &err);
  lw_model_free(m);
  (void)k;
  return m ? LW_OK : err.status;
}

static lw_status inverse_dynamics(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_inverse_dynamics(c->w, 0, s->q, s->u, s->udot, c->result);
}

static lw_status forward_dynamics(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_forward_dynamics(c->w, 0, s->q, s->u, s->tau, c->result);
}

/* calls grouped so that a round lasts a millisecond or more */
static timing time_quantity(const bench_case *c, quantity run, const options *o)
{
  double time[MAX_ROUNDS], total = 0;
  int n = 0, calls = 1;
  do {
    const double start = measure_now();
    for (int i = 0; i < calls; i++)
      if (run(c, i % NSTATE) != LW_OK) return (timing){HUGE_VAL, HUGE_VAL};
    const double elapsed = measure_now() - start;
    total += elapsed;
    if (elapsed < 1e-3 && o->seconds > 0)
      calls *= 2;
    else
      time[n++] = elapsed / calls;
  } while (n < MAX_ROUNDS && total < o->seconds);
  if (n == 0) time[n++] = total / calls;
  const double min = measure_min(time, n);
  return (timing){min, measure_median(time, n)};
}

/* ---- one size ---- */

static void free_case(bench_case *c)
{
  lw_work_free(c->w);
  lw_model_free(c->m);
  lw_spec_free(c->spec);
  mechanism_free(c->mech);
  free(c->states);
  free(c->result);
}

static bool new_case(bench_case *c, mechanism *mech)
{
  lw_error err = {.text = "out of memory"};
  *c = (bench_case){.mech = mech};
  c->states = mech ? mechanism_states(mech, NSTATE, 1) : NULL;
  c->spec = mech ? linkwork_spec(mech) : NULL;
  c->m = c->spec ? lw_compile(c->spec, &err) : NULL;
  c->w = c->m ? lw_work_new(c->m) : NULL;
  c->result = mech ? calloc(2 * (size_t)mech->nu, sizeof *c->result) : NULL;
  if (c->states && c->w && c->result) {
    c->tau = c->result + mech->nu;
    return true;
  }
  fprintf(stderr, "scaling: %s\n", err.text);
  free_case(c);
  return false;
}

/* largest difference of the inverse of forward dynamics from tau, relative to the largest tau */
static double round_trip_error(const bench_case *c)
{
  const mechanism_state *s = &c->states[0];
  double error = 0, scale = 0;
  if (forward_dynamics(c, 0) != LW_OK ||
      lw_inverse_dynamics(c->w, 0, s->q, s->u, c->result, c->tau) != LW_OK)
    return HUGE_VAL;
  for (int i = 0; i < c->mech->nu; i++) {
    error = fmax(error, fabs(c->tau[i] - s->tau[i]));
    scale = fmax(scale, fabs(s->tau[i]));
  }
  return error / scale;
}

static bool measure_size(mechanism *mech, const options *o)
{
  bench_case c;
  if (!new_case(&c, mech)) return false;
  const double n = mech->nbody;
  const timing build = time_quantity(&c, compile, o);
  const timing inverse = time_quantity(&c, inverse_dynamics, o);
  const timing forward = time_quantity(&c, forward_dynamics, o);
  const double error = round_trip_error(&c);
  /* constants, work, and four arrays of the caller */
  const double bytes = (double)lw_work_size(c.m) / n + sizeof(lwi_link) + 4 * sizeof(double);
  const double triad = measure_bandwidth((size_t)(bytes * n / 3));

  printf("%-13s %9.0f %9.1f %9.1f %9.1f %9.1f %9.0f %8.1f %8.1f %8.1f %9.1e\n", mech->name,
         1e9 * build.min / n, 1e9 * inverse.min / n, 1e9 * inverse.median / n,
         1e9 * forward.min / n, 1e9 * forward.median / n, bytes, 1e-9 * 2 * bytes * n / inverse.min,
         1e-9 * 3 * bytes * n / forward.min, 1e-9 * triad, error);
  fflush(stdout);
  if (o->json)
    fprintf(o->json,
            "{\"mechanism\":\"%s\",\"bodies\":%.0f,\"compile_ns\":%.6g,\"inverse_ns\":%.6g,"
            "\"inverse_median_ns\":%.6g,\"forward_ns\":%.6g,\"forward_median_ns\":%.6g,"
            "\"bytes\":%.6g,\"triad_bytes_per_s\":%.4g,\"error\":%.3g}\n",
            mech->name, n, 1e9 * build.min / n, 1e9 * inverse.min / n, 1e9 * inverse.median / n,
            1e9 * forward.min / n, 1e9 * forward.median / n, bytes, triad, error);
  free_case(&c);
  return true;
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "scaling", argc, argv)) return 2;
  const options o = {
      .seconds = run.quick ? 0 : 0.3, .max_bodies = run.quick ? 10000 : 100000, .json = run.json};
  printf("%-13s %9s %9s %9s %9s %9s %9s %8s %8s %8s %9s\n", "", "compile", "inverse", "median",
         "forward", "median", "bytes", "inverse", "forward", "triad", "round");
  printf("%-13s %9s %9s %9s %9s %9s %9s %8s %8s %8s %9s\n", "", "ns/body", "ns/body", "", "ns/body",
         "", "/body", "GB/s", "GB/s", "GB/s", "trip");
  bool fine = true;
  for (int n = 10; fine && n <= o.max_bodies; n *= 10)
    fine = measure_size(mechanism_chain(n), &o);
  for (int n = 10; fine && n <= o.max_bodies; n *= 10)
    fine = measure_size(mechanism_binary_tree(n), &o);
  if (o.json) fclose(o.json);
  return !fine;
}
