/* SPDX-License-Identifier: Apache-2.0 */
/* solver_klu.c -- a sparse system by KLU: analysed once, with the order that suits it, factored
   each time. */
#include "cartesian/solvers/solver.h"

#include <klu.h>
#include <limits.h>
#include <stdlib.h>

struct lwi_klu {
  int n;
  int *column_start, *row; /* the caller's */
  double *value;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
};

static bool analyse(lwi_klu *k, int btf, int ordering)
{
  klu_free_symbolic(&k->symbolic, &k->common);
  klu_defaults(&k->common);
  k->common.scale = -1; /* neither scaled nor checked: quickest */
  k->common.btf = btf;
  k->common.ordering = ordering;
  k->symbolic = klu_analyze(k->n, k->column_start, k->row, &k->common);
  return k->symbolic != NULL;
}

bool lwi_klu_is_out_of_memory(const lwi_klu *k)
{
  return k->common.status == KLU_OUT_OF_MEMORY;
}

bool lwi_klu_choose(lwi_klu *k)
{
  static const int methods[][2] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}}; /* btf; AMD, COLAMD */
  int best = 0, least = INT_MAX;
  for (int i = 0; i < 4; i++) {
    if (!analyse(k, methods[i][0], methods[i][1])) return false;
    /* entries of the factors for the values as they are; a singular matrix counts as the worst */
    klu_numeric *f = klu_factor(k->column_start, k->row, k->value, k->symbolic, &k->common);
    const int n = f ? f->lnz + f->unz + f->nzoff : INT_MAX;
    klu_free_numeric(&f, &k->common);
    if (lwi_klu_is_out_of_memory(k)) return false;
    if (n < least) {
      best = i;
      least = n;
    }
  }
  return analyse(k, methods[best][0], methods[best][1]);
}

lwi_klu *lwi_klu_new(int n, int column_start[], int row[], double value[])
{
  lwi_klu *k = calloc(1, sizeof *k);
  if (!k) return NULL;
  *k = (lwi_klu){.n = n, .column_start = column_start, .row = row, .value = value};
  if (analyse(k, 1, 0)) return k;
  lwi_klu_free(k);
  return NULL;
}

void lwi_klu_free(lwi_klu *k)
{
  if (!k) return;
  klu_free_numeric(&k->numeric, &k->common);
  klu_free_symbolic(&k->symbolic, &k->common);
  free(k);
}

bool lwi_klu_solve(lwi_klu *k, double x[], bool again)
{
  if (again && k->numeric) {
    if (!klu_refactor(k->column_start, k->row, k->value, k->symbolic, k->numeric, &k->common))
      return false;
  } else {
    klu_free_numeric(&k->numeric, &k->common);
    k->numeric = klu_factor(k->column_start, k->row, k->value, k->symbolic, &k->common);
  }
  return k->numeric && klu_solve(k->symbolic, k->numeric, k->n, 1, x, &k->common);
}
