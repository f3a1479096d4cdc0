/* SPDX-License-Identifier: Apache-2.0 */
/* state_equations.h -- what states of controllers and actuators add to the reduced equations of
   motion:

     M wdot + C w + K z + L s = 0,   zdot = w + kin z,   sdot = Z z + W w + S s

   s are the states that change by themselves; inputs are held.  All matrices are exact derivatives
   at the state about which reduced_equations.h is linearised. */
#ifndef LWI_ANALYSIS_STATE_EQUATIONS_H
#define LWI_ANALYSIS_STATE_EQUATIONS_H
#include "analysis/reduced_equations.h"
#include "linkwork/analysis.h"

typedef struct {
  int n, ns;
  int *index;      /* [ns] of the states that move, from 0 among all */
  double *L;       /* [n][ns] */
  double *Z, *W;   /* [ns][n] */
  double *S;       /* [ns][ns] */
  double *rate;    /* [ns] the rates themselves */
  double *scratch; /* [4 nu + 2 nstate] */
} lwi_state_equations;

/* Number of states that move; sampled ones are refused by name. */
lw_status lwi_state_count(const lw_model *m, const char *what, int *ns, lw_error *err);
/* Allocates for a model; ns 0: nothing.  Returns false if out of memory. */
bool lwi_state_equations_init(lwi_state_equations *e, const lw_model *m, int ns);
void lwi_state_equations_free(lwi_state_equations *e);
/* After lwi_linearized_rest, lwi_linearized_from_rest or lwi_linearized_motion. */
lw_status lwi_state_equations_find(lwi_state_equations *e, lwi_linearized *l);
/* Derivative of the rates along the last direction of the derivatives of l. */
void lwi_state_rates_along(const lwi_state_equations *e, const lwi_linearized *l, double out[]);

/* The equilibrium of a mechanism with states (state_equilibrium.c): loads and rates are zero. */
lw_status lwi_state_equilibrium(lw_work *w, double t, double q[], int ns,
                                const lw_equilibrium_options *options, lw_equilibrium_report *out,
                                lw_error *err);
/* Derivative of an equilibrium by a parameter: motion[nu], states[nstate]. */
lw_status lwi_equilibrium_derivative(lw_work *w, double t, const double q[],
                                     const lw_model_derivative *by, double motion[],
                                     double states[], lw_error *err);

#endif
