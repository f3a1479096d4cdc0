/* SPDX-License-Identifier: Apache-2.0 */
/* parameter_file.c -- writes a model file again with other values of parameters, everything else as it was.  The result is read and
   compiled before it is written. */
#include "base/number_text.h"
#include "io/file/file_text.h"
#include "io/read/text_edits.h"
#include "linkwork/file.h"
#include "linkwork/fit.h"
#include "linkwork/output.h"
#include "linkwork/query.h"
#include "model/expression/units.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_spec *s;
  const char *path;
  const char *const *name;
  const double *value;
  int n;
} change;

/* A plain number is in the unit of the parameter. */
static double in_its_unit(const lw_spec *s, const char *name, double value)
{
  const int i = lwi_parameters_find(&s->parameters, name);
  const lwi_unit *unit = i < 0 ? NULL : &s->parameters.item[i].unit;
  return unit && unit->dimension.known ? value / lwi_unit_convert(unit, 1) : value;
}

static lw_status refuse(const change *c, const char *name, lw_error *err)
{
  return lwi_file_fail(
      err, LW_E_UNSUPPORTED, (lwi_position){.file = c->path},
      "parameter \"%.100s\" is not written under parameters of this file in a way that can be "
      "changed (is it from an included file, a merge key or an alias?): change it by hand",
      name);
}

/* Where the value of a parameter is written; NULL: not in this file. */
static const lwi_yaml_node *find_value(const lwi_yaml_document *doc, const char *name)
{
  const lwi_yaml_node *x = lwi_yaml_root(doc);
  x = x && x->kind == LWI_YAML_MAP ? lwi_yaml_find(x, "parameters") : NULL;
  x = x && x->kind == LWI_YAML_MAP ? lwi_yaml_find(x, name) : NULL;
  if (x && x->kind == LWI_YAML_MAP) x = lwi_yaml_find(x, "value");
  return x && x->kind == LWI_YAML_SCALAR && !x->edited && x->style != LWI_YAML_BLOCK ? x : NULL;
}

/* Is the text a model in which the parameters have these values? */
static lw_status check_text(const change *c, const char *text, size_t length, lw_error *err)
{
  lw_error why = {0};
  lw_spec *s = lw_spec_parse(text, length, c->path, &why);
  lw_model *m = s ? lw_compile(s, &why) : NULL;
  lw_spec_free(s);
  if (!m && why.status == LW_E_MEMORY)
    return lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = c->path}, "out of memory");
  lw_status status = m ? LW_OK : refuse(c, c->name[0], err);
  for (int k = 0; k < c->n && status == LW_OK; k++) {
    double value = (double)NAN;
    for (int i = 0; i < lw_nparameter(m); i++)
      if (strcmp(lw_parameter_name(m, i), c->name[k]) == 0) value = lw_parameter_value(m, i);
    if (!(fabs(value - c->value[k]) <= 1e-14 * fabs(c->value[k])))
      status = refuse(c, c->name[k], err);
  }
  lw_model_free(m);
  return status;
}

static lw_status change_text(const change *c, const lwi_yaml_document *doc, lwi_edits *e,
                             const char *to, lw_error *err)
{
  for (int k = 0; k < c->n; k++) {
    const lwi_yaml_node *x = find_value(doc, c->name[k]);
    char text[LWI_NUMBER_TEXT + 1];
    if (!x) return refuse(c, c->name[k], err);
    *lwi_put_number(text, in_its_unit(c->s, c->name[k], c->value[k])) = '\0';
    lwi_edit(e, lwi_edit_start(e, x), lwi_edit_end(e, x), text);
  }
  size_t length = 0;
  char *text = e->failed ? NULL : lwi_edits_apply(e, &length);
  lw_status status = text ? check_text(c, text, length, err)
                          : lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = c->path},
                                          "out of memory, or too many parameters");
  if (status == LW_OK) status = lw_write_file(to, text, length, err);
  free(text);
  return status;
}

lw_status lw_write_parameters(const lw_spec *s, const char *path, const char *const name[],
                              const double value[], int n, const char *to, lw_error *err)
{
  const lwi_position at = {.file = path ? path : "lw_write_parameters"};
  if (!s || !path || !to || n < 0 || (n > 0 && (!name || !value)))
    return lwi_file_fail(err, LW_E_ARG, at, "no spec, path or values");
  for (int k = 0; k < n; k++)
    if (!name[k] || !isfinite(value[k]))
      return lwi_file_fail(err, LW_E_ARG, at, "a parameter has no name or no value");
  const change c = {s, path, name, value, n};
  char *text;
  size_t length;
  lw_status status = lwi_file_read(path, &text, &length, err);
  if (status != LW_OK) return status;
  lw_error parsing = {0};
  lwi_edits e;
  lwi_yaml_document *doc = lwi_yaml_parse(text, length, path, &parsing);
  const bool ready = lwi_edits_start(&e, text, length);
  if (!doc) {
    status = parsing.status;
    if (err) *err = parsing;
  } else {
    status = ready ? change_text(&c, doc, &e, to, err)
                   : lwi_file_fail(err, LW_E_MEMORY, at, "out of memory");
  }
  lwi_edits_free(&e);
  lwi_yaml_free(doc);
  free(text);
  return status;
}
