/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_inertia.c -- mass properties: <inertial> in its forms, and geoms of a density or mass. */
#include "io/mjcf/mjcf.h"

#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- <inertial> ---- */

/* As MuJoCo does with balanceinertia: what no rigid body has becomes a sphere of the same trace. */
static void balance(double I[6])
{
  const double sum = I[0] + I[1] + I[2];
  bool possible = true;
  for (int i = 0; i < 3; i++)
    possible = possible && 2 * I[i] <= sum;
  if (possible) return;
  for (int i = 0; i < 6; i++)
    I[i] = i < 3 ? sum / 3 : 0;
}

bool lwi_mjcf_inertial(lwi_mjcf *x, const lwi_xml_element *e, lwi_frame place, lwi_mass *out)
{
  lw_error *err = x->robot.err;
  const lwi_mjcf_item item = {e, "inertial", -1};
  lwi_mass own = {0};
  lwi_frame at;
  if (!lwi_xml_get(e, "mass")) return lwi_xml_fail(e, err, "mass is missing");
  if (!lwi_mjcf_frame(x, &item, &at) || !lwi_xml_number(e, "mass", &own.mass, err) ||
      !lwi_xml_read(e, "diaginertia", 3, own.inertia, err) ||
      !lwi_xml_read(e, "fullinertia", 6, own.inertia, err))
    return false;
  if (own.mass < 0) return lwi_xml_fail(e, err, "its mass is negative");
  if (x->compiler.balance) balance(own.inertia);
  *out = (lwi_mass){0};
  lwi_mass_add(out, &own, lwi_frame_mul(place, at));
  return true;
}

/* ---- geoms ---- */

/* Volume and inertia per density, about the centre and along the axes of the shape; s: half sizes,
   z along the axis. */
static double measure(lw_shape_type type, const double s[3], double I[6])
{
  const double r = s[0], h = s[1], a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2];
  double v = 0;
  memset(I, 0, 6 * sizeof *I);
  switch (type) {
  case LW_SHAPE_SPHERE:
    v = 4 * pi / 3 * r * r * r;
    I[0] = I[1] = I[2] = 0.4 * v * r * r;
    break;
  case LW_SHAPE_CYLINDER:
    v = 2 * pi * r * r * h;
    I[0] = I[1] = v * (3 * r * r + 4 * h * h) / 12;
    I[2] = v * r * r / 2;
    break;
  case LW_SHAPE_CAPSULE: {
    const double ends = 4 * pi / 3 * r * r * r, middle = 2 * pi * r * r * h;
    v = ends + middle;
    I[0] = I[1] =
        middle * (3 * r * r + 4 * h * h) / 12 + ends * (0.4 * r * r + h * h + 0.75 * r * h);
    I[2] = middle * r * r / 2 + 0.4 * ends * r * r;
    break;
  }
  case LW_SHAPE_ELLIPSOID:
  case LW_SHAPE_BOX: {
    v = type == LW_SHAPE_BOX ? 8 * s[0] * s[1] * s[2] : 4 * pi / 3 * s[0] * s[1] * s[2];
    const double k = v / (type == LW_SHAPE_BOX ? 3 : 5);
    I[0] = k * (b + c), I[1] = k * (a + c), I[2] = k * (a + b);
    break;
  }
  default: break;
  }
  return v;
}

static bool add_mesh_mass(lwi_mjcf *x, const lwi_mjcf_geom *g, double mass, double density,
                          lwi_mass *out, bool *missing)
{
  lwi_mass own = {0};
  if (g->mesh && !lwi_mjcf_measure_mesh(x, g->mesh)) return false;
  if (!g->mesh || g->mesh->state != LWI_MJCF_MESH_MEASURED) return *missing = true, true;
  const lwi_mesh_measures *m = &g->mesh->measures;
  own.mass = mass >= 0 ? mass : density * m->volume;
  memcpy(own.com, m->com, sizeof own.com);
  for (int i = 0; i < 6; i++)
    own.inertia[i] = m->inertia[i] * own.mass / m->volume;
  lwi_mass_add(out, &own, g->place);
  return true;
}

bool lwi_mjcf_add_geom_mass(lwi_mjcf *x, const lwi_mjcf_geom *g, lwi_mass *out, bool *missing)
{
  lwi_mass own = {0};
  double density = 1000, mass = -1;
  if (!lwi_mjcf_read(x, &g->item, "density", 1, &density) ||
      !lwi_mjcf_read(x, &g->item, "mass", 1, &mass))
    return false;
  const bool counts = g->group >= x->compiler.groups[0] && g->group <= x->compiler.groups[1];
  if (!counts || !g->solid || mass == 0 || (mass < 0 && density == 0)) return true;
  if (g->type == LW_SHAPE_MESH) return add_mesh_mass(x, g, mass, density, out, missing);
  if (g->fitted) return *missing = true, true;
  const double volume = measure(g->type, g->half, own.inertia);
  if (!(volume > 0))
    return lwi_xml_fail(g->item.element, x->robot.err, "its size must be positive");
  own.mass = mass >= 0 ? mass : density * volume;
  for (int i = 0; i < 3; i++)
    own.inertia[i] *= own.mass / volume;
  lwi_mass_add(out, &own, g->place);
  return true;
}

/* ---- <compiler> ---- */

/* No principal moment is below the least one. */
static void bound_inertia(double I[6], double least)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, V[9], P[3];
  lwi_symmetric_eigen(3, A, V, P);
  if (fmin(P[0], fmin(P[1], P[2])) >= least) return;
  for (int k = 0; k < 6; k++) {
    I[k] = 0;
    for (int i = 0; i < 3; i++)
      I[k] += fmax(P[i], least) * V[3 * i + row[k]] * V[3 * i + column[k]];
  }
}

void lwi_mjcf_adjust_masses(lwi_mjcf *x)
{
  const lwi_mjcf_compiler *c = &x->compiler;
  lwi_robot *r = &x->robot;
  double sum = 0;
  for (int i = 0; i < r->nlink; i++) {
    lwi_mass *own = &r->link[i].own;
    if (own->mass == 0) /* as MuJoCo has it */
      memcpy(own->com, r->link[i].place.p, sizeof own->com);
    own->mass = fmax(own->mass, c->least_mass);
    if (c->least_inertia > 0) bound_inertia(own->inertia, c->least_inertia);
    sum += own->mass;
  }
  for (int i = 0; i < r->nlink && c->total_mass > 0 && sum > 0; i++) {
    lwi_mass *own = &r->link[i].own;
    own->mass *= c->total_mass / sum;
    for (int k = 0; k < 6; k++)
      own->inertia[k] *= c->total_mass / sum;
  }
}
