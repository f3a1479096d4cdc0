/* SPDX-License-Identifier: Apache-2.0 */
/* independent_speeds.h -- independent speeds of a closed mechanism at a configuration.

   The constraints' rows G u = 0 are split by a factorisation with column pivoting, G P = Q [R11
   R12],

     u = N w,   N = [-R11^-1 R12; 1],   G N = 0,   w: the speeds that are left

   so that w are speeds of joints and stay so when the mechanism moves.  How many are left is what
   lw_dof says.  [Golub2013] section 5.4. */
#ifndef LWI_ANALYSIS_INDEPENDENT_SPEEDS_H
#define LWI_ANALYSIS_INDEPENDENT_SPEEDS_H
#include "model/model.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

typedef struct {
  const lw_model *m;
  lw_work *w;
  double t;
  const double *q;
  int nu, nrow, rank, n;
  double tolerance;     /* relative size of pivots that count as zero; 0: as lw_dof */
  double *G;            /* [nrow][nu] scaled as the closure's rows */
  double *N;            /* [nu][n] */
  double *T;            /* [rank][nrow] T G_d = 1 for the dependent speeds */
  int *independent;     /* [n] */
  int *dependent;       /* [rank] */
  double *lambda;       /* [nrow] multipliers */
  double *required_tau; /* [nu] inverse dynamics of the tree: G^T lambda and the remainder */
  double *remains;      /* [nu] */
  double *locked;       /* [nrow] right-hand side of the rows at zero speeds */
  double *scratch;      /* [6 nu + 3 nrow] */
} lwi_reduced;

/* Takes the arrays for a model from c; n is not known before: at most nu. */
lwi_reduced lwi_reduced_carve(const lw_model *m, lwi_carver *c);

/* Loads at q, u, udot: lambda, required_tau, remains; and G.  udot need not satisfy the
   constraints. */
lw_status lwi_reduced_balance(lwi_reduced *r, lw_work *w, double t, const double q[],
                              const double u[], const double udot[]);
/* Then weights [nu] for choosing the dependent speeds: metres.  Held ones, and those that particles
   do not have (0), are chosen last. */
void lwi_reduced_weigh(const lwi_reduced *r, double weight[]);
/* Or N, T and the independent speeds.  Returns LW_E_MEMORY if LAPACK is out of memory. */
lw_status lwi_reduced_split(lwi_reduced *r);

/* ---- second derivatives of the constraints; after lwi_reduced_balance (curvature.c) ---- */

/* out[nrow] = D_x (G y): derivative of the rows times constant speeds y, along a displacement x. */
void lwi_bend(const lwi_reduced *r, const double x[], const double y[], double out[]);
/* H[n][n] += s lambda^T D_j (G N_i): geometric stiffness of the constraint loads. */
void lwi_add_geometric_stiffness(const lwi_reduced *r, double s, double H[]);

#endif
