/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork/solvers.h -- the linear systems of the Cartesian form: costs of numberings of the
   joints, and several methods to solve the same system, for comparison ([Serban1997] section 5).

     M a + Phi^T lambda = Q,   Phi a = gamma        (augmented)
     Phi M^-1 Phi^T lambda = Phi M^-1 Q - gamma     (reduced)

   lw_cartesian_forward_dynamics (linkwork/cartesian.h) uses the first of these methods. */
#ifndef LINKWORK_SOLVERS_H
#define LINKWORK_SOLVERS_H
#include "linkwork/dynamics.h"
#include "linkwork/order.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- the joint graph (linkwork-core) ---- */

typedef struct {
  int nodes,
      edges; /* sets of equations (joints, constraints, relations); pairs of them on one body */
  int rows;  /* equations */
  lw_order_cost cost[LW_ORDER_METHODS];
  /* what lw_cartesian_new chooses: the least counted multiplications of factoring and solving.  Of trees
     B alone may be least, but loses digits in long chains and beside light bodies: where its smallest pivot at
     the initial state, relative to its row, is 0.01 or less, the plan from the leaves inward takes its place */
  lw_order_method chosen;
  int hubs;               /* bodies whose accelerations remain unknowns beside the multipliers */
  bool leaves_inward;     /* a forest: joints and hubs from the leaves inward, without fill */
  double multiplications; /* of its factorisation and one solution */
  double weakest,
      least; /* trees: that pivot, and the multiplications of B where it was given up; else 0 */
  /* multiplications before it: forming B = Phi M^-1 Phi^T, the same for every numbering, and what
     is left of them in the choice */
  double forming, chosen_forming;
} lw_joint_orders;

/* Returns LW_E_MEMORY also if a body has so many joints that the graph would be too large. */
LW_API lw_status lw_joint_orders_of(const lw_model *m, lw_joint_orders *orders);

/* One node of the joint graph. */
typedef struct {
  lw_joint joint;           /* id 0: not a joint */
  lw_constraint constraint; /* id 0: not a constraint */
  int rows;                 /* its equations */
} lw_numbered;
/* The joints and constraints that have equations in the order of a numbering: list[njoint +
   nconstraint], *n of them; its cost, and the bandwidth of the matrix in equations.  cost and
   row_bandwidth may be NULL. */
LW_API lw_status lw_joint_numbering(const lw_model *m, lw_order_method method, lw_numbered list[],
                                    int *n, lw_order_cost *cost, int *row_bandwidth);

/* ---- solution methods (linkwork) ---- */

/* value, name, whether it solves the augmented system, whether the numbering matters, what it is */
#define LW_SOLVER_LIST(X)                                                                          \
  X(LW_SOLVER_SPARSE, "reduced-sparse", false, true, "sparse blocks (linkwork)")                   \
  X(LW_SOLVER_ENVELOPE, "reduced-envelope", false, true, "blocks in an envelope (linkwork)")       \
  X(LW_SOLVER_BAND, "reduced-band", false, true, "band Cholesky (LAPACK dpbtrf)")                  \
  X(LW_SOLVER_CHOLESKY, "reduced-cholesky", false, false, "dense Cholesky (LAPACK dpotrf)")        \
  X(LW_SOLVER_LU, "reduced-lu", false, false, "dense LU (LAPACK dgetrf)")                          \
  X(LW_SOLVER_KLU, "reduced-klu", false, false, "sparse LU (KLU)")                                 \
  X(LW_SOLVER_CHOLMOD, "reduced-cholmod", false, false, "sparse Cholesky (CHOLMOD)")               \
  X(LW_SOLVER_AUGMENTED_KLU, "augmented-klu", true, false, "sparse LU with pivoting (KLU)")        \
  X(LW_SOLVER_AUGMENTED_KLU_AGAIN, "augmented-klu-again", true, false,                             \
    "sparse LU, pivots kept (KLU refactor)")                                                       \
  X(LW_SOLVER_AUGMENTED_LDL, "augmented-ldl", true, false, "sparse symmetric (LDL)")               \
  X(LW_SOLVER_AUGMENTED_SYMMETRIC, "augmented-symmetric", true, false,                             \
    "dense symmetric (LAPACK dsytrf)")                                                             \
  X(LW_SOLVER_AUGMENTED_LU, "augmented-lu", true, false, "dense LU (LAPACK dgetrf)")

#define LW_SOLVER_ENUM(value, name, augmented, numbered, what) value,
typedef enum { LW_SOLVER_LIST(LW_SOLVER_ENUM) LW_SOLVER_METHODS } lw_solver_method;
#undef LW_SOLVER_ENUM

LW_API const char *lw_solver_method_name(lw_solver_method method); /* NULL: no such method */
typedef struct {
  const char *text; /* NULL: no such method */
  bool augmented;   /* it solves the augmented system, not the reduced one */
  bool numbered;    /* the numbering of the joints matters */
} lw_solver_method_info;
LW_API lw_solver_method_info lw_get_solver_method(lw_solver_method method);

typedef struct lw_solver lw_solver;

/* The system at one state, which must satisfy the loops.  order: the numbering of the joints;
   LW_ORDER_METHODS: chosen by linkwork.  Augmented systems of spatial models are in Euler
   parameters, with their normalisation: 7 coordinates and one equation more per body.  Methods but
   the first take independent equations alone and no armature (LW_E_UNSUPPORTED), dense ones need
   memory for all of the matrix.  The model must outlive it. */
LW_API lw_solver *lw_solver_new(lw_work *w, double t, const double q[], const double u[],
                                lw_solver_method method, lw_order_method order, lw_error *err);
LW_API void lw_solver_free(lw_solver *s);

/* Solves `times` times, each time from Phi, M, Q and gamma to accelerations and multipliers. */
LW_API lw_status lw_solver_run(lw_solver *s, int times);

/* Of the last lw_solver_run, in memory of the solver. */
typedef struct {
  int size; /* of the matrix */
  int naccelerations, nmultipliers;
  const double
      *accelerations; /* [wz vx vy] or [w v] (centre of mass, ground axes) of body 1, 2, ... */
  const double *multipliers;
} lw_solver_solution;
LW_API lw_solver_solution lw_solver_get_solution(const lw_solver *s);

/* A system for other solvers: the matrix by columns, rows ascending; unknowns [wdot vdot]
   (planar) or [vdot pdd] of all bodies, then lambda, then the multipliers of the
   normalisations.  Entries that are zero only at this state are in it. */
typedef struct {
  int n;
  const int *column_start, *row;    /* [n + 1], [column_start[n]] */
  const double *value, *right_side; /* [column_start[n]], [n] */
} lw_sparse_system;

/* Forms it again, in memory of s.  LW_E_UNSUPPORTED: s is not augmented-klu. */
LW_API lw_status lw_solver_get_system(lw_solver *s, lw_sparse_system *out);

#ifdef __cplusplus
}
#endif
#endif
