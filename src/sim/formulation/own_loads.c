/* SPDX-License-Identifier: Apache-2.0 */
/* own_loads.c -- friction of contacts and joints that slide, whose loads follow from the
   accelerations that they contribute to.  Forces see these loads as numbers x of the state.  The
   loads p of constraints and joints that result depend on them linearly, and x = y(p(x)), where y
   is the normal load of a contact, or what the bearings of a joint carry (bearing.h).  With D =
   dp/dx by unit loads, one evaluation each, it is Newton's method on

       x + dx = y(p + D dx)

   D changes slowly: that of an earlier evaluation serves as long as it leads to the solution.
   Where the normal load of one contact would grow without bound by its own friction (1 - D_ii <=
   0), or the load of a joint (y(D_i) >= 1, y is a norm), no loads are consistent with sliding, or
   several are: Painleve's paradox.

   Inputs whose values the program computes are replaced first: they follow from the state alone. */
#include "sim/formulation/own_loads.h"
#include "base/fail.h"
#include "linalg/dense.h"
#include "sim/formulation/input_law.h"
#include "sim/formulation/shared_loads.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lwi_own_loads {
  int n, np;
  lwi_own_load *item;        /* [n] */
  double *q;                 /* [nq] with the loads */
  double *x, *dx, *r;        /* [n] */
  double *p, *one, *shifted; /* [np] */
  double *D;                 /* [np][n] */
  double *solve;             /* [n * n] scratch */
  bool known;                /* D has been found */
  double largest;            /* load so far: the scale of rounding errors where one becomes zero */
  const char *paradox;       /* what has no consistent load; NULL: nothing */
  lw_input_law law;          /* of the inputs; value NULL: none */
  double *inputs;            /* [nstate] values of the inputs, packed */
};

/* Is the state such a load? */
static bool find_item(const lw_model *m, int i, lwi_own_load *out)
{
  const lwi_model_state *s = &m->state[i];
  *out = (lwi_own_load){.state = lwi_first_state(m) + i, .n = 1, .name = s->contact};
  if (s->contact) return (out->constraint = lwi_find_constraint(m, s->contact)) > 0;
  out->n = 6;
  out->name = s->bearing;
  return s->bearing && lwi_bearing_init(&out->bearing, m, s->bearing, s->size);
}

static void list_items(lwi_own_loads *o, const lw_model *m)
{
  lwi_own_load one;
  for (int i = 0; i < m->nstate; i++) {
    if (!find_item(m, i, &one)) continue;
    one.first = o->np;
    o->np += one.n;
    if (o->item) o->item[o->n] = one;
    o->n++;
  }
}

bool lwi_own_loads_new(const lw_model *m, const lw_input_law *law, lwi_own_loads **out)
{
  const bool input = lwi_input_law_acts(law, m);
  lwi_own_loads count = {0};
  *out = NULL;
  list_items(&count, m);
  const size_t n = (size_t)count.n, np = (size_t)count.np;
  if (n == 0 && !input) return true;
  lwi_own_loads *o = calloc(1, sizeof *o);
  double *block =
      calloc((size_t)m->nq + 3 * n + 3 * np + np * n + n * n + (size_t)m->nstate, sizeof *block);
  lwi_own_load *item = calloc(n + 1, sizeof *item);
  if (!o || !block || !item) return free(o), free(block), free(item), false;
  *o = (lwi_own_loads){.item = item, .q = block, .x = block + m->nq};
  list_items(o, m);
  o->dx = o->x + n;
  o->r = o->dx + n;
  o->p = o->r + n;
  o->one = o->p + np;
  o->shifted = o->one + np;
  o->D = o->shifted + np;
  o->solve = o->D + np * n;
  o->inputs = o->solve + n * n;
  if (input) o->law = *law;
  for (int b = 1; b <= m->nbody; b++) /* a part of the weight of all bodies */
    o->largest += 0.01 * m->body[b].mass * (norm3(m->gravity) + 1e-3);
  *out = o;
  return true;
}

void lwi_own_loads_free(lwi_own_loads *o)
{
  if (!o) return;
  free(o->q);
  free(o->item);
  free(o);
}

const double *lwi_own_loads_q(const lwi_own_loads *o)
{
  return o->q;
}

int lwi_own_loads_list(const lwi_own_loads *o, const lwi_own_load **item)
{
  *item = o ? o->item : NULL;
  return o ? o->n : 0;
}

const char *lwi_own_loads_paradox(const lw_dynamics *d)
{
  return d->own_loads ? d->own_loads->paradox : NULL;
}

bool lwi_own_loads_have_law(const lwi_own_loads *o)
{
  return o && o->law.value;
}

lw_status lwi_own_loads_inputs(lwi_own_loads *o, const lw_model *m, double t, const double q[],
                               const double u[])
{
  if (m->nq) memcpy(o->q, q, (size_t)m->nq * sizeof(double));
  return o->law.value ? lwi_input_law_value(&o->law, m, t, u, o->q, o->inputs) : LW_OK;
}

/* Along the normal of the contact. */
static lw_status normal_load(const lw_dynamics *d, int constraint, double *out)
{
  double load[6], n[3];
  const lw_status status = d->method->constraint_load(d, (lw_constraint){constraint}, load);
  lwi_constraint_normal(d, constraint, n);
  *out = dot3(n, load + 3);
  return status;
}

/* p(x) */
static lw_status evaluate(lw_dynamics *d, const lwi_own_evaluation *e, const double x[], double p[])
{
  const lwi_own_loads *o = d->own_loads;
  for (int i = 0; i < o->n; i++)
    o->q[o->item[i].state] = x[i];
  lw_status status = e->stabilized ? d->method->stabilized(d, e->t, o->q, e->u, e->stabilization,
                                                           e->udot, e->position_correction)
                                   : d->method->accelerate(d, e->t, o->q, e->u, e->tau, e->udot);
  if (o->n == 0) return status;
  if (status == LW_OK && e->stabilized) d->method->recall(d);
  if (status == LW_OK) status = d->method->find_loads(d, 1);
  for (int i = 0; i < o->n && status == LW_OK; i++) {
    lwi_own_load *k = &o->item[i];
    if (k->constraint > 0) {
      status = normal_load(d, k->constraint, &p[k->first]);
      continue;
    }
    lwi_bearing_place(&k->bearing, d->m, d->work);
    status = d->method->load(d, (lw_joint){k->bearing.joint}, &p[k->first]);
  }
  return status;
}

/* y of one item */
static double resulting(const lwi_own_load *k, const double p[], double slope[6])
{
  if (k->constraint == 0) return lwi_bearing_load(&k->bearing, p + k->first, slope);
  if (slope) slope[0] = 1;
  return p[k->first];
}

/* D at this state; o->p is p(x).  One that would grow without bound is a paradox. */
static lw_status find_matrix(lw_dynamics *d, const lwi_own_evaluation *e)
{
  lwi_own_loads *o = d->own_loads;
  double size = 1;
  lw_status status = LW_OK;
  for (int i = 0; i < o->np; i++)
    size = fmax(size, fabs(o->p[i]));
  for (int j = 0; j < o->n && status == LW_OK; j++) {
    const double before = o->x[j];
    o->x[j] += size;
    status = evaluate(d, e, o->x, o->one);
    for (int i = 0; i < o->np; i++) {
      o->one[i] = (o->one[i] - o->p[i]) / size;
      o->D[i * o->n + j] = o->one[i];
    }
    o->x[j] = before;
    if (status != LW_OK || resulting(&o->item[j], o->one, NULL) < 1 - 1e-10) continue;
    o->paradox = o->item[j].name;
    status = LW_E_SINGULAR;
  }
  o->known = status == LW_OK;
  return status;
}

/* One step of Newton's method for dx; returns the largest residual before it, -1 if it cannot be
   made. */
static double improve(const lwi_own_loads *o)
{
  double off = 0;
  memcpy(o->shifted, o->p, (size_t)o->np * sizeof *o->p);
  lwi_mulv(o->np, o->n, 1, o->D, o->dx, o->shifted);
  for (int i = 0; i < o->n; i++) {
    const lwi_own_load *k = &o->item[i];
    double slope[6];
    o->r[i] = resulting(k, o->shifted, slope) - o->x[i] - o->dx[i];
    off = fmax(off, fabs(o->r[i]));
    for (int j = 0; j < o->n; j++) {
      o->solve[i * o->n + j] = i == j;
      for (int l = 0; l < k->n; l++)
        o->solve[i * o->n + j] -= slope[l] * o->D[(k->first + l) * o->n + j];
    }
  }
  if (!lwi_solve_square(o->n, o->solve, o->r, 1e-10)) return -1;
  for (int i = 0; i < o->n; i++)
    o->dx[i] += o->r[i];
  return off;
}

/* x + dx = y(p + D dx); false: it does not converge. */
static bool solve(const lwi_own_loads *o)
{
  enum { MOST = 30 };
  memset(o->dx, 0, (size_t)o->n * sizeof *o->dx);
  for (int step = 0; step < MOST; step++) {
    const double off = improve(o);
    if (off < 0) return false;
    if (step > 0 && off <= 1e-13 * o->largest) return true;
  }
  return false;
}

/* How far x is from y(p(x)). */
static double deficit(lwi_own_loads *o)
{
  double off = 0;
  for (int i = 0; i < o->n; i++) {
    const double y = resulting(&o->item[i], o->p, NULL), far = fabs(y - o->x[i]);
    if (!(far <= off)) off = far;
    if (isfinite(y)) o->largest = fmax(o->largest, fabs(y));
  }
  return off;
}

lw_status lwi_own_loads_solve(lw_dynamics *d, const lwi_own_evaluation *e)
{
  enum { MOST = 8 };
  lwi_own_loads *o = d->own_loads;
  o->paradox = NULL;
  lw_status status = lwi_own_loads_inputs(o, d->m, e->t, e->q, e->u);
  if (status != LW_OK || o->n == 0) return status == LW_OK ? evaluate(d, e, o->x, o->p) : status;
  for (int step = 0; step < MOST; step++) {
    status = evaluate(d, e, o->x, o->p);
    if (status != LW_OK) return status;
    const double off = deficit(o), size = o->largest;
    if (!isfinite(off))
      return o->known = false, memset(o->x, 0, (size_t)o->n * sizeof *o->x), LW_E_NUMBER;
    if (off <= 4e-15 * size || (step >= 3 && off <= 1e-12 * size)) return LW_OK;
    if (!o->known || step == 4) status = find_matrix(d, e);
    if (status != LW_OK || !solve(o)) {
      o->known = false;
      if (!o->paradox && status == LW_OK) o->paradox = o->item[0].name;
      return status == LW_OK ? LW_E_SINGULAR : status;
    }
    for (int i = 0; i < o->n; i++)
      o->x[i] += o->dx[i];
  }
  return LW_E_NOT_CONVERGED;
}
