/* SPDX-License-Identifier: Apache-2.0 */
/* results_csv.c -- reads a table of results in CSV (RFC 4180) into memory.  An empty cell is NaN:
   the column does not exist at that time.  The last row of a table that was cut is left out. */
#include "base/arena.h"
#include "io/file/file_kind.h"
#include "io/file/file_text.h"
#include "io/results/results_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lw_results *r;
  lw_error *err;
  char *at; /* the rest of the text */
  int line;
} scanner;

static lw_status fail(const scanner *s, lw_status status, const char *what)
{
  return lwi_file_fail(s->err, status, (lwi_position){s->r->path, s->line, s->line ? 1 : 0}, "%s",
                       what);
}

/* Cuts the next cell off, in place; *more: the line goes on behind it. */
static char *next_cell(scanner *s, bool *more)
{
  char *cell = s->at, *to = cell, *from = cell;
  bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from && (quoted || (*from != ',' && *from != '\n')); from++) {
    if (quoted && *from == '"' && from[1] != '"') {
      quoted = false;
      continue;
    }
    if (quoted && *from == '"') from++;
    *to++ = *from;
  }
  *more = *from == ',';
  s->at = *from ? from + 1 : from;
  if (to > cell && to[-1] == '\r') to--;
  *to = '\0';
  return cell;
}

static lw_status read_names(scanner *s)
{
  lwi_text_list *names = &s->r->names;
  int n = 1;
  for (const char *c = s->at; *c && *c != '\n'; c++)
    n += *c == ',';
  names->item = calloc((size_t)n + 1, sizeof *names->item);
  if (!names->item) return fail(s, LW_E_MEMORY, "out of memory");
  for (bool more = true; more && names->n < n;)
    names->item[names->n++] = next_cell(s, &more);
  for (int i = 0; i < names->n; i++)
    if (strcmp(names->item[i], "t") == 0) return LW_OK;
  return fail(s, LW_E_FILE, "the header of a table of results has the column t; this one has none");
}

static bool read_number(const char *cell, double *x)
{
  char *end;
  *x = (double)NAN;
  if (!*cell) return true;
  *x = strtod(cell, &end);
  return *end == '\0';
}

static lw_status read_row(scanner *s, int *capacity)
{
  lw_results *r = s->r;
  const int width = r->names.n;
  bool more = true;
  if (!lwi_grow(&r->number, (int)r->rows, capacity, (size_t)width * sizeof *r->number))
    return fail(s, LW_E_MEMORY, "out of memory");
  double *row = r->number + r->rows * width;
  for (int i = 0; i < width; i++) {
    if (!more) return fail(s, LW_E_FILE, "a row has fewer cells than the header");
    const char *cell = next_cell(s, &more);
    if (!read_number(cell, &row[i]))
      return lwi_file_fail(s->err, LW_E_FILE, (lwi_position){r->path, s->line, 1},
                           "\"%.40s\" of column %.100s is no number", cell, r->names.item[i]);
  }
  r->rows++;
  return more ? fail(s, LW_E_FILE, "a row has more cells than the header") : LW_OK;
}

/* What is certainly no table, before its columns are looked for. */
static lw_status check_kind(const scanner *s, size_t length)
{
  const char *text = s->r->names.text;
  const size_t first = strcspn(text, "\n");
  if (lwi_file_is_foreign(text, length))
    return lwi_file_kind_fail(s->err, LW_E_FILE, (lwi_position){s->r->path, 1, 1}, text, length,
                              "results");
  if (text[strspn(text, " \t\r\n")] == '\0' && strlen(text) == length)
    return fail(s, LW_E_FILE, "the file is empty");
  if (strlen(text) < length) return fail(s, LW_E_FILE, "a NUL byte: these are no results");
  if (*text == '{')
    return fail(s, LW_E_FILE, "this is JSON: of results, HDF5 (FILE.h5) and CSV can be read");
  if (*text != '#' && !memchr(text, ',', first) && memchr(text, ':', first))
    return fail(s, LW_E_FILE, "this is YAML, not results: `linkwork run MODEL -o FILE` makes them");
  return LW_OK;
}

lw_status lwi_results_read_csv(lw_results *r, lw_error *err)
{
  size_t length;
  int capacity = 0;
  scanner s = {.r = r, .err = err};
  lw_status status = lwi_file_read(r->path, &r->names.text, &length, err);
  if (status == LW_OK) status = check_kind(&s, length);
  if (status != LW_OK) return status;
  s.at = r->names.text;
  while (*s.at == '#') /* comments before the header */
    s.at += strcspn(s.at, "\n"), s.at += *s.at == '\n', s.line++;
  s.line++;
  status = read_names(&s);
  while (status == LW_OK && strchr(s.at, '\n')) {
    s.line++;
    if (*s.at == '\n' || (*s.at == '\r' && s.at[1] == '\n'))
      s.at += 1 + (*s.at == '\r');
    else
      status = read_row(&s, &capacity);
  }
  r->cut = *s.at != '\0';
  return status;
}
