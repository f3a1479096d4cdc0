/* SPDX-License-Identifier: Apache-2.0 */
/* input_law.c -- calls the program's laws of inputs, which it knows as one list. */
#include "sim/formulation/input_law.h"

bool lwi_input_law_acts(const lw_input_law *law, const lw_model *m)
{
  for (int i = 0; i < m->nstate && law->value; i++)
    if (m->state[i].input) return true;
  return false;
}

/* the inputs among all states: packed, or put back */
static void pack(const lw_model *m, const double states[], double inputs[])
{
  for (int i = 0, n = 0; i < m->nstate; i++)
    if (m->state[i].input) inputs[n++] = states[i];
}
static void unpack(const lw_model *m, const double inputs[], double states[])
{
  for (int i = 0, n = 0; i < m->nstate; i++)
    if (m->state[i].input) states[i] = inputs[n++];
}

static lw_status status_of(int result)
{
  return result == 0 ? LW_OK : result > 0 ? LW_E_NUMBER : LW_E_STOPPED;
}

lw_status lwi_input_law_value(const lw_input_law *law, const lw_model *m, double t,
                              const double u[], double q[], double scratch[])
{
  double *states = q + lwi_first_state(m);
  pack(m, states, scratch);
  const int result = law->value(law->context, t, q, u, scratch);
  if (result == 0) unpack(m, scratch, states);
  return status_of(result);
}

lw_status lwi_input_law_derivative(const lw_input_law *law, const lw_model *m, double t,
                                   const double q[], const double u[],
                                   const lw_input_direction *along, double states_p[],
                                   double scratch[])
{
  pack(m, states_p, scratch);
  const int result = law->derivative(law->context, t, q, u, along, scratch);
  if (result == 0) unpack(m, scratch, states_p);
  return status_of(result);
}
