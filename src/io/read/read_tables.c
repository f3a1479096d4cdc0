/* SPDX-License-Identifier: Apache-2.0 */
/* read_tables.c -- the section `tables`: points from a file or from the model file itself, as rows
   of x, value or x, y, value, or as a matrix of values with lists x and y. */
#include "io/file/file_text.h"
#include "math/arrays.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "io/read/table_file.h"
#include "linkwork/reader.h"
#include "model/expression/expr_dimension.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lwi_yaml_node *file, *data, *x, *y, *value, *matrix;
  int interpolation, outside;
} table;

/* Numbers with the place that each was written at; file NULL: the model file. */
typedef struct {
  int nrow, ncolumn; /* columns: x, value or x, y, value; or the matrix */
  double *number;    /* [nrow][ncolumn] */
  const char *file;
  const int *line;            /* [nrow] of that file */
  const lwi_yaml_node *at;    /* the list, or the name of the file */
  lwi_dimension dimension[3]; /* of the columns, where units are written */
} rows;

static bool keep_node(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)r;
  *(const lwi_yaml_node **)to = value;
  return true;
}

/* one of the words of its row, in the order of its enum */
static bool read_word(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return lwi_read_word(r, value, to);
}

/* The number has the dimension of those before it, as far as units are written. */
static bool keep_dimension(lwi_reader *r, const lwi_yaml_node *value, lwi_dimension d,
                           lwi_dimension *all)
{
  if (!lwi_dimension_agree(d, *all))
    return lwi_read_fail(r, value, "this is %s, but those before it are %s",
                         lwi_dimension_name(d).text, lwi_dimension_name(*all).text);
  if (d.known) *all = d;
  return true;
}

/* A number, perhaps with a unit, without names; *all: the dimension of its column. */
static bool read_constant(lwi_reader *r, const lwi_yaml_node *value, double *to, lwi_dimension *all)
{
  lwi_dimension_error unused;
  lwi_dimension d = {0};
  lwi_expr e;
  lwi_expr_error why = {0};
  if (value->kind != LWI_YAML_SCALAR || lwi_read_is_empty(value))
    return lwi_read_expected(r, value, "a number");
  if (lwi_expr_parse(value->text, (size_t)value->count, &e, &why) == LWI_EXPR_MEMORY)
    return lwi_read_no_memory(r);
  const bool good = why.status == LWI_EXPR_OK && e.nname == 0;
  if (good) *to = lwi_expr_value(&e, NULL), d = lwi_expr_dimension(&e, NULL, &unused);
  lwi_expr_free(&e);
  if (!good || !isfinite(*to)) return lwi_read_expected(r, value, "a number");
  return keep_dimension(r, value, d, all);
}

/* A list of n lists of `width` numbers, or of n numbers: width 0; by: 0, one dimension for all; 1, one
   for each column. */
static bool read_list(lwi_reader *r, const lwi_yaml_node *list, int width, int by, double *to,
                      lwi_dimension *dimension)
{
  for (int i = 0; i < list->count; i++) {
    const lwi_yaml_node *row = list->item[i];
    if (width == 0) {
      if (!read_constant(r, row, &to[i], dimension)) return false;
      continue;
    }
    if (row->kind != LWI_YAML_LIST || row->count != width)
      return lwi_read_fail(r, row, "a row of %d numbers is expected here", width);
    for (int k = 0; k < width; k++)
      if (!read_constant(r, row->item[k], &to[i * width + k], &dimension[by * k])) return false;
  }
  return true;
}

static double *new_numbers(lwi_reader *r, int n, int width)
{
  double *x = malloc(((size_t)n * (size_t)(width ? width : 1) + 1) * sizeof *x);
  if (!x) lwi_read_no_memory(r);
  return x;
}

/* ---- what is wrong with a row ---- */

static bool fail_row(lwi_reader *r, const rows *d, int i, const char *text)
{
  if (!d->file) return lwi_read_fail(r, d->at->item[i], "%s", text);
  lw_error why = {0};
  lwi_file_fail(&why, LW_E_MODEL, (lwi_position){d->file, d->line[i], 1}, "table \"%.60s\": %s",
                r->name->text, text);
  return lwi_read_fail_in(r, d->at, d->file, &why);
}

/* ---- tables of one variable ---- */

static lw_table_desc describe(const lwi_reader *r, const table *t)
{
  return (lw_table_desc){.name = r->name->text,
                         .interpolation = (lw_interpolation)t->interpolation,
                         .outside = (lw_outside)t->outside};
}

/* dimension: of x, y and the value */
static bool add(lwi_reader *r, const lw_table_desc *d, const lwi_dimension dimension[3])
{
  lwi_read_locate(r, r->name);
  lwi_spec_measure_table(r->spec, dimension);
  lw_add_table(r->spec, d);
  return lwi_read_check(r);
}

static bool rises(lwi_reader *r, const rows *d)
{
  char text[160];
  for (int i = 1; i < d->nrow; i++) {
    const double a = d->number[(i - 1) * d->ncolumn], b = d->number[i * d->ncolumn];
    if (b > a) continue;
    snprintf(text, sizeof text, "x must rise from row to row, but %.9g follows %.9g", b, a);
    return fail_row(r, d, i, text);
  }
  return true;
}

static bool add_curve(lwi_reader *r, const table *t, const rows *d)
{
  if (!rises(r, d)) return false;
  double *x = new_numbers(r, d->nrow, 2), *y = x + d->nrow;
  if (!x) return false;
  for (int i = 0; i < d->nrow; i++)
    x[i] = d->number[2 * i], y[i] = d->number[2 * i + 1];
  lw_table_desc desc = describe(r, t);
  desc.nx = d->nrow;
  desc.x = x;
  desc.value = y;
  const lwi_dimension of_columns[3] = {d->dimension[0], {.known = 0}, d->dimension[1]};
  const bool ok = add(r, &desc, of_columns);
  free(x);
  return ok;
}

/* ---- tables of two variables: rows x, y, value on a grid, in any order ---- */

static int find(const double *x, int n, double a)
{
  const double *found = bsearch(&a, x, (size_t)n, sizeof *x, lwi_compare_numbers);
  return (int)(found - x);
}

/* The different numbers of column k, in order. */
static int distinct(const rows *d, int k, double *x)
{
  int n = 0;
  for (int i = 0; i < d->nrow; i++)
    x[i] = d->number[d->ncolumn * i + k];
  qsort(x, (size_t)d->nrow, sizeof *x, lwi_compare_numbers);
  for (int i = 0; i < d->nrow; i++)
    if (n == 0 || x[i] != x[n - 1]) x[n++] = x[i];
  return n;
}

static bool fill_grid(lwi_reader *r, const rows *d, const double *x, int nx, const double *y,
                      int ny, double *value)
{
  char text[160];
  for (int i = 0; i < nx * ny; i++)
    value[i] = (double)NAN;
  for (int i = 0; i < d->nrow; i++) {
    const double *row = &d->number[3 * i];
    double *to = &value[find(x, nx, row[0]) * ny + find(y, ny, row[1])];
    snprintf(text, sizeof text, "a second value at %.9g, %.9g", row[0], row[1]);
    if (!isnan(*to)) return fail_row(r, d, i, text);
    *to = row[2];
  }
  for (int i = 0; i < nx * ny; i++)
    if (isnan(value[i]))
      return lwi_read_fail(r, r->name, "the points are not a grid: %d x %d, without %.9g, %.9g", nx,
                           ny, x[i / ny], y[i % ny]);
  return true;
}

static bool add_grid(lwi_reader *r, const table *t, const rows *d)
{
  double *x = new_numbers(r, d->nrow, 2), *y = x + d->nrow;
  if (!x) return false;
  const int nx = distinct(d, 0, x), ny = distinct(d, 1, y);
  /* a grid has as many points as rows; what has not is refused before its space is taken */
  if ((long)nx * ny > 4L * d->nrow + 16) {
    free(x);
    return lwi_read_fail(r, r->name, "the points are not a grid: %d rows for %d x %d points",
                         d->nrow, nx, ny);
  }
  double *value = new_numbers(r, nx, ny);
  bool ok = value && fill_grid(r, d, x, nx, y, ny, value);
  if (ok) {
    lw_table_desc desc = describe(r, t);
    desc.nx = nx, desc.ny = ny, desc.x = x, desc.y = y, desc.value = value;
    ok = add(r, &desc, d->dimension);
  }
  free(value);
  free(x);
  return ok;
}

static bool add_rows(lwi_reader *r, const table *t, const rows *d)
{
  return d->ncolumn == 2 ? add_curve(r, t, d) : add_grid(r, t, d);
}

/* ---- in the model file ---- */

static bool read_data(lwi_reader *r, const table *t)
{
  const lwi_yaml_node *list = t->data;
  r->key = "data";
  if (list->kind != LWI_YAML_LIST || list->count == 0)
    return lwi_read_expected(r, list, "a list of rows");
  const lwi_yaml_node *first = list->item[0];
  const int width = first->kind == LWI_YAML_LIST ? first->count : 0;
  if (width != 2 && width != 3)
    return lwi_read_fail(r, first, "a row is [x, value] or [x, y, value]");
  rows d = {.nrow = list->count, .ncolumn = width, .at = list};
  d.number = new_numbers(r, list->count, width);
  const bool ok =
      d.number && read_list(r, list, width, 1, d.number, d.dimension) && add_rows(r, t, &d);
  free(d.number);
  return ok;
}

static bool is_list(const lwi_yaml_node *node)
{
  return node && node->kind == LWI_YAML_LIST;
}

/* x: [...], y: [...], value: one list for each x */
static bool read_matrix(lwi_reader *r, const table *t)
{
  r->key = "value";
  if (!is_list(t->x) || !is_list(t->y) || !is_list(t->value))
    return lwi_read_fail(r, r->name, "a table needs `file`, `data`, or lists `x`, `y` and `value`");
  const int nx = t->x->count, ny = t->y->count;
  if (t->value->count != nx)
    return lwi_read_fail(r, t->value, "one list for each of the %d x is expected, found %d", nx,
                         t->value->count);
  double *x = new_numbers(r, nx + ny, 0), *value = x ? new_numbers(r, nx, ny) : NULL;
  lwi_dimension dimension[3] = {{.known = 0}};
  bool ok = value && read_list(r, t->x, 0, 0, x, &dimension[0]) &&
            read_list(r, t->y, 0, 0, x + nx, &dimension[1]) &&
            read_list(r, t->value, ny, 0, value, &dimension[2]);
  if (ok) {
    lw_table_desc desc = describe(r, t);
    desc.nx = nx, desc.ny = ny, desc.x = x, desc.y = x + nx, desc.value = value;
    ok = add(r, &desc, dimension);
  }
  free(x);
  free(value);
  return ok;
}

/* ---- in a file of its own ---- */

/* The column that a key names; without it column number `otherwise`. */
static bool find_column(lwi_reader *r, const lwi_table_file *f, const lwi_yaml_node *name,
                        int otherwise, int *to)
{
  const char *text;
  *to = name ? -1 : otherwise;
  if (name && !lwi_read_text(r, name, &text)) return false;
  if (name) *to = lwi_table_file_find(f, text);
  if (*to >= 0 && *to < f->ncolumn) return true;
  if (!name)
    return lwi_read_fail(r, r->name, "%.80s has %d columns, %d are needed", f->path, f->ncolumn,
                         otherwise + 1);
  char known[200] = "";
  for (int i = 0; i < f->ncolumn && i < 12; i++) {
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%.20s", i ? ", " : "", f->head[i].text);
  }
  return lwi_read_fail(r, name, "%.80s has no column \"%.40s\"; there are %s", f->path, text,
                       known);
}

/* x and y are columns, and so is value for a table of two variables */
static bool read_columns(lwi_reader *r, const table *t, const lwi_table_file *f)
{
  int k[3], n = t->value ? 3 : 2;
  if (!find_column(r, f, t->x, 0, &k[0]) || !find_column(r, f, t->y, 1, &k[1]) ||
      (n == 3 && !find_column(r, f, t->value, 2, &k[2])))
    return false;
  rows d = {.nrow = f->nrow, .ncolumn = n, .file = f->path, .line = f->line, .at = t->file};
  d.number = new_numbers(r, f->nrow, n);
  if (!d.number) return false;
  for (int c = 0; c < n; c++)
    d.dimension[c] = f->unit[k[c]].dimension;
  for (int i = 0; i < f->nrow; i++)
    for (int c = 0; c < n; c++)
      d.number[i * n + c] = f->number[i * f->ncolumn + k[c]];
  const bool ok = add_rows(r, t, &d);
  free(d.number);
  return ok;
}

/* the head of the file holds y, the first column x */
static bool read_matrix_file(lwi_reader *r, const table *t, const lwi_table_file *f)
{
  const int nx = f->nrow, ny = f->ncolumn - 1;
  double *x = new_numbers(r, nx, ny + 1), *y = x + nx;
  if (!x) return false;
  bool ok = true;
  lwi_dimension dimension[3] = {f->unit[0].dimension};
  double *value = new_numbers(r, nx, ny);
  for (int j = 0; value && j < ny && ok; j++) {
    const struct lwi_table_cell *head = &f->head[j + 1];
    const lwi_yaml_node at = {.kind = LWI_YAML_SCALAR,
                              .line = t->file->line,
                              .column = t->file->column,
                              .scope = t->file->scope,
                              .count = (int)strlen(head->text),
                              .text = head->text};
    r->key = "y";
    ok = read_constant(r, &at, &y[j], &dimension[1]);
  }
  for (int i = 0; value && i < nx; i++) {
    x[i] = f->number[i * f->ncolumn];
    memcpy(&value[i * ny], &f->number[i * f->ncolumn + 1], (size_t)ny * sizeof *value);
  }
  if (ok && value) {
    lw_table_desc desc = describe(r, t);
    desc.nx = nx, desc.ny = ny, desc.x = x, desc.y = y, desc.value = value;
    ok = add(r, &desc, dimension);
  }
  ok = ok && value;
  free(x);
  free(value);
  return ok;
}

static bool read_file(lwi_reader *r, const table *t)
{
  const char *name;
  bool matrix = false;
  r->key = "file";
  if (!lwi_read_text(r, t->file, &name)) return false;
  r->key = "matrix";
  if (t->matrix && !lwi_read_bool(r, t->matrix, &matrix)) return false;
  const char *path = lwi_read_path(r, t->file, name);
  if (!path) return false;
  lwi_table_file f;
  lw_error why = {0};
  bool ok = lwi_table_file_read(r->sources, path, &f, &why);
  if (!ok && why.status == LW_E_MEMORY)
    lwi_read_no_memory(r);
  else if (!ok)
    lwi_read_fail_in(r, t->file, path, &why);
  r->key = "x";
  if (ok) ok = matrix ? read_matrix_file(r, t, &f) : read_columns(r, t, &f);
  lwi_table_file_free(&f);
  return ok;
}

static const lwi_field table_fields[] = {
    {"file", keep_node, offsetof(table, file), LWI_ONLY_TYPE, 0, "text", NULL,
     "columns of numbers, as seen from the model file: one line of names, `s` or `s [mm]`, then "
     "rows"},
    {"data", keep_node, offsetof(table, data), LWI_ONLY_TYPE, 0, "list of lists of numbers", NULL,
     "rows [x, value] or [x, y, value], instead of a file"},
    {"x", keep_node, offsetof(table, x), LWI_ONLY_TYPE, 0, "text or list of numbers",
     "the first column", "the column of the variable; or its values"},
    {"y", keep_node, offsetof(table, y), LWI_ONLY_TYPE, 0, "text or list of numbers",
     "the second column",
     "the column of the value, with `value` of the second variable; or the values of that"},
    {"value", keep_node, offsetof(table, value), LWI_ONLY_TYPE, 0,
     "text or list of lists of numbers", NULL,
     "the column of the value of a table of two variables; or one list for each x"},
    {"matrix", keep_node, offsetof(table, matrix), LWI_ONLY_TYPE, 0, "boolean", "false",
     "the first line of the file holds y (behind one cell), the first column x"},
    {"interpolation", read_word, offsetof(table, interpolation), LWI_ONLY_TYPE, 0,
     "akima | linear | pchip | hold", "akima", "between the points (1.10)"},
    {"outside", read_word, offsetof(table, outside), LWI_ONLY_TYPE, 0, "error | hold | extend",
     "error", "beyond the points (1.10)"},
};
const lwi_part_keys lwi_table_keys = LWI_PART("table", "table", "a table", table_fields);

static bool read_table(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value)
{
  table t = {0};
  if (!lwi_read_fields(r, name, value, lwi_table_keys.table, &t)) return false;
  if (t.file && t.data) return lwi_read_fail(r, t.data, "`data` beside `file`: one of them");
  return t.file ? read_file(r, &t) : t.data ? read_data(r, &t) : read_matrix(r, &t);
}

bool lwi_read_tables(lwi_reader *r, const lwi_yaml_node *section)
{
  return lwi_read_parts(r, section, "table", read_table);
}
