/* SPDX-License-Identifier: Apache-2.0 */
/* touching.h -- where round bodies touch, for the equations span, touch, roll and round of
   equations.h. */
#ifndef LWI_MODEL_JOINT_TOUCHING_H
#define LWI_MODEL_JOINT_TOUCHING_H
#include "model/joint/equations.h"

/* the length of d and its direction */
static inline num span_of(const num_view *x, num direction[3])
{
  const num length = norm3(x->d);
  for (int i = 0; i < 3; i++)
    direction[i] = value_of(length) > 0 ? x->d[i] / length : x->a.c[0][i];
  return length;
}

/* The lowest point of a sphere or disc above a plane: c from its centre, as a rate cdot of it if
   wanted. */
static inline num touch_point(const num_equations *e, const num_view *x, const num w[3], num c[3],
                              num cdot[3])
{
  const num *a = x->a.c[2], tilt = dot3(a, x->b), s = num_sqrt(1 - tilt * tilt);
  num bdot[3];
  cross3(w, x->b, bdot);
  const num turn = dot3(a, bdot), sdot = -tilt * turn / s;
  for (int i = 0; i < 3; i++) {
    c[i] = e->number * (x->b[i] * tilt - a[i]) / s;
    cdot[i] = e->number * (bdot[i] * tilt + x->b[i] * turn) / s - c[i] * sdot / s;
  }
  return s;
}

/* The direction t of row `round` k across n = d / |d|, with c from B's origin to where it touches,
   and their rates for the velocity v of B's origin. */
static inline void round_direction(const num_equations *e, const num_view *x, int k, const num v[3],
                                   num t[3], num tdot[3], num c[3], num cdot[3])
{
  num n[3], ndot[3], from[3];
  const num length = span_of(x, n), along = dot3(n, v);
  const double flip = value_of(dot3(n, x->a.c[2])) < -0.5 ? -1 : 1;
  const num *edge = x->a.c[k];
  const double sense = k == 1 ? flip : 1;
  for (int i = 0; i < 3; i++) {
    ndot[i] = (v[i] - along * n[i]) / length;
    c[i] = -e->number * n[i];
    cdot[i] = -e->number * ndot[i];
    from[i] = flip * x->a.c[2][i];
  }
  /* t = e - (n + a) (n . e) / (1 + n . a) */
  const num D = 1 + dot3(n, from), s = dot3(n, edge) / D,
            sdot = (dot3(ndot, edge) - s * dot3(ndot, from)) / D;
  for (int i = 0; i < 3; i++) {
    t[i] = sense * (edge[i] - (n[i] + from[i]) * s);
    tdot[i] = -sense * (ndot[i] * s + (n[i] + from[i]) * sdot);
  }
}

#endif
