/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c -- the tree algorithms at one width.  The build compiles this file once per width and
   instruction set; the table is the only symbol, and its name the only thing that depends on it. */
#include "tree/articulated.h"
#include "tree/composite.h"
#include "tree/embedded.h"
#include "tree/energy.h"
#include "tree/queries.h"
#include "tree/tied.h"
#if LW_LANES == 1 && !LW_QUAD
#include "tree/derivative_energy.h"
#include "tree/derivative_local.h"
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
    .move_links = move_links,
    .accelerations = accelerations,
    .forward = forward,
    .inverse = inverse,
    .loads = loads,
    .forces = forces,
    .mass_matrix = mass_matrix,
    .mass_rows = mass_rows,
    .energy = energy,
    .applied_power = applied_power,
    .get_frame = get_frame,
    .get_pose = get_pose,
    .get_motion = get_motion,
    .get_load = get_load,
    .get_momentum = get_momentum,
    .get_edge = get_edge,
    .get_pivot = get_pivot,
    .get_column = get_column,
    .demand = demand,
    .free_motion = free_motion,
    .factor = factor,
    .innovations = innovations,
    .innovate = innovate,
    .place_pair = place_pair,
    .pivots = pivots,
    .respond = respond,
    .push = push,
    .cut_part = cut_part,
    .drift = drift,
    .strip = strip,
    .modes = modes,
    .embedded_motion = embedded_motion,
    .embedded_response = embedded_response,
#if LW_LANES == 1 && !LW_QUAD
    .carve_derivatives = carve_derivatives,
    .prepare_derivatives = prepare_derivatives,
    .derive_inverse = derive_inverse,
    .derive_forward = derive_forward,
    .vary_motion = vary_motion,
    .vary_links = vary_links,
    .vary_accelerations = vary_accelerations,
    .vary_forces = vary_forces,
    .vary_push = vary_push,
    .vary_demand = vary_demand,
    .vary_answer = vary_answer,
    .vary_respond = vary_respond,
    .vary_compliance = vary_compliance,
    .vary_outward = vary_outward,
    .vary_inward = vary_inward,
    .vary_follow = vary_follow,
    .vary_speeds = vary_speeds,
    .vary_nothing = vary_nothing,
    .get_speeds = get_speeds,
    .get_change = get_change,
    .get_load_change = get_load_change,
    .get_tau_change = get_tau_change,
    .vary_energy = vary_energy,
    .vary_hold = vary_hold,
    .vary_local = vary_local,
    .set_load = set_load,
    .set_load_change = set_load_change,
#endif
};
