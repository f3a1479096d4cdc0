/* SPDX-License-Identifier: Apache-2.0 */
/* constraints.c -- the written constraints: frames, equations and relations of coordinates, checked. */
#include "model/compile.h"

static const char *type_name(lw_constraint_type type)
{
#define NAME(type, name) [type] = name,
  static const char *const names[LW_CONSTRAINT_TYPES] = {LW_CONSTRAINT_LIST(NAME)};
#undef NAME
  return names[type];
}

/* ---- geometric constraints ---- */

/* docs/format.md 4.6 - 4.9 and 7.2: in the plane the axes lie in it, with other defaults */
static bool constraint_axes(lwi_compiler *c, const lw_constraint_desc *d, double axis[3],
                            double axis2[3])
{
  const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const bool planar = c->s->planar;
  memcpy(axis, d->axis, sizeof d->axis);
  memcpy(axis2, d->axis2, sizeof d->axis2);
  if (!lwi_axis(c, axis, planar ? x : z, "axis") || !lwi_axis(c, axis2, planar ? y : x, "axis2"))
    return false;
  const bool flat = axis[2] == 0 && (axis2[2] == 0 || d->type != LW_PERPENDICULAR);
  if (!planar || flat || d->type == LW_DISTANCE) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s must lie in the plane of a planar model",
                          axis[2] == 0 ? "axis2" : "axis");
}

static bool compile_geometric(lwi_compiler *c, const lw_constraint_desc *d, lwi_constraint *out)
{
  double axis[3], axis2[3], length = d->length;
  if (!lwi_place(c, &d->place, "place in the parent", &out->place) ||
      !lwi_place(c, &d->child_place, "place in the child", &out->child_place) ||
      !constraint_axes(c, d, axis, axis2) || !lwi_numbers(c, &length, 1, "length"))
    return false;
  if (d->type == LW_DISTANCE && !(length > 0))
    return lwi_compile_fail(c, LW_E_MODEL, "length must be positive, not %g", length);
  out->equations = lwi_constraint_equations(d->type, c->s->planar, axis, axis2, length, 1);
  return true;
}

/* docs/format.md 4.8: the sense is that of the start; at a right angle the same sense is taken */
static void choose_sense(lwi_constraint *k, const lwi_frame *pose)
{
  const lwi_frame A = lwi_frame_mul(pose[k->info.parent.id], k->place);
  const lwi_frame B = lwi_frame_mul(pose[k->info.child.id], k->child_place);
  double a[3], b[3];
  rot_mulv(A.R, k->equations.E.c[2], a);
  rot_mulv(B.R, k->equations.b, b);
  if (dot3(a, b) < -1e-12)
    for (int i = 0; i < 3; i++)
      k->equations.b[i] = -k->equations.b[i];
}

void lwi_choose_senses(lwi_compiler *c, const lwi_frame pose[])
{
  for (int i = 1; i <= c->m->nconstraint; i++)
    if (c->m->constraint[i].info.type == LW_PARALLEL) choose_sense(&c->m->constraint[i], pose);
}

/* ---- relations ---- */

/* docs/format.md 4.5: a coordinate that is the integral of a speed */
static bool compile_term(lwi_compiler *c, lw_constraint_type type, const lw_term *d,
                         lwi_relation_term *out)
{
  const lw_joint_info *info = &c->m->joint[d->joint.id].info;
  const int dof = d->dof == 0 ? 1 : d->dof;
  if (dof < 1 || dof > info->nu)
    return lwi_compile_fail(c, LW_E_MODEL, "joint \"%s\" (%s) has %d freedoms, there is no dof %d",
                            info->name, lw_joint_type_name(info->type), info->nu, dof);
  if (!lwi_joint_has_rate_pair(info->type))
    return lwi_compile_fail(c, LW_E_MODEL, "the coordinates of joint \"%s\" (%s) take no %s",
                            info->name, lw_joint_type_name(info->type), type_name(type));
  *out = (lwi_relation_term){d->joint.id, dof - 1, d->coefficient};
  return true;
}

/* gear: -ratio, 1; driver: 1; coupler: as written, not all zero */
static bool set_coefficients(lwi_compiler *c, const lw_constraint_desc *d, lwi_relation_term *term)
{
  double ratio = d->ratio;
  if (d->type == LW_GEAR && !lwi_numbers(c, &ratio, 1, "ratio")) return false;
  if (d->type != LW_COUPLER) {
    term[0].coefficient = d->type == LW_GEAR ? -ratio : 1;
    term[d->nterm - 1].coefficient = 1;
    return true;
  }
  bool zero = true;
  for (int i = 0; i < d->nterm; i++) {
    if (!lwi_numbers(c, &term[i].coefficient, 1, "coefficient")) return false;
    zero = zero && term[i].coefficient == 0;
  }
  return !zero || lwi_compile_fail(c, LW_E_MODEL, "all coefficients are zero");
}

static bool count_terms(lwi_compiler *c, const lw_constraint_desc *d)
{
  const int least = d->type == LW_GEAR ? 2 : 1;
  const bool any = d->type == LW_COUPLER;
  if (d->nterm == least || (any && d->nterm > least)) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "a %s takes %s%d joint%s, found %d", type_name(d->type),
                          any ? "at least " : "", least, least == 1 ? "" : "s", d->nterm);
}

/* seen: [6 (njoint + 1)] the last constraint that named each coordinate */
static bool compile_terms(lwi_compiler *c, const lw_constraint_desc *d, int id, int *seen,
                          lwi_relation *out)
{
  lwi_relation_term *term = LWI_TAKE(c->arena, d->nterm, lwi_relation_term);
  if (!term) return lwi_compile_memory(c);
  for (int i = 0; i < d->nterm; i++) {
    if (!compile_term(c, d->type, &d->terms[i], &term[i])) return false;
    int *last = &seen[6 * term[i].joint + term[i].dof];
    if (*last == id)
      return lwi_compile_fail(c, LW_E_MODEL, "coordinate %d of joint \"%s\" is there twice",
                              term[i].dof + 1, c->m->joint[term[i].joint].info.name);
    *last = id;
  }
  out->term = term;
  out->nterm = d->nterm;
  return set_coefficients(c, d, term);
}

bool lwi_start_driver(lwi_compiler *c, const lwi_constraint *driver)
{
  const lw_model *m = c->m;
  const lwi_relation *r = &driver->relation;
  lwi_joint *j = &c->m->joint[r->term->joint];
  const int i = r->term->dof;
  double start[3];
  lwi_relation_target(r, m->parameter, m->nparameter, 0, m->start, start);
  const char *const what[3] = {"value", "rate", "acceleration"};
  for (int k = 0; k < 3; k++)
    if (!isfinite(start[k]))
      return lwi_compile_fail(c, LW_E_NUMBER, "value: its %s at t = %g is not finite", what[k],
                              m->start);
  j->q[i] = start[0];
  j->u[i] = start[1];
  j->has_q = j->has_u = true;
  return true;
}

static bool compile_relation(lwi_compiler *c, const lw_constraint_desc *d, int id, int *seen,
                             lwi_constraint *k)
{
  lwi_relation *out = &k->relation;
  *out = (lwi_relation){.type = d->type, .offset = d->offset};
  if (!count_terms(c, d) || !compile_terms(c, d, id, seen, out) ||
      !lwi_numbers(c, &out->offset, 1, "offset"))
    return false;
  return d->type != LW_DRIVER ||
         (lwi_time_expr(c, d->value, "value", &out->value) && lwi_start_driver(c, k));
}

/* ---- the list ---- */

bool lwi_compile_constraints(lwi_compiler *c)
{
  lw_model *m = c->m;
  const int n = c->s->constraints.n;
  m->constraint = LWI_TAKE(c->own, n + 1, lwi_constraint);
  int *seen = LWI_TAKE(&c->scratch, n ? 6 * (m->njoint + 1) : 0, int);
  if (!m->constraint || !seen) return lwi_compile_memory(c);
  for (int i = 1; i <= n; i++) {
    const lw_constraint_desc *d = &c->s->constraints.item[i - 1].d;
    lwi_constraint *k = &m->constraint[i];
    lwi_compile_at(c, "constraint", d->name, c->s->constraints.item[i - 1].mark);
    k->info = (lw_constraint_info){lwi_arena_text(c->arena, d->name), d->type, d->parent, d->child};
    if (!k->info.name) return lwi_compile_memory(c);
    if (!(lwi_constraint_is_geometric(d->type) ? compile_geometric(c, d, k)
                                               : compile_relation(c, d, i, seen, k)))
      return false;
  }
  m->nconstraint = n;
  return true;
}
