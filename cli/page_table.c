/* SPDX-License-Identifier: Apache-2.0 */
/* page_table.c -- pages of tables in memory, and joints of models that change: for the Python package. */
#include "page.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_status copy_row(void *context, long row, double to[], lw_error *err)
{
  const lw_page_table *x = context;
  (void)err;
  memcpy(to, x->data + (size_t)row * (size_t)x->ncolumn, (size_t)x->ncolumn * sizeof *to);
  return LW_OK;
}

/* Rows at events: those whose time another one has. */
static bool *find_events(const lw_page_table *x)
{
  const size_t n = (size_t)x->ncolumn;
  bool *must = calloc((size_t)x->rows + 1, sizeof *must);
  for (long i = 1; must && i < x->rows; i++)
    if (x->data[(size_t)i * n] == x->data[(size_t)(i - 1) * n]) must[i] = must[i - 1] = true;
  return must;
}

lw_status lw_page_of_table(const lw_model *m, const lw_page_table *x, const char *path,
                           lw_error *err)
{
  page p = {.m = m};
  bool *must = find_events(x);
  const page_table t = {x->ncolumn,           x->text, x->text + x->ncolumn, x->rows, copy_row,
                        (void *)(uintptr_t)x, must};
  *err = (lw_error){.status = LW_OK};
  lw_status status = must ? page_read(&p, m, &t, err) : LW_E_MEMORY;
  p.parts_text = x->parts;
  if (status == LW_OK) status = page_write(&p, x->facts, path, err);
  if (status != LW_OK && err->status == LW_OK) {
    err->status = status;
    snprintf(err->text, sizeof err->text, "%s", lw_status_text(status));
  }
  page_free(&p);
  free(must);
  return status;
}

/* ---- parts of models ---- */

page_parts *lw_page_parts_new(void)
{
  return calloc(1, sizeof(page_parts));
}

bool lw_page_parts_note(page_parts *p, const lw_model *m, double t)
{
  return page_parts_note(p, m, t);
}

char *lw_page_parts_text(const page_parts *p)
{
  json j;
  if (!json_start(&j)) return NULL;
  page_parts_json(&j, NULL, p);
  return json_take(&j);
}

void lw_page_parts_free(page_parts *p)
{
  if (p) page_parts_free(p);
  free(p);
}
