/* SPDX-License-Identifier: Apache-2.0 */
/* column_selection.c -- result columns are selected by name, and bound to another model by the same
   names after an event.  columns.c computes them. */
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/simulate.h"
#include "model/model.h"
#include "sim/output/column_outputs.h"
#include "sim/output/column_patterns.h"
#include "sim/output/columns_data.h"
#include "sim/output/simulation.h"

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

/* A column that the walk does not list: by its name alone. */
static lw_status add_unlisted(lw_columns *c, lwi_patterns *patterns, int k)
{
  const lwi_name *pattern = &patterns->index.name[k];
  char *name = calloc(1, pattern->length + 1);
  if (!name) return LW_E_MEMORY;
  lwi_column column;
  memcpy(name, pattern->text, pattern->length);
  patterns->used[k] = lwi_column_find(c->m, name, &column);
  const lw_status status = patterns->used[k] ? add(c, column, name) : LW_OK;
  free(name);
  return status;
}

static bool is_there(const lw_columns *c, const char *name)
{
  for (int i = 0; i < c->n; i++)
    if (strcmp(c->text + c->name[i], name) == 0) return true;
  return false;
}

/* Columns of forces, which exist by name only, for patterns like load.*: of all forces that are
   written. */
static lw_status add_of_forces(lw_columns *c, lwi_patterns *patterns)
{
  static const char *const words[] = {
      "length", "rate", "tension", "load", "power", "angle", "fx", "fy", "fz", "tx",  "ty",  "tz",
      "dx",     "dy",   "dz",      "dvx",  "dvy",   "dvz",   "rx", "ry", "rz", "dwx", "dwy", "dwz"};
  const lw_spec *s = c->m->spec;
  lw_status status = LW_OK;
  for (size_t w = 0; s && w < sizeof words / sizeof *words; w++) {
    if (!lwi_patterns_begin(patterns, words[w])) continue;
    for (int i = 0; i < s->force_names.n && status == LW_OK; i++) {
      const lwi_name *force = &s->force_names.name[i];
      char name[300];
      lwi_column column;
      snprintf(name, sizeof name, "%s.%.*s", words[w], (int)force->length, force->text);
      if (lwi_column_find(c->m, name, &column) && !is_there(c, name) &&
          lwi_patterns_match(patterns, name))
        status = add(c, column, name);
    }
  }
  return status;
}

lw_status lwi_columns_add(lw_columns *c, lwi_column column, const char *name)
{
  const char *before = c->text;
  const lw_status status = add(c, column, name);
  if (c->text != before) lwi_name_index_free(&c->index); /* its names have moved */
  return status == LW_OK && !lwi_columns_index(c) ? LW_E_MEMORY : status;
}

static lw_status select_columns(lw_columns *c, const char *list, lw_error *err)
{
  if (!list) return lwi_columns_walk_all(c->m, add, c);

  lwi_patterns patterns;
  lw_status status = lwi_patterns_parse(&patterns, list);
  if (status == LW_E_ARG) lwi_fail(err, status, "an empty name in the list of columns");
  if (status == LW_OK)
    status = lwi_columns_walk_all(c->m, add_if_matched, &(selection){c, &patterns});
  if (status == LW_OK) status = add_of_forces(c, &patterns);
  int unused = status == LW_OK ? lwi_patterns_find_unused(&patterns) : -1;
  while (unused >= 0 && (status = add_unlisted(c, &patterns, unused)) == LW_OK &&
         patterns.used[unused])
    unused = lwi_patterns_find_unused(&patterns);
  if (status == LW_OK && unused >= 0)
    status = fail_unknown(c->m, &patterns.index.name[unused], err);
  lwi_patterns_free(&patterns);
  return status;
}

/* ---- make ---- */

/* Loads, accelerations, energies and angles of cut joints depend on all bodies.  Cut joints count their turns from one
   output state to the next. */
static lwi_column_uses sum_up(const bool needs[], bool has_cut)
{
  lwi_column_uses x = {
      .joints = needs[LWI_COLUMN_Q] || needs[LWI_COLUMN_U] || needs[LWI_COLUMN_UDOT] ||
                needs[LWI_COLUMN_MOTOR] || needs[LWI_COLUMN_ELEMENT],
      .forces = needs[LWI_COLUMN_MOTOR] || needs[LWI_COLUMN_APPLIED] || needs[LWI_COLUMN_ELEMENT],
      .loads = needs[LWI_COLUMN_LOAD] || needs[LWI_COLUMN_CONSTRAINT_LOAD] ||
               needs[LWI_COLUMN_RELATION_LOAD]};
  x.all = x.forces || x.loads || needs[LWI_COLUMN_UDOT] || needs[LWI_COLUMN_MEASURE] ||
          needs[LWI_COLUMN_ACCELERATION] || needs[LWI_COLUMN_ENERGY];
  x.bodies = x.all || needs[LWI_COLUMN_POSE] || needs[LWI_COLUMN_VELOCITY];
  x.all = x.all || (has_cut && (needs[LWI_COLUMN_Q] || needs[LWI_COLUMN_U]));
  x.more = x.forces || needs[LWI_COLUMN_DRIFT] || needs[LWI_COLUMN_ENERGY_ERROR] ||
           needs[LWI_COLUMN_ACCELERATION] || (has_cut && x.joints);
  return x;
}

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
    const int link = joint->info.cut || joint->link < 1 ? 1 : joint->link;
    if (link < c->first_link) c->first_link = link;
  }
  c->uses = sum_up(c->needs, lw_ncut(c->m) > 0);
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
  if (status == LW_OK) status = lwi_outputs_open(c, err);
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
  lwi_outputs_close(c);
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
  if (!d) return sim ? lwi_columns_follow_phase(c) : LW_OK;
  lw_dynamics_free(c->dynamics);
  c->dynamics = d;
  c->work = lw_dynamics_work(d);
  return lwi_columns_follow_phase(c);
}

lw_columns *lwi_columns_one(const lw_model *m, const char *name, lw_error *err)
{
  lwi_name_list list = {0};
  lw_columns *one = NULL;
  if (lwi_name_list_add(&list, name))
    one = lw_columns_new(m, list.text, err);
  else
    lwi_out_of_memory(err, "the result columns");
  free(list.text);
  return one;
}

/* ---- after an event: the same names, another model ---- */

static lw_status bind(void *context, lwi_column column, const char *name)
{
  lw_columns *c = context;
  const int i = lwi_name_find(&c->index, name, strlen(name));
  if (i >= 0) c->column[i] = column;
  return LW_OK;
}

bool lwi_columns_index(lw_columns *c)
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

lw_status lwi_columns_follow_phase(lw_columns *c)
{
  if (!c->followed || c->phase == lwi_simulation_phase(c->followed)) return LW_OK;
  const lw_simulation *sim = c->followed;
  const lw_model *before = lwi_simulation_previous(sim);
  double *shown = c->q;
  free(c->u);
  free(c->udot);
  c->m = lw_simulation_model(sim);
  lw_status status = allocate_joints(c) && lwi_columns_index(c) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK && before && c->phase + 1 == lwi_simulation_phase(sim))
    keep_signs(before, shown, c->m, c->q);
  free(shown);
  for (int i = 0; i < c->n; i++) /* events have the numbers of the first model */
    if (c->column[i].kind != LWI_COLUMN_FREEDOM) c->column[i].kind = LWI_COLUMN_NOTHING;
  if (status == LW_OK) status = lwi_columns_walk(c->m, bind, c);
  for (int i = 0; i < c->n; i++)
    if (c->column[i].kind == LWI_COLUMN_NOTHING &&
        !lwi_column_find(c->m, c->text + c->name[i], &c->column[i]))
      c->column[i].kind = LWI_COLUMN_NOTHING;
  find_needs(c);
  const int before_that = c->phase;
  c->phase = lwi_simulation_phase(sim);
  if (status == LW_OK) status = lw_columns_follow(c, sim, NULL);
  if (status != LW_OK) c->phase = before_that;
  return status;
}

int lw_columns_count(const lw_columns *c)
{
  if (!c) return 0;
  return c->shown;
}

const char *lw_columns_name(const lw_columns *c, int index)
{
  if (!c) return NULL;
  return index >= 0 && index < c->shown ? c->text + c->name[index] : NULL;
}

double *lwi_columns_memory(lw_columns *c, int which, int *n)
{
  *n = which == 0 ? lw_nq_all(c->m) : c->orientation ? 4 * (lw_nbody(c->m) + 1) : 0;
  return which == 0 ? c->q : c->orientation ? c->orientation[0] : NULL;
}
