/* SPDX-License-Identifier: Apache-2.0 */
/* coordinate_partition.h -- generalized coordinate partitioning [Negrut2010]: displacements of all
   bodies are split into independent ones v and dependent ones u, such that Phi_u is regular.  The
   independent ones stay as they are, the dependent ones follow from the constraints,

     Phi(u, v, t) = 0                    Newton's method:  Phi_u du = -Phi,  dv = 0
     Phi_u udot = -Phi_t - Phi_v vdot    (Phi_t is missing in eq. 11 and 15)

   Columns are displacements of a body, [turn; shift of the centre of mass] in ground axes, as its
   speeds are; no orientation needs a reference.  A state is given in the coordinates q and speeds u
   of the spanning tree, whose joints hold by construction: displacements of bodies are read as
   those of joints, so that angles are counted over any number of turns.  All of q and u is
   integrated, and the choice may change between steps without beginning anew:
   docs/decisions/012-partitioning.md. */
#ifndef LWI_CARTESIAN_FORM_COORDINATE_PARTITION_H
#define LWI_CARTESIAN_FORM_COORDINATE_PARTITION_H
#include "cartesian/form/cartesian.h"
#include "linalg/pivoted.h"

/* Which entries a row has in the block of a body.  Rows by which a joint of the tree holds two points together are
   taken along ground axes, where most entries are zero: any axes do, since their right side is zero. */
typedef enum {
  LWI_ROW_ALONG_X, /* of a ground axis: two turns (planar: one) and a shift */
  LWI_ROW_ALONG_Y,
  LWI_ROW_ALONG_Z,
  LWI_ROW_SWING_0, /* of a direction that a joint of the tree holds */
  LWI_ROW_SWING_1,
  LWI_ROW_OF_TURNS, /* others between angles alone */
  LWI_ROW_FULL
} lwi_partition_row;

typedef struct {
  lw_cartesian *c;
  int n; /* columns: nbody * width */
  lwi_pivoted *lu;
  int nindependent, most; /* independent columns; the fewest that there were before */
  int *independent;       /* [nindependent] which */
  double best;   /* weakest pivot when the columns were chosen, relative to its row: 1 at best */
  bool *given;   /* [nrow] joints of the spanning tree, and rows of speeds alone: no gap */
  bool *by_tree; /* [nrow] joints of the spanning tree: speeds hold, too */
  bool complete; /* pivots are compared throughout */
  bool plain;    /* all rows are full: the sparse ones would fill in */
  signed char *kind;     /* [nrow] lwi_partition_row */
  size_t *start;         /* [nrow + 1] entries of a row, ... */
  int *column;           /* ... their columns ... */
  double *value;         /* ... and Phi there */
  double *row_weight;    /* [nrow] */
  double *column_weight; /* [n] zero: it does not move */
  double *step, *speed;  /* [n] scratch: displacements, speeds of bodies */
  double *was;           /* [n] their speeds as given */
  double *rest;          /* [nrow] scratch */
  double *q, *rate, *du; /* [nq], [nq], [nu] scratch */
  double *rank_state;    /* [nq + nu] scratch: a state as it was given */
  lwi_frame *before;     /* [nbody + 1] where the bodies were: independent ones stay there */
  double arm;            /* typical distance of joints from centres of mass */
  bool begun;            /* columns have been chosen */
  long newton;           /* iterations, ... */
  long factors;          /* ... factors, ... */
  long choices[3];       /* ... and choices of columns so far, by lw_partition_reason */
  double last_time;      /* of the last choice, ... */
  int last_reason;       /* ... and its reason */
} lwi_partition;

/* complete: pivots of the whole matrix are compared whatever its size.  NULL: no memory. */
lwi_partition *lwi_partition_new(lw_cartesian *c, bool complete);
void lwi_partition_free(lwi_partition *p);

/* Chooses the independent columns at the bodies' poses in c, where the constraints hold.  False: no
   memory. */
bool lwi_partition_choose(lwi_partition *p);
/* Takes over the columns that were chosen for a nearby model, if it has the same rows and bodies.
   False: no memory. */
bool lwi_partition_follow(lwi_partition *p, const lwi_partition *from);
/* A state (q, u) near the constraints at time t becomes one that satisfies them, in which
   independent coordinates and speeds of bodies are what they were; bodies in c and the tree in w
   follow.  moved[nu]: the resulting displacement of the joints, or NULL.  LW_E_NOT_CONVERGED: too
   far off. */
lw_status lwi_partition_recover(lwi_partition *p, lw_work *w, double t, double q[], double u[],
                                double moved[]);
/* The same by one step of Newton's method for positions and one for speeds, of one factor, however
   small the steps are: a smooth function of the state, unlike an iteration that ends somewhere
   within rounding errors.  What it leaves is the square of how far the state was off. */
lw_status lwi_partition_correct(lwi_partition *p, lw_work *w, double t, double q[], double u[],
                                double moved[]);
/* Between steps: recovers a state, and chooses other columns where these have lost their rank.
   LW_E_NOT_CONVERGED: equations contradict each other. */
lw_status lwi_partition_update_rank(lwi_partition *p, lw_work *w, double t, double q[], double u[]);

/* Makes all rows full, or sparse again, without pivots chosen.  False: no memory, and it stays as it was. */
bool lwi_partition_use_rows(lwi_partition *p, bool plain);
/* Phi, from the blocks of the Jacobian and, of joints of the tree, from the frames (partition_rows.c). */
void lwi_partition_fill_rows(lwi_partition *p);
/* Displacements or speeds x of bodies, which keep the joints of the tree, as those of the joints, du[nu]
   (partition_joints.c). */
void lwi_partition_read_joints(const lwi_partition *p, const double x[], double du[]);

#endif
