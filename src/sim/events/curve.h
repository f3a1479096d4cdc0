/* SPDX-License-Identifier: Apache-2.0 */
/* curve.h -- numbers as functions of time within a step or a piece of it: Chebyshev polynomials
   through samples.

   The first approximation is the parabola through the ends of the piece and the beginning of the
   previous one.  Then samples are taken at the points -cos(k pi/d) of the piece, for d = 2, then 4,
   8, 16, until the last two coefficients are below the noise of the number; the points of one
   degree are among those of the next.  The size of these coefficients bounds the truncation error
   of functions whose coefficients decrease, as those of analytic functions do geometrically
   [Trefethen2013]. A piece that degree 16 does not resolve must be divided. */
#ifndef LWI_SIM_EVENTS_CURVE_H
#define LWI_SIM_EVENTS_CURVE_H
#include "linkwork/linkwork.h"
#include "model/expression/expr_bounds.h"

#include <math.h>

enum { LWI_CURVE_DEGREE = 16, LWI_CURVE_NODES = LWI_CURVE_DEGREE + 1 };

/* Computes all numbers at t, and their noise unless it is NULL.  rough: a fast estimate is enough,
   whose error is small compared with how much the numbers change in the step. */
typedef lw_status lwi_sampler(void *context, double t, bool rough, double row[], double noise[]);

typedef struct {
  lwi_sampler *sampler;
  void *context;
  int n;                               /* number of columns */
  double a, b;                         /* ends of the piece */
  int degree;                          /* 1: ends only; 2, 4, 8 or 16 */
  bool rough[LWI_CURVE_NODES];         /* the sample is a rough estimate */
  bool continues;                      /* the sample at b is that at the next piece's a */
  double cosine[2 * LWI_CURVE_DEGREE]; /* cos(k pi/16) */
  double *samples;                     /* memory of those below */
  double *node[LWI_CURVE_NODES];       /* [n] samples */
  double *before;                      /* [n] sample at the beginning of the previous piece */
  double *ahead;                       /* [n] for a rough sample at the end of the next piece */
  double before_t;                     /* its time */
  double bend, stretch; /* of the parabola: factors of the second differences and of the first */
  bool has_before;
  bool refined;       /* noise and coefficients have been found since lwi_curve_begin */
  double *noise;      /* [n] largest noise of the inner samples; 0: not known yet */
  double *node_noise; /* [n] noise of one sample */
  double *c;          /* [n][LWI_CURVE_NODES] coefficients */
  double *missing;    /* [n] bound of the truncation error */
  double *spread;     /* [n] bound of |value - first coefficient| */
  double *curvature;  /* [n] bound of the second derivative by time */
  int *fitted;        /* [n] degree that the coefficients belong to; 0: none */
} lwi_curve;

bool lwi_curve_init(lwi_curve *x, int n);
void lwi_curve_free(lwi_curve *x);

/* Called when the state has jumped: the sample at the next a must be taken again. */
void lwi_curve_forget(lwi_curve *x);
/* Samples a piece: at its ends if the parabola can be used, else with degree 2.  known: x->ahead is a rough sample at b. */
lw_status lwi_curve_begin(lwi_curve *x, double a, double b, bool known, lwi_sampler *sampler,
                          void *context);
/* Doubles the degree. */
lw_status lwi_curve_refine(lwi_curve *x);

/* Is the number known up to its noise? */
bool lwi_curve_resolves(lwi_curve *x, int i);
/* All values that the number may have in the piece, resolved or not. */
lwi_interval lwi_curve_range(lwi_curve *x, int i);
/* The same as long as the degree is 1: by the parabola through the ends and the beginning of the previous piece.
   y = line + k (t - a)(t - b), where (t - a)(t - b) is h^2/8 (T_2 - 1). */
static inline void lwi_curve_parabola(const lwi_curve *x, int i, double c[3])
{
  const double y_p = x->node[0][i], y2 = x->node[LWI_CURVE_DEGREE][i], rise = y2 - y_p;
  c[2] = x->bend * (rise - x->stretch * (y_p - x->before[i]));
  c[1] = 0.5 * rise;
  c[0] = 0.5 * (y_p + y2) - c[2];
}

static inline lwi_interval lwi_curve_rough_range(const lwi_curve *x, int i)
{
  double c[3];
  lwi_curve_parabola(x, i, c);
  const double reach = 1.05 * fabs(c[1]) + 3 * fabs(c[2]);
  return (lwi_interval){c[0] - reach, c[0] + reach};
}

/* For resolved numbers: value and rate at t, and bounds of both from a to b. */
void lwi_curve_at(lwi_curve *x, int i, double t, double *value, double *rate);
lwi_bounds lwi_curve_bounds(lwi_curve *x, int i, double a, double b);

#endif
