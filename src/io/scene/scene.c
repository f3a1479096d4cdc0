/* SPDX-License-Identifier: Apache-2.0 */
/* scene.c -- the parts of a model that a picture shows, with their places in bodies. */
#include "io/scene/scene.h"
#include "base/fail.h"
#include "linkwork/inspect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lw_pose pose_of(const lwi_frame *X)
{
  lw_pose out = {.p = {X->p[0], X->p[1], X->p[2]}};
  quat_from_rot(X->R, out.quat);
  return out;
}

/* The body that is fixed in a link, and a point of the link in that body's frame. */
static int point_of_link(const lw_model *m, const lwi_point *point, double at[3])
{
  for (int b = 0; b <= m->nbody; b++) {
    if (m->body[b].link != point->link) continue;
    const double d[3] = {point->p[0] - m->body[b].p[0], point->p[1] - m->body[b].p[1],
                         point->p[2] - m->body[b].p[2]};
    rot_tmulv(m->body[b].R, d, at);
    return b;
  }
  return 0;
}

static bool list_bodies(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_body *body = lwi_arena_take(&s->arena, (size_t)m->nbody + 1, sizeof *body);
  if (!body) return false;
  for (int b = 0; b <= m->nbody; b++) {
    body[b].name = m->body[b].name;
    if (b == 0) continue;
    body[b].mass = m->solid[b].mass;
    memcpy(body[b].com, m->solid[b].com, sizeof body[b].com);
    memcpy(body[b].inertia, m->solid[b].inertia, sizeof body[b].inertia);
  }
  s->s.nbody = m->nbody;
  s->s.body = body;
  return true;
}

static bool list_joints(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_joint *out = lwi_arena_take(&s->arena, (size_t)m->njoint, sizeof *out);
  if (!out) return false;
  for (int j = 1; j <= m->njoint; j++) {
    const lwi_joint *from = &m->joint[j];
    lw_scene_joint *to = &out[j - 1];
    *to = (lw_scene_joint){.name = from->info.name,
                           .type = from->info.type,
                           .parent = from->info.parent,
                           .child = from->info.child,
                           .place = pose_of(&from->place),
                           .child_place = pose_of(&from->child_place),
                           .naxis = lwi_joint_traits_of(from->info.type).axes,
                           .cut = from->info.cut,
                           .implicit = from->info.implicit};
    memcpy(to->axis, from->shape.axis, sizeof to->axis);
  }
  s->s.njoint = m->njoint;
  s->s.joint = out;
  return true;
}

static bool list_constraints(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_constraint *out = lwi_arena_take(&s->arena, (size_t)m->nconstraint, sizeof *out);
  if (!out) return false;
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *from = &m->constraint[i];
    if (from->equations.n == 0) continue;
    const rot3 E = from->equations.E;
    const double axis[3] = {0, 0, 1};
    lw_scene_constraint *to = &out[s->s.nconstraint++];
    *to = (lw_scene_constraint){from->info.name,
                                from->info.type,
                                from->info.parent,
                                from->info.child,
                                pose_of(&from->place),
                                pose_of(&from->child_place),
                                {0}};
    rot_mulv(E, axis, to->axis);
  }
  s->s.constraint = out;
  return true;
}

static bool list_points(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_point *out = lwi_arena_take(&s->arena, (size_t)m->npoint, sizeof *out);
  if (!out) return false;
  for (int i = 0; i < m->npoint; i++) {
    const lwi_body *point = &m->point[i];
    if (point->hidden) continue;
    lwi_point at = {.link = point->link};
    memcpy(at.p, point->p, sizeof at.p);
    lw_scene_point *to = &out[s->s.npoint++];
    to->name = point->name;
    to->body.id = point_of_link(m, &at, to->at);
  }
  s->s.point = out;
  return true;
}

static bool list_springs(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_spring *out =
      lwi_arena_take(&s->arena, (size_t)m->nspring + (size_t)m->nbushing, sizeof *out);
  if (!out) return false;
  for (int i = 0; i < m->nspring; i++) {
    lw_scene_spring *to = &out[s->s.nspring++];
    to->name = m->spring[i].name;
    to->from.id = point_of_link(m, &m->spring[i].from, to->from_at);
    to->to.id = point_of_link(m, &m->spring[i].to, to->to_at);
    to->length = m->spring[i].length;
  }
  for (int i = 0; i < m->nbushing; i++) {
    lw_scene_spring *to = &out[s->s.nspring++];
    to->bushing = true;
    to->from.id = point_of_link(m, &m->bushing[i].parent, to->from_at);
    to->to.id = point_of_link(m, &m->bushing[i].child, to->to_at);
  }
  s->s.spring = out;
  return true;
}

static bool list_forces(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_scene_point *load = lwi_arena_take(&s->arena, (size_t)m->nload, sizeof *load);
  lw_scene_motor *motor = lwi_arena_take(&s->arena, (size_t)m->nmotor, sizeof *motor);
  if (!load || !motor) return false;
  for (int i = 0; i < m->nload; i++) {
    if (m->load[i].along > 0 || !m->load[i].name) continue;
    lw_scene_point *to = &load[s->s.nload++];
    to->name = m->load[i].name;
    to->body.id = point_of_link(m, &m->load[i].point, to->at);
  }
  for (int i = 0; i < m->nmotor; i++) {
    if (!m->motor[i].name) continue;
    for (int j = 1; j <= m->njoint; j++) {
      const lw_joint_info *info = &m->joint[j].info;
      const int first = info->cut ? info->u_all : info->u;
      if (m->motor[i].u < first || m->motor[i].u >= first + info->nu) continue;
      motor[s->s.nmotor++] = (lw_scene_motor){m->motor[i].name, {j}, m->motor[i].u - first + 1};
      break;
    }
  }
  s->s.load = load;
  s->s.motor = motor;
  return true;
}

static bool list_contacts(lwi_scene *s)
{
  const lw_model *m = s->m;
  lw_contact_desc *out = lwi_arena_take(&s->arena, (size_t)m->nevent, sizeof *out);
  if (!out) return false;
  for (int i = 0; i < m->nevent; i++) {
    const lw_event_desc *d = &m->event[i].d;
    if (d->action != LW_ACTION_CONTACT || d->contact.on == LW_ON_ROPE) continue;
    lw_contact_desc *to = &out[s->s.ncontact++];
    *to = d->contact;
    if (!to->name) to->name = d->joint ? d->joint : d->name;
  }
  s->s.contact = out;
  return true;
}

/* The sphere about all origins, centres of mass and joints, as the model stands at its start. */
static void grow_box(double box[2][3], const double p[3])
{
  for (int i = 0; i < 3; i++) {
    if (!isfinite(p[i])) return;
    box[0][i] = fmin(box[0][i], p[i]);
    box[1][i] = fmax(box[1][i], p[i]);
  }
}

static void grow_by_body(const lwi_scene *s, const lw_work *w, const lwi_attachments *a, int b,
                         double box[2][3])
{
  lw_pose pose = {.quat = {1}};
  if (b > 0 && lw_get_pose(w, (lw_body){b}, &pose) != LW_OK) return;
  const rot3 R = rot_from_quat(pose.quat);
  for (int k = -1; k < a->body[b].n; k++) {
    if (k < 0 && b == 0) continue;
    const double *at = k < 0 ? s->s.body[b].com : a->at[a->body[b].first + k];
    double p[3];
    rot_mulv(R, at, p);
    for (int i = 0; i < 3; i++)
      p[i] += pose.p[i];
    grow_box(box, p);
  }
}

static bool measure(lwi_scene *s, const lwi_attachments *a)
{
  const lw_model *m = s->m;
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)m->nq + (size_t)m->nu + 1, sizeof *q);
  double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  if (w && q) {
    lw_initial_state(m, q, q + m->nq);
    lw_close_loops(w, m->start, q, q + m->nq, NULL); /* if it cannot: as written */
    if (lw_kinematics(w, q, q + m->nq) == LW_OK)
      for (int b = 0; b <= m->nbody; b++)
        grow_by_body(s, w, a, b, box);
  }
  double square = 0;
  for (int i = 0; i < 3 && box[0][i] <= box[1][i]; i++) {
    s->s.centre[i] = (box[0][i] + box[1][i]) / 2;
    square += pow(box[1][i] - box[0][i], 2) / 4;
  }
  s->s.size = sqrt(square);
  const bool done = w && q;
  free(q);
  lw_work_free(w);
  return done;
}

static bool fill(lwi_scene *s, bool shapes)
{
  lwi_attachments a = {0};
  const bool listed = list_bodies(s) && list_joints(s) && list_constraints(s) && list_points(s) &&
                      list_springs(s) && list_forces(s) && list_contacts(s);
  if (!listed || !shapes) return listed;
  return lwi_scene_attach(s, &a) && measure(s, &a) && lwi_scene_make_shapes(s, &a);
}

lw_scene *lw_scene_new(const lw_model *m, bool shapes, lw_error *err)
{
  if (!m) {
    lwi_fail(err, LW_E_ARG, "a model is needed");
    return NULL;
  }
  lwi_scene *s = calloc(1, sizeof *s);
  if (s) s->m = m;
  if (s && fill(s, shapes)) return &s->s;
  lwi_out_of_memory(err, NULL);
  if (s) lw_scene_free(&s->s);
  return NULL;
}

void lw_scene_free(lw_scene *s)
{
  if (!s) return;
  lwi_scene *own = (lwi_scene *)(void *)s; /* its first member */
  lwi_arena_free(&own->arena);
  free(own);
}
