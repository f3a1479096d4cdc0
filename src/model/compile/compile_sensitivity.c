/* SPDX-License-Identifier: Apache-2.0 */
/* compile_sensitivity.c -- the parameters and objectives of a sensitivity analysis. */
#include "base/nearest_name.h"
#include "model/compile/compile.h"

#include <string.h>

/* ---- build ---- */

static bool is_taken(const lw_spec *s, const char *name)
{
  for (int i = 0; i < s->objectives.n; i++)
    if (strcmp(s->objectives.item[i].d.name, name) == 0) return true;
  return false;
}

void lw_add_objective(lw_spec *s, const lw_objective_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d || !d->name || (unsigned)d->kind > LW_OBJECTIVE_MIN) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_objective: no name, or no such kind");
    return;
  }
  if (is_taken(s, d->name)) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "objective \"%.64s\" is already defined", d->name);
    return;
  }
  lw_objective_desc copy = *d;
  copy.name = lwi_spec_text(s, d->name);
  if (lwi_spec_good(s)) LWI_SPEC_APPEND(s, objectives, copy);
}

void lw_add_sensitivity(lw_spec *s, const char *name)
{
  if (!lwi_spec_good(s)) return;
  const lwi_sensitivity_desc copy = {lwi_spec_text(s, name ? name : "")};
  if (lwi_spec_good(s)) LWI_SPEC_APPEND(s, sensitivities, copy);
}

/* ---- compile ---- */

static bool find_sensitivity(lwi_compiler *c, int i, int *out)
{
  const lw_spec *s = c->s;
  const char *name = s->sensitivities.item[i].d.name;
  *out = lwi_parameters_find(&s->parameters, name);
  if (*out >= 0) return true;
  const char *near = lwi_nearest(name, (const char *const *)c->m->parameter_name, c->m->nparameter);
  lwi_compile_at(c, NULL, NULL, s->sensitivities.item[i].mark);
  return lwi_compile_fail(c, LW_E_MODEL, "sensitivity: there is no parameter \"%.64s\"%s%s%s", name,
                          near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

bool lwi_compile_sensitivity(lwi_compiler *c)
{
  lw_model *m = c->m;
  const int named = c->s->sensitivities.n;
  m->nsensitivity = named > 0 ? named : m->nparameter;
  m->sensitivity = LWI_TAKE(c->arena, m->nsensitivity, int);
  if (!m->sensitivity) return lwi_compile_memory(c);
  for (int i = 0; i < m->nsensitivity; i++) {
    m->sensitivity[i] = i;
    if (named > 0 && !find_sensitivity(c, i, &m->sensitivity[i])) return false;
  }
  return true;
}

/* ---- ask ---- */

int lw_nsensitivity(const lw_model *m)
{
  if (!m) return 0;
  return m->nsensitivity;
}

int lw_get_sensitivity(const lw_model *m, int index)
{
  if (!m) return 0;
  return index >= 0 && index < m->nsensitivity ? m->sensitivity[index] : -1;
}

int lw_nobjective(const lw_model *m)
{
  if (!m) return 0;
  return m->spec ? m->spec->objectives.n : 0;
}

lw_objective_info lw_get_objective(const lw_model *m, int index)
{
  if (!m) return (lw_objective_info){0};
  if (index < 0 || index >= lw_nobjective(m)) return (lw_objective_info){0};
  const lw_objective_desc *d = &m->spec->objectives.item[index].d;
  const int e = lwi_expr_index(d->value);
  return (lw_objective_info){d->name, e >= 0 && e < m->spec->nexpr ? m->spec->expr[e].text : NULL,
                             d->kind};
}
