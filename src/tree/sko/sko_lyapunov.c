/* SPDX-License-Identifier: Apache-2.0 */
/* sko_lyapunov.c -- the products A X A* and A* X A (or with psi) of a block-diagonal X, and the
   operational-space compliance.  [Jain2012] section 2.4; docs/theory/sko.md.

   Gather: R = X + sum over children of A R A* is the diagonal of A X A*; the blocks beside it
   follow from the path between two nodes.  Scatter: Y(k) = A(p, k)* Y(p) A(p, k) + X(k) is the
   diagonal of A* X A.  On a tree Y - E* Y E = X holds on the diagonal only: siblings fill blocks
   beside it. */
#include "tree/sko/sko.h"

/* ---- one edge ---- */

void lwi_sko_congruence(const lwi_sko_node *v, const double *W, const double *X, double *WX,
                        double *sum)
{
  lwi_sko_zero(WX, lwi_sko_area(v->h, v->n));
  lwi_sko_zero(sum, lwi_sko_area(v->h, v->h));
  lwi_mul(v->h, v->n, v->n, 1, W, X, WX);
  lwi_mult(v->h, v->n, v->h, WX, W, sum);
}

void lwi_sko_add_inner(const lw_sko *k, const lwi_sko_node *v, const double *sum, double *R)
{
  const lwi_sko_node *p = &k->node[v->parent];
  double *at = R + p->square + lwi_sko_area(v->at, p->n) + v->at;
  for (int i = 0; i < v->h; i++)
    for (int j = 0; j < v->h; j++)
      at[lwi_sko_area(i, p->n) + (size_t)j] += sum[lwi_sko_area(i, v->h) + (size_t)j];
}

/* inner[h][h]: what lwi_sko_add_inner adds to */
static void get_inner(const lw_sko *k, const lwi_sko_node *v, const double *Y, double *inner)
{
  const lwi_sko_node *p = &k->node[v->parent];
  const double *at = Y + p->square + lwi_sko_area(v->at, p->n) + v->at;
  for (int i = 0; i < v->h; i++)
    lwi_sko_copy(inner + lwi_sko_area(i, v->h), at + lwi_sko_area(i, p->n), (size_t)v->h);
}

/* The weight of A, or that of psi in the first square: A tau_bar = A - (A G) H.  Uses the third. */
static const double *edge_weight(lw_sko *k, lw_sko_operator op, const lwi_sko_node *v)
{
  const double *A = lwi_sko_A(k, v);
  double *W = k->square[0], *AG = k->square[2];
  if (op == LW_SKO_A) return A;
  lwi_sko_zero(AG, lwi_sko_area(v->h, v->r));
  lwi_mult(v->h, v->n, v->r, A, lwi_sko_Gt(k, v), AG);
  lwi_sko_copy(W, A, lwi_sko_area(v->h, v->n));
  lwi_mul(v->h, v->r, v->n, -1, AG, lwi_sko_H(k, v), W);
  return W;
}

/* ---- the diagonals, in place ---- */

static void gather_diagonal(lw_sko *k, lw_sko_operator op, double *R)
{
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->parent < 0) continue;
    lwi_sko_congruence(v, edge_weight(k, op, v), R + v->square, k->square[1], k->square[2]);
    lwi_sko_add_inner(k, v, k->square[2], R);
  }
}

static void scatter_diagonal(lw_sko *k, lw_sko_operator op, double *Y)
{
  double *inner = k->square[1], *YW = k->square[2];
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->parent < 0) continue;
    const double *W = edge_weight(k, op, v);
    get_inner(k, v, Y, inner);
    lwi_sko_zero(YW, lwi_sko_area(v->h, v->n));
    lwi_mul(v->h, v->h, v->n, 1, inner, W, YW);
    lwi_tmul(v->n, v->h, v->n, 1, W, YW, Y + v->square);
  }
}

static lw_status check(const lw_sko *k, lw_sko_operator op)
{
  if (!k || (op != LW_SKO_A && op != LW_SKO_PSI)) return LW_E_ARG;
  return !k->has_numbers || (op == LW_SKO_PSI && !k->has_factor) ? LW_E_STAGE : LW_OK;
}

lw_status lw_sko_gather(lw_sko *k, lw_sko_operator op, const double X[], double R[])
{
  const lw_status st = check(k, op);
  if (st != LW_OK) return st;
  if (k->nsquare && !R) return LW_E_ARG;
  lwi_sko_copy(R, X ? X : k->M, k->nsquare);
  gather_diagonal(k, op, R);
  return LW_OK;
}

lw_status lw_sko_scatter(lw_sko *k, lw_sko_operator op, const double X[], double Y[])
{
  const lw_status st = check(k, op);
  if (st != LW_OK) return st;
  if (k->nsquare && (!X || !Y)) return LW_E_ARG;
  lwi_sko_copy(Y, X, k->nsquare);
  scatter_diagonal(k, op, Y);
  return LW_OK;
}

/* ---- the blocks beside the diagonal: a matrix T of m columns goes along the path, from the second
        square to the third and back ---- */

static void swap_squares(lw_sko *k)
{
  double *t = k->square[1];
  k->square[1] = k->square[2];
  k->square[2] = t;
}

/* T = A(to, from) T for an ancestor `to` of `from` */
static void carry_inward(lw_sko *k, lw_sko_operator op, int from, int to, int m)
{
  for (int i = from; i != to; i = k->node[i].parent) {
    const lwi_sko_node *v = &k->node[i];
    const double *W = edge_weight(k, op, v);
    double *moved = k->square[2];
    lwi_sko_zero(moved, lwi_sko_area(k->node[v->parent].n, m));
    lwi_mul(v->h, v->n, m, 1, W, k->square[1], moved + lwi_sko_area(v->at, m));
    swap_squares(k);
  }
}

/* T = A(from, to)* T for a descendant `to` of `from` */
static void carry_outward(lw_sko *k, lw_sko_operator op, int from, int to, int m)
{
  while (from != to) {
    from = lw_tree_child_toward(k->tree, from, to);
    const lwi_sko_node *v = &k->node[from];
    const double *W = edge_weight(k, op, v);
    double *moved = k->square[2];
    lwi_sko_zero(moved, lwi_sko_area(v->n, m));
    lwi_tmul(v->n, v->h, m, 1, W, k->square[1] + lwi_sko_area(v->at, m), moved);
    swap_squares(k);
  }
}

/* to[m][n] = from[n][m]^T */
static void transpose(int m, int n, const double *from, double *to)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      to[lwi_sko_area(i, n) + (size_t)j] = from[lwi_sko_area(j, m) + (size_t)i];
}

static bool are_nodes(const lw_sko *k, int i, int j)
{
  return i >= 0 && i < k->nnode && j >= 0 && j < k->nnode;
}

lw_status lw_sko_gather_block(lw_sko *k, lw_sko_operator op, const double R[], int i, int j,
                              double block[])
{
  const lw_status st = check(k, op);
  if (st != LW_OK) return st;
  if (!R || !block || !are_nodes(k, i, j)) return LW_E_ARG;
  const int ni = k->node[i].n, nj = k->node[j].n;
  const bool turned = lw_tree_is_ancestor(k->tree, j, i);
  const int inner = turned ? j : i, outer = turned ? i : j, m = k->node[outer].n;
  lwi_sko_zero(block, lwi_sko_area(ni, nj));
  if (i != j && !lw_tree_is_ancestor(k->tree, inner, outer)) return LW_OK;
  lwi_sko_copy(k->square[1], R + k->node[outer].square, lwi_sko_area(m, m));
  carry_inward(k, op, outer, inner, m);
  if (turned)
    transpose(ni, nj, k->square[1], block);
  else
    lwi_sko_copy(block, k->square[1], lwi_sko_area(ni, nj));
  return LW_OK;
}

/* Y(c) goes out to j, turns, and goes out to i. */
lw_status lw_sko_scatter_block(lw_sko *k, lw_sko_operator op, const double Y[], int i, int j,
                               double block[])
{
  const lw_status st = check(k, op);
  if (st != LW_OK) return st;
  if (!Y || !block || !are_nodes(k, i, j)) return LW_E_ARG;
  const int ni = k->node[i].n, nj = k->node[j].n;
  const int c = lw_tree_common_ancestor(k->tree, i, j);
  lwi_sko_zero(block, lwi_sko_area(ni, nj));
  if (c < 0) return LW_OK;
  const int nc = k->node[c].n;
  lwi_sko_copy(k->square[1], Y + k->node[c].square, lwi_sko_area(nc, nc));
  carry_outward(k, op, c, j, nc);
  transpose(nc, nj, k->square[1], k->square[2]);
  swap_squares(k);
  carry_outward(k, op, c, i, nj);
  lwi_sko_copy(block, k->square[1], lwi_sko_area(ni, nj));
  return LW_OK;
}

/* ---- compliance ---- */

/* X(k) = H* D^-1 H = (L^-1 H)* (L^-1 H) */
lw_status lw_sko_compliance(lw_sko *k)
{
  if (!k) return LW_E_ARG;
  if (!k->has_factor) return LW_E_STAGE;
  double *LH = k->square[0];
  lwi_sko_zero(k->Y, k->nsquare);
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    lwi_sko_copy(LH, lwi_sko_H(k, v), lwi_sko_area(v->r, v->n));
    lwi_solve_lower(v->r, v->n, lwi_sko_L(k, v), LH);
    lwi_tmul(v->n, v->r, v->n, 1, LH, LH, k->Y + v->square);
  }
  scatter_diagonal(k, LW_SKO_PSI, k->Y);
  k->has_compliance = true;
  return LW_OK;
}

lw_status lw_sko_get_compliance(lw_sko *k, int i, int j, double block[])
{
  if (!k) return LW_E_ARG;
  if (!k->has_compliance) return LW_E_STAGE;
  return lw_sko_scatter_block(k, LW_SKO_PSI, k->Y, i, j, block);
}
