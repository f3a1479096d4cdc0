/* SPDX-License-Identifier: Apache-2.0 */
/* solids.c -- bodies: mass, centre of mass and inertia from numbers or from a solid's shape. */
#include "model/compile/constants.h"

static const num z_axis[3] = {0, 0, 1};
static const double pi = 3.14159265358979323846;

/* moment about the unit vector a, the same about all lines across it: axial + (across - axial)
   part */
static void inertia_about(const num a[3], num axial, num across, num inertia[6])
{
  const num d = axial - across;
  const num I[6] = {across + d * a[0] * a[0], across + d * a[1] * a[1], across + d * a[2] * a[2],
                    d * a[0] * a[1],          d * a[0] * a[2],          d * a[1] * a[2]};
  memcpy(inertia, I, sizeof I);
}

/* a solid with its numbers evaluated */
typedef struct {
  num mass, density, at[3], axis[3], size[3], radius, length;
} shape;

static bool is_zero(num x)
{
  return value_of(x) == 0;
}

static bool positive(lwi_compiler *c, num x, const char *field)
{
  const double value = value_of(x);
  return value > 0 || lwi_compile_fail(c, LW_E_MODEL, "%s must be positive, not %g", field, value);
}

static bool solid_mass(lwi_compiler *c, const shape *d, num volume, num *mass)
{
  if (is_zero(d->mass) == is_zero(d->density))
    return lwi_compile_fail(c, LW_E_MODEL, "the solid needs either mass or density");
  *mass = is_zero(d->mass) ? d->density * volume : d->mass;
  return positive(c, *mass, is_zero(d->mass) ? "density" : "mass");
}

static bool make_rod(lwi_compiler *c, const shape *d, num_solid *out)
{
  if (!is_zero(d->density)) return lwi_compile_fail(c, LW_E_MODEL, "a rod takes mass, not density");
  if (!positive(c, d->length, "length") || !solid_mass(c, d, 0, &out->mass)) return false;
  const num r = is_zero(d->radius) ? d->length / 200 : d->radius;
  if (!positive(c, r, "radius")) return false;
  for (int i = 0; i < 3; i++)
    out->com[i] = d->at[i] + d->axis[i] * d->length / 2;
  inertia_about(d->axis, out->mass * r * r / 2, out->mass * d->length * d->length / 12,
                out->inertia);
  return true;
}

static bool make_box(lwi_compiler *c, const shape *d, num_solid *out)
{
  const num *s = d->size;
  for (int i = 0; i < 3; i++)
    if (!positive(c, s[i], "size")) return false;
  if (!solid_mass(c, d, s[0] * s[1] * s[2], &out->mass)) return false;
  const num k = out->mass / 12;
  out->inertia[0] = k * (s[1] * s[1] + s[2] * s[2]);
  out->inertia[1] = k * (s[0] * s[0] + s[2] * s[2]);
  out->inertia[2] = k * (s[0] * s[0] + s[1] * s[1]);
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_sphere(lwi_compiler *c, const shape *d, num_solid *out)
{
  const num r = d->radius;
  if (!positive(c, r, "radius") || !solid_mass(c, d, 4 * pi / 3 * r * r * r, &out->mass))
    return false;
  for (int i = 0; i < 3; i++)
    out->inertia[i] = 0.4 * out->mass * r * r;
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_cylinder(lwi_compiler *c, const shape *d, num_solid *out)
{
  const num r = d->radius, l = d->length;
  if (!positive(c, r, "radius") || !positive(c, l, "length")) return false;
  if (!solid_mass(c, d, pi * r * r * l, &out->mass)) return false;
  inertia_about(d->axis, out->mass * r * r / 2, out->mass * (3 * r * r + l * l) / 12, out->inertia);
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_point(lwi_compiler *c, const shape *d, num_solid *out)
{
  if (!is_zero(d->density))
    return lwi_compile_fail(c, LW_E_MODEL, "a point takes mass, not density");
  memcpy(out->com, d->at, sizeof d->at);
  return solid_mass(c, d, 0, &out->mass);
}

static bool make_solid(lwi_compiler *c, const lw_solid *given, num_solid *out)
{
  shape d;
  if (!lwi_read(c, &given->mass, 1, "mass", &d.mass) ||
      !lwi_read(c, &given->density, 1, "density", &d.density) ||
      !lwi_read(c, given->at, 3, "at", d.at) || !lwi_read(c, given->size, 3, "size", d.size) ||
      !lwi_read(c, &given->radius, 1, "radius", &d.radius) ||
      !lwi_read(c, &given->length, 1, "length", &d.length) ||
      !lwi_axis(c, given->axis, z_axis, "axis", d.axis))
    return false;
  switch (given->type) {
  case LW_SOLID_ROD: return make_rod(c, &d, out);
  case LW_SOLID_BOX: return make_box(c, &d, out);
  case LW_SOLID_SPHERE: return make_sphere(c, &d, out);
  case LW_SOLID_CYLINDER: return make_cylinder(c, &d, out);
  case LW_SOLID_POINT: return make_point(c, &d, out);
  default: return lwi_compile_fail(c, LW_E_ARG, "there is no such solid");
  }
}

bool lwi_solid_of(lwi_compiler *c, const lw_body_desc *d, num_solid *out)
{
  if (d->solid.type != LW_SOLID_NONE) {
    bool beside = d->mass != 0;
    for (int i = 0; i < 3; i++)
      beside = beside || d->com[i] != 0;
    for (int i = 0; i < 6; i++)
      beside = beside || d->inertia[i] != 0;
    if (beside)
      return lwi_compile_fail(c, LW_E_MODEL, "solid cannot be combined with mass, com or inertia");
    if (!make_solid(c, &d->solid, out)) return false;
  } else {
    if (!lwi_read(c, &d->mass, 1, "mass", &out->mass) || !lwi_read(c, d->com, 3, "com", out->com) ||
        !lwi_read(c, d->inertia, 6, "inertia", out->inertia))
      return false;
    if (!(value_of(out->mass) >= 0))
      return lwi_compile_fail(c, LW_E_MODEL, "mass must not be negative, and is %g",
                              value_of(out->mass));
  }
  if (c->s->planar && !is_zero(out->com[2]))
    return lwi_compile_fail(c, LW_E_MODEL, "com: z must be 0 in a planar model");
  return true;
}
