/* SPDX-License-Identifier: Apache-2.0 */
/* event_derivative.c -- derivatives of positions and speeds across an event.  Bodies keep their
   poses, in whatever coordinates, and their velocities are projected (jump.c); both are
   differentiated here. */
#include "sim/sensitivity/event_derivative.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lwi_event_derivative_open(lwi_event_derivative *e, const lw_model *derivative)
{
  e->slope = malloc((size_t)derivative->nevent * sizeof *e->slope + 1);
  for (int i = 0; i < derivative->nevent && e->slope; i++)
    e->slope[i] = derivative->event[i].d;
  return e->slope;
}

void lwi_event_derivative_free(lwi_event_derivative *e)
{
  free(e->slope);
  free(e->place);
  free(e->number);
  free(e->body);
  *e = (lwi_event_derivative){0};
}

/* ---- before ---- */

lw_status lwi_event_derivative_leave(lwi_event_derivative *e, const lwi_linearized_dynamics *l,
                                     const lw_simulation *sim, const int number[], int n,
                                     double when_p)
{
  const int nbody = lw_nbody(l->m);
  lwi_moving_frame *body = realloc(e->body, ((size_t)nbody + 1) * sizeof *body);
  if (body) e->body = body;
  int *own = realloc(e->number, (size_t)n * sizeof *own + 1);
  if (own) e->number = own;
  if (!body || !own) return LW_E_MEMORY;
  memcpy(own, number, (size_t)n * sizeof *own);
  e->sim = sim;
  e->when_p = when_p;
  e->nevent = n;
  e->nbody = nbody;
  for (int b = 0; b <= nbody; b++)
    body[b] = lwi_derivative_body(l->m, l->d, b);
  return LW_OK;
}

/* ---- after it: positions ---- */

/* The frame of one side of a joint. */
static num_frame joint_frame(const lwi_event_derivative *e, int body, const lwi_frame *place,
                             const lwi_frame *place_p)
{
  const num_moving_frame b = lwi_get_moving(&e->body[body]);
  return lwi_frame_mul(b.frame, lwi_get_frame(place, place_p));
}

/* Coordinates follow the bodies.  Those of all joints are the values at which locked freedoms are
   locked: in a new model they are part of the derivative of its numbers. */
static void follow_bodies(const lwi_event_derivative *e, lwi_linearized_dynamics *l,
                          lw_model *derivative, bool fresh, const double q[], double motion[])
{
  const lw_model *m = l->m;
  const double *cut = l->d->work->kernels->part(l->d->work->tree, LWI_CUT_Q);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i], *j_p = &derivative->joint[i];
    const num_frame A = joint_frame(e, j->info.parent.id, &j->place, &j_p->place);
    const num_frame B = joint_frame(e, j->info.child.id, &j->child_place, &j_p->child_place);
    const num_joint_shape shape = lwi_get_shape(&j->shape, &j_p->shape);
    num own[7] = {0};
    double q_p[7];
    const double *near = j->info.cut ? cut + (j->info.q_all - m->nq) : q + j->info.q;
    lwi_joint_q(&(num_joint_at){&shape, &A, &B, near}, own);
    lwi_keep(own, 7, q_p);
    if (fresh) memcpy(derivative->joint[i].q, q_p, sizeof q_p);
    if (!j->info.cut && j->info.nq > 0)
      memcpy(l->all + j->info.q, q_p, (size_t)j->info.nq * sizeof *q_p);
  }
  lw_motion_of(m, q, l->all, motion);
}

/* Loop closure moves with the parameter; gears start wherever they are. */
static void close_loops(lwi_linearized_dynamics *l, double motion[])
{
  const lw_model *m = l->m;
  const lwi_closure *c = l->d->work->closure;
  for (int i = 0; i < m->tree_constraints.nconstraint; i++) {
    const lwi_tree_constraint *t = &m->tree_constraints.constraint[i];
    const bool gear =
        t->kind == LWI_TREE_CONSTRAINT_RELATION && m->constraint[t->id].info.type == LW_GEAR;
    for (int r = t->row; r < t->row + t->n; r++)
      l->gap[r] = gear ? 0 : -c->scale[r] * l->d->closure.phi_p[r];
  }
  lwi_derivative_move_by_rows(m, l->d, &m->tree_constraints, l->gap, motion);
}

/* ---- speeds ---- */

typedef struct {
  lwi_event_derivative *e;
  lwi_linearized_dynamics *l;
  lwi_direction x;
  double t;
  const double *q, *u;
  lwi_jump jump;
  double (*V)[6], (*V_p)[6]; /* [nbody + 1] of bodies before the event */
  double (*p_p)[6];          /* [nlink] */
  double *scratch;
} event_restart;

/* Adds [torque; force] at a point of a body: its derivative about the origin of the link. */
static void push(const event_restart *x, int body, const num point[3], const num torque[3],
                 const num force[3])
{
  const lw_model *m = x->l->m;
  const int link = m->body[body].link;
  if (link == 0) return;
  const lwi_moving_frame stored = lwi_derivative_link(m, x->l->d, link);
  const num_moving_frame f = lwi_get_moving(&stored);
  num arm[3], moment[3];
  for (int i = 0; i < 3; i++)
    arm[i] = point[i] - f.frame.p[i];
  cross3(arm, force, moment);
  for (int i = 0; i < 3; i++) {
    x->p_p[link][i] += derivative_of(torque[i] + moment[i]);
    x->p_p[link][3 + i] += derivative_of(force[i]);
  }
}

/* The pose and velocity of a body along the direction. */
static num_moving_frame body_of(const event_restart *x, int body)
{
  const lwi_moving_frame stored = lwi_derivative_body(x->l->m, x->l->d, body);
  return lwi_get_moving(&stored);
}

/* A point of a body that moves in it by at_p. */
static void point_of(const event_restart *x, int body, const double at[3], const double at_p[3],
                     num point[3])
{
  num in[3];
  lwi_get(at, at_p, 3, in);
  lwi_frame_point(body_of(x, body).frame, in, point);
}

static void push_impulses(const event_restart *x)
{
  const lw_model *first = x->e->sim->first;
  for (int i = 0; i < x->e->nevent; i++) {
    const lw_event_desc *d = &first->event[x->e->number[i] - 1].d;
    const lw_event_desc *d_p = &x->e->slope[x->e->number[i] - 1];
    num point[3], angular[3], linear[3];
    if (d->action != LW_ACTION_IMPULSE) continue;
    point_of(x, d->body.id, d->point, d_p->point, point);
    lwi_get(d->angular, d_p->angular, 3, angular);
    lwi_get(d->linear, d_p->linear, 3, linear);
    push(x, d->body.id, point, angular, linear);
  }
}

/* ---- impacts: impulses that give the aimed speeds, and their derivatives ---- */

/* a unit push on a body, and the opposite one on another, each a load at a point */
typedef struct {
  const lwi_impact *hit;
  const lw_event_desc *slope;
  int body[2];
  num point[2][3], load[2][6];
} contact;

static void push_contact(const event_restart *x, const contact *k)
{
  for (int side = 0; side < 2; side++) {
    num load[6];
    for (int i = 0; i < 6; i++)
      load[i] = k->hit->push * k->load[side][i];
    push(x, k->body[side], k->point[side], load, load + 3);
  }
}

/* The speed along the push, of bodies that move like this. */
static num speed_of(const contact *k, const num_moving_frame f[2])
{
  num speed = 0;
  for (int side = 0; side < 2; side++) {
    num arm[3], turn[3];
    for (int i = 0; i < 3; i++)
      arm[i] = k->point[side][i] - f[side].frame.p[i];
    cross3(f[side].V, arm, turn);
    speed += dot3(k->load[side], f[side].V) + dot3(k->load[side] + 3, f[side].V + 3) +
             dot3(k->load[side] + 3, turn);
  }
  return speed;
}

/* (aim - speed after)_p with fixed impulses; after the speeds were found. */
static double speed_residual(const event_restart *x, const contact *k)
{
  num_moving_frame before[2], after[2];
  for (int side = 0; side < 2; side++) {
    before[side] = lwi_get_moving(&x->e->body[k->body[side]]);
    after[side] = body_of(x, k->body[side]);
  }
  const num e = k->hit->aim == 0 ? 0 : num_of(k->hit->e->restitution, k->slope->restitution);
  return derivative_of(-e * speed_of(k, before) - speed_of(k, after));
}

/* of an impact of two bodies: along its normal */
static void aim_at_bodies(const event_restart *x, contact *k)
{
  const lw_event_desc *d = k->hit->e;
  num normal[3];
  k->body[0] = d->body.id;
  k->body[1] = d->other.id;
  point_of(x, d->body.id, d->point, k->slope->point, k->point[0]);
  memcpy(k->point[1], k->point[0], sizeof k->point[0]);
  lwi_get(d->normal, k->slope->normal, 3, normal);
  for (int i = 0; i < 3; i++) {
    k->load[0][3 + i] = normal[i];
    k->load[1][3 + i] = -normal[i];
  }
}

/* of a limit: the row of the speed of its freedom, as in events/unit_push.c */
static void aim_at_freedom(const event_restart *x, contact *k)
{
  const lw_model *m = x->l->m;
  const lw_event_desc *d = k->hit->e;
  const int joint = lw_find_joint(m, d->joint).id, dof = d->dofs[0] - 1;
  const lwi_joint *j = &m->joint[joint], *j_p = &x->x.derivative->joint[joint];
  const num_joint_shape shape = lwi_get_shape(&j->shape, &j_p->shape);
  k->body[0] = j->info.child.id;
  k->body[1] = j->info.parent.id;
  const num_frame A = lwi_frame_mul(body_of(x, k->body[1]).frame,
                                    lwi_get_frame(&j->place, &j_p->place)),
                  B = lwi_frame_mul(body_of(x, k->body[0]).frame,
                                    lwi_get_frame(&j->child_place, &j_p->child_place));
  const lw_work *w = x->l->d->work;
  const double *near = j->info.cut ? lwi_cut_near(m, w->kernels, w->tree, joint) : x->q + j->info.q;
  num G[2][6][6];
  lwi_joint_speed_rows(&(num_joint_at){&shape, &A, &B, near}, G[1], G[0]);
  for (int i = 0; i < 6; i++) {
    k->load[0][i] = d->normal[0] * G[0][dof][i];
    k->load[1][i] = d->normal[0] * G[1][dof][i];
  }
  memcpy(k->point[0], B.p, sizeof k->point[0]);
  memcpy(k->point[1], A.p, sizeof k->point[1]);
}

/* of a contact or rope: along its normal where they touch, as in events/unit_push.c */
static void aim_at_contact(const event_restart *x, contact *k)
{
  const lw_contact_desc *d = &k->hit->e->contact, *d_p = &k->slope->contact;
  num from[3], n[3], b[3], in[3], *p = k->point[0];
  k->body[0] = d->body.id;
  k->body[1] = d->other.id;
  point_of(x, d->body.id, d->at, d_p->at, p);
  point_of(x, d->other.id, d->other_at, d_p->other_at, from);
  if (d->on == LW_ON_PLANE) {
    lwi_get(d->normal, d_p->normal, 3, in);
    rot_mulv(body_of(x, d->other.id).frame.R, in, n);
  } else {
    for (int i = 0; i < 3; i++)
      n[i] = p[i] - from[i];
    const num length = norm3(n);
    for (int i = 0; i < 3; i++)
      n[i] /= length;
  }
  lwi_get(d->axis, d_p->axis, 3, in);
  rot_mulv(body_of(x, d->body.id).frame.R, in, b);
  const num tilt = dot3(n, b), s = num_sqrt(1 - tilt * tilt), r = num_of(d->radius, d_p->radius);
  const bool rope = d->on == LW_ON_ROPE;
  for (int i = 0; i < 3; i++) {
    if (!rope) p[i] += r * (b[i] * tilt - n[i]) / s;
    k->load[0][3 + i] = rope ? -n[i] : n[i];
    k->load[1][3 + i] = -k->load[0][3 + i];
  }
  memcpy(k->point[1], p, sizeof k->point[0]);
}

static int find_contacts(const event_restart *x, contact k[])
{
  int n = 0;
  for (int i = 0; i < x->jump.nimpact; i++) {
    const lwi_impact *hit = &x->jump.impact[i];
    if (!hit->active) continue;
    contact *to = &k[n++];
    *to = (contact){.hit = hit, .slope = &x->e->slope[hit->number - 1]};
    if (hit->e->action == LW_ACTION_LIMIT)
      aim_at_freedom(x, to);
    else if (hit->e->action == LW_ACTION_CONTACT)
      aim_at_contact(x, to);
    else
      aim_at_bodies(x, to);
  }
  return n;
}

/* u_p += the effect of the derivatives of the impulses. */
static lw_status change_pushes(event_restart *x, const contact k[], int n, double u_p[])
{
  const lw_model *m = x->l->m;
  const size_t nu = (size_t)m->nu;
  double *scratch = calloc((size_t)(n * n) + (size_t)n * (2 + nu), sizeof *scratch);
  if (!scratch) return LW_E_MEMORY;
  double *A = scratch, *residual = A + n * n, *push1 = residual + n, *response = push1 + n;
  lwi_derive_at(m, x->l->d, x->t, x->q, x->u);
  lwi_derivative_kinematics(m, x->l->d, &m->tree_constraints, x->x.motion, u_p, x->x.derivative);
  for (int i = 0; i < n; i++)
    residual[i] = speed_residual(x, &k[i]);
  lw_dynamics d = {.m = m, .work = x->l->d->work, .method = &lwi_tree_formulation};
  lw_status status = LW_OK;
  for (int l = 0; l < n && status == LW_OK; l++)
    status = lwi_jump_solve_response(&x->jump, &d, x->t, k[l].hit, response + (size_t)l * nu);
  for (int l = 0; l < n && status == LW_OK; l++) {
    status = lw_kinematics(d.work, x->q, response + (size_t)l * nu);
    for (int i = 0; i < n && status == LW_OK; i++)
      status = lwi_jump_speed(&x->jump, &d, k[i].hit, &A[i * n + l]);
  }
  if (status == LW_OK && !lwi_jump_share(n, A, residual, push1)) status = LW_E_SINGULAR;
  for (int l = 0; l < n && status == LW_OK; l++)
    for (size_t i = 0; i < nu; i++)
      u_p[i] += push1[l] * response[(size_t)l * nu + i];
  free(scratch);
  return status;
}

/* ---- together ---- */

static bool open_event_restart(event_restart *x)
{
  const lw_model *m = x->l->m;
  const size_t nbody = (size_t)m->nbody + 1, nlink = (size_t)m->nlink;
  x->scratch = calloc(6 * (2 * nbody + nlink) + 1, sizeof(double));
  if (!x->scratch || !lwi_jump_init(&x->jump, m)) return false;
  x->V = (double(*)[6])x->scratch;
  x->V_p = x->V + nbody;
  x->p_p = x->V_p + nbody;
  for (size_t b = 0; b < nbody; b++) {
    memcpy(x->V[b], x->e->body[b].V, sizeof x->V[b]);
    memcpy(x->V_p[b], x->e->body[b].V_p, sizeof x->V_p[b]);
    memcpy(x->jump.V[b], x->e->body[b].V, sizeof x->V[b]);
  }
  if (m->nq) memcpy(x->jump.q, x->q, (size_t)m->nq * sizeof(double));
  x->jump.slow = LWI_SLOW_IMPACT * sqrt(x->e->sim->options.rtol);
  return true;
}

/* Repeats the event in the work of the derivatives. */
static lw_status repeat(event_restart *x)
{
  const lwi_event_derivative *e = x->e;
  const lwi_event **event = malloc((size_t)e->nevent * sizeof *event + 1);
  if (!event) return LW_E_MEMORY;
  int n = 0;
  for (int i = 0; i < e->nevent; i++) /* what gives way is not hit */
    if (!lwi_contact_leaving(&e->sim->contacts, e->number[i]))
      event[n++] = &e->sim->first->event[e->number[i] - 1];
  lw_dynamics d = {.m = x->l->m, .work = x->l->d->work, .method = &lwi_tree_formulation};
  const lw_status status = lwi_jump_solve(&x->jump, &d, x->t, event, n);
  free(event);
  return status;
}

static lw_status restart(event_restart *x, lw_model *derivative, bool fresh, double motion[],
                         double u_p[])
{
  const lw_model *m = x->l->m;
  lw_derivatives *d = x->l->d;
  contact *k = malloc((size_t)LWI_MOST_IMPACTS * sizeof *k);
  lw_status status = k ? repeat(x) : LW_E_MEMORY;
  if (status == LW_OK) {
    follow_bodies(x->e, x->l, derivative, fresh, x->q, motion);
    x->x = (lwi_direction){.motion = motion, .derivative = derivative};
    lwi_derivative_impulse_place(m, d, x->t, x->q, &x->x, x->e->when_p);
    if (d->work->closure) {
      close_loops(x->l, motion);
      lwi_derivative_impulse_place(m, d, x->t, x->q, &x->x, x->e->when_p);
    }
    lwi_derivative_link_momenta(m, d, x->V, x->V_p, x->p_p);
    push_impulses(x);
    const int n = find_contacts(x, k);
    for (int i = 0; i < n; i++)
      push_contact(x, &k[i]);
    const lwi_link_momenta_p momenta = {x->jump.p, x->p_p, x->jump.scratch};
    lwi_derivative_impulse(d, x->t, x->q, x->u, &x->x, x->e->when_p, &momenta, u_p);
    if (n > 0) status = change_pushes(x, k, n, u_p);
  }
  free(k);
  return status;
}

lw_status lwi_event_derivative_restart(lwi_event_derivative *e, lwi_linearized_dynamics *l,
                                       const lw_model_derivative *model_p, bool fresh, double t,
                                       const double y[], double motion[], double u_p[])
{
  event_restart x = {.e = e, .l = l, .t = t, .q = y, .u = y + lw_nq(l->m)};
  l->known = false;
  lwi_work_follow(l->m, l->dynamics->work, l->d->work);
  const lw_status status =
      open_event_restart(&x) ? restart(&x, model_p->derivative, fresh, motion, u_p) : LW_E_MEMORY;
  lwi_jump_free(&x.jump);
  free(x.scratch);
  for (int i = 0; i < lw_nu(l->m) && status == LW_OK; i++)
    if (!isfinite(motion[i]) || !isfinite(u_p[i])) return LW_E_NUMBER;
  return status;
}
