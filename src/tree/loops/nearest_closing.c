/* SPDX-License-Identifier: Apache-2.0 */
/* nearest_closing.c -- of all closed positions the one whose coordinates differ least from those
   written.

   With x the displacement from what is written (displacement.h), C = length^2 for turns and 1 for
   distances, and held freedoms left out, the nearest closed position is where

     C x = G^T lambda,   phi = 0

   Each step is the projection of -x onto what the rows allow,

     delta = -x + C^-1 G^T lambda,   G delta = 0

   and the loops are closed again after it.  delta is the negative gradient in the metric C, and
   steps of it are as long as the last one has shown the curvature to be [BarzilaiBorwein1988]; of
   one freedom that is the method of secants. Steps that lead further away than the last few are
   halved. */
#include "math/finite.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/displacement.h"
#include "tree/loops/work.h"

#include <float.h>
#include <string.h>

enum { MOST_STEPS = 300, MOST_HALVINGS = 30, MEMORY = 4 };
static const double enough = 1e-14; /* of delta, relative to the typical length */
static const double flat =
    1e-6; /* below this part of x differences of the distance drown in rounding errors */

typedef struct {
  const lwi_search *s;
  const double *written; /* [nq] */
  double *best;          /* [nq] */
  double *x, *weight;    /* [nu] displacement, C */
  double *delta, *went;  /* [nu] the step from best; the one that led there */
  double *before;        /* [nu] the step before */
  double far[MEMORY], step[MEMORY];
} seeker;

static void copy(double *to, const double *from, int n)
{
  memcpy(to, from, (size_t)n * sizeof(double));
}

/* a^T C b */
static double product(const seeker *y, const double a[], const double b[])
{
  double sum = 0;
  for (int i = 0; i < y->s->m->nu; i++)
    sum += y->weight[i] * a[i] * b[i];
  return sum;
}

static double most(const double x[MEMORY])
{
  double largest = x[0];
  for (int i = 1; i < MEMORY; i++)
    largest = fmax(largest, x[i]);
  return largest;
}

static void remember(double list[MEMORY], int i, double value)
{
  list[i % MEMORY] = value;
}

/* ---- where it is ---- */

/* rhs = -G z of the rows as they are; with the metric of the coordinates E is G^T */
static void ask_rows(const lwi_search *s, const double z[])
{
  const lwi_tree_constraints *x = s->x;
  lwi_closure *c = s->w->closure;
  memset(c->rhs, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < s->m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
      for (int i = 0; i < t->n; i++)
        c->rhs[t->row + i] -= c->eps[x->touch[a].eps + (size_t)i] * z[s->m->column_u[k]];
    }
}

static void weigh(const seeker *y)
{
  const lw_model *m = y->s->m;
  for (int k = 0; k < m->nu; k++) {
    const double mobility = y->s->w->closure->Dinv[k];
    y->weight[m->column_u[k]] = mobility > 0 ? 1 / mobility : 0;
  }
}

/* Half the squared distance at s->q, which is closed, and delta there. */
static double measure(const seeker *y)
{
  const lwi_search *s = y->s;
  const lw_model *m = s->m;
  const lwi_rank_rule rule = lwi_closed_rule(m);
  lwi_search_find_violation(s, s->q);
  lwi_closure_plain_metric(m, s->w, s->x, s->held);
  lwi_closure_compliance(m, s->w, s->x, 0, &rule);
  weigh(y);
  lwi_displacement(m, s->q, y->written, y->x);
  for (int i = 0; i < m->nu; i++)
    y->delta[i] = y->weight[i] > 0 ? -y->x[i] : 0;
  for (int pass = 0; pass < 2; pass++) { /* the second takes out rounding errors */
    ask_rows(s, y->delta);
    lwi_closure_solve(m, s->w, s->x);
    lwi_closure_move(m, s->w, y->delta);
  }
  return lwi_half_square_distance(m, y->weight, s->q, y->written, y->x);
}

/* ---- steps ---- */

/* s->q = best moved by part of `went` and closed again */
static bool go(const seeker *y, double part)
{
  const lwi_search *s = y->s;
  const lw_model *m = s->m;
  lw_coordinate_rates(m, y->best, y->went, s->rate);
  for (int i = 0; i < m->nq; i++)
    s->q[i] = y->best[i] + part * s->rate[i];
  if (!lwi_all_finite(s->q, m->nq)) return false;
  if (lw_normalize(m, s->q) != LW_OK) return false;
  return lwi_search_is_closed(s, lwi_search_close(s));
}

/* how long the next step is: went^T C went / went^T C (the change of -delta), if that is
   positive */
static double stride(const seeker *y, double part)
{
  const int nu = y->s->m->nu;
  double along = 0, bent = 0;
  for (int i = 0; i < nu; i++) {
    along += y->weight[i] * part * y->went[i] * part * y->went[i];
    bent += y->weight[i] * part * y->went[i] * (y->before[i] - y->delta[i]);
  }
  return bent > 0.05 * along ? along / bent : 20;
}

/* Goes a step from best, no further away than lately; false: none leads on. */
static bool step(seeker *y, double *part, int count)
{
  const double x = sqrt(product(y, y->x, y->x));
  copy(y->went, y->delta, y->s->m->nu);
  copy(y->before, y->delta, y->s->m->nu);
  const double size = sqrt(product(y, y->went, y->went));
  const bool near = size <= flat * x;
  const int halvings = size <= 100 * enough * (x + y->s->m->length) ? 1 : MOST_HALVINGS;
  *part = fmin(*part, 0.5 * fmax(x, y->s->m->length) / size); /* half a radian */
  for (int k = 0; k < halvings; k++, *part /= 2) {
    if (!go(y, *part)) continue;
    const double f = measure(y), left = sqrt(product(y, y->delta, y->delta));
    if (near ? !(left < most(y->step)) : !(f <= most(y->far) - 1e-4 * *part * size * size))
      continue;
    copy(y->best, y->s->q, y->s->m->nq);
    remember(y->far, count, f);
    remember(y->step, count, left);
    *part = stride(y, *part);
    return true;
  }
  copy(y->s->q, y->best, y->s->m->nq);
  measure(y);
  return false;
}

void lwi_search_nearest(const lwi_search *s, const double written[])
{
  const lw_model *m = s->m;
  if (s->x->link_system || m->nu == 0) return;
  double *scratch = s->zero_speed + m->nu + 2 * (size_t)m->nq;
  seeker y = {.s = s, .written = written, .best = scratch};
  double **const part_of[] = {&y.x, &y.weight, &y.delta, &y.went, &y.before};
  for (int i = 0; i < 5; i++)
    *part_of[i] = scratch + m->nq + (size_t)i * (size_t)m->nu;
  double part = 1;
  copy(y.best, s->q, m->nq);
  const double f = measure(&y), left = sqrt(product(&y, y.delta, y.delta));
  for (int i = 0; i < MEMORY; i++)
    y.far[i] = f, y.step[i] = left;
  for (int i = 0; i < MOST_STEPS; i++) {
    const double size = sqrt(product(&y, y.delta, y.delta)), x = sqrt(product(&y, y.x, y.x));
    if (!(size > enough * (x + m->length)) || !step(&y, &part, i)) break;
  }
}
