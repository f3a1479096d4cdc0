/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_refine.c -- what weak pivots have cost is brought back: steps of refinement with
   residuals in extended precision, so that loads come out to almost all digits whatever the
   condition of B. [Higham2002] chapter 12. */
#include "math/finite.h"
#include "cartesian/reduced/reduced.h"

#include <math.h>
#include <string.h>

static long double wide(double x)
{
  return (long double)x;
}

enum { REFINEMENTS = 2 };
static const double ENOUGH = 1e-9;

/* Q - Phi^T lambda of all bodies */
static void find_loads(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                       const double lambda[], long double f[])
{
  const int n = p->width;
  for (int i = 0; i < p->nbody * n; i++)
    f[i] = wide(v->force[i]);
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *phi = v->jacobian + b->phi;
    for (int r = 0; r < b->rows; r++)
      for (int k = 0; k < n; k++)
        f[b->body * n + k] -= wide(*phi++) * wide(lambda[b->row + r]);
  }
}

/* f = [inertia; mass] f, in place: M or M^-1 */
static void multiply(const double J[6], double m, int width, long double f[])
{
  const long double t[3] = {f[0], f[1], f[2]};
  if (width == 3) {
    f[0] *= wide(J[2]);
    f[1] *= wide(m);
    f[2] *= wide(m);
    return;
  }
  f[0] = wide(J[0]) * t[0] + wide(J[3]) * t[1] + wide(J[4]) * t[2];
  f[1] = wide(J[3]) * t[0] + wide(J[1]) * t[1] + wide(J[5]) * t[2];
  f[2] = wide(J[4]) * t[0] + wide(J[5]) * t[1] + wide(J[2]) * t[2];
  for (int k = 3; k < 6; k++)
    f[k] *= wide(m);
}

/* What is left of the right side: Phi a - gamma - c lambda, and M a + Phi^T lambda - Q of the
   hubs. */
static void find_residual(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                          const double x[], long double a[], double residual[])
{
  const int n = p->width;
  find_loads(p, v, x, a);
  for (int i = 0; i < p->nhub; i++) { /* before their loads give way to their accelerations */
    const lwi_descriptor_mass *m = &v->mass[p->hub[i]];
    long double f[6];
    for (int k = 0; k < n; k++)
      f[k] = wide(x[p->nrow + i * n + k]);
    multiply(m->inertia, m->mass, n, f);
    for (int k = 0; k < n; k++)
      residual[p->nrow + i * n + k] = (double)(f[k] - a[p->hub[i] * n + k]);
  }
  for (int i = 0; i < p->nbody; i++)
    multiply(v->mass[i].inverse_inertia, v->mass[i].inverse_mass, n, a + i * n);
  for (int i = 0; i < p->nhub; i++)
    for (int k = 0; k < n; k++)
      a[p->hub[i] * n + k] = wide(x[p->nrow + i * n + k]);
  for (int e = 0; e < p->nset; e++)
    for (int r = p->set_row[e]; r < p->set_row[e + 1]; r++) {
      long double s = -wide(v->gamma[r]);
      if (v->give) s -= wide(v->give[r]) * wide(x[r]);
      for (int i = p->set_block[e]; i < p->set_block[e + 1]; i++) {
        const lwi_block *b = &p->block[i];
        const double *phi = v->jacobian + b->phi + (r - b->row) * n;
        for (int k = 0; k < n; k++)
          s += wide(phi[k]) * a[b->body * n + k];
      }
      residual[r] = (double)s;
    }
}

/* A step takes the error to the part of it that it was of the solution: none follows one that was below ENOUGH. */
void lwi_reduced_refine(const lwi_reduced_kernels *kernels, const lwi_reduced_plan *p,
                        lwi_reduced_work *w, const lwi_descriptor_values *v)
{
  for (int step = 0; step < REFINEMENTS; step++) {
    memcpy(w->first, w->x, (size_t)p->nunknown * sizeof *w->first);
    find_residual(p, v, w->first, w->a, w->x);
    kernels->forward(p, w);
    kernels->back(p, w);
    const bool last = lwi_largest(w->x, p->nunknown) < ENOUGH * lwi_largest(w->first, p->nunknown);
    for (int i = 0; i < p->nunknown; i++)
      w->x[i] += w->first[i];
    if (last) return;
  }
}
