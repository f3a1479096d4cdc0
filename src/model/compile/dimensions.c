/* SPDX-License-Identifier: Apache-2.0 */
/* dimensions.c -- whether dimensions fit together (dimensions.h): within expressions, with the keys at which
   they stand, among components of a vector, of rates with their states, and of coefficients with
   the coordinates of gears and couplers. */
#include "model/compile/dimensions.h"

#include "linkwork/signals.h"

#include <stdio.h>

static const lwi_dimension second = {.halves = {0, 0, 2, 0}, .known = 1};

/* ---- of expressions ---- */

static const lwi_spec_expr *expr_of(const lw_spec *s, double number)
{
  const int e = lwi_expr_index(number);
  return e >= 0 && e < s->nexpr ? &s->expr[e] : NULL;
}

static lwi_dimension dimension_of(const lwi_known_dimensions *x, const lwi_spec_expr *e,
                                  lwi_dimension_error *why)
{
  lwi_dimension name[64];
  *why = (lwi_dimension_error){0};
  if (e->expr.nname > (int)(sizeof name / sizeof *name)) return (lwi_dimension){0};
  for (int k = 0; k < e->expr.nname; k++)
    name[k] = lwi_name_dimension(x, e->expr.name[k].text);
  return lwi_expr_dimension(&e->expr, name, why);
}

lwi_dimension lwi_number_dimension(const lwi_known_dimensions *x, double number)
{
  lwi_dimension_error unused;
  const lwi_spec_expr *e = expr_of(x->s, number);
  return e ? dimension_of(x, e, &unused) : (lwi_dimension){0};
}

/* ---- mistakes ---- */

static void go_to(lwi_compiler *c, const lwi_spec_expr *e, size_t column)
{
  lwi_compile_at(c, NULL, NULL, e->expr.at);
  c->mark = lwi_expr_mark(&e->expr, column, c->mark);
}

/* what: the key, in backquotes, or another description of the place */
static bool fail(lwi_compiler *c, const lwi_spec_expr *e, lwi_dimension wanted, const char *what,
                 lwi_dimension d)
{
  go_to(c, e, 0);
  return lwi_compile_fail(c, LW_E_MODEL, "%s%s%s is expected, \"%.60s\" is %s",
                          lwi_dimension_name(wanted).text, *what ? " for " : "", what, e->text,
                          lwi_dimension_name(d).text);
}

/* A value with dimension d, and the one of an included file in whose place it stands. */
static bool check_like(lwi_compiler *c, const lwi_spec_expr *e, lwi_dimension d,
                       const lwi_known_dimensions *x)
{
  const lwi_spec_expr *own = &c->s->expr[e->like - 1];
  lwi_dimension_error unused;
  const lwi_dimension wanted = dimension_of(x, own, &unused);
  if (!lwi_dimension_clash(d, wanted)) return true;
  go_to(c, e, 0);
  return lwi_compile_fail(
      c, LW_E_MODEL, "%s is expected instead of \"%.60s\" of the included file, \"%.60s\" is %s",
      lwi_dimension_name(wanted).text, own->text, e->text, lwi_dimension_name(d).text);
}

static bool check_alike(lwi_compiler *c, const lwi_spec_expr *e, lwi_dimension d,
                        const lwi_known_dimensions *x)
{
  lwi_dimension_error unused;
  for (int k = e->alike; k > 0; k = c->s->expr[k - 1].alike) {
    const lwi_dimension other = dimension_of(x, &c->s->expr[k - 1], &unused);
    if (!lwi_dimension_clash(d, other)) continue;
    go_to(c, e, 0);
    return lwi_compile_fail(c, LW_E_MODEL,
                            "components of one vector: \"%.60s\" is %s, \"%.60s\" is %s",
                            c->s->expr[k - 1].text, lwi_dimension_name(other).text, e->text,
                            lwi_dimension_name(d).text);
  }
  return true;
}

static bool check_expr(lwi_compiler *c, const lwi_spec_expr *e, const lwi_known_dimensions *x)
{
  lwi_dimension_error why;
  const lwi_dimension d = dimension_of(x, e, &why);
  if (why.text[0]) {
    go_to(c, e, why.column);
    lwi_expr_say_place(why.inside, why.text, sizeof why.text);
    return lwi_compile_fail(c, LW_E_MODEL, "expression \"%.60s\": %s", e->text, why.text);
  }
  char key[80] = "";
  if (e->key) snprintf(key, sizeof key, "`%s`", e->key);
  if (d.written && !lwi_dimension_agree(d, e->expected)) return fail(c, e, e->expected, key, d);
  return (!e->like || check_like(c, e, d, x)) && check_alike(c, e, d, x);
}

/* ---- states ---- */

static bool check_number(lwi_compiler *c, double number, lwi_dimension wanted, const char *what,
                         const lwi_known_dimensions *x)
{
  const lwi_spec_expr *e = expr_of(c->s, number);
  const lwi_dimension given = lwi_number_dimension(x, number);
  return !e || !lwi_dimension_clash(wanted, given) || fail(c, e, wanted, what, given);
}

/* Its dimension is that of its start. */
static bool check_state(lwi_compiler *c, const lw_state_desc *d, const lwi_known_dimensions *x)
{
  const lwi_dimension own = lwi_number_dimension(x, d->start);
  return check_number(c, d->rate, lwi_dimension_product(second, -2, own), "the rate of this state",
                      x) &&
         check_number(c, d->value, own, "the next value of this state", x);
}

/* ---- gears, couplers ---- */

static lwi_dimension freedom(const lwi_known_dimensions *x, const lw_term *t, int rate)
{
  return lwi_freedom_dimension(x, t->joint.id, t->dof > 0 ? t->dof - 1 : 0, rate);
}

/* u.B per u.A */
static bool check_gear(lwi_compiler *c, const lw_constraint_desc *d, const lwi_known_dimensions *x)
{
  if (d->nterm != 2) return true;
  const lwi_dimension a = freedom(x, &d->terms[0], 1), b = freedom(x, &d->terms[1], 1);
  return check_number(c, d->ratio, lwi_dimension_product(a, -2, b), "`ratio`", x);
}

/* One number of a coupler: the term that it makes, beside what the others are. */
static bool check_term(lwi_compiler *c, double coefficient, lwi_dimension coordinate, int power,
                       lwi_dimension *sum, const lwi_known_dimensions *x)
{
  const lwi_spec_expr *e = expr_of(c->s, coefficient);
  const lwi_dimension given = lwi_number_dimension(x, coefficient);
  if (!e || !given.known || !coordinate.known) return true;
  const lwi_dimension term = lwi_dimension_product(coordinate, 2 * power, given);
  if (lwi_dimension_clash(term, *sum))
    return fail(c, e, lwi_dimension_product(coordinate, -2 * power, *sum),
                power ? "this coefficient" : "`offset`", given);
  if (term.written) *sum = term;
  return true;
}

static bool check_coupler(lwi_compiler *c, const lw_constraint_desc *d,
                          const lwi_known_dimensions *x)
{
  lwi_dimension sum = {0}, like = freedom(x, &d->terms[0], 0), one = {.known = 1};
  bool plain = true;
  for (int i = 0; i < d->nterm; i++) {
    const lw_term *t = &d->terms[i];
    const lwi_dimension q = freedom(x, t, 0);
    plain = plain && !expr_of(c->s, t->coefficient) && !t->higher[0] && !t->higher[1] &&
            !t->higher[2] && q.known && lwi_dimension_agree(q, like);
    if (!check_term(c, t->coefficient, q, 1, &sum, x)) return false;
    for (int k = 0; k < 3; k++)
      if (!check_term(c, t->higher[k], q, k + 2, &sum, x)) return false;
  }
  if (plain) sum = like; /* factors of like coordinates are numbers */
  return check_term(c, d->offset, one, 0, &sum, x);
}

/* ---- parameters: expressions that replace what the file has ---- */

static bool check_parameter(lwi_compiler *c, int i, const lwi_known_dimensions *x)
{
  const lwi_parameter *p = &c->s->parameters.item[i];
  if (!p->unit.dimension.known || !p->value.text || p->overridden) return true;
  lwi_dimension_error why;
  const lwi_spec_expr e = {.text = p->value.text, .expr = p->value.expr};
  const lwi_dimension d = dimension_of(x, &e, &why);
  if (!lwi_dimension_clash(d, p->unit.dimension)) return true;
  lwi_compile_at(c, NULL, NULL,
                 i < c->s->nparameter_mark ? c->s->parameter_mark[i] : (lwi_mark){0});
  return lwi_compile_fail(c, LW_E_MODEL, "parameter \"%.60s\" is %s, \"%.60s\" is %s", p->name,
                          lwi_dimension_name(p->unit.dimension).text, e.text,
                          lwi_dimension_name(d).text);
}

bool lwi_check_dimensions(lwi_compiler *c, const lwi_dimension parameter[])
{
  const lw_spec *s = c->s;
  lwi_known_dimensions known = {.s = s, .parameter = parameter};
  const lwi_known_dimensions *x = &known;
  for (int i = 0; i < s->events.n; i++)
    known.replaces = known.replaces || s->events.item[i].d.action == LW_ACTION_REPLACE;
  for (int i = 0; i < s->nexpr; i++)
    if (!check_expr(c, &s->expr[i], x)) return false;
  for (int i = 0; i < s->parameters.n; i++)
    if (!check_parameter(c, i, x)) return false;
  for (int i = 0; i < s->states.n; i++)
    if (!check_state(c, &s->states.item[i].d, x)) return false;
  for (int i = 0; i < s->constraints.n; i++) {
    const lw_constraint_desc *d = &s->constraints.item[i].d;
    if (d->type == LW_GEAR && !check_gear(c, d, x)) return false;
    if (d->type == LW_COUPLER && !check_coupler(c, d, x)) return false;
  }
  return true;
}
