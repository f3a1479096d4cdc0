/* SPDX-License-Identifier: Apache-2.0 */
/* read_events.c -- the section `events`: a list of mappings, each with a time or trigger and one
   action. */
#include "base/name_index.h"
#include "io/read/key_tables.h"
#include "io/read/read_common.h"
#include "linkwork/reader.h"

#include <stdlib.h>
#include <string.h>

/* ---- names: those of the file, and those that events make ---- */

typedef struct {
  lwi_name_index events;    /* names of the events so far */
  lwi_name_index joints;    /* of the section `joints`: joints and constraints */
  lwi_name_index connected; /* made by `connect`, anywhere in the list */
  lwi_name_index merged;    /* made by `merge` */
} names;

typedef struct {
  lw_event_desc d;
  names *n;
  lwi_connection connection; /* what d.new_joint or d.new_constraint points to */
  int dofs[6];
  lw_body *bodies; /* malloc'ed */
} event;

static bool has_name(const lwi_name_index *x, const char *name)
{
  return lwi_name_find(x, name, strlen(name)) >= 0;
}

/* a joint of the file or one that an event connects; constraints too where they are allowed */
static bool read_joint(lwi_reader *r, event *e, const lwi_yaml_node *value, bool constraints)
{
  const char *name;
  if (!lwi_read_name(r, value, &name)) return false;
  e->d.joint = name;
  if (has_name(&e->n->connected, name) || lw_spec_find_joint(r->spec, name).id > 0) return true;
  if (constraints && has_name(&e->n->joints, name)) return true;
  return lwi_read_unknown_name(r, value, "joint", r->joints, NULL);
}

/* ---- actions ---- */

static bool read_dofs(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  if (value->kind != LWI_YAML_LIST || value->count == 0)
    return lwi_read_expected(r, value, "a list of freedoms, like [1, 2],");
  if (value->count > LWI_COUNT(e->dofs))
    return lwi_read_fail(r, value, "a joint has at most six freedoms");
  for (int i = 0; i < value->count; i++) {
    if (!lwi_read_index(r, value->item[i], &e->dofs[i])) return false;
    if (e->dofs[i] > LWI_COUNT(e->dofs))
      return lwi_read_fail(r, value->item[i], "a joint has at most six freedoms");
  }
  e->d.dofs = e->dofs;
  e->d.ndof = value->count;
  return true;
}

static bool read_joint_key(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_joint(r, to, value, false);
}

static const lwi_field lock_fields[] = {
    {"joint", read_joint_key, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "joint", NULL, "which joint"},
    {"dofs", read_dofs, 0, LWI_ONLY_TYPE, 0, "list of indices", "all", "which of its freedoms"},
};
const lwi_part_keys lwi_lock_keys = LWI_PART("lock", "event", "a lock", lock_fields);

/* J3, or {joint: J3, dofs: [2]} */
static bool read_lock(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  const lwi_field_table shape = {r->key, lock_fields, LWI_COUNT(lock_fields), 0};
  if (value->kind == LWI_YAML_SCALAR) return read_joint(r, to, value, false);
  return lwi_read_fields(r, value, value, &shape, to);
}

static bool read_replace(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  e->connection = (lwi_connection){.replaces = true};
  if (!lwi_read_is_map(r, value) || !lwi_read_connection(r, value, &e->connection)) return false;
  e->d.new_joint = &e->connection.joint;
  r->key = "joint";
  return read_joint(r, to, lwi_yaml_find(value, "joint"), false);
}

static bool has_one_of(const lwi_yaml_node *map, const char *a, const char *b)
{
  return lwi_yaml_find(map, a) || lwi_yaml_find(map, b);
}

static bool read_connect(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  lwi_connection *c = &e->connection;
  *c = (lwi_connection){.replaces = false};
  if (!lwi_read_is_map(r, value) || !lwi_read_connection(r, value, c)) return false;
  const char *name = c->is_joint ? c->joint.name : c->constraint.name;
  if (has_name(&e->n->joints, name))
    return lwi_read_fail(r, lwi_yaml_find(value, "name"), "the name \"%.60s\" is taken by a joint",
                         name);
  if (c->is_joint)
    e->d.new_joint = &c->joint;
  else
    e->d.new_constraint = &c->constraint;
  e->d.placed = has_one_of(value, "at", "orient") || lwi_read_is_point(r, value, "parent");
  e->d.child_placed =
      has_one_of(value, "child_at", "child_orient") || lwi_read_is_point(r, value, "child");
  e->d.move = c->move;
  return true;
}

static bool read_disconnect(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return read_joint(r, to, value, true);
}

static bool read_event_point(lwi_reader *r, const lwi_yaml_node *value, event *e)
{
  const lwi_place_keys keys = {"body", "at", NULL};
  return lwi_read_place_of_point(r, value, &keys, e->d.point, NULL);
}

#define AT(field) offsetof(event, d.field)
static const lwi_field impulse_fields[] = {
    {"body", lwi_read_body_or_point, AT(body), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "body or point", NULL,
     "on which body"},
    {"at", lwi_read_vector, AT(point), LWI_ONLY_TYPE, 0, "vector", "origin",
     "where, in the frame of the body"},
    {"linear", lwi_read_vector, AT(linear), LWI_ONLY_TYPE, 0, "vector", "0",
     "linear impulse, ground axes (8.8)"},
    {"angular", lwi_read_angular, AT(angular), LWI_ONLY_TYPE, 0, "vector or number", "0",
     "angular impulse"},
};
const lwi_part_keys lwi_impulse_keys = LWI_PART("impulse", "event", "an impulse", impulse_fields);

static bool read_impulse(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  if (!lwi_read_fields(r, value, value, lwi_impulse_keys.table, to) ||
      !read_event_point(r, value, to))
    return false;
  return lwi_yaml_find(value, "linear") || lwi_yaml_find(value, "angular") ||
         lwi_read_fail(r, value, "an impulse needs `linear` or `angular`: it would do nothing");
}

static bool read_restitution(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  double *x = to;
  if (!lwi_read_number(r, value, x)) return false;
  return !(*x < 0 || *x > 1) || lwi_read_fail(r, value, "the restitution must be between 0 and 1");
}

static const lwi_field impact_fields[] = {
    {"body", lwi_read_body_or_point, AT(body), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "body or point", NULL,
     "which body hits"},
    {"at", lwi_read_vector, AT(point), LWI_ONLY_TYPE, 0, "vector", "origin",
     "with which of its points"},
    {"other", lwi_read_body, AT(other), LWI_ONLY_TYPE, 0, "body", "ground", "what it hits"},
    {"normal", lwi_read_axis, AT(normal), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "axis", NULL,
     "direction of the push on `body`, in the axes of `other` (8.9)"},
    {"restitution", read_restitution, AT(restitution), LWI_ONLY_TYPE, 0, "number", "0", "0 to 1"},
};
const lwi_part_keys lwi_impact_keys = LWI_PART("impact", "event", "an impact", impact_fields);

static bool read_impact(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  if (!lwi_read_fields(r, value, value, lwi_impact_keys.table, to) ||
      !read_event_point(r, value, to))
    return false;
  const lwi_yaml_node ground = lwi_read_ground_at(value);
  return lwi_yaml_find(value, "other") || lwi_read_body(r, &ground, &e->d.other);
}

static bool read_bodies(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  if (value->kind != LWI_YAML_LIST || value->count < 2)
    return lwi_read_expected(r, value, "a list of two or more bodies");
  free(e->bodies);
  e->bodies = calloc((size_t)value->count, sizeof *e->bodies);
  if (!e->bodies) return lwi_read_no_memory(r);
  e->d.bodies = e->bodies;
  e->d.nbody = value->count;
  for (int i = 0; i < value->count; i++) {
    if (!lwi_read_body(r, value->item[i], &e->bodies[i])) return false;
    if (e->bodies[i].id == 0)
      return lwi_read_fail(r, value->item[i], "the ground cannot be merged: connect a fixed joint");
  }
  return true;
}

static const lwi_field merge_fields[] = {
    {"name", lwi_read_name, AT(merge), LWI_ONLY_TYPE, LWI_ONLY_TYPE, "name", NULL,
     "of the merge, for `split`"},
    {"bodies", read_bodies, 0, LWI_ONLY_TYPE, LWI_ONLY_TYPE, "list of bodies", NULL,
     "those that become one"},
};
const lwi_part_keys lwi_merge_keys = LWI_PART("merge", "event", "a merge", merge_fields);

static bool read_merge(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  return lwi_read_fields(r, value, value, lwi_merge_keys.table, to);
}
#undef AT

static bool read_split(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  if (!lwi_read_name(r, value, &e->d.merge)) return false;
  return has_name(&e->n->merged, e->d.merge) || lwi_read_unknown(r, value, "merge", NULL, 0);
}

static bool read_stop(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  bool stop = true;
  (void)to;
  if (lwi_read_is_empty(value)) return true;
  if (!lwi_read_bool(r, value, &stop)) return false;
  return stop || lwi_read_fail(r, value, "`stop: false` does nothing: leave the event out");
}

/* ---- the moment ---- */

static bool read_event_name(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  if (!lwi_read_name(r, value, &e->d.name)) return false;
  const int before = e->n->events.n;
  const int at = lwi_name_add(&e->n->events, e->d.name, strlen(e->d.name));
  if (at < 0) return lwi_read_no_memory(r);
  return at == before || lwi_read_fail(r, value, "the name is taken by another event");
}

static bool read_at(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  r->type = lwi_event_keys.name; /* `at` of actions is a place (read_units.c) */
  if (!lwi_read_number(r, value, &e->d.at)) return false;
  r->type = NULL;
  return !(e->d.at < 0) || lwi_read_fail(r, value, "`at` is a time: it must not be negative");
}

static bool read_when(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  e->d.has_when = true;
  return lwi_read_number(r, value, &e->d.when);
}

static bool read_direction(lwi_reader *r, const lwi_yaml_node *value, void *to)
{
  event *e = to;
  int choice;
  if (!lwi_read_word(r, value, &choice)) return false;
  e->d.direction = (lw_crossing)choice;
  return true;
}

/* ---- one event ---- */

enum { ONE = LWI_ONLY_TYPE, FIRST_ACTION = 5 };
static const lwi_field event_fields[] = {
    {"name", read_event_name, 0, ONE, 0, "name", "none", "for reports and columns"},
    {"at", read_at, 0, ONE, 0, "number", NULL, "the time; or `when`"},
    {"when", read_when, 0, ONE, 0, "expression", NULL,
     "fires where it crosses zero, of result columns (8.17)"},
    {"direction", read_direction, 0, ONE, 0, "both | rising | falling", "both",
     "which crossings of `when`"},
    {"once", lwi_read_bool, offsetof(event, d.once), ONE, 0, "boolean", "false",
     "only the first crossing of `when`"},
    /* actions from here, in the order of lw_action */
    {"lock", read_lock, 0, ONE, 0, "joint or lock", NULL,
     "freedoms stop and stay as they are (8.3)"},
    {"unlock", read_lock, 0, ONE, 0, "joint or lock", NULL, "locked freedoms are free again (8.4)"},
    {"replace", read_replace, 0, ONE, 0, "replacement", NULL,
     "a joint becomes one of another type (8.5)"},
    {"connect", read_connect, 0, ONE, 0, "connection", NULL, "a new joint or constraint (8.6)"},
    {"disconnect", read_disconnect, 0, ONE, 0, "joint", NULL, "a joint or constraint ends (8.7)"},
    {"impulse", read_impulse, 0, ONE, 0, "impulse", NULL, "a push (8.8)"},
    {"impact", read_impact, 0, ONE, 0, "impact", NULL, "a hit, with restitution (8.9)"},
    {"merge", read_merge, 0, ONE, 0, "merge", NULL, "bodies become one (8.10)"},
    {"split", read_split, 0, ONE, 0, "name", NULL, "the end of a merge (8.10)"},
    {"stop", read_stop, 0, ONE, 0, "boolean", "true", "the run ends"},
};
const lwi_part_keys lwi_event_keys = LWI_PART("event", "event", "an event", event_fields);

/* Exactly one time or trigger, and one action. */
static bool check_whole(lwi_reader *r, const lwi_yaml_node *map, lw_action *action)
{
  const bool at = lwi_yaml_find(map, "at"), when = lwi_yaml_find(map, "when");
  const lwi_yaml_node *direction = lwi_yaml_find(map, "direction");
  const lwi_yaml_node *once = lwi_yaml_find(map, "once");
  if (at == when)
    return lwi_read_fail(r, map, "an event has %s",
                         at ? "`at` or `when`, not both" : "`at` or `when`");
  if (at && (direction || once))
    return lwi_read_fail(r, direction ? direction : once, "`%s` belongs to `when`, not to `at`",
                         direction ? "direction" : "once");
  int actions = 0;
  for (int i = FIRST_ACTION; i < LWI_COUNT(event_fields); i++)
    if (lwi_yaml_find(map, event_fields[i].key)) {
      *action = (lw_action)(LW_ACTION_LOCK + i - FIRST_ACTION);
      actions++;
    }
  return actions == 1 ||
         lwi_read_fail(r, map,
                       "an event has one of lock, unlock, replace, connect, disconnect, impulse, "
                       "impact, merge, split, stop; found %s",
                       actions ? "several" : "none");
}

static bool read_event(lwi_reader *r, const lwi_yaml_node *map, names *n)
{
  event e = {.n = n};
  const bool ok =
      lwi_read_fields(r, map, map, lwi_event_keys.table, &e) && check_whole(r, map, &e.d.action);
  if (ok) {
    lwi_read_locate(r, map);
    lw_add_event(r->spec, &e.d);
  }
  free(e.connection.terms);
  free(e.bodies);
  return ok && lwi_read_check(r);
}

/* ---- the list ---- */

/* The name that a `connect` or `merge` of the event makes, if it is written as it should be. */
static bool collect_name(lwi_reader *r, const lwi_yaml_node *map, const char *action,
                         lwi_name_index *to)
{
  const lwi_yaml_node *made = map->kind == LWI_YAML_MAP ? lwi_yaml_find(map, action) : NULL;
  const lwi_yaml_node *name =
      made && made->kind == LWI_YAML_MAP ? lwi_yaml_find(made, "name") : NULL;
  if (!name || name->kind != LWI_YAML_SCALAR) return true;
  const char *whole = lwi_read_whole_name(r, name);
  return whole && (lwi_name_add(to, whole, strlen(whole)) >= 0 || lwi_read_no_memory(r));
}

static bool collect_names(lwi_reader *r, const lwi_yaml_node *section, names *n)
{
  for (int i = 0; r->joints && i < r->joints->count; i++) {
    const lwi_yaml_node *key = r->joints->entry[i].key;
    if (lwi_name_add(&n->joints, key->text, (size_t)key->count) < 0) return lwi_read_no_memory(r);
  }
  for (int i = 0; i < section->count; i++)
    if (!collect_name(r, section->item[i], "connect", &n->connected) ||
        !collect_name(r, section->item[i], "merge", &n->merged))
      return false;
  return true;
}

static bool read_list(lwi_reader *r, const lwi_yaml_node *section, names *n)
{
  if (!collect_names(r, section, n)) return false;
  for (int i = 0; i < section->count; i++) {
    r->kind = "event";
    r->number = i + 1;
    r->name = section->item[i];
    r->key = "events";
    if (!read_event(r, section->item[i], n)) return false;
  }
  r->kind = NULL;
  r->number = 0;
  return true;
}

bool lwi_read_events(lwi_reader *r, const lwi_yaml_node *section)
{
  if (section->kind != LWI_YAML_LIST) return lwi_read_expected(r, section, "a list");
  names n = {.events = {0}};
  const bool ok = read_list(r, section, &n);
  lwi_name_index_free(&n.events);
  lwi_name_index_free(&n.joints);
  lwi_name_index_free(&n.connected);
  lwi_name_index_free(&n.merged);
  return ok;
}
