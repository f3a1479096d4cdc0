/* SPDX-License-Identifier: Apache-2.0 */
/* solver_cholmod.c -- a sparse positive definite system by CHOLMOD: analysed once, its own order (AMD), simplicial
   factors.  Of its modules Core and Cholesky are used (LGPL); the supernodal one (GPL) never is. */
#include "cartesian/solver.h"

#include <cholmod.h>
#include <stdlib.h>

struct lwi_cholmod {
  cholmod_common common;
  cholmod_sparse A; /* lower triangle, by columns: the caller's */
  cholmod_dense b;
  cholmod_factor *L;
  cholmod_dense *x, *y, *e; /* kept from one solution to the next */
};

lwi_cholmod *lwi_cholmod_new(int n, int column_start[], int row[], double value[], double b[])
{
  lwi_cholmod *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  cholmod_start(&c->common);
  c->common.print = 0;
  c->common.supernodal = CHOLMOD_SIMPLICIAL;
  c->common.nmethods = 1;
  c->common.method[0].ordering = CHOLMOD_AMD;
  const size_t size = (size_t)n;
  c->A = (cholmod_sparse){.nrow = size,
                          .ncol = size,
                          .nzmax = (size_t)column_start[n],
                          .p = column_start,
                          .i = row,
                          .x = value,
                          .stype = -1,
                          .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
  c->b = (cholmod_dense){.nrow = size,
                         .ncol = 1,
                         .nzmax = size,
                         .d = size,
                         .x = b,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
  c->L = cholmod_analyze(&c->A, &c->common);
  if (c->L) return c;
  lwi_cholmod_free(c);
  return NULL;
}

void lwi_cholmod_free(lwi_cholmod *c)
{
  if (!c) return;
  cholmod_free_dense(&c->x, &c->common);
  cholmod_free_dense(&c->y, &c->common);
  cholmod_free_dense(&c->e, &c->common);
  cholmod_free_factor(&c->L, &c->common);
  cholmod_finish(&c->common);
  free(c);
}

const double *lwi_cholmod_solve(lwi_cholmod *c)
{
  if (!cholmod_factorize(&c->A, c->L, &c->common) || c->L->minor < c->L->n) return NULL;
  if (!cholmod_solve2(CHOLMOD_A, c->L, &c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common))
    return NULL;
  return c->x->x;
}
