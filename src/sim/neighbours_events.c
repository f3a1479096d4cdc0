/* SPDX-License-Identifier: Apache-2.0 */
/* neighbours_events.c -- neighbours go through events: at te + c h te' in the state x- + c h (x-' + xdot- te').  What they
   are afterwards also says how the numbers of the new model follow the parameter. */
#include "base/fail.h"
#include "model/compile.h"
#include "model/model_change.h"
#include "sim/neighbours_data.h"
#include "sim/state.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes(int n)
{
  return (size_t)n * sizeof(double);
}

static lw_status no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory for sensitivities");
}

lw_status lwi_neighbours_pass(lwi_neighbours *v, const lwi_passed *e, lw_error *err)
{
  lwi_neighbours_shift(v, e->y, e->along, e->ny);
  for (int i = 0; i < N; i++) {
    const int nq = lw_nq(v->sim[i]->m);
    const lw_status status =
        lwi_events_repeat(v->sim[i], e->t + lwi_neighbour_place[i] * v->h * e->when1, v->y[i],
                          v->y[i] + nq, e->number, e->n, err);
    if (status != LW_OK) return status;
  }
  return lwi_neighbours_room(v, lwi_neighbours_size(v)) ? LW_OK : no_memory(err);
}

/* g' / -dg/dt of an expression, or the derivative of a time that is written */
static lw_status find_when1(lwi_neighbours *v, const lwi_crossing *x, const double y1[],
                            double *when1)
{
  double sum = 0;
  lwi_neighbours_shift(v, x->y, y1, lwi_neighbours_size(v));
  for (int i = 0; i < N; i++) {
    lw_simulation *sim = v->sim[i];
    const int e = x->number[0] - 1;
    double value = v->model[i]->event[e].d.at - v->m->event[e].d.at;
    if (x->trigger >= 0) {
      lw_status status = sim->system->show(sim->system, x->t, v->y[i], sim->q, sim->u);
      if (status == LW_OK) status = lwi_triggers_evaluate(&sim->triggers, x->t, sim->q, sim->u);
      if (status != LW_OK) return status;
      value = sim->triggers.when[x->trigger].g;
    }
    sum += lwi_neighbour_weight[i] / v->h * value;
  }
  *when1 = x->trigger >= 0 ? -sum / x->g_rate : sum;
  return LW_OK;
}

static lwi_passed *note_event(lwi_neighbours *v, const lwi_crossing *x, const double y1[],
                              double when1)
{
  if (!lwi_grow(&v->events, v->npassed, &v->passed_capacity, sizeof *v->events)) return NULL;
  lwi_passed *e = &v->events[v->npassed];
  const int n = lwi_neighbours_size(v);
  *e = (lwi_passed){.t = x->t, .when1 = when1, .n = x->n, .ny = n};
  e->number = malloc((size_t)x->n * sizeof(int) + 1);
  e->y = malloc(2 * bytes(n) + 1);
  e->along = e->y ? e->y + n : NULL;
  v->npassed++; /* to be freed in any case */
  if (!e->number || !e->y) return NULL;
  memcpy(e->number, x->number, (size_t)x->n * sizeof(int));
  memcpy(e->y, x->y, bytes(n));
  for (int k = 0; k < n; k++)
    e->along[k] = y1[k] + when1 * x->f[k];
  return e;
}

lw_status lwi_neighbours_when(lwi_variation *base, const lwi_crossing *x, const double y1[],
                              double *when1, lw_error *err)
{
  lwi_neighbours *v = (lwi_neighbours *)base;
  const lw_status found = find_when1(v, x, y1, when1);
  if (found == LW_OK && isfinite(*when1) && (x->trigger < 0 || x->g_rate != 0)) return LW_OK;
  return lwi_crossing_fail(x, found != LW_OK ? found : LW_E_SINGULAR, err);
}

lw_status lwi_neighbours_jump(lwi_variation *base, const lwi_crossing *x, const double y1[],
                              double when1, lw_error *err)
{
  lwi_neighbours *v = (lwi_neighbours *)base;
  const lwi_passed *e = note_event(v, x, y1, when1);
  return e ? lwi_neighbours_pass(v, e, err) : no_memory(err);
}

lw_status lwi_neighbours_land(lwi_variation *base, double t, const double y[], double y1[])
{
  (void)t;
  lwi_neighbours *v = (lwi_neighbours *)base;
  for (int i = 0; i < N; i++) {
    memcpy(v->y[i], v->sim[i]->y, bytes(lwi_neighbours_size(v)));
    lwi_align_quaternions(v->sim[i]->m, y, v->y[i]);
  }
  lwi_neighbours_gather(v, v->y, lwi_neighbours_size(v), y1);
  return LW_OK;
}

lw_model *lwi_neighbours_change(lwi_variation *base, lw_error *err)
{
  lwi_neighbours *v = (lwi_neighbours *)base;
  const lw_simulation *sim = v->sim[0];
  lw_model *change = lwi_compile_phase(sim->spec ? sim->spec : sim->first->spec, err);
  lw_model *beside[N];
  double by[N];
  if (!change) return NULL;
  for (int i = 0; i < N; i++) {
    beside[i] = v->sim[i]->own ? v->sim[i]->own : v->model[i];
    by[i] = lwi_neighbour_weight[i] / v->h;
  }
  const lw_status status = lwi_model_change_from(change, beside, by, N, err);
  if (status == LW_OK) return change;
  lw_model_free(change);
  return NULL;
}
