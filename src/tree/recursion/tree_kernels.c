/* SPDX-License-Identifier: Apache-2.0 */
/* tree_kernels.c -- the tree algorithms at one width.  The build compiles this file once per width
   and instruction set; the table is the only symbol, and its name the only thing that depends on
   it. */
#include "tree/recursion/articulated.h"
#include "tree/recursion/composite.h"
#include "tree/recursion/embedded.h"
#include "tree/recursion/element_loads.h"
#include "tree/recursion/energy.h"
#include "tree/recursion/queries.h"
#include "tree/recursion/constraint_sweeps.h"
#if LW_LANES == 1 && !LW_QUAD
#include "tree/recursion/derivative_element_loads.h"
#include "tree/recursion/derivative_energy.h"
#include "tree/recursion/derivative_local.h"
#endif

#ifndef LW_KERNELS
#define LW_KERNELS lwi_kernels_plain
#endif
#define TEXT(x) #x
#define NAME(x) TEXT(x)

extern const lwi_kernels LW_KERNELS;
const lwi_kernels LW_KERNELS = {
    .lanes = LW_LANES,
    .name = NAME(LW_KERNELS),
    .carve = carve,
    .prepare = prepare,
    .kinematics = kinematics,
    .velocities = velocities,
    .move_links = move_links,
    .place_path = place_path,
    .accelerations = accelerations,
    .forward = forward,
    .inverse = inverse,
    .loads = loads,
    .forces = forces,
    .mass_matrix = mass_matrix,
    .mass_rows = mass_rows,
    .skip_zeros = skip_zeros,
    .energy = energy,
    .applied_power = applied_power,
    .state_rates = state_rates,
    .get_motor = get_motor,
    .get_applied = get_applied,
    .get_element = get_element,
    .get_measure = get_measure,
    .get_frame = get_frame,
    .get_pose = get_pose,
    .get_motion = get_motion,
    .get_fastest_turn = get_fastest_turn,
    .get_load = get_load,
    .get_momentum = get_momentum,
    .get_edge = get_edge,
    .get_pivot = get_pivot,
    .get_column = get_column,
    .get_angles = get_angles,
    .choose_lane = choose_lane,
    .required_tau = required_tau,
    .free_motion = free_motion,
    .factor = factor,
    .innovations = innovations,
    .innovate = innovate,
    .place_pair = place_pair,
    .pivots = pivots,
    .solve_response = solve_response,
    .push = push,
    .part = part,
    .hold_loads = hold_loads,
    .follow_holds = follow_holds,
    .follow_torsions = follow_torsions,
    .drift = drift,
    .strip = strip,
    .cluster_motions = cluster_motions,
    .embedded_motion = embedded_motion,
    .embedded_response = embedded_response,
#if LW_LANES == 1 && !LW_QUAD
    .carve_derivatives = carve_derivatives,
    .prepare_derivatives = prepare_derivatives,
    .derive_inverse = derive_inverse,
    .derive_forward = derive_forward,
    .derivative_motion = derivative_motion,
    .derivative_links = derivative_links,
    .derivative_accelerations = derivative_accelerations,
    .derivative_forces = derivative_forces,
    .derivative_push = derivative_push,
    .derivative_required_tau = derivative_required_tau,
    .derivative_response = derivative_response,
    .derivative_solve_response = derivative_solve_response,
    .derivative_compliance = derivative_compliance,
    .derivative_outward = derivative_outward,
    .derivative_inward = derivative_inward,
    .derivative_follow = derivative_follow,
    .derivative_speeds = derivative_speeds,
    .derivative_nothing = derivative_nothing,
    .get_speeds = get_speeds,
    .get_change = get_change,
    .get_load_change = get_load_change,
    .derivative_state_rates = derivative_state_rates,
    .get_motor_change = get_motor_change,
    .get_applied_change = get_applied_change,
    .get_element_change = get_element_change,
    .get_measure_change = get_measure_change,
    .get_tau_change = get_tau_change,
    .derivative_energy = derivative_energy,
    .derivative_hold = derivative_hold,
    .derivative_local = derivative_local,
    .set_load = set_load,
    .set_load_change = set_load_change,
#endif
};
