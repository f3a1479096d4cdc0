/* SPDX-License-Identifier: Apache-2.0 */
/* state_switches.c -- lists the switching functions of motors, forces and states (state_switches.h). */
#include "sim/events/state_switches.h"
#include "base/arena.h"
#include "model/expression/expr_switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_spec *s;
  lwi_state_switch *list;
  int n, capacity;
} collection;

static bool is_state(const lw_spec *s, const char *name)
{
  return strcmp(name, "t") != 0 && lwi_parameters_find(&s->parameters, name) < 0;
}

static lw_status add_all(collection *c, const lwi_expr *e, const bool state[], lwi_mark mark,
                         const char *kind, const char *name)
{
  for (int at = 0;;) {
    lwi_expr g;
    bool jumps;
    const lwi_switch_status found = lwi_expr_next_switching(e, state, &at, &g, &jumps);
    if (found == LWI_SWITCH_NONE) return LW_OK;
    if (found == LWI_SWITCH_UNKNOWN) return LW_E_MEMORY;
    if (!lwi_grow(&c->list, c->n, &c->capacity, sizeof *c->list)) {
      lwi_expr_free(&g);
      return LW_E_MEMORY;
    }
    lwi_state_switch *x = &c->list[c->n++];
    *x = (lwi_state_switch){.event.mark = mark, .g = g, .jumps = jumps};
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

lw_status lwi_state_switches_find(const lw_model *m, lwi_state_switch **list, int *n)
{
  collection c = {.s = m->spec};
  lw_status status = LW_OK;
  for (int i = 0; c.s && i < c.s->motors.n && status == LW_OK; i++)
    status = add(&c, c.s->motors.item[i].d.value, c.s->motors.item[i].mark, "motor",
                 c.s->motors.item[i].d.name);
  for (int i = 0; c.s && i < c.s->loads.n && status == LW_OK; i++)
    for (int k = 0; k < 6 && status == LW_OK; k++) {
      const lw_load_desc *d = &c.s->loads.item[i].d;
      status = add(&c, k < 3 ? d->force[k] : d->torque[k - 3], c.s->loads.item[i].mark, "force",
                   d->name);
    }
  for (int i = 0; c.s && i < c.s->states.n && status == LW_OK; i++)
    status = add(&c, c.s->states.item[i].d.rate, c.s->states.item[i].mark, "state",
                 c.s->states.item[i].d.name);
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
