/* SPDX-License-Identifier: Apache-2.0 */
/* force_list.h -- the force elements, one row each.  From it come the lists of a spec, the arrays
   of a model, what compiles and differentiates them, the loops of kernels over all elements and the
   types of files.

   A row X(item, items, name, on, kind) stands for
     lw_<item>_desc   its descriptor (linkwork/spec.h), in the list `items` of a spec
     lwi_<item>       its record (model.h), in the array `item` of n<item>
     name             its `type` in files
     on               LINKS: it pushes links; FREEDOM: a freedom of a joint
     kind             ELASTIC: with an energy, and perhaps damping; APPLIED: as expressions say
   and needs functions with its name:
     compile_<item>          force.c          structure; numbers by
     lwi_<item>_numbers      force_numbers.c  as LWI_FORCE_NUMBERS(<item>): compiled twice (constants.h)
     visit_<item>            model_sum.c      all numbers of the record, to add models up
     push_<item>             tree/recursion/forces.h    what it does at a state
     <item>_fields           io/read/read_forces.c its keys
   if elastic also <item>_energy, <item>_damping (tree/recursion/forces.h) and damps_<item>
   (force.c); if elastic and between two links <item>_link (tree/recursion/forces.h), change_<item>
   and <item>_energy_rate (tree/recursion/derivative_forces.h).  Those few which are applied or act
   on a freedom have <item>_power (tree/recursion/forces.h), derivative_<item>
   (tree/recursion/derivative_sweep.h) and add_<item> (tree/recursion/derivative_elements.h). */
#ifndef LWI_MODEL_SPEC_FORCE_LIST_H
#define LWI_MODEL_SPEC_FORCE_LIST_H

/* clang-format off */
#define LWI_FORCE_LIST(X)                                              \
  X(spring,       springs,       "spring",       LINKS,   ELASTIC)     \
  X(joint_spring, joint_springs, "joint_spring", FREEDOM, ELASTIC)     \
  X(motor,        motors,        "motor",        FREEDOM, APPLIED)     \
  X(load,         loads,         "force",        LINKS,   APPLIED)     \
  X(bushing,      bushings,      "bushing",      LINKS,   ELASTIC)     \
  X(torsion,      torsions,      "torsion",      LINKS,   ELASTIC)
/* clang-format on */

/* what a load acts along, between two bodies, if it is the law of an element (laws.c) */
typedef enum {
  LWI_ON_BODY,       /* nothing */
  LWI_ALONG_SPRING,  /* force[0]: the tension */
  LWI_ALONG_BUSHING, /* force on the child, torque conjugate to the rotation vector, in its axes */
  LWI_ALONG_TORSION  /* torque[0]: the torque on the child */
} lwi_carrier;

/* code for rows of one sort only: LWI_IF(LINKS, on, code), LWI_IF(ELASTIC, kind, code) */
#define LWI_IF(wanted, there, ...) LWI_IF_##wanted##_##there(__VA_ARGS__)
#define LWI_IF_LINKS_LINKS(...) __VA_ARGS__
#define LWI_IF_LINKS_FREEDOM(...)
#define LWI_IF_FREEDOM_LINKS(...)
#define LWI_IF_FREEDOM_FREEDOM(...) __VA_ARGS__
#define LWI_IF_ELASTIC_ELASTIC(...) __VA_ARGS__
#define LWI_IF_ELASTIC_APPLIED(...)
#define LWI_IF_APPLIED_ELASTIC(...)
#define LWI_IF_APPLIED_APPLIED(...) __VA_ARGS__

#endif
