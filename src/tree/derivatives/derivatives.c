/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c -- creates and frees lw_derivatives; matrices of derivatives by the state, and
   derivatives by parameters. */
#include "tree/loops/derivative_data.h"
#include "base/fail.h"
#include "model/compile/model_derivative.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static lw_derivatives *carve(const lw_model *m, const lwi_kernels *k, bool matrices, lwi_carver *c)
{
  lw_derivatives *at = LWI_CARVE(c, 1, lw_derivatives);
  const lw_derivatives d = {
      .tree = k->carve_derivatives(m, c, matrices),
      .matrices = matrices,
      .q = LWI_CARVE(c, m->nq, double),
      .u = LWI_CARVE(c, m->nu, double),
      .udot = LWI_CARVE(c, m->nu, double),
      .zero = LWI_CARVE(c, m->nu, double),
      .unit = LWI_CARVE(c, m->nu, double),
      .tau = LWI_CARVE(c, m->nu, double),
      .tau_p = LWI_CARVE(c, m->nu, double),
      .udot_p = LWI_CARVE(c, m->nu, double),
      .q_p = LWI_CARVE(c, m->nq + m->ncut_q, double),
      .u_p = LWI_CARVE(c, m->nu + m->ncut_u, double),
      .cut_tau_p = LWI_CARVE(c, m->ncut_u, double),
      .given1 = LWI_CARVE(c, m->nu, double),
      .other = LWI_CARVE(c, m->nu, double),
      .start = LWI_CARVE(c, 3 * m->nu, double),
      .nearest = LWI_CARVE(c, 6 * m->nu, double),
      .closure = lwi_closure_derivative_carve(m, c),
  };
  if (at) *at = d;
  return at;
}

lw_derivatives *lwi_derivatives_scratch(const lw_model *m, const lwi_kernels *k, bool matrices)
{
  lwi_carver measure = {0};
  carve(m, k, matrices, &measure);
  const size_t size = (measure.used + 63) & ~(size_t)63;
  void *mem = aligned_alloc(64, size);
  if (!mem) return NULL;
  memset(mem, 0, size);
  lwi_carver c = {.base = mem};
  lw_derivatives *d = carve(m, k, matrices, &c);
  k->prepare_derivatives(m, d->tree);
  d->block = mem;
  return d;
}

static lw_derivatives *new_with(const lw_model *m, const lwi_kernels *k, bool matrices)
{
  if (!m) return NULL;
  lw_work *w = lwi_work_new_with(m, k);
  lw_derivatives *d = w ? lwi_derivatives_scratch(m, k, matrices) : NULL;
  if (!d) return lw_work_free(w), NULL;
  d->work = w;
  /* the solution of a closed mechanism is differentiated as cut joints compute it */
  d->open = lw_set_loops(w, LW_LOOPS_CUT);
  if (d->open == LW_E_UNSUPPORTED && !m->tree_constraints.local) d->open = LW_E_SINGULAR;
  return d;
}

lw_derivatives *lwi_derivatives_new_with(const lw_model *m, const lwi_kernels *k)
{
  return new_with(m, k, true);
}

lw_derivatives *lw_derivatives_new(const lw_model *m)
{
  return new_with(m, lwi_kernels_single(), true);
}

lw_derivatives *lw_derivatives_new_along(const lw_model *m)
{
  return new_with(m, lwi_kernels_single(), false);
}

void lw_derivatives_free(lw_derivatives *d)
{
  if (!d) return;
  lw_work_free(d->work);
  free(d->block);
}

lw_work *lw_derivatives_work(lw_derivatives *d)
{
  return d ? d->work : NULL;
}

/* ---- by a parameter ---- */

lw_model_derivative *lw_model_derivative_new(const lw_model *m, const char *parameter,
                                             lw_error *err)
{
  if (!m || !m->spec || !parameter)
    return lwi_fail(err, LW_E_ARG, "lw_model_derivative_new: no model that knows its spec"), NULL;
  const int index = lwi_find_parameter(m, parameter);
  if (index < 0) return lwi_fail(err, LW_E_ARG, "there is no parameter \"%.64s\"", parameter), NULL;
  lw_model_derivative *model_p = malloc(sizeof *model_p);
  if (!model_p) return lwi_out_of_memory(err, NULL), NULL;
  model_p->derivative = lwi_model_derivative(m->spec, m, index, err);
  if (model_p->derivative) return model_p;
  free(model_p);
  return NULL;
}

void lw_model_derivative_free(lw_model_derivative *s)
{
  if (!s) return;
  lw_model_free(s->derivative);
  free(s);
}

/* ---- closed mechanisms: column by column ---- */

/* the columns of one kind of direction; NULL: not wanted */
static void derive_columns(const lw_model *m, lw_derivatives *d, bool forward, lwi_direction x,
                           double *out)
{
  for (int k = 0; k < m->nu && out; k++) {
    d->unit[k] = 1;
    if (forward)
      lwi_derivative_forward(m, d, &x);
    else
      lwi_derivative_required_tau(m, d, &x, d->udot_p);
    for (int i = 0; i < m->nu; i++)
      out[(size_t)i * (size_t)m->nu + (size_t)k] = d->udot_p[i];
    d->unit[k] = 0;
  }
}

static void derive_all(const lw_model *m, lw_derivatives *d, bool forward, double by_q[],
                       double by_u[], double by_last[])
{
  const lwi_direction locked = {.motion = d->zero, .u = d->zero, .tau = d->zero};
  lwi_direction x = locked;
  x.motion = d->unit;
  derive_columns(m, d, forward, x, by_q);
  x = locked;
  x.u = d->unit;
  derive_columns(m, d, forward, x, by_u);
  x = locked;
  if (forward)
    x.tau = d->unit;
  else
    x.udot = d->unit;
  derive_columns(m, d, forward, x, by_last);
}

/* ---- by the state ---- */

lw_status lw_inverse_dynamics_derivatives(lw_derivatives *d, double t, const double q[],
                                          const double u[], const double udot[],
                                          const lw_inverse_matrices *by)
{
  const lw_inverse_matrices nothing = {0};
  if (!by) by = &nothing;
  const lw_model *m = lwi_derivatives_model(d);
  if (!d || !lwi_is_work(m, d->work)) return LW_E_ARG;
  if (!d->matrices) return LW_E_UNSUPPORTED;
  const lw_status status = lwi_derive_required_tau(m, d, t, q, u, udot);
  if (status != LW_OK) return status;
  if (d->work->closure)
    derive_all(m, d, false, by->q, by->u, by->udot);
  else
    d->work->kernels->derive_inverse(m, d->work->tree, d->tree, q, u, d->udot, by);
  d->work->stage = d->work->closure ? LWI_STAGE_ACCELERATIONS : LWI_STAGE_LOADS;
  return LW_OK;
}

lw_status lw_forward_dynamics_derivatives(lw_derivatives *d, double t, const double q[],
                                          const double u[], const double tau[], double udot[],
                                          const lw_forward_matrices *by)
{
  const lw_forward_matrices nothing = {0};
  if (!by) by = &nothing;
  const lw_model *m = lwi_derivatives_model(d);
  if (d && !d->matrices) return LW_E_UNSUPPORTED;
  const lw_status status = lw_linearize_forward(d, t, q, u, tau, udot);
  if (status != LW_OK) return status;
  if (d->work->closure)
    derive_all(m, d, true, by->q, by->u, by->tau);
  else
    d->work->kernels->derive_forward(m, d->work->tree, d->tree, d->q, d->u, d->udot, by);
  return LW_OK;
}
