/* SPDX-License-Identifier: Apache-2.0 */
/* held_loads.c -- which loads are held, on which side (held_loads.h). */
#include "sim/run/held_loads.h"
#include "model/expression/expr_hold.h"
#include "sim/formulation/formulation.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/explain.h"
#include "tree/loops/work.h"

#include <stdlib.h>
#include <string.h>

static void attach(lw_simulation *sim, const lwi_expr *const *list)
{
  lw_work *w = sim->system->dynamics->work;
  w->kernels->hold_loads(w->tree, list);
  sim->system->last = NULL; /* evaluated with others */
}

static bool is_integrand(const lwi_state_switch *x)
{
  return x && x->place == LWI_SWITCH_ELSEWHERE;
}

static void drop_expressions(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  for (int i = 0; i < h->n; i++) {
    lwi_expr_free(&h->expr[i]);
    h->list[i] = NULL;
  }
  for (int i = 0; sim->hooks && i < sim->triggers.nwhen; i++)
    if (is_integrand(sim->triggers.when[i].load))
      sim->hooks->hold(sim->hooks, sim->triggers.when[i].load->index, 0, NULL, 0);
}

void lwi_held_loads_release(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  h->guessed = false;
  if (!h->held) return;
  attach(sim, NULL);
  drop_expressions(sim);
  h->held = false;
}

void lwi_held_loads_free(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  if (sim->system && sim->system->dynamics) lwi_held_loads_release(sim);
  drop_expressions(sim);
  free(h->expr);
  free(h->list);
  free(h->side);
  free(h->guess);
  *h = (lwi_held_loads){0};
}

static bool take(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  const int n = sim->m->nswitching, nside = sim->triggers.nwhen;
  if (h->side && h->n == n && h->nside == nside) return true;
  lwi_held_loads_free(sim);
  h->expr = calloc((size_t)n + 1, sizeof *h->expr);
  h->list = calloc((size_t)n + 1, sizeof *h->list);
  h->side = calloc((size_t)nside + 1, sizeof *h->side);
  h->guess = calloc((size_t)nside + 1, sizeof *h->guess);
  if (!h->expr || !h->list || !h->side || !h->guess) return lwi_held_loads_free(sim), false;
  h->n = n;
  h->nside = nside;
  return true;
}

/* ---- sides ---- */

static bool is_at(lwi_mark a, lwi_mark b)
{
  return a.line == b.line && a.column == b.column && a.file == b.file;
}

/* The expression in the present model, in which events may have removed others; NULL: it is not there. */
static const lwi_expr *find_expr(const lw_model *m, const lwi_state_switch *x)
{
  const lwi_expr *e = NULL;
  lwi_mark mark = {0};
  if (x->place == LWI_SWITCH_IN_MOTOR && x->index < m->nmotor)
    e = &m->motor[x->index].value, mark = m->motor[x->index].mark;
  else if (x->place == LWI_SWITCH_IN_LOAD && x->index < m->nload)
    e = x->component < 3 ? &m->load[x->index].force[x->component]
                         : &m->load[x->index].torque[x->component - 3],
    mark = m->load[x->index].mark;
  else if (x->place == LWI_SWITCH_IN_STATE && x->index < m->nstate)
    e = &m->state[x->index].rate, mark = m->state[x->index].mark;
  return e && e->switching && e->nop == x->nop && is_at(mark, x->event.mark) ? e : NULL;
}

/* 0: not known, or none that is held.  One that has just crossed zero is on the side to which it went. */
static int side_of(const lwi_trigger *w, double t)
{
  if (!w->load || w->load->pole || w->spent || w->asleep) return 0;
  if (w->side.side) return w->side.side;
  return w->switched && w->fired == t ? w->change.side : 0;
}

static bool is_open(const lwi_trigger *w, double t)
{
  return w->load && !w->load->pole && !w->spent && !w->asleep && side_of(w, t) == 0;
}

/* Where the integration starts at the switch itself, the side to which the state moves at its present rate. */
static void guess_sides(lw_simulation *sim, double t)
{
  lwi_held_loads *h = &sim->held;
  lwi_triggers *x = &sim->triggers;
  lwi_system *s = sim->system;
  int nopen = 0;
  for (int i = 0; i < h->nside; i++)
    h->guess[i] = 0, nopen += is_open(&x->when[i], t);
  h->guessed = true;
  if (nopen == 0 || lwi_simulation_find_state(sim, t) != LW_OK) return;
  double *y = calloc(3 * (size_t)s->n + 1, sizeof *y), *f = y ? y + s->n : NULL;
  if (!y) return;
  double *from = f + s->n;
  if (s->n) memcpy(from, sim->y, (size_t)s->n * sizeof *from);
  const double span = sim->options.end;
  lw_status status = lwi_system_rate(s, lwi_system_time(s, t), from, f);
  for (double dt = 1e-10 * span; status == LW_OK && nopen && dt < 1e-5 * span; dt *= 10) {
    for (int i = 0; i < s->n; i++)
      y[i] = from[i] + dt * f[i];
    status = s->copy_output(s, y, sim->q, sim->u);
    if (status == LW_OK) status = lwi_triggers_evaluate(x, t + dt, sim->q, sim->u);
    for (int i = 0; i < h->nside && status == LW_OK; i++) {
      const lwi_trigger *w = &x->when[i];
      if (h->guess[i] || !is_open(w, t) || !(fabs(w->g) > w->noise)) continue;
      h->guess[i] = w->g > 0 ? 1 : -1;
      nopen--;
    }
  }
  free(y);
}

/* Are the sides those of the expressions that are held? */
static bool are_known(lw_simulation *sim, double t)
{
  const lwi_triggers *x = &sim->triggers;
  bool same = sim->held.held;
  for (int i = 0; i < x->nwhen; i++) {
    int side = side_of(&x->when[i], t);
    if (side == 0) side = sim->held.guess[i];
    same = same && side == sim->held.side[i];
    sim->held.side[i] = side;
  }
  return same;
}

/* ---- expressions ---- */

/* One expression with all its operations that are held; `first`: the first of its triggers, which follow one another. */
static bool hold(lw_simulation *sim, const lwi_expr *e, int first, const double *slots)
{
  enum { MOST = 200 };
  lwi_held_loads *h = &sim->held;
  lwi_held_op op[MOST];
  int n = 0;
  for (int i = first; i < h->nside && n < MOST; i++) {
    const lwi_state_switch *load = sim->triggers.when[i].load;
    if (find_expr(sim->m, load) != e) break;
    if (h->side[i] && (n == 0 || op[n - 1].op < load->op))
      op[n++] = (lwi_held_op){load->op, h->side[i]};
  }
  if (n == 0) return true;
  if (!lwi_expr_hold(e, slots, op, n, &h->expr[e->switching - 1])) return false;
  h->list[e->switching - 1] = &h->expr[e->switching - 1];
  return true;
}

static bool hold_all(lw_simulation *sim, const double *slots)
{
  const lwi_triggers *x = &sim->triggers;
  const lwi_expr *last = NULL;
  for (int i = 0; i < x->nwhen; i++) {
    const lwi_expr *e = x->when[i].load ? find_expr(sim->m, x->when[i].load) : NULL;
    if (e && e != last && !hold(sim, e, i, slots)) return false;
    last = e;
  }
  return true;
}

/* The integrands of objectives that jump, at the same state. */
static bool hold_integrands(lw_simulation *sim, double t)
{
  enum { MOST = 200 };
  const lwi_triggers *x = &sim->triggers;
  lwi_held_op op[MOST];
  for (int i = 0; sim->hooks && i < x->nwhen; i++) {
    if (!is_integrand(x->when[i].load)) continue;
    const int objective = x->when[i].load->index;
    int n = 0;
    for (; i < x->nwhen && is_integrand(x->when[i].load) && x->when[i].load->index == objective;
         i++)
      if (sim->held.side[i] && n < MOST && (n == 0 || op[n - 1].op < x->when[i].load->op))
        op[n++] = (lwi_held_op){x->when[i].load->op, sim->held.side[i]};
    i--;
    if (!sim->hooks->hold(sim->hooks, objective, t, op, n)) return false;
  }
  return true;
}

/* Is there anything that may be held? */
static bool may_hold(lw_simulation *sim)
{
  if (sim->triggers.nswitch == 0) return false;
  return !(sim->hooks && sim->hooks->differences) && take(sim);
}

static void hold_now(lw_simulation *sim, double t)
{
  lwi_system *s = sim->system;
  const bool guessed = sim->held.guessed;
  lwi_held_loads_release(sim);
  sim->held.guessed = guessed;
  const double at = lwi_system_time(s, t);
  double *slots = lwi_expression_slots(sim->m, s->dynamics->work, at, sim->q, sim->u);
  if (slots && hold_all(sim, slots) && hold_integrands(sim, at)) {
    attach(sim, sim->held.list);
    sim->held.held = true;
  } else {
    drop_expressions(sim);
  }
  free(slots);
}

void lwi_held_loads_start(lw_simulation *sim, double t)
{
  if (may_hold(sim) && !are_known(sim, t)) hold_now(sim, t);
}

void lwi_held_loads_update(lw_simulation *sim)
{
  const double t = sim->integrator->t;
  if (!may_hold(sim)) return;
  if (!sim->held.guessed) guess_sides(sim, t);
  if (!are_known(sim, t) && lwi_simulation_find_state(sim, t) == LW_OK) hold_now(sim, t);
}
