/* SPDX-License-Identifier: Apache-2.0 */
/* solve.c -- passes over the plan, on one thread or on many; forward dynamics. */
#include "dca/dca.h"

#ifdef LWI_OPENMP
#include <omp.h>
#endif

/* ---- loads that are known ---- */

/* Where everything is; kernels, work and closure are those of the caller. */
static void place(lw_dca *d, lw_work *w, double t, const double *q, const double *u)
{
  d->kernels = w->kernels;
  d->work = w->tree;
  d->closure = w->closure;
  w->kernels->kinematics(d->m, w->tree, q, u);
  if (w->closure) lwi_closure_place(d->m, w, t);
}

/* The forces of the model; motors, joint springs and tau added up. */
static void find_forces(lw_dca *d, lw_work *w, double t, const double *q, const double *u,
                        const double *tau)
{
  const lw_model *m = d->m;
  const bool own = m->nmotor + m->njoint_spring > 0;
  d->driven = own || tau;
  if (own || d->pushed) w->kernels->forces(m, w->tree, t, q, u, d->tau);
  if (w->closure) lwi_closure_push_motors(m, w);
  if (!tau) return;
  for (int i = 0; i < m->nu; i++)
    d->tau[i] = (own ? d->tau[i] : 0) + tau[i];
}

/* ---- the solution ---- */

static inline lw_status go_in(lw_dca *d, int first, int last, double *scratch)
{
  if (d->pass != LWI_DCA_SWEEP) return d->code->assemble(d, first, last, scratch);
  d->code->sweep(d, first, last, scratch);
  return LW_OK;
}

/* of several failures the worst, so that it does not depend on who comes first */
static inline lw_status worse(lw_status a, lw_status b)
{
  return (int)a > (int)b ? a : b;
}

static lw_status solve_serially(lw_dca *d, const lwi_dca_kernels *k)
{
  const lw_status status = go_in(d, 0, d->nstep - 1, d->scratch[0]);
  if (status != LW_OK || d->pass == LWI_DCA_FACTOR) return status;
  k->disassemble(d, 0, d->nstep - 1);
  k->accelerate(d, 1, d->m->nlink - 1);
  return LW_OK;
}

#ifdef LWI_OPENMP
/* The assemblies outside blocks, level by level, and back.  With few threads one of them is done
   with all before the others have met at a barrier. */
static lw_status solve_outer(lw_dca *d, const lwi_dca_kernels *k, double *scratch)
{
  const int few = 8;
  const bool back = d->pass != LWI_DCA_FACTOR;
  lw_status status = LW_OK;
  if (d->nthread <= few) {
#pragma omp single
    {
      for (int i = 0; i < d->level[d->nlevel]; i++)
        status = worse(status, go_in(d, d->outer[i], d->outer[i], scratch));
      for (int i = d->level[d->nlevel] - 1; back && i >= 0; i--)
        k->disassemble(d, d->outer[i], d->outer[i]);
    }
    return status;
  }
  for (int l = 0; l < d->nlevel; l++) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      status = worse(status, go_in(d, d->outer[i], d->outer[i], scratch));
  }
  for (int l = d->nlevel - 1; back && l >= 0; l--) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      k->disassemble(d, d->outer[i], d->outer[i]);
  }
  return status;
}

/* Blocks side by side, what is outside them, blocks again.  Who computes a block, and when, changes no
   number. */
static lw_status solve_in_parallel(lw_dca *d, const lwi_dca_kernels *k)
{
  const bool back = d->pass != LWI_DCA_FACTOR;
  const int n = d->m->nlink - 1, chunk = 1 + n / (8 * d->nthread);
  const int nback = back ? d->nblock : 0, nlink = back ? n : 0;
  int worst = LW_OK;
#pragma omp parallel num_threads(d->nthread) reduction(max : worst)
  {
    lw_status status = LW_OK;
    double *scratch = d->scratch[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      status = worse(status, go_in(d, d->block[b].first, d->block[b].last, scratch));
    status = worse(status, solve_outer(d, k, scratch));
    worst = (int)status;
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < nback; b++)
      k->disassemble(d, d->block[b].first, d->block[b].last);
#pragma omp for schedule(static)
    for (int i = 1; i <= nlink; i += chunk)
      k->accelerate(d, i, i + chunk - 1 < n ? i + chunk - 1 : n);
  }
  return (lw_status)worst;
}
#endif

static bool all_finite(const double *x, int n)
{
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite = finite && isfinite(x[i]);
  return finite;
}

lw_status lwi_dca_solve(lw_dca *d, lwi_dca_pass pass)
{
  d->pass = pass;
  d->solved += pass != LWI_DCA_SWEEP;
#ifdef LWI_OPENMP
  const lw_status status =
      d->nthread > 1 ? solve_in_parallel(d, d->code) : solve_serially(d, d->code);
#else
  const lw_status status = solve_serially(d, d->code);
#endif
  if (status != LW_OK || pass == LWI_DCA_FACTOR) return status;
  lwi_dca_gather_relations(d);
  return all_finite(d->udot, d->m->nu) ? LW_OK : LW_E_NUMBER;
}

lw_status lwi_dca_factor(lw_dca *d, lw_work *w, double t, const double q[], const double u[])
{
  const lw_model *m = d->m;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!all_finite(q, m->nq) || (u && !all_finite(u, m->nu)) || !isfinite(t)) return LW_E_NUMBER;
  if (!u && m->nu) memset(w->u, 0, (size_t)m->nu * sizeof(double));
  place(d, w, t, q, u ? u : w->u);
  d->pull = 0;
  const lw_status status = lwi_dca_solve(d, LWI_DCA_FACTOR);
  if (status != LW_OK) return status;
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_FACTORED;
  return LW_OK;
}

lw_status lwi_dca_forward(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                          const double tau[], double pull)
{
  const lw_model *m = d->m;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!all_finite(q, m->nq) || !all_finite(u, m->nu) || !isfinite(t) ||
      (tau && !all_finite(tau, m->nu)))
    return LW_E_NUMBER;
  place(d, w, t, q, u);
  find_forces(d, w, t, q, u, tau);
  d->pull = pull;
  lw_status status = lwi_dca_solve(d, LWI_DCA_FORWARD);
  if (status == LW_OK && d->checked) status = lwi_dca_correct(d);
  if (status != LW_OK) return status;
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_MOTION;
  return LW_OK;
}

lw_status lw_dca_forward_dynamics(lw_dca *d, const lw_model *m, lw_work *w, double t,
                                  const double q[], const double u[], const double tau[],
                                  double udot[])
{
  if (!d || d->m != m || !w || w->kernels->lanes != 1 || (m->nq && !q) || (m->nu && (!u || !udot)))
    return LW_E_ARG;
  const lw_status status = lwi_dca_forward(d, w, t, q, u, tau, 0);
  if (status == LW_OK && m->nu) memcpy(udot, d->udot, (size_t)m->nu * sizeof *udot);
  return status;
}
