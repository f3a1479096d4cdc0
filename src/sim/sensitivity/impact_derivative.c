/* SPDX-License-Identifier: Apache-2.0 */
/* impact_derivative.c -- derivatives of speeds across an event.  The impulses of each round of impacts (jump.c) follow
   from the speeds before and after it:

     along a normal              n^T V+ = -e n^T V-, or 0
     across it, sticking         t^T V+ = 0
     across it, sliding          x + mu x_n d = 0,  d = s / |s|,  s = t^T V+

   With the impulses held their pushes move with the bodies; the derivatives x_p of the impulses then follow from
   these conditions, in which V+ changes by the responses to unit pushes. */
#include "sim/sensitivity/impact_derivative.h"
#include "linalg/dense.h"
#include "sim/events/jump_parts.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pushes ---- */

/* Adds [torque; force] at a point of a body: its derivative about the origin of the link. */
static void push(const lwi_event_repeat *x, int body, const num point[3], const num torque[3],
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
static num_moving_frame body_of(const lwi_event_repeat *x, int body)
{
  const lwi_moving_frame stored = lwi_derivative_body(x->l->m, x->l->d, body);
  return lwi_get_moving(&stored);
}

/* A point of a body that moves in it by at_p. */
static void point_of(const lwi_event_repeat *x, int body, const double at[3], const double at_p[3],
                     num point[3])
{
  num in[3];
  lwi_get(at, at_p, 3, in);
  lwi_frame_point(body_of(x, body).frame, in, point);
}

static void push_impulses(const lwi_event_repeat *x)
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
  const lwi_done_push *done;
  const lwi_impact *hit;
  const lw_event_desc *slope;
  int body[2];
  num point[2][3], load[2][6];
} contact;

static void push_contact(const lwi_event_repeat *x, const contact *k)
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

/* of an impact of two bodies: along its normal */
static void aim_at_bodies(const lwi_event_repeat *x, contact *k)
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
static void aim_at_freedom(const lwi_event_repeat *x, contact *k)
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

/* The normal of a contact or rope, ground axes. */
static void find_normal(const lwi_event_repeat *x, const lw_contact_desc *d,
                        const lw_contact_desc *d_p, num n[3])
{
  num p[3], from[3], in[3];
  if (d->on == LW_ON_PLANE) {
    lwi_get(d->normal, d_p->normal, 3, in);
    rot_mulv(body_of(x, d->other.id).frame.R, in, n);
    return;
  }
  point_of(x, d->body.id, d->at, d_p->at, p);
  point_of(x, d->other.id, d->other_at, d_p->other_at, from);
  direction3(from, p, n);
}

/* of a contact or rope: along its normal where they touch, as in events/unit_push.c */
static void aim_at_contact(const lwi_event_repeat *x, contact *k)
{
  const lw_contact_desc *d = &k->hit->e->contact, *d_p = &k->slope->contact;
  num n[3], b[3], in[3], *p = k->point[0];
  k->body[0] = d->body.id;
  k->body[1] = d->other.id;
  point_of(x, d->body.id, d->at, d_p->at, p);
  find_normal(x, d, d_p, n);
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

/* ... and across it: directions in the axes of the other body, as lwi_unit_pushes_across */
static void aim_across(const lwi_event_repeat *x, contact *k)
{
  const lw_contact_desc *d = &k->hit->e->contact, *d_p = &k->slope->contact;
  num normal[3], in[3], t[3];
  const num_rot A = body_of(x, d->other.id).frame.R;
  find_normal(x, d, d_p, in);
  rot_mulv(rot_transpose(A), in, normal);
  const num_rot E = rot_aligning_z(normal);
  const num flat[3] = {normal[1], -normal[0], 0};
  memcpy(in, x->l->m->planar ? flat : E.c[k->done->across - 1], sizeof in);
  rot_mulv(A, in, t);
  for (int i = 0; i < 3; i++) {
    k->load[0][3 + i] = t[i];
    k->load[1][3 + i] = -t[i];
  }
}

/* The number of the event of an impact, from 1. */
static int number_of(const lwi_event_repeat *x, const lw_event_desc *e)
{
  const lw_model *first = x->e->sim->first;
  for (int i = 0; i < first->nevent; i++)
    if (&first->event[i].d == e) return i + 1;
  return 0;
}

static void aim(const lwi_event_repeat *x, const lwi_done_push *done, contact *k)
{
  *k = (contact){.done = done, .hit = &done->hit};
  k->slope = &x->e->slope[number_of(x, k->hit->e) - 1];
  if (k->hit->e->action == LW_ACTION_LIMIT)
    aim_at_freedom(x, k);
  else if (k->hit->e->action == LW_ACTION_CONTACT)
    aim_at_contact(x, k);
  else
    aim_at_bodies(x, k);
  if (done->across > 0) aim_across(x, k);
}

/* ---- rounds ---- */

typedef struct {
  lwi_event_repeat *x;
  lw_dynamics d;
  int n;                    /* of all pushes */
  contact *k;               /* [n] */
  double *response;         /* [n][nu] speeds by a unit of each */
  double *x_p;              /* [n] */
  double *A, *r, *slip;     /* [n][n], [n], [n] scratch */
  double (*p)[6];           /* [nlink] momenta up to a round */
  double *u;                /* [nu] speeds after it */
  lwi_moving_frame *before; /* [nbody + 1] bodies before it */
} rounds;

static bool open_rounds(rounds *s)
{
  const lw_model *m = s->x->l->m;
  const size_t n = (size_t)s->x->jump.ndone, nu = (size_t)m->nu, nbody = (size_t)m->nbody + 1;
  s->n = (int)n;
  s->d = (lw_dynamics){.m = m, .work = s->x->l->d->work, .method = &lwi_tree_formulation};
  s->k = calloc(n + 1, sizeof *s->k);
  s->p = calloc((size_t)m->nlink + 1, sizeof *s->p);
  s->response = calloc(n * nu + n * n + 3 * n + nu + 1, sizeof *s->response);
  s->before = malloc(nbody * sizeof *s->before);
  if (!s->k || !s->p || !s->response || !s->before) return false;
  s->x_p = s->response + n * nu;
  s->A = s->x_p + n;
  s->r = s->A + n * n;
  s->slip = s->r + n;
  s->u = s->slip + n;
  memcpy(s->before, s->x->e->body, nbody * sizeof *s->before);
  return true;
}

static void close_rounds(rounds *s)
{
  free(s->k);
  free(s->p);
  free(s->response);
  free(s->before);
}

static bool is_up_to(const rounds *s, int i, int round)
{
  return s->x->jump.done[i].round <= round;
}

/* Speeds after a round, and their derivatives with the impulses of this round held. */
static lw_status go_to_round(rounds *s, int round, double u_p[])
{
  lwi_event_repeat *x = s->x;
  const lw_model *m = x->l->m;
  lw_derivatives *d = x->l->d;
  lw_status status = lw_kinematics(d->work, x->q, d->zero);
  memcpy(s->p, x->jump.p, (size_t)m->nlink * sizeof *s->p);
  for (int i = 0; i < s->n; i++)
    if (!is_up_to(s, i, round))
      lwi_jump_push(&x->jump, d->work, s->k[i].hit, -s->k[i].hit->push, s->p);
  if (status == LW_OK) status = lwi_jump_momenta(&x->jump, &s->d, x->t, s->p, s->u, NULL);
  if (status != LW_OK) return status;
  lwi_derivative_impulse_place(m, d, x->t, x->q, &x->x, x->e->when_p);
  memset(x->p_p, 0, (size_t)m->nlink * sizeof *x->p_p);
  lwi_derivative_link_momenta(m, d, x->V, x->V_p, x->p_p);
  push_impulses(x);
  for (int i = 0; i < s->n; i++)
    if (is_up_to(s, i, round)) push_contact(x, &s->k[i]);
  const lwi_link_momenta_p momenta = {s->p, x->p_p, x->jump.scratch};
  lwi_derivative_impulse(d, x->t, x->q, s->u, &x->x, x->e->when_p, &momenta, u_p);
  for (int l = 0; l < s->n; l++)
    for (int i = 0; i < m->nu && is_up_to(s, l, round - 1); i++)
      u_p[i] += s->x_p[l] * s->response[l * m->nu + i];
  return LW_OK;
}

/* Bodies as they move after the round, in the work of the derivatives. */
static void move_bodies(const rounds *s, const double u_p[])
{
  const lwi_event_repeat *x = s->x;
  lwi_derive_at(x->l->m, x->l->d, x->t, x->q, s->u);
  lwi_derivative_kinematics(x->l->m, x->l->d, &x->l->m->tree_constraints, x->x.motion, u_p,
                            x->x.derivative);
}

/* The speed along a push before the round and after it. */
static num speed_before(const rounds *s, const contact *k)
{
  const num_moving_frame f[2] = {lwi_get_moving(&s->before[k->body[0]]),
                                 lwi_get_moving(&s->before[k->body[1]])};
  return speed_of(k, f);
}
static num speed_after(const rounds *s, const contact *k)
{
  const num_moving_frame f[2] = {body_of(s->x, k->body[0]), body_of(s->x, k->body[1])};
  return speed_of(k, f);
}

/* A: speeds at the pushes of a round by unit pushes. */
static lw_status find_responses(rounds *s, int first, int n)
{
  const size_t nu = (size_t)s->x->l->m->nu;
  lwi_jump *j = &s->x->jump;
  lw_status status = LW_OK;
  for (int l = 0; l < n && status == LW_OK; l++)
    status = lwi_jump_solve_response(j, &s->d, s->x->t, s->k[first + l].hit,
                                     s->response + (size_t)(first + l) * nu);
  for (int l = 0; l < n && status == LW_OK; l++) {
    status = lw_kinematics(s->d.work, s->x->q, s->response + (size_t)(first + l) * nu);
    for (int i = 0; i < n && status == LW_OK; i++)
      status = lwi_jump_speed(j, &s->d, s->k[first + i].hit, &s->A[i * n + l]);
  }
  return status;
}

/* ---- the conditions of a round ---- */

/* (aim - speed after)_p with the impulses held */
static double speed_residual(const rounds *s, const contact *k)
{
  const num e = k->hit->aim == 0 || k->done->across
                    ? 0
                    : num_of(k->hit->e->restitution, k->slope->restitution);
  return derivative_of(-e * speed_before(s, k) - speed_after(s, k));
}

/* The condition of friction that slides, of all directions of one contact from push i on, in the place of their rows:
   x_p + (mu x_n d)_p = 0, where the slip changes by -r + A x_p. */
static void write_sliding(rounds *s, const contact *k, int i, int n, int normal)
{
  const int m = i + 1 < n && k[i + 1].done->across == 2 ? 2 : 1;
  const double mu = k[i].hit->e->contact.friction, mu_p = k[i].slope->contact.friction;
  const double x_n = k[normal].hit->push, *slip = s->slip + i;
  const double size = m > 1 ? hypot(slip[0], slip[1]) : fabs(slip[0]);
  for (int c = 0; c <= n; c++) { /* column c of A, and last what is known */
    double a[2] = {0}, d[2] = {0}, along = 0;
    for (int l = 0; l < m; l++) {
      a[l] = c < n ? s->A[(i + l) * n + c] : -s->r[i + l];
      d[l] = slip[l] / size;
      along += a[l] * d[l];
    }
    for (int l = 0; l < m; l++) {
      const double turn = mu * x_n / size * (a[l] - along * d[l]);
      if (c == n)
        s->r[i + l] = -mu_p * x_n * d[l] - turn;
      else
        s->A[(i + l) * n + c] = turn + (c == i + l) + (c == normal ? mu * d[l] : 0);
    }
  }
}

/* Rows of one round with friction: not symmetric; equivalent impacts share their impulse. */
static bool solve_rough(rounds *s, const contact *k, int n, int first, double x_p[])
{
  double *A = malloc((size_t)(n * n) * sizeof *A);
  bool solved = false;
  for (int i = 0; i < n; i++)
    if (k[i].done->slides && k[i].done->across == 1)
      write_sliding(s, k, i, n, k[i].done->normal - first);
  for (int pass = 0; pass < 2 && A && !solved; pass++) {
    memcpy(A, s->A, (size_t)(n * n) * sizeof *A);
    memcpy(x_p, s->r, (size_t)n * sizeof *x_p);
    for (int i = 0; i < n && pass > 0; i++)
      A[i * n + i] *= 1 + 1e-11;
    solved = lwi_solve_square(n, A, x_p, 1e-14);
  }
  free(A);
  return solved;
}

/* x_p of the pushes of a round, at bodies that move as after it. */
static lw_status solve_round(rounds *s, int first, int n)
{
  const contact *k = s->k + first;
  bool rough = false;
  for (int i = 0; i < n; i++) {
    s->r[i] = speed_residual(s, &k[i]);
    s->slip[i] = value_of(speed_after(s, &k[i]));
    rough = rough || k[i].done->across;
  }
  const lw_status status = find_responses(s, first, n);
  if (status != LW_OK) return status;
  const bool solved = rough ? solve_rough(s, k, n, first, s->x_p + first)
                            : lwi_jump_share(n, s->A, s->r, s->x_p + first);
  return solved ? LW_OK : LW_E_SINGULAR;
}

/* ---- together ---- */

static lw_status pass_round(rounds *s, int first, int n, double u_p[])
{
  const int nu = s->x->l->m->nu, nbody = s->x->l->m->nbody;
  lw_status status = go_to_round(s, n > 0 ? s->x->jump.done[first].round : 0, u_p);
  if (status != LW_OK || n == 0) return status;
  move_bodies(s, u_p);
  status = solve_round(s, first, n);
  for (int l = first; l < first + n && status == LW_OK; l++)
    for (int i = 0; i < nu; i++)
      u_p[i] += s->x_p[l] * s->response[l * nu + i];
  if (status != LW_OK || first + n == s->n) return status;
  move_bodies(s, u_p);
  for (int b = 0; b <= nbody; b++)
    s->before[b] = lwi_derivative_body(s->x->l->m, s->x->l->d, b);
  return LW_OK;
}

lw_status lwi_impact_derivative(lwi_event_repeat *x, double u_p[])
{
  rounds s = {.x = x};
  lw_status status = open_rounds(&s) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK)
    lwi_derivative_impulse_place(x->l->m, x->l->d, x->t, x->q, &x->x, x->e->when_p);
  for (int i = 0; i < s.n && status == LW_OK; i++)
    aim(x, &x->jump.done[i], &s.k[i]);
  int first = 0;
  do {
    int n = 0;
    while (first + n < s.n && x->jump.done[first + n].round == x->jump.done[first].round)
      n++;
    if (status == LW_OK) status = pass_round(&s, first, n, u_p);
    first += n;
  } while (first < s.n && status == LW_OK);
  close_rounds(&s);
  return status;
}
