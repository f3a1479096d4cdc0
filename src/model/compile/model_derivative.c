/* SPDX-License-Identifier: Apache-2.0 */
/* model_derivative.c -- derivatives of the numbers of a model by a parameter.  The steps of
   compile.c again, with numbers that carry a derivative (LW_DERIVATIVE, math/num.h), for a model
   whose structure is known. */
#include "model/compile/model_derivative.h"
#include "model/compile/constants.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory, with as much structure as numbers need ---- */

static bool copy_constraints(lwi_arena *arena, const lwi_tree_constraints *x,
                             lwi_tree_constraints *out)
{
  int npair = 0, nterm = 0;
  *out = (lwi_tree_constraints){.local = x->local, .nconstraint = x->nconstraint, .nrow = x->nrow};
  for (int i = 0; i < x->nconstraint; i++)
    npair += x->constraint[i].npair, nterm += x->constraint[i].nterm;
  out->constraint = LWI_TAKE(arena, x->nconstraint, lwi_tree_constraint);
  out->pair = LWI_TAKE(arena, npair, lwi_constrained_pair);
  out->term = LWI_TAKE(arena, nterm, lwi_constrained_term);
  if (!out->constraint || !out->pair || !out->term) return false;
  if (x->nconstraint)
    memcpy(out->constraint, x->constraint, (size_t)x->nconstraint * sizeof *out->constraint);
  return true;
}

static bool take_terms(const lw_model *m, lw_model *out)
{
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_relation *r = &m->constraint[i].relation;
    out->constraint[i].relation.nterm = r->nterm;
    out->constraint[i].relation.term = LWI_TAKE(&out->arena, r->nterm, lwi_relation_term);
    if (!out->constraint[i].relation.term) return false;
  }
  return true;
}

static void copy_counts(const lw_model *m, lw_model *out)
{
  out->planar = m->planar;
  out->nlink = m->nlink;
  out->nq = m->nq;
  out->nstate = m->nstate;
  out->nu = m->nu;
  out->nmiddle = m->nmiddle;
  out->nbody = m->nbody;
  out->npoint = m->npoint;
  out->njoint = m->njoint;
  out->nconstraint = m->nconstraint;
  out->npair = m->npair;
#define COUNT(item, ...) out->n##item = m->n##item;
  LWI_FORCE_LIST(COUNT)
#undef COUNT
  out->nparameter = m->nparameter;
  out->nevent = m->nevent;
}

static bool allocate(const lw_model *m, lw_model *out)
{
  lwi_arena *a = &out->arena;
  copy_counts(m, out);
  out->link = LWI_TAKE(a, m->nlink, lwi_link);
  out->middle = LWI_TAKE(a, m->nmiddle, rot3);
  out->body = LWI_TAKE(a, m->nbody + 1, lwi_body);
  out->point = LWI_TAKE(a, m->npoint, lwi_body);
  out->joint = LWI_TAKE(a, m->njoint + 1, lwi_joint);
  out->constraint = LWI_TAKE(a, m->nconstraint + 1, lwi_constraint);
  out->pair = LWI_TAKE(a, m->npair, lwi_pair);
#define TAKE(item, ...) out->item = LWI_TAKE(a, m->n##item, lwi_##item);
#define TAKEN(item, ...) &&out->item
  LWI_FORCE_LIST(TAKE)
  out->parameter = LWI_TAKE(a, m->nparameter, double);
  out->event = LWI_TAKE(a, m->nevent, lwi_event);
  out->state = LWI_TAKE(a, m->nstate, lwi_model_state);
  return out->link && out->middle && out->body && out->point && out->joint && out->constraint &&
         out->pair && out->parameter && out->event && out->state LWI_FORCE_LIST(TAKEN) &&
         take_terms(m, out) && copy_constraints(a, &m->tree_constraints, &out->tree_constraints) &&
         copy_constraints(a, &m->assembly, &out->assembly);
}

/* ---- the steps ---- */

static bool no_derivative(lwi_compiler *c, const lwi_parameters *table, int bad)
{
  const lwi_expr *e = &table->item[bad].value.expr;
  size_t column = 0;
  const char *what = "there is no derivative";
  lwi_fault_text text;
  lwi_expr_find_slope_fault(e, c->parameter, c->along, &column, &what, &text);
  if (bad < c->s->nparameter_mark) c->mark = c->s->parameter_mark[bad];
  return lwi_compile_fail(c, LW_E_NUMBER, "parameter \"%.64s\": %s", c->m->parameter_name[bad],
                          what);
}

/* derivatives of parameters by each other, regardless of their limits */
static bool change_parameters(lwi_compiler *c, int index)
{
  lwi_parameters table;
  if (!lwi_compile_parameter_table(c, &table)) return false;
  const bool ok = lwi_parameters_order(&table, NULL) == LWI_PARAMETERS_OK;
  const int bad =
      ok ? lwi_parameters_derivatives(&table, c->parameter, 1, &index, c->out->parameter) : -1;
  free(table.order);
  c->along = c->out->parameter;
  return ok ? bad < 0 || no_derivative(c, &table, bad) : lwi_compile_memory(c);
}

/* parts that do not depend on the parameter are skipped: their derivatives are zero */
typedef struct {
  lwi_compiler c;
  bool *body, *joint; /* [nbody + 1], [njoint + 1] does any of its numbers depend on it? */
} changer;

#define GO_TO(c, part, item) lwi_compile_at(c, part, (item)->d.name, (item)->mark)

static bool change_bodies(changer *x)
{
  lwi_compiler *c = &x->c;
  const int n = c->s->bodies.n;
  num_solid *solid = LWI_TAKE(&c->scratch, n + 1, num_solid);
  x->body = LWI_TAKE(&c->scratch, n + 1, bool);
  c->solid = solid;
  if (!solid || !x->body) return lwi_compile_memory(c);
  for (int i = 1; i <= n; i++) {
    const int before = c->nmoving;
    GO_TO(c, "body", &c->s->bodies.item[i - 1]);
    if (!lwi_solid_of(c, &c->s->bodies.item[i - 1].d, &solid[i])) return false;
    c->out->body[i].mass = kept_of(solid[i].mass);
    x->body[i] = c->nmoving > before;
  }
  return true;
}

/* written joints, and then implicit ones */
static bool change_joint(lwi_compiler *c, int i)
{
  if (i <= c->s->joints.n) {
    GO_TO(c, "joint", &c->s->joints.item[i - 1]);
    c->joint_values[i].kept = c->phase->joint[i - 1].kept;
    return lwi_joint_values_of(c, &c->s->joints.item[i - 1].d, &c->joint_values[i]) &&
           lwi_joint_numbers(c, i);
  }
  const int body = c->m->joint[i].info.child.id;
  GO_TO(c, "body", &c->s->bodies.item[body - 1]);
  return lwi_float_joint_values(c, body, &c->joint_values[i]) && lwi_free_numbers(c, i);
}

static bool change_joints(changer *x)
{
  lwi_compiler *c = &x->c;
  c->njoint = c->m->njoint;
  c->joint_values = LWI_TAKE(&c->scratch, c->njoint + 1, lwi_joint_values);
  x->joint = LWI_TAKE(&c->scratch, c->njoint + 1, bool);
  if (!c->joint_values || !x->joint) return lwi_compile_memory(c);
  for (int i = 1; i <= c->njoint; i++) {
    const int before = c->nmoving;
    if (!change_joint(c, i)) return false;
    x->joint[i] = c->nmoving > before;
    lwi_keep(c->joint_values[i].q, 7, c->out->joint[i].q);
    lwi_keep(c->joint_values[i].u, 6, c->out->joint[i].u);
  }
  return true;
}

/* A link's numbers are those of its body and of the joints on both sides. */
static bool change_links(changer *x)
{
  lwi_compiler *c = &x->c;
  const lw_model *m = c->m;
  for (int i = 1; i < m->nlink; i++) {
    const lwi_joint *j = &m->joint[m->link[i].joint];
    const int body = j->reversed ? j->info.parent.id : j->info.child.id;
    const int inward = m->link[m->link[i].parent].joint; /* 0 of the ground */
    if (x->body[body] || x->joint[m->link[i].joint] || x->joint[inward])
      lwi_link_numbers(c, m->link[i].joint);
  }
  return true;
}

static bool change_constraints(lwi_compiler *c)
{
  for (int i = 1; i <= c->m->nconstraint; i++) {
    const lw_constraint_type type = c->s->constraints.item[i - 1].d.type;
    GO_TO(c, "constraint", &c->s->constraints.item[i - 1]);
    if (!(lwi_constraint_is_geometric(type) ? lwi_geometric_numbers(c, i)
                                            : lwi_relation_numbers(c, i)))
      return false;
    if (type == LW_DRIVER && !lwi_start_driver(c, i)) return false;
  }
  return true;
}

#define CHANGE_LIST(record, items, ...)                                                            \
  for (int i = 0; i < c->s->items.n; i++) {                                                        \
    GO_TO(c, "force", &c->s->items.item[i]);                                                       \
    if (!LWI_FORCE_NUMBERS(record)(c, i)) return false;                                            \
  }

/* points, forces and events */
static bool change_elements(lwi_compiler *c)
{
  for (int i = 0; i < c->m->npoint; i++) {
    GO_TO(c, "point", &c->s->points.item[i]);
    if (!lwi_point_numbers(c, i)) return false;
  }
  LWI_FORCE_LIST(CHANGE_LIST)
  for (int i = 0; i < c->m->nevent; i++) {
    GO_TO(c, "event", &c->s->events.item[i]);
    lwi_event *out = &c->out->event[i];
    out->d.action = c->m->event[i].d.action;
    out->d.has_when = c->m->event[i].d.has_when;
    if (!lwi_event_numbers(c, &c->s->events.item[i].d, out)) return false;
  }
  return true;
}

/* of states: what bearings measure, those of the joint whose load it is */
static bool change_bearings(lwi_compiler *c)
{
  for (int i = 0; i < c->m->nstate; i++) {
    num size[3];
    const char *joint = c->m->state[i].bearing;
    for (int k = 0; joint && k < c->s->joints.n; k++) {
      const lw_joint_desc *d = &c->s->joints.item[k].d;
      if (strcmp(d->name, joint) != 0) continue;
      const lw_friction *f = &d->friction[0];
      const double written[3] = {d->type == LW_PRISMATIC ? 1 : f->radius, f->length,
                                 f->thrust_radius};
      GO_TO(c, "joint", &c->s->joints.item[k]);
      if (!lwi_read(c, written, 3, "friction", size)) return false;
      lwi_keep(size, 3, c->out->state[i].size);
    }
  }
  return true;
}

/* In the order of compile.c. */
static bool change_all(changer *x, int index)
{
  lwi_compiler *c = &x->c;
  num end;
  if (!change_parameters(c, index)) return false;
  lwi_compile_at(c, NULL, NULL, (lwi_mark){0}); /* tolerances and steps have no derivative */
  if (!lwi_gravity_numbers(c) || !lwi_read(c, &c->s->simulation.end, 1, "end", &end)) return false;
  c->out->simulation.end = kept_of(end);
  if (!change_bodies(x) || !change_joints(x) || !change_links(x) || !change_constraints(c) ||
      !lwi_compile_start(c))
    return false;
  lwi_pair_numbers(c);
  lwi_keep_coefficients(c->m, c->out, &c->m->tree_constraints, &c->out->tree_constraints);
  lwi_keep_coefficients(c->m, c->out, &c->m->assembly, &c->out->assembly);
  return change_elements(c) && change_bearings(c);
}

static lw_model *change_active(const lwi_phase *p, const lw_model *m, int index, lw_error *err)
{
  lw_model known = *m; /* nothing is written into it */
  lw_model *out = calloc(1, sizeof *out);
  if (!out) return lwi_out_of_memory(err, NULL), NULL;
  changer x = {.c = {.s = p->spec,
                     .phase = p,
                     .m = &known,
                     .out = out,
                     .err = err,
                     .arena = &out->arena,
                     .own = &out->arena,
                     .parameter = m->parameter}};
  const bool ok = allocate(m, out) ? change_all(&x, index) : lwi_compile_memory(&x.c);
  lwi_arena_free(&x.c.scratch);
  if (ok) return out;
  lw_model_free(out);
  return NULL;
}

lw_model *lwi_phase_model_derivative(const lwi_phase *p, const lw_model *m, int index,
                                     lw_error *err)
{
  if (!lwi_phase_is_partial(p)) return change_active(p, m, index, err);
  lwi_active_phase active;
  lw_model *derivative = NULL;
  if (lwi_active_phase_init(&active, p))
    derivative = change_active(&active.phase, m, index, err);
  else
    lwi_out_of_memory(err, NULL);
  lwi_active_phase_free(&active);
  return derivative;
}

lw_model *lwi_model_derivative(const lw_spec *s, const lw_model *m, int index, lw_error *err)
{
  lwi_phase first;
  lw_model *derivative = NULL;
  if (lwi_phase_init(&first, s))
    derivative = lwi_phase_model_derivative(&first, m, index, err);
  else
    lwi_out_of_memory(err, NULL);
  lwi_phase_close(&first);
  return derivative;
}
