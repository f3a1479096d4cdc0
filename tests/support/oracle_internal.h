/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_internal.h -- what the files of the oracle share.  Ground axes everywhere. */
#ifndef ORACLE_INTERNAL_H
#define ORACLE_INTERNAL_H
#include "oracle_algebra.h"

/* ---- oracle_joints.c ---- */

/* everything about a joint that depends on where its bodies are and how they move */
typedef struct {
  int nu, parent, child;
  oracle_real x[3];       /* origin of the child's joint frame */
  oracle_real P[6][6];    /* P[k]: column k, [angular; linear] */
  oracle_real rate[6][6]; /* its time derivative */
  oracle_real D[6][6];    /* D[k], k < 6 - nu: orthonormal, D'P = 0 */
} oracle_handle;

/* the unit vector along axis, or the fallback where it is zero */
void oraclei_unit_axis(const double axis[3], const oracle_real fallback[3], oracle_real out[3]);
oracle_handle oraclei_handle(const oracle *o, int joint); /* without D */
void oraclei_find_complement(oracle_handle *h);           /* D */
/* X(q): the child's joint frame in the parent's */
oracle_frame oraclei_joint_pose(const lw_joint_desc *j, bool planar, const oracle_real q[]);
oracle_frame oraclei_joint_frame(const oracle *o, int joint, bool child);
/* out = sum of columns times u */
void oraclei_times(oracle_real columns[6][6], int n, const oracle_real u[], oracle_real out[6]);
/* (P'P) x = rhs */
void oraclei_solve_gram(oracle_real P[6][6], int n, const oracle_real rhs[], oracle_real x[]);
/* the x for which P x comes nearest to v */
void oraclei_least_squares(oracle_real P[6][6], int n, const oracle_real v[6], oracle_real x[]);

/* ---- oracle.c ---- */

void oraclei_to_ground(const oracle_body *b, const oracle_real p_B[3], oracle_real out[3]);
/* of the body's point that is now at x */
void oraclei_velocity_at(const oracle_body *b, const oracle_real x[3], oracle_real V[6]);
void oraclei_acceleration_at(const oracle_body *b, const oracle_real x[3], oracle_real A[6]);
/* Sets A of the whole body from that of its point at x. */
void oraclei_set_acceleration(oracle_body *b, const oracle_real x[3], const oracle_real A[6]);
/* A += s [0; w x (w x r)] */
void oraclei_add_centripetal(const oracle_real w[3], oracle_real s, const oracle_real r[3],
                             oracle_real A[6]);
void oraclei_center(const oracle *o, int b, oracle_real c[3]);
/* about the com */
void oraclei_inertia(const oracle *o, int b, oracle_real J[3][3]);
/* Velocities alone, where poses are known. */
void oraclei_velocities(oracle *o, const oracle_real u[]);
/* which joints carry the poses, [njoint]; to be freed */
bool *oraclei_tree(const oracle *o);
/* c of A_b - A_a = P udot + c */
void oraclei_bias(const oracle *o, oracle_handle *h, const oracle_real u[], oracle_real c[6]);

/* ---- oracle_constraints.c ---- */

/* equations of a geometric constraint: D'(A_child at x - A_parent at `at`) = bias */
typedef struct {
  int n, parent, child;
  oracle_real x[3], at[3], origin[3]; /* origins of the child's and the parent's frame */
  oracle_real D[2][6], bias[2], violation[2];
} oracle_tie;
oracle_tie oraclei_tie(const oracle *o, int k);

/* sum of coefficient * coordinate = value[0], with its rate and acceleration */
typedef struct {
  int n, joint[2], dof[2];
  oracle_real coefficient[2], value[3];
} oracle_relation;
oracle_relation oraclei_relation(const oracle *o, int k, oracle_real t);

bool oraclei_is_relation(const lw_constraint_desc *d);
int oraclei_nequation(const lw_constraint_desc *d);

/* ---- oracle_forces.c ---- */

/* the load [torque; force] on the child, at the child's joint origin, of a motor of one unit */
void oraclei_motor_load(const oracle *o, int joint, int dof, oracle_real load[6]);

/* Fills o->applied. */
void oraclei_apply_all(oracle *o, oracle_real t, const oracle_real tau[]);
/* of springs, joint springs and bushings */
oracle_real oraclei_potential(const oracle *o);

#endif
