/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_blocks.h -- kernel source of reduced_kernels.c: the blocks that the reduced system is
   assembled from, Phi M^-1 Phi^T of the rows of one body, and rows and columns of hubs. */
#ifndef LWI_CARTESIAN_REDUCED_REDUCED_BLOCKS_H
#define LWI_CARTESIAN_REDUCED_REDUCED_BLOCKS_H
#include "cartesian/reduced/reduced.h"

typedef double v4 __attribute__((vector_size(32)));
typedef double v4u __attribute__((vector_size(32), aligned(8), may_alias));
typedef double v2u __attribute__((vector_size(16), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

static inline v4 *as_vectors(double *x)
{
  return (v4 *)__builtin_assume_aligned(x, 32);
}
static inline const v4 *as_const_vectors(const double *x)
{
  return (const v4 *)__builtin_assume_aligned(x, 32);
}

/* (Phi M^-1)^T of a block, and what it adds to the right side */
INLINE void prepare_planar(const double *phi, const lwi_descriptor_mass *m, const double *Q,
                           int rows, double *y, double *x)
{
  const double scale[3] = {m->inverse_inertia[2], m->inverse_mass, m->inverse_mass};
  for (int r = 0; r < rows; r++) {
    double s = 0;
    for (int i = 0; i < 3; i++) {
      const double e = phi[3 * r + i] * scale[i];
      y[i * rows + r] = e;
      s += e * Q[i];
    }
    x[r] += s;
  }
}

INLINE void prepare_spatial(const double *phi, const lwi_descriptor_mass *m, const double *Q,
                            int rows, double *y, double *x)
{
  const double *K = m->inverse_inertia;
  for (int r = 0; r < rows; r++) {
    const double *p = phi + 6 * r;
    const double e[6] = {K[0] * p[0] + K[3] * p[1] + K[4] * p[2],
                         K[3] * p[0] + K[1] * p[1] + K[5] * p[2],
                         K[4] * p[0] + K[5] * p[1] + K[2] * p[2],
                         m->inverse_mass * p[3],
                         m->inverse_mass * p[4],
                         m->inverse_mass * p[5]};
    double s = 0;
    for (int i = 0; i < 6; i++) {
      y[i * rows + r] = e[i];
      s += e[i] * Q[i];
    }
    x[r] += s;
  }
}

#define BY_ROWS(rows, call)                                                                        \
  switch (rows) {                                                                                  \
  case 0: break;                                                                                   \
  case 1: call(1); break;                                                                          \
  case 2: call(2); break;                                                                          \
  case 3: call(3); break;                                                                          \
  case 4: call(4); break;                                                                          \
  case 5: call(5); break;                                                                          \
  default: call(6); break;                                                                         \
  }

static void prepare(const lwi_reduced_plan *p, lwi_reduced_work *w, const lwi_descriptor_values *v)
{
  for (int i = 0; i < p->nrow; i++)
    w->x[i] = -v->gamma[i];
  for (int i = 0; i < p->nhub; i++)
    for (int k = 0; k < p->width; k++)
      w->x[p->nrow + i * p->width + k] = -v->force[p->hub[i] * p->width + k];
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    if (b->y == ~0u) continue;
    const double *phi = v->jacobian + b->phi, *Q = v->force + b->body * p->width;
    const lwi_descriptor_mass *m = &v->mass[b->body];
    double *y = w->y + b->y, *x = w->x + b->row;
    if (p->width == 3) {
#define PREPARE(n) prepare_planar(phi, m, Q, n, y, x)
      BY_ROWS(b->rows, PREPARE)
#undef PREPARE
    } else {
#define PREPARE(n) prepare_spatial(phi, m, Q, n, y, x)
      BY_ROWS(b->rows, PREPARE)
#undef PREPARE
    }
  }
}

/* to[rows] of each column += sum over i of y[i][rows] phi[column][i] */
INLINE void product(const double *y, const double *phi, int width, int rows, int columns,
                    double *to, int ld)
{
  for (int c = 0; c < columns; c++, phi += width, to += ld) {
    int r = 0;
    if (rows >= 4) {
      v4u s = *(v4u *)to;
      for (int i = 0; i < width; i++)
        s += *(const v4u *)(y + i * rows) * phi[i];
      *(v4u *)to = s;
      r = 4;
    }
    if (rows - r >= 2) {
      v2u s = *(v2u *)(to + r);
      for (int i = 0; i < width; i++)
        s += *(const v2u *)(y + i * rows + r) * phi[i];
      *(v2u *)(to + r) = s;
      r += 2;
    }
    if (rows - r == 1) {
      double s = to[r];
      for (int i = 0; i < width; i++)
        s += y[i * rows + r] * phi[i];
      to[r] = s;
    }
  }
}

INLINE void put_product(const lwi_op *o, int width, const double *y, const double *phi, double *to,
                        int ld)
{
#define PRODUCT(n) product(y, phi, width, n, o->columns, to, ld)
  BY_ROWS(o->rows, PRODUCT)
#undef PRODUCT
}

static void put_mass(const lwi_descriptor_mass *m, int width, double *to, int ld)
{
  static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
  if (width == 3) {
    to[0] = -m->inertia[2];
    to[1 + ld] = to[2 + 2 * ld] = -m->mass;
    return;
  }
  for (int k = 0; k < 6; k++)
    to[row[k] + column[k] * ld] = -m->inertia[k];
  for (int k = 3; k < 6; k++)
    to[k + k * ld] = -m->mass;
}

static void put_own(const double *phi, const lwi_descriptor_mass *m, int width, int rows,
                    double *own)
{
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < width; i++) {
      const double scale = width == 3 ? (i == 0 ? m->inverse_inertia[2] : m->inverse_mass)
                                      : (i < 3 ? m->inverse_inertia[i] : m->inverse_mass);
      own[r] += phi[r * width + i] * phi[r * width + i] * scale;
    }
}

INLINE void put_op(int width, const lwi_front *f, const lwi_op *o, lwi_reduced_work *w,
                   const lwi_descriptor_values *v)
{
  double *to = w->panel + o->to;
  const double *phi = v->jacobian + o->phi;
  switch ((lwi_op_kind)o->kind) {
  case LWI_OP_PRODUCT: put_product(o, width, w->y + o->y, phi, to, f->ld); break;
  case LWI_OP_HUB_ROW:
    for (int c = 0; c < o->columns; c++)
      for (int i = 0; i < width; i++)
        to[i + c * f->ld] = -phi[c * width + i];
    break;
  case LWI_OP_HUB_COLUMN:
    for (int c = 0; c < width; c++)
      for (int i = 0; i < o->rows; i++)
        to[i + c * f->ld] = -phi[i * width + c];
    break;
  case LWI_OP_HUB: put_mass(&v->mass[o->body], width, to, f->ld); break;
  case LWI_OP_OWN: put_own(phi, &v->mass[o->body], width, o->rows, w->own + o->to); break;
  }
}

#endif
