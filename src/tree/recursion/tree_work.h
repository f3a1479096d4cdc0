/* SPDX-License-Identifier: Apache-2.0 */
/* tree_work.h -- scratch and results of the tree kernels: a record per link and a record per
   freedom. */
#ifndef LWI_TREE_RECURSION_TREE_WORK_H
#define LWI_TREE_RECURSION_TREE_WORK_H
#include "math/sincos.h"
#include "tree/recursion/joint_motion.h"
#include "tree/recursion/tree_kernels.h"

/* ground axes; spatial quantities about the link's own origin */
typedef struct {
  mat3 R;   /* link frame */
  vec3 r;   /* from the parent's origin */
  motion V; /* velocity */
  motion c; /* Coriolis and centripetal acceleration: a(k) of docs/theory/tree.md */
  vec3 p;   /* origin */
  motion A; /* acceleration, that of the ground being minus gravity */
  force f;  /* load of the joint on the link */
} link_state;

struct lwi_tree_work {
  link_state *link; /* [nlink] */
  freedom *freedom; /* [nu], in link order */
  motion *moved;    /* [nu] S about the first link of the tree, for the mass matrix */
  double
      *moved_row[6]; /* [nu] the same as rows of numbers, where one state is computed at a time */
  real *angle, *sn, *cs; /* [nangle], padded to whole vectors */
  abi *branch_inertia;   /* [nbranch] sums over all but the first child of a branching link */
  force *branch_force;   /* [nbranch] */
  rigid *branch_rigid;   /* [nbranch] */
  force *applied;        /* [nlink], only if the model has forces on links */
  real *tau;             /* [nu] loads of motors and joint springs */
  real *spin, *rotor;    /* [nu] u, and armature * udot that belongs to A; only if there is any */
  real *slot;            /* [nslot] values of the names in expressions */
  double *law_slot;      /* [nslot] the same of laws with a potential, while they are integrated */
  const lwi_expr *const *
      held; /* [nswitching] instead of expressions that may switch, on one branch; an entry or all NULL */
  long holds;         /* how often that has changed */
  real *wound;        /* [ntorsion] where their turns are counted from: torsions.h */
  motion *derivative; /* [nlink] of accelerations, in one state */
  int *run, *run_end; /* [nbranch + 1] runs of links of one path: first and last link, inward */
  bool in_order;      /* speeds are in link order */
  bool skips_zeros;   /* entries of matrices that are always zero are left as they are */
  int lane;           /* which state get_motion, get_edge and get_column read */
  /* of models with constraints, and then of one state only */
  real *cut_q,
      *cut_u;    /* [ncut_q], [ncut_u] coordinates and speeds of cut joints, set by the caller */
  real *cut_tau; /* [ncut_u] loads of motors and joint springs on them */
  double *q, *u; /* [nq], [nu] only if the model has curves */
  force *handed; /* [nlink] scratch of one sweep */
  /* of clusters of constraints: model/clusters.h, embedded.h */
  motion *mode;       /* [nmode] of each link of a cluster, for each independent speed */
  motion *drift;      /* [cluster links] accelerations a_l at vdot = 0 */
  vec3 *reach;        /* [cluster links] from the base's origin */
  abi *whole;         /* [cluster links] inertia with all that the link carries, if anything */
  force *mode_load;   /* [nspeed] U */
  abi *total;         /* [ncluster] */
  force *total_force; /* [ncluster] */
  abi *sum_inertia;   /* [nsum] sums passed to a link through memory */
  force *sum_force;   /* [nsum] */
  bool unequal;       /* rounding errors of a heavy link matter for a light one */
};

/* number of angles, rounded up to whole vectors */
static inline int whole_vectors(int nangle)
{
  const int each = LW_WIDE / LW_LANES;
  return (nangle + each - 1) / each * each;
}

static lwi_tree_work *carve(const lw_model *m, lwi_carver *c)
{
  lwi_tree_work *at = LWI_CARVE(c, 1, lwi_tree_work);
  const size_t nangle = (size_t)whole_vectors(m->nangle) * LW_LANES * (LW_QUAD ? 2 : 1);
  const int napplied = lwi_has_link_forces(m) ? m->nlink : 0;
  lwi_tree_work w = {
      .link = LWI_CARVE(c, m->nlink, link_state),
      .freedom = LWI_CARVE(c, m->nu, freedom),
      .moved = LWI_CARVE(c, m->nu, motion),
      .angle = (real *)lwi_carve_bytes(c, nangle, sizeof(double)),
      .sn = (real *)lwi_carve_bytes(c, nangle, sizeof(double)),
      .cs = (real *)lwi_carve_bytes(c, nangle, sizeof(double)),
      .branch_inertia = LWI_CARVE(c, m->nbranch, abi),
      .branch_force = LWI_CARVE(c, m->nbranch, force),
      .branch_rigid = LWI_CARVE(c, m->nbranch, rigid),
      .applied = LWI_CARVE(c, napplied, force),
      .tau = LWI_CARVE(c, m->nu, real),
      .spin = LWI_CARVE(c, m->has_armature ? m->nu : 0, real),
      .rotor = LWI_CARVE(c, m->has_armature ? m->nu : 0, real),
      .slot = LWI_CARVE(c, m->nslot, real),
      .law_slot = (double *)lwi_carve_bytes(c, (size_t)m->nslot, sizeof(double)),
      .wound = LWI_CARVE(c, m->ntorsion, real),
      .cut_q = LWI_CARVE(c, m->ncut_q, real),
      .cut_u = LWI_CARVE(c, m->ncut_u, real),
      .cut_tau = LWI_CARVE(c, m->ncut_u, real),
      .q = (double *)lwi_carve_bytes(c, m->has_curves ? (size_t)m->nq : 0, sizeof(double)),
      .u = (double *)lwi_carve_bytes(c, m->has_curves ? (size_t)m->nu : 0, sizeof(double)),
      .handed = LWI_CARVE(c, lwi_is_constrained(m) ? m->nlink : 0, force),
      .derivative = LWI_CARVE(c, LW_LANES == 1 || lwi_is_constrained(m) ? m->nlink : 0, motion),
      .run = LWI_CARVE(c, m->nbranch + 1, int),
      .run_end = LWI_CARVE(c, m->nbranch + 1, int),
      .mode = (motion *)lwi_carve_bytes(c, m->clusters.nmode, sizeof(motion)),
      .drift = LWI_CARVE(c, m->clusters.nlink, motion),
      .reach = LWI_CARVE(c, m->clusters.nlink, vec3),
      .whole = LWI_CARVE(c, m->clusters.nlink, abi),
      .mode_load = LWI_CARVE(c, m->clusters.nspeed, force),
      .total = LWI_CARVE(c, m->clusters.ncluster, abi),
      .total_force = LWI_CARVE(c, m->clusters.ncluster, force),
      .sum_inertia = LWI_CARVE(c, m->clusters.nsum, abi),
      .sum_force = LWI_CARVE(c, m->clusters.nsum, force),
  };
  for (int k = 0; k < 6 && LW_PACKED; k++)
    w.moved_row[k] = LWI_CARVE(c, m->nu, double);
  if (at) *at = w;
  return at;
}

/* Rounding errors of the heaviest link are 2^-53 of its mass: at a ratio of 1e5, 1e-11 of the
   lightest. */
static bool has_unequal_links(const lw_model *m)
{
  double mass[2] = {INFINITY, 0}, inertia[2] = {INFINITY, 0}; /* least, most */
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const double about = L->J.c[0][0] + L->J.c[1][1] + L->J.c[2][2];
    if (L->mass > 0) mass[0] = fmin(mass[0], L->mass);
    if (about > 0) inertia[0] = fmin(inertia[0], about);
    mass[1] = fmax(mass[1], L->mass);
    inertia[1] = fmax(inertia[1], about);
  }
  return mass[1] > 1e5 * mass[0] || inertia[1] > 1e5 * inertia[0];
}

static void prepare(const lw_model *m, lwi_tree_work *w)
{
  w->unequal = has_unequal_links(m);
  w->in_order = true;
  for (int k = 0; k < m->nu; k++)
    w->in_order = w->in_order && m->column_u[k] == k;
  w->link[0].R = m3_identity(); /* the rest of the ground's record stays zero */
  for (int i = 0; i < m->nparameter; i++)
    w->law_slot[i] = m->parameter[i], w->slot[i] = real_set(m->parameter[i]);
  for (int i = 0; i < m->ntorsion; i++)
    w->wound[i] = real_set(m->torsion[i].wound);
}

/* a coordinate or speed of any joint */
static inline real coordinate(const lw_model *m, const lwi_tree_work *w, const real *q, int i)
{
  return i < m->nq ? q[i] : w->cut_q[i - m->nq];
}
static inline real speed(const lw_model *m, const lwi_tree_work *w, const real *u, int i)
{
  return i < m->nu ? u[i] : w->cut_u[i - m->nu];
}
/* the place of the load on a freedom */
static inline real *tau_of(const lw_model *m, lwi_tree_work *w, int i)
{
  return i < m->nu ? &w->tau[i] : &w->cut_tau[i - m->nu];
}

/* the speeds of the rotors of a link's joint, */
static inline void keep_spins(const lwi_link *L, lwi_tree_work *w, const real *u)
{
  for (int j = 0; L->has_armature && j < L->nu; j++)
    w->spin[L->u + j] = u[L->u + j];
}
/* ... and the loads that they need; udot may be NULL, for zero */
static inline void keep_rotors(const lwi_link *L, lwi_tree_work *w, const real *udot)
{
  if (!L->has_armature) return;
  for (int j = 0; j < L->nu; j++)
    w->rotor[L->u + j] = udot ? lwi_armature(L, j) * udot[L->u + j] : real_set(0.0);
}

static inline vec3 gravity(const lw_model *m)
{
  return v3_param(m->gravity);
}

/* the link's own inertia, turned into ground axes */
static inline rigid link_inertia(const lwi_link *L, const link_state *s)
{
  return (rigid){s3_rotate(s->R, &L->J), m3_mulp(s->R, L->h), real_set(L->mass)};
}

#endif
