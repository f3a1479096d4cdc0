/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_jump.h -- velocities across an event by one dense solve in maximal coordinates:

     [ M  -G' ] [ V      ]   [ M V- + p ]        G V = 0: D+ of every joint, the complement of the
     [ G   0  ] [ lambda ] = [ 0        ]        columns of P that are left to it after the event

   Nothing of it is shared with src/.  With o->length > 0 velocities alone, whatever the masses are
   (oracle_null_space.c); impulses are then zero. */
#ifndef ORACLE_JUMP_H
#define ORACLE_JUMP_H
#include "oracle.h"

typedef struct {
  oracle_real (*V)[6];       /* [nbody + 1] afterwards, of the bodies' origins */
  oracle_real (*impulse)[6]; /* [njoint] [torque; force] on the child at the child's joint origin */
  int rank, nequation;
  oracle_real kinetic_before, kinetic_after, jump_energy;
} oracle_jump;

/* a gear, coupler or driver: the speeds u_k = G_k rel of coordinates (joint, dof from 0), times their
   coefficients, have this sum.  Its load on each joint's child is its multiplier times coefficient G_k. */
typedef struct {
  int n, joint[4], dof[4];
  oracle_real coefficient[4], rate;
} oracle_jump_relation;

/* o: the joints after the event, with poses of the bodies and velocities before it in o->body; still:
   bit k of element j: freedom k of joint j is locked; p: [nbody + 1] applied impulses about the
   bodies' centres of mass, or NULL. */
oracle_jump oracle_jump_solve(const oracle *o, const unsigned still[], oracle_real (*p)[6]);
/* The same with relations; load: [n] their multipliers. */
oracle_jump oracle_jump_related(const oracle *o, const unsigned still[], oracle_real (*p)[6],
                                const oracle_jump_relation r[], int n, oracle_real load[]);
void oracle_jump_free(oracle_jump *j);

/* Takes out of impulses[njoint][6] what redundant constraints leave undetermined: of all impulses that do the
   same to the bodies the shortest.  Returns how many equations are redundant. */
int oracle_jump_keep_determined(const oracle *o, const unsigned still[],
                                oracle_real (*impulses)[6]);

#endif
