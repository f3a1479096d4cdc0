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
}

static void drop_expressions(lwi_held_loads *h)
{
  for (int i = 0; i < h->n; i++) {
    lwi_expr_free(&h->expr[i]);
    h->list[i] = NULL;
  }
}

void lwi_held_loads_release(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  if (!h->held) return;
  attach(sim, NULL);
  drop_expressions(h);
  h->held = false;
}

void lwi_held_loads_free(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  if (sim->system && sim->system->dynamics) lwi_held_loads_release(sim);
  drop_expressions(h);
  free(h->expr);
  free(h->list);
  free(h->side);
  *h = (lwi_held_loads){0};
}

static bool take(lw_simulation *sim)
{
  lwi_held_loads *h = &sim->held;
  const int n = sim->m->nswitching, nside = sim->triggers.nwhen;
  if (h->n == n && h->nside == nside) return true;
  lwi_held_loads_free(sim);
  h->expr = calloc((size_t)n, sizeof *h->expr);
  h->list = calloc((size_t)n, sizeof *h->list);
  h->side = calloc((size_t)nside + 1, sizeof *h->side);
  if (!h->expr || !h->list || !h->side) return lwi_held_loads_free(sim), false;
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

/* Are the sides those of the expressions that are held? */
static bool are_known(lw_simulation *sim, double t)
{
  const lwi_triggers *x = &sim->triggers;
  bool same = sim->held.held;
  for (int i = 0; i < x->nwhen; i++) {
    const int side = side_of(&x->when[i], t);
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

/* Is there anything to hold that is not held as it is now? */
static bool is_due(lw_simulation *sim, double t)
{
  if (sim->m->nswitching == 0 || sim->triggers.nswitch == 0) return false;
  return !(sim->hooks && sim->hooks->differences) && take(sim) && !are_known(sim, t);
}

static void hold_now(lw_simulation *sim, double t)
{
  lwi_system *s = sim->system;
  lwi_held_loads_release(sim);
  const double at = lwi_system_time(s, t);
  double *slots = lwi_expression_slots(sim->m, s->dynamics->work, at, sim->q, sim->u);
  if (slots && hold_all(sim, slots)) {
    attach(sim, sim->held.list);
    sim->held.held = true;
  } else {
    drop_expressions(&sim->held);
  }
  free(slots);
}

void lwi_held_loads_start(lw_simulation *sim, double t)
{
  if (is_due(sim, t)) hold_now(sim, t);
}

void lwi_held_loads_update(lw_simulation *sim)
{
  const double t = sim->integrator->t;
  if (is_due(sim, t) && lwi_simulation_find_state(sim, t) == LW_OK) hold_now(sim, t);
}
