/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c -- evaluates parameters and expressions of a spec; resolves the names in expressions
   of the state. */
#include "base/nearest_name.h"
#include "model/compile/dimensions.h"
#include "model/expression/column_words.h"
#include "model/expression/expr_hold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parameter_fail(lwi_compiler *c, const lwi_parameters_error *why)
{
  const lw_spec *s = c->s;
  if (why->status == LWI_PARAMETERS_MEMORY) return lwi_compile_memory(c);
  const bool known = why->index >= 0 && why->index < s->nparameter_mark;
  lwi_compile_at(c, NULL, NULL, known ? s->parameter_mark[why->index] : (lwi_mark){0});
  return lwi_compile_fail(c, LW_E_MODEL, "%s", why->text);
}

static bool copy_formula(lwi_compiler *c, lwi_formula *f)
{
  if (!f->text) return true;
  void *memory = lwi_arena_take(&c->scratch, lwi_expr_size(&f->expr), 1);
  if (memory) f->expr = lwi_expr_copy_to(&f->expr, memory);
  return memory;
}

bool lwi_compile_parameter_table(lwi_compiler *c, lwi_parameters *table)
{
  *table = c->s->parameters;
  table->order = NULL;
  table->item = LWI_TAKE(&c->scratch, table->n, lwi_parameter);
  if (!table->item) return lwi_compile_memory(c);
  for (int i = 0; i < table->n; i++) {
    lwi_parameter *a = &table->item[i];
    *a = c->s->parameters.item[i];
    if (!copy_formula(c, &a->value) || !copy_formula(c, &a->min) || !copy_formula(c, &a->max))
      return lwi_compile_memory(c);
  }
  return true;
}

/* Sets the position in the file of a byte of an expression. */
static void go_to(lwi_compiler *c, const lwi_spec_expr *e, size_t column)
{
  c->mark = lwi_expr_mark(&e->expr, column, c->mark);
}

bool lwi_compile_parameters(lwi_compiler *c)
{
  lw_model *m = c->m;
  if (c->before) {
    m->nparameter = c->before->nparameter;
    m->parameter_name = c->before->parameter_name;
    m->parameter = c->parameter = c->before->parameter;
    return true;
  }
  lwi_parameters table;
  lwi_parameters_error why;
  if (!lwi_compile_parameter_table(c, &table)) return false;
  const int n = table.n;
  c->parameter = LWI_TAKE(c->lasting, n, double);
  m->parameter_name = LWI_TAKE(c->lasting, n, const char *);
  if (!c->parameter || !m->parameter_name) return lwi_compile_memory(c);
  for (int i = 0; i < n; i++)
    if (!(m->parameter_name[i] = lwi_arena_text(c->lasting, table.item[i].name)))
      return lwi_compile_memory(c);
  m->nparameter = n;
  m->parameter = c->parameter;
  bool ok = lwi_parameters_order(&table, &why) == LWI_PARAMETERS_OK &&
            lwi_parameters_evaluate(&table, c->parameter, &why) == LWI_PARAMETERS_OK &&
            (c->s->unlimited ||
             lwi_parameters_check_range(&table, c->parameter, &why) == LWI_PARAMETERS_OK);
  if (ok && c->s->has_units && !c->s->borrows) {
    lwi_dimension *dimension = LWI_TAKE(&c->scratch, n + 1, lwi_dimension);
    if (dimension) lwi_parameters_dimensions(&table, dimension);
    free(table.order);
    return dimension ? lwi_check_dimensions(c, dimension) : lwi_compile_memory(c);
  }
  free(table.order);
  return ok || parameter_fail(c, &why);
}

static int find_parameter(const char *name, void *context)
{
  const lwi_compiler *c = context;
  return lwi_parameters_find(&c->s->parameters, name);
}

static bool say_unknown(lwi_compiler *c, const lwi_expr_name *bad, const char *field, bool state)
{
  if (strcmp(bad->text, "inf") == 0 || strcmp(bad->text, "nan") == 0)
    return lwi_compile_fail(c, LW_E_MODEL, "%s: there is no parameter \"%s\": numbers are finite",
                            field, bad->text);
  if (state && lwi_is_column(bad->text)) return lwi_unknown_state(c, bad, field);
  if (!state && (lwi_is_column(bad->text) || strcmp(bad->text, "t") == 0))
    return lwi_compile_fail(c, LW_E_MODEL, "%s: \"%s\" is not allowed here: parameters only", field,
                            bad->text);
  const char *near =
      lwi_nearest(bad->text, (const char *const *)c->m->parameter_name, c->m->nparameter);
  return lwi_compile_fail(c, LW_E_MODEL, "%s: there is no parameter \"%s\"%s%s%s", field, bad->text,
                          near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* The output in the text of an expression through which a name came that is not in it; NULL: none. */
static const char *output_of(const lw_spec *s, const lwi_spec_expr *e, const char *name)
{
  if (strstr(e->text, name)) return NULL;
  for (int i = 0; i < s->outputs.n; i++) {
    const int own = lwi_expr_index(s->outputs.item[i].d.value);
    if (own >= 0 && own < s->nexpr && strstr(s->expr[own].text, name) &&
        strstr(e->text, s->outputs.item[i].d.name))
      return s->outputs.item[i].d.name;
  }
  for (int i = 0; i < s->outputs.n; i++) /* by others on the way */
    if (strstr(e->text, s->outputs.item[i].d.name)) return s->outputs.item[i].d.name;
  return NULL;
}

static bool unknown_name(lwi_compiler *c, const lwi_spec_expr *e, const lwi_expr_name *bad,
                         const char *field, bool state)
{
  const char *output = output_of(c->s, e, bad->text);
  go_to(c, e, output ? (size_t)(strstr(e->text, output) - e->text) : (size_t)bad->column);
  say_unknown(c, bad, e->key ? e->key : field, state);
  if (!c->err) return false;
  lwi_expr_say_place(bad->inside, c->err->text, sizeof c->err->text);
  const size_t used = strlen(c->err->text);
  if (output)
    snprintf(c->err->text + used, sizeof c->err->text - used, ", by output \"%.60s\"", output);
  return false;
}

/* The expression of a number with its names resolved, in scratch memory; *plain: it has none. */
static const lwi_spec_expr *find_expr(lwi_compiler *c, double number, const char *field,
                                      lwi_expr *own, bool *plain)
{
  const int index = lwi_expr_index(number);
  *plain = index < 0 || index >= c->s->nexpr;
  if (*plain) {
    if (!isfinite(number)) lwi_compile_fail(c, LW_E_NUMBER, "%s: not a finite number", field);
    return NULL;
  }
  const lwi_spec_expr *e = &c->s->expr[index];
  void *memory = lwi_arena_take(&c->scratch, lwi_expr_size(&e->expr), 1);
  if (!memory) return lwi_compile_memory(c), NULL;
  *own = lwi_expr_copy_to(&e->expr, memory);
  const lwi_expr_name *bad = lwi_expr_resolve(own, find_parameter, c);
  if (!bad) return e;
  unknown_name(c, e, bad, field, false);
  return NULL;
}

static bool evaluate(lwi_compiler *c, double *x, const char *field)
{
  lwi_expr own;
  bool plain;
  const lwi_spec_expr *e = find_expr(c, *x, field, &own, &plain);
  if (!e) return plain && isfinite(*x);
  *x = lwi_expr_value(&own, c->parameter);
  if (isfinite(*x)) return true;
  size_t column = 0;
  const char *what = "not finite";
  lwi_fault_text text;
  lwi_expr_find_fault(&own, c->parameter, &column, &what, &text);
  go_to(c, e, column);
  return lwi_compile_fail(c, LW_E_NUMBER, "%s: %s in \"%.60s\"", field, what, e->text);
}

bool lwi_numbers(lwi_compiler *c, double *x, int n, const char *field)
{
  for (int i = 0; i < n; i++)
    if (!evaluate(c, &x[i], field)) return false;
  return true;
}

bool lwi_number_derivative(lwi_compiler *c, double written, const char *field, double *x,
                           double *derivative)
{
  lwi_expr own;
  bool plain;
  const lwi_spec_expr *e = find_expr(c, written, field, &own, &plain);
  *x = written;
  *derivative = 0;
  if (!e) return plain && isfinite(written);
  lwi_expr_dual(&own, c->parameter, 1, c->along, x, derivative);
  c->nmoving += *derivative != 0;
  if (isfinite(*derivative)) return true;
  size_t column = 0;
  const char *what = "there is no derivative";
  lwi_fault_text text;
  lwi_expr_find_slope_fault(&own, c->parameter, c->along, &column, &what, &text);
  go_to(c, e, column);
  return lwi_compile_fail(c, LW_E_NUMBER, "%s: %s in \"%.60s\"", field, what, e->text);
}

/* ---- expressions of the state ---- */

/* `q.J`, `q.J.2`, `u.J`: which coordinate or speed; false if there is none */
static bool find_state(const lwi_compiler *c, const char *name, lwi_slot *out)
{
  if (strcmp(name, "t") == 0) return *out = (lwi_slot){.kind = LWI_SLOT_TIME}, true;
  for (int i = 0; i < c->m->nstate; i++)
    if (strcmp(name, c->s->states.item[i].d.name) == 0) {
      *out = (lwi_slot){.kind = LWI_SLOT_Q, .index = lwi_first_state(c->m) + i};
      return true;
    }
  if ((name[0] != 'q' && name[0] != 'u') || name[1] != '.') {
    *out = (lwi_slot){.kind = LWI_SLOT_MEASURE};
    return lwi_measure_find(c->m, name, &out->measure) && !lwi_is_law(c->s, &out->measure);
  }
  int index;
  const lw_model *m = c->m;
  const int j = lwi_name_find_indexed(m->joint_index, name + 2, &index) + 1;
  if (j <= 0) return false;
  const lw_joint_info *info = &m->joint[j].info;
  const int n = name[0] == 'q' ? info->nq : info->nu, i = index ? index : 1;
  if (i > n || (!index && n != 1)) return false;
  *out = name[0] == 'q' ? (lwi_slot){.kind = LWI_SLOT_Q, .index = m->joint[j].info.q_all + i - 1}
                        : (lwi_slot){.kind = LWI_SLOT_U, .index = m->joint[j].info.u_all + i - 1};
  return true;
}

bool lwi_names_exist(const lwi_compiler *c, double number)
{
  const int index = lwi_expr_index(number);
  if (!c->phase->pose || index < 0 || index >= c->s->nexpr) return true;
  const lwi_expr *e = &c->s->expr[index].expr;
  lwi_slot unused;
  for (int i = 0; i < e->nname; i++) {
    const char *name = e->name[i].text;
    const bool joint = (name[0] == 'q' || name[0] == 'u') && name[1] == '.';
    if (joint && !find_state(c, name, &unused)) return false;
  }
  return true;
}

/* parameters have the first slots; state names get theirs when first used */
static int find_slot(const char *name, void *context)
{
  lwi_compiler *c = context;
  const int p = lwi_parameters_find(&c->s->parameters, name);
  if (p >= 0) return p;
  lwi_slot slot;
  if (!find_state(c, name, &slot)) return -1;
  const int before = c->slots.n;
  char *kept = lwi_arena_text(&c->scratch, name);
  const int at = kept ? lwi_name_add(&c->slots, kept, strlen(kept)) : -1;
  if (at < 0 || !lwi_grow(&c->slot, at, &c->slot_capacity, sizeof *c->slot)) {
    c->slots_full = true;
    return -1;
  }
  if (at == before) c->slot[at] = slot;
  return c->m->nparameter + at;
}

/* a plain number as an expression, so that kernels need no special case */
static bool constant_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out)
{
  if (!isfinite(number)) return lwi_compile_fail(c, LW_E_NUMBER, "%s: not a finite number", field);
  lwi_expr one;
  if (lwi_expr_parse("0", 1, &one, NULL) != LWI_EXPR_OK) return lwi_compile_memory(c);
  void *memory = lwi_arena_take(c->arena, lwi_expr_size(&one), 1);
  if (memory) {
    *out = lwi_expr_copy_to(&one, memory);
    out->constant[0] = number;
  }
  lwi_expr_free(&one);
  return memory || lwi_compile_memory(c);
}

bool lwi_state_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out)
{
  const int index = lwi_expr_index(number);
  if (index < 0 || index >= c->s->nexpr) return constant_expr(c, number, field, out);
  const lwi_spec_expr *e = &c->s->expr[index];
  void *memory = lwi_arena_take(c->arena, lwi_expr_size(&e->expr), 1);
  if (!memory) return lwi_compile_memory(c);
  *out = lwi_expr_copy_to(&e->expr, memory);
  out->switching = lwi_expr_may_switch(out) ? ++c->m->nswitching : 0;
  const lwi_expr_name *bad = lwi_expr_resolve(out, find_slot, c);
  if (bad && c->slots_full) return lwi_compile_memory(c);
  return !bad || unknown_name(c, e, bad, field, true);
}

static int find_time(const char *name, void *context)
{
  const lwi_compiler *c = context;
  return strcmp(name, "t") == 0 ? c->m->nparameter : lwi_parameters_find(&c->s->parameters, name);
}

bool lwi_time_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out)
{
  const int index = lwi_expr_index(number);
  if (index < 0 || index >= c->s->nexpr) return constant_expr(c, number, field, out);
  const lwi_spec_expr *e = &c->s->expr[index];
  void *memory = lwi_arena_take(c->arena, lwi_expr_size(&e->expr), 1);
  if (!memory) return lwi_compile_memory(c);
  *out = lwi_expr_copy_to(&e->expr, memory);
  const lwi_expr_name *bad = lwi_expr_resolve(out, find_time, c);
  if (!bad) return true;
  if (!strchr(bad->text, '.')) return unknown_name(c, e, bad, field, true);
  go_to(c, e, (size_t)bad->column);
  lwi_compile_fail(c, LW_E_MODEL, "%s: \"%s\" is not allowed here: t and parameters only", field,
                   bad->text);
  if (c->err) lwi_expr_say_place(bad->inside, c->err->text, sizeof c->err->text);
  return false;
}
