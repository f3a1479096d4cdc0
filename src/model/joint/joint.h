/* SPDX-License-Identifier: Apache-2.0 */
/* joint.h -- the joint catalogue: what the joint types are, apart from how they move
   (joint_motion.h).

   A joint of the spec becomes the connection of a tree link to its parent link.  The tree may run
   through it against its direction, from child to parent; types that are the same in both
   directions need no case for that (a revolute joint turns about the opposite axis), the others
   have a reversed kind. */
#ifndef LWI_MODEL_JOINT_JOINT_H
#define LWI_MODEL_JOINT_JOINT_H
#include "linkwork/spec.h"

/* how a link moves in its parent; frames are turned so that one-axis joints act about their own
   z */
typedef enum {
  LWI_KIND_FIXED,
  LWI_KIND_REVOLUTE,
  LWI_KIND_PRISMATIC,
  LWI_KIND_HELICAL,
  LWI_KIND_CYLINDRICAL,
  LWI_KIND_AXES,          /* about several axes, each carried by the turns before it */
  LWI_KIND_AXES_REVERSED, /* the same, the last coordinate first */
  LWI_KIND_SPHERICAL,
  LWI_KIND_SPHERICAL_REVERSED,
  LWI_KIND_PLANAR,
  LWI_KIND_PLANAR_REVERSED,
  LWI_KIND_FREE,
  LWI_KIND_FREE_REVERSED,
  LWI_KIND_FREE_PLANAR, /* free in a planar model: x, y, angle; [w, vx, vy] */
  LWI_KIND_FREE_PLANAR_REVERSED
} lwi_kind;

/* how speeds u move coordinates q */
typedef enum {
  LWI_SPEEDS_ARE_RATES,  /* qdot = u */
  LWI_SPEEDS_TURN,       /* q: a quaternion; u: angular velocity in the child's axes */
  LWI_SPEEDS_MOVE,       /* q: position, quaternion; u: [w; v] in the child's axes */
  LWI_SPEEDS_MOVE_PLANAR /* the same in a planar model, q: x, y, angle; u: [w, vx, vy] */
} lwi_speeds;

/* What else than its coordinates (LW_JOINT_LIST) a type has:
     axes    which axes it reads and what they are by default: `axis`, `axis2`, ...
     pitch   does it read `pitch`?
     plane   may a planar model have it?
     angles  bit i: coordinate i is an angle, not a length (of those that are integrals of speeds)
     speeds  as above, in space */
/* clang-format off */
#define LWI_JOINT_TRAITS(X)                                      \
  /* type        axes   pitch  plane  angles  speeds */             \
  X(LW_FIXED,       "",   false, true,  0,      LWI_SPEEDS_ARE_RATES) \
  X(LW_REVOLUTE,    "z",  false, true,  1 << 0, LWI_SPEEDS_ARE_RATES) \
  X(LW_PRISMATIC,   "z",  false, true,  0,      LWI_SPEEDS_ARE_RATES) \
  X(LW_HELICAL,     "z",  true,  false, 1 << 0, LWI_SPEEDS_ARE_RATES) \
  X(LW_CYLINDRICAL, "z",  false, false, 1 << 0, LWI_SPEEDS_ARE_RATES) \
  X(LW_UNIVERSAL,   "zx", false, false, 3,      LWI_SPEEDS_ARE_RATES) \
  X(LW_GIMBAL,      "xyz", false, false, 7,      LWI_SPEEDS_ARE_RATES) \
  X(LW_SPHERICAL,   "",   false, false, 0,      LWI_SPEEDS_TURN)      \
  X(LW_PLANAR,      "",   false, true,  1 << 2, LWI_SPEEDS_ARE_RATES) \
  X(LW_FREE,        "",   false, true,  1 << 2, LWI_SPEEDS_MOVE)
/* clang-format on */

enum { LWI_MOST_AXES = 3 };

typedef struct {
  int axes;
  char axis[LWI_MOST_AXES + 1];
  bool pitch, plane;
  unsigned angles;
  lwi_speeds speeds;
} lwi_joint_traits;

extern const lwi_joint_traits lwi_joint_table[LW_JOINT_TYPES];

static inline lwi_joint_traits lwi_joint_traits_of(lw_joint_type type)
{
  return lwi_joint_table[type];
}
static inline lwi_speeds lwi_joint_speeds(lw_joint_type type, bool planar)
{
  const lwi_speeds speeds = lwi_joint_table[type].speeds;
  return planar && speeds == LWI_SPEEDS_MOVE ? LWI_SPEEDS_MOVE_PLANAR : speeds;
}
/* Is freedom i of the joint a rotation? */
bool lwi_joint_turns(lw_joint_type type, bool planar, int i);
/* Which equations its constraint consists of, of the kinds of equations.h: row[n]; none: it is
   free. */
typedef struct {
  int n;
  unsigned char row[6];
} lwi_row_list;
const lwi_row_list *lwi_joint_rows(lw_joint_type type, bool planar);
bool lwi_joint_is_free(lw_joint_type type);
/* Are there positions in which its speeds do not determine each motion that it allows? */
bool lwi_joint_locks(lw_joint_type type);

lwi_kind lwi_joint_kind(lw_joint_type type, bool planar, bool reversed);
/* Which coordinate of a joint with nu freedoms is angle number `index`, in the order in which the
   tree turns by them; -1 if it has no such. */
int lwi_kind_angle(lwi_kind kind, int nu, int index);
/* Which freedom turns about axis number `index` along the tree, of LWI_KIND_AXES and its reverse;
   and the other way round. */
static inline int lwi_kind_order(lwi_kind kind, int nu, int index)
{
  return kind == LWI_KIND_AXES_REVERSED ? nu - 1 - index : index;
}
/* Which coordinate starts its quaternion; -1 if it has none. */
int lwi_kind_quat(lwi_kind kind);
/* Which freedom has the axis of the joint, and is it a direction to slide along? */
int lwi_kind_axis(lwi_kind kind);
bool lwi_kind_slides(lwi_kind kind);
/* Is coordinate i the integral of speed i, so that a spring or gear may act on it? */
bool lwi_joint_has_rate_pair(lw_joint_type type);
/* A letter for each coordinate, or speed, of a joint: a: an angle, s: a shift, -: neither. */
const char *lwi_freedoms_of(lw_joint_type type, bool planar, bool speeds);

#endif
