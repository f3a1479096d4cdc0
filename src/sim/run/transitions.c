/* SPDX-License-Identifier: Apache-2.0 */
/* transitions.c -- records how events change the model, and repeats it (transitions.h). */
#include "sim/run/transitions.h"
#include "base/fail.h"
#include "sim/run/simulation_data.h"
#include "sim/run/visit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4000000 }; /* numbers: beyond, runs cannot be resumed after their events */

/* a moment as numbers; copies, where it is loaded */
typedef struct {
  double t, at;
  int nevent;
  double *number;  /* [nevent] of events of the first model; 0: others, which change nothing */
  double *q;       /* [nq_all] */
  lwi_frame *pose; /* [nbody + 1] */
  double *wound;   /* [ntorsion] */
} moment;

/* m: the model before. */
static void visit_moment(lwi_visit *v, moment *x, const lw_model *m)
{
  lwi_visit_numbers(v, &x->t, 1);
  lwi_visit_numbers(v, &x->at, 1);
  lwi_visit_numbers(v, x->number, (size_t)x->nevent);
  lwi_visit_numbers(v, x->q, (size_t)lw_nq_all(m));
  lwi_visit_numbers(v, (double *)x->pose,
                    ((size_t)lw_nbody(m) + 1) * (sizeof(lwi_frame) / sizeof(double)));
  lwi_visit_numbers(v, x->wound, (size_t)m->ntorsion);
}

static void visit_contacts(lwi_visit *v, lwi_contacts *c)
{
  for (int i = 0; i < c->n; i++) {
    lwi_visit_contact(v, &c->item[i]);
    LWI_VISIT_WHOLE(v, c->hold[i]);
  }
}

/* The start of the model after. */
static void visit_start(lwi_visit *v, lw_model *m)
{
  lwi_visit_numbers(v, m->q0, (size_t)m->nq);
  lwi_visit_numbers(v, m->u0, (size_t)m->nu);
}

void lwi_transitions_begin(lw_simulation *sim)
{
  sim->transitions.on = true;
  if (sim->phase != 0) sim->transitions.lost = true;
}

/* Room for n more numbers after the staged ones. */
static double *reserve(lwi_transitions *x, size_t n)
{
  const size_t wanted = x->n + x->staged + n + LWI_TRANSITION_BLOCK;
  if (wanted > MOST) return NULL;
  if (wanted > x->capacity) {
    const size_t capacity = 2 * wanted;
    double *more = realloc(x->x, capacity * sizeof *more);
    if (!more) return NULL;
    x->x = more;
    x->capacity = capacity;
  }
  return x->x + x->n + x->staged;
}

static double number_of(const lw_simulation *sim, const lwi_event *e)
{
  const lwi_event *all = sim->first->event;
  for (int i = 0; i < sim->first->nevent; i++)
    if (e == &all[i]) return i + 1;
  return 0;
}

void lwi_transitions_stage(lw_simulation *sim, const lwi_moment *now)
{
  lwi_transitions *x = &sim->transitions;
  if (!x->on || x->lost) return;
  moment from = {.t = now->t,
                 .at = now->at,
                 .nevent = now->nevent,
                 .number = calloc((size_t)now->nevent + 1, sizeof(double)),
                 .q = (double *)now->q, /* they are only read */
                 .pose = (lwi_frame *)now->pose,
                 .wound = (double *)now->wound};
  lwi_visit v = {.mode = LWI_COUNT};
  visit_moment(&v, &from, now->m);
  visit_contacts(&v, &sim->contacts);
  x->staged = 0;
  double *to = from.number ? reserve(x, v.n + 1) : NULL;
  if (!to) {
    x->lost = true;
  } else {
    for (int i = 0; i < now->nevent; i++)
      from.number[i] = number_of(sim, now->event[i]);
    to[0] = now->nevent;
    v = (lwi_visit){.mode = LWI_SAVE, .at = to, .n = 1};
    visit_moment(&v, &from, now->m);
    visit_contacts(&v, &sim->contacts);
    x->staged = v.n;
  }
  free(from.number);
}

void lwi_transitions_commit(lw_simulation *sim, const lw_model *m, bool raised)
{
  lwi_transitions *x = &sim->transitions;
  if (raised) x->lost = true;
  if (!x->on || x->lost) return;
  double *to = reserve(x, (size_t)m->nq + (size_t)m->nu);
  if (!to) {
    x->lost = true;
    return;
  }
  lwi_visit v = {.mode = LWI_SAVE, .at = to};
  visit_start(&v, (lw_model *)m); /* saving changes nothing */
  x->n += x->staged + v.n;
  while (x->n % LWI_TRANSITION_BLOCK)
    x->x[x->n++] = 0;
  x->staged = 0;
  x->count++;
}

/* ---- repeat ---- */

static lw_status damaged(lw_error *err)
{
  return lwi_fail(err, LW_E_FILE, "the transitions of the results are damaged");
}

/* The model after becomes the present one, and its phase. */
static void take_over(lw_simulation *sim, lwi_phase *phase, lw_model *m)
{
  lw_model_free(sim->previous);
  lwi_phase_free(sim->present);
  sim->previous = sim->own;
  sim->own = m;
  sim->m = m;
  sim->present = phase;
  sim->has_previous = true;
  sim->phase++;
}

/* from: the moment, whose arrays have room for it; list: [nevent] scratch. */
static lw_status repeat_one(lw_simulation *sim, const moment *from, const lwi_event **list,
                            lwi_visit *v, lw_error *err)
{
  int n = 0;
  for (int i = 0; i < from->nevent; i++) {
    if (!(from->number[i] >= 0 && from->number[i] <= sim->first->nevent)) return damaged(err);
    if (from->number[i] > 0) list[n++] = &sim->first->event[(int)from->number[i] - 1];
  }
  const lwi_moment now = {.t = from->t,
                          .at = from->at,
                          .m = sim->m,
                          .phase = sim->present,
                          .q = from->q,
                          .pose = from->pose,
                          .wound = from->wound,
                          .contacts = sim->contacts.n > 0 ? &sim->contacts : NULL,
                          .event = list,
                          .nevent = n};
  bool moves;
  lwi_phase *phase = lwi_next_phase(&now, err);
  lw_model *m = phase ? lwi_next_model(&now, phase, &moves, err) : NULL;
  if (!m) {
    lwi_phase_free(phase);
    return err->status;
  }
  visit_start(v, m);
  take_over(sim, phase, m);
  return LW_OK;
}

static lw_status load_one(lw_simulation *sim, lwi_visit *v, size_t n, lw_error *err)
{
  const lw_model *m = sim->m;
  const double nevent = v->n < n ? v->at[v->n++] : -1;
  if (!(nevent >= 0 && nevent <= sim->first->nevent + 2 * sim->contacts.n + m->nconstraint))
    return damaged(err);
  moment from = {.nevent = (int)nevent};
  const size_t all = (size_t)from.nevent;
  from.number = calloc(all + 1, sizeof *from.number);
  from.q = calloc((size_t)lw_nq_all(m) + 1, sizeof *from.q);
  from.pose = calloc((size_t)lw_nbody(m) + 1, sizeof *from.pose);
  from.wound = calloc((size_t)m->ntorsion + 1, sizeof *from.wound);
  const lwi_event **list = calloc(all + 1, sizeof *list);
  lw_status status = from.number && from.q && from.pose && from.wound && list
                         ? LW_OK
                         : lwi_out_of_memory(err, "an event");
  if (status == LW_OK) {
    visit_moment(v, &from, m);
    visit_contacts(v, &sim->contacts);
    status = repeat_one(sim, &from, list, v, err);
  }
  free(from.number);
  free(from.q);
  free(from.pose);
  free(from.wound);
  free(list);
  while (v->n % LWI_TRANSITION_BLOCK)
    v->n++;
  return status == LW_OK && v->n > n ? damaged(err) : status;
}

lw_status lwi_transitions_repeat(lw_simulation *sim, const double x[], size_t n, int count,
                                 lw_error *err)
{
  lwi_transitions *to = &sim->transitions;
  if (!sim->present) return damaged(err);
  to->staged = 0;
  double *copy = reserve(to, n);
  if (!copy) return lwi_out_of_memory(err, "an event");
  memcpy(copy, x, n * sizeof *x);
  memset(copy + n, 0, LWI_TRANSITION_BLOCK * sizeof *x);
  lwi_visit v = {.mode = LWI_LOAD, .at = copy};
  lw_status status = LW_OK;
  for (int i = 0; i < count && status == LW_OK; i++)
    status = load_one(sim, &v, n, err);
  to->n = n;
  to->count = count;
  return status;
}

lw_status lwi_transitions_visit(lw_simulation *sim, const double x[], size_t n,
                                lw_status (*each)(void *context, double t, const lw_model *m),
                                void *context, lw_error *err)
{
  double *copy = sim->present ? reserve(&sim->transitions, n) : NULL;
  if (!copy) return sim->present ? lwi_out_of_memory(err, "an event") : damaged(err);
  memcpy(copy, x, n * sizeof *x);
  memset(copy + n, 0, LWI_TRANSITION_BLOCK * sizeof *x);
  lwi_visit v = {.mode = LWI_LOAD, .at = copy};
  lw_status status = LW_OK;
  while (v.n < n && status == LW_OK) {
    const double t = copy[v.n + 1]; /* after the number of events */
    status = load_one(sim, &v, n, err);
    if (status == LW_OK) status = each(context, t, sim->m);
  }
  return status;
}
