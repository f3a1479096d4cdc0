/* SPDX-License-Identifier: Apache-2.0 */
/* read_settings.c -- the sections `parameters`, `simulation` and `sensitivity`. */
#include "base/name_index.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "linkwork/sensitivity.h"

#include <string.h>

/* ---- parameters ---- */

/* a parameter, and the limits that its descriptor points to */
typedef struct {
  lw_parameter_desc d;
  double min, max;
} parameter;

static bool read_min(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  parameter *p = to;
  p->d.min = &p->min;
  return lwi_read_number(r, value, &p->min);
}

static bool read_max(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  parameter *p = to;
  p->d.max = &p->max;
  return lwi_read_number(r, value, &p->max);
}

static bool read_parameter(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  static const lwi_field fields[] = {
      {"value", lwi_read_number, offsetof(parameter, d.value), LWI_ONLY_TYPE, LWI_ONLY_TYPE},
      {"unit", lwi_read_text, offsetof(parameter, d.unit), LWI_ONLY_TYPE, 0},
      {"min", read_min, 0, LWI_ONLY_TYPE, 0},
      {"max", read_max, 0, LWI_ONLY_TYPE, 0},
      {"doc", lwi_read_text, offsetof(parameter, d.doc), LWI_ONLY_TYPE, 0},
  };
  const lwi_field_table shape = {"a parameter", fields, LWI_COUNT(fields), 0};
  parameter p = {.d.name = name->text};
  if (value->kind == LWI_YAML_MAP ? !lwi_read_fields(r, name, value, &shape, &p)
                                  : !lwi_read_number(r, value, &p.d.value))
    return false;
  lwi_read_locate(r, name);
  lw_add_parameter(r->spec, &p.d);
  return lwi_read_check(r);
}

bool lwi_read_parameters(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "parameter", read_parameter);
}

/* ---- simulation ---- */

static bool read_formulation(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const names[] = {
      [LW_FORMULATION_AUTO] = "auto",
      [LW_FORMULATION_TREE] = "tree",
      [LW_FORMULATION_DCA] = "dca",
      [LW_FORMULATION_CARTESIAN] = "cartesian",
  };
  int choice;
  if (!lwi_read_choice(r, value, names, LWI_COUNT(names), &choice)) return false;
  *(lw_formulation *)to = (lw_formulation)choice;
  return true;
}

static bool read_integrator(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const names[] = {
      [LW_INTEGRATOR_AUTO] = "auto", [LW_INTEGRATOR_RK] = "rk",   [LW_INTEGRATOR_ADAMS] = "adams",
      [LW_INTEGRATOR_BDF] = "bdf",   [LW_INTEGRATOR_RK4] = "rk4", [LW_INTEGRATOR_EULER] = "euler",
  };
  int choice;
  if (!lwi_read_choice(r, value, names, LWI_COUNT(names), &choice)) return false;
  *(lw_integrator *)to = (lw_integrator)choice;
  return true;
}

static bool read_start(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const char *const names[] = {"written", "equilibrium"};
  int choice;
  if (!lwi_read_choice(r, value, names, LWI_COUNT(names), &choice)) return false;
  *(bool *)to = choice == 1;
  return true;
}

bool lwi_read_simulation(lwi_reader *r, const lwi_yaml_node *section)
{
#define AT(field) offsetof(lw_simulation_options, field)
  static const lwi_field fields[] = {
      {"end", lwi_read_positive, AT(end), LWI_ONLY_TYPE, 0},
      {"output_step", lwi_read_positive, AT(output_step), LWI_ONLY_TYPE, 0},
      {"formulation", read_formulation, AT(formulation), LWI_ONLY_TYPE, 0},
      {"integrator", read_integrator, AT(integrator), LWI_ONLY_TYPE, 0},
      {"rtol", lwi_read_positive, AT(rtol), LWI_ONLY_TYPE, 0},
      {"atol", lwi_read_positive, AT(atol), LWI_ONLY_TYPE, 0},
      {"step", lwi_read_positive, AT(step), LWI_ONLY_TYPE, 0},
      {"start", read_start, AT(settle), LWI_ONLY_TYPE, 0},
  };
#undef AT
  const lwi_field_table shape = {"`simulation`", fields, LWI_COUNT(fields), 0};
  lw_simulation_options options = {.end = 0};
  if (!lwi_read_fields(r, section, section, &shape, &options)) return false;
  lwi_read_locate(r, section);
  lw_set_simulation(r->spec, &options);
  return lwi_read_check(r);
}

/* ---- sensitivity ---- */

static bool derivative_names(lwi_reader *r, const lwi_yaml_node *list, const lwi_name_index *known)
{
  const char *name;
  for (int i = 0; i < list->count; i++) {
    const lwi_yaml_node *item = list->item[i];
    if (!lwi_read_name(r, item, &name)) return false;
    if (lwi_name_find(known, item->text, (size_t)item->count) < 0)
      return lwi_read_unknown_name(r, item, "parameter", r->parameters, NULL);
    lwi_read_locate(r, item);
    lw_add_sensitivity(r->spec, item->text);
  }
  return lwi_read_check(r);
}

static bool read_parameter_list(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)to;
  if (value->kind != LWI_YAML_LIST) return lwi_read_expected(r, value, "a list of parameters");
  lwi_name_index known = {0};
  bool ok = true;
  for (int i = 0; r->parameters && i < r->parameters->count && ok; i++) {
    const lwi_yaml_node *key = r->parameters->entry[i].key;
    ok = lwi_name_add(&known, key->text, (size_t)key->count) >= 0 || lwi_read_no_memory(r);
  }
  ok = ok && derivative_names(r, value, &known);
  lwi_name_index_free(&known);
  return ok;
}

static bool read_objective(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  static const char *const kinds[] = {[LW_OBJECTIVE_FINAL] = "final",
                                      [LW_OBJECTIVE_INTEGRAL] = "integral",
                                      [LW_OBJECTIVE_MAX] = "max",
                                      [LW_OBJECTIVE_MIN] = "min"};
  lw_objective_desc d = {0};
  if (!lwi_read_name(r, name, &d.name) || !lwi_read_is_map(r, value)) return false;
  if (value->count != 1)
    return lwi_read_fail(r, name, "an objective has one of final, integral, max, min; found %d",
                         value->count);
  const lwi_yaml_entry *e = value->entry;
  r->key = e->key->text;
  for (int i = 0; i < LWI_COUNT(kinds); i++)
    if (strcmp(kinds[i], r->key) == 0) {
      d.kind = (lw_objective_kind)i;
      if (!lwi_read_number(r, e->value, &d.value)) return false;
      lwi_read_locate(r, name);
      lw_add_objective(r->spec, &d);
      return lwi_read_check(r);
    }
  return lwi_read_unknown(r, e->key, "objective", kinds, LWI_COUNT(kinds));
}

static bool read_objectives(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)to;
  return lwi_read_parts(r, value, "objective", read_objective);
}

bool lwi_read_sensitivity(lwi_reader *r, const lwi_yaml_node *section)
{
  static const lwi_field fields[] = {
      {"parameters", read_parameter_list, 0, LWI_ONLY_TYPE, 0},
      {"objectives", read_objectives, 0, LWI_ONLY_TYPE, 0},
  };
  const lwi_field_table shape = {"`sensitivity`", fields, LWI_COUNT(fields), 0};
  return lwi_read_fields(r, section, section, &shape, NULL);
}
