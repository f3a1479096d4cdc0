/* SPDX-License-Identifier: Apache-2.0 */
/* constants.h -- from written numbers to the numbers of a model.  Everything declared here is
   compiled twice (dual_build.h): for the numbers, while a model is compiled, and for their
   derivatives, after that.  It reads the spec and the structure of c->m and writes numbers to
   c->out: c->m itself, or a model that holds derivatives. */
#ifndef LWI_MODEL_COMPILE_CONSTANTS_H
#define LWI_MODEL_COMPILE_CONSTANTS_H
#include "model/compile/compile.h"
#include "model/joint/stored.h"

/* the frame of a body in its link's */
num_frame lwi_body_in_link(const lwi_compiler *c, int body);

/* ---- read: frames.c ---- */

/* The values of n written numbers or expressions; all must be finite. */
bool lwi_read(lwi_compiler *c, const double written[], int n, const char *field, num out[]);
/* A unit quaternion from the numbers of an orientation. */
bool lwi_orientation(lwi_compiler *c, lw_orient_type type, const double value[4], const char *field,
                     num quat[4]);
bool lwi_place(lwi_compiler *c, const lw_place *place, const char *field, num_frame *out);
/* A unit vector; fallback: used for zeros. */
bool lwi_axis(lwi_compiler *c, const double written[3], const num fallback[3], const char *field,
              num out[3]);

/* ---- the parts; errors come in the order of the fields ---- */

bool lwi_gravity_numbers(lwi_compiler *c);                                 /* frames.c */
bool lwi_solid_of(lwi_compiler *c, const lw_body_desc *d, num_solid *out); /* solids.c */
/* joint_values.c: initial coordinates and speeds, of written joints and of bodies that float; then
   frames and axes, by number of the joint */
bool lwi_joint_values_of(lwi_compiler *c, const lw_joint_desc *d, lwi_joint_values *out);
bool lwi_float_joint_values(lwi_compiler *c, int body, lwi_joint_values *out);
bool lwi_joint_numbers(lwi_compiler *c, int joint);
bool lwi_free_numbers(lwi_compiler *c, int joint);
/* link_numbers.c: numbers of the link that the joint carries, and of its body; after the joints of
   inward links */
void lwi_link_numbers(lwi_compiler *c, int joint);

/* constraint_numbers.c, by number in the spec, from 1 */
bool lwi_geometric_numbers(lwi_compiler *c, int id);
bool lwi_relation_numbers(lwi_compiler *c, int id);
bool lwi_start_driver(lwi_compiler *c, int id);
/* docs/format.md 4.8: chooses the sense of parallel axes as at the start, where the bodies have
   these poses */
void lwi_choose_senses(lwi_compiler *c, const num_frame pose[]);

bool lwi_compile_start(
    lwi_compiler *c); /* start_state.c: the written state, by joints of the tree */
/* frame_pairs.c: frames of cut joints and constraints, and the typical length */
void lwi_pair_numbers(lwi_compiler *c);

/* force_numbers.c, by index in the spec, from 0 */
bool lwi_point_numbers(lwi_compiler *c, int i);
#define NUMBERS(item, ...) bool LWI_FORCE_NUMBERS(item)(lwi_compiler * c, int i);
LWI_FORCE_LIST(NUMBERS)
#undef NUMBERS

/* event_numbers.c: times, impulses and places of an event */
bool lwi_event_numbers(lwi_compiler *c, const lw_event_desc *d, lwi_event *out);

#endif
