/* SPDX-License-Identifier: Apache-2.0 */
/* measures.h -- values of measures (model/measure.h): what of poses and velocities expressions of forces use.
   After kinematics.  With d = x_of - x_in in ground axes and B the axes of the frame that is seen from

     position B^T d     velocity B^T (v_of - v_in - w_in x d), its rate     spin B^T (w_of - w_in) */
#ifndef LWI_TREE_RECURSION_MEASURES_H
#define LWI_TREE_RECURSION_MEASURES_H
#include "tree/recursion/bushings.h"
#include "tree/recursion/torsions.h"

static inline real v3_component(vec3 a, int k)
{
  return k == 0 ? v3_x(a) : k == 1 ? v3_y(a) : v3_z(a);
}
static inline vec3 m3_column(mat3 R, int k)
{
  return k == 0 ? R.x : k == 1 ? R.y : R.z;
}

/* a frame of a body, in ground axes */
typedef struct {
  point_state at;
  mat3 R;
  vec3 w;
} frame_state;

static inline frame_state find_frame(const lwi_tree_work *w, const lwi_body *f)
{
  const link_state *s = &w->link[f->link];
  const vec3 o = m3_mulp(s->R, f->p);
  return (frame_state){
      {o, v3_add(s->p, o), v3_add_cross(s->V.v, s->V.w, o)}, m3_mulparam(s->R, &f->R), s->V.w};
}

/* the vector of which a measure is a component, in ground axes */
static inline vec3 measured_vector(const lwi_measure *e, const frame_state *of,
                                   const frame_state *in)
{
  const vec3 d = v3_sub(of->at.x, in->at.x);
  switch (e->kind) {
  case LWI_MEASURE_POSITION: return d;
  case LWI_MEASURE_VELOCITY: return v3_sub(v3_sub(of->at.v, in->at.v), v3_cross(in->w, d));
  case LWI_MEASURE_SPIN: return v3_sub(of->w, in->w);
  default: return m3_column(of->R, e->axis);
  }
}

static inline real spring_tension(const lwi_spring *e, const spring_state *s)
{
  return e->stiffness * (s->l - e->length) + e->damping * s->v;
}

static real measure_spring(const lwi_tree_work *w, const lwi_spring *e, lwi_measure_kind kind)
{
  const spring_state s = stretch(w, e);
  return kind == LWI_MEASURE_LENGTH        ? s.l
         : kind == LWI_MEASURE_LENGTH_RATE ? s.v
                                           : spring_tension(e, &s);
}

static real measure_bushing(const lwi_tree_work *w, const lwi_bushing *e, const lwi_measure *what)
{
  const bushing_state s = find_bushing(w, e);
  const vec3 x = what->kind == LWI_MEASURE_SHIFT        ? s.x
                 : what->kind == LWI_MEASURE_SHIFT_RATE ? s.v
                 : what->kind == LWI_MEASURE_TURN       ? s.phi
                                                        : s.w;
  return v3_component(x, what->component);
}

static real measure_element(const lw_model *m, const lwi_tree_work *w, const lwi_measure *e)
{
  if (e->kind >= LWI_MEASURE_SHIFT) return measure_bushing(w, &m->bushing[e->of], e);
  if (e->kind < LWI_MEASURE_ANGLE) return measure_spring(w, &m->spring[e->of], e->kind);
  const torsion_state s = find_torsion(w, &m->torsion[e->of]);
  return e->kind == LWI_MEASURE_ANGLE ? s.turn : s.rate;
}

static real find_measure(const lw_model *m, const lwi_tree_work *w, const lwi_measure *e)
{
  if (e->kind >= LWI_MEASURE_LENGTH) return measure_element(m, w, e);
  const frame_state of = find_frame(w, lwi_frame_at(m, e->of)),
                    in = find_frame(w, lwi_frame_at(m, e->in));
  const vec3 x = measured_vector(e, &of, &in);
  return e->in == 0 ? v3_component(x, e->component) : v3_dot(m3_column(in.R, e->component), x);
}

/* of the first lane, for result columns */
static double get_measure(const lw_model *m, const lwi_tree_work *w, const lwi_measure *e)
{
  return real_lane(find_measure(m, w, e), 0);
}

#endif
