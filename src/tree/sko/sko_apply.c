/* SPDX-License-Identifier: Apache-2.0 */
/* sko_apply.c -- products of the operators of an SKO model with stacked vectors, each O(nodes).
   [Jain2012] eqs (9), (18), (20), section 2.4; docs/theory/sko.md. */
#include "tree/sko/sko.h"

/* y = op x; y is zero on entry */
typedef void product(lw_sko *k, const double *x, double *y);

/* ---- rows <- rows ---- */

static void add_E(const lw_sko *k, double s, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    if (v->parent < 0) continue;
    lwi_mulv(v->h, v->n, s, lwi_sko_A(k, v), x + v->row, y + lwi_sko_inner_row(k, v));
  }
}

static void add_Et(const lw_sko *k, double s, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    if (v->parent < 0) continue;
    lwi_tmulv(v->h, v->n, s, lwi_sko_A(k, v), x + lwi_sko_inner_row(k, v), y + v->row);
  }
}

static void apply_E(lw_sko *k, const double *x, double *y)
{
  add_E(k, 1, x, y);
}
static void apply_Et(lw_sko *k, const double *x, double *y)
{
  add_Et(k, 1, x, y);
}
static void apply_A(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  lwi_sko_gather_rows(k, y);
}
static void apply_At(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  lwi_sko_scatter_rows(k, y);
}
static void apply_I_minus_E(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  add_E(k, -1, x, y);
}
static void apply_I_minus_Et(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  add_Et(k, -1, x, y);
}
static void apply_M(lw_sko *k, const double *x, double *y)
{
  lwi_sko_add_M(k, x, y);
}
static void apply_psi(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  lwi_sko_gather_rows_psi(k, y);
}
static void apply_psit(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nrow);
  lwi_sko_scatter_rows_psi(k, y);
}

/* ---- freedoms and rows ---- */

static void apply_H(lw_sko *k, const double *x, double *y)
{
  lwi_sko_add_H(k, x, y);
}
static void apply_Ht(lw_sko *k, const double *x, double *y)
{
  lwi_sko_add_Ht(k, x, y);
}

static void add_G(const lw_sko *k, double s, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_tmulv(v->r, v->n, s, lwi_sko_Gt(k, v), x + v->freedom, y + v->row);
  }
}
static void apply_G(lw_sko *k, const double *x, double *y)
{
  add_G(k, 1, x, y);
}
static void apply_Gt(lw_sko *k, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_mulv(v->r, v->n, 1, lwi_sko_Gt(k, v), x + v->row, y + v->freedom);
  }
}

/* (I - G H) x */
static void apply_tau_bar(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->free1, (size_t)k->nfreedom);
  lwi_sko_add_H(k, x, k->free1);
  lwi_copy(y, x, (size_t)k->nrow);
  add_G(k, -1, k->free1, y);
}
/* (I - H* G*) x */
static void apply_tau_bar_t(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->free1, (size_t)k->nfreedom);
  apply_Gt(k, x, k->free1);
  for (int j = 0; j < k->nfreedom; j++)
    k->free1[j] = -k->free1[j];
  lwi_copy(y, x, (size_t)k->nrow);
  lwi_sko_add_Ht(k, k->free1, y);
}
/* E tau_bar x */
static void apply_E_psi(lw_sko *k, const double *x, double *y)
{
  apply_tau_bar(k, x, k->row_p);
  add_E(k, 1, k->row_p, y);
}
/* tau_bar* E* x */
static void apply_E_psi_t(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->row_p, (size_t)k->nrow);
  add_Et(k, 1, x, k->row_p);
  apply_tau_bar_t(k, k->row_p, y);
}
/* E G x */
static void apply_K(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->row_p, (size_t)k->nrow);
  add_G(k, 1, x, k->row_p);
  add_E(k, 1, k->row_p, y);
}
/* G* E* x */
static void apply_Kt(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->row_p, (size_t)k->nrow);
  add_Et(k, 1, x, k->row_p);
  apply_Gt(k, k->row_p, y);
}

/* ---- freedoms <- freedoms ---- */

static void apply_D(lw_sko *k, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_cholesky_multiply(v->r, lwi_sko_L(k, v), x + v->freedom, y + v->freedom);
  }
}

/* H A M A* H* x, and rotors */
static void apply_mass(lw_sko *k, const double *x, double *y)
{
  lwi_zero(k->row_p, (size_t)k->nrow);
  lwi_zero(k->row2, (size_t)k->nrow);
  lwi_sko_add_Ht(k, x, k->row_p);
  lwi_sko_scatter_rows(k, k->row_p);
  lwi_sko_add_M(k, k->row_p, k->row2);
  lwi_sko_gather_rows(k, k->row2);
  lwi_sko_add_H(k, k->row2, y);
  for (int j = 0; j < k->nfreedom; j++)
    y[j] += k->rotor[j] * x[j];
}

/* x + H A K x: z = A K x obeys z(p) = sum of A(p, k) (z(k) + G x(k)) */
static void apply_factor(lw_sko *k, const double *x, double *y)
{
  double *z = k->row_p;
  lwi_zero(z, (size_t)k->nrow);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    lwi_copy(y + v->freedom, x + v->freedom, (size_t)v->r);
    lwi_mulv(v->r, v->n, 1, lwi_sko_H(k, v), z + v->row, y + v->freedom);
    if (v->parent < 0) continue;
    lwi_tmulv(v->r, v->n, 1, lwi_sko_Gt(k, v), x + v->freedom, z + v->row);
    lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), z + v->row, z + lwi_sko_inner_row(k, v));
  }
}

/* x + K* A* H* x */
static void apply_factor_t(lw_sko *k, const double *x, double *y)
{
  double *w = k->row2;
  lwi_zero(w, (size_t)k->nrow);
  lwi_sko_add_Ht(k, x, w);
  lwi_sko_scatter_rows(k, w);
  apply_Kt(k, w, y);
  for (int j = 0; j < k->nfreedom; j++)
    y[j] += x[j];
}

static void apply_factor_inverse(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nfreedom);
  lwi_sko_innovate(k, y);
}
static void apply_factor_inverse_t(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nfreedom);
  lwi_sko_innovate_back(k, y);
}
static void apply_mass_inverse(lw_sko *k, const double *x, double *y)
{
  lwi_copy(y, x, (size_t)k->nfreedom);
  lwi_sko_solve(k, y);
}

/* ---- the table ---- */

typedef struct {
  product *plain, *transposed;
  bool to_freedoms, from_freedoms, factored;
} operator_row;

static const operator_row operators[] = {
    [LW_SKO_E] = {apply_E, apply_Et, false, false, false},
    [LW_SKO_A] = {apply_A, apply_At, false, false, false},
    [LW_SKO_I_MINUS_E] = {apply_I_minus_E, apply_I_minus_Et, false, false, false},
    [LW_SKO_H] = {apply_H, apply_Ht, true, false, false},
    [LW_SKO_M] = {apply_M, apply_M, false, false, false},
    [LW_SKO_MASS] = {apply_mass, apply_mass, true, true, false},
    [LW_SKO_D] = {apply_D, apply_D, true, true, true},
    [LW_SKO_G] = {apply_G, apply_Gt, false, true, true},
    [LW_SKO_K] = {apply_K, apply_Kt, false, true, true},
    [LW_SKO_TAU_BAR] = {apply_tau_bar, apply_tau_bar_t, false, false, true},
    [LW_SKO_E_PSI] = {apply_E_psi, apply_E_psi_t, false, false, true},
    [LW_SKO_PSI] = {apply_psi, apply_psit, false, false, true},
    [LW_SKO_FACTOR] = {apply_factor, apply_factor_t, true, true, true},
    [LW_SKO_FACTOR_INVERSE] = {apply_factor_inverse, apply_factor_inverse_t, true, true, true},
    [LW_SKO_MASS_INVERSE] = {apply_mass_inverse, apply_mass_inverse, true, true, true},
};

static lw_status apply(lw_sko *k, lw_sko_operator op, bool transposed, const double x[], double y[])
{
  if (!k || (int)op < 0 || (size_t)op >= sizeof operators / sizeof *operators) return LW_E_ARG;
  const operator_row *o = &operators[op];
  const int nx = (transposed ? o->to_freedoms : o->from_freedoms) ? k->nfreedom : k->nrow;
  const int ny = (transposed ? o->from_freedoms : o->to_freedoms) ? k->nfreedom : k->nrow;
  if ((nx && !x) || (ny && !y)) return LW_E_ARG;
  if (!k->has_numbers || (o->factored && !k->has_factor)) return LW_E_STAGE;
  lwi_zero(y, (size_t)ny);
  (transposed ? o->transposed : o->plain)(k, x, y);
  return LW_OK;
}

lw_status lw_sko_apply(lw_sko *k, lw_sko_operator op, const double x[], double y[])
{
  return apply(k, op, false, x, y);
}

lw_status lw_sko_apply_transposed(lw_sko *k, lw_sko_operator op, const double x[], double y[])
{
  return apply(k, op, true, x, y);
}
