/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_residual.h -- kernel source of reduced_kernels.c: what a solution leaves of the rows and of the balance of the
   bodies, and what the terms of each can be. */
#ifndef LWI_CARTESIAN_REDUCED_REDUCED_RESIDUAL_H
#define LWI_CARTESIAN_REDUCED_REDUCED_RESIDUAL_H
#include "cartesian/reduced/reduced_blocks.h"

#include <math.h>

/* a row of a block: of planar models three numbers, the fourth one stays zero; of spatial ones the
   first four and the other two */
typedef struct {
  v4 a;
  v2u b;
} row6;

typedef long long mask4 __attribute__((vector_size(32)));
typedef long long mask2 __attribute__((vector_size(16)));

INLINE row6 load_row(const double *x, int width)
{
  if (width == 3) return (row6){{x[0], x[1], x[2], 0}, {0, 0}};
  return (row6){*(const v4u *)x, *(const v2u *)(x + 4)};
}
INLINE void store_row(double *to, row6 x, int width)
{
  if (width == 3) {
    for (int i = 0; i < 3; i++)
      to[i] = x.a[i];
    return;
  }
  *(v4u *)to = x.a;
  *(v2u *)(to + 4) = x.b;
}
INLINE row6 size_of_row(row6 x)
{
  const long long all = 0x7fffffffffffffffLL;
  const mask4 four = {all, all, all, all};
  const mask2 two = {all, all};
  return (row6){(v4)((mask4)x.a & four), (v2u)((mask2)x.b & two)};
}
INLINE double dot_row(row6 x, row6 y, int width)
{
  const v4 s = x.a * y.a;
  if (width == 3) return s[0] + s[1] + s[2];
  const v2u t = x.b * y.b;
  return ((s[0] + s[1]) + (s[2] + s[3])) + (t[0] + t[1]);
}

/* ---- rows: gamma + c lambda - Phi a ---- */

/* planar models have too few numbers for vectors */
static void add_planar_row_products(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                                    const double a[], double turn, double shift, double row[],
                                    double size[])
{
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *J = v->jacobian + b->phi, *x = a + 3 * b->body;
    for (int r = b->row; r < b->row + b->rows; r++, J += 3) {
      row[r] -= J[0] * x[0] + J[1] * x[1] + J[2] * x[2];
      if (size) size[r] += fabs(J[0]) * turn + (fabs(J[1]) + fabs(J[2])) * shift;
    }
  }
}

INLINE void add_row_products(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                             const double a[], row6 most, double row[], double size[], int width)
{
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *phi = v->jacobian + b->phi;
    const row6 x = load_row(a + b->body * width, width);
    for (int r = b->row; r < b->row + b->rows; r++, phi += width) {
      const row6 J = load_row(phi, width);
      row[r] -= dot_row(J, x, width);
      if (size) size[r] += dot_row(size_of_row(J), most, width);
    }
  }
}

static void row_residual(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                         const double a[], const double lambda[], double turn, double shift,
                         double row[], double size[])
{
  const row6 spatial = {{turn, turn, turn, shift}, {shift, shift}};
  for (int r = 0; r < p->nrow; r++) {
    row[r] = v->gamma[r] + (v->give ? v->give[r] * lambda[r] : 0);
    if (size) size[r] = fabs(v->gamma[r]);
  }
  if (p->width == 3)
    add_planar_row_products(p, v, a, turn, shift, row, size);
  else
    add_row_products(p, v, a, spatial, row, size, 6);
}

/* ---- bodies: Q - M a - Phi^T lambda ---- */

INLINE row6 multiply_mass(const lwi_descriptor_mass *m, const double *x, int width)
{
  const double *J = m->inertia, mass = m->mass;
  if (width == 3) return (row6){{J[2] * x[0], mass * x[1], mass * x[2], 0}, {0, 0}};
  return (row6){{J[0] * x[0] + J[3] * x[1] + J[4] * x[2], J[3] * x[0] + J[1] * x[1] + J[5] * x[2],
                 J[4] * x[0] + J[5] * x[1] + J[2] * x[2], mass * x[3]},
                {mass * x[4], mass * x[5]}};
}

INLINE void subtract_masses(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                            const double a[], double force[], double size[], int width)
{
  for (int i = 0; i < p->nbody; i++) {
    const row6 Ma = multiply_mass(&v->mass[i], a + i * width, width);
    const row6 Q = load_row(v->force + i * width, width);
    store_row(force + i * width, (row6){Q.a - Ma.a, Q.b - Ma.b}, width);
    if (!size) continue;
    const row6 x = size_of_row(Ma), y = size_of_row(Q);
    store_row(size + i * width, (row6){x.a + y.a, x.b + y.b}, width);
  }
}

static void subtract_planar_row_loads(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                                      const double lambda[], double force[], double size[])
{
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *J = v->jacobian + b->phi;
    double *const f = force + 3 * b->body, *const z = size ? size + 3 * b->body : f;
    double x = f[0], y = f[1], w = f[2], sizes[3] = {z[0], z[1], z[2]};
    for (int r = b->row; r < b->row + b->rows; r++, J += 3) {
      const double load[3] = {J[0] * lambda[r], J[1] * lambda[r], J[2] * lambda[r]};
      x -= load[0];
      y -= load[1];
      w -= load[2];
      for (int k = 0; k < 3; k++)
        sizes[k] += fabs(load[k]);
    }
    for (int k = 0; k < 3; k++)
      z[k] = sizes[k];
    f[0] = x;
    f[1] = y;
    f[2] = w;
  }
}

INLINE void subtract_row_loads(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                               const double lambda[], double force[], double size[], int width)
{
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *phi = v->jacobian + b->phi;
    double *const f = force + b->body * width, *const z = size ? size + b->body * width : NULL;
    row6 sum = load_row(f, width), sizes = z ? load_row(z, width) : (row6){{0}, {0}};
    for (int r = b->row; r < b->row + b->rows; r++, phi += width) {
      const row6 J = load_row(phi, width), load = {J.a * lambda[r], J.b * lambda[r]};
      sum = (row6){sum.a - load.a, sum.b - load.b};
      const row6 own = size_of_row(load);
      sizes = (row6){sizes.a + own.a, sizes.b + own.b};
    }
    store_row(f, sum, width);
    if (z) store_row(z, sizes, width);
  }
}

static void force_residual(const lwi_reduced_plan *p, const lwi_descriptor_values *v,
                           const double a[], const double lambda[], double force[], double size[])
{
  if (p->width == 3) {
    subtract_masses(p, v, a, force, size, 3);
    subtract_planar_row_loads(p, v, lambda, force, size);
  } else {
    subtract_masses(p, v, a, force, size, 6);
    subtract_row_loads(p, v, lambda, force, size, 6);
  }
}

#endif
