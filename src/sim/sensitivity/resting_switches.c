/* SPDX-License-Identifier: Apache-2.0 */
/* resting_switches.c -- loads that a run rests on the switch of (resting_switches.h).  With f the rate
   of the motion y and y_p its derivative by a parameter, s(h) = |f(y + h y_p) + f(y - h y_p) - 2 f(y)|
   is of order h^2 where f is smooth along y_p, h where it has a kink, and less for roots. */
#include "sim/sensitivity/resting_switches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is it zero, and has been since the integration started? */
static bool rests(const lw_simulation *sim, int i)
{
  const lwi_trigger *w = &sim->triggers.when[i];
  const lwi_held_loads *h = &sim->held;
  return w->load && w->load->place != LWI_SWITCH_ELSEWHERE && !w->load->pole && !w->spent &&
         !w->asleep && w->side.side == 0 && i < h->nside && h->guess && h->guess[i] == 0 &&
         w->g == 0;
}

static const lwi_state_switch *find_resting(const lw_simulation *sim)
{
  for (int i = 0; i < sim->triggers.nwhen; i++)
    if (rests(sim, i)) return sim->triggers.when[i].load;
  return NULL;
}

typedef struct {
  lw_sensitivity *s;
  double t;
  double *y, *moved;           /* [nmotion] */
  double *f, *up[2], *down[2]; /* [nmotion] rates: at y, and at y +- h y_p for two h */
} probe;

static lw_status rate_at(probe *p, const double y_p[], double h, double f[])
{
  const lwi_sensitivity_system *v = p->s->system;
  for (int i = 0; i < v->nmotion; i++)
    p->moved[i] = p->y[i] + h * y_p[i];
  return v->motion->rate(v->motion, p->t, p->moved, f);
}

/* s(h), and how far the rate changes to both sides, of component i */
static double bend(const probe *p, int which, int i)
{
  return fabs(p->up[which][i] + p->down[which][i] - 2 * p->f[i]);
}

static double change(const probe *p, int which, int i)
{
  return fabs(p->up[which][i] - p->f[i]) + fabs(p->down[which][i] - p->f[i]);
}

/* Has the rate of the motion a kink, or an odd root, between the two distances? */
static bool is_bent(const probe *p)
{
  const int n = p->s->system->nmotion;
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, change(p, 1, i));
  for (int i = 0; i < n; i++) {
    const bool counts = change(p, 1, i) > 0.01 * largest;
    if (counts && bend(p, 1, i) > 0.01 * largest && bend(p, 0, i) < 20 * bend(p, 1, i)) return true;
    if (counts && change(p, 0, i) < 5 * change(p, 1, i)) return true;
  }
  return false;
}

/* The same along the derivative by parameter k. */
static lw_status has_kink(probe *p, int k, bool *kink)
{
  const lwi_sensitivity_system *v = p->s->system;
  const double *y_p = lwi_sensitivity_block(v, p->s->sim->y, k);
  double size = 0;
  lw_status status = LW_OK;
  for (int i = 0; i < v->nmotion; i++)
    size = fmax(size, fabs(y_p[i]));
  *kink = false;
  if (!(size > 0) || !isfinite(size)) return LW_OK;
  for (int j = 0; j < 2 && status == LW_OK; j++) {
    const double h = (j ? 1e-5 : 1e-4) / size;
    status = rate_at(p, y_p, h, p->up[j]);
    if (status == LW_OK) status = rate_at(p, y_p, -h, p->down[j]);
  }
  *kink = status == LW_OK && is_bent(p);
  return status;
}

lw_status lwi_resting_switches_look(lw_sensitivity *s, double t, const lwi_state_switch **which)
{
  lw_simulation *sim = s->sim;
  const size_t n = (size_t)s->system->nmotion;
  const lwi_state_switch *load = s->differences ? NULL : find_resting(sim);
  *which = NULL;
  /* not at each step: there may be many, and it stays as it is */
  s->resting = load ? s->resting + 1 : 0;
  if (!load || (s->resting & (s->resting - 1)) != 0) return LW_OK;
  probe p = {.s = s, .t = lwi_system_time(s->system->motion, t)};
  p.y = malloc((7 * n + 1) * sizeof *p.y);
  if (!p.y) return LW_E_MEMORY;
  p.moved = p.y + n, p.f = p.moved + n;
  for (size_t j = 0; j < 2; j++)
    p.up[j] = p.f + (1 + 2 * j) * n, p.down[j] = p.up[j] + n;
  lw_status status = lwi_simulation_find_y(sim, t);
  if (status == LW_OK && n) memcpy(p.y, sim->y, n * sizeof *p.y);
  if (status == LW_OK) status = s->system->motion->rate(s->system->motion, p.t, p.y, p.f);
  for (int k = 0; k < s->n && status == LW_OK && !*which; k++) {
    bool kink;
    status = has_kink(&p, k, &kink);
    if (kink) *which = load;
  }
  free(p.y);
  return status;
}
