/* SPDX-License-Identifier: Apache-2.0 */
/* active_phase.c -- what of a phase is there at the moment.  Events make joints and constraints
   come and go; forces and relations that name what is not there are inactive (docs/format.md 6.7).
   Merged bodies are held together by the joints among them, locked, and by fixed joints where there
   are none. */
#include "model/joint/joint.h"
#include "model/spec/spec_phase.h"
#include "graph/union_find.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lwi_phase *p;
  const lw_spec *s;
  lwi_phase *active;
  lw_spec *out;
  int *joint; /* [joints + 1] its new id, 0: absent */
} filter;

bool lwi_phase_is_partial(const lwi_phase *p)
{
  for (int i = 0; i < p->njoint; i++)
    if (p->joint[i].absent || p->joint[i].changed) return true;
  for (int i = 0; i < p->nconstraint; i++)
    if (p->constraint[i].absent || p->constraint[i].sliding) return true;
  for (int i = 0; i < p->nmerge; i++)
    if (p->merge[i].bodies) return true;
  for (int i = 0; i < p->spec->loads.n; i++)
    if (p->spec->loads.item[i].role.friction) return true; /* acts while it slides */
  return false;
}

/* ---- who names what is absent ---- */

/* coordinate i (from 1) of a joint that is there */
static bool has_freedom(const filter *f, int joint, int i)
{
  if (f->joint[joint] == 0) return false;
  const lw_joint_desc *d = &f->s->joints.item[joint - 1].d;
  return !f->p->joint[joint - 1].changed || i <= lw_joint_type_nu(d->type, f->s->planar);
}

/* `q.J`, `u.J.2`: may the name be used in an expression?  Names that are not of a joint are not
   checked here. */
static bool is_active(const filter *f, const char *name)
{
  if ((name[0] != 'q' && name[0] != 'u') || name[1] != '.') return true;
  int index;
  const int at = lwi_name_find_indexed(&f->s->joint_names, name + 2, &index);
  const int joint = at < 0 ? 0 : f->s->joint_of_name[at];
  if (joint == 0) return true;
  if (f->joint[joint] == 0) return false;
  if (!f->p->joint[joint - 1].changed) return true;
  const lw_joint_type type = f->s->joints.item[joint - 1].d.type;
  const int n =
      name[0] == 'q' ? lw_joint_type_nq(type, f->s->planar) : lw_joint_type_nu(type, f->s->planar);
  return index ? n > 1 && index <= n : n == 1;
}

static bool knows(const filter *f, double number)
{
  const int e = lwi_expr_index(number);
  if (e < 0 || e >= f->s->nexpr) return true;
  const lwi_expr *x = &f->s->expr[e].expr;
  for (int i = 0; i < x->nname; i++)
    if (!is_active(f, x->name[i].text)) return false;
  return true;
}

static bool spring_acts(const filter *f, const lw_joint_spring_desc *d)
{
  const lw_joint_type type = f->s->joints.item[d->joint.id - 1].d.type;
  const bool fits = !f->p->joint[d->joint.id - 1].changed ||
                    lwi_joint_traits_of(type).speeds == LWI_SPEEDS_ARE_RATES;
  return fits && has_freedom(f, d->joint.id, d->dof ? d->dof : 1);
}

static bool motor_acts(const filter *f, const lw_motor_desc *d)
{
  return has_freedom(f, d->joint.id, d->dof ? d->dof : 1) && knows(f, d->value);
}

/* Friction acts in the direction against which the joint slides. */
static bool slides(const filter *f, int friction)
{
  if (friction == 0) return true;
  return f->p->constraint[abs(friction) - 1].sliding == (friction > 0 ? 1 : -1);
}

static bool load_acts(const filter *f, const lw_load_desc *d)
{
  for (int i = 0; i < 3; i++)
    if (!knows(f, d->force[i]) || !knows(f, d->torque[i])) return false;
  return true;
}

static bool constraint_acts(const filter *f, const lw_constraint_desc *d)
{
  for (int i = 0; i < d->nterm; i++)
    if (!has_freedom(f, d->terms[i].joint.id, d->terms[i].dof ? d->terms[i].dof : 1)) return false;
  return true;
}

/* ---- the lists ---- */

/* Copies the elements for which `keep` holds; `at` is the index. */
#define FILTER(f, list, keep)                                                                      \
  do {                                                                                             \
    const lw_spec *s_ = (f)->s;                                                                    \
    (f)->out->list.item = malloc(((size_t)s_->list.n + 1) * sizeof *s_->list.item);                \
    (f)->out->list.n = 0;                                                                          \
    (f)->out->list.capacity = s_->list.n + 1;                                                      \
    if (!(f)->out->list.item) return false;                                                        \
    for (int at = 0; at < s_->list.n; at++)                                                        \
      if (keep) (f)->out->list.item[(f)->out->list.n++] = s_->list.item[at];                       \
  } while (0)

static bool filter_forces(const filter *f)
{
  lw_spec *out = f->out;
  FILTER(f, joint_springs, spring_acts(f, &s_->joint_springs.item[at].d));
  FILTER(f, motors,
         motor_acts(f, &s_->motors.item[at].d) && slides(f, s_->motors.item[at].role.friction));
  FILTER(f, loads,
         load_acts(f, &s_->loads.item[at].d) && slides(f, s_->loads.item[at].role.friction));
  for (int i = 0; i < out->joint_springs.n; i++)
    out->joint_springs.item[i].d.joint.id = f->joint[out->joint_springs.item[i].d.joint.id];
  for (int i = 0; i < out->motors.n; i++)
    out->motors.item[i].d.joint.id = f->joint[out->motors.item[i].d.joint.id];
  return true;
}

static bool filter_constraints(const filter *f)
{
  lw_spec *out = f->out;
  FILTER(f, constraints,
         !f->p->constraint[at].absent && constraint_acts(f, &s_->constraints.item[at].d));
  for (int i = 0; i < out->constraints.n; i++) {
    lw_constraint_desc *d = &out->constraints.item[i].d;
    lw_term *terms = LWI_TAKE(&out->arena, d->nterm, lw_term);
    if (!terms) return false;
    for (int k = 0; k < d->nterm; k++) {
      terms[k] = d->terms[k];
      terms[k].joint.id = f->joint[terms[k].joint.id];
    }
    d->terms = terms;
  }
  return true;
}

/* ---- merged bodies ---- */

lw_place lwi_place_in_numbers(const lwi_frame *X, bool planar)
{
  lw_place p = {.orient.type = LW_ORIENT_QUAT};
  memcpy(p.at, X->p, sizeof p.at);
  quat_from_rot(X->R, p.orient.value);
  if (planar) p.at[2] = p.orient.value[1] = p.orient.value[2] = 0; /* but for rounding errors */
  return p;
}

static bool add_fixed(const filter *f, const lwi_merge *merge, int k)
{
  lw_spec *out = f->out;
  const char *child = out->bodies.item[merge->bodies[k].id - 1].d.name;
  const size_t size = strlen(merge->name) + strlen(child) + 2;
  char *name = LWI_TAKE(&out->arena, size, char);
  if (!name ||
      !lwi_grow(&out->joints.item, out->joints.n, &out->joints.capacity, sizeof *out->joints.item))
    return false;
  snprintf(name, size, "%s.%s", merge->name, child);
  out->joints.item[out->joints.n].d = (lw_joint_desc){
      .name = name,
      .type = LW_FIXED,
      .parent = merge->bodies[0],
      .child = merge->bodies[k],
      .place =
          merge->written ? merge->written[k] : lwi_place_in_numbers(&merge->place[k], out->planar)};
  out->joints.item[out->joints.n].mark = (lwi_mark){0};
  out->joints.item[out->joints.n].role = (lwi_role){0};
  out->joints.item[out->joints.n++].announced = false;
  f->active->joint[f->active->njoint++] = (lwi_part_state){.given = true, .kept = true};
  return true;
}

/* group, inside: [bodies + 1] */
static bool hold_together(const filter *f, const lwi_merge *merge, int njoint, int *group,
                          int *inside, int stamp)
{
  const lw_spec *out = f->out;
  for (int k = 0; k < merge->nbody; k++) {
    group[merge->bodies[k].id] = merge->bodies[k].id;
    inside[merge->bodies[k].id] = stamp;
  }
  for (int i = 0; i < njoint; i++) {
    const int a = out->joints.item[i].d.parent.id, b = out->joints.item[i].d.child.id;
    if (inside[a] != stamp || inside[b] != stamp) continue;
    const int x = lwi_sets_find(group, a), y = lwi_sets_find(group, b);
    if (x != y) f->active->joint[i].locked = 0x3f;
    group[x] = y;
  }
  for (int k = 1; k < merge->nbody; k++) {
    const int x = lwi_sets_find(group, merge->bodies[0].id),
              y = lwi_sets_find(group, merge->bodies[k].id);
    if (x == y) continue;
    group[y] = x;
    if (!add_fixed(f, merge, k)) return false;
  }
  return true;
}

static bool merge_bodies(const filter *f)
{
  const int n = f->s->bodies.n + 1, njoint = f->out->joints.n;
  int *group = LWI_TAKE(&f->out->arena, n, int), *inside = LWI_TAKE(&f->out->arena, n, int);
  if (!group || !inside) return false;
  for (int i = 0; i < f->p->nmerge; i++)
    if (f->p->merge[i].bodies && !hold_together(f, &f->p->merge[i], njoint, group, inside, i + 1))
      return false;
  return true;
}

/* ---- all ---- */

/* the joints, with space for those that hold merged bodies together */
static bool filter_joints(filter *f)
{
  const lwi_phase *p = f->p;
  int most = p->njoint, id = 0;
  for (int i = 0; i < p->nmerge; i++)
    most += p->merge[i].nbody;
  f->joint = LWI_TAKE(&f->out->arena, p->njoint + 1, int);
  f->active->joint = LWI_TAKE(&f->out->arena, most, lwi_part_state);
  if (!f->joint || !f->active->joint) return false;
  FILTER(f, joints, !p->joint[at].absent);
  for (int i = 0; i < p->njoint; i++) {
    if (p->joint[i].absent) continue;
    f->active->joint[id] = p->joint[i];
    f->joint[i + 1] = ++id;
  }
  f->active->njoint = id;
  return true;
}

static bool fill(filter *f)
{
  lwi_phase *out = f->active;
  if (!filter_joints(f) || !filter_constraints(f) || !filter_forces(f) || !merge_bodies(f))
    return false;
  out->nconstraint = f->out->constraints.n;
  out->constraint = LWI_TAKE(&f->out->arena, out->nconstraint, lwi_part_state);
  return out->constraint != NULL;
}

bool lwi_active_phase_init(lwi_active_phase *active, const lwi_phase *p)
{
  lw_spec *out = &active->spec;
  *out = *p->spec;
  active->phase = *p;
  active->phase.spec = out;
  active->phase.branch = NULL;
  out->arena = (lwi_arena){0};
  out->joints.item = NULL;
  out->constraints.item = NULL;
  out->joint_springs.item = NULL;
  out->motors.item = NULL;
  out->loads.item = NULL;
  filter f = {.p = p, .s = p->spec, .active = &active->phase, .out = out};
  return fill(&f);
}

void lwi_active_phase_free(lwi_active_phase *active)
{
  lw_spec *out = &active->spec;
  free(out->joints.item);
  free(out->constraints.item);
  free(out->joint_springs.item);
  free(out->motors.item);
  free(out->loads.item);
  lwi_arena_free(&out->arena);
}
