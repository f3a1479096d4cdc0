/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c -- n states at once.  States are taken `lanes` at a time; a short last block repeats its
   last state, which keeps masks out of the kernels. */
#include "model/model.h"
#include "tree/loops/force_balance.h"
#include "tree/loops/work.h"
#include "math/finite.h"
#include "linkwork/batch.h"
#include "linkwork/quantities.h"

#include <math.h>
#include <string.h>

/* How states are stored: coordinate by coordinate, [i*n + k], or state by state, [k*size + i]. */
typedef enum { BY_COORDINATE, BY_STATE } layout;

typedef struct {
  int n, first, count, lanes; /* states in all; this block starts at, has, could have */
  layout stored;
} block;

static size_t place_of(const block *b, int size, int i, int state)
{
  return b->stored == BY_STATE ? (size_t)state * (size_t)size + (size_t)i
                               : (size_t)i * (size_t)b->n + (size_t)state;
}

/* a whole block of the widest lanes, coordinate by coordinate: one vector each */
enum { WIDEST = 8 };
static bool is_whole(const block *b)
{
  return b->stored == BY_COORDINATE && b->count == WIDEST;
}
static void gather_whole(const block *b, int size, const double *x, double *out)
{
  const double *from = x + b->first;
  for (int i = 0; i < size; i++, from += b->n, out += WIDEST)
    memcpy(out, from, WIDEST * sizeof *out);
}

static void gather(const block *b, int size, const double *x, double *out)
{
  if (is_whole(b)) {
    gather_whole(b, size, x, out);
    return;
  }
  for (int i = 0; i < size; i++)
    for (int k = 0; k < b->lanes; k++) {
      const int state = b->first + (k < b->count ? k : b->count - 1);
      out[i * b->lanes + k] = x[place_of(b, size, i, state)];
    }
}

static void scatter(const block *b, int size, const double *x, double *out)
{
  double *to = out + b->first;
  if (is_whole(b)) {
    for (int i = 0; i < size; i++, to += b->n, x += WIDEST)
      memcpy(to, x, WIDEST * sizeof *to);
    return;
  }
  for (int i = 0; i < size; i++)
    for (int k = 0; k < b->count; k++)
      out[place_of(b, size, i, b->first + k)] = x[i * b->lanes + k];
}

static block next_block(const lw_work *w, int n, int first, layout stored)
{
  const int lanes = w->kernels->lanes, left = n - first;
  return (block){n, first, left < lanes ? left : lanes, lanes, stored};
}

static bool finite_inputs(const lw_model *m, const lw_work *w, const block *b, bool loaded)
{
  return lwi_all_finite(w->q, m->nq * b->lanes) && lwi_all_finite(w->u, m->nu * b->lanes) &&
         (!loaded || lwi_all_finite(w->in, m->nu * b->lanes));
}

/* n states, their inputs and results. */
typedef struct {
  int n;
  layout stored;
  double t;
  const double *q, *u, *in;
  double *out;
} states;

/* ---- closed loops: one state after the other ---- */

typedef lw_status (*one_state)(lw_work *w, double t, const double q[], const double u[],
                               const double in[], double out[]);

/* A state that cannot be computed gets no numbers; its status says why. */
static lw_status each_state(lw_work *w, one_state compute, const states *s)
{
  const lw_model *m = lwi_work_model(w);
  lw_status st = LW_OK;
  double *now = w->step, *given = now + m->nu, *x = given + m->nu, *v = x + m->nq;
  if (w->kernels->lanes != 1) return LW_E_UNSUPPORTED;
  for (int k = 0; k < s->n; k++) {
    const block b = {s->n, k, 1, 1, s->stored};
    gather(&b, m->nq, s->q, x);
    gather(&b, m->nu, s->u, v);
    if (s->in) gather(&b, m->nu, s->in, given);
    const lw_status one = compute(w, s->t, x, v, s->in ? given : NULL, now);
    for (int i = 0; i < m->nu && one != LW_OK; i++)
      now[i] = (double)NAN;
    scatter(&b, m->nu, now, s->out);
    if (one != LW_OK) st = one;
  }
  w->stage = LWI_STAGE_NOTHING;
  return st;
}

/* ---- open trees: as many states at once as the kernels have lanes ---- */

static lw_status each_block(lw_work *w, bool forward, const states *s)
{
  const lw_model *m = lwi_work_model(w);
  lw_status st = LW_OK;
  w->stage = LWI_STAGE_NOTHING;
  for (int first = 0; first < s->n; first += w->kernels->lanes) {
    const block b = next_block(w, s->n, first, s->stored);
    bool regular = true;
    gather(&b, m->nq, s->q, w->q);
    gather(&b, m->nu, s->u, w->u);
    if (s->in) gather(&b, m->nu, s->in, w->in);
    const double *given = s->in ? w->in : NULL;
    if (forward)
      regular = w->kernels->forward(m, w->tree, s->t, w->q, w->u, given, w->out);
    else
      w->kernels->inverse(m, w->tree, s->t, w->q, w->u, given, w->out);
    if (!regular) st = finite_inputs(m, w, &b, s->in != NULL) ? LW_E_SINGULAR : LW_E_NUMBER;
    const bool finite = lwi_all_finite(w->out, m->nu * b.lanes);
    if (st == LW_OK && !finite) st = LW_E_NUMBER;
    if (forward && lwi_balance_is_due(w) && regular && finite && !lwi_balance_tree(m, w, given))
      st = LW_E_SINGULAR;
    scatter(&b, m->nu, w->out, s->out);
  }
  return st;
}

/* ---- the public functions ---- */

static lw_status compute(lw_work *w, bool forward, const states *s)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || s->n < 0) return LW_E_ARG;
  if (s->n && ((m->nq && !s->q) || (m->nu && (!s->u || !s->out)))) return LW_E_ARG;
  if (!lwi_is_constrained(m)) return each_block(w, forward, s);
  return each_state(w, forward ? lw_forward_dynamics : lw_inverse_dynamics, s);
}

lw_status lw_forward_dynamics_n(lw_work *w, int n, double t, const double q[], const double u[],
                                const double tau[], double udot[])
{
  return compute(w, true, &(states){n, BY_COORDINATE, t, q, u, tau, udot});
}

lw_status lw_inverse_dynamics_n(lw_work *w, int n, double t, const double q[], const double u[],
                                const double udot[], double tau[])
{
  return compute(w, false, &(states){n, BY_COORDINATE, t, q, u, udot, tau});
}

lw_status lw_forward_dynamics_rows(lw_work *w, int n, double t, const double q[], const double u[],
                                   const double tau[], double udot[])
{
  return compute(w, true, &(states){n, BY_STATE, t, q, u, tau, udot});
}

lw_status lw_inverse_dynamics_rows(lw_work *w, int n, double t, const double q[], const double u[],
                                   const double udot[], double tau[])
{
  return compute(w, false, &(states){n, BY_STATE, t, q, u, udot, tau});
}

/* Leaves no number among the `size` results of states that are not finite; false if there are some. */
static bool check_states(const lw_model *m, const lw_work *w, const block *b, size_t size,
                         double M[])
{
  if (lwi_all_finite(w->q, m->nq * b->lanes)) return true;
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

/* full: nu x nu, else rows without zeros */
static lw_status mass_of_each(lw_work *w, bool full, int n, const double q[], double M[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || n < 0 || (n && ((m->nq && !q) || (m->nu && !M)))) return LW_E_ARG;
  const size_t size = full ? (size_t)m->nu * (size_t)m->nu : m->nentry;
  lw_status st = LW_OK;
  w->stage = LWI_STAGE_NOTHING;
  for (int first = 0; first < n; first += w->kernels->lanes) {
    const block b = next_block(w, n, first, BY_COORDINATE);
    gather(&b, m->nq, q, w->q);
    if (full)
      w->kernels->mass_matrix(m, w->tree, w->q, M + first, (size_t)n, b.count);
    else
      w->kernels->mass_rows(m, w->tree, w->q, M + first, (size_t)n, b.count);
    if (!check_states(m, w, &b, size, M)) st = LW_E_NUMBER;
  }
  return st;
}

lw_status lw_mass_matrix_n(lw_work *w, int n, const double q[], double M[])
{
  return mass_of_each(w, true, n, q, M);
}

lw_status lw_mass_rows_n(lw_work *w, int n, const double q[], double rows[])
{
  return mass_of_each(w, false, n, q, rows);
}
