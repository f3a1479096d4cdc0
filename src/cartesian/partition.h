/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h -- generalized coordinate partitioning [Negrut2010]: the coordinates of all bodies are split
   into independent ones v and dependent ones u, such that Phi_u is regular; v is integrated, u follows
   from the constraints,

     Phi(u, v, t) = 0                    Newton's method for u
     Phi_u udot = -Phi_t - Phi_v vdot    (Phi_t is missing in eq. 11 and 15)

   Coordinates of a body are x = (theta, c): the centre of mass, and a vector theta that turns the body
   from a reference orientation, its Euler parameters being

     e = (1, theta/2) / sqrt(1 + |theta|^2/4)  o  e_ref            (planar: the angle)

   so that the row of the normalisation is eliminated beforehand and every body has six columns.  With
   k = 1 / (1 + |theta|^2/4):

     w = W thetadot,      W = k (1 + theta~/2),    W^-1 = 1 - theta~/2 + theta theta'/4
     wdot = W thetaddot - (k theta . thetadot / 2) w

   theta is good for a quarter turn and more; references move before that.

   Rows of speeds alone, those of a rotation or of a free joint of which a part is locked, have no position
   that they keep: there are then fewer independent speeds than coordinates, and each has its own
   elimination.  y is (v, independent speeds), and the rates of v follow from all speeds. */
#ifndef LWI_CARTESIAN_PARTITION_H
#define LWI_CARTESIAN_PARTITION_H
#include "cartesian/cartesian.h"
#include "linalg/pivoted.h"

/* columns split by elimination */
typedef struct {
  lwi_pivoted *lu;
  int n, most;        /* independent ones, and how many there were at the first choice */
  int *column;        /* [n] which */
  double *row_weight; /* [nrow] zero: the row does not count */
  double weakest;     /* pivot of the last factors, relative to its row: 1 at best */
} lwi_split;

typedef struct {
  lw_cartesian *c;
  int n;                     /* columns: nbody * width */
  lwi_split position;        /* coordinates */
  lwi_split own_speed;       /* their rates, where rows of speeds alone ask for it, ... */
  lwi_split *speed;          /* ... else as positions */
  bool *holds;               /* [nrow] a row of positions too */
  size_t *start;             /* [nrow + 1] entries of a row */
  double *value;             /* Phi_x */
  double (*reference)[4];    /* [nbody + 1] Euler parameters; planar: those of angle 0 */
  double *x, *xdot, *xddot;  /* [n] */
  double *step, *way, *rest; /* [n], [n], [nrow] scratch */
  double *good; /* [2 n + nq_all + 4 (nbody + 1)] x, xdot, q and references of the last success */
  double t;     /* its time */
  bool lost;    /* the last recovery failed: begin from there */
  double *column_weight;
  double arm;   /* typical distance of joints from centres of mass */
  bool begun;   /* pivots have been chosen once */
  long newton;  /* iterations, ... */
  long factors; /* ... factors, ... */
  long choices; /* ... and choices of pivots so far */
} lwi_partition;

/* complete: pivots of the whole matrix are compared whatever its size.  NULL: no memory. */
lwi_partition *lwi_partition_new(lw_cartesian *c, bool complete);
void lwi_partition_free(lwi_partition *p);

/* At time t and the bodies' poses and speeds in c, which satisfy the constraints: references and
   pivots are chosen anew.  LW_E_MEMORY; LW_E_NUMBER: there are more freedoms than at the first choice. */
lw_status lwi_partition_choose(lwi_partition *p, double t);
/* Bodies in c from independent coordinates and speeds at time t; frames, q, u, Jacobian with them.  From
   the last success on, in several steps where drivers move far.
   LW_E_NOT_CONVERGED: too far from where it was. */
lw_status lwi_partition_recover(lwi_partition *p, double t, const double v[], const double vdot[]);
/* Rates of the independent coordinates, after recover. */
void lwi_partition_rates(const lwi_partition *p, double vdot[]);
/* Rates of the independent speeds from the accelerations of the bodies in c. */
void lwi_partition_accelerations(lwi_partition *p, double vddot[]);
/* The coordinates and speeds that are independent, as they are. */
void lwi_partition_read(const lwi_partition *p, double v[], double vdot[]);
/* References of bodies without independent theta follow them: changes nothing else. */
void lwi_partition_follow(lwi_partition *p);
/* Factors at the present poses, to see how good the choice of pivots still is. */
void lwi_partition_inspect(lwi_partition *p);
/* Is it time for another choice? */
bool lwi_partition_is_worn(const lwi_partition *p);

#endif
