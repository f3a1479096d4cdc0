/* SPDX-License-Identifier: Apache-2.0 */
/* adjoint_sweep.h -- backward in time, along a motion that was recorded: how linear functions of the
   derivative y_p at a time `to` depend on the one at an earlier time `from`, and on the parameters
   in between.

       d/dt lambda = -f_y^T lambda,      lambda(to)^T y_p(to) = lambda(from)^T y_p(from)
                                                               + integral lambda^T f_p dt

   for any number of lambda, with one f_y per time (docs/theory/sensitivities.md). */
#ifndef LWI_SIM_SENSITIVITY_ADJOINT_SWEEP_H
#define LWI_SIM_SENSITIVITY_ADJOINT_SWEEP_H
#include "sim/integrate/integrators.h"
#include "sim/sensitivity/sensitivity_system.h"
#include "sim/sensitivity/trajectory.h"

/* f_y and f_p at a time of the recorded motion. */
typedef struct {
  lwi_sensitivity_system *system;
  const lwi_trajectory *motion;   /* of the blocks of y; with coordinates of cut joints */
  lwi_parameter_derivative *none; /* the derivative by no parameter: along y_p alone */
  int np;                         /* derivatives by parameters: the first of the system */
  double t;                       /* of f_y; NaN: none */
  int piece;                      /* for which ranks are decided; -1: none */
  double *y, *y_p, *zero;         /* [block] */
  double *f_y;                    /* [block][block]: column by column */
  double *f_p;                    /* [np][block] */
  const double **from;            /* [np] */
  double **to;                    /* [np] */
  lw_derivatives *matrices; /* of trees without states: f_y from matrices; NULL: column by column */
  double *q, *dq, *qdot, *v; /* [block] each: scratch of that */
  double *udot_q, *udot_u;   /* [nu][nu] */
  double *memory;
} lwi_linear_motion;

/* False: no memory. */
bool lwi_linear_motion_open(lwi_linear_motion *x, lwi_sensitivity_system *system,
                            const lwi_trajectory *motion, lwi_parameter_derivative *none, int np);
void lwi_linear_motion_close(lwi_linear_motion *x);
/* y and what goes with it: afterwards functions of the derivatives may be called there. */
lw_status lwi_linear_motion_go_to(lwi_linear_motion *x, double t);
/* Derivatives of the integrands along y_p. */
lw_status lwi_linear_motion_integrands(lwi_linear_motion *x, lwi_parameter_derivative *v, double t,
                                       const double y_p[], double out[]);

/* f_y at t, unless it is known, and f_p. */
lw_status lwi_linear_motion_f_y(lwi_linear_motion *x, double t);
lw_status lwi_linear_motion_f_p(lwi_linear_motion *x, double t);

/* lambda[ncolumn][block] at `to` becomes that at `from`; by_p[ncolumn][np] are the integrals. */
lw_status lwi_adjoint_sweep(lwi_linear_motion *x, const lw_simulation_options *options,
                            lwi_interrupt *interrupt, double from, double to, int ncolumn,
                            double lambda[], double by_p[]);

#endif
