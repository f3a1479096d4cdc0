/* SPDX-License-Identifier: Apache-2.0 */
/* sign_changes.h -- the first zero crossing of a scalar function of time in an interval.  No
   crossing is missed.

   The interval is bisected until on each part either the bounds of the function exclude zero, or
   the bounds of its rate do, so that there is at most one zero.  Parts shorter than the resolution
   of time are decided by the values at their ends.  Zeros between samples are not missed, because
   the bounds hold everywhere.

   A function is known up to a noise.  It is on one side of zero if its magnitude exceeds the noise,
   and crosses zero when it exceeds the noise on the other side; the time is that of the zero
   between.  If it only touches zero, or crosses it by less than the noise and returns, that is not
   a crossing. */
#ifndef LWI_SIM_EVENTS_SIGN_CHANGES_H
#define LWI_SIM_EVENTS_SIGN_CHANGES_H
#include "model/expression/expr_bounds.h"

typedef struct {
  void *context;
  /* The value at t and its noise; NaN where it is undefined. */
  double (*value)(void *context, double t, double *noise);
  /* The rate and its noise. */
  double (*rate)(void *context, double t, double *noise);
  /* Bounds of value and rate from a to b. */
  lwi_bounds (*bounds)(void *context, double a, double b);
} lwi_scalar;

/* The state of a function that is followed over time. */
typedef struct {
  int side;    /* sign where it last exceeded its noise; 0: not known */
  bool rooted; /* it has a zero after which it has not exceeded the noise yet */
  double root;
} lwi_side;

/* unresolved: from t on it changes too often for all parts to be examined */
typedef enum { LWI_STAYS, LWI_CROSSES, LWI_NOT_A_NUMBER, LWI_UNRESOLVED } lwi_sign_event;

typedef struct {
  lwi_sign_event kind;
  double t;
  int side; /* the side after the crossing */
} lwi_sign_change;

enum {
  LWI_RISING = 1,
  LWI_FALLING = 2
}; /* directions that count; 0: none, only the side is followed */

/* From a to b; `s` is updated up to the crossing found, or to b. */
lwi_sign_change lwi_first_sign_change(const lwi_scalar *f, double a, double b, int directions,
                                      lwi_side *s);

/* If the function is near zero and its side is not known: sets the side to which it moves. */
void lwi_side_begin(const lwi_scalar *f, double t, lwi_side *s);

/* At b, where nothing later is known yet: a zero counts if, at the rate at b, the function will
   exceed the noise within the time `h`.  If not, s keeps its side. */
lwi_sign_change lwi_side_end(const lwi_scalar *f, double b, double h, int directions, lwi_side *s);

#endif
