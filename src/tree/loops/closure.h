/* SPDX-License-Identifier: Apache-2.0 */
/* closure.h -- tree constraints in the coordinates of the spanning tree: their equations at a
   state, their compliance, and the loads that satisfy them.

     M udot + bias = tau + G^T lambda,   G udot = gamma
     W lambda = gamma - G udot_free,    W = G M^-1 G^T

   Rows are scaled to metres: those in radians by the model's typical length (m->length), so that
   compliances of all rows are in 1/kg and may be compared when the rank is decided. */
#ifndef LWI_TREE_LOOPS_CLOSURE_H
#define LWI_TREE_LOOPS_CLOSURE_H
#include "linalg/envelope.h"
#include "model/model.h"
#include "tree/recursion/tree_kernels.h"

struct lwi_closure {
  lwi_pair_state *pair; /* [npair] */
  double *J;            /* [nJ] scaled rows about link origins: as model/tree_constraints.h says */
  double *scale;        /* [nrow] */
  double *slope, *pair_slope; /* of all terms and pairs of relations (relations.h) */
  double *gamma;        /* [nrow] prescribed G udot, without accelerations of frames; scaled */
  double *rhs;          /* [nrow] right side of the last solve */
  double *lambda;       /* [nrow] its solution, for the scaled rows */
  double *eps, *value;  /* E; W, then its factor */
  double *Dinv, *sum;   /* [nu] in link order: 1/D, E lambda */
  double *other;        /* [nrow] scratch */
  double *total;        /* [nrow] multipliers of all steps of refinement */
  double *scratch_rows; /* [7 nrow] scratch of lwi_closure_least_loads */
  double *scratch;      /* [5 nq + 7 nu] scratch of assembly */
  bool *all;            /* [nu] scratch of inverse dynamics */
  int *part_rank;       /* [ncluster] scratch of regularity.c */
  lwi_rank rank;
  bool hold_rank; /* the rank was decided before and is kept */
  bool keep_rank; /* the rank comes from the previous state and is preferred */
  double terms;   /* size of what cancels in the rows of the last forward dynamics by cut joints */
  int fineness;   /* of decisions about rows in forward dynamics: dropped_rows.h */
  bool plain;     /* the metric is that of the coordinates, not the mass matrix */
  bool reduced;   /* the last solution was by embedding: loads come from there */
  bool forward;   /* it was forward dynamics by cut joints, with these loads: */
  double *tau;    /* [nu] */
  lw_loops asked, method; /* requested; in use: LW_LOOPS_CUT or LW_LOOPS_EMBEDDED */
  double cost[2];         /* operations per call by cut joints and by embedding; 0: not available */
  struct lwi_embedding *embedding;
  /* only where constraints use the link system (link_system_solve.c), whose W is in value */
  double *link_system_J;       /* [nJ] */
  double *link_system_lambda;  /* [5 times its rows] multipliers of all rows, and scratch */
  double link_system_softness; /* added to the mobility of constraints */
  double (*link_system_X)[6];  /* [nlink] motions of links */
  lwi_rank link_system_rank;
  const lwi_link_system *link_system; /* used by the last solution */
  double *start;  /* [nconstraint + 1] of gears: the sum of their coordinates at the start */
  double *target; /* [3 (nconstraint + 1)] of relations: value, rate, acceleration */
};
typedef struct lwi_closure lwi_closure;

struct lw_work;
lwi_closure *lwi_closure_carve(const lw_model *m, lwi_carver *c);

/* ---- at a state; each after the one above it ---- */

/* Frames and motions of all pairs, coordinates and speeds of cut joints, targets of relations;
   after kinematics. */
void lwi_closure_place(const lw_model *m, struct lw_work *w, double t);
/* The two parts of it: one pair with the joint that it belongs to (0: a constraint), and the
   targets. */
void lwi_closure_place_pair(const lw_model *m, struct lw_work *w, int pair, int joint);
void lwi_closure_find_targets(const lw_model *m, struct lw_work *w, double t);
/* Loads of motors and joint springs on cut joints; after the kernels' forces. */
void lwi_closure_apply_motors(const lw_model *m, struct lw_work *w);
/* Scaled rows of all constraints, and their gamma. */
void lwi_closure_rows(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x);
/* The metric in which states are assembled: the mass matrix, with locked freedoms rigid; the metric
   of the coordinates where the mass matrix is singular or constraints are local. */
void lwi_closure_metric(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                        const bool *held);
/* After lwi_closure_metric and lwi_closure_compliance with a rule: that of the mass matrix also
   where bodies are light, with the rank found.  Returns false if that is the present one already,
   or singular. */
bool lwi_closure_kinetic_metric(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                                const bool *held);
/* Always the metric of the coordinates; in a link system that of links of equal mass. */
void lwi_closure_plain_metric(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                              const bool *held);
/* x += M^-1 G^T lambda after lwi_closure_solve, in this metric. */
void lwi_closure_move(const lw_model *m, struct lw_work *w, double x[]);
/* E: the loads of all rows, swept inward. */
void lwi_closure_sweep(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x);
/* W and its factor, after free_motion or metric.  more: added to the diagonal, relative to the
   largest entry.  rule NULL: order and rank are kept. */
void lwi_closure_compliance(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                            double more, const lwi_rank_rule *rule);
/* The same from the present E and the metric in Dinv. */
void lwi_closure_couple(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                        double more, const lwi_rank_rule *rule);
/* sum = E lambda */
void lwi_closure_gather(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                        const double lambda[]);
/* lambda from rhs, and sum = E lambda. */
void lwi_closure_solve(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x);

/* Do the locked freedoms of a joint fix coordinates?  Part of a rotation does not: it is a
   condition on speeds (docs/format.md 8.3). */
bool lwi_lock_holds_place(const lwi_joint *j);
/* Displacement of each locked freedom of a joint from where it was locked. */
void lwi_lock_residual(const lwi_joint *j, const lwi_frame frame[2], const double q[],
                       double phi[6]);

lwi_rank_rule lwi_closed_rule(const lw_model *m);   /* where the constraints hold */
lwi_rank_rule lwi_embedded_rule(const lw_model *m); /* the same for rows in coordinates */

/* ---- link_system_solve.c: compliance, solve and move with a link system ---- */

void lwi_link_system_couple(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                            double more, const lwi_rank_rule *rule);
void lwi_link_system_solve(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x);
void lwi_link_system_move(const lw_model *m, struct lw_work *w, double u[]);

/* ---- right sides, scaled: residuals of the rows ---- */

void lwi_closure_residual(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                          const double q[], double phi[]);
void lwi_closure_rate(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                      const double u[], double rate[]);
/* gamma - G udot, with the accelerations in w */
void lwi_closure_deficit(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                         const double udot[], double deficit[]);

/* the sum of g(q) of a relation (model/joint/relations.h), unscaled */
double lwi_closure_relation_sum(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                                int constraint, const double q[]);

/* ---- all together ---- */

/* Decides the rank by geometry alone, where the masses in loops are very uneven
   (model/compile/added_mass.c); after lwi_closure_rows.  Leaves the metric of the coordinates: the
   mass matrix must be factored again. */
void lwi_closure_decide_rank(const lw_model *m, struct lw_work *w);
/* After kinematics: accelerations of the closed mechanism into udot and w; false: singular. */
bool lwi_closure_forward(const lw_model *m, struct lw_work *w, double t, const double q[],
                         const double u[], const double tau[], double udot[]);
/* Inverse dynamics of the tree alone, with the forces on cut joints. */
void lwi_closure_required_tau(const lw_model *m, struct lw_work *w, double t, const double q[],
                              const double u[], const double udot[], double tau[]);
/* The smallest tau with which the constrained mechanism accelerates with udot; leaves the loads of
   the constraints in w.  false: udot contradicts the constraints. */
bool lwi_closure_inverse(const lw_model *m, struct lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[]);
/* The same for any udot; leaves rows of all constraints in w, eps being G^T in the order of
   constraints.touch. */
void lwi_closure_balance(const lw_model *m, struct lw_work *w, double t, const double q[],
                         const double u[], const double udot[], double tau[]);
/* Forward dynamics with stabilization of the constraints at the given rate: corrects udot, and
   returns the position correction to be added to the speeds that move q.  Leaves no loads, unless
   lwi_closure_recall follows. */
bool lwi_closure_stabilized(const lw_model *m, struct lw_work *w, double t, const double q[],
                            const double u[], double stabilization, double udot[],
                            double position_correction[]);
/* Right after that: lets lw_joint_loads find its loads, those of the stabilization included. */
void lwi_closure_recall(const lw_model *m, struct lw_work *w);
/* Decides which equations count, where they hold; kept from then on.  After lw_project. */
void lwi_closure_update_rank(const lw_model *m, struct lw_work *w);
/* Chooses the method: cut joints or embedding.  false: it is not available. */
bool lwi_closure_choose(const lw_model *m, struct lw_work *w, lw_loops method);
/* Is either of them available?  Not with very many loops in series that leave many speeds
   independent. */
bool lwi_closure_is_available(const lw_model *m, const struct lw_work *w);
/* Assembles the initial state: angles of cut joints and sums of gears start from it. */
void lwi_closure_start(const lw_model *m, struct lw_work *w);
/* Coordinates, speeds and accelerations of cut joints, for lw_get_cut_joints. */
void lwi_closure_cut_joints(const lw_model *m, const struct lw_work *w, double q[], double u[],
                            double udot[]);

/* ---- loads ---- */

/* The load of a constraint's multipliers on side p % 2 of its pair p / 2; rows: as lwi_closure.J */
static inline void lwi_row_load(const lwi_tree_constraint *t, int p, const double rows[],
                                const double lambda[], double load[6])
{
  for (int k = 0; k < 6; k++)
    load[k] = 0;
  for (int r = 0; r < t->n; r++)
    for (int k = 0; k < 6; k++)
      load[k] += lambda[t->row + r] * rows[t->J + (size_t)(6 * (p * t->n + r) + k)];
}
/* Adds loads lambda (scaled rows) to those on links, so that joint loads contain them. */
void lwi_closure_apply_loads(const lw_model *m, struct lw_work *w, const double lambda[]);
/* out = W x; changes sum */
void lwi_closure_multiply(const lw_model *m, struct lw_work *w, const lwi_tree_constraints *x,
                          const double in[], double out[]);
/* After forward or inverse dynamics: the lambda of least squares among all that give the same
   motion, with its loads on the links. */
void lwi_closure_least_loads(const lw_model *m, struct lw_work *w);
/* Removes the self-stress from any multipliers. */
void lwi_closure_remove_self_stress(const lw_model *m, struct lw_work *w, double lambda[]);
/* Dependent rows, and the state of self-stress of each: multipliers that are 1 for this row and 0
   for the other dependent ones.  After forward dynamics.  -1: there are no more. */
int lwi_closure_next_dependent(const lw_model *m, const struct lw_work *w, int place);
void lwi_closure_self_stress(const lw_model *m, struct lw_work *w, int place, double lambda[]);
/* Load of a constraint on the child of its pair, at the child's frame: [torque; force]. */
void lwi_closure_load(const lw_model *m, const struct lw_work *w, int constraint, double load[6]);
double lwi_closure_multiplier(const lw_model *m, const struct lw_work *w, int constraint);

#endif
