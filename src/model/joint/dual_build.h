/* SPDX-License-Identifier: Apache-2.0 */
/* dual_build.h -- names of the functions that are compiled twice: for values, and with
   LW_DERIVATIVE for values with their derivatives along one direction (math/num.h). */
#ifndef LWI_MODEL_JOINT_DUAL_BUILD_H
#define LWI_MODEL_JOINT_DUAL_BUILD_H
#include "math/num.h"

/* of a force element, by its name in force_list.h */
#if LW_DERIVATIVE
#define LWI_FORCE_NUMBERS(item) lwi_##item##_numbers_derivative
#else
#define LWI_FORCE_NUMBERS(item) lwi_##item##_numbers
#endif

#if LW_DERIVATIVE
#define lwi_gravity_numbers lwi_gravity_numbers_derivative
#define lwi_read lwi_read_derivative
#define lwi_body_in_link lwi_body_in_link_derivative
#define lwi_orientation lwi_orientation_derivative
#define lwi_place lwi_place_derivative
#define lwi_axis lwi_axis_derivative
#define lwi_solid_of lwi_solid_of_derivative
#define lwi_joint_values_of lwi_joint_values_of_derivative
#define lwi_float_joint_values lwi_float_joint_values_derivative
#define lwi_joint_numbers lwi_joint_numbers_derivative
#define lwi_free_numbers lwi_free_numbers_derivative
#define lwi_link_numbers lwi_link_numbers_derivative
#define lwi_geometric_numbers lwi_geometric_numbers_derivative
#define lwi_relation_numbers lwi_relation_numbers_derivative
#define lwi_start_driver lwi_start_driver_derivative
#define lwi_choose_senses lwi_choose_senses_derivative
#define lwi_compile_start lwi_compile_start_derivative
#define lwi_pair_numbers lwi_pair_numbers_derivative
#define lwi_point_numbers lwi_point_numbers_derivative
#define lwi_event_numbers lwi_event_numbers_derivative
#define lwi_joint_equations lwi_joint_equations_derivative
#define lwi_constraint_equations lwi_constraint_equations_derivative
#define lwi_joint_shape_of lwi_joint_shape_of_derivative
#define lwi_joint_pose lwi_joint_pose_derivative
#define lwi_joint_q lwi_joint_q_derivative
#define lwi_joint_motion_map lwi_joint_motion_map_derivative
#define lwi_joint_speed_map lwi_joint_speed_map_derivative
#define lwi_joint_u lwi_joint_u_derivative
#define lwi_joint_carries lwi_joint_carries_derivative
#define lwi_joint_bias lwi_joint_bias_derivative
#define lwi_joint_udot lwi_joint_udot_derivative
#define lwi_joint_speed_rows lwi_joint_speed_rows_derivative
#define lwi_joint_speed_gamma lwi_joint_speed_gamma_derivative
#define lwi_equations_residual lwi_equations_residual_derivative
#define lwi_equations_jacobian lwi_equations_jacobian_derivative
#define lwi_equations_gamma lwi_equations_gamma_derivative
#define lwi_equations_rows lwi_equations_rows_derivative
#define lwi_equations_directions lwi_equations_directions_derivative
#define lwi_equations_load lwi_equations_load_derivative
#define lwi_equations_multipliers lwi_equations_multipliers_derivative
#define lwi_relative_bias lwi_relative_bias_derivative
#define lwi_opposite_row lwi_opposite_row_derivative
#endif

#endif
