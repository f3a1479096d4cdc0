/* SPDX-License-Identifier: Apache-2.0 */
/* results_save.c -- a part of results in another file, and which columns it has. */
#include "base/fail.h"
#include "io/results/results_data.h"
#include "io/table/table_format.h"
#include "sim/output/column_patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

static lw_status fail_unused(const lw_results *r, const lwi_patterns *p, lw_error *err)
{
  const lwi_name *word = &p->index.name[lwi_patterns_find_unused(p)];
  char text[100];
  const size_t n = word->length < sizeof text - 1 ? word->length : sizeof text - 1;
  memcpy(text, word->text, n);
  text[n] = '\0';
  const char *nearest = lw_nearest_name(text, (const char *const *)r->names.item, r->names.n);
  return lwi_fail(err, LW_E_ARG, "the results have no column \"%s\"%s%s%s", text,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

lw_status lw_results_select(const lw_results *r, const char *patterns, bool chosen[], lw_error *err)
{
  if (!r || !chosen) return lwi_fail(err, LW_E_ARG, "lw_results_select: an argument is missing");
  if (err) *err = (lw_error){.status = LW_OK};
  lwi_patterns p = {0};
  lw_status status = patterns ? lwi_patterns_parse(&p, patterns) : LW_OK;
  if (status == LW_E_ARG) lwi_fail(err, status, "a name of a column is empty");
  if (status == LW_E_MEMORY) lwi_fail(err, status, "out of memory");
  for (int i = 0; i < r->names.n && status == LW_OK; i++)
    chosen[i] = !patterns || lwi_patterns_match(&p, r->names.item[i]);
  if (status == LW_OK && patterns && lwi_patterns_find_unused(&p) >= 0)
    status = fail_unused(r, &p, err);
  if (patterns) lwi_patterns_free(&p);
  return status;
}

/* ---- rows ---- */

enum { ROWS = 256 }; /* read at once */

typedef struct {
  lw_results *r;
  lw_results_part part;
  int n;              /* columns */
  int *column;        /* [n] */
  const char **names; /* [2 n] and units */
  double *t, *block, *row;
  bool *keep;   /* [rows] */
  long *number; /* [rows] of rows that are kept, in the new file */
  long kept;
  lw_table *table;
} copy;

static bool is_between(const copy *c, double t)
{
  const bool all = c->part.from == 0 && c->part.to == 0;
  return all || (t >= c->part.from && t <= c->part.to);
}

/* Every n-th row of the time, those just before and after events, and the last one. */
static void choose_rows(copy *c)
{
  const long rows = c->r->rows, every = c->part.every > 0 ? c->part.every : 1;
  long inside = 0, last = -1;
  for (long i = 0; i < rows; i++) {
    const bool in = is_between(c, c->t[i]);
    c->keep[i] = in && inside++ % every == 0;
    if (in) last = i;
  }
  for (int i = 0; i < lw_results_nevent(c->r); i++) {
    const long row = lw_results_event(c->r, i).row;
    if (row < -1 || row >= rows) continue; /* of a damaged file */
    for (long k = row; k <= row + 1; k++)
      if (k >= 0 && k < rows && is_between(c, c->t[k])) c->keep[k] = true;
  }
  if (last >= 0) c->keep[last] = true;
  for (long i = 0; i < rows; i++)
    c->number[i] = c->keep[i] ? c->kept++ : -1;
}

static lw_status copy_rows(copy *c, lw_error *err)
{
  lw_status status = LW_OK;
  const long width = c->r->names.n;
  for (long first = 0; first < c->r->rows && status == LW_OK; first += ROWS) {
    const long n = c->r->rows - first < ROWS ? c->r->rows - first : ROWS;
    status = lw_results_read_rows(c->r, first, n, c->block, err);
    for (long i = 0; i < n && status == LW_OK; i++) {
      if (!c->keep[first + i]) continue;
      for (int k = 0; k < c->n; k++)
        c->row[k] = c->block[i * width + c->column[k]];
      status = lw_table_write(c->table, c->row);
    }
  }
  return status;
}

/* Those of the time that is kept; the numbers of their rows change. */
static lw_status copy_records(copy *c)
{
  lw_status status = LW_OK;
  if (!c->table->format->add) return LW_OK;
  for (int kind = 0; kind < LWI_RECORD_KINDS; kind++) {
    const lwi_record_list *l = &c->r->record[kind];
    for (int i = 0; i < l->n && status == LW_OK; i++) {
      const char *from = (const char *)l->item + (size_t)i * lwi_record_size((lwi_record_kind)kind);
      lwi_event_record e;
      if (kind == LWI_RECORD_EVENT) {
        memcpy(&e, from, sizeof e);
        if (e.row < 0 || e.row >= c->r->rows || c->number[e.row] < 0) continue;
        e.row = c->number[e.row];
        from = (const char *)&e;
      }
      status = c->table->format->add(c->table, (lwi_record_kind)kind, from);
    }
  }
  return status;
}

/* ---- all together ---- */

static bool allocate(copy *c)
{
  const size_t width = (size_t)c->r->names.n, rows = (size_t)c->r->rows;
  c->column = malloc((width + 1) * sizeof *c->column);
  c->names = malloc((2 * width + 1) * sizeof *c->names);
  c->block = malloc((ROWS * width + 1) * sizeof *c->block);
  c->row = malloc((width + 1) * sizeof *c->row);
  c->t = malloc((rows + 1) * sizeof *c->t);
  c->keep = malloc((rows + 1) * sizeof *c->keep);
  c->number = malloc((rows + 1) * sizeof *c->number);
  return c->column && c->names && c->block && c->row && c->t && c->keep && c->number;
}

static void release(copy *c)
{
  free(c->column);
  free(c->names);
  free(c->block);
  free(c->row);
  free(c->t);
  free(c->keep);
  free(c->number);
}

static void choose_columns(copy *c)
{
  for (int i = 0; i < c->r->names.n; i++)
    if (!c->part.columns || c->part.columns[i]) c->column[c->n++] = i;
  for (int i = 0; i < c->n; i++) {
    c->names[i] = lw_results_name(c->r, c->column[i]);
    c->names[c->n + i] = lw_results_unit(c->r, c->column[i]);
  }
}

static lw_status write_all(copy *c, const char *path, lw_error *err)
{
  const lw_run_record record = {.arguments = (const char *const *)c->r->arguments.item,
                                .nargument = c->r->arguments.n,
                                .sources = c->r->sources};
  const lwi_results_head head = {.path = path,
                                 .names = c->names,
                                 .units = c->names + c->n,
                                 .n = c->n,
                                 .record = &record,
                                 .copied = c->r};
  c->table = lwi_table_create(&head, err);
  if (!c->table) return err->status;
  lw_status status = copy_rows(c, err);
  if (status == LW_OK) status = copy_records(c);
  lw_error file = {.status = LW_OK};
  const lw_status closed = lw_table_close(c->table, &file);
  if (closed == LW_OK || (status != LW_OK && status != LW_E_FILE)) return status;
  *err = file;
  return closed;
}

lw_status lw_results_save(lw_results *r, const char *path, const lw_results_part *part, long *rows,
                          lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  if (!r || !path) return lwi_fail(err, LW_E_ARG, "lw_results_save: an argument is missing");
  *err = (lw_error){.status = LW_OK};
  copy c = {.r = r, .part = part ? *part : (lw_results_part){0}};
  const int time = lw_results_find(r, "t");
  lw_status status = allocate(&c) ? LW_OK : lwi_out_of_memory(err, NULL);
  if (status == LW_OK && time < 0) status = lwi_fail(err, LW_E_FILE, "there is no column t");
  if (status == LW_OK) status = lw_results_read(r, time, 0, r->rows, c.t, err);
  if (status == LW_OK) {
    choose_columns(&c);
    choose_rows(&c);
    status = c.n > 0 ? write_all(&c, path, err) : lwi_fail(err, LW_E_ARG, "no column is chosen");
  }
  if (rows) *rows = c.kept;
  release(&c);
  return status;
}
