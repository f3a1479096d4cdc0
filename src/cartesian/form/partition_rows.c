/* SPDX-License-Identifier: Apache-2.0 */
/* partition_rows.c -- the rows that coordinate partitioning factors, with the entries that they have. */
#include "cartesian/form/coordinate_partition.h"

static inline double *copy_row(double *to, const double *from, int n)
{
  for (int i = 0; i < n; i++)
    to[i] = from[i];
  return to + n;
}

/* sign [arm x e; e] with the unit vector e of a ground axis, where it is not zero */
static inline double *put_ground_row(double *to, const double arm[3], int axis, int width,
                                     double sign)
{
  static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
  if (width == 3) {
    *to++ = axis == 0 ? -sign * arm[1] : sign * arm[0];
  } else {
    *to++ = sign * arm[last[axis]];
    *to++ = -sign * arm[next[axis]];
  }
  *to++ = sign;
  return to;
}

/* Row r of a joint of the tree, in the order of the set's blocks. */
static inline void put_ground_rows(lwi_partition *p, const lwi_row_set *s, int r, int axis)
{
  const lw_cartesian *c = p->c;
  const int *at = c->side[s->term];
  const int first = at[0] == 0 ? 0 : 1;
  const lwi_body_pair_state *x = &c->at[s->joint];
  double *to = p->value + p->start[s->row + r];
  to = put_ground_row(to, x->arm[first], axis, c->width, first ? 1 : -1);
  if (at[1 - first] >= 0) put_ground_row(to, x->arm[1 - first], axis, c->width, first ? -1 : 1);
}

/* A direction of A that a joint of the tree holds: a turn about another one (rows.c). */
static void put_swing(lwi_partition *p, const lwi_row_set *s, int r, bool second)
{
  const lw_cartesian *c = p->c;
  const int *at = c->side[s->term];
  double n[3], *to = p->value + p->start[s->row + r];
  rot_mulv(c->at[s->joint].frame[0].R, c->m->joint[s->joint].equations.E.c[second ? 0 : 1], n);
  for (int block = 0; block < 2 && (at[0] == block || at[1] == block); block++)
    for (int k = 0; k < 3; k++)
      *to++ = (at[1] == block) == second ? -n[k] : n[k];
}

/* Phi by rows, from its blocks; rows that give way constrain nothing: they are zero and dropped */
void lwi_partition_fill_rows(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  const int turns = c->width == 6 ? 3 : 1;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const int blocks = c->touch_start[k + 1] - c->touch_start[k];
    for (int r = 0; r < s->n - s->rotors; r++) {
      const int kind = p->kind[s->row + r];
      if (kind <= LWI_ROW_ALONG_Z) {
        put_ground_rows(p, s, r, kind);
        continue;
      }
      if (kind <= LWI_ROW_SWING_1) {
        put_swing(p, s, r, kind == LWI_ROW_SWING_1);
        continue;
      }
      double *to = p->value + p->start[s->row + r];
      const double *from = c->jacobian + s->J + (size_t)(r * c->width);
      for (int b = 0; b < blocks; b++, from += s->n * c->width)
        to = copy_row(to, from, kind == LWI_ROW_FULL ? c->width : turns);
    }
  }
}
