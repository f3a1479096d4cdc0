/* SPDX-License-Identifier: Apache-2.0 */
/* system.h -- a model as a system of first order, y' = f(t, y) with y = (q, u), for integrators.

   Quaternions.  y holds each one as four free numbers; its length n = |e| means nothing.  The right
   side sees e/n, and its rate is

     e' = 1/2 e o w + |w| (1 - n^2) e

   The first term turns e and leaves n alone.  The second is along e: it pulls n back to 1, and
   since the direction's rate, (e/n)' = 1/2 (e/n) o w, contains neither n nor this term, it cannot
   influence the motion: the order of a method and its error per step are those of the motion.  The
   pull has the time scale of the rotation itself, so that it never limits the step: a constant rate
   would make slow rotations stiff.

   Closed loops.  y holds all coordinates of the spanning tree; integration errors take it off the
   constraints phi(q) = 0, G u = nu.  The right side pulls it back the shortest way in the metric of
   the mass matrix,

     q' = u - k M^-1 G' W^-1 phi,   u' = f(q, u) - k M^-1 G' W^-1 (G u - nu),   W = G M^-1 G'

   along directions in which the motion has no freedom, so that again its order and error are those of
   the motion.  The pull k is a hundredth of the inverse step: it never limits the step, and what is off
   stays at a hundred times the error of one step.  Results are projected: docs/decisions/011-drift.md.

   Near configurations where constraints become dependent, W^-1 makes much of what is off; there the
   right side is that of the projected state. */
#ifndef LWI_SIM_SYSTEM_H
#define LWI_SIM_SYSTEM_H
#include "linkwork/dynamics.h"

typedef struct {
  int e, w; /* index in q of a quaternion, index in u of its angular velocity */
} lwi_rotation;

typedef struct {
  const lw_model *m;
  lw_work *work;
  int nq, nu, nrotation;
  lwi_rotation *rotation; /* [nrotation] */
  double *q;              /* [nq] with unit quaternions */
  double *norm;           /* [nrotation] lengths of the quaternions in y */
  double pull;            /* k */
  double reach;           /* the step that it goes by: 0 at the start */
  double *slide;          /* [nu] what the pull adds to the speeds that move q */
  double *shown;          /* [nq + nu] a projected state */
  bool careful;           /* near a singular configuration */
  double weakest;         /* how near: 1 is far, 0 is there */
  long evaluations, failures;
  lw_status failure; /* of the last evaluation that failed; LW_OK: none did */
} lwi_system;

/* LW_E_MEMORY leaves what lwi_system_free accepts. */
lw_status lwi_system_init(lwi_system *s, const lw_model *m);
void lwi_system_free(lwi_system *s);

/* f = y'.  Anything but LW_OK means that f cannot be computed here. */
lw_status lwi_system_rate(lwi_system *s, double t, const double y[], double f[]);

/* Between steps, at t in y, before one of size h: the pull follows the step, and which of the
   constraint equations count is decided where they hold. */
lw_status lwi_system_settle(lwi_system *s, double t, const double y[], double h);
/* y at time t becomes what results show: constraints hold, quaternions have unit length. */
lw_status lwi_system_show(lwi_system *s, double t, double y[]);

#endif
