/* SPDX-License-Identifier: Apache-2.0 */
/* jump.h -- velocities across an event: the M-orthogonal projection of those before it, and of applied
   impulses, on the velocities that the mechanism allows afterwards; impacts are one-sided conditions on
   it.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_JUMP_H
#define LWI_SIM_EVENTS_JUMP_H
#include "sim/formulation/formulation.h"
#include "model/model.h"

/* An impact that approaches. */
enum { LWI_MOST_IMPACTS = 64 };
typedef struct {
  const lw_event_desc *e;
  int number;           /* of the event in the model */
  double point[3], aim; /* speed that it shall have afterwards */
  bool active;          /* it pushes */
  double push;
} lwi_impact;

/* Two bodies that touch: they hit each other if what others do makes them approach. */
typedef struct {
  const lw_event_desc *e;
  int contact;
  bool due; /* it is one of the events */
  double restitution;
  double speed, push; /* afterwards */
} lwi_touching;

/* The speed at which they part, in the velocities that the work holds. */
double lwi_touching_speed(const lw_work *w, const lwi_touching *x);

/* Room and results of one event; arrays are one block. */
typedef struct {
  const lw_model *m; /* afterwards */
  double *q, *u;     /* [nq], [nu] the state afterwards */
  double (*V)[6];    /* [nbody + 1] before, of the bodies' origins */
  double (*after)[6];
  double (*p)[6]; /* [nlink] momenta and applied impulses about the links' origins */
  double (*scratch)[6];
  double *other; /* [nu] */
  lwi_impulses impulses;
  void *block;
  int nimpact;
  lwi_impact impact[LWI_MOST_IMPACTS]; /* [nimpact] those of the events themselves */
  int ntouch;
  lwi_touching *touch; /* [ntouch] the caller's */
  int rounds;          /* how often impacts were passed on to others that touch */
  double speed;        /* the largest one of any body: what is compared with it is zero */

  double kinetic_before, kinetic_after;
  double jump_energy;                           /* 1/2 dV' M dV */
  double momentum_before[6], momentum_after[6]; /* [angular about the ground origin; linear] */
} lwi_jump;

bool lwi_jump_init(lwi_jump *j, const lw_model *m);
void lwi_jump_free(lwi_jump *j);

/* In: q, V.  Of the events impulses and impacts count.  Leaves kinematics of the state in d's work. */
lw_status lwi_jump_solve(lwi_jump *j, lw_dynamics *d, double t, const lwi_event *const event[],
                         int nevent);

/* Afterwards, of impacts: the speeds that answer a unit push, but for what drivers do; the speed along the
   normal, in the velocities that d's work holds; pushes x with A x = b, that share where several do the
   same.  false: there are none. */
lw_status lwi_jump_solve_response(lwi_jump *j, lw_dynamics *d, double t, const lwi_impact *k,
                                  double u[]);
lw_status lwi_jump_speed(lwi_jump *j, const lw_dynamics *d, const lwi_impact *k, double *speed);
bool lwi_jump_share(int n, const double *A, const double *b, double *x);

#endif
