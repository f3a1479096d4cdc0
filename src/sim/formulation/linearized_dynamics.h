/* SPDX-License-Identifier: Apache-2.0 */
/* linearized_dynamics.h -- a model linearised at a state, for derivatives along any number of directions: accelerations by
   the formulation at work, if it can, constraints and the rest by the tree recursion. */
#ifndef LWI_SIM_FORMULATION_LINEARIZED_DYNAMICS_H
#define LWI_SIM_FORMULATION_LINEARIZED_DYNAMICS_H
#include "sim/formulation/formulation.h"
#include "tree/loops/derivative_data.h"

/* along a direction: y = (q, u) with unit quaternions, and what follows from it */
typedef struct {
  double *motion; /* [nu] of q, along speeds */
  double *u;      /* [nu] */
  double *tau;    /* [nu] of loads beside those of the model; NULL: none */
  double *udot;   /* [nu] */
} lwi_state_direction;

typedef struct {
  const lw_model *m;
  lw_derivatives *d;
  bool known;            /* d is at t, y */
  double t, *y;          /* [nq + nu] */
  double *row, *gap;     /* [equations] */
  double *all;           /* [nq_all + 2 nu_all] derivatives of what cut joints do */
  lw_dynamics *dynamics; /* angles of its cut joints and starts of its gears are taken over */
  int ndirection;
  lwi_stabilized_direction *direction; /* [ndirection] room of callers */
} lwi_linearized_dynamics;

lw_status lwi_linearized_dynamics_open(lwi_linearized_dynamics *l, const lw_model *m,
                                       lw_dynamics *dynamics);
void lwi_linearized_dynamics_close(lwi_linearized_dynamics *l);

/* Derivatives of rates at y along n directions, the first ones of l->direction (lwi_linearized_dynamics_room), with the pull
   to where constraints hold. */
lw_status lwi_linearized_dynamics_rates(lwi_linearized_dynamics *l, double t, const double y[],
                                        int n, double stabilization);
bool lwi_linearized_dynamics_room(lwi_linearized_dynamics *l, int n);

/* The tree recursion at a state; nothing is computed if it is the one of the last time. */
lw_status lwi_linearized_dynamics_at(lwi_linearized_dynamics *l, double t, const double y[]);
/* Between steps, at a state: decides which of the constraint equations count until the next time. */
lw_status lwi_linearized_dynamics_settle(lwi_linearized_dynamics *l, double t, const double y[]);

/* The tree recursion along a direction; slope may be NULL.  udot, if it is wanted, comes from the formulation at
   work. */
lw_status lwi_linearized_dynamics_vary(lwi_linearized_dynamics *l, const lw_slope *slope,
                                       lwi_state_direction *x, bool udot);

/* How much the differentiated constraints are violated, [equations], scaled: positions (without what the
   starts of gears, gear1, move), and speeds; after lwi_linearized_dynamics_vary, or lwi_linearized_dynamics_move, which finds no
   udot. */
void lwi_linearized_dynamics_move(lwi_linearized_dynamics *l, const lw_slope *slope,
                                  const lwi_state_direction *x);
void lwi_linearized_dynamics_gap(lwi_linearized_dynamics *l, const double gear1[], double row[]);
void lwi_linearized_dynamics_gap_rate(lwi_linearized_dynamics *l, double row[]);
/* x += the shortest change, in the metric of the mass matrix, with G change = by * row. */
void lwi_linearized_dynamics_close_gap(lwi_linearized_dynamics *l, const double row[], double by,
                                       double x[]);

static inline int lwi_linearized_dynamics_nrow(const lwi_linearized_dynamics *l)
{
  return l->d->work->closure ? l->m->tree_constraints.nrow : 0;
}

#endif
