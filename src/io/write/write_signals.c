/* SPDX-License-Identifier: Apache-2.0 */
/* write_signals.c -- the sections `inputs`, `states` and `outputs`. */
#include "io/write/write_parts.h"

#include <string.h>

static void write_inputs(lwi_yaml_text *y, const lw_spec *s)
{
  int n = 0;
  for (int i = 0; i < s->states.n; i++) {
    const lw_state_desc *d = &s->states.item[i].d;
    if (!d->input || s->states.item[i].role.hidden) continue; /* hidden: of a joint's friction */
    lwi_yaml_add(y, n++ ? "  " : "inputs:\n  ");
    lwi_yaml_name(y, d->name);
    lwi_yaml_add(y, ": ");
    lwi_yaml_value(y, d->start);
    lwi_yaml_add(y, "\n");
  }
}

static void write_states(lwi_yaml_text *y, const lw_spec *s)
{
  int n = 0;
  for (int i = 0; i < s->states.n; i++) {
    const lw_state_desc *d = &s->states.item[i].d;
    if (d->input || s->states.item[i].role.hidden) continue;
    if (n++ == 0) lwi_yaml_add(y, "states:\n");
    lwi_yaml_open(y, d->name);
    lwi_yaml_number(y, "start", d->start);
    lwi_yaml_key(y, d->every != 0 ? "every" : "rate");
    lwi_yaml_value(y, d->every != 0 ? d->every : d->rate);
    if (d->every != 0) lwi_yaml_key(y, "value"), lwi_yaml_value(y, d->value);
    lwi_yaml_close(y);
  }
}

bool lwi_write_is_of_contact(const lw_spec *s, const char *name)
{
  const char *dot = strchr(name, '.');
  for (int i = 0; i < s->events.n && dot; i++) {
    const lw_event_desc *d = &s->events.item[i].d;
    if (d->action == LW_ACTION_CONTACT && strcmp(d->name, dot + 1) == 0) return true;
  }
  return false;
}

void lwi_write_signals(lwi_yaml_text *y, const lw_spec *s)
{
  write_inputs(y, s);
  write_states(y, s);
  int n = 0;
  for (int i = 0; i < s->outputs.n; i++) {
    if (s->outputs.item[i].role.hidden || lwi_write_is_of_contact(s, s->outputs.item[i].d.name))
      continue;
    lwi_yaml_add(y, n++ ? "  " : "outputs:\n  ");
    lwi_yaml_name(y, s->outputs.item[i].d.name);
    lwi_yaml_add(y, ": ");
    lwi_yaml_value(y, s->outputs.item[i].d.value);
    lwi_yaml_add(y, "\n");
  }
}
