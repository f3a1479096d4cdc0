/* SPDX-License-Identifier: Apache-2.0 */
/* expr.c -- an expression as an object: its one block of memory and the slots of its names. */
#include "model/expression/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t lwi_expr_size(const lwi_expr *e)
{
  size_t size = (size_t)e->nop * (sizeof *e->op + (e->inside ? sizeof *e->inside : 0)) +
                (size_t)e->nconstant * (sizeof *e->constant + sizeof *e->unit) +
                (size_t)e->ntable * sizeof(void *) + (size_t)e->nname * sizeof *e->name;
  for (int i = 0; i < e->nname; i++)
    size += (size_t)e->name[i].length + 1;
  return size;
}

lwi_expr lwi_expr_copy_to(const lwi_expr *e, void *memory)
{
  lwi_expr copy = *e;
  if (e->nop == 0) return copy;
  copy.op = memory; /* first, as free wants it; all have sizes that are multiples of 8 */
  void *next = copy.op + e->nop;
  if (e->inside) {
    copy.inside = memcpy(next, e->inside, (size_t)e->nop * sizeof *e->inside);
    next = copy.inside + e->nop;
  }
  copy.constant = next;
  copy.unit = (lwi_dimension *)(void *)(copy.constant + e->nconstant);
  copy.table = (const lwi_table **)(void *)(copy.unit + e->nconstant);
  copy.name = (lwi_expr_name *)(void *)(copy.table + e->ntable);
  memcpy(copy.op, e->op, (size_t)e->nop * sizeof *e->op);
  if (e->nconstant) memcpy(copy.constant, e->constant, (size_t)e->nconstant * sizeof *e->constant);
  if (e->nconstant) memcpy(copy.unit, e->unit, (size_t)e->nconstant * sizeof *e->unit);
  if (e->ntable) memcpy(copy.table, e->table, (size_t)e->ntable * sizeof *e->table);

  char *text = (char *)(copy.name + e->nname);
  for (int i = 0; i < e->nname; i++) {
    const size_t length = (size_t)e->name[i].length;
    copy.name[i] = e->name[i];
    copy.name[i].text = memcpy(text, e->name[i].text, length);
    text[length] = '\0';
    text += length + 1;
  }
  return copy;
}
_Static_assert(sizeof(lwi_expr_op) % sizeof(double) == 0 && sizeof(lwi_expr_name) % 8 == 0 &&
                   sizeof(lwi_expr_place) % 8 == 0 && sizeof(lwi_dimension) == 8 &&
                   sizeof(void *) == 8,
               "arrays follow one another without gaps");

void lwi_expr_free(lwi_expr *e)
{
  free(e->op);
  *e = (lwi_expr){0};
}

void lwi_expr_say_place(lwi_expr_place inside, char text[], size_t size)
{
  const lwi_definition *f = inside.function;
  const size_t used = strlen(text);
  if (!f) return;
  if (f->line == 0)
    snprintf(text + used, size - used, ", in function \"%.64s\"", f->name);
  else if (f->file)
    snprintf(text + used, size - used, ", in function \"%.64s\" (%.200s:%d:%d)", f->name, f->file,
             f->line, f->column + inside.column);
  else
    snprintf(text + used, size - used, ", in function \"%.64s\" (line %d, column %d)", f->name,
             f->line, f->column + inside.column);
}

const lwi_expr_name *lwi_expr_resolve(lwi_expr *e, lwi_expr_find *find, void *context)
{
  const lwi_expr_name *unknown = NULL;
  for (int i = 0; i < e->nname; i++) {
    e->name[i].slot = find(e->name[i].text, context);
    if (e->name[i].slot < 0 && !unknown) unknown = &e->name[i];
  }
  return unknown;
}
