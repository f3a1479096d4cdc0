/* SPDX-License-Identifier: Apache-2.0 */
/* sko_partition.c -- a model divided by a path-induced set into children C, set S and parents P.
   [Jain2012] section 4:

     E = [E_C 0 0; B E_S 0; 0 E_PS E_P]                                                  (22)
     A = [A_C 0 0; A_S B A_C  A_S  0; A_P E_PS A_S B A_C  A_P E_PS A_S  A_P]             (24)

   The connectors B and E_PS are the weights of the edges from one part to the next. */
#include "tree/sko/sko.h"

#include <stdlib.h>

enum { NPART = 3 };

struct lw_sko_partition {
  lw_sko *source;
  lw_sko *part[NPART];
  double *x[NPART], *y[NPART]; /* rows of each part: scratch */
  double *unit;                /* freedoms of P: scratch */
};

/* ---- make ---- */

static bool add_part(lw_sko_partition *p, const unsigned char part[], unsigned char set[], int i,
                     lw_error *err)
{
  for (int v = 0; v < p->source->nnode; v++)
    set[v] = part[v] == i;
  p->part[i] = lw_sko_restrict(p->source, set, err);
  return p->part[i] != NULL;
}

static bool add_parts(lw_sko_partition *p, const unsigned char set[], unsigned char *part,
                      lw_error *err)
{
  const lw_status st = lw_tree_partition(p->source->tree, set, part);
  lwi_set_status(err, st);
  bool done = st == LW_OK;
  for (int i = 0; i < NPART && done; i++)
    done = add_part(p, part, part + p->source->nnode, i, err);
  return done;
}

static bool add_scratch(lw_sko_partition *p, lw_error *err)
{
  size_t rows = 0;
  for (int i = 0; i < NPART; i++)
    rows += (size_t)p->part[i]->nrow;
  const size_t count = 2 * rows + (size_t)p->part[LW_PART_PARENT]->nfreedom + 1;
  double *at = p->unit = (double *)lwi_graph_alloc(count * sizeof *at);
  if (!at) return lwi_set_status(err, LW_E_MEMORY), false;
  at += p->part[LW_PART_PARENT]->nfreedom;
  for (int i = 0; i < NPART; i++) {
    p->x[i] = at;
    p->y[i] = at + rows;
    at += p->part[i]->nrow;
  }
  return true;
}

lw_sko_partition *lw_sko_partition_new(lw_sko *source, const unsigned char set[], lw_error *err)
{
  if (!source || !set) return lwi_refuse(err, LW_E_ARG);
  lw_sko_partition *p = (lw_sko_partition *)lwi_graph_alloc(sizeof *p);
  unsigned char *part = (unsigned char *)lwi_graph_alloc(2 * (size_t)source->nnode + 1);
  lwi_set_status(err, LW_E_MEMORY);
  if (p) p->source = source;
  const bool done = p && part && add_parts(p, set, part, err) && add_scratch(p, err);
  free(part);
  if (done) return p;
  lw_sko_partition_free(p);
  return NULL;
}

void lw_sko_partition_free(lw_sko_partition *p)
{
  if (!p) return;
  for (int i = 0; i < NPART; i++)
    lw_sko_free(p->part[i]);
  free(p->unit);
  free(p);
}

static bool is_part(lw_part part)
{
  return part == LW_PART_CHILD || part == LW_PART_SET || part == LW_PART_PARENT;
}

lw_sko *lw_sko_partition_part(const lw_sko_partition *p, lw_part part)
{
  if (!p) return NULL;
  return is_part(part) ? p->part[part] : NULL;
}

const int *lw_sko_partition_nodes(const lw_sko_partition *p, lw_part part)
{
  if (!p) return NULL;
  return is_part(part) ? p->part[part]->item : NULL;
}

lw_status lw_sko_partition_refresh(lw_sko_partition *p)
{
  lw_status st = p ? LW_OK : LW_E_ARG;
  for (int i = 0; i < NPART && st == LW_OK; i++)
    st = lw_sko_refresh(p->part[i]);
  return st;
}

/* ---- blocks of E and A ---- */

/* y += connector x from the part `outer` to the next one inward, or y += connector* x back */
static void add_connector(const lw_sko_partition *p, int outer, bool transposed, const double *x,
                          double *y)
{
  const lw_sko *out = p->part[outer], *in = p->part[outer + 1], *s = p->source;
  for (int i = 0; i < out->nnode; i++) {
    const lwi_sko_node *v = &s->node[out->item[i]];
    if (v->parent < 0 || in->inside[v->parent] < 0) continue;
    const int row = out->node[i].row, up = in->inside_row[v->parent] + v->at;
    if (transposed)
      lwi_tmulv(v->h, v->n, 1, lwi_sko_A(s, v), x + up, y + row);
    else
      lwi_mulv(v->h, v->n, 1, lwi_sko_A(s, v), x + row, y + up);
  }
}

/* x[row] = A(row, column) x[column]: through the parts inward */
static void carry_inward(lw_sko_partition *p, int column, int row)
{
  lwi_sko_gather_rows(p->part[column], p->x[column]);
  for (int i = column; i < row; i++) {
    lwi_sko_zero(p->x[i + 1], (size_t)p->part[i + 1]->nrow);
    add_connector(p, i, false, p->x[i], p->x[i + 1]);
    lwi_sko_gather_rows(p->part[i + 1], p->x[i + 1]);
  }
}

/* x[column] = A(row, column)* x[row]: outward */
static void carry_outward(lw_sko_partition *p, int row, int column)
{
  lwi_sko_scatter_rows(p->part[row], p->x[row]);
  for (int i = row; i > column; i--) {
    lwi_sko_zero(p->x[i - 1], (size_t)p->part[i - 1]->nrow);
    add_connector(p, i - 1, true, p->x[i], p->x[i - 1]);
    lwi_sko_scatter_rows(p->part[i - 1], p->x[i - 1]);
  }
}

static void apply_E(lw_sko_partition *p, int row, int column, bool transposed, const double x[],
                    double y[])
{
  lw_sko *part = p->part[row];
  if (row == column + 1) add_connector(p, column, transposed, x, y);
  if (row != column) return;
  if (transposed)
    lw_sko_apply_transposed(part, LW_SKO_E, x, y);
  else
    lw_sko_apply(part, LW_SKO_E, x, y);
}

static void apply_A(lw_sko_partition *p, int row, int column, bool transposed, const double x[],
                    double y[])
{
  const int from = transposed ? row : column, to = transposed ? column : row;
  if (row < column) return;
  lwi_sko_copy(p->x[from], x, (size_t)p->part[from]->nrow);
  if (transposed)
    carry_outward(p, row, column);
  else
    carry_inward(p, column, row);
  lwi_sko_copy(y, p->x[to], (size_t)p->part[to]->nrow);
}

static lw_status apply(lw_sko_partition *p, lw_sko_operator op, lw_part row, lw_part column,
                       bool transposed, const double x[], double y[])
{
  if (!p || !is_part(row) || !is_part(column) || (op != LW_SKO_E && op != LW_SKO_A))
    return LW_E_ARG;
  const lw_sko *from = p->part[transposed ? row : column], *to = p->part[transposed ? column : row];
  if ((from->nrow && !x) || (to->nrow && !y)) return LW_E_ARG;
  if (!from->has_numbers || !to->has_numbers) return LW_E_STAGE;
  lwi_sko_zero(y, (size_t)to->nrow);
  if (op == LW_SKO_E)
    apply_E(p, (int)row, (int)column, transposed, x, y);
  else
    apply_A(p, (int)row, (int)column, transposed, x, y);
  return LW_OK;
}

lw_status lw_sko_partition_apply(lw_sko_partition *p, lw_sko_operator op, lw_part row,
                                 lw_part column, const double x[], double y[])
{
  return apply(p, op, row, column, false, x, y);
}

lw_status lw_sko_partition_apply_transposed(lw_sko_partition *p, lw_sko_operator op, lw_part row,
                                            lw_part column, const double x[], double y[])
{
  return apply(p, op, row, column, true, x, y);
}

/* ---- outer and inner ---- */

/* f = M_S A_S* E_PS* A_P* H_P* e_j, in y of S */
static void load_outer(lw_sko_partition *p, int j)
{
  lw_sko *S = p->part[LW_PART_SET], *P = p->part[LW_PART_PARENT];
  lwi_sko_zero(p->unit, (size_t)P->nfreedom);
  p->unit[j] = 1;
  lwi_sko_zero(p->x[LW_PART_PARENT], (size_t)P->nrow);
  lwi_sko_add_Ht(P, p->unit, p->x[LW_PART_PARENT]);
  carry_outward(p, LW_PART_PARENT, LW_PART_SET);
  lwi_sko_zero(p->y[LW_PART_SET], (size_t)S->nrow);
  lwi_sko_add_M(S, p->x[LW_PART_SET], p->y[LW_PART_SET]);
}

/* to[rows][j] of rows of n numbers */
static void put_column(int rows, int n, int j, const double *column, double *to)
{
  for (int i = 0; i < rows; i++)
    to[lwi_sko_area(i, n) + (size_t)j] = column[i];
}

lw_status lw_sko_partition_coupling(lw_sko_partition *p, double X[], double Y[])
{
  if (!p || p->part[LW_PART_CHILD]->nnode > 0) return LW_E_ARG;
  lw_sko *S = p->part[LW_PART_SET], *P = p->part[LW_PART_PARENT];
  if (!S->has_numbers || !P->has_numbers) return LW_E_STAGE;
  if (P->nfreedom && (!Y || (S->nfreedom && !X))) return LW_E_ARG;
  for (int j = 0; j < P->nfreedom; j++) {
    load_outer(p, j);
    lwi_sko_copy(p->x[LW_PART_SET], p->y[LW_PART_SET], (size_t)S->nrow);
    carry_inward(p, LW_PART_SET, LW_PART_PARENT); /* x of S is A_S f, x of P is A_P E_PS A_S f */
    lwi_sko_zero(S->free1, (size_t)S->nfreedom);
    lwi_sko_zero(P->free1, (size_t)P->nfreedom);
    lwi_sko_add_H(S, p->x[LW_PART_SET], S->free1);
    lwi_sko_add_H(P, p->x[LW_PART_PARENT], P->free1);
    put_column(S->nfreedom, P->nfreedom, j, S->free1, X);
    put_column(P->nfreedom, P->nfreedom, j, P->free1, Y);
  }
  return LW_OK;
}
