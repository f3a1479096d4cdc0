/* SPDX-License-Identifier: Apache-2.0 */
/* formulation.h -- what a formulation must be able to do.  Adding one: a table of these functions, and
   a line in formulation.c. */
#ifndef LWI_SIM_FORMULATION_FORMULATION_H
#define LWI_SIM_FORMULATION_FORMULATION_H
#include "linkwork/formulation.h"
#include "model/exchange.h"

typedef struct {
  /* Makes d->own.  What it cannot compute is an error that says what. */
  lw_status (*open)(lw_dynamics *d, const lw_simulation_options *options, lw_error *err);
  void (*close)(lw_dynamics *d);

  lw_status (*accelerate)(lw_dynamics *d, double t, const double q[], const double u[],
                          const double tau[], double udot[]);
  /* With a pull back to where the constraints hold, for models with constraints: udot has
     what the speeds are off by, slide is added to the speeds that move q. */
  lw_status (*stabilized)(lw_dynamics *d, double t, const double q[], const double u[],
                          double stabilization, double udot[], double position_correction[]);
  /* From a state that has drifted a little, as lw_project. */
  lw_status (*project)(lw_dynamics *d, double t, double q[], double u[]);
  /* The same, and it decides which of the constraint equations count until the next call: in between,
     `pulled` sees states that are slightly off, where that could not be told.  How near a singular
     configuration is goes to *weakest: 1 is far, 0 is there. */
  lw_status (*update_rank)(lw_dynamics *d, double t, double q[], double u[], double *weakest);
  /* Takes over what update_rank has chosen for a nearby model, so that both leave the same coordinates alone: what
     states are off by then shows the same way in differences.  NULL: nothing is chosen that this depends on. */
  lw_status (*follow_choice)(lw_dynamics *d, const lw_dynamics *from);

  /* Speeds after an event from momenta on the links about their origins, and what joints carry.  NULL: the
     tree recursion does it. */
  lw_status (*impulse)(lw_dynamics *d, double t, const double q[], double (*p)[6], double u[],
                       lwi_impulses *out);

  /* Derivatives of accelerate, or of pulled where there are constraints: first the state, then any number of
     directions, side by side on the threads that there are.  NULL, both: those of the tree recursion. */
  lw_status (*linearize)(lw_dynamics *d, double t, const double q[], const double u[]);
  lw_status (*vary)(lw_dynamics *d, int n, const lwi_stabilized_direction x[],
                    double stabilization);

  /* After pulled: makes its evaluation one that loads can be found of, those of the pull included.  NULL: its loads
     are gone. */
  void (*recall)(lw_dynamics *d);
  lw_status (*find_loads)(lw_dynamics *d);
  lw_status (*load)(const lw_dynamics *d, lw_joint j, double load[6]);
  lw_status (*constraint_load)(const lw_dynamics *d, lw_constraint c, double load[6]);
  lw_status (*relation_load)(const lw_dynamics *d, lw_constraint c, double *load);
} lwi_formulation;

struct lw_dynamics {
  const lw_model *m;
  lw_work *work; /* kinematics and accelerations */
  lw_formulation chosen;
  const char *reason;
  const lwi_formulation *method;
  void *own; /* the formulation's */
};

extern const lwi_formulation lwi_tree_formulation, lwi_dca_formulation, lwi_cartesian_formulation;

/* All loads, or impulses after an event, of joints, constraints and relations. */
lw_status lwi_dynamics_gather(const lw_dynamics *d, lwi_impulses *out);

/* AUTO becomes the one that the model favours; why goes to *reason. */
lw_formulation lwi_formulation_choose(const lw_model *m, const lw_work *w, lw_formulation wish,
                                      const char **reason);
/* What options ask for, or the model if they do not. */
lw_formulation lwi_formulation_wanted(const lw_model *m, const lw_simulation_options *options);
/* LW_E_ARG: there is no such. */
lw_status lwi_formulation_check(lw_formulation wish, lw_error *err);

#endif
