/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c -- nanoseconds per state: one call per state against the _n calls, where as many states
   go side by side through the processor as its vectors hold.

     lanes [--quick] [--json FILE] [--commit ID]

   Both take turns in short rounds; `gain` is the median over the rounds of single / batch, `error`
   the largest difference between their results, relative to the largest result. */
#include "linkwork_model.h"
#include "linkwork/dynamics.h"
#include "linkwork/batch.h"
#include "linkwork/quantities.h"
#include "measure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NSTATE = 64, MAX_ROUNDS = 100 };
typedef enum { INVERSE_DYNAMICS, MASS_MATRIX, MASS_ROWS, FORWARD_DYNAMICS, NTASK } task;
static const char *const task_names[NTASK] = {"inverse dynamics", "mass matrix", "mass rows",
                                              "forward dynamics"};

typedef struct {
  int rounds;
  FILE *json; /* NULL: none */
} options;

typedef struct {
  const mechanism *mech;
  lw_model *m;
  lw_work *single, *batch;
  mechanism_state *states;
  double *q, *u, *udot, *tau;           /* of all states: element [i*NSTATE + k] */
  double *single_result, *batch_result; /* [NSTATE*nresult], the second one interleaved */
  lw_status status;                     /* of any call so far */
} bench_case;

static size_t nresult(const bench_case *c, task t)
{
  const size_t nu = (size_t)c->mech->nu;
  return t == MASS_MATRIX ? nu * nu : t == MASS_ROWS ? lw_mass_row_entries(c->m) : nu;
}

static void run_singles(bench_case *c, task t)
{
  for (int k = 0; k < NSTATE; k++) {
    const mechanism_state *s = &c->states[k];
    double *out = c->single_result + (size_t)k * nresult(c, t);
    if (t == INVERSE_DYNAMICS)
      c->status |= lw_inverse_dynamics(c->single, 0, s->q, s->u, s->udot, out);
    else if (t == MASS_MATRIX)
      c->status |= lw_mass_matrix(c->single, s->q, out);
    else if (t == MASS_ROWS)
      c->status |= lw_mass_rows(c->single, s->q, out);
    else
      c->status |= lw_forward_dynamics(c->single, 0, s->q, s->u, s->tau, out);
  }
}

static void run_batch(bench_case *c, task t)
{
  double *out = c->batch_result;
  if (t == INVERSE_DYNAMICS)
    c->status |= lw_inverse_dynamics_n(c->batch, NSTATE, 0, c->q, c->u, c->udot, out);
  else if (t == MASS_MATRIX)
    c->status |= lw_mass_matrix_n(c->batch, NSTATE, c->q, out);
  else if (t == MASS_ROWS)
    c->status |= lw_mass_rows_n(c->batch, NSTATE, c->q, out);
  else
    c->status |= lw_forward_dynamics_n(c->batch, NSTATE, 0, c->q, c->u, c->tau, out);
}

/* ---- cases ---- */

static void free_case(bench_case *c)
{
  lw_work_free(c->single);
  lw_work_free(c->batch);
  lw_model_free(c->m);
  free(c->states);
  free(c->q);
  free(c->single_result);
}

static bool new_case(bench_case *c, const mechanism *mech)
{
  const size_t nq = (size_t)mech->nq, nu = (size_t)mech->nu;
  *c = (bench_case){.mech = mech, .m = linkwork_model(mech)};
  c->single = c->m ? lw_work_new(c->m) : NULL;
  c->batch = c->m ? lw_work_new_batch(c->m) : NULL;
  c->states = mechanism_states(mech, NSTATE, 1);
  c->q = malloc((nq + 3 * nu) * NSTATE * sizeof(double));
  c->single_result = aligned_alloc(64, 2 * nu * nu * NSTATE * sizeof(double));
  if (!c->single || !c->batch || !c->states || !c->q || !c->single_result) {
    free_case(c);
    return false;
  }
  c->batch_result = c->single_result + nu * nu * NSTATE;
  c->u = c->q + nq * NSTATE;
  c->udot = c->u + nu * NSTATE;
  c->tau = c->udot + nu * NSTATE;
  for (size_t k = 0; k < NSTATE; k++) {
    for (size_t i = 0; i < nq; i++)
      c->q[i * NSTATE + k] = c->states[k].q[i];
    /* u, udot and tau follow each other in both places */
    for (size_t i = 0; i < 3 * nu; i++)
      c->u[i * NSTATE + k] = c->states[k].u[i];
  }
  return true;
}

static double difference(bench_case *c, task t)
{
  const size_t n = nresult(c, t);
  double error = 0, scale = 0;
  run_singles(c, t);
  run_batch(c, t);
  for (size_t k = 0; k < NSTATE; k++)
    for (size_t i = 0; i < n; i++) {
      const double a = c->single_result[k * n + i], b = c->batch_result[i * NSTATE + k];
      error = fmax(error, fabs(a - b));
      scale = fmax(scale, fabs(a));
    }
  return c->status == LW_OK ? error / scale : (double)INFINITY;
}

/* ---- timing ---- */

static double time_state(bench_case *c, task t, void (*run)(bench_case *, task), int repeats)
{
  const double start = measure_now();
  for (int i = 0; i < repeats; i++)
    run(c, t);
  return (measure_now() - start) / (repeats * NSTATE);
}

static void measure_task(bench_case *c, task t, const options *o)
{
  double single[MAX_ROUNDS], batch[MAX_ROUNDS], gain[MAX_ROUNDS];
  const double error = difference(c, t);
  const double once = time_state(c, t, run_singles, 1) * NSTATE;
  const int repeats = o->rounds == 1 ? 1 : (int)fmax(1, 1e-3 / once);
  for (int k = 0; k < o->rounds; k++) {
    single[k] = time_state(c, t, run_singles, repeats);
    batch[k] = time_state(c, t, run_batch, repeats);
    gain[k] = single[k] / batch[k];
  }
  const double middle = measure_median(gain, o->rounds);
  const double single_min = measure_min(single, o->rounds);
  const double batch_min = measure_min(batch, o->rounds);
  printf("%-12s %-17s %12.1f %12.1f %12.1f %12.1f %7.2f %9.1e\n", c->mech->name, task_names[t],
         1e9 * single_min, 1e9 * measure_median(single, o->rounds), 1e9 * batch_min,
         1e9 * measure_median(batch, o->rounds), middle, error);
  fflush(stdout);
  if (o->json)
    fprintf(o->json,
            "{\"mechanism\":\"%s\",\"task\":\"%s\",\"lanes\":%d,\"single_ns\":%.6g,"
            "\"single_median_ns\":%.6g,\"batch_ns\":%.6g,\"batch_median_ns\":%.6g,\"gain\":%.4g,"
            "\"error\":%.3g}\n",
            c->mech->name, task_names[t], lw_work_lanes(c->batch), 1e9 * single_min,
            1e9 * measure_median(single, o->rounds), 1e9 * batch_min,
            1e9 * measure_median(batch, o->rounds), middle, error);
}

static bool measure_mechanism(mechanism *mech, const options *o)
{
  bench_case c;
  if (!mech || !new_case(&c, mech)) {
    fprintf(stderr, "lanes: cannot set up %s\n", mech ? mech->name : "a mechanism");
    mechanism_free(mech);
    return false;
  }
  for (task t = 0; t < NTASK; t++)
    measure_task(&c, t, o);
  const bool fine = c.status == LW_OK;
  free_case(&c);
  mechanism_free(mech);
  return fine;
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "lanes", argc, argv)) return 2;
  const options o = {.rounds = run.quick ? 1 : MAX_ROUNDS, .json = run.json};
  printf("%-12s %-17s %12s %12s %12s %12s %7s %9s\n", "ns per state", "", "single min", "median",
         "batch min", "median", "gain", "error");
  const bool fine = measure_mechanism(mechanism_chain(7), &o) &&
                    measure_mechanism(mechanism_chain(30), &o) &&
                    measure_mechanism(mechanism_chain(100), &o) &&
                    measure_mechanism(mechanism_binary_tree(127), &o) &&
                    measure_mechanism(mechanism_humanoid(true), &o);
  if (o.json) fclose(o.json);
  return !fine;
}
