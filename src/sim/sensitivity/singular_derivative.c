/* SPDX-License-Identifier: Apache-2.0 */
/* singular_derivative.c -- whether derivatives by a parameter exist beyond a singular
   configuration.

   There the rows of G depend on each other: lambda^T G = 0.  Nearby models with phi(q, p) = 0 have
   a singular configuration as well, and branches that cross there, if lambda^T phi_p = 0: then
   phi_p is in the range of G, and the motion along a branch depends on p smoothly.  Otherwise the
   branches of nearby models do not meet; which way they turn depends on the sign of the change of
   p, and the motion has no derivative beyond. */
#include "sim/sensitivity/singular_derivative.h"
#include "math/arrays.h"
#include "linkwork/derivatives.h"
#include "model/model.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Part of a column that others leave, below which it depends on them; states are singular up to
   about 1e-5. */
static const double DEPENDENT = 1e-3;
static const double MOST_ENTRIES = 1e7; /* of G */

static void remove_along(double x[], const double unit[], int n)
{
  const double along = lwi_dot(x, unit, n);
  for (int i = 0; i < n; i++)
    x[i] -= along * unit[i];
}

/* The columns of G, one after the other, with rows of length one unless they all but vanish; phi_p
   is scaled alike. */
static void set_columns(const lw_model *m, const double *G, double *column, double phi_p[])
{
  const int nrow = lw_nequation(m), ncol = lw_nu(m);
  const double least = DEPENDENT * fmin(1, m->length);
  for (int i = 0; i < nrow; i++) {
    const double *row = G + (size_t)i * (size_t)ncol, size = sqrt(lwi_dot(row, row, ncol));
    const double scale = 1 / fmax(size, least);
    phi_p[i] *= scale;
    for (int j = 0; j < ncol; j++)
      column[(size_t)j * (size_t)nrow + (size_t)i] = scale * row[j];
  }
}

/* Is x, of length nrow, a combination of the columns?  By orthogonalization, the column of which
   most is left first.  size: [ncol] scratch */
static bool is_in_range(double *column, int nrow, int ncol, double size[], double x[])
{
  const double whole = sqrt(lwi_dot(x, x, nrow));
  for (int j = 0; j < ncol; j++)
    size[j] =
        sqrt(lwi_dot(column + (size_t)j * (size_t)nrow, column + (size_t)j * (size_t)nrow, nrow));
  for (;;) {
    double most = DEPENDENT, *next = NULL;
    for (int j = 0; j < ncol; j++) {
      double *c = column + (size_t)j * (size_t)nrow;
      const double part = size[j] > 0 ? sqrt(lwi_dot(c, c, nrow)) / size[j] : 0;
      if (part > most) most = part, next = c;
    }
    if (!next) return sqrt(lwi_dot(x, x, nrow)) <= DEPENDENT * whole;
    const double length = sqrt(lwi_dot(next, next, nrow));
    for (int i = 0; i < nrow; i++)
      next[i] /= length;
    remove_along(x, next, nrow);
    for (int j = 0; j < ncol; j++) {
      double *c = column + (size_t)j * (size_t)nrow;
      if (c != next) remove_along(c, next, nrow);
    }
    memset(next, 0, (size_t)nrow * sizeof *next);
  }
}

/* scratch: G, its columns, phi, phi_p, sizes of columns, speeds */
static lw_status decide(const lw_model *m, lw_derivatives *d, const lw_model_derivative *model_p,
                        double t, const double q[], double *scratch, bool *keeps)
{
  const int nrow = lw_nequation(m), nu = lw_nu(m);
  double *column = scratch + (size_t)nrow * (size_t)nu, *phi = column + (size_t)nrow * (size_t)nu;
  double *phi_p = phi + nrow, *size = phi_p + nrow, *u = size + nu;
  lw_status status = lw_constraint_equations(d, t, q, phi, scratch);
  if (status == LW_OK)
    status = lw_constraint_derivatives(d, t, q, u, &(lw_direction){.model = model_p}, phi_p, NULL);
  if (status != LW_OK) return status;
  set_columns(m, scratch, column, phi_p);
  *keeps = is_in_range(column, nrow, nu, size, phi_p);
  return LW_OK;
}

lw_status lwi_keeps_singular(const lw_model *m, const char *parameter, double t, const double q[],
                             bool *keeps)
{
  const size_t nrow = (size_t)lw_nequation(m), nu = (size_t)lw_nu(m);
  lw_error err = {.status = LW_OK};
  *keeps = false;
  if ((double)nrow * (double)nu > MOST_ENTRIES) return LW_OK;
  lw_model_derivative *model_p = lw_model_derivative_new(m, parameter, &err);
  if (!model_p) return err.status == LW_E_MEMORY ? LW_E_MEMORY : LW_OK;
  lw_derivatives *d = lw_derivatives_new_along(m);
  double *scratch = calloc(2 * nrow * nu + 2 * nrow + 2 * nu + 1, sizeof *scratch);
  const lw_status status = d && scratch ? decide(m, d, model_p, t, q, scratch, keeps) : LW_E_MEMORY;
  free(scratch);
  lw_derivatives_free(d);
  lw_model_derivative_free(model_p);
  return status == LW_E_MEMORY ? status : LW_OK;
}
