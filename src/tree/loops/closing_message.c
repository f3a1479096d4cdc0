/* SPDX-License-Identifier: Apache-2.0 */
/* closing_message.c -- says which constraint keeps the loops open, and by how much. */
#include "base/fail.h"
#include "linkwork/inspect.h"
#include "tree/loops/explain.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/work.h"

static lwi_row row_of(const lw_model *m, const lwi_tree_constraint *t, int r)
{
  const lwi_equations *e = t->kind == LWI_TREE_CONSTRAINT_JOINT ? &m->joint[t->id].equations
                                                                : &m->constraint[t->id].equations;
  return (lwi_row)e->row[r];
}

static bool in_radians(const lw_model *m, const lwi_tree_constraint *t, int r)
{
  if (t->kind == LWI_TREE_CONSTRAINT_RELATION || t->dofs) return false;
  return row_of(m, t, r) >= LWI_TURN_0 && row_of(m, t, r) <= LWI_DOT;
}

/* adds the position in the file */
static lw_status place(const lwi_search *s, const char *name, lw_error *err)
{
  const lwi_mark mark = lwi_mark_of(s->m, name);
  lwi_locate_error(s->m->files, mark, err);
  return LW_E_NOT_CONVERGED;
}

/* names the constraint with the largest violation, unscaled */
lw_status lwi_search_complain(const lwi_search *s, lw_error *err)
{
  const lwi_closure *c = s->w->closure;
  const lwi_tree_constraint *worst = &s->x->constraint[0];
  double most = -1;
  bool radians = false;
  for (int i = 0; i < s->x->nconstraint; i++)
    for (int r = 0; r < s->x->constraint[i].n; r++) {
      const int row = s->x->constraint[i].row + r;
      if (!(fabs(c->rhs[row]) > most)) continue;
      most = fabs(c->rhs[row]);
      worst = &s->x->constraint[i];
      radians = in_radians(s->m, worst, r);
    }
  const bool joint = worst->kind == LWI_TREE_CONSTRAINT_JOINT || worst->dofs;
  const char *name =
      joint ? s->m->joint[worst->id].info.name : s->m->constraint[worst->id].info.name;
  double gap = 0;
  lwi_row turning = LWI_DOT;
  for (int r = 0; r < worst->n; r++)
    if (in_radians(s->m, worst, r) == radians) {
      gap = hypot(gap, c->rhs[worst->row + r] / c->scale[worst->row + r]);
      if (radians) turning = row_of(s->m, worst, r);
    }
  gap = lwi_angle_of_gap(gap, turning);
  if (worst->dofs) {
    lwi_fail(err, LW_E_NOT_CONVERGED,
             "the loops cannot be closed: joint \"%s\" is off its "
             "held coordinates by %.3g",
             name, gap);
    return place(s, name, err);
  }
  const char *what =
      joint ? "joint" : lw_constraint_type_name(s->m->constraint[worst->id].info.type);
  if (worst->kind == LWI_TREE_CONSTRAINT_RELATION)
    lwi_fail(err, LW_E_NOT_CONVERGED, "the loops cannot be closed: %s \"%s\" is off by %.3g", what,
             name, gap);
  else
    lwi_fail(err, LW_E_NOT_CONVERGED,
             "the loops cannot be closed: at %s \"%s\" a gap of %.3g %s remains", what, name, gap,
             radians ? "rad" : "m");
  return place(s, name, err);
}
