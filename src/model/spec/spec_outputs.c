/* SPDX-License-Identifier: Apache-2.0 */
/* spec_outputs.c -- outputs: named expressions of results.  Where another expression names one, its
   program is put in that place, so that events, objectives and forces depend on results only. */
#include "model/spec/joint_elements.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_spec *s;
  char *state;          /* [outputs.n] NEW, OPEN: being expanded, DONE */
  lwi_name_index index; /* names of outputs */
} expansion;
enum { NEW, OPEN, DONE };

static lwi_spec_expr *expr_of(lw_spec *s, double number)
{
  const int e = lwi_expr_index(number);
  return e >= 0 && e < s->nexpr ? &s->expr[e] : NULL;
}

static bool expand_output(expansion *x, int output);

static bool fail_at(lw_spec *s, const lwi_spec_expr *e, const lwi_expr_name *name, const char *text)
{
  lwi_spec_fail(s, LW_E_MODEL, lwi_expr_mark(&e->expr, (size_t)name->column, s->mark),
                "\"%.60s\": output \"%.60s\" %s", e->text, name->text, text);
  return false;
}

/* The outputs that an expression names, expanded: instead[k] of its name k. */
static bool find_outputs(expansion *x, lwi_spec_expr *e, const lwi_expr **instead, bool *any)
{
  for (int k = 0; k < e->expr.nname; k++) {
    const lwi_expr_name *name = &e->expr.name[k];
    const int output = lwi_name_find(&x->index, name->text, (size_t)name->length);
    if (output < 0) continue;
    if (x->state[output] == OPEN) return fail_at(x->s, e, name, "depends on itself");
    if (!expand_output(x, output)) return false;
    const lwi_spec_expr *own = expr_of(x->s, x->s->outputs.item[output].d.value);
    if (!own) return fail_at(x->s, e, name, "is a number: use a parameter");
    instead[k] = &own->expr;
    *any = true;
  }
  return true;
}

static bool expand(expansion *x, lwi_spec_expr *e)
{
  const lwi_expr **instead = calloc((size_t)e->expr.nname + 1, sizeof *instead);
  bool any = false;
  if (!instead) return lwi_spec_no_memory(x->s), false;
  bool good = find_outputs(x, e, instead, &any);
  if (good && any) {
    lwi_expr whole;
    const lwi_expr_status status = lwi_expr_inline(&e->expr, instead, &whole);
    good = status == LWI_EXPR_OK;
    if (status == LWI_EXPR_MEMORY) lwi_spec_no_memory(x->s);
    if (status == LWI_EXPR_LIMIT)
      lwi_spec_fail(x->s, LW_E_MODEL, e->expr.at,
                    "\"%.60s\": too long with the outputs that it names", e->text);
    if (good) {
      lwi_expr_free(&e->expr);
      e->expr = whole;
    }
  }
  free(instead);
  return good;
}

static bool expand_output(expansion *x, int output)
{
  lwi_spec_expr *e = expr_of(x->s, x->s->outputs.item[output].d.value);
  if (x->state[output] == DONE) return true;
  x->state[output] = OPEN;
  const bool good = !e || expand(x, e);
  x->state[output] = DONE;
  return good;
}

static bool check_names(expansion *x)
{
  lw_spec *s = x->s;
  for (int i = 0; i < s->states.n; i++)
    if (lwi_parameters_find(&s->parameters, s->states.item[i].d.name) >= 0) {
      lwi_spec_fail(s, LW_E_MODEL, s->states.item[i].mark,
                    "state \"%s\": a parameter has this name", s->states.item[i].d.name);
      return false;
    }
  for (int i = 0; i < s->outputs.n; i++) {
    const char *name = s->outputs.item[i].d.name;
    if (lwi_parameters_find(&s->parameters, name) >= 0) {
      lwi_spec_fail(s, LW_E_MODEL, s->outputs.item[i].mark,
                    "output \"%s\": a parameter has this name", name);
      return false;
    }
    if (lwi_name_add(&x->index, name, strlen(name)) < 0) return lwi_spec_no_memory(s), false;
  }
  return true;
}

/* ---- work of motors ---- */

static int find_motor(const lw_spec *s, const char *name)
{
  for (int i = 0; i < s->motors.n; i++)
    if (strcmp(s->motors.item[i].d.name, name) == 0) return i;
  return -1;
}

static bool is_state(const lw_spec *s, const char *name)
{
  for (int i = 0; i < s->states.n; i++)
    if (strcmp(s->states.item[i].d.name, name) == 0) return true;
  return false;
}

/* `work.M` in an expression: a state of that name, whose rate is the power of the motor. */
static bool add_works(lw_spec *s)
{
  for (int e = 0; e < s->nexpr; e++)
    for (int k = 0; k < s->expr[e].expr.nname; k++) {
      const char *name = s->expr[e].expr.name[k].text;
      const int motor = strncmp(name, "work.", 5) == 0 ? find_motor(s, name + 5) : -1;
      if (motor < 0 || is_state(s, name)) continue;
      s->mark = s->expr[e].expr.at;
      const lw_state_desc d = {.name = lwi_spec_text(s, name), .rate = lwi_motor_power(s, motor)};
      if (!lwi_spec_good(s) || !LWI_SPEC_APPEND(s, states, d)) return false;
    }
  return true;
}

bool lwi_spec_expand_outputs(lw_spec *s)
{
  if (!add_works(s)) return false;
  if (s->outputs.n + s->states.n == 0) return true;
  expansion x = {.s = s, .state = calloc((size_t)s->outputs.n + 1, 1)};
  bool good = x.state ? check_names(&x) : (lwi_spec_no_memory(s), false);
  for (int i = 0; i < s->outputs.n && good; i++)
    good = expand_output(&x, i);
  for (int i = 0; i < s->nexpr && good; i++)
    good = expand(&x, &s->expr[i]);
  free(x.state);
  lwi_name_index_free(&x.index);
  return good;
}
