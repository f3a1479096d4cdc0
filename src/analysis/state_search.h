/* SPDX-License-Identifier: Apache-2.0 */
/* state_search.h -- the equations of an equilibrium with states, at one position after another:

     F(z, s) = (load, rate) = 0,   F' = J = [K L; Z S]

   z in the independent speeds of the position, s the states that change by themselves. */
#ifndef LWI_ANALYSIS_STATE_SEARCH_H
#define LWI_ANALYSIS_STATE_SEARCH_H
#include "analysis/state_equations.h"

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t, tolerance;
  lwi_linearized l;
  lwi_state_equations e;
  double *q, *next;         /* [nq] */
  double *J, *A;            /* [size][size] */
  double *step, *trial, *b; /* [size] */
  double *weight;           /* [ns] magnitudes of states */
  double *x;                /* [nq + 2 nu] scratch */
  int *pivot;               /* [size] */
  int steps, most_steps;
  int (*on_step)(void *context, double done); /* of lw_equilibrium_options */
  void *context;
} lwi_state_search;

bool lwi_state_search_open(lwi_state_search *s, int ns); /* returns false if out of memory */
void lwi_state_search_close(lwi_state_search *s);

/* Number of equations at the present position. */
int lwi_state_search_size(const lwi_state_search *s);
/* J and b = -F at q. */
lw_status lwi_state_search_equations(lwi_state_search *s, const double q[]);
/* A state that nothing brings to rest: its rate is not zero and does not depend on anything at q;
   or -1.  Rates that are zero and do not depend on anything are replaced in J by "keeps its
   value". */
int lwi_state_search_hold(lwi_state_search *s);
/* x = J^-1 b; neutral directions, in which nothing changes, do not move. */
lw_status lwi_state_search_solve(lwi_state_search *s, const double b[], double x[]);
/* Largest entry of x[size], in rad, typical lengths and magnitudes of states. */
double lwi_state_search_measure(const lwi_state_search *s, const double x[]);
/* Magnitudes of states, from their values and the step. */
void lwi_state_search_weigh(lwi_state_search *s);
/* next = q moved by part of the step, with loops closed.  Returns false if they cannot be
   closed. */
bool lwi_state_search_move(lwi_state_search *s, double part);
/* b = -F(next), in the independent speeds of q. */
bool lwi_state_search_remains(lwi_state_search *s);

#endif
