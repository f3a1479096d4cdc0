/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/linear.h"
#include "analysis/bracket.h"
#include "linalg/dense.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static void carve(lwi_linear *l, const lw_model *m, lwi_carver *c)
{
  const size_t nu = (size_t)m->nu, square = nu * nu;
  l->r = lwi_reduction_carve(m, c);
  double **const squares[] = {&l->M, &l->C, &l->K, &l->kin, &l->mass, &l->dQ, &l->dU, &l->X};
  for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
    *squares[i] = LWI_CARVE(c, square, double);
  l->load = LWI_CARVE(c, nu, double);
  l->u = LWI_CARVE(c, nu, double);
  l->udot = LWI_CARVE(c, nu, double);
}

bool lwi_linear_init(lwi_linear *l, const lw_model *m)
{
  lwi_carver c = {0};
  *l = (lwi_linear){0};
  carve(l, m, &c);
  const size_t size = (c.used + 127) & ~(size_t)63;
  l->block = aligned_alloc(64, size);
  if (!l->block) return false;
  memset(l->block, 0, size);
  c = (lwi_carver){.base = l->block};
  carve(l, m, &c);
  l->derivatives = lw_derivatives_new(m);
  if (!l->derivatives) lwi_linear_free(l);
  return l->derivatives != NULL;
}

void lwi_linear_free(lwi_linear *l)
{
  lw_derivatives_free(l->derivatives);
  free(l->block);
  *l = (lwi_linear){0};
}

/* ---- derivatives of what the tree needs ---- */

static void demand(const lw_model *m, lw_work *w, double t, const double q[], const double u[],
                   const double udot[], double out[])
{
  if (w->closure)
    lwi_closure_demand(m, w, t, q, u, udot, out);
  else
    w->kernels->inverse(m, w->tree, t, q, u, udot, out);
}

static lw_status find_slopes(lwi_linear *l)
{
  lwi_reduction *r = &l->r;
  if (lw_inverse_dynamics_derivatives(r->m, l->derivatives, r->t, r->q, l->u, l->udot, l->dQ, l->dU,
                                      NULL) == LW_OK)
    return LW_OK;
  const lw_model *m = r->m;
  const int nu = r->nu;
  double *q = calloc((size_t)(2 * m->nq + 4 * nu + 1), sizeof(double)), *rate = q + m->nq,
         *x = rate + m->nq, *a = x + nu, *b = a + nu;
  if (!q) return LW_E_MEMORY;
  const double h = 1e-6;
  for (int j = 0; j < nu; j++)
    for (int kind = 0; kind < 2; kind++) {
      for (int side = 0; side < 2; side++) {
        const double s = side ? -h : h;
        memset(x, 0, (size_t)nu * sizeof(double));
        x[j] = s;
        if (kind == 0) {
          lw_coordinate_rates(m, r->q, x, rate);
          for (int i = 0; i < m->nq; i++)
            q[i] = r->q[i] + rate[i];
          lw_normalize(m, q);
          demand(m, r->w, r->t, q, l->u, l->udot, side ? b : a);
        } else {
          for (int i = 0; i < nu; i++)
            x[i] += l->u[i];
          demand(m, r->w, r->t, r->q, x, l->udot, side ? b : a);
        }
      }
      for (int i = 0; i < nu; i++)
        (kind ? l->dU : l->dQ)[i * nu + j] = (a[i] - b[i]) / (2 * h);
    }
  free(q);
  return LW_OK;
}

/* ---- the reduced matrices ---- */

static double largest(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* out[n][n] = N' A N */
static void project(lwi_linear *l, const double *A, double *out)
{
  const int nu = l->r.nu, n = l->r.n;
  memset(l->X, 0, (size_t)nu * (size_t)n * sizeof(double));
  memset(out, 0, (size_t)n * (size_t)n * sizeof(double));
  lwi_mul(nu, nu, n, 1, A, l->r.N, l->X);
  lwi_tmul(n, nu, n, 1, l->r.N, l->X, out);
}

static void get_column(const lwi_linear *l, int k, double out[])
{
  for (int j = 0; j < l->r.nu; j++)
    out[j] = l->r.N[j * l->r.n + k];
}

/* dependent speeds that answer what rows lack: x[nu] = T rows there, else 0 */
static void answer(const lwi_linear *l, const double rows[], double x[])
{
  const lwi_reduction *r = &l->r;
  memset(x, 0, (size_t)r->nu * sizeof(double));
  for (int i = 0; i < r->rank; i++)
    for (int k = 0; k < r->nrow; k++)
      x[r->dependent[i]] += r->T[i * r->nrow + k] * rows[k];
}

/* column k of out[n][n] += N' A x */
static void add_column(const lwi_linear *l, const double *A, const double x[], int k, double *out)
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

/* out[nrow] = D_x gamma(u, u) */
static void gamma_slope(const lwi_linear *l, const double x[], double out[], double *room)
{
  const lwi_reduction *r = &l->r;
  const lw_model *m = r->m;
  double *q = room, *rate = q + m->nq, *step = rate + m->nq, *g = step + r->nu;
  memset(out, 0, (size_t)r->nrow * sizeof(double));
  static const double weights[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  const double h = 2e-3;
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    for (int i = 0; i < r->nu; i++)
      step[i] = k * h * x[i];
    lw_coordinate_rates(m, r->q, step, rate);
    for (int i = 0; i < m->nq; i++)
      q[i] = r->q[i] + rate[i];
    lw_normalize(m, q);
    lwi_gamma_at(r, q, l->u, g);
    for (int i = 0; i < r->nrow; i++)
      out[i] += (k > 0 ? 1 : -1) * weights[abs(k) - 1] / h * g[i];
  }
}

/* What dependent speeds and accelerations add: Y, Yw and Ya of linear.h, a column at a time. */
static lw_status add_dependent(lwi_linear *l, bool moving)
{
  const lwi_reduction *r = &l->r;
  const int nu = r->nu, nrow = r->nrow;
  const size_t need = (size_t)(3 * nu + 4 * nrow + 2 * r->m->nq + nu + 1);
  double *x = calloc(need, sizeof *x), *y = x + nu, *a = y + nu, *rows = a + nu,
         *more = rows + nrow, *room = more + nrow;
  if (!x) return LW_E_MEMORY;
  for (int k = 0; k < r->n; k++) {
    get_column(l, k, x);
    lwi_bend(r, x, l->udot, rows);
    for (int i = 0; i < nrow; i++)
      rows[i] = -rows[i];
    if (moving) {
      lwi_bend(r, x, l->u, more);
      answer(l, more, y);
      for (int i = 0; i < nu; i++)
        y[i] = -y[i];
      add_column(l, l->dU, y, k, l->K);
      lwi_gamma(r, l->u, y, more);
      for (int i = 0; i < nrow; i++)
        rows[i] += 2 * more[i];
      gamma_slope(l, x, more, room);
      for (int i = 0; i < nrow; i++)
        rows[i] += more[i];
      lwi_gamma(r, l->u, x, more);
      answer(l, more, a);
      for (int i = 0; i < nu; i++)
        a[i] *= 2;
      add_column(l, l->mass, a, k, l->C);
    }
    answer(l, rows, a);
    add_column(l, l->mass, a, k, l->K);
  }
  free(x);
  return LW_OK;
}

/* z' = w + kin z: the bracket of each displacement with the speeds, of the independent ones */
static void find_kin(lwi_linear *l)
{
  const lwi_reduction *r = &l->r;
  double *x = r->room + 3 * r->nu, *y = x + r->nu;
  for (int k = 0; k < r->n; k++) {
    get_column(l, k, x);
    lwi_bracket(r->m, l->u, x, y);
    for (int i = 0; i < r->n; i++)
      l->kin[i * r->n + k] = -y[r->independent[i]];
  }
}

static void find_load(lwi_linear *l)
{
  memset(l->load, 0, (size_t)l->r.n * sizeof(double));
  lwi_tmulv(l->r.nu, l->r.n, 1, l->r.N, l->r.demand, l->load);
}

/* after u and udot */
static lw_status find_all(lwi_linear *l, lw_work *w, double t, const double q[], bool moving,
                          bool accelerated)
{
  lwi_reduction *r = &l->r;
  const lw_model *m = r->m;
  lw_status status = lwi_reduction_balance(r, w, t, q, l->u, l->udot);
  if (status == LW_OK) status = lwi_reduction_split(r);
  if (status == LW_OK) status = lw_mass_matrix(m, w, q, l->mass);
  if (status == LW_OK) status = find_slopes(l);
  if (status != LW_OK) return status;
  project(l, l->mass, l->M);
  project(l, l->dU, l->C);
  project(l, l->dQ, l->K);
  find_load(l);
  memset(l->kin, 0, (size_t)r->n * (size_t)r->n * sizeof(double));
  if (moving) find_kin(l);
  l->stiffness = fmax(largest(l->dQ, r->nu * r->nu), largest(l->K, r->n * r->n));
  if (r->nrow == 0) return LW_OK;
  lwi_add_geometric_stiffness(r, -1, l->K);
  l->stiffness = fmax(l->stiffness, largest(l->K, r->n * r->n));
  return accelerated ? add_dependent(l, moving) : LW_OK;
}

lw_status lwi_linear_rest(lwi_linear *l, lw_work *w, double t, const double q[])
{
  memset(l->u, 0, (size_t)l->r.nu * sizeof(double));
  memset(l->udot, 0, (size_t)l->r.nu * sizeof(double));
  return find_all(l, w, t, q, false, false);
}

/* M a = -load, udot = N a; false: M is singular */
static bool let_go(lwi_linear *l)
{
  const int n = l->r.n, nu = l->r.nu;
  double *a = l->r.room;
  memcpy(l->X, l->M, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++)
    a[i] = -l->load[i];
  if (LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, l->X, n, a, 1) != 0) return false;
  memset(l->udot, 0, (size_t)nu * sizeof(double));
  lwi_mulv(nu, n, 1, l->r.N, a, l->udot);
  return true;
}

lw_status lwi_linear_from_rest(lwi_linear *l, lw_work *w, double t, const double q[])
{
  const lw_status status = lwi_linear_rest(l, w, t, q);
  const double scale = fmax(l->stiffness, largest(l->r.demand, l->r.nu));
  if (status != LW_OK || largest(l->load, l->r.n) <= 1e-11 * scale) return status;
  if (!let_go(l)) return LW_E_SINGULAR;
  return find_all(l, w, t, q, false, true);
}

lw_status lwi_linear_motion(lwi_linear *l, lw_work *w, double t, const double q[], const double u[])
{
  const lw_model *m = l->r.m;
  memcpy(l->u, u, (size_t)m->nu * sizeof(double));
  const lw_status status = lw_forward_dynamics(m, w, t, q, l->u, NULL, l->udot);
  if (status != LW_OK) return status;
  return find_all(l, w, t, q, largest(u, m->nu) > 0, true);
}

/* ---- frequencies of the stiffness alone ---- */

lw_status lwi_linear_stiffness(const lwi_linear *l, double squares[], double V[])
{
  const int n = l->r.n;
  double *B = calloc((size_t)n * (size_t)n + 1, sizeof *B);
  if (!B) return LW_E_MEMORY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      V[i * n + j] = 0.5 * (l->K[i * n + j] + l->K[j * n + i]);
      B[i * n + j] = 0.5 * (l->M[i * n + j] + l->M[j * n + i]);
    }
  const int info =
      n == 0 ? 0 : LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, V, n, B, n, squares);
  free(B);
  return info == 0 ? LW_OK : info > n ? LW_E_SINGULAR : LW_E_NOT_CONVERGED;
}

double lwi_linear_noise(const double N[], const double V[], int nu, int n, int k, double stiffness,
                        double most)
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
