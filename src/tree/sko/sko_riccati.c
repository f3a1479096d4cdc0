/* SPDX-License-Identifier: Apache-2.0 */
/* sko_riccati.c -- articulated-body recursion, factors and inverse of the mass matrix, forward
   dynamics, for nodes of any size.  [Jain2012] section 2.4; docs/theory/sko.md.

     P(k) = M(k) + sum over children of A P+ A*,   D = H P H*,   G = P H* D^-1,   P+ = P - G D G*
     Mass = (I + H A K) D (I + H A K)*,   (I + H A K)^-1 = I - H psi K

   Rotors of inertia a on the freedoms (armature) add diag(a) to D, and nothing else.
   With D = L L^T and U = H P:  W = L^-1 U gives P+ = P - W^T W and G^T = L^-T W. */
#include "tree/sko/sko.h"

#include <math.h>

/* D, G^T and, in the first square, W of a node whose P is complete. */
static lw_status factor_node(lw_sko *k, const lwi_sko_node *v)
{
  double *D = lwi_sko_L(k, v), *W = k->square[0];
  const double *H = lwi_sko_H(k, v);
  lwi_sko_zero(W, lwi_sko_area(v->r, v->n));
  lwi_sko_zero(D, lwi_sko_area(v->r, v->r));
  lwi_mul(v->r, v->n, v->n, 1, H, k->P + v->square, W); /* U = H P */
  lwi_mult(v->r, v->n, v->r, W, H, D);
  for (int i = 0; i < v->r; i++)
    D[lwi_sko_area(i, v->r) + (size_t)i] += k->rotor[v->freedom + i];
  double trace = 0;
  for (int i = 0; i < v->r; i++)
    trace += D[lwi_sko_area(i, v->r) + (size_t)i];
  if (!isfinite(trace)) return LW_E_NUMBER;
  if (!lwi_cholesky(v->r, D)) return LW_E_SINGULAR;
  lwi_solve_lower(v->r, v->n, D, W);
  lwi_sko_copy(lwi_sko_Gt(k, v), W, lwi_sko_area(v->r, v->n));
  lwi_solve_upper(v->r, v->n, D, lwi_sko_Gt(k, v));
  return LW_OK;
}

/* P(p) += A P+ A* */
static void hand_inertia(lw_sko *k, const lwi_sko_node *v)
{
  double *P_plus = k->square[1], *AP = k->square[2], *sum = k->square[0];
  lwi_sko_copy(P_plus, k->P + v->square, lwi_sko_area(v->n, v->n));
  lwi_tmul(v->n, v->r, v->n, -1, k->square[0], k->square[0], P_plus); /* P - W^T W */
  lwi_sko_congruence(v, lwi_sko_A(k, v), P_plus, AP, sum);
  lwi_sko_add_inner(k, v, sum, k->P);
}

lw_status lw_sko_factor(lw_sko *k)
{
  if (!k) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  k->has_factor = k->has_compliance = false;
  lwi_sko_copy(k->P, k->M, k->nsquare);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    const lw_status st = factor_node(k, v);
    if (st != LW_OK) return st;
    if (v->parent >= 0) hand_inertia(k, v);
  }
  k->has_factor = true;
  return LW_OK;
}

lw_status lw_sko_log_determinant(const lw_sko *k, double *logdet)
{
  if (!k || !logdet) return LW_E_ARG;
  if (!k->has_factor) return LW_E_STAGE;
  *logdet = 0;
  for (int i = 0; i < k->nnode; i++)
    *logdet += lwi_cholesky_log_determinant(k->node[i].r, lwi_sko_L(k, &k->node[i]));
  return LW_OK;
}

/* ---- Mass^-1 ---- */

/* y = (I - H psi K) y, the innovations: y(k) -= H z(k), z(p) += A(p, k) (z(k) + G y(k)) */
void lwi_sko_innovate(lw_sko *k, double *y)
{
  double *z = k->row_p;
  lwi_sko_zero(z, (size_t)k->nrow);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    lwi_mulv(v->r, v->n, -1, lwi_sko_H(k, v), z + v->row, y + v->freedom);
    if (v->parent < 0) continue;
    lwi_tmulv(v->r, v->n, 1, lwi_sko_Gt(k, v), y + v->freedom, z + v->row);
    lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), z + v->row, z + lwi_sko_inner_row(k, v));
  }
}

/* y = (I - H psi K)* y: y(k) -= G* A* w(p), w(k) = A* w(p) + H* y(k) */
void lwi_sko_innovate_back(lw_sko *k, double *y)
{
  double *w = k->row_p;
  lwi_sko_zero(w, (size_t)k->nrow);
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->parent >= 0) {
      lwi_tmulv(v->h, v->n, 1, lwi_sko_A(k, v), w + lwi_sko_inner_row(k, v), w + v->row);
      lwi_mulv(v->r, v->n, -1, lwi_sko_Gt(k, v), w + v->row, y + v->freedom);
    }
    lwi_tmulv(v->r, v->n, 1, lwi_sko_H(k, v), y + v->freedom, w + v->row);
  }
}

static void solve_D(const lw_sko *k, const lwi_sko_node *v, double *y)
{
  lwi_solve_lower(v->r, 1, lwi_sko_L(k, v), y + v->freedom);
  lwi_solve_upper(v->r, 1, lwi_sko_L(k, v), y + v->freedom);
}

void lwi_sko_solve(lw_sko *k, double *y)
{
  lwi_sko_innovate(k, y);
  for (int i = 0; i < k->nnode; i++)
    solve_D(k, &k->node[i], y);
  lwi_sko_innovate_back(k, y);
}

/* ---- forward dynamics ---- */

/* z(k) = P a + b + sum of A z+,  eps = T - H z,  z+ = z + G eps,  nu = D^-1 eps.  In: T, in nu. */
static void gather_bias(lw_sko *k, double *nu)
{
  double *z = k->row_p;
  lwi_sko_copy(z, k->b, (size_t)k->nrow);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    double *zv = z + v->row, *eps = nu + v->freedom;
    lwi_mulv(v->n, v->n, 1, k->P + v->square, k->a + v->row, zv);
    lwi_mulv(v->r, v->n, -1, lwi_sko_H(k, v), zv, eps);
    if (v->parent >= 0) {
      lwi_tmulv(v->r, v->n, 1, lwi_sko_Gt(k, v), eps, zv);
      lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), zv, z + lwi_sko_inner_row(k, v));
    }
    solve_D(k, v, nu);
  }
}

/* thdd(k) = nu - G* A* alpha(p),  alpha(k) = A* alpha(p) + H* thdd + a.  In: nu, in thdd. */
static void scatter_accelerations(lw_sko *k, double *thdd, double *alpha)
{
  lwi_sko_zero(alpha, (size_t)k->nrow);
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    double *av = alpha + v->row;
    if (v->parent >= 0) {
      lwi_tmulv(v->h, v->n, 1, lwi_sko_A(k, v), alpha + lwi_sko_inner_row(k, v), av);
      lwi_mulv(v->r, v->n, -1, lwi_sko_Gt(k, v), av, thdd + v->freedom);
    }
    lwi_tmulv(v->r, v->n, 1, lwi_sko_H(k, v), thdd + v->freedom, av);
    for (int l = 0; l < v->n; l++)
      av[l] += k->a[v->row + l];
  }
}

lw_status lw_sko_forward_dynamics(lw_sko *k, const double T[], double thdd[], double alpha[])
{
  if (!k || (k->nfreedom && !thdd)) return LW_E_ARG;
  if (!k->has_factor) return LW_E_STAGE;
  double *x = k->free1;
  lwi_sko_copy(x, k->load, (size_t)k->nfreedom);
  for (int j = 0; T && j < k->nfreedom; j++)
    x[j] += T[j];
  gather_bias(k, x);
  scatter_accelerations(k, x, k->row2);
  if (!lwi_all_finite(x, k->nfreedom)) return LW_E_NUMBER;
  lwi_sko_copy(thdd, x, (size_t)k->nfreedom);
  if (alpha) lwi_sko_copy(alpha, k->row2, (size_t)k->nrow);
  return LW_OK;
}
