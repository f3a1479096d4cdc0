/* SPDX-License-Identifier: Apache-2.0 */
/* checkpoint.c -- the state of a simulation as numbers (checkpoint.h).  One function visits all of them, to count, save
   and load. */
#include "sim/run/checkpoint.h"
#include "sim/output/columns.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <math.h>
#include <string.h>

enum { MOST_SINGULAR = 64 };

typedef struct {
  enum { COUNT, SAVE, LOAD } mode;
  double *at;
  size_t n;
} visit;

static void numbers(visit *v, double x[], int n)
{
  if (v->mode == SAVE && n > 0) memcpy(v->at + v->n, x, (size_t)n * sizeof *x);
  if (v->mode == LOAD && n > 0) memcpy(x, v->at + v->n, (size_t)n * sizeof *x);
  v->n += (size_t)n;
}

static void number(visit *v, double *x)
{
  numbers(v, x, 1);
}

#define WHOLE(v, field)                                                                            \
  do {                                                                                             \
    double whole = (double)(field);                                                                \
    numbers(v, &whole, 1);                                                                         \
    if ((v)->mode == LOAD) (field) = (__typeof__(field))whole;                                     \
  } while (0)

static void visit_report(visit *v, lw_simulation_statistics *s)
{
  WHOLE(v, s->steps);
  WHOLE(v, s->evaluations);
  WHOLE(v, s->rejected);
  number(v, &s->last_step);
  number(v, &s->smallest_step);
  number(v, &s->largest_step);
}

static void visit_balance(visit *v, lwi_balance *b)
{
  double *const all[] = {&b->start,   &b->events,      &b->now.work,  &b->now.quadrature,
                         &b->now.sum, &b->now.squares, &b->change[0], &b->change[1],
                         &b->each,    &b->most,        &b->magnitude, &b->potential,
                         &b->unknown};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    number(v, all[i]);
  WHOLE(v, b->measured);
  WHOLE(v, b->unseen);
  WHOLE(v, b->why);
  WHOLE(v, b->random);
}

static void visit_singularities(visit *v, lwi_singularities *x)
{
  double found[3 * MOST_SINGULAR] = {0};
  for (int i = 0; i < x->n && v->mode == SAVE; i++) {
    found[3 * i] = x->found[i].time;
    found[3 * i + 1] = x->found[i].dof;
    found[3 * i + 2] = x->found[i].dof_there;
  }
  int n = x->n;
  WHOLE(v, n);
  numbers(v, found, 3 * MOST_SINGULAR);
  for (x->n = v->mode == LOAD ? 0 : x->n; v->mode == LOAD && x->n < n; x->n++) {
    if (!lwi_grow(&x->found, x->n, &x->capacity, sizeof *x->found)) return;
    const double *from = found + 3 * x->n;
    x->found[x->n] = (lw_singularity){from[0], (int)from[1], (int)from[2]};
  }
}

static void visit_switches(visit *v, lwi_switches *x)
{
  WHOLE(v, x->active);
  numbers(v, x->span, 2);
  number(v, &x->next);
  number(v, &x->after);
  number(v, &x->searched);
  number(v, &x->begin);
}

static void visit_contact(visit *v, lwi_contact *k)
{
  WHOLE(v, k->side);
  WHOLE(v, k->apart);
  WHOLE(v, k->pushed);
  WHOLE(v, k->stuck);
  WHOLE(v, k->resting);
  WHOLE(v, k->sliding);
  WHOLE(v, k->slides);
  WHOLE(v, k->leaving);
  WHOLE(v, k->nacross);
  numbers(v, k->along, 3);
  numbers(v, k->direction, 3);
  numbers(v, k->across, 2);
  numbers(v, k->pull, 3);
  numbers(v, k->axis, 3);
  number(v, &k->fired);
  number(v, &k->let_go);
  number(v, &k->interval);
  number(v, &k->longest);
}

static void visit_trigger(visit *v, lwi_trigger *w)
{
  enum { SIDE = (sizeof w->side + sizeof(double) - 1) / sizeof(double) };
  double side[SIDE] = {0};
  memcpy(side, &w->side, sizeof w->side);
  numbers(v, side, SIDE);
  if (v->mode == LOAD) memcpy(&w->side, side, sizeof w->side);
  WHOLE(v, w->only);
  WHOLE(v, w->spent);
  WHOLE(v, w->asleep);
  WHOLE(v, w->shrunk);
  WHOLE(v, w->firings);
  number(v, &w->fired);
  number(v, &w->interval);
  number(v, &w->longest);
  number(v, &w->counted);
}

static void visit_events(visit *v, lw_simulation *sim)
{
  visit_switches(v, &sim->switches);
  for (int i = 0; i < sim->contacts.n; i++)
    visit_contact(v, &sim->contacts.item[i]);
  number(v, &sim->contacts.fastest);
  WHOLE(v, sim->contacts.check);
  for (int i = 0; i < sim->sampling.nstate; i++)
    WHOLE(v, sim->sampling.taken[i]);
  numbers(v, sim->sampling.value, sim->sampling.nstate);
  number(v, &sim->sampling.next);
  WHOLE(v, sim->triggers.next);
  for (int i = 0; i < sim->triggers.nwhen; i++)
    visit_trigger(v, &sim->triggers.when[i]);
  if (sim->triggers.columns) {
    int n;
    double *memory[2];
    for (int k = 0; k < 2; k++) {
      memory[k] = lwi_columns_memory(sim->triggers.columns, k, &n);
      numbers(v, memory[k], n);
    }
  }
}

/* Where turns are counted from. */
static void visit_turns(visit *v, lw_simulation *sim)
{
  lw_work *w = sim->system->dynamics->work;
  numbers(v, sim->cut_q, sim->m->ncut_q);
  numbers(v, w->kernels->part(w->tree, LWI_WOUND), sim->m->ntorsion);
  if (w->closure) numbers(v, w->closure->start, sim->m->nconstraint + 1);
}

bool lwi_checkpoint_is_possible(const lw_simulation *sim)
{
  return sim->phase == 0 && !sim->hooks && !sim->over && !sim->raising && !sim->sampling.control &&
         sim->singularities.n <= MOST_SINGULAR;
}

/* The state and the integrator come first: what follows is set after the restart. */
static void visit_start(visit *v, lw_simulation *sim, double *pace, double *stiff)
{
  number(v, &sim->wanted);
  numbers(v, sim->q, lw_nq_all(sim->m));
  numbers(v, sim->u, lw_nu_all(sim->m));
  number(v, pace);
  number(v, stiff);
  visit_turns(v, sim);
}

static void visit_rest(visit *v, lw_simulation *sim, lw_simulation_statistics *report)
{
  visit_report(v, report);
  visit_balance(v, &sim->balance);
  visit_singularities(v, &sim->singularities);
  visit_events(v, sim);
}

size_t lwi_checkpoint_size(const lw_simulation *sim)
{
  visit v = {.mode = COUNT};
  double pace = 0, stiff = 0;
  lw_simulation_statistics report = {0};
  visit_start(&v, (lw_simulation *)sim, &pace, &stiff); /* counting changes nothing */
  visit_rest(&v, (lw_simulation *)sim, &report);
  return v.n;
}

void lwi_checkpoint_save(lw_simulation *sim, double x[])
{
  visit v = {.mode = SAVE, .at = x};
  double pace = fmax(sim->integrator->next, sim->integrator->pace), stiff = sim->integrator->stiff;
  lw_simulation_statistics report = lw_simulation_report(sim);
  lwi_balance_cut(sim, sim->wanted);
  visit_start(&v, sim, &pace, &stiff);
  visit_rest(&v, sim, &report);
}

/* As lwi_simulation_go_over, but all that is not the state is loaded afterwards. */
lw_status lwi_checkpoint_load(lw_simulation *sim, const double x[], lw_error *err)
{
  lw_status status = lwi_simulation_make_anew(sim, err);
  if (status != LW_OK) return status;
  visit v = {.mode = LOAD, .at = (double *)x};
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
  if (status == LW_OK)
    status = lwi_singularities_begin_anew(&sim->singularities, sim->m, t, sim->y,
                                          sim->y + lw_nq(sim->m), err);
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
