/* SPDX-License-Identifier: Apache-2.0 */
/* sko_apply.c -- products of the operators of an SKO model with stacked vectors, each O(nodes).
   [Jain2012] eqs (9), (18), (20), section 2.4; docs/theory/sko.md. */
#include "tree/sko/sko.h"

/* ---- y += s op x ---- */

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

static void add_G(const lw_sko *k, double s, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_tmulv(v->r, v->n, s, lwi_sko_Gt(k, v), x + v->freedom, y + v->row);
  }
}
static void add_Gt(const lw_sko *k, double s, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_mulv(v->r, v->n, s, lwi_sko_Gt(k, v), x + v->row, y + v->freedom);
  }
}

/* ---- y = op x, from y = 0 ---- */

/* (I - G H) x */
static void apply_tau_bar(lw_sko *k, const double *x, double *y)
{
  lwi_sko_zero(k->free1, (size_t)k->nfreedom);
  lwi_sko_add_H(k, x, k->free1);
  lwi_sko_copy(y, x, (size_t)k->nrow);
  add_G(k, -1, k->free1, y);
}
/* (I - H* G*) x */
static void apply_tau_bar_t(lw_sko *k, const double *x, double *y)
{
  lwi_sko_zero(k->free1, (size_t)k->nfreedom);
  add_Gt(k, -1, x, k->free1);
  lwi_sko_copy(y, x, (size_t)k->nrow);
  lwi_sko_add_Ht(k, k->free1, y);
}
/* E tau_bar x, and tau_bar* E* x */
static void apply_E_psi(lw_sko *k, const double *x, double *y)
{
  apply_tau_bar(k, x, k->row_p);
  add_E(k, 1, k->row_p, y);
}
static void apply_E_psi_t(lw_sko *k, const double *x, double *y)
{
  lwi_sko_zero(k->row_p, (size_t)k->nrow);
  add_Et(k, 1, x, k->row_p);
  apply_tau_bar_t(k, k->row_p, y);
}
/* E G x, and G* E* x */
static void apply_K(lw_sko *k, const double *x, double *y)
{
  lwi_sko_zero(k->row_p, (size_t)k->nrow);
  add_G(k, 1, x, k->row_p);
  add_E(k, 1, k->row_p, y);
}
static void apply_Kt(lw_sko *k, const double *x, double *y)
{
  lwi_sko_zero(k->row_p, (size_t)k->nrow);
  add_Et(k, 1, x, k->row_p);
  add_Gt(k, 1, k->row_p, y);
}

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
  lwi_sko_zero(k->row_p, (size_t)k->nrow);
  lwi_sko_zero(k->row2, (size_t)k->nrow);
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
  lwi_sko_zero(z, (size_t)k->nrow);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    lwi_sko_copy(y + v->freedom, x + v->freedom, (size_t)v->r);
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
  lwi_sko_zero(w, (size_t)k->nrow);
  lwi_sko_add_Ht(k, x, w);
  lwi_sko_scatter_rows(k, w);
  apply_Kt(k, w, y);
  for (int j = 0; j < k->nfreedom; j++)
    y[j] += x[j];
}

/* ---- all of them ---- */

/* which of the vectors are stacked freedoms, not rows; does it need lw_sko_factor? */
typedef struct {
  bool to_freedoms, from_freedoms, factored;
} shape;

static const shape shapes[] = {
    [LW_SKO_E] = {false, false, false},
    [LW_SKO_A] = {false, false, false},
    [LW_SKO_I_MINUS_E] = {false},
    [LW_SKO_H] = {true, false, false},
    [LW_SKO_M] = {false, false, false},
    [LW_SKO_MASS] = {true, true, false},
    [LW_SKO_D] = {true, true, true},
    [LW_SKO_G] = {false, true, true},
    [LW_SKO_K] = {false, true, true},
    [LW_SKO_TAU_BAR] = {false, false, true},
    [LW_SKO_E_PSI] = {false, false, true},
    [LW_SKO_PSI] = {false, false, true},
    [LW_SKO_FACTOR] = {true, true, true},
    [LW_SKO_FACTOR_INVERSE] = {true, true, true},
    [LW_SKO_MASS_INVERSE] = {true, true, true},
};

/* y = op x, or op* x; y is zero on entry, or x for those that work in place */
static void multiply(lw_sko *k, lw_sko_operator op, bool transposed, const double *x, double *y)
{
  switch (op) {
  case LW_SKO_E: (transposed ? add_Et : add_E)(k, 1, x, y); break;
  case LW_SKO_I_MINUS_E: (transposed ? add_Et : add_E)(k, -1, x, y); break;
  case LW_SKO_A: (transposed ? lwi_sko_scatter_rows : lwi_sko_gather_rows)(k, y); break;
  case LW_SKO_H: (transposed ? lwi_sko_add_Ht : lwi_sko_add_H)(k, x, y); break;
  case LW_SKO_M: lwi_sko_add_M(k, x, y); break;
  case LW_SKO_MASS: apply_mass(k, x, y); break;
  case LW_SKO_D: apply_D(k, x, y); break;
  case LW_SKO_G: (transposed ? add_Gt : add_G)(k, 1, x, y); break;
  case LW_SKO_K: (transposed ? apply_Kt : apply_K)(k, x, y); break;
  case LW_SKO_TAU_BAR: (transposed ? apply_tau_bar_t : apply_tau_bar)(k, x, y); break;
  case LW_SKO_E_PSI: (transposed ? apply_E_psi_t : apply_E_psi)(k, x, y); break;
  case LW_SKO_PSI: (transposed ? lwi_sko_scatter_rows_psi : lwi_sko_gather_rows_psi)(k, y); break;
  case LW_SKO_FACTOR: (transposed ? apply_factor_t : apply_factor)(k, x, y); break;
  case LW_SKO_FACTOR_INVERSE: (transposed ? lwi_sko_innovate_back : lwi_sko_innovate)(k, y); break;
  case LW_SKO_MASS_INVERSE: lwi_sko_solve(k, y); break;
  }
}

static bool works_in_place(lw_sko_operator op)
{
  return op == LW_SKO_I_MINUS_E || op == LW_SKO_A || op == LW_SKO_PSI ||
         op == LW_SKO_FACTOR_INVERSE || op == LW_SKO_MASS_INVERSE;
}

static lw_status apply(lw_sko *k, lw_sko_operator op, bool transposed, const double x[], double y[])
{
  if (!k || (int)op < 0 || (size_t)op >= sizeof shapes / sizeof *shapes) return LW_E_ARG;
  const shape *o = &shapes[op];
  const int nx = (transposed ? o->to_freedoms : o->from_freedoms) ? k->nfreedom : k->nrow;
  const int ny = (transposed ? o->from_freedoms : o->to_freedoms) ? k->nfreedom : k->nrow;
  if ((nx && !x) || (ny && !y)) return LW_E_ARG;
  if (!k->has_numbers || (o->factored && !k->has_factor)) return LW_E_STAGE;
  if (works_in_place(op))
    lwi_sko_copy(y, x, (size_t)ny);
  else
    lwi_sko_zero(y, (size_t)ny);
  multiply(k, op, transposed, x, y);
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
