/* SPDX-License-Identifier: Apache-2.0 */
/* sens_print.c -- sensitivities as a table and as JSON. */
#include "sens.h"

#include <math.h>
#include <string.h>

static const char *parameter_name(const sens_result *r, int k)
{
  return lw_parameter_name(r->m, lw_sensitivity_parameter(r->s, k));
}

static const char *column_name(const sens_result *r, int i)
{
  return lw_columns_name(lw_sensitivity_columns(r->s), i);
}

bool sens_is_shown(const sens_result *r, int column)
{
  const char *name = column_name(r, column);
  return strcmp(name, "t") != 0 && strncmp(name, "udot.", 5) != 0 && !isnan(r->row[column]);
}

/* index: columns, then objectives */
static double derivative(const sens_result *r, int k, int index)
{
  return index < r->ncolumn ? r->drow[k * r->ncolumn + index]
                            : r->gradient[k * r->nobjective + index - r->ncolumn];
}

bool sens_disagrees(const sens_result *r, int k, int index)
{
  const int n = r->ncolumn + r->nobjective;
  const double exact = derivative(r, k, index), other = r->check[k * n + index];
  if (isnan(exact) && isnan(other)) return false;
  const double p = fabs(lw_parameter_value(r->m, lw_sensitivity_parameter(r->s, k)));
  double scale = 1 / (p > 0 ? p : 1); /* of all derivatives by this parameter */
  for (int i = 0; i < n; i++)
    if (isfinite(derivative(r, k, i))) scale = fmax(scale, fabs(derivative(r, k, i)));
  const double doubt = 20 * r->check_error[k * n + index] + 1e-6 * fabs(exact) + 1e-8 * scale;
  return !(fabs(exact - other) <= doubt);
}

/* ---- table ---- */

static void print_line(const sens_result *r, const char *name, double value, int index)
{
  const int n = r->ncolumn + r->nobjective;
  printf("  %-14s %17.10g", name, value);
  for (int k = 0; k < r->nparameter; k++)
    printf(" %17.10g", derivative(r, k, index));
  for (int k = 0; k < r->nparameter && r->check; k++)
    if (sens_disagrees(r, k, index))
      printf("   differences by %s: %.10g", parameter_name(r, k), r->check[k * n + index]);
  printf("\n");
}

static void print_header(const sens_result *r, const char *what)
{
  printf("  %-14s %17s", "", what);
  for (int k = 0; k < r->nparameter; k++) {
    char title[80];
    snprintf(title, sizeof title, "d/d(%.60s)", parameter_name(r, k));
    printf(" %17s", title);
  }
  printf("\n");
}

void sens_print(const sens_result *r)
{
  printf("%s: sensitivities at t = %g\n", show(model_title(r->m)).text, r->t);
  print_header(r, "value");
  for (int i = 0; i < r->ncolumn; i++)
    if (sens_is_shown(r, i)) print_line(r, column_name(r, i), r->row[i], i);
  if (r->nobjective > 0) {
    printf("\nobjectives\n");
    for (int i = 0; i < r->nobjective; i++)
      print_line(r, lw_get_objective(r->m, i).name, r->value[i], r->ncolumn + i);
  }
  if (r->check && r->disagreements == 0)
    printf("\nchecked: differences of whole runs agree\n");
  else if (r->check)
    printf("\nchecked: differences of whole runs disagree in %d places\n", r->disagreements);
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  printf("\nintegration       %s, rtol %g, atol %g\n", s.method, r->used.rtol, r->used.atol);
  printf("                  %ld steps, %ld rejected, %ld evaluations\n", s.steps, s.rejected,
         s.evaluations);
  printf("wall time         %.3g s\n", r->wall_time);
}

/* ---- JSON ---- */

/* {"value": v, "d": {"La": x}, "differences": {"La": y}} */
static void put_values(json *j, const sens_result *r, const char *name, double value, int index)
{
  const int n = r->ncolumn + r->nobjective;
  json_object(j, name);
  json_number(j, "value", value);
  json_object(j, "d");
  for (int k = 0; k < r->nparameter; k++)
    json_number(j, parameter_name(r, k), derivative(r, k, index));
  json_object_end(j);
  if (r->check) {
    json_object(j, "differences");
    for (int k = 0; k < r->nparameter; k++)
      json_number(j, parameter_name(r, k), r->check[k * n + index]);
    json_object_end(j);
  }
  json_object_end(j);
}

bool sens_json(const cli_args *a, const sens_result *r)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "name", lw_model_name(r->m));
  json_text(&j, "output", args_text(a, "output"));
  json_integer(&j, "rows", r->rows);
  json_number(&j, "time", r->t);
  json_object(&j, "parameters");
  for (int k = 0; k < r->nparameter; k++)
    json_number(&j, parameter_name(r, k),
                lw_parameter_value(r->m, lw_sensitivity_parameter(r->s, k)));
  json_object_end(&j);
  json_object(&j, "columns");
  for (int i = 0; i < r->ncolumn; i++)
    if (strcmp(column_name(r, i), "t") != 0 && !isnan(r->row[i]))
      put_values(&j, r, column_name(r, i), r->row[i], i);
  json_object_end(&j);
  json_object(&j, "objectives");
  for (int i = 0; i < r->nobjective; i++)
    put_values(&j, r, lw_get_objective(r->m, i).name, r->value[i], r->ncolumn + i);
  json_object_end(&j);
  if (r->check) json_bool(&j, "agrees", r->disagreements == 0);
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  json_object(&j, "statistics");
  json_text(&j, "method", s.method);
  json_integer(&j, "steps", s.steps);
  json_integer(&j, "evaluations", s.evaluations);
  json_object_end(&j);
  json_number(&j, "wall_time", r->wall_time);
  json_object_end(&j);
  if (json_finish(&j)) return true;
  complain_status(a, "the results cannot be written", LW_E_NUMBER);
  return false;
}
