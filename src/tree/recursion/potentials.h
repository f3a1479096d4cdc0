/* SPDX-License-Identifier: Apache-2.0 */
/* potentials.h -- the potential energy of laws that depend on the quantity alone on which they do
   work: with the load f(x), which drives x up, U = -integral of f from x0 to x
   (model/expression/expr_integral.h).  After kinematics.

     spring  x = l, x0 = length, f = -tension      joint spring  x = q, x0 = 0
     torsion x = angle, x0 = `angle`               bushing       x = dx ... rz, x0 = 0 */
#ifndef LWI_TREE_RECURSION_POTENTIALS_H
#define LWI_TREE_RECURSION_POTENTIALS_H
#include "model/expression/expr_integral.h"
#include "model/expression/expr_real.h"
#include "tree/recursion/measures.h"

/* what component k of a law along an element does work on */
static lwi_measure law_measure(const lwi_load *e, int k)
{
  return (lwi_measure){.kind = e->carrier == LWI_ALONG_SPRING    ? LWI_MEASURE_LENGTH
                               : e->carrier == LWI_ALONG_TORSION ? LWI_MEASURE_ANGLE
                               : k < 3                           ? LWI_MEASURE_SHIFT
                                                                 : LWI_MEASURE_TURN,
                       .component = k % 3,
                       .of = e->along};
}
static double law_reference(const lw_model *m, const lwi_load *e)
{
  return e->carrier == LWI_ALONG_SPRING    ? m->spring[e->along].length
         : e->carrier == LWI_ALONG_TORSION ? m->torsion[e->along].angle
                                           : 0;
}
static inline double law_sign(const lwi_load *e)
{
  return e->carrier == LWI_ALONG_SPRING ? 1 : -1;
}
static inline const lwi_expr *law_expr(const lwi_load *e, int k)
{
  return k < 3 ? &e->force[k] : &e->torque[k - 3];
}

/* lane by lane, with slots of their own */
static real law_integral(const lw_model *m, const lwi_tree_work *w, const lwi_expr *e,
                         const lwi_potential *p, double from, real to)
{
  const lwi_integrand f = {e, w->law_slot, m->nparameter, p->slot, NULL};
#if LW_LANES == 1
  return real_set(lwi_integral(&f, from, (double)to));
#else
  for (int k = 0; k < LW_LANES; k++)
    to[k] = lwi_integral(&f, from, to[k]);
  return to;
#endif
}

static real law_energy(const lw_model *m, const lwi_tree_work *w, const real *q)
{
  real U = real_set(0.0);
  for (int i = 0; i < m->nmotor; i++) {
    const lwi_motor *e = &m->motor[i];
    if (e->potential.exists)
      U -= law_integral(m, w, &e->value, &e->potential, 0, coordinate(m, w, q, e->q));
  }
  for (int i = 0; i < m->nload; i++)
    for (int k = 0; k < 6 && m->load[i].carrier; k++) {
      const lwi_load *e = &m->load[i];
      if (!e->potential[k].exists) continue;
      const lwi_measure x = law_measure(e, k);
      U += law_sign(e) * law_integral(m, w, law_expr(e, k), &e->potential[k], law_reference(m, e),
                                      find_measure(m, w, &x));
    }
  return U;
}

#endif
