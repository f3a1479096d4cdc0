/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.c -- derivatives by the state: checks, and the choice of the way. */
#include "tree/derivatives.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the room ---- */

static lw_derivatives *carve(const lw_model *m, const lwi_kernels *k, lwi_carver *c)
{
  lw_derivatives *at = LWI_CARVE(c, 1, lw_derivatives);
  const lw_derivatives d = {
      .tree = k->carve_derivatives(m, c),
      .udot = LWI_CARVE(c, m->nu, double),
      .tau = LWI_CARVE(c, m->nu, double),
  };
  if (at) *at = d;
  return at;
}

lw_derivatives *lw_derivatives_new(const lw_model *m)
{
  if (!m) return NULL;
  const lwi_kernels *k = lwi_kernels_single();
  lwi_carver measure = {0};
  carve(m, k, &measure);
  const size_t size = (measure.used + 63) & ~(size_t)63;
  lw_work *w = lw_work_new(m);
  void *mem = w ? aligned_alloc(64, size) : NULL;
  if (!mem) return lw_work_free(w), NULL;
  memset(mem, 0, size);
  lwi_carver c = {.base = mem};
  lw_derivatives *d = carve(m, k, &c);
  k->prepare_derivatives(m, d->tree);
  d->work = w;
  d->block = mem;
  return d;
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

/* ---- by the state ---- */

lw_status lw_inverse_dynamics_derivatives(const lw_model *m, lw_derivatives *d, double t,
                                          const double q[], const double u[], const double udot[],
                                          double tau_q[], double tau_u[], double tau_udot[])
{
  if (!m || !d || lwi_is_tied(m)) return LW_E_ARG;
  const lw_status status = lw_inverse_dynamics(m, d->work, t, q, u, udot, d->tau);
  if (status != LW_OK) return status;
  d->work->kernels->derive_inverse(m, d->work->tree, d->tree, q, u, udot, tau_q, tau_u, tau_udot);
  return LW_OK;
}

lw_status lw_forward_dynamics_derivatives(const lw_model *m, lw_derivatives *d, double t,
                                          const double q[], const double u[], const double tau[],
                                          double udot[], double udot_q[], double udot_u[],
                                          double udot_tau[])
{
  if (!m || !d || lwi_is_tied(m)) return LW_E_ARG;
  const lw_status status = lw_forward_dynamics(m, d->work, t, q, u, tau, d->udot);
  if (status != LW_OK) return status;
  d->work->kernels->derive_forward(m, d->work->tree, d->tree, q, u, d->udot, udot_q, udot_u,
                                   udot_tau);
  d->work->stage = LWI_STAGE_LOADS;
  if (udot && m->nu) memcpy(udot, d->udot, (size_t)m->nu * sizeof(double));
  return LW_OK;
}
