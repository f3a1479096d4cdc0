/* SPDX-License-Identifier: Apache-2.0 */
/* sign_changes.h -- where a scalar function of time passes zero: the first place in an interval, none left out.

   The interval is halved until on each part either the bounds of the function exclude zero, or those of its rate
   do, so that it has one zero or none there.  What is shorter than times can tell apart is decided by the values at
   its ends.  Zeros are not missed between samples, because bounds hold everywhere.

   A function is known up to a noise.  It is on one side of zero once it is beyond the noise, and passes zero
   when it comes beyond the noise on the other side; the time is that of the zero between.  Where it only touches
   zero, or passes it by less than the noise and comes back, nothing has happened. */
#ifndef LWI_SIM_EVENTS_SIGN_CHANGES_H
#define LWI_SIM_EVENTS_SIGN_CHANGES_H
#include "model/expression/expr_bounds.h"

typedef struct {
  void *context;
  /* At t: the value with its noise; NaN where there is none. */
  double (*value)(void *context, double t, double *noise);
  /* The rate with its noise. */
  double (*rate)(void *context, double t, double *noise);
  /* Bounds of both while time goes from a to b. */
  lwi_bounds (*bounds)(void *context, double a, double b);
} lwi_scalar;

/* What is known of a function that is followed over time. */
typedef struct {
  int side;    /* where it was last beyond its noise: -1 or 1; 0: not known */
  bool rooted; /* it has a zero behind which it has not come beyond the noise yet: */
  double root;
} lwi_side;

/* unresolved: from t on it changes too often for all its parts to be looked at */
typedef enum { LWI_STAYS, LWI_CROSSES, LWI_NOT_A_NUMBER, LWI_UNRESOLVED } lwi_sign_event;

typedef struct {
  lwi_sign_event kind;
  double t;
  int side; /* to which it goes */
} lwi_sign_change;

enum {
  LWI_RISING = 1,
  LWI_FALLING = 2
}; /* directions that count; 0: none, only the side is followed */

/* From a to b; `s` is followed up to what is found, or to b. */
lwi_sign_change lwi_first_sign_change(const lwi_scalar *f, double a, double b, int directions,
                                      lwi_side *s);

/* Where a function is near zero and its side not known, the side to which it goes. */
void lwi_side_begin(const lwi_scalar *f, double t, lwi_side *s);

/* At b no more is known for the moment: a zero counts that will be left by more than the noise within the time
   `h`, at the rate at b.  If it does not, s keeps its side. */
lwi_sign_change lwi_side_end(const lwi_scalar *f, double b, double h, int directions, lwi_side *s);

#endif
