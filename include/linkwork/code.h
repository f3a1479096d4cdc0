/* SPDX-License-Identifier: Apache-2.0 */
/* code.h -- the dynamics of one model as C without dependencies: straight-line code, for firmware and where every
   nanosecond counts. */
#ifndef LINKWORK_CODE_H
#define LINKWORK_CODE_H
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *prefix; /* of all names; NULL: the name of the file */
  bool single;        /* float instead of double */
  const char *const *
      jacobian; /* [njacobian] bodies and points with a Jacobian; NULL: points and tips of the tree */
  int njacobian;
} lw_code_options;

/* What was written. */
typedef struct {
  int forward, inverse,
      mass_matrix;    /* additions, multiplications, divisions and functions of each */
  bool articulated;   /* forward dynamics by articulated bodies; else by the mass matrix */
  int constraints;    /* equations of closed loops and relations */
  char left_out[200]; /* what the model has and the code has not; "": nothing */
} lw_code_report;

/* Writes FILE.c and, beside it, FILE.h:

     forward_dynamics, inverse_dynamics, mass_matrix, their derivatives, coordinate_rates, jacobians, step (Runge-Kutta
     of fourth order)

   with the conventions of dynamics.h and derivatives.h.  The state is that of the model at its start: events, limits, friction
   and contacts are not in it.  Compiled with -DPREFIX_TEST it is a program that compares itself with numbers of
   linkwork.  Closed loops and relations are solved with the mass matrix of the tree and the equations that are
   independent at the start.  options and report may be NULL.  LW_E_UNSUPPORTED: err names the element that cannot be
   written. */
LW_API lw_status lw_write_code(const lw_model *m, const lw_code_options *options, const char *path,
                               lw_code_report *report, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
