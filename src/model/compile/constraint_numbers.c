/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_numbers.c -- the numbers of written constraints: frames, equations, relations of
   coordinates. */
#include "model/compile/constants.h"

static const lw_constraint_desc *desc_of(const lwi_compiler *c, int id)
{
  return &c->s->constraints.item[id - 1].d;
}

/* ---- geometric constraints ---- */

/* docs/format.md 4.6 - 4.9 and 7.2: in the plane the axes lie in it, with other defaults */
static bool constraint_axes(lwi_compiler *c, const lw_constraint_desc *d, num axis[3], num axis2[3])
{
  const num x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  const bool planar = c->s->planar;
  if (!lwi_axis(c, d->axis, planar ? x : z, "axis", axis) ||
      !lwi_axis(c, d->axis2, planar ? y : x, "axis2", axis2))
    return false;
  const bool flat =
      value_of(axis[2]) == 0 && (value_of(axis2[2]) == 0 || d->type != LW_PERPENDICULAR);
  if (!planar || flat || d->type == LW_DISTANCE || d->type == LW_ROPE) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s must lie in the plane of a planar model",
                          value_of(axis[2]) == 0 ? "axis2" : "axis");
}

bool lwi_geometric_numbers(lwi_compiler *c, int id)
{
  const lw_constraint_desc *d = desc_of(c, id);
  lwi_constraint *out = &c->out->constraint[id];
  num_frame place, child_place;
  num axis[3], axis2[3], length;
  if (!lwi_place(c, &d->place, "place in the parent", &place) ||
      !lwi_place(c, &d->child_place, "place in the child", &child_place) ||
      !constraint_axes(c, d, axis, axis2) || !lwi_read(c, &d->length, 1, "length", &length))
    return false;
  if ((d->type == LW_DISTANCE || d->type == LW_ROPE) && !(value_of(length) > 0))
    return lwi_compile_fail(c, LW_E_MODEL, "length must be positive, not %g", value_of(length));
  if (d->type == LW_TOUCH || d->type == LW_ROLL || d->type == LW_ROLL_ON_SPHERE)
    for (int i = 0; i < 3; i++)
      if (d->axis2[0] == 0 && d->axis2[1] == 0 && d->axis2[2] == 0) axis2[i] = 0; /* a sphere */
  const num_equations e = lwi_constraint_equations(d->type, c->s->planar, axis, axis2, length, 1);
  lwi_keep_frame(&place, &out->place);
  lwi_keep_frame(&child_place, &out->child_place);
  lwi_keep_equations(&e, &out->equations);
  return true;
}

/* docs/format.md 4.8: the sense is that of the start; at a right angle, the same sense */
static void choose_sense(lwi_compiler *c, int id, const num_frame pose[])
{
  const lwi_constraint *k = &c->m->constraint[id];
  double *kept = c->out->constraint[id].equations.b;
  num axis[3], a[3], b[3];
  lwi_get(k->equations.E.c[2], NULL, 3, axis);
  rot_mulv(lwi_get_frame(&k->place, NULL).R, axis, a);
  rot_mulv(pose[k->info.parent.id].R, a, a);
  rot_mulv(lwi_get_frame(&k->child_place, NULL).R, axis, b);
  rot_mulv(pose[k->info.child.id].R, b, b);
  if (value_of(dot3(a, b)) < -1e-12)
    for (int i = 0; i < 3; i++)
      kept[i] = -kept[i];
}

void lwi_choose_senses(lwi_compiler *c, const num_frame pose[])
{
  for (int i = 1; i <= c->m->nconstraint; i++)
    if (c->m->constraint[i].info.type == LW_PARALLEL) choose_sense(c, i, pose);
}

/* ---- relations ---- */

/* gear: -ratio, 1; driver: 1; coupler: as written, not all zero */
static bool read_coefficients(lwi_compiler *c, const lw_constraint_desc *d, lwi_relation *out)
{
  num ratio = 0, x, higher[3] = {0};
  bool zero = true;
  if (d->type == LW_GEAR && !lwi_read(c, &d->ratio, 1, "ratio", &ratio)) return false;
  for (int i = 0; i < d->nterm; i++) {
    x = d->type == LW_GEAR && i == 0 ? -ratio : 1;
    if (d->type == LW_COUPLER && (!lwi_read(c, &d->terms[i].coefficient, 1, "coefficient", &x) ||
                                  !lwi_read(c, d->terms[i].higher, 3, "coefficient", higher)))
      return false;
    zero = zero && value_of(x) == 0;
    for (int k = 0; k < 3; k++)
      zero = zero && value_of(higher[k]) == 0;
    out->term[i].coefficient = kept_of(x);
    lwi_keep(higher, 3, out->term[i].higher);
  }
  return !zero || lwi_compile_fail(c, LW_E_MODEL, "all coefficients are zero");
}

bool lwi_relation_numbers(lwi_compiler *c, int id)
{
  const lw_constraint_desc *d = desc_of(c, id);
  lwi_relation *out = &c->out->constraint[id].relation;
  num offset;
  if (!read_coefficients(c, d, out) || !lwi_read(c, &d->offset, 1, "offset", &offset)) return false;
  out->offset = kept_of(offset);
  return true;
}

/* The value of a driver (k = 0), its rate or acceleration at the start. */
static bool fail_driver(lwi_compiler *c, const lwi_expr *value, int k)
{
  static const char *const what[] = {"value", "rate", "acceleration"};
  const lw_model *m = c->m;
  const char *why = "it is not finite";
  size_t column = 0;
  lwi_fault_text text;
  double *slots = LWI_TAKE(&c->scratch, m->nparameter + 1, double);
  if (!slots) return lwi_compile_memory(c);
  if (m->nparameter) memcpy(slots, m->parameter, (size_t)m->nparameter * sizeof *slots);
  slots[m->nparameter] = m->start;
  if (lwi_expr_find_fault(value, slots, &column, &why, &text))
    c->mark = lwi_expr_mark(value, column, c->mark);
  return lwi_compile_fail(c, LW_E_NUMBER, "value: its %s at t = %g is not finite: %s", what[k],
                          m->start, why);
}

bool lwi_start_driver(lwi_compiler *c, int id)
{
  const lw_model *m = c->m;
  const lwi_relation *r = &m->constraint[id].relation;
  double start[3], derivative[3] = {0};
  lwi_relation_target(r, m->parameter, m->nparameter, 0, m->start, start);
  for (int k = 0; k < 3; k++)
    if (!isfinite(start[k])) return fail_driver(c, &r->value, k);
#if LW_DERIVATIVE
  lwi_expr_taylor2_derivative(&r->value, m->parameter, c->along, m->nparameter, m->start,
                              derivative);
#endif
  lwi_joint *j = &c->out->joint[r->term->joint];
  j->q[r->term->dof] = kept_of(num_of(start[0], derivative[0]));
  j->u[r->term->dof] = kept_of(num_of(start[1], derivative[1]));
  return true;
}
