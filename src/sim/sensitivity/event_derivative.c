/* SPDX-License-Identifier: Apache-2.0 */
/* event_derivative.c -- derivatives of positions and speeds across an event.  Bodies keep their
   poses, in whatever coordinates, and their velocities are projected (jump.c); both are
   differentiated here. */
#include "sim/sensitivity/impact_derivative.h"
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

/* ---- together ---- */

static bool open_repeat(lwi_event_repeat *x)
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
  x->jump.least = LWI_NO_SPEED * x->e->sim->contacts.fastest;
  return true;
}

/* Repeats the event in the work of the derivatives. */
static lw_status repeat(lwi_event_repeat *x)
{
  const lwi_event_derivative *e = x->e;
  const lwi_contacts *c = &e->sim->contacts;
  const size_t ntouch = (size_t)e->sim->hit.ntouch;
  const lwi_event **event = malloc((size_t)e->nevent * sizeof *event + 1);
  lwi_touching *touch = malloc(ntouch * sizeof *touch + 1);
  lw_status status = event && touch ? LW_OK : LW_E_MEMORY;
  int n = 0;
  for (int i = 0; i < e->nevent && event; i++) /* what gives way is not hit */
    if (!lwi_contact_leaving(c, e->number[i])) event[n++] = &e->sim->first->event[e->number[i] - 1];
  if (ntouch > 0 && touch) memcpy(touch, c->touch, ntouch * sizeof *touch);
  x->jump.touch = touch;
  x->jump.ntouch = e->nevent > 0 ? (int)ntouch : 0;
  x->jump.keeps = true;
  lw_dynamics d = {.m = x->l->m, .work = x->l->d->work, .method = &lwi_tree_formulation};
  if (status == LW_OK) status = lwi_jump_solve(&x->jump, &d, x->t, event, n);
  x->jump.touch = NULL;
  free(touch);
  free(event);
  return status;
}

static lw_status restart(lwi_event_repeat *x, lw_model *derivative, bool fresh, double motion[],
                         double u_p[])
{
  const lw_model *m = x->l->m;
  lw_derivatives *d = x->l->d;
  const lw_status status = repeat(x);
  if (status != LW_OK) return status;
  follow_bodies(x->e, x->l, derivative, fresh, x->q, motion);
  x->x = (lwi_direction){.motion = motion, .derivative = derivative};
  lwi_derivative_impulse_place(m, d, x->t, x->q, &x->x, x->e->when_p);
  if (d->work->closure) close_loops(x->l, motion);
  return lwi_impact_derivative(x, u_p);
}

/* x: the state at which the event is repeated; the rest of it is made here. */
static lw_status restart_at(lwi_event_repeat x, lw_model *derivative, bool fresh, double motion[],
                            double u_p[])
{
  lwi_linearized_dynamics *l = x.l;
  l->known = false;
  lwi_work_follow(l->m, l->dynamics->work, l->d->work);
  const lw_status status =
      open_repeat(&x) ? restart(&x, derivative, fresh, motion, u_p) : LW_E_MEMORY;
  lwi_jump_free(&x.jump);
  free(x.scratch);
  for (int i = 0; i < lw_nu(l->m) && status == LW_OK; i++)
    if (!isfinite(motion[i]) || !isfinite(u_p[i])) return LW_E_NUMBER;
  return status;
}

/* ---- impacts before anything is held ---- */

/* Bodies go on as they do after the impacts. */
static void take_bodies(lwi_event_derivative *e, lwi_linearized_dynamics *l,
                        const lw_model *derivative, double t, const double motion[],
                        const double u_p[])
{
  const lwi_jump *j = e->sim->hit.jump;
  lwi_derive_at(l->m, l->d, t, j->q, j->u);
  lwi_derivative_kinematics(l->m, l->d, &l->m->tree_constraints, motion, u_p, derivative);
  for (int b = 0; b <= e->nbody; b++)
    e->body[b] = lwi_derivative_body(l->m, l->d, b);
  e->nevent = 0;
}

lw_status lwi_event_derivative_hit(lwi_event_derivative *e, const lw_model *before,
                                   lw_model *derivative, int parameter, double scale, double t,
                                   lw_error *err)
{
  const lw_simulation *sim = e->sim;
  const lw_model *m = sim->hit.m;
  if (!m || (sim->hit.jump->nimpact == 0 && sim->hit.jump->rounds == 0)) return LW_OK;
  const bool fresh = m != before;
  lwi_linearized_dynamics l = {0};
  lw_model *own = NULL;
  const lw_simulation_options o = {.formulation = LW_FORMULATION_TREE};
  lw_dynamics *d = lw_dynamics_new(m, &o, err);
  double *motion = calloc(2 * (size_t)m->nu + 1, sizeof *motion), *u_p = motion + m->nu;
  lw_status status = d && motion ? lwi_linearized_dynamics_open(&l, m, d) : LW_E_MEMORY;
  if (status == LW_OK && fresh) {
    own = lwi_phase_derivative(e, sim->hit.phase, before, m, parameter, scale, err);
    status = own ? LW_OK : err->status;
  }
  lw_model *slopes = fresh ? own : derivative;
  const lwi_event_repeat at = {
      .e = e, .l = &l, .t = t, .q = sim->hit.jump->q, .u = sim->hit.jump->u};
  if (status == LW_OK) status = restart_at(at, slopes, fresh, motion, u_p);
  if (status == LW_OK) take_bodies(e, &l, slopes, t, motion, u_p);
  lwi_linearized_dynamics_close(&l);
  lw_model_free(own);
  lw_dynamics_free(d);
  free(motion);
  return status;
}

lw_status lwi_event_derivative_restart(lwi_event_derivative *e, lwi_linearized_dynamics *l,
                                       const lw_model_derivative *model_p, bool fresh, double t,
                                       const double y[], double motion[], double u_p[])
{
  const lwi_event_repeat at = {.e = e, .l = l, .t = t, .q = y, .u = y + lw_nq(l->m)};
  return restart_at(at, model_p->derivative, fresh, motion, u_p);
}
