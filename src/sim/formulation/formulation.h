/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.h -- the interface of a formulation.  To add one, fill a table of these functions and
   add a line to formulation.c. */
#ifndef LWI_SIM_FORMULATION_FORMULATION_H
#define LWI_SIM_FORMULATION_FORMULATION_H
#include "linkwork/formulation.h"
#include "model/exchange.h"

typedef struct {
  /* Allocates d->own.  A model that the formulation cannot handle is an error; err says why. */
  lw_status (*open)(lw_dynamics *d, const lw_simulation_options *options, lw_error *err);
  void (*close)(lw_dynamics *d);

  lw_status (*accelerate)(lw_dynamics *d, double t, const double q[], const double u[],
                          const double tau[], double udot[]);
  /* For models with constraints: accelerations with a correction back to the constraints.  udot
     includes the correction of the speeds; position_correction is added to the
     speeds that move q. */
  lw_status (*stabilized)(lw_dynamics *d, double t, const double q[], const double u[],
                          double stabilization, double udot[], double position_correction[]);
  /* The part of the constraint error that the correction takes out per step: stabilization times
     step (docs/decisions/009-drift.md). */
  double decay;
  /* Projects a state that has drifted slightly, as lw_project. */
  lw_status (*project)(lw_dynamics *d, double t, double q[], double u[]);
  /* The same, and decides which of the constraint equations are independent until the next call: in
     between, `stabilized` is evaluated at states that are slightly off the constraints, where the
     rank cannot be decided.  *weakest is the distance from a singular configuration: 1 is far, 0 is
     singular. */
  lw_status (*update_rank)(lw_dynamics *d, double t, double q[], double u[], double *weakest);
  /* Takes over what update_rank has chosen for a nearby model, so that both leave the same
     coordinates alone: what states are off by then shows the same way in differences.  NULL:
     nothing is chosen that this depends on. */
  lw_status (*follow_choice)(lw_dynamics *d, const lw_dynamics *from);

  /* Speeds after an event from momenta on the links about their origins, and the impulses of
     joints. */
  lw_status (*impulse)(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                       lwi_impulses *out);

  /* Derivatives of accelerate, or of `stabilized` if there are constraints: first the state, then
     any number of directions, in parallel on the available threads.  Both NULL: those of the tree
     recursion. */
  lw_status (*linearize)(lw_dynamics *d, double t, const double q[], const double u[]);
  lw_status (*derive)(lw_dynamics *d, int n, const lwi_stabilized_direction x[],
                      double stabilization);

  /* After `stabilized`: restores its evaluation so that loads can be found, including those of the
     correction. */
  void (*recall)(lw_dynamics *d);
  /* first: without constraints only the joints of this link of the tree and of those after it are
     needed */
  lw_status (*find_loads)(lw_dynamics *d, int first);
  lw_status (*load)(const lw_dynamics *d, lw_joint j, double load[6]);
  lw_status (*constraint_load)(const lw_dynamics *d, lw_constraint c, double load[6]);
  lw_status (*relation_load)(const lw_dynamics *d, lw_constraint c, double *load);
} lwi_formulation;

typedef struct lwi_own_loads lwi_own_loads;       /* own_loads.h */
typedef struct lwi_shared_loads lwi_shared_loads; /* shared_loads.h */

struct lw_dynamics {
  const lw_model *m;
  lw_work *work; /* kinematics and accelerations */
  lw_formulation chosen;
  const char *reason;
  const lwi_formulation *method;
  void *own;                /* private data of the formulation */
  lwi_own_loads *own_loads; /* friction that depends on its own load; NULL: there is none */
  lwi_shared_loads *shared; /* loads of contacts that are not unique; NULL: there are none */
};

/* The accelerations of the formulation, with friction that depends on its own load. */
lw_status lwi_dynamics_stabilized(lw_dynamics *d, double t, const double q[], const double u[],
                                  double stabilization, double udot[],
                                  double position_correction[]);
/* After accelerations at q: q with the loads that forces depend on, which are a part of it. */
const double *lwi_dynamics_q(const lw_dynamics *d, const double q[]);
/* Does the program compute inputs (lw_input_law)?  *with: q with their values. */
bool lwi_dynamics_has_law(const lw_dynamics *d);
lw_status lwi_dynamics_inputs(lw_dynamics *d, double t, const double q[], const double u[],
                              const double **with);

extern const lwi_formulation lwi_tree_formulation, lwi_dca_formulation, lwi_cartesian_formulation;

/* The jump by divide and conquer, whatever the formulation: dca_formulation.c */
lw_status lwi_dca_impulse_once(const lw_dynamics *d, double t, const double q[], double (*p)[6],
                               double u[], lwi_impulses *out);

/* After accelerations: loads of joints, as in the table of functions, and how contacts share
   theirs. */
lw_status lwi_dynamics_find_loads(lw_dynamics *d, int first);

/* All loads of joints, constraints and relations, or impulses after an event. */
lw_status lwi_dynamics_gather(const lw_dynamics *d, lwi_impulses *out);

/* Replaces AUTO by the formulation that suits the model; *reason says why. */
lw_formulation lwi_formulation_choose(const lw_model *m, const lw_work *w, lw_formulation requested,
                                      const char **reason);
/* The formulation that the options request, or that of the model if they leave it open. */
lw_formulation lwi_formulation_wanted(const lw_model *m, const lw_simulation_options *options);
/* The solver and ordering of the model file, unless others are given; of the Cartesian form
   only. */
void lwi_formulation_fill_solver(const lw_model *m, lw_simulation_options *o);
/* Are they given for another formulation? */
lw_status lwi_formulation_check_solver(const lw_simulation_options *o, lw_error *err);
/* Returns LW_E_ARG if there is no such formulation. */
lw_status lwi_formulation_check(lw_formulation requested, lw_error *err);

#endif
