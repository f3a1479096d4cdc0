/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/column_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const lw_model *m;
  lwi_column_visit *visit;
  void *context;
  char *name; /* where names are put together */
  size_t size;
} walk;

/* one column of a body or joint: "fx" and where it stands in the load */
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
    status = w->visit(w->context, (lwi_column){kind, id, parts[i].component}, w->name);
  }
  return status;
}
#define VISIT_PARTS(w, kind, id, owner, parts)                                                     \
  visit_parts(w, kind, id, owner, parts, (int)(sizeof(parts) / sizeof *(parts)))

/* "q.A", or "q.S.1", "q.S.2" ... for joints with several. */
static lw_status visit_coordinates(walk *w, lwi_column_kind kind, const char *prefix, int joint,
                                   const char *owner, int first, int n)
{
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    const int length = snprintf(w->name, w->size, "%s.%s", prefix, owner);
    if (n > 1) snprintf(w->name + length, w->size - (size_t)length, ".%d", i + 1);
    status = w->visit(w->context, (lwi_column){kind, joint, first + i}, w->name);
  }
  return status;
}

static lw_status visit_joints(walk *w, lwi_column_kind kind)
{
  lw_status status = LW_OK;
  for (int j = 1; j <= lw_njoint(w->m) && status == LW_OK; j++) {
    const lw_joint_info i = lw_get_joint(w->m, (lw_joint){j});
    if (kind == LWI_COLUMN_Q)
      status = visit_coordinates(w, kind, "q", j, i.name, i.q_all, i.nq);
    else if (kind == LWI_COLUMN_U)
      status = visit_coordinates(w, kind, "u", j, i.name, i.u_all, i.nu);
    else if (kind == LWI_COLUMN_UDOT)
      status = visit_coordinates(w, kind, "udot", j, i.name, i.u_all, i.nu);
    else if (!i.implicit)
      status = VISIT_PARTS(w, kind, j, i.name, load_parts);
  }
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

static lw_status visit_model(walk *w, lwi_column_kind kind, const char *const names[], int n)
{
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++)
    status = w->visit(w->context, (lwi_column){kind, 0, i}, names[i]);
  return status;
}

static lw_status visit_kind(walk *w, lwi_column_kind kind)
{
  static const char *const time[] = {"t"}, *const drift[] = {"drift"},
                           *const energy[] = {"energy.kinetic", "energy.potential", "energy.total"};
  switch (kind) {
  case LWI_COLUMN_TIME: return visit_model(w, kind, time, 1);
  case LWI_COLUMN_POSE: return visit_bodies(w);
  case LWI_COLUMN_VELOCITY: return LW_OK; /* beside the pose of each body */
  case LWI_COLUMN_CONSTRAINT_LOAD:
  case LWI_COLUMN_RELATION_LOAD: return visit_constraints(w, kind);
  case LWI_COLUMN_ENERGY: return visit_model(w, kind, energy, 3);
  case LWI_COLUMN_DRIFT: return visit_model(w, kind, drift, 1);
  default: return visit_joints(w, kind);
  }
}

static size_t longest_name(const lw_model *m)
{
  size_t longest = 0;
  for (int b = 1; b <= lw_nbody(m); b++) {
    const size_t length = strlen(lw_body_name(m, (lw_body){b}));
    if (length > longest) longest = length;
  }
  for (int j = 1; j <= lw_njoint(m); j++) {
    const size_t length = strlen(lw_get_joint(m, (lw_joint){j}).name);
    if (length > longest) longest = length;
  }
  for (int c = 1; c <= lw_nconstraint(m); c++) {
    const size_t length = strlen(lw_get_constraint(m, (lw_constraint){c}).name);
    if (length > longest) longest = length;
  }
  return longest;
}

lw_status lwi_columns_walk(const lw_model *m, lwi_column_visit *visit, void *context)
{
  walk w = {m, visit, context, NULL, longest_name(m) + sizeof "udot..7"};
  w.name = malloc(w.size);
  lw_status status = w.name ? LW_OK : LW_E_MEMORY;
  for (int kind = 0; kind < LWI_COLUMN_KINDS && status == LW_OK; kind++)
    status = visit_kind(&w, (lwi_column_kind)kind);
  free(w.name);
  return status;
}
