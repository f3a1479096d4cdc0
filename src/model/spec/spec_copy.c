/* SPDX-License-Identifier: Apache-2.0 */
/* spec_copy.c -- a spec that lives on its own, which a model keeps, and branches of it, which
   events edit. */
#include "model/spec/spec_data.h"

#include <stdlib.h>
#include <string.h>

static bool copy_parameters(lw_spec *to, const lw_spec *from)
{
  const lwi_parameters *p = &from->parameters;
  to->parameters.library = to->library;
  for (int i = 0; i < p->n; i++) {
    const lwi_parameter *a = &p->item[i];
    const lwi_formula_desc min = {a->min.text, a->min.number}, max = {a->max.text, a->max.number};
    const lwi_parameter_desc d = {a->name, {a->value.text, a->value.number}, &min, &max, &a->unit};
    if (lwi_parameters_add(&to->parameters, &d, NULL) != LWI_PARAMETERS_OK) return false;
    if (a->overridden) lwi_parameters_override(&to->parameters, i, a->override);
  }
  const size_t size = (size_t)from->nparameter_mark * sizeof(lwi_mark);
  to->parameter_mark = malloc(size + 1);
  if (!to->parameter_mark) return false;
  if (size) memcpy(to->parameter_mark, from->parameter_mark, size);
  to->nparameter_mark = to->parameter_capacity = from->nparameter_mark;
  return true;
}

static bool copy_files(lw_spec *to, const lw_spec *from)
{
  to->files = calloc((size_t)from->nfile + 1, sizeof *to->files);
  if (!to->files) return false;
  to->file_capacity = from->nfile + 1;
  for (int i = 0; i < from->nfile; i++)
    to->files[to->nfile++] = lwi_spec_text(to, from->files[i]);
  return true;
}

/* an expression owns one block (expr.h) */
static bool copy_expressions(lw_spec *to, const lw_spec *from)
{
  if (from->nexpr == 0) return true;
  to->expr = calloc((size_t)from->nexpr, sizeof *to->expr);
  if (!to->expr) return false;
  to->expr_capacity = from->nexpr;
  for (int i = 0; i < from->nexpr; i++) {
    const lwi_spec_expr *e = &from->expr[i];
    void *block = malloc(lwi_expr_size(&e->expr));
    if (!block) return false;
    to->expr[i] = (lwi_spec_expr){.text = lwi_spec_text(to, e->text),
                                  .expr = lwi_expr_copy_to(&e->expr, block),
                                  .key = e->key,
                                  .expected = e->expected,
                                  .like = e->like,
                                  .alike = e->alike};
    to->nexpr++;
  }
  return true;
}

/* ---- parts: names and what descriptors point to are copied after the lists ---- */

#define NAME_OF(s, list, i) ((s)->list.item[i].d.name)

static bool copy_lists(lw_spec *to, const lw_spec *from)
{
#define COPY(list, desc)                                                                           \
  if (from->list.n > 0) {                                                                          \
    to->list.item = malloc((size_t)from->list.n * sizeof *to->list.item);                          \
    if (!to->list.item) return false;                                                              \
    memcpy(to->list.item, from->list.item, (size_t)from->list.n * sizeof *to->list.item);          \
    to->list.n = to->list.capacity = from->list.n;                                                 \
    for (int i = 0; i < to->list.n; i++)                                                           \
      NAME_OF(to, list, i) = lwi_spec_text(to, NAME_OF(from, list, i));                            \
  }
#define COPY_FORCES(item, items, ...) COPY(items, )
  LWI_SPEC_LISTS(COPY)
  LWI_FORCE_LIST(COPY_FORCES)
#undef COPY_FORCES
#undef COPY
  return true;
}

static bool copy_terms(lw_spec *to)
{
  for (int i = 0; i < to->constraints.n; i++) {
    lw_constraint_desc *d = &to->constraints.item[i].d;
    if (d->nterm == 0) continue;
    lw_term *terms = LWI_TAKE(&to->arena, d->nterm, lw_term);
    if (!terms) return false;
    memcpy(terms, d->terms, (size_t)d->nterm * sizeof *terms);
    d->terms = terms;
  }
  return true;
}

static bool copy_pointed(lw_spec *to, const lw_spec *from)
{
  for (int i = 0; i < to->bodies.n; i++) {
    lw_body_desc *d = &to->bodies.item[i].d;
    if (!d->start) continue;
    lw_start *start = LWI_TAKE(&to->arena, 1, lw_start);
    if (!start) return false;
    *start = *d->start;
    d->start = start;
  }
  for (int i = 0; i < to->shapes.n; i++)
    to->shapes.item[i].d.file = lwi_spec_text(to, from->shapes.item[i].d.file);
  for (int i = 0; i < to->events.n; i++)
    if (!lwi_event_keep(to, &from->events.item[i].d, &to->events.item[i].d)) return false;
  return true;
}

static bool copy_study(lw_spec *to, const lw_spec *from)
{
  if (from->study) lwi_spec_set_study(to, &from->study->d, from->study->factor_mark);
  return lwi_spec_good(to);
}

static bool copy_index(lw_spec *to, lwi_name_index *out, const lwi_name_index *from)
{
  for (int i = 0; i < from->n; i++) {
    char *name = LWI_TAKE(&to->arena, from->name[i].length + 1, char);
    if (!name) return false;
    memcpy(name, from->name[i].text, from->name[i].length);
    if (lwi_name_add(out, name, from->name[i].length) < 0) return false;
  }
  return true;
}

static bool copy_names(lw_spec *to, const lw_spec *from)
{
  const size_t size = (size_t)from->joint_names.n * sizeof(int);
  to->joint_of_name = malloc(size + 1);
  if (!to->joint_of_name) return false;
  if (size) memcpy(to->joint_of_name, from->joint_of_name, size);
  to->joint_of_name_capacity = from->joint_names.n;
  return copy_index(to, &to->body_names, &from->body_names) &&
         copy_index(to, &to->point_names, &from->point_names) &&
         copy_index(to, &to->output_names, &from->output_names) &&
         copy_index(to, &to->joint_names, &from->joint_names) &&
         copy_index(to, &to->force_names, &from->force_names);
}

lw_spec *lwi_spec_copy(const lw_spec *s)
{
  lw_spec *to = lw_spec_new();
  if (!to) return NULL;
  to->planar = s->planar;
  to->has_gravity = s->has_gravity;
  to->unlimited = s->unlimited;
  to->far = s->far;
  memcpy(to->gravity, s->gravity, sizeof s->gravity);
  to->simulation = s->simulation;
  to->mark = s->mark;
  to->name = lwi_spec_text(to, s->name);
  to->library = lwi_library_keep(s->library);
  to->has_units = s->has_units;
  if (copy_files(to, s) && copy_parameters(to, s) && copy_expressions(to, s) && copy_lists(to, s) &&
      copy_terms(to) && copy_pointed(to, s) && copy_names(to, s) && copy_study(to, s))
    return to;
  lw_spec_free(to);
  return NULL;
}

/* ---- branches ---- */

static void *copy_items(const void *from, int n, size_t size)
{
  void *copy = malloc((size_t)(n + 1) * size);
  if (copy && n > 0) memcpy(copy, from, (size_t)n * size);
  return copy;
}

/* a list of its own */
#define OWN(to, from, list)                                                                        \
  (((to)->list.item = copy_items((from)->list.item, (from)->list.n, sizeof *(to)->list.item)) &&   \
   ((to)->list.capacity = (from)->list.n + 1, true))

static bool own_names(lw_spec *to, const lw_spec *from)
{
  const int n = from->joint_names.n;
  to->joint_of_name = copy_items(from->joint_of_name, n, sizeof(int));
  if (!to->joint_of_name) return false;
  to->joint_of_name_capacity = n + 1;
  return lwi_name_index_copy(&to->joint_names, &from->joint_names);
}

lw_spec *lwi_spec_branch(const lw_spec *s)
{
  lw_spec *to = malloc(sizeof *to);
  if (!to) return NULL;
  *to = *s;
  to->error = (lw_error){.status = LW_OK};
  to->borrows = true;
  to->arena = (lwi_arena){0};
  to->texts = NULL;
  to->joints.item = NULL;
  to->constraints.item = NULL;
  to->events.item = NULL;
  to->joint_of_name = NULL;
  to->joint_names = (lwi_name_index){0};
  if (OWN(to, s, joints) && OWN(to, s, constraints) && OWN(to, s, events) && own_names(to, s) &&
      copy_terms(to) && lwi_spec_good(to))
    return to;
  lw_spec_free(to);
  return NULL;
}

lw_spec *lw_spec_copy(const lw_spec *s)
{
  return s ? lwi_spec_copy(s) : NULL;
}
