/* SPDX-License-Identifier: Apache-2.0 */
/* column_outputs.c -- outputs as result columns: expressions of other columns, which are computed
   along with those that are shown. */
#include "sim/output/column_outputs.h"
#include "base/fail.h"
#include "model/model.h"
#include "sim/output/column_measures.h"
#include "sim/output/columns_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what outputs need ---- */

/* parameters have the first slots, then come all columns */
static int find_slot(const char *name, void *context)
{
  const lw_columns *c = context;
  for (int i = 0; i < c->m->nparameter; i++)
    if (strcmp(c->m->parameter_name[i], name) == 0) return i;
  const int column = lwi_name_find(&c->index, name, strlen(name));
  return column < 0 ? -1 : c->m->nparameter + column;
}

typedef struct {
  lw_columns *columns;
  lwi_name_index wanted;
} search;

static lw_status take_wanted(void *context, lwi_column column, const char *name)
{
  search *s = context;
  const size_t length = strlen(name);
  if (lwi_name_find(&s->wanted, name, length) < 0) return LW_OK;
  if (lwi_name_find(&s->columns->index, name, length) >= 0) return LW_OK;
  return lwi_columns_add(s->columns, column, name);
}

static bool want_names(search *s)
{
  const lw_columns *c = s->columns;
  for (int k = 0; k < c->noutput; k++) {
    const lwi_expr *e = &c->m->output[c->output[k].number].expr;
    for (int i = 0; i < e->nname; i++)
      if (lwi_name_add(&s->wanted, e->name[i].text, (size_t)e->name[i].length) < 0) return false;
  }
  return true;
}

static lw_status unknown(const lw_columns *c, const lwi_output *o, const lwi_expr_name *name,
                         lw_error *err)
{
  lw_error why = {0};
  lw_columns *one = lwi_columns_one(c->m, name->text, &why); /* finds the nearest name */
  lw_columns_free(one);
  if (why.status == LW_E_MEMORY) return lwi_out_of_memory(err, NULL);
  lwi_fail(err, LW_E_MODEL, "output \"%.60s\": %s", o->name, why.text);
  lwi_locate_error(c->m->files, lwi_expr_mark(&o->expr, (size_t)name->column, o->mark), err);
  if (err) lwi_expr_say_place(name->inside, err->text, sizeof err->text);
  return LW_E_MODEL;
}

/* Names that no walk lists, and those that do not exist. */
static lw_status take_rest(lw_columns *c, const lwi_output *o, lw_error *err)
{
  for (int i = 0; i < o->expr.nname; i++) {
    lwi_column column;
    const char *name = o->expr.name[i].text;
    if (find_slot(name, c) >= 0) continue;
    if (!lwi_column_find(c->m, name, &column)) return unknown(c, o, &o->expr.name[i], err);
    if (lwi_columns_add(c, column, name) != LW_OK) return LW_E_MEMORY;
  }
  return LW_OK;
}

static lw_status resolve(lw_columns *c, int k)
{
  const lwi_expr *from = &c->m->output[c->output[k].number].expr;
  void *block = malloc(lwi_expr_size(from) + 1);
  if (!block) return LW_E_MEMORY;
  c->output[k].expr = lwi_expr_copy_to(from, block);
  lwi_expr_resolve(&c->output[k].expr, find_slot, c);
  return LW_OK;
}

static bool list_outputs(lw_columns *c)
{
  int n = 0;
  for (int i = 0; i < c->n; i++)
    n += c->column[i].kind == LWI_COLUMN_OUTPUT;
  if (n == 0) return true;
  c->output = calloc((size_t)n, sizeof *c->output);
  if (!c->output) return false;
  for (int i = 0; i < c->n; i++)
    if (c->column[i].kind == LWI_COLUMN_OUTPUT)
      c->output[c->noutput++] = (lwi_output_column){.column = i, .number = c->column[i].id - 1};
  return true;
}

lw_status lwi_outputs_open(lw_columns *c, lw_error *err)
{
  c->shown = c->n;
  if (!list_outputs(c)) return LW_E_MEMORY;
  if (c->noutput == 0) return LW_OK;
  search s = {.columns = c};
  lw_status status = lwi_columns_index(c) && want_names(&s) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) status = lwi_columns_walk_all(c->m, take_wanted, &s);
  lwi_name_index_free(&s.wanted);
  for (int k = 0; k < c->noutput && status == LW_OK; k++)
    status = take_rest(c, &c->m->output[c->output[k].number], err);
  for (int k = 0; k < c->noutput && status == LW_OK; k++)
    status = resolve(c, k);
  for (int k = 0; k < c->noutput && status == LW_OK; k++)
    lwi_output_unit(c, c->output[k].number, c->output[k].unit);
  const size_t nslot = (size_t)(c->m->nparameter + c->n);
  c->slot = calloc(2 * nslot + 1, sizeof *c->slot);
  c->slot_p = c->slot ? c->slot + nslot : NULL;
  return status == LW_OK && !c->slot ? LW_E_MEMORY : status;
}

void lwi_outputs_close(lw_columns *c)
{
  for (int k = 0; k < c->noutput; k++)
    lwi_expr_free(&c->output[k].expr);
  free(c->output);
  free(c->slot);
}

/* ---- values ---- */

double *lwi_outputs_row(lw_columns *c, double row[])
{
  return c->noutput > 0 ? c->slot + c->m->nparameter : row;
}

void lwi_outputs_evaluate(lw_columns *c, double row[])
{
  if (c->noutput == 0) return;
  double *all = c->slot + c->m->nparameter;
  if (c->m->nparameter) memcpy(c->slot, c->m->parameter, (size_t)c->m->nparameter * sizeof(double));
  for (int k = 0; k < c->noutput; k++)
    all[c->output[k].column] = lwi_expr_value(&c->output[k].expr, c->slot);
  memcpy(row, all, (size_t)c->shown * sizeof(double));
}

double *lwi_outputs_row_rates(const lw_columns *c, double row_p[])
{
  return c->noutput > 0 ? c->slot_p + c->m->nparameter : row_p;
}

void lwi_outputs_derive(const lw_columns *c, const double parameter_p[], double row_p[])
{
  if (c->noutput == 0) return;
  double *all = c->slot_p + c->m->nparameter, value;
  for (int i = 0; i < c->m->nparameter; i++)
    c->slot_p[i] = parameter_p ? parameter_p[i] : 0;
  for (int k = 0; k < c->noutput; k++)
    lwi_expr_dual(&c->output[k].expr, c->slot, 1, c->slot_p, &value, &all[c->output[k].column]);
  memcpy(row_p, all, (size_t)c->shown * sizeof(double));
}
