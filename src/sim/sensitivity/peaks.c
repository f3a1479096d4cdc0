/* SPDX-License-Identifier: Apache-2.0 */
/* peaks.c -- maxima and minima of objectives during a run: bounds on curves of columns exclude most
   of the time, and the Illinois method locates zeros of dg/dt in the rest. */
#include "sim/sensitivity/peaks.h"
#include "sim/output/column_rates.h"
#include "sim/output/columns.h"

#include <stdlib.h>
#include <string.h>

enum {
  HALVINGS = 5,         /* of a piece whose columns are not resolved: kinks and noise */
  DEPTH = 12,           /* bisections of a piece that may contain an extremum */
  MOST_SEARCHED = 4000, /* parts per piece */
  MOST_LOOKS = 20,      /* evaluations of slopes per piece */
  MOST_PARTS = 1000     /* parts per step */
};
static const double coarse = 10, least_rtol = 1e-7,
                    least_atol = 1e-9; /* curves only tell where to search */
static const double turn = 1.5;        /* largest rotation of a body in one piece: rad */

/* ---- scratch ---- */

bool lwi_peaks_init(lwi_peaks *p, lwi_objectives *o, int nderivative)
{
  *p = (lwi_peaks){.objectives = o, .n = o->n, .nderivative = nderivative};
  p->peak = calloc(3 * ((size_t)o->n + 1), sizeof *p->peak);
  p->records = p->peak;
  p->gradients = calloc(3 * (size_t)o->n * (size_t)nderivative + 1, sizeof *p->gradients);
  p->row_p = calloc((size_t)o->ncolumn + 1, sizeof *p->row_p);
  p->value = calloc((size_t)o->n + 1, sizeof *p->value);
  p->slope = calloc((size_t)o->n + 1, sizeof *p->slope);
  p->ends = calloc(2 * (size_t)o->n + 1, sizeof *p->ends);
  p->bounds = calloc((size_t)(o->m->nparameter + o->ncolumn) + 1, sizeof *p->bounds);
  p->slot_noise = calloc((size_t)(o->m->nparameter + o->ncolumn) + 1, sizeof *p->slot_noise);
  if (!lwi_curve_init(&p->curve, o->ncolumn) || !p->bounds || !p->slot_noise) return false;
  if (!p->peak || !p->gradients || !p->row_p || !p->value || !p->slope || !p->ends) return false;
  p->before = p->peak + o->n;
  p->shown = p->before + o->n;
  for (int i = 0; i < 3 * o->n; i++)
    p->peak[i].gradient = p->gradients + (size_t)i * (size_t)nderivative;
  return true;
}

void lwi_peaks_free(lwi_peaks *p)
{
  lwi_curve_free(&p->curve);
  free(p->bounds);
  free(p->slot_noise);
  free(p->records);
  free(p->gradients);
  free(p->row_p);
  free(p->value);
  free(p->slope);
  free(p->ends);
  free(p->y);
}

static bool allocate(lwi_peaks *p)
{
  const int n = p->system->nmotion;
  if (n > p->capacity) {
    double *y = realloc(p->y, (5 * (size_t)n + (size_t)p->objectives->ncolumn) * sizeof *y);
    if (!y) return false;
    p->y = y;
    p->capacity = n;
  }
  p->f = p->y + n;
  p->unit = p->f + n;
  p->scratch = p->unit + n;
  return true;
}

/* ---- slopes ---- */

static bool counts(const lwi_peaks *p, int i)
{
  return p->objectives->item[i].kind >= LW_OBJECTIVE_MAX;
}

/* Derivatives by time of all expressions at y, where the rate is f.  Leaves the objectives at that
   state. */
static lw_status find_slopes(lwi_peaks *p, double t, const double y[], const double f[])
{
  lwi_objectives *o = p->objectives;
  const lw_model *m = p->system->base.m;
  memcpy(p->unit, y, (size_t)p->system->nmotion * sizeof(double));
  lw_status status = lw_normalize(m, p->unit);
  if (status == LW_OK) status = lwi_objectives_look(o, t, p->unit, p->unit + lw_nq(m));
  if (status == LW_OK)
    status = lwi_column_time_rates(p->linear, m, o->columns, t, y, f, p->scratch, p->row_p);
  if (status == LW_OK) status = lwi_objectives_look(o, t, p->unit, p->unit + lw_nq(m));
  if (status != LW_OK) return status;
  lwi_objectives_derive(o, NULL, p->row_p);
  for (int i = 0; i < o->n; i++) {
    p->value[i] = lwi_objectives_value(o, i);
    p->slope[i] = lwi_objectives_slope(o, i);
  }
  return LW_OK;
}

/* ---- candidates ---- */

lw_status lwi_peaks_measure(lwi_peaks *p, double t)
{
  if (!allocate(p)) return LW_E_MEMORY;
  lwi_system *motion = p->system->motion;
  const double *y = p->sim->y;
  const lw_status status = motion->rate(motion, t, y, p->f);
  return status == LW_OK ? find_slopes(p, t, y, p->f) : status;
}

static bool is_better(const lwi_peaks *p, int i, double value)
{
  const lwi_peak *k = &p->peak[i];
  const double sign = p->objectives->item[i].kind == LW_OBJECTIVE_MAX ? 1 : -1;
  return !isnan(value) && (!k->known || sign * value > sign * k->value);
}

/* Takes the present output state, after lwi_peaks_measure, as the peak if its value is better. */
static lw_status compare(lwi_peaks *p, int i, double t, const double when_p[])
{
  lwi_peak *k = &p->peak[i];
  lwi_objectives *o = p->objectives;
  lw_status status = LW_OK;
  if (!is_better(p, i, p->value[i])) return LW_OK;
  const bool pending = p->system->outside && t != p->system->since;
  *k = (lwi_peak){true, t, p->value[i], k->gradient, pending};
  for (int v = 0; v < p->nderivative && status == LW_OK && !pending; v++) {
    lwi_parameter_derivative *x = p->system->derivative[v];
    double *y = p->sim->y;
    status = x->row(x, LWI_OBJECTIVE_COLUMNS, o->columns, t, y,
                    lwi_sensitivity_block(p->system, y, v), p->row_p);
    lwi_objectives_derive(o, x->parameters, p->row_p);
    k->gradient[v] = lwi_objectives_slope(o, i) + (when_p ? when_p[v] * p->slope[i] : 0);
  }
  return status;
}

lw_status lwi_peaks_note(lwi_peaks *p, double t, const double when_p[])
{
  if (!lwi_peaks_wanted(p)) return LW_OK;
  lw_status status = lwi_peaks_measure(p, t);
  for (int i = 0; i < p->n && status == LW_OK; i++)
    if (counts(p, i)) status = compare(p, i, t, when_p);
  p->t = p->noted = t;
  return status;
}

/* ---- between ---- */

/* Values and slopes at a time of the last step. */
static lw_status measure_at(lwi_peaks *p, double t)
{
  const lw_status status = lwi_simulation_find_state(p->sim, t);
  return status == LW_OK ? lwi_peaks_measure(p, t) : status;
}

/* The sign of dg/dt changes between a and b: Illinois variant of regula falsi. */
static lw_status locate(lwi_peaks *p, int i, double a, double slope_a, double b, double slope_b)
{
  double t = b;
  int side = 0;
  for (int k = 0; k < 80 && slope_b != 0 && b - a > 1e-14 * fmax(fabs(b), 1e-3); k++) {
    t = k % 8 == 7 ? 0.5 * (a + b) : b - slope_b * (b - a) / (slope_b - slope_a);
    if (!(t > a && t < b)) t = 0.5 * (a + b);
    if (!(t > a && t < b)) break;
    const lw_status status = measure_at(p, t);
    if (status != LW_OK) return status;
    if (p->slope[i] == 0) break;
    if ((p->slope[i] > 0) == (slope_b > 0)) {
      b = t;
      slope_b = p->slope[i];
      if (side == 1) slope_a *= 0.5;
      side = 1;
    } else {
      a = t;
      slope_a = p->slope[i];
      if (side == -1) slope_b *= 0.5;
      side = -1;
    }
  }
  return compare(p, i, t, NULL);
}

/* ---- times that may contain an extremum ---- */

/* Columns at t within the last step: see lwi_sampler.  Their noise is larger than the
   tolerances. */
static lw_status sample(void *context, double t, bool rough, double row[], double noise[])
{
  lwi_peaks *p = context;
  lw_simulation *sim = p->sim;
  const lw_simulation_options *o = &sim->options;
  lw_status status =
      rough ? lwi_simulation_estimate_state(sim, t) : lwi_simulation_find_state(sim, t);
  if (status == LW_OK) status = lw_columns_row(p->objectives->columns, t, sim->q, sim->u, row);
  if (status != LW_OK || !noise) return status;
  lwi_column_scales(p->objectives->columns, sim->u, row, noise);
  for (int i = 0; i < p->objectives->ncolumn; i++)
    noise[i] = fmax(least_rtol, coarse * o->rtol) * noise[i] + fmax(least_atol, coarse * o->atol);
  return status;
}

/* Bounds of an expression and its rate from a to b, from the curves of the columns. */
static lwi_bounds bound(lwi_peaks *p, int i, double a, double b)
{
  const lwi_objectives *o = p->objectives;
  const lwi_expr *e = &o->item[i].expr;
  for (int k = 0; k < e->nname; k++) {
    const int slot = e->name[k].slot, column = slot - o->m->nparameter;
    if (column >= 0)
      p->bounds[slot] = lwi_curve_bounds(&p->curve, column, a, b);
    else
      p->bounds[slot] = (lwi_bounds){.value = {o->slot[slot], o->slot[slot]}};
  }
  return lwi_expr_bounds(e, p->bounds);
}

static bool is_resolved(lwi_peaks *p, int i)
{
  const lwi_expr *e = &p->objectives->item[i].expr;
  for (int k = 0; k < e->nname; k++) {
    const int column = e->name[k].slot - p->objectives->m->nparameter;
    if (column >= 0 && !lwi_curve_resolves(&p->curve, column)) return false;
  }
  return true;
}

/* Decides by the slopes themselves whether the short time from a to b contains an extremum.  If one
   of them is zero up to rounding errors, the extremum is there: on the other side of it, in the
   next step, the slope may have the same sign. */
static lw_status search_slopes(lwi_peaks *p, int i, double a, double b)
{
  const double sign = p->objectives->item[i].kind == LW_OBJECTIVE_MAX ? 1 : -1;
  lw_status status = measure_at(p, b);
  const double after = p->slope[i];
  if (status == LW_OK) status = measure_at(p, a);
  const double before = p->slope[i], flat = 1e-6 * fmax(fabs(before), fabs(after));
  if (status != LW_OK || !(sign * before > -flat && sign * after < flat)) return status;
  if (sign * before <= flat) return compare(p, i, a, NULL);
  if (sign * after < -flat) return locate(p, i, a, before, b, after);
  status = measure_at(p, b);
  return status == LW_OK ? compare(p, i, b, NULL) : status;
}

/* Uncertainty of the expression in the middle of the piece due to the noise of the columns. */
static double find_margin(lwi_peaks *p, int i)
{
  const lwi_objectives *o = p->objectives;
  const lwi_expr *e = &o->item[i].expr;
  const double middle = 0.5 * (p->curve.a + p->curve.b);
  double noise, rate;
  for (int k = 0; k < e->nname; k++) {
    const int slot = e->name[k].slot, column = slot - o->m->nparameter;
    p->slot_noise[slot] = column >= 0 ? 0.01 * p->curve.noise[column] : 0;
    if (column >= 0) lwi_curve_at(&p->curve, column, middle, &o->slot[slot], &rate);
  }
  lwi_expr_noise(e, o->slot, p->slot_noise, &noise);
  return isfinite(noise) ? noise : 0;
}

/* The search for a peak of one objective in a piece. */
typedef struct {
  int i;
  double margin;    /* least improvement that counts */
  int parts, looks; /* remaining numbers of parts, and of evaluations of slopes */
} hunt;

/* Searches all times from a to b at which the expression may exceed the best value so far and have
   an extremum, by bisection. */
static lw_status search(lwi_peaks *p, hunt *h, double a, double b, int depth)
{
  const bool max = p->objectives->item[h->i].kind == LW_OBJECTIVE_MAX;
  const lwi_bounds x = bound(p, h->i, a, b);
  const double best = max ? x.value.high - h->margin : x.value.low + h->margin;
  if (!x.partial && !is_better(p, h->i, best)) return LW_OK;
  if (!x.partial && (x.rate.low > 0 || x.rate.high < 0)) return LW_OK;
  if (depth == 0 || --h->parts < 0) return --h->looks >= 0 ? search_slopes(p, h->i, a, b) : LW_OK;
  const double middle = 0.5 * (a + b);
  const lw_status status = search(p, h, a, middle, depth - 1);
  return status == LW_OK ? search(p, h, middle, b, depth - 1) : status;
}

/* Can the expression not exceed the best value in the piece, whatever the columns do between their
   samples? */
static bool is_excluded(lwi_peaks *p, int i)
{
  const lwi_objectives *o = p->objectives;
  const lwi_expr *e = &o->item[i].expr;
  for (int k = 0; k < e->nname; k++) {
    const int slot = e->name[k].slot, column = slot - o->m->nparameter;
    p->bounds[slot] = (lwi_bounds){.value = {o->slot[slot], o->slot[slot]}};
    if (column >= 0) p->bounds[slot].value = lwi_curve_range(&p->curve, column);
  }
  const lwi_bounds x = lwi_expr_range(e, p->bounds);
  return !x.partial &&
         !is_better(p, i, o->item[i].kind == LW_OBJECTIVE_MAX ? x.value.high : x.value.low);
}

static bool is_decided(lwi_peaks *p)
{
  for (int i = 0; i < p->n; i++)
    if (counts(p, i) && !is_excluded(p, i) && !is_resolved(p, i)) return false;
  return true;
}

/* Searches on curves through the columns from a to b, which are bisected where these are not
   resolved. */
static lw_status search_piece(lwi_peaks *p, double a, double b, int halvings)
{
  lwi_curve_forget(&p->curve);
  lw_status status = lwi_curve_begin(&p->curve, a, b, false, sample, p);
  bool decided = status == LW_OK && is_decided(p);
  while (status == LW_OK && !decided && p->curve.degree < LWI_CURVE_DEGREE) {
    status = lwi_curve_refine(&p->curve);
    decided = is_decided(p);
  }
  if (status == LW_OK && !decided && halvings > 0) {
    const double middle = 0.5 * (a + b);
    status = search_piece(p, a, middle, halvings - 1);
    return status == LW_OK ? search_piece(p, middle, b, halvings - 1) : status;
  }
  for (int i = 0; i < p->n && status == LW_OK; i++) {
    if (!counts(p, i) || is_excluded(p, i)) continue;
    hunt h = {i, find_margin(p, i), MOST_SEARCHED, MOST_LOOKS};
    status = search(p, &h, a, b, DEPTH);
  }
  return status;
}

static void copy_peaks(const lwi_peaks *p, lwi_peak *to, const lwi_peak *from)
{
  for (int i = 0; i < p->n; i++) {
    double *gradient = to[i].gradient;
    if (p->nderivative > 0)
      memcpy(gradient, from[i].gradient, (size_t)p->nderivative * sizeof(double));
    to[i] = from[i];
    to[i].gradient = gradient;
  }
}

/* Values of all objectives at a time of the last step. */
static lw_status value_at(lwi_peaks *p, double t, double value[])
{
  const lw_simulation *sim = p->sim;
  lw_status status = lwi_simulation_find_state(p->sim, t);
  if (status == LW_OK) status = lwi_objectives_look(p->objectives, t, sim->q, sim->u);
  for (int i = 0; i < p->n && status == LW_OK; i++)
    value[i] = lwi_objectives_value(p->objectives, i);
  return status;
}

/* Where two steps meet, dg/dt may change its sign between them: the curve of one rises to its end, that of the other falls from
   its beginning, and neither has an extremum.  Not at the start and at events, which are noted with their moving times. */
static lw_status look_between_steps(lwi_peaks *p, double from)
{
  lw_status status = LW_OK;
  for (int i = 0; i < p->n && status == LW_OK; i++) {
    const double sign = p->objectives->item[i].kind == LW_OBJECTIVE_MAX ? 1 : -1;
    if (!counts(p, i) || !is_better(p, i, p->ends[i])) continue;
    if (sign * p->ends[p->n + i] > sign * p->ends[i]) continue; /* it is better still */
    status = measure_at(p, from);
    if (status == LW_OK) status = compare(p, i, from, NULL);
  }
  return status;
}

/* In pieces in which no body rotates far, so that columns are smooth curves. */
static lw_status search_until(lwi_peaks *p, double t)
{
  const double from = p->t;
  lw_status status = value_at(p, from, p->ends);
  double turning = lwi_columns_turning(p->objectives->columns);
  if (status == LW_OK) status = value_at(p, t, p->ends + p->n);
  turning = fmax(turning, lwi_columns_turning(p->objectives->columns));
  const double wanted = turning * (t - from) / turn;
  const int parts = wanted < MOST_PARTS ? 1 + (int)wanted : MOST_PARTS;
  for (int k = 0; k < parts && status == LW_OK; k++)
    status = search_piece(p, from + (t - from) * k / parts,
                          k + 1 == parts ? t : from + (t - from) * (k + 1) / parts, HALVINGS);
  if (status == LW_OK && from > p->noted) status = look_between_steps(p, from);
  p->t = t;
  return status == LW_OK ? lwi_simulation_find_state(p->sim, t) : status;
}

lw_status lwi_peaks_look(lwi_peaks *p, double t)
{
  if (!lwi_peaks_wanted(p) || !(t > p->t)) return LW_OK;
  copy_peaks(p, p->before, p->peak);
  p->t_before = p->t;
  return search_until(p, t);
}

static void swap_shown(lwi_peaks *p)
{
  lwi_peak *kept = p->peak;
  p->peak = p->shown;
  p->shown = kept;
}

lwi_peak *lwi_peaks_until(lwi_peaks *p, double t, lw_status *status)
{
  const double looked = p->t;
  *status = LW_OK;
  if (!lwi_peaks_wanted(p) || t >= looked) return p->peak;
  copy_peaks(p, p->shown, p->before);
  swap_shown(p);
  p->t = p->t_before;
  if (t > p->t) *status = search_until(p, t);
  swap_shown(p);
  p->t = looked;
  if (*status == LW_OK) *status = lwi_simulation_find_state(p->sim, t);
  return *status == LW_OK ? p->shown : NULL;
}
