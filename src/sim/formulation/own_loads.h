/* SPDX-License-Identifier: Apache-2.0 */
/* own_loads.h -- states that are computed at every evaluation: friction that depends on the load of
   its own contact or joint, and inputs whose values the program computes (lw_input_law). */
#ifndef LWI_SIM_FORMULATION_OWN_LOADS_H
#define LWI_SIM_FORMULATION_OWN_LOADS_H
#include "sim/formulation/bearing.h"
#include "sim/formulation/formulation.h"

/* A load that the friction of its own contact or joint depends on, as a number of the state. */
typedef struct {
  int state;      /* index in q */
  int constraint; /* of a contact; 0: of a joint ... */
  lwi_bearing bearing;
  int first, n; /* its loads among p: one of a contact, six of a joint */
  const char *name;
} lwi_own_load;

/* What is evaluated: accelerate, or stabilized. */
typedef struct {
  double t;
  const double *q, *u, *tau;
  double *udot;
  bool stabilized;
  double stabilization, *position_correction;
} lwi_own_evaluation;

/* *out NULL: there is nothing of that.  False: no memory. */
bool lwi_own_loads_new(const lw_model *m, const lw_input_law *law, lwi_own_loads **out);
/* Lets the program compute the inputs among the coordinates of lwi_own_loads_q. */
lw_status lwi_own_loads_inputs(lwi_own_loads *o, const lw_model *m, double t, const double q[],
                               const double u[]);
bool lwi_own_loads_have_law(const lwi_own_loads *o);
void lwi_own_loads_free(lwi_own_loads *o);
/* Evaluates with the loads that result. */
lw_status lwi_own_loads_solve(lw_dynamics *d, const lwi_own_evaluation *e);
/* The coordinates of the last evaluation, with the loads among them. */
const double *lwi_own_loads_q(const lwi_own_loads *o);
/* The loads; o may be NULL.  Returns how many there are. */
int lwi_own_loads_list(const lwi_own_loads *o, const lwi_own_load **item);
/* The contact or joint of the last evaluation that no load is consistent with; NULL: none. */
const char *lwi_own_loads_paradox(const lw_dynamics *d);

#endif
