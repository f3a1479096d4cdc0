/* SPDX-License-Identifier: Apache-2.0 */
/* force.c -- compiles the force elements of a spec for the kernels; force_numbers.c has their
   numbers. */
#include "model/compile/constants.h"
#include "linkwork/reader.h"

/* the index of a joint's freedom, counted from 1 with 0 meaning the first; -1: an error was
   recorded */
static int find_dof(lwi_compiler *c, lw_joint j, int dof, bool rate_pair)
{
  const lw_joint_info *info = &c->m->joint[j.id].info;
  const int i = dof == 0 ? 1 : dof;
  if (i < 1 || i > info->nu) {
    lwi_compile_fail(c, LW_E_MODEL, "joint \"%s\" (%s) has %d freedom%s, there is no dof %d",
                     info->name, lw_joint_type_name(info->type), info->nu, info->nu == 1 ? "" : "s",
                     i);
    return -1;
  }
  if (rate_pair && !lwi_joint_has_rate_pair(info->type)) {
    lwi_compile_fail(c, LW_E_MODEL, "the coordinates of a %s joint take no joint_spring",
                     lw_joint_type_name(info->type));
    return -1;
  }
  return i - 1;
}

/* for messages */
static bool keep_name(lwi_compiler *c, const char *from, const char **name)
{
  return (*name = lwi_arena_text(c->arena, from ? from : "")) || lwi_compile_memory(c);
}

/* indices are the same in the spec and in the model; force_numbers.c reads the numbers */

static bool compile_spring(lwi_compiler *c, int i)
{
  return lwi_spring_numbers(c, i) &&
         keep_name(c, c->s->springs.item[i].d.name, &c->m->spring[i].name);
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
  if (dof < 0 || !keep_name(c, d->name, &c->m->motor[i].name)) return false;
  c->m->motor[i].mark = c->s->motors.item[i].mark;
  c->m->motor[i].u = c->m->joint[d->joint.id].info.u_all + dof;
  const lwi_link *L = &c->m->link[c->m->joint[d->joint.id].link];
  if (dof < L->inertialess) return lwi_compile_fail(c, LW_E_MODEL, "would turn a particle");
  return lwi_state_expr(c, d->value, "value", &c->m->motor[i].value);
}

static bool compile_load(lwi_compiler *c, int i)
{
  const lw_load_desc *d = &c->s->loads.item[i].d;
  lwi_load *out = &c->m->load[i];
  if (!lwi_load_numbers(c, i) || !keep_name(c, d->name, &out->name)) return false;
  out->mark = c->s->loads.item[i].mark;
  out->body_axes = d->body_axes;
  for (int k = 0; k < 3; k++)
    if (!lwi_state_expr(c, d->force[k], "force", &out->force[k]) ||
        !lwi_state_expr(c, d->torque[k], "torque", &out->torque[k]))
      return false;
  return true;
}

static bool compile_bushing(lwi_compiler *c, int i)
{
  return lwi_bushing_numbers(c, i);
}

/* Compiles one list of the spec into one array of the model. */
#define COMPILE(record, items, ...)                                                                \
  if (!(m->record = LWI_TAKE(c->arena, c->s->items.n, lwi_##record)))                              \
    return lwi_compile_memory(c);                                                                  \
  for (int i = 0; i < c->s->items.n; i++) {                                                        \
    lwi_compile_at(c, "force", c->s->items.item[i].d.name, c->s->items.item[i].mark);              \
    if (!compile_##record(c, i)) return false;                                                     \
  }                                                                                                \
  m->n##record = c->s->items.n;

bool lwi_compile_forces(lwi_compiler *c)
{
  lw_model *m = c->m;
  LWI_FORCE_LIST(COMPILE)
  m->nslot = m->nparameter + c->slots.n;
  m->slot = LWI_TAKE(c->arena, c->slots.n, lwi_slot);
  if (!m->slot) return lwi_compile_memory(c);
  if (c->slots.n) memcpy(m->slot, c->slot, (size_t)c->slots.n * sizeof *c->slot);
  return true;
}

/* ---- damping ---- */

static bool damps_spring(const lwi_spring *e)
{
  return e->damping != 0;
}
static bool damps_joint_spring(const lwi_joint_spring *e)
{
  return e->damping != 0;
}
static bool damps_bushing(const lwi_bushing *e)
{
  for (int k = 0; k < 3; k++)
    if (e->damping[k] != 0 || e->angular_damping[k] != 0) return true;
  return false;
}

bool lwi_has_dampers(const lw_model *m)
{
#define ASK(item, items, name, on, kind)                                                           \
  LWI_IF(ELASTIC, kind,                                                                            \
         for (int i = 0; i < m->n##item; i++) if (damps_##item(&m->item[i])) return true;)
  LWI_FORCE_LIST(ASK)
#undef ASK
  return false;
}
