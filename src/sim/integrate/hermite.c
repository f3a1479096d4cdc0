/* SPDX-License-Identifier: Apache-2.0 */
/* hermite.c -- Hermite interpolation: the polynomial with given values and derivatives at several
   times. */
#include "sim/integrate/hermite.h"

#include <stdlib.h>

bool lwi_hermite_init(lwi_hermite *x, int n, int places)
{
  *x = (lwi_hermite){.n = n};
  x->memory = calloc(2 * (size_t)places * (size_t)n + 1, sizeof *x->memory);
  if (!x->memory) return false;
  for (int i = 0; i < places; i++) {
    x->y[i] = x->memory + 2 * (size_t)i * (size_t)n;
    x->f[i] = x->y[i] + n;
  }
  return true;
}

void lwi_hermite_free(lwi_hermite *x)
{
  free(x->memory);
  x->memory = NULL;
}

/* y(t) = sum_i (1 - 2 (dl_i/dt)(t_i) (t - t_i)) l_i(t)^2 y_i + (t - t_i) l_i(t)^2 f_i, with the
   Lagrange polynomials l_i */
void lwi_hermite_at(const lwi_hermite *x, double t, double y[])
{
  for (int e = 0; e < x->n; e++)
    y[e] = 0;
  for (int i = 0; i < x->places; i++) {
    double l = 1, slope = 0;
    for (int j = 0; j < x->places; j++) {
      if (j == i) continue;
      l *= (t - x->t[j]) / (x->t[i] - x->t[j]);
      slope += 1 / (x->t[i] - x->t[j]);
    }
    const double of_f = (t - x->t[i]) * l * l, of_y = l * l - 2 * slope * of_f;
    for (int e = 0; e < x->n; e++)
      y[e] += of_y * x->y[i][e] + of_f * x->f[i][e];
  }
}
