/* SPDX-License-Identifier: Apache-2.0 */
/* work.h -- scratch and results of one thread: a header, the data of the kernels, buffers. */
#ifndef LWI_TREE_LOOPS_WORK_H
#define LWI_TREE_LOOPS_WORK_H
#include "model/model.h"
#include "tree/recursion/tree_kernels.h"

#include <string.h>

/* what the last call has computed; each stage includes the previous ones */
typedef enum {
  LWI_STAGE_NOTHING,
  LWI_STAGE_KINEMATICS,
  LWI_STAGE_ACCELERATIONS, /* by lw_accelerations: without loads */
  LWI_STAGE_DYNAMICS,      /* forces and accelerations are consistent */
  LWI_STAGE_LOADS
} lwi_stage;

/* Where the residual of the last solve that was checked is largest. */
typedef struct {
  int joint, constraint; /* whose equations do not hold, ... */
  int body;              /* ... or whose forces do not balance; the others are 0 */
  double residual;       /* relative to the terms of the equation */
  bool dropped;          /* the equation was taken for dependent on others */
} lwi_unsolved;

struct lw_work {
  const lw_model *m;
  uint64_t model; /* its id */
  const lwi_kernels *kernels;
  lwi_tree_work *tree;
  lwi_stage stage;
  void *block;                 /* to free; NULL: the caller's memory */
  double *q, *u, *in, *out;    /* [nq], [nu], [nu], [nu] times lanes */
  double *step;                /* scratch of lw_step: 5 (nq + nu) */
  struct lwi_closure *closure; /* NULL: nothing to close */
  unsigned calls;              /* of forward dynamics: force_balance.h ... */
  bool near_singular;          /* ... all of them are checked ... */
  double *residual;            /* ... with this scratch: 2 nu times lanes, nu + 2 nlink */
  lwi_unsolved unsolved;
};

/* The model that it was made for; NULL: no work. */
static inline const lw_model *lwi_work_model(const lw_work *w)
{
  return w ? w->m : NULL;
}

/* Is it a work of this model? */
static inline bool lwi_is_work(const lw_model *m, const lw_work *w)
{
  return w && lwi_is_model(m, w->model);
}

/* ... for one state at a time, not for lanes? */
static inline bool lwi_is_single(const lw_model *m, const lw_work *w)
{
  return lwi_is_work(m, w) && w->kernels->lanes == 1;
}

/* Coordinates of a joint at the state, or near it, to choose among coordinates of its frames
   (joint_relative.h): of a cut joint all of them, where they are; of a tree joint the angles. */
static inline const double *lwi_cut_near(const lw_model *m, const lwi_kernels *k,
                                         lwi_tree_work *tree, int joint)
{
  return k->part(tree, LWI_CUT_Q) + (m->joint[joint].info.q_all - m->nq);
}
static inline void lwi_tree_near(const lw_model *m, const lwi_kernels *k, const lwi_tree_work *tree,
                                 int joint, double near[7])
{
  memset(near, 0, 7 * sizeof *near);
  k->get_angles(m, tree, m->joint[joint].link, near);
}

lw_work *lwi_work_new_with(const lw_model *m, const lwi_kernels *k);
/* Angles of cut joints, turns of torsions and sums of gears continue from those of another work; of
   one of a nearby model, which has sums of its own, only the turns. */
void lwi_work_follow(const lw_model *m, const lw_work *from, lw_work *w);
void lwi_work_follow_turns(const lw_model *m, const lw_work *from, lw_work *w);
/* Torsions are wound up as at the start of the model again. */
void lwi_work_unwind(const lw_model *m, lw_work *w);
/* 5 (nq + nu) doubles for the fixed-step integrators. */
double *lwi_work_step_scratch(const lw_model *m, lw_work *w);
/* Energies of the state whose kinematics the work holds. */
lw_status lwi_energy_there(const lw_model *m, const lw_work *w, const double q[], double *kinetic,
                           double *potential);
/* As lw_joint_loads; without constraints only for the joints of links from `first` on. */
lw_status lwi_joint_loads_from(lw_work *w, int first);

/* tree_calls.c: the position of lw_get_pose alone. */
lw_status lwi_get_position(const lw_work *w, lw_body b, double p[3]);
/* As lw_get_acceleration, of a body or point (lwi_frame_at). */
lw_status lwi_get_frame_acceleration(const lw_work *w, int frame, double A[6]);

#endif
