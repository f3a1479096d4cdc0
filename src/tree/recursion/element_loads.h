/* SPDX-License-Identifier: Apache-2.0 */
/* element_loads.h -- loads of single elastic elements, laws included, as results: of a joint spring
   and of a torsion a number, which drives the coordinate or the turn of the child up; of a bushing
   [torque; force] on the child in ground axes at the origin of its frame.  After forces at the same
   state. */
#ifndef LWI_TREE_RECURSION_ELEMENT_LOADS_H
#define LWI_TREE_RECURSION_ELEMENT_LOADS_H
#include "tree/recursion/forces.h"

/* a load about the origin of a link, as seen from the point at `arm` */
static inline force about_point(force l, vec3 arm)
{
  return (force){v3_sub(l.t, v3_cross(arm, l.f)), l.f};
}

static force bushing_load(const lw_model *m, const lwi_tree_work *w, const lwi_bushing *e)
{
  const bushing_state s = find_bushing(w, e);
  const force linear = force_scale(bushing_on_parent(e, &s), real_set(-1.0));
  if (!e->law) return linear;
  const pair_load law = find_carried(m, w, &m->load[e->law - 1]);
  return force_add(linear, about_point(law.load[1], s.arm_child));
}

static double torsion_load(const lw_model *m, const lwi_tree_work *w, const lwi_torsion *e)
{
  if (e->law) return real_lane(load_value(w, &m->load[e->law - 1].torque[0]), 0);
  const torsion_state s = find_torsion(w, e);
  return -real_lane(torsion_torque(e, &s), 0);
}

/* number: of the element among all (lwi_force_at); out[0], or all of it */
static void get_element(const lw_model *m, const lwi_tree_work *w, int number, const double *q,
                        const double *u, double out[6])
{
  const force_state x = {m, (const real *)q, (const real *)u};
  int own;
  const lwi_force_kind kind = lwi_force_at(m, number, &own);
  if (kind == LWI_FORCE_joint_spring)
    out[0] = real_lane(joint_spring_load(&x, w, &m->joint_spring[own]), 0);
  else if (kind == LWI_FORCE_torsion)
    out[0] = torsion_load(m, w, &m->torsion[own]);
  else
    put_force(bushing_load(m, w, &m->bushing[own]), out);
}

#endif
