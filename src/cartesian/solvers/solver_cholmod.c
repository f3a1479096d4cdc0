/* SPDX-License-Identifier: Apache-2.0 */
/* solver_cholmod.c -- a sparse positive definite system by CHOLMOD: analysed once, its own order
   (AMD), simplicial factors.  Of its modules Core and Cholesky are used (LGPL); the supernodal one
   (GPL) never is.

   It brings BLAS along, and is loaded when it is first needed: see linalg/lapack_library.h. */
#include "cartesian/solvers/solver.h"
#include "linalg/shared_library.h"

#include <cholmod.h>
#include <stdlib.h>
#include <threads.h>

#define CHOLMOD_LIST(X)                                                                            \
  X(start) X(analyze) X(free_dense) X(free_factor) X(finish) X(factorize) X(solve2)
#define MEMBER(name) __typeof__(cholmod_##name) *name;
static struct {
  CHOLMOD_LIST(MEMBER)
} library;
#undef MEMBER
static bool loaded;
static once_flag once = ONCE_FLAG_INIT;

static void load(void)
{
#define FUNCTION(name) {"cholmod_" #name, &library.name},
  static const lwi_library_function list[] = {CHOLMOD_LIST(FUNCTION)};
#undef FUNCTION
  char problem[8]; /* who asks can say no more than that there is no memory for it */
  loaded = lwi_library_load(LWI_SONAME_cholmod, list, sizeof list / sizeof *list, problem,
                            sizeof problem);
}

struct lwi_cholmod {
  cholmod_common common;
  cholmod_sparse A; /* lower triangle, by columns: the caller's */
  cholmod_dense b;
  cholmod_factor *L;
  cholmod_dense *x, *y, *e; /* kept from one solution to the next */
};

lwi_cholmod *lwi_cholmod_new(int n, int column_start[], int row[], double value[], double b[])
{
  call_once(&once, load);
  lwi_cholmod *c = loaded ? calloc(1, sizeof *c) : NULL;
  if (!c) return NULL;
  library.start(&c->common);
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
  c->L = library.analyze(&c->A, &c->common);
  if (c->L) return c;
  lwi_cholmod_free(c);
  return NULL;
}

void lwi_cholmod_free(lwi_cholmod *c)
{
  if (!c) return;
  library.free_dense(&c->x, &c->common);
  library.free_dense(&c->y, &c->common);
  library.free_dense(&c->e, &c->common);
  library.free_factor(&c->L, &c->common);
  library.finish(&c->common);
  free(c);
}

bool lwi_cholmod_is_out_of_memory(const lwi_cholmod *c)
{
  return c->common.status == CHOLMOD_OUT_OF_MEMORY;
}

const double *lwi_cholmod_solve(lwi_cholmod *c)
{
  if (!library.factorize(&c->A, c->L, &c->common) || c->L->minor < c->L->n) return NULL;
  if (!library.solve2(CHOLMOD_A, c->L, &c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common))
    return NULL;
  return c->x->x;
}
