/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_equations.c -- the matrices of the reduced equations of motion, see
   reduced_equations.h. */
#include "math/finite.h"
#include "analysis/lapack.h"
#include "analysis/reduced_equations.h"
#include "analysis/bracket.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

static void carve(lwi_linearized *l, const lw_model *m, lwi_carver *c)
{
  const size_t nu = (size_t)m->nu, square = nu * nu;
  l->r = lwi_reduced_carve(m, c);
  double **const squares[] = {&l->M, &l->C, &l->K, &l->kin, &l->mass, &l->dQ, &l->dU, &l->X};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
    *squares[i] = LWI_CARVE(c, square, double);
  l->load = LWI_CARVE(c, nu, double);
  l->u = LWI_CARVE(c, nu, double);
  l->udot = LWI_CARVE(c, nu, double);
}

bool lwi_linearized_init(lwi_linearized *l, const lw_model *m)
{
  lwi_carver c = {0};
  *l = (lwi_linearized){0};
  carve(l, m, &c);
  const size_t size = (c.used + 127) & ~(size_t)63;
  l->block = aligned_alloc(64, size);
  if (!l->block) return false;
  memset(l->block, 0, size);
  c = (lwi_carver){.base = l->block};
  carve(l, m, &c);
  l->derivatives = lw_derivatives_new(m);
  if (!l->derivatives) lwi_linearized_free(l);
  return l->derivatives != NULL;
}

void lwi_linearized_free(lwi_linearized *l)
{
  lw_derivatives_free(l->derivatives);
  free(l->block);
  *l = (lwi_linearized){0};
}

/* ---- derivatives of what the tree needs ---- */

/* Angles of cut joints continue from those of the caller's work. */
static lw_status find_slopes(lwi_linearized *l)
{
  const lwi_reduced *r = &l->r;
  lwi_work_follow(r->m, r->w, lw_derivatives_work(l->derivatives));
  return lw_inverse_dynamics_derivatives(l->derivatives, r->t, r->q, l->u, l->udot,
                                         &(lw_inverse_matrices){l->dQ, l->dU, NULL});
}

/* ---- the reduced matrices ---- */

/* out[n][n] = N^T A N */
static void project(lwi_linearized *l, const double *A, double *out)
{
  const int nu = l->r.nu, n = l->r.n;
  memset(l->X, 0, (size_t)nu * (size_t)n * sizeof(double));
  memset(out, 0, (size_t)n * (size_t)n * sizeof(double));
  lwi_mul(nu, nu, n, 1, A, l->r.N, l->X);
  lwi_tmul(n, nu, n, 1, l->r.N, l->X, out);
}

static void get_column(const lwi_linearized *l, int k, double out[])
{
  for (int j = 0; j < l->r.nu; j++)
    out[j] = l->r.N[j * l->r.n + k];
}

/* Dependent speeds from the residual of the rows: x[nu] = T rows there, else 0. */
static void load_response(const lwi_linearized *l, const double rows[], double x[])
{
  const lwi_reduced *r = &l->r;
  memset(x, 0, (size_t)r->nu * sizeof(double));
  for (int i = 0; i < r->rank; i++)
    for (int k = 0; k < r->nrow; k++)
      x[r->dependent[i]] += r->T[i * r->nrow + k] * rows[k];
}

/* Column k of out[n][n] += N^T A x. */
static void add_column(const lwi_linearized *l, const double *A, const double x[], int k,
                       double *out)
{
  const int nu = l->r.nu, n = l->r.n;
  for (int i = 0; i < nu; i++) {
    double s = 0;
    for (int j = 0; j < nu; j++)
      s += A[i * nu + j] * x[j];
    for (int j = 0; j < n; j++)
      out[j * n + k] += l->r.N[i * n + j] * s;
  }
}

/* Contribution of dependent accelerations at a state of rest: Ya of reduced_equations.h, column by
   column. */
static lw_status add_dependent(lwi_linearized *l)
{
  const lwi_reduced *r = &l->r;
  double *x = calloc((size_t)(2 * r->nu + r->nrow) + 1, sizeof *x), *a = x + r->nu,
         *rows = a + r->nu;
  if (!x) return LW_E_MEMORY;
  for (int k = 0; k < r->n; k++) {
    get_column(l, k, x);
    lwi_bend(r, x, l->udot, rows);
    load_response(l, rows, a);
    for (int i = 0; i < r->nu; i++)
      a[i] = -a[i];
    add_column(l, l->mass, a, k, l->K);
  }
  free(x);
  return LW_OK;
}

/* zdot = w + kin z: the bracket of each displacement with the speeds, for the independent ones. */
static void find_kin(lwi_linearized *l)
{
  const lwi_reduced *r = &l->r;
  double *x = r->scratch + 3 * r->nu, *y = x + r->nu;
  for (int k = 0; k < r->n; k++) {
    get_column(l, k, x);
    lwi_bracket(r->m, l->u, x, y);
    for (int i = 0; i < r->n; i++)
      l->kin[i * r->n + k] = -y[r->independent[i]];
  }
}

static void find_load(lwi_linearized *l)
{
  memset(l->load, 0, (size_t)l->r.n * sizeof(double));
  lwi_tmulv(l->r.nu, l->r.n, 1, l->r.N, l->r.required_tau, l->load);
}

/* At u and udot: loads, independent speeds, M. */
static lw_status reduce(lwi_linearized *l, lw_work *w, double t, const double q[])
{
  lwi_reduced *r = &l->r;
  lw_status status = lwi_reduced_balance(r, w, t, q, l->u, l->udot);
  if (status == LW_OK) status = lwi_reduced_split(r);
  if (status == LW_OK) status = lw_mass_matrix(w, q, l->mass);
  if (status == LW_OK) status = find_slopes(l);
  if (status != LW_OK) return status;
  project(l, l->mass, l->M);
  project(l, l->dQ, l->K);
  find_load(l);
  memset(l->kin, 0, (size_t)r->n * (size_t)r->n * sizeof(double));
  l->stiffness = fmax(lwi_largest(l->dQ, r->nu * r->nu), lwi_largest(l->K, r->n * r->n));
  return LW_OK;
}

/* At zero speeds. */
static lw_status find_at_rest(lwi_linearized *l, lw_work *w, double t, const double q[])
{
  const lwi_reduced *r = &l->r;
  const lw_status status = reduce(l, w, t, q);
  if (status != LW_OK) return status;
  project(l, l->dU, l->C);
  lwi_add_geometric_stiffness(r, -1, l->K);
  l->stiffness = fmax(l->stiffness, lwi_largest(l->K, r->n * r->n));
  return LW_OK;
}

lw_status lwi_linearized_rest(lwi_linearized *l, lw_work *w, double t, const double q[])
{
  memset(l->u, 0, (size_t)l->r.nu * sizeof(double));
  memset(l->udot, 0, (size_t)l->r.nu * sizeof(double));
  return find_at_rest(l, w, t, q);
}

/* M a = -load, udot = N a */
static lw_status let_go(lwi_linearized *l)
{
  const int n = l->r.n, nu = l->r.nu;
  double *a = l->r.scratch;
  memcpy(l->X, l->M, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++)
    a[i] = -l->load[i];
  const lw_status status = lwi_lapack_solve_definite(n, 1, l->X, a);
  if (status != LW_OK) return status;
  memset(l->udot, 0, (size_t)nu * sizeof(double));
  lwi_mulv(nu, n, 1, l->r.N, a, l->udot);
  return LW_OK;
}

lw_status lwi_linearized_from_rest(lwi_linearized *l, lw_work *w, double t, const double q[])
{
  const lw_status status = lwi_linearized_rest(l, w, t, q);
  const double scale = fmax(l->stiffness, lwi_largest(l->r.required_tau, l->r.nu));
  if (status != LW_OK || lwi_largest(l->load, l->r.n) <= 1e-11 * scale) return status;
  const lw_status gone = let_go(l);
  if (gone != LW_OK) return gone;
  const lw_status again = find_at_rest(l, w, t, q);
  return again == LW_OK && l->r.nrow > 0 ? add_dependent(l) : again;
}

/* out[n][n], column k = -M times the derivative of the independent accelerations along x. */
static lw_status derive(lwi_linearized *l, const lw_direction *x, int k, double *rate, double *out)
{
  const lwi_reduced *r = &l->r;
  const lw_status status = lw_forward_derivative(l->derivatives, x, rate);
  for (int i = 0; i < r->n && status == LW_OK; i++) {
    double s = 0;
    for (int j = 0; j < r->n; j++)
      s += l->M[i * r->n + j] * rate[r->independent[j]];
    out[i * r->n + k] = -s;
  }
  return status;
}

void lwi_linearized_displacement(const lwi_linearized *l, int k, double x[], double y[])
{
  const lwi_reduced *r = &l->r;
  get_column(l, k, x);
  memset(y, 0, (size_t)r->nu * sizeof(double));
  if (r->nrow == 0 || lwi_largest(l->u, r->nu) == 0) return;
  double *rows = r->scratch + 6 * r->nu + 2 * r->nrow; /* beyond what lwi_bend uses */
  lwi_bend(r, x, l->u, rows);
  load_response(l, rows, y);
  for (int i = 0; i < r->nu; i++)
    y[i] = -y[i];
}

/* For closed mechanisms in motion: x = N_k, with speeds N w + Y z that satisfy the constraints at
   the displaced configuration. */
static lw_status derivative_columns(lwi_linearized *l)
{
  const lwi_reduced *r = &l->r;
  double *x = calloc((size_t)(3 * r->nu + r->nrow) + 1, sizeof *x), *y = x + r->nu,
         *rate = y + r->nu, *rows = rate + r->nu;
  lw_status status = x ? LW_OK : LW_E_MEMORY;
  for (int k = 0; k < r->n && status == LW_OK; k++) {
    get_column(l, k, x);
    lwi_bend(r, x, l->u, rows);
    load_response(l, rows, y);
    for (int i = 0; i < r->nu; i++)
      y[i] = -y[i];
    status = derive(l, &(lw_direction){.motion = x, .u = y}, k, rate, l->K);
    if (status == LW_OK) status = derive(l, &(lw_direction){.u = x}, k, rate, l->C);
  }
  free(x);
  return status;
}

lw_status lwi_linearized_motion(lwi_linearized *l, lw_work *w, double t, const double q[],
                                const double u[])
{
  const lw_model *m = l->r.m;
  if (m->nu) memcpy(l->u, u, (size_t)m->nu * sizeof(double));
  lw_status status = lw_forward_dynamics(w, t, q, l->u, NULL, l->udot);
  if (status == LW_OK) status = reduce(l, w, t, q);
  if (status != LW_OK) return status;
  find_kin(l);
  if (l->r.nrow == 0) {
    project(l, l->dU, l->C);
    return LW_OK;
  }
  status = lw_linearize_forward(l->derivatives, t, q, l->u, NULL, l->udot);
  if (status == LW_OK) status = derivative_columns(l);
  l->stiffness = fmax(l->stiffness, lwi_largest(l->K, l->r.n * l->r.n));
  return status;
}

/* ---- frequencies of the stiffness alone ---- */

lw_status lwi_linearized_stiffness(const lwi_linearized *l, double squares[], double V[])
{
  const int n = l->r.n;
  double *B = calloc((size_t)n * (size_t)n + 1, sizeof *B);
  if (!B) return LW_E_MEMORY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      V[i * n + j] = 0.5 * (l->K[i * n + j] + l->K[j * n + i]);
      B[i * n + j] = 0.5 * (l->M[i * n + j] + l->M[j * n + i]);
    }
  const lw_status status = lwi_lapack_eigen_definite(n, V, B, squares);
  free(B);
  return status;
}

double lwi_linearized_noise(const double N[], const double V[], int nu, int n, int k,
                            double stiffness, double most)
{
  double size = 0;
  for (int i = 0; i < nu; i++) {
    double x = 0;
    for (int j = 0; j < n; j++)
      x += N[i * n + j] * V[j * n + k];
    size += x * x;
  }
  return fmax(1e-10 * stiffness * size, 1e-12 * most);
}
