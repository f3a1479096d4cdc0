/* SPDX-License-Identifier: Apache-2.0 */
/* equations.h -- the equations that a joint or a geometric constraint puts on two frames.

   Frame A belongs to the parent, frame B to the child.  Both are given in ground axes: pose (axes
   by columns, origin) and motion V = [w; v] of their origins.  Accelerations are [alpha; classical
   acceleration of the origin].  All equations are functions of the pose of B in A alone, hence with
     d = p_B - p_A,   rel = [w_B - w_A; v_B - v_A - w_A x d]   (the motion of B seen from A)
   every equation has one row J = [J_w; J_v] with
     dPhi/dt = J rel = JB V_B + JA V_A,   JB = J,   JA = -[J_w + d x J_v; J_v]
     d2Phi/dt2 = 0   <=>   JA Vdot_A + JB Vdot_B = gamma.
   So JB^T lambda is a load on B at its origin and JA^T lambda is exactly the opposite load on A at
   the same point, also where the equations are violated: no row choice ever needs converting, and
   momentum is kept whatever the drift.

   Kinds of equations.  e0, e1, a: columns of E, fixed in A (a: the axis); b: fixed in B.
     shift  e_k . d = 0
     turn   component along e_k of 2 tan(angle/2) n = 0, angle and n being those of the rotation from
            E on A to E on B: the frames are parallel
     swing  2 (e_k . b) / (1 + a . b) = 0, k = 0, 1: b points along a
     dot    (a . b - cosine) / sine = 0: the angle between a and b is constant
     screw  a . d - pitch angle = 0: angle of the turn about a that remains when b is swung to a
     span   |d| - length = 0
     touch  a . d - r s = 0, s^2 = 1 - (a . b)^2: a sphere (b = 0) or a disc about b touches a plane
     roll   e_k . (v + w x c) = 0, k = 0, 1, on speeds alone: the point of B that touches the plane,
            c = r (b (a . b) - a) / s away from its origin, does not move along it
     round  t_k . (v + w x c) = 0, likewise for a sphere on a sphere: n = d / |d|, c = -r n, and t_k
            is e_k turned with a to n by the shortest way, or with -a to n where that is far shorter
   They are in metres and radians for small violations, and J is a unit vector (screw: [-pitch a;
   a]) where they hold; rows of one set are then orthogonal to each other.

   Wrong senses.  Dot products alone would be satisfied by a revolute joint mounted upside down (b =
   -a), a sliding one turned by half a turn.  Turn and swing have a pole there instead of a zero, so
   only the right configuration solves them, and Newton's steps from anywhere lead to it (one angle:
   angle -> angle - sin(angle)).  At the pole itself the direction back is a matter of taste; one is
   chosen (equations.c).  Dot has no wrong sense: the configurations that it allows are connected.
   Screw is multi-turn: the caller hands in an angle nearby.  Span at d = 0 takes the direction
   e0. */
#ifndef LWI_MODEL_JOINT_EQUATIONS_H
#define LWI_MODEL_JOINT_EQUATIONS_H
#include "model/joint/joint.h"
#include "model/joint/relative.h"
#include "model/joint/dual_build.h"

typedef enum {
  LWI_SHIFT_0,
  LWI_SHIFT_1,
  LWI_SHIFT_2,
  LWI_TURN_0,
  LWI_TURN_1,
  LWI_TURN_2,
  LWI_SWING_0,
  LWI_SWING_1,
  LWI_DOT,
  LWI_SCREW,
  LWI_SPAN,
  LWI_TOUCH,
  LWI_ROLL_0,
  LWI_ROLL_1,
  LWI_ROUND_0,
  LWI_ROUND_1
} lwi_row;

/* The equations of one joint or constraint.  Planar models have those of the plane only: rows then
   have the entries wz, vx, vy (2, 3, 4) and zeros. */
#define LWI_EQUATIONS(num_type, rot_type)                                                          \
  struct {                                                                                         \
    int n;                                                                                         \
    unsigned char row[6]; /* [n] lwi_row */                                                        \
    rot_type E;           /* right-handed, unit columns, in both frames; the last is the axis */   \
    num_type b[4];        /* a direction in B's frame */                                           \
    num_type number; /* dot: cosine; screw: pitch; span: length; touch, roll, round: radius */     \
    num_type sine;   /* dot */                                                                     \
  }
typedef LWI_EQUATIONS(double, rot3) lwi_equations;

/* ---- make (equation_sets.c) ---- */

/* what a joint is, apart from where; axes are unit vectors */
#define LWI_JOINT_SHAPE(num_type)                                                                  \
  struct {                                                                                         \
    lw_joint_type type;                                                                            \
    bool planar; /* model */                                                                       \
    int nq, nu;                                                                                    \
    num_type axis[LWI_MOST_AXES][3]; /* in the joint frame, where q = 0 */                         \
    num_type pitch;                                                                                \
  }
typedef LWI_JOINT_SHAPE(double) lwi_joint_shape;

#if LW_DERIVATIVE /* see num.h: then both are only stored as above */
typedef LWI_EQUATIONS(num, num_rot) num_equations;
typedef LWI_JOINT_SHAPE(num) num_joint_shape;
#else
typedef lwi_equations num_equations;
typedef lwi_joint_shape num_joint_shape;
#endif

/* 6 - nu equations, planar models 3 - nu */
num_equations lwi_joint_equations(const num_joint_shape *j);
/* A geometric constraint; axis2 is read by perpendicular, touch and rolls (there it may be zero),
   length by distance, rope, touch and rolls.  sense = -1: parallel
   means opposite. */
num_equations lwi_constraint_equations(lw_constraint_type type, bool planar, const num axis[3],
                                       const num axis2[3], num length, double sense);
bool lwi_constraint_is_geometric(lw_constraint_type type);

/* ---- compute: nothing allocates ---- */

/* The pair of frames as the equations see it, in ground axes: what residual, rows and gamma share.  Only what the
   equations need is filled in. */
typedef struct {
  num_rot a; /* E as A carries it */
  num_rot t; /* E as B carries it; only if there are turns */
  num b[3];  /* the direction fixed in B */
  num d[3];  /* from A's origin to B's */
} num_view;
#if !LW_DERIVATIVE
typedef num_view lwi_view;
#endif
void lwi_equations_look(const num_equations *e, const num_frame *A, const num_frame *B,
                        num_view *x);
/* Rows and gamma of what lwi_equations_look found at these frames. */
void lwi_equations_rows_seen(const num_equations *e, const num_view *x, num JB[/* n */][6]);
void lwi_equations_gamma_seen(const num_equations *e, const num_view *x, const num VA[6],
                              const num VB[6], num gamma[/* n */]);

/* near: q of a helical joint a moment ago, so that its angle goes on beyond a turn; else unused */
void lwi_equations_residual(const num_equations *e, const num_frame *A, const num_frame *B,
                            num near, num phi[/* n */]);
void lwi_equations_jacobian(const num_equations *e, const num_frame *A, const num_frame *B,
                            num JA[/* n */][6], num JB[/* n */][6]);
void lwi_equations_gamma(const num_equations *e, const num_frame *A, const num_frame *B,
                         const num VA[6], const num VB[6], num gamma[/* n */]);
/* Both at once, without JA. */
void lwi_equations_rows(const num_equations *e, const num_frame *A, const num_frame *B,
                        const num VA[6], const num VB[6], num JB[/* n */][6], num gamma[/* n */]);
/* Orthonormal loads [torque; force] on B at its origin that the joint or constraint can carry: the
   complement of the motion map P.  Where the equations hold they are the rows JB, normalised. */
void lwi_equations_directions(const num_equations *e, const num_frame *A, const num_frame *B,
                              num D[/* n */][6]);
/* Load on the child [fx fy fz tx ty tz] at B's origin (docs/format.md section 5), from multipliers
   with the sign that puts JB^T lambda on B; and back, exactly where the equations hold. */
void lwi_equations_load(const num_equations *e, num JB[][6], const num lambda[], num load[6]);
void lwi_equations_multipliers(const num_equations *e, num JB[][6], const num load[6],
                               num lambda[]);

/* ---- B as seen from A, beside relative.h ---- */

/* What velocities add to accelerations: with A's acceleration taken along to B's origin as a rigid
   motion [alpha; a + alpha x d], the acceleration of B seen from A, in A's axes, is
     Vdot_B - Vdot_A(taken along) - bias,   bias = [w_A x w; w_A x (w_A x d) + 2 w_A x v]. */
void lwi_relative_bias(const num_frame *A, const num_frame *B, const num VA[6], const num rel[6],
                       num bias[6]);
/* the row JA that goes with a row JB */
void lwi_opposite_row(const num_frame *A, const num_frame *B, const num JB[6], num JA[6]);

#endif
