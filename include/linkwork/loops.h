/* SPDX-License-Identifier: Apache-2.0 */
/* loops.h -- closed loops: projection, the method by which the recursion closes them, cut joints,
   constraint loads. */
#ifndef LINKWORK_LOOPS_H
#define LINKWORK_LOOPS_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Projects a state that has drifted slightly; no joint is held.  The result is the nearest state in
   the metric of the mass matrix; with embedded loops (below) in the metric of each cluster. */
LW_API lw_status lw_project(lw_work *w, double t, double q[], double u[]);
/* The largest residual of a constraint equation, with metres and radians alike. */
LW_API lw_status lw_drift(lw_work *w, double t, const double q[], double *drift);

/* How the recursion closes loops: by loads of cut joints, or with each cluster of coupled loops
   embedded as one node of a coarser tree.  Both give the same results; a work counts the operations
   of both when it is made and takes the cheaper one. */
typedef struct {
  lw_loops asked, method; /* method in use: CUT or EMBEDDED; AUTO if there is nothing to close */
  int nnode;              /* number of clusters of loops */
  int largest;            /* largest number of links in one of them */
  int nindependent;       /* number of independent speeds of the clusters, at the last state */
  double cut_cost,
      embedded_cost; /* operations beyond those that both need; 0: this method cannot be used */
} lw_loops_info;
/* LW_E_UNSUPPORTED: this method cannot be used.  Cut joints need a regular mass matrix of the
   spanning tree, and memory for the loops: no more than some hundreds in series.  Embedding is not
   available for clusters of many links with many independent speeds. */
LW_API lw_status lw_set_loops(lw_work *w, lw_loops method);
LW_API lw_loops_info lw_get_loops(const lw_work *w);

/* Predicted multiplications of an evaluation by the recursion, closing of loops included, in the
   units of lw_dca_info: as long as that many of divide and conquer take (chains of 1,000 links). 0:
   it cannot close them. */
LW_API double lw_recursion_cost(const lw_work *w);

/* Coordinates and speeds of the cut joints, after lw_kinematics, and accelerations, after the call
   that computes them: written to arrays of all joints (lw_nq_all, lw_nu_all), from nq and nu on.
   Angles are continuous from the last state of w, at first close to the given ones.  Any may be
   NULL. */
LW_API lw_status lw_get_cut_joints(const lw_work *w, double q[], double u[], double udot[]);

/* As lw_get_load, for a geometric constraint; for a gear, coupler or driver the multiplier, which
   is the load on a coordinate whose coefficient is 1. */
LW_API lw_status lw_get_constraint_load(const lw_work *w, lw_constraint c, double load[6]);
LW_API lw_status lw_get_relation_load(const lw_work *w, lw_constraint c, double *load);

#ifdef __cplusplus
}
#endif
#endif
