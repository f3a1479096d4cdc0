/* SPDX-License-Identifier: Apache-2.0 */
/* operators.h -- further output of `linkwork eval`: inverse and factors of the mass matrix,
   operational-space compliance. */
#ifndef CLI_OPERATORS_H
#define CLI_OPERATORS_H
#include "linkwork/sko.h"
#include "verbs.h"

/* Freedoms are the speeds without rotations of free particles; with loops or constraints the
   independent ones.  Matrices are row by row. */
typedef struct {
  const lw_model *m;
  lw_sko *sko;
  lw_work *w;
  double t;
  bool closed;        /* it has loops or constraints: freedoms are independent speeds */
  int n;              /* freedoms */
  double logdet;      /* of the mass matrix of these freedoms */
  double *D;          /* [n][n] scratch */
  bool requested;     /* requested by an option: then a failure is an error, else the output is
                    omitted */
  int *speed;         /* [n] the speed that freedom i is, increasing: the order of `inverse` */
  int *owner;         /* [nu] the joint of each speed */
  double *x, *y;      /* [nu + 6] scratch */
  double *inverse;    /* [n][n]; NULL: not requested, like all below */
  double *factor;     /* [n][n] I + H A K, in the order of lw_sko_speeds */
  int nbody;          /* for compliance */
  lw_body *body;      /* [nbody] */
  double *J;          /* [6 nbody][n] in the order of lw_sko_speeds */
  double *compliance; /* [6 nbody][6 nbody] */
} operators;

/* Reads --inverse, --factors, --compliance.  Up to 200 freedoms JSON always contains the first
   two. */
int operators_start(operators *o, const cli_args *a, const lw_model *m, double t, const double q[]);
lw_status operators_compute(operators *o, const double q[], const double u[]);
void operators_free(operators *o);

/* in operators_print.c */
void operators_print(const operators *o);
void operators_json(const operators *o, json *j);

#endif
