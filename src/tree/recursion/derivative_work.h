/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_work.h -- scratch and results of derivatives.  Matrices are in link order, with rows
   padded to whole vectors. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_WORK_H
#define LWI_TREE_RECURSION_DERIVATIVE_WORK_H
#include "tree/recursion/derivative_measures.h"

/* The linear operators of a subtree about a point: with motions X and Y of its root
     dforce = I X + 2B Y,   2B Y = [ K w ; 2 w x p ],   w = Y.w
   docs/theory/derivatives.md */
typedef struct {
  rigid I;
  mat3 K;
  vec3 p; /* momentum */
} subtree_flow;

/* derivatives by one freedom: derivative_freedoms.h */
typedef struct {
  motion X, Y, P;
} freedom_response;

/* derivatives of what link_state holds, beside those in link_change */
typedef struct {
  vec3 r;
  motion c, A;
  force applied, f;
} link_rates;

/* derivatives by freedoms as structure of arrays, so that several freedoms fill a vector; about the
   origin of the tree's first link */
typedef struct {
  double *S[6], *X[6], *Y[3], *P[6];   /* motions */
  double *F[6], *Gq[6], *Gu[6], *t[3]; /* loads: derivative_matrices.h */
  double *number, *after,
      *end; /* of a freedom: itself, the next one after its joint, after its subtree */
} freedom_table;

/* entries of a row among the freedoms of its joint */
typedef struct {
  double by_q[6], by_u[6], M[6];
} joint_entries;

/* S, U and 1/D of a freedom, about the origin of the tree's first link */
typedef struct {
  double S[6], U[6], Dinv;
} factor_row;

/* Some columns of a matrix side by side, and what is handed of them from link to link.  A sweep waits for each
   link's result: only as many columns as fill the registers use the processor. */
typedef double pack __attribute__((vector_size(8 * LW_WIDE), aligned(8), may_alias));
typedef int64_t pack_mask __attribute__((vector_size(8 * LW_WIDE)));
enum { PACKS = 4 };
typedef struct {
  pack x[6];
} passed_pack;
typedef struct {
  passed_pack part[PACKS];
} passed_columns;

struct lwi_derivative_work {
  int rows, ld;               /* nu rounded up to a multiple of 4 and of 8 */
  bool matrices;              /* with memory for them */
  freedom_response *response; /* [nu] about the link's own origin */
  vec3 *arm;                  /* [nlink] from the origin of the tree's first link */
  subtree_flow *branch_flow;  /* [nbranch] */
  freedom_table table;        /* [ld] each */
  joint_entries *own;         /* [nu] */
  double *T;   /* [rows][2 ld] d tau / dq beside d tau / du; only if the model has force elements */
  double *row; /* [3][ld] a row of both and of M in link order */
  factor_row *factor;            /* [nu] */
  pack (*panel)[PACKS];          /* [nu] columns of loads, and responses to them */
  passed_columns *branch_load;   /* [nbranch] sums over children; zero between sweeps */
  passed_columns *branch_motion; /* [nbranch] */
  double *slot_row;              /* [nslot] */
  int *subtree_end;              /* [nlink] one past the last freedom of the subtree */
  int *link_of;                  /* [nu] link of a freedom */
  int *link_end;                 /* [nlink] one past its last link */
  int *least_u;   /* [nlink] the first speed, in the caller's order, of its subtree */
  int *u_column;  /* [nu] freedom, in link order, of a speed */
  int *slot_link; /* [nslot - nparameter] link of the coordinate or speed; 0: time */
  /* of the sweep along one direction: derivative_sweep.h */
  link_change *derivative;                    /* [nlink] */
  link_rates *rate;                           /* [nlink] */
  motion *S_rate;                             /* [nu] */
  real *tau_rate;                             /* [nu] of motors and joint springs */
  real *eps;                                  /* [nu] */
  real *spin_rate, *rotor_rate;               /* [nu] as in tree_work.h */
  motion *load_response, *load_response_rate; /* [nlink] accelerations by loads ... */
  force *load_response_load;                  /* [nlink] ... and these loads, inward */
};

/* matrices: with memory for derivatives by the state, of the order of nu^2 */
static lwi_derivative_work *carve_derivatives(const lw_model *m, lwi_carver *c, bool matrices)
{
  lwi_derivative_work *at = LWI_CARVE(c, 1, lwi_derivative_work);
  const int rows = (m->nu + 3) / 4 * 4, ld = (m->nu + 7) / 8 * 8;
  const size_t table = matrices ? (size_t)ld : 0, nu = matrices ? (size_t)m->nu : 0,
               nbranch = matrices ? (size_t)m->nbranch : 0;
  const bool stored = lwi_has_link_elements(m) || lwi_has_freedom_elements(m);
  lwi_derivative_work d = {
      .rows = rows,
      .ld = ld,
      .matrices = matrices,
      .response = LWI_CARVE(c, m->nu, freedom_response),
      .arm = LWI_CARVE(c, m->nlink, vec3),
      .branch_flow = LWI_CARVE(c, m->nbranch, subtree_flow),
      .own = LWI_CARVE(c, nu, joint_entries),
      .T = stored ? LWI_CARVE(c, 2 * (size_t)rows * table, double) : NULL,
      .row = LWI_CARVE(c, 3 * table, double),
      .factor = LWI_CARVE(c, nu, factor_row),
      .panel = (pack(*)[PACKS])lwi_carve_bytes(c, nu, PACKS * sizeof(pack)),
      .branch_load = LWI_CARVE(c, nbranch, passed_columns),
      .branch_motion = LWI_CARVE(c, nbranch, passed_columns),
      .slot_row = LWI_CARVE(c, m->nslot, double),
      .subtree_end = LWI_CARVE(c, m->nlink, int),
      .link_of = LWI_CARVE(c, m->nu, int),
      .link_end = LWI_CARVE(c, m->nlink, int),
      .least_u = LWI_CARVE(c, m->nlink, int),
      .u_column = LWI_CARVE(c, m->nu, int),
      .slot_link = LWI_CARVE(c, m->nslot - m->nparameter, int),
      .derivative = LWI_CARVE(c, m->nlink, link_change),
      .rate = LWI_CARVE(c, m->nlink, link_rates),
      .S_rate = LWI_CARVE(c, m->nu, motion),
      .tau_rate = LWI_CARVE(c, m->nu, real),
      .eps = LWI_CARVE(c, m->nu, real),
      .spin_rate = LWI_CARVE(c, m->has_armature ? m->nu : 0, real),
      .rotor_rate = LWI_CARVE(c, m->has_armature ? m->nu : 0, real),
      .load_response = LWI_CARVE(c, m->nlink, motion),
      .load_response_rate = LWI_CARVE(c, m->nlink, motion),
      .load_response_load = LWI_CARVE(c, m->nlink, force),
  };
  for (int i = 0; i < 6; i++) {
    d.table.S[i] = LWI_CARVE(c, table, double);
    d.table.X[i] = LWI_CARVE(c, table, double);
    d.table.P[i] = LWI_CARVE(c, table, double);
    d.table.F[i] = LWI_CARVE(c, table, double);
    d.table.Gq[i] = LWI_CARVE(c, table, double);
    d.table.Gu[i] = LWI_CARVE(c, table, double);
    if (i < 3) d.table.Y[i] = LWI_CARVE(c, table, double);
    if (i < 3) d.table.t[i] = LWI_CARVE(c, table, double);
  }
  d.table.number = LWI_CARVE(c, table, double);
  d.table.after = LWI_CARVE(c, table, double);
  d.table.end = LWI_CARVE(c, table, double);
  if (at) *at = d;
  return at;
}

/* the link of coordinate or speed `index`; 0: it is that of a cut joint */
static int find_owner(const lw_model *m, lwi_slot_kind kind, int index)
{
  for (int i = 1; i < m->nlink; i++) {
    const lw_joint_info *j = &m->joint[m->link[i].joint].info;
    if (kind == LWI_SLOT_Q && index >= j->q && index < j->q + j->nq) return i;
    if (kind == LWI_SLOT_U && index >= j->u && index < j->u + j->nu) return i;
  }
  return 0;
}

static void prepare_derivatives(const lw_model *m, lwi_derivative_work *d)
{
  for (int i = 0; i < m->nlink; i++)
    d->least_u[i] = m->nu;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const int end = L->column + L->nu, p = L->parent;
    if (d->subtree_end[i] < end) d->subtree_end[i] = end;
    if (d->link_end[i] < i + 1) d->link_end[i] = i + 1;
    if (L->nu > 0 && L->u < d->least_u[i]) d->least_u[i] = L->u;
    if (d->subtree_end[p] < d->subtree_end[i]) d->subtree_end[p] = d->subtree_end[i];
    if (d->link_end[p] < d->link_end[i]) d->link_end[p] = d->link_end[i];
    if (d->least_u[i] < d->least_u[p]) d->least_u[p] = d->least_u[i];
  }
  for (int i = 1; i < m->nlink; i++)
    for (int k = 0; k < m->link[i].nu; k++)
      d->link_of[m->link[i].column + k] = i;
  for (int k = 0; k < m->nu && d->matrices; k++) {
    const lwi_link *L = &m->link[d->link_of[k]];
    d->table.number[k] = k;
    d->table.after[k] = L->column + L->nu;
    d->table.end[k] = d->subtree_end[d->link_of[k]];
  }
  for (int k = 0; k < m->nu; k++)
    d->u_column[m->column_u[k]] = k;
  for (int i = 0; i < m->nslot - m->nparameter; i++)
    d->slot_link[i] =
        m->slot[i].kind == LWI_SLOT_MEASURE ? 0 : find_owner(m, m->slot[i].kind, m->slot[i].index);
}

#endif
