/* SPDX-License-Identifier: Apache-2.0 */
/* solver.h -- the inside of lw_solver: several solvers of one linear system, behind one
   interface. */
#ifndef LWI_CARTESIAN_SOLVERS_SOLVER_H
#define LWI_CARTESIAN_SOLVERS_SOLVER_H
#include "cartesian/form/cartesian.h"
#include "linkwork/solvers.h"

/* what solving needs beside lwi_descriptor_values: spatial models in Euler parameters */
typedef struct {
  double (*p)[4];   /* [nbody] orientation of the axes that w is in */
  double *gamma;    /* [nbody] -2 pdot^T pdot */
  double (*pdd)[4]; /* [nbody] out */
} lwi_euler;

struct lw_solver {
  lw_cartesian *c;
  lwi_descriptor_values v;
  lw_solver_method method;
  lwi_euler euler;
  int size;
  double *a, *lambda;
  void *own; /* of one of the two files below, or an lwi_descriptor_system */
  lwi_arena arena;
};

/* ---- forward dynamics by another solver (solver_choice.c) ---- */

/* From now on c is solved by this method, and numbering (LW_ORDER_METHODS: as linkwork chooses).
   Leaves the assembled start in w.  LW_E_UNSUPPORTED: says why not. */
lw_status lwi_cartesian_use(lw_cartesian *c, lw_work *w, lw_solver_method method,
                            lw_order_method order, lw_error *err);

/* ---- reduced systems (solver_reduced.c) ---- */

typedef struct lwi_reduced_solver lwi_reduced_solver;
lwi_reduced_solver *lwi_reduced_solver_new(const lwi_descriptor_shape *s, lw_solver_method method,
                                           const int order[], lw_status *status);
void lwi_reduced_solver_free(lwi_reduced_solver *y);
lw_status lwi_reduced_solver_solve(lwi_reduced_solver *y, const lwi_descriptor_values *v,
                                   double a[], double lambda[]);

/* ---- augmented systems (solver_augmented.c) ---- */

typedef struct lwi_augmented_solver lwi_augmented_solver;
/* turns[rows], which must live as long: the row has no part in v at any state.  The plan is for all
   states; v and e are one of them, to try orders with. */
lwi_augmented_solver *lwi_augmented_solver_new(const lwi_descriptor_shape *s, const bool turns[],
                                               lw_solver_method method,
                                               const lwi_descriptor_values *v, const lwi_euler *e,
                                               lw_status *status);
void lwi_augmented_solver_free(lwi_augmented_solver *y);
int lwi_augmented_solver_size(const lwi_augmented_solver *y);
lw_status lwi_augmented_solver_solve(lwi_augmented_solver *y, const lwi_descriptor_values *v,
                                     const lwi_euler *e, double a[], double lambda[]);
/* Forms the matrix and the right side; for the solvers by KLU. */
void lwi_augmented_solver_system(lwi_augmented_solver *y, const lwi_descriptor_values *v,
                                 const lwi_euler *e, lw_sparse_system *out);

/* ---- L D L^T of an augmented matrix (solver_ldl.c) ---- */

/* Bodies 0 ... nbody-1 and sets nbody ... in an order without zero pivots; false: no memory. */
bool lwi_ldl_order(const lwi_descriptor_shape *s, int per_body, int nodes[]);

typedef struct {
  int n;
  int *column_start, *row; /* of the matrix: upper triangle, by columns, the caller's */
  int *L_start, *L_count, *L_row, *parent, *flag, *pattern;
  double *L, *D, *y;
} lwi_ldl;
bool lwi_ldl_plan(lwi_ldl *f, int n, int column_start[], int row[], lwi_arena *arena);
bool lwi_ldl_solve(lwi_ldl *f, double value[], double x[]); /* false: a pivot is zero */

/* ---- any sparse matrix by KLU (solver_klu.c) ---- */

/* By columns.  All arrays stay the caller's and where they are. */
typedef struct lwi_klu lwi_klu;
lwi_klu *lwi_klu_new(int n, int column_start[], int row[], double value[]);
void lwi_klu_free(lwi_klu *k);
/* KLU's default, block triangular form and AMD, fills some matrices with zero diagonals three times
   more than AMD alone, and others less: takes what gives the fewest entries in the factors of value
   as it is. */
bool lwi_klu_choose(lwi_klu *k);
/* again: with the pivots of the last time */
bool lwi_klu_solve(lwi_klu *k, double x[], bool again);
bool lwi_klu_is_out_of_memory(const lwi_klu *k); /* and not singular: the last call that failed */

/* ---- a positive definite matrix by CHOLMOD (solver_cholmod.c) ---- */

/* Of the lower triangle, by columns.  All arrays stay the caller's and where they are. */
typedef struct lwi_cholmod lwi_cholmod;
lwi_cholmod *lwi_cholmod_new(int n, int column_start[], int row[], double value[], double b[]);
void lwi_cholmod_free(lwi_cholmod *c);
const double *lwi_cholmod_solve(lwi_cholmod *c); /* for b and value as they are; NULL: singular */
bool lwi_cholmod_is_out_of_memory(const lwi_cholmod *c); /* and not singular: as above */

#endif
