/* SPDX-License-Identifier: Apache-2.0 */
/* model.h -- ask a compiled model.  A model never changes and may be shared between threads.

   Coordinates q and speeds u are plain arrays, joints in the order they were added, the free joints
   that linkwork gives to floating groups last. */
#ifndef LINKWORK_MODEL_H
#define LINKWORK_MODEL_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

LW_API void lw_model_free(lw_model *m);
LW_API const char *lw_model_name(const lw_model *m);
LW_API bool lw_model_is_planar(const lw_model *m);
LW_API int lw_nq(const lw_model *m); /* coordinates */
LW_API int lw_nu(const lw_model *m); /* speeds */
/* The same with joints that close loops: their values come after those of the tree. */
LW_API int lw_nq_all(const lw_model *m);
LW_API int lw_nu_all(const lw_model *m);
LW_API int
lw_dof(const lw_model *m); /* of the spanning tree, without rotations of free particles */
LW_API void lw_gravity(const lw_model *m, double g[3]);
LW_API lw_simulation_options lw_simulation_defaults(const lw_model *m); /* as written */

LW_API int lw_nbody(const lw_model *m); /* without the ground: bodies 1 ... nbody */
LW_API lw_body lw_find_body(const lw_model *m, const char *name); /* id < 0: no such body */
LW_API const char *lw_body_name(const lw_model *m, lw_body b);
LW_API double lw_body_mass(const lw_model *m, lw_body b);
/* The joint that carries the body in the spanning tree, and the body on its other side. */
LW_API lw_joint lw_body_joint(const lw_model *m, lw_body b);
LW_API lw_body lw_body_parent(const lw_model *m, lw_body b);

LW_API int lw_njoint(const lw_model *m); /* joints 1 ... njoint, implicit free ones last */
LW_API lw_joint lw_find_joint(const lw_model *m, const char *name);
typedef struct {
  const char *name;
  lw_joint_type type;
  lw_body parent, child;
  int q, nq;        /* its coordinates are q[q] ... q[q+nq-1]; q = -1 if it closes a loop */
  int u, nu;        /* its speeds are u[u] ... u[u+nu-1]; u = -1 if it closes a loop */
  int q_all, u_all; /* where they are in arrays of all joints */
  bool implicit;    /* given by linkwork to a floating group: has no load */
  bool cut;         /* closes a loop: not in the spanning tree */
  bool cut_refused; /* was to be cut, but the shallowest tree needs it */
  int line, column; /* where it is written; 0: not in a file */
} lw_joint_info;
LW_API lw_joint_info lw_get_joint(const lw_model *m, lw_joint j);

LW_API int lw_ncut(const lw_model *m); /* joints that close loops */
LW_API int lw_nconstraint(const lw_model *m);
typedef struct {
  const char *name;
  lw_constraint_type type;
  lw_body parent, child; /* of gear, coupler and driver: ground */
} lw_constraint_info;
LW_API lw_constraint_info lw_get_constraint(const lw_model *m, lw_constraint c); /* from 1 */

LW_API int lw_nparameter(const lw_model *m);
LW_API const char *lw_parameter_name(const lw_model *m, int index);
LW_API double lw_parameter_value(const lw_model *m, int index);

/* Parameters by which derivatives are wanted: their indices; those of all if the spec names none. */
LW_API int lw_nvaried(const lw_model *m);
LW_API int lw_varied_parameter(const lw_model *m, int index);
LW_API int lw_nobjective(const lw_model *m);
typedef struct {
  const char *name, *text; /* text: the expression as written */
  lw_objective_kind kind;
} lw_objective_info;
LW_API lw_objective_info lw_get_objective(const lw_model *m, int index); /* from 0 */

LW_API int lw_nevent(const lw_model *m);

/* The state as written in the spec; loops need not be closed: lw_assemble of dynamics.h does that. */
LW_API void lw_initial_state(const lw_model *m, double q[], double u[]);
/* Makes every quaternion of q a unit quaternion; LW_E_NUMBER if one is zero or not finite. */
LW_API lw_status lw_normalize(const lw_model *m, double q[]);
/* qdot from q and u. */
LW_API void lw_coordinate_rates(const lw_model *m, const double q[], const double u[],
                                double qdot[]);

#ifdef __cplusplus
}
#endif
#endif
