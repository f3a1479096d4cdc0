/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c -- n states at once.  States are taken `lanes` at a time; a short last block repeats its
   last state, which keeps masks out of the kernels. */
#include "model/model.h"
#include "tree/loops/force_balance.h"
#include "tree/loops/work.h"
#include "math/finite.h"
#include "linkwork/batch.h"

#include <math.h>

typedef struct {
  int n, first, count, lanes; /* states in all; this block starts at, has, could have */
} block;

static void gather(const block *b, int rows, const double *x, double *out)
{
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < b->lanes; k++) {
      const int state = b->first + (k < b->count ? k : b->count - 1);
      out[i * b->lanes + k] = x[(size_t)i * (size_t)b->n + (size_t)state];
    }
}

static void scatter(const block *b, int rows, const double *x, double *out)
{
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < b->count; k++)
      out[(size_t)i * (size_t)b->n + (size_t)(b->first + k)] = x[i * b->lanes + k];
}

static block next_block(const lw_work *w, int n, int first)
{
  const int lanes = w->kernels->lanes, left = n - first;
  return (block){n, first, left < lanes ? left : lanes, lanes};
}

static bool finite_inputs(const lw_model *m, const lw_work *w, const block *b, bool loaded)
{
  return lwi_all_finite(w->q, m->nq * b->lanes) && lwi_all_finite(w->u, m->nu * b->lanes) &&
         (!loaded || lwi_all_finite(w->in, m->nu * b->lanes));
}

/* ---- closed loops: one state after the other ---- */

typedef lw_status (*one_state)(lw_work *w, double t, const double q[], const double u[],
                               const double in[], double out[]);

/* A state that cannot be computed gets no numbers, and its status is the answer. */
static lw_status each_state(lw_work *w, one_state compute, int n, double t, const double q[],
                            const double u[], const double in[], double out[])
{
  const lw_model *m = lwi_work_model(w);
  lw_status st = LW_OK;
  double *now = w->step, *given = now + m->nu, *x = given + m->nu, *v = x + m->nq;
  if (w->kernels->lanes != 1) return LW_E_UNSUPPORTED;
  for (int k = 0; k < n; k++) {
    const block b = {n, k, 1, 1};
    gather(&b, m->nq, q, x);
    gather(&b, m->nu, u, v);
    if (in) gather(&b, m->nu, in, given);
    const lw_status one = compute(w, t, x, v, in ? given : NULL, now);
    for (int i = 0; i < m->nu && one != LW_OK; i++)
      now[i] = (double)NAN;
    scatter(&b, m->nu, now, out);
    if (one != LW_OK) st = one;
  }
  w->stage = LWI_STAGE_NOTHING;
  return st;
}

/* ---- open trees: as many states at once as the kernels have lanes ---- */

static lw_status each_block(lw_work *w, bool forward, int n, double t, const double q[],
                            const double u[], const double in[], double out[])
{
  const lw_model *m = lwi_work_model(w);
  lw_status st = LW_OK;
  w->stage = LWI_STAGE_NOTHING;
  for (int first = 0; first < n; first += w->kernels->lanes) {
    const block b = next_block(w, n, first);
    bool regular = true;
    gather(&b, m->nq, q, w->q);
    gather(&b, m->nu, u, w->u);
    if (in) gather(&b, m->nu, in, w->in);
    const double *given = in ? w->in : NULL;
    if (forward)
      regular = w->kernels->forward(m, w->tree, t, w->q, w->u, given, w->out);
    else
      w->kernels->inverse(m, w->tree, t, w->q, w->u, given, w->out);
    if (!regular) st = finite_inputs(m, w, &b, in != NULL) ? LW_E_SINGULAR : LW_E_NUMBER;
    const bool finite = lwi_all_finite(w->out, m->nu * b.lanes);
    if (st == LW_OK && !finite) st = LW_E_NUMBER;
    if (forward && lwi_balance_is_due(w) && regular && finite && !lwi_balance_tree(m, w, given))
      st = LW_E_SINGULAR;
    scatter(&b, m->nu, w->out, out);
  }
  return st;
}

/* ---- the public functions ---- */

static bool have_all(const lw_model *m, const lw_work *w, int n, const double q[], const double u[],
                     const double out[])
{
  return lwi_is_work(m, w) && n >= 0 && (!n || ((!m->nq || q) && (!m->nu || (u && out))));
}

lw_status lw_forward_dynamics_n(lw_work *w, int n, double t, const double q[], const double u[],
                                const double tau[], double udot[])
{
  const lw_model *m = lwi_work_model(w);
  if (!have_all(m, w, n, q, u, udot)) return LW_E_ARG;
  return lwi_is_constrained(m) ? each_state(w, lw_forward_dynamics, n, t, q, u, tau, udot)
                               : each_block(w, true, n, t, q, u, tau, udot);
}

lw_status lw_inverse_dynamics_n(lw_work *w, int n, double t, const double q[], const double u[],
                                const double udot[], double tau[])
{
  const lw_model *m = lwi_work_model(w);
  if (!have_all(m, w, n, q, u, tau)) return LW_E_ARG;
  return lwi_is_constrained(m) ? each_state(w, lw_inverse_dynamics, n, t, q, u, udot, tau)
                               : each_block(w, false, n, t, q, u, udot, tau);
}

/* Leaves no number in the matrices of states that are not finite; false if there are some. */
static bool check_states(const lw_model *m, const lw_work *w, const block *b, double M[])
{
  const size_t size = (size_t)m->nu * (size_t)m->nu;
  bool all = true;
  for (int k = 0; k < b->count; k++) {
    bool ok = true;
    for (int i = 0; i < m->nq; i++)
      ok = ok && isfinite(w->q[i * b->lanes + k]);
    for (size_t i = 0; i < size && !ok; i++)
      M[i * (size_t)b->n + (size_t)(b->first + k)] = (double)NAN;
    all = all && ok;
  }
  return all;
}

lw_status lw_mass_matrix_n(lw_work *w, int n, const double q[], double M[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || n < 0 || (n && ((m->nq && !q) || (m->nu && !M)))) return LW_E_ARG;
  lw_status st = LW_OK;
  w->stage = LWI_STAGE_NOTHING;
  for (int first = 0; first < n; first += w->kernels->lanes) {
    const block b = next_block(w, n, first);
    gather(&b, m->nq, q, w->q);
    w->kernels->mass_matrix(m, w->tree, w->q, M + first, (size_t)n, b.count);
    if (!check_states(m, w, &b, M)) st = LW_E_NUMBER;
  }
  return st;
}
