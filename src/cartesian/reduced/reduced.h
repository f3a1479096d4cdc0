/* SPDX-License-Identifier: Apache-2.0 */
/* reduced.h -- the inside of lwi_descriptor_system: the reduced system of [Serban1997] eq. 6,

     B lambda = Phi M^-1 Q - gamma,   B = Phi M^-1 Phi^T,   a = M^-1 (Q - Phi^T lambda)

   factored without square roots along a tree of small dense fronts.

   Hubs.  A body with k joints makes all k neighbours of each other.  Where that is too much, the
   acceleration of the body stays an unknown beside the multipliers:

     [  B_0     -Phi_h ] [ lambda ]   [ Phi M^-1 Q - gamma ]      B_0: B without the hubs
     [ -Phi_h^T  -M_h  ] [  a_h   ] = [       -Q_h         ]

   Joints then have positive pivots and hubs negative ones, in any order, if B_0 is positive
   definite: docs/theory/cartesian.md. */
#ifndef LWI_CARTESIAN_REDUCED_REDUCED_H
#define LWI_CARTESIAN_REDUCED_REDUCED_H
#include "base/arena.h"
#include "cartesian/reduced/descriptor_system.h"
#include "linkwork/order.h"

#include <stdint.h>

/* ---- the plan ---- */

/* Rows of a front: w that it eliminates, then the rest, h in all; row h carries the right side.
   Columns follow one another, `ld` numbers each, a multiple of four; of the rest only what
   is needed from row `base` on, the last multiple of four not above w. */
typedef struct {
  int w, h, ld;
  int base, ldr;
  int parent;
  int row;            /* rows[row .. row + h - 1]: which unknowns they are */
  int pivot;          /* its first pivot among all */
  int child, nchild;  /* children[child ...] */
  int op, nop;        /* ops[op ...] */
  size_t panel, rest; /* where its columns begin in panel[] and rest[] */
} lwi_front;

/* a child and where its rows below are in the front */
typedef struct {
  int front, map;
} lwi_front_child;

/* what goes into a front from the start */
typedef enum {
  LWI_OP_PRODUCT,    /* block [rows][columns] += Y (Phi of the column's set)^T */
  LWI_OP_HUB_ROW,    /* rows are a hub, columns a set: -Phi^T */
  LWI_OP_HUB_COLUMN, /* rows are a set, columns a hub: -Phi */
  LWI_OP_HUB,        /* -M */
  LWI_OP_OWN         /* scale of the pivots of a set that touches hubs alone */
} lwi_op_kind;
typedef struct {
  unsigned char kind, rows, columns;
  int body;        /* hub, own */
  unsigned y, phi; /* where the blocks begin */
  size_t to;       /* place in panel[]; own: the first pivot */
} lwi_op;

/* a block of the Jacobian with what goes with it */
typedef struct {
  int body, rows;
  int hub;         /* which hub the body is; -1: none */
  int row;         /* first row of its set */
  unsigned phi, y; /* y: -1u for hubs */
} lwi_block;

typedef struct {
  int nset;
  int *set_row, *set_block; /* [nset + 1] as in the shape */
  int width, nbody, nrow, nblock, nfront, nunknown, nhub, npivot;
  lwi_front *front; /* [nfront] children first */
  lwi_front_child *children;
  int *map, *rows;
  lwi_op *ops;
  lwi_block *block; /* [nblock] by set */
  int *hub;         /* [nhub] bodies; unknowns nrow + width * i ... */
  int *block_end;   /* [npivot] where the pivots of the same set end */
  size_t npanel, nrest, ny;
  int nop, nmap, nindex;
  int largest, tallest;   /* most numbers in the columns of a front; largest ld */
  bool independent;       /* a forest by articulated bodies: sets cannot depend on each other */
  bool forest;            /* sets cannot depend on each other, whatever the plan */
  double multiplications; /* counted, of the factorisation ... */
  double forming;         /* ... and of the blocks that it begins with */
  lw_order_method method;
} lwi_reduced_plan;

typedef struct {
  double *panel;   /* [npanel] S = -L, strictly below the diagonal, and the right side */
  double *rest;    /* [nrest] */
  double *y;       /* [ny] (Phi M^-1)^T, [width][rows] a block */
  double *x;       /* [nunknown] right side, then solution */
  double *inverse; /* [npivot] 1 / pivot; 0: dropped */
  double *own;     /* [npivot] diagonals of B as they were */
  double *column;  /* [largest] columns of a front before they are divided by their pivots */
  double *local;   /* unknowns of a front */
  int *swapped;    /* [rows] the rows of fronts as eliminated: rows[], if nothing was exchanged */
  bool *kept;      /* [nrow] */
  bool *turns;     /* [nrow] rows between angles alone */
  double *first;   /* [nunknown] a solution to be refined */
  long double *a;  /* [nbody][width] */
  int rank;
} lwi_reduced_work;

/* Pivots relative to their rows' own diagonals. */
typedef enum {
  LWI_PIVOTS_WEAK,   /* rows may depend on each other */
  LWI_PIVOTS_MODEST, /* some digits are lost */
  LWI_PIVOTS_STRONG
} lwi_pivots;
#define LWI_WEAK_PIVOT 1e-6
#define LWI_MODEST_PIVOT 1e-3

/* the hot part, compiled once per instruction set */
typedef struct {
  /* Everything up to the triangular solve; stops at a weak pivot. */
  lwi_pivots (*factor)(const lwi_reduced_plan *p, lwi_reduced_work *w,
                       const lwi_descriptor_values *v);
  /* the right side in x goes into the fronts, whose factors are there */
  void (*forward)(const lwi_reduced_plan *p, lwi_reduced_work *w);
  /* x from the fronts, with the right sides in them */
  void (*back)(const lwi_reduced_plan *p, lwi_reduced_work *w);
  /* a = M^-1 (Q - Phi^T lambda) */
  void (*recover)(const lwi_reduced_plan *p, const lwi_reduced_work *w,
                  const lwi_descriptor_values *v, double a[]);
  /* for factors made otherwise: blocks and right side x; a front before its
     elimination */
  void (*prepare)(const lwi_reduced_plan *p, lwi_reduced_work *w, const lwi_descriptor_values *v);
  void (*assemble)(const lwi_reduced_plan *p, const lwi_front *f, lwi_reduced_work *w,
                   const lwi_descriptor_values *v);
  /* as lwi_descriptor_row_residual and lwi_descriptor_force_residual, of all rows */
  void (*row_residual)(const lwi_reduced_plan *p, const lwi_descriptor_values *v, const double a[],
                       const double lambda[], double turn, double shift, double row[],
                       double size[]);
  void (*force_residual)(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                         const double a[], const double lambda[], double force[], double size[]);
} lwi_reduced_kernels;
void lwi_descriptor_use_kernels(lwi_descriptor_system *l, const lwi_reduced_kernels *kernels);
const lwi_reduced_kernels *lwi_reduced_kernels_best(void);
const lwi_reduced_kernels *lwi_reduced_kernels_at(int index); /* NULL: no more */

/* ---- the parts ---- */

bool lwi_reduced_work_take(const lwi_reduced_plan *p, lwi_arena *arena, lwi_reduced_work *w);

typedef enum {
  LWI_PLAN_QUICK,  /* of least counted work, maybe with hubs */
  LWI_PLAN_LEAVES, /* of a forest, from the leaves inward with hubs: no weak pivots */
  LWI_PLAN_RANK,   /* for factor_rank, without hubs */
  LWI_PLAN_BLOCKS  /* no fronts: for prepare and recover alone */
} lwi_plan_purpose;

/* order: of the sets, or NULL, which may make hubs.  LW_E_UNSUPPORTED: the factor would have more
   than `most` entries. */
lw_status lwi_reduced_plan_new(const lwi_descriptor_shape *s, const int order[],
                               lwi_plan_purpose purpose, double most, lwi_arena *arena,
                               lwi_reduced_plan *p);

/* Factors with pivoting inside the fronts and a decision about each row (reduced_rank.c): it is dropped if its
   remaining pivot is below the part `dependent` of its diagonal.  Without hubs only.  False: a number is not
   finite. */
bool lwi_reduced_factor_rank(const lwi_reduced_kernels *kernels, const lwi_reduced_plan *p,
                             lwi_reduced_work *w, const lwi_descriptor_values *v, double dependent);
/* Improves x, which solves with the factors there are (reduced_refine.c). */
void lwi_reduced_refine(const lwi_reduced_kernels *kernels, const lwi_reduced_plan *p,
                        lwi_reduced_work *w, const lwi_descriptor_values *v);

static inline size_t lwi_reduced_panel_size(const lwi_front *f)
{
  return (size_t)f->w * (size_t)f->ld;
}

#endif
