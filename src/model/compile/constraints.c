/* SPDX-License-Identifier: Apache-2.0 */
/* constraints.c -- compiles the list of written constraints; constraint_numbers.c has their
   numbers. */
#include "model/compile/constants.h"
#include "linkwork/reader.h"

static const char *type_name(lw_constraint_type type)
{
#define NAME(type, name) [type] = name,
  static const char *const names[LW_CONSTRAINT_TYPES] = {LW_CONSTRAINT_LIST(NAME)};
#undef NAME
  return names[type];
}

/* ---- relations ---- */

/* docs/format.md 4.5: a coordinate that is the integral of a speed */
static bool compile_term(lwi_compiler *c, lw_constraint_type type, const lw_term *d,
                         lwi_relation_term *out)
{
  const lw_joint_info *info = &c->m->joint[d->joint.id].info;
  const int dof = d->dof == 0 ? 1 : d->dof;
  if (dof < 1 || dof > info->nu)
    return lwi_compile_fail(c, LW_E_MODEL, "joint \"%s\" (%s) has %d freedom%s, there is no dof %d",
                            info->name, lw_joint_type_name(info->type), info->nu,
                            info->nu == 1 ? "" : "s", dof);
  if (!lwi_joint_has_rate_pair(info->type))
    return lwi_compile_fail(c, LW_E_MODEL, "the coordinates of joint \"%s\" (%s) take no %s",
                            info->name, lw_joint_type_name(info->type), type_name(type));
  *out = (lwi_relation_term){.joint = d->joint.id, .dof = dof - 1};
  return true;
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
      return lwi_compile_fail(c, LW_E_MODEL, "coordinate %d of joint \"%s\" appears twice",
                              term[i].dof + 1, c->m->joint[term[i].joint].info.name);
    *last = id;
    for (int k = 0; k < 3 && d->type == LW_COUPLER; k++)
      c->m->has_curves = c->m->has_curves || d->terms[i].higher[k] != 0;
  }
  out->term = term;
  out->nterm = d->nterm;
  return true;
}

static bool compile_relation(lwi_compiler *c, const lw_constraint_desc *d, int id, int *seen,
                             lwi_relation *out)
{
  const int least = d->type == LW_GEAR ? 2 : 1;
  const bool any = d->type == LW_COUPLER;
  *out = (lwi_relation){.type = d->type};
  if (any ? d->nterm < least : d->nterm != least)
    return lwi_compile_fail(c, LW_E_MODEL, "a %s takes %s%d joint%s, found %d", type_name(d->type),
                            any ? "at least " : "", least, least == 1 ? "" : "s", d->nterm);
  if (!compile_terms(c, d, id, seen, out) || !lwi_relation_numbers(c, id)) return false;
  if (d->type != LW_DRIVER) return true;
  /* docs/format.md 4.4: the value and its rate at the start replace the joint's written q and u */
  if (!lwi_time_expr(c, d->value, "value", &out->value) || !lwi_start_driver(c, id)) return false;
  lwi_joint *j = &c->m->joint[out->term->joint];
  j->has_q = j->has_u = true;
  return true;
}

/* ---- the list ---- */

/* for messages */
static bool keep_text(lwi_compiler *c, const lw_constraint_desc *d, const char **text)
{
  const int e = d->type == LW_DRIVER ? lwi_expr_index(d->value) : -1;
  if (e < 0 || e >= c->s->nexpr) return true;
  return (*text = lwi_arena_text(c->arena, c->s->expr[e].text)) != NULL;
}

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
    k->mark = c->s->constraints.item[i - 1].mark;
    if (!k->info.name || !keep_text(c, d, &k->text)) return lwi_compile_memory(c);
    if (!(lwi_constraint_is_geometric(d->type) ? lwi_geometric_numbers(c, i)
                                               : compile_relation(c, d, i, seen, &k->relation)))
      return false;
  }
  m->nconstraint = n;
  return true;
}
