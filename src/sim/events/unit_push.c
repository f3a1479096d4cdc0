/* SPDX-License-Identifier: Apache-2.0 */
/* unit_push.c -- the directions in which contacts, limits and friction push. */
#include "sim/events/unit_push.h"
#include "model/joint/joint_relative.h"
#include "model/model.h"
#include "tree/loops/work.h"

#include <math.h>
#include <string.h>

static lwi_frame body_frame(const lw_work *w, lw_body b)
{
  lw_pose X;
  lwi_frame f = lwi_frame_identity();
  if (b.id == 0) return f;
  lw_get_pose(w, b, &X);
  f.R = rot_from_quat(X.quat);
  memcpy(f.p, X.p, sizeof X.p);
  return f;
}

/* On a freedom: the row G of u = G rel is the load that does work on this freedom alone. */
static bool push_on_joint(const lw_model *m, const lw_work *w, const lw_event_desc *e,
                          lwi_unit_push *out)
{
  const int id = lw_find_joint(m, e->joint).id, dof = e->dofs[0] - 1;
  if (id < 1 || !lwi_joint_has_rate_pair(m->joint[id].info.type) || dof >= m->joint[id].info.nu)
    return false;
  const lwi_joint *j = &m->joint[id];
  double G[6][6];
  out->body = j->info.child;
  out->other = j->info.parent;
  const lwi_frame A = lwi_frame_mul(body_frame(w, out->other), j->place),
                  B = lwi_frame_mul(body_frame(w, out->body), j->child_place);
  double own[7];
  const double *near = own;
  if (j->info.cut)
    near = lwi_cut_near(m, w->kernels, w->tree, id);
  else
    lwi_tree_near(m, w->kernels, w->tree, id, own);
  lwi_joint_speed_map(&(lwi_joint_at){&j->shape, &A, &B, near}, G);
  memcpy(out->point, B.p, sizeof out->point);
  for (int i = 0; i < 6; i++)
    out->load[i] = e->normal[0] * G[dof][i];
  return true;
}

/* In the axes A of the other body. */
static void find_normal(const lw_contact_desc *k, lwi_frame A, lwi_frame B, double n[3])
{
  double p[3];
  if (k->on == LW_ON_PLANE) {
    memcpy(n, k->normal, 3 * sizeof *n);
    return;
  }
  lwi_frame_point(B, k->at, p);
  lwi_frame_point(lwi_frame_inverse(A), p, p);
  direction3(k->other_at, p, n);
}

void lwi_contact_normal(const lw_contact_desc *k, const lwi_frame pose[], double n[3])
{
  find_normal(k, pose[k->other.id], pose[k->body.id], n);
}

/* At the point where a contact touches, along its normal; a rope pulls. */
static void push_of_contact(const lw_work *w, const lw_contact_desc *k, lwi_unit_push *out)
{
  const lwi_frame A = body_frame(w, k->other), B = body_frame(w, k->body);
  const double sign = k->on == LW_ON_ROPE ? -1 : 1;
  double n[3], b[3], *p = out->point;
  lwi_frame_point(B, k->at, p);
  find_normal(k, A, B, n);
  rot_mulv(A.R, n, n);
  rot_mulv(B.R, k->axis, b);
  const double tilt = dot3(n, b), s = sqrt(1 - tilt * tilt);
  for (int i = 0; i < 3; i++) {
    if (sign > 0) p[i] += k->radius * (b[i] * tilt - n[i]) / s;
    out->load[3 + i] = sign * n[i];
  }
}

bool lwi_unit_push_of(const lw_model *m, const lw_work *w, const lw_event_desc *e,
                      lwi_unit_push *out)
{
  *out = (lwi_unit_push){.body = e->body, .other = e->other};
  if (e->action == LW_ACTION_CONTACT || e->action == LW_ACTION_SLIP)
    return push_of_contact(w, &e->contact, out), true;
  if (e->action != LW_ACTION_IMPACT) return push_on_joint(m, w, e, out);
  lwi_frame_point(body_frame(w, e->body), e->point, out->point);
  memcpy(out->load + 3, e->normal, sizeof e->normal);
  return true;
}

int lwi_unit_pushes_across(const lw_model *m, const lw_work *w, const lw_event_desc *e,
                           lwi_unit_push out[2])
{
  const lw_contact_desc *k = &e->contact;
  const lwi_frame A = body_frame(w, k->other);
  double n[3];
  find_normal(k, A, body_frame(w, k->body), n);
  const rot3 E = rot_aligning_z(n);
  const double flat[3] = {n[1], -n[0], 0};
  for (int i = 0; i < 2; i++) {
    out[i] = (lwi_unit_push){.body = e->body, .other = e->other};
    push_of_contact(w, k, &out[i]);
    rot_mulv(A.R, m->planar ? flat : E.c[i], out[i].load + 3);
  }
  return m->planar ? 1 : 2;
}

double lwi_unit_push_relative(const lw_work *w, const lwi_unit_push *x, const double V[2][6])
{
  double speed = 0;
  for (int side = 0; side < 2; side++) {
    const lw_body b = side ? x->other : x->body;
    double arm[3], turn[3];
    if (b.id == 0) continue;
    const lwi_frame X = body_frame(w, b);
    for (int i = 0; i < 3; i++)
      arm[i] = x->point[i] - X.p[i];
    cross3(V[side], arm, turn);
    for (int i = 0; i < 3; i++)
      speed +=
          (side ? -1 : 1) * (x->load[i] * V[side][i] + x->load[3 + i] * (V[side][3 + i] + turn[i]));
  }
  return speed;
}

double lwi_unit_push_speed(const lw_work *w, const lwi_unit_push *x)
{
  double V[2][6] = {{0}};
  if (x->body.id > 0) lw_get_velocity(w, x->body, V[0]);
  if (x->other.id > 0) lw_get_velocity(w, x->other, V[1]);
  return lwi_unit_push_relative(w, x, (const double(*)[6])V);
}

double lwi_unit_push_arm(const lw_model *m, const lwi_unit_push *x)
{
  return norm3(x->load + 3) > 0 ? 1 : m->length;
}
