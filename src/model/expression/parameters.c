/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.c -- the table of parameters, the order in which they follow one another, and their
   values.  Everything is linear in the total length of the expressions, and nothing
   recurses: parameters may form chains of any length. */
#include "model/expression/parameters.h"

#include "base/nearest_name.h"
#include "base/quoted_name.h"
#include "model/expression/expr_dimension.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

/* Where a mistake is. */
typedef struct {
  int index;
  lwi_parameter_field field;
  size_t column;
} place;

__attribute__((format(printf, 4, 5))) static lwi_parameters_status
fail(lwi_parameters_error *err, lwi_parameters_status status, place at, const char *format, ...)
{
  if (!err) return status;
  va_list args;
  va_start(args, format);
  *err = (lwi_parameters_error){status, at.index, at.field, at.column, ""};
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

static lwi_parameters_status fail_memory(lwi_parameters_error *err, int index)
{
  return fail(err, LWI_PARAMETERS_MEMORY, (place){.index = index}, "out of memory");
}

/* ---- formulas ---- */

static char *copy_text(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void formula_free(lwi_formula *f)
{
  free(f->text);
  lwi_expr_free(&f->expr);
}

/* Reads one field of a new parameter; absent stands for a limit that is not given. */
static lwi_parameters_status formula_init(const lwi_parameters *p, lwi_formula *f,
                                          const lwi_formula_desc *d, double absent,
                                          const char *name, place at, lwi_parameters_error *err)
{
  f->number = d ? d->number : absent;
  if (!d || !d->text) return LWI_PARAMETERS_OK;
  lwi_expr_error why;
  const lwi_expr_status status =
      lwi_expr_parse_with(d->text, strlen(d->text), p->library, &f->expr, &why);
  if (status == LWI_EXPR_MEMORY) return fail_memory(err, at.index);
  at.column = why.column;
  if (status)
    return fail(err, LWI_PARAMETERS_EXPRESSION, at, "parameter \"%.64s\": %s", name, why.text);
  f->text = copy_text(d->text);
  return f->text ? LWI_PARAMETERS_OK : fail_memory(err, at.index);
}

static double formula_value(const lwi_formula *f, const double *slots)
{
  return f->text ? lwi_expr_value(&f->expr, slots) : f->number;
}

/* The value is not finite: say why. */
static lwi_parameters_status fail_value(const lwi_parameters *p, const lwi_formula *f,
                                        const double *slots, place at, lwi_parameters_error *err)
{
  const char *what = "the value is not finite";
  lwi_fault_text text;
  if (f->text) lwi_expr_find_fault(&f->expr, slots, &at.column, &what, &text);
  return fail(err, LWI_PARAMETERS_VALUE, at, "parameter \"%.64s\": %s", p->name[at.index], what);
}

/* ---- adding ---- */

static void parameter_free(lwi_parameter *a)
{
  formula_free(&a->value);
  formula_free(&a->min);
  formula_free(&a->max);
  free(a->name);
}

static lwi_parameters_status check_name(const lwi_parameters *p, const char *name,
                                        lwi_parameters_error *err)
{
  const place at = {.index = p->n};
  if (!lwi_is_name(name))
    return fail(err, LWI_PARAMETERS_NAME, at, "parameter \"%.64s\": " LWI_NOT_A_NAME, name);
  if (lwi_expr_is_reserved(name))
    return fail(err, LWI_PARAMETERS_NAME, at, "parameter \"%.64s\": the name is reserved", name);
  if (lwi_parameters_find(p, name) >= 0)
    return fail(err, LWI_PARAMETERS_NAME, at, "parameter \"%.64s\" is already defined", name);
  return LWI_PARAMETERS_OK;
}

static bool reserve_one(lwi_parameters *p)
{
  if (p->n < p->capacity) return true;
  if (p->capacity > INT_MAX / 2) return false;
  const int capacity = p->capacity ? 2 * p->capacity : 16;
  lwi_parameter *item = realloc(p->item, (size_t)capacity * sizeof *item);
  if (item) p->item = item;
  const char **name = realloc(p->name, (size_t)capacity * sizeof *name);
  if (name) p->name = name;
  if (!item || !name) return false;
  p->capacity = capacity;
  return true;
}

static lwi_parameters_status parameter_init(const lwi_parameters *p, lwi_parameter *a,
                                            const lwi_parameter_desc *d, lwi_parameters_error *err)
{
  const int index = p->n;
  const place value = {index, LWI_FIELD_VALUE, 0}, min = {index, LWI_FIELD_MIN, 0},
              max = {index, LWI_FIELD_MAX, 0};
  a->name = copy_text(d->name);
  if (!a->name) return fail_memory(err, index);
  if (d->unit) a->unit = *d->unit;
  lwi_parameters_status status = formula_init(p, &a->value, &d->value, 0.0, d->name, value, err);
  if (!status) status = formula_init(p, &a->min, d->min, -(double)INFINITY, d->name, min, err);
  if (!status) status = formula_init(p, &a->max, d->max, (double)INFINITY, d->name, max, err);
  return status;
}

lwi_parameters_status lwi_parameters_add(lwi_parameters *p, const lwi_parameter_desc *d,
                                         lwi_parameters_error *err)
{
  lwi_parameter a = {0};
  lwi_parameters_status status = check_name(p, d->name, err);
  if (!status) status = parameter_init(p, &a, d, err);
  if (!status && (!reserve_one(p) || lwi_name_add(&p->index, a.name, strlen(a.name)) < 0))
    status = fail_memory(err, p->n);
  if (status) {
    parameter_free(&a);
    return status;
  }
  p->item[p->n] = a;
  p->name[p->n++] = a.name;
  free(p->order);
  p->order = NULL;
  return LWI_PARAMETERS_OK;
}

int lwi_parameters_find(const lwi_parameters *p, const char *name)
{
  return lwi_name_find(&p->index, name, strlen(name));
}

void lwi_parameters_override(lwi_parameters *p, int index, double number)
{
  /* it uses less than before, so an order that was found stays good */
  p->item[index].overridden = true;
  p->item[index].override = number;
}

void lwi_parameters_restore(lwi_parameters *p, int index)
{
  p->item[index].overridden = false;
  free(p->order);
  p->order = NULL;
}

lwi_parameters_status lwi_parameters_replace(lwi_parameters *p, int index, const char *text)
{
  lwi_formula f = {0}, *now = &p->item[index].value;
  const lwi_formula_desc d = {.text = text};
  const lwi_parameters_status status =
      formula_init(p, &f, &d, 0, "", (place){.index = index}, NULL);
  formula_free(status ? &f : now);
  if (!status) *now = f, lwi_parameters_restore(p, index);
  return status;
}

void lwi_parameters_free(lwi_parameters *p)
{
  for (int i = 0; i < p->n; i++)
    parameter_free(&p->item[i]);
  free(p->item);
  free(p->name);
  free(p->order);
  lwi_name_index_free(&p->index);
  *p = (lwi_parameters){0};
}

/* ---- names ---- */

static int find_slot(const char *name, void *context)
{
  return lwi_parameters_find(context, name);
}

static lwi_parameters_status fail_unknown(const lwi_parameters *p, place at, const char *name,
                                          lwi_parameters_error *err)
{
  const char *owner = p->name[at.index], *near = lwi_nearest(name, p->name, p->n);
  if (strcmp(name, "t") == 0 || (!near && strchr(name, '.')))
    return fail(
        err, LWI_PARAMETERS_UNKNOWN, at,
        "parameter \"%.64s\": \"%.64s\" changes with the motion, only parameters are allowed here",
        owner, name);
  if (!near)
    return fail(err, LWI_PARAMETERS_UNKNOWN, at, "parameter \"%.64s\": unknown parameter \"%.64s\"",
                owner, name);
  return fail(err, LWI_PARAMETERS_UNKNOWN, at,
              "parameter \"%.64s\": unknown parameter \"%.64s\", did you mean \"%.64s\"?", owner,
              name, near);
}

static lwi_parameters_status resolve_formula(lwi_parameters *p, lwi_formula *f, place at,
                                             lwi_parameters_error *err)
{
  const lwi_expr_name *unknown = lwi_expr_resolve(&f->expr, find_slot, p);
  if (!unknown) return LWI_PARAMETERS_OK;
  at.column = (size_t)unknown->column;
  const lwi_parameters_status status = fail_unknown(p, at, unknown->text, err);
  if (err) lwi_expr_say_place(unknown->inside, err->text, sizeof err->text);
  return status;
}

static lwi_parameters_status resolve_all(lwi_parameters *p, lwi_parameters_error *err)
{
  lwi_parameters_status status = LWI_PARAMETERS_OK;
  for (int i = 0; i < p->n && !status; i++) {
    lwi_parameter *a = &p->item[i];
    status = resolve_formula(p, &a->value, (place){i, LWI_FIELD_VALUE, 0}, err);
    if (!status) status = resolve_formula(p, &a->min, (place){i, LWI_FIELD_MIN, 0}, err);
    if (!status) status = resolve_formula(p, &a->max, (place){i, LWI_FIELD_MAX, 0}, err);
  }
  return status;
}

/* ---- order of evaluation ---- */

/* Depth-first search with a stack of its own.  A parameter is on the path from when it is met until
   all it uses are in the order; meeting it again in between closes a cycle. */
typedef struct {
  int *order;  /* [n] */
  int *path;   /* [n]: each uses the next */
  int *cursor; /* [n]: how many of the names it uses were looked at; NEW, or DONE */
  int norder, npath;
} search;

enum { NEW = -1, DONE = INT_MAX };

static void enter(search *s, int i)
{
  s->path[s->npath++] = i;
  s->cursor[i] = 0;
}

/* Visits root and all that it uses, directly or not.  Returns -1, or a parameter on the path that
   the last one on it uses. */
static int visit(search *s, const lwi_parameters *p, int root)
{
  enter(s, root);
  while (s->npath > 0) {
    const int i = s->path[s->npath - 1];
    const int used_by_it = p->item[i].overridden ? 0 : p->item[i].value.expr.nname;
    if (s->cursor[i] == used_by_it) { /* all that it uses comes before it */
      s->npath--;
      s->order[s->norder++] = i;
      s->cursor[i] = DONE;
      continue;
    }
    const int used = p->item[i].value.expr.name[s->cursor[i]++].slot;
    if (s->cursor[used] == NEW)
      enter(s, used);
    else if (s->cursor[used] != DONE)
      return used;
  }
  return -1;
}

static void append(char *text, size_t size, const char *name)
{
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%.32s -> ", name);
}

/* a -> b -> a, the middle left out if it is long; starts with the one that was added first. */
static lwi_parameters_status fail_cycle(const lwi_parameters *p, const int *cycle, int n,
                                        lwi_parameters_error *err)
{
  enum { MAX_SHOWN = 6 };
  int start = 0;
  for (int k = 1; k < n; k++)
    if (cycle[k] < cycle[start]) start = k;

  char text[(MAX_SHOWN + 1) * 36 + 32] = "";
  const char *first = p->name[cycle[start]];
  for (int k = 0; k < n; k++) {
    const bool hidden = n > MAX_SHOWN && k >= MAX_SHOWN / 2 && k < n - MAX_SHOWN / 2;
    if (hidden && k > MAX_SHOWN / 2) continue;
    append(text, sizeof text, hidden ? "..." : p->name[cycle[(start + k) % n]]);
  }
  const lwi_expr *e = &p->item[cycle[start]].value.expr;
  place at = {cycle[start], LWI_FIELD_VALUE, 0};
  for (int k = 0; k < e->nname; k++)
    if (e->name[k].slot == cycle[(start + 1) % n]) at.column = (size_t)e->name[k].column;
  if (n == 1)
    return fail(err, LWI_PARAMETERS_CYCLE, at, "a parameter depends on itself: %s%.32s", text,
                first);
  return fail(err, LWI_PARAMETERS_CYCLE, at, "%d parameters depend on each other: %s%.32s", n, text,
              first);
}

static lwi_parameters_status search_all(search *s, const lwi_parameters *p,
                                        lwi_parameters_error *err)
{
  for (int i = 0; i < p->n; i++)
    s->cursor[i] = NEW;
  for (int i = 0; i < p->n; i++) {
    if (s->cursor[i] == DONE) continue;
    const int again = visit(s, p, i);
    if (again < 0) continue;
    int start = s->npath - 1;
    while (s->path[start] != again)
      start--;
    return fail_cycle(p, s->path + start, s->npath - start, err);
  }
  return LWI_PARAMETERS_OK;
}

lwi_parameters_status lwi_parameters_order(lwi_parameters *p, lwi_parameters_error *err)
{
  lwi_parameters_status status = resolve_all(p, err);
  if (status) return status;
  const size_t size = ((size_t)p->n + 1) * sizeof(int);
  search s = {.order = malloc(size), .path = malloc(size), .cursor = malloc(size)};
  status = s.order && s.path && s.cursor ? search_all(&s, p, err) : fail_memory(err, 0);
  free(p->order);
  p->order = status ? NULL : s.order;
  if (status) free(s.order);
  free(s.path);
  free(s.cursor);
  return status;
}

/* ---- values ---- */

lwi_parameters_status lwi_parameters_evaluate(const lwi_parameters *p, double *value,
                                              lwi_parameters_error *err)
{
  assert(p->order || p->n == 0);
  for (int k = 0; k < p->n; k++) {
    const int i = p->order[k];
    const lwi_parameter *a = &p->item[i];
    const lwi_formula number = {.number = a->override};
    const lwi_formula *f = a->overridden ? &number : &a->value;
    value[i] = formula_value(f, value);
    if (!isfinite(value[i])) return fail_value(p, f, value, (place){i, LWI_FIELD_VALUE, 0}, err);
  }
  return LWI_PARAMETERS_OK;
}

void lwi_parameters_dimensions(const lwi_parameters *p, lwi_dimension *dimension)
{
  assert(p->order || p->n == 0);
  for (int k = 0; k < p->n; k++) {
    const int i = p->order[k];
    const lwi_parameter *a = &p->item[i];
    lwi_dimension_error unused;
    dimension[i] = a->unit.dimension;
    if (dimension[i].known || !a->value.text || a->overridden) continue;
    lwi_dimension used[64]; /* with more names it is not known */
    if (a->value.expr.nname > 64) continue;
    for (int j = 0; j < a->value.expr.nname; j++)
      used[j] = dimension[a->value.expr.name[j].slot];
    dimension[i] = lwi_expr_dimension(&a->value.expr, used, &unused);
  }
}

bool lwi_parameter_is_limited(const lwi_parameter *p)
{
  return (p->min.text || isfinite(p->min.number)) && (p->max.text || isfinite(p->max.number));
}

void lwi_parameters_range(const lwi_parameters *p, const double *value, int index, double *min,
                          double *max)
{
  *min = formula_value(&p->item[index].min, value);
  *max = formula_value(&p->item[index].max, value);
}

static lwi_parameters_status check_limit(const lwi_parameters *p, const double *value, int i,
                                         lwi_parameter_field field, lwi_parameters_error *err)
{
  const bool is_min = field == LWI_FIELD_MIN;
  const lwi_formula *f = is_min ? &p->item[i].min : &p->item[i].max;
  const double limit = formula_value(f, value);
  const place at = {i, field, 0};
  if (isnan(limit) || (f->text && !isfinite(limit))) return fail_value(p, f, value, at, err);
  if (is_min ? value[i] >= limit : value[i] <= limit) return LWI_PARAMETERS_OK;
  return fail(err, LWI_PARAMETERS_RANGE, (place){i, LWI_FIELD_VALUE, 0},
              "parameter \"%.64s\": %.15g is %s its %s %.15g", p->name[i], value[i],
              is_min ? "below" : "above", is_min ? "minimum" : "maximum", limit);
}

lwi_parameters_status lwi_parameters_check_range(const lwi_parameters *p, const double *value,
                                                 lwi_parameters_error *err)
{
  lwi_parameters_status status = LWI_PARAMETERS_OK;
  for (int i = 0; i < p->n && !status; i++) {
    status = check_limit(p, value, i, LWI_FIELD_MIN, err);
    if (!status) status = check_limit(p, value, i, LWI_FIELD_MAX, err);
  }
  return status;
}
