/* SPDX-License-Identifier: Apache-2.0 */
/* compile_study.c -- the section `study` of a model with its numbers evaluated. */
#include "base/nearest_name.h"
#include "linkwork/query.h"
#include "model/compile/compile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what evaluates it */
typedef struct {
  const lw_spec *s;
  const double *parameter; /* values */
  const char *name;        /* of the parameter that varies; NULL: none */
  lw_error *err;
} study;

__attribute__((format(printf, 4, 5))) static bool fail(const study *y, lw_status status,
                                                       lwi_mark mark, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (y->name)
    lwi_fail(y->err, status, "study: parameter \"%.64s\": %s", y->name, text);
  else
    lwi_fail(y->err, status, "study: %s", text);
  lwi_locate_error(y->s->files, mark, y->err);
  return false;
}

static int find_parameter(const char *name, void *context)
{
  return lwi_parameters_find(&((const study *)context)->s->parameters, name);
}

static bool evaluate(study *y, double *x, lwi_mark mark)
{
  const int e = lwi_expr_index(*x);
  if (e < 0 || e >= y->s->nexpr)
    return isfinite(*x) || fail(y, LW_E_NUMBER, mark, "not a finite number");
  const lwi_spec_expr *expr = &y->s->expr[e];
  void *memory = malloc(lwi_expr_size(&expr->expr));
  if (!memory) return lwi_out_of_memory(y->err, NULL), false;
  lwi_expr own = lwi_expr_copy_to(&expr->expr, memory);
  const lwi_expr_name *bad = lwi_expr_resolve(&own, find_parameter, y);
  if (bad) {
    const char *near = lwi_nearest(bad->text, y->s->parameters.name, y->s->parameters.n);
    fail(y, LW_E_MODEL, lwi_expr_mark(&own, (size_t)bad->column, mark),
         "there is no parameter \"%.60s\"%s%.60s%s", bad->text, near ? ", did you mean \"" : "",
         near ? near : "", near ? "\"?" : "");
  } else {
    *x = lwi_expr_value(&own, y->parameter);
    if (!isfinite(*x)) fail(y, LW_E_NUMBER, expr->expr.at, "\"%.60s\" is not finite", expr->text);
  }
  free(memory);
  return !bad && isfinite(*x);
}

/* ---- one parameter ---- */

static bool evaluate_factor(study *y, lw_factor *f, double *value, lwi_mark mark)
{
  y->name = f->name;
  const int i = lwi_parameters_find(&y->s->parameters, f->name);
  if (i < 0) {
    const char *near = lwi_nearest(f->name, y->s->parameters.name, y->s->parameters.n);
    return fail(y, LW_E_MODEL, mark, "the model has none of this name%s%.60s%s",
                near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  switch (f->kind) {
  case LW_FACTOR_UNIFORM:
    if (!evaluate(y, &f->min, mark) || !evaluate(y, &f->max, mark)) return false;
    return f->min <= f->max ||
           fail(y, LW_E_MODEL, mark, "%.10g to %.10g is no range", f->min, f->max);
  case LW_FACTOR_NORMAL:
    if (!evaluate(y, &f->mean, mark) || !evaluate(y, &f->deviation, mark)) return false;
    return f->deviation > 0 ||
           fail(y, LW_E_MODEL, mark, "a standard deviation of %.10g is not positive", f->deviation);
  case LW_FACTOR_VALUES:
    for (int k = 0; k < f->nvalue; k++)
      if (!evaluate(y, &value[k], mark)) return false;
    return true;
  case LW_FACTOR_LIMITS:
  default:
    return lwi_parameter_is_limited(&y->s->parameters.item[i]) ||
           fail(y, LW_E_MODEL, mark, "it has no min and max: write its range");
  }
}

/* ---- the whole ---- */

static size_t count_numbers(const lw_design *d)
{
  size_t n = d->list ? (size_t)d->cases * (size_t)d->nfactor : 0;
  for (int i = 0; i < d->nfactor; i++)
    if (d->factor[i].kind == LW_FACTOR_VALUES) n += (size_t)d->factor[i].nvalue;
  return n;
}

static const char *put_text(char **at, const char *text)
{
  if (!text) return NULL;
  const size_t n = strlen(text) + 1;
  char *to = memcpy(*at, text, n);
  *at += n;
  return to;
}

static size_t text_length(const char *text)
{
  return text ? strlen(text) + 1 : 0;
}

/* behind the description, in its block */
static lw_factor *factors_of(lw_study_desc *d)
{
  return (lw_factor *)(d + 1);
}

/* Copies it into one block: description, factors, numbers, texts. */
static lw_study_desc *copy_study(const lw_study_desc *from, double **numbers)
{
  const lw_design *d = &from->design;
  const size_t nfactor = (size_t)d->nfactor, n = count_numbers(d);
  size_t text =
      text_length(from->columns) + text_length(from->extremes) + text_length(from->events);
  for (int i = 0; i < d->nfactor; i++)
    text += text_length(d->factor[i].name);
  lw_study_desc *to = malloc(sizeof *to + nfactor * sizeof(lw_factor) + n * sizeof(double) + text);
  if (!to) return NULL;
  *to = *from;
  if (to->design.cases == 0) to->design.cases = 100;
  lw_factor *factor = factors_of(to);
  double *at = *numbers = (double *)(factor + nfactor);
  char *texts = (char *)(at + n);
  for (int i = 0; i < d->nfactor; i++) {
    factor[i] = d->factor[i];
    factor[i].name = put_text(&texts, d->factor[i].name);
    if (factor[i].points == 0) factor[i].points = 5;
    if (factor[i].kind != LW_FACTOR_VALUES) continue;
    factor[i].value = memcpy(at, d->factor[i].value, (size_t)factor[i].nvalue * sizeof *at);
    at += factor[i].nvalue;
  }
  if (d->list) to->design.list = memcpy(at, d->list, (size_t)d->cases * nfactor * sizeof *at);
  to->design.factor = factor;
  to->columns = put_text(&texts, from->columns);
  to->extremes = put_text(&texts, from->extremes);
  to->events = put_text(&texts, from->events);
  return to;
}

static lw_study_desc *evaluate_study(const lw_spec *s, const double parameter[], lw_error *err)
{
  study y = {.s = s, .parameter = parameter, .err = err};
  const lwi_study *written = s->study;
  double *at;
  lw_study_desc *d = copy_study(&written->d, &at);
  if (!d) return lwi_out_of_memory(err, NULL), NULL;
  bool ok = evaluate(&y, &d->limit, written->mark);
  for (int i = 0; i < d->design.nfactor && ok; i++) {
    lw_factor *f = &factors_of(d)[i];
    const bool listed = d->design.list;
    y.name = f->name;
    ok = listed || evaluate_factor(&y, f, at, written->factor_mark[i]);
    for (long k = 0; k < d->design.cases && listed && ok; k++)
      ok = evaluate(&y, &at[k * d->design.nfactor + i], written->factor_mark[i]);
    if (f->kind == LW_FACTOR_VALUES) at += f->nvalue;
  }
  if (ok) return d;
  free(d);
  return NULL;
}

bool lwi_check_study(lwi_compiler *c)
{
  if (!c->s->study || c->before || c->s->borrows) return true;
  lw_study_desc *d = evaluate_study(c->s, c->parameter, c->err);
  free(d);
  return d;
}

lw_study_desc *lw_get_study(const lw_model *m, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!m) return lwi_fail(err, LW_E_ARG, "lw_get_study: no model"), NULL;
  if (!m->spec || !m->spec->study) return NULL;
  lw_study_desc *d = evaluate_study(m->spec, m->parameter, err);
  for (int i = 0; d && i < d->design.nfactor; i++) {
    lw_factor *f = &factors_of(d)[i];
    if (f->kind != LW_FACTOR_LIMITS) continue;
    f->kind = LW_FACTOR_UNIFORM;
    lw_parameter_range(m, lwi_parameters_find(&m->spec->parameters, f->name), &f->min, &f->max);
  }
  return d;
}

void lw_study_desc_free(lw_study_desc *d)
{
  free(d);
}
