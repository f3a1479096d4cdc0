/* SPDX-License-Identifier: Apache-2.0 */
/* explain_loops.c -- names what keeps loops from closing: the constraint with the largest violation, or speeds that
   contradict each other. */
#include "tree/loops/explain.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/work.h"
#include "base/fail.h"
#include "linkwork/inspect.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool in_radians(const lw_model *m, const lwi_tree_constraint *t, int r)
{
  if (t->kind == LWI_TREE_CONSTRAINT_RELATION || t->dofs) return false;
  const lwi_equations *e = t->kind == LWI_TREE_CONSTRAINT_JOINT ? &m->joint[t->id].equations
                                                                : &m->constraint[t->id].equations;
  return e->row[r] >= LWI_TURN_0 && e->row[r] <= LWI_DOT;
}

/* adds the position in the file */
static lw_status place(const lwi_search *s, const char *name, lw_error *err)
{
  const lwi_mark mark = lwi_mark_of(s->m, name);
  lwi_locate_error(s->m->files, mark, err);
  return LW_E_NOT_CONVERGED;
}

/* of the constraint with the largest violation, unscaled */
lw_status lwi_search_explain(const lwi_search *s, lw_error *err)
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
  for (int r = 0; r < worst->n; r++)
    if (in_radians(s->m, worst, r) == radians)
      gap = hypot(gap, c->rhs[worst->row + r] / c->scale[worst->row + r]);
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

lw_status lwi_search_explain_speeds(const lwi_search *s, double left, lw_error *err)
{
  const lw_model *m = s->m;
  char names[200] = "";
  const char *first = NULL;
  for (int i = 1; i <= m->njoint + m->nconstraint; i++) {
    const bool joint = i <= m->njoint;
    const int c = i - m->njoint;
    if (joint ? !m->joint[i].hold : m->constraint[c].relation.type != LW_DRIVER) continue;
    if (!joint && m->constraint[c].pair >= 0) continue;
    const char *name = joint ? m->joint[i].info.name : m->constraint[c].info.name;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s \"%.60s\"", first ? ", " : "",
             joint ? "joint" : "driver", name);
    if (!first) first = name;
  }
  lwi_fail(err, LW_E_NOT_CONVERGED,
           "the speeds that are held or driven contradict the loops, by %.3g m/s: those of %s",
           left, first ? names : "the drivers");
  return place(s, first ? first : "", err);
}
