/* SPDX-License-Identifier: Apache-2.0 */
/* own_loads.c -- friction of contacts that slide, whose normal loads follow from the accelerations that they
   contribute to.  Forces see the loads as numbers x of the state; the loads that result, y(x), depend on them
   linearly, and x = y(x) is solved with

       (1 - B) dx = y(x) - x,   B = dy/dx by unit loads, one evaluation each

   B changes slowly: that of an earlier evaluation serves as long as it leads to the solution.  Where
   1 - B is singular, or the normal load of one contact would grow without bound by its own friction
   (1 - B_ii <= 0), no loads are consistent with sliding: Painleve's paradox.

   Inputs whose values the program computes are replaced first: they follow from the state alone. */
#include "sim/formulation/own_loads.h"
#include "base/fail.h"
#include "linalg/dense.h"
#include "sim/formulation/input_law.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lwi_own_loads {
  int n;
  int *state, *constraint;  /* [n] index in q, constraint of the model */
  double *q;                /* [nq] with the loads */
  double *x, *y, *dx, *one; /* [n] */
  double *B;                /* [n * n] 1 - B */
  double *solve;            /* [n * n] scratch */
  bool known;               /* B has been found */
  double largest;           /* load so far: the scale of rounding errors where one becomes zero */
  lw_input_law law;         /* of the inputs; value NULL: none */
  double *inputs;           /* [nstate] values of the inputs, packed */
};

static int find_constraint(const lw_model *m, const char *name)
{
  for (int i = 1; i <= m->nconstraint; i++)
    if (strcmp(m->constraint[i].info.name, name) == 0) return i;
  return 0;
}

bool lwi_own_loads_new(const lw_model *m, const lw_input_law *law, lwi_own_loads **out)
{
  const bool input = lwi_input_law_acts(law, m);
  size_t n = 0;
  *out = NULL;
  for (int i = 0; i < m->nstate; i++)
    n += m->state[i].contact && find_constraint(m, m->state[i].contact) > 0;
  if (n == 0 && !input) return true;
  lwi_own_loads *o = calloc(1, sizeof *o);
  double *block = calloc((size_t)m->nq + 4 * n + 2 * n * n + (size_t)m->nstate, sizeof *block);
  int *index = calloc(2 * n + 1, sizeof *index);
  if (!o || !block || !index) return free(o), free(block), free(index), false;
  *o = (lwi_own_loads){.state = index, .constraint = index + n, .q = block, .x = block + m->nq};
  o->y = o->x + n;
  o->dx = o->y + n;
  o->one = o->dx + n;
  o->B = o->one + n;
  o->solve = o->B + n * n;
  o->inputs = o->solve + n * n;
  if (input) o->law = *law;
  for (int i = 0; i < m->nstate; i++) {
    const int c = m->state[i].contact ? find_constraint(m, m->state[i].contact) : 0;
    if (c == 0) continue;
    o->state[o->n] = lwi_first_state(m) + i;
    o->constraint[o->n++] = c;
  }
  for (int b = 1; b <= m->nbody; b++) /* a part of the weight of all bodies */
    o->largest += 0.01 * m->body[b].mass * (norm3(m->gravity) + 1e-3);
  *out = o;
  return true;
}

void lwi_own_loads_free(lwi_own_loads *o)
{
  if (!o) return;
  free(o->q);
  free(o->state);
  free(o);
}

const double *lwi_own_loads_q(const lwi_own_loads *o)
{
  return o->q;
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
  const lwi_constraint *k = &d->m->constraint[constraint];
  double load[6], n[3];
  lw_pose X = {.quat = {1, 0, 0, 0}};
  lw_status status = d->method->constraint_load(d, (lw_constraint){constraint}, load);
  if (status == LW_OK && k->info.parent.id > 0) status = lw_get_pose(d->work, k->info.parent, &X);
  rot_mulv(k->place.R, k->equations.E.c[2], n);
  rot_mulv(rot_from_quat(X.quat), n, n);
  *out = dot3(n, load + 3);
  return status;
}

/* y(x) */
static lw_status evaluate(lw_dynamics *d, const lwi_own_evaluation *e, const double x[], double y[])
{
  const lwi_own_loads *o = d->own_loads;
  for (int i = 0; i < o->n; i++)
    o->q[o->state[i]] = x[i];
  lw_status status = e->stabilized ? d->method->stabilized(d, e->t, o->q, e->u, e->stabilization,
                                                           e->udot, e->position_correction)
                                   : d->method->accelerate(d, e->t, o->q, e->u, e->tau, e->udot);
  if (o->n == 0) return status;
  if (status == LW_OK && e->stabilized) d->method->recall(d);
  if (status == LW_OK) status = d->method->find_loads(d, 1);
  for (int i = 0; i < o->n && status == LW_OK; i++)
    status = normal_load(d, o->constraint[i], &y[i]);
  return status;
}

/* dx := B^-1 dx; false: singular. */
static bool solve(const lwi_own_loads *o)
{
  memcpy(o->solve, o->B, (size_t)o->n * (size_t)o->n * sizeof *o->solve);
  return lwi_solve_square(o->n, o->solve, o->dx, 1e-10);
}

/* 1 - B at this state; o->y is y(x) */
static lw_status find_matrix(lw_dynamics *d, const lwi_own_evaluation *e)
{
  lwi_own_loads *o = d->own_loads;
  double size = 1;
  lw_status status = LW_OK;
  for (int i = 0; i < o->n; i++)
    size = fmax(size, fabs(o->y[i]));
  for (int j = 0; j < o->n && status == LW_OK; j++) {
    const double before = o->x[j];
    o->x[j] += size;
    status = evaluate(d, e, o->x, o->one);
    for (int i = 0; i < o->n; i++)
      o->B[i * o->n + j] = (i == j) - (o->one[i] - o->y[i]) / size;
    o->x[j] = before;
    if (status == LW_OK && !(o->B[j * o->n + j] > 1e-10)) status = LW_E_SINGULAR;
  }
  o->known = status == LW_OK;
  return status;
}

lw_status lwi_own_loads_solve(lw_dynamics *d, const lwi_own_evaluation *e)
{
  enum { MOST = 8 };
  lwi_own_loads *o = d->own_loads;
  lw_status status = lwi_own_loads_inputs(o, d->m, e->t, e->q, e->u);
  if (status != LW_OK || o->n == 0) return status == LW_OK ? evaluate(d, e, o->x, o->y) : status;
  for (int step = 0; step < MOST; step++) {
    status = evaluate(d, e, o->x, o->y);
    double off = 0;
    for (int i = 0; i < o->n && status == LW_OK; i++) {
      o->dx[i] = o->y[i] - o->x[i];
      off = fmax(off, fabs(o->dx[i]));
      o->largest = fmax(o->largest, fabs(o->y[i]));
    }
    if (status != LW_OK) return status;
    const double size = o->largest;
    if (!isfinite(off))
      return o->known = false, memset(o->x, 0, (size_t)o->n * sizeof *o->x), LW_E_NUMBER;
    if (off <= 4e-15 * size || (step >= 3 && off <= 1e-12 * size)) return LW_OK;
    if (!o->known || step == 4) status = find_matrix(d, e);
    if (status != LW_OK || !solve(o)) return o->known = false, LW_E_SINGULAR;
    for (int i = 0; i < o->n; i++)
      o->x[i] += o->dx[i];
  }
  return LW_E_NOT_CONVERGED;
}
