/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c -- time of matrices: the mass matrix and its inverse, a Jacobian, derivatives of
   inverse and of forward dynamics, beside the functions themselves.

     derivatives [--quick] [--json FILE] [--commit ID]

   "no 0": with lw_skip_zeros.  Derivatives of forward dynamics are all three matrices, by q, u and tau; the inverse of the mass
   matrix is the last of them alone. */
#include "linkwork_model.h"
#include "linkwork/derivatives.h"
#include "linkwork/quantities.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>

enum { NSTATE = 4, ROUNDS = 200 };

typedef struct {
  mechanism_state *states;
  lw_model *m;
  lw_work *w;
  lw_derivatives *d;
  lw_body last;
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

static lw_status mass_matrix(const bench_case *c, int k)
{
  return lw_mass_matrix(c->w, c->states[k].q, c->A);
}
static lw_status mass_rows(const bench_case *c, int k)
{
  return lw_mass_rows(c->w, c->states[k].q, c->A);
}
static lw_status inverse_mass_matrix(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  return lw_forward_dynamics_derivatives(c->d, 0, s->q, s->u, s->tau, c->x,
                                         &(lw_forward_matrices){.tau = c->A});
}
static lw_status kinematics_and_jacobian(const bench_case *c, int k)
{
  const mechanism_state *s = &c->states[k];
  const lw_status status = lw_kinematics(c->w, s->q, s->u);
  return status != LW_OK ? status : lw_jacobian(c->w, c->last, NULL, c->A);
}
static lw_status point_jacobian(const bench_case *c, int k)
{
  return lw_point_jacobian(c->w, c->states[k].q, c->last, NULL, c->A);
}
/* into an array that has the zeros already */
static lw_status nonzero_mass_matrix(const bench_case *c, int k)
{
  lw_skip_zeros(c->w, true);
  const lw_status status = mass_matrix(c, k);
  lw_skip_zeros(c->w, false);
  return status;
}
static lw_status nonzero_derivatives(const bench_case *c, int k)
{
  lw_skip_zeros(lw_derivatives_work(c->d), true);
  const lw_status status = inverse_derivatives(c, k);
  lw_skip_zeros(lw_derivatives_work(c->d), false);
  return status;
}

static const struct {
  const char *name, *key; /* in the table and in the file */
  quantity run;
} all[] = {{"inverse", "inverse_us", inverse_dynamics},
           {"d inverse", "inverse_derivatives_us", inverse_derivatives},
           {"forward", "forward_us", forward_dynamics},
           {"d forward", "forward_derivatives_us", forward_derivatives},
           {"direction", "one_direction_us", one_direction},
           {"M", "mass_matrix_us", mass_matrix},
           {"M rows", "mass_rows_us", mass_rows},
           {"M^-1", "inverse_mass_matrix_us", inverse_mass_matrix},
           {"Jacobian", "jacobian_us", kinematics_and_jacobian},
           {"of a point", "point_jacobian_us", point_jacobian},
           {"M, no 0", "mass_matrix_no_zeros_us", nonzero_mass_matrix},
           {"d inv, no 0", "inverse_derivatives_no_zeros_us", nonzero_derivatives}};
enum { NQUANTITY = sizeof all / sizeof *all };

/* the best of many rounds, or of those of a second, in seconds */
static double time_quantity(const bench_case *c, quantity run, bool quick)
{
  double best = HUGE_VAL, spent = 0;
  int calls = 1;
  for (int n = 0; n < (quick ? 1 : ROUNDS) && spent < 1; n++) {
    const double start = measure_now();
    for (int i = 0; i < calls; i++)
      if (run(c, i % NSTATE) != LW_OK) return HUGE_VAL;
    const double elapsed = measure_now() - start;
    spent += elapsed;
    if (elapsed / calls < best) best = elapsed / calls;
    if (elapsed < 1e-3 && !quick) calls *= 2, n--;
  }
  return best;
}

static bool report(const mechanism *mech, const bench_case *c, const measure_run *r)
{
  bool ok = true;
  printf("%-16s %4d", mech->name, mech->nu);
  if (r->json) fprintf(r->json, "{\"mechanism\":\"%s\",\"nu\":%d", mech->name, mech->nu);
  for (int i = 0; i < NQUANTITY; i++) {
    const double t = 1e6 * time_quantity(c, all[i].run, r->quick);
    ok = ok && isfinite(t);
    printf(" %11.2f", t);
    if (r->json) fprintf(r->json, ",\"%s\":%.4g", all[i].key, t);
  }
  printf("\n");
  if (r->json) fprintf(r->json, "}\n");
  return ok;
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
  c.x = malloc((n + 3 * n * (n + 6)) * sizeof(double));
  if (!c.states || !c.m || !c.w || !c.d || !c.x) goto done;
  c.A = c.x + n;
  c.B = c.A + n * (n + 6);
  c.C = c.B + n * n;
  c.last = (lw_body){mech->nbody};
  ok = report(mech, &c, r);
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
  printf("microseconds per call, best\n%-16s %4s", "", "nu");
  for (int i = 0; i < NQUANTITY; i++)
    printf(" %11s", all[i].name);
  printf("\n");
  const bool ok = measure(mechanism_chain(7), &r) && measure(mechanism_chain(30), &r) &&
                  measure(mechanism_chain(100), &r) && measure(mechanism_humanoid(true), &r) &&
                  measure(mechanism_binary_tree(127), &r) && measure(mechanism_chain(1000), &r) &&
                  measure(mechanism_binary_tree(1000), &r);
  if (r.json) fclose(r.json);
  return ok ? 0 : 1;
}
