/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c -- the state of a simulation as numbers (checkpoint.h).  One function visits all of
   them, to count, save and load. */
#include "sim/run/checkpoint.h"
#include "sim/output/columns.h"
#include "sim/run/simulation_data.h"
#include "sim/run/visit.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <math.h>
#include <string.h>

enum { MOST_SINGULAR = 64 };
enum { PHASE, TRANSITIONS, HEAD }; /* the first numbers: models before, numbers of transitions.c */

static void visit_report(lwi_visit *v, lw_simulation_statistics *s)
{
  LWI_VISIT_WHOLE(v, s->steps);
  LWI_VISIT_WHOLE(v, s->evaluations);
  LWI_VISIT_WHOLE(v, s->rejected);
  lwi_visit_numbers(v, &s->last_step, 1);
  lwi_visit_numbers(v, &s->smallest_step, 1);
  lwi_visit_numbers(v, &s->largest_step, 1);
}

static void visit_balance(lwi_visit *v, lwi_balance *b)
{
  double *const all[] = {&b->start,   &b->events,      &b->now.work,  &b->now.quadrature,
                         &b->now.sum, &b->now.squares, &b->change[0], &b->change[1],
                         &b->each,    &b->most,        &b->magnitude, &b->potential,
                         &b->unknown};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    lwi_visit_numbers(v, all[i], 1);
  LWI_VISIT_WHOLE(v, b->measured);
  LWI_VISIT_WHOLE(v, b->unseen);
  LWI_VISIT_WHOLE(v, b->why);
  LWI_VISIT_WHOLE(v, b->random);
}

static void visit_singularities(lwi_visit *v, lwi_singularities *x)
{
  double found[3 * MOST_SINGULAR] = {0};
  for (int i = 0; i < x->n && v->mode == LWI_SAVE; i++) {
    found[3 * i] = x->found[i].time;
    found[3 * i + 1] = x->found[i].dof;
    found[3 * i + 2] = x->found[i].dof_there;
  }
  int n = x->n;
  const size_t parts = (size_t)x->npart;
  lwi_visit_numbers(v, &x->last.t, 1);
  lwi_visit_numbers(v, x->last.r, parts);
  lwi_visit_numbers(v, x->last.speed, parts);
  for (int i = 0; i < x->npart; i++) {
    lwi_visit_numbers(v, &x->arrival[i].time, 1);
    LWI_VISIT_WHOLE(v, x->arrival[i].freedoms);
    LWI_VISIT_WHOLE(v, x->rank[i]);
  }
  LWI_VISIT_WHOLE(v, n);
  lwi_visit_numbers(v, found, (size_t)(3 * MOST_SINGULAR));
  for (x->n = v->mode == LWI_LOAD ? 0 : x->n; v->mode == LWI_LOAD && x->n < n; x->n++) {
    if (!lwi_grow(&x->found, x->n, &x->capacity, sizeof *x->found)) return;
    const double *from = found + 3 * x->n;
    x->found[x->n] = (lw_singularity){from[0], (int)from[1], (int)from[2]};
  }
}

static void visit_switches(lwi_visit *v, lwi_switches *x)
{
  LWI_VISIT_WHOLE(v, x->active);
  lwi_visit_numbers(v, x->span, (size_t)(2));
  lwi_visit_numbers(v, &x->next, 1);
  lwi_visit_numbers(v, &x->after, 1);
  lwi_visit_numbers(v, &x->searched, 1);
  lwi_visit_numbers(v, &x->begin, 1);
}

void lwi_visit_contact(lwi_visit *v, lwi_contact *k)
{
  LWI_VISIT_WHOLE(v, k->side);
  LWI_VISIT_WHOLE(v, k->apart);
  LWI_VISIT_WHOLE(v, k->pushed);
  LWI_VISIT_WHOLE(v, k->stuck);
  LWI_VISIT_WHOLE(v, k->resting);
  LWI_VISIT_WHOLE(v, k->sliding);
  LWI_VISIT_WHOLE(v, k->slides);
  LWI_VISIT_WHOLE(v, k->leaving);
  LWI_VISIT_WHOLE(v, k->open);
  LWI_VISIT_WHOLE(v, k->nacross);
  lwi_visit_numbers(v, k->along, (size_t)(3));
  lwi_visit_numbers(v, k->direction, (size_t)(3));
  lwi_visit_numbers(v, k->across, (size_t)(2));
  lwi_visit_numbers(v, k->pull, (size_t)(3));
  lwi_visit_numbers(v, k->axis, (size_t)(3));
  lwi_visit_numbers(v, k->carried, (size_t)(6));
  lwi_visit_numbers(v, &k->bears, 1);
  lwi_visit_numbers(v, &k->excess, 1);
  lwi_visit_numbers(v, &k->gap, 1);
  lwi_visit_numbers(v, &k->fired, 1);
  lwi_visit_numbers(v, &k->let_go, 1);
  lwi_visit_numbers(v, &k->left, 1);
  lwi_visit_numbers(v, &k->interval, 1);
  lwi_visit_numbers(v, &k->longest, 1);
}

static void visit_trigger(lwi_visit *v, lwi_trigger *w)
{
  enum { SIDE = (sizeof w->side + sizeof(double) - 1) / sizeof(double) };
  double side[SIDE] = {0};
  memcpy(side, &w->side, sizeof w->side);
  lwi_visit_numbers(v, side, (size_t)(SIDE));
  if (v->mode == LWI_LOAD) memcpy(&w->side, side, sizeof w->side);
  LWI_VISIT_WHOLE(v, w->only);
  LWI_VISIT_WHOLE(v, w->spent);
  LWI_VISIT_WHOLE(v, w->asleep);
  LWI_VISIT_WHOLE(v, w->shrunk);
  LWI_VISIT_WHOLE(v, w->firings);
  lwi_visit_numbers(v, &w->fired, 1);
  lwi_visit_numbers(v, &w->interval, 1);
  lwi_visit_numbers(v, &w->longest, 1);
  lwi_visit_numbers(v, &w->counted, 1);
}

static void visit_events(lwi_visit *v, lw_simulation *sim)
{
  visit_switches(v, &sim->switches);
  for (int i = 0; i < sim->contacts.n; i++)
    lwi_visit_contact(v, &sim->contacts.item[i]);
  lwi_visit_numbers(v, &sim->contacts.fastest, 1);
  LWI_VISIT_WHOLE(v, sim->contacts.check);
  for (int i = 0; i < sim->sampling.nstate; i++)
    LWI_VISIT_WHOLE(v, sim->sampling.taken[i]);
  lwi_visit_numbers(v, sim->sampling.value, (size_t)(sim->sampling.nstate));
  lwi_visit_numbers(v, &sim->sampling.next, 1);
  LWI_VISIT_WHOLE(v, sim->triggers.next);
  for (int i = 0; i < sim->triggers.nwhen; i++)
    visit_trigger(v, &sim->triggers.when[i]);
  if (sim->triggers.columns) {
    int n;
    double *memory[2];
    for (int k = 0; k < 2; k++) {
      memory[k] = lwi_columns_memory(sim->triggers.columns, k, &n);
      lwi_visit_numbers(v, memory[k], (size_t)(n));
    }
  }
}

/* The state and the integrator come first: what follows is set after the restart. */
static void visit_start(lwi_visit *v, lw_simulation *sim, double *pace, double *stiff)
{
  lwi_visit_numbers(v, &sim->wanted, 1);
  lwi_visit_numbers(v, sim->q, (size_t)(lw_nq_all(sim->m)));
  lwi_visit_numbers(v, sim->u, (size_t)(lw_nu_all(sim->m)));
  lwi_visit_numbers(v, pace, 1);
  lwi_visit_numbers(v, stiff, 1);
  lw_work *w = sim->system->dynamics->work; /* turns are counted from here */
  lwi_visit_numbers(v, sim->cut_q, (size_t)(sim->m->ncut_q));
  lwi_visit_numbers(v, w->kernels->part(w->tree, LWI_WOUND), (size_t)(sim->m->ntorsion));
  if (w->closure) lwi_visit_numbers(v, w->closure->start, (size_t)(sim->m->nconstraint + 1));
}

static void visit_rest(lwi_visit *v, lw_simulation *sim, lw_simulation_statistics *report)
{
  visit_report(v, report);
  visit_balance(v, &sim->balance);
  visit_singularities(v, &sim->singularities);
  visit_events(v, sim);
}

/* of the present model */
static size_t count_numbers(const lw_simulation *sim)
{
  lwi_visit v = {.mode = LWI_COUNT};
  double pace = 0, stiff = 0;
  lw_simulation_statistics report = {0};
  visit_start(&v, (lw_simulation *)sim, &pace, &stiff); /* counting changes nothing */
  visit_rest(&v, (lw_simulation *)sim, &report);
  return HEAD + v.n;
}

/* Models after events may have more coordinates and constraints. */
size_t lwi_checkpoint_size(const lw_simulation *sim)
{
  const lw_spec *s = sim->present ? sim->present->spec : NULL;
  const size_t n = count_numbers(sim);
  if (!s || s->events.n == 0) return n;
  return n + 3 * (size_t)sim->nq_capacity + (size_t)sim->nu_capacity +
         2 * (size_t)(s->joints.n + s->constraints.n + s->bodies.n);
}

bool lwi_checkpoint_is_possible(const lw_simulation *sim, size_t size)
{
  const lwi_transitions *x = &sim->transitions;
  return x->on && !x->lost && x->count == sim->phase && !sim->hooks && !sim->over &&
         !sim->raising && !sim->sampling.control && sim->singularities.n <= MOST_SINGULAR &&
         count_numbers(sim) <= size;
}

lw_status lwi_checkpoint_save(lw_simulation *sim, double x[])
{
  const lw_status status =
      sim->wanted < sim->integrator->t ? lwi_events_turn_back(sim, sim->wanted) : LW_OK;
  if (status != LW_OK) return status;
  lwi_visit v = {.mode = LWI_SAVE, .at = x, .n = HEAD};
  double pace = fmax(sim->integrator->next, sim->integrator->pace), stiff = sim->integrator->stiff;
  lw_simulation_statistics report = lw_simulation_report(sim);
  x[PHASE] = sim->phase;
  x[TRANSITIONS] = (double)sim->transitions.n;
  lwi_balance_cut(sim, sim->wanted);
  visit_start(&v, sim, &pace, &stiff);
  visit_rest(&v, sim, &report);
  return LW_OK;
}

size_t lwi_checkpoint_transitions(const double x[])
{
  return (size_t)x[TRANSITIONS];
}

lw_status lwi_checkpoint_repeat(lw_simulation *sim, const double x[], const double transitions[],
                                lw_error *err)
{
  return lwi_transitions_repeat(sim, transitions, lwi_checkpoint_transitions(x), (int)x[PHASE],
                                err);
}

/* As lwi_simulation_go_over, but all that is not the state is loaded afterwards. */
lw_status lwi_checkpoint_load(lw_simulation *sim, const double x[], lw_error *err)
{
  lw_status status = lwi_simulation_make_anew(sim, err);
  if (status != LW_OK) return status;
  lwi_visit v = {.mode = LWI_LOAD, .at = (double *)x, .n = HEAD};
  lw_simulation_statistics report = {0};
  const size_t start = (visit_start(&v, sim, &sim->integrator->pace, &sim->integrator->stiff), v.n);
  visit_rest(&v, sim, &report); /* the span of expressions of time is needed to begin */
  const double t = sim->wanted;
  lw_work *w = sim->system->dynamics->work;
  if (sim->m->ncut_q > 0)
    memcpy(w->kernels->part(w->tree, LWI_CUT_Q), sim->cut_q,
           (size_t)sim->m->ncut_q * sizeof(double));
  const int found = sim->singularities.n;
  status = lwi_simulation_begin(sim, t, sim->q, sim->u, err);
  if (status == LW_OK) status = lwi_simulation_find_state(sim, t);
  if (status == LW_OK && sim->triggers.nwhen > 0)
    status = lwi_triggers_evaluate(&sim->triggers, t, sim->q, sim->u);
  if (status != LW_OK) return status;
  sim->singularities.n = found;
  v.n = start;
  visit_rest(&v, sim, &report); /* again: beginning has changed it */
  sim->report = report;
  lwi_curve_forget(&sim->triggers.curve);
  lwi_balance_go_on(sim, t);
  sim->wanted = sim->from = t;
  sim->found = HUGE_VAL;
  return LW_OK;
}
