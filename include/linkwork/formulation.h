/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.h -- motion and loads at a state by any formulation, behind one face.

   All formulations take and give the same numbers: coordinates and speeds of the spanning tree, loads
   of joints and constraints.  They differ in how they get them, and in what that costs.

     lw_dynamics *d = lw_dynamics_new(m, &(lw_simulation_options){.formulation = LW_FORMULATION_TREE}, &err);
     lw_dynamics_accelerate(d, t, q, u, tau, udot);
     lw_dynamics_find_loads(d);
     lw_dynamics_get_load(d, j, load); */
#ifndef LINKWORK_FORMULATION_H
#define LINKWORK_FORMULATION_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_dynamics lw_dynamics; /* a formulation at work: one per thread */

/* Of the options those count that say how to compute: formulation and what belongs to it.  What is
   left zero comes from the model; NULL: everything does.  The model must live as long. */
LW_API lw_dynamics *lw_dynamics_new(const lw_model *m, const lw_simulation_options *options,
                                    lw_error *err);
LW_API void lw_dynamics_free(lw_dynamics *d);
LW_API const char *lw_formulation_name(lw_formulation f);
LW_API lw_formulation lw_dynamics_formulation(const lw_dynamics *d); /* never AUTO */
LW_API const char *lw_dynamics_reason(const lw_dynamics *d);         /* why it was taken */

/* As lw_forward_dynamics; poses, velocities and accelerations are left in lw_dynamics_work. */
LW_API lw_status lw_dynamics_accelerate(lw_dynamics *d, double t, const double q[],
                                        const double u[], const double tau[], double udot[]);
LW_API lw_work *lw_dynamics_work(lw_dynamics *d);

/* After that, loads as lw_joint_loads, lw_get_load, ... give them. */
LW_API lw_status lw_dynamics_find_loads(lw_dynamics *d);
LW_API lw_status lw_dynamics_get_load(const lw_dynamics *d, lw_joint j, double load[6]);
LW_API lw_status lw_dynamics_get_constraint_load(const lw_dynamics *d, lw_constraint c,
                                                 double load[6]);
LW_API lw_status lw_dynamics_get_relation_load(const lw_dynamics *d, lw_constraint c, double *load);

#ifdef __cplusplus
}
#endif
#endif
