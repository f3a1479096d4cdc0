/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_equations.h -- the reduced equations of motion about a state, to first order.

   With required_tau(q, u, udot) the inverse dynamics of the tree and all forces of the model,

     required_tau = G^T lambda,   G u = nu,   G udot = gamma

   a small motion is a displacement x = N z and a change of speeds N w + Y z, and, projected on N,

     M wdot + C w + K z = 0,   zdot = w + kin z

   Y, and likewise Ya for accelerations, is what dependent speeds must do so that the constraints
   hold where the mechanism moves to: zero at rest.  At rest

     M = N^T Mass N,   C = N^T dU N,   K = N^T (dQ N + Mass Ya) - H,   H_ij = lambda^T D_j (G N_i)

   with dQ, dU the exact derivatives of required_tau (linkwork/derivatives.h); H is the geometric
   stiffness of the loads in the constraints.  In motion -M^-1 K and -M^-1 C are the derivatives
   of forward dynamics along (N, Y) and (0, N).  docs/theory/analyses.md */
#ifndef LWI_ANALYSIS_REDUCED_EQUATIONS_H
#define LWI_ANALYSIS_REDUCED_EQUATIONS_H
#include "analysis/independent_speeds.h"
#include "linkwork/derivatives.h"

typedef struct {
  lwi_reduced r;
  double *M, *C, *K, *kin; /* [n][n] */
  double *load;            /* [n] N^T required_tau: zero in equilibrium */
  double *mass, *dQ, *dU;  /* [nu][nu] of the tree */
  double *u, *udot;        /* [nu] */
  double *X;               /* [nu][nu] scratch */
  double stiffness;        /* largest magnitude of the terms of K */
  lw_derivatives *derivatives;
  void *block;
} lwi_linearized;

bool lwi_linearized_init(lwi_linearized *l, const lw_model *m); /* returns false if out of memory */
void lwi_linearized_free(lwi_linearized *l);

/* At rest: u = udot = 0, drivers do not move.  l->load are the loads that would set it in
   motion. */
lw_status lwi_linearized_rest(lwi_linearized *l, lw_work *w, double t, const double q[]);
/* The same, with the accelerations that these loads cause: about a state of rest. */
lw_status lwi_linearized_from_rest(lwi_linearized *l, lw_work *w, double t, const double q[]);
/* In motion, with the accelerations of forward dynamics. */
lw_status lwi_linearized_motion(lwi_linearized *l, lw_work *w, double t, const double q[],
                                const double u[]);

/* x[nu] = N_k, and y[nu] = Y_k: the change of speeds that goes with the displacement. */
void lwi_linearized_displacement(const lwi_linearized *l, int k, double x[], double y[]);

/* For a reduced K[n][n] and M: squares of frequencies, increasing, [n], and vectors [n][n] by
   columns with v^T M v = 1; only the symmetric part of K is used. */
lw_status lwi_linearized_stiffness(const lwi_linearized *l, double squares[], double V[]);
/* Bound below which a square of column k of V is a rounding error. */
double lwi_linearized_noise(const double N[], const double V[], int nu, int n, int k,
                            double stiffness, double largest);

#endif
