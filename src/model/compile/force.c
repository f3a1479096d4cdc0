/* SPDX-License-Identifier: Apache-2.0 */
/* force.c -- compiles the force elements of a spec for the kernels; force_numbers.c has their
   numbers. */
#include "model/compile/constants.h"
#include "linkwork/reader.h"

#include <stdio.h>

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
  c->m->spring[i].has_law = c->s->springs.item[i].d.tension != 0;
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
  c->m->joint_spring[i].side = (d->side > 0) - (d->side < 0);
  return lwi_joint_spring_numbers(c, i);
}

static bool compile_motor(lwi_compiler *c, int i)
{
  const lw_motor_desc *d = &c->s->motors.item[i].d;
  const int dof = find_dof(c, d->joint, d->dof, false);
  if (dof < 0 || !keep_name(c, d->name, &c->m->motor[i].name)) return false;
  c->m->motor[i].mark = c->s->motors.item[i].mark;
  c->m->motor[i].q =
      c->s->motors.item[i].role.along ? c->m->joint[d->joint.id].info.q_all + dof : -1;
  c->m->motor[i].u = c->m->joint[d->joint.id].info.u_all + dof;
  const lwi_link *L = &c->m->link[c->m->joint[d->joint.id].link];
  if (dof < L->inertialess) return lwi_compile_fail(c, LW_E_MODEL, "would turn a particle");
  return lwi_state_expr(c, d->value, "value", &c->m->motor[i].value);
}

/* The law of an element is told as the element that it is of. */
static void name_carrier(lwi_compiler *c, int i)
{
  const lwi_role *role = &c->s->loads.item[i].role;
  switch (role->carrier) {
  case LWI_ALONG_SPRING: c->name = c->s->springs.item[role->along].d.name; break;
  case LWI_ALONG_BUSHING: c->name = c->s->bushings.item[role->along].d.name; break;
  case LWI_ALONG_TORSION: c->name = c->s->torsions.item[role->along].d.name; break;
  default: break;
  }
}

static bool compile_load(lwi_compiler *c, int i)
{
  const lw_load_desc *d = &c->s->loads.item[i].d;
  lwi_load *out = &c->m->load[i];
  name_carrier(c, i);
  if (!lwi_load_numbers(c, i) || !keep_name(c, d->name, &out->name)) return false;
  out->mark = c->s->loads.item[i].mark;
  out->body_axes = d->body_axes;
  out->carrier = c->s->loads.item[i].role.carrier;
  out->along = c->s->loads.item[i].role.along;
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

/* ---- turns of a torsion ----

   The turn of the child about the axis, modulo 2 pi, is that of the two frames.  How many turns
   there are a simulation follows from state to state (tree/recursion/torsions.h), with the
   coordinates of the tree, which count theirs, as a prediction: an angle of a joint between the two
   bodies, moved by a whole turn while the others stay, moves (w, z) of the quaternion of the child
   in the parent, z along the axis, once around an ellipse.  Its sense is that of its rate at any
   place: the sign of g^T a, with g as in tree/recursion/torsions.h and a the axis about which the
   joint moves the child.  Axes at right angles to g wind nothing up. */

static double nearest_turn(double turn, double to)
{
  return turn + LWI_WHOLE_TURN * rint((to - turn) / LWI_WHOLE_TURN);
}

static double wound_up(const lwi_torsion *e, const int angle_q[], const double q[])
{
  double sum = 0;
  for (int i = 0; i < e->nwinding; i++)
    sum += e->winding[i].sense * q[angle_q[e->winding[i].angle]];
  return sum;
}

/* the frame of a torsion on one of its sides, of a body with axes B */
static rot3 torsion_frame(const lw_model *m, const lwi_torsion *e, int side, rot3 B)
{
  return rot_mul(rot_mul(B, rot_transpose(m->body[e->body[side]].R)), e->R[side]);
}

static double turn_between(const rot3 *P, const rot3 *C)
{
  return atan2(dot3(P->c[1], C->c[0]) - dot3(P->c[0], C->c[1]),
               dot3(P->c[0], C->c[0]) + dot3(P->c[1], C->c[1]));
}

void lwi_wind_torsions(const lw_model *m, lwi_torsion torsion[], const double turns[])
{
  for (int i = 0; i < m->ntorsion; i++)
    torsion[i].wound = turns[i] - wound_up(&torsion[i], m->angle_q, m->q0);
}

double lwi_torsion_turn(const lw_model *m, int torsion, const lwi_frame pose[], const double q[],
                        double wound)
{
  const lwi_torsion *e = &m->torsion[torsion];
  const rot3 P = torsion_frame(m, e, 0, pose[e->body[0]].R);
  const rot3 C = torsion_frame(m, e, 1, pose[e->body[1]].R);
  return nearest_turn(turn_between(&P, &C), wound + wound_up(e, m->angle_q, q));
}

/* the body of a link in that of the next one inward, at the start */
static lwi_frame step_outward(const lw_model *m, int link)
{
  const lwi_joint *j = &m->joint[m->link[link].joint];
  const lwi_frame X =
      lwi_frame_mul(lwi_frame_mul(j->place, lwi_joint_pose(&j->shape, m->q0 + j->info.q)),
                    lwi_frame_inverse(j->child_place));
  return j->reversed ? lwi_frame_inverse(X) : X;
}

/* The angles of the joint that carries a link; X: its body's frame, `inward` that of the next one;
   sense: 1 on the child's side. */
static void add_windings(const lw_model *m, lwi_torsion *e, int link, const lwi_frame *X,
                         const lwi_frame *inward, int sense, const double g[3])
{
  const lwi_link *L = &m->link[link];
  const lwi_joint *j = &m->joint[L->joint];
  const int end = link + 1 < m->nlink ? m->link[link + 1].angle : m->nangle;
  const lwi_frame A = lwi_frame_mul(j->reversed ? *X : *inward, j->place);
  const lwi_frame B = lwi_frame_mul(j->reversed ? *inward : *X, j->child_place);
  double P[6][6] = {{0}};
  lwi_joint_motion_map(&(num_joint_at){&j->shape, &A, &B, m->q0 + j->info.q}, P);
  for (int k = L->angle; k < end; k++) {
    /* of a body that floats in a plane the angle is the first speed */
    const int u = lwi_joint_has_rate_pair(j->info.type) ? m->angle_q[k] - L->q : 0;
    const double rate = (j->reversed ? -sense : sense) * dot3(g, P[u]);
    if (fabs(rate) > 1e-9)
      e->winding[e->nwinding++] = (lwi_winding){.angle = k, .sense = rate > 0 ? 1 : -1};
  }
}

/* all joints between the two bodies; X: their frames in that of the body where the ways to both
   meet */
static void find_windings(const lw_model *m, lwi_torsion *e, lwi_frame X[2], const double g[3])
{
  const int meet = lwi_links_meet(m, e->link[0], e->link[1]);
  for (int side = 0; side < 2; side++)
    for (int i = e->link[side]; i != meet; i = m->link[i].parent) {
      const lwi_frame inward = lwi_frame_mul(X[side], lwi_frame_inverse(step_outward(m, i)));
      add_windings(m, e, i, &X[side], &inward, side ? 1 : -1, g);
      X[side] = inward;
    }
}

/* frames of both bodies at the start; returns how many angles are between them */
static int walk_between(const lw_model *m, const lwi_torsion *e, lwi_frame X[2])
{
  const int meet = lwi_links_meet(m, e->link[0], e->link[1]);
  int n = 0;
  for (int side = 0; side < 2; side++) {
    X[side] = lwi_frame_identity();
    for (int i = e->link[side]; i != meet; i = m->link[i].parent) {
      X[side] = lwi_frame_mul(step_outward(m, i), X[side]);
      n += (i + 1 < m->nlink ? m->link[i + 1].angle : m->nangle) - m->link[i].angle;
    }
  }
  return n;
}

static bool compile_torsion(lwi_compiler *c, int i)
{
  const lw_model *m = c->m;
  const lw_torsion_desc *d = &c->s->torsions.item[i].d;
  lwi_torsion *e = &m->torsion[i];
  lwi_frame X[2];
  double g[3], start = d->start;
  if (!LWI_FORCE_NUMBERS(torsion)(c, i) || !lwi_numbers(c, &start, 1, "start")) return false;
  e->id = i;
  for (int side = 0; side < 2; side++) {
    e->body[side] = side ? d->child.id : d->parent.id;
    e->link[side] = m->body[e->body[side]].link;
  }
  if (!(e->winding = LWI_TAKE(c->arena, walk_between(m, e, X), lwi_winding)))
    return lwi_compile_memory(c);
  const rot3 P = torsion_frame(m, e, 0, X[0].R), C = torsion_frame(m, e, 1, X[1].R);
  for (int k = 0; k < 3; k++)
    g[k] = P.c[2][k] + C.c[2][k];
  if (norm3(g) < 1e-6)
    return lwi_compile_fail(c, LW_E_MODEL, "the axes of parent and child point opposite ways");
  find_windings(m, e, X, g);
  if (c->phase->turns)
    start = c->phase->turns[i];
  else if (!d->has_start)
    start = e->angle;
  e->wound = nearest_turn(turn_between(&P, &C), start) - wound_up(e, m->angle_q, m->q0);
  return true;
}

/* Compiles one list of the spec into one array of the model. */
#define COMPILE(record, items, ...)                                                                \
  if (!(m->record = LWI_TAKE(c->arena, c->s->items.n, lwi_##record)))                              \
    return lwi_compile_memory(c);                                                                  \
  for (int i = 0; i < c->s->items.n; i++) {                                                        \
    lwi_compile_at(c, "force", c->s->items.item[i].d.name, c->s->items.item[i].mark);              \
    if (!compile_##record(c, i)) return false;                                                     \
  }

/* The name of element number `number`.  Elements that nobody named, such as the dampings of a joint, may
   share a name: it is that of the first, and the others have one that nobody can write. */
static bool index_force(lwi_compiler *c, const char *written, int number)
{
  char other[16];
  const char *name = lwi_arena_text(c->arena, written);
  int at = name ? lwi_name_add(c->m->force_index, name, strlen(name)) : -1;
  if (at >= 0 && at != number) {
    snprintf(other, sizeof other, "\n%d", number);
    name = lwi_arena_text(c->arena, other);
    at = name ? lwi_name_add(c->m->force_index, name, strlen(name)) : -1;
  }
  return at >= 0 || lwi_compile_memory(c);
}

/* numbers and names of all elements, in the order of force_list.h, before expressions are
   resolved */
static bool index_forces(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->force_index = lwi_store_force_index(m->store);
  int number = 0;
#define INDEX(record, items, ...)                                                                  \
  m->n##record = c->s->items.n;                                                                    \
  for (int i = 0; i < c->s->items.n; i++)                                                          \
    if (!index_force(c, c->s->items.item[i].d.name, number++)) return false;
  LWI_FORCE_LIST(INDEX)
#undef INDEX
  return true;
}

/* which loads are the laws of which elements */
static void find_laws(lw_model *m)
{
  for (int i = 0; i < m->nload; i++) {
    const int along = m->load[i].along;
    switch (m->load[i].carrier) {
    case LWI_ALONG_SPRING: m->spring[along].law = i + 1; break;
    case LWI_ALONG_BUSHING: m->bushing[along].law = i + 1; break;
    case LWI_ALONG_TORSION: m->torsion[along].law = i + 1; break;
    default: break;
    }
  }
}

bool lwi_compile_forces(lwi_compiler *c)
{
  lw_model *m = c->m;
  if (!index_forces(c)) return false;
  LWI_FORCE_LIST(COMPILE)
  if (!lwi_compile_states(c)) return false;
  m->nslot = m->nparameter + c->slots.n;
  m->slot = LWI_TAKE(c->arena, c->slots.n, lwi_slot);
  if (!m->slot) return lwi_compile_memory(c);
  if (c->slots.n) memcpy(m->slot, c->slot, (size_t)c->slots.n * sizeof *c->slot);
  find_laws(m);
  return lwi_find_potentials(c);
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
static bool damps_torsion(const lwi_torsion *e)
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
