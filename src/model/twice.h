/* SPDX-License-Identifier: Apache-2.0 */
/* twice.h -- names of the functions that are compiled twice: for the numbers of a model, and with LW_CHANGE
   for their derivatives by a parameter (math/num.h).  What a model is made of comes from the first. */
#ifndef LWI_MODEL_TWICE_H
#define LWI_MODEL_TWICE_H
#include "math/num.h"

#if LW_CHANGE
#define lwi_gravity_numbers lwi_gravity_numbers_change
#define lwi_read lwi_read_change
#define lwi_body_in_link lwi_body_in_link_change
#define lwi_orientation lwi_orientation_change
#define lwi_place lwi_place_of_change
#define lwi_axis lwi_axis_change
#define lwi_solid_of lwi_solid_of_change
#define lwi_hinge_of lwi_hinge_of_change
#define lwi_float_hinge lwi_float_hinge_change
#define lwi_joint_numbers lwi_joint_numbers_change
#define lwi_free_numbers lwi_free_numbers_change
#define lwi_link_numbers lwi_link_numbers_change
#define lwi_geometric_numbers lwi_geometric_numbers_change
#define lwi_relation_numbers lwi_relation_numbers_change
#define lwi_start_driver lwi_start_driver_change
#define lwi_choose_senses lwi_choose_senses_change
#define lwi_compile_start lwi_compile_start_change
#define lwi_pair_numbers lwi_pair_numbers_change
#define lwi_spring_numbers lwi_spring_numbers_change
#define lwi_joint_spring_numbers lwi_joint_spring_numbers_change
#define lwi_load_numbers lwi_load_numbers_change
#define lwi_bushing_numbers lwi_bushing_numbers_change
#define lwi_event_numbers lwi_event_numbers_change
#define lwi_joint_equations lwi_joint_equations_change
#define lwi_constraint_equations lwi_constraint_equations_change
#define lwi_joint_shape_of lwi_joint_shape_of_change
#define lwi_joint_pose lwi_joint_pose_change
#define lwi_joint_q lwi_joint_q_of_change
#define lwi_joint_motion_map lwi_joint_motion_map_change
#define lwi_joint_speed_map lwi_joint_speed_map_change
#define lwi_joint_u lwi_joint_u_change
#endif

#endif
