/* SPDX-License-Identifier: Apache-2.0 */
/* finite_difference_data.h -- the data of a finite difference: nearby models (finite_difference.c)
   and how they go through events (finite_difference_events.c). */
#ifndef LWI_SIM_SENSITIVITY_FINITE_DIFFERENCE_DATA_H
#define LWI_SIM_SENSITIVITY_FINITE_DIFFERENCE_DATA_H
#include "math/differences.h"
#include "sim/sensitivity/finite_difference.h"
#include "sim/run/simulation_data.h"

enum { N = LWI_NEARBY_MODELS };
/* the doubt at which the error of the formula of sixth order is still negligible */
#define LWI_DIFFERENCE_DOUBT 1e-7

/* An event that the models have passed. */
typedef struct {
  double t, when_p;
  int n, *number;    /* [n] */
  int ny;            /* numbers in y at that event */
  double *y, *along; /* [ny] y just before, and its derivative at the moving time of the event */
} lwi_passed;

typedef struct {
  lwi_parameter_derivative base;
  const lw_model *m;
  lw_simulation_options options;
  double h, widest; /* widest: bound of h, as events and rates so far ask for */
  double doubt;     /* largest one of rates since the last step */
  lw_model *model[N];
  lw_simulation *sim[N];
  lw_columns *columns[LWI_DERIVATIVE_SETS][N];
  char *patterns[LWI_DERIVATIVE_SETS];
  double *parameters; /* [nparameter] */
  int capacity, nrow;
  double *y[N], *f[N]; /* [capacity] */
  double *row;         /* [nrow] */
  int npassed, passed_capacity;
  lwi_passed *events; /* [npassed] */
} lwi_finite_difference;

/* Numbers in y of each model. */
static inline int lwi_finite_difference_size(const lwi_finite_difference *v)
{
  return v->sim[0]->system->n;
}
/* Allocates n numbers for each model.  Returns false if out of memory. */
bool lwi_finite_difference_scratch(lwi_finite_difference *v, int n);
/* How much x_p by the formulas of sixth and of fourth order differ, relative to the size of x and
   x_p. */
double lwi_finite_difference_doubt(const lwi_finite_difference *v, double *const x[N], int n,
                                   const double x0[], const double x_p[]);
/* Models with a smaller h, which go through the events so far.  LW_E_NOT_CONVERGED: h is as small
   as it may be, and nothing is changed. */
lw_status lwi_finite_difference_come_closer(lwi_finite_difference *v, lw_error *err);
/* v->y[i] = y + place[i] h y_p */
void lwi_finite_difference_shift(lwi_finite_difference *v, const double y[], const double y_p[],
                                 int n);
/* x_p from the x of all models. */
void lwi_finite_difference_gather(const lwi_finite_difference *v, double *const x[N], int n,
                                  double x1[]);

/* ---- finite_difference_events.c ---- */

/* Repeats an event that was passed before, for models that replace others. */
lw_status lwi_finite_difference_pass(lwi_finite_difference *v, const lwi_passed *e, lw_error *err);
/* See lwi_parameter_derivative. */
lw_status lwi_finite_difference_when(lwi_parameter_derivative *base, const lwi_crossing *x,
                                     const double y_p[], double *when_p, lw_error *err);
lw_status lwi_finite_difference_jump(lwi_parameter_derivative *base, const lwi_crossing *x,
                                     const double y_p[], double when_p, lw_error *err);
lw_status lwi_finite_difference_restart(lwi_parameter_derivative *base, double t, const double y[],
                                        double y_p[]);

#endif
