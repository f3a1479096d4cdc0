/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_cost.c -- what an assembly tree costs: multiplications, in all and one after the
   other. */
#include "graph/assembly_tree.h"

static const double leaf_work = 150;

double lwi_assembly_work(const lwi_assembly_tree *t, int assembly, int rows)
{
  const lwi_assembly *a = &t->assembly[assembly];
  if (a->kind == LWI_ASSEMBLY_LEAF) return leaf_work;
  if (a->idle) return 0;
  const int ends = (t->from[a->edge] >= 0) + (t->to[a->edge] >= 0);
  const double m = rows, in = lwi_assembly_inside(t, a), out = a->nhandle;
  const double sides = a->kind == LWI_ASSEMBLY_CLOSE ? ends : 1; /* of the edge that see a handle */
  return 36 * m * in * sides + 6 * m * m * ends + m * m * m / 6 /* rows, their matrix, its factor */
         + 3 * m * m * out + 36 * m * out * out                 /* what the handles feel */
         + 6 * m * (out + ends) + m * m;                        /* loads, outward */
}

lwi_assembly_cost lwi_assembly_tree_cost(const lwi_assembly_tree *t, const int rows[])
{
  lwi_assembly_cost c = {0};
  double *path = t->path; /* the longest path from a leaf */
  for (int i = 0; i < t->nassembly; i++) {
    const lwi_assembly *a = &t->assembly[i];
    const double work = lwi_assembly_work(t, i, a->edge < 0 ? 0 : rows ? rows[a->edge] : 5);
    double inside = a->left < 0 ? 0 : path[a->left];
    if (a->right >= 0 && path[a->right] > inside) inside = path[a->right];
    path[i] = inside + work;
    c.operations += work;
    if (path[i] > c.critical) c.critical = path[i];
    if (a->level > c.depth) c.depth = a->level;
    if (a->nhandle > c.widest) c.widest = a->nhandle;
  }
  return c;
}

double lwi_assembly_speed_up(const lwi_assembly_cost *c, int p)
{
  if (p < 1 || !(c->operations > 0)) return 1;
  return c->operations / (c->critical + (c->operations - c->critical) / p);
}
