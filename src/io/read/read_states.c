/* SPDX-License-Identifier: Apache-2.0 */
/* read_states.c -- the sections `states` and `inputs`. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"
#include "linkwork/signals.h"

#include <string.h>

#define AT(field) offsetof(lw_state_desc, field)
static const lwi_field state_fields[] = {
    {"start", lwi_read_number, AT(start), LWI_ONLY_TYPE, 0, "number", "0", "value at the start"},
    {"rate", lwi_read_number, AT(rate), LWI_ONLY_TYPE, 0, "expression", NULL,
     "its rate of change (13.1)"},
    {"every", lwi_read_positive, AT(every), LWI_ONLY_TYPE, 0, "number", NULL,
     "sampling interval; then `value` instead of `rate` (13.2)"},
    {"value", lwi_read_number, AT(value), LWI_ONLY_TYPE, 0, "expression", NULL, "the next sample"},
};
#undef AT
const lwi_part_keys lwi_state_keys = LWI_PART("state", "state", "a state", state_fields);

static bool read_state(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_state_desc d = {.name = name->text};
  if (!lwi_read_fields(r, name, value, lwi_state_keys.table, &d)) return false;
  const bool rate = lwi_yaml_find(value, "rate"), every = lwi_yaml_find(value, "every");
  if (rate == every)
    return lwi_read_fail(r, name, "a state has `rate`, or `every` and `value`%s",
                         rate ? ", not both" : "");
  if (every != (lwi_yaml_find(value, "value") != NULL))
    return lwi_read_fail(r, name, "`every` and `value` go together");
  lwi_read_locate(r, name);
  lw_add_state(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_states(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "state", read_state);
}

/* Does an expression use t?  Such an input follows it, and nobody sets it. */
static bool is_of_time(const lwi_reader *r, double number)
{
  const int index = lwi_expr_index(number);
  const lwi_expr *e = index >= 0 ? &r->spec->expr[index].expr : NULL;
  for (int i = 0; e && i < e->nname; i++)
    if (strcmp(e->name[i].text, "t") == 0) return true;
  return false;
}

static bool read_input(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  lw_state_desc d = {.name = name->text, .input = true};
  if (!lwi_read_number(r, value, &d.start)) return false;
  lwi_read_locate(r, name);
  if (is_of_time(r, d.start))
    lw_add_output(r->spec, &(lw_output_desc){.name = d.name, .value = d.start});
  else
    lw_add_state(r->spec, &d);
  return lwi_read_check(r);
}

bool lwi_read_inputs(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "input", read_input);
}
