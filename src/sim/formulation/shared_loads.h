/* SPDX-License-Identifier: Apache-2.0 */
/* shared_loads.h -- loads of contacts, limits and friction that hold a mechanism more than once. */
#ifndef LWI_SIM_FORMULATION_SHARED_LOADS_H
#define LWI_SIM_FORMULATION_SHARED_LOADS_H
#include "model/compiled_events.h"
#include "sim/formulation/formulation.h"

/* *out: NULL if the model has nothing at present that can only push.  False: no memory. */
bool lwi_shared_loads_new(const lw_model *m, lwi_shared_loads **out);
void lwi_shared_loads_free(lwi_shared_loads *s);
/* Remembers the state of an evaluation. */
void lwi_shared_loads_note(lwi_shared_loads *s, const lw_model *m, double t, const double q[],
                           const double u[]);
/* After the loads of d have been found: chooses those that are shown. */
lw_status lwi_shared_loads_find(lw_dynamics *d);
/* The normal of a contact, touch or distance, from the parent to the child, ground axes. */
void lwi_constraint_normal(const lw_dynamics *d, int constraint, double n[3]);
/* Are loads of what rests and sticks open at this state? */
bool lwi_shared_loads_are_open(const lw_dynamics *d);
bool lwi_shared_loads_are_open_of(const lw_dynamics *d, const lwi_event *e);
/* What is added to the loads of a joint or constraint that the formulation has found; of a relation
   to its multiplier. */
void lwi_shared_loads_of_joint(const lwi_shared_loads *s, int joint, double load[6]);
void lwi_shared_loads_of_constraint(const lwi_shared_loads *s, int constraint, double load[6]);
double lwi_shared_loads_of_relation(const lwi_shared_loads *s, int constraint);

#endif
