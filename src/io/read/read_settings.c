/* SPDX-License-Identifier: Apache-2.0 */
/* read_settings.c -- the sections `parameters`, `simulation` and `sensitivity`. */
#include "base/name_index.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "linkwork/sensitivity.h"
#include "linkwork/solvers.h"
#include "model/spec/spec_data.h"

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

static const lwi_field parameter_fields[] = {
    {"value", lwi_read_number, offsetof(parameter, d.value), LWI_ONLY_TYPE, LWI_ONLY_TYPE,
     "expression", NULL, "its value, of other parameters (1.4)"},
    {"unit", lwi_read_text, offsetof(parameter, d.unit), LWI_ONLY_TYPE, 0, "text", "SI",
     "in which plain numbers of it are written (1.12)"},
    {"min", read_min, 0, LWI_ONLY_TYPE, 0, "number", "none", "least value (1.7)"},
    {"max", read_max, 0, LWI_ONLY_TYPE, 0, "number", "none", "largest value"},
    {"doc", lwi_read_text, offsetof(parameter, d.doc), LWI_ONLY_TYPE, 0, "text", "none",
     "for readers"},
};
const lwi_part_keys lwi_parameter_keys =
    LWI_PART_OR("expression", "parameter", "parameter", "a parameter", parameter_fields);

/* The value that an includer gives has the dimension of the one that it replaces. */
static bool compare_replaced(lwi_reader *r, const lwi_yaml_node *name, double value)
{
  lwi_replaced *x = r->replaced;
  double own;
  if (!x || x->name != name) return true;
  r->replaced = x->next;
  if (!lwi_read_number(r, x->value, &own)) return false;
  lwi_spec_like(r->spec, value, own);
  return true;
}

static bool read_parameter(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  parameter p = {.d.name = name->text};
  if (value->kind == LWI_YAML_MAP ? !lwi_read_fields(r, name, value, lwi_parameter_keys.table, &p)
                                  : !lwi_read_number(r, value, &p.d.value))
    return false;
  if (!compare_replaced(r, name, p.d.value)) return false;
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
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  *(lw_formulation *)to = (lw_formulation)choice;
  return true;
}

static bool read_integrator(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  *(lw_integrator *)to = (lw_integrator)choice;
  return true;
}

static bool read_start(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  *(bool *)to = choice == 1;
  return true;
}

/* names that live as long as the program */
static bool read_solver(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  *(const char **)to = lw_solver_method_name((lw_solver_method)choice);
  return true;
}

static bool read_ordering(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  *(const char **)to = lw_order_method_name(lw_find_order_method(value->text));
  return true;
}

#define AT(field) offsetof(lw_simulation_options, field)
static const lwi_field simulation_fields[] = {
    {"end", lwi_read_positive, AT(end), LWI_ONLY_TYPE, 0, "number", NULL,
     "the run is from 0 to this time"},
    {"output_step", lwi_read_positive, AT(output_step), LWI_ONLY_TYPE, 0, "number", "end/100",
     "time between rows of the table (9.5)"},
    {"formulation", read_formulation, AT(formulation), LWI_ONLY_TYPE, 0,
     "auto | tree | dca | cartesian", "auto", "how accelerations are computed"},
    {"solver", read_solver, AT(solver), LWI_ONLY_TYPE, 0,
     "reduced-sparse | reduced-envelope | reduced-band | reduced-cholesky | reduced-lu | "
     "reduced-klu "
     "| reduced-cholmod | augmented-klu | augmented-klu-again | augmented-ldl | "
     "augmented-symmetric "
     "| augmented-lu",
     "reduced-sparse", "of the formulation `cartesian`: how its linear system is solved"},
    {"ordering", read_ordering, AT(ordering), LWI_ONLY_TYPE, 0,
     "natural | reverse-cuthill-mckee | rcm | gibbs-poole-stockmeyer | gps | gibbs-king | sloan | "
     "search | minimum-degree | amd | nested-dissection | nd | perfect",
     "the least work", "of the formulation `cartesian`: how joints are numbered"},
    {"integrator", read_integrator, AT(integrator), LWI_ONLY_TYPE, 0,
     "auto | rk | adams | bdf | rk4 | euler", "auto", "steps of `rk4` and `euler` are fixed"},
    {"rtol", lwi_read_positive, AT(rtol), LWI_ONLY_TYPE, 0, "number", "1e-8", "relative tolerance"},
    {"atol", lwi_read_positive, AT(atol), LWI_ONLY_TYPE, 0, "number",
     "rtol/100; with contacts below 1 cm rtol times a typical length", "absolute tolerance"},
    {"step", lwi_read_positive, AT(step), LWI_ONLY_TYPE, 0, "number", "output_step",
     "the fixed step; of the others the largest"},
    {"loop_tolerance", lwi_read_positive, AT(loop_tolerance), LWI_ONLY_TYPE, 0, "number", "1e-10",
     "a gap of loops that counts as closed, relative to a typical length (9.14)"},
    {"start", read_start, AT(start_in_equilibrium), LWI_ONLY_TYPE, 0, "written | equilibrium",
     "written", "where the run begins (9.13)"},
};
#undef AT
const lwi_part_keys lwi_simulation_keys =
    LWI_PART("simulation", NULL, "`simulation`", simulation_fields);

bool lwi_read_simulation(lwi_reader *r, const lwi_yaml_node *section)
{
  lw_simulation_options options = {.end = 0};
  if (!lwi_read_fields(r, section, section, lwi_simulation_keys.table, &options)) return false;
  if ((options.solver || options.ordering) && options.formulation != LW_FORMULATION_CARTESIAN)
    return lwi_read_fail(r, section,
                         "`solver` and `ordering` of `simulation` need `formulation: cartesian`");
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

/* in the order of lw_objective_kind */
static const lwi_field objective_fields[] = {
    {"final", lwi_read_number, 0, LWI_ONLY_TYPE, 0, "expression", NULL, "its value at the end"},
    {"integral", lwi_read_number, 0, LWI_ONLY_TYPE, 0, "expression", NULL, "over time"},
    {"max", lwi_read_number, 0, LWI_ONLY_TYPE, 0, "expression", NULL, "the largest value"},
    {"min", lwi_read_number, 0, LWI_ONLY_TYPE, 0, "expression", NULL, "the least value"},
};
const lwi_part_keys lwi_objective_keys =
    LWI_PART("objective", "objective", "an objective", objective_fields);

static bool read_objective(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  const char *kinds[LWI_COUNT(objective_fields)];
  lw_objective_desc d = {0};
  for (int i = 0; i < LWI_COUNT(kinds); i++)
    kinds[i] = objective_fields[i].key;
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

static const lwi_field sensitivity_fields[] = {
    {"parameters", read_parameter_list, 0, LWI_ONLY_TYPE, 0, "list of names", "all",
     "derivatives by these"},
    {"objectives", read_objectives, 0, LWI_ONLY_TYPE, 0, "mapping of objectives", "none",
     "numbers of a run (9.9)"},
};
const lwi_part_keys lwi_sensitivity_keys =
    LWI_PART("sensitivity", NULL, "`sensitivity`", sensitivity_fields);

bool lwi_read_sensitivity(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_fields(r, section, section, lwi_sensitivity_keys.table, NULL);
}
