/* SPDX-License-Identifier: Apache-2.0 */
/* columns.c -- selects result columns by name and computes rows of them; only what they need is
   computed. */
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/simulate.h"
#include "linkwork/loops.h"
#include "model/model.h"
#include "sim/output/column_names.h"
#include "sim/output/column_patterns.h"
#include "sim/output/columns_data.h"
#include "sim/formulation/formulation.h"
#include "sim/output/simulation.h"
#include "sim/formulation/state.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- choose ---- */

static bool grow(lw_columns *c, size_t name_size)
{
  if (c->n == c->capacity) {
    if (c->capacity > INT_MAX / 2) return false;
    const int capacity = c->capacity ? 2 * c->capacity : 64;
    lwi_column *column = realloc(c->column, (size_t)capacity * sizeof *column);
    if (column) c->column = column;
    size_t *name = realloc(c->name, (size_t)capacity * sizeof *name);
    if (name) c->name = name;
    if (!column || !name) return false;
    c->capacity = capacity;
  }
  if (c->text_capacity - c->length < name_size) {
    const size_t capacity = 2 * c->text_capacity + name_size + 1024;
    char *text = realloc(c->text, capacity);
    if (!text) return false;
    c->text = text;
    c->text_capacity = capacity;
  }
  return true;
}

static lw_status add(void *context, lwi_column column, const char *name)
{
  lw_columns *c = context;
  const size_t size = strlen(name) + 1;
  const bool owned = column.kind != LWI_COLUMN_TIME && column.kind != LWI_COLUMN_ENERGY &&
                     column.kind != LWI_COLUMN_ENERGY_ERROR && column.kind != LWI_COLUMN_DRIFT;
  if (owned && column.id == 0) column.kind = LWI_COLUMN_NOTHING;
  if (!grow(c, size)) return LW_E_MEMORY;
  memcpy(c->text + c->length, name, size);
  c->name[c->n] = c->length;
  c->column[c->n] = column;
  c->length += size;
  c->n++;
  return LW_OK;
}

typedef struct {
  lw_columns *columns;
  lwi_patterns *patterns;
} selection;

/* `t` is always selected, so that it is always first. */
static lw_status add_if_matched(void *context, lwi_column column, const char *name)
{
  const selection *s = context;
  const bool matched = lwi_patterns_match(s->patterns, name);
  return matched || column.kind == LWI_COLUMN_TIME ? add(s->columns, column, name) : LW_OK;
}

/* Reports what was not found; only then all names are listed, to find the nearest one. */
static lw_status fail_unknown(const lw_model *m, const lwi_name *pattern, lw_error *err)
{
  char *word = calloc(1, pattern->length + 1);
  lw_columns all = {.m = m};
  const char **names = NULL;
  const char *nearest = NULL;
  if (word && lwi_columns_walk_all(m, add, &all) == LW_OK &&
      (names = malloc((size_t)all.n * sizeof *names))) {
    memcpy(word, pattern->text, pattern->length);
    for (int i = 0; i < all.n; i++)
      names[i] = all.text + all.name[i];
    nearest = lwi_nearest(word, names, all.n);
  }

  const int length = (int)(pattern->length < 200 ? pattern->length : 200);
  if (nearest)
    lwi_fail(err, LW_E_ARG, "no result column \"%.*s\": did you mean \"%.200s\"?", length,
             pattern->text, nearest);
  else
    lwi_fail(err, LW_E_ARG, "no result column matches \"%.*s\"", length, pattern->text);
  free(names);
  free(all.column);
  free(all.name);
  free(all.text);
  free(word);
  return LW_E_ARG;
}

static lw_status select_columns(lw_columns *c, const char *list, lw_error *err)
{
  if (!list) return lwi_columns_walk_all(c->m, add, c);

  lwi_patterns patterns;
  lw_status status = lwi_patterns_parse(&patterns, list);
  if (status == LW_E_ARG) lwi_fail(err, status, "an empty name in the list of columns");
  if (status == LW_OK)
    status = lwi_columns_walk_all(c->m, add_if_matched, &(selection){c, &patterns});
  const int unused = status == LW_OK ? lwi_patterns_find_unused(&patterns) : -1;
  if (unused >= 0) status = fail_unknown(c->m, &patterns.index.name[unused], err);
  lwi_patterns_free(&patterns);
  return status;
}

/* ---- make ---- */

static void find_needs(lw_columns *c)
{
  memset(c->needs, 0, sizeof c->needs);
  c->first_link = INT_MAX;
  for (int i = 0; i < c->n; i++) {
    const lwi_column *k = &c->column[i];
    if (k->kind == LWI_COLUMN_NOTHING) continue;
    c->needs[k->kind] = true;
    if (k->kind != LWI_COLUMN_LOAD) continue;
    const lwi_joint *joint = &c->m->joint[k->id];
    const int link = joint->info.cut ? 1 : joint->link;
    if (link < c->first_link) c->first_link = link > 0 ? link : 1;
  }
}

static bool allocate_joints(lw_columns *c)
{
  c->q = calloc((size_t)lw_nq_all(c->m) + 1, sizeof *c->q);
  c->u = calloc((size_t)lw_nu_all(c->m) + 1, sizeof *c->u);
  c->udot = calloc((size_t)lw_nu_all(c->m) + 1, sizeof *c->udot);
  return c->q && c->u && c->udot;
}

static bool allocate(lw_columns *c)
{
  bool oriented = false;
  for (int i = 0; i < c->n; i++)
    oriented |= c->column[i].kind == LWI_COLUMN_POSE && c->column[i].component >= 3;
  find_needs(c);
  c->work = lw_dynamics_work(c->dynamics);
  if (oriented) c->orientation = calloc((size_t)lw_nbody(c->m) + 1, sizeof *c->orientation);
  return allocate_joints(c) && (c->orientation || !oriented);
}

lw_columns *lw_columns_new(const lw_model *m, const char *patterns, lw_error *err)
{
  if (!m) return lwi_fail(err, LW_E_ARG, "lw_columns_new: an argument is missing"), NULL;
  lw_columns *c = calloc(1, sizeof *c);
  lw_status status = c ? LW_OK : LW_E_MEMORY;
  if (c) {
    c->m = m;
    status = select_columns(c, patterns, err);
  }
  if (status == LW_OK) {
    c->dynamics = lw_dynamics_new(m, NULL, err);
    if (!c->dynamics) status = err ? err->status : LW_E_MEMORY;
  }
  if (status == LW_OK && !allocate(c)) status = LW_E_MEMORY;
  if (status == LW_OK) return c;
  if (status == LW_E_MEMORY) lwi_fail(err, status, "out of memory for the result columns");
  lw_columns_free(c);
  return NULL;
}

void lw_columns_free(lw_columns *c)
{
  if (!c) return;
  lw_dynamics_free(c->dynamics);
  free(c->column);
  free(c->name);
  free(c->text);
  free(c->q);
  free(c->u);
  free(c->udot);
  free(c->orientation);
  lwi_name_index_free(&c->index);
  free(c);
}

lw_status lw_columns_follow(lw_columns *c, const lw_simulation *sim, lw_error *err)
{
  if (!c) return lwi_fail(err, LW_E_ARG, "lw_columns_follow: an argument is missing");
  lw_dynamics *d = NULL;
  const lw_status status = sim ? lwi_simulation_dynamics(sim, &d, err) : LW_OK;
  if (status != LW_OK) return status;
  c->followed = sim;
  if (!d) return LW_OK;
  lw_dynamics_free(c->dynamics);
  c->dynamics = d;
  c->work = lw_dynamics_work(d);
  return LW_OK;
}

/* ---- after an event: the same names, another model ---- */

static lw_status bind(void *context, lwi_column column, const char *name)
{
  lw_columns *c = context;
  const int i = lwi_name_find(&c->index, name, strlen(name));
  if (i >= 0) c->column[i] = column;
  return LW_OK;
}

static bool index_names(lw_columns *c)
{
  for (int i = c->index.n; i < c->n; i++) {
    const char *name = c->text + c->name[i];
    if (lwi_name_add(&c->index, name, strlen(name)) < 0) return false;
  }
  return true;
}

/* Quaternions continue without jumps from those last output. */
static void keep_signs(const lw_model *before, const double shown[], const lw_model *m, double q[])
{
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info now = lw_get_joint(m, (lw_joint){j});
    if (now.nq <= now.nu) continue;
    const lw_joint_info old = lw_get_joint(before, lw_find_joint(before, now.name));
    if (old.name && old.nq == now.nq)
      memcpy(q + now.q_all, shown + old.q_all, (size_t)now.nq * sizeof(double));
  }
}

static lw_status rebind(lw_columns *c)
{
  const lw_simulation *sim = c->followed;
  const lw_model *before = lwi_simulation_previous(sim);
  double *shown = c->q;
  free(c->u);
  free(c->udot);
  c->m = lw_simulation_model(sim);
  lw_status status = allocate_joints(c) && index_names(c) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && before && c->phase + 1 == lwi_simulation_phase(sim))
    keep_signs(before, shown, c->m, c->q);
  free(shown);
  for (int i = 0; i < c->n; i++)
    c->column[i].kind = LWI_COLUMN_NOTHING;
  if (status == LW_OK) status = lwi_columns_walk(c->m, bind, c);
  find_needs(c);
  if (status == LW_OK) status = lw_columns_follow(c, sim, NULL);
  if (status == LW_OK) c->phase = lwi_simulation_phase(sim);
  return status;
}

int lw_columns_count(const lw_columns *c)
{
  if (!c) return 0;
  return c->n;
}

const char *lw_columns_name(const lw_columns *c, int index)
{
  if (!c) return NULL;
  return index >= 0 && index < c->n ? c->text + c->name[index] : NULL;
}

/* ---- compute ---- */

/* A quaternion and its negative are the same rotation: results begin with w >= 0 and continue
   without jumps.  `shown` is the last one output, zeros before the first. */
static void choose_sign(double e[4], const double shown[4])
{
  const double dot = e[0] * shown[0] + e[1] * shown[1] + e[2] * shown[2] + e[3] * shown[3];
  if (dot < 0 || (dot == 0 && e[0] < 0)) quaternion_scale(e, -1);
}

static void output_coordinates(lw_columns *c, const double q[])
{
  for (int j = 1; j <= lw_njoint(c->m); j++) {
    const lw_joint_info joint = lw_get_joint(c->m, (lw_joint){j});
    const int at = quaternion_at(&joint);
    double e[4];
    if (joint.cut) continue;
    if (at >= 0) {
      memcpy(e, q + at, sizeof e);
      choose_sign(e, c->q + at);
    }
    memcpy(c->q + joint.q, q + joint.q, (size_t)joint.nq * sizeof(double));
    if (at >= 0) memcpy(c->q + at, e, sizeof e);
  }
}

static lw_status get_pose(lw_columns *c, int body)
{
  lw_pose X;
  const lw_status status = lw_get_pose(c->work, (lw_body){body}, &X);
  if (status != LW_OK) return status;
  if (c->orientation) {
    choose_sign(X.quat, c->orientation[body]);
    memcpy(c->orientation[body], X.quat, sizeof X.quat);
  }
  memcpy(c->pose, X.p, sizeof X.p);
  memcpy(c->pose + 3, X.quat, sizeof X.quat);
  return LW_OK;
}

/* Gets what belongs to one body or joint at its first column: they are adjacent. */
static lw_status fetch(lw_columns *c, const lwi_column *k)
{
  switch (k->kind) {
  case LWI_COLUMN_POSE: return get_pose(c, k->id);
  case LWI_COLUMN_VELOCITY: return lw_get_velocity(c->work, (lw_body){k->id}, c->velocity);
  case LWI_COLUMN_LOAD: return lw_dynamics_get_load(c->dynamics, (lw_joint){k->id}, c->load);
  case LWI_COLUMN_CONSTRAINT_LOAD:
    return lw_dynamics_get_constraint_load(c->dynamics, (lw_constraint){k->id}, c->constraint_load);
  case LWI_COLUMN_RELATION_LOAD:
    return lw_dynamics_get_relation_load(c->dynamics, (lw_constraint){k->id}, &c->relation_load);
  default: return LW_OK;
  }
}

static bool needs_loads(const bool needs[])
{
  return needs[LWI_COLUMN_LOAD] || needs[LWI_COLUMN_CONSTRAINT_LOAD] ||
         needs[LWI_COLUMN_RELATION_LOAD];
}

/* The same for a state at which the dynamics have been evaluated. */
static lw_status compute_from_evaluation(lw_columns *c, const double q[], const lwi_evaluation *e)
{
  const bool *needs = c->needs;
  lw_status status = LW_OK;
  if (needs[LWI_COLUMN_ENERGY]) {
    status = lwi_energy_there(c->m, c->work, q, &c->energy[0], &c->energy[1]);
    c->energy[2] = c->energy[0] + c->energy[1];
  }
  if (needs[LWI_COLUMN_UDOT]) memcpy(c->udot, e->udot, (size_t)lw_nu(c->m) * sizeof(double));
  if (status != LW_OK || !needs_loads(needs)) return status;
  return c->dynamics->method->find_loads(c->dynamics, c->first_link);
}

/* All of these except drift leave kinematics in the work. */
static lw_status compute(lw_columns *c, double t, const double q[], const double u[])
{
  const bool *needs = c->needs, loads = needs_loads(needs);
  lw_status status = LW_OK;
  if (needs[LWI_COLUMN_DRIFT])
    status = lw_drift(c->work, lwi_simulation_time(c->followed, t), q, &c->drift);
  if (status == LW_OK && (needs[LWI_COLUMN_ENERGY] || needs[LWI_COLUMN_ENERGY_ERROR])) {
    status = lw_energy(c->work, q, u, &c->energy[0], &c->energy[1]);
    c->energy[2] = c->energy[0] + c->energy[1];
  }
  /* Only if requested: it evaluates the state within the step, and must not be used for the rate of
     the state. */
  if (status == LW_OK && needs[LWI_COLUMN_ENERGY_ERROR])
    c->energy_error =
        c->followed ? c->energy[2] - lwi_simulation_expected_energy(c->followed, t) : (double)NAN;
  if (status != LW_OK) return status;
  if (needs[LWI_COLUMN_UDOT] || loads) {
    status = lw_dynamics_accelerate(c->dynamics, lwi_simulation_time(c->followed, t), q, u, NULL,
                                    c->udot);
    return status == LW_OK && loads ? lw_dynamics_find_loads(c->dynamics) : status;
  }
  const bool cut = lw_ncut(c->m) > 0 && (needs[LWI_COLUMN_Q] || needs[LWI_COLUMN_U]);
  return needs[LWI_COLUMN_POSE] || needs[LWI_COLUMN_VELOCITY] || cut ? lw_kinematics(c->work, q, u)
                                                                     : LW_OK;
}

/* q, u and udot of all joints. */
static lw_status output_joints(lw_columns *c, const double q[], const double u[])
{
  if (c->needs[LWI_COLUMN_Q]) output_coordinates(c, q);
  if (lw_nu(c->m) > 0) memcpy(c->u, u, (size_t)lw_nu(c->m) * sizeof(double));
  if (lw_ncut(c->m) == 0) return LW_OK;
  return lw_get_cut_joints(c->work, c->needs[LWI_COLUMN_Q] ? c->q : NULL,
                           c->needs[LWI_COLUMN_U] ? c->u : NULL,
                           c->needs[LWI_COLUMN_UDOT] ? c->udot : NULL);
}

/* Switches to the model of the present phase. */
static lw_status follow_phase(lw_columns *c)
{
  return c->followed && c->phase != lwi_simulation_phase(c->followed) ? rebind(c) : LW_OK;
}

/* After fetch. */
static double number_of(const lw_columns *c, const lwi_column *k, double t)
{
  switch (k->kind) {
  case LWI_COLUMN_TIME: return t;
  case LWI_COLUMN_Q: return c->q[k->component];
  case LWI_COLUMN_U: return c->u[k->component];
  case LWI_COLUMN_UDOT: return c->udot[k->component];
  case LWI_COLUMN_POSE: return c->pose[k->component];
  case LWI_COLUMN_VELOCITY: return c->velocity[k->component];
  case LWI_COLUMN_LOAD: return c->load[k->component];
  case LWI_COLUMN_ENERGY: return c->energy[k->component];
  case LWI_COLUMN_ENERGY_ERROR: return c->energy_error;
  case LWI_COLUMN_DRIFT: return c->drift;
  case LWI_COLUMN_CONSTRAINT_LOAD: return c->constraint_load[k->component];
  case LWI_COLUMN_RELATION_LOAD: return c->relation_load;
  default: return (double)NAN;
  }
}

/* Copies what was computed to the row, column by column. */
static lw_status fill_row(lw_columns *c, double t, const double q[], const double u[], double row[])
{
  lw_status status = lwi_columns_need_joints(c) ? output_joints(c, q, u) : LW_OK;
  if (status != LW_OK) return status;

  const lwi_column *last = NULL;
  for (int i = 0; i < c->n; i++) {
    const lwi_column *k = &c->column[i];
    if (!last || k->kind != last->kind || k->id != last->id) status = fetch(c, k);
    if (status != LW_OK) return status;
    row[i] = number_of(c, k, t);
    last = k;
  }
  return LW_OK;
}

lw_status lw_columns_row(lw_columns *c, double t, const double q[], const double u[], double row[])
{
  if (!c || !row) return LW_E_ARG;
  lw_status status = follow_phase(c);
  if (status != LW_OK) return status;
  if (c->followed) lwi_closure_follow(c->m, lwi_simulation_work(c->followed), c->work);
  status = compute(c, t, q, u);
  return status == LW_OK ? fill_row(c, t, q, u, row) : status;
}

/* Cut joints count their turns from one output state to the next. */
static bool needs_more(const lw_columns *c)
{
  const bool *needs = c->needs;
  return needs[LWI_COLUMN_DRIFT] || needs[LWI_COLUMN_ENERGY_ERROR] ||
         (lw_ncut(c->m) > 0 && lwi_columns_need_joints(c));
}

lw_status lwi_columns_row_of(lw_columns *c, lw_dynamics *d, const lwi_evaluation *e, double t,
                             const double q[], const double u[], double row[], double *turning)
{
  lw_status status = follow_phase(c);
  if (status == LW_OK && needs_more(c)) status = LW_E_UNSUPPORTED;
  if (status != LW_OK) return status;
  if (e->stabilized) d->method->recall(d);
  lw_dynamics *own = c->dynamics;
  c->dynamics = d;
  c->work = lw_dynamics_work(d);
  status = compute_from_evaluation(c, q, e);
  if (status == LW_OK) status = fill_row(c, t, q, u, row);
  *turning = status == LW_OK ? lwi_columns_turning(c) : 0;
  if (c->work->stage == LWI_STAGE_LOADS)
    c->work->stage = LWI_STAGE_DYNAMICS; /* not of all joints */
  c->dynamics = own;
  c->work = lw_dynamics_work(own);
  return status;
}

lw_status lwi_columns_join(lw_columns *c, const lw_columns *from)
{
  const lw_status bound = follow_phase(c);
  if (bound != LW_OK) return bound;
  if (lw_nq_all(c->m) != lw_nq_all(from->m)) return LW_OK; /* not the same phase */
  memcpy(c->q, from->q, (size_t)lw_nq_all(c->m) * sizeof(double));
  if (c->orientation)
    memcpy(c->orientation, from->orientation,
           ((size_t)lw_nbody(c->m) + 1) * sizeof *c->orientation);
  return LW_OK;
}

bool lwi_columns_need_joints(const lw_columns *c)
{
  return c->needs[LWI_COLUMN_Q] || c->needs[LWI_COLUMN_U] || c->needs[LWI_COLUMN_UDOT];
}

bool lwi_columns_need_bodies(const lw_columns *c)
{
  const bool *needs = c->needs;
  return needs[LWI_COLUMN_POSE] || needs[LWI_COLUMN_VELOCITY] || needs[LWI_COLUMN_ENERGY] ||
         needs[LWI_COLUMN_UDOT] || needs_loads(needs);
}

bool lwi_columns_have(const lw_columns *c, lwi_column_kind kind)
{
  return c->needs[kind];
}

lwi_column lwi_columns_get(const lw_columns *c, int index)
{
  return c->column[index];
}

const double *lwi_columns_q(const lw_columns *c)
{
  return c->q;
}

const double *lwi_columns_orientation(const lw_columns *c, int body)
{
  return c->orientation ? c->orientation[body] : NULL;
}
