/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_element_loads.h -- element_loads.h differentiated along a direction; after
   derivative_forces. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_ELEMENT_LOADS_H
#define LWI_TREE_RECURSION_DERIVATIVE_ELEMENT_LOADS_H
#include "tree/recursion/derivative_sweep.h"
#include "tree/recursion/element_loads.h"

/* how a load about the origin of a link changes as seen from a point that moves with the child */
static force about_point_rate(force l, force rate, vec3 arm, vec3 arm_p)
{
  return (force){v3_sub(v3_sub(rate.t, v3_cross(arm_p, l.f)), v3_cross(arm, rate.f)), rate.f};
}

static force bushing_load_rate(const lw_model *m, const lw_model *derivative,
                               const lwi_tree_work *w, const lwi_derivative_work *d,
                               const lwi_bushing *e, const lwi_bushing *e_p)
{
  const bushing_change c = find_bushing_change(w, e, e_p, ENDS(bushing, e));
  load_change l = change_bushing(w, e, e_p, ENDS(bushing, e));
  force rate = about_point_rate(l.load[1], l.rate[1], c.at.arm_child, c.o_child);
  if (!e->law) return rate;
  l = derivative_carried(m, derivative, w, d, &m->load[e->law - 1]);
  return force_add(rate, about_point_rate(l.load[1], l.rate[1], c.at.arm_child, c.o_child));
}

static double torsion_load_rate(const lw_model *m, const lwi_tree_work *w,
                                const lwi_derivative_work *d, const lwi_torsion *e,
                                const lwi_torsion *e_p)
{
  if (e->law) return expr_rate(w, d, &m->load[e->law - 1].torque[0]);
  const torsion_change c = find_torsion_change(w, e, e_p, ENDS(torsion, e));
  return -real_lane(torque_rate(e, e_p, &c), 0);
}

static void get_element_change(const lw_model *m, const lwi_sweep *s, const lwi_tree_work *w,
                               const lwi_derivative_work *d, int number, const double *q_p,
                               const double *u_p, double out[6])
{
#define RECORD(item)                                                                               \
  static const lwi_##item none;                                                                    \
  const lwi_##item *e = &m->item[own], *e_p = derivative ? &derivative->item[own] : &none
  const lw_model *derivative = s->derivative;
  int own;
  const lwi_force_kind kind = lwi_force_at(m, number, &own);
  if (kind == LWI_FORCE_joint_spring) {
    RECORD(joint_spring);
    const force_direction x = {
        {m, (const real *)s->q, (const real *)s->u}, q_p, u_p, NULL, derivative};
    out[0] = joint_spring_load_rate(&x, w, e, e_p);
  } else if (kind == LWI_FORCE_torsion) {
    RECORD(torsion);
    out[0] = torsion_load_rate(m, w, d, e, e_p);
  } else {
    RECORD(bushing);
    put_force(bushing_load_rate(m, derivative, w, d, e, e_p), out);
  }
#undef RECORD
}

#endif
