/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_queries.c -- what can be asked about a run with derivatives. */
#include "linkwork/events.h"
#include "sim/output/columns.h"
#include "sim/sensitivity/sensitivity_data.h"

#include <math.h>

int lw_sensitivity_nparameter(const lw_sensitivity *s)
{
  if (!s) return 0;
  return s->np;
}

lw_gradient lw_sensitivity_gradient(const lw_sensitivity *s, const char **why)
{
  if (why) *why = s && s->adjoint.why[0] ? s->adjoint.why : NULL;
  return s && s->adjoint.on ? LW_GRADIENT_ADJOINT : LW_GRADIENT_FORWARD;
}

lw_sensitivity_cost lw_sensitivity_costs(const lw_sensitivity *s)
{
  return s ? s->cost : (lw_sensitivity_cost){0};
}

int lw_sensitivity_parameter(const lw_sensitivity *s, int k)
{
  if (!s) return 0;
  return k >= 0 && k < s->np ? s->derivative[k]->parameter : -1;
}

lw_simulation *lw_sensitivity_simulation(lw_sensitivity *s)
{
  if (!s) return NULL;
  return s->sim;
}

const lw_columns *lw_sensitivity_columns(const lw_sensitivity *s)
{
  if (!s) return NULL;
  return s->columns;
}

void lw_sensitivity_watch(lw_sensitivity *s, lw_step_callback callback, void *context)
{
  if (!s) return;
  s->on_step = callback;
  s->step_context = context;
}

void lw_sensitivity_on_event(lw_sensitivity *s, lw_event_callback callback, void *context)
{
  if (!s) return;
  s->on_event = callback;
  s->event_context = context;
}

double lw_sensitivity_exists_until(const lw_sensitivity *s, int k)
{
  return s && k >= 0 && k < s->np ? s->until[k] : (double)NAN;
}

double lw_sensitivity_event_time(const lw_sensitivity *s, int k)
{
  if (!s) return NAN;
  if (k >= 0 && k < s->np && !lwi_sensitivity_exists(s, k)) return NAN;
  return k >= 0 && k < s->np ? s->when_p[k] / s->derivative[k]->scale : 0;
}

/* Scaled; the run must have reached its end, or ends at the present state. */
double lwi_sensitivity_end_p(const lw_sensitivity *s, int k)
{
  const lw_simulation_options *o = &s->sim->options;
  if (s->sim->over) return s->when_p[k];
  const bool at_end = fabs(s->t - o->end) <= 1e-9 * fmin(o->output_step, o->end);
  return s->end_as_written && at_end ? s->derivative[k]->end_p : 0;
}

double lw_sensitivity_end_time(const lw_sensitivity *s, int k)
{
  if (!s) return NAN;
  if (k >= 0 && k < s->np && !lwi_sensitivity_exists(s, k) && lwi_sensitivity_end_p(s, k) != 0)
    return NAN;
  return k >= 0 && k < s->np ? lwi_sensitivity_end_p(s, k) / s->derivative[k]->scale : 0;
}

/* ---- rows ---- */

/* t is the only column, which has no derivatives. */
static bool is_time_alone(const lw_sensitivity *s)
{
  return lw_columns_count(s->columns) == 1 &&
         lwi_columns_get(s->columns, 0).kind == LWI_COLUMN_TIME;
}

lw_status lw_sensitivity_row(lw_sensitivity *s, double row[], double drow[])
{
  if (!s || !row) return LW_E_ARG;
  const int n = lw_columns_count(s->columns);
  double *y = s->sim->y;
  const bool none = is_time_alone(s);
  for (int k = 0; k < s->np && drow && none; k++)
    drow[k] = 0;
  if (none) drow = NULL;
  lw_status status = drow ? lwi_adjoint_catch_up(s, s->t, NULL) : LW_OK;
  if (status == LW_OK) status = lw_columns_row(s->columns, s->t, s->sim->q, s->sim->u, row);
  for (int k = 0; k < s->np && status == LW_OK && drow; k++) {
    lwi_parameter_derivative *v = s->derivative[k];
    const double *y_p = lwi_sensitivity_block(s->system, y, k);
    double *row_p = drow + (size_t)k * (size_t)n;
    status = v->row(v, LWI_RESULT_COLUMNS, s->columns, s->t, y, y_p, row_p);
    const double scale = lwi_sensitivity_exists(s, k) ? v->scale : (double)NAN;
    for (int i = 0; i < n; i++)
      row_p[i] /= scale;
  }
  return status;
}
