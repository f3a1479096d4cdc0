/* SPDX-License-Identifier: Apache-2.0 */
/* random_scenarios.h -- random models with parameters in all they have, events of every kind, ends that move, and
   objectives of every kind. */
#ifndef RANDOM_SCENARIOS_H
#define RANDOM_SCENARIOS_H
#include "whole_runs.h"

typedef enum {
  SCENARIO_QUIET,          /* no event */
  SCENARIO_LOCK,           /* at a time that is a parameter, */
  SCENARIO_UNLOCK,         /* and freed again */
  SCENARIO_LOCK_WHEN,      /* when something is reached */
  SCENARIO_CONNECT,        /* where it is, and disconnected again */
  SCENARIO_MOVE,           /* where it is not */
  SCENARIO_LEAVE,          /* disconnect when something is reached */
  SCENARIO_IMPULSE,        /* each time that something is reached */
  SCENARIO_IMPACT,         /* with restitution */
  SCENARIO_STOP_WHEN,      /* ends the run */
  SCENARIO_STOP_AT,        /* ends it at a time */
  SCENARIO_HIT_AND_STOP,   /* an impulse, and later a stop when something is reached */
  SCENARIO_LOCK_AND_STOP,  /* in one instant */
  SCENARIO_HALVING_IMPACT, /* restitution about a half, */
  SCENARIO_SOFT_IMPACT,    /* near zero, */
  SCENARIO_DEAD_IMPACT,    /* and zero: bodies come to rest */
  SCENARIO_MOVE_TO_PLANE,  /* a point comes into a plane, */
  SCENARIO_MOVE_AND_DRIVE, /* a driver turns a joint */
  SCENARIO_KINDS
} scenario_kind;
const char *scenario_kind_name(scenario_kind k);

typedef enum {
  MECHANISM_CHAIN,    /* hinged rods */
  MECHANISM_PLANAR,   /* the same in a planar model, with a slider */
  MECHANISM_SPATIAL,  /* spherical, universal, free */
  MECHANISM_FOUR_BAR, /* a loop */
  MECHANISM_DRIVEN,   /* a loop with a driver */
  MECHANISM_GEARED,   /* a gear between two arms, springs */
  MECHANISM_UNEQUAL,  /* mass ratios from 1e-4 to 1e4 */
  MECHANISM_UNHELD,   /* a loop that is written open, of which nothing is held */
  MECHANISM_KINDS
} mechanism_kind;
const char *mechanism_kind_name(mechanism_kind k);

typedef struct {
  run_subject subject;
  scenario_kind kind;
  mechanism_kind mechanism;
  char text[8192];
  char names[4 * RUN_OBJECTIVES][24]; /* of columns */
} scenario;

/* false: nothing comes of this seed */
bool scenario_make(scenario *s, unsigned seed, mechanism_kind mechanism, scenario_kind kind);

extern const char *const scenario_parameters[];
enum { SCENARIO_PARAMETERS = 6 };

#endif
