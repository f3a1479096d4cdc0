/* SPDX-License-Identifier: Apache-2.0 */
/* jump.h -- velocities across an event: the M-orthogonal projection of the velocities before it,
   and of applied impulses, onto the velocities that the mechanism admits afterwards; impacts are
   one-sided conditions.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_JUMP_H
#define LWI_SIM_EVENTS_JUMP_H
#include "sim/events/unit_push.h"
#include "sim/formulation/formulation.h"
#include "model/model.h"

/* of the root of the tolerance: impacts slower than that, relative to the fastest body, have no
   restitution */
#define LWI_SLOW_IMPACT 0.01
/* typical lengths per second: bodies at rest have such speeds by rounding errors */
#define LWI_AT_REST 1e-12
/* of the fastest body so far: rounding errors of speeds */
#define LWI_NO_SPEED 1e-13

/* An impact of approaching bodies. */
enum { LWI_MOST_IMPACTS = 64 };
typedef struct {
  const lw_event_desc *e;
  int number; /* number of the event in the model */
  lwi_unit_push unit;
  double aim;  /* normal speed after the impact */
  bool active; /* it has an impulse */
  double push;
  double drag[3]; /* of a contact that slides: friction per unit of its load */
} lwi_impact;

/* An impulse of an impact, as it was found: those of one round act together. */
typedef struct {
  lwi_impact hit;
  int round;   /* 0: of the events themselves, then those that it is passed on to */
  int across;  /* 0: along the normal; 1, 2: friction along this direction across it ... */
  int normal;  /* ... of the impulse with this index ... */
  bool slides; /* ... at the edge of its cone */
} lwi_done_push;

/* Two bodies that touch: they hit each other if the motion of others makes them approach. */
typedef struct {
  const lw_event_desc *e;
  int contact;
  bool due;     /* it is one of the events of this instant */
  bool passive; /* friction: not hit, only its speed is found */
  double restitution;
  double speed, push; /* after the event: normal speed and impulse */
  lwi_unit_push unit;
  /* of a contact with friction */
  double friction;
  int nacross;
  lwi_unit_push across[2];
  double slip[2], drag[2]; /* after the event: speeds and impulses across the normal */
} lwi_touching;

/* Scratch and results of one event; the arrays are one allocation. */
typedef struct {
  const lw_model *m; /* the model after the event */
  double *q, *u;     /* [nq], [nu] the state after the event */
  double (*V)[6];    /* [nbody + 1] velocities of the bodies' origins before the event */
  double (*after)[6];
  double (*p)[6]; /* [nlink] momenta and applied impulses about the links' origins */
  double (*scratch)[6];
  double *other; /* [nu] */
  lwi_impulses impulses;
  void *block;
  int nimpact;
  lwi_impact impact[LWI_MOST_IMPACTS]; /* [nimpact] those of the events themselves */
  int ntouch;
  lwi_touching *touch; /* [ntouch] owned by the caller */
  bool jammed;         /* no impulses within the cones of friction had the restitution */
  int rounds;          /* how many times impacts were propagated to other touching bodies */
  double
      speed; /* the largest one of any body, at least LWI_AT_REST: the scale for what counts as zero */
  double slow;  /* relative to that: slower impacts have no restitution */
  double least; /* speeds below it are rounding errors of standstill */
  bool keeps;   /* the impulses are wanted: */
  int ndone, done_capacity;
  lwi_done_push *done; /* [ndone] in the order of their rounds */

  double kinetic_before, kinetic_after;
  double jump_energy;                           /* 1/2 dV^T M dV */
  double momentum_before[6], momentum_after[6]; /* [angular about the ground origin; linear] */
} lwi_jump;

bool lwi_jump_init(lwi_jump *j, const lw_model *m);
void lwi_jump_free(lwi_jump *j);

/* Input: q, V.  Uses the impulses and impacts among the events.  Leaves the kinematics of the state
   after the event in d's work. */
lw_status lwi_jump_solve(lwi_jump *j, lw_dynamics *d, double t, const lwi_event *const event[],
                         int nevent);

/* After the event, for impacts: the speeds by a unit impulse, without those of drivers; the normal
   speed from the velocities in d's work; impulses x with A x = b, shared between equivalent
   impacts.  Returns false if there is no solution. */
lw_status lwi_jump_solve_response(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact *k,
                                  double u[]);
lw_status lwi_jump_speed(lwi_jump *j, const lw_dynamics *d, const lwi_impact *k, double *speed);
bool lwi_jump_share(int n, const double *A, const double *b, double *x);
/* A lower bound of the speed per unit impulse if the two bodies were free. */
double lwi_jump_free_response(const lwi_jump *j, const lwi_impact *k);
/* A[n][n]: speeds at unit pushes k[i] by those at k[l], in the configuration of the jump; d is of
   its model. */
lw_status lwi_jump_compliance(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact k[], int n,
                              double *A);

#endif
