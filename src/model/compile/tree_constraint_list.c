/* SPDX-License-Identifier: Apache-2.0 */
/* tree_constraint_list.c -- what the spanning tree does not satisfy by itself, one after the other:
   cut joints, their locked and held freedoms, geometric constraints and relations, as pairs of
   frames and terms of coordinates (model/tree_constraints.h). */
#include "model/compile/compile.h"

#include <string.h>

/* ---- pairs of frames ---- */

static int add_pair(lw_model *m, lw_body parent, lw_body child)
{
  m->pair[m->npair] = (lwi_pair){.link = {m->body[parent.id].link, m->body[child.id].link}};
  return m->npair++;
}

bool lwi_list_pairs(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->pair = LWI_TAKE(c->tree_constraints, m->ncut + m->nconstraint, lwi_pair);
  if (!m->pair) return lwi_compile_memory(c);
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    if (j->info.cut) j->pair = add_pair(m, j->info.parent, j->info.child);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    lwi_constraint *k = &m->constraint[i];
    k->pair = k->equations.n == 0 ? -1 : add_pair(m, k->info.parent, k->info.child);
  }
  return true;
}

/* ---- list of constraints ---- */

static void add_pair_use(lwi_tree_constraints *x, lwi_tree_constraint *t, int pair, int joint,
                         int dof)
{
  x->pair[t->pair + t->npair++] =
      (lwi_constrained_pair){.pair = pair, .joint = joint, .dof = dof, .coefficient = 1};
}

static lwi_tree_constraint *add_constraint(lwi_tree_constraints *x, lwi_tree_constraint_kind kind,
                                           int id, int n)
{
  const lwi_tree_constraint *last = x->nconstraint ? &x->constraint[x->nconstraint - 1] : NULL;
  lwi_tree_constraint *t = &x->constraint[x->nconstraint++];
  *t = (lwi_tree_constraint){.kind = kind, .id = id, .n = n};
  t->pair = last ? last->pair + last->npair : 0;
  t->term = last ? last->term + last->nterm : 0;
  return t;
}

/* rows of freedoms of a cut joint */
static void add_freedoms(lwi_tree_constraints *x, const lwi_joint *j, lwi_tree_constraint_kind kind,
                         int id, unsigned dofs)
{
  if (dofs == 0) return;
  lwi_tree_constraint *t = add_constraint(x, kind, id, lwi_count_locked(dofs));
  t->dofs = dofs;
  add_pair_use(x, t, j->pair, id, 0);
}

static void add_relation(const lw_model *m, lwi_tree_constraints *x, int id)
{
  const lwi_relation *r = &m->constraint[id].relation;
  lwi_tree_constraint *t = add_constraint(x, LWI_TREE_CONSTRAINT_RELATION, id, 1);
  for (int i = 0; i < r->nterm; i++) {
    const lwi_relation_term *k = &r->term[i];
    const lwi_joint *j = &m->joint[k->joint];
    if (j->info.cut)
      add_pair_use(x, t, j->pair, k->joint, k->dof);
    else
      x->term[t->term + t->nterm++] =
          (lwi_constrained_term){.q = j->info.q + k->dof,
                                 .u = j->info.u + k->dof,
                                 .column = m->link[j->link].column + k->dof,
                                 .link = j->link};
  }
}

void lwi_keep_coefficients(const lw_model *m, const lw_model *from, const lwi_tree_constraints *x,
                           lwi_tree_constraints *out)
{
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    if (t->kind != LWI_TREE_CONSTRAINT_RELATION) continue;
    const lwi_relation *r = &m->constraint[t->id].relation;
    const lwi_relation_term *term = from->constraint[t->id].relation.term;
    int pair = t->pair, plain = t->term;
    for (int k = 0; k < r->nterm; k++)
      if (m->joint[r->term[k].joint].info.cut) {
        memcpy(out->pair[pair].higher, term[k].higher, sizeof term[k].higher);
        out->pair[pair++].coefficient = term[k].coefficient;
      } else {
        memcpy(out->term[plain].higher, term[k].higher, sizeof term[k].higher);
        out->term[plain++].coefficient = term[k].coefficient;
      }
  }
}

static bool take_lists(lwi_compiler *c, lwi_tree_constraints *x)
{
  const lw_model *m = c->m;
  int most = 3 * m->ncut + m->nconstraint;
  for (int i = 1; i <= m->nconstraint; i++)
    most += m->constraint[i].relation.nterm;
  x->constraint = LWI_TAKE(c->tree_constraints, most, lwi_tree_constraint);
  x->pair = LWI_TAKE(c->tree_constraints, most, lwi_constrained_pair);
  x->term = LWI_TAKE(c->tree_constraints, most, lwi_constrained_term);
  return (x->constraint && x->pair && x->term) || lwi_compile_memory(c);
}

bool lwi_list_tree_constraints(lwi_compiler *c, lwi_tree_constraints *x, bool holding)
{
  const lw_model *m = c->m;
  if (!take_lists(c, x)) return false;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    if (j->equations.n > 0)
      add_pair_use(x, add_constraint(x, LWI_TREE_CONSTRAINT_JOINT, i, j->equations.n), j->pair, i,
                   0);
    add_freedoms(x, j, LWI_TREE_CONSTRAINT_LOCK, i, j->locked);
    if (holding && j->hold) add_freedoms(x, j, LWI_TREE_CONSTRAINT_HOLD, i, (1u << j->info.nu) - 1);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    if (k->pair >= 0)
      add_pair_use(x, add_constraint(x, LWI_TREE_CONSTRAINT_GEOMETRIC, i, k->equations.n), k->pair,
                   0, 0);
    else
      add_relation(m, x, i);
  }
  lwi_keep_coefficients(m, m, x, x);
  return true;
}
