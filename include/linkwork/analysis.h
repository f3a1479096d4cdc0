/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.h -- static equilibrium, linearisation and modes of a mechanism of any topology: trees,
   closed loops, relations of coordinates, floating systems.

     double q[...], u[...];
     lw_initial_state(m, q, u);
     lw_close_loops(w, 0, q, u, &err);
     lw_equilibrium(w, 0, q, NULL, &report, &err);
     lw_linearization *l = lw_linearize(w, 0, q, NULL, &err);
     lw_modes *modes = lw_modes_new(l, &err);

   Everything is reduced to independent speeds of the closed mechanism, as many as it has degrees
   of freedom at the configuration.  Small motions z are deviations of the coordinates that
   belong to these speeds; for spherical and free joints, which have more coordinates than
   speeds, small rotations and displacements in the child's joint axes.  Matrices are dense, row
   by row.  docs/theory/analyses.md */
#ifndef LINKWORK_ANALYSIS_H
#define LINKWORK_ANALYSIS_H
#include "linkwork/derivatives.h"
#include "linkwork/loops.h"
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- degrees of freedom ---- */

/* Degrees of freedom at q, which must satisfy all constraints, and close to it.  If there are more
   at q than close to it, the configuration is singular: motions branch, and the equations alone do
   not determine which one follows. */
typedef struct {
  int dof, redundant; /* as lw_dof */
  int dof_near; /* the smallest number found close to q; equal to dof with loops and more than 500
                   speeds */
  bool singular;
} lw_mobility;
LW_API lw_status lw_find_mobility(lw_work *w, double t, const double q[], lw_mobility *out);

/* ---- static equilibrium ---- */

typedef enum {
  LW_STABLE,  /* every small displacement is returned */
  LW_NEUTRAL, /* some are neither returned nor amplified: floating, or rotating freely */
  LW_UNSTABLE /* some are amplified */
} lw_stability;
LW_API const char *lw_stability_name(lw_stability s);

typedef struct {
  bool nearest; /* find the nearest equilibrium, stable or not; default: descend to a stable one */
  int most_steps;   /* default 1000 */
  double tolerance; /* remaining loads relative to the largest ones; default 1e-9 */
  /* Called after each step with the part of the way that is done, from 0 to 1, as far as the remaining loads tell; nonzero
     stops the search: LW_E_STOPPED.  NULL: not called. */
  int (*on_step)(void *context, double done);
  void *context;
} lw_equilibrium_options;

typedef struct {
  int steps;
  int dof;
  double residual; /* largest remaining load on an independent coordinate: N or N m */
  double scale;    /* the largest load or stiffness, for comparison with residual */
  lw_stability stability;
  int unstable, neutral; /* number of such directions */
} lw_equilibrium_report;

/* From q, which must satisfy all constraints (lw_close_loops), finds a configuration in which the
   mechanism stays at rest: constraints hold, drivers are fixed at their positions of time t, speeds
   are zero, forces that depend on time are those of t, and states do not change: their rates are
   zero, and q receives their values.  With states Newton's method finds the nearest equilibrium,
   stable or not.  Afterwards w holds the loads at rest: lw_joint_loads.  LW_E_NOT_CONVERGED: err
   says what still moves; q is unchanged.  options, report and err may be NULL. */
LW_API lw_status lw_equilibrium(lw_work *w, double t, double q[],
                                const lw_equilibrium_options *options,
                                lw_equilibrium_report *report, lw_error *err);
/* Loads of all joints and constraints at rest at q, as far as these can carry the acting loads;
   tau[nu], unless NULL, receives the remaining loads, which would move the mechanism.  Then call
   lw_joint_loads and lw_get_load. */
LW_API lw_status lw_static_loads(lw_work *w, double t, const double q[], double tau[]);

/* Springs between points, 0 ... n-1, at the state of the last kinematics or dynamics of w. */
typedef struct {
  const char *name;
  double length, rate; /* distance between its points, and its rate */
  double tension;      /* positive: the points are pulled together */
} lw_spring_state;
LW_API int lw_nspring(const lw_model *m);
LW_API lw_status lw_get_spring(const lw_work *w, int index, lw_spring_state *s);

/* ---- redundant constraints ---- */

/* The loads that redundant constraints leave undetermined, at the state of the last forward
   dynamics of w: for each joint and geometric constraint orthonormal directions of [torque; force]
   in ground axes.  Returns NULL if out of memory, or if there is no such state. */
typedef struct lw_self_stress lw_self_stress;
LW_API lw_self_stress *lw_self_stress_new(lw_work *w);
LW_API void lw_self_stress_free(lw_self_stress *u);
LW_API int lw_self_stress_of_joint(const lw_self_stress *u, lw_joint j, double D[6][6]);
LW_API int lw_self_stress_of_constraint(const lw_self_stress *u, lw_constraint c, double D[6][6]);

/* ---- prescribed motion ---- */

/* Completes accelerations: udot[i] is kept if given[i], for all joints (lw_nu_all); the others are
   the smallest, in the least-squares sense, that satisfy all constraints.  LW_E_ARG: the given ones
   contradict the constraints; err says by how much.  Arrays are those of all joints. */
LW_API lw_status lw_complete_accelerations(lw_work *w, double t, const double q[], const double u[],
                                           const bool given[], double udot[], lw_error *err);
/* Inverse dynamics with actuators: the loads on n speeds of all joints (indices as u_all) that make
   the mechanism move with udot; if there are several solutions, the one with the smallest sum of
   squares.  Dry friction acts against the speeds, and against udot where a freedom starts from
   rest; where it stands still it has no load.  LW_E_ARG: these actuators cannot do it; err says
   what is missing. */
typedef struct {
  int n;
  const int *speed; /* [n] */
  double *load;     /* [n] the result */
} lw_actuators;
LW_API lw_status lw_actuator_loads(lw_work *w, double t, const double q[], const double u[],
                                   const double udot[], const lw_actuators *actuators,
                                   lw_error *err);

/* ---- equilibrium with limits, contacts and friction ---- */

/* Where a mechanism rests that has rigid limits, contacts, ropes and dry friction: what holds is a constraint of
   its model, with a load that it can have; the rest is open.  Freedoms and contacts with friction stick where their loads
   allow it, so that the start is an equilibrium if friction holds it. */
typedef struct lw_rest lw_rest;

/* Has the model parts of this kind? */
LW_API bool lw_is_one_sided(const lw_model *m);
/* From q, which satisfies the constraints.  m must outlive the object.  NULL: see err. */
LW_API lw_rest *lw_rest_new(const lw_model *m, double t, const double q[],
                            const lw_equilibrium_options *options, lw_error *err);
LW_API void lw_rest_free(lw_rest *r);
/* The model with what holds as constraints, as coordinates those of m; with it lw_linearize and lw_static_loads
   are those of the mechanism at rest. */
LW_API const lw_model *lw_rest_model(const lw_rest *r);
LW_API const double *lw_rest_q(const lw_rest *r); /* [nq] */
LW_API lw_equilibrium_report lw_rest_report(const lw_rest *r);

/* What is there of it: limits, contacts, ropes and frictions, and whether they hold. */
typedef struct {
  const char *name; /* of the constraint, `friction.J`, `lower.J`, a contact */
  bool holds;
  double load; /* what it carries, N or N m; 0: it does not hold */
  /* friction of a joint by a constant load that holds: the range of its coordinate within which it does, all other
     frictions holding where they are; infinite: everywhere.  Else both are NaN. */
  double lower, upper;
} lw_rest_part;
LW_API int lw_rest_npart(const lw_rest *r);
LW_API lw_rest_part lw_rest_get_part(const lw_rest *r, int i);

/* Starts a simulation again, at its present time, at rest in the equilibrium found from the initial
   state of its model; drivers keep their speeds.  report may be NULL. */
LW_API lw_status lw_simulation_start_in_equilibrium(lw_simulation *sim,
                                                    lw_equilibrium_report *report, lw_error *err);

/* The same for sensitivities: lw_sensitivity_options.start.  The equilibrium is differentiated
   exactly; one that is neutral in some direction has no derivatives. */
LW_API lw_status lw_equilibrium_start(const lw_model *m, double t, double q[], double u[],
                                      const lw_model_derivative *by, double motion_p[],
                                      double states_p[], lw_error *err);

/* ---- linearisation ---- */

typedef struct {
  int n;                   /* number of independent speeds: degrees of freedom */
  int nu, ninput, nbody;   /* lw_nu, lw_nu_all, lw_nbody of the model */
  const int *independent;  /* [n] their indices among the speeds of the tree */
  const double *M, *C, *K; /* [n][n] M zddot + C zdot + K z = 0 if the state is at rest, see kin */
  const double
      *kin; /* [n][n] zdot = w + kin z: for moving joints whose speeds are not rates of coordinates;
              zero at rest. In general M wdot + C w + K z = 0 */
  int nstate;        /* number of states s that change by themselves; the rest are inputs, held */
  const int *states; /* [nstate] their indices: lw_state_name */
  const double *L;   /* [n][nstate] M wdot + C w + K z + L s = 0 */
  const double *Z, *W, *S; /* [nstate][n], the same, [nstate][nstate]: sdot = Z z + W w + S s */
  const double *A; /* [size][size], size = 2n + nstate: d/dt (z, w, s) = A (z, w, s) + B tau */
  const double *
      B; /* [size][ninput] tau: a generalized load on each speed of every joint, in the order of u_all
            of lw_get_joint; motors and actuators are such loads */
  const double *joints; /* [ninput][n] speeds of all joints from the independent ones */
  const double *bodies; /* [6 nbody][n] velocities [angular; linear] of body origins, ground axes */
  const double *udot;   /* [nu] accelerations about which it is linearised */
  bool symmetric;       /* K is symmetric: all forces have a potential */
  bool damped;          /* C is not zero */
  double stiffness;     /* magnitude of the terms of K, to which its rounding errors are relative */
} lw_linearization;

/* Linearises about q and u at time t, which must satisfy all constraints.  u NULL: about rest, with
   drivers fixed; then q should be an equilibrium, else the accelerations there are part of the
   linearisation.  Uses exact derivatives.  Returns NULL on failure; err says why. */
LW_API lw_linearization *lw_linearize(lw_work *w, double t, const double q[], const double u[],
                                      lw_error *err);
LW_API void lw_linearization_free(lw_linearization *l);

/* ---- modes ---- */

typedef enum {
  LW_MODE_RIGID,       /* eigenvalue zero: continues to move, or stays where it is put */
  LW_MODE_OSCILLATION, /* a pair of conjugate eigenvalues */
  LW_MODE_REAL         /* decays or grows without oscillating */
} lw_mode_kind;
LW_API const char *lw_mode_kind_name(lw_mode_kind kind);

typedef struct {
  lw_mode_kind kind;
  double real, imaginary; /* the eigenvalue, 1/s; of a pair the one with imaginary > 0 */
  double frequency;       /* |eigenvalue| / (2 pi), Hz: the undamped frequency */
  double
      damping; /* -real / |eigenvalue|: decays without oscillation from 1 on, grows below 0; 0 for
                  rigid modes */
  const double *z[2];      /* [n] real and imaginary part of the shape */
  const double *joints[2]; /* [lw_nu_all] the same for all joints; the largest entry is 1 */
  const double *bodies[2]; /* [6 nbody] the same for bodies: rotation, displacement of the origin */
  const double
      *states[2]; /* [nstate] the same for states; where no joint moves their largest entry is 1 */
} lw_mode;

typedef struct {
  int n;
  const lw_mode *mode; /* [n] rigid ones first, then by increasing frequency */
} lw_modes;

LW_API lw_modes *lw_modes_new(const lw_linearization *l, lw_error *err);
LW_API void lw_modes_free(lw_modes *modes);

#ifdef __cplusplus
}
#endif
#endif
