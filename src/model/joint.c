/* SPDX-License-Identifier: Apache-2.0 */
/* joint.c -- the joint catalogue: one switch or table per question. */
#include "model/joint.h"
#include "linkwork/reader.h"

static const struct {
  const char *name;
  int nq, nu;
} types[LW_JOINT_TYPES] = {
#define ROW(type, name, nq, nu) [type] = {name, nq, nu},
    LW_JOINT_LIST(ROW)
#undef ROW
};

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

lwi_kind lwi_joint_kind(lw_joint_type type, bool planar, bool reversed)
{
  switch (type) {
  case LW_REVOLUTE: return LWI_KIND_REVOLUTE;
  case LW_PRISMATIC: return LWI_KIND_PRISMATIC;
  case LW_HELICAL: return LWI_KIND_HELICAL;
  case LW_CYLINDRICAL: return LWI_KIND_CYLINDRICAL;
  case LW_UNIVERSAL: return reversed ? LWI_KIND_UNIVERSAL_REVERSED : LWI_KIND_UNIVERSAL;
  case LW_SPHERICAL: return reversed ? LWI_KIND_SPHERICAL_REVERSED : LWI_KIND_SPHERICAL;
  case LW_PLANAR: return reversed ? LWI_KIND_PLANAR_REVERSED : LWI_KIND_PLANAR;
  case LW_FREE:
    if (planar) return reversed ? LWI_KIND_FREE_PLANAR_REVERSED : LWI_KIND_FREE_PLANAR;
    return reversed ? LWI_KIND_FREE_REVERSED : LWI_KIND_FREE;
  default: return LWI_KIND_FIXED;
  }
}

int lwi_kind_angle(lwi_kind kind, int index)
{
  switch (kind) {
  case LWI_KIND_REVOLUTE:
  case LWI_KIND_HELICAL:
  case LWI_KIND_CYLINDRICAL: return index == 0 ? 0 : -1;
  case LWI_KIND_UNIVERSAL: return index;
  case LWI_KIND_UNIVERSAL_REVERSED: return 1 - index;
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

bool lwi_joint_has_rate_pair(lw_joint_type type)
{
  return type != LW_SPHERICAL && type != LW_FREE && type != LW_FIXED;
}
