/* SPDX-License-Identifier: Apache-2.0 */
/* solver_augmented.c -- the augmented system, [Serban1997] eq. 3 (planar) and 11 (spatial, in Euler
   parameters p): unknowns of a body wdot, vdot or vdot, pdd; then lambda; then the multipliers of
   p^T p = 1.

   With w = 2 E pd in ground axes, E = [-e, e~ + e0 1]: Phi_p = 2 Phi_w E (up to a multiple of p^T,
   which is free), mass 4 E^T J E, force 2 E^T n, wdot = 2 E pdd.

   4 E^T J E has p as its null vector, and a zero pivot with it.  For L D L^T without pivoting 2 j p
   times the normalisation 2 p^T pdd = gamma, j the mean moment of inertia, is added to the body's
   rows: mass 4 (E^T J E + j p p^T), the same solution.

   The pattern is that of all states: whole blocks, without what is zero by the kind of an
   equation. */
#include "cartesian/solvers/solver.h"
#include "linalg/lapack_library.h"

#include <stdlib.h>
#include <string.h>

struct lwi_augmented_solver {
  lw_solver_method method;
  lwi_descriptor_shape s;
  int *copy;
  int n, per_body, nbody_unknown;
  const bool *turns; /* [rows] rows without a part in v */
  int nentry, nvalue;
  int *i, *j;    /* [nentry] places, while planning */
  int *to;       /* [nentry] where an entry goes in value[] */
  double *value; /* [nvalue + 1]: dense, or by columns; the last one takes what is not needed */
  double *factor, *x, *scratch;
  lapack_int *pivot, nroom;
  int *column_start, *row;
  lwi_klu *klu;
  lwi_ldl ldl;
  int *place; /* LDL: [n] where an unknown is in its order */
  double *permuted;
  lwi_arena arena;
};

/* ---- entries, always in the same order ---- */

typedef struct {
  lwi_augmented_solver *y;
  int at;
  bool plan; /* note places; else write */
} writer;

static inline void put(writer *w, int i, int j, double value)
{
  lwi_augmented_solver *y = w->y;
  if (w->plan) {
    y->i[w->at] = i;
    y->j[w->at] = j;
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

/* what the normalisation is added with */
static double mean_inertia(const lwi_augmented_solver *y, const lwi_descriptor_mass *m)
{
  return y->method == LW_SOLVER_AUGMENTED_LDL ? (m->inertia[0] + m->inertia[1] + m->inertia[2]) / 3
                                              : 0;
}

static void put_body(writer *w, int b, const lwi_descriptor_mass *m, const lwi_euler *e)
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
  const double *p = e->p[b], j = mean_inertia(w->y, m);
  double E[3][4], JE[3][4];
  euler_matrix(p, E);
  for (int i = 0; i < 3; i++) {
    put(w, at + i, at + i, m->mass);
    for (int k = 0; k < 4; k++)
      JE[i][k] = K[i][0] * E[0][k] + K[i][1] * E[1][k] + K[i][2] * E[2][k];
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++)
      put(w, at + 3 + i, at + 3 + k,
          4 * (E[0][i] * JE[0][k] + E[1][i] * JE[1][k] + E[2][i] * JE[2][k] + j * p[i] * p[k]));
    put_twice(w, at + 3 + i, last, 2 * p[i]);
  }
}

static void put_block(writer *w, int body, int row, int rows, const double *phi, const lwi_euler *e)
{
  const int at = body * w->y->per_body;
  double E[3][4];
  if (w->y->per_body == 7) euler_matrix(e->p[body], E);
  for (int r = row; r < row + rows; r++, phi += w->y->s.width) {
    const int to = w->y->nbody_unknown + r;
    const bool moves = !w->y->turns[r];
    if (w->y->per_body == 3) {
      for (int k = 0; k < (moves ? 3 : 1); k++)
        put_twice(w, to, at + k, phi[k]);
      continue;
    }
    for (int k = 0; k < 3 && moves; k++)
      put_twice(w, to, at + k, phi[3 + k]);
    for (int k = 0; k < 4; k++)
      put_twice(w, to, at + 3 + k, 2 * (phi[0] * E[0][k] + phi[1] * E[1][k] + phi[2] * E[2][k]));
  }
}

/* how many there are */
static int put_all(lwi_augmented_solver *y, const lwi_descriptor_values *v, const lwi_euler *e,
                   bool plan)
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
  return w.at;
}

/* ---- plan ---- */

static bool is_klu(const lwi_augmented_solver *y)
{
  return y->method == LW_SOLVER_AUGMENTED_KLU || y->method == LW_SOLVER_AUGMENTED_KLU_AGAIN;
}

static int most_entries(const lwi_augmented_solver *y)
{
  int n = y->s.nbody * (y->per_body == 3 ? 3 : 3 + 16 + 8);
  for (int k = 0; k < y->s.nset; k++)
    n += 2 * y->per_body * (y->s.row[k + 1] - y->s.row[k]) * (y->s.touch[k + 1] - y->s.touch[k]);
  return n;
}

static bool place_dense(lwi_augmented_solver *y)
{
  if (!lwi_lapack() || y->n > 46000) return false; /* places are ints */
  y->nvalue = y->n * y->n;
  for (int k = 0; k < y->nentry; k++)
    y->to[k] = y->i[k] + y->j[k] * y->n;
  return true;
}

/* order[]: entries by row, those with i < 0 first; at[n + 2] scratch */
static void sort_by_row(const lwi_augmented_solver *y, int *at, int *order)
{
  for (int k = 0; k < y->nentry; k++)
    at[y->i[k] + 2]++;
  for (int i = 0; i <= y->n; i++)
    at[i + 1] += at[i];
  for (int k = 0; k < y->nentry; k++)
    order[at[y->i[k] + 1]++] = k;
}

/* by columns, rows ascending; entries with i < 0 are left out */
static bool place_columns(lwi_augmented_solver *y)
{
  y->column_start = LWI_TAKE(&y->arena, y->n + 1, int);
  y->row = LWI_TAKE(&y->arena, y->nentry, int);
  int *order = LWI_TAKE(&y->arena, y->nentry, int), *at = LWI_TAKE(&y->arena, y->n + 3, int);
  if (!y->column_start || !y->row || !order || !at) return false;
  sort_by_row(y, at, order);
  for (int k = 0; k < y->nentry; k++)
    if (y->i[k] >= 0) y->column_start[y->j[k] + 1]++;
  for (int j = 0; j < y->n; j++)
    y->column_start[j + 1] += y->column_start[j];
  memcpy(at, y->column_start, (size_t)y->n * sizeof *at);
  y->nvalue = y->column_start[y->n];
  for (int o = 0; o < y->nentry; o++) {
    const int k = order[o];
    y->to[k] = y->i[k] < 0 ? y->nvalue : at[y->j[k]]++;
    if (y->i[k] >= 0) y->row[y->to[k]] = y->i[k];
  }
  return true;
}

/* the unknowns of a body and its normalisation, or of a set, are numbered from n on; returns the
   next n */
static int number_node(lwi_augmented_solver *y, int node, int n)
{
  const lwi_descriptor_shape *s = &y->s;
  if (node >= s->nbody) {
    for (int r = s->row[node - s->nbody]; r < s->row[node - s->nbody + 1]; r++)
      y->place[y->nbody_unknown + r] = n++;
    return n;
  }
  for (int k = 0; k < y->per_body; k++)
    y->place[node * y->per_body + k] = n++;
  if (y->per_body == 7) y->place[y->n - s->nbody + node] = n++;
  return n;
}

/* the upper triangle in the order of LDL */
static bool place_ldl(lwi_augmented_solver *y)
{
  const int nnode = y->s.nbody + y->s.nset;
  int *nodes = LWI_TAKE(&y->arena, nnode, int), n = 0;
  y->place = LWI_TAKE(&y->arena, y->n, int);
  y->permuted = LWI_TAKE(&y->arena, y->n, double);
  if (!nodes || !y->place || !y->permuted || !lwi_ldl_order(&y->s, y->per_body == 3 ? 3 : 8, nodes))
    return false;
  for (int k = 0; k < nnode; k++)
    n = number_node(y, nodes[k], n);
  for (int k = 0; k < y->nentry; k++) {
    const int i = y->place[y->i[k]], j = y->place[y->j[k]];
    y->i[k] = i <= j ? i : -1;
    y->j[k] = j;
  }
  return place_columns(y) && lwi_ldl_plan(&y->ldl, y->n, y->column_start, y->row, &y->arena);
}

static bool copy_shape(lwi_augmented_solver *y, const lwi_descriptor_shape *s)
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

static bool plan(lwi_augmented_solver *y, const lwi_descriptor_shape *s,
                 const lwi_descriptor_values *v, const lwi_euler *e)
{
  if (!copy_shape(y, s)) return false;
  y->per_body = s->width == 3 ? 3 : 7;
  y->nbody_unknown = s->nbody * y->per_body;
  y->n = y->nbody_unknown + lwi_descriptor_rows(s) + (s->width == 3 ? 0 : s->nbody);
  const int most = most_entries(y);
  y->i = LWI_TAKE(&y->arena, most, int);
  y->j = LWI_TAKE(&y->arena, most, int);
  y->to = LWI_TAKE(&y->arena, most, int);
  if (!y->i || !y->j || !y->to) return false;
  y->nentry = put_all(y, v, e, true);
  if (!(y->method == LW_SOLVER_AUGMENTED_LDL ? place_ldl(y)
        : is_klu(y)                          ? place_columns(y)
                                             : place_dense(y)))
    return false;
  y->nroom = 64 * y->n;
  y->value = LWI_TAKE(&y->arena, y->nvalue + 1, double);
  y->factor = LWI_TAKE(&y->arena, y->nvalue + 1, double);
  y->x = LWI_TAKE(&y->arena, y->n, double);
  y->scratch = LWI_TAKE(&y->arena, y->nroom, double);
  y->pivot = LWI_TAKE(&y->arena, y->n, lapack_int);
  if (!y->value || !y->factor || !y->x || !y->scratch || !y->pivot) return false;
  put_all(y, v, e, false);
  if (!is_klu(y)) return true;
  y->klu = lwi_klu_new(y->n, y->column_start, y->row, y->value);
  return y->klu && lwi_klu_choose(y->klu);
}

lwi_augmented_solver *lwi_augmented_solver_new(const lwi_descriptor_shape *s, const bool turns[],
                                               lw_solver_method method,
                                               const lwi_descriptor_values *v, const lwi_euler *e,
                                               lw_status *status)
{
  lwi_augmented_solver *y = calloc(1, sizeof *y);
  *status = LW_E_MEMORY;
  if (y) {
    y->method = method;
    y->turns = turns;
    if (plan(y, s, v, e)) {
      *status = LW_OK;
      return y;
    }
  }
  lwi_augmented_solver_free(y);
  return NULL;
}

void lwi_augmented_solver_free(lwi_augmented_solver *y)
{
  if (!y) return;
  lwi_klu_free(y->klu);
  lwi_arena_free(&y->arena);
  free(y);
}

int lwi_augmented_solver_size(const lwi_augmented_solver *y)
{
  return y->n;
}

/* ---- solve ---- */

static void put_right_side(lwi_augmented_solver *y, const lwi_descriptor_values *v,
                           const lwi_euler *e)
{
  const int m = lwi_descriptor_rows(&y->s);
  double *x = y->x;
  if (y->per_body == 3) {
    memcpy(x, v->force, (size_t)y->nbody_unknown * sizeof *x);
  } else {
    for (int b = 0; b < y->s.nbody; b++) {
      const double *Q = v->force + 6 * b;
      const double more = 2 * mean_inertia(y, &v->mass[b]) * e->gamma[b];
      double E[3][4], *to = x + 7 * b;
      euler_matrix(e->p[b], E);
      for (int k = 0; k < 3; k++)
        to[k] = Q[3 + k];
      for (int k = 0; k < 4; k++)
        to[3 + k] = 2 * (E[0][k] * Q[0] + E[1][k] * Q[1] + E[2][k] * Q[2]) + more * e->p[b][k];
    }
    memcpy(x + y->nbody_unknown + m, e->gamma, (size_t)y->s.nbody * sizeof *x);
  }
  memcpy(x + y->nbody_unknown, v->gamma, (size_t)m * sizeof *x);
}

static bool solve_dense(lwi_augmented_solver *y)
{
  const lapack_int n = y->n;
  double *A = y->factor;
  memcpy(A, y->value, (size_t)y->nvalue * sizeof *A);
  if (y->method == LW_SOLVER_AUGMENTED_LU)
    return lwi_lapack()->dgetrf(LAPACK_COL_MAJOR, n, n, A, n, y->pivot) == 0 &&
           lwi_lapack()->dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, A, n, y->pivot, y->x, n) == 0;
  return lwi_lapack()->dsytrf(LAPACK_COL_MAJOR, 'L', n, A, n, y->pivot, y->scratch, y->nroom) ==
             0 &&
         lwi_lapack()->dsytrs(LAPACK_COL_MAJOR, 'L', n, 1, A, n, y->pivot, y->x, n) == 0;
}

static bool solve_ldl(lwi_augmented_solver *y)
{
  for (int i = 0; i < y->n; i++)
    y->permuted[y->place[i]] = y->x[i];
  if (!lwi_ldl_solve(&y->ldl, y->value, y->permuted)) return false;
  for (int i = 0; i < y->n; i++)
    y->x[i] = y->permuted[y->place[i]];
  return true;
}

static void take_solution(const lwi_augmented_solver *y, const lwi_euler *e, double a[],
                          double lambda[])
{
  const double *x = y->x;
  memcpy(lambda, x + y->nbody_unknown, (size_t)lwi_descriptor_rows(&y->s) * sizeof *lambda);
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

lw_status lwi_augmented_solver_solve(lwi_augmented_solver *y, const lwi_descriptor_values *v,
                                     const lwi_euler *e, double a[], double lambda[])
{
  put_all(y, v, e, false);
  put_right_side(y, v, e);
  const bool solved = y->method == LW_SOLVER_AUGMENTED_LDL ? solve_ldl(y)
                      : is_klu(y)
                          ? lwi_klu_solve(y->klu, y->x, y->method == LW_SOLVER_AUGMENTED_KLU_AGAIN)
                          : solve_dense(y);
  if (!solved) return y->klu && lwi_klu_is_out_of_memory(y->klu) ? LW_E_MEMORY : LW_E_SINGULAR;
  take_solution(y, e, a, lambda);
  return LW_OK;
}

void lwi_augmented_solver_system(lwi_augmented_solver *y, const lwi_descriptor_values *v,
                                 const lwi_euler *e, lw_sparse_system *out)
{
  put_all(y, v, e, false);
  put_right_side(y, v, e);
  *out = (lw_sparse_system){y->n, y->column_start, y->row, y->value, y->x};
}
