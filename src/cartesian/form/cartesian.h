/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian.h -- the Cartesian descriptor form: every body on its own, every joint a constraint.

   A body has the pose of its link's axes with the centre of mass as origin, and speeds V = [w; v],
   w the angular velocity and v that of the centre of mass, all in ground axes (planar models: wz,
   vx, vy).  With the rows Phi of all joints, geometric constraints and relations of coordinates:

     M Vdot + Phi^T lambda = Q,   Phi Vdot = gamma                        [Serban1997] eq. 3
     Phi V = nu                                                          nu = -Phi_t

   M = diag(J, m) in each body; Q contains -w x J w, gamma what velocities and time add.
   Orientations are Euler parameters, and their normalisation is kept by construction: eliminating
   its rows from the form with seven coordinates per body gives exactly this system
   (docs/theory/cartesian.md).

   Rows come from model/joint/equations.h, about the origins of the joint frames, and are taken to
   the centres of mass here.  A set of rows is a joint, a geometric constraint or a relation:
   descriptor_system.h. */
#ifndef LWI_CARTESIAN_FORM_CARTESIAN_H
#define LWI_CARTESIAN_FORM_CARTESIAN_H
#include "base/arena.h"
#include "cartesian/reduced/descriptor_system.h"
#include "linkwork/cartesian.h"
#include "model/model.h"
#include "tree/loops/work.h"

/* constants of a body, in the axes of its link */
typedef struct {
  int link;
  double com[3];                    /* from the link's origin */
  double mass;                      /* 0: none of its own */
  double inertia[6];                /* about the centre of mass: xx yy zz xy xz yz */
  double added_mass, added_inertia; /* added to a body without mass or inertia: motion.c */
  bool inertialess;                 /* a particle: it does not turn */
} lwi_cartesian_body;

typedef struct {
  lwi_frame X; /* axes of the link, centre of mass */
  double V[6];
  double A[6];       /* [wdot; vdot] of the last solution */
  double inertia[6]; /* about the centre of mass, ground axes, without added mass */
} lwi_body_state;

/* two frames, of the parent and of the child, on bodies; body 0 is the ground */
typedef struct {
  int body[2];
  lwi_frame place[2]; /* in the axes of the link, from the centre of mass */
  bool aligned[2];    /* its axes are those of the link */
  bool together;      /* a joint of the spanning tree that holds the origins together */
} lwi_body_pair;

typedef struct {
  lwi_frame frame[2];
  double arm[2][3]; /* from the centres of mass */
  double V[2][6];   /* of the frames' origins */
} lwi_body_pair_state;

typedef struct {
  int joint, constraint; /* which of them it is; the other one is 0 */
  int row, n;
  int rotors;       /* the last rows: of freedoms that move a rotor, which give way */
  int term;         /* of relations: its first term among all terms */
  bool constrained; /* not a joint of the spanning tree */
  bool shifts; /* of two bodies, or one and the ground: all its rows hold points together ... */
  bool swings; /* ... or, of a joint of the spanning tree, directions */
  size_t J;    /* its blocks in jacobian[] */
} lwi_row_set;

struct lw_cartesian {
  const lw_model *m;
  int nbody, width;         /* speeds of a body: 3 or 6 */
  lwi_cartesian_body *body; /* [nbody + 1] */
  lwi_body_state *state;    /* [nbody + 1] */
  lwi_body_pair *pair;      /* [njoint + nconstraint + 1]: of joint j, of constraint njoint + c */
  lwi_body_pair_state *at;  /* as pair */
  lwi_row_set *set;         /* [nset] */
  lwi_view *view;           /* [nset] of pairs, as the rows saw them last */
  int *joint_set, *constraint_set; /* [njoint + 1], [nconstraint + 1]; -1: no equations */
  int (*side)
      [2]; /* [terms of relations], [nset] from nterm on: which block of the set each body is, -1:
                     the ground */
  int nterm;
  bool reads_cut; /* gaps depend on coordinates of cut joints */
  bool joined;    /* joints of the spanning tree hold: lwi_cartesian_join_origins */
  lwi_descriptor_shape shape;
  int *row_start, *touch_start, *touch_body; /* what shape points to */
  int nrow;
  size_t njacobian;

  /* the numbers at a state */
  lwi_descriptor_mass *mass; /* [nbody] with added mass */
  double *jacobian;          /* [njacobian] */
  double *force, *gamma;     /* [nbody][width], [nrow] */
  double *nu, *phi;          /* [nrow] */
  double *give;              /* [nrow] compliance of rows, 1 / armature; NULL: all are rigid */
  double *a,
      *lambda;    /* [nbody][width], [nrow]: the solution; load of a row on the child: -lambda */
  double *q, *u;  /* [nq_all], [nu_all] */
  double *tau;    /* [nu_all] of motors, joint springs and the caller */
  double *target; /* [3 (nconstraint + 1)] of relations */
  double *start;  /* [nconstraint + 1] of gears */
  double *scratch[5];      /* [nbody][width] scratch */
  double *scratch_rows[8]; /* [nrow] scratch */
  long double *wide;       /* [nbody][width] scratch */
  bool light;              /* some body has added mass, ... */
  bool probed;             /* ... and all motions that the constraints allow move mass */
  bool solved, loaded;
  int redundant;
  lwi_unsolved unsolved; /* the largest residual of the solution */
  lwi_descriptor_system *linear;
  lw_status (*solve)(lw_cartesian *c); /* another solver for a and lambda; NULL: linear */
  void (*free_other)(lw_cartesian *c);
  void *other; /* its own */
  lwi_arena arena;
};

/* a joint at its frames, with the coordinates in q as those nearby */
static inline lwi_joint_at lwi_cartesian_joint_at(const lw_cartesian *c, int joint)
{
  const lwi_joint *j = &c->m->joint[joint];
  const lwi_frame *frame = c->at[joint].frame;
  return (lwi_joint_at){&j->shape, &frame[0], &frame[1], c->q + j->info.q_all};
}

/* The model that it was made for; NULL: no object. */
static inline const lw_model *lwi_cartesian_model(const lw_cartesian *c)
{
  return c ? c->m : NULL;
}

/* ---- cartesian_plan.c ---- */

lw_status lwi_cartesian_plan(lw_cartesian *c, lw_error *err);

/* ---- place.c: where everything is ---- */

/* Bodies from the tree's kinematics in w; q, u of all joints, u may be NULL. */
void lwi_cartesian_from_tree(lw_cartesian *c, lw_work *w, const double q[], const double u[]);
/* The same for speeds alone, where bodies and q are what they were, and for coordinates of cut joints. */
void lwi_cartesian_speeds_from_tree(lw_cartesian *c, lw_work *w, const double u[]);
/* Frames and their motions from the bodies; their motions alone. */
void lwi_cartesian_place(lw_cartesian *c);
void lwi_cartesian_place_speeds(lw_cartesian *c);
/* After that, of bodies as the tree has them: origins that the tree holds together differ by
   rounding errors, on which a load would have a lever arm: enough to spin a body of 1e-12 of the
   mass that it carries. */
void lwi_cartesian_join_origins(lw_cartesian *c);
/* q and u of all joints from the frames; q goes on from what it was. */
void lwi_cartesian_joint_states(lw_cartesian *c);
/* Targets of gears, couplers and drivers. */
void lwi_cartesian_targets(lw_cartesian *c, double t);

/* ---- rows.c: after place; targets for all but the first ---- */

/* Rows of a joint or geometric constraint about the origins of its frames: of its equations, then
   of the speeds of its locked freedoms and of those that move a rotor. */
void lwi_cartesian_pair_rows(const lw_cartesian *c, const lwi_row_set *s, double J[2][6][6]);
void lwi_cartesian_rows(lw_cartesian *c); /* jacobian */
/* After it and the solution: the load of these rows on the child, -Phi^T lambda, about the origin of its frame. */
void lwi_cartesian_load_on_child(const lw_cartesian *c, const lwi_row_set *s, double load[6]);
void lwi_cartesian_other_rows(
    lw_cartesian *c); /* but those of joints of the tree that hold points alone */
void lwi_cartesian_residual(lw_cartesian *c); /* phi, with q of all joints */
void lwi_cartesian_gaps(lw_cartesian *c);     /* the same where the joints of the tree hold */
void lwi_cartesian_rates(lw_cartesian *c);    /* nu */
void lwi_cartesian_gamma(lw_cartesian *c);    /* gamma, after the rows at the same frames */
/* The same of one set with `shifts` or, where the tree's joints hold, `swings` (joining_rows.c). */
void lwi_joining_rows(lw_cartesian *c, const lwi_row_set *s);
void lwi_joining_gamma(lw_cartesian *c, const lwi_row_set *s);
/* y = M x, without added mass and rotors */
void lwi_cartesian_mass_multiply(const lw_cartesian *c, const double x[], double y[]);
/* out[rows] = Phi x, out[nbody][width] += s Phi^T y */
void lwi_cartesian_multiply(const lw_cartesian *c, const double x[], double out[]);
void lwi_cartesian_add_loads(const lw_cartesian *c, double s, const double y[], double out[]);

/* ---- cartesian_forces.c ---- */

/* Q, after the tree's kinematics in w and place; tau may be NULL. */
void lwi_cartesian_forces(lw_cartesian *c, lw_work *w, double t, const double tau[]);
/* Masses in ground axes. */
void lwi_cartesian_masses(lw_cartesian *c);

/* ---- motion.c ---- */

/* a and lambda from jacobian, mass, force and gamma. */
lw_status lwi_cartesian_solve(lw_cartesian *c);
/* The largest residual of a and lambda relative to its terms, noted in c->unsolved; the residuals
   of bodies and rows go to scratch[0] and scratch_rows[1]. */
double lwi_cartesian_find_imbalance(lw_cartesian *c);
/* Is a residual small enough for a solution? */
bool lwi_cartesian_is_solved(double residual);

/* ---- dropped_rows.c ---- */

/* Does the solution, with accelerations of the size `most`, meet the rows that did not count, or all of them, up to
   rounding errors and what violations of the present state explain?  False: c->unsolved names the row that it meets
   least. */
bool lwi_cartesian_rows_hold(lw_cartesian *c, const lwi_descriptor_values *v, double most,
                             bool all);

/* ---- cartesian_calls.c ---- */

/* a and lambda at time t for bodies, frames, q, u and Jacobian as they are in c; kinematics go to
   w. */
lw_status lwi_cartesian_accelerate(lw_cartesian *c, lw_work *w, double t);
/* Accelerations of the joints with the speeds u, where links in w, bodies, frames, targets and Jacobian are those of
   t and of the present positions. */
lw_status lwi_cartesian_accelerate_placed(lw_cartesian *c, lw_work *w, double t, const double u[],
                                          double udot[]);

/* ---- cartesian_loads.c ---- */

/* Of all lambda that give the same motion those that the tree would report. */
void lwi_cartesian_least_loads(lw_cartesian *c);

/* ---- cartesian_impulse.c ---- */

/* The jump of the speeds when the constraints of the present state begin to hold at once,
     V+ = V- - M^-1 Phi^T (Phi M^-1 Phi^T)^+ (Phi V- - nu)
   with jacobian, mass and nu as they are.  V and impulse (the load of each row on the child times
   time) are [nbody][width] and [rows]; impulse may be NULL. */
lw_status lwi_cartesian_impulse(lw_cartesian *c, const double before[], double after[],
                                double impulse[]);
/* The same from momenta M V-, and impulses applied at once, about the centres of mass; the solution
   stays in a and lambda. */
lw_status lwi_cartesian_solve_response(lw_cartesian *c, double momenta[]);
/* Speeds u of the tree after an event, from momenta on its links, as lwi_tree_impulse.  Then loads
   are impulses, until the next call. */
lw_status lwi_cartesian_jump(lw_cartesian *c, lw_work *w, double t, const double q[],
                             double (*p)[6], double u[]);

/* ---- small helpers ---- */

static inline size_t lwi_cartesian_speeds(const lw_cartesian *c)
{
  return (size_t)c->nbody * (size_t)c->width;
}
/* the speeds of a body that a model has, of [w; v], and back */
static inline void lwi_pick(const lw_cartesian *c, const double V[6], double out[])
{
  const double *from = c->width == 6 ? V : V + 2;
  for (int k = 0; k < 3; k++)
    out[k] = from[k];
  for (int k = 3; k < c->width; k++)
    out[k] = from[k];
}
static inline void lwi_spread(const lw_cartesian *c, const double x[], double V[6])
{
  const bool spatial = c->width == 6;
  for (int k = 0; k < 6; k++)
    V[k] = spatial ? x[k] : k >= 2 && k < 5 ? x[k - 2] : 0;
}

#endif
