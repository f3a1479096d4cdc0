/* SPDX-License-Identifier: Apache-2.0 */
/* torsions.h -- the turn of a torsion, its rate and its torque; how turns are counted along a
   motion. */
#ifndef LWI_TREE_RECURSION_TORSIONS_H
#define LWI_TREE_RECURSION_TORSIONS_H
#include "tree/recursion/tree_work.h"

/* With n the axis as the parent carries it and c as the child does, in ground axes, the turn of the
   child about the axis (R = swing twist) has the gradient g = (n + c) / (1 + n^T c) by the rotation
   of the child seen from the parent */
typedef struct {
  vec3 n, c, g, w; /* w: angular velocity of the child seen from the parent */
  real turn, rate;
} torsion_state;

/* what the angles between the two bodies add up to */
static inline real wind_up(const lwi_tree_work *w, const lwi_torsion *e)
{
  real sum = real_set(0.0);
  for (int i = 0; i < e->nwinding; i++)
    sum += (double)e->winding[i].sense * w->angle[e->winding[i].angle];
  return sum;
}
/* within half a turn of it, counted from `wound` */
static inline real count_turns(const lwi_tree_work *w, const lwi_torsion *e, real turn)
{
  const real sum = w->wound[e->id] + wind_up(w, e);
  return turn + LWI_WHOLE_TURN * real_map1((sum - turn) / LWI_WHOLE_TURN, rint);
}
static inline torsion_state find_torsion(const lwi_tree_work *w, const lwi_torsion *e)
{
  const link_state *p = &w->link[e->link[0]], *k = &w->link[e->link[1]];
  const mat3 P = m3_mulparam(p->R, &e->R[0]), C = m3_mulparam(k->R, &e->R[1]);
  torsion_state s = {.n = P.z, .c = C.z, .w = v3_sub(k->V.w, p->V.w)};
  const real sine = v3_dot(P.y, C.x) - v3_dot(P.x, C.y);
  const real cosine = v3_dot(P.x, C.x) + v3_dot(P.y, C.y);
  s.turn = count_turns(w, e, real_map2(sine, cosine, atan2));
  s.g = v3_scale(v3_add(s.n, s.c), 1.0 / (1.0 + v3_dot(s.n, s.c)));
  s.rate = v3_dot(s.g, s.w);
  return s;
}
static inline real torsion_torque(const lwi_torsion *e, const torsion_state *s)
{
  return e->stiffness * (s->turn - e->angle) + e->damping * s->rate;
}

/* Counts turns from the present state on, so that they are continuous along a motion whatever
   joints are between the two bodies, unless a torsion has turned by more than `most` beyond what
   the angles count since this was last done.  Returns the largest such change, which is below half
   a turn if states follow each other closely.  Of one state. */
static double follow_torsions(const lw_model *m, lwi_tree_work *w, double most)
{
  double largest = 0;
  for (int pass = 0; pass < 2 && largest <= most; pass++)
    for (int i = 0; i < m->ntorsion; i++) {
      const lwi_torsion *e = &m->torsion[i];
      const real wound = find_torsion(w, e).turn - wind_up(w, e);
      largest = fmax(largest, fabs((double)real_lane(wound - w->wound[i], 0)));
      if (pass == 1) w->wound[i] = wound;
    }
  return largest;
}

#endif
