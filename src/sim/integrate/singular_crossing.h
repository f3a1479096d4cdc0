/* SPDX-License-Identifier: Apache-2.0 */
/* singular_crossing.h -- integration across singular configurations.

   Where constraints become dependent for a moment (all bars of a four-bar in line) accelerations
   are limits 0/0.  They are smooth on both sides, but rounding errors grow like the inverse square
   of the distance, and step control fails.  Therefore the integration does not evaluate the system
   there: it stops at a short distance, and one step of order 8, with stages before and behind,
   leads to the other side.

   A motion that passes the singular configuration at a distance is not smooth on the scale of the
   step: it turns there, the more sharply the closer it passes.  The step is therefore accepted only
   if the method of order 7 embedded in it agrees, and if its end satisfies the constraints, both
   within the tolerance.  Otherwise ordinary steps go on, and the crossing is tried again closer to
   the singular configuration.

   The distance r is that of tree/loops/regularity.h.  It decreases linearly towards the singular
   configuration, which predicts the time.  If the mechanism comes to rest there and turns back, it
   only touches the configuration: r is then a parabola in time, and its vertex is that time. */
#ifndef LWI_SIM_INTEGRATE_SINGULAR_CROSSING_H
#define LWI_SIM_INTEGRATE_SINGULAR_CROSSING_H
#include "sim/integrate/system.h"

enum { LWI_PASSAGE_TERMS = 8 };

typedef struct {
  double t, r;       /* the last state between steps and its distance r */
  double t0, r0;     /* the one before */
  double rtol, atol; /* of the run */
  double due;   /* distance from which a step crosses; halved each time that one is not accepted */
  bool touches; /* r is close to a parabola that touches zero */
  double ahead; /* time at which r would vanish if it continued to decrease linearly */
  double when;  /* time at which r vanishes; infinity: it does not decrease, or not soon */
  double from, to; /* the last crossing */
  double *y;       /* [n] y at its start */
  double *scratch; /* Runge-Kutta stages */
  double *newton;  /* [LWI_PASSAGE_TERMS][n] the interpolating polynomial */
} lwi_singular_crossing;

bool lwi_singular_crossing_init(lwi_singular_crossing *p, const lwi_system *s,
                                const lw_simulation_options *options);
void lwi_singular_crossing_free(lwi_singular_crossing *p);
void lwi_singular_crossing_reset(lwi_singular_crossing *p, double t);

/* Records a state between steps and its distance r. */
void lwi_singular_crossing_note(lwi_singular_crossing *p, double t, double r);
/* Has the last crossing not been accepted, so that ordinary steps lead past the singular
   configuration? */
bool lwi_singular_crossing_is_passing(const lwi_singular_crossing *p);
/* Latest time at which an ordinary step may end. */
double lwi_singular_crossing_limit(const lwi_singular_crossing *p);
/* Returns true if the next step must cross; *to is where it ends. */
bool lwi_singular_crossing_is_due(const lwi_singular_crossing *p, double *to);
/* Crosses from y at p->t to the time `to`, projected there; replaces y.  LW_E_NOT_CONVERGED: the
   motion is not smooth across it, p is as before, and the next crossing is due closer to it. */
lw_status lwi_singular_crossing_cross(lwi_singular_crossing *p, lwi_system *s, double to,
                                      double y[]);
/* After the crossing, with y at `to` projected: finds the polynomial of degree 7 with the values
   and rates of four states, at the ends and slightly inside, all away from the singular
   configuration. */
lw_status lwi_singular_crossing_fill(lwi_singular_crossing *p, lwi_system *s, const double y[]);
/* Is t within the last crossing?  There lwi_singular_crossing_get evaluates that polynomial. */
static inline bool lwi_singular_crossing_covers(const lwi_singular_crossing *p, double t)
{
  return t >= p->from && t < p->to;
}
void lwi_singular_crossing_get(const lwi_singular_crossing *p, const lwi_system *s, double t,
                               double y[]);

#endif
