/* SPDX-License-Identifier: Apache-2.0 */
/* crossings.c -- watches the trigger expressions during the integration, and locates their zero
   crossings within the last step.

   A step is examined in pieces in which no body rotates far.  With three samples of the columns
   most expressions are known to have no zero.  For the others samples are added until their columns
   are known up to their noise.  Then the first sign change is found on the curves, and refined at
   states of the integrator. */
#include "base/fail.h"
#include "model/expression/expr_switch.h"
#include "sim/output/columns.h"
#include "sim/run/simulation_data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The noise of columns is a tenth of the tolerances, about the error of one step: the same in all
   formulations, and at least what rounding errors and closed loops cause. */
static const double noise_share = 0.1, least_rtol = 1e-13,
                    least_atol = 1e-15; /* in small mechanisms of their length */
/* distance of states, in tolerances of a step, up to which the columns of one are rough samples of
   those of the other: the root of the mean square, which is the norm of the error test and of the
   iterations */
static const double rough_share = 3;
static const double turn = 1.5; /* largest rotation of a body in one piece: rad */
/* shortest piece, relative to the step: a column that is not resolved there has a kink or a jump */
static const double shortest = 1e-7;
static const double shortest_time =
    16 * DBL_EPSILON;         /* the same, relative to time: its ends are distinct numbers */
enum { MOST_PIECES = 20000 }; /* per step */
/* relative to time: shorter steps are not examined inside */
static const double shortest_step = 1e-13;
/* crossings whose times differ by less, relative to time and step, coincide */
static const double one_instant = 1e-13;

double lwi_events_next(const lw_simulation *sim)
{
  return fmin(fmin(lwi_triggers_next_time(&sim->triggers), sim->found),
              fmin(sim->switches.next, sim->sampling.next));
}

/* ---- states ---- */

/* Was the last evaluation of the system at the end of the step, or close enough?  The iterations of
   a step end there. */
static bool is_at_end(const lw_simulation *sim, double t, const double at[])
{
  const lwi_triggers *x = &sim->triggers;
  const lwi_evaluation *e = sim->system->last;
  const double share = noise_share / rough_share;
  const int n = sim->m->nq + sim->m->nu;
  double sum = 0;
  if (!e || e->t != t) return false;
  for (int i = 0; i < n; i++) {
    const double y = at[i], part = (y - e->y[i]) / (x->rtol * fabs(y) + x->atol);
    sum += part * part;
  }
  return share * share * sum <= n;
}

/* Takes the columns at the end of the step from the integrator's own evaluation, if they need one; fixed steps
   evaluate the first stage of the next step early. */
void lwi_events_note_evaluation(lw_simulation *sim)
{
  lwi_triggers *x = &sim->triggers;
  lwi_system *s = sim->system;
  lwi_integrator *it = sim->integrator;
  const double t = lwi_system_time(s, it->t);
  x->end_time = (double)NAN;
  if (!lwi_triggers_watch(x) || (!it->now && it->get(it, it->t, sim->y) != LW_OK)) return;
  const double *y = it->now ? it->now : sim->y;
  const bool bodies = lwi_columns_need_bodies(x->columns), early = it->fixed && s->evaluate;
  if (bodies && (early ? s->evaluate(s, t, y) != LW_OK : !is_at_end(sim, t, y))) return;
  const bool joints = !bodies || lwi_columns_need_joints(x->columns);
  if (joints && s->copy_output(s, y, sim->q, sim->u) != LW_OK) return;
  const double *q = joints ? sim->q : s->last->q, *u = joints ? sim->u : s->last->u;
  if (lwi_columns_row_of(x->columns, s->dynamics, bodies ? s->last : NULL, it->t, q, u,
                         x->curve.ahead, &x->end_turning) == LW_OK)
    x->end_time = it->t;
}

/* Columns at t within the last step. */
static lw_status sample(void *context, double t, bool rough, double row[], double noise[])
{
  lw_simulation *sim = context;
  lwi_triggers *x = &sim->triggers;
  if (rough && t == x->end_time && !noise) {
    memcpy(row, x->curve.ahead, (size_t)x->curve.n * sizeof(double));
    x->turning = fmax(x->turning, x->end_turning);
    return LW_OK;
  }
  const lw_status found =
      rough ? lwi_simulation_estimate_state(sim, t) : lwi_simulation_find_state(sim, t);
  if (found != LW_OK) return found;
  const lw_status status = lwi_triggers_row(x, t, sim->q, sim->u, row, noise);
  if (!noise) x->turning = fmax(x->turning, lwi_columns_turning(x->columns));
  return status;
}

static lw_status evaluate_at(lw_simulation *sim, double t)
{
  const lw_status status = lwi_simulation_find_state(sim, t);
  return status == LW_OK ? lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u) : status;
}

/* Reports an expression that is undefined at the last state evaluated. */
lw_status lwi_events_fail_undefined(const lw_simulation *sim, const lwi_trigger *w, double t,
                                    lw_error *err)
{
  const char *what = "there is no value";
  size_t column = 0;
  lwi_fault_text text;
  lwi_expr_find_fault(&w->shared, sim->triggers.slot, &column, &what, &text);
  lwi_event_fail(w->e, t, err, LW_E_NUMBER,
                 "its expression `when` is not a number from here on: %s", what);
  lwi_locate_error(w->e->files, lwi_expr_mark(&w->shared, column, w->e->mark), err);
  return LW_E_NUMBER;
}

lw_status lwi_events_note(lw_simulation *sim, double t, lw_error *err)
{
  lwi_curve_forget(&sim->triggers.curve);
  const lwi_trigger *bad = lwi_triggers_note(&sim->triggers, t);
  return bad ? lwi_events_fail_undefined(sim, bad, t, err) : LW_OK;
}

/* Sides have been followed to the end of the last step, or to the first crossing in it.  Where the value at t is too
   small to tell, one that crosses later is on the other side. */
lw_status lwi_events_turn_back(lw_simulation *sim, double t)
{
  lwi_triggers *x = &sim->triggers;
  const lw_status status = x->nwhen > 0 ? evaluate_at(sim, t) : LW_OK;
  for (int i = 0; i < x->nwhen && status == LW_OK; i++) {
    lwi_trigger *w = &x->when[i];
    if (w->spent || w->asleep || isnan(w->g)) continue;
    if (fabs(w->g) > w->noise)
      w->side = (lwi_side){.side = w->g > 0 ? 1 : -1};
    else if (w->crossed)
      w->side = (lwi_side){.side = -w->change.side};
  }
  return status;
}

lw_status lwi_events_restart(lw_simulation *sim, double t, lw_error *err)
{
  lwi_triggers *x = &sim->triggers;
  sim->over = false;
  sim->found = HUGE_VAL;
  x->rtol = fmax(noise_share * sim->options.rtol, least_rtol);
  x->atol = fmax(noise_share * sim->options.atol, least_atol * fmin(1, sim->m->length));
  lwi_triggers_reset(x, t);
  if (x->nwhen == 0) return LW_OK;
  const lw_status status = evaluate_at(sim, t);
  if (status != LW_OK)
    return lwi_simulation_fail(sim, t, status, "the events cannot be evaluated", err);
  return lwi_events_note(sim, t, err);
}

void lwi_events_before_step(lw_simulation *sim)
{
  sim->from = sim->integrator->t;
}

/* ---- one piece ---- */

/* Of a gap only crossings from the free side count: separating is not a hit. */
static int directions_of(const lwi_trigger *w)
{
  if (w->only) return w->only > 0 ? LWI_RISING : LWI_FALLING;
  switch (w->e->d.direction) {
  case LW_RISING: return LWI_RISING;
  case LW_FALLING: return LWI_FALLING;
  default: return LWI_RISING | LWI_FALLING;
  }
}

/* The number of expressions that need more samples. */
static int count_undecided(lwi_triggers *x)
{
  int n = 0;
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    if (w->decided) continue;
    w->excluded = lwi_trigger_keeps_sign(w, lwi_trigger_range(x, w));
    w->decided = w->excluded || lwi_trigger_is_resolved(x, w);
    n += !w->decided;
  }
  return n;
}

/* Expressions that are not watched count as decided, and so do quiet ones within the box. */
static void begin_piece(lwi_triggers *x, bool boxed)
{
  memcpy(x->slot + x->nparameter, x->curve.node[0], (size_t)x->curve.n * sizeof(double));
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    const bool quiet = boxed && w->quiet;
    const bool off = !quiet && (w->spent || w->asleep || lwi_trigger_is_absent(x, w));
    w->decided = w->excluded = quiet || off;
    w->change = (lwi_sign_change){0};
    w->before = w->side;
    if (off) w->side = (lwi_side){0};
  }
}

/* Angles switch where they jump. */
static bool is_zero_of_angle(const lwi_trigger *w, const lwi_scalar *f)
{
  double noise;
  if (!w->load || !w->load->angle || w->change.kind != LWI_CROSSES) return false;
  return !lwi_switch_is_cut(f->value(f->context, w->change.t, &noise));
}

/* The first sign change of the expression up to t; its directions count if requested. */
static void search(lwi_triggers *x, lwi_trigger *w, double t, bool count, double h)
{
  lwi_trigger_curve curve = {x, w};
  const lwi_scalar f = lwi_trigger_scalar(&curve);
  const int directions = count ? directions_of(w) : 0;
  w->side = w->before;
  lwi_side_begin(&f, x->curve.a, &w->side);
  w->change = lwi_first_sign_change(&f, x->curve.a, t, directions, &w->side);
  while (is_zero_of_angle(w, &f))
    w->change = lwi_first_sign_change(&f, w->change.t, t, directions, &w->side);
  if (w->change.kind == LWI_STAYS && h > 0)
    w->change = lwi_side_end(&f, t, h, directions, &w->side);
  if (is_zero_of_angle(w, &f)) w->change = (lwi_sign_change){0};
}

static const lwi_trigger *first_change(const lwi_triggers *x)
{
  const lwi_trigger *first = NULL;
  for (int i = 0; i < x->nwhen; i++) {
    const lwi_trigger *w = &x->when[i];
    if (w->load && w->change.kind != LWI_CROSSES) continue; /* the error control sees it */
    if (w->change.kind != LWI_STAYS && (!first || w->change.t < first->change.t)) first = w;
  }
  return first;
}

/* ---- where it is found ---- */

/* Where an expression jumps, rounding errors of its columns would put it on either side: a time at which they have moved by
   more than these. */
static lw_status go_clear(lw_simulation *sim, const lwi_trigger *w, double *t)
{
  lwi_triggers *x = &sim->triggers;
  const double at = *t, to = sim->integrator->t, h = to - sim->from;
  const int n = x->curve.n;
  double width = DBL_EPSILON * fmax(fabs(at), h);
  if (fabs(w->g) <= w->noise) return LW_OK; /* it passes zero */
  memcpy(x->curve.ahead, x->slot + x->nparameter, (size_t)n * sizeof *x->curve.ahead);
  x->end_time = (double)NAN; /* what was there is overwritten */
  lw_status status = LW_OK;
  for (; status == LW_OK && *t < to; width *= 4) {
    *t = fmin(at + width, to);
    status = evaluate_at(sim, *t);
    for (int i = 0; i < w->shared.nname; i++) {
      const int k = w->shared.name[i].slot - x->nparameter;
      const double rounding = k > 0 ? 64 * DBL_EPSILON * fmax(1, fabs(x->curve.ahead[k])) : 0;
      if (k >= 0 && fabs(x->slot[x->nparameter + k] - x->curve.ahead[k]) > rounding) return status;
    }
  }
  return status;
}

/* Refines the crossing at states of the integrator, near the zero of the curves, from just behind
   it: regula falsi (Illinois) between times whose distance corresponds to the noise. */
static lw_status refine(lw_simulation *sim, const lwi_trigger *w, double *t)
{
  const double to = sim->integrator->t;
  lw_status status = evaluate_at(sim, *t);
  double a = *t, b = *t, g_a = w->g, g_b = w->g,
         width = 4e-16 * fabs(*t) + 1e-14 * (to - sim->from);
  const int behind = w->change.side;
  for (int i = 0; i < 12 && status == LW_OK && w->g * behind <= 0 && b < to; i++, width *= 4) {
    b = fmin(*t + width, to);
    status = evaluate_at(sim, b);
    g_b = w->g;
  }
  if (b == *t) {
    for (int i = 0; i < 12 && status == LW_OK && w->g * behind > 0 && a > sim->from;
         i++, width *= 4) {
      a = fmax(*t - width, sim->from);
      status = evaluate_at(sim, a);
      g_a = w->g;
    }
  }
  if (status != LW_OK || !(g_b * behind > 0)) return status;
  if (g_a * behind > 0) a = b; /* only rounding errors are left */
  for (int i = 0, side = 0; i < 60 && status == LW_OK && b - a > 4e-16 * fabs(b); i++) {
    double c = b - g_b * (b - a) / (g_b - g_a);
    if (!(c > a && c < b) || i % 4 == 3) c = a + 0.5 * (b - a);
    if (!(c > a && c < b)) break;
    status = evaluate_at(sim, c);
    const bool is_behind = w->g * behind > 0;
    if (is_behind)
      b = c, g_b = w->g, g_a *= side == 1 ? 0.5 : 1;
    else
      a = c, g_a = w->g, g_b *= side == -1 ? 0.5 : 1;
    side = is_behind ? 1 : -1;
  }
  *t = b;
  if (status == LW_OK) status = evaluate_at(sim, b);
  return status == LW_OK ? go_clear(sim, w, t) : status;
}

/* Follows all expressions up to the first crossing, and marks those that cross there. */
static lw_status mark_crossings(lw_simulation *sim, const lwi_trigger *first)
{
  lwi_triggers *x = &sim->triggers;
  double t = first->change.t;
  const double near = one_instant * fmax(fabs(t), sim->integrator->t - sim->from);
  for (int i = 0; i < x->nwhen; i++) {
    lwi_trigger *w = &x->when[i];
    w->crossed = w->change.kind == LWI_CROSSES && w->change.t <= t + near;
    if (!w->crossed && !w->excluded) search(x, w, fmax(t, x->curve.a), false, 0);
  }
  const lw_status status = refine(sim, first, &t);
  sim->found = t;
  return status;
}

static lw_status fail_unresolved(lw_simulation *sim, const lwi_trigger *w)
{
  char name[70];
  lwi_event_name(w->e, name, sizeof name);
  sim->triggers.explained = true;
  return lwi_integrator_fail(sim->integrator, LW_E_NOT_CONVERGED,
                             "event \"%s\": its expression `when` changes too fast after t = %.9g "
                             "for its crossings of zero to be told apart",
                             name, w->change.t);
}

static lw_status decide(lw_simulation *sim, const lwi_trigger *first)
{
  if (first->change.kind == LWI_UNRESOLVED) return fail_unresolved(sim, first);
  if (first->change.kind == LWI_CROSSES) return mark_crossings(sim, first);
  sim->triggers.undefined = first;
  sim->found = first->change.t;
  return LW_OK;
}

/* ---- one step ---- */

static lw_status examine(lw_simulation *sim, double a, double b);

static lw_status divide(lw_simulation *sim, double a, double b, int parts)
{
  lw_status status = LW_OK;
  for (int i = 0; i < parts && status == LW_OK && sim->found == HUGE_VAL; i++) {
    const double from = a + (b - a) * i / parts;
    status = examine(sim, from, i + 1 == parts ? b : a + (b - a) * (i + 1) / parts);
  }
  return status;
}

/* Too many pieces: very many revolutions, or columns that no polynomial approximates. */
static lw_status fail_too_many_pieces(lw_simulation *sim)
{
  const double h = sim->integrator->t - sim->from;
  sim->triggers.explained = true;
  return lwi_integrator_fail(
      sim->integrator, LW_E_NOT_CONVERGED,
      "the expressions of events cannot be followed through the step from t = %.9g, of %.3g s: "
      "bodies turn at %.3g rad/s, or results change too fast; shorter steps (--step, "
      "--output-step) "
      "may help",
      sim->from, h, sim->triggers.turning);
}

/* Into how many parts a piece may be divided. */
static double most_parts(const lw_simulation *sim, double a, double b)
{
  const double h = sim->integrator->t - sim->from;
  return (b - a) / fmax(shortest * h, shortest_time * fmax(fabs(a), fabs(b)));
}

/* Adds samples until all is decided, or until the piece must be divided into *parts; 0: nothing can happen in it. */
static lw_status resolve(lw_simulation *sim, double a, double b, int *parts)
{
  lwi_triggers *x = &sim->triggers;
  *parts = 1;
  /* of a piece that will be divided the end is needed again */
  const bool known = b == x->end_time && x->end_turning * (b - a) <= turn;
  x->turning = known ? x->end_turning : 0;
  if (known) x->end_time = (double)NAN;
  lw_status status = lwi_curve_begin(&x->curve, a, b, known, sample, sim);
  if (status != LW_OK) return status;
  if (x->turning * (b - a) > turn) {
    *parts = (int)fmin(fmin(1000, most_parts(sim, a, b)), 1 + x->turning * (b - a) / turn);
    return *parts > 1 ? LW_OK : fail_too_many_pieces(sim);
  }
  const bool boxed = lwi_triggers_are_boxed(x);
  if (boxed && x->restless == 0) return *parts = 0, LW_OK;
  begin_piece(x, boxed);
  int undecided = count_undecided(x);
  if (!boxed && 2 * undecided < x->nwhen) lwi_triggers_find_box(x);
  while (status == LW_OK && undecided > 0 && x->curve.degree < LWI_CURVE_DEGREE) {
    status = lwi_curve_refine(&x->curve);
    if (status == LW_OK) undecided = count_undecided(x);
  }
  if (status == LW_OK && undecided > 0 && most_parts(sim, a, b) >= 2) *parts = 2;
  return status;
}

/* How far ahead the rate at the end of a step predicts an expression: as far as the longest steps
   so far, since the first ones after an event are short; but the rate over a short step is not
   known for long. */
static double foresight(const lw_simulation *sim)
{
  const double h = sim->integrator->t - sim->from;
  return fmax(h, fmin(1000 * h, sim->report.largest_step));
}

static lw_status examine(lw_simulation *sim, double a, double b)
{
  lwi_triggers *x = &sim->triggers;
  int parts;
  if (++x->pieces > MOST_PIECES) return fail_too_many_pieces(sim);
  const lw_status status = resolve(sim, a, b, &parts);
  if (status != LW_OK || parts == 0) return status;
  if (parts > 1) {
    lwi_curve_forget(&x->curve);
    return divide(sim, a, b, parts);
  }
  const double to = sim->integrator->t;
  for (int i = 0; i < x->nwhen; i++)
    if (!x->when[i].excluded) search(x, &x->when[i], b, true, b == to ? foresight(sim) : 0);
  const lwi_trigger *first = first_change(x);
  return first ? decide(sim, first) : LW_OK;
}

lw_status lwi_events_look(lw_simulation *sim)
{
  const double to = sim->integrator->t;
  if (!lwi_triggers_watch(&sim->triggers) || !(to - sim->from > shortest_step * fabs(to)))
    return LW_OK; /* a crossing in so short a step is found in the next */
  sim->triggers.pieces = 0;
  sim->triggers.explained = false;
  const lw_status status = examine(sim, sim->from, to);
  if (status == LW_OK || sim->triggers.explained) return status;
  return lwi_integrator_fail(sim->integrator, status, "the events cannot be evaluated: %s",
                             lw_status_text(status));
}
