/* SPDX-License-Identifier: Apache-2.0 */
/* joint.h -- the joint catalogue: what the joint types are, apart from how they move
   (joint_motion.h).

   A joint of the spec becomes the connection of a tree link to its parent link.  The tree may run
   through it against its direction, from child to parent; types that look the same both ways need no
   case for that (a revolute joint turns about the opposite axis), the others have a reversed kind. */
#ifndef LWI_MODEL_JOINT_H
#define LWI_MODEL_JOINT_H
#include "linkwork/spec.h"

/* how a link moves in its parent; frames are turned so that one-axis joints act about their own z */
typedef enum {
  LWI_KIND_FIXED,
  LWI_KIND_REVOLUTE,
  LWI_KIND_PRISMATIC,
  LWI_KIND_HELICAL,
  LWI_KIND_CYLINDRICAL,
  LWI_KIND_UNIVERSAL,
  LWI_KIND_UNIVERSAL_REVERSED, /* the same with its two coordinates exchanged */
  LWI_KIND_SPHERICAL,
  LWI_KIND_SPHERICAL_REVERSED,
  LWI_KIND_PLANAR,
  LWI_KIND_PLANAR_REVERSED,
  LWI_KIND_FREE,
  LWI_KIND_FREE_REVERSED,
  LWI_KIND_FREE_PLANAR, /* free in a planar model: x, y, angle; [w, vx, vy] */
  LWI_KIND_FREE_PLANAR_REVERSED
} lwi_kind;

lwi_kind lwi_joint_kind(lw_joint_type type, bool planar, bool reversed);
/* Which coordinate of the joint is its first or second angle; -1 if it has no such. */
int lwi_kind_angle(lwi_kind kind, int index);
/* Which coordinate starts its quaternion; -1 if it has none. */
int lwi_kind_quat(lwi_kind kind);
/* Is coordinate i the integral of speed i, so that a spring or gear may act on it? */
bool lwi_joint_has_rate_pair(lw_joint_type type);

#endif
