/* SPDX-License-Identifier: Apache-2.0 */
/* solids.c -- bodies: mass, centre of mass and inertia from numbers or from a solid's shape. */
#include "math/rotation.h"
#include "model/compile.h"

static const double z_axis[3] = {0, 0, 1};
static const double pi = 3.14159265358979323846;

/* moment about the unit vector a, the same about all lines across it: axial + (across - axial) part */
static void inertia_about(const double a[3], double axial, double across, double inertia[6])
{
  const double d = axial - across;
  const double I[6] = {across + d * a[0] * a[0], across + d * a[1] * a[1], across + d * a[2] * a[2],
                       d * a[0] * a[1],          d * a[0] * a[2],          d * a[1] * a[2]};
  memcpy(inertia, I, sizeof I);
}

static bool positive(lwi_compiler *c, double x, const char *field)
{
  return x > 0 || lwi_compile_fail(c, LW_E_MODEL, "%s must be positive, not %g", field, x);
}

static bool solid_mass(lwi_compiler *c, const lw_solid *d, double volume, double *mass)
{
  if ((d->mass != 0) == (d->density != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "the solid needs either mass or density");
  *mass = d->mass != 0 ? d->mass : d->density * volume;
  return positive(c, *mass, d->mass != 0 ? "mass" : "density");
}

static bool make_rod(lwi_compiler *c, lw_solid *d, lwi_solid *out)
{
  if (d->density != 0) return lwi_compile_fail(c, LW_E_MODEL, "a rod takes mass, not density");
  if (!positive(c, d->length, "length") || !solid_mass(c, d, 0, &out->mass)) return false;
  const double r = d->radius != 0 ? d->radius : d->length / 200;
  if (!positive(c, r, "radius")) return false;
  for (int i = 0; i < 3; i++)
    out->com[i] = d->at[i] + d->axis[i] * d->length / 2;
  inertia_about(d->axis, out->mass * r * r / 2, out->mass * d->length * d->length / 12,
                out->inertia);
  return true;
}

static bool make_box(lwi_compiler *c, lw_solid *d, lwi_solid *out)
{
  const double *s = d->size;
  for (int i = 0; i < 3; i++)
    if (!positive(c, s[i], "size")) return false;
  if (!solid_mass(c, d, s[0] * s[1] * s[2], &out->mass)) return false;
  const double k = out->mass / 12;
  out->inertia[0] = k * (s[1] * s[1] + s[2] * s[2]);
  out->inertia[1] = k * (s[0] * s[0] + s[2] * s[2]);
  out->inertia[2] = k * (s[0] * s[0] + s[1] * s[1]);
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_sphere(lwi_compiler *c, lw_solid *d, lwi_solid *out)
{
  const double r = d->radius;
  if (!positive(c, r, "radius") || !solid_mass(c, d, 4 * pi / 3 * r * r * r, &out->mass))
    return false;
  for (int i = 0; i < 3; i++)
    out->inertia[i] = 0.4 * out->mass * r * r;
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_cylinder(lwi_compiler *c, lw_solid *d, lwi_solid *out)
{
  const double r = d->radius, l = d->length;
  if (!positive(c, r, "radius") || !positive(c, l, "length")) return false;
  if (!solid_mass(c, d, pi * r * r * l, &out->mass)) return false;
  inertia_about(d->axis, out->mass * r * r / 2, out->mass * (3 * r * r + l * l) / 12, out->inertia);
  memcpy(out->com, d->at, sizeof d->at);
  return true;
}

static bool make_point(lwi_compiler *c, lw_solid *d, lwi_solid *out)
{
  if (d->density != 0) return lwi_compile_fail(c, LW_E_MODEL, "a point takes mass, not density");
  memcpy(out->com, d->at, sizeof d->at);
  return solid_mass(c, d, 0, &out->mass);
}

static bool make_solid(lwi_compiler *c, const lw_solid *given, lwi_solid *out)
{
  lw_solid d = *given;
  if (!lwi_numbers(c, &d.mass, 1, "mass") || !lwi_numbers(c, &d.density, 1, "density") ||
      !lwi_numbers(c, d.at, 3, "at") || !lwi_numbers(c, d.size, 3, "size") ||
      !lwi_numbers(c, &d.radius, 1, "radius") || !lwi_numbers(c, &d.length, 1, "length") ||
      !lwi_axis(c, d.axis, z_axis, "axis"))
    return false;
  switch (d.type) {
  case LW_SOLID_ROD: return make_rod(c, &d, out);
  case LW_SOLID_BOX: return make_box(c, &d, out);
  case LW_SOLID_SPHERE: return make_sphere(c, &d, out);
  case LW_SOLID_CYLINDER: return make_cylinder(c, &d, out);
  case LW_SOLID_POINT: return make_point(c, &d, out);
  default: return lwi_compile_fail(c, LW_E_ARG, "there is no such solid");
  }
}

/* principal moments by Jacobi rotations */
static void principal_moments(const double I[6], double out[3])
{
  double a[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double co = 1 / sqrt(t * t + 1), si = t * co;
        for (int k = 0; k < 3; k++) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = co * x - si * y, a[k][q] = si * x + co * y;
        }
        for (int k = 0; k < 3; k++) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = co * x - si * y, a[q][k] = si * x + co * y;
        }
      }
  for (int i = 0; i < 3; i++)
    out[i] = a[i][i];
}

/* No rigid body has a negative principal moment, nor one larger than the sum of the other two.  The
   published data of real machines break the second rule by some ten percent (docs/decisions/003), so
   only a gross violation is refused. */
static bool check_inertia(lwi_compiler *c, lwi_solid *b)
{
  double P[3], largest = 0, sum = 0;
  b->least = b->inertia[2];
  if (c->s->planar)
    return b->inertia[2] >= 0 || lwi_compile_fail(c, LW_E_MODEL, "inertia must not be negative");
  principal_moments(b->inertia, P);
  for (int i = 0; i < 3; i++) {
    largest = fmax(largest, fabs(P[i]));
    sum += P[i];
    b->least = fmin(i ? b->least : P[i], P[i]);
  }
  for (int i = 0; i < 3; i++) {
    if (P[i] < -1e-9 * largest)
      return lwi_compile_fail(c, LW_E_MODEL,
                              "no rigid body has this inertia: a principal moment is %g", P[i]);
    if (P[i] > 1.2 * (sum - P[i]))
      return lwi_compile_fail(
          c, LW_E_MODEL,
          "no rigid body has this inertia: principal moment %g is more than the "
          "sum %g of the other two",
          P[i], sum - P[i]);
  }
  return true;
}

static bool compile_body(lwi_compiler *c, const lw_body_desc *d, lwi_solid *out)
{
  if (d->solid.type != LW_SOLID_NONE) {
    bool beside = d->mass != 0;
    for (int i = 0; i < 3; i++)
      beside = beside || d->com[i] != 0;
    for (int i = 0; i < 6; i++)
      beside = beside || d->inertia[i] != 0;
    if (beside) return lwi_compile_fail(c, LW_E_MODEL, "solid goes without mass, com and inertia");
    if (!make_solid(c, &d->solid, out)) return false;
  } else {
    out->mass = d->mass;
    memcpy(out->com, d->com, sizeof d->com);
    memcpy(out->inertia, d->inertia, sizeof d->inertia);
    if (!lwi_numbers(c, &out->mass, 1, "mass") || !lwi_numbers(c, out->com, 3, "com") ||
        !lwi_numbers(c, out->inertia, 6, "inertia") || !positive(c, out->mass, "mass"))
      return false;
  }
  if (c->s->planar && out->com[2] != 0)
    return lwi_compile_fail(c, LW_E_MODEL, "com: z must be 0 in a planar model");
  out->particle = true;
  for (int i = 0; i < 6; i++)
    out->particle = out->particle && out->inertia[i] == 0;
  return check_inertia(c, out);
}

/* events change nothing but where they are attached */
static bool take_bodies(lwi_compiler *c)
{
  const lw_model *before = c->before;
  lw_model *m = c->m;
  m->nbody = before->nbody;
  m->solid = c->solid = before->solid;
  m->body_index = before->body_index;
  m->body = lwi_arena_copy(c->arena, before->body, (size_t)m->nbody + 1, sizeof *m->body);
  return m->body || lwi_compile_memory(c);
}

bool lwi_compile_bodies(lwi_compiler *c)
{
  if (c->before) return take_bodies(c);
  const int n = c->s->bodies.n;
  const lwi_solid *known = c->s->solids; /* bodies do not change in events */
  lwi_solid *solid = LWI_TAKE(c->lasting, n + 1, lwi_solid);
  c->m->body = LWI_TAKE(c->arena, n + 1, lwi_body);
  c->m->body_index = lwi_store_index(c->m->lasting);
  if (!solid || !c->m->body) return lwi_compile_memory(c);
  c->m->nbody = n;
  c->m->body[0].name = "ground";
  for (int i = 1; i <= n; i++) {
    const lw_body_desc *d = &c->s->bodies.item[i - 1].d;
    lwi_compile_at(c, "body", d->name, c->s->bodies.item[i - 1].mark);
    if (known) solid[i] = known[i];
    if (!known && !compile_body(c, d, &solid[i])) return false;
    const char *name = lwi_arena_text(c->lasting, d->name);
    if (!name || lwi_name_add(c->m->body_index, name, strlen(name)) < 0)
      return lwi_compile_memory(c);
    c->m->body[i].name = name;
    c->m->body[i].mass = solid[i].mass;
  }
  c->m->solid = c->solid = solid;
  return true;
}
