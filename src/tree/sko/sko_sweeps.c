/* SPDX-License-Identifier: Apache-2.0 */
/* sko_sweeps.c -- products with A and psi as sweeps over the tree, in place.  [Jain2012] section
   2.4.

   Inward (gather), a node is complete when all that it carries has arrived; outward (scatter), when
   its parent has been.  tau_bar is never formed: tau_bar y = y - G (H y), tau_bar* y = y - H* (G*
   y). */
#include "tree/sko/sko.h"

void lwi_sko_gather_rows(const lw_sko *k, double *y)
{
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->parent < 0) continue;
    lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), y + v->row, y + lwi_sko_inner_row(k, v));
  }
}

void lwi_sko_scatter_rows(const lw_sko *k, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->parent < 0) continue;
    lwi_tmulv(v->h, v->n, 1, lwi_sko_A(k, v), y + lwi_sko_inner_row(k, v), y + v->row);
  }
}

/* y(p) += A(p, k) tau_bar(k) y(k) */
void lwi_sko_gather_rows_psi(const lw_sko *k, double *y)
{
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    double *x = k->part, *Hy = k->free2 + v->freedom;
    if (v->parent < 0) continue;
    lwi_sko_copy(x, y + v->row, (size_t)v->n);
    lwi_sko_zero(Hy, (size_t)v->r);
    lwi_mulv(v->r, v->n, 1, lwi_sko_H(k, v), x, Hy);
    lwi_tmulv(v->r, v->n, -1, lwi_sko_Gt(k, v), Hy, x);
    lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), x, y + lwi_sko_inner_row(k, v));
  }
}

/* y(k) += tau_bar(k)* A(p, k)* y(p) */
void lwi_sko_scatter_rows_psi(const lw_sko *k, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    double *x = k->part, *Gx = k->free2 + v->freedom, *yv = y + v->row;
    if (v->parent < 0) continue;
    lwi_sko_zero(x, (size_t)v->n);
    lwi_sko_zero(Gx, (size_t)v->r);
    lwi_tmulv(v->h, v->n, 1, lwi_sko_A(k, v), y + lwi_sko_inner_row(k, v), x);
    lwi_mulv(v->r, v->n, 1, lwi_sko_Gt(k, v), x, Gx);
    lwi_tmulv(v->r, v->n, -1, lwi_sko_H(k, v), Gx, x);
    for (int l = 0; l < v->n; l++)
      yv[l] += x[l];
  }
}

void lwi_sko_add_H(const lw_sko *k, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_mulv(v->r, v->n, 1, lwi_sko_H(k, v), x + v->row, y + v->freedom);
  }
}

void lwi_sko_add_Ht(const lw_sko *k, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_tmulv(v->r, v->n, 1, lwi_sko_H(k, v), x + v->freedom, y + v->row);
  }
}

void lwi_sko_add_M(const lw_sko *k, const double *x, double *y)
{
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_mulv(v->n, v->n, 1, k->M + v->square, x + v->row, y + v->row);
  }
}
