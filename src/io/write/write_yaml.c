/* SPDX-License-Identifier: Apache-2.0 */
/* write_yaml.c -- a spec as a native model file: what robot files become, and native models without
   functions, tables and compliant contacts.

   Limits, damping and friction are written with their joints; the elements that a spec has for them
   are not in its name spaces, and left out here. */
#include "io/file/file_text.h"
#include "io/write/write_parts.h"
#include "linkwork/output.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What this writer cannot say; NULL: nothing. */
static const char *find_unwritable(const lw_spec *s)
{
  for (int i = 0; i < s->loads.n; i++) /* of compliant contacts */
    if (strncmp(s->loads.item[i].d.name, "contact ", 8) == 0 &&
        lwi_name_find(&s->force_names, s->loads.item[i].d.name, strlen(s->loads.item[i].d.name)) <
            0)
      return "compliant contacts";
  if (s->library) return "functions and tables";
  const lw_simulation_options *o = &s->simulation;
  if (o->loops || o->threads) return "loops and threads of the simulation";
  return NULL;
}

static void write_head(lwi_yaml_text *y, const lw_spec *s)
{
  for (int i = 0; i < s->nnote; i++)
    lwi_yaml_add(y, "# %s\n", s->notes[i]);
  lwi_yaml_add(y, "linkwork: 1\n");
  if (s->planar) lwi_yaml_add(y, "planar: true\n");
  if (s->name && *s->name) {
    lwi_yaml_add(y, "name: ");
    lwi_yaml_name(y, s->name);
    lwi_yaml_add(y, "\n");
  }
  if (!s->has_gravity) return;
  lwi_yaml_add(y, "gravity: [");
  for (int i = 0; i < 3; i++) {
    lwi_yaml_add(y, i ? ", " : "");
    lwi_yaml_value(y, s->gravity[i]);
  }
  lwi_yaml_add(y, "]\n");
}

static void write_simulation(lwi_yaml_text *y, const lw_spec *s)
{
  static const char *const formulations[] = {"auto", "tree", "dca", "cartesian"};
  static const char *const integrators[] = {"auto", "rk", "adams", "bdf", "rk4", "euler"};
  const lw_simulation_options *o = &s->simulation;
  lwi_yaml_add(y, "simulation: {");
  y->first = true;
  lwi_yaml_number(y, "end", o->end);
  lwi_yaml_number(y, "output_step", o->output_step);
  lwi_yaml_number(y, "rtol", o->rtol);
  lwi_yaml_number(y, "atol", o->atol);
  lwi_yaml_number(y, "step", o->step);
  lwi_yaml_number(y, "loop_tolerance", o->loop_tolerance);
  if (o->formulation) lwi_yaml_word(y, "formulation", formulations[o->formulation]);
  if (o->solver) lwi_yaml_word(y, "solver", o->solver);
  if (o->ordering) lwi_yaml_word(y, "ordering", o->ordering);
  if (o->integrator) lwi_yaml_word(y, "integrator", integrators[o->integrator]);
  if (o->start_in_equilibrium) lwi_yaml_word(y, "start", "equilibrium");
  lwi_yaml_add(y, "}\n");
}

static void write_formula(lwi_yaml_text *y, const char *key, const lwi_formula *f)
{
  if (!f->text && !isfinite(f->number)) return;
  lwi_yaml_key(y, key);
  if (f->text)
    lwi_yaml_name(y, f->text);
  else
    lwi_yaml_value(y, f->number);
}

/* Values in SI, where they were written in other units. */
static void write_parameters(lwi_yaml_text *y, const lw_spec *s)
{
  const lwi_parameters *p = &s->parameters;
  if (p->n) lwi_yaml_add(y, "parameters:\n");
  for (int i = 0; i < p->n; i++) {
    const lwi_parameter *a = &p->item[i];
    const lwi_formula override = {.number = a->override};
    lwi_yaml_open(y, a->name);
    write_formula(y, "value", a->overridden ? &override : &a->value);
    write_formula(y, "min", &a->min);
    write_formula(y, "max", &a->max);
    lwi_yaml_close(y);
  }
}

lw_status lw_spec_save(const lw_spec *s, const char *path, lw_error *err)
{
  const lwi_position at = {.file = path ? path : "lw_spec_save"};
  if (!s || !path) return lwi_file_fail(err, LW_E_ARG, at, "no spec, or no path");
  if (lw_spec_error(s, err) != LW_OK) return s->error.status;
  const char *missing = find_unwritable(s);
  if (missing) return lwi_file_fail(err, LW_E_UNSUPPORTED, at, "%s cannot be written yet", missing);
  lwi_yaml_text y = {.spec = s, .path = path};
  write_head(&y, s);
  write_parameters(&y, s);
  lwi_write_bodies(&y, s);
  lwi_write_shapes(&y, s);
  lwi_write_joints(&y, s);
  lwi_write_contacts(&y, s);
  lwi_write_forces(&y, s);
  lwi_write_signals(&y, s);
  lwi_write_events(&y, s);
  write_simulation(&y, s);
  lwi_write_sensitivity(&y, s);
  lwi_write_study(&y, s);
  const lw_status status = y.full ? lwi_file_fail(err, LW_E_MEMORY, at, "out of memory")
                                  : lw_write_file(path, y.text, y.length, err);
  free(y.text);
  return status;
}
