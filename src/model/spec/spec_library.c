/* SPDX-License-Identifier: Apache-2.0 */
/* spec_library.c -- functions and tables of a spec, which its expressions call. */
#include "base/quoted_name.h"
#include "model/expression/table.h"
#include "model/spec/spec_data.h"

#include <math.h>
#include <string.h>

static bool is_name(const char *name)
{
  return name && strlen(name) <= 200 && lwi_is_name(name);
}

/* May a function or table be called that? */
static bool check_name(lw_spec *s, const char *kind, const char *name)
{
  const char *why = NULL;
  if (!is_name(name))
    why = LWI_NOT_A_NAME;
  else if (lwi_expr_is_function(name) || lwi_expr_is_reserved(name))
    why = "the name is reserved";
  else if (lwi_library_find(s->library, name, strlen(name)))
    why = "there is a function or table of this name";
  if (why) lwi_spec_fail(s, LW_E_MODEL, s->mark, "%s \"%.64s\": %s", kind, name ? name : "", why);
  return !why;
}

/* ---- functions ---- */

static bool check_arguments(lw_spec *s, const lw_function_desc *d)
{
  if (d->nargument < 1 || !d->arguments)
    return lwi_spec_fail(s, LW_E_MODEL, s->mark, "function \"%.64s\" has no argument", d->name),
           false;
  for (int i = 0; i < d->nargument; i++) {
    const char *name = d->arguments[i], *why = NULL;
    if (!is_name(name))
      why = LWI_NOT_A_NAME;
    else if (lwi_expr_is_reserved(name))
      why = "the name is reserved";
    for (int k = 0; k < i && !why; k++)
      if (strcmp(name, d->arguments[k]) == 0) why = "two arguments have this name";
    if (!why) continue;
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "function \"%.64s\", argument \"%.64s\": %s", d->name,
                  name ? name : "", why);
    return false;
  }
  return true;
}

void lw_add_function(lw_spec *s, const lw_function_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d || !d->value) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "a function needs a name and a value");
    return;
  }
  if (!check_name(s, "function", d->name) || !check_arguments(s, d)) return;
  lwi_expr body;
  lwi_expr_error why;
  const lwi_expr_status st = lwi_expr_parse_function(d->value, strlen(d->value), d->nargument,
                                                     d->arguments, s->library, &body, &why);
  if (st != LWI_EXPR_OK && st != LWI_EXPR_MEMORY) {
    lwi_spec_fail(s, LW_E_MODEL, lwi_spec_mistake_mark(s, why.column), "function \"%.64s\": %s",
                  d->name, why.text);
    return;
  }
  if (st == LWI_EXPR_OK) lwi_spec_place_expr(s, &body);
  const lwi_definition own = {.name = d->name,
                              .nargument = d->nargument,
                              .file = s->mark.file ? s->files[s->mark.file - 1] : NULL,
                              .line = s->mark.line,
                              .column = s->mark.column};
  if (st == LWI_EXPR_MEMORY || !lwi_library_add(&s->library, &own, &body, NULL))
    lwi_spec_no_memory(s);
}

/* ---- tables ---- */

/* What is wrong with the points of one variable, or NULL. */
static bool check_points(lw_spec *s, const lw_table_desc *d, const char *variable, int n,
                         const double *x)
{
  if (n < 2 || !x) {
    lwi_spec_fail(s, LW_E_MODEL, s->mark, "table \"%.64s\": two points at least are needed, not %d",
                  d->name, n < 0 ? 0 : n);
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (isfinite(x[i]) && (i == 0 || x[i] > x[i - 1])) continue;
    if (!isfinite(x[i]))
      lwi_spec_fail(s, LW_E_MODEL, s->mark, "table \"%.64s\": %s number %d is not finite", d->name,
                    variable, i + 1);
    else
      lwi_spec_fail(s, LW_E_MODEL, s->mark,
                    "table \"%.64s\": %s must rise, but number %d is %.9g after %.9g", d->name,
                    variable, i + 1, x[i], x[i - 1]);
    return false;
  }
  return true;
}

static bool check_table(lw_spec *s, const lw_table_desc *d)
{
  enum { MOST = 50000000 }; /* numbers */
  if (!check_name(s, "table", d->name) || !check_points(s, d, "x", d->nx, d->x)) return false;
  if (d->ny != 0 && !check_points(s, d, "y", d->ny, d->y)) return false;
  const int ny = d->ny > 0 ? d->ny : 1;
  if (!d->value || d->nx > MOST / ny || d->interpolation > LW_TABLE_HOLD ||
      d->outside > LW_OUTSIDE_EXTEND) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "table \"%.64s\": %s", d->name,
                  !d->value ? "no values" : "too many points, or an unknown kind");
    return false;
  }
  for (int i = 0; i < d->nx * ny; i++)
    if (!isfinite(d->value[i])) {
      lwi_spec_fail(s, LW_E_MODEL, s->mark, "table \"%.64s\": value number %d is not finite",
                    d->name, i + 1);
      return false;
    }
  return true;
}

void lw_add_table(lw_spec *s, const lw_table_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "a table needs a description");
    return;
  }
  if (!check_table(s, d)) return;
  lwi_table *t =
      lwi_table_new(&(lwi_table_desc){.name = d->name,
                                      .n = {d->nx, d->ny},
                                      .x = {d->x, d->y},
                                      .value = d->value,
                                      .kind = (lwi_table_kind)d->interpolation,
                                      .outside = (lwi_table_outside)d->outside,
                                      .dimension = {s->table[0], s->table[1], s->table[2]}});
  memset(s->table, 0, sizeof s->table);
  const lwi_definition own = {.name = d->name, .nargument = d->ny ? 2 : 1};
  if (!t || !lwi_library_add(&s->library, &own, NULL, t)) lwi_spec_no_memory(s);
}
_Static_assert((int)LW_TABLE_HOLD == (int)LWI_TABLE_HOLD &&
                   (int)LW_OUTSIDE_EXTEND == (int)LWI_OUTSIDE_EXTEND &&
                   (int)LW_TABLE_PCHIP == (int)LWI_TABLE_PCHIP,
               "the same order");
