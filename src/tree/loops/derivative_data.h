/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_data.h -- the data of lw_derivatives, and the steps of a derivative along one
   direction. */
#ifndef LWI_TREE_LOOPS_DERIVATIVE_DATA_H
#define LWI_TREE_LOOPS_DERIVATIVE_DATA_H
#include "linkwork/derivatives.h"
#include "model/joint/moving_frame.h"
#include "model/exchange.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

struct lw_model_derivative {
  lw_model *derivative; /* a model whose numbers are derivatives */
};

/* a direction, all components present */
typedef struct {
  const double *motion, *u, *tau; /* [nu] */
  const double *udot;             /* [nu], or NULL: constant */
  const double *states;           /* [nstate], or NULL: constant */
  const lw_model *derivative;     /* NULL: the model is constant */
} lwi_direction;

/* derivatives of what the closure holds; NULL arrays without constraints */
typedef struct {
  lwi_pair_state *pair_p; /* [npair] */
  double *J_p;            /* [nJ] of the scaled rows */
  double *scale_p;        /* [nrow] */
  double *slope_p, *pair_slope_p;
  double *gamma_p;        /* [nrow] scaled */
  double *phi_p;          /* [nrow] of the violation, not scaled */
  double *row, *lambda_p; /* [nrow] */
  double *target_p;       /* [3 (nconstraint + 1)] */
} lwi_closure_derivative;

/* stages: linearised about a state of forward dynamics; differentiated along a direction; loads
   too */
typedef enum {
  LWI_DERIVE_NOTHING,
  LWI_DERIVE_STATE,
  LWI_DERIVE_ALONG,
  LWI_DERIVE_LOADS
} lwi_derive_stage;

struct lw_derivatives {
  lw_work *work;
  bool matrices; /* memory for matrices by the state is allocated */
  /* can cut joints close the loops, if there are any?  LW_E_SINGULAR: some freedom of the tree
     moves no mass; LW_E_UNSUPPORTED: there are too many loops in series */
  lw_status open;
  lwi_derivative_work *tree;
  lwi_derive_stage stage;
  double t;
  double *q, *u, *udot;         /* [nq], [nu], [nu] the state */
  double *zero, *unit;          /* [nu] zeros; a unit vector or zeros */
  double *tau, *tau_p, *udot_p; /* [nu] */
  double *q_p, *u_p;            /* [nq + ncut_q], [nu + ncut_u] */
  double *cut_tau_p;            /* [ncut_u] */
  double *given1;               /* [nu] derivative of the caller's loads */
  double *other;                /* [nu] scratch */
  double *start, *nearest;      /* [3 nu], [6 nu] scratch of lw_close_loops_derivative */
  const lw_model *derivative;   /* of the last direction */
  lwi_closure_derivative closure;
  void *block; /* to free */
};

/* A direction at the state of d. */
static inline lwi_sweep lwi_sweep_along(const lw_derivatives *d, const lwi_direction *x)
{
  return (lwi_sweep){x->derivative, d->q, d->u, x->motion, x->u};
}

/* The model that it was made for; NULL: no object. */
static inline const lw_model *lwi_derivatives_model(const lw_derivatives *d)
{
  return d ? lwi_work_model(d->work) : NULL;
}

lw_derivatives *lwi_derivatives_new_with(const lw_model *m, const lwi_kernels *k);
/* Without a work: the caller sets it, and removes it before the object is freed. */
lw_derivatives *lwi_derivatives_scratch(const lw_model *m, const lwi_kernels *k, bool matrices);

/* ---- frames and closure (derivative_frames.c, derivative_closure.c), after derivative_motion
   ---- */

lwi_closure_derivative lwi_closure_derivative_carve(const lw_model *m, lwi_carver *c);
/* Frame and motion of a link, and of a body. */
lwi_moving_frame lwi_derivative_link(const lw_model *m, const lw_derivatives *d, int link);
lwi_moving_frame lwi_derivative_body(const lw_model *m, const lw_derivatives *d, int body);
/* Position and quaternion of a body; the quaternion has the sign nearest to the given one (NULL: w
   >= 0). */
void lwi_derivative_pose(const lw_model *m, const lw_derivatives *d, int body, const double *near,
                         double pose_p[7]);
/* Frames of pairs, and q_p, u_p of cut joints. */
void lwi_derivative_pairs(const lw_model *m, lw_derivatives *d);
/* Rows of constraints: J_p, scale_p, gamma_p, phi_p (constraint_rows.c, constraint_equations.c);
   starts with the targets of relations. */
void lwi_derivative_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x);
void lwi_derivative_targets(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x);
void lwi_derivative_residual(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x);
/* Loads of motors on cut joints, and loads J_p^T lambda of the multipliers. */
void lwi_derivative_push_motors(const lw_model *m, lw_derivatives *d);
void lwi_derivative_push_rows(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                              const double lambda[]);
/* residual -= loads of multipliers on single freedoms, by derivatives of coefficients */
void lwi_derivative_terms(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                          const double lambda[], double residual[]);
/* (gamma - G udot)_p with the accelerations and udot_p so far, scaled. */
void lwi_derivative_deficit(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                            double row[]);
/* (G u - nu)_p with the velocities so far, scaled. */
void lwi_derivative_rate(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                         double row[]);
/* Derivatives of the accelerations of cut joints, into an array of all joints; after
   lwi_derivative_forward. */
/* of the angular acceleration and that of the origin, of a body or point (lwi_frame_at); after
   lw_forward_derivative */
void lwi_derivative_acceleration(const lw_model *m, const lw_derivatives *d, int frame,
                                 double A_p[6]);
void lwi_derivative_cut_accelerations(const lw_model *m, const lw_derivatives *d, double udot_p[]);
/* (G z)_p for constant speeds z, scaled. */
void lwi_derivative_product(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                            const double z[], double row[]);

/* ---- one direction (derivative_along.c) ---- */

lwi_direction lwi_direction_of(const lw_derivatives *d, const lw_direction *x);
/* Inverse dynamics of the tree, then its derivative along directions. */
lw_status lwi_derive_required_tau(const lw_model *m, lw_derivatives *d, double t, const double q[],
                                  const double u[], const double udot[]);
void lwi_derivative_required_tau(const lw_model *m, lw_derivatives *d, const lwi_direction *x,
                                 double tau_p[]);
/* Kinematics, accelerations, forces: all but multipliers. */
void lwi_derivative_state(const lw_model *m, lw_derivatives *d, const lwi_direction *x);
/* udot_p of the mechanism; after lw_linearize_forward. */
void lwi_derivative_forward(const lw_model *m, lw_derivatives *d, const lwi_direction *x);
/* ---- impulses (derivative_impulse.c) ---- */

/* Evaluates a state, and differentiates frames and rows of constraints there; no accelerations. */
void lwi_derive_at(const lw_model *m, lw_derivatives *d, double t, const double q[],
                   const double u[]);
void lwi_derivative_kinematics(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                               const double motion[], const double u_p[],
                               const lw_model *derivative);
/* Adds time to the direction: targets of drivers change. */
void lwi_derivative_later(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *x,
                          double later);
/* out += M^-1 G^T W^-1 row; changes row */
void lwi_derivative_move_by_rows(const lw_model *m, lw_derivatives *d,
                                 const lwi_tree_constraints *x, double row[], double out[]);
/* momenta of links and their derivatives; sum: scratch, all [nlink] */
typedef struct {
  double (*p)[6], (*p_p)[6], (*sum)[6];
} lwi_link_momenta_p;
/* out = (M x - J^T p - G^T mu)_p of the tree at rest with x and mu held; momenta may be NULL. */
void lwi_derivative_momenta(const lw_model *m, lw_derivatives *d, const lwi_tree_constraints *t,
                            const double x[], const double mu[], const lwi_link_momenta_p *momenta,
                            double out[]);

/* Derivatives of u(q, p) of lwi_tree_impulse, which must have run in d's work.  First the frames:
   after that lwi_derivative_body and lwi_derivative_link give their derivatives, from which p1
   follows, */
void lwi_derivative_impulse_place(const lw_model *m, lw_derivatives *d, double t, const double q[],
                                  const lwi_direction *x, double later);
/* then the momenta of links from velocities of bodies, [nbody + 1] (lwi_link_momenta), */
void lwi_derivative_link_momenta(const lw_model *m, const lw_derivatives *d, double (*V)[6],
                                 double (*V_p)[6], double (*p1)[6]);
/* and then the speeds. */
void lwi_derivative_impulse(lw_derivatives *d, double t, const double q[], const double u[],
                            const lwi_direction *x, double later, const lwi_link_momenta_p *momenta,
                            double u_p[]);

/* ---- assembled positions (derivative_nearest.c) ---- */

/* In: xi, the motion of the written coordinates; out: that of the closed position nearest to them.
   After lwi_derive_at there, at rest, and with the compliance of m->assembly in the metric of the
   coordinates.  LW_E_NOT_CONVERGED: the position is not the nearest one; LW_E_SINGULAR: it has no
   derivative. */
lw_status lwi_derivative_nearest(const lw_model *m, lw_derivatives *d, const lw_model *derivative,
                                 double xi[]);

/* lw_motion_of of one joint (coordinate_motions.c) */
void lwi_joint_speeds_of(lw_joint_type type, bool planar, int nu, const double q[],
                         const double dq[], double xi[]);

#endif
