/* SPDX-License-Identifier: Apache-2.0 */
/* read_limits.c -- the keys of a joint that have numbers for each of its freedoms: `q` and `u`,
   `damping`, `armature`, `limits` and `friction`.  A joint of one freedom has one value, of several
   a list with one entry per freedom, `none` where there is none. */
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "model/joint/joint.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- coordinates and speeds ---- */

bool lwi_read_freedoms(lwi_reader *r, const lwi_yaml_node *value, lw_joint_type type, bool speeds,
                       double x[])
{
  const int n = speeds ? lw_joint_type_nu(type, r->planar) : lw_joint_type_nq(type, r->planar);
  const bool list = value->kind == LWI_YAML_LIST;
  if (list ? value->count != n : n != 1) return lwi_read_numbers(r, value, x, n); /* says so */
  bool good = true;
  for (int i = 0; i < n && good; i++) {
    r->on = lwi_freedom_choice(type, r->planar, speeds, i, "joint angle", "joint slide");
    good = lwi_read_number(r, list ? value->item[i] : value, &x[i]);
  }
  r->on = NULL;
  return good;
}

/* ---- what acts on freedoms ---- */

/* Reads one freedom's part of a key into the descriptor. */
typedef bool read_freedom(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i);

static bool read_one(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i,
                     read_freedom *read)
{
  r->on = lwi_freedom_choice(d->type, r->planar, true, i, "joint angle", "joint slide");
  const bool good = read(r, value, d, i);
  r->on = NULL;
  return good;
}

static bool read_freedoms(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d,
                          read_freedom *read)
{
  const int nu = lw_joint_type_nu(d->type, r->planar);
  if (nu == 1) return read_one(r, value, d, 0, read);
  if (value->kind != LWI_YAML_LIST || value->count != nu) {
    char what[60];
    snprintf(what, sizeof what, "a list of %d entries, one per freedom,", nu);
    return lwi_read_expected(r, value, what);
  }
  for (int i = 0; i < nu; i++) {
    const lwi_yaml_node *item = value->item[i];
    const bool none = item->kind == LWI_YAML_SCALAR && strcmp(item->text, "none") == 0;
    if (!none && !read_one(r, item, d, i, read)) return false;
  }
  return true;
}

static bool read_damping(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i)
{
  return lwi_read_number(r, value, &d->damping[i]);
}

bool lwi_read_damping(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_freedoms(r, value, to, read_damping);
}

static bool read_armature(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i)
{
  return lwi_read_number(r, value, &d->armature[i]);
}

bool lwi_read_armature(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_freedoms(r, value, to, read_armature);
}

/* ---- limits ---- */

static bool read_lower(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_limits *l = to;
  l->has_lower = true;
  return lwi_read_number(r, value, &l->lower);
}

static bool read_upper(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  lw_limits *l = to;
  l->has_upper = true;
  return lwi_read_number(r, value, &l->upper);
}

enum { ONE = LWI_ONLY_TYPE };
#define AT(field) offsetof(lw_limits, field)
static const lwi_field limits_fields[] = {
    {"lower", read_lower, 0, ONE, 0, "number", "none", "lower end"},
    {"upper", read_upper, 0, ONE, 0, "number", "none", "upper end"},
    {"restitution", lwi_read_number, AT(restitution), ONE, 0, "number", "0",
     "of a rigid limit: 0 to 1 (3.18)"},
    {"late", lwi_read_bool, AT(late), ONE, 0, "boolean", "false",
     "a start beyond a rigid limit is allowed (3.18)"},
    {"stiffness", lwi_read_positive, AT(stiffness), ONE, 0, "number", "rigid",
     "makes the limit compliant (3.17)"},
    {"damping", lwi_read_number, AT(damping), ONE, 0, "number", "0", "of a compliant limit"},
    {"onset", lwi_read_positive, AT(onset), ONE, 0, "number", "0.001 of the range",
     "width of the transition of a compliant limit"},
};
#undef AT
const lwi_part_keys lwi_limits_keys =
    LWI_PART_OR("range", "limits", "joint", "`limits`", limits_fields);

/* [lower, upper], or a mapping */
static bool read_range(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i)
{
  lw_limits *l = &d->limits[i];
  if (value->kind == LWI_YAML_LIST) {
    double range[2];
    if (!lwi_read_numbers(r, value, range, 2)) return false;
    *l = (lw_limits){.has_lower = true, .has_upper = true, .lower = range[0], .upper = range[1]};
    return true;
  }
  if (!lwi_read_fields(r, value, value, lwi_limits_keys.table, l)) return false;
  if (!l->has_lower && !l->has_upper)
    return lwi_read_fail(r, value, "`limits` needs `lower`, `upper` or both");
  if (l->stiffness == 0 && (l->damping != 0 || l->onset != 0))
    return lwi_read_fail(r, value, "`damping` and `onset` of limits need a `stiffness`");
  return true;
}

bool lwi_read_limits(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_freedoms(r, value, to, read_range);
}

/* ---- friction ---- */

#define AT(field) offsetof(lw_friction, field)
static const lwi_field friction_fields[] = {
    {"load", lwi_read_number, AT(load), ONE, 0, "number", "none", "load while it slides, or"},
    {"static", lwi_read_number, AT(static_load), ONE, 0, "number", "`load`",
     "largest load while it sticks"},
    {"coefficient", lwi_read_number, AT(coefficient), ONE, 0, "number", "none",
     "of friction by the joint's own load (3.23)"},
    {"static_coefficient", lwi_read_number, AT(static_coefficient), ONE, 0, "number",
     "`coefficient`", "while it sticks"},
    {"radius", lwi_read_positive, AT(radius), ONE, 0, "number", "none",
     "of the pin of a revolute joint"},
    {"length", lwi_read_positive, AT(length), ONE, 0, "number", "one bearing",
     "distance of its two bearings"},
    {"thrust_radius", lwi_read_positive, AT(thrust_radius), ONE, 0, "number", "none",
     "of the collar that takes the thrust of a pin"},
};
#undef AT
const lwi_part_keys lwi_friction_keys =
    LWI_PART_OR("none", "friction", "joint", "`friction`", friction_fields);

static bool read_friction(lwi_reader *r, const lwi_yaml_node *value, lw_joint_desc *d, int i)
{
  const lw_friction *f = &d->friction[i];
  if (!lwi_read_fields(r, value, value, lwi_friction_keys.table, &d->friction[i])) return false;
  const bool load = lwi_yaml_find(value, "load"), own = lwi_yaml_find(value, "coefficient");
  if (load == own)
    return lwi_read_fail(r, value, "`friction` needs one of `load` and `coefficient`");
  if (own && f->static_load != 0)
    return lwi_read_fail(r, value,
                         "`static` is a load; with `coefficient` use `static_coefficient`");
  return own ||
         (f->static_coefficient == 0 && f->radius == 0 && f->length == 0 &&
          f->thrust_radius == 0) ||
         lwi_read_fail(r, value, "a bearing needs a `coefficient` of friction");
}

bool lwi_read_friction(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_freedoms(r, value, to, read_friction);
}
