/* SPDX-License-Identifier: Apache-2.0 */
/* run_events.h -- what `linkwork run` records and prints of events. */
#ifndef CLI_RUN_EVENTS_H
#define CLI_RUN_EVENTS_H
#include "verbs.h"

/* numbers of a joint or constraint, by name: models do not outlive their events */
typedef struct {
  char *name;
  int n;
  double x[6];
  bool
      alone; /* of speeds: no impulse, and no speed on the other side of the event, has this name */
} named_numbers;
typedef struct {
  int n;
  named_numbers *item;
} number_list;

typedef struct {
  double time;
  int nname;
  char **names;
  double kinetic_before, kinetic_after, jump_energy;
  double momentum_before[6], momentum_after[6];
  number_list u_before, u_after, impulses, relation_impulses, hits;
  bool moved; /* bodies, by `move: true` */
  double kinetic_moved, potential_before, potential_after;
  number_list moves, coordinate_moves; /* bodies: m, rad; coordinates of joints: before, after */
} run_event;

/* what the simulation warns of at events: the first ones, and how many there are */
enum { MOST_EVENT_WARNINGS = 5 };
typedef struct {
  int n;
  lw_error item[MOST_EVENT_WARNINGS];
} event_warnings;
void event_warnings_add(event_warnings *w, const lw_event_report *r);
void event_warnings_print(const cli_args *a, const event_warnings *w); /* on stderr */
void event_warnings_json(json *j, const cli_args *a, const event_warnings *w);

typedef struct {
  int n, capacity;
  run_event *item;
  event_warnings warnings;
} run_events;

bool run_events_add(run_events *list,
                    const lw_event_report *r); /* returns false if out of memory */
void run_events_free(run_events *list);
void run_events_print(const run_events *list);
bool run_transitions_print(const run_events *list); /* as a table; false: out of memory */
void run_events_json(json *j, const run_events *list);

#endif
