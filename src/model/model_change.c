/* SPDX-License-Identifier: Apache-2.0 */
/* model_change.c -- derivatives of the numbers of a model by a parameter. */
#include "model/model_change.h"
#include "base/fail.h"
#include "model/spec_data.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 4 }; /* compilations on each side */
static const double weight[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

/* ---- compilations beside ---- */

/* the spec with another value of a parameter and without limits */
static lw_model *compile_beside(const lw_spec *s, int index, double value, lw_error *err)
{
  lw_spec beside = *s;
  const int n = s->parameters.n;
  lwi_parameter *item = malloc(((size_t)n + 1) * sizeof *item);
  if (!item) return lwi_fail(err, LW_E_MEMORY, "out of memory"), NULL;
  memcpy(item, s->parameters.item, (size_t)n * sizeof *item);
  for (int i = 0; i < n; i++) {
    item[i].min = (lwi_formula){.number = -(double)INFINITY};
    item[i].max = (lwi_formula){.number = (double)INFINITY};
  }
  item[index].overridden = true;
  item[index].override = value;
  beside.parameters.item = item;
  lw_model *m = lw_compile(&beside, err);
  free(item);
  return m;
}

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
  }
  for (int i = 0; i < m->nmiddle; i++)
    f(&m->middle[i].c[0][0], 12, context);
  for (int i = 0; i <= m->nbody; i++) {
    f(&m->body[i].R.c[0][0], 12, context);
    f(m->body[i].p, 4, context);
    f(&m->body[i].mass, 1, context);
  }
}

static void visit_ties(lwi_ties *x, visit *f, void *context)
{
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int k = t->pair; k < t->pair + t->npair; k++)
      f(&x->pair[k].coefficient, 1, context);
    for (int k = t->term; k < t->term + t->nterm; k++)
      f(&x->term[k].coefficient, 1, context);
  }
}

static void visit_joints(lw_model *m, visit *f, void *context)
{
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    f(j->shape.axis, 3, context);
    f(j->shape.axis2, 3, context);
    f(&j->shape.pitch, 1, context);
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
  visit_ties(&m->ties, f, context);
  visit_ties(&m->assembly, f, context);
}

static void visit_forces(lw_model *m, visit *f, void *context)
{
  for (int i = 0; i < m->nspring; i++) {
    lwi_spring *e = &m->spring[i];
    f(e->from.p, 4, context);
    f(e->to.p, 4, context);
    f(&e->stiffness, 1, context);
    f(&e->damping, 1, context);
    f(&e->length, 1, context);
  }
  for (int i = 0; i < m->njoint_spring; i++) {
    f(&m->joint_spring[i].stiffness, 1, context);
    f(&m->joint_spring[i].damping, 1, context);
    f(&m->joint_spring[i].rest, 1, context);
  }
  for (int i = 0; i < m->nload; i++) {
    f(m->load[i].point.p, 4, context);
    f(&m->load[i].R.c[0][0], 12, context);
  }
  for (int i = 0; i < m->nbushing; i++) {
    lwi_bushing *e = &m->bushing[i];
    f(e->parent.p, 4, context);
    f(e->child.p, 4, context);
    f(&e->Rp.c[0][0], 12, context);
    f(&e->Rc.c[0][0], 12, context);
    f(e->stiffness, 3, context);
    f(e->damping, 3, context);
    f(e->angular_stiffness, 3, context);
    f(e->angular_damping, 3, context);
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
  visit_forces(m, f, context);
}

/* ---- differences ---- */

static void count(double *x, int n, void *context)
{
  (void)x;
  *(size_t *)context += (size_t)n;
}

/* sum[at ...] += by * (x - base); the parts of a model come in the same order every time */
typedef struct {
  double *sum;
  const double *base;
  double by;
  size_t at;
} summing;

static void add(double *x, int n, void *context)
{
  summing *s = context;
  for (int i = 0; i < n; i++, s->at++)
    s->sum[s->at] += s->by * (s->base ? x[i] - s->base[s->at] : x[i]);
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

/* the sum of all differences with step h; false: some model beside cannot be compiled */
static bool difference(const lw_spec *s, int index, double value, double h, const double *base,
                       double *sum, size_t n, lw_error *err)
{
  memset(sum, 0, n * sizeof(double));
  for (int k = -SIDE; k <= SIDE; k++) {
    if (k == 0) continue;
    const double shifted = value + k * h;
    lw_model *beside = compile_beside(s, index, shifted, err);
    if (!beside) return false;
    const bool same = size_of(beside) == n;
    summing add_up = {
        .sum = sum, .base = base, .by = (k > 0 ? weight[k - 1] : -weight[-k - 1]) / h};
    if (same) visit_all(beside, add, &add_up);
    lw_model_free(beside);
    if (!same) return lwi_fail(err, LW_E_MODEL, "the model changes its structure"), false;
  }
  return true;
}

/* exact derivatives of parameters, in place of differences */
static bool derive_parameters(const lw_spec *s, lw_model *change, const lw_model *m, int index)
{
  lwi_parameters table = s->parameters;
  table.order = NULL;
  const bool ok = lwi_parameters_order(&table, NULL) == LWI_PARAMETERS_OK;
  if (ok) lwi_parameters_derivatives(&table, m->parameter, 1, &index, change->parameter);
  free(table.order);
  return ok;
}

/* How far two estimates are from each other, relative to the numbers' size: base / value or themselves. */
static double disagreement(const double *a, const double *b, const double *base, size_t n,
                           double value)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    const double size = fmax(fabs(base[i] / value), fmax(fabs(a[i]), fabs(b[i])));
    if (size > 0) most = fmax(most, fabs(a[i] - b[i]) / size);
  }
  return most;
}

/* The derivative of all numbers into best; room: 2 n more.  Steps are shortened until two estimates agree: a
   value beside may be impossible (a square root of less than 0), or numbers may change quickly. */
static bool estimate(const lw_spec *s, int index, double value, const double *base, double *best,
                     double *room, size_t n, lw_error *err)
{
  const double size = value != 0 ? fabs(value) : 0.1;
  double off = HUGE_VAL, *now = room, *last = room + n;
  lw_error why = {.status = LW_OK};
  bool found = false, before = false;
  for (double h = 1e-2 * size; h > 1e-7 * size && off > 1e-11; h /= 8) {
    const bool ok = difference(s, index, value, h, base, now, n, &why);
    if (!ok && why.status == LW_E_MEMORY) break;
    const double change = ok && before ? disagreement(now, last, base, n, size) : HUGE_VAL;
    if (ok && (!found || change < off)) {
      memcpy(best, before ? last : now, n * sizeof(double)); /* the longer step has less rounding */
      off = change;
      found = true;
    }
    before = ok;
    double *swap = now;
    now = last;
    last = swap;
  }
  found = found && why.status != LW_E_MEMORY;
  if (!found && err) *err = why;
  return found;
}

lw_model *lwi_model_change(const lw_spec *s, const lw_model *m, int index, lw_error *err)
{
  const double value = m->parameter[index];
  lw_model *change = compile_beside(s, index, value, err);
  if (!change) return NULL;
  const size_t n = size_of(change);
  double *base = calloc(4 * n + 1, sizeof *base), *best = base ? base + n : NULL;
  bool ok = base != NULL;
  if (!ok) lwi_fail(err, LW_E_MEMORY, "out of memory");
  if (ok) visit_all(change, add, &(summing){.sum = base, .by = 1});
  ok = ok && estimate(s, index, value, base, best, best + n, n, err);
  if (ok) {
    visit_all(change, take, &(summing){.sum = best});
    ok = derive_parameters(s, change, m, index);
    if (!ok) lwi_fail(err, LW_E_MEMORY, "out of memory");
  }
  free(base);
  if (ok) return change;
  lw_model_free(change);
  return NULL;
}

/* ---- from models that are there ---- */

lw_status lwi_model_change_from(lw_model *change, lw_model *const beside[],
                                const double weight_of[], int n, lw_error *err)
{
  const size_t size = size_of(change);
  double *sum = calloc(size + 1, sizeof *sum);
  if (!sum) return lwi_fail(err, LW_E_MEMORY, "out of memory");
  lw_status status = LW_OK;
  for (int i = 0; i < n && status == LW_OK; i++) {
    if (size_of(beside[i]) != size)
      status = lwi_fail(err, LW_E_MODEL, "the model changes its structure");
    else
      visit_all(beside[i], add, &(summing){.sum = sum, .by = weight_of[i]});
  }
  if (status == LW_OK) visit_all(change, take, &(summing){.sum = sum});
  free(sum);
  return status;
}

static void scale(double *x, int n, void *context)
{
  for (int i = 0; i < n; i++)
    x[i] *= *(const double *)context;
}

void lwi_model_change_scale(lw_model *change, double by)
{
  visit_all(change, scale, &by);
}
