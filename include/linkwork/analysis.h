/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h -- where a mechanism rests, how it moves near there: static equilibrium, linearisation,
   modes.  For every topology: trees, closed loops, relations of coordinates, floating systems.

     double q[...], u[...];
     lw_initial_state(m, q, u);
     lw_assemble(w, 0, q, u, &err);
     lw_equilibrium(w, 0, q, NULL, &report, &err);
     lw_linearization *l = lw_linearize(w, 0, q, NULL, &err);
     lw_modes *modes = lw_modes_new(l, &err);

   Everything is reduced to independent speeds of the closed mechanism, as many as it has degrees of
   freedom where it is.  Small motions z are deviations of the coordinates that go with these speeds;
   of spherical and free joints, whose coordinates are more than their speeds, small rotations and
   displacements in the child's joint axes.  Matrices are dense, row by row.  docs/theory/analyses.md */
#ifndef LINKWORK_ANALYSIS_H
#define LINKWORK_ANALYSIS_H
#include "linkwork/loops.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- degrees of freedom ---- */

/* At q, which must satisfy all constraints, and nearby.  More freedoms here than nearby: a singular
   configuration, where motions branch and the equations alone do not say which one follows. */
typedef struct {
  int dof, redundant; /* as lw_dof */
  int dof_near; /* the smallest number found close to q; with loops and over 500 speeds: dof */
  bool singular;
} lw_mobility;
LW_API lw_status lw_find_mobility(lw_work *w, double t, const double q[], lw_mobility *out);

/* ---- static equilibrium ---- */

typedef enum {
  LW_STABLE,  /* every small displacement is driven back */
  LW_NEUTRAL, /* some are not driven at all: floating, or turning freely */
  LW_UNSTABLE /* some grow */
} lw_stability;
LW_API const char *lw_stability_name(lw_stability s);

typedef struct {
  bool nearest;     /* the nearest equilibrium, stable or not; else downhill, to a stable one */
  int most_steps;   /* default 1000 */
  double tolerance; /* of the remaining loads, relative to the largest ones; default 1e-9 */
} lw_equilibrium_options;

typedef struct {
  int steps;
  int dof;
  double residual; /* largest load on an independent coordinate that remains, N or N m */
  double scale;    /* what it is to be compared with: the largest load or stiffness */
  lw_stability stability;
  int unstable, neutral; /* directions in which it is */
} lw_equilibrium_report;

/* From q, which must satisfy all constraints (lw_assemble), to a configuration in which the mechanism
   stays at rest: no constraint is violated, drivers are held where they are at time t, speeds are
   zero, forces that depend on time are those of t.  Afterwards w has the loads at rest: lw_joint_loads.
   LW_E_NOT_CONVERGED: err says what still moves; q stays untouched.  options, report, err may be NULL. */
LW_API lw_status lw_equilibrium(lw_work *w, double t, double q[],
                                const lw_equilibrium_options *options,
                                lw_equilibrium_report *report, lw_error *err);
/* Loads of all joints and constraints at rest at q, as far as these can carry what acts; tau[nu], unless NULL,
   receives what remains and would move the mechanism.  Then lw_joint_loads and lw_get_load. */
LW_API lw_status lw_static_loads(lw_work *w, double t, const double q[], double tau[]);

/* Springs between points, 0 ... n-1, at the state of the last kinematics or dynamics of w. */
typedef struct {
  const char *name;
  double length, rate; /* of the distance between its points */
  double tension;      /* pulls them together */
} lw_spring_state;
LW_API int lw_nspring(const lw_model *m);
LW_API lw_status lw_get_spring(const lw_work *w, int index, lw_spring_state *s);

/* ---- redundant constraints ---- */

/* Which loads redundant constraints leave undetermined, at the state of the last forward dynamics of
   w: for each joint and geometric constraint orthonormal directions of [torque; force] in ground axes.
   NULL: no memory, or no such state. */
typedef struct lw_undetermined lw_undetermined;
LW_API lw_undetermined *lw_undetermined_new(lw_work *w);
LW_API void lw_undetermined_free(lw_undetermined *u);
LW_API int lw_undetermined_of_joint(const lw_undetermined *u, lw_joint j, double D[6][6]);
LW_API int lw_undetermined_of_constraint(const lw_undetermined *u, lw_constraint c, double D[6][6]);

/* ---- prescribed motion ---- */

/* Completes accelerations: udot[i] is kept where given[i], of all joints (lw_nu_all); the others become the
   smallest ones that satisfy all constraints.  LW_E_ARG: those given contradict the constraints, by what
   err says.  Arrays are those of all joints. */
LW_API lw_status lw_complete_accelerations(lw_work *w, double t, const double q[], const double u[],
                                           const bool given[], double udot[], lw_error *err);
/* Inverse dynamics with actuators: the loads tau[n] on the speeds actuator[n] of all joints (indices as
   u_all) that make the mechanism move with udot; if there are several, those with the smallest sum of
   squares.  LW_E_ARG: these actuators cannot do it; err says what is missing. */
LW_API lw_status lw_actuator_loads(lw_work *w, double t, const double q[], const double u[],
                                   const double udot[], const int actuator[], int n, double tau[],
                                   lw_error *err);

/* ---- linearisation ---- */

typedef struct {
  int n;                   /* independent speeds: degrees of freedom */
  int nu, ninput, nbody;   /* lw_nu, lw_nu_all, lw_nbody of the model */
  const int *independent;  /* [n] which speeds of the tree they are */
  const double *M, *C, *K; /* [n][n] M z'' + C z' + K z = 0 if the state is at rest, see kin */
  const double *kin;       /* [n][n] z' = w + kin z: of joints whose coordinates are not rate pairs,
                              while they turn; zero at rest.  Then M w' + C w + K z = 0 */
  const double *A;         /* [2n][2n] d/dt (z, w) = A (z, w) + B tau */
  const double *B;         /* [2n][ninput] tau: a generalized load on each speed of every joint, in
                              the order of lw_get_joint's u_all; motors and actuators are such loads */
  const double *joints;    /* [ninput][n] speeds of all joints by the independent ones */
  const double *bodies; /* [6 nbody][n] velocities [angular; linear] of body origins, ground axes */
  const double *udot;   /* [nu] accelerations about which it is linearised */
  bool symmetric;       /* K is: all forces have a potential */
  bool damped;          /* C is not zero */
  double stiffness;     /* the size of what K is made of: its rounding errors are relative to it */
} lw_linearization;

/* About q and u at time t, which must satisfy all constraints.  u may be NULL: about rest, with drivers
   held; q then should be an equilibrium, else the accelerations there are part of the linearisation.
   From exact derivatives.  NULL: err says why. */
LW_API lw_linearization *lw_linearize(lw_work *w, double t, const double q[], const double u[],
                                      lw_error *err);
LW_API void lw_linearization_free(lw_linearization *l);

/* ---- modes ---- */

typedef enum {
  LW_MODE_RIGID,       /* eigenvalue zero: moves on, or stays where it is put */
  LW_MODE_OSCILLATION, /* a pair of conjugate eigenvalues */
  LW_MODE_REAL         /* decays or grows without oscillating */
} lw_mode_kind;
LW_API const char *lw_mode_kind_name(lw_mode_kind kind);

typedef struct {
  lw_mode_kind kind;
  double real, imaginary;  /* the eigenvalue, 1/s; of a pair that with imaginary > 0 */
  double frequency;        /* |eigenvalue| / 2 pi, Hz: the undamped frequency */
  double damping;          /* -real / |eigenvalue|: 1 and more decays, below 0 grows; rigid: 0 */
  const double *z[2];      /* [n] the shape: real and imaginary part, ... */
  const double *joints[2]; /* [lw_nu_all] ... of all joints; the largest entry is 1 ... */
  const double *bodies[2]; /* [6 nbody] ... and of bodies: rotation, displacement of the origin */
} lw_mode;

typedef struct {
  int n;
  const lw_mode *mode; /* [n] rigid ones first, then by rising frequency */
} lw_modes;

LW_API lw_modes *lw_modes_new(const lw_linearization *l, lw_error *err);
LW_API void lw_modes_free(lw_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
