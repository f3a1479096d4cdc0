/* SPDX-License-Identifier: Apache-2.0 */
/* joint.c -- the joint catalogue: one table or switch per question. */
#include "model/joint/joint.h"
#include "model/joint/equations.h"
#include "linkwork/reader.h"

static const struct {
  const char *name;
  int nq, nu;
} types[LW_JOINT_TYPES] = {
#define ROW(type, name, nq, nu) [type] = {name, nq, nu},
    LW_JOINT_LIST(ROW)
#undef ROW
};

const lwi_joint_traits lwi_joint_table[LW_JOINT_TYPES] = {
#define ROW(type, axes, ...) [type] = {sizeof axes - 1, axes, __VA_ARGS__},
    LWI_JOINT_TRAITS(ROW)
#undef ROW
};

/* ---- equations ---- */

#define SHIFTS LWI_SHIFT_0, LWI_SHIFT_1, LWI_SHIFT_2
#define TURNS LWI_TURN_0, LWI_TURN_1, LWI_TURN_2
#define SWINGS LWI_SWING_0, LWI_SWING_1

static const lwi_row_list joint_rows[LW_JOINT_TYPES] = {
    [LW_FIXED] = {6, {TURNS, SHIFTS}},
    [LW_REVOLUTE] = {5, {SWINGS, SHIFTS}},
    [LW_PRISMATIC] = {5, {TURNS, LWI_SHIFT_0, LWI_SHIFT_1}},
    [LW_HELICAL] = {5, {SWINGS, LWI_SHIFT_0, LWI_SHIFT_1, LWI_SCREW}},
    [LW_CYLINDRICAL] = {4, {SWINGS, LWI_SHIFT_0, LWI_SHIFT_1}},
    [LW_UNIVERSAL] = {4, {LWI_DOT, SHIFTS}},
    [LW_GIMBAL] = {3, {SHIFTS}},
    [LW_SPHERICAL] = {3, {SHIFTS}},
    [LW_PLANAR] = {3, {SWINGS, LWI_SHIFT_2}},
};
/* with an axis in the plane, e1 is z (axes_of of equation_sets.c) */
static const lwi_row_list planar_joint_rows[LW_JOINT_TYPES] = {
    [LW_FIXED] = {3, {LWI_TURN_2, LWI_SHIFT_0, LWI_SHIFT_1}},
    [LW_REVOLUTE] = {2, {LWI_SHIFT_0, LWI_SHIFT_1}},
    [LW_PRISMATIC] = {2, {LWI_TURN_1, LWI_SHIFT_0}},
};

const lwi_row_list *lwi_joint_rows(lw_joint_type type, bool planar)
{
  return planar ? &planar_joint_rows[type] : &joint_rows[type];
}

bool lwi_joint_turns(lw_joint_type type, bool planar, int i)
{
  switch (lwi_joint_speeds(type, planar)) {
  case LWI_SPEEDS_TURN: return true;
  case LWI_SPEEDS_MOVE: return i < 3;
  case LWI_SPEEDS_MOVE_PLANAR: return i == 0;
  case LWI_SPEEDS_ARE_RATES: break;
  }
  return (lwi_joint_table[type].angles >> i & 1) != 0;
}

bool lwi_joint_is_free(lw_joint_type type)
{
  return joint_rows[type].n == 0;
}

bool lwi_joint_locks(lw_joint_type type)
{
  return lwi_joint_table[type].axes == LWI_MOST_AXES;
}

/* ---- coordinates and speeds ---- */

static bool is_type(lw_joint_type type)
{
  return (unsigned)type < LW_JOINT_TYPES;
}

static bool is_free_planar(lw_joint_type type, bool planar)
{
  return planar && type == LW_FREE;
}

int lw_joint_type_nq(lw_joint_type type, bool planar)
{
  return !is_type(type) ? 0 : is_free_planar(type, planar) ? 3 : types[type].nq;
}

int lw_joint_type_nu(lw_joint_type type, bool planar)
{
  return !is_type(type) ? 0 : is_free_planar(type, planar) ? 3 : types[type].nu;
}

const char *lw_joint_type_name(lw_joint_type type)
{
  return is_type(type) ? types[type].name : NULL;
}

bool lwi_joint_has_rate_pair(lw_joint_type type)
{
  return types[type].nu > 0 && lwi_joint_table[type].speeds == LWI_SPEEDS_ARE_RATES;
}

/* ---- kinds of motion ---- */

lwi_kind lwi_joint_kind(lw_joint_type type, bool planar, bool reversed)
{
  switch (type) {
  case LW_REVOLUTE: return LWI_KIND_REVOLUTE;
  case LW_PRISMATIC: return LWI_KIND_PRISMATIC;
  case LW_HELICAL: return LWI_KIND_HELICAL;
  case LW_CYLINDRICAL: return LWI_KIND_CYLINDRICAL;
  case LW_GIMBAL:
  case LW_UNIVERSAL: return reversed ? LWI_KIND_AXES_REVERSED : LWI_KIND_AXES;
  case LW_SPHERICAL: return reversed ? LWI_KIND_SPHERICAL_REVERSED : LWI_KIND_SPHERICAL;
  case LW_PLANAR: return reversed ? LWI_KIND_PLANAR_REVERSED : LWI_KIND_PLANAR;
  case LW_FREE:
    if (planar) return reversed ? LWI_KIND_FREE_PLANAR_REVERSED : LWI_KIND_FREE_PLANAR;
    return reversed ? LWI_KIND_FREE_REVERSED : LWI_KIND_FREE;
  default: return LWI_KIND_FIXED;
  }
}

int lwi_kind_angle(lwi_kind kind, int nu, int index)
{
  switch (kind) {
  case LWI_KIND_REVOLUTE:
  case LWI_KIND_HELICAL:
  case LWI_KIND_CYLINDRICAL: return index == 0 ? 0 : -1;
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED: return index < nu ? lwi_kind_order(kind, nu, index) : -1;
  case LWI_KIND_PLANAR:
  case LWI_KIND_PLANAR_REVERSED:
  case LWI_KIND_FREE_PLANAR:
  case LWI_KIND_FREE_PLANAR_REVERSED: return index == 0 ? 2 : -1;
  default: return -1;
  }
}

int lwi_kind_quat(lwi_kind kind)
{
  switch (kind) {
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_SPHERICAL_REVERSED: return 0;
  case LWI_KIND_FREE:
  case LWI_KIND_FREE_REVERSED: return 3;
  default: return -1;
  }
}

int lwi_kind_axis(lwi_kind kind)
{
  return kind == LWI_KIND_PLANAR || kind == LWI_KIND_PLANAR_REVERSED ? 2 : 0;
}

bool lwi_kind_slides(lwi_kind kind)
{
  return kind == LWI_KIND_PRISMATIC;
}

const char *lwi_freedoms_of(lw_joint_type type, bool planar, bool speeds)
{
  switch (type) {
  case LW_REVOLUTE:
  case LW_HELICAL: return "a";
  case LW_PRISMATIC: return "s";
  case LW_CYLINDRICAL: return "as";
  case LW_UNIVERSAL: return "aa";
  case LW_GIMBAL: return "aaa";
  case LW_SPHERICAL: return speeds ? "aaa" : "----";
  case LW_PLANAR: return "ssa";
  case LW_FREE: return planar ? (speeds ? "ass" : "ssa") : speeds ? "aaasss" : "sss----";
  default: return "";
  }
}
