/* SPDX-License-Identifier: Apache-2.0 */
/* dca.h -- forward dynamics by divide and conquer: any topology, in parallel.

   Bodies are assembled two groups at a time, each group known to the rest only by the accelerations
   that loads at its boundary cause; then the joint loads follow by disassembly.  The time grows
   with the number of bodies n on one processor and with log n on many.  Loops, coupled loops and
   redundant constraints are solved without being cut open: see docs/theory/dca.md.

     lw_dca *d = lw_dca_new(m, &(lw_dca_options){.threads = 4}, &err);
     lw_dca_forward_dynamics(d, w, t, q, u, tau, udot);
     lw_dca_get_load(d, j, load);

   Results have the same bits for any number of threads.  Positions and speeds of closed loops must
   satisfy their constraints: only accelerations are corrected. */
#ifndef LINKWORK_DCA_H
#define LINKWORK_DCA_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_dca lw_dca; /* plan and scratch: one per thread of the caller */

/* In which order joints are eliminated, two groups of bodies at a time.  enum value, name, what it
   is */
#define LW_ASSEMBLY_LIST(X)                                                                        \
  X(LW_ASSEMBLY_BISECTION, "bisection", "halves with few joints between them")                     \
  X(LW_ASSEMBLY_PAIRS, "pairs", "neighbours in pairs, then pairs of pairs")                        \
  X(LW_ASSEMBLY_INWARD, "inward", "body by body from the leaves inward, as the recursion")
#define LW_ASSEMBLY_ENUM(value, name, what) value,
typedef enum { LW_ASSEMBLY_LIST(LW_ASSEMBLY_ENUM) LW_ASSEMBLY_STRATEGIES } lw_assembly_strategy;
#undef LW_ASSEMBLY_ENUM
LW_API const char *lw_assembly_strategy_name(lw_assembly_strategy s); /* NULL: no such strategy */
LW_API const char *lw_assembly_strategy_text(lw_assembly_strategy s);
/* LW_ASSEMBLY_STRATEGIES: there is none of this name. */
LW_API lw_assembly_strategy lw_find_assembly_strategy(const char *name);

/* A joint, or a constraint; the other id is 0. */
typedef struct {
  lw_joint joint;
  lw_constraint constraint;
} lw_assembled;

typedef struct {
  int threads;  /* default 1; more require POSIX threads, without them 1 is used */
  double grain; /* multiplications that are worth a thread; default 250,000, about 0.1 ms */
  lw_assembly_strategy strategy;
  /* the caller's own plan: joints and constraints in the order in which they are eliminated, each
     at most once; those not named follow as the strategy has them.  Eliminations that do not depend
     on each other are one level. */
  const lw_assembled *order;
  int norder;
  bool plan_only; /* no memory for numbers: for lw_dca_get_info and lw_dca_get_level alone */
} lw_dca_options;

/* The model must outlive it.  options may be NULL.  Returns NULL on failure; see err. */
LW_API lw_dca *lw_dca_new(const lw_model *m, const lw_dca_options *options, lw_error *err);
LW_API void lw_dca_free(lw_dca *d);

/* As lw_forward_dynamics, also with closed loops and geometric constraints; udot holds the
   accelerations of the spanning tree.  Leaves kinematics in w; lw_accelerations(w, udot) adds
   accelerations.  Allocates nothing. */
LW_API lw_status lw_dca_forward_dynamics(lw_dca *d, lw_work *w, double t, const double q[],
                                         const double u[], const double tau[], double udot[]);

/* ---- after lw_dca_forward_dynamics or lw_dca_impulse, with the same w ---- */

/* Constraint load [torque; force] on the child at the origin of its joint frame, in ground axes;
   with redundant constraints one of the possible loads, of small norm. */
LW_API lw_status lw_dca_get_load(const lw_dca *d, lw_joint j, double load[6]);
LW_API lw_status lw_dca_get_constraint_load(const lw_dca *d, lw_constraint c, double load[6]);
/* The multiplier of a gear, coupler or driver, as lw_get_relation_load. */
LW_API lw_status lw_dca_get_relation_load(const lw_dca *d, lw_constraint c, double *load);
/* Acceleration of the body origin, as lw_get_acceleration. */
LW_API lw_status lw_dca_get_acceleration(const lw_dca *d, lw_body b, double A[6]);
/* ---- jumps: the same mechanism under impulses, or with joints that act from now on ---- */

/* Velocities V of body origins and impulses on bodies [torque; force] at body origins, in ground
   axes, are arrays [nbody + 1] by body; entry 0, the ground, is not read.  NULL means zero. */
typedef struct {
  const double (*V)[6];       /* before; NULL: from u */
  const double *u;            /* [nu] before, of the tree; not read if V is given */
  const double (*impulse)[6]; /* applied */
  const double *tau;          /* [nu] applied, on speeds of the tree */
  /* prescribed afterwards: by joint [njoint + 1], the velocity [w; v] of the child's joint frame
     relative to the parent's, of which only the components that the joint prevents are used; by
     constraint [nconstraint + 1], rates of its equations in the order of docs/format.md, added to a
     driver's own rate */
  const double (*joint)[6], (*constraint)[6];
} lw_dca_before;

/* Velocities after impulses: the nearest, among those that the joints and constraints admit, to
   those before (with the impulses' own jump) in the metric of kinetic energy.  V may be arbitrary:
   bodies that fly free, or in the joints of another model with the same bodies; q is the position
   at which the joints of this model act.  u, unless NULL, becomes the speeds of the tree after it;
   it may be the same as before->u.  q NULL: at the state of the last call of d, with its factors; w
   must be the same.

     lw_dca_impulse(d, w, t, q, &(lw_dca_before){.V = V}, u);     lock, close a loop
     lw_dca_get_jump(d, b, dV);   lw_dca_get_load(d, j, impulse);

   Nothing is allocated. */
LW_API lw_status lw_dca_impulse(lw_dca *d, lw_work *w, double t, const double q[],
                                const lw_dca_before *before, double u[]);
/* Jump of the velocity of a body's origin; loads are then impulses. */
LW_API lw_status lw_dca_get_jump(const lw_dca *d, lw_body b, double dV[6]);

/* Number of equations that are dependent on others at this state. */
LW_API int lw_dca_redundant(const lw_dca *d);

/* ---- the plan ---- */

typedef struct {
  int depth;         /* nesting depth of the assemblies */
  int widest;        /* largest number of handles of an assembly */
  double operations; /* predicted number of multiplications */
  double critical;   /* multiplications on the critical path, for any number of processors */
} lw_dca_info;
LW_API lw_dca_info lw_dca_get_info(const lw_dca *d);
/* One level of the assembly tree: 0 are the bodies, the last one is the whole mechanism. */
typedef struct {
  int assemblies;    /* that can be computed at the same time */
  int widest;        /* most handles of one of them */
  double operations; /* multiplications of all of them, in and out */
  double longest;    /* of the largest */
} lw_dca_level;
LW_API int lw_dca_nlevel(const lw_dca *d);
LW_API lw_dca_level lw_dca_get_level(const lw_dca *d, int level);
/* Seconds that each level takes at a state on one thread, assembly and disassembly: the fastest of
   `times` evaluations; seconds[lw_dca_nlevel]. */
LW_API lw_status lw_dca_measure(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                                int times, double seconds[]);

/* Predicted lower bound of the speed-up with p processors. */
LW_API double lw_dca_speed_up(const lw_dca *d, int p);

#ifdef __cplusplus
}
#endif
#endif
