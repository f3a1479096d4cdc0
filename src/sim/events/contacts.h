/* SPDX-License-Identifier: Apache-2.0 */
/* contacts.h -- contacts of bodies.  The expression of an event `impact: ... when:` is the gap
   between two bodies.  While it is zero they touch: they hit each other again if they approach, and
   rest on each other if they neither approach nor separate.  A resting contact is a constraint of
   the model, `contact.EVENT`: a point of one body on a plane of the other.  It is removed as soon
   as its load would have to be tensile.  docs/theory/events.md. */
#ifndef LWI_SIM_EVENTS_CONTACTS_H
#define LWI_SIM_EVENTS_CONTACTS_H
#include "linkwork/simulate.h"
#include "model/model.h"
#include "model/spec/spec_phase.h"
#include "sim/events/jump.h"

typedef struct {
  const lwi_event *e;
  int side;       /* the sign of the gap when the bodies are apart; 0: not known yet */
  bool apart;     /* the bodies have been apart since the last hit */
  bool stuck;     /* they have not, but the gap has the wrong sign: it came back within one step */
  int trigger;    /* index of the gap among the watched expressions */
  bool resting;   /* the constraint is active */
  bool leaving;   /* its load has become tensile */
  double fired;   /* time of the last hit; -infinity: none */
  double axis[3]; /* the normal in the other body's axes while it rests */
  double interval,
      longest; /* intervals between hits: the last one, and the first one of those that decrease;
                  infinity: none */
} lwi_contact;

typedef struct {
  int n;
  lwi_contact *item;
  lwi_touching *touch;   /* [n] scratch for one instant */
  bool *hold;            /* [n] contacts that are to rest */
  bool check;            /* at the start: contacts must be detected */
  lw_dynamics *dynamics; /* computes loads; NULL until first needed */
  int phase;             /* phase of the simulation that `dynamics` belongs to */
} lwi_contacts;

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
/* Sets c->hold for touching bodies that neither approach nor separate, and returns their number. */
int lwi_contacts_candidates(lwi_contacts *c, int ntouch, double scale);
/* Releases the contact with the largest tensile load at the state q, u of d's model (c->hold).
   *found: there was one. */
lw_status lwi_contacts_let_go(lwi_contacts *c, lw_dynamics *d, double t, const double q[],
                              const double u[], bool *found);
/* Contacts with c->hold are resting from now on. */
void lwi_contacts_come_to_rest(lw_simulation *sim);

/* After a step: does the load of a resting contact become tensile in it?  Then that is the next
   event. */
lw_status lwi_contacts_look(lw_simulation *sim);
/* Lists as events the contacts that touch at the start t and approach, or do not separate if none
   approaches; and those that are being released. */
lw_status lwi_contacts_start(lw_simulation *sim, double t, const lwi_event *list[], int *n,
                             bool *approach);
int lwi_contacts_leaving(const lwi_contacts *c, const lwi_event *list[]);
int lwi_contacts_stuck(const lwi_contacts *c, const lwi_event *list[]);

/* Edits a phase: adds the contacts that are held and removes the others. */
void lwi_contacts_edit(lwi_contacts *c, lwi_phase *p, const lwi_frame pose[]);

#endif
