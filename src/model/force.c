/* SPDX-License-Identifier: Apache-2.0 */
/* force.c -- forces of the spec become what the kernels evaluate. */
#include "math/rotation.h"
#include "model/compile.h"

static void body_point(const lwi_compiler *c, int body, const double at[3], lwi_point *out)
{
  const lwi_body *b = &c->m->body[body];
  lwi_frame X = {.R = b->R};
  memcpy(X.p, b->p, sizeof b->p);
  out->link = b->link;
  lwi_frame_point(X, at, out->p);
}

/* A particle that floats cannot be turned: loads must act at its centre. */
static bool refuse_turning(lwi_compiler *c, int body, const double at[3], bool couple)
{
  if (c->m->link[c->m->body[body].link].frozen == 0) return true;
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = at[i] - c->solid[body].com[i];
  if (!couple && norm3(d) == 0) return true;
  return lwi_compile_fail(c, LW_E_MODEL,
                          "would turn \"%s\", which is a particle: act at its centre",
                          c->m->body[body].name);
}

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

/* out of the plane nothing may be written but 0 */
static bool keep_in_plane(lwi_compiler *c, double z, const char *field)
{
  if (!c->s->planar || z == 0) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s must lie in the plane of a planar model", field);
}

static bool compile_spring(lwi_compiler *c, lw_spring_desc d, lwi_spring *out)
{
  *out = (lwi_spring){.stiffness = d.stiffness, .damping = d.damping, .length = d.length};
  if (!lwi_numbers(c, d.from_at, 3, "from") || !lwi_numbers(c, d.to_at, 3, "to") ||
      !lwi_numbers(c, &out->stiffness, 1, "stiffness") ||
      !lwi_numbers(c, &out->damping, 1, "damping") || !lwi_numbers(c, &out->length, 1, "length"))
    return false;
  if (d.from.id == d.to.id)
    return lwi_compile_fail(c, LW_E_MODEL, "both ends are on the same body");
  if (!keep_in_plane(c, d.from_at[2], "from") || !keep_in_plane(c, d.to_at[2], "to")) return false;
  if (!refuse_turning(c, d.from.id, d.from_at, false) ||
      !refuse_turning(c, d.to.id, d.to_at, false))
    return false;
  if (!(out->name = lwi_arena_text(c->arena, d.name ? d.name : ""))) return lwi_compile_memory(c);
  body_point(c, d.from.id, d.from_at, &out->from);
  body_point(c, d.to.id, d.to_at, &out->to);
  return true;
}

static bool compile_joint_spring(lwi_compiler *c, lw_joint_spring_desc d, lwi_joint_spring *out)
{
  const int i = find_dof(c, d.joint, d.dof, true);
  if (i < 0) return false;
  const lwi_joint *j = &c->m->joint[d.joint.id];
  *out = (lwi_joint_spring){j->info.q_all + i, j->info.u_all + i, d.stiffness, d.damping, d.rest};
  return lwi_numbers(c, &out->stiffness, 1, "stiffness") &&
         lwi_numbers(c, &out->damping, 1, "damping") && lwi_numbers(c, &out->rest, 1, "rest");
}

static bool compile_motor(lwi_compiler *c, lw_motor_desc d, lwi_motor *out)
{
  const int i = find_dof(c, d.joint, d.dof, false);
  if (i < 0) return false;
  out->u = c->m->joint[d.joint.id].info.u_all + i;
  const lwi_link *L = &c->m->link[c->m->joint[d.joint.id].link];
  if (i < L->frozen) return lwi_compile_fail(c, LW_E_MODEL, "would turn a particle");
  return lwi_state_expr(c, d.value, "value", &out->value);
}

static bool compile_load(lwi_compiler *c, lw_load_desc d, lwi_load *out)
{
  bool couple = false;
  for (int i = 0; i < 3; i++)
    couple = couple || d.torque[i] != 0;
  if (!lwi_numbers(c, d.at, 3, "at") || !refuse_turning(c, d.body.id, d.at, couple)) return false;
  if (!keep_in_plane(c, d.at[2], "at") || !keep_in_plane(c, d.force[2], "force") ||
      !keep_in_plane(c, d.torque[0], "torque") || !keep_in_plane(c, d.torque[1], "torque"))
    return false;
  body_point(c, d.body.id, d.at, &out->point);
  out->body_axes = d.body_axes;
  out->R = c->m->body[d.body.id].R;
  for (int i = 0; i < 3; i++)
    if (!lwi_state_expr(c, d.force[i], "force", &out->force[i]) ||
        !lwi_state_expr(c, d.torque[i], "torque", &out->torque[i]))
      return false;
  return true;
}

static bool compile_bushing(lwi_compiler *c, lw_bushing_desc d, lwi_bushing *out)
{
  lwi_frame p, k;
  if (!lwi_place(c, &d.place, "place in the parent", &p) ||
      !lwi_place(c, &d.child_place, "place in the child", &k))
    return false;
  memcpy(out->stiffness, d.stiffness, sizeof d.stiffness);
  memcpy(out->damping, d.damping, sizeof d.damping);
  memcpy(out->angular_stiffness, d.angular_stiffness, sizeof d.angular_stiffness);
  memcpy(out->angular_damping, d.angular_damping, sizeof d.angular_damping);
  if (!lwi_numbers(c, out->stiffness, 3, "stiffness") ||
      !lwi_numbers(c, out->damping, 3, "damping") ||
      !lwi_numbers(c, out->angular_stiffness, 3, "angular_stiffness") ||
      !lwi_numbers(c, out->angular_damping, 3, "angular_damping"))
    return false;
  if (!refuse_turning(c, d.parent.id, p.p, true) || !refuse_turning(c, d.child.id, k.p, true))
    return false;
  body_point(c, d.parent.id, p.p, &out->parent);
  body_point(c, d.child.id, k.p, &out->child);
  out->Rp = rot_mul(c->m->body[d.parent.id].R, p.R);
  out->Rc = rot_mul(c->m->body[d.child.id].R, k.R);
  return true;
}

/* Compiles one list of the spec into one array of the model. */
#define COMPILE_LIST(c, list, count, array, type, one)                                             \
  do {                                                                                             \
    const int n_ = (c)->s->list.n;                                                                 \
    if (!((c)->m->array = LWI_TAKE((c)->arena, n_, type))) return lwi_compile_memory(c);           \
    for (int i_ = 0; i_ < n_; i_++) {                                                              \
      lwi_compile_at(c, "force", (c)->s->list.item[i_].d.name, (c)->s->list.item[i_].mark);        \
      if (!one(c, (c)->s->list.item[i_].d, &(c)->m->array[i_])) return false;                      \
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
  COMPILE_LIST(c, bushings, nbushing, bushing, lwi_bushing, compile_bushing);
  lw_model *m = c->m;
  m->nslot = m->nparameter + c->slots.n;
  m->slot = LWI_TAKE(c->arena, c->slots.n, lwi_slot);
  if (!m->slot) return lwi_compile_memory(c);
  if (c->slots.n) memcpy(m->slot, c->slot, (size_t)c->slots.n * sizeof *c->slot);
  return true;
}
