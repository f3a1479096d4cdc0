/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h -- an independent, dense and slow way to every number of a mechanism of any topology.

   It reads the same descriptors as linkwork (lwt_parts) and shares no code with src/: poses come
   from the definition X(q) of docs/format.md section 3, velocities from V_b - V_a = P u,
   accelerations and joint loads from the Newton-Euler equations of all bodies and the constraint
   equations of all joints as one linear system

     [ M  -G' ] [ A      ]   [ F     ]        A: accelerations of the centres of mass
     [ G   0  ] [ lambda ] = [ gamma ]        f = D lambda: load of a joint on its child

   With P the motions that a joint allows, D spans their complement, and A_b - A_a = P udot + c with
   c = Pdot u + [0; w_a x v_rel], both sides taken at the child's joint origin.  Loops and redundant
   constraints are solved with minimum norm.  Bodies need mass, com and inertia (not `solid`),
   numbers must be plain.

   Joints are numbered as written, from 0, followed by the implicit free joints of floating groups.
   q and u hold all joints in that order, also those that close loops: their q must fit the others
   (oracle_gap tells). */
#ifndef ORACLE_H
#define ORACLE_H
#include "lwt.h"

/* the same files once more in 80 bits: for differences whose rounding errors nobody sees */
#ifdef ORACLE_LONG
typedef long double oracle_real;
#else
typedef double oracle_real;
#endif

typedef struct {
  oracle_real R[3][3], p[3]; /* R[i][k]: component i of axis k, in ground */
} oracle_frame;

typedef struct {
  oracle_frame X;
  oracle_real V[6], A[6]; /* [w; v], [wdot; vdot] of the body origin, ground axes */
} oracle_body;

typedef struct {
  const lwt_parts *parts;
  int njoint, nq, nu;
  lw_joint_desc *joint;    /* [njoint] */
  int *q, *u;              /* [njoint] first coordinate and speed */
  oracle_body *body;       /* [nbody + 1], 0 is the ground */
  oracle_real *coordinate; /* [nq] of the last oracle_kinematics */
  oracle_real *speed;      /* [nu] */

  /* after oracle_dynamics */
  oracle_real *udot;         /* [nu] */
  oracle_real (*load)[6];    /* [njoint + nconstraint] [torque; force] on the child at the child's
                              joint origin; of a relation the multiplier first */
  oracle_real (*applied)[6]; /* [nbody + 1] all loads but those of constraints, about the com */
  int nequation, rank; /* of the linear system; less rank than equations: redundant constraints */
  bool independent;    /* the caller knows that all equations are: elimination will do */
  bool force_min_norm; /* use the rank-revealing solver for trees too */
  oracle_real
      length; /* > 0: accelerations alone, whatever the masses are (oracle_null_space.c); what a
                          radian is worth.  rank is then that of the constraints */
} oracle;

oracle *oracle_new(const lwt_parts *p); /* keeps p */
void oracle_free(oracle *o);

/* Poses and velocities of all bodies. */
void oracle_kinematics(oracle *o, const oracle_real q[], const oracle_real u[]);
/* The largest disagreement of a joint's q, u with the poses and velocities of its bodies: not zero
   only if q, u do not fit a loop. */
oracle_real oracle_gap(const oracle *o);
/* q after a small motion of all joints, to first order; quaternions keep their length. */
void oracle_move(const oracle *o, oracle_real q[], const oracle_real motion[]);
/* Moves q and u of all joints to where loops and constraints hold at time t, and computes poses and
   velocities.  False: it found no such state. */
bool oracle_close(oracle *o, oracle_real t, oracle_real q[], oracle_real u[]);
/* Accelerations of all bodies from udot, along a spanning tree; after oracle_kinematics. */
void oracle_accelerations(oracle *o, const oracle_real udot[]);
/* Accelerations, udot and loads at time t; after oracle_kinematics.  tau may be NULL. */
void oracle_dynamics(oracle *o, oracle_real t, const oracle_real tau[]);

/* After oracle_kinematics: of the point of body b at p_B, [w; v], ground axes. */
void oracle_point_velocity(const oracle *o, int b, const oracle_real p_B[3], oracle_real V[6]);
void oracle_energy(const oracle *o, oracle_real *kinetic, oracle_real *potential);
/* [angular about the ground origin; linear], the mass, and the centre of mass. */
void oracle_momentum(const oracle *o, oracle_real h[6], oracle_real *mass, oracle_real center[3]);

/* Degrees of freedom and redundant equations from the rank of the constraint equations
   (docs/format.md 9.3 without the correction for particles); after oracle_kinematics. */
void oracle_mobility(const oracle *o, int *dof, int *redundant);
/* Takes out of loads[njoint + nconstraint][6] what redundant constraints leave undetermined, so that the loads of
   two solutions can be compared; after oracle_kinematics. */
void oracle_keep_determined(const oracle *o, oracle_real (*loads)[6]);

#endif
