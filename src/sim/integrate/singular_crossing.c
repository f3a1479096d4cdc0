/* SPDX-License-Identifier: Apache-2.0 */
/* singular_crossing.c -- predicts when a run reaches a singular configuration and crosses it in one
   Runge-Kutta step of order 8; dense output by Hermite interpolation in Newton's form. */
#include "sim/integrate/singular_crossing.h"
#include "sim/integrate/prince_dormand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 13 };
/* distances r: below this, steps end before the singular configuration */
static const double watched = 0.3;
static const double due = 0.02; /* below this, a step crosses it */
/* what rounding errors leave of the accuracy of a step across, relative to the numbers in y */
static const double attainable = 1e-11;
/* distance at which a motion that passes counts as going through.  A step from the distance r is then
   off by (missed / r)^2, and rounding errors of projections look the same: some 1e-12 / r^2. */
static const double missed = 4e-6;
/* number of steps like the last one within which r must vanish */
static const double soon_enough = 4;

static size_t size(const lwi_system *s)
{
  return (size_t)s->n;
}

bool lwi_singular_crossing_init(lwi_singular_crossing *p, const lwi_system *s,
                                const lw_simulation_options *options)
{
  p->rtol = fmax(options->rtol, attainable);
  p->atol = fmax(options->atol, attainable * p->rtol);
  p->y = calloc(size(s) + 1, sizeof *p->y);
  p->scratch = calloc((STAGES + 1) * size(s) + 1, sizeof *p->scratch);
  p->newton = calloc(LWI_PASSAGE_TERMS * size(s) + 1, sizeof *p->newton);
  return p->y && p->scratch && p->newton;
}

void lwi_singular_crossing_free(lwi_singular_crossing *p)
{
  free(p->y);
  free(p->scratch);
  free(p->newton);
}

void lwi_singular_crossing_reset(lwi_singular_crossing *p, double t)
{
  p->t = p->t0 = t;
  p->r = p->r0 = 0;
  p->touches = false;
  p->due = due;
  p->when = p->ahead = HUGE_VAL;
  p->from = p->to = t;
}

/* The vertex of the parabola through the last three distances, if it nearly touches zero soon. */
static bool find_touch(const lwi_singular_crossing *p, double t, double r, double *when)
{
  if (!(t > p->t && p->t > p->t0)) return false;
  const double before = (p->r - p->r0) / (p->t - p->t0), after = (r - p->r) / (t - p->t);
  const double curve = 2 * (after - before) / (t - p->t0), slope = after + 0.5 * curve * (t - p->t);
  if (!(curve > 0 && slope < 0)) return false;
  *when = t - slope / curve;
  return fabs(r + 0.5 * slope * (*when - t)) < 0.2 * r && *when - t < soon_enough * (t - p->t);
}

void lwi_singular_crossing_note(lwi_singular_crossing *p, double t, double r)
{
  const double fall = p->r - r;
  /* close to it, steps that rounding errors have shortened do not postpone the predicted time */
  const bool near = r < due && r > 0.05 * due && p->ahead < HUGE_VAL;
  const bool soon = fall > 0 && t > p->t && (r < soon_enough * fall || near);
  const double ahead = fall > 0 && t > p->t ? t + r * (t - p->t) / fall : HUGE_VAL;
  /* if the motion slows down towards it, the predicted time recedes as fast as time advances */
  const bool recedes = ahead - p->ahead > 0.5 * (t - p->t);
  p->when = soon && !recedes ? ahead : HUGE_VAL;
  p->ahead = ahead;
  double touch;
  p->touches = find_touch(p, t, r, &touch);
  if (r > due) p->due = due; /* what comes next is another one */
  if (p->touches) p->when = touch;
  p->t0 = p->t;
  p->r0 = p->r;
  p->t = t;
  p->r = r;
}

bool lwi_singular_crossing_is_passing(const lwi_singular_crossing *p)
{
  return p->due < due;
}

double lwi_singular_crossing_limit(const lwi_singular_crossing *p)
{
  return p->r < watched ? p->t + 0.6 * (p->when - p->t) : HUGE_VAL;
}

bool lwi_singular_crossing_is_due(const lwi_singular_crossing *p, double *to)
{
  *to = p->t + 2 * (p->when - p->t);
  return p->r < (p->touches ? 0.1 : 1) * p->due && p->when < HUGE_VAL;
}

/* y + h sum b_i k_i,  k_i = f(t + c_i h, y + h sum a_ij k_j).  The stages k stay in the scratch. */
static lw_status take_step(const lwi_singular_crossing *p, lwi_system *s, double t,
                           const double from[], double h, double y[])
{
  const size_t n = size(s);
  double *k = p->scratch, *stage = p->scratch + STAGES * n;
  ARKodeButcherTable table = lwi_prince_dormand();
  lw_status status = table ? LW_OK : LW_E_MEMORY;
  memcpy(y, from, n * sizeof(double));
  for (int i = 0; i < STAGES && status == LW_OK; i++) {
    memcpy(stage, from, n * sizeof(double));
    for (int j = 0; j < i; j++)
      for (size_t e = 0; e < n; e++)
        stage[e] += h * table->A[i][j] * k[(size_t)j * n + e];
    status = lwi_system_rate(s, t + table->c[i] * h, stage, k + (size_t)i * n);
    for (size_t e = 0; e < n && status == LW_OK; e++)
      y[e] += h * table->b[i] * k[(size_t)i * n + e];
  }
  ARKodeButcherTable_Free(table);
  return status;
}

/* Root of the mean square of x in units of the tolerance, for the motion alone. */
static double in_tolerances(const lwi_singular_crossing *p, const lwi_system *s, const double x[],
                            const double y[])
{
  const int n = lwi_system_block(s);
  double square = 0;
  for (int e = 0; e < n; e++) {
    const double part = x[e] / (p->rtol * fmax(fabs(y[e]), fabs(p->y[e])) + p->atol);
    square += part * part;
  }
  return n > 0 ? sqrt(square / n) : 0;
}

/* The difference to the embedded method, h sum (b_i - d_i) k_i, of the step that has been taken. */
static lw_status find_error(const lwi_singular_crossing *p, const lwi_system *s, double h,
                            const double y[], double *error)
{
  const size_t n = size(s);
  double *difference = p->scratch + STAGES * n;
  ARKodeButcherTable table = lwi_prince_dormand();
  if (!table) return LW_E_MEMORY;
  memset(difference, 0, n * sizeof(double));
  for (size_t i = 0; i < STAGES; i++)
    for (size_t e = 0; e < n; e++)
      difference[e] += h * (table->b[i] - table->d[i]) * p->scratch[i * n + e];
  ARKodeButcherTable_Free(table);
  *error = in_tolerances(p, s, difference, y);
  return LW_OK;
}

/* Projects y at t; *moved is by how much. */
static lw_status project(const lwi_singular_crossing *p, lwi_system *s, double t, double y[],
                         double *moved)
{
  const size_t n = size(s);
  double *before = p->scratch;
  memcpy(before, y, n * sizeof(double));
  const lw_status status = s->project_output(s, lwi_system_time(s, t), y, NULL, NULL);
  for (size_t e = 0; e < n; e++)
    before[e] -= y[e];
  *moved = in_tolerances(p, s, before, y);
  return status;
}

lw_status lwi_singular_crossing_cross(lwi_singular_crossing *p, lwi_system *s, double to,
                                      double y[])
{
  double error = HUGE_VAL, moved = HUGE_VAL;
  memcpy(p->y, y, size(s) * sizeof(double));
  s->set_near_singular(s, true);
  lw_status status = take_step(p, s, p->t, p->y, to - p->t, y);
  s->set_near_singular(s, false);
  if (status == LW_OK) status = find_error(p, s, to - p->t, y, &error);
  if (status == LW_OK) status = project(p, s, to, y, &moved);
  if (status == LW_E_MEMORY || status == LW_E_STOPPED) return status;
  const double most = fmax(1, missed * missed / (p->r * p->r) / p->rtol);
  if (status != LW_OK || !(error <= most) || !(moved <= most)) {
    p->due = 0.5 * p->r;
    return LW_E_NOT_CONVERGED;
  }
  p->from = p->t;
  p->to = to;
  p->r = 0; /* r increases from here */
  p->t0 = p->t;
  return LW_OK;
}

/* ---- within ---- */

/* nodes, as fractions of the step; a value and a rate at each */
static const double node[LWI_PASSAGE_TERMS / 2] = {0, 0.15, 0.85, 1};

/* Values and rates at the nodes, stored in place of the first two differences of each. */
static lw_status fill_nodes(lwi_singular_crossing *p, lwi_system *s, const double y[])
{
  const size_t n = size(s);
  const double h = p->to - p->from;
  lw_status status = LW_OK;
  memcpy(p->newton, p->y, n * sizeof(double));
  memcpy(p->newton + 6 * n, y, n * sizeof(double));
  status = take_step(p, s, p->from, p->y, node[1] * h, p->newton + 2 * n);
  if (status == LW_OK) status = take_step(p, s, p->to, y, (node[2] - 1) * h, p->newton + 4 * n);
  for (size_t i = 0; i < 4 && status == LW_OK; i++)
    status = lwi_system_rate(s, p->from + node[i] * h, p->newton + 2 * i * n,
                             p->newton + (2 * i + 1) * n);
  return status;
}

/* Newton's divided differences with double nodes, for one number of y. */
static void divided_differences(double *c, size_t n, double h)
{
  double d[LWI_PASSAGE_TERMS], rate[LWI_PASSAGE_TERMS / 2];
  for (size_t i = 0; i < LWI_PASSAGE_TERMS; i++)
    d[i] = c[(i - i % 2) * n];
  for (size_t i = 0; i < LWI_PASSAGE_TERMS / 2; i++)
    rate[i] = h * c[(2 * i + 1) * n];
  for (size_t k = 1; k < LWI_PASSAGE_TERMS; k++)
    for (size_t i = LWI_PASSAGE_TERMS - 1; i >= k; i--)
      d[i] = k == 1 && i % 2 ? rate[i / 2] : (d[i] - d[i - 1]) / (node[i / 2] - node[(i - k) / 2]);
  for (size_t i = 0; i < LWI_PASSAGE_TERMS; i++)
    c[i * n] = d[i];
}

lw_status lwi_singular_crossing_fill(lwi_singular_crossing *p, lwi_system *s, const double y[])
{
  s->set_near_singular(s, true);
  const lw_status status = fill_nodes(p, s, y);
  s->set_near_singular(s, false);
  for (size_t e = 0; e < size(s) && status == LW_OK; e++)
    divided_differences(p->newton + e, size(s), p->to - p->from);
  return status;
}

void lwi_singular_crossing_get(const lwi_singular_crossing *p, const lwi_system *s, double t,
                               double y[])
{
  const size_t n = size(s);
  const double x = (t - p->from) / (p->to - p->from);
  memcpy(y, p->newton + (LWI_PASSAGE_TERMS - 1) * n, n * sizeof(double));
  for (size_t k = LWI_PASSAGE_TERMS - 1; k-- > 0;)
    for (size_t e = 0; e < n; e++)
      y[e] = y[e] * (x - node[k / 2]) + p->newton[k * n + e];
}
