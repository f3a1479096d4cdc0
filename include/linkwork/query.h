/* SPDX-License-Identifier: Apache-2.0 */
/* query.h -- further queries of a compiled model, and rates of coordinates from speeds. */
#ifndef LINKWORK_QUERY_H
#define LINKWORK_QUERY_H
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

LW_API bool lw_model_is_planar(const lw_model *m);
LW_API void lw_gravity(const lw_model *m, double g[3]);
LW_API lw_simulation_options lw_simulation_defaults(const lw_model *m); /* as given in the spec */

/* lw_nq and lw_nu including cut joints, whose values follow those of the tree. */
LW_API int lw_nq_all(const lw_model *m);
LW_API int lw_nu_all(const lw_model *m);

/* Degrees of freedom of the spanning tree, with its loops cut, without rotations of free particles.
   For those of the mechanism see lw_dof of dynamics.h. */
LW_API int lw_dof_of_tree(const lw_model *m);

/* The body of a named point, and where the point is in that body's frame; id < 0: no such point. */
LW_API lw_body lw_find_point(const lw_model *m, const char *name, double at[3]);
LW_API double lw_body_mass(const lw_model *m, lw_body b);
/* The joint that carries the body in the spanning tree, and the body on its other side. */
LW_API lw_joint lw_body_joint(const lw_model *m, lw_body b);
LW_API lw_body lw_body_parent(const lw_model *m, lw_body b);

LW_API int lw_ncut(const lw_model *m); /* number of cut joints */
/* Numbers of rigid limits and of freedoms with dry friction.  Simulations take them into account,
   and lw_actuator_loads friction. */
LW_API int lw_nlimit(const lw_model *m);
LW_API int lw_nfriction(const lw_model *m);
/* Contacts of bodies, and ropes. */
LW_API int lw_ncontact(const lw_model *m);
/* Dry friction of a freedom, index from 0.  joint.id is 0 if there is no such index. */
typedef struct {
  lw_joint joint;
  int dof;                  /* from 1 */
  double load, static_load; /* of friction of the joint's own load: its coefficients */
  bool own_load;
} lw_friction_info;
LW_API lw_friction_info lw_get_friction(const lw_model *m, int index);
LW_API int lw_nconstraint(const lw_model *m);
typedef struct {
  const char *name;
  lw_constraint_type type;
  lw_body parent, child; /* of gears, couplers and drivers: ground */
} lw_constraint_info;
LW_API lw_constraint_info lw_get_constraint(const lw_model *m, lw_constraint c); /* from 1 */

LW_API int lw_nparameter(const lw_model *m);
LW_API const char *lw_parameter_name(const lw_model *m, int index);
LW_API double lw_parameter_value(const lw_model *m, int index);
/* Its `min` and `max`; infinite: it has none. */
LW_API lw_status lw_parameter_range(const lw_model *m, int index, double *min, double *max);

/* Events that were described; limits, friction and contacts count by themselves. */
LW_API int lw_nevent(const lw_model *m);

/* Makes every quaternion of q a unit quaternion; LW_E_NUMBER if one is zero or not finite. */
LW_API lw_status lw_normalize(const lw_model *m, double q[]);
/* States, inputs and sampled values: the last lw_nstate(m) coordinates of q.  lw_coordinate_rates
   sets their rates to 0: they follow from forces. */
LW_API int lw_nstate(const lw_model *m);
LW_API const char *lw_state_name(const lw_model *m, int index); /* from 0 */

/* qdot from q and u. */
LW_API void lw_coordinate_rates(const lw_model *m, const double q[], const double u[],
                                double qdot[]);

#ifdef __cplusplus
}
#endif
#endif
