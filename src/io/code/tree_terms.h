/* SPDX-License-Identifier: Apache-2.0 */
/* tree_terms.h -- the dynamics of a model as terms of its state: the recursions of tree/recursion in link axes, where inertias
   and axes of joints are numbers. */
#ifndef LWI_IO_CODE_TREE_TERMS_H
#define LWI_IO_CODE_TREE_TERMS_H
#include "io/code/term_vectors.h"
#include "model/model.h"

enum { LWI_MOST_TURNS = 7 }; /* factors of the rotation of a link in its parent */

typedef struct {
  int nturn;
  lwi_mat turn[LWI_MOST_TURNS]; /* link axes in the parent's: their product */
  lwi_vec r;                    /* from the parent's origin to the link's, in the parent's axes */
  lwi_six S[6];                 /* motions of the freedoms, in link axes about its origin */
  lwi_six V;                    /* velocity, in link axes */
  lwi_six c;                    /* what velocities add to the acceleration */
  lwi_mat G;                    /* link axes in ground axes */
  lwi_vec p;                    /* its origin, in ground axes */
  lwi_six applied; /* load of force elements [moment; force], about its origin, in link axes */
} lwi_link_terms;

typedef struct {
  const lw_model *m;
  lwi_terms T;
  lwi_term t, *q, *u, *udot, *tau; /* inputs, numbered in this order from 0 */
  int ninput;
  lwi_link_terms *link;  /* [nlink] */
  lwi_term *element_tau; /* [nu] loads of force elements on freedoms */
  const double *start;   /* [nq] the closed start, for gears; not owned */
} lwi_tree_terms;

bool lwi_tree_terms_open(lwi_tree_terms *x, const lw_model *m);
void lwi_tree_terms_close(lwi_tree_terms *x);

/* Vectors from link axes to those of the parent, and back. */
lwi_vec lwi_link_turn_out(lwi_tree_terms *x, int link, lwi_vec a);
lwi_vec lwi_link_turn_in(lwi_tree_terms *x, int link, lwi_vec a);
/* A B A^T, with A the rotation from link axes to those of the parent. */
lwi_mat lwi_link_turn_matrix(lwi_tree_terms *x, int link, lwi_mat B);
/* Numbers of the model, without those that are rounding errors beside the largest one. */
lwi_mat lwi_inertia_terms(lwi_tree_terms *x, const lwi_link *L);
lwi_vec lwi_vector_terms(lwi_tree_terms *x, const double a[3]);

/* dynamics_terms.c: the loads that the accelerations udot need (NULL: none), less those of force elements. */
void lwi_trace_inverse(lwi_tree_terms *x, const lwi_term udot[], lwi_term tau[]);
void lwi_trace_mass_matrix(lwi_tree_terms *x, lwi_term M[]);
/* Accelerations by the articulated-body recursion, and by the mass matrix. */
void lwi_trace_articulated(lwi_tree_terms *x, lwi_term udot[]);
bool lwi_trace_by_mass_matrix(lwi_tree_terms *x, lwi_term udot[]);
/* tree_terms.c: qdot of the speeds u. */
void lwi_trace_rates(lwi_tree_terms *x, const lwi_term u[], lwi_term qdot[]);
/* J[6][nu]: the velocity [w; v] of the origin of a body or point, in ground axes. */
void lwi_trace_jacobian(lwi_tree_terms *x, const lwi_body *b, lwi_term J[]);

/* force_terms.c: the loads of all force elements.  What cannot be written is an error. */
lw_status lwi_trace_forces(lwi_tree_terms *x, lw_error *err);
/* The value of an expression; parameters are numbers. */
lw_status lwi_trace_expression(lwi_tree_terms *x, const lwi_expr *e, const char *whose,
                               lwi_mark mark, lwi_term *out, lw_error *err);

/* loop_terms.c: residuals of all that binds the tree, phi[n]; n = nrow of the constraints. */
lw_status lwi_trace_constraints(lwi_tree_terms *x, lwi_term phi[], lw_error *err);

#endif
