/* SPDX-License-Identifier: Apache-2.0 */
/* library.c -- functions and tables of a model as a list that is shared (library.h). */
#include "model/expression/library.h"
#include "model/expression/expr.h"
#include "model/expression/table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct lwi_library {
  lwi_library *before;
  atomic_int owners;
  lwi_definition d;
  lwi_expr body;
  lwi_table *table;
  size_t length; /* of the name */
  char name[];
};

const lwi_definition *lwi_library_find(const lwi_library *x, const char *text, size_t length)
{
  for (; x; x = x->before)
    if (x->length == length && memcmp(x->name, text, length) == 0) return &x->d;
  return NULL;
}

int lwi_library_add(lwi_library **x, const lwi_definition *d, lwi_expr *body, lwi_table *table)
{
  const size_t length = strlen(d->name), file = d->file ? strlen(d->file) + 1 : 0;
  lwi_library *entry = malloc(sizeof *entry + length + 1 + file);
  if (!entry) {
    if (body) lwi_expr_free(body);
    lwi_table_free(table);
    return 0;
  }
  *entry = (lwi_library){.before = *x, .table = table, .length = length};
  atomic_init(&entry->owners, 1);
  if (body) entry->body = *body;
  entry->d = *d;
  entry->d.name = memcpy(entry->name, d->name, length + 1);
  if (d->file) entry->d.file = memcpy(entry->name + length + 1, d->file, file);
  entry->d.body = body ? &entry->body : NULL;
  entry->d.table = table;
  *x = entry;
  return 1;
}

const lwi_library *lwi_library_before(const lwi_library *x)
{
  return x->before;
}

const lwi_definition *lwi_library_last(const lwi_library *x)
{
  return &x->d;
}

lwi_library *lwi_library_keep(lwi_library *x)
{
  if (x) atomic_fetch_add(&x->owners, 1);
  return x;
}

void lwi_library_release(lwi_library *x)
{
  while (x && atomic_fetch_sub(&x->owners, 1) == 1) {
    lwi_library *before = x->before;
    lwi_expr_free(&x->body);
    lwi_table_free(x->table);
    free(x);
    x = before;
  }
}
