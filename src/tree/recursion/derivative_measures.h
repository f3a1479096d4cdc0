/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_measures.h -- measures.h differentiated along a direction: how a measure changes where
   its links do, and where the places of its frames in them do.  Suffix _p: the derivative. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_MEASURES_H
#define LWI_TREE_RECURSION_DERIVATIVE_MEASURES_H
#include "tree/recursion/derivative_forces.h"

/* links of the two frames or ends */
static inline void measure_links(const lw_model *m, const lwi_measure *e, int link[2])
{
  for (int end = 0; end < 2; end++)
    link[end] = e->kind >= LWI_MEASURE_SHIFT    ? bushing_link(&m->bushing[e->of], end)
                : e->kind >= LWI_MEASURE_ANGLE  ? torsion_link(&m->torsion[e->of], end)
                : e->kind >= LWI_MEASURE_LENGTH ? spring_link(&m->spring[e->of], end)
                                                : lwi_frame_at(m, end ? e->in : e->of)->link;
}

typedef struct {
  frame_state at;
  vec3 x, v, turn, w; /* derivatives of the place and velocity of the origin, of axes and spin */
} frame_change;

/* f_p: derivatives of the frame's place in the link; NULL: it does not change */
static inline frame_change change_frame(const lwi_tree_work *w, const lwi_body *f,
                                        const lwi_body *f_p, const link_change *c)
{
  const link_state *s = &w->link[f->link];
  frame_change out = {.at = find_frame(w, f), .turn = c->turn, .w = c->w};
  vec3 o_p = v3_cross(c->turn, out.at.at.o);
  if (f_p) {
    o_p = v3_add(o_p, m3_mulp(s->R, f_p->p));
    out.turn = v3_add(out.turn, m3_mulv(s->R, param_turn(&f->R, &f_p->R)));
  }
  out.x = v3_add(c->shift, o_p);
  out.v = v3_add_cross(v3_add_cross(c->v, c->w, out.at.at.o), s->V.w, o_p);
  return out;
}

/* derivative of measured_vector */
static inline vec3 measured_vector_rate(const lwi_measure *e, const frame_change *of,
                                        const frame_change *in)
{
  const vec3 d = v3_sub(of->at.at.x, in->at.at.x), d_p = v3_sub(of->x, in->x);
  switch (e->kind) {
  case LWI_MEASURE_POSITION: return d_p;
  case LWI_MEASURE_VELOCITY:
    return v3_sub(v3_sub(of->v, in->v), v3_add_cross(v3_cross(in->w, d), in->at.w, d_p));
  case LWI_MEASURE_SPIN: return v3_sub(of->w, in->w);
  default: return v3_cross(of->turn, m3_column(of->at.R, e->axis));
  }
}

static real spring_measure_rate(const lwi_tree_work *w, const lwi_spring *e, const lwi_spring *e_p,
                                lwi_measure_kind kind, const link_change *a, const link_change *b)
{
  const stretch_change s = change_stretch(w, e, e_p, a, b);
  return kind == LWI_MEASURE_LENGTH        ? s.l
         : kind == LWI_MEASURE_LENGTH_RATE ? s.v
                                           : tension_rate(e, e_p, &s);
}

static vec3 bushing_measure_rate(const bushing_change *c, lwi_measure_kind kind)
{
  return kind == LWI_MEASURE_SHIFT        ? c->x
         : kind == LWI_MEASURE_SHIFT_RATE ? c->v
         : kind == LWI_MEASURE_TURN       ? c->phi
                                          : c->w;
}

static double element_rate(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                           const lwi_measure *e, const link_change *a, const link_change *b)
{
#define RECORD(item)                                                                               \
  static const lwi_##item none;                                                                    \
  const lwi_##item *x = &m->item[e->of], *x_p = derivative ? &derivative->item[e->of] : &none
  if (e->kind >= LWI_MEASURE_SHIFT) {
    RECORD(bushing);
    const bushing_change c = find_bushing_change(w, x, x_p, a, b);
    return real_lane(v3_component(bushing_measure_rate(&c, e->kind), e->component), 0);
  }
  if (e->kind >= LWI_MEASURE_ANGLE) {
    RECORD(torsion);
    const torsion_change c = find_torsion_change(w, x, x_p, a, b);
    return real_lane(e->kind == LWI_MEASURE_ANGLE ? c.turn : c.rate, 0);
  }
  RECORD(spring);
  return real_lane(spring_measure_rate(w, x, x_p, e->kind, a, b), 0);
#undef RECORD
}

/* change: of the two links of measure_links */
static double measure_rate(const lw_model *m, const lw_model *derivative, const lwi_tree_work *w,
                           const lwi_measure *e, const link_change *a, const link_change *b)
{
  if (e->kind >= LWI_MEASURE_LENGTH) return element_rate(m, derivative, w, e, a, b);
  const frame_change of = change_frame(w, lwi_frame_at(m, e->of),
                                       derivative ? lwi_frame_at(derivative, e->of) : NULL, a);
  const frame_change in = change_frame(w, lwi_frame_at(m, e->in),
                                       derivative ? lwi_frame_at(derivative, e->in) : NULL, b);
  const vec3 x_p = measured_vector_rate(e, &of, &in);
  if (e->in == 0) return real_lane(v3_component(x_p, e->component), 0);
  /* (e^T x)_p with e_p = turn x e */
  const vec3 x = measured_vector(e, &of.at, &in.at);
  return real_lane(v3_dot(m3_column(in.at.R, e->component), v3_add_cross(x_p, x, in.turn)), 0);
}

#endif
