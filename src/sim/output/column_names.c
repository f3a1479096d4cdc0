/* SPDX-License-Identifier: Apache-2.0 */
/* column_names.c -- walks all result columns of a model, or of all models that its events can make,
   in the order of the table. */
#include "sim/output/column_names.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_model *m;
  lwi_column_visit *visit;
  void *context;
  char *name; /* buffer for names */
  size_t size;
  const lw_spec *spec; /* of all joints that may exist; NULL: those of the model */
} walk;

/* one column of a body or joint: "fx" and its index in the load */
typedef struct {
  const char *prefix;
  int component;
} part;

static const part pose_parts[] = {{"x", 0},  {"y", 1},  {"z", 2}, {"e0", 3},
                                  {"e1", 4}, {"e2", 5}, {"e3", 6}};
static const part velocity_parts[] = {{"wx", 0}, {"wy", 1}, {"wz", 2},
                                      {"vx", 3}, {"vy", 4}, {"vz", 5}};
static const part load_parts[] = {{"fx", 3}, {"fy", 4}, {"fz", 5}, {"tx", 0}, {"ty", 1}, {"tz", 2}};

static lw_status visit_parts(walk *w, lwi_column_kind kind, int id, const char *owner,
                             const part parts[], int n)
{
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    snprintf(w->name, w->size, "%s.%s", parts[i].prefix, owner);
    status = w->visit(
        w->context, (lwi_column){.kind = kind, .id = id, .component = parts[i].component}, w->name);
  }
  return status;
}
#define VISIT_PARTS(w, kind, id, owner, parts)                                                     \
  visit_parts(w, kind, id, owner, parts, (int)(sizeof(parts) / sizeof *(parts)))

/* "q.A", or "q.S.1", "q.S.2" ... for joints with several. */
static lw_status visit_coordinates(walk *w, lwi_column_kind kind, int joint, const char *owner,
                                   int first, int n, bool one)
{
  static const char *const prefix[] = {
      [LWI_COLUMN_Q] = "q", [LWI_COLUMN_U] = "u", [LWI_COLUMN_UDOT] = "udot"};
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    const int length = snprintf(w->name, w->size, "%s.%s", prefix[kind], owner);
    if (!one) snprintf(w->name + length, w->size - (size_t)length, ".%d", i + 1);
    status = w->visit(w->context, (lwi_column){.kind = kind, .id = joint, .component = first + i},
                      w->name);
  }
  return status;
}

static lw_status visit_joint(walk *w, lwi_column_kind kind, int j)
{
  const lw_joint_info i = lw_get_joint(w->m, (lw_joint){j});
  if (kind == LWI_COLUMN_Q) return visit_coordinates(w, kind, j, i.name, i.q_all, i.nq, i.nq == 1);
  if (kind != LWI_COLUMN_LOAD)
    return visit_coordinates(w, kind, j, i.name, i.u_all, i.nu, i.nu == 1);
  return i.implicit ? LW_OK : VISIT_PARTS(w, kind, j, i.name, load_parts);
}

/* Columns that a joint of the spec may have besides the present ones: it is not active, or its type
   changes. */
static lw_status visit_other_types(walk *w, lwi_column_kind kind, int joint, bool present)
{
  const char *name = w->spec->joints.item[joint - 1].d.name;
  const lw_joint_info i = lw_get_joint(w->m, lw_find_joint(w->m, name));
  const lwi_joint_range r = lwi_joint_range_of(w->spec, joint);
  if (kind == LWI_COLUMN_LOAD)
    return present ? LW_OK : VISIT_PARTS(w, LWI_COLUMN_LOAD, 0, name, load_parts);
  const bool q = kind == LWI_COLUMN_Q;
  const int have = !present ? 0 : q ? i.nq : i.nu, most = q ? r.most_q : r.most_u;
  lw_status status = LW_OK;
  if ((q ? r.one_q : r.one_u) && have != 1)
    status = visit_coordinates(w, kind, 0, name, 0, 1, true);
  for (int k = have > 1 ? have : 0; k < most && most > 1 && status == LW_OK; k++) {
    static const char *const prefix[] = {
        [LWI_COLUMN_Q] = "q", [LWI_COLUMN_U] = "u", [LWI_COLUMN_UDOT] = "udot"};
    snprintf(w->name, w->size, "%s.%s.%d", prefix[kind], name, k + 1);
    status = w->visit(w->context, (lwi_column){.kind = kind}, w->name);
  }
  return status;
}

static lw_status visit_joints(walk *w, lwi_column_kind kind)
{
  lw_status status = LW_OK;
  int j = 1; /* of the model: the active ones of the spec, in its order, then implicit ones */
  for (int i = 1; w->spec && i <= w->spec->joints.n && status == LW_OK; i++) {
    const bool present = !w->spec->joints.item[i - 1].announced;
    if (present) status = visit_joint(w, kind, j++);
    if (status == LW_OK) status = visit_other_types(w, kind, i, present);
  }
  for (; j <= lw_njoint(w->m) && status == LW_OK; j++)
    status = visit_joint(w, kind, j);
  return status;
}

static bool is_relation(lw_constraint_type type)
{
  return type == LW_GEAR || type == LW_COUPLER || type == LW_DRIVER;
}

static lw_status visit_constraints(walk *w, lwi_column_kind kind)
{
  static const part relation_parts[] = {{"load", 0}};
  const bool relations = kind == LWI_COLUMN_RELATION_LOAD;
  lw_status status = LW_OK;
  for (int c = 1; c <= lw_nconstraint(w->m) && status == LW_OK; c++) {
    const lw_constraint_info i = lw_get_constraint(w->m, (lw_constraint){c});
    if (is_relation(i.type) != relations) continue;
    status = relations ? VISIT_PARTS(w, kind, c, i.name, relation_parts)
                       : VISIT_PARTS(w, kind, c, i.name, load_parts);
  }
  for (int c = 0; w->spec && c < w->spec->constraints.n && status == LW_OK; c++) {
    const lw_constraint_desc *d = &w->spec->constraints.item[c].d;
    if (!w->spec->constraints.item[c].announced || is_relation(d->type) != relations) continue;
    status = relations ? VISIT_PARTS(w, kind, 0, d->name, relation_parts)
                       : VISIT_PARTS(w, kind, 0, d->name, load_parts);
  }
  return status;
}

static lw_status visit_bodies(walk *w)
{
  lw_status status = LW_OK;
  for (int b = 1; b <= lw_nbody(w->m) && status == LW_OK; b++) {
    const char *name = lw_body_name(w->m, (lw_body){b});
    status = VISIT_PARTS(w, LWI_COLUMN_POSE, b, name, pose_parts);
    if (status == LW_OK) status = VISIT_PARTS(w, LWI_COLUMN_VELOCITY, b, name, velocity_parts);
  }
  return status;
}

static lw_status visit_points(walk *w)
{
  static const char *const prefix[] = {"x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"};
  lw_status status = LW_OK;
  for (int i = 0; i < 9 * w->m->npoint && status == LW_OK; i++) {
    lwi_column c;
    if (w->m->point[i / 9].hidden) continue;
    snprintf(w->name, w->size, "%s.%s", prefix[i % 9], w->m->point[i / 9].name);
    lwi_column_find(w->m, w->name, &c);
    status = w->visit(w->context, c, w->name);
  }
  return status;
}

/* "state.J", "state.J.2": one for all limits and the friction of a freedom, named as these are;
   "state.C" of contacts and ropes */
static lw_status visit_freedoms(walk *w)
{
  lw_status status = LW_OK;
  for (int i = 0; i < w->m->nevent && status == LW_OK; i++) {
    const lw_event_desc *d = &w->m->event[i].d;
    bool first = d->action == LW_ACTION_LIMIT || d->action == LW_ACTION_FRICTION;
    for (int k = 0; k < i && first; k++)
      first = !lwi_same_freedom(d, &w->m->event[k].d);
    const bool contact = d->action == LW_ACTION_CONTACT;
    if (!first && !contact) continue;
    if (contact)
      snprintf(w->name, w->size, "state.%s", d->name);
    else
      snprintf(w->name, w->size, "state%s", strchr(d->name, '.'));
    status = w->visit(w->context, (lwi_column){.kind = LWI_COLUMN_FREEDOM, .id = i + 1}, w->name);
  }
  return status;
}

static lw_status visit_model(walk *w, lwi_column_kind kind, const char *const names[], int n)
{
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++)
    status = w->visit(w->context, (lwi_column){.kind = kind, .component = i}, names[i]);
  return status;
}

static lw_status visit_states(walk *w)
{
  lw_status status = LW_OK;
  for (int i = 0; i < w->m->nstate && status == LW_OK; i++) {
    if (w->m->state[i].hidden) continue;
    const lwi_column c = {
        .kind = LWI_COLUMN_STATE, .id = i + 1, .component = lwi_first_state(w->m) + i};
    status = w->visit(w->context, c, w->m->state[i].name);
  }
  return status;
}

static lw_status visit_outputs(walk *w)
{
  lw_status status = LW_OK;
  for (int i = 0; i < w->m->noutput && status == LW_OK; i++)
    if (!w->m->output[i].hidden)
      status = w->visit(w->context, (lwi_column){.kind = LWI_COLUMN_OUTPUT, .id = i + 1},
                        w->m->output[i].name);
  return status;
}

static lw_status visit_kind(walk *w, lwi_column_kind kind)
{
  static const char *const time[] = {"t"}, *const drift[] = {"drift"},
                           *const error[] = {"energy.error"},
                           *const energy[] = {"energy.kinetic", "energy.potential", "energy.total"};
  switch (kind) {
  case LWI_COLUMN_TIME: return visit_model(w, kind, time, 1);
  case LWI_COLUMN_POSE: return visit_bodies(w);
  case LWI_COLUMN_VELOCITY: return LW_OK; /* visited with the pose of each body */
  case LWI_COLUMN_MEASURE: return visit_points(w);
  case LWI_COLUMN_ACCELERATION: return LW_OK; /* visited with the measures of each point */
  case LWI_COLUMN_MOTOR:
  case LWI_COLUMN_ELEMENT:
  case LWI_COLUMN_APPLIED: return LW_OK; /* by name only: column_measures.c */
  case LWI_COLUMN_CONSTRAINT_LOAD:
  case LWI_COLUMN_RELATION_LOAD: return visit_constraints(w, kind);
  case LWI_COLUMN_FREEDOM: return visit_freedoms(w);
  case LWI_COLUMN_ENERGY: return visit_model(w, kind, energy, 3);
  case LWI_COLUMN_ENERGY_ERROR: return visit_model(w, kind, error, 1);
  case LWI_COLUMN_DRIFT: return visit_model(w, kind, drift, 1);
  case LWI_COLUMN_STATE: return visit_states(w);
  case LWI_COLUMN_OUTPUT: return visit_outputs(w);
  default: return visit_joints(w, kind);
  }
}

static size_t longer(size_t longest, const char *name)
{
  const size_t length = strlen(name);
  return length > longest ? length : longest;
}

static size_t longest_name(const lw_model *m, const lw_spec *s)
{
  size_t longest = 0;
  for (int i = 0; s && i < s->joints.n; i++)
    longest = longer(longest, s->joints.item[i].d.name);
  for (int i = 0; s && i < s->constraints.n; i++)
    longest = longer(longest, s->constraints.item[i].d.name);
  for (int b = 1; b <= lw_nbody(m); b++) {
    longest = longer(longest, lw_body_name(m, (lw_body){b}));
  }
  for (int i = 0; i < m->npoint; i++)
    longest = longer(longest, m->point[i].name);
  for (int j = 1; j <= lw_njoint(m); j++) {
    longest = longer(longest, lw_get_joint(m, (lw_joint){j}).name);
  }
  for (int c = 1; c <= lw_nconstraint(m); c++) {
    longest = longer(longest, lw_get_constraint(m, (lw_constraint){c}).name);
  }
  return longest;
}

static lw_status walk_kinds(const lw_model *m, const lw_spec *spec, lwi_column_visit *visit,
                            void *context)
{
  walk w = {m, visit, context, NULL, longest_name(m, spec) + sizeof "state..7", spec};
  w.name = malloc(w.size);
  lw_status status = w.name ? LW_OK : LW_E_MEMORY;
  for (int kind = 0; kind < LWI_COLUMN_KINDS && status == LW_OK; kind++)
    status = visit_kind(&w, (lwi_column_kind)kind);
  free(w.name);
  return status;
}

lw_status lwi_columns_walk(const lw_model *m, lwi_column_visit *visit, void *context)
{
  return walk_kinds(m, NULL, visit, context);
}

lw_status lwi_columns_walk_all(const lw_model *m, lwi_column_visit *visit, void *context)
{
  return walk_kinds(m, m->nevent > 0 ? m->spec : NULL, visit, context);
}
