/* SPDX-License-Identifier: Apache-2.0 */
/* link_numbers.c -- the constants of every link, in its own frame.

   Frames are rotated here, once, so that in kernels all axes are along z: with A the shortest
   rotation from z to the axis, Rot(axis, q) = A Rz(q) A^T.  A joint with several axes becomes
   A1 Rz(q1) (A1^T A2) Rz(q2) ... An^T, the middle factors being constants of the joint. */
#include "model/compile/constants.h"

typedef struct {
  num_frame inboard;  /* joint frame in the tree parent's body frame */
  num_frame outboard; /* joint frame in the link's body frame: this becomes the link's frame */
  num_rot middle[LWI_MOST_AXES - 1];
} joint_frames;

/* A reversed one-axis joint moves about the opposite axis; one with several axes also has them in
   the opposite order, since (Rot(a,q1) Rot(b,q2))^-1 = Rot(-b,q2) Rot(-a,q1). */
static joint_frames turn_frames(const lwi_compiler *c, int joint)
{
  const lwi_joint *j = &c->m->joint[joint], *derivative = &c->out->joint[joint];
  const int axes = lwi_joint_traits_of(j->info.type).axes;
  const bool reversed = j->reversed;
  const num_frame place = lwi_get_frame(&j->place, &derivative->place),
                  child_place = lwi_get_frame(&j->child_place, &derivative->child_place);
  const num_joint_shape shape = lwi_get_shape(&j->shape, &derivative->shape);
  joint_frames f = {.inboard = reversed ? child_place : place,
                    .outboard = reversed ? place : child_place};
  if (axes == 0) return f;
  num_rot A[LWI_MOST_AXES];
  for (int k = 0; k < axes; k++) {
    const num *axis = shape.axis[reversed ? axes - 1 - k : k];
    const num opposite[3] = {-axis[0], -axis[1], -axis[2]};
    A[k] = rot_aligning_z(reversed ? opposite : axis);
    if (k > 0) f.middle[k - 1] = rot_mul(rot_transpose(A[k - 1]), A[k]);
  }
  f.inboard.R = rot_mul(f.inboard.R, A[0]);
  f.outboard.R = rot_mul(f.outboard.R, A[axes - 1]);
  return f;
}

/* mass, first moment and inertia about the link's origin, in its axes; X is the body in the link */
static void keep_inertia(const num_solid *s, num_frame X, lwi_link *out)
{
  const num *I = s->inertia;
  const num_rot in_body = {{{I[0], I[3], I[4], 0}, {I[3], I[1], I[5], 0}, {I[4], I[5], I[2], 0}}};
  num_rot J = rot_mul(rot_mul(X.R, in_body), rot_transpose(X.R));
  num c[3], h[3];
  lwi_frame_point(X, s->com, c);
  const num cc = dot3(c, c);
  for (int i = 0; i < 3; i++) {
    h[i] = s->mass * c[i];
    for (int j = 0; j < 3; j++)
      J.c[j][i] += s->mass * ((i == j ? cc : 0) - c[i] * c[j]);
  }
  lwi_keep_rot(&J, &out->J);
  lwi_keep(h, 3, out->h);
  out->mass = kept_of(s->mass);
}

/* the link's frame in the body's, from the joint that carries the link */
static num_frame link_in_body(const lwi_compiler *c, int body)
{
  if (body == 0) return lwi_frame_identity();
  return turn_frames(c, c->m->link[c->m->body[body].link].joint).outboard;
}

void lwi_link_numbers(lwi_compiler *c, int joint)
{
  const lwi_joint *j = &c->m->joint[joint];
  const lw_joint_info *info = &j->info;
  const int body = j->reversed ? info->parent.id : info->child.id;
  const int parent = j->reversed ? info->child.id : info->parent.id;
  lwi_body *b = &c->out->body[body];
  lwi_link *L = &c->out->link[j->link];
  const joint_frames f = turn_frames(c, joint);
  const num_frame body_in_link = lwi_frame_inverse(f.outboard);
  const num_frame parent_body = lwi_frame_inverse(link_in_body(c, parent));
  const num_frame inboard = lwi_frame_mul(parent_body, f.inboard);
  lwi_keep_rot(&body_in_link.R, &b->R);
  lwi_keep(body_in_link.p, 3, b->p);
  lwi_keep_rot(&inboard.R, &L->R);
  lwi_keep(inboard.p, 3, L->p);
  keep_inertia(&c->solid[body], body_in_link, L);
  L->pitch = c->out->joint[joint].shape.pitch;
  memcpy(L->armature, c->out->joint[joint].armature, sizeof L->armature);
  for (int k = 0; k < LW_RATE_PAIRS; k++)
    L->has_armature = L->has_armature || L->armature[k] != 0;
  for (int k = 1; k < lwi_joint_traits_of(info->type).axes; k++)
    lwi_keep_rot(&f.middle[k - 1], &c->out->middle[c->m->link[j->link].middle + k - 1]);
}
