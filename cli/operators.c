/* SPDX-License-Identifier: Apache-2.0 */
/* operators.c -- inverse, factors and compliance by the recursions of linkwork/sko.h: a column
   costs one sweep over the tree. */
#include "operators.h"
#include "linkwork/query.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 200 }; /* freedoms beyond which matrices are only computed on request */

static double *new_matrix(size_t rows, size_t columns)
{
  if (columns && rows > SIZE_MAX / sizeof(double) / 2 / columns) return NULL;
  return calloc(rows * columns + 1, sizeof(double));
}

/* ---- what is wanted ---- */

static void count_body(void *context, lw_body b)
{
  (void)b;
  ++*(int *)context;
}

static void keep_body(void *context, lw_body b)
{
  operators *o = context;
  o->body[o->nbody++] = b;
}

static int read_compliance(operators *o, const cli_args *a)
{
  int count = 0;
  const int status = read_bodies(a, o->m, "compliance", count_body, &count);
  if (status != CLI_DONE || count == 0) return status;
  o->body = calloc((size_t)count, sizeof *o->body);
  const size_t rows = 6 * (size_t)count;
  o->J = new_matrix(rows, (size_t)lw_nu(o->m));
  o->compliance = new_matrix(rows, rows);
  if (!o->body || !o->J || !o->compliance) return out_of_memory(a);
  return read_bodies(a, o->m, "compliance", keep_body, o);
}

/* Which joint each speed belongs to, and which speeds are freedoms. */
static void list_speeds(operators *o)
{
  for (int i = 1; i <= lw_njoint(o->m); i++) {
    const lw_joint_info info = lw_get_joint(o->m, (lw_joint){i});
    for (int k = 0; !info.cut && k < info.nu; k++)
      o->owner[info.u + k] = i;
  }
  const int nu = lw_nu(o->m);
  const int *speed = lw_sko_speeds(o->sko);
  memset(o->x, 0, (size_t)nu * sizeof(double));
  for (int i = 0; i < o->n; i++)
    o->x[speed[i]] = 1;
  for (int i = 0, n = 0; i < nu; i++)
    if (o->x[i] > 0) o->speed[n++] = i;
}

void operators_free(operators *o)
{
  lw_sko_free(o->sko);
  lw_work_free(o->w);
  free(o->speed);
  free(o->owner);
  free(o->x);
  free(o->y);
  free(o->D);
  free(o->inverse);
  free(o->factor);
  free(o->body);
  free(o->J);
  free(o->compliance);
}

/* Forward dynamics may exist without an inverse, if joints have freedoms that move no inertia. */
static lw_status leave_out(operators *o)
{
  operators_free(o);
  *o = (operators){0};
  return LW_OK;
}

int operators_start(operators *o, const cli_args *a, const lw_model *m, double t, const double q[])
{
  const bool plenty = args_has(a, "json") && lw_nu(m) <= MANY;
  const bool asked_inverse = args_has(a, "inverse"), asked_factors = args_has(a, "factors");
  const bool inverse = plenty || asked_inverse, factor = plenty || asked_factors;
  *o = (operators){.m = m, .t = t};
  const int status = read_compliance(o, a);
  o->requested = asked_inverse || asked_factors || o->nbody;
  if (status != CLI_DONE || (!inverse && !factor && o->nbody == 0)) return status;

  const size_t nu = (size_t)lw_nu(m) + 6;
  lw_error err = {0};
  o->closed = lw_ncut(m) + lw_nconstraint(m) > 0;
  o->w = lw_work_new(m);
  o->sko = o->w ? lw_sko_from_closed(o->w, t, q, &err) : NULL;
  if (o->w && !o->sko && err.status != LW_E_MEMORY) {
    if (o->requested) return complain_status(a, "inverse, factors and compliance", err.status);
    leave_out(o);
    return CLI_DONE;
  }
  o->speed = calloc(nu, sizeof *o->speed);
  o->owner = calloc(nu, sizeof *o->owner);
  o->x = new_matrix(1, nu);
  o->y = new_matrix(1, nu);
  if (!o->sko || !o->w || !o->speed || !o->owner || !o->x || !o->y) return out_of_memory(a);

  o->n = lw_sko_nfreedom(o->sko);
  o->D = new_matrix((size_t)o->n, (size_t)o->n);
  if (!o->D) return out_of_memory(a);
  list_speeds(o);
  o->inverse = inverse ? new_matrix((size_t)o->n, (size_t)o->n) : NULL;
  o->factor = factor ? new_matrix((size_t)o->n, (size_t)o->n) : NULL;
  return (inverse && !o->inverse) || (factor && !o->factor) ? out_of_memory(a) : CLI_DONE;
}

/* ---- numbers ---- */

/* Column i in the order of `speed`, hence row i: it is symmetric. */
static lw_status compute_inverse(operators *o)
{
  const size_t nu = (size_t)lw_nu(o->m);
  lw_status status = LW_OK;
  for (int i = 0; i < o->n && status == LW_OK; i++) {
    double *row = o->inverse + (size_t)i * (size_t)o->n;
    memset(o->x, 0, nu * sizeof(double));
    o->x[o->speed[i]] = 1;
    lw_sko_from_speeds(o->sko, o->x, o->y);
    status = lw_sko_apply(o->sko, LW_SKO_MASS_INVERSE, o->y, o->x);
    if (status != LW_OK) break;
    lw_sko_to_speeds(o->sko, o->x, o->y);
    for (int k = 0; k < o->n; k++)
      row[k] = o->y[o->speed[k]];
  }
  return status;
}

static lw_status compute_factor(operators *o)
{
  lw_status status = LW_OK;
  for (int i = 0; i < o->n && status == LW_OK; i++) {
    memset(o->x, 0, (size_t)o->n * sizeof(double));
    o->x[i] = 1;
    status = lw_sko_apply(o->sko, LW_SKO_FACTOR, o->x, o->y);
    for (int k = 0; k < o->n && status == LW_OK; k++)
      o->factor[(size_t)k * (size_t)o->n + (size_t)i] = o->y[k];
  }
  return status;
}

/* C = J Mass^-1 J* for the origins of the bodies, in ground axes. */
static lw_status compute_compliance(operators *o)
{
  static const double origin[3] = {0, 0, 0};
  const size_t n = (size_t)o->n, nu = (size_t)lw_nu(o->m), rows = 6 * (size_t)o->nbody;
  double *J = new_matrix(6, nu);
  lw_status status = J ? LW_OK : LW_E_MEMORY;
  for (int b = 0; b < o->nbody && status == LW_OK; b++) {
    status = lw_jacobian(o->w, o->body[b], origin, J);
    for (size_t r = 0; r < 6; r++)
      lw_sko_project_loads(o->sko, J + r * nu, o->J + (6 * (size_t)b + r) * n);
  }
  for (size_t r = 0; r < rows && status == LW_OK; r++) {
    status = lw_sko_apply(o->sko, LW_SKO_MASS_INVERSE, o->J + r * n, o->y);
    for (size_t s = 0; s < rows && status == LW_OK; s++)
      for (size_t k = 0; k < n; k++)
        o->compliance[r * rows + s] += o->J[s * n + k] * o->y[k];
  }
  free(J);
  return status;
}

lw_status operators_compute(operators *o, const double q[], const double u[])
{
  if (!o->sko) return LW_OK;
  lw_status status = lw_sko_update_with_forces(o->sko, o->w, o->t, q, u);
  if (status == LW_OK) status = lw_kinematics(o->w, q, u); /* for Jacobians */
  if (status == LW_OK) status = lw_sko_factor(o->sko);
  if (status == LW_OK) status = lw_sko_log_determinant(o->sko, &o->logdet);
  if (status == LW_E_SINGULAR && !o->requested) return leave_out(o);
  if (status == LW_OK && o->inverse) status = compute_inverse(o);
  if (status == LW_OK && o->factor) status = compute_factor(o);
  if (status == LW_OK && o->nbody) status = compute_compliance(o);
  return status;
}
