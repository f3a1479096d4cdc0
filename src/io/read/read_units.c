/* SPDX-License-Identifier: Apache-2.0 */
/* read_units.c -- what the numbers of each key are: the SI unit whose dimension they must have if
   they are written with units. */
#include "io/read/read_common.h"
#include "linkwork/reader.h"

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
    {NULL, NULL, "end", "s"},
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
    {"joint", "revolute", "q", "rad"},
    {"joint", "revolute", "u", "rad/s"},
    {"joint", "prismatic", "q", "m"},
    {"joint", "prismatic", "u", "m/s"},
    {"joint", "helical", "q", "rad"},
    {"joint", "helical", "u", "rad/s"},
    {"joint", "universal", "q", "rad"},
    {"joint", "universal", "u", "rad/s"},
    {"joint", "helical", "pitch", "m/rad"},
    {"joint", "revolute", "armature", "kg*m^2"},
    {"joint", "prismatic", "armature", "kg"},
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

const char *lwi_unit_of(const char *kind, const char *type, const char *key)
{
  const int i = find_unit(kind, type, key);
  return i < 0 ? NULL : units[i].unit;
}

void lwi_read_measure(lwi_reader *r)
{
  const int i = find_unit(r->kind, r->type, r->key);
  /* the key of the table, which lives on */
  lw_spec_measure(r->spec, i < 0 ? NULL : units[i].key, i < 0 ? NULL : units[i].unit);
}
