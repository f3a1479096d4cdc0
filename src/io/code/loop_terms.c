/* SPDX-License-Identifier: Apache-2.0 */
/* loop_terms.c -- what binds the tree as residuals phi(q, t): the equations of model/joint/equations.h, and relations of
   coordinates.  Rows and what velocities add to them are derivatives of these. */
#include "base/fail.h"
#include "io/code/tree_terms.h"

typedef struct {
  lwi_mat R; /* in ground axes */
  lwi_vec p;
} frame;

static frame frame_of(lwi_tree_terms *x, const lwi_pair *pair, int side)
{
  lwi_terms *T = &x->T;
  const lwi_link_terms *s = &x->link[pair->link[side]];
  const lwi_frame *at = &pair->place[side];
  return (frame){lwi_mat_mul(T, s->G, lwi_mat_of(T, &at->R)),
                 lwi_vec_add(T, s->p, lwi_mat_times(T, s->G, lwi_vec_of(T, at->p)))};
}

/* row_value of equations.c; false: a kind that code cannot have. */
static bool trace_row(lwi_tree_terms *x, const lwi_equations *e, int row, const frame *A,
                      const frame *B, lwi_term *phi)
{
  lwi_terms *T = &x->T;
  lwi_vec a[3], t[3], S = {{0}};
  lwi_term trace = LWI_TERM_ZERO;
  const lwi_vec d = lwi_vec_sub(T, B->p, A->p), b = lwi_mat_times(T, B->R, lwi_vec_of(T, e->b));
  for (int i = 0; i < 3; i++) {
    a[i] = lwi_mat_times(T, A->R, lwi_vec_of(T, e->E.c[i]));
    t[i] = lwi_mat_times(T, B->R, lwi_vec_of(T, e->E.c[i]));
    S = lwi_vec_add(T, S, lwi_vec_cross(T, a[i], t[i]));
    trace = lwi_term_add(T, trace, lwi_vec_dot(T, a[i], t[i]));
  }
  const lwi_term two = lwi_term_number(T, 2), along = lwi_vec_dot(T, a[2], b);
  switch (row) {
  case LWI_SHIFT_0:
  case LWI_SHIFT_1:
  case LWI_SHIFT_2: *phi = lwi_vec_dot(T, a[row - LWI_SHIFT_0], d); return true;
  case LWI_TURN_0:
  case LWI_TURN_1:
  case LWI_TURN_2: {
    const lwi_term s = lwi_vec_dot(T, a[row - LWI_TURN_0], S);
    *phi = lwi_term_div(T, lwi_term_mul(T, two, s), lwi_term_add(T, LWI_TERM_ONE, trace));
    return true;
  }
  case LWI_SWING_0:
  case LWI_SWING_1: {
    const lwi_term s = lwi_vec_dot(T, a[row - LWI_SWING_0], b);
    *phi = lwi_term_div(T, lwi_term_mul(T, two, s), lwi_term_add(T, LWI_TERM_ONE, along));
    return true;
  }
  case LWI_DOT:
    *phi = lwi_term_scale(T, 1 / e->sine, lwi_term_sub(T, along, lwi_term_number(T, e->number)));
    return true;
  case LWI_SPAN:
    *phi = lwi_term_sub(T, lwi_term_sqrt(T, lwi_vec_dot(T, d, d)), lwi_term_number(T, e->number));
    return true;
  default: return false;
  }
}

static lw_status refuse(const lwi_tree_terms *x, lwi_mark mark, const char *name, lw_error *err)
{
  lwi_fail(err, LW_E_UNSUPPORTED, "\"%s\" binds the tree in a way that straight-line code cannot",
           name);
  lwi_locate_error(x->m->files, mark, err);
  return LW_E_UNSUPPORTED;
}

static lw_status trace_relation(lwi_tree_terms *x, const lwi_tree_constraint *c, lwi_term *phi,
                                lw_error *err)
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  const lwi_constraint *k = &m->constraint[c->id];
  lwi_term target = lwi_term_number(T, k->relation.offset);
  lw_status status = LW_OK;
  double start = 0;
  if (c->npair > 0) return refuse(x, k->mark, k->info.name, err); /* of a joint that is cut */
  *phi = LWI_TERM_ZERO;
  for (int i = c->term; i < c->term + c->nterm; i++) {
    const lwi_constrained_term *one = &m->tree_constraints.term[i];
    lwi_term factor = LWI_TERM_ZERO; /* q (c + q (h0 + q (h1 + q h2))) */
    for (int power = 2; power >= 0; power--)
      factor = lwi_term_mul(T, x->q[one->q],
                            lwi_term_add(T, lwi_term_number(T, one->higher[power]), factor));
    factor = lwi_term_add(T, lwi_term_number(T, one->coefficient), factor);
    *phi = lwi_term_add(T, *phi, lwi_term_mul(T, x->q[one->q], factor));
    start += one->coefficient * x->start[one->q]; /* of gears, which are linear */
  }
  if (k->relation.type == LW_GEAR) target = lwi_term_number(T, start);
  if (k->relation.type == LW_DRIVER)
    status = lwi_trace_expression(x, &k->relation.value, k->info.name, k->mark, &target, err);
  *phi = lwi_term_sub(T, *phi, target);
  return status;
}

lw_status lwi_trace_constraints(lwi_tree_terms *x, lwi_term phi[], lw_error *err)
{
  const lw_model *m = x->m;
  const lwi_tree_constraints *all = &m->tree_constraints;
  lw_status status = LW_OK;
  for (int i = 0; i < all->nconstraint && status == LW_OK; i++) {
    const lwi_tree_constraint *c = &all->constraint[i];
    if (c->kind == LWI_TREE_CONSTRAINT_RELATION) {
      status = trace_relation(x, c, &phi[c->row], err);
      continue;
    }
    const bool joint = c->kind != LWI_TREE_CONSTRAINT_GEOMETRIC;
    const lwi_equations *e = joint ? &m->joint[c->id].equations : &m->constraint[c->id].equations;
    const lwi_mark mark = joint ? m->joint[c->id].mark : m->constraint[c->id].mark;
    const char *name = joint ? m->joint[c->id].info.name : m->constraint[c->id].info.name;
    if (c->kind == LWI_TREE_CONSTRAINT_LOCK || c->kind == LWI_TREE_CONSTRAINT_HOLD)
      return refuse(x, mark, name, err);
    const lwi_pair *pair = &m->pair[all->pair[c->pair].pair];
    const frame A = frame_of(x, pair, 0), B = frame_of(x, pair, 1);
    for (int k = 0; k < e->n && status == LW_OK; k++)
      if (!trace_row(x, e, e->row[k], &A, &B, &phi[c->row + k]))
        status = refuse(x, mark, name, err);
  }
  return status;
}
