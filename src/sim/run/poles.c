/* SPDX-License-Identifier: Apache-2.0 */
/* poles.c -- loads without bound: 1/q where q passes zero, 1/(0.5 - t)^2.  No motion goes through
   such a place, but steps of an integrator may jump over it.  Where a divisor becomes zero the
   rates y' = f(t, y) of the system are compared at two distances from there, along the last step:
   those of a pole of order p grow by 10^(4 p), while those of quotients such as sin(q)/q stay as
   they are. */
#include "base/fail.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>

static const double far = 1e-1, near = 1e-5; /* of the last step */
static const double growth = 10;             /* 10^4 to the power 1/4 */

/* f at the distance e from b, on the line from a. */
static lw_status rate_at(lw_simulation *sim, const double t[2], const double *a, const double *b,
                         double e, double *y, double *f)
{
  const int n = sim->system->n;
  for (int i = 0; i < n; i++)
    y[i] = b[i] - e * (b[i] - a[i]);
  return lwi_system_rate(sim->system, t[1] - e * (t[1] - t[0]), y, f);
}

/* rates of one kind, and closer to b */
static bool any_grows(const double *f, const double *g, int n)
{
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(f[i]));
  for (int i = 0; i < n; i++)
    if (fabs(g[i]) > growth * fabs(f[i]) + 1e-3 * largest) return true;
  return false;
}

/* Towards b from one side, sign = 1 from before. */
static bool grows(lw_simulation *sim, const double t[2], double sign, double *scratch)
{
  const int n = sim->system->n, block = lwi_system_block(sim->system);
  const int first = sim->m->nq < block ? sim->m->nq : block; /* of the speeds */
  double *a = scratch, *b = a + n, *y = b + n, *f = y + n, *g = f + n;
  if (rate_at(sim, t, a, b, sign * far, y, f) != LW_OK) return false;
  const lw_status status = rate_at(sim, t, a, b, sign * near, y, g);
  if (status != LW_OK) return status == LW_E_NUMBER;
  return any_grows(f, g, first) || any_grows(f + first, g + first, block - first);
}

/* Steps are short before a pole: then the line goes on to where times and states can be told
   apart. */
static void lengthen(double t[2], double *a, const double *b, int n)
{
  const double longer = 1e-6 * fabs(t[1]) / (t[1] - t[0]);
  if (!(longer > 1)) return;
  t[0] = t[1] - longer * (t[1] - t[0]);
  for (int i = 0; i < n; i++)
    a[i] = b[i] - longer * (b[i] - a[i]);
}

bool lwi_simulation_has_pole(lw_simulation *sim, double at)
{
  lwi_integrator *it = sim->integrator;
  double t[2] = {sim->from, at};
  const int n = sim->system->n;
  if (!(at > sim->from)) return false;
  double *scratch = malloc((5 * (size_t)n + 1) * sizeof *scratch), *a = scratch,
         *b = scratch ? a + n : NULL;
  const bool known = scratch && it->get(it, t[0], a) == LW_OK && it->get(it, t[1], b) == LW_OK;
  if (known) lengthen(t, a, b, n);
  const bool pole = known && (grows(sim, t, 1, scratch) || grows(sim, t, -1, scratch));
  free(scratch);
  return pole;
}

lw_status lwi_poles_check_time(lw_simulation *sim, double at, lw_error *err)
{
  lwi_failing_part which;
  bool mixed = false;
  const bool found = lwi_switches_find_unbounded(&sim->switches, sim->m, &mixed, &which);
  if (!found || (mixed && !lwi_simulation_has_pole(sim, at))) return LW_OK;
  lwi_fail(err, LW_E_NUMBER, "%s", which.text);
  lwi_locate_error(sim->m->files, which.mark, err);
  return LW_E_NUMBER;
}

lw_status lwi_poles_check_state(lw_simulation *sim, const lwi_state_switch *load, double at,
                                lw_error *err)
{
  if (!load || !load->pole || !lwi_simulation_has_pole(sim, at)) return LW_OK;
  lwi_fail(err, LW_E_NUMBER,
           "%s grows without bound towards t = %.9g, where it divides by zero: no motion goes on "
           "from there",
           load->name, at);
  lwi_locate_error(sim->m->files, load->event.mark, err);
  return LW_E_NUMBER;
}
