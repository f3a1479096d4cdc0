/* SPDX-License-Identifier: Apache-2.0 */
/* multiplier_loads.c -- loads of constraints by their multipliers, and the part of them that is
   determined.

   Rows k are kept, rows d depend on them.  The columns of N = [-W_kk^-1 W_kd; 1] are states of
   self-stress: N^T W = 0, so that loads N y move nothing.  All products with N are solves inside
   the envelope; N itself is never formed.  Where constraints are embedded the same N comes from the
   reduction of their rows (linalg/reduction.h). */
#include "tree/loops/closure.h"
#include "tree/loops/constraint_loads.h"
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"

#include <string.h>

void lwi_closure_multiply(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                          const double in[], double out[])
{
  lwi_closure *c = w->closure;
  memset(out, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < m->nu; k++) {
    double s = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
        const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
        const double *e = c->eps + x->touch[a].eps;
        for (int i = 0; i < t->n; i++)
          if (pass == 0)
            s += e[i] * in[t->row + i] * c->Dinv[k];
          else
            out[t->row + i] += e[i] * s;
      }
  }
}

static int rank_of(const lw_model *m, const lw_work *w)
{
  int rank = 0;
  if (!w->closure->reduced) return w->closure->rank.rank;
  for (int k = 0; k < m->clusters.ncluster; k++)
    rank += w->closure->embedding->part[k].rank;
  return rank;
}

/* out = N y for y in the dependent rows */
static void stress(const lw_model *m, lw_work *w, const double y[], double out[])
{
  lwi_closure *c = w->closure;
  const int n = m->tree_constraints.nrow;
  if (c->reduced) {
    lwi_embedding_stress(m, w, y, out);
    return;
  }
  lwi_closure_multiply(m, w, &m->tree_constraints, y, out);
  lwi_envelope_solve(&m->tree_constraints.envelope, c->value, &c->rank, out);
  for (int i = 0; i < n; i++)
    out[i] = y[i] - out[i];
}

/* out = N^T x, in the dependent rows */
static void stress_transposed(const lw_model *m, lw_work *w, const double x[], double out[])
{
  lwi_closure *c = w->closure;
  const int n = m->tree_constraints.nrow;
  if (c->reduced) {
    lwi_embedding_stress_transposed(m, w, x, out);
    return;
  }
  memcpy(c->other, x, (size_t)n * sizeof(double));
  lwi_envelope_solve(&m->tree_constraints.envelope, c->value, &c->rank, c->other);
  lwi_closure_multiply(m, w, &m->tree_constraints, c->other, out);
  for (int i = 0; i < n; i++)
    out[i] = x[i] - out[i];
  for (int i = 0; i < n; i++)
    if (c->rank.kept[i]) out[c->rank.order[i]] = 0;
}

static double square(const double *x, int n)
{
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * x[i];
  return s;
}

/* One step of iterative refinement: corrects the residual of the accelerations by these loads.  N
   is only as accurate as the factor of W, so that in stiff loops loads along N do cause small
   accelerations. */
static void refine(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  const lwi_tree_constraints *x = &m->tree_constraints;
  double *before = c->scratch_rows, *udot = c->scratch, *tau = udot + m->nu;
  memcpy(tau, c->tau, (size_t)m->nu * sizeof(double));
  for (int i = 0; i < x->nconstraint; i++)
    for (int k = x->constraint[i].term; k < x->constraint[i].term + x->constraint[i].nterm; k++)
      tau[x->term[k].u] += c->slope[k] * lwi_closure_multiplier(m, w, i);
  w->kernels->free_motion(m, w->tree, tau, udot);
  lwi_closure_deficit(m, w, x, udot, c->rhs);
  memcpy(before, c->lambda, (size_t)x->nrow * sizeof(double));
  lwi_closure_solve(m, w, x);
  w->kernels->solve_response(m, w->tree, c->sum, udot);
  lwi_closure_apply_loads(m, w, c->lambda);
  for (int i = 0; i < x->nrow; i++)
    c->lambda[i] += before[i];
}

/* lambda - N y with N^T N y = N^T lambda, by conjugate gradients: N^T N is the unit matrix plus one
   of low rank or small norm.  Returns N y, in scratch; NULL: no row depends on others */
static const double *shorten(const lw_model *m, lw_work *w, double lambda[])
{
  lwi_closure *c = w->closure;
  const int n = m->tree_constraints.nrow;
  const int rank = rank_of(m, w);
  if (rank == n) return NULL;
  double *y = c->scratch_rows, *r = y + n, *p = r + n, *Np = p + n, *Ap = Np + n;
  memset(y, 0, (size_t)n * sizeof(double));
  stress_transposed(m, w, lambda, r);
  memcpy(p, r, (size_t)n * sizeof(double));
  double rr = square(r, n);
  const double enough = 1e-30 * square(lambda, n);
  for (int i = 0; i < n - rank + 10 && i < 300 && rr > enough; i++) {
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

void lwi_closure_remove_self_stress(const lw_model *m, lw_work *w, double lambda[])
{
  shorten(m, w, lambda);
}

void lwi_closure_least_loads(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  if (c->reduced) {
    lwi_embedding_loads(m, w);
    lwi_closure_apply_loads(m, w, c->lambda);
  }
  const double *taken = shorten(m, w, c->lambda);
  if (!taken) return;
  lwi_closure_apply_loads(m, w, taken);
  if (c->forward && !c->reduced) refine(m, w);
}

int lwi_closure_next_dependent(const lw_model *m, const lw_work *w, int place)
{
  for (int i = place; i < m->tree_constraints.nrow; i++)
    if (!(w->closure->reduced ? w->closure->embedding->kept : w->closure->rank.kept)[i]) return i;
  return -1;
}

void lwi_closure_self_stress(const lw_model *m, lw_work *w, int place, double lambda[])
{
  double *y = w->closure->scratch_rows;
  memset(y, 0, (size_t)m->tree_constraints.nrow * sizeof(double));
  y[w->closure->reduced ? place : w->closure->rank.order[place]] = 1;
  stress(m, w, y, lambda);
}

/* ---- loads ---- */

void lwi_closure_load(const lw_model *m, const lw_work *w, int constraint, double load[6])
{
  lwi_tree_constraint_load(m, w, constraint, load);
}

double lwi_closure_multiplier(const lw_model *m, const lw_work *w, int constraint)
{
  return lwi_tree_constraint_multiplier(m, w, constraint);
}
