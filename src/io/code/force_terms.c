/* SPDX-License-Identifier: Apache-2.0 */
/* force_terms.c -- force elements and expressions of a model as terms: tree/recursion/forces.h. */
#include "base/fail.h"
#include "io/code/tree_terms.h"

static lw_status refuse(const lwi_tree_terms *x, lwi_mark mark, lw_error *err, const char *what,
                        const char *name)
{
  lwi_fail(err, LW_E_UNSUPPORTED, "%s \"%s\" cannot be written as straight-line code", what,
           name ? name : "");
  lwi_locate_error(x->m->files, mark, err);
  return LW_E_UNSUPPORTED;
}

/* ---- expressions ---- */

/* What a name of the expression stands for; false: what code cannot see. */
static bool find_slot(lwi_tree_terms *x, int slot, lwi_term *out)
{
  const lw_model *m = x->m;
  if (slot < m->nparameter) {
    *out = lwi_term_number(&x->T, m->parameter[slot]);
    return true;
  }
  const lwi_slot *s = slot < m->nslot ? &m->slot[slot - m->nparameter] : NULL;
  const lwi_slot_kind kind = s ? s->kind : LWI_SLOT_TIME; /* of drivers: t follows the parameters */
  if (kind == LWI_SLOT_TIME) *out = x->t;
  if (kind == LWI_SLOT_Q && s->index < m->nq) *out = x->q[s->index];
  if (kind == LWI_SLOT_U && s->index < m->nu) *out = x->u[s->index];
  return kind == LWI_SLOT_TIME || (kind == LWI_SLOT_Q && s->index < m->nq) ||
         (kind == LWI_SLOT_U && s->index < m->nu);
}

lw_status lwi_trace_expression(lwi_tree_terms *x, const lwi_expr *e, const char *whose,
                               lwi_mark mark, lwi_term *out, lw_error *err)
{
  lwi_term stack[LWI_EXPR_MAX_STACK];
  int n = 0;
  for (int i = 0; i < e->nop; i++) {
    const lwi_expr_op *op = &e->op[i];
    const int growth = lwi_expr_growth(op);
    switch (op->code) {
    case LWI_OP_CONSTANT: stack[n] = lwi_term_number(&x->T, e->constant[op->arg]); break;
    case LWI_OP_COPY: stack[n] = stack[op->arg]; break;
    case LWI_OP_NAME:
      if (find_slot(x, e->name[op->arg].slot, &stack[n])) break;
      return refuse(x, mark, err, "an expression that uses", e->name[op->arg].text);
    case LWI_OP_DROP: stack[n - 1 - op->arg] = stack[n - 1]; break;
    case LWI_OP_TABLE:
    case LWI_OP_TABLE2: return refuse(x, mark, err, "the table in the expression of", whose);
    default: {
      lwi_term *of = stack + n - (1 - growth);
      of[0] = lwi_term_operation(&x->T, op->code, of[0], growth < 0 ? of[1] : 0,
                                 growth < -1 ? of[2] : 0);
    }
    }
    n += growth;
  }
  *out = n > 0 ? stack[0] : LWI_TERM_ZERO;
  return LW_OK;
}

static lw_status trace_three(lwi_tree_terms *x, const lwi_expr e[3], const lwi_load *l,
                             lwi_vec *out, lw_error *err)
{
  lw_status status = LW_OK;
  for (int i = 0; i < 3 && status == LW_OK; i++)
    status = lwi_trace_expression(x, &e[i], l->name, l->mark, &out->x[i], err);
  return status;
}

/* ---- elements ---- */

/* A force in ground axes at a point of a link. */
static void push_at(lwi_tree_terms *x, const lwi_point *at, lwi_vec force)
{
  lwi_terms *T = &x->T;
  lwi_link_terms *s = &x->link[at->link];
  const lwi_vec f = lwi_mat_times(T, lwi_mat_transpose(s->G), force);
  const lwi_six load = {lwi_vec_cross(T, lwi_vec_of(T, at->p), f), f};
  s->applied = lwi_six_add(T, s->applied, load);
}

/* In ground axes. */
static lwi_vec place_of(lwi_tree_terms *x, const lwi_point *at)
{
  const lwi_link_terms *s = &x->link[at->link];
  return lwi_vec_add(&x->T, s->p, lwi_mat_times(&x->T, s->G, lwi_vec_of(&x->T, at->p)));
}
static lwi_vec velocity_of(lwi_tree_terms *x, const lwi_point *at)
{
  const lwi_link_terms *s = &x->link[at->link];
  const lwi_vec turn = lwi_vec_cross(&x->T, s->V.w, lwi_vec_of(&x->T, at->p));
  return lwi_mat_times(&x->T, s->G, lwi_vec_add(&x->T, s->V.v, turn));
}

static void push_spring(lwi_tree_terms *x, const lwi_spring *e)
{
  lwi_terms *T = &x->T;
  const lwi_vec d = lwi_vec_sub(T, place_of(x, &e->to), place_of(x, &e->from));
  const lwi_vec v = lwi_vec_sub(T, velocity_of(x, &e->to), velocity_of(x, &e->from));
  const lwi_term length = lwi_term_sqrt(T, lwi_vec_dot(T, d, d));
  const lwi_vec n = lwi_vec_scale(T, lwi_term_div(T, LWI_TERM_ONE, length), d);
  const lwi_term stretch = lwi_term_sub(T, length, lwi_term_number(T, e->length));
  const lwi_term tension = lwi_term_add(T, lwi_term_scale(T, e->stiffness, stretch),
                                        lwi_term_scale(T, e->damping, lwi_vec_dot(T, n, v)));
  const lwi_vec pull = lwi_vec_scale(T, tension, n);
  push_at(x, &e->from, pull);
  push_at(x, &e->to, lwi_vec_neg(T, pull));
}

/* one_sided of tree/recursion/forces.h */
static void push_joint_spring(lwi_tree_terms *x, const lwi_joint_spring *e)
{
  lwi_terms *T = &x->T;
  lwi_term s = lwi_term_sub(T, x->q[e->q], lwi_term_number(T, e->rest)), share = LWI_TERM_ONE;
  if (e->side != 0) {
    const lwi_term y = lwi_term_scale(T, e->side, s), w = lwi_term_number(T, e->onset);
    const lwi_term d = lwi_term_operation(T, LWI_OP_MAX, y, LWI_TERM_ZERO, 0);
    const lwi_term near = lwi_term_operation(T, LWI_OP_MIN, d, w, 0);
    const lwi_term r = lwi_term_scale(T, 1 / e->onset, near);
    const lwi_term bent = lwi_term_scale(T, 0.5, lwi_term_mul(T, near, r));
    s = lwi_term_scale(T, e->side, lwi_term_add(T, bent, lwi_term_sub(T, d, near)));
    share = lwi_term_mul(T, lwi_term_mul(T, r, r),
                         lwi_term_sub(T, lwi_term_number(T, 3), lwi_term_add(T, r, r)));
  }
  const lwi_term drag = lwi_term_mul(T, share, lwi_term_scale(T, e->damping, x->u[e->u]));
  const lwi_term load = lwi_term_add(T, lwi_term_scale(T, e->stiffness, s), drag);
  x->element_tau[e->u] = lwi_term_sub(T, x->element_tau[e->u], load);
}

static lw_status push_load(lwi_tree_terms *x, const lwi_load *e, lw_error *err)
{
  lwi_terms *T = &x->T;
  lwi_link_terms *s = &x->link[e->point.link];
  lwi_vec force, torque;
  lw_status status = trace_three(x, e->force, e, &force, err);
  if (status == LW_OK) status = trace_three(x, e->torque, e, &torque, err);
  if (status != LW_OK) return status;
  if (e->body_axes) {
    const lwi_mat B = lwi_mat_mul(T, s->G, lwi_mat_of(T, &e->R));
    force = lwi_mat_times(T, B, force);
    torque = lwi_mat_times(T, B, torque);
  }
  push_at(x, &e->point, force);
  s->applied.w = lwi_vec_add(T, s->applied.w, lwi_mat_times(T, lwi_mat_transpose(s->G), torque));
  return LW_OK;
}

lw_status lwi_trace_forces(lwi_tree_terms *x, lw_error *err)
{
  const lw_model *m = x->m;
  const lwi_mark nowhere = {0};
  lw_status status = LW_OK;
  if (m->nbushing > 0) return refuse(x, nowhere, err, "the bushings of model", m->name);
  if (m->ntorsion > 0) return refuse(x, nowhere, err, "the torsions of model", m->name);
  for (int i = 0; i < m->nspring; i++) {
    if (m->spring[i].has_law)
      return refuse(x, nowhere, err, "the law of spring", m->spring[i].name);
    push_spring(x, &m->spring[i]);
  }
  for (int i = 0; i < m->njoint_spring; i++) {
    if (m->joint_spring[i].u >= m->nu || m->joint_spring[i].q >= m->nq)
      return refuse(x, nowhere, err, "a spring or damper on a joint that closes a loop of model",
                    m->name);
    push_joint_spring(x, &m->joint_spring[i]);
  }
  for (int i = 0; i < m->nmotor && status == LW_OK; i++) {
    const lwi_motor *e = &m->motor[i];
    lwi_term value = LWI_TERM_ZERO;
    if (e->u >= m->nu)
      return refuse(x, e->mark, err, "on a joint that closes a loop, motor", e->name);
    status = lwi_trace_expression(x, &e->value, e->name, e->mark, &value, err);
    x->element_tau[e->u] = lwi_term_add(&x->T, x->element_tau[e->u], value);
  }
  for (int i = 0; i < m->nload && status == LW_OK; i++)
    status = m->load[i].carrier
                 ? refuse(x, m->load[i].mark, err, "the law of force", m->load[i].name)
                 : push_load(x, &m->load[i], err);
  return status;
}
