/* SPDX-License-Identifier: Apache-2.0 */
/* state_switches.c -- lists the switching functions of motors, forces and states
   (state_switches.h). */
#include "sim/events/state_switches.h"
#include "base/arena.h"
#include "model/expression/expr_bounds.h"
#include "model/expression/expr_switch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_model *m;
  const lw_spec *s;
  lwi_state_switch *list;
  int n, capacity;
  /* of what is added next */
  bool only_jumps, bounded; /* jumps alone; no poles */
  lwi_switch_place place;   /* where it is */
  int index, component;
} collection;

static bool is_state(const lw_spec *s, const char *name)
{
  return strcmp(name, "t") != 0 && lwi_parameters_find(&s->parameters, name) < 0;
}

/* It need not be watched, whatever the state is: a divisor such as 1 + q^2, or what only touches zero, as x^2 in abs(x^2). */
static bool never_switches(const collection *c, lwi_expr *g, const bool state[],
                           lwi_switch_effect effect)
{
  const lwi_bounds any = {.value = {-HUGE_VAL, HUGE_VAL}};
  lwi_bounds *slots = malloc(((size_t)g->nname + 1) * sizeof *slots);
  if (!slots) return false;
  for (int k = 0; k < g->nname; k++) {
    const int p = state[k] ? -1 : lwi_parameters_find(&c->s->parameters, g->name[k].text);
    const double x = p >= 0 ? c->m->parameter[p] : 0;
    slots[k] = p < 0 ? any : (lwi_bounds){.value = {x, x}};
    g->name[k].slot = k;
  }
  const lwi_interval range = lwi_expr_range(g, slots).value;
  for (int k = 0; k < g->nname; k++)
    g->name[k].slot = -1;
  free(slots);
  if (effect == LWI_POLE) return range.low > 0 || range.high < 0;
  if (effect == LWI_ANGLE_JUMPS && !lwi_switch_is_cut(range.low) && !lwi_switch_is_cut(range.high))
    return true;
  return range.low >= 0 || range.high <= 0;
}

static lw_status add_all(collection *c, const lwi_expr *e, const bool state[], lwi_mark mark,
                         const char *kind, const char *name)
{
  for (int at = 0;;) {
    lwi_expr g;
    lwi_switch_effect effect;
    const lwi_switch_status found = lwi_expr_next_switching(e, state, &at, &g, &effect);
    if (found == LWI_SWITCH_NONE) return LW_OK;
    if (found == LWI_SWITCH_UNKNOWN) return LW_E_MEMORY;
    const bool jumps = effect == LWI_VALUE_JUMPS || effect == LWI_ANGLE_JUMPS;
    const bool skip = c->only_jumps && !jumps;
    if (skip || (effect == LWI_POLE && c->bounded) || never_switches(c, &g, state, effect)) {
      lwi_expr_free(&g);
      continue;
    }
    if (!lwi_grow(&c->list, c->n, &c->capacity, sizeof *c->list)) {
      lwi_expr_free(&g);
      return LW_E_MEMORY;
    }
    lwi_state_switch *x = &c->list[c->n++];
    *x = (lwi_state_switch){.event.mark = mark,
                            .place = c->place,
                            .index = c->index,
                            .component = c->component,
                            .op = (at - 1) / 2,
                            .nop = e->nop,
                            .g = g,
                            .jumps = jumps,
                            .angle = effect == LWI_ANGLE_JUMPS,
                            .pole = effect == LWI_POLE};
    snprintf(x->name, sizeof x->name, "%s \"%.70s\"", kind, name ? name : "");
  }
}

/* One number of a force: an expression, or not. */
static lw_status add(collection *c, double number, lwi_mark mark, const char *kind,
                     const char *name)
{
  const int index = lwi_expr_index(number);
  if (index < 0 || index >= c->s->nexpr) return LW_OK;
  const lwi_expr *e = &c->s->expr[index].expr;
  bool *state = malloc((size_t)e->nname + 1);
  if (!state) return LW_E_MEMORY;
  for (int k = 0; k < e->nname; k++)
    state[k] = is_state(c->s, e->name[k].text);
  const lw_status status = add_all(c, e, state, mark, kind, name);
  free(state);
  return status;
}

static lw_status add_integrands(collection *c)
{
  lw_status status = LW_OK;
  c->only_jumps = true;
  c->place = LWI_SWITCH_ELSEWHERE;
  for (int i = 0; c->s && i < c->s->objectives.n && status == LW_OK; i++) {
    const lw_objective_desc *d = &c->s->objectives.item[i].d;
    c->index = i;
    if (d->kind == LW_OBJECTIVE_INTEGRAL)
      status = add(c, d->value, c->s->objectives.item[i].mark, "objective", d->name);
  }
  return status;
}

lw_status lwi_state_switches_find(const lw_model *m, bool integrands, lwi_state_switch **list,
                                  int *n)
{
  collection c = {.m = m, .s = m->spec};
  lw_status status = LW_OK;
  for (int i = 0; c.s && i < c.s->motors.n && status == LW_OK; i++) {
    c.place = LWI_SWITCH_IN_MOTOR, c.index = i;
    status = add(&c, c.s->motors.item[i].d.value, c.s->motors.item[i].mark, "motor",
                 c.s->motors.item[i].d.name);
  }
  for (int i = 0; c.s && i < c.s->loads.n && status == LW_OK; i++)
    for (int k = 0; k < 6 && status == LW_OK; k++) {
      const lw_load_desc *d = &c.s->loads.item[i].d;
      c.bounded = c.s->loads.item[i].role.contact;
      c.place = LWI_SWITCH_IN_LOAD, c.index = i, c.component = k;
      status = add(&c, k < 3 ? d->force[k] : d->torque[k - 3], c.s->loads.item[i].mark, "force",
                   d->name);
    }
  c.bounded = false;
  for (int i = 0; c.s && i < c.s->states.n && status == LW_OK; i++) {
    c.place = LWI_SWITCH_IN_STATE, c.index = i;
    status = add(&c, c.s->states.item[i].d.rate, c.s->states.item[i].mark, "state",
                 c.s->states.item[i].d.name);
  }
  if (status == LW_OK && integrands) status = add_integrands(&c);
  /* the list does not move any more */
  for (int i = 0; i < c.n; i++) {
    c.list[i].event.when = &c.list[i].g;
    c.list[i].event.d.name = c.list[i].name;
  }
  *list = c.list;
  *n = c.n;
  return status;
}

void lwi_state_switches_free(lwi_state_switch *list, int n)
{
  for (int i = 0; i < n; i++)
    lwi_expr_free(&list[i].g);
  free(list);
}
