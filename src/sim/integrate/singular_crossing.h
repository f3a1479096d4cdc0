/* SPDX-License-Identifier: Apache-2.0 */
/* singular_crossing.h -- across singular configurations.

   Where constraints become dependent for a moment (all bars of a four-bar in line) accelerations are
   limits 0/0: smooth on both sides, but rounding errors grow like the inverse square of the distance,
   and no step control survives them.  So the integration does not go there: it steps up to a short
   distance, and from there one step of order 8 leads to the other side, with stages before and behind.

   The distance r is that of tree/loops/regularity.h: it falls
   linearly as the configuration is approached, which tells when that will be.  A mechanism that comes to
   rest there and turns back only touches it: r is then a parabola in time, and its vertex is that moment. */
#ifndef LWI_SIM_INTEGRATE_SINGULAR_CROSSING_H
#define LWI_SIM_INTEGRATE_SINGULAR_CROSSING_H
#include "sim/integrate/system.h"

enum { LWI_PASSAGE_TERMS = 8 };

typedef struct {
  double t, r;     /* the last state between steps, and its distance */
  double t0, r0;   /* the one before */
  bool touches;    /* r is near to a parabola that touches zero */
  double ahead;    /* when it would be zero if it fell on as it did */
  double when;     /* the distance will be zero; infinite: it does not fall, or not soon */
  double from, to; /* the last step across */
  double *y;       /* [n] its start */
  double *scratch; /* stages */
  double *newton;  /* [LWI_PASSAGE_TERMS][n] the polynomial through it */
} lwi_singular_crossing;

bool lwi_singular_crossing_init(lwi_singular_crossing *p, const lwi_system *s);
void lwi_singular_crossing_free(lwi_singular_crossing *p);
void lwi_singular_crossing_reset(lwi_singular_crossing *p, double t);

/* Notes a state between steps, and its distance. */
void lwi_singular_crossing_note(lwi_singular_crossing *p, double t, double r);
/* How far an ordinary step may go. */
double lwi_singular_crossing_limit(const lwi_singular_crossing *p);
/* Is it time to step across?  Then to where. */
bool lwi_singular_crossing_is_due(const lwi_singular_crossing *p, double *to);
/* Steps across, from y at p->t to `to`; the result replaces y. */
lw_status lwi_singular_crossing_cross(lwi_singular_crossing *p, lwi_system *s, double to,
                                      double y[]);
/* After it, and y at `to` projected: the polynomial of degree 7 that has the values and rates of four states, at the
   ends and a little inside, all of them away from the singular configuration. */
lw_status lwi_singular_crossing_fill(lwi_singular_crossing *p, lwi_system *s, const double y[]);
/* A state within the last step across: of that polynomial. */
static inline bool lwi_singular_crossing_covers(const lwi_singular_crossing *p, double t)
{
  return t >= p->from && t < p->to;
}
void lwi_singular_crossing_get(const lwi_singular_crossing *p, const lwi_system *s, double t,
                               double y[]);

#endif
