/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_nearest.c -- how the nearest closed position to the one written (nearest_closing.c)
   follows a parameter.

   It is where F = C x - G^T lambda = 0 and phi = 0.  First any motion xi that keeps phi = 0; then,
   since lambda_p does nothing to motions z that the rows allow,

     z^T (F_p along xi and the parameter, lambda held  +  F_p along z) = 0   for all z with G z = 0

   by conjugate gradients in the space of these z, with C as the metric: as many steps as there are
   freedoms that nothing holds, or fewer.  Where F_p is not positive there, the position is not that
   of a minimum, and has no derivative. */
#include "tree/loops/derivative_data.h"
#include "math/arrays.h"
#include "tree/loops/displacement.h"

#include <string.h>

static const double stationary = 1e-6; /* what may be left of F, relative to C x and the length */
static const double stiff = 1e-9;      /* the least curvature, relative to C */

typedef struct {
  const lw_model *m;
  lw_derivatives *d;
  const lwi_tree_constraints *tree_constraints;
  const lw_model *derivative;
  double *weight; /* [nu] C; 0: held */
  double *x;      /* [nu] the displacement */
  double *residual,
      *load_response;       /* [nu] of conjugate gradients: -F_p so far, and that projected */
  double *direction, *bent; /* [nu] z, and F_p along it */
} minimum;

static minimum minimum_at(const lw_model *m, lw_derivatives *d, const lw_model *derivative)
{
  minimum y = {.m = m, .d = d, .tree_constraints = &m->assembly, .derivative = derivative};
  double **const part[] = {&y.weight, &y.x, &y.residual, &y.load_response, &y.direction, &y.bent};
  for (int i = 0; i < 6; i++)
    *part[i] = d->nearest + (size_t)i * (size_t)m->nu;
  for (int k = 0; k < m->nu; k++) {
    const double mobility = d->work->closure->Dinv[k];
    y.weight[m->column_u[k]] = mobility > 0 ? 1 / mobility : 0;
  }
  lwi_displacement(m, d->q, m->q0, y.x);
  return y;
}

/* ---- rows ---- */

/* row = G z; with the metric of the coordinates E is G^T */
static void multiply_rows(const minimum *y, const double z[], double row[])
{
  const lwi_tree_constraints *x = y->tree_constraints;
  const lwi_closure *c = y->d->work->closure;
  memset(row, 0, (size_t)x->nrow * sizeof(double));
  for (int k = 0; k < y->m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tree_constraint *t = &x->constraint[x->touch[a].constraint];
      for (int i = 0; i < t->n; i++)
        row[t->row + i] += c->eps[x->touch[a].eps + (size_t)i] * z[y->m->column_u[k]];
    }
}

/* z += C^-1 G^T W^-1 (wanted - G z); wanted NULL: zeros.  Leaves the multipliers in lambda_p, which
   stands for rows that stay as they are. */
static void obey_rows(const minimum *y, const double wanted[], double z[])
{
  lw_work *w = y->d->work;
  double *row = y->d->closure.lambda_p;
  multiply_rows(y, z, row);
  for (int i = 0; i < y->tree_constraints->nrow; i++)
    row[i] = (wanted ? wanted[i] : 0) - row[i];
  lwi_envelope_solve(&y->tree_constraints->envelope, w->closure->value, &w->closure->rank, row);
  lwi_closure_gather(y->m, w, y->tree_constraints, row);
  lwi_closure_move(y->m, w, z);
}

/* ---- F ---- */

/* lambda from C x = G^T lambda; false: it does not hold */
static bool find_multipliers(const minimum *y)
{
  const int nu = y->m->nu;
  double *z = y->bent, left = 0, all = 0;
  for (int i = 0; i < nu; i++)
    z[i] = y->weight[i] > 0 ? -y->x[i] : 0;
  obey_rows(y, NULL, z);
  memcpy(y->d->closure.row, y->d->closure.lambda_p,
         (size_t)y->tree_constraints->nrow * sizeof(double));
  for (int i = 0; i < nu; i++) {
    left += y->weight[i] * z[i] * z[i];
    all += y->weight[i] * y->x[i] * y->x[i];
  }
  return sqrt(left) <= stationary * (sqrt(all) + y->m->length);
}

/* C changes with the typical length */
static void add_growth(const minimum *y, double out[])
{
  const double grows = 2 * y->derivative->length / y->m->length;
  for (int k = 0; k < y->m->nu; k++) {
    const int i = y->m->column_u[k];
    double S[6];
    y->d->work->kernels->get_column(y->m, y->d->work->tree, k, S);
    if (dot3(S, S) > 0) out[i] += grows * y->weight[i] * y->x[i];
  }
}

/* F_p along a motion, lambda held, and with the parameter or (change NULL) without */
static void bend(const minimum *y, const double motion[], const lw_model *derivative, double out[])
{
  lw_derivatives *d = y->d;
  const lw_model *m = y->m;
  double *x1 = d->other;
  lwi_derivative_kinematics(m, d, y->tree_constraints, motion, d->zero, derivative);
  lwi_derivative_momenta(m, d, y->tree_constraints, d->zero, d->closure.row, NULL, out);
  lwi_displacement_rate(m, d->q, motion, m->q0, derivative ? derivative->q0 : NULL, x1);
  for (int i = 0; i < m->nu; i++)
    out[i] = y->weight[i] > 0 ? out[i] + y->weight[i] * x1[i] : 0;
  if (derivative) add_growth(y, out);
}

/* ---- conjugate gradients ---- */

/* load_response = the part of C^-1 residual that the rows allow; returns its square.  The other
   part, which may be large where rows are nearly dependent, means nothing and is taken out. */
static double project(const minimum *y)
{
  for (int i = 0; i < y->m->nu; i++)
    y->load_response[i] = y->weight[i] > 0 ? y->residual[i] / y->weight[i] : 0;
  for (int pass = 0; pass < 2; pass++) /* the second takes out rounding errors */
    obey_rows(y, NULL, y->load_response);
  double sum = 0;
  for (int i = 0; i < y->m->nu; i++) {
    y->residual[i] = y->weight[i] * y->load_response[i];
    sum += y->residual[i] * y->load_response[i];
  }
  return sum;
}

static bool descend(const minimum *y, double xi[])
{
  const int nu = y->m->nu;
  bend(y, xi, y->derivative, y->residual);
  for (int i = 0; i < nu; i++)
    y->residual[i] = -y->residual[i];
  double square = project(y), all = square;
  for (int i = 0; i < nu; i++)
    all += y->weight[i] * xi[i] * xi[i];
  memcpy(y->direction, y->load_response, (size_t)nu * sizeof(double));
  for (int k = 0; k < 2 * nu + 20 && square > 1e-28 * all; k++) {
    bend(y, y->direction, NULL, y->bent);
    double size = 0;
    for (int i = 0; i < nu; i++)
      size += y->weight[i] * y->direction[i] * y->direction[i];
    const double curvature = lwi_dot(y->direction, y->bent, nu);
    if (!(curvature > stiff * size)) return false;
    const double part = lwi_dot(y->direction, y->residual, nu) / curvature, before = square;
    for (int i = 0; i < nu; i++) {
      xi[i] += part * y->direction[i];
      y->residual[i] -= part * y->bent[i];
    }
    square = project(y);
    for (int i = 0; i < nu; i++)
      y->direction[i] = y->load_response[i] + square / before * y->direction[i];
  }
  return square <= 1e-16 * all;
}

lw_status lwi_derivative_nearest(const lw_model *m, lw_derivatives *d, const lw_model *derivative,
                                 double xi[])
{
  const minimum y = minimum_at(m, d, derivative);
  double *wanted = d->closure.row;
  const lwi_closure *c = d->work->closure;
  lwi_derivative_kinematics(m, d, y.tree_constraints, d->zero, d->zero, derivative);
  for (int i = 0; i < y.tree_constraints->nrow; i++)
    wanted[i] = -c->scale[i] * d->closure.phi_p[i];
  for (int pass = 0; pass < 2; pass++)
    obey_rows(&y, wanted, xi);
  if (!find_multipliers(&y)) return LW_E_NOT_CONVERGED;
  return descend(&y, xi) ? LW_OK : LW_E_SINGULAR;
}
