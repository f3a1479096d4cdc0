/* SPDX-License-Identifier: Apache-2.0 */
/* linear_dense.c -- the reduced system as one dense block, for small models. */
#include "cartesian/linear.h"
#include "linalg/envelope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lwi_linear {
  lwi_linear_shape s;
  int *copy;
  int n;
  int block[2], first[1];
  size_t *row;
  double *value, *x;
  lwi_envelope e;
  lwi_rank rank;
};

lwi_linear *lwi_linear_new(const lwi_linear_shape *s, const int order[], lw_status *status)
{
  (void)order;
  *status = LW_E_MEMORY;
  lwi_linear *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->s = *s;
  l->n = lwi_linear_rows(s);
  const size_t n = (size_t)l->n + 1;
  l->row = calloc(n, sizeof *l->row);
  l->value = calloc(n * n, sizeof *l->value);
  l->x = calloc(n, sizeof *l->x);
  l->rank.order = calloc(n, sizeof(int));
  l->rank.kept = calloc(n, sizeof(bool));
  l->rank.pivot = calloc(n, sizeof(double));
  l->rank.rhs = calloc(n, sizeof(double));
  l->block[1] = l->n;
  l->e =
      (lwi_envelope){.n = l->n, .nblock = 1, .block = l->block, .first = l->first, .row = l->row};
  lwi_envelope_layout(&l->e);
  *status = LW_OK;
  return l;
}

void lwi_linear_free(lwi_linear *l)
{
  if (!l) return;
  free(l->row);
  free(l->value);
  free(l->x);
  free(l->rank.order);
  free(l->rank.kept);
  free(l->rank.pivot);
  free(l->rank.rhs);
  free(l);
}

static void inverse_times(const lwi_linear_mass *m, int width, const double *f, double *a)
{
  const double *K = m->inverse_inertia;
  if (width == 3) {
    a[0] = K[2] * f[0];
    a[1] = m->inverse_mass * f[1];
    a[2] = m->inverse_mass * f[2];
    return;
  }
  a[0] = K[0] * f[0] + K[3] * f[1] + K[4] * f[2];
  a[1] = K[3] * f[0] + K[1] * f[1] + K[5] * f[2];
  a[2] = K[4] * f[0] + K[5] * f[1] + K[2] * f[2];
  for (int i = 3; i < 6; i++)
    a[i] = m->inverse_mass * f[i];
}

lw_status lwi_linear_solve(lwi_linear *l, const lwi_linear_values *v, double a[], double lambda[])
{
  const lwi_linear_shape *s = &l->s;
  const int w = s->width;
  memset(l->value, 0, ((size_t)l->n + 1) * ((size_t)l->n + 1) * sizeof(double));
  size_t at = 0;
  for (int k = 0; k < s->nset; k++) {
    const int nk = s->row[k + 1] - s->row[k];
    size_t at2 = 0;
    for (int j = 0; j <= k; j++) {
      const int nj = s->row[j + 1] - s->row[j];
      for (int x = s->touch[k]; x < s->touch[k + 1]; x++)
        for (int y = s->touch[j]; y < s->touch[j + 1]; y++) {
          if (s->body[x] != s->body[y]) continue;
          const double *Jk = v->jacobian + lwi_linear_block(s, k, at, x - s->touch[k]);
          const double *Jj = v->jacobian + lwi_linear_block(s, j, at2, y - s->touch[j]);
          for (int c = 0; c < nj; c++) {
            double K[6];
            inverse_times(&v->mass[s->body[x]], w, Jj + c * w, K);
            for (int r = 0; r < nk; r++) {
              double sum = 0;
              for (int i = 0; i < w; i++)
                sum += Jk[r * w + i] * K[i];
              *lwi_envelope_at(&l->e, l->value, 0, s->row[k] + r, s->row[j] + c) += sum;
              if (j != k) *lwi_envelope_at(&l->e, l->value, 0, s->row[j] + c, s->row[k] + r) += sum;
            }
          }
        }
      at2 += (size_t)(nj * w * (s->touch[j + 1] - s->touch[j]));
    }
    at += (size_t)(nk * w * (s->touch[k + 1] - s->touch[k]));
  }
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-14, .unit = 1e-300};
  lwi_envelope_factor(&l->e, l->value, &l->rank, &rule);
  return lwi_linear_solve_again(l, v, a, lambda);
}

lw_status lwi_linear_solve_again(lwi_linear *l, const lwi_linear_values *v, double a[],
                                 double lambda[])
{
  const lwi_linear_shape *s = &l->s;
  const int w = s->width;
  double *free_a = calloc((size_t)(s->nbody * w) + 1, sizeof(double));
  for (int b = 0; b < s->nbody; b++)
    inverse_times(&v->mass[b], w, v->force + b * w, free_a + b * w);
  const double *J = v->jacobian;
  for (int k = 0; k < s->nset; k++) {
    for (int r = s->row[k]; r < s->row[k + 1]; r++)
      l->x[r] = -v->gamma[r];
    for (int x = s->touch[k]; x < s->touch[k + 1]; x++)
      for (int r = s->row[k]; r < s->row[k + 1]; r++, J += w)
        for (int i = 0; i < w; i++)
          l->x[r] += J[i] * free_a[s->body[x] * w + i];
  }
  lwi_envelope_solve(&l->e, l->value, &l->rank, l->x);
  if (lambda && l->n) memcpy(lambda, l->x, (size_t)l->n * sizeof(double));
  J = v->jacobian;
  memset(free_a, 0, (size_t)(s->nbody * w) * sizeof(double));
  for (int b = 0; b < s->nbody * w; b++)
    free_a[b] = v->force[b];
  for (int k = 0; k < s->nset; k++)
    for (int x = s->touch[k]; x < s->touch[k + 1]; x++)
      for (int r = s->row[k]; r < s->row[k + 1]; r++, J += w)
        for (int i = 0; i < w; i++)
          free_a[s->body[x] * w + i] -= J[i] * l->x[r];
  for (int b = 0; b < s->nbody && a; b++)
    inverse_times(&v->mass[b], w, free_a + b * w, a + b * w);
  free(free_a);
  return LW_OK;
}

int lwi_linear_rank(const lwi_linear *l)
{
  return l->rank.rank;
}

bool lwi_linear_row_kept(const lwi_linear *l, int row)
{
  for (int i = 0; i < l->n; i++)
    if (l->rank.order[i] == row) return l->rank.kept[i];
  return false;
}
