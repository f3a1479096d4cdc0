/* SPDX-License-Identifier: Apache-2.0 */
/* tie_loads.c -- loads of ties, and what of them is determined.

   Rows k are kept, rows d depend on them.  The columns of N = [-W_kk^-1 W_kd; 1] are states of
   self-stress: N' W = 0, so that loads N y move nothing.  All products with N are solves inside the
   envelope; N itself is never formed. */
#include "tree/closure.h"
#include "tree/work.h"

#include <string.h>

void lwi_closure_multiply(const lw_model *m, lw_work *w, const lwi_ties *x, const double in[],
                          double out[])
{
  lwi_closure *c = w->closure;
  memset(out, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < m->nu; k++) {
    double s = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
        const lwi_tie *t = &x->tie[x->touch[a].tie];
        const double *e = c->eps + x->touch[a].eps;
        for (int i = 0; i < t->n; i++)
          if (pass == 0)
            s += e[i] * in[t->row + i] * c->Dinv[k];
          else
            out[t->row + i] += e[i] * s;
      }
  }
}

/* zeros out the rows that are kept, or those that are not */
static void keep_only(const lwi_closure *c, int n, bool kept, double *x)
{
  for (int i = 0; i < n; i++)
    if (c->rank.kept[i] != kept) x[c->rank.order[i]] = 0;
}

/* out = N y for y in the dependent rows */
static void stress(const lw_model *m, lw_work *w, const double y[], double out[])
{
  lwi_closure *c = w->closure;
  const int n = m->ties.nrow;
  lwi_closure_multiply(m, w, &m->ties, y, out);
  lwi_envelope_solve(&m->ties.envelope, c->value, &c->rank, out);
  for (int i = 0; i < n; i++)
    out[i] = y[i] - out[i];
}

/* out = N' x, in the dependent rows */
static void stress_transposed(const lw_model *m, lw_work *w, const double x[], double out[])
{
  lwi_closure *c = w->closure;
  const int n = m->ties.nrow;
  memcpy(c->other, x, (size_t)n * sizeof(double));
  lwi_envelope_solve(&m->ties.envelope, c->value, &c->rank, c->other);
  lwi_closure_multiply(m, w, &m->ties, c->other, out);
  for (int i = 0; i < n; i++)
    out[i] = x[i] - out[i];
  keep_only(c, n, false, out);
}

static double square(const double *x, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}

/* lambda - N y with N' N y = N' lambda, by conjugate gradients: N' N = 1 + something small in size.
   Returns N y, which is scratch; NULL: nothing depends */
static const double *shorten(const lw_model *m, lw_work *w, double lambda[])
{
  lwi_closure *c = w->closure;
  const int n = m->ties.nrow;
  if (c->rank.rank == n) return NULL;
  double *y = c->room_rows, *r = y + n, *p = r + n, *Np = p + n, *Ap = Np + n;
  memset(y, 0, (size_t)n * sizeof(double));
  stress_transposed(m, w, lambda, r);
  memcpy(p, r, (size_t)n * sizeof(double));
  double rr = square(r, n);
  const double enough = 1e-30 * square(lambda, n);
  for (int i = 0; i < n - c->rank.rank + 10 && i < 300 && rr > enough; i++) {
    stress(m, w, p, Np);
    stress_transposed(m, w, Np, Ap);
    const double alpha = rr / square(Np, n), before = rr;
    for (int k = 0; k < n; k++) {
      y[k] += alpha * p[k];
      r[k] -= alpha * Ap[k];
    }
    rr = square(r, n);
    for (int k = 0; k < n; k++)
      p[k] = r[k] + rr / before * p[k];
  }
  stress(m, w, y, Np);
  for (int k = 0; k < n; k++) {
    Np[k] = -Np[k];
    lambda[k] += Np[k];
  }
  return Np;
}

void lwi_closure_shorten(const lw_model *m, lw_work *w, double lambda[])
{
  shorten(m, w, lambda);
}

void lwi_closure_least_loads(const lw_model *m, lw_work *w)
{
  const double *taken = shorten(m, w, w->closure->lambda);
  if (taken) lwi_closure_push(m, w, taken);
}

int lwi_closure_next_dependent(const lw_model *m, const lw_work *w, int place)
{
  for (int i = place; i < m->ties.nrow; i++)
    if (!w->closure->rank.kept[i]) return i;
  return -1;
}

void lwi_closure_self_stress(const lw_model *m, lw_work *w, int place, double lambda[])
{
  double *y = w->closure->room_rows;
  memset(y, 0, (size_t)m->ties.nrow * sizeof(double));
  y[w->closure->rank.order[place]] = 1;
  stress(m, w, y, lambda);
}

/* ---- loads ---- */

void lwi_closure_load(const lw_model *m, const lw_work *w, int tie, double load[6])
{
  const lwi_closure *c = w->closure;
  const lwi_tie *t = &m->ties.tie[tie];
  double moment[3];
  memset(load, 0, 6 * sizeof(double));
  for (int r = 0; r < t->n; r++)
    for (int k = 0; k < 6; k++)
      load[k] += c->lambda[t->row + r] * c->J[t->J + (size_t)(6 * (t->n + r) + k)];
  cross3(c->pair[m->ties.pair[t->pair].pair].arm[1], load + 3, moment);
  for (int k = 0; k < 3; k++)
    load[k] -= moment[k];
}

double lwi_closure_multiplier(const lw_model *m, const lw_work *w, int tie)
{
  const int row = m->ties.tie[tie].row;
  return w->closure->lambda[row] * w->closure->scale[row];
}
