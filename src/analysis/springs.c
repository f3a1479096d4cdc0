/* SPDX-License-Identifier: Apache-2.0 */
/* springs.c -- length, rate and tension of each spring at the state of a work. */
#include "linkwork/analysis.h"
#include "model/model.h"
#include "tree/loops/work.h"

int lw_nspring(const lw_model *m)
{
  return m ? m->nspring : 0;
}

static void find_point(const lw_model *m, const lw_work *w, const lwi_point *at, double x[3],
                       double v[3])
{
  double C[9], V[6], A[6], o[3], turn[3];
  w->kernels->get_frame(m, w->tree, at->link, C, x);
  w->kernels->get_motion(m, w->tree, at->link, V, A);
  rot_mulv(rot_columns(C), at->p, o);
  cross3(V, o, turn);
  for (int i = 0; i < 3; i++) {
    x[i] += o[i];
    v[i] = V[3 + i] + turn[i];
  }
}

/* docs/format.md 6.1 */
lw_status lw_get_spring(const lw_work *w, int index, lw_spring_state *s)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || !s || index < 0 || index >= m->nspring) return LW_E_ARG;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  const lwi_spring *e = &m->spring[index];
  if (e->has_law && w->stage < LWI_STAGE_DYNAMICS) return LW_E_STAGE;
  double x[2][3], v[2][3], d[3], rate = 0;
  find_point(m, w, &e->from, x[0], v[0]);
  find_point(m, w, &e->to, x[1], v[1]);
  for (int i = 0; i < 3; i++)
    d[i] = x[1][i] - x[0][i];
  const double length = norm3(d);
  for (int i = 0; i < 3 && length > 0; i++)
    rate += d[i] / length * (v[1][i] - v[0][i]);
  double tension = length > 0 ? e->stiffness * (length - e->length) + e->damping * rate : 0;
  if (e->law) {
    double load[6];
    w->kernels->get_applied(m, w->tree, e->law - 1, load);
    tension = load[3];
  }
  *s = (lw_spring_state){e->name, length, rate, tension};
  return LW_OK;
}
