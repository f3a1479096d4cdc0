/* SPDX-License-Identifier: Apache-2.0 */
/* read_units.c -- what the numbers of each key are: the SI unit whose dimension they must have if
   they are written with units. */
#include "io/read/read_common.h"
#include "linkwork/reader.h"
#include "model/joint/joint.h"
#include "model/spec/spec_data.h"

#include <stdlib.h>
#include <string.h>

/* kind and type of the part, of one without types its name; NULL: any */
static const struct {
  const char *kind, *type, *key, *unit;
} units[] = {
    {NULL, NULL, "gravity", "m/s^2"},
    {"event", "event", "at", "s"},
    {NULL, NULL, "at", "m"},
    {NULL, NULL, "child_at", "m"},
    {NULL, NULL, "rpy", "rad"},
    {NULL, NULL, "quat", "1"},
    {NULL, NULL, "end", "s"},
    {"factor", NULL, "range", "of the parameter"},
    {"factor", NULL, "normal", "of the parameter"},
    {"factor", NULL, "values", "of the parameter"},
    {NULL, NULL, "output_step", "s"},
    {NULL, NULL, "step", "s"},
    {NULL, NULL, "length", "m"},
    {"state", NULL, "every", "s"},
    {"body", NULL, "mass", "kg"},
    {"body", NULL, "density", "kg/m^3"},
    {"body", NULL, "com", "m"},
    {"body", NULL, "inertia", "kg*m^2"},
    {"body", NULL, "size", "m"},
    {"body", NULL, "radius", "m"},
    {"body", NULL, "linear", "m/s"},
    {"body", NULL, "angular", "rad/s"},
    {"joint angle", NULL, "q", "rad"},
    {"joint angle", NULL, "u", "rad/s"},
    {"joint angle", NULL, "limits", "rad"},
    {"joint angle", NULL, "lower", "rad"},
    {"joint angle", NULL, "upper", "rad"},
    {"joint angle", NULL, "onset", "rad"},
    {"joint angle", NULL, "stiffness", "N*m/rad"},
    {"joint angle", NULL, "damping", "N*m*s/rad"},
    {"joint angle", NULL, "load", "N*m"},
    {"joint angle", NULL, "static", "N*m"},
    {"joint angle", NULL, "armature", "kg*m^2"},
    {"joint slide", NULL, "q", "m"},
    {"joint slide", NULL, "u", "m/s"},
    {"joint slide", NULL, "limits", "m"},
    {"joint slide", NULL, "lower", "m"},
    {"joint slide", NULL, "upper", "m"},
    {"joint slide", NULL, "onset", "m"},
    {"joint slide", NULL, "stiffness", "N/m"},
    {"joint slide", NULL, "damping", "N*s/m"},
    {"joint slide", NULL, "load", "N"},
    {"joint slide", NULL, "static", "N"},
    {"joint slide", NULL, "armature", "kg"},
    {"driven angle", NULL, "value", "rad"},
    {"driven slide", NULL, "value", "m"},
    {"joint", "helical", "pitch", "m/rad"},
    {"joint", NULL, "restitution", "1"},
    {"joint", NULL, "coefficient", "1"},
    {"joint", NULL, "static_coefficient", "1"},
    {"force on an angle", NULL, "rest", "rad"},
    {"force on an angle", NULL, "onset", "rad"},
    {"force on an angle", NULL, "target", "rad"},
    {"force on an angle", NULL, "stiffness", "N*m/rad"},
    {"force on an angle", NULL, "damping", "N*m*s/rad"},
    {"force on an angle", NULL, "load", "N*m"},
    {"force on an angle", NULL, "limit", "N*m"},
    {"force on an angle", NULL, "value", "N*m"},
    {"force on a slide", NULL, "rest", "m"},
    {"force on a slide", NULL, "onset", "m"},
    {"force on a slide", NULL, "target", "m"},
    {"force on a slide", NULL, "stiffness", "N/m"},
    {"force on a slide", NULL, "damping", "N*s/m"},
    {"force on a slide", NULL, "load", "N"},
    {"force on a slide", NULL, "limit", "N"},
    {"force on a slide", NULL, "value", "N"},
    {"force", "spring", "stiffness", "N/m"},
    {"force", "spring", "damping", "N*s/m"},
    {"force", "bushing", "stiffness", "N/m"},
    {"force", "bushing", "damping", "N*s/m"},
    {"force", "bushing", "angular_stiffness", "N*m/rad"},
    {"force", "bushing", "angular_damping", "N*m*s/rad"},
    {"force", "spring", "tension", "N"},
    {"force", "torsion", "load", "N*m"},
    {"force", "bushing", "force", "N"},
    {"force", "bushing", "torque", "N*m"},
    {"force", "torsion", "stiffness", "N*m/rad"},
    {"force", "torsion", "damping", "N*m*s/rad"},
    {"force", "torsion", "angle", "rad"},
    {"force", "torsion", "start", "rad"},
    {"force", "force", "force", "N"},
    {"force", "force", "torque", "N*m"},
    {"shape", NULL, "size", "m"},
    {"shape", NULL, "radius", "m"},
    {"contact", NULL, "radius", "m"},
    {"contact", NULL, "restitution", "1"},
    {"contact", NULL, "friction", "1"},
    {"contact", NULL, "damping", "s/m"},
    {"contact", NULL, "exponent", "1"},
    {"contact", NULL, "slip_speed", "m/s"},
    {"joint", NULL, "radius", "m"},
    {"joint", NULL, "thrust_radius", "m"},
    {"event", NULL, "linear", "N*s"},
    {"event", NULL, "angular", "N*m*s"},
    {"event", NULL, "restitution", "1"},
    /* for readers: what depends on the freedom, or on what it is */
    {"joint", NULL, "q", "rad, m"},
    {"joint", NULL, "u", "rad/s, m/s"},
    {"joint", NULL, "lower", "rad, m"},
    {"joint", NULL, "upper", "rad, m"},
    {"joint", NULL, "onset", "rad, m"},
    {"joint", NULL, "stiffness", "N*m/rad, N/m"},
    {"joint", NULL, "damping", "N*m*s/rad, N*s/m"},
    {"joint", NULL, "load", "N*m, N"},
    {"joint", NULL, "static", "N*m, N"},
    {"joint", NULL, "armature", "kg*m^2, kg"},
    {NULL, "gear", "ratio", "of u.B per u.A"},
    {NULL, "coupler", "offset", "of the sum"},
    {NULL, "driver", "value", "rad, m"},
    {"event", NULL, "pitch", "m/rad"},
    {"event", NULL, "when", "any"},
    {"force", NULL, "rest", "rad, m"},
    {"force", NULL, "onset", "rad, m"},
    {"force", NULL, "target", "rad, m"},
    {"force", NULL, "stiffness", "N*m/rad, N/m"},
    {"force", NULL, "damping", "N*m*s/rad, N*s/m"},
    {"force", NULL, "load", "N*m, N"},
    {"force", NULL, "limit", "N*m, N"},
    {"force", NULL, "value", "N*m, N"},
    {"contact", NULL, "stiffness", "N/m^exponent"},
    {"parameter", NULL, "value", "any"},
    {"parameter", NULL, "min", "any"},
    {"parameter", NULL, "max", "any"},
    {"function", NULL, "is", "any"},
    {"table", NULL, "data", "any"},
    {"table", NULL, "x", "any"},
    {"table", NULL, "y", "any"},
    {"table", NULL, "value", "any"},
    {"state", NULL, "start", "any"},
    {"state", NULL, "rate", "of the state, per s"},
    {"state", NULL, "value", "of the state"},
    {"objective", NULL, "final", "any"},
    {"objective", NULL, "integral", "any"},
    {"objective", NULL, "max", "any"},
    {"objective", NULL, "min", "any"},
    {"shape", NULL, "color", "1"},
    {"shape", NULL, "scale", "1"},
    {NULL, NULL, "limit", "s"},
    {NULL, NULL, "rtol", "1"},
    {NULL, NULL, "atol", "SI"},
    {NULL, NULL, "loop_tolerance", "1"},
};

static bool fits(const char *wanted, const char *given)
{
  return !wanted || (given && strcmp(wanted, given) == 0);
}

static int find_unit(const char *kind, const char *type, const char *key)
{
  for (int i = 0; i < LWI_COUNT(units) && key; i++)
    if (strcmp(units[i].key, key) == 0 && fits(units[i].kind, kind) && fits(units[i].type, type))
      return i;
  return -1;
}

/* ---- freedoms ---- */

const char *lwi_freedom_choice(lw_joint_type type, bool planar, bool speeds, int index,
                               const char *angle, const char *slide)
{
  const char *all = lwi_freedoms_of(type, planar, speeds);
  if (index < 0 || index >= (int)strlen(all)) return NULL;
  return all[index] == 'a' ? angle : all[index] == 's' ? slide : NULL;
}

const char *lwi_read_freedom_choice(lwi_reader *r, const lwi_yaml_node *map, const char *angle,
                                    const char *slide)
{
  const lwi_yaml_node *joint = lwi_yaml_find(map, "joint"), *dof = lwi_yaml_find(map, "dof");
  if (!joint || joint->kind != LWI_YAML_SCALAR) return NULL;
  const char *name = lwi_scope_name(r->scopes, joint->scope, joint->text);
  if (!name) return lwi_spec_no_memory(r->spec), NULL;
  const lw_joint j = lw_spec_find_joint(r->spec, name);
  const int index = dof && dof->kind == LWI_YAML_SCALAR ? atoi(dof->text) : 1;
  if (j.id < 1) return NULL;
  const lw_joint_type type = r->spec->joints.item[j.id - 1].d.type;
  return lwi_freedom_choice(type, r->planar, true, index - 1, angle, slide);
}

const char *lwi_unit_of(const char *kind, const char *type, const char *key)
{
  const int i = find_unit(kind, type, key);
  return i < 0 ? NULL : units[i].unit;
}

void lwi_read_measure(lwi_reader *r)
{
  const int on = r->on ? find_unit(r->on, r->type, r->key) : -1;
  const int i = on >= 0 ? on : find_unit(r->kind, r->type, r->key);
  /* the key of the table, which lives on */
  lw_spec_measure(r->spec, i < 0 ? NULL : units[i].key, i < 0 ? NULL : units[i].unit);
}
