/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity_objectives.c -- objectives of a run, and their derivatives when the end T of the run
   depends on the parameter: through the event that stops it, or as given in the model.

       final     f_p + (df/dt) T_p           integral     w_p + g(T) T_p

   A maximum or minimum at the end is treated as a final value. */
#include "sim/sensitivity/sensitivity_data.h"

/* Of all objectives at the present output state, as if each were a final one. */
static lw_status final_values(lw_sensitivity *s, double value[])
{
  const lwi_objectives *o = &s->objectives;
  const lw_status status = lwi_objectives_look(&s->objectives, s->t, s->sim->q, s->sim->u);
  for (int i = 0; i < o->n && status == LW_OK; i++)
    value[i] = lwi_objectives_value(o, i);
  return status;
}

static lw_status final_gradient(lw_sensitivity *s, int k, double gradient[])
{
  lwi_objectives *o = &s->objectives;
  lwi_parameter_derivative *v = s->derivative[k];
  const double *y_p = lwi_sensitivity_block(s->system, s->sim->y, k);
  const double end_p = lwi_sensitivity_end_p(s, k);
  lw_status status = end_p != 0 ? lwi_peaks_measure(&s->peaks, s->t) : LW_OK;
  if (status == LW_OK) status = lwi_objectives_look(o, s->t, s->sim->q, s->sim->u);
  if (status == LW_OK)
    status = v->row(v, LWI_OBJECTIVE_COLUMNS, o->columns, s->t, s->sim->y, y_p, s->peaks.row_p);
  if (status != LW_OK) return status;
  lwi_objectives_derive(o, v->parameters, s->peaks.row_p);
  for (int i = 0; i < o->n; i++)
    gradient[i] = lwi_objectives_slope(o, i) + (end_p != 0 ? end_p * s->peaks.slope[i] : 0);
  return LW_OK;
}

/* Integrals replace the entries of final_values and final_gradient. */
static void put_integrals(lw_sensitivity *s, double value[], double *gradient)
{
  const lwi_objectives *o = &s->objectives;
  const lwi_sensitivity_system *v = s->system;
  for (int i = 0, w = 0; i < o->n; i++) {
    if (o->item[i].kind != LW_OBJECTIVE_INTEGRAL) continue;
    const double integrand = value[i];
    value[i] = s->sim->y[v->nmotion + w];
    for (int k = 0; k < s->np && gradient; k++)
      gradient[k * o->n + i] = lwi_sensitivity_block(v, s->sim->y, k)[v->nmotion + w] +
                               lwi_sensitivity_end_p(s, k) * integrand;
    w++;
  }
}

/* So do maxima and minima during the run, unless the end is better. */
static void put_peaks(const lw_sensitivity *s, const lwi_peak peak[], double value[],
                      double *gradient)
{
  const lwi_objectives *o = &s->objectives;
  for (int i = 0; i < o->n; i++) {
    const lwi_peak *p = &peak[i];
    const double sign = o->item[i].kind == LW_OBJECTIVE_MAX ? 1 : -1;
    if (o->item[i].kind < LW_OBJECTIVE_MAX || !p->known) continue;
    if (sign * value[i] > sign * p->value) continue;
    value[i] = p->value;
    for (int k = 0; k < s->np && gradient; k++)
      gradient[k * o->n + i] = p->t <= s->until[k] ? p->gradient[k] : (double)NAN;
  }
}

lw_status lw_sensitivity_objectives(lw_sensitivity *s, double value[], double gradient[])
{
  if (!s) return LW_E_ARG;
  const int n = s->objectives.n;
  double *values = s->objective_values;
  lw_status status;
  lwi_peak *peak = lwi_peaks_until(&s->peaks, s->t, &status);
  if (status == LW_OK) status = final_values(s, values);
  const bool swept = s->system->outside && s->t > s->system->since;
  if (status == LW_OK && gradient && swept && n > 0)
    status = lwi_adjoint_gradients(s, peak, values, gradient);
  for (int k = 0; k < s->np && gradient && !swept && status == LW_OK; k++)
    status = final_gradient(s, k, gradient + (size_t)k * (size_t)n);
  if (status != LW_OK) return status;
  put_integrals(s, values, swept ? NULL : gradient);
  for (int k = 0; k < s->np && gradient; k++)
    for (int i = 0; i < n && !lwi_sensitivity_exists(s, k); i++)
      gradient[k * n + i] = (double)NAN;
  put_peaks(s, peak, values, gradient);
  for (int i = 0; i < n && value; i++)
    value[i] = values[i];
  for (int k = 0; k < s->np && gradient; k++)
    for (int i = 0; i < n; i++)
      gradient[k * n + i] /= s->derivative[k]->scale;
  return LW_OK;
}

lw_status lw_sensitivity_objective_times(lw_sensitivity *s, double t[])
{
  if (!s || !t) return LW_E_ARG;
  const lwi_objectives *o = &s->objectives;
  lw_status status;
  const lwi_peak *peak = lwi_peaks_until(&s->peaks, s->t, &status);
  if (status == LW_OK) status = final_values(s, s->objective_values);
  for (int i = 0; i < o->n && status == LW_OK; i++) {
    const double sign = o->item[i].kind == LW_OBJECTIVE_MAX ? 1 : -1, end = s->objective_values[i];
    const bool during = o->item[i].kind >= LW_OBJECTIVE_MAX && peak[i].known &&
                        !(sign * end > sign * peak[i].value);
    t[i] = during ? peak[i].t : s->t;
  }
  return status;
}
