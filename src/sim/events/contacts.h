/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.h -- what an impact leaves behind.  The expression of an `impact: ... when:` is the gap of two bodies.  While
   it is zero they touch: they hit each other again if they approach, and rest on each other if they neither
   approach nor part.  Rest is a constraint of the model, `contact.EVENT`, a point of the body on a plane of the
   other one, that holds as long as it pushes: when its load would pull, it goes.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_CONTACTS_H
#define LWI_SIM_EVENTS_CONTACTS_H
#include "linkwork/simulate.h"
#include "model/model.h"
#include "sim/events/jump.h"

typedef struct {
  const lwi_event *e;
  int side;       /* the sign of the gap when there is one; 0: not known yet */
  bool apart;     /* it has been so since the last hit */
  bool stuck;     /* it has not, but is beyond zero: it came back within one step */
  int trigger;    /* of the gap, among the expressions that are watched */
  bool resting;   /* the constraint is there */
  bool leaving;   /* ... but its load pulls */
  double fired;   /* when it last hit; -infinity: never */
  double axis[3]; /* the normal in the other body's axes while it rests */
  double interval,
      longest; /* between hits: the last one, and the first of those that shrink; infinity: none */
} lwi_contact;

typedef struct {
  int n;
  lwi_contact *item;
  lwi_touching *touch;   /* [n] room for one instant */
  bool *hold;            /* [n] which ones shall rest */
  bool check;            /* at the start: look who touches */
  lw_dynamics *dynamics; /* computes loads; NULL: not made yet */
  int phase;             /* of the simulation, that it belongs to */
} lwi_contacts;

lw_status lwi_contacts_open(lw_simulation *sim, lw_error *err);
void lwi_contacts_close(lwi_contacts *c);
/* A simulation begins. */
void lwi_contacts_reset(lwi_contacts *c);

/* Who touches at the state that is shown, in c->touch; those of event[n] do.  Notes that they hit. */
lw_status lwi_contacts_touch(lw_simulation *sim, double t, const lwi_event *const event[], int n,
                             int *ntouch);
/* Do any rest, or shall they? */
bool lwi_contacts_any(const lwi_contacts *c);
/* Which of those that touch neither approach nor part: c->hold.  Returns how many. */
int lwi_contacts_candidates(lwi_contacts *c, int ntouch, double scale);
/* Lets go the one that pulls most at the state q, u of d's model: c->hold.  *found: there was one. */
lw_status lwi_contacts_let_go(lwi_contacts *c, lw_dynamics *d, double t, const double q[],
                              const double u[], bool *found);
/* What is held now rests. */
void lwi_contacts_come_to_rest(lw_simulation *sim);

/* After a step: does a contact that rests begin to pull in it?  Then that is the next event. */
lw_status lwi_contacts_look(lw_simulation *sim);
/* As events: those that touch at the start, at t, and approach, or if there are none do not part; those that are
   leaving. */
lw_status lwi_contacts_start(lw_simulation *sim, double t, const lwi_event *list[], int *n,
                             bool *approach);
int lwi_contacts_leaving(const lwi_contacts *c, const lwi_event *list[]);
int lwi_contacts_stuck(const lwi_contacts *c, const lwi_event *list[]);

/* Edits a spec: contacts that are held are there, the others are not. */
void lwi_contacts_edit(lwi_contacts *c, lw_spec *s, const lwi_frame pose[]);

#endif
