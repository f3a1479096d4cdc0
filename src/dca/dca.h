/* SPDX-License-Identifier: Apache-2.0 */
/* dca.h -- a model prepared for divide and conquer, with its scratch and results.

   Everything is in ground axes.  The handle of an assembly on a body is the body's link: loads
   [torque; force] on it and its acceleration [alpha; a] are about the link's origin, whichever
   joint they come from, so that a body with many joints has one handle.  With handles i, j of an
   assembly:

     A_i = sum_j Z_ij F_j + z_i                                    docs/theory/dca.md

   A joint or constraint (edge) between links a and b has m rows.  Its load f = D lambda acts on b
   at b's origin, and the opposite load, taken to a's origin by phi, on a:

     D^T (A_b - phi* A_a - c) = 0                                   (ground: no terms)

   r leads from a's origin to b's; phi f = [t + r x f; f].  Its elimination, section 4:

     Delta_j = Z_bj - phi* Z_aj,   W = Delta_b - Delta_a phi,   T = D^T W D = L L^T
     N = L^-1 D^T,   G_j = N Delta_j,   y = -N (z_b - phi* z_a - c)
     Znew_ij = Z_ij - G_i^T G_j,   znew_i = z_i + G_i^T y
     f = Y - N^T sum_j G_j F_j,   Y = N^T y              (N^T G_j: X Delta_j in section 4)

   A freedom j of a tree joint with a rotor of inertia a_j has the row s_j, a column of S (S^T
   S)^-1, whose load is that of the rotor, -a_j udot_j:  s_j^T (A_b - phi* A_a - c) + lambda / a_j =
   0, so that T has 1/a_j more on its diagonal and nothing else changes.

   Where the edge closes a loop T may be singular: L^-1 is then made of the eigenvectors of the
   scaled T that are kept (section 7). */
#ifndef LWI_DCA_DCA_H
#define LWI_DCA_DCA_H
#include "base/arena.h"
#include "base/team.h"
#include "graph/assembly_tree.h"
#include "linkwork/dca.h"
#include "model/model.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <stdatomic.h>

/* a row of six numbers takes eight places in mobilities, so that rows are aligned vectors */
enum { LWI_ROW = 8, LWI_BLOCK = 6 * LWI_ROW };

/* With many bodies memory access limits the speed: lwi_dca_body, lwi_dca_state, lwi_dca_step and
   the data kept per edge hold exactly what forward dynamics needs. */

/* constants of a link, in its frame */
typedef struct {
  double inertia[6], inverse[6]; /* about the centre of mass: xx yy zz xy xz yz; see light.c */
  double com[3];
  double own_mass; /* its mass without the added mass: light.c */
} lwi_dca_body;

/* of the present state */
typedef struct {
  double K[6];            /* inverse inertia about the centre of mass, ground axes */
  double c[3];            /* from the link's origin to the centre */
  double inverse_mass[3]; /* constant, with added mass; zero along the normal of a planar model */
  double z[6];            /* acceleration without joint loads */
  union {
    double F[6]; /* sum of the constraint loads known so far; when complete, overwritten by */
    double A[6]; /* acceleration, or jump; that of the ground is zero */
  };
} lwi_dca_state;

typedef enum {
  LWI_DCA_REVOLUTE, /* a revolute joint of the tree, in space */
  LWI_DCA_TREE,     /* another joint of the tree */
  LWI_DCA_CLOSING,  /* a joint that closes a loop, or a geometric constraint */
  LWI_DCA_RELATION, /* gear, coupler, driver: relation.h */
  LWI_DCA_LIGHT     /* corrects for added mass: light.c */
} lwi_dca_kind;

typedef struct {
  lwi_dca_kind kind;
  int joint, constraint; /* its joint or constraint; the other is 0; light: none */
  int link;              /* of a tree joint, the link that it carries */
  int a, b;              /* links; 0 is the ground.  Light: b.  Not of relations */
  int m;                 /* rows, the last of them of freedoms with rotors: edge_rows.h */
  int rotors;
  int nout;        /* handles that remain after its elimination */
  double *kept;    /* of the last assembly: see "what is kept" */
  double given[6]; /* c of the next sweep; of a relation its right side */
  double load[6];  /* load before a correction: correct.c */
  int nlink;       /* of a relation: links that it acts on ... */
  const int *links;
  int *inner;           /* ... and which inner handles these are when it is eliminated */
  const double (*B)[6]; /* [m] light: loads about the link's origin, in its axes */
} lwi_dca_edge;

/* ---- what is kept of an assembly, and how a new right side is swept through it ----

   Of an edge with m rows and n remaining handles: Y, later f (6 numbers); r (3); of a revolute
   joint its axis (3); then, six numbers per row, N (m rows), G_j of each handle j (m rows each),
   and two numbers that the vector of the last row overlaps.  Since

     X = N^T N,   Q_j = X Delta_j = N^T G_j   (of a light body: X = -N^T N, Q_j = -N^T G_j)

   the assembly of other right sides, with the same mobilities, is

     v = c - (z_b - phi* z_a),   y = N v,   Y = N^T y,   znew_j = z_j + G_j^T y

   and the outward pass is unchanged.  So a sweep needs only z of every link and c of every edge.
   Velocity jumps (z = mobility times applied impulse, c = minus the relative velocity before) and
   position corrections (z = 0, c = minus the violation) have this form, and so has the derivative
   of the motion by a parameter [Mukherjee2008]: z is the derivative of each leaf's equation with
   its loads constant, c that of the joint's equation, and the derivative of the directions D of the
   joint's load acts on the two leaves as an applied load. */

/* Of a relation: its multiplier; 1/T; J of its links; q_j of each handle, as Q_j above. */
static inline size_t lwi_dca_relation_kept(int nlink, int nout)
{
  return 2 + 6 * (size_t)(nlink + nout);
}
static inline size_t lwi_dca_kept(int nout, int m)
{
  return 12 + 6 * (size_t)m * (size_t)(1 + nout) + (LWI_ROW - 6);
}
static inline double *lwi_dca_kept_arm(const double *kept)
{
  return (double *)kept + 6;
}
static inline double *lwi_dca_kept_axis(const double *kept)
{
  return (double *)kept + 9;
}
static inline double *lwi_dca_kept_rows(const double *kept)
{
  return (double *)kept + 12;
}

/* one assembly of the plan; inner handles are those of left, then those of right */
typedef struct {
  double *kept;          /* of its edge; NULL: none is eliminated */
  const int *handle;     /* [2 nout] the inner handles that remain; their links */
  uint64_t read;         /* blocks of its mobility that are read: lwi_dca_is_read */
  size_t at;             /* its mobilities: offset in the scratch of its block, or in d->shared */
  int edge;              /* -1: a leaf */
  int link;              /* of a leaf; or carried by the edge, if that is a tree joint */
  int link_a, link_b, u; /* its links; of a tree joint its first speed */
  int a, b;              /* the inner handles that the edge joins, -1: ground */
  int left, right;
  int nleft, nright, nout;
  int nbody;         /* bodies in it */
  uint8_t kind;      /* lwi_assembly_kind */
  uint8_t edge_kind; /* lwi_dca_kind */
  uint8_t m;         /* rows */
  bool loop, idle;   /* idle: two assemblies united without elimination */
  bool shared;       /* read by another block */
} lwi_dca_step;

static inline const int *lwi_dca_links_out(const lwi_dca_step *s)
{
  return s->handle + s->nout;
}

/* Is the block of handles i, j used later?  Of Z_ij and Z_ji often only one is. */
enum { LWI_DCA_MARKED = 8 }; /* most handles for which this is recorded */
static inline uint64_t lwi_dca_mark(int i, int j)
{
  return (uint64_t)1 << (LWI_DCA_MARKED * i + j);
}
static inline bool lwi_dca_is_read(const lwi_dca_step *s, int i, int j)
{
  return s->nout > LWI_DCA_MARKED || (s->read & lwi_dca_mark(i, j));
}

/* what a pass computes */
typedef enum {
  LWI_DCA_FORWARD, /* mobilities and accelerations of the present state */
  LWI_DCA_FACTOR,  /* mobilities alone: z = 0, c = 0 */
  LWI_DCA_SWEEP,   /* with the present mobilities: z in state, c in edge->given */
  LWI_DCA_CORRECT, /* the same, added to the solution of the forward pass: correct.c */
  LWI_DCA_PASSES
} lwi_dca_pass;

/* kind of the present results */
typedef enum { LWI_DCA_NOTHING, LWI_DCA_FACTORED, LWI_DCA_MOTION, LWI_DCA_JUMP } lwi_dca_stage;

/* Assemblies that one thread computes in sequence: neighbouring subtrees whose data fits in its
   cache.  Needs kinematics of links up to `reach`. */
typedef struct {
  int first, last, reach;
} lwi_dca_block;

/* largest accelerations and residuals seen by one thread: correct.c */
typedef struct {
  double largest, free,
      worst; /* acceleration; the same without joint loads; residual of an equation ... */
  int edge;  /* ... and of which */
} lwi_dca_errors;

/* two frames of a cut joint (0: a constraint); their links are not after `reach` */
typedef struct {
  int reach, pair, joint;
} lwi_dca_pair;

struct lw_dca {
  const lw_model *m;
  const struct lwi_dca_kernels *code; /* the best for this processor */
  lwi_assembly_tree *tree;
  lw_dca_options requested; /* as given */
  lw_dca_level *level;      /* [cost.depth + 1] */
  int nthread;
  lwi_team *team; /* of at most nthread */
  lwi_pace pace[LWI_DCA_PASSES];
  double grain; /* as in lw_dca_options */
  int nbody, nedge, nstep;
  lwi_dca_body *body;                /* [nlink] */
  lwi_dca_state *state;              /* [nlink] */
  lwi_dca_edge *edge;                /* [nedge] */
  lwi_dca_step *step;                /* [nstep] in post-order */
  int *joint_edge, *constraint_edge; /* [njoint + 1], [nconstraint + 1]; -1: none */
  int ngraph, *graph_edge; /* edges of the assembly tree, and the edge that each belongs to */

  int nblock, nouter, nfree;
  lwi_dca_block *block;         /* [nblock] by reach */
  int *outer;                   /* [nouter] steps outside blocks, in post-order */
  atomic_int *waiting;          /* [nstep] of those: unfinished children */
  atomic_int *taken;            /* [nblock] outward */
  int *owner;                   /* [nblock] thread that computed it */
  lwi_dca_pair *pair;           /* [npair] by reach */
  int *free_link;               /* [nfree] links whose joint is not an edge: a free joint */
  double *shared;               /* mobilities that cross blocks */
  double **scratch;             /* [nthread] */
  size_t scratch_size, rows_at; /* doubles; where the rows B of one elimination start */

  bool pushed;                /* model: it has forces on links, those of cut joints included */
  bool looped;                /* model: it has loops */
  bool checked;               /* model: loops or light bodies may cost digits: correct.c */
  int *child_start, *child;   /* [nlink + 1]; children of link i: child[child_start[i]] ... */
  double *tau;                /* [nu] of motors, joint springs and the caller; only if driven */
  double *udot;               /* [nu] */
  double (*V)[6];             /* [nlink] velocity before a jump; that of the ground is zero */
  double (*first)[6];         /* [nlink] A before a correction; only if checked */
  double (*unbalanced)[6];    /* [nlink] body_balance.c; only if checked */
  bool lightened;             /* model: some body has added mass */
  bool balances;              /* ... the pass corrects it */
  lwi_dca_errors *errors;     /* [nthread] of a forward pass, if checked */
  int *rank;                  /* [nedge] rows that counted in the last evaluation */
  const lwi_kernels *kernels; /* of the tree, and its results: of the present evaluation */
  lwi_tree_work *work;
  const lwi_closure *closure;
  lw_work *caller;      /* owner of these */
  const double *q, *u;  /* kinematics are part of the pass; NULL: already done */
  double *relation_tau; /* [nu] loads of relations on speeds of the tree; NULL: none */
  bool hold_rank;       /* the rank of each edge was decided before and is kept */
  bool keep_rank;       /* ranks come from the previous state and are preferred */
  int fineness;         /* of decisions about rows: tree/loops/dropped_rows.h */
  double stabilization; /* stabilization rate of closing edges */
  lwi_dca_pass pass;
  bool speeds; /* the right side is that of speeds: results are V + A */
  bool jump;   /* ... of an impulse, examined and corrected like accelerations */
  lwi_dca_stage stage;
  unsigned solved; /* number of factorisations: identifies the state of the mobilities */
  bool driven;     /* tau is not zero */
  lwi_assembly_cost cost;
  lwi_arena arena;
};

/* Factor of the least pivots of rows that count, where coarser decisions were wrong. */
static inline double lwi_dca_finer(const lw_dca *d)
{
  return d->fineness == 0 ? 1 : d->fineness == 1 ? 1e-3 : 1e-5;
}

/* The model that it was made for; NULL: no object. */
static inline const lw_model *lwi_dca_model(const lw_dca *d)
{
  return d ? d->m : NULL;
}

/* ---- solve.c ---- */

/* Calls part for ranges first ... last - 1 that cover 0 ... n - 1, on the threads of d. */
typedef void lwi_dca_part(void *context, int first, int last);
void lwi_dca_share(const lw_dca *d, int n, lwi_dca_part *part, void *context);

/* A pass over all assemblies and back: loads in edges, A in state; u: udot, or with LWI_DCA_SWEEP
   (and corrections of it) the speeds that belong to state V + A. */
lw_status lwi_dca_solve(lw_dca *d, lwi_dca_pass pass);
/* Kinematics at q and u (NULL: at rest) and the mobilities, for sweeps. */
lw_status lwi_dca_factor(lw_dca *d, lw_work *w, double t, const double q[], const double u[]);

/* Accelerations into d->udot; stabilization: see stabilized.c. */
lw_status lwi_dca_forward(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                          const double tau[], double stabilization);

/* ---- stabilized.c ---- */

/* As lwi_closure_stabilized. */
lw_status lwi_dca_stabilized(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                             double stabilization, double udot[], double position_correction[]);
/* Right after that: makes the loads of its motion, those of the stabilization included, available
   again. */
void lwi_dca_recall(lw_dca *d, lw_work *w);

/* ---- correct.c ---- */

/* Raises the maxima in x to the accelerations and residuals of these steps. */
void lwi_dca_examine(lw_dca *d, int first, int last, lwi_dca_errors *x);
/* After a forward pass: corrects residuals of the joints' equations that exceed rounding errors, by
   a sweep. */
lw_status lwi_dca_correct(lw_dca *d);
/* before and after that sweep: accelerations and loads of these steps, z = 0 */
void lwi_dca_set_aside(lw_dca *d, int first, int last);
void lwi_dca_add_up(lw_dca *d, int first, int last);

/* ---- body_balance.c ---- */

/* After a jump: corrects residuals of the momenta of bodies, if some are light. */
lw_status lwi_dca_balance_jump(lw_dca *d);
/* After a forward pass with loops: corrects residuals of the forces on bodies.  LW_E_SINGULAR: they
   do not belong to the accelerations; the caller's `unsolved` names the body. */
lw_status lwi_dca_balance_motion(lw_dca *d);

/* ---- light.c: bodies without inertia about some axis, and light ones ---- */

/* Sets the inverse inertia of a body.  True: inertia was added, as columns B (up to six), and edge
   e corrects for it. */
bool lwi_dca_lighten(const lw_model *m, int body, lwi_dca_body *b, double (*B)[6], lwi_dca_edge *e);
/* Subtracts A - P^-1 f, along the added inertia, from c of such an edge: f = P A in the exact
   solution. */
void lwi_dca_light_residual(const lw_dca *d, const lwi_dca_edge *e, const double A[6],
                            const double f[6], double c[6]);

/* ---- relation.c ---- */

/* Links that a relation acts on, without the ground; returns how many.  links: up to two per
   term */
int lwi_dca_relation_links(const lw_model *m, int constraint, int *links);
void lwi_dca_eliminate_relation(lw_dca *d, int step, double *scratch);
void lwi_dca_sweep_relation(lw_dca *d, int step, double *scratch);
void lwi_dca_load_relation(lw_dca *d, int step); /* outward */
/* J V of the velocities before a jump */
double lwi_dca_relation_rate(const lw_dca *d, const lwi_dca_edge *e);
/* Loads of all relations as tau. */
void lwi_dca_gather_relations(lw_dca *d);

/* ---- dca_plan.c; blocks.c: blocks, threads, storage ---- */

lw_status lwi_dca_plan(lw_dca *d, lw_error *err);
lw_status lwi_dca_make_blocks(lw_dca *d, lw_error *err);
lw_status lwi_dca_make_scratch(lw_dca *d, lw_error *err);
/* levels.c; rows of the edges of the assembly tree */
lw_status lwi_dca_count_levels(lw_dca *d, const int rows[]);
lw_status lwi_dca_no_memory(lw_error *err);

/* ---- dca_kernels.c, compiled once per instruction set ---- */

struct lwi_dca_right_side;
typedef struct lwi_dca_kernels {
  const char *name;
  /* LW_E_NUMBER: a mobility is not finite; LW_E_SINGULAR: nothing holds a body without inertia */
  lw_status (*assemble)(lw_dca *d, int first, int last, double *scratch);
  void (*sweep)(lw_dca *d, int first, int last, double *scratch);
  void (*disassemble)(lw_dca *d, int first, int last);
  /* udot of the joints eliminated by these steps, and of the joint that carries a link; false: not
     finite */
  bool (*accelerate)(lw_dca *d, int first, int last);
  bool (*accelerate_link)(lw_dca *d, int link);
  /* a separate right side, d being shared: derivative_sweeps.h */
  void (*derivative_inward)(const lw_dca *d, const struct lwi_dca_right_side *x, int first,
                            int last);
  void (*derivative_outward)(const lw_dca *d, const struct lwi_dca_right_side *x, int first,
                             int last);
} lwi_dca_kernels;

const lwi_dca_kernels *lwi_dca_kernels_best(void);
const lwi_dca_kernels *lwi_dca_kernels_at(int index); /* for tests: 0, 1, ... until NULL */

/* ---- mobilities of an assembly ---- */

typedef struct {
  int n;
  double *Z, *z;
} lwi_mobility;

static inline double *lwi_mobility_block(const lwi_mobility *x, int i, int j)
{
  return x->Z + (size_t)(i * x->n + j) * LWI_BLOCK;
}
static inline lwi_mobility lwi_mobility_of(const lw_dca *d, int step, double *scratch)
{
  if (step < 0) return (lwi_mobility){0};
  const lwi_dca_step *s = &d->step[step];
  double *at = (s->shared ? d->shared : scratch) + s->at;
  return (lwi_mobility){s->nout, at, at + (size_t)(s->nout * s->nout) * LWI_BLOCK};
}

/* ---- frames of the present state ---- */

/* Frame of a joint or constraint on a body, its position from the link's origin, its velocity. */
typedef struct {
  lwi_frame X;
  double o[3], V[6];
} lwi_dca_place;
lwi_dca_place lwi_dca_place_of(const lw_dca *d, int body, const lwi_frame *in_body);

#endif
