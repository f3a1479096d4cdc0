/* SPDX-License-Identifier: Apache-2.0 */
/* singular.c -- which joint makes the mass matrix singular: the outermost one whose articulated inertia vanishes. */
#include "base/fail.h"
#include "linkwork/dynamics.h"
#include "model/model.h"
#include "model/spec_data.h"
#include "tree/work.h"

#include <string.h>

/* the last link, which is an outermost one, with a freedom that no inertia resists; 0: none */
static int find_link(const lw_model *m, lw_work *w, const double q[])
{
  memset(w->in, 0, (size_t)m->nu * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, w->in);
  if (w->kernels->factor(m, w->tree, NULL)) return 0;
  w->kernels->pivots(m, w->tree, w->in);
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = L->frozen; j < L->nu; j++) {
      const double mobility = w->in[L->column + j];
      if (!lwi_is_still(L, j) && !(mobility > 0 && mobility < 1e300)) return i;
    }
  }
  return 0;
}

lw_status lw_explain_singular(const lw_model *m, lw_work *w, const double q[], lw_error *err)
{
  if (!lwi_is_single(m, w) || (m->nq > 0 && !q)) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  const int link = m->nu > 0 ? find_link(m, w, q) : 0;
  if (link == 0) return lwi_fail(err, LW_E_SINGULAR, "%s", lw_status_text(LW_E_SINGULAR));
  const lwi_joint *j = &m->joint[m->link[link].joint];
  const int body = j->reversed ? j->info.parent.id : j->info.child.id;
  lwi_fail(
      err, LW_E_SINGULAR,
      "the mass matrix is singular: joint \"%s\" lets body \"%s\" move in a way that no inertia "
      "resists",
      j->info.name, m->body[body].name);
  const int written = m->link[link].joint - 1;
  if (err && m->spec && !j->info.implicit && written < m->spec->joints.n) {
    err->line = m->spec->joints.item[written].mark.line;
    err->column = m->spec->joints.item[written].mark.column;
  }
  return LW_E_SINGULAR;
}
