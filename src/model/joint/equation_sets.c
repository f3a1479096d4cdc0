/* SPDX-License-Identifier: Apache-2.0 */
/* equation_sets.c -- the equations of joints, of which the catalogue (joint.c) has the kinds, and
   of geometric constraints. */
#include "model/joint/equations.h"
#include "model/joint/joint.h"

#define SWINGS LWI_SWING_0, LWI_SWING_1

static const lwi_row_list constraint_rows[LW_ROLL_ON_SPHERE + 1] = {
    [LW_DISTANCE] = {1, {LWI_SPAN}},
    [LW_POINT_ON_LINE] = {2, {LWI_SHIFT_0, LWI_SHIFT_1}},
    [LW_POINT_ON_PLANE] = {1, {LWI_SHIFT_2}},
    [LW_PARALLEL] = {2, {SWINGS}},
    [LW_PERPENDICULAR] = {1, {LWI_DOT}},
    [LW_ROPE] = {1, {LWI_SPAN}},
    [LW_TOUCH] = {1, {LWI_TOUCH}},
    [LW_ROLL] = {2, {LWI_ROLL_0, LWI_ROLL_1}},
    [LW_ROLL_ON_SPHERE] = {2, {LWI_ROUND_0, LWI_ROUND_1}},
};
static const lwi_row_list planar_constraint_rows[LW_ROLL_ON_SPHERE + 1] = {
    [LW_DISTANCE] = {1, {LWI_SPAN}},
    [LW_POINT_ON_LINE] = {1, {LWI_SHIFT_0}},
    [LW_POINT_ON_PLANE] = {1, {LWI_SHIFT_2}},
    [LW_PARALLEL] = {1, {LWI_SWING_0}},
    [LW_PERPENDICULAR] = {1, {LWI_DOT}},
    [LW_ROPE] = {1, {LWI_SPAN}},
    [LW_TOUCH] = {1, {LWI_TOUCH}},
    [LW_ROLL] = {1, {LWI_ROLL_0}},
    [LW_ROLL_ON_SPHERE] = {1, {LWI_ROUND_0}},
};

/* E with the axis as its last column.  In the plane: z x a, z, a, so that the equation of the plane
   that has to do with an axis is the one of e0, and turning is about e1. */
static num_rot axes_of(const num a[3], bool planar)
{
  if (!planar || value_of(a[2]) != 0) return rot_aligning_z(a);
  return (num_rot){{{-a[1], a[0], 0, 0}, {0, 0, 1, 0}, {a[0], a[1], 0, 0}}};
}

static num_equations make(const lwi_row_list *list, num_rot E, const num b[3], num x)
{
  num_equations e = {.n = list->n, .E = E, .number = x, .sine = 1};
  memcpy(e.row, list->row, sizeof e.row);
  memcpy(e.b, b, 3 * sizeof(num));
  return e;
}

num_equations lwi_joint_equations(const num_joint_shape *j)
{
  const lwi_row_list *list = lwi_joint_rows(j->type, j->planar);
  const num z[3] = {0, 0, 1};
  const int axes = lwi_joint_traits_of(j->type).axes;
  const num *axis = axes > 0 ? j->axis[0] : z;
  const num_rot E = axes_of(axis, j->planar);
  if (axes < 2) return make(list, E, axis, j->pitch);
  num_equations e = make(list, E, j->axis[1], dot3(axis, j->axis[1]));
  num n[3];
  cross3(axis, j->axis[1], n);
  e.sine = norm3(n);
  return e;
}

#if !LW_DERIVATIVE
bool lwi_constraint_is_geometric(lw_constraint_type type)
{
  return constraint_rows[type].n > 0;
}
#endif

num_equations lwi_constraint_equations(lw_constraint_type type, bool planar, const num axis[3],
                                       const num axis2[3], num length, double sense)
{
  const lwi_row_list *list = planar ? &planar_constraint_rows[type] : &constraint_rows[type];
  const bool round = type == LW_TOUCH || type == LW_ROLL || type == LW_ROLL_ON_SPHERE;
  const num *direction = type == LW_PERPENDICULAR || round ? axis2 : axis;
  num b[3];
  for (int i = 0; i < 3; i++)
    b[i] = type == LW_PARALLEL ? sense * direction[i] : direction[i];
  const bool sized = round || type == LW_DISTANCE || type == LW_ROPE;
  return make(list, axes_of(axis, planar), b, sized ? length : 0);
}
