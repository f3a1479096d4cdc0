/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/passage.h"
#include "sim/prince_dormand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 13 };
static const double watched =
    0.3;                        /* distances: from here on steps end before the singularity, ... */
static const double due = 0.02; /* ... and from here they go across it */
static const double soon_enough =
    4; /* steps like the last one, within which the distance would vanish */

static size_t size(const lwi_system *s)
{
  return (size_t)s->n;
}

bool lwi_passage_init(lwi_passage *p, const lwi_system *s)
{
  p->y = calloc(size(s) + 1, sizeof *p->y);
  p->room = calloc((STAGES + 1) * size(s) + 1, sizeof *p->room);
  return p->y && p->room;
}

void lwi_passage_free(lwi_passage *p)
{
  free(p->y);
  free(p->room);
}

void lwi_passage_reset(lwi_passage *p, double t)
{
  p->t = p->t0 = t;
  p->r = p->r0 = 0;
  p->touches = false;
  p->when = p->ahead = HUGE_VAL;
  p->from = p->to = t;
}

/* The vertex of the parabola through the last three distances, if it all but touches zero soon. */
static bool find_touch(const lwi_passage *p, double t, double r, double *when)
{
  if (!(t > p->t && p->t > p->t0)) return false;
  const double before = (p->r - p->r0) / (p->t - p->t0), after = (r - p->r) / (t - p->t);
  const double curve = 2 * (after - before) / (t - p->t0), slope = after + 0.5 * curve * (t - p->t);
  if (!(curve > 0 && slope < 0)) return false;
  *when = t - slope / curve;
  return fabs(r + 0.5 * slope * (*when - t)) < 0.2 * r && *when - t < soon_enough * (t - p->t);
}

void lwi_passage_note(lwi_passage *p, const lwi_system *s, double t)
{
  const double r = sqrt(s->weakest), fall = p->r - r;
  const bool soon = fall > 0 && t > p->t && r < soon_enough * fall;
  const double ahead = fall > 0 && t > p->t ? t + r * (t - p->t) / fall : HUGE_VAL;
  /* a mechanism that creeps there never arrives: the time ahead recedes as fast as time goes on */
  const bool recedes = ahead - p->ahead > 0.5 * (t - p->t);
  p->when = soon && !recedes ? ahead : HUGE_VAL;
  p->ahead = ahead;
  double touch;
  p->touches = find_touch(p, t, r, &touch);
  if (p->touches) p->when = touch;
  p->t0 = p->t;
  p->r0 = p->r;
  p->t = t;
  p->r = r;
}

double lwi_passage_limit(const lwi_passage *p)
{
  return p->r < watched ? p->t + 0.6 * (p->when - p->t) : HUGE_VAL;
}

bool lwi_passage_is_due(const lwi_passage *p, double *to)
{
  *to = p->t + 2 * (p->when - p->t);
  return p->r < (p->touches ? 0.1 : 1) * due && p->when < HUGE_VAL;
}

/* y + h sum b_i k_i,  k_i = f(t + c_i h, y + h sum a_ij k_j) */
static lw_status step_across(const lwi_passage *p, lwi_system *s, ARKodeButcherTable table,
                             double h, double y[])
{
  const size_t n = size(s);
  double *k = p->room, *stage = p->room + STAGES * n;
  memcpy(y, p->y, n * sizeof(double));
  for (int i = 0; i < STAGES; i++) {
    memcpy(stage, p->y, n * sizeof(double));
    for (int j = 0; j < i; j++)
      for (size_t e = 0; e < n; e++)
        stage[e] += h * table->A[i][j] * k[(size_t)j * n + e];
    const lw_status status =
        lwi_system_rate(s, p->from + table->c[i] * h, stage, k + (size_t)i * n);
    if (status != LW_OK) return status;
    for (size_t e = 0; e < n; e++)
      y[e] += h * table->b[i] * k[(size_t)i * n + e];
  }
  return LW_OK;
}

lw_status lwi_passage_get(const lwi_passage *p, lwi_system *s, double t, double y[])
{
  ARKodeButcherTable table = lwi_prince_dormand();
  if (!table) return LW_E_MEMORY;
  s->be_careful(s, true);
  const lw_status status = step_across(p, s, table, t - p->from, y);
  s->be_careful(s, false);
  ARKodeButcherTable_Free(table);
  return status;
}

lw_status lwi_passage_cross(lwi_passage *p, lwi_system *s, double to, double y[])
{
  memcpy(p->y, y, size(s) * sizeof(double));
  p->from = p->t;
  p->to = to;
  p->r = 0; /* it rises from there */
  p->t0 = p->t;
  return lwi_passage_get(p, s, to, y);
}
