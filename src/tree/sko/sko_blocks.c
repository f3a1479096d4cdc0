/* SPDX-License-Identifier: Apache-2.0 */
/* sko_blocks.c -- read and write the blocks of an SKO model. */
#include "tree/sko/sko.h"

static bool is_node(const lw_sko *k, int node)
{
  return node >= 0 && node < k->nnode;
}

lw_status lw_sko_set_block(lw_sko *k, lw_sko_block block, int node, const double x[])
{
  if (!k || k->origin != LWI_SKO_OWN || !is_node(k, node) || !x) return LW_E_ARG;
  const lwi_sko_node *v = &k->node[node];
  switch (block) {
  case LW_SKO_BLOCK_H: lwi_sko_copy(lwi_sko_H(k, v), x, lwi_sko_area(v->r, v->n)); break;
  case LW_SKO_BLOCK_M: lwi_sko_copy(k->M + v->square, x, lwi_sko_area(v->n, v->n)); break;
  case LW_SKO_BLOCK_A:
    if (v->parent < 0) return LW_E_ARG;
    lwi_sko_copy(lwi_sko_A(k, v), x, lwi_sko_area(v->h, v->n));
    break;
  default: return LW_E_ARG;
  }
  lwi_sko_renewed(k);
  return LW_OK;
}

lw_status lw_sko_set_terms(lw_sko *k, const double a[], const double b[], const double load[])
{
  if (!k || k->origin != LWI_SKO_OWN) return LW_E_ARG;
  lwi_sko_zero(k->a, (size_t)k->nrow);
  lwi_sko_zero(k->b, (size_t)k->nrow);
  lwi_sko_zero(k->load, (size_t)k->nfreedom);
  if (a) lwi_sko_copy(k->a, a, (size_t)k->nrow);
  if (b) lwi_sko_copy(k->b, b, (size_t)k->nrow);
  if (load) lwi_sko_copy(k->load, load, (size_t)k->nfreedom);
  return LW_OK;
}

lw_status lw_sko_get_terms(const lw_sko *k, double a[], double b[], double load[])
{
  if (!k) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  if (a) lwi_sko_copy(a, k->a, (size_t)k->nrow);
  if (b) lwi_sko_copy(b, k->b, (size_t)k->nrow);
  if (load) lwi_sko_copy(load, k->load, (size_t)k->nfreedom);
  return LW_OK;
}

/* ---- read ---- */

/* all rows of the weight, those that are zero too */
static void get_weight(const lw_sko *k, const lwi_sko_node *v, double *x)
{
  lwi_sko_zero(x, lwi_sko_area(k->node[v->parent].n, v->n));
  lwi_sko_copy(x + lwi_sko_area(v->at, v->n), lwi_sko_A(k, v), lwi_sko_area(v->h, v->n));
}

/* P - G D G* */
static void get_P_plus(const lw_sko *k, const lwi_sko_node *v, double *x)
{
  double *W = k->square[0]; /* L^T G^T */
  const double *L = lwi_sko_L(k, v), *Gt = lwi_sko_Gt(k, v);
  lwi_sko_zero(W, lwi_sko_area(v->r, v->n));
  for (int i = 0; i < v->r; i++)
    for (int j = 0; j <= i; j++)
      lwi_mul(1, 1, v->n, 1, &L[lwi_sko_area(i, v->r) + (size_t)j], Gt + lwi_sko_area(i, v->n),
              W + lwi_sko_area(j, v->n));
  lwi_sko_copy(x, k->P + v->square, lwi_sko_area(v->n, v->n));
  lwi_tmul(v->n, v->r, v->n, -1, W, W, x);
}

/* L L^T */
static void get_D(const lw_sko *k, const lwi_sko_node *v, double *x)
{
  const double *L = lwi_sko_L(k, v);
  for (int i = 0; i < v->r; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      lwi_mulv(1, j + 1, 1, L + lwi_sko_area(i, v->r), L + lwi_sko_area(j, v->r), &sum);
      x[lwi_sko_area(i, v->r) + (size_t)j] = x[lwi_sko_area(j, v->r) + (size_t)i] = sum;
    }
}

static void get_G(const lw_sko *k, const lwi_sko_node *v, double *x)
{
  const double *Gt = lwi_sko_Gt(k, v);
  for (int i = 0; i < v->n; i++)
    for (int j = 0; j < v->r; j++)
      x[lwi_sko_area(i, v->r) + (size_t)j] = Gt[lwi_sko_area(j, v->n) + (size_t)i];
}

/* 1 - G H */
static void get_tau_bar(const lw_sko *k, const lwi_sko_node *v, double *x)
{
  lwi_sko_zero(x, lwi_sko_area(v->n, v->n));
  for (int i = 0; i < v->n; i++)
    x[lwi_sko_area(i, v->n) + (size_t)i] = 1;
  lwi_tmul(v->n, v->r, v->n, -1, lwi_sko_Gt(k, v), lwi_sko_H(k, v), x);
}

lw_status lw_sko_get_block(const lw_sko *k, lw_sko_block block, int node, double x[])
{
  if (!k || !is_node(k, node) || !x) return LW_E_ARG;
  if (!k->has_numbers || (block >= LW_SKO_BLOCK_P && !k->has_factor)) return LW_E_STAGE;
  const lwi_sko_node *v = &k->node[node];
  if (block == LW_SKO_BLOCK_A && v->parent < 0) return LW_E_ARG;
  switch (block) {
  case LW_SKO_BLOCK_H: lwi_sko_copy(x, lwi_sko_H(k, v), lwi_sko_area(v->r, v->n)); break;
  case LW_SKO_BLOCK_A: get_weight(k, v, x); break;
  case LW_SKO_BLOCK_M: lwi_sko_copy(x, k->M + v->square, lwi_sko_area(v->n, v->n)); break;
  case LW_SKO_BLOCK_P: lwi_sko_copy(x, k->P + v->square, lwi_sko_area(v->n, v->n)); break;
  case LW_SKO_BLOCK_P_PLUS: get_P_plus(k, v, x); break;
  case LW_SKO_BLOCK_D: get_D(k, v, x); break;
  case LW_SKO_BLOCK_G: get_G(k, v, x); break;
  case LW_SKO_BLOCK_TAU_BAR: get_tau_bar(k, v, x); break;
  default: return LW_E_ARG;
  }
  return LW_OK;
}
