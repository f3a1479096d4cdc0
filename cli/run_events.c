/* SPDX-License-Identifier: Apache-2.0 */
/* run_events.c -- events of a run in its summary: speeds, impulses and energies before and
   after. */
#include "run_events.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 12, MOST_LINES = 24, MOST_RELATIONS = 6 }; /* of the table */

/* ---- keep ---- */

static char *copy_text(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static bool add(number_list *list, const char *name, const double *x, int n)
{
  named_numbers *to = &list->item[list->n];
  *to = (named_numbers){.name = copy_text(name), .n = n};
  if (!to->name) return false;
  if (n > 0) memcpy(to->x, x, (size_t)n * sizeof(double));
  list->n++;
  return true;
}

static bool take(number_list *list, int most)
{
  list->item = calloc((size_t)most + 1, sizeof *list->item);
  return list->item != NULL;
}

static bool floats(const lw_joint_info *info)
{
  return info->implicit && info->type == LW_FREE;
}

/* other: the model on the other side of the event, if this is the one before it; it may be m */
static bool keep_speeds(number_list *list, const lw_model *m, const double u[],
                        const lw_model *other)
{
  if (!take(list, lw_njoint(m))) return false;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (info.nu == 0) continue;
    if (!add(list, info.name, u + info.u_all, info.nu)) return false;
    list->item[list->n - 1].alone = other ? lw_find_joint(other, info.name).id < 1 : floats(&info);
  }
  return true;
}

/* [torque; force] becomes fx fy fz tx ty tz, as loads are listed */
static bool add_impulse(number_list *list, const char *name, const double *x)
{
  const double turned[6] = {x[3], x[4], x[5], x[0], x[1], x[2]};
  return add(list, name, turned, 6);
}

static bool keep_impulses(run_event *e, const lw_event_report *r)
{
  const lw_model *m = r->after;
  if (!take(&e->impulses, lw_njoint(m) + lw_nconstraint(m)) ||
      !take(&e->relation_impulses, lw_nconstraint(m)))
    return false;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (floats(&info)) continue;
    if (!add_impulse(&e->impulses, info.name, r->impulses + 6 * j)) return false;
  }
  for (int c = 1; c <= lw_nconstraint(m); c++) {
    const lw_constraint_info info = lw_get_constraint(m, (lw_constraint){c});
    const bool relation = info.type == LW_GEAR || info.type == LW_COUPLER || info.type == LW_DRIVER;
    if (!(relation ? add(&e->relation_impulses, info.name, r->relation_impulses + c, 1)
                   : add_impulse(&e->impulses, info.name, r->constraint_impulses + 6 * c)))
      return false;
  }
  return true;
}

static bool keep_hits(run_event *e, const lw_event_report *r)
{
  if (!take(&e->hits, r->nhit)) return false;
  for (int i = 0; i < r->nhit; i++)
    if (!add(&e->hits, r->hits[i].name, &r->hits[i].impulse, 1)) return false;
  return true;
}

/* bodies, and coordinates of joints that are there on both sides, that `move: true` has moved */
static bool keep_moves(run_event *e, const lw_event_report *r)
{
  const lw_model *a = r->before, *b = r->after;
  e->moved = r->moves != NULL;
  if (!e->moved) return true;
  if (!take(&e->moves, lw_nbody(b)) || !take(&e->coordinate_moves, lw_nq_all(a))) return false;
  for (int i = 1; i <= lw_nbody(b); i++)
    if (!add(&e->moves, lw_body_name(b, (lw_body){i}), r->moves[i], 2)) return false;
  for (int i = 1; i <= lw_njoint(a); i++) {
    const lw_joint_info info = lw_get_joint(a, (lw_joint){i});
    const lw_joint_info now = lw_get_joint(b, lw_find_joint(b, info.name));
    if (!now.name || now.type != info.type) continue;
    for (int k = 0; k < info.nq; k++) {
      char name[80];
      const double q[2] = {r->q_before[info.q_all + k], r->q_after[now.q_all + k]};
      snprintf(name, sizeof name, info.nq > 1 ? "%.60s.%d" : "%.60s", info.name, k + 1);
      if (!add(&e->coordinate_moves, name, q, 2)) return false;
    }
  }
  return true;
}

static bool keep(run_event *e, const lw_event_report *r)
{
  *e = (run_event){.time = r->time,
                   .kinetic_before = r->kinetic_before,
                   .kinetic_after = r->kinetic_after,
                   .jump_energy = r->jump_energy,
                   .kinetic_moved = r->kinetic_moved,
                   .potential_before = r->potential_before,
                   .potential_after = r->potential_after};
  memcpy(e->momentum_before, r->momentum_before, sizeof e->momentum_before);
  memcpy(e->momentum_after, r->momentum_after, sizeof e->momentum_after);
  e->names = calloc((size_t)r->nevent, sizeof *e->names);
  if (!e->names) return false;
  for (; e->nname < r->nevent; e->nname++)
    if (!(e->names[e->nname] = copy_text(r->names[e->nname]))) return false;
  return keep_speeds(&e->u_before, r->before, r->u_before, r->after) &&
         keep_speeds(&e->u_after, r->after, r->u_after, NULL) && keep_impulses(e, r) &&
         keep_hits(e, r) && keep_moves(e, r);
}

bool run_events_add(run_events *list, const lw_event_report *r)
{
  if (list->n == list->capacity) {
    const int capacity = list->capacity ? 2 * list->capacity : 8;
    run_event *item = realloc(list->item, (size_t)capacity * sizeof *item);
    if (!item) return false;
    list->item = item;
    list->capacity = capacity;
  }
  event_warnings_add(&list->warnings, r);
  return keep(&list->item[list->n++], r);
}

void event_warnings_add(event_warnings *w, const lw_event_report *r)
{
  for (int i = 0; i < r->nwarning; i++, w->n++)
    if (w->n < MOST_EVENT_WARNINGS) w->item[w->n] = r->warnings[i];
}

static const char *file_of(const cli_args *a, const lw_error *e)
{
  return e->file[0] ? e->file : a->model;
}

void event_warnings_print(const cli_args *a, const event_warnings *w)
{
  for (int i = 0; i < w->n && i < MOST_EVENT_WARNINGS; i++) {
    const lw_error *e = &w->item[i];
    print_message("%s:%d:%d: warning: %s", file_of(a, e), e->line, e->column, e->text);
  }
  if (w->n > MOST_EVENT_WARNINGS)
    print_message("%s: warning: ... and %d more of this kind", a->model,
                  w->n - MOST_EVENT_WARNINGS);
}

void event_warnings_json(json *j, const cli_args *a, const event_warnings *w)
{
  json_list(j, "event_warnings");
  for (int i = 0; i < w->n && i < MOST_EVENT_WARNINGS; i++) {
    const lw_error *e = &w->item[i];
    json_object(j, NULL);
    json_text(j, "text", e->text);
    json_text(j, "file", file_of(a, e));
    json_integer(j, "line", e->line);
    json_integer(j, "column", e->column);
    json_object_end(j);
  }
  json_list_end(j);
}

static void free_list(number_list *list)
{
  for (int i = 0; i < list->n; i++)
    free(list->item[i].name);
  free(list->item);
}

void run_events_free(run_events *list)
{
  for (int i = 0; i < list->n; i++) {
    run_event *e = &list->item[i];
    for (int k = 0; k < e->nname; k++)
      free(e->names[k]);
    free(e->names);
    free_list(&e->u_before);
    free_list(&e->u_after);
    free_list(&e->impulses);
    free_list(&e->relation_impulses);
    free_list(&e->hits);
    free_list(&e->moves);
    free_list(&e->coordinate_moves);
  }
  free(list->item);
}

/* ---- print ---- */

static double size_of(const double x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static const named_numbers *find(const number_list *list, const char *name)
{
  for (int i = 0; i < list->n; i++)
    if (strcmp(list->item[i].name, name) == 0) return &list->item[i];
  return NULL;
}

/* "S.2" of a joint with several freedoms */
static void print_label(const char *name, int n, int i)
{
  char label[64];
  if (n > 1)
    snprintf(label, sizeof label, "%s.%d", name, i + 1);
  else
    snprintf(label, sizeof label, "%s", name);
  printf("    %-14s", label);
}

static void print_number(bool there, double x)
{
  if (there)
    printf(" %13.7g", x);
  else
    printf(" %13s", "");
}

/* The speeds of a joint on both sides, a line each, with its impulse (NULL: none) in the first;
   returns how many lines there are, and prints those that fit. */
static int print_joint(const run_event *e, const char *name, const named_numbers *impulse, int line)
{
  const named_numbers *before = find(&e->u_before, name), *after = find(&e->u_after, name);
  int n = 1;
  if (before && before->n > n) n = before->n;
  if (after && after->n > n) n = after->n;
  for (int i = 0; i < n && line + i < MOST_LINES; i++) {
    const bool has_before = before && i < before->n, has_after = after && i < after->n;
    const bool both = has_before && has_after, last = i == 0 && impulse;
    print_label(name, n, i);
    print_number(has_before, has_before ? before->x[i] : 0);
    if (has_after || last) print_number(has_after, has_after ? after->x[i] : 0);
    if (both || last) print_number(both, both ? after->x[i] - before->x[i] : 0);
    if (last) printf(" %13.7g %13.7g", size_of(impulse->x), size_of(impulse->x + 3));
    printf("\n");
  }
  return n;
}

/* impulses of all joints and geometric constraints, and all speeds: also of bodies that float,
   and of joints that went */
static void print_joints(const run_event *e)
{
  const number_list *const speeds[2] = {&e->u_after, &e->u_before};
  int line = 0, hidden = 0;
  if (e->impulses.n + e->u_after.n + e->u_before.n == 0) return;
  printf("    %-14s %13s %13s %13s %13s %13s\n", "joint", "u before", "u after", "jump",
         "|impulse| N s", "|moment| Nms");
  for (int i = 0; i < e->impulses.n; i++)
    if (line < MOST_LINES)
      line += print_joint(e, e->impulses.item[i].name, &e->impulses.item[i], line);
    else
      hidden++;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < speeds[k]->n; i++) {
      if (!speeds[k]->item[i].alone) continue;
      if (line < MOST_LINES)
        line += print_joint(e, speeds[k]->item[i].name, NULL, line);
      else
        hidden++;
    }
  if (hidden) printf("    ... and %d more\n", hidden);
  for (int i = 0; i < e->relation_impulses.n && i < MOST_RELATIONS; i++)
    printf("    %-14s impulse of the relation %.7g\n", e->relation_impulses.item[i].name,
           e->relation_impulses.item[i].x[0]);
  for (int i = 0; i < e->hits.n && i < MOST_RELATIONS; i++)
    printf("    %-14s impulse of the hit %.7g\n", e->hits.item[i].name, e->hits.item[i].x[0]);
  if (e->hits.n > MOST_RELATIONS) printf("    ... and %d more hits\n", e->hits.n - MOST_RELATIONS);
}

static void print_names(const run_event *e)
{
  for (int i = 0; i < e->nname && i < 4; i++)
    printf("%s%s", i ? ", " : "", e->names[i]);
  if (e->nname > 4) printf(" and %d more", e->nname - 4);
}

static void print_moves(const run_event *e)
{
  int shown = 0;
  if (!e->moved) return;
  printf("    moved: kinetic energy %.9g -> %.9g, potential energy %.9g -> %.9g\n",
         e->kinetic_before, e->kinetic_moved, e->potential_before, e->potential_after);
  for (int i = 0; i < e->moves.n && shown < MOST_LINES; i++) {
    const named_numbers *x = &e->moves.item[i];
    if (!(x->x[0] > 0) && !(x->x[1] > 0)) continue;
    printf("    %-14s by %.6g m, %.6g rad\n", x->name, x->x[0], x->x[1]);
    shown++;
  }
  for (int i = 0; i < e->coordinate_moves.n && shown < 2 * MOST_LINES; i++) {
    const named_numbers *x = &e->coordinate_moves.item[i];
    if (x->x[0] == x->x[1]) continue;
    printf("    q.%-12s %13.7g -> %.7g\n", x->name, x->x[0], x->x[1]);
    shown++;
  }
}

void run_events_print(const run_events *list)
{
  if (list->n == 0) return;
  if (list->n > MOST_EVENTS) printf("%d ", list->n);
  printf("events\n");
  if (list->n > MOST_EVENTS && run_transitions_print(list)) return;
  for (int i = 0; i < list->n && i < MOST_EVENTS; i++) {
    const run_event *e = &list->item[i];
    printf("  t = %.10g: ", e->time);
    print_names(e);
    printf("\n    kinetic energy %.9g -> %.9g, lost %.9g; 1/2 dV^T M dV %.9g\n", e->kinetic_before,
           e->kinetic_after, e->kinetic_before - e->kinetic_after, e->jump_energy);
    printf("    momentum       %.6g -> %.6g linear, %.6g -> %.6g angular\n",
           size_of(e->momentum_before + 3), size_of(e->momentum_after + 3),
           size_of(e->momentum_before), size_of(e->momentum_after));
    print_moves(e);
    print_joints(e);
  }
  if (list->n > MOST_EVENTS) printf("  ... and %d more events\n", list->n - MOST_EVENTS);
  printf("\n");
}

static void json_list_of(json *j, const char *key, const number_list *list)
{
  json_object(j, key);
  for (int i = 0; i < list->n; i++)
    if (list->item[i].n == 1)
      json_number(j, list->item[i].name, list->item[i].x[0]);
    else
      json_numbers(j, list->item[i].name, list->item[i].x, list->item[i].n);
  json_object_end(j);
}

void run_events_json(json *j, const run_events *list)
{
  json_list(j, "events");
  for (int i = 0; i < list->n; i++) {
    const run_event *e = &list->item[i];
    json_object(j, NULL);
    json_number(j, "time", e->time);
    json_list(j, "names");
    for (int k = 0; k < e->nname; k++)
      json_text(j, NULL, e->names[k]);
    json_list_end(j);
    json_number(j, "kinetic_before", e->kinetic_before);
    json_number(j, "kinetic_after", e->kinetic_after);
    json_number(j, "kinetic_lost", e->kinetic_before - e->kinetic_after);
    json_number(j, "jump_energy", e->jump_energy);
    json_numbers(j, "linear_momentum_before", e->momentum_before + 3, 3);
    json_numbers(j, "linear_momentum_after", e->momentum_after + 3, 3);
    json_numbers(j, "angular_momentum_before", e->momentum_before, 3);
    json_numbers(j, "angular_momentum_after", e->momentum_after, 3);
    json_list_of(j, "u_before", &e->u_before);
    json_list_of(j, "u_after", &e->u_after);
    json_list_of(j, "impulses", &e->impulses);
    json_list_of(j, "relation_impulses", &e->relation_impulses);
    json_list_of(j, "hits", &e->hits);
    if (e->moved) {
      json_object(j, "moved");
      json_number(j, "kinetic_before", e->kinetic_before);
      json_number(j, "kinetic_after", e->kinetic_moved);
      json_number(j, "potential_before", e->potential_before);
      json_number(j, "potential_after", e->potential_after);
      json_list_of(j, "bodies", &e->moves);
      json_list_of(j, "coordinates", &e->coordinate_moves);
      json_object_end(j);
    }
    json_object_end(j);
  }
  json_list_end(j);
}
