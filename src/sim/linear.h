/* SPDX-License-Identifier: Apache-2.0 */
/* linear.h -- a model linearised at a state, for derivatives along any number of directions: accelerations by
   the formulation at work, if it can, constraints and the rest by the tree recursion. */
#ifndef LWI_SIM_LINEAR_H
#define LWI_SIM_LINEAR_H
#include "sim/formulation.h"
#include "tree/derivatives.h"

/* along a direction: y = (q, u) with unit quaternions, and what follows from it */
typedef struct {
  double *motion; /* [nu] of q, along speeds */
  double *u;      /* [nu] */
  double *tau;    /* [nu] of loads beside those of the model; NULL: none */
  double *udot;   /* [nu] */
} lwi_along;

typedef struct {
  const lw_model *m;
  lw_derivatives *d;
  bool known;            /* d is at t, y */
  double t, *y;          /* [nq + nu] */
  double *row, *gap;     /* [equations] */
  double *all;           /* [nq_all + 2 nu_all] derivatives of what cut joints do */
  lw_dynamics *dynamics; /* angles of its cut joints and starts of its gears are taken over */
  int ndirection;
  lwi_pulled_direction *direction; /* [ndirection] room of callers */
} lwi_linear;

lw_status lwi_linear_open(lwi_linear *l, const lw_model *m, lw_dynamics *dynamics);
void lwi_linear_close(lwi_linear *l);

/* Derivatives of rates at y along n directions, the first ones of l->direction (lwi_linear_room), with the pull
   to where constraints hold. */
lw_status lwi_linear_rates(lwi_linear *l, double t, const double y[], int n, double pull);
bool lwi_linear_room(lwi_linear *l, int n);

/* The tree recursion at a state; nothing is computed if it is the one of the last time. */
lw_status lwi_linear_at(lwi_linear *l, double t, const double y[]);
/* Between steps, at a state: decides which of the constraint equations count until the next time. */
lw_status lwi_linear_settle(lwi_linear *l, double t, const double y[]);

/* The tree recursion along a direction; slope may be NULL.  udot, if it is wanted, comes from the formulation at
   work. */
lw_status lwi_linear_vary(lwi_linear *l, const lw_slope *slope, lwi_along *x, bool udot);

/* How much the differentiated constraints are violated, [equations], scaled: positions (without what the
   starts of gears, gear1, move), and speeds; after lwi_linear_vary, or lwi_linear_move, which finds no
   udot. */
void lwi_linear_move(lwi_linear *l, const lw_slope *slope, const lwi_along *x);
void lwi_linear_gap(lwi_linear *l, const double gear1[], double row[]);
void lwi_linear_gap_rate(lwi_linear *l, double row[]);
/* x += the shortest change, in the metric of the mass matrix, with G change = by * row. */
void lwi_linear_close_gap(lwi_linear *l, const double row[], double by, double x[]);

static inline int lwi_linear_nrow(const lwi_linear *l)
{
  return l->d->work->closure ? l->m->ties.nrow : 0;
}

#endif
