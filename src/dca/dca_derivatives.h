/* SPDX-License-Identifier: Apache-2.0 */
/* dca_derivatives.h -- data of derivatives along directions [Mukherjee2008].

   Each equation of a leaf and of an edge is differentiated separately, with everything else
   constant (tree/recursion/derivative_local.h, tree/derivatives/derivative_closure.c).  The
   residuals are z of the leaf and c of the edge, and a sweep with the mobilities of the forward
   pass gives the solution: see dca.h, "what is kept". */
#ifndef LWI_DCA_DCA_DERIVATIVES_H
#define LWI_DCA_DCA_DERIVATIVES_H
#include "dca/dca.h"
#include "linkwork/dca_derivatives.h"
#include "tree/loops/derivative_data.h"

/* one right side and its solution; rows of LWI_ROW numbers */
typedef struct lwi_dca_right_side {
  double (*z)[LWI_ROW];      /* [nlink] of the leaves */
  double (*c)[LWI_ROW];      /* [nedge] of the edges; of a relation one number */
  double (*F)[LWI_ROW];      /* [nlink] sum of the constraint loads so far */
  double (*A)[LWI_ROW];      /* [nlink] */
  double (*f)[LWI_ROW];      /* [nedge] load; of a relation its multiplier */
  double (*handle)[LWI_ROW]; /* z of the handles of each assembly */
  const size_t *at;          /* [nstep] where they are */
} lwi_dca_right_side;

/* data of one thread for a direction */
typedef struct {
  lw_derivatives *tree;
  lwi_dca_right_side side;
  double (*load)[LWI_ROW];   /* [nlink] loads on the leaves, while F is not needed */
  double (*handed)[LWI_ROW]; /* [nlink] loads of joints on parents, while A is not needed */
  double (*pi)[LWI_ROW];     /* [nlink] of the joints of the tree */
  double (*A)[LWI_ROW]; /* [nlink] the solution: with loops, of two sweeps; else that of side */
  double (*f)[LWI_ROW]; /* [nedge] */
  double *x;            /* [nu] loads on the joints of the tree */
  double *udot_p;       /* [nu] the result */
  double *residual;     /* [nu] */
  lwi_pace pace[2];     /* of passes without and with the right side of links */
} lwi_dca_derivatives;

struct lw_dca_derivatives {
  lw_dca *d;
  const lw_model *m;
  int nthread;
  lwi_team *team;
  lwi_dca_derivatives *of_thread; /* [nthread] */
  size_t *at;
  unsigned solved; /* state of d: as there */
  bool ready;      /* a state is linearised */
  bool derived;    /* of_thread[0] holds a solution */
  lwi_arena arena;
};

/* ---- right sides, of links and steps first to last: derivative_right_side.c ---- */

/* Can the motion of links be computed along with the rest? */
bool lwi_dca_derives_along(const lw_dca *d);
/* What does not belong to one link: forces, constraints; and, unless computed along, the motion of
   all links. */
void lwi_dca_derivative_whole(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x);
/* Motion of links, after their parents; the ground included. */
void lwi_dca_derivative_motion(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                               int first, int last);
/* Then, for each separately: load, handed and pi. */
void lwi_dca_derivative_links(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                              int first, int last);
/* z and c of steps from these. */
void lwi_dca_derivative_right_side(const lw_dca *d, lwi_dca_derivatives *v, int first, int last);
/* Before and after a second sweep: z and c of steps from the residual of the first one; the sum of
   both. */
void lwi_dca_derivative_set_aside(const lw_dca *d, lwi_dca_derivatives *v, int first, int last);
void lwi_dca_derivative_add_up(const lw_dca *d, lwi_dca_derivatives *v, int first, int last);

/* All of these, sweeps, udot_p and, if requested, loads: derivative_pass.c.  x NULL: load, handed
   and pi are given.  False: not all finite. */
bool lwi_dca_derivative_pass(const lw_dca *d, lwi_dca_derivatives *v, const lwi_direction *x,
                             double *udot_p, bool loads, lwi_team *team);

/* Derivatives of lwi_dca_stabilized, at the state of lw_dca_linearize; slide may be NULL. */
lw_status lwi_dca_derivative_stabilized(const lw_dca *d, lw_dca_derivatives *s, int n,
                                        const lwi_stabilized_direction x[], double stabilization);

#endif
