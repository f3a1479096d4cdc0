/* SPDX-License-Identifier: Apache-2.0 */
/* force.c -- forces of the spec become what the kernels evaluate. */
#include "model/constants.h"
#include "linkwork/reader.h"

/* the index of a joint's freedom, counted from 1 with 0 meaning the first; -1: a mistake was noted */
static int find_dof(lwi_compiler *c, lw_joint j, int dof, bool rate_pair)
{
  const lw_joint_info *info = &c->m->joint[j.id].info;
  const int i = dof == 0 ? 1 : dof;
  if (i < 1 || i > info->nu) {
    lwi_compile_fail(c, LW_E_MODEL, "joint \"%s\" (%s) has %d freedoms, there is no dof %d",
                     info->name, lw_joint_type_name(info->type), info->nu, i);
    return -1;
  }
  if (rate_pair && !lwi_joint_has_rate_pair(info->type)) {
    lwi_compile_fail(c, LW_E_MODEL, "the coordinates of a %s joint take no joint_spring",
                     lw_joint_type_name(info->type));
    return -1;
  }
  return i - 1;
}

/* indices count in the spec as in the model; force_numbers.c reads the numbers */

static bool compile_spring(lwi_compiler *c, int i)
{
  const char *name = c->s->springs.item[i].d.name;
  if (!lwi_spring_numbers(c, i)) return false;
  c->m->spring[i].name = lwi_arena_text(c->arena, name ? name : "");
  return c->m->spring[i].name || lwi_compile_memory(c);
}

static bool compile_joint_spring(lwi_compiler *c, int i)
{
  const lw_joint_spring_desc *d = &c->s->joint_springs.item[i].d;
  const int dof = find_dof(c, d->joint, d->dof, true);
  if (dof < 0) return false;
  const lwi_joint *j = &c->m->joint[d->joint.id];
  c->m->joint_spring[i].q = j->info.q_all + dof;
  c->m->joint_spring[i].u = j->info.u_all + dof;
  return lwi_joint_spring_numbers(c, i);
}

static bool compile_motor(lwi_compiler *c, int i)
{
  const lw_motor_desc *d = &c->s->motors.item[i].d;
  const int dof = find_dof(c, d->joint, d->dof, false);
  if (dof < 0) return false;
  c->m->motor[i].u = c->m->joint[d->joint.id].info.u_all + dof;
  const lwi_link *L = &c->m->link[c->m->joint[d->joint.id].link];
  if (dof < L->frozen) return lwi_compile_fail(c, LW_E_MODEL, "would turn a particle");
  return lwi_state_expr(c, d->value, "value", &c->m->motor[i].value);
}

static bool compile_load(lwi_compiler *c, int i)
{
  const lw_load_desc *d = &c->s->loads.item[i].d;
  lwi_load *out = &c->m->load[i];
  if (!lwi_load_numbers(c, i)) return false;
  out->body_axes = d->body_axes;
  for (int k = 0; k < 3; k++)
    if (!lwi_state_expr(c, d->force[k], "force", &out->force[k]) ||
        !lwi_state_expr(c, d->torque[k], "torque", &out->torque[k]))
      return false;
  return true;
}

/* Compiles one list of the spec into one array of the model. */
#define COMPILE_LIST(c, list, count, array, type, one)                                             \
  do {                                                                                             \
    const int n_ = (c)->s->list.n;                                                                 \
    if (!((c)->m->array = LWI_TAKE((c)->arena, n_, type))) return lwi_compile_memory(c);           \
    for (int i_ = 0; i_ < n_; i_++) {                                                              \
      lwi_compile_at(c, "force", (c)->s->list.item[i_].d.name, (c)->s->list.item[i_].mark);        \
      if (!one(c, i_)) return false;                                                               \
    }                                                                                              \
    (c)->m->count = n_;                                                                            \
  } while (0)

bool lwi_compile_forces(lwi_compiler *c)
{
  COMPILE_LIST(c, springs, nspring, spring, lwi_spring, compile_spring);
  COMPILE_LIST(c, joint_springs, njoint_spring, joint_spring, lwi_joint_spring,
               compile_joint_spring);
  COMPILE_LIST(c, motors, nmotor, motor, lwi_motor, compile_motor);
  COMPILE_LIST(c, loads, nload, load, lwi_load, compile_load);
  COMPILE_LIST(c, bushings, nbushing, bushing, lwi_bushing, lwi_bushing_numbers);
  lw_model *m = c->m;
  m->nslot = m->nparameter + c->slots.n;
  m->slot = LWI_TAKE(c->arena, c->slots.n, lwi_slot);
  if (!m->slot) return lwi_compile_memory(c);
  if (c->slots.n) memcpy(m->slot, c->slot, (size_t)c->slots.n * sizeof *c->slot);
  return true;
}
