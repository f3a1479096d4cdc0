/* SPDX-License-Identifier: Apache-2.0 */
/* model_sum.c -- linear combinations of the numbers of models, for finite differences. */
#include "base/fail.h"
#include "model/compile/model_derivative.h"

#include <stdlib.h>

/* ---- all numbers of a model ---- */

/* The numbers of a model, as arrays of equal length in every model of the spec. */
typedef void visit(double *x, int n, void *context);

static void visit_equations(lwi_equations *e, visit *f, void *context)
{
  f(&e->E.c[0][0], 12, context);
  f(e->b, 4, context);
  f(&e->number, 1, context);
  f(&e->sine, 1, context);
}

static void visit_frame(lwi_frame *x, visit *f, void *context)
{
  f(&x->R.c[0][0], 12, context);
  f(x->p, 4, context);
}

static void visit_links(lw_model *m, visit *f, void *context)
{
  for (int i = 1; i < m->nlink; i++) {
    lwi_link *L = &m->link[i];
    f(&L->R.c[0][0], 12, context);
    f(L->p, 4, context);
    f(&L->J.c[0][0], 12, context);
    f(L->h, 4, context);
    f(&L->mass, 1, context);
    f(&L->pitch, 1, context);
    f(L->armature, LW_RATE_PAIRS, context);
  }
  for (int i = 0; i < m->nmiddle; i++)
    f(&m->middle[i].c[0][0], 12, context);
  for (int i = 0; i <= m->nbody; i++) {
    f(&m->body[i].R.c[0][0], 12, context);
    f(m->body[i].p, 4, context);
    f(&m->body[i].mass, 1, context);
  }
  for (int i = 0; i < m->npoint; i++) {
    f(&m->point[i].R.c[0][0], 12, context);
    f(m->point[i].p, 4, context);
  }
}

static void visit_constraints(lwi_tree_constraints *x, visit *f, void *context)
{
  for (int i = 0; i < x->nconstraint; i++) {
    const lwi_tree_constraint *t = &x->constraint[i];
    for (int k = t->pair; k < t->pair + t->npair; k++)
      f(&x->pair[k].coefficient, 1, context), f(x->pair[k].higher, 3, context);
    for (int k = t->term; k < t->term + t->nterm; k++)
      f(&x->term[k].coefficient, 1, context), f(x->term[k].higher, 3, context);
  }
}

static void visit_joints(lw_model *m, visit *f, void *context)
{
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    f(j->shape.axis[0], 3 * LWI_MOST_AXES, context);
    f(&j->shape.pitch, 1, context);
    f(j->armature, LW_RATE_PAIRS, context);
    visit_equations(&j->equations, f, context);
    visit_frame(&j->place, f, context);
    visit_frame(&j->child_place, f, context);
    f(j->q, 7, context);
    f(j->u, 6, context);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    visit_equations(&m->constraint[i].equations, f, context);
    visit_frame(&m->constraint[i].place, f, context);
    visit_frame(&m->constraint[i].child_place, f, context);
    f(&m->constraint[i].relation.offset, 1, context);
  }
  for (int i = 0; i < 2 * m->npair; i++)
    visit_frame(&m->pair[i / 2].place[i % 2], f, context);
  visit_constraints(&m->tree_constraints, f, context);
  visit_constraints(&m->assembly, f, context);
}

static void visit_spring(lwi_spring *e, visit *f, void *context)
{
  f(e->from.p, 4, context);
  f(e->to.p, 4, context);
  f(&e->stiffness, 1, context);
  f(&e->damping, 1, context);
  f(&e->length, 1, context);
}
static void visit_joint_spring(lwi_joint_spring *e, visit *f, void *context)
{
  f(&e->stiffness, 1, context);
  f(&e->damping, 1, context);
  f(&e->rest, 1, context);
  f(&e->onset, 1, context);
}
static void visit_motor(lwi_motor *e, visit *f, void *context)
{
  (void)e, (void)f, (void)context; /* an expression */
}
static void visit_load(lwi_load *e, visit *f, void *context)
{
  f(e->point.p, 4, context);
  f(&e->R.c[0][0], 12, context);
}
static void visit_bushing(lwi_bushing *e, visit *f, void *context)
{
  f(e->parent.p, 4, context);
  f(e->child.p, 4, context);
  f(&e->Rp.c[0][0], 12, context);
  f(&e->Rc.c[0][0], 12, context);
  f(e->stiffness, 3, context);
  f(e->damping, 3, context);
  f(e->angular_stiffness, 3, context);
  f(e->angular_damping, 3, context);
}
static void visit_torsion(lwi_torsion *e, visit *f, void *context)
{
  f(&e->R[0].c[0][0], 12, context);
  f(&e->R[1].c[0][0], 12, context);
  f(&e->stiffness, 1, context);
  f(&e->damping, 1, context);
  f(&e->angle, 1, context);
}

/* only of models with events: those compiled by lw_compile */
static void visit_events(lw_model *m, visit *f, void *context)
{
  f(&m->simulation.end, 1, context);
  for (int i = 0; i < m->nevent; i++) {
    lwi_event *e = &m->event[i];
    const bool hit = e->d.action == LW_ACTION_IMPULSE || e->d.action == LW_ACTION_IMPACT;
    if (!e->d.has_when) f(&e->d.at, 1, context);
    visit_frame(&e->place, f, context);
    visit_frame(&e->child_place, f, context);
    if (e->d.action == LW_ACTION_LIMIT) f(&e->d.restitution, 1, context);
    if (e->d.action == LW_ACTION_FRICTION) f(e->d.bound, 2, context), f(e->d.bearing, 3, context);
    if (e->d.action == LW_ACTION_CONTACT || e->d.action == LW_ACTION_SLIP) {
      f(e->d.contact.at, 3, context);
      f(e->d.contact.other_at, 3, context);
      f(e->d.contact.normal, 3, context);
      f(e->d.contact.axis, 3, context);
      f(&e->d.contact.radius, 1, context);
      f(&e->d.contact.other_radius, 1, context);
      f(&e->d.contact.friction, 1, context);
      f(&e->d.restitution, 1, context);
    }
    if (!hit) continue;
    f(e->d.point, 3, context);
    f(e->d.linear, 3, context);
    f(e->d.angular, 3, context);
    f(e->d.normal, 3, context);
    f(&e->d.restitution, 1, context);
  }
}

static void visit_all(lw_model *m, visit *f, void *context)
{
  f(m->gravity, 4, context);
  f(&m->length, 1, context);
  f(m->parameter, m->nparameter, context);
  f(m->q0, m->nq, context);
  f(m->u0, m->nu, context);
  visit_links(m, f, context);
  visit_joints(m, f, context);
#define VISIT(item, ...)                                                                           \
  for (int i = 0; i < m->n##item; i++)                                                             \
    visit_##item(&m->item[i], f, context);
  LWI_FORCE_LIST(VISIT)
#undef VISIT
  for (int i = 0; i < m->nstate; i++)
    f(m->state[i].size, 3, context);
}

static void count(double *x, int n, void *context)
{
  (void)x;
  *(size_t *)context += (size_t)n;
}

/* sum[at ...] += by * x; the parts of a model come in the same order every time */
typedef struct {
  double *sum;
  double by;
  size_t at;
} summing;

static void add(double *x, int n, void *context)
{
  summing *s = context;
  for (int i = 0; i < n; i++)
    s->sum[s->at++] += s->by * x[i];
}

static void take(double *x, int n, void *context)
{
  summing *s = context;
  for (int i = 0; i < n; i++)
    x[i] = s->sum[s->at++];
}

static size_t size_of(lw_model *m)
{
  size_t n = 0;
  visit_all(m, count, &n);
  return n;
}

lw_status lwi_model_derivative_from(lw_model *derivative, lw_model *const beside[],
                                    const double weight[], int n, lw_error *err)
{
  const size_t size = size_of(derivative);
  double *sum = calloc(size + 1, sizeof *sum);
  if (!sum) return lwi_out_of_memory(err, NULL);
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    if (size_of(beside[i]) != size)
      status = lwi_fail(err, LW_E_MODEL, "the model changes its structure");
    else
      visit_all(beside[i], add, &(summing){.sum = sum, .by = weight[i]});
  }
  if (status == LW_OK) visit_all(derivative, take, &(summing){.sum = sum});
  free(sum);
  return status;
}

static void scale(double *x, int n, void *context)
{
  for (int i = 0; i < n; i++)
    x[i] *= *(const double *)context;
}

void lwi_model_derivative_scale(lw_model *derivative, double by)
{
  visit_all(derivative, scale, &by);
  visit_events(derivative, scale, &by);
}

size_t lwi_model_numbers(lw_model *m, double out[])
{
  size_t n = 0;
  visit_all(m, count, &n);
  visit_events(m, count, &n);
  if (!out) return n;
  memset(out, 0, n * sizeof(double));
  summing s = {.sum = out, .by = 1};
  visit_all(m, add, &s);
  visit_events(m, add, &s);
  return n;
}
