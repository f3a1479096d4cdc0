/* SPDX-License-Identifier: Apache-2.0 */
/* spec_numbers.c -- numbers of a spec that are expressions, parameters, and their units. */
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/reader.h"
#include "model/expression/expr_dimension.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- expressions ---- */

static const uint64_t expr_tag = 0x7ff8000000000000u | 0x1eb0000000000u; /* a quiet NaN of ours */

static double boxed(int index)
{
  const uint64_t bits = expr_tag | (uint64_t)index;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

int lwi_expr_index(double number)
{
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (bits & 0xffffffff00000000u) == expr_tag ? (int)(bits & 0x7fffffffu) : -1;
}

void lwi_spec_place_expr(lw_spec *s, lwi_expr *e)
{
  const uint16_t *origin = s->origin;
  s->origin = NULL;
  e->at = s->mark;
  if (!origin) return;
  for (int i = 0; i < e->nop; i++)
    e->op[i].column = origin[e->op[i].column];
  for (int i = 0; i < e->nname; i++)
    e->name[i].column = origin[e->name[i].column];
}

lwi_mark lwi_spec_mistake_mark(lw_spec *s, size_t column)
{
  lwi_mark at = s->mark;
  if (at.line) at.column += (int)(s->origin ? s->origin[column] : column);
  s->origin = NULL;
  return at;
}

double lw_expr(lw_spec *s, const char *text)
{
  if (!lwi_spec_good(s)) return (double)NAN;
  if (!text) return lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_expr: no text"), (double)NAN;
  if (!lwi_grow(&s->expr, s->nexpr, &s->expr_capacity, sizeof *s->expr))
    return lwi_spec_no_memory(s), (double)NAN;
  lwi_spec_expr *e = &s->expr[s->nexpr];
  lwi_expr_error why;
  *e = (lwi_spec_expr){.text = lwi_spec_text(s, text), .key = s->key, .expected = s->expected};
  if (!lwi_spec_good(s)) return (double)NAN;
  const lwi_expr_status st = lwi_expr_parse_with(text, strlen(text), s->library, &e->expr, &why);
  if (st == LWI_EXPR_MEMORY) return lwi_spec_no_memory(s), (double)NAN;
  if (st != LWI_EXPR_OK) {
    lwi_spec_fail(s, LW_E_MODEL, lwi_spec_mistake_mark(s, why.column), "expression \"%.60s\"%s: %s",
                  text, strlen(text) > 60 ? "..." : "", why.text);
    return (double)NAN;
  }
  lwi_spec_place_expr(s, &e->expr);
  if (!s->has_units) s->has_units = lwi_expr_has_units(&e->expr);
  return boxed(s->nexpr++);
}

static lwi_dimension dimension_of_unit(const char *unit)
{
  lwi_unit u;
  if (unit && strcmp(unit, "1") == 0) return (lwi_dimension){.known = 1};
  const bool known = unit && lwi_unit_read(unit, strlen(unit), &u) == strlen(unit);
  return known ? u.dimension : (lwi_dimension){0};
}

void lw_spec_measure(lw_spec *s, const char *key, const char *unit)
{
  if (!s) return;
  s->key = key;
  s->expected = dimension_of_unit(unit);
}

static int find_expr(const lw_spec *s, double number)
{
  const int e = lwi_expr_index(number);
  return e < s->nexpr ? e : -1;
}

void lwi_spec_expect(lw_spec *s, double number, const char *unit)
{
  const int e = find_expr(s, number);
  if (e >= 0) s->expr[e].expected = dimension_of_unit(unit);
}

void lwi_spec_alike(lw_spec *s, const double x[], int n)
{
  int before = -1;
  for (int i = 0; i < n; i++) {
    const int e = find_expr(s, x[i]);
    if (e >= 0) s->expr[e].alike = before + 1, before = e;
  }
}

void lwi_spec_measure_table(lw_spec *s, const lwi_dimension dimension[3])
{
  memcpy(s->table, dimension, sizeof s->table);
  for (int i = 0; i < 3; i++)
    s->has_units = s->has_units || dimension[i].known;
}

void lwi_spec_like(lw_spec *s, double number, double other)
{
  const int e = find_expr(s, number), like = find_expr(s, other);
  if (e >= 0 && like >= 0) s->expr[e].like = like + 1;
}

/* ---- parameters ---- */

/* The unit of a parameter; spaces multiply here: `N s/m`. */
static bool read_unit(lw_spec *s, const char *name, const char *text, lwi_unit *out)
{
  char unit[64];
  const size_t length = strlen(text);
  *out = (lwi_unit){.up = 1, .down = 1, .dimension = {.known = 1}};
  if (strcmp(text, "") == 0 || strcmp(text, "-") == 0 || strcmp(text, "1") == 0) return true;
  for (size_t i = 0; i <= length && length < sizeof unit; i++)
    unit[i] = text[i] == ' ' ? '*' : text[i];
  if (length < sizeof unit && lwi_unit_read(unit, length, out) == length) return true;
  lwi_spec_fail(s, LW_E_MODEL, s->mark, "parameter \"%.64s\": unknown unit \"%.60s\"", name, text);
  return false;
}

/* A number that is written in a unit, in SI.  What has units of its own keeps them; an expression of
   other parameters must have them, unless another file gives it, where it is in SI. */
static bool convert(lw_spec *s, const char *name, const lwi_unit *u, lwi_formula_desc *f,
                    double written)
{
  const int e = lwi_expr_index(written);
  if (!f->text) {
    f->number = lwi_unit_convert(u, f->number);
    return true;
  }
  const lwi_expr *x = &s->expr[e].expr;
  lwi_dimension_error unused;
  s->expr[e].expected = u->dimension;
  if (x->nname == 0 && !lwi_expr_dimension(x, NULL, &unused).known) {
    const double value = lwi_expr_value(x, NULL);
    if (!isfinite(value)) return true; /* reported when it is evaluated */
    *f = (lwi_formula_desc){.number = lwi_unit_convert(u, value)};
    s->expr[e].expected = (lwi_dimension){0};
    return true;
  }
  const bool given =
      x->at.line && x->at.file != s->mark.file; /* by a file that includes this one */
  if (x->nname == 0 || given || lwi_unit_convert(u, 1) == 1) return true;
  lwi_spec_fail(
      s, LW_E_MODEL, s->expr[e].expr.at,
      "parameter \"%.64s\": `unit` converts numbers, not expressions of other parameters, "
      "which are in SI units: write units in the expression",
      name);
  return false;
}

static lwi_formula_desc formula(const lw_spec *s, double number)
{
  const int e = lwi_expr_index(number);
  if (e >= 0 && e < s->nexpr) return (lwi_formula_desc){.text = s->expr[e].text};
  return (lwi_formula_desc){.number = number};
}

void lw_add_parameter(lw_spec *s, const lw_parameter_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d || !d->name) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "a parameter needs a name");
    return;
  }
  if (!lwi_grow(&s->parameter_mark, s->nparameter_mark, &s->parameter_capacity, sizeof(lwi_mark))) {
    lwi_spec_no_memory(s);
    return;
  }
  lwi_formula_desc min = d->min ? formula(s, *d->min) : (lwi_formula_desc){0};
  lwi_formula_desc max = d->max ? formula(s, *d->max) : (lwi_formula_desc){0};
  lwi_unit unit;
  lwi_parameter_desc p = {.name = d->name,
                          .value = formula(s, d->value),
                          .min = d->min ? &min : NULL,
                          .max = d->max ? &max : NULL};
  if (d->unit) {
    if (!read_unit(s, d->name, d->unit, &unit) || !convert(s, d->name, &unit, &p.value, d->value) ||
        (d->min && !convert(s, d->name, &unit, &min, *d->min)) ||
        (d->max && !convert(s, d->name, &unit, &max, *d->max)))
      return;
    p.unit = &unit;
    s->has_units = true;
  }
  lwi_parameters_error why;
  s->parameters.library = s->library;
  const lwi_parameters_status st = lwi_parameters_add(&s->parameters, &p, &why);
  if (st == LWI_PARAMETERS_OK)
    s->parameter_mark[s->nparameter_mark++] = s->mark;
  else if (st == LWI_PARAMETERS_MEMORY)
    lwi_spec_no_memory(s);
  else
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "%s", why.text);
}

/* That of its unit, or of the units in its value. */
lwi_dimension lwi_spec_dimension_of(const lwi_parameter *p)
{
  lwi_dimension_error unused;
  if (p->unit.dimension.known || !p->value.text || p->value.expr.nname > 0)
    return p->unit.dimension;
  return lwi_expr_dimension(&p->value.expr, NULL, &unused);
}

bool lwi_spec_number_of(lw_spec *s, int parameter, double *number)
{
  const lwi_parameter *p = &s->parameters.item[parameter];
  const int e = lwi_expr_index(*number);
  lwi_formula_desc f = formula(s, *number);
  if (e >= 0) s->expr[e].expected = lwi_spec_dimension_of(p);
  if (p->unit.dimension.known && !convert(s, p->name, &p->unit, &f, *number)) return false;
  if (!f.text) *number = f.number;
  return true;
}

lw_status lw_set_parameter(lw_spec *s, const char *name, double value)
{
  if (!lwi_spec_good(s)) return s ? s->error.status : LW_E_ARG;
  const int i = name ? lwi_parameters_find(&s->parameters, name) : -1;
  if (i < 0 || !isfinite(value)) return LW_E_ARG;
  lwi_parameters_override(&s->parameters, i, value);
  return LW_OK;
}

/* Which name of an expression is no parameter? */
static lw_status check_names(const lw_spec *s, const char *text, const lwi_expr *e, lw_error *err)
{
  for (int i = 0; i < e->nname; i++) {
    const char *name = e->name[i].text;
    if (lwi_parameters_find(&s->parameters, name) >= 0) continue;
    const char *near = lwi_nearest(name, s->parameters.name, s->parameters.n);
    return lwi_fail(err, LW_E_MODEL, "\"%.60s\": there is no parameter \"%.60s\"%s%.60s%s", text,
                    name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  return LW_OK;
}

/* "500 mm", "1/2": the number that an expression without names is, and its dimension; *named: it
   has names. */
static lw_status evaluate_text(const lw_spec *s, const char *text, double *value, lwi_dimension *d,
                               bool *named, lw_error *err)
{
  lwi_expr e;
  lwi_expr_error why;
  lwi_dimension_error mistake;
  const lwi_expr_status st = lwi_expr_parse_with(text, strlen(text), s->library, &e, &why);
  if (st == LWI_EXPR_MEMORY) return lwi_out_of_memory(err, NULL);
  if (st != LWI_EXPR_OK) return lwi_fail(err, LW_E_MODEL, "\"%.60s\": %s", text, why.text);
  *named = e.nname > 0;
  lw_status status = check_names(s, text, &e, err);
  if (*named) return lwi_expr_free(&e), status;
  *d = lwi_expr_dimension(&e, NULL, &mistake);
  if (status == LW_OK && mistake.text[0])
    status = lwi_fail(err, LW_E_MODEL, "\"%.60s\": %s", text, mistake.text);
  *value = status == LW_OK ? lwi_expr_value(&e, NULL) : 0;
  lwi_expr_free(&e);
  if (status == LW_OK && !isfinite(*value))
    status = lwi_fail(err, LW_E_NUMBER, "\"%.60s\" is not a finite number", text);
  return status;
}

lw_status lw_set_parameter_text(lw_spec *s, const char *name, const char *text, lw_error *err)
{
  if (!lwi_spec_good(s)) return lwi_fail(err, s ? s->error.status : LW_E_ARG, "no spec");
  const int i = name ? lwi_parameters_find(&s->parameters, name) : -1;
  if (i < 0 || !text) return lwi_fail(err, LW_E_ARG, "there is no such parameter");
  double value = 0;
  bool named = false;
  lwi_dimension d = {0};
  const lwi_unit *unit = &s->parameters.item[i].unit;
  const lwi_dimension own = lwi_spec_dimension_of(&s->parameters.item[i]);
  const lw_status status = evaluate_text(s, text, &value, &d, &named, err);
  if (status != LW_OK) return status;
  if (named) {
    s->parameters.library = s->library;
    if (lwi_parameters_replace(&s->parameters, i, text) != LWI_PARAMETERS_OK)
      return lwi_out_of_memory(err, NULL);
    /* the new expression has the dimension of the old one */
    if (own.known && !unit->dimension.known)
      s->parameters.item[i].unit = (lwi_unit){.up = 1, .down = 1, .dimension = own};
    return LW_OK;
  }
  if (d.written && !lwi_dimension_agree(d, own))
    return lwi_fail(err, LW_E_MODEL, "\"%.60s\" is %s, but parameter \"%.60s\" is %s", text,
                    lwi_dimension_name(d).text, name, lwi_dimension_name(own).text);
  if (unit->dimension.known && !d.known) value = lwi_unit_convert(unit, value);
  return lw_set_parameter(s, name, value);
}
