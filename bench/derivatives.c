/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c -- time of derivatives of inverse and forward dynamics beside the functions themselves.

     derivatives [--quick] [--json FILE] [--commit ID]

   Derivatives of forward dynamics are all three matrices, by q, u and tau. */
#include "linkwork_model.h"
#include "linkwork/derivatives.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>

enum { NSTATE = 4, ROUNDS = 200 };

typedef struct {
  mechanism_state *states;
  lw_model *m;
  lw_work *w;
  lw_derivatives *d;
  double *x, *A, *B, *C;
} bench_case;

typedef lw_status (*quantity)(const bench_case *c, int k);

static lw_status inverse_dynamics(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_inverse_dynamics(c->w, 0, s->q, s->u, s->udot, c->x);
}
static lw_status forward_dynamics(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_forward_dynamics(c->w, 0, s->q, s->u, s->tau, c->x);
}
static lw_status inverse_derivatives(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_inverse_dynamics_derivatives(c->d, 0, s->q, s->u, s->udot,
                                         &(lw_inverse_matrices){c->A, c->B, c->C});
}
static lw_status forward_derivatives(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_forward_dynamics_derivatives(c->d, 0, s->q, s->u, s->tau, c->x,
                                         &(lw_forward_matrices){c->A, c->B, c->C});
}

/* one more direction at a state that is linearised already */
static lw_status one_direction(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_forward_derivative(c->d, &(lw_direction){.motion = s->u, .u = s->udot}, c->x);
}

/* the best of many rounds, in seconds */
static double time_quantity(const bench_case *c, quantity run, bool quick)
{
  double best = HUGE_VAL;
  int calls = 1;
  for (int n = 0; n < (quick ? 1 : ROUNDS); n++) {
    const double start = measure_now();
    for (int i = 0; i < calls; i++)
      if (run(c, i % NSTATE) != LW_OK) return HUGE_VAL;
    const double elapsed = measure_now() - start;
    if (elapsed / calls < best) best = elapsed / calls;
    if (elapsed < 1e-3 && !quick) calls *= 2, n--;
  }
  return best;
}

static bool measure(mechanism *mech, const measure_run *r)
{
  bool ok = false;
  bench_case c = {0};
  if (!mech) return false;
  const size_t n = (size_t)mech->nu;
  c.states = mechanism_states(mech, NSTATE, 1);
  c.m = linkwork_model(mech);
  c.w = lw_work_new(c.m);
  c.d = lw_derivatives_new(c.m);
  c.x = malloc((n + 3 * n * n) * sizeof(double));
  if (!c.states || !c.m || !c.w || !c.d || !c.x) goto done;
  c.A = c.x + n;
  c.B = c.A + n * n;
  c.C = c.B + n * n;
  const quantity all[5] = {inverse_dynamics, inverse_derivatives, forward_dynamics,
                           forward_derivatives, one_direction};
  double t[5];
  for (int i = 0; i < 5; i++)
    t[i] = 1e6 * time_quantity(&c, all[i], r->quick);
  printf("%-16s %4zu  %9.2f %12.2f %9.2f %12.2f %8.1f %10.2f\n", mech->name, n, t[0], t[1], t[2],
         t[3], t[3] / t[2], t[4]);
  if (r->json)
    fprintf(r->json,
            "{\"mechanism\":\"%s\",\"nu\":%zu,\"inverse_us\":%.4g,\"inverse_derivatives_us\":%.4g,"
            "\"forward_us\":%.4g,\"forward_derivatives_us\":%.4g,\"one_direction_us\":%.4g}\n",
            mech->name, n, t[0], t[1], t[2], t[3], t[4]);
  ok = isfinite(t[0] + t[1] + t[2] + t[3] + t[4]);
done:
  free(c.x);
  lw_derivatives_free(c.d);
  lw_work_free(c.w);
  lw_model_free(c.m);
  free(c.states);
  mechanism_free(mech);
  return ok;
}

int main(int argc, char **argv)
{
  measure_run r;
  if (!measure_start(&r, "derivatives", argc, argv)) return 2;
  printf("microseconds a call, best\n%-16s %4s  %9s %12s %9s %12s %8s %10s\n", "", "nu", "inverse",
         "derivatives", "forward", "derivatives", "ratio", "direction");
  const bool ok = measure(mechanism_chain(7), &r) && measure(mechanism_chain(30), &r) &&
                  measure(mechanism_chain(100), &r) && measure(mechanism_humanoid(true), &r) &&
                  measure(mechanism_binary_tree(127), &r);
  if (r.json) fclose(r.json);
  return ok ? 0 : 1;
}
