/* SPDX-License-Identifier: Apache-2.0 */
/* random_events.h -- random events on a random mechanism, and the mechanism that they leave, kept as
   plain data independently of linkwork. */
#ifndef RANDOM_EVENTS_H
#define RANDOM_EVENTS_H
#include "linkwork/simulate.h"
#include "oracle.h"

enum { RANDOM_JOINTS = 64, RANDOM_BODIES = 64, RANDOM_AT_ONCE = 6 };

typedef enum {
  EVENT_LOCK,
  EVENT_PARTIAL_LOCK,
  EVENT_SKEW_LOCK, /* one axis of a universal joint whose axes are not perpendicular */
  EVENT_UNLOCK,
  EVENT_REPLACE,
  EVENT_JOIN,  /* connect: what was apart, ... */
  EVENT_CLOSE, /* ... what was joined already */
  EVENT_LEAVE, /* disconnect: so that something comes loose, ... */
  EVENT_OPEN,  /* ... a loop */
  EVENT_IMPULSE,
  EVENT_IMPACT,
  EVENT_MERGE,
  EVENT_SPLIT,
  EVENT_KINDS
} event_kind;
const char *event_kind_name(event_kind k);

typedef struct {
  lwt_parts *parts; /* bodies */
  int njoint;
  lw_joint_desc joint[RANDOM_JOINTS];
  char name[RANDOM_JOINTS][16];
  bool present[RANDOM_JOINTS];
  unsigned still[RANDOM_JOINTS];
  bool merged; /* bodies 1 ... nmerged are one */
  int nmerged;
  lwt_random r;
  oracle_frame pose[RANDOM_BODIES];
  double V[RANDOM_BODIES][6];
  double p[RANDOM_BODIES][6]; /* impulses of this instant about the centres of mass */
  lw_event_desc impact;       /* of this instant; body 0: none */
} event_world;

/* what happens in one instant */
typedef struct {
  int n;
  lw_event_desc event[RANDOM_AT_ONCE];
  event_kind kind[RANDOM_AT_ONCE];
  lw_joint_desc joint[RANDOM_AT_ONCE];
  int dofs[RANDOM_AT_ONCE][6];
  lw_body bodies[RANDOM_BODIES];
} event_batch;

event_world *event_world_new(const lwt_recipe *recipe);
void event_world_free(event_world *w);

/* Poses and velocities of the bodies as the simulation has them. */
void event_world_read(event_world *w, lw_simulation *sim);
/* n events, no two of them about the same joint; the world becomes what they make of it. */
void event_world_happen(event_world *w, event_batch *x, int n);

/* Are two bodies joined, by any number of joints that are there?  skip: but for that joint; -1. */
bool event_world_joined(const event_world *w, int a, int b, int skip);
/* The speed of the impact of this instant along its normal, with velocities V of the bodies. */
double event_approach(event_world *w, double V[][6]);
lw_place event_place(oracle_frame X, bool planar);

#endif
