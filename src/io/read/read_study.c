/* SPDX-License-Identifier: Apache-2.0 */
/* read_study.c -- the section `study`: the cases of `linkwork sweep`. */
#include "io/file/file_text.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "io/read/table_file.h"
#include "linkwork/design.h"
#include "model/spec/spec_data.h"

#include <stdlib.h>
#include <string.h>

/* what is read, until it is given to the spec */
typedef struct {
  lw_study_desc d;
  lw_factor *factor; /* [d.design.nfactor] */
  lwi_mark *mark;    /* where they are written */
  double *numbers;   /* of the list */
  const lwi_yaml_node *at_list, *at_parameters, *at_cases;
  char *text[3]; /* columns, extremes, events */
} study;

/* a parameter, and the values that its descriptor points to */
typedef struct {
  lw_factor d;
  int parameter, given; /* of range, normal, values */
  double *value;
} factor;

/* ---- names and numbers ---- */

static bool find_parameter(lwi_reader *r, const lwi_yaml_node *name, int *parameter)
{
  *parameter = lwi_parameters_find(&r->spec->parameters, name->text);
  return *parameter >= 0 || lwi_read_unknown_name(r, name, "parameter", r->parameters, NULL);
}

/* In the unit of the parameter. */
static bool read_number_of(lwi_reader *r, const lwi_yaml_node *value, int parameter, double *x)
{
  if (!lwi_read_number(r, value, x)) return false;
  lwi_read_locate(r, value);
  return lwi_spec_number_of(r->spec, parameter, x) || lwi_read_check(r);
}

static bool read_pair(lwi_reader *r, const lwi_yaml_node *value, int parameter, double *a,
                      double *b)
{
  if (value->kind != LWI_YAML_LIST || value->count != 2)
    return lwi_read_expected(r, value, "a list of two numbers");
  return read_number_of(r, value->item[0], parameter, a) &&
         read_number_of(r, value->item[1], parameter, b);
}

/* ---- one parameter ---- */

static bool read_range(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  factor *f = to;
  f->d.kind = LW_FACTOR_UNIFORM;
  f->given++;
  return read_pair(r, value, f->parameter, &f->d.min, &f->d.max);
}

static bool read_normal(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  factor *f = to;
  f->d.kind = LW_FACTOR_NORMAL;
  f->given++;
  return read_pair(r, value, f->parameter, &f->d.mean, &f->d.deviation);
}

static bool read_values(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  factor *f = to;
  if (value->kind != LWI_YAML_LIST || value->count < 1)
    return lwi_read_expected(r, value, "a list of numbers");
  f->d.kind = LW_FACTOR_VALUES;
  f->given++;
  f->d.nvalue = value->count;
  f->d.value = f->value = LWI_TAKE(&r->spec->arena, value->count, double);
  if (!f->value) return lwi_read_no_memory(r);
  for (int i = 0; i < value->count; i++)
    if (!read_number_of(r, value->item[i], f->parameter, &f->value[i])) return false;
  return true;
}

static const lwi_field factor_fields[] = {
    {"range", read_range, 0, LWI_ONLY_TYPE, 0, "list of numbers", NULL, "from, to"},
    {"normal", read_normal, 0, LWI_ONLY_TYPE, 0, "list of numbers", NULL,
     "a normal distribution: mean, standard deviation"},
    {"values", read_values, 0, LWI_ONLY_TYPE, 0, "list of numbers", NULL, "one of these"},
    {"points", lwi_read_index, offsetof(factor, d.points), LWI_ONLY_TYPE, 0, "index", "5",
     "of a grid"},
};
const lwi_part_keys lwi_factor_keys =
    LWI_PART_OR("variation", "factor", "factor", "a parameter of `study`", factor_fields);

static bool read_factor(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value,
                        factor *f)
{
  *f = (factor){.d = {.name = name->text, .kind = LW_FACTOR_LIMITS}};
  r->key = name->text;
  if (!find_parameter(r, name, &f->parameter)) return false;
  if (lwi_read_is_empty(value)) return true;
  if (value->kind == LWI_YAML_LIST) return read_range(r, value, f);
  if (value->kind != LWI_YAML_MAP)
    return lwi_read_expected(r, value, "a range [from, to] or a mapping");
  if (!lwi_read_fields(r, name, value, lwi_factor_keys.table, f)) return false;
  return f->given <= 1 ||
         lwi_read_fail(r, name, "parameter \"%.60s\": one of range, normal, values", name->text);
}

static bool new_factors(lwi_reader *r, study *y, int n)
{
  y->factor = calloc((size_t)n + 1, sizeof *y->factor);
  y->mark = calloc((size_t)n + 1, sizeof *y->mark);
  return (y->factor && y->mark) || lwi_read_no_memory(r);
}

static void add_factor(lwi_reader *r, study *y, const lwi_yaml_node *name, const lw_factor *f)
{
  const int k = y->d.design.nfactor++;
  y->factor[k] = *f;
  lwi_read_locate(r, name);
  y->mark[k] = r->spec->mark;
}

static bool read_parameters(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  study *y = to;
  factor f;
  y->at_parameters = value;
  if (!lwi_read_is_map(r, value) || !new_factors(r, y, value->count)) return false;
  for (int i = 0; i < value->count; i++) {
    const lwi_yaml_node *name = value->entry[i].key;
    if (!read_factor(r, name, value->entry[i].value, &f)) return false;
    add_factor(r, y, name, &f.d);
  }
  return true;
}

/* Where none is named: all that have limits. */
static bool take_limited(lwi_reader *r, study *y, const lwi_yaml_node *section)
{
  const lwi_parameters *p = &r->spec->parameters;
  if (!new_factors(r, y, p->n)) return false;
  for (int i = 0; i < p->n; i++)
    if (lwi_parameter_is_limited(&p->item[i]))
      add_factor(r, y, section, &(lw_factor){.name = p->item[i].name, .kind = LW_FACTOR_LIMITS});
  return true;
}

/* ---- lists ---- */

/* A column with a unit is of the dimension of the parameter. */
static bool fits(lwi_reader *r, const lwi_yaml_node *at, const lwi_table_file *f, int column,
                 int parameter)
{
  const lwi_parameter *p = &r->spec->parameters.item[parameter];
  const lwi_dimension own = lwi_spec_dimension_of(p), given = f->unit[column].dimension;
  if (lwi_dimension_agree(own, given)) return true;
  return lwi_read_fail(r, at, "%.80s: column \"%.40s\" is in %s, but the parameter is %s", f->path,
                       p->name, lwi_dimension_name(given).text, lwi_dimension_name(own).text);
}

/* Columns that are parameters, in SI. */
static bool take_columns(lwi_reader *r, study *y, const lwi_yaml_node *at, const lwi_table_file *f)
{
  if (!new_factors(r, y, f->ncolumn)) return false;
  int *column = calloc((size_t)f->ncolumn + 1, sizeof *column);
  if (!column) return lwi_read_no_memory(r);
  for (int i = 0; i < f->ncolumn; i++) {
    const int parameter = lwi_parameters_find(&r->spec->parameters, f->head[i].text);
    if (parameter < 0) continue;
    if (!fits(r, at, f, i, parameter)) return free(column), false;
    const char *name = lwi_arena_text(&r->spec->arena, f->head[i].text);
    if (!name) return free(column), lwi_read_no_memory(r);
    column[y->d.design.nfactor] = i;
    add_factor(r, y, at, &(lw_factor){.name = name});
  }
  const int n = y->d.design.nfactor;
  y->numbers = malloc(((size_t)f->nrow * (size_t)n + 1) * sizeof *y->numbers);
  for (int i = 0; y->numbers && i < f->nrow; i++)
    for (int k = 0; k < n; k++)
      y->numbers[i * n + k] = f->number[i * f->ncolumn + column[k]];
  free(column);
  y->d.design.cases = f->nrow;
  if (!y->numbers) return lwi_read_no_memory(r);
  if (n > 0 && f->nrow > 0) return true;
  return lwi_read_fail(r, at, "%.80s has no rows, or no column that is a parameter", f->path);
}

static bool read_list_file(lwi_reader *r, study *y, const lwi_yaml_node *value)
{
  const char *name, *path;
  if (!lwi_read_text(r, value, &name) || !(path = lwi_read_path(r, value, name))) return false;
  lwi_table_file f;
  lw_error why = {0};
  bool ok = lwi_table_file_read(r->sources, path, &f, &why);
  if (ok)
    ok = take_columns(r, y, value, &f);
  else if (why.status == LW_E_MEMORY)
    lwi_read_no_memory(r);
  else
    lwi_read_fail_in(r, value, path, &why);
  lwi_table_file_free(&f);
  return ok;
}

/* A case has the parameters of the first one. */
static bool read_case(lwi_reader *r, study *y, const lwi_yaml_node *map, double *row)
{
  const int n = y->d.design.nfactor;
  if (!lwi_read_is_map(r, map)) return false;
  for (int i = 0; i < map->count; i++) {
    int k = 0, parameter;
    const lwi_yaml_node *name = map->entry[i].key;
    r->key = name->text;
    if (!find_parameter(r, name, &parameter)) return false;
    while (k < n && strcmp(y->factor[k].name, name->text) != 0)
      k++;
    if (k == n)
      return lwi_read_fail(r, name, "the first case of `list` does not have \"%.60s\"", name->text);
    if (!read_number_of(r, map->entry[i].value, parameter, &row[k])) return false;
  }
  return map->count == n ||
         lwi_read_fail(r, map, "each case of `list` has the same parameters: %d, found %d", n,
                       map->count);
}

static bool read_cases(lwi_reader *r, study *y, const lwi_yaml_node *list)
{
  const lwi_yaml_node *first = list->count > 0 ? list->item[0] : NULL;
  if (!first || first->kind != LWI_YAML_MAP || first->count == 0)
    return lwi_read_expected(r, first ? first : list, "a mapping of parameters");
  if (!new_factors(r, y, first->count)) return false;
  for (int i = 0; i < first->count; i++)
    add_factor(r, y, first->entry[i].key, &(lw_factor){.name = first->entry[i].key->text});
  const size_t n = (size_t)first->count;
  y->numbers = malloc((size_t)list->count * n * sizeof *y->numbers);
  if (!y->numbers) return lwi_read_no_memory(r);
  y->d.design.cases = list->count;
  for (int i = 0; i < list->count; i++)
    if (!read_case(r, y, list->item[i], y->numbers + (size_t)i * n)) return false;
  return true;
}

static bool keep_list(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  (void)r;
  ((study *)to)->at_list = value;
  return true;
}

static bool read_list(lwi_reader *r, study *y)
{
  const lwi_yaml_node *list = y->at_list;
  if (y->at_parameters) return lwi_read_fail(r, list, "`list` beside `parameters`: one of them");
  if (y->at_cases) return lwi_read_fail(r, y->at_cases, "`list` says how many cases there are");
  r->key = "list";
  if (!(list->kind == LWI_YAML_LIST ? read_cases(r, y, list) : read_list_file(r, y, list)))
    return false;
  y->d.design.kind = LW_DESIGN_LIST;
  y->d.design.list = y->numbers;
  return true;
}

/* ---- the rest ---- */

static bool read_design(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  static const lw_design_kind kinds[] = {LW_DESIGN_LATIN, LW_DESIGN_GRID, LW_DESIGN_SOBOL,
                                         LW_DESIGN_RANDOM, LW_DESIGN_INDICES};
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  ((study *)to)->d.design.kind = kinds[choice];
  return true;
}

/* A whole number of at most 15 digits. */
static bool read_count(lwi_reader *r, const lwi_yaml_node *value, unsigned long long most,
                       unsigned long long *n)
{
  char *end = NULL;
  const bool digits = value->kind == LWI_YAML_SCALAR && value->count > 0 && value->count <= 15 &&
                      strspn(value->text, "0123456789") == (size_t)value->count;
  if (digits) *n = strtoull(value->text, &end, 10);
  if (digits && *n <= most) return true;
  return lwi_read_expected(r, value, "a whole number");
}

static bool read_seed(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_count(r, value, 9000000000000000u, &((study *)to)->d.design.seed);
}

static bool read_number_of_cases(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  study *y = to;
  unsigned long long n = 0;
  y->at_cases = value;
  if (!read_count(r, value, 1000000000, &n)) return false;
  y->d.design.cases = (long)n;
  return n > 0 || lwi_read_expected(r, value, "a whole number from 1 on");
}

/* "q.A, u.A" or [q.A, u.A] */
static bool read_texts(lwi_reader *r, const lwi_yaml_node *value, char **to)
{
  const bool list = value->kind == LWI_YAML_LIST;
  const int n = list ? value->count : 1;
  size_t length = 1;
  const char *text;
  for (int i = 0; i < n; i++) {
    if (!lwi_read_text(r, list ? value->item[i] : value, &text)) return false;
    length += strlen(text) + 2;
  }
  char *at = *to = malloc(length);
  if (!at) return lwi_read_no_memory(r);
  *at = '\0';
  for (int i = 0; i < n; i++) {
    const lwi_yaml_node *item = list ? value->item[i] : value;
    memcpy(at, item->text, (size_t)item->count);
    at += item->count;
    *at++ = i + 1 < n ? ',' : '\0';
  }
  return true;
}

static bool read_columns(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_texts(r, value, &((study *)to)->text[0]);
}
static bool read_extremes(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_texts(r, value, &((study *)to)->text[1]);
}
static bool read_events(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_texts(r, value, &((study *)to)->text[2]);
}

static const lwi_field study_fields[] = {
    {"design", read_design, 0, LWI_ONLY_TYPE, 0, "latin | grid | sobol | uniform | indices",
     "latin", "how cases are chosen (16.2)"},
    {"cases", read_number_of_cases, 0, LWI_ONLY_TYPE, 0, "index", "100", "how many"},
    {"seed", read_seed, 0, LWI_ONLY_TYPE, 0, "index", "1", "of the random numbers"},
    {"parameters", read_parameters, 0, LWI_ONLY_TYPE, 0, "mapping of factors",
     "all that have min and max", "which vary, and how (16.3)"},
    {"list", keep_list, 0, LWI_ONLY_TYPE, 0, "text or list of cases", "none",
     "the cases one by one, or a table of them, instead of a design (16.4)"},
    {"columns", read_columns, 0, LWI_ONLY_TYPE, 0, "text or list of texts", "none",
     "results at the end of each run (16.5)"},
    {"extremes", read_extremes, 0, LWI_ONLY_TYPE, 0, "text or list of texts", "none",
     "largest and least values during each run, with their times"},
    {"events", read_events, 0, LWI_ONLY_TYPE, 0, "text or list of texts", "none",
     "how often events happen, and when"},
    {"limit", lwi_read_positive, offsetof(study, d.limit), LWI_ONLY_TYPE, 0, "number", "none",
     "processor time per case"},
};
const lwi_part_keys lwi_study_keys = LWI_PART("study", NULL, "`study`", study_fields);

bool lwi_read_study(lwi_reader *r, const lwi_yaml_node *section)
{
  study y = {.d = {.design = {.kind = LW_DESIGN_LATIN, .seed = 1}}};
  bool ok = lwi_read_fields(r, section, section, lwi_study_keys.table, &y);
  if (ok && y.at_list)
    ok = read_list(r, &y);
  else if (ok && !y.at_parameters)
    ok = take_limited(r, &y, section);
  if (ok && y.d.design.kind == LW_DESIGN_GRID && y.at_cases)
    ok = lwi_read_fail(r, y.at_cases, "a grid has as many cases as its points make: `points`");
  if (ok) {
    y.d.columns = y.text[0];
    y.d.extremes = y.text[1];
    y.d.events = y.text[2];
    y.d.design.factor = y.factor;
    lwi_read_locate(r, section);
    lwi_spec_set_study(r->spec, &y.d, y.mark);
    ok = lwi_read_check(r);
  }
  for (int i = 0; i < 3; i++)
    free(y.text[i]);
  free(y.factor);
  free(y.mark);
  free(y.numbers);
  return ok;
}
