/* SPDX-License-Identifier: Apache-2.0 */
/* adjoint.c -- derivatives by the parameters from sweeps back in time.

   Between two times at which the motion is not smooth (events, switches, samples) the derivative at the
   later one, and anything linear in it, follows from that at the earlier one (adjoint_sweep.h):
   with lambda(t) = e_i for all numbers y_i it is y_p(t) itself, which then goes through the event as
   always (sensitivity_events.c); at the end of the run lambda is the slope of each objective, and
   there are as many lambda as objectives. */
#include "sim/sensitivity/sensitivity_data.h"
#include "base/fail.h"
#include "sim/formulation/state.h"
#include "tree/loops/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- the motion ---- */

lw_status lwi_adjoint_record(lw_sensitivity *s, double t)
{
  lwi_sensitivity_system *v = s->system;
  lwi_trajectory *x = &s->adjoint.recorded;
  lwi_integrator *it = s->sim->integrator;
  if (v->begun) lwi_trajectory_begin(x, (size_t)v->block, (size_t)s->sim->m->ncut_q);
  v->begun = false;
  const double from = x->npiece > 0 ? x->ends[2 * (size_t)x->npiece - 1] : v->since;
  if (!(t > from)) return LW_OK;
  if (!lwi_trajectory_add(x, from, t)) return LW_E_MEMORY;
  lw_status status = LW_OK;
  for (int i = 0; i < LWI_TRAJECTORY_POINTS && status == LW_OK; i++)
    status = it->get(it, lwi_trajectory_time(x, i), lwi_trajectory_point(x, i));
  if (x->more)
    memcpy(x->constant + ((size_t)x->npiece - 1) * x->more, s->sim->cut_q,
           x->more * sizeof(double));
  return status;
}

/* ---- sweeps ---- */

typedef struct {
  lw_sensitivity *s;
  lwi_linear_motion motion;
  int ncolumn;
  double *lambda; /* [ncolumn][block] */
  double *by_p;   /* [ncolumn][np] */
  double *turns;  /* of cut joints, as they were */
} sweep;

static void close_sweep(sweep *w)
{
  lw_sensitivity *s = w->s;
  lw_work *work = s->system->base.dynamics->work;
  if (w->turns && s->sim->m->ncut_q)
    memcpy(work->kernels->part(work->tree, LWI_CUT_Q), w->turns,
           (size_t)s->sim->m->ncut_q * sizeof(double));
  s->linear.known = false;
  lwi_linear_motion_close(&w->motion);
  free(w->lambda);
}

static bool open_sweep(sweep *w, lw_sensitivity *s, int ncolumn)
{
  lwi_sensitivity_system *v = s->system;
  const size_t n = (size_t)v->block, np = (size_t)s->np, nc = (size_t)ncolumn,
               ncut = (size_t)s->sim->m->ncut_q;
  *w = (sweep){.s = s, .ncolumn = ncolumn};
  w->lambda = calloc(nc * (n + np) + ncut + 1, sizeof *w->lambda);
  if (!w->lambda ||
      !lwi_linear_motion_open(&w->motion, v, &s->adjoint.recorded, s->derivative[s->np], s->np)) {
    free(w->lambda);
    return false;
  }
  w->by_p = w->lambda + nc * n;
  w->turns = w->by_p + nc * np;
  const lw_work *work = v->base.dynamics->work;
  if (ncut) memcpy(w->turns, work->kernels->part(work->tree, LWI_CUT_Q), ncut * sizeof(double));
  return true;
}

/* From t to where derivatives hold; afterwards by_p are those of the linear functions. */
static lw_status go(sweep *w, double t)
{
  lw_sensitivity *s = w->s;
  lwi_sensitivity_system *v = s->system;
  const size_t n = (size_t)v->block, np = (size_t)s->np;
  const lw_status status =
      lwi_adjoint_sweep(&w->motion, &s->sim->options, s->sim->system->interrupt, v->since, t,
                        w->ncolumn, w->lambda, w->by_p);
  for (size_t c = 0; c < (size_t)w->ncolumn && status == LW_OK; c++)
    for (size_t k = 0; k < np; k++) {
      const double *y_p = lwi_sensitivity_block(v, s->sim->y, (int)k);
      for (size_t i = 0; i < n; i++)
        w->by_p[c * np + k] += w->lambda[c * n + i] * y_p[i];
    }
  return status;
}

/* ---- linear functions ---- */

/* The slopes of all objectives along y_p at y, of whose columns the values are known. */
static lw_status find_slopes(lw_sensitivity *s, lwi_parameter_derivative *v, double t,
                             const double y[], double y_p[], double slope[])
{
  lwi_objectives *o = &s->objectives;
  lw_status status = v->project_output(v, t, y, y_p);
  if (status == LW_OK)
    status = v->row(v, LWI_OBJECTIVE_COLUMNS, o->columns, t, y, y_p, s->peaks.row_p);
  lwi_objectives_derive(o, v->parameters, s->peaks.row_p);
  for (int i = 0; i < o->n; i++)
    slope[i] = lwi_objectives_slope(o, i);
  return status;
}

/* lambda of all objectives as if each were a final one, and what parameters add directly:
   lambda[objectives][block], direct[np][objectives]. */
static lw_status linearize(lw_sensitivity *s, double t, const double y[], double lambda[],
                           double direct[])
{
  const lwi_sensitivity_system *v = s->system;
  const size_t n = (size_t)v->block, no = (size_t)s->objectives.n;
  double *y_p = calloc(n + no + 1, sizeof *y_p), *slope = y_p + n;
  lw_status status = y_p ? LW_OK : LW_E_MEMORY;
  for (size_t i = 0; i < (size_t)v->nmotion && status == LW_OK; i++) {
    memset(y_p, 0, n * sizeof *y_p);
    y_p[i] = 1;
    status = find_slopes(s, s->derivative[s->np], t, y, y_p, slope);
    for (size_t c = 0; c < no; c++)
      lambda[c * n + i] = slope[c];
  }
  for (int k = 0; k < s->np && status == LW_OK; k++) {
    memset(y_p, 0, n * sizeof *y_p);
    status = find_slopes(s, s->derivative[k], t, y, y_p, direct + (size_t)k * no);
  }
  free(y_p);
  return status;
}

/* ---- maxima and minima ---- */

/* The gradient of a peak in the motion since derivatives hold. */
static lw_status settle(lw_sensitivity *s, int objective, lwi_peak *peak)
{
  lwi_sensitivity_system *v = s->system;
  lwi_objectives *o = &s->objectives;
  const size_t n = (size_t)v->block, no = (size_t)o->n, np = (size_t)s->np;
  sweep w;
  if (!open_sweep(&w, s, 1)) return LW_E_MEMORY;
  double *lambda = calloc(no * (n + np) + n + 1, sizeof *lambda);
  double *direct = lambda + no * n, *y = direct + no * np;
  lw_status status = lambda ? lwi_linear_motion_go_to(&w.motion, peak->t) : LW_E_MEMORY;
  if (status == LW_OK) memcpy(y, w.motion.y, n * sizeof *y);
  if (status == LW_OK) status = lw_normalize(v->base.m, y);
  if (status == LW_OK) status = lwi_objectives_look(o, peak->t, y, y + lw_nq(v->base.m));
  if (status == LW_OK) status = linearize(s, peak->t, y, lambda, direct);
  if (status == LW_OK) memcpy(w.lambda, lambda + (size_t)objective * n, n * sizeof *lambda);
  if (status == LW_OK) status = go(&w, peak->t);
  for (size_t k = 0; k < np && status == LW_OK; k++)
    peak->gradient[k] = w.by_p[k] + direct[k * no + (size_t)objective];
  peak->pending = status != LW_OK;
  free(lambda);
  close_sweep(&w);
  return status;
}

static lw_status settle_all(lw_sensitivity *s, lwi_peak *peak)
{
  lw_status status = LW_OK;
  for (int i = 0; i < s->objectives.n && status == LW_OK; i++)
    if (peak[i].known && peak[i].pending) status = settle(s, i, &peak[i]);
  return status;
}

/* ---- all derivatives ---- */

/* lambda of each number of y after the projection on the constraints, which removes what is off
   them: otherwise that would be followed back to where it came from. */
static lw_status select_all(lw_sensitivity *s, double t, double lambda[])
{
  const lwi_sensitivity_system *v = s->system;
  lwi_parameter_derivative *none = s->derivative[s->np];
  const size_t n = (size_t)v->block;
  double *y_p = calloc(n + 1, sizeof *y_p);
  lw_status status = y_p ? none->update_rank(none, t, s->sim->y, y_p, 0) : LW_E_MEMORY;
  for (size_t i = 0; i < n && status == LW_OK; i++) {
    memset(y_p, 0, n * sizeof *y_p);
    y_p[i] = 1;
    if (i < (size_t)v->nmotion) status = none->project_output(none, t, s->sim->y, y_p);
    for (size_t c = 0; c < n; c++)
      lambda[c * n + i] = y_p[c];
  }
  free(y_p);
  return status;
}

/* y_p at t, where y is the output state. */
static lw_status carry(lw_sensitivity *s, double t)
{
  lwi_sensitivity_system *v = s->system;
  const size_t n = (size_t)v->block, np = (size_t)s->np;
  sweep w;
  if (!open_sweep(&w, s, v->block)) return LW_E_MEMORY;
  lw_status status = select_all(s, t, w.lambda);
  if (status == LW_OK) status = go(&w, t);
  for (size_t k = 0; k < np && status == LW_OK; k++)
    for (size_t i = 0; i < n; i++)
      lwi_sensitivity_block(v, s->sim->y, (int)k)[i] = w.by_p[i * np + k];
  close_sweep(&w);
  lwi_parameter_derivative *none = s->derivative[s->np];
  if (status == LW_OK)
    status = none->update_rank(none, t, s->sim->y, lwi_sensitivity_block(v, s->sim->y, s->np), 0);
  for (int k = 0; k < s->np && status == LW_OK; k++)
    status = s->derivative[k]->project_output(s->derivative[k], t, s->sim->y,
                                              lwi_sensitivity_block(v, s->sim->y, k));
  if (status == LW_OK) v->since = t;
  return status;
}

static lw_status fail(const lw_sensitivity *s, double t, lw_status status, lw_error *err)
{
  if (err && err->status != LW_OK) return err->status;
  return lwi_fail(err, status,
                  "the adjoint equations cannot be integrated from t = %.10g back to %.10g: %s", t,
                  s->system->since, lw_status_text(status));
}

lw_status lwi_adjoint_catch_up(lw_sensitivity *s, double t, lw_error *err)
{
  lwi_sensitivity_system *v = s->system;
  if (!v->outside || !(t > v->since)) return LW_OK;
  lw_status status = lwi_adjoint_record(s, t);
  if (status == LW_OK) status = settle_all(s, s->peaks.peak);
  if (status == LW_OK) status = carry(s, t);
  return status == LW_OK ? LW_OK : fail(s, t, status, err);
}

/* ---- gradients at the end ---- */

static void put_gradients(const lw_sensitivity *s, const sweep *w, const double value[],
                          const double direct[], double gradient[])
{
  const lwi_objectives *o = &s->objectives;
  for (int k = 0; k < s->np; k++) {
    const double end_p = lwi_sensitivity_end_p(s, k);
    for (int i = 0; i < o->n; i++) {
      const bool integral = o->item[i].kind == LW_OBJECTIVE_INTEGRAL;
      const double slope = end_p == 0 ? 0 : integral ? value[i] : s->peaks.slope[i];
      gradient[k * o->n + i] =
          w->by_p[i * s->np + k] + (integral ? 0 : direct[k * o->n + i]) + end_p * slope;
    }
  }
}

/* The integral of objective i is a number of y. */
static void select_integrals(const lw_sensitivity *s, double lambda[])
{
  const lwi_sensitivity_system *v = s->system;
  int at = v->nmotion;
  for (int i = 0; i < s->objectives.n; i++) {
    if (s->objectives.item[i].kind != LW_OBJECTIVE_INTEGRAL) continue;
    memset(lambda + (size_t)i * (size_t)v->block, 0, (size_t)v->block * sizeof *lambda);
    lambda[(size_t)i * (size_t)v->block + (size_t)at++] = 1;
  }
}

lw_status lwi_adjoint_gradients(lw_sensitivity *s, lwi_peak peak[], const double value[],
                                double gradient[])
{
  lwi_objectives *o = &s->objectives;
  sweep w;
  lw_status status = lwi_adjoint_record(s, s->t);
  if (status == LW_OK) status = settle_all(s, peak);
  if (status != LW_OK) return status;
  double *direct = calloc((size_t)s->np * (size_t)o->n + 1, sizeof *direct);
  if (!direct || !open_sweep(&w, s, o->n)) return free(direct), LW_E_MEMORY;
  status = lwi_peaks_measure(&s->peaks, s->t);
  if (status == LW_OK) status = lwi_objectives_look(o, s->t, s->sim->q, s->sim->u);
  if (status == LW_OK) status = linearize(s, s->t, s->sim->y, w.lambda, direct);
  if (status == LW_OK) select_integrals(s, w.lambda);
  if (status == LW_OK) status = go(&w, s->t);
  if (status == LW_OK) put_gradients(s, &w, value, direct, gradient);
  free(direct);
  close_sweep(&w);
  return status;
}
