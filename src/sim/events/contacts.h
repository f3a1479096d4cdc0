/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.h -- contacts of bodies, limits of joints and dry friction.  The expression of an event
   `impact: ... when:` is the gap between two bodies, that of a limit the distance from it.  While
   it is zero they touch: they hit each other again if they approach, and rest on each other if they
   neither approach nor separate.  A resting contact is a constraint of the model, `contact.EVENT`:
   a point of one body on a plane of the other; a resting limit is a coupler of one coordinate.  It
   is removed as soon as its load would have to be tensile.  The expression of friction is the speed
   of a freedom.  While it is zero the freedom sticks, by a coupler whose load is bounded; else it
   slides with a constant load against it.  docs/theory/contact.md. */
#ifndef LWI_SIM_EVENTS_CONTACTS_H
#define LWI_SIM_EVENTS_CONTACTS_H
#include "linkwork/simulate.h"
#include "model/model.h"
#include "model/spec/spec_phase.h"
#include "sim/events/curve.h"
#include "sim/events/jump.h"
#include "sim/formulation/bearing.h"

typedef struct {
  const lwi_event *e;
  int side;     /* the sign of the gap when the bodies are apart; 0: not known yet */
  bool apart;   /* the bodies have been apart since the last hit */
  bool pushed;  /* the bodies have hit each other before */
  bool stuck;   /* they have not, but the gap has the wrong sign: it came back within one step */
  int trigger;  /* index of the gap among the watched expressions */
  int friction; /* of a limit: the friction of the same freedom among the contacts; -1: none.  While
                     it rests on the limit both are one load, >= -static */
  int normal;   /* of the friction of a contact: the contact itself; -1: another kind */
  int state;    /* ... and where the state has its normal load and its direction of sliding: in q */
  double along[3],
      direction[3]; /* ... along which it slides, in ground axes and those of the other body */
  int nacross;
  double across[2],
      pull[3];         /* ... its load with all held, along the directions of unit_push.h, and as a
                  vector */
  lwi_bearing bearing; /* friction of the joint's own load: what its load is with all held, ... */
  double carried[6];
  double bears;  /* ... and what its bounds are proportional to */
  bool resting;  /* the constraint is active */
  int sliding;   /* friction: the direction in which the freedom slides; 0: it sticks ... */
  int slides;    /* ... and from this instant on */
  double excess; /* of its load beyond its bounds that moves nothing: a rounding error */
  double gap;    /* at the last instant at which the bodies touched */
  bool open;     /* its load was not unique at some instant */
  bool leaving;  /* its load has become tensile, or reached the static friction */
  bool slight;   /* this hit is: the gap has not exceeded its noise since */
  double fired;  /* time of the last hit; -infinity: none */
  double left; /* when it was last thrown off or let go; infinity: it rests, or never was closed */
  double let_go;  /* when it was found stuck, but not held */
  double axis[3]; /* the normal in the other body's axes while it rests */
  double interval,
      longest; /* intervals between hits: the last one, and the first one of those that decrease;
                  infinity: none */
} lwi_contact;

typedef struct {
  int n;
  lwi_contact *item;
  lwi_touching *touch; /* [n] scratch for one instant */
  bool *hold;          /* [n] contacts that are to rest */
  double *load;        /* [n] loads with all of them held */
  double fastest;      /* speed of any body at any instant so far: the scale of standstill */
  bool check;          /* at the start: contacts must be detected */
  bool sticks; /* friction holds whatever its load: to find out what it has to carry at rest */
  /* of contact_watch.c, for one phase of the simulation: */
  lw_dynamics *dynamics; /* computes loads; NULL until first needed */
  int phase;
  double *udot;           /* [nu_all] scratch */
  int nwatched, *watched; /* what rests or sticks ... */
  lwi_curve curve;        /* ... and its loads along a step */
} lwi_contacts;

/* The load along the push of what is held (unit_push.h) after the loads of d were found; -infinity:
   it is not active.  Its bounds, rounding errors (noise) included. */
typedef struct {
  double lower, upper, noise;
} lwi_load_bounds;
/* relative to loads: so far beyond its bounds is a load that has left them, and what moves then is seen */
static const double lwi_visibly_beyond = 1e-3;
double lwi_contact_load(lwi_contact *k, const lw_dynamics *d);
/* The same, but of the friction of a contact what it is beyond its cone. */
double lwi_contact_watched_load(const lwi_contacts *c, int which, const lw_dynamics *d);
void lwi_contact_bounds(const lwi_contacts *c, const lwi_contact *k, const lw_model *m,
                        lwi_load_bounds *out);
lw_status lwi_contacts_open(lw_simulation *sim, lw_error *err);
void lwi_contacts_close(lwi_contacts *c);
/* Called when a simulation begins. */
void lwi_contacts_reset(lwi_contacts *c);

/* Lists in c->touch the bodies that touch at the present state, including those of event[n], and
   records the hits. */
lw_status lwi_contacts_touch(lw_simulation *sim, double t, const lwi_event *const event[], int n,
                             int *ntouch);
/* Are there contacts that rest or are to rest? */
bool lwi_contacts_any(const lwi_contacts *c);
/* Sets c->hold for touching bodies that neither approach nor separate and for freedoms at rest
   after the jump, and the directions of those that slide.  Does the model change by that? */
bool lwi_contacts_candidates(lwi_contacts *c, int ntouch, const lwi_jump *j);
/* Freedoms that are to stick although no load on them has an effect are not held; all: those that stuck before are examined,
   too.  j: the jump before anything is held, d: the dynamics of its model. */
lw_status lwi_contacts_find_forced(lwi_contacts *c, bool all, lwi_jump *j, lw_dynamics *d,
                                   double t);
/* Finds the loads of what is held at the state q, u of d's model.  Returns in *worst the one that is
   farthest outside its bounds; -1: all are possible. */
lw_status lwi_contacts_check(lwi_contacts *c, lw_dynamics *d, double t, const double q[],
                             const double u[], int *worst);
/* All of it stays nevertheless, since nothing would move: what the loads are beyond their bounds is
   a rounding error. */
void lwi_contacts_tolerate(lwi_contacts *c, const lw_dynamics *d);
/* Decides what of that rests and sticks: the complementarity problem of loads and accelerations.
   free: the jump without what is held, d: the dynamics of its model.  LW_E_NOT_CONVERGED: there is
   no solution. */
lw_status lwi_contacts_decide(lwi_contacts *c, lwi_jump *free, lw_dynamics *d, double t);
/* contact_cones.c: the same where contacts have friction. */
lw_status lwi_contacts_decide_cones(lwi_contacts *c, lwi_jump *free, lw_dynamics *d, double t);
bool lwi_contacts_have_cones(const lwi_contacts *c);
/* slip_directions.c: slips that go on, slower than is known of their direction, go where the loads of d at the state
   q, u turn them; q: the directions are among the states. */
lw_status lwi_contacts_turn_slips(lwi_contacts *c, lw_dynamics *d, double t, double q[],
                                  const double u[]);
/* One that was to be held is not: its freedom slips along (1) or against (-1) its push. */
void lwi_contact_slips(lwi_contacts *c, int which, int direction);
/* Contacts with c->hold are resting from t on, others slide as decided. */
void lwi_contacts_come_to_rest(lw_simulation *sim, double t);

/* After a step: does the load of a resting contact become tensile in it?  Then that is the next
   event. */
lw_status lwi_contacts_look(lw_simulation *sim);
/* ... or has it come back to where it was hit at the beginning of the step? */
lw_status lwi_contacts_find_stuck(lw_simulation *sim);
/* Lists as events the contacts that touch at the start t and approach, or do not separate if none
   approaches; and those that are being released. */
lw_status lwi_contacts_start(lw_simulation *sim, double t, const lwi_event *list[], int *n,
                             bool *approach);
/* Of any body at the present state, after lw_kinematics: the scale for what counts as zero. */
double lwi_contacts_largest_speed(const lw_simulation *sim);
int lwi_contacts_leaving(const lwi_contacts *c, const lwi_event *list[]);
int lwi_contacts_stuck(const lwi_contacts *c, const lwi_event *list[]);

/* From number *at on, which becomes the next one: a limit that the present state is beyond, of
   those that may be (late) or may not; NULL: none. */
const lwi_event *lwi_contacts_find_beyond(const lw_simulation *sim, bool late, int *at);

static inline bool lwi_is_friction(const lwi_contact *k)
{
  return k->e->d.action == LW_ACTION_FRICTION;
}

/* The friction of a contact: it is held by `friction.C`, or slides along `direction`. */
static inline bool lwi_is_slip(const lwi_contact *k)
{
  return k->e->d.action == LW_ACTION_SLIP;
}

/* Friction from the load of its own joint. */
static inline bool lwi_has_own_load(const lwi_contact *k)
{
  return lwi_is_friction(k) && k->e->d.own_load;
}

/* The load of friction while it slides (0) and the largest one while it sticks (1). */
static inline double lwi_friction_bound(const lwi_contact *k, int sticks)
{
  return k->e->d.bound[sticks] * (k->e->d.own_load ? k->bears : 1);
}

/* Friction of its own load that slides changes with all other loads. */
static inline bool lwi_slides_by_own_load(const lwi_contact *k)
{
  return lwi_has_own_load(k) && k->slides != 0 && k->bearing.joint > 0;
}

/* Writes the directions of sliding into a state, and the speed below which they are those of the
   last instant. */
void lwi_contacts_write(const lwi_contacts *c, const lw_model *m, const lw_simulation_options *o,
                        double q[]);
/* What its gap is compared with. */
double lwi_contact_unit(const lwi_contact *k, const lw_model *m);
/* It slides along a direction, in ground axes. */
void lwi_contact_slides_along(lwi_contact *k, const double direction[3]);

/* The contact of an event that gives way at this instant because of its load; NULL: none. */
static inline const lwi_contact *lwi_contact_leaving(const lwi_contacts *c, int number)
{
  for (int i = 0; i < c->n; i++)
    if (c->item[i].e->number == number && c->item[i].leaving) return &c->item[i];
  return NULL;
}

/* Edits a phase: adds the contacts that are held and removes the others. */
void lwi_contacts_edit(lwi_contacts *c, lwi_phase *p, const lwi_frame pose[]);

#endif
