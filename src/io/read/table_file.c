/* SPDX-License-Identifier: Apache-2.0 */
/* table_file.c -- reads numbers in columns (table_file.h). */
#include "io/read/table_file.h"
#include "base/arena.h"
#include "io/file/file_text.h"
#include "io/file/sources.h"
#include "model/expression/expr_lex.h"
#include "model/expression/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_table_file *f;
  lw_error *err;
  char *at; /* the rest of the text */
  int line;
  int row_capacity, number_capacity, nnumber;
} scanner;

__attribute__((format(printf, 3, 4))) static bool fail_at(scanner *s, int column,
                                                          const char *format, ...)
{
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lwi_file_fail(s->err, LW_E_MODEL, (lwi_position){s->f->path, s->line, column}, "%s", text);
  return false;
}

static bool no_memory(scanner *s)
{
  lwi_file_fail(s->err, LW_E_MEMORY, (lwi_position){.file = s->f->path}, "out of memory");
  return false;
}

/* The next line that is neither empty nor a comment, terminated; NULL: there is none. */
static char *next_line(scanner *s)
{
  while (*s->at) {
    char *line = s->at, *end = line + strcspn(line, "\n");
    s->at = *end ? end + 1 : end;
    *end = '\0';
    if (end > line && end[-1] == '\r') end[-1] = '\0';
    s->line++;
    const size_t blank = strspn(line, " \t");
    if (line[blank] && line[blank] != '#') return line;
  }
  return NULL;
}

/* What separates cells: a comma, a semicolon or a tab if the line has one, else spaces. */
static char separator_of(const char *line)
{
  return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ' ';
}

static char *trim(char *text)
{
  text += strspn(text, " \t");
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
    text[--n] = '\0';
  if (n > 1 && text[0] == '"' && text[n - 1] == '"') text[n - 1] = '\0', text++;
  return text;
}

/* Cuts the next cell off *rest, which becomes NULL after the last; units in brackets hold
   spaces. */
static char *next_cell(char **rest, char separator)
{
  char *cell = *rest;
  if (separator == ' ') {
    cell += strspn(cell, " ");
    const size_t n = strcspn(cell, " "), unit = n + strspn(cell + n, " ");
    const bool bracket = cell[unit] == '[';
    char *end = cell + n;
    if (bracket) end = cell + unit + strcspn(cell + unit, "]") + (strchr(cell + unit, ']') != NULL);
    char *more = end + strspn(end, " ");
    *rest = *more ? more : NULL;
    *end = '\0';
    return cell;
  }
  char *end = strchr(cell, separator);
  *rest = end ? end + 1 : NULL;
  if (end) *end = '\0';
  return cell;
}

/* `name [unit]` */
static bool read_unit(scanner *s, struct lwi_table_cell *cell, lwi_unit *u)
{
  char *open = strchr(cell->text, '['), *close = open ? strchr(open, ']') : NULL;
  *u = (lwi_unit){.up = 1, .down = 1};
  if (!open) return true;
  const size_t length = close ? (size_t)(close - open - 1) : 0;
  if (!close || lwi_unit_read(open + 1, length, u) != length || length == 0)
    return fail_at(s, cell->column + (int)(open - cell->text), "\"%.40s\" is not a unit", open);
  *open = '\0';
  cell->text = trim(cell->text);
  return true;
}

static bool read_head(scanner *s, char *line)
{
  lwi_table_file *f = s->f;
  int capacity = 0, units = 0;
  const char separator = separator_of(line);
  for (char *rest = line; rest;) {
    const int column = 1 + (int)(rest - line);
    char *text = trim(next_cell(&rest, separator));
    if (!lwi_grow(&f->head, f->ncolumn, &capacity, sizeof *f->head) ||
        !lwi_grow(&f->unit, f->ncolumn, &units, sizeof *f->unit))
      return no_memory(s);
    f->head[f->ncolumn] = (struct lwi_table_cell){text, s->line, column};
    if (!read_unit(s, &f->head[f->ncolumn], &f->unit[f->ncolumn])) return false;
    f->ncolumn++;
  }
  return true;
}

static bool read_number(scanner *s, const char *text, int column, double *to)
{
  const bool sign = text[0] == '-' || text[0] == '+';
  const size_t length = strlen(text);
  const lwi_token token = lwi_expr_token(text, length, sign);
  if (token.kind != LWI_TOKEN_NUMBER || token.column != sign || sign + token.length != length ||
      !isfinite(token.number))
    return fail_at(s, column, "\"%.40s\" is not a number", text);
  *to = text[0] == '-' ? -token.number : token.number;
  return true;
}

static bool read_row(scanner *s, char *line)
{
  lwi_table_file *f = s->f;
  const char separator = separator_of(line);
  int n = 0;
  for (char *rest = line; rest; n++) {
    const int column = 1 + (int)(rest - line);
    const char *text = trim(next_cell(&rest, separator));
    if (n == f->ncolumn) return fail_at(s, column, "more numbers than the %d columns", f->ncolumn);
    if (!lwi_grow(&f->number, s->nnumber, &s->number_capacity, sizeof *f->number))
      return no_memory(s);
    double *to = &f->number[s->nnumber];
    if (!read_number(s, text, column, to)) return false;
    *to = lwi_unit_convert(&f->unit[n], *to);
    s->nnumber++;
  }
  if (n < f->ncolumn)
    return fail_at(s, 1, "%d numbers in a row, the file has %d columns", n, f->ncolumn);
  if (!lwi_grow(&f->line, f->nrow, &s->row_capacity, sizeof *f->line)) return no_memory(s);
  f->line[f->nrow++] = s->line;
  return true;
}

static bool read_lines(scanner *s)
{
  char *line = next_line(s);
  if (!line) return fail_at(s, 1, "the file is empty");
  if (!read_head(s, line)) return false;
  while ((line = next_line(s)))
    if (!read_row(s, line)) return false;
  return s->f->nrow > 0 || fail_at(s, 1, "there are no rows of numbers below the names");
}

bool lwi_table_file_read(lw_sources *sources, const char *path, lwi_table_file *out, lw_error *err)
{
  size_t length;
  *out = (lwi_table_file){.path = path};
  if (lwi_sources_read(sources, path, &out->text, &length, err) != LW_OK) return false;
  scanner s = {.f = out, .err = err, .at = out->text, .line = 1};
  if (strlen(out->text) != length) return fail_at(&s, 1, "a NUL byte: this is not a text file");
  s.line = 0;
  if (length >= 3 && memcmp(out->text, "\xef\xbb\xbf", 3) == 0) s.at += 3;
  return read_lines(&s);
}

void lwi_table_file_free(lwi_table_file *f)
{
  free(f->text);
  free(f->head);
  free(f->unit);
  free(f->number);
  free(f->line);
  *f = (lwi_table_file){0};
}

int lwi_table_file_find(const lwi_table_file *f, const char *name)
{
  for (int i = 0; i < f->ncolumn; i++)
    if (strcmp(f->head[i].text, name) == 0) return i;
  return -1;
}
