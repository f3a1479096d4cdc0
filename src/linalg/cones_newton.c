/* SPDX-License-Identifier: Apache-2.0 */
/* cones_newton.c -- the problem of cones.c as equations F(x) = 0, [Alart1991], with r = 1/A_ii and
   the projection P onto what is possible:

     F = x - P(x - r w),   w = A x + b

   P is that onto the bounds, or onto a disc of radius mu x_n.  F is piecewise smooth.  Its Jacobian
   J is singular where loads are not unique: steps are those of Levenberg and Marquardt, (J^T J +
   damping) dx = -J^T F. */
#include "linalg/cones.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 100 };
static const double right = 1e-13, least_damping = 1e-15;

typedef struct {
  int n, ncone;
  const double *A, *b;
  const lwi_cone *cone;
  double *F, *J, *H, *g, *trial, *w;
} problem;

/* row of J: r A_i */
static void stick(const problem *p, int i, double r)
{
  for (int j = 0; j < p->n; j++)
    p->J[i * p->n + j] = r * p->A[i * p->n + j];
}

static void evaluate_bounded(const problem *p, const lwi_cone *k, double r, const double x[])
{
  const int i = k->first;
  const double y = x[i] - r * p->w[i], to = fmin(fmax(y, k->lower), k->upper);
  p->F[i] = x[i] - to;
  if (to == y)
    stick(p, i, r);
  else
    p->J[i * p->n + i] = 1;
}

/* x_t = mu x_n e, e the direction of y = x_t - r w_t:  dF = dx_t - mu e dx_n - mu x_n / |y| (1 - e
   e^T) dy */
static void evaluate_disc(const problem *p, const lwi_cone *k, double r, const double x[])
{
  double y[3] = {0}, size = 0;
  const double radius = k->coefficient * fmax(0, x[k->normal]);
  for (int i = 0; i < k->n; i++) {
    y[i] = x[k->first + i] - r * p->w[k->first + i];
    size = hypot(size, y[i]);
  }
  const bool inside = size <= radius || size == 0;
  for (int i = 0; i < k->n; i++) {
    const int row = k->first + i;
    p->F[row] = x[row] - (inside ? y[i] : radius * y[i] / size);
    if (inside) {
      stick(p, row, r);
      continue;
    }
    double *J = p->J + row * p->n;
    J[row] += 1;
    if (x[k->normal] > 0) J[k->normal] -= k->coefficient * y[i] / size;
    for (int l = 0; l < k->n; l++) {
      const double turn = radius / size * ((i == l) - y[i] * y[l] / (size * size));
      J[k->first + l] -= turn;
      for (int j = 0; j < p->n; j++)
        J[j] += turn * r * p->A[(k->first + l) * p->n + j];
    }
  }
}

/* F and J; returns |F|^2 as speeds. */
static double evaluate(const problem *p, const double x[])
{
  double sum = 0;
  memset(p->J, 0, (size_t)p->n * (size_t)p->n * sizeof *p->J);
  memset(p->F, 0, (size_t)p->n * sizeof *p->F);
  memcpy(p->w, p->b, (size_t)p->n * sizeof *p->w);
  lwi_mulv(p->n, p->n, 1, p->A, x, p->w);
  for (int c = 0; c < p->ncone; c++) {
    const lwi_cone *k = &p->cone[c];
    double by = 0;
    for (int i = 0; i < k->n; i++)
      by += p->A[(k->first + i) * p->n + k->first + i];
    if (!(by > 0)) continue;
    if (k->normal < 0)
      evaluate_bounded(p, k, 1 / by, x);
    else
      evaluate_disc(p, k, 1 / by, x);
    for (int i = 0; i < k->n; i++) { /* as speeds: loads of all kinds count alike */
      const int row = k->first + i;
      p->F[row] *= by;
      for (int j = 0; j < p->n; j++)
        p->J[row * p->n + j] *= by;
      sum += p->F[row] * p->F[row];
    }
  }
  return sum;
}

/* x + dx in trial; false: it cannot be found */
static bool find_trial(const problem *p, const double x[], double damping)
{
  const int n = p->n;
  double most = 0;
  memset(p->H, 0, (size_t)n * (size_t)n * sizeof *p->H);
  memset(p->g, 0, (size_t)n * sizeof *p->g);
  lwi_tmul(n, n, n, 1, p->J, p->J, p->H);
  lwi_tmulv(n, n, -1, p->J, p->F, p->g);
  for (int i = 0; i < n; i++)
    most = fmax(most, p->H[i * n + i]);
  for (int i = 0; i < n; i++)
    p->H[i * n + i] += damping * most;
  if (!lwi_cholesky(n, p->H)) return false;
  lwi_solve_lower(n, 1, p->H, p->g);
  lwi_solve_upper(n, 1, p->H, p->g);
  for (int i = 0; i < n; i++)
    p->trial[i] = x[i] + p->g[i];
  return true;
}

static bool iterate(const problem *p, double fastest, double x[])
{
  const double enough = right * fastest * right * fastest;
  double now = evaluate(p, x), damping = 1e-6;
  for (int step = 0; step < MOST_STEPS && now > enough; step++) {
    const bool found = find_trial(p, x, damping);
    const double next = found ? evaluate(p, p->trial) : HUGE_VAL;
    if (next < now) {
      memcpy(x, p->trial, (size_t)p->n * sizeof *x);
      now = next;
      damping = fmax(0.1 * damping, least_damping);
    } else {
      damping *= 10;
      if (damping > 1e6) return false;
      evaluate(p, x);
    }
  }
  return now <= enough;
}

bool lwi_cones_newton(int n, const double *A, const double *b, int ncone, const lwi_cone cone[],
                      double fastest, double *x)
{
  const size_t size = (size_t)n;
  double *block = calloc(2 * size * size + 5 * size + 1, sizeof *block);
  if (!block) return false;
  problem p = {.n = n, .ncone = ncone, .A = A, .b = b, .cone = cone, .F = block};
  p.J = p.F + size;
  p.H = p.J + size * size;
  p.g = p.H + size * size;
  p.trial = p.g + size;
  p.w = p.trial + size;
  double *near = p.w + size;
  memcpy(near, x, size * sizeof *x);
  const bool found = iterate(&p, fastest, near);
  if (found) memcpy(x, near, size * sizeof *x);
  free(block);
  return found;
}
