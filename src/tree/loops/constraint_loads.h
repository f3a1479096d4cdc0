/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_loads.h -- loads of joints, constraints and relations: [torque; force] on the child,
   at its frame. */
#ifndef LWI_TREE_LOOPS_CONSTRAINT_LOADS_H
#define LWI_TREE_LOOPS_CONSTRAINT_LOADS_H
#include "tree/loops/at_state.h"

#if LW_DERIVATIVE
#define lwi_tree_constraint_multiplier lwi_tree_constraint_multiplier_derivative
#define lwi_tree_constraint_load lwi_tree_constraint_load_derivative
#define lwi_keep_constraint lwi_keep_constraint_derivative
#define lwi_load_on_child lwi_load_on_child_derivative
#define lwi_joint_load lwi_joint_load_derivative
#endif

/* Multiplier of a relation. */
num lwi_tree_constraint_multiplier(const lw_model *m, const lwi_state *at, int constraint);
/* Load of a constraint of a pair. */
void lwi_tree_constraint_load(const lw_model *m, const lwi_state *at, int constraint, num load[6]);
/* Load of a joint, in the tree or cut. */
void lwi_joint_load(const lw_model *m, const lwi_state *at, int joint, num load[6]);

/* Converts the load of a joint on the link that it carries, about the link's origin, to the
   constraint load on the joint's child: without the loads of relations, and without driven, those
   of motors and joint springs on its freedoms (NULL: none).  After kinematics. */
void lwi_load_on_child(const lw_model *m, const lwi_state *at, const lwi_joint *joint,
                       const num driven[], num load[6]);
/* Removes the components along free freedoms from the load of a tree joint on its child. */
void lwi_keep_constraint(const lw_model *m, const lwi_state *at, const lwi_joint *joint,
                         num load[6]);

#endif
