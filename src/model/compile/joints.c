/* SPDX-License-Identifier: Apache-2.0 */
/* joints.c -- the list of joints: the written ones, and later all of them as relations of two
   frames. */
#include "model/compile/constants.h"

const lwi_joint *lwi_joint_before(const lwi_compiler *c, int joint)
{
  return c->joint_values[joint].was > 0 ? &c->before->joint[c->joint_values[joint].was] : NULL;
}

static bool compile_joint(lwi_compiler *c, int i)
{
  const lw_joint_desc *d = &c->s->joints.item[i - 1].d;
  const lwi_part_state *phase = &c->phase->joint[i - 1];
  lwi_joint_values *h = &c->joint_values[i];
  lwi_compile_at(c, "joint", d->name, c->s->joints.item[i - 1].mark);
  *h = (lwi_joint_values){.type = d->type,
                          .parent = d->parent.id,
                          .child = d->child.id,
                          .implicit = phase->given,
                          .has_q = d->has_q,
                          .has_u = d->has_u,
                          .hold = d->hold,
                          .kept = phase->kept,
                          .was = c->before ? phase->was : 0,
                          .locked = phase->locked};
  if (!(h->name = lwi_arena_text(c->arena, d->name))) return lwi_compile_memory(c);
  return lwi_joint_values_of(c, d, h);
}

/* with capacity for one implicit free joint per body; topology.c checks whether its name is already
   in use */
bool lwi_compile_joints(lwi_compiler *c)
{
  const int n = c->s->joints.n, most = n + c->s->bodies.n;
  c->joint_values = LWI_SCRATCH(&c->scratch, most + 1, lwi_joint_values);
  if (!c->joint_values) return lwi_compile_memory(c);
  c->joint_values[0] = (lwi_joint_values){0};
  for (int i = 1; i <= n; i++)
    if (!compile_joint(c, i)) return false;
  c->njoint = n;
  return true;
}

static bool refuse_rotor(lwi_compiler *c, int joint)
{
  const lw_joint_info *j = &c->m->joint[joint].info;
  lwi_compile_at(c, "joint", j->name, c->m->joint[joint].mark);
  return lwi_compile_fail(
      c, LW_E_UNSUPPORTED,
      "it closes a loop of joints that all have armature: let a joint of the loop "
      "have none, or make the rotor a body with a gear");
}

bool lwi_keep_joints(lwi_compiler *c)
{
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_joint_values *h = &c->joint_values[i];
    const bool known = lwi_joint_before(c, i) != NULL; /* copied by topology.c */
    lwi_joint *j = &c->m->joint[i];
    if (!known && !(i <= c->s->joints.n ? lwi_joint_numbers(c, i) : lwi_free_numbers(c, i)))
      return false;
    if (j->info.cut && lwi_rotors(j)) return refuse_rotor(c, i);
    lwi_keep(h->q, 7, j->q);
    lwi_keep(h->u, 6, j->u);
    j->has_q = h->has_q;
    j->has_u = h->has_u;
    j->hold = h->hold;
    j->locked = h->locked & ((1u << j->info.nu) - 1);
  }
  return true;
}
