/* SPDX-License-Identifier: Apache-2.0 */
/* event_change.c -- positions and speeds across an event: bodies keep their poses, in whatever coordinates, and
   their velocities are projected (jump.c); both are differentiated here. */
#include "sim/event_change.h"
#include "sim/simulation_data.h"

#include <stdlib.h>
#include <string.h>

bool lwi_event_change_open(lwi_event_change *e, const lw_model *change)
{
  e->slope = malloc((size_t)change->nevent * sizeof *e->slope + 1);
  for (int i = 0; i < change->nevent && e->slope; i++)
    e->slope[i] = change->event[i].d;
  return e->slope;
}

void lwi_event_change_free(lwi_event_change *e)
{
  free(e->slope);
  free(e->place);
  free(e->number);
  free(e->body);
  *e = (lwi_event_change){0};
}

/* ---- before ---- */

lw_status lwi_event_change_leave(lwi_event_change *e, const lwi_linear *l, const lw_simulation *sim,
                                 const int number[], int n, double when1)
{
  const int nbody = lw_nbody(l->m);
  lwi_moving_frame *body = realloc(e->body, ((size_t)nbody + 1) * sizeof *body);
  if (body) e->body = body;
  int *own = realloc(e->number, (size_t)n * sizeof *own + 1);
  if (own) e->number = own;
  if (!body || !own) return LW_E_MEMORY;
  memcpy(own, number, (size_t)n * sizeof *own);
  e->sim = sim;
  e->when1 = when1;
  e->nevent = n;
  e->nbody = nbody;
  for (int b = 0; b <= nbody; b++)
    body[b] = lwi_vary_body(l->m, l->d, b);
  return LW_OK;
}

/* ---- after it: positions ---- */

/* the frame of one side of a joint */
static num_frame joint_frame(const lwi_event_change *e, int body, const lwi_frame *place,
                             const lwi_frame *place_p)
{
  const num_moving_frame b = lwi_get_moving(&e->body[body]);
  return lwi_frame_mul(b.frame, lwi_get_frame(place, place_p));
}

/* Coordinates follow the bodies.  Those of all joints are what locked freedoms are locked at: in a new
   model they go to the change. */
static void follow_bodies(const lwi_event_change *e, lwi_linear *l, lw_model *change, bool fresh,
                          const double q[], double motion[])
{
  const lw_model *m = l->m;
  const double *cut = l->d->work->kernels->cut_part(l->d->work->tree, LWI_CUT_Q);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i], *j_p = &change->joint[i];
    const num_frame A = joint_frame(e, j->info.parent.id, &j->place, &j_p->place);
    const num_frame B = joint_frame(e, j->info.child.id, &j->child_place, &j_p->child_place);
    const num_joint_shape shape = lwi_get_shape(&j->shape, &j_p->shape);
    num own[7] = {0};
    double q_p[7];
    lwi_get(j->info.cut ? cut + (j->info.q_all - m->nq) : q + j->info.q, NULL, j->info.nq, own);
    lwi_joint_q(&shape, &A, &B, own, own);
    lwi_keep(own, 7, q_p);
    if (fresh) memcpy(change->joint[i].q, q_p, sizeof q_p);
    if (!j->info.cut && j->info.nq > 0)
      memcpy(l->all + j->info.q, q_p, (size_t)j->info.nq * sizeof *q_p);
  }
  lw_motion_of(m, q, l->all, motion);
}

/* The closure moves with the parameter; gears begin anew wherever they are. */
static void close_loops(lwi_linear *l, double motion[])
{
  const lw_model *m = l->m;
  const lwi_closure *c = l->d->work->closure;
  for (int i = 0; i < m->ties.ntie; i++) {
    const lwi_tie *t = &m->ties.tie[i];
    const bool gear = t->kind == LWI_TIE_RELATION && m->constraint[t->id].info.type == LW_GEAR;
    for (int r = t->row; r < t->row + t->n; r++)
      l->gap[r] = gear ? 0 : -c->scale[r] * l->d->closure.phi1[r];
  }
  lwi_vary_move_by_rows(m, l->d, &m->ties, l->gap, motion);
}

/* ---- speeds ---- */

typedef struct {
  lwi_event_change *e;
  lwi_linear *l;
  lwi_direction x;
  double t;
  const double *q, *u;
  lwi_jump jump;
  double (*V)[6], (*V1)[6]; /* [nbody + 1] of bodies before */
  double (*p1)[6];          /* [nlink] */
  double *room;
} landing;

/* [torque; force] at a point, on a body: its derivative about the origin of the link */
static void push(const landing *x, int body, const num point[3], const num torque[3],
                 const num force[3])
{
  const lw_model *m = x->l->m;
  const int link = m->body[body].link;
  if (link == 0) return;
  const lwi_moving_frame stored = lwi_vary_link(m, x->l->d, link);
  const num_moving_frame f = lwi_get_moving(&stored);
  num arm[3], moment[3];
  for (int i = 0; i < 3; i++)
    arm[i] = point[i] - f.frame.p[i];
  cross3(arm, force, moment);
  for (int i = 0; i < 3; i++) {
    x->p1[link][i] += derivative_of(torque[i] + moment[i]);
    x->p1[link][3 + i] += derivative_of(force[i]);
  }
}

/* a body where the direction leads */
static num_moving_frame body_of(const landing *x, int body)
{
  const lwi_moving_frame stored = lwi_vary_body(x->l->m, x->l->d, body);
  return lwi_get_moving(&stored);
}

/* a point of a body, that moves in it by at_p */
static void point_of(const landing *x, int body, const double at[3], const double at_p[3],
                     num point[3])
{
  num in[3];
  lwi_get(at, at_p, 3, in);
  lwi_frame_point(body_of(x, body).frame, in, point);
}

static void push_impulses(const landing *x)
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

/* ---- impacts: pushes that give the speeds that are aimed at, and their derivatives ---- */

typedef struct {
  const lwi_impact *hit;
  const lw_event_desc *slope;
  num point[3], normal[3];
} contact;

static void push_contact(const landing *x, const contact *k)
{
  const num none[3] = {0};
  num f[3], back[3];
  for (int i = 0; i < 3; i++) {
    f[i] = k->hit->push * k->normal[i];
    back[i] = -f[i];
  }
  push(x, k->hit->e->body.id, k->point, none, f);
  push(x, k->hit->e->other.id, k->point, none, back);
}

/* of the body at the point along the normal, as seen from the other */
static num speed_of(const contact *k, const num_moving_frame *a, const num_moving_frame *b)
{
  num speed = 0;
  for (int side = 0; side < 2; side++) {
    const num_moving_frame *f = side ? b : a;
    num arm[3], turn[3];
    for (int i = 0; i < 3; i++)
      arm[i] = k->point[i] - f->frame.p[i];
    cross3(f->V, arm, turn);
    const num s = dot3(k->normal, f->V + 3) + dot3(k->normal, turn);
    speed += side ? -s : s;
  }
  return speed;
}

/* (aim - speed after)_p, with the pushes held; after the speeds were found */
static double lacking(const landing *x, const contact *k)
{
  const int a = k->hit->e->body.id, b = k->hit->e->other.id;
  const num_moving_frame before[2] = {lwi_get_moving(&x->e->body[a]),
                                      lwi_get_moving(&x->e->body[b])};
  const num_moving_frame after[2] = {body_of(x, a), body_of(x, b)};
  const num e = num_of(k->hit->e->restitution, k->slope->restitution);
  return derivative_of(-e * speed_of(k, &before[0], &before[1]) -
                       speed_of(k, &after[0], &after[1]));
}

static int find_contacts(const landing *x, contact k[])
{
  int n = 0;
  for (int i = 0; i < x->jump.nimpact; i++) {
    const lwi_impact *hit = &x->jump.impact[i];
    const lw_event_desc *slope = &x->e->slope[hit->number - 1];
    if (!hit->active) continue;
    contact *to = &k[n++];
    *to = (contact){.hit = hit, .slope = slope};
    point_of(x, hit->e->body.id, hit->e->point, slope->point, to->point);
    lwi_get(hit->e->normal, slope->normal, 3, to->normal);
  }
  return n;
}

/* u1 += what the pushes change */
static lw_status change_pushes(landing *x, const contact k[], int n, double u1[])
{
  const lw_model *m = x->l->m;
  const size_t nu = (size_t)m->nu;
  double *room = calloc((size_t)(n * n) + (size_t)n * (2 + nu), sizeof *room);
  if (!room) return LW_E_MEMORY;
  double *A = room, *lack = A + n * n, *push1 = lack + n, *response = push1 + n;
  lwi_derive_at(m, x->l->d, x->t, x->q, x->u);
  lwi_vary_kinematics(m, x->l->d, &m->ties, x->x.motion, u1, x->x.change);
  for (int i = 0; i < n; i++)
    lack[i] = lacking(x, &k[i]);
  lw_dynamics d = {.m = m, .work = x->l->d->work, .way = &lwi_tree_formulation};
  lw_status status = LW_OK;
  for (int l = 0; l < n && status == LW_OK; l++)
    status = lwi_jump_respond(&x->jump, &d, x->t, k[l].hit, response + (size_t)l * nu);
  for (int l = 0; l < n && status == LW_OK; l++) {
    status = lw_kinematics(d.work, x->q, response + (size_t)l * nu);
    for (int i = 0; i < n && status == LW_OK; i++)
      status = lwi_jump_speed(&x->jump, &d, k[i].hit, &A[i * n + l]);
  }
  if (status == LW_OK && !lwi_jump_share(n, A, lack, push1)) status = LW_E_SINGULAR;
  for (int l = 0; l < n && status == LW_OK; l++)
    for (size_t i = 0; i < nu; i++)
      u1[i] += push1[l] * response[(size_t)l * nu + i];
  free(room);
  return status;
}

/* ---- together ---- */

static bool open_landing(landing *x)
{
  const lw_model *m = x->l->m;
  const size_t nbody = (size_t)m->nbody + 1, nlink = (size_t)m->nlink;
  x->room = calloc(6 * (2 * nbody + nlink) + 1, sizeof(double));
  if (!x->room || !lwi_jump_init(&x->jump, m)) return false;
  x->V = (double(*)[6])x->room;
  x->V1 = x->V + nbody;
  x->p1 = x->V1 + nbody;
  for (size_t b = 0; b < nbody; b++) {
    memcpy(x->V[b], x->e->body[b].V, sizeof x->V[b]);
    memcpy(x->V1[b], x->e->body[b].V_p, sizeof x->V1[b]);
    memcpy(x->jump.V[b], x->e->body[b].V, sizeof x->V[b]);
  }
  if (m->nq) memcpy(x->jump.q, x->q, (size_t)m->nq * sizeof(double));
  return true;
}

/* the event once more, in the work of the derivatives */
static lw_status repeat(landing *x)
{
  const lwi_event_change *e = x->e;
  const lwi_event **event = malloc((size_t)e->nevent * sizeof *event + 1);
  if (!event) return LW_E_MEMORY;
  for (int i = 0; i < e->nevent; i++)
    event[i] = &e->sim->first->event[e->number[i] - 1];
  lw_dynamics d = {.m = x->l->m, .work = x->l->d->work, .way = &lwi_tree_formulation};
  const lw_status status = lwi_jump_solve(&x->jump, &d, x->t, event, e->nevent);
  free(event);
  return status;
}

static lw_status land(landing *x, lw_model *change, bool fresh, double motion[], double u1[])
{
  const lw_model *m = x->l->m;
  lw_derivatives *d = x->l->d;
  contact *k = malloc((size_t)LWI_MOST_IMPACTS * sizeof *k);
  lw_status status = k ? repeat(x) : LW_E_MEMORY;
  if (status == LW_OK) {
    follow_bodies(x->e, x->l, change, fresh, x->q, motion);
    x->x = (lwi_direction){.motion = motion, .change = change};
    lwi_vary_impulse_place(m, d, x->t, x->q, &x->x, x->e->when1);
    if (d->work->closure) {
      close_loops(x->l, motion);
      lwi_vary_impulse_place(m, d, x->t, x->q, &x->x, x->e->when1);
    }
    lwi_vary_link_momenta(m, d, x->V, x->V1, x->p1);
    push_impulses(x);
    const int n = find_contacts(x, k);
    for (int i = 0; i < n; i++)
      push_contact(x, &k[i]);
    lwi_vary_impulse(m, d, x->t, x->q, x->u, &x->x, x->e->when1, x->jump.p, x->p1, x->jump.room,
                     u1);
    if (n > 0) status = change_pushes(x, k, n, u1);
  }
  free(k);
  return status;
}

lw_status lwi_event_change_land(lwi_event_change *e, lwi_linear *l, const lw_slope *slope,
                                bool fresh, double t, const double y[], double motion[],
                                double u1[])
{
  landing x = {.e = e, .l = l, .t = t, .q = y, .u = y + lw_nq(l->m)};
  l->known = false;
  lwi_closure_follow(l->m, l->dynamics->work, l->d->work);
  const lw_status status =
      open_landing(&x) ? land(&x, slope->change, fresh, motion, u1) : LW_E_MEMORY;
  lwi_jump_free(&x.jump);
  free(x.room);
  for (int i = 0; i < lw_nu(l->m) && status == LW_OK; i++)
    if (!isfinite(motion[i]) || !isfinite(u1[i])) return LW_E_NUMBER;
  return status;
}
