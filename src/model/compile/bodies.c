/* SPDX-License-Identifier: Apache-2.0 */
/* bodies.c -- compiles the list of bodies and rejects impossible inertias. */
#include "model/compile/constants.h"

/* principal moments by Jacobi rotations, until what is off the diagonal moves none of them by a rounding error
   of its own: three to five sweeps */
static void principal_moments(const double I[6], double out[3])
{
  double a[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  bool rotated = true;
  for (int sweep = 0; sweep < 30 && rotated; sweep++) {
    rotated = false;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (fabs(a[p][q]) <= 0x1p-60 * sqrt(fabs(a[p][p]) * fabs(a[q][q]))) continue;
        rotated = true;
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
  }
  for (int i = 0; i < 3; i++)
    out[i] = a[i][i];
}

/* No rigid body has a negative principal moment, nor one larger than the sum of the other two.  The
   published data of real machines break the second rule by some ten percent (docs/decisions/003),
   so only a gross violation is rejected. */
static bool check_inertia(lwi_compiler *c, lwi_solid *b, bool any)
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
  for (int i = 0; i < 3 && !any; i++) {
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
  if (!lwi_solid_of(c, d, out)) return false;
  out->particle = true;
  for (int i = 0; i < 6; i++)
    out->particle = out->particle && out->inertia[i] == 0;
  return check_inertia(c, out, d->any_inertia);
}

/* events change only what bodies are attached to */
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
  const lwi_solid *known = c->phase->solids; /* bodies do not change in events */
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
