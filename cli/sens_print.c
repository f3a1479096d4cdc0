/* SPDX-License-Identifier: Apache-2.0 */
/* sens_print.c -- sensitivities as a table and as JSON. */
#include "sens.h"
#include "linkwork/query.h"

#include <float.h>
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

bool sens_has_ended(const sens_result *r, int parameter)
{
  return lw_sensitivity_exists_until(r->s, parameter) < r->t;
}

double sens_derivative(const sens_result *r, int k, int index)
{
  return index < r->ncolumn ? r->drow[k * r->ncolumn + index]
                            : r->gradient[k * r->nobjective + index - r->ncolumn];
}

/* ---- table ---- */

/* "-": there is none */
static void print_number(double x)
{
  if (isnan(x))
    printf(" %17s", "-");
  else
    printf(" %17.10g", x);
}

static void print_line(const sens_result *r, const char *name, double value, int index)
{
  const int n = r->ncolumn + r->nobjective;
  printf("  %-14s %17.10g", name, value);
  for (int k = 0; k < r->nparameter; k++)
    print_number(sens_derivative(r, k, index));
  for (int k = 0; k < r->nparameter && r->check; k++)
    if (isnan(sens_derivative(r, k, index)))
      continue;
    else if (r->check_error[k * n + index] >= DBL_MAX)
      printf("   no differences by %s: nearby runs take another course", parameter_name(r, k));
    else if (sens_judge(r, k, index) != SENS_AGREES)
      printf("   differences by %s: %.10g +- %.1g", parameter_name(r, k), r->check[k * n + index],
             r->check_error[k * n + index]);
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

/* from when on derivatives do not exist */
static void print_ends(const sens_result *r)
{
  for (int k = 0; k < r->nparameter; k++)
    if (sens_has_ended(r, k))
      printf("  -: derivatives by %s do not exist after t = %.10g\n", parameter_name(r, k),
             lw_sensitivity_exists_until(r->s, k));
}

/* when the run ends, where that depends on the parameters */
static void print_end(const sens_result *r)
{
  bool moves = false;
  for (int k = 0; k < r->nparameter; k++)
    moves = moves || lw_sensitivity_end_time(r->s, k) != 0; /* or NaN */
  if (!moves) return;
  printf("  %-14s %17.10g", "end of the run", r->t);
  for (int k = 0; k < r->nparameter; k++)
    print_number(lw_sensitivity_end_time(r->s, k));
  printf("\n  objectives follow the end of the run; the other derivatives are at fixed time\n");
}

static void print_check(const sens_result *r)
{
  if (r->disagreements > 0)
    printf("\nchecked: differences of whole runs disagree in %d place%s\n", r->disagreements,
           plural(r->disagreements));
  else if (r->undecided > 0)
    printf("\nnot decided: differences of whole runs are too uncertain in %d place%s, and agree in "
           "the "
           "others\n",
           r->undecided, plural(r->undecided));
  else
    printf("\nchecked: differences of whole runs agree\n");
  if (r->not_tightened[0])
    printf("         the error of the integration is not known: %s\n", r->not_tightened);
  else
    printf("         error of the integration: about %.1g of the largest derivative\n",
           r->integration_error);
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
  print_end(r);
  print_ends(r);
  if (r->check) print_check(r);
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  printf("\nintegration       %s, rtol %g, atol %g\n", s.method, r->used.rtol, r->used.atol);
  printf("                  %ld steps, %ld rejected, %ld evaluations\n", s.steps, s.rejected,
         s.evaluations);
  printf("wall time         %.3g s\n", r->wall_time);
}

/* ---- JSON ---- */

/* null: there is none */
static void put_number(json *j, const char *key, double x)
{
  if (isnan(x))
    json_text(j, key, NULL);
  else
    json_number(j, key, x);
}

/* {"value": v, "d": {"La": x}, "differences": {"La": y}} */
static void put_values(json *j, const sens_result *r, const char *name, double value, int index)
{
  const int n = r->ncolumn + r->nobjective;
  json_object(j, name);
  json_number(j, "value", value);
  json_object(j, "d");
  for (int k = 0; k < r->nparameter; k++)
    put_number(j, parameter_name(r, k), sens_derivative(r, k, index));
  json_object_end(j);
  if (r->check) {
    json_object(j, "differences");
    for (int k = 0; k < r->nparameter; k++)
      json_number(j, parameter_name(r, k), r->check[k * n + index]);
    json_object_end(j);
    json_object(j, "uncertainty");
    for (int k = 0; k < r->nparameter; k++)
      json_number(j, parameter_name(r, k), r->check_error[k * n + index]);
    json_object_end(j);
  }
  json_object_end(j);
}

char *sens_text(const cli_args *a, const sens_result *r)
{
  json j;
  if (!json_start(&j)) return NULL;
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
  json_text(&j, "gradient",
            lw_sensitivity_gradient(r->s, NULL) == LW_GRADIENT_ADJOINT ? "adjoint" : "forward");
  json_object(&j, "columns");
  for (int i = 0; i < r->ncolumn; i++)
    if (strcmp(column_name(r, i), "t") != 0 && !isnan(r->row[i]))
      put_values(&j, r, column_name(r, i), r->row[i], i);
  json_object_end(&j);
  json_object(&j, "objectives");
  for (int i = 0; i < r->nobjective; i++)
    put_values(&j, r, lw_get_objective(r->m, i).name, r->value[i], r->ncolumn + i);
  json_object_end(&j);
  json_object(&j, "end");
  json_number(&j, "value", r->t);
  json_object(&j, "d");
  for (int k = 0; k < r->nparameter; k++)
    put_number(&j, parameter_name(r, k), lw_sensitivity_end_time(r->s, k));
  json_object_end(&j);
  json_object_end(&j);
  json_object(&j, "exists_until");
  for (int k = 0; k < r->nparameter; k++)
    if (sens_has_ended(r, k))
      json_number(&j, parameter_name(r, k), lw_sensitivity_exists_until(r->s, k));
  json_object_end(&j);
  if (r->check) {
    json_text(&j, "check",
              r->disagreements > 0 ? "disagrees"
              : r->undecided > 0   ? "undecided"
                                   : "agrees");
    json_bool(&j, "agrees", r->disagreements == 0 && r->undecided == 0);
    json_integer(&j, "disagreements", r->disagreements);
    json_integer(&j, "undecided", r->undecided);
    if (!r->not_tightened[0]) json_number(&j, "integration_error", r->integration_error);
  }
  singular_json(&j, "singularities", r->singular, r->nsingular);
  event_warnings_json(&j, a, &r->warnings);
  const lw_simulation_statistics s = lw_simulation_report(r->sim);
  json_object(&j, "statistics");
  json_text(&j, "method", s.method);
  json_integer(&j, "steps", s.steps);
  json_integer(&j, "evaluations", s.evaluations);
  const lw_sensitivity_cost cost = lw_sensitivity_costs(r->s);
  json_integer(&j, "directions", cost.directions);
  json_integer(&j, "matrices", cost.matrices);
  json_object_end(&j);
  json_number(&j, "wall_time", r->wall_time);
  json_object_end(&j);
  return json_take(&j);
}

bool sens_json(const cli_args *a, const sens_result *r)
{
  if (json_print(sens_text(a, r))) return true;
  complain_status(a, "the results cannot be written", LW_E_NUMBER);
  return false;
}
