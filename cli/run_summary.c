/* SPDX-License-Identifier: Apache-2.0 */
/* run_summary.c -- the summary of a run: steps, energies, drift, singular configurations. */
#include "run_summary.h"
#include "linkwork/contacts.h"
#include "linkwork/events.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lw_status run_result_start(run_result *r, const lw_model *m, lw_simulation *sim, lw_error *err)
{
  int nq, nu;
  *r = (run_result){.m = m, .sim = sim};
  lw_simulation_capacity(sim, &nq, &nu);
  r->q = calloc((size_t)nq + 1, sizeof *r->q);
  r->u = calloc((size_t)nu + 1, sizeof *r->u);
  r->q_start = calloc((size_t)lw_nq_all(m) + 1, sizeof *r->q_start);
  r->monitor = lw_columns_new(m, "t,energy.*,drift", err);
  if (!r->monitor) return err->status;
  if (r->q && r->u && r->q_start) return LW_OK;
  snprintf(err->text, sizeof err->text, "%s", lw_status_text(LW_E_MEMORY));
  return LW_E_MEMORY;
}

void run_result_free(run_result *r)
{
  lw_columns_free(r->monitor);
  run_events_free(&r->events);
  free(r->q);
  free(r->u);
  free(r->q_start);
  free(r->singular);
  live_plot_free(&r->plot);
  redundancy_free(&r->redundancy);
}

/* At the start; if the freedoms of the mechanism cannot be counted there, those of its tree are
   printed. */
static lw_status count_freedoms(run_result *r)
{
  int redundant;
  lw_work *w = lw_work_new(r->m);
  r->dof = lw_dof_of_tree(r->m);
  const lw_status status = w ? lw_dof(w, r->q, &r->dof, &redundant) : LW_E_MEMORY;
  lw_work_free(w);
  return status == LW_E_MEMORY ? status : LW_OK;
}

lw_status run_result_add(run_result *r)
{
  double row[6]; /* t, three energies, the error of their balance, drift */
  lw_status status = lw_columns_row(r->monitor, r->t, r->q, r->u, row);
  if (status == LW_OK && r->rows == 0) status = count_freedoms(r);
  if (status != LW_OK) return status;
  if (r->rows == 0) memcpy(r->q_start, r->q, (size_t)lw_nq_all(r->m) * sizeof(double));

  r->largest_drift = fmax(r->largest_drift, row[5]);
  const run_energy now = {row[1], row[2], row[3]};
  return run_energies_add(&r->energies, r->sim, r->t, now, row[4]);
}

/* ---- singular configurations ---- */

lw_status run_result_find_singular(run_result *r, const lw_simulation *sim)
{
  const lw_singularity *passed;
  const int n = lw_simulation_singularities(sim, &passed);
  r->singular = calloc((size_t)n + 2, sizeof *r->singular);
  if (!r->singular) return LW_E_MEMORY;
  singular_place one;
  bool singular;
  lw_status status = singular_at(r->m, 0, r->q_start, AT_START, &singular, &one);
  if (singular) r->singular[r->nsingular++] = one;
  if (status == LW_OK) status = redundancy_find(&r->redundancy, r->m, 0, NULL, singular);
  for (int i = 0; i < n; i++)
    r->singular[r->nsingular++] =
        (singular_place){.time = passed[i].time,
                         .dof = passed[i].dof,
                         .dof_there = passed[i].dof_there,
                         .when = ON_THE_WAY,
                         .note = ", the branch on which it is smooth was kept"};
  if (status != LW_OK || !(r->t > 0)) return status;
  status = singular_at(lw_simulation_model(sim), r->t, r->q, AT_END, &singular, &one);
  if (singular) r->singular[r->nsingular++] = one;
  return status;
}

void run_result_warn(const cli_args *a, const run_result *r)
{
  run_energies_warn(a, &r->energies);
  singular_warn_all(a, r->singular, r->nsingular);
  event_warnings_print(a, &r->events.warnings);
}

static void print_singular(const run_result *r)
{
  for (int i = 0; i < r->nsingular && i < SINGULAR_WARNINGS; i++) {
    const singular_place *s = &r->singular[i];
    printf("%s t = %.10g: %d degree%s of freedom instead of %d\n",
           i ? "                 " : "singular at      ", s->time, s->dof_there,
           plural(s->dof_there), s->dof);
  }
  if (r->nsingular > SINGULAR_WARNINGS)
    printf("                  ... and %d more\n", r->nsingular - SINGULAR_WARNINGS);
}

static void print_open_loads(const lw_simulation *sim)
{
  enum { SHOWN = 8 };
  int n = 0;
  const char *name;
  for (; (name = lw_simulation_open_load(sim, n)); n++)
    if (n < SHOWN) printf("%s%s", n ? ", " : "loads not unique  ", show(name).text);
  if (n > SHOWN) printf(" and %d more", n - SHOWN);
  if (n > 0) printf(": the least possible ones are shown\n");
}

static void json_open_loads(json *j, const lw_simulation *sim)
{
  const char *name;
  json_list(j, "loads_not_unique");
  for (int i = 0; (name = lw_simulation_open_load(sim, i)); i++)
    json_text(j, NULL, name);
  json_list_end(j);
}

void run_result_print(const run_result *r)
{
  const lw_simulation_statistics *s = &r->statistics;
  printf("%s: %d bod%s, %d joint%s, %d degree%s of freedom\n\n", show(model_title(r->m)).text,
         lw_nbody(r->m), lw_nbody(r->m) == 1 ? "y" : "ies", lw_njoint(r->m),
         plural(lw_njoint(r->m)), r->dof, plural(r->dof));

  printf("state at t = %g\n", r->t);
  const state_column columns[] = {{"q", COORDINATES, r->q}, {"u", SPEEDS, r->u}};
  print_states(lw_simulation_model(r->sim), columns, 2, 40);
  printf("\n");
  run_events_print(&r->events);
  run_energies_print(&r->energies);
  print_open_loads(r->sim);
  printf("constraint drift  %g\n", r->largest_drift);
  printf("formulation       %s\n", lw_formulation_name(r->used.formulation));
  if (r->energies.fixed_steps)
    printf("integration       %s\n", s->method);
  else
    printf("integration       %s, rtol %g, atol %g\n", s->method, r->used.rtol, r->used.atol);
  printf("                  %ld step%s (%.3g to %.3g s), %ld rejected, %ld evaluation%s\n",
         s->steps, plural(s->steps), s->smallest_step, s->largest_step, s->rejected, s->evaluations,
         plural(s->evaluations));
  run_partition_print(r);
  print_singular(r);
  if (r->redundancy.m && redundancy_matters(&r->redundancy))
    redundancy_print(&r->redundancy, "redundancy        ", "                  ");
  printf("wall time         %.3g s\n", r->wall_time);
}

static void json_statistics(json *j, const run_result *r)
{
  const lw_simulation_statistics *s = &r->statistics;
  json_object(j, "statistics");
  json_text(j, "method", s->method);
  json_number(j, "rtol", r->used.rtol);
  json_number(j, "atol", r->used.atol);
  json_integer(j, "steps", s->steps);
  json_integer(j, "rejected", s->rejected);
  json_integer(j, "evaluations", s->evaluations);
  json_number(j, "smallest_step", s->smallest_step);
  json_number(j, "largest_step", s->largest_step);
  json_number(j, "last_step", s->last_step);
  json_object_end(j);
}

char *run_result_text(const cli_args *a, const run_result *r, const lw_error *err)
{
  json j;
  if (!json_start(&j)) return NULL;
  json_object(&j, NULL);
  json_text(&j, "name", lw_model_name(r->m));
  json_text(&j, "output", args_text(a, "output"));
  json_integer(&j, "rows", r->rows);
  json_number(&j, "time", r->t);
  json_bool(&j, "complete", r->t >= r->used.end || lw_simulation_is_over(r->sim));
  report_error_member(&j, a->model, err);
  json_text(&j, "formulation", lw_formulation_name(r->used.formulation));
  json_state(&j, "q", lw_simulation_model(r->sim), COORDINATES, r->q);
  json_state(&j, "u", lw_simulation_model(r->sim), SPEEDS, r->u);
  run_energies_json(&j, &r->energies);
  json_number(&j, "drift", r->largest_drift);
  json_open_loads(&j, r->sim);
  singular_json(&j, "singularities", r->singular, r->nsingular);
  if (r->redundancy.m) redundancy_json(&j, &r->redundancy);
  run_partition_json(&j, r);
  run_events_json(&j, &r->events);
  event_warnings_json(&j, a, &r->events.warnings);
  json_statistics(&j, r);
  json_number(&j, "wall_time", r->wall_time);
  json_object_end(&j);
  return json_take(&j);
}

bool run_result_json(const cli_args *a, const run_result *r, const lw_error *err)
{
  if (json_print(run_result_text(a, r, err))) return true;
  complain_status(a, "the results cannot be written", LW_E_NUMBER);
  return false;
}
