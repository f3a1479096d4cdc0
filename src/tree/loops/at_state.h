/* SPDX-License-Identifier: Apache-2.0 */
/* at_state.h -- access to the numbers of a model at a state, for files that are compiled twice
   (math/num.h).  They read the work and the model or, with LW_DERIVATIVE, these together with their
   derivatives along a direction (suffix _p). */
#ifndef LWI_TREE_LOOPS_AT_STATE_H
#define LWI_TREE_LOOPS_AT_STATE_H
#include "model/joint/stored.h"
#include "tree/loops/derivative_data.h"

/* ---- the state: a work, or derivatives at the state of their work ---- */

#if LW_DERIVATIVE
typedef lw_derivatives lwi_state;
#else
typedef lw_work lwi_state;
#endif

static inline lw_work *work_at(const lwi_state *at)
{
#if LW_DERIVATIVE
  return at->work;
#else
  return (lw_work *)at;
#endif
}

/* the model that holds derivatives; NULL: all of them are zero */
static inline const lw_model *model_p(const lwi_state *at)
{
#if LW_DERIVATIVE
  return at->derivative;
#else
  (void)at;
  return NULL;
#endif
}

/* an array of the state and the one with its derivatives */
#if LW_DERIVATIVE
#define LWI_WITH_P(at, x_p) ((at)->x_p)
#else
#define LWI_WITH_P(at, x_p) ((void)(at), (const double *)NULL)
#endif

/* ---- numbers of the model ---- */

static inline num length_at(const lw_model *m, const lwi_state *at)
{
  const lw_model *p = model_p(at);
  return lwi_number(&m->length, p ? &p->length : NULL, 0);
}
static inline const num_joint_shape *shape_at(const lw_model *m, const lwi_state *at, int joint,
                                              num_joint_shape *own)
{
  const lw_model *p = model_p(at);
  return lwi_shape_in(&m->joint[joint].shape, p ? &p->joint[joint].shape : NULL, own);
}
/* equations of a constraint that is neither a relation nor a set of held freedoms */
static inline const num_equations *equations_at(const lw_model *m, const lwi_state *at,
                                                const lwi_tree_constraint *t, num_equations *own)
{
  const lw_model *p = model_p(at);
  if (t->kind == LWI_TREE_CONSTRAINT_JOINT)
    return lwi_equations_in(&m->joint[t->id].equations, p ? &p->joint[t->id].equations : NULL, own);
  return lwi_equations_in(&m->constraint[t->id].equations,
                          p ? &p->constraint[t->id].equations : NULL, own);
}
/* the derivatives that belong to the constraints x */
static inline const lwi_tree_constraints *constraints_p(const lw_model *m, const lwi_state *at,
                                                        const lwi_tree_constraints *x)
{
  const lw_model *p = model_p(at);
  return !p ? NULL : x == &m->tree_constraints ? &p->tree_constraints : &p->assembly;
}
/* a term of a relation, of a coordinate of the tree or of a cut joint: the coefficients of its powers */
typedef struct {
  num power[4];
} num_term;
static inline num_term term_at(const lw_model *m, const lwi_state *at,
                               const lwi_tree_constraints *x, int i)
{
  const lwi_tree_constraints *x_p = constraints_p(m, at, x);
  num_term t;
  t.power[0] = lwi_number(&x->term[i].coefficient, x_p ? &x_p->term[i].coefficient : NULL, 0);
  lwi_get(x->term[i].higher, x_p ? x_p->term[i].higher : NULL, 3, t.power + 1);
  return t;
}
static inline num_term pair_term_at(const lw_model *m, const lwi_state *at,
                                    const lwi_tree_constraints *x, int i)
{
  const lwi_tree_constraints *x_p = constraints_p(m, at, x);
  num_term t;
  t.power[0] = lwi_number(&x->pair[i].coefficient, x_p ? &x_p->pair[i].coefficient : NULL, 0);
  lwi_get(x->pair[i].higher, x_p ? x_p->pair[i].higher : NULL, 3, t.power + 1);
  return t;
}
/* g, g' and g'' (model/joint/relations.h) */
static inline num term_value(const num_term *t, num q)
{
  return q * (t->power[0] + q * (t->power[1] + q * (t->power[2] + q * t->power[3])));
}
static inline num term_slope(const num_term *t, num q)
{
  return t->power[0] + q * (2 * t->power[1] + q * (3 * t->power[2] + q * (4 * t->power[3])));
}
static inline num term_bend(const num_term *t, num q)
{
  return 2 * t->power[1] + q * (6 * t->power[2] + q * (12 * t->power[3]));
}

/* ---- numbers of the state ---- */

#if LW_DERIVATIVE
typedef struct {
  num_frame frame[2];
  num arm[2][4], V[2][8];
} num_pair_state;
#else
typedef lwi_pair_state num_pair_state;
#endif

static inline const num_pair_state *pair_at(const lwi_state *at, int pair, num_pair_state *own)
{
  const lwi_pair_state *s = &work_at(at)->closure->pair[pair];
#if LW_DERIVATIVE
  const lwi_pair_state *s_p = &at->closure.pair_p[pair];
  for (int side = 0; side < 2; side++) {
    own->frame[side] = lwi_get_frame(&s->frame[side], &s_p->frame[side]);
    lwi_get(s->arm[side], s_p->arm[side], 3, own->arm[side]);
    lwi_get(s->V[side], s_p->V[side], 6, own->V[side]);
  }
  return own;
#else
  (void)own;
  return s;
#endif
}

/* a cut joint at the frames s of its pair; own: its shape */
static inline num_joint_at cut_joint_at(const lw_model *m, const lwi_state *at, int joint,
                                        const num_pair_state *s, num_joint_shape *own)
{
  const lw_work *w = work_at(at);
  return (num_joint_at){shape_at(m, at, joint, own), &s->frame[0], &s->frame[1],
                        lwi_cut_near(m, w->kernels, w->tree, joint)};
}

/* axes and origin of a link */
static inline num_frame link_frame_at(const lw_model *m, const lwi_state *at, int link)
{
  const lw_work *w = work_at(at);
  num_frame f = lwi_frame_identity();
  double C[9], p[3];
  w->kernels->get_frame(m, w->tree, link, C, p);
#if LW_DERIVATIVE
  double pose_p[6], V_p[6], A_p[6];
  w->kernels->get_change(m, at->derivative, at->tree, link, pose_p, V_p, A_p);
  f.R = lwi_turning(C, pose_p);
  lwi_get(p, pose_p + 3, 3, f.p);
#else
  f.R = rot_columns(C);
  memcpy(f.p, p, sizeof p);
#endif
  return f;
}

/* from the origin of the link to that of a pair's frame */
static inline void arm_at(const lwi_state *at, int pair, int side, num arm[3])
{
  lwi_get(work_at(at)->closure->pair[pair].arm[side],
          LWI_WITH_P(at, closure.pair_p[pair].arm[side]), 3, arm);
}

/* motion of a link, and its acceleration */
static inline void motion_at(const lw_model *m, const lwi_state *at, int link, num V[6], num A[6])
{
  const lw_work *w = work_at(at);
#if LW_DERIVATIVE
  double pose_p[6], x[2][6], x_p[2][6];
  w->kernels->get_motion(m, w->tree, link, x[0], x[1]);
  w->kernels->get_change(m, at->derivative, at->tree, link, pose_p, x_p[0], x_p[1]);
  lwi_get(x[0], x_p[0], 6, V);
  lwi_get(x[1], x_p[1], 6, A);
#else
  w->kernels->get_motion(m, w->tree, link, V, A);
#endif
}

/* a load on a link, about its origin */
static inline void push_at(const lwi_state *at, int link, const num load[6])
{
#if LW_DERIVATIVE
  double load_p[6];
  lwi_keep(load, 6, load_p);
  at->work->kernels->derivative_push(at->tree, link, load_p);
#else
  at->kernels->push(at->tree, link, load);
#endif
}

/* arrays of rows in the closure: values, or derivatives */
typedef struct {
  double *J, *scale, *gamma, *slope, *pair_slope;
} kept_rows;
static inline kept_rows rows_kept(const lwi_state *at)
{
#if LW_DERIVATIVE
  return (kept_rows){at->closure.J_p, at->closure.scale_p, at->closure.gamma_p, at->closure.slope_p,
                     at->closure.pair_slope_p};
#else
  return (kept_rows){at->closure->J, at->closure->scale, at->closure->gamma, at->closure->slope,
                     at->closure->pair_slope};
#endif
}
/* ... and reading them back: a whole row, and its scale */
static inline void constraint_row(const lwi_state *at, size_t i, num J[6])
{
  lwi_get(work_at(at)->closure->J + i, rows_kept(at).J + i, 6, J);
}
static inline num scale_at(const lwi_state *at, int row)
{
  return lwi_number(work_at(at)->closure->scale, rows_kept(at).scale, row);
}
/* slopes of terms of relations: of coordinates of the tree, and of cut joints */
static inline num slope_at(const lwi_state *at, int term)
{
  return lwi_number(work_at(at)->closure->slope, rows_kept(at).slope, term);
}
static inline num pair_slope_at(const lwi_state *at, int pair)
{
  return lwi_number(work_at(at)->closure->pair_slope, rows_kept(at).pair_slope, pair);
}
/* target of a relation; order: 0 value, 1 rate, 2 acceleration */
static inline num target_at(const lwi_state *at, int constraint, int order)
{
  return lwi_number(work_at(at)->closure->target, LWI_WITH_P(at, closure.target_p),
                    3 * constraint + order);
}

static inline num dot6(const num a[6], const num b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}

#endif
