/* SPDX-License-Identifier: Apache-2.0 */
/* curvature.c -- second derivatives of the constraints, exactly, from what forward dynamics
   computes anyway.

   The rows' accelerations G udot = gamma(u, u) contain all second derivatives: with D_x the
   derivative along a displacement x, and constant u,

     D_u (G u) = -gamma(u, u)

   gamma is quadratic, so that its symmetric bilinear form follows from sums without any error but
   rounding, gamma(x, y) = (gamma(x+y) - gamma(x) - gamma(y)) / 2.  The antisymmetric part is known
   as well: G is the derivative of the residual, and derivatives commute up to the bracket:

     D_x (G y) = -gamma(x, y) + G [x, y] / 2 */
#include "analysis/bracket.h"
#include "math/arrays.h"
#include "analysis/independent_speeds.h"

#include <string.h>

/* Right-hand side of the rows at speeds u without accelerations; u NULL: zero. */
static void quadratic(const lwi_reduced *r, const double u[], double out[])
{
  double *zero = r->scratch;
  memset(zero, 0, (size_t)r->nu * sizeof(double));
  r->w->kernels->kinematics(r->m, r->w->tree, r->q, u ? u : zero);
  lwi_closure_place(r->m, r->w, r->t);
  lwi_closure_rows(r->m, r->w, &r->m->tree_constraints);
  r->w->kernels->accelerations(r->m, r->w->tree, zero);
  lwi_closure_deficit(r->m, r->w, &r->m->tree_constraints, zero, out);
}

/* gamma(u, u) alone: accelerations of drivers are in `locked`. */
static void pure(const lwi_reduced *r, const double u[], double out[])
{
  quadratic(r, u, out);
  for (int i = 0; i < r->nrow; i++)
    out[i] -= r->locked[i];
}

static void begin(const lwi_reduced *r)
{
  quadratic(r, NULL, r->locked);
}

static void sum(const double x[], const double y[], int n, double out[])
{
  for (int i = 0; i < n; i++)
    out[i] = x[i] + y[i];
}

static void gamma_of(const lwi_reduced *r, const double x[], const double y[], double out[])
{
  double *both = r->scratch + r->nu, *gx = r->scratch + 6 * r->nu, *gy = gx + r->nrow;
  if (r->nrow == 0) return;
  begin(r);
  sum(x, y, r->nu, both);
  pure(r, x, gx);
  pure(r, y, gy);
  pure(r, both, out);
  for (int i = 0; i < r->nrow; i++)
    out[i] = 0.5 * (out[i] - gx[i] - gy[i]);
}

void lwi_bend(const lwi_reduced *r, const double x[], const double y[], double out[])
{
  double *turn = r->scratch + 2 * r->nu;
  if (r->nrow == 0) return;
  gamma_of(r, x, y, out);
  lwi_bracket(r->m, x, y, turn);
  for (int i = 0; i < r->nrow; i++) {
    double s = 0;
    for (int j = 0; j < r->nu; j++)
      s += r->G[(size_t)i * (size_t)r->nu + (size_t)j] * turn[j];
    out[i] = 0.5 * s - out[i];
  }
}

static void column(const lwi_reduced *r, int k, double out[])
{
  for (int j = 0; j < r->nu; j++)
    out[j] = r->N[(size_t)j * (size_t)r->n + (size_t)k];
}

/* lambda^T gamma(N_i, N_i) */
static double own(const lwi_reduced *r, const double x[])
{
  double *g = r->scratch + 6 * r->nu;
  pure(r, x, g);
  return lwi_dot(r->lambda, g, r->nrow);
}

/* One evaluation per pair of columns; lambda^T G are the loads of the constraints on the tree. */
void lwi_add_geometric_stiffness(const lwi_reduced *r, double s, double H[])
{
  const int n = r->n, nu = r->nu;
  double *x = r->scratch + 3 * nu, *y = x + nu, *both = y + nu;
  double *turn = r->scratch + 2 * nu, *carried = r->scratch + nu;
  if (r->nrow == 0) return;
  begin(r);
  for (int j = 0; j < nu; j++)
    carried[j] = r->required_tau[j] - r->remains[j];
  for (int i = 0; i < n; i++) {
    column(r, i, x);
    const double gx = own(r, x);
    H[i * n + i] -= s * gx;
    for (int j = 0; j < i; j++) {
      column(r, j, y);
      sum(x, y, nu, both);
      const double mixed = 0.5 * (own(r, both) - gx - own(r, y));
      lwi_bracket(r->m, y, x, turn);
      const double half = 0.5 * lwi_dot(carried, turn, nu);
      H[i * n + j] += s * (half - mixed);
      H[j * n + i] += s * (-half - mixed);
    }
  }
}
