/* SPDX-License-Identifier: Apache-2.0 */
/* joints.c -- the list of joints: the written ones, and later all of them as relations of two frames. */
#include "model/constants.h"

/* room for one implicit free joint a body: a name that such a joint would have may be taken, which
   topology.c finds out */
bool lwi_compile_joints(lwi_compiler *c)
{
  const int n = c->s->joints.n, most = n + c->s->bodies.n;
  c->hinge = LWI_TAKE(&c->scratch, most + 1, lwi_hinge);
  if (!c->hinge) return lwi_compile_memory(c);
  for (int i = 1; i <= n; i++) {
    const lw_joint_desc *d = &c->s->joints.item[i - 1].d;
    lwi_compile_at(c, "joint", d->name, c->s->joints.item[i - 1].mark);
    if (!lwi_hinge_of(c, d, &c->hinge[i])) return false;
    c->hinge[i].implicit = c->s->joints.item[i - 1].phase.given;
    c->hinge[i].still = c->s->joints.item[i - 1].phase.still;
    if (!(c->hinge[i].name = lwi_arena_text(c->arena, d->name))) return lwi_compile_memory(c);
  }
  c->njoint = n;
  return true;
}

bool lwi_keep_joints(lwi_compiler *c)
{
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_hinge *h = &c->hinge[i];
    lwi_joint *j = &c->m->joint[i];
    lwi_keep_hinge(c, i);
    j->has_q = h->has_q;
    j->has_u = h->has_u;
    j->hold = h->hold;
    j->still = h->still & ((1u << j->info.nu) - 1);
  }
  return true;
}
