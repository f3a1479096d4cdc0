/* SPDX-License-Identifier: Apache-2.0 */
/* run_transitions.c -- many events of a run as a table: by name, how often, from when to when, and
   how hard. */
#include "run_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 40 };

/* all events of one name */
typedef struct {
  const char *name;
  int n;
  double first, last;
  double impulse; /* the largest one of its hits; -1: it was never hit */
} transition;

static transition *find(transition list[], int *n, const char *name)
{
  for (int i = 0; i < *n; i++)
    if (strcmp(list[i].name, name) == 0) return &list[i];
  list[*n] = (transition){.name = name, .impulse = -1};
  return &list[(*n)++];
}

/* Returns how many there are. */
static int collect(const run_events *events, transition list[])
{
  int n = 0;
  for (int i = 0; i < events->n; i++) {
    const run_event *e = &events->item[i];
    for (int k = 0; k < e->nname; k++) {
      transition *t = find(list, &n, e->names[k]);
      if (t->n++ == 0) t->first = e->time;
      t->last = e->time;
    }
    for (int k = 0; k < e->hits.n; k++) /* of names that are there */
      for (int l = 0; l < n; l++)
        if (strcmp(list[l].name, e->hits.item[k].name) == 0)
          list[l].impulse = fmax(list[l].impulse, e->hits.item[k].x[0]);
  }
  return n;
}

bool run_transitions_print(const run_events *events)
{
  size_t most = 1;
  for (int i = 0; i < events->n; i++)
    most += (size_t)events->item[i].nname;
  transition *list = calloc(most, sizeof *list);
  if (!list) return false;
  const int n = collect(events, list);
  printf("  %-32s %8s %14s %14s %14s\n", "event", "times", "first s", "last s", "largest N s");
  for (int i = 0; i < n && i < MOST_LINES; i++) {
    const transition *t = &list[i];
    printf("  %-32s %8d %14.8g %14.8g", t->name, t->n, t->first, t->last);
    if (t->impulse >= 0) printf(" %14.6g", t->impulse);
    printf("\n");
  }
  if (n > MOST_LINES) printf("  ... and %d more names\n", n - MOST_LINES);
  printf("  (each of them: run --json)\n\n");
  free(list);
  return true;
}
