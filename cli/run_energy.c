/* SPDX-License-Identifier: Apache-2.0 */
/* run_energy.c -- energies of a run and their balance: the summary, JSON, and the warning about
   wrong results. */
#include "run_energy.h"

#include <math.h>

/* closer than this smaller tolerances do not help */
static const double NEARLY_SINGULAR = 1e-4;

static bool is_off(const run_energies *e)
{
  return e->worst_explained > 0;
}

static bool is_known(const run_energies *e)
{
  return !isfinite(e->balance.unknown_since);
}

lw_status run_energies_add(run_energies *e, const lw_simulation *sim, double t, run_energy now,
                           double error)
{
  const lw_status status = lw_simulation_energy(sim, &e->balance);
  if (status != LW_OK) return status;
  e->now = now;
  if (e->rows++ == 0) e->start = now;
  e->scale = fmax(e->scale, fmax(now.kinetic, fabs(now.potential)));
  e->error = error;
  e->largest = fmax(e->largest, fabs(error));
  const double explained = e->balance.explained;
  if (!(fabs(error) > explained)) return LW_OK;
  if (!is_off(e)) e->since = t;
  if (is_off(e) && fabs(error) / explained <= fabs(e->worst_error) / e->worst_explained)
    return LW_OK;
  e->worst_time = t;
  e->worst_error = error;
  e->worst_explained = explained;
  return LW_OK;
}

void run_energies_warn(const cli_args *a, const run_energies *e)
{
  if (!is_known(e) && !e->stopped)
    fprintf(stderr,
            "%s: warning: the balance of energy is not known after t = %g: the power of "
            "forces or drivers cannot be computed there\n",
            a->model, e->balance.unknown_since);
  if (!is_off(e)) return;
  const double closest = e->balance.closest;
  char passing[200];
  snprintf(passing, sizeof passing,
           "the mechanism passes closely by a singular configuration at t = %g (distance %.1g of "
           "1), where rounding errors grow: let it pass farther away, or exactly through it",
           e->balance.closest_at, closest);
  const bool helps = !(closest < NEARLY_SINGULAR);
  fprintf(stderr,
          "%s: warning: energy and work do not agree since t = %g: at t = %g the energy is off by "
          "%.3g, "
          "%s explain at most %.2g; the results may be wrong: %s%s%s\n",
          a->model, e->since, e->worst_time, e->worst_error,
          e->fixed_steps ? "and short steps" : "and the tolerances", e->worst_explained,
          helps ? "try " : passing,
          helps ? e->fixed_steps ? "a smaller step" : "a smaller rtol" : "",
          helps ? ", or another formulation" : "");
}

static double relative_change(const run_energies *e)
{
  const double change = e->now.total - e->start.total;
  return e->scale > 0 ? change / e->scale : change;
}

void run_energies_print(const run_energies *e)
{
  const lw_energy_balance *b = &e->balance;
  printf("energy            %16s %16s %16s\n", "kinetic", "potential", "total");
  printf("  start           %16.9g %16.9g %16.9g\n", e->start.kinetic, e->start.potential,
         e->start.total);
  printf("  end             %16.9g %16.9g %16.9g\n", e->now.kinetic, e->now.potential,
         e->now.total);
  printf("  relative change %16.2e\n", relative_change(e));
  if (is_known(e))
    printf("  work, events    %16.9g %16.9g\n", b->work, b->events);
  else
    printf("  work            not known after t = %g\n", b->unknown_since);
  printf("  error           %16.2e%s\n\n", e->largest,
         is_off(e) ? ", more than tolerances or short steps explain" : "");
}

static void json_energy(json *j, const char *key, const run_energy *e)
{
  json_object(j, key);
  json_number(j, "kinetic", e->kinetic);
  json_number(j, "potential", e->potential);
  json_number(j, "total", e->total);
  json_object_end(j);
}

void run_energies_json(json *j, const run_energies *e)
{
  const lw_energy_balance *b = &e->balance;
  json_object(j, "energy");
  json_energy(j, "start", &e->start);
  json_energy(j, "end", &e->now);
  json_number(j, "relative_change", relative_change(e));
  if (is_known(e)) {
    json_number(j, "work", b->work);
    json_number(j, "events", b->events);
    json_number(j, "error", e->error);
  } else {
    json_number(j, "unknown_since", b->unknown_since);
  }
  json_number(j, "largest_error", e->largest);
  json_number(j, "explained", b->explained);
  json_bool(j, "balanced", !is_off(e));
  if (is_off(e)) json_number(j, "unbalanced_since", e->since);
  json_object_end(j);
}
