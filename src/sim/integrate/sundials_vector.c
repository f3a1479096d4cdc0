/* SPDX-License-Identifier: Apache-2.0 */
/* sundials_vector.c -- N_Vector and SUNMatrix objects whose clone functions never return NULL. */
#include "sim/integrate/sundials_vector.h"

#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

/* ---- vectors ---- */

/* One allocation: the N_Vector, its operations, its serial content, and the numbers. */
typedef struct vector {
  struct _generic_N_Vector face;
  struct _generic_N_Vector_Ops functions;
  struct _N_VectorContent_Serial content;
  struct vector *first; /* the vector that all others were cloned from, possibly this one */
  struct vector *next;  /* list of all vectors, beginning with the first */
  bool used;            /* not destroyed since it was cloned */
  struct vector *spare; /* of the first: returned instead of a clone if out of memory */
  bool failed;          /* of the first: a clone could not be allocated */
  double number[];
} vector;

static vector *block_new(const vector *like, sunindextype n)
{
  vector *v = malloc(sizeof *v + (size_t)n * sizeof v->number[0]);
  if (!v) return NULL;
  *v = *like;
  v->content =
      (struct _N_VectorContent_Serial){.length = n, .own_data = SUNFALSE, .data = v->number};
  v->face.content = &v->content;
  v->face.ops = &v->functions;
  memset(v->number, 0, (size_t)n * sizeof v->number[0]);
  return v;
}

static N_Vector clone(N_Vector of)
{
  vector *first = ((vector *)of)->first, *v = first->next;
  while (v && v->used)
    v = v->next;
  if (!v) {
    v = block_new(first, first->content.length);
    if (!v) {
      first->failed = true;
      return &first->spare->face;
    }
    v->next = first->next;
    first->next = v;
  }
  v->used = true;
  return &v->face;
}

static void destroy(N_Vector of)
{
  vector *v = (vector *)of, *next;
  if (!v) return;
  v->used = false;
  if (v != v->first) return;
  free(v->spare);
  for (; v; v = next) { /* the first one owns all */
    next = v->next;
    free(v);
  }
}

/* Copies the operations of SUNDIALS's serial vectors, except those that allocate and free. */
static bool copy_functions(vector *v, SUNContext context)
{
  N_Vector serial = N_VNewEmpty_Serial(1, context);
  if (!serial) return false;
  v->functions = *serial->ops;
  v->functions.nvclone = v->functions.nvcloneempty = clone;
  v->functions.nvdestroy = destroy;
  v->face.sunctx = context;
  N_VDestroy(serial);
  return true;
}

N_Vector lwi_vector_new(sunindextype n, SUNContext context)
{
  vector form = {.failed = false};
  if (!copy_functions(&form, context)) return NULL;
  vector *first = block_new(&form, n), *spare = block_new(&form, n);
  if (!first || !spare) {
    free(first);
    free(spare);
    return NULL;
  }
  first->first = spare->first = first;
  first->spare = spare;
  first->used = spare->used = true;
  return &first->face;
}

bool lwi_vectors_failed(N_Vector of)
{
  vector *first = ((vector *)of)->first;
  const bool failed = first->failed;
  first->failed = false;
  return failed;
}

/* ---- a matrix and its clone ---- */

typedef struct matrix {
  struct _generic_SUNMatrix face;
  struct _generic_SUNMatrix_Ops functions;
  SUNMatrix inside; /* the dense matrix of SUNDIALS whose content this one shares */
  struct matrix *other;
  bool is_clone;
} matrix;

static SUNMatrix matrix_clone(SUNMatrix of)
{
  return &((matrix *)of)->other->face;
}

static void matrix_free(matrix *a)
{
  if (a && a->inside) SUNMatDestroy(a->inside);
  free(a);
}

static void matrix_destroy(SUNMatrix of)
{
  matrix *a = (matrix *)of;
  if (!a || a->is_clone) return;
  matrix_free(a->other);
  matrix_free(a);
}

static matrix *matrix_new(sunindextype n, SUNContext context)
{
  matrix *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->inside = SUNDenseMatrix(n, n, context);
  if (!a->inside) {
    free(a);
    return NULL;
  }
  a->functions = *a->inside->ops;
  a->functions.clone = matrix_clone;
  a->functions.destroy = matrix_destroy;
  a->face = *a->inside;
  a->face.ops = &a->functions;
  return a;
}

SUNMatrix lwi_matrix_new(sunindextype n, SUNContext context)
{
  matrix *a = matrix_new(n, context), *b = matrix_new(n, context);
  if (!a || !b) {
    matrix_free(a);
    matrix_free(b);
    return NULL;
  }
  a->other = b;
  b->other = a;
  b->is_clone = true;
  return &a->face;
}

bool lwi_sundials_reserve(void)
{
  enum { ENOUGH = 1 << 16 }; /* a SUNContext has several hundred bytes */
  void *block = malloc(ENOUGH);
  const bool there = block != NULL;
  free(block);
  return there;
}
