/* SPDX-License-Identifier: Apache-2.0 */
/* solver_augmented.c -- the augmented system, [Serban1997] eq. 3 (planar) and 11 (spatial, in Euler parameters
   p): unknowns of a body wdot, vdot or vdot, pdd; then lambda; then the multipliers of p' p = 1.

   With w = 2 E pd in ground axes, E = [-e, e~ + e0 1]: Phi_p = 2 Phi_w E (up to a multiple of p', which
   is free), mass 4 E' J E, force 2 E' n, wdot = 2 E pdd. */
#include "cartesian/solver.h"

#include <klu.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

struct lwi_augmented_way {
  lw_solver_method method;
  lwi_linear_shape s;
  int *copy;
  int n, per_body, nbody_unknown;
  int nentry, nvalue;
  int *i, *j;    /* [nentry] places, while planning */
  int *to;       /* [nentry] where an entry goes in value[] */
  double *value; /* [nvalue + 1]: dense, or by columns; the last one takes what is always zero */
  double *factor, *x, *room;
  lapack_int *pivot, nroom;
  int *column_start, *row;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  lwi_arena arena;
};

/* ---- entries, always in the same order ---- */

typedef struct {
  lwi_augmented_way *y;
  int at;
  bool plan; /* note places and which entries are zero; else write */
} writer;

static inline void put(writer *w, int i, int j, double value)
{
  lwi_augmented_way *y = w->y;
  if (w->plan) {
    y->i[w->at] = i;
    y->j[w->at] = j;
    y->to[w->at] = value == 0 ? -1 : 0;
  } else {
    y->value[y->to[w->at]] = value;
  }
  w->at++;
}

static inline void put_twice(writer *w, int i, int j, double value)
{
  put(w, i, j, value);
  put(w, j, i, value);
}

static void euler_matrix(const double p[4], double E[3][4])
{
  const double e0 = p[0], x = p[1], y = p[2], z = p[3];
  const double M[3][4] = {{-x, e0, -z, y}, {-y, z, e0, -x}, {-z, -y, x, e0}};
  memcpy(E, M, sizeof M);
}

static void put_body(writer *w, int b, const lwi_linear_mass *m, const lwi_euler *e)
{
  const int at = b * w->y->per_body, last = w->y->n - w->y->s.nbody + b;
  if (w->y->per_body == 3) {
    put(w, at, at, m->inertia[2]);
    put(w, at + 1, at + 1, m->mass);
    put(w, at + 2, at + 2, m->mass);
    return;
  }
  const double *J = m->inertia,
               K[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  double E[3][4], JE[3][4];
  euler_matrix(e->p[b], E);
  for (int i = 0; i < 3; i++) {
    put(w, at + i, at + i, m->mass);
    for (int k = 0; k < 4; k++)
      JE[i][k] = K[i][0] * E[0][k] + K[i][1] * E[1][k] + K[i][2] * E[2][k];
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++)
      put(w, at + 3 + i, at + 3 + k,
          4 * (E[0][i] * JE[0][k] + E[1][i] * JE[1][k] + E[2][i] * JE[2][k]));
    put_twice(w, at + 3 + i, last, 2 * e->p[b][i]);
  }
}

static void put_block(writer *w, int body, int row, int rows, const double *phi, const lwi_euler *e)
{
  const int at = body * w->y->per_body;
  double E[3][4];
  if (w->y->per_body == 7) euler_matrix(e->p[body], E);
  for (int r = row; r < row + rows; r++, phi += w->y->s.width) {
    if (w->y->per_body == 3) {
      for (int k = 0; k < 3; k++)
        put_twice(w, w->y->nbody_unknown + r, at + k, phi[k]);
      continue;
    }
    for (int k = 0; k < 3; k++)
      put_twice(w, w->y->nbody_unknown + r, at + k, phi[3 + k]);
    for (int k = 0; k < 4; k++)
      put_twice(w, w->y->nbody_unknown + r, at + 3 + k,
                2 * (phi[0] * E[0][k] + phi[1] * E[1][k] + phi[2] * E[2][k]));
  }
}

static void put_all(lwi_augmented_way *y, const lwi_linear_values *v, const lwi_euler *e, bool plan)
{
  writer w = {.y = y, .plan = plan};
  const double *phi = v->jacobian;
  for (int b = 0; b < y->s.nbody; b++)
    put_body(&w, b, &v->mass[b], e);
  for (int k = 0; k < y->s.nset; k++) {
    const int rows = y->s.row[k + 1] - y->s.row[k];
    for (int i = y->s.touch[k]; i < y->s.touch[k + 1]; i++, phi += rows * y->s.width)
      put_block(&w, y->s.body[i], y->s.row[k], rows, phi, e);
  }
}

/* ---- plan ---- */

static bool is_sparse(const lwi_augmented_way *y)
{
  return y->method == LW_SOLVER_AUGMENTED_KLU || y->method == LW_SOLVER_AUGMENTED_KLU_AGAIN;
}

static int count_entries(const lwi_augmented_way *y)
{
  int n = y->s.nbody * (y->per_body == 3 ? 3 : 3 + 16 + 8);
  for (int k = 0; k < y->s.nset; k++)
    n += 2 * y->per_body * (y->s.row[k + 1] - y->s.row[k]) * (y->s.touch[k + 1] - y->s.touch[k]);
  return n;
}

static void place_dense(lwi_augmented_way *y)
{
  y->nvalue = y->n * y->n;
  for (int k = 0; k < y->nentry; k++)
    y->to[k] = y->to[k] < 0 ? y->nvalue : y->i[k] + y->j[k] * y->n;
}

/* by columns; entries that are zero at this state are left out, which helps the sparse ways */
static bool place_sparse(lwi_augmented_way *y)
{
  y->column_start = LWI_TAKE(&y->arena, y->n + 1, int);
  y->row = LWI_TAKE(&y->arena, y->nentry, int);
  int *fill = LWI_TAKE(&y->arena, y->n + 1, int);
  if (!y->column_start || !y->row || !fill) return false;
  for (int k = 0; k < y->nentry; k++)
    if (y->to[k] >= 0) y->column_start[y->j[k] + 1]++;
  for (int j = 0; j < y->n; j++)
    fill[j + 1] = y->column_start[j + 1] += y->column_start[j];
  y->nvalue = y->column_start[y->n];
  for (int k = 0; k < y->nentry; k++) {
    if (y->to[k] < 0) {
      y->to[k] = y->nvalue;
      continue;
    }
    y->to[k] = fill[y->j[k]]++;
    y->row[y->to[k]] = y->i[k];
  }
  klu_defaults(&y->common);
  y->common.scale = -1; /* neither scaled nor checked: quickest */
  y->symbolic = klu_analyze(y->n, y->column_start, y->row, &y->common);
  return y->symbolic != NULL;
}

static bool copy_shape(lwi_augmented_way *y, const lwi_linear_shape *s)
{
  const size_t n = (size_t)s->nset + 1, touched = s->nset ? (size_t)s->touch[s->nset] : 0;
  y->copy = LWI_TAKE(&y->arena, 2 * n + touched, int);
  if (!y->copy) return false;
  if (s->nset) {
    memcpy(y->copy, s->row, n * sizeof(int));
    memcpy(y->copy + n, s->touch, n * sizeof(int));
    memcpy(y->copy + 2 * n, s->body, touched * sizeof(int));
  }
  y->s = *s;
  y->s.row = y->copy;
  y->s.touch = y->copy + n;
  y->s.body = y->copy + 2 * n;
  return true;
}

static bool plan(lwi_augmented_way *y, const lwi_linear_shape *s, const lwi_linear_values *v,
                 const lwi_euler *e)
{
  if (!copy_shape(y, s)) return false;
  y->per_body = s->width == 3 ? 3 : 7;
  y->nbody_unknown = s->nbody * y->per_body;
  y->n = y->nbody_unknown + lwi_linear_rows(s) + (s->width == 3 ? 0 : s->nbody);
  y->nentry = count_entries(y);
  y->i = LWI_TAKE(&y->arena, y->nentry, int);
  y->j = LWI_TAKE(&y->arena, y->nentry, int);
  y->to = LWI_TAKE(&y->arena, y->nentry, int);
  if (!y->i || !y->j || !y->to) return false;
  put_all(y, v, e, true);
  if (!is_sparse(y)) place_dense(y);
  if (is_sparse(y) && !place_sparse(y)) return false;
  y->nroom = 64 * y->n;
  y->value = LWI_TAKE(&y->arena, y->nvalue + 1, double);
  y->factor = LWI_TAKE(&y->arena, y->nvalue + 1, double);
  y->x = LWI_TAKE(&y->arena, y->n, double);
  y->room = LWI_TAKE(&y->arena, y->nroom, double);
  y->pivot = LWI_TAKE(&y->arena, y->n, lapack_int);
  return y->value && y->factor && y->x && y->room && y->pivot;
}

lwi_augmented_way *lwi_augmented_way_new(const lwi_linear_shape *s, lw_solver_method method,
                                         const lwi_linear_values *v, const lwi_euler *e,
                                         lw_status *status)
{
  lwi_augmented_way *y = calloc(1, sizeof *y);
  *status = LW_E_MEMORY;
  if (y && s->nbody > 400) *status = LW_E_UNSUPPORTED;
  if (y && s->nbody <= 400) {
    y->method = method;
    if (plan(y, s, v, e)) {
      *status = LW_OK;
      return y;
    }
  }
  lwi_augmented_way_free(y);
  return NULL;
}

void lwi_augmented_way_free(lwi_augmented_way *y)
{
  if (!y) return;
  if (y->numeric) klu_free_numeric(&y->numeric, &y->common);
  if (y->symbolic) klu_free_symbolic(&y->symbolic, &y->common);
  lwi_arena_free(&y->arena);
  free(y);
}

int lwi_augmented_way_size(const lwi_augmented_way *y)
{
  return y->n;
}

/* ---- solve ---- */

static void put_right_side(lwi_augmented_way *y, const lwi_linear_values *v, const lwi_euler *e)
{
  const int m = lwi_linear_rows(&y->s);
  double *x = y->x;
  if (y->per_body == 3) {
    memcpy(x, v->force, (size_t)y->nbody_unknown * sizeof *x);
  } else {
    for (int b = 0; b < y->s.nbody; b++) {
      const double *Q = v->force + 6 * b;
      double E[3][4], *to = x + 7 * b;
      euler_matrix(e->p[b], E);
      for (int k = 0; k < 3; k++)
        to[k] = Q[3 + k];
      for (int k = 0; k < 4; k++)
        to[3 + k] = 2 * (E[0][k] * Q[0] + E[1][k] * Q[1] + E[2][k] * Q[2]);
    }
    memcpy(x + y->nbody_unknown + m, e->gamma, (size_t)y->s.nbody * sizeof *x);
  }
  memcpy(x + y->nbody_unknown, v->gamma, (size_t)m * sizeof *x);
}

static bool solve_dense(lwi_augmented_way *y)
{
  const lapack_int n = y->n;
  double *A = y->factor;
  memcpy(A, y->value, (size_t)y->nvalue * sizeof *A);
  if (y->method == LW_SOLVER_AUGMENTED_LU)
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, y->pivot) == 0 &&
           LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, A, n, y->pivot, y->x, n) == 0;
  return LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', n, A, n, y->pivot, y->room, y->nroom) == 0 &&
         LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', n, 1, A, n, y->pivot, y->x, n) == 0;
}

static bool solve_sparse(lwi_augmented_way *y)
{
  const bool again = y->method == LW_SOLVER_AUGMENTED_KLU_AGAIN && y->numeric;
  if (again) {
    if (!klu_refactor(y->column_start, y->row, y->value, y->symbolic, y->numeric, &y->common))
      return false;
  } else {
    if (y->numeric) klu_free_numeric(&y->numeric, &y->common);
    y->numeric = klu_factor(y->column_start, y->row, y->value, y->symbolic, &y->common);
  }
  return y->numeric && klu_solve(y->symbolic, y->numeric, y->n, 1, y->x, &y->common);
}

static void take_solution(const lwi_augmented_way *y, const lwi_euler *e, double a[],
                          double lambda[])
{
  const double *x = y->x;
  memcpy(lambda, x + y->nbody_unknown, (size_t)lwi_linear_rows(&y->s) * sizeof *lambda);
  if (y->per_body == 3) {
    memcpy(a, x, (size_t)y->nbody_unknown * sizeof *a);
    return;
  }
  for (int b = 0; b < y->s.nbody; b++) {
    double E[3][4];
    const double *pdd = x + 7 * b + 3;
    euler_matrix(e->p[b], E);
    memcpy(e->pdd[b], pdd, sizeof e->pdd[b]);
    for (int k = 0; k < 3; k++) {
      a[6 * b + 3 + k] = x[7 * b + k];
      a[6 * b + k] =
          2 * (E[k][0] * pdd[0] + E[k][1] * pdd[1] + E[k][2] * pdd[2] + E[k][3] * pdd[3]);
    }
  }
}

lw_status lwi_augmented_way_solve(lwi_augmented_way *y, const lwi_linear_values *v,
                                  const lwi_euler *e, double a[], double lambda[])
{
  put_all(y, v, e, false);
  put_right_side(y, v, e);
  if (!(is_sparse(y) ? solve_sparse(y) : solve_dense(y))) return LW_E_SINGULAR;
  take_solution(y, e, a, lambda);
  return LW_OK;
}
