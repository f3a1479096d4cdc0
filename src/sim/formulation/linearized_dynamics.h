/* SPDX-License-Identifier: Apache-2.0 */
/* linearized_dynamics.h -- a model linearised at a state, for derivatives along any number of
   directions.  Accelerations come from the formulation in use if it has derivatives; constraints
   and everything else come from the tree recursion. */
#ifndef LWI_SIM_FORMULATION_LINEARIZED_DYNAMICS_H
#define LWI_SIM_FORMULATION_LINEARIZED_DYNAMICS_H
#include "sim/formulation/formulation.h"
#include "tree/loops/derivative_data.h"

/* A direction of y = (q, u) with unit quaternions, and what follows from it. */
typedef struct {
  double *motion;       /* [nu] derivative of q, as speeds */
  double *u;            /* [nu] */
  double *tau;          /* [nu] derivative of loads beside those of the model; NULL: none */
  double *udot;         /* [nu] */
  const double *states; /* [nstate] of states; NULL: zero; afterwards with those of own loads */
} lwi_state_direction;

typedef struct {
  const lw_model *m;
  lw_derivatives *d;
  bool known;            /* d is linearised at t, y */
  double t, *y;          /* [nq + nu] */
  double *row, *gap;     /* [equations] */
  double *all;           /* [nq_all + 2 nu_all] derivatives of q, u, udot of all joints */
  lw_dynamics *dynamics; /* its angles of cut joints and starts of gears are copied */
  struct {
    bool known;     /* D is that of the state */
    double *states; /* [nstate] along a direction, with the loads that friction depends on ... */
    double *x;      /* [nstate] ... those, ... */
    double *udot;   /* [nu] */
    double *D;      /* [n][n] ... what each of them changes them by; and as much scratch */
  } own;            /* own_load_derivatives.c */
  int ndirection;
  lwi_stabilized_direction *direction; /* [ndirection] scratch of callers */
} lwi_linearized_dynamics;

lw_status lwi_linearized_dynamics_open(lwi_linearized_dynamics *l, const lw_model *m,
                                       lw_dynamics *dynamics);
void lwi_linearized_dynamics_close(lwi_linearized_dynamics *l);

/* Derivatives of the rates at y along the first n directions of l->direction (see
   lwi_linearized_dynamics_reserve), including the correction to the constraints. */
lw_status lwi_linearized_dynamics_rates(lwi_linearized_dynamics *l, double t, const double y[],
                                        int n, double stabilization);
bool lwi_linearized_dynamics_reserve(lwi_linearized_dynamics *l, int n);

/* Linearises the tree recursion at a state; does nothing if the state is unchanged. */
lw_status lwi_linearized_dynamics_at(lwi_linearized_dynamics *l, double t, const double y[]);
/* Between steps: decides which of the constraint equations are independent until the next call. */
lw_status lwi_linearized_dynamics_update_rank(lwi_linearized_dynamics *l, double t,
                                              const double y[]);

/* Differentiates the tree recursion along a direction; model_p may be NULL.  If udot is true,
   x->udot comes from the formulation in use. */
lw_status lwi_linearized_dynamics_derive(lwi_linearized_dynamics *l,
                                         const lw_model_derivative *model_p, lwi_state_direction *x,
                                         bool udot);

/* Residuals of the differentiated constraints, [equations], scaled: of positions (without gear_p,
   the derivative of where gears start) and of speeds.  Call them after
   lwi_linearized_dynamics_derive or after lwi_linearized_dynamics_move, which does not find
   udot. */
void lwi_linearized_dynamics_move(lwi_linearized_dynamics *l, const lw_model_derivative *model_p,
                                  const lwi_state_direction *x);
void lwi_linearized_dynamics_gap(lwi_linearized_dynamics *l, const double gear_p[], double row[]);
void lwi_linearized_dynamics_gap_rate(lwi_linearized_dynamics *l, double row[]);
/* x += dx, where dx is the smallest change in the metric of the mass matrix with G dx = by *
   row. */
void lwi_linearized_dynamics_close_gap(lwi_linearized_dynamics *l, const double row[], double by,
                                       double x[]);

static inline int lwi_linearized_dynamics_nrow(const lwi_linearized_dynamics *l)
{
  return l->d->work->closure ? l->m->tree_constraints.nrow : 0;
}

#endif
