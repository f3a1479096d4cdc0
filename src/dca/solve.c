/* SPDX-License-Identifier: Apache-2.0 */
/* solve.c -- passes over the plan, on one thread or on many; forward dynamics. */
#include "dca/dca.h"

#ifdef LWI_OPENMP
#include <omp.h>
#endif

/* ---- loads that are known ---- */

/* Kinematics, and the forces of the model; motors, joint springs and tau added up. */
static void find_forces(lw_dca *d, lw_work *w, double t, const double *q, const double *u,
                        const double *tau)
{
  const lw_model *m = d->m;
  const bool own = m->nmotor + m->njoint_spring > 0;
  d->kernels = w->kernels;
  d->work = w->tree;
  d->driven = own || tau;
  w->kernels->kinematics(m, w->tree, q, u);
  if (own || d->pushed) w->kernels->forces(m, w->tree, t, q, u, d->tau);
  if (!tau) return;
  for (int i = 0; i < m->nu; i++)
    d->tau[i] = (own ? d->tau[i] : 0) + tau[i];
}

/* ---- the solution ---- */

/* inwards: false if something is not finite */
static inline bool go_in(lw_dca *d, int first, int last, double *scratch)
{
  if (d->pass != LWI_DCA_SWEEP) return d->code->assemble(d, first, last, scratch);
  d->code->sweep(d, first, last, scratch);
  return true;
}

static bool solve_serially(lw_dca *d, const lwi_dca_kernels *k)
{
  if (!go_in(d, 0, d->nstep - 1, d->scratch[0])) return false;
  if (d->pass == LWI_DCA_FACTOR) return true;
  k->disassemble(d, 0, d->nstep - 1);
  k->accelerate(d, 1, d->m->nlink - 1);
  return true;
}

#ifdef LWI_OPENMP
/* The assemblies outside blocks, level by level, and back.  With few threads one of them is done
   with all before the others have met at a barrier. */
static int solve_outer(lw_dca *d, const lwi_dca_kernels *k, double *scratch)
{
  const int few = 8;
  const bool back = d->pass != LWI_DCA_FACTOR;
  int failures = 0;
  if (d->nthread <= few) {
#pragma omp single
    {
      for (int i = 0; i < d->level[d->nlevel]; i++)
        failures += !go_in(d, d->outer[i], d->outer[i], scratch);
      for (int i = d->level[d->nlevel] - 1; back && i >= 0; i--)
        k->disassemble(d, d->outer[i], d->outer[i]);
    }
    return failures;
  }
  for (int l = 0; l < d->nlevel; l++) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      failures += !go_in(d, d->outer[i], d->outer[i], scratch);
  }
  for (int l = d->nlevel - 1; back && l >= 0; l--) {
#pragma omp for schedule(dynamic, 1)
    for (int i = d->level[l]; i < d->level[l + 1]; i++)
      k->disassemble(d, d->outer[i], d->outer[i]);
  }
  return failures;
}

/* Blocks side by side, what is outside them, blocks again.  Who computes a block, and when, changes no
   number. */
static bool solve_in_parallel(lw_dca *d, const lwi_dca_kernels *k)
{
  const bool back = d->pass != LWI_DCA_FACTOR;
  const int n = d->m->nlink - 1, chunk = 1 + n / (8 * d->nthread);
  const int nback = back ? d->nblock : 0, nlink = back ? n : 0;
  int failures = 0;
#pragma omp parallel num_threads(d->nthread) reduction(+ : failures)
  {
    double *scratch = d->scratch[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < d->nblock; b++)
      failures += !go_in(d, d->block[b].first, d->block[b].last, scratch);
    failures += solve_outer(d, k, scratch);
#pragma omp for schedule(dynamic, 1)
    for (int b = 0; b < nback; b++)
      k->disassemble(d, d->block[b].first, d->block[b].last);
#pragma omp for schedule(static)
    for (int i = 1; i <= nlink; i += chunk)
      k->accelerate(d, i, i + chunk - 1 < n ? i + chunk - 1 : n);
  }
  return failures == 0;
}
#endif

static bool all_finite(const double *x, int n)
{
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite = finite && isfinite(x[i]);
  return finite;
}

bool lwi_dca_solve(lw_dca *d, lwi_dca_pass pass)
{
  d->pass = pass;
#ifdef LWI_OPENMP
  const bool finite = d->nthread > 1 ? solve_in_parallel(d, d->code) : solve_serially(d, d->code);
#else
  const bool finite = solve_serially(d, d->code);
#endif
  return finite && (pass == LWI_DCA_FACTOR || all_finite(d->udot, d->m->nu));
}

lw_status lwi_dca_factor(lw_dca *d, lw_work *w, double t, const double q[], const double u[])
{
  const lw_model *m = d->m;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!all_finite(q, m->nq) || (u && !all_finite(u, m->nu)) || !isfinite(t)) return LW_E_NUMBER;
  if (!u && m->nu) memset(w->u, 0, (size_t)m->nu * sizeof(double));
  d->kernels = w->kernels;
  d->work = w->tree;
  w->kernels->kinematics(m, w->tree, q, u ? u : w->u);
  if (!lwi_dca_solve(d, LWI_DCA_FACTOR)) return LW_E_NUMBER;
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_FACTORED;
  return LW_OK;
}

lw_status lw_dca_forward_dynamics(lw_dca *d, const lw_model *m, lw_work *w, double t,
                                  const double q[], const double u[], const double tau[],
                                  double udot[])
{
  if (!d || d->m != m || !w || w->kernels->lanes != 1 || (m->nq && !q) || (m->nu && (!u || !udot)))
    return LW_E_ARG;
  d->stage = LWI_DCA_NOTHING;
  w->stage = LWI_STAGE_NOTHING;
  if (!all_finite(q, m->nq) || !all_finite(u, m->nu) || !isfinite(t) ||
      (tau && !all_finite(tau, m->nu)))
    return LW_E_NUMBER;
  find_forces(d, w, t, q, u, tau);
  if (!lwi_dca_solve(d, LWI_DCA_FORWARD)) return LW_E_NUMBER;
  if (m->nu) memcpy(udot, d->udot, (size_t)m->nu * sizeof *udot);
  w->stage = LWI_STAGE_KINEMATICS;
  d->stage = LWI_DCA_MOTION;
  return LW_OK;
}
