/* SPDX-License-Identifier: Apache-2.0 */
/* objectives.c -- the objectives of a model: expressions of result columns, evaluated and
   differentiated. */
#include "sim/sensitivity/objectives.h"
#include "base/fail.h"
#include "model/spec/spec_data.h"
#include "sim/output/column_patterns.h"
#include "sim/output/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

typedef struct {
  const lw_model *m;
  const lw_columns *columns;
} names;

/* Parameters have the first slots, then come the columns. */
static int find_slot(const char *name, void *context)
{
  const names *n = context;
  const int parameter = lwi_find_parameter(n->m, name);
  if (parameter >= 0) return parameter;
  for (int i = 0; i < lw_columns_count(n->columns); i++)
    if (strcmp(lw_columns_name(n->columns, i), name) == 0) return n->m->nparameter + i;
  return -1;
}

static const lwi_spec_expr *expression(const lw_model *m, int i)
{
  const int e = lwi_expr_index(m->spec->objectives.item[i].d.value);
  return e >= 0 && e < m->spec->nexpr ? &m->spec->expr[e] : NULL;
}

/* Does a column of this name exist?  The error names the objective. */
static lw_status check_column(const lw_model *m, int i, const lwi_expr_name *name, lw_error *err)
{
  lw_error why = {0};
  lw_columns *one = lwi_columns_one(m, name->text, &why);
  const bool good = one && !lwi_columns_have(one, LWI_COLUMN_ENERGY_ERROR);
  if (one && !good)
    lwi_fail(&why, LW_E_MODEL, "energy.error is a check of results; nothing can depend on it");
  lw_columns_free(one);
  if (good) return LW_OK;
  if (why.status == LW_E_MEMORY) return lwi_out_of_memory(err, NULL);
  lwi_fail(err, LW_E_MODEL, "objective \"%.64s\": %s", m->spec->objectives.item[i].d.name,
           why.text);
  lwi_locate_error(
      m->files, lwi_expr_mark(&expression(m, i)->expr, (size_t)name->column, (lwi_mark){0}), err);
  if (err) lwi_expr_say_place(name->inside, err->text, sizeof err->text);
  return LW_E_MODEL;
}

/* t, q.A, y.lower: all names that are not parameters. */
static lw_status list_columns(lwi_objectives *o, lw_error *err)
{
  lwi_name_list l = {0};
  bool good = lwi_name_list_add(&l, "t");
  lw_status status = LW_OK;
  for (int i = 0; i < o->n && good && status == LW_OK; i++) {
    const lwi_spec_expr *e = expression(o->m, i);
    for (int k = 0; e && k < e->expr.nname && good && status == LW_OK; k++) {
      const lwi_expr_name *name = &e->expr.name[k];
      if (lwi_find_parameter(o->m, name->text) >= 0) continue;
      status = check_column(o->m, i, name, err);
      good = lwi_name_list_add(&l, name->text);
    }
  }
  o->patterns = l.text;
  return good ? status : lwi_out_of_memory(err, NULL);
}

/* ---- make ---- */

static bool read_expression(lwi_objectives *o, int i)
{
  const lwi_spec_expr *e = expression(o->m, i);
  lwi_expr one = {0};
  if (!e && lwi_expr_parse("0", 1, &one, NULL) != LWI_EXPR_OK) return false;
  const lwi_expr *from = e ? &e->expr : &one;
  void *block = malloc(lwi_expr_size(from) + 1);
  if (block) {
    o->item[i].expr = lwi_expr_copy_to(from, block);
    if (!e) o->item[i].expr.constant[0] = o->m->spec->objectives.item[i].d.value;
    lwi_expr_resolve(&o->item[i].expr, find_slot, &(names){o->m, o->columns});
  }
  lwi_expr_free(&one);
  return block;
}

lw_status lwi_objectives_init(lwi_objectives *o, const lw_model *m, lw_error *err)
{
  *o = (lwi_objectives){.m = m, .n = lw_nobjective(m)};
  lw_status status = list_columns(o, err);
  if (status != LW_OK) return status;
  o->columns = lw_columns_new(m, o->patterns, err);
  if (!o->columns) return err ? err->status : LW_E_MEMORY;
  o->ncolumn = lw_columns_count(o->columns);
  const size_t nslot = (size_t)(m->nparameter + o->ncolumn);
  o->item = calloc((size_t)o->n + 1, sizeof *o->item);
  o->slot = calloc(nslot + 1, sizeof *o->slot);
  o->slot_p = calloc(nslot + 1, sizeof *o->slot_p);
  o->scratch = calloc((size_t)o->ncolumn + 1, sizeof *o->scratch);
  if (!o->item || !o->slot || !o->slot_p || !o->scratch) return lwi_out_of_memory(err, NULL);
  for (int i = 0; i < o->n; i++) {
    const lw_objective_desc *d = &m->spec->objectives.item[i].d;
    o->item[i] = (lwi_objective){.name = d->name, .kind = d->kind};
    if (!read_expression(o, i)) return lwi_out_of_memory(err, NULL);
  }
  if (m->nparameter) memcpy(o->slot, m->parameter, (size_t)m->nparameter * sizeof(double));
  return LW_OK;
}

void lwi_objectives_free(lwi_objectives *o)
{
  for (int i = 0; i < o->n && o->item; i++)
    lwi_expr_free(&o->item[i].expr), lwi_expr_free(&o->item[i].held);
  lw_columns_free(o->columns);
  free(o->patterns);
  free(o->item);
  free(o->slot);
  free(o->slot_p);
  free(o->scratch);
  *o = (lwi_objectives){0};
}

/* ---- compute ---- */

lw_status lwi_objectives_look(lwi_objectives *o, double t, const double q[], const double u[])
{
  return lw_columns_row(o->columns, t, q, u, o->slot + o->m->nparameter);
}

bool lwi_objectives_hold(lwi_objectives *o, int index, const lwi_held_op op[], int n)
{
  lwi_objective *item = &o->item[index];
  lwi_expr_free(&item->held);
  return n == 0 || lwi_expr_hold(&item->expr, o->slot, op, n, &item->held);
}

double lwi_objectives_value(const lwi_objectives *o, int index)
{
  const lwi_objective *item = &o->item[index];
  const double held = item->held.nop ? lwi_expr_value(&item->held, o->slot) : (double)NAN;
  return isnan(held) ? lwi_expr_value(&item->expr, o->slot) : held;
}

void lwi_objectives_derive(lwi_objectives *o, const double parameters_p[], const double row_p[])
{
  for (int i = 0; i < o->m->nparameter; i++)
    o->slot_p[i] = parameters_p ? parameters_p[i] : 0;
  memcpy(o->slot_p + o->m->nparameter, row_p, (size_t)o->ncolumn * sizeof(double));
}

double lwi_objectives_slope(const lwi_objectives *o, int index)
{
  const lwi_objective *item = &o->item[index];
  double value = (double)NAN, slope = 0;
  if (item->held.nop) lwi_expr_dual(&item->held, o->slot, 1, o->slot_p, &value, &slope);
  if (!isfinite(value) || !isfinite(slope))
    lwi_expr_dual(&item->expr, o->slot, 1, o->slot_p, &value, &slope);
  return slope;
}

bool lwi_objectives_explain(lwi_objectives *o, double t, const double q[], const double u[],
                            lw_error *err)
{
  if (lwi_objectives_look(o, t, q, u) != LW_OK) return false;
  for (int i = 0; i < o->n; i++) {
    const lwi_expr *e = &o->item[i].expr;
    if (o->item[i].kind != LW_OBJECTIVE_INTEGRAL || !isnan(lwi_objectives_value(o, i))) continue;
    const char *name = NULL;
    for (int k = 0; k < e->nname && !name; k++)
      if (isnan(o->slot[e->name[k].slot])) name = e->name[k].text;
    lwi_fail(err, LW_E_NUMBER, "objective \"%s\" has no value from t = %.10g on%s%s%s",
             o->item[i].name, t, name ? ": \"" : "", name ? name : "",
             name ? "\" is not a number there, or what it is a number of does not exist any more"
                  : "");
    lwi_locate_error(o->m->files, lwi_expr_mark(&expression(o->m, i)->expr, 0, (lwi_mark){0}), err);
    return true;
  }
  return false;
}
