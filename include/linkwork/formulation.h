/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.h -- motion and loads at a state by any formulation.

   All formulations take and give the same numbers: coordinates and speeds of the spanning tree,
   loads of joints and constraints.  They differ in algorithm and cost.

     const lw_simulation_options o = {.formulation = LW_FORMULATION_TREE};
     lw_dynamics *d = lw_dynamics_new(m, &o, &err);
     lw_dynamics_accelerate(d, t, q, u, tau, udot);
     lw_dynamics_find_loads(d);
     lw_dynamics_get_load(d, j, load); */
#ifndef LINKWORK_FORMULATION_H
#define LINKWORK_FORMULATION_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_dynamics lw_dynamics; /* a formulation with its scratch: one per thread */

/* Uses those of the options that concern the formulation.  Zeros are replaced by the values of the
   model; NULL: all of them.  The model must outlive it. */
LW_API lw_dynamics *lw_dynamics_new(const lw_model *m, const lw_simulation_options *options,
                                    lw_error *err);
LW_API void lw_dynamics_free(lw_dynamics *d);
LW_API const char *lw_formulation_name(lw_formulation f);
LW_API lw_formulation lw_dynamics_formulation(const lw_dynamics *d); /* never AUTO */
LW_API const char *lw_dynamics_reason(const lw_dynamics *d);         /* why it was chosen */

/* As lw_forward_dynamics; poses, velocities and accelerations are left in lw_dynamics_work. */
LW_API lw_status lw_dynamics_accelerate(lw_dynamics *d, double t, const double q[],
                                        const double u[], const double tau[], double udot[]);
LW_API lw_work *lw_dynamics_work(lw_dynamics *d);

/* Afterwards: loads as returned by lw_joint_loads, lw_get_load, ... */
LW_API lw_status lw_dynamics_find_loads(lw_dynamics *d);
LW_API lw_status lw_dynamics_get_load(const lw_dynamics *d, lw_joint j, double load[6]);
LW_API lw_status lw_dynamics_get_constraint_load(const lw_dynamics *d, lw_constraint c,
                                                 double load[6]);
LW_API lw_status lw_dynamics_get_relation_load(const lw_dynamics *d, lw_constraint c, double *load);

#ifdef __cplusplus
}
#endif
#endif
