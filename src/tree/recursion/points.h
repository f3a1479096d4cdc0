/* SPDX-License-Identifier: Apache-2.0 */
/* points.h -- points of links and the springs between them: where they are and how they move.
   After kinematics. */
#ifndef LWI_TREE_RECURSION_POINTS_H
#define LWI_TREE_RECURSION_POINTS_H
#include "tree/recursion/outward.h"

/* a point of a link: offset from its origin, place and velocity */
typedef struct {
  vec3 o, x, v;
} point_state;

static inline point_state find_point(const lwi_tree_work *w, const lwi_point *at)
{
  const link_state *s = &w->link[at->link];
  const vec3 o = m3_mulp(s->R, at->p);
  return (point_state){o, v3_add(s->p, o), v3_add_cross(s->V.v, s->V.w, o)};
}

typedef struct {
  point_state a, b;
  vec3 n;    /* from a to b; zero if they coincide */
  real l, v; /* length and its rate */
} spring_state;

static inline spring_state stretch(const lwi_tree_work *w, const lwi_spring *e)
{
  spring_state s = {.a = find_point(w, &e->from), .b = find_point(w, &e->to)};
  const vec3 d = v3_sub(s.b.x, s.a.x);
  s.l = real_sqrt(v3_dot(d, d));
  s.n = v3_scale(d, real_select(s.l > 0.0, 1.0 / s.l, real_set(0.0)));
  s.v = v3_dot(s.n, v3_sub(s.b.v, s.a.v));
  return s;
}

#endif
