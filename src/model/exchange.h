/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h -- what all formulations take and give beside accelerations: impulses at events,
   directions of derivatives. */
#ifndef LWI_MODEL_EXCHANGE_H
#define LWI_MODEL_EXCHANGE_H
#include "linkwork/derivatives.h"

/* what joints and constraints carry; loads [torque; force] on the child at its joint frame, ground
   axes */
typedef struct {
  double (*joint)[6];      /* [njoint + 1] */
  double (*constraint)[6]; /* [nconstraint + 1] geometric ones */
  double *relation;        /* [nconstraint + 1] multipliers of the others */
  double (*link)[6];       /* [nlink] scratch */
} lwi_impulses;

/* a direction of forward dynamics with stabilization of the constraints (lwi_closure_stabilized),
   and what follows from it */
typedef struct {
  lw_direction along;
  const double *gear_p;        /* [equations] how the starts of gears move; NULL: not at all */
  double *udot;                /* [nu] derivatives of accelerations ... */
  double *position_correction; /* [nu] ... and of what is added to the speeds that move q */
  double *state_rates;         /* [nstate] and of the rates of states; by the tree recursion only */
} lwi_stabilized_direction;

#endif
