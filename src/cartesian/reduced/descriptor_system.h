/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor_system.h -- the linear system of the Cartesian descriptor form, and its solvers behind
   one face.

     M a + Phi^T lambda = Q        for each body   (the load of the constraints is -Phi^T lambda)
     Phi a             = gamma    for each row                        [Serban1997] eq. 3

   A row that gives way has Phi a = gamma + c lambda, c > 0: the row of a freedom that moves a rotor
   of inertia 1/c, whose load is lambda.  It never depends on others.

   Speeds of a body are [wz; vx; vy] in planar models (width 3) and [w; v] in spatial ones (width
   6), v being the velocity of the centre of mass, so that M = diag(J, m) in each body.  The axes of
   w are the caller's choice (ground or body), the same for the columns of Phi, for J, Q and a.
   Terms quadratic in velocities belong to Q (-w x J w) and gamma.

   Rows come in sets: a joint, a geometric constraint, a gear.  A set touches bodies (two mostly;
   one beside the ground; relations any number); the ground does not appear.  A body appears once in
   a set at most.  Bodies are 0 .. nbody-1, body b-1 of the model. */
#ifndef LWI_CARTESIAN_REDUCED_DESCRIPTOR_SYSTEM_H
#define LWI_CARTESIAN_REDUCED_DESCRIPTOR_SYSTEM_H
#include "linkwork/order.h"
#include "linkwork/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Which set touches which body: fixed for a model.  The arrays are the caller's. */
typedef struct {
  int nbody;
  int width; /* speeds of a body: 3 or 6 */
  int nset;  /* sets of rows */
  const int
      *row; /* [nset + 1] rows of set k: row[k] .. row[k+1]-1; at most six of them, maybe none */
  const int *touch; /* [nset + 1] blocks of set k: touch[k] .. touch[k+1]-1 */
  const int *body;  /* [touch[nset]] the body of each block */
} lwi_descriptor_shape;

/* The mass of a body and its inverse, which is what the reduced forms need; the augmented ones read
   both. A direction without inertia that cannot move either (a particle's rotation) has inverse 0
   and any inertia > 0. */
typedef struct {
  double mass, inverse_mass;
  double inertia[6], inverse_inertia[6]; /* xx yy zz xy xz yz; planar: zz alone, in [2] */
} lwi_descriptor_mass;

/* The numbers at one state. */
typedef struct {
  const lwi_descriptor_mass *mass; /* [nbody] */
  const double *jacobian;          /* blocks one after the other: [rows of its set][width] each */
  const double *force;             /* [nbody][width] Q */
  const double *gamma;             /* [rows] */
  const double *give;              /* [rows] compliance c of rows that give way; NULL: none does */
} lwi_descriptor_values;

static inline int lwi_descriptor_rows(const lwi_descriptor_shape *s)
{
  return s->nset ? s->row[s->nset] : 0;
}
/* where the block of set k that is its number i (from 0) begins in jacobian[] if set k begins at
   `at`; the next set begins at `at` + rows * width * blocks */
static inline size_t lwi_descriptor_block(const lwi_descriptor_shape *s, int k, size_t at, int i)
{
  return at + (size_t)i * (size_t)(s->row[k + 1] - s->row[k]) * (size_t)s->width;
}

typedef struct lwi_descriptor_system lwi_descriptor_system;

/* What the analysis found: reduced.h says what hubs and fronts are. */
typedef struct {
  lw_order_method method; /* LW_ORDER_METHODS: the caller's order */
  int hubs, fronts;
  bool forest;            /* articulated bodies from the leaves inward */
  size_t numbers;         /* of all factors and blocks */
  double multiplications; /* counted, of the factorisation ... */
  double forming;         /* ... and of the matrix */
  double weakest; /* of a forest: the least pivot of B that lwi_descriptor_look_at found; else 0 */
  double least;   /* multiplications of B then, if it was given up for its pivots; else 0 */
} lwi_descriptor_report;

/* Analyses the shape: numbering, pattern, memory.  order: an order of the sets (order[k]: the set
   eliminated k-th), or NULL: that of least counted work.  NULL on failure, *status says why.
   Allocates; the shape need not live on. */
lwi_descriptor_system *lwi_descriptor_new(const lwi_descriptor_shape *s, const int order[],
                                          lw_status *status);
void lwi_descriptor_free(lwi_descriptor_system *l);
/* A state, any that closes loops, says what structure does not: whether B, chosen for a forest as the least work, would
   lose digits, as in long chains and beside light bodies (a pivot below a hundredth of its row's diagonal): then the
   plan from the leaves inward takes its place; and which rows of loops depend on others: these are left out from the
   beginning, so that the factors of the rest have full rank and are as sparse as they can be.  Other rows count where
   these do not do.  order: as above.  Allocates.  On failure only lwi_descriptor_free may follow. */
bool lwi_descriptor_wants_look(const lwi_descriptor_system *l);
lw_status lwi_descriptor_look_at(lwi_descriptor_system *l, const lwi_descriptor_shape *s,
                                 const int order[], const lwi_descriptor_values *v);

/* Factors the matrix and solves for a[nbody][width] and lambda[rows]; either may be NULL.  Rows
   that depend on others are found and get lambda = 0 (as src/linalg/envelope.h); a is exact where
   gamma is consistent.  Nothing allocates.  LW_E_SINGULAR: not finite, or rank lost where it cannot
   be. */
lw_status lwi_descriptor_solve(lwi_descriptor_system *l, const lwi_descriptor_values *v, double a[],
                               double lambda[]);
/* The same where rows count whose remaining pivots are above the part `least` of their diagonals, which may be
   closer to rounding errors than lwi_descriptor_solve goes. */
lw_status lwi_descriptor_solve_finer(lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                     double least, double a[], double lambda[]);
/* The same matrix as in the last solve (jacobian and mass are not read again but must be the same),
   another Q and gamma. */
lw_status lwi_descriptor_solve_again(lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                     double a[], double lambda[]);
/* What a and lambda leave of the rows, row = gamma + c lambda - Phi a, zero in those that did not count in the last
   solve (before the first one all do; with sizes, all rows of a forest do, since none of them depends on others); size: |gamma| + |Phi| times accelerations of this size in turns and shifts, or NULL. */
void lwi_descriptor_row_residual(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                 const double a[], const double lambda[], double turn, double shift,
                                 double row[/* rows */], double size[/* rows */]);
/* The same of all rows, whether they counted or not. */
void lwi_descriptor_all_residuals(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                  const double a[], const double lambda[], double turn,
                                  double shift, double row[/* rows */], double size[/* rows */]);
/* ... and of the bodies, force = Q - M a - Phi^T lambda; size: the sum of the sizes of the terms, or
   NULL. */
void lwi_descriptor_force_residual(const lwi_descriptor_system *l, const lwi_descriptor_values *v,
                                   const double a[], const double lambda[],
                                   double force[/* nbody, width */],
                                   double size[/* nbody, width */]);
/* Rows that counted in the last solve, and whether each did. */
int lwi_descriptor_rank(const lwi_descriptor_system *l);
bool lwi_descriptor_row_kept(const lwi_descriptor_system *l, int row);
/* Do the sets make no loop?  Then no set can depend on others. */
bool lwi_descriptor_is_forest(const lwi_descriptor_system *l);
lwi_descriptor_report lwi_descriptor_describe(const lwi_descriptor_system *l);

#endif
